"""Stochastic policies whose log-probability can be differentiated: softmax over actions, Gaussian over the reals.

A policy holds all its parameters in one flat array ``theta`` and never changes it: ``with_theta`` returns a new policy. States
come in batches of any leading shape; gradients have one more axis, the parameters.
"""

import copy

import numpy as np

from mlcore.base import as_array, check_array, check_callable, check_number, check_rng
from mlcore.foundations.mathematics import log_softmax, softmax


def check_indices(values, name, size, remedy=""):
    """Whole numbers in 0..size - 1, as integers; a negative one would count from the end and go unnoticed."""
    values = as_array(values, name)
    if values.dtype.kind not in "iu":
        numbers = check_array(values, name=name, ndim=None)
        if (numbers != np.round(numbers)).any():
            raise ValueError(f"{name} must be whole numbers in 0..{size - 1}, got {numbers[numbers != np.round(numbers)][0]:g}{remedy}.")
        values = numbers.astype(int)
    if not values.size:
        raise ValueError(f"{name} is empty; at least one is needed.")
    if values.astype(np.uint64).max() >= size:                              # a negative number becomes a huge one
        raise ValueError(f"{name} must be whole numbers in 0..{size - 1}, got values from {values.min()} to {values.max()}.")
    return values


def _numbered(states, n_states):
    return check_indices(states, "states", n_states, "; for states that are vectors pass features, for example features=lambda s: s")


def _vectors(phi, n_features, name):
    """Feature vectors (..., d) of finite numbers."""
    phi = check_array(phi, name=name, ndim=None)
    if phi.ndim == 0 or phi.shape[-1] != n_features:
        raise ValueError(f"the features of a state must be {n_features} numbers in the last axis, got an array of shape {phi.shape}.")
    return phi


def state_features(states, n_features, features=None):
    """Features phi(s) (..., d) of a batch of states.

    ``features`` is a function of the states. Without one, the states are whole numbers 0..d - 1 and are turned into unit vectors, a
    parameter of its own for every state.

    >>> state_features([2, 0], 3)
    array([[0., 0., 1.],
           [1., 0., 0.]])
    """
    check_number(n_features, "n_features", low=1, integer=True)
    if features is None:
        return np.eye(n_features)[_numbered(states, n_features)]
    return _vectors(check_callable(features, "features")(as_array(states, "states")), n_features, "features(states)")


def quadratic_features(states):
    """1, the state and its squares, (..., 1 + 2 d) of vectors (..., d): enough for the value of most linear systems.

    >>> quadratic_features([[2.0, 3.0]])
    array([[1., 2., 3., 4., 9.]])
    """
    states = check_array(states, name="states", ndim=None)
    if states.ndim == 0:
        raise ValueError("states must be vectors, an array of shape (..., d); got a single number.")
    return np.concatenate([np.ones((*states.shape[:-1], 1)), states, states**2], axis=-1)


class Policy:
    """Common part of the policies: the flat parameter array."""

    def _set_theta(self, theta, size):
        theta = np.zeros(size) if theta is None else check_array(theta, name="theta", ndim=1)
        if len(theta) != size:
            raise ValueError(f"theta must hold {size} parameters for this policy, got {len(theta)}.")
        self.theta = theta.copy()
        self.theta.setflags(write=False)

    def with_theta(self, theta):
        """The same policy with other parameters (p,)."""
        new = copy.copy(self)
        new._set_theta(theta, len(self.theta))
        return new

    def phi(self, states):
        """Features (..., d) of the states."""
        return state_features(states, self.n_features, self.features)

    def grad_logp(self, states, actions):
        """Score (..., p), the gradient of log pi(a | s) by theta: {eq}`eq-pg-softmax-score`, {eq}`eq-pg-gaussian-score`."""
        phi, residual, rest = self._score_parts(states, actions)
        outer = (phi[..., :, None] * residual[..., None, :]).reshape(*phi.shape[:-1], -1)
        return np.concatenate([outer, rest], axis=-1)

    def score_sums(self, states, actions, weights):
        """sum_t weights_t grad log pi(a_t | s_t) of every run, (n, p), without building the array (n, T, p) of all scores."""
        phi, residual, rest = self._score_parts(states, actions)
        weights = check_array(weights, name="weights", ndim=None)
        if weights.shape != phi.shape[:-1] or weights.ndim != 2:
            raise ValueError(f"weights must be (n, T) with one number per state, {phi.shape[:-1]}; got {weights.shape}.")
        outer = np.swapaxes(phi, 1, 2) @ (weights[..., None] * residual)    # (n, d, T) @ (n, T, k)
        return np.concatenate([outer.reshape(len(phi), -1), (weights[:, None, :] @ rest)[:, 0]], axis=-1)


class SoftmaxPolicy(Policy):
    """Choose among k actions with probabilities softmax(phi(s)^T Theta), {eq}`eq-pg-softmax`.

    Parameters
    ----------
    n_features : d; without ``features`` it is the number of states
    n_actions : k
    features : function from states to (..., d), or None: the states are whole numbers, each with parameters of its own
    theta : (d * k,) parameters, row by row of Theta (d, k); zeros (all actions equally likely) if None

    >>> policy = SoftmaxPolicy(2, 2, theta=[0.0, np.log(3.0), 0.0, 0.0])
    >>> policy.probabilities([0, 1]).round(2)
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    >>> policy.grad_logp([0], [1]).round(2) + 0.0
    array([[-0.25,  0.25,  0.  ,  0.  ]])
    """

    def __init__(self, n_features, n_actions, features=None, theta=None):
        self.n_features = check_number(n_features, "n_features", low=1, integer=True)
        self.n_actions = check_number(n_actions, "n_actions", low=2, integer=True)
        self.features = None if features is None else check_callable(features, "features")
        self._set_theta(theta, n_features * n_actions)

    def _logits(self, states):
        table = self.theta.reshape(self.n_features, self.n_actions)
        if self.features is None:
            return table[_numbered(states, self.n_features)]                # a row of its own: no product with unit vectors
        return self.phi(states) @ table

    def _actions(self, actions, leading):
        actions = check_indices(actions, "actions", self.n_actions)
        if actions.shape != leading:
            raise ValueError(f"actions must have shape {leading}, one action per state; got {actions.shape}.")
        return actions

    def probabilities(self, states):
        """pi(a | s) of every action, (..., k)."""
        return softmax(self._logits(states))

    def sample(self, states, rng):
        """One action per state, by inverting the distribution function."""
        u = self._logits(states)
        below = np.cumsum(np.exp(u - u.max(axis=-1, keepdims=True)), axis=-1)
        draw = check_rng(rng).random((*below.shape[:-1], 1)) * below[..., -1:]
        return (draw > below).sum(axis=-1)

    def logp(self, states, actions):
        """log pi(a | s), (...)."""
        log_p = log_softmax(self._logits(states))
        actions = self._actions(actions, log_p.shape[:-1])
        return np.take_along_axis(log_p, actions[..., None], axis=-1)[..., 0]

    def _score_parts(self, states, actions):
        """phi and e_a - pi, whose outer product is the score; no further parameters."""
        phi = self.phi(states)
        actions = self._actions(actions, phi.shape[:-1])
        residual = np.eye(self.n_actions)[actions] - self.probabilities(states)
        return phi, residual, np.zeros((*phi.shape[:-1], 0))

    def entropy(self, states):
        """-sum_a pi log pi in nats, (...): log k when all actions are equal, 0 when one is certain."""
        log_p = log_softmax(self._logits(states))
        return -(np.exp(log_p) * log_p).sum(axis=-1)


class GaussianPolicy(Policy):
    """Draw an action from N(phi(s)^T K, diag(sigma^2)), {eq}`eq-pg-gaussian`.

    Parameters
    ----------
    n_features : d;  action_dim : m
    std : sigma > 0, a number or (m,); the fixed value, or the first one if it is learned
    learn_std : whether log sigma belongs to the parameters
    features : function from states to (..., d), or None: the state vectors themselves
    theta : (d * m,) gains row by row of K (d, m), followed by (m,) log sigma if it is learned; zeros and log(std) if None

    >>> policy = GaussianPolicy(1, std=0.5, theta=[-0.3])
    >>> policy.mean([[2.0]])
    array([[-0.6]])
    >>> policy.grad_logp([[2.0]], [[-0.1]]).round(6)
    array([[4.]])
    """

    def __init__(self, n_features, action_dim=1, std=1.0, learn_std=False, features=None, theta=None):
        self.n_features = check_number(n_features, "n_features", low=1, integer=True)
        self.action_dim = check_number(action_dim, "action_dim", low=1, integer=True)
        std = check_array(np.atleast_1d(std), name="std", ndim=1)
        if len(std) not in (1, action_dim) or (std <= 0).any():
            raise ValueError(f"std must be positive, one number or {action_dim} of them, got {std.tolist()}.")
        self.learn_std, self.features = bool(learn_std), None if features is None else check_callable(features, "features")
        self._fixed_log_std = np.log(np.broadcast_to(std, action_dim))
        gains = n_features * action_dim
        if theta is None and self.learn_std:
            theta = np.concatenate([np.zeros(gains), self._fixed_log_std])
        self._set_theta(theta, gains + action_dim * self.learn_std)

    def phi(self, states):
        """Features (..., d) of the states, which are vectors of d numbers if no function gives the features."""
        return _vectors(states, self.n_features, "states") if self.features is None else super().phi(states)

    @property
    def gain(self):
        """K (d, m)."""
        return self.theta[:self.n_features * self.action_dim].reshape(self.n_features, self.action_dim)

    @property
    def std(self):
        """Sigma (m,)."""
        return np.exp(self.theta[-self.action_dim:] if self.learn_std else self._fixed_log_std)

    def mean(self, states):
        """Mean action (..., m)."""
        return self.phi(states) @ self.gain

    def sample(self, states, rng):
        """One action (..., m) per state."""
        mean = self.mean(states)
        return mean + self.std * check_rng(rng).normal(size=mean.shape)

    def _standardized(self, states, actions):
        phi, actions = self.phi(states), check_array(actions, name="actions", ndim=None)
        if actions.shape != (*phi.shape[:-1], self.action_dim):
            raise ValueError(f"actions must have shape {(*phi.shape[:-1], self.action_dim)}, one vector of {self.action_dim} per state; "
                             f"got {actions.shape}.")
        return phi, (actions - phi @ self.gain) / self.std

    def logp(self, states, actions):
        """Log-density of the actions, (...)."""
        _, z = self._standardized(states, actions)
        return -(0.5 * z**2 + np.log(self.std) + 0.5 * np.log(2 * np.pi)).sum(axis=-1)

    def _score_parts(self, states, actions):
        """phi and (a - mean) / sigma^2, whose outer product is the score of K; then z^2 - 1, that of a learned log sigma."""
        phi, z = self._standardized(states, actions)
        return phi, z / self.std, z**2 - 1 if self.learn_std else z[..., :0]

    def entropy(self, states):
        """Differential entropy in nats, (...): the same in every state, negative for a small sigma."""
        leading = self.phi(states).shape[:-1]
        return np.full(leading, np.sum(np.log(self.std) + 0.5 * np.log(2 * np.pi * np.e)))
