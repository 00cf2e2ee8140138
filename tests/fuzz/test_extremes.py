"""Right answers at the edge of the range of numbers, in small types and for degenerate input, each by an independent route."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mlcore.control.policy_gradient import LinearTask, optimal_coefficients
from mlcore.deep.neural_networks import MLPRegressor
from mlcore.foundations.constrained_optimization import project_halfspace, qp_dual_value
from mlcore.foundations.gradient_descent import SGD, Adadelta, Adagrad, Adam, AdamW, RMSProp
from mlcore.foundations.mathematics import numerical_gradient, plane_distance
from mlcore.generalization.bias_variance import legendre_features
from mlcore.generalization.learning_theory import binomial_tail
from mlcore.supervised.kernel_methods import gaussian_kernel
from mlcore.supervised.linear_regression import huber_loss
from mlcore.supervised.neighbors_and_kernel_regression import KernelRegression
from mlcore.supervised.perceptron import AveragedPerceptron, invariant_radii, margin, signed_distance
from mlcore.supervised.support_vector_machines import SVC, SVR, geometric_margins
from mlcore.unsupervised.em_and_mixtures import factor_log_likelihood, objective_step
from mlcore.unsupervised.ica import amari_distance, excess_kurtosis, fastica_deflation
from mlcore.unsupervised.k_means import minkowski, som_step
from mlcore.unsupervised.self_supervised_learning import UnitLength

FACTORS = [1e-300, 1e-150, 1e150, 1e300]
X = np.array([[0.0, 1.0], [2.0, 0.5], [-1.0, 3.0], [1.0, -2.0]])


@pytest.mark.parametrize("bandwidth", [5e-324, 1e-200, 1e-150, 1e150, 1e154, 1e200, 1e300, 1.7e308])
def test_a_gaussian_kernel_of_any_bandwidth(bandwidth):
    points = [[0.0], [1e150], [2.0]]
    expected = [[math.exp(-0.5 * min(abs(a - b) / bandwidth, 1e10) ** 2) for (b,) in points] for (a,) in points]
    assert_allclose(gaussian_kernel(points, bandwidth=bandwidth), expected, rtol=1e-12)


@pytest.mark.parametrize("c", FACTORS)
def test_a_half_space_is_the_same_in_any_units(c):
    assert_allclose(project_halfspace([2.0, 1.0], [c, c], 2 * c), [1.5, 0.5], rtol=1e-15)


@pytest.mark.parametrize("c", FACTORS)
def test_coefficients_follow_the_units_of_both_arrays(c):
    A, C = np.array([[2.0], [-1.0], [0.5]]), np.array([[1.0], [-1.0], [0.25]])
    w = optimal_coefficients(A, C)
    assert_allclose([optimal_coefficients(A * c, C) / c, optimal_coefficients(A * c, C * c)], w, rtol=1e-12)
    with pytest.raises(ValueError, match="C is too small beside A"):
        optimal_coefficients(A * 1e300, C * 1e-300)


@pytest.mark.parametrize("P, value", [
    (np.zeros((2, 2)), -np.inf), (np.ones((2, 2)), -3.0), (1e300 * np.eye(2), -1.0), (1e-300 * np.eye(2), -4e300),
    (np.diag([1.0, 0.0]), -np.inf),
])
def test_the_dual_of_flat_and_steep_quadratic_programs(P, value):
    """r = (2, 2): inf over x of x'Px/2 + 2 x_1 + 2 x_2 - 1 by hand."""
    got = qp_dual_value(P, [1.0, 2.0], [[1.0, 0.0]], [1.0], None, None, [1.0], [])
    assert got == value or math.isclose(got, value, rel_tol=1e-12)


@pytest.mark.parametrize("wrong", [{"gain": 1e300}, {"std": 1e300}])
def test_a_return_beyond_the_range_of_numbers_is_refused(wrong):
    with pytest.raises(ValueError, match="the expected return is"):
        LinearTask().expected_return(**{"gain": 0.5, "std": 0.5, "gamma": 0.9, "horizon": 3, **wrong})


@pytest.mark.parametrize("optimizer", [SGD, Adagrad, RMSProp, Adadelta, Adam, AdamW])
@pytest.mark.parametrize("kind", ["i1", "u1", "i8", "f2"])
def test_an_optimizer_counts_gradients_of_small_types_in_floats(optimizer, kind):
    moved = []
    for g in (np.array([120, 3], kind), np.array([120.0, 3.0])):
        w, step = np.array([1.0, -2.0]), optimizer(lr=0.1)
        step.step([w], [g]).step([w], [g])
        moved.append(w)
    assert_allclose(*moved, rtol=1e-15)


@pytest.mark.parametrize("optimizer", [Adagrad, RMSProp, Adadelta, Adam, AdamW])
def test_a_gradient_whose_square_is_infinite_is_no_reason_to_stand_still(optimizer):
    with pytest.raises(ValueError, match="too large to be squared"):
        optimizer(lr=0.1).step([np.ones(1)], [np.array([1e200])])


@pytest.mark.parametrize("rate", [len, dict, {}, lambda t: 0.1])
def test_the_rate_of_a_network_is_a_number(rate):
    with pytest.raises(ValueError, match="lr must be a number > 0"):
        MLPRegressor(lr=rate).fit(X, X[:, 0])


@pytest.mark.parametrize("model", [SVC, SVR])
def test_a_machine_names_the_parameter_that_is_wrong(model):
    y = np.array([0, 1, 0, 1])
    with pytest.raises(ValueError, match="shrinking must be True or False"):
        model(shrinking="False").fit(X, y)
    with pytest.raises(ValueError, match="kernel must be one of"):
        model(kernel=np.array(["linear", "precomputed"])).fit(X, y)


def test_a_component_without_weight_takes_no_part():
    x, means = np.array([-1.0, 0.5, 2.0]), np.array([-1.0, 1.0])
    for objective in ("LB", "CF", "HF"):
        weights, moved, loglik = objective_step(x, [1.0, 0.0], means, objective)
        density = np.exp(-0.5 * (x + 1) ** 2) / np.sqrt(2 * np.pi)
        share = density if objective == "HF" else np.ones(3)
        assert_allclose([*weights, *moved, loglik], [1, 0, (share * x).sum() / share.sum(), 1.0, np.log(density).sum()], rtol=1e-13)
    with pytest.raises(ValueError, match="sum to 1"):
        objective_step(x, [0.0, 0.0], means)


@pytest.mark.parametrize("c", FACTORS)
def test_measures_of_shape_do_not_depend_on_the_units(c):
    Y = np.array([[1.0, 0.5], [-2.0, 1.0], [0.5, -3.0], [4.0, 0.25]])
    assert_allclose(excess_kurtosis(Y * c), excess_kurtosis(Y), rtol=1e-12)
    W = np.array([[1.0, 0.5], [2.0, 1.5]])
    assert_allclose([amari_distance(W * c, np.eye(2)), amari_distance(W, np.eye(2) * c)], amari_distance(W, np.eye(2)), rtol=1e-12)


@pytest.mark.parametrize("call, words", [
    (lambda: fastica_deflation(X.T, np.diag([1.0, 0.0])), "row 1 of W is 0"),
    (lambda: factor_log_likelihood(np.eye(2), np.ones((2, 1)), [-1.0, 1.0]), "psi holds variances of noise"),
    (lambda: numerical_gradient(lambda A: A.sum(), [1.0], h=1e-300), "must be a step that changes the entry"),
    (lambda: legendre_features([1e200], 3), "too large for a polynomial"),
    (lambda: invariant_radii(np.zeros((3, 2))), "every row of A is 0"),
    (lambda: UnitLength()(np.zeros((2, 3))), "has no direction"),
])
def test_degenerate_input_gets_a_sentence(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_limits_of_bandwidths_radii_and_distances():
    places = np.array([[0.0, 0.0], [0.0, 1.0]])
    assert_allclose(som_step(X[:2], places, X[3], 0.5, 1e300), X[:2] + 0.5 * (X[3] - X[:2]))
    near = som_step(X[:2], places, X[1], 0.5, 1e-300)
    assert_allclose(near, X[:2])
    assert_allclose(huber_loss([3.0, -2e10], 1e300), [4.5, 2e20])
    assert_allclose(huber_loss([3.0, -0.5], 1.0), [2.5, 0.125])
    assert binomial_tail(10, 1e300, 0.5) == 0.0
    assert minkowski([0, 0], [3, 4], p=np.int8(2)) == 5.0


def test_hyperparameters_of_small_types_are_plain_numbers():
    y = np.array([0, 1, 0, 1])
    for small in (np.int8(100), np.uint8(100), np.int64(100)):
        assert_allclose(AveragedPerceptron(max_iter=small).fit(X, y).coef_, AveragedPerceptron(max_iter=100).fit(X, y).coef_)
    assert_allclose(KernelRegression(order=np.int64(1)).fit(X, X[:, 0]).predict(X), KernelRegression(order=1).fit(X, X[:, 0]).predict(X))


@pytest.mark.parametrize("c", [1e-300, 1e-100, 1e100, 1e300])
@pytest.mark.parametrize("distance", [
    lambda w: plane_distance(X, w, 0.0), lambda w: signed_distance(X, w), lambda w: geometric_margins(w, 0.0, X, [1, 1, 1, 1]),
    lambda w: margin(X, [1, 1, 1, 1], w)])
def test_a_normal_vector_whose_length_cannot_be_computed_is_refused(distance, c):
    w = np.array([3.0, 4.0])
    if abs(math.log10(c)) > 150:
        with pytest.raises(ValueError, match="w holds numbers up to 4e"):
            distance(c * w)
    else:
        assert_allclose(distance(c * w), distance(w), rtol=1e-14, atol=1e-14)
