"""Perceptron, PocketPerceptron, VotedPerceptron, AveragedPerceptron for two classes, MulticlassPerceptron for any number."""

import numpy as np

from mlcore.base import Estimator, check_array, check_fitted, check_flags, check_labels, check_number, check_rng, warn_not_converged
from mlcore.supervised.linear_regression import add_intercept
from mlcore.supervised.perceptron.averaging import averaged_weights, survival_counts, voted_scores
from mlcore.supervised.perceptron.learning import perceptron, weight_path
from mlcore.supervised.perceptron.multiclass import multiclass_perceptron
from mlcore.supervised.perceptron.pocket import pocket


class _Linear(Estimator):
    """What all share: checked data with a column of ones, and prediction by the sign or the largest score."""

    kind = "classifier"

    def _prepare(self, X, y, binary=True):
        check_number(self.max_iter, "max_iter", low=1, integer=True)
        X = check_array(X)
        classes, index = check_labels(y, X)
        if binary and len(classes) != 2:
            raise ValueError(f"y has {len(classes)} classes; {type(self).__name__} takes two. For more use MulticlassPerceptron, "
                             f"OneVsRest or OneVsOne.")
        self.classes_ = classes
        return (add_intercept(X) if self.fit_intercept else X), index

    def _split(self, w):
        """Store the weights as slopes and intercept."""
        self.coef_ = w[..., int(self.fit_intercept):]
        self.intercept_ = w[..., 0] if self.fit_intercept else np.zeros(w.shape[:-1])
        if w.ndim == 1:
            self.intercept_ = float(self.intercept_)

    def _visits(self):
        return "shuffled" if self.shuffle else "cyclic"

    def decision_function(self, X):
        """The score w . x + b, positive for the second class (n,); for many classes one column for each (n, k)."""
        check_fitted(self, "coef_")
        return check_array(X, n_features=self.coef_.shape[-1]) @ self.coef_.T + self.intercept_

    def predict(self, X):
        """The second class where the score is positive, else the first."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int)]


class Perceptron(_Linear):
    """The perceptron of two classes: w <- w + y x at each mistake, until a pass makes none (eq-pc-update).

    Parameters
    ----------
    fit_intercept : add a bias, that is, a feature that is always 1
    shuffle : visit in a new random order in each pass (``random_state``), else in the order of the rows
    max_iter : largest number of passes; reaching it warns, since on data that are not separable the rule never rests

    Attributes
    ----------
    coef_ : (d,);  intercept_ : float;  classes_ : the two labels, the second is +1;  n_updates_
    history_ : mistakes in each pass;  n_iter_ : passes;  converged_ : whether the last pass made no mistake

    >>> model = Perceptron().fit([[1.0], [2.0], [4.0], [5.0]], ["no", "no", "yes", "yes"])
    >>> model.predict([[0.0], [6.0]]), model.converged_
    (array(['no', 'yes'], dtype='<U3'), True)
    """

    def __init__(self, fit_intercept=True, shuffle=False, max_iter=1000, random_state=None):
        self.fit_intercept = fit_intercept
        self.shuffle = shuffle
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X, y):
        """Learn from labels of any type, of which there must be exactly two."""
        check_flags(self)
        rng = check_rng(self.random_state)
        X, index = self._prepare(X, y)
        signs = 2.0 * index - 1
        run = perceptron(X, signs, visits=self._visits(), max_passes=self.max_iter, rng=rng)
        self.history_, self.n_iter_, self.converged_ = run.mistakes, len(run.mistakes), run.converged
        self.n_updates_ = len(run.rows)
        self._keep(run, X, signs)
        return self

    def _keep(self, run, X, signs):
        self._split(run.w)
        if not run.converged:
            warn_not_converged(self, "if the classes are not separable it never will: use PocketPerceptron or AveragedPerceptron.")


class AveragedPerceptron(Perceptron):
    """Score by the mean of the weights after every visit of ``max_iter`` passes, found without storing them (eq-pc-lazy).

    Parameters
    ----------
    fit_intercept, shuffle, random_state : as in :class:`Perceptron`
    max_iter : passes; passes after the first errorless one are counted without being carried out

    Attributes
    ----------
    coef_, intercept_ : the mean weights;  the others as in :class:`Perceptron`

    >>> model = AveragedPerceptron().fit([[1.0], [2.0], [4.0], [5.0]], [0, 0, 1, 1])
    >>> model.predict([[0.0], [6.0]])
    array([0, 1])
    """

    def __init__(self, fit_intercept=True, shuffle=False, max_iter=10, random_state=None):
        super().__init__(fit_intercept, shuffle, max_iter, random_state)

    def _keep(self, run, X, signs):
        self._split(averaged_weights(run, X, signs, self.max_iter * len(X)))


class VotedPerceptron(Perceptron):
    """All weight vectors of ``max_iter`` passes vote, each as often as it survived a visit (eq-pc-voted).

    Parameters
    ----------
    fit_intercept, shuffle, max_iter, random_state : as in :class:`AveragedPerceptron`

    Attributes
    ----------
    weights_ : (K + 1, p) all weight vectors, the bias first if there is one;  counts_ : (K + 1,) their votes
    the others as in :class:`Perceptron`, without ``coef_``: the vote is no linear function

    >>> model = VotedPerceptron().fit([[1.0], [2.0], [4.0], [5.0]], [0, 0, 1, 1])
    >>> model.predict([[0.0], [6.0]]), int(model.counts_.sum())
    (array([0, 1]), 40)
    """

    def __init__(self, fit_intercept=True, shuffle=False, max_iter=10, random_state=None):
        super().__init__(fit_intercept, shuffle, max_iter, random_state)

    def _keep(self, run, X, signs):
        self.weights_ = weight_path(run, X, signs)
        self.counts_ = survival_counts(run, self.max_iter * len(X))

    def decision_function(self, X):
        """Votes for the second class minus votes for the first, as a share of all: between -1 and 1."""
        check_fitted(self, "weights_")
        X = check_array(X, n_features=self.weights_.shape[1] - int(self.fit_intercept))
        return voted_scores(add_intercept(X) if self.fit_intercept else X, self.weights_, self.counts_)


class PocketPerceptron(_Linear):
    """The best weights met while a perceptron visits at random, for data that no hyperplane separates (alg-pc-pocket).

    Parameters
    ----------
    fit_intercept : as in :class:`Perceptron`
    check : "ratchet", look at all examples only when a run of right answers is the longest so far; or "every_update"
    max_iter : updates;  random_state : seed of the visits

    Attributes
    ----------
    coef_, intercept_, classes_ : as in :class:`Perceptron`
    history_ : training errors of the pocket at the start and after each update;  n_iter_ : updates
    n_checks_ : how often all examples were looked at;  converged_ : whether the pocket makes no error

    >>> model = PocketPerceptron(random_state=0).fit([[-2.0], [-1.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1, 0])
    >>> model.history_[-1], model.converged_
    (np.int64(1), False)
    """

    def __init__(self, fit_intercept=True, check="ratchet", max_iter=1000, random_state=None):
        self.fit_intercept = fit_intercept
        self.check = check
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X, y):
        """Learn from labels of any type, of which there must be exactly two."""
        check_flags(self)
        rng = check_rng(self.random_state)
        X, index = self._prepare(X, y)
        run = pocket(X, 2.0 * index - 1, check=self.check, max_updates=self.max_iter, rng=rng)
        self.history_, self.n_iter_, self.n_checks_ = run.pocket_errors, max(1, len(run.rows)), run.n_checks
        self.converged_ = run.errors == 0
        self._split(run.w)
        return self


class MulticlassPerceptron(_Linear):
    """One weight vector per class; at a mistake the true class gains x, the best rival loses it (eq-pc-multi).

    Parameters
    ----------
    fit_intercept, shuffle, random_state : as in :class:`Perceptron`
    max_iter : largest number of passes
    average : score by the mean of the weights over ``max_iter`` passes, as in :class:`AveragedPerceptron`; does not warn

    Attributes
    ----------
    coef_ : (k, d);  intercept_ : (k,);  classes_ : (k,);  n_updates_, history_, n_iter_, converged_ : as in :class:`Perceptron`

    >>> model = MulticlassPerceptron().fit([[0.0], [1.0], [4.0], [5.0], [9.0], [10.0]], [0, 0, 1, 1, 2, 2])
    >>> model.predict([[0.5], [4.5], [9.5]]), model.converged_
    (array([0, 1, 2]), True)
    """

    def __init__(self, fit_intercept=True, shuffle=False, max_iter=1000, average=False, random_state=None):
        self.fit_intercept = fit_intercept
        self.shuffle = shuffle
        self.max_iter = max_iter
        self.average = average
        self.random_state = random_state

    def fit(self, X, y):
        """Learn from labels of any type and number."""
        check_flags(self)
        rng = check_rng(self.random_state)
        X, index = self._prepare(X, y, binary=False)
        run = multiclass_perceptron(X, index, len(self.classes_), visits=self._visits(), max_passes=self.max_iter, rng=rng)
        self.history_, self.n_iter_, self.converged_ = run.mistakes, len(run.mistakes), run.converged
        self.n_updates_ = len(run.rows)
        W = run.W
        if self.average:  # the lazy mean, block by block
            u = np.zeros_like(W)
            late = run.times[:, None] * X[run.rows]
            np.add.at(u, index[run.rows], late)
            np.subtract.at(u, run.rivals, late)
            W = W - u / (self.max_iter * len(X))
        elif not run.converged:
            warn_not_converged(self, "if the classes are not separable it never will: use average=True.")
        self._split(W)
        return self

    def predict(self, X):
        """The class with the largest score; of equal ones the first."""
        scores = self.decision_function(X)
        return self.classes_[scores.argmax(axis=1)]
