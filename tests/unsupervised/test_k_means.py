"""k-means and its relatives: mathematics by second routes, degenerate data, scikit-learn."""

import itertools
import warnings

import numpy as np
import pytest
import sklearn.cluster
import sklearn.metrics
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, load_iris

from mlcore import datasets
from mlcore.base import ConvergenceWarning, NotFittedError
from mlcore.unsupervised import k_means as km
from mlcore.unsupervised.k_means.iteration import _nearest
from mlcore.unsupervised.k_means.seeding import SEEDINGS

SIX = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
IRIS, SPECIES = load_iris(return_X_y=True)


def random_problem(seed, n=60, d=3, k=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 2 * rng.normal(size=(k, d))[rng.integers(k, size=n)]
    return X, km.random_seeding(X, k, rng), rng


def best_distortion_by_enumeration(X, k):
    """Least distortion over all labelings: the oracle for tiny data."""
    best = np.inf
    for labels in itertools.product(range(k), repeat=len(X)):
        labels = np.array(labels)
        J = sum(((X[labels == j] - X[labels == j].mean(axis=0)) ** 2).sum() for j in set(labels.tolist()))
        best = min(best, J)
    return best


# ---------------------------------------------------------------- Lloyd's iteration


@pytest.mark.parametrize("seed", range(5))
def test_assign_is_the_nearest_center_by_brute_force(seed):
    X, centers, _ = random_problem(seed)
    squared = np.array([[((x - c) ** 2).sum() for c in centers] for x in X])
    labels, got = km.assign(X, centers)
    assert_array_equal(labels, squared.argmin(axis=1))
    assert_allclose(got, squared.min(axis=1), rtol=1e-12, atol=1e-12)


def test_assign_keeps_its_digits_far_from_the_origin():
    X, centers, _ = random_problem(1)
    labels, squared = km.assign(X + 1e7, centers + 1e7)
    assert_array_equal(labels, km.assign(X, centers)[0])
    assert_allclose(squared, km.assign(X, centers)[1], rtol=1e-6, atol=1e-7)


def test_assign_keeps_small_distances_beside_a_center_far_away():
    labels, squared = km.assign(np.array([[0.3], [0.6]]), np.array([[0.0], [1e8]]))
    assert labels.tolist() == [0, 0]
    assert_allclose(squared, [0.09, 0.36], rtol=1e-12)


def test_ties_go_to_the_lower_index():
    assert km.assign(np.array([[0.0], [0.0]]), np.array([[1.0], [-1.0]]))[0].tolist() == [0, 0]


def test_ties_between_integers_are_exact_whatever_the_mean():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, size=(3000, 6)).astype(float)
    X[:, 5] = 7  # a constant column
    centers = X[:10]
    squared = ((X[:, None] - centers) ** 2).sum(axis=2)
    ordered = np.sort(squared, axis=1)
    assert (ordered[:, 0] == ordered[:, 1]).sum() > 50
    assert_array_equal(km.assign(X, centers)[0], squared.argmin(axis=1))
    assert_array_equal(km.lloyd(X, centers, max_iter=0).labels, squared.argmin(axis=1))


def test_assignment_in_blocks_equals_assignment_at_once():
    X, centers, _ = random_problem(3, n=1000)
    whole, blocks = _nearest(X, centers), _nearest(X, centers, block=64)
    assert_array_equal(whole[0], blocks[0])
    assert_allclose(whole[1], blocks[1], rtol=1e-12)


def test_move_is_the_mean_and_the_mean_minimizes_the_distortion():
    X, centers, rng = random_problem(2)
    labels = km.assign(X, centers)[0]
    means = km.move(X, labels, centers)
    assert_allclose(means, [X[labels == j].mean(axis=0) for j in range(5)], rtol=1e-12)
    for _ in range(20):
        other = means + 0.1 * rng.normal(size=means.shape)
        assert km.distortion(X, labels, other) > km.distortion(X, labels, means)


@pytest.mark.parametrize("seed", range(20))
def test_distortion_never_rises_in_either_half_step(seed):
    X, centers, _ = random_problem(seed, k=8)
    values = [J for *_, J in km.lloyd_steps(X, centers)]
    assert (np.diff(values) <= 1e-12 * values[0]).all()
    assert len(values) >= 3


@pytest.mark.parametrize("seed", range(10))
def test_history_equals_the_distortions_of_the_steps(seed):
    X, centers, _ = random_problem(seed)
    run, steps = km.lloyd(X, centers), list(km.lloyd_steps(X, centers))
    assert_allclose(run.history, [J for *_, J in steps], rtol=1e-10)
    assert_allclose(run.centers, steps[-1][2], rtol=1e-12)
    assert_array_equal(run.labels, steps[-1][1])
    assert run.converged and run.n_iter == (len(steps) - 1) // 2


def test_the_six_points_of_the_chapter():
    run = km.lloyd(SIX, np.array([[0.0], [1.0]]))
    assert_allclose(run.history, [303, 110.8, 50.32, 4, 4], rtol=1e-12)
    assert_allclose(run.centers, [[1], [11]], rtol=1e-12)


def test_a_fixed_point_can_be_arbitrarily_bad():
    for width in (2.0, 10.0, 1000.0):
        X = np.array([[0, 0], [0, 1], [width, 0], [width, 1]], float)
        stuck = km.lloyd(X, np.array([[width / 2, 0], [width / 2, 1]]))
        assert stuck.n_iter == 1
        assert_allclose(km.distortion(X, stuck.labels, stuck.centers), width**2, rtol=1e-12)
        assert_allclose(best_distortion_by_enumeration(X, 2), 1, rtol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_many_starts_find_the_global_optimum_of_tiny_data(seed):
    X = np.random.default_rng(seed).normal(size=(8, 2))
    model = km.KMeans(3, n_init=50, tol=0, random_state=0).fit(X)
    assert_allclose(model.distortion_, best_distortion_by_enumeration(X, 3), rtol=1e-12)


@pytest.mark.parametrize(("n", "d", "k"), [(150, 4, 3), (500, 2, 7), (2000, 16, 10), (300, 5, 40)])
def test_same_result_as_scikit_learn_from_the_same_centers(n, d, k):
    X, centers, _ = random_problem(n, n=n, d=d, k=k)
    ours = km.KMeans(k, init=centers, tol=0).fit(X)
    theirs = sklearn.cluster.KMeans(k, init=centers, n_init=1, tol=0).fit(X)
    assert_allclose(ours.centers_, theirs.cluster_centers_, rtol=0, atol=1e-10)
    assert_array_equal(ours.labels_, theirs.labels_)
    assert_allclose(ours.distortion_, theirs.inertia_, rtol=1e-12)
    assert_allclose(ours.transform(X), theirs.transform(X), atol=1e-7)


def test_empty_cluster_takes_the_farthest_point_as_in_scikit_learn():
    X, _ = datasets.make_blobs(90, rng=0)
    centers = np.array([[-2.0, 0.0], [2.0, 0.0], [50.0, 50.0]])  # the third center is nobody's nearest
    labels, squared = km.assign(X, centers)
    assert 2 not in labels
    served = km.refill_empty(X, labels, centers)
    assert np.flatnonzero(served != labels).tolist() == [squared.argmax()]
    ours = km.KMeans(3, init=centers, tol=0).fit(X)
    theirs = sklearn.cluster.KMeans(3, init=centers, n_init=1, tol=0).fit(X)
    assert_allclose(ours.centers_, theirs.cluster_centers_, rtol=0, atol=1e-10)
    assert (np.diff(ours.history_) <= 1e-9).all()
    assert np.bincount(ours.labels_, minlength=3).all()


def test_a_refill_that_lands_on_a_center_does_not_end_the_run():
    """The first point handed over is a copy of the mean it leaves; the cluster is empty again and must be refilled once more."""
    X = np.array([[0.0], [0.0], [0.0], [10.0], [11.0]])
    centers = np.array([[-5.0], [10.5], [100.0]])
    run = km.lloyd(X, centers)
    assert run.history[-1] == 0 and sorted(np.bincount(run.labels)) == [1, 1, 3]
    assert [J for *_, J in km.lloyd_steps(X, centers)][-1] == 0


def test_fewer_distinct_points_than_clusters():
    X = np.array([[0.0, 0.0]] * 4 + [[1.0, 1.0]] * 3)
    model = km.KMeans(4, random_state=0).fit(X)
    assert model.distortion_ == 0
    assert model.converged_
    assert np.isfinite(model.centers_).all()


def test_refilling_never_robs_a_singleton():
    X = np.array([[0.0], [100.0], [1.0], [2.0]])
    labels = np.array([0, 1, 0, 0])
    served = km.refill_empty(X, labels, np.array([[0.5], [50.0], [900.0]]))
    assert served.tolist() == [0, 1, 0, 2]


def test_k_equal_to_n_and_k_equal_to_one():
    assert km.KMeans(6, random_state=0).fit(SIX).distortion_ == 0
    one = km.KMeans(1).fit(SIX)
    assert_allclose(one.centers_, [[6]], rtol=1e-14)
    assert_allclose(one.distortion_, 6 * SIX.var(), rtol=1e-12)


def test_a_stop_by_tol_leaves_labels_that_predict_gives():
    X, centers, _ = random_problem(7, n=800, k=9)
    early = km.KMeans(9, init=centers, tol=0.05).fit(X)
    full = km.KMeans(9, init=centers, tol=0).fit(X)
    assert early.n_iter_ < full.n_iter_
    assert_array_equal(early.labels_, early.predict(X))


def test_too_few_iterations_warn():
    X, centers, _ = random_problem(7, n=800, k=9)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 .*raise max_iter"):
        model = km.KMeans(9, init=centers, max_iter=1, tol=0).fit(X)
    assert not model.converged_


@pytest.mark.parametrize(("arguments", "message"), [
    ({"n_clusters": 0}, "n_clusters must be an integer >= 1"),
    ({"n_clusters": 7}, "n_clusters=7 is more than the 6 samples"),
    ({"init": "magic"}, "init must be one of 'k-means"),
    ({"init": np.zeros((2, 1))}, r"init must hold n_clusters=3 centers of 1 features, got shape \(2, 1\)"),
    ({"n_init": 0}, "n_init"), ({"tol": -1}, "tol"), ({"max_iter": 0}, "max_iter")])
def test_impossible_parameters_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        km.KMeans(**arguments).fit(SIX)


def test_unfitted_and_wrong_width():
    with pytest.raises(NotFittedError):
        km.KMeans().predict(SIX)
    with pytest.raises(ValueError, match="2 features, but this model was fitted with 1"):
        km.KMeans(2).fit(SIX).predict([[0.0, 1.0]])


def test_score_is_the_adjusted_rand_index():
    X, z = datasets.make_blobs(90, rng=0)
    assert km.KMeans(3, random_state=0).fit(X).score(X, z) == 1.0


# ---------------------------------------------------------------- seeding


def test_one_center_drawn_from_a_cluster_costs_twice_its_scatter():
    X = np.random.default_rng(0).normal(size=(40, 3))
    costs = [((X - x) ** 2).sum() for x in X]
    assert_allclose(np.mean(costs), 2 * ((X - X.mean(axis=0)) ** 2).sum(), rtol=1e-12)


def test_kmeans_plus_plus_draws_in_proportion_to_squared_distance():
    X = np.array([[0.0], [1.0], [3.0]])
    rng, n = np.random.default_rng(0), 20_000
    pairs = np.zeros((3, 3))
    for _ in range(n):
        first, second = km.kmeans_plus_plus(X, 2, rng).ravel().astype(int)
        pairs[{0: 0, 1: 1, 3: 2}[first], {0: 0, 1: 1, 3: 2}[second]] += 1
    expected = np.array([[0, 1 / 10, 9 / 10], [1 / 5, 0, 4 / 5], [9 / 13, 4 / 13, 0]]) / 3
    assert (abs(pairs / n - expected) <= 4 * np.sqrt(expected * (1 - expected) / n)).all()  # four standard errors


@pytest.mark.parametrize("seed", range(20))
def test_a_member_drawn_by_squared_distance_costs_at_most_eight_times_the_scatter(seed):
    """lem-km-eight, the expectation by enumerating every draw, with other centers near and far."""
    rng = np.random.default_rng(seed)
    A = rng.standard_t(2, size=(30, 2))
    D2 = km.assign(A, rng.normal(size=(2, 2)) * 10.0 ** rng.uniform(-1, 2))[1]
    cost = np.minimum(((A[:, None] - A) ** 2).sum(axis=2), D2).sum(axis=1)
    assert cost @ D2 / D2.sum() <= 8 * ((A - A.mean(axis=0)) ** 2).sum()


def test_kmeans_plus_plus_bound_holds_on_average():
    X, _ = datasets.make_blobs(60, centers=((0, 0), (5, 0), (0, 5), (5, 5)), spread=0.5, rng=0)
    rng = np.random.default_rng(0)
    optimum = km.KMeans(4, n_init=30, random_state=0).fit(X).distortion_
    costs = [km.assign(X, km.kmeans_plus_plus(X, 4, rng))[1].sum() for _ in range(300)]
    assert optimum < np.mean(costs) < 8 * (np.log(4) + 2) * optimum


def test_farthest_first_on_iris():
    seeds = km.farthest_first(IRIS, 3, first=0)
    assert [int(np.flatnonzero((row == IRIS).all(axis=1))[0]) for row in seeds] == [0, 118, 106]
    run = km.lloyd(IRIS, seeds)
    assert_allclose(run.history[-1], 78.851441, rtol=1e-7)


def test_farthest_first_is_within_twice_the_best_radius():
    X = np.random.default_rng(5).normal(size=(9, 2))
    best = min(np.sqrt(km.assign(X, X[list(rows)])[1].max()) for rows in itertools.combinations(range(9), 3))
    for first in range(9):
        assert np.sqrt(km.assign(X, km.farthest_first(X, 3, first=first))[1].max()) <= 2 * best + 1e-12


@pytest.mark.parametrize("name", ["k-means++", "random", "farthest", "k-means||"])
def test_every_seeding_gives_rows_of_the_data_and_follows_the_seed(name):
    X, _ = datasets.make_blobs(200, rng=0)
    seed = SEEDINGS[name]
    centers = seed(X, 6, np.random.default_rng(3))
    assert centers.shape == (6, 2)
    assert all((row == X).all(axis=1).any() for row in centers)
    assert len(np.unique(centers, axis=0)) == 6
    assert_array_equal(centers, seed(X, 6, np.random.default_rng(3)))


@pytest.mark.parametrize("name", ["k-means++", "farthest", "k-means||"])
def test_seeding_survives_nothing_but_duplicates(name):
    model = km.KMeans(2, init=name, random_state=0).fit(np.ones((5, 2)))
    assert model.distortion_ == 0


def test_kmeans_parallel_is_close_to_kmeans_plus_plus_and_far_from_uniform():
    X, _ = datasets.make_blobs(600, centers=tuple((4.0 * i, 4.0 * j) for i in range(4) for j in range(4)), rng=0)
    rng = np.random.default_rng(0)
    parallel = np.median([km.assign(X, km.kmeans_parallel(X, 16, rng))[1].sum() for _ in range(30)])
    serial = np.median([km.assign(X, km.kmeans_plus_plus(X, 16, rng))[1].sum() for _ in range(30)])
    uniform = np.median([km.assign(X, km.random_seeding(X, 16, rng))[1].sum() for _ in range(30)])
    assert parallel < 1.5 * serial < uniform


@pytest.mark.parametrize("seed", range(6))
def test_elkan_gives_what_lloyd_gives_from_fewer_distances(seed):
    X, centers, _ = random_problem(seed, n=400, k=12)
    plain, fast = km.lloyd(X, centers), km.elkan(X, centers)
    assert_allclose(fast.centers, plain.centers, rtol=0, atol=1e-12)
    assert_array_equal(fast.labels, plain.labels)
    assert sum(fast.distances_per_round) < 0.6 * len(X) * 12 * len(fast.distances_per_round)
    assert max(fast.distances_per_round[1:]) <= len(X) * 12 + 12 * 11 // 2


# ---------------------------------------------------------------- fuzzy, kernel, medians


def test_memberships_minimize_the_objective_for_fixed_centers():
    rng = np.random.default_rng(0)
    for m in (1.3, 2.0, 3.5):
        squared = rng.uniform(0.1, 4, size=(6, 4))
        r = km.memberships(squared, m)
        assert_allclose(r.sum(axis=1), 1, rtol=1e-12)
        gradient = m * r ** (m - 1) * squared  # equal along a row: the Lagrange condition
        assert_allclose(gradient, gradient[:, :1] * np.ones(4), rtol=1e-10)
        for _ in range(50):
            other = rng.dirichlet(np.ones(4), size=6)
            assert (other**m * squared).sum() >= (r**m * squared).sum()


def test_memberships_of_the_chapter_and_of_a_point_on_a_center():
    assert_allclose(km.memberships(np.array([[1.0, 4.0]]), 2), [[0.8, 0.2]], rtol=1e-12)
    assert_allclose(km.memberships(np.array([[0.0, 4.0, 0.0]]), 2), [[0.5, 0, 0.5]])


@pytest.mark.parametrize("m", [1.2, 2.0, 3.0])
def test_fuzzy_objective_never_rises(m):
    X, _, _ = random_problem(3)
    model = km.FuzzyKMeans(4, m=m, random_state=0).fit(X)
    assert (np.diff(model.history_) <= 1e-12 * model.history_[0]).all()
    squared = ((X[:, None] - model.centers_) ** 2).sum(axis=2)
    assert_allclose((model.memberships_**m * squared).sum(), model.objective_, rtol=1e-6)
    assert_allclose(km.fuzzy_centers(X, model.memberships_, m, model.centers_), model.centers_, atol=1e-3)


def test_fuzzy_limits():
    X, z = datasets.make_blobs(90, rng=0)
    hard = km.KMeans(3, random_state=0).fit(X)
    nearly_hard = km.FuzzyKMeans(3, m=1.02, random_state=0).fit(X)
    assert_allclose(sorted(nearly_hard.centers_.tolist()), sorted(hard.centers_.tolist()), atol=1e-6)
    vague = km.FuzzyKMeans(3, m=600.0, random_state=0).fit(X)
    assert_allclose(vague.memberships_.max(axis=1).mean(), 1 / 3, atol=0.005)
    squared = ((X[:, None] - vague.centers_) ** 2).sum(axis=2)
    weights = np.exp(np.log(squared).mean(axis=1))[:, None] / squared  # eq-km-vague: the centers do not meet
    assert_allclose((3 * vague.memberships_) ** 600.0, weights, rtol=0.1)
    assert weights.max() > 10
    assert km.adjusted_rand_index(nearly_hard.predict(X), z) == 1


def test_the_printed_fuzzy_exponent_breaks_monotonicity():
    """The box of the notes uses squared norms with exponent 2/(m-1): twice the right exponent."""
    X, centers, _ = random_problem(0)
    rises = 0
    for m in (2.0, 3.0):
        c, history = centers, []
        for _ in range(100):
            squared = ((X[:, None] - c) ** 2).sum(axis=2)
            r = km.memberships(squared**2, m)
            history.append((r**m * squared).sum())
            c = km.fuzzy_centers(X, r, m, c)
        rises += (np.diff(history) > 1e-9).any()
    assert rises >= 1


def test_fuzzy_refuses_m_of_one():
    with pytest.raises(ValueError, match="m must be a number > 1"):
        km.FuzzyKMeans(m=1.0).fit(SIX)
    for step in (lambda m: km.memberships([[1.0, 4.0]], m), lambda m: km.fuzzy_centers([[1.0]], [[1.0]], m, [[1.0]])):
        with pytest.raises(ValueError, match="m must be a number > 1"):
            step(1.0)


def test_memberships_refuse_negative_distances():
    with pytest.raises(ValueError, match="squared distances, which are not negative, got -4"):
        km.memberships([[1.0, -4.0]], 2)


def test_kernel_distances_are_distances_in_feature_space():
    X = np.random.default_rng(0).normal(size=(12, 2))
    phi = np.column_stack([X[:, 0] ** 2, np.sqrt(2) * X[:, 0] * X[:, 1], X[:, 1] ** 2])  # of the kernel (x.z)^2
    labels = np.arange(12) % 3
    means = np.array([phi[labels == j].mean(axis=0) for j in range(3)])
    assert_allclose(km.feature_distances((X @ X.T) ** 2, labels, 3), ((phi[:, None] - means) ** 2).sum(axis=2), atol=1e-10)


def test_linear_kernel_is_plain_k_means():
    X, z = datasets.make_blobs(90, rng=1)
    kernel = km.KernelKMeans(3, kernel="linear", random_state=0).fit(X)
    plain = km.KMeans(3, random_state=0).fit(X)
    assert km.adjusted_rand_index(kernel.labels_, plain.labels_) == 1
    assert_allclose(kernel.distortion_, plain.distortion_, rtol=1e-10)
    new = np.random.default_rng(2).normal(size=(50, 2)) * 2
    assert km.adjusted_rand_index(kernel.predict(new), plain.predict(new)) == 1


@pytest.mark.parametrize("sigma", [0.5, 1.0, 2.0])
def test_kernel_distortion_never_rises_and_predict_repeats_the_labels(sigma):
    X, _ = datasets.make_rings(120, radii=(1.0, 3.0), rng=3)
    model = km.KernelKMeans(2, sigma=sigma, random_state=0).fit(X)
    assert (np.diff(model.history_) <= 1e-10 * model.history_[0]).all()
    assert_array_equal(model.predict(X), model.labels_)


def test_kernel_k_means_separates_rings_that_k_means_cuts():
    X, z = datasets.make_rings(300, radii=(1.0, 3.0), rng=3)
    assert km.purity(km.KernelKMeans(2, sigma=1.0, n_init=20, random_state=0).fit(X).labels_, z) == 1
    assert km.purity(km.KMeans(2, random_state=0).fit(X).labels_, z) < 0.6


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_kernel_k_means_with_fewer_distinct_points_than_clusters(kernel):
    X = np.repeat(np.random.default_rng(0).normal(size=(3, 2)), 7, axis=0)
    model = km.KernelKMeans(5, kernel=kernel, random_state=0).fit(X)
    assert model.converged_
    assert_allclose(model.distortion_, 0, atol=1e-12)
    assert len(np.unique(model.labels_)) == 3


def test_a_kernel_of_ones_own():
    def square(A, B):
        return (A @ B.T) ** 2

    X = datasets.make_blobs(30, rng=0)[0]
    assert km.KernelKMeans(2, kernel=square, random_state=0).fit(X).converged_
    with pytest.raises(ValueError, match=r"must return an array of shape \(30, 30\), got \(30, 2\)"):
        km.KernelKMeans(2, kernel=lambda A, B: A).fit(X)


def test_rbf_kernel_has_the_width_sigma():
    def formula(A, B):
        return np.exp(-((A[:, None] - B) ** 2).sum(axis=2) / (2 * 0.7**2))

    X, new = datasets.make_rings(60, radii=(1.0, 3.0), rng=3)[0], np.random.default_rng(1).normal(size=(20, 2))
    named = km.KernelKMeans(2, sigma=0.7, random_state=0).fit(X)
    own = km.KernelKMeans(2, kernel=formula, random_state=0).fit(X)
    assert_allclose(named.history_, own.history_, rtol=1e-10)
    assert_array_equal(named.predict(new), own.predict(new))
    for options, message in (({"sigma": 0.0}, "sigma must be a number > 0, got 0.0"), ({"kernel": "gauss"}, "kernel must be one of")):
        with pytest.raises(ValueError, match=message):
            km.KernelKMeans(2, **options).fit(X)


def test_inner_product_assignment_is_not_k_means():
    """The notes assign by the largest inner product; from the right partition the distortion jumps from 0.16 to 24.16."""
    x = np.array([[1.0], [1.2], [0.8], [5.0], [5.2], [4.8]])
    labels = np.array([0, 0, 0, 1, 1, 1])
    K = x @ x.T
    rows = np.arange(6)
    assert_allclose(km.feature_distances(K, labels, 2)[rows, labels].sum(), 0.16, rtol=1e-10)
    A = (labels[:, None] == np.arange(2)) / 3
    printed = (K @ A).argmax(axis=1)
    assert printed.tolist() == [1] * 6
    assert_allclose(km.feature_distances(K, printed, 2)[rows, printed].sum(), 24.16, rtol=1e-10)
    assert km.kernel_lloyd(K, labels, 2)[0].tolist() == labels.tolist()


@pytest.mark.filterwarnings("ignore::mlcore.base.ConvergenceWarning")
@pytest.mark.parametrize("max_iter", [1, 2, 300])
def test_objective_belongs_to_the_labels_and_centers_also_when_stopped_early(max_iter):
    X = np.random.default_rng(0).normal(size=(300, 2))
    arguments = {"max_iter": max_iter, "n_init": 1, "random_state": 0}
    medians = km.KMedians(8, **arguments).fit(X)
    assert_allclose(medians.objective_, np.abs(X - medians.centers_[medians.labels_]).sum(), rtol=1e-12)
    fuzzy = km.FuzzyKMeans(8, **arguments).fit(X)
    squared = ((X[:, None] - fuzzy.centers_) ** 2).sum(axis=2)
    assert_allclose(fuzzy.objective_, (fuzzy.memberships_**2 * squared).sum(), rtol=1e-10)
    kernel = km.KernelKMeans(8, kernel="linear", **arguments).fit(X)
    groups = [X[kernel.labels_ == j] for j in range(8)]
    assert_allclose(kernel.distortion_, sum(((g - g.mean(axis=0)) ** 2).sum() for g in groups), rtol=1e-8)
    assert max(medians.n_iter_, fuzzy.n_iter_, kernel.n_iter_) <= max_iter


def test_medians_minimize_the_manhattan_objective_and_resist_an_outlier():
    blobs, z = datasets.make_blobs(90, rng=0)
    X = np.vstack([blobs, [[30.0, 30.0]]])
    assert km.adjusted_rand_index(km.KMeans(3, n_init=20, random_state=0).fit(X).labels_[:90], z) < 0.8
    assert km.KMedians(3, n_init=20, random_state=0).fit(X).score(blobs, z) == 1
    model = km.KMedians(3, n_init=20, random_state=0).fit(X)
    assert (np.diff(model.history_) <= 1e-9).all()
    assert_allclose(model.objective_, np.abs(X - model.centers_[model.labels_]).sum(), rtol=1e-12)
    for j in range(3):
        assert_allclose(model.centers_[j], np.median(X[model.labels_ == j], axis=0))
    assert_array_equal(model.predict(X), model.labels_)


# ---------------------------------------------------------------- distances


def test_distances_against_scipy():
    from scipy.spatial import distance

    x, z = IRIS[0], IRIS[60]
    for p in (1, 1.5, 2, 4):
        assert_allclose(km.minkowski(x, z, p), distance.minkowski(x, z, p), rtol=1e-12)
    assert_allclose(km.minkowski(x, z, np.inf), distance.chebyshev(x, z), rtol=1e-12)
    S = np.cov(IRIS.T)
    assert_allclose(km.mahalanobis(x, z, S), distance.mahalanobis(x, z, np.linalg.inv(S)), rtol=1e-10)
    assert_allclose(km.mahalanobis(IRIS[0], IRIS[1], S), 1.354457, atol=5e-7)


def test_mahalanobis_ignores_the_units():
    scale = np.array([10.0, 0.01, 3.0, 1.0])
    assert_allclose(km.mahalanobis(IRIS[0] * scale, IRIS[1] * scale, np.cov((IRIS * scale).T)),
                    km.mahalanobis(IRIS[0], IRIS[1], np.cov(IRIS.T)), rtol=1e-9)


def test_distance_errors():
    with pytest.raises(ValueError, match="positive definite"):
        km.mahalanobis([0, 0], [1, 1], np.ones((2, 2)))
    with pytest.raises(ValueError, match="p must be a number >= 1"):
        km.minkowski([0], [1], 0.5)
    with pytest.raises(ValueError, match="'green' does not occur"):
        km.value_difference("red", "green", ["red", "blue"], [0, 1])


def test_value_difference_by_hand():
    colors, clusters = list("rrrrbbgg"), [0, 0, 0, 1, 1, 1, 0, 1]
    assert_allclose(km.value_difference("r", "b", colors, clusters, p=2), 0.75**2 + 0.75**2)
    assert km.value_difference("r", "r", colors, clusters) == 0
    assert_allclose(km.mixed_distance([1.0, "r"], [4.0, "b"], 1, [colors], clusters), np.sqrt(9 + 2 * 0.75**2))


# ---------------------------------------------------------------- quality and number of clusters


@pytest.mark.parametrize("seed", range(5))
def test_external_measures_against_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    u, v = rng.integers(4, size=70), rng.integers(6, size=70)
    v[:40] = u[:40]
    a, b, c, d = km.pair_counts(u, v)
    (dd, second), (first, both) = sklearn.metrics.cluster.pair_confusion_matrix(u, v) // 2
    assert (a, b, c, d) == (both, first, second, dd)
    assert_allclose(km.rand_index(u, v), sklearn.metrics.rand_score(u, v), rtol=1e-12)
    assert_allclose(km.adjusted_rand_index(u, v), sklearn.metrics.adjusted_rand_score(u, v), rtol=1e-12)
    assert_allclose(km.fowlkes_mallows(u, v), sklearn.metrics.fowlkes_mallows_score(u, v), rtol=1e-12)
    for average in ("arithmetic", "geometric", "min", "max"):
        assert_allclose(km.normalized_mutual_information(u, v, average),
                        sklearn.metrics.normalized_mutual_info_score(u, v, average_method=average), rtol=1e-10)
    table = sklearn.metrics.cluster.contingency_matrix(u, v)
    assert_array_equal(km.contingency(u, v), table)
    assert_allclose(km.purity(u, v), table.max(axis=1).sum() / 70)


def test_pair_counts_by_enumeration():
    rng = np.random.default_rng(0)
    u, v = rng.integers(3, size=15), rng.integers(3, size=15)
    counts = [0, 0, 0, 0]
    for i, j in itertools.combinations(range(15), 2):
        counts[2 * (u[i] != u[j]) + (v[i] != v[j])] += 1
    assert list(km.pair_counts(u, v)) == counts


def test_adjusted_rand_is_zero_on_average_for_random_labels():
    rng = np.random.default_rng(0)
    u = np.arange(60) % 3
    values = np.array([km.adjusted_rand_index(u, rng.permutation(u)) for _ in range(2000)])
    assert abs(values.mean()) < 4 * values.std() / np.sqrt(2000)
    assert np.mean([km.rand_index(u, rng.permutation(u)) for _ in range(50)]) > 0.5  # the plain index is not


def test_trivial_partitions():
    ones, each = np.zeros(5, int), np.arange(5)
    for measure in (km.rand_index, km.adjusted_rand_index, km.jaccard_index, km.fowlkes_mallows, km.purity,
                    km.normalized_mutual_information):
        assert measure(each, each) == 1 and measure(ones, ones) == 1
    assert km.normalized_mutual_information(ones, each) == 0
    assert km.adjusted_rand_index(ones, each) == 0
    with pytest.raises(ValueError, match="equal length"):
        km.rand_index([0, 1], [0, 1, 2])


@pytest.mark.parametrize("k", [2, 3, 6])
def test_internal_measures_against_scikit_learn_and_brute_force(k):
    labels = km.KMeans(k, random_state=0).fit(IRIS).labels_
    assert_allclose(km.silhouette_samples(IRIS, labels, chunk=37), sklearn.metrics.silhouette_samples(IRIS, labels), atol=1e-12)
    assert_allclose(km.davies_bouldin(IRIS, labels), sklearn.metrics.davies_bouldin_score(IRIS, labels), rtol=1e-10)
    groups = [IRIS[labels == j] for j in range(k)]
    spread = [np.mean([np.linalg.norm(x - z) for x, z in itertools.combinations(g, 2)]) for g in groups]
    means = [g.mean(axis=0) for g in groups]
    worst = [max((spread[i] + spread[j]) / np.linalg.norm(means[i] - means[j]) for j in range(k) if j != i) for i in range(k)]
    assert_allclose(km.davies_bouldin(IRIS, labels, spread="pairwise"), np.mean(worst), rtol=1e-10)
    diameter = max(np.linalg.norm(x - z) for g in groups for x, z in itertools.combinations(g, 2))
    between = min(np.linalg.norm(x - z) for g, h in itertools.combinations(groups, 2) for x in g for z in h)
    assert_allclose(km.dunn_index(IRIS, labels), between / diameter, rtol=1e-10)


def test_silhouette_of_a_singleton_is_zero():
    assert km.silhouette_samples([[0.0], [1.0], [9.0]], [0, 0, 1])[2] == 0


def test_internal_measures_refuse_degenerate_labels():
    for measure in (km.silhouette_score, km.davies_bouldin, km.dunn_index):
        with pytest.raises(ValueError, match="labels hold 1 clusters of 6 samples"):
            measure(SIX, np.zeros(6))
    with pytest.raises(ValueError, match="diameter zero"):
        km.dunn_index([[0.0], [0.0], [1.0]], [0, 0, 1])


def test_iris_table_of_the_chapter():
    a, b, c, d = km.pair_counts(km.KMeans(3, n_init=50, random_state=0).fit(IRIS).labels_, SPECIES)
    assert (a, b, c, d) == (3075, 744, 600, 6756)
    assert_allclose(km.distortion_curve(IRIS, range(1, 7), n_init=50, rng=0),
                    [681.371, 152.348, 78.851, 57.228, 46.446, 39.040], atol=6e-4)


def test_gap_statistic_counts_blobs_and_finds_none_in_noise():
    X, _ = datasets.make_blobs(150, rng=1)
    assert km.gap_statistic(X, 5, n_references=10, rng=0).k == 3
    noise = np.random.default_rng(0).uniform(size=(150, 2))
    assert km.gap_statistic(noise, 5, n_references=10, rng=0).k == 1
    with pytest.raises(ValueError, match="lower k_max"):
        km.gap_statistic([[0.0], [0.0], [0.0], [1.0]], 3)


# ---------------------------------------------------------------- self-organizing map


def test_som_step_with_a_tiny_radius_moves_the_winner_alone():
    places, w = km.lattice(2, 2), np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    new = km.som_step(w, places, np.array([0.8, 0.1]), rate=0.5, radius=1e-3)
    assert_allclose(new, [[0, 0], [0.9, 0.05], [0, 1], [1, 1]], atol=1e-12)


def test_som_with_rate_one_over_count_is_the_running_mean():
    X = np.random.default_rng(0).normal(size=(30, 2))
    w = np.array([[5.0, 5.0]])
    for t, x in enumerate(X, start=1):
        w = km.som_step(w, km.lattice(1, 1), x, rate=1 / t, radius=1.0)
    assert_allclose(w[0], X.mean(axis=0), atol=1e-12)


def test_lattice_map_is_ordered_and_the_printed_variant_is_not():
    X = np.random.default_rng(0).uniform(size=(600, 2))
    ordered = km.SelfOrganizingMap(grid=(6, 6), n_steps=4000, random_state=0).fit(X)
    printed = km.SelfOrganizingMap(grid=(6, 6), n_steps=4000, radius=(0.05, 0.02), neighborhood="input", random_state=0).fit(X)
    assert ordered.topographic_error(X) < 0.1 < 0.6 < printed.topographic_error(X)
    assert ordered.history_[-1] < ordered.history_[0]
    assert ordered.transform(X).shape == (600, 2)
    assert ordered.u_matrix().shape == (6, 6)


def test_wide_input_neighborhood_collapses_the_prototypes():
    X, _ = datasets.make_blobs(150, rng=0)
    collapsed = km.SelfOrganizingMap(grid=(1, 6), n_steps=3000, radius=(10.0, 10.0), neighborhood="input", random_state=0).fit(X)
    assert np.ptp(collapsed.prototypes_, axis=0).max() < 1e-6


def test_som_errors():
    with pytest.raises(ValueError, match="grid must be an integer >= 1"):
        km.SelfOrganizingMap(grid=(0, 3)).fit(SIX)
    with pytest.raises(ValueError, match="rate must be a number > 0 and <= 1"):
        km.SelfOrganizingMap(rate=(2.0, 0.1)).fit(SIX)
    with pytest.raises(ValueError, match="neighborhood must be one of"):
        km.SelfOrganizingMap(neighborhood="hexagonal").fit(SIX)


@pytest.mark.parametrize("model", [km.KMeans(random_state=1), km.FuzzyKMeans(random_state=1), km.KernelKMeans(random_state=1),
                                   km.KMedians(random_state=1), km.SelfOrganizingMap(random_state=1)], ids=lambda m: type(m).__name__)
def test_fit_is_repeatable_and_leaves_its_input_alone(model):
    X = datasets.make_blobs(30, rng=0)[0]
    X.setflags(write=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first = model.fit_predict(X)
        assert_array_equal(model.fit_predict(X), first)
        assert_array_equal(model.predict(X), first)


def test_digits_cluster_better_than_chance():
    X, digits = load_digits(return_X_y=True)
    labels = km.KMeans(10, n_init=5, random_state=0).fit(X).labels_
    assert 0.6 < km.adjusted_rand_index(labels, digits) < 0.75
