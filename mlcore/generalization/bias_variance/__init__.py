"""Bias, variance, overfitting and double descent (chapter generalization/bias_variance)."""

from mlcore.generalization.bias_variance.decomposition import (
    Decomposition,
    degrees_of_freedom,
    expected_training_error,
    optimism,
    simulate_decomposition,
    smoother_decomposition,
)
from mlcore.generalization.bias_variance.double_descent import (
    MinNormRegression,
    RandomReLUFeatures,
    isotropic_risk,
    min_norm_solution,
    optimal_ridge,
    ridge_risk,
)
from mlcore.generalization.bias_variance.overfitting import error_terms, legendre_target, overfit_measure, target_weights
from mlcore.generalization.bias_variance.polynomials import (
    MAX_DEGREE,
    N_KNOTS,
    TRUTHS,
    legendre_features,
    polynomial_coefficients,
    polynomial_decomposition,
    polynomial_smoother,
    true_curve,
)

__all__ = [
    "MAX_DEGREE", "N_KNOTS", "TRUTHS", "Decomposition", "MinNormRegression", "RandomReLUFeatures", "degrees_of_freedom",
    "error_terms", "expected_training_error", "isotropic_risk", "legendre_features", "legendre_target", "min_norm_solution",
    "optimal_ridge", "optimism", "overfit_measure", "polynomial_coefficients", "polynomial_decomposition", "polynomial_smoother",
    "ridge_risk", "simulate_decomposition", "smoother_decomposition", "target_weights", "true_curve",
]
