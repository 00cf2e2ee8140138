"""The smallest learner: one threshold on one feature, found by one sorted pass over the data."""

from typing import NamedTuple

import numpy as np

from mlcore.base import Estimator, as_array, check_array, check_fitted, check_labels, check_number


class Threshold(NamedTuple):
    """The rule "class 1 where x >= threshold" (direction 1) or "where x < threshold" (-1), and its cost in training."""

    threshold: float
    direction: int
    cost: float


def threshold_costs(x, positive, weights=None):
    """Cost of the rule "positive where x >= t" for every t that matters (eq-dt-threshold).

    Returns thresholds t (k + 1,), ascending from -inf through the midpoints between the k distinct values to inf, and the
    cost of each: the total weight of the misclassified samples.

    >>> threshold_costs([1.0, 2.0, 3.0], [False, True, True])
    (array([-inf,  1.5,  2.5,  inf]), array([1., 0., 1., 2.]))
    """
    x = check_array(x, name="x", ndim=1)
    positive = as_array(positive, "positive").astype(bool)
    if positive.ndim != 1:
        raise ValueError(f"positive must be 1-D (n_samples,), got shape {positive.shape}.")
    weights = np.ones(len(x)) if weights is None else check_array(weights, name="weights", ndim=1)
    if not len(x) == len(positive) == len(weights):
        raise ValueError(f"x, positive and weights must be equally long, got {len(x)}, {len(positive)} and {len(weights)}.")
    values, group = np.unique(x, return_inverse=True)
    # Moving t past a value loses its positives and gains its negatives.
    change = np.bincount(group, np.where(positive, weights, -weights), len(values))
    costs = weights[~positive].sum() + np.r_[0, np.cumsum(change)]
    middle = values[:-1] / 2 + values[1:] / 2
    middle = np.where(middle > values[:-1], middle, values[1:])  # neighboring floats have nothing between them
    return np.r_[-np.inf, middle, np.inf], costs


def best_threshold(x, positive, weights=None):
    """Return the cheapest threshold rule in either direction; of equal ones the lowest, "x >= t" first.

    >>> best_threshold([1.0, 2.0, 3.0, 4.0], [True, True, False, False])
    Threshold(threshold=2.5, direction=-1, cost=0.0)
    """
    t, costs = threshold_costs(x, positive, weights)
    total = costs[0] + costs[-1]  # "all positive" and "none positive" err on opposite samples, as do the two directions
    up, down = int(costs.argmin()), int(costs.argmax())
    if costs[up] <= total - costs[down]:
        return Threshold(float(t[up]), 1, float(costs[up]))
    return Threshold(float(t[down]), -1, float(total - costs[down]))


class ThresholdClassifier(Estimator):
    """Two classes told apart by one feature: the threshold with the lowest cost on the training set (eq-dt-threshold).

    Parameters
    ----------
    feature : column to look at; None tries all and keeps the cheapest
    miss_cost : what a missed second class (``classes_[1]``) costs, in units of a false alarm

    Attributes
    ----------
    classes_ : (2,);  feature_ : int;  threshold_ : float;  direction_ : 1 if large values mean ``classes_[1]``, else -1;
    cost_ : float;  n_features_ : int

    >>> model = ThresholdClassifier().fit([[5.0, 1.0], [3.0, 2.0], [4.0, 7.0], [1.0, 9.0]], ["no", "no", "yes", "yes"])
    >>> model.feature_, model.threshold_, model.predict([[0.0, 8.0]])
    (1, 4.5, array(['yes'], dtype='<U3'))
    """

    kind = "classifier"

    def __init__(self, feature=None, miss_cost=1.0):
        self.feature = feature
        self.miss_cost = miss_cost

    def fit(self, X, y):
        """Scan every threshold of the feature, or of all features."""
        X = check_array(X)
        check_number(self.miss_cost, "miss_cost", low=0, open_low=True)
        self.classes_, z = check_labels(y, X)
        if len(self.classes_) != 2:
            raise ValueError(f"a single threshold tells two classes apart, but y has {len(self.classes_)}.")
        if self.feature is not None:
            check_number(self.feature, "feature", low=0, high=X.shape[1] - 1, integer=True)
        columns = range(X.shape[1]) if self.feature is None else [self.feature]
        weights = np.where(z == 1, self.miss_cost, 1.0)
        rules = {j: best_threshold(X[:, j], z == 1, weights) for j in columns}
        self.feature_ = min(rules, key=lambda j: rules[j].cost)
        self.threshold_, self.direction_, self.cost_ = rules[self.feature_]
        self.n_features_ = X.shape[1]
        return self

    def predict(self, X):
        """Apply the rule to each row."""
        check_fitted(self, "threshold_")
        above = check_array(X, n_features=self.n_features_)[:, self.feature_] >= self.threshold_
        return self.classes_[(above == (self.direction_ == 1)).astype(int)]
