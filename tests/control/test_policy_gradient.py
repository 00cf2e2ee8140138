"""Policy gradient: scores by differences, estimators by enumeration, identities, bias and variance, learning, bad input."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal

from mlcore.base import NotFittedError
from mlcore.control import policy_gradient as pg
from mlcore.control.markov_decision_processes import MDP, CartPole, GridWorld, policy_value, value_iteration
from mlcore.exercises import check
from mlcore.foundations.gradient_descent import SGD, Adam
from mlcore.foundations.mathematics import gradient_error, numerical_gradient


def random_mdp(seed, S=3, A=2, gamma=0.8):
    rng = np.random.default_rng(seed)
    return MDP(rng.dirichlet(np.ones(S), size=(A, S)), rng.normal(size=(S, A)), gamma), rng


@pytest.fixture
def small():
    """A random MDP, a policy with shared features, a start distribution and all its runs of four steps."""
    mdp, rng = random_mdp(0)
    table = rng.normal(size=(3, 2))
    policy = pg.SoftmaxPolicy(2, 2, features=lambda s: table[s], theta=rng.normal(size=4))
    mu = np.array([0.5, 0.2, 0.3])
    return mdp, policy, mu, *pg.enumerate_trajectories(mdp, policy, mu, 4)


POLICIES = {
    "tabular": (pg.SoftmaxPolicy(3, 4, theta=np.linspace(-1, 1, 12)), np.array([[0, 2], [1, 2]])),
    "softmax of features": (pg.SoftmaxPolicy(3, 2, features=pg.quadratic_features, theta=np.linspace(-1, 2, 6)),
                            np.linspace(-1, 1, 4).reshape(2, 2, 1)),
    "gaussian": (pg.GaussianPolicy(2, action_dim=3, std=[0.5, 1.0, 2.0], theta=np.linspace(-1, 1, 6)),
                 np.linspace(-2, 1, 8).reshape(2, 2, 2)),
    "learned spread": (pg.GaussianPolicy(2, action_dim=2, learn_std=True, theta=np.linspace(-1, 1, 6)),
                       np.linspace(-2, 1, 8).reshape(2, 2, 2)),
}
each_policy = pytest.mark.parametrize("name", POLICIES)


# policies

@each_policy
def test_score_is_the_gradient_of_logp(name):
    policy, states = POLICIES[name]
    actions = policy.sample(states, 0)
    score = policy.grad_logp(states, actions)
    assert score.shape == (2, 2, len(policy.theta)) and policy.logp(states, actions).shape == (2, 2)
    for i, j in np.ndindex(2, 2):
        error = gradient_error(lambda th, i=i, j=j: policy.with_theta(th).logp(states, actions)[i, j],
                               lambda th, i=i, j=j: policy.with_theta(th).grad_logp(states, actions)[i, j], policy.theta)
        assert error < 1e-8


@each_policy
def test_score_has_mean_zero_and_sums_agree(name):
    policy, states = POLICIES[name]
    many = np.repeat(states[:1, :1], 60_000, axis=0)
    actions = policy.sample(many, 1)
    score = policy.grad_logp(many, actions)[:, 0]
    assert (np.abs(score.mean(axis=0)) <= 4.5 * score.std(axis=0) / np.sqrt(len(score)) + 1e-12).all()
    weights = np.array([[1.0, -2.0], [0.5, 3.0]])
    actions = policy.sample(states, 2)
    assert_allclose(policy.score_sums(states, actions, weights),
                    np.einsum("nt,ntp->np", weights, policy.grad_logp(states, actions)), atol=1e-12)


def test_softmax_probabilities_samples_and_entropy():
    policy = pg.SoftmaxPolicy(2, 3, theta=[0.0, 1.0, -2.0, 800.0, 0.0, -800.0])
    pi = policy.probabilities([0, 1])
    assert_allclose(pi.sum(axis=1), 1)
    assert_allclose(pi[0], np.exp([0, 1, -2]) / np.exp([0, 1, -2]).sum())
    counts = np.bincount(policy.sample(np.zeros(50_000, int), 0), minlength=3) / 50_000
    assert (np.abs(counts - pi[0]) < 4.5 * np.sqrt(pi[0] * (1 - pi[0]) / 50_000)).all()
    assert (policy.sample(np.ones(100, int), 0) == 0).all()            # a certain action, without overflow
    large = pg.SoftmaxPolicy(1, 2, theta=[800.0, 800.0 + np.log(3)]).sample(np.zeros(10_000, int), 0)
    assert abs(large.mean() - 0.75) < 4.5 * np.sqrt(0.75 * 0.25 / 10_000)
    assert_allclose(policy.entropy([0, 1]), [-(pi[0] * np.log(pi[0])).sum(), 0], atol=1e-12)
    assert_allclose(pg.SoftmaxPolicy(1, 5).entropy([0]), np.log(5))
    assert_allclose(np.exp([policy.logp([0], [a])[0] for a in range(3)]).sum(), 1)


def test_gaussian_density_against_scipy():
    policy = pg.GaussianPolicy(2, action_dim=2, std=[0.5, 2.0], theta=[1.0, -1.0, 0.5, 2.0])
    s, a = np.array([[0.3, -1.0]]), np.array([[0.2, 0.7]])
    density = multivariate_normal(mean=(s @ policy.gain)[0], cov=np.diag([0.25, 4.0]))
    assert_allclose(policy.logp(s, a)[0], density.logpdf(a[0]))
    assert_allclose(policy.entropy(s)[0], density.entropy())
    draws = policy.sample(np.repeat(s, 40_000, axis=0), 3)
    assert_allclose(draws.std(axis=0), [0.5, 2.0], rtol=0.02)
    assert_allclose(draws.mean(axis=0), (s @ policy.gain)[0], atol=0.05)


def test_with_theta_returns_a_new_policy():
    policy = pg.SoftmaxPolicy(2, 2)
    other = policy.with_theta([1.0, 0, 0, 0])
    assert policy.theta.sum() == 0 and other.theta[0] == 1
    with pytest.raises(ValueError, match="read-only"):
        policy.theta[0] = 3


# rollouts

def test_rollout_follows_the_model():
    mdp, rng = random_mdp(3)
    policy = pg.SoftmaxPolicy(3, 2, theta=rng.normal(size=6))
    batch = pg.rollout(pg.MDPTask(mdp, start=[0.2, 0.3, 0.5]), policy, 60_000, 2, rng)
    share = np.bincount(batch.states[:, 0], minlength=3) / 60_000
    assert_allclose(share, [0.2, 0.3, 0.5], atol=0.012)
    assert_allclose(batch.rewards, mdp.R[batch.states, batch.actions])
    for s, a in np.ndindex(3, 2):
        rows = (batch.states[:, 0] == s) & (batch.actions[:, 0] == a)
        found = np.bincount(batch.states[rows, 1], minlength=3) / rows.sum()
        assert_allclose(found, mdp.P[a, s], atol=5 / np.sqrt(rows.sum()))


def test_runs_stop_at_the_end_and_pay_nothing_after():
    world = GridWorld(["S.G"], {"G": 5.0}, living_reward=-1.0, slip=0.0)
    right = pg.SoftmaxPolicy(world.n_states, 4, theta=np.tile([0.0, 900.0, 0.0, 0.0], world.n_states))
    batch = pg.rollout(pg.MDPTask(world), right, 3, 50, 0)
    assert batch.states.shape == (3, 3)                                # all over after three moves
    assert_allclose(batch.rewards, [[-1.0, -1.0, 5.0]] * 3)
    mixed = pg.rollout(pg.MDPTask(world), pg.SoftmaxPolicy(world.n_states, 4), 200, 6, 0)
    over = ~mixed.alive
    assert over.any() and (mixed.rewards[over] == 0).all() and (mixed.states[over] == world.end).all()
    assert (np.diff(mixed.alive.astype(int), axis=1) <= 0).all()


def test_a_run_that_is_over_waits_where_it_is():
    batch = pg.rollout(pg.CartPoleTask(), pg.GaussianPolicy(4, std=5.0), 20, 300, 0)
    steps = batch.alive.sum(axis=1)
    assert steps.min() + 1 < steps.max()
    for i in np.flatnonzero(steps < steps.max()):
        where = batch.states[i, steps[i]:]
        assert CartPole().fallen(where[0]) and (where == where[0]).all()


def test_a_run_that_is_over_stays_over():
    class Flicker(pg.LinearTask):
        def step(self, states, actions, rng):
            later, reward, _ = super().step(states, actions, rng)
            self.calls = getattr(self, "calls", 0) + 1
            return later, reward, np.array([self.calls == 2, False])

    batch = pg.rollout(Flicker(), pg.GaussianPolicy(1), 2, 5, 0)
    np.testing.assert_array_equal(batch.alive, [[True, True, False, False, False], [True] * 5])


def test_the_largest_draw_still_names_a_state():
    """Ten cells of 0.1 add up to a little less than 1 in floating point, and a draw may lie above."""
    class Top(np.random.Generator):
        def random(self, size):
            return np.full(size, np.nextafter(1.0, 0.0))

    task = pg.MDPTask(MDP(np.full((2, 10, 10), 0.1), np.zeros((10, 2)), gamma=0.5), start=0)
    assert task.step([0], [0], Top(np.random.PCG64(0)))[0] == [9]


def test_cart_pole_task():
    task = pg.CartPoleTask(CartPole(max_force=10.0), spread=0.2)
    first = task.reset(500, 0)
    states, forces = np.zeros((3, 4)), np.array([[10.0], [50.0], [-50.0]])
    later = pg.CartPoleTask().step(states, forces, 0)[0]               # forces are clipped to 10
    assert_allclose(later, CartPole().step(states, [[10.0], [10.0], [-10.0]]))
    assert first.shape == (500, 4) and 0.19 < np.abs(first).max() <= 0.2
    batch = pg.rollout(task, pg.GaussianPolicy(4, std=5.0), 20, 300, 0)
    assert_allclose(batch.rewards, batch.alive)                        # one point for every step
    assert not task.system.fallen(batch.states[batch.alive]).any()
    assert np.isfinite(batch.states).all()


def test_same_seed_same_runs_and_global_generator_untouched():
    before = np.random.get_state()[1].copy()  # noqa: NPY002 - the global generator is what is watched
    task, policy = pg.LinearTask(), pg.GaussianPolicy(1)
    a, b = (pg.rollout(task, policy, 4, 5, 7) for _ in range(2))
    for x, y in zip(a, b):
        np.testing.assert_array_equal(x, y)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_linear_task_return_by_simulation():
    task = pg.LinearTask(offset=0.5)
    batch = pg.rollout(task, pg.GaussianPolicy(1, std=0.3, theta=[-0.8]), 100_000, 6, 0)
    f = pg.returns_to_go(batch.rewards, 0.9)[:, 0]
    assert abs(f.mean() - task.expected_return(-0.8, 0.3, 0.9, 6)) < 4 * f.std() / np.sqrt(len(f))


# exact gradients

@pytest.mark.parametrize("horizon", [1, 2, 4, None])
def test_exact_gradient_is_the_derivative_of_the_return(small, horizon):
    mdp, policy, mu, *_ = small
    numeric = numerical_gradient(lambda th: pg.exact_return(mdp, policy.with_theta(th), mu, horizon), policy.theta)
    assert_allclose(pg.exact_gradient(mdp, policy, mu, horizon), numeric, atol=1e-8)


def test_long_horizon_approaches_the_endless_one(small):
    mdp, policy, mu, *_ = small
    assert_allclose(pg.exact_gradient(mdp, policy, mu, 150), pg.exact_gradient(mdp, policy, mu), atol=1e-10)
    pi = policy.probabilities(np.arange(3))
    assert_allclose(pg.exact_return(mdp, policy, mu), mu @ policy_value(mdp, pi))


def test_enumeration_is_a_distribution_with_the_right_mean(small):
    mdp, policy, mu, batch, prob = small
    assert_allclose(prob.sum(), 1)
    assert len(np.unique(np.hstack([batch.states, batch.actions]), axis=0)) == len(prob) == 3**4 * 2**4
    assert_allclose(prob @ pg.returns_to_go(batch.rewards, 0.8)[:, 0], pg.exact_return(mdp, policy, mu, 4))
    i = 37
    by_hand = mu[batch.states[i, 0]]
    for t in range(4):
        by_hand *= np.exp(policy.logp(batch.states[i, t], batch.actions[i, t]))
        if t < 3:
            by_hand *= mdp.P[batch.actions[i, t], batch.states[i, t], batch.states[i, t + 1]]
    assert_allclose(prob[i], by_hand)


# estimators

def test_every_estimator_is_unbiased(small):
    mdp, policy, mu, batch, prob = small
    exact = pg.exact_gradient(mdp, policy, mu, 4)
    any_baseline = np.array([3.0, -1.0, 7.0])[batch.states] * np.array([1.0, 2.0, -1.0, 0.5])
    for kind, baseline in (("full", None), ("to_go", None), ("baseline", any_baseline)):
        assert_allclose(prob @ pg.gradient_estimates(policy, batch, 0.8, kind, baseline), exact, atol=1e-12)
    at_action = any_baseline + batch.actions                           # looks at the action: not allowed
    assert np.abs(prob @ pg.gradient_estimates(policy, batch, 0.8, "baseline", at_action) - exact).max() > 0.05


def test_runs_that_end_early_leave_every_estimator_unbiased():
    """After the end the scores are left out; the mean over all runs is still the gradient of the MDP with its absorbing end."""
    world = GridWorld(["S.G"], {"G": 5.0}, living_reward=-1.0, slip=0.0, gamma=0.8)
    theta = np.tile([0.0, 1.5, 0.0, 0.0], world.n_states) + np.random.default_rng(0).normal(size=4 * world.n_states)
    policy = pg.SoftmaxPolicy(world.n_states, 4, theta=theta)          # more to the right, so that many runs end
    batch, prob = pg.enumerate_trajectories(world, policy, world.start, 5)
    ended = batch._replace(alive=batch.states != world.end)
    assert 0.1 < (prob @ ended.alive)[-1] < 0.9
    exact = pg.exact_gradient(world, policy, world.start, 5)
    for runs in (batch, ended):
        for kind, baseline in (("full", None), ("to_go", None), ("baseline", 3.0 + batch.states)):
            assert_allclose(prob @ pg.gradient_estimates(policy, runs, 0.8, kind, baseline), exact, atol=1e-12)


def test_scores_after_the_end_are_left_out():
    """Means do not show it, since those scores have mean zero; the single estimates do."""
    task, policy = pg.LinearTask(), pg.GaussianPolicy(1, std=0.5, theta=[-0.3])
    batch = pg.rollout(task, policy, 4, 5, 0)
    ends = np.array([1, 3, 4, 5])
    alive = np.arange(5) < ends[:, None]
    stopped = batch._replace(rewards=batch.rewards * alive, alive=alive)
    B = np.arange(20.0).reshape(4, 5)
    for i, end in enumerate(ends):
        short = pg.Trajectories(*(a[[i], :end] for a in stopped))
        for kind, baseline in (("full", None), ("to_go", None), ("baseline", B)):
            assert_allclose(pg.gradient_estimates(policy, stopped, 0.9, kind, baseline)[i],
                            pg.gradient_estimates(policy, short, 0.9, kind, None if baseline is None else B[[i], :end])[0])
        C, C_short = (pg.control_variates(policy, b, 0.9, pg.quadratic_features(b.states)) for b in (stopped, short))
        assert_allclose(C[i], C_short[0])


def test_printed_forms_are_wrong(small):
    mdp, policy, mu, batch, prob = small
    exact = pg.exact_gradient(mdp, policy, mu, 4)
    z = policy.grad_logp(batch.states, batch.actions)
    f = pg.returns_to_go(batch.rewards, 0.8)
    tails = f * 0.8 ** np.arange(4)
    assert_allclose(prob @ (z.sum(axis=1) * f[:, :1]), exact, atol=1e-12)
    for t in (1, 2, 3):
        assert np.abs(prob @ (z[:, :t].sum(axis=1) * f[:, :1]) - exact).max() > 1e-3     # scores up to a_{t-1}
        assert np.abs(prob @ (z.sum(axis=1) * tails[:, [t]]) - exact).max() > 1e-3       # t outside its sum


def test_estimates_agree_with_a_loop():
    task, policy = pg.LinearTask(), pg.GaussianPolicy(1, std=0.5, theta=[-0.3])
    batch = pg.rollout(task, policy, 3, 4, 0)
    B = np.arange(12.0).reshape(3, 4)
    for kind, baseline, weighted in (("full", None, True), ("to_go", None, True), ("to_go", None, False), ("baseline", B, True)):
        slow = np.zeros((3, 1))
        for i, t in np.ndindex(3, 4):
            score = policy.grad_logp(batch.states[i, t], batch.actions[i, t])
            tail = sum(0.9 ** (j - t) * batch.rewards[i, j] for j in range(t, 4))
            weight = (sum(0.9**j * batch.rewards[i, j] for j in range(4)) if kind == "full"
                      else (0.9**t if weighted else 1.0) * (tail - (B[i, t] if kind == "baseline" else 0.0)))
            slow[i] += weight * score
        assert_allclose(pg.gradient_estimates(policy, batch, 0.9, kind, baseline, weighted), slow)


@pytest.mark.parametrize("gamma", [0.0, 0.5, 1.0])
def test_returns_to_go_by_double_sum(gamma):
    rewards = np.random.default_rng(0).normal(size=(3, 6))
    rewards.setflags(write=False)
    slow = [[sum(gamma ** (j - t) * r[j] for j in range(t, 6)) for t in range(6)] for r in rewards]
    assert_allclose(pg.returns_to_go(rewards, gamma), slow)


def test_torch_surrogate_has_the_same_gradient():
    world = GridWorld(["S.G", "..X"], {"G": 1.0, "X": -1.0}, living_reward=-0.1)
    policy = pg.SoftmaxPolicy(world.n_states, 4, theta=np.random.default_rng(0).normal(size=4 * world.n_states))
    batch = pg.rollout(pg.MDPTask(world), policy, 20, 15, 1)
    logits = torch.tensor(policy.theta.reshape(-1, 4), requires_grad=True)
    log_pi = torch.log_softmax(logits[torch.tensor(batch.states)], dim=-1)
    chosen = log_pi.gather(-1, torch.tensor(batch.actions)[..., None])[..., 0]
    (chosen * torch.tensor(pg.step_weights(batch, 0.95, "to_go"))).sum(dim=1).mean().backward()
    assert_allclose(logits.grad.numpy().ravel(), pg.gradient_estimates(policy, batch, 0.95).mean(axis=0), atol=1e-12)


def test_two_outcome_example_of_the_notes():
    returns, score = np.array([1001.0, 998.0]), np.array([1.0, -1.0])
    for b, variance in ((0, 999000.25), (1000, 0.25), (999.5, 0.0)):
        estimates = score * (returns - b)
        assert estimates.mean() == 1.5 and estimates.var() == variance
    assert_allclose(pg.optimal_coefficients((score * returns)[:, None], score[:, None]), 999.5)


def test_variances_on_the_linear_task():
    """Standard deviations 27.9, 18.5, 8.0; with 10 added to every reward 545, 386, 8.05."""
    task, policy = pg.LinearTask(), pg.GaussianPolicy(1, std=0.5, theta=[-0.3])
    exact = numerical_gradient(lambda k: task.expected_return(float(k), 0.5, 0.95, 20), -0.3)
    batch = pg.rollout(task, policy, 200_000, 20, 0)
    wanted = {0: (27.9, 18.5, 8.0), 10: (545, 386, 8.05)}
    for offset, sds in wanted.items():
        runs = batch._replace(rewards=batch.rewards + offset)
        to_go = pg.returns_to_go(runs.rewards[:20_000], 0.95)
        B = pg.Baseline(pg.quadratic_features, per_step=True).fit(runs.states[:20_000], to_go).predict(runs.states)
        for kind, sd in zip(pg.KINDS, sds):
            g = pg.gradient_estimates(policy, runs, 0.95, kind, B if kind == "baseline" else None)
            assert abs(g.mean() - exact) < 4 * g.std() / np.sqrt(len(g))
            assert_allclose(g.std(), sd, rtol=0.012)


# baselines

def test_optimal_coefficients_minimize_the_variance():
    rng = np.random.default_rng(0)
    A, C = rng.normal(size=(200, 3)), rng.normal(size=(200, 3, 2))
    A += C @ [2.0, -1.0] + 5
    w = pg.optimal_coefficients(A, C)
    def variance(v):
        return (A - C @ v).var(axis=0).sum()
    assert_allclose(numerical_gradient(variance, w), 0, atol=1e-8)
    assert variance(w) < min(variance(w + d) for d in ([0.1, 0], [0, 0.1], [-0.1, 0], [0, -0.1]))
    single = pg.optimal_coefficients(A, C[..., 0])
    assert_allclose(numerical_gradient(lambda b: (A - C[..., 0] * b).var(axis=0).sum(), single), 0, atol=1e-8)


def test_best_constant_and_the_parabola_around_it(small):
    _, policy, _, batch, prob = small
    f = pg.returns_to_go(batch.rewards, 0.8)[:, 0]
    S = policy.grad_logp(batch.states, batch.actions).sum(axis=1)
    size = (S**2).sum(axis=1)
    best = prob @ (size * f) / (prob @ size)

    def variance(b):
        g = S * (f - b)[:, None]
        return prob @ ((g - prob @ g) ** 2).sum(axis=1)

    assert_allclose(numerical_gradient(lambda b: variance(float(b)), best), 0, atol=1e-7)
    for b in (-3.0, 0.0, 10.0):
        assert_allclose(variance(b), variance(best) + (prob @ size) * (b - best) ** 2)
    assert abs(best - prob @ f) > 1e-3                                 # it is not the mean return


def test_state_baseline_of_one_step_is_value_plus_covariance(small):
    mdp, policy, _, batch, prob = small
    z, later = policy.grad_logp(batch.states, batch.actions), pg.returns_to_go(batch.rewards, 0.8)
    gaps = []
    for t, s in np.ndindex(4, 3):
        at = batch.states[:, t] == s
        q, size, r = prob[at] / prob[at].sum(), (z[at, t] ** 2).sum(axis=1), later[at, t]
        value = pg.exact_return(mdp, policy, s, 4 - t)
        best = value + (q @ (size * r) - (q @ size) * (q @ r)) / (q @ size)
        def noise(b, q=q, size=size, r=r):
            return q @ (size * (r - b) ** 2)
        assert_allclose(numerical_gradient(lambda b, noise=noise: noise(float(b)), best), 0, atol=1e-7)
        assert_allclose(noise(value) - noise(best), (q @ size) * (value - best) ** 2, atol=1e-10)
        gaps.append(abs(value - best))
    assert max(gaps) > 1e-3                                            # near-optimal, not optimal


def test_control_variates_are_what_a_unit_of_baseline_removes(small):
    _, policy, _, batch, prob = small
    phi = np.random.default_rng(1).normal(size=(3, 2))[batch.states]
    plain = pg.gradient_estimates(policy, batch, 0.8)
    for per_step, weights in ((False, np.array([1.0, -2.0])), (True, np.arange(8.0).reshape(4, 2))):
        C = pg.control_variates(policy, batch, 0.8, phi, per_step)
        assert_allclose(np.einsum("n,npk->pk", prob, C), 0, atol=1e-12)
        with_baseline = pg.gradient_estimates(policy, batch, 0.8, "baseline", (phi * weights).sum(axis=-1))
        assert_allclose(plain - C @ weights.ravel(), with_baseline, atol=1e-12)


def test_baseline_fits():
    rng = np.random.default_rng(0)
    states = rng.normal(size=(30, 4, 2))
    def features(s):
        return np.concatenate([np.ones((*s.shape[:2], 1)), s], axis=-1)
    w = rng.normal(size=(4, 3))
    target = (features(states) * w).sum(axis=-1)
    per_step = pg.Baseline(features, per_step=True).fit(states, target)
    assert_allclose(per_step.weights_, w, atol=1e-10)
    assert_allclose(per_step.predict(states), target, atol=1e-10)
    pooled = pg.Baseline(features).fit(states, features(states) @ w[0])
    assert_allclose(pooled.weights_, w[0], atol=1e-10)
    clock = 2.0 + np.broadcast_to(np.arange(1, 5) / 4, (30, 4)) ** 2
    assert_allclose(pg.Baseline(time_degree=2).fit(states, clock).predict(states), clock, atol=1e-10)
    assert_allclose(pg.Baseline().fit(states, target).predict(states), target.mean())


def test_baseline_ignores_finished_runs():
    states, to_go = np.zeros((3, 2, 1)), np.array([[1.0, 5.0], [2.0, 7.0], [3.0, 999.0]])
    alive = np.array([[True, True], [True, True], [True, False]])
    assert_allclose(pg.Baseline(per_step=True).fit(states, to_go, alive).predict(states)[0], [2.0, 6.0])
    assert_allclose(pg.Baseline().fit(states, to_go, alive).predict(states), 3.6)      # one weight for all steps: the mean of five
    nobody = np.array([[True, False]] * 3)
    assert_allclose(pg.Baseline(per_step=True).fit(states, to_go, nobody).weights_[1], 0)


def test_refitted_baseline_shrinks_the_gradient():
    """The mean estimate with a constant fitted on the same two runs is half the gradient: exact, over all pairs of runs."""
    mdp, rng = random_mdp(5, S=2)
    policy = pg.SoftmaxPolicy(2, 2, theta=rng.normal(size=4))
    batch, prob = pg.enumerate_trajectories(mdp, policy, 0, 2)
    mean = np.zeros(4)
    for i, j in np.ndindex(len(prob), len(prob)):
        pair = pg.Trajectories(*(a[[i, j]] for a in batch))
        to_go = pg.returns_to_go(pair.rewards, 0.8)
        B = pg.Baseline(per_step=True).fit(pair.states, to_go).predict(pair.states)
        mean += prob[i] * prob[j] * pg.gradient_estimates(policy, pair, 0.8, "baseline", B).mean(axis=0)
    assert_allclose(mean, 0.5 * pg.exact_gradient(mdp, policy, 0, 2), atol=1e-12)


def test_bias_of_a_refitted_baseline_by_leverages():
    """With features of the state the factor is 1 - H_ii, run by run; exact, over all pairs of runs."""
    mdp, rng = random_mdp(6, S=2)
    policy, table = pg.SoftmaxPolicy(2, 2, theta=rng.normal(size=4)), np.array([[1.0], [3.0]])
    batch, prob = pg.enumerate_trajectories(mdp, policy, [0.3, 0.7], 2)
    found, wanted = np.zeros(4), np.zeros(4)
    for i, j in np.ndindex(len(prob), len(prob)):
        pair = pg.Trajectories(*(a[[i, j]] for a in batch))
        to_go, phi = pg.returns_to_go(pair.rewards, 0.8), table[pair.states][..., 0]
        B = pg.Baseline(lambda s: table[s.astype(int)], per_step=True).fit(pair.states, to_go).predict(pair.states)
        found += prob[i] * prob[j] * pg.gradient_estimates(policy, pair, 0.8, "baseline", B).mean(axis=0)
        leverage = phi**2 / (phi**2).sum(axis=0)                       # H_ii of one feature, for each step
        weights = 0.8 ** np.arange(2) * (1 - leverage) * to_go
        wanted += prob[i] * prob[j] * policy.score_sums(pair.states, pair.actions, weights).mean(axis=0)
    assert_allclose(found, wanted, atol=1e-12)
    assert np.abs(found - 0.5 * pg.exact_gradient(mdp, policy, [0.3, 0.7], 2)).max() > 1e-3    # not the factor of a constant


def test_natural_step_does_not_depend_on_the_parameters(small):
    mdp, policy, mu, batch, prob = small
    z = policy.grad_logp(batch.states, batch.actions)
    g, F = pg.exact_gradient(mdp, policy, mu, 4), np.einsum("n,ntp,ntq->pq", prob, z, z)
    J = np.random.default_rng(0).normal(size=(4, 4))
    here, there = np.linalg.pinv(F, rcond=1e-10) @ g, J @ np.linalg.pinv(J.T @ F @ J, rcond=1e-10) @ J.T @ g
    assert_allclose(F @ here, g, atol=1e-10)                           # g lies in the range of the singular F
    assert np.linalg.matrix_rank(F, tol=1e-10) < 4 and np.abs(here - there).max() > 1e-3
    assert_allclose(z @ here, z @ there, atol=1e-8)                    # the same change of every log-probability


def test_baseline_with_as_many_features_as_runs_leaves_nothing():
    batch = pg.rollout(pg.LinearTask(), pg.GaussianPolicy(1), 3, 5, 0)
    to_go = pg.returns_to_go(batch.rewards, 0.9)
    B = pg.Baseline(pg.quadratic_features, per_step=True).fit(batch.states, to_go).predict(batch.states)
    assert_allclose(B, to_go, atol=1e-8)


# discount

def test_unweighted_field_is_no_gradient(small):
    mdp, policy, mu, batch, prob = small

    def jacobian(weighted):
        def g(th):
            return pg.exact_gradient(mdp, policy.with_theta(th), mu, 4, weighted)
        return np.array([(g(policy.theta + 1e-5 * e) - g(policy.theta - 1e-5 * e)) / 2e-5 for e in np.eye(4)])

    assert_allclose(prob @ pg.gradient_estimates(policy, batch, 0.8, discount_weights=False),
                    pg.exact_gradient(mdp, policy, mu, 4, discount_weights=False), atol=1e-12)
    assert np.abs(jacobian(True) - jacobian(True).T).max() < 1e-8
    assert np.abs(jacobian(False) - jacobian(False).T).max() > 1e-3


def test_unweighted_field_can_point_downhill():
    chain = MDP([[[0, 1, 0], [0, 0, 1], [0, 0, 1]]] * 2, [[1.0, 0.0], [0.0, 1.5], [0.0, 0.0]], gamma=0.5)
    tied = pg.SoftmaxPolicy(1, 2, features=lambda s: np.ones((*np.shape(s), 1)))
    true, printed = (pg.exact_gradient(chain, tied, 0, 2, weighted) for weighted in (True, False))
    assert_allclose(true, [0.0625, -0.0625])                           # p(1 - p)(1 - 0.75)
    assert_allclose(printed, [-0.125, 0.125])                          # p(1 - p)(1 - 1.5)


def test_unweighted_field_points_uphill_for_a_table_and_a_long_horizon():
    mdp, rng = random_mdp(7)
    for theta in rng.normal(size=(10, 6)):
        policy = pg.SoftmaxPolicy(3, 2, theta=theta)
        true, printed = (pg.exact_gradient(mdp, policy, 0, 200, weighted) for weighted in (True, False))
        assert true @ printed > 0


def test_gamma_one_needs_no_weights(small):
    _, policy, _, batch, _ = small
    assert_allclose(pg.gradient_estimates(policy, batch, 1.0), pg.gradient_estimates(policy, batch, 1.0, discount_weights=False))


# learning

def test_exact_steps_follow_reinforce_with_many_runs():
    mdp, _ = random_mdp(2)
    task, policy = pg.MDPTask(mdp, start=0), pg.SoftmaxPolicy(3, 2)
    agent = pg.Reinforce(gamma=0.8, horizon=4, n_traj=30_000, n_iter=1, kind="to_go", optimizer=SGD(lr=1.0), random_state=0)
    agent.train(task, policy)
    assert_allclose(agent.thetas_[1] - agent.thetas_[0], pg.exact_gradient(mdp, policy, 0, 4), atol=0.03)
    assert_allclose(agent.history_[0], pg.exact_return(mdp, policy, 0, 4), atol=0.03)
    assert not policy.theta.any()                                      # the given policy stays as it is


@pytest.mark.parametrize("kind", pg.KINDS)
def test_learns_a_grid_world(kind):
    world = GridWorld(["S.G", "..X"], {"G": 1.0, "X": -1.0}, living_reward=-0.05, slip=0.1, gamma=0.95)
    agent = pg.Reinforce(gamma=0.95, horizon=30, n_traj=20, n_iter=60, kind=kind, optimizer=Adam(lr=0.2), random_state=0)
    agent.train(pg.MDPTask(world), pg.SoftmaxPolicy(world.n_states, 4))
    best = value_iteration(world).V[world.start]
    start, end = (pg.exact_return(world, agent.policy_.with_theta(th), world.start) for th in agent.thetas_[[0, -1]])
    assert start < 0 < best - 0.1 < end <= best + 1e-9
    assert agent.thetas_.shape == (61, 4 * world.n_states) and agent.history_.shape == agent.lengths_.shape == (60,)


def test_learns_the_cart_pole():
    agent = pg.Reinforce(gamma=0.99, horizon=150, n_traj=30, n_iter=30, baseline=pg.Baseline(pg.quadratic_features, time_degree=2),
                         discount_weights=False, optimizer=Adam(lr=0.5), random_state=0)
    agent.train(pg.CartPoleTask(), pg.GaussianPolicy(4, std=2.0))
    assert agent.lengths_[0] < 45 and agent.lengths_[-3:].mean() > 130


def test_training_is_reproducible_and_leaves_its_parts_alone():
    rule, baseline = Adam(lr=0.1), pg.Baseline()
    agent = pg.Reinforce(gamma=0.9, horizon=5, n_traj=4, n_iter=3, baseline=baseline, optimizer=rule, random_state=3)
    task, policy = pg.LinearTask(), pg.GaussianPolicy(1)
    first = agent.train(task, policy).thetas_
    np.testing.assert_array_equal(first, agent.train(task, policy).thetas_)
    assert rule.t == 0 and not hasattr(baseline, "weights_")


@pytest.mark.parametrize(("kind", "weighted"), [("full", True), ("to_go", True), ("to_go", False), ("baseline", True), ("baseline", False)])
def test_one_round_is_the_step_of_the_algorithm(kind, weighted):
    """Some runs end early: the baseline is fitted to the steps that were taken, and the scores after the end are left out."""
    task, policy = pg.MDPTask(GRID), pg.SoftmaxPolicy(4, 4, theta=np.tile([0.0, 1.0, 0.0, 0.5], 4))
    agent = pg.Reinforce(gamma=0.7, horizon=6, n_traj=12, n_iter=1, kind=kind, discount_weights=weighted, optimizer=SGD(lr=2.0),
                         random_state=5).train(task, policy)
    batch = pg.rollout(task, policy, 12, 6, 5)
    assert 0 < batch.alive[:, -1].sum() < 12
    step = np.zeros(len(policy.theta))
    for i, t in zip(*np.nonzero(batch.alive)):
        later = np.array([sum(0.7 ** (j - t) * r[j] for j in range(t, batch.rewards.shape[1])) for r in batch.rewards])
        weight = {"full": sum(0.7**j * r for j, r in enumerate(batch.rewards[i])), "to_go": later[i],
                  "baseline": later[i] - later[batch.alive[:, t]].mean()}[kind]
        factor = 0.7**t if weighted and kind != "full" else 1.0
        step += factor * weight * policy.grad_logp(batch.states[i, t], batch.actions[i, t]) / 12
    assert_allclose(agent.thetas_[1] - agent.thetas_[0], 2.0 * step, atol=1e-12)
    assert_allclose(agent.lengths_, batch.alive.sum() / 12)


def test_a_rule_that_was_used_before_starts_afresh():
    def learned(rule):
        agent = pg.Reinforce(horizon=4, n_traj=4, n_iter=3, optimizer=rule, random_state=0)
        return agent.train(pg.LinearTask(), pg.GaussianPolicy(1)).thetas_
    used = Adam(lr=0.1)
    used.step([np.zeros(1)], [np.ones(1)])
    np.testing.assert_array_equal(learned(used), learned(Adam(lr=0.1)))
    assert used.t == 1


def test_one_run_per_round_is_enough_without_a_baseline():
    task, policy = pg.LinearTask(), pg.GaussianPolicy(1)
    agent = pg.Reinforce(gamma=0.9, horizon=4, n_traj=1, n_iter=1, kind="to_go", optimizer=SGD(lr=1.0), random_state=0).train(task, policy)
    run = pg.rollout(task, policy, 1, 4, 0)
    assert_allclose(agent.thetas_[1], pg.gradient_estimates(policy, run, 0.9)[0])
    assert_allclose(agent.history_, pg.returns_to_go(run.rewards, 0.9)[:, 0])


class Written:
    """A task as a reader would write it, with one part replaced."""

    def __init__(self, **parts):
        self.parts = parts

    def reset(self, n, rng):
        return self.parts.get("first", np.zeros((n, 1)))

    def step(self, states, actions, rng):
        n = len(states)
        return [self.parts.get(k, v) for k, v in (("later", (states + actions).tolist()), ("reward", [1.0] * n), ("over", [False] * n))]


def test_a_task_may_return_lists():
    batch = pg.rollout(Written(), pg.GaussianPolicy(1), 3, 4, 0)
    assert batch.states.shape == (3, 4, 1) and batch.alive.dtype == bool
    assert_allclose(np.diff(batch.states[..., 0]), batch.actions[:, :-1, 0])


@pytest.mark.parametrize(("parts", "message"), [
    ({"reward": np.ones((3, 1))}, r"rewards \(3,\) and booleans.*got shapes \(3, 1\), \(3, 1\) and \(3,\)"),
    ({"over": np.zeros(3, int)}, "of type int64"),
    ({"over": False}, r"and \(\) of type bool"),
    ({"later": np.zeros(3)}, r"next states \(3, 1\).*got shapes \(3,\)"),
    ({"first": np.zeros((4, 1))}, r"task.reset must return 3 states, one per run; got shape \(4, 1\)"),
    ({"first": np.zeros(3, int), "later": np.zeros(3, int), "reward": np.full(3, np.nan)}, "left the range of floating-point numbers"),
])
def test_a_task_that_returns_something_else_is_refused(parts, message):
    policy = pg.SoftmaxPolicy(1, 2) if len(parts) == 3 else pg.GaussianPolicy(1)
    with pytest.raises(ValueError, match=message):
        pg.rollout(Written(**parts), policy, 3, 4, 0)


def test_a_policy_that_runs_away_is_reported():
    agent = pg.Reinforce(horizon=60, n_traj=4, n_iter=5, optimizer=SGD(lr=1e6), random_state=0)
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="a run left the range of floating-point numbers at step"):
        agent.train(pg.LinearTask(decay=1.5), pg.GaussianPolicy(1))


# exercises

@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_the_unit_of_the_rewards_does_not_matter_to_the_check(scale):
    assert check("policy_gradient.past_helps", lambda: scale * np.array([[-1.0, -1.0], [1.0, 1.0]])).passed
    assert not check("policy_gradient.past_helps", lambda: scale * np.array([[1.0, -1.0], [1.0, 0.5]])).passed


# bad input

GRID = GridWorld(["S.G"], {"G": 1.0})
BATCH = pg.Trajectories(np.zeros((2, 3), int), np.zeros((2, 3), int), np.ones((2, 3)), np.ones((2, 3), bool))


@pytest.mark.parametrize(("act", "message"), [
    (lambda: pg.returns_to_go([[1.0]], 1.2), "gamma must be a number >= 0 and <= 1, got 1.2"),
    (lambda: pg.returns_to_go([[1.0]], -0.1), "gamma must be"),
    (lambda: pg.returns_to_go([1.0], 0.5), "rewards must be 2-D"),
    (lambda: pg.Reinforce(gamma=1.5), "gamma must be"),
    (lambda: pg.Reinforce(kind="td"), "kind must be one of 'full', 'to_go', 'baseline'; got 'td'"),
    (lambda: pg.Reinforce(n_traj=1), "n_traj must be an integer >= 2"),
    (lambda: pg.Reinforce(kind="to_go", n_traj=0), "n_traj must be an integer >= 1"),
    (lambda: pg.Reinforce(kind="full", baseline=pg.Baseline()), "kind='full' does not use a baseline"),
    (lambda: pg.step_weights(BATCH, 0.9, "advantage"), "kind must be one of"),
    (lambda: pg.step_weights(BATCH, 0.9, "baseline"), "kind='baseline' needs baseline values"),
    (lambda: pg.step_weights(BATCH, 0.9, "to_go", np.ones((2, 3))), "kind='to_go' does not use baseline values"),
    (lambda: pg.step_weights(BATCH, 0.9, "baseline", np.ones((2, 2))), r"shape of the rewards, \(2, 3\), got \(2, 2\)"),
    (lambda: pg.step_weights(BATCH, 0.9, "full", discount_weights=False), "no factor gamma\\^t to leave out"),
    (lambda: pg.GaussianPolicy(1, std=0.0), "std must be positive"),
    (lambda: pg.GaussianPolicy(1, std=-1.0), "std must be positive"),
    (lambda: pg.GaussianPolicy(1, action_dim=2, std=[1.0, 1.0, 1.0]), "one number or 2 of them"),
    (lambda: pg.GaussianPolicy(2, theta=[1.0]), "theta must hold 2 parameters for this policy, got 1"),
    (lambda: pg.GaussianPolicy(2).logp(np.ones((3, 2)), np.ones(3)), r"actions must have shape \(3, 1\)"),
    (lambda: pg.GaussianPolicy(2).mean(np.ones((3, 4))), "must be 2 numbers in the last axis"),
    (lambda: pg.SoftmaxPolicy(3, 1), "n_actions must be an integer >= 2"),
    (lambda: pg.SoftmaxPolicy(3, 2).probabilities([0, 3]), "whole numbers in 0..2, got values from 0 to 3"),
    (lambda: pg.SoftmaxPolicy(3, 2).logp([0, 1], [0, 2]), "actions must be whole numbers in 0..1, got values from 0 to 2"),
    (lambda: pg.SoftmaxPolicy(3, 2).logp([0, 1], [0.5, 1.0]), "actions must be whole numbers"),
    (lambda: pg.SoftmaxPolicy(3, 2).score_sums([[0, 1]], [[0, 1]], [1.0, 2.0]), r"weights must be \(n, T\)"),
    (lambda: pg.MDPTask(random_mdp(0)[0]), "start is None"),
    (lambda: pg.MDPTask(random_mdp(0)[0], start=[0.5, 0.1, 0.1]), "3 probabilities that sum to 1"),
    (lambda: pg.MDPTask(random_mdp(0)[0], start=7), "start must be an integer >= 0 and <= 2, got 7"),
    (lambda: pg.MDPTask(random_mdp(0)[0], start=0, end=[3]), r"end must name states in 0..2, got \[3\]"),
    (lambda: pg.exact_return(random_mdp(0)[0], pg.SoftmaxPolicy(3, 4), 0), "among 4 actions, but the MDP has 2"),
    (lambda: pg.rollout(pg.LinearTask(), pg.GaussianPolicy(1), 0, 5, 0), "n must be an integer >= 1"),
    (lambda: pg.LinearTask(noise=-1.0), "noise must be a number >= 0"),
    (lambda: pg.exact_gradient(random_mdp(0)[0], pg.SoftmaxPolicy(3, 2), 0, discount_weights=False), "give a finite horizon"),
    (lambda: pg.enumerate_trajectories(random_mdp(0)[0], pg.SoftmaxPolicy(3, 2), 0, 30, limit=1000), "more than 1000 trajectories"),
    (lambda: pg.Baseline(per_step=True, time_degree=1), "time_degree has no meaning"),
    (lambda: pg.Baseline().fit(np.ones((2, 3, 1)), np.ones((2, 2))), r"to_go must have shape \(2, 3\)"),
    (lambda: pg.Baseline(features=lambda s: np.ones(4)).fit(np.ones((2, 3, 1)), np.ones((2, 3))), r"array \(2, 3, d\)"),
    (lambda: pg.Baseline(per_step=True).fit(np.ones((2, 3, 1)), np.ones((2, 3))).predict(np.ones((2, 4, 1))), "was fitted with weights"),
    (lambda: pg.Baseline(time_degree=1).fit(np.ones((2, 3, 1)), np.ones((2, 3))).predict(np.ones((2, 4, 1))), "runs of 3 steps"),
    (lambda: pg.Baseline().fit(np.ones((2, 3, 1)), np.ones((2, 3)), alive=np.ones(3)), r"alive must have the shape of to_go, \(2, 3\)"),
    (lambda: pg.optimal_coefficients(np.ones((4, 2)), np.ones((4, 3))), r"C must have shape \(4, 2\)"),
    (lambda: pg.optimal_coefficients(np.ones((4, 2)), np.full((4, 2), np.nan)), "C contains NaN"),
    (lambda: pg.Baseline(lambda s: s + np.nan).fit(np.ones((2, 3, 1)), np.ones((2, 3))), r"features\(states\) contains NaN"),
    (lambda: pg.control_variates(pg.SoftmaxPolicy(1, 2), BATCH, 1.5, np.ones((2, 3, 1))), "gamma must be"),
    (lambda: pg.control_variates(pg.SoftmaxPolicy(1, 2), BATCH, 0.5, np.ones((2, 4, 1))), r"\(2, 3, d\); got shape \(2, 4, 1\)"),
    (lambda: pg.LinearTask().expected_return(0.0, -0.5, 0.9, 3), "std must be a number >= 0"),
    (lambda: pg.LinearTask().expected_return(0.0, 0.5, 1.5, 3), "gamma must be"),
    (lambda: pg.LinearTask().expected_return(0.0, 0.5, 0.9, 2.5), "horizon must be an integer"),
    (lambda: pg.Reinforce(optimizer="adam"), "optimizer must be a rule of"),
    (lambda: pg.Reinforce(baseline="linear"), "baseline must be a Baseline or None"),
    (lambda: pg.exact_return(GRID, pg.GaussianPolicy(4), 0), "method probabilities, got GaussianPolicy; take one over finitely many"),
    (lambda: pg.rollout(pg.MDPTask(GRID), "random", 2, 5, 0), "policy must have the method sample, got str; take a SoftmaxPolicy"),
    (lambda: pg.step_weights((1, 2, 3, 4), 0.9), "batch must be Trajectories, as rollout returns them; got tuple"),
    (lambda: pg.GaussianPolicy(1).sample([[np.nan]], 0), "states contains NaN"),
    (lambda: pg.SoftmaxPolicy(1, 2).probabilities(None), "states is None"),
    (lambda: pg.SoftmaxPolicy(2, 2).probabilities([[0.5, 1.0]]), r"in 0..1, got 0.5; for states that are vectors pass features"),
    (lambda: pg.SoftmaxPolicy(1, 2).probabilities(np.zeros(0, int)), "states is empty; at least one is needed"),
    (lambda: pg.enumerate_trajectories(GRID, pg.SoftmaxPolicy(4, 4), 0, 2, limit=0), "limit must be an integer >= 1"),
    (lambda: pg.rollout(GRID, pg.SoftmaxPolicy(4, 4), 2, 5, 0), "methods reset and step, got GridWorld; wrap an MDP"),
    (lambda: pg.rollout(pg.MDPTask(GRID), pg.SoftmaxPolicy(4, 5, theta=np.tile([0, 0, 0, 0, 90.0], 4)), 2, 5, 0),
     "actions must be whole numbers in 0..3, got values from 4 to 4"),
    (lambda: pg.rollout(pg.MDPTask(GRID), pg.GaussianPolicy(4), 2, 5, 0), "features of a state must be 4 numbers"),
    (lambda: pg.MDPTask(GRID).step([0], [-1], 0), "actions must be whole numbers in 0..3, got values from -1 to -1"),
    (lambda: pg.MDPTask(GRID).step([0, 1], [[0], [1]], 0), r"one per run; got shapes \(2,\) and \(2, 1\)"),
    (lambda: pg.rollout(pg.CartPoleTask(), pg.SoftmaxPolicy(4, 2, features=np.array), 3, 5, 0), r"shape \(3, 1\).*got \(3,\)"),
    (lambda: pg.rollout(pg.LinearTask(), pg.SoftmaxPolicy(1, 2, features=np.array), 3, 5, 0), r"shape \(3, 1\).*got \(3,\)"),
    (lambda: pg.Reinforce().train(pg.LinearTask(), "gauss"), "policy must have the methods score_sums and with_theta, got str"),
    (lambda: pg.Reinforce().train(GRID, pg.SoftmaxPolicy(4, 4)), "task must have the methods reset and step, got GridWorld"),
    (lambda: pg.CartPoleTask("cart"), "system must have the methods step and fallen, got str; take a CartPole"),
    (lambda: pg.CartPoleTask().reset(-1, 0), "n must be an integer >= 1, got -1"),
    (lambda: pg.LinearTask().reset(2.5, 0), "n must be an integer >= 1, got 2.5"),
    (lambda: pg.MDPTask(GRID).reset(0, 0), "n must be an integer >= 1, got 0"),
    (lambda: pg.step_weights(BATCH._replace(rewards=np.ones(3)), 0.9), r"batch.rewards must be \(n, T\).*got shape \(3,\)"),
    (lambda: pg.step_weights(BATCH._replace(alive=np.ones((1, 3), bool)), 0.9), r"batch.alive must begin with.*\(2, 3\); got \(1, 3\)"),
    (lambda: pg.step_weights(BATCH._replace(alive=np.full((2, 3), 0.5)), 0.9), "batch.alive must be True or False.*of type float64"),
    (lambda: pg.step_weights(BATCH._replace(states=np.zeros((2, 4), int)), 0.9), r"batch.states must begin with.*\(2, 3\); got \(2, 4\)"),
    (lambda: pg.control_variates(pg.SoftmaxPolicy(1, 2), BATCH._replace(actions=np.zeros(2, int)), 0.9, np.ones((2, 3, 1))),
     r"batch.actions must begin with.*got \(2,\)"),
])
def test_bad_input_is_refused(act, message):
    with pytest.raises(ValueError, match=message):
        act()


def test_the_type_of_the_numbers_does_not_change_their_meaning():
    gauss, table = pg.GaussianPolicy(2, theta=[0.5, -1.0]), pg.SoftmaxPolicy(2, 2, theta=[0.0, 1.0, 2.0, -1.0])
    assert_allclose(gauss.mean([[1, 0], [2, 1]]), gauss.mean([[1.0, 0.0], [2.0, 1.0]]))
    assert_allclose(table.probabilities([1, 0]), table.probabilities([1.0, 0.0]))
    assert_allclose(table.grad_logp([1, 0], [0, 1]), table.grad_logp([1.0, 0.0], [0, 1]))


def test_task_and_exact_return_want_an_mdp():
    for act in (lambda: pg.MDPTask("hall", start=0), lambda: pg.exact_return(None, pg.SoftmaxPolicy(2, 2), 0)):
        with pytest.raises(TypeError, match="mdp must be an MDP"):
            act()


def test_baseline_before_fit_is_refused():
    with pytest.raises(NotFittedError, match="This Baseline is not fitted yet"):
        pg.Baseline().predict(np.ones((2, 3, 1)))
