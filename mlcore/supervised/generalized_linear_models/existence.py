"""Does the likelihood have a maximizer? Targets on the boundary of the family may push the parameters to infinity."""

import numpy as np

from mlcore.supervised.generalized_linear_models.families import Family
from mlcore.supervised.logistic_regression import separating_direction
from mlcore.takes import takes


@takes(X="n p", y="n", family=Family)
def runaway_direction(X, y, family):
    """A direction along which the likelihood never falls and the fitted means keep moving; None if there is none.

    Scores may fall where y is at the lower bound of the family, rise where it is at the upper bound, and must stay where it is
    inside (thm-gl-existence). ``X`` is the design matrix; found by the linear program of ``separating_direction``.

    >>> from mlcore.supervised.generalized_linear_models.families import POISSON
    >>> X = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 1.0]])
    >>> runaway_direction(X, np.array([2.0, 1.0, 0.0, 0.0]), POISSON).round(6) + 0.0
    array([ 0., -1.])
    >>> runaway_direction(X, np.array([2.0, 1.0, 0.0, 1.0]), POISSON) is None
    True
    """
    down = (y == family.lower) & (family.lower in family.attained)
    up = (y == family.upper) & (family.upper in family.attained)
    still = X[~(down | up)]
    if not (down | up).any():
        return None
    rows = np.concatenate([-X[down], X[up], still, -still])
    return separating_direction(rows, np.ones(len(rows)))


def near_boundary(y, mu, family, margin=5e-5):
    """Whether a target on the boundary has a fitted mean so close to it that the fit may be running away.

    ``margin`` is for targets of size 1; it grows with larger ones, because the stop rule of the fit does so, too.
    """
    margin = margin * max(1.0, np.abs(y).mean())
    low = family.lower in family.attained and ((y == family.lower) & (mu < family.lower + margin)).any()
    high = family.upper in family.attained and ((y == family.upper) & (mu > family.upper - margin)).any()
    return bool(low or high)


def proves_maximizer(gradient, information, longest):
    """Whether a gradient is so short that the categorical likelihood must have a maximizer; False leaves the question open.

    The gradient of the cost is minus the sum of phi r, over all examples and rival classes c, with r = (e_y - e_c) (x) x and
    the probability phi of c. A direction D of length 1 along which no example gets worse has r . D >= 0 for all r, so
    -gradient . D >= sum phi (r . D)^2 / longest >= D . information D / longest, where ``longest`` bounds |r|. If the gradient is
    shorter than the smallest eigenvalue of the information / longest, there is no such direction, and so a maximizer.
    """
    return bool(2 * np.linalg.norm(gradient) * longest < np.linalg.eigvalsh(information)[0])  # twice, for the rounding of both
