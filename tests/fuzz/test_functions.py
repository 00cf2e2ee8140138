"""Every public function and class of mlcore under bad input: a clear error or a right answer, never a silent wrong one."""

import numpy as np
import pytest

from fuzz.cases import CASES
from fuzz.checking import check_object, labels
from fuzz.discover import Public
from fuzz.outcome import difference, run, unclear
from fuzz.trials import Change, Trials
from mlcore.base import check_array


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
    from fuzz.cases.base import case

    monkeypatch.setitem(CASES, "test.function", case(X=np.arange(8.0).reshape(4, 2) / 8))
    verdict = Trials(Public("test", "function", function, "function")).judge(change, 3)
    assert words in verdict.bad if words else not verdict.bad and verdict.good


def test_an_error_is_clear_only_if_mlcore_raised_it():
    assert unclear(run(check_array, {"X": None}).error) == ""
    assert "not raised on purpose" in unclear(run(np.zeros, {"shape": "text"}).error)
    assert "instead of ValueError" in unclear(run(lambda X: X.shape, {"X": None}).error)


def test_answers_are_compared_part_by_part():
    a = run(lambda: (1.0, [np.array([1.0, np.nan])]), {}).answer
    assert not difference(a, run(lambda: (1.0, [np.array([1.0, np.nan])]), {}).answer)
    assert "shape" in difference(a, run(lambda: (1.0, [np.array([1.0])]), {}).answer)
    assert ".0" in difference(a, run(lambda: (1.1, [np.array([1.0, np.nan])]), {}).answer)
