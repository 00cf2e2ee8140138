"""Numerical derivatives, the independent route against which every gradient formula of the book is checked."""

import numpy as np

from mlcore.base import check_number
from mlcore.takes import takes

# The cube root of the machine precision balances the two errors of a central difference:
# truncation grows like h^2, cancellation like eps / h.
STEP = float(np.finfo(float).eps ** (1 / 3))


@takes(f="function", A="...")
def numerical_gradient(f, A, h=STEP):
    """Gradient of a real function of an array, by central differences in every entry (eq-ma-difference).

    Parameters
    ----------
    f : function of an array shaped like ``A`` that returns one real number
    A : array of any shape (a number counts as an array without axes); it is not written to
    h : step for entries of size up to 1; larger entries are moved by ``h`` times their size

    Returns
    -------
    array shaped like ``A``, entry by entry (f(A + h E) - f(A - h E)) / 2h with E the unit array of that entry

    >>> numerical_gradient(lambda A: 1.5 * A[0, 0] + 5 * A[0, 1] ** 2, [[1.0, 2.0]]).round(6)
    array([[ 1.5, 20. ]])
    """
    check_number(h, "h", low=0, open_low=True)
    moved = A.copy()
    gradient = np.empty_like(moved)
    for index in np.ndindex(moved.shape):
        center = moved[index]
        step = h * max(1.0, abs(center))
        above, below = center + step, center - step
        if not np.isfinite(above - below) or above == below:
            raise ValueError(f"h={h} must be a step that changes the entry {center:.6g}, and does not leave the range of numbers.")
        moved[index] = above
        rise = _real_value(f, moved)
        moved[index] = below
        rise -= _real_value(f, moved)
        moved[index] = center
        gradient[index] = rise / (above - below)  # the step that was really taken, after rounding
    return gradient


@takes(f="function", grad="function", A="...")
def gradient_error(f, grad, A, h=STEP):
    """Largest difference between ``grad(A)`` and central differences of ``f``, relative to the gradient's size.

    The difference is divided by max(1, largest entry of the numerical gradient). A right formula gives about
    1e-9 for smooth functions of moderate size, a wrong one something near 1.

    >>> gradient_error(lambda A: (A**2).sum(), lambda A: 2 * A, np.eye(2)) < 1e-8
    True
    >>> gradient_error(lambda A: (A**2).sum(), lambda A: -2 * A, np.eye(2)) > 1
    True
    """
    numeric = numerical_gradient.core(f, A, h)
    formula = np.asarray(grad(A), dtype=float)
    if formula.shape != A.shape:
        raise ValueError(f"the gradient must have the shape of A, {A.shape}, got {formula.shape}.")
    size = max(1.0, float(np.max(np.abs(numeric), initial=0.0)))
    return float(np.max(np.abs(formula - numeric), initial=0.0)) / size


def _real_value(f, A):
    """f at A as a float, or say what f returned instead."""
    value = np.asarray(f(A))
    if value.size != 1 or value.dtype.kind not in "biuf":
        raise ValueError(f"f must return one real number, got an array of shape {value.shape} and type {value.dtype}.")
    return float(value.reshape(()))
