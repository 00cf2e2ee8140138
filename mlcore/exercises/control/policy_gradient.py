"""Checks of the exercises of control/policy_gradient."""

import numpy as np

from mlcore.control import policy_gradient as pg
from mlcore.control.markov_decision_processes import MDP, policy_model, policy_value, q_values
from mlcore.exercises.core import exercise, expect_close
from mlcore.foundations.mathematics import log_gaussian, numerical_gradient


@exercise("calm_baseline", wrong={
    "the baseline of the notes": (1000, 1.5),
    "the estimate for the sum": (999.5, 3.0),
})
def calm_baseline(answer):
    """Check the baseline and the estimate against the two outcomes."""
    assert np.shape(answer) == (2,), "give two numbers: (baseline, estimate)"
    b, estimate = (float(part) for part in answer)
    gap = abs((1001 - b) + (998 - b))
    assert gap < 1e-6, f"with the baseline {b:g} the two estimates still differ by {gap:g} z"
    expect_close(estimate, 1001 - b, "the estimate")
    return "right, and it equals the mean return"


def _reversed_sum(rewards, gamma):
    powers = gamma ** np.arange(rewards.shape[1])
    return np.cumsum((rewards * powers)[:, ::-1], axis=1)[:, ::-1]


@exercise("returns_to_go", wrong={
    "discounted from the start of the run": _reversed_sum,
    "not discounted": lambda rewards, gamma: np.cumsum(rewards[:, ::-1], axis=1)[:, ::-1],
    "the past instead of the future": lambda rewards, gamma: np.cumsum(rewards * gamma ** np.arange(rewards.shape[1]), axis=1),
})
def returns_to_go(answer):
    """Compare with the double sum, also for gamma = 0 and for a long run; the argument must stay as it was."""
    rng = np.random.default_rng(0)
    for T, gamma in ((4, 0.5), (7, 1.0), (5, 0.0), (3000, 0.7)):
        rewards = rng.normal(size=(3, T))
        before = rewards.copy()
        got = answer(rewards, gamma)
        assert np.array_equal(rewards, before), "the rewards were changed; work on a copy"
        horizon = min(T, 120)                                    # 0.7^120 is far below the tolerance
        powers = gamma ** np.arange(horizon)
        want = np.array([[powers[:min(horizon, T - t)] @ row[t:t + horizon] for t in range(T)] for row in rewards])
        expect_close(got, want, f"the returns-to-go for T = {T}, gamma = {gamma}")
    return "right, also for gamma = 0"


@exercise("score_of_sigma", wrong={
    "the score of log sigma": lambda a, m, sigma: (a - m) ** 2 / sigma**2 - 1,
    "without the normalizing constant": lambda a, m, sigma: (a - m) ** 2 / sigma**3,
    "the score of the mean": lambda a, m, sigma: (a - m) / sigma**2,
})
def score_of_sigma(answer):
    """Compare with numerical derivatives of the log-density."""
    for a, m, sigma in ((0.3, -1.0, 0.5), (2.0, 2.0, 3.0), (-4.0, 1.0, 2.0)):
        want = numerical_gradient(lambda x, a=a, m=m: log_gaussian([a], [m], [[float(x) ** 2]]), sigma)
        expect_close(answer(a, m, sigma), want, f"the score at a = {a}, m = {m}, sigma = {sigma}", rtol=1e-5)
    return "right, mean zero"


@exercise("tabular_gradient", wrong={
    "without the value": lambda visits, pi, Q: visits[:, None] * pi * Q,
    "without the probabilities": lambda visits, pi, Q: visits[:, None] * (Q - (pi * Q).sum(axis=1, keepdims=True)),
    "every state visited equally": lambda visits, pi, Q: pi * (Q - (pi * Q).sum(axis=1, keepdims=True)) * visits.mean(),
})
def tabular_gradient(answer):
    """Compare with numerical derivatives of the exact return of random MDPs."""
    rng = np.random.default_rng(1)
    for S, A in ((2, 2), (4, 3)):
        mdp = MDP(rng.dirichlet(np.ones(S), size=(A, S)), rng.normal(size=(S, A)), gamma=0.8)
        policy = pg.SoftmaxPolicy(S, A, theta=rng.normal(size=S * A))
        pi = policy.probabilities(np.arange(S))
        P, _ = policy_model(mdp, pi)
        visits = np.linalg.solve(np.eye(S) - 0.8 * P.T, np.eye(S)[0])
        want = numerical_gradient(lambda th, mdp=mdp, policy=policy: pg.exact_return(mdp, policy.with_theta(th), 0), policy.theta)
        got = answer(visits, pi, q_values(mdp, policy_value(mdp, pi)))
        expect_close(got, want.reshape(S, A), f"the gradient of an MDP with {S} states", rtol=1e-5, atol=1e-7)


def _refitted(scores, to_go):
    return np.einsum("nt,ntp->p", to_go - to_go.mean(axis=0), scores) / len(to_go)


@exercise("leave_one_out", wrong={
    "the mean of all runs": _refitted,
    "one mean for all steps": lambda scores, to_go: np.einsum("nt,ntp->p", to_go - to_go.mean(), scores) / len(to_go),
    "a sum instead of a mean": lambda scores, to_go: _refitted(scores, to_go) * len(to_go) ** 2 / (len(to_go) - 1),
})
def leave_one_out(answer):
    """Compare with a loop over the runs."""
    rng = np.random.default_rng(2)
    for n in (2, 6):
        scores, to_go = rng.normal(size=(n, 4, 3)), rng.normal(size=(n, 4))
        want = np.zeros(3)
        for i in range(n):
            others = np.delete(to_go, i, axis=0).mean(axis=0)
            want += (to_go[i] - others) @ scores[i] / n
        expect_close(answer(scores, to_go), want, f"the estimate from {n} runs")
    return "right: n / (n - 1) times the biased one"


@exercise("past_helps", wrong={
    "only the last step pays": lambda: np.array([[0.0, 0.0], [1.0, 2.0]]),
    "both steps pay alike": lambda: np.array([[1.0, 0.0], [1.0, 0.0]]),
    "nothing pays": lambda: np.zeros((2, 2)),
    "only the last step pays, a lot": lambda: np.array([[0.0, 0.0], [1e9, 3e9]]),
})
def past_helps(answer):
    """Compute both variances exactly from all four runs."""
    rewards = np.asarray(answer(), float)
    assert rewards.shape == (2, 2), f"give an array (2, 2) of rewards, got shape {rewards.shape}"
    assert np.isfinite(rewards).all(), "the rewards must be finite numbers"
    policy = pg.SoftmaxPolicy(2, 2)
    actions = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    states = np.tile([0, 1], (4, 1))
    batch = pg.Trajectories(states, actions, rewards[states, actions], np.ones((4, 2), bool))
    full, to_go = (pg.gradient_estimates(policy, batch, 1.0, kind).var(axis=0).sum() for kind in ("full", "to_go"))
    assert to_go > full * (1 + 1e-9), f"the variance of return-to-go is {to_go:.4g}, that of the full return {full:.4g}; it must be larger"
    return f"right: variance {to_go:.4g} against {full:.4g}"
