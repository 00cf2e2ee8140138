"""Many classes from two: one-vs-rest and one-vs-one around any binary classifier."""

from itertools import combinations

import numpy as np

from mlcore.base import Estimator, check_array, check_fitted, check_labels, clone
from mlcore.supervised.perceptron.estimators import AveragedPerceptron


class _Reduction(Estimator):
    """What the two wrappers share: the base model, its copies, and the score of a binary model."""

    kind = "classifier"

    def __init__(self, estimator=None):
        self.estimator = estimator

    def _prepare(self, X, y):
        X = check_array(X)
        classes, index = check_labels(y, X)
        base = AveragedPerceptron() if self.estimator is None else self.estimator
        missing = [name for name in ("fit", "predict", "get_params") if not hasattr(base, name)]
        if missing or isinstance(base, type):
            raise ValueError(f"estimator must be a binary classifier object with fit, predict and get_params, got {base!r}.")
        self.classes_, self.n_features_ = classes, X.shape[1]
        return X, index, base

    def _check(self, X):
        check_fitted(self, "estimators_")
        return check_array(X, n_features=self.n_features_)

    def predict(self, X):
        """The class with the largest score; of equal ones the first."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return self.classes_[(scores > 0).astype(int)]
        return self.classes_[scores.argmax(axis=1)]


class OneVsRest(_Reduction):
    """One binary model per class, "this class" (+1) against "all others" (-1); the largest score wins (eq-pc-ovr).

    Parameters
    ----------
    estimator : any classifier of labels -1, +1 with ``fit`` and ``predict``; a copy is fitted per class. None means
        ``AveragedPerceptron()``, since one class against the rest is seldom separable. Scores are its
        ``decision_function``, else P(+1) - 1/2 from ``predict_proba``, else the predicted label itself.

    Attributes
    ----------
    classes_ : (k,) labels;  estimators_ : k fitted models, or a single one for two classes

    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [5.0, 0.0], [6.0, 1.0], [0.0, 5.0], [1.0, 6.0]])
    >>> model = OneVsRest().fit(X, ["a", "a", "b", "b", "c", "c"])
    >>> model.predict([[0.0, 6.0], [6.0, 0.0]]), model.decision_function(X).shape
    (array(['c', 'b'], dtype='<U1'), (6, 3))
    """

    def fit(self, X, y):
        """Fit one copy of the base model for each class."""
        X, index, base = self._prepare(X, y)
        k = len(self.classes_)
        positives = [1] if k == 2 else range(k)
        self.estimators_ = [clone(base).fit(X, np.where(index == c, 1, -1)) for c in positives]
        return self

    def decision_function(self, X):
        """Scores (n, k), one column per class; with two classes (n,), positive for the second."""
        X = self._check(X)
        scores = np.column_stack([binary_score(model, X) for model in self.estimators_])
        return scores[:, 0] if len(self.classes_) == 2 else scores


class OneVsOne(_Reduction):
    """One binary model per pair of classes, earlier (-1) against later (+1); the class with most votes wins (eq-pc-ovo).

    Equal votes are decided by the sum of the scores of the duels, squeezed into (-1/3, 1/3) so that they never outweigh a vote.

    Parameters
    ----------
    estimator : as in :class:`OneVsRest`; a copy is fitted for each of the k (k - 1) / 2 pairs, on their examples only

    Attributes
    ----------
    classes_ : (k,) labels;  pairs_ : the pairs of class numbers;  estimators_ : their fitted models

    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [5.0, 0.0], [6.0, 1.0], [0.0, 5.0], [1.0, 6.0]])
    >>> model = OneVsOne().fit(X, [0, 0, 1, 1, 2, 2])
    >>> model.pairs_, model.predict(X), model.votes(X[:1])
    ([(0, 1), (0, 2), (1, 2)], array([0, 0, 1, 1, 2, 2]), array([[2, 1, 0]]))
    """

    def fit(self, X, y):
        """Fit one copy of the base model for each pair of classes."""
        X, index, base = self._prepare(X, y)
        self.pairs_ = list(combinations(range(len(self.classes_)), 2))
        self.estimators_ = []
        for a, b in self.pairs_:
            rows = (index == a) | (index == b)
            self.estimators_.append(clone(base).fit(X[rows], np.where(index[rows] == b, 1, -1)))
        return self

    def votes(self, X):
        """Duels won by each class, (n, k); each row sums to k (k - 1) / 2."""
        X = self._check(X)
        votes = np.zeros((len(X), len(self.classes_)), int)
        for (a, b), model in zip(self.pairs_, self.estimators_):
            later = model.predict(X) == 1
            votes[:, b] += later
            votes[:, a] += ~later
        return votes

    def decision_function(self, X):
        """Votes plus squeezed scores (n, k); with two classes (n,), the score of the only duel."""
        X = self._check(X)
        scores = [binary_score(model, X) for model in self.estimators_]
        if len(self.classes_) == 2:
            return scores[0]
        total = np.zeros((len(X), len(self.classes_)))
        for (a, b), score in zip(self.pairs_, scores):
            total[:, b] += score
            total[:, a] -= score
        return self.votes(X) + total / (3 * (np.abs(total) + 1))


def binary_score(model, X):
    """Score of a binary model, positive for +1: its decision function, else P(+1) - 1/2, else its label."""
    if not hasattr(model, "predict"):
        raise TypeError(f"model must be a fitted classifier, got {model!r}.")
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X), float)
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X), float)[:, 1] - 0.5
    return np.asarray(model.predict(X), float)
