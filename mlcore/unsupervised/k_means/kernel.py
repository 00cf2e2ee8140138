"""Kernel k-means: k-means in the feature space of a kernel, from the Gram matrix alone."""

import numpy as np

from mlcore.base import Estimator, check_array, check_fitted, check_number, check_option, check_rng, warn_not_converged
from mlcore.supervised.kernel_methods import resolve_kernel
from mlcore.takes import takes
from mlcore.unsupervised.k_means.iteration import ClusterMixin, check_n_clusters, hand_over_farthest

KERNELS = {"linear": "linear", "rbf": "gaussian"}  # our names, and theirs in the chapter on kernel methods


def _cluster_means(K, labels, k):
    """Weights A of the cluster means over the points, (n, k), and |mu_j|^2 = a_j' K a_j (infinite for an empty cluster)."""
    counts = np.bincount(labels, minlength=k)
    A = (labels[:, None] == np.arange(k)) / np.maximum(counts, 1)
    return A, np.where(counts > 0, np.einsum("ij,ij->j", A, K @ A), np.inf)


@takes(K="n n", labels="whole n < k", k="integer >= 1")
def feature_distances(K, labels, k):
    """Squared distance of every point to every cluster mean in feature space, eq-km-kernel, from the Gram matrix K."""
    A, norms = _cluster_means(K, labels, k)
    return np.maximum(np.diag(K)[:, None] - 2 * K @ A + norms, 0)


@takes(K="n n", labels="whole n < k", k="integer >= 1", max_iter="integer >= 0")
def kernel_lloyd(K, labels, k, max_iter=300):
    """Reassign by eq-km-kernel until no label changes; return labels, J before each round, and whether it converged."""
    rows, history, noise = np.arange(len(K)), [], 1e-12 * np.abs(np.diag(K)).max()
    while True:
        squared = feature_distances.core(K, labels, k)
        history.append(float(squared[rows, labels].sum()))
        new = squared.argmin(axis=1)
        off_center = np.where(squared[rows, new] > noise, squared[rows, new], 0)  # a duplicate of the mean is not worth a cluster
        new = hand_over_farthest(new, off_center, k)
        converged = np.array_equal(new, labels)
        if converged or len(history) == max_iter:
            return labels, history, converged
        labels = new


class KernelKMeans(ClusterMixin, Estimator):
    """k-means on phi(x): minimize sum_i |phi(x_i) - mu_{c_i}|^2, with inner products from a kernel, eq-km-kernel.

    Parameters
    ----------
    n_clusters : int
    kernel : "rbf", exp(-|x - x'|^2 / (2 sigma^2)); "linear"; or a function of two arrays of rows
    sigma : float > 0, the width of the "rbf" kernel
    n_init : int, number of random starts (k rows as centers), of which the lowest J is kept
    max_iter : int
    random_state : None, int or numpy.random.Generator

    Attributes
    ----------
    labels_ : (n,);  distortion_ : J in feature space;  history_ : J before each round;  n_iter_ : int;  converged_ : bool

    >>> KernelKMeans(n_clusters=2, kernel="linear", random_state=0).fit([[0.0], [1.0], [9.0], [10.0]]).distortion_
    1.0
    """

    def __init__(self, n_clusters=3, kernel="rbf", sigma=1.0, n_init=10, max_iter=300, random_state=None):
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.sigma = sigma
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X, y=None):
        """Compute the Gram matrix and run from ``n_init`` starts."""
        rng = check_rng(self.random_state)
        X = check_array(X)
        k = check_n_clusters(self.n_clusters, len(X))
        check_number(self.n_init, "n_init", low=1, integer=True)
        check_number(self.max_iter, "max_iter", low=1, integer=True)
        K = self._gram(X, X)
        diagonal, runs = np.diag(K), []
        for _ in range(self.n_init):
            centers = rng.choice(len(X), size=k, replace=False)
            start = (diagonal[:, None] - 2 * K[:, centers] + diagonal[centers]).argmin(axis=1)
            runs.append(kernel_lloyd.core(K, start, k, self.max_iter))
        self.labels_, self.history_, self.converged_ = min(runs, key=lambda run: run[1][-1])
        self.distortion_, self.n_iter_ = self.history_[-1], len(self.history_)
        self._X, self._K = X, K
        if not self.converged_:
            warn_not_converged(self, "raise max_iter.")
        return self

    def _gram(self, A, B):
        """Kernel values between two sets of rows."""
        check_number(self.sigma, "sigma", low=0, open_low=True)
        kernel = self.kernel if callable(self.kernel) else KERNELS[check_option(self.kernel, "kernel", tuple(KERNELS))]
        return resolve_kernel(kernel, bandwidth=self.sigma)(A, B)

    def predict(self, X):
        """Cluster whose mean in feature space is nearest."""
        check_fitted(self, "labels_")
        X = check_array(X, n_features=self._X.shape[1])
        A, norms = _cluster_means(self._K, self.labels_, self.n_clusters)
        return (norms - 2 * self._gram(X, self._X) @ A).argmin(axis=1)  # kappa(x, x) is the same for every cluster
