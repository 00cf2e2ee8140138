"""Margins, slack and the primal objectives of the support vector machine. Labels are -1 and +1 throughout."""

import numpy as np

from mlcore.base import check_array, check_number, check_same_length, check_signs
from mlcore.supervised.logistic_regression import hinge_error


def check_box(C):
    """C as a float > 0; ``numpy.inf`` asks for the hard margin."""
    if isinstance(C, float) and np.isposinf(C):
        return np.inf
    try:
        return float(check_number(C, "C", low=0, open_low=True))
    except ValueError:
        raise ValueError(f"C must be a number > 0 (or numpy.inf for the hard margin), got {C!r}.") from None


def functional_margins(w, b, X, y):
    """y_i (w . x_i + b): positive where the sign is right, and scaled with (w, b) (eq-sv-functional).

    >>> functional_margins([1.0, 0.0], -1.0, [[3.0, 5.0], [2.0, 0.0]], [1, -1])
    array([ 2., -1.])
    """
    X, y = check_array(X), check_signs(y)
    check_same_length(X, y)
    return y * (X @ np.asarray(w, float) + b)


def geometric_margins(w, b, X, y):
    """Signed distances y_i (w . x_i + b) / |w| to the hyperplane; the same for every multiple of (w, b) (eq-sv-geometric).

    >>> geometric_margins([3.0, 4.0], -5.0, [[3.0, 4.0]], [1])
    array([4.])
    """
    length = float(np.linalg.norm(w))
    if length == 0:
        raise ValueError("w is zero: w . x + b = 0 is no hyperplane, and distances to it are not defined.")
    return functional_margins(w, b, X, y) / length


def slacks(margins):
    """Smallest xi >= 0 with margin >= 1 - xi: the hinge max(0, 1 - margin) (eq-sv-hinge).

    >>> slacks([2.0, 1.0, 0.5, 0.0, -1.0])
    array([0. , 0. , 0.5, 1. , 2. ])
    """
    return hinge_error(margins)


def soft_margin_objective(w, b, X, y, C):
    """1/2 |w|^2 + C sum_i max(0, 1 - y_i (w . x_i + b)) (eq-sv-hinge); with C = inf infinite unless all slacks vanish."""
    w = np.asarray(w, float)
    total = slacks(functional_margins(w, b, X, y)).sum()
    return float(0.5 * w @ w + (check_box(C) * total if total > 0 else 0.0))


def soft_margin_subgradient(w, b, X, y, C):
    """A subgradient (g_w, g_b) of the soft-margin objective (eq-sv-subgradient).

    g_w = w - C sum y_i x_i and g_b = -C sum y_i over the examples with margin < 1. Exactly at a kink, margin 1, every
    multiple in [0, 1] of an example's term would do; here it is 0.
    """
    X, y, w = check_array(X), check_signs(y), np.asarray(w, float)
    check_number(C, "C", low=0, open_low=True)
    inside = y * (functional_margins(w, b, X, y) < 1)  # y_i where the hinge slopes, else 0
    return w - C * (inside @ X), -C * inside.sum()
