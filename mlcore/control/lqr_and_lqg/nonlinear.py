"""From non-linear dynamics to the regulator: linearize, expand the cost, and iterate (iLQR).

Dynamics F and cost functions work on the last axis: F(s, a) maps (..., d) and (..., p) to (..., d), cost(s, a) to (...).
A whole trajectory is then differentiated with a handful of calls.
"""

import warnings
from typing import NamedTuple

import numpy as np

from mlcore.base import ConvergenceWarning, as_array, check_array, check_callable, check_number
from mlcore.control.lqr_and_lqg.checks import check_matrix, check_vector
from mlcore.control.lqr_and_lqg.regulator import riccati_kernel
from mlcore.foundations.mathematics import STEP

# The fourth root of the machine precision balances truncation and cancellation in a second difference.
STEP_2 = float(np.finfo(float).eps ** 0.25)
LEAST_REG = 1e-12
# A cost that has fallen this many times below 0 is taken to have no lower bound: its differences are rounding by then.
FALLEN = 1e12


class Linearization(NamedTuple):
    """F(s, a) ~ A s + B a + kappa: A (..., d, d), B (..., d, p), kappa (..., d)."""

    A: np.ndarray
    B: np.ndarray
    kappa: np.ndarray


def linearize(F, s, a, h=STEP):
    """First-order expansion of F at (s, a) by central differences (eq-lqr-linearize).

    Parameters
    ----------
    F : function of (..., d) and (..., p) that returns (..., d)
    s, a : (d,) and (p,), or (n, d) and (n, p) for an expansion at each of n points
    h : step of the differences, times the size of the coordinate where that is above 1; keep angles within a few turns

    >>> A, B, kappa = linearize(lambda s, a: s**2 + a, s=[3.0], a=[1.0])
    >>> A.round(6), B.round(6), kappa.round(6)
    (array([[6.]]), array([[1.]]), array([-9.]))
    """
    s, a = _points(s, a)
    check_number(h, "h", low=0, open_low=True)
    value = np.asarray(check_callable(F, "F")(s, a), float)
    if value.shape != s.shape:
        raise ValueError(f"F must return a state of shape {s.shape} for s of that shape, got {value.shape}.")
    d, z = s.shape[-1], np.concatenate([s, a], axis=-1)
    sizes, shifts = _steps(z, h)

    def at(shift):
        return np.asarray(F((z + shift)[..., :d], (z + shift)[..., d:]), float)

    with np.errstate(over="ignore", invalid="ignore"):   # what is too large is refused below
        columns = [(at(e) - at(-e)) / (2 * k[..., None]) for k, e in zip(sizes, shifts)]
        J = np.stack(columns, axis=-1)                   # (..., d, d + p), the Jacobian
        A, B = J[..., :d], J[..., d:]
        kappa = value - np.einsum("...ij,...j->...i", A, s) - np.einsum("...ij,...j->...i", B, a)
    _check_finite(J, "F")
    _check_finite(kappa, "F")
    return Linearization(A, B, kappa)


def augment(A, B, kappa):
    """Matrices of the state (1, s), for which s' = A s + B a + kappa is linear (eq-lqr-augment).

    >>> augment([[2.0]], [[3.0]], [5.0])[0]
    array([[1., 0.],
           [5., 2.]])
    """
    A = check_array(A, name="A")
    A, B = check_matrix(A, "A", (len(A), len(A))), check_matrix(B, "B", (len(A), None))
    kappa = check_vector(kappa, "kappa", len(A))
    return (np.block([[np.ones((1, 1)), np.zeros((1, len(A)))], [kappa[:, None], A]]),
            np.vstack([np.zeros((1, B.shape[1])), B]))


class Quadratic(NamedTuple):
    """cost ~ z^T U z + da^T W da + 2 da^T N z with z = (1, ds): U (..., d+1, d+1), W (..., p, p), N (..., p, d+1)."""

    U: np.ndarray
    W: np.ndarray
    N: np.ndarray


def quadratize(cost, s, a, h=STEP_2):
    """Second-order expansion of a cost at (s, a), in deviations and with its cross term (eq-lqr-quadratize).

    ``h`` is the step of the differences, as in :func:`linearize`.

    >>> U, W, N = quadratize(lambda s, a: (s * a)[..., 0], s=[2.0], a=[3.0])
    >>> U.round(6), W.round(6) + 0.0, N.round(6)
    (array([[6. , 1.5],
           [1.5, 0. ]]), array([[0.]]), array([[1. , 0.5]]))
    """
    s, a = _points(s, a)
    check_callable(cost, "cost")
    check_number(h, "h", low=0, open_low=True)
    d, z = s.shape[-1], np.concatenate([s, a], axis=-1)
    m, (sizes, shifts) = z.shape[-1], _steps(z, h)

    def at(shift):
        return np.asarray(cost((z + shift)[..., :d], (z + shift)[..., d:]), float)

    center = at(0.0)
    if center.shape != s.shape[:-1]:
        raise ValueError(f"cost must return one number per state, shape {s.shape[:-1]}, got {center.shape}.")
    M = np.empty((*s.shape[:-1], m + 1, m + 1))          # quadratic form of (1, ds, da)
    M[..., 0, 0] = center
    with np.errstate(over="ignore", invalid="ignore"):   # what is too large is refused below
        for i, (k, e) in enumerate(zip(sizes, shifts)):
            above, below = at(e), at(-e)
            M[..., 0, i + 1] = M[..., i + 1, 0] = (above - below) / (4 * k)
            M[..., i + 1, i + 1] = (above - 2 * center + below) / (2 * k) / k
            for j, (q, f) in enumerate(zip(sizes[:i], shifts[:i])):
                mixed = (at(e + f) - at(e - f) - at(f - e) + at(-e - f)) / (8 * k) / q
                M[..., i + 1, j + 1] = M[..., j + 1, i + 1] = mixed
    _check_finite(M, "cost")
    return Quadratic(M[..., :d + 1, :d + 1], M[..., d + 1:, d + 1:], M[..., d + 1:, :d + 1])


class Trajectory(NamedTuple):
    """Result of ilqr: states (T + 1, d), actions (T, p), gains (T, p, d), history of costs, step sizes, converged."""

    states: np.ndarray
    actions: np.ndarray
    gains: np.ndarray
    history: np.ndarray
    step_sizes: np.ndarray
    converged: bool


def ilqr(F, cost, final_cost, s0, actions, max_iter=100, tol=1e-8, line_search=True, reg=1e-6):
    """Iterative LQR: expand along the trajectory, solve the regulator in deviations, roll out the true F (alg-lqr-ilqr).

    Parameters
    ----------
    F, cost : dynamics and running cost, functions of (s, a);  final_cost : function of s
    s0 : (d,) start;  actions : (T, p) first guess
    max_iter, tol : stop when the regulator promises to lower the cost by less than tol times the cost
    line_search : halve the step until the true cost falls; False always takes the full step
    reg : first damping, an extra cost of deviating actions: added, ten times more each time, where the expansion is not positive
        definite or no step of the line search lowers the true cost; lowered where it stands in the way of the last steps

    >>> from mlcore.control.markov_decision_processes import Pendulum
    >>> result = ilqr(Pendulum().step, lambda s, a: (s**2).sum(-1) + 0.1 * a[..., 0]**2, lambda s: 10 * (s**2).sum(-1),
    ...               s0=[0.5, 0.0], actions=np.zeros((30, 1)))
    >>> bool(np.all(np.diff(result.history) < 0)), result.converged
    (True, True)
    """
    for name, given in (("F", F), ("cost", cost), ("final_cost", final_cost)):
        check_callable(given, name)
    s0, actions = check_array(s0, name="s0", ndim=1), check_array(actions, name="actions")
    check_number(max_iter, "max_iter", low=1, integer=True)
    check_number(tol, "tol", low=0)
    check_number(reg, "reg", low=0, open_low=True)
    gains = np.zeros((len(actions), actions.shape[1], len(s0)))
    states, actions, total = _roll_out(F, cost, final_cost, np.tile(s0, (len(actions) + 1, 1)), actions, gains)
    if not np.isfinite(total):
        raise ValueError(f"the run of the first actions has the cost {total}; start from actions under which F and the costs stay finite.")
    history, step_sizes, converged, damping = [total], [], False, 0.0
    for _ in range(max_iter):
        if total < -FALLEN * max(abs(history[0]), 1.0):
            raise ValueError(f"the cost has fallen from {history[0]:.4g} to {total:.4g} and seems to have no lower bound; "
                             "check cost and final_cost.")
        offsets, gains, promise, used = _backward(F, cost, final_cost, states, actions, damping, reg)
        if promise <= tol * max(abs(total), 1.0):
            if used == 0 or (damping == 0 and reg <= LEAST_REG):
                converged = True
                break
            damping, reg = 0.0, reg if damping else reg / 1000  # damping makes promises small: look again with less
            continue
        for step in 0.5 ** np.arange(10 if line_search else 1):
            new = _roll_out(F, cost, final_cost, states, actions + step * offsets, gains)
            if not line_search and not np.isfinite(new[2]):
                raise ValueError(f"full step {len(step_sizes) + 1} leads to the cost {new[2]}; use line_search=True, which shortens it.")
            if not line_search or new[2] <= total - 1e-4 * step * promise:
                states, actions, total = new
                history.append(total)
                step_sizes.append(step)
                damping = damping / 10 if damping > reg else 0.0
                break
        else:                                            # the expansion does not hold that far: dearer actions, shorter steps
            damping = 10 * max(used, reg)
    if not converged:
        gains = _backward(F, cost, final_cost, states, actions, damping, reg)[1]  # those of the last trajectory, not the one before
        warnings.warn(f"ilqr stopped after {len(step_sizes)} steps before it converged; raise max_iter={max_iter} or tol={tol:g}, "
                      "or start from better actions.", ConvergenceWarning, stacklevel=2)
    return Trajectory(states, actions, gains, np.array(history), np.array(step_sizes), converged)


def _roll_out(F, cost, final_cost, states, actions, gains):
    """States, actions and cost of the true system under a_t = actions[t] + gains[t] (s_t - states[t]), from states[0]."""
    path, taken = [states[0]], []
    for t in range(len(actions)):
        taken.append(actions[t] + gains[t] @ (path[-1] - states[t]))
        path.append(np.asarray(F(path[-1], taken[-1]), float))
        if path[-1].shape != path[0].shape:
            raise ValueError(f"F must return a state of shape {path[0].shape} for s of that shape, got {path[-1].shape}.")
    path, taken = np.array(path), np.array(taken)
    last = np.asarray(final_cost(path[-1]), float)
    if last.ndim:
        raise ValueError(f"final_cost must return one number for a state of shape {path[-1].shape}, got shape {last.shape}.")
    return path, taken, float(np.sum(cost(path[:-1], taken)) + last)


def _check_batch(F, states, actions):
    """F of all steps at once must be what it is step by step."""
    together = np.asarray(F(states[:-1], actions), float)
    if together.shape != states[1:].shape or not np.allclose(together, states[1:], rtol=1e-6, atol=1e-9 * np.abs(states).max()):
        raise ValueError(f"F must work on the last axis: for states {states[:-1].shape} and actions {actions.shape} of all steps together "
                         "it does not return what it returns step by step; index with s[..., i] and multiply as s @ A.T.")


def _backward(F, cost, final_cost, states, actions, damping, reg):
    """Offsets (T, p) and gains (T, p, d) of the regulator on z = (1, ds), the fall of the cost it promises, the damping used."""
    _check_batch(F, states, actions)
    A, B, _ = linearize(F, states[:-1], actions)
    U, W, N = quadratize(cost, states[:-1], actions)
    final = quadratize(lambda s, a: final_cost(s), states[-1], np.zeros(1)).U
    T, d, p = B.shape
    A_z, B_z = np.zeros((T, d + 1, d + 1)), np.zeros((T, d + 1, p))  # z' = A_z z + B_z da; along the trajectory kappa is 0
    A_z[:, 0, 0], A_z[:, 1:, 1:], B_z[:, 1:] = 1.0, A, B
    while True:
        Phi, L = -final, np.empty((T, p, d + 1))
        try:
            for t in reversed(range(T)):
                L[t], Phi = riccati_kernel(Phi, A_z[t], B_z[t], U[t], W[t] + damping * np.eye(p), N[t])
        except np.linalg.LinAlgError:
            damping = 10 * max(damping, reg)
            if damping > 1e12:
                raise ValueError("the expanded cost stays indefinite however much is added to the action cost; "
                                 "check that cost and final_cost are finite and bounded below.") from None
            continue
        total = np.sum(U[:, 0, 0]) + final[0, 0]
        return L[:, :, 0], L[:, :, 1:], float(total + Phi[0, 0]), damping


def _points(s, a):
    """One point (d,), (p,) or n of them (n, d), (n, p)."""
    ndim = 2 if as_array(s, "s").ndim == 2 else 1
    s, a = check_array(s, name="s", ndim=ndim), check_array(a, name="a", ndim=ndim)
    if ndim == 2 and len(s) != len(a):
        raise ValueError(f"s has {len(s)} rows, but a has {len(a)}; they must agree.")
    return s, a


def _steps(z, h):
    """Step of each coordinate of the points z (..., m), m arrays (...), and the shifts of z by them: h beside a large one is lost."""
    sizes = h * np.maximum(1.0, np.abs(z))
    return np.moveaxis(sizes, -1, 0), [sizes * e for e in np.eye(z.shape[-1])]


def _check_finite(derivatives, name):
    if not np.isfinite(derivatives).all():
        raise ValueError(f"{name} is NaN or infinite at a point of expansion or within a step of it; expand where it is smooth.")
