"""Explicit feature maps: the long vectors whose inner products the kernels compute without writing them down."""

from math import comb

import numpy as np
from scipy.special import factorial

from mlcore.base import check_array, check_number
from mlcore.supervised.ridge_lasso_polynomial import PolynomialFeatures, polynomial_features


def n_monomials(d, degree):
    """Number of monomials of d variables up to ``degree``, C(d + degree, degree), eq-kn-count.

    >>> n_monomials(2, 2), n_monomials(1000, 3)
    (6, 167668501)
    """
    check_number(d, "d", low=1, integer=True)
    check_number(degree, "degree", low=0, integer=True)
    return comb(d + degree, degree)


def tensor_features(X, degree):
    """All products x_a x_b x_c ... of up to ``degree`` coordinates, repeats included, eq-kn-tensor.

    There are 1 + d + d^2 + ... + d^degree of them, and <phi(x), phi(z)> = 1 + s + s^2 + ... with s = x.z.

    >>> tensor_features([[2.0, 3.0]], 2)
    array([[1., 2., 3., 4., 6., 6., 9.]])
    """
    X = check_array(X)
    check_number(degree, "degree", low=0, integer=True)
    blocks = [np.ones((len(X), 1))]
    for _ in range(degree):
        blocks.append((blocks[-1][:, :, None] * X[:, None, :]).reshape(len(X), -1))  # (n, d^k) x (n, d) -> (n, d^(k+1))
    return np.hstack(blocks)


def monomial_map(X, degree=3, scale=1.0, offset=1.0):
    """The C(d + degree, degree) weighted monomials whose inner product is (scale x.z + offset)^degree, eq-kn-monomials.

    >>> monomial_map([[1.0, 2.0]], degree=2).round(4)
    array([[1.    , 1.4142, 2.8284, 1.    , 2.8284, 4.    ]])
    """
    X = check_array(X)
    check_number(degree, "degree", low=1, integer=True)
    check_number(scale, "scale", low=0, open_low=True)
    check_number(offset, "offset", low=0)
    powers = PolynomialFeatures(degree).fit(X).powers_  # (p, d)
    total = powers.sum(axis=1)
    ways = factorial(degree) / factorial(degree - total) / factorial(powers).prod(axis=1)  # multinomial coefficients
    return polynomial_features(X, degree) * np.sqrt(ways * scale**total * float(offset) ** (degree - total))


def gaussian_series_map(X, degree, bandwidth=1.0):
    """Monomials up to ``degree`` of the series of the Gaussian kernel, eq-kn-series.

    phi_a(x) = exp(-|x|^2 / (2 h^2)) x^a / (h^|a| sqrt(a!)); the inner product tends to the Gaussian kernel as degree grows.

    >>> Phi = gaussian_series_map([[0.5], [1.0]], degree=12)
    >>> (Phi @ Phi.T).round(6)
    array([[1.      , 0.882497],
           [0.882497, 1.      ]])
    """
    X = check_array(X)
    check_number(degree, "degree", low=0, integer=True)
    check_number(bandwidth, "bandwidth", low=0, open_low=True)
    U = X / bandwidth
    weights = 1 / np.sqrt(factorial(PolynomialFeatures(degree).fit(X).powers_).prod(axis=1))
    return np.exp(-0.5 * (U**2).sum(axis=1))[:, None] * polynomial_features(U, degree) * weights

