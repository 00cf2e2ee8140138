"""Locality preserving projection: the linear map that keeps neighbors together."""

import numpy as np
from scipy import linalg

from mlcore.base import Estimator, check_array, check_fitted, check_flags, check_number
from mlcore.foundations.mathematics import laplacian
from mlcore.supervised.neighbors_and_kernel_regression import k_nearest
from mlcore.takes import takes
from mlcore.unsupervised.pca_and_feature_selection.principal import fix_signs


def heat_graph(X, n_neighbors=5, sigma=None):
    """Weights exp(-|x_i - x_j|^2 / sigma^2) of the undirected nearest-neighbor graph (eq-pca-heat).

    i and j are linked if either is among the ``n_neighbors`` nearest of the other. ``sigma=None`` takes the root mean
    square length of the links from each point to its neighbors.

    >>> heat_graph([[0.0], [1.0], [3.0]], 1, sigma=1.0).round(3)
    array([[0.   , 0.368, 0.   ],
           [0.368, 0.   , 0.018],
           [0.   , 0.018, 0.   ]])
    """
    X = check_array(X, min_samples=2)
    n = len(X)
    check_number(n_neighbors, "n_neighbors", low=1, high=n - 1, integer=True)
    if sigma is not None:
        check_number(sigma, "sigma", low=0, open_low=True)
    distance, neighbor = k_nearest(X, X, n_neighbors, exclude_self=True)
    width = np.sqrt((distance**2).mean()) if sigma is None else sigma
    if width == 0:
        raise ValueError("every point coincides with its neighbors, so sigma cannot be chosen from them; drop the duplicates.")
    W = np.zeros((n, n))
    with np.errstate(over="ignore"):
        W[np.arange(n)[:, None], neighbor] = np.exp(-((distance / width) ** 2))
    if not W.any():
        raise ValueError(f"sigma={sigma} is so small beside the distances between neighbors that all weights are 0; choose a larger one.")
    return np.maximum(W, W.T)


@takes(Y="n d", W="n n")
def locality_objective(Y, W):
    """J = 1/2 sum_ij w_ij |y_i - y_j|^2 = tr(Y^T L Y) of an embedding Y with one row a point (eq-pca-locality).

    >>> locality_objective([[0.0], [1.0], [3.0]], [[0, 1, 0], [1, 0, 2], [0, 2, 0]])
    9.0
    """
    Y = check_array(Y, name="Y")
    return float((Y * (laplacian(W) @ Y)).sum())


@takes(X="n d", W="n n")
def locality_directions(X, W, n_components=None):
    """Solve X^T L X a = lambda X^T D X a for the smallest eigenvalues (eq-pca-lpp); X is taken as it is.

    Returns
    -------
    values : (k,) ascending
    directions : (d, k) columns a with a^T X^T D X a = 1, the entry of largest size positive
    """
    X = check_array(X)
    L = laplacian(W)
    degree = np.diag(L)
    left, right = X.T @ L @ X, X.T @ (degree[:, None] * X)
    k = X.shape[1] if n_components is None else check_number(n_components, "n_components", low=1, high=X.shape[1], integer=True)
    scale = linalg.eigvalsh(right)
    if scale[0] <= len(X) * np.finfo(float).eps * max(scale[-1], np.finfo(float).tiny):
        raise ValueError("X^T D X is singular: columns are constant or linearly dependent, or there are fewer samples than "
                         "features; reduce X by PCA to its rank first.")
    values, vectors = linalg.eigh(left, right, subset_by_index=[0, k - 1])
    return np.maximum(values, 0.0), fix_signs.core(vectors.T).T


class LPP(Estimator):
    """Locality preserving projection y = A^T (x - offset): neighbors in x stay neighbors in y, eq-pca-lpp.

    Parameters
    ----------
    n_components : dimension of y
    n_neighbors, sigma : of the graph, see :func:`heat_graph`
    center : subtract the mean weighted by the degrees, which excludes the constant embedding; without it the result
        depends on where the origin is

    Attributes
    ----------
    projection_ : (d, k), the matrix A, with A^T X^T D X A = I
    eigenvalues_ : (k,) ascending; their sum is the objective at A
    offset_ : (d,)
    weights_ : (n, n), the graph

    >>> X = [[0.0, 0.0], [0.1, 4.0], [3.0, 0.2], [3.1, 4.1], [0.2, 2.0], [3.0, 2.2]]
    >>> LPP(1, n_neighbors=2).fit(X).projection_.round(2) + 0.0
    array([[0.31],
           [0.  ]])
    """

    kind = "transformer"

    def __init__(self, n_components=2, n_neighbors=5, sigma=None, center=True):
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.sigma = sigma
        self.center = center

    def fit(self, X, y=None):
        """Build the graph and solve the eigenproblem."""
        check_flags(self)
        X = check_array(X, min_samples=2)
        self.weights_ = heat_graph(X, self.n_neighbors, self.sigma)
        degree = self.weights_.sum(axis=1)
        self.offset_ = degree @ X / degree.sum() if self.center else np.zeros(X.shape[1])
        self.eigenvalues_, self.projection_ = locality_directions(X - self.offset_, self.weights_, self.n_components)
        return self

    def transform(self, X):
        """Embedding (n, k) of the rows of X, new ones included."""
        check_fitted(self, "projection_")
        return (check_array(X, n_features=len(self.projection_)) - self.offset_) @ self.projection_

    def fit_transform(self, X, y=None):
        """Fit, then transform the same rows."""
        return self.fit(X).transform(X)
