"""Naive Bayes: features independent given the class, with Bernoulli, multinomial, categorical or Gaussian factors."""

import numpy as np

from mlcore.base import check_array, check_fitted, check_number
from mlcore.supervised.generative_learning.bayes import _Generative, class_sums
from mlcore.takes import takes


@takes(counts="... k")
def laplace_smooth(counts, alpha=1.0):
    """Probabilities (alpha + count) / (k alpha + total) along the last axis, eq-ge-laplace; alpha = 0 is maximum likelihood.

    >>> laplace_smooth([3, 1, 0]).round(4)
    array([0.5714, 0.2857, 0.1429])
    """
    check_number(alpha, "alpha", low=0)
    if (counts < 0).any():
        raise ValueError("counts must be >= 0.")
    total = counts.sum(axis=-1, keepdims=True)
    if alpha == 0 and (total == 0).any():
        raise ValueError("there is nothing to count and alpha is 0, so that the estimate is 0/0; use alpha > 0.")
    return (counts + alpha) / (total + alpha * counts.shape[-1])


def discretize(x, edges):
    """Bin number 1, 2, ..., len(edges) + 1 of every value, in half-open bins [edge, next edge).

    >>> discretize([350, 400, 890, 1600], [400, 800, 1200, 1600])
    array([1, 2, 3, 5])
    """
    edges = check_array(edges, name="edges", ndim=1)
    if (np.diff(edges) <= 0).any():
        raise ValueError(f"edges must increase, got {edges.tolist()}.")
    return np.searchsorted(edges, check_array(x, name="x", ndim=1), side="right") + 1


def log_product(X, log_p):
    """Sums over j of x_j log p_cj (n, k), where a probability 0 counts only if its event occurred (0 log 0 = 0)."""
    impossible = np.isneginf(log_p)
    if not impossible.any():
        return X @ log_p.T
    out = X @ np.where(impossible, 0.0, log_p).T
    out[X @ impossible.T.astype(float) > 0] = -np.inf
    return out


def _log(p):
    """Logarithm with log 0 = -inf and no warning."""
    with np.errstate(divide="ignore"):
        return np.log(p)


class BernoulliNB(_Generative):
    """Bernoulli event model: x_j in {0, 1} independent given y, p(x_j = 1 | y = c) = phi_cj (eq-ge-bernoulli).

    Parameters
    ----------
    alpha : pseudo-count of each of the two outcomes (eq-ge-laplace-bernoulli); 0 is maximum likelihood
    threshold : a feature is 1 where it exceeds this, so that word counts become presence
    priors : class probabilities in the order of the sorted labels; None takes the frequencies

    Attributes
    ----------
    classes_ : (k,);  priors_ : (k,);  probabilities_ : (k, d) of phi_cj

    >>> model = BernoulliNB().fit([[1, 0], [1, 1], [0, 1], [0, 1]], ["spam", "spam", "ham", "ham"])
    >>> model.probabilities_, model.predict([[1, 0]])
    (array([[0.25, 0.75],
           [0.75, 0.5 ]]), array(['spam'], dtype='<U4'))
    """

    def __init__(self, alpha=1.0, threshold=0.0, priors=None):
        self.alpha = alpha
        self.threshold = threshold
        self.priors = priors

    def fit(self, X, y):
        """Count how often each feature is 1 in each class."""
        check_number(self.alpha, "alpha", low=0)
        check_number(self.threshold, "threshold")
        X = check_array(X)
        index, sizes = self._fit_classes(X, y)
        ones = class_sums(np.greater(X, self.threshold).astype(float), index, len(sizes))
        self.probabilities_ = laplace_smooth(np.stack([sizes[:, None] - ones, ones], axis=-1), self.alpha)[..., 1]
        return self

    def log_joint(self, X):
        """Log p(x | y = c) p(y = c), one column per class: absent features count as well as present ones."""
        check_fitted(self, "priors_")
        X = np.greater(check_array(X, n_features=self.probabilities_.shape[1]), self.threshold).astype(float)
        log_1, log_0 = _log(self.probabilities_), _log(1 - self.probabilities_)
        if np.isfinite(log_1).all() and np.isfinite(log_0).all():  # one product instead of two
            return X @ (log_1 - log_0).T + (log_0.sum(axis=1) + np.log(self.priors_))
        return log_product(X, log_1) + log_product(1 - X, log_0) + np.log(self.priors_)


class MultinomialNB(_Generative):
    """Multinomial event model: every word of a message is drawn from one distribution per class (eq-ge-multinomial).

    Rows of X are word counts; the probability of the length of a message is not modeled.

    Parameters
    ----------
    alpha : pseudo-count of each word (eq-ge-laplace-multinomial); 0 is maximum likelihood
    priors : class probabilities in the order of the sorted labels; None takes the frequencies

    Attributes
    ----------
    classes_ : (k,);  priors_ : (k,);  probabilities_ : (k, d) of phi_cj, whose rows sum to 1

    >>> model = MultinomialNB().fit([[2, 0], [3, 1], [0, 2]], ["spam", "spam", "ham"])
    >>> model.probabilities_
    array([[0.25, 0.75],
           [0.75, 0.25]])
    """

    domain = "counts"

    def __init__(self, alpha=1.0, priors=None):
        self.alpha = alpha
        self.priors = priors

    def fit(self, X, y):
        """Add up the counts of every class."""
        check_number(self.alpha, "alpha", low=0)
        X = _counts(X)
        index, sizes = self._fit_classes(X, y)
        totals = class_sums(X, index, len(sizes))
        if self.alpha == 0 and (totals.sum(axis=1) == 0).any():
            empty = self.classes_[totals.sum(axis=1).argmin()]
            raise ValueError(f"class {empty} has no words at all, and alpha is 0; use alpha > 0.")
        self.probabilities_ = laplace_smooth(totals, self.alpha)
        return self

    def log_joint(self, X):
        """Log p(x | y = c) p(y = c), one column per class, for an ordered list of words with these counts."""
        check_fitted(self, "priors_")
        X = _counts(X, self.probabilities_.shape[1])
        return log_product(X, _log(self.probabilities_)) + np.log(self.priors_)


def _counts(X, n_features=None):
    """A matrix of counts: finite and not negative."""
    X = check_array(X, n_features=n_features)
    if X.min() < 0:
        row, column = np.unravel_index(X.argmin(), X.shape)
        raise ValueError(f"X holds counts, which must be >= 0, but X[{row}, {column}] is {X[row, column]:.6g}.")
    return X


class GaussianNB(_Generative):
    """Gaussian naive Bayes: x_j | y = c ~ N(mu_cj, variance_cj), independent given y (eq-ge-gaussian-nb).

    Parameters
    ----------
    smoothing : this part of the largest feature variance is added to all variances; with 0 a zero variance is refused
    priors : class probabilities in the order of the sorted labels; None takes the frequencies

    Attributes
    ----------
    classes_ : (k,);  priors_ : (k,);  means_, variances_ : (k, d)

    >>> model = GaussianNB(smoothing=0).fit([[1.0], [3.0], [7.0], [9.0]], [0, 0, 1, 1])
    >>> model.means_.ravel(), model.variances_.ravel(), model.predict([[4.0]])
    (array([2., 8.]), array([1., 1.]), array([0]))
    """

    def __init__(self, smoothing=1e-9, priors=None):
        self.smoothing = smoothing
        self.priors = priors

    def fit(self, X, y):
        """Mean and variance of every feature in every class."""
        check_number(self.smoothing, "smoothing", low=0)
        X = check_array(X, min_samples=2)
        index, sizes = self._fit_classes(X, y)
        groups = [X[index == c] for c in range(len(sizes))]
        self.means_ = np.array([g.mean(axis=0) for g in groups])
        variances = np.array([g.var(axis=0) for g in groups]) + self.smoothing * X.var(axis=0).max()
        if (variances <= 0).any():
            c, j = np.argwhere(variances <= 0)[0]
            raise ValueError(f"feature {j} does not vary in class {self.classes_[c]}, so that its density has no width; "
                             "drop the feature or set smoothing > 0.")
        self.variances_ = variances
        return self

    def log_joint(self, X):
        """Log p(x | y = c) p(y = c), one column per class."""
        check_fitted(self, "priors_")
        X = check_array(X, n_features=self.means_.shape[1])
        columns = []
        for prior, mu, variance in zip(self.priors_, self.means_, self.variances_):
            squares = X - mu
            squares *= squares
            columns.append(np.log(prior) - 0.5 * (np.log(2 * np.pi * variance).sum() + squares @ (1 / variance)))
        return np.column_stack(columns)
