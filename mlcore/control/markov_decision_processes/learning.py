"""Learning an MDP from experience: transition counts, unvisited pairs, and the loop that explores while it learns."""

from typing import NamedTuple

import numpy as np

from mlcore.base import as_array, check_array, check_number, check_option, check_rng
from mlcore.control.markov_decision_processes.model import MDP
from mlcore.control.markov_decision_processes.solving import value_iteration

UNVISITED = ("uniform", "optimistic", "error")


class CountModel:
    """Transition counts and reward sums of a finite MDP, (eq-mdp-counts).

    Parameters
    ----------
    n_states, n_actions : ints

    Attributes
    ----------
    counts : (A, S, S) transitions seen;  reward_sums : (S, A);  visits : (S, A)

    >>> model = CountModel(2, 1)
    >>> for s2 in (0, 1, 1, 1):
    ...     model.update(0, 0, 2.0, s2)
    >>> mdp = model.to_mdp(gamma=0.9)
    >>> mdp.P[0].tolist(), mdp.R[:, 0].tolist()
    ([[0.25, 0.75], [0.5, 0.5]], [2.0, 2.0])
    """

    def __init__(self, n_states, n_actions):
        S = check_number(n_states, "n_states", low=1, integer=True)
        A = check_number(n_actions, "n_actions", low=1, integer=True)
        self.n_states, self.n_actions = S, A
        self.counts, self.reward_sums = np.zeros((A, S, S)), np.zeros((S, A))

    @property
    def visits(self):
        """How often each action was taken in each state, (S, A)."""
        return self.counts.sum(axis=2).T

    def update(self, s, a, r, s2):
        """Count one transition, or many at once when the arguments are arrays."""
        s, a, s2 = as_array(s, "s"), as_array(a, "a"), as_array(s2, "s2")
        r = check_array(r, name="r", ndim=None, min_samples=0)
        if not s.shape == a.shape == s2.shape or r.shape not in ((), s.shape):
            raise ValueError(f"s, a, r and s2 must have one shape (or r be a number), got {s.shape}, {a.shape}, {r.shape}, {s2.shape}.")
        for name, value, size in (("s", s, self.n_states), ("a", a, self.n_actions), ("s2", s2, self.n_states)):
            if value.dtype.kind not in "iu" or (value < 0).any() or (value >= size).any():
                raise ValueError(f"{name} must be whole numbers in 0..{size - 1}, got {value.ravel()[:5].tolist()}.")
        np.add.at(self.counts, (a, s, s2), 1)
        np.add.at(self.reward_sums, (s, a), r)

    def to_mdp(self, gamma, unvisited="uniform", optimism=None, known=1):
        """The MDP of the observed frequencies.

        Parameters
        ----------
        gamma : discount of the MDP
        unvisited : what a pair (s, a) seen fewer than ``known`` times does.
            'uniform' goes anywhere with probability 1 / S and pays the mean of all rewards seen;
            'optimistic' stays in s and pays ``optimism``, so that the pair looks worth optimism / (1 - gamma);
            'error' refuses
        optimism : reward promised by 'optimistic', usually the largest possible one
        """
        check_option(unvisited, "unvisited", UNVISITED)
        visits = self.visits
        unknown = visits < check_number(known, "known", low=1, integer=True)
        if unvisited == "error" and unknown.any():
            s, a = np.argwhere(unknown)[0]
            raise ValueError(f"{unknown.sum()} of {unknown.size} pairs (state, action) were seen fewer than {known} times, first "
                             f"({s}, {a}); collect more data or choose unvisited='uniform' or 'optimistic'.")
        total = visits.sum()
        P = self.counts / np.where(visits.T > 0, visits.T, 1)[:, :, None]
        R = self.reward_sums / np.where(visits > 0, visits, 1)
        states, actions = np.nonzero(unknown)
        if unvisited == "optimistic":
            P[actions, states] = np.eye(self.n_states)[states]
            R[states, actions] = check_number(optimism, "optimism")
        else:
            P[actions, states] = 1 / self.n_states
            R[states, actions] = self.reward_sums.sum() / total if total else 0.0
        return MDP(P, R, gamma)


class LearningRun(NamedTuple):
    """What :func:`model_based_rl` did: the counts, the last policy and values, and per trial the discounted return, the sweeps
    of value iteration and the share of pairs (state, action) seen so far."""

    model: CountModel
    policy: np.ndarray
    V: np.ndarray
    returns: np.ndarray
    sweeps: np.ndarray
    coverage: np.ndarray


def model_based_rl(env, n_trials, horizon, explore="greedy", epsilon=0.1, optimism=None, known=1, warm_start=True, tol=1e-4,
                   start=None, rng=None):
    """Act, count, solve the counted MDP, act greedily: model-based reinforcement learning.

    Parameters
    ----------
    env : object with ``step(s, a, rng) -> (s2, r)``, ``n_states``, ``n_actions``, ``gamma``, for example an :class:`MDP`;
        the learner never looks at its probabilities
    n_trials, horizon : number of trials and steps in each
    explore : 'greedy' takes the best action of the current model; 'epsilon' a random one with probability ``epsilon``;
        'optimistic' the best action of a model in which every pair seen fewer than ``known`` times pays ``optimism``
    warm_start : value iteration begins at the last V instead of 0
    start : first state of a trial, or None for a random one
    """
    check_option(explore, "explore", ("greedy", "epsilon", "optimistic"))
    check_number(epsilon, "epsilon", low=0, high=1)
    check_number(known, "known", low=1, integer=True)
    check_number(n_trials, "n_trials", low=1, integer=True)
    check_number(horizon, "horizon", low=1, integer=True)
    if not all(hasattr(env, name) for name in ("step", "n_states", "n_actions", "gamma")):
        raise TypeError(f"env must have step(s, a, rng), n_states, n_actions and gamma, as an MDP does; got {type(env).__name__}.")
    rng, gamma, S, A = check_rng(rng), env.gamma, env.n_states, env.n_actions
    if start is not None:
        check_number(start, "start", low=0, high=S - 1, integer=True)
    if explore == "optimistic":
        check_number(optimism, "optimism")
    model, V, policy = CountModel(S, A), None, rng.integers(A, size=S)
    unvisited = {"unvisited": "optimistic", "optimism": optimism, "known": known} if explore == "optimistic" else {}
    returns, sweeps, coverage = [], [], []
    for _ in range(n_trials):
        s, total, trial = int(rng.integers(S)) if start is None else start, 0.0, []
        for t in range(horizon):
            a = int(rng.integers(A)) if explore == "epsilon" and rng.random() < epsilon else int(policy[s])
            s2, r = env.step(s, a, rng)
            trial.append((s, a, r, s2))
            total += gamma**t * r
            s = s2
        states, actions, rewards, after = zip(*trial)
        model.update(states, actions, rewards, after)
        solution = value_iteration(model.to_mdp(gamma, **unvisited), tol=tol, V=V if warm_start else None)
        V, policy = solution.V, solution.policy
        returns.append(total)
        sweeps.append(solution.n_iter)
        coverage.append((model.visits > 0).mean())
    return LearningRun(model, policy, V, np.array(returns), np.array(sweeps), np.array(coverage))
