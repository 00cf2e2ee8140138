"""The perceptron learning algorithm on a design matrix with labels -1 and +1: visit, and add every example that is wrong.

``X`` is used as it is (put a column of ones in it for a bias). What a run did is told by the rows it was wrong on: the
weights after k updates are the start plus the first k of these rows, each times its label (eq-pc-sum).
"""

from typing import NamedTuple

import numpy as np

from mlcore.base import check_array, check_number, check_option, check_range, check_rng, check_signs
from mlcore.takes import takes

VISITS = ("cyclic", "shuffled", "first")
LARGEST_BLOCK = 4096


class Run(NamedTuple):
    """What a perceptron did.

    w : (p,) final weights;  rows : (K,) the example of each update;  times : (K,) how many examples had been visited before it
    mistakes : mistakes in each pass;  n_visits : examples visited in all;  converged : whether the last pass made no mistake
    """

    w: np.ndarray
    rows: np.ndarray
    times: np.ndarray
    mistakes: np.ndarray
    n_visits: int
    converged: bool


@takes(w="p", x="p", y="number", step="number > 0")
def perceptron_step(w, x, y, step=1.0):
    """Weights after one visit: w + step y x if y w . x <= 0, else w as it is (eq-pc-update).

    >>> perceptron_step(np.array([1.0, 0.0]), np.array([2.0, 1.0]), -1)
    array([-1., -1.])
    """
    return w + step * y * x if y * (w @ x) <= 0 else w


def perceptron(X, y, w=None, *, step=1.0, visits="cyclic", max_passes=1000, rng=None):
    """Update on mistakes until a pass makes none or ``max_passes`` are over; returns a :class:`Run`.

    visits : "cyclic" in the order of the rows; "shuffled", in a new random order in each pass; "first", always the first
        wrong row, so that a pass ends at its mistake

    >>> run = perceptron([[1.0, 2.0], [1.0, 0.0], [1.0, 1.0]], [1, -1, 1])
    >>> run.w, run.rows, run.mistakes, run.converged
    (array([-1., 2.]), array([0, 1, 1]), array([2, 1, 0]), True)
    """
    X = check_array(X)
    y = check_signs(y, X)
    w = np.zeros(X.shape[1]) if w is None else _check_start(w, X)
    check_number(step, "step", low=0, open_low=True)
    check_number(max_passes, "max_passes", low=1, integer=True)
    check_option(visits, "visits", VISITS)
    rng = check_rng(rng)
    n, order = len(X), np.arange(len(X))
    w = w.copy()
    moves = step * y[:, None] * X  # (n, p): an example is wrong where moves @ w <= 0, and moves is what it then adds
    rows, times, mistakes, visited, converged = [], [], [], 0, False
    while not converged and len(mistakes) < max_passes:
        if visits == "shuffled":
            order = rng.permutation(n)
        in_order = moves[order] if visits == "shuffled" else moves
        wrong, seen = [], 0
        while (seen := first_mistake(in_order, w, seen)) < n:
            w += in_order[seen]
            wrong.append(seen)
            seen += 1
            if visits == "first":
                break
        rows.append(order[wrong])
        times.append(visited + np.array(wrong, int))
        mistakes.append(len(wrong))
        visited += seen
        converged = not wrong
    return Run(w, np.concatenate(rows), np.concatenate(times), np.array(mistakes), visited, converged)


def first_mistake(signed, w, start):
    """Index of the first row from ``start`` on with row . w <= 0, or the number of rows.

    Between two mistakes the weights stand still, so that many rows can be tried with one product.
    """
    block = 16
    while start < len(signed):
        wrong = signed[start:start + block] @ w <= 0
        at = int(wrong.argmax())
        if wrong[at]:
            return start + at
        start, block = start + block, min(2 * block, LARGEST_BLOCK)
    return len(signed)


def check_run(run, name="run"):
    """Return what a perceptron or a pocket perceptron did; anything else is refused."""
    if not hasattr(run, "rows"):
        raise TypeError(f"{name} must be what perceptron or pocket returned, got {run!r}.")
    return run


@takes(run=check_run, step="number > 0")
def weight_path(run, X, y, w=None, step=1.0):
    """All weights (K + 1, p) of a run, start first: partial sums of the examples that were wrong (eq-pc-sum).

    >>> X, y = np.array([[1.0, 2.0], [1.0, 0.0], [1.0, 1.0]]), np.array([1, -1, 1])
    >>> weight_path(perceptron(X, y), X, y)
    array([[ 0.,  0.],
           [ 1.,  2.],
           [ 0.,  2.],
           [-1.,  2.]])
    """
    X = check_array(X)
    y = check_signs(y, X)
    start = np.zeros(X.shape[1]) if w is None else _check_start(w, X)
    return np.cumsum(np.vstack([start, step * y[run.rows, None] * X[run.rows]]), axis=0)


@takes(b="number")
def signed_distance(X, w, b=0.0):
    """Distance of each row from the hyperplane w . x + b = 0, positive on the side of w (eq-pc-distance).

    >>> signed_distance([[3.0, 4.0], [0.0, 0.0]], [3.0, 4.0], -5.0)
    array([ 4., -1.])
    """
    X, w = check_array(X), check_array(w, name="w", ndim=1)
    return (X @ w + b) / _length(w)


def _check_start(w, X):
    w = check_array(w, name="w", ndim=1)
    if len(w) != X.shape[1]:
        raise ValueError(f"w has {len(w)} entries, but X has {X.shape[1]} columns; they must agree.")
    return w


def _length(w):
    check_range(w, "w")
    length = float(np.linalg.norm(w))
    if length == 0:
        raise ValueError("w is the zero vector, which defines no hyperplane.")
    return length
