"""Locally weighted linear regression: a new weighted least-squares fit at every query."""

import numpy as np

from mlcore.base import Estimator, check_array, check_fitted, check_number, check_X_y
from mlcore.foundations.mathematics import cholesky_factor
from mlcore.takes import takes

# Largest number of entries (queries * samples * features) that one block of queries may need at once.
BLOCK = 2_000_000


@takes()
def gaussian_weights(X, queries, tau):
    """Weights exp(-|x_i - x|^2 / (2 tau^2)) of n rows for m queries (eq-lr-weights), as (m, n).

    >>> gaussian_weights([[0.0], [1.0]], [[0.0]], tau=1.0).round(4)
    array([[1.    , 0.6065]])
    """
    check_number(tau, "tau", low=0, open_low=True)
    X = check_array(X)
    queries = check_array(queries, name="queries", n_features=X.shape[1])
    return np.exp(-_squared_distances(X, queries) / (2 * tau**2))


def _squared_distances(X, queries):
    """(m, n) squared distances, from differences: exact for coinciding points."""
    return sum((queries[:, j, None] - X[:, j]) ** 2 for j in range(X.shape[1]))


@takes(X="n d", y="n", queries="m d", tau="number > 0")
def local_linear_fit(X, y, queries, tau):
    """Value and slope of the local fit at every query (eq-lr-local), as (m,) and (m, d).

    The fit is solved around the weighted means, where it is best conditioned. Weights are taken relative to that of
    the nearest row, so that they do not all underflow: as tau -> 0 the value becomes the nearest target.
    """
    differences = X[None, :, :] - queries[:, None, :]  # (m, n, d)
    distances = (differences**2).sum(axis=2)
    w = np.exp(-(distances - distances.min(axis=1, keepdims=True)) / (2 * tau**2))
    w /= w.sum(axis=1, keepdims=True)
    x_mean = np.einsum("mn,mnd->md", w, differences)
    y_mean = w @ y
    centered = differences - x_mean[:, None, :]
    weighted = w[:, :, None] * centered
    S = np.einsum("mnd,mne->mde", weighted, centered)  # weighted covariance of the inputs
    b = np.einsum("mnd,mn->md", weighted, y - y_mean[:, None])
    values, vectors = np.linalg.eigh(S)
    # Directions in which the weighted rows do not spread (one row, or a line of rows) get slope 0.
    noise = np.maximum(values[:, -1:] * 10 * S.shape[1] * np.finfo(float).eps, 1e-26 * distances.max(axis=1, keepdims=True))
    inverse = np.where(values > noise, 1 / np.where(values > noise, values, 1.0), 0.0)
    slope = np.einsum("mde,me,mfe,mf->md", vectors, inverse, vectors, b)
    return y_mean - (slope * x_mean).sum(axis=1), slope


class LocallyWeightedRegression(Estimator):
    """Locally weighted linear regression: at each query, least squares weighted by nearness (eq-lr-lwr).

    Parameters
    ----------
    tau : bandwidth, the distance (in the units of X) at which a row's weight has fallen to exp(-1/2) = 0.61
    Sigma : (d, d) metric of the distance (x_i - x)^T Sigma^-1 (x_i - x), eq-lr-metric; None is the identity.
        With tau and Sigma both given their scales multiply, so use tau = 1 with a covariance matrix.

    Attributes
    ----------
    X_, y_ : the training data, all of which every prediction uses

    >>> model = LocallyWeightedRegression(tau=0.5).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 4.0])
    >>> model.predict([[0.5], [1.5]]).round(3)
    array([0.517, 2.517])
    """

    def __init__(self, tau=1.0, Sigma=None):
        self.tau = tau
        self.Sigma = Sigma

    def fit(self, X, y):
        """Check and keep the data; nothing is computed until a query comes."""
        self.X_, self.y_ = (array.copy() for array in check_X_y(X, y))
        check_number(self.tau, "tau", low=0, open_low=True)
        self._factor = _metric_factor(self.Sigma, self.X_.shape[1])
        return self

    def weights(self, queries):
        """Weight of every training row (n columns) at every query (m rows)."""
        X, queries = self._scaled(queries)
        return gaussian_weights(X, queries, self.tau)

    def local_lines(self, queries):
        """Intercept and slopes (m, d + 1) of the line fitted at every query."""
        X, scaled = self._scaled(queries)
        rows = max(1, BLOCK // X.size)
        parts = [local_linear_fit(X, self.y_, scaled[i:i + rows], self.tau) for i in range(0, len(scaled), rows)]
        value = np.concatenate([part[0] for part in parts])
        slope = np.concatenate([part[1] for part in parts])
        slope = np.linalg.solve(self._factor.T, slope.T).T  # back to the units of X
        return np.column_stack([value - (slope * np.asarray(queries, float)).sum(axis=1), slope])

    def predict(self, X):
        """Value at each row of X of the line fitted there."""
        theta = self.local_lines(X)
        return theta[:, 0] + (theta[:, 1:] * np.asarray(X, float)).sum(axis=1)

    def _scaled(self, queries):
        """Training rows and queries in coordinates where the metric is the identity."""
        check_fitted(self, "X_")
        queries = check_array(queries, n_features=self.X_.shape[1])
        return tuple(np.linalg.solve(self._factor, A.T).T for A in (self.X_, queries))


def _metric_factor(Sigma, d):
    """Cholesky factor of the metric, or say what is wrong with it."""
    if Sigma is None:
        return np.eye(d)
    if np.shape(Sigma) != (d, d):
        raise ValueError(f"Sigma must be a symmetric ({d}, {d}) matrix, got shape {np.shape(Sigma)}.")
    return cholesky_factor(Sigma)
