"""Kernels k(x, z) = <phi(x), phi(z)> on rows of numbers, and the step from a name or a function to a checked kernel."""

import inspect
from functools import partial

import numpy as np
from scipy.spatial.distance import cdist

from mlcore.base import check_array, check_number
from mlcore.supervised.neighbors_and_kernel_regression.kernels import log_gaussian

DIRECT = 8  # up to this many columns the direct sum of squares is as fast as a matrix product, and exact
BLOCK = 2**16  # entries worked on at a time: half a megabyte, so that a block stays in the processor's cache
CANCELED = 1e-4  # a distance below this fraction of |x|^2 + |z|^2 has lost digits to cancellation


def squared_distances(X, Z=None):
    """|x_i - z_j|^2 for all pairs of rows, (n, m); for ``Z=None`` exactly symmetric with a zero diagonal.

    Many columns: |x|^2 + |z|^2 - 2 x.z, eq-kn-distance, one matrix product; pairs so close that the subtraction cancels
    are computed again from their difference.
    """
    X, Z = _check_pair(X, Z)
    if X.shape[1] <= DIRECT:
        return cdist(X, X if Z is None else Z, "sqeuclidean")
    center = (X if Z is None else Z).mean(axis=0)  # small coordinates keep the cancellation small
    A = X - center
    B = A if Z is None else Z - center
    D = A @ B.T  # exactly symmetric when B is A
    a2, b2 = (np.einsum("ij,ij->i", C, C) for C in (A, B))
    step = max(1, BLOCK // len(B))
    for start in range(0, len(A), step):
        rows = slice(start, start + step)
        total, block = np.add.outer(a2[rows], b2), D[rows]
        block *= -2
        block += total
        total *= CANCELED
        near = block < total
        if Z is None:
            near[np.arange(len(near)), start + np.arange(len(near))] = False
        for i in np.flatnonzero(near.any(axis=1)):
            columns = np.flatnonzero(near[i])
            block[i, columns] = cdist(A[start + i:start + i + 1], B[columns], "sqeuclidean")[0]
    if Z is None:
        np.fill_diagonal(D, 0.0)
    return D


def linear_kernel(X, Z=None):
    """k(x, z) = x.z, whose feature map is the identity.

    >>> linear_kernel([[1.0, 2.0]], [[3.0, 1.0]])
    array([[5.]])
    """
    X, Z = _check_pair(X, Z)
    return X @ (X if Z is None else Z).T


def polynomial_kernel(X, Z=None, degree=3, scale=1.0, offset=1.0):
    """k(x, z) = (scale x.z + offset)^degree, eq-kn-polynomial; its features are the monomials up to ``degree``.

    >>> polynomial_kernel([[1.0, 2.0]], [[3.0, 1.0]], degree=2)
    array([[36.]])
    """
    check_kernel_parameters(degree=degree, scale=scale, offset=offset)
    K = linear_kernel(X, Z)
    K *= scale
    K += offset
    return _power(K, int(degree))


def _power(K, q):
    """K^q entry by entry, in place: repeated squaring, a block of rows at a time, since numpy's power costs ten times as much."""
    step = max(1, BLOCK // K.shape[1])
    for start in range(0, len(K), step):
        block = K[start:start + step]
        square, left, power = block.copy(), q, None
        while True:
            if left % 2:
                power = square.copy() if power is None else np.multiply(power, square, out=power)
            left //= 2
            if left == 0:
                break
            square *= square
        block[:] = power
    return K


def gaussian_kernel(X, Z=None, bandwidth=1.0):
    """k(x, z) = exp(-|x - z|^2 / (2 bandwidth^2)), eq-kn-gaussian; for ``Z=None`` exactly symmetric with unit diagonal.

    >>> gaussian_kernel([[0.0], [2.0]], bandwidth=2.0).round(6)
    array([[1.      , 0.606531],
           [0.606531, 1.      ]])
    """
    check_kernel_parameters(bandwidth=bandwidth)
    K = squared_distances(X, Z)
    return np.exp(log_gaussian(K, bandwidth, out=K), out=K)


KERNELS = {"linear": linear_kernel, "polynomial": polynomial_kernel, "gaussian": gaussian_kernel}
PARAMETERS = {name: tuple(inspect.signature(function).parameters)[2:] for name, function in KERNELS.items()}


# An offset below 0 would give the expansion negative coefficients: no kernel.
RANGES = {"degree": {"low": 1, "integer": True}, "scale": {"low": 0, "open_low": True}, "offset": {"low": 0},
          "bandwidth": {"low": 0, "open_low": True}}


def check_kernel_parameters(**parameters):
    """Check each parameter, whether the chosen kernel uses it or not."""
    for name, value in parameters.items():
        check_number(value, name, **RANGES[name])


def check_kernel(kernel):
    """Return ``kernel`` if it is one of the names, "precomputed" or a function of two arrays of rows."""
    if callable(kernel) or (isinstance(kernel, str) and kernel in (*KERNELS, "precomputed")):
        return kernel
    known = ", ".join(map(repr, (*KERNELS, "precomputed")))
    raise ValueError(f"kernel must be one of {known}, or a function K(X, Z) that returns an (n, m) array; got {kernel!r}.")


def resolve_kernel(kernel, **parameters):
    """Turn a name or a function into a checked function K(X, Z=None) that returns an (n, m) array.

    Each named kernel takes its own of ``parameters`` (degree, scale, offset, bandwidth) and leaves the others alone; a name
    no kernel has is refused. "precomputed" takes kernel values for X: (n, n) to fit, (m, n) against the n fitted rows.

    >>> resolve_kernel("gaussian", bandwidth=2.0, degree=5)([[0.0]], [[2.0]]).round(6)
    array([[0.606531]])
    """
    check_kernel(kernel)
    known = {name for names in PARAMETERS.values() for name in names}
    for name in parameters:
        if name not in known:
            raise ValueError(f"no kernel has a parameter {name!r}; known parameters: {', '.join(sorted(known))}.")
    check_kernel_parameters(**parameters)
    if kernel == "precomputed":
        return _precomputed
    if callable(kernel):
        return partial(_call, kernel)
    return partial(KERNELS[kernel], **{name: value for name, value in parameters.items() if name in PARAMETERS[kernel]})


def _precomputed(X, Z=None):
    """Kernel values that the caller computed: square to fit, one column per fitted row to predict."""
    K = check_array(X, name="the precomputed Gram matrix")
    wanted = len(K) if Z is None else len(Z)
    if K.shape[1] != wanted:
        what = "square, (n, n)" if Z is None else f"(m, {wanted}), one column for each of the {wanted} fitted rows"
        raise ValueError(f"the precomputed Gram matrix must be {what}; got shape {K.shape}.")
    return K


def _call(function, X, Z=None):
    """Values of the caller's own kernel, whose shape is checked."""
    Z = X if Z is None else Z
    K = check_array(function(X, Z), name="kernel(X, Z)")
    if K.shape != (len(X), len(Z)):
        raise ValueError(f"kernel(X, Z) must return an array of shape {(len(X), len(Z))}, got {K.shape}.")
    return K


def _check_pair(X, Z):
    """Both sets of rows as arrays with the same number of columns."""
    X = check_array(X)
    if Z is None:
        return X, None
    Z = check_array(Z, name="Z")
    if X.shape[1] != Z.shape[1]:
        raise ValueError(f"X has {X.shape[1]} columns, but Z has {Z.shape[1]}; a kernel compares rows of the same length.")
    return X, Z
