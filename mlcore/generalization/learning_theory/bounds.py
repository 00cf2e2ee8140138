"""The bounding function, Sauer's lemma and the VC bound with its sample sizes."""

import itertools
import math
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, logsumexp

from mlcore.base import check_number, check_option
from mlcore.takes import takes

GROWTH_FORMS = ("polynomial", "sauer")


def bounding_table(n_max, k_max):
    """B(n, k) for n = 1..n_max, k = 1..k_max by B(n, k) = B(n-1, k) + B(n-1, k-1), eq-lt-recursion.

    Row n - 1, column k - 1; the first column is 1, and one point has 2 labelings, of which k = 1 allows one.

    >>> bounding_table(3, 3).tolist()
    [[1, 2, 2], [1, 3, 4], [1, 4, 7]]
    """
    check_number(n_max, "n_max", low=1, high=60, integer=True)
    check_number(k_max, "k_max", low=1, integer=True)
    B = np.ones((n_max, k_max), dtype=np.int64)
    B[0, 1:] = 2
    for n in range(1, n_max):
        B[n, 1:] = B[n - 1, 1:] + B[n - 1, :-1]
    return B


def sauer_sum(n, d):
    """Number of subsets of at most d of n things, sum of binomials up to d: Sauer's bound, eq-lt-sauer, with d = k - 1.

    >>> sauer_sum(10, 3), sauer_sum(3, 5)
    (176, 8)
    """
    check_number(n, "n", low=0, integer=True)
    check_number(d, "d", low=0, integer=True)
    return sum(math.comb(n, i) for i in range(min(d, n) + 1))


def perceptron_growth(n, d):
    """Cover's number of dichotomies of n points in general position by hyperplanes in d dimensions: 2 sum_{i<=d} C(n-1, i).

    >>> [perceptron_growth(n, 2) for n in range(1, 9)]
    [2, 4, 8, 14, 22, 32, 44, 58]
    """
    check_number(n, "n", low=1, integer=True)
    return 2 * sauer_sum(n - 1, d)


def largest_family(n, k):
    """B(n, k) by brute force: try every one of the 2^(2^n) families of labelings of n points (n at most 4).

    >>> largest_family(3, 2)
    4
    """
    check_number(n, "n", low=1, high=4, integer=True)
    check_number(k, "k", low=1, integer=True)
    families = np.arange(2 ** (2**n), dtype=np.int64)      # bit r of a family: labeling number r belongs to it
    allowed = np.ones(len(families), dtype=bool)
    for points in itertools.combinations(range(n), k):
        shattered = np.ones(len(families), dtype=bool)
        for pattern in itertools.product((0, 1), repeat=k):
            with_pattern = sum(1 << r for r in range(2**n) if all((r >> p) & 1 == b for p, b in zip(points, pattern)))
            shattered &= (families & with_pattern) != 0
        allowed &= ~shattered
    return int(np.bitwise_count(families[allowed]).max())


def log_growth_bound(n, d_vc, growth="polynomial"):
    """Logarithm of a bound on the growth function: log(n^d + 1) ("polynomial") or Sauer's sum ("sauer").

    >>> round(math.exp(log_growth_bound(10, 3))), round(math.exp(log_growth_bound(10, 3, "sauer")))
    (1001, 176)
    """
    check_number(n, "n", low=1, integer=True)
    check_number(d_vc, "d_vc", low=0, integer=True)
    check_option(growth, "growth", GROWTH_FORMS)
    if growth == "polynomial":
        return float(np.logaddexp(d_vc * math.log(n), 0.0))
    i = np.arange(min(d_vc, n) + 1)
    return float(logsumexp(gammaln(n + 1) - gammaln(i + 1) - gammaln(n - i + 1)))


@takes()
def vc_probability(n, eps, d_vc, growth="polynomial"):
    """The right side 4 m(2n) exp(-n eps^2 / 8) of the VC inequality, eq-lt-vc; may exceed 1."""
    check_number(n, "n", low=1, integer=True)
    check_number(eps, "eps", low=0)
    exponent = math.log(4) + log_growth_bound(2 * n, d_vc, growth) - n * eps**2 / 8
    return math.exp(exponent) if exponent < 700 else math.inf


@takes()
def vc_radius(n, d_vc, delta, growth="polynomial"):
    """The penalty sqrt(8/n log(4 m(2n) / delta)) that holds with probability 1 - delta, eq-lt-vc-bar.

    >>> [round(vc_radius(n, 3, 0.1), 4) for n in (100, 1000, 10_000, 100_000)]
    [1.2517, 0.4604, 0.1635, 0.0568]
    """
    check_number(n, "n", low=1, integer=True)
    check_number(delta, "delta", low=0, high=1, open_low=True, open_high=True)
    return math.sqrt(8 / n * (math.log(4 / delta) + log_growth_bound(2 * n, d_vc, growth)))


class SampleSize(NamedTuple):
    """The smallest sample size ``n``, and the iterates ``path`` of the fixed-point equation that led to it."""

    n: int
    path: tuple


@takes()
def vc_sample_size(eps, delta, d_vc, growth="polynomial"):
    """Smallest n with n >= 8/eps^2 log(4 m(2n) / delta), eq-lt-vc-samples, where n stands on both sides.

    The right side grows like log n. Iterated from a point above the solution it decreases to the fixed point.

    >>> vc_sample_size(0.1, 0.1, 3).n            # the equation itself is solved by n = 29299.4
    29300
    """
    check_number(eps, "eps", low=0, open_low=True)
    check_number(delta, "delta", low=0, high=1, open_low=True, open_high=True)

    def needed(n):
        return math.ceil(8 / eps**2 * (math.log(4 / delta) + log_growth_bound(2 * n, d_vc, growth)))

    n = needed(1)
    while needed(n) > n:
        n *= 2
    path = [n]
    while needed(n) < n:
        n = needed(n)
        path.append(n)
    while n > 1 and needed(n - 1) <= n - 1:                # rounding up may have stopped the descent one step early
        n -= 1
    return SampleSize(n, tuple(path))


@takes(dimensions="list")
def union_vc_bound(dimensions):
    """Upper bound K - 1 + sum d_k on the VC dimension of a union of K classes, eq-lt-union-dimension.

    >>> union_vc_bound([0, 0]), union_vc_bound([1, 1]), union_vc_bound([3])
    (1, 3, 3)
    """
    dimensions = list(dimensions)
    if not dimensions:
        raise ValueError("dimensions is empty; the VC dimensions of at least one class are needed.")
    for d in dimensions:
        check_number(d, "each VC dimension", low=0, integer=True)
    return len(dimensions) - 1 + sum(dimensions)
