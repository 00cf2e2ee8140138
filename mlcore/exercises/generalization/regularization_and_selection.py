"""Checks of the exercises of chapter generalization/regularization_and_selection."""

import numpy as np

from mlcore.exercises.core import exercise, expect_close
from mlcore.generalization import regularization_and_selection as rs
from mlcore.supervised.neighbors_and_kernel_regression import KNeighborsClassifier


@exercise("counts", wrong={
    "refit forgotten": (120, 13, 12, 600), "grid added instead of multiplied": (71, 13, 12, 355),
    "equal folds": (121, 12, 12, 605), "outer folds inside the inner ones": (121, 13, 12, 601)})
def counts(answer):
    """(trainings, largest fold, smallest fold, trainings when nested)."""
    assert np.shape(answer) == (4,), f"give four numbers, got {answer!r}"
    sizes = [len(test) for _, test in rs.k_fold(123, 10, shuffle=False)]
    candidates = len(rs.parameter_grid({"alpha": range(4), "degree": range(3)}))
    once = candidates * 10 + 1
    names = ("the number of trainings", "the largest fold", "the smallest fold", "the number of trainings when nested")
    for got, want, name in zip(answer, (once, max(sizes), min(sizes), 5 * once), names):
        expect_close(got, want, name)
    return "right: and the refit belongs to the search, so it is nested too"


@exercise("loo_of_mean", wrong={
    "training error": lambda y: np.var(y), "one factor": lambda y: np.var(y) * len(y) / (len(y) - 1),
    "unbiased variance": lambda y: np.var(y, ddof=1)})
def loo_of_mean(answer):
    """Mean squared leave-one-out error of the mean."""
    rng = np.random.default_rng(0)
    for n in (2, 5, 30):
        y = rng.normal(size=n) + 3
        brute = np.mean([(y[i] - np.delete(y, i).mean()) ** 2 for i in range(n)])
        expect_close(answer(y), brute, f"the leave-one-out error of {n} targets")
    return "passed: (n / (n - 1))^2 times the variance"


def _rule(scores, ddof=1, root=True, last=False):
    scores = np.asarray(scores)
    means = scores.mean(axis=1)
    best = means.argmin()
    error = scores[best].std(ddof=ddof) / (np.sqrt(scores.shape[1]) if root else 1)
    allowed = np.flatnonzero(means <= means[best] + error)
    return int(allowed[-1] if last else allowed[0])


@exercise("one_standard_error", wrong={
    "the best": lambda scores: int(np.mean(scores, axis=1).argmin()), "standard deviation": lambda scores: _rule(scores, root=False),
    "the most complex allowed": lambda scores: _rule(scores, last=True), "no limit": lambda scores: 0})
def one_standard_error(answer):
    """Position of the simplest candidate within one standard error of the best."""
    rng = np.random.default_rng(1)
    for trial in range(30):
        m, k = int(rng.integers(3, 9)), int(rng.integers(4, 11))
        curve = (np.arange(m) - rng.uniform(1, m)) ** 2 * 0.05
        scores = curve[:, None] + 0.3 * np.abs(rng.normal(size=(m, k)))
        expect_close(answer(scores), _rule(scores), f"the position in trial {trial + 1}")
    return "passed: simpler, and not measurably worse"


def _clusters():
    y = np.repeat([0, 1], 20)
    return np.column_stack([y * 10.0 + np.random.default_rng(0).normal(size=40)]), y


def _pure_noise():
    rng = np.random.default_rng(0)
    return rng.normal(size=(40, 3)), rng.permutation(np.repeat([0, 1], 20))


@exercise("misleading_rows", wrong={
    "a real difference": _clusters, "pure noise": _pure_noise, "one class": lambda: (np.arange(40.0)[:, None] // 2, np.zeros(40, int)),
    "too few rows": lambda: (np.repeat(np.arange(4.0), 2)[:, None], np.repeat([0, 1, 1, 0], 2))})
def misleading_rows(answer):
    """Rows on which leave-one-out is always right although the labels are noise."""
    X, y = answer()
    X, y = np.asarray(X, float), np.asarray(y)
    assert X.ndim == 2 and len(X) >= 20 and y.shape == (len(X),), "return X of shape (n, d) with n >= 20 and y of shape (n,)"
    assert set(np.unique(y)) == {0, 1} and 0.25 <= np.mean(y) <= 0.75, "the labels must be 0 and 1, neither of them rare"
    score = rs.cross_validate(KNeighborsClassifier(n_neighbors=1), X, y, rs.leave_one_out(len(y))).mean
    assert score == 1, f"leave-one-out finds {score:.2f}, not 1"
    _, first = np.unique(X, axis=0, return_index=True)
    honest = rs.cross_validate(KNeighborsClassifier(n_neighbors=1), X[first], y[first], rs.leave_one_out(len(first))).mean
    assert honest < 0.75, f"with every distinct row kept once the accuracy is still {honest:.2f}: these labels do depend on the features"
    return "passed: duplicates sit on both sides of every fold"


@exercise("preconditioned_limit", wrong={
    "shortest in the 2-norm": lambda X, y, P: np.linalg.pinv(X) @ y,
    "inverse of P": lambda X, y, P: np.linalg.solve(P, X.T) @ np.linalg.solve(X @ np.linalg.solve(P, X.T), y),
    "P applied once": lambda X, y, P: P @ X.T @ np.linalg.solve(X @ X.T, y)})
def preconditioned_limit(answer):
    """Limit of theta <- theta - eta P X'(X theta - y) from 0."""
    rng = np.random.default_rng(2)
    for n, d in ((1, 2), (3, 5)):
        X, y = rng.normal(size=(n, d)), rng.normal(size=n)
        root = np.eye(d) + 0.4 * rng.normal(size=(d, d))
        P = root @ root.T
        theta, eta = np.zeros(d), 1 / np.linalg.norm(X @ P @ X.T, 2)
        for _ in range(5000):
            theta = theta - eta * P @ X.T @ (X @ theta - y)
        expect_close(answer(X, y, P), theta, f"the limit for {n} equations and {d} unknowns", rtol=1e-5, atol=1e-6)
    return "passed: the solution with the smallest theta' P^-1 theta"


def _p_value(procedure, X, y, trials, rng, one=1, strict=False, replace=False):
    true = procedure(X, y, rng)
    others = np.array([procedure(X, rng.choice(y, len(y), replace=replace), rng) for _ in range(trials)])
    return (one + np.sum(others > true if strict else others >= true)) / (one + trials)


@exercise("permutation", wrong={
    "the true labels are not counted": lambda p, X, y, trials, rng: _p_value(p, X, y, trials, rng, one=0),
    "ties dropped": lambda p, X, y, trials, rng: _p_value(p, X, y, trials, rng, strict=True),
    "labels drawn with replacement": lambda p, X, y, trials, rng: _p_value(p, X, y, trials, rng, replace=True),
    "the labels are not mixed": lambda p, X, y, trials, rng: 1.0})
def permutation(answer):
    """p-value of a procedure by permuting labels."""
    X, y = np.arange(40.0)[:, None], np.repeat([0, 1], 20)

    def count_ones(X, y, rng):
        assert np.sum(y) == 20, f"a permutation keeps the 20 ones among the 40 labels, but the procedure was given {np.sum(y)}"
        return 0.0

    expect_close(answer(count_ones, X, y, 19, np.random.default_rng(0)), 1.0, "the p-value of a constant score")

    def contrast(X, y, rng):
        return X[y == 1].mean() - X[y == 0].mean()

    expect_close(answer(contrast, X, y, 99, np.random.default_rng(0)), 0.01, "the p-value of a perfect separation")
    mixed = np.tile([0, 1], 20)
    p = answer(contrast, X, mixed, 400, np.random.default_rng(3))
    assert 0.25 < p < 0.6, f"for labels 0, 1, 0, 1, ... the p-value should be near 0.4, got {p:.3g}"
    return "passed: a procedure is judged by what it does to labels that mean nothing"


def fewest_models(n_rows, below):
    """Smallest number of coin tossers whose best is expected below ``below``, by bisection."""
    low, high = 1, 2
    while rs.expected_minimum(high, n_rows) >= below:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if rs.expected_minimum(middle, n_rows) < below else (middle, high)
    return high


@exercise("tossers", wrong={
    "four times as many": (28, 112), "one too few": (27, 19_509), "second one too few": (28, 19_509), "swapped": (19_510, 28)})
def tossers(answer):
    """(number for 100 examples, number for 400)."""
    assert np.shape(answer) == (2,), f"give two numbers, got {answer!r}"
    for got, n_rows in zip(answer, (100, 400)):
        expect_close(got, fewest_models(n_rows, 0.4), f"the number for {n_rows} examples", rtol=1e-9)
    return "right: a larger validation set makes luck exponentially rarer"
