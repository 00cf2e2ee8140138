"""Dichotomies: the different labelings that a class of hypotheses gives to a set of points.

Every function returns them as the rows of an array of -1 and +1, sorted, one column per point.
"""

import itertools

import numpy as np
from scipy.optimize import linprog

from mlcore.base import check_array, check_number
from mlcore.generalization.learning_theory.separation import linearly_separable

MAX_POINTS = 16           # 2^16 labelings


def all_labelings(n):
    """All 2^n labelings of n points.

    >>> all_labelings(2).tolist()
    [[-1, -1], [-1, 1], [1, -1], [1, 1]]
    """
    check_number(n, "n", low=0, high=MAX_POINTS, integer=True)
    bits = (np.arange(2**n)[:, None] >> np.arange(n)[::-1]) & 1
    return 2 * bits - 1


def distinct(labelings):
    """The different rows, sorted."""
    rows = check_array(labelings, name="labelings")
    if not np.isin(rows, (-1, 1)).all():
        raise ValueError("labelings must hold -1 and +1 only.")
    return np.unique(rows.astype(int), axis=0)


def ray_dichotomies(x):
    """Positive rays h(x) = +1 if x > a: n + 1 dichotomies of n different numbers.

    >>> ray_dichotomies([3.0, 1.0]).tolist()
    [[-1, -1], [1, -1], [1, 1]]
    """
    x = check_array(x, name="x", ndim=1)
    cuts = _cuts(x)
    return distinct(np.where(x > cuts[:, None], 1, -1))


def interval_dichotomies(x):
    """Positive intervals h(x) = +1 if a < x < b: n (n + 1) / 2 + 1 dichotomies of n different numbers."""
    x = check_array(x, name="x", ndim=1)
    ends = np.array(list(itertools.combinations_with_replacement(_cuts(x), 2)))
    return distinct(np.where((x > ends[:, :1]) & (x < ends[:, 1:]), 1, -1))


def sign_change_dichotomies(x, max_changes):
    """Functions of one variable that change sign at most ``max_changes`` times (polynomials of that degree).

    >>> len(sign_change_dichotomies([1.0, 2.0, 3.0, 4.0], max_changes=1))
    8
    """
    x = check_array(x, name="x", ndim=1)
    check_number(max_changes, "max_changes", low=0, integer=True)
    values = np.unique(x)
    rows = all_labelings(len(values))
    rows = rows[(np.diff(rows, axis=1) != 0).sum(axis=1) <= max_changes]
    return distinct(rows[:, np.searchsorted(values, x)])


def convex_dichotomies(X):
    """Convex sets, +1 inside: possible if and only if the hull of the positive points holds no negative one.

    >>> len(convex_dichotomies([[0, 0], [1, 0], [0, 1], [0.25, 0.25]]))
    15
    """
    X = check_array(X)
    center = X.max(axis=0) / 2 + X.min(axis=0) / 2
    X = (X - center) / (np.abs(X - center).max() or 1.0)     # the linear programs have absolute tolerances
    rows = all_labelings(len(X))
    good = [not any(_in_hull(p, X[row == 1]) for p in X[row == -1]) for row in rows]
    return rows[np.array(good)]


def perceptron_dichotomies(X):
    """Halfspaces in any dimension, by one linear program for each pair of opposite labelings.

    >>> [len(perceptron_dichotomies(np.eye(n, 2))) for n in (1, 2, 3)], len(perceptron_dichotomies([[0.0], [1.0], [2.0]]))
    ([2, 4, 8], 6)
    """
    X = check_array(X)
    half = all_labelings(len(X))[: 2 ** (len(X) - 1)]      # the first label is -1; the opposite labeling needs (-w, -b)
    good = half[np.array([linearly_separable(X, row) for row in half])]
    return distinct(np.vstack([good, -good]))


def line_dichotomies(X):
    """Halfplanes, by turning a direction once around: every prefix of the points in its order is a dichotomy.

    The order changes only at directions perpendicular to a line through two points, so one direction between any two
    neighboring ones suffices (thm-lt-lines). Exact for coordinates that are small whole numbers (times any factor).

    >>> len(line_dichotomies([[0, 0], [1, 0], [0, 1], [1, 1]])), len(line_dichotomies([[0, 0], [1, 1], [2, 2]]))
    (14, 6)
    """
    X = check_array(X)
    if X.shape[1] != 2:
        raise ValueError(f"line_dichotomies needs points of the plane, two columns; got {X.shape[1]}.")
    n = len(X)
    rows = [np.ones(n), -np.ones(n)]
    for u in _directions_between(X):
        s = X @ u
        order = np.argsort(s, kind="stable")
        rank = np.argsort(order)
        for j in np.flatnonzero(np.diff(s[order]) > 1e-12 * np.abs(s).max()):
            rows.append(np.where(rank <= j, 1, -1))
    return distinct(np.array(rows))


def shatters(labelings, columns=None):
    """Whether all 2^k labelings of the chosen points (all points by default) occur among the rows.

    >>> shatters([[-1, -1, 1], [-1, 1, 1], [1, -1, 1], [1, 1, 1]]), shatters(all_labelings(3), [0, 2])
    (False, True)
    """
    rows = distinct(labelings)
    rows = rows if columns is None else np.unique(rows[:, list(columns)], axis=0)
    return len(rows) == 2 ** rows.shape[1]


def vc_dimension(labelings):
    """Size of the largest set of points that these dichotomies shatter.

    >>> vc_dimension([[-1, -1], [1, -1], [1, 1]]), vc_dimension([[1, 1, 1]])
    (1, 0)
    """
    rows = distinct(labelings)
    sizes = range(1, min(rows.shape[1], len(rows).bit_length() - 1) + 1)     # k shattered points need 2^k rows
    found = 0
    for k in sizes:
        if not any(shatters(rows, c) for c in itertools.combinations(range(rows.shape[1]), k)):
            break                                          # a subset of a shattered set is shattered
        found = k
    return found


def _cuts(x):
    """One number in each gap of the sorted values, and one beyond each end."""
    values = np.unique(x)
    return np.r_[-np.inf, values[1:] / 2 + values[:-1] / 2, np.inf]


def _in_hull(point, hull):
    """Whether the point is a convex combination of the rows of ``hull``."""
    if len(hull) == 0:
        return False
    found = linprog(np.zeros(len(hull)), A_eq=np.vstack([hull.T, np.ones(len(hull))]), b_eq=np.r_[point, 1.0], method="highs")
    return found.success


def _directions_between(X):
    """One direction strictly between each two neighboring critical ones, for points of the plane."""
    steps = np.array([q - p for p, q in itertools.combinations(X, 2) if (p != q).any()])
    if len(steps) == 0:
        return np.zeros((0, 2))
    # The normals are critical; the steps themselves are added so that neighbors are at most 90 degrees apart.
    normals = np.column_stack([-steps[:, 1], steps[:, 0]])
    units = np.vstack([steps, -steps, normals, -normals])
    units = units / np.linalg.norm(units, axis=1, keepdims=True)
    angles = np.arctan2(units[:, 1], units[:, 0])
    order = np.argsort(angles)
    units, angles = units[order], angles[order]
    units = units[np.r_[True, np.diff(angles) > 1e-9]]     # parallel pairs give one direction twice
    between = units + np.roll(units, -1, axis=0)
    return between[np.linalg.norm(between - 2 * units, axis=1) > 1e-9]
