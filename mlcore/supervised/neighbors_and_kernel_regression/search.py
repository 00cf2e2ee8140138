"""Finding the k nearest rows: exact brute force in blocks, and a k-d tree that counts what it looks at."""

import heapq
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from mlcore.base import check_array, check_number, check_option

METRICS = {"euclidean": "sqeuclidean", "manhattan": "cityblock", "chebyshev": "chebyshev"}
BLOCK = 2**17  # distances held at a time: 1 MB, so that a block stays in the processor's cache
GROUP = 16


def k_nearest(X, Q, k, metric="euclidean", exclude_self=False):
    """Distances and row numbers of the k rows of X nearest to each row of Q, both (m, k), nearest first.

    Equal distances are ordered by row number, so the answer does not depend on the search method.
    ``exclude_self=True`` (for Q = X, leave-one-out) never returns row i for query i.

    >>> k_nearest([[0.0], [1.0], [3.0]], [[0.5]], k=2)
    (array([[0.5, 0.5]]), array([[0, 1]]))
    """
    X = check_array(X)
    Q = check_array(Q, name="Q", n_features=X.shape[1])
    check_number(k, "k", low=1, high=len(X) - bool(exclude_self), integer=True)
    check_option(metric, "metric", tuple(METRICS))
    if exclude_self and len(Q) != len(X):
        raise ValueError(f"exclude_self needs Q = X, but Q has {len(Q)} rows and X has {len(X)}.")
    distances, index = np.empty((len(Q), k)), np.empty((len(Q), k), dtype=np.intp)
    screen, step = _screener(X, metric), max(1, BLOCK // len(X))
    for start in range(0, len(Q), step):
        rows = slice(start, start + step)
        D, slack = screen(Q[rows])
        if exclude_self:
            D[np.arange(len(D)), start + np.arange(len(D))] = np.inf
        index[rows], limit, crowded = _smallest(D, k, slack)
        near = X[index[rows]] - Q[rows][:, None]  # (b, k, d)
        distances[rows] = _norm(near, metric)
        for i in np.flatnonzero(crowded):
            index[start + i], distances[start + i] = _settle(X, Q[start + i], np.flatnonzero(D[i] <= limit[i]), k, metric)
    order = np.argsort(distances, axis=1, kind="stable")  # index is ascending in each row: ties stay in row order
    return np.take_along_axis(distances, order, axis=1), np.take_along_axis(index, order, axis=1)


def _screener(X, metric):
    """Return the function Q -> (distances that order the candidates, bound on their rounding error per query).

    The Euclidean ones come from one matrix product: |q - x|^2 = |q|^2 - 2 q.x + |x|^2, eq-nk-gemm, without the
    term |q|^2 that all candidates of a query share.
    """
    if metric != "euclidean":
        return lambda Q: (cdist(Q, X, METRICS[metric]), np.zeros(len(Q)))
    center = X.mean(axis=0)  # small coordinates keep the cancellation small
    centered = X - center
    x2 = (centered**2).sum(axis=1)
    doubled = np.ascontiguousarray(-2 * centered.T)
    rounding = 8 * (X.shape[1] + 4) * np.finfo(float).eps

    def screen(Q):
        Q = Q - center
        D = Q @ doubled
        D += x2
        return D, rounding * ((Q**2).sum(axis=1) + x2.max())

    return screen


def _smallest(D, k, slack):
    """Columns of the k smallest entries of each row (ascending columns), the limit for near ties, and where they crowd.

    The k smallest entries of a row lie in the k groups with the smallest minima, so only those groups are sorted.
    A row is crowded if more than k entries are within ``slack`` of the k-th: rounding must not choose among them.
    """
    m, n = D.shape
    groups, values, columns, beyond = n // GROUP, D, None, np.full(m, np.inf)
    if groups > 4 * k:
        minima = D[:, :groups * GROUP].reshape(m, GROUP, groups).min(axis=1)
        chosen = np.argpartition(minima, k, axis=1)[:, :k + 1]
        beyond = np.take_along_axis(minima, chosen[:, k:], axis=1)[:, 0]
        rest = np.broadcast_to(np.arange(groups * GROUP, n), (m, n % GROUP))
        columns = np.concatenate([(chosen[:, :k, None] + groups * np.arange(GROUP)).reshape(m, -1), rest], axis=1)
        values = np.take_along_axis(D, columns, axis=1)
    part = np.argpartition(values, k - 1, axis=1)[:, :k] if k < values.shape[1] else np.tile(np.arange(k), (m, 1))
    limit = np.take_along_axis(values, part, axis=1).max(axis=1) + slack
    crowded = ((values <= limit[:, None]).sum(axis=1) > k) | (beyond <= limit)
    index = part if columns is None else np.take_along_axis(columns, part, axis=1)
    return np.sort(index, axis=1), limit, crowded


def _norm(differences, metric):
    """Length of each difference along the last axis."""
    if metric == "euclidean":
        return np.sqrt((differences**2).sum(axis=-1))
    size = np.abs(differences)
    return size.sum(axis=-1) if metric == "manhattan" else size.max(axis=-1)


def _settle(X, q, candidates, k, metric):
    """Choose k of the candidates (ascending rows) by exact distance, then row number; return them in row order."""
    exact = _norm(X[candidates] - q, metric)
    best = np.sort(np.argsort(exact, kind="stable")[:k])
    return candidates[best], exact[best]


class KDTree:
    """Binary tree of boxes: each node splits its points at the median of the box's longest side.

    ``query`` skips every box that lies farther away than the k-th best point so far, eq-nk-box.

    >>> tree = KDTree([[0.0, 0.0], [1.0, 0.0], [5.0, 5.0]])
    >>> tree.query([0.9, 0.1], k=1).index
    array([1])
    """

    def __init__(self, X, leaf_size=8):
        self.X = check_array(X)
        self.leaf_size = check_number(leaf_size, "leaf_size", low=1, integer=True)
        self.root = self._build(np.arange(len(self.X)))

    def _build(self, rows):
        low, high = self.X[rows].min(axis=0), self.X[rows].max(axis=0)
        if len(rows) <= self.leaf_size or (low == high).all():
            return low, high, rows, None
        axis = int(np.argmax(high - low))
        order = rows[np.argsort(self.X[rows, axis], kind="stable")]
        half = len(rows) // 2
        return low, high, None, (self._build(order[:half]), self._build(order[half:]))

    def query(self, q, k=1):
        """Return the k nearest rows with their distances and ``visited``, the number of distances computed."""
        q = check_array([q], name="q", n_features=self.X.shape[1])[0]
        check_number(k, "k", low=1, high=len(self.X), integer=True)
        best, visited, serial = [], 0, 0  # best: heap of (-distance, -row), the worst kept point on top
        todo = [(0.0, serial, self.root)]
        while todo:
            distance, _, (_, _, rows, children) = heapq.heappop(todo)
            if len(best) == k and distance > -best[0][0]:
                break  # the nearest box left is farther than the k-th point: nothing can improve
            if children is None:
                visited += len(rows)
                for d, row in zip(_norm(self.X[rows] - q, "euclidean").tolist(), rows.tolist()):
                    heapq.heappush(best, (-d, -row))
                    if len(best) > k:
                        heapq.heappop(best)
                continue
            for child in children:
                serial += 1
                gap = np.maximum(np.maximum(child[0] - q, q - child[1]), 0)  # from q to the box, side by side
                heapq.heappush(todo, (float(_norm(gap, "euclidean")), serial, child))
        found = sorted((-d, -row) for d, row in best)
        return TreeAnswer(np.array([d for d, _ in found]), np.array([row for _, row in found]), visited)


class TreeAnswer(NamedTuple):
    """What :meth:`KDTree.query` found, nearest first."""

    distances: np.ndarray
    index: np.ndarray
    visited: int
