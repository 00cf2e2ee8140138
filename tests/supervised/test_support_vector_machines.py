"""Support vector machines: margins, duality, three solvers of one problem, kernels, regression, multiclass, bad input."""

import itertools
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sklearn import svm
from sklearn.datasets import load_iris

from mlcore.base import ConvergenceWarning
from mlcore.foundations.constrained_optimization import solve_qp
from mlcore.foundations.mathematics import numerical_gradient
from mlcore.supervised import support_vector_machines as sv
from mlcore.supervised.kernel_methods import gaussian_kernel, linear_kernel, polynomial_kernel
from mlcore.supervised.perceptron import OneVsOne, OneVsRest
from mlcore.supervised.support_vector_machines import solver

FIVE = np.array([(2, 1), (1, 2), (0, 0), (3, 3), (-1, 0)], float)
FIVE_Y = np.array([1, 1, -1, 1, -1.0])
THREE, THREE_Y = np.array([(3, 3), (4, 3), (1, 1)], float), np.array([1, 1, -1.0])
XOR, XOR_Y = np.array(list(itertools.product((-1.0, 1.0), repeat=2))), np.array([-1, 1, 1, -1.0])


def forty():
    """Twenty points around (-1, -1) and twenty around (1, 1)."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(20, 2)) - 1, rng.normal(size=(20, 2)) + 1])
    return X, np.repeat([-1.0, 1.0], 20)


def sixty():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    return X, np.sign(X[:, 0] - 2 * X[:, 1] + 0.4 + 0.8 * rng.normal(size=60))


def noisy(n=120, d=4, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n) > 0, 1.0, -1.0)


# ---------------------------------------------------------------- margins


def test_functional_margin_scales_and_geometric_does_not():
    X, y = forty()
    w, b = np.array([1.0, 2.0]), 0.3
    assert_allclose(sv.functional_margins(2 * w, 2 * b, X, y), 2 * sv.functional_margins(w, b, X, y), rtol=1e-14)
    assert_allclose(sv.geometric_margins(7 * w, 7 * b, X, y), sv.geometric_margins(w, b, X, y), rtol=1e-12)


def test_geometric_margin_is_the_distance_to_the_foot_point():
    X, y = forty()
    w, b = np.array([1.0, -2.0]), 0.3
    gamma = sv.geometric_margins(w, b, X, y)
    feet = X - (y * gamma)[:, None] * w / np.linalg.norm(w)
    assert_allclose(feet @ w + b, 0, atol=1e-12)
    assert_allclose(np.linalg.norm(X - feet, axis=1), np.abs(gamma), rtol=1e-12)


@pytest.mark.parametrize("C", [0.3, 2.0])
def test_subgradient_equals_finite_differences_away_from_kinks_and_supports_the_objective(C):
    X, y = sixty()
    point = np.array([0.4, -0.7, 0.2])

    def f(v):
        return sv.soft_margin_objective(v[:2], v[2], X, y, C)

    g = np.r_[sv.soft_margin_subgradient(point[:2], point[2], X, y, C)]
    assert_allclose(g, numerical_gradient(f, point), rtol=1e-5)
    kink = np.array([0.0, 0.0, 1.0])  # every positive example has margin exactly 1
    g = np.r_[sv.soft_margin_subgradient(kink[:2], kink[2], X, y, C)]
    others = np.random.default_rng(1).normal(size=(50, 3))
    assert all(f(v) >= f(kink) + g @ (v - kink) - 1e-9 for v in others)


# ---------------------------------------------------------------- exact problems


def test_three_points():
    w, b, alpha = sv.hard_margin_primal(THREE, THREE_Y)
    assert_allclose(w, [0.5, 0.5], atol=1e-8)
    assert_allclose([b, *alpha], [-2, 0.25, 0, 0.25], atol=1e-8)
    assert_allclose(2 * sv.geometric_margins(w, b, THREE, THREE_Y).min(), 2 * np.sqrt(2), rtol=1e-8)
    assert_allclose(sv.solve_dual(THREE @ THREE.T, THREE_Y).alpha, alpha, atol=1e-8)


def test_five_points_hard_margin_by_four_routes():
    K = FIVE @ FIVE.T
    w, b, alpha = sv.hard_margin_primal(FIVE, FIVE_Y)
    reference = sv.solve_dual(K, FIVE_Y)
    pairs = sv.smo(K, FIVE_Y, np.inf, tol=1e-10)
    model = sv.SVC(C=np.inf, kernel="linear", tol=1e-10).fit(FIVE, FIVE_Y)
    for a in (alpha, reference.alpha, pairs.alpha, model.alpha_):
        assert_allclose(a, [2 / 9, 2 / 9, 4 / 9, 0, 0], atol=1e-8)
    assert_allclose(w, [2 / 3, 2 / 3], atol=1e-8)
    assert_allclose([b, reference.b, pairs.b, model.intercept_], -1, atol=1e-8)
    assert_allclose([reference.dual, reference.primal, model.dual_objective_, model.primal_objective_], 4 / 9, atol=1e-8)
    assert_allclose(sv.geometric_margins(w, b, FIVE, FIVE_Y).min(), 1.06066, atol=5e-6)
    scores = FIVE @ w
    assert_allclose(b, -(scores[FIVE_Y < 0].max() + scores[FIVE_Y > 0].min()) / 2, atol=1e-8)


@pytest.mark.parametrize("C, w, b, value", [
    (10, (2 / 3, 2 / 3), -1, 4 / 9), (4 / 9, (2 / 3, 2 / 3), -1, 4 / 9), (0.4, (0.6, 0.6), -0.8, 0.44), (0.3, (0.5, 0.5), -0.5, 0.4),
    (0.1, (0.4, 0.3), -0.35, 0.275)])
def test_five_points_soft_margin(C, w, b, value):
    model = sv.SVC(C=C, kernel="linear", tol=1e-10).fit(FIVE, FIVE_Y)
    assert_allclose(model.coef_, w, atol=1e-8)
    assert_allclose(model.intercept_, b, atol=1e-8)
    assert_allclose([model.dual_objective_, model.primal_objective_], value, atol=1e-8)
    reference = sv.solve_dual(FIVE @ FIVE.T, FIVE_Y, C)
    assert_allclose([reference.dual, reference.primal, reference.b], [value, value, b], atol=1e-7)


def test_the_offset_is_not_unique_at_small_C():
    model = sv.SVC(C=0.1, kernel="linear", tol=1e-10).fit(FIVE, FIVE_Y)
    assert_allclose(model.alpha_, [0.1, 0.1, 0.1, 0, 0.1], atol=1e-12)

    def value(b):
        return sv.soft_margin_objective(model.coef_, b, FIVE, FIVE_Y, 0.1)

    assert_allclose([value(b) for b in (-0.6, -0.35, -0.1)], 0.275, atol=1e-12)
    assert min(value(-0.61), value(-0.09)) > 0.2755
    beta = model.alpha_ * FIVE_Y
    gradient = FIVE_Y - FIVE @ FIVE.T @ beta
    low, high = np.minimum(0.1 * FIVE_Y, 0), np.maximum(0.1 * FIVE_Y, 0)
    assert_allclose(sv.offset_interval(gradient, beta < high, beta > low), (-0.6, -0.1), atol=1e-12)


def test_xor_with_the_quadratic_kernel():
    model = sv.SVC(C=100, kernel="polynomial", degree=2, tol=1e-10).fit(XOR, XOR_Y)
    assert_allclose(model.alpha_, 1 / 8, atol=1e-9)
    assert_allclose(model.dual_objective_, 1 / 4, atol=1e-9)
    points = np.random.default_rng(0).normal(size=(20, 2))
    assert_allclose(model.decision_function(points), -points[:, 0] * points[:, 1], atol=1e-8)
    K = polynomial_kernel(XOR, degree=2)
    assert_allclose(model.alpha_ * XOR_Y @ K @ (model.alpha_ * XOR_Y), 1 / 2, atol=1e-8)


def test_forty_points_numbers():
    X, y = forty()
    model = sv.SVC(kernel="linear", tol=1e-8).fit(X, y)
    assert_allclose([*model.coef_, model.intercept_], [1.32044, 0.95522, -0.00712], atol=5e-6)
    assert_allclose(model.dual_objective_, 5.514785, atol=1e-6)
    assert (len(model.support_), (model.alpha_ == 1).sum()) == (8, 6)
    violating = sv.smo(X @ X.T, y, 1.0, tol=1e-8, rule="violation")
    assert len(violating.steps) == 21
    dcd = sv.LinearSVC(solver="coordinate", tol=1e-10, random_state=0).fit(X, y)
    assert_allclose(dcd.history_[-1], 5.514798, atol=1e-6)


def test_sixty_points_by_gradient_descent():
    X, y = sixty()
    model = sv.SVC(kernel="linear", tol=1e-9).fit(X, y)
    assert_allclose([*model.coef_, model.intercept_], [0.7932, -2.3887, 0.3217], atol=1e-4)
    assert_allclose(model.primal_objective_, 14.8324, atol=1e-4)
    run = sv.subgradient_descent(X, y, 1.0, step=lambda t: 0.1 / (1 + 0.1 * t), n_steps=10_000)
    assert 0 <= run.history.min() - model.primal_objective_ < 1e-5
    assert (np.diff(run.history) > 0).any()  # a subgradient step may go uphill
    penalized = sv.LinearSVC(tol=1e-7).fit(X, y)  # with 1/2 b^2 in its objective it ends elsewhere
    assert_allclose(sv.soft_margin_objective(penalized.coef_, penalized.intercept_, X, y, 1.0), 14.8374, atol=1e-4)


# ---------------------------------------------------------------- duality


@pytest.mark.parametrize("C", [0.05, 1.0, 30.0])
@pytest.mark.parametrize("kernel", [linear_kernel, polynomial_kernel, gaussian_kernel], ids=lambda k: k.__name__)
def test_gap_is_a_sum_of_weighted_kkt_violations(C, kernel):
    X, y = noisy(40)
    K = kernel(X)
    rng = np.random.default_rng(2)
    for _ in range(5):  # any feasible alpha and any b, not only the solution
        alpha = C * rng.uniform(size=40) * (rng.uniform(size=40) < 0.7)
        alpha[y > 0] *= alpha[y < 0].sum() / alpha[y > 0].sum()
        alpha *= min(1, C / alpha.max())
        b = rng.normal()
        gap = sv.primal_objective(alpha, b, K, y, C) - sv.dual_objective(alpha, K, y)
        margins = y * (K @ (alpha * y) + b)
        terms = (C - alpha) * np.maximum(1 - margins, 0) + alpha * np.maximum(margins - 1, 0)
        assert_allclose(gap, terms.sum(), rtol=1e-9)
        assert gap >= 0


@pytest.mark.parametrize("C", [0.1, 1.0, 20.0])
def test_smo_fast_smo_and_interior_point_agree(C):
    X, y = noisy(60)
    K = gaussian_kernel(X, bandwidth=1.5)
    reference = sv.solve_dual(K, y, C)
    slow = sv.smo(K, y, C, tol=1e-7)
    fast = sv.SVC(C=C, bandwidth=1.5, tol=1e-7).fit(X, y)
    for alpha in (slow.alpha, fast.alpha_):
        assert_allclose(alpha, reference.alpha, atol=1e-5 * C)
        assert_allclose(alpha @ y, 0, atol=1e-10 * C)
    assert_allclose([slow.b, fast.intercept_], reference.b, atol=1e-6)
    assert_allclose([reference.primal, fast.dual_objective_, fast.primal_objective_], reference.dual, rtol=1e-6)
    violations = sv.kkt_violations(fast.alpha_, fast.decision_function(X), y, C)
    assert violations.max() <= 1.1e-7
    assert sv.kkt_violations(fast.alpha_, fast.decision_function(X) + 0.01, y, C).max() > 9e-3


def test_qp_multipliers_of_the_soft_primal_are_the_alphas():
    X, y = forty()
    C, n, d = 0.7, *X.shape
    P = np.diag(np.r_[np.ones(d), np.zeros(n + 1)])  # unknowns w, b, xi
    G = np.block([[-y[:, None] * X, -y[:, None], -np.eye(n)], [np.zeros((n, d + 1)), -np.eye(n)]])
    primal = solve_qp(P, np.r_[np.zeros(d + 1), C * np.ones(n)], G, np.r_[-np.ones(n), np.zeros(n)])
    alpha, r = primal.lam[:n], primal.lam[n:]
    model = sv.SVC(C=C, kernel="linear", tol=1e-9).fit(X, y)
    assert_allclose(alpha, model.alpha_, atol=1e-6)
    assert_allclose(alpha + r, C, atol=1e-7)
    assert_allclose(primal.value, model.dual_objective_, rtol=1e-8)


# ---------------------------------------------------------------- SMO


@pytest.mark.parametrize("y_i, y_j", list(itertools.product((-1, 1), repeat=2)))
def test_clip_bounds_are_the_ends_of_the_line_in_the_box(y_i, y_j):
    rng = np.random.default_rng(4)
    for alpha_i, alpha_j in rng.uniform(0, 2, size=(20, 2)):
        low, high = sv.clip_bounds(alpha_i, alpha_j, y_i, y_j, 2.0)
        grid = np.linspace(0, 2, 20001)
        partner = alpha_i + y_i * y_j * (alpha_j - grid)
        inside = grid[(partner >= 0) & (partner <= 2)]
        assert_allclose([low, high], [inside.min(), inside.max()], atol=2e-4)


def test_pair_step_is_the_constrained_maximum_of_the_dual():
    X, y = noisy(12)
    K, C = gaussian_kernel(X), 1.0
    for step, state in zip(*_replay(K, y, C, 15)):
        alpha = state.copy()
        grid = np.linspace(step.low, step.high, 2001)
        values = []
        for a in grid:
            alpha[step.j] = a
            alpha[step.i] = state[step.i] + y[step.i] * y[step.j] * (state[step.j] - a)
            values.append(sv.dual_objective(alpha, K, y))
        assert abs(grid[np.argmax(values)] - step.after[1]) <= grid[1] - grid[0] + 1e-12
        assert step.objective >= max(values) - 1e-12


def _replay(K, y, C, n_steps):
    """The steps of SMO and the multipliers before each."""
    steps = sv.smo(K, y, C, tol=1e-6).steps[:n_steps]
    alpha, states = np.zeros(len(y)), []
    for step in steps:
        states.append(alpha.copy())
        assert step.before == (alpha[step.i], alpha[step.j])
        alpha[step.i], alpha[step.j] = step.after
    return steps, states


@pytest.mark.parametrize("rule", ["second", "violation", "random"])
def test_every_step_raises_the_dual_and_the_offset_makes_a_free_member_exact(rule):
    X, y = noisy(50)
    K, C = gaussian_kernel(X), 2.0
    answer = sv.smo(K, y, C, tol=1e-5, rule=rule, rng=0)
    assert answer.converged and (np.diff([0.0, *(s.objective for s in answer.steps)]) > -1e-12).all()
    alpha = np.zeros(50)
    for step in answer.steps:
        alpha[step.i], alpha[step.j] = step.after
        for k in (step.i, step.j):
            if 0 < alpha[step.i] < C or (k == step.j and 0 < alpha[k] < C):
                chosen = step.i if 0 < alpha[step.i] < C else step.j
                assert_allclose(K[chosen] @ (alpha * y) + step.b, y[chosen], atol=1e-9)


def test_second_order_pairs_need_fewer_steps_than_random_ones():
    X, y = noisy(80)
    K = gaussian_kernel(X, bandwidth=2.0)
    steps = {rule: len(sv.smo(K, y, 10.0, rule=rule, rng=0).steps) for rule in ("second", "violation", "random")}
    assert steps["second"] < steps["violation"] < steps["random"]


def test_history_of_the_fast_solver_is_the_dual_value():
    X, y = noisy(80)
    model = sv.SVC(C=5.0, tol=1e-4).fit(X, y)
    assert (np.diff(model.history_) > 0).all() and len(model.history_) == model.n_iter_ + 1
    assert_allclose(model.history_[-1], model.dual_objective_, rtol=1e-10)


def test_shrinking_and_row_cache_change_nothing():
    X, y = noisy(400, 6)
    models = [sv.SVC(C=50.0, bandwidth=3.0, shrinking=s, cache_size=c, tol=1e-5).fit(X, y)
              for s, c in ((True, 400), (False, 400), (True, 0.1), (True, 0))]
    assert models[0].n_iter_ > 2 * solver.CHECK_EVERY  # long enough for shrinking to begin
    for other in models[1:]:
        assert_allclose(other.decision_function(X), models[0].decision_function(X), atol=1e-4)
        assert_allclose(other.dual_objective_, models[0].dual_objective_, rtol=1e-7)


def test_shrinking_does_shrink(monkeypatch):
    sizes = []
    original = solver._Active.__init__

    def spy(self, active, *rest):
        original(self, active, *rest)
        sizes.append(len(active))

    monkeypatch.setattr(solver._Active, "__init__", spy)
    X, y = noisy(400, 6)
    model = sv.SVC(C=50.0, bandwidth=3.0, tol=1e-5).fit(X, y)
    assert min(sizes) < 300 and sizes[0] == sizes[-1] == 400 and model.converged_


@pytest.mark.parametrize("kernel, settings", [("linear", {}), ("polynomial", {"scale": 0.1}), ("gaussian", {"bandwidth": 2.0})])
def test_joint_steps_reach_the_solution_of_pairs_alone_in_fewer_steps(monkeypatch, kernel, settings):
    X, y = noisy(200, 6)
    together = sv.SVC(C=20.0, kernel=kernel, tol=1e-6, **settings).fit(X, y)
    monkeypatch.setattr(solver, "MOST_FREE", 0)
    alone = sv.SVC(C=20.0, kernel=kernel, tol=1e-6, **settings).fit(X, y)
    assert alone.converged_ and together.converged_ and together.n_iter_ < 0.6 * alone.n_iter_
    assert_allclose(together.decision_function(X), alone.decision_function(X), atol=1e-5)
    assert_allclose(together.dual_objective_, alone.dual_objective_, rtol=1e-9)
    for model in (together, alone):
        assert_allclose(model.alpha_ @ y, 0, atol=1e-10)
        assert_allclose(model.history_[-1], model.dual_objective_, rtol=1e-9)
        assert model.alpha_.min() >= 0 and model.alpha_.max() <= 20.0


def test_a_joint_step_solves_the_equations_of_the_free_multipliers():
    X, y = noisy(12)
    K, far = gaussian_kernel(X), np.full(12, 1e3)
    start = np.where(y > 0, 1.0, -(y > 0).sum() / (y < 0).sum())
    rows = sv.GramRows(K, diagonal=np.diag(K))
    state = solver._Active(np.arange(12), rows, np.arange(12), y, -far, far, start, y - K @ start)
    history = [y @ start - 0.5 * start @ K @ start]
    value = solver._joint_steps(state, np.arange(12), history, history[0], 1e-9, 5)
    system = np.block([[K, np.ones((12, 1))], [np.ones((1, 12)), np.zeros((1, 1))]])
    best = np.linalg.solve(system, np.r_[y, 0.0])
    assert len(history) == 2  # one step: no bound is near
    assert_allclose(state.beta, best[:12], rtol=1e-6)
    assert_allclose(state.g, best[12], rtol=1e-6)  # all of them agree on the offset
    assert_allclose(value, y @ best[:12] - 0.5 * best[:12] @ K @ best[:12], rtol=1e-9)


def test_a_joint_step_ends_at_the_first_bound_and_the_others_go_on():
    K, y = np.eye(4), np.array([3.5, 1.0, -1.5, -3.0])
    A, B = np.full(4, -2.0), np.full(4, 2.0)
    rows = sv.GramRows(K, diagonal=np.ones(4))
    state = solver._Active(np.arange(4), rows, np.arange(4), y, A, B, np.zeros(4), y.copy())
    history = [0.0]
    solver._joint_steps(state, np.arange(4), history, 0.0, 1e-9, 5)
    # Along y until beta_1 = 2 at t = 4/7; there g = (3/2, 3/7, -9/14, -9/7), and the last three go on until beta_4 = -2.
    assert_allclose(state.beta, [2.0, 10 / 11, -10 / 11, -2.0], rtol=1e-6)
    assert_allclose(state.g, y - state.beta, rtol=1e-6)
    assert_allclose(history, [0, 4 / 7 * 24.5 - 8 / 49 * 24.5, y @ state.beta - 0.5 * state.beta @ state.beta], rtol=1e-6)
    assert np.isinf(state.no_rise[0]) and np.isinf(state.no_fall[3]) and not np.isinf(state.no_fall[0])


@pytest.mark.parametrize("most", [1, 99, 100, 101, 103, 250])
def test_the_fast_solver_keeps_its_limit_of_steps(most):
    X, y = noisy(200, 6)
    with pytest.warns(ConvergenceWarning):
        model = sv.SVC(C=20.0, kernel="linear", tol=1e-9, max_iter=most).fit(X, y)
    assert model.n_iter_ == most == len(model.history_) - 1


# ---------------------------------------------------------------- linear solvers


def test_pegasos_approaches_the_penalized_offset_solution():
    X, y = forty()
    w, b = sv.pegasos(X, y, 1.0, n_steps=30_000, rng=0)[:2]
    best = sv.LinearSVC(solver="coordinate", tol=1e-10, random_state=0).fit(X, y)

    def value(w, b):
        return sv.soft_margin_objective(w, b, X, y, 1.0) + b * b / 2

    assert 0 <= value(w, b) - value(best.coef_, best.intercept_) < 0.02
    rough = sv.pegasos(X, y, 1.0, n_steps=300, rng=0)
    assert value(rough.w, rough.b) > value(w, b)


def test_dual_coordinate_descent_against_a_box_constrained_reference():
    X, y = noisy(40)
    Z = y[:, None] * np.column_stack([X, np.ones(40)])
    w, alpha, history, converged = sv.dual_coordinate_descent(Z, 0.5, tol=1e-10, max_iter=5000, rng=0)
    reference = minimize(lambda a: 0.5 * (a @ Z) @ (a @ Z) - a.sum(), np.zeros(40), jac=lambda a: Z @ (a @ Z) - 1,
                         bounds=[(0, 0.5)] * 40, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 10_000})
    assert converged and (np.diff(history) > -1e-12).all()
    assert_allclose(history[-1], -reference.fun, rtol=1e-7)
    assert_allclose(w, alpha @ Z, atol=1e-10)


# ---------------------------------------------------------------- agreement with scikit-learn


@pytest.mark.parametrize("settings, theirs", [
    ({"kernel": "linear"}, {"kernel": "linear"}), ({"bandwidth": 2.0}, {"gamma": 1 / 8}),
    ({"kernel": "polynomial", "degree": 3, "scale": 0.5, "offset": 1.0}, {"kernel": "poly", "degree": 3, "gamma": 0.5, "coef0": 1.0}),
], ids=["linear", "gaussian", "polynomial"])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_svc_agrees_with_sklearn(settings, theirs, C):
    X, y = noisy(150)
    ours = sv.SVC(C=C, tol=1e-6, **settings).fit(X, y)
    reference = svm.SVC(C=C, tol=1e-6, **theirs).fit(X, y)
    assert sv.kkt_violations(ours.alpha_, ours.decision_function(X), y, C).max() <= 1.1e-6
    # LIBSVM keeps its kernel values in single precision, and polynomial ones are large: that limits its digits, not ours
    digits = 1e-4 if settings.get("kernel") == "polynomial" else 2e-5
    assert_allclose(ours.decision_function(X), reference.decision_function(X), atol=digits)
    assert_allclose(ours.dual_coef_, reference.dual_coef_[0][np.argsort(reference.support_)], atol=1e-4 * C)
    assert (np.sort(reference.support_) == ours.support_).all()


@pytest.mark.parametrize("C, tol", [(1.0, 1e-3), (10.0, 1e-3), (1.0, 1e-4)])
def test_large_svc_agrees_with_sklearn_at_the_same_tolerance(C, tol):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 20))
    y = np.where(X @ rng.normal(size=20) + 1.5 * X[:, 0] * X[:, 1] + rng.normal(size=2000) > 0, 1.0, -1.0)
    ours, reference = sv.SVC(C=C, bandwidth=4.0, tol=tol).fit(X, y), svm.SVC(C=C, gamma=1 / 32, tol=tol).fit(X, y)
    beta = np.zeros(2000)
    beta[reference.support_] = reference.dual_coef_[0]
    W = y @ beta - 0.5 * beta @ gaussian_kernel(X, bandwidth=4.0) @ beta
    assert_allclose(ours.dual_objective_, W, rtol=1e-6)
    assert ours.dual_objective_ > W - 1e-4 and (C > 1 or ours.dual_objective_ < W + 1e-4)  # at C = 10 LIBSVM's W is 2e-4 short
    assert np.abs(ours.decision_function(X) - reference.decision_function(X)).max() < 1e-3


@pytest.mark.parametrize("C", [0.1, 1.0, 5.0])
def test_linear_svc_agrees_with_sklearn(C):
    X, y = noisy(100)
    reference = svm.LinearSVC(C=C, loss="hinge", tol=1e-9, max_iter=200_000, random_state=0).fit(X, y)
    for settings in ({"solver": "coordinate", "tol": 1e-9, "max_iter": 20_000, "random_state": 0}, {"tol": 1e-6}):
        ours = sv.LinearSVC(C=C, **settings).fit(X, y)
        assert ours.converged_
        assert_allclose([*ours.coef_, ours.intercept_], [*reference.coef_[0], reference.intercept_[0]], atol=1e-5)


@pytest.mark.parametrize("scale, C", [(1.0, 1e-3), (1.0, 1e4), (1e3, 1.0), (1e-3, 1.0)])
def test_newton_steps_on_the_dual_at_any_scale(scale, C):
    X, y = noisy(200)
    Z = y[:, None] * np.column_stack([scale * X, np.ones(200)])
    w, alpha, history, converged = sv.dual_interior_point(Z, C, tol=1e-7)
    assert converged and len(history) < 80 and alpha.min() > 0 and alpha.max() <= C
    primal = 0.5 * w @ w + C * sv.slacks(Z @ w).sum()
    assert abs(primal - history[-1]) <= 1e-6 * primal


@pytest.mark.parametrize("C, epsilon", [(0.5, 0.1), (10.0, 0.3), (1.0, 0.0)])
@pytest.mark.parametrize("settings, theirs", [({"kernel": "linear"}, {"kernel": "linear"}), ({"bandwidth": 1.5}, {"gamma": 1 / 4.5})])
def test_svr_agrees_with_sklearn(C, epsilon, settings, theirs):
    X, _ = noisy(100)
    y = np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + 0.1 * np.random.default_rng(1).normal(size=100)
    ours = sv.SVR(C=C, epsilon=epsilon, tol=1e-6, **settings).fit(X, y)
    reference = svm.SVR(C=C, epsilon=epsilon, tol=1e-6, **theirs).fit(X, y)
    assert_allclose(ours.predict(X), reference.predict(X), atol=2e-5)
    assert_allclose(ours.primal_objective_, ours.dual_objective_, rtol=2e-4)


# ---------------------------------------------------------------- SVR


def test_svr_dual_against_the_primal_program():
    rng = np.random.default_rng(3)
    X = rng.uniform(-2, 2, size=(25, 1))
    y, C, epsilon, n = X[:, 0] - 0.5 + 0.4 * rng.normal(size=25), 0.8, 0.2, 25
    # unknowns w, b, xi_up, xi_down
    P, q = np.diag(np.r_[1.0, np.zeros(2 * n + 1)]), np.r_[0, 0, np.full(2 * n, C)]
    one, zero, eye = np.ones((n, 1)), np.zeros((n, n)), np.eye(n)
    G = np.vstack([np.hstack([-X, -one, -eye, zero]), np.hstack([X, one, zero, -eye]), np.hstack([np.zeros((2 * n, 2)), -np.eye(2 * n)])])
    primal = solve_qp(P, q, G, np.r_[epsilon - y, epsilon + y, np.zeros(2 * n)])
    model = sv.SVR(C=C, epsilon=epsilon, kernel="linear", tol=1e-9).fit(X, y)
    assert_allclose([model.coef_[0], model.intercept_], primal.x[:2], atol=1e-6)
    assert_allclose([model.dual_objective_, model.primal_objective_], primal.value, rtol=1e-7)


def test_svr_residuals_say_which_multipliers_are_zero_free_or_full():
    rng = np.random.default_rng(5)
    X = rng.uniform(-3, 3, size=(60, 1))
    y = np.sin(X[:, 0]) + 0.2 * rng.normal(size=60)
    model = sv.SVR(C=2.0, epsilon=0.15, tol=1e-7).fit(X, y)
    delta = np.zeros(60)
    delta[model.support_] = model.dual_coef_
    residual = y - model.predict(X)
    assert (np.abs(residual[delta == 0]) <= 0.15 + 1e-6).all()
    assert_allclose(residual[(delta > 0) & (delta < 2)], 0.15, atol=1e-6)
    assert_allclose(residual[(delta < 0) & (delta > -2)], -0.15, atol=1e-6)
    assert (residual[delta == 2] >= 0.15 - 1e-6).all() and (residual[delta == -2] <= -0.15 + 1e-6).all()
    assert_allclose(delta.sum(), 0, atol=1e-12)


def test_svr_wide_tube_is_a_constant_in_the_middle():
    model = sv.SVR(epsilon=5.0).fit([[0.0], [1.0], [2.0]], [1.0, 2.0, 4.0])
    assert len(model.support_) == 0
    assert_allclose(model.predict([[7.0]]), 2.5)


# ---------------------------------------------------------------- kernels and multiclass


def test_precomputed_and_callable_kernels_give_the_same_machine():
    X, y = noisy(60)
    new = np.random.default_rng(9).normal(size=(7, 4))
    plain = sv.SVC(C=3.0, bandwidth=1.5).fit(X, y)
    given = sv.SVC(C=3.0, kernel="precomputed").fit(gaussian_kernel(X, bandwidth=1.5), y)
    own = sv.SVC(C=3.0, kernel=lambda A, B: gaussian_kernel(A, B, bandwidth=1.5)).fit(X, y)
    assert_allclose(given.decision_function(gaussian_kernel(new, X, bandwidth=1.5)), plain.decision_function(new), atol=1e-10)
    assert_allclose(own.decision_function(new), plain.decision_function(new), atol=1e-2)


def test_gaussian_kernel_separates_any_labels_of_distinct_points():
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(30, 2)), rng.permutation(np.repeat([-1.0, 1.0], 15))
    model = sv.SVC(C=np.inf, bandwidth=0.5, tol=1e-6).fit(X, y)
    assert_allclose((y * model.decision_function(X)).min(), 1, atol=1e-5)


def test_solution_does_not_move_when_a_non_support_vector_is_dropped():
    X, y = noisy(80)
    model = sv.SVC(C=1.0, tol=1e-8).fit(X, y)
    spare = np.flatnonzero(model.alpha_ == 0)
    assert len(spare) > 3
    keep = np.setdiff1d(np.arange(80), spare)
    again = sv.SVC(C=1.0, tol=1e-8).fit(X[keep], y[keep])
    assert_allclose(again.decision_function(X), model.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("wrapper, count", [(OneVsRest, 3), (OneVsOne, 3)])
def test_multiclass_wrappers(wrapper, count):
    iris = load_iris()
    model = wrapper(sv.SVC(C=1.0, bandwidth=2.0)).fit(iris.data, iris.target)
    assert len(model.estimators_) == count and model.score(iris.data, iris.target) > 0.96
    if wrapper is OneVsOne:
        reference = svm.SVC(C=1.0, gamma=1 / 8).fit(iris.data, iris.target)
        assert np.mean(model.predict(iris.data) == reference.predict(iris.data)) > 0.99


def test_text_labels_and_order_of_the_classes():
    X, y = forty()
    model = sv.SVC(kernel="linear").fit(X, np.where(y > 0, "yes", "no"))
    assert model.classes_.tolist() == ["no", "yes"] and set(model.predict(X)) == {"no", "yes"}
    assert_allclose(sv.SVC(kernel="linear").fit(X, -y).coef_, -model.coef_, atol=1e-3)


# ---------------------------------------------------------------- bad input and degenerate data


@pytest.mark.parametrize("C", [0, -1.0, np.nan, "one", True])
def test_impossible_C_is_refused(C):
    X, y = forty()
    for model in (sv.SVC(C=C), sv.LinearSVC(C=C), sv.SVR(C=C)):
        with pytest.raises(ValueError, match="C must be a number > 0"):
            model.fit(X, y)
    with pytest.raises(ValueError, match="C must be a number > 0"):
        sv.smo(X @ X.T, y, C)


def test_the_linear_solvers_have_no_hard_margin():
    X, y = forty()
    for solve in (lambda: sv.LinearSVC(C=np.inf).fit(X, y), lambda: sv.pegasos(X, y, np.inf), lambda: sv.dual_interior_point(X, np.inf),
                  lambda: sv.dual_coordinate_descent(X, np.inf), lambda: sv.subgradient_descent(X, y, np.inf, step=lambda t: 0.1),
                  lambda: sv.soft_margin_subgradient(np.ones(2), 0.0, X, y, np.inf)):
        with pytest.raises(ValueError, match="C must be a number > 0, got inf"):
            solve()
    w, b, _ = sv.hard_margin_primal(FIVE, FIVE_Y)
    assert_allclose(sv.soft_margin_objective(1.01 * w, 1.01 * b, FIVE, FIVE_Y, np.inf), 0.5 * 1.01**2 * w @ w)
    assert sv.soft_margin_objective(0.99 * w, 0.99 * b, FIVE, FIVE_Y, np.inf) == np.inf


def test_one_class_and_three_classes_are_refused():
    X, y = forty()
    for model in (sv.SVC(), sv.LinearSVC()):
        with pytest.raises(ValueError, match=r"y has 1 class \(1.0\), but at least 2 are needed"):
            model.fit(X, np.ones(40))
        with pytest.raises(ValueError, match="takes two; wrap it in OneVsRest or OneVsOne"):
            model.fit(X, np.arange(40) % 3)


def test_labels_of_another_code_are_refused_by_the_functions():
    with pytest.raises(ValueError, match=r"labels -1 and \+1 in one row, got \[0 1\]; turn labels 0, 1 into 2 \* y - 1"):
        sv.smo(np.eye(2), [0, 1], 1.0)
    with pytest.raises(ValueError, match="w is zero"):
        sv.geometric_margins([0.0], 1.0, [[1.0]], [1])


def test_duplicates_with_opposite_labels():
    X = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 1.0], [-1.0, -2.0]])
    y = np.array([1, -1, 1, -1.0])
    for C in (0.5, 3.0):
        for settings in ({"kernel": "linear"}, {}):
            model = sv.SVC(C=C, tol=1e-8, **settings).fit(X, y)
            assert_allclose(model.alpha_[:2], C)  # they pull against each other as hard as they may
            assert_allclose(model.dual_objective_, model.primal_objective_, rtol=1e-6)
            K = linear_kernel(X) if settings else gaussian_kernel(X)
            assert_allclose(sv.smo(K, y, C, tol=1e-8).alpha, model.alpha_, atol=1e-6)
    for settings in ({"kernel": "linear"}, {}):
        with pytest.raises(ValueError, match="no hyperplane separates the classes.*choose a finite C"):
            sv.SVC(C=np.inf, **settings).fit(X, y)
    for solve in (lambda: sv.smo(X @ X.T, y, np.inf), lambda: sv.solve_dual(X @ X.T, y), lambda: sv.hard_margin_primal(X, y)):
        with pytest.raises(ValueError, match="no hyperplane separates the classes"):
            solve()


def test_hard_margin_refuses_overlap_without_duplicates():
    X, y = forty()
    with pytest.raises(ValueError, match="no hyperplane separates the classes"):
        sv.SVC(C=np.inf, kernel="linear").fit(X, y)


def test_kernels_that_are_none():
    X, y = forty()
    with pytest.raises(ValueError, match="not positive semidefinite"):
        sv.SVC(kernel=lambda A, B: -A @ B.T).fit(X, y)
    with pytest.raises(ValueError, match="not positive semidefinite"):
        sv.SVC(kernel="precomputed").fit(np.tanh(X @ X.T - 1), y)
    with pytest.raises(ValueError, match=r"must be the \(40, 40\) Gram matrix of the 40 samples, got shape \(39, 39\)"):
        sv.SVC(kernel="precomputed").fit(np.eye(39), y)
    with pytest.raises(ValueError, match=r"must be the \(40, 40\) Gram matrix of the 40 samples"):
        sv.SVR(kernel="precomputed").fit(np.eye(39), y)
    with pytest.raises(ValueError, match="X has 39 features, but this model was fitted with 40"):
        sv.SVC(kernel="precomputed").fit(np.eye(40), y).predict(np.ones((2, 39)))
    with pytest.raises(ValueError, match=r"K must have shape \(40, 40\)"):
        sv.smo(np.eye(39), y, 1.0)
    with pytest.raises(ValueError, match="K must be symmetric"):
        sv.solve_dual(np.triu(np.ones((40, 40))), y, 1.0)
    with pytest.raises(ValueError, match="kernel must be one of 'linear'"):
        sv.SVC(kernel="cosine").fit(X, y)


@pytest.mark.parametrize("model, message", [
    (sv.SVC(tol=0), "tol must be a number > 0"), (sv.SVC(max_iter=-1), "max_iter must be an integer >= 0"),
    (sv.SVC(bandwidth=0), "bandwidth must be a number > 0"), (sv.SVC(cache_size=-1), "cache_size must be a number >= 0"),
    (sv.SVR(epsilon=-0.1), "epsilon must be a number >= 0"), (sv.LinearSVC(max_iter=0), "max_iter must be an integer >= 1"),
    (sv.LinearSVC(solver="newton"), "solver must be one of 'interior', 'coordinate'"),
])
def test_impossible_settings_are_refused(model, message):
    X, y = forty()
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)


def test_too_few_steps_warn_and_say_how_far_off():
    X, y = noisy(60)
    for model in (sv.SVC(max_iter=3), sv.SVR(max_iter=3), sv.LinearSVC(max_iter=1, tol=1e-9)):
        with pytest.warns(ConvergenceWarning, match="did not converge"):
            model.fit(X, y)
        assert not model.converged_
    with pytest.warns(ConvergenceWarning, match="smo did not converge in max_iter=2"):
        assert not sv.smo(X @ X.T, y, 1.0, max_iter=2).converged


def test_constant_features_and_scale():
    X, y = np.zeros((6, 2)), np.array([1, 1, 1, 1, -1, -1.0])
    model = sv.SVC(kernel="linear").fit(X, y)  # nothing to go by: the larger class
    assert (model.predict(X) == 1).all()
    X, y = noisy(60)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scaled = sv.SVC(C=1e-6, kernel="linear", tol=1e-6).fit(1e3 * X, y)
    assert_allclose(scaled.decision_function(1e3 * X), sv.SVC(C=1.0, kernel="linear", tol=1e-6).fit(X, y).decision_function(X), atol=1e-4)
