"""What gradient descent on least squares regularizes by itself: where it ends, and what stopping it early does."""

from typing import NamedTuple

import numpy as np

from mlcore.base import as_array, check_array, check_number, check_X_y
from mlcore.generalization.bias_variance.double_descent import min_norm_solution
from mlcore.supervised.linear_regression.descent import max_stable_step


def ridge_filter(singular_values, alpha):
    """Share of each singular direction that ridge keeps, s^2 / (s^2 + alpha), eq-rs-filters.

    >>> ridge_filter([2.0, 1.0], 1.0)
    array([0.8, 0.5])
    """
    s = _check_singular(singular_values)
    check_number(alpha, "alpha", low=0)
    return np.divide(s**2, s**2 + alpha, out=np.zeros_like(s), where=s > 0)


def descent_filter(singular_values, step, n_steps):
    """Share that n_steps of gradient descent from 0 have fitted, 1 - (1 - step s^2)^n_steps, eq-rs-filters.

    >>> descent_filter([2.0, 1.0], 0.25, 2)
    array([1.    , 0.4375])
    """
    s = _check_singular(singular_values)
    check_number(step, "step", low=0, open_low=True)
    check_number(n_steps, "n_steps", low=0, integer=True)
    return 1 - (1 - step * s**2) ** n_steps


def descent_coefficients(X, y, n_steps, step=None, start=None):
    """Where gradient descent on 1/2 |y - X theta|^2 is after given numbers of steps, from one SVD (eq-rs-iterate).

    Parameters
    ----------
    n_steps : (m,) counts >= 0;  row k of the result is theta after ``n_steps[k]`` steps
    step : learning rate below 2 / |X|_2^2; None is half of that
    start : (d,) where to begin; None is 0

    >>> descent_coefficients([[1.0, 1.0]], [2.0], [0, 1, 50], step=0.25).round(3)
    array([[0. , 0. ],
           [0.5, 0.5],
           [1. , 1. ]])
    """
    X, y = check_X_y(X, y)
    counts = check_array(np.atleast_1d(as_array(n_steps, "n_steps")), name="n_steps", ndim=1)
    if (counts < 0).any() or (counts != np.round(counts)).any():
        raise ValueError("n_steps must hold whole numbers >= 0.")
    limit = max_stable_step(X)
    step = limit / 2 if step is None else check_number(step, "step", low=0, open_low=True)
    if step >= limit:
        raise ValueError(f"step={step:g} makes gradient descent diverge; it must be below 2 / |X|_2^2 = {limit:g}.")
    start = _check_start(start, X.shape[1])
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    keep = s > max(X.shape) * np.finfo(float).eps * s[0]
    U, s, Vt = U[:, keep], s[keep], Vt[keep]
    gap = U.T @ y / s - Vt @ start                          # from the start to the limit, in singular coordinates
    fitted = 1 - (1 - step * s**2) ** counts[:, None]       # (m, r)
    return start + (fitted * gap) @ Vt


def descent_limit(X, y, start=None):
    """Where gradient descent from ``start`` ends: the least-squares solution nearest to it, eq-rs-limit.

    >>> descent_limit([[1.0, 1.0]], [2.0], start=[0.0, 1.0])
    array([0.5, 1.5])
    """
    X, y = check_X_y(X, y)
    start = _check_start(start, X.shape[1])
    return start + min_norm_solution.core(X, y - X @ start)


class Stop(NamedTuple):
    """The step with the smallest validation loss, and the step at which patience ended (the last one if it never did)."""

    best: int
    stopped: int


def stop_early(losses, patience=10):
    """Early stopping: halt when ``patience`` steps in a row have not improved on the best validation loss; keep the best.

    >>> stop_early([5.0, 3.0, 4.0, 2.0, 2.5, 2.4, 1.0], patience=2)
    Stop(best=3, stopped=5)
    """
    losses = check_array(losses, name="losses", ndim=1)
    check_number(patience, "patience", low=1, integer=True)
    best = 0
    for t, loss in enumerate(losses):
        if loss < losses[best]:
            best = t
        if t - best >= patience:
            return Stop(best, t)
    return Stop(best, len(losses) - 1)


def _check_singular(values):
    s = check_array(np.atleast_1d(as_array(values, "singular_values")), name="singular_values", ndim=1)
    if (s < 0).any():
        raise ValueError(f"singular values are not negative, got {s.min():g}.")
    return s


def _check_start(start, d):
    if start is None:
        return np.zeros(d)
    start = check_array(start, name="start", ndim=1)
    if len(start) != d:
        raise ValueError(f"start has {len(start)} entries, but X has {d} columns; they must agree.")
    return start
