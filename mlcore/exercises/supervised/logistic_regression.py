"""Checks of the exercises of the chapter on logistic regression."""

import numpy as np

from mlcore.exercises.core import exercise, expect_close
from mlcore.foundations.mathematics import log_softmax, sigmoid, softmax
from mlcore.supervised.linear_regression import add_intercept
from mlcore.supervised.logistic_regression import (
    log_likelihood_gradient,
    log_likelihood_hessian,
    newton_ascent,
    one_hot,
    separation,
    softmax_cost_gradient,
)


def _overlapping(seed=2, n=30, d=2):
    """Two classes that overlap, with a column of ones."""
    rng = np.random.default_rng(seed)
    X = add_intercept(rng.normal(size=(n, d)))
    return X, (rng.random(n) < sigmoid(X @ np.linspace(0.5, -1, d + 1))).astype(int)


@exercise("odds", wrong={
    "adds the coefficient to the probability": (0.9, 0.9, 0.9),
    "multiplies the probability": (0.2 * np.e, 0.5 * np.e, 0.8 * np.e),
    "the probabilities as they were": (0.2, 0.5, 0.8),
})
def odds(answer):
    """The probabilities 0.2, 0.5, 0.8 after the logit grew by 1."""
    p = np.array([0.2, 0.5, 0.8])
    expect_close(answer, np.e * p / (1 - p + np.e * p), "the three new probabilities", rtol=5e-3)
    return "right: the odds are multiplied by e, the probabilities are not"


@exercise("signed_gradient", wrong={
    "labels 0 and 1 in the place of -1 and +1": lambda w, X, y: X.T @ (sigmoid(X @ w) - y) / len(y),
    "the sigmoid of the margin instead of its negative": lambda w, X, y: -X.T @ (y * sigmoid(y * (X @ w))) / len(y),
    "uphill": lambda w, X, y: X.T @ (y * sigmoid(-y * (X @ w))) / len(y),
    "a sum": lambda w, X, y: -X.T @ (y * sigmoid(-y * (X @ w))),
})
def signed_gradient(gradient):
    """Gradient of the mean cross-entropy with labels -1 and +1."""
    X, y = _overlapping()
    w = np.array([0.3, -0.8, 1.1])
    expect_close(gradient(w, X, 2 * y - 1), -log_likelihood_gradient(w, X, y) / len(y), "the gradient")
    with np.errstate(over="raise"):
        got = gradient(1e4 * w, X, 2 * y - 1)
    assert np.isfinite(got).all(), "your gradient overflows for large weights; use sigmoid of mlcore"
    return "right, and equal to the 0/1 form"


def _newton_plus(theta, X, y, alpha):
    H = log_likelihood_hessian(theta, X)
    return theta + np.linalg.solve(H, log_likelihood_gradient(theta, X, y))


def _newton_unpenalized(theta, X, y, alpha):
    H = log_likelihood_hessian(theta, X)
    return theta - np.linalg.solve(H, log_likelihood_gradient(theta, X, y))


def _newton_ridge(theta, X, y, alpha):
    H = log_likelihood_hessian(theta, X) - alpha * np.eye(len(theta))
    return theta - np.linalg.solve(H, log_likelihood_gradient(theta, X, y) - alpha * theta)


def _newton_half(theta, X, y, alpha):
    H = log_likelihood_hessian(theta, X) - alpha * np.eye(len(theta))
    return theta - np.linalg.solve(H, log_likelihood_gradient(theta, X, y))


@exercise("ridge_newton", wrong={
    "the wrong sign": _newton_plus,
    "no penalty at all": _newton_unpenalized,
    "penalty in the Hessian only": _newton_half,
    "twice the penalty": lambda theta, X, y, alpha: _newton_ridge(theta, X, y, 2 * alpha),
})
def ridge_newton(step):
    """A Newton step for l(theta) - alpha/2 |theta|^2."""
    X, y = _overlapping()
    theta = np.array([0.2, 0.1, -0.4])
    want = _newton_ridge(theta, X, y, 2.5)
    start = theta.copy()
    expect_close(step(theta, X, y, 2.5), want, "theta after one step with alpha = 2.5")
    assert np.array_equal(theta, start), "your function changed the caller's theta; build a new array instead"
    for _ in range(8):
        theta = step(theta, X, y, 2.5)
    expect_close(2.5 * theta, log_likelihood_gradient(theta, X, y), "alpha theta after nine steps (it should equal the gradient of l)")
    return "right: at the end the pull of the data equals the pull of the penalty"


@exercise("no_maximizer", wrong={
    "classes that overlap": lambda: (np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), np.array([0, 1, 0, 1, 0, 1])),
    "a gap between the classes": lambda: (np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), np.array([0, 0, 0, 1, 1, 1])),
    "one class": lambda: (np.arange(6.0), np.zeros(6, int)),
})
def no_maximizer(build):
    """Quasi-complete separation in one dimension."""
    x, y = build()
    x, y = np.asarray(x, float), np.asarray(y)
    assert x.ndim == 1 and x.shape == y.shape, "return two arrays of equal length, the numbers x and the labels y"
    assert set(y.tolist()) == {0, 1}, "both labels, 0 and 1, must occur"
    assert len(np.unique(x)) > 1, "x must take at least two values"
    kind = separation(add_intercept(x[:, None]), y)
    assert kind != "none", "these classes overlap, so the likelihood has a maximizer"
    assert kind == "quasi-complete", "some threshold separates these classes without error; they should only touch"
    return "right: nobody can draw an errorless threshold, and still there is no maximizer"


def _pull_only(Theta, X, y, step):
    Y = one_hot(y, len(Theta))
    return Theta + step / len(y) * (Y * (1 - softmax(X @ Theta.T))).T @ X


@exercise("softmax_step", wrong={
    "only the right class learns": _pull_only,
    "uphill": lambda Theta, X, y, step: Theta + step / len(y) * softmax_cost_gradient(Theta, X, y),
    "a sum for the mean": lambda Theta, X, y, step: Theta - step * softmax_cost_gradient(Theta, X, y),
})
def softmax_step(advance):
    """One step of descent on the mean cross-entropy."""
    rng = np.random.default_rng(9)
    X, y, Theta = add_intercept(rng.normal(size=(20, 2))), rng.integers(0, 4, 20), rng.normal(size=(4, 3))
    start = Theta.copy()
    got = advance(Theta, X, y, 0.3)
    assert np.array_equal(Theta, start), "your function changed the caller's Theta; build a new array instead"
    expect_close(got, Theta - 0.3 / 20 * softmax_cost_gradient(Theta, X, y), "Theta after one step")
    return "right: the true class is pulled, all others are pushed"


def _scaled(logits, y, temperature):
    return -log_softmax(logits / temperature, axis=1)[np.arange(len(y)), y].mean()


@exercise("temperature", wrong={
    "leaves the logits alone": lambda logits, y: 1.0,
    "the inverse": lambda logits, y: 1 / _best_temperature(logits, y),
})
def temperature(fit):
    """The temperature that minimizes the cross-entropy of logits / T."""
    rng = np.random.default_rng(12)
    logits = 3 * rng.normal(size=(400, 3))
    y = np.array([rng.choice(3, p=p) for p in softmax(logits / 2.5)])
    expect_close(fit(logits, y), _best_temperature(logits, y), "the temperature", rtol=5e-3)
    return "right: the cross-entropy is as low as one number can make it, and no prediction has changed"


def _best_temperature(logits, y):
    grid = np.geomspace(0.05, 20, 4001)
    return float(grid[np.argmin([_scaled(logits, y, t) for t in grid])])


@exercise("standard_errors", wrong={
    "the diagonal of the information": lambda X, y: np.sqrt(np.diag(-log_likelihood_hessian(newton_ascent(X, y).x, X))),
    "forgets the root": lambda X, y: np.diag(np.linalg.inv(-log_likelihood_hessian(newton_ascent(X, y).x, X))),
    "inverts the diagonal": lambda X, y: 1 / np.sqrt(np.diag(-log_likelihood_hessian(newton_ascent(X, y).x, X))),
})
def standard_errors(estimate):
    """Square roots of the diagonal of the inverse information."""
    X, y = _overlapping(seed=4, n=80)
    X = X @ np.array([[1.0, 0, 0], [0, 1, 0.8], [0, 0, 1]])
    theta = newton_ascent(X, y).x
    want = np.sqrt(np.diag(np.linalg.inv(-log_likelihood_hessian(theta, X))))
    expect_close(estimate(X, y), want, "the standard errors", rtol=1e-5)
    return "right: the steeper the likelihood bends, the surer the parameter"
