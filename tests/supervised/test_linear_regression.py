"""Linear regression: each formula against another route, each solver against scikit-learn and scipy, bad input refused."""

import warnings

import numpy as np
import pytest
import scipy.linalg
import sklearn.linear_model
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import least_squares, linprog
from scipy.stats import norm

from mlcore.base import ConvergenceWarning
from mlcore.datasets import load_portland, load_portland_rows, make_linear
from mlcore.foundations.mathematics import gradient_error
from mlcore.supervised.linear_regression import (
    LinearRegression,
    LMSRegression,
    LocallyWeightedRegression,
    RobustRegression,
    Standardizer,
    absolute_loss,
    add_intercept,
    batch_gradient_descent,
    expected_errors,
    gaussian_log_likelihood,
    gaussian_mle,
    gaussian_weights,
    hat_matrix,
    huber_loss,
    huber_weights,
    inverse_decay,
    irls,
    lms_step,
    local_linear_fit,
    max_stable_step,
    normal_equations,
    qr_least_squares,
    simulate_errors,
    squared_cost,
    squared_cost_gradient,
    squared_loss,
    stochastic_gradient_descent,
    svd_least_squares,
    weighted_least_squares,
)
from mlcore.supervised.neighbors_and_kernel_regression import smooth

STUDENTS = np.array([[78, 66, 77], [70, 93, 86], [61, 71, 60], [73, 66, 69], [79, 81, 70],
                     [93, 95, 88], [74, 77, 72], [90, 85, 88], [66, 64, 70], [81, 90, 91]], float)
SIX_X, SIX_Y = np.arange(1.0, 7.0)[:, None], np.array([1.0, 2.1, 3.1, 3.3, 3.5, 3.8])


@pytest.fixture
def houses():
    return load_portland()


@pytest.fixture
def problem():
    rng = np.random.default_rng(3)
    X, y = make_linear(n=40, coef=(1.0, -2.0, 0.5), noise=0.7, rng=rng)
    return X + [5.0, 0.0, -3.0], y + 2


# The numbers of the notes


def test_printed_housing_coefficients(houses):
    one = LinearRegression().fit(houses.X[:, :1], houses.y)
    assert_allclose([one.intercept_, *one.coef_], [71.27049, 0.1345253], rtol=1e-6)
    two = LinearRegression().fit(*houses[:2])
    assert_allclose([two.intercept_, *two.coef_], [89.59791, 0.1392107, -8.738019], rtol=1e-6)
    assert_allclose(squared_cost(np.r_[two.intercept_, two.coef_], add_intercept(houses.X), houses.y), 96034.162, rtol=1e-8)


def test_omitted_variable_identity(houses):
    area, beds = houses.X[:, :1], houses.X[:, 1]
    short, long = LinearRegression().fit(area, houses.y), LinearRegression().fit(houses.X, houses.y)
    link = LinearRegression().fit(area, beds)
    assert_allclose(short.coef_[0], long.coef_[0] + long.coef_[1] * link.coef_[0], rtol=1e-10)
    assert_allclose(short.intercept_, long.intercept_ + long.coef_[1] * link.intercept_, rtol=1e-10)


def test_five_printed_rows_by_hand():
    rows = load_portland_rows()
    X = add_intercept(rows.X)
    assert_array_equal(X.T @ X, [[5, 10520, 15], [10520, 23751872, 33144], [15, 33144, 47]])
    assert_array_equal(X.T @ rows.y, [1871, 4203712, 5921])
    assert_allclose(normal_equations(X, rows.y), [-70.4346, 0.0638434, 103.436], rtol=1e-5)


def test_student_table():
    X, y = STUDENTS[:, :2], STUDENTS[:, 2]
    model = LinearRegression().fit(X[:6], y[:6])
    assert_allclose([model.intercept_, *model.coef_], [7.74034, 0.41945, 0.45154], atol=6e-6)
    assert_allclose(model.predict(X[:6]), [70.26, 79.10, 65.39, 68.16, 77.45, 89.65], atol=0.005)
    assert_allclose(0.5 * ((y[6:] - model.predict(X[6:])) ** 2).sum(), 63.2072, atol=5e-5)
    assert_allclose(model.predict([[84.0, 77.0]]), [77.7429], atol=5e-5)


# LMS


def test_gradient_is_the_derivative_of_the_cost(problem):
    X, y = add_intercept(problem[0]), problem[1]
    assert gradient_error(lambda t: squared_cost(t, X, y), lambda t: squared_cost_gradient(t, X, y), [1.0, 2, -1, 0.3]) < 1e-8


def test_lms_step_is_a_gradient_step_on_one_example():
    theta, x, y = np.array([0.5, -1.0]), np.array([1.0, 3.0]), 2.0
    assert_allclose(lms_step(theta, x, y, 0.1), theta - 0.1 * squared_cost_gradient(theta, x[None], np.array([y])), rtol=1e-14)
    assert_allclose(lms_step(theta, x, y, 1 / (x @ x)) @ x, y)  # this step makes the example's error exactly 0


def test_step_limit_is_sharp(problem):
    X, y = add_intercept(problem[0]), problem[1]
    limit = max_stable_step(X)
    assert_allclose(limit, 2 / np.linalg.eigvalsh(X.T @ X)[-1], rtol=1e-12)
    start = np.linalg.eigh(X.T @ X)[1][:, -1] + normal_equations(X, y)  # an error along the steepest direction
    shrinking = batch_gradient_descent(X, y, 0.999 * limit, theta=start, max_iter=50).history
    growing = batch_gradient_descent(X, y, 1.001 * limit, theta=start, max_iter=50).history
    assert np.all(np.diff(shrinking) < 0)
    assert np.all(np.diff(growing) > 0)


def test_raw_scale_step_limit(houses):
    assert_allclose(max_stable_step(add_intercept(houses.X[:, :1])), 9.21e-9, rtol=1e-3)


def test_error_shrinks_by_the_predicted_factors(problem):
    X, y = add_intercept(problem[0]), problem[1]
    values, vectors = np.linalg.eigh(X.T @ X)
    step = 0.7 * max_stable_step(X)
    run = batch_gradient_descent(X, y, step, max_iter=30, tol=0)
    error = (run.path - normal_equations(X, y)) @ vectors
    t = np.arange(31)[:, None]
    assert_allclose(error, (1 - step * values) ** t * error[0], rtol=1e-7, atol=1e-9)


def test_batch_descent_reaches_least_squares(houses):
    scaler = Standardizer()
    Z = add_intercept(scaler.fit_transform(houses.X))
    assert_allclose(max_stable_step(Z), 0.02728, atol=5e-6)
    run = batch_gradient_descent(Z, houses.y, 0.02, tol=1e-12)
    assert run.converged and run.n_iter < 60
    assert len(run.path) == len(run.history) == run.n_iter + 1
    assert_allclose(scaler.unscale(run.theta), [89.59791, 0.1392107, -8.738019], rtol=1e-6)


def test_descent_starts_where_told_and_may_make_no_step(problem):
    X, y = problem
    run = batch_gradient_descent(X, y, 1e-3, theta=[1.0, 2.0, 3.0], max_iter=0)
    assert_array_equal(run.theta, [1, 2, 3])
    assert run.n_iter == 0 and not run.converged


def test_divergence_is_reported_with_finite_numbers(problem):
    X, y = problem
    for run in (batch_gradient_descent(X, y, 1.0, max_iter=5000), stochastic_gradient_descent(X, y, 1.0, epochs=200)):
        assert not run.converged
        assert np.isfinite(run.history).all() and np.isfinite(run.theta).all()
        assert run.history[-1] > 1e6 * run.history[0]


def test_stochastic_descent_is_a_chain_of_lms_steps(problem):
    X, y = problem
    theta = np.zeros(3)
    for i in [*range(len(X)), *range(len(X))]:
        theta = lms_step(theta, X[i], y[i], 0.002)
    run = stochastic_gradient_descent(X, y, 0.002, epochs=2)
    assert_allclose(run.theta, theta, rtol=1e-14)
    assert len(run.path) == 2 * len(X) + 1 and len(run.history) == 3


def test_constant_step_cycles_off_the_minimum_and_a_decaying_one_arrives(problem):
    X, y = Standardizer().fit_transform(problem[0]), problem[1] - problem[1].mean()
    best = svd_least_squares(X, y)[0]
    constant = stochastic_gradient_descent(X, y, 0.05, epochs=300)
    assert_allclose(constant.path[-1], constant.path[-1 - len(X)], atol=1e-12)  # the cycle is reached
    offset = np.linalg.norm(constant.theta - best)
    assert offset > 0.02
    decaying = stochastic_gradient_descent(X, y, inverse_decay(0.05, half_life=len(X)), epochs=300)
    assert np.linalg.norm(decaying.theta - best) < offset / 20


def test_stochastic_descent_converges_when_all_examples_agree():
    X, _ = make_linear(n=20, coef=(1.0, 1.0), rng=0)
    run = stochastic_gradient_descent(X, X @ [2.0, -1.0], 0.1, epochs=500, shuffle=True, rng=1)
    assert run.converged and run.n_iter < 500
    assert_allclose(run.theta, [2, -1], rtol=1e-6)


def test_shuffling_uses_the_generator_given(problem):
    runs = [stochastic_gradient_descent(*problem, 1e-3, epochs=1, shuffle=True, rng=seed).theta for seed in (0, 0, 1)]
    assert_array_equal(runs[0], runs[1])
    assert not np.allclose(runs[0], runs[2], rtol=1e-12)


@pytest.mark.parametrize("mode", ["batch", "stochastic"])
def test_lms_regression_approaches_least_squares(problem, mode):
    model = LMSRegression(mode=mode, tol=1e-4, max_iter=3000, random_state=0).fit(*problem)
    exact = LinearRegression().fit(*problem)
    assert model.converged_ and model.n_iter_ == len(model.history_) - 1
    assert_allclose(model.coef_, exact.coef_, atol=5e-3)
    assert_allclose(model.intercept_, exact.intercept_, atol=2e-2)


def test_lms_regression_warns_when_it_stops_early(problem):
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        LMSRegression(max_iter=2).fit(*problem)


def test_standardizer_maps_there_and_back(problem):
    X, _ = problem
    scaler = Standardizer().fit(X)
    Z = scaler.transform(X)
    assert_allclose(Z.mean(axis=0), 0, atol=1e-14)
    assert_allclose(Z.std(axis=0), 1, rtol=1e-12)
    assert_allclose(scaler.inverse_transform(Z), X, rtol=1e-12)
    theta = np.array([1.0, 2.0, 3.0, -4.0])
    assert_allclose(add_intercept(X) @ scaler.unscale(theta), add_intercept(Z) @ theta, rtol=1e-12)
    assert_allclose(scaler.unscale(np.stack([theta, 2 * theta]))[1], scaler.unscale(2 * theta), rtol=1e-14)


def test_constant_column_standardizes_to_zero():
    X = np.column_stack([np.full(7, 0.1), np.arange(7.0)])
    assert_array_equal(np.round(Standardizer().fit_transform(X)[:, 0], 12), np.zeros(7))
    assert_array_equal(Standardizer().fit(X).scale_[0], 1)


# Least squares


@pytest.mark.parametrize("solver", ["normal", "qr", "svd"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_solvers_equal_scikit_learn(problem, solver, fit_intercept):
    ours = LinearRegression(solver=solver, fit_intercept=fit_intercept).fit(*problem)
    theirs = sklearn.linear_model.LinearRegression(fit_intercept=fit_intercept).fit(*problem)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-9, atol=1e-12)
    assert_allclose(ours.score(*problem), theirs.score(*problem), rtol=1e-12)


def test_functions_equal_lapack(problem):
    X, y = add_intercept(problem[0]), problem[1]
    theta, _, rank, _ = scipy.linalg.lstsq(X, y)
    for solve in (normal_equations, qr_least_squares, lambda X, y: svd_least_squares(X, y)[0]):
        assert_allclose(solve(X, y), theta, rtol=1e-9)
    assert svd_least_squares(X, y)[1] == rank == 4


def test_centering_equals_a_column_of_ones(problem):
    model = LinearRegression().fit(*problem)
    assert_allclose(qr_least_squares(add_intercept(problem[0]), problem[1]), [model.intercept_, *model.coef_], rtol=1e-10)


@pytest.mark.parametrize("shape", [(3, 6), (30, 5)])
def test_dependent_columns_get_the_shortest_solution(shape):
    rng = np.random.default_rng(0)
    X = rng.normal(size=shape)
    X[:, -1] = X[:, 0] + X[:, 1]
    y = rng.normal(size=shape[0])
    theta, rank = svd_least_squares(X, y)
    assert rank == min(shape[0], shape[1] - 1)
    assert_allclose(theta, np.linalg.pinv(X) @ y, atol=1e-12)
    assert_allclose(LinearRegression().fit(X, y).coef_, sklearn.linear_model.LinearRegression().fit(X, y).coef_, atol=1e-12)
    for solve in (normal_equations, qr_least_squares):
        with pytest.raises(ValueError, match="no unique solution"):
            solve(X, y)


def test_normal_equations_lose_twice_the_digits():
    t = np.linspace(0, 1, 30)
    X = np.vander(t, 9, increasing=True)  # condition number 2e6
    y = X @ np.ones(9)
    assert np.abs(qr_least_squares(X, y) - 1).max() < 1e-9
    assert np.abs(normal_equations(X, y) - 1).max() > 1e-8


def test_residual_is_orthogonal_to_the_columns(problem):
    X, y = add_intercept(problem[0]), problem[1]
    assert_allclose(X.T @ (y - X @ qr_least_squares(X, y)), 0, atol=1e-9)


def test_integer_weights_repeat_rows(problem):
    X, y = problem
    counts = np.arange(len(X)) % 3
    repeated = LinearRegression().fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    weighted = LinearRegression().fit(X, y, sample_weight=counts)
    assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-10)
    assert_allclose(weighted.intercept_, repeated.intercept_, rtol=1e-10)
    assert_allclose(weighted_least_squares(add_intercept(X), y, counts), [weighted.intercept_, *weighted.coef_], rtol=1e-9)
    theirs = sklearn.linear_model.LinearRegression().fit(X, y, sample_weight=counts)
    assert_allclose(weighted.coef_, theirs.coef_, rtol=1e-9)


def test_single_row_and_constant_column():
    model = LinearRegression().fit([[2.0]], [5.0])
    assert model.rank_ == 0
    assert_allclose(model.predict([[2.0], [9.0]]), [5, 5])
    constant = LinearRegression().fit([[1.0, 3.0], [2.0, 3.0], [4.0, 3.0]], [1.0, 2.0, 4.0])
    assert constant.rank_ == 1
    assert_allclose(constant.coef_, [1, 0], atol=1e-14)


@settings(deadline=None, max_examples=60)
@given(arrays(float, st.tuples(st.integers(1, 8), st.integers(1, 4)), elements=st.floats(-100, 100).map(lambda v: round(v, 3))),
       st.integers(0, 2**32 - 1))
def test_no_other_parameters_do_better(X, seed):
    rng = np.random.default_rng(seed)
    y = rng.normal(size=len(X))
    theta, _ = svd_least_squares(X, y)
    best = squared_cost(theta, X, y)
    for _ in range(5):
        assert best <= squared_cost(theta + rng.normal(size=len(theta)), X, y) + 1e-9


# Noise


def test_log_likelihood_equals_scipy(problem):
    X, y = add_intercept(problem[0]), problem[1]
    theta = np.array([2.0, 1.1, -1.9, 0.4])
    assert_allclose(gaussian_log_likelihood(theta, X, y, 0.8), norm.logpdf(y, X @ theta, 0.8).sum(), rtol=1e-12)


def test_maximum_likelihood_is_a_stationary_point(problem):
    X, y = add_intercept(problem[0]), problem[1]
    theta, sigma = gaussian_mle(X, y)
    assert gradient_error(lambda v: gaussian_log_likelihood(v[:-1], X, y, v[-1]), np.zeros_like, np.r_[theta, sigma]) < 1e-5
    assert_allclose(theta, qr_least_squares(X, y), rtol=1e-9)


def test_housing_noise(houses):
    assert_allclose(gaussian_mle(add_intercept(houses.X[:, :1]), houses.y)[1], 64.158, atol=5e-4)
    assert_allclose(gaussian_mle(add_intercept(houses.X), houses.y)[1], 63.926, atol=5e-4)


def test_hat_matrix_is_the_projector(problem):
    X, y = add_intercept(problem[0]), problem[1]
    H = hat_matrix(X)
    assert_allclose(H, X @ np.linalg.inv(X.T @ X) @ X.T, atol=1e-10)
    assert_allclose(H, H.T, atol=1e-15)
    assert_allclose(H @ H, H, atol=1e-12)
    assert_allclose(np.trace(H), 4, rtol=1e-12)
    assert_allclose(H @ y, X @ qr_least_squares(X, y), rtol=1e-9)
    assert_allclose(np.trace(hat_matrix(np.column_stack([X, X[:, 0]]))), 4, rtol=1e-12)


def test_expected_errors_match_simulation():
    exact = expected_errors(n=12, d=3, sigma=2.0)
    simulated = simulate_errors(n=12, d=3, sigma=2.0, runs=8000, rng=0)
    assert_allclose(simulated, exact, rtol=0.03)


def test_expected_errors_at_their_limits():
    assert_allclose(expected_errors(20, 5), [0.7, 1.3, 1.453846], rtol=1e-6)
    gap = expected_errors(50, 4, sigma=3.0)
    assert_allclose(gap.same_inputs - gap.inside, 2 * 9 * 5 / 50)  # sigma^2 belongs in the gap
    assert expected_errors(4, 3) == (0.0, 2.0, np.inf)  # n = d + 1 interpolates
    assert_allclose(expected_errors(10**7, 3), 1, atol=1e-5)


# Robust losses


def test_losses_and_weights_are_consistent():
    r = np.array([-3.0, -1.0, -0.2, 0.0, 0.7, 5.0])
    assert_allclose(huber_loss(r, 1e9), squared_loss(r))
    assert_allclose(huber_loss(r, 1e-9) / 1e-9, absolute_loss(r), atol=1e-9)
    for delta in (0.5, 2.0):
        derivative = [(huber_loss(v + 1e-6, delta) - huber_loss(v - 1e-6, delta)) / 2e-6 for v in r]
        assert_allclose(huber_weights(r, delta) * r, derivative, atol=1e-6)


def test_quadratic_majorizes_the_huber_loss():
    r, s = np.meshgrid(np.linspace(-6, 6, 61), np.linspace(-6, 6, 61))
    bound = huber_loss(s, 1.3) + huber_weights(s, 1.3) * (r**2 - s**2) / 2
    assert np.all(huber_loss(r, 1.3) <= bound + 1e-12)


def spoiled(seed):
    X, y = make_linear(n=60, coef=(1.0, -2.0), noise=0.5, rng=seed)
    y[:6] += 40
    return X, y


def test_irls_never_rises_and_equals_scipy():
    X, y = spoiled(0)
    A = add_intercept(X)
    theta, history, converged = irls(A, y, delta=1.0)
    assert converged and np.all(np.diff(history) <= 1e-12 * history[0])
    theirs = least_squares(lambda t: A @ t - y, np.zeros(3), loss="huber", f_scale=1.0, xtol=1e-14, ftol=1e-14, gtol=1e-12)
    assert_allclose(theta, theirs.x, atol=1e-5)
    assert_allclose(history[-1], theirs.cost, rtol=1e-9)


def test_huge_delta_is_least_squares():
    X, y = spoiled(1)
    model = RobustRegression(delta=1e6).fit(X, y)
    assert_allclose(model.coef_, LinearRegression().fit(X, y).coef_, rtol=1e-9)
    assert_array_equal(model.weights_, 1)


def test_absolute_loss_equals_the_linear_program():
    X, y = spoiled(2)
    A, n = add_intercept(X), len(y)
    program = linprog(np.r_[np.zeros(3), np.ones(n)], A_ub=np.block([[A, -np.eye(n)], [-A, -np.eye(n)]]), b_ub=np.r_[y, -y],
                      bounds=[(None, None)] * 3 + [(0, None)] * n)
    model = RobustRegression(loss="absolute").fit(X, y)
    assert_allclose(model.history_[-1], program.fun, rtol=1e-5)
    assert_allclose([model.intercept_, *model.coef_], program.x[:3], atol=1e-3)
    assert absolute_loss(y - model.predict(X)).sum() <= program.fun * (1 + 1e-5)


def test_least_absolute_fit_of_the_students():
    model = RobustRegression(loss="absolute").fit(STUDENTS[:6, :2], STUDENTS[:6, 2])
    assert_allclose([model.intercept_, *model.coef_], [3.9196, 0.79464, 0.10714], atol=1e-4)
    assert_allclose(model.history_[-1], 25.8928, rtol=1e-4)


def test_outliers_get_little_weight_and_move_little():
    X, y = spoiled(3)
    robust, plain = RobustRegression(delta=0.7).fit(X, y), LinearRegression().fit(X, y)
    truth = np.array([1.0, -2.0])
    assert np.linalg.norm(robust.coef_ - truth) < np.linalg.norm(plain.coef_ - truth) / 3
    assert robust.weights_[:6].max() < 0.05 < np.median(robust.weights_[6:])


def test_robust_regression_warns_when_it_stops_early():
    with pytest.warns(ConvergenceWarning, match="max_iter=1 "):
        RobustRegression(max_iter=1).fit(*spoiled(4))


def test_exact_data_are_fitted_exactly():
    X, _ = make_linear(n=10, coef=(1.0, 1.0), rng=5)
    for loss in ("huber", "absolute"):
        assert_allclose(RobustRegression(loss=loss).fit(X, X @ [3.0, -1.0] + 4).coef_, [3, -1], atol=1e-6)
    assert_allclose(RobustRegression(loss="absolute").fit(X, np.full(10, 2.0)).intercept_, 2, atol=1e-9)


# Locally weighted regression


def slow_local_fit(X, y, query, tau):
    """The closed form of the chapter, one query at a time."""
    w = np.exp(-((X - query) ** 2).sum(axis=1) / (2 * tau**2))
    A = add_intercept(X)
    return np.linalg.solve(A.T @ (w[:, None] * A), A.T @ (w * y))


@pytest.mark.parametrize("tau", [0.7, 2.0, 10.0])
def test_local_lines_equal_the_closed_form(problem, tau):
    X, y = problem
    queries = X[:7] + 0.3
    lines = LocallyWeightedRegression(tau=tau).fit(X, y).local_lines(queries)
    assert_allclose(lines, [slow_local_fit(X, y, q, tau) for q in queries], rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("tau", [0.05, 0.3, 2.0])
def test_local_fit_equals_the_kernel_smoother_of_order_one(tau):
    """The playground of the chapter is tested against ``smooth``; this ties it to locally weighted regression."""
    rng = np.random.default_rng(3)
    X, queries = rng.uniform(0, 6, size=(40, 1)), np.linspace(0, 6, 61)[:, None]
    y = np.sin(X[:, 0]) + 0.3 * rng.normal(size=40)
    ours = LocallyWeightedRegression(tau=tau).fit(X, y).predict(queries)
    assert_allclose(ours, smooth(X, y, queries, tau, kernel="gaussian", order=1), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(("tau", "values"), [
    (0.5, [1.5492, 3.1928, 3.6508]), (1, [1.5450, 3.0681, 3.6568]), (2, [1.6296, 2.8938, 3.7126]), (10, [1.7428, 2.8040, 3.8434])])
def test_six_point_values(tau, values):
    model = LocallyWeightedRegression(tau=tau).fit(SIX_X, SIX_Y)
    assert_allclose(model.predict([[1.5], [3.5], [5.5]]), values, atol=5e-5)


def test_wide_bandwidth_is_the_straight_line(problem):
    local = LocallyWeightedRegression(tau=1e6).fit(*problem)
    assert_allclose(local.predict(problem[0]), LinearRegression().fit(*problem).predict(problem[0]), rtol=1e-6)


def test_tiny_bandwidth_is_the_nearest_target():
    model = LocallyWeightedRegression(tau=1e-9).fit(SIX_X, SIX_Y)
    assert_allclose(model.predict([[1.2], [3.9], [100.0], [-7.0]]), [1.0, 3.3, 3.8, 1.0], rtol=1e-12)


@pytest.mark.parametrize("tau", [1e-3, 0.1, 1.0, 100.0])
def test_exact_lines_are_reproduced(problem, tau):
    X, _ = problem
    y = X @ [1.0, 2.0, -3.0] + 4
    model = LocallyWeightedRegression(tau=tau).fit(X, y)
    assert_allclose(model.predict(X), y, rtol=1e-7, atol=1e-7)


def test_metric_equals_rescaled_inputs(problem):
    X, y = problem
    scale = np.array([1.0, 5.0, 0.2])
    ours = LocallyWeightedRegression(tau=1.0, Sigma=np.diag(scale**2)).fit(X, y)
    rescaled = LocallyWeightedRegression(tau=1.0).fit(X / scale, y)
    assert_allclose(ours.predict(X), rescaled.predict(X / scale), rtol=1e-8)
    assert_allclose(ours.weights(X), rescaled.weights(X / scale), rtol=1e-10)
    assert_allclose(ours.local_lines(X)[:, 1:] * scale, rescaled.local_lines(X / scale)[:, 1:], rtol=1e-6, atol=1e-8)


def test_weights_fall_with_the_distance():
    w = gaussian_weights([[0.0], [1.0], [2.0], [5.0]], [[0.5]], tau=1.0)[0]
    assert w[0] == w[1] > w[2] > w[3]
    assert_allclose(gaussian_weights([[0.0, 0.0]], [[3.0, 4.0]], tau=5.0), [[np.exp(-0.5)]])


def test_blocks_of_queries_join_without_seams(problem, monkeypatch):
    X, y = problem
    model = LocallyWeightedRegression(tau=2.0).fit(X, y)
    whole = model.predict(X)
    monkeypatch.setattr("mlcore.supervised.linear_regression.local.BLOCK", 3 * X.size)
    assert_allclose(model.predict(X), whole, rtol=1e-12)
    assert_allclose(local_linear_fit(X, y, X, 2.0)[0], whole, rtol=1e-9)


def test_fit_keeps_its_own_copy():
    X, y = SIX_X.copy(), SIX_Y.copy()
    model = LocallyWeightedRegression(tau=1.0).fit(X, y)
    before = model.predict([[3.5]])
    y += 1
    assert_array_equal(model.predict([[3.5]]), before)


# Bad input

ESTIMATORS = [LinearRegression(), LMSRegression(), RobustRegression(), LocallyWeightedRegression()]
GOOD_X, GOOD_Y = [[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]], [0.0, 1.0, 2.0]


@pytest.mark.parametrize("model", ESTIMATORS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize(("X", "y", "message"), [
    ([0.0, 1.0, 2.0], GOOD_Y, r"reshape\(-1, 1\)"),
    (GOOD_X, GOOD_Y[:2], "3 rows, but y has 2"),
    ([[np.nan, 0.0], *GOOD_X[1:]], GOOD_Y, r"NaN or infinity \(first at index \(0, 0\)\)"),
    (GOOD_X, [0.0, np.inf, 1.0], "y contains NaN or infinity"),
    ([["a", "b"]] * 3, GOOD_Y, "real numbers"),
    (np.empty((0, 2)), [], "at least 1"),
    (np.empty((3, 0)), GOOD_Y, "no features"),
    (GOOD_X, [GOOD_Y] * 3, "y must be 1-D"),
])
def test_bad_data_are_explained(model, X, y, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)


@pytest.mark.parametrize(("call", "message"), [
    (lambda: LinearRegression(solver="magic").fit(GOOD_X, GOOD_Y), "solver must be one of 'normal', 'qr', 'svd'"),
    (lambda: LinearRegression(fit_intercept="yes").fit(GOOD_X, GOOD_Y), "fit_intercept must be"),
    (lambda: LinearRegression().fit(GOOD_X, GOOD_Y, sample_weight=[1.0, -1.0, 1.0]), "at least 0"),
    (lambda: LinearRegression().fit(GOOD_X, GOOD_Y, sample_weight=[0.0, 0.0, 0.0]), "not all 0"),
    (lambda: LinearRegression().fit(GOOD_X, GOOD_Y, sample_weight=[1.0]), "they must agree"),
    (lambda: LMSRegression(mode="mini").fit(GOOD_X, GOOD_Y), "mode must be one of"),
    (lambda: LMSRegression(step=-1.0).fit(GOOD_X, GOOD_Y), "step must be a number > 0"),
    (lambda: LMSRegression(max_iter=0).fit(GOOD_X, GOOD_Y), "max_iter must be an integer >= 1"),
    (lambda: LMSRegression(random_state="seed").fit(GOOD_X, GOOD_Y), "random_state must be"),
    (lambda: RobustRegression(loss="cubic").fit(GOOD_X, GOOD_Y), "loss must be one of"),
    (lambda: RobustRegression(delta=0).fit(GOOD_X, GOOD_Y), "delta must be a number > 0"),
    (lambda: RobustRegression(max_iter=0).fit(GOOD_X, GOOD_Y), "max_iter must be an integer >= 1"),
    (lambda: irls(np.ones((2, 1)), np.ones(2), delta=-1.0), "delta must be a number > 0"),
    (lambda: LocallyWeightedRegression(tau=0).fit(GOOD_X, GOOD_Y), "tau must be a number > 0"),
    (lambda: LocallyWeightedRegression(Sigma=np.eye(3)).fit(GOOD_X, GOOD_Y), r"symmetric \(2, 2\) matrix"),
    (lambda: LocallyWeightedRegression(Sigma=-np.eye(2)).fit(GOOD_X, GOOD_Y), "positive definite"),
    (lambda: batch_gradient_descent(GOOD_X, GOOD_Y, 0.1, theta=[1.0]), "theta has 1 entries"),
    (lambda: batch_gradient_descent(GOOD_X, GOOD_Y, True), "step must be a number"),
    (lambda: batch_gradient_descent([[1e150], [1e150]], [1e150, 1e150], 0.1), "overflows"),
    (lambda: stochastic_gradient_descent(GOOD_X, GOOD_Y, 0.1, epochs=1.5), "epochs must be an integer"),
    (lambda: max_stable_step(np.zeros((2, 2))), "X is zero"),
    (lambda: inverse_decay(0.1, 0), "half_life must be"),
    (lambda: gaussian_log_likelihood(np.zeros(1), np.ones((2, 1)), np.ones(2), 0), "sigma must be"),
    (lambda: expected_errors(3, 5), "n must be an integer >= 6"),
    (lambda: Standardizer().fit(GOOD_X).unscale([1.0, 2.0]), "3 entries"),
    (lambda: Standardizer().fit(GOOD_X).transform([[1.0]]), "fitted with 2"),
    (lambda: normal_equations(np.ones((3, 2)), np.ones(3)), "solver='svd'"),
    (lambda: qr_least_squares(np.ones((1, 2)), np.ones(1)), "no unique solution"),
])
def test_bad_parameters_are_explained(call, message):
    with pytest.raises(ValueError, match=message):
        call()


junk = st.one_of(st.none(), st.text(max_size=3), st.floats(allow_nan=True), st.lists(st.floats(), max_size=3),
                 st.lists(st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=3), max_size=4),
                 st.lists(st.text(max_size=2), max_size=3), st.dictionaries(st.text(max_size=1), st.integers(), max_size=2))


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(ESTIMATORS), junk, junk)
def test_arbitrary_input_is_fitted_or_refused_with_a_sentence(model, X, y):
    """Nothing but a ValueError with a sentence, and never a non-finite prediction."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            model.fit(X, y)
        except ValueError as error:
            assert len(str(error)) > 20
        else:
            assert np.shape(model.predict(X)) == np.shape(y)
