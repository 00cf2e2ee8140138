"""Links between the mean and the score s = theta . x + offset: canonical ones come with the family, others by name."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import logit, ndtr, ndtri

from mlcore.base import check_option
from mlcore.foundations.mathematics import sigmoid
from mlcore.supervised.generalized_linear_models.families import Family
from mlcore.takes import takes


class Link(NamedTuple):
    """``link`` takes a mean to a score, ``response`` a score to a mean, ``slope`` is the derivative of the response.

    ``canonical`` says that the score is the natural parameter; then the log-likelihood is concave (thm-gl-concave).
    """

    name: str
    link: Callable
    response: Callable
    slope: Callable
    canonical: bool = False


def _normal_density(s):
    return np.exp(-0.5 * np.asarray(s, float) ** 2) / np.sqrt(2 * np.pi)


def _cloglog_response(s):
    return -np.expm1(-np.exp(np.minimum(s, 700.0)))


def _cloglog_slope(s):
    s = np.minimum(s, 700.0)
    return np.exp(s - np.exp(s))


def _bernoulli_slope(s):
    return sigmoid(s) * sigmoid(-np.asarray(s, float))


LINKS = {
    "identity": Link("identity", np.asarray, np.asarray, lambda s: np.ones_like(np.asarray(s, float))),
    "log": Link("log", np.log, np.exp, np.exp),
    "logit": Link("logit", logit, sigmoid, _bernoulli_slope),
    "probit": Link("probit", ndtri, ndtr, _normal_density),
    "cloglog": Link("cloglog", lambda mu: np.log(-np.log1p(-mu)), _cloglog_response, _cloglog_slope),
}


@takes(family=Family)
def canonical_link(family):
    """The link whose score is the natural parameter: response a', slope a'' (eq-gl-canonical).

    >>> from mlcore.supervised.generalized_linear_models.families import GAMMA
    >>> float(canonical_link(GAMMA).response(-0.25))
    4.0
    """
    return Link(family.canonical, family.natural, family.mean, lambda s: family.variance(family.mean(s)), canonical=True)


@takes(family=Family)
def find_link(link, family):
    """Turn None (canonical), a name or a :class:`Link` into a link.

    >>> from mlcore.supervised.generalized_linear_models.families import POISSON
    >>> find_link(None, POISSON).name, find_link("log", POISSON).canonical, find_link("identity", POISSON).canonical
    ('log', True, False)
    """
    if isinstance(link, Link):
        return link
    if link is None or isinstance(link, str) and link == family.canonical:
        return canonical_link(family)
    return LINKS[check_option(link, "link", (None, *LINKS, family.canonical))]


def inside(family, mu):
    """Whether every mean is one that the family can have."""
    return bool(((mu >= family.lower) & (mu <= family.upper)).all()) and bool(np.isfinite(mu).all())
