"""The kernel bandwidth playground: its state in Python, and in a real browser the same numbers as mlcore."""

import json

import numpy as np
import pytest
import traitlets
from numpy.testing import assert_allclose

from mlcore.supervised.neighbors_and_kernel_regression import KERNELS, loo_error, loo_fit, smooth, smoother_matrix
from mlcore.widgets import KernelBandwidthPlayground
from mlcore.widgets.kernel_bandwidth import EXAMPLES, MAX_POINTS, example_points

STATE = ("points", "bandwidth", "query", "kernel", "order")
SIX = [[1, 1.0], [2, 2.1], [3, 3.1], [4, 3.3], [5, 3.5], [6, 3.8]]


# ---------------------------------------------------------------- Python


def test_html_is_deterministic_and_holds_the_state():
    a, b = KernelBandwidthPlayground(order=1), KernelBandwidthPlayground(order=1)
    assert a.html() == b.html()
    state = json.loads(a.html().split('json">')[1].split("</script>")[0])
    assert set(state) == {"spec", *STATE} and state["order"] == 1 and state["points"] == example_points("waves").tolist()
    assert state["spec"]["start"] == {k: state[k] for k in STATE}
    assert repr(a) == "KernelBandwidthPlayground: How wide should the window be?"
    assert len(a.html()) < 8000


def test_lean_form():
    figure = KernelBandwidthPlayground(points=SIX, order=1, orders=(1,), kernels=("gaussian",), show_loo=False, bandwidth=0.5, query=2.5)
    assert (figure.points, figure.bandwidth, figure.query, figure.kernel, figure.order) == (SIX, 0.5, 2.5, "gaussian", 1)
    assert figure.spec["examples"] == [] and not figure.spec["show_loo"] and "leave-one-out" not in figure.spec["alt"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_fit_their_panel(name):
    points, spec = example_points(name), KernelBandwidthPlayground().spec
    assert points.shape == (28, 2)
    for column, limits in zip(points.T, (spec["xlim"], spec["ylim"])):
        assert limits[0] < column.min() and column.max() < limits[1]


@pytest.mark.parametrize("name, value, message", [
    ("points", [[0, 1]], "points must have 2 to 60 rows, got 1"),
    ("points", np.zeros((MAX_POINTS + 1, 2)), "points must have 2 to 60 rows, got 61"),
    ("points", [[0, 1, 2], [0, 1, 2]], "points must have two columns, x and y"), ("points", [[0, np.nan], [1, 1]], "NaN or infinity"),
    ("points", "wine", "points must be a rectangular array"),
    ("bandwidth", 0, "bandwidth must be a number > 0, got 0"), ("bandwidth", "wide", "bandwidth must be a number > 0"),
    ("query", np.inf, "query must be a number"), ("kernel", "cosine", "kernel must be one of 'gaussian'"),
    ("order", 2, "order must be one of"),
])
def test_impossible_states_are_refused(name, value, message):
    with pytest.raises((ValueError, traitlets.TraitError), match=message):
        KernelBandwidthPlayground(**{name: value})
    figure = KernelBandwidthPlayground()
    before = getattr(figure, name)
    with pytest.raises((ValueError, traitlets.TraitError), match=message):
        setattr(figure, name, value)
    assert getattr(figure, name) == before


def test_menus_limit_what_python_may_set():
    figure = KernelBandwidthPlayground(kernels=("boxcar", "tricube"), orders=(1,))
    assert (figure.kernel, figure.order) == ("boxcar", 1)
    figure.kernel = "tricube"
    with pytest.raises(traitlets.TraitError, match="kernel must be one of 'boxcar', 'tricube'; got 'gaussian'"):
        figure.kernel = "gaussian"
    with pytest.raises(ValueError, match="order must be one of"):
        KernelBandwidthPlayground(orders=(1,), order=0)
    with pytest.raises(ValueError, match="kernels must be one of"):
        KernelBandwidthPlayground(kernels=("cosine",))
    with pytest.raises(ValueError, match=r"bandwidths\[1\] must be a number > 2"):
        KernelBandwidthPlayground(bandwidths=(2, 1))


def test_arrays_become_plain_lists():
    figure = KernelBandwidthPlayground()
    figure.points = np.array(SIX)
    assert figure.points == SIX and isinstance(figure.points, list)


# ---------------------------------------------------------------- browser


def compare(page):
    """Everything the browser computed against mlcore on the same state; returns the browser's numbers."""
    got = page.evaluate("document.querySelector('.mlcore-playground').mlcoreNumbers()")
    X, y = np.array(got["points"])[:, :1], np.array(got["points"])[:, 1]
    how = {"kernel": got["kernel"], "order": got["order"]}
    close = {"rtol": 1e-6, "atol": 1e-6}
    assert_allclose(got["fit"], smooth(X, y, [[got["query"]]], got["bandwidth"], **how)[0], **close)
    assert_allclose(got["curve"], smooth(X, y, np.array(got["qs"])[:, None], got["bandwidth"], **how), **close)
    assert_allclose(got["loo"], loo_error(X, y, got["bandwidth"], **how), **close)
    assert got["alone"] == np.isnan(loo_fit(X, y, got["bandwidth"], **how)).sum()
    errors = np.array([loo_error(X, y, h, **how) for h in got["bandwidths"]])
    assert_allclose(got["errors"], errors, **close)
    equal = np.flatnonzero(np.isfinite(errors) & (errors <= errors.min() * (1 + 1e-9)))  # where the curve is flat: the first
    assert got["best"] == (equal[0] if len(equal) else -1)
    row = smoother_matrix(X, [[got["query"]]], got["bandwidth"], **how)[0]
    assert_allclose(got["worth"], 0 if np.isnan(row).any() else 1 / (row @ row), **close)
    return got


def drag(page, handle, dx, dy):
    """Pull the middle of a handle by dx, dy pixels."""
    place = handle.bounding_box()
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx, y + dy, steps=5)
    page.mouse.up()


def handle(page, name):
    return page.locator(f".mlc-handle[aria-label^='{name} ']")


@pytest.mark.browser
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("example", EXAMPLES)
def test_first_drawing_equals_mlcore(show, kernel, order, example):
    compare(show(KernelBandwidthPlayground(points=example_points(example), kernel=kernel, order=order)))


@pytest.mark.browser
@pytest.mark.parametrize("setting", [
    {"bandwidth": 0.01}, {"bandwidth": 0.01, "order": 1}, {"bandwidth": 1e4}, {"bandwidth": 1e4, "order": 1},
    {"points": [[0, 1], [10, 2]], "order": 1, "kernel": "boxcar"}, {"points": [[3, 1], [3, 2], [3, 6]], "order": 1},
    {"points": [[1, 1], [2, 2], [3, 1]], "order": 1, "kernel": "boxcar", "bandwidth": 1.0, "query": 2.0}, {"query": 40.0, "order": 1},
])
def test_extreme_settings_equal_mlcore(show, setting):
    compare(show(KernelBandwidthPlayground(**setting)))


@pytest.mark.browser
def test_scripted_interaction(show):
    page = show(KernelBandwidthPlayground())
    start = compare(page)
    page.locator("[name=bandwidth]").focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    wider = compare(page)
    assert wider["bandwidth"] == start["bandwidths"][start["bandwidths"].index(start["bandwidth"]) + 5]
    for kernel, name in (("epanechnikov", "Epanechnikov"), ("tricube", "tricube"), ("boxcar", "boxcar"), ("gaussian", "Gaussian")):
        page.locator("[name=kernel]").select_option(name)
        assert compare(page)["kernel"] == kernel
    page.locator("[name=order]").select_option("local line")
    assert compare(page)["order"] == 1

    drag(page, handle(page, "query"), 60, -30)
    moved = compare(page)
    assert moved["query"] > start["query"] + 1 and moved["points"] == start["points"]

    i = int(np.argmax(np.array(start["points"])[:, 1]))  # the highest point: no other handle covers it
    drag(page, handle(page, f"point {i + 1}"), 20, 40)
    dragged = compare(page)
    assert dragged["points"][i][1] < start["points"][i][1] and dragged["points"][i][0] > start["points"][i][0]
    assert dragged["points"][:i] + dragged["points"][i + 1:] == start["points"][:i] + start["points"][i + 1:]

    plot = page.locator(".mlc-svg").first.bounding_box()
    page.mouse.click(plot["x"] + 0.3 * plot["width"], plot["y"] + 20)
    added = compare(page)
    assert len(added["points"]) == 29 and added["points"][-1][1] > 3
    handle(page, "point 29").dblclick()
    assert compare(page)["points"] == dragged["points"]

    drag(page, handle(page, "current bandwidth"), 80, 0)
    assert compare(page)["bandwidth"] > 2 * wider["bandwidth"]
    page.get_by_role("button", name="Best h").click()
    best = compare(page)
    assert best["bandwidth"] == best["bandwidths"][best["best"]] and best["loo"] == pytest.approx(min(best["errors"]))

    page.locator("[name=data]").select_option("jump")
    assert compare(page)["points"] == example_points("jump").tolist()
    page.get_by_role("button", name="Reset").click()
    reset = compare(page)
    assert {k: reset[k] for k in STATE} == {k: start[k] for k in STATE}


@pytest.mark.browser
def test_keyboard_alone_suffices(show):
    page = show(KernelBandwidthPlayground(points=SIX))
    seen = []
    for _ in range(14):
        page.keyboard.press("Tab")
        name = page.evaluate("(e => e.name || e.getAttribute('aria-label') || e.textContent)(document.activeElement)")
        seen.append(name.partition(" at")[0])
    assert seen == ["bandwidth", "kernel", "order", "Best h", "Add point", "Reset", *(f"point {i}" for i in range(1, 7)), "query",
                    "current bandwidth"]
    before = compare(page)
    page.keyboard.press("ArrowRight")
    assert compare(page)["bandwidth"] > before["bandwidth"]
    handle(page, "query").focus()
    page.keyboard.press("Shift+ArrowRight")
    assert compare(page)["query"] > before["query"]
    handle(page, "point 2").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")
    moved = compare(page)["points"][1]
    assert moved[0] < 2 and moved[1] > 2.1
    page.keyboard.press("Delete")
    assert len(compare(page)["points"]) == 5
    page.get_by_role("button", name="Add point").press("Enter")
    added = compare(page)
    assert len(added["points"]) == 6 and abs(added["points"][-1][0] - added["query"]) < 1e-9
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("point 6")


@pytest.mark.browser
def test_empty_window_and_undefined_error_are_explained(show):
    page = show(KernelBandwidthPlayground(points=[[0, 0], [0.5, 1], [1, 0], [9, 3]], kernel="boxcar", bandwidth=0.6, query=5))
    got = compare(page)
    assert np.isnan(got["fit"]) and np.isinf(got["loo"]) and got["alone"] == 1 and np.isnan(got["curve"]).any()
    text = page.locator(".mlc-readout").inner_text()
    assert "No point lies within h = 0.6 of the query" in text and "gap" in text
    assert "not defined, as 1 point has no other point within h" in text
    assert f"at h = {got['bandwidths'][got['best']]:.3g}" in text and got["bandwidths"][got["best"]] >= 8
    page.locator("[name=kernel]").select_option("Gaussian")
    got = compare(page)
    assert np.isfinite(got["fit"]) and np.isfinite(got["loo"]) and not np.isnan(got["curve"]).any()


@pytest.mark.browser
def test_two_points_are_the_least_and_sixty_the_most(show):
    page = show(KernelBandwidthPlayground(points=[[0, 0], [1, 1]]))
    handle(page, "point 1").dblclick()
    assert len(compare(page)["points"]) == 2 and "At least 2 points are needed" in page.locator(".mlc-readout").inner_text()
    rng = np.random.default_rng(0)
    page = show(KernelBandwidthPlayground(points=rng.uniform(size=(MAX_POINTS, 2))))
    page.get_by_role("button", name="Add point").click()
    assert len(compare(page)["points"]) == MAX_POINTS and "the most this figure takes" in page.locator(".mlc-readout").inner_text()


@pytest.mark.browser
def test_lean_form_shows_one_panel_and_no_menus(show):
    page = show(KernelBandwidthPlayground(points=SIX, order=1, orders=(1,), kernels=("gaussian",), show_loo=False))
    compare(page)
    assert page.locator(".mlc-svg").count() == 1 and page.locator("select").count() == 0
    assert page.get_by_role("button", name="Best h").count() == 0
    assert "eave-one-out" not in page.locator(".mlc-box").inner_text()
