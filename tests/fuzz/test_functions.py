"""Every public function and class of mlcore under bad input: a clear error or a right answer, never a silent wrong one."""

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


def test_an_error_is_clear_only_if_mlcore_raised_it():
    assert unclear(run(check_array, {"X": None}).error) == ""
    assert "not raised on purpose" in unclear(run(np.zeros, {"shape": "text"}).error)
    assert "instead of ValueError" in unclear(run(lambda X: X.shape, {"X": None}).error)


def test_answers_are_compared_part_by_part():
    a = run(lambda: (1.0, [np.array([1.0, np.nan])]), {}).answer
    assert not difference(a, run(lambda: (1.0, [np.array([1.0, np.nan])]), {}).answer)
    assert "shape" in difference(a, run(lambda: (1.0, [np.array([1.0])]), {}).answer)
    assert ".0" in difference(a, run(lambda: (1.1, [np.array([1.0, np.nan])]), {}).answer)
