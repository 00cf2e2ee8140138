"""Learning curves: how the error of models on new data falls with the number of examples."""

import numpy as np

from mlcore.base import check_number, check_rng, clone
from mlcore.takes import takes


@takes(models=dict, sample="function", sizes="list", measure="function")
def learning_curve(models, sample, sizes, repeats=20, measure=None, n_test=10000, rng=None):
    """Mean measure on fixed test data of models fitted to growing samples, and its standard error.

    Parameters
    ----------
    models : dict name -> unfitted model;  sample : function (n, rng) -> X, y
    sizes : numbers of training examples; a draw that lacks one of the classes is repeated
    measure : function (model, X, y) -> number, or several; the share of wrong predictions if None
    n_test : size of the test sample, one for all sizes and models (its own sampling error is common to all and not in the errors)

    Returns
    -------
    dict name -> (means, standard errors), both (len(sizes),), or (len(sizes), number of measures) if there are several

    >>> from mlcore.supervised.generative_learning import GaussianDiscriminant
    >>> def draw(n, rng):
    ...     y = rng.integers(2, size=n)
    ...     return rng.normal(size=(n, 1)) + 4 * y[:, None], y
    >>> mean, error = learning_curve({"gda": GaussianDiscriminant()}, draw, [10, 100], repeats=5, rng=0)["gda"]
    >>> bool(mean[1] < 0.05)
    True
    """
    rng = check_rng(rng)
    check_number(repeats, "repeats", low=2, integer=True)
    check_number(n_test, "n_test", low=1, integer=True)
    measure = measure or (lambda model, X, y: 1 - model.score(X, y))
    X_test, y_test = sample(n_test, rng)
    k = len(np.unique(y_test))
    results = {name: [] for name in models}
    for n in sizes:
        draws = [_with_all_classes(sample, n, k, rng) for _ in range(repeats)]
        for name, model in models.items():
            results[name].append([measure(clone(model).fit(X, y), X_test, y_test) for X, y in draws])
    stacked = {name: np.array(v) for name, v in results.items()}  # (sizes, repeats) or (sizes, repeats, measures)
    return {name: (v.mean(axis=1), v.std(axis=1, ddof=1) / np.sqrt(repeats)) for name, v in stacked.items()}


def _with_all_classes(sample, n, k, rng):
    """Draw until every class occurs at least twice."""
    for _ in range(1000):
        X, y = sample(n, rng)
        classes, counts = np.unique(y, return_counts=True)
        if len(classes) == k and counts.min() >= 2:
            return X, y
    raise ValueError(f"1000 samples of {n} examples never held two of each of the {k} classes; use larger sizes.")
