"""Generalized linear models: exponential families, links, Fisher scoring (IRLS), diagnostics; softmax regression as a GLM.

Functions take design matrices as they are; estimators add the intercept themselves.
"""

from mlcore.supervised.generalized_linear_models.categorical import (
    categorical_cost,
    categorical_covariance,
    categorical_gradient,
    categorical_information,
    categorical_log_partition,
    categorical_mean,
    categorical_natural,
    sufficient_statistic,
)
from mlcore.supervised.generalized_linear_models.diagnostics import (
    Overdispersion,
    deviance,
    deviance_residuals,
    goodness_of_fit,
    overdispersion_test,
    pearson_dispersion,
    pearson_residuals,
)
from mlcore.supervised.generalized_linear_models.estimators import CategoricalGLM, GeneralizedLinearModel
from mlcore.supervised.generalized_linear_models.existence import runaway_direction
from mlcore.supervised.generalized_linear_models.families import (
    BERNOULLI,
    FAMILIES,
    GAMMA,
    GAUSSIAN,
    POISSON,
    Family,
    find_family,
    tweedie,
)
from mlcore.supervised.generalized_linear_models.links import LINKS, Link, canonical_link, find_link
from mlcore.supervised.generalized_linear_models.scoring import Problem, fisher_scoring, irls_step

__all__ = [
    "BERNOULLI", "FAMILIES", "GAMMA", "GAUSSIAN", "LINKS", "POISSON", "CategoricalGLM", "Family", "GeneralizedLinearModel", "Link",
    "Overdispersion", "Problem", "canonical_link", "categorical_cost", "categorical_covariance", "categorical_gradient",
    "categorical_information", "categorical_log_partition", "categorical_mean", "categorical_natural", "deviance",
    "deviance_residuals", "find_family", "find_link", "fisher_scoring", "goodness_of_fit", "irls_step", "overdispersion_test",
    "pearson_dispersion", "pearson_residuals", "runaway_direction", "sufficient_statistic", "tweedie",
]
