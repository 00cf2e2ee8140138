"""PCA, LPP and feature selection: theorems by second routes, worked examples, degenerate data, scikit-learn."""

import itertools

import numpy as np
import pytest
import scipy.linalg
import scipy.stats
import sklearn.decomposition
import sklearn.feature_selection
import sklearn.linear_model
import sklearn.svm
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, load_iris

from mlcore.base import NotFittedError
from mlcore.foundations.mathematics import laplacian
from mlcore.supervised.linear_regression import LinearRegression, Standardizer
from mlcore.supervised.logistic_regression import SoftmaxRegression
from mlcore.supervised.support_vector_machines import SVC, LinearSVC
from mlcore.unsupervised import pca_and_feature_selection as pc

DIGITS, NAMES = load_digits(return_X_y=True)
IRIS, SPECIES = load_iris(return_X_y=True)
MARKS = np.array([[82.0, 90], [45, 92], [62, 93], [77, 86], [99, 89]])
DRINKING = np.array([[42, 168], [23, 267]])


def cloud(seed=0, n=60, d=5):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 3 * rng.normal(size=d)


def orthonormal(rng, d, k):
    return np.linalg.qr(rng.normal(size=(d, k)))[0]


def drinking_columns():
    """The 500 people behind the table: drinks (0/1), hepatitis (0/1)."""
    drinks = np.repeat([1, 1, 0, 0], DRINKING.ravel())
    ill = np.repeat([1, 0, 1, 0], DRINKING.ravel())
    return drinks, ill


# ---------------------------------------------------------------- PCA: the theorems


@pytest.mark.parametrize(("seed", "k"), list(itertools.product(range(3), (1, 2, 4))))
def test_no_random_subspace_has_more_variance_or_less_error(seed, k):
    X, rng = cloud(seed), np.random.default_rng(seed)
    best = pc.PCA(k).fit(X).components_.T
    for _ in range(50):
        U = orthonormal(rng, 5, k)
        assert pc.projected_variance(X, U) <= pc.projected_variance(X, best) + 1e-9
        assert pc.reconstruction_error(X, U) >= pc.reconstruction_error(X, best) - 1e-9


@pytest.mark.parametrize("k", [1, 2, 3])
def test_variance_plus_error_is_the_total_for_every_subspace(k):
    X, rng = cloud(1), np.random.default_rng(1)
    U = orthonormal(rng, 5, k)
    total = X.var(axis=0).sum()
    assert_allclose(pc.projected_variance(X, U) + pc.reconstruction_error(X, U), total, rtol=1e-12)


@pytest.mark.parametrize("k", range(1, 6))
def test_error_is_the_sum_of_the_discarded_eigenvalues(k):
    X = cloud(2)
    values = np.linalg.eigvalsh(np.cov(X.T, ddof=0))[::-1]
    U = pc.PCA(k).fit(X).components_.T
    assert_allclose(pc.reconstruction_error(X, U), values[k:].sum(), rtol=1e-9, atol=1e-10)


def test_rank_k_approximation_beats_alternating_least_squares():
    """A second route to the best rank-2 matrix, which knows nothing of eigenvectors."""
    X = cloud(3, 30, 6)
    X = X - X.mean(axis=0)
    B = np.random.default_rng(0).normal(size=(6, 2))
    for _ in range(3000):
        A = np.linalg.lstsq(B, X.T, rcond=None)[0].T
        B = np.linalg.lstsq(A, X, rcond=None)[0].T
    model = pc.PCA(2).fit(X)
    assert_allclose(model.inverse_transform(model.transform(X)), A @ B.T, atol=1e-6)


def test_the_mean_is_the_best_offset():
    X = cloud(4)
    U = pc.PCA(2).fit(X).components_.T
    rng = np.random.default_rng(0)
    residual = np.eye(5) - U @ U.T
    at_mean = (((X - X.mean(axis=0)) @ residual) ** 2).sum()
    for _ in range(20):
        assert (((X - X.mean(axis=0) - 0.1 * rng.normal(size=5)) @ residual) ** 2).sum() > at_mean


def test_scores_are_uncorrelated_with_the_eigenvalues_as_variances():
    X = cloud(5)
    model = pc.PCA().fit(X)
    assert_allclose(np.cov(model.transform(X).T), np.diag(model.explained_variance_), atol=1e-9)
    assert_allclose(model.components_ @ model.components_.T, np.eye(5), atol=1e-12)
    assert_allclose(model.explained_variance_ratio_.sum(), 1, rtol=1e-12)


def test_rotating_the_data_rotates_the_components():
    X, Q = cloud(6), orthonormal(np.random.default_rng(6), 5, 5)
    one, two = pc.PCA().fit(X), pc.PCA().fit(X @ Q)
    assert_allclose(one.explained_variance_, two.explained_variance_, rtol=1e-9)
    assert_allclose(np.abs(one.components_ @ Q), np.abs(two.components_), atol=1e-8)


def test_uncorrelated_is_not_independent():
    t = np.linspace(-1, 1, 201)
    Z = pc.PCA().fit_transform(np.column_stack([t, t**2]))
    assert abs(np.corrcoef(Z.T)[0, 1]) < 1e-12
    second, first = Z[:, 1], Z[:, 0]
    assert np.abs(second - np.polyval(np.polyfit(first, second, 2), first)).max() < 1e-12


@pytest.mark.parametrize("rho", [-0.9, -0.3, 0.2, 0.7])
def test_two_standardized_features_always_have_the_diagonals_as_axes(rho):
    rng = np.random.default_rng(0)
    X = rng.multivariate_normal([0, 0], [[1, rho], [rho, 1]], size=200)
    Z = Standardizer().fit_transform(X)
    r = np.corrcoef(X.T)[0, 1]
    model = pc.PCA(ddof=0).fit(Z)
    assert_allclose(np.abs(model.components_), np.sqrt(0.5), atol=1e-9)
    assert_allclose(model.explained_variance_, [1 + abs(r), 1 - abs(r)], rtol=1e-9)


# ---------------------------------------------------------------- PCA: the worked example


def test_five_students():
    model = pc.PCA(1, ddof=0).fit(MARKS)
    assert_allclose(model.mean_, [73, 90])
    assert_allclose(np.cov(MARKS.T, ddof=0), [[335.6, -26.2], [-26.2, 6.0]])
    assert_allclose(pc.PCA(ddof=0).fit(MARKS).explained_variance_, [337.66965, 3.93035], atol=1e-5)
    assert_allclose(model.components_, [[0.996894, -0.078749]], atol=1e-6)
    assert_allclose(-model.transform(MARKS).ravel(), [-8.97205, 28.07054, 11.20209, -4.30257, -25.99801], atol=1e-5)
    assert_allclose(model.explained_variance_ratio_, [0.98849], atol=1e-5)
    assert_allclose(pc.PCA().fit(MARKS).explained_variance_, [422.087, 4.913], atol=1e-3)


def test_five_students_standardized():
    model = pc.PCA(ddof=0).fit(Standardizer().fit_transform(MARKS))
    assert_allclose(model.explained_variance_, [1.584, 0.416], atol=5e-4)
    assert_allclose(np.abs(model.components_), np.sqrt(0.5), atol=1e-9)


def test_miles_and_kilometers_are_one_dimension():
    mph = np.random.default_rng(0).uniform(80, 200, size=50)
    model = pc.PCA().fit(np.column_stack([mph, 1.609344 * mph]))
    assert model.rank_ == 1
    assert_allclose(model.components_[0] / model.components_[0, 0], [1, 1.609344], rtol=1e-9)


# ---------------------------------------------------------------- PCA: solvers, signs, scikit-learn

SHAPES = [(80, 6), (40, 30), (12, 40), (8, 200), (300, 5)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("solver", ["svd", "eigh", "auto"])
@pytest.mark.parametrize("whiten", [False, True])
def test_equal_to_sklearn(shape, solver, whiten):
    X = cloud(7, *shape)
    k = min(shape) - 2
    ours = pc.PCA(k, whiten=whiten, solver=solver).fit(X)
    theirs = sklearn.decomposition.PCA(k, whiten=whiten, svd_solver="full").fit(X)
    for name in ("components_", "explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_"):
        assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-6, atol=1e-8, err_msg=name)
    Z = ours.transform(X)
    assert_allclose(Z, theirs.transform(X), rtol=1e-6, atol=1e-7)
    assert_allclose(ours.inverse_transform(Z), theirs.inverse_transform(Z), rtol=1e-6, atol=1e-7)
    assert_allclose(pc.PCA(k, whiten=whiten, solver=solver).fit_transform(X), Z, atol=1e-12)


@pytest.mark.parametrize("share", [0.5, 0.9, 0.95, 0.99])
def test_share_of_variance_equals_sklearn(share):
    theirs = sklearn.decomposition.PCA(share, svd_solver="full").fit(DIGITS)
    ours = pc.PCA(share).fit(DIGITS)
    assert ours.n_components_ == theirs.n_components_ == pc.components_for_share(pc.PCA().fit(DIGITS).explained_variance_ratio_, share)
    assert ours.explained_variance_ratio_.sum() >= share > ours.explained_variance_ratio_[:-1].sum()


def test_whitened_scores_have_unit_covariance():
    X = cloud(8)
    assert_allclose(np.cov(pc.PCA(3, whiten=True).fit_transform(X).T), np.eye(3), atol=1e-10)


def test_signs_do_not_depend_on_solver_or_order_of_rows():
    X = cloud(9, 100, 6)
    model = pc.PCA(solver="svd").fit(X)
    assert_allclose(model.components_, pc.PCA(solver="eigh").fit(X[::-1]).components_, atol=1e-7)
    largest = np.abs(model.components_).argmax(axis=1)
    assert (model.components_[np.arange(6), largest] > 0).all()


def test_signs_of_a_tie_follow_the_first_entry():
    assert_allclose(pc.fix_signs(np.array([[-1.0, 1 + 1e-15]]))[0], [1, -1])


def test_svd_keeps_digits_that_squaring_loses():
    """Lauchli's matrix: after squaring, 1 + 1e-18 is 1, and the small variance is gone."""
    e = 1e-9
    X = np.array([[1, 1, 1], [e, 0, 0], [0, e, 0], [0, 0, e]])
    assert_allclose(pc.principal_axes(X, "svd")[0][1:], e, rtol=1e-6)
    assert np.abs(pc.principal_axes(X, "eigh")[0][1:] - e).max() > 0.1 * e


def test_power_iteration_finds_the_leading_eigenvector():
    S = np.cov(cloud(10).T)
    value, vector, n_iter = pc.power_iteration(S)
    values, vectors = np.linalg.eigh(S)
    assert_allclose(value, values[-1], rtol=1e-12)
    assert_allclose(np.abs(vector @ vectors[:, -1]), 1, rtol=1e-12)
    rate = values[-2] / values[-1]
    assert n_iter < 3 + 2 * np.log(1e-13) / np.log(rate), "the error shrinks by the ratio of the two largest eigenvalues"


def decaying(n, d, rate=0.8, seed=0):
    """A matrix with singular values rate^j, and random directions."""
    rng, k = np.random.default_rng(seed), min(n, d)
    X = orthonormal(rng, n, k) * rate ** np.arange(k) @ orthonormal(rng, d, k).T
    return X + rng.normal(size=d)


@pytest.mark.parametrize("shape", [(90, 60), (60, 90)], ids=str)
@pytest.mark.parametrize("whiten", [False, True])
def test_random_projections_give_the_exact_components_when_the_spectrum_falls(shape, whiten):
    X = decaying(*shape)
    exact, quick = pc.PCA(4, whiten=whiten, solver="svd").fit(X), pc.PCA(4, whiten=whiten, solver="randomized").fit(X)
    for name in ("components_", "explained_variance_", "explained_variance_ratio_", "singular_values_"):
        assert_allclose(getattr(quick, name), getattr(exact, name), rtol=1e-8, atol=1e-8, err_msg=name)
    assert_allclose(quick.transform(X), exact.transform(X), rtol=1e-7, atol=1e-7)
    assert quick.rank_ == 4


def test_random_projections_never_overstate_a_singular_value_and_gain_by_iterating():
    X = np.random.default_rng(0).normal(size=(120, 100))
    exact = pc.principal_axes(X)[0][:5]
    found = [pc.randomized_axes(X, 5, n_iter)[0] for n_iter in (0, 2, 7)]
    for low, high in itertools.pairwise([*found, exact]):
        assert (low < high + 1e-9).all()
    assert found[0][0] < 0.9 * exact[0] < found[2][0]


def test_random_projections_depend_on_the_seed_alone():
    X = np.random.default_rng(1).normal(size=(80, 70))
    one, same, other = (pc.PCA(3, solver="randomized", random_state=s).fit(X).singular_values_ for s in (0, 0, 1))
    assert_array_equal(one, same)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize(("shape", "k", "solver"), [
    ((501, 100), 20, "randomized"), ((100, 501), 20, "randomized"), ((501, 100), 21, "svd"), ((500, 100), 20, "svd"),
    ((501, 50), 5, "eigh"), ((50, 501), 5, "eigh"), ((501, 100), None, "svd"), ((501, 100), 0.5, "svd"),
])
def test_auto_chooses_by_shape(shape, k, solver):
    X = np.random.default_rng(2).normal(size=shape)
    assert_array_equal(pc.PCA(k).fit(X).singular_values_, pc.PCA(k, solver=solver).fit(X).singular_values_)


# ---------------------------------------------------------------- PCA: bad and degenerate input


def test_constant_feature_has_no_loading():
    X = cloud(11)
    X[:, 2] = 7.0
    model = pc.PCA().fit(X)
    assert model.rank_ == 4
    assert_allclose(model.components_[:4, 2], 0, atol=1e-9)
    assert_allclose(model.explained_variance_[4], 0, atol=1e-12)
    assert_allclose(model.inverse_transform(model.transform(X)), X, atol=1e-9)


@pytest.mark.parametrize("solver", ["svd", "eigh"])
def test_more_components_than_rank_reconstruct_exactly_but_cannot_be_whitened(solver):
    X = cloud(12, 30, 2) @ np.array([[1.0, 2, 3], [0, 1, -1]])
    model = pc.PCA(3, solver=solver).fit(X)
    assert model.rank_ == 2
    assert_allclose(model.components_ @ model.components_.T, np.eye(3), atol=1e-9)
    assert_allclose(model.inverse_transform(model.transform(X)), X, atol=1e-9)
    with pytest.raises(ValueError, match=r"component 3 has no variance .*rank 2"):
        pc.PCA(3, whiten=True, solver=solver).fit(X)


def test_wide_data_at_full_rank_fall_back_on_the_svd():
    X = cloud(13, 6, 90)
    model = pc.PCA(solver="eigh").fit(X)
    assert model.rank_ == 5
    assert_allclose(model.components_ @ model.components_.T, np.eye(6), atol=1e-9)


@pytest.mark.parametrize(("X", "options", "message"), [
    (np.ones((5, 3)) * 0.1, {}, "no variance: all its rows are equal"),
    (np.ones((1, 3)), {}, "at least 2 are needed"),
    ([[1.0, np.nan], [2, 3]], {}, r"NaN or infinity \(first at index \(0, 1\)\)"),
    (MARKS, {"n_components": 3}, "n_components=3, but 5 samples of 2 features have at most 2"),
    (MARKS, {"n_components": 0}, "n_components must be an integer >= 1"),
    (MARKS, {"n_components": 1.5}, "share of the variance must be a number > 0 and < 1"),
    (MARKS, {"solver": "qr"}, "solver must be one of"),
    (MARKS, {"ddof": 2}, "ddof must be an integer"),
    (MARKS, {"n_components": 0.5, "solver": "randomized"}, 'for a share of the variance take "svd"'),
    (MARKS, {"n_components": 1, "solver": "randomized", "random_state": -1}, "random_state must be"),
    (np.ones((5, 3)) * 0.1, {"n_components": 1, "solver": "randomized"}, "no variance: all its rows are equal"),
])
def test_pca_refuses(X, options, message):
    with pytest.raises(ValueError, match=message):
        pc.PCA(**options).fit(X)


def test_pca_refuses_use_before_fit_and_wrong_widths():
    with pytest.raises(NotFittedError):
        pc.PCA().inverse_transform(MARKS)
    model = pc.PCA(1).fit(MARKS)
    with pytest.raises(ValueError, match="Z has 2 features, but this model was fitted with 1"):
        model.inverse_transform(MARKS)


def test_functions_refuse_a_basis_that_is_not_orthonormal():
    for function in (pc.projected_variance, pc.reconstruction_error):
        with pytest.raises(ValueError, match="orthonormal"):
            function(MARKS, [[1.0], [1.0]])
    with pytest.raises(ValueError, match="orthonormal rows of length 2"):
        pc.left_out_residuals(MARKS, [[1.0, 1.0]])
    with pytest.raises(ValueError, match="square"):
        pc.power_iteration(MARKS)
    with pytest.raises(ValueError, match="no variance"):
        pc.power_iteration(np.zeros((2, 2)))


# ---------------------------------------------------------------- choosing k


def test_left_out_residuals_by_brute_force():
    rng = np.random.default_rng(0)
    x, U = rng.normal(size=7), orthonormal(rng, 7, 3)
    want = []
    for j in range(7):
        others = np.arange(7) != j
        z = np.linalg.lstsq(U[others], x[others], rcond=None)[0]
        want.append(x[j] - U[j] @ z)
    assert_allclose(pc.left_out_residuals(x[None], U.T)[0], want, rtol=1e-9)


def test_an_axis_as_component_predicts_nothing():
    assert np.isinf(pc.left_out_residuals(np.ones((1, 2)), np.array([[1.0, 0.0]]))[0, 0])


def planted(seed, n=200, d=12, k=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, k)) * [5, 4, 3] @ orthonormal(rng, d, k).T + 0.5 * rng.normal(size=(n, d))


@pytest.mark.parametrize("seed", range(4))
def test_cross_validation_and_shuffling_find_the_planted_dimension(seed):
    X = planted(seed)
    errors = pc.cross_validated_errors(X, range(10), rng=0)
    assert errors.argmin() == 3
    above = pc.PCA().fit(X).explained_variance_ > pc.permutation_threshold(X, rng=0)
    assert above.argmin() == 3


def test_cross_validated_error_of_the_mean_is_the_held_out_variance():
    X = cloud(14, 50, 4)
    folds = np.random.default_rng(3).permutation(50) % 5
    want = np.mean([((X[folds == f] - X[folds != f].mean(axis=0)) ** 2).mean() for f in range(5)])
    assert_allclose(pc.cross_validated_errors(X, [0], rng=3), [want], rtol=1e-12)


def test_shuffling_keeps_the_total_variance():
    X = cloud(15)
    assert_allclose(pc.permutation_threshold(X, 1, rng=0).sum(), X.var(axis=0, ddof=1).sum(), rtol=1e-9)


def test_choosing_refuses():
    with pytest.raises(ValueError, match="each k must be an integer"):
        pc.cross_validated_errors(cloud(), [5])
    with pytest.raises(ValueError, match="n_folds"):
        pc.cross_validated_errors(cloud(), [1], n_folds=1)
    with pytest.raises(ValueError, match="share must be"):
        pc.components_for_share([1.0], 0)
    with pytest.raises(ValueError, match="n_permutations"):
        pc.permutation_threshold(cloud(), 0)


def test_share_with_rounding():
    assert pc.components_for_share([0.6, 0.3, 0.1], 0.9) == 2
    assert pc.components_for_share([0.1] * 10, 1) == 10


# ---------------------------------------------------------------- LPP


def test_heat_graph_by_brute_force():
    X = cloud(16, 20, 3)
    D2 = ((X[:, None] - X) ** 2).sum(axis=2)
    W = np.zeros((20, 20))
    for i in range(20):
        for j in np.argsort(D2[i])[1:5]:
            W[i, j] = W[j, i] = np.exp(-D2[i, j] / 4)
    assert_allclose(pc.heat_graph(X, 4, sigma=2.0), W, rtol=1e-9)


def test_locality_objective_is_the_double_sum():
    X = cloud(17, 15, 3)
    W = pc.heat_graph(X, 3)
    Y = X[:, :2]
    want = 0.5 * sum(W[i, j] * ((Y[i] - Y[j]) ** 2).sum() for i in range(15) for j in range(15))
    assert_allclose(pc.locality_objective(Y, W), want, rtol=1e-10)


def test_lpp_solves_the_generalized_problem_and_beats_every_other_feasible_map():
    X, rng = cloud(18, 40, 4), np.random.default_rng(0)
    model = pc.LPP(2, n_neighbors=4).fit(X)
    Xc, L = X - model.offset_, laplacian(model.weights_)
    A, B = Xc.T @ L @ Xc, Xc.T @ np.diag(np.diag(L)) @ Xc
    assert_allclose(model.projection_.T @ B @ model.projection_, np.eye(2), atol=1e-9)
    assert_allclose(model.eigenvalues_, np.sort(np.linalg.eigvals(np.linalg.solve(B, A)).real)[:2], rtol=1e-8)
    J = pc.locality_objective(model.transform(X), model.weights_)
    assert_allclose(J, model.eigenvalues_.sum(), rtol=1e-9)
    root = np.linalg.cholesky(B)
    for _ in range(50):
        other = scipy.linalg.solve_triangular(root.T, orthonormal(rng, 4, 2))
        assert_allclose(other.T @ B @ other, np.eye(2), atol=1e-8)
        assert pc.locality_objective(Xc @ other, model.weights_) >= J - 1e-9


def test_centered_lpp_does_not_depend_on_the_origin_and_plain_lpp_does():
    X = cloud(19, 40, 3)
    for center, same in ((True, True), (False, False)):
        near = pc.LPP(1, center=center).fit(X).projection_
        far = pc.LPP(1, center=center).fit(X + [0, 50, 0]).projection_
        assert np.allclose(near, far, atol=1e-6) == same


def test_centered_lpp_is_affine_lpp_without_the_constant_solution():
    X = cloud(20, 40, 3)
    model = pc.LPP(3).fit(X)
    values, _ = pc.locality_directions(np.column_stack([X, np.ones(40)]), model.weights_)
    assert_allclose(values, [0, *model.eigenvalues_], atol=1e-9)


def test_lpp_refuses():
    with pytest.raises(ValueError, match=r"X\^T D X is singular.*reduce X by PCA"):
        pc.LPP(2, n_neighbors=3).fit(cloud(21, 6, 10))
    constant = np.column_stack([cloud(22, 20, 2), np.full(20, 3.0)])
    with pytest.raises(ValueError, match="constant or linearly dependent"):
        pc.LPP(2).fit(constant)
    with pytest.raises(ValueError, match="n_neighbors must be an integer"):
        pc.LPP(1, n_neighbors=20).fit(cloud(23, 20, 2))
    with pytest.raises(ValueError, match="coincides with its neighbors"):
        pc.heat_graph(np.zeros((4, 2)), 2)
    with pytest.raises(ValueError, match="sigma"):
        pc.heat_graph(cloud(), 2, sigma=0)
    with pytest.raises(ValueError, match="n_components must be an integer"):
        pc.LPP(3).fit(cloud(24, 20, 2))


# ---------------------------------------------------------------- filters


def test_chi_square_of_the_drinking_table():
    test = pc.chi_square_table(DRINKING)
    a, b, c, d = DRINKING.ravel()
    assert a * d - b * c == 7350
    assert_allclose(test.statistic, 500 * 7350**2 / ((a + b) * (c + d) * (a + c) * (b + d)), rtol=1e-12)
    assert_allclose(test.statistic, 15.686454, atol=1e-6)
    assert_allclose(test.p_value, 7.48e-5, rtol=1e-3)
    assert_allclose(test.expected, [[27.3, 182.7], [37.7, 252.3]])


@pytest.mark.parametrize("shape", [(2, 2), (3, 2), (4, 5)])
def test_chi_square_table_equals_scipy(shape):
    table = np.random.default_rng(0).integers(3, 40, size=shape)
    want = scipy.stats.chi2_contingency(table, correction=False)
    got = pc.chi_square_table(table)
    assert_allclose([got.statistic, got.p_value, got.freedom], [want.statistic, want.pvalue, want.dof], rtol=1e-10)


def test_two_definitions_of_chi_square():
    drinks, ill = drinking_columns()
    one = drinks[:, None]
    both = np.column_stack([drinks, 1 - drinks])
    assert_allclose(pc.chi_square_features(one, ill)[0], [15.686454], atol=1e-6)
    assert_allclose(pc.chi_square_counts(one, ill)[0], [9.098], atol=1e-3)
    assert_allclose(pc.chi_square_counts(both, ill)[0].sum(), 15.686454, atol=1e-6)
    relabeled = np.where(one == 1, 17, 4)
    assert_allclose(pc.chi_square_features(relabeled, ill)[0], [15.686454], atol=1e-6)


def test_chi_square_counts_equals_sklearn():
    ours, theirs = pc.chi_square_counts(DIGITS[:, 1:], NAMES), sklearn.feature_selection.chi2(DIGITS[:, 1:], NAMES)
    some = DIGITS[:, 1:].sum(axis=0) > 0
    assert_allclose(ours[0][some], theirs[0][some], rtol=1e-10)
    assert_allclose(ours[1][some], theirs[1][some], rtol=1e-8, atol=1e-300)
    assert (ours[0][~some] == 0).all() and (ours[1][~some] == 1).all()


def test_mutual_information_equals_sklearn():
    X = DIGITS[:300, 20:30]
    want = sklearn.feature_selection.mutual_info_classif(X, NAMES[:300], discrete_features=True)
    assert_allclose(pc.mutual_information_scores(X, NAMES[:300]), want, rtol=1e-8, atol=1e-12)


def test_mutual_information_and_chi_square_agree_near_independence():
    """2 n I is the likelihood-ratio statistic, which approaches chi-square when observed and expected are close."""
    near = np.array([[5000, 5100], [5050, 4950]])
    x, y = np.repeat([1, 1, 0, 0], near.ravel()), np.repeat([1, 0, 1, 0], near.ravel())
    G = 2 * near.sum() * pc.mutual_information_scores(x[:, None], y)[0]
    assert_allclose(G, pc.chi_square_table(near).statistic, rtol=1e-3)


def test_correlations_equal_sklearn_and_scipy():
    X, y = cloud(25), cloud(26)[:, 0]
    assert_allclose(pc.correlations(X, y), sklearn.feature_selection.r_regression(X, y), rtol=1e-10)
    assert_allclose(pc.correlations(X, y)[1], scipy.stats.pearsonr(X[:, 1], y).statistic, rtol=1e-10)


def test_variance_filter_equals_sklearn():
    ours = pc.VarianceFilter(2.0).fit(DIGITS)
    theirs = sklearn.feature_selection.VarianceThreshold(2.0).fit(DIGITS)
    assert_array_equal(ours.support_, theirs.get_support())
    constant = np.column_stack([np.full(10, 0.1), np.arange(10)])
    assert pc.VarianceFilter().fit(constant).support_.tolist() == [False, True]


@pytest.mark.parametrize("score", ["chi_square_counts", "mutual_information"])
def test_select_best_equals_sklearn(score):
    X, y = DIGITS[:400, 18:30], NAMES[:400]
    function = {
        "chi_square_counts": sklearn.feature_selection.chi2,
        "mutual_information": lambda X, y: sklearn.feature_selection.mutual_info_classif(X, y, discrete_features=True),
    }[score]
    theirs = sklearn.feature_selection.SelectKBest(function, k=4).fit(X, y)
    assert_array_equal(pc.SelectBest(4, score).fit(X, y).support_, theirs.get_support())


def test_correlation_filter_goes_by_size_not_by_sign():
    x = np.arange(10.0)
    X = np.column_stack([np.sin(x), -x])
    assert pc.SelectBest(1).fit(X, x).support_.tolist() == [False, True]


def test_filters_are_blind_to_exclusive_or():
    X = np.array(list(itertools.product([0, 1], repeat=3)))
    y = X[:, 0] ^ X[:, 1]
    assert_allclose(pc.mutual_information_scores(X, y), 0, atol=1e-12)
    assert_allclose(pc.chi_square_features(X, y)[0], 0, atol=1e-12)
    assert_allclose(pc.chi_square_counts(X, y)[0], 0, atol=1e-12)
    assert_allclose(pc.correlations(X, y.astype(float)), 0, atol=1e-12)
    pair = (2 * X[:, 0] + X[:, 1])[:, None]
    assert_allclose(pc.mutual_information_scores(pair, y), np.log(2), rtol=1e-12)


def test_filters_score_a_constant_feature_zero():
    X, y = np.column_stack([np.full(6, 4.0), [0, 0, 0, 1, 1, 1]]), np.array([0, 0, 0, 1, 1, 1])
    assert pc.correlations(X, y.astype(float)).tolist() == [0, 1]
    statistics, p_values = pc.chi_square_features(X, y)
    assert statistics.tolist() == [0, 6] and p_values[0] == 1
    assert_allclose(pc.mutual_information_scores(X, y), [0, np.log(2)], atol=1e-12)


@pytest.mark.parametrize(("function", "arguments", "message"), [
    (pc.chi_square_counts, ([[1, -2], [3, 4]], [0, 1]), r"X\[0, 1\] is -2; a chi-square test needs counts"),
    (pc.chi_square_table, ([[1, -2], [3, 4]],), r"observed\[0, 1\] is -2"),
    (pc.chi_square_table, ([[1, 2]],), "at least 2 rows and 2 columns"),
    (pc.chi_square_table, ([[0, 0], [3, 4]],), "row or a column of zeros"),
    (pc.chi_square_counts, ([[1, 2], [3, 4]], [1, 1]), "y has 1 class"),
    (pc.chi_square_features, ([[1, 2], [3, 4]], [1, 1]), "y has 1 class"),
    (pc.mutual_information_scores, ([[1, 2], [3, 4]], [1, 1]), "y has 1 class"),
    (pc.correlations, ([[1, 2], [3, 4]], [1.0, 1.0]), "y is constant"),
    (pc.correlations, ([[1, np.nan], [3, 4]], [1.0, 2.0]), "NaN"),
    (pc.VarianceFilter(9.0).fit, ([[1, 2], [3, 4]],), "no feature has a variance above threshold=9.0; the largest is 1"),
    (pc.SelectBest(3).fit, ([[1, 2], [3, 4]], [1.0, 2.0]), "k must be an integer"),
    (pc.SelectBest(1, "f").fit, ([[1, 2], [3, 4]], [1.0, 2.0]), "score must be one of"),
])
def test_filters_refuse(function, arguments, message):
    with pytest.raises(ValueError, match=message):
        function(*arguments)


# ---------------------------------------------------------------- recursive elimination


@pytest.mark.parametrize(("step", "keep"), [(1, 1), (1, 3), (2, 1), (3, 2)])
def test_rfe_equals_sklearn_with_least_squares(step, keep):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 9))
    y = X @ rng.normal(size=9) + rng.normal(size=80)
    ours = pc.RFE(LinearRegression(), keep, step).fit(X, y)
    theirs = sklearn.feature_selection.RFE(sklearn.linear_model.LinearRegression(), n_features_to_select=keep, step=step).fit(X, y)
    assert_array_equal(ours.ranking_, theirs.ranking_)
    assert_array_equal(ours.transform(X), theirs.transform(X))


@pytest.mark.parametrize(("ours", "theirs", "ranking"), [
    (SVC(kernel="linear"), sklearn.svm.SVC(kernel="linear"), [4, 3, 2, 1]),
    (LinearSVC(), sklearn.svm.LinearSVC(loss="hinge", max_iter=1_000_000), [4, 2, 3, 1]),  # the offset is penalized too
])
def test_rfe_with_a_linear_svm_ranks_the_irises(ours, theirs, ranking):
    X, y = IRIS[SPECIES > 0], SPECIES[SPECIES > 0]
    assert_array_equal(pc.RFE(ours, 1).fit(X, y).ranking_, ranking)
    assert_array_equal(sklearn.feature_selection.RFE(theirs, n_features_to_select=1).fit(X, y).ranking_, ranking)


def test_rfe_adds_the_squares_of_several_outputs():
    X = Standardizer().fit_transform(IRIS)
    model = pc.RFE(SoftmaxRegression(), 3).fit(X, SPECIES)
    coef = SoftmaxRegression().fit(X, SPECIES).coef_
    assert model.ranking_[(coef**2).sum(axis=0).argmin()] == 2


def test_rfe_depends_on_units():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(100, 2))
    y = X @ [1.0, 0.2] + 0.1 * rng.normal(size=100)
    assert pc.RFE(n_features=1).fit(X, y).support_.tolist() == [True, False]
    assert pc.RFE(n_features=1).fit(X * [1000, 1], y).support_.tolist() == [False, True]


def test_rfe_refuses():
    X, y = cloud(27), cloud(28)[:, 0]
    with pytest.raises(ValueError, match="n_features must be an integer"):
        pc.RFE(n_features=6).fit(X, y)
    with pytest.raises(ValueError, match="step must be an integer"):
        pc.RFE(step=0).fit(X, y)
    with pytest.raises(ValueError, match=r"Standardizer has no coef_"):
        pc.RFE(Standardizer()).fit(X, y)
    with pytest.raises(ValueError, match="60 rows, but y has 3"):
        pc.RFE().fit(X, y[:3])
