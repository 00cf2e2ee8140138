"""Exponential families of one real target, with a dispersion: log-partition, moments, densities, deviances, samples.

Each family is p(y; eta, phi) = b(y, phi) exp((eta y - a(eta)) / phi) (eq-gl-dispersion). Its mean is a'(eta) and its variance
phi a''(eta) (thm-gl-moments); written as a function of the mean, a'' is the variance function V(mu).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import gammaln, logit, xlogy

from mlcore.base import check_array, check_rng
from mlcore.foundations.mathematics import logsumexp, sigmoid
from mlcore.takes import takes

TINY = np.finfo(float).tiny


@dataclass(frozen=True, eq=False)
class Family:
    """What a generalized linear model needs to know about the distribution of y; functions of arrays.

    ``log_partition`` is a(eta), infinite outside the natural parameter set; ``mean`` is a'(eta), ``natural`` its inverse,
    ``variance`` is V(mu) = a''(eta(mu)) (eq-gl-variance); ``base`` is log b(y, phi); ``saturated`` is the largest value that
    eta y - a(eta) takes for a given y; ``unit_deviance`` is twice the distance from it (eq-gl-deviance).
    ``lower`` and ``upper`` bound the mean, ``attained`` names the bounds that a target may equal; ``canonical`` is the name of
    the link that makes the score the natural parameter; ``fixed_dispersion`` is 1, or None where phi must be estimated.

    >>> poisson = find_family("poisson")
    >>> float(poisson.mean(0.0)), round(float(np.exp(poisson.log_density(2, np.log(3.0)))), 4)
    (1.0, 0.224)
    """

    name: str
    canonical: str
    log_partition: Callable
    mean: Callable
    natural: Callable
    variance: Callable
    base: Callable
    saturated: Callable
    unit_deviance: Callable
    draw: Callable
    wanted: str
    lower: float = -np.inf
    upper: float = np.inf
    attained: tuple = ()
    fixed_dispersion: float | None = None

    def log_density(self, y, eta, dispersion=1.0):
        """log p(y; eta, phi) (eq-gl-dispersion)."""
        y, eta = np.asarray(y, float), np.asarray(eta, float)
        return (eta * y - self.log_partition(eta)) / dispersion + self.base(y, dispersion)

    def sample(self, mu, dispersion=1.0, rng=None):
        """Draw one y for each mean."""
        return self.draw(np.asarray(mu, float), dispersion, check_rng(rng)).astype(float)

    def check_targets(self, y):
        """Return y as finite floats in the range of the family, or say which value is not."""
        y = check_array(y, name="y", ndim=1)
        low = y >= self.lower if self.lower in self.attained else y > self.lower
        high = y <= self.upper if self.upper in self.attained else y < self.upper
        if not (low & high).all():
            row = int(np.argmin(low & high))
            raise ValueError(f"a {self.name} model needs {self.wanted}; y[{row}] is {y[row]:g}.")
        return y

    def __repr__(self):
        """The name; all else follows from it."""
        return f"<{self.name} family>"


GAUSSIAN = Family(  # N(mu, phi); the dispersion is the variance
    "Gaussian", "identity",
    log_partition=lambda eta: 0.5 * eta**2,
    mean=lambda eta: eta,
    natural=lambda mu: mu,
    variance=lambda mu: np.ones_like(mu, dtype=float),
    base=lambda y, phi: -0.5 * (y**2 / phi + np.log(2 * np.pi * phi)),
    saturated=lambda y: 0.5 * y**2,
    unit_deviance=lambda y, mu: (y - mu) ** 2,
    draw=lambda mu, phi, rng: rng.normal(mu, np.sqrt(phi)),
    wanted="finite numbers",
)


def _bernoulli_deviance(y, mu):
    mu = np.clip(mu, TINY, 1 - 1e-16)
    return 2 * (xlogy(y, y / mu) + xlogy(1 - y, (1 - y) / (1 - mu)))


BERNOULLI = Family(  # P(y = 1) = mu; a share y of m trials is a target too, with the weight m (a binomial count)
    "Bernoulli", "logit",
    log_partition=lambda eta: np.logaddexp(0.0, eta),
    mean=sigmoid,
    natural=logit,
    variance=lambda mu: mu * (1 - mu),
    base=lambda y, phi: np.zeros_like(y),
    saturated=lambda y: xlogy(y, y) + xlogy(1 - y, 1 - y),
    unit_deviance=_bernoulli_deviance,
    draw=lambda mu, phi, rng: rng.random(mu.shape) < mu,
    wanted="targets 0 and 1 (or shares between them)",
    lower=0.0, upper=1.0, attained=(0.0, 1.0), fixed_dispersion=1.0,
)


def _poisson_deviance(y, mu):
    mu = np.maximum(mu, TINY)
    return 2 * (xlogy(y, y / mu) - (y - mu))


POISSON = Family(  # P(y) = mu^y e^-mu / y!
    "Poisson", "log",
    log_partition=np.exp,
    mean=np.exp,
    natural=np.log,
    variance=lambda mu: mu,
    base=lambda y, phi: -gammaln(y + 1),
    saturated=lambda y: xlogy(y, y) - y,
    unit_deviance=_poisson_deviance,
    draw=lambda mu, phi, rng: rng.poisson(mu),
    wanted="counts >= 0",
    lower=0.0, attained=(0.0,), fixed_dispersion=1.0,
)


def _gamma_deviance(y, mu):
    ratio = y / np.maximum(mu, TINY)
    return 2 * (ratio - 1 - np.log(ratio))


GAMMA = Family(  # mean mu and shape 1 / phi; phi = 1 is the exponential law
    "gamma", "negative inverse",
    log_partition=lambda eta: np.where(eta < 0, -np.log(np.where(eta < 0, -eta, 1.0)), np.inf),
    mean=lambda eta: -1 / eta,
    natural=lambda mu: -1 / mu,
    variance=lambda mu: mu**2,
    base=lambda y, phi: (1 / phi - 1) * np.log(y) - np.log(phi) / phi - gammaln(1 / phi),
    saturated=lambda y: -1 - np.log(y),
    unit_deviance=_gamma_deviance,
    draw=lambda mu, phi, rng: rng.gamma(1 / phi, phi * mu),
    wanted="targets > 0 (zeros have no density; see tweedie)",
    lower=0.0,
)


@takes(power="number > 1 < 2")
@lru_cache(maxsize=64)
def tweedie(power=1.5):
    """The family with V = mu^power for 1 < power < 2: a Poisson number of gamma amounts, so that y is 0 or positive (eq-gl-tweedie).

    >>> float(tweedie(1.5).variance(4.0)), tweedie(1.5) is tweedie(1.5)
    (8.0, True)
    """
    p = power

    def mean(eta):
        return np.where(eta < 0, (1 - p) * np.where(eta < 0, eta, -1.0), np.nan) ** (1 / (1 - p))

    def log_partition(eta):
        return np.where(eta < 0, mean(eta) ** (2 - p) / (2 - p), np.inf)

    def saturated(y):
        return y ** (2 - p) / ((1 - p) * (2 - p))

    def unit_deviance(y, mu):
        mu = np.maximum(mu, TINY)
        power = mu ** (1 - p)  # a power costs ten times as much as a product
        return 2 * (saturated(y) - y * power / (1 - p) + mu * power / (2 - p))

    def compound(mu, phi):
        """Rate of the Poisson number, shape and scale of one amount."""
        return mu ** (2 - p) / (phi * (2 - p)), (2 - p) / (p - 1), phi * (p - 1) * mu ** (p - 1)

    def base(y, phi):
        # b does not depend on eta: read it off the compound density at mu = 1, summed over the number of amounts.
        rate, shape, scale = compound(1.0, phi)
        center = np.maximum(y, 1.0).max() ** (2 - p) / (phi * (2 - p))  # near the largest term for the largest y
        k = np.arange(1, int(center + 20 * np.sqrt(center) + 50))
        amount = np.where(y > 0, y, 1.0)[..., None]
        terms = (k * np.log(rate) - gammaln(k + 1) - gammaln(k * shape) - k * shape * np.log(scale)
                 + (k * shape - 1) * np.log(amount) - amount / scale)
        eta = 1 / (1 - p)
        return np.where(y > 0, logsumexp(terms, axis=-1), 0.0) - rate - (eta * y - 1 / (2 - p)) / phi

    def draw(mu, phi, rng):
        rate, shape, scale = compound(mu, phi)
        amounts = rng.poisson(rate)
        return np.where(amounts > 0, rng.gamma(np.maximum(amounts, 1) * shape, scale), 0.0)

    return Family(
        f"Tweedie({p:g})", "power", log_partition, mean, lambda mu: mu ** (1 - p) / (1 - p), lambda mu: mu**p,
        base, saturated, unit_deviance, draw, "amounts >= 0", lower=0.0, attained=(0.0,),
    )


FAMILIES = {"gaussian": GAUSSIAN, "bernoulli": BERNOULLI, "poisson": POISSON, "gamma": GAMMA}


def find_family(family):
    """Turn a name or a :class:`Family` into a family.

    >>> find_family("poisson"), find_family(tweedie(1.2))
    (<Poisson family>, <Tweedie(1.2) family>)
    """
    if isinstance(family, Family):
        return family
    if not isinstance(family, str) or family not in FAMILIES:
        raise ValueError(f"family must be one of {', '.join(map(repr, FAMILIES))} or a Family such as tweedie(1.5); got {family!r}.")
    return FAMILIES[family]
