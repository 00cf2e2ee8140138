"""Checks of matrices that several files of this chapter share: shapes, positive semidefinite and definite."""

import numpy as np

from mlcore.base import check_array
from mlcore.foundations.mathematics.linear_algebra import check_symmetric


def check_matrix(M, name, shape):
    """``M`` as a finite array of the given shape; None in ``shape`` allows any length."""
    M = check_array(M, name=name)
    if any(want is not None and want != got for want, got in zip(shape, M.shape)):
        wanted = ", ".join("any" if n is None else str(n) for n in shape)
        raise ValueError(f"{name} must have shape ({wanted}), got {M.shape}.")
    return M


def check_vector(v, name, length):
    """``v`` as a finite vector of the given length."""
    v = check_array(v, name=name, ndim=1)
    if len(v) != length:
        raise ValueError(f"{name} must have {length} entries, got {len(v)}.")
    return v


def check_instance(value, kind, name):
    """``value`` if it is an object of the class ``kind``."""
    if not isinstance(value, kind):
        raise ValueError(f"{name} must be an object of the class {kind.__name__}, got {type(value).__name__}.")
    return value


def check_semidefinite(M, name, size=None, definite=False):
    """``M`` as a symmetric positive semidefinite (or definite) array; otherwise name the offending eigenvalue.

    >>> check_semidefinite([[1.0, 0.0], [0.0, -2.0]], "U")
    Traceback (most recent call last):
    ValueError: U must be symmetric positive semidefinite, but its smallest eigenvalue is -2.
    """
    M = check_symmetric(check_matrix(M, name, (size, size)), name)
    eigenvalues = np.linalg.eigvalsh(M)
    noise = 1e-12 * max(np.abs(eigenvalues).max(), np.finfo(float).tiny)
    if eigenvalues[0] < (noise if definite else -noise):
        value = f"{eigenvalues[0]:.4g}" if abs(eigenvalues[0]) > noise else "0"
        if value == "0" and eigenvalues[-1] > noise:
            value += f" up to rounding beside its largest, {eigenvalues[-1]:.4g}"
        kind = "definite" if definite else "semidefinite"
        raise ValueError(f"{name} must be symmetric positive {kind}, but its smallest eigenvalue is {value}.")
    return M


def semidefinite_root(M):
    """A square root G with G G^T = M of a positive semidefinite matrix; it may be singular, unlike a Cholesky factor's."""
    eigenvalues, vectors = np.linalg.eigh(M)
    return vectors * np.sqrt(np.maximum(eigenvalues, 0.0))
