"""Kernel regression: local constants (Nadaraya-Watson) and local lines, and their bandwidth by leave-one-out."""

import warnings

import numpy as np
from scipy.spatial.distance import cdist

from mlcore.base import Estimator, check_array, check_fitted, check_number, check_option, check_X_y
from mlcore.supervised.neighbors_and_kernel_regression.kernels import KERNELS, check_window, log_gaussian
from mlcore.supervised.neighbors_and_kernel_regression.search import k_nearest

NEGLIGIBLE = 1e-200  # a smaller relative weight changes no digit of a mean and would overflow 1 / variance
BLOCK = 2**20  # numbers held at a time while local lines are fitted


def smoother_matrix(X, Q, bandwidth, kernel="gaussian", order=0):
    """Return the matrix L (m, n) with fit(Q) = L y: order 0 is eq-nk-nw, order 1 is eq-nk-locallinear.

    Every row sums to 1. A query with no row of X in its window has no fit: its row of L is NaN. Where the rows in
    the window do not determine a line (all at one place, or on a flat), the undetermined slopes are taken as 0.

    >>> smoother_matrix([[0.0], [1.0], [2.0]], [[1.0]], bandwidth=1.0, kernel="boxcar").round(3)
    array([[0.333, 0.333, 0.333]])
    """
    X = check_array(X)
    Q = check_array(Q, name="Q", n_features=X.shape[1])
    _check_smoother(bandwidth, kernel, order)
    return _smoother(X, Q, cdist(Q, X, "sqeuclidean"), bandwidth, kernel, order)


def _check_smoother(bandwidth, kernel, order):
    check_window(bandwidth, kernel)
    check_option(order, "order", (0, 1))


def _smoother(X, Q, D2, bandwidth, kernel, order):
    """L from the squared distances D2 (m, n); an infinite entry leaves that row of X out."""
    nearest = D2.argmin(axis=1)
    d2_min = D2[np.arange(len(Q)), nearest]
    if kernel == "gaussian":  # weights relative to the nearest row: they cannot all underflow, and L is the same
        W = np.exp(log_gaussian(D2 - d2_min[:, None], bandwidth))
    else:
        W = KERNELS[kernel].profile(np.sqrt(D2) / bandwidth)
    with np.errstate(invalid="ignore"):  # an empty window is 0 / 0 = NaN, as documented
        W /= W.sum(axis=1, keepdims=True)
    if order == 0:
        return W
    W[W < NEGLIGIBLE] = 0
    step = max(1, BLOCK // X.size)
    for s in range(0, len(Q), step):
        W[s:s + step] *= _tilt(X, Q[s:s + step], W[s:s + step], X[nearest[s:s + step]])
    return W


def _tilt(X, Q, W, origin):
    """Factor 1 + (q - m)^T C^+ (x_i - m) by which the local line corrects the local mean, eq-nk-tilt.

    Coordinates are taken from the nearest row, so that x_i - m keeps its digits when one weight dominates. What counts
    as a singular C is decided in units of the spread in the window: the units of the features must not matter.
    """
    T, q = X - origin[:, None], Q - origin  # (m, n, d), (m, d)
    mean = np.einsum("mn,mnd->md", W, T)
    Z = T - mean[:, None]
    C = np.einsum("mn,mni,mnj->mij", W, Z, Z, optimize=True)
    C = np.where(np.isnan(C), 0, C)  # empty windows: W is already NaN
    spread = np.sqrt(np.einsum("mii->mi", C))
    spread = np.where(spread > 0, spread, 1)[:, :, None]  # (m, d, 1)
    correlation = C / (spread * spread.transpose(0, 2, 1))
    slope = np.linalg.pinv(correlation, rcond=1e-10, hermitian=True) @ ((q - mean)[:, :, None] / spread) / spread
    return 1 + (Z @ slope)[:, :, 0]


def smooth(X, y, Q, bandwidth, kernel="gaussian", order=0):
    """Kernel regression of y on X at the rows of Q; NaN where the window is empty.

    >>> smooth([[0.0], [1.0], [2.0]], [0.0, 1.0, 4.0], [[1.0]], bandwidth=1.0).round(6)
    array([1.548137])
    """
    X, y = check_X_y(X, y)
    return smoother_matrix(X, Q, bandwidth, kernel, order) @ y


def loo_fit(X, y, bandwidth, kernel="gaussian", order=0):
    """Prediction of each y_i from all other rows: the smoother whose diagonal weights are left out.

    NaN for a row that has no other row in its window.
    """
    X, y = check_X_y(X, y, min_samples=2)
    _check_smoother(bandwidth, kernel, order)
    D2 = cdist(X, X, "sqeuclidean")
    np.fill_diagonal(D2, np.inf)
    return _smoother(X, X, D2, bandwidth, kernel, order) @ y


def loo_error(X, y, bandwidth, kernel="gaussian", order=0):
    """Mean squared leave-one-out error; infinite if some row has no other row in its window.

    A bandwidth that leaves a row without a prediction is not comparable with one that predicts them all.

    >>> loo_error([[0.0], [1.0], [2.0]], [0.0, 1.0, 3.0], bandwidth=1.5, kernel="boxcar")
    1.75
    >>> loo_error([[0.0], [1.0], [2.0]], [0.0, 1.0, 4.0], bandwidth=0.5, kernel="boxcar")
    inf
    """
    error = float(np.mean((check_array(y, name="y", ndim=1) - loo_fit(X, y, bandwidth, kernel, order)) ** 2))
    return np.inf if np.isnan(error) else error


def loo_shortcut(S, y):
    """Leave-one-out residuals (y_i - f_i) / (1 - S_ii) of a linear smoother f = S y, eq-nk-loo.

    >>> S = smoother_matrix([[0.0], [1.0], [2.0]], [[0.0], [1.0], [2.0]], bandwidth=1.5, kernel="boxcar")
    >>> loo_shortcut(S, [0.0, 1.0, 4.0])
    array([-1., -1.,  3.])
    """
    S, y = check_array(S, name="S"), check_array(y, name="y", ndim=1)
    if S.shape != (len(y), len(y)):
        raise ValueError(f"S must be square with one row per value of y, got shape {S.shape} for {len(y)} values.")
    rest = 1 - np.diag(S)
    if (np.abs(rest) < 1e-12).any():
        raise ValueError("S has a diagonal entry 1: that fit follows its own point whatever the others say; use a larger bandwidth.")
    return (y - S @ y) / rest


def bandwidth_grid(X, num=30):
    """Bandwidths to try, evenly in logarithm: from half the median nearest-neighbor distance to twice the extent of the data.

    At the largest even the bounded kernels give every row a positive weight at every other, so that it has an error.
    """
    X = check_array(X, min_samples=2)
    check_number(num, "num", low=2, integer=True)
    spacing = k_nearest(X, X, 1, exclude_self=True)[0][:, 0]
    extent = float(np.linalg.norm(np.ptp(X, axis=0)))
    if extent == 0:
        raise ValueError("all rows of X are the same point, so no bandwidth is better than another; pass bandwidth=<number>.")
    spacing = spacing[spacing > 0]
    return np.geomspace(0.5 * float(np.median(spacing)) if len(spacing) else extent / 100, 2 * extent, num)


class KernelRegression(Estimator):
    """Kernel regression: a local mean (order 0, Nadaraya-Watson) or a local line (order 1) at every query.

    Parameters
    ----------
    bandwidth : number > 0, or "loo": the value of ``bandwidth_grid`` with the smallest leave-one-out error
    kernel : "gaussian", "epanechnikov", "tricube" or "boxcar"
    order : 0 or 1

    Attributes
    ----------
    X_, y_ : training data;  bandwidth_ : the bandwidth in use
    bandwidths_, loo_errors_ : what "loo" tried, and the errors (None for a given bandwidth)

    >>> model = KernelRegression(bandwidth=1.0, order=1).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> model.predict([[0.5], [4.0]])
    array([2., 9.])
    """

    kind = "regressor"

    def __init__(self, bandwidth="loo", kernel="gaussian", order=0):
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.order = order

    def fit(self, X, y):
        """Store the data and, if asked, choose the bandwidth."""
        leave_out = isinstance(self.bandwidth, str) and self.bandwidth == "loo"
        X, y = check_X_y(X, y, min_samples=2 if leave_out else 1)
        _check_smoother(1.0 if leave_out else self.bandwidth, self.kernel, self.order)
        self.bandwidths_ = self.loo_errors_ = None
        if leave_out:
            self.bandwidths_ = bandwidth_grid(X)
            self.loo_errors_ = np.array([loo_error(X, y, h, self.kernel, self.order) for h in self.bandwidths_])
            self.bandwidth_ = float(self.bandwidths_[self.loo_errors_.argmin()])
        else:
            self.bandwidth_ = float(self.bandwidth)
        self.X_, self.y_ = X.copy(), y.copy()
        return self

    def predict(self, X):
        """Fit at each row of X; NaN, with a warning, where no training row lies in the window."""
        check_fitted(self, "X_")
        X = check_array(X, n_features=self.X_.shape[1])
        step = max(1, BLOCK // len(self.X_))
        parts = [smooth(self.X_, self.y_, X[s:s + step], self.bandwidth_, self.kernel, self.order) for s in range(0, len(X), step)]
        fit = np.concatenate(parts)
        if np.isnan(fit).any():
            warnings.warn(f"{int(np.isnan(fit).sum())} of {len(fit)} queries have no training row within the bandwidth "
                          f"{self.bandwidth_:.3g}; their prediction is NaN. Use a larger bandwidth or the Gaussian kernel.",
                          RuntimeWarning, stacklevel=2)
        return fit
