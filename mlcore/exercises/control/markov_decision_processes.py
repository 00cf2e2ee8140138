"""Checks of the exercises of the chapter on Markov decision processes."""

import numbers

import numpy as np

from mlcore.control.markov_decision_processes import MDP, bellman_backup, greedy_policy, policy_iteration, policy_value, value_iteration
from mlcore.exercises.core import exercise, expect_close

GAMMAS = (0.9, 0.6, 0.97)                # more than one, so that an answer cannot have the discount built in


def _mdp(seed=0, S=5, A=3, gamma=0.9):
    rng = np.random.default_rng(seed)
    return MDP(rng.dirichlet(np.ones(S), size=(A, S)), rng.normal(size=(S, A)), gamma), rng.normal(size=S)


@exercise("enough_sweeps", wrong={
    "forgets that the first error is 20": 135,
    "rounds down": 193,
    "the stop rule's factor as well": 252,
    "not a number of sweeps": np.inf,
    "no float at all": 10**400,
})
def enough_sweeps(answer):
    """The smallest number of sweeps that the contraction guarantees."""
    assert isinstance(answer, numbers.Real) and answer % 1 == 0, f"a number of sweeps is a whole number, got {answer!r}"
    assert 0 <= answer < 1e6, f"the number lies between 0 and a million, got {answer!r:.20}"
    bound = 20 * 0.95 ** int(answer)
    assert bound <= 1e-3, f"after {int(answer)} sweeps the bound is still {bound:.6f}; the first error may be 1 / (1 - gamma) = 20"
    assert 20 * 0.95 ** (int(answer) - 1) > 1e-3, "that is enough, but so is one sweep less"
    return "right; a single state with reward 1 needs all of them"


def _zeroes_then_backs_up(P, R, gamma, V):
    V[:] = 0
    return (R + gamma * (P @ V).T).max(axis=1)


@exercise("backup", wrong={
    "averages the actions": lambda P, R, gamma, V: (R + gamma * (P @ V).T).mean(axis=1),
    "leaves the reward out of the maximum": lambda P, R, gamma, V: R[:, 0] + gamma * (P @ V).max(axis=0),
    "forgets the discount": lambda P, R, gamma, V: (R + (P @ V).T).max(axis=1),
    "mixes up from and to": lambda P, R, gamma, V: (R + gamma * np.einsum("ats,t->sa", P, V)).max(axis=1),
    "changes the caller's V": _zeroes_then_backs_up,
    "one discount for all": lambda P, R, gamma, V: (R + 0.9 * (P @ V).T).max(axis=1),
})
def backup(function):
    """One synchronous Bellman backup."""
    for seed, gamma in enumerate(GAMMAS):
        mdp, V = _mdp(seed, gamma=gamma)
        want, start = bellman_backup(mdp, V), V.copy()
        got = function(mdp.P, mdp.R, mdp.gamma, V)
        assert np.array_equal(V, start), "your function changed the caller's V"
        expect_close(got, want, "the backup of V")
    return "right"


def _synchronous(P, R, gamma, V, order):
    return (R + gamma * (P @ V).T).max(axis=1)


def _in_place(P, R, gamma, V, order):
    V = np.array(V)
    for s in order:
        V[s] = (R[s] + gamma * P[:, s] @ V).max()
    return V


def _overwrites(P, R, gamma, V, order):
    for s in order:
        V[s] = (R[s] + gamma * P[:, s] @ V).max()
    return V


@exercise("sweep", wrong={
    "a synchronous sweep": _synchronous,
    "ignores the order": lambda P, R, gamma, V, order: _in_place(P, R, gamma, V, range(len(V))),
    "changes the caller's array": _overwrites,
    "takes the order for places": lambda P, R, gamma, V, order: _in_place(P, R, gamma, V, np.argsort(order)),
    "visits every state once": lambda P, R, gamma, V, order: _in_place(P, R, gamma, V, dict.fromkeys(order)),
    "one discount for all": lambda P, R, gamma, V, order: _in_place(P, R, 0.9, V, order),
})
def sweep(function):
    """One asynchronous sweep in a given order."""
    for gamma, order in zip(GAMMAS, ([3, 0, 4, 1, 2], [2, 4, 1, 0, 3], [1, 0, 3, 1, 4, 2, 0])):
        mdp, V = _mdp(4, gamma=gamma)
        start = V.copy()
        got = function(mdp.P, mdp.R, gamma, V, order)
        assert np.array_equal(V, start), "your function changed the caller's V; work on a copy"
        assert np.shape(got) == start.shape, f"the new values should have shape {start.shape}, got {np.shape(got)}"
        assert not np.allclose(got, bellman_backup(mdp, start)), "this is a synchronous sweep: later states must see the renewed values"
        expect_close(got, _in_place(mdp.P, mdp.R, gamma, start, order), f"V after a sweep in the order {order}")
    return "right"


@exercise("new_values", wrong={
    "adds d once": lambda V, c, d, gamma: c * np.asarray(V) + d,
    "scales d by gamma / (1 - gamma)": lambda V, c, d, gamma: c * np.asarray(V) + gamma * d / (1 - gamma),
    "scales the shift too": lambda V, c, d, gamma: c * (np.asarray(V) + d / (1 - gamma)),
    "one discount for all": lambda V, c, d, gamma: c * np.asarray(V) + 10 * d,
})
def new_values(function):
    """Optimal values after a change of units of the reward."""
    for gamma, (c, d) in zip(GAMMAS, ((2.0, 0.5), (0.1, -3.0), (5.0, 1.0))):
        mdp, _ = _mdp(2, gamma=gamma)
        want = value_iteration(MDP(mdp.P, c * mdp.R + d, mdp.gamma), tol=1e-10).V
        got = function(value_iteration(mdp, tol=1e-10).V, c, d, mdp.gamma)
        expect_close(got, want, f"the optimal values for rewards {c} R + {d}", rtol=1e-6)
    return "right, for all three units"


@exercise("newton_step", wrong={
    "one backup": lambda P, R, gamma, V: (R + gamma * (P @ V).T).max(axis=1),
    "a step of value iteration, twice": lambda P, R, gamma, V: 2 * (R + gamma * (P @ V).T).max(axis=1) - V,
    "the derivative of another policy":
        lambda P, R, gamma, V: V + np.linalg.solve(np.eye(len(V)) - gamma * P[0], (R + gamma * (P @ V).T).max(axis=1) - V),
    "the solution of the whole problem": lambda P, R, gamma, V: policy_iteration(MDP(P, R, gamma)).V,
})
def newton_step(function):
    """One Newton step on B V - V."""
    for seed, gamma in enumerate(GAMMAS):
        mdp, V = _mdp(seed, gamma=gamma)
        want = policy_value(mdp, greedy_policy(mdp, V))
        expect_close(function(mdp.P, mdp.R, mdp.gamma, V.copy()), want, "V after a Newton step", rtol=1e-6)
    return "right, it is the value of the greedy policy"


@exercise("smoothed", wrong={
    "no smoothing": lambda counts, alpha: counts / np.maximum(counts.sum(axis=2, keepdims=True), 1),
    "the total grows by alpha only": lambda counts, alpha: (counts + alpha) / (counts.sum(axis=2, keepdims=True) + alpha),
    "normalizes over the wrong axis": lambda counts, alpha: (counts + alpha) / (counts + alpha).sum(axis=1, keepdims=True),
})
def smoothed(function):
    """Counts with alpha imagined transitions."""
    counts = np.random.default_rng(1).integers(0, 6, size=(2, 4, 4)).astype(float)
    counts[0, 0] = 0
    before = counts.sum()
    for alpha in (1.0, 0.3):
        got = np.asarray(function(counts, alpha), float)
        assert counts.sum() == before, "your function changed the caller's counts"
        assert got.shape == counts.shape, f"the probabilities should have shape {counts.shape}, got {got.shape}"
        expect_close(got.sum(axis=2), np.ones((2, 4)), "the sums of the rows P[a, s]")
        expect_close(got[0, 0], np.full(4, 0.25), "the row of a pair that was never tried")
        want = (counts + alpha) / (counts.sum(axis=2, keepdims=True) + 4 * alpha)
        expect_close(got, want, "the smoothed probabilities")
    return "right, 1/|S| without data"


@exercise("diverging_features", wrong={
    "the features of the text": (1.0, 2.0),
    "equal features": (1.0, 1.0),
    "a very large second feature": (1.0, 50.0),
    "the second feature zero": (1.0, 0.0),
})
def diverging_features(answer):
    """Two features for which fitted value iteration diverges at gamma = 0.83."""
    phi = np.asarray(answer, float)
    assert phi.shape == (2,) and np.isfinite(phi).all() and phi.any(), "two finite numbers are wanted, not both zero"
    phi, theta = phi / np.abs(phi).max(), 1.0                # their scale does not matter
    for _ in range(2000):
        theta = phi @ np.full(2, 0.83 * phi[1] * theta) / (phi @ phi)
    factor = 0.83 * phi[1] * phi.sum() / (phi @ phi)
    assert abs(theta) > 1 and factor > 1, f"each round multiplies theta by {factor:.4f}, and it dies out"
    return f"right, each round multiplies theta by {factor:.4f}"
