"""Neighbors and kernel smoothing: exact search, votes, smoothers, their bias and variance, leave-one-out, densities."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, spatial, stats
from sklearn import datasets
from sklearn import neighbors as reference

from mlcore.supervised.linear_regression import LocallyWeightedRegression, weighted_least_squares
from mlcore.supervised.neighbors_and_kernel_regression import (
    KERNELS,
    KDTree,
    KernelDensity,
    KernelRegression,
    KNeighborsClassifier,
    KNeighborsRegressor,
    bandwidth_grid,
    k_nearest,
    kernel_moment,
    kernel_profile,
    knn_loo_errors,
    log_kernel_density,
    loo_error,
    loo_fit,
    loo_log_likelihood,
    loo_shortcut,
    smooth,
    smoother_matrix,
    smoothing_constants,
    vote,
)

METRICS = ("euclidean", "manhattan", "chebyshev")


def brute_force(X, Q, k, metric, exclude_self=False):
    """Oracle: sort all rows by (distance, row number), one query at a time."""
    length = {"euclidean": lambda v: np.sqrt((v**2).sum(axis=1)), "manhattan": lambda v: np.abs(v).sum(axis=1),
              "chebyshev": lambda v: np.abs(v).max(axis=1)}[metric]
    rows = []
    for i, q in enumerate(Q):
        ranked = sorted((d, j) for j, d in enumerate(length(X - q)) if not (exclude_self and i == j))
        rows.append([j for _, j in ranked[:k]])
    return np.array(rows)


def wave(rng, n=40, noise=0.3):
    x = np.sort(rng.uniform(0, 3, size=n))
    return x[:, None], np.sin(2 * x) + noise * rng.normal(size=n)


# ---- search -------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("n, k", [(7, 3), (7, 7), (400, 1), (400, 9), (1500, 4)])
def test_k_nearest_is_brute_force(metric, n, k):
    rng = np.random.default_rng(n + k)
    X, Q = rng.normal(size=(n, 3)), rng.normal(size=(40, 3))
    distances, index = k_nearest(X, Q, k, metric)
    assert_array_equal(index, brute_force(X, Q, k, metric))
    assert (np.diff(distances, axis=1) >= 0).all()


@pytest.mark.parametrize("metric", METRICS)
def test_ties_go_to_the_lowest_row(metric):
    rng = np.random.default_rng(3)
    X, Q = rng.integers(0, 4, size=(600, 3)).astype(float), rng.integers(0, 4, size=(50, 3)).astype(float)
    assert_array_equal(k_nearest(X, Q, 6, metric)[1], brute_force(X, Q, 6, metric))
    assert_array_equal(k_nearest(X, X, 6, metric, exclude_self=True)[1], brute_force(X, X, 6, metric, exclude_self=True))


def test_search_far_from_the_origin():
    rng = np.random.default_rng(0)
    X, Q = 1e7 + rng.normal(size=(500, 2)), 1e7 + rng.normal(size=(30, 2))
    assert_array_equal(k_nearest(X, Q, 5)[1], brute_force(X, Q, 5, "euclidean"))


def test_tree_equals_brute_force_and_looks_at_less():
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(2000, 2))
    tree = KDTree(X)
    answers = [tree.query(q, k=4) for q in rng.uniform(size=(30, 2))]
    assert max(a.visited for a in answers) < 200
    Q = rng.uniform(size=(30, 2))
    assert_array_equal([tree.query(q, k=4).index for q in Q], k_nearest(X, Q, 4)[1])
    assert_allclose([tree.query(q, k=4).distances for q in Q], spatial.cKDTree(X).query(Q, k=4)[0])


@pytest.mark.parametrize("n, d, leaf_size", [(1, 1, 8), (7, 2, 1), (30, 3, 4), (500, 1, 8), (700, 5, 16)])
def test_queries_in_step_find_what_single_queries_find(n, d, leaf_size):
    rng = np.random.default_rng(n)
    X, Q = rng.integers(0, 6, size=(n, d)) / 2, rng.integers(-1, 8, size=(150, d)) / 2     # many ties, and more than one batch
    tree = KDTree(X, leaf_size)
    for k in {1, min(4, n), n}:
        distances, index = tree.query_many(Q, k)
        single = [tree.query(q, k) for q in Q]
        assert_array_equal(index, [answer.index for answer in single])
        assert_array_equal(index, brute_force(X, Q, k, "euclidean"))
        assert_allclose(distances, [answer.distances for answer in single], rtol=1e-12)


def test_tree_with_ties_and_duplicates():
    X = np.random.default_rng(2).integers(0, 3, size=(300, 2)).astype(float)
    Q = np.array([[1.0, 1.0], [0.5, 0.5], [5.0, 5.0]])
    assert_array_equal([KDTree(X, leaf_size=4).query(q, k=7).index for q in Q], brute_force(X, Q, 7, "euclidean"))
    assert KDTree(np.ones((20, 2)), leaf_size=3).query([1.0, 1.0], k=2).index.tolist() == [0, 1]


@pytest.mark.parametrize("call, message", [
    (lambda: k_nearest([[0.0], [1.0]], [[0.0]], 3), "k must be an integer >= 1 and <= 2, got 3"),
    (lambda: k_nearest([[0.0], [1.0]], [[0.0], [1.0]], 2, exclude_self=True), "<= 1, got 2"),
    (lambda: k_nearest([[0.0], [1.0]], [[0.0]], 1, exclude_self=True), "exclude_self needs Q = X"),
    (lambda: k_nearest([[0.0, 1.0]], [[0.0]], 1), "Q has 1 features, but this model was fitted with 2"),
    (lambda: k_nearest([[0.0]], [[0.0]], 1, metric="cosine"), "metric must be one of"),
    (lambda: KNeighborsRegressor(n_neighbors=4).fit([[0.0], [1.0]], [0.0, 1.0]), "only 2 training rows"),
    (lambda: KNeighborsRegressor(weights="near").fit([[0.0]] * 5, [0.0] * 5), "weights must be one of"),
    (lambda: KNeighborsClassifier().fit([[0.0]] * 5, [0.5] * 5), "fractional"),
    (lambda: smooth([[0.0]], [1.0], [[0.0]], bandwidth=0), "bandwidth must be a number > 0"),
    (lambda: smooth([[0.0]], [1.0], [[0.0]], 1.0, kernel="cosine"), "kernel must be one of"),
    (lambda: smooth([[0.0]], [1.0], [[0.0]], 1.0, order=2), "order must be one of"),
    (lambda: KernelRegression(bandwidth="cv").fit([[0.0], [1.0]], [0.0, 1.0]), "bandwidth must be a number > 0"),
    (lambda: KernelRegression().fit([[1.0], [1.0]], [0.0, 1.0]), "all rows of X are the same point"),
    (lambda: loo_shortcut(np.eye(2), [0.0, 1.0]), "diagonal entry 1"),
    (lambda: loo_shortcut(np.ones((2, 3)) / 3, [0.0, 1.0]), "S must be square"),
    (lambda: KernelDensity(bandwidth=-1).fit([[0.0]]), "bandwidth must be a number > 0"),
    (lambda: knn_loo_errors([[0.0], [1.0]], [0.0, 1.0], k_max=5), "k_max must be an integer >= 1 and <= 1, got 5"),
])
def test_bad_input_is_explained(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# ---- k-NN ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("metric", METRICS)
def test_regressor_agrees_with_scikit_learn(weights, metric):
    X, y = datasets.load_diabetes(return_X_y=True)
    X = X + 1e-4 * np.random.default_rng(4).normal(size=X.shape)  # no ties, which scikit-learn breaks arbitrarily
    ours = KNeighborsRegressor(7, weights, metric).fit(X[:300], y[:300]).predict(X)
    theirs = reference.KNeighborsRegressor(7, weights=weights, metric=metric).fit(X[:300], y[:300]).predict(X)
    assert_allclose(ours, theirs, rtol=1e-9)
    if weights == "distance":
        assert_allclose(ours[:300], y[:300])  # a training row is at distance 0 from itself


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_classifier_agrees_with_scikit_learn_where_the_vote_is_not_tied(weights):
    X, y = datasets.load_digits(return_X_y=True)
    train, test = slice(0, 1200), slice(1200, None)
    ours = KNeighborsClassifier(5, weights).fit(X[train], y[train])
    theirs = reference.KNeighborsClassifier(5, weights=weights, algorithm="brute").fit(X[train], y[train])
    share = ours.predict_proba(X[test])
    assert_allclose(share, theirs.predict_proba(X[test]), atol=1e-12)
    clear = (np.isclose(share, share.max(axis=1, keepdims=True))).sum(axis=1) == 1
    assert clear.sum() > 580
    assert_array_equal(ours.predict(X[test])[clear], theirs.predict(X[test])[clear])


def test_vote_and_its_tie_rule():
    labels = np.array([[0, 1, 1], [2, 0, 1], [1, 0, 0], [1, 2, 2]])
    assert_array_equal(vote(labels, 3), [1, 2, 0, 2])
    assert_array_equal(vote(np.array([[1, 0, 0, 1]]), 2), [1])
    assert_array_equal(vote(np.array([[1, 0, 0]]), 2, np.array([[5.0, 1.0, 1.0]])), [1])


def test_text_labels():
    model = KNeighborsClassifier(1).fit([[0.0], [1.0], [2.0]], ["low", "mid", "high"])
    assert model.predict([[1.9], [0.1]]).tolist() == ["high", "low"]


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_loo_curve_is_refitting_without_each_row(task):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(25, 2))
    y = X[:, 0] + rng.normal(size=25) if task == "regression" else rng.integers(0, 3, size=25)
    Model = KNeighborsRegressor if task == "regression" else KNeighborsClassifier
    for k, error in zip((1, 2, 3, 4), knn_loo_errors(X, y, 4, task), strict=True):
        left_out = [Model(k).fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[i:i + 1])[0] for i in range(25)]
        misses = (np.array(left_out) - y) ** 2 if task == "regression" else np.array(left_out) != y
        assert error == pytest.approx(misses.mean())


def test_knn_shortcut_is_the_loo_of_one_neighbor_less():
    X, y = wave(np.random.default_rng(6))
    k = 5
    _, index = k_nearest(X, X, k)
    S = np.zeros((len(y), len(y)))
    np.put_along_axis(S, index, 1 / k, axis=1)
    assert np.mean(loo_shortcut(S, y) ** 2) == pytest.approx(knn_loo_errors(X, y, k)[k - 2])


def test_one_neighbor_error_obeys_cover_and_hart():
    """x uniform on [0, 1], P(1 | x) = x: Bayes error 1/4, one neighbor 1/3 in the limit, bound 3/8."""
    rng = np.random.default_rng(7)
    draw = lambda n: (lambda x: (x[:, None], (rng.uniform(size=n) < x).astype(int)))(rng.uniform(size=n))  # noqa: E731
    X, y = draw(4000)
    X_new, y_new = draw(20000)
    error = np.mean(KNeighborsClassifier(1).fit(X, y).predict(X_new) != y_new)
    standard_error = np.sqrt(2 / 9 / 4000)
    assert abs(error - 1 / 3) < 4 * standard_error
    assert 1 / 4 < error < 2 * (1 / 4) * (3 / 4)


# ---- kernels ------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("d", [1, 2, 3, 7])
def test_normalizing_constants(name, d):
    kernel = KERNELS[name]
    sphere = d * np.pi ** (d / 2) / _gamma(d / 2 + 1)
    mass = sphere * integrate.quad(lambda r: r ** (d - 1) * kernel.profile(np.asarray(r)), 0, min(kernel.support, 40), limit=200)[0]
    assert kernel.constant(d) * mass == pytest.approx(1, rel=1e-8)


def _gamma(value):
    return integrate.quad(lambda t: t ** (value - 1) * np.exp(-t), 0, np.inf)[0]


@pytest.mark.parametrize("name, mu2, roughness", [
    ("gaussian", 1, 1 / (2 * np.sqrt(np.pi))), ("epanechnikov", 1 / 5, 3 / 5), ("tricube", 35 / 243, 175 / 247), ("boxcar", 1 / 3, 1 / 2)])
def test_known_moments(name, mu2, roughness):
    assert kernel_moment(name, 0) == pytest.approx(1)
    assert kernel_moment(name, 1) == pytest.approx(0, abs=1e-12)
    assert kernel_moment(name, 2) == pytest.approx(mu2)
    assert kernel_moment(name, 0, power=2) == pytest.approx(roughness)
    assert smoothing_constants(name, 0) == pytest.approx((0, mu2, roughness))
    assert smoothing_constants(name, 1) == pytest.approx((0, mu2, roughness))


def test_boundary_constants_of_the_boxcar():
    """On [0, 1] the boxcar at the end gives elementary integrals: mu_j = 1 / (2 (j + 1)), and the squares half of that."""
    assert smoothing_constants("boxcar", 0, c=0) == pytest.approx((1 / 2, 1 / 3, 1))
    assert smoothing_constants("boxcar", 1, c=0) == pytest.approx((0, -1 / 6, 4))


# ---- smoothing ----------------------------------------------------------------------------------------------------

def test_value_of_the_notes():
    assert smooth([[0.0], [1.0], [2.0]], [0.0, 1.0, 4.0], [[1.0]], 1.0)[0] == pytest.approx(1.548137, abs=5e-7)
    t = np.exp(-0.5)
    assert smooth([[0.0], [1.0], [2.0]], [0.0, 1.0, 4.0], [[1.0]], 1.0)[0] == pytest.approx((1 + 4 * t) / (1 + 2 * t))


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("d", [1, 3])
@pytest.mark.parametrize("order", [0, 1])
def test_smoother_solves_the_weighted_least_squares_problem(name, d, order):
    rng = np.random.default_rng(8)
    X, y, Q = rng.uniform(size=(80, d)), rng.normal(size=80), rng.uniform(0.2, 0.8, size=(9, d))
    h = 0.6
    fit = smooth(X, y, Q, h, name, order)
    for q, value in zip(Q, fit, strict=True):
        design = np.column_stack([np.ones(80), X - q])[:, :1 if order == 0 else None]
        weights = kernel_profile(name, np.linalg.norm(X - q, axis=1) / h)
        assert value == pytest.approx(weighted_least_squares(design, y, weights)[0], rel=1e-8)


@pytest.mark.parametrize("name", KERNELS)
def test_rows_reproduce_constants_and_lines(name):
    rng = np.random.default_rng(9)
    X, Q = rng.uniform(size=(60, 2)), rng.uniform(size=(20, 2))
    for order in (0, 1):
        L = smoother_matrix(X, Q, 0.5, name, order)
        assert_allclose(L.sum(axis=1), 1)
    assert_allclose(L @ X, Q, atol=1e-10)
    L0 = smoother_matrix(X, Q, 0.5, name, 0)
    assert (L0 >= 0).all() and np.abs(L0 @ X - Q).max() > 0.01


def test_agrees_with_locally_weighted_regression_of_linear_regression():
    X, y = wave(np.random.default_rng(10))
    Q = np.linspace(-0.5, 3.5, 50)[:, None]
    for tau in (0.2, 0.5, 3.0):
        assert_allclose(smooth(X, y, Q, tau, "gaussian", 1), LocallyWeightedRegression(tau=tau).fit(X, y).predict(Q), rtol=1e-8, atol=1e-10)
    notes = smooth(np.arange(1.0, 7)[:, None], [1.0, 2.1, 3.1, 3.3, 3.5, 3.8], [[1.5], [3.5], [5.5]], 0.5, "gaussian", 1)
    assert_allclose(notes, [1.5492, 3.1928, 3.6508], atol=5e-5)


def test_limits_of_the_bandwidth():
    X, y = wave(np.random.default_rng(11))
    Q = np.linspace(0.1, 2.9, 23)[:, None]
    assert_allclose(smooth(X, y, Q, 1e5), y.mean(), rtol=1e-6)
    slope, intercept = np.polyfit(X[:, 0], y, 1)
    assert_allclose(smooth(X, y, Q, 1e5, order=1), intercept + slope * Q[:, 0], rtol=1e-6, atol=1e-8)
    nearest = y[k_nearest(X, Q, 1)[1][:, 0]]
    assert_allclose(smooth(X, y, Q, 1e-6), nearest)
    assert_allclose(smooth(X, y, Q, 1e-6, order=1), nearest)


def test_small_bandwidth_line_passes_through_the_two_nearest_points():
    """The second weight is e^-200 of the first; the line through both points is still found."""
    fit = smooth([[0.0], [1.0]], [0.0, 1.0], [[0.3]], np.sqrt(0.4 / 2 / 200), order=1)
    assert fit[0] == pytest.approx(0.3, rel=1e-9)


@pytest.mark.parametrize("unit", [1e-8, 1.0, 1e8])
@pytest.mark.parametrize("name", KERNELS)
def test_units_of_a_feature_do_not_decide_its_slope(name, unit):
    """Lines are reproduced however small the numbers of the other feature are."""
    rng = np.random.default_rng(20)
    X, Q = rng.uniform(size=(50, 2)) * [1, unit], rng.uniform(size=(5, 2)) * [1, unit]
    plane = lambda Z: 1 + 3 * Z[:, 0] + 2 * Z[:, 1] / unit  # noqa: E731
    assert_allclose(smooth(X, plane(X), Q, 2 * max(1, unit), name, order=1), plane(Q), rtol=1e-9)


def test_rows_on_a_flat_have_no_slope_across_it():
    t = np.linspace(0, 1, 30)
    X, y = np.column_stack([t, 1e6 * t]), 2 * t
    assert_allclose(smooth(X, y, [[0.5, 5e5], [0.3, 3e5]], 4e5, order=1), [1.0, 0.6], rtol=1e-9)


def test_bandwidth_whose_square_underflows_is_the_nearest_neighbor():
    X, y = wave(np.random.default_rng(21))
    assert_array_equal(smooth(X, y, X + 1e-3, 1e-170), y[k_nearest(X, X + 1e-3, 1)[1][:, 0]])


def test_boxcar_is_the_mean_of_the_window():
    X, y = wave(np.random.default_rng(12))
    for q, value in zip(np.linspace(0, 3, 11), smooth(X, y, np.linspace(0, 3, 11)[:, None], 0.4, "boxcar"), strict=True):
        assert value == pytest.approx(y[np.abs(X[:, 0] - q) <= 0.4].mean())


@pytest.mark.parametrize("name", ["epanechnikov", "tricube", "boxcar"])
@pytest.mark.parametrize("order", [0, 1])
def test_empty_window_is_nan_and_a_warning(name, order):
    X, y = np.array([[0.0], [0.1], [1.0]]), np.array([1.0, 2.0, 3.0])
    assert_array_equal(np.isnan(smooth(X, y, [[0.05], [0.5], [1.0]], 0.2, name, order)), [False, True, False])
    with pytest.warns(RuntimeWarning, match="1 of 2 queries have no training row within the bandwidth 0.2"):
        KernelRegression(0.2, name, order).fit(X, y).predict([[0.5], [1.0]])
    assert smooth(X, y, [[1.0]], 0.2, name, order)[0] == 3.0  # one point: no slope, its value
    assert loo_error(X, y, 0.2, name, order) == np.inf
    assert_array_equal(np.isnan(loo_fit(X, y, 0.2, name, order)), [False, False, True])


def test_predictions_in_blocks_are_the_same(monkeypatch):
    from mlcore.supervised.neighbors_and_kernel_regression import smoothing
    X, y = wave(np.random.default_rng(13))
    Q = np.linspace(0, 3, 31)[:, None]
    whole = KernelRegression(0.3, order=1).fit(X, y).predict(Q)
    monkeypatch.setattr(smoothing, "BLOCK", 100)
    assert_allclose(KernelRegression(0.3, order=1).fit(X, y).predict(Q), whole, rtol=1e-12)


# ---- bias and variance --------------------------------------------------------------------------------------------

@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("c", [np.inf, 0.0, 0.5])
def test_bias_and_variance_theory_against_exact_sums(order, c):
    """Fine regular design on [0, 1] with a sloping density: exact bias and variance of the linear smoother."""
    n, h, sigma = 40000, 0.02, 1.3
    u = (np.arange(n) + 0.5) / n
    x = (np.sqrt(1 + 3 * u) - 1)  # quantiles of the density p(x) = (2 + 2 x) / 3 on [0, 1]
    f, f1, f2 = lambda t: np.sin(3 * t), lambda t: 3 * np.cos(3 * t), lambda t: -9 * np.sin(3 * t)
    q = 0.4 if np.isinf(c) else c * h
    p, p1 = (2 + 2 * q) / 3, 2 / 3
    row = smoother_matrix(x[:, None], [[q]], h, "epanechnikov", order)[0]
    b1, b2, v = smoothing_constants("epanechnikov", order, c)
    if order == 1 or np.isinf(c):
        design = b2 * f1(q) * p1 / p if order == 0 else 0.0
        assert row @ f(x) - f(q) == pytest.approx(h**2 * (b2 * f2(q) / 2 + design), rel=0.05, abs=0.02 * h**2)
    else:
        assert row @ f(x) - f(q) == pytest.approx(h * b1 * f1(q), rel=0.05)
    assert sigma**2 * (row**2).sum() == pytest.approx(v * sigma**2 / (n * h * p), rel=0.02)


# ---- leave-one-out ------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("d", [1, 2])
def test_three_routes_to_leave_one_out(name, order, d):
    rng = np.random.default_rng(14)
    X, y = rng.uniform(size=(30, d)), rng.normal(size=30)
    h = 0.6
    refit = np.array([smooth(np.delete(X, i, 0), np.delete(y, i), X[i:i + 1], h, name, order)[0] for i in range(30)])
    assert_allclose(loo_fit(X, y, h, name, order), refit, rtol=1e-9, atol=1e-12)
    shortcut = loo_shortcut(smoother_matrix(X, X, h, name, order), y)
    assert_allclose(shortcut, y - refit, rtol=1e-7, atol=1e-10)
    assert loo_error(X, y, h, name, order) == pytest.approx(np.mean(shortcut**2))


def test_loo_bandwidth_is_the_minimum_over_the_grid():
    X, y = wave(np.random.default_rng(15))
    for kernel in KERNELS:
        model = KernelRegression(kernel=kernel, order=1).fit(X, y)
        errors = [loo_error(X, y, h, kernel, 1) for h in bandwidth_grid(X)]
        assert model.bandwidth_ == bandwidth_grid(X)[int(np.argmin(errors))]
        assert np.isfinite(min(errors))
        assert model.loo_errors_.min() < 0.6 * y.var()


@pytest.mark.parametrize("name", KERNELS)
def test_loo_bandwidth_exists_even_for_two_rows(name):
    model = KernelRegression(kernel=name).fit([[0.0], [1.0]], [0.0, 1.0])
    assert model.loo_errors_.min() == 1.0 and np.isfinite(model.predict([[0.5]])).all()


# ---- density ------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("ours, theirs", [("gaussian", "gaussian"), ("epanechnikov", "epanechnikov"), ("boxcar", "tophat")])
@pytest.mark.parametrize("d", [1, 2, 4])
def test_density_agrees_with_scikit_learn(ours, theirs, d):
    rng = np.random.default_rng(16)
    X, Q = rng.normal(size=(60, d)), rng.normal(size=(25, d))
    want = reference.KernelDensity(bandwidth=0.9, kernel=theirs, rtol=1e-12, atol=1e-300).fit(X).score_samples(Q)
    assert_allclose(KernelDensity(0.9, ours).fit(X).score_samples(Q), want, rtol=1e-9)


@pytest.mark.parametrize("name", KERNELS)
def test_density_integrates_to_one(name):
    X = np.random.default_rng(17).normal(size=(8, 1))
    grid = np.linspace(-12, 12, 200001)
    density = np.exp(log_kernel_density(X, grid[:, None], 0.7, name))
    assert np.trapezoid(density, grid) == pytest.approx(1, abs=1e-4)
    assert log_kernel_density(X, [[1e3]], 0.7, name)[0] < -1e5


def test_density_loo_likelihood_is_refitting():
    X = np.random.default_rng(18).normal(size=(20, 2))
    refit = [log_kernel_density(np.delete(X, i, 0), X[i:i + 1], 0.8)[0] for i in range(20)]
    assert loo_log_likelihood(X, 0.8) == pytest.approx(np.mean(refit))
    assert loo_log_likelihood(X, 1e-3, "boxcar") == -np.inf


@pytest.mark.parametrize("g", [0.2, 1.5])
def test_nadaraya_watson_is_the_conditional_mean_of_the_joint_density(g):
    """Product kernel with any bandwidth g in y: integrate y p(x, y) / p(x) numerically."""
    X, y = wave(np.random.default_rng(19), n=12)
    h, grid = 0.3, np.linspace(-15, 15, 60001)
    for q in (0.2, 1.1, 2.7):
        bumps = stats.norm.pdf(grid[:, None], y, g)  # (grid, n)
        joint = bumps @ stats.norm.pdf(q, X[:, 0], h) / len(y)
        conditional_mean = np.trapezoid(grid * joint, grid) / np.trapezoid(joint, grid)
        assert smooth(X, y, [[q]], h)[0] == pytest.approx(conditional_mean, abs=1e-9)
