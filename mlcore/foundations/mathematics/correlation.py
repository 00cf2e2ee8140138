"""Pearson's correlation of the columns of a matrix with a target, in one pass over blocks of rows."""

import numpy as np

BLOCK = 512  # rows looked at together, so that they stay in the cache
VANISHING = 1e-250  # a sum of squares below this has lost digits to the smallest numbers


def column_correlations(X, y):
    """Correlation of each column of X (n, d) with y (n,), both finite; 0 for a constant column or target.

    >>> column_correlations(np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]]), np.array([2.0, 4.0, 6.0]))
    array([1., 0.])
    """
    mean, b = X.mean(axis=0), y - y.mean()
    products, squares = np.zeros((2, X.shape[1]))
    varies = np.zeros(X.shape[1], bool)  # the mean of equal numbers is rounded, so the squares do not tell
    for start in range(0, len(X), BLOCK):
        rows = slice(start, start + BLOCK)
        varies |= (X[rows] != X[:1]).any(axis=0)
        centered = X[rows] - mean
        products += b[rows] @ centered
        squares += np.einsum("ij,ij->j", centered, centered)
    scale = np.sqrt(squares) * np.linalg.norm(b)
    r = np.divide(products, scale, out=np.zeros(X.shape[1]), where=varies & (scale > 0) & (np.ptp(y) > 0))
    tiny = varies & (squares < VANISHING)
    if tiny.any():  # once more in units in which they are near 1; a power of two changes no digit
        unit = np.ldexp(1.0, np.frexp(np.abs(X[:, tiny]).max(axis=0))[1])
        r[tiny] = column_correlations(X[:, tiny] / unit, y)
    return np.clip(r, -1.0, 1.0)
