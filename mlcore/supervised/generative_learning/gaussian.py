"""Gaussian discriminant analysis: maximum likelihood, the logistic form of the posterior, shared and own covariances."""

import numpy as np
from scipy.linalg import cho_solve, solve_triangular

from mlcore.base import check_array, check_fitted, check_number, check_option, check_rng
from mlcore.foundations.mathematics import cholesky_factor, log_gaussian, log_softmax, logsumexp
from mlcore.supervised.generative_learning.bayes import _Generative, class_sums
from mlcore.takes import takes

COLLINEAR = 1e-11  # share of a feature's variance that the features before it leave unexplained; less is rounding


@takes(X="n d", index="whole n < k", k="integer >= 1")
def class_means(X, index, k):
    """Class sizes (k,) and means (k, d), eq-ge-means.

    >>> class_means(np.array([[1.0], [3.0], [8.0]]), np.array([0, 0, 1]), 2)
    (array([2, 1]), array([[2.],
           [8.]]))
    """
    counts = np.bincount(index, minlength=k)
    return counts, class_sums(X, index, k) / counts[:, None]


@takes(X="n d", index="whole n < k", means="k d")
def within_scatter(X, index, means):
    """Scatter around the class means, S_w, eq-ge-scatters."""
    centered = X - means[index]
    return centered.T @ centered


@takes(X="n d", index="whole n < k", means="k d")
def pooled_covariance(X, index, means):
    """Maximum-likelihood covariance around the own class means, with the divisor n, eq-ge-sigma."""
    return within_scatter.core(X, index, means) / len(X)


@takes(X="n d", index="whole n < k", means="k d")
def class_covariances(X, index, means):
    """Maximum-likelihood covariance of every class (k, d, d), with the divisors n_c, eq-ge-own."""
    groups = [X[index == c] - mu for c, mu in enumerate(means)]
    return np.array([g.T @ g / len(g) for g in groups])


@takes(X="n d", priors="k", means="k d", covariances="d d | k d d")
def gda_log_joint(X, priors, means, covariances):
    """Log p(x | y = c) p(y = c) for every class in the columns, eq-ge-joint; ``covariances`` is (d, d) or (k, d, d)."""
    if covariances.ndim == 2:
        covariances = np.broadcast_to(covariances, (len(means), *covariances.shape))
    return np.column_stack([np.log(p) + log_gaussian(X, mu, S) for p, mu, S in zip(priors, means, covariances)])


@takes(X="n d", index="whole n < k", priors="k", means="k d", covariances="d d | k d d")
def gda_log_likelihood(X, index, priors, means, covariances):
    """Joint log-likelihood of examples and labels, eq-ge-likelihood."""
    return float(gda_log_joint.core(X, priors, means, covariances)[np.arange(len(X)), index].sum())


@takes(priors="k", means="k d", Sigma="d d")
def linear_scores(priors, means, Sigma):
    """Slopes (k, d) and intercepts (k,) of the scores whose softmax is the posterior, eq-ge-softmax.

    >>> linear_scores([0.5, 0.5], np.array([[0.0], [2.0]]), np.array([[4.0]]))
    (array([[0. ],
           [0.5]]), array([-0.69314718, -1.19314718]))
    """
    slopes = cho_solve((cholesky_factor(Sigma), True), means.T).T
    return slopes, np.log(priors) - 0.5 * np.einsum("cj,cj->c", slopes, means)


@takes(priors="k", means="k d", Sigma="d d")
def logistic_parameters(priors, means, Sigma):
    """Theta of the logistic posterior of the second of two classes, intercept first, eq-ge-theta.

    >>> logistic_parameters([0.5, 0.5], np.array([[0.0], [2.0]]), np.array([[4.0]]))
    array([-0.5,  0.5])
    """
    if len(means) != 2:
        raise ValueError(f"the logistic form has two classes, but there are {len(means)} means; use linear_scores.")
    slopes, intercepts = linear_scores.core(priors, means, Sigma)
    return np.r_[intercepts[1] - intercepts[0], slopes[1] - slopes[0]]


def shrink(S, share):
    """Matrices (..., d, d) pulled toward a multiple of I of the same trace: (1 - share) S + share (tr S / d) I."""
    d = S.shape[-1]
    size = np.trace(S, axis1=-2, axis2=-1)[..., None, None] / d
    return (1 - share) * S + share * size * np.eye(d)


def definite_factor(Sigma, means, what):
    """Cholesky factor of a covariance; features that are constant (for the size of ``means``) or collinear are refused in words."""
    scale = np.sqrt(np.diag(Sigma))
    constant = np.flatnonzero(scale <= 1e-13 * np.abs(np.atleast_2d(means)).max(axis=0))  # what rounding leaves of a constant
    if len(constant):
        raise ValueError(f"feature {constant[0]} does not vary within {what}, so that the covariance is singular; "
                         "drop the feature or set shrinkage > 0.")
    try:
        factor = np.linalg.cholesky(Sigma / np.outer(scale, scale))
    except np.linalg.LinAlgError:
        factor = None
    if factor is None or (np.diag(factor) ** 2).min() < COLLINEAR:
        raise ValueError(f"the covariance within {what} is singular: {len(Sigma)} features are collinear, or there are too few examples; "
                         "drop features or set shrinkage > 0.")
    return factor * scale[:, None]


class GaussianDiscriminant(_Generative):
    """Gaussian discriminant analysis: y ~ priors, x | y = c ~ N(mu_c, Sigma_c), by maximum likelihood (thm-ge-mle).

    Parameters
    ----------
    covariance : "shared", one Sigma for all classes and a linear boundary (LDA), or "own", a quadratic one (QDA)
    shrinkage : s in [0, 1]; Sigma becomes (1 - s) Sigma + s (tr Sigma / d) I. With 0 a singular Sigma is refused
    priors : class probabilities in the order of the sorted labels; None takes the frequencies

    Attributes
    ----------
    classes_ : (k,);  priors_ : (k,);  means_ : (k, d);  covariance_ : (d, d) if shared, (k, d, d) if own;
    coef_, intercept_ : linear scores (k, d), (k,) of eq-ge-softmax, if shared, with Sigma^{-1} m subtracted from all
        slopes, m the overall mean, which leaves the posterior as it is

    >>> X, y = [[0, 0], [1, 0], [0, 1], [4, 4], [5, 4], [4, 5]], [1, 1, 1, 2, 2, 2]
    >>> model = GaussianDiscriminant().fit(X, y)
    >>> (9 * model.covariance_).round(10)
    array([[ 2., -1.],
           [-1.,  2.]])
    >>> model.predict([[2, 2], [3, 3]])
    array([1, 2])
    """

    def __init__(self, covariance="shared", shrinkage=0.0, priors=None):
        self.covariance = covariance
        self.shrinkage = shrinkage
        self.priors = priors

    def fit(self, X, y):
        """Estimate priors, means and covariance(s) from labeled rows."""
        check_option(self.covariance, "covariance", ("shared", "own"))
        check_number(self.shrinkage, "shrinkage", low=0, high=1)
        X = check_array(X, min_samples=2)
        index, counts = self._fit_classes(X, y)
        k = len(counts)
        if self.covariance == "own" and counts.min() < 2:
            raise ValueError(f"class {self.classes_[counts.argmin()]} has {counts.min()} example, but a covariance of its own "
                             "needs at least 2.")
        if self.covariance == "shared" and len(X) <= k:
            raise ValueError(f"X has {len(X)} rows for {k} classes; a shared covariance needs more examples than classes.")
        _, self.means_ = class_means.core(X, index, k)
        estimate = pooled_covariance if self.covariance == "shared" else class_covariances
        S = estimate(X, index, self.means_)
        self.covariance_ = S = shrink(S, self.shrinkage)
        if self.covariance == "shared":
            factor = definite_factor(S, self.means_, "the classes")
            # Scores measured from the overall mean: the softmax is the same, and data far from 0 lose no digits.
            center = X.mean(axis=0)
            self.coef_ = cho_solve((factor, True), (self.means_ - center).T, check_finite=False).T
            self.intercept_ = np.log(self.priors_) - 0.5 * np.einsum("cj,cj->c", self.coef_, self.means_ + center)
            self._factors = factor[None]
        else:
            self._factors = np.array([definite_factor(s, mu, f"class {c}") for c, mu, s in zip(self.classes_, self.means_, S)])
        return self

    def _log_density(self, X, c):
        """Log p(x | y = c) from the stored Cholesky factor (eq-ma-log-gaussian)."""
        L = self._factors[c % len(self._factors)]
        Z = solve_triangular(L, (X - self.means_[c]).T, lower=True, check_finite=False)  # (d, n)
        return -0.5 * (X.shape[1] * np.log(2 * np.pi) + np.einsum("jn,jn->n", Z, Z)) - np.log(np.diag(L)).sum()

    def log_joint(self, X):
        """Log p(x | y = c) p(y = c), one column per class (eq-ge-joint)."""
        check_fitted(self, "priors_")
        X = check_array(X, n_features=self.means_.shape[1])
        return np.column_stack([np.log(p) + self._log_density(X, c) for c, p in enumerate(self.priors_)])

    def decision_function(self, X):
        """Scores (n, k) whose softmax is the posterior: linear ones if the covariance is shared (eq-ge-softmax), else ``log_joint``."""
        check_fitted(self, "priors_")
        if self.covariance == "own":
            return self.log_joint(X)
        X = check_array(X, n_features=self.means_.shape[1])
        return X @ self.coef_.T + self.intercept_

    def predict_log_proba(self, X):
        """Log posterior probabilities (n, k); what all classes share has been left out of the scores."""
        return log_softmax(self.decision_function(X), axis=1)

    def predict(self, X):
        """The class of largest score."""
        check_fitted(self, "priors_")
        return self.classes_[self.decision_function(X).argmax(axis=1)]

    def score_samples(self, X):
        """Log evidence log p(x), large where the model has seen such examples (eq-ge-evidence)."""
        return logsumexp(self.log_joint(X), axis=1)

    def sample(self, n, random_state=None):
        """Draw n labeled examples from the fitted joint distribution: first y, then x given y."""
        check_fitted(self, "priors_")
        check_number(n, "n", low=0, integer=True)
        rng = check_rng(random_state)
        index = rng.choice(len(self.priors_), size=n, p=self.priors_)
        noise = rng.standard_normal((n, self.means_.shape[1]))
        L = self._factors[index % len(self._factors)]  # (n, d, d)
        return self.means_[index] + np.einsum("nij,nj->ni", L, noise), self.classes_[index]
