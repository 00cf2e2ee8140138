"""Markov decision processes: identities, brute force, independent solvers, limits, and what happens with bad input."""

import itertools
import warnings

import numpy as np
import pytest
from scipy.optimize import linprog, minimize
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor

from mlcore.base import ConvergenceWarning, NotFittedError
from mlcore.control.markov_decision_processes import (
    MDP,
    CartPole,
    CountModel,
    FittedValueIteration,
    GridDiscretizer,
    GridWorld,
    Pendulum,
    action_table,
    bellman_backup,
    discretize_system,
    fit_linear_dynamics,
    gaussian_features,
    greedy_policy,
    model_based_rl,
    modified_policy_iteration,
    noisy_step,
    policy_backup,
    policy_iteration,
    policy_model,
    policy_value,
    q_values,
    value_iteration,
    wrap_angle,
)

HALL = [".......", ".#.#.#.", "S.....G", ".XXXXX."]


def random_mdp(seed=0, S=6, A=3, gamma=0.9):
    rng = np.random.default_rng(seed)
    return MDP(rng.dirichlet(np.ones(S), size=(A, S)), rng.normal(size=(S, A)), gamma)


def hall(slip=0.2, gamma=0.95):
    return GridWorld(HALL, {"G": 10.0, "X": -10.0}, living_reward=-0.1, slip=slip, gamma=gamma)


def sup(v):
    return float(np.abs(v).max())


# ------------------------------------------------------------------------------------------------ the model


@pytest.mark.parametrize(("change", "message"), [
    (lambda P: P * 0.9, r"every row of P must sum to 1, but P\[0, 0\] \(action 0, state 0\) sums to 0.9"),
    (lambda P: P - 2 * P[:, :, ::-1].min(axis=2, keepdims=True) - 0.01, r"P\[\d, \d, \d\] = -.* is negative"),
    (lambda P: P[:, :, :-1], r"shape \(actions, states, states\)"),
    (lambda P: P[0], "P must be 3-D"),
])
def test_bad_transitions_are_named(change, message):
    mdp = random_mdp()
    with pytest.raises(ValueError, match=message):
        MDP(change(mdp.P), mdp.R, 0.9)


def test_the_wrong_row_is_the_one_named():
    P = random_mdp().P.copy()
    P[2, 4] *= 1.5
    with pytest.raises(ValueError, match=r"P\[2, 4\] \(action 2, state 4\) sums to 1.5"):
        MDP(P, np.zeros(6), 0.9)
    P[2, 4] *= (1 + 1e-7) / 1.5                             # the message shows by how much, and the remedy it names works
    with pytest.raises(ValueError, match=r"sums to 1.0000001; for rows that are off by rounding only, pass P / P.sum"):
        MDP(P, np.zeros(6), 0.9)
    MDP(P / P.sum(axis=2, keepdims=True), np.zeros(6), 0.9)


@pytest.mark.parametrize("gamma", [1.0, -0.1, 1.5, np.nan, "0.9", None])
def test_gamma_outside_the_interval_is_refused(gamma):
    mdp = random_mdp()
    with pytest.raises(ValueError, match="gamma must be a number >= 0 and < 1"):
        MDP(mdp.P, mdp.R, gamma)
    with pytest.raises(ValueError, match="gamma must be a number >= 0 and < 1"):
        FittedValueIteration(Pendulum(), reward, np.sin, [0.0], gamma, [[0, 1]])


def test_rewards_of_states_and_of_actions():
    mdp = random_mdp()
    per_state = MDP(mdp.P, np.arange(6.0), 0.9)
    assert per_state.R.shape == (6, 3) and np.ptp(per_state.R, axis=1).max() == 0 and per_state.R[4, 2] == 4
    with pytest.raises(ValueError, match=r"R must have shape \(6,\) or \(6, 3\)"):
        MDP(mdp.P, np.zeros(5), 0.9)
    with pytest.raises(ValueError, match="NaN"):
        MDP(mdp.P, np.full(6, np.nan), 0.9)
    for R in (5.0, np.zeros((6, 3, 1))):
        with pytest.raises(ValueError, match=r"R must have shape \(6,\) or \(6, 3\) to fit P"):
            MDP(mdp.P, R, 0.9)


def test_steps_follow_the_probabilities():
    mdp, rng = random_mdp(), np.random.default_rng(0)
    hits = np.bincount([mdp.step(2, 1, rng)[0] for _ in range(4000)], minlength=6) / 4000
    assert np.abs(hits - mdp.P[1, 2]).max() < 4 * 0.5 / np.sqrt(4000)
    states, actions, rewards = mdp.rollout(np.ones(6, int), 0, 25, rng)
    assert states.shape == (26,) and (actions == 1).all()
    np.testing.assert_array_equal(rewards, mdp.R[states[:-1], 1])
    for s, a, name in ((-1, 0, "state"), (6, 0, "state"), (0.5, 0, "state"), (0, 3, "action"), (0, True, "action")):
        with pytest.raises(ValueError, match=f"{name} must be an integer >= 0 and <="):
            mdp.step(s, a, rng)
    for policy, start, n_steps, message in (([0, 1], 0, 5, "policy must be 6 actions"), ([0.5] * 6, 0, 5, "policy must be 6 actions"),
                                            ([0] * 6, 6, 5, "start must be an integer"), ([0] * 6, 0, 0, "n_steps must be an integer")):
        with pytest.raises(ValueError, match=message):
            mdp.rollout(policy, start, n_steps, rng)


def test_grid_world_moves_slips_and_exits():
    world = GridWorld(["..", "S#", "G."], {"G": 5.0}, living_reward=-1.0, slip=0.4, gamma=0.9)
    up, right, down = 0, 1, 2
    s, top, goal = world.start, world.index[0, 0], world.index[2, 0]
    assert world.end == world.n_states - 1 == 5
    assert np.isclose(world.P[up, s, top], 0.6) and np.isclose(world.P[up, s, s], 0.4)          # both sides are blocked
    assert np.isclose(world.P[right, s, s], 0.6) and np.isclose(world.P[right, s, top], 0.2) and np.isclose(world.P[right, s, goal], 0.2)
    assert (world.P[:, goal, world.end] == 1).all() and (world.P[:, world.end, world.end] == 1).all()
    assert world.R[goal, 0] == 5 and world.R[world.end, 0] == 0 and world.R[s, down] == -1
    picture = world.on_grid(np.arange(6.0))
    assert np.isnan(picture[1, 1]) and picture[2, 0] == world.index[2, 0]
    with pytest.raises(ValueError, match="values must be 6 numbers"):
        world.on_grid(np.arange(5.0))


@pytest.mark.parametrize(("rows", "message"), [
    (["..", "."], "rows must be strings of one length"), ([], "rows must be strings"), (["S?"], r"square \(0, 1\) is '\?'"),
    ("S.G", "rows must be a list of strings"), (["##"], "walls only"), (["S.", ".S"], "2 starts 'S'")])
def test_grid_world_refuses_bad_maps(rows, message):
    with pytest.raises(ValueError, match=message):
        GridWorld(rows, {"G": 1.0})


@pytest.mark.parametrize(("options", "message"), [
    ({"exits": [1.0]}, "exits must be a dict"), ({"exits": {"#": 1.0}}, "one character other than '.', '#' and 'S', got '#'"),
    ({"exits": {"Goal": 1.0}}, "one character other"), ({"exits": {"G": None}}, r"exits\['G'\] must be a number"),
    ({"living_reward": np.inf}, "living_reward must be a number"), ({"slip": 1.5}, "slip must be")])
def test_grid_world_refuses_bad_rewards(options, message):
    with pytest.raises(ValueError, match=message):
        GridWorld(["S.G"], **{"exits": {"G": 1.0}, **options})


# --------------------------------------------------------------------------------- backups and policy values


def test_backup_by_its_definition():
    mdp, V = random_mdp(), np.random.default_rng(1).normal(size=6)
    for s, a in itertools.product(range(6), range(3)):
        by_hand = mdp.R[s, a] + 0.9 * sum(mdp.P[a, s, t] * V[t] for t in range(6))
        assert np.isclose(q_values(mdp, V)[s, a], by_hand)
    np.testing.assert_allclose(bellman_backup(mdp, V), q_values(mdp, V).max(axis=1))
    pi = greedy_policy(mdp, V)
    np.testing.assert_allclose(policy_backup(mdp, pi, V), bellman_backup(mdp, V))
    with pytest.raises(ValueError, match="V has 5 values, but the MDP has 6 states"):
        bellman_backup(mdp, V[:5])


@pytest.mark.parametrize("gamma", [0.0, 0.5, 0.99])
def test_backup_contracts_is_monotone_and_shifts(gamma):
    mdp, rng = random_mdp(gamma=gamma), np.random.default_rng(2)
    for _ in range(50):
        V, W = rng.normal(size=(2, 6))
        assert sup(bellman_backup(mdp, V) - bellman_backup(mdp, W)) <= gamma * sup(V - W) + 1e-12
        assert (bellman_backup(mdp, np.maximum(V, W)) >= bellman_backup(mdp, V) - 1e-12).all()
        np.testing.assert_allclose(bellman_backup(mdp, V + 3), bellman_backup(mdp, V) + 3 * gamma, atol=1e-12)


def test_policy_value_by_series_and_by_simulation():
    mdp, pi = random_mdp(3), np.array([0, 2, 1, 1, 0, 2])
    P, R = policy_model(mdp, pi)
    series, power = np.zeros(6), R.copy()
    for _ in range(400):
        series, power = series + power, 0.9 * P @ power
    np.testing.assert_allclose(policy_value(mdp, pi), series, atol=1e-10)
    rng = np.random.default_rng(0)
    returns = [0.9 ** np.arange(100) @ mdp.rollout(pi, 4, 100, rng)[2] for _ in range(400)]
    assert abs(np.mean(returns) - series[4]) < 4 * np.std(returns) / 20


def test_stochastic_policy_mixes_the_deterministic_chains():
    mdp, rng = random_mdp(4), np.random.default_rng(1)
    probabilities = rng.dirichlet(np.ones(3), size=6)
    P, R = policy_model(mdp, probabilities)
    np.testing.assert_allclose(P, sum(probabilities[:, [a]] * mdp.P[a] for a in range(3)))
    V = policy_value(mdp, probabilities)
    np.testing.assert_allclose(V, R + 0.9 * P @ V)
    np.testing.assert_allclose(policy_value(mdp, np.eye(3)[[0, 1, 2, 0, 1, 2]]), policy_value(mdp, [0, 1, 2, 0, 1, 2]))


@pytest.mark.parametrize("pi", [[0, 0, 0, 0, 0, 3], [0, 0], [0.0] * 6, [-1] * 6, np.full((6, 3), 0.5)])
def test_bad_policies_are_refused(pi):
    with pytest.raises(ValueError, match="a policy is 6 actions in 0..2"):
        policy_value(random_mdp(), np.array(pi))
    for solve in (lambda: policy_iteration(random_mdp(), policy=pi), lambda: greedy_policy(random_mdp(), np.zeros(6), old=pi),
                  lambda: modified_policy_iteration(random_mdp(), 3, policy=pi)):
        with pytest.raises(ValueError, match="the policy must be 6 actions in 0..2, one per state"):
            solve()


@pytest.mark.parametrize(("pi", "message"), [
    ([0, 1, 2, 0, 3, 0], "got action 3 in state 4"), ([0, -1, 2, 0, 3, 0], "got action -1 in state 1"), ([0, 1], r"got shape \(2,\)"),
    ([0.0] * 6, "of type float64"), ([[1, 0, 0]] * 5 + [[0.5, 0.2, 0.2]], r"got the row \[0.5, 0.2, 0.2\] in state 5"),
    ([[1.5, -0.5, 0]] + [[1, 0, 0]] * 5, r"got the row \[1.5, -0.5, 0.0\] in state 0"),
    ([[1, 0, 0]] * 3 + [[np.nan, 0, 0]] * 3, r"got the row \[nan, 0.0, 0.0\] in state 3")])
def test_the_wrong_entry_of_a_policy_is_the_one_named(pi, message):
    with pytest.raises(ValueError, match=message):
        policy_value(random_mdp(), pi)


# ------------------------------------------------------------------------------------------------ the solvers


@pytest.mark.parametrize("seed", range(4))
def test_all_solvers_agree_with_brute_force(seed):
    mdp = random_mdp(seed, S=4)
    every = np.array([policy_value(mdp, np.array(pi)) for pi in itertools.product(range(3), repeat=4)])
    best = every.max(axis=0)
    assert np.isclose(every, best).all(axis=1).any(), "one policy attains the best value from all states"
    for solution in (value_iteration(mdp), value_iteration(mdp, mode="async"), policy_iteration(mdp), modified_policy_iteration(mdp, 7),
                     modified_policy_iteration(mdp, np.inf)):
        assert solution.converged and len(solution.history) == solution.n_iter
        np.testing.assert_allclose(solution.V, best, atol=1e-8)
        np.testing.assert_allclose(policy_value(mdp, solution.policy), best, atol=1e-8)


@pytest.mark.parametrize("mdp", [random_mdp(9, S=12, A=4), hall(), hall(slip=0.0, gamma=0.5)], ids=["random", "hall", "dry hall"])
def test_linear_programming_finds_the_same_values(mdp):
    lhs = np.vstack([mdp.gamma * P - np.eye(mdp.n_states) for P in mdp.P])
    program = linprog(np.ones(mdp.n_states), A_ub=lhs, b_ub=-mdp.R.T.ravel(), bounds=(None, None))
    np.testing.assert_allclose(value_iteration(mdp).V, program.x, atol=1e-6)


@pytest.mark.parametrize("gamma", [0.3, 0.9, 0.99])
@pytest.mark.parametrize("tol", [1.0, 1e-2, 1e-6])
@pytest.mark.parametrize("mode", ["sync", "async"])
def test_stop_test_keeps_its_promise(gamma, tol, mode):
    for seed in range(3):
        mdp = random_mdp(seed, gamma=gamma)
        exact = policy_iteration(mdp).V
        assert sup(value_iteration(mdp, tol=tol, mode=mode).V - exact) <= tol
        assert sup(modified_policy_iteration(mdp, 4, tol=tol).V - exact) <= tol


def test_a_change_below_the_tolerance_alone_would_not():
    mdp = MDP([[[1.0]]], [1.0], 0.99)                  # V_t = 1 + gamma + ..., the worst case
    naive = value_iteration(mdp, tol=0.01 * 0.99 / 0.01)                           # stops when the change is below 0.01
    assert naive.history[-1] < 0.01 < 0.9 < 100 - naive.V[0]


def test_error_falls_by_gamma_in_every_sweep_of_any_order():
    world = hall()
    exact, rng = policy_iteration(world).V, np.random.default_rng(0)
    orders = [None, np.arange(world.n_states)[::-1], np.r_[rng.permutation(world.n_states), 3, 3]]
    runs = [value_iteration(world, keep_iterates=True)]
    runs += [value_iteration(world, mode="async", order=order, keep_iterates=True) for order in orders]
    for run in runs:
        errors = np.abs(run.iterates - exact).max(axis=1)
        assert (errors[1:] <= world.gamma * errors[:-1] + 1e-11).all()
        assert run.iterates.shape == (run.n_iter + 1, world.n_states)


def test_greedy_policy_of_a_near_value_is_near_optimal():
    mdp, rng = random_mdp(5, S=10), np.random.default_rng(3)
    exact = policy_iteration(mdp).V
    for _ in range(30):
        V = exact + rng.uniform(-0.3, 0.3, size=10)
        loss = sup(policy_value(mdp, greedy_policy(mdp, V)) - exact)
        assert loss <= 2 * 0.9 * sup(V - exact) / 0.1 + 1e-9


def test_value_iteration_is_exact_on_a_one_way_corridor():
    run = value_iteration(GridWorld(["S...G"], {"G": 1.0}, slip=0.0, gamma=0.9), keep_iterates=True)
    np.testing.assert_array_equal(run.iterates[5], run.iterates[-1])
    np.testing.assert_allclose(run.V[:5], 0.9 ** np.arange(4, -1, -1))


def test_gamma_zero_is_solved_at_once():
    mdp = random_mdp(gamma=0.0)
    assert value_iteration(mdp).n_iter == 1
    np.testing.assert_allclose(value_iteration(mdp).V, mdp.R.max(axis=1))


def test_history_is_the_change_of_the_iterates():
    mdp = random_mdp(7, S=30, A=5, gamma=0.95)
    for run in (value_iteration(mdp, keep_iterates=True), value_iteration(mdp, mode="async", keep_iterates=True),
                modified_policy_iteration(mdp, 3, keep_iterates=True), modified_policy_iteration(mdp, np.inf, keep_iterates=True)):
        np.testing.assert_allclose(run.history, np.abs(np.diff(run.iterates, axis=0)).max(axis=1), atol=1e-12)
        assert run.iterates.shape == (run.n_iter + 1, 30) and (run.iterates[0] == 0).all()
    run = policy_iteration(mdp, keep_iterates=True)
    assert run.n_iter > 2
    np.testing.assert_allclose(run.history[1:], np.abs(np.diff(run.iterates, axis=0)).max(axis=1), atol=1e-12)


def test_start_and_arguments_of_value_iteration():
    mdp = random_mdp()
    exact = policy_iteration(mdp).V
    assert value_iteration(mdp, V=exact, tol=1e-6).n_iter == 1
    start = np.ones(6)
    value_iteration(mdp, V=start, mode="async")
    assert (start == 1).all(), "the caller's V is left alone"
    for options, message in (({"mode": "both"}, "mode must be one of"), ({"order": [0, 1]}, "only with mode='async'"),
                             ({"mode": "async", "order": [0, 1]}, "must name every state"), ({"tol": 0.0}, "tol must be"),
                             ({"V": np.zeros(3)}, "V has 3 values"), ({"max_iter": 0}, "max_iter must be")):
        with pytest.raises(ValueError, match=message):
            value_iteration(mdp, **options)
    with pytest.warns(ConvergenceWarning, match="value_iteration did not converge in 3 iterations"):
        assert not value_iteration(mdp, max_iter=3).converged


def test_policy_iteration_never_gets_worse_and_contracts():
    mdp = random_mdp(7, S=30, A=5, gamma=0.95)
    exact = policy_iteration(mdp).V
    for seed in range(5):
        run = policy_iteration(mdp, policy=np.random.default_rng(seed).integers(5, size=30), keep_iterates=True)
        errors = np.abs(run.iterates - exact).max(axis=1)
        assert run.iterates.shape == (run.n_iter, 30)
        assert (np.diff(run.iterates, axis=0) >= -1e-10).all() and (errors[1:] <= 0.95 * errors[:-1] + 1e-10).all()
        assert run.n_iter < 12 and errors[-1] < 1e-10


def test_ties_keep_the_old_action_and_stop():
    twins = MDP(np.repeat(random_mdp().P[:1], 3, axis=0), np.arange(6.0), 0.9)       # three actions that do the same
    old = np.array([2, 1, 0, 2, 1, 0])
    np.testing.assert_array_equal(greedy_policy(twins, np.arange(6.0), old=old), old)
    np.testing.assert_array_equal(greedy_policy(twins, np.arange(6.0)), np.zeros(6, int))
    run = policy_iteration(twins, policy=old)
    assert run.n_iter == 1 and run.converged
    np.testing.assert_array_equal(run.policy, old)


@pytest.mark.parametrize("unit", [1e-100, 1e-12, 1e-3, 1e6, 1e100])
def test_the_unit_of_the_rewards_changes_no_policy(unit):
    mdp = random_mdp(1)
    scaled, start = MDP(mdp.P, unit * mdp.R, mdp.gamma), policy_iteration(mdp)
    run = policy_iteration(scaled)
    assert run.n_iter == start.n_iter > 1
    np.testing.assert_array_equal(run.policy, start.policy)
    np.testing.assert_allclose(run.V, unit * start.V, rtol=1e-9)


def test_small_differences_are_no_ties_beside_large_values():
    """Two islands with values around 1e9 and 1: the actions of the second differ by 0.01."""
    mdp = MDP(np.tile(np.eye(2), (2, 1, 1)), [[1e8, 1e8 - 1], [0.1, 0.11]], 0.9)
    run = policy_iteration(mdp, policy=[1, 0])
    np.testing.assert_array_equal(run.policy, [0, 1])
    np.testing.assert_allclose(run.V, [1e9, 1.1])


@pytest.mark.parametrize("mdp", [random_mdp(1), hall()], ids=["random", "hall"])
def test_modified_policy_iteration_between_its_limits(mdp):
    swept = value_iteration(mdp, keep_iterates=True).iterates
    one = modified_policy_iteration(mdp, 1, keep_iterates=True).iterates
    n = min(len(one), len(swept))
    np.testing.assert_allclose(one[:n], swept[:n], atol=1e-8)
    exact = policy_iteration(mdp)
    infinite, many = modified_policy_iteration(mdp, np.inf), modified_policy_iteration(mdp, 2000)
    np.testing.assert_allclose(infinite.V, exact.V, atol=1e-9)
    assert many.n_iter == infinite.n_iter <= exact.n_iter + 1


def test_modified_policy_iteration_is_ahead_of_value_iteration_from_below():
    mdp = random_mdp(2, S=10)
    start = np.full(10, mdp.R.min() / 0.1)                                 # B V0 >= V0
    exact = policy_iteration(mdp).V
    swept = value_iteration(mdp, V=start, keep_iterates=True).iterates
    for k in (2, 5):
        ours = modified_policy_iteration(mdp, k, V=start, keep_iterates=True).iterates
        n = min(len(ours), len(swept))
        assert (ours[:n] >= swept[:n] - 1e-9).all() and (ours <= exact + 1e-9).all()


def test_cold_start_keeps_the_error_of_its_horizon():
    mdp = random_mdp(3)
    exact = policy_iteration(mdp).V
    for k in (1, 5, 20):
        with pytest.warns(ConvergenceWarning, match="start warm"):
            cold = modified_policy_iteration(mdp, k, warm_start=False, max_iter=100)
        assert not cold.converged and 0.9**k * 0.2 * sup(exact) < sup(cold.V - exact) < 0.9**k * 2 * 10 * sup(mdp.R)
    np.testing.assert_allclose(modified_policy_iteration(mdp, 400, warm_start=False).V, exact, atol=1e-8)


def test_work_counts_backups_of_one_action():
    mdp = random_mdp(A=5)
    sweeps = value_iteration(mdp)
    assert sweeps.work == 5 * sweeps.n_iter
    run = modified_policy_iteration(mdp, 4)
    assert run.work == run.n_iter * (5 + 3)
    for k in (0, 2.5, -1):
        with pytest.raises(ValueError, match="k must be an integer >= 1"):
            modified_policy_iteration(mdp, k)


# ------------------------------------------------------------------------------------------------ learning a model


def test_counts_are_frequencies_and_mean_rewards():
    model = CountModel(3, 2)
    for s, a, r, s2 in [(0, 0, 1.0, 1), (0, 0, 3.0, 2), (0, 0, 2.0, 1), (1, 1, -1.0, 0)]:
        model.update(s, a, r, s2)
    mdp = model.to_mdp(0.9)
    np.testing.assert_allclose(mdp.P[0, 0], [0, 2 / 3, 1 / 3])
    assert mdp.R[0, 0] == 2 and mdp.R[1, 1] == -1 and mdp.R[2, 0] == 5 / 4            # unvisited: mean of all rewards
    np.testing.assert_allclose(mdp.P[1, 2], np.full(3, 1 / 3))
    batch = CountModel(3, 2)
    batch.update([0, 0, 0, 1], [0, 0, 0, 1], [1.0, 3.0, 2.0, -1.0], [1, 2, 1, 0])
    np.testing.assert_array_equal(batch.counts, model.counts)
    np.testing.assert_array_equal(batch.reward_sums, model.reward_sums)


def test_unvisited_pairs_are_a_choice():
    model = CountModel(2, 2)
    model.update(0, 0, 1.0, 1)
    with pytest.raises(ValueError, match=r"3 of 4 pairs .* first \(0, 1\)"):
        model.to_mdp(0.9, unvisited="error")
    hopeful = model.to_mdp(0.9, unvisited="optimistic", optimism=2.0)
    np.testing.assert_allclose(value_iteration(hopeful).V, [20, 20], atol=1e-6)        # optimism / (1 - gamma)
    strict = model.to_mdp(0.9, unvisited="optimistic", optimism=2.0, known=2)
    assert strict.R[0, 0] == 2 and strict.P[0, 0, 0] == 1                               # seen once is not known yet
    with pytest.raises(ValueError, match="optimism must be a number"):
        model.to_mdp(0.9, unvisited="optimistic")
    with pytest.raises(ValueError, match="unvisited must be one of"):
        model.to_mdp(0.9, unvisited="zero")
    empty = CountModel(2, 2).to_mdp(0.5)
    assert (empty.P == 0.5).all() and (empty.R == 0).all()


@pytest.mark.parametrize("bad", [(2, 0, 0.0, 0), (0, 2, 0.0, 0), (0, 0, 0.0, -1), (0.5, 0, 0.0, 0)])
def test_transitions_outside_the_model_are_refused(bad):
    with pytest.raises(ValueError, match="must be whole numbers in 0..1"):
        CountModel(2, 2).update(*bad)
    model = CountModel(2, 2)
    for r, message in (([1.0, np.nan], "r contains NaN or infinity"), ("much", "r must be .* got the text 'much'")):
        with pytest.raises(ValueError, match=message):
            model.update([0, 1], [0, 0], r, [1, 0])
    with pytest.raises(ValueError, match="must have one shape"):
        model.update([0, 1], [0], [1.0, 2.0], [1, 0])
    assert model.counts.sum() == 0, "a refused transition leaves no trace"


def test_model_error_bounds_value_error():
    true, rng = random_mdp(6), np.random.default_rng(0)
    exact = policy_iteration(true).V
    for n in (5, 50, 500):
        model = CountModel(6, 3)
        for s, a in itertools.product(range(6), range(3)):
            model.update(np.full(n, s), np.full(n, a), true.R[s, a], rng.choice(6, n, p=true.P[a, s]))
        learned = model.to_mdp(0.9, unvisited="error")
        off = np.abs(learned.P - true.P).sum(axis=2).max()
        found = policy_iteration(learned)
        worth = policy_value(true, found.policy)
        assert sup(found.V - exact) <= 0.9 * off * sup(exact) / 0.1 + 1e-9
        assert sup(exact - worth) <= 0.9 * off * (sup(exact) + sup(worth)) / 0.1 + 1e-9
    assert off < 0.25


def test_optimism_explores_and_greed_gets_stuck():
    shop = GridWorld(["n......", "..##.#.", "S..#..F"], {"n": 1.0, "F": 10.0}, living_reward=-0.02, slip=0.1, gamma=0.95)
    best = policy_iteration(shop).V[shop.start]
    for seed in (0, 1):
        greedy = model_based_rl(shop, 50, 40, start=shop.start, rng=seed)
        curious = model_based_rl(shop, 50, 40, explore="optimistic", optimism=1.0, start=shop.start, rng=seed)
        assert policy_value(shop, greedy.policy)[shop.start] < 0.2 * best < 0.9 * best < policy_value(shop, curious.policy)[shop.start]
        assert curious.coverage[-1] > 0.8 > 0.5 > greedy.coverage[-1] and (np.diff(curious.coverage) >= 0).all()


def test_warm_start_saves_sweeps_and_runs_repeat():
    world = hall()
    runs = [model_based_rl(world, 25, 30, explore="epsilon", epsilon=0.5, warm_start=warm, rng=4) for warm in (True, False, True)]
    assert runs[0].sweeps[1:].sum() < runs[1].sweeps[1:].sum()
    np.testing.assert_array_equal(runs[0].returns, runs[2].returns)
    np.testing.assert_allclose(runs[0].V, runs[1].V, atol=1)
    for options, message in (({"explore": "never"}, "explore must be one of"), ({"explore": "optimistic"}, "optimism must be a number"),
                             ({"start": 99}, "start must be an integer"),
                             ({"known": 0}, "known must be an integer >= 1")):
        with pytest.raises(ValueError, match=message):
            model_based_rl(world, 5, 5, **options)


# ------------------------------------------------------------------------------------------------ continuous states


def test_discretizer_is_a_partition():
    grid, rng = GridDiscretizer([[0, 2], [-1, 1], [5, 6]], (3, 4, 2)), np.random.default_rng(0)
    cells = np.arange(grid.n_cells)
    assert grid.n_cells == 24
    np.testing.assert_array_equal(grid.index(grid.center(cells)), cells)
    for _ in range(20):
        np.testing.assert_array_equal(grid.index(grid.sample(cells, rng)), cells)
    assert grid.index([9.0, 9.0, 9.0]) == grid.index([1.99, 0.99, 5.99]) == 23          # outside: the nearest cell
    assert grid.index([1e100, 1e100, 1e100]) == 23 and grid.index([-1e100, -1e100, -1e100]) == 0       # larger than any int
    circle = GridDiscretizer([[-np.pi, np.pi]], 8, wrap=(0,))
    assert circle.index([np.pi + 0.1]) == circle.index([-np.pi + 0.1]) == 0
    state = np.array([[7.0]])
    circle.index(state)
    assert state[0, 0] == 7.0


@pytest.mark.parametrize(("arguments", "message"), [
    (([[1, 0]], 3), "low < high"), (([[0, 1], [0, 1]], (3,)), "bins must be one integer or 2"), (([[0, 1]], 0), "bins must be an integer"),
    (([[0, 1]], 3, (1,)), r"wrap must be a list of axes in 0..0, got \(1,\)"), (([[0, 1]], 3, "x"), "wrap must be a list of axes"),
    (([[0, 1]], 3, 0), "wrap must be a list of axes"), (([[0, 1]], 2.5), "bins must be an integer"), (([[0, 1, 2]], 3), "low < high")])
def test_discretizer_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        GridDiscretizer(*arguments)
    for state, refusal in (([np.nan], "s contains NaN or infinity"), ([0.5, 0.5], "a state must be 1 finite numbers")):
        with pytest.raises(ValueError, match=refusal):
            GridDiscretizer([[0, 1]], 3).index(state)
    for cell in (3, -1, 0.5):
        with pytest.raises(ValueError, match="a cell must be an integer in 0..2"):
            GridDiscretizer([[0, 1]], 3).center(cell)


def test_the_curse_of_dimensionality_is_counted_and_refused():
    assert GridDiscretizer([[0, 1]] * 10, 100).n_cells == 10**20                        # more than 64 bits hold
    with pytest.raises(ValueError, match=r"100,000,000 cells and 1 actions need a P of 80,000,000.0 GB"):
        discretize_system(Shift(), lambda s, a: 0.0, [0.0], GridDiscretizer([[0, 1]] * 4, 100), 1, 0.9)


def reward(s, a):
    return -(np.asarray(s) ** 2).sum(axis=-1)


class Shift:
    """The next state is s + a, in any dimension."""

    def step(self, s, a):
        return np.asarray(s, float) + a


def test_discretized_shift_has_the_exact_probabilities():
    grid = GridDiscretizer([[0, 4]], 4)
    mdp = discretize_system(Shift(), lambda s, a: s[..., 0] + a[..., 0], [0.25, 1.0], grid, 4000, 0.9, rng=0)
    np.testing.assert_allclose(mdp.P[0, :3, 1:].diagonal(), 0.25, atol=0.03)            # a quarter of a cell moves on
    np.testing.assert_allclose(mdp.P[1, 0], [0, 1, 0, 0])
    np.testing.assert_allclose(mdp.R[:, 0], np.arange(4) + 0.75, atol=0.02)
    center = discretize_system(Shift(), lambda s, a: 0.0 * s[..., 0], [0.25], grid, 1, 0.9)
    np.testing.assert_array_equal(center.P[0], np.eye(4))                               # from the center it never leaves


def test_terminal_states_are_absorbing_and_free():
    grid = GridDiscretizer([[0, 4]], 4)
    mdp = discretize_system(Shift(), lambda s, a: 1.0 + 0 * s[..., 0], [1.0], grid, 50, 0.5, rng=0, terminal=lambda s: s[..., 0] > 3)
    assert mdp.n_states == 5 and (mdp.P[:, 3:, 4] == 1).all() and (mdp.R[3:] == 0).all()
    np.testing.assert_allclose(policy_value(mdp, np.zeros(5, int)), [1.75, 1.5, 1, 0, 0])


def test_a_cell_cut_by_the_end_counts_its_living_part_only():
    """A run is never in a state where it has ended, so such states neither pay nor move."""
    grid = GridDiscretizer([[0, 4]], 4)

    def make(edge):
        return discretize_system(Shift(), lambda s, a: s[..., 0], [-1.0], grid, 4000, 0.5, rng=0, terminal=lambda s: s[..., 0] > edge)

    for edge, middle in ((3.4, 3.2), (3.8, 3.4)):           # of the living part; the center of the cell, 3.5, is dead and then alive
        mdp = make(edge)
        np.testing.assert_allclose(mdp.R[:, 0], [0.5, 1.5, 2.5, middle, 0], atol=0.02)
        np.testing.assert_allclose(mdp.P[0, 3], [0, 0, 1, 0, 0])
    with pytest.raises(ValueError, match=r"terminal\(s\) must give True or False .* shape \(80,\); got type int64 and shape \(3,\)"):
        discretize_system(Shift(), reward, [0.0], grid, 20, 0.5, terminal=lambda s: np.array([1, 0, 1]))
    mdp = make(2.0)                                          # two cells wholly beyond the end
    assert (mdp.R[2:] == 0).all() and (mdp.P[0, 2:, 4] == 1).all()


def test_pendulum_swings_up_on_a_grid_and_by_regression():
    pendulum, torques, box = Pendulum(max_torque=4.0), np.array([-4.0, 0.0, 4.0]), [[-np.pi, np.pi], [-8, 8]]

    def height(s, a):
        return np.cos(s[..., 0]) - 0.01 * s[..., 1] ** 2 - 0.001 * a[..., 0] ** 2

    grid = GridDiscretizer(box, 25, wrap=(0,))
    cells = discretize_system(pendulum, height, torques, grid, 20, 0.97, rng=0)
    plan = modified_policy_iteration(cells, 20, tol=0.01).policy
    spots = GridDiscretizer(box, (8, 7), wrap=(0,))
    phi = gaussian_features(spots.center(np.arange(56)), spots.widths, wrap=(0,))
    fitted = FittedValueIteration(pendulum, height, phi, torques, 0.97, box, n_states=1000, n_iter=60, random_state=0).fit()
    for act in (lambda s: torques[plan[grid.index(s)]][:, None], fitted.act):
        s, up = np.column_stack([np.pi + np.linspace(-0.4, 0.4, 8), np.zeros(8)]), []
        for _ in range(300):
            s = pendulum.step(s, act(s))
            up.append(np.cos(s[:, 0]) > 0.9)
        assert np.mean(up[-100:]) > 0.8 and np.mean(up[:30]) == 0


def test_mechanics_of_the_systems():
    """Without friction and force both systems keep their energy, up to the time step."""
    pendulum, s = Pendulum(friction=0.0, dt=1e-3), np.array([2.0, 0.0])
    for _ in range(3000):
        s = pendulum.step(s, 0.0)
    assert abs(0.5 * s[1] ** 2 + 9.8 * np.cos(s[0]) - 9.8 * np.cos(2.0)) < 0.02

    def energy(s, m=0.1, M=1.0, g=9.8):
        _, v, theta, omega = s
        return 0.5 * (M + m) * v**2 + m * v * omega * np.cos(theta) + 0.5 * m * omega**2 + m * g * np.cos(theta)

    cart, s = CartPole(dt=1e-4), np.array([0.0, 0.3, 0.4, 0.0])
    before = energy(s)
    for _ in range(10_000):
        s = cart.step(s, 0.0)
    assert abs(energy(s) - before) < 1e-3 and abs(s[2] - 0.4) > 0.5
    assert cart.fallen([3.0, 0, 0, 0]) and cart.fallen([0, 0, 0.3, 0]) and not cart.fallen([0, 0, 0.1, 0])
    assert np.isclose(wrap_angle(7.0), 7 - 2 * np.pi) and -np.pi <= wrap_angle(np.pi) < np.pi


def test_systems_refuse_wrong_shapes_and_clip():
    with pytest.raises(ValueError, match="a state has 2 numbers and an action 1"):
        Pendulum().step([0.0, 0.0, 0.0], [0.0])
    np.testing.assert_allclose(Pendulum(max_torque=1).step([0, 0], 50.0), Pendulum().step([0, 0], 1.0))
    np.testing.assert_allclose(CartPole(max_force=1).step([0, 0, 0, 0], 50.0), CartPole().step([0, 0, 0, 0], 1.0))
    with pytest.raises(ValueError, match="as many actions as states"):
        Pendulum().step(np.zeros((3, 2)), np.zeros((4, 1)))
    with pytest.raises(ValueError, match="a state has 4 numbers"):
        CartPole().fallen([0.0, 0.0])
    with pytest.raises(ValueError, match="standard deviations >= 0"):
        noisy_step(Pendulum(), [0, 0], 0.0, noise=-1.0)
    with pytest.raises(ValueError, match="noise must be one number or 2 of them"):
        noisy_step(Pendulum(), [0, 0], 0.0, noise=[0.1, 0.1, 0.1])
    assert action_table([1, 2]).shape == (2, 1) and action_table([[1, 2]]).shape == (1, 2)


def linear_trials(rng, A, B, noise, n=30, T=20):
    trials = []
    for _ in range(n):
        actions, states = rng.normal(size=(T, B.shape[1])), [rng.normal(size=len(A))]
        for a in actions:
            states.append(A @ states[-1] + B @ a + noise * rng.normal(size=len(A)))
        trials.append((np.array(states), actions))
    return trials


def test_linear_dynamics_are_recovered():
    rng = np.random.default_rng(0)
    A, B = np.array([[0.9, 0.2], [-0.1, 0.8]]), np.array([[0.0, 1.0], [0.5, -0.3]])
    exact = fit_linear_dynamics(linear_trials(rng, A, B, 0.0, n=3))
    np.testing.assert_allclose(exact[0], A, atol=1e-10)
    np.testing.assert_allclose(exact[1], B, atol=1e-10)
    noisy = linear_trials(rng, A, B, 0.3)
    A_hat, B_hat, Sigma = fit_linear_dynamics(noisy)
    assert sup(A_hat - A) < 0.05 and sup(B_hat - B) < 0.06
    np.testing.assert_allclose(Sigma, 0.09 * np.eye(2), atol=0.02)
    X = np.vstack([np.hstack([s[:-1], a]) for s, a in noisy])
    Y = np.vstack([s[1:] for s, _ in noisy])
    np.testing.assert_allclose(np.hstack([A_hat, B_hat]).T, np.linalg.solve(X.T @ X, X.T @ Y), atol=1e-9)


def test_unsquared_norm_shrugs_off_outliers():
    rng = np.random.default_rng(1)
    A, B = np.array([[0.9, 0.2], [-0.1, 0.8]]), np.array([[0.0], [1.0]])
    trials = [(s + 20 * (rng.random((len(s), 1)) < 0.03), a) for s, a in linear_trials(rng, A, B, 0.1)]
    squared = sup(fit_linear_dynamics(trials)[0] - A)
    unsquared, B_hat, _ = fit_linear_dynamics(trials, squared=False)
    assert sup(unsquared - A) < 0.5 * squared
    X, Y = np.vstack([np.hstack([s[:-1], a]) for s, a in trials]), np.vstack([s[1:] for s, _ in trials])

    def total(theta):
        return np.linalg.norm(Y - X @ theta.reshape(3, 2), axis=1).sum()

    ours = np.hstack([unsquared, B_hat]).T
    library = minimize(total, ours.ravel() + 0.01, method="BFGS", options={"maxiter": 500})
    assert abs(total(ours) - library.fun) < 1e-5 * library.fun, "another minimizer finds the same least sum of norms"
    for unit in (1e-12, 1e9):
        scaled = fit_linear_dynamics([(unit * s, unit * a) for s, a in trials], squared=False)
        np.testing.assert_allclose(scaled[0], unsquared, atol=1e-5, err_msg="the unit of the states does not matter")
    with pytest.warns(ConvergenceWarning, match="fit_linear_dynamics did not converge in 3 rounds"):
        fit_linear_dynamics(trials, squared=False, max_iter=3)
    np.testing.assert_allclose(fit_linear_dynamics(linear_trials(rng, A, B, 0.0), squared=False)[0], A, atol=1e-10)     # residuals of 0


def test_dynamics_with_features_and_bad_trajectories():
    rng = np.random.default_rng(2)
    states = [np.array([0.5])]
    actions = rng.normal(size=(50, 1))
    for a in actions:
        states.append(0.5 * np.sin(states[-1]) + a**2)
    A, B, _ = fit_linear_dynamics([(np.array(states), actions)], phi_s=np.sin, phi_a=lambda a: a**2)
    np.testing.assert_allclose([A[0, 0], B[0, 0]], [0.5, 1.0], atol=1e-8)
    with pytest.raises(ValueError, match="T actions join T \\+ 1 states"):
        fit_linear_dynamics([(np.zeros((5, 1)), np.zeros((5, 1)))])
    for features in ({"phi_s": lambda s: s[:3]}, {"phi_a": lambda a: np.vstack([a, a])}):
        with pytest.raises(ValueError, match="a row per transition; trajectory 0 has 50, got"):
            fit_linear_dynamics([(np.array(states), actions)], **features)
    with pytest.raises(ValueError, match="do not determine A and B"):
        fit_linear_dynamics([(np.array(states), np.zeros(50))])
    for trials, message in (([], "trajectories is empty"), (5, "trajectories must be a list of pairs"),
                            ([np.ones((3, 2))], r"trajectory 0 must be a pair \(states, actions\), got ndarray"),
                            ([(np.array(states), actions), (actions,)], "trajectory 1 must be a pair")):
        with pytest.raises(ValueError, match=message):
            fit_linear_dynamics(trials)
    with pytest.raises(ValueError, match="trajectory 1 has states of 2 and actions of 1 numbers"):
        fit_linear_dynamics([(np.array(states), actions), (np.ones((51, 2)), actions)])


# ------------------------------------------------------------------------------------------------ fitted values


def test_one_feature_per_cell_is_value_iteration():
    """On a grid that the system maps onto itself, fitted value iteration with indicators is value iteration."""
    centers = np.arange(5.0)[:, None]

    class Ring:
        def step(self, s, a):
            return (np.asarray(s, float) + a) % 5

    def one_hot(s):
        return (np.abs(s - centers.T) < 0.5).astype(float)

    def reward(s, a):
        return np.sin(s[..., 0]) - 0.1 * np.abs(a[..., 0])

    fitted = FittedValueIteration(Ring(), reward, one_hot, [-1.0, 0.0, 1.0], 0.9, [[0, 5]], n_iter=30).fit(centers)
    P = np.array([np.eye(5)[(np.arange(5) + a) % 5] for a in (-1, 0, 1)])
    mdp = MDP(P, np.stack([reward(centers, np.full((5, 1), a)) for a in (-1.0, 0.0, 1.0)], axis=1), 0.9)
    V = np.zeros(5)
    for _ in range(30):
        V = bellman_backup(mdp, V)
    np.testing.assert_allclose(fitted.theta_, V, atol=1e-10)
    np.testing.assert_allclose(fitted.value(centers), V, atol=1e-10)
    np.testing.assert_allclose(fitted.act(centers)[:, 0], np.array([-1, 0, 1])[greedy_policy(mdp, V)])


class ToTwo:
    """Every state moves to state 2."""

    def step(self, s, a):
        return np.full(np.shape(s), 2.0)


@pytest.mark.parametrize(("gamma", "factor"), [(0.8, 0.96), (5 / 6, 1.0), (0.9, 1.08)])
def test_the_divergence_example(gamma, factor):
    def reward(s, a):
        return 1.0 + 0 * s[..., 0]

    run = FittedValueIteration(ToTwo(), reward, lambda s: s, [0.0], gamma, [[1, 2]], n_iter=30).fit([[1.0], [2.0]])
    changes = np.diff(run.thetas_[:, 0])
    np.testing.assert_allclose(changes[1:] / changes[:-1], factor, rtol=1e-6)
    assert (run.history_[-1] > run.history_[0]) == (gamma > 5 / 6)


class Cells:
    """An averager: the mean target of the samples that share the rounded first feature."""

    def fit(self, Phi, y):
        self.keys, where = np.unique(np.round(Phi[:, 0]), return_inverse=True)
        self.means = np.bincount(where, y) / np.bincount(where)
        return self

    def predict(self, Phi):
        return self.means[np.abs(self.keys - Phi[:, :1]).argmin(axis=1)]


def test_averagers_converge_where_least_squares_diverges():
    def reward(s, a):
        return 1.0 + 0 * s[..., 0]

    cells = Cells()
    run = FittedValueIteration(ToTwo(), reward, lambda s: s, [0.0], 0.9, [[1, 2]], n_iter=150, regressor=cells).fit([[1.0], [2.0]])
    assert not hasattr(cells, "means"), "the caller's regressor is copied, not fitted"
    assert not hasattr(run, "theta_") and not hasattr(run, "thetas_"), "only least squares has parameters"
    assert (run.history_[1:] <= 0.9 * run.history_[:-1] + 1e-12).all()
    assert np.isclose(run.value([2.0]), 10, atol=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_the_limit_of_an_averager_is_off_by_its_own_error_over_one_minus_gamma(seed):
    """V = M B V for a random averager M on a finite MDP: the iteration contracts, and the bound of (eq-mdp-averager) holds."""
    mdp, rng = random_mdp(seed, S=12), np.random.default_rng(seed)
    M = 0.8 * np.eye(12) + 0.2 * rng.dirichlet(np.full(12, 0.3), size=12)
    exact = policy_iteration(mdp).V
    V, changes = np.zeros(12), []
    for _ in range(300):
        new = M @ bellman_backup(mdp, V)
        changes.append(sup(new - V))
        V = new
    assert all(after <= 0.9 * before + 1e-12 for before, after in itertools.pairwise(changes))
    own = sup(M @ exact - exact)
    assert 0.1 * own < sup(V - exact) <= own / 0.1


def test_a_regressor_of_scikit_learn_takes_the_place_of_least_squares():
    def fitted(regressor):
        return FittedValueIteration(Pendulum(), reward, lambda s: np.column_stack([np.ones(len(s)), s, s**2]), [-1.0, 1.0], 0.9,
                                    [[-1, 1], [-1, 1]], n_states=60, n_iter=20, regressor=regressor, random_state=0).fit()

    s = np.random.default_rng(1).uniform(-1, 1, (30, 2))
    np.testing.assert_allclose(fitted(LinearRegression(fit_intercept=False)).value(s), fitted(None).value(s), rtol=1e-8)
    changes = fitted(KNeighborsRegressor(3, weights="distance")).history_
    assert (changes[1:] <= 0.9 * changes[:-1] + 1e-12).all(), "nearest neighbors are an averager"


def test_quadratic_values_make_the_mean_shortcut_exact():
    """E V(m + e) = V(m) + tr(H Sigma) / 2: the same for every action, so both modes agree; near a cliff they do not."""
    def quadratic(s):
        return np.column_stack([np.ones(len(s)), s, s**2])

    model = FittedValueIteration(Shift(), lambda s, a: -s[..., 0] ** 2, quadratic, [-0.5, 0.0, 0.5], 0.9, [[-2, 2]], n_states=200, k=2000,
                                 noise=0.3, n_iter=6, random_state=0).fit()
    s = np.linspace(-2, 2, 9)[:, None] + 0.02
    np.testing.assert_array_equal(model.act(s, mode="mean"), model.act(s, mode="sample", rng=1))
    H = 2 * model.theta_[2]
    sampled = model.value(s + 0.3 * np.random.default_rng(0).normal(size=(200_000, 1, 1))).mean(axis=0)
    np.testing.assert_allclose(sampled - model.value(s), 0.5 * H * 0.09, atol=0.03 * abs(H))


def test_fitted_values_end_at_terminal_states():
    def alive(s, a):
        return 1.0 + 0 * s[..., 0]

    model = FittedValueIteration(Shift(), alive, lambda s: np.column_stack([s[:, 0] < 1, s[:, 0] >= 1]).astype(float), [1.0], 0.5, [[0, 2]],
                                 terminal=lambda s: s[..., 0] >= 2, n_iter=20).fit([[0.5], [1.5]])
    np.testing.assert_allclose(model.theta_, [1.5, 1.0])


def test_cart_pole_balances_with_fifteen_numbers():
    cart, limits = CartPole(max_force=10.0), np.array([2.4, 3.0, 0.21, 3.0])

    def quadratic(s):
        z = s / limits
        return np.column_stack([np.ones(len(z)), z, *[z[:, i] * z[:, j] for i in range(4) for j in range(i, 4)]])

    model = FittedValueIteration(cart, lambda s, a: -((s / limits) ** 2).sum(axis=-1), quadratic, [-10.0, 0.0, 10.0], 0.98,
                                 np.column_stack([-limits, limits]), n_states=1000, n_iter=20, random_state=0).fit()
    s = np.random.default_rng(1).uniform(-0.05, 0.05, (20, 4))
    for _ in range(400):
        s = cart.step(s, model.act(s))
        assert not cart.fallen(s).any()
    idle = np.random.default_rng(1).uniform(-0.05, 0.05, (20, 4))
    for _ in range(400):
        idle = cart.step(idle, np.zeros((20, 1)))
    assert cart.fallen(idle).all()


def test_fitted_value_iteration_repeats_and_refuses():
    def make(**options):
        return FittedValueIteration(Pendulum(), actions=[-1.0, 1.0], gamma=0.9,
                                    **{"reward": reward, "features": np.square, "bounds": [[-1, 1], [-1, 1]], "n_states": 40, "n_iter": 3,
                                       "noise": 0.1, "k": 3, "random_state": 5, **options})

    np.testing.assert_array_equal(make().fit().theta_, make().fit().theta_)
    assert make().fit().thetas_.shape == (3, 2) and make().fit().act([0.1, 0.2]).shape == (1,)
    with pytest.raises(NotFittedError):
        make().act([0.0, 0.0])
    with pytest.raises(ValueError, match="mode must be one of 'sample', 'mean'"):
        make().fit().act([0.0, 0.0], mode="best")
    with pytest.raises(ValueError, match="low < high"):
        make(bounds=[[1, -1], [-1, 1]])
    for name in ("k", "n_states", "n_iter"):
        with pytest.raises(ValueError, match=f"{name} must be an integer >= 1, got 0"):
            make(**{name: 0})
    with pytest.raises(TypeError, match="features must be a function"):
        make(features=None)
    with pytest.raises(TypeError, match=r"regressor must be None or have fit\(Phi, y\) and predict\(Phi\), got str"):
        make(regressor="trees")
    with pytest.raises(TypeError, match="terminal must be a function, got 5"):
        make(terminal=5).fit()
    for terminal in (lambda s: s[..., 0], lambda s: True, lambda s: s > 1):
        with pytest.raises(ValueError, match=r"terminal\(s\) must give True or False for every state"):
            make(terminal=terminal).fit()
    for options, message in (({"features": lambda s: s[:3]}, "features.* must have a row per state, got 3 rows for 40"),
                             ({"features": lambda s: np.nan * s}, "contains NaN"),
                             ({"reward": lambda s, a: np.zeros(3)}, r"one finite number for each of 40 states; got shape \(3,\)"),
                             ({"reward": lambda s, a: np.nan}, "with 1 not finite"), ({"noise": [1, 1, 1]}, "one number or 2 of them")):
        with pytest.raises(ValueError, match=message):
            make(**options).fit()
    for state, refusal in (([0.0, np.nan], "s contains NaN"), ([0.0, 0.0, 0.0], "must be 2 finite numbers"), (0.0, "must be 2 finite")):
        for ask in (make().fit().act, make().fit().value):
            with pytest.raises(ValueError, match=refusal):
                ask(state)


@pytest.mark.parametrize(("call", "message"), [
    (lambda: value_iteration(None), "mdp must be an MDP, got NoneType"), (lambda: policy_iteration(3), "mdp must be an MDP"),
    (lambda: modified_policy_iteration([], 2), "mdp must be an MDP"), (lambda: policy_value(None, [0]), "mdp must be an MDP"),
    (lambda: q_values(None, [0.0]), "mdp must be an MDP"), (lambda: model_based_rl(3, 1, 1), r"env must have step\(s, a, rng\)"),
    (lambda: noisy_step(None, [0.0], 0.0), r"system must have a method step\(s, a\)"),
    (lambda: discretize_system(Shift(), reward, [0.0], 5, 1, 0.9), "disc must be a GridDiscretizer, got int")])
def test_objects_of_the_wrong_kind_are_named(call, message):
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.parametrize(("arguments", "message"), [
    (([[0.0]], 0.0), "widths must be one number > 0 or 1"), (([[0.0]], [1.0, 2.0]), "widths must"), (([[0.0]], 1.0, (1,)), "wrap must be")])
def test_gaussian_features_refuse(arguments, message):
    with pytest.raises(ValueError, match=message):
        gaussian_features(*arguments)
    with pytest.raises(ValueError, match="a state must be 1 numbers"):
        gaussian_features([[0.0]], 1.0)(np.zeros((2, 3)))


def test_an_earlier_round_is_what_a_shorter_fit_gives():
    def make(**options):
        return FittedValueIteration(Pendulum(), reward, np.square, [-1.0, 1.0], 0.9, [[-1, 1], [-1, 1]],
                                    n_states=40, random_state=5, **options).fit()

    long, short, s = make(n_iter=9), make(n_iter=4), np.array([[0.3, -0.2], [0.9, 0.4]])
    earlier = long.after(4)
    np.testing.assert_array_equal(earlier.thetas_, short.thetas_)
    np.testing.assert_array_equal(earlier.value(s), short.value(s))
    np.testing.assert_array_equal(earlier.act(s), short.act(s))
    assert len(earlier.history_) == 4 and (long.value(s) != earlier.value(s)).all(), "the long fit is left as it was"
    with pytest.raises(ValueError, match="n_rounds must be an integer >= 1 and <= 9"):
        long.after(10)
    with pytest.raises(ValueError, match="only the parameters of least squares"):
        make(n_iter=2, regressor=Cells()).after(1)


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.filterwarnings("ignore:invalid value")
def test_values_beyond_all_bounds_are_an_error():
    with pytest.raises(ValueError, match="the iteration diverges. Lower gamma"):
        FittedValueIteration(ToTwo(), lambda s, a: 1.0, lambda s: s, [0.0], 0.99, [[1, 2]], n_iter=6000).fit([[1.0], [2.0]])


def test_no_solver_warns_on_the_hall():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for tol in (1e-2, 1e-8):
            for k in (1, 3, 10, 50, np.inf):
                assert modified_policy_iteration(hall(), k, tol=tol).converged
