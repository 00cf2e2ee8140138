"""What noise does to least squares: the Gaussian likelihood, the hat matrix, the expected errors."""

from typing import NamedTuple

import numpy as np

from mlcore.base import check_array, check_number, check_rng
from mlcore.supervised.linear_regression.descent import add_intercept, squared_cost
from mlcore.supervised.linear_regression.least_squares import svd_least_squares
from mlcore.takes import takes


@takes(theta="d", X="n d", y="n")
def gaussian_log_likelihood(theta, X, y, sigma):
    """Log-likelihood of theta under y = X theta + N(0, sigma^2) noise (eq-lr-loglik)."""
    check_number(sigma, "sigma", low=0, open_low=True)
    return float(-len(y) * np.log(np.sqrt(2 * np.pi) * sigma) - squared_cost.core(theta, X, y) / sigma**2)


@takes(X="n d", y="n")
def gaussian_mle(X, y):
    """Maximum-likelihood theta (least squares) and sigma (root mean squared residual, eq-lr-sigma).

    >>> theta, sigma = gaussian_mle(np.array([[1.0], [1.0]]), np.array([1.0, 3.0]))
    >>> theta.round(6), round(sigma, 6)
    (array([2.]), 1.0)
    """
    theta = svd_least_squares.core(X, y)[0]
    return theta, float(np.sqrt(np.mean((y - X @ theta) ** 2)))


def hat_matrix(X):
    """Orthogonal projector onto the columns of X, so that H y is the fit (eq-lr-hat); its trace is the rank.

    >>> hat_matrix(np.array([[1.0], [1.0]]))
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    X = check_array(X)
    U, s, _ = np.linalg.svd(X, full_matrices=False)
    U = U[:, s > max(X.shape) * np.finfo(float).eps * s[0]]
    return U @ U.T


class ExpectedErrors(NamedTuple):
    """Expected mean squared errors of least squares: on the training targets, on new targets at the same inputs,
    and on new targets at fresh Gaussian inputs."""

    inside: float
    same_inputs: float
    fresh_inputs: float


@takes()
def expected_errors(n, d, sigma=1.0):
    """Exact expected errors of a fit with intercept to n rows of d features of a linear target (thm-lr-errors, thm-lr-fresh).

    Fresh inputs are Gaussian and need n > d + 2; otherwise that expectation is infinite.

    >>> [round(error, 5) for error in expected_errors(n=20, d=5)]
    [0.7, 1.3, 1.45385]
    """
    check_number(d, "d", low=0, integer=True)
    check_number(n, "n", low=d + 1, integer=True)
    check_number(sigma, "sigma", low=0)
    p = d + 1
    fresh = (1 + 1 / n) * (n - 2) / (n - d - 2) if n > d + 2 else np.inf
    return ExpectedErrors(*(sigma**2 * np.array([1 - p / n, 1 + p / n, fresh])).tolist())


@takes(n="integer >= 1", d="integer >= 0", sigma="number >= 0", runs="integer >= 1")
def simulate_errors(n, d, sigma=1.0, runs=1000, rng=None):
    """Average the three errors of :func:`expected_errors` over simulated Gaussian data sets, for comparison."""
    rng = check_rng(rng)
    total = np.zeros(3)
    for _ in range(runs):
        theta = rng.normal(size=d + 1)
        X, fresh = (add_intercept(rng.normal(size=(n, d))) for _ in range(2))
        signal = X @ theta
        y = signal + sigma * rng.normal(size=n)
        fit = svd_least_squares.core(X, y)[0]
        total += (np.mean((y - X @ fit) ** 2),
                  np.mean((signal + sigma * rng.normal(size=n) - X @ fit) ** 2),
                  np.mean((fresh @ (theta - fit) + sigma * rng.normal(size=n)) ** 2))
    return ExpectedErrors(*(total / runs).tolist())
