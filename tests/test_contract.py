"""One contract for every estimator of mlcore."""

import importlib
import inspect
import pickle
import pkgutil
import warnings

import numpy as np
import pytest
from fuzz.cases.estimators import SMALLER as SMALL
from fuzz.outcome import difference, flatten, not_finite, run, unclear

import mlcore
from mlcore.base import ConvergenceWarning, Estimator, NotFittedError, clone

METHODS = ("predict", "transform", "score_samples", "predict_proba")


def all_estimators():
    """Every public estimator class, found by walking the package."""
    found = set()
    for info in pkgutil.walk_packages(mlcore.__path__, "mlcore."):
        if info.name.startswith(("mlcore.widgets", "mlcore.exercises")):
            continue
        module = importlib.import_module(info.name)
        for name, value in vars(module).items():
            if inspect.isclass(value) and issubclass(value, Estimator) and value is not Estimator and not name.startswith("_"):
                found.add(value)
    return sorted(found, key=lambda c: (c.__module__, c.__name__))


def data(model):
    """A small data set for the kind of model, read-only."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(30, 2))
    y = (X[:, 0] + 0.3 * rng.normal(size=30) > 0).astype(int) if model.kind == "classifier" else X @ [1.0, -2.0] + 0.1 * rng.normal(size=30)
    if getattr(model, "domain", "real") == "counts":  # word counts: whole numbers that are not negative
        X = np.floor(3 * np.abs(X))
    X.setflags(write=False)
    y.setflags(write=False)
    return X, y


def fit(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y)


def outputs(model, X):
    """What a fitted model says about X, by whatever of the usual methods it has."""
    return {name: np.asarray(getattr(model, name)(X)) for name in METHODS if hasattr(model, name)}


ESTIMATORS = all_estimators()
each = pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda c: c.__name__)


def seeded(cls):
    return cls(random_state=0) if "random_state" in cls._parameter_names() else cls()


def test_there_are_estimators():
    assert ESTIMATORS


@each
def test_init_only_stores_and_clone_copies(cls):
    model = cls()
    assert vars(model).keys() == set(cls._parameter_names())
    assert clone(model).get_params() == model.get_params()
    assert cls.__doc__ and ">>>" in cls.__doc__, "a public class has a docstring with a doctest"


@each
def test_fit_returns_self_leaves_parameters_and_data_alone(cls):
    model = seeded(cls)
    X, y = data(model)
    before = repr(model.get_params())
    assert fit(model, X, y) is model
    assert repr(model.get_params()) == before
    assert any(name.endswith("_") and not name.startswith("_") for name in vars(model))
    assert outputs(model, X), "a fitted model predicts or transforms"


@each
def test_refit_is_fresh_and_seed_reproducible(cls):
    model = seeded(cls)
    X, y = data(model)
    state = np.random.get_state()[1].copy()  # noqa: NPY002 - the global generator is what is watched
    first = outputs(fit(model, X, y), X)
    fit(model, X[:20], y[:20])
    second = outputs(fit(model, X, y), X)
    third = outputs(fit(clone(model), X, y), X)
    for name in first:
        np.testing.assert_array_equal(first[name], second[name])
        np.testing.assert_array_equal(first[name], third[name])
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


@each
def test_bad_input_is_refused(cls):
    model = seeded(cls)
    X, y = data(model)
    method = next(m for m in METHODS if hasattr(model, m))
    with pytest.raises(NotFittedError, match=f"This {cls.__name__} is not fitted yet"):
        getattr(model, method)(X)
    fit(model, X, y)
    with pytest.raises(ValueError, match="X has 3 features, but this model was fitted with 2"):
        getattr(model, method)(np.ones((4, 3)))
    with pytest.raises(ValueError, match="NaN or infinity"):
        model.fit(np.where(np.arange(60).reshape(30, 2) == 7, np.nan, X), y)
    if model.kind in ("classifier", "regressor"):
        with pytest.raises(ValueError, match="X has 30 rows, but y has 29 values"):
            model.fit(X, y[:-1])


@each
def test_iterative_models_report_their_progress(cls):
    if "max_iter" not in cls._parameter_names():
        return
    model = seeded(cls)
    fit(model, *data(model))
    assert isinstance(model.converged_, bool) and model.n_iter_ >= 1 and len(model.history_) >= 1


WRONG = ("no such thing", np.array([1.0, 2.0]), object(), -1, np.nan)


@each
def test_a_wrong_hyperparameter_is_a_clear_error_or_valid(cls):
    """Every hyperparameter, the ones that are None, flags, pairs, functions or models by default as well."""
    X, y = data(cls())

    def use(**wrong):
        return outputs(fit(seeded(cls).set_params(**SMALL.get(cls.__name__, {}) | wrong), X, y), X)

    for name in cls._parameter_names():
        for value in WRONG:
            got = run(use, {name: value})
            assert not got.error or not unclear(got.error), f"{name}={value!r}: {got.said}; {unclear(got.error)}"
            assert got.error or not not_finite(got.answer), f"{name}={value!r} gives NaN or infinity"


@each
def test_a_flag_is_no_text(cls):
    X, y = data(cls())
    for name, default in cls().get_params(deep=False).items():
        if isinstance(default, bool):
            with pytest.raises(ValueError, match=f"^{name} must be True or False, got 'False'"):
                cls(**{name: "False"}).fit(X, y)


@each
def test_every_method_says_that_the_model_is_not_fitted(cls):
    """A method that takes rows refuses before it looks for what fit would have learned."""
    X, y = data(cls())
    for name in dir(cls):
        method = getattr(cls(), name)
        if name.startswith(("_", "fit")) or not callable(method):
            continue
        needed = [p.name for p in inspect.signature(method).parameters.values() if p.default is p.empty]
        if needed in (["X"], ["X", "y"]) and (name != "score" or hasattr(cls, "predict")):
            with pytest.raises(NotFittedError, match=f"This {cls.__name__} is not fitted yet"):
                method(*(X, y)[: len(needed)])


@each
def test_a_score_refuses_what_it_cannot_compare(cls):
    model = seeded(cls)
    X, y = data(model)
    if model.kind not in ("classifier", "regressor"):
        return
    model.set_params(**SMALL.get(cls.__name__, {}))
    fit(model, X, y)
    for wrong in (y[:, None], y[:-1], np.where(y == y[0], np.nan, y), np.full(len(y), "word"), y + 1j, None, [[1.0], [1.0, 2.0]]):
        assert not unclear(run(model.score, {"X": X, "y": wrong}).error)


@each
def test_a_fitted_model_survives_pickling(cls):
    model = seeded(cls).set_params(**SMALL.get(cls.__name__, {}))
    X, y = data(model)
    fit(model, X, y)
    copy = pickle.loads(pickle.dumps(model))
    assert repr(copy) == repr(model) and not difference(flatten(outputs(model, X)), flatten(outputs(copy, X)))
