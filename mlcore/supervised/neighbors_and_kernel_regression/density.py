"""Kernel density estimation: a bump on every training row."""

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import logsumexp

from mlcore.base import Estimator, check_array, check_fitted
from mlcore.supervised.neighbors_and_kernel_regression.kernels import KERNELS, check_window, log_gaussian
from mlcore.takes import takes

BLOCK = 2**16  # distances worked on at a time: half a megabyte, so that a block stays in the processor's cache


@takes()
def log_kernel_density(X, Q, bandwidth, kernel="gaussian"):
    """Logarithm of p(q) = 1 / (n h^d) sum_i K((q - x_i) / h) at the rows of Q, eq-nk-kde; -inf outside all windows.

    >>> np.exp(log_kernel_density([[0.0]], [[0.0]], bandwidth=2.0, kernel="boxcar"))
    array([0.25])
    """
    X = check_array(X)
    Q = check_array(Q, name="Q", n_features=X.shape[1])
    check_window(bandwidth, kernel)
    return _log_density(cdist(Q, X, "sqeuclidean"), len(X), X.shape[1], bandwidth, kernel)


def _log_density(D2, n, d, bandwidth, kernel):
    """Log of the mean of n bumps at squared distances D2 (m, *); an infinite distance adds nothing."""
    if kernel == "gaussian":
        total = logsumexp(log_gaussian(D2, bandwidth), axis=1)
    else:
        with np.errstate(divide="ignore"):
            total = np.log(KERNELS[kernel].profile(np.sqrt(D2) / bandwidth).sum(axis=1))
    return total + np.log(KERNELS[kernel].constant(d)) - np.log(n) - d * np.log(bandwidth)


@takes()
def loo_log_likelihood(X, bandwidth, kernel="gaussian"):
    """Mean over i of log p(x_i) estimated from the other rows; -inf if some row is outside all other windows.

    The likelihood of the rows under their own density would grow without bound as the bandwidth shrinks.
    """
    X = check_array(X, min_samples=2)
    check_window(bandwidth, kernel)
    D2 = cdist(X, X, "sqeuclidean")
    np.fill_diagonal(D2, np.inf)
    return float(_log_density(D2, len(X) - 1, X.shape[1], bandwidth, kernel).mean())


class KernelDensity(Estimator):
    """Density as the mean of bumps on the training rows, eq-nk-kde.

    Parameters
    ----------
    bandwidth : number > 0
    kernel : "gaussian", "epanechnikov", "tricube" or "boxcar"

    Attributes
    ----------
    X_ : (n, d) training rows

    >>> model = KernelDensity(bandwidth=0.5).fit([[0.0], [1.0]])
    >>> model.score_samples([[0.0]]).round(4)
    array([-0.792])
    """

    kind = "density"

    def __init__(self, bandwidth=1.0, kernel="gaussian"):
        self.bandwidth = bandwidth
        self.kernel = kernel

    def fit(self, X, y=None):
        """Store the data."""
        check_window(self.bandwidth, self.kernel)
        self.X_ = check_array(X).copy()
        return self

    def score_samples(self, X):
        """Log-density at each row of X."""
        check_fitted(self, "X_")
        X = check_array(X, n_features=self.X_.shape[1])
        step = max(1, BLOCK // len(self.X_))
        return np.concatenate([log_kernel_density(self.X_, X[s:s + step], self.bandwidth, self.kernel) for s in range(0, len(X), step)])

    def score(self, X, y=None):
        """Mean log-density of the rows of X."""
        return float(self.score_samples(X).mean())
