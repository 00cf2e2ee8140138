"""Penalty and budget: ridge regression with a limit on the length of the weights."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from mlcore.base import check_array, check_number, check_X_y
from mlcore.takes import takes


class BudgetFit(NamedTuple):
    """Weights within the budget and the multiplier: 0 if the budget does not bind."""

    coef: np.ndarray
    multiplier: float


def constrained_least_squares(Z, y, budget):
    """Minimize |y - Z w|^2 subject to w . w <= budget (eq-rs-budget) by solving the secular equation eq-rs-secular.

    The multiplier is the lambda of (Z^T Z + lambda I) w = Z^T y.

    >>> fit = constrained_least_squares([[1.0, 0.0], [0.0, 1.0]], [3.0, 4.0], budget=1.0)
    >>> fit.coef.round(6), round(fit.multiplier, 6)
    (array([0.6, 0.8]), 4.0)
    """
    Z, y = check_X_y(Z, y)
    check_number(budget, "budget", low=0, open_low=True)
    U, s, Vt = np.linalg.svd(Z, full_matrices=False)
    keep = s > max(Z.shape) * np.finfo(float).eps * s[0]
    s, Vt, c = s[keep], Vt[keep], U[:, keep].T @ y

    @np.errstate(over="ignore", divide="ignore", invalid="ignore")  # out of range is noticed below
    def excess(lam):
        return float(((s * c / (s**2 + lam)) ** 2).sum() - budget)

    if len(s) == 0 or excess(0.0) <= 0:
        return BudgetFit((c / s) @ Vt, 0.0)
    high = float(np.linalg.norm(s * c)) / np.sqrt(budget)      # |w| <= |Z^T y| / lambda
    if not (np.isfinite(excess(0.0)) and excess(high) <= 0):
        raise ValueError("the numbers in Z and y are too large or too small for their squares; scale both.")
    lam = float(brentq(excess, 0.0, high, xtol=1e-14 * high, rtol=1e-15 * 8))
    return BudgetFit((s * c / (s**2 + lam)) @ Vt, lam)


@takes(lam="number")
def augmented_error(w, Z, y, lam):
    """E_aug(w) = |y - Z w|^2 / n + lam / n w . w (eq-rs-augmented)."""
    Z, y = check_X_y(Z, y)
    w = check_array(w, name="w", ndim=1)
    r = y - Z @ w
    return float((r @ r + lam * (w @ w)) / len(y))
