"""k-means: Lloyd's two half-steps, the loop around them, and the estimator."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from mlcore.base import Estimator, check_array, check_fitted, check_number, check_option, check_rng, warn_not_converged
from mlcore.takes import takes
from mlcore.unsupervised.k_means.quality import adjusted_rand_index
from mlcore.unsupervised.k_means.seeding import SEEDINGS


@takes(X="n d", centers="k d")
def assign(X, centers):
    """Nearest center of every row and the squared distance to it, eq-km-assign; a tie goes to the lower index.

    >>> labels, squared = assign(np.array([[0.0], [1.0], [4.0]]), np.array([[0.0], [3.0]]))
    >>> labels.tolist(), squared.tolist()
    ([0, 0, 1], [0.0, 1.0, 1.0])
    """
    labels = nearest_centers(X, centers)
    difference = X - centers[labels]  # again: the expanded square loses the digits of a distance that is small beside |x|
    return labels, np.einsum("ij,ij->i", difference, difference)


def nearest_centers(X, centers):
    """The labels of :func:`assign` alone."""
    shift = _offset(centers)
    return _nearest(X, centers - shift, shift)[0]


def _offset(X):
    """Mean of every column, rounded to a power of two near its spread.

    Distances do not change when it is subtracted, but the expanded square of ``_nearest`` loses no digits to a large mean;
    and integers stay exact, so that a tie between them is a tie on every machine.
    """
    mean, spread = X.mean(axis=0), X.std(axis=0)
    grid = np.exp2(np.ceil(np.log2(np.where(spread > 0, spread, 1))))
    return np.where(spread > 0, np.round(mean / grid) * grid, mean)


def _nearest(X, centers, shift=None, block=2**16):
    """Labels, and |c|^2 - 2 c.x of the nearest center: the squared distance without |x|^2, which no center changes.

    ``shift`` is subtracted from the rows of X, a block at a time.
    """
    n, k = len(X), len(centers)
    norms = np.einsum("ij,ij->i", centers, centers)[:, None]
    labels, least = np.empty(n, dtype=np.intp), np.empty(n)
    size = min(max(block // k, 2048), n)  # columns of the (k, n) table at a time, so that they stay in the cache
    table = np.empty((k, size))
    for start in range(0, n, size):
        rows = slice(start, min(start + size, n))
        part = X[rows] if shift is None else X[rows] - shift
        partial = np.matmul(-2 * centers, part.T, out=table[:, :rows.stop - start])
        partial += norms
        nearest, smallest = np.zeros(partial.shape[1], dtype=np.min_scalar_type(k)), partial[0].copy()
        for j in range(1, k):  # k long passes of plain arithmetic are faster than argmin over n short columns
            nearest += (partial[j] < smallest) * (j - nearest)
            np.minimum(smallest, partial[j], out=smallest)
        labels[rows], least[rows] = nearest, smallest
    return labels, least


@takes(X="n d", labels="whole n < k", centers="k d")
def move(X, labels, centers):
    """Mean of every cluster, eq-km-move; the center of an empty cluster stays where it is."""
    k = len(centers)
    counts = np.bincount(labels, minlength=k)
    member = csr_array((np.ones(len(X)), labels, np.arange(len(X) + 1)), shape=(len(X), k))  # r_ij of eq-km-distortion
    means = (member.T @ X) / np.maximum(counts, 1)[:, None]
    return np.where(counts[:, None] > 0, means, centers)


def _none_empty(labels, k):
    """Whether every cluster has a point."""
    return np.bincount(labels, minlength=k).all()


@takes(X="n d", labels="whole n < k", centers="k d")
def refill_empty(X, labels, centers):
    """Give each empty cluster the point that lies farthest from its own center; return the new labels."""
    if _none_empty(labels, len(centers)):
        return labels
    return hand_over_farthest(labels, ((X - centers[labels]) ** 2).sum(axis=1), len(centers))


def hand_over_farthest(labels, squared, k):
    """Labels in which each empty cluster got the point with the largest ``squared`` distance to its own center.

    A cluster of one point is never robbed, and a point that sits on its center is never taken: with fewer
    distinct points than clusters some stay empty.
    """
    labels, squared, counts = labels.copy(), squared.copy(), np.bincount(labels, minlength=k)
    for empty in np.flatnonzero(counts == 0):
        candidate = np.where(counts[labels] > 1, squared, 0)
        far = candidate.argmax()
        if candidate[far] == 0:
            break
        counts[labels[far]] -= 1
        labels[far], counts[empty], squared[far] = empty, 1, 0
    return labels


@takes(X="n d", labels="whole n < k", centers="k d")
def distortion(X, labels, centers):
    """Return J = sum_i |x_i - mu_{c_i}|^2, eq-km-distortion.

    >>> distortion(np.array([[0.0], [1.0], [4.0]]), np.array([0, 0, 1]), np.array([[0.5], [4.0]]))
    0.5
    """
    difference = X - centers[labels]
    return float(np.einsum("ij,ij->", difference, difference))


class LloydResult(NamedTuple):
    """Where Lloyd's iteration ended; ``history`` holds J after every half-step, assignments at even places."""

    centers: np.ndarray
    labels: np.ndarray
    history: np.ndarray
    n_iter: int
    converged: bool


@takes(X="n d", centers="k d", max_iter="integer >= 0", tol="number >= 0")
def lloyd(X, centers, max_iter=300, tol=0.0):
    """Alternate eq-km-assign and eq-km-move from ``centers`` until no label changes.

    ``tol`` > 0 stops earlier, once a round lowers J by no more than ``tol`` times its value.
    """
    shift = _offset(X)
    X, centers = X - shift, centers - shift
    total = np.einsum("ij,ij->", X, X)
    labels, partial = _nearest(X, centers)
    history, n_iter, converged = [total + partial.sum()], 0, False
    while not converged and n_iter < max_iter:
        served = refill_empty.core(X, labels, centers)
        centers = move.core(X, served, centers)
        counts = np.bincount(served, minlength=len(centers))
        history.append(total - counts @ np.einsum("ij,ij->i", centers, centers))  # eq-km-scatter
        before, (labels, partial) = labels, _nearest(X, centers)
        history.append(total + partial.sum())
        n_iter += 1
        refilled = not np.array_equal(served, before)
        slow = tol > 0 and history[-3] - history[-1] <= tol * history[-3]
        converged = not refilled and (np.array_equal(labels, before) or slow and _none_empty(labels, len(centers)))
    return LloydResult(centers + shift, labels, np.maximum(history, 0), n_iter, bool(converged))


@takes(X="n d", centers="k d")
def lloyd_steps(X, centers):
    """Yield ``(name, labels, centers, J)`` after every half-step, for figures; the last one is the unchanged assignment.

    >>> X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    >>> [round(J, 2) for name, labels, centers, J in lloyd_steps(X, np.array([[0.0], [1.0]]))]
    [303.0, 110.8, 50.32, 4.0, 4.0]
    """
    labels, squared = assign.core(X, centers)
    yield "assign", labels, centers, float(squared.sum())
    while True:
        served = refill_empty.core(X, labels, centers)
        centers = move.core(X, served, centers)
        yield "move", served, centers, distortion.core(X, served, centers)
        before, (labels, squared) = labels, assign.core(X, centers)
        yield "assign", labels, centers, float(squared.sum())
        if np.array_equal(labels, before) and np.array_equal(served, before):
            return


class ClusterMixin:
    """What all clusterers share: ``fit_predict``, and a score against reference labels."""

    kind = "clusterer"

    def fit_predict(self, X, y=None):
        """Fit, and return the cluster of every row."""
        return self.fit(X).labels_

    def score(self, X, y):
        """Adjusted Rand index of the predicted clusters against reference labels ``y``."""
        return adjusted_rand_index(y, self.predict(X))


def check_n_clusters(k, n):
    """Return ``k`` if it is an integer between 1 and the number of samples."""
    check_number(k, "n_clusters", low=1, integer=True)
    if k > n:
        raise ValueError(f"n_clusters={k} is more than the {n} samples; ask for at most {n} clusters.")
    return k


class KMeans(ClusterMixin, Estimator):
    """k-means: minimize J = sum_i |x_i - mu_{c_i}|^2 over centers mu and labels c, eq-km-distortion.

    Parameters
    ----------
    n_clusters : int
    init : "k-means++", "random", "farthest", "k-means||", or an array (k, d) of starting centers
    n_init : int, number of starts, of which the one with the lowest J is kept (an array is started from once)
    max_iter, tol : stop when no label changes, when a round lowers J by less than ``tol * J``, or after max_iter rounds
    random_state : None, int or numpy.random.Generator

    Attributes
    ----------
    centers_ : (k, d);  labels_ : (n,);  distortion_ : J;  history_ : J after each half-step;  n_iter_ : rounds;
    converged_ : bool

    >>> KMeans(n_clusters=2, random_state=0).fit([[0.0], [1.0], [9.0], [10.0]]).distortion_
    1.0
    """

    def __init__(self, n_clusters=3, init="k-means++", n_init=10, max_iter=300, tol=1e-6, random_state=None):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y=None):
        """Run Lloyd's iteration from ``n_init`` starts and keep the best."""
        rng = check_rng(self.random_state)
        X = check_array(X)
        k = check_n_clusters(self.n_clusters, len(X))
        check_number(self.n_init, "n_init", low=1, integer=True)
        check_number(self.max_iter, "max_iter", low=1, integer=True)
        check_number(self.tol, "tol", low=0)
        best = None
        for centers in self._starts(X, k, rng):
            run = lloyd.core(X, centers, self.max_iter, self.tol)
            if best is None or run.history[-1] < best.history[-1]:
                best = run
        self.centers_, self.labels_, self.history_, self.n_iter_, self.converged_ = best
        self.distortion_ = distortion.core(X, self.labels_, self.centers_)
        if not self.converged_:
            warn_not_converged(self, "raise max_iter, or set a larger tol.")
        return self

    def _starts(self, X, k, rng):
        """Yield the starting centers, one array per start."""
        if isinstance(self.init, str):
            seed = SEEDINGS[check_option(self.init, "init", tuple(SEEDINGS))]
            for _ in range(self.n_init):
                yield seed(X, k, rng)
            return
        centers = check_array(self.init, name="init")
        if centers.shape != (k, X.shape[1]):
            raise ValueError(f"init must hold n_clusters={k} centers of {X.shape[1]} features, got shape {centers.shape}.")
        yield centers

    def predict(self, X):
        """Index of the nearest center of every row."""
        check_fitted(self, "centers_")
        return nearest_centers(check_array(X, n_features=self.centers_.shape[1]), self.centers_)

    def transform(self, X):
        """Distance of every row to every center, (n, k)."""
        check_fitted(self, "centers_")
        X = check_array(X, n_features=self.centers_.shape[1])
        return cdist(X, self.centers_)
