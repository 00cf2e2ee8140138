"""Does "80 percent" happen 80 times in 100? Reliability diagrams and their summary numbers."""

from typing import NamedTuple

import numpy as np

from mlcore.base import check_array, check_number


class Reliability(NamedTuple):
    """Non-empty bins of a reliability diagram: mean forecast, observed frequency, number of examples in each."""

    forecast: np.ndarray
    frequency: np.ndarray
    counts: np.ndarray

    @property
    def error(self):
        """Expected calibration error: mean of |frequency - forecast| over the examples (eq-lg-ece)."""
        return float(np.average(np.abs(self.frequency - self.forecast), weights=self.counts))


def reliability(y, p, n_bins=10):
    """Compare forecasts ``p`` with outcomes ``y`` (0 or 1) in ``n_bins`` bins of equal width (eq-lg-ece).

    >>> diagram = reliability([0, 0, 1, 1], [0.1, 0.15, 0.15, 0.8], n_bins=5)
    >>> diagram.counts, diagram.frequency.round(3), round(diagram.error, 3)
    (array([3, 1]), array([0.333, 1.   ]), 0.2)
    """
    y, p = _outcomes(y, p)
    check_number(n_bins, "n_bins", low=1, integer=True)
    # Bins [0, 1/b], (1/b, 2/b], ...: right ends included, as scikit-learn has it.
    bins = np.searchsorted(np.linspace(0, 1, n_bins + 1)[1:-1], p)
    counts = np.bincount(bins, minlength=n_bins)
    kept = counts > 0
    forecast, frequency = (np.bincount(bins, weights=v, minlength=n_bins)[kept] / counts[kept] for v in (p, y))
    return Reliability(forecast, frequency, counts[kept])


def brier_score(y, p):
    """Mean squared difference of forecast and outcome.

    >>> round(brier_score([1, 0], [0.8, 0.4]), 6)
    0.1
    """
    y, p = _outcomes(y, p)
    return float(np.mean((p - y) ** 2))


def _outcomes(y, p):
    p, y = check_array(p, name="p", ndim=1), check_array(y, name="y", ndim=1)
    if y.shape != p.shape:
        raise ValueError(f"y has {len(y)} outcomes, but p has {len(p)} forecasts; they must agree.")
    if not np.isin(y, (0, 1)).all():
        raise ValueError(f"y must hold outcomes 0 and 1, got {np.unique(y)[:5]}.")
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError("p must hold probabilities between 0 and 1.")
    return y, p
