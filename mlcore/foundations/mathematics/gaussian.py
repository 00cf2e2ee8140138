"""The multivariate Gaussian: density by Cholesky, marginals, conditionals, products, affine maps, divergence.

A Gaussian is a pair (mu, Sigma): mean (d,), covariance (d, d), which must be symmetric positive definite.
"""

import numpy as np
from scipy.linalg import solve_triangular

from mlcore.base import as_array, check_array, check_number, check_rng
from mlcore.foundations.mathematics.linear_algebra import check_symmetric, cholesky_factor, solve_positive

LOG_2PI = float(np.log(2 * np.pi))


def whiten(X, mu, Sigma):
    """Coordinates L^{-1} (x - mu), with Sigma = L L^T, in which the Gaussian is standard (eq-ma-whiten).

    >>> whiten([[3.0, 1.0]], [1.0, 1.0], [[4.0, 0.0], [0.0, 1.0]])
    array([[1., 0.]])
    """
    X, mu, L = _points_and_factor(X, mu, Sigma)
    return solve_triangular(L, (X - mu).T, lower=True, check_finite=False).T


def squared_mahalanobis(X, mu, Sigma):
    """Squared Mahalanobis distance (x - mu)^T Sigma^{-1} (x - mu) of each row (eq-ma-whiten).

    >>> squared_mahalanobis([[3.0, 1.0]], [1.0, 1.0], [[4.0, 0.0], [0.0, 1.0]])
    array([1.])
    """
    Z = whiten(X, mu, Sigma)
    return np.einsum("ij,ij->i", Z, Z)


def log_gaussian(X, mu, Sigma):
    """Log density of N(mu, Sigma) at each row of X, through one Cholesky factor (eq-ma-log-gaussian).

    Parameters
    ----------
    X : (n, d) points in rows, or (d,) a single point, for which one number is returned
    mu, Sigma : (d,) and (d, d) positive definite

    >>> log_gaussian([[0.0, 0.0], [3.0, 0.0]], [0.0, 0.0], np.eye(2)).round(4)
    array([-1.8379, -6.3379])
    """
    X = as_array(X, "X")
    rows, mu, L = _points_and_factor(X if X.ndim == 2 else X[None], mu, Sigma)
    Z = solve_triangular(L, (rows - mu).T, lower=True, check_finite=False)  # (d, n)
    value = -0.5 * (len(mu) * LOG_2PI + np.einsum("ij,ij->j", Z, Z)) - np.log(np.diag(L)).sum()
    return value if X.ndim == 2 else float(value[0])


def sample_gaussian(mu, Sigma, n, random_state=None):
    """Draw n rows mu + L z with standard normal z (eq-ma-affine).

    >>> sample_gaussian([0.0, 5.0], np.eye(2), 3, random_state=0).shape
    (3, 2)
    """
    rng = check_rng(random_state)
    check_number(n, "n", low=0, integer=True)
    mu, L = _mean(mu), cholesky_factor(Sigma)
    _same_length(mu, L)
    return mu + rng.standard_normal((n, len(mu))) @ L.T


def gaussian_affine(mu, Sigma, A, b=0.0):
    """Mean A mu + b and covariance A Sigma A^T of A x + b (eq-ma-affine).

    >>> gaussian_affine([1.0, 2.0], np.eye(2), [[1.0, 1.0]])
    (array([3.]), array([[2.]]))
    """
    mu, Sigma = _pair(mu, Sigma)
    A = check_array(A, name="A")
    if A.shape[1] != len(mu):
        raise ValueError(f"A has {A.shape[1]} columns, but mu has {len(mu)} entries; they must agree.")
    b = check_array(np.atleast_1d(b), name="b", ndim=1)
    if len(b) not in (1, len(A)):
        raise ValueError(f"b has {len(b)} entries, but A has {len(A)} rows; they must agree.")
    covariance = A @ Sigma @ A.T
    return A @ mu + b, (covariance + covariance.T) / 2


def gaussian_marginal(mu, Sigma, keep):
    """Mean and covariance of the coordinates ``keep`` (eq-ma-marginal).

    >>> gaussian_marginal([1.0, 2.0, 3.0], np.diag([1.0, 4.0, 9.0]), [2, 0])
    (array([3., 1.]), array([[9., 0.],
           [0., 1.]]))
    """
    mu, Sigma = _pair(mu, Sigma)
    keep = _indices(keep, "keep", len(mu))
    return mu[keep], Sigma[np.ix_(keep, keep)]


def gaussian_conditional(mu, Sigma, given, values):
    """Mean and covariance of the other coordinates when the coordinates ``given`` have the ``values`` (eq-ma-conditional).

    Parameters
    ----------
    given : k indices of the observed coordinates; the others are returned in increasing order
    values : (k,), or (n, k) for n observations at once, which gives means (n, d - k); the covariance is the same for all

    >>> mean, covariance = gaussian_conditional([0.0, 0.0], [[2.0, 0.8], [0.8, 1.0]], [0], [1.0])
    >>> mean, covariance.round(10)
    (array([0.4]), array([[0.68]]))
    """
    mu, Sigma = _pair(mu, Sigma)
    b = _indices(given, "given", len(mu))
    a = np.setdiff1d(np.arange(len(mu)), b)
    if not len(a):
        raise ValueError("given names every coordinate; at least one must be left to describe.")
    values = check_array(values, name="values", ndim=2 if np.ndim(values) == 2 else 1)
    if values.shape[-1] != len(b):
        raise ValueError(f"values has {values.shape[-1]} entries, but given names {len(b)} coordinates; they must agree.")
    gain = solve_positive(Sigma[np.ix_(b, b)], Sigma[np.ix_(b, a)])  # (k, d - k), Sigma_bb^{-1} Sigma_ba
    covariance = Sigma[np.ix_(a, a)] - Sigma[np.ix_(a, b)] @ gain
    return mu[a] + (values - mu[b]) @ gain, (covariance + covariance.T) / 2


def gaussian_joint(mu, Sigma, A, b, noise):
    """Mean and covariance of (x, y) when x ~ N(mu, Sigma) and y = A x + b + e with e ~ N(0, noise) (eq-ma-joint).

    Bayes' rule for the linear model is then ``gaussian_conditional`` of this joint on y.

    >>> gaussian_joint([1.0], [[2.0]], [[3.0]], [0.0], [[1.0]])
    (array([1., 3.]), array([[ 2.,  6.],
           [ 6., 19.]]))
    """
    mu, Sigma = _pair(mu, Sigma)
    mean, covariance = gaussian_affine(mu, Sigma, A, b)
    noise = check_symmetric(noise, "noise")
    if noise.shape != covariance.shape:
        raise ValueError(f"noise must have shape {covariance.shape}, one row per row of A, got {noise.shape}.")
    cross = Sigma @ np.asarray(A, float).T
    return np.concatenate([mu, mean]), np.block([[Sigma, cross], [cross.T, covariance + noise]])


def gaussian_product(mu, Sigma, nu, Omega):
    """Product of two densities: N(x; mu, Sigma) N(x; nu, Omega) = exp(log_z) N(x; mean, covariance) (eq-ma-product).

    Returns log_z, mean, covariance. No covariance is inverted by itself; only their sum is factored.

    >>> log_z, mean, covariance = gaussian_product([0.0], [[1.0]], [4.0], [[3.0]])
    >>> mean, covariance
    (array([1.]), array([[0.75]]))
    """
    mu, Sigma = _pair(mu, Sigma)
    nu, Omega = _pair(nu, Omega, "nu", "Omega")
    _same_length(mu, Omega, "Omega")
    gain = solve_positive(Sigma + Omega, Sigma, "Sigma + Omega").T  # Sigma (Sigma + Omega)^{-1}
    covariance = gain @ Omega
    return log_gaussian(mu, nu, Sigma + Omega), mu + gain @ (nu - mu), (covariance + covariance.T) / 2


def gaussian_entropy(Sigma):
    """Differential entropy (d (1 + log 2 pi) + log det Sigma) / 2; it can be negative (eq-ma-gaussian-entropy).

    >>> round(gaussian_entropy([[2.0, 0.8], [0.8, 1.0]]), 6)
    2.991619
    """
    L = cholesky_factor(Sigma)
    return float(0.5 * len(L) * (1 + LOG_2PI) + np.log(np.diag(L)).sum())


def gaussian_kl(mu, Sigma, nu, Omega):
    """Divergence KL(N(mu, Sigma) || N(nu, Omega)) (eq-ma-gaussian-kl).

    >>> gaussian_kl([0.0], [[1.0]], [2.0], [[1.0]])
    2.0
    """
    mu, nu = _mean(mu), _mean(nu, "nu")
    L, M = cholesky_factor(Sigma), cholesky_factor(Omega, "Omega")
    _same_length(mu, L)
    _same_length(nu, M, "Omega", "nu")
    _same_length(mu, M, "Omega")
    T = solve_triangular(M, L, lower=True, check_finite=False)  # tr(Omega^{-1} Sigma) = |T|^2
    z = solve_triangular(M, nu - mu, lower=True, check_finite=False)
    half_logdets = np.log(np.diag(M)).sum() - np.log(np.diag(L)).sum()
    return float(0.5 * ((T**2).sum() - len(mu) + z @ z) + half_logdets)


def gaussian_ellipse(mu, Sigma, radius=1.0, n_points=73):
    """Points (n_points, 2) of the curve on which the Mahalanobis distance from mu is ``radius``, in two dimensions.

    >>> gaussian_ellipse([0.0, 0.0], np.eye(2), radius=2.0, n_points=3).round(6) + 0.0
    array([[ 2.,  0.],
           [-2.,  0.],
           [ 2.,  0.]])
    """
    mu, L = _mean(mu), cholesky_factor(Sigma)
    check_number(radius, "radius", low=0, open_low=True)
    check_number(n_points, "n_points", low=1, integer=True)
    if len(mu) != 2 or len(L) != 2:
        raise ValueError(f"an ellipse needs two dimensions, got mu of length {len(mu)} and Sigma of shape {L.shape}.")
    angle = np.linspace(0, 2 * np.pi, n_points)
    return mu + radius * np.column_stack([np.cos(angle), np.sin(angle)]) @ L.T


def _mean(mu, name="mu"):
    return check_array(mu, name=name, ndim=1)


def _same_length(mu, Sigma, name="Sigma", mean="mu"):
    if len(mu) != len(Sigma):
        raise ValueError(f"{mean} has {len(mu)} entries, but {name} has shape {Sigma.shape}; they must agree.")


def _pair(mu, Sigma, mean="mu", covariance="Sigma"):
    """Mean and symmetric covariance whose sizes agree."""
    mu, Sigma = _mean(mu, mean), check_symmetric(Sigma, covariance)
    _same_length(mu, Sigma, covariance, mean)
    return mu, Sigma


def _points_and_factor(X, mu, Sigma):
    """X (n, d), mu (d,) and the Cholesky factor of Sigma."""
    mu, L = _mean(mu), cholesky_factor(Sigma)
    _same_length(mu, L)
    X = check_array(X, min_samples=0)
    if X.shape[1] != len(mu):
        raise ValueError(f"X has {X.shape[1]} columns, but mu has {len(mu)} entries; they must agree.")
    return X, mu, L


def _indices(index, name, d):
    """Distinct coordinate numbers 0..d-1 as an integer array."""
    index = np.atleast_1d(np.asarray(index))
    if index.dtype.kind not in "iu" or index.ndim != 1 or index.size == 0:
        raise ValueError(f"{name} must be a list of coordinate numbers, got {index!r}.")
    if index.min() < 0 or index.max() >= d or len(np.unique(index)) != len(index):
        raise ValueError(f"{name} must hold distinct numbers from 0 to {d - 1}, got {index.tolist()}.")
    return index
