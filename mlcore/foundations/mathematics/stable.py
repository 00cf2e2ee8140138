"""Sigmoid, log-sum-exp and softmax that neither overflow nor lose small probabilities."""

import numpy as np

from mlcore.base import check_number
from mlcore.takes import real_numbers

BLOCK = 8192  # numbers whose few intermediate arrays fit into the fastest cache


def sigmoid(z):
    """Logistic function 1 / (1 + exp(-z)), written with exp(-|z|) so that nothing overflows (eq-ma-sigmoid).

    >>> sigmoid(np.array([-800.0, 0.0, 800.0]))
    array([0. , 0.5, 1. ])
    """
    z = real_numbers(z, "z").astype(float, copy=False)
    return _in_blocks(_sigmoid, z)


def _sigmoid(z):
    e = np.exp(-np.abs(z))  # at most 1
    return np.where(z >= 0, 1.0, e)[()] / (1.0 + e)


def log_sigmoid(z):
    """Logarithm of the sigmoid, min(z, 0) - log(1 + exp(-|z|)), right where the sigmoid itself rounds to 0 or 1 (eq-ma-sigmoid).

    >>> float(log_sigmoid(-800.0))
    -800.0
    """
    z = real_numbers(z, "z").astype(float, copy=False)
    return _in_blocks(_log_sigmoid, z)


def _log_sigmoid(z):
    return np.minimum(z, 0.0) - np.log1p(np.exp(-np.abs(z)))


def _in_blocks(f, z):
    """f(z), entry by entry; of a large array a block at a time, whose intermediate results stay in the cache."""
    if z.size <= BLOCK:
        return f(z)
    out, entries = np.empty(z.size), z.reshape(-1)
    for i in range(0, z.size, BLOCK):
        out[i:i + BLOCK] = f(entries[i:i + BLOCK])
    return out.reshape(z.shape)


def logsumexp(a, axis=None, keepdims=False):
    """Log of the sum of exp(a) along ``axis``, with the largest entry taken out of the sum (eq-ma-logsumexp).

    An entry -inf is a term 0 of the sum; if all are, the result is -inf.

    >>> float(logsumexp([-1000.0, -1000.0]).round(6))
    -999.306853
    """
    a = _filled(a, axis)
    largest = a.max(axis=axis, keepdims=True)
    if np.isnan(largest).any():
        raise ValueError("a contains NaN; log-sum-exp needs real numbers (or -inf for a term that is 0).")
    shift = np.where(np.isfinite(largest), largest, 0.0)  # -inf - (-inf) would be NaN
    with np.errstate(divide="ignore", over="ignore"):  # log 0 = -inf and exp(inf) = inf are the answers there
        out = np.log(np.exp(a - shift).sum(axis=axis, keepdims=True)) + shift
    return out[()] if keepdims else out.squeeze(axis=axis)[()]


def softmax(a, axis=-1):
    """Probabilities exp(a_k) / sum_j exp(a_j) along ``axis`` (eq-ma-softmax).

    >>> softmax([1000.0, 1000.0, -np.inf])
    array([0.5, 0.5, 0. ])
    """
    e = np.exp(_shifted(a, axis))
    return e / e.sum(axis=axis, keepdims=True)


def log_softmax(a, axis=-1):
    """Logarithm of the softmax, a - logsumexp(a): finite where the softmax itself is 0 (eq-ma-softmax).

    >>> log_softmax([0.0, -1000.0])
    array([    0., -1000.])
    """
    shifted = _shifted(a, axis)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


def _shifted(a, axis):
    """``a`` minus its largest entry along ``axis``, which must be a number."""
    a = _filled(a, axis)
    largest = a.max(axis=axis, keepdims=True)
    if not np.isfinite(largest).all():
        raise ValueError("a holds NaN, +inf or nothing but -inf along the axis; a softmax needs a finite largest entry.")
    with np.errstate(over="ignore"):  # a gap beyond the largest number is -inf, and its probability 0
        return a - largest


def _filled(a, axis):
    """``a`` as an array of floats with at least one entry; infinities are allowed."""
    a = real_numbers(a, "a").astype(float, copy=False)
    if a.size == 0:
        raise ValueError(f"a must hold at least one number, got an array of shape {a.shape}.")
    check_axis(axis, a)
    return a


def check_axis(axis, array):
    """Refuse what is not None, an axis of the array, or (as the functions of numpy do) a tuple of them."""
    for one in axis if isinstance(axis, tuple) else () if axis is None else (axis,):
        check_number(one, "axis", low=-array.ndim, high=array.ndim - 1, integer=True)
