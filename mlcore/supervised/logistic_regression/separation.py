"""Do the classes overlap? If not, the likelihood has no maximizer (thm-lg-separation)."""

import numpy as np
from scipy.optimize import linprog

from mlcore.supervised.logistic_regression.likelihood import check_binary

ROUNDING = 1e-7


def separating_direction(X, y):
    """A theta with x_i . theta >= 0 for all of class 1, <= 0 for all of class 0, and not all zero; None if there is none.

    Found by a linear program: maximize the sum of the margins under these constraints in the box |theta_j| <= 1. The
    columns are scaled first, so that the tolerance of the solver means the same for each. With linearly independent
    columns the likelihood has a maximizer if and only if the answer is None (thm-lg-separation).

    >>> X = np.array([[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]])
    >>> separating_direction(X, [0, 1, 0]) is None, separating_direction(X, [0, 0, 1]) is None
    (True, False)
    """
    margins, scale = _scaled_rows(X, y)
    found = linprog(-margins.sum(axis=0), A_ub=-margins, b_ub=np.zeros(len(margins)), bounds=(-1, 1), method="highs")
    if not found.success:
        raise ValueError(f"the linear program for a separating direction failed: {found.message}")
    reach = margins @ found.x
    return found.x / scale if reach.max() > ROUNDING else None


def separation(X, y):
    """How the classes are separated: "complete" (a gap), "quasi-complete" (they only touch) or "none" (they overlap).

    >>> X = np.array([[1.0, 1.0], [1.0, 2.0], [1.0, 2.0], [1.0, 3.0]])
    >>> separation(X, [0, 0, 0, 1]), separation(X, [0, 0, 1, 1]), separation(X, [0, 1, 0, 0])
    ('complete', 'quasi-complete', 'none')
    """
    if separating_direction(X, y) is None:
        return "none"
    # A gap: some theta gives every example a margin of at least 1.
    margins, _ = _scaled_rows(X, y)
    gap = linprog(np.zeros(margins.shape[1]), A_ub=-margins, b_ub=-np.ones(len(margins)), bounds=(None, None), method="highs")
    return "complete" if gap.success else "quasi-complete"


def _scaled_rows(X, y):
    """Rows z_i x_i with z = -1 or +1, each column divided by its largest absolute value; and these divisors."""
    X, y, _ = check_binary(X, y, None)
    scale = np.abs(X).max(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    return np.where(y == 1, 1.0, -1.0)[:, None] * X / scale, scale
