"""How many components: a share of the variance, columns shuffled apart, entries left out."""

import numpy as np

from mlcore.base import check_array, check_number, check_rng
from mlcore.takes import takes


def components_for_share(shares, share):
    """Least k whose first k shares of the variance add up to at least ``share`` (eq-pca-share).

    >>> components_for_share([0.6, 0.3, 0.1], 0.9)
    2
    """
    shares = check_array(shares, name="shares", ndim=1)
    check_number(share, "share", low=0, high=1, open_low=True)
    # 0.6 + 0.3 is 0.8999...: a share that is reached up to rounding is reached
    reached = np.cumsum(shares) >= share - 1e-12
    return int(reached.argmax()) + 1 if reached.any() else len(shares)


def permutation_threshold(X, n_permutations=20, quantile=0.95, rng=None):
    """Eigenvalues (n - 1 in the divisor) that columns without any correlation would give.

    Every column of X is shuffled on its own, which keeps its distribution and destroys what it shares with the others.
    The j-th threshold is the ``quantile`` of the j-th eigenvalue over the shufflings.

    Returns
    -------
    thresholds : (min(n, d),) to be compared with ``PCA().explained_variance_``
    """
    X = check_array(X, min_samples=2)
    check_number(n_permutations, "n_permutations", low=1, integer=True)
    check_number(quantile, "quantile", low=0, high=1)
    rng = check_rng(rng)
    centered = X - X.mean(axis=0)
    spectra = [np.linalg.svd(rng.permuted(centered, axis=0), compute_uv=False) ** 2 for _ in range(n_permutations)]
    return np.quantile(np.array(spectra) / (len(X) - 1), quantile, axis=0)


def left_out_residuals(X, components):
    """Error of each entry of the centered rows X when it is predicted from the other entries of its row (eq-pca-press).

    The scores are fitted by least squares to the remaining entries; the ordinary residual, divided by 1 - h_j with h_j the
    squared length of the j-th column of ``components``, is that error. It is infinite where h_j = 1: then a component is
    the j-th axis itself, and the other entries say nothing about it.

    >>> left_out_residuals(np.array([[1.0, 1.0, 4.0]]), np.ones((1, 3)) / np.sqrt(3)).round(6)
    array([[-1.5, -1.5,  3. ]])
    """
    X, U = check_array(X), check_array(components, name="components")
    if U.shape[1] != X.shape[1] or np.abs(U @ U.T - np.eye(len(U))).max() > 1e-8:
        raise ValueError(f"components must be orthonormal rows of length {X.shape[1]}, as PCA().components_ is.")
    free = 1 - (U**2).sum(axis=0)  # (d,)
    known = free > 1e-10
    residual = X - X @ U.T @ U
    return np.where(known, residual / np.where(known, free, 1.0), np.inf)


@takes(ks="list")
def cross_validated_errors(X, ks, n_folds=5, rng=None):
    """Mean squared error of entries that were left out, for each number of components in ``ks``.

    The rows are split in folds; components are learned without a fold, and every entry of a row of the fold is predicted
    from the other entries of that row (:func:`left_out_residuals`). ``k = 0`` predicts the mean.

    Returns
    -------
    errors : (len(ks),)
    """
    X = check_array(X, min_samples=3)
    n, d = X.shape
    check_number(n_folds, "n_folds", low=2, high=n, integer=True)
    fold = check_rng(rng).permutation(n) % n_folds
    most = min(n - np.bincount(fold).max() - 1, d - 1)
    ks = [check_number(k, "each k", low=0, high=most, integer=True) for k in ks]
    total = np.zeros(len(ks))
    for f in range(n_folds):
        train, test = X[fold != f], X[fold == f]
        mean = train.mean(axis=0)
        V = np.linalg.svd(train - mean, full_matrices=False)[2]
        for i, k in enumerate(ks):
            errors = left_out_residuals(test - mean, V[:k]) if k else test - mean
            total[i] += (errors**2).sum()
    return total / X.size
