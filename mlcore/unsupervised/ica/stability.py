"""Which sources a prior can separate: the local stability of the natural gradient at a separating matrix."""

import numpy as np
from scipy.optimize import brentq

from mlcore.base import check_array, check_option
from mlcore.takes import takes

PRIORS = ("logistic", "super", "sub")


def prior_score(y, prior):
    """Score phi = (log p)' of one prior and its derivative: logistic, or -y - tanh y ("super"), -y + tanh y ("sub")."""
    if check_option(prior, "prior", PRIORS) == "logistic":
        t = np.tanh(y / 2)  # 2 g(y) - 1
        return -t, -(1 - t**2) / 2
    sign = 1.0 if prior == "super" else -1.0
    t = np.tanh(y)
    return -y - sign * t, -1 - sign * (1 - t**2)


def equilibrium_scale(s, prior="logistic"):
    """The c > 0 with E[-phi(c s) c s] = 1: the scale at which the likelihood leaves a separated source (eq-ic-scale).

    >>> round(equilibrium_scale([-1.0, 1.0]), 4)   # c tanh(c/2) = 1
    1.5434
    """
    s = _source(s)
    unit = np.abs(s).max()                                   # c is found for a source of size 1
    s = s / unit

    def excess(c):
        return np.mean(-prior_score(c * s, prior)[0] * c * s) - 1

    high = 1.0
    while excess(high) < 0:
        high *= 2
    return float(brentq(excess, 0.0, high, xtol=1e-13) / unit)


def stability_index(s, prior="logistic"):
    """m = E[-phi'(y)] E[y^2] at the equilibrium scale y = c s (eq-ic-index); sources i, j separate if m_i m_j > 1.

    It is 1 for a Gaussian source, whatever the prior.

    >>> round(stability_index([-1.0, 1.0]), 3), round(stability_index([-1.0, 1.0], "sub"), 3)
    (0.691, 2.03)
    """
    y = equilibrium_scale(s, prior) * _source(s)
    return float(np.mean(-prior_score(y, prior)[1]) * np.mean(y**2))


@takes(Y="n k")
def switching_signs(Y):
    """Sign of E[sech^2 y] E[y^2] - E[y tanh y] for each column: +1 takes the prior "super", -1 "sub" (eq-ic-switch).

    >>> switching_signs(np.array([[-1.0], [1.0]]))
    array([-1.])
    """
    T = np.tanh(Y)
    margin = (1 - (T**2).mean(axis=0)) * (Y**2).mean(axis=0) - (Y * T).mean(axis=0)
    return np.where(margin >= 0, 1.0, -1.0)


def _source(s):
    """A centered sample that is not constant."""
    s = check_array(s, name="s", ndim=1, min_samples=2)
    s = s - s.mean()
    if not np.abs(s).max() > 0:
        raise ValueError("s is constant; a source has to vary.")
    return s
