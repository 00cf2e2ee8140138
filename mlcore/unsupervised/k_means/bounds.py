"""Elkan's acceleration of Lloyd's iteration: the same clusters from fewer distances."""

from typing import NamedTuple

import numpy as np

from mlcore.unsupervised.k_means.iteration import move, refill_empty


class ElkanResult(NamedTuple):
    """Where the iteration ended, and how many distances each assignment step computed."""

    centers: np.ndarray
    labels: np.ndarray
    distances_per_round: list


def elkan(X, centers, max_iter=300):
    """Lloyd's iteration with the bounds eq-km-elkan: the result of ``lloyd``, and a count of distances.

    ``upper[i]`` bounds the distance of point i to its own center from above, ``lower[i, j]`` that to center j
    from below. A pair whose bounds rule out a change is skipped; so a point exactly as near to another center
    keeps its label, where ``lloyd`` gives it to the lower index.

    >>> X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    >>> elkan(X, np.array([[0.0], [1.0]])).centers.ravel().tolist()
    [1.0, 11.0]
    """
    n, k = len(X), len(centers)
    lower = np.sqrt(((X[:, None] - centers) ** 2).sum(axis=2))  # (n, k), the only full table
    labels = lower.argmin(axis=1)
    upper = lower[np.arange(n), labels]
    counted = [n * k]
    for _ in range(max_iter):
        moved = move(X, refill_empty(X, labels, centers), centers)
        step = _norm(moved - centers)
        centers = moved
        if not step.any():
            break
        lower = np.maximum(lower - step, 0)
        upper = upper + step[labels]
        labels, upper, lower, count = _reassign(X, centers, labels, upper, lower)
        counted.append(count)
    return ElkanResult(centers, labels, counted)


def _norm(difference):
    """Length of every row."""
    return np.sqrt((difference**2).sum(axis=-1))


def _reassign(X, centers, labels, upper, lower):
    """One assignment step; a distance is computed only where both of Elkan's rules fail."""
    k = len(centers)
    between = _norm(centers[:, None] - centers)
    labels, exact, count = labels.copy(), np.zeros(len(X), dtype=bool), k * (k - 1) // 2
    for j in range(k):
        stale = _undecided(j, labels, upper, lower, between)
        stale = stale[~exact[stale]]  # tighten the upper bound before paying for center j
        upper[stale] = lower[stale, labels[stale]] = _norm(X[stale] - centers[labels[stale]])
        exact[stale] = True
        rows = _undecided(j, labels, upper, lower, between)
        lower[rows, j] = _norm(X[rows] - centers[j])
        count += len(stale) + len(rows)
        closer = rows[lower[rows, j] < upper[rows]]
        labels[closer], upper[closer] = j, lower[closer, j]
    return labels, upper, lower, count


def _undecided(j, labels, upper, lower, between):
    """Rows for which neither rule excludes that center j is nearer than their own."""
    return np.flatnonzero((labels != j) & (upper > lower[:, j]) & (upper > between[labels, j] / 2))
