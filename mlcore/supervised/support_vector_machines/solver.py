"""The fast solver: SMO on signed multipliers with second-order pairs, a gradient cache, a row cache, shrinking and joint steps.

With beta_i = alpha_i y_i the duals of classification and of regression are one problem (eq-sv-signed):

    maximize  z . beta - 1/2 beta' K beta   subject to  sum_i beta_i = 0,  A_i <= beta_i <= B_i .

Pairs find out quickly which multipliers end at a bound, and need thousands of steps to agree on the values of the free ones where
those depend on each other. So between blocks of pairs all free multipliers take Newton's step together, as far as the box allows.
"""

from collections import OrderedDict
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dposv

from mlcore.base import check_array, check_number
from mlcore.takes import takes

FLAT = 1e-12  # a curvature below this share of the largest diagonal entry counts as zero
CHECK_EVERY = 300  # steps between two attempts to shrink
PAIRS = 100  # steps with pairs between two joint steps, and one more for every 50 entries of the matrix of the free multipliers
MOST_FREE = 1000  # no joint steps of more multipliers than this
MOST_JOINT = 5  # joint steps in a row: each but the last takes a multiplier to its bound
RIDGE = 1e-9  # share of the mean curvature that keeps the equations of a joint step solvable


class BoxResult(NamedTuple):
    """beta (m,), the gradient z - K beta, the steps, the dual value at each, the remaining violation, and how it ended."""

    beta: np.ndarray
    gradient: np.ndarray
    n_iter: int
    history: np.ndarray
    violation: float
    converged: bool
    bounded: bool


class GramRows:
    """Rows of a kernel matrix: an (n, n) array, or a function of row numbers, of which the rows used last are kept.

    >>> rows = GramRows(lambda r: np.arange(9.0).reshape(3, 3)[r], diagonal=np.array([0.0, 4.0, 8.0]), megabytes=0)
    >>> rows[1], rows.product(np.array([1.0, 0.0, 1.0]))
    (array([3., 4., 5.]), array([ 6.,  8., 10.]))
    """

    def __init__(self, gram, *, diagonal, megabytes=400):
        check_number(megabytes, "megabytes", low=0)
        self.diagonal = check_array(diagonal, name="diagonal", ndim=1)
        self.n, self.whole = len(diagonal), None
        if not callable(gram):
            self.whole = check_array(gram, name="gram")
            if self.whole.shape != (self.n, self.n):
                raise ValueError(f"gram must have shape ({self.n}, {self.n}), one row per entry of diagonal, got {self.whole.shape}.")
        self._gram, self._kept = gram, OrderedDict()
        self.room = max(2, int(megabytes * 2**20 // (8 * self.n)))  # a step needs two rows at once

    def __getitem__(self, i):
        """Row i, from the cache if it is there."""
        if self.whole is not None:
            return self.whole[i]
        row = self._kept.pop(i, None)
        if row is None:
            row = self._gram(np.array([i]))[0]
            if len(self._kept) >= self.room:
                self._kept.popitem(last=False)
        self._kept[i] = row
        return row

    def product(self, beta):
        """K beta, from the rows where beta is not zero."""
        if self.whole is not None:
            return self.whole @ beta
        total = np.zeros(self.n)
        for i in np.flatnonzero(beta):
            total += beta[i] * self[i]
        return total


@takes(rows=GramRows, z="m", A="any m", B="any m")
def solve_box(rows, z, A, B, *, index=None, tol=1e-3, max_iter=100_000, shrink=True):
    """Solve eq-sv-signed by SMO until the violation of eq-sv-gap is at most ``tol``.

    Parameters
    ----------
    rows : :class:`GramRows` of the n examples
    z, A, B : (m,) linear term and bounds, A <= 0 <= B; m = n for classification, 2n for regression
    index : (m,) the example of each variable; None means variable i is example i
    tol, max_iter : stop at this violation, or after so many steps
    shrink : leave variables that sit firmly at a bound out of the work (eq-sv-shrink); the answer is checked on all of them

    Returns
    -------
    BoxResult; ``bounded`` is False if the dual is unbounded, that is, if a hard margin does not exist

    >>> K, y = np.array([[18.0, 21, 6], [21, 25, 7], [6, 7, 2]]), np.array([1.0, 1, -1])
    >>> rows = GramRows(K, diagonal=np.diag(K))
    >>> solve_box(rows, y, np.minimum(0, 10 * y), np.maximum(0, 10 * y)).beta
    array([ 0.25,  0.  , -0.25])
    """
    check_number(tol, "tol", low=0, open_low=True)
    check_number(max_iter, "max_iter", low=0, integer=True)
    if not ((A <= 0) & (B >= 0)).all():
        raise ValueError("the bounds must hold A <= 0 <= B in every entry, so that beta = 0 is allowed.")
    index = np.arange(rows.n) if index is None else index
    beta, gradient = np.zeros(len(z)), z.copy()
    state = _Active(np.arange(len(z)), rows, index, z, A, B, beta, gradient)
    history, value, n_iter, pairs, checked = [0.0], 0.0, 0, PAIRS, 0
    while True:
        value, status = _work(state, history, value, tol, min(pairs, max_iter - n_iter))
        if status == "working":  # a block of pairs is over: move the free multipliers together
            free = np.flatnonzero((state.beta > state.A) & (state.beta < state.B))
            if 3 <= len(free) <= min(rows.room, MOST_FREE):  # a pair needs no help, and a larger matrix costs more than it gains
                value = _joint_steps(state, free, history, value, tol, min(MOST_JOINT, max_iter - len(history) + 1))
            pairs = PAIRS + len(free) ** 2 // 50
        n_iter = len(history) - 1
        beta[state.active], gradient[state.active] = state.beta, state.g
        if status == "unbounded" or n_iter >= max_iter and status == "working":
            break
        if status == "working":
            if shrink and n_iter - checked >= CHECK_EVERY:
                keep, checked = state.keep(), n_iter
                if keep.sum() < 0.9 * len(keep):
                    state = _Active(state.active[keep], rows, index, z, A, B, beta, gradient)
            continue
        if len(state.active) == len(z):
            break
        gradient = z - _gather(rows, beta, index)  # converged on the active ones: do the others agree?
        state = _Active(np.arange(len(z)), rows, index, z, A, B, beta, gradient)
        if state.violation() <= tol:
            break
    if len(state.active) < len(z):
        gradient = z - _gather(rows, beta, index)
        state = _Active(np.arange(len(z)), rows, index, z, A, B, beta, gradient)
    violation = state.violation()
    return BoxResult(beta, gradient, n_iter, np.array(history), violation, violation <= tol, status != "unbounded")


def _gather(rows, beta, index):
    """(K beta) of every variable's example."""
    return rows.product(np.bincount(index, weights=beta, minlength=rows.n))[index]


class _Active:
    """The variables SMO is working on, as contiguous arrays: values, gradients, bounds, and which may move where."""

    def __init__(self, active, rows, index, z, A, B, beta, gradient):
        self.active = active
        self.columns = index[active]
        self.row = self._row_reader(rows)
        self.beta, self.g, self.A, self.B = beta[active], gradient[active], A[active], B[active]
        self.diagonal = rows.diagonal[self.columns]
        self.no_rise, self.no_fall = np.empty_like(self.g), np.empty_like(self.g)
        self.mark(slice(None))

    def mark(self, which):
        """Note which variables may move: 0 where a move is allowed, infinite where not; added to g, it leaves them out of max or min."""
        self.no_rise[which] = np.where(self.beta[which] < self.B[which], 0.0, -np.inf)
        self.no_fall[which] = np.where(self.beta[which] > self.A[which], 0.0, np.inf)

    def violation(self):
        """max over those that can rise - min over those that can fall (eq-sv-gap); 0 if nothing can move."""
        gap = np.max(self.g + self.no_rise) - np.min(self.g + self.no_fall)
        return max(float(gap), 0.0)

    def keep(self):
        """Which variables stay: free ones, and bound ones whose gradient does not clearly push them into the bound (eq-sv-shrink)."""
        top, bottom = np.max(self.g + self.no_rise), np.min(self.g + self.no_fall)
        at_top, at_bottom = np.isinf(self.no_rise), np.isinf(self.no_fall)
        return ~((at_top & (self.g > top)) | (at_bottom & (self.g < bottom)))

    def _row_reader(self, rows):
        """The function that gives the kernel row of variable i at the active columns; it is called twice a step."""
        columns = self.columns
        if len(columns) != rows.n or (columns != np.arange(rows.n)).any():
            return lambda i: rows[columns[i]][columns]
        return rows.__getitem__ if rows.whole is None else rows.whole.__getitem__


def _work(state, history, value, tol, budget):
    """Up to ``budget`` pair steps on the active variables; returns the dual value, and how it ended."""
    g, beta, A, B, diagonal = state.g, state.beta, state.A, state.B, state.diagonal
    no_rise, no_fall, row = state.no_rise, state.no_fall, state.row
    flat = FLAT * max(float(diagonal.max()), 1e-100)
    half, half_flat, zeros = diagonal / 2, np.full_like(g, flat / 2), np.zeros_like(g)  # arrays: numpy is slower with single numbers
    gain, bends, down = np.empty_like(g), np.empty_like(g), np.empty_like(g)
    for _ in range(budget):
        i = int(np.add(g, no_rise, out=gain).argmax())
        np.add(g, no_fall, out=down)
        np.subtract(g[i], down, out=down)  # how far j lies below i; -inf where beta_j cannot fall
        K_i = row(i)
        np.subtract(half, K_i, out=bends)
        bends += half[i]
        np.maximum(bends, half_flat, out=bends)  # half the curvature K_ii + K_jj - 2 K_ij
        np.maximum(down, zeros, out=gain)
        np.multiply(gain, gain, out=gain)
        gain /= bends
        j = int(gain.argmax())  # the largest gain of the unclipped step (eq-sv-second)
        if down[j] <= tol and down.max() <= tol:  # the violation (eq-sv-gap); it is at least that of the pair, which is known already
            return value, "converged"
        slope, bend = float(g[i] - g[j]), 2 * float(bends[j])
        room_i, room_j = B[i] - beta[i], beta[j] - A[j]
        t = min(slope / bend if bend > flat else np.inf, room_i, room_j)
        if t == np.inf:
            return value, "unbounded"
        K_j = row(j)
        np.subtract(K_i, K_j, out=bends)
        bends *= t
        g -= bends
        beta[i] = B[i] if t == room_i else beta[i] + t
        beta[j] = A[j] if t == room_j else beta[j] - t
        no_rise[i], no_fall[i] = (-np.inf if t == room_i else 0.0), (0.0 if beta[i] > A[i] else np.inf)
        no_fall[j], no_rise[j] = (np.inf if t == room_j else 0.0), (0.0 if beta[j] < B[j] else -np.inf)
        value += t * slope - 0.5 * t * t * bend if bend > flat else t * slope
        history.append(value)
    return value, "working"


def _joint_steps(state, free, history, value, tol, most):
    """Up to ``most`` Newton steps of the ``free`` variables among themselves; returns the dual value.

    Along d with sum_i d_i = 0 the dual is the parabola W + t g.d - t^2/2 d'Kd, as in eq-sv-parabola. With P = I - 11'/m, which
    subtracts the mean, Newton's direction (eq-sv-joint) is the solution of P K P d = P g. A step ends at the top or where the
    first variable meets its bound; that one stays there, and the others go on.
    """
    g, beta, A, B = state.g, state.beta, state.A, state.B
    rows, left = np.array([state.row(i) for i in free]), np.arange(len(free))  # left: those that have not met a bound
    flat = FLAT * float(state.diagonal.max())
    for _ in range(most):
        now = free[left]
        if len(now) < 3 or np.ptp(g[now]) <= tol:  # these do not violate eq-sv-gap among each other
            break
        H = rows[left[:, None], now]
        H -= H.mean(axis=0)
        H -= H.mean(axis=1)[:, None]  # P K P
        H.flat[:: len(H) + 1] += RIDGE * np.trace(H) / len(H)
        _, d, failed = dposv(H, g[now] - g[now].mean())
        d -= d.mean()
        moved = d @ rows[left]  # K d
        slope, bend = float(g[now] @ d), float(moved[now] @ d)
        end = np.where(d > 0, B[now], A[now])
        room = np.divide(end - beta[now], d, out=np.full_like(d, np.inf), where=d != 0)
        t = min(slope / bend if bend > flat * float(d @ d) else np.inf, float(room.min()))
        if failed or not slope > 0 or t == np.inf:  # rounding hides the direction, or the maximum is far away: pairs decide
            break
        g -= t * moved
        met = room <= t
        beta[now] = np.where(met, end, np.clip(beta[now] + t * d, A[now], B[now]))
        value += t * slope - 0.5 * t * t * bend
        history.append(value)
        left = left[~met]
        if not met.any():
            break
    state.mark(free)
    return value
