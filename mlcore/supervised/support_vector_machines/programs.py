"""The quadratic programs of the support vector machine, their dual and KKT conditions, solved by ``solve_qp`` as a reference."""

from typing import NamedTuple

import numpy as np

from mlcore.base import check_array, check_signs
from mlcore.foundations.constrained_optimization import solve_qp
from mlcore.supervised.support_vector_machines.margins import check_box, slacks
from mlcore.takes import takes


class DualSolution(NamedTuple):
    """alpha (n,), the offset b, and the values of the dual and of the primal at them."""

    alpha: np.ndarray
    b: float
    dual: float
    primal: float


def check_square(K, y):
    """A Gram matrix that fits the labels; symmetric, but its eigenvalues are not looked at."""
    K = check_array(K, name="K")
    if K.shape != (len(y), len(y)):
        raise ValueError(f"K must have shape ({len(y)}, {len(y)}), one row and one column per label; got {K.shape}.")
    if np.abs(K - K.T).max() > 1e-8 * max(np.abs(K).max(), 1e-300):
        raise ValueError("K must be symmetric: K[i, j] and K[j, i] are the same inner product.")
    return K


@takes(X="n d", y="signs n")
def hard_margin_primal(X, y):
    """Minimize 1/2 |w|^2 subject to y_i (w . x_i + b) >= 1 (eq-sv-hard); returns (w, b, alpha).

    The unknowns are (w, b), with b free and not in the objective; alpha are the multipliers of the constraints. The rows are
    measured in units of the largest entry u: beside entries of size 1e6 or 1e-6 the column of ones, which carries b, would be lost
    in the tolerances of the solver. With x / u for x, w becomes u w, and alpha becomes u^2 alpha.

    >>> w, b, alpha = hard_margin_primal([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]], [1, 1, -1])
    >>> w.round(6), round(b, 6), alpha.round(6)
    (array([0.5, 0.5]), -2.0, array([0.25, 0.  , 0.25]))
    """
    d = X.shape[1]
    unit = np.abs(X).max() or 1.0
    P = np.diag(np.r_[np.ones(d), 0.0])
    G = -y[:, None] * np.column_stack([X / unit, np.ones(len(X))])
    answer = solve_qp(P, np.zeros(d + 1), G, -np.ones(len(X)))
    if answer.status == "infeasible":
        raise not_separable()
    return answer.x[:d] / unit, float(answer.x[d]), answer.lam / unit**2


def not_separable():
    """The error of a hard margin that does not exist."""
    return ValueError("no hyperplane separates the classes, so the hard margin (C = infinity) has no solution; "
                      "choose a finite C, which pays for violations, or another kernel.")


@takes(alpha="n", K="n n", y="signs n")
def dual_objective(alpha, K, y):
    """W(alpha) = sum_i alpha_i - 1/2 sum_ij y_i y_j alpha_i alpha_j K_ij (eq-sv-dual)."""
    beta = alpha * y
    return float(np.sum(alpha) - 0.5 * beta @ K @ beta)


@takes(alpha="n", b="number", K="n n", y="signs n", C=check_box)
def primal_objective(alpha, b, K, y, C):
    """1/2 |w|^2 + C sum xi_i at w = sum_i alpha_i y_i phi(x_i) and b; with C = inf it is infinite unless all slacks vanish."""
    beta = alpha * y
    scores = K @ beta
    total = slacks(y * (scores + b)).sum()
    return float(0.5 * beta @ scores + (C * total if total > 0 else 0.0))


@takes(gradient="n", can_rise="flags n", can_fall="flags n")
def offset_interval(gradient, can_rise, can_fall):
    """All b that satisfy the KKT conditions: max over those that can rise <= b <= min over those that can fall (eq-sv-offset).

    ``gradient`` is y_i - sum_j alpha_j y_j K_ij; ``can_rise`` and ``can_fall`` say whether alpha_i y_i may still move
    up or down. At an exact optimum the interval is not empty; before it, the ends are in the wrong order.
    """
    low = np.max(gradient[can_rise], initial=-np.inf)
    high = np.min(gradient[can_fall], initial=np.inf)
    return float(low), float(high)


@takes(alpha="n", y="signs n", C=check_box)
def can_move(alpha, y, C):
    """Whether the signed multiplier alpha_i y_i can rise within its bounds, and whether it can fall.

    >>> can_move(np.array([0.0, 1.0, 1.0]), np.array([1, 1, -1]), C=1.0)
    (array([ True, False,  True]), array([False,  True, False]))
    """
    return np.where(y > 0, alpha < C, alpha > 0), np.where(y > 0, alpha > 0, alpha < C)


@takes(gradient="n", can_rise="flags n", can_fall="flags n")
def choose_offset(gradient, can_rise, can_fall):
    """b of a solution: the mean over the free multipliers, which can do both, or else the middle of :func:`offset_interval`."""
    free = can_rise & can_fall
    return float(gradient[free].mean()) if free.any() else 0.5 * sum(offset_interval.core(gradient, can_rise, can_fall))


@takes()
def solve_dual(K, y, C=np.inf):
    """Maximize W(alpha) subject to 0 <= alpha_i <= C and sum_i alpha_i y_i = 0 by the interior-point method of ``solve_qp``.

    The reference for everything faster. b comes from the KKT conditions (eq-sv-offset), see :func:`choose_offset`.

    >>> X, y = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), np.array([1, 1, -1])
    >>> answer = solve_dual(X @ X.T, y)
    >>> answer.alpha.round(6), round(answer.b, 6), round(answer.dual, 6)
    (array([0.25, 0.  , 0.25]), -2.0, 0.25)
    """
    y, C = check_signs(y), check_box(C)
    K = check_square(K, y)
    n = len(y)
    bounded = np.isfinite(C)
    unit = np.abs(K).max() or 1.0                            # with K / u for K, alpha becomes u alpha, and C becomes u C
    G = np.vstack([-np.eye(n), np.eye(n)]) if bounded else -np.eye(n)
    h = np.r_[np.zeros(n), np.full(n, unit * C)] if bounded else np.zeros(n)
    answer = solve_qp(np.outer(y, y) * (K / unit), -np.ones(n), G, h, y[None, :], np.zeros(1))
    if answer.status == "unbounded":
        raise not_separable()
    alpha = answer.x / unit
    near = 1e-7 * min(C, alpha.max())
    alpha = np.where(alpha < near, 0.0, np.where(alpha > C - near, C, alpha))
    b = choose_offset(y - K @ (alpha * y), *can_move(alpha, y, C))
    return DualSolution(alpha, b, dual_objective(alpha, K, y), primal_objective(alpha, b, K, y, C))


@takes(alpha="n", scores="n", y="signs n", C=check_box)
def kkt_violations(alpha, scores, y, C):
    """How far each example is from its KKT condition (eq-sv-kkt); all zero at the solution.

    With the margin m_i = y_i f(x_i):  alpha_i = 0 asks for m_i >= 1,  alpha_i = C for m_i <= 1,  and 0 < alpha_i < C for m_i = 1.

    >>> kkt_violations(np.array([0.0, 0.5, 1.0]), np.array([0.8, 1.0, 0.3]), np.array([1, 1, 1]), C=1.0).round(12)
    array([0.2, 0. , 0. ])
    """
    lack = 1 - y * scores  # > 0: inside the margin, alpha should grow;  < 0: outside, alpha should shrink
    return np.maximum(np.where(alpha < C, lack, 0.0), np.where(alpha > 0, -lack, 0.0)).clip(min=0.0)
