"""Features that bend the line: powers and products of several variables, and bases of functions of one."""

import itertools
from math import comb

import numpy as np

from mlcore.base import Estimator, check_array, check_fitted, check_flags, check_number, check_option, check_X_y
from mlcore.supervised.ridge_lasso_polynomial.ridge import Ridge
from mlcore.takes import takes


def polynomial_features(X, degree, include_bias=True):
    """All monomials of the d columns up to ``degree``: C(d + degree, degree) columns, eq-rg-count.

    Ordered by degree and within it lexicographically, as scikit-learn does: 1, x1, x2, x1^2, x1 x2, x2^2.

    >>> polynomial_features([[2.0, 3.0]], 2)
    array([[1., 2., 3., 4., 6., 9.]])
    """
    X = check_array(X)
    check_number(degree, "degree", low=0, integer=True)
    n, d = X.shape
    if degree == 0 and not include_bias:
        raise ValueError("degree 0 without the constant leaves no features.")
    out = np.ones((comb(d + degree, degree), n))  # monomials as rows while they are built: each is then contiguous
    columns, starts, end = np.ascontiguousarray(X.T), [0] * d, 1
    for _ in range(degree):
        last, firsts = end, []
        for x, start in zip(columns, starts):
            # x_j times every monomial of the degree before that begins with x_j or later: each product once.
            firsts.append(end)
            np.multiply(x, out[start:last], out=out[end:end + last - start])
            end += last - start
        starts = firsts
    return out[0 if include_bias else 1:].T


class PolynomialFeatures(Estimator):
    """Replace the d columns by all their monomials up to ``degree``; ``include_bias`` keeps the constant 1.

    Attributes
    ----------
    n_features_in_ : d;  powers_ : (m, d) exponent of each variable in each new column

    >>> PolynomialFeatures(degree=2, include_bias=False).fit([[2.0, 3.0]]).names(["a", "b"])
    ['a', 'b', 'a^2', 'a b', 'b^2']
    """

    kind = "transformer"

    def __init__(self, degree=2, include_bias=True):
        self.degree = degree
        self.include_bias = include_bias

    def fit(self, X, y=None):
        """Learn the number of columns; the values do not matter."""
        check_flags(self)
        d = check_array(X).shape[1]
        check_number(self.degree, "degree", low=0 if self.include_bias else 1, integer=True)
        products = (combination for k in range(0 if self.include_bias else 1, self.degree + 1)
                    for combination in itertools.combinations_with_replacement(range(d), k))
        self.n_features_in_ = d
        self.powers_ = np.array([np.bincount(c, minlength=d) if c else np.zeros(d, int) for c in products])
        return self

    def transform(self, X):
        """The monomials of each row."""
        check_fitted(self, "powers_")
        return polynomial_features(check_array(X, n_features=self.n_features_in_), self.degree, self.include_bias)

    def fit_transform(self, X, y=None):
        """Fit, then transform the same rows."""
        return self.fit(X).transform(X)

    def names(self, variables):
        """Each new column as text, from the names of the old ones."""
        check_fitted(self, "powers_")
        if len(variables) != self.n_features_in_:
            raise ValueError(f"variables must hold {self.n_features_in_} names, got {len(variables)}.")
        return [" ".join(v if p == 1 else f"{v}^{p}" for v, p in zip(variables, row) if p) or "1" for row in self.powers_]


def monomial_basis(x, size):
    """1, x, ..., x^size as (n, size + 1)."""
    return np.polynomial.polynomial.polyvander(*_check_basis(x, size))


def legendre_basis(x, size):
    """Legendre polynomials P_0 .. P_size: orthogonal on [-1, 1] with weight 1."""
    return np.polynomial.legendre.legvander(*_check_basis(x, size))


def chebyshev_basis(x, size):
    """Chebyshev polynomials T_k(x) = cos(k arccos x), k = 0 .. size: orthogonal with weight 1 / sqrt(1 - x^2)."""
    return np.polynomial.chebyshev.chebvander(*_check_basis(x, size))


@takes()
def fourier_basis(x, size, period=2.0):
    """1, then cos and sin of 2 pi k x / period for k = 1 .. size, as (n, 2 size + 1).

    >>> fourier_basis([0.0, 0.5], 1).round(6)
    array([[1., 1., 0.],
           [1., 0., 1.]])
    """
    x, size = _check_basis(x, size)
    check_number(period, "period", low=0, open_low=True)
    angles = 2 * np.pi / period * x[:, None] * np.arange(1, size + 1)
    waves = np.stack([np.cos(angles), np.sin(angles)], axis=2)  # (n, size, 2)
    return np.hstack([np.ones((len(x), 1)), waves.reshape(len(x), 2 * size)])


@takes(low="number", high="number")
def radial_basis(x, size, low=-1.0, high=1.0):
    """1, then Gaussian bumps exp(-(x - c)^2 / 2 h^2) at ``size`` centers c from low to high, h their distance."""
    x, size = _check_basis(x, size)
    if size < 2 or not low < high:
        raise ValueError(f"radial_basis needs size >= 2 centers from low < high, got size={size}, low={low}, high={high}.")
    centers = np.linspace(low, high, size)
    bumps = np.exp(-((x[:, None] - centers) ** 2) / (2 * (centers[1] - centers[0]) ** 2))
    return np.hstack([np.ones((len(x), 1)), bumps])


BASES = {"monomial": monomial_basis, "legendre": legendre_basis, "chebyshev": chebyshev_basis,
         "fourier": fourier_basis, "radial": radial_basis}


def _check_basis(x, size):
    """Checked points and size of a basis."""
    return check_array(x, name="x", ndim=1), check_number(size, "size", low=0, integer=True)


class BasisRegression(Estimator):
    """Least squares on basis functions of each feature, with a ridge penalty on all but the constant (eq-rg-basis).

    Every feature is mapped to [-1, 1] by its range in the training data; the model is a sum of functions of one feature.

    Parameters
    ----------
    basis : "monomial", "legendre", "chebyshev", "fourier" or "radial"
    size : degree, highest frequency, or number of bumps
    alpha : ridge penalty >= 0

    Attributes
    ----------
    coef_ : (m,) of the basis functions without the constant;  intercept_ : float;  center_, scale_ : (d,) of the map

    >>> x = np.linspace(0, 2, 5)[:, None]
    >>> BasisRegression(basis="chebyshev", size=2).fit(x, x.ravel() ** 2).predict([[1.5]]).round(6)
    array([2.25])
    """

    def __init__(self, basis="legendre", size=3, alpha=0.0):
        self.basis = basis
        self.size = size
        self.alpha = alpha

    def fit(self, X, y):
        """Map the features, expand them, and solve."""
        X, y = check_X_y(X, y)
        check_option(self.basis, "basis", tuple(BASES))
        check_number(self.size, "size", low=2 if self.basis == "radial" else 1, integer=True)
        low, high = X.min(axis=0), X.max(axis=0)
        self.center_ = (low + high) / 2
        self.scale_ = np.where(high > low, (high - low) / 2, 1.0)
        model = Ridge(self.alpha).fit(self._expand(X), y)
        self.coef_, self.intercept_ = model.coef_, model.intercept_
        return self

    def _expand(self, X):
        """Basis functions of every feature, without their constants."""
        Z = (X - self.center_) / self.scale_
        return np.hstack([BASES[self.basis](z, self.size)[:, 1:] for z in Z.T])

    def predict(self, X):
        """Evaluate the fitted sum of basis functions."""
        check_fitted(self, "coef_")
        return self._expand(check_array(X, n_features=len(self.center_))) @ self.coef_ + self.intercept_
