"""Checks of the exercises of unsupervised/ica."""

import itertools

import numpy as np
from scipy import stats

from mlcore.exercises.core import exercise, expect_close
from mlcore.unsupervised.ica import decorrelate, make_voices, natural_step, stability_index


@exercise("projection_kurtosis", wrong={
    "weights squared": 0.36 * 3 - 0.64 * 1.2,
    "weights not raised": 0.6 * 3 - 0.8 * 1.2,
    "the other way round": 0.8**4 * 3 - 0.6**4 * 1.2,
})
def projection_kurtosis(answer):
    """q^4 . kappa for q = (0.6, 0.8)."""
    expect_close(answer, 0.6**4 * 3 - 0.8**4 * 1.2, "the kurtosis", rtol=5e-3)


@exercise("mixed_density", wrong={
    "no determinant": lambda p, W, X: np.prod(p(X @ W.T), axis=1),
    "determinant without absolute value": lambda p, W, X: np.prod(p(X @ W.T), axis=1) * np.linalg.det(W),
    "determinant of the mixing matrix": lambda p, W, X: np.prod(p(X @ W.T), axis=1) / abs(np.linalg.det(W)),
    "W not transposed": lambda p, W, X: np.prod(p(X @ W), axis=1) * abs(np.linalg.det(W)),
})
def mixed_density(answer):
    """Compare with the Gaussian law of a mixture of normal sources, and with a uniform one."""
    W = np.array([[0.5, 2.0, 0.1], [1.0, 0.2, -0.3], [0.0, 0.7, 1.5]])
    assert np.linalg.det(W) < 0
    X = np.random.default_rng(0).normal(size=(6, 3))
    A = np.linalg.inv(W)
    expected = stats.multivariate_normal(np.zeros(3), A @ A.T).pdf(X)
    expect_close(answer(stats.norm.pdf, W, X), expected, "the density of a mixture of three normal sources")
    uniform = answer(stats.uniform.pdf, np.array([[0.5]]), np.array([[1.0], [3.0]]))
    expect_close(uniform, [0.5, 0.0], "the density of x = 2 s at x = 1 and x = 3, s uniform on [0, 1]")


@exercise("natural_gradient", wrong={
    "rate on the first term only": lambda W, X, phi, eta: W + eta * (phi(X @ W.T).T @ (X @ W.T) / len(X)) @ W + W,
    "plain gradient": lambda W, X, phi, eta: W + eta * (phi(X @ W.T).T @ X / len(X) + np.linalg.inv(W).T),
    "factor on the wrong side": lambda W, X, phi, eta: W + eta * W @ (np.eye(len(W)) + phi(X @ W.T).T @ (X @ W.T) / len(X)),
    "sum instead of mean": lambda W, X, phi, eta: W + eta * (np.eye(len(W)) + phi(X @ W.T).T @ (X @ W.T)) @ W,
})
def natural_gradient(answer):
    """Compare with mlcore for the logistic score, and at the fixed point of a cubic score."""
    rng = np.random.default_rng(1)
    X, W = rng.normal(size=(25, 3)), rng.normal(size=(3, 3))
    expect_close(answer(W, X, lambda y: -np.tanh(y / 2), 0.2), natural_step(W, X, 0.2)[0], "W after a step with the logistic score")
    signs = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    expect_close(answer(np.eye(2), signs, lambda y: -(y**3), 0.5), np.eye(2), "W at a fixed point, which must stay")


@exercise("zero_kurtosis", wrong={
    "a coin": ([-1.0, 1.0], [0.5, 0.5]),
    "three equal values": ([-1.0, 0.0, 1.0], [1 / 3, 1 / 3, 1 / 3]),
    "rare and far": ([-3.0, 0.0, 3.0], [0.05, 0.9, 0.05]),
    "not a distribution": ([-1.0, 0.0, 1.0], [1 / 6, 1 / 6, 1 / 6]),
})
def zero_kurtosis(answer):
    """A finite distribution that varies and whose excess kurtosis is zero."""
    values, probabilities = (np.asarray(a, float) for a in answer)
    assert values.shape == probabilities.shape and values.ndim == 1, "give two lists of the same length"
    assert (probabilities >= 0).all() and abs(probabilities.sum() - 1) < 1e-9, f"the probabilities sum to {probabilities.sum():.3g}, not 1"
    centered = values - probabilities @ values
    variance = probabilities @ centered**2
    assert variance > 0, "the source must vary"
    kappa = probabilities @ centered**4 / variance**2 - 3
    assert abs(kappa) < 1e-6, f"the excess kurtosis is {kappa:.3g}, not 0"


@exercise("separable_pairs", wrong={
    "super-Gaussian pairs only": {("notes", "rattle")},
    "all pairs": {("notes", "organ"), ("notes", "rattle"), ("organ", "rattle")},
    "none": {("notes", "organ")},
})
def separable_pairs(answer):
    """Pairs whose product of stability indices exceeds 1."""
    given = {tuple(sorted(pair)) for pair in answer}
    index = dict(zip(("notes", "organ", "rattle"), map(stability_index, make_voices().T)))
    pairs = list(itertools.combinations(index, 2))
    for pair in pairs:
        assert (pair in given) == (index[pair[0]] * index[pair[1]] > 1), f"look again at {' and '.join(pair)}"
    assert given <= set(pairs), "name pairs of the three voices: notes, organ, rattle"


def _iterate(W, steps=30, a=1.5, b=0.5):
    W = W / np.linalg.norm(W, 2)
    for _ in range(steps):
        W = a * W - b * W @ W.T @ W
    return W


@exercise("decorrelate_by_products", wrong={
    "one step": lambda W: _iterate(W, 1),
    "rows scaled only": lambda W: W / np.linalg.norm(W, axis=1, keepdims=True),
    "a QR factorization": lambda W: np.linalg.qr(W)[0],
    "no scaling first": lambda W: 1.5 * W - 0.5 * W @ W.T @ W,
})
def decorrelate_by_products(answer):
    """Compare with the eigenvalue form, for small and large matrices."""
    rng = np.random.default_rng(2)
    for d, size in [(2, 1.0), (4, 100.0), (3, 0.01)]:
        W = size * (rng.normal(size=(d, d)) + 2 * np.eye(d))
        expect_close(answer(W), decorrelate(W), f"the orthogonal matrix nearest to a {d} x {d} matrix", rtol=1e-6)
