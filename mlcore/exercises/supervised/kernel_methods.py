"""Checks of the exercises of the chapter on kernel methods."""

import numpy as np

from mlcore.exercises.core import exercise, expect_close
from mlcore.supervised.kernel_methods import (
    gaussian_kernel,
    gram_spectrum,
    kernel_ridge,
    loo_residuals,
    polynomial_kernel,
    tensor_features,
)


def _rows(n, d, seed):
    """Random rows."""
    return np.random.default_rng(seed).normal(size=(n, d))


@exercise("limits", wrong={
    "narrow and wide changed places": (5, 1, 6),
    "monomials with repeats": (1, 5, 7),
    "one nonzero eigenvalue per point": (1, 5, 100),
    "the sum of the eigenvalues": (5, 5, 6),
})
def limits(answer):
    """Largest eigenvalues of a narrow and a wide Gaussian Gram matrix, and the rank of a quadratic one."""
    X = _rows(5, 2, 0)
    got = np.asarray(answer, float)
    assert got.shape == (3,), f"three numbers are wanted, got {answer!r}"
    expect_close(got[0], gram_spectrum(gaussian_kernel(X, bandwidth=1e-3))[-1], "the largest eigenvalue for a tiny bandwidth")
    expect_close(got[1], gram_spectrum(gaussian_kernel(X, bandwidth=1e6))[-1], "the largest eigenvalue for a huge bandwidth")
    rank = np.linalg.matrix_rank(polynomial_kernel(_rows(100, 2, 1), degree=2), tol=1e-8)
    expect_close(got[2], rank, "the rank of the quadratic Gram matrix")
    return "right: the identity, all ones, six features"


def _quadratic(X, c, linear, cross):
    """Squares, products weighted by ``cross``, coordinates weighted by ``linear``, and c."""
    d = X.shape[1]
    pairs = [X[:, i] * X[:, j] * cross for i in range(d) for j in range(i + 1, d)]
    return np.column_stack([X**2, *pairs, linear * X, np.full(len(X), c)])


def _with_repeats(X, c):
    d = X.shape[1]
    return np.column_stack([tensor_features(X, 2)[:, 1 + d:], np.sqrt(2 * c) * X, np.full(len(X), c)])


@exercise("quadratic_map", wrong={
    "no weight on the products": lambda X, c: _quadratic(X, c, np.sqrt(2 * c), 1.0),
    "no weight on the coordinates": lambda X, c: _quadratic(X, c, 1.0, np.sqrt(2)),
    "c instead of 2 c under the root": lambda X, c: _quadratic(X, c, np.sqrt(c), np.sqrt(2)),
    "with repeated products": _with_repeats,
})
def quadratic_map(feature_map):
    """Distinct features of (x.z + c)^2."""
    for d, c in ((3, 0.7), (2, 2.0), (4, 0.0)):
        X, Z = _rows(6, d, d), _rows(5, d, d + 1)
        Phi, Psi = np.asarray(feature_map(X, c), float), np.asarray(feature_map(Z, c), float)
        assert Phi.ndim == 2 and len(Phi) == 6, f"return one row of features per row of X, got shape {Phi.shape}"
        expect_close(Phi @ Psi.T, (X @ Z.T + c) ** 2, f"the inner products for d = {d}, c = {c}")
        wanted = (d + 1) * (d + 2) // 2
        assert Phi.shape[1] == wanted, f"for d = {d} there are {wanted} distinct monomials, your map has {Phi.shape[1]} columns"
    return "right: 10 features do the work of 13"


@exercise("absolute", wrong={
    "points on one line": lambda: np.array([[1.0, 0.0], [2.0, 0.0], [-3.0, 0.0]]),
    "two points": lambda: np.array([[1.0, 0.0], [0.0, 1.0]]),
    "equal angles of 60 degrees": lambda: np.array([[1.0, 0.0], [0.5, 0.75**0.5], [-0.5, 0.75**0.5]]),
})
def absolute(build):
    """Points of the plane on which |x.z| has a negative eigenvalue."""
    X = np.asarray(build(), float)
    assert X.ndim == 2 and X.shape[1] == 2, f"return points of the plane, an (n, 2) array; got shape {X.shape}"
    K = np.abs(X @ X.T)
    smallest, largest = gram_spectrum(K)[[0, -1]]
    assert smallest < -1e-6 * largest, "on these points no eigenvalue is negative: they do not break it"
    return f"right: {smallest:.3g} is an eigenvalue"


def _loo_slowly(K, y, alpha):
    n = len(y)
    rest = [np.flatnonzero(np.arange(n) != i) for i in range(n)]
    return np.array([y[i] - K[i, r] @ kernel_ridge(K[np.ix_(r, r)], y[r], alpha) for i, r in enumerate(rest)])


def _hat_form(K, y, alpha, power):
    hat = np.linalg.solve(K + alpha * np.eye(len(y)), K).T
    return (y - hat @ y) / (1 - np.diag(hat)) ** power


@exercise("loo", wrong={
    "training residuals": lambda K, y, alpha: y - K @ kernel_ridge(K, y, alpha),
    "the hat formula with a square": lambda K, y, alpha: _hat_form(K, y, alpha, 2),
    "the sign": lambda K, y, alpha: -_hat_form(K, y, alpha, 1),
    "the diagonal of K": lambda K, y, alpha: kernel_ridge(K, y, alpha) * (np.diag(K) + alpha),
})
def loo(residuals):
    """Leave-one-out residuals from one fit."""
    X, y = _rows(14, 2, 3), _rows(14, 1, 4)[:, 0]
    K = gaussian_kernel(X)
    for alpha in (0.05, 2.0):
        want = loo_residuals(K, y, alpha)[0]
        assert np.allclose(want, _loo_slowly(K, y, alpha)), "the reference disagrees with refitting"
        expect_close(residuals(K, y, alpha), want, f"the leave-one-out residuals for alpha = {alpha}")
    return "right: 14 refits for the price of one"


def _zero_one(K, y, sweeps, tie=True, sign=1.0):
    beta = np.zeros(len(y))
    for _ in range(sweeps):
        for i in range(len(y)):
            f = K[i] @ beta
            h = float(f >= 0 if tie else f > 0)
            beta[i] += sign * (y[i] - h)
    return beta


def _all_at_once(K, y, sweeps):
    beta = np.zeros(len(y))
    for _ in range(sweeps):
        beta = beta + y - (K @ beta >= 0)
    return beta


@exercise("zero_one_perceptron", wrong={
    "sign(0) counted as 0": lambda K, y, sweeps: _zero_one(K, y, sweeps, tie=False),
    "away from the label": lambda K, y, sweeps: _zero_one(K, y, sweeps, sign=-1.0),
    "all examples at once": _all_at_once,
    "one sweep only": lambda K, y, sweeps: _zero_one(K, y, 1),
})
def zero_one_perceptron(train):
    """Kernel perceptron with labels 0 and 1."""
    X = _rows(30, 2, 8)
    y = ((X**2).sum(axis=1) > 1.2).astype(float)
    K = polynomial_kernel(X, degree=2)
    got = train(K, y, 3)
    expect_close(got, _zero_one(K, y, 3), "beta after three sweeps")
    done = np.asarray(train(K, y, 200), float)
    assert np.array_equal((K @ done >= 0).astype(float), y), "after 200 sweeps all examples should be classified correctly"
    return "right: beta counts mistakes"


@exercise("random_features", wrong={
    "no factor 2": lambda X, W, b: np.cos(X @ W.T + b) / np.sqrt(len(W)),
    "no shift": lambda X, W, b: np.sqrt(2 / len(W)) * np.cos(X @ W.T),
    "not divided by the number": lambda X, W, b: np.sqrt(2) * np.cos(X @ W.T + b),
})
def random_features(feature_map):
    """Random Fourier features of the Gaussian kernel."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 3))
    W, b = rng.normal(size=(20_000, 3)) / 1.5, rng.uniform(0, 2 * np.pi, 20_000)
    Phi = np.asarray(feature_map(X, W, b), float)
    assert Phi.shape == (12, 20_000), f"return one column per row of W, shape (12, 20000); got {Phi.shape}"
    error = np.abs(Phi @ Phi.T - gaussian_kernel(X, bandwidth=1.5)).max()
    assert error < 0.04, f"with 20,000 features the inner products should be within 0.04 of the kernel, yours miss it by {error:.2f}"
    return "right: the error falls like 1 / sqrt(r)"
