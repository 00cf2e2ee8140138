"""How many updates at most: margins, radii, and what bounds the perceptron when no hyperplane separates the data."""

from itertools import combinations
from typing import NamedTuple

import numpy as np

from mlcore.base import check_array, check_number, check_range, check_signs
from mlcore.foundations.constrained_optimization import solve_qp
from mlcore.supervised.perceptron.learning import _length
from mlcore.takes import takes


class Bound(NamedTuple):
    """margin gamma, radius R and the bound on the number of updates."""

    margin: float
    radius: float
    updates: float


def margin(X, y, w):
    """Smallest signed distance of an example from the hyperplane of w, min y w . x / |w| (eq-pc-margin); negative if one is wrong.

    >>> round(margin([[1.0, 2.0], [1.0, -1.0]], [1, -1], [0.0, 3.0]), 6)
    1.0
    """
    X = check_array(X)
    y = check_signs(y, X)
    w = check_array(w, name="w", ndim=1)
    return float((y * (X @ w)).min() / _length(w))


def perceptron_bound(X, y, w, start=None, step=1.0):
    """Bound R^2 / gamma^2 + 2 |start| / (step gamma) on the updates, for weights ``w`` that separate (thm-pc-convergence).

    >>> perceptron_bound([[1.0, 0.0], [0.0, 1.0]], [1, -1], [1.0, -1.0]).updates.__round__(6)
    2.0
    """
    check_number(step, "step", low=0, open_low=True)
    gamma = margin(X, y, w)
    if gamma <= 0:
        raise ValueError(f"w does not separate the classes: its margin is {gamma:.6g}; the bound needs a positive one.")
    radius = float(np.linalg.norm(check_array(X), axis=1).max())
    offset = 0.0 if start is None else 2 * float(np.linalg.norm(start)) / (step * gamma)
    return Bound(gamma, radius, (radius / gamma) ** 2 + offset)


def widest_direction(X, y):
    """The unit vector with the largest margin, by the quadratic program min |w|^2 with y w . x >= 1 (eq-pc-widest).

    >>> widest_direction([[1.0, 0.0], [0.0, 1.0]], [1, -1]).round(6)
    array([ 0.707107, -0.707107])
    """
    X = check_array(X)
    y = check_signs(y, X)
    p, size = X.shape[1], np.abs(X).max()
    if not 1e-6 < size < 1e6:
        X = X / (size or 1.0)  # lengths far from 1 would be lost in the solver's tolerances; the direction is the same
    found = solve_qp(np.eye(p), np.zeros(p), G=-y[:, None] * X, h=-np.ones(len(y)))
    if found.status != "optimal":
        raise ValueError(f"no hyperplane through the origin separates the classes ({found.status}); add a column of ones for a bias, "
                         "or use a method for data that overlap.")
    return found.x / np.linalg.norm(found.x)


@takes()
def online_bound(X, y, w, gamma):
    """Bound ((R + D) / gamma)^2 on the mistakes of one pass from zero, for any w and gamma > 0 (thm-pc-online).

    D is the length of the vector of shortfalls max(0, gamma - y u . x), with u = w / |w|.
    """
    X = check_array(X)
    y = check_signs(y, X)
    check_number(gamma, "gamma", low=0, open_low=True)
    w = check_array(w, name="w", ndim=1)
    shortfall = np.maximum(0.0, gamma - y * (X @ w) / _length(w))
    return float((np.linalg.norm(X, axis=1).max() + np.linalg.norm(shortfall)) / gamma) ** 2


def flats(A):
    """Orthonormal bases (p, k) of all subspaces spanned by rows of A, the zero space first; for small A only."""
    A = check_array(A, name="A")
    found = [np.zeros((A.shape[1], 0))]
    for k in range(1, np.linalg.matrix_rank(A) + 1):
        for rows in combinations(range(len(A)), k):
            U, s, _ = np.linalg.svd(A[list(rows)].T, full_matrices=False)
            new = s[-1] > 1e-10 * s[0] and not any(
                L.shape[1] == k and np.allclose(L @ (L.T @ U), U, atol=1e-9) for L in found)
            if new:
                found.append(U)
    return found


@takes(start="number >= 0")
def invariant_radii(A, start=0.0):
    """Radii rho_0 > ... > rho_q of cylinders that no update a with w . a <= 0 leaves (thm-pc-bounded).

    Weights with |w| <= ``start`` lie in all cylinders |P w| <= rho_k, P the projection across a flat of dimension k; so they
    never grow beyond rho_0.
    """
    A = check_array(A, name="A")
    if not A.any():
        raise ValueError("every row of A is 0, so no update moves the weights; the radii need a row that does.")
    check_range(A, "A")
    R = np.linalg.norm(A, axis=1).max()
    across = [A - (A @ L) @ L.T for L in flats(A)]
    lengths = np.concatenate([np.linalg.norm(B, axis=1) for B in across])
    beta = lengths[lengths > 1e-9 * R].min()
    q, kappa = np.linalg.matrix_rank(A), (R / beta) ** 2
    growth = ((1 + 2 * kappa) ** np.arange(q + 1) - 1) / (2 * kappa)
    # rho_k^2 = rho_0^2 - growth_k (4 kappa R rho_0 + 2 R^2); rho_0 solves rho_q = max(start, R).
    half = 2 * kappa * R * growth[-1]
    rho = half + np.sqrt(half**2 + 2 * R**2 * growth[-1] + max(start, R) ** 2)
    return np.sqrt(rho**2 - growth * (4 * kappa * R * rho + 2 * R**2))
