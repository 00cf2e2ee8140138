"""Nearest points of simple convex sets, and gradient descent that returns to the set after every step."""

from typing import NamedTuple

import numpy as np

from mlcore.base import check_array, check_number
from mlcore.takes import real_numbers, takes


def project_box(y, low, high):
    """Nearest point of the box low <= x <= high (numbers, or one per coordinate; infinite sides are open).

    >>> project_box([-3.0, 0.5, 2.0], 0, 1)
    array([0. , 0.5, 1. ])
    """
    y = check_array(y, name="y", ndim=1)
    low, high = _per_coordinate(low, "low", y), _per_coordinate(high, "high", y)
    if not (low <= high).all():
        raise ValueError("low must not exceed high: the box is empty.")
    return np.clip(y, low, high)


def project_ball(y, center=0.0, radius=1.0):
    """Nearest point of the ball |x - center| <= radius: shrink y - center to length ``radius`` if it is longer.

    >>> project_ball([3.0, 4.0])
    array([0.6, 0.8])
    """
    y = check_array(y, name="y", ndim=1)
    check_number(radius, "radius", low=0)
    away = y - _per_coordinate(check_array(center, name="center", ndim=None), "center", y)
    size = np.abs(away).max(initial=0.0)
    length = np.linalg.norm(away / size) * size if size > 1e150 else np.linalg.norm(away)  # the square of a huge one is infinite
    return y.copy() if length <= radius else y - (1 - radius / length) * away


@takes(b="number")
def project_halfspace(y, a, b):
    """Nearest point of the half-space a . x <= b: step back along a by the excess (eq-co-halfspace).

    >>> project_halfspace([2.0, 1.0], [1.0, 1.0], 2.0)
    array([1.5, 0.5])
    """
    y = check_array(y, name="y", ndim=1)
    a = check_array(a, name="a", ndim=1)
    if len(a) != len(y):
        raise ValueError(f"a has {len(a)} entries, but y has {len(y)}; they must agree.")
    if not a.any():
        raise ValueError("a is zero: a half-space needs a direction.")
    unit = np.ldexp(1.0, min(np.frexp(np.abs(a).max())[1], 1023))
    with np.errstate(over="ignore", invalid="ignore"):
        a, b = a / unit, b / unit  # the half-space is the same, and the square of a tiny or huge a is neither 0 nor infinite
        nearest = y - max(0.0, a @ y - b) / (a @ a) * a
    if not np.isfinite(nearest).all():
        raise ValueError("y, or the distance b / |a|, is too large for floating-point numbers; rescale the problem.")
    return nearest


def project_simplex(y, total=1.0):
    """Nearest point of the simplex x >= 0, sum(x) = total: max(y - theta, 0) with theta from one sort (eq-co-simplex).

    >>> project_simplex([0.6, 0.8, -0.4])
    array([0.4, 0.6, 0. ])
    """
    y = check_array(y, name="y", ndim=1)
    check_number(total, "total", low=0, open_low=True)
    y = y - y.max()  # the answer does not change, and no digit of total is lost beside huge entries
    u = np.sort(y)[::-1]
    thetas = (np.cumsum(u) - total) / np.arange(1, len(y) + 1)  # theta if the k largest entries stay positive
    k = np.flatnonzero(u > thetas)[-1]
    return np.maximum(y - thetas[k], 0)


def _per_coordinate(v, name, y):
    """A number or one value per coordinate of y, as an array."""
    v = real_numbers(v, name)
    if v.shape not in ((), y.shape):
        raise ValueError(f"{name} must be a number or have {len(y)} entries like y, got shape {v.shape}.")
    return v


class Descent(NamedTuple):
    """What projected gradient did.

    x : (n,) where it stopped;  path : (steps + 1, n) all iterates;  history : |x_k - x_{k+1}| / step, which is
    zero exactly at a minimizer (thm-co-projected);  converged : whether it fell below ``tol``
    """

    x: np.ndarray
    path: np.ndarray
    history: np.ndarray
    converged: bool

    @property
    def n_iter(self):
        """Number of steps made."""
        return len(self.history)


@takes(gradient="function", project="function")
def projected_gradient(gradient, project, x, step, *, tol=1e-8, max_iter=1000):
    """Repeat x <- project(x - step * gradient(x)) from the projection of x (eq-co-projected).

    Parameters
    ----------
    gradient : x (n,) -> gradient (n,) of the objective
    project : x (n,) -> nearest point of the feasible set
    step : positive number; 1 / L, with L the Lipschitz constant of the gradient, is safe
    tol : stop when |x_new - x| / step is below it
    max_iter : limit of steps; the answer's ``converged`` says whether ``tol`` was met

    >>> projected_gradient(lambda x: x - 2, lambda x: np.minimum(x, 1), [0.0], 0.5).x
    array([1.])
    """
    check_number(step, "step", low=0, open_low=True)
    check_number(tol, "tol", low=0)
    check_number(max_iter, "max_iter", low=1, integer=True)
    path = [project(check_array(x, name="x", ndim=1))]
    history = []
    for _ in range(max_iter):
        path.append(project(path[-1] - step * gradient(path[-1])))
        history.append(float(np.linalg.norm(path[-1] - path[-2]) / step))
        if not np.isfinite(history[-1]):
            raise ValueError(f"the iterates became infinite after {len(history)} steps; use a step smaller than {step}.")
        if history[-1] <= tol:
            break
    return Descent(path[-1], np.array(path), np.array(history), history[-1] <= tol)
