"""Finite-horizon Markov decision processes: dynamics and rewards that may change with time, solved backward."""

from typing import NamedTuple

import numpy as np

from mlcore.base import as_array, check_number
from mlcore.control.lqr_and_lqg.checks import check_instance
from mlcore.control.markov_decision_processes import MDP


class Plan(NamedTuple):
    """Values and policy of every step: V (T + 1, S), policy (T + 1, S), Q (T + 1, S, A)."""

    V: np.ndarray
    policy: np.ndarray
    Q: np.ndarray


class FiniteHorizonMDP:
    """States, actions and T + 1 decisions t = 0, ..., T; the return is the plain sum of the rewards (eq-lqr-return).

    Parameters
    ----------
    P : (A, S, S) array, P[a, s, s2]; or (T, A, S, S), or a function of t, for transitions that change with time
    R : (S,) or (S, A) rewards; or (T + 1, S, A), or a function of t
    T : number of transitions, an integer >= 0

    Attributes
    ----------
    P, R : lists of T arrays (A, S, S) and of T + 1 arrays (S, A);  n_states, n_actions : ints

    >>> stay_or_go = FiniteHorizonMDP([[[1, 0], [0, 1]], [[0, 1], [1, 0]]], R=[0.0, 1.0], T=3)
    >>> backward_induction(stay_or_go).V[0]
    array([3., 4.])
    """

    def __init__(self, P, R, T):
        self.T = check_number(T, "T", low=0, integer=True)
        P, R = _per_step(P, 3, max(T, 1), "P", "transitions"), _per_step(R, 2, T + 1, "R", "decisions")
        self.P, self.R = [], []
        for t in range(T + 1):  # MDP checks shapes and probabilities; the last decision has no transition
            step = MDP(P[min(t, len(P) - 1)], R[t], gamma=0.0)
            if t and (step.n_states, step.n_actions) != (self.n_states, self.n_actions):
                raise ValueError(f"step {t} has {step.n_states} states and {step.n_actions} actions, but step 0 has {self.n_states} "
                                 f"and {self.n_actions}; they must agree.")
            self.n_states, self.n_actions = step.n_states, step.n_actions
            self.R.append(step.R)
            if t < T:
                self.P.append(step.P)


def _per_step(value, ndim, count, name, what):
    """A list of ``count`` entries from one array for all steps, one array per step or a function of the step."""
    if callable(value):
        return [value(t) for t in range(count)]
    value = as_array(value, name)
    if value.ndim <= ndim:
        return [value] * count
    if len(value) != count:
        raise ValueError(f"{name} holds {len(value)} steps, but there are {count} {what}.")
    return list(value)


def backward_induction(mdp):
    """Optimal values and policy of every step, from the last one backward (eq-lqr-last), (eq-lqr-backward).

    Of several best actions the one with the smallest number is taken.
    """
    check_instance(mdp, FiniteHorizonMDP, "mdp")
    V, policy = np.empty((mdp.T + 1, mdp.n_states)), np.empty((mdp.T + 1, mdp.n_states), dtype=int)
    Q = np.empty((mdp.T + 1, mdp.n_states, mdp.n_actions))
    for t in reversed(range(mdp.T + 1)):
        Q[t] = mdp.R[t]
        if t < mdp.T:
            Q[t] += (mdp.P[t] @ V[t + 1]).T  # (A, S, S) @ (S,) -> (A, S)
        V[t], policy[t] = Q[t].max(axis=1), Q[t].argmax(axis=1)
    return Plan(V, policy, Q)


def evaluate_policy(mdp, policy):
    """Values (T + 1, S) of a policy: (S,) the same at every step, or (T + 1, S) one row per step (eq-lqr-value).

    >>> always_go = evaluate_policy(FiniteHorizonMDP([[[1, 0], [0, 1]], [[0, 1], [1, 0]]], R=[0.0, 1.0], T=3), [1, 1])
    >>> always_go[0]
    array([2., 2.])
    """
    check_instance(mdp, FiniteHorizonMDP, "mdp")
    shape, given = (mdp.T + 1, mdp.n_states), as_array(policy, "policy")
    if given.shape not in (shape, shape[1:]) or given.dtype.kind not in "iu" or given.min() < 0 or given.max() >= mdp.n_actions:
        raise ValueError(f"policy must hold action numbers 0..{mdp.n_actions - 1} in shape {shape[1:]} or {shape}, "
                         f"got shape {given.shape} and type {given.dtype}.")
    rows, states, V = np.broadcast_to(given, shape), np.arange(mdp.n_states), np.empty(shape)
    for t in reversed(range(mdp.T + 1)):
        V[t] = mdp.R[t][states, rows[t]]
        if t < mdp.T:
            V[t] += mdp.P[t][rows[t], states] @ V[t + 1]
    return V
