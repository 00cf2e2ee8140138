"""The lasso as an estimator."""

from mlcore.base import Estimator, check_array, check_fitted, check_flags, check_number, check_option, check_X_y, warn_not_converged
from mlcore.supervised.ridge_lasso_polynomial.coordinate import coordinate_descent
from mlcore.supervised.ridge_lasso_polynomial.proximal import proximal_gradient
from mlcore.supervised.ridge_lasso_polynomial.ridge import center


class Lasso(Estimator):
    """The lasso: minimize 1/2 |y - Xw - b|^2 + alpha |w|_1 (eq-rg-lasso); b is not penalized.

    Parameters
    ----------
    alpha : penalty > 0; scikit-learn divides the loss by n, so this is its ``Lasso(alpha / n)``
    fit_intercept : bool
    solver : "cd" (coordinate descent), "ista" or "fista" (proximal gradient)
    tol, max_iter : stop when the duality gap is at most tol * 1/2 |y - mean y|^2, or after max_iter sweeps or steps

    Attributes
    ----------
    coef_ : (d,);  intercept_ : float;  gap_ : duality gap at the end;  history_ : objective as it fell;
    n_iter_ : int;  converged_ : bool

    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 0.0], [3.0, 1.0]], [0.0, 1.0, 2.0, 3.0]
    >>> model = Lasso(alpha=1.0).fit(X, y)
    >>> model.coef_.round(6), round(model.intercept_, 6)
    (array([0.8, 0. ]), 0.3)
    """

    def __init__(self, alpha=1.0, fit_intercept=True, solver="cd", tol=1e-8, max_iter=10_000):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X, y):
        """Center, iterate from 0, and put the intercept back."""
        check_flags(self)
        X, y = check_X_y(X, y)
        check_number(self.alpha, "alpha")
        check_option(self.solver, "solver", ("cd", "ista", "fista"))
        check_number(self.max_iter, "max_iter", low=1, integer=True)
        A, b, x_mean, y_mean = center(X, y, self.fit_intercept)
        if self.solver == "cd":
            run = coordinate_descent(A, b, self.alpha, tol=self.tol, max_iter=self.max_iter)
        else:
            run = proximal_gradient(A, b, self.alpha, accelerate=self.solver == "fista", tol=self.tol,
                                    max_iter=self.max_iter)
        self.coef_, self.intercept_ = run.coef, float(y_mean - x_mean @ run.coef)
        self.gap_, self.history_, self.n_iter_, self.converged_ = run.gaps[-1], run.history, run.n_iter, run.converged
        if not run.converged:
            warn_not_converged(self, "raise max_iter or tol, or standardize the features.")
        return self

    def predict(self, X):
        """X @ coef_ + intercept_."""
        check_fitted(self, "coef_")
        return check_array(X, n_features=len(self.coef_)) @ self.coef_ + self.intercept_
