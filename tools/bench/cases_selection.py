"""Model selection and generalization beside scikit-learn and scipy."""

import numpy as np
from scipy import special
from sklearn import feature_selection, linear_model, model_selection, pipeline

from mlcore.generalization import bias_variance as bias
from mlcore.generalization import regularization_and_selection as selection
from mlcore.supervised.ridge_lasso_polynomial import Ridge
from tools.bench.data import gap, gaps, growing, regression
from tools.bench.measure import case

SIZES = growing("n", 500, 5_000, 50_000, d=20)
ERROR = "neg_mean_squared_error"


def folds(n, k=5):
    """The same folds for both sides, as pairs of row numbers."""
    return list(model_selection.KFold(k).split(np.zeros(n)))


def module(chapter, name):
    """The full name of something of a chapter of this part."""
    return f"mlcore.generalization.{chapter}.{name}"


@case("cross-validation of ridge", module("regularization_and_selection", "cross_validate"), "sklearn.model_selection.cross_validate", 2,
      SIZES)
def cross_validation(n, d):
    X, y = regression(n, d)
    pairs = folds(n)
    return (lambda: selection.cross_validate(Ridge(), X, y, pairs),
            lambda: model_selection.cross_validate(linear_model.Ridge(), X, y, cv=pairs, scoring=ERROR, return_train_score=True),
            lambda ours, theirs: gaps((ours.test_scores, -theirs["test_score"]), (ours.train_scores, -theirs["train_score"])))


@case("predictions out of fold", module("regularization_and_selection", "cross_predict"), "sklearn.model_selection.cross_val_predict", 2,
      SIZES)
def cross_predict(n, d):
    X, y = regression(n, d)
    pairs = folds(n)
    return (lambda: selection.cross_predict(Ridge(), X, y, pairs),
            lambda: model_selection.cross_val_predict(linear_model.Ridge(), X, y, cv=pairs), gap)


@case("grid search over ridge penalties", module("regularization_and_selection", "grid_search"), "sklearn.model_selection.GridSearchCV", 2,
      growing("n", 500, 2_000, 10_000, d=20))
def grid_search(n, d):
    X, y = regression(n, d)
    pairs, grid = folds(n), {"alpha": np.geomspace(0.01, 100, 10).tolist()}
    theirs = model_selection.GridSearchCV(linear_model.Ridge(), grid, cv=pairs, scoring=ERROR, return_train_score=True)
    return (lambda: selection.grid_search(Ridge(), grid, X, y, pairs), lambda: theirs.fit(X, y),
            lambda ours, theirs: gaps((ours.best_params["alpha"], theirs.best_params_["alpha"]), (ours.best_score, -theirs.best_score_)))


@case("validation curve of ridge", module("regularization_and_selection", "validation_curve"), "sklearn.model_selection.validation_curve",
      2, growing("n", 500, 2_000, 10_000, d=20))
def validation_curve(n, d):
    X, y = regression(n, d)
    pairs, alphas = folds(n), np.geomspace(0.01, 100, 10)
    return (lambda: selection.validation_curve(Ridge(), "alpha", alphas, X, y, pairs).test_scores,
            lambda: -model_selection.validation_curve(linear_model.Ridge(), X, y, param_name="alpha", param_range=alphas, cv=pairs,
                                                      scoring=ERROR)[1], gap)


@case("learning curve of ridge", module("regularization_and_selection", "learning_curve"), "sklearn.model_selection.learning_curve", 2,
      growing("n", 500, 2_000, 10_000, d=20))
def learning_curve(n, d):
    X, y = regression(n, d)
    pairs, sizes = folds(n), np.linspace(n // 10, n // 2, 5).astype(int)
    return (lambda: selection.learning_curve(Ridge(), sizes, X, y, pairs).test_scores,
            lambda: -model_selection.learning_curve(linear_model.Ridge(), X, y, train_sizes=sizes, cv=pairs, scoring=ERROR)[2], gap)


@case("leave-one-out ridge", module("regularization_and_selection", "ridge_loo"), "sklearn.linear_model.RidgeCV", 2,
      growing("n", 300, 1_000, 5_000, d=20))
def ridge_loo(n, d):
    X, y = regression(n, d)
    alphas = np.geomspace(0.01, 100, 10)
    return (lambda: selection.ridge_loo(X, y, alphas), lambda: linear_model.RidgeCV(alphas, store_cv_results=True).fit(X, y),
            lambda ours, theirs: gap(ours.residuals.T ** 2, theirs.cv_results_))


@case("screened ridge", module("regularization_and_selection", "Chain"), "sklearn.pipeline.make_pipeline", 2, SIZES)
def chain(n, d):
    X, y = regression(n, d, informative=5)
    theirs = pipeline.make_pipeline(feature_selection.SelectKBest(lambda X, y: np.abs(feature_selection.r_regression(X, y)), k=5),
                                    linear_model.Ridge())
    return (lambda: selection.Chain(selection.CorrelationScreen(5), Ridge()).fit(X, y), lambda: theirs.fit(X, y),
            lambda ours, theirs: gap(ours.predict(X), theirs.predict(X)))


@case("correlation screen", module("regularization_and_selection", "CorrelationScreen"), "sklearn.feature_selection.r_regression", 2,
      growing("n", 500, 5_000, 20_000, d=100))
def correlation_screen(n, d):
    X, y = regression(n, d)
    theirs = feature_selection.SelectKBest(lambda X, y: np.abs(feature_selection.r_regression(X, y)), k=10)
    return (lambda: selection.CorrelationScreen(10).fit(X, y).transform(X), lambda: theirs.fit(X, y).transform(X),
            lambda a, b: gap(np.sort(a, axis=1), np.sort(b, axis=1)))


@case("folds", module("regularization_and_selection", "k_fold"), "sklearn.model_selection.KFold", 2,
      growing("n", 1_000, 10_000, 100_000))
def k_fold(n):
    X, theirs = np.zeros((n, 1)), model_selection.KFold(5)
    return (lambda: selection.k_fold(n, 5, shuffle=False), lambda: list(theirs.split(X)),
            lambda a, b: gaps(*(pair for ours, others in zip(a, b) for pair in zip(ours, others))))


@case("shortest interpolating solution", module("bias_variance", "MinNormRegression"), "sklearn.linear_model.LinearRegression", 2,
      growing("d", 200, 800, 3_200, n=100))
def min_norm(n, d):
    X, y = regression(n, d)
    return (lambda: bias.MinNormRegression().fit(X, y), lambda: linear_model.LinearRegression(fit_intercept=False).fit(X, y),
            lambda ours, theirs: gap(ours.predict(X[::-1]), theirs.predict(X[::-1])))


@case("Legendre polynomials", module("bias_variance", "legendre_features"), "scipy.special.eval_legendre", 2,
      growing("n", 1_000, 10_000, 100_000, degree=10))
def legendre(n, degree):
    x = np.random.default_rng(0).uniform(-1, 1, n)
    k = np.arange(degree + 1)
    return (lambda: bias.legendre_features(x, degree), lambda: special.eval_legendre(k, x[:, None]) * np.sqrt(2 * k + 1), gap)
