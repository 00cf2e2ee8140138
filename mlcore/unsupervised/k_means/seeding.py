"""Where k-means starts: uniform points, farthest-first, k-means++ and its parallel form."""

import numpy as np

from mlcore.takes import takes


def squared_to(X, x):
    """Squared distance of every row of X to the point x."""
    difference = X - x
    return np.einsum("ij,ij->i", difference, difference)


@takes(X="n d", k="integer >= 1", rng="rng")
def random_seeding(X, k, rng):
    """Return k different rows, each set of rows equally likely."""
    return X[rng.choice(len(X), size=k, replace=False)]


@takes(X="n d", k="integer >= 1", rng="rng")
def farthest_first(X, k, rng=None, first=None):
    """Start at a random row (or row ``first``), then add the row farthest from the centers so far, k - 1 times.

    >>> farthest_first(np.array([[0.0], [1.0], [5.0], [9.0]]), 3, first=0).ravel().tolist()
    [0.0, 9.0, 5.0]
    """
    rows = [rng.integers(len(X)) if first is None else first]
    squared = squared_to(X, X[rows[0]])
    for _ in range(k - 1):
        rows.append(squared.argmax())
        squared = np.minimum(squared, squared_to(X, X[rows[-1]]))
    return X[rows]


@takes(X="n d", k="integer >= 1", rng="rng", weights="n")
def kmeans_plus_plus(X, k, rng, weights=None):
    """Add centers one at a time, each a row drawn with probability proportional to D^2, eq-km-plusplus.

    D is the distance of a row to the nearest center so far; ``weights`` count a row several times.
    """
    weights = np.ones(len(X)) if weights is None else weights
    rows = [_draw(weights, rng)]
    squared = squared_to(X, X[rows[0]])
    for _ in range(k - 1):
        rows.append(_draw(weights * squared, rng))
        squared = np.minimum(squared, squared_to(X, X[rows[-1]]))
    return X[rows]


def _draw(mass, rng):
    """Index drawn with probability proportional to ``mass``; uniform when every mass is zero (only duplicates are left)."""
    cumulative = np.cumsum(mass)
    if cumulative[-1] == 0:
        return rng.integers(len(mass))
    return min(np.searchsorted(cumulative, rng.uniform() * cumulative[-1], side="right"), len(mass) - 1)


@takes(X="n d", k="integer >= 1", rng="rng", n_rounds="integer >= 1", oversampling="number > 0")
def kmeans_parallel(X, k, rng, n_rounds=5, oversampling=2.0):
    """k-means||: about ``oversampling * k`` candidates per pass over the data, then k-means++ on the weighted candidates.

    Each row joins independently with probability min(1, oversampling k D^2 / sum D^2); a candidate weighs as much
    as there are rows nearest to it.
    """
    rows = [int(rng.integers(len(X)))]
    squared, nearest = squared_to(X, X[rows[0]]), np.zeros(len(X), dtype=int)
    for _ in range(n_rounds):
        total = squared.sum()
        if total == 0:
            break
        for row in np.flatnonzero(rng.uniform(size=len(X)) < oversampling * k * squared / total):
            new = squared_to(X, X[row])
            nearest[new < squared] = len(rows)
            squared = np.minimum(squared, new)
            rows.append(int(row))
    if len(rows) < k:  # too few candidates: fill up by the sequential rule
        return np.vstack([X[rows], kmeans_plus_plus.core(X, k - len(rows), rng, weights=squared)])
    return kmeans_plus_plus.core(X[rows], k, rng, weights=np.bincount(nearest, minlength=len(rows)).astype(float))


SEEDINGS = {"k-means++": kmeans_plus_plus, "random": random_seeding, "farthest": farthest_first, "k-means||": kmeans_parallel}
