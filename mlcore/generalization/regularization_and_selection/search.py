"""Choosing hyperparameters by cross-validation, and the honest error of the whole procedure: nested cross-validation."""

import itertools
from typing import NamedTuple

import numpy as np

from mlcore.base import Estimator, check_rng, clone
from mlcore.generalization.regularization_and_selection.scoring import check_task, get_scorer
from mlcore.generalization.regularization_and_selection.validation import cross_validate, make_folds


class Search(NamedTuple):
    """What a search found.

    best_params : dict;  best_score : its mean test score, an optimistic number (thm-rs-selection);  best_model : fitted on all rows;
    candidates : list of dicts;  test_scores, train_scores : (candidates, folds)
    """

    best_params: dict
    best_score: float
    best_model: Estimator
    candidates: list
    test_scores: np.ndarray
    train_scores: np.ndarray


class Nested(NamedTuple):
    """Nested cross-validation: scores of the chosen models on rows that took no part in choosing.

    test_scores : (outer folds,);  inner_scores : (outer folds,) what each inner search believed;  best_params : list of dicts
    """

    test_scores: np.ndarray
    inner_scores: np.ndarray
    best_params: list

    @property
    def mean(self):
        """Mean test score."""
        return float(self.test_scores.mean())


def parameter_grid(grid):
    """All combinations of a dict name -> values, or of a list of such dicts.

    >>> parameter_grid({"alpha": [0.1, 1.0], "fit_intercept": [True]})
    [{'alpha': 0.1, 'fit_intercept': True}, {'alpha': 1.0, 'fit_intercept': True}]
    """
    if not isinstance(grid, (dict, list, tuple)):
        raise TypeError(f"grid must be a dictionary name -> list of values (or a list of such), got {grid!r}.")
    grids = [grid] if isinstance(grid, dict) else list(grid)
    if not grids:
        raise ValueError("grid is empty; give a dictionary name -> list of values.")
    candidates = []
    for one in grids:
        if not isinstance(one, dict):
            raise ValueError(f"grid must be a dictionary name -> list of values (or a list of such), got {one!r}.")
        for name, values in one.items():
            if isinstance(values, str) or not np.iterable(values):
                raise ValueError(f"grid[{name!r}] must be a list of values, got {values!r}; write [{values!r}] for a single one.")
        one = {name: list(values) for name, values in one.items()}  # a generator may be read only once
        for name, values in one.items():
            if not values:
                raise ValueError(f"grid[{name!r}] is empty; give at least one value.")
        candidates += [dict(zip(one, choice)) for choice in itertools.product(*one.values())]
    return candidates


def grid_search(model, grid, X, y, folds=5, *, scoring=None, random_state=None):
    """Cross-validate every candidate on the same folds, take the best, fit it again on all rows.

    Of candidates with equal scores the first wins: list simpler ones first.

    >>> from mlcore.supervised.ridge_lasso_polynomial import Ridge
    >>> X = np.arange(6.0)[:, None]
    >>> grid_search(Ridge(), {"alpha": [10.0, 0.0]}, X, X[:, 0], folds=3, random_state=0).best_params
    {'alpha': 0.0}
    """
    X, y = check_task(model, X, y)
    scorer = get_scorer(scoring, model)
    candidates = parameter_grid(grid)
    pairs = make_folds(folds, model, y, random_state)
    runs = [cross_validate(clone(model).set_params(**params), X, y, pairs, scoring=scorer) for params in candidates]
    test = np.array([run.test_scores for run in runs])
    best = scorer.best(test.mean(axis=1))
    fitted = clone(model).set_params(**candidates[best]).fit(X, y)
    return Search(candidates[best], float(test[best].mean()), fitted, candidates, test, np.array([run.train_scores for run in runs]))


def nested_cross_validate(model, grid, X, y, outer=5, inner=5, *, scoring=None, random_state=None):
    """Repeat the whole search inside each outer training part and score its choice on the outer test part.

    ``outer`` may be pairs of rows; ``inner`` is a number of folds, drawn anew in each outer training part.
    """
    X, y = check_task(model, X, y)
    rng = check_rng(random_state)
    scorer = get_scorer(scoring, model)
    test, believed, chosen = [], [], []
    for inside, outside in make_folds(outer, model, y, rng):
        search = grid_search(model, grid, X[inside], y[inside], inner, scoring=scorer, random_state=rng)
        test.append(float(scorer.function(y[outside], search.best_model.predict(X[outside]))))
        believed.append(search.best_score)
        chosen.append(search.best_params)
    return Nested(np.array(test), np.array(believed), chosen)
