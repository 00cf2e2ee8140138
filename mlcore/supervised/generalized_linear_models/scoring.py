"""Fisher scoring, also called iteratively reweighted least squares (IRLS), for every family and link.

``X`` is a design matrix, used as it is; the score of a row is s = theta . x + offset.
"""

import numpy as np

from mlcore.base import check_array, check_same_length
from mlcore.foundations.gradient_descent import newton
from mlcore.supervised.generalized_linear_models.families import find_family
from mlcore.supervised.generalized_linear_models.links import find_link, inside
from mlcore.supervised.linear_regression import weighted_least_squares

BLOCK = 1024  # rows of X^T W X at a time: a weighted copy of all of X would cost as much as the product


class Problem:
    """A generalized linear model with its data: everything but the parameters.

    ``link`` None is the canonical one; ``offset`` (n,) is added to the score with the known coefficient 1; ``weights`` (n,) divide
    the variance of each row.

    >>> problem = Problem(np.ones((2, 1)), np.array([1.0, 3.0]), "poisson")
    >>> problem.gradient(np.log([2.0])).round(6) + 0.0
    array([0.])
    """

    def __init__(self, X, y, family, link=None, offset=None, weights=None):
        self.family = find_family(family)
        self.link = find_link(link, self.family)
        self.X, self.y = check_array(X), self.family.check_targets(y)
        check_same_length(self.X, self.y)
        self.offset, self.weights = check_offset(offset, self.X), check_sample_weight(weights, self.X)
        self.constant = self.weights @ self.family.saturated(self.y)
        self._last = None, None

    def scores(self, theta):
        """s = X theta + offset; the last one is kept, since value, gradient and information are asked in turn."""
        known, s = self._last
        if known is None or not np.array_equal(known, theta):
            s = self.X @ theta + self.offset
            self._last = np.array(theta), s
        return s

    def half_deviance(self, theta):
        """Half the weighted deviance: -phi times the log-likelihood, up to a constant (eq-gl-deviance).

        Infinite where a score leads to a mean that the family cannot have.
        """
        s, family = self.scores(theta), self.family
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            if self.link.canonical:  # the score is eta, and nothing is lost where the mean rounds to its bound
                value = float(self.constant + self.weights @ (family.log_partition(s) - self.y * s))
            else:
                mu = self.link.response(s)
                if not inside(family, mu):
                    return np.inf
                value = 0.5 * float(self.weights @ family.unit_deviance(self.y, mu))
        return value if not np.isnan(value) else np.inf

    def _mean_and_pull(self, s):
        """Mean of each row, and w mu'(s) / V(mu), by which its residual pulls on the score."""
        mu = self.link.response(s)
        if self.link.canonical:
            return mu, self.weights
        variance = self.family.variance(mu)  # 0 where the mean has rounded to a bound: nothing is left to pull there
        return mu, np.divide(self.weights * self.link.slope(s), variance, out=np.zeros_like(mu), where=variance > 0)

    def gradient(self, theta):
        """Gradient of the half deviance: -X^T (w mu' / V (y - mu)) (eq-gl-score)."""
        mu, pull = self._mean_and_pull(self.scores(theta))
        return -(self.X.T @ (pull * (self.y - mu)))

    def information(self, theta):
        """X^T W X with W = w mu'^2 / V: phi times the Fisher information (eq-gl-information)."""
        s = self.scores(theta)
        _, pull = self._mean_and_pull(s)
        W = pull * self.link.slope(s)
        total = np.zeros((self.X.shape[1], self.X.shape[1]))
        for i in range(0, len(W), BLOCK):
            rows = self.X[i:i + BLOCK]
            total += rows.T @ (W[i:i + BLOCK, None] * rows)
        return total

    def resolution(self, theta, tol):
        """Length of gradient that counts as zero: ``tol`` times the longest that residuals of this size could make, plus rounding."""
        mu, pull = self._mean_and_pull(self.scores(theta))
        residual, rounding = np.linalg.norm(pull * (self.y - mu)), np.linalg.norm(pull * (np.abs(self.y) + np.abs(mu)))
        return np.linalg.norm(self.X) * (tol * residual + np.finfo(float).eps * rounding)


def irls_step(theta, problem):
    """One full step of Fisher scoring as a weighted least-squares fit (eq-gl-irls).

    The working response z = s - offset + (y - mu) / mu' is regressed on X with the weights w mu'^2 / V.
    """
    s = problem.scores(theta)
    mu, slope = problem.link.response(s), problem.link.slope(s)
    weights = problem.weights * slope**2 / problem.family.variance(mu)
    return weighted_least_squares(problem.X, s - problem.offset + (problem.y - mu) / slope, weights)


def fisher_scoring(problem, start, ridge=0.0, tol=1e-9, max_iter=100):
    """Minimize half deviance + 1/2 sum_j ridge_j theta_j^2 by Newton steps with the expected Hessian, halved as needed.

    ``ridge`` is a number or one per parameter. The objective and the history are divided by the sum of the weights. Stops when
    the gradient is ``tol`` times as long as the residuals of the start could make it at most. Returns the ``Result`` of
    ``newton``: ``x``, ``path``, ``history``, ``n_iter``, ``converged``.
    """
    n, ridge = problem.weights.sum(), np.broadcast_to(np.asarray(ridge, float), np.shape(start))
    # The line search forgives the rounding of the cost, which is as large as its constant: without it, it would forgive too little.
    run = newton(lambda t: (problem.half_deviance(t) - problem.constant + 0.5 * (ridge * t) @ t) / n,
                 lambda t: (problem.gradient(t) + ridge * t) / n,
                 lambda t: (problem.information(t) + np.diag(ridge)) / n,
                 start, tol=problem.resolution(start, tol) / n, max_iter=max_iter)
    return run._replace(history=run.history + problem.constant / n)


def check_offset(offset, X):
    """A checked offset of one number per row; zeros by default."""
    if offset is None:
        return np.zeros(len(X))
    offset = check_array(offset, name="offset", ndim=1)
    if len(offset) != len(X):
        raise ValueError(f"X has {len(X)} rows, but offset has {len(offset)} values; they must agree.")
    return offset


def check_sample_weight(sample_weight, X):
    """Checked weights >= 0, not all 0; ones by default."""
    if sample_weight is None:
        return np.ones(len(X))
    weights = check_array(sample_weight, name="sample_weight", ndim=1)
    if len(weights) != len(X):
        raise ValueError(f"X has {len(X)} rows, but sample_weight has {len(weights)} values; they must agree.")
    if weights.min() < 0 or weights.max() == 0:
        raise ValueError("sample_weight must be at least 0 and not all 0.")
    return weights
