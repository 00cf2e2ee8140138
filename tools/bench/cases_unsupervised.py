"""Clustering, mixtures, independent components, principal components and feature selection beside scikit-learn and scipy."""

import numpy as np
import torch
from scipy import stats
from scipy.sparse import linalg as sparse_linalg
from sklearn import cluster, decomposition, feature_selection, linear_model, metrics, mixture

from mlcore.deep.backpropagation import Tensor
from mlcore.supervised.linear_regression import LinearRegression
from mlcore.unsupervised import em_and_mixtures as em
from mlcore.unsupervised import ica
from mlcore.unsupervised import k_means as km
from mlcore.unsupervised import pca_and_feature_selection as features
from mlcore.unsupervised import self_supervised_learning as ssl
from tools.bench.data import blobs, disagreement, gap, gaps, growing, regression, up_to_sign
from tools.bench.measure import case


def module(chapter, name):
    """The full name of something of a chapter of this part."""
    return f"mlcore.unsupervised.{chapter}.{name}"


# Clustering


@case("k-means from given centers", module("k_means", "KMeans"), "sklearn.cluster.KMeans", 2,
      growing("n", 1_000, 10_000, 50_000, d=10, k=8))
def k_means(n, d, k):
    X = blobs(n, d, k, spread=3.0)[0]
    start = X[:k]
    return (lambda: km.KMeans(k, init=start, tol=0, max_iter=1000).fit(X),
            lambda: cluster.KMeans(k, init=start, n_init=1, tol=0, max_iter=1000).fit(X),
            lambda ours, theirs: gaps((ours.centers_, theirs.cluster_centers_), (disagreement(ours.labels_, theirs.labels_), 0)))


@case("k-means by Elkan's bounds", module("k_means", "elkan"), "sklearn.cluster.KMeans", 2,
      growing("n", 1_000, 5_000, 20_000, d=10, k=8))
def elkan(n, d, k):
    X = blobs(n, d, k, spread=3.0)[0]
    start = X[:k]
    return (lambda: km.elkan(X, start, max_iter=1000),
            lambda: cluster.KMeans(k, init=start, n_init=1, tol=0, algorithm="elkan", max_iter=1000).fit(X),
            lambda ours, theirs: gap(ours.centers, theirs.cluster_centers_))


@case("k-means++ seeding", module("k_means", "kmeans_plus_plus"), "sklearn.cluster.kmeans_plusplus", 2,
      growing("n", 1_000, 10_000, 100_000, d=10, k=8), note="other random draws; the difference is that of the mean distortion")
def seeding(n, d, k):
    X = blobs(n, d, k, spread=3.0)[0]
    few = X[:500]

    def distortion(seed):
        return np.mean([metrics.pairwise_distances_argmin_min(few, seed(i))[1].mean() for i in range(200)])

    return (lambda: km.kmeans_plus_plus(X, k, np.random.default_rng(0)),
            lambda: cluster.kmeans_plusplus(X, k, random_state=0, n_local_trials=1)[0],
            lambda ours, theirs: gap(distortion(lambda i: km.kmeans_plus_plus(few, k, np.random.default_rng(i))),
                                     distortion(lambda i: cluster.kmeans_plusplus(few, k, random_state=i, n_local_trials=1)[0])))


@case("k-means, predict", module("k_means", "KMeans"), "sklearn.cluster.KMeans", 2, growing("n", 10_000, 50_000, 200_000, d=10, k=8))
def k_means_predict(n, d, k):
    X = blobs(n, d, k, spread=3.0)[0]
    ours = km.KMeans(k, init=X[:k]).fit(X[:5000])
    theirs = cluster.KMeans(k, init=ours.centers_, n_init=1, max_iter=1).fit(X[:5000])
    theirs.cluster_centers_ = ours.centers_.copy()
    return lambda: ours.predict(X), lambda: theirs.predict(X), disagreement


@case("silhouette", module("k_means", "silhouette_samples"), "sklearn.metrics.silhouette_samples", 2, growing("n", 500, 1_000, 3_000, d=10))
def silhouette(n, d):
    X, y = blobs(n, d, 5, spread=3.0)
    return lambda: km.silhouette_samples(X, y), lambda: metrics.silhouette_samples(X, y), gap


@case("Davies-Bouldin index", module("k_means", "davies_bouldin"), "sklearn.metrics.davies_bouldin_score", 2,
      growing("n", 1_000, 10_000, 100_000, d=10))
def davies_bouldin(n, d):
    X, y = blobs(n, d, 5, spread=3.0)
    return lambda: km.davies_bouldin(X, y), lambda: metrics.davies_bouldin_score(X, y), gap


@case("table of two partitions", module("k_means", "contingency"), "sklearn.metrics.cluster.contingency_matrix", 2,
      growing("n", 1_000, 10_000, 100_000))
def contingency(n):
    u, v = np.random.default_rng(0).integers(10, size=(2, n))
    return lambda: km.contingency(u, v), lambda: metrics.cluster.contingency_matrix(u, v), gap


@case("pairs of two partitions", module("k_means", "pair_counts"), "sklearn.metrics.cluster.pair_confusion_matrix", 2,
      growing("n", 1_000, 10_000, 100_000), note="the reference counts every pair twice")
def pair_counts(n):
    u, v = np.random.default_rng(0).integers(10, size=(2, n))

    def theirs():
        (neither, only_second), (only_first, both) = metrics.cluster.pair_confusion_matrix(v, u).T // 2
        return both, only_first, only_second, neither

    return lambda: tuple(km.pair_counts(u, v)), theirs, gap


@case("nearest centers", module("k_means", "assign"), "sklearn.metrics.pairwise_distances_argmin_min", 2,
      growing("n", 1_000, 10_000, 100_000, d=10, k=8))
def assign(n, d, k):
    X = blobs(n, d, k, spread=3.0)[0]
    return (lambda: km.assign(X, X[:k]), lambda: metrics.pairwise_distances_argmin_min(X, X[:k], metric="sqeuclidean"),
            lambda ours, theirs: max(disagreement(ours[0], theirs[0]), gap(ours[1], theirs[1])))


AGREEMENTS = {"adjusted_rand_index": "adjusted_rand_score", "fowlkes_mallows": "fowlkes_mallows_score", "rand_index": "rand_score",
              "normalized_mutual_information": "normalized_mutual_info_score"}


def agreement_case(ours, theirs):
    """Build function of a measure of two partitions."""
    def build(n):
        u, v = np.random.default_rng(0).integers(10, size=(2, n))
        return lambda: ours(u, v), lambda: theirs(u, v), gap
    return build


def index_name(name):
    """A measure's name in words."""
    return name.replace("_", " ").replace("rand", "Rand").replace("fowlkes mallows", "Fowlkes-Mallows index")


for _ours, _theirs in AGREEMENTS.items():
    case(index_name(_ours), module("k_means", _ours), f"sklearn.metrics.{_theirs}", 2,
         growing("n", 1_000, 10_000, 100_000))(agreement_case(getattr(km, _ours), getattr(metrics, _theirs)))


# Mixtures and factors


def mixture_case(kind):
    """Build function of a Gaussian mixture: the same start, and as many rounds on both sides."""
    def build(n, d, k, rounds):
        X = blobs(n, d, k, spread=2.5)[0]
        start = em.starting_parameters(X, k, kind, "k-means++", np.random.default_rng(0))
        precisions = 1 / start.covariances if kind in ("diag", "spherical") else np.linalg.inv(start.covariances)
        theirs = mixture.GaussianMixture(k, covariance_type=kind, tol=0, max_iter=rounds, weights_init=start.weights,
                                         means_init=start.means, precisions_init=precisions, init_params="random")
        return (lambda: em.GaussianMixture(k, kind, init=start, tol=0, max_iter=rounds).fit(X), lambda: theirs.fit(X),
                lambda a, b: gaps((a.weights_, b.weights_), (a.means_, b.means_), (a.covariances_, b.covariances_)))
    return build


for _kind in em.COVARIANCE_TYPES:
    case(f"Gaussian mixture, {_kind}", module("em_and_mixtures", "GaussianMixture"), "sklearn.mixture.GaussianMixture", 2,
         growing("n", 1_000, 5_000, 20_000, d=10, k=5, rounds=10))(mixture_case(_kind))


@case("Gaussian mixture, density", module("em_and_mixtures", "GaussianMixture"), "sklearn.mixture.GaussianMixture", 2,
      growing("n", 1_000, 10_000, 100_000, d=10, k=5))
def mixture_density(n, d, k):
    X = blobs(n, d, k, spread=2.5)[0]
    ours = em.GaussianMixture(k, random_state=0, max_iter=5).fit(X[:5000])
    theirs = mixture.GaussianMixture(k, weights_init=ours.weights_, means_init=ours.means_, max_iter=1,
                                     precisions_init=np.linalg.inv(ours.covariances_)).fit(X[:5000])
    theirs.weights_, theirs.means_ = ours.weights_, ours.means_
    theirs.precisions_cholesky_ = np.linalg.inv(np.linalg.cholesky(ours.covariances_)).transpose(0, 2, 1)
    return lambda: ours.score_samples(X), lambda: theirs.score_samples(X), gap


@case("factor analysis", module("em_and_mixtures", "FactorAnalysis"), "sklearn.decomposition.FactorAnalysis", 2,
      growing("n", 500, 2_000, 10_000, d=20, q=3, rounds=30))
def factor_analysis(n, d, q, rounds):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, q)) @ rng.normal(size=(q, d)) + rng.normal(size=(n, d))
    theirs = decomposition.FactorAnalysis(q, noise_variance_init=np.ones(d), tol=0, max_iter=rounds, svd_method="lapack")
    return (lambda: em.FactorAnalysis(q, "exact", noise_init=np.ones(d), tol=0, max_iter=rounds).fit(X), lambda: theirs.fit(X),
            lambda ours, theirs: gap(ours.noise_, theirs.noise_variance_))


# Independent components


def ica_case(algorithm, name):
    """Build function of FastICA: 20 iterations from the same start."""
    def build(n, k):
        rng = np.random.default_rng(0)
        X = rng.laplace(size=(n, k)) @ rng.normal(size=(k, k)).T
        start, options = rng.normal(size=(k, k)), {"max_iter": 20, "tol": 1e-300}
        whitening = decomposition.FastICA(whiten="unit-variance", max_iter=1, random_state=0).fit(X).whitening_
        flip = np.sign((whitening * ica.FastICA(max_iter=1, random_state=0).fit(X).whitening_).sum(axis=1))
        theirs = decomposition.FastICA(algorithm=name, w_init=start * flip, whiten="unit-variance", whiten_solver="eigh", **options)
        return (lambda: ica.FastICA(algorithm=algorithm, init=start, **options).fit(X), lambda: theirs.fit(X),
                lambda a, b: up_to_sign(a.components_, b.components_))
    return build


case("FastICA, symmetric", module("ica", "FastICA"), "sklearn.decomposition.FastICA", 2,
     growing("n", 1_000, 5_000, 20_000, k=6))(ica_case("symmetric", "parallel"))
case("FastICA, deflation", module("ica", "FastICA"), "sklearn.decomposition.FastICA", 2,
     growing("n", 1_000, 5_000, 20_000, k=6))(ica_case("deflation", "deflation"))


@case("excess kurtosis", module("ica", "excess_kurtosis"), "scipy.stats.kurtosis", 2, growing("n", 1_000, 10_000, 100_000, k=6))
def excess_kurtosis(n, k):
    X = np.random.default_rng(0).laplace(size=(n, k))
    return lambda: ica.excess_kurtosis(X), lambda: stats.kurtosis(X), gap


# Principal components


def spectrum(n, d, seed=0):
    """Rows whose variances along random directions fall slowly."""
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
    return rng.normal(size=(n, d)) * np.linspace(10, 1, d) @ turn


@case("principal components, tall", module("pca_and_feature_selection", "PCA"), "sklearn.decomposition.PCA", 2,
      growing("n", 1_000, 10_000, 100_000, d=30))
def pca_tall(n, d):
    X = spectrum(n, d)
    return (lambda: features.PCA(5).fit(X), lambda: decomposition.PCA(5).fit(X),
            lambda ours, theirs: max(up_to_sign(ours.components_, theirs.components_),
                                     gap(ours.explained_variance_, theirs.explained_variance_)))


@case("principal components, exact", module("pca_and_feature_selection", "PCA"), "sklearn.decomposition.PCA", 2,
      growing("n", 100, 200, 400, d=400))
def pca_exact(n, d):
    X = spectrum(n, d)
    return (lambda: features.PCA(5, solver="svd").fit(X), lambda: decomposition.PCA(5, svd_solver="full").fit(X),
            lambda ours, theirs: up_to_sign(ours.components_, theirs.components_))


@case("principal components, randomized", module("pca_and_feature_selection", "PCA"), "sklearn.decomposition.PCA", 2,
      growing("n", 600, 1_200, 2_400, d=1_000))
def pca_randomized(n, d):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 10)) * np.linspace(40, 20, 10) @ np.linalg.qr(rng.normal(size=(d, 10)))[0].T + 0.1 * rng.normal(size=(n, d))
    theirs = decomposition.PCA(5, svd_solver="randomized", iterated_power=7, random_state=0)
    return (lambda: features.PCA(5, solver="randomized").fit(X), lambda: theirs.fit(X),
            lambda ours, theirs: up_to_sign(ours.components_, theirs.components_))


@case("principal components, transform", module("pca_and_feature_selection", "PCA"), "sklearn.decomposition.PCA", 2,
      growing("n", 1_000, 10_000, 100_000, d=30))
def pca_transform(n, d):
    X = spectrum(n, d)
    ours, theirs = features.PCA(5).fit(X), decomposition.PCA(5).fit(X)
    return lambda: ours.transform(X), lambda: theirs.transform(X), lambda a, b: up_to_sign(a.T, b.T)


@case("power iteration", module("pca_and_feature_selection", "power_iteration"), "scipy.sparse.linalg.eigsh", 10,
      growing("d", 100, 300, 1_000), note="the same eigenvector; the reference is the faster method of Lanczos")
def power_iteration(d):
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(d, d)))[0]
    S = turn * np.r_[10.0, np.linspace(8, 1, d - 1)] @ turn.T
    start = np.random.default_rng(0).normal(size=d)
    return (lambda: features.power_iteration(S)[:2], lambda: sparse_linalg.eigsh(S, 1, v0=start),
            lambda ours, theirs: max(gap(ours[0], theirs[0][0]), up_to_sign(ours[1][None], theirs[1].T)))


# Feature selection


@case("variance filter", module("pca_and_feature_selection", "VarianceFilter"), "sklearn.feature_selection.VarianceThreshold", 2,
      growing("n", 1_000, 10_000, 50_000, d=100))
def variance_filter(n, d):
    X = regression(n, d)[0] * np.linspace(0.5, 2, d)
    return (lambda: features.VarianceFilter(1.0).fit(X), lambda: feature_selection.VarianceThreshold(1.0).fit(X),
            lambda ours, theirs: gaps((ours.variances_, theirs.variances_), (disagreement(ours.support_, theirs.get_support()), 0)))


@case("chi-square test of a table", module("pca_and_feature_selection", "chi_square_table"), "scipy.stats.chi2_contingency", 2,
      growing("k", 10, 100, 1_000))
def chi_square_table(k):
    table = np.random.default_rng(0).integers(1, 50, size=(k, k))
    return (lambda: features.chi_square_table(table), lambda: stats.chi2_contingency(table, correction=False),
            lambda a, b: gaps((a.statistic, b.statistic), (a.p_value, b.pvalue), (a.expected, b.expected_freq)))


def selection_case(score, function, discrete):
    """Build function of a filter by scores."""
    def build(n, d):
        rng = np.random.default_rng(0)
        y = rng.integers(3, size=n)
        X = rng.poisson(rng.uniform(1, 3, (3, d))[y]).astype(float) if discrete else regression(n, d)[0]
        y = y if discrete else regression(n, d)[1]
        return (lambda: features.SelectBest(5, score).fit(X, y), lambda: feature_selection.SelectKBest(function, k=5).fit(X, y),
                lambda ours, theirs: gaps((ours.scores_, theirs.scores_), (disagreement(ours.support_, theirs.get_support()), 0)))
    return build


SCORES = {
    "chi_square_counts": ("chi-square filter", feature_selection.chi2, True, "sklearn.feature_selection.chi2"),
    "mutual_information": ("mutual-information filter",
                           lambda X, y: feature_selection.mutual_info_classif(X, y, discrete_features=True), True,
                           "sklearn.feature_selection.mutual_info_classif"),
    "correlation": ("correlation filter", lambda X, y: np.abs(feature_selection.r_regression(X, y)), False,
                    "sklearn.feature_selection.r_regression"),
}
for _score, (_name, _function, _discrete, _reference) in SCORES.items():
    case(_name, module("pca_and_feature_selection", "SelectBest"), _reference, 2,
         growing("n", 1_000, 5_000, 20_000, d=50))(selection_case(_score, _function, _discrete))


@case("recursive feature elimination", module("pca_and_feature_selection", "RFE"), "sklearn.feature_selection.RFE", 2,
      growing("d", 10, 20, 40, n=1_000))
def rfe(n, d):
    X, y = regression(n, d)
    return (lambda: features.RFE(LinearRegression(), n_features=1).fit(X, y).ranking_,
            lambda: feature_selection.RFE(linear_model.LinearRegression(), n_features_to_select=1).fit(X, y).ranking_, disagreement)


# Self-supervised learning


@case("causal attention and gradient", module("self_supervised_learning", "causal_attention"),
      "torch.nn.functional.scaled_dot_product_attention", 10, growing("length", 32, 64, 128, batch=32, width=32))
def attention(length, batch, width):
    values = np.random.default_rng(0).normal(size=(3, batch, length, width))

    def ours():
        Q, K, V = (Tensor(v, requires_grad=True) for v in values)
        out = ssl.causal_attention(Q, K, V)
        out.backward(np.ones(out.shape))
        return [out.data, Q.grad, K.grad, V.grad]

    def theirs():
        Q, K, V = (torch.tensor(v, requires_grad=True) for v in values)
        out = torch.nn.functional.scaled_dot_product_attention(Q, K, V, is_causal=True)
        out.backward(torch.ones_like(out))
        return [x.detach().numpy() for x in (out, Q.grad, K.grad, V.grad)]

    return ours, theirs, lambda a, b: gaps(*zip(a, b))


def encoder_layer(block):
    """The torch layer with the weights of a block of the transformer; its biases, which the block's attention lacks, are 0."""
    query, key, value, out = (p.data for p in block.attention.parameters())
    first, first_bias, second, second_bias = (p.data for p in block.mlp.parameters())
    layer = torch.nn.TransformerEncoderLayer(len(out), block.attention.heads, len(first), dropout=0.0, batch_first=True,
                                             norm_first=True, dtype=torch.float64)
    layer.load_state_dict(layer.state_dict() | {name: torch.tensor(array) for name, array in {
        "self_attn.in_proj_weight": np.concatenate([query, key, value]), "self_attn.in_proj_bias": np.zeros(3 * len(out)),
        "self_attn.out_proj.weight": out, "self_attn.out_proj.bias": np.zeros(len(out)), "linear1.weight": first,
        "linear1.bias": first_bias, "linear2.weight": second, "linear2.bias": second_bias}.items()})
    return layer


@case("transformer block and gradient", module("self_supervised_learning", "Block"), "torch.nn.TransformerEncoderLayer", 10,
      growing("length", 32, 64, 128, batch=16, width=32))
def transformer_block(length, batch, width):
    values = np.random.default_rng(0).normal(size=(batch, length, width))
    block = ssl.Block(width, heads=2, rng=0)
    layer, mask = encoder_layer(block), torch.nn.Transformer.generate_square_subsequent_mask(length, dtype=torch.float64)

    def ours():
        x = Tensor(values, requires_grad=True)
        out = block(x)
        out.backward(np.ones(out.shape))
        return [out.data, x.grad]

    def theirs():
        x = torch.tensor(values, requires_grad=True)
        out = layer(x, src_mask=mask, is_causal=True)
        out.backward(torch.ones_like(out))
        return [out.detach().numpy(), x.grad.numpy()]

    return ours, theirs, lambda a, b: gaps(*zip(a, b))


@case("SimCLR loss and gradient", module("self_supervised_learning", "simclr_loss_gradient"), "torch.nn.functional.cross_entropy", 2,
      growing("pairs", 64, 128, 512, width=64))
def simclr(pairs, width):
    Z = np.random.default_rng(0).normal(size=(2 * pairs, width))

    def theirs():
        t = torch.tensor(Z, requires_grad=True)
        U = torch.nn.functional.normalize(t, dim=1)
        S = (U @ U.T / 0.2).masked_fill(torch.eye(2 * pairs, dtype=bool), -torch.inf)
        loss = torch.nn.functional.cross_entropy(S, torch.arange(2 * pairs).roll(pairs))
        loss.backward()
        return loss.item(), t.grad.numpy()

    return (lambda: ssl.simclr_loss_gradient(Z), theirs, lambda a, b: gaps((a[0], b[0]), (a[1], b[1])))
