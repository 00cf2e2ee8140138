"""How good is a clustering? Against a reference partition (external), or from the data alone (internal)."""

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist, pdist

from mlcore.base import check_array, check_number, check_option, check_same_length, label_array


class PairCounts(NamedTuple):
    """Pairs of samples that share a cluster in both partitions, only in the first, only in the second, in neither."""

    both: int
    only_first: int
    only_second: int
    neither: int


def contingency(first, second):
    """Table of how many samples are in cluster i of the first and cluster j of the second partition.

    >>> contingency(["a", "a", "b"], [1, 2, 2]).tolist()
    [[1, 1], [0, 1]]
    """
    first, second = label_array(first, "first"), label_array(second, "second")
    if first.shape != second.shape or len(first) == 0:
        raise ValueError(f"two 1-D arrays of labels of equal length are needed, got shapes {first.shape} and {second.shape}.")
    rows, i = np.unique(first, return_inverse=True)
    columns, j = np.unique(second, return_inverse=True)
    return np.bincount(i * len(columns) + j, minlength=len(rows) * len(columns)).reshape(len(rows), len(columns))


def pair_counts(clusters, reference):
    """The counts a, b, c, d of eq-km-pairs.

    >>> pair_counts([0, 0, 1, 1], [0, 0, 0, 1])
    PairCounts(both=1, only_first=1, only_second=2, neither=2)
    """
    table = contingency(clusters, reference)
    both = int(_pairs(table).sum())
    in_first, in_second = int(_pairs(table.sum(axis=1)).sum()), int(_pairs(table.sum(axis=0)).sum())
    every = int(_pairs(table.sum()))
    return PairCounts(both, in_first - both, in_second - both, every - in_first - in_second + both)


def _pairs(count):
    """Number of pairs among ``count`` things."""
    return count * (count - 1) // 2


def rand_index(clusters, reference):
    """Share of pairs on which the two partitions agree, eq-km-rand."""
    a, b, c, d = pair_counts(clusters, reference)
    return (a + d) / (a + b + c + d) if a + b + c + d else 1.0


def jaccard_index(clusters, reference):
    """Pairs together in both, among pairs together in at least one: a / (a + b + c)."""
    a, b, c, _ = pair_counts(clusters, reference)
    return a / (a + b + c) if a + b + c else 1.0


def fowlkes_mallows(clusters, reference):
    """Geometric mean of a / (a + b) and a / (a + c)."""
    a, b, c, _ = pair_counts(clusters, reference)
    return float(a / np.sqrt(float(a + b) * float(a + c))) if a else float(b + c == 0)


def adjusted_rand_index(clusters, reference):
    """Rand index, shifted and scaled to 0 in expectation under random labels and 1 for equal partitions, eq-km-ari.

    >>> adjusted_rand_index([0, 0, 1, 1], ["x", "x", "y", "y"])
    1.0
    """
    a, b, c, d = pair_counts(clusters, reference)
    expected = (a + b) * (a + c) / max(a + b + c + d, 1)
    largest = (2 * a + b + c) / 2
    return float((a - expected) / (largest - expected)) if b + c else 1.0


def purity(clusters, reference):
    """Share of samples that carry the most common reference label of their cluster.

    >>> purity([0, 0, 0, 1], ["x", "x", "y", "y"])
    0.75
    """
    table = contingency(clusters, reference)
    return float(table.max(axis=1).sum() / table.sum())


def normalized_mutual_information(clusters, reference, average="arithmetic"):
    """Mutual information of the two labelings over a mean of their entropies, eq-km-nmi; 1 when both have no entropy."""
    mean = {"arithmetic": lambda u, v: (u + v) / 2, "geometric": lambda u, v: np.sqrt(u * v), "min": min, "max": max}
    check_option(average, "average", tuple(mean))
    joint = contingency(clusters, reference) / len(np.asarray(clusters))
    entropies = _entropy(joint.sum(axis=1)), _entropy(joint.sum(axis=0))
    scale = mean[average](*entropies)
    if max(entropies) == 0:
        return 1.0
    return float(max(sum(entropies) - _entropy(joint.ravel()), 0) / scale) if scale > 0 else 0.0


def _entropy(p):
    """Entropy in nats; empty cells add nothing."""
    p = p[p > 0]
    return float(-(p * np.log(p)).sum())


def _clusters(X, labels, least=2):
    """Validate, and return the data with the index of each row's cluster."""
    X, labels = check_array(X), label_array(labels, "labels")
    check_same_length(X, labels)
    names, index = np.unique(labels, return_inverse=True)
    if not least <= len(names) < max(len(X), 3):
        raise ValueError(f"labels hold {len(names)} clusters of {len(X)} samples; at least {least} and fewer than samples are needed.")
    return X, index


def silhouette_samples(X, labels, chunk=1000):
    """s_i = (b_i - a_i) / max(a_i, b_i), eq-km-silhouette; 0 for a cluster of one point."""
    check_number(chunk, "chunk", low=1, integer=True)
    X, index = _clusters(X, labels)
    k, counts = index.max() + 1, np.bincount(index)
    member = (index[:, None] == np.arange(k)).astype(float)  # (n, k)
    s = np.zeros(len(X))
    for start in range(0, len(X), chunk):  # so that 10,000 samples need 80 MB and not 800
        rows = slice(start, start + chunk)
        total = cdist(X[rows], X) @ member
        mine = np.arange(len(total)), index[rows]
        a = total[mine] / np.maximum(counts[index[rows]] - 1, 1)  # the distance to itself is 0 and not counted
        means = total / counts
        means[mine] = np.inf
        b = means.min(axis=1)
        largest = np.maximum(a, b)
        s[rows] = np.where((counts[index[rows]] > 1) & (largest > 0), (b - a) / np.where(largest > 0, largest, 1), 0)
    return s


def silhouette_score(X, labels):
    """Mean of :func:`silhouette_samples`.

    >>> round(silhouette_score([[0.0], [1.0], [9.0], [10.0]], [0, 0, 1, 1]), 4)
    0.8885
    """
    return float(silhouette_samples(X, labels).mean())


def davies_bouldin(X, labels, spread="centroid"):
    """Mean over clusters of the worst (s_i + s_j) / |mu_i - mu_j|, eq-km-dbi; small is good.

    ``spread`` is the s of a cluster: its mean distance to the "centroid" (Davies and Bouldin's choice), or its mean
    "pairwise" distance.
    """
    check_option(spread, "spread", ("centroid", "pairwise"))
    X, index = _clusters(X, labels)
    groups = [X[index == j] for j in range(index.max() + 1)]
    centers = np.array([group.mean(axis=0) for group in groups])
    if spread == "centroid":
        s = np.array([np.sqrt(((group - c) ** 2).sum(axis=1)).mean() for group, c in zip(groups, centers)])
    else:
        s = np.array([pdist(group).mean() if len(group) > 1 else 0.0 for group in groups])
    apart = cdist(centers, centers)
    np.fill_diagonal(apart, np.inf)
    if (apart == 0).any():
        raise ValueError("two clusters have the same centroid: the Davies-Bouldin index is infinite.")
    return float(((s[:, None] + s) / apart).max(axis=1).mean())


def dunn_index(X, labels):
    """Least distance between points of different clusters over the largest diameter of a cluster, eq-km-dunn; large is good."""
    X, index = _clusters(X, labels)
    distance = cdist(X, X)
    together = index[:, None] == index
    diameter = distance[together].max()
    if diameter == 0:
        raise ValueError("every cluster has diameter zero: the Dunn index is infinite.")
    return float(distance[~together].min() / diameter)
