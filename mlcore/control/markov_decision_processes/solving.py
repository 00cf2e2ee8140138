"""Solving a known MDP: Bellman backups, exact policy values, value, policy and modified policy iteration.

Everything is vectorized over the states: one backup of all states under all actions is one matrix product.
"""

import numbers
import warnings
from typing import NamedTuple

import numpy as np

from mlcore.base import ConvergenceWarning, as_array, check_array, check_number, check_option
from mlcore.control.markov_decision_processes.model import check_mdp, check_policy, fault_of_actions

# Actions whose values differ by less than TIE (1 + |value|) count as tied: a linear solver is no more exact. Small rewards shrink the 1.
TIE = 1e-10


class Solution(NamedTuple):
    """What a solver found.

    Attributes
    ----------
    V : (S,) values;  policy : (S,) actions, greedy with respect to V (policy iteration: V is exactly the value of the policy)
    history : (n_iter,) sup-norm change of V in each iteration;  n_iter : int;  converged : bool
    work : cost of all iterations in backups of all states under one action; the maximum over A actions costs A of them
    iterates : every V that the run passed through, or None unless asked for: (n_iter + 1, S) from the start on, and (n_iter, S) for
        policy iteration, which starts at a policy
    """

    V: np.ndarray
    policy: np.ndarray
    history: np.ndarray
    n_iter: int
    converged: bool
    work: float
    iterates: np.ndarray | None


def q_values(mdp, V):
    """Q (S, A) with Q[s, a] = R(s, a) + gamma sum_s' P_sa(s') V(s'), (eq-mdp-q).

    >>> from mlcore.control.markov_decision_processes import MDP
    >>> q_values(MDP([[[1, 0], [0, 1]], [[0, 1], [1, 0]]], R=[0.0, 1.0], gamma=0.9), [0.0, 10.0])
    array([[ 0.,  9.],
           [10.,  1.]])
    """
    return _q(mdp, _check_V(mdp, V))


def _q(mdp, V):
    """The same without the check, for the loops."""
    return mdp.R + mdp.gamma * (mdp.P @ V).T


def _check_V(mdp, V):
    check_mdp(mdp)
    V = check_array(V, name="V", ndim=1)
    if len(V) != mdp.n_states:
        raise ValueError(f"V has {len(V)} values, but the MDP has {mdp.n_states} states.")
    return V


def bellman_backup(mdp, V):
    """One synchronous sweep, (B V)(s) = max_a Q(s, a), (eq-mdp-backup)."""
    return q_values(mdp, V).max(axis=1)


def greedy_policy(mdp, V, old=None):
    """The action with the largest Q in every state, (eq-mdp-greedy); on a tie the action of ``old`` stays, else the first wins."""
    return _best_action(q_values(mdp, V), None if old is None else check_policy(mdp, old))


def _best_action(Q, old=None, slack=np.inf):
    """Row-wise argmax of Q (S, A); an old action that ties with the best, up to rounding but never by more than ``slack``, stays."""
    best = Q.max(axis=1, keepdims=True)
    unit = np.minimum(1, np.abs(Q).max())                  # small rewards are not all tied
    among_best = best - np.minimum(TIE * (unit + np.abs(best)), slack) <= Q
    first = among_best.argmax(axis=1)
    return first if old is None else np.where(among_best[np.arange(len(Q)), old], old, first)


def policy_model(mdp, pi):
    """Transition matrix (S, S) and rewards (S,) of the Markov chain under a policy.

    ``pi`` is (S,) with an action per state, or (S, A) with a probability per action.
    """
    check_mdp(mdp)
    pi, S, A = as_array(pi, "pi"), mdp.n_states, mdp.n_actions
    if pi.shape == (S, A) and pi.dtype.kind in "biuf":
        sums = pi.sum(axis=1)
        faulty = np.flatnonzero((pi < 0).any(axis=1) | ~(np.abs(sums - 1) <= 1e-8))       # NaN is faulty too
        if not faulty.size:
            return np.einsum("sa,ast->st", pi, mdp.P), (pi * mdp.R).sum(axis=1)
        wrong = f"the row {pi[faulty[0]].tolist()} in state {faulty[0]}"
    elif not (wrong := fault_of_actions(pi, mdp)):
        return mdp.P[pi, np.arange(S)], mdp.R[np.arange(S), pi]
    raise ValueError(f"a policy is {S} actions in 0..{A - 1}, or an array ({S}, {A}) of probabilities whose rows sum to 1; got {wrong}.")


def policy_value(mdp, pi):
    """V^pi (S,), the exact solution of (I - gamma P_pi) V = R_pi, (eq-mdp-linear-system).

    >>> from mlcore.control.markov_decision_processes import MDP
    >>> policy_value(MDP([[[1, 0], [0, 1]], [[0, 1], [1, 0]]], R=[0.0, 1.0], gamma=0.9), [1, 0]).round(6)
    array([ 9., 10.])
    """
    P, R = policy_model(mdp, pi)
    return np.linalg.solve(np.eye(mdp.n_states) - mdp.gamma * P, R)


def policy_backup(mdp, pi, V):
    """One backup of a fixed policy, R_pi + gamma P_pi V, (eq-mdp-policy-backup)."""
    P, R = policy_model(mdp, pi)
    return R + mdp.gamma * (P @ _check_V(mdp, V))


def _threshold(mdp, tol):
    """A change of V below this leaves an error of at most tol, (eq-mdp-stop)."""
    check_number(tol, "tol", low=0, open_low=True)
    return tol * (1 - mdp.gamma) / mdp.gamma if mdp.gamma > 0 else np.inf


def _start(mdp, V):
    return np.zeros(mdp.n_states) if V is None else _check_V(mdp, V).copy()


def _sweep_in_place(mdp, V, order):
    """One asynchronous sweep: each state in turn sees the values already renewed."""
    V = V.copy()
    for s in order:
        V[s] = (mdp.R[s] + mdp.gamma * (mdp.P[:, s] @ V)).max()
    return V


def value_iteration(mdp, tol=1e-8, mode="sync", order=None, V=None, max_iter=100_000, keep_iterates=False):
    """Repeat the Bellman backup until V is within ``tol`` of V* in sup norm, (thm-mdp-stop).

    Parameters
    ----------
    mdp : MDP;  tol : largest error of any state at the end
    mode : 'sync' renews all states at once, 'async' one after another in place
    order : for 'async', the states in the order of a sweep, each at least once; the default is 0, 1, ..., S - 1
    V : (S,) start, zeros if None;  max_iter : sweeps before it gives up with a warning

    >>> from mlcore.control.markov_decision_processes import MDP
    >>> stay_or_go = MDP([[[1, 0], [0, 1]], [[0, 1], [1, 0]]], R=[0.0, 1.0], gamma=0.9)
    >>> solution = value_iteration(stay_or_go)
    >>> solution.V.round(6), solution.policy
    (array([ 9., 10.]), array([1, 0]))
    """
    check_mdp(mdp)
    check_option(mode, "mode", ("sync", "async"))
    if order is not None and mode == "sync":
        raise ValueError("order has a meaning only with mode='async'; a synchronous sweep renews all states at once.")
    order = np.arange(mdp.n_states) if order is None else np.asarray(order)
    if order.ndim != 1 or order.dtype.kind not in "iu" or set(order.tolist()) != set(range(mdp.n_states)):
        raise ValueError(f"order must name every state 0..{mdp.n_states - 1} at least once, else the left out ones never converge.")
    limit, V, changes = _threshold(mdp, tol), _start(mdp, V), []
    iterates, converged = [V], False
    for _ in range(check_number(max_iter, "max_iter", low=1, integer=True)):
        new = _q(mdp, V).max(axis=1) if mode == "sync" else _sweep_in_place(mdp, V, order)
        changes.append(np.abs(new - V).max())
        V = new
        if keep_iterates:
            iterates.append(V)
        if changes[-1] < limit:
            converged = True
            break
    work = len(changes) * mdp.n_actions * (len(order) / mdp.n_states)
    return _finish("value_iteration", V, greedy_policy(mdp, V), changes, converged, work, iterates if keep_iterates else None)


def policy_iteration(mdp, policy=None, max_iter=1000, keep_iterates=False):
    """Alternate exact evaluation and greedy improvement until the policy repeats, (thm-mdp-policy-iteration).

    ``policy`` (S,) is the start, action 0 everywhere if None. ``work`` counts one linear solve as S / 3 backups (its S^3 / 3
    multiplications) and each improvement as A.

    >>> from mlcore.control.markov_decision_processes import MDP
    >>> solution = policy_iteration(MDP([[[1, 0], [0, 1]], [[0, 1], [1, 0]]], R=[0.0, 1.0], gamma=0.9))
    >>> solution.V.round(6), solution.policy, solution.n_iter
    (array([ 9., 10.]), array([1, 0]), 2)
    """
    policy = np.zeros(check_mdp(mdp).n_states, int) if policy is None else check_policy(mdp, policy)
    V, changes, iterates, converged = np.zeros(mdp.n_states), [], [], False
    for _ in range(check_number(max_iter, "max_iter", low=1, integer=True)):
        new = policy_value(mdp, policy)
        changes.append(np.abs(new - V).max())
        V = new
        if keep_iterates:
            iterates.append(V)
        better = _best_action(_q(mdp, V), policy)
        if np.array_equal(better, policy):
            converged = True
            break
        policy = better
    work = len(changes) * (mdp.n_states / 3 + mdp.n_actions)
    return _finish("policy_iteration", V, policy, changes, converged, work, iterates if keep_iterates else None)


def modified_policy_iteration(mdp, k, warm_start=True, tol=1e-8, V=None, policy=None, max_iter=100_000, keep_iterates=False):
    """Policy iteration whose evaluation is k backups of the current policy, (eq-mdp-modified).

    Parameters
    ----------
    mdp : MDP
    k : backups per evaluation; 1 is value iteration, np.inf is policy iteration (a linear solve)
    warm_start : start each evaluation from the current V; False starts it from 0 every time, and then a finite k keeps an error
    tol : largest error of V at the end;  V : (S,) start, zeros if None;  policy : (S,) start, greedy with respect to V if None

    The run stops when the Bellman residual proves the error below ``tol``, and returns the backup that proved it. A cold start may
    stop moving before that: the result then has ``converged`` False and a warning says so.

    >>> from mlcore.control.markov_decision_processes import MDP
    >>> stay_or_go = MDP([[[1, 0], [0, 1]], [[0, 1], [1, 0]]], R=[0.0, 1.0], gamma=0.9)
    >>> modified_policy_iteration(stay_or_go, k=5).V.round(6)
    array([ 9., 10.])
    """
    check_mdp(mdp)
    if not (isinstance(k, numbers.Real) and k == np.inf):
        check_number(k, "k", low=1, integer=True)
    limit, V, changes = _threshold(mdp, tol), _start(mdp, V), []
    iterates, converged = [V], False
    policy = greedy_policy(mdp, V) if policy is None else check_policy(mdp, policy)
    for _ in range(check_number(max_iter, "max_iter", low=1, integer=True)):
        if k == np.inf:
            new = policy_value(mdp, policy)
        else:
            P, R = policy_model(mdp, policy)
            new = V if warm_start else np.zeros_like(V)
            for _ in range(k):
                new = R + mdp.gamma * (P @ new)            # without the brackets gamma would multiply the matrix
        changes.append(np.abs(new - V).max())
        V = new
        if keep_iterates:
            iterates.append(V)
        Q = _q(mdp, V)
        policy = _best_action(Q, policy, limit / 2)        # a larger slack would leave a residual that never passes the test
        if np.abs(Q.max(axis=1) - V).max() < limit:
            V, converged = Q.max(axis=1), True
            break
        if not warm_start and changes[-1] == 0:
            break
    # with a warm start the backup that chose the policy is also its first evaluation step, so it is paid once
    evaluation = mdp.n_states / 3 if k == np.inf else k - 1 if warm_start else k
    work = len(changes) * (mdp.n_actions + evaluation)
    return _finish(f"modified_policy_iteration(k={k})", V, greedy_policy(mdp, V), changes, converged, work,
                   iterates if keep_iterates else None)


def _finish(name, V, policy, changes, converged, work, iterates):
    """Collect a solution; say aloud when it is not one."""
    if not converged:
        warnings.warn(f"{name} did not converge in {len(changes)} iterations; the last one changed V by {changes[-1]:.3g}. "
                      "Allow more iterations (max_iter), start warm, or ask for less (tol).", ConvergenceWarning, stacklevel=3)
    return Solution(V, policy, np.array(changes), len(changes), converged, float(work),
                    None if iterates is None else np.array(iterates))
