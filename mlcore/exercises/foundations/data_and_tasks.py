"""Checks of the exercises of chapter foundations/data_and_tasks."""

import io

import numpy as np

from mlcore.exercises.core import exercise, expect_close
from mlcore.foundations.data_and_tasks import DataFormatError, auc, load_libsvm, precision_from_rates


@exercise("screening", wrong={
    "the recall for the precision": (534, 0.9),
    "real alarms only": (36, 36 / 534),
    "percent for a probability": (534, 6.74),
    "forgets the prevalence": (9500, 0.9 / 0.95),
})
def screening(answer):
    """Alarms among ten thousand passengers, and what one is worth."""
    assert np.shape(answer) == (2,), f"give two numbers, the alarms and the probability, got {answer!r}"
    expect_close(answer[0], 10000 * (0.004 * 0.9 + 0.996 * 0.05), "the expected number of alarms", rtol=1e-3)
    expect_close(answer[1], precision_from_rates(0.9, 0.05, 0.004), "the probability that an alarm is real", rtol=1e-2)
    return "right, fewer than 7 in 100"


@exercise("blind_f1", wrong={
    "the prevalence": lambda prevalence: prevalence,
    "flags at the rate of the prevalence": lambda prevalence: 2 * prevalence**2 / (2 * prevalence),
    "flags half": lambda prevalence: 2 * prevalence * 0.5 / (0.5 + prevalence),
    "forgets the two": lambda prevalence: prevalence / (1 + prevalence),
})
def blind_f1(answer):
    """Largest F1 of a classifier that looks at nothing, against a search over q."""
    q = np.linspace(1e-6, 1, 2001)
    for share in (0.01, 0.37, 0.5, 0.9):
        tp, fp, fn = share * q, (1 - share) * q, share * (1 - q)
        expect_close(answer(share), np.max(2 * tp / (2 * tp + fp + fn)), f"the largest F1 at prevalence {share}")
    return "right, flag everybody"


def _line(label, row, first=1, form=lambda v: repr(float(v)), keep_zeros=False):
    pairs = [f"{j}:{form(v)}" for j, v in enumerate(row, first) if keep_zeros or v != 0]
    return " ".join([form(label), *pairs])


@exercise("libsvm_line", wrong={
    "counts from 0": lambda label, row: _line(label, row, first=0),
    "sixteen digits": lambda label, row: _line(label, row, form=lambda v: f"{v:.16g}"),
    "six decimals": lambda label, row: _line(label, row, form=lambda v: f"{v:.6f}"),
    "keeps the zeros": lambda label, row: _line(label, row, keep_zeros=True),
    "numpy's own repr": lambda label, row: _line(label, row, form=repr),
    "ends the line": lambda label, row: _line(label, row) + "\n",
})
def libsvm_line(write):
    """One sample as text, read back by the chapter's reader."""
    rng = np.random.default_rng(3)
    samples = [(1.0, np.array([0.0, 0.1 + 0.2, 0.0, -7.0])), (-2.5, np.zeros(3)), (0.1, np.array([1e-300, 2.0]))]
    samples += [(float(rng.normal()), np.where(rng.uniform(size=8) < 0.5, rng.normal(size=8), 0)) for _ in range(20)]
    for label, row in samples:
        line = write(label, row)
        assert isinstance(line, str), f"the line should be text, got {type(line).__name__}"
        assert "\n" not in line, "leave the line break to the caller"
        try:
            X, y = load_libsvm(io.StringIO(line), n_features=len(row))
        except DataFormatError as error:
            raise AssertionError(f"{line!r} cannot be read: {error}") from None
        assert y[0] == label, f"the label {label!r} came back as {float(y[0])!r}"
        back = X.toarray()[0]
        assert np.array_equal(back, row), f"{row.tolist()} came back as {back.tolist()} from {line!r}"
        assert X.nnz == np.count_nonzero(row), f"zeros should be left out, but the line is {line!r}"
    return "right, to the last bit"


def _order_cost(c, y, a, b):
    return a * np.maximum(y - c, 0).sum() + b * np.maximum(c - y, 0).sum()


@exercise("best_order", wrong={
    "the mean": lambda y, a, b: np.mean(y),
    "the median": lambda y, a, b: np.median(y),
    "the costs exchanged": lambda y, a, b: np.quantile(y, b / (a + b), method="inverted_cdf"),
    "interpolates between the targets": lambda y, a, b: np.quantile(y, a / (a + b)),
    "the weighted mean of the extremes": lambda y, a, b: (a * np.max(y) + b * np.min(y)) / (a + b),
})
def best_order(answer):
    """The cheapest constant; a minimum is always at one of the targets, so those are tried."""
    rng = np.random.default_rng(6)
    for n, a, b in ((1, 1.0, 1.0), (7, 3.0, 1.0), (40, 1.0, 4.0), (41, 9.0, 1.0)):
        y = rng.gamma(2, 20, size=n).round(1)
        least = min(_order_cost(c, y, a, b) for c in y)
        got = _order_cost(float(answer(y.copy(), a, b)), y, a, b)
        assert got <= least * (1 + 1e-9) + 1e-12, f"with a = {a:g}, b = {b:g} your order costs {got:.2f}; {least:.2f} is possible"
    return "right, a quantile"


def _split_error(t, x, y):
    return sum(((side - side.mean()) ** 2).sum() for side in (y[x < t], y[x >= t]) if len(side))


@exercise("best_split", wrong={
    "the median of x": lambda x, y: np.median(x),
    "the middle of the range": lambda x, y: (x.min() + x.max()) / 2,
    "forgets to sort y along": lambda x, y: _split_unsorted(x, y),
    "ignores the sizes of the sides": lambda x, y: _split_by(x, y, lambda left, right, k, n: (left / k - right / (n - k)) ** 2),
    "cuts between equal values": lambda x, y: _split_by(x, y, lambda left, right, k, n: left**2 / k + right**2 / (n - k), guard=False),
})
def best_split(answer):
    """The threshold on x that leaves the least squared error of y, against all thresholds."""
    rng = np.random.default_rng(9)
    cases = [(np.repeat(np.arange(4.0), 10), np.repeat([0.0, 10.0], [15, 25]))]  # best cut inside a group of equal x, were it allowed
    for n, levels, step in ((2, 50, 3), (30, 1000, 3), (60, 5, 3), (40, 1000, 0), (200, 12, 1)):
        x = rng.integers(levels, size=n) + 0.0
        x[0], x[1] = -1.0, levels
        cases.append((x, 1e4 + step * (x > 0.3 * levels) + rng.normal(size=n)))
    for x, y in cases:
        least = min(_split_error(t, x, y) for t in np.unique(x)[1:])
        got = _split_error(float(answer(x.copy(), y.copy())), x, y)
        assert got <= least * (1 + 1e-6) + 1e-6, f"on {len(x)} samples your threshold leaves the error {got:.3f}; {least:.3f} is possible"
    return "right, with equal values too"


def _split_by(x, y, gain, guard=True):
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order] - y.mean()
    left, k = np.cumsum(y)[:-1], np.arange(1, len(y))
    score = gain(left, y.sum() - left, k, len(y))
    if guard:
        score = np.where(x[1:] == x[:-1], -np.inf, score)
    best = score.argmax()
    return (x[best] + x[best + 1]) / 2


def _split_unsorted(x, y):
    return _split_by(np.sort(x), y, lambda left, right, k, n: left**2 / k + right**2 / (n - k))


@exercise("useless_top", wrong={
    "perfect": lambda: (np.r_[np.zeros(300), np.ones(20)], np.arange(320.0)),
    "useless throughout": lambda: (np.r_[np.ones(20), np.zeros(300)], np.arange(320.0)),
    "too few positives": lambda: (np.r_[np.zeros(10), 1, np.zeros(300)], -np.arange(311.0)),
    "not a good AUC": lambda: (np.r_[np.zeros(10), np.ones(20), np.zeros(90)], -np.arange(120.0)),
})
def useless_top(build):
    """Labels and scores with a high AUC and no positive among the ten highest."""
    result = build()
    assert isinstance(result, tuple) and len(result) == 2, "return two arrays, y and score"
    y, score = np.asarray(result[0]), np.asarray(result[1], float)
    assert y.shape == score.shape and y.ndim == 1, f"y and score should be equally long, got shapes {y.shape} and {score.shape}"
    assert set(np.unique(y).tolist()) <= {0, 1}, "the labels should be 0 and 1"
    assert y.sum() >= 20, f"there should be at least 20 positives, got {int(y.sum())}"
    tenth = np.sort(score)[-10]
    assert np.sum(score >= tenth) == 10, "let the ten highest be clear, without ties at the edge"
    assert auc(y, score) >= 0.95, f"the AUC is {auc(y, score):.3f}; it should be at least 0.95"
    hits = int(y[score >= tenth].sum())
    assert hits == 0, f"{hits} of the ten highest-scored are ill; none should be"
    return "right, the average forgives a bad top"
