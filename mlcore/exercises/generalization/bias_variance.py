"""Checks of the exercises of chapter generalization/bias_variance."""

import numpy as np

from mlcore.exercises.core import exercise, expect_close
from mlcore.generalization.bias_variance import TRUTHS, isotropic_risk, polynomial_decomposition


@exercise("doubling", wrong={"everything doubles": (2, 2), "the bias grows too": (4, 4)})
def doubling(answer):
    """Factors by which variance and squared bias of a least-squares fit grow when sigma doubles."""
    assert np.shape(answer) == (2,), f"give two numbers, the factor of the variance and that of bias^2, got {answer!r}"
    small, large = (polynomial_decomposition(TRUTHS["sine"], 20, 2, s).mean() for s in (0.3, 0.6))
    expect_close(answer[0], large.variance / small.variance, "the factor of the variance")
    expect_close(answer[1], large.bias2 / small.bias2, "the factor of bias^2")
    return "right: the variance is proportional to sigma^2, the bias of a linear smoother does not see the noise"


@exercise("split_error", wrong={
    "bias without the square": lambda fits, truth: (abs(fits.mean(axis=0) - truth), fits.var(axis=0)),
    "averages over the inputs": lambda fits, truth: (((fits.mean(axis=0) - truth) ** 2).mean(), fits.var(axis=0).mean()),
    "divides by one less": lambda fits, truth: ((fits.mean(axis=0) - truth) ** 2, fits.var(axis=0, ddof=1)),
    "variance about the truth": lambda fits, truth: ((fits.mean(axis=0) - truth) ** 2, ((fits - truth) ** 2).mean(axis=0)),
})
def split_error(answer):
    """(bias2, variance) at each test input from a matrix of fits, one row a training set."""
    rng = np.random.default_rng(0)
    truth = rng.normal(size=6)
    fits = truth + 0.5 + rng.normal(size=(40, 6)) * np.arange(1, 7)
    result = answer(fits, truth)
    assert len(result) == 2, "return two arrays: bias2, variance"
    expect_close(result[0], (fits.sum(axis=0) / 40 - truth) ** 2, "bias2")
    expect_close(result[1], (fits**2).sum(axis=0) / 40 - (fits.sum(axis=0) / 40) ** 2, "variance")
    return "passed: the two add up to the mean squared distance between fits and truth"


def _neighbors(x, x_test, k):
    L = np.zeros((len(x_test), len(x)))
    for i, t in enumerate(x_test):
        L[i, np.argsort(abs(x - t), kind="stable")[:k]] = 1 / k
    return L


@exercise("knn_smoother", wrong={
    "weights that sum to k": lambda x, x_test, k: k * _neighbors(x, x_test, k),
    "transposed": lambda x, x_test, k: _neighbors(x, x_test, k).T,
    "nearest by index": lambda x, x_test, k: np.tile(np.arange(len(x)) < k, (len(x_test), 1)) / k,
})
def knn_smoother(answer):
    """Smoother matrix (m, n) of the mean of the k nearest targets."""
    rng = np.random.default_rng(1)
    x, x_test = rng.permutation(np.linspace(-1, 1, 12)) + 0.01 * rng.normal(size=12), rng.uniform(-1, 1, 7)
    for k in (1, 3, 12):
        L = np.asarray(answer(x, x_test, k), float)
        assert L.shape == (7, 12), f"for k = {k} the matrix should have shape (7, 12), one row per test input, got {L.shape}"
        expect_close(L.sum(axis=1), np.ones(7), f"the row sums for k = {k}")
        expect_close(L, _neighbors(x, x_test, k), f"the matrix for k = {k}")
    return "passed: each row has k weights 1/k, so its variance is sigma^2 / k"


@exercise("ridge_dof", wrong={
    "number of parameters": lambda s, ridge: len(s),
    "squares the fraction": lambda s, ridge: float(((s**2 / (s**2 + ridge)) ** 2).sum()),
    "s for s^2": lambda s, ridge: float((s / (s + ridge)).sum()),
})
def ridge_dof(answer):
    """Trace of X (X'X + ridge I)^{-1} X' from the singular values of X."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(15, 4)) * [1, 2, 3, 0.1]
    s = np.linalg.svd(X, compute_uv=False)
    for ridge in (0.0, 0.5, 30.0):
        want = np.trace(X @ np.linalg.solve(X.T @ X + ridge * np.eye(4), X.T))
        expect_close(answer(s, ridge), want, f"the degrees of freedom for ridge = {ridge}")
    return "passed: 4 parameters without penalty, fewer with it"


def _largest_bend(h, n):
    """Largest second difference of h on n equally spaced inputs."""
    return abs(np.diff(np.asarray(h(np.linspace(-1, 1, n)), float), n=2)).max()


@exercise("rising_bias", wrong={"sine": np.sin, "a quadratic": lambda x: x**2, "not finite": lambda x: 1 / (x - x),
                                "a jump": lambda x: 1.0 * (x > 0.03), "a corner": lambda x: abs(x - 0.03)})
def rising_bias(answer):
    """A smooth true function whose mean bias^2 on [-1, 1] is larger at degree 15 than at degree 6, n = 16."""
    with np.errstate(all="ignore"):
        values = np.asarray(answer(np.linspace(-1, 1, 101)), float)
    assert values.shape == (101,) and np.isfinite(values).all(), "your function must return one finite number for every input in [-1, 1]"
    # half the step, a quarter of the bend: of a corner half remains, of a jump all
    assert _largest_bend(answer, 8001) < 0.3 * _largest_bend(answer, 4001) + 1e-9, "your function has a jump or a corner; give a smooth one"
    low, high = (polynomial_decomposition(lambda x: np.asarray(answer(x), float), 16, d, 0.0).mean().bias2 for d in (6, 15))
    assert high > low + 1e-6, f"bias^2 is {low:.2g} at degree 6 and {high:.2g} at degree 15: it should be clearly larger at 15"
    return f"passed: bias^2 rises from {low:.2g} at degree 6 to {high:.2g} at degree 15"


@exercise("best_ridge", wrong={"no penalty": 0.0, "a sledgehammer": 100.0, "p sigma^2, the rule for Gaussian features": 4.0})
def best_ridge(answer):
    """Ridge that minimizes the exact total error: sine, n = 20, degree 15, sigma = 0.5."""
    assert np.ndim(answer) == 0 and np.isfinite(answer) and answer >= 0, f"give one number >= 0, got {answer!r}"

    def total(ridge):
        return polynomial_decomposition(TRUTHS["sine"], 20, 15, 0.5, ridge).mean().total

    best = min(total(r) for r in np.geomspace(1e-3, 1e2, 401))
    mine = total(float(answer))
    assert mine < 1.01 * best, f"the total error at your ridge is {mine:.4f}; a better one reaches {best:.4f}"
    return f"passed: total error {mine:.3f}, against {total(0.0):.3f} without a penalty"


def _risks(n, sigma, coefficients):
    squares = np.asarray(coefficients, float) ** 2
    return [isotropic_risk(n, p, sigma, squares[:p].sum(), squares[p:].sum()) for p in range(len(squares) + 1)]


@exercise("best_size", wrong={
    "as many features as samples": lambda n, sigma, coefficients: n,
    "all features": lambda n, sigma, coefficients: len(coefficients),
    "forgets the unseen features": lambda n, sigma, coefficients: int(np.argmin(
        [isotropic_risk(n, p, sigma, (np.asarray(coefficients)[:p] ** 2).sum()) for p in range(len(coefficients) + 1)])),
})
def best_size(answer):
    """Number of leading features with the smallest exact risk."""
    cases = {"decaying coefficients": (30, 0.3, 1 / np.arange(1, 101) ** 1.5), "equal coefficients": (30, 0.3, np.full(100, 0.1)),
             "much data": (400, 0.3, 1 / np.arange(1, 101) ** 1.5)}
    for what, (n, sigma, coefficients) in cases.items():
        got = answer(n, sigma, coefficients)
        risks = _risks(n, sigma, coefficients)
        assert isinstance(got, (int, np.integer)) and 0 <= got <= 100, f"{what}: give an integer from 0 to 100, got {got!r}"
        best = int(np.argmin(risks))
        assert got == best, f"{what}: {got} features have risk {risks[got]:.3f}, but {best} reach {risks[best]:.3f}"
    return "passed: few strong features, all weak ones, and more of them as n grows"
