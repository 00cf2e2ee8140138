"""The lasso by coordinate descent: exact steps along the axes, on the Gram matrix of a working set."""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.linalg.blas import daxpy

from mlcore.base import check_array, check_number
from mlcore.supervised.ridge_lasso_polynomial.objective import (
    LassoPath,
    LassoRun,
    check_problem,
    gap_from,
    max_alpha,
    soft_threshold,
)
from mlcore.takes import takes

# Sweeps over the working set before all coordinates are looked at again.
INNER_SWEEPS = 100


@takes(X="n d", y="n", w="d", alpha="number >= 0")
def coordinate_sweep(X, y, w, alpha):
    """One pass of eq-rg-coordinate over all coordinates, as the chapter writes it; returns the new w.

    >>> X, y = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), np.array([1.0, 2.0, 2.0])
    >>> coordinate_sweep(X, y, np.zeros(2), 1.0).round(4)
    array([1.3333, 0.2   ])
    """
    w = np.array(w, float)
    r = y - X @ w
    for j, x in enumerate(X.T):
        size = x @ x
        if size > 0:
            new = soft_threshold.core(x @ r + size * w[j], alpha) / size
            r -= (new - w[j]) * x
            w[j] = new
    return w


def _newton_on_signs(H, b, w, alpha):
    """Newton step on the support and signs of w, eq-rg-signs, cut where a coefficient reaches 0; repeated until uncut.

    While no sign changes the objective is a quadratic, and a step of at most the full length lowers it. The small
    multiple of I makes dependent columns harmless: along their null space the step runs until a coefficient is 0.
    """
    w = np.array(w)
    for _ in range(len(w)):
        S = np.flatnonzero(w)
        signs, K = np.sign(w[S]), H[np.ix_(S, S)]
        slope = b[S] - alpha * signs - K @ w[S]
        shifted = K.copy()
        shifted.flat[:: len(S) + 1] += 1e-12 * K.trace()
        try:
            factor = cho_factor(shifted, overwrite_a=True, check_finite=False)
        except LinAlgError:
            break
        step = cho_solve(factor, slope, check_finite=False)
        step += cho_solve(factor, slope - K @ step, check_finite=False)  # takes the shift out again where K is regular
        shrinking = np.flatnonzero(step * signs < 0)
        lengths = -w[S[shrinking]] / step[shrinking]  # at which each shrinking coefficient is 0
        if len(S) == 0 or not len(lengths) or lengths.min() > 1:
            w[S] += step
            break
        w[S] += lengths.min() * step
        w[S[shrinking[lengths.argmin()]]] = 0.0
    return w


def _solve_working_set(H, b, w, alpha, tol, max_sweeps):
    """Minimize 1/2 w.Hw - b.w + alpha |w|_1 by at most ``max_sweeps`` sweeps from ``w``; returns w and their number.

    Whenever two sweeps end with the same signs, Newton steps on these signs save the slow part of the convergence.
    """
    q, size, order = b - H @ w, H.diagonal().tolist(), range(len(b))
    rows, values, signs, sweeps = list(H), w.tolist(), None, 0
    while sweeps < max_sweeps:
        sweeps, largest = sweeps + 1, 0.0
        for j in order:
            old, a = values[j], size[j]
            z = q.item(j) + a * old
            new = (z - alpha) / a if z > alpha else (z + alpha) / a if z < -alpha else 0.0
            if new != old:
                daxpy(rows[j], q, a=old - new)  # q <- q + (old - new) * H[j], in place
                values[j] = new
                largest = max(largest, a * (new - old) ** 2)
        if largest <= tol:
            break
        now = [(v > 0) - (v < 0) for v in values]
        if now == signs and any(now):
            exact = _newton_on_signs(H, b, values, alpha)
            values, q = exact.tolist(), b - H @ exact
        signs = now
    return np.array(values), sweeps


def _working_set(w, q, size, alpha):
    """Coordinates that are not 0, and those that most want to leave it (at most as many, or 10)."""
    support = np.flatnonzero(w)
    outside = np.flatnonzero((w == 0) & (np.abs(q) > alpha) & (size > 0))
    room = max(10, len(support))
    if len(outside) > room:
        outside = outside[np.argpartition(-np.abs(q[outside]), room)[:room]]
    return np.sort(np.concatenate([support, outside]))


def coordinate_descent(X, y, alpha, w=None, tol=1e-8, max_iter=1000, gram=None):
    """Minimize the lasso objective eq-rg-lasso by coordinate descent from ``w`` (0 if None).

    Each round sweeps a working set, the coordinates that are not 0 or should leave it, on its own Gram matrix, and then
    looks at all d again.
    Stops when the duality gap is at most ``tol`` * 1/2 |y|^2, or after ``max_iter`` sweeps. ``gram`` is X^T X if known.

    >>> X, y = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), np.array([1.0, 2.0, 2.0])
    >>> coordinate_descent(X, y, 1.0, tol=1e-14).coef.round(6)
    array([0.833333, 0.5     ])
    """
    X, y, w = check_problem(X, y, alpha, w, tol, max_iter)
    alpha = float(alpha)  # Python's floats, not numpy's, make the inner loop fast
    n, d = X.shape
    if gram is None and d <= n:
        gram = X.T @ X  # otherwise only the columns of the working set are formed
    size = np.einsum("ij,ij->j", X, X) if gram is None else gram.diagonal()
    w[size == 0] = 0.0
    c, yy, n_iter = X.T @ y, float(y @ y), 0
    small, history, gaps, converged = tol * 0.5 * yy, [], [], False
    A = np.flatnonzero(w)
    q = c if len(A) == 0 else X.T @ (y - X[:, A] @ w[A])
    while True:
        residual2 = yy - w @ (c + q)
        history.append(float(0.5 * residual2 + alpha * np.abs(w).sum()))
        gaps.append(gap_from(w, q, residual2, alpha))
        converged = gaps[-1] <= small
        if converged or n_iter >= max_iter:
            break
        A = _working_set(w, q, size, alpha)
        columns = X.T @ X[:, A] if gram is None else gram[:, A]  # (d, |A|)
        w[A], sweeps = _solve_working_set(np.ascontiguousarray(columns[A]), c[A], w[A], alpha, 0.01 * small / len(A),
                                          min(INNER_SWEEPS, max_iter - n_iter))
        q = c - columns @ w[A]
        n_iter += sweeps
    return LassoRun(w, history, gaps, n_iter, bool(converged))


@takes()
def lasso_path(X, y, alphas=None, n_alphas=50, ratio=1e-3, tol=1e-8, max_iter=1000):
    """Lasso coefficients along decreasing penalties, each started from the solution before (eq-rg-path).

    ``alphas`` defaults to ``n_alphas`` values in geometric progression from :func:`max_alpha` down to ``ratio`` times it.

    >>> path = lasso_path(np.eye(3), np.array([3.0, -2.0, 1.0]), alphas=[3.0, 2.0, 1.0])
    >>> path.coefs
    array([[ 0.,  0.,  0.],
           [ 1.,  0.,  0.],
           [ 2., -1.,  0.]])
    """
    top = max_alpha(X, y)
    X = check_array(X)
    if alphas is None:
        check_number(n_alphas, "n_alphas", low=1, integer=True)
        check_number(ratio, "ratio", low=0, high=1, open_low=True, open_high=True)
        if top == 0:
            raise ValueError("y is orthogonal to every column of X, so all coefficients are 0 at every penalty.")
        alphas = np.geomspace(top, top * ratio, n_alphas)
    alphas = np.sort(check_array(alphas, name="alphas", ndim=1))[::-1]
    gram = X.T @ X if X.shape[1] <= X.shape[0] else None
    w, runs = None, []
    for alpha in alphas:
        runs.append(coordinate_descent(X, y, alpha, w, tol, max_iter, gram))
        w = runs[-1].coef
    return LassoPath(alphas, np.array([run.coef for run in runs]), np.array([run.n_iter for run in runs]),
                     np.array([run.converged for run in runs]))
