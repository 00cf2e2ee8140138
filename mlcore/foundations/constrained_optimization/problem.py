"""A smooth constrained problem, its Lagrangian, the residuals of its KKT conditions, and its dual function."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.base import check_number
from mlcore.takes import takes


def no_constraint(x):
    """The value of an absent block of constraints: no number at all."""
    return np.zeros(0)


def no_gradient(x):
    """The Jacobian of an absent block of constraints: no row."""
    return np.zeros((0, np.size(x)))


@dataclass(frozen=True)
class Problem:
    """Minimize f(x) subject to g(x) <= 0 and c(x) = 0 (eq-co-problem).

    Parameters
    ----------
    f, gradient : x (n,) -> a number, and its gradient (n,)
    g, g_jacobian : x -> the inequality constraints (m,), and their gradients as rows (m, n)
    c, c_jacobian : x -> the equality constraints (p,), and their gradients as rows (p, n)

    >>> circle = Problem(lambda x: x[0], lambda x: np.array([1.0, 0.0]), g=lambda x: np.array([x @ x - 1]),
    ...                  g_jacobian=lambda x: 2 * x[None])
    >>> circle.active([-1.0, 0.0]), circle.is_feasible([2.0, 0.0])
    (array([ True]), False)
    """

    f: Callable
    gradient: Callable
    g: Callable = no_constraint
    g_jacobian: Callable = no_gradient
    c: Callable = no_constraint
    c_jacobian: Callable = no_gradient

    def violation(self, x):
        """Largest amount by which x breaks a constraint; 0 for a feasible point."""
        x = np.asarray(x, float)
        return float(np.max(np.concatenate([self.g(x), np.abs(self.c(x)), [0.0]])))

    def is_feasible(self, x, tol=1e-9):
        """Whether x meets every constraint up to ``tol``."""
        return self.violation(x) <= check_number(tol, "tol", low=0)

    def active(self, x, tol=1e-9):
        """Which inequality constraints hold with equality at x, up to ``tol``: (m,) of bool."""
        return np.abs(self.g(np.asarray(x, float))) <= check_number(tol, "tol", low=0)


class KKTResiduals(NamedTuple):
    """How far a point and its multipliers are from the four KKT conditions; all zero at a KKT point (eq-co-kkt)."""

    stationarity: float
    primal: float
    dual: float
    slackness: float

    @property
    def largest(self):
        """The worst of the four."""
        return max(self)


@takes(problem=Problem, x="d", lam="m?", nu="p?")
def lagrangian(problem, x, lam=(), nu=()):
    """L(x, lambda, nu) = f(x) + lambda . g(x) + nu . c(x) (eq-co-lagrangian)."""
    x, lam, nu = check_point(problem, x, lam, nu)
    return float(problem.f(x) + lam @ problem.g(x) + nu @ problem.c(x))


@takes(problem=Problem, x="d", lam="m?", nu="p?")
def lagrangian_gradient(problem, x, lam=(), nu=()):
    """Gradient of the Lagrangian in x: grad f + sum_i lambda_i grad g_i + sum_j nu_j grad c_j."""
    x, lam, nu = check_point(problem, x, lam, nu)
    return problem.gradient(x) + problem.g_jacobian(x).T @ lam + problem.c_jacobian(x).T @ nu


@takes(problem=Problem, x="d", lam="m?", nu="p?")
def kkt_residuals(problem, x, lam=(), nu=()):
    """Largest violation of each of the KKT conditions (eq-co-kkt), in the units of the problem.

    stationarity: |grad_x L|;  primal: max(g, 0) and |c|;  dual: max(-lambda, 0);  slackness: |lambda_i g_i|.

    >>> nearest = Problem(lambda x: ((x - 2) ** 2).sum(), lambda x: 2 * (x - 2), g=lambda x: x - 1, g_jacobian=lambda x: np.eye(1))
    >>> kkt_residuals(nearest, [1.0], lam=[2.0]).largest
    0.0
    >>> kkt_residuals(nearest, [1.0], lam=[0.0]).stationarity
    2.0
    """
    x, lam, nu = check_point(problem, x, lam, nu)
    g = problem.g(x)
    return KKTResiduals(largest_entry(lagrangian_gradient.core(problem, x, lam, nu)), problem.violation(x),
                        largest_entry(np.minimum(lam, 0)), largest_entry(lam * g))


@takes(f_values="N", g_values="N | N m", multipliers="k | k m")
def dual_on_points(f_values, g_values, multipliers):
    """Dual function d(lambda) = min_x f(x) + lambda . g(x) when x runs over finitely many points (eq-co-dual).

    Parameters
    ----------
    f_values : (N,) objective at the points
    g_values : (N, m) or (N,) constraint values there
    multipliers : (k, m) or (k,) the lambdas to evaluate

    Returns
    -------
    (values, index) : (k,) the dual function, and which point attains it

    >>> dual_on_points([0.0, -1.0], [-0.5, 0.5], [0.0, 1.0, 2.0])[0]
    array([-1. , -0.5, -1. ])
    """
    g = g_values if g_values.ndim == 2 else g_values[:, None]
    lam = multipliers if multipliers.ndim == 2 else multipliers[:, None]
    if (lam < 0).any():
        raise ValueError(f"multipliers of inequality constraints must be >= 0, got {lam.min():.3g}.")
    if lam.shape[1] != g.shape[1]:
        raise ValueError(f"multipliers has {lam.shape[1]} columns, but g_values has {g.shape[1]}: one for each constraint is needed.")
    L = f_values + lam @ g.T  # (k, N)
    index = L.argmin(axis=1)
    return L[np.arange(len(lam)), index], index


def largest_entry(v):
    """Largest absolute entry; 0 for an empty vector."""
    return float(np.max(np.abs(v), initial=0.0))


def check_point(problem, x, lam, nu):
    """x and the multipliers as arrays; a wrong number of multipliers is refused."""
    x = np.asarray(x, float)
    lam, nu = np.asarray(lam, float), np.asarray(nu, float)
    for name, given, wanted in (("lam", lam, problem.g(x)), ("nu", nu, problem.c(x))):
        if given.shape != np.shape(wanted):
            raise ValueError(f"{name} must hold one multiplier per constraint, shape {np.shape(wanted)}; got shape {given.shape}.")
    return x, lam, nu
