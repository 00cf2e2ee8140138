"""The Bernoulli log-likelihood of logistic regression, its derivatives, and gradient ascent on it.

``X`` is a design matrix, used as it is (put a column of ones in it for an intercept); labels are 0 and 1.
"""

import numpy as np

from mlcore.base import check_array, check_number, check_X_y
from mlcore.foundations.gradient_descent import SGD, minimize, stochastic_minimize
from mlcore.foundations.mathematics import log_sigmoid, sigmoid
from mlcore.takes import check_broadcast, takes


@takes(p="any ...")
def logit(p):
    """Log-odds log(p / (1 - p)), the inverse of the sigmoid (eq-lg-logit).

    >>> logit([0.5, 0.8]).round(4)
    array([0.    , 1.3863])
    """
    if not ((p > 0) & (p < 1)).all():
        raise ValueError("p must lie strictly between 0 and 1; the odds of an impossible or certain event are 0 or infinite.")
    return np.log(p) - np.log1p(-p)


@takes(t="any ...", y="bits ...")
def logistic_loss(t, y):
    """Loss of the logit ``t`` for a label 0 or 1: y log(1 + e^-t) + (1 - y) log(1 + e^t) (eq-lg-loss).

    >>> logistic_loss([0.0, 0.0, 2.0], [1, 0, 0]).round(4)
    array([0.6931, 0.6931, 2.1269])
    >>> float(logistic_loss(800.0, 0))
    800.0
    """
    check_broadcast(np.shape(t), np.shape(y))
    return -y * log_sigmoid(t) - (1 - y) * log_sigmoid(-t)


@takes(theta="d", X="n d", y="bits n")
def log_likelihood(theta, X, y):
    """l(theta) = sum of y log h + (1 - y) log(1 - h) with h = sigmoid(X theta) (eq-lg-likelihood)."""
    return -float(logistic_loss.core(X @ theta, y).sum())


@takes(theta="d", X="n d", y="bits n")
def log_likelihood_gradient(theta, X, y):
    """Gradient of l: X^T (y - h) (eq-lg-gradient)."""
    return X.T @ (y - sigmoid(X @ theta))


@takes(theta="d", X="n d")
def log_likelihood_hessian(theta, X):
    """Hessian of l: -X^T S X with S = diag(h (1 - h)) (eq-lg-hessian); the labels do not enter."""
    h = sigmoid(X @ theta)
    return -(X.T * (h * (1 - h))) @ X


def ascent_limit(X):
    """Smoothness constant of the mean loss: lambda_max(X^T X) / 4n; a step of its inverse always ascends (thm-lg-ascent).

    >>> round(ascent_limit(np.array([[1.0], [1.0]])), 12)
    0.25
    """
    X = check_array(X)
    return float(np.linalg.norm(X, 2) ** 2 / (4 * len(X)))


def gradient_ascent(X, y, step=None, theta=None, tol=1e-8, max_iter=1000):
    """Climb the mean log-likelihood: theta <- theta + step/n X^T (y - h) (eq-lg-ascent).

    Parameters
    ----------
    step : None takes 1 / ``ascent_limit(X)``
    theta : start; zeros by default
    tol, max_iter : stop when the gradient of the mean log-likelihood is at most ``tol`` long

    Returns
    -------
    Result of ``minimize``: ``x`` the parameters, ``path``, ``history`` the mean cross-entropy -l/n, ``converged``

    >>> run = gradient_ascent([[1.0, -1.0], [1.0, 0.0], [1.0, 0.0], [1.0, 1.0]], [0, 0, 1, 1], max_iter=50)
    >>> bool((np.diff(run.history) < 0).all())
    True
    """
    X, y, theta = check_binary(X, y, theta)
    if step is None:
        step = 1 / ascent_limit(X) if X.any() else 1.0
    check_number(step, "step", low=0, open_low=True)
    n = len(y)
    return minimize(lambda t: -log_likelihood.core(t, X, y) / n, lambda t: -log_likelihood_gradient.core(t, X, y) / n, theta,
                    SGD(lr=step), tol=tol, max_iter=max_iter)


def stochastic_gradient_ascent(X, y, step, theta=None, epochs=10, rng=None):
    """One update theta <- theta + step (y_i - h(x_i)) x_i per example, shuffled each epoch (eq-lg-stochastic).

    ``step`` is a number or a schedule, a function of the number of updates made. Returns the ``StochasticRun`` of
    ``stochastic_minimize``; its ``history`` is the mean cross-entropy at the start and after each epoch.
    """
    X, y, theta = check_binary(X, y, theta)
    return stochastic_minimize(lambda t, i: -log_likelihood_gradient.core(t, X[i], y[i]), len(y), theta, SGD(lr=step),
                               epochs=epochs, f=lambda t: -log_likelihood.core(t, X, y) / len(y), rng=rng)


def check_binary(X, y, theta):
    """Checked design matrix, labels 0 and 1 as floats, and a start."""
    X, y = check_X_y(X, y)
    if not np.isin(y, (0, 1)).all():
        raise ValueError(f"y must hold the labels 0 and 1, got {np.unique(y)[:5]}; turn labels -1, +1 into (y + 1) / 2.")
    if theta is None:
        return X, y, np.zeros(X.shape[1])
    theta = check_array(theta, name="theta", ndim=1)
    if len(theta) != X.shape[1]:
        raise ValueError(f"theta has {len(theta)} entries, but X has {X.shape[1]} columns; they must agree.")
    return X, y, theta
