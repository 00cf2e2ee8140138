"""What the lasso minimizes, when it is minimized, and how far a candidate is from it."""

from typing import NamedTuple

import numpy as np

from mlcore.base import check_array, check_number, check_X_y
from mlcore.takes import takes


class LassoRun(NamedTuple):
    """What a lasso solver did.

    coef : (d,) where it stopped;  history : objective at the start and after each iteration;  gaps : duality gap there;
    n_iter : sweeps or gradient steps;  converged : whether the last gap is at most ``tol`` * 1/2 |y|^2
    """

    coef: np.ndarray
    history: list
    gaps: list
    n_iter: int
    converged: bool


class LassoPath(NamedTuple):
    """Lasso coefficients (m, d), row k for ``alphas[k]``, with the sweeps each took and whether it converged."""

    alphas: np.ndarray
    coefs: np.ndarray
    n_iter: np.ndarray
    converged: np.ndarray


@takes(z="any ...", t="number >= 0")
def soft_threshold(z, t):
    """Shrink z toward 0 by t and stop there: sign(z) max(|z| - t, 0), eq-rg-soft.

    >>> soft_threshold(np.array([-3.0, 0.5, 2.0]), 1.0)
    array([-2.,  0.,  1.])
    """
    inside = np.clip(z, -t, t)
    return np.subtract(z, inside, out=inside if np.ndim(inside) else None)  # exactly 0, not -0.0, inside the threshold


@takes(X="n d", y="n", w="d", alpha="number >= 0")
def lasso_objective(X, y, w, alpha):
    """1/2 |y - Xw|^2 + alpha |w|_1, eq-rg-lasso."""
    r = y - X @ w
    return float(0.5 * (r @ r) + alpha * np.abs(w).sum())


def gap_from(w, correlation, residual2, alpha):
    """Duality gap from X^T r and |r|^2, eq-rg-gap: a sum of terms that cannot be negative, so nothing cancels."""
    largest = np.abs(correlation).max()
    s = 1.0 if largest <= alpha else alpha / largest
    return float(0.5 * (1 - s) ** 2 * max(residual2, 0.0) + (alpha * np.abs(w) - s * w * correlation).sum())


def duality_gap(X, y, w, alpha):
    """Upper bound eq-rg-gap of how far the objective at ``w`` lies above its minimum; 0 exactly at a minimizer.

    >>> X, y = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), np.array([1.0, 2.0, 2.0])
    >>> [round(duality_gap(X, y, np.array(w), 1.0), 12) for w in ([5 / 6, 1 / 2], [0, 0])]
    [0.0, 3.125]
    """
    X, y = check_X_y(X, y)
    check_number(alpha, "alpha", low=0, open_low=True)
    w = check_coefficients(w, X.shape[1])
    r = y - X @ w
    return gap_from(w, X.T @ r, r @ r, alpha)


def max_alpha(X, y):
    """Smallest penalty at which all coefficients are 0, the largest |x_j . y|, prop-rg-max.

    >>> max_alpha(np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), np.array([1.0, 2.0, 2.0]))
    6.0
    """
    X, y = check_X_y(X, y)
    return float(np.abs(X.T @ y).max())


def check_coefficients(w, d, name="w"):
    """``w`` as d numbers."""
    w = check_array(w, name=name, ndim=1)
    if len(w) != d:
        raise ValueError(f"{name} has {len(w)} entries, but X has {d} columns; they must agree.")
    return w


def check_problem(X, y, alpha, w, tol, max_iter):
    """Checked X and y and a writable start vector for a lasso solver."""
    X, y = check_X_y(X, y)
    if alpha == 0:
        raise ValueError("alpha must be positive; alpha = 0 is least squares, for which LinearRegression is the tool.")
    check_number(alpha, "alpha", low=0, open_low=True)
    check_number(tol, "tol", low=0)
    check_number(max_iter, "max_iter", low=1, integer=True)
    if w is None:
        return X, y, np.zeros(X.shape[1])
    return X, y, check_coefficients(w, X.shape[1]).copy()
