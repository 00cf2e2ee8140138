"""Margins, slack and the primal objectives of the support vector machine. Labels are -1 and +1 throughout."""

import numpy as np

from mlcore.base import check_number, check_range
from mlcore.supervised.logistic_regression import hinge_error
from mlcore.takes import takes


def check_box(C, name="C"):
    """C as a float > 0; ``numpy.inf`` asks for the hard margin."""
    if isinstance(C, float) and np.isposinf(C):
        return np.inf
    try:
        return float(check_number(C, name, low=0, open_low=True))
    except ValueError:
        raise ValueError(f"{name} must be a number > 0 (or numpy.inf for the hard margin), got {C!r}.") from None


@takes(w="d", b="number", X="n d", y="signs n")
def functional_margins(w, b, X, y):
    """y_i (w . x_i + b): positive where the sign is right, and scaled with (w, b) (eq-sv-functional).

    >>> functional_margins([1.0, 0.0], -1.0, [[3.0, 5.0], [2.0, 0.0]], [1, -1])
    array([ 2., -1.])
    """
    return y * (X @ w + b)


@takes(w="d", b="number", X="n d", y="signs n")
def geometric_margins(w, b, X, y):
    """Signed distances y_i (w . x_i + b) / |w| to the hyperplane; the same for every multiple of (w, b) (eq-sv-geometric).

    >>> geometric_margins([3.0, 4.0], -5.0, [[3.0, 4.0]], [1])
    array([4.])
    """
    check_range(w, "w")
    length = float(np.linalg.norm(w))
    if length == 0:
        raise ValueError("w is zero: w . x + b = 0 is no hyperplane, and distances to it are not defined.")
    return functional_margins.core(w, b, X, y) / length


def slacks(margins):
    """Smallest xi >= 0 with margin >= 1 - xi: the hinge max(0, 1 - margin) (eq-sv-hinge).

    >>> slacks([2.0, 1.0, 0.5, 0.0, -1.0])
    array([0. , 0. , 0.5, 1. , 2. ])
    """
    return hinge_error(margins)


@takes(w="d", b="number", X="n d", y="signs n", C=check_box)
def soft_margin_objective(w, b, X, y, C):
    """1/2 |w|^2 + C sum_i max(0, 1 - y_i (w . x_i + b)) (eq-sv-hinge); with C = inf infinite unless all slacks vanish."""
    total = slacks(functional_margins.core(w, b, X, y)).sum()
    return float(0.5 * w @ w + (C * total if total > 0 else 0.0))


@takes(w="d", b="number", X="n d", y="signs n", C="number > 0")
def soft_margin_subgradient(w, b, X, y, C):
    """A subgradient (g_w, g_b) of the soft-margin objective (eq-sv-subgradient).

    g_w = w - C sum y_i x_i and g_b = -C sum y_i over the examples with margin < 1. Exactly at a kink, margin 1, every
    multiple in [0, 1] of an example's term would do; here it is 0.
    """
    inside = y * (functional_margins.core(w, b, X, y) < 1)  # y_i where the hinge slopes, else 0
    return w - C * (inside @ X), -C * inside.sum()
