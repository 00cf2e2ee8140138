"""Estimates of the policy gradient from trajectories, and the baselines that make them less noisy."""

import numpy as np

from mlcore.base import NotFittedError, check_array, check_callable, check_number, check_option
from mlcore.control.policy_gradient.rollouts import check_batch, check_methods

KINDS = ("full", "to_go", "baseline")
POLICY_REMEDY = "take a SoftmaxPolicy or a GaussianPolicy"


def returns_to_go(rewards, gamma):
    """R_{>=t} = sum_{j >= t} gamma^(j - t) r_j for every t, (n, T) to (n, T), by the recursion {eq}`eq-pg-recursion`.

    >>> returns_to_go([[1.0, 2.0, 4.0]], gamma=0.5)
    array([[3., 4., 4.]])
    """
    rewards = check_array(rewards, name="rewards")
    check_number(gamma, "gamma", low=0, high=1)
    out = np.zeros_like(rewards)
    later = np.zeros(len(rewards))
    for t in range(rewards.shape[1] - 1, -1, -1):
        later = rewards[:, t] + gamma * later
        out[:, t] = later
    return out


def step_weights(batch, gamma, kind="to_go", baseline=None, discount_weights=True):
    """The number (n, T) by which each estimator multiplies the score of step t.

    Parameters
    ----------
    batch : Trajectories;  gamma : discount in [0, 1]
    kind : 'full' is the return of the whole run {eq}`eq-pg-gradient`, 'to_go' gamma^t R_{>=t} {eq}`eq-pg-to-go`,
        'baseline' gamma^t (R_{>=t} - B) {eq}`eq-pg-baseline`
    baseline : (n, T) values B of the states, for kind 'baseline' only
    discount_weights : False leaves out the factor gamma^t, as the update of the notes does; then the estimate is biased
    """
    check_batch(batch)
    check_option(kind, "kind", KINDS)
    if (baseline is not None) != (kind == "baseline"):
        raise ValueError(f"kind={kind!r} {'needs' if kind == 'baseline' else 'does not use'} baseline values (n, T); "
                         f"got baseline {'None' if baseline is None else 'values'}.")
    to_go = returns_to_go(batch.rewards, gamma)
    if kind == "full":
        if not discount_weights:
            raise ValueError("kind='full' has no factor gamma^t to leave out; use kind='to_go' or 'baseline' with discount_weights=False.")
        return to_go[:, :1] * batch.alive
    if kind == "baseline":
        baseline = check_array(baseline, name="baseline")
        if baseline.shape != to_go.shape:
            raise ValueError(f"baseline must have the shape of the rewards, {to_go.shape}, got {baseline.shape}.")
        to_go = to_go - baseline
    powers = gamma ** np.arange(to_go.shape[1]) if discount_weights else 1.0
    return powers * to_go * batch.alive


def gradient_estimates(policy, batch, gamma, kind="to_go", baseline=None, discount_weights=True):
    """One estimate of the policy gradient per trajectory, (n, p); their mean is the estimate to climb. Arguments of ``step_weights``."""
    check_methods(policy, "policy", ("score_sums",), POLICY_REMEDY)
    weights = step_weights(batch, gamma, kind, baseline, discount_weights)
    return policy.score_sums(batch.states, batch.actions, weights)


class Baseline:
    """B(s) linear in features, fitted to the returns-to-go by least squares, {eq}`eq-pg-fit`.

    Parameters
    ----------
    features : function from states (n, T, ...) to (n, T, d), or None for a constant
    per_step : whether every step t has weights of its own, B_t(s), as a finite horizon wants
    time_degree : powers of t / T added to the features when the steps share their weights

    Attributes
    ----------
    weights_ : (d,), or (T, d) per step; a step that no run reaches keeps weights 0

    >>> to_go = np.array([[2.0, 1.0], [4.0, 1.0]])
    >>> Baseline(per_step=True).fit(np.zeros((2, 2, 1)), to_go).predict(np.zeros((1, 2, 1)))
    array([[3., 1.]])
    """

    def __init__(self, features=None, per_step=False, time_degree=0):
        self.features, self.per_step = None if features is None else check_callable(features, "features"), bool(per_step)
        self.time_degree = check_number(time_degree, "time_degree", low=0, integer=True)
        if self.per_step and time_degree:
            raise ValueError("time_degree has no meaning with per_step=True: every step has weights of its own.")

    def design(self, states):
        """Features (n, T, d) of the states of a batch."""
        states = check_array(states, name="states", ndim=None)
        if states.ndim < 2:
            raise ValueError(f"states must be a batch (n, T) or (n, T, d), got shape {states.shape}.")
        n, T = states.shape[:2]
        phi = np.ones((n, T, 1)) if self.features is None else check_array(self.features(states), name="features(states)", ndim=None)
        if phi.ndim != 3 or phi.shape[:2] != (n, T):
            raise ValueError(f"features must give an array ({n}, {T}, d) for {n} runs of {T} steps, got shape {phi.shape}.")
        clock = np.arange(1, T + 1) / T
        powers = [np.broadcast_to(clock**k, (n, T)) for k in range(1, self.time_degree + 1)]
        return np.concatenate([phi, np.stack(powers, axis=-1)], axis=-1) if powers else phi

    def fit(self, states, to_go, alive=None):
        """Least squares on the steps that were taken; the shortest solution when there are fewer of them than features."""
        phi, to_go = self.design(states), check_array(to_go, name="to_go")
        if to_go.shape != phi.shape[:2]:
            raise ValueError(f"to_go must have shape {phi.shape[:2]}, one number per state, got {to_go.shape}.")
        alive = np.ones(to_go.shape, bool) if alive is None else np.asarray(alive, bool)
        if alive.shape != to_go.shape:
            raise ValueError(f"alive must have the shape of to_go, {to_go.shape}, got {alive.shape}.")
        self._steps = phi.shape[1]
        if self.per_step:
            self.weights_ = np.zeros(phi.shape[1:])
            for t in range(phi.shape[1]):
                if (rows := alive[:, t]).any():
                    self.weights_[t] = np.linalg.lstsq(phi[rows, t], to_go[rows, t])[0]
        else:
            self.weights_ = np.linalg.lstsq(phi[alive], to_go[alive])[0]
        return self

    def predict(self, states):
        """B of every state of a batch, (n, T)."""
        if not hasattr(self, "weights_"):
            raise NotFittedError("This Baseline is not fitted yet; call fit(states, to_go) before using it.")
        phi = self.design(states)
        if phi.shape[-1] != self.weights_.shape[-1] or (self.per_step and phi.shape[1] != len(self.weights_)):
            raise ValueError(f"the states give features of shape {phi.shape[1:]}, but the baseline was fitted with weights "
                             f"{self.weights_.shape}.")
        if self.time_degree and phi.shape[1] != self._steps:
            raise ValueError(f"the clock t / T was fitted on runs of {self._steps} steps, the states have {phi.shape[1]}.")
        return np.einsum("ntd,td->nt" if self.per_step else "ntd,d->nt", phi, self.weights_)


def control_variates(policy, batch, gamma, phi, per_step=False, discount_weights=True):
    """C (n, p, k): what one unit of each baseline weight subtracts from the estimates, sum_t gamma^t score_t phi_k(s_t).

    ``phi`` (n, T, d) are the baseline's features; k is d, or T d with weights of its own for every step. The mean of C is 0.
    """
    check_batch(batch)
    check_methods(policy, "policy", ("grad_logp",), POLICY_REMEDY)
    check_number(gamma, "gamma", low=0, high=1)
    phi, T = check_array(phi, name="phi", ndim=3), batch.rewards.shape[1]
    if phi.shape[:2] != batch.rewards.shape:
        raise ValueError(f"phi must hold the features of every step, ({len(batch.rewards)}, {T}, d); got shape {phi.shape}.")
    powers = (gamma ** np.arange(T) if discount_weights else np.ones(T)) * batch.alive
    scores = powers[..., None] * policy.grad_logp(batch.states, batch.actions)             # (n, T, p)
    if not per_step:
        return np.einsum("ntp,ntd->npd", scores, phi)
    return np.einsum("ntp,ntd->nptd", scores, phi).reshape(len(phi), scores.shape[-1], -1)


def optimal_coefficients(A, C):
    """The w that minimizes the total variance of the estimates A - C w, {eq}`eq-pg-optimal`.

    A is (n, p), C (n, p) for one coefficient (a number is returned) or (n, p, k) for k of them.

    >>> A, C = np.array([[1001.0], [-998.0]]), np.array([[1.0], [-1.0]])
    >>> round(optimal_coefficients(A, C), 6)
    999.5
    """
    A, C = check_array(A, name="A"), check_array(C, name="C", ndim=None)
    if C.shape[:2] != A.shape or C.ndim not in (2, 3):
        raise ValueError(f"C must have shape {A.shape} or {A.shape} and one more axis, got {C.shape}.")
    unit, scale = (np.frexp(np.abs(M).max())[1] + 2 for M in (A, C))         # no sum or square overflows or vanishes in these units
    A, C = np.ldexp(A, -unit), np.ldexp(C, -scale)
    A = A - A.mean(axis=0)
    C = C - C.mean(axis=0)                                                  # the mean of C is 0 up to chance
    with np.errstate(over="ignore"):
        w = np.ldexp(np.linalg.lstsq(C.reshape(A.size, -1), A.ravel())[0], unit - scale)
    if not np.isfinite(w).all():
        raise ValueError("the best coefficients are beyond the largest number that a computer has; C is too small beside A.")
    return float(w[0]) if C.ndim == 2 else w
