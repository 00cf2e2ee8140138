"""All thresholds at once: the ROC curve of a score and the area below it."""

from typing import NamedTuple

import numpy as np

from mlcore.base import check_array, label_array


class RocCurve(NamedTuple):
    """Rates of "positive where score >= threshold", thresholds descending from inf (nobody flagged) to the lowest score."""

    false_positive_rate: np.ndarray
    true_positive_rate: np.ndarray
    thresholds: np.ndarray


def roc_curve(y, score, positive=1):
    """Both rates at every distinct score (eq-dt-roc).

    >>> curve = roc_curve([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9])
    >>> curve.false_positive_rate, curve.true_positive_rate
    (array([0. , 0. , 0.5, 0.5, 1. ]), array([0. , 0.5, 0.5, 1. , 1. ]))
    """
    truth, score = _check(y, score, positive)
    values, group = np.unique(score, return_inverse=True)
    hits, alarms = (np.bincount(group[rows], minlength=len(values))[::-1].cumsum() for rows in (truth, ~truth))
    return RocCurve(np.r_[0, alarms] / alarms[-1], np.r_[0, hits] / hits[-1], np.r_[np.inf, values[::-1]])


def auc(y, score, positive=1):
    """Share of the pairs (positive, negative) that the score puts in order, ties counting half (thm-dt-auc).

    It is computed from the ranks of the positives in one sort, and equals the area below :func:`roc_curve`.

    >>> auc([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9])
    0.75
    """
    truth, score = _check(y, score, positive)
    _, group, counts = np.unique(score, return_inverse=True, return_counts=True)
    ranks = (counts.cumsum() - (counts - 1) / 2)[group]  # 1-based; equal scores share the mean of their ranks
    n_pos, n_neg = int(truth.sum()), int((~truth).sum())
    # A positive outranks all negatives below it and all positives below it; the latter are the same in every order.
    return float((ranks[truth].sum() - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg))


def _check(y, score, positive):
    score = check_array(score, name="score", ndim=1)
    y = label_array(y)
    if y.shape != score.shape:
        raise ValueError(f"y has shape {y.shape}, but score has {score.shape}; one score per label is needed.")
    if np.ndim(positive):
        raise ValueError(f"positive must be one label, got {positive!r}.")
    truth = y == positive
    if truth.all() or not truth.any():
        present = ", ".join(map(repr, np.unique(y).tolist()))
        raise ValueError(f"both classes are needed to rank them; positive={positive!r}, and y holds only {present}.")
    return truth, score
