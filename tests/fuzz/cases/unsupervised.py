"""Valid input for the functions of the part "Unsupervised learning"."""

import numpy as np

from fuzz.cases.base import case
from fuzz.values import S3, Free, Fresh, K, S, X, centers, counts, labels, n, p, three, w, y, z
from mlcore.foundations.gradient_descent import SGD
from mlcore.unsupervised.em_and_mixtures import MixtureParameters
from mlcore.unsupervised.self_supervised_learning import BigramModel, InContextLearner, TinyTransformer, make_encoder

mixture = Fresh(lambda: MixtureParameters(np.array([0.25, 0.5, 0.25]), centers, np.array([S, S, 2 * S])))
Q = np.array([[0.25, 0.25, 0.5], [0.5, 0.25, 0.25], [0.125, 0.125, 0.75]] * 4)
loadings, psi = np.array([[1.0], [0.5], [-0.5]]), np.array([0.5, 1.0, 0.25])
W = np.array([[1.0, 0.25], [-0.5, 1.0]])
other = np.array([0, 1] * 6)
ring = np.roll(np.eye(n), 1, axis=0) + np.roll(np.eye(n), -1, axis=0)
table = np.array([[4.0, 2.0, 1.0], [1.0, 3.0, 5.0]])
direction = np.array([[0.6], [0.8]])
ids = np.array([0, 2, 1, 3, 0, 1, 2])
bigram = Fresh(lambda: BigramModel(4).fit(ids))
encoder = Fresh(lambda: make_encoder(2, hidden=3, width=2, rng=0))
sgd = Fresh(lambda: SGD(lr=0.1))
images = np.arange(72.0).reshape(2, 6, 6) / 64
views = np.array([[1.0, 0.5], [0.25, 1.0], [1.0, -0.5], [0.0, 1.0]])
tokens = np.arange(12.0).reshape(4, 3) / 8
prompts = np.arange(16.0).reshape(2, 4, 2) / 8
answers = np.arange(8.0).reshape(2, 4) / 8
transformer = Fresh(lambda: TinyTransformer(4, context=4, width=4, heads=2, blocks=1, rng=0))


LABEL = "text, fraction"  # anything can name a cluster
TENSOR = "NaN, infinity"  # must stay visible


def partition(**args):
    """An index of two partitions."""
    return case(clusters=three, reference=other, allow={"clusters": LABEL, "reference": LABEL}, **args)


def made(apply):
    """A class: made with its options, then applied."""
    return lambda cls, data, **options: apply(cls(**options), data)


CASES = {
    "em_and_mixtures": {
        "best_loadings": case(S=S3, psi=psi, q=1),
        "check_parameters": case(parameters=mixture, k=3, d=2, covariance_type="full"),
        "e_step": case(X=X, parameters=mixture),
        "log_joint": case(X=X, parameters=mixture),
        "mixture_steps": case(X=X, parameters=mixture, n_rounds=2),
        "elbo": case(allow={"log_joint": "infinity"}, log_joint=np.round(8 * np.log(Q)) / 8, Q=Q),
        "elbo_forms": case(log_prior=np.array([-1.0, -0.5, -2.0]), log_likelihood=-Q, Q=Q),
        "factor_em_step": case(S=S3, W=loadings, psi=psi),
        "factor_log_likelihood": case(S=S3, W=loadings, psi=psi),
        "factor_posterior": case(W=loadings, psi=psi),
        "full_covariances": case(covariances=np.array([1.0, 2.0, 4.0]), k=3, d=2, covariance_type="spherical"),
        "harden": case(responsibilities=Q),
        "jensen_gap": case(f=np.square, values=z, probabilities=np.array([0.125, 0.25, 0.25, 0.25, 0.125])),
        "m_step": case(X=X, responsibilities=Q),
        "n_free_parameters": case(k=3, d=2, covariance_type="full"),
        "objective_step": case(x=y, weights=np.array([0.5, 0.5]), means=np.array([-1.0, 1.0])),
        "run_em": case(
            call=lambda f, **options: f(1.0, **options), e_step=lambda theta: (theta, -(theta**2)), m_step=lambda r: r / 2, max_iter=60
        ),
        "scatter": case(X=X),
        "starting_parameters": case(X=X, k=3),
    },
    "ica": {
        "amari_distance": case(W=W, A=S),
        "decorrelate": case(W=W),
        "equilibrium_scale": case(s=y),
        "stability_index": case(s=y),
        "excess_kurtosis": case(allow={"Y": "axis too few"}, Y=X),
        "negentropy": case(allow={"Y": "axis too few"}, Y=X),
        "switching_signs": case(Y=X),
        "fastica_deflation": case(Z=X.T.copy(), W=W, max_iter=3),
        "fastica_symmetric": case(Z=X.T.copy(), W=W, max_iter=3),
        "likelihood_gradient": case(W=W, X=X),
        "log_likelihood": case(W=W, X=X),
        "natural_step": case(W=W, X=X, eta=0.125),
        "make_voices": case(seconds=0.0625),
        "match_sources": case(S=X, S_hat=X[:, ::-1].copy()),
        "players": case(signals={"one": np.array([0.5, -0.5, 0.25])}),
        "score": case(Y=X, elementwise="Y"),
        "source_log_density": case(Y=X, elementwise="Y"),
        "stochastic_epoch": case(W=W, X=X, alpha=0.0625, rng=0),
        "stochastic_step": case(W=W, x=w, alpha=0.0625),
        "wav_bytes": case(signal=np.array([0.5, -0.5, 0.25])),
    },
    "k_means": {
        "adjusted_rand_index": partition(),
        "fowlkes_mallows": partition(),
        "jaccard_index": partition(),
        "normalized_mutual_information": partition(),
        "pair_counts": partition(),
        "purity": partition(),
        "rand_index": partition(),
        "contingency": case(allow={"first": LABEL, "second": LABEL}, first=three, second=other),
        "assign": case(X=X, centers=centers),
        "elkan": case(X=X, centers=centers),
        "lloyd": case(X=X, centers=centers),
        "lloyd_steps": case(X=X, centers=centers),
        "davies_bouldin": case(allow={"labels": "fraction"}, X=X, labels=three),
        "dunn_index": case(allow={"labels": "fraction"}, X=X, labels=three),
        "silhouette_samples": case(allow={"labels": "fraction"}, X=X, labels=three),
        "silhouette_score": case(allow={"labels": "fraction"}, X=X, labels=three),
        "distortion": case(X=X, labels=three, centers=centers),
        "move": case(X=X, labels=three, centers=centers),
        "refill_empty": case(X=X, labels=np.minimum(three, 1), centers=centers),
        "distortion_curve": case(X=X, ks=(1, 2), n_init=2),
        "farthest_first": case(X=X, k=3),
        "kmeans_parallel": case(X=X, k=3, rng=0),
        "kmeans_plus_plus": case(X=X, k=3, rng=0),
        "random_seeding": case(X=X, k=3, rng=0),
        "feature_distances": case(K=K, labels=three, k=3),
        "kernel_lloyd": case(K=K, labels=three, k=3),
        "fuzzy_centers": case(X=X, r=Q, m=2.0, centers=centers),
        "gap_statistic": case(X=X, k_max=2, n_references=3, n_init=1),
        "lattice": case(rows=2, columns=3),
        "mahalanobis": case(x=w, z=2 * w, covariance=S),
        "minkowski": case(allow={"p": "infinity, fraction"}, x=w, z=2 * w),
        "memberships": case(squared=np.abs(X) + 1, m=2.0),
        "mixed_distance": case(
            allow={"p": "fraction", "clusters": LABEL},
            x=np.array([1.0, 0.0]),
            z=np.array([2.0, 1.0]),
            numeric=1,
            columns=[three % 2],
            clusters=three,
        ),
        "som_step": case(prototypes=centers, places=np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]]), x=w, rate=0.5, radius=1.0),
        "value_difference": case(allow={"p": "fraction", "values": LABEL, "clusters": LABEL}, a=0, b=1, values=other, clusters=three),
    },
    "pca_and_feature_selection": {
        "chi_square_counts": case(X=counts, y=labels),
        "chi_square_features": case(X=counts, y=labels),
        "chi_square_table": case(observed=table),
        "components_for_share": case(shares=np.array([0.5, 0.25, 0.25]), share=0.75),
        "correlations": case(X=X, y=y),
        "mutual_information_scores": case(X=counts, y=labels),
        "cross_validated_errors": case(X=X, ks=(0, 1), n_folds=3),
        "fix_signs": case(components=W),
        "heat_graph": case(X=X, n_neighbors=3),
        "left_out_residuals": case(X=X - X.mean(axis=0), components=direction.T),
        "locality_directions": case(X=X, W=ring),
        "locality_objective": case(Y=X, W=ring),
        "permutation_threshold": case(X=X, n_permutations=3),
        "power_iteration": case(S=S),
        "principal_axes": case(X=X),
        "randomized_axes": case(X=X, n_components=1),
        "projected_variance": case(X=X, U=direction),
        "reconstruction_error": case(X=X, U=direction),
    },
    "self_supervised_learning": {
        "BigramModel": case(n_words=4, data=ids, call=made(lambda model, data: model.fit(data))),
        "Block": case(allow={"data": TENSOR}, width=4, data=np.ones((1, 3, 4)), call=made(lambda block, data: block(data).data)),
        "InContextLearner": case(d=2, width=4, blocks=1, data=prompts, call=made(lambda model, data: model(data, answers).data)),
        "SelfAttention": case(allow={"data": TENSOR}, width=4, data=np.ones((1, 3, 4)), call=made(lambda block, data: block(data).data)),
        "TinyTransformer": case(
            n_words=4, context=4, width=4, blocks=1, data=ids[None, :4], call=made(lambda model, data: model(data).data)
        ),
        "UnitLength": case(
            allow={"data": "NaN, infinity, empty, no columns, axis too many, axis too few"},
            data=X,
            call=made(lambda module, data: module(data).data),
        ),
        "WordTokenizer": case(text=Free("a fish and a dog"), then=lambda t: t.words),
        "accuracy": case(network=encoder, X=X, y=labels),
        "all_logits": case(model=bigram, ids=ids),
        "augment": case(images=images),
        "best_rate": case(allow={"n_examples": "array"}, n_examples=5, d=2),
        "bigram_counts": case(ids=ids, n_words=4),
        "causal_attention": case(allow={"*": TENSOR}, Q=tokens, K=tokens, V=tokens, then=lambda t: t.data),
        "check_ids": case(allow={"name": "unknown option, number", "ids": "axis too many, axis too few"}, ids=ids, n_words=4),
        "contrastive_pretrain": case(
            network=Fresh(lambda: make_encoder(36, hidden=3, width=2, rng=0)), images=images, optimizer=sgd, steps=2, batch_size=2
        ),
        "descent_matrices": case(d=2, rate=0.5),
        "diary_split": case(),
        "draw": case(probs=p, rng=0),
        "few_labels": case(allow={"y": "text"}, y=three, per_class=2),
        "fine_tune": case(network=encoder, X=X, y=labels, n_classes=2, epochs=2, then=lambda network: network(X).data),
        "generate": case(model=bigram, prefix=ids[:2], n_new=3),
        "keep_nucleus": case(probs=p, p=0.75),
        "keep_top_k": case(probs=p, k=2),
        "language_loss": case(
            tolerance=1e-5, allow={"logits": TENSOR}, logits=np.arange(24.0).reshape(1, 6, 4) / 8, ids=ids[None, :6], then=lambda t: t.data
        ),
        "linear_attention": case(tokens=tokens, P=np.eye(3), A=np.eye(3)),
        "linear_probe": case(features=X, y=three, n_classes=3),
        "make_encoder": case(n_inputs=2, hidden=3, width=2, then=lambda network: network(X).data),
        "perplexity": case(model=bigram, ids=ids),
        "printed_contrastive_loss": case(Z1=views, Z2=views[::-1].copy()),
        "regression_prompts": case(n_prompts=2, length=3),
        "ridge_in_context": case(x=prompts, y=answers, alpha=0.5),
        "scatter_on_canvas": case(images=images),
        "score_options": case(model=bigram, prompt=ids[:2], options=[[1], [2, 3]]),
        "simclr_loss": case(Z=views, then=lambda t: t.data),
        "simclr_loss_gradient": case(Z=views),
        "tempered": case(allow={"logits": "axis too many"}, logits=z),
        "token_log_probs": case(model=bigram, ids=ids),
        "train_in_context": case(
            model=Fresh(lambda: InContextLearner(width=4, blocks=1, rng=0)), optimizer=sgd, steps=2, batch_size=2, length=3
        ),
        "train_language_model": case(model=transformer, ids=np.tile(ids, 3), optimizer=sgd, steps=2, batch_size=2),
        "with_head": case(encoder=encoder, W=W, b=w, then=lambda network: network(X).data),
    },
}
