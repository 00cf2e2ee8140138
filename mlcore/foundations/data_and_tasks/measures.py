"""How wrong is a prediction? Errors of numbers, and the ways in which a label can be wrong."""

from typing import NamedTuple

import numpy as np

from mlcore.base import check_array, check_number, label_array
from mlcore.takes import takes


def mean_squared_error(y, prediction):
    """Mean of (y - prediction)^2 (eq-dt-mse).

    >>> mean_squared_error([1.0, 2.0], [1.0, 5.0])
    4.5
    """
    y, prediction = _numbers(y, prediction)
    return float(np.mean((y - prediction) ** 2))


def mean_absolute_error(y, prediction):
    """Mean of |y - prediction| (eq-dt-mse).

    >>> mean_absolute_error([1.0, 2.0], [1.0, 5.0])
    1.5
    """
    y, prediction = _numbers(y, prediction)
    return float(np.mean(np.abs(y - prediction)))


def accuracy(y, prediction):
    """Share of the labels that are right.

    >>> accuracy(["a", "b", "b", "a"], ["a", "b", "a", "a"])
    0.75
    """
    y, prediction = _labels(y, prediction)
    return float(np.mean(y == prediction))


def confusion_matrix(y, prediction, labels=None):
    """Count pairs: entry (i, j) is how often class i was taken for class j.

    ``labels`` fixes the classes and their order; by default all that occur, sorted.

    >>> confusion_matrix([0, 0, 1, 1, 1], [0, 1, 1, 1, 0])
    array([[1, 1],
           [1, 2]])
    """
    y, prediction = _labels(y, prediction)
    classes = np.unique(np.concatenate([y, prediction])) if labels is None else np.asarray(labels)
    if len(np.unique(classes)) != len(classes):
        raise ValueError("labels must not repeat.")
    k, order = len(classes), np.argsort(classes)
    found = [order[np.searchsorted(classes, a, sorter=order).clip(max=k - 1)] for a in (y, prediction)]
    for a, position in zip((y, prediction), found):
        if (unknown := classes[position] != a).any():
            raise ValueError(f"label {a[unknown][0].item()!r} occurs but is not among labels.")
    return np.bincount(found[0] * k + found[1], minlength=k * k).reshape(k, k)


class BinaryCounts(NamedTuple):
    """Outcomes for one class of interest: true and false positives, false and true negatives."""

    tp: int
    fp: int
    fn: int
    tn: int


def binary_counts(y, prediction, positive=1):
    """Count hits, false alarms, misses and correct rejections of the class ``positive``.

    >>> binary_counts([1, 1, 1, 0, 0], [1, 1, 0, 1, 0])
    BinaryCounts(tp=2, fp=1, fn=1, tn=1)
    """
    y, prediction = _labels(y, prediction)
    present = np.unique(np.concatenate([y, prediction]))
    if len(present) > 1 and positive not in present.tolist():
        raise ValueError(f"no label is {positive!r}; the labels are {', '.join(map(repr, present.tolist()))}. "
                         "Name the class of interest by positive=...")
    truth, flagged = y == positive, prediction == positive
    return BinaryCounts(*(int(np.sum(a & b)) for a, b in ((truth, flagged), (~truth, flagged), (truth, ~flagged), (~truth, ~flagged))))


def precision(y, prediction, positive=1):
    """Share of the flagged that are positive, tp / (tp + fp) (eq-dt-rates); NaN if none is flagged."""
    n = binary_counts(y, prediction, positive)
    return _ratio(n.tp, n.tp + n.fp)


def recall(y, prediction, positive=1):
    """Share of the positives that are flagged, tp / (tp + fn) (eq-dt-rates); NaN if there are none."""
    n = binary_counts(y, prediction, positive)
    return _ratio(n.tp, n.tp + n.fn)


def f1(y, prediction, positive=1):
    """Harmonic mean of precision and recall (eq-dt-f1); NaN if no row is or is called positive.

    >>> f1([1, 1, 1, 0, 0], [1, 1, 0, 1, 0])
    0.6666666666666666
    """
    n = binary_counts(y, prediction, positive)
    return _ratio(2 * n.tp, 2 * n.tp + n.fp + n.fn)


@takes()
def precision_from_rates(true_positive_rate, false_positive_rate, prevalence):
    """Precision of a test with the given rates where a share ``prevalence`` is positive (eq-dt-bayes).

    >>> round(precision_from_rates(0.9, 0.1, 0.01), 4)
    0.0833
    """
    rates = [check_number(value, name, low=0, high=1) for value, name in (
        (true_positive_rate, "true_positive_rate"), (false_positive_rate, "false_positive_rate"), (prevalence, "prevalence"))]
    hits, alarms = rates[0] * rates[2], rates[1] * (1 - rates[2])
    return _ratio(hits, hits + alarms)


def _ratio(a, b):
    return float(a / b) if b else float("nan")


def _numbers(y, prediction):
    y, prediction = (check_array(a, name=name, ndim=1) for a, name in ((y, "y"), (prediction, "prediction")))
    _same_length(y, prediction)
    return y, prediction


def _labels(y, prediction):
    """Two label arrays of one length; labels that cannot be compared (text with numbers) are refused."""
    y, prediction = label_array(y), label_array(prediction, "prediction")
    _same_length(y, prediction)
    if (y.dtype.kind in "US") != (prediction.dtype.kind in "US"):
        raise ValueError(f"y holds {y.dtype} and prediction {prediction.dtype}; text and numbers cannot be compared.")
    return y, prediction


def _same_length(y, prediction):
    if len(y) != len(prediction):
        raise ValueError(f"y has {len(y)} values, but prediction has {len(prediction)}; they must agree.")
    if len(y) == 0:
        raise ValueError("there are no samples to measure an error on.")
