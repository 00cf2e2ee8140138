"""Ridge regression in three forms (normal equations, dual, SVD), its degrees of freedom and its error."""

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from mlcore.base import Estimator, as_array, check_array, check_fitted, check_flags, check_number, check_option, check_X_y
from mlcore.supervised.ridge_lasso_polynomial.objective import check_coefficients
from mlcore.takes import takes

# Below this fraction of the trace the squared condition number would show in the answer, so the SVD takes over.
TINY = 1e-8


def _solve_positive(gram, alpha, rhs):
    """Solve (gram + alpha I) z = rhs by Cholesky; ``gram`` is overwritten."""
    gram.flat[:: len(gram) + 1] += alpha
    try:
        return cho_solve(cho_factor(gram, overwrite_a=True, check_finite=False), rhs, check_finite=False)
    except LinAlgError:
        raise ValueError(f"alpha={alpha:g} is lost in the rounding of the Gram matrix; use ridge_svd.") from None


def ridge_primal(X, y, alpha):
    """Minimize 1/2 |y - Xw|^2 + alpha/2 |w|^2 by (X^T X + alpha I) w = X^T y, eq-rg-ridge: a (d, d) system.

    >>> X, y = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), np.array([1.0, 2.0, 2.0])
    >>> ridge_primal(X, y, 1.0).round(6)
    array([0.8, 0.6])
    """
    X, y = check_X_y(X, y)
    check_number(alpha, "alpha", low=0, open_low=True)
    return _solve_positive(X.T @ X, alpha, X.T @ y)


def ridge_dual(X, y, alpha):
    """The same minimizer as X^T (X X^T + alpha I)^-1 y, eq-rg-dual: an (n, n) system, for n < d."""
    X, y = check_X_y(X, y)
    check_number(alpha, "alpha", low=0, open_low=True)
    return X.T @ _solve_positive(X @ X.T, alpha, y)


def ridge_svd(X, y, alphas):
    """The minimizers for many penalties from one SVD, eq-rg-svd: row k belongs to ``alphas[k]``.

    alpha = 0 is allowed and gives the shortest least-squares solution.

    >>> X, y = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), np.array([1.0, 2.0, 2.0])
    >>> ridge_svd(X, y, [0.0, 1.0]).round(6)
    array([[1.166667, 0.5     ],
           [0.8     , 0.6     ]])
    """
    X, y = check_X_y(X, y)
    alphas = _check_alphas(alphas)
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    keep = s > max(X.shape) * np.finfo(float).eps * s[0]
    U, s, Vt = U[:, keep], s[keep], Vt[keep]
    return (s / (s**2 + alphas[:, None]) * (U.T @ y)) @ Vt  # (m, k) @ (k, d)


def effective_dof(X, alphas):
    """Trace of the matrix that maps y to the fit, sum of s^2 / (s^2 + alpha), eq-rg-dof, for each of ``alphas``.

    >>> effective_dof(np.array([[2.0, 0.0], [0.0, 1.0], [0.0, 0.0]]), [0.0, 1.0, 4.0])
    array([2. , 1.3, 0.7])
    """
    s = np.linalg.svd(check_array(X), compute_uv=False)
    s = s[s > max(np.shape(X)) * np.finfo(float).eps * s[0]]
    return (s**2 / (s**2 + _check_alphas(alphas)[:, None])).sum(axis=1)


class RidgeError(NamedTuple):
    """Squared bias and variance of the ridge coefficients, summed over coordinates, one entry per penalty."""

    bias2: np.ndarray
    variance: np.ndarray

    @property
    def total(self):
        """E |w - w_true|^2."""
        return self.bias2 + self.variance


@takes()
def ridge_error(X, w_true, sigma, alphas):
    """Exact E |w - w_true|^2 when y = X w_true + noise of variance sigma^2, split as in eq-rg-mse.

    X must have independent columns.
    """
    X = check_array(X)
    check_number(sigma, "sigma", low=0)
    alphas = _check_alphas(alphas)[:, None]
    s, Vt = np.linalg.svd(X, full_matrices=False)[1:]
    if len(s) < X.shape[1] or s[-1] <= max(X.shape) * np.finfo(float).eps * s[0]:
        raise ValueError(f"X must have {X.shape[1]} linearly independent columns; drop or combine dependent ones.")
    gamma = Vt @ check_coefficients(w_true, X.shape[1], "w_true")
    bias2 = (alphas * gamma / (s**2 + alphas)) ** 2
    return RidgeError(bias2.sum(axis=1), ((sigma * (s / (s**2 + alphas))) ** 2).sum(axis=1))


def _check_alphas(alphas):
    """Penalties as a 1-D array of numbers >= 0."""
    alphas = check_array(np.atleast_1d(as_array(alphas, "alphas")), name="alphas", ndim=1)
    if (alphas < 0).any():
        raise ValueError(f"alphas must be at least 0, got {alphas.min():g}.")
    return alphas


def center(X, y, fit_intercept):
    """X and y less their means (zeros if no intercept is wanted), and the means, eq-rg-centered."""
    if not fit_intercept:
        return X, y, np.zeros(X.shape[1]), 0.0
    x_mean, y_mean = X.mean(axis=0), float(y.mean())
    return X - x_mean, y - y_mean, x_mean, y_mean


class Ridge(Estimator):
    """Ridge regression: minimize 1/2 |y - Xw - b|^2 + alpha/2 |w|^2 (eq-rg-ridge); b is not penalized.

    Parameters
    ----------
    alpha : penalty >= 0, on the scale of scikit-learn's ``Ridge(alpha)``
    fit_intercept : bool
    solver : "primal", "dual", "svd", or "auto": the smaller system of the first two, the SVD if alpha is tiny

    Attributes
    ----------
    coef_ : (d,);  intercept_ : float

    >>> model = Ridge(alpha=2.0).fit([[0.0], [1.0], [2.0]], [1.0, 2.0, 2.0])
    >>> model.coef_.round(6), round(model.intercept_, 6)
    (array([0.25]), 1.416667)
    """

    def __init__(self, alpha=1.0, fit_intercept=True, solver="auto"):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver

    def fit(self, X, y):
        """Center, solve, and put the intercept back."""
        check_flags(self)
        X, y = check_X_y(X, y)
        check_number(self.alpha, "alpha", low=0)
        check_option(self.solver, "solver", ("auto", "primal", "dual", "svd"))
        A, b, x_mean, y_mean = center(X, y, self.fit_intercept)
        solver = self.solver
        if solver == "auto":
            n, d = A.shape
            safe = self.alpha > TINY * np.einsum("ij,ij", A, A)
            solver = "svd" if not safe else "primal" if d <= n else "dual"
        if solver == "svd":
            self.coef_ = ridge_svd(A, b, self.alpha)[0]
        else:
            self.coef_ = (ridge_primal if solver == "primal" else ridge_dual)(A, b, self.alpha)
        self.intercept_ = float(y_mean - x_mean @ self.coef_)
        return self

    def predict(self, X):
        """X @ coef_ + intercept_."""
        check_fitted(self, "coef_")
        return check_array(X, n_features=len(self.coef_)) @ self.coef_ + self.intercept_
