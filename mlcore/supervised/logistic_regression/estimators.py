"""LogisticRegression (two classes) and SoftmaxRegression (any number), ridge-penalized, fitted by Newton's method."""

import numpy as np

from mlcore.base import Estimator, check_array, check_fitted, check_flags, check_labels, check_number, check_option, warn_not_converged
from mlcore.foundations.gradient_descent import minimize, newton
from mlcore.foundations.mathematics import sigmoid, softmax
from mlcore.supervised.logistic_regression.likelihood import (
    log_likelihood,
    log_likelihood_gradient,
    log_likelihood_hessian,
)
from mlcore.supervised.logistic_regression.multiclass import (
    softmax_cost,
    softmax_cost_gradient,
    softmax_cost_hessian,
)
from mlcore.supervised.logistic_regression.separation import separating_direction

LARGE_LOGIT = 10.0


class _Penalized(Estimator):
    """What the two classifiers share: parameters, the coordinates of the fit, the stop rule, prediction."""

    kind = "classifier"

    def __init__(self, alpha=1.0, fit_intercept=True, solver="newton", tol=1e-8, max_iter=100):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter

    def _prepare(self, X, y):
        """Classes, class numbers, a well-conditioned design matrix Z, its penalty mask, and the way back to X."""
        check_number(self.alpha, "alpha", low=0)
        check_number(self.tol, "tol", low=0)
        check_number(self.max_iter, "max_iter", low=0, integer=True)
        check_option(self.solver, "solver", ("newton", "gradient"))
        X = check_array(X)
        classes, index = check_labels(y, X)
        mean = X.mean(axis=0) if self.fit_intercept else np.zeros(X.shape[1])
        Z, rotate = X - mean, None
        if self.alpha == 0:
            # Without a penalty any coordinates of the row space will do: orthonormal ones need no full rank.
            U, s, Vt = np.linalg.svd(Z, full_matrices=False)
            kept = s > s.max(initial=0.0) * max(X.shape) * np.finfo(float).eps
            Z, rotate = U[:, kept] * np.sqrt(len(X)), Vt[kept].T * (np.sqrt(len(X)) / s[kept])
        if self.fit_intercept:
            Z = np.column_stack([np.ones(len(X)), Z])
        penalized = np.ones(Z.shape[1])
        penalized[: int(self.fit_intercept)] = 0.0

        def back(theta):
            slopes = theta[..., int(self.fit_intercept):]
            slopes = slopes if rotate is None else slopes @ rotate.T
            intercept = theta[..., 0] - slopes @ mean if self.fit_intercept else np.zeros(theta.shape[:-1])
            return slopes, intercept

        return classes, index, Z, penalized, back

    def _minimize(self, cost, gradient, hessian, start):
        """Run the solver from ``start`` and record what it did."""
        threshold = self.tol * float(np.linalg.norm(gradient(start)))
        if self.solver == "newton":
            run = newton(cost, gradient, hessian, start, tol=threshold, max_iter=self.max_iter)
        else:
            run = minimize(cost, gradient, start, tol=threshold, max_iter=self.max_iter)
        self.history_, self.n_iter_, self.converged_ = run.history, run.n_iter, run.converged
        return run.x

    def _finish(self, margins, rows):
        """Without a penalty, see whether a maximizer exists at all; warn of what went wrong.

        ``margins`` are those of the fit, ``rows()`` the vectors z x whose products with theta they are. A fit that
        puts every example on its right side proves by itself that there is none (thm-lg-separation); otherwise the
        linear program decides, and it is asked only if some logit is so large that the fit may be running away.
        """
        separable = self.alpha == 0 and bool((margins > 0).all())
        if self.alpha == 0 and not separable and np.abs(margins).max() > LARGE_LOGIT:
            separable = separating_direction(rows(), np.ones(len(margins))) is not None
        if separable:
            self.converged_ = False
            warn_not_converged(self, "the classes are separable, so the likelihood has no maximizer and the coefficients "
                                     "grow without bound; set alpha > 0.")
        elif not self.converged_:
            warn_not_converged(self, "raise max_iter or tol, standardize the features, or use solver='newton'.")

    def predict(self, X):
        """The most probable class."""
        check_fitted(self, "coef_")
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class LogisticRegression(_Penalized):
    """Two classes: P(y = 1 | x) = sigmoid(w . x + b), minimizing -l(w, b) + alpha/2 |w|^2 (eq-lg-map).

    Parameters
    ----------
    alpha : penalty, 1/C of scikit-learn; the intercept is free. With 0 the likelihood itself is maximized: if the
        classes are separable that has no solution, and ``fit`` warns; collinear features give the shortest w.
    solver : "newton" with line search (eq-lg-newton), or "gradient", steepest descent with line search
    tol, max_iter : stop when the gradient is ``tol`` times as long as at the start, or after ``max_iter`` steps

    Attributes
    ----------
    coef_ : (d,);  intercept_ : float;  classes_ : the two labels, the second is "1";
    history_ : the objective, divided by n, at every step;  n_iter_;  converged_

    >>> model = LogisticRegression().fit([[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"])
    >>> model.predict([[1.5], [3.5]]), model.predict_proba([[2.5]]).round(3)
    (array(['no', 'yes'], dtype='<U3'), array([[0.5, 0.5]]))
    """

    def fit(self, X, y):
        """Fit to labels of any type, of which there must be exactly two."""
        check_flags(self)
        classes, index, Z, penalized, back = self._prepare(X, y)
        if len(classes) != 2:
            raise ValueError(f"y has {len(classes)} classes; LogisticRegression takes two, SoftmaxRegression any number.")
        n, ridge = len(Z), self.alpha * penalized
        theta = self._minimize(
            lambda t: (0.5 * (ridge * t) @ t - log_likelihood.core(t, Z, index)) / n,
            lambda t: (ridge * t - log_likelihood_gradient.core(t, Z, index)) / n,
            lambda t: (np.diag(ridge) - log_likelihood_hessian.core(t, Z)) / n,
            np.zeros(Z.shape[1]))
        self.classes_ = classes
        self.coef_, intercept = back(theta)
        self.intercept_ = float(intercept)
        signs = 2.0 * index - 1
        self._finish(signs * (Z @ theta), lambda: signs[:, None] * Z)
        return self

    def decision_function(self, X):
        """The logit w . x + b, positive for the second class."""
        check_fitted(self, "coef_")
        return check_array(X, n_features=len(self.coef_)) @ self.coef_ + self.intercept_

    def predict_proba(self, X):
        """Probabilities (n, 2) of the classes in the order of ``classes_``."""
        t = self.decision_function(X)
        return np.column_stack([sigmoid(-t), sigmoid(t)])


class SoftmaxRegression(_Penalized):
    """Any number of classes: P(y = c | x) = softmax(W x + b)_c, minimizing cross-entropy + alpha/2 |W|^2 (eq-lg-softmax-map).

    Parameters
    ----------
    alpha, solver, tol, max_iter : as in :class:`LogisticRegression`

    Attributes
    ----------
    coef_ : (k, d) and intercept_ : (k,), of all equivalent ones (thm-lg-redundant) those whose rows sum to zero;
    classes_ : (k,) labels;  history_ : the objective, divided by n, at every step;  n_iter_;  converged_

    >>> model = SoftmaxRegression().fit([[0.0], [1.0], [4.0], [5.0], [9.0], [10.0]], [0, 0, 1, 1, 2, 2])
    >>> model.predict([[0.5], [4.5], [9.5]]), bool(np.allclose(model.coef_.sum(axis=0), 0))
    (array([0, 1, 2]), True)
    """

    def fit(self, X, y):
        """Fit to labels of any type and number."""
        check_flags(self)
        classes, index, Z, penalized, back = self._prepare(X, y)
        (n, p), k, ridge = Z.shape, len(classes), self.alpha * penalized
        # The Hessian vanishes where all rows move together. The gradient has no part there, so that adding
        # curvature in that direction leaves the step as it is and makes the matrix definite.
        together = np.kron(np.ones((k, k)), np.diag((Z**2).sum(axis=0) / k**2))
        Theta = self._minimize(
            lambda t: (softmax_cost.core(t.reshape(k, p), Z, index) + 0.5 * (ridge * t.reshape(k, p) ** 2).sum()) / n,
            lambda t: (softmax_cost_gradient.core(t.reshape(k, p), Z, index) + ridge * t.reshape(k, p)).ravel() / n,
            lambda t: (softmax_cost_hessian.core(t.reshape(k, p), Z) + np.diag(np.tile(ridge, k)) + together) / n,
            np.zeros(k * p)).reshape(k, p)
        self.classes_ = classes
        self.coef_, self.intercept_ = back(Theta)
        T = Z @ Theta.T
        others = np.eye(k)[index] == 0
        margins = (T[np.arange(n), index][:, None] - T)[others]

        def rows():
            differences = (np.eye(k)[index][:, None, :] - np.eye(k)[None])[others]  # e_y - e_c for each other class c
            return (differences[:, :, None] * np.repeat(Z, k - 1, axis=0)[:, None, :]).reshape(len(margins), k * p)

        self._finish(margins, rows)
        return self

    def decision_function(self, X):
        """Logits (n, k)."""
        check_fitted(self, "coef_")
        return check_array(X, n_features=self.coef_.shape[1]) @ self.coef_.T + self.intercept_

    def predict_proba(self, X):
        """Probabilities (n, k) of the classes in the order of ``classes_``."""
        return softmax(self.decision_function(X), axis=1)
