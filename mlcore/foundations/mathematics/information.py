"""Entropy, Kullback-Leibler divergence and mutual information of discrete distributions, in nats."""

import numpy as np

from mlcore.base import check_array, check_number
from mlcore.foundations.mathematics.stable import check_axis


def entropy(p, axis=-1, base=None):
    """Entropy -sum p log p along ``axis``, with 0 log 0 = 0 (eq-ma-entropy); ``base=2`` gives bits.

    >>> float(entropy([0.5, 0.25, 0.25], base=2))
    1.5
    """
    p = check_distribution(p, "p", axis)
    return _finish(-(p * _log(p)).sum(axis=axis) + 0.0, base)  # + 0.0 turns -0.0 into 0.0


def cross_entropy(p, q, axis=-1, base=None):
    """Cross-entropy -sum p log q along ``axis``; infinite if q is 0 where p is not (eq-ma-kl).

    >>> float(cross_entropy([1.0, 0.0], [0.5, 0.5], base=2))
    1.0
    """
    return entropy(p, axis, base) + kl_divergence(p, q, axis, base)


def kl_divergence(p, q, axis=-1, base=None):
    """Kullback-Leibler divergence sum p log(p / q) along ``axis``; infinite if q is 0 where p is not (eq-ma-kl).

    >>> float(kl_divergence([1.0, 0.0], [0.5, 0.5], base=2))
    1.0
    """
    p, q = check_distribution(p, "p", axis), check_distribution(q, "q", axis)
    try:
        p, q = np.broadcast_arrays(p, q)
    except ValueError:
        raise ValueError(f"p and q must have matching shapes, got {p.shape} and {q.shape}.") from None
    terms = p * (_log(p) - _log(q))
    total = np.where((p > 0) & (q == 0), np.inf, terms).sum(axis=axis)
    return _finish(np.maximum(total, 0.0), base)  # rounding may leave -1e-17 for p = q


def conditional_entropy(joint, base=None):
    """Entropy of y given x, sum_x p(x) H(p(y | x)), of a table p(x, y) with x along the rows (eq-ma-conditional-entropy).

    >>> float(conditional_entropy([[0.5, 0.0], [0.25, 0.25]], base=2))
    0.5
    """
    joint = check_distribution(check_array(joint, name="joint"), "joint", None)
    return np.maximum(entropy(joint.ravel(), base=base) - entropy(joint.sum(axis=1), base=base), 0.0)  # not -1e-17


def mutual_information(joint, base=None):
    """Divergence of p(x, y) from p(x) p(y), how much one variable tells about the other (eq-ma-mutual).

    >>> float(mutual_information([[0.5, 0.0], [0.0, 0.5]], base=2))
    1.0
    """
    joint = check_distribution(check_array(joint, name="joint"), "joint", None)
    ratio = _log(joint) - _log(joint.sum(axis=1))[:, None] - _log(joint.sum(axis=0))  # log p(x, y) / (p(x) p(y))
    return _finish(np.maximum((joint * ratio).sum(), 0.0), base)


def check_distribution(p, name, axis=-1):
    """``p`` as an array of non-negative numbers that sum to 1 along ``axis`` (all of it for None)."""
    p = np.atleast_1d(check_array(p, name=name, ndim=None))
    check_axis(axis, p)
    if (p < 0).any():
        raise ValueError(f"{name} must not be negative, but its smallest entry is {p.min():.6g}.")
    total = p.sum(axis=axis)
    if np.abs(total - 1).max() > 1e-8:
        worst = np.ravel(total)[np.abs(np.ravel(total) - 1).argmax()]
        raise ValueError(f"{name} must sum to 1, but a sum is {worst:.6g}; divide by the sum.")
    return p


def _log(p):
    """log p where p > 0, and 0 elsewhere (it is multiplied by p = 0 there)."""
    return np.log(p, out=np.zeros_like(p), where=p > 0)


def _finish(nats, base):
    if base is None:
        return nats
    check_number(base, "base", low=1, open_low=True)
    return nats / np.log(base)
