"""Fuzzy k-means: every point belongs to every cluster, to a degree."""

import numpy as np
from scipy.spatial.distance import cdist

from mlcore.base import Estimator, check_array, check_fitted, check_number, check_option, check_rng, warn_not_converged
from mlcore.takes import takes
from mlcore.unsupervised.k_means.iteration import ClusterMixin, assign, check_n_clusters, move
from mlcore.unsupervised.k_means.seeding import SEEDINGS


@takes(squared="n k", m="number > 1")
def memberships(squared, m):
    """Degrees r_ij, proportional to |x_i - mu_j|^(-2/(m-1)), each row summing to 1: eq-km-membership.

    A row with distance zero belongs to that center alone (equally to several coinciding ones).

    >>> memberships(np.array([[1.0, 4.0]]), m=2).round(3).tolist()
    [[0.8, 0.2]]
    """
    least = squared.min(axis=1, keepdims=True)
    if least.min() < 0:
        raise ValueError(f"squared must hold squared distances, which are not negative, got {least.min():.3g}.")
    on_center = squared == 0
    ratio = np.divide(least, squared, out=np.ones_like(squared), where=~on_center)  # in (0, 1]: no overflow for m near 1
    weight = np.where(least == 0, on_center, ratio ** (1 / (m - 1)))
    return weight / weight.sum(axis=1, keepdims=True)


@takes(X="n d", r="n k", m="number > 1", centers="k d")
def fuzzy_centers(X, r, m, centers):
    """Means weighted by r_ij^m, eq-km-fuzzy-center; a center whose weights all underflow to 0 stays where it is."""
    weight = r**m
    total = weight.sum(axis=0)[:, None]
    return np.where(total > 0, weight.T @ X / np.where(total > 0, total, 1), centers)


def _means_near(X, seeds):
    """One round of plain k-means: a center that sits on a data point belongs to it alone and, for a large m, never leaves."""
    return move.core(X, assign.core(X, seeds)[0], seeds)


class FuzzyKMeans(ClusterMixin, Estimator):
    """Fuzzy k-means: minimize J_m = sum_ij r_ij^m |x_i - mu_j|^2 with rows of r summing to 1, eq-km-fuzzy.

    Parameters
    ----------
    n_clusters : int
    m : float > 1, the fuzzifier; near 1 the degrees are nearly 0 or 1, for large m nearly 1/k
    init, n_init, max_iter, random_state : as in KMeans
    tol : stop when a round lowers J_m by less than ``tol * J_m``

    Attributes
    ----------
    centers_ : (k, d);  memberships_ : (n, k);  labels_ : the largest membership;  objective_ : J_m;
    history_ : J_m at the start and after each round;  n_iter_ : int;  converged_ : bool

    >>> model = FuzzyKMeans(n_clusters=2, random_state=0).fit([[0.0], [1.0], [9.0], [10.0]])
    >>> model.memberships_.sum(axis=1).round(6).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """

    def __init__(self, n_clusters=3, m=2.0, init="k-means++", n_init=5, max_iter=1000, tol=1e-9, random_state=None):
        self.n_clusters = n_clusters
        self.m = m
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y=None):
        """Alternate eq-km-membership and eq-km-fuzzy-center from ``n_init`` starts; keep the lowest J_m."""
        rng = check_rng(self.random_state)
        X = check_array(X)
        k = check_n_clusters(self.n_clusters, len(X))
        check_number(self.m, "m", low=1, open_low=True)
        check_number(self.n_init, "n_init", low=1, integer=True)
        check_number(self.max_iter, "max_iter", low=1, integer=True)
        check_number(self.tol, "tol", low=0)
        seed = SEEDINGS[check_option(self.init, "init", tuple(SEEDINGS))]
        runs = [self._alternate(X, _means_near(X, seed(X, k, rng))) for _ in range(self.n_init)]
        self.centers_, self.memberships_, self.history_, self.converged_ = min(runs, key=lambda run: run[2][-1])
        self.objective_, self.n_iter_ = self.history_[-1], len(self.history_) - 1
        self.labels_ = self.memberships_.argmax(axis=1)
        if not self.converged_:
            warn_not_converged(self, "raise max_iter or tol, or use a smaller m.")
        return self

    def _alternate(self, X, centers):
        """One start: memberships and centers in turn until J_m stops falling."""
        history = []
        while True:
            squared = cdist(X, centers, "sqeuclidean")
            r = memberships.core(squared, self.m)
            history.append(float((r**self.m * squared).sum()))
            converged = len(history) > 1 and history[-2] - history[-1] <= self.tol * history[-2]
            if converged or len(history) > self.max_iter:
                return centers, r, history, converged
            centers = fuzzy_centers.core(X, r, self.m, centers)

    def predict_memberships(self, X):
        """Degree to which every row belongs to every cluster, (n, k)."""
        check_fitted(self, "centers_")
        X = check_array(X, n_features=self.centers_.shape[1])
        return memberships.core(cdist(X, self.centers_, "sqeuclidean"), self.m)

    def predict(self, X):
        """Cluster of the largest membership, which is the nearest center."""
        return self.predict_memberships(X).argmax(axis=1)
