"""How far from Gaussian a signal is, and how far a separation is from the truth."""

import numpy as np
from scipy.optimize import linear_sum_assignment

from mlcore.base import check_array, check_option
from mlcore.takes import takes

# E G(v) of a standard normal v, for G = log cosh and G = -exp(-v^2/2)
GAUSSIAN_MEANS = {"logcosh": 0.3745672074914382, "exp": -np.sqrt(0.5)}


@takes(Y="n | n k")
def excess_kurtosis(Y):
    """Fourth cumulant of each standardized column, E y^4 / (E y^2)^2 - 3 after centering (eq-ic-kurtosis); 0 if Gaussian.

    >>> excess_kurtosis([[-1.0], [1.0]])
    array([-2.])
    """
    Y = _standardized(Y)
    return np.square(np.square(Y)).mean(axis=0) - 3


@takes(Y="n | n k")
def negentropy(Y, contrast="logcosh"):
    """Approximate negentropy (E G(y) - E G(v))^2 of each standardized column, v standard normal (eq-ic-negentropy-approx).

    It is known up to a positive factor only, and ranks the directions of one mixture rather than sources of different shape.

    >>> float(negentropy([[-1.0], [1.0]])[0].round(5))
    0.00351
    """
    Y = _standardized(Y)
    if check_option(contrast, "contrast", tuple(GAUSSIAN_MEANS)) == "logcosh":
        G = np.logaddexp(Y, -Y) - np.log(2)
    else:
        G = -np.exp(-(Y**2) / 2)
    return (G.mean(axis=0) - GAUSSIAN_MEANS[contrast]) ** 2


def amari_distance(W, A):
    """Distance of W A from a scaled permutation: 0 if W separates, 1 if every source is spread evenly (eq-ic-amari).

    The rows of W A are first scaled to length 1, which makes the distance blind to the scale of the recovered sources.
    The columns of A must belong to sources of equal variance.

    >>> amari_distance([[0.0, -5.0], [2.0, 0.0]], np.eye(2))
    0.0
    """
    W, A = check_array(W, name="W"), check_array(A, name="A")
    if W.shape[1] != A.shape[0] or W.shape[0] != A.shape[1] or len(W) < 2:
        raise ValueError(f"W @ A must be square with at least 2 rows; W has shape {W.shape}, A has shape {A.shape}.")
    W = W / np.maximum(np.abs(W).max(axis=1, keepdims=True), np.finfo(float).tiny)  # the length of a row does not matter
    A = A / (np.abs(A).max() or 1.0)
    P = np.abs(W @ A)
    lengths = np.linalg.norm(P, axis=1, keepdims=True)
    if not lengths.all():
        raise ValueError(f"row {int(np.argmin(lengths))} of W @ A is zero: that recovered source hears nothing.")
    P = P / lengths
    columns = P.max(axis=0)
    if not columns.all():
        raise ValueError(f"column {int(np.argmin(columns))} of W @ A is zero: that source reaches no recovered signal.")
    k = len(P)
    rows = (P.sum(axis=1) / P.max(axis=1) - 1).sum()
    return float((rows + (P.sum(axis=0) / columns - 1).sum()) / (2 * k * (k - 1)))


@takes(S="n k", S_hat="m l")
def match_sources(S, S_hat):
    """Order and signs that bring the columns of S_hat nearest to those of S: ``S_hat[:, order] * signs``.

    The assignment with the largest sum of absolute correlations is taken.

    >>> S = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.5]])
    >>> order, signs = match_sources(S, -S[:, ::-1])
    >>> order.tolist(), signs.tolist()
    ([1, 0], [-1.0, -1.0])
    """
    S, S_hat = _standardized(S, "S"), _standardized(S_hat, "S_hat")
    if S.shape != S_hat.shape:
        raise ValueError(f"S has shape {S.shape}, but S_hat has shape {S_hat.shape}; they must agree.")
    correlation = S.T @ S_hat / len(S)  # (k, k)
    rows, order = linear_sum_assignment(-np.abs(correlation))
    return order, np.where(correlation[rows, order] < 0, -1.0, 1.0)


def _standardized(Y, name="Y"):
    """Columns with mean 0 and variance 1; a 1-D array is one column."""
    Y = np.asarray(Y, float)
    Y = check_array(Y[:, None] if Y.ndim == 1 else Y, name=name, min_samples=2)
    Y = Y / np.ldexp(1.0, np.minimum(np.frexp(np.abs(Y).max(axis=0))[1] + 2, 1023))  # squares neither overflow nor vanish
    constant = Y.max(axis=0) == Y.min(axis=0)
    if constant.any():
        raise ValueError(f"column {int(constant.argmax())} of {name} is constant; its shape cannot be measured.")
    Y = Y - Y.mean(axis=0)
    return Y / Y.std(axis=0)
