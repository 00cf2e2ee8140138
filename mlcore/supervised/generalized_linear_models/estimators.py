"""GeneralizedLinearModel for one real target and CategoricalGLM for classes, both fitted by Fisher scoring."""

import numpy as np

from mlcore.base import (
    Estimator,
    as_array,
    check_array,
    check_fitted,
    check_flags,
    check_labels,
    check_number,
    check_same_length,
    warn_not_converged,
)
from mlcore.foundations.gradient_descent import newton
from mlcore.foundations.mathematics import softmax
from mlcore.supervised.generalized_linear_models.categorical import (
    categorical_cost,
    categorical_gradient,
    categorical_information,
)
from mlcore.supervised.generalized_linear_models.diagnostics import pearson_dispersion
from mlcore.supervised.generalized_linear_models.existence import near_boundary, proves_maximizer, runaway_direction
from mlcore.supervised.generalized_linear_models.families import find_family
from mlcore.supervised.generalized_linear_models.links import find_link
from mlcore.supervised.generalized_linear_models.scoring import (
    Problem,
    check_offset,
    check_sample_weight,
    fisher_scoring,
)
from mlcore.supervised.linear_regression import weighted_least_squares
from mlcore.supervised.logistic_regression import separating_direction

EPS = np.finfo(float).eps
NO_MAXIMIZER = ("the likelihood has no maximizer: in some direction the fitted means run to the boundary and the coefficients grow "
                "without bound; {remedy}.")


def design(X, weights, fit_intercept, full_rank=False):
    """Well-conditioned design matrix Z and the matrix A with (intercept, slopes) = A theta, for theta fitted on Z.

    The columns are centered (if there is an intercept) and divided by their root mean square. With ``full_rank`` dependent
    columns are replaced by orthonormal coordinates of the space they span, which gives the shortest scaled slopes.
    """
    n, d = X.shape
    total, first = weights.sum(), int(fit_intercept)
    mean = weights @ X / total if fit_intercept else np.zeros(d)
    D = np.empty((n, first + d))
    D[:, :first] = 1.0
    Z = np.subtract(X, mean, out=D[:, first:])
    gram = Z.T @ Z if (weights == 1).all() else Z.T @ (weights[:, None] * Z)
    scale = np.sqrt(np.diag(gram) / total)
    flat = scale <= 16 * EPS * np.abs(mean)  # a constant column, up to the rounding of its mean
    scale = np.where(flat, 1.0, scale)
    Z /= scale
    if flat.any():
        Z[:, flat] = 0.0
    back = np.diag(1 / scale)
    if full_rank and np.linalg.eigvalsh(np.where(flat, 0.0, gram / np.outer(scale, scale)) / total)[0] < 1e-9:
        _, s, Vt = np.linalg.svd(Z * (weights > 0)[:, None], full_matrices=False)
        kept = s > s.max(initial=0.0) * max(X.shape) * EPS
        rotate = Vt[kept].T * (np.sqrt(n) / s[kept])
        D, back = np.column_stack([D[:, :first], Z @ rotate]), back @ rotate
    A = np.zeros((1 + d, D.shape[1]))
    A[0, :first], A[0, first:], A[1:, first:] = 1.0, -mean @ back, back
    return D, A


class GeneralizedLinearModel(Estimator):
    """E[y | x] = response(w . x + b + offset), with y from an exponential family (eq-gl-model).

    Minimizes half the deviance + alpha/2 |w|^2, which for alpha = 0 maximizes the likelihood.

    Parameters
    ----------
    family : "gaussian", "bernoulli", "poisson", "gamma", or a Family such as ``tweedie(1.5)``
    link : None for the canonical link, or "identity", "log", "logit", "probit", "cloglog", or a Link
    alpha : penalty on the slopes, n times that of scikit-learn; the intercept is free. With 0, collinear features give the
        shortest slopes in units of the features' spread, and a likelihood without a maximizer is warned of.
    tol, max_iter : stop rule of ``fisher_scoring``

    Attributes
    ----------
    coef_ : (d,);  intercept_ : float;  deviance_ : float;  dispersion_ : phi, 1 or Pearson's estimate;
    standard_errors_ : (1 + d,), intercept first, NaN where they do not exist (alpha > 0, collinear features, no maximizer, fitted
        means on their bound);
    history_ : the objective, divided by the sum of the weights, at every step;  n_iter_;  converged_

    >>> model = GeneralizedLinearModel("poisson").fit([[0.0], [0.0], [1.0], [1.0]], [1, 3, 5, 7])
    >>> np.exp([model.intercept_, model.coef_[0]]).round(6)
    array([2., 3.])
    """

    def __init__(self, family="gaussian", link=None, alpha=0.0, fit_intercept=True, tol=1e-9, max_iter=100):
        self.family = family
        self.link = link
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X, y, sample_weight=None, offset=None):
        """Fit; ``sample_weight`` divides the variance of a row, ``offset`` is a known part of its score."""
        check_flags(self)
        family, link = self._check()
        X = check_array(X)
        check_same_length(X, np.atleast_1d(as_array(y, "y")))
        y, offset, weights = family.check_targets(y), check_offset(offset, X), check_sample_weight(sample_weight, X)
        low, high = y[weights > 0].min(), y[weights > 0].max()
        if low == high and low in family.attained:
            raise ValueError(f"every y is {low:g}, so a {family.name} model has no maximizer; two different values are needed.")
        Z, A = design(X, weights, self.fit_intercept, full_rank=self.alpha == 0)
        problem = Problem(Z, y, family, link, offset, weights)
        ridge = self.alpha * (A[1:] ** 2).sum(axis=0) if self.alpha else 0.0
        run = fisher_scoring(problem, self._start(problem), ridge, self.tol, self.max_iter)
        self.intercept_, self.coef_ = float(A[0] @ run.x), A[1:] @ run.x
        self.history_, self.n_iter_, self.converged_ = run.history, run.n_iter, run.converged
        mu = problem.at(run.x).mean
        self.deviance_ = float(weights @ family.unit_deviance(y, mu))
        free = int((weights > 0).sum()) - Z.shape[1]
        self.dispersion_ = family.fixed_dispersion
        if self.dispersion_ is None:
            self.dispersion_ = pearson_dispersion(y, mu, family, Z.shape[1], weights) if free > 0 else np.nan
        self.standard_errors_ = np.full(len(A), np.nan)
        if self._has_errors(problem, mu):
            covariance = self.dispersion_ * A @ np.linalg.solve(problem.information(run.x), A.T)
            self.standard_errors_ = np.sqrt(np.maximum(np.diag(covariance), 0.0))
        return self

    def _check(self):
        check_number(self.alpha, "alpha", low=0)
        check_number(self.tol, "tol", low=0)
        check_number(self.max_iter, "max_iter", low=0, integer=True)
        family = find_family(self.family)
        return family, find_link(self.link, family)

    def _start(self, problem):
        """The best constant mean if there is an intercept; else 0, else a fit of the links of the targets."""
        start = np.zeros(problem.X.shape[1])
        if self.fit_intercept:
            middle = np.average(problem.y, weights=problem.weights)
            start[0] = problem.link.link(middle) - np.average(problem.offset, weights=problem.weights)
        if np.isfinite(problem.half_deviance(start)):
            return start
        inner = 0.9 * problem.y + 0.1 * np.average(problem.y, weights=problem.weights)
        start = weighted_least_squares.core(problem.X, problem.link.link(inner) - problem.offset, problem.weights)
        if not np.isfinite(problem.half_deviance(start)):
            raise ValueError(f"the link {problem.link.name!r} gives means that a {problem.family.name} model cannot have, already at the "
                             "start; use link='log' for positive means, or set fit_intercept=True.")
        return start

    def _has_errors(self, problem, mu):
        """Whether the estimates have standard errors; warn if there is no maximizer, or if the fit has not come to its end."""
        y, family, used = problem.y, problem.family, problem.weights > 0  # rows of weight 0 are absent
        suspect = self.alpha == 0 and near_boundary(y[used], mu[used], family)
        at_edge = suspect and problem.link.name == "identity"  # a finite score reaches the bound: a maximizer at the edge
        if suspect and not at_edge and runaway_direction(problem.X[used], y[used], family) is not None:
            self.converged_ = False
            warn_not_converged(self, NO_MAXIMIZER.format(remedy="set alpha > 0"))
            return False
        if not self.converged_:
            warn_not_converged(self, "raise max_iter or tol, or choose a link that cannot leave the range of the mean.")
        return self.alpha == 0 and not at_edge and problem.X.shape[1] == len(self.coef_) + self.fit_intercept

    def predict(self, X, offset=None):
        """The mean E[y | x]."""
        check_fitted(self, "coef_")
        X = check_array(X, n_features=len(self.coef_))
        return find_link(self.link, find_family(self.family)).response(X @ self.coef_ + self.intercept_ + check_offset(offset, X))

    def score(self, X, y, sample_weight=None, offset=None):
        """Share of the deviance of the best constant mean that the model explains, 1 - D(y, mu) / D(y, mean); R^2 if Gaussian."""
        mu, family = self.predict(X, offset), find_family(self.family)
        check_same_length(X, y)
        y, weights = family.check_targets(y), check_sample_weight(sample_weight, mu)
        null = weights @ family.unit_deviance(y, np.average(y, weights=weights))
        return float(1 - weights @ family.unit_deviance(y, mu) / null) if null > 0 else float(np.allclose(y, mu))


class CategoricalGLM(Estimator):
    """Softmax regression as a GLM: eta_i = w_i . x + b_i for all classes but the last, whose eta is 0 (eq-gl-softmax).

    Parameters
    ----------
    tol, max_iter : stop when the gradient is ``tol`` times as long as at the start, or after ``max_iter`` steps

    Attributes
    ----------
    coef_ : (k - 1, d) and intercept_ : (k - 1,);  classes_ : (k,) labels, the last is the reference;
    history_ : the mean negative log-likelihood at every step;  n_iter_;  converged_

    >>> model = CategoricalGLM().fit([[0.0], [0.0], [0.0], [1.0], [1.0], [1.0]], [0, 1, 2, 0, 2, 1])
    >>> model.predict_proba([[0.5]]).round(4)
    array([[0.3333, 0.3333, 0.3333]])
    """

    kind = "classifier"

    def __init__(self, fit_intercept=True, tol=1e-9, max_iter=100):
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X, y):
        """Fit to labels of any type; there must be at least two classes."""
        check_flags(self)
        check_number(self.tol, "tol", low=0)
        X = check_array(X)
        self.classes_, index = check_labels(y, X)
        n, q = len(X), len(self.classes_) - 1
        Z, A = design(X, np.ones(n), self.fit_intercept, full_rank=True)
        shape = q, Z.shape[1]
        start = np.zeros(q * Z.shape[1])
        length = np.linalg.norm(categorical_gradient.core(start.reshape(shape), Z, index))
        run = newton(lambda t: categorical_cost.core(t.reshape(shape), Z, index) / n,
                     lambda t: categorical_gradient.core(t.reshape(shape), Z, index).ravel() / n,
                     lambda t: categorical_information.core(t.reshape(shape), Z) / n,
                     start, tol=(self.tol * length + 8 * EPS * np.abs(Z).sum()) / n, max_iter=self.max_iter)
        Theta = run.x.reshape(shape)
        self.intercept_, self.coef_ = Theta @ A[0], Theta @ A[1:].T
        self.history_, self.n_iter_, self.converged_ = run.history, run.n_iter, run.converged
        self._warn(Theta, Z, index)
        return self

    def _warn(self, Theta, Z, index):
        """Warn if the classes are separable, which the margins show or, unless the gradient disproves it, the linear program finds."""
        n, k = len(Z), len(Theta) + 1
        T = np.column_stack([Z @ Theta.T, np.zeros(n)])
        others = np.arange(k) != index[:, None]
        margins = (T[np.arange(n), index][:, None] - T)[others]
        separable = bool((margins > 0).all())
        suspect = not separable and np.abs(margins).max() > 10
        if suspect and not proves_maximizer(categorical_gradient.core(Theta, Z, index), categorical_information.core(Theta, Z),
                                            np.sqrt(2 * (Z**2).sum(axis=1).max())):
            differences = (np.eye(k)[index][:, None, :] - np.eye(k))[others][:, :-1]  # e_y - e_c, the reference dropped
            rows = (differences[:, :, None] * np.repeat(Z, k - 1, axis=0)[:, None, :]).reshape(len(margins), -1)
            separable = separating_direction(rows, np.ones(len(rows))) is not None
        if separable:
            self.converged_ = False
            warn_not_converged(self, NO_MAXIMIZER.format(remedy="use SoftmaxRegression with alpha > 0"))
        elif not self.converged_:
            warn_not_converged(self, "raise max_iter or tol.")

    def decision_function(self, X):
        """Natural parameters (n, k - 1) of all classes but the last."""
        check_fitted(self, "coef_")
        return check_array(X, n_features=self.coef_.shape[1]) @ self.coef_.T + self.intercept_

    def predict_proba(self, X):
        """E[T(y) | x], completed by the probability of the reference class: (n, k)."""
        eta = self.decision_function(X)
        return softmax(np.column_stack([eta, np.zeros(len(eta))]), axis=1)

    def predict(self, X):
        """The most probable class."""
        check_fitted(self, "coef_")
        return self.classes_[self.predict_proba(X).argmax(axis=1)]
