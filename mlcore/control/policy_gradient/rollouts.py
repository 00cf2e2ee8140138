"""Tasks to act in, and batches of trajectories: n runs of T steps side by side, as arrays (n, T).

A task has two methods, both on batches: ``reset(n, rng)`` draws n first states, ``step(states, actions, rng)`` returns the next
states, the rewards and which runs are over. That is all that the algorithms of this chapter see of it.
"""

from typing import NamedTuple

import numpy as np

from mlcore.base import as_array, check_array, check_number, check_rng
from mlcore.control.markov_decision_processes import CartPole
from mlcore.control.markov_decision_processes.model import check_mdp
from mlcore.control.policy_gradient.policies import check_indices


class Trajectories(NamedTuple):
    """A batch of runs.

    Attributes
    ----------
    states : (n, T) or (n, T, d);  actions : (n, T) or (n, T, m);  rewards : (n, T), 0 after the end of a run
    alive : (n, T) bool, whether the run was still going when the action was taken
    """

    states: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    alive: np.ndarray


def check_batch(batch):
    """Return ``batch`` if its four arrays belong to the same n runs of T steps, else say what is wanted."""
    if not isinstance(batch, Trajectories):
        raise ValueError(f"batch must be Trajectories, as rollout returns them; got {type(batch).__name__}.")
    shape = np.shape(batch.rewards)
    if len(shape) != 2:
        raise ValueError(f"batch.rewards must be (n, T), a row for every run; got shape {shape}.")
    for name in ("states", "actions", "alive"):
        found = np.shape(getattr(batch, name))
        if found[:2] != shape or (name == "alive" and len(found) > 2):
            raise ValueError(f"batch.{name} must begin with the shape of the rewards, {shape}; got {found}.")
    if (found := np.asarray(batch.alive).dtype).kind != "b":
        raise ValueError(f"batch.alive must be True or False for every step, got numbers of type {found}.")
    return batch


def check_methods(value, name, methods, remedy):
    """Return ``value`` if it has all the methods, else name them and the remedy."""
    if not all(callable(getattr(value, method, None)) for method in methods):
        raise ValueError(f"{name} must have the method{'s' * (len(methods) > 1)} {' and '.join(methods)}, "
                         f"got {type(value).__name__}; {remedy}.")
    return value


def _checked_step(task, now, actions, rng, t):
    """What ``task.step`` returns, as arrays that belong to the runs in ``now``; a shape like (n, 1) would broadcast to (n, n)."""
    later, r, over = (np.asarray(part) for part in task.step(now, actions, rng))
    n = len(now)
    if later.shape != now.shape or r.shape != (n,) or over.shape != (n,) or over.dtype.kind != "b":
        raise ValueError(f"task.step must return next states {now.shape}, rewards {(n,)} and booleans {(n,)}, True where a run is over; "
                         f"got shapes {later.shape}, {r.shape} and {over.shape} of type {over.dtype}.")
    if not (np.isfinite(r).all() and np.isfinite(later).all()):
        raise ValueError(f"a run left the range of floating-point numbers at step {t}: the policy does not hold the system. "
                         "Take smaller learning steps or shorter runs.")
    return later, r, over


def rollout(task, policy, n, horizon, rng):
    """n runs under the policy, T = ``horizon`` steps or fewer if all runs are over before.

    A run that is over waits where it is and pays nothing.
    """
    check_number(n, "n", low=1, integer=True)
    check_number(horizon, "horizon", low=1, integer=True)
    check_methods(task, "task", ("reset", "step"), "wrap an MDP in MDPTask")
    check_methods(policy, "policy", ("sample",), "take a SoftmaxPolicy or a GaussianPolicy")
    rng = check_rng(rng)
    now, going = np.asarray(task.reset(n, rng)), np.ones(n, bool)
    if now.shape[:1] != (n,):
        raise ValueError(f"task.reset must return {n} states, one per run; got shape {now.shape}.")
    states, actions, rewards, alive = [], [], [], []
    for t in range(horizon):
        a = policy.sample(now, rng)
        later, r, over = _checked_step(task, now, a, rng, t)
        for record, value in zip((states, actions, rewards, alive), (now, a, np.where(going, r, 0.0), going)):
            record.append(value)
        now = np.where(going.reshape(-1, *[1] * (now.ndim - 1)), later, now)
        going = going & ~over
        if not going.any():
            break
    return Trajectories(*(np.stack(record, axis=1) for record in (states, actions, rewards, alive)))


def start_distribution(mdp, start):
    """mu (S,): all weight on one state, or the given probabilities."""
    check_mdp(mdp)
    if as_array(start, "start", "a state or a distribution over states").ndim == 0:
        mu = np.zeros(mdp.n_states)
        mu[check_number(start, "start", low=0, high=mdp.n_states - 1, integer=True)] = 1
        return mu
    mu = check_array(start, name="start", ndim=1)
    if len(mu) != mdp.n_states or (mu < 0).any() or abs(mu.sum() - 1) > 1e-8:
        raise ValueError(f"start must be a state in 0..{mdp.n_states - 1} or {mdp.n_states} probabilities that sum to 1, "
                         f"got {len(mu)} numbers with sum {mu.sum():.6g}.")
    return mu


class MDPTask:
    """A finite MDP as a task.

    Parameters
    ----------
    mdp : MDP;  start : first state or (S,) distribution mu of it; None takes ``mdp.start``
    end : states in which a run is over, so that they pay nothing; None takes ``mdp.end`` if there is one

    >>> from mlcore.control.markov_decision_processes import GridWorld
    >>> task = MDPTask(GridWorld(["SG"], {"G": 1.0}, slip=0.0))
    >>> states = task.reset(3, rng=0)
    >>> task.step(states, np.array([1, 1, 3]), rng=0)
    (array([1, 1, 0]), array([0., 0., 0.]), array([False, False, False]))
    """

    def __init__(self, mdp, start=None, end=None):
        start = getattr(check_mdp(mdp), "start", None) if start is None else start
        if start is None:
            raise ValueError("start is None and this MDP names no start state; pass a state or a distribution over states.")
        self.mdp, self.mu = mdp, start_distribution(mdp, start)
        self.over = np.zeros(mdp.n_states, bool)
        ends = np.atleast_1d(getattr(mdp, "end", []) if end is None else end)
        if ends.size and (ends.dtype.kind not in "iu" or ends.min() < 0 or ends.max() >= mdp.n_states):
            raise ValueError(f"end must name states in 0..{mdp.n_states - 1}, got {ends.tolist()}.")
        self.over[ends.astype(int)] = True
        self._below = np.cumsum(mdp.P, axis=2)

    def reset(self, n, rng):
        """n first states, drawn from mu."""
        check_number(n, "n", low=1, integer=True)
        return check_rng(rng).choice(self.mdp.n_states, size=n, p=self.mu)

    def step(self, states, actions, rng):
        """Next states, rewards R[s, a], and which runs have reached an end state."""
        states, actions = check_indices(states, "states", self.mdp.n_states), check_indices(actions, "actions", self.mdp.n_actions)
        if states.ndim != 1 or actions.shape != states.shape:
            raise ValueError(f"states and actions must be (n,), one per run; got shapes {states.shape} and {actions.shape}.")
        u = check_rng(rng).random((len(states), 1))
        later = np.minimum((u >= self._below[actions, states]).sum(axis=1), self.mdp.n_states - 1)  # the last sum may round below 1
        return later, self.mdp.R[states, actions], self.over[later]


def _check_actions(actions, n):
    """One force (n, 1) per run; (n,) would broadcast against (n, 1) to (n, n)."""
    actions = check_array(actions, name="actions", ndim=None)
    if actions.shape != (n, 1):
        raise ValueError(f"actions must have shape {(n, 1)}, one real number per run; got {actions.shape}.")
    return actions


class LinearTask:
    """One number to be kept near 0: s' = decay s + effect a + noise eps, reward offset - (s^2 + cost a^2), first state N(1, 0.1^2).

    >>> round(LinearTask(offset=1.0).expected_return(gain=0.0, std=0.5, gamma=0.95, horizon=1), 4)
    -0.035
    """

    start_mean, start_std = 1.0, 0.1

    def __init__(self, decay=0.9, effect=0.5, noise=0.05, cost=0.1, offset=0.0):
        self.decay, self.effect, self.offset = (check_number(v, k) for k, v in {"decay": decay, "effect": effect, "offset": offset}.items())
        self.noise, self.cost = check_number(noise, "noise", low=0), check_number(cost, "cost", low=0)

    def reset(self, n, rng):
        """n first states (n, 1)."""
        check_number(n, "n", low=1, integer=True)
        return self.start_mean + self.start_std * check_rng(rng).normal(size=(n, 1))

    def step(self, states, actions, rng):
        """Next states (n, 1), rewards (n,), and that no run is over."""
        states = check_array(states, name="states", n_features=1)
        actions = _check_actions(actions, len(states))
        later = self.decay * states + self.effect * actions + self.noise * check_rng(rng).normal(size=states.shape)
        reward = self.offset - (states**2 + self.cost * actions**2)[:, 0]
        return later, reward, np.zeros(len(states), bool)

    def expected_return(self, gain, std, gamma, horizon):
        """Exact expected return under a ~ N(gain s, std^2), {eq}`eq-pg-linear-exact`: the second moment of s obeys a recursion."""
        check_number(gain, "gain")
        check_number(std, "std", low=0)
        check_number(gamma, "gamma", low=0, high=1)
        check_number(horizon, "horizon", low=1, integer=True)
        m2, total, gain, std = self.start_mean**2 + self.start_std**2, 0.0, np.float64(gain), np.float64(std)
        with np.errstate(over="ignore", invalid="ignore"):
            for t in range(horizon):
                total += gamma**t * (self.offset - (1 + self.cost * gain**2) * m2 - self.cost * std**2)
                m2 = (self.decay + self.effect * gain) ** 2 * m2 + (self.effect * std) ** 2 + np.square(float(self.noise))
        if not np.isfinite(total):
            raise ValueError(f"the expected return is {total} in floating-point numbers: those of the task or of the policy are too large.")
        return float(total)


class CartPoleTask:
    """Keep the pole up: reward 1 for every step until the pole leans over or the cart leaves the track.

    Parameters
    ----------
    system : CartPole, with forces clipped to 10 if None
    spread : every number of the first state is uniform in [-spread, spread]

    >>> task = CartPoleTask()
    >>> later, reward, over = task.step(np.zeros((2, 4)), np.array([[0.0], [5.0]]), rng=0)
    >>> later.shape, reward, over
    ((2, 4), array([1., 1.]), array([False, False]))
    """

    def __init__(self, system=None, spread=0.1):
        self.system = CartPole(max_force=10.0) if system is None else check_methods(system, "system", ("step", "fallen"), "take a CartPole")
        self.spread = check_number(spread, "spread", low=0)

    def reset(self, n, rng):
        """n first states (n, 4)."""
        check_number(n, "n", low=1, integer=True)
        return check_rng(rng).uniform(-self.spread, self.spread, size=(n, self.system.state_dim))

    def step(self, states, actions, rng):
        """Next states (n, 4), reward 1 each, and which runs have fallen; the motion itself is not random."""
        states = check_array(states, name="states")
        later = self.system.step(states, _check_actions(actions, len(states)))
        return later, np.ones(len(states)), self.system.fallen(later)
