"""Checks of the exercises of chapter foundations/mathematics."""

from contextlib import ExitStack, contextmanager
from itertools import combinations
from unittest.mock import patch

import numpy as np

from mlcore.exercises.core import exercise, expect_close
from mlcore.foundations.mathematics import gaussian_conditional, logsumexp, numerical_gradient


@exercise("units", wrong={
    "both change": (-4 * np.log(100), -np.log(100)), "one dimension": (-np.log(100), 0.0), "wrong sign": (4 * np.log(100), 0.0),
})
def units(answer):
    """Change of the entropy and of the mutual information when four measured values shrink by 100."""
    assert np.shape(answer) == (2,), f"give two numbers, for the entropy and for the mutual information, got {answer!r}"
    expect_close(answer[0], -4 * np.log(100), "the change of the entropy", atol=0.05)  # one decimal is enough
    expect_close(answer[1], 0.0, "the change of the mutual information")
    return "right: the entropy depends on the units, the information does not"


@contextmanager
def _no_system_beyond(size, message):
    """While it lasts, numpy's inverse and solvers refuse a matrix larger than ``size``, with the message."""
    def guarded(function):
        def call(matrix, *args, **kwargs):
            assert np.shape(matrix)[-1] <= size, message
            return function(matrix, *args, **kwargs)
        return call

    with ExitStack() as stack:
        for name in ("inv", "pinv", "solve", "lstsq"):
            stack.enter_context(patch.object(np.linalg, name, guarded(getattr(np.linalg, name))))
        yield


def _mean_exp(a, axis):
    return np.log(np.mean(np.exp(np.clip(a, -700, 700)), axis=axis))


def _one_shift(a, axis):
    with np.errstate(divide="ignore"):
        return a.max() + np.log(np.mean(np.exp(a - a.max()), axis=axis))


@exercise("log_mean_exp", wrong={
    "overflow clipped away": _mean_exp,
    "one shift for the whole array": _one_shift,
    "sum instead of mean": lambda a, axis: logsumexp(a, axis),
    "mean of the logarithms": lambda a, axis: np.mean(a, axis=axis),
})
def log_mean_exp(answer):
    """Log of the mean of exp(a) along an axis, for any size of a."""
    rng = np.random.default_rng(0)
    moderate = rng.normal(size=(3, 4))
    for axis in (0, 1):
        want = np.log(np.exp(moderate).mean(axis=axis))
        expect_close(answer(moderate.copy(), axis), want, f"the result along axis {axis} of a 3 x 4 array")
        for shift in (1000.0, -1000.0):
            expect_close(answer(moderate + shift, axis), want + shift, f"the result for entries near {shift:.0f}")
    apart = np.array([[1000.0, 1001.0], [-1000.0, -1001.0]])
    want = np.log1p(np.exp(-1)) - np.log(2) + np.array([1001.0, -1000.0])
    expect_close(answer(apart, 1), want, "the result for one row near 1000 and one near -1000")
    gaps = np.array([[-np.inf, 0.0], [-np.inf, -np.inf]])
    got = np.asarray(answer(gaps, 1), float)
    assert not np.isnan(got).any(), "a row with -inf gives NaN; -inf - (-inf) is not a number"
    expect_close(got[0], -np.log(2), "the result for (-inf, 0)")
    assert got[1] == -np.inf, f"a row of -inf should give -inf, got {got[1]}"
    return "passed: right for entries near 1000, near -1000 and at -inf"


@exercise("not_a_covariance", wrong={
    "a correlation matrix": np.eye(3),
    "correlations too large": np.array([[1, 0.95, -0.95], [0.95, 1, 0.95], [-0.95, 0.95, 1]]),
    "not symmetric": np.array([[1, 0.8, -0.8], [-0.8, 1, 0.8], [-0.8, 0.8, 1]]),
})
def not_a_covariance(answer):
    """A 3 x 3 matrix with unit diagonal and moderate correlations that is not positive semidefinite."""
    matrix = np.asarray(answer, float)
    assert matrix.shape == (3, 3), f"give a 3 x 3 matrix, got shape {matrix.shape}"
    assert np.isfinite(matrix).all() and np.allclose(matrix, matrix.T), "the matrix should be symmetric"
    assert np.allclose(np.diag(matrix), 1), "the variances, on the diagonal, should be 1"
    off = np.abs(matrix[np.triu_indices(3, 1)])
    assert (off < 0.9).all(), f"each correlation should lie strictly between -0.9 and 0.9, the largest is {off.max():.3g}"
    smallest = np.linalg.eigvalsh(matrix)[0]
    assert smallest < -1e-6, f"this matrix is a possible correlation matrix: its smallest eigenvalue is {smallest:.3g}"
    return f"passed: the smallest eigenvalue is {smallest:.2f}, so some combination would have a negative variance"


@exercise("factor_gradients", wrong={
    "wrong sign": lambda R, U, V, lam: (2 * (R - U @ V.T) @ V + 2 * lam * U, 2 * (R - U @ V.T).T @ U + 2 * lam * V),
    "factor 2 missing": lambda R, U, V, lam: (-(R - U @ V.T) @ V + lam * U, -(R - U @ V.T).T @ U + lam * V),
    "no penalty": lambda R, U, V, lam: (-2 * (R - U @ V.T) @ V, -2 * (R - U @ V.T).T @ U),
})
def factor_gradients(answer):
    """Gradients of |R - U V^T|^2 + lam (|U|^2 + |V|^2), against central differences."""
    rng = np.random.default_rng(1)
    R, U, V, lam = rng.normal(size=(5, 4)), rng.normal(size=(5, 2)), rng.normal(size=(4, 2)), 0.3

    def f(U, V):
        return ((R - U @ V.T) ** 2).sum() + lam * ((U**2).sum() + (V**2).sum())

    result = answer(R, U, V, lam)
    assert isinstance(result, tuple | list) and len(result) == 2, "return two arrays, the gradients for U and for V"
    expect_close(result[0], numerical_gradient(lambda A: f(A, V), U), "the gradient for U", rtol=1e-5, atol=1e-6)
    expect_close(result[1], numerical_gradient(lambda A: f(U, A), V), "the gradient for V", rtol=1e-5, atol=1e-6)
    return "passed: both agree with central differences"


@exercise("rank_one_update", wrong={
    "plus for minus": lambda A_inv, u, v: A_inv + np.outer(A_inv @ u, v @ A_inv) / (1 + v @ A_inv @ u),
    "u and v exchanged": lambda A_inv, u, v: A_inv - np.outer(A_inv @ v, u @ A_inv) / (1 + u @ A_inv @ v),
    "denominator forgotten": lambda A_inv, u, v: A_inv - np.outer(A_inv @ u, v @ A_inv),
    "inverted from scratch": lambda A_inv, u, v: np.linalg.inv(np.linalg.inv(A_inv) + np.outer(u, v)),
})
def rank_one_update(answer):
    """Inverse of A + u v^T from the inverse of A."""
    rng = np.random.default_rng(2)
    for n in (1, 4, 7):
        A, u, v = rng.normal(size=(n, n)) + 4 * np.eye(n), rng.normal(size=n), rng.normal(size=n)
        A_inv, want = np.linalg.inv(A), np.linalg.inv(A + np.outer(u, v))
        with _no_system_beyond(1, f"the update for n = {n} calls an inverse or a solver; O(n^2) operations suffice"):
            got = answer(A_inv, u, v)
        expect_close(got, want, f"the inverse for n = {n}", rtol=1e-6, atol=1e-9)
    return "passed: equal to the inverse computed from scratch"


@exercise("condition_by_precision", wrong={
    "plus for minus": lambda mu, L, a, b, x: (mu[a] + np.linalg.inv(L[np.ix_(a, a)]) @ L[np.ix_(a, b)] @ (x - mu[b]),
                                              np.linalg.inv(L[np.ix_(a, a)])),
    "marginal covariance": lambda mu, L, a, b, x: (mu[a] - np.linalg.inv(L[np.ix_(a, a)]) @ L[np.ix_(a, b)] @ (x - mu[b]),
                                                   np.linalg.inv(L)[np.ix_(a, a)]),
    "mean not moved": lambda mu, L, a, b, x: (mu[a], np.linalg.inv(L[np.ix_(a, a)])),
    "by way of the covariance": lambda mu, L, a, b, x: gaussian_conditional(mu, np.linalg.inv(L), b, x),
})
def condition_by_precision(answer):
    """Conditional mean and covariance from blocks of the precision matrix."""
    rng = np.random.default_rng(3)
    root, mu = rng.normal(size=(5, 5)), rng.normal(size=5)
    Sigma = root @ root.T + 0.2 * np.eye(5)
    for b in ([1, 3], [0, 2, 4]):
        a = [i for i in range(5) if i not in b]
        x = rng.normal(size=len(b))
        precision = np.linalg.inv(Sigma)
        with _no_system_beyond(len(a), f"a matrix larger than the block aa, {len(a)} x {len(a)}, is inverted or solved with"):
            result = answer(mu, precision, a, b, x)
        assert isinstance(result, tuple | list) and len(result) == 2, "return two arrays, the mean and the covariance"
        mean, covariance = gaussian_conditional(mu, Sigma, b, x)
        expect_close(result[0], mean, f"the mean given the coordinates {b}", rtol=1e-6, atol=1e-8)
        expect_close(result[1], covariance, f"the covariance given the coordinates {b}", rtol=1e-6, atol=1e-8)
    return "passed: the same as conditioning with covariances"


@exercise("maxent_counts", wrong={
    "Poisson": lambda counts, m: np.exp(-m + counts * np.log(m) - np.array([np.log(np.arange(1, k + 1)).sum() for k in counts])),
    "r = 1 / (1 + m)": lambda counts, m: m / (1 + m) * (1 / (1 + m)) ** counts,
    "not normalized": lambda counts, m: (m / (1 + m)) ** counts,
})
def maxent_counts(answer):
    """Probabilities of the distribution on 0, 1, 2, ... of largest entropy with mean m."""
    counts = np.arange(2000)
    for m in (0.4, 3.0, 12.0):
        p = np.asarray(answer(counts, m), float)
        assert p.shape == counts.shape, f"return one probability per count, shape {counts.shape}, got {p.shape}"
        assert (p >= 0).all(), f"for m = {m} a probability is negative: {p.min():.4g}"
        expect_close(p.sum(), 1.0, f"the sum of the probabilities for m = {m}")
        expect_close(p @ counts, m, f"the mean for m = {m}")
        entropy = -(p[p > 0] * np.log(p[p > 0])).sum()
        best = (1 + m) * np.log(1 + m) - m * np.log(m)
        assert entropy > best - 1e-6, f"for m = {m} the entropy is {entropy:.4f}, but {best:.4f} is possible"
    return "passed: normalized, with the right mean, and of the largest entropy"


@exercise("best_pair", wrong={
    "total twice": [("total", "HDL"), ("total", "HDL")],
    "the most correlated": [("total", "glucose"), ("glucose", "BMI")],
    "unknown name": [("total", "HDL"), ("weight", "BMI")],
})
def best_pair(answer):
    """The two pairs of measurements that leave the smallest variance of LDL, with and without the total."""
    from sklearn.datasets import load_diabetes

    data = load_diabetes(scaled=False).data
    columns = {"age": 0, "BMI": 2, "blood pressure": 3, "glucose": 9, "total": 4, "HDL": 6}
    assert len(answer) == 2 and all(len(pair) == 2 for pair in answer), "give two pairs of names"
    unknown = [name for pair in answer for name in pair if name not in columns]
    assert not unknown, f"{unknown[0]!r} is not one of {', '.join(columns)}"

    def left_over(pair):
        X = data[:, [columns[pair[0]], columns[pair[1]], 5]]
        return gaussian_conditional(X.mean(axis=0), np.cov(X.T), [0, 1], [0.0, 0.0])[1][0, 0]

    for pair, allowed, case in zip(answer, (set(columns), set(columns) - {"total"}), ("with the total", "without the total")):
        assert set(pair) <= allowed and len(set(pair)) == 2, f"{case}: {tuple(pair)} is not a pair of the allowed measurements"
        best = min(left_over(p) for p in combinations(sorted(allowed), 2))
        assert left_over(pair) <= best * (1 + 1e-9), f"{case}: another pair than {tuple(pair)} leaves a smaller variance"
    return "right: HDL helps the total most, and without the total little helps"
