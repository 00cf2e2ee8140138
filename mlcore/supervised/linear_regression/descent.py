"""Least squares by descent: the LMS rule, batch and stochastic, its step-size limit, and standardized features."""

from typing import NamedTuple

import numpy as np
from scipy.linalg.blas import dtrsv

from mlcore.base import (
    Estimator,
    check_array,
    check_fitted,
    check_number,
    check_option,
    check_rng,
    check_X_y,
    warn_not_converged,
)
from mlcore.foundations.gradient_descent.schedules import inverse_decay
from mlcore.takes import takes

BLOCK = 96  # examples whose updates are found together


class Descent(NamedTuple):
    """What a descent did.

    theta : (p,) where it stopped;  path : (updates + 1, p) every parameter vector from the start on;
    history : J at the start and after each iteration (batch) or epoch (stochastic);
    converged : whether |grad J| fell to ``tol`` times its size at the outset.
    """

    theta: np.ndarray
    path: np.ndarray
    history: list
    converged: bool

    @property
    def n_iter(self):
        """Iterations (batch) or epochs (stochastic) made."""
        return len(self.history) - 1


def add_intercept(X):
    """Design matrix (n, d + 1): a column of ones in front of the d features (eq-lr-model).

    >>> add_intercept([[5.0], [7.0]])
    array([[1., 5.],
           [1., 7.]])
    """
    X = check_array(X)
    return np.column_stack([np.ones(len(X)), X])


@takes(theta="d", X="n d", y="n")
def squared_cost(theta, X, y):
    """J(theta) = 1/2 |X theta - y|^2 (eq-lr-cost)."""
    r = X @ theta - y
    return 0.5 * float(r @ r)


@takes(theta="d", X="n d", y="n")
def squared_cost_gradient(theta, X, y):
    """Gradient of J: X^T (X theta - y) (eq-lr-gradient)."""
    return X.T @ (X @ theta - y)


@takes(theta="d", x="d", y="number", step="number")
def lms_step(theta, x, y, step):
    """One LMS (Widrow-Hoff) update with one example, eq-lr-lms: theta + step * (y - theta . x) * x."""
    return theta + step * (y - x @ theta) * x


@takes(theta="d", X="n d", y="n", steps="n")
def lms_pass(theta, X, y, steps):
    """Parameters (n, p) after each of n updates of :func:`lms_step`, one with each row in turn, found a block at a time.

    The error before update t is y_t - x_t . theta minus what the updates before it took away, the sum over u < t of
    step_u e_u (x_t . x_u). So the errors of a block solve a triangular system, and the parameters are partial sums.
    """
    visited = np.empty(X.shape)
    for start in range(0, len(X), BLOCK):
        rows = slice(start, start + BLOCK)
        A, step = X[rows], steps[rows]
        products = (A @ A.T) * step  # below its diagonal, on which ones count, the matrix of the system
        errors = dtrsv(products.T, y[rows] - A @ theta, trans=1, diag=1)
        np.cumsum((step * errors)[:, None] * A, axis=0, out=visited[rows])
        visited[rows] += theta
        theta = visited[rows][-1]
    return visited


def max_stable_step(X):
    """Step below which batch descent converges, 2 / lambda_max(X^T X) (thm-lr-step).

    >>> max_stable_step(np.array([[1.0, 0.0], [0.0, 2.0]]))
    0.5
    """
    largest = np.linalg.norm(check_array(X), 2)
    if largest == 0:
        raise ValueError("X is zero, so J is constant: no step is too large and none helps.")
    return float(2 / largest**2)


def _start(X, y, theta, tol):
    """Checked data, start vector and the gradient size that counts as converged."""
    X, y = check_X_y(X, y)
    check_number(tol, "tol", low=0)
    if theta is None:
        theta = np.zeros(X.shape[1])
    else:
        theta = check_array(theta, name="theta", ndim=1)
        if len(theta) != X.shape[1]:
            raise ValueError(f"theta has {len(theta)} entries, but X has {X.shape[1]} columns; they must agree.")
    with np.errstate(over="ignore"):
        small = tol * (np.linalg.norm(X.T @ y) + np.linalg.norm(X.T @ (X @ theta)))
    if not np.isfinite(small):
        raise ValueError("X.T @ y overflows; scale the columns of X and y to moderate size (see Standardizer).")
    return X, y, theta, small


def batch_gradient_descent(X, y, step, theta=None, tol=1e-8, max_iter=1000):
    """Batch LMS (eq-lr-batch): theta <- theta - step * X^T (X theta - y) until the gradient vanishes.

    ``X`` is the design matrix: it has a column of ones if an intercept is wanted. Stops when |grad J| is at most
    ``tol`` times its size at the outset, after ``max_iter`` steps, or when J overflows.

    >>> run = batch_gradient_descent([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], [1.0, 2.0, 2.0], step=0.2)
    >>> run.theta.round(6), run.converged
    (array([1.166667, 0.5     ]), True)
    """
    X, y, theta, small = _start(X, y, theta, tol)
    check_number(step, "step", low=0, open_low=True)
    check_number(max_iter, "max_iter", low=0, integer=True)
    path, history, converged = [theta], [squared_cost.core(theta, X, y)], False
    with np.errstate(over="ignore", invalid="ignore"):
        while True:
            gradient = squared_cost_gradient.core(theta, X, y)
            converged = bool(np.linalg.norm(gradient) <= small)
            if converged or len(history) > max_iter:
                break
            theta = theta - step * gradient
            cost = squared_cost.core(theta, X, y)
            if not np.isfinite(cost):
                break  # diverged: the step is too large
            path.append(theta)
            history.append(cost)
    return Descent(path[-1], np.array(path), history, converged)


def stochastic_gradient_descent(X, y, step, theta=None, tol=1e-8, epochs=10, shuffle=False, rng=None):
    """Stochastic LMS (eq-lr-stochastic): one :func:`lms_step` per example, ``epochs`` times through the data.

    Parameters
    ----------
    X, y, theta, tol : as in :func:`batch_gradient_descent`; the gradient is looked at once an epoch
    step : a number, or a function of the number of updates already made (see :func:`inverse_decay`)
    shuffle : visit the examples in a new random order each epoch (``rng``) instead of as they stand

    >>> X, y = np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([1.0, 3.0])
    >>> stochastic_gradient_descent(X, y, step=0.5, epochs=200).theta.round(6)
    array([1., 2.])
    """
    X, y, theta, small = _start(X, y, theta, tol)
    check_number(epochs, "epochs", low=0, integer=True)
    if not callable(step):
        check_number(step, "step", low=0, open_low=True)
    rng, n = check_rng(rng), len(X)
    path, history, converged = [theta[None]], [squared_cost.core(theta, X, y)], False
    with np.errstate(over="ignore", invalid="ignore"):
        for epoch in range(epochs):
            order = rng.permutation(n) if shuffle else slice(None)
            steps = np.array([step(t) for t in range(epoch * n, (epoch + 1) * n)]) if callable(step) else np.full(n, step)
            visited = lms_pass.core(theta, X[order], y[order], steps)
            cost = squared_cost.core(visited[-1], X, y)
            if not np.isfinite(cost):
                break  # diverged within this epoch: report the last whole one
            theta = visited[-1]
            path.append(visited)
            history.append(cost)
            converged = bool(np.linalg.norm(squared_cost_gradient.core(theta, X, y)) <= small)
            if converged:
                break
    return Descent(theta, np.concatenate(path), history, converged)


class Standardizer(Estimator):
    """Shift and scale every column to mean 0 and variance 1 (eq-lr-standardize); a constant column becomes 0.

    Attributes
    ----------
    mean_, scale_ : (d,) mean and population standard deviation of each column (1 where a column is constant)

    >>> Standardizer().fit([[1.0], [3.0]]).transform([[1.0], [2.0], [3.0]]).ravel()
    array([-1.,  0.,  1.])
    """

    kind = "transformer"

    def fit(self, X, y=None):
        """Learn the mean and scale of each column."""
        X = check_array(X)
        unit = np.ldexp(1.0, np.frexp(np.abs(X).max(axis=0))[1])           # the squares of a small column would vanish beside a large one
        self.mean_, scale = X.mean(axis=0), (X / unit).std(axis=0) * unit
        # A constant column has a standard deviation of 0 up to the rounding of its mean.
        constant = scale <= 10 * np.finfo(float).eps * np.abs(self.mean_)
        self.scale_ = np.where(constant, 1.0, scale)
        return self

    def transform(self, X):
        """(X - mean) / scale, column by column."""
        check_fitted(self, "scale_")
        return (check_array(X, n_features=len(self.scale_)) - self.mean_) / self.scale_

    def fit_transform(self, X, y=None):
        """Fit, then transform the same rows."""
        return self.fit(X).transform(X)

    def inverse_transform(self, Z):
        """Undo :meth:`transform`."""
        check_fitted(self, "scale_")
        return check_array(Z, name="Z", n_features=len(self.scale_)) * self.scale_ + self.mean_

    def unscale(self, theta):
        """Parameters for [1, standardized x] turned into those for [1, x] (eq-lr-unscale); the last axis is theta's."""
        check_fitted(self, "scale_")
        theta = check_array(theta, name="theta", ndim=None)
        if theta.shape[-1:] != (len(self.scale_) + 1,):
            raise ValueError(f"theta must have {len(self.scale_) + 1} entries, intercept first, got shape {theta.shape}.")
        slopes = theta[..., 1:] / self.scale_
        return np.concatenate([theta[..., :1] - (slopes @ self.mean_)[..., None], slopes], axis=-1)


class LMSRegression(Estimator):
    """Linear regression by the LMS rule on standardized features, batch or stochastic.

    Parameters
    ----------
    mode : "batch" (eq-lr-batch) or "stochastic" (eq-lr-stochastic, shuffled each epoch, decaying step)
    step : first step; None takes half the stable limit of the mode
    tol, max_iter : stop when |grad J| <= tol * its size at the outset, or after max_iter iterations or epochs
    random_state : order of the examples in stochastic mode

    Attributes
    ----------
    coef_ : (d,) and intercept_ : in the units of X;  history_ : J after each iteration or epoch;
    n_iter_ : int;  converged_ : bool

    >>> model = LMSRegression().fit([[0.0], [1.0], [2.0]], [1.0, 2.0, 2.0])
    >>> round(model.intercept_, 6), model.coef_.round(6), model.converged_
    (1.166667, array([0.5]), True)
    """

    def __init__(self, mode="batch", step=None, tol=1e-8, max_iter=1000, random_state=None):
        self.mode = mode
        self.step = step
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X, y):
        """Standardize, descend from 0, and map the parameters back."""
        rng = check_rng(self.random_state)
        X, y = check_X_y(X, y)
        check_option(self.mode, "mode", ("batch", "stochastic"))
        check_number(self.max_iter, "max_iter", low=1, integer=True)
        scaler = Standardizer()
        Z = add_intercept(scaler.fit_transform(X))
        if self.mode == "batch":
            step = max_stable_step(Z) / 2 if self.step is None else self.step
            run = batch_gradient_descent(Z, y, step, tol=self.tol, max_iter=self.max_iter)
        else:
            # An update multiplies the example's error by 1 - step |z|^2, so |z|^2 sets the limit here.
            step = 1 / (Z**2).sum(axis=1).max() if self.step is None else self.step
            # Halved after five epochs: a faster decay can stop the walk before it arrives.
            run = stochastic_gradient_descent(Z, y, inverse_decay(step, half_life=5 * len(Z)), tol=self.tol,
                                              epochs=self.max_iter, shuffle=True, rng=rng)
        theta = scaler.unscale(run.theta)
        self.intercept_, self.coef_ = float(theta[0]), theta[1:]
        self.history_, self.n_iter_, self.converged_ = run.history, run.n_iter, run.converged
        if not run.converged:
            warn_not_converged(self, "raise max_iter or tol, or take a smaller step if history_ grows.")
        return self

    def predict(self, X):
        """Evaluate the fitted line."""
        check_fitted(self, "coef_")
        return check_array(X, n_features=len(self.coef_)) @ self.coef_ + self.intercept_
