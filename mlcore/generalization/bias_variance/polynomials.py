"""Polynomials in a well-conditioned basis, as linear smoothers with a ridge penalty, and the true curves to fit."""

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.linalg import qr, solve_triangular

from mlcore.base import check_array, check_number, check_option
from mlcore.generalization.bias_variance.decomposition import smoother_decomposition
from mlcore.takes import takes

N_KNOTS = 9
MAX_DEGREE = 15
TRUTHS = {
    "sine": lambda x: np.sin(np.pi * x),
    "step": lambda x: 0.8 * np.tanh(25 * x),
    "bump": lambda x: 1.6 * np.exp(-18 * (x - 0.2) ** 2) - 0.6,
    "cubic": lambda x: 2.6 * x**3 - 1.8 * x,
}


def legendre_features(x, degree):
    """Legendre polynomials scaled to mean square 1 on [-1, 1]: column k is sqrt(2k + 1) P_k(x), eq-bv-legendre.

    The recurrence (k + 1) P_{k+1} = (2k + 1) x P_k - k P_{k-1} is stable, which powers of x are not.

    >>> legendre_features([-1.0, 0.0, 1.0], 1).round(4)
    array([[ 1.    , -1.7321],
           [ 1.    ,  0.    ],
           [ 1.    ,  1.7321]])
    """
    x = check_array(x, name="x", ndim=1)
    check_number(degree, "degree", low=0, integer=True)
    P = np.ones((len(x), degree + 1))
    if degree >= 1:
        P[:, 1] = x
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(1, degree):
            P[:, k + 1] = ((2 * k + 1) * x * P[:, k] - k * P[:, k - 1]) / (k + 1)
    if not np.abs(P).max() < 1e300:                              # NaN as well
        raise ValueError(f"inputs up to {np.abs(x).max():.0e} are too large for a polynomial of degree {degree}; scale them to [-1, 1].")
    return P * np.sqrt(2 * np.arange(degree + 1) + 1)


@takes()
def polynomial_coefficients(x, degree, ridge=0.0):
    """Matrix C (degree + 1, n) such that theta = C @ y minimizes eq-bv-ridge; the constant is not penalized.

    Solved by a QR factorization of the features with sqrt(ridge) rows appended, so that the condition number
    is not squared as it would be in the normal equations.
    """
    Phi = legendre_features(x, degree)
    n, p = Phi.shape
    check_number(ridge, "ridge", low=0)
    if len(np.unique(x)) < p and ridge == 0:
        raise ValueError(f"a polynomial of degree {degree} needs at least {p} distinct inputs, got {len(np.unique(x))}; "
                         "lower the degree or use ridge > 0.")
    penalty = np.sqrt(ridge) * np.eye(p)[1:]                     # (p - 1, p): all coefficients but the constant
    Q, R = qr(np.vstack([Phi, penalty]), mode="economic")
    return solve_triangular(R, Q[:n].T)                          # (p, p), (p, n) -> (p, n)


@takes()
def polynomial_smoother(x, x_test, degree, ridge=0.0):
    """Matrix L (m, n): the fitted polynomial at ``x_test`` is L @ y, eq-bv-smoother.

    >>> L = polynomial_smoother([-1.0, 0.0, 1.0], [0.5], degree=2)
    >>> (L @ [1.0, 0.0, 1.0]).round(12)                   # the parabola through three points of x^2
    array([0.25])
    """
    return legendre_features(x_test, degree) @ polynomial_coefficients(x, degree, ridge)


def true_curve(name, knots=None):
    """Return the true function ``name`` (a key of TRUTHS), or for "custom" the curve through ``knots``.

    A custom curve is the monotone piecewise cubic (PCHIP) through N_KNOTS values at equally spaced inputs
    from -1 to 1: smooth, and it never overshoots the values it is given.
    """
    check_option(name, "name", [*TRUTHS, "custom"])
    if name != "custom":
        return TRUTHS[name]
    knots = check_array([] if knots is None else knots, name="knots", ndim=1, min_samples=0)
    if len(knots) != N_KNOTS:
        raise ValueError(f"a custom curve needs {N_KNOTS} knots, one for each of {N_KNOTS} equally spaced inputs, got {len(knots)}.")
    return PchipInterpolator(np.linspace(-1, 1, N_KNOTS), knots)


@takes(h="function")
def polynomial_decomposition(h, n, degree, sigma, ridge=0.0, x_test=None):
    """Exact noise, bias^2 and variance of a polynomial fit on n equally spaced inputs in [-1, 1].

    ``x_test`` defaults to 101 equally spaced inputs.

    >>> round(polynomial_decomposition(lambda x: 0 * x, n=20, degree=0, sigma=1.0).mean().variance, 6)
    0.05
    """
    check_number(n, "n", low=1, integer=True)
    x = np.linspace(-1, 1, n)
    x_test = np.linspace(-1, 1, 101) if x_test is None else x_test
    return smoother_decomposition(polynomial_smoother(x, x_test, degree, ridge), h(x), h(x_test), sigma)
