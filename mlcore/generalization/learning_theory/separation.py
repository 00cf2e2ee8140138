"""Can a hyperplane realize this labeling? Linear programming, and the labeling that no hyperplane realizes."""

import numpy as np
from scipy.optimize import linprog

from mlcore.base import check_array, check_signs

ROUNDING = 1e-7


def separating_hyperplane(X, y):
    """Return (w, b) with y_i (w . x_i + b) > 0 for all i, or None if there is none.

    A linear program maximizes the smallest margin t under y_i (w . x_i + b) >= t, |w_j| <= 1, t <= 1, in coordinates
    scaled to the box [-1, 1]; the points are strictly separable if and only if the maximum is positive.

    >>> square = [[0, 0], [1, 0], [0, 1], [1, 1]]
    >>> separating_hyperplane(square, [-1, 1, 1, -1]) is None, separating_hyperplane(square, [-1, 1, 1, 1]) is None
    (True, False)
    """
    X = check_array(X)
    y = check_signs(y, X)
    center = (X.max(axis=0) + X.min(axis=0)) / 2
    scale = np.abs(X - center).max(initial=0.0) or 1.0
    d = X.shape[1]
    Z = np.column_stack([(X - center) / scale, np.ones(len(X))])               # (n, d + 1)
    constraints = np.column_stack([-y[:, None] * Z, np.ones(len(X))])          # t - y_i z_i . (w, b) <= 0
    found = linprog(np.r_[np.zeros(d + 1), -1.0], A_ub=constraints, b_ub=np.zeros(len(X)),
                    bounds=[(-1, 1)] * d + [(None, None), (None, 1)], method="highs")
    if not found.success:
        raise ValueError(f"the linear program for a separating hyperplane failed: {found.message}")
    if found.x[-1] <= ROUNDING:
        return None
    w = found.x[:d] / scale
    return w, float(found.x[d] - w @ center)


def linearly_separable(X, y):
    """Whether some hyperplane has all points labeled +1 strictly on one side and all labeled -1 on the other.

    >>> linearly_separable([[0.0], [1.0], [2.0]], [1, -1, 1]), linearly_separable([[0.0], [1.0], [2.0]], [1, 1, 1])
    (False, True)
    """
    return separating_hyperplane(X, y) is not None


def radon_labeling(X):
    """A labeling of more than d + 1 points in d dimensions that no hyperplane realizes (second half of thm-lt-perceptron).

    The rows (x_i, 1) are linearly dependent, sum a_i (x_i, 1) = 0; the labels are the signs of the a_i.

    >>> radon_labeling([[0.0], [1.0], [3.0]]) * radon_labeling([[0.0], [1.0], [3.0]])[0]
    array([ 1, -1,  1])
    """
    X = check_array(X)
    n, d = X.shape
    if n < d + 2:
        raise ValueError(f"{n} points in {d} dimensions may all be separable; at least d + 2 = {d + 2} points are needed.")
    a = np.linalg.svd(np.column_stack([X, np.ones(n)]).T)[2][-1]                # a null vector of the (d + 1, n) matrix
    return np.where(a > 1e-12 * np.abs(a).max(), 1, -1)
