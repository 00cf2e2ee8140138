"""Graphs as matrices: Laplacian, components, cliques, shortest paths, topological order, stationary distribution.

A missing edge has weight 0 in a weight matrix (how alike two nodes are) and length ``inf`` in a length matrix
(how far apart they are); lengths may be 0.
"""

import numpy as np

from mlcore.base import as_array, check_array, check_number, check_option
from mlcore.foundations.mathematics.linear_algebra import check_symmetric


def laplacian(W, norm=None):
    """Laplacian D - W of an undirected graph with weights W and degrees D (eq-ma-laplacian).

    ``norm="rw"`` gives the random-walk form I - D^{-1} W, ``norm="sym"`` the symmetric form I - D^{-1/2} W D^{-1/2};
    they need every degree positive. Loops (the diagonal of W) are left out of the degrees too, as in scipy.

    >>> laplacian([[0.0, 2.0], [2.0, 0.0]])
    array([[ 2., -2.],
           [-2.,  2.]])
    """
    check_option(norm, "norm", (None, "rw", "sym"))
    W = check_weights(W)
    np.fill_diagonal(W, 0.0)  # in D - W a loop would cancel, in the other two it would not
    degree = W.sum(axis=1)
    if norm is None:
        return np.diag(degree) - W
    if (degree == 0).any():
        raise ValueError(f"node {int(np.argmin(degree))} has no edge; the normalized Laplacian divides by the degrees.")
    left, right = (1 / degree, np.ones_like(degree)) if norm == "rw" else (degree**-0.5, degree**-0.5)
    W *= -left[:, None]
    W *= right
    np.fill_diagonal(W, 1.0)
    return W


def connected_components(W):
    """Label 0, 1, ... of the component of each node of an undirected graph.

    >>> connected_components([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    array([0, 0, 1])
    """
    linked = check_weights(W) > 0
    labels = np.full(len(linked), -1)
    for start in range(len(linked)):
        if labels[start] < 0:
            number, frontier = labels.max() + 1, np.array([start])
            while frontier.size:
                labels[frontier] = number
                frontier = np.flatnonzero(linked[frontier].any(axis=0) & (labels < 0))
    return labels


def maximal_cliques(W):
    """Sets of pairwise linked nodes that no other node extends, each sorted, in lexicographic order (Bron and Kerbosch).

    >>> maximal_cliques([[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0]])
    [[0, 1, 2], [2, 3]]
    """
    W = check_weights(W)
    neighbors = [set(np.flatnonzero(row).tolist()) - {i} for i, row in enumerate(W)]
    found = []

    def extend(clique, candidates, done):
        if not candidates and not done:
            found.append(sorted(clique))
            return
        pivot = max(candidates | done, key=lambda v: len(neighbors[v] & candidates))  # its neighbors wait for their turn with it
        for v in sorted(candidates - neighbors[pivot]):
            extend([*clique, v], candidates & neighbors[v], done & neighbors[v])
            candidates, done = candidates - {v}, done | {v}

    extend([], set(range(len(W))), set())
    return sorted(found)


def dijkstra(lengths, sources=None):
    """Shortest distances and the tree of shortest paths from each source, for lengths >= 0 (alg-ma-dijkstra).

    All sources advance together: in each round every one of them settles its nearest open node.

    Parameters
    ----------
    lengths : (n, n), ``lengths[i, j]`` the length of the edge from i to j, ``inf`` if there is none; the diagonal is ignored
    sources : a node, a list of nodes, or None for all

    Returns
    -------
    distances, predecessors : (n,) each for a single source, else (number of sources, n). The predecessor is the node
        before on a shortest path, -1 for the source and for nodes that cannot be reached, whose distance is ``inf``.

    >>> dijkstra([[0, 7, 2], [np.inf, 0, 1], [np.inf, 3, 0]], 0)
    (array([0., 5., 2.]), array([-1,  2,  0]))
    """
    lengths = _check_lengths(lengths)
    n = len(lengths)
    wanted = np.arange(n) if sources is None else np.atleast_1d(np.asarray(sources))
    if wanted.dtype.kind not in "iu" or wanted.ndim != 1 or wanted.size == 0 or wanted.min() < 0 or wanted.max() >= n:
        raise ValueError(f"sources must be node numbers from 0 to {n - 1}, got {sources!r}.")
    row = np.arange(len(wanted))
    distance = np.full((len(wanted), n), np.inf)
    distance[row, wanted] = 0.0
    open_distance, predecessor = distance.copy(), np.full((len(wanted), n), -1)
    for _ in range(n):
        node = open_distance.argmin(axis=1)
        reached = open_distance[row, node]
        if np.isinf(reached).all():
            break
        through = reached[:, None] + lengths[node]
        better = through < distance
        np.copyto(distance, through, where=better)
        np.copyto(open_distance, through, where=better)
        np.copyto(predecessor, node[:, None], where=better)
        open_distance[row, node] = np.inf  # settled
    return (distance[0], predecessor[0]) if np.ndim(sources) == 0 and sources is not None else (distance, predecessor)


def shortest_path(predecessors, target):
    """Nodes from the source to ``target`` in a tree of predecessors that ``dijkstra`` returned for one source.

    A target that cannot be reached is its own path, like the source.

    >>> shortest_path([-1, 2, 0], 1)
    [0, 2, 1]
    """
    predecessors = check_array(predecessors, name="predecessors", ndim=1, dtype=int)
    check_number(target, "target", low=0, high=len(predecessors) - 1, integer=True)
    path = [int(target)]
    while predecessors[path[-1]] >= 0:
        path.append(int(predecessors[path[-1]]))
        if len(path) > len(predecessors) or path[-1] >= len(predecessors):
            raise ValueError("predecessors is not a tree: the way back from the target goes in a circle or leaves the graph.")
    return path[::-1]


def topological_order(graph):
    """Order of the nodes of a directed graph in which every edge points forward (alg-ma-topological).

    Parameters
    ----------
    graph : (n, n) array, ``graph[i, j] != 0`` for an edge from i to j; or a dictionary node -> its parents

    Among nodes that may come next the first in the given order is taken. A cycle is refused, and named.

    >>> topological_order({"grass": ["rain", "sprinkler"], "sprinkler": ["rain"], "rain": []})
    ['rain', 'sprinkler', 'grass']
    """
    if isinstance(graph, dict):
        parents = {node: set(above) for node, above in graph.items()}
        unknown = sorted(map(repr, set().union(*parents.values()) - set(parents))) if parents else []
        if unknown:
            raise ValueError(f"{unknown[0]} is named as a parent but is not a node; give it an entry, with no parents if it has none.")
    else:
        A = _square_graph(graph, "graph")
        parents = {j: set(np.flatnonzero(A[:, j]).tolist()) for j in range(len(A))}
    order, placed = [], set()
    while len(order) < len(parents):
        node = next((v for v, above in parents.items() if v not in placed and above <= placed), None)
        if node is None:
            raise ValueError(f"the graph has a cycle, {_cycle(parents, placed)}; only an acyclic graph has a topological order.")
        order.append(node)
        placed.add(node)
    return order


def stationary_distribution(P):
    """Row vector pi with pi P = pi of a Markov chain with transition matrix P, whose rows sum to 1 (eq-ma-stationary).

    The chain must have only one class of states that it cannot leave, otherwise pi is not unique.

    >>> stationary_distribution([[0.9, 0.1], [0.5, 0.5]]).round(4)
    array([0.8333, 0.1667])
    """
    P = _square_graph(P, "P")
    if (P < 0).any() or np.abs(P.sum(axis=1) - 1).max() > 1e-8:
        raise ValueError("every row of P must be a distribution: non-negative numbers that sum to 1.")
    reachable = np.isfinite(dijkstra(np.where(P > 0, 1.0, np.inf))[0])
    if not reachable.all(axis=0).any():
        raise ValueError("the chain has two or more closed classes of states, so its stationary distribution is not unique.")
    n = len(P)
    system = np.vstack([P.T - np.eye(n), np.ones(n)])  # pi P = pi and sum pi = 1
    pi = np.linalg.lstsq(system, np.append(np.zeros(n), 1.0), rcond=None)[0]
    pi = np.maximum(pi, 0.0)  # a transient state may come out as -1e-17
    return pi / pi.sum()


def check_weights(W):
    """``W`` as a symmetric matrix of non-negative weights."""
    W = check_symmetric(W, "W")
    if W.min() < 0:
        raise ValueError(f"W must not be negative, but its smallest weight is {W.min():.6g}.")
    return W


def _square_graph(A, name):
    A = check_array(A, name=name)
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"{name} must be square, one row and one column per node, got shape {A.shape}.")
    return A


def _check_lengths(lengths):
    """Square matrix of lengths >= 0, inf allowed."""
    lengths = as_array(lengths, "lengths")
    if lengths.dtype.kind not in "biuf" or lengths.ndim != 2 or lengths.shape[0] != lengths.shape[1] or not len(lengths):
        raise ValueError(f"lengths must be a square matrix of numbers, got shape {lengths.shape} and type {lengths.dtype}.")
    off = np.where(np.eye(len(lengths), dtype=bool), 0.0, lengths)
    if np.isnan(off).any():
        raise ValueError("lengths contains NaN; write inf for a missing edge.")
    if (off < 0).any():
        i, j = np.argwhere(off < 0)[0]
        raise ValueError(f"the length from {i} to {j} is {off[i, j]:.6g}; Dijkstra's algorithm needs lengths >= 0.")
    return off


def _cycle(parents, placed):
    """A cycle among the nodes that could not be placed, as text a -> b -> a."""
    walk = [next(v for v in parents if v not in placed)]
    while walk[-1] not in walk[:-1]:
        walk.append(next(v for v in parents if v in parents[walk[-1]] and v not in placed))
    return " -> ".join(str(v) for v in reversed(walk[walk.index(walk[-1]):]))
