"""The decomposition, the polynomial smoothers, the overfit measure and double descent."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import eval_legendre

from mlcore.generalization.bias_variance import (
    TRUTHS,
    MinNormRegression,
    RandomReLUFeatures,
    degrees_of_freedom,
    error_terms,
    expected_training_error,
    isotropic_risk,
    legendre_features,
    legendre_target,
    min_norm_solution,
    optimal_ridge,
    optimism,
    overfit_measure,
    polynomial_coefficients,
    polynomial_decomposition,
    polynomial_smoother,
    ridge_risk,
    simulate_decomposition,
    smoother_decomposition,
    target_weights,
    true_curve,
)

GRID = np.linspace(-1, 1, 101)


def polynomial_learner(degree, ridge=0.0):
    return lambda x, y, x_test: polynomial_smoother(x, x_test, degree, ridge) @ y


# ---------------------------------------------------------------- polynomial smoothers


def test_features_are_scaled_legendre_polynomials_and_orthonormal():
    Phi = legendre_features(GRID, 8)
    want = np.column_stack([np.sqrt(2 * k + 1) * eval_legendre(k, GRID) for k in range(9)])
    assert_allclose(Phi, want, atol=1e-13)
    nodes, weights = np.polynomial.legendre.leggauss(12)  # exact for products of two polynomials of degree <= 11
    Phi = legendre_features(nodes, 8)
    assert_allclose((Phi.T * weights / 2) @ Phi, np.eye(9), atol=1e-13)


@pytest.mark.parametrize("degree, ridge", [(0, 0.0), (3, 0.0), (9, 0.0), (9, 0.01), (15, 3.0)])
def test_coefficients_make_the_gradient_vanish(degree, ridge):
    rng = np.random.default_rng(degree)
    x, y = np.linspace(-1, 1, 25), rng.normal(size=25)
    theta = polynomial_coefficients(x, degree, ridge) @ y
    penalized = theta.copy()
    penalized[0] = 0
    Phi = legendre_features(x, degree)
    assert_allclose(Phi.T @ (y - Phi @ theta) - ridge * penalized, 0, atol=1e-11)


def test_smoother_agrees_with_polyfit_and_reproduces_polynomials():
    rng = np.random.default_rng(0)
    x, y = rng.uniform(-1, 1, 30), rng.normal(size=30)
    assert_allclose(polynomial_smoother(x, GRID, 5) @ y, np.polyval(np.polyfit(x, y, 5), GRID), rtol=1e-9)
    cubic = lambda t: 1 - t + 4 * t**3  # noqa: E731
    assert_allclose(polynomial_smoother(x, GRID, 3) @ cubic(x), cubic(GRID), atol=1e-12)


def test_ridge_limits_and_unpenalized_constant():
    x, y = np.linspace(-1, 1, 20), np.random.default_rng(1).normal(size=20)
    assert_allclose(polynomial_smoother(x, GRID, 6, 1e-13) @ y, polynomial_smoother(x, GRID, 6) @ y, atol=1e-9)
    assert_allclose(polynomial_smoother(x, GRID, 6, 1e12) @ y, np.full(101, y.mean()), atol=1e-9)
    dof = [degrees_of_freedom(polynomial_smoother(x, x, 6, lam)) for lam in (0.0, 0.1, 1.0, 10.0, 1e9)]
    assert_allclose(dof[0], 7)
    assert np.all(np.diff(dof) < 0) and dof[-1] == pytest.approx(1, abs=1e-6)


def test_ridge_agrees_with_sklearn():
    from sklearn.linear_model import Ridge

    x, y = np.linspace(-1, 1, 20), np.random.default_rng(2).normal(size=20)
    sk = Ridge(alpha=0.7).fit(legendre_features(x, 6)[:, 1:], y)
    assert_allclose(polynomial_smoother(x, GRID, 6, 0.7) @ y, sk.predict(legendre_features(GRID, 6)[:, 1:]), rtol=1e-9)


def test_too_high_degree_is_refused_without_ridge_only():
    with pytest.raises(ValueError, match="at least 6 distinct inputs, got 5"):
        polynomial_coefficients(np.linspace(-1, 1, 5), 5)
    assert np.isfinite(polynomial_coefficients(np.linspace(-1, 1, 5), 5, ridge=0.1)).all()


def test_custom_curve_passes_through_its_knots_without_overshoot():
    knots = np.array([0, 0, 0, 1, 1, -1, -1, 0.5, 0.5])
    curve = true_curve("custom", knots)
    assert_allclose(curve(np.linspace(-1, 1, 9)), knots, atol=1e-14)
    fine = curve(np.linspace(-1, 1, 1001))
    assert fine.max() <= 1 and fine.min() >= -1
    with pytest.raises(ValueError, match="needs 9 knots.*got 3"):
        true_curve("custom", [1, 2, 3])
    with pytest.raises(ValueError, match="'sine'.*got 'cosine'"):
        true_curve("cosine")


# ---------------------------------------------------------------- the decomposition


@pytest.mark.parametrize("degree, ridge", [(1, 0.0), (5, 0.0), (9, 0.5)])
def test_closed_form_agrees_with_simulation_on_a_fixed_design(degree, ridge):
    h, sigma, n = TRUTHS["sine"], 0.4, 20
    exact = polynomial_decomposition(h, n, degree, sigma, ridge)
    R = 4000
    sim = simulate_decomposition(polynomial_learner(degree, ridge), h, lambda rng: np.linspace(-1, 1, n), GRID, sigma, R, rng=0)
    assert_allclose(sim.variance, exact.variance, rtol=5 * np.sqrt(2 / R))  # relative standard error of a variance
    se_bias = 2 * np.sqrt(exact.bias2 * exact.variance / R) + exact.variance / R
    assert np.all(abs(sim.bias2 - exact.bias2) < 5 * se_bias)
    assert_allclose(sim.total.mean(), exact.total.mean(), rtol=0.02)


def test_parts_sum_to_an_independently_simulated_total_for_a_nonlinear_learner():
    def nearest_neighbor(x, y, x_test):
        return y[abs(x[:, None] - x_test).argmin(axis=0)]

    sim = simulate_decomposition(nearest_neighbor, TRUTHS["bump"], lambda rng: rng.uniform(-1, 1, 15), GRID, 0.3, 4000, rng=1)
    assert_allclose((sim.noise + sim.bias2 + sim.variance).mean(), sim.total.mean(), rtol=0.01)


def test_bias_correction_makes_the_estimate_unbiased_at_zero_bias():
    h = lambda x: 0 * x  # noqa: E731
    draws = [simulate_decomposition(polynomial_learner(2), h, lambda rng: np.linspace(-1, 1, 8), GRID, 1.0, 5, rng=s).mean().bias2
             for s in range(400)]
    assert abs(np.mean(draws)) < 4 * np.std(draws) / np.sqrt(len(draws))


def test_bias_of_nested_least_squares_falls_and_variance_rises_on_the_training_inputs():
    x = np.linspace(-1, 1, 24)
    parts = [polynomial_decomposition(TRUTHS["bump"], 24, d, 0.5, x_test=x).mean() for d in range(16)]
    assert np.all(np.diff([p.bias2 for p in parts]) <= 1e-12)
    assert_allclose([p.variance for p in parts], 0.25 * np.arange(1, 17) / 24)  # sigma^2 p / n
    assert_allclose([p.total for p in parts], [p.noise + p.bias2 + p.variance for p in parts])


def test_optimism_is_the_gap_between_in_sample_and_training_error():
    x, sigma = np.linspace(-1, 1, 18), 0.7
    for degree, ridge in [(0, 0.0), (6, 0.0), (10, 2.0)]:
        L = polynomial_smoother(x, x, degree, ridge)
        in_sample = smoother_decomposition(L, TRUTHS["step"](x), TRUTHS["step"](x), sigma).mean().total
        training = expected_training_error(L, TRUTHS["step"](x), sigma)
        assert_allclose(in_sample - training, optimism(L, sigma), rtol=1e-12)


def test_expected_training_error_against_simulation():
    rng = np.random.default_rng(5)
    x, sigma = np.linspace(-1, 1, 12), 0.5
    L, h = polynomial_smoother(x, x, 3, 0.2), TRUTHS["sine"](np.linspace(-1, 1, 12))
    Y = h + sigma * rng.normal(size=(20000, 12))
    errors = ((Y - Y @ L.T) ** 2).mean(axis=1)
    assert abs(errors.mean() - expected_training_error(L, h, sigma)) < 4 * errors.std() / np.sqrt(len(errors))


def test_decomposition_refuses_bad_input():
    with pytest.raises(ValueError, match=r"\(2, 3\), got shape \(3, 2\)"):
        smoother_decomposition(np.ones((3, 2)), np.zeros(3), np.zeros(2), 1.0)
    with pytest.raises(ValueError, match="sigma must be a number >= 0, got -1"):
        smoother_decomposition(np.ones((2, 3)), np.zeros(3), np.zeros(2), -1)
    with pytest.raises(ValueError, match="must be square"):
        optimism(np.ones((2, 3)), 1.0)
    with pytest.raises(ValueError, match="one value per training input, 2, got 3"):
        expected_training_error(np.eye(2), np.zeros(3), 1.0)
    with pytest.raises(ValueError, match="n_sets"):
        simulate_decomposition(polynomial_learner(1), TRUTHS["sine"], lambda rng: GRID, GRID, 1.0, n_sets=1)


# ---------------------------------------------------------------- overfit measure


def test_random_targets_have_mean_square_one():
    rng = np.random.default_rng(0)
    squares = [(legendre_target(12, rng) ** 2).sum() for _ in range(4000)]
    assert abs(np.mean(squares) - 1) < 4 * np.std(squares) / np.sqrt(4000)
    assert target_weights(12).sum() == pytest.approx(1)
    assert_allclose(target_weights(3) * (2 * np.arange(4) + 1), np.full(4, target_weights(3)[0]))


@pytest.mark.parametrize("degree, target_degree", [(2, 7), (10, 4), (10, 20)])
def test_error_terms_agree_with_simulated_fits(degree, target_degree):
    rng = np.random.default_rng(degree)
    x, sigma, R = rng.uniform(-1, 1, 40), 0.6, 4000
    terms = error_terms(x, degree, target_degree)
    want = target_weights(target_degree) @ terms.per_target + sigma**2 * terms.per_noise
    nodes, weights = np.polynomial.legendre.leggauss(target_degree + degree + 2)
    A = np.sqrt(target_weights(target_degree)) * rng.normal(size=(R, target_degree + 1))
    Y = A @ legendre_features(x, target_degree).T + sigma * rng.normal(size=(R, 40))
    fits = legendre_features(nodes, degree) @ np.linalg.lstsq(legendre_features(x, degree), Y.T, rcond=None)[0]
    errors = weights / 2 @ (fits - legendre_features(nodes, target_degree) @ A.T) ** 2
    assert abs(errors.mean() - want) < 5 * errors.std() / np.sqrt(R)


def test_overfit_measure_moves_as_the_causes_say():
    s2 = np.array([0.0, 0.5, 1.0, 2.0])
    few, many = (overfit_measure(n, s2, 20, rng=0) for n in (30, 100))
    assert np.all(np.diff(few) > 0) and np.all(np.diff(many) > 0)  # more noise, more overfitting
    assert np.all(few > many)  # more data, less
    by_degree = overfit_measure(60, 0.1, np.array([12, 20, 40, 80]), rng=0)
    assert np.all(np.diff(by_degree) > 0)  # a more complex target acts like noise
    assert overfit_measure(60, 0.1, 20, rng=0) == pytest.approx(by_degree[1])
    assert overfit_measure(60, s2, np.array([5, 9]), rng=0).shape == (4, 2)


def test_overfit_measure_refuses_bad_input():
    with pytest.raises(ValueError, match="n must be an integer >= 11, got 8"):
        overfit_measure(8, 0.1, 20)
    with pytest.raises(ValueError, match="sigma2 must be >= 0"):
        overfit_measure(30, np.array([0.1, -0.1]), 20)
    with pytest.raises(ValueError, match="target_degree must be an integer >= 0, got 2.5"):
        overfit_measure(30, 0.1, 2.5)


# ---------------------------------------------------------------- double descent


@pytest.mark.parametrize("n, p", [(30, 8), (8, 30), (10, 10)])
def test_min_norm_solution_is_the_pseudo_inverse_and_the_ridge_limit(n, p):
    rng = np.random.default_rng(n)
    X, y = rng.normal(size=(n, p)), rng.normal(size=n)
    theta = min_norm_solution(X, y)
    assert_allclose(theta, np.linalg.pinv(X) @ y, atol=1e-9)
    assert_allclose(theta, np.linalg.lstsq(X, y, rcond=None)[0], atol=1e-9)
    for ridge in (0.3, 1e-7, 1e-3, 1e6):  # each of the ways it is solved
        U, s, Vt = np.linalg.svd(X, full_matrices=False)
        assert_allclose(min_norm_solution(X, y, ridge), Vt.T @ (s / (s**2 + ridge) * (U.T @ y)), rtol=1e-6, atol=1e-12)
    if p > n:
        assert_allclose(X @ theta, y, atol=1e-10)
        other = theta + (np.eye(p) - np.linalg.pinv(X) @ X) @ rng.normal(size=p)
        assert_allclose(X @ other, y, atol=1e-10)
        assert np.linalg.norm(theta) < np.linalg.norm(other)


def test_min_norm_handles_several_outputs_and_duplicate_columns():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(20, 4)), rng.normal(size=(20, 3))
    model = MinNormRegression().fit(X, Y)
    assert_allclose(model.coef_, np.linalg.lstsq(X, Y, rcond=None)[0], atol=1e-12)
    assert model.norm_ == pytest.approx(np.sqrt((model.coef_**2).sum()))
    doubled = MinNormRegression().fit(np.hstack([X, X]), Y)
    assert_allclose(doubled.coef_[:4], doubled.coef_[4:], atol=1e-12)
    assert_allclose(doubled.predict(np.hstack([X, X])), model.predict(X), atol=1e-12)
    with pytest.raises(ValueError, match="ridge must be a number >= 0"):
        MinNormRegression(ridge=-1.0).fit(X, Y)
    with pytest.raises(ValueError, match="ridge must be a number >= 0"):
        min_norm_solution(X, Y, ridge=-1.0)


def test_min_norm_agrees_with_sklearn():
    from sklearn.linear_model import LinearRegression, Ridge

    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(20, 50)), rng.normal(size=20)
    assert_allclose(MinNormRegression().fit(X, y).coef_, LinearRegression(fit_intercept=False).fit(X, y).coef_, atol=1e-10)
    assert_allclose(MinNormRegression(2.0).fit(X, y).coef_, Ridge(alpha=2.0, fit_intercept=False).fit(X, y).coef_, atol=1e-10)


def test_random_features_are_nonnegative_and_their_kernel_converges_to_the_arc_cosine_kernel():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6, 3))
    Phi = RandomReLUFeatures(200_000, random_state=1).fit_transform(X)
    assert (Phi >= 0).all()
    r = np.linalg.norm(X, axis=1)
    angle = np.arccos(np.clip(X @ X.T / np.outer(r, r), -1, 1))
    kernel = np.outer(r, r) * (np.sin(angle) + (np.pi - angle) * np.cos(angle)) / (2 * np.pi)  # E relu(w.x) relu(w.z)
    assert_allclose(Phi @ Phi.T, kernel, atol=0.03)


@pytest.mark.parametrize("n, value", [(100, 1.113), (250, 1.001), (400, 1.460), (450, 2.646), (490, 13.88), (510, 14.14),
                                      (550, 2.801), (600, 1.513), (750, 0.752), (1000, 0.501)])
def test_isotropic_risk_of_the_printed_setting(n, value):
    assert isotropic_risk(n, 500, 0.5) == pytest.approx(value, abs=6e-3 if value > 10 else 6e-4)


@pytest.mark.parametrize("n, p, unseen", [(40, 10, 0.0), (40, 25, 0.5), (15, 40, 0.0), (10, 40, 0.8)])
def test_isotropic_risk_agrees_with_simulated_regressions(n, p, unseen):
    rng, sigma, signal, R = np.random.default_rng(p), 0.7, 2.0, 3000
    beta = rng.normal(size=p)
    beta *= np.sqrt(signal) / np.linalg.norm(beta)
    errors = np.empty(R)
    for r in range(R):
        X = rng.normal(size=(n, p))
        y = X @ beta + np.sqrt(unseen + sigma**2) * rng.normal(size=n)
        errors[r] = ((min_norm_solution(X, y) - beta) ** 2).sum() + unseen + sigma**2
    assert abs(errors.mean() - isotropic_risk(n, p, sigma, signal, unseen)) < 4 * errors.std() / np.sqrt(R)


def test_isotropic_risk_edges():
    assert isotropic_risk(20, 20, 0.1) == isotropic_risk(21, 20, 0.1) == isotropic_risk(19, 20, 0.1) == np.inf
    assert isotropic_risk(20, 20, 0.0) == isotropic_risk(30, 20, 0.0) == 0
    assert isotropic_risk(19, 20, 0.0) == pytest.approx(0.05)
    assert isotropic_risk(0, 5, 0.5, signal=3.0) == isotropic_risk(0, 1, 0.5, signal=3.0) == pytest.approx(3.25)
    assert isotropic_risk(1, 0, 0.5, unseen=1.0) == isotropic_risk(9, 0, 0.5, unseen=1.0) == pytest.approx(1.25)  # predicts 0
    with pytest.raises(ValueError, match="p must be an integer >= 0"):
        isotropic_risk(5, -1, 0.5)
    with pytest.raises(ValueError, match="unseen must be a number >= 0"):
        isotropic_risk(5, 2, 0.5, unseen=-1.0)


def test_optimal_ridge_is_best_for_every_n_and_makes_the_risk_monotone():
    p, sigma, signal = 40, 0.5, 1.0
    best = optimal_ridge(p, sigma, signal)
    assert best == pytest.approx(10.0)
    risks = []
    for n in (10, 40, 90):
        by_ridge = ridge_risk(n, p, sigma, best * np.array([0.5, 0.9, 1.0, 1.1, 2.0]), signal, n_sets=30, rng=0)
        assert np.argmin(by_ridge) == 2  # the same designs for every ridge, so the comparison is exact
        risks.append(by_ridge[2])
    assert np.all(np.diff(risks) < 0)


def test_ridge_risk_agrees_with_simulated_fits_and_with_min_norm_in_the_limit():
    rng, n, p, sigma, lam, R = np.random.default_rng(0), 15, 25, 0.6, 4.0, 3000
    beta = np.zeros(p)
    beta[0] = 1.0
    errors = np.empty(R)
    for r in range(R):
        X = rng.normal(size=(n, p))
        errors[r] = ((min_norm_solution(X, X @ beta + sigma * rng.normal(size=n), lam) - beta) ** 2).sum() + sigma**2
    assert abs(errors.mean() - ridge_risk(n, p, sigma, lam, n_sets=2000, rng=1)) < 5 * errors.std() / np.sqrt(R)
    small = ridge_risk(n, 60, sigma, 1e-9, n_sets=4000, rng=2)
    assert small == pytest.approx(isotropic_risk(n, 60, sigma), rel=0.01)
    assert ridge_risk(n, p, sigma, np.array([lam, 9.0]), rng=1)[0] == pytest.approx(ridge_risk(n, p, sigma, lam, rng=1))
    with pytest.raises(ValueError, match="ridge must be > 0.*isotropic_risk"):
        ridge_risk(n, p, sigma, 0.0)
    with pytest.raises(ValueError, match="signal must be a number > 0"):
        optimal_ridge(5, 1.0, 0.0)
