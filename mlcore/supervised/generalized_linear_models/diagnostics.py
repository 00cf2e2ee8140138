"""How well does a generalized linear model fit? Residuals, dispersion, and a test for more variance than a Poisson law has."""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr
from scipy.stats import chi2

from mlcore.base import check_array, check_number
from mlcore.supervised.generalized_linear_models.families import find_family
from mlcore.takes import takes


def deviance(y, mu, family="poisson", weights=None):
    """Sum of w d(y, mu) (eq-gl-deviance).

    >>> round(deviance([1.0, 3.0], [2.0, 2.0]), 4)
    1.0465
    """
    y, mu, family, weights = _checked(y, mu, family, weights)
    return float(weights @ family.unit_deviance(y, mu))


def deviance_residuals(y, mu, family="poisson", weights=None):
    """sign(y - mu) sqrt(w d(y, mu)); their squares sum to the deviance (eq-gl-residuals)."""
    y, mu, family, weights = _checked(y, mu, family, weights)
    return np.sign(y - mu) * np.sqrt(np.maximum(weights * family.unit_deviance(y, mu), 0.0))


def pearson_residuals(y, mu, family="poisson", weights=None):
    """(y - mu) sqrt(w / V(mu)) (eq-gl-residuals)."""
    y, mu, family, weights = _checked(y, mu, family, weights)
    return (y - mu) * np.sqrt(weights / family.variance(mu))


def pearson_dispersion(y, mu, family, n_parameters, weights=None):
    """Pearson's estimate of phi: the sum of squared Pearson residuals over n - p (eq-gl-pearson).

    >>> round(pearson_dispersion([1.0, 2.0, 3.0], [2.0, 2.0, 2.0], "gaussian", 1), 6)
    1.0
    """
    r = pearson_residuals(y, mu, family, weights)
    rows = len(r) if weights is None else int((np.asarray(weights) > 0).sum())
    check_number(n_parameters, "n_parameters", low=0, integer=True)
    if n_parameters >= rows:
        raise ValueError(f"{rows} rows leave no freedom to estimate a dispersion beside {n_parameters} parameters.")
    return float(r @ r / (rows - n_parameters))


@takes(statistic="number >= 0", freedom="number > 0")
def goodness_of_fit(statistic, freedom):
    """Probability that chi-squared with ``freedom`` degrees exceeds ``statistic`` (a deviance or Pearson's sum).

    >>> round(goodness_of_fit(3.8415, 1), 4)
    0.05
    """
    check_number(freedom, "freedom", low=1, integer=True)
    return float(chi2.sf(statistic, freedom))


class Overdispersion(NamedTuple):
    """``statistic`` is standard normal for Poisson counts; ``p_value`` is the chance of so large a value."""

    statistic: float
    p_value: float


def overdispersion_test(y, mu, leverage=0.0):
    """Score test of Poisson counts against the variance mu + tau mu^2 (eq-gl-score-test).

    sum((y - mu)^2 - y + h mu) / sqrt(2 sum mu^2), where the leverages h of the rows (their sum is the number of parameters)
    make up for what fitting has taken off the residuals; leave them out when mu was not fitted to these counts.

    >>> round(overdispersion_test([0, 10, 0, 10], [5.0, 5.0, 5.0, 5.0]).statistic, 3)
    5.657
    """
    y, mu, _, _ = _checked(y, mu, "poisson", None)
    leverage = check_array(leverage, name="leverage", ndim=None)
    if leverage.shape not in ((), mu.shape):
        raise ValueError(f"leverage must be a number or hold one for each of the {len(mu)} rows, got shape {leverage.shape}.")
    statistic = np.sum((y - mu) ** 2 - y + leverage * mu) / np.sqrt(2 * np.sum(mu**2))
    return Overdispersion(float(statistic), float(ndtr(-statistic)))


def _checked(y, mu, family, weights):
    """Targets of the family, means of the same number inside its range, weights."""
    family = find_family(family)
    y, mu = family.check_targets(y), check_array(mu, name="mu", ndim=1)
    if len(y) != len(mu):
        raise ValueError(f"y has {len(y)} values, but mu has {len(mu)}; they must agree.")
    if not ((mu > family.lower) & (mu < family.upper)).all():
        raise ValueError(f"mu must lie strictly between {family.lower:g} and {family.upper:g} for a {family.name} model.")
    return y, mu, family, np.ones(len(y)) if weights is None else np.asarray(weights, float)
