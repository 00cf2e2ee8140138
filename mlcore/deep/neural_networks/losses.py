"""Losses: mean over a batch of a loss per example, as a tensor to be differentiated."""

import numpy as np

from mlcore.base import as_array, check_option
from mlcore.deep.backpropagation import Tensor, as_tensor, log_softmax, record
from mlcore.deep.neural_networks.by_hand import targets_like
from mlcore.foundations.mathematics import sigmoid


def squared_loss(outputs, y):
    """Mean over the examples of |h - y|^2 / 2 (eq-nn-squared).

    >>> squared_loss(Tensor(np.array([[1.0], [4.0]])), [0.0, 2.0]).data.round(3)
    np.float64(1.25)
    """
    outputs = as_tensor(outputs)
    difference = outputs - Tensor(targets_like(outputs, y))
    return (difference * difference).sum() * (0.5 / len(outputs.data))


def logistic_loss(logits, y):
    """Mean of log(1 + e^t) - y t for logits t and labels y in {0, 1} (eq-nn-logistic).

    >>> logistic_loss(Tensor(np.zeros((2, 1))), [0, 1]).data.round(4)
    np.float64(0.6931)
    """
    logits = as_tensor(logits)
    y = targets_like(logits, y)
    if ((y != 0) & (y != 1)).any():
        raise ValueError(f"y must hold labels 0 and 1, got {np.unique(y)[:5]}.")
    t = logits.data
    value = (np.logaddexp(0.0, t) - y * t).sum() / len(y)
    return record(value, (logits, lambda g: g * (sigmoid(t) - y) / len(y)))


def cross_entropy(logits, y):
    """Mean of -log softmax(t)_y for rows of logits t and class numbers y (eq-nn-cross-entropy).

    >>> cross_entropy(Tensor(np.zeros((2, 4))), [0, 3]).data.round(4)
    np.float64(1.3863)
    """
    logits = as_tensor(logits)
    if logits.ndim != 2:
        raise ValueError(f"logits must have shape (n, k), one row per example, got {logits.shape}.")
    n, k = logits.shape
    y = as_array(y, "y")
    if y.shape != (n,) or y.dtype.kind not in "iu":
        raise ValueError(f"y must hold {n} class numbers, one per row of the logits, got {y.dtype} of shape {y.shape}.")
    if y.min() < 0 or y.max() >= k:
        raise ValueError(f"y must be in 0..{k - 1}, since there are {k} logits, got values from {y.min()} to {y.max()}.")
    return log_softmax(logits, axis=1)[np.arange(n), y].sum() * (-1.0 / n)


LOSS_FUNCTIONS = {"squared": squared_loss, "logistic": logistic_loss, "cross_entropy": cross_entropy}


def loss_function(loss):
    """A loss by name; a function of (outputs, y) is returned as it is."""
    return loss if callable(loss) else LOSS_FUNCTIONS[check_option(loss, "loss", tuple(LOSS_FUNCTIONS))]

