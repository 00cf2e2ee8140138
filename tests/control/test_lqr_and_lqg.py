"""Finite horizons, the regulator, iLQR, the Kalman filter and LQG: identities, brute force, limits, scipy, bad input."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import solve_discrete_are, solve_discrete_lyapunov
from scipy.optimize import minimize

from mlcore.base import ConvergenceWarning
from mlcore.control import lqr_and_lqg as lqr
from mlcore.control.lqr_and_lqg import nonlinear
from mlcore.control.markov_decision_processes import MDP, CartPole, Pendulum, value_iteration
from mlcore.foundations.mathematics import numerical_gradient

CART = {"A": np.array([[1, 0.1], [0, 1]]), "B": np.array([[0.0], [0.1]]), "U": np.eye(2), "W": np.array([[0.5]])}
NOISE = 0.01 * np.eye(2)


def frozen(*arrays):
    for array in arrays:
        array.setflags(write=False)
    return arrays


def random_problem(rng, T, d=3, p=2, cross=True):
    """Time-varying matrices with a joint cost [[U, N^T], [N, W]] that is positive definite."""
    A, B = rng.normal(size=(T, d, d)) / 2, rng.normal(size=(T, d, p))
    root = rng.normal(size=(T, d + p, d + p))
    joint = root @ np.swapaxes(root, 1, 2) / 3 + 0.1 * np.eye(d + p)
    last = rng.normal(size=(d, d))
    U = np.concatenate([joint[:, :d, :d], (last @ last.T)[None]])
    noise = rng.normal(size=(T, d, d)) / 3
    N = joint[:, d:, :d] if cross else None
    if not cross:
        joint[:, d:, :d] = 0
    return {"A": A, "B": B, "U": U, "W": joint[:, d:, d:], "T": T, "Sigma": noise @ np.swapaxes(noise, 1, 2), "N": N}


# ---------------------------------------------------------------- finite horizon

def random_mdp(rng, T, S=3, A=2):
    P = rng.dirichlet(np.ones(S), size=(T, A, S))
    return lqr.FiniteHorizonMDP(P, rng.normal(size=(T + 1, S, A)), T)


def test_each_step_has_its_own_transitions_and_rewards():
    rng = np.random.default_rng(3)
    P, R = rng.dirichlet(np.ones(3), size=(4, 2, 3)), rng.normal(size=(5, 3, 2))
    for mdp in (lqr.FiniteHorizonMDP(P, R, 4), lqr.FiniteHorizonMDP(lambda t: P[t], lambda t: R[t], 4)):
        assert_array_equal(mdp.P, P)
        assert_array_equal(mdp.R, R)


def test_backward_induction_beats_every_non_stationary_policy():
    mdp = random_mdp(np.random.default_rng(0), T=2)
    best = np.full((3, 3), -np.inf)
    for rows in itertools.product(itertools.product(range(2), repeat=3), repeat=3):
        best = np.maximum(best, lqr.evaluate_policy(mdp, np.array(rows)))
    plan = lqr.backward_induction(mdp)
    assert_allclose(plan.V, best)
    assert_allclose(lqr.evaluate_policy(mdp, plan.policy), best)
    assert_allclose(plan.V, plan.Q.max(axis=2))


def test_evaluate_policy_equals_simulation():
    rng = np.random.default_rng(1)
    mdp, n = random_mdp(rng, T=3), 40_000
    policy = rng.integers(2, size=(4, 3))
    s, total = np.zeros(n, int), np.zeros(n)
    for t in range(4):
        a = policy[t, s]
        total += mdp.R[t][s, a]
        if t < 3:
            s = (rng.random((n, 1)) > mdp.P[t][a, s].cumsum(axis=1)).sum(axis=1)
    assert abs(total.mean() - lqr.evaluate_policy(mdp, policy)[0, 0]) < 4 * total.std() / np.sqrt(n)


@pytest.mark.parametrize("decisions", [1, 5, 12])
def test_corridor_is_what_counting_says(decisions):
    P, R = np.zeros((2, 11, 11)), np.zeros((11, 2))
    for s in range(11):
        for a, move in enumerate((-1, 1)):
            P[a, s, s if s in (0, 10) else s + move] = 1
    R[1, 0], R[9, 1] = 1, 10
    V = lqr.backward_induction(lqr.FiniteHorizonMDP(*frozen(P, R), decisions - 1)).V[0]
    want = [10 if decisions >= 10 - s else 1 if decisions >= s else 0 for s in range(1, 10)]
    assert_array_equal(V[1:10], want)


def test_discounted_rewards_give_value_iteration():
    rng = np.random.default_rng(2)
    P, R = rng.dirichlet(np.ones(4), size=(2, 4)), rng.normal(size=(4, 2))
    finite = lqr.FiniteHorizonMDP(lambda t: P, lambda t: 0.8**t * R, 120)
    assert_allclose(lqr.backward_induction(finite).V[0], value_iteration(MDP(P, R, 0.8), tol=1e-11).V, atol=1e-9)


def test_horizon_zero_and_ties():
    one = lqr.FiniteHorizonMDP(np.ones((3, 1, 1)), [[2.0, 5.0, 5.0]], T=0)
    plan = lqr.backward_induction(one)
    assert plan.V.tolist() == [[5.0]] and plan.policy.tolist() == [[1]]


@pytest.mark.parametrize("change, message", [
    ({"T": -1}, "T must be an integer >= 0"),
    ({"P": np.full((2, 3, 3), 0.5)}, "every row of P must sum to 1"),
    ({"P": np.tile(np.eye(3), (2, 2, 1, 1))}, "P holds 2 steps, but there are 4 transitions"),
    ({"R": np.zeros((3, 3, 2))}, "R holds 3 steps, but there are 5 decisions"),
    ({"R": np.zeros((3, 5))}, r"R must have shape \(3,\) or \(3, 2\)"),
    ({"R": lambda t: np.zeros(3) if t else np.zeros(2)}, r"R must have shape"),
])
def test_finite_horizon_refuses(change, message):
    with pytest.raises(ValueError, match=message):
        lqr.FiniteHorizonMDP(**({"P": np.tile(np.eye(3), (2, 1, 1)), "R": np.zeros(3), "T": 4} | change))


@pytest.mark.parametrize("policy", [np.zeros(2, int), np.zeros(3), np.full(3, 2), np.full(3, -1), np.zeros((4, 3), int)])
def test_evaluate_policy_refuses(policy):
    with pytest.raises(ValueError, match=r"policy must hold action numbers 0..1 in shape \(3,\) or \(5, 3\)"):
        lqr.evaluate_policy(lqr.FiniteHorizonMDP(np.tile(np.eye(3), (2, 1, 1)), np.zeros(3), 4), policy)


# ---------------------------------------------------------------- regulator

@pytest.mark.parametrize("cross", [True, False])
@pytest.mark.parametrize("seed", [0, 1])
def test_lqr_equals_one_minimization_over_all_actions(seed, cross):
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, T=4, cross=cross)
    solved = lqr.LQR(**(problem | {"Sigma": None})).solve()
    s0 = rng.normal(size=3)

    def cost(flat):
        actions, s, total = flat.reshape(4, 2), s0, 0.0
        for t, a in enumerate(actions):
            total += s @ problem["U"][t] @ s + a @ problem["W"][t] @ a
            if cross:
                total += 2 * a @ problem["N"][t] @ s
            s = problem["A"][t] @ s + problem["B"][t] @ a
        return total + s @ problem["U"][4] @ s

    best = minimize(cost, np.zeros(8), tol=1e-10)
    assert_allclose(solved.value(s0), -best.fun, rtol=1e-6)
    assert_allclose(solved.simulate(s0).actions[0].ravel(), best.x, atol=1e-4)


def test_value_equals_simulation_with_noise_and_cross_term():
    rng = np.random.default_rng(3)
    solved = lqr.LQR(**random_problem(rng, T=5)).solve()
    s0 = rng.normal(size=3)
    rewards = solved.simulate(s0, rng=4, n_runs=40_000).rewards
    assert abs(rewards.mean() - solved.value(s0)) < 4 * rewards.std() / 200


def test_bellman_equation_and_first_order_condition():
    rng = np.random.default_rng(5)
    problem = random_problem(rng, T=3)
    solved, s = lqr.LQR(**problem).solve(), rng.normal(size=3)
    A, B, U, W, N, Sigma = (problem[k][1] for k in ("A", "B", "U", "W", "N", "Sigma"))

    def Q(a):
        mean = A @ s + B @ a
        return -s @ U @ s - a @ W @ a - 2 * a @ N @ s + solved.value(mean, 2) + np.trace(Sigma @ solved.Phi_[2])

    best = solved.action(s, 1)
    assert_allclose(Q(best), solved.value(s, 1))
    assert_allclose(numerical_gradient(Q, best), 0, atol=1e-6)
    assert max(Q(best + step) for step in rng.normal(size=(20, 2))) < Q(best)


def test_regret_identity_for_any_actions():
    rng = np.random.default_rng(6)
    problem = random_problem(rng, T=4) | {"Sigma": None}
    solved, s0, actions = lqr.LQR(**problem).solve(), rng.normal(size=3), rng.normal(size=(1, 4, 2))
    states, regret = [s0], 0.0
    for t in range(4):
        M = solved.W[t] - solved.B[t].T @ solved.Phi_[t + 1] @ solved.B[t]
        miss = actions[0, t] - solved.action(states[-1], t)
        regret += miss @ M @ miss
        states.append(solved.A[t] @ states[-1] + solved.B[t] @ actions[0, t])
    total = solved.total_reward(np.array(states)[None], actions)[0]
    assert_allclose(total, solved.value(s0) - regret)


def test_printed_signs_fail_and_noise_changes_only_psi():
    noisy = lqr.LQR(**CART, T=20, Sigma=NOISE).solve()
    calm = lqr.LQR(**CART, T=20).solve()
    assert_array_equal(noisy.L_, calm.L_)
    assert_array_equal(noisy.Phi_, calm.Phi_)
    assert (noisy.Psi_[:-1] < 0).all() and noisy.Psi_[-1] == 0 and not calm.Psi_.any()
    assert_allclose(noisy.value([1, 0]), -18.719, atol=5e-4)
    assert_allclose(noisy.value([1, 0]) - 2 * noisy.Psi_[0], -11.973, atol=5e-4)
    assert noisy.simulate([1, 0], 0, 2000).rewards.mean() > -19.5
    assert noisy.simulate([1, 0], 0, 2000, gains=-noisy.L_).rewards.mean() < -600


def test_constant_and_per_step_arrays_agree_and_input_is_not_written():
    A, B, U, W = (np.array(M) for M in CART.values())
    frozen(A, B, U, W)
    one = lqr.LQR(A, B, U, W, 6, NOISE).solve()
    many = lqr.LQR(np.tile(A, (6, 1, 1)), np.tile(B, (6, 1, 1)), np.tile(U, (7, 1, 1)), np.tile(W, (6, 1, 1)), 6,
                   np.tile(NOISE, (6, 1, 1)), np.zeros((6, 1, 2))).solve()
    for name in ("L_", "Phi_", "Psi_"):
        assert_array_equal(getattr(one, name), getattr(many, name))
    L, Phi = lqr.riccati_step(one.Phi_[3], A, B, U, W)
    assert_allclose(L, one.L_[2])
    assert_allclose(Phi, one.Phi_[2])
    plain = A.T @ (one.Phi_[3] - one.Phi_[3] @ B @ np.linalg.inv(B.T @ one.Phi_[3] @ B - W) @ B.T @ one.Phi_[3]) @ A - U
    assert_allclose(Phi, plain)


@pytest.mark.parametrize("seed", range(5))
def test_dare_agrees_with_scipy_and_long_horizons(seed):
    rng = np.random.default_rng(seed)
    A, B = rng.normal(size=(3, 3)), rng.normal(size=(3, 2))
    root = rng.normal(size=(5, 5))
    joint = root @ root.T + 0.1 * np.eye(5)
    U, W, N = joint[:3, :3], joint[3:, 3:], joint[3:, :3]
    steady = lqr.dare_fixed_point(A, B, U, W, N)
    assert_allclose(-steady.Phi, solve_discrete_are(A, B, U, W, s=N.T), rtol=1e-6)
    assert np.abs(np.linalg.eigvals(A + B @ steady.L)).max() < 1
    assert_allclose(lqr.LQR(A, B, U, W, 200, N=N).solve().L_[0], steady.L, rtol=1e-6)
    loop, stage = A + B @ steady.L, U + steady.L.T @ W @ steady.L + steady.L.T @ N + N.T @ steady.L
    assert_allclose(solve_discrete_lyapunov(loop.T, stage), -steady.Phi, rtol=1e-6)


@pytest.mark.parametrize("d, p, seed", [(8, 1, 0), (8, 1, 2), (8, 2, 8)])
def test_dare_stops_where_only_rounding_moves(d, p, seed):
    """Large, fast growing systems: Phi has entries up to 1e10, and its changes never fall below 1e-12 of that."""
    rng = np.random.default_rng(seed)
    A, B = 2 * rng.normal(size=(d, d)), rng.normal(size=(d, p))
    steady = lqr.dare_fixed_point(A, B, np.eye(d), np.eye(p), max_iter=500)
    assert_allclose(-steady.Phi, solve_discrete_are(A, B, np.eye(d), np.eye(p)), atol=1e-5 * np.abs(steady.Phi).max())
    assert np.abs(np.linalg.eigvals(A + B @ steady.L)).max() < 1


def test_a_slow_loop_is_not_taken_for_rounding():
    steady = lqr.dare_fixed_point([[1.0]], [[0.01]], [[1e-3]], [[1.0]])        # spectral radius 0.9997
    x = (1e-7 + np.sqrt(1e-14 + 4e-7)) / 2e-4                                  # x^2 b^2 - u b^2 x - u w = 0
    assert_allclose(-steady.Phi, x, rtol=1e-7)


def test_riccati_iterates_fall_monotonically_to_the_limit():
    Phi, A, B, U, W = np.zeros((2, 2)), *CART.values()
    limit = lqr.dare_fixed_point(A, B, U, W).Phi
    for _ in range(30):
        _, earlier = lqr.riccati_step(Phi, A, B, U, W)
        assert np.linalg.eigvalsh(Phi - earlier)[0] > -1e-12
        assert np.linalg.eigvalsh(earlier - limit)[0] > -1e-9
        Phi = earlier


def test_every_start_leads_to_the_same_limit():
    rng = np.random.default_rng(0)
    A, B, U, W = CART.values()
    for state_cost in (U, np.diag([1.0, 0.0])):                   # the second is singular, the loop is stable all the same
        limit = lqr.dare_fixed_point(A, B, state_cost, W)
        assert np.abs(np.linalg.eigvals(A + B @ limit.L)).max() < 1
        root = 5 * rng.normal(size=(2, 2))
        Phi = -root @ root.T
        for _ in range(400):
            _, Phi = lqr.riccati_step(Phi, A, B, state_cost, W)
        assert_allclose(Phi, limit.Phi, rtol=1e-8)


def test_infinite_horizon_limits():
    golden = lqr.dare_fixed_point([[1.0]], [[1.0]], [[1.0]], [[1.0]])
    assert_allclose(golden.Phi, -(1 + np.sqrt(5)) / 2)
    cheap = lqr.dare_fixed_point([[2.0]], [[1.0]], [[1.0]], [[1e-9]])
    assert_allclose(cheap.L, -2, atol=1e-8)                       # action for free: back to 0 in one step
    lazy = lqr.dare_fixed_point([[2.0]], [[1.0]], [[0.0]], [[1.0]])
    assert lazy.Phi == 0 and lazy.L == 0                          # nothing costs, so nothing is done
    decoupled = lqr.dare_fixed_point(np.diag([0.5, 1.0]), [[0.0], [1.0]], np.eye(2), [[1.0]])
    assert_allclose(decoupled.Phi[0, 0], -1 / (1 - 0.25))         # a mode out of reach that dies out


def test_unstabilizable_pairs_are_refused():
    for A, B in ((np.diag([1.05, 0.8]), [[0.0], [1.0]]), (np.diag([1.0, 0.5]), [[0.0], [1.0]]),
                 (np.diag([2.0, 2.0]), [[1.0], [1.0]])):           # one action, two equal modes
        with pytest.raises(ValueError, match="not stabilizable: no action reaches the mode with eigenvalue of modulus"):
            lqr.dare_fixed_point(A, B, np.eye(2), [[1.0]])
    with pytest.raises(ValueError, match="did not converge in max_iter=3"):
        lqr.dare_fixed_point(*CART.values(), max_iter=3)


@pytest.mark.parametrize("seed", range(8))
def test_mode_test_agrees_with_the_controllability_matrix(seed):
    rng = np.random.default_rng(seed)
    T, k = rng.normal(size=(4, 4)), seed % 4                      # the last k modes are out of reach
    A, B = rng.normal(size=(4, 4)), rng.normal(size=(4, 2))
    A[4 - k:, :4 - k], B[4 - k:] = 0, 0
    A, B = np.linalg.solve(T, A @ T), np.linalg.solve(T, B)
    assert len(lqr.unreachable_modes(A, B)) == k
    assert np.linalg.matrix_rank(lqr.controllability_matrix(A, B), tol=1e-8) == 4 - k


def test_a_rotating_mode_out_of_reach_is_found():
    turn = 1.1 * np.array([[0.6, -0.8], [0.8, 0.6]])
    A = np.block([[turn, np.zeros((2, 1))], [np.ones((1, 2)), 0.5 * np.eye(1)]])
    lost = lqr.unreachable_modes(A, [[0.0], [0.0], [1.0]], least=1.0)
    assert_allclose(np.abs(lost), [1.1, 1.1])
    jordan = np.array([[1.0, 1.0], [0.0, 1.0]])
    assert len(lqr.unreachable_modes(jordan, [[1.0], [0.0]])) and not len(lqr.unreachable_modes(jordan, [[0.0], [1.0]]))


@pytest.mark.parametrize("seed", range(5))
def test_repeated_modes_out_of_reach_are_found_in_any_basis(seed):
    rng = np.random.default_rng(seed)
    T, jordan = rng.normal(size=(3, 3)), np.eye(3) + np.diag([1.0, 1.0], 1)
    for column, lost in (([1.0, 0, 0], 2), ([0, 1.0, 0], 1), ([0, 0, 1.0], 0)):  # column k reaches the first k + 1 coordinates
        A, B = np.linalg.solve(T, jordan @ T), np.linalg.solve(T, np.array(column)[:, None])
        modes = lqr.unreachable_modes(A, B)
        assert len(modes) == lost
        assert_allclose(modes, 1.0, atol=1e-5)                    # twice the eigenvalue 1: known to the root of the precision
        if lost:
            with pytest.raises(ValueError, match="not stabilizable"):
                lqr.dare_fixed_point(A, B, np.eye(3), [[1.0]])
    Q = np.linalg.qr(T)[0]                                        # what A makes of B is 0 up to rounding, and no direction
    assert_allclose(np.sort(lqr.unreachable_modes(Q @ np.diag([0, 2.0, 3.0]) @ Q.T, Q[:, :1])), [2, 3])
    assert len(lqr.unreachable_modes(CART["A"], 1e-12 * CART["B"])) == 0  # weak, but in reach
    assert len(lqr.unreachable_modes(1.1 * np.eye(2), np.diag([1, 1e-10]))) == 0  # so is one weak actuator beside a strong one
    assert_allclose(lqr.unreachable_modes(np.diag([0.5, 2.0]), [[0.0, 1.0], [0.0, 0.0]]), 2)  # and one that does nothing is none
    steep = [[0.5, 1e10], [0.0, 0.5]]                             # the mode 0.5 out of reach dies out, however large A is
    assert not len(lqr.unreachable_modes(steep, [[1.0], [0.0]], least=1.0))


def test_the_loop_is_stable_exactly_if_the_cost_sees_every_mode_that_does_not_die_out():
    A, B, W = np.diag([1.2, 0.9]), np.array([[1.0], [1.0]]), np.eye(1)
    for U, stable in ((np.diag([1.0, 0.0]), True), (np.diag([0.0, 1.0]), False)):
        steady = lqr.dare_fixed_point(A, B, U, W)
        assert (np.abs(np.linalg.eigvals(A + B @ steady.L)).max() < 1) == stable
    assert_allclose(solve_discrete_are([[2.0]], [[1.0]], [[0.0]], [[1.0]]), 3)  # stabilizing; the iteration from 0 stays at 0


def test_dare_scale_of_the_costs_does_not_matter():
    A, B, U, W = CART.values()
    assert_allclose(lqr.dare_fixed_point(A, B, 7 * U, 7 * W).L, lqr.dare_fixed_point(A, B, U, W).L, rtol=1e-9)


@pytest.mark.parametrize("change, message", [
    ({"A": "a"}, "A must be a rectangular array of real numbers"),
    ({"A": [[1, 0.1], [0]]}, "A must be a rectangular array; its rows have unequal lengths"),
    ({"W": [[0.0]]}, "W must be symmetric positive definite, but its smallest eigenvalue is 0"),
    ({"W": np.diag([1, 1e-13]), "B": np.eye(2)}, "W must be .* its smallest eigenvalue is 0 up to rounding beside its largest, 1"),
    ({"W": [[-1.0]]}, "W must be symmetric positive definite, but its smallest eigenvalue is -1"),
    ({"U": np.diag([1, -1])}, "U must be symmetric positive semidefinite, but its smallest eigenvalue is -1"),
    ({"U": [[1, 0.5], [0, 1]]}, r"U must be symmetric, but its entries \[0, 1\] and \[1, 0\]"),
    ({"U": np.ones((2, 3))}, r"U must have shape \(2, 2\), got \(2, 3\)"),
    ({"U": np.tile(np.eye(2), (5, 1, 1))}, "U holds 5 steps, but 6 are needed"),
    ({"U": np.concatenate([np.tile(np.eye(2), (5, 1, 1)), -np.eye(2)[None]])}, "U must be symmetric positive semidefinite"),
    ({"A": np.ones((2, 3))}, r"A must have shape \(2, 2\), got \(2, 3\)"),
    ({"A": np.full((2, 2), np.nan)}, "A contains NaN or infinity"),
    ({"B": np.ones((1, 2))}, r"B must have shape \(2, any\), got \(1, 2\)"),
    ({"B": np.ones(2)}, "B must be 2-D"),
    ({"Sigma": -NOISE}, "Sigma must be symmetric positive semidefinite, but its smallest eigenvalue is -0.01"),
    ({"N": [[3.0, 0.0]]}, r"\[\[U, N\^T\], \[N, W\]\] must be symmetric positive semidefinite"),
    ({"N": np.ones((2, 2))}, r"N must have shape \(1, 2\)"),
    ({"T": 0}, "T must be an integer >= 1, got 0"),
])
def test_lqr_refuses(change, message):
    with pytest.raises(ValueError, match=message):
        lqr.LQR(**(CART | {"T": 5} | change))


def test_lqr_refuses_use_before_solve_and_wrong_shapes():
    cart = lqr.LQR(**CART, T=5)
    with pytest.raises(ValueError, match="lqr must be an object of the class LQR, got NoneType"):
        lqr.LQG(None, None)
    with pytest.raises(ValueError, match="mdp must be an object of the class FiniteHorizonMDP, got str"):
        lqr.backward_induction("corridor")
    with pytest.raises(ValueError, match="kf must be an object of the class KalmanFilter, got NoneType"):
        lqr.batch_condition(None, [[1.0]])
    for use in (lambda: cart.value([1, 0]), lambda: cart.simulate([1, 0]), lambda: cart.action([1, 0], 0), lambda: lqr.LQG(cart, None)):
        with pytest.raises(ValueError, match="not solved yet"):
            use()
    cart.solve()
    with pytest.raises(ValueError, match="s must have 2 entries, got 3"):
        cart.value([1, 0, 0])
    with pytest.raises(ValueError, match="t must be an integer >= 0 and <= 5, got -1"):
        cart.value([1, 0], -1)
    with pytest.raises(ValueError, match="t must be an integer >= 0 and <= 4, got 5"):
        cart.action([1, 0], 5)                                    # the last state has no action
    with pytest.raises(ValueError, match=r"gains must have shape \(5, 1, 2\)"):
        cart.simulate([1, 0], gains=np.zeros((4, 1, 2)))
    with pytest.raises(ValueError, match=r"s must have shape \(2,\) or \(n, 2\), got \(3,\)"):
        cart.action([1, 0, 0], 0)
    with pytest.raises(ValueError, match=r"states must have shape \(1, 6, 2\), got \(1, 3, 2\)"):
        cart.total_reward(np.zeros((1, 3, 2)), np.zeros((1, 5, 1)))
    with pytest.raises(ValueError, match=r"actions must have shape \(1, 5, 1\), got \(2, 5, 1\)"):
        cart.total_reward(np.zeros((1, 6, 2)), np.zeros((2, 5, 1)))
    with pytest.raises(ValueError, match="-Phi must be symmetric positive semidefinite"):
        lqr.riccati_step(np.eye(2), *CART.values())
    with pytest.raises(ValueError, match="W must be symmetric positive definite"):
        lqr.dare_fixed_point(CART["A"], CART["B"], np.eye(2), [[-1.0]])


# ---------------------------------------------------------------- linearization and iLQR

def test_linearize_pendulum_by_hand_and_batch():
    s, a = np.array([[2.0, 1.0], [-0.3, 0.0]]), np.array([[0.5], [1.0]])
    A, B, kappa = lqr.linearize(Pendulum().step, *frozen(s, a))
    for i in range(2):
        low = np.array([0.05 * 9.8 * np.cos(s[i, 0]), 1 - 0.05 * 0.1])
        assert_allclose(A[i], [[1 + 0.05 * low[0], 0.05 * low[1]], low], atol=1e-8)
        assert_allclose(B[i].ravel(), [0.05**2, 0.05], atol=1e-8)
        assert_allclose(A[i] @ s[i] + B[i] @ a[i] + kappa[i], Pendulum().step(s[i], a[i]))
        one = lqr.linearize(Pendulum().step, s[i], a[i])
        assert_allclose(one.A, A[i], atol=1e-12)
        A_z, B_z = lqr.augment(one.A, one.B, one.kappa)
        assert_allclose(A_z @ [1, *s[i]] + B_z @ a[i], [1, *Pendulum().step(s[i], a[i])])


def test_linearize_is_exact_for_linear_and_second_order_for_smooth():
    A, B, kappa = lqr.linearize(lambda s, a: s @ CART["A"].T + a @ CART["B"].T + 3, [1.0, 2.0], [0.5])
    assert_allclose(A, CART["A"], atol=1e-9)
    assert_allclose(B, CART["B"], atol=1e-9)
    assert_allclose(kappa, [3, 3], atol=1e-8)
    A, B, _ = lqr.linearize(lambda s, a: [s[0] ** 2, a[0]], [3.0, 0.0], [1.0])  # a function that returns a list
    assert_allclose(np.hstack([A, B]), [[6, 0, 0], [0, 0, 1]], atol=1e-8)
    pole = CartPole()
    A, B, _ = lqr.linearize(pole.step, np.zeros(4), [0.0])
    errors = [np.abs(pole.step(h * np.ones(4), [h]) - A @ (h * np.ones(4)) - B[:, 0] * h).max() for h in (0.02, 0.01)]
    assert errors[0] / errors[1] > 3.5                            # the equations are odd: even cubic


def test_quadratize_reproduces_a_quadratic_and_matches_taylor():
    rng = np.random.default_rng(7)
    H, g, s, a = rng.normal(size=(5, 5)), rng.normal(size=5), rng.normal(size=3), rng.normal(size=2)
    H = H + H.T

    def cost(s, a):
        x = np.concatenate([s, a], axis=-1)
        return np.einsum("...i,ij,...j->...", x, H, x) / 2 + x @ g + 4.0

    U, W, N = lqr.quadratize(cost, s, a)
    assert_allclose(U[1:, 1:], H[:3, :3] / 2, atol=1e-6)
    assert_allclose(W, H[3:, 3:] / 2, atol=1e-6)
    assert_allclose(N[:, 1:], H[3:, :3] / 2, atol=1e-6)
    ds, da = rng.normal(size=3), rng.normal(size=2)
    z = np.array([1.0, *ds])
    assert_allclose(z @ U @ z + da @ W @ da + 2 * da @ N @ z, cost(s + ds, a + da), rtol=1e-6)


def quadratic_cost(s, a):
    return (s**2).sum(-1) + 0.5 * a[..., 0] ** 2 + 0.3 * a[..., 0] * s[..., 0]


def test_ilqr_solves_a_linear_problem_in_one_step():
    F = lambda s, a: s @ CART["A"].T + a @ CART["B"].T             # noqa: E731
    result = lqr.ilqr(F, quadratic_cost, lambda s: (s**2).sum(-1), [1.0, -0.5], np.ones((15, 1)))
    exact = lqr.LQR(**CART, T=15, N=[[0.15, 0.0]]).solve()
    assert_allclose(result.history[1], -exact.value([1.0, -0.5]), rtol=1e-6)
    assert len(result.step_sizes) <= 2 and result.converged
    assert_allclose(result.gains, exact.L_, atol=1e-5)


SWING = {"cost": lambda s, a: s[..., 0] ** 2 + 0.1 * s[..., 1] ** 2 + 0.05 * a[..., 0] ** 2,
         "final_cost": lambda s: 100 * s[..., 0] ** 2 + 10 * s[..., 1] ** 2, "s0": [np.pi, 0.0], "actions": np.full((80, 1), 0.01)}


def test_swing_up_costs_and_stationarity():
    pendulum = Pendulum()
    result = lqr.ilqr(pendulum.step, **SWING)
    assert_allclose(result.history[[0, 1, -1]], [1777.16, 882.10, 183.70], atol=0.01)
    assert (np.diff(result.history) < 0).all() and result.converged
    assert np.abs(result.states[-1]).max() < 1e-3
    states = [np.array([np.pi, 0.0])]
    for a in result.actions:
        states.append(pendulum.step(states[-1], a))
    assert_allclose(states, result.states)                        # a trajectory of the true system

    def cost(actions):
        s, total = np.tile([np.pi, 0.0], (len(actions), 1)), 0.0
        for a in actions.T:
            total, s = total + SWING["cost"](s, a[:, None]), pendulum.step(s, a[:, None])
        return total + SWING["final_cost"](s)

    step, flat = 1e-5 * np.eye(80), result.actions[:, 0]
    assert np.abs(cost(flat + step) - cost(flat - step)).max() / 2e-5 < 0.05


def test_the_promise_is_half_the_slope_of_the_true_cost_with_and_without_damping():
    """(eq-lqr-downhill): J'(0) = -2 sum k^T M k, and the fall promised by the undamped model is that sum."""
    F, cost, final_cost = Pendulum().step, quadratic_cost, SWING["final_cost"]  # a cost with a cross term
    rng = np.random.default_rng(11)
    states, actions, total = nonlinear._roll_out(F, cost, final_cost, np.tile([np.pi, 0.0], (31, 1)), rng.normal(size=(30, 1)),
                                                 np.zeros((30, 1, 2)))
    for damping in (0.0, 5.0):
        offsets, gains, promise, used = nonlinear._backward(F, cost, final_cost, states, actions, damping, 1e-6)
        up, down = (nonlinear._roll_out(F, cost, final_cost, states, actions + h * offsets, gains)[2] for h in (1e-5, -1e-5))
        assert used == damping
        assert_allclose((up - down) / 2e-5, -2 * promise, rtol=1e-5)


def test_full_steps_are_not_monotone_and_limits_warn():
    reckless = lqr.ilqr(Pendulum().step, **SWING, line_search=False)
    assert np.diff(reckless.history).max() > 100
    with pytest.warns(ConvergenceWarning, match="ilqr stopped after 3 steps"):
        assert not lqr.ilqr(Pendulum().step, **SWING, max_iter=3).converged


def test_gains_belong_to_the_trajectory_that_is_returned():
    with pytest.warns(ConvergenceWarning):
        stopped = lqr.ilqr(Pendulum().step, **SWING, max_iter=3)
    A, B, _ = lqr.linearize(Pendulum().step, stopped.states[:-1], stopped.actions)
    U = np.concatenate([np.tile(np.diag([1, 0.1]), (80, 1, 1)), np.diag([100.0, 10])[None]])
    assert_allclose(stopped.gains, lqr.LQR(A, B, U, [[0.05]], 80).solve().L_, rtol=1e-4, atol=1e-5)


def test_a_cost_without_a_part_linear_in_the_action_needs_no_cross_term_in_absolute_coordinates():
    pendulum = Pendulum()
    states = [np.array(SWING["s0"])]
    for a in SWING["actions"]:
        states.append(pendulum.step(states[-1], a))
    Phi, gains = -np.diag([0, 100.0, 10]), []
    for A, B, kappa in list(zip(*lqr.linearize(pendulum.step, np.array(states[:-1]), SWING["actions"])))[::-1]:
        L, Phi = lqr.riccati_step(Phi, *lqr.augment(A, B, kappa), np.diag([0, 1, 0.1]), [[0.05]])
        gains.append(L)
    s, total = states[0], 0.0
    for L in gains[::-1]:
        a = L @ [1, *s]
        total, s = total + SWING["cost"](s, a), pendulum.step(s, a)
    with pytest.warns(ConvergenceWarning):
        first = lqr.ilqr(pendulum.step, **SWING, max_iter=1).history[1]
    assert_allclose(total + SWING["final_cost"](s), first, rtol=1e-5)


def test_ilqr_with_an_indefinite_expansion_reaches_the_optimum_of_bfgs():
    pendulum, s0 = Pendulum(), [np.pi - 0.3, 0.0]

    def cost(s, a):                                               # concave at the bottom, flat in a at 0
        return 2 * (1 - np.cos(s[..., 0])) + 1e-3 * a[..., 0] ** 4

    def final_cost(s):
        return 10 * (1 - np.cos(s[..., 0]))

    def total(actions):
        s, out = np.tile(s0, (len(actions), 1)), 0.0
        for a in actions.T:
            out, s = out + cost(s, a[:, None]), pendulum.step(s, a[:, None])
        return out + final_cost(s)

    def with_gradient(x):
        step = 1e-5 * np.eye(40)
        return total(x[None])[0], (total(x + step) - total(x - step)) / 2e-5

    U, W, _ = lqr.quadratize(cost, s0, [0.0])
    assert U[1, 1] < 0 and abs(W[0, 0]) < 1e-6                    # neither U nor W is as the regulator wants it
    best = minimize(with_gradient, np.full(40, 0.01), jac=True, method="BFGS")
    for reg, tol, rtol in ((1e-6, 1e-7, 1e-5), (1e3, 1e-3, 5e-3)):  # much damping makes promises small: that is not convergence
        result = lqr.ilqr(pendulum.step, cost, final_cost, s0, np.zeros((40, 1)), tol=tol, reg=reg)
        assert (np.diff(result.history) < 0).all() and result.converged and len(result.history) > 2
        assert_allclose(result.history[-1], best.fun, rtol=rtol)


def test_nonlinear_refuses():
    with pytest.raises(ValueError, match=r"F must return a state of shape \(2,\)"):
        lqr.linearize(lambda s, a: s[:1], [0.0, 0.0], [0.0])
    with pytest.raises(ValueError, match="s has 2 rows, but a has 3"):
        lqr.linearize(Pendulum().step, np.zeros((2, 2)), np.zeros((3, 1)))
    with pytest.raises(ValueError, match="h must be a number > 0"):
        lqr.linearize(Pendulum().step, [0.0, 0.0], [0.0], h=0)
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="F is NaN or infinite at a point of expansion"):
        lqr.linearize(lambda s, a: np.sqrt(s) + a, [0.0], [0.0])   # no value below 0
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="cost is NaN or infinite at a point of expansion"):
        lqr.quadratize(lambda s, a: np.log(s[..., 0]), [0.0], [0.0])
    with pytest.raises(ValueError, match="cost must return one number per state"):
        lqr.quadratize(lambda s, a: s, [0.0, 0.0], [0.0])
    with pytest.raises(ValueError, match=r"A must have shape \(2, 2\), got \(2, 3\)"):
        lqr.augment(np.ones((2, 3)), np.ones((2, 1)), [1.0, 2.0])
    with pytest.raises(ValueError, match=r"B must have shape \(2, any\), got \(3, 1\)"):
        lqr.augment(np.eye(2), np.ones((3, 1)), [1.0, 2.0])
    with pytest.raises(ValueError, match=r"F must return a state of shape \(2,\) for s of that shape, got \(1,\)"):
        lqr.ilqr(lambda s, a: s[:1], SWING["cost"], SWING["final_cost"], [0.0, 0.0], np.zeros((5, 1)))
    with pytest.raises(ValueError, match="final_cost must return one number"):
        lqr.ilqr(Pendulum().step, SWING["cost"], lambda s: s**2, [0.0, 0.0], np.zeros((5, 1)))
    with np.errstate(all="ignore"), pytest.raises(ValueError, match=r"full step 1 leads to the cost (inf|nan); use line_search=True"):
        lqr.ilqr(lambda s, a: s + s**3 + a, lambda s, a: a[..., 0] ** 2, lambda s: 1e3 * (s[..., 0] - 1e6) ** 2, [0.0],
                 np.zeros((9, 1)), line_search=False)
    with pytest.raises(ValueError, match="kappa must have 2 entries"):
        lqr.augment(np.eye(2), np.ones((2, 1)), [1.0])
    with pytest.raises(ValueError, match="actions must be 2-D"):
        lqr.ilqr(Pendulum().step, SWING["cost"], SWING["final_cost"], [0.0, 0.0], np.zeros(5))
    with pytest.raises(ValueError, match="the run of the first actions has the cost inf"):
        lqr.ilqr(lambda s, a: s + a, lambda s, a: s[..., 0] * np.inf, lambda s: 0.0, [1.0], np.ones((3, 1)))
    with pytest.raises(ValueError, match="F must work on the last axis"):
        lqr.ilqr(lambda s, a: np.array([s[0] + a[0], s[1]]), SWING["cost"], SWING["final_cost"], [1.0, 0.0], np.zeros((2, 1)))
    with pytest.raises(ValueError, match="seems to have no lower bound"):
        lqr.ilqr(lambda s, a: s + a, lambda s, a: -a[..., 0] ** 2, lambda s: (s**2).sum(-1), [1.0], np.zeros((3, 1)))
    with pytest.raises(ValueError, match="reg must be a number > 0"):
        lqr.ilqr(Pendulum().step, **SWING, reg=0)


# ---------------------------------------------------------------- Kalman filter

def random_filter(rng, d=3, p=2, n=2):
    roots = [rng.normal(size=(k, k)) for k in (d, n, d)]
    Sigma_s, Sigma_y, P0 = (r @ r.T for r in roots)
    return lqr.KalmanFilter(rng.normal(size=(d, d)) / 2, rng.normal(size=(d, p)), rng.normal(size=(n, d)), Sigma_s,
                            Sigma_y + 0.1 * np.eye(n), rng.normal(size=d), P0)


@pytest.mark.parametrize("seed", range(3))
def test_filter_equals_batch_conditioning(seed):
    rng = np.random.default_rng(seed)
    kf, Y, actions = random_filter(rng), rng.normal(size=(12, 2)), rng.normal(size=(12, 2))
    record = kf.filter(*frozen(Y, actions))
    for t in range(1, 13):
        mean, cov = lqr.batch_condition(kf, Y[:t], actions[:t])
        assert_allclose(record.means[t], mean, rtol=1e-7, atol=1e-8)    # the batch route solves a 24 x 24 system
        assert_allclose(record.covs[t], cov, rtol=1e-7, atol=1e-8)
    again = kf.filter(Y, actions)                                 # starts from the prior each time
    assert_array_equal(again.means, record.means)
    covs, gains = kf.schedule(12)
    assert_allclose(covs, record.covs)
    assert_allclose(gains, record.gains)


def test_singular_process_noise_and_prior_are_allowed():
    A, B, C = CART["A"], CART["B"], np.array([[1.0, 0.0]])
    kf = lqr.KalmanFilter(A, B, C, B @ B.T, [[0.2]], [0, 0], np.zeros((2, 2)))
    rng = np.random.default_rng(0)
    Y, actions = rng.normal(size=(6, 1)), rng.normal(size=(6, 1))
    mean, cov = lqr.batch_condition(kf, Y, actions)
    assert_allclose(kf.filter(Y, actions).means[-1], mean, atol=1e-12)
    assert_allclose(kf.cov, cov, atol=1e-12)


def test_the_action_belongs_in_the_prediction():
    rng = np.random.default_rng(9)
    A, B, C = CART["A"], CART["B"], np.array([[1.0, 0.0]])
    s, truth, Y, actions = np.zeros(2), [], [], 3 * np.sin(0.2 * np.arange(80))[:, None]
    for a in actions:
        s = A @ s + B @ (a + 0.5 * rng.normal(size=1))
        truth.append(s)
        Y.append(C @ s + 0.3 * rng.normal(size=1))
    args = (C, 0.25 * B @ B.T, [[0.09]], [0, 0], np.eye(2))
    hears, deaf = lqr.KalmanFilter(A, B, *args).filter(Y, actions), lqr.KalmanFilter(A, None, *args).filter(Y)
    error = [np.sqrt(((r.means[1:] - truth) ** 2).mean()) for r in (hears, deaf)]
    assert error[1] > 2 * error[0]
    assert_allclose(hears.covs, deaf.covs)


def test_errors_have_the_covariance_that_the_filter_reports():
    rng = np.random.default_rng(10)
    kf = random_filter(rng)
    _, gains = kf.schedule(6)
    n = 40_000
    s = rng.multivariate_normal(kf.m0, kf.P0, size=n)
    m = np.tile(kf.m0, (n, 1))
    for K in gains:                                               # feedback: actions depend on the belief
        a = np.tanh(m[:, :2])
        s = s @ kf.A.T + a @ kf.B.T + rng.multivariate_normal(np.zeros(3), kf.Sigma_s, size=n)
        m = m @ kf.A.T + a @ kf.B.T
        y = s @ kf.C.T + rng.multivariate_normal(np.zeros(2), kf.Sigma_y, size=n)
        m = m + (y - m @ kf.C.T) @ K.T
    cov = kf.schedule(6)[0][-1]
    assert_allclose(np.cov((s - m).T), cov, atol=0.05 * np.trace(cov))
    assert np.abs((s - m).mean(axis=0)).max() < 4 * np.sqrt(np.trace(cov) / n)


def test_limits_of_the_sensor():
    args = {"A": CART["A"], "B": None, "Sigma_s": NOISE, "m0": [0, 0], "P0": np.eye(2)}
    sharp = lqr.KalmanFilter(C=np.eye(2), Sigma_y=1e-12 * np.eye(2), **args).predict().update([3.0, 4.0])
    assert_allclose(sharp.mean, [3, 4], atol=1e-9)
    useless = lqr.KalmanFilter(C=np.eye(2), Sigma_y=1e12 * np.eye(2), **args).predict().update([3.0, 4.0])
    assert_allclose(useless.cov, CART["A"] @ CART["A"].T + NOISE, atol=1e-9)
    rng = np.random.default_rng(0)                                # a constant measured often: the mean, shrunk
    Y = rng.normal(size=(20, 1))
    constant = lqr.KalmanFilter([[1.0]], None, [[1.0]], [[0.0]], [[1.0]], [0.0], [[1.0]]).filter(Y)
    assert_allclose(constant.means[-1, 0], Y.sum() / 21)


def test_joseph_form_keeps_the_covariance_positive():
    P, C, R = 1e6 * np.array([[1.0, 0.9], [0.9, 1.0]]), np.array([[1.0, 0.0]]), np.array([[1e-12]])
    _, cov, K = lqr.kalman_update(np.zeros(2), P, np.zeros(1), C, R)
    assert_allclose(cov[0, 0], 1e-12)
    assert ((np.eye(2) - K @ C) @ P)[0, 0] <= 0                   # the short form loses it


@pytest.mark.parametrize("seed", range(3))
def test_duality_with_the_regulator(seed):
    rng = np.random.default_rng(seed)
    kf = random_filter(rng)
    mirror = lqr.dare_fixed_point(kf.A.T, kf.C.T, kf.Sigma_s, kf.Sigma_y)
    covs, gains = kf.schedule(300)
    assert_allclose(kf.A @ covs[-1] @ kf.A.T + kf.Sigma_s, -mirror.Phi, rtol=1e-7, atol=1e-9)
    assert_allclose(-(kf.A @ gains[-1]).T, mirror.L, rtol=1e-6, atol=1e-9)
    assert_allclose(-mirror.Phi, solve_discrete_are(kf.A.T, kf.C.T, kf.Sigma_s, kf.Sigma_y), rtol=1e-7)


FILTER = {"A": CART["A"], "B": CART["B"], "C": [[1.0, 0.0]], "Sigma_s": NOISE, "Sigma_y": [[0.1]], "m0": [0, 0], "P0": np.eye(2)}


@pytest.mark.parametrize("change, message", [
    ({"Sigma_y": [[0.0]]}, "Sigma_y must be symmetric positive definite, but its smallest eigenvalue is 0"),
    ({"Sigma_y": np.eye(2)}, r"Sigma_y must have shape \(1, 1\), got \(2, 2\)"),
    ({"Sigma_s": -NOISE}, "Sigma_s must be symmetric positive semidefinite, but its smallest eigenvalue is -0.01"),
    ({"P0": np.diag([1, -0.5])}, "P0 must be symmetric positive semidefinite, but its smallest eigenvalue is -0.5"),
    ({"P0": [[1, 0.2], [0, 1]]}, "P0 must be symmetric, but"),
    ({"C": [[1.0, 0.0, 0.0]]}, r"C must have shape \(any, 2\), got \(1, 3\)"),
    ({"B": np.ones((3, 1))}, r"B must have shape \(2, any\), got \(3, 1\)"),
    ({"m0": [0, 0, 0]}, "m0 must have 2 entries, got 3"),
    ({"A": np.ones((2, 3))}, r"A must have shape \(2, 2\)"),
])
def test_kalman_filter_refuses(change, message):
    with pytest.raises(ValueError, match=message):
        lqr.KalmanFilter(**(FILTER | change))


def test_kalman_filter_refuses_wrong_records():
    kf = lqr.KalmanFilter(**FILTER)
    with pytest.raises(ValueError, match="a must have 1 entries, one per column of B"):
        kf.predict()
    with pytest.raises(ValueError, match=r"actions contains NaN or infinity \(first at index \(0, 0\)\)"):
        kf.filter(np.zeros((3, 1)), np.full((3, 1), np.nan))
    with pytest.raises(ValueError, match="y must have 1 entries, got 2"):
        kf.update([1.0, 2.0])
    with pytest.raises(ValueError, match="actions must hold the 1 numbers of B's columns for each of the 3 steps"):
        kf.filter(np.zeros((3, 1)))
    with pytest.raises(ValueError, match=r"actions must have shape \(3, 1\)"):
        kf.filter(np.zeros((3, 1)), np.zeros((2, 1)))
    with pytest.raises(ValueError, match="T must be an integer >= 1, got 0"):
        kf.schedule(0)
    with pytest.raises(ValueError, match="y must have 2 entries, got 1"):
        lqr.kalman_update(np.zeros(2), np.eye(2), np.zeros(1), np.eye(2), np.eye(2))
    with pytest.raises(ValueError, match="push must have 2 entries, got 3"):
        lqr.kalman_predict(np.zeros(2), np.eye(2), np.eye(2), np.eye(2), push=np.ones(3))
    with pytest.raises(ValueError, match="Sigma_y must be symmetric positive definite, but its smallest eigenvalue is -3"):
        lqr.kalman_update(np.zeros(2), np.eye(2), np.zeros(2), np.eye(2), -3 * np.eye(2))
    with pytest.raises(ValueError, match=r"Y must have shape \(T, 1\)"):
        lqr.batch_condition(kf, np.zeros((3, 2)), np.zeros((3, 1)))


# ---------------------------------------------------------------- LQG

def lqg_problem(C, sd=0.5, T=40):
    solved = lqr.LQR(**CART, T=T, Sigma=NOISE).solve()
    sensor = lqr.KalmanFilter(CART["A"], CART["B"], C, NOISE, sd**2 * np.eye(len(C)), [1.0, 0.0], 0.05 * np.eye(2))
    return lqr.LQG(solved, sensor)


@pytest.mark.parametrize("C", [np.eye(2), np.array([[1.0, 0.0]])])
def test_lqg_value_equals_simulation_and_order_of_controllers(C):
    system = lqg_problem(C)
    mean = {}
    for source in ("state", "belief", "raw"):
        rewards = system.simulate(3, 8000, source).rewards
        mean[source] = rewards.mean()
        if source != "raw":
            assert abs(mean[source] - system.value(source)) < 4 * rewards.std() / np.sqrt(8000)
    assert mean["state"] > mean["belief"] > mean["raw"]


def test_simulated_beliefs_are_those_of_the_filter():
    system = lqg_problem(np.array([[1.0, 0.0]]), T=8)
    runs = system.simulate(5, 2)
    for i in range(2):
        record = system.kf.filter(runs.observations[i], runs.actions[i])
        assert_allclose(record.means, runs.beliefs[i])
        assert_allclose(runs.actions[i, 3], system.lqr.L_[3] @ record.means[3])


def test_the_raw_controller_acts_on_the_last_observation():
    C = np.array([[2.0, 0.0]])                                    # the position doubled; the velocity is taken to be 0
    system = lqg_problem(C, T=8)
    runs = system.simulate(5, 3, "raw")
    assert_allclose(runs.actions[:, 0], np.tile(system.lqr.L_[0] @ [1.0, 0.0], (3, 1)))  # nothing seen yet: the prior mean
    assert_allclose(runs.actions[:, 1:, 0], system.lqr.L_[1:, 0, 0] * runs.observations[:, :-1, 0] / 2)


def test_simulated_gains_are_those_given():
    system = lqg_problem(np.array([[1.0, 0.0]]), T=8)
    half = system.simulate(5, 2, gains=system.lqr.L_ / 2)
    assert_allclose(half.actions, np.einsum("tpd,ntd->ntp", system.lqr.L_, half.beliefs[:, :-1]) / 2)
    assert_array_equal(system.simulate(5, 2, gains=system.lqr.L_).rewards, system.simulate(5, 2).rewards)
    with pytest.raises(ValueError, match=r"gains must have shape \(8, 1, 2\)"):
        system.simulate(gains=np.zeros((8, 2, 2)), n_runs=2)


def test_no_other_gain_is_better_under_uncertainty():
    """Exact values of a = L m + offset by propagating second moments of (state, belief)."""
    system = lqg_problem(np.array([[1.0, 0.0]]), T=15)
    reg, kf = system.lqr, system.kf
    A, B, C = kf.A, kf.B, kf.C
    _, K = kf.schedule(15)

    def value(gains):
        mean, cov = np.tile(kf.m0, 2), np.zeros((4, 4))
        cov[:2, :2] = kf.P0
        total = 0.0
        for t, L in enumerate(gains):
            second = cov + np.outer(mean, mean)
            total -= np.trace(reg.U[t] @ second[:2, :2]) + np.trace(reg.W[t] @ L @ second[2:, 2:] @ L.T)
            F = np.block([[A, B @ L], [K[t] @ C @ A, A + B @ L - K[t] @ C @ A]])
            G = np.block([[np.eye(2), np.zeros((2, 1))], [K[t] @ C, K[t]]])
            noise = np.block([[kf.Sigma_s, np.zeros((2, 1))], [np.zeros((1, 2)), kf.Sigma_y]])
            mean, cov = F @ mean, F @ cov @ F.T + G @ noise @ G.T
        return total - np.trace(reg.U[15] @ (cov + np.outer(mean, mean))[:2, :2])

    assert_allclose(value(reg.L_), system.value(), rtol=1e-9)
    gradient = numerical_gradient(value, reg.L_)
    assert_allclose(gradient, 0, atol=1e-5)
    rng = np.random.default_rng(0)
    for _ in range(10):
        assert value(reg.L_ + 0.3 * rng.normal(size=reg.L_.shape)) < system.value()


def test_price_of_not_seeing_vanishes_with_a_perfect_view():
    system = lqg_problem(np.eye(2), sd=1e-6)
    assert (system.price_of_not_seeing()[1:] < 1e-9).all()
    assert lqg_problem(np.eye(2), sd=1.0).value() < lqg_problem(np.eye(2), sd=0.1).value()


def test_lqg_refuses():
    reg, kf = lqr.LQR(**CART, T=5, Sigma=NOISE).solve(), lqr.KalmanFilter(**FILTER)
    with pytest.raises(ValueError, match="must describe one system that does not change with time, but Sigma differs"):
        lqr.LQG(lqr.LQR(**CART, T=5).solve(), kf)
    with pytest.raises(ValueError, match="but Sigma differs"):        # both are small, and not the same
        lqr.LQG(lqr.LQR(**CART, T=5, Sigma=1e-10 * NOISE).solve(), lqr.KalmanFilter(**(FILTER | {"Sigma_s": 1e-9 * NOISE})))
    with pytest.raises(ValueError, match="but A differs"):
        lqr.LQG(lqr.LQR(**(CART | {"A": np.stack([CART["A"], 2 * CART["A"]])}), T=2, Sigma=NOISE).solve(), kf)
    with pytest.raises(ValueError, match="must describe one system that does not change with time, but B differs"):
        lqr.LQG(reg, lqr.KalmanFilter(**(FILTER | {"B": None})))
    with pytest.raises(ValueError, match="source must be one of 'belief', 'state', 'raw'"):
        lqr.LQG(reg, kf).simulate(source="truth")
    with pytest.raises(ValueError, match="source must be one of 'belief', 'state'"):
        lqr.LQG(reg, kf).value("raw")
    with pytest.raises(ValueError, match="n_runs must be an integer >= 1"):
        lqr.LQG(reg, kf).simulate(n_runs=0)


@pytest.mark.parametrize("size", [1.0, 1e3, 1e6, 1e9])
def test_expansions_keep_their_digits_at_large_coordinates(size):
    A, B, kappa = lqr.linearize(lambda s, a: s**2 + a * s, [size], [size / 2])
    assert_allclose([A[0, 0], B[0, 0], kappa[0]], [2.5 * size, size, -1.5 * size**2], rtol=1e-8)
    U, W, N = lqr.quadratize(lambda s, a: (s**2 + s * a + 3 * a**2)[..., 0], [size], [size / 2])
    assert_allclose([U[1, 1], W[0, 0], N[0, 1]], [1, 3, 0.5], rtol=1e-6)


def test_what_leaves_the_range_of_numbers_is_a_sentence():
    huge, one = [[1e300]], [[1.0]]
    with pytest.raises(ValueError, match="the belief holds numbers beyond"):
        lqr.kalman_predict([1.0], one, huge, one)
    with pytest.raises(ValueError, match="is not a positive definite matrix in floating point"):
        lqr.kalman_update([0.0], one, [1.0], huge, one)
    with pytest.raises(ValueError, match="or Phi is infinite"):
        lqr.riccati_step([[-1.0]], huge, one, one, one)
    with pytest.raises(ValueError, match="beyond the largest"):
        lqr.controllability_matrix(1e300 * np.eye(3), np.ones((3, 1)))
    with pytest.raises(ValueError, match="cost is NaN or infinite"):
        lqr.quadratize(lambda s, a: (s**2)[..., 0], [1e200], [0.0])


@pytest.mark.parametrize("c", [1e-300, 1e-150, 1e150, 1e300])
def test_unreachable_modes_follow_the_units(c):
    A, B = np.array([[0.5, 0.0], [1.0, 2.0]]), np.array([[0.0], [1.0]])
    assert_allclose(lqr.unreachable_modes(A * c, B) / c, [0.5], rtol=1e-12)
    assert_allclose(lqr.unreachable_modes(A, B * c), [0.5], rtol=1e-12)
