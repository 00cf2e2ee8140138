"""Empirical risk minimization where it can be done exactly, and error measures with their ideal targets."""

import itertools
from typing import NamedTuple

import numpy as np

from mlcore.base import check_array, check_number, check_option, check_signs
from mlcore.takes import takes


@takes(table="list")
def consistent_targets(table):
    """All Boolean functions that agree with ``table``, a sequence of 0, 1 and None (not seen): one row each.

    >>> consistent_targets([0, None, 1, None]).tolist()
    [[0, 0, 1, 0], [0, 0, 1, 1], [0, 1, 1, 0], [0, 1, 1, 1]]
    """
    table = list(table)
    if not table or any(v not in (0, 1, None) for v in table):
        raise ValueError(f"table must hold 0, 1 and None, at least one of them; got {table}.")
    choices = [(0, 1) if v is None else (int(v),) for v in table]
    return np.array(list(itertools.product(*choices)))


def weighted_error(prediction, y, weights=None):
    """Mean over the examples of weight * 1{prediction != y}, eq-lt-weighted (weights 1 by default).

    >>> weighted_error([1, -1, 1, 1], [1, 1, -1, 1], weights=[1, 10, 1, 1])
    2.75
    """
    prediction = check_array(prediction, name="prediction", ndim=1)
    y = check_array(y, name="y", ndim=1)
    if len(prediction) != len(y):
        raise ValueError(f"there are {len(prediction)} predictions, but {len(y)} labels; they must agree.")
    weights = _check_weights(weights, len(y))
    return float(np.mean(weights * (prediction != y)))


class SignChanges(NamedTuple):
    """A function of one variable that is ``first`` left of all ``cuts`` and changes sign at each; ``error`` is its E_in."""

    first: int
    cuts: np.ndarray
    error: float

    def predict(self, x):
        """Labels -1 and +1 of the numbers x."""
        passed = np.searchsorted(self.cuts, check_array(x, name="x", ndim=1))
        return np.where(passed % 2 == 0, self.first, -self.first)


def fit_sign_changes(x, y, max_changes, weights=None):
    """The minimizer of the (weighted) training error among the functions with at most ``max_changes`` sign changes.

    Dynamic programming over the sorted examples: cost[s][c] is the least cost of a labeling of the examples so far that
    ends with sign s after c changes. One change is allowed only between different values of x. Time n * max_changes.

    >>> fit = fit_sign_changes([1.0, 2.0, 3.0, 4.0], [1, -1, -1, 1], max_changes=2)
    >>> fit.cuts.tolist(), fit.first, fit.error
    ([1.5, 3.5], 1, 0.0)
    """
    x = check_array(x, name="x", ndim=1)
    y = check_signs(y, x).astype(int)
    weights = _check_weights(weights, len(x))
    check_number(max_changes, "max_changes", low=0, integer=True)
    values, group = np.unique(x, return_inverse=True)
    charge = np.stack([np.bincount(group, weights * (y != s), len(values)) for s in (-1, 1)])        # (2 signs, values)
    cost = np.full((2, max_changes + 1), np.inf)
    cost[:, 0] = charge[:, 0]
    came = np.zeros((len(values), 2, max_changes + 1), dtype=bool)          # did the best path change sign here?
    for j in range(1, len(values)):
        switched = np.full_like(cost, np.inf)
        switched[:, 1:] = cost[::-1, :-1]
        came[j] = switched < cost
        cost = np.where(came[j], switched, cost) + charge[:, j][:, None]
    s, c = np.unravel_index(cost.argmin(), cost.shape)
    error, cuts = cost[s, c] / len(x), []
    for j in range(len(values) - 1, 0, -1):
        if came[j, s, c]:
            cuts.append((values[j] + values[j - 1]) / 2)
            s, c = 1 - s, c - 1
    return SignChanges(2 * int(s) - 1, np.array(cuts[::-1]), float(error))


def ideal_target(probabilities, labels, measure="zero_one"):
    """The best prediction at one input when y has these probabilities, eq-lt-ideal.

    "zero_one": the most probable label; "squared": the mean; "absolute": the median.

    >>> [ideal_target([0.2, 0.7, 0.1], [1, 2, 3], m) for m in ("zero_one", "squared", "absolute")]
    [2.0, 1.9, 2.0]
    """
    p = check_array(probabilities, name="probabilities", ndim=1)
    labels = check_array(labels, name="labels", ndim=1)
    check_option(measure, "measure", ("zero_one", "squared", "absolute"))
    if len(p) != len(labels):
        raise ValueError(f"there are {len(p)} probabilities, but {len(labels)} labels; they must agree.")
    if (p < 0).any() or abs(p.sum() - 1) > 1e-9:
        raise ValueError(f"probabilities must be at least 0 and sum to 1, got {p.tolist()}.")
    if measure == "zero_one":
        return float(labels[p.argmax()])
    if measure == "squared":
        return float(np.round(p @ labels, 12))
    order = np.argsort(labels)
    return float(labels[order][np.searchsorted(np.cumsum(p[order]), 0.5 - 1e-12)])


@takes()
def acceptance_threshold(false_accept, false_reject):
    """Accept if P(y = +1 | x) is at least c_FA / (c_FA + c_FR), eq-lt-threshold: the ideal target for two costs.

    >>> round(acceptance_threshold(1, 10), 4), round(acceptance_threshold(1000, 1), 4)
    (0.0909, 0.999)
    """
    check_number(false_accept, "false_accept", low=0, open_low=True)
    check_number(false_reject, "false_reject", low=0, open_low=True)
    return false_accept / (false_accept + false_reject)


def noisy_error(disagreement, flip):
    """Error against labels flipped with probability ``flip`` of an h that disagrees with f at the rate ``disagreement``, eq-lt-noise.

    >>> round(noisy_error(0.1, 0.1), 10)
    0.18
    """
    check_number(disagreement, "disagreement", low=0, high=1)
    check_number(flip, "flip", low=0, high=1)
    return (1 - flip) * disagreement + flip * (1 - disagreement)


def _check_weights(weights, n):
    if weights is None:
        return np.ones(n)
    weights = check_array(weights, name="weights", ndim=1)
    if len(weights) != n or (weights < 0).any():
        raise ValueError(f"weights must be {n} numbers >= 0, one per example, got {len(weights)} with minimum {weights.min():g}.")
    return weights
