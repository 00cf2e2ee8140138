"""Minimize a function of one array: by any optimizer, by steepest descent with line search, by Newton's method."""

import copy
from typing import NamedTuple

import numpy as np

from mlcore.base import as_array, check_array, check_number
from mlcore.foundations.gradient_descent.optimizers import Optimizer
from mlcore.takes import takes

SMALLEST = 1e-14
ROUNDING = 4 * float(np.finfo(float).eps)


class Result(NamedTuple):
    """What a minimization did.

    x : where it stopped;  path : (n_iter + 1, *x.shape) every point from the start on;
    history : (n_iter + 1,) f at those points;  converged : whether |gradient| fell to ``tol``.
    """

    x: np.ndarray
    history: np.ndarray
    path: np.ndarray
    converged: bool

    @property
    def n_iter(self):
        """Steps made."""
        return len(self.path) - 1


@takes(f="function", grad="function")
def minimize(f, grad, x0, optimizer=None, tol=1e-6, max_iter=1000):
    """Follow the gradient from ``x0`` until it vanishes.

    Stops when |grad(x)| <= ``tol`` (Euclidean norm), after ``max_iter`` steps, when f or its gradient overflows (the
    last finite point is returned), or when the line search finds no lower value.

    Parameters
    ----------
    f, grad : functions of an array shaped like ``x0``: the value, and the gradient in the same shape
    x0 : start, an array of any shape; it is not changed
    optimizer : an :class:`Optimizer`, used from a fresh state and left as it is; None takes steepest descent with
        Armijo backtracking, each search starting from twice the step accepted before

    Returns
    -------
    Result

    >>> run = minimize(lambda x: (x**2).sum(), lambda x: 2 * x, [3.0, 4.0])
    >>> run.x, run.n_iter, run.converged
    (array([0., 0.]), 1, True)
    """
    f = _remember(f)
    if optimizer is None:
        advance = _steepest(f)
    elif isinstance(optimizer, Optimizer):
        rule = copy.copy(optimizer).reset()

        def advance(x, g, value):
            new = x.copy()
            rule.step([new], [g])
            return new
    else:
        raise ValueError(f"optimizer must be an Optimizer such as SGD(lr=0.1), or None for a line search; got {optimizer!r}.")
    return _iterate(f, grad, x0, advance, tol, max_iter)


def _steepest(f):
    """Steepest descent whose step may double from one search to the next."""
    trial = 0.5

    def advance(x, g, value):
        nonlocal trial
        trial = backtracking.core(f, x, -g, g, value=value, step=2 * trial)
        return x - trial * g if trial else None

    return advance


@takes(f="function", x="...", direction="...", gradient="...")
def backtracking(f, x, direction, gradient, *, value=None, step=1.0, shrink=0.5, slope=1e-4):
    """Largest of ``step``, ``step * shrink``, ``step * shrink^2``, ... with sufficient decrease (eq-gd-armijo).

    f(x + s d) <= f(x) + slope * s * (gradient . d). It ends for every descent direction of a differentiable f
    (thm-gd-armijo). A search that falls below 1e-14 of its first step returns 0: ``gradient`` is not the gradient of f.

    >>> backtracking(lambda x: 5 * x[0] ** 2, np.array([1.0]), np.array([-10.0]), np.array([10.0]))
    0.125
    """
    check_number(step, "step", low=0, open_low=True)
    check_number(shrink, "shrink", low=0, high=1, open_low=True, open_high=True)
    check_number(slope, "slope", low=0, high=1, open_low=True, open_high=True)
    if not np.shape(x) == np.shape(direction) == np.shape(gradient):
        shapes = ", ".join(str(np.shape(a)) for a in (x, direction, gradient))
        raise ValueError(f"x, direction and gradient must have one shape, got {shapes}.")
    descent = float(np.vdot(gradient, direction))
    if not descent < 0:
        raise ValueError(f"direction must point downhill: its product with the gradient must be negative, got {descent:.3g}.")
    value = float(f(x)) if value is None else value
    slack = ROUNDING * abs(value)  # next to the minimum the decrease is smaller than the last digit of f
    smallest = SMALLEST * step
    with np.errstate(over="ignore", invalid="ignore"):
        while step > smallest:
            if f(x + step * direction) <= value + slope * step * descent + slack:
                return float(step)
            step *= shrink
    return 0.0


@takes(f="function", grad="function", hess="function")
def newton(f, grad, hess, x0, damped=True, tol=1e-8, max_iter=100):
    """Newton's method: x <- x - s H^-1 g with the Hessian H and the gradient g (eq-gd-newton).

    Parameters
    ----------
    f, grad, hess : functions of a vector of length d: value, gradient (d,), Hessian (d, d)
    x0 : (d,) start; it is not changed
    damped : choose s by :func:`backtracking` from 1, and add to a Hessian that is not positive definite the multiple
        of the identity that makes it so. False takes the pure step s = 1, which converges to any stationary point,
        saddles and maxima included, or not at all.
    tol, max_iter : as in :func:`minimize`; a Hessian that overflows ends the run as well

    >>> newton(lambda x: np.cosh(x).sum(), np.sinh, lambda x: np.diag(np.cosh(x)), [1.0, -0.5]).n_iter
    4
    """
    f = _remember(f)

    def advance(x, g, value):
        H = np.asarray(hess(x), float)
        if H.shape != (x.size, x.size):
            raise ValueError(f"hess(x) must have shape ({x.size}, {x.size}), got {H.shape}.")
        if not np.isfinite(H).all():
            return None
        if not damped:
            try:
                return x - np.linalg.solve(H, g)
            except np.linalg.LinAlgError:
                raise ValueError(f"the Hessian is singular at x = {np.round(x, 6)}; use damped=True.") from None
        direction = -_solve_shifted(H, g)
        step = backtracking.core(f, x, direction, g, value=value)
        return x + step * direction if step else None

    if as_array(x0, "x0").ndim != 1:
        raise ValueError(f"x0 must be 1-D (d,), got shape {np.shape(x0)}.")
    return _iterate(f, grad, x0, advance, tol, max_iter)


def _solve_shifted(H, g):
    """(H + tau I)^-1 g with the first tau in 0, then doubling, that makes the matrix positive definite."""
    tau = 0.0
    while True:
        try:
            L = np.linalg.cholesky(H + tau * np.eye(len(H)))
        except np.linalg.LinAlgError:
            tau = max(2 * tau, 1e-3 * max(1.0, float(np.linalg.norm(H))))
            continue
        return np.linalg.solve(L.T, np.linalg.solve(L, g))


def _remember(f):
    """f that keeps its last value: the point that a line search accepts is the next one, and need not be evaluated again."""
    last, value = None, None

    def remembering(x):
        nonlocal last, value
        if last is None or not np.array_equal(last, x):
            last, value = np.array(x), f(x)
        return value

    return remembering


def _iterate(f, grad, x0, advance, tol, max_iter):
    """Points x, advance(x, g, f(x)), ... until the gradient g is small; ``advance`` returns None when it is stuck."""
    check_number(tol, "tol", low=0)
    check_number(max_iter, "max_iter", low=0, integer=True)
    x = check_array(x0, name="x0", ndim=None).copy()
    path, history, converged = [x], [float(f(x))], False
    if not np.isfinite(history[0]):
        raise ValueError(f"f is {history[0]} at the start x0; start where f is finite.")
    with np.errstate(over="ignore", invalid="ignore"):
        while True:
            g = np.asarray(grad(x), float)
            if g.shape != x.shape:
                raise ValueError(f"grad(x) must have the shape of x, {x.shape}, got {g.shape}.")
            converged = bool(np.linalg.norm(g) <= tol)
            if converged or len(path) > max_iter or not np.isfinite(g).all():
                break
            x = advance(x, g, history[-1])
            value = float(f(x)) if x is not None else np.inf
            if not np.isfinite(value):
                break
            path.append(x)
            history.append(value)
    return Result(path[-1], np.array(history), np.array(path), converged)
