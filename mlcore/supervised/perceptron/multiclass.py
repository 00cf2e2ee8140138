"""The multiclass perceptron, and Kesler's construction that turns it into a perceptron of one class in more dimensions."""

from typing import NamedTuple

import numpy as np

from mlcore.base import as_array, check_array, check_number, check_option, check_rng, check_same_length
from mlcore.supervised.perceptron.learning import LARGEST_BLOCK
from mlcore.takes import takes


class MulticlassRun(NamedTuple):
    """What a multiclass perceptron did: as :class:`Run`, with the weights W (k, p) and the rival class of each update."""

    W: np.ndarray
    rows: np.ndarray
    rivals: np.ndarray
    times: np.ndarray
    mistakes: np.ndarray
    n_visits: int
    converged: bool


@takes(x="p", c="integer >= 0", k="integer >= 1")
def joint_features(x, c, k):
    """Joint feature vector of length k p: x in the block of class c, zero elsewhere (eq-pc-joint).

    >>> joint_features(np.array([1.0, 7.0]), 1, 3)
    array([0., 0., 1., 7., 0., 0.])
    """
    if c >= k:
        raise ValueError(f"c must be one of the {k} classes 0..{k - 1}, got {c}.")
    return np.kron(np.eye(k)[c], x)


def kesler_vectors(X, y, k):
    """Rows phi(x, y) - phi(x, c) for each example and each class c != y, (n (k - 1), k p) (eq-pc-kesler).

    Weights classify all examples strictly right if and only if all these rows have positive products with them.
    """
    X, y = _check(X, y, k)
    n, p = X.shape
    differences = np.eye(k)[y][:, None, :] - np.eye(k)[None]  # (n, k, k): e_y - e_c
    others = np.arange(k)[None] != y[:, None]
    return (differences[:, :, :, None] * X[:, None, None, :]).reshape(n, k, k * p)[others]


def multiclass_perceptron(X, y, k, *, visits="cyclic", max_passes=1000, rng=None):
    """Where the score of the true class is not above that of every other, add x to it and take x from the best rival (eq-pc-multi).

    ``y`` holds class numbers 0..k-1; of equal rivals the first is taken. Returns a :class:`MulticlassRun`.

    >>> run = multiclass_perceptron([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]], [0, 1, 2], 3)
    >>> run.W, run.converged
    (array([[ 2.,  0.],
           [-1.,  1.],
           [-1., -1.]]), True)
    """
    X, y = _check(X, y, k)
    check_number(max_passes, "max_passes", low=1, integer=True)
    check_option(visits, "visits", ("cyclic", "shuffled"))
    rng = check_rng(rng)
    n, order, W = len(X), np.arange(len(X)), np.zeros((k, X.shape[1]))
    rows, rivals, times, mistakes, converged = [], [], [], [], False
    while not converged and len(mistakes) < max_passes:
        if visits == "shuffled":
            order = rng.permutation(n)
        A, b = X[order], y[order]
        seen = wrong = 0
        while (found := _first_mistake(A, b, W, seen)) is not None:
            at, rival = found
            W[b[at]] += A[at]
            W[rival] -= A[at]
            rows.append(order[at])
            rivals.append(rival)
            times.append(len(mistakes) * n + at)
            seen, wrong = at + 1, wrong + 1
        mistakes.append(wrong)
        converged = wrong == 0
    return MulticlassRun(W, np.array(rows, int), np.array(rivals, int), np.array(times, int), np.array(mistakes),
                         n * len(mistakes), converged)


def _first_mistake(X, y, W, start):
    """Index and best rival of the first row from ``start`` on that is not strictly right, or None."""
    block = 16
    while start < len(X):
        scores = X[start:start + block] @ W.T
        here = np.arange(len(scores))
        own = scores[here, y[start:start + block]]
        scores[here, y[start:start + block]] = -np.inf
        rival = scores.argmax(axis=1)
        wrong = own <= scores[here, rival]
        at = int(wrong.argmax())
        if wrong[at]:
            return start + at, int(rival[at])
        start, block = start + block, min(2 * block, LARGEST_BLOCK)
    return None


def _check(X, y, k):
    X, y = check_array(X), as_array(y, "y")
    check_number(k, "k", low=2, integer=True)
    if y.ndim != 1 or y.dtype.kind not in "iu" or (y.size and not (y.min() >= 0 and y.max() < k)):
        raise ValueError(f"y must hold class numbers 0..{k - 1} in one row, got {y.ravel()[:5]} of type {y.dtype}.")
    check_same_length(X, y)
    return X, y
