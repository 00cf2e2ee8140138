"""Error measures of a linear classifier as functions of the margin m = y s, with y = -1 or +1 and the score s (eq-lg-errors)."""

import numpy as np

from mlcore.foundations.mathematics import log_sigmoid
from mlcore.takes import takes


@takes(m="any ...")
def zero_one_error(m):
    """1 where the sign is wrong; a score of 0 counts as wrong.

    >>> zero_one_error([-1.0, 0.0, 2.0])
    array([1., 1., 0.])
    """
    return np.where(np.isnan(m), np.nan, m <= 0)[()]


@takes(m="any ...")
def squared_error(m):
    """(m - 1)^2, which is (s - y)^2 because y^2 = 1."""
    return (m - 1) ** 2


def cross_entropy_error(m):
    """log(1 + e^-m), natural logarithm."""
    return -log_sigmoid(m)


def scaled_cross_entropy_error(m):
    """log2(1 + e^-m): the cross-entropy in bits, 1 at m = 0.

    >>> float(scaled_cross_entropy_error(0.0))
    1.0
    """
    return cross_entropy_error(m) / np.log(2)


@takes(m="any ...")
def hinge_error(m):
    """max(0, 1 - m), the error of the support vector machine."""
    return np.maximum(0.0, 1 - m)


@takes(m="any ...")
def perceptron_error(m):
    """max(0, -m), whose descent is the perceptron rule."""
    return np.maximum(0.0, -m) + 0.0  # not -0.0
