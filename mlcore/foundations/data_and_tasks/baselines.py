"""The predictors that any model must beat: they look at the targets and never at the features."""

import numpy as np

from mlcore.base import Estimator, check_array, check_fitted, check_labels, check_option, check_X_y


class ConstantRegressor(Estimator):
    """Predict one number for everybody: the mean or the median of the training targets (thm-dt-center).

    Attributes
    ----------
    constant_ : the number;  n_features_ : int

    >>> ConstantRegressor().fit([[0.0], [0.0], [0.0]], [1.0, 2.0, 6.0]).predict([[5.0]])
    array([3.])
    >>> ConstantRegressor("median").fit([[0.0], [0.0], [0.0]], [1.0, 2.0, 6.0]).predict([[5.0]])
    array([2.])
    """

    def __init__(self, statistic="mean"):
        self.statistic = statistic

    def fit(self, X, y):
        """Learn the constant from y; X only fixes the number of features."""
        check_option(self.statistic, "statistic", ("mean", "median"))
        X, y = check_X_y(X, y)
        self.constant_ = float(np.mean(y) if self.statistic == "mean" else np.median(y))
        self.n_features_ = X.shape[1]
        return self

    def predict(self, X):
        """Return the constant once for every row."""
        check_fitted(self, "constant_")
        return np.full(len(check_array(X, n_features=self.n_features_)), self.constant_)


class MajorityClassifier(Estimator):
    """Predict the most frequent class of the training labels; of equally frequent ones the first in order.

    Attributes
    ----------
    classes_ : (k,) sorted labels;  majority_ : the label;  n_features_ : int

    >>> MajorityClassifier().fit([[1.0], [2.0], [3.0]], ["b", "a", "b"]).predict([[1.0]])
    array(['b'], dtype='<U1')
    """

    kind = "classifier"

    def fit(self, X, y):
        """Count the labels; X only fixes the number of features."""
        X = check_array(X)
        self.classes_, z = check_labels(y, X, min_classes=1)
        self.majority_ = self.classes_[np.bincount(z).argmax()]
        self.n_features_ = X.shape[1]
        return self

    def predict(self, X):
        """Return the majority label once for every row."""
        check_fitted(self, "majority_")
        return np.full(len(check_array(X, n_features=self.n_features_)), self.majority_)
