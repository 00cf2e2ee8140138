"""Invented data that the cases share, and the differences of their results."""

import numpy as np


def regression(n, d, seed=0, informative=None):
    """A linear truth with noise; only the first ``informative`` features matter (all of them if None)."""
    rng = np.random.default_rng(seed)
    X, theta = rng.normal(size=(n, d)), rng.normal(size=d)
    theta[d if informative is None else informative:] = 0.0
    return X, X @ theta + rng.normal(size=n)


def two_classes(n, d, seed=0, spread=1.0):
    """Labels 0 and 1 on the two sides of a hyperplane, with noise of size ``spread`` in the score."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X @ rng.normal(size=d) / np.sqrt(d) + 0.3 + spread * rng.normal(size=n) > 0).astype(int)


def blobs(n, d, k, seed=0, spread=1.0):
    """k Gaussian clouds around random centers; the rows in random order, and the number of their cloud."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(k, size=n)
    return rng.normal(scale=4 / np.sqrt(d), size=(k, d))[labels] + spread * rng.normal(size=(n, d)) / np.sqrt(d), labels


def gap(a, b):
    """Largest difference of two arrays, relative to the larger of 1 and the largest entry of the reference."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    if a.shape != b.shape:
        raise ValueError(f"the results have the shapes {a.shape} and {b.shape}.")
    same = a == b  # infinities that agree
    return float(np.max(np.where(same, 0.0, np.abs(np.where(same, 0.0, a) - np.where(same, 0.0, b))))
                 / max(1.0, np.max(np.abs(b), initial=0.0, where=np.isfinite(b))))


def gaps(*pairs):
    """The largest :func:`gap` of several pairs of arrays."""
    return max(gap(a, b) for a, b in pairs)


def disagreement(a, b):
    """Share of the entries, labels or texts, in which two arrays differ."""
    return float(np.mean(np.asarray(a) != np.asarray(b)))


def up_to_sign(a, b):
    """:func:`gap` of two sets of rows, each of which may have the other sign."""
    a, b = np.asarray(a), np.asarray(b)
    return gap(a * np.where((a * b).sum(axis=1) < 0, -1.0, 1.0)[:, None], b)


def growing(name, *values, **fixed):
    """Sizes in which ``name`` takes the given values and everything else stays."""
    return tuple({name: value, **fixed} for value in values)
