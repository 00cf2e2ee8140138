"""Maximum-entropy densities on a grid, by Newton's method on the dual of the constrained variational problem."""

import warnings

import numpy as np

from mlcore.base import ConvergenceWarning, check_array, check_number
from mlcore.foundations.mathematics.stable import logsumexp


def maximum_entropy_density(grid, features, moments, tol=1e-10, max_iter=100):
    """Density of largest entropy whose mean features are ``moments``: p(x) = exp(lam . f(x) - a(lam)) (eq-ma-maxent).

    The multipliers minimize the convex dual a(lam) - lam . moments, whose gradient is the gap E[f] - moments and whose
    Hessian is the covariance of f; Newton's method with step halving finds them.

    Parameters
    ----------
    grid : (n,) increasing points; integrals are trapezoid sums over it
    features : (k, n) values f_j on the grid; (0, n) leaves only the constraint that p integrates to 1
    moments : (k,) wanted means, inside the ranges of the features
    tol : largest allowed gap of a mean, in units of the feature's range

    Returns
    -------
    density (n,), multipliers (k,)

    >>> x = np.linspace(0, 1, 101)
    >>> density, multipliers = maximum_entropy_density(x, [x], [0.5])
    >>> bool(np.allclose(density, 1)), (multipliers.round(6) + 0.0).tolist()
    (True, [0.0])
    """
    grid = check_array(grid, name="grid", ndim=1, min_samples=2)
    if (np.diff(grid) <= 0).any():
        raise ValueError("grid must increase strictly.")
    features = check_array(features, name="features", ndim=None, min_samples=0)
    moments = check_array(moments, name="moments", ndim=None, min_samples=0)
    if features.ndim != 2 or features.shape[1] != len(grid) or moments.shape != (len(features),):
        raise ValueError(f"features must be (k, {len(grid)}) and moments (k,), got {features.shape} and {moments.shape}.")
    check_number(tol, "tol", low=0, open_low=True)
    check_number(max_iter, "max_iter", low=1, integer=True)
    for j, (row, moment) in enumerate(zip(features, moments)):
        if not row.min() < moment < row.max():
            raise ValueError(f"moment {j} is {moment:.6g}, but feature {j} lies in ({row.min():.6g}, {row.max():.6g}): "
                             "no density on this grid has that mean.")
    log_weight = np.log(np.gradient(grid) * np.where(np.isin(np.arange(len(grid)), [0, len(grid) - 1]), 0.5, 1.0))
    scale = np.ptp(features, axis=1)
    F = (features - moments[:, None]) / scale[:, None]  # every mean is to become 0

    def dual(lam):
        return logsumexp(lam @ F + log_weight)

    lam = np.zeros(len(F))
    for _ in range(max_iter):
        p = np.exp(lam @ F + log_weight - dual(lam))  # probabilities of the grid points
        gap = F @ p
        if np.abs(gap).max(initial=0.0) <= tol:
            break
        step = np.linalg.lstsq((F * p) @ F.T - np.outer(gap, gap), gap, rcond=None)[0]
        size = 1.0
        while dual(lam - size * step) > dual(lam) - 1e-4 * size * (gap @ step) and size > 1e-10:
            size /= 2
        lam = lam - size * step
    else:
        warnings.warn(f"maximum_entropy_density did not meet the moments in max_iter={max_iter} steps (largest gap "
                      f"{np.abs(gap).max():.2g} of a range); is there a density with these means?", ConvergenceWarning, stacklevel=2)
    return np.exp(lam @ F - dual(lam)), lam / scale
