"""LMS, ridge regression and the perceptron, written with the Gram matrix alone: beta holds one coefficient per example.

``check=False`` skips the test of K (n^3 / 3 operations), for callers who know that it comes from a kernel.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh

from mlcore.base import as_array, check_array, check_number, check_same_length, check_signs
from mlcore.supervised.kernel_methods.gram import check_gram
from mlcore.takes import takes


class KernelRun(NamedTuple):
    """What an iteration in the coefficients did.

    beta : (n,) where it stopped;  history : the cost at the start and after each step (LMS), or the mistakes of each
    pass (perceptron);  converged : whether the stopping rule was met.
    """

    beta: np.ndarray
    history: list
    converged: bool


@takes(beta="n", K="n n", y="n", step="number")
def kernel_lms_step(beta, K, y, step):
    """One batch LMS update of all coefficients at once, eq-kn-lms: beta + step (y - K beta); n^2 multiplications."""
    return beta + step * (y - K @ beta)


def max_kernel_step(K):
    """Step below which kernel LMS converges, 2 / lambda_max(K), prop-kn-step.

    >>> max_kernel_step(np.diag([1.0, 4.0]))
    0.5
    """
    return _largest_step(check_gram(K))


def _largest_step(K):
    """2 / lambda_max(K) of a checked Gram matrix."""
    largest = eigh(K, eigvals_only=True, subset_by_index=[len(K) - 1, len(K) - 1])[0]
    if largest <= 0:
        raise ValueError("K is zero, so no step changes the fit.")
    return float(2 / largest)


def kernel_lms(K, y, step=None, tol=1e-4, max_iter=1000, check=True):
    """Batch LMS in feature space from beta = 0, eq-kn-lms, by the Gram matrix K; the cost is 1/2 |y - K beta|^2.

    ``step=None`` takes half of :func:`max_kernel_step`. Stops when the gradient in feature space, sqrt(e'Ke) with the error
    e = y - K beta, is at most ``tol`` times its size at the start, after ``max_iter`` steps, or when the cost overflows.

    >>> kernel_lms([[2.0, 0.0], [0.0, 1.0]], [2.0, 3.0], tol=1e-9).beta.round(6)
    array([1., 3.])
    """
    K, y = _check_problem(K, y, check)
    step = _largest_step(K) / 2 if step is None else check_number(step, "step", low=0, open_low=True)
    check_number(tol, "tol", low=0)
    check_number(max_iter, "max_iter", low=0, integer=True)
    beta, error = np.zeros(len(y)), y
    history, first = [0.5 * float(y @ y)], None
    while True:
        slope = K @ error  # the error falls by step K e: one product serves the update and the stopping rule
        gradient = np.sqrt(max(error @ slope, 0.0))
        first = gradient if first is None else first
        converged = bool(gradient <= tol * first)
        if converged or len(history) > max_iter:
            return KernelRun(beta, history, converged)
        new_error = error - step * slope
        cost = 0.5 * float(new_error @ new_error)
        if not np.isfinite(cost) or cost > 1e100 * (history[0] + 1):
            return KernelRun(beta, history, False)  # diverged: the step is too large
        beta, error = beta + step * error, new_error
        history.append(cost)


def kernel_ridge(K, y, alpha, check=True):
    """Coefficients (K + alpha I)^-1 y of kernel ridge regression, eq-kn-ridge; y may have several columns.

    >>> kernel_ridge([[2.0, 0.0], [0.0, 1.0]], [3.0, 4.0], alpha=1.0)
    array([1., 2.])
    """
    K, y = _check_problem(K, y, check, columns=True)
    check_number(alpha, "alpha", low=0, open_low=True)
    shifted = K.copy()
    shifted.flat[:: len(K) + 1] += alpha
    try:
        return cho_solve(cho_factor(shifted, overwrite_a=True, check_finite=False), y, check_finite=False)
    except LinAlgError:
        raise ValueError(f"alpha={alpha:g} is lost in the rounding of the Gram matrix; take a larger alpha.") from None


def loo_residuals(K, y, alphas, check=True):
    """Leave-one-out residuals y_i - f_(without i)(x_i) of kernel ridge, thm-kn-loo, one row per penalty.

    One eigendecomposition of K serves all ``alphas``: no model is fitted a second time.

    >>> loo_residuals([[2.0, 1.0], [1.0, 2.0]], [3.0, 0.0], [1.0]).round(6)
    array([[ 3., -1.]])
    """
    K, y = _check_problem(K, y, check)
    alphas = check_array(np.atleast_1d(as_array(alphas, "alphas")), name="alphas", ndim=1)
    if (alphas <= 0).any():
        raise ValueError(f"alphas must be positive, got {alphas.min():g}.")
    values, Q = eigh(K)
    inverse = 1 / (np.maximum(values, 0) + alphas[:, None])  # (m, n)
    beta = (inverse * (Q.T @ y)) @ Q.T
    return beta / (inverse @ (Q**2).T)


def kernel_perceptron(K, y, max_iter=100, check=True):
    """The perceptron in dual form, eq-kn-perceptron: where y_i f(x_i) <= 0, add y_i to beta_i. Labels are -1 and +1.

    Examples are visited in order, pass after pass, until a pass makes no mistake or ``max_iter`` passes are done. The
    scores f of all examples are kept up to date, n additions per mistake.

    >>> kernel_perceptron([[1.0, -1.0], [-1.0, 1.0]], [1, -1])
    KernelRun(beta=array([1., 0.]), history=[1, 0], converged=True)
    """
    K, y = _check_problem(K, y, check)
    check_number(max_iter, "max_iter", low=1, integer=True)
    y = check_signs(y)
    beta, margins, history = np.zeros(len(y)), np.zeros(len(y)), []
    signed = y[:, None] * K * y  # row i: how much a mistake on i raises every margin y_j f(x_j)
    while len(history) < max_iter:
        mistakes, i = 0, 0
        while (wrong := margins[i:] <= 0).any():
            i += int(wrong.argmax())
            beta[i] += y[i]
            margins += signed[i]
            mistakes, i = mistakes + 1, i + 1
        history.append(mistakes)
        if mistakes == 0:
            return KernelRun(beta, history, True)
    return KernelRun(beta, history, False)


def _check_problem(K, y, check, columns=False):
    """A Gram matrix and as many targets; with ``columns`` the targets may have several columns."""
    K = check_gram(K) if check else K
    y = as_array(y, "y")
    y = check_array(y, name="y", ndim=2 if columns and y.ndim == 2 else 1)
    check_same_length(K, y)
    return K, y
