"""Ridge, lasso and polynomial regression: each formula against another route, each solver against scikit-learn."""

from math import comb

import numpy as np
import pytest
import sklearn.linear_model
import sklearn.preprocessing
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize, minimize_scalar
from sklearn.datasets import load_diabetes

from mlcore.base import ConvergenceWarning
from mlcore.foundations.constrained_optimization import solve_qp
from mlcore.supervised.linear_regression import LinearRegression, Standardizer, add_intercept, svd_least_squares
from mlcore.supervised.ridge_lasso_polynomial import (
    BasisRegression,
    Lasso,
    PolynomialFeatures,
    Ridge,
    chebyshev_basis,
    coordinate_descent,
    coordinate_sweep,
    duality_gap,
    effective_dof,
    fourier_basis,
    lasso_objective,
    lasso_path,
    legendre_basis,
    max_alpha,
    monomial_basis,
    polynomial_features,
    proximal_gradient,
    radial_basis,
    ridge_dual,
    ridge_error,
    ridge_primal,
    ridge_svd,
    soft_threshold,
    subgradient_descent,
)

WEI_X, WEI_Y = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), np.array([1.0, 2.0, 2.0])
MARKS = np.array([[78, 89, 68, 62, 66, 73, 77], [70, 77, 87, 95, 93, 77, 86], [61, 64, 60, 62, 71, 71, 60],
                  [73, 56, 49, 66, 66, 68, 69], [79, 81, 73, 74, 81, 51, 70], [93, 85, 100, 100, 95, 97, 88]], float)
MING = np.array([1, 84, 74, 67, 79, 77, 77.0])


def problem(n, d, seed=0, noise=0.5, correlation=0.5, nonzero=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, 1:] += correlation * X[:, :-1]
    w = np.zeros(d)
    w[:nonzero] = rng.normal(size=min(nonzero, d))
    return X, X @ w + noise * rng.normal(size=n)


@pytest.fixture(scope="module")
def diabetes():
    data = load_diabetes(scaled=False)
    return Standardizer().fit_transform(data.data), data.target - data.target.mean()


# ridge


@pytest.mark.parametrize("shape", [(30, 4), (6, 6), (4, 9), (1, 3)])
@pytest.mark.parametrize("alpha", [1e-3, 1.0, 1e3])
def test_ridge_forms_agree(shape, alpha):
    X, y = problem(*shape, nonzero=3)
    want = np.linalg.lstsq(np.vstack([X, np.sqrt(alpha) * np.eye(shape[1])]), np.r_[y, np.zeros(shape[1])], rcond=None)[0]
    for w in (ridge_primal(X, y, alpha), ridge_dual(X, y, alpha), ridge_svd(X, y, alpha)[0]):
        assert_allclose(w, want, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("shape", [(40, 5), (8, 20)])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("solver", ["auto", "primal", "dual", "svd"])
def test_ridge_equals_scikit_learn(shape, fit_intercept, solver):
    X, y = problem(*shape)
    X, y = X + 3, y + 7
    ours = Ridge(2.5, fit_intercept, solver).fit(X, y)
    theirs = sklearn.linear_model.Ridge(2.5, fit_intercept=fit_intercept).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-10)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-9)
    assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-8)


def test_ridge_minimizes_its_objective_with_a_free_intercept():
    X, y = problem(25, 3)
    X, y = X + 2, y - 5
    model = Ridge(4.0).fit(X, y)

    def J(v):
        return 0.5 * ((y - v[0] - X @ v[1:]) ** 2).sum() + 2.0 * (v[1:] ** 2).sum()

    assert_allclose(np.r_[model.intercept_, model.coef_], minimize(J, np.zeros(4), tol=1e-12).x, atol=1e-5)
    moved = Ridge(4.0).fit(X + 100, y + 30)
    assert_allclose(moved.predict(X + 100), model.predict(X) + 30)


def test_tiny_and_zero_penalties_give_the_shortest_least_squares_solution():
    X, y = problem(5, 9)
    shortest = svd_least_squares(X, y)[0]
    assert_allclose(ridge_svd(X, y, 0.0)[0], shortest, atol=1e-10)
    assert_allclose(Ridge(1e-13, fit_intercept=False).fit(X, y).coef_, shortest, atol=1e-10)
    assert_allclose(Ridge(0.0).fit(X[:, :2], y).coef_, LinearRegression().fit(X[:, :2], y).coef_)
    nearly = np.column_stack([X[:, 0], X[:, 0] + 1e-9 * X[:, 1]])
    assert_allclose(Ridge(1e-6, False).fit(nearly, y).coef_, ridge_svd(nearly, y, 1e-6)[0], rtol=1e-6)


def test_ridge_shrinks_directions_and_norm():
    X, y = problem(20, 6)
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    alphas = np.geomspace(0.01, 1e4, 9)
    paths = ridge_svd(X, y, alphas)
    least = svd_least_squares(X, y)[0]
    assert_allclose(paths @ Vt.T, (Vt @ least) * s**2 / (s**2 + alphas[:, None]), atol=1e-10)
    assert (np.diff(np.linalg.norm(paths, axis=1)) < 0).all()
    losses = 0.5 * ((y[:, None] - X @ paths.T) ** 2).sum(axis=0)
    assert (np.diff(losses) > 0).all()


def test_degrees_of_freedom_are_the_trace_of_the_smoother():
    X, _ = problem(15, 5)
    for alpha in (0.1, 3.0, 200.0):
        H = X @ np.linalg.solve(X.T @ X + alpha * np.eye(5), X.T)
        assert_allclose(effective_dof(X, alpha), np.trace(H))
    assert_allclose(effective_dof(X[:, [0, 0, 1]], [0.0]), 2)


def test_ridge_error_matches_simulation_and_falls_as_the_theorem_says():
    X, _ = problem(30, 4)
    w, sigma, rng = np.array([1.0, -2.0, 0.5, 0.0]), 1.5, np.random.default_rng(1)
    alphas = np.array([0.0, 3.0, 40.0])
    errors = [((ridge_svd(X, X @ w + sigma * rng.normal(size=30), alphas) - w) ** 2).sum(axis=1) for _ in range(3000)]
    theory = ridge_error(X, w, sigma, alphas)
    standard = np.std(errors, axis=0) / np.sqrt(3000)
    assert (np.abs(np.mean(errors, axis=0) - theory.total) < 4 * standard).all()
    gamma = np.linalg.svd(X)[2] @ w
    below = np.linspace(0, sigma**2 / (gamma**2).max(), 50)
    assert (np.diff(ridge_error(X, w, sigma, below).total) < 0).all()


def test_worked_example_of_tan():
    X, y = add_intercept(MARKS[:, :6]), MARKS[:, 6]
    w = ridge_primal(X[:3], y[:3], 0.1)
    assert_allclose(w, [-0.0062, 0.1891, 0.4328, 0.3934, 0.3378, -0.0685, -0.2664], atol=5e-5)
    assert_allclose(X[:3] @ w, [76.998, 85.998, 60.005], atol=5e-4)
    assert_allclose(X[3:] @ w, [56.98, 84.58, 95.15], atol=6e-3)
    test_loss = 0.5 * ((y[3:] - X[3:] @ w) ** 2).sum()
    assert_allclose([test_loss, test_loss + 0.05 * w @ w, MING @ w], [204.0787, 204.1071, 75.1704], atol=1e-4)
    losses = [0.5 * ((y[3:] - X[3:] @ v) ** 2).sum() for v in ridge_svd(X[:3], y[:3], [0, 1, 10, 100, 1000, 10_000])]
    assert_allclose(losses, [204.28, 202.29, 186.29, 113.74, 56.05, 65.96], atol=5e-3)
    free = Ridge(0.1).fit(MARKS[:3, :6], y[:3])
    assert_allclose([free.intercept_, free.predict([MING[1:]])[0]], [-26.92, 77.55], atol=5e-3)


def test_lasso_of_the_marks():
    X, y = add_intercept(MARKS[:3, :6]), MARKS[:3, 6]
    for alpha, want in ((1.0, {2: 0.435, 3: 0.793, 6: -0.215}), (10.0, {2: 0.372, 3: 0.722, 6: -0.079}),
                        (100.0, {2: 0.534, 4: 0.455}), (1000.0, {2: 0.502, 4: 0.181, 5: 0.243})):
        w = coordinate_descent(X, y, alpha, tol=1e-13).coef
        assert set(np.flatnonzero(w)) == set(want)
        assert_allclose(w[list(want)], list(want.values()), atol=6e-4)


# lasso


@given(z=st.floats(-20, 20), a=st.floats(0.1, 5), alpha=st.floats(0.01, 10))
@settings(max_examples=40, deadline=None)
def test_soft_threshold_solves_the_one_dimensional_lasso(z, a, alpha):
    def F(w):
        return 0.5 * a * w**2 - z * w + alpha * abs(w)

    best = soft_threshold(z, alpha) / a
    scan = minimize_scalar(F, bounds=(-250, 250), method="bounded", options={"xatol": 1e-9})
    assert F(best) <= scan.fun + 1e-9 * (1 + abs(scan.fun))
    assert F(best) <= min(F(best + 1e-3), F(best - 1e-3), F(0.0))


def test_example_of_wei():
    run = coordinate_descent(WEI_X, WEI_Y, 1.0, tol=1e-14)
    assert_allclose(run.coef, [5 / 6, 1 / 2])
    assert_allclose(lasso_objective(WEI_X, WEI_Y, run.coef, 1.0), 19 / 12)
    assert_allclose(ridge_primal(WEI_X, WEI_Y, 1.0), [0.8, 0.6])
    right = subgradient_descent(WEI_X, WEI_Y, 1.0, step=0.05, max_iter=500)
    assert_allclose(right.coef, [5 / 6, 1 / 2], atol=1e-8)


def test_subgradient_steps_make_no_zeros_and_a_large_step_stops_when_it_overflows():
    exact = coordinate_descent(WEI_X, WEI_Y, 4.0, tol=1e-14).coef
    assert_allclose(exact, [0, 0.4])
    constant = subgradient_descent(WEI_X, WEI_Y, 4.0, step=0.05, max_iter=2000)
    assert (constant.coef != 0).all() and constant.gaps[-1] > 1e-3
    shrinking = subgradient_descent(WEI_X, WEI_Y, 4.0, step=lambda t: 0.2 / (1 + t / 10), max_iter=5000)
    assert shrinking.history[-1] - lasso_objective(WEI_X, WEI_Y, exact, 4.0) < 0.01
    wild = subgradient_descent(WEI_X, WEI_Y, 1.0, step=100.0, max_iter=5000)
    assert np.isfinite(wild.history).all() and wild.n_iter < 5000


@pytest.mark.parametrize("shape", [(60, 8), (40, 40), (25, 80)])
@pytest.mark.parametrize("fraction", [0.5, 0.1, 0.02])
def test_lasso_solvers_satisfy_the_optimality_conditions_and_equal_scikit_learn(shape, fraction):
    X, y = problem(*shape, seed=3)
    alpha = fraction * max_alpha(X - X.mean(axis=0), y - y.mean())
    theirs = sklearn.linear_model.Lasso(alpha / len(y), tol=1e-14, max_iter=200_000).fit(X, y)
    for solver in ("cd", "fista"):
        ours = Lasso(alpha, solver=solver, tol=1e-13, max_iter=100_000).fit(X, y)
        assert ours.converged_
        assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
        assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-6)
    ours = Lasso(alpha, tol=1e-13).fit(X, y)
    q = (X - X.mean(axis=0)).T @ (y - ours.predict(X))
    on = ours.coef_ != 0
    assert_allclose(q[on], alpha * np.sign(ours.coef_[on]), rtol=1e-6)
    assert (np.abs(q[~on]) <= alpha * (1 + 1e-9)).all()


@pytest.mark.parametrize("fraction", [0.3, 0.01])
def test_lasso_equals_the_quadratic_program(fraction):
    X, y = problem(20, 5, seed=7)
    alpha = fraction * max_alpha(X, y)
    G, c = X.T @ X, X.T @ y
    P, q = np.block([[G, -G], [-G, G]]), np.r_[alpha - c, alpha + c]      # w = u - v with u, v >= 0
    both = solve_qp(P, q, -np.eye(10), np.zeros(10)).x
    assert_allclose(coordinate_descent(X, y, alpha, tol=1e-14).coef, both[:5] - both[5:], atol=1e-5)


def test_package_solver_equals_plain_sweeps(diabetes):
    Z, t = diabetes
    w, values = np.zeros(10), []
    for _ in range(300):
        w = coordinate_sweep(Z, t, w, 1000.0)
        values.append(lasso_objective(Z, t, w, 1000.0))
    assert (np.diff(values) <= 1e-6).all()
    run = coordinate_descent(Z, t, 1000.0, tol=1e-14)
    assert_allclose(run.coef, w, atol=1e-8)
    assert (np.diff(run.history) <= 1e-6).all()
    assert_allclose(run.history[-1], values[-1])


@pytest.mark.parametrize("seed", range(8))
def test_dependent_columns_still_converge(seed):
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(6, 3))
    X = np.hstack([base, base @ rng.normal(size=(3, 9)), np.zeros((6, 1))])
    y = rng.normal(size=6)
    alpha = 0.05 * max_alpha(X, y)
    run = coordinate_descent(X, y, alpha, tol=1e-12)
    assert run.converged and run.coef[-1] == 0
    slow = proximal_gradient(X, y, alpha, accelerate=True, tol=1e-10, max_iter=100_000)
    assert_allclose(run.history[-1], slow.history[-1], rtol=1e-8)


@pytest.mark.parametrize("limit", [1, 2, 7])
def test_coordinate_descent_keeps_to_its_limit_of_sweeps(limit):
    X, y = problem(30, 25, seed=1, correlation=3.0)
    run = coordinate_descent(X, y, 1e-3 * max_alpha(X, y), tol=1e-15, max_iter=limit)
    assert run.n_iter == limit and not run.converged and (np.diff(run.history) <= 0).all()


def test_duality_gap_bounds_the_distance_to_the_minimum():
    X, y = problem(30, 12, seed=5)
    alpha, rng = 0.2 * max_alpha(X, y), np.random.default_rng(0)
    best = coordinate_descent(X, y, alpha, tol=1e-14)
    assert duality_gap(X, y, best.coef, alpha) < 1e-10
    for _ in range(50):
        w = best.coef + rng.normal(scale=rng.choice([0.01, 1.0]), size=12) * (rng.random(12) < 0.5)
        r = y - X @ w
        theta = r * min(1, alpha / np.abs(X.T @ r).max())
        direct = lasso_objective(X, y, w, alpha) - (theta @ y - 0.5 * theta @ theta)
        gap = duality_gap(X, y, w, alpha)
        assert_allclose(gap, direct, rtol=1e-8, atol=1e-9)
        assert gap >= lasso_objective(X, y, w, alpha) - best.history[-1] - 1e-9


def test_all_zero_exactly_from_max_alpha_on():
    X, y = problem(20, 6, seed=2)
    top = max_alpha(X, y)
    assert not coordinate_descent(X, y, top).coef.any()
    assert np.count_nonzero(coordinate_descent(X, y, 0.999 * top, tol=1e-14).coef) == 1


def test_proximal_rates(diabetes):
    Z, t = diabetes
    best = coordinate_descent(Z, t, 50.0, tol=1e-14)
    L, distance2 = np.linalg.norm(Z, 2) ** 2, best.coef @ best.coef
    k = np.arange(1, 301)
    ista = proximal_gradient(Z, t, 50.0, tol=0, max_iter=300)
    fista = proximal_gradient(Z, t, 50.0, accelerate=True, tol=0, max_iter=300)
    assert (np.diff(ista.history) <= 1e-6).all()
    assert (np.array(ista.history[1:]) - best.history[-1] <= L * distance2 / (2 * k)).all()
    assert (np.array(fista.history[1:]) - best.history[-1] <= 2 * L * distance2 / (k + 1) ** 2).all()
    assert fista.history[-1] < ista.history[-1]


def test_fista_follows_its_recursion():
    X, y = problem(12, 4, seed=9)
    alpha, L, t, w_old, w = 0.5, np.linalg.norm(X, 2) ** 2, 1.0, np.zeros(4), np.zeros(4)
    v = w
    for _ in range(7):
        w_old, w = w, soft_threshold(v - X.T @ (X @ v - y) / L, alpha / L)
        t_old, t = t, (1 + np.sqrt(1 + 4 * t**2)) / 2
        v = w + (t_old - 1) / t * (w - w_old)
    assert_allclose(proximal_gradient(X, y, alpha, accelerate=True, tol=0, max_iter=7).coef, w)


def test_path_is_warm_started_piecewise_linear_and_equal_to_scikit_learn(diabetes):
    Z, t = diabetes
    path = lasso_path(Z, t, n_alphas=40, tol=1e-13)
    alphas, coefs, _ = sklearn.linear_model.lasso_path(Z, t, alphas=path.alphas / len(t), tol=1e-14, max_iter=500_000)
    assert_allclose(path.coefs, coefs.T, atol=1e-6)
    cold = sum(coordinate_descent(Z, t, alpha, tol=1e-13).n_iter for alpha in path.alphas)
    assert path.converged.all() and path.n_iter.sum() < cold
    assert (np.diff(np.abs(path.coefs).sum(axis=1)) >= -1e-8).all()
    line = lasso_path(Z, t, np.linspace(0.2, 0.3, 6) * max_alpha(Z, t), tol=1e-14).coefs
    assert_allclose(np.diff(line, n=2, axis=0), 0, atol=1e-6)


def test_lasso_reports_missing_convergence():
    X, y = problem(30, 10, correlation=3.0)
    with pytest.warns(ConvergenceWarning, match="max_iter=3"):
        model = Lasso(0.1, solver="ista", max_iter=3).fit(X, y)
    assert not model.converged_ and model.gap_ > 0 and len(model.history_) == 4


def test_penalty_zero_and_other_bad_input_are_refused():
    X, y = problem(10, 3)
    with pytest.raises(ValueError, match="LinearRegression"):
        Lasso(0.0).fit(X, y)
    for call, message in (
        (lambda: Lasso(-1.0).fit(X, y), "alpha must be a number > 0"),
        (lambda: Ridge(-1.0).fit(X, y), "alpha must be a number >= 0"),
        (lambda: Ridge(solver="qr").fit(X, y), "solver must be one of"),
        (lambda: Lasso(solver="lars").fit(X, y), "solver must be one of"),
        (lambda: ridge_primal(X, y, 0.0), "alpha must be a number > 0"),
        (lambda: ridge_svd(X, y, [1.0, -2.0]), "alphas must be at least 0"),
        (lambda: ridge_error(X[:, [0, 0]], [1, 1], 1.0, 1.0), "linearly independent"),
        (lambda: coordinate_descent(X, y, 1.0, w=np.zeros(2)), "w has 2 entries"),
        (lambda: duality_gap(X, y, np.zeros(4), 1.0), "w has 4 entries"),
        (lambda: ridge_error(X, [1, 1], 1.0, 1.0), "w_true has 2 entries"),
        (lambda: ridge_primal(X[:, [0, 0, 1]], y, 1e-30), "lost in the rounding"),
        (lambda: lasso_path(X, np.zeros(10)), "orthogonal"),
        (lambda: lasso_path(X, y, alphas=[1.0, -1.0]), "alpha must be a number > 0"),
        (lambda: lasso_path(X, y, ratio=2.0), "ratio must be"),
        (lambda: ridge_primal(X, y[:4], 1.0), "must agree"),
        (lambda: polynomial_features(X, -1), "degree must be an integer >= 0"),
        (lambda: polynomial_features(X, 0, include_bias=False), "no features"),
        (lambda: radial_basis([0.0], 1), "size >= 2"),
        (lambda: BasisRegression("spline").fit(X, y), "basis must be one of"),
        (lambda: PolynomialFeatures(2).fit(X).names(["a"]), "3 names"),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_constant_columns_and_constant_targets():
    X, y = problem(12, 3)
    X = np.column_stack([X, np.full(12, 4.0)])
    for model in (Ridge(1.0), Lasso(0.5), Lasso(0.5, solver="fista")):
        assert model.fit(X, y).coef_[-1] == 0
        flat = model.fit(X, np.full(12, 3.0))
        assert_array_equal(flat.coef_, 0)
        assert flat.intercept_ == 3.0


# features


@pytest.mark.parametrize("d, degree", [(1, 5), (2, 2), (3, 4), (6, 2), (6, 3)])
@pytest.mark.parametrize("bias", [True, False])
def test_polynomial_features_equal_scikit_learn_and_the_count(d, degree, bias):
    X = np.random.default_rng(0).normal(size=(7, d))
    ours = PolynomialFeatures(degree, bias).fit(X)
    theirs = sklearn.preprocessing.PolynomialFeatures(degree, include_bias=bias).fit(X)
    assert_allclose(ours.transform(X), theirs.transform(X))
    assert_array_equal(ours.powers_, theirs.powers_)
    assert ours.transform(X).shape[1] == comb(d + degree, degree) - (not bias)


def test_condition_numbers_of_the_notes():
    x = np.linspace(-1, 1, 50)
    conditions = [np.linalg.cond(basis(x, 12)) for basis in (monomial_basis, legendre_basis, chebyshev_basis)]
    assert_allclose(conditions, [1.64e4, 4.93, 2.50], rtol=2e-3)


def test_bases_are_what_they_say():
    x = np.linspace(-1, 1, 4001)
    for k in range(5):
        assert_allclose(chebyshev_basis(x, 4)[:, k], np.cos(k * np.arccos(x)), atol=1e-12)
    P = legendre_basis(x, 4)
    integrals = np.trapezoid(P[:, :, None] * P[:, None, :], x, axis=0)
    assert_allclose(integrals, np.diag(2 / (2 * np.arange(5) + 1)), atol=1e-5)
    F = fourier_basis(x, 3, period=2.0)
    assert_allclose(np.trapezoid(F[:, :, None] * F[:, None, :], x, axis=0), np.diag([2, 1, 1, 1, 1, 1, 1]), atol=1e-10)
    assert_allclose(fourier_basis(x + 2, 3), F, atol=1e-9)
    R = radial_basis(x, 5)
    assert_allclose(R[2000], [1, *np.exp(-np.array([4, 1, 0, 1, 4]) / 2)], atol=1e-12)


@pytest.mark.parametrize("basis", ["monomial", "legendre", "chebyshev"])
def test_polynomial_bases_span_the_same_space(basis):
    rng = np.random.default_rng(4)
    x, y = rng.uniform(2, 9, size=40), rng.normal(size=40)
    model = BasisRegression(basis, size=5).fit(x[:, None], y)
    want = np.polynomial.Polynomial.fit(x, y, 5)
    grid = np.linspace(2, 9, 30)
    assert_allclose(model.predict(grid[:, None]), want(grid), atol=1e-7)


def test_basis_regression_is_additive_and_leaves_the_constant_free():
    rng = np.random.default_rng(6)
    X = rng.uniform(-1, 1, size=(80, 2))
    y = 3 + X[:, 0] ** 2 - 2 * X[:, 1] ** 3
    model = BasisRegression("chebyshev", size=3).fit(X, y)
    assert_allclose(model.predict(X), y, atol=1e-10)
    assert_allclose(BasisRegression(alpha=1e9).fit(X, y).predict(X), y.mean(), atol=1e-4)
    constant = BasisRegression(size=2).fit(np.column_stack([X[:, 0], np.ones(80)]), y)
    assert np.isfinite(constant.predict(np.array([[0.0, 5.0]]))).all()
