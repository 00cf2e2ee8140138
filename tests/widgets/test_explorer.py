"""Explorer in Python: what it stores, its traits, and a clear message for every mistake."""

import json
import subprocess
import sys
import warnings

import numpy as np
import pytest
import traitlets

from mlcore.widgets import (
    Area,
    Bars,
    Contour,
    Dots,
    Explorer,
    Heatmap,
    Line,
    Menu,
    Panel,
    Play,
    RefLine,
    Segments,
    Slider,
    Text,
    Toggle,
    ragged,
)
from mlcore.widgets.assets import esm, kinds, site_script, site_style
from mlcore.widgets.checking import faults, stored_figures
from mlcore.widgets.controls import tidy
from mlcore.widgets.packing import unpack

X = np.linspace(0, 1, 11)


def frame(a, m="u"):
    return {"x": X, "y": a * X, "n": float(a), "name": f"{m}{a}", "words": ["p"] * 11, "z": np.outer(X, X) * a, "c": np.arange(11) % 3}


def explorer(marks=None, controls=None, fn=frame, readout="", **panel):
    return Explorer(controls or [Slider("a", [1, 2, 3])], fn, Panel(marks or [Line("x", "y")], **panel), alt="lines", readout=readout)


def stored(figure, name):
    dims = [len(c["values"]) for c in figure.spec["controls"] if c["kind"] != "play"]
    return unpack(figure.spec["arrays"][name], dims)


# ---- what is stored ----------------------------------------------------------------------------------------------------
def test_every_setting_is_stored_and_shared_parts_once():
    figure = explorer(controls=[Slider("a", [1, 2, 3]), Menu("m", ["u", "v"])], readout="{name}")
    assert figure.spec["arrays"]["x"]["dep"] == [] and figure.spec["arrays"]["y"]["dep"] == [0]
    np.testing.assert_allclose(stored(figure, "y"), np.outer([1, 2, 3], X), atol=1e-4)
    assert figure.spec["readout"] == {"dep": [0, 1], "items": ["u1", "v1", "u2", "v2", "u3", "v3"]}
    assert "z" not in figure.spec["arrays"], "what no mark draws is not stored"


def test_all_marks_build_and_are_valid():
    g = np.linspace(0, 1, 11)
    marks = [Heatmap(g, g, "z", label="z"), Contour("x", "x", "z", levels=[0.2, 0.5], color="scale"), Dots("x", "y", c="c"),
             Dots("x", "y", value="y", size="y"), Line("x", "z", color="classes"), Area("x", 0, "y"), Bars("x", "y", c="c"), RefLine(x="n"),
             Segments("x", 0, "x", "y", arrow=True), Text("x", "y", "words"), Text(0.5, "n", "n = {n:.1f}"), RefLine(slope=1)]
    figure = explorer(marks, title="{name}")
    (kind, state, size), = stored_figures(figure.html())
    assert kind == "explorer" and size < 150_000
    assert faults(kind, state) == []
    assert json.loads(json.dumps(figure.state())) == state


def test_contour_curves_lie_on_their_level():
    g = np.linspace(-1, 1, 41)
    u, v = np.meshgrid(g, g)
    figure = explorer([Contour(g, g, "z", levels=[0.25, 0.64])], [Slider("a", [1.0, 2.0])], lambda a: {"z": a * (u**2 + v**2)})
    mark = figure.spec["panels"][0]["marks"][0]
    px, py, level = (stored(figure, mark["arrays"][f]) for f in ("px", "py", "level"))
    assert (np.isnan(px) == np.isnan(level)).all()
    for k, a in enumerate([1.0, 2.0]):
        ok = ~np.isnan(px[k])
        radius2 = a * (px[k][ok] ** 2 + py[k][ok] ** 2)
        wanted = np.array(mark["levels"])[level[k][ok].astype(int)]
        np.testing.assert_allclose(radius2, wanted, atol=0.01)
        assert set(level[k][ok]) == {0.0, 1.0}


def test_limits_hold_all_settings_and_stay_fixed():
    panel = explorer().spec["panels"][0]
    assert panel["xlim"][0] < 0 < 1 < panel["xlim"][1]
    assert panel["ylim"][0] < 0 and 3 < panel["ylim"][1] < 3.5
    assert explorer([Bars("x", "y")]).spec["panels"][0]["ylim"][0] == 0, "bars stand on the axis"
    assert explorer([Heatmap(X, X, "z")]).spec["panels"][0]["xlim"] == [-0.05, 1.05], "a heat map ends at the edge of its cells"
    log = explorer([Line("x", "y")], yscale="log").spec["panels"][0]["ylim"]
    assert 0 < log[0] < 0.1 and log[1] > 3


def test_values_far_outside_given_limits_do_not_cost_precision():
    figure = explorer(fn=lambda a: {"x": X, "y": np.where(X < 0.9, X * a, 1e12)}, ylim=(0, 3))
    key = figure.spec["panels"][0]["marks"][0]["arrays"]["y"]
    np.testing.assert_allclose(stored(figure, key)[:, :9], np.outer([1, 2, 3], X[:9]), atol=2e-3)
    assert stored(figure, key).max() == pytest.approx(18, abs=0.01)


def test_an_array_on_a_log_axis_is_stored_by_its_logarithm():
    y = np.geomspace(1e-9, 1, 11)
    panels = [Panel([Line("x", "y")], yscale="log"), Panel([Line("x", "y")])]
    figure = Explorer([Slider("a", [1, 2])], lambda a: {"x": X, "y": y * a}, panels, alt="both")
    np.testing.assert_allclose(stored(figure, "y@log")[0], y, rtol=1e-3)
    assert "log" not in figure.spec["arrays"]["y"]


def test_ragged_arrays_are_filled():
    figure = explorer(fn=lambda a: {"x": ragged(X[: a + 1]), "y": ragged(X[: a + 1] ** 2)})
    assert np.isnan(stored(figure, "y")).sum(axis=1).tolist() == [2, 1, 0]


def test_equal_literals_are_stored_once():
    figure = explorer([Line(X, "y"), Dots(X, "y")])
    assert len(figure.spec["arrays"]) == 2


def test_templates_round_before_they_format():
    numbers = {"v": 0.1235, "w": -1e-17, "t": 3e-7, "q": np.array([1.5, 2.5])}
    figure = explorer(fn=lambda a: {"x": X, "y": X, "k": -2.0 * a, **numbers},
                      readout="{v:.3f} {w:.2f} {k:.1f} {t:.0e} {q[1]:.1f} {a}")
    assert figure.spec["readout"]["items"][0] == "0.123 0.00 −2.0 3×10⁻⁷ 2.5 1"


def test_numbers_as_people_write_them():
    assert [tidy(v) for v in (0.1 + 0.2, 1e-5, -0.0, 100000, 1.5e-7, -3)] == ["0.3", "10⁻⁵", "0", "100000", "1.5×10⁻⁷", "−3"]


# ---- output ------------------------------------------------------------------------------------------------------------
def test_output_is_escaped_and_says_what_to_do():
    panel = Panel([Line("x", "y")], title="</script><b>")
    figure = Explorer([Slider("a", [1, 2])], frame, panel, alt='a <b>"bold"</b> & more', title="<i>T</i>")
    html = figure.html()
    assert html.startswith('<div class="mlcore-explorer" data-kind="explorer"><script type="application/json">')
    assert html.count("</script>") == 1 and "<b>" not in html and "<i>" not in html
    assert "run this cell" in html and "a &lt;b&gt;&quot;bold&quot;&lt;/b&gt; &amp; more</p></div>" in html
    assert next(stored_figures(html))[1] == figure.state()


def test_bundle_has_text_html_and_a_live_view(monkeypatch):
    figure = explorer()
    data = figure._repr_mimebundle_()[0]
    assert data["text/plain"] == repr(figure) == "Explorer: lines"
    assert data["text/html"] == figure.html() and "application/vnd.jupyter.widget-view+json" in data
    monkeypatch.setenv("MLCORE_VIEW", "html")
    assert "application/vnd.jupyter.widget-view+json" not in figure._repr_mimebundle_()[0]


def test_save_writes_one_file_that_needs_no_other(tmp_path):
    explorer().save(tmp_path / "figure.html")
    text = (tmp_path / "figure.html").read_text("utf8")
    assert "src=" not in text and "href=" not in text and "mlcore-explorer" in text


def test_scripts_are_small_and_have_no_imports():
    assert len(esm("explorer").encode()) < 40 * 1024
    assert esm("explorer").count("export default") == 1 and "export default" not in site_script()
    assert not any(line.startswith("import ") for line in site_script().splitlines())
    assert all(f'register("{kind}"' in site_script() for kind in kinds())
    assert "url(" not in site_style() and "@import" not in site_style()


def test_the_site_can_read_the_scripts_without_anywidget():
    code = "import sys; from mlcore.widgets.assets import site_script; site_script(); print('anywidget' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "False"


# ---- traits ------------------------------------------------------------------------------------------------------------
def test_value_and_index_stay_in_step():
    figure = explorer(controls=[Slider("a", [1, 2, 3]), Menu("m", ["u", "v"])])
    seen = []
    figure.observe(lambda change: seen.append(change["new"]), "value")
    assert figure.value == {"a": 2, "m": "u"}
    figure.value = {"a": 3}
    assert figure.index == [2, 0] and figure.value == {"a": 3, "m": "u"}
    figure.index = [0, 1]                                   # what a moved slider does
    assert figure.value == {"a": 1, "m": "v"}
    assert seen == [{"a": 3, "m": "u"}, {"a": 1, "m": "v"}]


def test_values_match_up_to_rounding():
    figure = explorer(controls=[Slider("a", np.linspace(0, 1, 11))])
    figure.value = {"a": 0.1 + 0.2}
    assert figure.index == [3] and figure.value == {"a": 0.3}


def test_html_keeps_the_current_setting_and_the_default():
    figure = explorer()
    figure.value = {"a": 3}
    state = next(stored_figures(figure.html()))[1]
    assert state["index"] == [2] and state["spec"]["controls"][0]["index"] == 1


@pytest.mark.parametrize("value, words", [({"b": 1}, "no control named 'b'; the controls are a"), ({"a": "2"}, "not on the grid"),
                                          ({"a": 7}, "a = 7 is not on the grid.* 1, 2, 3")])
def test_a_wrong_value_is_refused_and_changes_nothing(value, words):
    figure = explorer()
    with pytest.raises(traitlets.TraitError, match=words):
        figure.value = value
    assert figure.value == {"a": 2} and figure.index == [1]


def test_a_wrong_index_is_refused():
    figure = explorer()
    for index in ([3], [-1], [0, 0]):
        with pytest.raises(traitlets.TraitError, match="one integer per control"):
            figure.index = index


def test_toggle_and_menu_values():
    figure = Explorer([Toggle("t", value=True), Menu("k", {1: "one", 2.5: "two and a half"}, value=2.5)],
                      lambda t, k: {"x": X, "y": X * k * t}, Panel([Line("x", "y")]), alt="x")
    assert figure.value == {"t": True, "k": 2.5} and figure.index == [1, 1]
    assert figure.spec["controls"][1]["texts"] == ["one", "two and a half"]


# ---- mistakes ------------------------------------------------------------------------------------------------------------
def grid(n):
    return [Slider("a", np.arange(n))]


MISTAKES = {
    "unknown array": (lambda: explorer([Line("x", "why")]), "Line, y names 'why', which frame does not return; it returns x, y, n"),
    "text for numbers": (lambda: explorer([Line("x", "words")]), "needs numbers, but 'words' is text"),
    "shape changes": (lambda: explorer(fn=lambda a: {"x": X, "y": X[:a]}),
                      r"shape of 'y' changes.*\(1,\) at a=1, \(2,\) at a=2.*ragged\(y\)"),
    "names change": (lambda: explorer(fn=lambda a: {"x": X, "y": X} if a < 3 else {"x": X}), "same names at every setting; y"),
    "not a dict": (lambda: explorer(fn=lambda a: [1]), "frame must return a dict.*got list at a=1"),
    "unknown type": (lambda: explorer(fn=lambda a: {"x": X, "y": object()}), "'y' of type object at a=1; entries must be"),
    "complex": (lambda: explorer(fn=lambda a: {"x": X, "y": X * 1j}), "'y' of type ndarray"),
    "uneven lists": (lambda: explorer(fn=lambda a: {"x": X, "y": [[1], [1, 2]]}), "'y' of type list"),
    "lengths": (lambda: explorer([Line(X[:5], "y")]), "the lengths differ: x has 5, y has 11"),
    "dots in 2-D": (lambda: explorer([Dots("x", "z")]), "y must have at most 1 dimension, got 2"),
    "too many frames": (lambda: explorer(controls=grid(3001)), r"3001 \(a\) = 3001 frames, more than 3000; drop a control"),
    "too large": (lambda: explorer(controls=grid(300), fn=lambda a: {"x": np.arange(900), "y": np.random.default_rng(a).normal(size=900)}),
                  r"takes \d+ KB for 300 frames; the largest entries are 'y' \d+ KB \(300 a\).*fewer values.*limit is 400 KB"),
    "nan in heat map": (lambda: explorer([Heatmap(X, X, "z")], fn=lambda a: {"z": np.full((11, 11), np.nan)}), "'z' holds NaN"),
    "inf in contour": (lambda: explorer([Contour(X, X, "z")], fn=lambda a: {"z": np.full((11, 11), np.inf)}), "'z' holds NaN or infinity"),
    "heat map shape": (lambda: explorer([Heatmap(X[:4], X, "z")]), r"z has shape \(11, 11\), but y and x have 11 and 4"),
    "heat map spacing": (lambda: explorer([Heatmap(X**2, X, "z")]), "must rise in even steps"),
    "heat map colors": (lambda: explorer([Heatmap(X, X, "z", vmin=1, vmax=1)]), "vmin must be less than vmax"),
    "classes": (lambda: explorer([Dots("x", "y", c="y")]), "class numbers 0, 1, 2"),
    "nothing to fit": (lambda: explorer(fn=lambda a: {"x": X, "y": X * np.nan}), "no finite value to fit the y axis to; give ylim"),
    "default off the grid": (lambda: Slider("a", [1, 2], value=1.5), "a = 1.5 is not on the grid; it must be one of 1, 2"),
    "one value": (lambda: Slider("a", [1]), "at least two finite numbers"),
    "value twice": (lambda: Slider("a", [1, 1]), "same value twice"),
    "bad name": (lambda: Slider("a b", [1, 2]), "must be a Python identifier"),
    "menu options": (lambda: Menu("m", ["x"]), "at least two different options"),
    "play interval": (lambda: Play("a", interval=1), "interval must be 40 to 10000"),
    "play target": (lambda: explorer(controls=[Slider("a", [1, 2]), Play("b")]), "slider 'b', but the sliders are a"),
    "same names": (lambda: explorer(controls=[Slider("a", [1, 2]), Slider("a", [1, 2])]), "two controls have the same name"),
    "four controls": (lambda: explorer(controls=[Slider(n, [1, 2]) for n in "abcd"]), "at most 3 controls besides Play, got 4"),
    "no controls": (lambda: Explorer([], frame, Panel([Line("x", "y")]), alt="x"), "at least one Slider"),
    "not a control": (lambda: explorer(controls=["a"]), "controls must be Slider"),
    "template": (lambda: explorer(readout="{mse:.2f}"), "readout names 'mse', which is neither a control nor .*; known: a, x"),
    "title template": (lambda: explorer(title="{mse}"), "the title of panel 1 names 'mse'"),
    "template of an array": (lambda: explorer(readout="{y:.2f}"), r"formats an array of shape \(11,\)"),
    "texts per point": (lambda: explorer([Text(X[:2], X[:2], "words")]), "'words' holds 11 texts for 2 points"),
    "color": (lambda: Line("x", "y", color="red"), "color must be one of data, truth.*or #rrggbb; got 'red'"),
    "dash": (lambda: Line("x", "y", dash="--"), "dash must be one of solid, dash, dot, dashdot"),
    "width": (lambda: Line("x", "y", width=0), "width must be positive"),
    "anchor": (lambda: Text(0, 0, "a", anchor="left"), "anchor must be one of start"),
    "reference line": (lambda: RefLine(x=1, y=2), "exactly one of x, y and slope"),
    "limits": (lambda: Panel([Line("x", "y")], xlim=(1, 0)), "xlim must be .low, high. with low < high"),
    "log limits": (lambda: Panel([Line("x", "y")], yscale="log", ylim=(0, 1)), "low > 0 on a log axis"),
    "scale": (lambda: Panel([Line("x", "y")], yscale="sqrt"), "yscale must be one of linear, log"),
    "aspect": (lambda: Panel([Line("x", "y")], aspect=1), 'aspect must be "equal"'),
    "no marks": (lambda: Panel([]), "needs a list of marks"),
    "no alt": (lambda: Explorer([Slider("a", [1, 2])], frame, Panel([Line("x", "y")]), alt=" "), "alt must describe the figure"),
    "no panel": (lambda: Explorer([Slider("a", [1, 2])], frame, [], alt="x"), "panels must be a Panel"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_get_a_message(mistake):
    make, words = MISTAKES[mistake]
    with pytest.raises((ValueError, TypeError), match=words):
        make()


def test_a_large_figure_warns():
    with pytest.warns(UserWarning, match="target is 150 KB"):
        explorer(controls=grid(100), fn=lambda a: {"x": np.arange(700), "y": np.random.default_rng(a).normal(size=700)})
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        explorer()


def test_frame_inputs_are_not_changed():
    y = np.array([1.0, np.nan, 1e12])
    y.setflags(write=False)
    explorer(fn=lambda a: {"x": np.arange(3), "y": y}, ylim=(0, 1))
