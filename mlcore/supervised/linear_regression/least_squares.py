"""Least squares in closed form: normal equations, QR and SVD, plain and weighted."""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, solve_triangular

from mlcore.base import Estimator, check_array, check_fitted, check_flags, check_option, check_same_length, check_X_y
from mlcore.takes import takes

EPS = np.finfo(float).eps


@takes(X="n d", y="n")
def normal_equations(X, y):
    """Solve X^T X theta = X^T y (eq-lr-normal) by Cholesky: the fastest way, and the least accurate.

    The condition number of X is squared, so half of the digits that QR gives may be lost; columns that are
    dependent to working precision are refused.

    >>> normal_equations(np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), np.array([1.0, 2.0, 2.0])).round(6)
    array([1.166667, 0.5     ])
    """
    gram = X.T @ X
    try:
        factor = cho_factor(gram)
    except LinAlgError:
        factor = (np.zeros_like(gram), False)
    # A squared pivot is the part of a column's squared length that the columns before it do not explain.
    if (np.diag(factor[0]) ** 2 <= len(gram) * EPS * np.diag(gram)).any():
        raise ValueError(_DEPENDENT.format(what="X.T @ X is singular to working precision"))
    return cho_solve(factor, X.T @ y)


@takes(X="n d", y="n")
def qr_least_squares(X, y):
    """Solve R theta = Q^T y with X = Q R (eq-lr-qr); works with the condition number of X itself."""
    R, b = _triangular(X, y)
    if len(R) < X.shape[1] or (np.abs(np.diag(R)) <= len(X) * EPS * np.linalg.norm(R, axis=0)).any():
        raise ValueError(_DEPENDENT.format(what="the columns of X are linearly dependent"))
    return solve_triangular(R, b)


@takes(X="n d", y="n")
def svd_least_squares(X, y):
    """Return the shortest minimizer of |X theta - y| and the rank of X (eq-lr-svd); never fails.

    Singular values below max(n, p) * eps times the largest count as zero.

    >>> svd_least_squares(np.array([[1.0, 1.0], [1.0, 1.0]]), np.array([2.0, 4.0]))
    (array([1.5, 1.5]), 1)
    """
    n, p = X.shape
    if n > p:
        X, y = _triangular(X, y)  # same singular values, p rows instead of n
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    rank = int(np.sum(s > max(n, p) * EPS * s[0]))
    return Vt[:rank].T @ ((U[:, :rank].T @ y) / s[:rank]), rank


def _triangular(X, y):
    """R and Q^T y of X = Q R, from the triangle of [X, y] alone: Q is never formed."""
    p = X.shape[1]
    triangle = np.linalg.qr(np.column_stack([X, y]), mode="r")
    return triangle[:p, :p], triangle[:p, p]


_DEPENDENT = ("{what}, so least squares has no unique solution; drop a column, collect more rows, "
              "or use svd_least_squares (solver='svd'), which returns the shortest one.")
SOLVERS = {"normal": lambda X, y: (normal_equations.core(X, y), X.shape[1]),
           "qr": lambda X, y: (qr_least_squares.core(X, y), X.shape[1]),
           "svd": svd_least_squares.core}


def check_weights(weights, X):
    """Validate one weight >= 0 for each row of X, not all 0."""
    weights = check_array(weights, name="weights", ndim=1)
    check_same_length(X, weights)
    if weights.min() < 0 or weights.max() == 0:
        raise ValueError("weights must be at least 0 and not all 0.")
    return weights


@takes(X="n d", y="n")
def weighted_least_squares(X, y, weights):
    """Minimize sum_i w_i (y_i - theta . x_i)^2 (eq-lr-weighted): least squares on rows scaled by sqrt(w_i).

    LAPACK takes the steps of :func:`svd_least_squares` in one call, which counts where it is made hundreds of times.
    """
    root = np.sqrt(check_weights(weights, X))
    return np.linalg.lstsq(root[:, None] * X, root * y, rcond=max(X.shape) * EPS)[0]


class LinearRegression(Estimator):
    """Ordinary least squares: minimize |X theta - y|^2 with an intercept that is handled by centering (eq-lr-centered).

    Parameters
    ----------
    fit_intercept : bool
    solver : "svd" (never fails, shortest solution), "qr", or "normal" (fast and inaccurate; see the chapter)

    Attributes
    ----------
    coef_ : (d,);  intercept_ : float;  rank_ : rank of the (centered) X

    >>> model = LinearRegression().fit([[0.0], [1.0], [2.0]], [1.0, 2.0, 2.0])
    >>> model.coef_.round(6), round(model.intercept_, 6), model.rank_
    (array([0.5]), 1.166667, 1)
    """

    def __init__(self, fit_intercept=True, solver="svd"):
        self.fit_intercept = fit_intercept
        self.solver = solver

    def fit(self, X, y, sample_weight=None):
        """Fit; ``sample_weight`` (n,) weighs the squared residual of each row (eq-lr-weighted)."""
        check_flags(self)
        X, y = check_X_y(X, y)
        check_option(self.solver, "solver", tuple(SOLVERS))
        weights = None if sample_weight is None else check_weights(sample_weight, X)
        x_mean, y_mean = np.zeros(X.shape[1]), 0.0
        if self.fit_intercept:
            x_mean, y_mean = np.average(X, axis=0, weights=weights), np.average(y, weights=weights)
            X, y = X - x_mean, y - y_mean
        if weights is not None:
            root = np.sqrt(weights)
            X, y = root[:, None] * X, root * y
        self.coef_, self.rank_ = SOLVERS[self.solver](X, y)
        self.intercept_ = float(y_mean - x_mean @ self.coef_)
        return self

    def predict(self, X):
        """X @ coef_ + intercept_."""
        check_fitted(self, "coef_")
        return check_array(X, n_features=len(self.coef_)) @ self.coef_ + self.intercept_
