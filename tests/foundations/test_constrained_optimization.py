"""Constrained optimization: KKT, duality, the QP solver against brute force and scipy, projections, penalties."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import LinearConstraint, linprog, minimize, nnls
from sklearn.svm import SVC

from mlcore.base import ConvergenceWarning
from mlcore.foundations.constrained_optimization import (
    Problem,
    augmented_lagrangian,
    augmented_lagrangian_value,
    dual_on_points,
    kkt_residuals,
    lagrangian,
    lagrangian_gradient,
    project_ball,
    project_box,
    project_halfspace,
    project_simplex,
    projected_gradient,
    qp_dual_value,
    quadratic_penalty,
    quadratic_problem,
    solve_equality_qp,
    solve_qp,
)
from mlcore.foundations.mathematics import gradient_error, numerical_gradient


def random_qp(seed, n=4, m=6, p=1, rank=None):
    """A QP with an optimum: feasible by construction, and bounded because its dual is feasible."""
    rng = np.random.default_rng(seed)
    F = rng.normal(size=(n, n if rank is None else rank))
    P, G, A = F @ F.T, rng.normal(size=(m, n)), rng.normal(size=(p, n))
    inside = rng.normal(size=n)
    h, b = G @ inside + rng.uniform(0, 1, m), A @ inside
    q = -P @ rng.normal(size=n) - G.T @ (rng.random(m) * (rng.random(m) < 0.6)) + A.T @ rng.normal(size=p)
    return P, q, G, h, A, b


def brute_force(P, q, G, h, A, b):
    """Best KKT point over all subsets of active constraints; the oracle for strictly convex problems."""
    best = np.inf, None
    for size in range(len(h) + 1):
        for active in itertools.combinations(range(len(h)), size):
            active = list(active)
            C = np.vstack([A, G[active]])
            if len(C) > len(q) or (len(C) and np.linalg.matrix_rank(C) < len(C)):
                continue
            K = np.block([[P, C.T], [C, np.zeros((len(C), len(C)))]])
            v = np.linalg.solve(K, np.concatenate([-q, b, h[active]]))
            x, lam = v[: len(q)], v[len(q) + len(b):]
            if (G @ x <= h + 1e-9).all() and (lam >= -1e-9).all():
                best = min(best, (0.5 * x @ P @ x + q @ x, tuple(x)))
    return best


# ---------------------------------------------------------------- conditions

NEAREST = quadratic_problem(2 * np.eye(2), [-4.0, -2.0], [[1.0, 1.0]], [2.0])  # (x-2)^2 + (y-1)^2 - 5, x + y <= 2


def test_kkt_of_the_worked_example():
    assert kkt_residuals(NEAREST, [1.5, 0.5], [1.0]).largest < 1e-12
    assert NEAREST.f(np.array([1.5, 0.5])) + 5 == pytest.approx(0.5)
    assert kkt_residuals(NEAREST, [2.0, 1.0], [0.0]).primal == pytest.approx(1.0)
    assert kkt_residuals(NEAREST, [0.0, 0.0], [0.0]).stationarity == pytest.approx(4.0)
    assert kkt_residuals(NEAREST, [0.0, 0.0], [3.0]).slackness == pytest.approx(6.0)
    assert kkt_residuals(NEAREST, [1.5, 0.5], [-0.25]).dual == pytest.approx(0.25)


def test_lagrangian_gradient_by_finite_differences():
    rng = np.random.default_rng(1)
    problem = Problem(lambda x: np.sin(x[0]) + x[1] ** 3, lambda x: np.array([np.cos(x[0]), 3 * x[1] ** 2]),
                      g=lambda x: np.array([x @ x - 2, x[0] * x[1]]), g_jacobian=lambda x: np.array([2 * x, x[::-1]]),
                      c=lambda x: np.array([np.exp(x[0]) - x[1]]), c_jacobian=lambda x: np.array([[np.exp(x[0]), -1.0]]))
    lam, nu, x = rng.random(2), rng.normal(size=1), rng.normal(size=2)
    assert gradient_error(lambda x: lagrangian(problem, x, lam, nu), lambda x: lagrangian_gradient(problem, x, lam, nu), x) < 1e-8
    assert gradient_error(lambda x: augmented_lagrangian_value(problem, x, lam, nu, 3.0)[0],
                          lambda x: augmented_lagrangian_value(problem, x, lam, nu, 3.0)[1], x) < 1e-8


def test_problem_knows_its_constraints():
    assert NEAREST.active([1.0, 1.0]).all() and not NEAREST.active([0.0, 0.0]).any()
    assert NEAREST.is_feasible([0.0, 2.0]) and not NEAREST.is_feasible([0.1, 2.0])
    assert Problem(lambda x: x @ x, lambda x: 2 * x).violation([3.0]) == 0
    with pytest.raises(ValueError, match=r"lam must hold one multiplier per constraint, shape \(1,\); got shape \(2,\)"):
        kkt_residuals(NEAREST, [0.0, 0.0], [1.0, 1.0])


def test_cusp_has_no_multipliers():
    """Without a constraint qualification the minimizer need not be a KKT point: the best residual stays at 1."""
    cusp = Problem(lambda x: -x[0], lambda x: np.array([-1.0, 0.0]),
                   g=lambda x: np.array([x[1] - (1 - x[0]) ** 3, -x[1]]),
                   g_jacobian=lambda x: np.array([[3 * (1 - x[0]) ** 2, 1.0], [0.0, -1.0]]))
    best = np.array([1.0, 0.0])
    points = np.random.default_rng(0).uniform(-1, 2, (20000, 2))
    feasible = [x for x in points if cusp.is_feasible(x)]
    assert len(feasible) > 100 and min(map(cusp.f, feasible)) > cusp.f(best)
    J = cusp.g_jacobian(best)
    assert nnls(J.T, -cusp.gradient(best))[1] == pytest.approx(1.0)
    assert_allclose(J.T @ np.ones(2), 0, atol=1e-15)  # Fritz John: weight 0 on the objective, 1 on both constraints


# ---------------------------------------------------------------- duality

def test_dual_function_of_the_worked_example():
    for v in (0.0, 0.3, 1.0, 2.0):
        value = qp_dual_value(2 * np.eye(2), [-4.0, -2.0], [[1.0, 1.0]], [2.0], None, None, [v], []) + 5
        assert value == pytest.approx(v - v**2 / 2)


def test_dual_function_is_concave_and_below_the_primal():
    P, q, G, h, A, b = random_qp(3)
    rng = np.random.default_rng(4)
    best = solve_qp(P, q, G, h, A, b).value
    for _ in range(50):
        one, two, t = (rng.random(6), rng.normal(size=1)), (3 * rng.random(6), rng.normal(size=1)), rng.random()
        d1, d2 = (qp_dual_value(P, q, G, h, A, b, *z) for z in (one, two))
        mixed = qp_dual_value(P, q, G, h, A, b, *(t * u + (1 - t) * v for u, v in zip(one, two)))
        assert d1 <= best and d2 <= best and mixed >= t * d1 + (1 - t) * d2 - 1e-9


def test_dual_value_against_direct_minimization():
    P, q, G, h, A, b = random_qp(5)
    problem, lam, nu = quadratic_problem(P, q, G, h, A, b), np.arange(6) / 3, np.array([-0.7])
    direct = minimize(lambda x: lagrangian(problem, x, lam, nu), np.zeros(4), jac=lambda x: lagrangian_gradient(problem, x, lam, nu))
    assert qp_dual_value(P, q, G, h, A, b, lam, nu) == pytest.approx(direct.fun, rel=1e-8)


def test_dual_value_minus_infinity_and_bad_multipliers():
    assert qp_dual_value(np.zeros((1, 1)), [1.0], [[-1.0]], [0.0], None, None, [0.5], []) == -np.inf
    assert qp_dual_value(np.zeros((1, 1)), [1.0], [[-1.0]], [0.0], None, None, [1.0], []) == 0
    with pytest.raises(ValueError, match="lam must be >= 0"):
        qp_dual_value([[1.0]], [1.0], [[-1.0]], [0.0], None, None, [-1.0], [])
    with pytest.raises(ValueError, match="lam must have one entry per constraint"):
        qp_dual_value([[1.0]], [1.0], [[-1.0]], [0.0], None, None, [], [])


def test_gap_of_the_nonconvex_example():
    """min -x^2 on [0, 1] subject to x <= 1/2: primal -1/4, dual function min(-v/2, -1 + v/2), dual optimum -1/2."""
    x = np.linspace(0, 1, 101)
    v = np.linspace(0, 3, 61)
    values, index = dual_on_points(-x**2, x - 0.5, v)
    assert_allclose(values, np.minimum(-v / 2, -1 + v / 2), atol=1e-12)
    assert values.max() == pytest.approx(-0.5) and v[values.argmax()] == pytest.approx(1.0)
    assert (-x**2)[x <= 0.5].min() == pytest.approx(-0.25)
    assert set(x[index]) == {0.0, 1.0}
    with pytest.raises(ValueError, match="must be >= 0"):
        dual_on_points(-x**2, x - 0.5, [-1.0])


# ---------------------------------------------------------------- quadratic programs

@pytest.mark.parametrize("seed", range(40))
def test_against_brute_force_over_active_sets(seed):
    data = random_qp(seed, n=2 + seed % 4, m=seed % 8, p=seed % 2)
    result = solve_qp(*data)
    value, x = brute_force(*data)
    assert result.status == "optimal"
    assert_allclose(result.x, x, atol=1e-8)
    assert result.value == pytest.approx(value, abs=1e-9)
    assert result.dual_value == pytest.approx(value, abs=1e-8)
    assert result.residuals.largest < 1e-9


@pytest.mark.parametrize("seed", range(30))
def test_against_linprog(seed):
    P, q, G, h, A, b = random_qp(seed, n=5, m=9, p=1, rank=0)
    result, reference = solve_qp(P, q, G, h, A, b), linprog(q, G, h, A, b, bounds=(None, None))
    assert reference.status == 0 and result.status == "optimal"
    assert result.value == pytest.approx(reference.fun, abs=1e-9)
    assert result.residuals.largest < 1e-9


@pytest.mark.parametrize("seed", range(12))
def test_semidefinite_problems_against_slsqp(seed):
    P, q, G, h, A, b = random_qp(seed, n=12, m=20, p=2, rank=6)
    result = solve_qp(P, q, G, h, A, b)
    reference = minimize(lambda x: 0.5 * x @ P @ x + q @ x, np.zeros(12), jac=lambda x: P @ x + q, method="SLSQP",
                         constraints=[{"type": "ineq", "fun": lambda x: h - G @ x, "jac": lambda x: -G},
                                      {"type": "eq", "fun": lambda x: A @ x - b, "jac": lambda x: A}],
                         options={"ftol": 1e-14, "maxiter": 1000})
    assert result.residuals.largest < 1e-9
    assert result.value == pytest.approx(reference.fun, abs=1e-6)


def test_multipliers_against_trust_constr():
    P, q, G, h, A, b = random_qp(7, n=5, m=4, p=1)
    result = solve_qp(P, q, G, h, A, b)
    reference = minimize(lambda x: 0.5 * x @ P @ x + q @ x, np.zeros(5), jac=lambda x: P @ x + q, hess=lambda x: P, method="trust-constr",
                         constraints=[LinearConstraint(G, -np.inf, h), LinearConstraint(A, b, b)],
                         options={"gtol": 1e-10, "xtol": 1e-12, "barrier_tol": 1e-10})
    assert_allclose(result.lam, reference.v[0], atol=1e-4)
    assert_allclose(result.nu, reference.v[1], atol=1e-4)


def test_multipliers_are_prices():
    """The optimal value moves by -lam_i per unit of h_i and by -nu_j per unit of b_j."""
    P, q, G, h, A, b = random_qp(11)
    result = solve_qp(P, q, G, h, A, b)
    assert (result.lam > 1e-3).any()
    assert_allclose(numerical_gradient(lambda h: solve_qp(P, q, G, h, A, b).value, h), -result.lam, atol=1e-6)
    assert_allclose(numerical_gradient(lambda b: solve_qp(P, q, G, h, A, b).value, b), -result.nu, atol=1e-6)


CHANGES = ["duplicate rows", "equations twice", "equations as pairs", "scaled rows", "scaled objective", "no interior"]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("seed", range(5))
def test_degenerate_and_badly_scaled_problems(seed, change):
    P, q, G, h, A, b = random_qp(seed, n=6, m=8, p=2)
    plain = solve_qp(P, q, G, h, A, b)
    factor = 1.0
    if change == "duplicate rows":
        G, h = np.vstack([G, G]), np.concatenate([h, h])
    elif change == "equations twice":
        A, b = np.vstack([A, A[0] + 2 * A[1]]), np.append(b, b[0] + 2 * b[1])
    elif change == "equations as pairs":
        G, h, A, b = np.vstack([G, A, -A]), np.concatenate([h, b, -b]), None, None
    elif change == "scaled rows":
        scale = 10.0 ** np.linspace(-3, 3, 8)
        G, h = G * scale[:, None], h * scale
    elif change == "scaled objective":
        factor = 1e6
    else:
        G, h = np.vstack([G, G[0], -G[0]]), np.concatenate([h, [G[0] @ plain.x], [-G[0] @ plain.x]])
    result = solve_qp(factor * P, factor * q, G, h, A, b)
    assert result.status == "optimal"
    assert_allclose(result.x, plain.x, atol=1e-7)
    assert result.residuals.largest < 1e-8 * factor


def test_without_inequalities_it_is_one_linear_system():
    P, q, _, _, A, b = random_qp(2, p=2)
    x, nu = solve_equality_qp(P, q, A, b)
    result = solve_qp(P, q, A=A, b=b)
    assert_allclose(result.x, x, atol=1e-10)
    assert_allclose(result.nu, nu, atol=1e-9)
    assert_allclose(solve_qp(P, q).x, np.linalg.solve(P, -q), atol=1e-8)
    with pytest.raises(ValueError, match="no solution"):
        solve_equality_qp(np.zeros((2, 2)), [1.0, 0.0], [[0.0, 1.0]], [0.0])
    assert_allclose(solve_equality_qp(np.eye(2), [0.0, 0.0], [[1.0, 1.0], [1.0, 1.0]], [2.0, 2.0])[0], [1, 1], atol=1e-12)


@pytest.mark.parametrize("seed", range(60))
def test_status_and_certificates_of_random_linear_programs(seed):
    rng = np.random.default_rng(seed)
    n, m, p = rng.integers(1, 6), rng.integers(1, 9), rng.integers(0, 3)
    q, G, h, A, b = rng.normal(size=n), rng.normal(size=(m, n)), rng.normal(size=m), rng.normal(size=(p, n)), rng.normal(size=p)
    result = solve_qp(np.zeros((n, n)), q, G, h, A, b)
    equations = (A, b) if p else (None, None)
    feasible = linprog(0 * q, G, h, *equations, bounds=(None, None)).status == 0
    bounded = linprog(q, G, h, *equations, bounds=(None, None)).status == 0
    assert result.status == ("infeasible" if not feasible else "optimal" if bounded else "unbounded")
    if result.status == "infeasible":
        lam, nu = result.certificate
        assert (lam >= 0).all() and h @ lam + b @ nu == pytest.approx(-1)
        assert_allclose(G.T @ lam + A.T @ nu, 0, atol=1e-6 * (1 + lam.max()))
        assert result.x is None and result.value == np.inf and "no x satisfies" in result.message
    if result.status == "unbounded":
        d = result.certificate
        assert q @ d == pytest.approx(-1) and (G @ d).max() < 1e-6 * (1 + np.abs(d).max())
        assert_allclose(A @ d, 0, atol=1e-6 * (1 + np.abs(d).max()))
        assert result.x is None and result.value == -np.inf and "without bound" in result.message


def test_infeasible_and_unbounded_quadratic_programs():
    flat = np.diag([1.0, 0.0])
    assert solve_qp(flat, [0.0, -1.0]).status == "unbounded"
    ray = solve_qp(flat, [0.0, -1.0], [[0.0, -1.0]], [0.0])
    assert ray.status == "unbounded"
    assert_allclose(ray.certificate, [0, 1], atol=1e-8)
    assert solve_qp(flat, [0.0, -1.0], [[0.0, 1.0]], [3.0]).value == pytest.approx(-3)
    assert solve_qp(np.eye(2), [0.0, 0.0], A=[[1.0, 0.0], [2.0, 0.0]], b=[1.0, 1.0]).status == "infeasible"
    assert solve_qp(np.eye(1), [0.0], [[1.0], [-1.0]], [0.0, -1e-3]).status == "infeasible"
    assert solve_qp(np.eye(1), [0.0], [[0.0]], [-1.0]).status == "infeasible"
    assert solve_qp(np.eye(1), [0.0], [[1.0], [-1.0]], [1.0, -1.0]).x == pytest.approx(1.0)


def svm_dual(C, seed=0, n=40):
    """The dual of a linear soft-margin SVM on two Gaussian clouds: data, labels and the QP."""
    rng = np.random.default_rng(seed)
    X = np.vstack([rng.normal(size=(n // 2, 2)) - 1, rng.normal(size=(n // 2, 2)) + 1])
    y = np.repeat([-1.0, 1.0], n // 2)
    return X, y, (np.outer(y, y) * (X @ X.T), -np.ones(n), np.vstack([-np.eye(n), np.eye(n)]),
                  np.concatenate([np.zeros(n), np.full(n, C)]), y[None], np.zeros(1))


def test_support_vector_machine_dual():
    X, y, qp = svm_dual(1.0)
    result = solve_qp(*qp)
    alpha = result.x
    w = X.T @ (alpha * y)
    free = (alpha > 1e-8) & (alpha < 1 - 1e-8)
    assert -result.value == pytest.approx(5.514785, abs=1e-6)
    assert_allclose(w, [1.32044, 0.95522], atol=1e-5)
    assert_allclose((y - X @ w)[free], -0.00712, atol=1e-5)
    assert_allclose(result.nu, -0.00712, atol=1e-5)  # the multiplier of sum alpha y = 0 is the intercept
    reference = SVC(kernel="linear", C=1.0, tol=1e-9).fit(X, y)
    assert_allclose(w, reference.coef_[0], atol=1e-6)
    assert_allclose(result.nu, reference.intercept_, atol=1e-6)
    assert (alpha > 1e-8).sum() == 8 and (alpha > 1 - 1e-8).sum() == 6
    assert (alpha[alpha < 1e-8] == 0).sum() > 0


def test_five_point_svm_of_the_notes():
    X = np.array([[2, 1], [1, 2], [0, 0], [3, 3], [-1, 0]], float)
    y = np.array([1, 1, -1, 1, -1.0])
    def dual(C):
        return solve_qp(np.outer(y, y) * (X @ X.T), -np.ones(5), np.vstack([-np.eye(5), np.eye(5)]),
                        np.concatenate([np.zeros(5), np.full(5, C)]), y[None], np.zeros(1))
    for C, w, value in ((1e3, [2 / 3, 2 / 3], 4 / 9), (0.4, [0.6, 0.6], 0.44), (0.3, [0.5, 0.5], 0.40)):
        result = dual(C)
        assert_allclose(X.T @ (result.x * y), w, atol=1e-9)
        assert -result.value == pytest.approx(value)
    assert -dual(0.1).value == pytest.approx(0.275)


@pytest.mark.parametrize("C", [0.01, 1.0, 1e3, 1e6])
def test_svm_dual_of_two_hundred_variables(C):
    _, _, qp = svm_dual(C, n=200)
    result = solve_qp(*qp)
    assert result.status == "optimal" and result.n_iter < 30
    assert result.residuals.largest < 1e-7 * max(1, C / 1e4)
    assert result.value == pytest.approx(result.dual_value, rel=1e-8)


def test_bad_input_is_refused():
    I2, q = np.eye(2), np.zeros(2)
    with pytest.raises(ValueError, match="smallest eigenvalue is -1: the objective is not convex"):
        solve_qp(np.diag([1.0, -1.0]), q)
    with pytest.raises(ValueError, match="P must be symmetric"):
        solve_qp([[1.0, 1.0], [0.0, 1.0]], q)
    with pytest.raises(ValueError, match=r"P must have shape \(2, 2\)"):
        solve_qp(np.eye(3), q)
    with pytest.raises(ValueError, match="G and h belong together"):
        solve_qp(I2, q, G=I2)
    with pytest.raises(ValueError, match=r"A must have shape \(1, 2\)"):
        solve_qp(I2, q, A=[[1.0]], b=[1.0])
    with pytest.raises(ValueError, match="h contains NaN or infinity"):
        solve_qp(I2, q, I2, [np.inf, 1.0])
    with pytest.raises(ValueError, match="q must be 1-D"):
        solve_qp(I2, [[0.0, 0.0]])
    with pytest.raises(ValueError, match="max_iter must be an integer"):
        solve_qp(I2, q, max_iter=0)
    assert solve_qp(np.diag([1.0, -1e-14]), q, I2, [1.0, 1.0]).status in ("optimal", "unbounded")  # rounding is forgiven


def test_input_is_not_written_to_and_answers_repeat():
    data = random_qp(9)
    for array in data:
        array.setflags(write=False)
    one, two = solve_qp(*data), solve_qp(*data)
    assert_allclose(one.x, two.x, rtol=0, atol=0)
    assert_allclose(one.lam, two.lam, rtol=0, atol=0)


def test_too_few_steps_are_reported():
    data = random_qp(0, n=8, m=20)
    with pytest.warns(ConvergenceWarning, match="rescale the problem or raise tol or max_iter"):
        result = solve_qp(*data, max_iter=1)
    assert result.status == "not converged" and result.residuals.largest > 1e-6 and "before the tolerance" in result.message


# ---------------------------------------------------------------- projections

def sets(n, rng):
    """Of each set: the projection, a function that draws points of the set, the QP form of the projection (or None)."""
    low, high, a, center, eye = -rng.random(n), rng.random(n), rng.normal(size=n), rng.normal(size=n), np.eye(n)

    def in_ball():
        direction = rng.normal(size=n)
        return center + 1.5 * rng.random() * direction / np.linalg.norm(direction)

    def in_halfspace():
        x = rng.normal(size=n)
        return x - a * (a @ x - 0.3 + rng.random()) / (a @ a)

    return {
        "box": (lambda y: project_box(y, low, high), lambda: rng.uniform(low, high),
                {"G": np.vstack([eye, -eye]), "h": np.concatenate([high, -low])}),
        "ball": (lambda y: project_ball(y, center, 1.5), in_ball, None),
        "halfspace": (lambda y: project_halfspace(y, a, 0.3), in_halfspace, {"G": a[None], "h": [0.3]}),
        "simplex": (project_simplex, lambda: rng.dirichlet(np.ones(n)), {"G": -eye, "h": np.zeros(n), "A": np.ones((1, n)), "b": [1.0]}),
    }


@pytest.mark.parametrize("name", ["box", "ball", "halfspace", "simplex"])
def test_projections(name):
    rng = np.random.default_rng(12)
    for n in (1, 2, 5):
        project, draw, qp = sets(n, rng)[name]
        for _ in range(30):
            y, z, inside = 3 * rng.normal(size=n), 3 * rng.normal(size=n), draw()
            p = project(y)
            assert_allclose(project(p), p, atol=1e-12)
            assert_allclose(project(inside), inside, atol=1e-12)
            assert (y - p) @ (inside - p) <= 1e-10  # the angle at the projection is not acute
            assert np.linalg.norm(p - project(z)) <= np.linalg.norm(y - z) + 1e-12
            if qp is not None:
                assert_allclose(p, solve_qp(np.eye(n), -y, **qp).x, atol=1e-8)


def test_projection_corner_cases():
    assert_allclose(project_simplex([1e17, 0.0]), [1, 0])
    assert_allclose(project_simplex([5.0]), [1])
    assert_allclose(project_simplex([0.0, 0.0], total=3.0), [1.5, 1.5])
    assert_allclose(project_ball([3.0, 4.0], radius=0.0), [0, 0], atol=1e-15)
    assert_allclose(project_box([5.0, -5.0], -np.inf, [1.0, np.inf]), [1, -5])
    y = np.array([9.0, 1.0])
    for p in (project_box(y, 0, 10), project_ball(y, radius=10.0), project_halfspace(y, [1.0, 0.0], 10.0)):
        assert p is not y and not np.shares_memory(p, y)
    with pytest.raises(ValueError, match="the box is empty"):
        project_box(y, 1, 0)
    with pytest.raises(ValueError, match="high must be a number or have 2 entries"):
        project_box(y, 0, [1.0, 1.0, 1.0])
    with pytest.raises(ValueError, match="center must be a number or have 2 entries"):
        project_ball(y, [0.0])
    with pytest.raises(ValueError, match="a is zero"):
        project_halfspace(y, [0.0, 0.0], 1.0)
    with pytest.raises(ValueError, match="a has 1 entries, but y has 2"):
        project_halfspace(y, [1.0], 1.0)
    with pytest.raises(ValueError, match="total must be a number > 0"):
        project_simplex(y, total=0.0)
    with pytest.raises(ValueError, match="radius must be a number >= 0"):
        project_ball(y, radius=-1.0)


@pytest.mark.parametrize("seed", range(5))
def test_projected_gradient_reaches_the_qp_solution_within_its_bound(seed):
    P, q, *_ = random_qp(seed, n=5)
    L = np.linalg.eigvalsh(P)[-1]
    run = projected_gradient(lambda x: P @ x + q, project_simplex, np.ones(5), 1 / L, tol=1e-11, max_iter=20000)
    exact = solve_qp(P, q, -np.eye(5), np.zeros(5), np.ones((1, 5)), [1.0])
    assert run.converged
    assert_allclose(run.x, exact.x, atol=1e-7)
    values = 0.5 * np.einsum("ki,ij,kj->k", run.path, P, run.path) + run.path @ q
    assert (np.diff(values) <= 1e-12).all()
    k = np.arange(1, len(values))
    assert (values[1:] - exact.value <= L * ((run.path[0] - exact.x) @ (run.path[0] - exact.x)) / (2 * k) + 1e-12).all()
    assert run.n_iter == len(run.history) == len(run.path) - 1


def test_projected_gradient_reports_failure():
    assert not projected_gradient(lambda x: x, lambda x: x, [1.0], 0.01, max_iter=5).converged
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="use a step smaller than 3"):
        projected_gradient(lambda x: x**3, lambda x: x, [5.0], 3.0)
    with pytest.raises(ValueError, match="step must be a number > 0"):
        projected_gradient(lambda x: x, lambda x: x, [1.0], 0)


# ---------------------------------------------------------------- penalties

def test_quadratic_penalty_in_closed_form():
    """x^2/2 subject to x >= 1: minimizer rho / (1 + rho), multiplier the same number."""
    problem = quadratic_problem([[1.0]], [0.0], [[-1.0]], [-1.0])
    for done, rho in zip(quadratic_penalty(problem, [0.0], [1, 10, 100, 1e4]), [1, 10, 100, 1e4]):
        assert done.x[0] == pytest.approx(rho / (1 + rho), abs=1e-7)
        assert done.lam[0] == pytest.approx(rho / (1 + rho), abs=1e-4)


def test_penalty_error_falls_like_one_over_rho():
    P, q, G, h, A, b = random_qp(11)
    exact = solve_qp(P, q, G, h, A, b)
    rounds = quadratic_penalty(quadratic_problem(P, q, G, h, A, b), np.zeros(4), [1e2, 1e3, 1e4])
    error = [np.linalg.norm(r.x - exact.x) for r in rounds]
    assert_allclose(np.array(error[:-1]) / error[1:], 10, rtol=0.15)
    multipliers = [np.linalg.norm(np.append(r.lam - exact.lam, r.nu - exact.nu)) for r in rounds]
    assert_allclose(np.array(multipliers[:-1]) / multipliers[1:], 10, rtol=0.15)


@pytest.mark.parametrize("seed", range(4))
def test_augmented_lagrangian_reaches_the_qp_solution(seed):
    P, q, G, h, A, b = random_qp(seed)
    exact = solve_qp(P, q, G, h, A, b)
    last = augmented_lagrangian(quadratic_problem(P, q, G, h, A, b), np.zeros(4), rho=50.0, tol=1e-6)[-1]
    assert last.residuals.largest <= 1e-6
    assert_allclose(last.x, exact.x, atol=1e-5)
    assert_allclose(last.lam, exact.lam, atol=1e-4)
    assert_allclose(last.nu, exact.nu, atol=1e-4)


def test_augmented_lagrangian_on_a_curved_constraint():
    """x + y on the circle of radius sqrt 2: minimum -2 at (-1, -1) with multiplier 1/2."""
    circle = Problem(lambda x: x.sum(), lambda x: np.ones(2), c=lambda x: np.array([x @ x - 2]), c_jacobian=lambda x: 2 * x[None])
    rounds = augmented_lagrangian(circle, [-2.0, 0.5], rho=5.0)
    assert rounds[-1].residuals.largest <= 1e-8
    assert_allclose(rounds[-1].x, [-1, -1], atol=1e-7)
    assert_allclose(rounds[-1].nu, [0.5], atol=1e-7)
    error = [abs(r.nu[0] - 0.5) for r in rounds[:4]]
    assert (np.array(error[1:]) < 0.5 * np.array(error[:-1])).all()


def test_augmented_lagrangian_reports_an_infeasible_problem():
    """x <= 0 and x >= 1: the point stays halfway and the multipliers grow by rho / 2 each round."""
    impossible = quadratic_problem([[1.0]], [0.0], [[1.0], [-1.0]], [0.0, -1.0])
    with pytest.warns(ConvergenceWarning, match="did not reach tol=1e-08 in 6 rounds"):
        rounds = augmented_lagrangian(impossible, [0.0], rho=10.0, max_iter=6)
    assert rounds[-1].x[0] == pytest.approx(0.5, abs=1e-3)
    assert_allclose(np.diff([r.lam.sum() for r in rounds[1:]]), 10, rtol=1e-3)


def test_penalty_too_weak_for_an_unbounded_objective_is_reported():
    concave = Problem(lambda x: -x @ x, lambda x: -2 * x, c=lambda x: x - 1, c_jacobian=lambda x: np.eye(1))
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="at rho=1: it may be unbounded below; use a larger rho"):
        quadratic_penalty(concave, [0.5], [1.0])
    assert quadratic_penalty(concave, [0.5], [10.0])[0].x[0] == pytest.approx(10 / 8)
