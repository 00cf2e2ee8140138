"""Checks of the exercises of unsupervised/pca_and_feature_selection."""

import numpy as np

from mlcore.exercises.core import exercise, expect_close
from mlcore.unsupervised.pca_and_feature_selection import PCA, chi_square_counts, chi_square_table, fix_signs


@exercise("standardized_pair", wrong={
    "the eigenvalues of a positive correlation swapped": (0.4, 1.6, 0.8),
    "the correlation taken with its sign": (0.4, 1.6, 0.2),
    "the share not divided by the total": (1.6, 0.4, 1.6),
})
def standardized_pair(answer):
    """Check the three numbers against the eigenvalues of the correlation matrix."""
    values = np.linalg.eigvalsh([[1.0, -0.6], [-0.6, 1.0]])[::-1]
    expect_close(answer, [*values, values[0] / 2], "the largest eigenvalue, the smallest, the share of the first", atol=1e-3)


def _scores(X, k, center=True, sort=True, sign=True):
    X = X - X.mean(axis=0) if center else X
    _, _, V = np.linalg.svd(X, full_matrices=False)
    V = V if sort else V[::-1]
    return X @ (fix_signs(V[:k]) if sign else -fix_signs(V[:k])).T


@exercise("scores", wrong={
    "not centered": lambda X, k: _scores(X, k, center=False),
    "smallest variance first": lambda X, k: _scores(X, k, sort=False),
    "the other signs": lambda X, k: _scores(X, k, sign=False),
})
def scores(answer):
    """Check tall and wide data, and that the data are left alone."""
    rng = np.random.default_rng(0)
    for n, d in ((40, 5), (6, 15)):
        X = rng.normal(size=(n, d)) * np.arange(1, d + 1) + 4
        X.setflags(write=False)
        for k in (1, 3):
            expect_close(answer(X, k), PCA(k).fit(X).transform(X), f"the scores of {n} samples with {d} features, k = {k}", atol=1e-7)


@exercise("two_scores", wrong={
    "the same for both": lambda a, b, c, d: (chi_square_table([[a, b], [c, d]]).statistic,) * 2,
    "the share of ones": lambda a, b, c, d: (lambda s: (s, s * (a + b) / (a + b + c + d)))(chi_square_table([[a, b], [c, d]]).statistic),
    "without n": lambda a, b, c, d: (lambda s: (s, s * (c + d)))((a * d - b * c) ** 2 / ((a + b) * (c + d) * (a + c) * (b + d))),
})
def two_scores(answer):
    """Check both statistics on the table of the notes and on random tables."""
    rng = np.random.default_rng(1)
    for table in ([42, 168, 23, 267], *rng.integers(1, 60, size=(5, 4)).tolist()):
        x, y = np.repeat([1, 1, 0, 0], table), np.repeat([1, 0, 1, 0], table)
        want = chi_square_table(np.reshape(table, (2, 2))).statistic, chi_square_counts(x[:, None], y)[0][0]
        got = answer(*table)
        assert np.shape(got) == (2,), "return two numbers: (of the table, of the counts)"
        expect_close(got[0], want[0], f"the chi-square of the table {table}")
        expect_close(got[1], want[1], f"the chi-square of the counts in {table}")


@exercise("whiten_without_turning", wrong={
    "principal scores, divided": lambda X: PCA(whiten=True).fit_transform(X),
    "columns standardized": lambda X: (X - X.mean(axis=0)) / X.std(axis=0, ddof=1),
    "multiplied, not divided": lambda X: (X - X.mean(axis=0)) @ np.cov(X.T),
})
def whiten_without_turning(answer):
    """Check the unit covariance and that the map is symmetric and positive."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 4)) @ rng.normal(size=(4, 4)) + 2
    Z = np.asarray(answer(X), float)
    assert Z.shape == X.shape, f"the result should have shape {X.shape}, got {Z.shape}"
    expect_close(np.cov(Z.T), np.eye(4), "the covariance of the result", atol=1e-6)
    M = np.linalg.lstsq(X - X.mean(axis=0), Z, rcond=None)[0]
    assert np.abs(M - M.T).max() < 1e-6, "the covariance is right, but the map is not symmetric: it also turns the points"
    assert np.linalg.eigvalsh(M).min() > 0, "the map is symmetric, but it reflects some directions"


@exercise("hidden_class", wrong={
    "the class on the long axis": lambda: (np.column_stack([np.r_[-9:-4:10j, 4:9:10j], np.tile([0, 0.1], 10)]), np.repeat([0, 1], 10)),
    "no class anywhere": lambda: (np.column_stack([np.linspace(-9, 9, 20), np.tile([0, 1, 1, 0], 5)]), np.tile([0, 1], 10)),
    "one class": lambda: (np.column_stack([np.linspace(-9, 9, 20), np.tile([0, 1], 10)]), np.zeros(20, int)),
})
def hidden_class(answer):
    """Project on both components and look for the best threshold on each."""
    X, y = answer()
    X, y = np.asarray(X, float), np.asarray(y)
    assert X.shape == (20, 2) and y.shape == (20,), f"20 points in the plane and 20 labels are asked for, got {X.shape} and {y.shape}"
    assert sorted(np.unique(y)) == [0, 1] and y.sum() == 10, "ten labels should be 0 and ten 1"
    accuracy = []
    for z in PCA().fit_transform(X).T:
        share = np.array([np.mean((z > t) == y) for t in z])
        accuracy.append(np.maximum(share, 1 - share).max())
    assert accuracy[1] == 1, f"the second component separates the classes with accuracy {accuracy[1]:.2f}, not 1"
    assert accuracy[0] <= 0.65, f"the first component still reaches {accuracy[0]:.2f}; at most 0.65 is asked for"
    return f"passed: accuracy {accuracy[0]:.2f} on the first component, 1 on the second"


@exercise("denoise", wrong={
    "nothing done": lambda noisy: noisy,
    "every component kept": lambda noisy: (lambda m: m.inverse_transform(m.transform(noisy)))(PCA().fit(noisy)),
    "always five components": lambda noisy: (lambda m: m.inverse_transform(m.transform(noisy)))(PCA(5).fit(noisy)),
    "90% of the variance": lambda noisy: (lambda m: m.inverse_transform(m.transform(noisy)))(PCA(0.9).fit(noisy)),
    "the mean alone": lambda noisy: np.tile(noisy.mean(axis=0), (len(noisy), 1)),
})
def denoise(answer):
    """Add noise to data of low dimension and compare with the clean ones."""
    rng = np.random.default_rng(3)
    for k in (2, 5):
        clean = rng.normal(size=(300, k)) * 4 @ np.linalg.qr(rng.normal(size=(25, k)))[0].T + 3
        noisy = clean + rng.normal(size=clean.shape)
        ratio = ((np.asarray(answer(noisy), float) - clean) ** 2).mean() / ((noisy - clean) ** 2).mean()
        assert ratio < 1.5 * k / 25, (
            f"with {k} planted directions of 25, {ratio:.0%} of the squared noise is left; less than {1.5 * k / 25:.0%} is asked for")


@exercise("left_out", wrong={
    "the ordinary residual": lambda x, U: x - U @ (U.T @ x),
    "multiplied by 1 - h": lambda x, U: (x - U @ (U.T @ x)) * (1 - (U**2).sum(axis=1)),
    "the root of 1 - h": lambda x, U: (x - U @ (U.T @ x)) / np.sqrt(1 - (U**2).sum(axis=1)),
})
def left_out(answer):
    """Check against refitting without each entry."""
    rng = np.random.default_rng(4)
    for d, k in ((6, 1), (9, 4)):
        x, U = rng.normal(size=d), np.linalg.qr(rng.normal(size=(d, k)))[0]
        refit = [np.linalg.lstsq(np.delete(U, j, 0), np.delete(x, j), rcond=None)[0] for j in range(d)]
        expect_close(answer(x, U), x - (U * refit).sum(axis=1), f"the errors for d = {d}, k = {k}")
