"""k-nearest-neighbor regression and classification: average or count the labels of the nearest rows."""

import numpy as np

from mlcore.base import Estimator, check_array, check_fitted, check_labels, check_number, check_option, check_X_y
from mlcore.supervised.neighbors_and_kernel_regression.search import METRICS, k_nearest
from mlcore.takes import takes


def neighbor_weights(distances, weights):
    """Weight of each neighbor: 1, or 1 / distance, where a neighbor at distance 0 takes all the weight."""
    if weights == "uniform":
        return np.ones_like(distances)
    at_zero = distances == 0
    inverse = np.divide(1.0, distances, out=np.zeros_like(distances), where=~at_zero)
    return np.where(at_zero.any(axis=1, keepdims=True), at_zero.astype(float), inverse)


@takes(labels="whole m k < n_classes", n_classes="integer >= 1", weights="m k")
def vote(labels, n_classes, weights=None):
    """Class with the largest total weight among the neighbors' labels (m, k), given nearest first, eq-nk-vote.

    Of several classes with the same total, the one whose nearest member is nearest wins.

    >>> vote(np.array([[2, 0, 0, 2, 1]]), n_classes=3)
    array([2])
    """
    counts = class_weights(labels, n_classes, np.ones(labels.shape) if weights is None else weights)
    of_neighbor = np.take_along_axis(counts, labels, axis=1)  # (m, k): total of the class that each neighbor has
    winner = (of_neighbor == counts.max(axis=1, keepdims=True)).argmax(axis=1)
    return np.take_along_axis(labels, winner[:, None], axis=1)[:, 0]


def class_weights(labels, n_classes, weights):
    """Total weight of each class among the neighbors, (m, n_classes)."""
    m = len(labels)
    flat = labels + n_classes * np.arange(m)[:, None]
    return np.bincount(flat.ravel(), weights.ravel(), minlength=m * n_classes).reshape(m, n_classes)


def knn_loo_errors(X, y, k_max, task="regression", metric="euclidean"):
    """Leave-one-out error of uniform k-NN for every k = 1, ..., k_max from a single neighbor search.

    Mean squared error for ``task="regression"``, share of wrong labels for ``task="classification"``.

    >>> knn_loo_errors([[0.0], [1.0], [3.0]], [0.0, 1.0, 4.0], k_max=2)
    array([3.66666667, 6.5       ])
    """
    check_option(task, "task", ("regression", "classification"))
    if task == "regression":
        X, y = check_X_y(X, y, min_samples=2)
    else:
        X = check_array(X, min_samples=2)
        classes, y = check_labels(y, X)
    check_number(k_max, "k_max", low=1, high=len(X) - 1, integer=True)
    _, index = k_nearest(X, X, k_max, metric, exclude_self=True)
    near = y[index]  # (n, k_max), nearest first
    if task == "regression":
        running_mean = near.cumsum(axis=1) / np.arange(1, k_max + 1)
        return ((running_mean - y[:, None]) ** 2).mean(axis=0)
    return np.array([(vote.core(near[:, :k], len(classes)) != y).mean() for k in range(1, k_max + 1)])


class _KNeighbors(Estimator):
    """What both models share: the stored rows and the search."""

    def __init__(self, n_neighbors=5, weights="uniform", metric="euclidean"):
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.metric = metric

    def _store(self, X, y):
        check_option(self.weights, "weights", ("uniform", "distance"))
        check_option(self.metric, "metric", tuple(METRICS))
        if check_number(self.n_neighbors, "n_neighbors", low=1, integer=True) > len(X):
            raise ValueError(f"n_neighbors={self.n_neighbors}, but there are only {len(X)} training rows; choose fewer neighbors.")
        self.X_, self.y_ = X.copy(), y
        return self

    def kneighbors(self, X, n_neighbors=None):
        """Distances and row numbers of the nearest training rows, (m, k) each."""
        check_fitted(self, "X_")
        X = check_array(X, n_features=self.X_.shape[1])
        return k_nearest(self.X_, X, self.n_neighbors if n_neighbors is None else n_neighbors, self.metric)


class KNeighborsRegressor(_KNeighbors):
    """Predict the (weighted) mean of the k nearest targets, eq-nk-knn.

    Parameters
    ----------
    n_neighbors : int
    weights : "uniform" or "distance" (each neighbor counts 1 / distance)
    metric : "euclidean", "manhattan" or "chebyshev"

    Attributes
    ----------
    X_, y_ : the training rows (n, d) and targets (n,): the model is its data

    >>> KNeighborsRegressor(n_neighbors=2).fit([[0.0], [1.0], [3.0]], [0.0, 1.0, 4.0]).predict([[0.2], [2.5]])
    array([0.5, 2.5])
    """

    kind = "regressor"

    def fit(self, X, y):
        """Store the data."""
        X, y = check_X_y(X, y)
        return self._store(X, y.copy())

    def predict(self, X):
        """Mean target of the neighbors of each row."""
        distances, index = self.kneighbors(X)
        w = neighbor_weights(distances, self.weights)
        return (w * self.y_[index]).sum(axis=1) / w.sum(axis=1)


class KNeighborsClassifier(_KNeighbors):
    """Predict the most frequent class among the k nearest rows, eq-nk-vote; of tied classes the nearest wins.

    Parameters
    ----------
    n_neighbors : int
    weights : "uniform" or "distance" (each neighbor counts 1 / distance)
    metric : "euclidean", "manhattan" or "chebyshev"

    Attributes
    ----------
    X_ : (n, d) training rows;  classes_ : sorted labels;  y_ : (n,) index of each row's label in classes_

    >>> model = KNeighborsClassifier(n_neighbors=3).fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> model.predict([[0.4], [3.9]]).tolist()
    ['a', 'b']
    """

    kind = "classifier"

    def fit(self, X, y):
        """Store the data."""
        X = check_array(X)
        self.classes_, index = check_labels(y, X)
        return self._store(X, index)

    def predict(self, X):
        """Most frequent class among the neighbors of each row."""
        distances, index = self.kneighbors(X)
        return self.classes_[vote.core(self.y_[index], len(self.classes_), neighbor_weights(distances, self.weights))]

    def predict_proba(self, X):
        """Share of each class in the neighbors' total weight, (m, n_classes); an estimate of P(class | x)."""
        distances, index = self.kneighbors(X)
        totals = class_weights(self.y_[index], len(self.classes_), neighbor_weights(distances, self.weights))
        return totals / totals.sum(axis=1, keepdims=True)
