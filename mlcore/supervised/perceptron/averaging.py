"""Voted and averaged perceptrons: what the weights were along the way, not only where they ended."""

import numpy as np

from mlcore.base import check_array, check_signs
from mlcore.supervised.perceptron.learning import check_run, weight_path
from mlcore.takes import takes


@takes(run=check_run)
def survival_counts(run, n_visits=None):
    """How many visits each of the K + 1 weight vectors of a run was in force, counted after the visit (eq-pc-survival).

    ``n_visits`` may exceed that of the run: passes without a mistake that were not carried out add to the last vector.

    >>> from mlcore.supervised.perceptron.learning import perceptron
    >>> survival_counts(perceptron([[1.0, 2.0], [1.0, 0.0], [1.0, 1.0]], [1, -1, 1]))
    array([0, 1, 3, 5])
    """
    n_visits = run.n_visits if n_visits is None else n_visits
    return np.diff(np.concatenate([[0], run.times, [n_visits]]))


@takes(X="n p", weights="k p", counts="k")
def voted_scores(X, weights, counts):
    """Sum of c_k sgn(w_k . x) for each row of X, divided by the sum of the counts (eq-pc-voted)."""
    return np.sign(X @ weights.T) @ counts / counts.sum()


@takes(run=check_run)
def averaged_weights(run, X, y, n_visits=None):
    """Mean of the weights after each visit, w - u / c with u the sum of (visits before the update) y x (eq-pc-lazy).

    The run must have started from zero with step 1. No vector but the result is stored.
    """
    X = check_array(X)
    y = check_signs(y, X)
    n_visits = run.n_visits if n_visits is None else n_visits
    return run.w - (run.times * y[run.rows]) @ X[run.rows] / n_visits


@takes(run=check_run)
def brute_force_average(run, X, y, n_visits=None):
    """The same mean by its definition: all weight vectors, weighted with their survival counts (eq-pc-average)."""
    return np.average(weight_path(run, X, y), axis=0, weights=survival_counts(run, n_visits))
