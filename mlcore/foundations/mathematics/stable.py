"""Sigmoid, log-sum-exp and softmax that neither overflow nor lose small probabilities."""

import numpy as np


def sigmoid(z):
    """Logistic function 1 / (1 + exp(-z)), written with exp(-|z|) so that nothing overflows (eq-ma-sigmoid).

    >>> sigmoid(np.array([-800.0, 0.0, 800.0]))
    array([0. , 0.5, 1. ])
    """
    z = _real(z, "z")
    e = np.exp(-np.abs(z))  # at most 1
    return np.where(z >= 0, 1.0, e)[()] / (1.0 + e)


def log_sigmoid(z):
    """Logarithm of the sigmoid, min(z, 0) - log(1 + exp(-|z|)), right where the sigmoid itself rounds to 0 or 1 (eq-ma-sigmoid).

    >>> float(log_sigmoid(-800.0))
    -800.0
    """
    z = _real(z, "z")
    return np.minimum(z, 0.0) - np.log1p(np.exp(-np.abs(z)))


def logsumexp(a, axis=None, keepdims=False):
    """Log of the sum of exp(a) along ``axis``, with the largest entry taken out of the sum (eq-ma-logsumexp).

    An entry -inf is a term 0 of the sum; if all are, the result is -inf.

    >>> float(logsumexp([-1000.0, -1000.0]).round(6))
    -999.306853
    """
    a = _real(a, "a")
    if a.size == 0:
        raise ValueError(f"a must hold at least one number, got an array of shape {a.shape}.")
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
    a = _real(a, "a")
    if a.size == 0:
        raise ValueError(f"a must hold at least one number, got an array of shape {a.shape}.")
    largest = a.max(axis=axis, keepdims=True)
    if not np.isfinite(largest).all():
        raise ValueError("a holds NaN, +inf or nothing but -inf along the axis; a softmax needs a finite largest entry.")
    with np.errstate(over="ignore"):  # a gap beyond the largest number is -inf, and its probability 0
        return a - largest


def _real(a, name):
    """``a`` as an array of floats; infinities are allowed."""
    array = np.asarray(a)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} must hold real numbers, got {type(a).__name__} of type {array.dtype}.")
    return array.astype(float, copy=False)
