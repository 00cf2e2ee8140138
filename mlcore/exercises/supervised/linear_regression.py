"""Checks of the exercises of the chapter on linear regression."""

import numpy as np

from mlcore.datasets import load_portland, make_linear
from mlcore.exercises.core import exercise, expect_close
from mlcore.supervised.linear_regression import (
    LinearRegression,
    LocallyWeightedRegression,
    add_intercept,
    lms_step,
    normal_equations,
    qr_least_squares,
    stochastic_gradient_descent,
    weighted_least_squares,
)

SQUARE_METERS = 0.09290304  # in one square foot


@exercise("units", wrong={
    "the coefficients as they were": (89.60, 0.1392, -8.738),
    "multiplies where it should divide": (89600, 139.2 * SQUARE_METERS, -8738),
    "forgets the dollars": (89.60, 0.1392 / SQUARE_METERS, -8.738),
})
def units(answer):
    """The three coefficients in dollars and square meters."""
    model = LinearRegression().fit(*load_portland()[:2])
    want = 1000 * np.array([model.intercept_, model.coef_[0] / SQUARE_METERS, model.coef_[1]])
    expect_close(answer, want, "(intercept, dollars per square meter, dollars per bedroom)", rtol=2e-3)
    return "right"


def _batch_step(theta, X, y, alpha):
    return theta + alpha * X.T @ (y - X @ theta)


def _epoch_uphill(theta, X, y, alpha):
    for x, target in zip(X, y):
        theta = theta - alpha * (target - x @ theta) * x
    return theta


@exercise("lms_epoch", wrong={
    "one batch step": _batch_step,
    "moves uphill": _epoch_uphill,
    "does not move": lambda theta, X, y, alpha: theta,
})
def lms_epoch(epoch):
    """One pass of the stochastic rule."""
    X, y = make_linear(n=12, coef=(2.0, -1.0, 0.5), noise=0.3, rng=5)
    theta = np.array([0.3, -0.2, 0.1])
    start = theta.copy()
    want = stochastic_gradient_descent(X, y, 0.05, theta=start, epochs=1).theta
    got = epoch(theta, X, y, 0.05)
    assert np.array_equal(theta, start), "your function changed the caller's theta; build a new array instead"
    assert not np.allclose(got, _batch_step(start, X, y, 0.05)), "this is one batch step: use the new theta for the next example"
    expect_close(got, want, "theta after one pass")
    return "right, twelve updates"


@exercise("weighted_normal", wrong={
    "ignores the weights": lambda X, y, w: normal_equations(X, y),
    "squares the weights": lambda X, y, w: normal_equations(w[:, None] * X, w * y),
    "weighs one side only": lambda X, y, w: np.linalg.solve(X.T @ X, X.T @ (w * y)),
})
def weighted_normal(solve):
    """Weighted least squares."""
    rng = np.random.default_rng(7)
    X = add_intercept(rng.normal(size=(15, 2)))
    y, w = rng.normal(size=15), rng.uniform(0.1, 3, size=15)
    expect_close(solve(X, y, w), weighted_least_squares(X, y, w), "theta", rtol=1e-6)
    counts = np.arange(15) % 3
    expect_close(solve(X, y, counts.astype(float)), normal_equations(np.repeat(X, counts, axis=0), np.repeat(y, counts)),
                 "theta for weights 0, 1, 2 (rows left out, kept, doubled)", rtol=1e-6)
    return "right, weight 2 = a row twice"


@exercise("noise_variance", wrong={
    "maximum likelihood, biased": lambda X, y: float(np.mean((y - X @ qr_least_squares(X, y)) ** 2)),
    "forgets the intercept": lambda X, y: float(((y - X @ qr_least_squares(X, y)) ** 2).sum() / (len(y) - X.shape[1] + 1)),
    "the variance of y": lambda X, y: float(y.var()),
})
def noise_variance(estimate):
    """An estimate of sigma^2 whose mean is sigma^2."""
    rng = np.random.default_rng(3)
    X = add_intercept(rng.normal(size=(9, 4)))
    values = [estimate(X, X @ np.arange(5.0) + 2 * rng.normal(size=9)) for _ in range(4000)]
    error, mean = np.std(values) / np.sqrt(len(values)), np.mean(values)
    assert abs(mean - 4) < 4 * error, f"over 4000 data sets with sigma^2 = 4 the average estimate is {mean:.2f}; it should be 4"
    return "right, no bias"


@exercise("break_normal_equations", wrong={
    "a harmless matrix": lambda: add_intercept(np.random.default_rng(0).normal(size=(30, 2))),
    "exactly dependent columns": lambda: np.column_stack([np.arange(30.0), 2 * np.arange(30.0)]),
    "more columns than rows": lambda: np.random.default_rng(0).normal(size=(3, 5)),
})
def break_normal_equations(build):
    """A design matrix that QR can handle and the normal equations cannot."""
    X = np.asarray(build(), float)
    assert X.ndim == 2 and X.shape[0] >= X.shape[1], f"X needs at least as many rows as columns, got shape {X.shape}"
    y = X @ np.ones(X.shape[1])
    try:
        qr = np.abs(qr_least_squares(X, y) - 1).max()
    except ValueError:
        raise AssertionError("QR finds your columns dependent too; leave them a little freedom") from None
    assert qr < 0.01, f"QR is off by {qr:.2g}; it should still be right within 0.01"
    try:
        normal = np.abs(normal_equations(X, y) - 1).max()
    except ValueError:
        return "right, only QR survives"
    assert normal > 0.01, f"the normal equations are still right within {normal:.1g}; make the columns more nearly dependent"
    return "right, only QR survives"


def _lwr_with(weight):
    def predict(X, y, query, tau):
        w = weight(((X - query) ** 2).sum(axis=1), tau)
        return np.r_[1.0, query] @ weighted_least_squares(add_intercept(X), y, w)
    return predict


def _local_mean(X, y, query, tau):
    w = np.exp(-((X - query) ** 2).sum(axis=1) / (2 * tau**2))
    return w @ y / w.sum()


@exercise("lwr_predict", wrong={
    "weights that grow with the distance": _lwr_with(lambda d2, tau: 1 - np.exp(-d2 / (2 * tau**2))),
    "tau where tau squared belongs": _lwr_with(lambda d2, tau: np.exp(-d2 / (2 * tau))),
    "a weighted mean instead of a line": _local_mean,
    "the straight line for all": _lwr_with(lambda d2, tau: np.ones_like(d2)),
})
def lwr_predict(predict):
    """Locally weighted regression at one query."""
    rng = np.random.default_rng(11)
    X = rng.uniform(-2, 2, size=(30, 2))
    y = np.sin(2 * X[:, 0]) + X[:, 1]
    for tau in (0.6, 3.0):
        model = LocallyWeightedRegression(tau=tau).fit(X, y)
        for query in ([0.3, -0.4], [1.5, 1.0]):
            expect_close(predict(X, y, np.array(query), tau), model.predict([query])[0], f"the prediction at {query} with tau = {tau}")
    return "right, near rows count"


def _reversed_fixed_point(X, y, alpha):
    M, c = np.eye(X.shape[1]), np.zeros(X.shape[1])
    for x, target in zip(X[::-1], y[::-1]):
        M, c = M - alpha * np.outer(x, x @ M), c + alpha * (target - x @ c) * x
    return np.linalg.solve(np.eye(len(c)) - M, c)


@exercise("cyclic_fixed_point", wrong={
    "the least-squares solution": lambda X, y, alpha: normal_equations(X, y),
    "examples in the wrong order": _reversed_fixed_point,
})
def cyclic_fixed_point(find):
    """Where constant-step, fixed-order descent ends up."""
    X, y = make_linear(n=8, coef=(1.0, -1.0), noise=1.0, rng=2)
    got = np.asarray(find(X, y, 0.1), float)
    assert got.shape == (2,), f"the fixed point should have shape (2,), got {got.shape}"
    theta = got
    for x, target in zip(X, y):
        theta = lms_step(theta, x, target, 0.1)
    expect_close(theta, got, "theta after one more pass (it should come back to where it started)", rtol=1e-7)
    return "right, it stays put"
