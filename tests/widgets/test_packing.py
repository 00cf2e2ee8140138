"""Quantization: small error, stable text, and a comparison that sees a changed number but not a last bit."""

import copy
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mlcore.widgets import Contour, Dots, Explorer, Heatmap, Line, Panel, Slider
from mlcore.widgets.packing import PHASE, STEPS, compare_specs, lattice_scale, pack, settle, unpack

finite = st.floats(-1e6, 1e6, allow_nan=False, width=64)


@settings(max_examples=200, deadline=None)
@given(arrays(float, st.integers(1, 30), elements=finite))
def test_round_trip_error_is_a_small_part_of_the_range(a):
    entry = pack(a)
    span, magnitude = float(np.ptp(a)), float(np.abs(a).max())
    steps = STEPS["i2"]
    bound = (0.5 + PHASE) * max(2.5 * span / steps, 2.5e-9 * magnitude, 2.5e-12) * (1 + 1e-9)
    assert np.abs(unpack(entry) - a).max() <= bound


@settings(max_examples=200, deadline=None)
@given(st.floats(1e-9, 1e9), st.floats(10, 1e6))
def test_lattice_scale_is_the_smallest_round_step(span, steps):
    scale = lattice_scale(span, 0.0, steps)
    raw = max(span / steps, 1e-12)
    assert raw <= scale <= 2.5 * raw * (1 + 1e-12)
    mantissa = scale / 10 ** math.floor(math.log10(scale) + 1e-9)
    assert min(abs(mantissa - m) for m in (1, 2, 5)) < 1e-9


@settings(max_examples=100, deadline=None)
@given(arrays(float, st.integers(1, 40), elements=st.integers(-1000, 1000).map(float)))
def test_integers_are_stored_exactly(a):
    assert np.array_equal(unpack(pack(a)), a)


def test_decimals_on_the_lattice_decode_to_themselves():
    a = np.round(np.linspace(0, 1, 101), 2)
    np.testing.assert_allclose(unpack(pack(a)), a, rtol=1e-15, atol=1e-17)


def test_nan_and_infinity_become_missing():
    assert np.isnan(unpack(pack([np.nan, np.inf, -np.inf, 1.5]))).tolist() == [True, True, True, False]
    assert np.isnan(unpack(pack([np.nan, np.nan]))).all()


def test_log_arrays_keep_relative_precision_over_many_decades():
    a = np.geomspace(1e-12, 1e6, 50)
    np.testing.assert_allclose(unpack(pack(a, log=True)), a, rtol=2e-3)
    assert np.isnan(unpack(pack([1.0, 0.0, -3.0], log=True))).tolist() == [False, True, True]


@settings(max_examples=100, deadline=None)
@given(arrays("i8", st.tuples(st.integers(1, 12), st.integers(1, 400)), elements=st.integers(0, 3)))
def test_run_lengths_round_trip(a):
    assert np.array_equal(unpack(pack(a, dtype="i1")), a)


def test_regions_shrink():
    z = (np.add.outer(np.arange(100), np.arange(100)) > 100).astype(int)
    entry = pack(z, dtype="i1")
    assert entry["rle"] and len(entry["data"]) < 1200       # 10,000 cells


def test_axes_along_which_nothing_changes_are_dropped():
    x = np.linspace(0, 1, 7)
    stack = np.empty((3, 4, 5, 7))
    stack[:] = np.arange(4)[:, None, None] * x
    entry = pack(stack, 3)
    assert entry["dep"] == [1] and entry["shape"] == [7]
    np.testing.assert_allclose(unpack(entry, [3, 4, 5]), np.arange(4)[:, None] * x, atol=1e-4)


def test_rounding_noise_does_not_undo_sharing():
    rng = np.random.default_rng(0)
    stack = np.broadcast_to(rng.normal(size=20), (5, 20)).copy()
    stack *= 1 + 1e-15 * rng.normal(size=stack.shape)
    assert pack(stack, 1)["dep"] == []


def test_incomplete_data_are_refused():
    entry = pack(np.arange(10.0))
    with pytest.raises(ValueError, match="do not fill the shape"):
        unpack({**entry, "shape": [11]})


STRUCTURED = [np.linspace(0, 1, 64), np.arange(33) / 32, np.arange(-50, 51) / 100, np.arange(-8, 9) ** 2 / 128, np.full(4, 0.3),
              np.array([0.0, 1e-17, 1.0]), np.sin(np.linspace(-np.pi, np.pi, 65)), np.array([0.0, 65.0]), np.array([0.0, 0.00005, 1.0])]


@pytest.mark.parametrize("a", STRUCTURED, ids=range(len(STRUCTURED)))
@pytest.mark.parametrize("log", [False, True])
def test_last_bit_does_not_change_a_byte(a, log):
    for up in (np.inf, -np.inf):
        b = np.nextafter(np.nextafter(a, up), up)
        assert pack(b, log=log and (a > 0).all()) == pack(a, log=log and (a > 0).all())
        np.testing.assert_array_equal(settle(b), settle(a))


@settings(max_examples=200, deadline=None)
@given(arrays(float, 20, elements=st.integers(-10**4, 10**4).map(lambda k: k / 1000)), st.integers(0, 2**32 - 1))
def test_noise_on_decimals_does_not_change_a_byte(a, seed):
    noise = 1 + 4e-16 * np.random.default_rng(seed).integers(-1, 2, size=20)
    assert pack(a * noise) == pack(a)


def typical(perturb=lambda a: a):
    """A figure with lines, dots, a surface and text; `perturb` acts on everything frame computes."""
    g = np.linspace(-2, 2, 21)

    def frame(w):
        x = np.linspace(-1, 1, 41)
        u, v = np.meshgrid(g, g)
        out = {"x": x, "y": np.sin(3 * x) * w, "z": u**2 + w * u * v + v**2, "loss": np.mean((x - w) ** 2), "err": np.exp(-5 * np.abs(x))}
        return {k: perturb(np.asarray(a)) for k, a in out.items()}

    return Explorer([Slider("w", np.linspace(-0.9, 0.9, 7))], frame,
                    [Panel([Line("x", "y"), Dots("x", "y")], title="loss {loss:.3f}"), Panel([Heatmap(g, g, "z"), Contour(g, g, "z")]),
                     Panel([Line("x", "err")], yscale="log")],
                    alt="a typical figure", readout="w = {w:.1f}, loss {loss:.4g}")


def test_two_builds_are_equal_bytes():
    assert typical().html() == typical().html()


@pytest.mark.parametrize("direction", [-np.inf, np.inf])
def test_a_last_bit_in_everything_computed_leaves_the_figure_as_it_is(direction):
    assert typical(lambda a: np.nextafter(a, direction)).html() == typical().html()


def test_compare_passes_on_noise_and_on_itself():
    a = typical().state()
    assert compare_specs(a, json.loads(json.dumps(a))) == []
    rng = np.random.default_rng(1)
    assert compare_specs(a, typical(lambda v: v * (1 + 1e-12 * rng.normal(size=v.shape))).state()) == []


def test_compare_fails_on_a_changed_number():
    a = typical().state()
    assert any("numbers differ" in s for s in compare_specs(a, typical(lambda v: v * 1.01).state()))
    changed = copy.deepcopy(a)
    changed["spec"]["controls"][0]["values"][2] += 0.1
    assert compare_specs(a, changed) == [f"figure.spec.controls[0].values[2]: {a['spec']['controls'][0]['values'][2]} "
                                         f"and {changed['spec']['controls'][0]['values'][2]}"]
    changed = copy.deepcopy(a)
    entry = changed["spec"]["arrays"]["y"]
    values = unpack(entry, [7])
    values[3, 20] += 0.01
    changed["spec"]["arrays"]["y"] = pack(values, 1)
    assert [s.split(":")[0] for s in compare_specs(a, changed)] == ["figure.spec.arrays.y"]


@pytest.mark.parametrize("edit, words", [
    (lambda s: s["spec"]["readout"]["items"].__setitem__(0, "w = 9"), "readout"),
    (lambda s: s["spec"].pop("title"), "only in one"),
    (lambda s: s["spec"]["controls"][0]["texts"].append("8"), "another number of settings"),
    (lambda s: s["spec"]["panels"].pop(), "2 items"),
    (lambda s: s["index"].__setitem__(0, 0), "index"),
    (lambda s: s["spec"]["arrays"].__setitem__("x", pack([np.nan] * 41)), "missing value"),
    (lambda s: s["spec"]["arrays"].__setitem__("x", pack(np.zeros(40))), "shapes"),
])
def test_compare_names_what_changed(edit, words):
    a = typical().state()
    b = copy.deepcopy(a)
    edit(b)
    assert any(words in s for s in compare_specs(a, b))
