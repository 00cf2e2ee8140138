"""Cross-validation without refitting: residuals of left-out rows from one fit of a linear smoother."""

from typing import NamedTuple

import numpy as np

from mlcore.base import as_array, check_array, check_option, check_X_y
from mlcore.generalization.regularization_and_selection.splits import check_partition
from mlcore.supervised.ridge_lasso_polynomial.ridge import center

INTERPOLATES = 1e-10  # 1 - leverage below this: the fit follows the row's own target, and nothing is left to compare


class RidgeLOO(NamedTuple):
    """Leave-one-out of ridge regression, one row of each array per penalty.

    alphas : (m,);  residuals : (m, n) of each row by the fit without it;  errors : (m,) their mean squares;
    gcv : (m,) generalized cross-validation;  dof : (m,) trace of the smoother, the intercept included
    """

    alphas: np.ndarray
    residuals: np.ndarray
    errors: np.ndarray
    gcv: np.ndarray
    dof: np.ndarray

    @property
    def best(self):
        """Position of the penalty with the smallest leave-one-out error."""
        return int(self.errors.argmin())


def ridge_loo(X, y, alphas, fit_intercept=True):
    """Leave-one-out residuals (eq-rs-loo) and GCV (eq-rs-gcv) of ridge regression for many penalties, from one SVD.

    The penalties are on the scale of ``Ridge(alpha)``; alpha = 0 is least squares and needs independent columns.

    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0.0, 1.0, 1.0, 3.0])
    >>> ridge_loo(X, y, [0.0]).residuals.round(4)
    array([[ 0.3333,  0.2857, -1.    ,  1.3333]])
    """
    X, y = check_X_y(X, y, min_samples=2)
    check_option(fit_intercept, "fit_intercept", (True, False))
    alphas = check_array(np.atleast_1d(as_array(alphas, "alphas")), name="alphas", ndim=1)
    if (alphas < 0).any():
        raise ValueError(f"alphas must be at least 0, got {alphas.min():g}.")
    A, b, _, _ = center(X, y, fit_intercept)
    n = len(y)
    U, s, _ = np.linalg.svd(A, full_matrices=False)
    keep = s > max(A.shape) * np.finfo(float).eps * s[0]
    U, s = U[:, keep], s[keep]
    shrink = s**2 / (s**2 + alphas[:, None])                          # (m, r)
    leverage = shrink @ (U**2).T + (1 / n if fit_intercept else 0)    # (m, n)
    residual = b - (shrink * (U.T @ b)) @ U.T                         # (m, n)
    if (1 - leverage < INTERPOLATES).any():
        k, i = np.argwhere(1 - leverage < INTERPOLATES)[0]
        raise ValueError(f"with alpha={alphas[k]:g} the fit follows row {i} whatever the others say, so it has no left-out error; "
                         "use alpha > 0 or fewer features.")
    left_out = residual / (1 - leverage)
    dof = leverage.sum(axis=1)
    gcv = (residual**2).mean(axis=1) / (1 - dof / n) ** 2
    return RidgeLOO(alphas, left_out, (left_out**2).mean(axis=1), gcv, dof)


def fold_residuals(S, y, folds):
    """Residuals of each test part by the fit without it, (I - S_FF)^-1 (y - S y)_F, eq-rs-fold; folds of one row are leave-one-out.

    Parameters
    ----------
    S : (n, n) matrix of a least-squares or ridge fit at its own rows, so that the fit is S @ y
    y : (n,) targets, or (n, m) for m sets of targets at the same inputs; the result has the same shape
    folds : list of (train, test) rows whose test parts hold each row once; the train part must be all other rows

    >>> S = np.full((3, 3), 1 / 3)                     # the mean of all targets
    >>> fold_residuals(S, [0.0, 3.0, 6.0], [([1, 2], [0]), ([0], [1, 2])])
    array([-4.5,  3. ,  6. ])
    """
    S, y = check_smoother(S, y)
    pairs = check_partition(folds, len(y))
    residual = y - S @ y
    out = np.empty(y.shape)
    for j, (train, test) in enumerate(pairs):
        if len(np.unique(train)) + len(test) != len(y):
            raise ValueError(f"folds[{j}] trains on {len(train)} rows and tests on {len(test)}, but the formula needs all {len(y)}.")
        rest = np.eye(len(test)) - S[np.ix_(test, test)]
        singular = np.linalg.svd(rest, compute_uv=False)
        if singular[-1] < INTERPOLATES * max(1.0, 1e-6 * singular[0]):
            raise ValueError(f"the fit without the test part of folds[{j}] is not determined; use a penalty or fewer parameters.")
        out[test] = np.linalg.solve(rest, residual[test])
    return out


def gcv_error(S, y):
    """Generalized cross-validation of a linear smoother: mean squared residual / (1 - tr S / n)^2, eq-rs-gcv.

    >>> round(gcv_error(np.full((3, 3), 1 / 3), [0.0, 3.0, 6.0]), 6)
    13.5
    """
    S, y = check_smoother(S, check_array(y, name="y", ndim=1))
    rest = 1 - np.trace(S) / len(y)
    if rest < INTERPOLATES:
        raise ValueError("the trace of S is the number of rows: the smoother interpolates, and GCV is not defined.")
    return float(np.mean((y - S @ y) ** 2) / rest**2)


def check_smoother(S, y):
    """Checked square S with one row per row of y."""
    S, y = check_array(S, name="S"), check_array(y, name="y", ndim=2 if as_array(y, "y").ndim == 2 else 1)
    if S.shape != (len(y), len(y)):
        raise ValueError(f"S must be square with one row per row of y, got shape {S.shape} for {len(y)} rows.")
    return S, y
