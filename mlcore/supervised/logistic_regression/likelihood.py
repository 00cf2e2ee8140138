"""The Bernoulli log-likelihood of logistic regression, its derivatives, and gradient ascent on it.

``X`` is a design matrix, used as it is (put a column of ones in it for an intercept); labels are 0 and 1.
"""

import numpy as np
from scipy.linalg.blas import dtrmv, dtrsv
from scipy.special import expit

from mlcore.base import check_array, check_flag, check_number, check_rng, check_X_y
from mlcore.foundations.gradient_descent import SGD, StochasticRun, minimize
from mlcore.foundations.mathematics import log_sigmoid, sigmoid
from mlcore.takes import check_broadcast, takes

BLOCK = 96       # updates of the stochastic rule whose errors are found together
ROUNDS = 10      # Newton steps after which a block is done one update at a time
SETTLED = 1e-14  # squared length of a Newton step after which the next one would be about as small as rounding

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
    return 0.0 - log_sigmoid((2 * y - 1) * t)  # one of the two terms is 0; taken from 0, no loss is -0


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


def stochastic_gradient_ascent(X, y, step, theta=None, epochs=10, rng=None, shuffle=True):
    """One update theta <- theta + step (y_i - h(x_i)) x_i per example, shuffled each epoch (eq-lg-stochastic).

    ``step`` is a number or a schedule, a function of the number of updates made. With ``shuffle=False`` the examples are
    taken as they stand. Returns a ``StochasticRun`` as ``stochastic_minimize`` does; its ``history`` is the mean
    cross-entropy at the start and after each epoch.

    >>> stochastic_gradient_ascent([[1.0], [1.0]], [1, 1], step=0.5, epochs=1).path.round(4).ravel()
    array([0.    , 0.25  , 0.4689])
    """
    X, y, theta = check_binary(X, y, theta)
    rule = SGD(lr=step)  # checks the step
    check_number(epochs, "epochs", low=0, integer=True)
    check_flag(shuffle, "shuffle")
    rng, n = check_rng(rng), len(y)
    path, history = np.empty((epochs * n + 1, len(theta))), [-log_likelihood.core(theta, X, y) / n]
    path[0] = theta
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, epochs * n, n):
            order = rng.permutation(n) if shuffle else slice(None)
            ascent_pass(path[start:start + n + 1], X[order], y[order], next_steps(rule, n))
            history.append(-log_likelihood.core(path[start + n], X, y) / n)
    if not np.isfinite(path[-1]).all():
        raise ValueError("the parameters left the range of numbers; take a smaller step or standardize the features.")
    return StochasticRun(path[-1], path, np.array(history))


def next_steps(rule, n):
    """Step sizes of the next n updates of an optimizer, which counts them as made."""
    if not callable(rule.lr):
        return np.full(n, rule.lr, float)
    steps = np.empty(n)
    for i in range(n):
        steps[i] = rule.rate()
        rule.t += 1
    return steps


def ascent_pass(path, X, y, steps):
    """Fill ``path`` (n + 1, p), whose first row is given, with the parameters after the update with each row of X in turn.

    An update adds step_u e_u x_u with the error e_u = y_u - h(x_u) at its turn, so the parameters are partial sums once the
    errors are known. Those of a block are found together (:func:`block_errors`) or, where that fails, one by one.
    """
    theta, errors = path[0], np.empty(len(X))
    for start in range(0, len(X), BLOCK):
        rows = slice(start, start + BLOCK)
        A, step = X[rows], steps[rows]
        found = block_errors(A @ theta, A @ (step[:, None] * A).T, y[rows])
        errors[rows] = errors_one_by_one(theta, A, y[rows], step) if found is None else found
        theta = theta + (step * errors[rows]) @ A
    np.cumsum((steps * errors)[:, None] * X, axis=0, out=path[1:])
    path[1:] += path[0]


def errors_one_by_one(theta, X, y, steps):
    """Errors y_t - h(x_t) of the updates with the rows of X, each at its turn, as the rule says."""
    errors = np.empty(len(X))
    for t, x in enumerate(X):
        errors[t] = y[t] - expit(x @ theta)
        theta = theta + steps[t] * errors[t] * x
    return errors


def block_errors(start, products, y):
    """The errors of :func:`errors_one_by_one`, y_t - sigmoid(z_t), all together; None if ``ROUNDS`` Newton steps do not find them.

    The logit z_t is ``start``_t, its value before the block, plus what the updates u < t made of it: the sum of
    products_tu e_u, with products_tu = step_u (x_t . x_u). Newton's method solves these equations for all z at once. As e
    falls by h (1 - h) per unit of z, its matrix has ones on the diagonal and products_tu h_u (1 - h_u) below: a triangular
    system, like that of the LMS rule.
    """
    z = start
    for _ in range(ROUNDS):
        h = expit(z)
        errors = y - h
        below = dtrmv(products.T, errors, trans=1, diag=1) - errors  # the sum over u < t: dtrmv takes the diagonal as ones
        move = dtrsv((products * (h * (1 - h))).T, start + below - z, trans=1, diag=1)
        z = z + move
        if move @ move <= SETTLED:
            return y - expit(z)
    return None


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
