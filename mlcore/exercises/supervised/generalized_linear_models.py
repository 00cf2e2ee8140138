"""Checks for the exercises of the chapter on generalized linear models."""

import numpy as np
from scipy.stats import nbinom

from mlcore.exercises.core import exercise, expect_close
from mlcore.foundations.mathematics import softmax
from mlcore.supervised.generalized_linear_models import (
    POISSON,
    GeneralizedLinearModel,
    Problem,
    irls_step,
    pearson_dispersion,
    runaway_direction,
)
from mlcore.supervised.linear_regression import add_intercept


@exercise("geometric", wrong={
    "mean of the number of trials": [4.0, 12.0],
    "a Poisson variance": [3.0, 3.0],
    "q for 1 - q": [1 / 3, 4 / 9],
})
def geometric(answer):
    """Mean and variance of the geometric law with q = 0.75."""
    expect_close(answer, [3.0, 12.0], "mean and variance", rtol=1e-3)
    return "right: the mean is q / (1 - q) and the variance q / (1 - q)^2"


@exercise("negative_binomial", wrong={
    "a Poisson variance": lambda mu, r: mu,
    "a gamma variance": lambda mu, r: mu**2 / r,
    "forgets that r divides": lambda mu, r: mu + mu**2,
    "multiplies by r": lambda mu, r: mu + r * mu**2,
})
def negative_binomial(variance):
    """The variance function of the negative binomial law with known r."""
    for r in (1.0, 2.5, 40.0):
        mu = np.array([0.3, 2.0, 9.0])
        want = nbinom(r, r / (r + mu)).var()
        expect_close(variance(mu, r), want, f"V(mu) for r = {r:g}")
    return "right: a Poisson variance plus a term that vanishes as r grows"


def _counts(seed=3, n=30):
    rng = np.random.default_rng(seed)
    X, exposure = add_intercept(rng.normal(size=(n, 2))), rng.uniform(0.5, 5, n)
    return X, rng.poisson(exposure * np.exp(X @ [0.3, 0.5, -0.4])).astype(float), np.log(exposure)


@exercise("poisson_ascent", wrong={
    "no offset": lambda theta, X, y, offset, step: theta + step * X.T @ (y - np.exp(X @ theta)),
    "downhill": lambda theta, X, y, offset, step: theta - step * X.T @ (y - np.exp(X @ theta + offset)),
    "a linear mean": lambda theta, X, y, offset, step: theta + step * X.T @ (y - X @ theta - offset),
    "the offset as a factor": lambda theta, X, y, offset, step: theta + step * X.T @ (y - offset * np.exp(X @ theta)),
})
def poisson_ascent(advance):
    """A step of gradient ascent for counts with an offset."""
    X, y, offset = _counts()
    theta = np.array([0.1, -0.2, 0.3])
    start = theta.copy()
    got = advance(theta, X, y, offset, 0.01)
    assert np.array_equal(theta, start), "your function changed the caller's theta; build a new array instead"
    expect_close(got, theta + 0.01 * X.T @ (y - np.exp(X @ theta + offset)), "theta after one step")
    for _ in range(2000):
        theta = advance(theta, X, y, offset, 0.002)
    fit = GeneralizedLinearModel("poisson").fit(X[:, 1:], y, offset=offset)
    expect_close(theta, np.r_[fit.intercept_, fit.coef_], "theta after 2,000 steps", rtol=1e-4)
    return "right, and 2,000 steps end where Fisher scoring ends"


def _canonical_gamma_step(theta, X, y):
    mu = np.exp(X @ theta)
    return theta + np.linalg.solve((X.T * mu**2) @ X, X.T @ (y - mu))


def _newton_gamma_step(theta, X, y):
    r = y * np.exp(-(X @ theta))
    return theta + np.linalg.solve((X.T * r) @ X, X.T @ (r - 1))


def _log_gamma_step(theta, X, y):
    return theta + np.linalg.lstsq(X, y / np.exp(X @ theta) - 1, rcond=None)[0]


@exercise("gamma_irls", wrong={
    "the canonical weights": _canonical_gamma_step,
    "the observed Hessian": _newton_gamma_step,
    "forgets the old score": lambda theta, X, y: _log_gamma_step(theta, X, y) - theta,
    "the working response of least squares": lambda theta, X, y: np.linalg.lstsq(X, np.log(y), rcond=None)[0],
})
def gamma_irls(step):
    """One step of IRLS for the gamma family with the log link."""
    rng = np.random.default_rng(8)
    X = add_intercept(rng.normal(size=(40, 2)))
    y = rng.gamma(2, np.exp(X @ [0.2, 0.5, -0.3]) / 2)
    theta = np.array([0.5, 0.1, 0.2])
    expect_close(step(theta, X, y), irls_step(theta, Problem(X, y, "gamma", "log")), "theta after one step")
    for _ in range(30):
        theta = step(theta, X, y)
    expect_close(X.T @ (y / np.exp(X @ theta)), X.sum(axis=0), "X^T (y / mu) after 31 steps (it should equal X^T 1)")
    return "right: with this link all weights are 1, and every step is an ordinary least-squares fit"


@exercise("no_poisson_maximizer", wrong={
    "counts that are all zero": lambda: (np.arange(5.0), np.zeros(5)),
    "zeros among positive counts": lambda: (np.arange(5.0), np.array([0.0, 1, 0, 2, 0])),
    "two groups": lambda: (np.array([0.0, 0, 1, 1]), np.array([1.0, 2, 0, 0])),
    "one value of x": lambda: (np.ones(4), np.array([0.0, 0, 1, 2])),
})
def no_poisson_maximizer(build):
    """Counts at three or more values of x for which no maximizer exists."""
    x, y = (np.asarray(part, float) for part in build())
    assert x.ndim == 1 and x.shape == y.shape, "return two arrays of equal length, the numbers x and the counts y"
    assert (y >= 0).all() and (y == np.round(y)).all(), "the counts must be whole numbers >= 0"
    assert y.max() > 0, "at least one count must be positive"
    assert len(np.unique(x)) >= 3, "x must take at least three values"
    assert runaway_direction(add_intercept(x[:, None]), y, POISSON) is not None, "these counts have a finite best fit; push harder"
    return "right: all positive counts sit at one end, so the slope can grow while the mean there stays"


@exercise("quasi_errors", wrong={
    "the Poisson errors": lambda X, y: GeneralizedLinearModel("poisson").fit(X, y).standard_errors_,
    "forgets the root": lambda X, y: _quasi(X, y, 1.0),
    "divides": lambda X, y: _quasi(X, y, -0.5),
})
def quasi_errors(errors):
    """Standard errors of a Poisson fit, widened by the dispersion."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 2))
    y = rng.poisson(np.exp(X @ [0.4, -0.2] + 1) * rng.gamma(1.5, 1 / 1.5, 60)).astype(float)
    expect_close(errors(X, y), _quasi(X, y, 0.5), "the standard errors (intercept first)", rtol=1e-5)
    return "right: the estimates stay, and what they are worth is told honestly"


def _quasi(X, y, power):
    model = GeneralizedLinearModel("poisson").fit(X, y)
    return model.standard_errors_ * pearson_dispersion(y, model.predict(X), "poisson", X.shape[1] + 1) ** power


@exercise("reference", wrong={
    "drops the row only": lambda Theta, c: np.delete(Theta, c, axis=0),
    "always the last class": lambda Theta, c: Theta[:-1] - Theta[-1],
    "keeps the row of zeros": lambda Theta, c: Theta - Theta[c],
    "the wrong sign": lambda Theta, c: np.delete(Theta[c] - Theta, c, axis=0),
})
def reference(pin):
    """Parameters of k classes, turned into k - 1 with class c as the reference."""
    rng = np.random.default_rng(2)
    Theta, X = rng.normal(size=(4, 3)), rng.normal(size=(6, 3))
    for c in (3, 1):
        pinned = np.asarray(pin(Theta, c), float)
        assert pinned.shape == (3, 3), f"the result should have shape (3, 3), got {pinned.shape}"
        eta = np.insert(X @ pinned.T, c, 0.0, axis=1)
        expect_close(softmax(eta, axis=1), softmax(X @ Theta.T, axis=1), f"the probabilities with reference class {c}")
    return "right: the parameters change with the reference, the probabilities do not"
