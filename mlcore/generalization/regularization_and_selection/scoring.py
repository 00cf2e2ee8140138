"""Named measures of a prediction, each with the direction in which it is better."""

from typing import NamedTuple

from mlcore.base import Estimator, check_array, check_labels, check_same_length, r2_score
from mlcore.foundations.data_and_tasks.measures import accuracy, mean_absolute_error, mean_squared_error


class Scorer(NamedTuple):
    """A measure ``function(y, prediction) -> number`` and whether a larger value is better."""

    name: str
    function: object
    greater_is_better: bool

    def best(self, values):
        """Position of the best value; of equal ones the first."""
        return int(values.argmax() if self.greater_is_better else values.argmin())


SCORERS = {
    scorer.name: scorer
    for scorer in (
        Scorer("accuracy", accuracy, True),
        Scorer("error_rate", lambda y, prediction: 1 - accuracy(y, prediction), False),
        Scorer("mse", mean_squared_error, False),
        Scorer("mae", mean_absolute_error, False),
        Scorer("r2", r2_score, True),
    )
}


def get_scorer(scoring, model):
    """The Scorer of a name; None means accuracy for a classifier and the mean squared error for a regressor.

    >>> get_scorer("mae", None).greater_is_better
    False
    """
    if scoring is None:
        scoring = "accuracy" if model.kind == "classifier" else "mse"
    if isinstance(scoring, Scorer):
        return scoring
    if not isinstance(scoring, str) or scoring not in SCORERS:
        raise ValueError(f"unknown scoring {scoring!r}; use one of {', '.join(SCORERS)}, or a Scorer(name, function, greater_is_better).")
    return SCORERS[scoring]


def check_task(model, X, y):
    """Checked X and y for a model that predicts; labels may be text."""
    if not isinstance(model, Estimator) or not hasattr(model, "fit") or not hasattr(model, "predict"):
        raise ValueError(f"model must be an mlcore Estimator with fit and predict, got {type(model).__name__}.")
    X = check_array(X, min_samples=2)
    if model.kind == "classifier":
        classes, index = check_labels(y, X)
        return X, classes[index]
    y = check_array(y, name="y", ndim=1)
    check_same_length(X, y)
    return X, y
