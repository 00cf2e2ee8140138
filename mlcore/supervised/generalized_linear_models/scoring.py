"""Fisher scoring, also called iteratively reweighted least squares (IRLS), for every family and link.

``X`` is a design matrix, used as it is; the score of a row is s = theta . x + offset.
"""

from functools import cached_property

import numpy as np

from mlcore.base import check_array, check_same_length
from mlcore.foundations.gradient_descent import newton
from mlcore.supervised.generalized_linear_models.families import find_family
from mlcore.supervised.generalized_linear_models.links import find_link, inside
from mlcore.supervised.linear_regression import weighted_least_squares
from mlcore.takes import takes

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
        self._last = None

    def at(self, theta):
        """The :class:`Rows` at theta; the last ones are kept, since value, gradient and information are asked in turn."""
        if self._last is None or not np.array_equal(self._last.theta, theta):
            self._last = Rows(self, theta)
        return self._last

    def half_deviance(self, theta):
        """Half the weighted deviance: -phi times the log-likelihood, up to a constant (eq-gl-deviance).

        Infinite where a score leads to a mean that the family cannot have.
        """
        rows, family = self.at(theta), self.family
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            if self.link.canonical:  # the score is eta, and nothing is lost where the mean rounds to its bound
                value = float(self.constant + self.weights @ (family.log_partition(rows.s) - self.y * rows.s))
            elif inside(family, rows.mean):
                value = 0.5 * float(self.weights @ family.unit_deviance(self.y, rows.mean))
            else:
                return np.inf
        return value if not np.isnan(value) else np.inf

    def gradient(self, theta):
        """Gradient of the half deviance: -X^T (w mu' / V (y - mu)) (eq-gl-score)."""
        rows = self.at(theta)
        return -(self.X.T @ (rows.pull * (self.y - rows.mean)))

    def information(self, theta):
        """X^T W X with W = w mu'^2 / V: phi times the Fisher information (eq-gl-information)."""
        rows = self.at(theta)
        W = rows.pull * rows.slope
        total = np.zeros((self.X.shape[1], self.X.shape[1]))
        for i in range(0, len(W), BLOCK):
            X = self.X[i:i + BLOCK]
            total += X.T @ (W[i:i + BLOCK, None] * X)
        return total

    def resolution(self, theta, tol):
        """Length of gradient that counts as zero: ``tol`` times the longest that residuals of this size could make, plus rounding."""
        mu, pull = self.at(theta).mean, self.at(theta).pull
        residual, rounding = np.linalg.norm(pull * (self.y - mu)), np.linalg.norm(pull * (np.abs(self.y) + np.abs(mu)))
        return np.linalg.norm(self.X) * (tol * residual + np.finfo(float).eps * rounding)


class Rows:
    """What each row of a problem has at one theta, computed when it is first asked for: exponentials and powers are the main cost."""

    def __init__(self, problem, theta):
        self.problem, self.theta = problem, np.array(theta)
        self.s = problem.X @ theta + problem.offset

    @cached_property
    def mean(self):
        """mu, the response to the score."""
        return self.problem.link.response(self.s)

    @cached_property
    def slope(self):
        """mu'(s); under the canonical link that is V(mu), under the logarithm mu itself."""
        link = self.problem.link
        if link.canonical:
            return self.problem.family.variance(self.mean)
        return self.mean if link.slope is link.response else link.slope(self.s)

    @cached_property
    def pull(self):
        """w mu'(s) / V(mu), by which a residual pulls on its score; 0 where the mean has rounded to a bound."""
        problem = self.problem
        if problem.link.canonical:
            return problem.weights
        variance = problem.family.variance(self.mean)
        return np.divide(problem.weights * self.slope, variance, out=np.zeros_like(self.mean), where=variance > 0)


@takes(theta="p", problem=Problem)
def irls_step(theta, problem):
    """One full step of Fisher scoring as a weighted least-squares fit (eq-gl-irls).

    The working response z = s - offset + (y - mu) / mu' is regressed on X with the weights w mu'^2 / V.
    """
    rows = problem.at(theta)
    weights = problem.weights * rows.slope**2 / problem.family.variance(rows.mean)
    return weighted_least_squares.core(problem.X, rows.s - problem.offset + (problem.y - rows.mean) / rows.slope, weights)


@takes(problem=Problem, start="p", tol="number >= 0")
def fisher_scoring(problem, start, ridge=0.0, tol=1e-9, max_iter=100):
    """Minimize half deviance + 1/2 sum_j ridge_j theta_j^2 by Newton steps with the expected Hessian, halved as needed.

    ``ridge`` is a number or one per parameter. The objective and the history are divided by the sum of the weights. Stops when
    the gradient is ``tol`` times as long as the residuals of the start could make it at most. Returns the ``Result`` of
    ``newton``: ``x``, ``path``, ``history``, ``n_iter``, ``converged``.
    """
    ridge = check_array(ridge, name="ridge", ndim=None)
    if ridge.shape not in ((), start.shape):
        raise ValueError(f"ridge must be a number or hold one for each of the {len(start)} parameters, got shape {ridge.shape}.")
    n, ridge = problem.weights.sum(), np.broadcast_to(ridge, start.shape)
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
