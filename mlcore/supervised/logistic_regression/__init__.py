"""Logistic and softmax regression: likelihood, gradient ascent, Newton's method, separable data, errors, calibration.

Functions take design matrices as they are; estimators add the intercept themselves.
"""

from mlcore.supervised.logistic_regression.calibration import Reliability, brier_score, reliability
from mlcore.supervised.logistic_regression.estimators import LogisticRegression, SoftmaxRegression
from mlcore.supervised.logistic_regression.likelihood import (
    ascent_limit,
    gradient_ascent,
    log_likelihood,
    log_likelihood_gradient,
    log_likelihood_hessian,
    logistic_loss,
    logit,
    stochastic_gradient_ascent,
)
from mlcore.supervised.logistic_regression.margins import (
    cross_entropy_error,
    hinge_error,
    perceptron_error,
    scaled_cross_entropy_error,
    squared_error,
    zero_one_error,
)
from mlcore.supervised.logistic_regression.multiclass import (
    cross_entropy_logit_gradient,
    cross_entropy_loss,
    one_hot,
    softmax_cost,
    softmax_cost_gradient,
    softmax_cost_hessian,
)
from mlcore.supervised.logistic_regression.newton import irls_step, newton_ascent, newton_root
from mlcore.supervised.logistic_regression.separation import separating_direction, separation

__all__ = [
    "LogisticRegression", "Reliability", "SoftmaxRegression", "ascent_limit", "brier_score", "cross_entropy_error",
    "cross_entropy_logit_gradient", "cross_entropy_loss", "gradient_ascent", "hinge_error", "irls_step", "log_likelihood",
    "log_likelihood_gradient", "log_likelihood_hessian", "logistic_loss", "logit", "newton_ascent", "newton_root", "one_hot",
    "perceptron_error", "reliability", "scaled_cross_entropy_error", "separating_direction", "separation", "softmax_cost",
    "softmax_cost_gradient", "softmax_cost_hessian", "squared_error", "stochastic_gradient_ascent", "zero_one_error",
]
