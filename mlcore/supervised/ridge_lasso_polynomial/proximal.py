"""First-order methods for the lasso: the subgradient method, ISTA and FISTA."""

import numpy as np

from mlcore.base import check_number
from mlcore.supervised.ridge_lasso_polynomial.objective import (
    LassoRun,
    check_problem,
    gap_from,
    soft_threshold,
)


def subgradient_descent(X, y, alpha, step, w=None, max_iter=1000):
    """w <- w - step * (X^T (Xw - y) + alpha sgn w), eq-rg-subgradient; ``step`` is a number or a function of the count.

    Kept for comparison: with a constant step it hovers about the minimum, and its coefficients are hardly ever 0.
    """
    X, y, w = check_problem(X, y, alpha, w, 0, max_iter)
    if not callable(step):
        check_number(step, "step", low=0, open_low=True)
    history, gaps = [], []
    with np.errstate(over="ignore", invalid="ignore"):
        for t in range(max_iter + 1):
            r = X @ w - y
            gradient = X.T @ r
            value = 0.5 * (r @ r) + alpha * np.abs(w).sum()
            if not np.isfinite(value):
                break  # diverged: the step is too large
            best = w
            history.append(float(value))
            gaps.append(gap_from(w, -gradient, r @ r, alpha))
            w = w - (step(t) if callable(step) else step) * (gradient + alpha * np.sign(w))
    return LassoRun(best, history, gaps, len(history) - 1, False)


def proximal_gradient(X, y, alpha, w=None, accelerate=False, tol=1e-8, max_iter=10_000):
    """ISTA (eq-rg-ista), or FISTA (eq-rg-fista) if ``accelerate``, with the step 1 / L, L = |X|_2^2.

    Stops when the duality gap is at most ``tol`` * 1/2 |y|^2. One product with X and one with X^T a step: those at the
    extrapolated point of FISTA follow from those at the last two iterates.

    >>> X, y = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), np.array([1.0, 2.0, 2.0])
    >>> run = proximal_gradient(X, y, 1.0, accelerate=True, tol=1e-14)
    >>> run.coef.round(6), run.converged
    (array([0.833333, 0.5     ]), True)
    """
    X, y, w = check_problem(X, y, alpha, w, tol, max_iter)
    L = np.linalg.norm(X, 2) ** 2 or 1.0
    small = tol * 0.5 * (y @ y)
    w_old, gradient_old, t = w, 0.0, 1.0
    history, gaps, converged = [], [], False
    while True:
        r = X @ w - y
        gradient = X.T @ r
        history.append(float(0.5 * (r @ r) + alpha * np.abs(w).sum()))
        gaps.append(gap_from(w, -gradient, r @ r, alpha))
        converged = gaps[-1] <= small
        if converged or len(history) > max_iter:
            break
        beta = 0.0
        if accelerate and len(history) > 1:
            t_old, t = t, (1 + np.sqrt(1 + 4 * t**2)) / 2
            beta = (t_old - 1) / t
        v = w + beta * (w - w_old)
        at_v = gradient + beta * (gradient - gradient_old)
        w_old, gradient_old = w, gradient
        w = soft_threshold.core(v - at_v / L, alpha / L)
    return LassoRun(w, history, gaps, len(history) - 1, bool(converged))
