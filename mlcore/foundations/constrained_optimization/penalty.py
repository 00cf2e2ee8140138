"""Constrained problems by unconstrained minimization: quadratic penalty and augmented Lagrangian."""

import warnings
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from mlcore.base import ConvergenceWarning, check_array, check_number
from mlcore.foundations.constrained_optimization.problem import KKTResiduals, Problem, check_point, kkt_residuals, largest_entry
from mlcore.takes import takes


class PenaltyRound(NamedTuple):
    """One round: the weight rho, the minimizer x found with it, the multipliers it estimates, their KKT residuals."""

    rho: float
    x: np.ndarray
    lam: np.ndarray
    nu: np.ndarray
    residuals: KKTResiduals


@takes(problem=Problem, x="d", lam="m?", nu="p?", rho="number > 0")
def augmented_lagrangian_value(problem, x, lam, nu, rho):
    """Augmented Lagrangian (eq-co-augmented) and its gradient in x; with lam = nu = 0 the quadratic penalty (eq-co-penalty).

    f + nu . c + rho/2 |c|^2 + (|max(lam + rho g, 0)|^2 - |lam|^2) / (2 rho)
    """
    new_lam, new_nu = update_multipliers.core(problem, x, lam, nu, rho)
    c = problem.c(x)
    value = problem.f(x) + nu @ c + rho / 2 * (c @ c) + (new_lam @ new_lam - lam @ lam) / (2 * rho)
    gradient = problem.gradient(x) + problem.g_jacobian(x).T @ new_lam + problem.c_jacobian(x).T @ new_nu
    return float(value), gradient


@takes(problem=Problem, x="d", lam="m?", nu="p?", rho="number > 0")
def update_multipliers(problem, x, lam, nu, rho):
    """New multipliers max(lam + rho g(x), 0) and nu + rho c(x) (eq-co-multiplier-update)."""
    x, lam, nu = check_point(problem, x, lam, nu)
    return np.maximum(lam + rho * problem.g(x), 0), nu + rho * problem.c(x)


@takes(problem=Problem, rhos="list", tol="number > 0")
def quadratic_penalty(problem, x, rhos, *, tol=1e-9):
    """Minimize f + rho/2 (|c|^2 + |max(g, 0)|^2) for each rho in turn, from the last minimizer (eq-co-penalty).

    Returns a :class:`PenaltyRound` for each rho; its multipliers are rho * max(g, 0) and rho * c (eq-co-penalty-multipliers).

    >>> from mlcore.foundations.constrained_optimization import quadratic_problem
    >>> above_one = quadratic_problem([[1.0]], [0.0], [[-1.0]], [-1.0])     # x^2 / 2 subject to x >= 1
    >>> [float(r.x[0].round(4)) for r in quadratic_penalty(above_one, [0.0], [1, 9, 99])]
    [0.5, 0.9, 0.99]
    """
    x = check_array(x, name="x", ndim=1)
    rounds = []
    for rho in rhos:
        check_number(rho, "rho", low=0, open_low=True)
        none = (np.zeros(len(problem.g(x))), np.zeros(len(problem.c(x))))
        x = _minimize(problem, x, *none, rho, tol)
        lam, nu = update_multipliers.core(problem, x, *none, rho)
        rounds.append(PenaltyRound(float(rho), x, lam, nu, kkt_residuals.core(problem, x, lam, nu)))
    return rounds


@takes(problem=Problem)
def augmented_lagrangian(problem, x, *, rho=10.0, tol=1e-8, max_iter=50):
    """Alternate the minimization of the augmented Lagrangian with the multiplier update, at a fixed rho.

    Parameters
    ----------
    problem : :class:`Problem`
    x : (n,) start
    rho : weight of the quadratic term; it need not grow
    tol : stop when the largest KKT residual is below it
    max_iter : limit of rounds; reaching it without meeting ``tol`` warns

    Returns
    -------
    list of :class:`PenaltyRound`, the last is the answer; ``residuals.largest`` says how good it is

    >>> from mlcore.foundations.constrained_optimization import quadratic_problem
    >>> above_one = quadratic_problem([[1.0]], [0.0], [[-1.0]], [-1.0])
    >>> last = augmented_lagrangian(above_one, [0.0])[-1]
    >>> last.x.round(6), last.lam.round(6)
    (array([1.]), array([1.]))
    """
    x = check_array(x, name="x", ndim=1)
    check_number(rho, "rho", low=0, open_low=True)
    check_number(tol, "tol", low=0, open_low=True)
    check_number(max_iter, "max_iter", low=1, integer=True)
    lam, nu = np.zeros(len(problem.g(x))), np.zeros(len(problem.c(x)))
    rounds = []
    for _ in range(max_iter):
        x = _minimize(problem, x, lam, nu, rho, 0.1 * tol)
        lam, nu = update_multipliers.core(problem, x, lam, nu, rho)
        rounds.append(PenaltyRound(float(rho), x, lam, nu, kkt_residuals.core(problem, x, lam, nu)))
        if rounds[-1].residuals.largest <= tol:
            return rounds
    warnings.warn(f"augmented_lagrangian did not reach tol={tol} in {max_iter} rounds (KKT residual {rounds[-1].residuals.largest:.1e}); "
                  "raise rho or max_iter, and check that the problem is feasible.", ConvergenceWarning, stacklevel=2)
    return rounds


def _minimize(problem, x, lam, nu, rho, tol):
    """Unconstrained minimizer of the augmented Lagrangian, by quasi-Newton (BFGS) steps."""
    def value(x):
        return augmented_lagrangian_value.core(problem, x, lam, nu, rho)

    found = minimize(value, x, jac=True, method="BFGS", options={"gtol": tol, "maxiter": 1000})
    left, start = largest_entry(found.jac), largest_entry(value(x)[1])
    if not left <= 1e-2 * (1 + start):  # "not <=" also catches NaN
        raise ValueError(f"no minimizer of the penalized objective was found at rho={rho:g}: it may be unbounded below; use a larger rho.")
    return found.x
