"""From class-conditional densities and priors to posterior probabilities, in log space."""

import numpy as np

from mlcore.base import Estimator, check_array, check_fitted, check_labels
from mlcore.foundations.mathematics import logsumexp
from mlcore.supervised.logistic_regression import one_hot
from mlcore.takes import takes


@takes(log_joint="any n k")
def log_posterior(log_joint):
    """Log p(y | x) from the log joint densities log p(x | y) p(y) in the columns: Bayes' rule, eq-ge-bayes.

    A row that is -inf under every class has no posterior (it would be 0/0) and is refused.

    >>> np.exp(log_posterior(np.log([[0.03, 0.01]]))).round(4)
    array([[0.75, 0.25]])
    """
    evidence = logsumexp(log_joint, axis=1, keepdims=True)
    impossible = np.flatnonzero(np.isneginf(evidence[:, 0]))
    if len(impossible):
        raise ValueError(f"row {impossible[0]} has probability 0 under every class, so that its posterior is 0/0; "
                         "fit with alpha > 0 (Laplace smoothing).")
    return log_joint - evidence


def check_priors(priors, counts):
    """Class priors: the frequencies of the classes if None, else the given positive numbers, which must sum to 1."""
    if priors is None:
        return counts / counts.sum()
    priors = check_array(priors, name="priors", ndim=1)
    if len(priors) != len(counts):
        raise ValueError(f"priors has {len(priors)} entries, but y has {len(counts)} classes; they must agree.")
    if (priors <= 0).any() or abs(priors.sum() - 1) > 1e-8:
        raise ValueError(f"priors must be positive and sum to 1, got {priors.tolist()}.")
    return priors


def class_sums(X, index, k):
    """Sums (k, d) of the rows of each class, by one matrix product."""
    return one_hot(index, k).T @ X


class _Generative(Estimator):
    """What generative classifiers share: subclasses learn ``classes_``, ``priors_`` and how to compute ``log_joint``."""

    kind = "classifier"

    def _fit_classes(self, X, y):
        """Store classes and priors; return the class number of each example and the class sizes."""
        self.classes_, index = check_labels(y, X)
        counts = np.bincount(index)
        self.priors_ = check_priors(self.priors, counts)
        return index, counts

    def predict_log_proba(self, X):
        """Log posterior probabilities (n, k), eq-ge-bayes."""
        return log_posterior(self.log_joint(X))

    def predict_proba(self, X):
        """Posterior probabilities (n, k) of the classes in the order of ``classes_``."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X):
        """The class of largest posterior; the evidence p(x) is not needed for this (eq-ge-argmax)."""
        check_fitted(self, "priors_")
        joint = self.log_joint(X)
        if np.isneginf(joint).all(axis=1).any():
            log_posterior(joint)  # raises, and says which row
        return self.classes_[joint.argmax(axis=1)]
