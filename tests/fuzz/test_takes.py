"""What the rules of ``takes`` accept, change and refuse."""

import inspect

import numpy as np
import pytest

from mlcore.takes import check_broadcast, takes


def taker(**rules):
    """A function of x and k that returns what reaches it."""
    @takes(**rules)
    def function(x, k=None):
        return x if k is None else (x, k)
    return function


@pytest.mark.parametrize("rule, value, reached", [
    ("n d", [[1, 2]], np.array([[1.0, 2.0]])),
    ("n?", [], np.zeros(0)),
    ("3", [1, 2, 3], np.array([1.0, 2.0, 3.0])),
    ("n | n k", [[1], [2]], np.array([[1.0], [2.0]])),
    ("... k", [[[1, 2]]], np.array([[[1.0, 2.0]]])),
    ("n ...", [[[1, 2]]], np.array([[[1.0, 2.0]]])),
    ("...", 3, np.array(3.0)),
    ("whole n", [1.0, 2.0], np.array([1, 2])),
    ("signs n", [1, -1], np.array([1.0, -1.0])),
    ("bits n", [True, False], np.array([1.0, 0.0])),
    ("flags n", np.array([True]), np.array([True])),
    ("labels n", ["a", "b"], np.array(["a", "b"])),
    ("any ...", np.float32(np.nan), np.array(np.nan)),
])
def test_arrays_reach_the_function_as_the_rule_says(rule, value, reached):
    got = taker(x=rule)(value)
    np.testing.assert_array_equal(got, reached)
    assert got.dtype == reached.dtype and got.shape == reached.shape


@pytest.mark.parametrize("rule, value, words", [
    ("n d", [1.0], r"x must have shape \(n, d\) with n, d >= 1, got shape \(1,\)"),
    ("n", [], r"x must have shape \(n,\) with n >= 1, got shape \(0,\)"),
    ("n n", [[1.0, 2.0]], r"shape \(n, n\)"),
    ("3", [1.0], r"shape \(3,\), got shape \(1,\)"),
    ("n | n k", 1.0, r"shape \(n,\) or \(n, k\)"),
    ("... k", [[]], "no features"),
    ("n", [np.nan], "x contains NaN"),
    ("n", [[1], [1, 2]], "unequal lengths"),
    ("n", ["a"], "real numbers"),
    ("whole n", [0.5], "whole numbers"),
    ("signs n", [0, 1], r"-1 and \+1"),
    ("bits n", [2], "labels 0 and 1, got 2"),
    ("flags n", [1], "truth values"),
    ("labels n", [None, "a"], "all numbers or all text"),
    ("any n", [1j], "real numbers"),
    ("number > 0", 0, "a number > 0, got 0"),
    ("number >= 0 <= 1", 2.0, "a number >= 0 and <= 1, got 2.0"),
    ("integer >= 1", 1.5, "an integer >= 1, got 1.5"),
    ("function", 3, "x must be a function, got 3"),
    ("list", "abc", "x must be a list or another sequence, got 'abc'"),
    ("rng", -1, "random_state must be"),
    (dict, 3, "x must be a dict, got 3"),
    ((int, dict), "a", "x must be an int or a dict, got 'a'"),
    (("one", "two"), "three", "x must be one of 'one', 'two'; got 'three'"),
])
def test_what_does_not_fit_is_refused(rule, value, words):
    with pytest.raises((ValueError, TypeError), match=words):
        taker(x=rule)(value)


def test_letters_are_one_number_in_all_arguments():
    function = taker(x="n d", k="d")
    assert function([[1, 2]], k=[3, 4])[1].tolist() == [3.0, 4.0]
    with pytest.raises(ValueError, match=r"k must have shape \(d,\) with d = 2 as in x, got shape \(3,\)"):
        function([[1, 2]], [1, 2, 3])


def test_whole_numbers_below_an_axis_or_an_argument():
    function = taker(x="whole n < k", k="integer >= 1")
    assert function([0, 2], 3)[0].tolist() == [0, 2]
    with pytest.raises(ValueError, match="x must hold whole numbers from 0 to 1, got 0 to 2"):
        function([0, 2], 2)


def test_none_and_seeds():
    assert taker(x="n", k="n")([1.0], None).tolist() == [1.0]
    with pytest.raises(ValueError, match="x is None"):
        taker(x="n")(None)

    @takes(rng="rng")
    def draw(rng=None):
        return rng.random()

    assert draw(3) == draw(rng=np.random.default_rng(3)) and draw() != draw()


def test_the_bare_function_and_its_signature_stay():
    @takes(x="n")
    def double(x):
        """Twice x."""
        return 2 * x

    assert double.core(3) == 6 and double.__doc__ == "Twice x." and list(inspect.signature(double).parameters) == ["x"]
    with pytest.raises(TypeError, match="double has no argument z"):
        takes(z="n")(double.core)


def test_an_array_that_fits_is_not_copied():
    x = np.arange(3.0)
    assert np.shares_memory(x, taker(x="n")(x))


def test_shapes_that_broadcast():
    check_broadcast((3, 1), (2,))
    with pytest.raises(ValueError, match=r"the shapes \(3,\) and \(2,\) do not fit together"):
        check_broadcast((3,), (2,))


@pytest.mark.parametrize("kind", ["i1", "u1", "u8", ">i4"])
def test_whole_numbers_of_any_type_are_counted_in_64_bits(kind):
    got = taker(x="whole n")(np.array([100, 120], kind))
    assert got.dtype == np.int64 and got.sum() == 220 and (got[0] - got[1]) == -20


def test_whole_numbers_beyond_64_bits_are_refused():
    with pytest.raises(ValueError, match=r"x must hold whole numbers below 2\^63"):
        taker(x="whole n")(np.array([2**63], np.uint64))


@pytest.mark.parametrize("rule", [{}, {"n": "number"}, {"n": "integer >= 1"}])
@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64])
def test_a_number_of_a_small_type_is_pythons_own(rule, kind):
    @takes(**rule)
    def square(n):
        return n * n

    assert square(kind(100)) == square(n=kind(100)) == 10_000 and type(square(kind(100))) is int


def test_a_short_float_is_a_double():
    @takes()
    def third(x):
        return x / 3

    assert third(np.float16(1.0)) == third(x=np.float32(1.0)) == 1 / 3
