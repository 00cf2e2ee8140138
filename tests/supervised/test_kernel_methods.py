"""Kernel methods: each kernel against its features, each dual algorithm against its primal, and against scikit-learn."""

import itertools
import warnings
from math import comb, factorial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.kernel_ridge import KernelRidge as SklearnKernelRidge
from sklearn.metrics import pairwise
from sklearn.preprocessing import PolynomialFeatures as SklearnPolynomialFeatures

from mlcore.base import ConvergenceWarning
from mlcore.datasets import make_moons, make_rings
from mlcore.supervised import kernel_methods as kn
from mlcore.supervised.linear_regression import batch_gradient_descent
from mlcore.supervised.ridge_lasso_polynomial import ridge_primal


def rows(n=20, d=3, seed=0, scale=1.0):
    return scale * np.random.default_rng(seed).normal(size=(n, d))


# --- kernels ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("d", [1, 2, 8, 9, 40])
@pytest.mark.parametrize("shift", [0.0, 1e4])
def test_squared_distances_keep_their_digits(d, shift):
    X = shift + rows(60, d, seed=d)
    X[30:] = X[:30] + 1e-5 * rows(30, d, seed=9)  # near duplicates: the matrix product alone would lose them
    X[59] = X[0]
    direct = ((X[:, None] - X) ** 2).sum(axis=2)
    D = kn.squared_distances(X)
    assert_array_equal(D, D.T)
    assert (np.diag(D) == 0).all() and (D >= 0).all() and D[0, 59] == 0
    assert_allclose(D, direct, rtol=1e-10)
    assert_allclose(kn.squared_distances(X[:7], X), direct[:7], rtol=1e-10)


def test_squared_distances_over_several_blocks():
    X = rows(700, 12, seed=3)
    D = kn.squared_distances(X)
    assert_array_equal(D, D.T)
    assert_allclose(D, cdist(X, X, "sqeuclidean"), rtol=1e-11)


@pytest.mark.parametrize("d", [2, 30])
def test_kernels_equal_scikit_learn(d):
    X, Z = rows(25, d), rows(10, d, seed=1)
    for pair in ((X, None), (X, Z)):
        assert_allclose(kn.linear_kernel(*pair), pairwise.linear_kernel(*pair), rtol=1e-12, atol=1e-12)
        assert_allclose(kn.polynomial_kernel(*pair, degree=5, scale=0.3, offset=2.0),
                        pairwise.polynomial_kernel(*pair, degree=5, gamma=0.3, coef0=2.0), rtol=1e-10)
        assert_allclose(kn.gaussian_kernel(*pair, bandwidth=1.7), pairwise.rbf_kernel(*pair, gamma=1 / (2 * 1.7**2)), rtol=1e-10)


@pytest.mark.parametrize("d", [2, 30])
def test_gaussian_gram_is_exactly_symmetric_with_unit_diagonal(d):
    K = kn.gaussian_kernel(rows(300, d), bandwidth=0.7)
    assert_array_equal(K, K.T)
    assert_array_equal(np.diag(K), np.ones(300))


def test_gaussian_limits_of_the_bandwidth():
    X = rows(6, 2)
    assert_allclose(kn.gaussian_kernel(X, bandwidth=1e-200), np.eye(6), atol=0)
    assert_allclose(kn.gaussian_kernel(X, bandwidth=1e9), np.ones((6, 6)), rtol=1e-12)


@pytest.mark.parametrize("degree", range(1, 12))
def test_integer_powers(degree):
    X = rows(5, 2)
    assert_allclose(kn.polynomial_kernel(X, degree=degree), (X @ X.T + 1) ** degree, rtol=1e-12)


def test_kernels_do_not_write_into_their_input():
    X = rows(30, 12)
    X.setflags(write=False)
    for kernel in (kn.linear_kernel, kn.polynomial_kernel, kn.gaussian_kernel):
        kernel(X)
        kernel(X, X)


def test_resolve_kernel():
    X, Z = rows(6, 2), rows(4, 2, seed=2)
    for name, function in (("linear", kn.linear_kernel), ("polynomial", kn.polynomial_kernel), ("gaussian", kn.gaussian_kernel)):
        assert_array_equal(kn.resolve_kernel(name)(X, Z), function(X, Z))
    assert_array_equal(kn.resolve_kernel("polynomial", degree=2, bandwidth=9.0)(X), kn.polynomial_kernel(X, degree=2))
    assert_array_equal(kn.resolve_kernel(lambda A, B: A @ B.T)(X), X @ X.T)
    assert_array_equal(kn.resolve_kernel("precomputed")(X @ X.T), X @ X.T)
    assert_array_equal(kn.resolve_kernel("precomputed")(Z @ X.T, X), Z @ X.T)


@pytest.mark.parametrize("call, message", [
    (lambda: kn.check_kernel("rbf"), "kernel must be one of 'linear', 'polynomial', 'gaussian', 'precomputed', or a function.*got 'rbf'"),
    (lambda: kn.check_kernel(3), "got 3"),
    (lambda: kn.resolve_kernel("gaussian", gamma=1.0), "no kernel has a parameter 'gamma'; known parameters: bandwidth, degree"),
    (lambda: kn.resolve_kernel("precomputed")(np.ones((3, 2))), r"must be square, \(n, n\); got shape \(3, 2\)"),
    (lambda: kn.resolve_kernel("precomputed")(np.ones((3, 2)), np.ones((5, 5))), "one column for each of the 5 fitted rows"),
    (lambda: kn.resolve_kernel(lambda A, B: np.ones((2, 2)))(np.ones((3, 1))), r"must return an array of shape \(3, 3\), got \(2, 2\)"),
    (lambda: kn.gaussian_kernel([[1.0]], bandwidth=0), "bandwidth must be a number > 0, got 0"),
    (lambda: kn.polynomial_kernel([[1.0]], degree=2.5), "degree must be an integer >= 1, got 2.5"),
    (lambda: kn.polynomial_kernel([[1.0]], offset=-1.0), "offset must be a number >= 0, got -1.0"),
    (lambda: kn.polynomial_kernel([[1.0]], scale=0.0), "scale must be a number > 0"),
    (lambda: kn.linear_kernel([[1.0, 2.0]], [[1.0]]), "X has 2 columns, but Z has 1"),
    (lambda: kn.gaussian_kernel([[np.nan]]), "X contains NaN or infinity"),
])
def test_bad_kernels(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# --- Gram matrices ---------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("kernel", [kn.linear_kernel, kn.polynomial_kernel, kn.gaussian_kernel])
def test_kernels_have_psd_gram_matrices_and_features(kernel):
    X = rows(15, 2)
    K = kernel(X)
    assert kn.is_psd(K) and kn.check_gram(K) is not None
    Phi = kn.gram_features(K)
    assert_allclose(Phi @ Phi.T, K, atol=1e-10 * np.abs(K).max())
    assert Phi.shape[1] == np.linalg.matrix_rank(K, tol=len(K) * np.finfo(float).eps * np.linalg.norm(K, 2), hermitian=True)


def test_functions_that_are_not_kernels():
    x = np.array([0.0, 1.0, 2.0])
    distance = -np.abs(x[:, None] - x)
    tanh = np.tanh(np.outer(x, x) - 1)
    assert_allclose(kn.gram_spectrum(distance), [-2.732, 0.732, 2.0], atol=5e-4)
    assert_allclose(kn.gram_spectrum(tanh), [-1.270, -0.323, 1.826], atol=5e-4)
    assert not kn.is_psd(distance) and not kn.is_psd(tanh)
    assert kn.is_psd(np.exp(distance))  # the Laplace kernel
    negative_offset = (np.outer(x, x) - 1) ** 2
    assert kn.gram_spectrum(negative_offset)[0] < -0.1


@pytest.mark.parametrize("smallest, accepted", [(0.0, True), (-1e-13, True), (-1e-6, False), (-1.0, False)])
def test_psd_test_forgives_rounding_only(smallest, accepted):
    Q = np.linalg.qr(rows(8, 8))[0]
    K = (Q * np.r_[smallest, np.arange(1.0, 8.0)]) @ Q.T
    assert kn.is_psd((K + K.T) / 2) == accepted


def test_zero_and_traceless_matrices():
    assert kn.is_psd(np.zeros((3, 3))) and kn.gram_features(np.zeros((3, 3))).shape == (3, 0)
    assert not kn.is_psd(np.diag([1.0, -1.0])) and not kn.is_psd(np.diag([-1.0, -1.0]))


@pytest.mark.parametrize("K, options, message", [
    (np.ones((2, 3)), {}, r"K must be a square Gram matrix \(n, n\), got shape \(2, 3\)"),
    (np.eye(3), {"n": 4}, r"K must be the \(4, 4\) Gram matrix of the 4 samples, got shape \(3, 3\)"),
    ([[1.0, 0.5], [0.2, 1.0]], {}, r"K must be symmetric, but K\[0, 1\] = 0.5 and K\[1, 0\] = 0.2"),
    ([[0.0, 1.0], [1.0, 0.0]], {"name": "G"}, r"G is not positive semidefinite \(smallest eigenvalue -1\).*not a kernel"),
    ([[1.0, np.inf], [np.inf, 1.0]], {}, "K contains NaN or infinity"),
])
def test_bad_gram_matrices(K, options, message):
    with pytest.raises(ValueError, match=message):
        kn.check_gram(K, **options)


def test_closure_properties_by_features():
    X, Z = rows(8, 2), rows(5, 2, seed=1)
    one, two = kn.linear_kernel, kn.gaussian_kernel
    A, C = kn.gram_features(one(X)), kn.gram_features(two(X))
    total, product = kn.kernel_sum(one, two), kn.kernel_product(one, two)
    stacked, crossed = np.hstack([A, C]), (A[:, :, None] * C[:, None, :]).reshape(8, -1)
    assert_allclose(total(X), stacked @ stacked.T, atol=1e-12)
    assert_allclose(product(X), crossed @ crossed.T, atol=1e-12)
    cosine = kn.kernel_scaled(one, lambda A: 1 / np.linalg.norm(A, axis=1))
    assert_allclose(cosine(X, Z), pairwise.cosine_similarity(X, Z), rtol=1e-12)
    assert_allclose(np.diag(cosine(X)), 1.0)
    for kernel in (total, product, cosine):
        assert kn.is_psd(kernel(X))


def test_gaussian_gram_of_distinct_points_is_positive_definite():
    assert kn.gram_spectrum(kn.gaussian_kernel(rows(12, 2), bandwidth=0.5))[0] > 1e-6


# --- feature maps ----------------------------------------------------------------------------------------------------

def test_counts_of_monomials():
    table = {(2, 2): 6, (2, 3): 10, (1, 10): 11, (2, 10): 66, (2, 50): 1326, (10, 3): 286, (10, 5): 3003, (1000, 3): 167_668_501}
    for (d, degree), count in table.items():
        assert kn.n_monomials(d, degree) == count
    for d, degree in itertools.product(range(1, 5), range(5)):
        exponents = [a for a in itertools.product(range(degree + 1), repeat=d) if sum(a) <= degree]
        assert kn.n_monomials(d, degree) == len(exponents) == SklearnPolynomialFeatures(degree).fit(np.ones((1, d))).n_output_features_


def test_tensor_features():
    X, Z = rows(5, 3), rows(4, 3, seed=1)
    Phi, Psi = kn.tensor_features(X, 3), kn.tensor_features(Z, 3)
    s = X @ Z.T
    assert Phi.shape[1] == 1 + 3 + 9 + 27 == 40
    assert kn.tensor_features(rows(2, 2), 3).shape[1] == 15
    assert_allclose(Phi @ Psi.T, 1 + s + s**2 + s**3, rtol=1e-10)
    assert np.linalg.matrix_rank(kn.tensor_features(rows(40, 2), 3)) == comb(5, 3) == 10


@pytest.mark.parametrize("degree, scale, offset", [(1, 1.0, 1.0), (2, 1.0, 0.5), (3, 0.7, 2.0), (5, 2.0, 1.0), (3, 1.0, 0.0)])
def test_monomial_map_gives_the_polynomial_kernel(degree, scale, offset):
    X, Z = rows(6, 3), rows(4, 3, seed=1)
    Phi, Psi = kn.monomial_map(X, degree, scale, offset), kn.monomial_map(Z, degree, scale, offset)
    assert Phi.shape[1] == kn.n_monomials(3, degree)
    assert_allclose(Phi @ Psi.T, kn.polynomial_kernel(X, Z, degree, scale, offset), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("bandwidth", [0.8, 2.0])
def test_gaussian_series_converges_within_its_bound(bandwidth):
    X = rows(6, 2)
    K, norms = kn.gaussian_kernel(X, bandwidth=bandwidth), (X**2).sum(axis=1) / bandwidth**2
    for degree in (0, 2, 5, 12, 25):
        Phi = kn.gaussian_series_map(X, degree, bandwidth)
        s = np.sqrt(np.outer(norms, norms))  # |x.z| / h^2 is at most this
        bound = np.exp(-(norms[:, None] + norms) / 2) * s ** (degree + 1) / factorial(degree + 1) * np.exp(s)
        assert (np.abs(Phi @ Phi.T - K) <= bound + 1e-13).all()
        missing = 1 - (Phi**2).sum(axis=1)  # the diagonal only grows
        assert (missing >= -1e-13).all()
    assert_allclose(Phi @ Phi.T, K, atol=1e-6)


# --- kernel LMS ------------------------------------------------------------------------------------------------------

def test_kernel_lms_is_lms_on_the_features_step_by_step():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
    Phi = kn.tensor_features(X, 3)
    K, step = Phi @ Phi.T, 1e-4
    theta, beta = np.zeros(15), np.zeros(20)
    for _ in range(500):
        theta = theta + step * Phi.T @ (y - Phi @ theta)
        beta = kn.kernel_lms_step(beta, K, y, step)
        assert_allclose(Phi.T @ beta, theta, atol=1e-13)
    run = kn.kernel_lms(K, y, step, tol=0, max_iter=500)
    assert_allclose(run.beta, beta, rtol=1e-9, atol=1e-12)
    explicit = batch_gradient_descent(Phi, y, step, tol=0, max_iter=500)
    assert_allclose(run.history, explicit.history, rtol=1e-9)
    assert len(run.history) == 501 and not run.converged


def test_step_limit_of_kernel_lms():
    X, y = rows(15, 2), rows(15, 1, seed=4)[:, 0]
    K = kn.gaussian_kernel(X)
    limit = kn.max_kernel_step(K)
    assert limit == pytest.approx(2 / np.linalg.norm(K, 2))
    falling = kn.kernel_lms(K, y, 0.999 * limit, tol=0, max_iter=200).history
    rising = kn.kernel_lms(K, y, 1.05 * limit, tol=0, max_iter=2000)
    assert (np.diff(falling) <= 1e-12).all()
    assert rising.history[-1] > 1e6 * rising.history[0] and not rising.converged


def test_kernel_lms_converges_to_the_shortest_least_squares_solution():
    X, y = rows(12, 2), rows(12, 1, seed=4)[:, 0]
    Phi = kn.monomial_map(X, 2)  # 6 features, 12 examples: K is singular
    run = kn.kernel_lms(kn.polynomial_kernel(X, degree=2), y, tol=1e-9, max_iter=200_000)
    assert run.converged
    assert_allclose(Phi.T @ run.beta, np.linalg.lstsq(Phi, y, rcond=None)[0], atol=1e-6)


def test_kernel_lms_estimator():
    x = np.linspace(-2, 2, 30)[:, None]
    model = kn.KernelLMS(bandwidth=0.7).fit(x, np.sin(2 * x[:, 0]))
    assert model.converged_ and model.history_[-1] < 1e-2 * model.history_[0]
    assert model.score(x, np.sin(2 * x[:, 0])) > 0.99
    assert_allclose(model.predict(x), kn.gaussian_kernel(x, bandwidth=0.7) @ model.dual_coef_, rtol=1e-12)
    with pytest.warns(ConvergenceWarning, match="max_iter=3 iterations; raise max_iter"):
        kn.KernelLMS(max_iter=3).fit(x, np.sin(2 * x[:, 0]))


# --- kernel ridge ----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("alpha", [1e-3, 0.5, 20.0])
def test_kernel_ridge_equals_explicit_ridge(alpha):
    X, y, new = rows(30, 3), rows(30, 1, seed=5)[:, 0], rows(9, 3, seed=6)
    w = ridge_primal(kn.monomial_map(X, 3), y, alpha)
    model = kn.KernelRidge("polynomial", alpha=alpha, degree=3).fit(X, y)
    assert_allclose(model.predict(new), kn.monomial_map(new, 3) @ w, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("kernel, options, theirs", [
    ("linear", {}, {"kernel": "linear"}),
    ("polynomial", {"degree": 2, "scale": 0.5, "offset": 2.0}, {"kernel": "poly", "degree": 2, "gamma": 0.5, "coef0": 2.0}),
    ("gaussian", {"bandwidth": 0.9}, {"kernel": "rbf", "gamma": 1 / (2 * 0.9**2)}),
])
def test_kernel_ridge_equals_scikit_learn(kernel, options, theirs):
    X, Y, new = rows(40, 4), rows(40, 2, seed=5), rows(9, 4, seed=6)
    for y in (Y[:, 0], Y):
        ours = kn.KernelRidge(kernel, alpha=0.3, **options).fit(X, y)
        reference = SklearnKernelRidge(alpha=0.3, **theirs).fit(X, y)
        assert_allclose(ours.dual_coef_, reference.dual_coef_, rtol=1e-7, atol=1e-9)
        assert_allclose(ours.predict(new), reference.predict(new), rtol=1e-7, atol=1e-9)


def test_kernel_ridge_minimizes_its_objective():
    X, y, alpha = rows(15, 2), rows(15, 1, seed=5)[:, 0], 0.4
    K = kn.gaussian_kernel(X)

    def objective(beta):
        return 0.5 * ((y - K @ beta) ** 2).sum() + 0.5 * alpha * beta @ K @ beta

    best = kn.kernel_ridge(K, y, alpha)
    rng = np.random.default_rng(0)
    assert all(objective(best + 1e-2 * rng.normal(size=15)) > objective(best) for _ in range(200))
    assert_allclose(alpha * best, y - K @ best, atol=1e-12)  # the residuals are alpha beta


def test_leave_one_out_equals_refitting():
    X, y = rows(18, 2), rows(18, 1, seed=5)[:, 0]
    K, alphas = kn.gaussian_kernel(X), [1e-3, 0.1, 5.0]
    short = kn.loo_residuals(K, y, alphas)
    for row, alpha in zip(short, alphas):
        for i in range(18):
            keep = np.arange(18) != i
            beta = kn.kernel_ridge(K[np.ix_(keep, keep)], y[keep], alpha)
            assert row[i] == pytest.approx(y[i] - K[i, keep] @ beta, rel=1e-6, abs=1e-9)
    assert_allclose(kn.KernelRidge().loo_error(X, y, alphas), (short**2).mean(axis=1), rtol=1e-12)


def test_precomputed_equals_the_kernel_itself():
    X, y, new = rows(20, 2), rows(20, 1, seed=5)[:, 0], rows(5, 2, seed=6)
    given = kn.KernelRidge("precomputed").fit(kn.gaussian_kernel(X), y)
    own = kn.KernelRidge(kn.gaussian_kernel).fit(X, y)
    named = kn.KernelRidge("gaussian").fit(X, y)
    assert_allclose(given.predict(kn.gaussian_kernel(new, X)), named.predict(new), rtol=1e-10)
    assert_allclose(own.predict(new), named.predict(new), rtol=1e-10)


def test_fitted_rows_are_a_copy():
    X, y = rows(20, 2), rows(20, 1, seed=5)[:, 0]
    model, new = kn.KernelRidge().fit(X, y), rows(5, 2, seed=6)
    before = model.predict(new)
    X += 1
    assert_array_equal(model.predict(new), before)


# --- kernel perceptron -----------------------------------------------------------------------------------------------

def primal_perceptron(Phi, y, max_iter):
    """The textbook loop: one weight vector, one example at a time."""
    w, history = np.zeros(Phi.shape[1]), []
    for _ in range(max_iter):
        mistakes = 0
        for phi, label in zip(Phi, y):
            if label * (w @ phi) <= 0:
                w, mistakes = w + label * phi, mistakes + 1
        history.append(mistakes)
        if mistakes == 0:
            break
    return w, history


@pytest.mark.parametrize("seed", range(4))
def test_dual_perceptron_equals_primal(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 2))
    y = np.where((X**2).sum(axis=1) + 0.3 * rng.normal(size=40) > 1.3, 1.0, -1.0)
    Phi = kn.monomial_map(X, 2)
    w, history = primal_perceptron(Phi, y, 30)
    run = kn.kernel_perceptron(kn.polynomial_kernel(X, degree=2), y, 30)
    assert run.history == history
    assert_allclose(Phi.T @ run.beta, w, atol=1e-9)
    assert (run.beta * y >= 0).all() and np.abs(run.beta).sum() == sum(history)


def test_perceptron_mistakes_obey_the_bound():
    X, label = make_rings(60, noise=0.05, rng=3)
    y = 2.0 * label - 1
    K = kn.polynomial_kernel(X, degree=2)
    run = kn.kernel_perceptron(K, y, 500)
    assert run.converged and run.history[-1] == 0
    # Any separator gives a bound R^2 |u|^2 with y f >= 1: take a nearly unpenalized least-squares fit, scaled.
    beta = kn.kernel_ridge(K, y, 1e-6)
    margin = (y * (K @ beta)).min()
    assert margin > 0
    assert sum(run.history) <= K.diagonal().max() * (beta @ K @ beta) / margin**2


def test_perceptron_estimator_and_ties():
    X, label = make_moons(60, noise=0.05, rng=2)
    model = kn.KernelPerceptron(bandwidth=0.4).fit(X, np.array(["left", "right"])[label])
    assert model.converged_ and model.score(X, np.array(["left", "right"])[label]) == 1.0
    assert_array_equal(model.predict(X) == "right", model.decision_function(X) > 0)
    with pytest.warns(ConvergenceWarning, match="may not be separable with this kernel"):
        kn.KernelPerceptron("linear", max_iter=5).fit(X, label)


@pytest.mark.parametrize("call, message", [
    (lambda: kn.kernel_ridge(np.eye(3), np.ones(2), 1.0), "X has 3 rows, but y has 2 values"),
    (lambda: kn.kernel_ridge(np.eye(3), np.ones(3), 0.0), "alpha must be a number > 0, got 0.0"),
    (lambda: kn.kernel_ridge(np.ones((60, 60)), np.ones(60), 1e-300), "lost in the rounding of the Gram matrix"),
    (lambda: kn.loo_residuals(np.eye(3), np.ones(3), [1.0, 0.0]), "alphas must be positive, got 0"),
    (lambda: kn.loo_residuals(np.eye(3), np.eye(3), [1.0]), r"y must be 1-D \(n_samples,\)"),
    (lambda: kn.kernel_lms(np.eye(3), np.ones((3, 2))), r"y must be 1-D \(n_samples,\)"),
    (lambda: kn.kernel_perceptron(np.eye(3), np.ones((3, 2))), r"y must be 1-D \(n_samples,\)"),
    (lambda: kn.kernel_perceptron(np.eye(2), [0, 1]), r"labels -1 and \+1 in one row, got \[0. 1.\]"),
    (lambda: kn.kernel_lms(np.diag([1.0, -1.0]), np.ones(2)), "not positive semidefinite"),
    (lambda: kn.max_kernel_step(np.zeros((2, 2))), "K is zero"),
    (lambda: kn.KernelRidge("precomputed").fit(np.ones((3, 2)), np.ones(3)), r"must be square, \(n, n\); got shape \(3, 2\)"),
    (lambda: kn.KernelRidge("precomputed").fit(-np.eye(3), np.ones(3)), "the Gram matrix is not positive semidefinite"),
    (lambda: kn.KernelRidge("precomputed").fit(np.eye(3), np.ones(3)).predict(np.ones((2, 4))), "one column for each of the 3 fitted rows"),
    (lambda: kn.KernelRidge(lambda A, B: np.tanh(A @ B.T - 1)).fit([[0.0], [1.0], [2.0]], np.ones(3)), "smallest eigenvalue -1.27"),
    (lambda: kn.KernelRidge("cosine").fit([[0.0], [1.0]], np.ones(2)), "got 'cosine'"),
    (lambda: kn.KernelPerceptron().fit(np.eye(3), [0, 1, 2]), "y has 3 classes, but a perceptron separates two"),
    (lambda: kn.KernelPerceptron().fit(np.eye(3), [1, 1, 1]), "y has 1 class"),
])
def test_bad_problems(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# --- string kernels --------------------------------------------------------------------------------------------------

def pairs_of_equal_substrings(s, t, k):
    return sum(s[i:i + k] == t[j:j + k] for i in range(len(s) - k + 1) for j in range(len(t) - k + 1))


@pytest.mark.parametrize("length", [1, 2, 3, 5])
def test_spectrum_kernel_counts_pairs(length):
    texts = ["banana", "ananas", "abracadabra", "bar", ""]
    raw = kn.spectrum_kernel(texts, length=length, normalize=False)
    assert_array_equal(raw, [[pairs_of_equal_substrings(s, t, length) for t in texts] for s in texts])
    assert kn.is_psd(raw)
    norms = np.sqrt(np.maximum(np.diag(raw), 1))
    assert_allclose(kn.spectrum_kernel(texts, length=length), raw / np.outer(norms, norms), atol=1e-14)
    assert_allclose(kn.spectrum_kernel(texts[:2], texts[1:], length=length), (raw / np.outer(norms, norms))[:2, 1:], atol=1e-14)


@pytest.mark.parametrize("length, mismatches", [(2, 0), (2, 1), (3, 1), (3, 2)])
def test_mismatch_kernel_by_brute_force(length, mismatches):
    texts, letters = ["abca", "bbc", "cabac"], "abc"
    words = ["".join(w) for w in itertools.product(letters, repeat=length)]

    def features(text):
        return [sum(sum(a != b for a, b in zip(word, sub)) <= mismatches for sub in kn.substrings(text, length)) for word in words]

    Phi = np.array([features(t) for t in texts])
    got = kn.mismatch_kernel(texts, length=length, mismatches=mismatches, normalize=False)
    assert_array_equal(got, Phi @ Phi.T)
    assert_array_equal(kn.mismatch_kernel(texts[:1], texts[1:], length, mismatches, letters, normalize=False), (Phi @ Phi.T)[:1, 1:])
    near = kn.neighborhood("aba", mismatches, letters)
    assert len(near) == sum(comb(3, j) * 2**j for j in range(mismatches + 1))


def test_mismatch_without_mismatch_is_the_spectrum():
    texts = kn.load_sentences()[0][:6]
    assert_allclose(kn.mismatch_kernel(texts, mismatches=0), kn.spectrum_kernel(texts), atol=1e-14)


def test_sentences():
    texts, languages, thoughts, names = kn.load_sentences()
    assert len(texts) == len(set(texts)) == 48 and names == ["English", "German", "Dutch", "Italian"]
    assert all(text.isascii() and text == text.lower() for text in texts)
    assert_array_equal(np.bincount(languages), [12] * 4)
    assert_array_equal(np.bincount(thoughts), [4] * 12)


def test_substrings_tell_languages_apart():
    texts, languages, thoughts, _ = kn.load_sentences()
    K = kn.spectrum_kernel(texts, length=3)
    right = 0
    for t in range(12):  # all four translations of a thought are left out together
        train, test = thoughts != t, thoughts == t
        model = kn.KernelRidge("precomputed", alpha=0.1).fit(K[np.ix_(train, train)], np.eye(4)[languages[train]])
        right += (model.predict(K[np.ix_(test, train)]).argmax(axis=1) == languages[test]).sum()
    assert right == 48


@pytest.mark.parametrize("call, message", [
    (lambda: kn.spectrum_kernel("banana"), r"texts must be a list of texts, got one text; use \['banana'\]"),
    (lambda: kn.spectrum_kernel(["a", 3]), "must be a non-empty list of texts; got 3"),
    (lambda: kn.spectrum_kernel([]), "got an empty list"),
    (lambda: kn.spectrum_kernel(["a"], length=0), "length must be an integer >= 1, got 0"),
    (lambda: kn.mismatch_kernel(["abc"], length=2, mismatches=3), "mismatches must be an integer >= 0 and <= 2, got 3"),
    (lambda: kn.mismatch_kernel(["abz"], alphabet="ab"), "letters outside the alphabet: 'z'"),
])
def test_bad_texts(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_no_warning_on_ordinary_data():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        X, label = make_rings(40, rng=0)
        kn.KernelPerceptron().fit(X, label).predict(X)
        kn.KernelRidge().fit(X, label).predict(X)
        kn.KernelLMS().fit(X, label).predict(X)
