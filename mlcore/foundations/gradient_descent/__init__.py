"""Gradient descent and its relatives: the optimizers, line search, Newton's method, schedules, stochastic noise.

The later chapters take their optimizers from here. An optimizer changes lists of arrays in place; ``minimize``
and ``newton`` work on one array and return a :class:`Result`.
"""

from mlcore.foundations.gradient_descent.descent import Result, backtracking, minimize, newton
from mlcore.foundations.gradient_descent.noise import (
    StochasticRun,
    batch_covariance,
    minibatches,
    noise_floor,
    stationary_covariance,
    stochastic_minimize,
)
from mlcore.foundations.gradient_descent.optimizers import SGD, Adadelta, Adagrad, Adam, AdamW, Optimizer, RMSProp
from mlcore.foundations.gradient_descent.quadratics import Quadratic, best_momentum, best_step, contraction, step_limit
from mlcore.foundations.gradient_descent.schedules import (
    cosine_decay,
    exponential_decay,
    inverse_decay,
    square_root_decay,
    step_decay,
    warmup,
)

__all__ = [
    "SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Optimizer", "Quadratic", "RMSProp", "Result", "StochasticRun",
    "backtracking", "batch_covariance", "best_momentum", "best_step", "contraction", "cosine_decay", "exponential_decay",
    "inverse_decay", "minibatches", "minimize", "newton", "noise_floor", "square_root_decay", "stationary_covariance",
    "step_decay", "step_limit", "stochastic_minimize", "warmup",
]
