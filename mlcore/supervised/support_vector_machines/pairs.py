"""Sequential minimal optimization as the chapter explains it: one pair of multipliers at a time, in Platt's letters."""

import warnings
from typing import NamedTuple

import numpy as np

from mlcore.base import ConvergenceWarning, check_number, check_option, check_rng, check_signs
from mlcore.supervised.support_vector_machines.margins import check_box
from mlcore.supervised.support_vector_machines.programs import can_move, check_square, choose_offset, dual_objective, not_separable
from mlcore.takes import takes

RULES = ("second", "violation", "random")


class PairStep(NamedTuple):
    """One step of SMO: the pair, where it was, the unclipped optimum and the end; [low, high] are the bounds of alpha_j."""

    i: int
    j: int
    before: tuple
    unclipped: float
    low: float
    high: float
    after: tuple
    b: float
    objective: float
    violation: float


class SMOResult(NamedTuple):
    """alpha (n,), b, the list of :class:`PairStep`, and whether the KKT conditions hold within the tolerance."""

    alpha: np.ndarray
    b: float
    steps: list
    converged: bool


@takes(alpha_i="number", alpha_j="number", y_i="number", y_j="number", C=check_box)
def clip_bounds(alpha_i, alpha_j, y_i, y_j, C):
    """Ends L, H of alpha_j on the line alpha_i y_i + alpha_j y_j = const inside the box [0, C]^2 (eq-sv-bounds).

    >>> clip_bounds(0.25, 0.5, 1, -1, C=1.0), clip_bounds(0.25, 0.5, 1, 1, C=1.0)
    ((0.25, 1.0), (0.0, 0.75))
    """
    if y_i != y_j:
        return max(0.0, alpha_j - alpha_i), min(C, C + alpha_j - alpha_i)
    return max(0.0, alpha_i + alpha_j - C), min(C, alpha_i + alpha_j)


@takes(alpha_j="number", y_j="number", E_i="number", E_j="number", curvature="number", low="number", high="number")
def pair_optimum(alpha_j, y_j, E_i, E_j, curvature, low, high):
    """Best alpha_j before and after clipping to [low, high] (eq-sv-pair-step).

    ``curvature`` is K_ii + K_jj - 2 K_ij. If it is zero the objective is a straight line in alpha_j, and the better
    end is taken; that is what two equal points with opposite labels need.
    """
    slope = y_j * (E_i - E_j)  # dW / d alpha_j
    if curvature > 0:
        free = alpha_j + slope / curvature
    else:
        free = alpha_j if slope == 0 else np.inf * slope
    return free, min(max(free, low), high)


@takes(**dict.fromkeys(("b", "E_i", "E_j", "y_i", "y_j", "change_i", "change_j", "K_ii", "K_ij", "K_jj"), "number"))
def offset_after(b, E_i, E_j, y_i, y_j, change_i, change_j, K_ii, K_ij, K_jj, free_i, free_j):
    """Platt's b after a step: the one that makes a free member of the pair exact, or the mean of both (eq-sv-b-update)."""
    b_i = b - E_i - y_i * change_i * K_ii - y_j * change_j * K_ij
    b_j = b - E_j - y_i * change_i * K_ij - y_j * change_j * K_jj
    return b_i if free_i else b_j if free_j else 0.5 * (b_i + b_j)


@takes(errors="n", alpha="n", y="signs n", K="n n", C=check_box, rule=RULES, rng="rng")
def choose_pair(errors, alpha, y, K, C, rule="second", rng=None):
    """The pair (i, j) to work on, and the violation it is chosen for (eq-sv-gap, eq-sv-second).

    i is the example that most wants alpha_i y_i to rise. j is, of those whose alpha_j y_j can fall, the one that wants it
    most ("violation"), the one with the largest gain on the unbounded line ("second"), or any that would gain ("random").
    """
    rise, fall = can_move.core(alpha, y, C)
    i = _first_largest(np.where(rise, -errors, -np.inf), 1e-13)
    gaps = np.where(fall, errors - errors[i], -np.inf)  # > 0: moving weight from j to i raises W
    violation = float(gaps.max())
    if violation <= 0 or rule == "violation":
        return i, _first_largest(gaps, min(1e-13, 0.5 * abs(violation))), violation
    if rule == "random":
        return i, int(rng.choice(np.flatnonzero(gaps > 0))), violation
    curvature = np.maximum(K[i, i] + np.diag(K) - 2 * K[i], 1e-12)
    gains = np.maximum(gaps, 0) ** 2 / curvature
    return i, _first_largest(gains, 1e-7 * gains.max()), violation


def _first_largest(values, slack):
    """The first value within ``slack`` of the largest: ties are not left to rounding, so every machine takes the same steps."""
    return int(np.argmax(values >= values.max() - slack))


def _snap(value, size, C):
    """0 or C where rounding has left a multiplier a hair away from it, so that "free" means free."""
    return 0.0 if value <= 1e-12 * size else C if value >= C * (1 - 1e-12) else value


def smo(K, y, C, *, tol=1e-3, max_iter=10_000, rule="second", rng=None):
    """Solve the dual of the soft-margin SVM by pairs, recording every step: for reading and for figures, not for speed.

    Parameters
    ----------
    K : (n, n) Gram matrix;  y : (n,) labels -1, +1;  C : upper bound of the multipliers, may be ``numpy.inf``
    tol : stop when no pair violates the KKT conditions by more than this
    rule : how the second member is chosen, "second", "violation" or "random"

    Returns
    -------
    SMOResult

    >>> X, y = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), np.array([1, 1, -1])
    >>> answer = smo(X @ X.T, y, C=10.0, tol=1e-9)
    >>> answer.alpha.round(6), round(answer.b, 6), len(answer.steps)
    (array([0.25, 0.  , 0.25]), -2.0, 1)
    """
    y, C = check_signs(y), check_box(C)
    K = check_square(K, y)
    check_number(tol, "tol", low=0, open_low=True)
    check_number(max_iter, "max_iter", low=0, integer=True)
    check_option(rule, "rule", RULES)
    rng = check_rng(rng)
    alpha, b, steps, converged = np.zeros(len(y)), 0.0, [], False
    errors = b - y  # the cache E_i = f(x_i) - y_i, with f = 0 at the start
    while True:
        i, j, violation = choose_pair.core(errors, alpha, y, K, C, rule, rng)
        if violation <= tol:
            converged = True
            break
        if len(steps) == max_iter:
            warnings.warn(f"smo did not converge in max_iter={max_iter} steps; raise max_iter or tol.", ConvergenceWarning, stacklevel=2)
            break
        low, high = clip_bounds.core(alpha[i], alpha[j], y[i], y[j], C)
        curvature = K[i, i] + K[j, j] - 2 * K[i, j]
        free, new_j = pair_optimum.core(alpha[j], y[j], errors[i], errors[j], curvature, low, high)
        if not np.isfinite(new_j):
            raise not_separable()
        new_i = _snap(alpha[i] + y[i] * y[j] * (alpha[j] - new_j), alpha[i] + alpha[j], C)
        change_i, change_j, before = new_i - alpha[i], new_j - alpha[j], (alpha[i], alpha[j])
        new_b = offset_after.core(b, errors[i], errors[j], y[i], y[j], change_i, change_j, K[i, i], K[i, j], K[j, j],
                             0 < new_i < C, 0 < new_j < C)
        errors = errors + y[i] * change_i * K[i] + y[j] * change_j * K[j] + (new_b - b)
        alpha[i], alpha[j], b = new_i, new_j, new_b
        steps.append(PairStep(i, j, before, free, low, high, (new_i, new_j), b, dual_objective.core(alpha, K, y), violation))
    b = choose_offset(y - K @ (alpha * y), *can_move(alpha, y, C))
    return SMOResult(alpha, b, steps, converged)
