"""Naive Bayes for features with any finite set of values, numbers or text."""

import numpy as np

from mlcore.base import as_array, check_array, check_fitted, check_items, check_number, label_array
from mlcore.supervised.generative_learning.bayes import _Generative
from mlcore.supervised.generative_learning.naive_bayes import _log, laplace_smooth

SMALL_RANGE = 4096  # integer columns within this range are counted instead of sorted


def check_table(X, n_features=None):
    """A table of categories: numbers (finite) or text, one row per example."""
    table = as_array(X, "X")
    if table.dtype.kind == "O" and table.size and all(isinstance(v, str) for v in table.flat):
        table = table.astype(str)
    if table.dtype.kind != "U":
        return check_array(table, n_features=n_features)
    if table.ndim != 2 or 0 in table.shape:
        raise ValueError(f"X must be 2-D (n_samples, n_features) and not empty, got shape {table.shape}.")
    if n_features is not None and table.shape[1] != n_features:
        raise ValueError(f"X has {table.shape[1]} features, but this model was fitted with {n_features}.")
    return table


def find_categories(column):
    """Sorted distinct values of a column; small integers are found by counting, which needs no sort."""
    if column.dtype.kind == "f":
        low, high = column.min(), column.max()
        if high - low < SMALL_RANGE and (column == np.rint(column)).all():
            return np.flatnonzero(np.bincount((column - low).astype(np.intp))) + low
    return np.unique(column)


def encode(column, categories, j):
    """Position of every value of feature ``j`` in the sorted categories; a value that is not there is refused."""
    codes = np.minimum(np.searchsorted(categories, column), len(categories) - 1)
    unseen = categories[codes] != column
    if unseen.any():
        known = ", ".join(map(str, categories[:8].tolist())) + (", ..." if len(categories) > 8 else "")
        raise ValueError(f"feature {j} has the value {column[unseen][0]} in row {np.flatnonzero(unseen)[0]}, which is none of its "
                         f"categories ({known}); list all possible values in categories=.")
    return codes


class CategoricalNB(_Generative):
    """Naive Bayes with one table of probabilities p(x_j = v | y = c) per feature (eq-ge-categorical).

    Parameters
    ----------
    alpha : pseudo-count of each value of each feature (eq-ge-laplace); 0 is maximum likelihood
    categories : list of the possible values of each feature; None takes those seen in ``fit``. A value that is not among
        them is refused; one that is listed but never seen gets its probability from alpha
    priors : class probabilities in the order of the sorted labels; None takes the frequencies

    Attributes
    ----------
    classes_ : (k,);  priors_ : (k,);  categories_ : the sorted values of each feature;
    probabilities_ : for each feature an array (k, number of values)

    >>> model = CategoricalNB().fit([["sun"], ["sun"], ["rain"]], ["out", "out", "in"])
    >>> model.categories_[0], model.probabilities_[0].round(3)
    (array(['rain', 'sun'], dtype='<U4'), array([[0.667, 0.333],
           [0.25 , 0.75 ]]))
    """

    def __init__(self, alpha=1.0, categories=None, priors=None):
        self.alpha = alpha
        self.categories = categories
        self.priors = priors

    def fit(self, X, y):
        """Count the values of every feature in every class."""
        check_number(self.alpha, "alpha", low=0)
        X = check_table(X)
        index, sizes = self._fit_classes(X, y)
        if self.categories is None:
            self.categories_ = [find_categories(column) for column in X.T]
        else:
            if hasattr(self.categories, "__len__") and not isinstance(self.categories, str) and len(self.categories) != X.shape[1]:
                raise ValueError(f"categories has {len(self.categories)} lists, but X has {X.shape[1]} features; they must agree.")
            lists = check_items(self.categories, "categories", X.shape[1])
            self.categories_ = [np.unique(label_array(values, f"categories[{j}]")) for j, values in enumerate(lists)]
        self.probabilities_ = []
        for j, (column, values) in enumerate(zip(X.T, self.categories_)):
            cells = index * len(values) + encode(column, values, j)
            table = np.bincount(cells, minlength=len(sizes) * len(values)).reshape(len(sizes), len(values))
            self.probabilities_.append(laplace_smooth(table, self.alpha))
        return self

    def log_joint(self, X):
        """Log p(x | y = c) p(y = c), one column per class."""
        check_fitted(self, "priors_")
        X = check_table(X, len(self.categories_))
        joint = np.tile(np.log(self.priors_), (len(X), 1))
        for j, (column, values, table) in enumerate(zip(X.T, self.categories_, self.probabilities_)):
            joint += _log(table).T[encode(column, values, j)]  # (values, k) looked up by code -> (n, k)
        return joint
