"""The policy gradient of a small known MDP without sampling: by visitation frequencies, and by writing down every trajectory."""

import numpy as np

from mlcore.base import check_number
from mlcore.control.markov_decision_processes import policy_model, policy_value, q_values
from mlcore.control.policy_gradient.rollouts import Trajectories, check_methods, start_distribution


def _policy_table(mdp, policy):
    """pi (S, A) in every state."""
    check_methods(policy, "policy", ("probabilities",), "take one over finitely many actions, such as a SoftmaxPolicy")
    pi = policy.probabilities(np.arange(mdp.n_states))
    if pi.shape[1] != mdp.n_actions:
        raise ValueError(f"the policy chooses among {pi.shape[1]} actions, but the MDP has {mdp.n_actions}.")
    return pi


def _policy_gradients(policy, pi):
    """Derivatives of pi(a | s) by theta, (S, A, p)."""
    states, actions = np.indices(pi.shape)
    return pi[..., None] * policy.grad_logp(states, actions)


def _finite_q(mdp, pi, horizon):
    """Q of the last ``horizon`` steps, first step first: (T, S, A)."""
    V, Q = np.zeros(mdp.n_states), []
    for _ in range(check_number(horizon, "horizon", low=1, integer=True)):
        Q.append(q_values(mdp, V))
        V = (pi * Q[-1]).sum(axis=1)
    return np.array(Q[::-1])


def exact_return(mdp, policy, start, horizon=None):
    """eta(theta), the expected discounted return {eq}`eq-pg-objective`; ``horizon`` None means forever.

    >>> from mlcore.control.markov_decision_processes import MDP
    >>> from mlcore.control.policy_gradient.policies import SoftmaxPolicy
    >>> stay_or_go = MDP([[[1, 0], [0, 1]], [[0, 1], [1, 0]]], R=[0.0, 1.0], gamma=0.9)
    >>> round(exact_return(stay_or_go, SoftmaxPolicy(2, 2), start=0), 6)
    4.5
    """
    mu, pi = start_distribution(mdp, start), _policy_table(mdp, policy)
    if horizon is None:
        return float(mu @ policy_value(mdp, pi))
    return float(mu @ (pi * _finite_q(mdp, pi, horizon)[0]).sum(axis=1))


def exact_gradient(mdp, policy, start, horizon=None, discount_weights=True):
    """Gradient of ``exact_return``, sum_t gamma^t sum_s P(s_t = s) sum_a (grad pi(a|s)) Q_t(s, a).

    It is {eq}`eq-pg-theorem` for a finite horizon and {eq}`eq-pg-endless`, with the discounted visits from a linear system, without one.
    ``discount_weights=False`` leaves out gamma^t and so gives the mean of the update that the notes print, which is not a gradient.
    It needs a finite horizon.
    """
    mu, pi = start_distribution(mdp, start), _policy_table(mdp, policy)
    grad_pi = _policy_gradients(policy, pi)
    P, _ = policy_model(mdp, pi)
    if horizon is None:
        if not discount_weights:
            raise ValueError("without gamma^t the visits of an endless run do not add up to a number; give a finite horizon.")
        visits = np.linalg.solve(np.eye(mdp.n_states) - mdp.gamma * P.T, mu)
        return np.einsum("s,sap,sa->p", visits, grad_pi, q_values(mdp, policy_value(mdp, pi)))
    total, weight = np.zeros(len(policy.theta)), 1.0
    for Q in _finite_q(mdp, pi, horizon):
        total += weight * np.einsum("s,sap,sa->p", mu, grad_pi, Q)
        mu, weight = mu @ P, weight * (mdp.gamma if discount_weights else 1.0)
    return total


def enumerate_trajectories(mdp, policy, start, horizon, limit=200_000):
    """Every trajectory of positive probability as one batch, and its probability (n,), {eq}`eq-pg-trajectory`.

    Weighted by the probabilities, the mean and the variance of any estimator over this batch are exact.

    >>> from mlcore.control.markov_decision_processes import MDP
    >>> from mlcore.control.policy_gradient.policies import SoftmaxPolicy
    >>> stay_or_go = MDP([[[1, 0], [0, 1]], [[0, 1], [1, 0]]], R=[0.0, 1.0], gamma=0.9)
    >>> batch, p = enumerate_trajectories(stay_or_go, SoftmaxPolicy(2, 2), start=0, horizon=3)
    >>> batch.states.shape, float(p.sum())
    ((8, 3), 1.0)
    """
    check_number(horizon, "horizon", low=1, integer=True)
    check_number(limit, "limit", low=1, integer=True)
    mu, pi = start_distribution(mdp, start), _policy_table(mdp, policy)
    states = np.flatnonzero(mu)[:, None]
    actions, p = np.zeros((len(states), 0), int), mu[states[:, 0]]
    for t in range(horizon):
        if t:                                                               # branch over the next states
            step = mdp.P[actions[:, -1], states[:, -1]]                     # (n, S)
            row, later = np.nonzero(step)
            states, actions = np.column_stack([states[row], later]), actions[row]
            p = p[row] * step[row, later]
        row, a = np.divmod(np.arange(len(states) * mdp.n_actions), mdp.n_actions)
        states, actions, p = states[row], np.column_stack([actions[row], a]), p[row] * pi[states[row, -1], a]
        if len(p) > limit:
            raise ValueError(f"there are more than {limit} trajectories already at step {t + 1} of {horizon}; sample them instead.")
    rewards = mdp.R[states, actions]
    return Trajectories(states, actions, rewards, np.ones(rewards.shape, bool)), p
