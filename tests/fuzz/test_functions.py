"""Every public function and class of mlcore under bad input: a clear error or a right answer, never a silent wrong one."""

import math

import numpy as np
import pytest

from fuzz.cases import CASES
from fuzz.cases.base import case
from fuzz.checking import check_object, labels
from fuzz.discover import Public
from fuzz.outcome import difference, run, unclear
from fuzz.scales import UNITS, out_of_scale, powers
from fuzz.strategies import SCALES
from fuzz.trials import Change, Trials, Verdict, trials
from mlcore.base import ConvergenceWarning, check_array
from mlcore.deep import backpropagation, neural_networks
from mlcore.foundations import mathematics
from mlcore.supervised.support_vector_machines import solve_dual

POINTS = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]])


@pytest.mark.parametrize("label", labels("function", "class"))
def test_bad_input_gets_a_clear_error_or_a_right_answer(label):
    check_object(label)


def test_every_case_belongs_to_a_public_object():
    assert set(CASES) <= set(labels("function", "class"))


def silent(X):
    """Does not look at its input."""
    return float(np.nansum(np.asarray(X, float)))


def writes(X):
    """Centers the caller's array in place."""
    X = check_array(X)
    X -= X.mean(axis=0)
    return X


def single(X):
    """Computes in the type it is given."""
    return np.asarray(X)[:, 0] / 3


def deep(X):
    """Fails somewhere inside numpy."""
    return np.linalg.inv(np.asarray(X, float))


def undefined(X):
    """NaN for numbers that are finite."""
    return np.where(check_array(X) > 0.5, np.nan, X)


def noisy(X):
    """A right answer, beside which numpy warns."""
    X = check_array(X)
    return np.where(X > 0, X / X, 0.0)


def polite(X):
    """Checks."""
    return check_array(X).sum()


@pytest.mark.parametrize("function, change, words", [
    (silent, Change("X", "damage", "NaN"), "accepted in silence"),
    (writes, Change("X", "dress", "Fortran order"), "writes to the caller's X"),
    (single, Change("X", "dress", "float32"), "result"),
    (single, Change("X", "dress", "frame"), ""),
    (single, Change("X", "scale", "times 1e150"), ""),
    (deep, Change("X", "damage", "text"), "not raised on purpose"),
    (undefined, Change("X", "dress", "Fortran order"), "finite numbers give NaN"),
    (noisy, Change("X", "dress", "Fortran order"), "numpy warns of a finite answer"),
    (noisy, Change("X", "scale", "times 1e8"), "numpy warns of a finite answer"),
    (polite, Change("X", "damage", "NaN"), ""),
    (polite, Change("X", "dress", "integer"), ""),
])
def test_the_judge_itself(monkeypatch, function, change, words):
    monkeypatch.setitem(CASES, "test.function", case(X=np.arange(8.0).reshape(4, 2) / 8))
    verdict = Trials(Public("test", "function", function, "function")).judge(change, 3)
    assert words in verdict.bad if words else not verdict.bad and verdict.good


@pytest.mark.parametrize("value, words", [
    (np.ma.array([[1.0, 2.0]], mask=[[False, True]]), "X has masked entries"),
    ([np.ma.array([1.0, 2.0], mask=[False, True])], "X has masked entries"),
    (np.array([["2020-01-01"]], "datetime64[D]"), "X must be a rectangular array of real numbers"),
    (np.array([[5]], "timedelta64[D]"), "X must be a rectangular array of real numbers"),
    (np.zeros((2, 2), [("u", float)]), "X must be a rectangular array of real numbers"),
])
def test_what_is_no_plain_number_is_refused(value, words):
    with pytest.raises(ValueError, match=words):
        check_array(value)


def test_an_array_without_masked_entries_is_an_array():
    assert check_array(np.ma.array([[1.0, 2.0]])).tolist() == [[1.0, 2.0]]


def test_a_part_that_leaves_its_power_is_found(monkeypatch):
    monkeypatch.setitem(CASES, "test.function", case(X=np.arange(8.0).reshape(4, 2) / 8))

    def coarse(X):
        return np.where(np.abs(X) < 1e-9, 0.0, X)

    tried = Trials(Public("test", "function", coarse, "function"))
    assert tried.judge(Change("X", "scale", "times 1e8"), 3) == Verdict("answer in scale")
    assert "should follow the power 1" in tried.judge(Change("X", "scale", "times 1e-150"), 3).bad


def test_every_exemption_from_the_scale_is_needed():
    for label, (names, _) in UNITS.items():
        tried = trials(label)
        for name in names.split():
            found = powers(tried.function, tried.fresh, name, tried.valid.answer)
            got = {c: run(tried.function, tried.fresh(**{name: tried.arguments[name] * c})) for c in SCALES.values()}
            told = [out_of_scale("", name, found, tried.valid.answer, g.answer, c) for c, g in got.items() if not g.error]
            assert any(told), f"{label}, argument {name}, follows every scale; remove it from UNITS"


@pytest.mark.parametrize("call", [
    lambda: backpropagation.conv1d(1.0, np.ones((1, 1, 1))),
    lambda: backpropagation.conv1d(np.ones((1, 1, 3)), 1.0),
    lambda: neural_networks.Flatten()(np.float64(1.0)),
    lambda: neural_networks.LayerNorm(2)(np.float64(1.0)),
])
def test_a_single_number_for_an_array_is_a_clear_error(call):
    assert unclear(run(call, {}).error) == ""


@pytest.mark.parametrize("c", [2.0**-60, 1.0, 2.0**60])
@pytest.mark.parametrize("C", [np.inf, 1.0, 1e9])
def test_the_dual_of_a_support_vector_machine_follows_the_kernel(c, C):
    np.testing.assert_allclose(solve_dual(c * POINTS @ POINTS.T, [1, 1, -1], C / c).alpha * c, [0.25, 0, 0.25], atol=1e-6)


def test_an_equation_beside_a_huge_bound_is_not_overlooked_in_silence():
    with pytest.warns(ConvergenceWarning, match="rescale the problem"):
        solve_dual(POINTS @ POINTS.T, [1, 1, -1], 1e30)


LIMITS = {  # function -> values at -infinity, -1000, 0, 1000 and infinity, and at 1, from the definition
    neural_networks.step: (0.0, 0.0, 1.0, 1.0, 1.0, 1.0),
    neural_networks.relu: (0.0, 0.0, 0.0, 1000.0, np.inf, 1.0),
    neural_networks.leaky_relu: (-np.inf, -10.0, 0.0, 1000.0, np.inf, 1.0),
    neural_networks.gelu: (0.0, 0.0, 0.0, 1000.0, np.inf, 0.5 * (1 + math.erf(0.5**0.5))),
    neural_networks.softplus: (0.0, 0.0, math.log(2), 1000.0, np.inf, math.log(1 + math.e)),
    mathematics.sigmoid: (0.0, 0.0, 0.5, 1.0, 1.0, 1 / (1 + math.exp(-1))),
    mathematics.log_sigmoid: (-np.inf, -1000.0, -math.log(2), 0.0, 0.0, -math.log(1 + math.exp(-1))),
}
SLOPES = {  # and the derivatives of the activations
    "relu": (0.0, 0.0, 0.0, 1.0, 1.0, 1.0),
    "leaky_relu": (0.01, 0.01, 0.01, 1.0, 1.0, 1.0),
    "gelu": (0.0, 0.0, 0.5, 1.0, 1.0, 0.5 * (1 + math.erf(0.5**0.5)) + math.exp(-0.5) / math.sqrt(2 * math.pi)),
    "softplus": (0.0, 0.0, 0.5, 1.0, 1.0, 1 / (1 + math.exp(-1))),
    "sigmoid": (0.0, 0.0, 0.25, 0.0, 0.0, math.exp(-1) / (1 + math.exp(-1)) ** 2),
    "tanh": (0.0, 0.0, 1.0, 0.0, 0.0, 1 - math.tanh(1) ** 2),
    "identity": (1.0, 1.0, 1.0, 1.0, 1.0, 1.0),
}
PLACES = np.array([-np.inf, -1000.0, 0.0, 1000.0, np.inf, 1.0])


@pytest.mark.parametrize("function", LIMITS, ids=lambda f: f.__name__)
def test_values_at_the_ends_are_those_of_the_definition(function):
    with np.errstate(all="raise", under="ignore"):
        np.testing.assert_allclose(function(PLACES), LIMITS[function], rtol=1e-14)
    assert np.isnan(function(np.nan))


@pytest.mark.parametrize("name", SLOPES)
def test_slopes_at_the_ends_are_those_of_the_definition(name):
    with np.errstate(all="raise", under="ignore"):
        np.testing.assert_allclose(neural_networks.activation(name).df(PLACES), SLOPES[name], rtol=1e-14)
    if hasattr(backpropagation, name):
        t = backpropagation.Tensor(PLACES, requires_grad=True)
        getattr(backpropagation, name)(t).sum().backward()
        np.testing.assert_allclose(t.grad, SLOPES[name], rtol=1e-14)
    assert set(SLOPES) == set(neural_networks.neurons.ACTIVATIONS)


@pytest.mark.parametrize("beta", [1e-3, 1.0, 100.0, 1e300])
def test_softplus_in_half_precision_and_with_a_large_slope(beta):
    z = np.array([-12.0, -0.5, 0.0, 0.5, 60000.0])
    exact = [max(v, 0.0) + math.log1p(math.exp(-abs(beta * v))) / beta for v in z]
    np.testing.assert_allclose(neural_networks.softplus(z, beta), exact, rtol=1e-14)
    if beta < 1e4:
        np.testing.assert_allclose(neural_networks.softplus(z.astype(np.float16), beta), exact, rtol=2e-3, atol=1e-7)


def test_overflow_in_mlcore_is_a_clear_error_and_in_the_callers_function_the_callers():
    from mlcore.foundations.mathematics import numerical_gradient
    from mlcore.generalization.learning_theory import hoeffding_bound

    assert not unclear(run(hoeffding_bound, {"n": 5, "eps": 1e300}).error)
    with pytest.raises(OverflowError):
        numerical_gradient(lambda A: 1e300**2, [1.0])


def test_an_error_is_clear_only_if_mlcore_raised_it():
    assert unclear(run(check_array, {"X": None}).error) == ""
    assert "not raised on purpose" in unclear(run(np.zeros, {"shape": "text"}).error)
    assert "instead of ValueError" in unclear(run(lambda X: X.shape, {"X": None}).error)


def test_answers_are_compared_part_by_part():
    a = run(lambda: (1.0, [np.array([1.0, np.nan])]), {}).answer
    assert not difference(a, run(lambda: (1.0, [np.array([1.0, np.nan])]), {}).answer)
    assert "shape" in difference(a, run(lambda: (1.0, [np.array([1.0])]), {}).answer)
    assert ".0" in difference(a, run(lambda: (1.1, [np.array([1.0, np.nan])]), {}).answer)
