"""Checks of the exercises of unsupervised/k_means."""

import numpy as np

from mlcore import datasets
from mlcore.exercises.core import exercise, expect_close
from mlcore.unsupervised.k_means import KMeans, assign, lloyd, memberships, move, purity, silhouette_samples


@exercise("one_round", wrong={
    "the centers of the first round twice": ((0.0, 6.0), (0.0, 6.0)),
    "the tie given to the second center": ((0.0, 6.0), (1.0, 22 / 3)),
})
def one_round(answer):
    """Check both pairs against Lloyd's algorithm."""
    X = np.array([[0.0], [2.0], [3.0], [9.0], [10.0]])
    assert np.shape(answer) == (2, 2), "give two pairs: (first_round, at_the_end)"
    start = np.array([[0.0], [2.0]])
    first = move(X, assign(X, start)[0], start)
    expect_close(answer[0], first.ravel(), "the centers after the first round", atol=1e-2)
    expect_close(answer[1], lloyd(X, first).centers.ravel(), "the centers at the end", atol=1e-2)


@exercise("plusplus_probabilities", wrong={
    "distances, not squared": lambda X, centers: (lambda D: D / D.sum())(np.sqrt(assign(X, centers)[1])),
    "distance to the last center alone": lambda X, centers: (lambda D: D / D.sum())(((X - centers[-1]) ** 2).sum(axis=1)),
    "always the farthest": lambda X, centers: np.eye(len(X))[assign(X, centers)[1].argmax()],
    "divides by zero on duplicates": lambda X, centers: (lambda D: D / max(D.sum(), 1e-300))(assign(X, centers)[1]),
})
def plusplus_probabilities(answer):
    """Check probabilities on random data, and when only duplicates are left."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    for r in (1, 2, 4):
        squared = np.array([min(((x - c) ** 2).sum() for c in X[:r]) for x in X])
        got = answer(X, X[:r])
        assert np.isclose(np.sum(got), 1), f"with {r} centers the probabilities sum to {np.sum(got):.4g}, not 1"
        expect_close(got, squared / squared.sum(), f"the probabilities with {r} centers")
    expect_close(answer(np.ones((4, 2)), np.ones((1, 2))), np.full(4, 0.25), "the probabilities when all points lie on a center")


def _with_itself(D, labels):
    """Silhouettes that count a point as its own neighbor."""
    s = np.zeros(len(D))
    for i, own in enumerate(labels):
        a = D[i, labels == own].mean()
        b = min(D[i, labels == j].mean() for j in np.unique(labels) if j != own)
        s[i] = (b - a) / max(a, b)
    return s


@exercise("silhouettes", wrong={
    "counts the point itself": _with_itself,
    "all ones": lambda D, labels: np.ones(len(D)),
})
def silhouettes(answer):
    """Check on random labels, and on a cluster of one point."""
    rng = np.random.default_rng(1)
    X, labels = rng.normal(size=(24, 2)), np.arange(24) % 3
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    expect_close(answer(D, labels), silhouette_samples(X, labels), "the silhouettes")
    alone = np.array([0, 0, 0, 1, 2, 2, 2, 2])
    expect_close(answer(D[:8, :8], alone), silhouette_samples(X[:8], alone), "the silhouettes when cluster 1 has one point")


@exercise("merge_price", wrong={
    "the squared distance alone": lambda p, mu, q, nu: ((np.asarray(mu) - np.asarray(nu)) ** 2).sum(),
    "the mean size": lambda p, mu, q, nu: (p + q) / 2 * ((np.asarray(mu) - np.asarray(nu)) ** 2).sum(),
    "the distance not squared": lambda p, mu, q, nu: p * q / (p + q) * np.linalg.norm(np.asarray(mu) - np.asarray(nu)),
})
def merge_price(answer):
    """Check against scatters computed before and after merging."""
    rng = np.random.default_rng(2)

    def scatter(Z):
        return ((Z - Z.mean(axis=0)) ** 2).sum()

    for p, q in ((1, 1), (3, 7), (20, 2)):
        A, B = rng.normal(size=(p, 3)), 2 + rng.normal(size=(q, 3))
        rise = scatter(np.vstack([A, B])) - scatter(A) - scatter(B)
        expect_close(answer(p, A.mean(axis=0), q, B.mean(axis=0)), rise, f"the price of merging {p} and {q} points")


@exercise("bad_start", wrong={
    "a start that is found right": lambda: (np.array([0.0, 0, 0, 0, 9, 9, 9, 9]), np.array([0.0, 9.0])),
    "seven points": lambda: (np.array([-6.9, 0, 0, 0, 0, 0, 1]), np.array([-1.0, 1.0])),
    "a factor of ten only": lambda: (np.array([-2.9, 0, 0, 0, 0, 0, 0, 1.0]), np.array([-1.0, 1.0])),
})
def bad_start(answer):
    """Run Lloyd's algorithm from the answer and compare with the best split of the sorted points."""
    points, centers = (np.asarray(part, float) for part in answer())
    assert points.shape == (8,) and centers.shape == (2,), f"8 points and 2 centers are asked for, got {points.shape} and {centers.shape}"
    ordered = np.sort(points)  # on a line the best clusters are intervals
    best = min(((ordered[:i] - ordered[:i].mean()) ** 2).sum() + ((ordered[i:] - ordered[i:].mean()) ** 2).sum() for i in range(1, 8))
    assert best > 1e-9 * np.ptp(points) ** 2, "let the least J be positive: the points have only two places"
    reached = lloyd(points[:, None], centers[:, None]).history[-1]
    assert reached > 20 * best, f"Lloyd's algorithm ends at {reached / best:.3g} times the least J; more than 20 is asked for"
    return f"passed: {reached / best:.3g} times the least J"


@exercise("extra_column", wrong={
    "nothing new": lambda X: X[:, 0],
    "too small": lambda X: 0.1 * (X**2).sum(axis=1),
    "the angle": lambda X: np.arctan2(X[:, 1], X[:, 0]),
})
def extra_column(answer):
    """Cluster the three columns from many starts and compare with the rings."""
    X, ring = datasets.make_rings(160, radii=(1.0, 3.0), rng=3)
    column = np.asarray(answer(X), float)
    assert column.shape == (160,), f"the column should have shape (160,), got {column.shape}"
    assert np.allclose(answer(X[::-1]), column[::-1]), "the entry of a row must depend on that row alone"
    labels = KMeans(2, n_init=20, random_state=0).fit(np.column_stack([X, column])).labels_
    share = purity(labels, ring)
    assert share == 1, f"the purity is {share:.2f}, not 1"


@exercise("reduced_objective", wrong={
    "the hard minimum": lambda squared, m: squared.min(axis=1).sum(),
    "exponent 2/(m-1) on squared distances": lambda squared, m: ((squared ** (-2 / (m - 1))).sum(axis=1) ** (1 - m)).sum(),
    "equal degrees": lambda squared, m: (squared.shape[1] ** (-m) * squared).sum(),
})
def reduced_objective(answer):
    """Check against the objective at the best degrees, and near the hard limit."""
    squared = np.random.default_rng(3).uniform(0.2, 5, size=(9, 4))
    for m in (1.5, 2.0, 3.0):
        r = memberships(squared, m)
        expect_close(answer(squared, m), (r**m * squared).sum(), f"J_m for m = {m}")
    expect_close(answer(squared, 1.05), squared.min(axis=1).sum(), "J_m for m near 1", rtol=0.05)
