"""Linear regression: LMS, least squares, robust losses, reliability, locally weighted regression.

Design matrices have one row per example; functions take them as they are, estimators add the intercept themselves.
"""

from mlcore.foundations.gradient_descent import inverse_decay
from mlcore.supervised.linear_regression.descent import (
    Descent,
    LMSRegression,
    Standardizer,
    add_intercept,
    batch_gradient_descent,
    lms_step,
    max_stable_step,
    squared_cost,
    squared_cost_gradient,
    stochastic_gradient_descent,
)
from mlcore.supervised.linear_regression.least_squares import (
    LinearRegression,
    normal_equations,
    qr_least_squares,
    svd_least_squares,
    weighted_least_squares,
)
from mlcore.supervised.linear_regression.local import LocallyWeightedRegression, gaussian_weights, local_linear_fit
from mlcore.supervised.linear_regression.noise import (
    ExpectedErrors,
    expected_errors,
    gaussian_log_likelihood,
    gaussian_mle,
    hat_matrix,
    simulate_errors,
)
from mlcore.supervised.linear_regression.robust import (
    RobustRegression,
    absolute_loss,
    huber_loss,
    huber_weights,
    irls,
    squared_loss,
)

__all__ = [
    "Descent", "ExpectedErrors", "LMSRegression", "LinearRegression", "LocallyWeightedRegression", "RobustRegression",
    "Standardizer", "absolute_loss", "add_intercept", "batch_gradient_descent", "expected_errors",
    "gaussian_log_likelihood", "gaussian_mle", "gaussian_weights", "hat_matrix", "huber_loss", "huber_weights",
    "inverse_decay", "irls", "lms_step", "local_linear_fit", "max_stable_step", "normal_equations",
    "qr_least_squares", "simulate_errors", "squared_cost", "squared_cost_gradient", "squared_loss",
    "stochastic_gradient_descent", "svd_least_squares", "weighted_least_squares",
]
