"""Losses of the residual, and regression that a few wild targets cannot pull away."""

import numpy as np

from mlcore.base import Estimator, check_array, check_fitted, check_number, check_option, check_X_y, warn_not_converged
from mlcore.supervised.linear_regression.descent import add_intercept
from mlcore.supervised.linear_regression.least_squares import svd_least_squares, weighted_least_squares
from mlcore.takes import takes


@takes(r="any ...")
def squared_loss(r):
    """r^2 / 2: the Gaussian loss."""
    return 0.5 * np.square(r)


@takes(r="any ...")
def absolute_loss(r):
    """|r|: the Laplace loss."""
    return np.abs(r)


@takes(r="any ...", delta="number > 0")
def huber_loss(r, delta=1.0):
    """r^2 / 2 up to |r| = delta, then the tangent line delta |r| - delta^2 / 2 (eq-lr-huber)."""
    size = np.abs(r)
    bent = np.minimum(size, delta)
    return bent * (size - 0.5 * bent)


@takes(r="any ...", delta="number > 0")
def huber_weights(r, delta=1.0):
    """Weight rho'(r) / r of the Huber loss: 1 up to delta, delta / |r| beyond (eq-lr-irls)."""
    return delta / np.maximum(np.abs(r), delta)


@takes(X="n d", y="n")
def irls(X, y, delta, tol=1e-10, max_iter=500):
    """Minimize sum_i huber(y_i - theta . x_i) by iteratively reweighted least squares (eq-lr-irls).

    ``X`` is the design matrix. Stops when the objective falls by at most ``tol`` of itself (thm-lr-irls: it never
    rises). Returns theta, the objective after each round, and whether it converged.
    """
    check_number(delta, "delta", low=0, open_low=True)
    check_number(tol, "tol", low=0)
    check_number(max_iter, "max_iter", low=1, integer=True)
    theta, history, converged = svd_least_squares.core(X, y)[0], [], False
    for _ in range(max_iter):
        r = y - X @ theta
        history.append(float(huber_loss.core(r, delta).sum()))
        converged = len(history) > 1 and history[-2] - history[-1] <= tol * history[-2]
        if converged:
            break
        theta = weighted_least_squares.core(X, y, huber_weights.core(r, delta))
    return theta, history, converged


class RobustRegression(Estimator):
    """Linear regression under the Huber or the absolute loss, by IRLS.

    Parameters
    ----------
    loss : "huber" (eq-lr-huber) or "absolute"; the absolute loss is the Huber loss divided by a delta so small that the
        two objectives differ by at most n delta / 2, here a millionth of the spread of y for each row
    delta : residual at which the Huber loss turns from squared to linear, in the units of y
    tol, max_iter : stop when the objective falls by at most tol of itself, or after max_iter rounds

    Attributes
    ----------
    coef_ : (d,);  intercept_ : float;  weights_ : (n,) final weight of each row, 1 = treated as by least squares;
    history_ : objective of each round;  n_iter_ : int;  converged_ : bool

    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 1.0, 2.0, 3.0, 100.0]
    >>> RobustRegression(loss="absolute").fit(X, y).coef_.round(3)
    array([1.])
    """

    def __init__(self, loss="huber", delta=1.0, tol=1e-10, max_iter=500):
        self.loss = loss
        self.delta = delta
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X, y):
        """Fit line and intercept."""
        X, y = check_X_y(X, y)
        check_option(self.loss, "loss", ("huber", "absolute"))
        check_number(self.delta, "delta", low=0, open_low=True)
        delta, unit = self.delta, 1.0
        if self.loss == "absolute":
            delta = unit = 1e-6 * (np.ptp(y) or 1.0)
        center = X.mean(axis=0)  # centered columns keep the weighted problems well conditioned
        size = np.abs(X - center).max(axis=0)
        scale = np.where((size == 0) | ((size > 1e-6) & (size < 1e6)), 1.0, size)  # the column of ones must not be lost beside the others
        theta, history, self.converged_ = irls.core(add_intercept((X - center) / scale), y, delta, self.tol, self.max_iter)
        self.coef_ = theta[1:] / scale
        self.intercept_ = float(theta[0] - center @ self.coef_)
        self.weights_ = huber_weights.core(y - self.predict(X), delta)
        self.history_, self.n_iter_ = [value / unit for value in history], len(history)
        if not self.converged_:
            warn_not_converged(self, "raise max_iter or tol.")
        return self

    def predict(self, X):
        """X @ coef_ + intercept_."""
        check_fitted(self, "coef_")
        return check_array(X, n_features=len(self.coef_)) @ self.coef_ + self.intercept_
