"""Convex quadratic programs: equality constraints by one linear system, inequalities by an interior-point method."""

import warnings
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cholesky, eigvalsh, qr

from mlcore.base import ConvergenceWarning, as_array, check_array, check_number
from mlcore.foundations.constrained_optimization.interior_point import (
    farkas_certificate,
    interior_point,
    row_scale,
    unbounded_ray,
)
from mlcore.foundations.constrained_optimization.problem import KKTResiduals, Problem, kkt_residuals, largest_entry
from mlcore.takes import takes


class QPResult(NamedTuple):
    """Answer of :func:`solve_qp`.

    status : "optimal", "infeasible", "unbounded" or "not converged"; ``message`` says it in a sentence
    x : (n,) the minimizer;  lam : (m,) multipliers of G x <= h;  nu : (p,) multipliers of A x = b
    value, dual_value : 1/2 x'Px + q'x, and the lower bound that the multipliers prove
    residuals : :class:`KKTResiduals` in the units of the problem;  n_iter : Newton steps
    certificate : what proves the status: for "infeasible" the pair (lam, nu) of eq-co-farkas, for
        "unbounded" the direction d of eq-co-ray, else None. Without an optimum x, lam, nu and residuals are None.
    """

    status: str
    x: np.ndarray | None
    lam: np.ndarray | None
    nu: np.ndarray | None
    value: float
    dual_value: float
    residuals: KKTResiduals | None
    n_iter: int
    certificate: object = None

    @property
    def message(self):
        """The status in a sentence."""
        return {"optimal": f"solved in {self.n_iter} steps",
                "infeasible": "no x satisfies the constraints; certificate holds multipliers that prove it",
                "unbounded": "the objective falls without bound along the direction in certificate",
                "not converged": f"stopped after {self.n_iter} steps before the tolerance was met"}[self.status]


def quadratic_problem(P, q, G=None, h=None, A=None, b=None):
    """The QP as a :class:`Problem`: minimize 1/2 x'Px + q'x subject to G x <= h, A x = b (eq-co-qp)."""
    P, q, G, h, A, b = _check(P, q, G, h, A, b)
    return _problem(P, q, G, h, A, b)


def solve_equality_qp(P, q, A, b):
    """Minimize 1/2 x'Px + q'x subject to A x = b by the KKT system [[P, A'], [A, 0]] [x, nu] = [-q, b] (eq-co-kkt-system).

    A singular but solvable system (redundant equations, a flat objective) gives the solution of least norm.

    >>> x, nu = solve_equality_qp(np.eye(2), np.zeros(2), [[1.0, 1.0]], [2.0])
    >>> x.round(12), nu.round(12)
    (array([1., 1.]), array([-1.]))
    """
    P, q, _, _, A, b = _check(P, q, None, None, A, b)
    n, p = len(q), len(b)
    K = np.block([[P, A.T], [A, np.zeros((p, p))]])
    right = np.concatenate([-q, b])
    solution = np.linalg.lstsq(K, right, rcond=None)[0]
    if np.abs(K @ solution - right).max() > 1e-8 * (1 + np.abs(right).max()):
        raise ValueError("the KKT system has no solution: the equations contradict each other or the objective is unbounded below.")
    return solution[:n], solution[n:]


@takes(lam="m?", nu="p?")
def qp_dual_value(P, q, G, h, A, b, lam, nu):
    """Dual function of the QP: inf over x of the Lagrangian (eq-co-qp-dual); -inf where it is unbounded below.

    With r = q + G'lam + A'nu it is -1/2 r'P^+ r - h'lam - b'nu if r lies in the range of P.

    >>> qp_dual_value([[2.0]], [0.0], [[-1.0]], [-1.0], None, None, [2.0], [])    # x^2 subject to x >= 1
    1.0
    """
    P, q, G, h, A, b = _check(P, q, G, h, A, b)
    lam = _multipliers(lam, "lam", len(h))
    nu = _multipliers(nu, "nu", len(b))
    if (lam < 0).any():
        raise ValueError(f"lam must be >= 0, got {lam.min():.3g}.")
    with np.errstate(over="ignore", invalid="ignore"):
        r = q + G.T @ lam + A.T @ nu
        _check_finite(r)
        size, unit = (np.ldexp(1.0, min(np.frexp(np.abs(M).max())[1], 1023)) for M in (P, r))
        x = np.linalg.lstsq(P / size, -r / unit, rcond=None)[0]      # P x size / unit = -r, in numbers near 1
        if np.abs(P / size @ x + r / unit).max() > 1e-8 * (1 / unit + np.abs(r / unit).max()):
            return -np.inf
        return float(_check_finite(0.5 * (r / unit @ x) * unit / size * unit - h @ lam - b @ nu))


def _check_finite(value):
    """``value``, unless it is beyond the range of numbers."""
    if not np.isfinite(value).all():
        raise ValueError("the terms of the problem are too large for floating-point numbers; rescale it.")
    return value


@takes()
def solve_qp(P, q, G=None, h=None, A=None, b=None, *, tol=1e-9, max_iter=100):
    """Minimize 1/2 x'Px + q'x subject to G x <= h and A x = b, P positive semidefinite (eq-co-qp).

    Mehrotra's predictor-corrector interior-point method (eq-co-newton), finished by one exact solve with
    the active constraints it found. Rows of G with a single entry (bounds) cost no matrix product, so that
    the box constraints of a support vector machine are cheap.

    Parameters
    ----------
    P : (n, n) symmetric positive semidefinite (zero for a linear program);  q : (n,)
    G, h : (m, n), (m,) or None;  A, b : (p, n), (p,) or None; rows may be redundant
    tol : stop when every KKT residual, relative to the size of its terms, is below it
    max_iter : limit of Newton steps; reaching it warns

    Returns
    -------
    QPResult; look at ``status`` before using ``x``

    >>> result = solve_qp(2 * np.eye(2), [-4.0, -2.0], [[1.0, 1.0]], [2.0])    # nearest point to (2, 1)
    >>> result.status, result.x.round(9), result.lam.round(9)
    ('optimal', array([1.5, 0.5]), array([1.]))
    >>> solve_qp([[0.0]], [1.0], [[1.0]], [0.0]).status
    'unbounded'
    """
    P, q, G, h, A, b = _check(P, q, G, h, A, b)
    check_number(tol, "tol", low=0, open_low=True)
    check_number(max_iter, "max_iter", low=1, integer=True)
    rows, consistent = _independent_rows(A, b)
    x = None
    n_iter = 0
    if consistent:
        x, lam, nu, n_iter, converged = _scaled_solve(P, q, G, h, A, b, rows, 1.0, tol, max_iter)
        reach, broken = _distances(G, h, A[rows], b[rows], x)
        lost = reach < 1e-8 and largest_entry(x) < 1e-8      # a point of this size is rounding, even where it breaks no constraint
        if not (reach == 0 or 1e-8 < reach < 1e8 or (converged and broken <= 1e-6 * reach and not lost)):
            # Numbers far from 1 are lost in the tolerances: measure x in units of the farthest constraint.
            x, lam, nu, n_iter, converged = _scaled_solve(P, q, G, h, A, b, rows, reach, tol, max_iter)
        if converged and (reach < 1e8 or _rows_hold(G, h, A[rows], b[rows], x)):
            return _result("optimal", P, q, G, h, A, b, x, lam, nu, n_iter)
    proof = farkas_certificate(G, h, A, b)
    if proof is not None:
        return QPResult("infeasible", None, None, None, np.inf, np.inf, None, n_iter, proof)
    ray = unbounded_ray(P, q, G, A)
    if ray is not None:
        return QPResult("unbounded", None, None, None, -np.inf, -np.inf, None, n_iter, ray)
    warnings.warn(f"solve_qp did not reach tol={tol} in {n_iter} steps; rescale the problem or raise tol or max_iter.",
                  ConvergenceWarning, stacklevel=3)
    if x is None:
        x, lam, nu = np.linalg.lstsq(A, b, rcond=None)[0], np.zeros(len(h)), np.zeros(len(b))
    return _result("not converged", P, q, G, h, A, b, x, lam, nu, n_iter)


def _scaled_solve(P, q, G, h, A, b, rows, unit, tol, max_iter):
    """Solve with constraint gradients of length 1, objective coefficients of size 1, and x in multiples of ``unit``."""
    g_scale, a_scale = row_scale(G), row_scale(A[rows])
    cost = 1 / (max(np.abs(P).max() * unit**2, np.abs(q).max() * unit) or 1.0)
    scaled = (cost * unit**2 * P, cost * unit * q, G * g_scale[:, None], h * g_scale / unit, A[rows] * a_scale[:, None],
              b[rows] * a_scale / unit)
    x, z, y, n_iter, converged = interior_point(*scaled, tol, max_iter)
    lam, nu = z * g_scale / cost / unit, np.zeros(len(b))
    nu[rows] = y * a_scale / cost / unit
    return unit * x, lam, nu, n_iter, converged


def _distances(G, h, A, b, x):
    """Distance of the farthest constraint from the origin, and the largest distance by which x breaks one."""
    g_scale, a_scale = row_scale(G), row_scale(A)
    with np.errstate(over="ignore", invalid="ignore"):  # where the solver gave up, x may be anything
        broken = max(largest_entry(np.maximum(G @ x - h, 0) * g_scale), largest_entry((A @ x - b) * a_scale))
    return max(largest_entry(h * g_scale), largest_entry(b * a_scale)), broken


def _rows_hold(G, h, A, b, x):
    """Whether x satisfies each row in the units of that row: beside a bound of 1e30, an equation of size 1 is easily overlooked."""
    def allowed(M, v):
        return 1e-6 * (np.abs(M) @ np.abs(x) + np.abs(v)) + 1e-9 / row_scale(M)

    return bool((G @ x - h <= allowed(G, h)).all() and (np.abs(A @ x - b) <= allowed(A, b)).all())


def _result(status, P, q, G, h, A, b, x, lam, nu, n_iter):
    """Pack a point with its values and its KKT residuals in the original units."""
    quadratic = x @ P @ x
    value, dual = 0.5 * quadratic + q @ x, -0.5 * quadratic - h @ lam - b @ nu
    return QPResult(status, x, lam, nu, float(value), float(dual), kkt_residuals.core(_problem(P, q, G, h, A, b), x, lam, nu), n_iter)


def _independent_rows(A, b):
    """Indices of rows of A that span its row space, and whether the other equations follow from them."""
    if not len(A):
        return np.arange(0), True
    scale = row_scale(A)
    _, R, order = qr((A * scale[:, None]).T, mode="economic", pivoting=True)
    rank = int((np.abs(np.diag(R)) > 1e-11).sum())
    rows = np.sort(order[:rank])
    x = np.linalg.lstsq(A[rows] * scale[rows, None], b[rows] * scale[rows], rcond=None)[0] if rank else np.zeros(A.shape[1])
    gap = np.abs(A @ x - b) * scale
    return rows, bool(np.max(gap, initial=0) <= 1e-9 * (1 + np.abs(b * scale).max()))


def _problem(P, q, G, h, A, b):
    """A :class:`Problem` of checked arrays."""
    return Problem(lambda x: 0.5 * x @ P @ x + q @ x, lambda x: P @ x + q, lambda x: G @ x - h, lambda x: G,
                   lambda x: A @ x - b, lambda x: A)


def _check(P, q, G, h, A, b):
    """All data of a QP as arrays of matching shapes; P symmetric and positive semidefinite, or an error that says why not."""
    P = check_array(P, name="P")
    q = check_array(q, name="q", ndim=1)
    n = len(q)
    if P.shape != (n, n):
        raise ValueError(f"P must have shape ({n}, {n}) to match q with {n} entries, got {P.shape}.")
    size = np.abs(P).max()
    if np.abs(P - P.T).max() > 1e-10 * size:
        raise ValueError("P must be symmetric; replace it by (P + P.T) / 2, which gives the same objective.")
    if size > 0:
        try:
            cholesky(P / size + 1e-10 * np.eye(n), lower=True, check_finite=False)
        except LinAlgError:
            smallest = eigvalsh(P, subset_by_index=[0, 0])[0]
            raise ValueError(f"P must be positive semidefinite, but its smallest eigenvalue is {smallest:.3g}: the objective is not "
                             "convex, and a KKT point need not be a minimum.") from None
    G, h = _check_pair(G, h, "G", "h", n)
    A, b = _check_pair(A, b, "A", "b", n)
    return (P + P.T) / 2, q, G, h, A, b


def _check_pair(M, v, M_name, v_name, n):
    """A block of linear constraints; None for both means that there is none."""
    if (M is None) != (v is None):
        raise ValueError(f"{M_name} and {v_name} belong together: give both or neither.")
    if M is None or as_array(M, M_name).size == as_array(v, v_name).size == 0:
        return np.zeros((0, n)), np.zeros(0)
    M, v = check_array(M, name=M_name), check_array(v, name=v_name, ndim=1)
    if M.shape != (len(v), n):
        raise ValueError(f"{M_name} must have shape ({len(v)}, {n}) to match {v_name} and q, got {M.shape}.")
    return M, v


def _multipliers(v, name, size):
    """A vector of multipliers of the right length."""
    v = np.asarray(v, float)
    if v.shape != (size,):
        raise ValueError(f"{name} must have one entry per constraint, shape ({size},); got shape {v.shape}.")
    return v
