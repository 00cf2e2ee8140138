"""Finding the k nearest rows: exact brute force in blocks, and a k-d tree that counts what it looks at."""

import heapq
import math
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from mlcore.base import check_array, check_number, check_option

METRICS = {"euclidean": "sqeuclidean", "manhattan": "cityblock", "chebyshev": "chebyshev"}
BLOCK = 2**17  # distances held at a time: 1 MB, so that a block stays in the processor's cache
GROUP = 16
BATCH, DISTANCES = 128, 2**21  # queries of a tree in step, and the most distances that they may need at a time


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

    ``query`` skips every box that lies farther away than the k-th best point so far, eq-nk-box; ``query_many`` does it for many
    points at once.

    >>> tree = KDTree([[0.0, 0.0], [1.0, 0.0], [5.0, 5.0]])
    >>> tree.query([0.9, 0.1], k=1).index
    array([1])
    """

    def __init__(self, X, leaf_size=8):
        self.X = check_array(X)
        self.leaf_size = check_number(leaf_size, "leaf_size", low=1, integer=True)
        self.rows = np.arange(len(self.X))  # rearranged so that the points of each node stand together
        spans, low, high, child = [(0, len(self.X))], [], [], []  # of each node; child: number of the first of its two, 0 for a leaf
        for start, stop in spans:  # breadth first: the list grows under way
            points = self.X[self.rows[start:stop]]
            low.append(points.min(axis=0))
            high.append(points.max(axis=0))
            child.append(len(spans) if stop - start > self.leaf_size else 0)
            if child[-1]:
                axis, half = np.argmax(high[-1] - low[-1]), (start + stop) // 2
                self.rows[start:stop] = self.rows[start:stop][np.argsort(points[:, axis], kind="stable")]
                spans += [(start, half), (half, stop)]
        self.low, self.high, self.child, self.span = np.array(low), np.array(high), np.array(child), np.array(spans)
        self._nodes = list(zip(self.low.tolist(), self.high.tolist(), child, spans))  # the same in plain numbers, for query

    def query(self, q, k=1):
        """Return the k nearest rows with their distances and ``visited``, the number of distances computed."""
        q = check_array([q], name="q", n_features=self.X.shape[1])[0]
        check_number(k, "k", low=1, high=len(self.X), integer=True)
        best, visited = [], 0  # best: heap of (-distance, -row), the worst kept point on top
        todo, point = [(0.0, 0)], q.tolist()
        while todo:
            distance, node = heapq.heappop(todo)
            if len(best) == k and distance > -best[0][0]:
                break  # the nearest box left is farther than the k-th point: nothing can improve
            _, _, child, (start, stop) = self._nodes[node]
            if child:
                for number in (child, child + 1):
                    low, high, _, _ = self._nodes[number]
                    heapq.heappush(todo, (_box_distance(point, low, high), number))
                continue
            visited += stop - start
            rows = self.rows[start:stop]
            for d, row in zip(_norm(self.X[rows] - q, "euclidean").tolist(), rows.tolist()):
                heapq.heappush(best, (-d, -row))
                if len(best) > k:
                    heapq.heappop(best)
        found = sorted((-d, -row) for d, row in best)
        return TreeAnswer(np.array([d for d, _ in found]), np.array([row for _, row in found]), visited)

    def query_many(self, Q, k=1):
        """Distances and rows of the k nearest of each row of Q, both (m, k): what ``query`` finds, with all queries in step.

        >>> KDTree([[0.0], [1.0], [5.0]]).query_many([[0.9], [4.0]], k=1)[1].tolist()
        [[1], [2]]
        """
        Q = check_array(Q, name="Q", n_features=self.X.shape[1])
        check_number(k, "k", low=1, high=len(self.X), integer=True)
        step = max(1, min(BATCH, DISTANCES // len(self.X)))
        parts = [self._nearest(Q[i:i + step], k) for i in range(0, len(Q), step)]
        return tuple(np.concatenate(part) for part in zip(*parts))

    def _nearest(self, Q, k):
        # Down to a small box near each query with at least k points: the k-th distance among these bounds the answer.
        query, node = np.arange(len(Q)), np.zeros(len(Q), dtype=int)
        while (first := self.child[node]).all() and np.diff(self.span[first]).min() >= k:
            node = first + (self._box_distances(Q, first) > self._box_distances(Q, first + 1))
        fewest = np.diff(self.span[node]).min()
        some = self.rows[self.span[node, :1] + np.arange(fewest)]  # (m, fewest)
        radius = np.partition(_norm(self.X[some] - Q[:, None], "euclidean"), k - 1, axis=1)[:, k - 1]
        # Down again, a level at a time, into every box within the radius: pairs of a query and a node.
        node = np.zeros(len(Q), dtype=int)
        while (inner := self.child[node] > 0).any():
            first = self.child[node[inner]]
            query, node = np.concatenate([query[~inner], query[inner], query[inner]]), np.concatenate([node[~inner], first, first + 1])
            reached = self._box_distances(Q[query], node) <= radius[query]
            query, node = query[reached], node[reached]
        # The points of these leaves within the radius, sorted by query, distance and row: the first k of each query.
        start, count = self.span[node, 0], np.diff(self.span[node])[:, 0]
        row = self.rows[np.repeat(start - np.cumsum(count) + count, count) + np.arange(count.sum())]
        query = np.repeat(query, count)
        distance = _norm(self.X[row] - Q[query], "euclidean")
        near = np.flatnonzero(distance <= radius[query])
        order = near[np.lexsort((row[near], distance[near], query[near]))]
        chosen = order[np.searchsorted(query[order], np.arange(len(Q)))[:, None] + np.arange(k)]
        return distance[chosen], row[chosen]

    def _box_distances(self, points, nodes):
        """Distance of each point to the box of its node, as in ``_box_distance``."""
        side = np.maximum(np.maximum(self.low[nodes] - points, points - self.high[nodes]), 0)
        return (1 - 1e-14) * np.sqrt((side**2).sum(axis=1))


def _box_distance(point, low, high):
    """Distance from a point to a box, eq-nk-box, in plain numbers: for few coordinates arrays would cost several times as much.

    The last digits are taken off, so that rounding never puts a box beyond a point that lies on its side.
    """
    squared = 0.0
    for x, a, b in zip(point, low, high):
        side = a - x if x < a else x - b if x > b else 0.0
        squared += side * side
    return (1 - 1e-14) * math.sqrt(squared)


class TreeAnswer(NamedTuple):
    """What :meth:`KDTree.query` found, nearest first."""

    distances: np.ndarray
    index: np.ndarray
    visited: int
