"""Checks of the exercises of the chapter on ridge, lasso and polynomial regression."""

import numpy as np

from mlcore.exercises.core import exercise, expect_close
from mlcore.supervised.ridge_lasso_polynomial import (
    coordinate_sweep,
    proximal_gradient,
    ridge_error,
    ridge_primal,
    ridge_svd,
    soft_threshold,
)

CORRELATIONS = np.array([5.0, -3.0, 1.0, 0.5])


def _problem(seed, n=14, d=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X @ rng.normal(size=d) + 0.3 * rng.normal(size=n), rng.normal(size=d)


@exercise("orthonormal", wrong={
    "subtracts without stopping at zero": ([3, -1, -1, -1.5], [5 / 3, -1, 1 / 3, 1 / 6]),
    "hard threshold": ([5, -3, 0, 0], [5 / 3, -1, 1 / 3, 1 / 6]),
    "ridge divides by lambda": ([3, -1, 0, 0], [2.5, -1.5, 0.5, 0.25]),
})
def orthonormal(answer):
    """Lasso and ridge for orthonormal columns."""
    assert len(answer) == 2, "two lists are wanted: the lasso solution and the ridge solution"
    expect_close(answer[0], soft_threshold(CORRELATIONS, 2.0), "the lasso solution", atol=5e-3)
    expect_close(answer[1], ridge_primal(np.eye(4), CORRELATIONS, 2.0), "the ridge solution", atol=5e-3)
    return "right: two zeros, and none"


def _rows(factor):
    def solve(X, y, lam):
        d = X.shape[1]
        return np.linalg.lstsq(np.vstack([X, factor(lam) * np.eye(d)]), np.r_[y, np.zeros(d)], rcond=None)[0]
    return solve


@exercise("ridge_by_rows", wrong={
    "appends lambda instead of its root": _rows(lambda lam: lam),
    "no penalty": lambda X, y, lam: np.linalg.lstsq(X, y, rcond=None)[0],
    "forms the normal equations": lambda X, y, lam: np.linalg.solve(X.T @ X + lam * np.eye(X.shape[1]), X.T @ y),
})
def ridge_by_rows(solve):
    """Ridge as least squares on appended rows."""
    for seed, lam in ((0, 0.5), (1, 7.0)):
        X, y, _ = _problem(seed)
        expect_close(solve(X, y, lam), ridge_primal(X, y, lam), f"w at lambda = {lam}")
    X, y, _ = _problem(2, n=3, d=6)
    expect_close(solve(X, y, 0.1), ridge_primal(X, y, 0.1), "w with more columns than rows")
    t = np.linspace(0, 1, 20)
    hard = np.column_stack([np.ones(20), t, t + 1e-6 * t**2])
    expect_close(solve(hard, hard.sum(axis=1), 1e-14), ridge_svd(hard, hard.sum(axis=1), 1e-14)[0],
                 "w for nearly dependent columns (do not form X.T @ X)", rtol=1e-3)
    return "right, also for nearly dependent columns"


def _ista(threshold, sign=1.0):
    def step(X, y, w, lam):
        L = np.linalg.norm(X, 2) ** 2
        return soft_threshold(w - sign * X.T @ (X @ w - y) / L, threshold(lam, L))
    return step


@exercise("ista_step", wrong={
    "threshold lambda": _ista(lambda lam, L: lam),
    "uphill": _ista(lambda lam, L: lam / L, sign=-1.0),
    "no threshold": _ista(lambda lam, L: 0.0),
})
def ista_step(step):
    """One proximal gradient step."""
    X, y, w = _problem(3)
    start = w.copy()
    for lam in (0.5, 20.0):
        expect_close(step(X, y, w, lam), proximal_gradient(X, y, lam, start, max_iter=1, tol=0).coef, f"w at lambda = {lam}")
        assert np.array_equal(w, start), "your function changed the caller's w; build a new array instead"
    return "right"


def _elastic(X, y, w, lam, mu, divide=True, threshold=True, fresh=True):
    w, r = np.array(w), y - X @ w
    for j, x in enumerate(X.T):
        z = x @ r + (x @ x) * w[j]
        new = (soft_threshold(z, lam) if threshold else z) / (x @ x + (mu if divide else 0))
        if fresh:
            r = r - (new - w[j]) * x
        w[j] = new
    return w


@exercise("elastic_sweep", wrong={
    "forgets mu": lambda X, y, w, lam, mu: coordinate_sweep(X, y, w, lam),
    "forgets lambda": lambda X, y, w, lam, mu: _elastic(X, y, w, lam, mu, threshold=False),
    "does not update the residual": lambda X, y, w, lam, mu: _elastic(X, y, w, lam, mu, fresh=False),
})
def elastic_sweep(sweep):
    """One sweep for both penalties: the lasso on rows sqrt(mu) I appended."""
    X, y, w = _problem(4)
    start = w.copy()
    for lam, mu in ((1.0, 2.0), (0.1, 0.5)):
        rows = np.vstack([X, np.sqrt(mu) * np.eye(4)])
        want = coordinate_sweep(rows, np.r_[y, np.zeros(4)], start, lam)
        expect_close(sweep(X, y, w, lam, mu), want, f"w for lambda = {lam}, mu = {mu}")
        assert np.array_equal(w, start), "your function changed the caller's w; work on a copy"
    return "right: the lasso with sqrt(mu) I appended to X gives the same"


@exercise("growing", wrong={
    "orthogonal columns": lambda: (np.eye(2), np.array([1.0, 2.0])),
    "one column": lambda: (np.ones((3, 1)), np.ones(3)),
    "the second grows instead": lambda: (np.array([[0.9, 1.0], [0.4, 0.0]]), np.array([0.9, 0.4])),
})
def growing(data):
    """Data for which ridge enlarges the first coefficient."""
    X, y = (np.asarray(part, float) for part in data())
    assert X.ndim == 2 and X.shape[1] == 2 and y.shape == (len(X),), "X must have two columns and y one value per row"
    assert np.linalg.matrix_rank(X) == 2, "the columns must be independent, so that lambda = 0 has one solution"
    before, after = np.abs(ridge_svd(X, y, [0.0, 1.0])[:, 0])
    assert after > before + 1e-6, f"|w_1| goes from {before:.4g} at lambda = 0 to {after:.4g} at lambda = 1; it should grow"
    return f"right: |w_1| grows from {before:.3f} to {after:.3f}"


@exercise("best_error", wrong={
    "least squares": lambda n, d, sigma, norm: d * sigma**2 / n,
    "only the variance": lambda n, d, sigma, norm: d * sigma**2 * n / (n + d * sigma**2 / norm**2) ** 2,
    "lambda without d": lambda n, d, sigma, norm: d * sigma**2 / (n + sigma**2 / norm**2),
})
def best_error(error):
    """The least error of ridge for orthogonal columns, by search over lambda."""
    for n, d, sigma, norm in ((20, 3, 1.0, 2.0), (50, 5, 2.0, 1.0)):
        X = np.sqrt(n) * np.eye(n)[:, :d]
        w = np.full(d, norm / np.sqrt(d))
        around = d * sigma**2 / norm**2 * np.geomspace(0.01, 100, 4001)
        want = ridge_error(X, w, sigma, around).total.min()
        expect_close(error(n, d, sigma, norm), want, f"the least error for n = {n}, d = {d}", rtol=1e-5)
    return "right, as if there were lambda more examples"
