"""The soft-margin playground: its state in Python, and in a real browser the same solution as mlcore."""

import json

import numpy as np
import pytest
import traitlets
from numpy.testing import assert_allclose

from mlcore.supervised.support_vector_machines import SVC, slacks
from mlcore.widgets import SoftMarginPlayground
from mlcore.widgets.soft_margin import EXAMPLES, MAX_POINTS, example_points

STATE = ("points", "labels", "C", "kernel", "bandwidth")
FIVE = {"points": [[2, 1], [1, 2], [0, 0], [3, 3], [-1, 0]], "labels": [1, 1, -1, 1, -1]}


# ---------------------------------------------------------------- Python


def test_html_is_deterministic_and_holds_the_state():
    a, b = SoftMarginPlayground(C=0.5), SoftMarginPlayground(C=0.5)
    assert a.html() == b.html() and len(a.html()) < 6000
    state = json.loads(a.html().split('json">')[1].split("</script>")[0])
    assert set(state) == {"spec", *STATE} and state["C"] == 0.5
    assert state["spec"]["start"] == {k: state[k] for k in STATE}
    assert repr(a) == "SoftMarginPlayground: Where does the margin go?"


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_fit_their_panel(name):
    (X, y), spec = example_points(name), SoftMarginPlayground().spec
    assert set(y.tolist()) == {-1, 1} and len(X) == len(y) <= MAX_POINTS
    for column, limits in zip(X.T, (spec["xlim"], spec["ylim"])):
        assert limits[0] <= column.min() and column.max() <= limits[1]


@pytest.mark.parametrize("settings, message", [
    ({"points": [[0, 1]], "labels": [1]}, "points must have 2 to 40 rows, got 1"),
    ({"points": np.zeros((41, 2)), "labels": [1] * 41}, "points must have 2 to 40 rows, got 41"),
    ({"points": [[0, 1, 2]] * 2, "labels": [1, -1]}, "points must have two columns"),
    ({"points": [[0, 1], [1, np.nan]], "labels": [1, -1]}, "NaN or infinity"),
    ({"points": [[0, 1], [1, 1]], "labels": [1, 1]}, "labels must be -1 or \\+1 and hold both"),
    ({"points": [[0, 1], [1, 1]], "labels": [0, 1]}, "labels must be -1 or \\+1 and hold both"),
    ({"points": [[0, 1], [1, 1]], "labels": [1, -1, 1]}, "points has 2 rows, but labels has 3"),
    ({"points": [[0, 1], [1, 1]]}, "points and labels belong together"),
    ({"C": 0}, "C must be a number >= 0.01"), ({"C": 1e6}, "C must be a number >= 0.01 and <= 100"),
    ({"kernel": "cosine"}, "kernel must be one of 'linear', 'gaussian'"), ({"bandwidth": 0}, "bandwidth must be a number >= 0.05"),
])
def test_impossible_states_are_refused(settings, message):
    with pytest.raises((ValueError, traitlets.TraitError), match=message):
        SoftMarginPlayground(**settings)


@pytest.mark.parametrize("name, value", [("points", [[0, 1]]), ("labels", [1, 1]), ("C", -1), ("kernel", "cosine"), ("bandwidth", "wide")])
def test_python_cannot_set_an_impossible_state(name, value):
    figure = SoftMarginPlayground()
    before = getattr(figure, name)
    with pytest.raises(traitlets.TraitError, match=f"{name} must"):
        setattr(figure, name, value)
    assert getattr(figure, name) == before


# ---------------------------------------------------------------- browser


def compare(page):
    """Everything the browser computed against mlcore on the same state; returns the browser's numbers."""
    got = page.evaluate("document.querySelector('.mlcore-playground').mlcoreNumbers()")
    X, y, C = np.array(got["points"]), np.array(got["labels"]), got["C"]
    model = SVC(C=C, kernel=got["kernel"], bandwidth=got["bandwidth"], tol=1e-8).fit(X, y)
    assert_allclose(got["dual"], model.dual_objective_, rtol=1e-6)
    assert_allclose(got["primal"], model.primal_objective_, rtol=1e-4)
    assert 0 <= got["primal"] - got["dual"] + 1e-9 <= 1e-4 * max(got["primal"], 1)
    gx, gy = np.meshgrid(got["gx"], got["gy"])
    grid = np.column_stack([gx.ravel(), gy.ravel()])
    assert_allclose(np.ravel(got["field"]), model.decision_function(grid), atol=2e-4)
    assert_allclose(got["xi"], slacks(y * model.decision_function(X)), atol=2e-4)
    assert_allclose(np.sum(got["beta"]), 0, atol=1e-9)
    assert min(got["alpha"]) >= 0 and max(got["alpha"]) <= C
    return got


def handle(page, i):
    return page.locator(f".mlc-handle[aria-label^='point {i}, ']")


def drag(page, grip, dx, dy):
    """Pull the middle of a handle by dx, dy pixels."""
    place = grip.bounding_box()
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx, y + dy, steps=5)
    page.mouse.up()


@pytest.mark.browser
@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("kernel", ["linear", "gaussian"])
@pytest.mark.parametrize("C", [0.1, 5.0])
def test_first_drawing_equals_mlcore(show, example, kernel, C):
    X, y = example_points(example)
    compare(show(SoftMarginPlayground(X, y, kernel=kernel, C=C)))


@pytest.mark.browser
def test_five_points_give_the_exact_numbers(show):
    got = compare(show(SoftMarginPlayground(**FIVE, C=10)))
    assert_allclose(got["alpha"], [2 / 9, 2 / 9, 4 / 9, 0, 0], atol=1e-5)
    assert_allclose([*got["w"], got["b"], got["dual"]], [2 / 3, 2 / 3, -1, 4 / 9], atol=1e-5)


@pytest.mark.browser
@pytest.mark.parametrize("settings", [
    {"points": [[0, 0], [0, 0], [1, 1], [-1, -2]], "labels": [1, -1, 1, -1]}, {"points": [[0, 0], [0, 0]], "labels": [1, -1]},
    {"points": [[0, 0], [0, 0]], "labels": [1, -1], "kernel": "gaussian"}, {"C": 100, "kernel": "gaussian", "bandwidth": 4.0},
    {"C": 0.01}, {"kernel": "gaussian", "bandwidth": 0.2},
])
def test_extreme_settings_equal_mlcore(show, settings):
    page = show(SoftMarginPlayground(**settings))
    compare(page)
    assert "NaN" not in page.locator(".mlc-readout").inner_text()


@pytest.mark.browser
def test_scripted_interaction(show):
    page = show(SoftMarginPlayground())
    start = compare(page)
    page.locator("[name=C]").focus()
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
    softer = compare(page)
    assert softer["C"] < start["C"] and softer["square"] < start["square"]  # a lower price of slack: a wider margin
    page.locator("[name=kernel]").select_option("Gaussian")
    assert compare(page)["kernel"] == "gaussian"
    page.locator("[name=bandwidth]").focus()
    page.keyboard.press("ArrowRight")
    assert compare(page)["bandwidth"] > start["bandwidth"]
    page.locator("[name=kernel]").select_option("linear")

    i = int(np.argmax(np.array(start["points"])[:, 0]))  # the rightmost point: no other handle covers it
    drag(page, handle(page, i + 1), -40, 30)
    moved = compare(page)
    assert moved["points"][i][0] < start["points"][i][0] and moved["points"][i][1] < start["points"][i][1]
    assert moved["points"][:i] + moved["points"][i + 1:] == start["points"][:i] + start["points"][i + 1:]

    plane = page.locator(".mlc-svg").first.bounding_box()
    page.locator("[name=class]").select_option("● class −1")
    page.mouse.click(plane["x"] + 0.9 * plane["width"], plane["y"] + 0.12 * plane["height"])
    added = compare(page)
    assert len(added["points"]) == 25 and added["labels"][-1] == -1
    handle(page, 25).dblclick()
    assert compare(page)["points"] == moved["points"]

    page.locator("[name=data]").select_option("ring")
    X, y = example_points("ring")
    ring = compare(page)
    assert ring["points"] == X.tolist() and ring["labels"] == y.tolist()
    page.get_by_role("button", name="Reset").click()
    reset = compare(page)
    assert {k: reset[k] for k in STATE} == {k: start[k] for k in STATE}


@pytest.mark.browser
def test_keyboard_alone_suffices(show):
    page = show(SoftMarginPlayground(**FIVE, C=2, kernel="gaussian"))
    seen = []
    for _ in range(11):
        page.keyboard.press("Tab")
        name = page.evaluate("(e => e.name || e.getAttribute('aria-label') || e.textContent)(document.activeElement)")
        seen.append(name.partition(",")[0])
    assert seen == ["C", "kernel", "bandwidth", "class", "Add point", "Reset", *(f"point {i}" for i in range(1, 6))]
    before = compare(page)
    page.keyboard.press("Shift+ArrowRight")
    assert compare(page)["points"][4][0] > before["points"][4][0]
    page.keyboard.press("Delete")
    assert len(compare(page)["points"]) == 4
    page.get_by_role("button", name="Add point").press("Enter")
    assert len(compare(page)["points"]) == 5
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("point 5")


@pytest.mark.browser
def test_a_class_cannot_be_emptied_nor_the_figure_overfilled(show):
    page = show(SoftMarginPlayground(points=[[-1, 0], [1, 0], [2, 1]], labels=[-1, 1, 1]))
    handle(page, 1).dblclick()
    assert "Each class needs at least one point" in page.locator(".mlc-readout").inner_text()
    assert len(compare(page)["points"]) == 3
    rng = np.random.default_rng(0)
    page = show(SoftMarginPlayground(rng.uniform(-3, 3, size=(MAX_POINTS, 2)), np.arange(MAX_POINTS) % 2 * 2 - 1))
    page.get_by_role("button", name="Add point").click()
    assert len(compare(page)["points"]) == MAX_POINTS and "the most this figure takes" in page.locator(".mlc-readout").inner_text()


@pytest.mark.browser
def test_readout_shows_both_objectives(show):
    text = show(SoftMarginPlayground(**FIVE, C=0.4)).locator(".mlc-readout").inner_text()
    assert "= 0.44, dual W(α) = 0.44" in text and "1 with α = C; 0 misclassified" in text
