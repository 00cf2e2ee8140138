"""Newton's method: for a zero in one dimension, and for the likelihood, where a step is a weighted least-squares fit."""

import numpy as np

from mlcore.base import check_number
from mlcore.foundations.gradient_descent import newton
from mlcore.foundations.mathematics import sigmoid
from mlcore.supervised.linear_regression import weighted_least_squares
from mlcore.supervised.logistic_regression.likelihood import (
    check_binary,
    log_likelihood,
    log_likelihood_gradient,
    log_likelihood_hessian,
)
from mlcore.takes import takes


@takes(f="function", derivative="function", x0="number")
def newton_root(f, derivative, x0, tol=1e-12, max_iter=50):
    """Points x <- x - f(x) / f'(x), each the zero of the tangent at the one before (eq-lg-newton-root).

    Stops when |f(x)| <= ``tol`` or after ``max_iter`` steps; returns all points, the start first. A horizontal tangent
    has no zero and is refused.

    >>> newton_root(lambda x: x**2 - 2, lambda x: 2 * x, 2.0, tol=1e-6).round(6)
    array([2.      , 1.5     , 1.416667, 1.414216, 1.414214])
    """
    check_number(tol, "tol", low=0)
    check_number(max_iter, "max_iter", low=0, integer=True)
    path = [float(x0)]
    for _ in range(max_iter):
        x = path[-1]
        value, slope = float(f(x)), float(derivative(x))
        if abs(value) <= tol:
            break
        if slope == 0 or not np.isfinite(value / slope):
            raise ValueError(f"the tangent at x = {x:.6g} is horizontal or not finite; it has no zero to go to. Start elsewhere.")
        path.append(x - value / slope)
    return np.array(path)


@takes(theta="d", X="n d", y="bits n")
def irls_step(theta, X, y):
    """One pure Newton step as a fit: weighted least squares of z = X theta + (y - h) / s with weights s (eq-lg-irls)."""
    t = X @ theta
    h = sigmoid(t)
    s = h * (1 - h)
    if (s == 0).any():
        raise ValueError("a fitted probability has rounded to 0 or 1, so its weight vanishes; the data may be separable.")
    return weighted_least_squares.core(X, t + (y - h) / s, s)


def newton_ascent(X, y, theta=None, damped=True, tol=1e-10, max_iter=100):
    """Maximize the log-likelihood by Newton's method (eq-lg-newton); ``damped`` shortens steps that would descend.

    Returns the ``Result`` of ``newton`` on the mean cross-entropy -l/n: ``x``, ``path``, ``history``, ``converged``.
    On separable data the gradient vanishes at infinity, so ``converged`` only says that it has become small; ask
    ``separation`` whether a maximizer exists.

    >>> newton_ascent([[1.0, -1.0], [1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, -1.0], [1.0, 1.0]], [0, 0, 1, 1, 1, 0]).x.round(6)
    array([0., 0.])
    """
    X, y, theta = check_binary(X, y, theta)
    n = len(y)
    return newton(lambda t: -log_likelihood.core(t, X, y) / n, lambda t: -log_likelihood_gradient.core(t, X, y) / n,
                  lambda t: -log_likelihood_hessian.core(t, X) / n, theta, damped=damped, tol=tol, max_iter=max_iter)
