"""Choosing the number of clusters: the distortion curve and the gap statistic."""

from typing import NamedTuple

import numpy as np

from mlcore.base import check_array, check_number, check_rng
from mlcore.takes import takes
from mlcore.unsupervised.k_means.iteration import KMeans, check_n_clusters


@takes(ks="list")
def distortion_curve(X, ks, n_init=10, rng=None):
    """Lowest distortion found for each k of ``ks``.

    >>> distortion_curve([[0.0], [1.0], [9.0], [10.0]], [1, 2], rng=0).tolist()
    [82.0, 1.0]
    """
    rng, X = check_rng(rng), check_array(X)
    for k in ks:
        check_n_clusters(k, len(X))
    return np.array([KMeans(k, n_init=n_init, random_state=rng).fit(X).distortion_ for k in ks])


class Gap(NamedTuple):
    """The gap statistic: ``gap`` and its standard error ``s`` for each k, and the chosen ``k`` (None: no k qualifies)."""

    ks: np.ndarray
    gap: np.ndarray
    s: np.ndarray
    k: int | None


def gap_statistic(X, k_max, n_references=20, n_init=5, rng=None):
    """gap(k) = mean of log J_k over uniform reference data minus log J_k of the data, eq-km-gap.

    The reference data fill the box of the data; the chosen k is the least one with gap(k) >= gap(k+1) - s(k+1).
    """
    rng, X = check_rng(rng), check_array(X)
    check_number(n_references, "n_references", low=2, integer=True)
    check_n_clusters(check_number(k_max, "k_max", low=2, integer=True), len(X) - 1)
    ks = np.arange(1, k_max + 1)
    low, high = X.min(axis=0), X.max(axis=0)
    log_data = np.log(_positive(distortion_curve(X, ks, n_init, rng)))
    log_reference = np.log([distortion_curve(rng.uniform(low, high, size=X.shape), ks, n_init, rng) for _ in range(n_references)])
    gap = log_reference.mean(axis=0) - log_data
    s = log_reference.std(axis=0) * np.sqrt(1 + 1 / n_references)
    enough = np.flatnonzero(gap[:-1] >= gap[1:] - s[1:])
    return Gap(ks, gap, s, int(ks[enough[0]]) if len(enough) else None)


def _positive(curve):
    """Refuse data that some k fits without error: its logarithm is minus infinity."""
    if (curve <= 0).any():
        raise ValueError("the distortion reaches 0: X has no more distinct rows than clusters; lower k_max.")
    return curve
