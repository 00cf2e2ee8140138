"""Valid input for the functions of the part "Supervised learning"."""

import numpy as np

from fuzz.cases.base import case
from fuzz.values import X1, Free, Fresh, K, Q, S, X, centers, counts, eighths, labels, mixed, n, signs, three, w, x, y, z
from mlcore.supervised.generalized_linear_models import POISSON, Problem
from mlcore.supervised.kernel_methods import gaussian_kernel, linear_kernel
from mlcore.supervised.linear_regression import LinearRegression
from mlcore.supervised.perceptron import Perceptron, perceptron
from mlcore.supervised.support_vector_machines import GramRows

theta = np.array([0.25, 1.0, -0.5])
Theta = np.array([[0.0, 1.0, -0.5], [0.25, -1.0, 0.5], [0.0, 0.5, 0.25]])
mu = np.array([1.0, 2.0, 0.5, 3.0, 1.0, 2.0, 0.5, 3.0, 1.0, 2.0, 0.5, 3.0])
poisson = Fresh(lambda: Problem(X1, counts[:, 0], POISSON))
priors = np.array([0.25, 0.5, 0.25])
covariances = np.array([S, 2 * S, S])
eta = np.array([0.5, -1.0])
texts = ["one fish", "two fish"]
alphas = np.array([0.5, 1.0, 2.0])
run = Fresh(lambda: perceptron(X1, mixed, max_passes=2))
grams = Fresh(lambda: GramRows(K, diagonal=np.diag(K).copy()))
alpha = np.array([0.25, 0.5] * 6)
share = eighths(np.linspace(0.125, 0.875, n))
neighbor_labels = np.array([[0, 1, 1], [2, 2, 0]])


def curve(**options):
    """A sampler of labeled data, for learning curves."""

    def sample(n, rng):
        X = rng.normal(size=(n, 2))
        return X, (X[:, 0] > 0).astype(int)

    return sample


def fit_problem(cls, X, y, family, link):
    problem = cls(X, y, family, link)
    return problem.cost(theta) if hasattr(problem, "cost") else problem


margin_loss = case(m=z, elementwise="m")
loss = case(r=z, elementwise="r")

HARD_MARGIN = {"C": "infinity"}

CASES = {
    "generalized_linear_models": {
        "Problem": case(X=X1, y=counts[:, 0], family="poisson", link="log", call=fit_problem),
        "canonical_link": case(family=POISSON, then=lambda link: link.name),
        "categorical_cost": case(Theta=Theta[:2], X=X1, y=three),
        "categorical_covariance": case(allow={"eta": "axis too many"}, eta=eta),
        "categorical_log_partition": case(allow={"eta": "axis too many"}, eta=eta),
        "categorical_mean": case(allow={"eta": "axis too many"}, eta=eta),
        "categorical_gradient": case(Theta=Theta[:2], X=X1, y=three),
        "categorical_information": case(Theta=Theta[:2], X=X1),
        "categorical_natural": case(allow={"phi": "axis too many"}, phi=priors),
        "deviance": case(y=counts[:, 0], mu=mu),
        "deviance_residuals": case(y=counts[:, 0], mu=mu),
        "pearson_residuals": case(y=counts[:, 0], mu=mu),
        "find_family": case(family="poisson", then=lambda family: family.name),
        "find_link": case(link="log", family=POISSON, then=lambda link: link.name),
        "fisher_scoring": case(problem=poisson, start=np.zeros(3)),
        "goodness_of_fit": case(statistic=3.0, freedom=2),
        "irls_step": case(theta=np.zeros(3), problem=poisson),
        "overdispersion_test": case(y=counts[:, 0], mu=mu),
        "pearson_dispersion": case(y=counts[:, 0], mu=mu, family="poisson", n_parameters=2),
        "runaway_direction": case(X=X1, y=counts[:, 0], family=POISSON),
        "sufficient_statistic": case(y=three, k=3),
        "tweedie": case(power=1.5, then=lambda family: family.name),
    },
    "generative_learning": {
        "Vocabulary": case(words=["a", "fish"], then=lambda v: v.counts(["a fish a"])),
        "between_scatter": case(counts=np.array([4.0, 4.0, 4.0]), means=centers),
        "class_covariances": case(X=X, index=three, means=centers),
        "class_means": case(X=X, index=three, k=3),
        "discretize": case(x=y, edges=np.array([-1.0, 0.5])),
        "fisher_criterion": case(w=w, S_b=S, S_w=2 * S),
        "fisher_direction": case(X=X, y=labels),
        "gda_log_joint": case(X=X, priors=priors, means=centers, covariances=covariances),
        "gda_log_likelihood": case(X=X, index=three, priors=priors, means=centers, covariances=S),
        "laplace_smooth": case(allow={"counts": "axis too many"}, counts=np.array([1.0, 0.0, 3.0])),
        "learning_curve": case(
            models={"line": LinearRegression()},
            sample=curve(),
            sizes=(10, 20),
            repeats=2,
            n_test=20,
            measure=lambda model, X, y: float(np.mean(model.predict(X))),
        ),
        "linear_scores": case(priors=priors, means=centers, Sigma=S),
        "load_messages": case(),
        "log_posterior": case(allow={"log_joint": "infinity"}, log_joint=-np.abs(X)),
        "logistic_parameters": case(priors=np.array([0.25, 0.75]), means=centers[:2], Sigma=S),
        "pooled_covariance": case(X=X, index=three, means=centers),
        "tokenize": case(text=Free("A fish, it's 2")),
        "within_scatter": case(X=X, index=three, means=centers),
    },
    "kernel_methods": {
        "check_gram": case(allow={"name": "unknown option, number"}, K=K),
        "check_kernel": case(kernel="gaussian"),
        "gaussian_kernel": case(X=X, Z=Q),
        "linear_kernel": case(X=X, Z=Q),
        "polynomial_kernel": case(X=X, Z=Q),
        "squared_distances": case(X=X, Z=Q),
        "gaussian_series_map": case(X=X, degree=3),
        "monomial_map": case(X=X),
        "tensor_features": case(X=X, degree=2),
        "gram_features": case(K=K),
        "gram_spectrum": case(K=K),
        "is_psd": case(K=K),
        "max_kernel_step": case(K=K),
        "kernel_lms": case(K=K, y=y, max_iter=5),
        "kernel_lms_step": case(beta=np.zeros(n), K=K, y=y, step=0.125),
        "kernel_perceptron": case(K=K, y=mixed, max_iter=3),
        "kernel_product": case(first=gaussian_kernel, second=linear_kernel, then=lambda k: k(X, Q)),
        "kernel_ridge": case(K=K, y=y, alpha=0.5),
        "kernel_scaled": case(kernel=linear_kernel, function=lambda X: X[:, 0], then=lambda k: k(X, Q)),
        "kernel_sum": case(first=gaussian_kernel, second=linear_kernel, then=lambda k: k(X, Q)),
        "load_sentences": case(),
        "loo_residuals": case(allow={"alphas": "axis too few"}, K=K, y=y, alphas=alphas),
        "mismatch_kernel": case(texts=texts),
        "spectrum_kernel": case(texts=texts),
        "n_monomials": case(d=2, degree=3),
        "neighborhood": case(word=Free("abc"), mismatches=1, letters=Free("abc")),
        "resolve_kernel": case(kernel="gaussian", bandwidth=2.0, then=lambda k: k(X, Q)),
        "substrings": case(text=Free("abcab"), length=2),
    },
    "linear_regression": {
        "absolute_loss": loss,
        "squared_loss": loss,
        "huber_loss": loss,
        "huber_weights": loss,
        "add_intercept": case(X=X),
        "batch_gradient_descent": case(X=X, y=y, step=0.0078125, max_iter=50),
        "expected_errors": case(n=10, d=2),
        "gaussian_log_likelihood": case(theta=w, X=X, y=y, sigma=0.5),
        "gaussian_mle": case(X=X, y=y),
        "gaussian_weights": case(X=X, queries=Q, tau=0.5),
        "hat_matrix": case(X=X),
        "irls": case(X=X, y=y, delta=0.5),
        "lms_step": case(theta=w, x=X[0], y=0.5, step=0.125),
        "local_linear_fit": case(X=X, y=y, queries=Q, tau=1.0),
        "max_stable_step": case(X=X),
        "normal_equations": case(X=X, y=y),
        "qr_least_squares": case(X=X, y=y),
        "svd_least_squares": case(X=X, y=y),
        "simulate_errors": case(n=10, d=2, runs=4),
        "squared_cost": case(theta=w, X=X, y=y),
        "squared_cost_gradient": case(theta=w, X=X, y=y),
        "stochastic_gradient_descent": case(X=X, y=y, step=0.0625, epochs=2),
        "weighted_least_squares": case(X=X, y=y, weights=share),
    },
    "logistic_regression": {
        "cross_entropy_error": margin_loss,
        "hinge_error": margin_loss,
        "perceptron_error": margin_loss,
        "scaled_cross_entropy_error": margin_loss,
        "squared_error": margin_loss,
        "zero_one_error": margin_loss,
        "ascent_limit": case(X=X1),
        "brier_score": case(y=labels, p=share),
        "cross_entropy_logit_gradient": case(T=X1, y=three),
        "cross_entropy_loss": case(T=X1, y=three),
        "gradient_ascent": case(X=X1, y=(mixed + 1) / 2, max_iter=20),
        "irls_step": case(theta=theta, X=X1, y=(mixed + 1) / 2),
        "log_likelihood": case(theta=theta, X=X1, y=labels),
        "log_likelihood_gradient": case(theta=theta, X=X1, y=labels),
        "log_likelihood_hessian": case(theta=theta, X=X1),
        "logistic_loss": case(allow={"t": "NaN, infinity, axis too few, axis too many", "y": "axis too few, axis too many"}, t=y, y=labels),
        "logit": case(allow={"p": "axis too many, axis too few"}, p=share),
        "newton_ascent": case(X=X1, y=(mixed + 1) / 2),
        "newton_root": case(f=lambda u: u * u - 2, derivative=lambda u: 2 * u, x0=1.0),
        "one_hot": case(y=three, k=3),
        "reliability": case(y=labels, p=share),
        "separating_direction": case(X=X1, y=labels),
        "separation": case(X=X1, y=labels),
        "softmax_cost": case(Theta=Theta, X=X1, y=three),
        "softmax_cost_gradient": case(Theta=Theta, X=X1, y=three),
        "softmax_cost_hessian": case(Theta=Theta, X=X1),
        "stochastic_gradient_ascent": case(X=X1, y=labels, step=0.125, epochs=2),
    },
    "neighbors_and_kernel_regression": {
        "KDTree": case(X=X, query=w, call=lambda cls, X, query, leaf_size: cls(X, leaf_size).query(query, 3)),
        "bandwidth_grid": case(X=X),
        "k_nearest": case(X=X, Q=Q, k=3),
        "kernel_moment": case(allow={"c": "infinity"}, name="gaussian", j=2),
        "kernel_profile": case(name="gaussian", u=z, elementwise="u"),
        "knn_loo_errors": case(X=X, y=y, k_max=3),
        "log_kernel_density": case(X=X, Q=Q, bandwidth=0.5),
        "loo_log_likelihood": case(X=X, bandwidth=0.5),
        "loo_error": case(X=X, y=y, bandwidth=1.0),
        "loo_fit": case(X=X, y=y, bandwidth=1.0),
        "smooth": case(X=X, y=y, Q=Q, bandwidth=1.0),
        "smoother_matrix": case(X=X, Q=Q, bandwidth=1.0),
        "smoothing_constants": case(allow={"c": "infinity"}, name="gaussian", order=1),
        "vote": case(labels=neighbor_labels, n_classes=3),
    },
    "perceptron": {
        "averaged_weights": case(run=run, X=X1, y=mixed),
        "brute_force_average": case(run=run, X=X1, y=mixed),
        "binary_score": case(model=Fresh(lambda: Perceptron().fit(X, signs)), X=X),
        "flats": case(A=X1[:3]),
        "invariant_radii": case(A=X1[:3]),
        "joint_features": case(x=w, c=1, k=3),
        "kesler_vectors": case(X=X, y=three, k=3),
        "margin": case(X=X, y=signs, w=w),
        "multiclass_perceptron": case(X=X1, y=three, k=3, max_passes=3),
        "online_bound": case(X=X, y=mixed, w=w, gamma=0.5),
        "perceptron": case(X=X1, y=mixed, max_passes=3),
        "perceptron_bound": case(X=X, y=signs, w=np.array([1.0, 0.25])),
        "perceptron_step": case(w=w, x=X[0], y=-1.0),
        "pocket": case(X=X1, y=mixed, max_updates=5),
        "signed_distance": case(X=X, w=w),
        "survival_counts": case(run=run),
        "voted_scores": case(X=X1, weights=Theta, counts=np.array([1.0, 2.0, 3.0])),
        "weight_path": case(run=run, X=X1, y=mixed),
        "widest_direction": case(X=X, y=signs),
    },
    "ridge_lasso_polynomial": {
        "chebyshev_basis": case(x=x, size=3),
        "fourier_basis": case(x=x, size=3),
        "legendre_basis": case(x=x, size=3),
        "monomial_basis": case(x=x, size=3),
        "radial_basis": case(x=x, size=3),
        "coordinate_descent": case(X=X, y=y, alpha=0.5),
        "coordinate_sweep": case(X=X, y=y, w=w, alpha=0.5),
        "duality_gap": case(X=X, y=y, w=w, alpha=0.5),
        "lasso_objective": case(X=X, y=y, w=w, alpha=0.5),
        "effective_dof": case(allow={"alphas": "axis too few"}, X=X, alphas=alphas),
        "lasso_path": case(X=X, y=y, n_alphas=4),
        "max_alpha": case(X=X, y=y),
        "polynomial_features": case(X=X, degree=2),
        "proximal_gradient": case(X=X, y=y, alpha=0.5),
        "ridge_dual": case(X=X, y=y, alpha=0.5),
        "ridge_primal": case(X=X, y=y, alpha=0.5),
        "ridge_svd": case(allow={"alphas": "axis too few"}, X=X, y=y, alphas=alphas),
        "ridge_error": case(allow={"alphas": "axis too few"}, X=X, w_true=w, sigma=0.5, alphas=alphas),
        "soft_threshold": case(z=z, t=0.5, elementwise="z"),
        "subgradient_descent": case(X=X, y=y, alpha=0.5, step=0.0078125, max_iter=20),
    },
    "support_vector_machines": {
        "GramRows": case(allow={"megabytes": "fraction"}, gram=K, diagonal=np.diag(K).copy(), then=lambda rows: rows.product(y)),
        "can_move": case(allow=HARD_MARGIN, alpha=alpha, y=signs, C=0.5),
        "choose_offset": case(gradient=y, can_rise=y > 0, can_fall=y < 1),
        "offset_interval": case(gradient=y, can_rise=y > 0, can_fall=y < 1),
        "choose_pair": case(allow=HARD_MARGIN, errors=y, alpha=alpha, y=signs, K=K, C=0.5),
        "clip_bounds": case(allow=HARD_MARGIN, alpha_i=0.25, alpha_j=0.5, y_i=1.0, y_j=-1.0, C=1.0),
        "dual_coordinate_descent": case(Z=X1 * mixed[:, None], C=0.5),
        "dual_interior_point": case(Z=X1 * mixed[:, None], C=0.5),
        "dual_objective": case(alpha=alpha, K=K, y=signs),
        "primal_objective": case(allow=HARD_MARGIN, alpha=alpha, b=0.5, K=K, y=signs, C=1.0),
        "functional_margins": case(w=w, b=0.5, X=X, y=signs),
        "geometric_margins": case(w=w, b=0.5, X=X, y=signs),
        "hard_margin_primal": case(X=X, y=signs),
        "kkt_violations": case(allow=HARD_MARGIN, alpha=alpha, scores=y, y=signs, C=0.5),
        "offset_after": case(
            b=0.0,
            E_i=0.5,
            E_j=-0.5,
            y_i=1.0,
            y_j=-1.0,
            change_i=0.25,
            change_j=0.25,
            K_ii=1.0,
            K_ij=0.5,
            K_jj=2.0,
            free_i=True,
            free_j=False,
        ),
        "pair_optimum": case(alpha_j=0.5, y_j=1.0, E_i=0.5, E_j=-0.5, curvature=2.0, low=0.0, high=1.0),
        "pegasos": case(X=X, y=mixed, C=1.0, n_steps=20),
        "slacks": case(margins=z, elementwise="margins"),
        "smo": case(allow=HARD_MARGIN, K=K, y=mixed, C=1.0),
        "soft_margin_objective": case(allow=HARD_MARGIN, w=w, b=0.5, X=X, y=mixed, C=1.0),
        "soft_margin_subgradient": case(w=w, b=0.5, X=X, y=mixed, C=1.0),
        "solve_box": case(
            allow={"A": "infinity", "B": "infinity"}, rows=grams, z=mixed, A=np.minimum(mixed, 0.0), B=np.maximum(mixed, 0.0)
        ),
        "solve_dual": case(allow=HARD_MARGIN, K=K, y=mixed, C=1.0),
        "subgradient_descent": case(X=X, y=mixed, C=1.0, step=lambda t: 0.0625, n_steps=10),
    },
}
