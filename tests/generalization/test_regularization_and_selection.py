"""Regularization and selection: folds and scores against scikit-learn, shortcuts against refitting, limits of descent."""

import itertools
import math

import numpy as np
import pytest
import sklearn.linear_model as sk
import sklearn.model_selection as ms
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linprog, minimize
from sklearn.datasets import load_diabetes, load_iris
from sklearn.neighbors import KNeighborsClassifier as SkNeighbors

from mlcore.foundations.data_and_tasks import ConstantRegressor, MajorityClassifier, mean_squared_error
from mlcore.foundations.mathematics import numerical_gradient
from mlcore.generalization import regularization_and_selection as rs
from mlcore.generalization.bias_variance import min_norm_solution, polynomial_smoother
from mlcore.supervised.linear_regression import LinearRegression, Standardizer, expected_errors, hat_matrix
from mlcore.supervised.logistic_regression import LogisticRegression
from mlcore.supervised.neighbors_and_kernel_regression import KNeighborsClassifier
from mlcore.supervised.ridge_lasso_polynomial import Ridge, ridge_primal

# ---------------------------------------------------------------- splits


@pytest.mark.parametrize(("n", "k"), [(10, 5), (10, 3), (11, 4), (7, 7), (2, 2), (100, 9)])
def test_k_fold_without_mixing_is_scikit_learns(n, k):
    ours, theirs = rs.k_fold(n, k, shuffle=False), list(ms.KFold(k).split(np.zeros(n)))
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs):
        assert_array_equal(a[0], b[0])
        assert_array_equal(a[1], b[1])


@pytest.mark.parametrize(("n", "k"), [(10, 5), (23, 4), (8, 8)])
def test_k_fold_is_a_partition_with_even_sizes_and_a_seed(n, k):
    folds = rs.k_fold(n, k, random_state=3)
    assert_array_equal(np.sort(np.concatenate([test for _, test in folds])), np.arange(n))
    sizes = sorted(len(test) for _, test in folds)
    assert sizes == sorted(len(test) for _, test in ms.KFold(k, shuffle=True).split(np.zeros(n)))
    for train, test in folds:
        assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(n))
    again, other = rs.k_fold(n, k, random_state=3), rs.k_fold(n, k, random_state=4)
    assert all((a[1] == b[1]).all() for a, b in zip(folds, again))
    assert n == k or any(len(a[1]) != len(b[1]) or (a[1] != b[1]).any() for a, b in zip(folds, other))


def test_every_pair_of_rows_may_meet_in_a_shuffled_fold():
    together = np.zeros((6, 6), int)
    for seed in range(200):
        for _, test in rs.k_fold(6, 3, random_state=seed):
            together[test[0], test[1]] += 1
    assert (together[np.triu_indices(6, 1)] > 15).all()          # 200 * 3 / 15 = 40 each on average


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("seed", range(4))
def test_stratified_folds_without_mixing_are_scikit_learns(k, seed):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(["c", "a", "b"], rng.integers(k, 12, size=3)))
    theirs = list(ms.StratifiedKFold(k).split(np.zeros(len(y)), y))
    for a, b in zip(rs.stratified_k_fold(y, k, shuffle=False), theirs):
        assert_array_equal(a[0], b[0])
        assert_array_equal(a[1], b[1])


def test_shuffled_stratified_folds_share_out_every_class():
    y = np.random.default_rng(0).permutation(np.repeat([0, 1, 2], [50, 33, 8]))
    folds = rs.stratified_k_fold(y, 4, random_state=1)
    counts = np.array([np.bincount(y[test], minlength=3) for _, test in folds])
    assert_array_equal(counts.sum(axis=0), [50, 33, 8])
    assert (np.ptp(counts, axis=0) <= 1).all() and np.ptp(counts.sum(axis=1)) <= 1
    assert any((a[1] != b[1]).any() for a, b in zip(folds, rs.stratified_k_fold(y, 4, shuffle=False)) if len(a[1]) == len(b[1]))


def test_leave_one_out_and_hold_out():
    for a, b in zip(rs.leave_one_out(5), ms.LeaveOneOut().split(np.zeros(5))):
        assert_array_equal(a[0], b[0])
        assert_array_equal(a[1], b[1])
    pairs = rs.shuffle_splits(20, 3, random_state=0)
    assert [len(test) for _, test in pairs] == [6, 6, 6] and all(len(np.union1d(*p)) == 20 for p in pairs)
    assert (pairs[0][1] != pairs[1][1]).any()
    y = np.repeat([0, 1], [16, 4])
    train, test = rs.shuffle_splits(20, stratify=y, test_size=0.25, random_state=0)[0]
    assert y[test].sum() == 1 and len(test) == 5


def test_bad_splits_are_refused():
    with pytest.raises(ValueError, match="6 folds need at least 6 samples, got 5"):
        rs.k_fold(5, 6)
    with pytest.raises(ValueError, match="the number of folds must be an integer >= 2"):
        rs.k_fold(5, 1)
    with pytest.raises(ValueError, match="class b has 2 members, fewer than the 3 folds"):
        rs.stratified_k_fold(list("aaaabb"), 3)
    with pytest.raises(ValueError, match="n_splits must be an integer >= 1"):
        rs.shuffle_splits(10, 0)
    X, y, model = np.zeros((4, 1)), np.arange(4.0), ConstantRegressor()
    for folds, message in (
        ([], "folds is empty"), ([([0, 1], [1, 2])], "row 1 is in the training and in the test part"),
        ([([0, 1], [4])], "names row 4, but there are 4 rows"), ([([0, 1], [-1])], "names row -1"), ([([0], [])], "test part"),
        ([([0.5], [1])], "train part"), ([([0], [1], [2])], "has 3 parts"), (2.5, "must be an integer or a list of pairs"),
        (True, "must be an integer or a list"), (9, "9 folds need at least 9 samples, got 4")):
        with pytest.raises(ValueError, match=message):
            rs.cross_validate(model, X, y, folds)


# ---------------------------------------------------------------- cross-validation, curves, search


@pytest.fixture(scope="module")
def patients():
    data = load_diabetes()
    return data.data[:150], data.target[:150]


@pytest.fixture(scope="module")
def flowers():
    data = load_iris()
    return data.data, data.target


@pytest.mark.parametrize(("scoring", "theirs", "sign"), [
    ("mse", "neg_mean_squared_error", -1), ("mae", "neg_mean_absolute_error", -1), ("r2", "r2", 1)])
def test_regression_scores_are_scikit_learns(patients, scoring, theirs, sign):
    X, y = patients
    run = rs.cross_validate(Ridge(alpha=0.3), X, y, rs.k_fold(150, 7, shuffle=False), scoring=scoring)
    want = ms.cross_validate(sk.Ridge(alpha=0.3), X, y, cv=7, scoring=theirs, return_train_score=True)
    assert_allclose(run.test_scores, sign * want["test_score"], rtol=1e-9)
    assert_allclose(run.train_scores, sign * want["train_score"], rtol=1e-9)
    assert_allclose(run.mean, np.mean(run.test_scores))
    assert_allclose(run.standard_error, np.std(run.test_scores, ddof=1) / math.sqrt(7))


def test_classification_scores_are_scikit_learns(flowers):
    X, y = flowers
    run = rs.cross_validate(KNeighborsClassifier(5), X, y, rs.stratified_k_fold(y, 10, shuffle=False))
    assert_allclose(run.test_scores, ms.cross_val_score(SkNeighbors(5), X, y, cv=10))
    assert run.scorer.name == "accuracy"
    error = rs.cross_validate(KNeighborsClassifier(5), X, y, rs.stratified_k_fold(y, 10, shuffle=False), scoring="error_rate")
    assert_allclose(error.test_scores, 1 - run.test_scores)


def test_text_labels_and_seeds_work(flowers):
    X, y = flowers
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    a = rs.cross_validate(KNeighborsClassifier(3), X, names, 5, random_state=2).test_scores
    assert_array_equal(a, rs.cross_validate(KNeighborsClassifier(3), X, y, 5, random_state=2).test_scores)
    runs = {tuple(rs.cross_validate(KNeighborsClassifier(3), X, y, 5, random_state=s).test_scores) for s in range(5)}
    assert len(runs) > 1


def test_cross_predict_never_uses_the_row_itself(patients):
    X, y = patients
    got = rs.cross_predict(Ridge(alpha=0.1), X, y, rs.k_fold(150, 4, shuffle=False))
    assert_allclose(got, ms.cross_val_predict(sk.Ridge(alpha=0.1), X, y, cv=4), rtol=1e-9)
    spoiled = y.copy()
    spoiled[7] += 1e6
    assert_allclose(rs.cross_predict(Ridge(alpha=0.1), X, spoiled, rs.k_fold(150, 4, shuffle=False))[7], got[7])
    with pytest.raises(ValueError, match="row 0 is tested 2 times"):
        rs.cross_predict(Ridge(), X, y, [(np.arange(1, 150), [0]), (np.arange(1, 150), [0])])


def test_the_model_and_the_data_are_left_alone(patients):
    X, y = (a.copy() for a in patients)
    X.setflags(write=False)
    y.setflags(write=False)
    model = Ridge(alpha=0.5)
    rs.grid_search(model, {"alpha": [1.0, 2.0]}, X, y, 3, random_state=0)
    rs.learning_curve(model, [0.5, 1.0], X, y, 3, random_state=0)
    assert vars(model) == {"alpha": 0.5, "fit_intercept": True, "solver": "auto"}
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    rs.cross_validate(model, X, y, 3, random_state=0)
    assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


def test_validation_curve_is_scikit_learns(patients):
    X, y = patients
    alphas = [0.01, 0.1, 1.0, 10.0]
    curve = rs.validation_curve(Ridge(), "alpha", alphas, X, y, rs.k_fold(150, 5, shuffle=False))
    train, test = ms.validation_curve(sk.Ridge(), X, y, param_name="alpha", param_range=alphas, cv=5, scoring="neg_mean_squared_error")
    assert_allclose(curve.train_scores, -train, rtol=1e-9)
    assert_allclose(curve.test_scores, -test, rtol=1e-9)
    assert curve.best == (-test).mean(axis=1).argmin()


def test_learning_curve_is_scikit_learns(patients):
    X, y = patients
    sizes, train, test = ms.learning_curve(sk.Ridge(alpha=0.1), X, y, train_sizes=[20, 60, 120], cv=5, scoring="neg_mean_squared_error")
    curve = rs.learning_curve(Ridge(alpha=0.1), [20, 60, 120], X, y, rs.k_fold(150, 5, shuffle=False))
    assert_array_equal(curve.values, sizes)
    assert_allclose(curve.train_scores, -train, rtol=1e-9)
    assert_allclose(curve.test_scores, -test, rtol=1e-9)
    assert_array_equal(rs.learning_curve(Ridge(), [0.1, 0.5, 1.0], X, y, 5, random_state=0).values, [12, 60, 120])


def test_grid_search_is_scikit_learns(patients):
    X, y = patients
    grid = {"alpha": [0.001, 0.01, 0.1, 1.0], "fit_intercept": [True, False]}
    ours = rs.grid_search(Ridge(), grid, X, y, rs.k_fold(150, 5, shuffle=False))
    theirs = ms.GridSearchCV(sk.Ridge(), grid, cv=5, scoring="neg_mean_squared_error").fit(X, y)
    assert ours.best_params == theirs.best_params_
    assert_allclose(ours.best_score, -theirs.best_score_)
    assert_allclose(ours.test_scores.mean(axis=1), -theirs.cv_results_["mean_test_score"])
    assert ours.candidates == theirs.cv_results_["params"]
    assert_allclose(ours.best_model.coef_, theirs.best_estimator_.coef_, rtol=1e-7)     # fitted again on all rows


def test_grid_search_goes_up_for_scores_and_takes_the_first_of_equals(flowers):
    X, y = flowers
    found = rs.grid_search(KNeighborsClassifier(), {"n_neighbors": [1, 10, 90]}, X, y, 5, random_state=0)
    assert found.best_score == found.test_scores.mean(axis=1).max() and found.best_params["n_neighbors"] != 90
    tied = rs.grid_search(ConstantRegressor(), {"statistic": ["mean", "mean"]}, X, X[:, 0], 3, random_state=0)
    assert tied.test_scores[0].mean() == tied.test_scores[1].mean() and tied.best_params is tied.candidates[0]
    assert rs.parameter_grid([{"a": [1, 2]}, {"b": [3]}]) == [{"a": 1}, {"a": 2}, {"b": 3}]
    assert rs.parameter_grid({"a": (v for v in (1, 2)), "b": [3]}) == [{"a": 1, "b": 3}, {"a": 2, "b": 3}]


def test_nested_cross_validation_by_hand(patients):
    X, y = patients
    grid = {"alpha": [0.01, 1.0]}
    outer = rs.k_fold(150, 3, shuffle=False)
    got = rs.nested_cross_validate(Ridge(), grid, X, y, outer, 4, random_state=9)
    rng = np.random.default_rng(9)
    for j, (train, test) in enumerate(outer):
        inner = rs.k_fold(len(train), 4, random_state=rng)
        means = [np.mean([mean_squared_error(y[train][b], Ridge(alpha=a).fit(X[train][i], y[train][i]).predict(X[train][b]))
                          for i, b in inner]) for a in grid["alpha"]]
        alpha = grid["alpha"][int(np.argmin(means))]
        assert got.best_params[j] == {"alpha": alpha}
        assert_allclose(got.inner_scores[j], min(means))
        assert_allclose(got.test_scores[j], mean_squared_error(y[test], Ridge(alpha=alpha).fit(X[train], y[train]).predict(X[test])))
    assert_allclose(got.mean, got.test_scores.mean())


def test_a_scorer_of_ones_own():
    X, y = np.zeros((6, 1)), np.array([0.0, 0, 0, 0, 0, 9])
    worst = rs.Scorer("worst", lambda t, p: np.abs(t - p).max(), False)
    found = rs.grid_search(ConstantRegressor(), {"statistic": ["median", "mean"]}, X, y, rs.leave_one_out(6), scoring=worst)
    assert found.best_params == {"statistic": "median"}
    reverse = worst._replace(greater_is_better=True)
    assert rs.grid_search(ConstantRegressor(), {"statistic": ["median", "mean"]}, X, y, rs.leave_one_out(6),
                          scoring=reverse).best_params == {"statistic": "mean"}


def test_bad_input_is_refused_with_a_reason():
    X, y, model = np.arange(8.0)[:, None], np.arange(8.0), Ridge()
    hole = X.copy()
    hole[3] = np.nan
    for call, message in (
        (lambda: rs.cross_validate(model, hole, y), "X contains NaN or infinity"),
        (lambda: rs.cross_validate(model, X, hole[:, 0]), "y contains NaN or infinity"),
        (lambda: rs.cross_validate(model, X, y[:5]), "X has 8 rows, but y has 5"),
        (lambda: rs.cross_validate(model, X, y, scoring="f7"), "unknown scoring 'f7'; use one of accuracy, error_rate, mse, mae, r2"),
        (lambda: rs.cross_validate(model, X, y, scoring=3), "unknown scoring 3"),
        (lambda: rs.cross_validate(Ridge, X, y), "must be an mlcore Estimator"),
        (lambda: rs.cross_validate(sk.Ridge(), X, y), "must be an mlcore Estimator"),
        (lambda: rs.cross_validate(Standardizer(), X, y), "with fit and predict"),
        (lambda: rs.cross_validate(model, X, y, scoring=rs.Scorer("odd", lambda t, p: np.nan, True)), "odd of Ridge.* is nan"),
        (lambda: rs.cross_validate(MajorityClassifier(), X, [0, 0, 0, 0, 0, 0, 1, 1], 4), "class 1 has 2 members, fewer than the 4 folds"),
        (lambda: rs.grid_search(model, [], X, y), "grid is empty"),
        (lambda: rs.grid_search(model, {"alpha": []}, X, y), r"grid\['alpha'\] is empty"),
        (lambda: rs.grid_search(model, {"alpha": 3.0}, X, y), r"must be a list of values, got 3.0; write \[3.0\]"),
        (lambda: rs.grid_search(model, ["alpha"], X, y), "grid must be a dictionary"),
        (lambda: rs.grid_search(model, {"beta": [1]}, X, y), "Ridge has no parameter 'beta'"),
        (lambda: rs.validation_curve(model, "alpha", [], X, y), "values is empty"),
        (lambda: rs.learning_curve(model, [], X, y), "sizes must be a list"),
        (lambda: rs.learning_curve(model, [0.0], X, y), "must be > 0 and <= 1"),
        (lambda: rs.learning_curve(model, [7], X, y, 2), "sizes must lie between 1 and 4"),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_an_empty_dictionary_means_the_model_as_it_is():
    X = np.arange(8.0)[:, None]
    found = rs.grid_search(Ridge(alpha=3.0), {}, X, X[:, 0], 4, random_state=0)
    assert found.candidates == [{}] and found.best_model.alpha == 3.0


# ---------------------------------------------------------------- leaving out without refitting


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(("n", "d"), [(12, 3), (9, 20)])
def test_ridge_shortcut_is_refitting(n, d, intercept):
    rng = np.random.default_rng(n)
    X, y = rng.normal(size=(n, d)) + 1, rng.normal(size=n) + 5
    alphas = [0.05, 1.0, 30.0] + ([0.0] if n > d else [])
    got = rs.ridge_loo(X, y, alphas, intercept)
    for alpha, residuals, error in zip(alphas, got.residuals, got.errors):
        brute = y - rs.cross_predict(Ridge(alpha=alpha, fit_intercept=intercept), X, y, rs.leave_one_out(n))
        assert_allclose(residuals, brute, rtol=1e-7)
        assert_allclose(error, np.mean(brute**2))


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("shape", [(60, 10), (20, 35)])
def test_ridge_loo_values_are_scikit_learns(intercept, shape):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=shape), rng.normal(size=shape[0])
    alphas = [0.1, 1.0, 10.0]
    theirs = sk.RidgeCV(alphas, fit_intercept=intercept, store_cv_results=True).fit(X, y)
    ours = rs.ridge_loo(X, y, alphas, intercept)
    assert_allclose(ours.residuals.T**2, theirs.cv_results_, rtol=1e-7)
    assert alphas[ours.best] == theirs.alpha_


def test_degrees_of_freedom_and_gcv_from_the_matrix():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(15, 4)), rng.normal(size=15)
    A = np.column_stack([np.ones(15), X])
    for alpha in (0.0, 2.0):
        P = alpha * np.diag([0.0, 1, 1, 1, 1])
        S = A @ np.linalg.solve(A.T @ A + P, A.T)
        got = rs.ridge_loo(X, y, [alpha])
        assert_allclose(got.dof[0], np.trace(S))
        assert_allclose(got.gcv[0], rs.gcv_error(S, y))
        assert_allclose(got.residuals[0], rs.loo_shortcut(S, y))
        assert_allclose(got.gcv[0], np.mean((y - S @ y) ** 2) / (1 - np.trace(S) / 15) ** 2)


def test_gcv_is_leave_one_out_after_a_rotation_that_evens_the_leverages():
    rng = np.random.default_rng(3)
    n = 16
    U, s, _ = np.linalg.svd(rng.normal(size=(n, n)))
    y = rng.normal(size=n)
    eig = s**2 / (s**2 + 3)
    S = (U * eig) @ U.T
    F = np.fft.fft(np.eye(n), norm="ortho")                   # unitary: a circulant matrix has a constant diagonal
    rotated, target = F.conj().T @ np.diag(eig) @ F, F.conj().T @ U.T @ y
    assert np.ptp(np.diag(rotated).real) < 1e-12
    residual = (target - rotated @ target) / (1 - np.diag(rotated))
    assert_allclose(np.mean(np.abs(residual) ** 2), rs.gcv_error(S, y))


@pytest.mark.parametrize("k", [2, 3, 7, 20])
def test_fold_shortcut_is_refitting(k):
    rng = np.random.default_rng(k)
    X, y = rng.normal(size=(20, 3)), rng.normal(size=20)
    folds = rs.k_fold(20, k, random_state=0)
    S = hat_matrix(np.column_stack([np.ones(20), X]))
    assert_allclose(rs.fold_residuals(S, y, folds), y - rs.cross_predict(LinearRegression(), X, y, folds), rtol=1e-8)
    both = rs.fold_residuals(S, np.column_stack([y, X[:, 0] ** 2]), folds)
    assert_allclose(both, np.column_stack([rs.fold_residuals(S, t, folds) for t in (y, X[:, 0] ** 2)]))
    S = X @ np.linalg.solve(X.T @ X + 2 * np.eye(3), X.T)
    brute = y - rs.cross_predict(Ridge(alpha=2.0, fit_intercept=False), X, y, folds)
    assert_allclose(rs.fold_residuals(S, y, folds), brute, rtol=1e-8)


def test_polynomial_smoother_and_its_folds():
    rng = np.random.default_rng(0)
    x, y = rng.uniform(-1, 1, 20), rng.normal(size=20)
    folds = rs.k_fold(20, 5, random_state=1)
    got = rs.fold_residuals(polynomial_smoother(x, x, 4), y, folds)
    for train, test in folds:
        assert_allclose(got[test], y[test] - polynomial_smoother(x[train], x[test], 4) @ y[train], rtol=1e-7)


def test_undetermined_shortcuts_are_refused():
    X, y = np.random.default_rng(0).normal(size=(4, 6)), np.arange(4.0)
    with pytest.raises(ValueError, match="alpha=0 the fit follows row 0.*use alpha > 0"):
        rs.ridge_loo(X, y, [1.0, 0.0])
    with pytest.raises(ValueError, match="alphas must be at least 0"):
        rs.ridge_loo(X, y, [-1.0])
    with pytest.raises(ValueError, match="interpolates"):
        rs.gcv_error(np.eye(4), y)
    with pytest.raises(ValueError, match="is not determined"):
        rs.fold_residuals(hat_matrix(X[:, :2]), y, [([0], [1, 2, 3]), ([1, 2, 3], [0])])
    with pytest.raises(ValueError, match="needs all 4"):
        rs.fold_residuals(np.full((4, 4), 0.25), y, [([1, 2], [0]), ([0, 2, 3], [1]), ([0, 1, 3], [2]), ([0, 1, 2], [3])])
    with pytest.raises(ValueError, match="S must be square"):
        rs.gcv_error(np.eye(3), y)


def test_leave_one_out_estimates_the_error_of_one_row_less():
    rng = np.random.default_rng(0)
    n, d, runs = 10, 2, 4000
    mean = np.empty(runs)
    for r in range(runs):
        X = rng.normal(size=(n, d))
        mean[r] = rs.ridge_loo(X, rng.normal(size=n), [0.0]).errors[0]
    exact, other = expected_errors(9, 2).fresh_inputs, expected_errors(10, 2).fresh_inputs
    assert_allclose([exact, other], [14 / 9, 22 / 15])
    assert abs(mean.mean() - exact) < 4 * mean.std() / math.sqrt(runs)
    assert mean.std() / math.sqrt(runs) < 0.03


# ---------------------------------------------------------------- budget and penalty


def test_budget_solution_is_optimal():
    rng = np.random.default_rng(0)
    Z, y = rng.normal(size=(12, 4)), rng.normal(size=12)
    free = np.linalg.lstsq(Z, y)[0]
    for share in (0.01, 0.3, 0.9):
        C = share * free @ free
        w, lam = rs.constrained_least_squares(Z, y, C)
        assert_allclose(w @ w, C, rtol=1e-9)
        assert lam > 0
        assert_allclose(Z.T @ (y - Z @ w), lam * w, atol=1e-9)                    # the gradient points along w
        assert_allclose(w, ridge_primal(Z, y, lam), rtol=1e-7)
        other = minimize(lambda v: np.sum((y - Z @ v) ** 2), np.zeros(4), method="SLSQP", tol=1e-12,
                         constraints={"type": "ineq", "fun": lambda v, C=C: C - v @ v})
        assert_allclose(w, other.x, atol=1e-4)
    w, lam = rs.constrained_least_squares(Z, y, 1.01 * free @ free)
    assert lam == 0
    assert_allclose(w, free, rtol=1e-9)
    assert rs.constrained_least_squares(np.zeros((3, 2)), np.ones(3), 1.0).coef.tolist() == [0.0, 0.0]


def test_multiplier_falls_as_the_budget_grows():
    rng = np.random.default_rng(1)
    Z, y = rng.normal(size=(12, 4)), rng.normal(size=12)
    lams = [rs.constrained_least_squares(Z, y, C).multiplier for C in (0.001, 0.01, 0.05, 0.1)]
    assert (np.diff(lams) < 0).all()
    with pytest.raises(ValueError, match="budget must be a number > 0"):
        rs.constrained_least_squares(Z, y, 0)


def test_augmented_error_is_minimal_at_ridge():
    rng = np.random.default_rng(2)
    Z, y = rng.normal(size=(9, 3)), rng.normal(size=9)
    w = ridge_primal(Z, y, 2.0)
    assert_allclose(numerical_gradient(lambda v: rs.augmented_error(v, Z, y, 2.0), w), 0, atol=1e-7)


# ---------------------------------------------------------------- descent as a regularizer


def loop(X, y, t, step, start):
    theta = start.copy()
    for _ in range(t):
        theta = theta - step * X.T @ (X @ theta - y)
    return theta


@pytest.mark.parametrize("shape", [(6, 15), (15, 6), (8, 8)])
def test_closed_form_of_the_iterates_is_the_loop(shape):
    rng = np.random.default_rng(0)
    X, y, start = rng.normal(size=shape), rng.normal(size=shape[0]), rng.normal(size=shape[1])
    step = 1.3 / np.linalg.norm(X, 2) ** 2
    counts = [0, 1, 2, 17, 300]
    got = rs.descent_coefficients(X, y, counts, step, start)
    for t, theta in zip(counts, got):
        assert_allclose(theta, loop(X, y, t, step, start), atol=1e-10)


def test_descent_ends_at_the_nearest_solution():
    rng = np.random.default_rng(1)
    X, y, start = rng.normal(size=(5, 12)), rng.normal(size=5), rng.normal(size=12)
    end = rs.descent_limit(X, y, start)
    assert_allclose(X @ end, y, atol=1e-10)
    assert_allclose(rs.descent_coefficients(X, y, [100_000], start=start)[0], end, atol=1e-8)
    null = np.linalg.svd(X)[2][5:]                              # moving along the solutions only leads away from the start
    assert_allclose(null @ (end - start), 0, atol=1e-10)
    assert_allclose(rs.descent_limit(X, y), min_norm_solution(X, y), atol=1e-10)
    tall, z = rng.normal(size=(12, 3)), rng.normal(size=12)     # one solution: the start is forgotten
    assert_allclose(rs.descent_limit(tall, z, [9.0, 9, 9]), np.linalg.lstsq(tall, z)[0], atol=1e-10)


def test_filters_are_what_the_two_methods_do():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(10, 4)), rng.normal(size=10)
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    base = U.T @ y / s
    assert_allclose((rs.ridge_filter(s, 3.0) * base) @ Vt, ridge_primal(X, y, 3.0), rtol=1e-9)
    step = 0.5 / s[0] ** 2
    assert_allclose((rs.descent_filter(s, step, 9) * base) @ Vt, loop(X, y, 9, step, np.zeros(4)), rtol=1e-9)
    assert rs.ridge_filter([0.0], 0.0).tolist() == [0.0]


def test_filters_with_matched_time_stay_within_the_proved_factor():
    s = np.geomspace(1e-3, 1, 400)
    for step, t in itertools.product((0.05, 0.5, 1.0), (1, 5, 50, 4000)):
        stop, ridge = rs.descent_filter(s, step, t), rs.ridge_filter(s, 1 / (step * t))
        assert (stop >= ridge - 1e-12).all() and (stop <= 2 * ridge + 1e-12).all()
        assert ((1 - stop) ** 2 <= (1 - ridge) ** 2 + 1e-12).all()      # with the factor 2: the risk is at most 4 times that of ridge


def test_bad_descents_are_refused():
    X, y = np.eye(2), np.ones(2)
    for call, message in (
        (lambda: rs.descent_coefficients(X, y, [3], step=2.0), "step=2 makes gradient descent diverge.* = 2"),
        (lambda: rs.descent_coefficients(X, y, [1.5]), "whole numbers"),
        (lambda: rs.descent_coefficients(X, y, [-1]), "whole numbers >= 0"),
        (lambda: rs.descent_limit(X, y, start=[1.0]), "start has 1 entries, but X has 2 columns"),
        (lambda: rs.ridge_filter([-1.0], 1.0), "singular values are not negative"),
        (lambda: rs.ridge_filter([1.0], -1.0), "alpha must be a number >= 0"),
        (lambda: rs.stop_early([], 3), "losses has 0 samples"),
        (lambda: rs.stop_early([1.0], 0), "patience must be an integer >= 1"),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_early_stopping_rule():
    assert rs.stop_early([3.0, 2.0, 1.0], 5) == (2, 2)
    assert rs.stop_early([3.0, 1.0, 1.0, 1.0, 0.0], 3) == (4, 4)          # the last one comes in time
    assert rs.stop_early([3.0, 1.0, 1.0, 1.0, 0.0], 2) == (1, 3)          # equal is no improvement
    assert rs.stop_early([1.0, 2.0, 3.0, 4.0], 2) == (0, 2)


# ---------------------------------------------------------------- diagonal networks


@pytest.fixture(scope="module")
def sparse():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 30))
    theta = np.zeros(30)
    theta[:2] = 1
    return X, X @ theta, theta


def test_potential_gradient_and_limits():
    rng = np.random.default_rng(0)
    theta = rng.normal(size=4)
    for scale in (0.05, 0.7, 3.0):
        got = numerical_gradient(lambda t, a=scale: rs.diagonal_potential(t, a), theta)
        assert_allclose(got, np.arcsinh(theta / (2 * scale**2)), rtol=1e-5)
    assert_allclose(rs.diagonal_potential(theta, 50.0) * 4 * 50**2, theta @ theta, rtol=1e-6)
    ratio = [rs.diagonal_potential(theta, a) / math.log(1 / a**2) / np.abs(theta).sum() for a in (1e-10, 1e-60, 1e-150)]
    assert (np.diff(np.abs(np.array(ratio) - 1)) < 0).all()
    assert_allclose(ratio[-1], 1, atol=0.01)


@pytest.mark.parametrize("scale", [0.01, 0.1, 1.0])
def test_flow_limit_satisfies_its_optimality_conditions(sparse, scale):
    X, y, _ = sparse
    theta = rs.diagonal_limit(X, y, scale)
    assert_allclose(X @ theta, y, atol=1e-8)
    gradient = np.arcsinh(theta / (2 * scale**2))
    nu = np.linalg.lstsq(X.T, gradient)[0]
    assert_allclose(X.T @ nu, gradient, atol=1e-6)             # orthogonal to the null space: no solution is lower
    rng, value = np.random.default_rng(1), rs.diagonal_potential(theta, scale)
    null = np.linalg.svd(X)[2][12:]
    assert all(rs.diagonal_potential(theta + 0.1 * rng.normal(size=18) @ null, scale) > value for _ in range(20))


@pytest.mark.parametrize(("scale", "step", "atol"), [(0.05, 0.01, 0.02), (0.3, 0.005, 5e-3), (2.0, 0.0005, 1e-3)])
def test_descent_ends_where_the_flow_does(sparse, scale, step, atol):
    X, y, _ = sparse
    run = rs.diagonal_descent(X, y, scale, step=step, max_steps=40_000)
    assert run.converged and run.losses[-1] <= 1e-10
    assert_allclose(run.theta, rs.diagonal_limit(X, y, scale), atol=atol)


def test_scale_moves_the_limit_from_the_shortest_in_the_1_norm_to_that_in_the_2_norm(sparse):
    X, y, theta = sparse
    lp = linprog(np.ones(60), A_eq=np.hstack([X, -X]), b_eq=y, bounds=(0, None)).x
    shortest = lp[:30] - lp[30:]
    assert_allclose(rs.diagonal_limit(X, y, 1e-6), shortest, atol=1e-3)
    assert_allclose(rs.diagonal_limit(X, y, 50.0), min_norm_solution(X, y), atol=1e-4)
    norms = [np.abs(rs.diagonal_limit(X, y, a)).sum() for a in (1e-4, 1e-2, 0.1, 1.0, 10.0)]
    assert (np.diff(norms) > 0).all()
    assert np.abs(shortest - theta).max() < 1e-8               # and the sparse truth is found


def test_descent_records_and_refuses(sparse):
    X, y, _ = sparse
    run = rs.diagonal_descent(X, y, 0.3, max_steps=50, record=(0, 10))
    assert run.steps.tolist() == [0, 10, 50] and not run.converged
    assert_allclose(run.path[0], 0)
    assert_allclose(run.losses[0], np.mean(y**2))
    assert_allclose(run.losses[1], np.mean((y - X @ run.path[1]) ** 2))
    for call, message in (
        (lambda: rs.diagonal_descent(X, y, 1.0, step=5.0), "diverged at step .*use a smaller step than 5"),
        (lambda: rs.diagonal_descent(X, y, 0.0), "scale must be a number > 0"),
        (lambda: rs.diagonal_descent(X, y, 1.0, record=[99_999_999]), "record must be an integer >= 0 and <= 20000"),
        (lambda: rs.diagonal_limit(np.ones((2, 3)), np.ones(2), 1.0), "linearly independent rows, got rank 1 for 2"),
    ):
        with np.errstate(all="ignore"), pytest.raises(ValueError, match=message):
            call()


# ---------------------------------------------------------------- selection bias


def test_expected_minimum_is_the_simulated_one():
    rng = np.random.default_rng(0)
    for m, k, p in ((1, 20, 0.3), (10, 50, 0.5), (200, 30, 0.2)):
        draws = rng.binomial(k, p, size=(2000, m)).min(axis=1) / k
        assert abs(draws.mean() - rs.expected_minimum(m, k, p)) < 4 * draws.std() / math.sqrt(2000) + 1e-12
    assert_allclose(rs.expected_minimum(1, 40, 0.3), 0.3)
    for m, k, p in itertools.product((1, 2, 30, 5000), (1, 20, 300), (0.05, 0.5, 0.9)):          # the bound of thm-rs-selection
        assert 0 <= p - rs.expected_minimum(m, k, p) + 1e-12 <= math.sqrt(math.log(m) / (2 * k)) + 2e-12
    for bad, message in (((0, 5), "n_models"), ((1, 0), "n_rows"), ((1, 5, 2.0), "error must be")):
        with pytest.raises(ValueError, match=message):
            rs.expected_minimum(*bad)


def test_screen_keeps_the_largest_correlations():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 12)), rng.normal(size=30)
    X[:, 3] = 7.0
    screen = rs.CorrelationScreen(n_features=4).fit(X, y)
    want = [0.0 if j == 3 else np.corrcoef(X[:, j], y)[0, 1] for j in range(12)]
    assert_allclose(screen.correlations_, want, atol=1e-12)
    assert_array_equal(screen.kept_, np.sort(np.argsort(-np.abs(want))[:4]))
    assert_array_equal(screen.transform(X), X[:, screen.kept_])
    assert rs.CorrelationScreen(n_features=50).fit(X, y).kept_.tolist() == list(range(12))


def test_screening_outside_the_folds_flatters_and_inside_does_not():
    rng = np.random.default_rng(0)
    wrong, right = [], []
    for _ in range(12):
        X, y = rng.normal(size=(50, 1000)), rng.permutation(np.repeat([0, 1], 25))
        model = KNeighborsClassifier(n_neighbors=1)
        outside = rs.CorrelationScreen(n_features=20).fit(X, y).transform(X)
        wrong.append(rs.cross_validate(model, outside, y, 5, random_state=rng).mean)
        right.append(rs.cross_validate(rs.Chain(rs.CorrelationScreen(n_features=20), model), X, y, 5, random_state=rng).mean)
    assert np.mean(wrong) > 0.8
    assert abs(np.mean(right) - 0.5) < 4 * np.std(right) / math.sqrt(12)


def test_chain_fits_each_step_on_the_training_rows_only(patients):
    X, y = patients
    chain = rs.Chain(Standardizer(), rs.Chain(rs.CorrelationScreen(n_features=3), Ridge(alpha=2.0)))
    fitted = chain.fit(X, y)
    Z = Standardizer().fit_transform(X)
    kept = rs.CorrelationScreen(n_features=3).fit(Z, y).kept_
    assert_allclose(fitted.predict(X), Ridge(alpha=2.0).fit(Z[:, kept], y).predict(Z[:, kept]))
    assert not hasattr(chain.transformer, "mean_")
    assert rs.Chain(None, LogisticRegression()).kind == "classifier"
    found = rs.grid_search(chain, {"model__transformer__n_features": [1, 3, 5]}, X, y, 4, random_state=0)
    assert len(found.candidates) == 3 and found.best_model.model.transformer.n_features in (3, 5)
