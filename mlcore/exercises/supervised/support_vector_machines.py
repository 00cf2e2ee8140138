"""Checks of the exercises of the chapter on support vector machines."""

import itertools

import numpy as np
from scipy.optimize import minimize

from mlcore.exercises.core import exercise, expect_close
from mlcore.supervised.kernel_methods import gaussian_kernel
from mlcore.supervised.support_vector_machines import (
    SVC,
    dual_objective,
    geometric_margins,
    hard_margin_primal,
    kkt_violations,
    primal_objective,
    slacks,
    solve_dual,
)


def _overlapping(n=24, seed=3):
    """Two clouds that overlap, in no particular order."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([-1.0, 1.0], n // 2))
    return rng.normal(size=(n, 2)) + 0.7 * y[:, None], y


@exercise("scaling", wrong={
    "as if nothing changed": (1, 1, 1),
    "w grows with the data": (10, 10, 100),
    "C shrinks like w": (0.1, 10, 0.1),
    "the margin does not move": (0.1, 1, 0.01),
})
def scaling(answer):
    """Factors of w, of the margin 1/|w| and of C when every feature is multiplied by 10."""
    X, y = _overlapping()
    before, after = SVC(C=0.5, kernel="linear", tol=1e-8).fit(X, y), SVC(C=0.005, kernel="linear", tol=1e-8).fit(10 * X, y)
    factor = np.linalg.norm(after.coef_) / np.linalg.norm(before.coef_)
    expect_close(answer, (factor, 1 / factor, 0.01), "the three factors", rtol=1e-3)
    return "right: C has the unit of 1 / length^2, which is why features are standardized before C is chosen"


def _two_points(p, q, factor=2.0):
    """alpha, w, b of the hard margin between one positive and one negative point."""
    p, q = np.asarray(p, float), np.asarray(q, float)
    alpha = factor / ((p - q) @ (p - q))
    w = alpha * (p - q)
    return alpha, w, float(-w @ (p + q) / 2)


@exercise("two_points", wrong={
    "twice too small": lambda p, q: _two_points(p, q, factor=1.0),
    "divides by the distance, not by its square": lambda p, q: _two_points(p, q, factor=2.0 * np.linalg.norm(np.subtract(p, q))),
    "boundary through the origin": lambda p, q: (*_two_points(p, q)[:2], 0.0),
})
def two_points(solve):
    """The hard margin between two points in closed form."""
    for p, q in (([2.0, 1.0], [-1.0, 0.0]), ([0.5, 3.0, 1.0], [0.0, -1.0, 4.0])):
        alpha, w, b = solve(np.array(p), np.array(q))
        w_star, b_star, alphas = hard_margin_primal([p, q], [1, -1])
        expect_close(alpha, alphas[0], f"alpha for x+ = {p}, x- = {q}", rtol=1e-5)
        expect_close(w, w_star, "w", rtol=1e-5)
        expect_close(b, b_star, "b", rtol=1e-5, atol=1e-7)
    return "right: the boundary is the perpendicular bisector"


def _random_dual(seed):
    """A feasible alpha, some of it at each bound, with a kernel, labels and any b."""
    X, y = _overlapping(seed=seed)
    rng = np.random.default_rng(seed)
    C = 1.5
    alpha = np.round(rng.uniform(0, 2, size=len(y))).clip(0, 1) * rng.uniform(0.2, C, size=len(y))
    alpha[y > 0] *= alpha[y < 0].sum() / alpha[y > 0].sum()
    return alpha * min(1, C / alpha.max()), rng.normal(), gaussian_kernel(X), y, C


def _shares(alpha, b, K, y, C):
    """What each example adds to primal minus dual, from the two objectives: alpha_i (m_i - 1) + C xi_i."""
    margins = y * (K @ (alpha * y) + b)
    return alpha * (margins - 1) + C * slacks(margins)


@exercise("duality_gap", wrong={
    "the violations without their weights": lambda a, b, K, y, C: kkt_violations(a, K @ (a * y) + b, y, C),
    "the slack alone": lambda a, b, K, y, C: C * slacks(y * (K @ (a * y) + b)),
    "forgets b": lambda a, b, K, y, C: _shares(a, 0.0, K, y, C),
    "the total alone": lambda a, b, K, y, C: _shares(a, b, K, y, C).sum(),
    "the total in equal shares": lambda a, b, K, y, C: np.full(len(y), _shares(a, b, K, y, C).mean()),
    "weights exchanged": lambda a, b, K, y, C: _shares(C - a, b, K, y, C),
})
def duality_gap(gap):
    """Primal minus dual, example by example."""
    for seed in (1, 2, 3):
        alpha, b, K, y, C = _random_dual(seed)
        shares = np.asarray(gap(alpha, b, K, y, C), float)
        assert shares.shape == y.shape, f"one share per example is wanted, shape {y.shape}; got shape {shares.shape}"
        total = primal_objective(alpha, b, K, y, C) - dual_objective(alpha, K, y)
        expect_close(shares.sum(), total, "the gap (the sum of what you return)")
        expect_close(shares, _shares(alpha, b, K, y, C), "the share of each example", atol=1e-9)
    return "right: every example adds its KKT violation, weighted by how far its multiplier could still move"


def _squared_hinge_reference(X, y, C):
    """Minimize 1/2 |w|^2 + C/2 sum max(0, 1 - y f)^2 directly."""
    def value(v):
        xi = slacks(y * (X @ v[:2] + v[2]))
        return 0.5 * v[:2] @ v[:2] + 0.5 * C * xi @ xi, np.r_[v[:2], 0] - C * np.column_stack([X, np.ones(len(X))]).T @ (y * xi)
    best = minimize(value, np.zeros(3), jac=True, method="BFGS", options={"gtol": 1e-9})
    return C * slacks(y * (X @ best.x[:2] + best.x[2]))  # alpha_i = C xi_i


@exercise("squared_hinge", wrong={
    "the box of the plain hinge": lambda K, y, C: solve_dual(K, y, C).alpha,
    "the ridge is C, not 1/C": lambda K, y, C: solve_dual(K + C * np.eye(len(y)), y).alpha,
    "half the ridge": lambda K, y, C: solve_dual(K + np.eye(len(y)) / (2 * C), y).alpha,
    "ridge and box": lambda K, y, C: solve_dual(K + np.eye(len(y)) / C, y, C / 2).alpha,
})
def squared_hinge(solve):
    """Dual of the squared hinge: a hard margin with a ridge on the diagonal."""
    X, y = _overlapping()
    for C in (0.3, 4.0):
        expect_close(solve(X @ X.T, y, C), _squared_hinge_reference(X, y, C), f"alpha for C = {C}", rtol=1e-3, atol=1e-4)
    return "right: squared slack needs no box, and any data become separable"


@exercise("fragile_margin", wrong={
    "a point that changes nothing": lambda X, y: (np.array([50.0, 50.0]), 1),
    "a point on the wrong side": lambda X, y: (X[y < 0].mean(axis=0), 1),
    "halves the margin only": lambda X, y: (_between(X, y, 0.5), 1),
})
def fragile_margin(attack):
    """One honest point that takes away 99 percent of the margin."""
    rng = np.random.default_rng(6)
    y = np.repeat([-1.0, 1.0], 10)
    X = rng.normal(0, 0.4, size=(20, 2)) + 2 * y[:, None]
    w, b, _ = hard_margin_primal(X, y)
    before = geometric_margins(w, b, X, y).min()
    point, label = attack(X, y)
    point = np.asarray(point, float)
    assert point.shape == (2,) and label in (-1, 1), "return a point of two coordinates and its label, -1 or +1"
    try:
        w, b, _ = hard_margin_primal(np.vstack([X, point]), np.r_[y, label])
    except ValueError:
        raise AssertionError("with your point the classes overlap; they must stay separable") from None
    after = geometric_margins(w, b, np.vstack([X, point]), np.r_[y, label]).min()
    assert after < 0.01 * before, f"the margin fell from {before:.4f} to {after:.4f}; make it smaller than one percent"
    return "right: a hard margin is decided by its worst example"


def _between(X, y, share):
    """A point on the way from the closest negative example to the closest positive one; share 0 is the negative end."""
    pos, neg = X[y > 0], X[y < 0]
    i, j = min(itertools.product(range(len(pos)), range(len(neg))), key=lambda ij: np.linalg.norm(pos[ij[0]] - neg[ij[1]]))
    return neg[j] + share * (pos[i] - neg[j])


def _pairwise(k, seed):
    """decide(a, b, X) -> True where b beats a; each pair has a line of its own, so the order of the duels matters."""
    W = np.random.default_rng(seed).normal(size=(k, k, 2))
    return lambda a, b, X: X @ W[a, b] > 0


def _ladder(decide, k, X):
    """Another order: the winner so far against the next class."""
    best = np.zeros(len(X), int)
    for b in range(1, k):
        for a in range(b):
            rows = np.flatnonzero(best == a)
            best[rows[decide(a, b, X[rows])]] = b
    return best


def _dag(decide, k, X):
    first, last = np.zeros(len(X), int), np.full(len(X), k - 1)
    for _ in range(k - 1):
        for a, b in {(int(f), int(s)) for f, s in zip(first, last)}:
            rows = np.flatnonzero((first == a) & (last == b))
            later = decide(a, b, X[rows])
            first[rows[later]] += 1
            last[rows[~later]] -= 1
    return first


@exercise("dag_predict", wrong={
    "always the first class": lambda decide, k, X: np.zeros(len(X), int),
    "keeps the loser": lambda decide, k, X: _dag(lambda a, b, Z: ~decide(a, b, Z), k, X),
    "plays the classes in order": _ladder,
    "stops one duel early": lambda decide, k, X: np.minimum(_dag(decide, k - 1, X), k - 2),
})
def dag_predict(predict):
    """The class left after k - 1 duels, each of which removes one."""
    X = np.random.default_rng(0).normal(size=(40, 2))
    for k in (3, 6):
        decide, asked = _pairwise(k, k), []

        def counted(a, b, Z, decide=decide, asked=asked):
            assert a < b, f"ask for pairs with a < b, got ({a}, {b})"
            asked.append(len(Z))
            return decide(a, b, Z)

        got = np.asarray(predict(counted, k, X))
        assert got.shape == (40,), f"one class number per row is wanted, shape (40,); got {got.shape}"
        expect_close(got, _dag(decide, k, X), f"the classes for k = {k}")
        assert sum(asked) <= 40 * (k - 1), f"{sum(asked)} decisions for 40 points; a graph of {k} classes needs {k - 1} for each"
    return "right, with k - 1 decisions a point where voting needs k (k - 1) / 2"


@exercise("loo_error", wrong={
    "the training error": lambda X, y, C: float(np.mean(SVC(C=C, kernel="linear").fit(X, y).predict(X) != y)),
    "the share of support vectors": lambda X, y, C: len(SVC(C=C, kernel="linear").fit(X, y).support_) / len(y),
})
def loo_error(compute):
    """Leave-one-out error of a linear machine, by leaving out support vectors alone."""
    for seed, C in ((3, 0.5), (8, 2.0)):
        X, y = _overlapping(seed=seed)
        wrong = [SVC(C=C, kernel="linear", tol=1e-6).fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[i:i + 1])[0] != y[i]
                 for i in range(len(y))]
        expect_close(compute(X, y, C), np.mean(wrong), f"the leave-one-out error with C = {C}")
    return "right: examples that are no support vectors need not be left out at all"
