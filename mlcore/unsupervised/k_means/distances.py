"""Other distances, and k-medians, which is k-means for the Manhattan distance."""

import numpy as np
from scipy.spatial.distance import cdist

from mlcore.base import (
    Estimator,
    as_array,
    check_array,
    check_fitted,
    check_number,
    check_rng,
    label_array,
    plain_number,
    warn_not_converged,
)
from mlcore.takes import takes
from mlcore.unsupervised.k_means.iteration import ClusterMixin, check_n_clusters


@takes(x="d", z="d")
def minkowski(x, z, p=2):
    """(sum_k |x_k - z_k|^p)^(1/p), eq-km-minkowski; p = 1 is Manhattan, 2 Euclid, infinity Chebyshev.

    >>> minkowski([0, 0], [3, 4]), minkowski([0, 0], [3, 4], p=1), minkowski([0, 0], [3, 4], p=np.inf)
    (5.0, 7.0, 4.0)
    """
    p = plain_number(p)
    if isinstance(p, bool) or not (isinstance(p, (int, float)) and p >= 1):
        raise ValueError(f"p must be a number >= 1 (infinity allowed), got {p!r}: below 1 the triangle inequality fails.")
    difference = np.abs(x - z)
    if np.isinf(p):
        return float(difference.max())
    return float((difference**p).sum() ** (1 / p))


@takes(x="d", z="d", covariance="d d")
def mahalanobis(x, z, covariance):
    """sqrt((x - z)' S^-1 (x - z)), eq-km-mahalanobis, from the Cholesky factor of S.

    >>> mahalanobis([2.0, 0.0], [0.0, 0.0], [[4.0, 0.0], [0.0, 1.0]])
    1.0
    """
    try:
        L = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        raise ValueError("covariance must be positive definite; it needs more samples than features and no constant feature.") from None
    return float(np.linalg.norm(np.linalg.solve(L, x - z)))


@takes(values="labels n", clusters="labels n", p="number >= 1")
def value_difference(a, b, values, clusters, p=2):
    """Value-difference metric VDM_p of two values of one categorical attribute, eq-km-vdm.

    ``values`` is the attribute of every sample and ``clusters`` its cluster; two values are close when they are spread
    over the clusters in the same proportions. The p-th root is taken by :func:`mixed_distance`.
    """
    shares = []
    for value in (a, b):
        if np.ndim(value):
            raise ValueError(f"a and b must be single values, got {value!r}.")
        rows = values == value
        if not rows.any():
            raise ValueError(f"the value {value!r} does not occur in values; known: {', '.join(map(str, np.unique(values)))}.")
        shares.append(np.array([np.mean(clusters[rows] == c) for c in np.unique(clusters)]))
    return float((np.abs(shares[0] - shares[1]) ** p).sum())


def _attributes(value, name):
    """A row of numbers and texts; numpy turns all of them into text, from which the numbers are read again."""
    return label_array(as_array(value, name), name)


@takes(x=_attributes, z=_attributes, numeric="integer >= 0", columns="list", clusters="labels n", p="number >= 1")
def mixed_distance(x, z, numeric, columns, clusters, p=2):
    """Minkowski over the ``numeric`` leading attributes and VDM over the rest, eq-km-mixed.

    ``columns`` holds the categorical attributes of all samples, one array per attribute beyond the numeric ones.
    """
    if len(x) != len(z):
        raise ValueError(f"x has {len(x)} attributes, but z has {len(z)}; they must agree.")
    if len(x) != numeric + len(columns):
        raise ValueError(f"x has {len(x)} attributes, but numeric={numeric} and {len(columns)} columns are {numeric + len(columns)}.")
    for name, values in (("x", x), ("z", z)):
        try:
            part = values[:numeric].astype(float)
        except ValueError:
            raise ValueError(f"the numeric part of {name} must be numbers, got {values[:numeric]}.") from None
        check_array(part, name=f"the numeric part of {name}", ndim=1, min_samples=0)
    total = sum(abs(float(a) - float(b)) ** p for a, b in zip(x[:numeric], z[:numeric]))
    for a, b, values in zip(x[numeric:], z[numeric:], columns):
        total += value_difference(a, b, values, clusters, p)
    return float(total ** (1 / p))


class KMedians(ClusterMixin, Estimator):
    """k-medians: minimize sum_i |x_i - mu_{c_i}|_1; the best center of a cluster is its coordinate-wise median.

    Parameters
    ----------
    n_clusters, n_init, max_iter, random_state : as in KMeans; the starts are random rows

    Attributes
    ----------
    centers_ : (k, d);  labels_ : (n,);  objective_ : float;  history_ : at the start and after each round;  n_iter_ : int;
    converged_ : bool

    >>> KMedians(n_clusters=2, random_state=0).fit([[0.0], [1.0], [2.0], [50.0], [51.0], [90.0]]).objective_
    42.0
    """

    def __init__(self, n_clusters=3, n_init=10, max_iter=300, random_state=None):
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X, y=None):
        """Alternate nearest center and coordinate-wise median."""
        rng = check_rng(self.random_state)
        X = check_array(X)
        k = check_n_clusters(self.n_clusters, len(X))
        check_number(self.n_init, "n_init", low=1, integer=True)
        check_number(self.max_iter, "max_iter", low=1, integer=True)
        runs = [self._alternate(X, X[rng.choice(len(X), size=k, replace=False)]) for _ in range(self.n_init)]
        self.centers_, self.labels_, self.history_, self.converged_ = min(runs, key=lambda run: run[2][-1])
        self.objective_, self.n_iter_ = self.history_[-1], len(self.history_) - 1
        if not self.converged_:
            warn_not_converged(self, "raise max_iter.")
        return self

    def _alternate(self, X, centers):
        """One start: until no label changes."""
        labels, history = None, []
        while True:
            distance = cdist(X, centers, "cityblock")
            new = distance.argmin(axis=1)
            history.append(float(distance.min(axis=1).sum()))
            converged = labels is not None and np.array_equal(new, labels)
            if converged or len(history) > self.max_iter:
                return centers, new, history, converged
            labels = new
            centers = np.array([np.median(X[labels == j], axis=0) if (labels == j).any() else c for j, c in enumerate(centers)])

    def predict(self, X):
        """Index of the center nearest in the Manhattan distance."""
        check_fitted(self, "centers_")
        return cdist(check_array(X, n_features=self.centers_.shape[1]), self.centers_, "cityblock").argmin(axis=1)
