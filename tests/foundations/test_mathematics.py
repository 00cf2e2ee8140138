"""The shared mathematics: every identity by a second route, extreme inputs, agreement with numpy, scipy and torch."""

import itertools
import warnings
from graphlib import TopologicalSorter

import numpy as np
import pytest
import scipy.integrate
import scipy.sparse.csgraph
import scipy.special
import scipy.stats
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime

import mlcore.foundations.mathematics as mm
from mlcore.base import ConvergenceWarning
from mlcore.foundations.mathematics.correlation import column_correlations

EXTREMES = np.array([-1e308, -1e5, -746.0, -709.0, -40.0, -1.0, -1e-300, 0.0, 1e-300, 1.0, 40.0, 709.0, 746.0, 1e5, 1e308])
numbers = st.floats(-50, 50)
vectors = hnp.arrays(float, st.integers(1, 8), elements=numbers)


@pytest.fixture(autouse=True)
def no_warnings():
    """Nothing here may overflow, divide by zero or make a NaN on the way to its answer."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def spd(rng, d, floor=0.1):
    A = rng.normal(size=(d, d))
    return A @ A.T + floor * np.eye(d)


def distributions(n):
    return hnp.arrays(float, n, elements=st.floats(0, 1)).filter(lambda p: p.sum() > 1e-3).map(lambda p: p / p.sum())


# numerical derivatives


def test_known_gradients_of_matrix_functions():
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(3, 4)), rng.normal(size=(4, 3))
    assert_allclose(mm.numerical_gradient(lambda M: np.trace(M @ B), A), B.T, atol=1e-8)
    S = A[:, :3] + 3 * np.eye(3)
    assert_allclose(mm.numerical_gradient(np.linalg.det, S), np.linalg.det(S) * np.linalg.inv(S).T, rtol=1e-6, atol=1e-6)


def test_a_number_is_an_array_without_axes():
    assert_allclose(mm.numerical_gradient(np.exp, 1.0), np.e, rtol=1e-9)
    assert mm.numerical_gradient(np.exp, 1.0).shape == ()


def test_error_falls_with_the_square_of_the_step():
    steps = np.array([1e-2, 5e-3])
    errors = [abs(float(mm.numerical_gradient(np.exp, 1.0, h=h)) - np.e) for h in steps]
    assert_allclose(errors[0] / errors[1], 4, rtol=0.01)


def test_large_entries_get_a_proportional_step():
    assert_allclose(mm.numerical_gradient(lambda x: float(x[0] ** 2), [1e12]), [2e12], rtol=1e-6)


def test_gradient_agrees_with_scipy():
    def rosenbrock(x):
        return float(100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2)

    x = np.array([-0.7, 1.3])
    assert_allclose(mm.numerical_gradient(rosenbrock, x), approx_fprime(x, rosenbrock), rtol=1e-4)


def test_gradient_error_tells_right_from_wrong():
    A = np.random.default_rng(1).normal(size=(2, 3))
    assert mm.gradient_error(lambda M: (M**3).sum(), lambda M: 3 * M**2, A) < 1e-8
    assert mm.gradient_error(lambda M: (M**3).sum(), lambda M: -3 * M**2, A) > 0.5
    assert mm.gradient_error(lambda M: (M**3).sum(), lambda M: 3 * M**2 + 1e-3, A) > 1e-5


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=6))
def test_gradient_of_a_quadratic_form(values):
    x = np.array(values)
    Q = np.arange(len(x) ** 2).reshape(len(x), len(x)) / len(x) ** 2
    assert mm.gradient_error(lambda v: v @ Q @ v, lambda v: (Q + Q.T) @ v, x) < 1e-6


# The table of the chapter: function, gradient in general, form printed in wei (None where it is right).
def matrix_derivatives(rng):
    n = 3
    u, v = rng.normal(size=n), rng.normal(size=n)
    B, P, Q = rng.normal(size=(3, n, n))
    inv, det = np.linalg.inv, np.linalg.det
    return {
        "u'Av": (lambda A: u @ A @ v, lambda A: np.outer(u, v), None),
        "u'X'Xv": (lambda X: u @ X.T @ X @ v, lambda X: X @ (np.outer(u, v) + np.outer(v, u)), None),
        "tr X'BX": (lambda X: np.trace(X.T @ B @ X), lambda X: (B + B.T) @ X, lambda X: 2 * B @ X),
        "tr X'XA": (lambda X: np.trace(X.T @ X @ P), lambda X: X @ (P + P.T), lambda X: 2 * X @ P),
        "tr A'X'XA": (lambda X: np.trace(P.T @ X.T @ X @ P), lambda X: 2 * X @ P @ P.T, None),
        "det A": (det, lambda A: det(A) * inv(A).T, lambda A: det(A) * inv(A)),
        "u'inv(A)v": (lambda A: u @ inv(A) @ v, lambda A: -inv(A).T @ np.outer(u, v) @ inv(A).T,
                      lambda A: inv(A) @ np.outer(u, v) @ inv(A)),
        "tr APA'Q": (lambda A: np.trace(A @ P @ A.T @ Q), lambda A: Q.T @ A @ P.T + Q @ A @ P, lambda A: (Q.T + Q) @ A @ P),
        "log det A": (lambda A: np.linalg.slogdet(A)[1], lambda A: inv(A).T, None),
    }


@pytest.mark.parametrize("seed", range(5))
def test_matrix_derivatives_right_and_wrong(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(3, 3)) + 3 * np.eye(3)
    for name, (f, grad, printed) in matrix_derivatives(rng).items():
        assert mm.gradient_error(f, grad, X) < 1e-7, name
        if printed is not None:
            assert mm.gradient_error(f, printed, X) > 1e-2, f"{name}: the printed form should fail"


def test_matrix_derivatives_equal_autograd():
    rng = np.random.default_rng(7)
    X0 = rng.normal(size=(3, 3)) + 3 * np.eye(3)
    table = matrix_derivatives(rng)
    X = torch.tensor(X0, requires_grad=True)
    for name, f in {"log det A": torch.logdet(X), "det A": torch.linalg.det(X)}.items():
        (grad,) = torch.autograd.grad(f, X)
        assert_allclose(table[name][1](X0), grad.numpy(), rtol=1e-12)


# log space


def test_sigmoid_equals_scipy_to_the_last_digits_everywhere():
    assert_allclose(mm.sigmoid(EXTREMES), scipy.special.expit(EXTREMES), rtol=1e-14)
    assert_allclose(mm.log_sigmoid(EXTREMES), scipy.special.log_expit(EXTREMES), rtol=1e-14)
    assert mm.sigmoid(np.inf) == 1 and mm.sigmoid(-np.inf) == 0 and mm.log_sigmoid(-np.inf) == -np.inf
    assert mm.sigmoid(-730.0) > 0, "the smallest probabilities are not rounded to 0"


@given(hnp.arrays(float, 5, elements=st.floats(allow_nan=False)))
def test_sigmoid_is_odd_about_one_half_and_increasing(z):
    assert_allclose(mm.sigmoid(z) + mm.sigmoid(-z), 1, rtol=1e-15)
    assert (np.diff(mm.sigmoid(np.sort(z))) >= 0).all()
    finite = z[np.isfinite(z)]
    assert_allclose(mm.log_sigmoid(finite) - mm.log_sigmoid(-finite), finite, rtol=1e-12, atol=1e-15)  # the log odds


def test_sigmoid_keeps_the_shape():
    assert mm.sigmoid(0.0) == 0.5 and np.ndim(mm.sigmoid(0.0)) == 0
    assert mm.sigmoid([[1, 2]]).shape == mm.log_sigmoid([[1, 2]]).shape == (1, 2)


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2)])
def test_logsumexp_equals_scipy(axis):
    a = np.random.default_rng(2).normal(size=(2, 3, 4)) * 300
    a[0, 0, 0] = -np.inf
    for keepdims in (False, True):
        ours, theirs = mm.logsumexp(a, axis, keepdims), scipy.special.logsumexp(a, axis=axis, keepdims=keepdims)
        assert np.shape(ours) == np.shape(theirs)
        assert_allclose(ours, theirs, rtol=1e-14)


def test_logsumexp_at_the_ends():
    assert mm.logsumexp([-np.inf, -np.inf]) == -np.inf
    assert mm.logsumexp([np.inf, 0.0]) == np.inf
    assert_allclose(mm.logsumexp([[-np.inf, -np.inf], [0.0, 0.0]], axis=1), [-np.inf, np.log(2)])
    assert_allclose(mm.logsumexp([1e5, 1e5]), 1e5 + np.log(2), rtol=1e-15)
    assert_allclose(mm.logsumexp([-1e308, 1e308]), 1e308)


@given(vectors, numbers)
def test_logsumexp_moves_with_a_shift_and_bounds_the_maximum(a, shift):
    value = mm.logsumexp(a)
    assert_allclose(mm.logsumexp(a + shift), value + shift, rtol=1e-12, atol=1e-12)
    assert a.max() <= value <= a.max() + np.log(len(a)) + 1e-12


@given(vectors, numbers)
def test_softmax_is_a_distribution_that_ignores_shifts(a, shift):
    p = mm.softmax(a)
    assert_allclose(p.sum(), 1, rtol=1e-14)
    assert_allclose(mm.softmax(a + shift), p, rtol=1e-9)
    assert_allclose(np.exp(mm.log_softmax(a)), p, rtol=1e-12)


def test_softmax_equals_scipy_and_torch():
    a = np.random.default_rng(3).normal(size=(4, 5)) * 100
    for axis in (0, 1):
        assert_allclose(mm.softmax(a, axis), scipy.special.softmax(a, axis=axis), rtol=1e-13)
        assert_allclose(mm.log_softmax(a, axis), scipy.special.log_softmax(a, axis=axis), rtol=1e-13, atol=1e-300)
        assert_allclose(mm.log_softmax(a, axis), torch.log_softmax(torch.tensor(a), axis).numpy(), rtol=1e-12, atol=1e-15)
    assert_array_equal(mm.softmax([1e308, -1e308]), [1, 0])
    assert_array_equal(mm.log_softmax([1e5, -1e5, -np.inf]), [0, -2e5, -np.inf])


def test_softmax_of_two_is_the_sigmoid_of_the_difference():
    a, b = 3.2, -1.1
    assert_allclose(mm.softmax([a, b])[0], mm.sigmoid(a - b), rtol=1e-14)


def test_gradient_of_logsumexp_is_softmax():
    assert mm.gradient_error(mm.logsumexp, mm.softmax, np.array([1.0, -2.0, 0.5])) < 1e-9


# linear algebra


def test_block_identities_on_random_matrices():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        p, q = rng.integers(1, 5, size=2)
        M = rng.normal(size=(p + q, p + q)) + 4 * np.eye(p + q)
        A, B, C, D = M[:p, :p], M[:p, p:], M[p:, :p], M[p:, p:]
        assert_allclose(mm.block_determinant(A, B, C, D), np.linalg.det(M), rtol=1e-9)
        for pivot in "AD":
            assert_allclose(mm.block_inverse(A, B, C, D, pivot=pivot), np.linalg.inv(M), rtol=1e-8, atol=1e-9)
        assert_allclose(np.linalg.inv(mm.schur_complement(A, B, C, D)), np.linalg.inv(M)[p:, p:], rtol=1e-8, atol=1e-9)


def test_block_inverse_needs_its_pivot_only():
    Z, eye = np.zeros((1, 1)), np.eye(1)
    assert_allclose(mm.block_inverse(Z, eye, eye, eye, pivot="D"), np.linalg.inv([[0, 1], [1, 1]]))
    with pytest.raises(ValueError, match="A must be invertible"):
        mm.block_inverse(Z, eye, eye, eye)
    with pytest.raises(ValueError, match="D must be invertible"):
        mm.block_inverse(eye, eye, eye, Z, pivot="D")
    with pytest.raises(ValueError, match="Schur complement of A"):
        mm.block_inverse(eye, eye, eye, eye)


@pytest.mark.parametrize("diagonal", [True, False])
def test_woodbury_against_the_direct_solution(diagonal):
    rng = np.random.default_rng(4)
    n, k = 7, 2
    A = np.abs(rng.normal(size=n)) + 1 if diagonal else spd(rng, n)
    U, C, V = rng.normal(size=(n, k)), rng.normal(size=(k, k)), rng.normal(size=(k, n))
    full = (np.diag(A) if diagonal else A) + U @ C @ V
    for rhs in (rng.normal(size=n), rng.normal(size=(n, 3))):
        assert_allclose(mm.woodbury_solve(A, U, C, V, rhs), np.linalg.solve(full, rhs), rtol=1e-8, atol=1e-9)
    assert_allclose(mm.woodbury_logdet(A, U, C, V), np.linalg.slogdet(full)[1], rtol=1e-10)
    singular = np.zeros((k, k))
    assert_allclose(mm.woodbury_solve(A, U, singular, V, np.ones(n)), np.linalg.solve(full - U @ C @ V, np.ones(n)), rtol=1e-9)


def test_sorted_eigh_diagonalizes_in_order():
    S = spd(np.random.default_rng(5), 6) - 2 * np.eye(6)
    values, vectors = mm.sorted_eigh(S)
    assert (np.diff(values) <= 0).all()
    assert_allclose(vectors.T @ vectors, np.eye(6), atol=1e-12)
    assert_allclose(vectors @ np.diag(values) @ vectors.T, S, atol=1e-12)
    assert (vectors[np.abs(vectors).argmax(axis=0), range(6)] > 0).all()


def test_plane_distance_is_the_distance_to_the_projection():
    rng = np.random.default_rng(6)
    X, w, b = rng.normal(size=(5, 3)), rng.normal(size=3), 0.7
    foot = X - ((X @ w + b) / (w @ w))[:, None] * w
    assert_allclose(foot @ w + b, 0, atol=1e-12)
    assert_allclose(mm.plane_distance(X, w, b), np.linalg.norm(X - foot, axis=1), rtol=1e-12)


# information


@given(distributions(5), distributions(5))
def test_entropies_equal_scipy(p, q):
    assert_allclose(mm.entropy(p), scipy.stats.entropy(p), rtol=1e-12, atol=1e-12)
    with np.errstate(all="ignore"):
        theirs = scipy.special.rel_entr(p, q).sum()
    assert_allclose(mm.kl_divergence(p, q), max(theirs, 0), rtol=1e-9, atol=1e-12)
    assert_allclose(mm.cross_entropy(p, q), mm.entropy(p) + mm.kl_divergence(p, q), rtol=1e-12)
    assert 0 <= mm.entropy(p) <= np.log(5) + 1e-12


def test_entropy_of_rows_and_bits():
    P = np.array([[0.5, 0.5, 0, 0], [0.25] * 4])
    assert_allclose(mm.entropy(P, base=2), [1, 2])
    assert_allclose(mm.entropy(P.T, axis=0), np.log([2, 4]))
    assert_allclose(mm.kl_divergence(P, P[1]), [np.log(2), 0])
    assert mm.kl_divergence(P[1], P[0]) == np.inf and mm.cross_entropy(P[1], P[0]) == np.inf


@given(distributions(6))
def test_chain_rule_of_information(p):
    joint = p.reshape(2, 3)
    px, py = joint.sum(axis=1), joint.sum(axis=0)
    brute = sum(px[i] * scipy.stats.entropy(joint[i] / px[i]) for i in range(2) if px[i] > 1e-12)
    assert_allclose(mm.conditional_entropy(joint), brute, atol=1e-9)
    assert_allclose(mm.mutual_information(joint), mm.entropy(py) - mm.conditional_entropy(joint), atol=1e-9)
    assert_allclose(mm.mutual_information(joint), mm.mutual_information(joint.T), atol=1e-12)


# the Gaussian


@pytest.mark.parametrize("d", [1, 2, 5, 40])
def test_log_gaussian_equals_scipy_and_torch(d):
    rng = np.random.default_rng(d)
    mu, Sigma, X = rng.normal(size=d), spd(rng, d), rng.normal(size=(9, d)) * 3
    ours = mm.log_gaussian(X, mu, Sigma)
    assert_allclose(ours, scipy.stats.multivariate_normal(mu, Sigma).logpdf(X), rtol=1e-9)
    theirs = torch.distributions.MultivariateNormal(torch.tensor(mu), torch.tensor(Sigma)).log_prob(torch.tensor(X))
    assert_allclose(ours, theirs.numpy(), rtol=1e-10)
    single = mm.log_gaussian(X[0], mu, Sigma)
    assert isinstance(single, float)
    assert_allclose(single, ours[0], rtol=1e-12)


def test_log_gaussian_where_the_density_underflows():
    d = 400
    Sigma = 1e-4 * np.eye(d)  # its determinant, 1e-1600, is 0 in floating point
    assert_allclose(mm.log_gaussian(np.ones((1, d)), np.zeros(d), Sigma), -0.5 * d * (np.log(2 * np.pi * 1e-4) + 1e4), rtol=1e-13)
    assert mm.log_gaussian(np.empty((0, 2)), [0, 0], np.eye(2)).shape == (0,)


def test_density_integrates_to_one_with_the_right_moments():
    mu, Sigma = np.array([0.3, -0.2]), np.array([[2.0, 0.8], [0.8, 1.0]])
    x, y = np.linspace(-12, 12, 481), np.linspace(-9, 9, 361)
    points = np.array(list(itertools.product(x, y)))
    mass = np.exp(mm.log_gaussian(points, mu, Sigma)) * (x[1] - x[0]) * (y[1] - y[0])
    assert_allclose(mass.sum(), 1, rtol=1e-8)
    assert_allclose(mass @ points, mu, atol=1e-8)
    assert_allclose((points - mu).T @ (mass[:, None] * (points - mu)), Sigma, atol=1e-7)
    assert_allclose(-mass @ np.log(mass / ((x[1] - x[0]) * (y[1] - y[0]))), mm.gaussian_entropy(Sigma), rtol=1e-7)


def test_conditional_is_joint_over_marginal():
    rng = np.random.default_rng(8)
    mu, Sigma, x = rng.normal(size=5), spd(rng, 5), rng.normal(size=5)
    given, rest = [3, 0], [1, 2, 4]
    mean, covariance = mm.gaussian_conditional(mu, Sigma, given, x[given])
    ratio = mm.log_gaussian(x, mu, Sigma) - mm.log_gaussian(x[given], *mm.gaussian_marginal(mu, Sigma, given))
    assert_allclose(mm.log_gaussian(x[rest], mean, covariance), ratio, rtol=1e-9)
    many, same = mm.gaussian_conditional(mu, Sigma, given, np.stack([x[given], mu[given]]))
    assert_allclose(many, [mean, mu[rest]], rtol=1e-12)
    assert_allclose(same, covariance)
    precision = np.linalg.inv(Sigma)
    assert_allclose(np.linalg.inv(covariance), precision[np.ix_(rest, rest)], rtol=1e-8, atol=1e-10)


def test_conditional_mean_of_the_fitted_gaussian_is_least_squares():
    rng = np.random.default_rng(9)
    X = rng.normal(size=(40, 3)) @ rng.normal(size=(3, 3))
    mean, covariance = mm.gaussian_conditional(X.mean(axis=0), np.cov(X.T, bias=True), [0, 1], X[:, :2])
    design = np.column_stack([np.ones(40), X[:, :2]])
    fit = design @ np.linalg.lstsq(design, X[:, 2], rcond=None)[0]
    assert_allclose(mean[:, 0], fit, rtol=1e-9, atol=1e-11)
    assert_allclose(covariance[0, 0], ((X[:, 2] - fit) ** 2).mean(), rtol=1e-9)


def test_product_of_densities_at_points():
    rng = np.random.default_rng(10)
    a, A, b, B, X = rng.normal(size=3), spd(rng, 3), rng.normal(size=3), spd(rng, 3), rng.normal(size=(6, 3))
    log_z, mean, covariance = mm.gaussian_product(a, A, b, B)
    assert_allclose(log_z + mm.log_gaussian(X, mean, covariance), mm.log_gaussian(X, a, A) + mm.log_gaussian(X, b, B), rtol=1e-9)
    assert_allclose(np.linalg.inv(covariance), np.linalg.inv(A) + np.linalg.inv(B), rtol=1e-8, atol=1e-9)


def test_bayes_rule_for_the_linear_model():
    rng = np.random.default_rng(11)
    mu, Sigma, A, b, R = rng.normal(size=2), spd(rng, 2), rng.normal(size=(3, 2)), rng.normal(size=3), spd(rng, 3)
    joint = mm.gaussian_joint(mu, Sigma, A, b, R)
    x, y = rng.normal(size=2), rng.normal(size=3)
    likelihood = mm.log_gaussian(y, A @ x + b, R)
    assert_allclose(mm.log_gaussian(np.append(x, y), *joint), mm.log_gaussian(x, mu, Sigma) + likelihood, rtol=1e-9)
    mean, covariance = mm.gaussian_conditional(*joint, [2, 3, 4], y)
    precision = np.linalg.inv(Sigma) + A.T @ np.linalg.solve(R, A)
    assert_allclose(np.linalg.inv(covariance), precision, rtol=1e-8, atol=1e-9)
    assert_allclose(precision @ mean, np.linalg.solve(Sigma, mu) + A.T @ np.linalg.solve(R, y - b), rtol=1e-8, atol=1e-9)


def test_samples_have_the_moments_and_whitening_undoes_them():
    mu, Sigma, n = np.array([1.0, -2.0]), np.array([[2.0, 0.8], [0.8, 1.0]]), 20000
    X = mm.sample_gaussian(mu, Sigma, n, random_state=0)
    assert_allclose(X.mean(axis=0), mu, atol=5 * np.sqrt(2 / n))
    assert_allclose(np.cov(X.T), Sigma, atol=5 * np.sqrt(2 * 4 / n))
    Z = mm.whiten(X, mu, Sigma)
    assert_allclose(np.cov(Z.T), np.eye(2), atol=5 * np.sqrt(2 / n))
    assert_allclose(mm.squared_mahalanobis(X, mu, Sigma), ((X - mu) @ np.linalg.inv(Sigma) * (X - mu)).sum(axis=1), rtol=1e-9)
    assert_array_equal(X, mm.sample_gaussian(mu, Sigma, n, random_state=np.random.default_rng(0)))
    assert scipy.stats.kstest(mm.squared_mahalanobis(X, mu, Sigma), scipy.stats.chi2(2).cdf).pvalue > 1e-3


def test_affine_map_of_samples_and_ellipse():
    rng = np.random.default_rng(12)
    mu, Sigma, A = rng.normal(size=3), spd(rng, 3), rng.normal(size=(2, 3))
    mean, covariance = mm.gaussian_affine(mu, Sigma, A, [1.0, 2.0])
    assert_allclose(mean, A @ mu + [1, 2])
    X = mm.sample_gaussian(mu, Sigma, 50, random_state=1)
    assert_allclose(np.cov((X @ A.T).T), A @ np.cov(X.T) @ A.T)
    assert_allclose(covariance, A @ Sigma @ A.T, rtol=1e-12)
    curve = mm.gaussian_ellipse(mean, covariance, radius=1.5)
    assert_allclose(mm.squared_mahalanobis(curve, mean, covariance), 2.25, rtol=1e-9)


def test_gaussian_kl_by_integration_and_torch():
    a, A, b, B = np.array([0.5]), np.array([[0.7]]), np.array([-0.3]), np.array([[1.9]])
    one = scipy.integrate.quad(lambda x: np.exp(mm.log_gaussian([x], a, A)) * (mm.log_gaussian([x], a, A) - mm.log_gaussian([x], b, B)),
                               -12, 12)[0]
    assert_allclose(mm.gaussian_kl(a, A, b, B), one, rtol=1e-8)
    rng = np.random.default_rng(13)
    a, A, b, B = rng.normal(size=4), spd(rng, 4), rng.normal(size=4), spd(rng, 4)
    normal = [torch.distributions.MultivariateNormal(torch.tensor(m), torch.tensor(S)) for m, S in ((a, A), (b, B))]
    assert_allclose(mm.gaussian_kl(a, A, b, B), float(torch.distributions.kl_divergence(*normal)), rtol=1e-10)
    assert_allclose(mm.gaussian_kl(a, A, a, A), 0, atol=1e-12)
    assert_allclose(mm.gaussian_entropy(A), scipy.stats.multivariate_normal(a, A).entropy(), rtol=1e-12)


# calculus of variations


@pytest.mark.parametrize(("grid", "features", "moments", "exact"), [
    (np.linspace(0, 2, 401), lambda x: np.empty((0, len(x))), [], scipy.stats.uniform(0, 2).pdf),
    (np.linspace(0, 40, 8001), lambda x: x[None], [1.5], scipy.stats.expon(scale=1.5).pdf),
    (np.linspace(-12, 12, 4001), lambda x: np.stack([x, x**2]), [0.5, 1.25], scipy.stats.norm(0.5, 1.0).pdf),
])
def test_three_maximum_entropy_densities(grid, features, moments, exact):
    F = features(grid)
    density, multipliers = mm.maximum_entropy_density(grid, F, moments)
    assert_allclose(density, exact(grid), atol=2e-5)
    assert_allclose(scipy.integrate.trapezoid(density, grid), 1, rtol=1e-12)
    assert_allclose(scipy.integrate.trapezoid(F * density, grid), moments, atol=1e-8)


def test_maximum_entropy_beats_every_density_with_the_same_moments():
    grid = np.linspace(-8, 8, 1601)
    density, _ = mm.maximum_entropy_density(grid, np.stack([grid, grid**2]), [0.0, 1.0])

    def h(p):
        return -scipy.integrate.trapezoid(scipy.special.xlogy(p, p), grid)

    root = np.sqrt(3)
    rivals = [scipy.stats.laplace(scale=np.sqrt(0.5)), scipy.stats.logistic(scale=root / np.pi), scipy.stats.uniform(-root, 2 * root)]
    assert all(h(r.pdf(grid)) < h(density) - 0.01 for r in rivals)
    assert_allclose(h(density), mm.gaussian_entropy([[1.0]]), rtol=1e-6)


def test_impossible_moments_warn():
    grid = np.linspace(-1, 1, 201)
    with pytest.warns(ConvergenceWarning, match="is there a density with these means"):
        mm.maximum_entropy_density(grid, np.stack([grid, grid**2]), [0.9, 0.1], max_iter=20)  # E[x^2] < E[x]^2


# graphs


def random_lengths(rng, n, density=0.4):
    lengths = np.where(rng.random((n, n)) < density, rng.integers(0, 9, size=(n, n)), np.inf)
    np.fill_diagonal(lengths, 0)
    return lengths


@pytest.mark.parametrize("seed", range(6))
def test_dijkstra_against_floyd_warshall_and_scipy(seed):
    lengths = random_lengths(np.random.default_rng(seed), 12)
    distance, predecessor = mm.dijkstra(lengths)
    floyd = lengths.copy()
    for k in range(12):
        floyd = np.minimum(floyd, floyd[:, [k]] + floyd[[k]])
    assert_array_equal(distance, floyd)
    positive = np.where(lengths == 0, 0.5, lengths)
    theirs = scipy.sparse.csgraph.dijkstra(np.where(np.isinf(positive) | np.eye(12, dtype=bool), 0, positive))
    assert_allclose(mm.dijkstra(positive)[0], theirs)
    for s, t in itertools.product(range(12), repeat=2):
        path = mm.shortest_path(predecessor[s], t)
        if np.isfinite(distance[s, t]):
            assert path[0] == s and path[-1] == t
            assert sum(lengths[i, j] for i, j in itertools.pairwise(path)) == distance[s, t]
    one, before = mm.dijkstra(lengths, 3)
    assert_array_equal(one, distance[3])
    assert_array_equal(before, predecessor[3])
    assert_array_equal(mm.dijkstra(lengths, [3, 5])[0], distance[[3, 5]])


@pytest.mark.parametrize("seed", range(4))
def test_laplacian_and_components_against_scipy(seed):
    rng = np.random.default_rng(seed)
    W = np.triu(np.where(rng.random((15, 15)) < 0.1, rng.random((15, 15)), 0), 1)
    W = W + W.T
    L = mm.laplacian(W)
    assert_allclose(L, scipy.sparse.csgraph.laplacian(W))
    labels = mm.connected_components(W)
    count, theirs = scipy.sparse.csgraph.connected_components(W)
    assert labels.max() + 1 == count and len(set(zip(labels, theirs))) == count
    assert (np.linalg.eigvalsh(L) < 1e-10).sum() == count
    f = rng.normal(size=15)
    assert_allclose(f @ L @ f, 0.5 * (W * (f[:, None] - f) ** 2).sum(), rtol=1e-10)
    dense = W + np.ones((15, 15)) - np.eye(15)
    assert_allclose(mm.laplacian(dense, norm="sym"), scipy.sparse.csgraph.laplacian(dense, normed=True))
    loops = dense + np.diag(rng.random(15))
    for norm in (None, "rw", "sym"):
        assert_array_equal(mm.laplacian(loops, norm), mm.laplacian(dense, norm))
    assert_allclose(mm.laplacian(loops, norm="sym"), scipy.sparse.csgraph.laplacian(loops, normed=True))
    walk = np.linalg.eigvals(mm.laplacian(dense, norm="rw")).real
    assert_allclose(np.sort(walk), np.linalg.eigvalsh(mm.laplacian(dense, norm="sym")), atol=1e-10)


def test_two_triangles():
    W = np.zeros((6, 6))
    for i, j in [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5)]:
        W[i, j] = W[j, i] = 1
    spectrum = np.sort(np.linalg.eigvals(mm.laplacian(W, norm="rw")).real)
    assert_allclose(spectrum, [0, 0.204666, 1.166667, 1.5, 1.5, 1.628667], atol=1e-6)
    assert mm.maximal_cliques(W) == [[0, 1, 2], [2, 3], [3, 4, 5]]


@pytest.mark.parametrize("seed", range(6))
def test_cliques_against_all_subsets(seed):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((8, 8)) < 0.5, 1).astype(float)
    W = W + W.T
    cliques = [set(c) for k in range(1, 9) for c in itertools.combinations(range(8), k)
               if all(W[i, j] for i, j in itertools.combinations(c, 2))]
    want = sorted(sorted(c) for c in cliques if not any(c < d for d in cliques))
    assert mm.maximal_cliques(W) == want


@pytest.mark.parametrize("seed", range(6))
def test_topological_order_points_forward(seed):
    rng = np.random.default_rng(seed)
    hidden = rng.permutation(10)
    A = np.zeros((10, 10))
    A[np.ix_(hidden, hidden)] = np.triu(rng.random((10, 10)) < 0.4, 1)
    order = mm.topological_order(A)
    place = {node: i for i, node in enumerate(order)}
    assert sorted(order) == list(range(10))
    assert all(place[i] < place[j] for i, j in np.argwhere(A).tolist())
    parents = {j: np.flatnonzero(A[:, j]).tolist() for j in range(10)}
    list(TopologicalSorter(parents).static_order())  # the standard library agrees that there is an order
    assert mm.topological_order(parents) == order


def test_cycles_are_named():
    with pytest.raises(ValueError, match="a -> b -> c -> a"):
        mm.topological_order({"r": [], "a": ["r", "c"], "b": ["a"], "c": ["b"]})
    with pytest.raises(ValueError, match="0 -> 0"):
        mm.topological_order([[1]])
    assert mm.topological_order({}) == []


def test_stationary_distribution():
    rng = np.random.default_rng(14)
    P = rng.random((6, 6))
    P /= P.sum(axis=1, keepdims=True)
    pi = mm.stationary_distribution(P)
    assert_allclose(pi @ P, pi, atol=1e-12)
    assert_allclose(np.linalg.matrix_power(P, 60), np.tile(pi, (6, 1)), atol=1e-10)
    W = spd(rng, 5) ** 2
    assert_allclose(mm.stationary_distribution(W / W.sum(axis=1, keepdims=True)), W.sum(axis=1) / W.sum(), rtol=1e-10)
    assert_allclose(mm.stationary_distribution([[0, 1], [1, 0]]), [0.5, 0.5])  # periodic, yet pi is unique
    assert_allclose(mm.stationary_distribution([[0.5, 0.5], [0, 1]]), [0, 1], atol=1e-12)


# the caller's arrays, and bad input


def test_no_function_writes_to_its_arguments():
    def frozen(a):
        a = np.array(a, float)
        a.setflags(write=False)
        return a

    S, x, W, joint = frozen([[2, 0.8], [0.8, 1]]), frozen([0.3, 0.7]), frozen([[0, 1], [1, 0]]), frozen([[0.5, 0.2], [0.1, 0.2]])
    for call in [
        lambda: mm.numerical_gradient(np.sum, S), lambda: mm.gradient_error(np.sum, np.ones_like, S), lambda: mm.sigmoid(x),
        lambda: mm.log_sigmoid(x), lambda: mm.logsumexp(x), lambda: mm.softmax(S), lambda: mm.log_softmax(S), lambda: mm.sorted_eigh(S),
        lambda: mm.block_inverse(S, S, S, 3 * S), lambda: mm.woodbury_solve(S, S, S, S, x), lambda: mm.woodbury_logdet(x, S, S, S),
        lambda: mm.entropy(x), lambda: mm.kl_divergence(x, x), lambda: mm.mutual_information(joint), lambda: mm.conditional_entropy(joint),
        lambda: mm.log_gaussian(S, x, S), lambda: mm.whiten(S, x, S), lambda: mm.gaussian_conditional(x, S, [0], [1.0]),
        lambda: mm.gaussian_product(x, S, x, S), lambda: mm.gaussian_joint(x, S, S, x, S), lambda: mm.gaussian_kl(x, S, x, S),
        lambda: mm.laplacian(W), lambda: mm.connected_components(W), lambda: mm.dijkstra(W), lambda: mm.stationary_distribution(W),
        lambda: mm.maximal_cliques(W), lambda: mm.maximum_entropy_density(x, S, [1.4, 0.9]),
    ]:
        call()


SIGMA = np.array([[2.0, 0.8], [0.8, 1.0]])


@pytest.mark.parametrize(("call", "message"), [
    (lambda: mm.numerical_gradient(lambda A: A, np.eye(2)), "one real number"),
    (lambda: mm.numerical_gradient(lambda A: 1j, np.eye(2)), "one real number"),
    (lambda: mm.numerical_gradient(np.sum, np.eye(2), h=0), "h must be"),
    (lambda: mm.gradient_error(np.sum, lambda A: np.ones(2), np.eye(2)), "shape of A"),
    (lambda: mm.sigmoid("a"), "z must hold real numbers"),
    (lambda: mm.logsumexp([]), "at least one number"),
    (lambda: mm.logsumexp([np.nan, 1.0]), "NaN"),
    (lambda: mm.softmax([-np.inf, -np.inf]), "finite largest entry"),
    (lambda: mm.log_softmax([np.nan, 0.0]), "NaN"),
    (lambda: mm.softmax(np.empty((0, 3)), axis=0), "at least one number"),
    (lambda: mm.schur_complement(np.ones((2, 3)), 1, 1, 1), "A must be square"),
    (lambda: mm.block_inverse(np.eye(2), np.ones((1, 2)), np.ones((2, 1)), np.eye(1)), r"B must have shape \(2, 1\)"),
    (lambda: mm.block_inverse(np.eye(1), np.eye(1), np.eye(1), np.eye(1), pivot="B"), "pivot must be one of"),
    (lambda: mm.woodbury_solve([1.0, 0.0], np.ones((2, 1)), [[1.0]], np.ones((1, 2)), [1, 2]), "diagonal holds a zero"),
    (lambda: mm.woodbury_solve([1.0, 1.0], np.ones((1, 2)), [[1.0]], np.ones((1, 2)), [1, 2]), r"U must have shape \(2, 1\)"),
    (lambda: mm.woodbury_solve([1.0, 1.0], np.ones((2, 1)), [[1.0]], np.ones((1, 2)), [1, 2, 3]), "rhs has 3 rows"),
    (lambda: mm.plane_distance([[1.0]], [0.0], 1.0), "w is zero"),
    (lambda: mm.plane_distance([[1.0]], [1.0, 2.0], 1.0), "w has 2 entries"),
    (lambda: mm.cholesky_factor([[1.0, 2.0], [2.0, 1.0]]), "positive definite, but its smallest eigenvalue is -1"),
    (lambda: mm.cholesky_factor([[1.0, 1.0], [1.0, 1.0]]), "positive definite, but its smallest eigenvalue is 0;"),
    (lambda: mm.sorted_eigh([[1.0, 2.0], [0.0, 1.0]]), r"symmetric, but its entries \[0, 1\] and \[1, 0\] are 2 and 0"),
    (lambda: mm.entropy([0.5, 0.6]), "sum to 1, but a sum is 1.1"),
    (lambda: mm.entropy([1.5, -0.5]), "must not be negative"),
    (lambda: mm.entropy([1.0], base=1), "base must be"),
    (lambda: mm.entropy([1.0], base="2"), "base must be"),
    (lambda: mm.kl_divergence([0.5, 0.5], [0.2, 0.3, 0.5]), "matching shapes"),
    (lambda: mm.mutual_information([0.5, 0.5]), "2-D"),
    (lambda: mm.log_gaussian([[1.0]], [0.0, 0.0], SIGMA), "X has 1 columns"),
    (lambda: mm.log_gaussian([[1.0, np.nan]], [0.0, 0.0], SIGMA), "NaN"),
    (lambda: mm.log_gaussian([[1.0, 1.0]], [0.0], SIGMA), "mu has 1 entries"),
    (lambda: mm.gaussian_conditional([0.0, 0.0], SIGMA, [0], [1.0, 2.0]), "values has 2 entries"),
    (lambda: mm.gaussian_conditional([0.0, 0.0], SIGMA, [0, 1], [1.0, 2.0]), "every coordinate"),
    (lambda: mm.gaussian_marginal([0.0, 0.0], SIGMA, [0, 0]), "distinct numbers from 0 to 1"),
    (lambda: mm.gaussian_marginal([0.0, 0.0], SIGMA, [2]), "distinct numbers from 0 to 1"),
    (lambda: mm.gaussian_marginal([0.0, 0.0], SIGMA, [0.5]), "list of coordinate numbers"),
    (lambda: mm.gaussian_affine([0.0, 0.0], SIGMA, [[1.0]]), "A has 1 columns"),
    (lambda: mm.gaussian_affine([0.0, 0.0], SIGMA, np.eye(2), [1.0, 2.0, 3.0]), "b has 3 entries"),
    (lambda: mm.gaussian_joint([0.0, 0.0], SIGMA, np.eye(2), 0.0, [[1.0]]), "noise must have shape"),
    (lambda: mm.gaussian_kl([0.0, 0.0], SIGMA, [0.0], [[1.0]]), "Omega has shape"),
    (lambda: mm.gaussian_ellipse([0.0], [[1.0]]), "two dimensions"),
    (lambda: mm.gaussian_ellipse([0.0, 0.0], SIGMA, n_points=0), "n_points must be"),
    (lambda: mm.sample_gaussian([0.0], [[1.0]], -1), "n must be an integer >= 0"),
    (lambda: mm.maximum_entropy_density([0.0, 1.0, 0.5], np.ones((1, 3)), [1.0]), "increase strictly"),
    (lambda: mm.maximum_entropy_density([0.0, 1.0], [[0.0, 1.0]], [2.0]), "no density on this grid"),
    (lambda: mm.maximum_entropy_density([0.0, 1.0], [0.0, 1.0], [0.5]), r"features must be \(k, 2\)"),
    (lambda: mm.laplacian([[0.0, -1.0], [-1.0, 0.0]]), "must not be negative"),
    (lambda: mm.laplacian(np.zeros((2, 2)), norm="rw"), "node 0 has no edge"),
    (lambda: mm.laplacian(np.eye(2), norm="other"), "norm must be one of"),
    (lambda: mm.dijkstra([[0.0, -1.0], [1.0, 0.0]]), "length from 0 to 1 is -1"),
    (lambda: mm.dijkstra([[0.0, np.nan], [1.0, 0.0]]), "write inf for a missing edge"),
    (lambda: mm.dijkstra(np.zeros((2, 2)), 2), "node numbers from 0 to 1"),
    (lambda: mm.dijkstra(np.zeros((2, 3))), "square matrix"),
    (lambda: mm.shortest_path([-1, 0], 2), "target must be"),
    (lambda: mm.shortest_path([1, 0], 0), "not a tree"),
    (lambda: mm.shortest_path([-1, 7], 1), "not a tree"),
    (lambda: mm.topological_order({"a": ["b"]}), "named as a parent but is not a node"),
    (lambda: mm.stationary_distribution([[0.5, 0.4], [0.5, 0.5]]), "must be a distribution"),
    (lambda: mm.stationary_distribution(np.eye(2)), "not unique"),
])
def test_bad_input_is_explained(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@given(hnp.arrays(float, hnp.array_shapes(min_dims=0, max_dims=3, max_side=3), elements=st.floats(allow_nan=True, allow_infinity=True)))
def test_any_array_is_answered_or_refused_with_a_value_error(a):
    """No other exception, no NaN, for whatever array is passed as a covariance, distribution, graph or score."""
    for function in (mm.cholesky_factor, mm.entropy, mm.laplacian, mm.dijkstra, mm.stationary_distribution, mm.topological_order,
                     mm.softmax, mm.logsumexp, mm.gaussian_entropy, lambda m: mm.log_gaussian(m, [0.0], [[1.0]])):
        with np.errstate(over="ignore", invalid="ignore"):
            try:
                result = function(a)
            except ValueError:
                continue
        for part in result if isinstance(result, tuple) else (result,):
            assert not np.isnan(np.asarray(part, float)).any()


def test_every_public_name_is_exported():
    assert sorted(mm.__all__) == mm.__all__
    assert all(hasattr(mm, name) for name in mm.__all__)


# Correlations of columns


@pytest.mark.parametrize("n", [2, 511, 512, 513, 1500])
def test_column_correlations_are_those_of_the_correlation_matrix(n):
    rng = np.random.default_rng(n)
    X, y = rng.normal(size=(n, 4)) + [0, 1e6, -3, 0], rng.normal(size=n)
    X[:, 3] += y
    expected = np.corrcoef(np.column_stack([X, y]), rowvar=False)[-1, :-1]
    assert_allclose(column_correlations(X, y), expected, atol=1e-9)


def test_column_correlations_follow_no_unit_and_leave_out_what_is_constant():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(700, 3)), rng.normal(size=700)
    units = np.ldexp(1.0, [-600, 400, -1000])
    assert_allclose(column_correlations(X * units, y), column_correlations(X, y), rtol=1e-12)
    tenths = np.column_stack([np.full(700, 0.1), X[:, 0]])       # the mean of 0.1 is rounded
    assert column_correlations(tenths, y)[0] == 0 != column_correlations(tenths, y)[1]
    assert column_correlations(X, np.full(700, 0.1)).tolist() == [0, 0, 0]
