"""The linear quadratic regulator: Riccati recursion, finite and infinite horizon, tests of controllability.

Dynamics s' = A s + B a + w with w ~ N(0, Sigma), reward -s^T U s - a^T W a - 2 a^T N s. The value of a state is
s^T Phi s + Psi with Phi negative semidefinite, the best action is L s.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from mlcore.base import as_array, check_array, check_number, check_rng
from mlcore.control.lqr_and_lqg.checks import check_matrix, check_semidefinite, check_vector, semidefinite_root

# A change of Phi below this part of its largest entry is taken for rounding, once Phi has stopped decreasing.
ROUNDED = 1e-6


def riccati_kernel(Phi, A, B, U, W, N):
    """Gain L (eq-lqr-gain) and Phi one step earlier (eq-lqr-riccati), unchecked; LinAlgError if no action is best."""
    G = B.T @ Phi @ A - N                                # (p, d)
    L = cho_solve(cho_factor(W - B.T @ Phi @ B, check_finite=False), G, check_finite=False)
    earlier = A.T @ Phi @ A - U + G.T @ L
    return L, (earlier + earlier.T) / 2


def riccati_step(Phi, A, B, U, W, N=None):
    """One backward step: the gain L (p, d) at time t and Phi (d, d) at time t, from Phi at time t + 1.

    >>> L, Phi = riccati_step(Phi=[[-1.0]], A=[[1.0]], B=[[1.0]], U=[[1.0]], W=[[1.0]])
    >>> L, Phi
    (array([[-0.5]]), array([[-1.5]]))
    """
    A, B, U, W, N = _check_system(A, B, U, W, N)
    Phi = -check_semidefinite(-check_matrix(Phi, "Phi", A.shape), "-Phi", len(A))
    return _best_step(Phi, A, B, U, W, N)


def _best_step(*step):
    """``riccati_kernel`` of checked matrices, where rounding alone can spoil the positive definite matrix."""
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            L, earlier = riccati_kernel(*step)
        if np.isfinite(L).all() and np.isfinite(earlier).all():
            return L, earlier
    except np.linalg.LinAlgError:
        pass
    raise ValueError("W - B^T Phi B is not positive definite in floating point, or Phi is infinite: the entries of A, B, U and W differ "
                     "too much in size; choose units in which they are closer to 1.")


class Trajectories(NamedTuple):
    """Simulated runs: states (n, T + 1, d), actions (n, T, p), total rewards (n,)."""

    states: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray


class LQR:
    """Linear dynamics, quadratic reward, T steps: the optimal time-dependent linear policy a_t = L_t s_t.

    Parameters
    ----------
    A, B : (d, d) and (d, p), or (T, d, d) and (T, d, p) for dynamics that change with time
    U : (d, d) or (T + 1, d, d), cost of the states 0..T, symmetric positive semidefinite
    W : (p, p) or (T, p, p), cost of the actions, symmetric positive definite
    T : number of actions
    Sigma : (d, d) or (T, d, d), covariance of the noise, positive semidefinite; None is no noise
    N : (p, d) or (T, p, d), cross term 2 a^T N s of the cost; [[U, N^T], [N, W]] must be positive semidefinite. None is 0

    Attributes
    ----------
    L_ : (T, p, d) gains;  Phi_ : (T + 1, d, d) and Psi_ : (T + 1,), the value s^T Phi s + Psi at each time

    >>> lqr = LQR(A=[[1.0]], B=[[1.0]], U=[[1.0]], W=[[1.0]], T=2).solve()
    >>> lqr.L_.ravel(), lqr.value([2.0])
    (array([-0.6, -0.5]), -6.4)
    """

    def __init__(self, A, B, U, W, T, Sigma=None, N=None):
        self.T = check_number(T, "T", low=1, integer=True)
        A, B = _steps(A, "A", T), _steps(B, "B", T)
        U, W = _steps(U, "U", T + 1), _steps(W, "W", T)
        N = [None] * T if N is None else _steps(N, "N", T)
        checked = _check_once(_check_system, list(zip(A, B, U, W, N)))
        self.A, self.B, self.U, self.W, self.N = (list(column) for column in zip(*checked))
        d = self.n_states = len(self.A[0])
        self.n_actions = self.B[0].shape[1]
        if any(M.shape != self.B[0].shape for M in self.B):
            raise ValueError(f"B must have shape {self.B[0].shape} at every step, got {sorted({M.shape for M in self.B})}.")
        self.U.append(check_semidefinite(U[T], "U", d))
        Sigma = [np.zeros((d, d))] * T if Sigma is None else _steps(Sigma, "Sigma", T)
        self.Sigma = _check_once(lambda S: check_semidefinite(S, "Sigma", d), [(S,) for S in Sigma])

    def solve(self):
        """Run the Riccati recursion from t = T down to 0 (eq-lqr-gain), (eq-lqr-riccati), (eq-lqr-psi)."""
        Phi, Psi, gains = [-self.U[-1]], [0.0], []
        for t in reversed(range(self.T)):
            Psi.append(float(np.sum(self.Sigma[t] * Phi[-1])) + Psi[-1])  # tr(Sigma Phi), both symmetric
            L, earlier = _best_step(Phi[-1], self.A[t], self.B[t], self.U[t], self.W[t], self.N[t])
            gains.append(L)
            Phi.append(earlier)
        self.L_, self.Phi_, self.Psi_ = (np.array(part[::-1]) for part in (gains, Phi, Psi))
        return self

    def value(self, s, t=0):
        """Expected reward from state s at time t on, s^T Phi_t s + Psi_t (eq-lqr-quadratic)."""
        self._check_solved()
        s = check_vector(s, "s", self.n_states)
        check_number(t, "t", low=0, high=self.T, integer=True)
        return float(s @ self.Phi_[t] @ s + self.Psi_[t])

    def action(self, s, t):
        """The best action L_t s; ``s`` is (d,) or (n, d)."""
        self._check_solved()
        check_number(t, "t", low=0, high=self.T - 1, integer=True)
        s = check_array(s, name="s", ndim=None)
        if s.ndim not in (1, 2) or s.shape[-1] != self.n_states:
            raise ValueError(f"s must have shape ({self.n_states},) or (n, {self.n_states}), got {s.shape}.")
        return s @ self.L_[t].T

    def simulate(self, s0, rng=None, n_runs=1, gains=None):
        """Run the noisy system from ``s0`` under a_t = gains[t] s_t; the default are the optimal gains."""
        gains = self._check_gains(gains)
        s0, rng = check_vector(s0, "s0", self.n_states), check_rng(rng)
        check_number(n_runs, "n_runs", low=1, integer=True)
        roots = [semidefinite_root(S) for S in self.Sigma]
        states, actions = [np.tile(s0, (n_runs, 1))], []
        for t in range(self.T):
            actions.append(states[-1] @ gains[t].T)
            noise = rng.standard_normal((n_runs, self.n_states)) @ roots[t].T
            states.append(states[-1] @ self.A[t].T + actions[-1] @ self.B[t].T + noise)
        states, actions = np.stack(states, axis=1), np.stack(actions, axis=1)
        return Trajectories(states, actions, self.total_reward(states, actions))

    def total_reward(self, states, actions):
        """Sum of the rewards (n,) along given states (n, T + 1, d) and actions (n, T, p) (eq-lqr-reward)."""
        states, actions = check_array(states, name="states", ndim=3), check_array(actions, name="actions", ndim=3)
        for name, given, shape in (("states", states, (self.T + 1, self.n_states)), ("actions", actions, (self.T, self.n_actions))):
            if given.shape[1:] != shape or len(given) != len(states):
                raise ValueError(f"{name} must have shape {(len(states), *shape)}, got {given.shape}.")
        total = -np.einsum("nti,tij,ntj->n", states, np.array(self.U), states)
        total -= np.einsum("nti,tij,ntj->n", actions, np.array(self.W), actions)
        return total - 2 * np.einsum("nti,tij,ntj->n", actions, np.array(self.N), states[:, :-1])

    def _check_gains(self, gains=None):
        """Gains (T, p, d), checked; None stands for the optimal ones."""
        if gains is None:
            self._check_solved()
            return self.L_
        gains = check_array(gains, name="gains", ndim=3)
        if gains.shape != (self.T, self.n_actions, self.n_states):
            raise ValueError(f"gains must have shape {(self.T, self.n_actions, self.n_states)}, got {gains.shape}.")
        return gains

    def _check_solved(self):
        if not hasattr(self, "L_"):
            raise ValueError("this LQR is not solved yet; call solve() first.")


class SteadyState(NamedTuple):
    """Infinite horizon: gain L (p, d), Phi (d, d), and the history of the largest change of Phi per step."""

    L: np.ndarray
    Phi: np.ndarray
    history: np.ndarray


def dare_fixed_point(A, B, U, W, N=None, tol=1e-12, max_iter=100_000):
    """Iterate the Riccati step to its fixed point, the infinite-horizon regulator (thm-lqr-limit).

    Stops when no entry of Phi changes by more than tol times the largest entry, or by less than a millionth of it and the trace
    no longer falls: the exact Phi only decreases, so what moves then is rounding. A pair (A, B) that is not stabilizable is refused.

    >>> steady = dare_fixed_point([[1.0]], [[1.0]], [[1.0]], [[1.0]])
    >>> steady.L.round(6), steady.Phi.round(6)
    (array([[-0.618034]]), array([[-1.618034]]))
    """
    A, B, U, W, N = _check_system(A, B, U, W, N)
    check_number(tol, "tol", low=0, open_low=True)
    check_number(max_iter, "max_iter", low=1, integer=True)
    lost = unreachable_modes(A, B, least=1.0)
    if len(lost):
        raise ValueError(f"(A, B) is not stabilizable: no action reaches the mode with eigenvalue of modulus {np.abs(lost).max():.4g} "
                         ">= 1, so no gain makes it die out. Add an actuator, or use a finite horizon.")
    Phi, history = np.zeros_like(A), []
    for _ in range(max_iter):
        L, earlier = _best_step(Phi, A, B, U, W, N)
        history.append(float(np.abs(earlier - Phi).max()))
        size, rounding = max(np.abs(earlier).max(), np.finfo(float).tiny), np.trace(earlier) >= np.trace(Phi)
        Phi = earlier
        if history[-1] <= (max(tol, ROUNDED) if rounding else tol) * size:
            return SteadyState(riccati_kernel(Phi, A, B, U, W, N)[0], Phi, np.array(history))
    raise ValueError(f"the Riccati recursion did not converge in max_iter={max_iter} steps (last change {history[-1]:.3g}); "
                     "raise max_iter or tol.")


def controllability_matrix(A, B):
    """The matrix [B, A B, ..., A^(d-1) B] of shape (d, d p); the pair is controllable if its rank is d (eq-lqr-controllable).

    >>> controllability_matrix([[1.0, 0.1], [0.0, 1.0]], [[0.0], [0.1]])
    array([[0.  , 0.01],
           [0.1 , 0.1 ]])
    """
    A, B = _check_pair(A, B)
    blocks = [B]
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(len(A) - 1):
            blocks.append(A @ blocks[-1])
    if not np.isfinite(blocks[-1]).all():
        raise ValueError("A^(d-1) B holds numbers beyond the largest that a computer has; choose units in which the entries of A and B are "
                         "closer to 1.")
    return np.hstack(blocks)


def unreachable_modes(A, B, least=0.0):
    """Eigenvalues of A of modulus >= ``least`` whose mode no action moves: those z with rank [A - z I, B] < d.

    None at all: the pair is controllable. None with modulus >= 1: it is stabilizable (eq-lqr-stabilizable). They are found as
    the eigenvalues of the block A_22 in the proof of (thm-lqr-hautus): ranks at computed eigenvalues are no test, since a
    repeated eigenvalue is computed with an error far above the machine precision. How strong an actuator is does not matter, but a
    direction that A passes on with less than 1e-9 of its norm counts as out of reach.

    >>> unreachable_modes(np.diag([0.5, 2.0]), [[0.0], [1.0]])
    array([0.5])
    """
    A, B = _check_pair(A, B)
    check_number(least, "least", low=0)
    unit = np.ldexp(1.0, min(np.frexp(np.abs(A).max())[1], 1023)) if A.any() else 1.0
    A, B = A / unit, B / np.ldexp(1.0, np.minimum(np.frexp(np.abs(B).max(axis=0))[1], 1023))      # no square below overflows or vanishes
    strength = np.linalg.norm(B, axis=0)
    reached, block, scale = np.zeros((len(A), 0)), B[:, strength > 0] / strength[strength > 0], 1.0
    while block.size:                                    # orthonormal basis of the span of B, A B, A^2 B, ...
        new = block - reached @ (reached.T @ block)
        directions, sizes, _ = np.linalg.svd(new, full_matrices=False)
        fresh = directions[:, sizes > 1e-9 * scale]
        reached, block, scale = np.hstack([reached, fresh]), A @ fresh, np.linalg.norm(A)
    rest = np.linalg.svd(reached)[0][:, reached.shape[1]:]
    lost = np.linalg.eigvals(rest.T @ A @ rest)
    return np.real_if_close(lost[np.abs(lost) >= least / unit * (1 - 1e-9) - 1e-14 * np.linalg.norm(A)]) * unit


def _steps(M, name, count):
    """One matrix for all steps, or ``count`` of them."""
    M = as_array(M, name)
    if M.ndim < 3:
        return [M] * count
    if len(M) != count:
        raise ValueError(f"{name} holds {len(M)} steps, but {count} are needed.")
    return list(M)


def _check_once(check, steps):
    """``check(*step)`` of every step; matrices that serve for several steps are checked once."""
    checked = []
    for i, step in enumerate(steps):
        same = i > 0 and all(mine is before for mine, before in zip(step, steps[i - 1]))
        checked.append(checked[-1] if same else check(*step))
    return checked


def _check_pair(A, B):
    A = check_array(A, name="A")
    return check_matrix(A, "A", (len(A), len(A))), check_matrix(B, "B", (len(A), None))


def _check_system(A, B, U, W, N):
    """One step's matrices, checked; N becomes zeros if None."""
    A, B = _check_pair(A, B)
    d, p = B.shape
    U = check_semidefinite(U, "U", d)
    W = check_semidefinite(W, "W", p, definite=True)
    if N is None:
        return A, B, U, W, np.zeros((p, d))
    N = check_matrix(N, "N", (p, d))
    check_semidefinite(np.block([[U, N.T], [N, W]]), "[[U, N^T], [N, W]]")
    return A, B, U, W, N
