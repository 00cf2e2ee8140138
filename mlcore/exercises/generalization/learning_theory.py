"""Checks of the exercises of chapter generalization/learning_theory."""

import itertools
import math

import numpy as np

from mlcore.exercises.core import exercise, expect_close
from mlcore.generalization import learning_theory as lt


@exercise("scaling", wrong={"everything is proportional": (165_900, 2), "the log forgotten": (921.03, 2), "log to base 2": (1328.77, 4)})
def scaling(answer):
    """(examples added when M grows 100-fold at eps = delta = 0.05, factor of n when eps is halved)."""
    assert np.shape(answer) == (2,), f"give two numbers, the examples added and the factor, got {answer!r}"
    expect_close(answer[0], math.log(100) / (2 * 0.05**2), "the number of examples added", rtol=2e-3)
    expect_close(answer[1], (1 / 0.025**2) / (1 / 0.05**2), "the factor", rtol=1e-3)
    return "right: more hypotheses cost a logarithm, more precision costs a square"


def _printed(n, k):
    return 1 if k == 1 else 2 if n == 1 else _printed(n - 1, k)


@exercise("bounding", wrong={
    "the sum printed in the notes": _printed,
    "all labelings": lambda n, k: 2**n,
    "one binomial too many": lambda n, k: sum(math.comb(n, i) for i in range(k + 1)),
})
def bounding(answer):
    """B(n, k), by any route."""
    for n, k in itertools.product(range(1, 5), range(1, 5)):
        expect_close(answer(n, k), lt.largest_family(n, k), f"B({n}, {k})")
    expect_close(answer(12, 5), 794, "B(12, 5)")
    return "passed: agrees with a search through all families up to n = 4"


def _runs(row):
    padded = np.r_[-1, row]
    return int(((padded[1:] == 1) & (padded[:-1] == -1)).sum())


@exercise("two_intervals", wrong={
    "twice one interval": lambda n: 2 * (math.comb(n + 1, 2) + 1),
    "exactly two": lambda n: math.comb(n + 1, 4) + 1,
    "one degree too many": lambda n: sum(math.comb(n, i) for i in range(6)),
})
def two_intervals(answer):
    """Growth function of the unions of two intervals."""
    for n in range(1, 10):
        count = sum(_runs(row) <= 2 for row in lt.all_labelings(n))
        expect_close(answer(n), count, f"the number of dichotomies of {n} points")
    return "passed: the break point is 5, so the VC dimension is 4"


def _corners():
    return np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])


@exercise("poor_points", wrong={
    "corners of a square": _corners,
    "three on a line and one beside it": lambda: np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.0, 1.0]]),
    "two points in one place": lambda: np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]),
})
def poor_points(answer):
    """Four different points of the plane with as few dichotomies by lines as possible."""
    P = np.asarray(answer(), float)
    assert P.shape == (4, 2), f"return four points of the plane, an array of shape (4, 2), got {P.shape}"
    assert len(np.unique(P, axis=0)) == 4, "the four points must be different"
    count = len(lt.line_dichotomies(P))
    assert count == 8, f"these points have {count} dichotomies; fewer are possible"
    return "passed: 8 labelings, the least that four different points can have"


def _in_box(X, row):
    inside = X[row == 1]
    if len(inside) == 0:
        return True
    low, high = inside.min(axis=0), inside.max(axis=0)
    return not ((X[row == -1] >= low) & (X[row == -1] <= high)).all(axis=1).any()


def _boxes(X):
    return sum(_in_box(X, row) for row in lt.all_labelings(len(X)))


@exercise("rectangles", wrong={
    "convex sets": lambda X: len(lt.convex_dichotomies(X)),
    "lines": lambda X: len(lt.line_dichotomies(X)),
    "the empty rectangle forgotten": lambda X: _boxes(X) - 1,
})
def rectangles(answer):
    """Number of dichotomies of points of the plane by axis-parallel rectangles, positive inside."""
    rng = np.random.default_rng(0)
    diamond = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, 0.0]])
    expect_close(answer(diamond), 16, "the number for a diamond")
    five = np.vstack([diamond, [0.1, 0.2]])
    expect_close(answer(five), _boxes(five), "the number for a diamond and a point inside")
    for n in (1, 3, 5, 6):
        X = rng.normal(size=(n, 2))
        expect_close(answer(X), _boxes(X), f"the number for {n} random points")
    return "passed: a diamond is shattered, so the VC dimension is at least 4"


def _frequency(labels):
    return np.pi * (1 + sum((1 - y) // 2 * 10**i for i, y in enumerate(labels, start=1)))


@exercise("sine_frequency", wrong={
    "labels reversed": lambda labels: _frequency([-y for y in labels]),
    "always pi": lambda labels: np.pi,
    "powers of two": lambda labels: np.pi * (1 + sum((1 - y) // 2 * 2**i for i, y in enumerate(labels, start=1))),
})
def sine_frequency(answer):
    """An omega with sign(sin(omega x_i)) = y_i at x_i = 10^-i, i = 1..n."""
    for n in (1, 3, 6):
        x = 10.0 ** -np.arange(1, n + 1)
        for row in lt.all_labelings(n):
            omega = float(answer(row.tolist()))
            got = np.sin(omega * x)
            signs = np.sign(got).astype(int).tolist()
            assert (row * got > 0).all(), f"for the labels {row.tolist()} your omega = {omega:.6g} gives the signs {signs}"
    return "passed: one parameter shatters as many points as you like"


def _kl(p, q):
    return sum(a * math.log(a / b) for a, b in ((p, q), (1 - p, 1 - q)) if a > 0)


@exercise("chernoff", wrong={
    "Hoeffding": lambda n, eps, mu: math.exp(-2 * n * eps**2),
    "arguments of the divergence exchanged": lambda n, eps, mu: math.exp(-n * _kl(mu, mu + eps)),
    "two-sided": lambda n, eps, mu: 2 * math.exp(-n * _kl(mu + eps, mu)),
})
def chernoff(answer):
    """The least of exp(-s n (mu + eps)) E[exp(s sum X_i)] over s > 0, for Bernoulli(mu) variables."""
    for n, eps, mu in ((10, 0.3, 0.5), (100, 0.1, 0.1), (50, 0.05, 0.8), (20, 0.25, 0.75)):
        s = np.linspace(1e-4, 40, 400_001)
        least = np.min(n * (np.log1p(mu * np.expm1(s)) - s * (mu + eps)))
        expect_close(answer(n, eps, mu), math.exp(least), f"the bound for n = {n}, eps = {eps}, mu = {mu}", rtol=1e-4)
    return "passed: never weaker than Hoeffding, and much stronger when mu is near 0 or 1"
