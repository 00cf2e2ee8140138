"""Checks of the exercises of the chapter on the perceptron."""

import numpy as np

from mlcore.exercises.core import exercise, expect_close
from mlcore.supervised.linear_regression import add_intercept
from mlcore.supervised.perceptron import (
    MulticlassPerceptron,
    margin,
    perceptron,
    perceptron_bound,
    widest_direction,
)


def _overlapping(seed=3, n=40, d=3):
    """Two classes that overlap, with a column of ones."""
    rng = np.random.default_rng(seed)
    X = add_intercept(rng.normal(size=(n, d)))
    return X, np.sign(X @ rng.normal(size=d + 1) + 0.8 * rng.normal(size=n))


@exercise("by_hand", wrong={
    "a score of zero counts as right": (0, 2, 2),
    "stops after one pass": (0, 2, 3),
    "the weights of the printed minus sign": (1, -2, 3),
})
def by_hand(answer):
    """Final weights and number of updates for three examples on a line."""
    expect_close(answer, (-1, 2, 3), "(b, w, number of updates)")
    return "right: the score 0 at the second visit of the second example is a mistake too"


@exercise("bias_constant", wrong={
    "the constant 1": lambda R0, b, gamma0: (1.0, (R0**2 + 1) * (1 + b**2) / gamma0**2),
    "the square of the constant": lambda R0, b, gamma0: (R0 * b, ((R0 + b) / gamma0) ** 2),
    "the sum of the squares": lambda R0, b, gamma0: (np.sqrt(R0 * abs(b)), (R0**2 + b**2) / gamma0**2),
    "forgets the sign of b": lambda R0, b, gamma0: (np.sqrt(R0 * max(b, 0.0)), ((R0 + b) / gamma0) ** 2),
})
def bias_constant(best):
    """The constant feature with the smallest bound, and that bound."""
    for R0, b, gamma0 in ((2.0, 0.5, 0.1), (1.0, -0.3, 0.2)):
        grid = np.geomspace(0.01, 10, 200_001)
        bound = (R0**2 + grid**2) * (1 + (b / grid) ** 2) / gamma0**2
        c, smallest = best(R0, b, gamma0)
        expect_close(c, grid[np.argmin(bound)], f"the constant for R0 = {R0}, b = {b}", rtol=1e-3)
        expect_close(smallest, bound.min(), f"the bound for R0 = {R0}, b = {b}", rtol=1e-6)
    return "right: (R0 + |b|)^2 / gamma0^2, whatever the data"


def _dual(G, y, passes, wrong=lambda m: m <= 0):
    counts = np.zeros(len(y), int)
    for _ in range(passes):
        for i in range(len(y)):
            if wrong(y[i] * (G[i] @ (counts * y))):
                counts[i] += 1
    return counts


@exercise("dual", wrong={
    "a score of zero counts as right": lambda G, y, passes: _dual(G, y, passes, lambda m: m < 0),
    "forgets the labels in the sum": lambda G, y, passes: _dual(G * y, y, passes),
    "one pass only": lambda G, y, passes: _dual(G, y, 1),
})
def dual(learn):
    """Counts of mistakes from the Gram matrix alone."""
    X, y = _overlapping()
    G = X @ X.T
    kept = G.copy()
    got = learn(G, y, 4)
    assert np.array_equal(G, kept), "your function changed the Gram matrix"
    run = perceptron(X, y, max_passes=4)
    expect_close(got, np.bincount(run.rows, minlength=len(y)), "the number of mistakes on each example")
    expect_close((got * y) @ X, run.w, "the weights that these counts stand for")
    return "right: the same run, and no feature vector was touched"


def _square():
    return np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([1, -1])


@exercise("many_updates", wrong={
    "two easy examples": _square,
    "not separable": lambda: (np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([1, -1])),
    "long vectors": lambda: (100 * np.array([[1.0, 0.0], [1.0, 0.01]]), np.array([1, -1])),
    "a thousand examples": lambda: (np.eye(1000), np.ones(1000, int)),
})
def many_updates(build):
    """Few short separable examples that cost a thousand updates."""
    X, y = build()
    X, y = np.asarray(X, float), np.asarray(y)
    assert X.ndim == 2 and len(X) <= 10, "at most ten examples, as the rows of X"
    assert np.linalg.norm(X, axis=1).max() <= 1 + 1e-12, "no example may be longer than 1"
    run = perceptron(X, y, max_passes=20_000)
    assert run.converged, "these examples are not separable by a hyperplane through the origin (or take over 20,000 passes)"
    assert len(run.rows) >= 1000, f"the perceptron needs only {len(run.rows)} updates here"
    bound = perceptron_bound(X, y, widest_direction(X, y))
    return f"right: {len(run.rows)} updates, margin {bound.margin:.3g}, bound {bound.updates:,.0f}"


def _with_margin(X, y, tau, factor=1.0):
    w, updates, moved = np.zeros(X.shape[1]), 0, True
    while moved and updates < 100_000:
        moved = False
        for x, label in zip(X, y):
            if label * (w @ x) <= factor * tau:
                w, updates, moved = w + label * x, updates + 1, True
    return w, updates


@exercise("with_margin", wrong={
    "the plain perceptron": lambda X, y, tau: _with_margin(X, y, 0.0),
    "half the threshold": lambda X, y, tau: _with_margin(X, y, tau, 0.5),
    "counts the passes": lambda X, y, tau: (_with_margin(X, y, tau)[0], 3),
})
def with_margin(learn):
    """Updates wherever y w . x <= tau, until there are none."""
    rng = np.random.default_rng(6)
    X = add_intercept(rng.uniform(-1, 1, size=(60, 2)))
    X = X[np.abs(X @ [0.2, 1, 1]) > 0.25]
    y = np.sign(X @ [0.2, 1, 1])
    widest = margin(X, y, widest_direction(X, y))
    for tau in (0.0, 1.0, 20.0):
        w, updates = learn(X, y, tau)
        want, count = _with_margin(X, y, tau)
        expect_close(w, want, f"the weights for tau = {tau}")
        expect_close(updates, count, f"the number of updates for tau = {tau}")
        R2 = (X**2).sum(axis=1).max()
        assert updates <= (R2 + 2 * tau) / widest**2
        assert tau == 0 or margin(X, y, w) >= tau * widest / (R2 + 2 * tau)
    return f"right: with tau = 20 the margin is {margin(X, y, w) / widest:.0%} of the widest"


def _multi_average(X, y, k, passes, late=0, rival_loses=True):
    W, total = np.zeros((k, X.shape[1])), np.zeros((k, X.shape[1]))
    for _ in range(passes):
        for x, c in zip(X, y):
            before = W
            others = np.where(np.arange(k) == c, -np.inf, W @ x)
            if W[c] @ x <= others.max():
                W = W + np.outer(np.eye(k)[c] - rival_loses * np.eye(k)[others.argmax()], x)
            total = total + (before if late else W)
    return total / (passes * len(X))


@exercise("multiclass_average", wrong={
    "the last weights": lambda X, y, k, passes: _last(X, y, k, passes),
    "the weights before each visit": lambda X, y, k, passes: _multi_average(X, y, k, passes, late=1),
    "the rival keeps the example": lambda X, y, k, passes: _multi_average(X, y, k, passes, rival_loses=False),
})
def multiclass_average(learn):
    """Mean of the weights of the multiclass perceptron after every visit."""
    rng = np.random.default_rng(8)
    y = np.arange(60) % 4
    X = add_intercept(rng.normal(size=(60, 2)) + np.array([[0, 0], [2, 0], [0, 2], [2, 2]])[y])
    want = MulticlassPerceptron(fit_intercept=False, average=True, max_iter=3).fit(X, y).coef_
    expect_close(learn(X, y, 4, 3), want, "the mean weights (k, p)")
    return "right: two vectors per class instead of one, and no more work than before"


def _last(X, y, k, passes):
    W = np.zeros((k, X.shape[1]))
    for _ in range(passes):
        for x, c in zip(X, y):
            others = np.where(np.arange(k) == c, -np.inf, W @ x)
            if W[c] @ x <= others.max():
                W = W + np.outer(np.eye(k)[c] - np.eye(k)[others.argmax()], x)
    return W
