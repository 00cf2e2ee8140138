"""How far a frequency strays from its probability: Hoeffding's bound, the exact binomial tail, the bin model."""

import math

import numpy as np
from scipy.stats import binom

from mlcore.base import check_number, check_rng
from mlcore.takes import takes

TIE = 1e-9        # a deviation of exactly eps is not "more than eps", whatever the last bit of mu + eps says


@takes()
def hoeffding_bound(n, eps, n_hypotheses=1, width=1.0):
    """Bound on P(some |E_in(h) - E_out(h)| > eps): 2 M exp(-2 n eps^2 / width^2), eq-lt-hoeffding and eq-lt-union.

    ``width`` is the length of the interval that holds the errors of single examples (1 for right or wrong). The
    value may exceed 1; then it says nothing.

    >>> round(hoeffding_bound(100, 0.1), 4), round(hoeffding_bound(10, 0.1), 3)
    (0.2707, 1.637)
    """
    _check_sizes(n, n_hypotheses, width)
    check_number(eps, "eps", low=0)
    exponent = math.log(2) + math.log(n_hypotheses) - 2 * n * (eps / width) ** 2
    return math.exp(exponent) if exponent < 700 else math.inf


@takes()
def hoeffding_radius(n, delta, n_hypotheses=1, width=1.0):
    """The error bar width * sqrt(log(2 M / delta) / (2 n)) that holds with probability 1 - delta, eq-lt-bar.

    >>> round(hoeffding_radius(1000, 0.05), 4), round(hoeffding_radius(1000, 0.05, n_hypotheses=100), 4)
    (0.0429, 0.0644)
    """
    _check_sizes(n, n_hypotheses, width)
    _check_delta(delta)
    return width * math.sqrt((math.log(2 / delta) + math.log(n_hypotheses)) / (2 * n))


@takes()
def hoeffding_sample_size(eps, delta, n_hypotheses=1, width=1.0):
    """Smallest n with 2 M exp(-2 n eps^2 / width^2) <= delta, eq-lt-samples.

    >>> [hoeffding_sample_size(0.05, 0.05, M) for M in (1, 100, 10**4, 10**6)]
    [738, 1659, 2580, 3501]
    """
    _check_sizes(1, n_hypotheses, width)
    check_number(eps, "eps", low=0, open_low=True)
    _check_delta(delta)
    return max(1, math.ceil((math.log(2 / delta) + math.log(n_hypotheses)) / (2 * (eps / width) ** 2)))


@takes()
def binomial_tail(n, eps, mu):
    """Exact P(|nu - mu| > eps) for the frequency nu of n independent draws with success probability mu.

    >>> round(binomial_tail(10, 0.3, 0.5), 4), 22 / 1024
    (0.0215, 0.021484375)
    """
    _check_sizes(n, 1, 1.0)
    eps = min(check_number(eps, "eps", low=0), 2.0)        # no frequency is farther than 1 from mu
    check_number(mu, "mu", low=0, high=1)
    low = math.ceil(n * (mu - eps) - TIE * n) - 1          # the largest count that is too small
    high = math.floor(n * (mu + eps) + TIE * n)            # the largest count that is not too large
    return float(binom.cdf(low, n, mu) + binom.sf(high, n, mu))


def bin_model(mu, n, trials, rng=None):
    """Frequencies of red balls in ``trials`` samples of n balls from a bin with the share mu of red ones.

    >>> bin_model(0.5, 10, 3, rng=0)
    array([0.6, 0.4, 0.2])
    """
    _check_sizes(n, 1, 1.0)
    check_number(mu, "mu", low=0, high=1)
    check_number(trials, "trials", low=1, integer=True)
    return check_rng(rng).binomial(n, mu, size=trials) / n


def coin_experiment(n_coins, n_tosses, trials, rng=None):
    """Toss many fair coins; return the share of heads of the first coin and of the coin with the fewest heads, per trial.

    >>> first, fewest = coin_experiment(n_coins=1000, n_tosses=10, trials=5, rng=0)
    >>> bool((fewest <= first).all())
    True
    """
    _check_sizes(n_tosses, n_coins, 1.0)
    check_number(trials, "trials", low=1, integer=True)
    heads = check_rng(rng).binomial(n_tosses, 0.5, size=(trials, n_coins)) / n_tosses
    return heads[:, 0], heads.min(axis=1)


def sup_gap_of_rays(n, trials, flip=0.0, rng=None):
    """Largest |E_in(a) - E_out(a)| over all positive rays a, in ``trials`` samples of size n (exact, no grid).

    Inputs are uniform on [0, 1], the target is the ray that begins at 1/2, and each label is flipped with probability ``flip``.
    """
    _check_sizes(n, 1, 1.0)
    check_number(trials, "trials", low=1, integer=True)
    check_number(flip, "flip", low=0, high=1)
    x, positive = _sorted_sample(n, trials, flip, check_rng(rng))
    E_in = _errors_of_rays(positive, np.ones_like(x)) / n
    edges = np.concatenate([np.zeros((trials, 1)), x, np.ones((trials, 1))], axis=1)
    gap = np.zeros(trials)
    for a in (edges[:, :-1], edges[:, 1:], np.clip(0.5, edges[:, :-1], edges[:, 1:])):
        E_out = flip + (1 - 2 * flip) * np.abs(a - 0.5)    # piecewise linear, so extreme at the ends or at its kink 1/2
        gap = np.maximum(gap, np.abs(E_in - E_out).max(axis=1))
    return gap


def ghost_gap_of_rays(n, trials, flip=0.0, rng=None):
    """Largest |E_in(a) - E'_in(a)| over all positive rays a between a sample and a ghost sample of size n, eq-lt-ghost.

    The examples are those of :func:`sup_gap_of_rays`: 2n are drawn, and chance decides which n of them are the sample.
    """
    _check_sizes(n, 1, 1.0)
    check_number(trials, "trials", low=1, integer=True)
    check_number(flip, "flip", low=0, high=1)
    rng = check_rng(rng)
    _, positive = _sorted_sample(2 * n, trials, flip, rng)
    sign = rng.permuted(np.tile(np.repeat([1, -1], n), (trials, 1)), axis=1)
    return np.abs(_errors_of_rays(positive, sign)).max(axis=1) / n


def _sorted_sample(n, trials, flip, rng):
    """Sorted uniform inputs and noisy labels (True for +1) of the ray that begins at 1/2; both (trials, n)."""
    x = np.sort(rng.uniform(size=(trials, n)), axis=1)
    return x, (x >= 0.5) != (rng.uniform(size=(trials, n)) < flip)


def _errors_of_rays(positive, weight):
    """Total weight of the wrong examples for a threshold in each gap of the sorted examples: (trials, n + 1)."""
    below_all = (weight * ~positive).sum(axis=1, keepdims=True)               # everything is called positive
    change = np.cumsum(np.where(positive, weight, -weight), axis=1)           # the threshold passes one example after another
    return below_all + np.concatenate([np.zeros_like(below_all), change], axis=1)


def _check_sizes(n, n_hypotheses, width):
    check_number(n, "n", low=1, integer=True)
    check_number(n_hypotheses, "n_hypotheses", low=1, integer=True)
    check_number(width, "width", low=0, open_low=True)


def _check_delta(delta):
    check_number(delta, "delta", low=0, high=1, open_low=True, open_high=True)
