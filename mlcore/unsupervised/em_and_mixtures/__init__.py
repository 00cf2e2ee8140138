"""EM, Gaussian mixtures and factor analysis (chapter unsupervised/em_and_mixtures): all names importable from here."""

from mlcore.unsupervised.em_and_mixtures.components import (
    COVARIANCE_TYPES,
    MixtureParameters,
    MixturePrior,
    check_parameters,
    e_step,
    full_covariances,
    harden,
    log_joint,
    m_step,
    n_free_parameters,
)
from mlcore.unsupervised.em_and_mixtures.factor import (
    FactorAnalysis,
    best_loadings,
    factor_em_step,
    factor_log_likelihood,
    factor_posterior,
    scatter,
)
from mlcore.unsupervised.em_and_mixtures.general import EMResult, elbo, elbo_forms, jensen_gap, objective_step, run_em
from mlcore.unsupervised.em_and_mixtures.mixture import GaussianMixture, mixture_steps, starting_parameters

__all__ = [
    "COVARIANCE_TYPES", "EMResult", "FactorAnalysis", "GaussianMixture", "MixtureParameters", "MixturePrior",
    "best_loadings", "check_parameters", "e_step", "elbo", "elbo_forms", "factor_em_step", "factor_log_likelihood",
    "factor_posterior", "full_covariances", "harden", "jensen_gap", "log_joint", "m_step", "mixture_steps",
    "n_free_parameters", "objective_step", "run_em", "scatter", "starting_parameters",
]
