"""Gram matrices: the test that makes a kernel a kernel, and the features that a positive semidefinite matrix hides."""

import numpy as np
from scipy.linalg import LinAlgError, cholesky, eigh, eigvalsh

from mlcore.base import check_array
from mlcore.takes import takes

TOLERANCE = 1e-10  # of the trace: how far below zero rounding may push an eigenvalue


def _check_square(K, name):
    """A finite, square, symmetric matrix (symmetric up to rounding)."""
    K = check_array(K, name=name)
    if K.shape[0] != K.shape[1]:
        raise ValueError(f"{name} must be a square Gram matrix (n, n), got shape {K.shape}.")
    gap, size = np.abs(K - K.T), np.abs(K).max()
    if gap.max() > 1e-10 * size:
        i, j = sorted(int(a) for a in np.unravel_index(gap.argmax(), gap.shape))
        raise ValueError(f"{name} must be symmetric, but {name}[{i}, {j}] = {K[i, j]:.6g} and {name}[{j}, {i}] = {K[j, i]:.6g}.")
    return K


def gram_spectrum(K):
    """Eigenvalues of a symmetric matrix, ascending: all of them are >= 0 exactly for the Gram matrices, thm-kn-psd.

    >>> gram_spectrum([[2.0, 1.0], [1.0, 2.0]])
    array([1., 3.])
    """
    return eigvalsh(_check_square(K, "K"))


@takes(tol="number >= 0")
def is_psd(K, tol=TOLERANCE):
    """Whether v'Kv >= -tol trace(K) |v|^2 for all v: a Cholesky factorization of the shifted matrix decides.

    >>> is_psd([[1.0, 0.5], [0.5, 1.0]]), is_psd([[0.0, -1.0], [-1.0, 0.0]])
    (True, False)
    """
    return _smallest_below(_check_square(K, "K"), tol) is None


def _smallest_below(K, tol):
    """None if no eigenvalue is below -tol trace(K), else the smallest eigenvalue."""
    trace = np.trace(K)
    if trace <= 0:
        smallest = eigvalsh(K, subset_by_index=[0, 0])[0]
        return float(smallest) if smallest < 0 else None
    shifted = K.copy()
    shifted.flat[:: len(K) + 1] += tol * trace
    try:
        cholesky(shifted, lower=True, overwrite_a=True, check_finite=False)
        return None
    except LinAlgError:
        smallest = eigvalsh(K, subset_by_index=[0, 0])[0]
        return float(smallest) if smallest < -tol * trace else None


def check_gram(K, *, n=None, name="K"):
    """Return ``K`` if it is a Gram matrix: square (of size n), symmetric and positive semidefinite up to rounding.

    A matrix that fails is refused with the reason; for a negative eigenvalue the error names it.
    """
    K = check_array(K, name=name)
    if n is not None and K.shape != (n, n):
        raise ValueError(f"{name} must be the ({n}, {n}) Gram matrix of the {n} samples, got shape {K.shape}.")
    K = _check_square(K, name)
    smallest = _smallest_below(K, TOLERANCE)
    if smallest is not None:
        raise ValueError(f"{name} is not positive semidefinite (smallest eigenvalue {smallest:.4g}), so it holds no inner "
                         "products: the function behind it is not a kernel. Choose another kernel or other parameters.")
    return K


def gram_features(K):
    """Rows Phi with Phi Phi' = K, from the eigenvectors, eq-kn-eigenfeatures; K must be positive semidefinite.

    Eigenvalues at the level of rounding are dropped, so Phi has rank(K) columns, the largest first.

    >>> Phi = gram_features([[4.0, 2.0], [2.0, 1.0]])
    >>> Phi.shape, (Phi @ Phi.T).round(6)
    ((2, 1), array([[4., 2.],
           [2., 1.]]))
    """
    values, vectors = eigh(check_gram(K))
    keep = np.flatnonzero(values > len(values) * np.finfo(float).eps * max(values[-1], 0.0))[::-1]
    return vectors[:, keep] * np.sqrt(values[keep])


@takes(first="function", second="function")
def kernel_sum(first, second):
    """The kernel k1 + k2, prop-kn-closure."""
    return lambda X, Z=None: first(X, Z) + second(X, Z)


@takes(first="function", second="function")
def kernel_product(first, second):
    """The kernel k1 k2, prop-kn-closure."""
    return lambda X, Z=None: first(X, Z) * second(X, Z)


@takes(kernel="function", function="function")
def kernel_scaled(kernel, function):
    """The kernel f(x) k(x, z) f(z), prop-kn-closure, for a real function f of an array of rows.

    >>> from mlcore.supervised.kernel_methods import linear_kernel
    >>> kernel_scaled(linear_kernel, lambda X: 1 / np.linalg.norm(X, axis=1))([[3.0, 4.0]], [[4.0, 3.0]]).round(6)
    array([[0.96]])
    """
    def scaled(X, Z=None):
        X = np.asarray(X, float)
        right = X if Z is None else np.asarray(Z, float)
        return function(X)[:, None] * kernel(X, Z) * function(right)
    return scaled
