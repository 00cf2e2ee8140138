"""Checks of the exercises of the chapter on neighbors and kernel regression."""

import warnings

import numpy as np

from mlcore.datasets import make_blobs
from mlcore.exercises.core import exercise, expect_close
from mlcore.supervised.neighbors_and_kernel_regression import knn_loo_errors, loo_error, smooth


@exercise("limits", wrong={
    "order 1 taken for order 0": [4.0, 3.25, 3.25],
    "line through the two nearest points": [4.0, 3.25, 3.6],
    "mean taken for the nearest": [3.25, 3.25, 3.25 - 9.6 / 14],
})
def limits(answer):
    """(a) nearest target, (b) mean, (c) least-squares line at the query."""
    x, y = np.array([0.0, 1.0, 2.0, 5.0]), np.array([1.0, 4.0, 2.0, 6.0])
    slope, intercept = np.polyfit(x, y, 1)
    values = np.asarray(answer, float)
    assert values.shape == (3,), f"write three numbers [a, b, c], got shape {values.shape}"
    for name, got, want in zip("abc", values, (4.0, y.mean(), intercept + slope * 1.2), strict=True):
        assert abs(got - want) < 5e-3, f"({name}) is not {got:.4g}"
    return "all three limits are right"


def _no_guard(x, y, queries, h):
    W = np.maximum(1 - ((queries[:, None] - x) / h) ** 2, 0)
    return W @ y / np.maximum(W.sum(axis=1), 1e-300)


def _gaussian_weights(x, y, queries, h):
    W = np.exp(-0.5 * ((queries[:, None] - x) / h) ** 2)
    return W @ y / W.sum(axis=1)


@exercise("epanechnikov_mean", wrong={"0 in an empty window": _no_guard, "the Gaussian kernel": _gaussian_weights})
def epanechnikov_mean(answer):
    """Against mlcore, with an empty window and without warnings."""
    rng = np.random.default_rng(0)
    x, y, queries = rng.uniform(0, 3, size=25), rng.normal(size=25), np.linspace(-0.5, 3.5, 9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            dense = answer(x, y, queries[2:7], 1.0)
            sparse = answer(np.array([0.0, 2.0]), np.array([1.0, 5.0]), np.array([0.1, 1.0, 1.9]), 0.5)
        except Warning as warning:
            raise AssertionError(f"your code warned: {warning}; divide only where the window is not empty") from None
    expect_close(dense, smooth(x[:, None], y, queries[2:7, None], 1.0, "epanechnikov"), "the fit")
    assert np.isnan(np.asarray(sparse, float)[1]), "a query with no point within h should give NaN"
    expect_close(np.asarray(sparse, float)[[0, 2]], [1.0, 5.0], "the fit with one point in the window")
    return "right, and NaN where there is nothing to average"


@exercise("spoil", wrong={
    "nothing changed": lambda X: X.copy(),
    "both features scaled alike": lambda X: 1000 * X,
    "information destroyed": lambda X: 0 * X,
    "information lost by underflow": lambda X: 1e-300 * X,
    "rows lost": lambda X: X[:10],
})
def spoil(answer):
    """One neighbor must fail although the two original features can still be read off."""
    X, labels = make_blobs(n=150, rng=0)
    spoiled = np.asarray(answer(X.copy()), float)
    assert spoiled.ndim == 2 and len(spoiled) == len(X), f"return an array with {len(X)} rows, got shape {spoiled.shape}"
    assert 2 <= spoiled.shape[1] <= 22, f"keep both features and append at most 20 columns, got {spoiled.shape[1]} columns"
    ratio = spoiled[:, :2] / X
    kept = np.isfinite(ratio).all() and np.allclose(ratio, ratio[0]) and (ratio[0] > 0).all()
    assert kept, "the first two columns must be the original features times one positive number each"
    assert (np.abs(np.log10(ratio[0])) <= 6.01).all(), "keep the two factors between 1e-6 and 1e6"
    before, after = (knn_loo_errors(A, labels, 1, task="classification")[0] for A in (X, spoiled))
    assert after > 0.4, f"the leave-one-out error is only {after:.0%}"
    return f"error of one neighbor raised from {before:.0%} to {after:.0%}"


@exercise("knn_shortcut", wrong={
    "leave-one-out of k-NN itself": lambda x, y, k: knn_loo_errors(x[:, None], y, k)[k - 1],
    "not averaged": lambda x, y, k: len(y) * knn_loo_errors(x[:, None], y, k - 1)[k - 2],
    "not squared": lambda x, y, k: np.sqrt(knn_loo_errors(x[:, None], y, k - 1)[k - 2]),
})
def knn_shortcut(answer):
    """The shortcut with k neighbors is the leave-one-out error of k - 1 neighbors."""
    rng = np.random.default_rng(1)
    for k in (2, 5, 10):
        x, y = rng.uniform(size=40), rng.normal(size=40)
        errors = knn_loo_errors(x[:, None], y, k)
        value = float(answer(x, y, k))
        other = abs(value - errors[k - 1]) > 1e-9
        assert other, f"for k = {k} this is the leave-one-out error of k-NN itself; the shortcut gives something else"
        expect_close(value, errors[k - 2], f"the error by the shortcut for k = {k}")
    return "right: it is the leave-one-out error of k - 1 neighbors"


def _training_error_bandwidth(x, y, bandwidths):
    errors = [np.mean((y - smooth(x[:, None], y, x[:, None], h, order=1)) ** 2) for h in bandwidths]
    return bandwidths[int(np.argmin(errors))]


def _local_mean_bandwidth(x, y, bandwidths):
    return bandwidths[int(np.argmin([loo_error(x[:, None], y, h) for h in bandwidths]))]


@exercise("best_bandwidth", wrong={
    "smallest training error": _training_error_bandwidth,
    "local mean instead of local line": _local_mean_bandwidth,
    "the largest": lambda x, y, bandwidths: max(bandwidths),
})
def best_bandwidth(answer):
    """On several data sets the choice must be the leave-one-out minimum of the local line."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        x = rng.uniform(0, 3, size=60)
        y = np.sin(3 * x) + 2 * x + 0.3 * rng.normal(size=60)
        bandwidths = np.geomspace(0.1, 2, 12)
        errors = [loo_error(x[:, None], y, h, order=1) for h in bandwidths]
        expect_close(answer(x, y, bandwidths), bandwidths[int(np.argmin(errors))], f"the bandwidth for data set {seed + 1}")
    return "the leave-one-out minimum, on four data sets"


@exercise("edge_bias", wrong={
    "no bias anywhere": [0.0, 0.0, 0.0, 0.0],
    "c forgotten": [0.1, 0.1, 0.0, 0.0],
    "the line biased as the mean": [0.1, 0.05, 0.0, 0.1],
})
def edge_bias(answer):
    """Means of 2 z over the part of the window inside [0, 1]."""
    values = np.asarray(answer, float)
    assert values.shape == (4,), f"write four numbers [a, b, c, d], got shape {values.shape}"
    for name, got, want in zip("abcd", values, (0.1, 0.05, 0.0, 0.0), strict=True):
        assert abs(got - want) < 1e-6, f"({name}) is not {got:.4g}"
    return "all four are right"
