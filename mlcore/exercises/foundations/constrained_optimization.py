"""Checks of the exercises of the chapter on constrained optimization."""

import numpy as np

from mlcore.exercises.core import exercise, expect_close
from mlcore.foundations.constrained_optimization import dual_on_points, project_simplex, solve_equality_qp, solve_qp


@exercise("prices", wrong={"negative when there is room": [2.0, 0.5, 0.0, -1.0], "half the price": [1.0, 0.25, 0.0, 0.0]})
def prices(answer):
    """Multipliers of x1 + x2 <= r at r = 1, 2.5, 3, 4."""
    want = [solve_qp(2 * np.eye(2), [-4.0, -2.0], [[1.0, 1.0]], [r]).lam[0] for r in (1.0, 2.5, 3.0, 4.0)]
    assert np.size(answer) == 4, "give four numbers, for r = 1, 2.5, 3 and 4"
    expect_close(answer, want, "the list of multipliers")
    return "the price falls by one per unit of room, down to zero"


def _wrong_sign(A, b):
    nu = np.linalg.solve(A @ A.T, b)
    return A.T @ nu, nu, 0.5 * b @ nu


def _ridge(A, b):
    x = A.T @ np.linalg.solve(A @ A.T + 0.1 * np.eye(len(b)), b)
    return x, -np.linalg.solve(A @ A.T, b), 0.5 * x @ x


@exercise("least_norm", wrong={"multiplier with the wrong sign": _wrong_sign, "regularized": _ridge})
def least_norm(answer):
    """Shortest solution of A x = b from its dual."""
    rng = np.random.default_rng(0)
    for p, n in ((1, 3), (3, 5), (4, 4)):
        A, b = rng.normal(size=(p, n)), rng.normal(size=p)
        x, nu = solve_equality_qp(np.eye(n), np.zeros(n), A, b)
        got = answer(A.copy(), b.copy())
        assert isinstance(got, (tuple, list)) and len(got) == 3, "return three things: x, nu and the dual value"
        expect_close(got[0], x, "x")
        expect_close(got[1], nu, "nu")
        expect_close(got[2], 0.5 * x @ x, "the dual value")
    return "no gap, on three random systems"


def _always_on_the_boundary(y, radius):
    return np.sign(y) * project_simplex(np.abs(y), total=radius)


def _rescaled(y, radius):
    return np.asarray(y) * min(1.0, radius / np.abs(y).sum())


@exercise("l1_ball", wrong={"also moves points that are inside": _always_on_the_boundary, "shrinks all entries alike": _rescaled})
def l1_ball(answer):
    """Nearest point of the l1 ball, against a QP in (x, t) with -t <= x <= t and sum t <= radius."""
    rng = np.random.default_rng(1)
    for n, radius in ((2, 1.0), (5, 2.0), (5, 40.0), (8, 0.3)):
        y = 2 * rng.normal(size=n)
        eye, zero = np.eye(n), np.zeros((n, n))
        G = np.vstack([np.hstack([eye, -eye]), np.hstack([-eye, -eye]), np.concatenate([np.zeros(n), np.ones(n)])[None]])
        P, q = np.block([[eye, zero], [zero, zero]]), np.concatenate([-y, np.zeros(n)])
        best = solve_qp(P, q, G, np.append(np.zeros(2 * n), radius)).x[:n]
        got = answer(y.copy(), radius)
        expect_close(got, best, f"the projection of {np.round(y, 2).tolist()} for radius {radius}", atol=1e-7)
    return "nearest points inside and outside the ball"


def _no_dry_channels(a):
    a = np.asarray(a, float)
    return (1 + a.sum()) / len(a) - a


def _proportional(a):
    return (1 / np.asarray(a)) / (1 / np.asarray(a)).sum()


@exercise("water_filling", wrong={"negative powers for noisy channels": _no_dry_channels,
                                  "power in proportion to 1 / noise": _proportional})
def water_filling(answer):
    """Powers (theta - a)^+ with sum 1: feasible, one water level, no channel below it left dry."""
    rng = np.random.default_rng(2)
    for a in (np.array([0.1, 0.3, 0.9]), rng.uniform(0.05, 2, 6), np.array([0.5, 0.5]), np.array([1.0])):
        x = np.asarray(answer(a.copy()), float)
        assert x.shape == a.shape, f"the powers should have shape {a.shape}, got {x.shape}"
        assert (x >= -1e-10).all(), f"a power is negative: {x.min():.3g}"
        expect_close(x.sum(), 1.0, "the total power")
        level = (x + a)[x > 1e-9]
        expect_close(level, np.full(len(level), level.min()), "the water level of the channels in use")
        assert (a[x <= 1e-9] >= level.min() - 1e-7).all(), "a dry channel lies below the water level"
    return "feasible, and the KKT conditions hold"


@exercise("clip_fails", wrong={"a diagonal matrix, where clipping is right": (np.eye(2), [-1.0, 1.0]),
                               "not positive definite": ([[1.0, 2.0], [2.0, 1.0]], [-1.0, -1.0])})
def clip_fails(answer):
    """A QP on which clipping the free minimizer is worse than the origin."""
    assert isinstance(answer, (tuple, list)) and len(answer) == 2, "give a pair (P, q)"
    P, q = (np.asarray(part, float) for part in answer)
    assert P.shape == (2, 2) and q.shape == (2,), f"P must be 2 x 2 and q have two entries, got shapes {P.shape} and {q.shape}"
    assert np.allclose(P, P.T) and np.linalg.eigvalsh(P)[0] > 1e-9, "P must be symmetric positive definite"
    clipped = np.maximum(np.linalg.solve(P, -q), 0)
    best = solve_qp(P, q, -np.eye(2), np.zeros(2)).value
    value = 0.5 * clipped @ P @ clipped + q @ clipped
    assert value > 1e-9, f"clipping gives the objective {value:.3g}, which is not above the value 0 at the origin"
    assert best < -1e-6, "the best point should be better than the origin"
    return f"clipping gives {value:.3g}, the best point {best:.3g}"


@exercise("gap", wrong={"the value at the middle for all levels": lambda a: 0.25, "forgets the primal": lambda a: a})
def gap(answer):
    """Duality gap of min -x^2 on [0, 1] subject to x <= a."""
    x = np.linspace(0, 1, 101)
    for a in (0.0, 0.1, 0.35, 0.5, 0.8, 1.0):
        dual = dual_on_points(-x**2, x - a, np.linspace(0, 2, 201))[0].max()
        expect_close(answer(a), -(a**2) - dual, f"the gap at a = {a}", atol=1e-6)
    return "the gap is zero only at the ends"
