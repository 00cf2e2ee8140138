"""SVC and SVR: kernel machines with C, solved by SMO on signed multipliers."""

import numpy as np

from mlcore.base import Estimator, check_array, check_fitted, check_flags, check_number, check_X_y, warn_not_converged
from mlcore.supervised.kernel_methods import check_gram, check_kernel, gram_features, resolve_kernel
from mlcore.supervised.linear_regression import add_intercept
from mlcore.supervised.logistic_regression import separation
from mlcore.supervised.support_vector_machines.linear import check_two_classes
from mlcore.supervised.support_vector_machines.margins import check_box, slacks
from mlcore.supervised.support_vector_machines.programs import choose_offset, not_separable
from mlcore.supervised.support_vector_machines.solver import GramRows, solve_box

# Two solvers that both stop at a violation of tol may differ by more than tol. Half of it costs about a tenth more steps and
# roughly halves our own error; the distance from LIBSVM, which keeps its error, usually falls below tol, without a guarantee.
STOP_AT = 0.5


class _KernelMachine(Estimator):
    """What SVC and SVR share: the kernel, the solver, the offset, and the expansion over the support vectors."""

    def _check(self):
        """Refuse a wrong flag, and what is no kernel: an array of kernels has no single truth value below."""
        check_flags(self)
        check_kernel(self.kernel)

    def _kernel(self):
        return resolve_kernel(self.kernel, bandwidth=self.bandwidth, degree=self.degree, scale=self.scale, offset=self.offset)

    def _rows(self, X):
        """The Gram matrix, whole if it fits into ``cache_size`` megabytes; kernels we do not know are tested."""
        n, kernel = len(X), self._kernel()
        check_number(self.cache_size, "cache_size", low=0)
        if self.kernel == "precomputed":
            return self._whole(X)
        if callable(self.kernel):
            return self._whole(check_gram(kernel(X), name="kernel(X, X)"))
        if 8 * n * n <= self.cache_size * 2**20:
            return self._whole(kernel(X))
        diagonal = np.array([kernel(X[i:i + 1])[0, 0] for i in range(n)])
        return GramRows(lambda r: kernel(X[r], X), diagonal=diagonal, megabytes=self.cache_size)

    @staticmethod
    def _whole(K):
        return GramRows(K, diagonal=np.diag(K).copy())

    def _solve(self, X, rows, z, A, B, index=None):
        """Run SMO and store the expansion; returns K beta, the scores of the training rows without b, and beta."""
        tol = check_number(self.tol, "tol", low=0, open_low=True)
        run = solve_box(rows, z, A, B, index=index, tol=STOP_AT * tol, max_iter=self.max_iter, shrink=self.shrinking)
        if not run.bounded:
            raise not_separable()
        examples = np.arange(rows.n) if index is None else index
        weights = np.bincount(examples, weights=run.beta, minlength=rows.n)
        self.intercept_ = choose_offset(run.gradient, run.beta < B, run.beta > A)
        self.support_ = np.flatnonzero(weights)
        self.dual_coef_ = weights[self.support_]
        self.support_vectors_ = X[self.support_]
        self.n_features_in_ = X.shape[1]
        self.n_iter_, self.history_ = run.n_iter, run.history
        self.violation_, self.converged_ = run.violation, run.violation <= tol
        if self.kernel == "linear":
            self.coef_ = self.dual_coef_ @ self.support_vectors_
        if not self.converged_:
            warn_not_converged(self, f"the KKT conditions are violated by {run.violation:.2g}; standardize the features, "
                                     "lower C, or raise max_iter or tol.")
        return (z - run.gradient)[: rows.n], run.beta

    def _scores(self, X):
        """sum_i beta_i K(x_i, x) + b (eq-sv-decision)."""
        check_fitted(self, "dual_coef_")
        X = check_array(X, n_features=self.n_features_in_)
        if self.kernel == "precomputed":
            return X[:, self.support_] @ self.dual_coef_ + self.intercept_
        if self.kernel == "linear":
            return X @ self.coef_ + self.intercept_
        if not len(self.support_):
            return np.full(len(X), self.intercept_)
        return self._kernel()(X, self.support_vectors_) @ self.dual_coef_ + self.intercept_


class SVC(_KernelMachine):
    """Soft-margin support vector classifier: minimize 1/2 |w|^2 + C sum xi_i, y_i (w . phi(x_i) + b) >= 1 - xi_i (eq-sv-soft).

    Solved in the dual (eq-sv-soft-dual) by SMO with second-order pairs, a gradient cache, shrinking and joint steps.

    Parameters
    ----------
    C : price of a unit of slack, > 0; ``numpy.inf`` asks for the hard margin and is refused if the classes overlap
    kernel : "gaussian", "linear", "polynomial", "precomputed" (then X is a Gram matrix), or a function K(X, Z)
    bandwidth : of the Gaussian kernel exp(-|x - z|^2 / (2 bandwidth^2));  degree, scale, offset : of (scale x.z + offset)^degree
    tol : largest violation of the KKT conditions allowed (eq-sv-gap); SMO goes on to half of it
    max_iter : limit of steps;  shrinking : see eq-sv-shrink
    cache_size : megabytes for kernel values; a Gram matrix that fits is kept whole

    Attributes
    ----------
    alpha_ : (n,) multipliers;  support_ : rows with alpha > 0;  support_vectors_;  dual_coef_ : their alpha_i y_i;  intercept_ : b
    coef_ : (d,) w, linear kernel only;  classes_ : the two labels, the second is "+1"
    dual_objective_, primal_objective_ : equal at the solution;  history_ : the dual value after every step;
    n_iter_;  converged_;  violation_

    >>> X = [[2.0, 1.0], [1.0, 2.0], [3.0, 3.0], [0.0, 0.0], [-1.0, 0.0]]
    >>> model = SVC(C=10.0, kernel="linear", tol=1e-9).fit(X, [1, 1, 1, -1, -1])
    >>> model.coef_.round(6), round(model.intercept_, 6), model.support_
    (array([0.666667, 0.666667]), -1.0, array([0, 1, 3]))
    """

    kind = "classifier"

    def __init__(self, C=1.0, kernel="gaussian", bandwidth=1.0, degree=3, scale=1.0, offset=1.0, tol=1e-3,
                 max_iter=1_000_000, shrinking=True, cache_size=400):
        self.C = C
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.degree = degree
        self.scale = scale
        self.offset = offset
        self.tol = tol
        self.max_iter = max_iter
        self.shrinking = shrinking
        self.cache_size = cache_size

    def fit(self, X, y):
        """Fit to labels of any type, of which there must be exactly two."""
        self._check()
        C, X = check_box(self.C), check_array(X)
        classes, signs = check_two_classes(y, None if self.kernel == "precomputed" else X, "SVC")
        if self.kernel == "precomputed":
            X = check_gram(X, n=len(signs), name="the precomputed Gram matrix")
        rows = self._rows(X)
        if np.isinf(C):
            _refuse_overlap(X if self.kernel == "linear" else gram_features(np.array([rows[i] for i in range(rows.n)])), signs)
        bound = C * signs
        scores, beta = self._solve(X, rows, signs, np.minimum(bound, 0.0), np.maximum(bound, 0.0))
        self.classes_, self.alpha_ = classes, np.abs(beta)
        slack = slacks(signs * (scores + self.intercept_)).sum()
        self.dual_objective_ = float(self.alpha_.sum() - 0.5 * beta @ scores)
        self.primal_objective_ = float(0.5 * beta @ scores + (C * slack if np.isfinite(C) else 0.0))
        return self

    def decision_function(self, X):
        """sum_i alpha_i y_i K(x_i, x) + b, positive for the second class; 1 and -1 on the margin lines."""
        return self._scores(X)

    def predict(self, X):
        """The class on whose side of the boundary x lies; a score of exactly 0 goes to the second."""
        scores = self._scores(X)
        return self.classes_[(scores >= 0).astype(int)]


def _refuse_overlap(features, signs):
    """Raise unless some hyperplane in the space of ``features`` has every example strictly on its side."""
    if separation(add_intercept(features), (signs > 0).astype(int)) != "complete":
        raise not_separable()


class SVR(_KernelMachine):
    """Support vector regression: minimize 1/2 |w|^2 + C sum max(0, |y_i - f(x_i)| - epsilon) (eq-sv-svr).

    The dual (eq-sv-svr-dual) is the problem of :class:`SVC` with two signed multipliers per example, so the same SMO solves it.

    Parameters
    ----------
    C : price of a unit outside the tube, > 0;  epsilon : half the height of the tube, >= 0
    kernel, bandwidth, degree, scale, offset, tol, max_iter, shrinking, cache_size : as in :class:`SVC`

    Attributes
    ----------
    support_, support_vectors_ : the examples on or outside the tube;  dual_coef_ : their alpha_i - alpha_i^*;  intercept_ : b
    coef_ : (d,), linear kernel only;  dual_objective_, primal_objective_;  history_;  n_iter_;  converged_;  violation_

    >>> model = SVR(C=10.0, epsilon=0.5, kernel="linear", tol=1e-9).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    >>> model.coef_.round(6), model.predict([[1.0]]).round(6)
    (array([0.5]), array([1.]))
    """

    def __init__(self, C=1.0, epsilon=0.1, kernel="gaussian", bandwidth=1.0, degree=3, scale=1.0, offset=1.0, tol=1e-3,
                 max_iter=1_000_000, shrinking=True, cache_size=400):
        self.C = C
        self.epsilon = epsilon
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.degree = degree
        self.scale = scale
        self.offset = offset
        self.tol = tol
        self.max_iter = max_iter
        self.shrinking = shrinking
        self.cache_size = cache_size

    def fit(self, X, y):
        """Fit to real targets."""
        self._check()
        C = check_number(self.C, "C", low=0, open_low=True)
        epsilon = check_number(self.epsilon, "epsilon", low=0)
        if self.kernel == "precomputed":
            y = check_array(y, name="y", ndim=1)
            X = check_gram(X, n=len(y), name="the precomputed Gram matrix")
        X, y = check_X_y(X, y)
        n = len(y)
        z, zero, full = np.r_[y - epsilon, y + epsilon], np.zeros(n), np.full(n, float(C))
        scores, beta = self._solve(X, self._rows(X), z, np.r_[zero, -full], np.r_[full, zero], index=np.tile(np.arange(n), 2))
        quadratic = 0.5 * (beta[:n] + beta[n:]) @ scores
        outside = np.maximum(np.abs(y - scores - self.intercept_) - epsilon, 0.0).sum()
        self.dual_objective_, self.primal_objective_ = float(z @ beta - quadratic), float(quadratic + C * outside)
        return self

    def predict(self, X):
        """sum_i (alpha_i - alpha_i^*) K(x_i, x) + b."""
        return self._scores(X)
