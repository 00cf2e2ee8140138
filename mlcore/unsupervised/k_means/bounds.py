"""Elkan's acceleration of Lloyd's iteration: the same clusters from fewer distances."""

from typing import NamedTuple

import numpy as np

from mlcore.takes import takes
from mlcore.unsupervised.k_means.iteration import move, refill_empty


class ElkanResult(NamedTuple):
    """Where the iteration ended, and how many distances each assignment step computed."""

    centers: np.ndarray
    labels: np.ndarray
    distances_per_round: list


@takes(X="n d", centers="k d", max_iter="integer >= 0")
def elkan(X, centers, max_iter=300):
    """Lloyd's iteration with the bounds eq-km-elkan: the result of ``lloyd``, and a count of distances.

    ``upper[i]`` bounds the distance of point i to its own center from above, ``lower[j, i]`` that to center j
    from below. A pair whose bounds rule out a change is skipped; so a point exactly as near to another center
    keeps its label, where ``lloyd`` gives it to the lower index.

    >>> X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    >>> elkan(X, np.array([[0.0], [1.0]])).centers.ravel().tolist()
    [1.0, 11.0]
    """
    n, k = len(X), len(centers)
    lower = np.array([_norm(X - center) for center in centers])  # (k, n), the only full table
    labels = lower.argmin(axis=0)
    upper = lower.min(axis=0)
    counted = [n * k]
    for _ in range(max_iter):
        moved = move.core(X, refill_empty.core(X, labels, centers), centers)
        step = _norm(moved - centers)
        centers = moved
        if not step.any():
            break
        lower -= step[:, None]
        upper += step[labels]
        counted.append(_reassign(X, centers, labels, upper, lower))
    return ElkanResult(centers, labels, counted)


def _norm(difference):
    """Length of every row."""
    return np.sqrt(np.einsum("...d,...d->...", difference, difference))


def _reassign(X, centers, labels, upper, lower):
    """One assignment step, in place; a distance is computed only where both of Elkan's rules fail. Returns how many were."""
    k = len(centers)
    half = _norm(centers[:, None] - centers) / 2
    nearest_half = np.where(np.eye(k, dtype=bool), np.inf, half).min(axis=1)
    unsafe = upper > nearest_half[labels]  # all others keep their center by the second rule alone
    exact, count = ~unsafe, k * (k - 1) // 2
    for j in range(k):
        rows = np.flatnonzero(unsafe & (upper > lower[j]))  # first rule
        rows = rows[(labels[rows] != j) & (upper[rows] > half[j, labels[rows]])]  # second rule
        stale = rows[~exact[rows]]  # tighten the upper bound before paying for center j
        upper[stale] = lower[labels[stale], stale] = _norm(X[stale] - centers[labels[stale]])
        exact[stale] = True
        rows = rows[(upper[rows] > lower[j, rows]) & (upper[rows] > half[j, labels[rows]])]
        lower[j, rows] = _norm(X[rows] - centers[j])
        count += len(stale) + len(rows)
        closer = rows[lower[j, rows] < upper[rows]]
        labels[closer], upper[closer] = j, lower[j, closer]
    return count
