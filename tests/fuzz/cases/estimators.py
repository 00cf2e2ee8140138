"""How to fit every estimator: by its ``kind`` and ``domain``, as the contract of all estimators does."""

import numpy as np

from fuzz.cases.base import Case
from fuzz.values import eighths

METHODS = ("predict", "transform", "score_samples", "predict_proba", "decision_function")
CASES = {}  # estimators need no entry
SMALLER = {
    "MLPClassifier": {"max_iter": 3},
    "MLPRegressor": {"max_iter": 3},
    "SelfOrganizingMap": {"n_steps": 50},
    "Perceptron": {"max_iter": 20},
    "MulticlassPerceptron": {"max_iter": 20},
    "PocketPerceptron": {"max_iter": 20},
    "LikelihoodICA": {"max_iter": 20},
    "FactorAnalysis": {"max_iter": 50},
    "KMeans": {"n_init": 2},
    "KMedians": {"n_init": 2},
    "KernelKMeans": {"n_init": 2},
    "FuzzyKMeans": {"n_init": 2},
}
ALLOW = {  # what is documented to be valid
    "MajorityClassifier": {"y": "text"},
    "MLPClassifier": {"patience": "None"},
    "MLPRegressor": {"patience": "None"},
    "KernelRegression": {"bandwidth": "number"},
    "SVC": {"C": "infinity", "cache_size": "fraction"},
    "SVR": {"cache_size": "fraction"},
    "LPP": {"n_components": "None"},
}


def data(cls):
    """A small data set: training rows, targets of the right kind, and rows to ask about."""
    rng = np.random.default_rng(5)
    X = eighths(2 * rng.normal(size=(24, 2)))
    y = (
        (X[:, 0] + 0.5 * rng.normal(size=24) > 0).astype(int)
        if cls.kind == "classifier"
        else eighths(X @ [1.0, -2.0] + rng.normal(size=24))
    )
    if getattr(cls, "domain", "real") == "counts":
        X = np.floor(np.abs(X))
    return X, y


def fit_and_ask(cls, X, queries, y=None, **options):
    """What a fit learns and what it then says; learned models inside a model are told by their parameters."""
    model = cls(**options).fit(X, y)
    learned = {name: value for name, value in vars(model).items() if name.endswith("_") and not name.startswith("_")}
    return {**learned, **{f"{name}()": getattr(model, name)(queries) for name in METHODS if hasattr(model, name)}}


def estimator_case(cls):
    """The case of an estimator class."""
    X, y = data(cls)
    args = dict(X=X, queries=X[:7].copy(), **SMALLER.get(cls.__name__, {}))
    if cls.kind in ("classifier", "regressor") or needs_targets(cls):
        args["y"] = y
    return Case(args, allow=ALLOW.get(cls.__name__), call=fit_and_ask)


def needs_targets(cls):
    """Whether a transformer looks at y."""
    import inspect

    return inspect.signature(cls.fit).parameters["y"].default is inspect.Parameter.empty
