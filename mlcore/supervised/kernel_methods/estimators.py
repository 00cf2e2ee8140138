"""Estimators that hold a kernel: LMS, ridge regression and the perceptron in feature space."""


from mlcore.base import Estimator, as_array, check_array, check_fitted, check_labels, check_same_length, warn_not_converged
from mlcore.supervised.kernel_methods.algorithms import kernel_lms, kernel_perceptron, kernel_ridge, loo_residuals
from mlcore.supervised.kernel_methods.gram import check_gram
from mlcore.supervised.kernel_methods.kernels import resolve_kernel


class _KernelModel(Estimator):
    """What the kernel models share: f(x) = sum_i beta_i k(x_i, x), eq-kn-prediction, with the fitted rows kept."""

    def _kernel(self):
        return resolve_kernel(self.kernel, degree=self.degree, scale=self.scale, offset=self.offset, bandwidth=self.bandwidth)

    def _gram(self, X):
        """Keep X and return its Gram matrix; only the caller's own kernel or matrix needs the test, the named are proved."""
        X = check_array(X)
        K = self._kernel()(X)
        if callable(self.kernel) or self.kernel == "precomputed":
            check_gram(K, name="the Gram matrix")
        self.X_fit_ = X.copy()  # the caller may change X later; every prediction needs these rows
        return K

    def decision_function(self, X):
        """f(x) = sum_i beta_i k(x_i, x) for each row of X (for "precomputed": X holds the kernel values (m, n))."""
        check_fitted(self, "dual_coef_")
        X = check_array(X, n_features=None if self.kernel == "precomputed" else self.X_fit_.shape[1])
        return self._kernel()(X, self.X_fit_) @ self.dual_coef_


class KernelLMS(_KernelModel):
    """Least squares in feature space by batch LMS on the coefficients, eq-kn-lms; stopping early regularizes.

    Parameters
    ----------
    kernel : "gaussian", "polynomial", "linear", "precomputed" or a function K(X, Z)
    step : float or None, half of 2 / lambda_max(K)
    tol, max_iter : stop when the gradient has shrunk to ``tol`` times its first size, or after ``max_iter`` steps
    bandwidth, degree, scale, offset : parameters of the named kernels

    Attributes
    ----------
    dual_coef_ : (n,) beta;  X_fit_ : the fitted rows;  history_ : 1/2 |y - K beta|^2;  n_iter_ : int;  converged_ : bool

    >>> KernelLMS(kernel="linear").fit([[1.0], [2.0]], [2.0, 4.0]).predict([[3.0]]).round(3)
    array([6.])
    """

    def __init__(self, kernel="gaussian", step=None, tol=1e-2, max_iter=1000, bandwidth=1.0, degree=3, scale=1.0, offset=1.0):
        self.kernel = kernel
        self.step = step
        self.tol = tol
        self.max_iter = max_iter
        self.bandwidth = bandwidth
        self.degree = degree
        self.scale = scale
        self.offset = offset

    def fit(self, X, y):
        """Compute the Gram matrix and iterate from beta = 0."""
        y = check_array(y, name="y", ndim=1)
        check_same_length(check_array(X), y)
        run = kernel_lms(self._gram(X), y, self.step, self.tol, self.max_iter, check=False)
        self.dual_coef_, self.history_, self.converged_ = run
        self.n_iter_ = max(len(self.history_) - 1, 1)
        if not self.converged_:
            warn_not_converged(self, "raise max_iter or tol, or take a smaller step if history_ grows.")
        return self

    def predict(self, X):
        """Evaluate f on each row."""
        return self.decision_function(X)


class KernelRidge(_KernelModel):
    """Kernel ridge regression: minimize 1/2 sum_i (y_i - f(x_i))^2 + alpha/2 |f|^2 over the kernel's functions, eq-kn-ridge.

    There is no intercept; add one to the kernel, or center y, if the data need it.

    Parameters
    ----------
    kernel : "gaussian", "polynomial", "linear", "precomputed" or a function K(X, Z)
    alpha : float > 0
    bandwidth, degree, scale, offset : parameters of the named kernels

    Attributes
    ----------
    dual_coef_ : (n,) or (n, outputs) beta;  X_fit_ : the fitted rows

    >>> KernelRidge(kernel="linear", alpha=1.0).fit([[1.0], [2.0]], [1.0, 2.0]).predict([[6.0]]).round(6)
    array([5.])
    """

    def __init__(self, kernel="gaussian", alpha=1.0, bandwidth=1.0, degree=3, scale=1.0, offset=1.0):
        self.kernel = kernel
        self.alpha = alpha
        self.bandwidth = bandwidth
        self.degree = degree
        self.scale = scale
        self.offset = offset

    def fit(self, X, y):
        """Solve (K + alpha I) beta = y."""
        y = as_array(y, "y")
        y = check_array(y, name="y", ndim=2 if y.ndim == 2 else 1)
        check_same_length(check_array(X), y)
        self.dual_coef_ = kernel_ridge(self._gram(X), y, self.alpha, check=False)
        return self

    def predict(self, X):
        """Evaluate f on each row."""
        return self.decision_function(X)

    def loo_error(self, X, y, alphas):
        """Mean squared leave-one-out error for each of ``alphas``, thm-kn-loo, with this model's kernel."""
        X, y = check_array(X), check_array(y, name="y", ndim=1)
        check_same_length(X, y)
        return (loo_residuals(self._kernel()(X), y, alphas) ** 2).mean(axis=1)


class KernelPerceptron(_KernelModel):
    """The perceptron in feature space, eq-kn-perceptron, for two classes; each mistake adds one term to f.

    Parameters
    ----------
    kernel : "gaussian", "polynomial", "linear", "precomputed" or a function K(X, Z)
    max_iter : passes over the data, in the order of the rows
    bandwidth, degree, scale, offset : parameters of the named kernels

    Attributes
    ----------
    classes_ : the two labels, the second is where f > 0;  dual_coef_ : (n,) signed number of mistakes on each example;
    X_fit_ : the fitted rows;  history_ : mistakes of each pass;  n_iter_ : passes;  converged_ : bool

    >>> model = KernelPerceptron(kernel="polynomial", degree=2).fit([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0])
    >>> model.predict([[0.0, 1.0], [1.0, 1.0]])
    array([1, 0])
    """

    kind = "classifier"

    def __init__(self, kernel="gaussian", max_iter=100, bandwidth=1.0, degree=3, scale=1.0, offset=1.0):
        self.kernel = kernel
        self.max_iter = max_iter
        self.bandwidth = bandwidth
        self.degree = degree
        self.scale = scale
        self.offset = offset

    def fit(self, X, y):
        """Code the classes as -1 and +1 and run the dual perceptron."""
        classes, index = check_labels(y, check_array(X))
        if len(classes) > 2:
            raise ValueError(f"y has {len(classes)} classes, but a perceptron separates two; fit one model per pair of classes.")
        self.classes_ = classes
        run = kernel_perceptron(self._gram(X), 2.0 * index - 1, self.max_iter, check=False)
        self.dual_coef_, self.history_, self.converged_ = run
        self.n_iter_ = len(self.history_)
        if not self.converged_:
            warn_not_converged(self, "the classes may not be separable with this kernel.")
        return self

    def predict(self, X):
        """The second class where f(x) > 0, else the first."""
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(int)]
