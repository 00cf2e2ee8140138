"""Continuous states: cutting them into cells, and learning linear dynamics from trajectories.

A *system* is any object with ``step(s, a)`` on arrays (..., d) and (..., p), such as :class:`Pendulum`. ``noise`` adds independent
normal noise of the given standard deviations (one number or d of them) to the next state.
"""

import math
import warnings

import numpy as np

from mlcore.base import ConvergenceWarning, check_array, check_callable, check_number, check_rng
from mlcore.control.markov_decision_processes.model import MDP
from mlcore.control.markov_decision_processes.systems import check_system

BYTES_MAX = 2e9          # of the transition probabilities of a discretized system


def noisy_step(system, s, a, noise=0.0, rng=None):
    """One step of the system with normal noise of standard deviation ``noise`` (a number or (d,)) on the next state."""
    mean = check_system(system).step(s, a)
    noise = check_array(noise, name="noise", ndim=None)
    if (noise < 0).any():
        raise ValueError(f"noise holds standard deviations >= 0, got {noise}.")
    if noise.shape not in ((), mean.shape[-1:]):
        raise ValueError(f"noise must be one number or {mean.shape[-1]} of them, one per component of the state; got shape {noise.shape}.")
    return mean + noise * check_rng(rng).normal(size=mean.shape) if noise.any() else mean


def action_table(actions):
    """The finite set of actions as an array (A, p); plain numbers are actions of one component."""
    actions = check_array(actions, name="actions", ndim=None)
    return check_array(actions[:, None] if actions.ndim == 1 else actions, name="actions")


def check_bounds(bounds):
    """A box as an array (d, 2) of rows (low, high)."""
    bounds = check_array(bounds, name="bounds")
    if bounds.shape[1] != 2 or (bounds[:, 0] >= bounds[:, 1]).any():
        raise ValueError(f"bounds must be rows (low, high) with low < high, got {bounds.tolist()}.")
    return bounds


def check_axes(wrap, d):
    """The axes that are circles, as a tuple of ints in 0..d - 1."""
    axes = np.asarray(tuple(wrap) if np.iterable(wrap) else wrap)
    if axes.ndim != 1 or axes.size and (axes.dtype.kind not in "iu" or (axes < 0).any() or (axes >= d).any()):
        raise ValueError(f"wrap must be a list of axes in 0..{d - 1}, got {wrap!r}.")
    return tuple(int(axis) for axis in axes)


class GridDiscretizer:
    """A box cut into equal cells: ``bins[i]`` intervals along axis i, so the product of all of them in total.

    Parameters
    ----------
    bounds : (d, 2) lower and upper end of every axis; a state outside belongs to the nearest cell
    bins : int or (d,) ints
    wrap : axes that are circles, such as an angle: a state outside comes back in at the other end

    Attributes
    ----------
    n_cells : int;  widths : (d,) size of a cell

    >>> grid = GridDiscretizer([[0, 1], [-1, 1]], bins=[2, 4])
    >>> grid.n_cells, grid.index([0.9, -0.9]), grid.center(4).tolist()
    (8, 4, [0.75, -0.75])
    """

    def __init__(self, bounds, bins, wrap=()):
        self.bounds = check_bounds(bounds)
        d = len(self.bounds)
        bins = [bins] * d if not np.iterable(bins) else list(bins)
        if len(bins) != d:
            raise ValueError(f"bins must be one integer or {d} of them, one per row of bounds, got {len(bins)}.")
        self.bins = tuple(int(check_number(b, "bins", low=1, integer=True)) for b in bins)
        self.wrap = check_axes(wrap, d)
        self.n_cells = math.prod(self.bins)              # exact: k^d soon exceeds 64 bits
        self.widths = (self.bounds[:, 1] - self.bounds[:, 0]) / self.bins

    def index(self, s):
        """The cell of a state (d,), an int, or of many (..., d)."""
        low, span = self.bounds[:, 0], self.bounds[:, 1] - self.bounds[:, 0]
        s = check_array(s, name="s", ndim=None)
        if s.shape[-1:] != (len(span),):
            raise ValueError(f"a state must be {len(span)} finite numbers, got shape {s.shape}.")
        share = (s - low) / span
        for axis in self.wrap:
            share[..., axis] %= 1
        where = np.clip(np.floor(share * self.bins), 0, np.array(self.bins) - 1).astype(int)     # cut first: 1e100 is no int
        cell = np.ravel_multi_index(tuple(where[..., axis] for axis in range(len(span))), self.bins)
        return int(cell) if np.ndim(cell) == 0 else cell

    def center(self, cell):
        """The middle (..., d) of a cell."""
        cell = np.asarray(cell)
        if cell.dtype.kind not in "iu" or (cell < 0).any() or (cell >= self.n_cells).any():
            raise ValueError(f"a cell must be an integer in 0..{self.n_cells - 1}, got {cell.ravel()[:5].tolist()}.")
        where = np.stack(np.unravel_index(cell, self.bins), axis=-1)
        return self.bounds[:, 0] + (where + 0.5) * self.widths

    def sample(self, cell, rng):
        """A state drawn uniformly in every cell of the array ``cell``."""
        center = self.center(cell)
        return center + self.widths * (check_rng(rng).random(center.shape) - 0.5)


def rewards_of(reward, s, a):
    """The rewards (n,) of n states and actions; a reward function may return one number for all of them."""
    paid = np.asarray(reward(s, a), float)
    if paid.shape not in ((), (len(s),)) or not np.isfinite(paid).all():
        raise ValueError(f"reward(s, a) must give one finite number for each of {len(s)} states; got shape {paid.shape} with "
                         f"{(~np.isfinite(paid)).sum()} not finite.")
    return np.broadcast_to(paid, len(s))


def ends_at(terminal, s):
    """Mask (...) of the states s (..., d) in which a run has ended; None as ``terminal`` ends none."""
    if terminal is None:
        return np.zeros(s.shape[:-1], bool)
    ended = np.asarray(check_callable(terminal, "terminal")(s))
    if ended.dtype != bool or ended.shape != s.shape[:-1]:
        raise ValueError(f"terminal(s) must give True or False for every state, an array of type bool and shape {s.shape[:-1]}; "
                         f"got type {ended.dtype} and shape {ended.shape}.")
    return ended


def discretize_system(system, reward, actions, disc, samples_per_cell, gamma, rng=None, noise=0.0, terminal=None):
    """The finite MDP whose states are the cells of ``disc``, (eq-mdp-cells).

    Parameters
    ----------
    system : object with ``step(s, a)``;  reward : function of s (..., d) and a (..., p)
    actions : (A,) or (A, p);  disc : GridDiscretizer;  gamma : discount;  noise : see the module
    samples_per_cell : states drawn uniformly inside each cell, sent through the system under each action; 1 uses the center instead
    terminal : function of s that is True where a run ends; such states become one absorbing last state that pays nothing, and so do
        cells in which every drawn state is one

    Returns
    -------
    MDP with ``disc.n_cells`` states, plus one if ``terminal`` is given
    """
    m = check_number(samples_per_cell, "samples_per_cell", low=1, integer=True)
    check_callable(reward, "reward")
    if not isinstance(disc, GridDiscretizer):
        raise TypeError(f"disc must be a GridDiscretizer, got {type(disc).__name__}.")
    actions, rng = action_table(actions), check_rng(rng)
    if (size := 8 * len(actions) * disc.n_cells**2) > BYTES_MAX:
        raise ValueError(f"{disc.n_cells:,} cells and {len(actions)} actions need a P of {size / 1e9:,.1f} GB, more than "
                         f"{BYTES_MAX / 1e9:g} GB; take fewer bins, or approximate the values (FittedValueIteration).")
    cells = np.repeat(np.arange(disc.n_cells), m)
    states = disc.center(cells) if m == 1 else disc.sample(cells, rng)
    S = disc.n_cells + (terminal is not None)
    P, R = np.zeros((len(actions), S, S)), np.zeros((S, len(actions)))
    ended = ends_at(terminal, states)
    alive = np.bincount(cells, ~ended, disc.n_cells)       # per cell: a run is never in a state where it has ended
    weight = ~ended / np.maximum(alive, 1)[cells]
    for i, a in enumerate(actions):
        a = np.broadcast_to(a, (len(states), len(a)))
        after = noisy_step(system, states, a, noise, rng)
        target = np.where(ends_at(terminal, after), S - 1, disc.index(after))
        np.add.at(P[i], (cells, target), weight)
        np.add.at(R[:, i], cells, weight * rewards_of(reward, states, a))
    if terminal is not None:
        P[:, np.append(alive == 0, True), -1] = 1
    return MDP(P, R, gamma)


def _least_sum_of_norms(X, Y, theta, max_iter):
    """Minimize sum_i |y_i - theta' x_i| from a start: weighted least squares, repeated until the sum falls by less than 1e-12 of it."""
    norms = np.linalg.norm(Y - X @ theta, axis=1)
    floor = 1e-8 * norms.mean()                                        # a residual of 0 must not get an infinite weight
    if floor == 0:
        return theta
    for _ in range(max_iter):
        root = np.maximum(norms, floor) ** -0.5
        theta = np.linalg.lstsq(root[:, None] * X, root[:, None] * Y, rcond=None)[0]
        before, norms = norms.sum(), np.linalg.norm(Y - X @ theta, axis=1)
        if before - norms.sum() <= 1e-12 * before:
            return theta
    warnings.warn(f"fit_linear_dynamics did not converge in {max_iter} rounds of weighted least squares; allow more (max_iter).",
                  ConvergenceWarning, stacklevel=3)
    return theta


def fit_linear_dynamics(trajectories, phi_s=None, phi_a=None, squared=True, max_iter=500):
    """A, B and the noise covariance Sigma of s' = A phi_s(s) + B phi_a(a) + e, (eq-mdp-fit-dynamics).

    Parameters
    ----------
    trajectories : list of pairs (states (T + 1, d), actions (T, p) or (T,))
    phi_s, phi_a : features of states and actions, functions (T, d) -> (T, d'); None leaves them as they are
    squared : True minimizes the sum of |s' - A s - B a|^2; False the sum of |s' - A s - B a|, which outliers pull less,
        by weighted least squares with weights 1 / |residual|, at most ``max_iter`` rounds of it

    >>> states = np.array([[1.0], [0.5], [1.25], [1.625]])          # s' = 0.5 s + a
    >>> A, B, Sigma = fit_linear_dynamics([(states, [0.0, 1.0, 1.0])])
    >>> A.round(6).tolist(), B.round(6).tolist()
    ([[0.5]], [[1.0]])
    """
    before, after = [], []
    if not np.iterable(trajectories):
        raise ValueError(f"trajectories must be a list of pairs (states, actions), got {type(trajectories).__name__}.")
    for number, pair in enumerate(trajectories):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ValueError(f"trajectory {number} must be a pair (states, actions), got {type(pair).__name__}.")
        states, actions = pair
        states, actions = check_array(states, name=f"states of trajectory {number}"), action_table(actions)
        if len(states) != len(actions) + 1:
            raise ValueError(f"trajectory {number} has {len(states)} states and {len(actions)} actions; T actions join T + 1 states.")
        inputs = states[:-1] if phi_s is None else check_array(phi_s(states[:-1]), name="phi_s(states)")
        forced = actions if phi_a is None else check_array(phi_a(actions), name="phi_a(actions)")
        if not len(inputs) == len(forced) == len(actions):
            raise ValueError(f"phi_s and phi_a must give a row per transition; trajectory {number} has {len(actions)}, "
                             f"got {len(inputs)} and {len(forced)} rows.")
        before.append(np.hstack([inputs, forced]))
        after.append(states[1:])
        if (before[-1].shape[1], after[-1].shape[1]) != (before[0].shape[1], after[0].shape[1]):
            raise ValueError(f"trajectory {number} has states of {states.shape[1]} and actions of {actions.shape[1]} numbers, "
                             "other than those before it.")
    if not before:
        raise ValueError("trajectories is empty; at least one pair (states, actions) is needed.")
    check_number(max_iter, "max_iter", low=1, integer=True)
    X, Y, split = np.vstack(before), np.vstack(after), inputs.shape[1]
    if np.linalg.matrix_rank(X) < X.shape[1]:
        raise ValueError(f"the {len(X)} transitions do not determine A and B: states and actions span {np.linalg.matrix_rank(X)} of "
                         f"{X.shape[1]} directions. Add transitions with actions that vary on their own.")
    theta = np.linalg.lstsq(X, Y, rcond=None)[0]
    if not squared:
        theta = _least_sum_of_norms(X, Y, theta, max_iter)
    residual = Y - X @ theta
    return theta[:split].T, theta[split:].T, residual.T @ residual / len(X)
