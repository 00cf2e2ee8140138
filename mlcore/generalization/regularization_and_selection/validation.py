"""Cross-validation of any estimator: scores, out-of-fold predictions, validation and learning curves."""

import numbers
from typing import NamedTuple

import numpy as np

from mlcore.base import check_array, check_rng, clone
from mlcore.generalization.regularization_and_selection.scoring import Scorer, check_task, get_scorer
from mlcore.generalization.regularization_and_selection.splits import check_partition, check_splits, k_fold, stratified_k_fold
from mlcore.takes import takes


class CrossValidation(NamedTuple):
    """Scores of one model on each fold, on the held-out rows and on the rows it was trained on."""

    test_scores: np.ndarray
    train_scores: np.ndarray
    scorer: Scorer

    @property
    def mean(self):
        """Mean of the test scores over the folds, each fold counting alike (eq-rs-cv)."""
        return float(self.test_scores.mean())

    @property
    def standard_error(self):
        """Spread of the fold scores divided by the root of their number; optimistic, as the folds share training rows."""
        return float(self.test_scores.std(ddof=1) / np.sqrt(len(self.test_scores))) if len(self.test_scores) > 1 else float("nan")


class Curve(NamedTuple):
    """Scores (values, folds) along a hyperparameter or a training size."""

    values: np.ndarray
    train_scores: np.ndarray
    test_scores: np.ndarray
    scorer: Scorer

    @property
    def best(self):
        """Position of the value with the best mean test score."""
        return self.scorer.best(self.test_scores.mean(axis=1))


def make_folds(folds, model, y, random_state):
    """An integer becomes that many shuffled folds, stratified for a classifier; given pairs are checked."""
    if isinstance(folds, numbers.Integral) and not isinstance(folds, bool):
        if model.kind == "classifier":
            return stratified_k_fold(y, folds, random_state=random_state)
        return k_fold(len(y), folds, random_state=random_state)
    return check_splits(folds, len(y))


def cross_validate(model, X, y, folds=5, *, scoring=None, random_state=None):
    """Train on all folds but one, score on that one, for each fold in turn (eq-rs-cv). ``model`` itself stays as it is.

    Parameters
    ----------
    model : an Estimator; its hyperparameters are copied for each fold
    folds : number of folds, shuffled by ``random_state`` and stratified for a classifier, or a list of (train, test) rows
    scoring : name in SCORERS, a Scorer, or None: accuracy for a classifier, mean squared error for a regressor

    >>> from mlcore.foundations.data_and_tasks import ConstantRegressor
    >>> X, y = np.zeros((4, 1)), np.array([0.0, 0.0, 2.0, 2.0])
    >>> cross_validate(ConstantRegressor(), X, y, folds=[([0, 2], [1, 3]), ([0, 1], [2, 3])]).test_scores
    array([1., 4.])
    """
    X, y = check_task(model, X, y)
    scorer = get_scorer(scoring, model)
    test, train = [], []
    for inside, outside in make_folds(folds, model, y, random_state):
        fitted = clone(model).fit(X[inside], y[inside])
        train.append(_score(scorer, fitted, X[inside], y[inside]))
        test.append(_score(scorer, fitted, X[outside], y[outside]))
    return CrossValidation(np.array(test), np.array(train), scorer)


def cross_predict(model, X, y, folds=5, *, random_state=None):
    """Prediction of every row by a model that was not trained on it; the test parts must hold each row once."""
    X, y = check_task(model, X, y)
    pairs = check_partition(make_folds(folds, model, y, random_state), len(y))
    parts = [clone(model).fit(X[train], y[train]).predict(X[test]) for train, test in pairs]
    rows = np.concatenate([test for _, test in pairs])
    return np.concatenate(parts)[np.argsort(rows)]


@takes(name=str, values="list")
def validation_curve(model, name, values, X, y, folds=5, *, scoring=None, random_state=None):
    """Cross-validate ``model`` with hyperparameter ``name`` at each of ``values``, on the same folds.

    >>> from mlcore.supervised.ridge_lasso_polynomial import Ridge
    >>> X = np.arange(6.0)[:, None]
    >>> curve = validation_curve(Ridge(), "alpha", [0.0, 100.0], X, X[:, 0], folds=3, random_state=0)
    >>> curve.best, curve.test_scores.shape
    (0, (2, 3))
    """
    values = list(values)
    if not values:
        raise ValueError(f"values is empty; give at least one value of {name}.")
    X, y = check_task(model, X, y)
    pairs = make_folds(folds, model, y, random_state)
    runs = [cross_validate(clone(model).set_params(**{name: v}), X, y, pairs, scoring=scoring) for v in values]
    return Curve(np.array(values), *(np.array([getattr(run, part) for run in runs]) for part in ("train_scores", "test_scores")),
                 runs[0].scorer)


@takes()
def learning_curve(model, sizes, X, y, folds=5, *, scoring=None, random_state=None):
    """Scores when only the first m rows of each training part, after mixing it, are used, for each m in ``sizes``.

    Sizes are counts, or shares (floats) of the smallest training part. Folds that are given as pairs are taken in
    their own order, without mixing.
    """
    X, y = check_task(model, X, y)
    rng = check_rng(random_state)
    pairs = make_folds(folds, model, y, rng)
    if isinstance(folds, numbers.Integral):
        pairs = [(rng.permutation(train), test) for train, test in pairs]
    counts = _training_sizes(sizes, min(len(train) for train, _ in pairs))
    runs = [cross_validate(model, X, y, [(train[:m], test) for train, test in pairs], scoring=scoring) for m in counts]
    return Curve(counts, *(np.array([getattr(run, part) for run in runs]) for part in ("train_scores", "test_scores")), runs[0].scorer)


def _training_sizes(sizes, largest):
    sizes = np.asarray(sizes)
    if sizes.ndim != 1 or sizes.size == 0:
        raise ValueError(f"sizes must be a list of training sizes, got shape {sizes.shape}; give at least one.")
    if sizes.dtype.kind == "f":
        check_array(sizes, name="sizes", ndim=1)
        if (sizes <= 0).any() or (sizes > 1).any():
            raise ValueError("sizes given as floats are shares of the training rows and must be > 0 and <= 1.")
        sizes = np.floor(sizes * largest + 1e-9).astype(int)
    if sizes.dtype.kind not in "iu" or sizes.min() < 1 or sizes.max() > largest:
        raise ValueError(f"sizes must lie between 1 and {largest}, the smallest training part, got {sizes.tolist()}.")
    return sizes


def _score(scorer, model, X, y):
    value = float(scorer.function(y, model.predict(X)))
    if not np.isfinite(value):
        raise ValueError(f"{scorer.name} of {model!r} is {value}; the model's predictions are not usable numbers.")
    return value
