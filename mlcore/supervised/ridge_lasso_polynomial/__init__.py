"""Ridge, lasso and polynomial regression: shrinkage in closed form, sparsity by iteration, features that bend the line.

``alpha`` is the lambda of the chapter everywhere: ridge minimizes 1/2 |y - Xw|^2 + alpha/2 |w|^2 and the lasso
1/2 |y - Xw|^2 + alpha |w|_1. Functions take X as it is; estimators center it, so that the intercept is not penalized.
"""

from mlcore.supervised.ridge_lasso_polynomial.coordinate import coordinate_descent, coordinate_sweep, lasso_path
from mlcore.supervised.ridge_lasso_polynomial.features import (
    BasisRegression,
    PolynomialFeatures,
    chebyshev_basis,
    fourier_basis,
    legendre_basis,
    monomial_basis,
    polynomial_features,
    radial_basis,
)
from mlcore.supervised.ridge_lasso_polynomial.lasso import Lasso
from mlcore.supervised.ridge_lasso_polynomial.objective import (
    LassoPath,
    LassoRun,
    duality_gap,
    lasso_objective,
    max_alpha,
    soft_threshold,
)
from mlcore.supervised.ridge_lasso_polynomial.proximal import proximal_gradient, subgradient_descent
from mlcore.supervised.ridge_lasso_polynomial.ridge import (
    Ridge,
    RidgeError,
    effective_dof,
    ridge_dual,
    ridge_error,
    ridge_primal,
    ridge_svd,
)

__all__ = [
    "BasisRegression", "Lasso", "LassoPath", "LassoRun", "PolynomialFeatures", "Ridge", "RidgeError", "chebyshev_basis",
    "coordinate_descent", "coordinate_sweep", "duality_gap", "effective_dof", "fourier_basis", "lasso_objective",
    "lasso_path", "legendre_basis", "max_alpha", "monomial_basis", "polynomial_features", "proximal_gradient",
    "radial_basis", "ridge_dual", "ridge_error", "ridge_primal", "ridge_svd", "soft_threshold", "subgradient_descent",
]
