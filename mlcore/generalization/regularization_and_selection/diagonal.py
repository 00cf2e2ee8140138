"""The diagonal linear network theta = u^2 - v^2: the scale of its start decides between an L1 and an L2 penalty."""

from typing import NamedTuple

import numpy as np

from mlcore.base import as_array, check_array, check_number, check_X_y
from mlcore.foundations.gradient_descent import newton
from mlcore.takes import takes


class DiagonalRun(NamedTuple):
    """Gradient descent on a diagonal network.

    theta : (d,) at the end;  steps : (r,) recorded step numbers;  path : (r, d) theta there;  losses : (r,) mean squared error there;
    converged : whether the mean squared error fell to ``tol``
    """

    theta: np.ndarray
    steps: np.ndarray
    path: np.ndarray
    losses: np.ndarray
    converged: bool


def diagonal_descent(X, y, scale, step=0.01, max_steps=20_000, tol=1e-10, record=()):
    """Gradient descent on |y - X (u^2 - v^2)|^2 / (2 n) from u = v = scale, eq-rs-diagonal; theta starts at 0.

    Stops when the mean squared error is at most ``tol``. ``record`` names steps whose theta is kept beside the last one.

    >>> run = diagonal_descent([[2.0, 1.0]], [2.0], scale=0.001, step=0.05)
    >>> run.theta.round(2), run.converged                       # small scale: the shortest in the 1-norm
    (array([1., 0.]), True)
    """
    X, y = check_X_y(X, y)
    check_number(scale, "scale", low=0, open_low=True)
    check_number(step, "step", low=0, open_low=True)
    check_number(max_steps, "max_steps", low=1, integer=True)
    check_number(tol, "tol", low=0)
    wanted = {check_number(t, "record", low=0, high=max_steps, integer=True) for t in record}
    n, d = X.shape
    u, v = np.full(d, float(scale)), np.full(d, float(scale))
    steps, path, losses = [], [], []
    for t in range(max_steps + 1):
        theta = u**2 - v**2
        residual = X @ theta - y
        loss = residual @ residual / n
        if not np.isfinite(loss):
            raise ValueError(f"the descent diverged at step {t}; use a smaller step than {step:g}.")
        done = loss <= tol or t == max_steps
        if done or t in wanted:
            steps.append(t)
            path.append(theta)
            losses.append(float(loss))
        if done:
            break
        pull = 2 * step * (X.T @ residual) / n
        u, v = u - pull * u, v + pull * v
    return DiagonalRun(theta, np.array(steps), np.array(path), np.array(losses), bool(loss <= tol))


@takes()
def diagonal_potential(theta, scale):
    """Sum of theta arcsinh(theta / 2 scale^2) - sqrt(theta^2 + 4 scale^4) + 2 scale^2, eq-rs-potential.

    It is close to |theta|^2 / (4 scale^2) for a large scale, to a multiple of |theta|_1 for a small one.

    >>> round(diagonal_potential([1.0, -1.0], 10.0) * 400, 3)
    2.0
    """
    theta = check_array(np.atleast_1d(as_array(theta, "theta")), name="theta", ndim=1)
    c = 2 * float(check_number(scale, "scale", low=0, open_low=True)) ** 2
    # |theta| / c may be huge and theta^2 tiny beside c^2: subtract without cancellation
    return float(np.sum(theta * np.arcsinh(theta / c) - theta**2 / (np.hypot(theta, c) + c)))


@takes()
def diagonal_limit(X, y, scale):
    """The solution of X theta = y with the smallest potential: where gradient flow from u = v = scale ends (thm-rs-potential).

    Found by Newton's method on the dual: theta = 2 scale^2 sinh(X^T nu) with X theta = y. X must have independent rows.

    >>> diagonal_limit([[2.0, 1.0]], [2.0], scale=100.0).round(3)        # large scale: the shortest in the 2-norm
    array([0.8, 0.4])
    """
    X, y = check_X_y(X, y)
    c = 2 * float(check_number(scale, "scale", low=0, open_low=True)) ** 2
    if np.linalg.matrix_rank(X) < len(X):
        raise ValueError(f"X must have linearly independent rows, got rank {np.linalg.matrix_rank(X)} for {len(X)} rows.")

    def dual(nu):
        with np.errstate(over="ignore"):  # a step that is too long overflows to infinity and is shortened
            return float(c * (np.cosh(X.T @ nu) - 1).sum() - y @ nu)

    found = newton(dual, lambda nu: X @ (c * np.sinh(X.T @ nu)) - y, lambda nu: (X * (c * np.cosh(X.T @ nu))) @ X.T,
                   np.zeros(len(y)), tol=1e-10 * max(1.0, float(np.abs(y).max())), max_iter=500)
    return c * np.sinh(X.T @ found.x)
