"""Valid input for the functions of the part "Generalization"."""

import numpy as np

from fuzz.cases.base import case
from fuzz.values import Fresh, X, labels, n, signs, w, x, y
from mlcore.generalization.regularization_and_selection import k_fold
from mlcore.supervised.ridge_lasso_polynomial import Ridge

smoother = X @ np.linalg.solve(X.T @ X + np.eye(2), X.T)


def parabola(x):
    return np.asarray(x) ** 2


ridge = Fresh(Ridge)
alphas = np.array([0.5, 1.0, 2.0])
numbers = np.array([0.5, -1.0, 2.0, 3.5])
corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.25]])
table = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
grid = {"alpha": [0.5, 1.0]}
folds = Fresh(lambda: k_fold(n, 3, random_state=0))
wide = np.array([[1.0, 0.0, 1.0], [0.0, 2.0, 1.0]])  # two equations, three unknowns
goal = np.array([1.0, 2.0])

CASES = {
    "bias_variance": {
        "degrees_of_freedom": case(L=smoother),
        "error_terms": case(x=x, degree=2, max_target_degree=3),
        "expected_training_error": case(L=smoother, h_train=y, sigma=0.5),
        "isotropic_risk": case(n=10, p=3, sigma=0.5),
        "legendre_features": case(x=x, degree=3),
        "legendre_target": case(degree=3),
        "min_norm_solution": case(X=X, y=y),
        "optimal_ridge": case(p=3, sigma=0.5),
        "optimism": case(L=smoother, sigma=0.5),
        "overfit_measure": case(allow={"sigma2": "array", "target_degree": "array"}, n=15, sigma2=0.5, target_degree=3, n_sets=3),
        "polynomial_coefficients": case(x=x, degree=2),
        "polynomial_decomposition": case(h=parabola, n=10, degree=2, sigma=0.5),
        "polynomial_smoother": case(x=x, x_test=x[:3], degree=2),
        "ridge_risk": case(allow={"ridge": "array"}, n=10, p=3, sigma=0.5, ridge=0.25, n_sets=2),
        "simulate_decomposition": case(
            fit_predict=lambda x, y, x_test: np.full(len(x_test), y.mean()),
            h=parabola,
            sample_inputs=lambda rng: rng.uniform(-1, 1, 5),
            x_test=x[:3],
            sigma=0.5,
            n_sets=4,
        ),
        "smoother_decomposition": case(L=smoother, h_train=y, h_test=y, sigma=0.5),
        "target_weights": case(degree=3),
        "true_curve": case(name="sine", then=lambda f: f(0.25)),
    },
    "learning_theory": {
        "acceptance_threshold": case(false_accept=1.0, false_reject=10.0),
        "all_labelings": case(n=3),
        "bin_model": case(mu=0.25, n=10, trials=4),
        "binomial_tail": case(n=10, eps=0.25, mu=0.5),
        "bounding_table": case(n_max=4, k_max=3),
        "coin_experiment": case(n_coins=5, n_tosses=10, trials=3),
        "consistent_targets": case(table=(0, 1, None, 1)),
        "convex_dichotomies": case(X=corners),
        "distinct": case(labelings=table),
        "fit_sign_changes": case(x=numbers, y=np.array([1.0, -1.0, 1.0, 1.0]), max_changes=1),
        "ghost_gap_of_rays": case(n=6, trials=3),
        "hoeffding_bound": case(n=100, eps=0.25),
        "hoeffding_radius": case(n=100, delta=0.25),
        "hoeffding_sample_size": case(eps=0.25, delta=0.25),
        "ideal_target": case(probabilities=np.array([0.25, 0.5, 0.25]), labels=np.array([1.0, 2.0, 3.0])),
        "interval_dichotomies": case(x=numbers),
        "ray_dichotomies": case(x=numbers),
        "sign_change_dichotomies": case(x=numbers, max_changes=1),
        "largest_family": case(n=2, k=2),
        "line_dichotomies": case(X=corners),
        "perceptron_dichotomies": case(X=corners),
        "radon_labeling": case(X=corners),
        "linearly_separable": case(X=X, y=signs),
        "separating_hyperplane": case(X=X, y=signs),
        "log_growth_bound": case(n=10, d_vc=2),
        "noisy_error": case(disagreement=0.25, flip=0.125),
        "perceptron_growth": case(n=4, d=2),
        "sauer_sum": case(n=4, d=2),
        "shatters": case(labelings=table),
        "vc_dimension": case(labelings=table),
        "sup_gap_of_rays": case(n=6, trials=3),
        "union_vc_bound": case(dimensions=(1, 2)),
        "vc_probability": case(n=10, eps=0.25, d_vc=2),
        "vc_radius": case(n=10, d_vc=2, delta=0.25),
        "vc_sample_size": case(eps=0.25, delta=0.25, d_vc=2),
        "weighted_error": case(prediction=signs, y=-signs, weights=np.abs(y)),
    },
    "regularization_and_selection": {
        "augmented_error": case(w=w, Z=X, y=y, lam=0.5),
        "constrained_least_squares": case(Z=X, y=y, budget=0.5),
        "cross_predict": case(model=ridge, X=X, y=y, folds=3),
        "cross_validate": case(model=ridge, X=X, y=y, folds=3),
        "descent_coefficients": case(allow={"n_steps": "axis too few"}, X=X, y=y, n_steps=np.array([1, 5])),
        "descent_filter": case(allow={"singular_values": "axis too few"}, singular_values=alphas, step=0.125, n_steps=4),
        "descent_limit": case(X=X, y=y),
        "diagonal_descent": case(X=wide, y=goal, scale=0.25, max_steps=50),
        "diagonal_limit": case(X=wide, y=goal, scale=0.25),
        "diagonal_potential": case(allow={"theta": "axis too few"}, theta=w, scale=0.5),
        "expected_minimum": case(n_models=5, n_rows=10),
        "fold_residuals": case(S=smoother, y=y, folds=folds),
        "gcv_error": case(S=smoother, y=y),
        "get_scorer": case(allow={"model": "None, number, text"}, scoring="accuracy", model=ridge, then=lambda s: s.name),
        "grid_search": case(model=ridge, grid=grid, X=X, y=y, folds=3),
        "k_fold": case(n=12, k=3),
        "learning_curve": case(model=ridge, sizes=[4, 6], X=X, y=y, folds=3),
        "leave_one_out": case(n=4),
        "loo_shortcut": case(S=smoother, y=y),
        "nested_cross_validate": case(model=ridge, grid=grid, X=X, y=y, outer=3, inner=2),
        "parameter_grid": case(grid=grid),
        "ridge_filter": case(allow={"singular_values": "axis too few"}, singular_values=alphas, alpha=0.5),
        "ridge_loo": case(allow={"alphas": "axis too few"}, X=X, y=y, alphas=alphas),
        "shuffle_splits": case(n=12, n_splits=2),
        "stop_early": case(losses=np.array([3.0, 2.0, 2.5, 2.75]), patience=2),
        "stratified_k_fold": case(allow={"y": "text"}, y=labels, k=3),
        "validation_curve": case(model=ridge, name="alpha", values=[0.5, 1.0], X=X, y=y, folds=3),
    },
}
