"""Minimum-norm least squares, its exact risk for Gaussian features, and how ridge removes the peak."""

import numpy as np
from scipy.linalg import lstsq, solve

from mlcore.base import Estimator, check_array, check_fitted, check_number, check_rng, check_X_y
from mlcore.takes import takes


@takes(X="n d", y="n | n k", rcond="number >= 0")
def min_norm_solution(X, y, ridge=0.0, rcond=1e-12):
    """Coefficients that minimize |y - X theta|^2 + ridge |theta|^2; of several, the shortest, eq-bv-minnorm.

    Singular values below ``rcond`` times the largest count as zero. A penalty that is not tiny makes the normal
    equations safe, and they are solved for whichever is smaller, the features or the samples.

    >>> min_norm_solution(np.array([[1.0, 1.0]]), np.array([2.0])).round(12)
    array([1., 1.])
    """
    check_number(ridge, "ridge", low=0)
    n, p = X.shape
    if ridge == 0:
        return lstsq(X, y, cond=rcond, lapack_driver="gelsd")[0]
    gram = X @ X.T if n < p else X.T @ X
    if ridge < 1e-8 * np.trace(gram):                # below this, the square of the condition number would show
        U, s, Vt = np.linalg.svd(X, full_matrices=False)
        shrink = s / (s**2 + ridge)
        return Vt.T @ (shrink.reshape(-1, *[1] * (y.ndim - 1)) * (U.T @ y))
    gram.flat[:: len(gram) + 1] += ridge
    if n < p:
        return X.T @ solve(gram, y, assume_a="pos")  # X'(XX' + ridge I)^-1 y, the same vector
    return solve(gram, X.T @ y, assume_a="pos")


class MinNormRegression(Estimator):
    """Linear regression without intercept that is defined for any shape of X, eq-bv-minnorm.

    With ``ridge=0`` it is least squares where that has one solution, and the interpolant of smallest norm where
    there are more features than samples; ``ridge > 0`` penalizes |theta|^2.

    Parameters
    ----------
    ridge : weight of the penalty, >= 0

    Attributes
    ----------
    coef_ : (d,) or (d, k);  norm_ : its Euclidean norm

    >>> model = MinNormRegression().fit([[1.0, 1.0]], [2.0])
    >>> model.coef_.round(6), model.predict([[3.0, 0.0]]).round(6)
    (array([1., 1.]), array([3.]))
    """

    def __init__(self, ridge=0.0):
        self.ridge = ridge

    def fit(self, X, y):
        """Fit to X (n, d) and y (n,), or (n, k) for k outputs."""
        X, y = check_X_y(X, y, n_outputs=None)
        self.coef_ = min_norm_solution.core(X, y, self.ridge)
        self.norm_ = float(np.linalg.norm(self.coef_))
        return self

    def predict(self, X):
        """X @ coef_."""
        check_fitted(self, "coef_")
        return check_array(X, n_features=len(self.coef_)) @ self.coef_


class RandomReLUFeatures(Estimator):
    """Random features max(0, w . x): a hidden layer that is drawn once and never trained.

    The weights w are standard normal; the features are divided by sqrt(n_features), so that the size of a whole
    row of features does not depend on how many there are.

    Parameters
    ----------
    n_features : number of features
    random_state : None, int or Generator

    Attributes
    ----------
    weights_ : (d, n_features)

    >>> RandomReLUFeatures(n_features=3, random_state=0).fit_transform([[0.0, 0.0]]).shape
    (1, 3)
    """

    kind = "transformer"

    def __init__(self, n_features=100, random_state=None):
        self.n_features = n_features
        self.random_state = random_state

    def fit(self, X, y=None):
        """Draw the weights for inputs with as many columns as X."""
        rng = check_rng(self.random_state)
        X = check_array(X)
        check_number(self.n_features, "n_features", low=1, integer=True)
        self.weights_ = rng.normal(size=(X.shape[1], self.n_features))
        return self

    def transform(self, X):
        """Return the features (n, n_features)."""
        check_fitted(self, "weights_")
        X = check_array(X, n_features=len(self.weights_))
        return np.maximum(X @ self.weights_, 0) / np.sqrt(self.n_features)

    def fit_transform(self, X, y=None):
        """Fit, then transform the same X."""
        return self.fit(X).transform(X)


@takes()
def isotropic_risk(n, p, sigma, signal=1.0, unseen=0.0):
    """Expected test error of minimum-norm least squares for x ~ N(0, I), eq-bv-risk-under and eq-bv-risk-over.

    y = x . beta + unseen part + noise. The model has ``p`` features, whose coefficients have |beta|^2 = ``signal``;
    features it does not see carry ``unseen`` = sum of their squared coefficients, which acts as more noise
    (eq-bv-weak). The noise of the test target is included. Infinite where |n - p| <= 1, unless there is no noise at
    all, no sample or no feature.

    >>> round(isotropic_risk(n=100, p=500, sigma=0.5), 3), isotropic_risk(n=20, p=20, sigma=0.5)
    (1.113, inf)
    """
    check_number(n, "n", low=0, integer=True)
    check_number(p, "p", low=0, integer=True)
    check_number(sigma, "sigma", low=0)
    check_number(signal, "signal", low=0)
    check_number(unseen, "unseen", low=0)
    noise = float(sigma) ** 2 + unseen
    if p == 0 or n == 0:                             # the estimate is zero: nothing is fitted, so no noise either
        return noise + (signal if p > 0 else 0.0)
    if p < n - 1:
        return noise * (1 + p / (n - p - 1))
    if p > n + 1:
        return noise * (1 + n / (p - n - 1)) + signal * (1 - n / p)
    if noise > 0:
        return float("inf")
    return 0.0 if p <= n else signal * (1 - n / p)


@takes()
def optimal_ridge(p, sigma, signal=1.0):
    """The penalty p sigma^2 / |beta|^2, best for every sample size when x ~ N(0, I), eq-bv-best-ridge."""
    check_number(p, "p", low=1, integer=True)
    check_number(sigma, "sigma", low=0)
    check_number(signal, "signal", low=0, open_low=True)
    return p * float(sigma) ** 2 / signal


@takes()
def ridge_risk(n, p, sigma, ridge, signal=1.0, n_sets=20, rng=None):
    """Expected test error of ridge for x ~ N(0, I): exact given X, averaged over draws of X, eq-bv-ridge-risk.

    ``ridge`` is a positive number or an array of them; the same draws of X serve all of them.
    """
    check_number(n, "n", low=1, integer=True)
    check_number(p, "p", low=1, integer=True)
    check_number(n_sets, "n_sets", low=1, integer=True)
    check_number(sigma, "sigma", low=0)
    check_number(signal, "signal", low=0)
    lam = check_array(ridge, name="ridge", ndim=None)[..., None]
    if not (lam > 0).all():
        raise ValueError(f"ridge must be > 0 everywhere, got {ridge!r}; for ridge = 0 use isotropic_risk.")
    rng = check_rng(rng)
    excess = np.zeros(lam.shape[:-1])
    for _ in range(n_sets):
        X = rng.normal(size=(n, p))
        s = np.maximum(np.linalg.eigvalsh(X @ X.T if n < p else X.T @ X), 0)      # the min(n, p) largest of X'X
        bias2 = ((lam / (s + lam)) ** 2).sum(axis=-1) + max(p - n, 0)
        excess += signal / p * bias2 + sigma**2 * (s / (s + lam) ** 2).sum(axis=-1)
    risk = sigma**2 + excess / n_sets
    return float(risk) if risk.ndim == 0 else risk
