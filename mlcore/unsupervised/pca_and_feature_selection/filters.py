"""Filter methods: score each feature by itself, keep the best."""

from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc

from mlcore.base import Estimator, check_array, check_fitted, check_labels, check_number, check_option, check_X_y
from mlcore.foundations.mathematics import mutual_information
from mlcore.foundations.mathematics.correlation import column_correlations
from mlcore.unsupervised.k_means import contingency


class ChiSquare(NamedTuple):
    """Result of a chi-square test; ``expected`` are the counts under independence."""

    statistic: float
    freedom: int
    p_value: float
    expected: np.ndarray


def chi_square_table(observed):
    """Pearson's chi-square test of independence in a table of counts, without continuity correction (eq-pca-chi).

    >>> test = chi_square_table([[42, 168], [23, 267]])
    >>> round(test.statistic, 4), test.freedom
    (15.6865, 1)
    """
    counts = _check_counts(observed, "observed")
    if min(counts.shape) < 2:
        raise ValueError(f"a test of independence needs at least 2 rows and 2 columns, got shape {counts.shape}.")
    if (counts.sum(axis=0) == 0).any() or (counts.sum(axis=1) == 0).any():
        raise ValueError("observed has a row or a column of zeros, whose expected counts are zero; leave it out.")
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    statistic, freedom = float(((counts - expected) ** 2 / expected).sum()), (counts.shape[0] - 1) * (counts.shape[1] - 1)
    return ChiSquare(statistic, freedom, float(chdtrc(freedom, statistic)), expected)


def chi_square_features(X, y):
    """Chi-square of the table of each discrete feature against the classes: the definition of the notes (eq-pca-chi).

    The values of a feature are names, their size does not matter. A constant feature scores 0, with p-value 1.

    Returns
    -------
    statistics, p_values : (d,)
    """
    X = check_array(X)
    check_labels(y, X)
    tables = [contingency(column, y) for column in X.T]
    tests = [chi_square_table(t)[:3] if len(t) > 1 else (0.0, 0, 1.0) for t in tables]
    return np.array([t[0] for t in tests]), np.array([t[2] for t in tests])


def chi_square_counts(X, y):
    """Chi-square of the totals of each feature over the classes against their share of samples (eq-pca-counts).

    This is the definition of scikit-learn's ``chi2``: the columns are counts (of words, say), and a 0 adds nothing. A
    feature that is zero everywhere scores 0, with p-value 1.

    Returns
    -------
    statistics, p_values : (d,)
    """
    X = _check_counts(X, "X")
    classes, index = check_labels(y, X)
    member = (index == np.arange(len(classes))[:, None]).astype(float)  # (k, n)
    totals = member @ X  # (k, d)
    expected = np.outer(member.mean(axis=1), X.sum(axis=0))
    statistics = np.divide((totals - expected) ** 2, expected, out=np.zeros_like(expected), where=expected > 0).sum(axis=0)
    return statistics, chdtrc(len(classes) - 1, statistics)


def _check_counts(X, name):
    X = check_array(X, name=name)
    if (X < 0).any():
        i, j = np.argwhere(X < 0)[0]
        raise ValueError(f"{name}[{i}, {j}] is {X[i, j]:.6g}; a chi-square test needs counts, which are not negative.")
    return X


def correlations(X, y):
    """Pearson's correlation of each column with a numeric target (eq-pca-pearson); 0 for a constant column.

    >>> correlations([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]], [2.0, 4.0, 6.0])
    array([1., 0.])
    """
    X, y = check_X_y(X, y, min_samples=2)
    if np.ptp(y) == 0:
        raise ValueError("y is constant; a correlation with it is not defined.")
    return column_correlations(X, y)


def mutual_information_scores(X, y):
    """Mutual information, in nats, of each discrete feature with the classes.

    >>> mutual_information_scores([[0, 1], [0, 0], [1, 1], [1, 0]], ["a", "a", "b", "b"]).round(4)
    array([0.6931, 0.    ])
    """
    X = check_array(X)
    check_labels(y, X)
    return np.array([mutual_information(contingency(column, y) / len(X)) for column in X.T])


class _Selector(Estimator):
    """A transformer that keeps the columns of its mask ``support_``."""

    kind = "transformer"

    def transform(self, X):
        """The kept columns."""
        check_fitted(self, "support_")
        return check_array(X, n_features=len(self.support_))[:, self.support_]

    def fit_transform(self, X, y=None):
        """Fit, then transform the same rows."""
        return self.fit(X, y).transform(X)


class VarianceFilter(_Selector):
    """Keep the columns whose variance (divisor n) is larger than ``threshold``; y is not used.

    Attributes
    ----------
    variances_ : (d,)
    support_ : (d,) which columns are kept

    >>> VarianceFilter().fit_transform([[1.0, 7.0], [2.0, 7.0]])
    array([[1.],
           [2.]])
    """

    def __init__(self, threshold=0.0):
        self.threshold = threshold

    def fit(self, X, y=None):
        """Measure the variances."""
        X = check_array(X)
        check_number(self.threshold, "threshold", low=0)
        # the range tells a constant column from rounding in its mean
        self.variances_ = np.where(np.ptp(X, axis=0) == 0, 0.0, X.var(axis=0))
        self.support_ = self.variances_ > self.threshold
        if not self.support_.any():
            raise ValueError(f"no feature has a variance above threshold={self.threshold}; the largest is {self.variances_.max():.6g}.")
        return self


SCORES = {
    "correlation": lambda X, y: np.abs(correlations(X, y)),
    "chi_square": lambda X, y: chi_square_features(X, y)[0],
    "chi_square_counts": lambda X, y: chi_square_counts(X, y)[0],
    "mutual_information": mutual_information_scores,
}


class SelectBest(_Selector):
    """Keep the k features with the largest scores; of equal ones the first.

    Parameters
    ----------
    k : number of features to keep
    score : "correlation" (its size, for a numeric y), "chi_square", "chi_square_counts" or "mutual_information" (for classes)

    Attributes
    ----------
    scores_ : (d,)
    support_ : (d,) which columns are kept

    >>> SelectBest(1).fit([[1, 9], [2, 3], [3, 5]], [3.0, 2.0, 1.0]).support_
    array([ True, False])
    """

    def __init__(self, k=1, score="correlation"):
        self.k = k
        self.score = score

    def fit(self, X, y):
        """Score the features."""
        check_option(self.score, "score", tuple(SCORES))
        X = check_array(X)
        check_number(self.k, "k", low=1, high=X.shape[1], integer=True)
        self.scores_ = SCORES[self.score](X, y)
        self.support_ = np.zeros(X.shape[1], dtype=bool)
        self.support_[np.argsort(-self.scores_, kind="stable")[: self.k]] = True
        return self
