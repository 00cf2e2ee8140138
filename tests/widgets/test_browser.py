"""Explorer in a real browser, from a file: it draws what Python computed, and every reader can operate it."""

import importlib.resources
import json
import re

import numpy as np
import pytest

from mlcore.widgets import Area, Bars, Contour, Dots, Explorer, Heatmap, Line, Menu, Panel, Play, RefLine, Segments, Slider, Text, Toggle
from mlcore.widgets.assets import esm, scripts, site_style

pytestmark = pytest.mark.browser
RATES, STEPS = [0.1, 0.2, 0.9], np.arange(8.0)
GRID = np.linspace(-1, 1, 5)


def frame(eta, start, flip):
    path = start * (1 - 2 * eta) ** STEPS * (-1 if flip else 1)
    return {"k": STEPS, "path": path, "size": np.abs(path) + 1e-3, "last": path[-1], "z": np.add.outer(GRID, 2 * GRID) * eta,
            "c": (np.add.outer(GRID, GRID) > 0).astype(int), "cls": np.arange(8) % 3}


def figure(**kwargs):
    """All kinds of controls and marks in four panels."""
    return Explorer(
        [Slider("eta", RATES, label="learning rate η", value=0.1), Menu("start", {2.0: "far", 1.0: "near"}, label="start"),
         Toggle("flip", label="mirror"), Play("eta", interval=60)], frame,
        [Panel([Line("k", "path", label="path"), Dots("k", "path", c="cls", class_labels=["a", "b", "c"]), RefLine(y=0, label="zero")],
               title="η = {eta:.1f}", xlabel="step", ylabel="x", xlim=(0, 8), ylim=(-4, 4)),
         Panel([Area("k", 0.001, "size"), Bars("k", "size", opacity=0.4)], title="size", yscale="log"),
         Panel([Heatmap(GRID, GRID, "z", label="z"), Contour(GRID, GRID, "z", color="#ffffff")], title="surface"),
         Panel([Heatmap(GRID, GRID, "c", classes=True), Segments(0, 0, "last", 0.5, arrow=True), Text(0, 0, "η {eta}")], aspect="equal")],
        title="Descent", alt="A path that shrinks or grows.", readout="x = {last:.3f}", **kwargs)


def drawing(page):
    """Everything drawn, as text."""
    return page.evaluate("""() => [...document.querySelectorAll('.mlc-mark')].map(e => e.outerHTML).join()
        + [...document.querySelectorAll('canvas')].map(c => c.toDataURL()).join()""")


def readout(page):
    return page.locator(".mlc-readout").inner_text()


def shown_points(page, panel=0):
    """The data coordinates of the vertices of the first line, measured against the tick labels."""
    return np.array(page.evaluate("""(panel) => {
        const svg = document.querySelectorAll('svg.mlc-svg')[panel], texts = [...svg.querySelectorAll('.mlc-axes text')];
        const value = (t) => +t.textContent.replace('−', '-'), anchor = (t) => t.classList.length ? '' : t.getAttribute('text-anchor');
        const fit = (ts, pos) => {
            const a = ts[0], b = ts[ts.length - 1], k = (value(b) - value(a)) / (pos(b) - pos(a));
            return (p) => value(a) + (p - pos(a)) * k;
        };
        const X = fit(texts.filter((t) => anchor(t) === 'middle'), (t) => +t.getAttribute('x'));
        const Y = fit(texts.filter((t) => anchor(t) === 'end'), (t) => +t.getAttribute('y') - 4);
        const d = svg.querySelector('path.mlc-mark').getAttribute('d');
        return [...d.matchAll(/[ML](-?[\\d.]+) (-?[\\d.]+)/g)].map((m) => [X(+m[1]), Y(+m[2])]);
    }""", panel))


def test_draws_what_python_computed(show):
    page = show(figure().html())
    assert page.locator("svg.mlc-svg").count() == 4 and page.locator(".mlcore-fallback").count() == 0
    for i, eta in enumerate(RATES):
        if i:
            page.get_by_label("learning rate η").press("ArrowRight")
        wanted = np.column_stack([STEPS, 2 * (1 - 2 * eta) ** STEPS])
        np.testing.assert_allclose(shown_points(page), wanted, atol=0.02)       # a pixel is 0.03
        assert readout(page) == f"x = {wanted[-1, 1]:.3f}".replace("-", "−")
        assert page.locator(".mlc-panel-title").first.inner_text() == f"η = {eta}"


def test_every_control_changes_the_drawing_and_the_readout(show):
    page = show(figure().html())
    start, said = drawing(page), readout(page)
    for act in (lambda: page.get_by_label("learning rate η").press("ArrowRight"), lambda: page.get_by_label("start").select_option("near"),
                lambda: page.get_by_label("mirror").check()):
        act()
        assert drawing(page) != start and readout(page) != said
        start, said = drawing(page), readout(page)
    page.get_by_role("button", name="Reset").click()
    assert readout(page) == "x = 0.419"
    assert page.get_by_label("start").input_value() == "far" and not page.get_by_label("mirror").is_checked()


def test_keyboard_alone_reaches_and_moves_everything(show):
    page = show(figure().html())
    seen = []
    for _ in range(5):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.getAttribute('name') || document.activeElement.textContent"))
        assert page.evaluate("document.activeElement.dataset.lmSuppressShortcuts") == "true"
    assert seen == ["eta", "start", "flip", "▶ Play", "Reset"]
    for _ in range(4):
        page.keyboard.press("Shift+Tab")
    page.keyboard.press("End")
    assert page.get_by_label("learning rate η").get_attribute("aria-valuetext") == "0.9"
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert readout(page) == "x = 0.210"           # -1 * (1 - 1.8)**7
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert readout(page) == "x = 0.419"


def test_play_runs_to_the_end_and_stops(show):
    page = show(figure().html(), clock=True)
    button, slider, said = page.locator(".mlc-button").first, page.get_by_label("learning rate η"), page.locator(".mlc-readout")
    button.click()
    for step in "01":
        assert slider.input_value() == step and button.inner_text() == "⏸ Pause" and said.get_attribute("aria-live") == "off"
        page.clock.run_for(60)
    assert slider.input_value() == "2" and button.inner_text() == "▶ Play" and said.get_attribute("aria-live") == "polite"
    button.click()                                                               # at the end it starts again
    assert slider.input_value() == "0" and button.inner_text() == "⏸ Pause"
    slider.press("ArrowRight")                                                   # and a hand on the slider stops it
    assert button.inner_text() == "▶ Play"
    page.clock.run_for(600)
    assert slider.input_value() == "1"


def test_play_makes_single_steps_for_reduced_motion(show):
    page = show(figure().html(), reduced_motion="reduce", clock=True)
    button, slider = page.locator(".mlc-button").first, page.get_by_label("learning rate η")
    assert button.inner_text() == "▶ Step"
    for wanted in "120":
        button.click()
        page.clock.run_for(600)
        assert slider.input_value() == wanted and button.inner_text() == "▶ Step"


def test_hover_tells_the_numbers(show):
    page = show(figure().html())
    box = page.locator("svg.mlc-svg").first.bounding_box()
    dot = page.evaluate("""() => {
        const r = document.querySelector('svg.mlc-svg path[style*=class1]').getBoundingClientRect();
        return [r.left + 4.5, r.top + 4.5];
    }""")
    page.mouse.move(*dot)
    assert page.locator(".mlc-tip").first.inner_text() == "b (1, 1.6)"
    page.mouse.move(box["x"] + box["width"] + 40, box["y"])
    assert not page.locator(".mlc-tip").first.is_visible()


def test_heat_map_has_its_first_row_at_the_bottom(show):
    page = show(figure().html())
    page.get_by_label("learning rate η").press("End")      # the color scale is that of all settings
    low, high, corner, *size = page.evaluate("""() => {
        const c = document.querySelector('canvas'), d = c.getContext('2d').getImageData(0, 0, 5, 5).data;
        const at = (x, y) => [...d.slice(4 * (5 * y + x), 4 * (5 * y + x) + 4)];
        return [at(0, 4), at(4, 0), at(4, 4), c.width, c.height]; }""")
    # z = y + 2x: least at the bottom left, greatest at the top right
    assert size == [5, 5] and low[:3] == [0x44, 0x01, 0x54] and high[:3] == [0xFD, 0xE7, 0x25] and corner not in (low, high)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 375])
def test_no_sideways_scroll_and_no_overlap(show, width, theme):
    page = show(figure().html(), width=width, theme=theme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    boxes = page.evaluate("""() => [...document.querySelectorAll('.mlc-panel')].map((e) => e.getBoundingClientRect())
        .map((r) => [r.left, r.top, r.right, r.bottom])""")
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            assert a[1] >= b[3] - 1 or b[1] >= a[3] - 1 or a[0] >= b[2] or b[0] >= a[2]
    if width == 375:
        assert all(abs(a[0] - boxes[0][0]) < 1 for a in boxes), "panels stack on a phone"
    text = page.evaluate("[...document.querySelectorAll('svg.mlc-svg text')].every(t => parseFloat(getComputedStyle(t).fontSize) >= 11)")
    assert text, "labels stay readable"


def test_resizing_lays_the_panels_out_again(show):
    page = show(figure().html())
    before = page.locator("svg.mlc-svg").first.get_attribute("width")
    page.set_viewport_size({"width": 400, "height": 800})
    page.wait_for_function(f"document.querySelector('svg.mlc-svg').getAttribute('width') !== '{before}'")
    np.testing.assert_allclose(shown_points(page)[:, 1], 2 * 0.8**STEPS, atol=0.03)


def test_dark_mode_recolors_lines_and_regions(show):
    page = show(figure().html())
    look = "[getComputedStyle(document.querySelector('path.mlc-mark')).stroke, document.querySelectorAll('canvas')[1].toDataURL()]"
    light = page.evaluate(look)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.wait_for_function(f"(light) => {look}.every((now, i) => now !== light[i])", arg=light)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_no_serious_violation(show, theme):
    page = show("<h1>Page</h1>", figure().html(), theme=theme)
    axe = importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf8")
    page.evaluate(axe)
    found = page.evaluate("axe.run()")["violations"]
    assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found if v["impact"] in ("serious", "critical")] == []


def test_words_for_those_who_cannot_see(show):
    page = show(figure().html())
    assert page.get_by_role("group", name="Descent").count() == 1
    said = [page.get_by_role("img").nth(i).get_attribute("aria-label") for i in range(4)]
    assert said == ["η = 0.1", "size", "surface", "A path that shrinks or grows."]
    page.get_by_label("learning rate η").press("ArrowRight")
    assert page.get_by_role("img").first.get_attribute("aria-label") == "η = 0.2"
    assert page.get_by_role("status").inner_text() == readout(page)


def damaged(edit):
    state = json.loads(json.dumps(figure().state()))
    edit(state["spec"])
    return wrapped(json.dumps(state))


def wrapped(text):
    return ('<div class="mlcore-explorer" data-kind="explorer">'
            f'<script type="application/json">{text}</script><p class="mlcore-fallback">x</p></div>')


BROKEN = {
    "not JSON": figure().html().replace('"v":1', '"v":'),
    "another version": damaged(lambda s: s.update(v=9)),
    "short array": damaged(lambda s: s["arrays"]["path"].update(data="AAAA")),
    "not base64": damaged(lambda s: s["arrays"]["path"].update(data="*")),
    "missing array": damaged(lambda s: s["arrays"].pop("path")),
    "unknown mark": damaged(lambda s: s["panels"][0]["marks"][0].update(kind="pie")),
    "no panels": damaged(lambda s: s.pop("panels")),
    "unknown kind": figure().html().replace('data-kind="explorer"', 'data-kind="nothing"'),
    "empty": wrapped("null"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_damaged_data_give_a_message_and_leave_the_rest_alone(show, case):
    page = show(BROKEN[case], figure().html())
    message = page.locator(".mlc-message")
    assert message.count() == 1 and "This figure cannot be drawn" in message.inner_text()
    assert page.locator("svg.mlc-svg").count() == 4, "the next figure is drawn"
    if case == "not JSON":
        assert "A path that shrinks or grows." in message.inner_text()


def test_a_sanitized_output_keeps_its_words(show):
    page = show(re.sub(r"<script.*?</script>", "", figure().html(), flags=re.S))
    assert "run this cell" in page.locator(".mlcore-fallback").inner_text()


def test_a_figure_inserted_later_comes_to_life(show):
    page = show("<div id='out'></div>")
    page.evaluate("(html) => { document.getElementById('out').innerHTML = html; }", figure().html())
    page.wait_for_selector("svg.mlc-svg")
    page.get_by_label("learning rate η").press("ArrowRight")
    assert readout(page) == "x = 0.056"


def test_module_keeps_two_views_in_step_and_cleans_up(show):
    """What anywidget does: import the module, render one model twice, drop one view."""
    page = show(text=f"<!doctype html><html lang=en><title>t</title><style>{site_style()}</style><div id=a></div><div id=b></div>")
    page.evaluate("""async ([code, state]) => {
        const subs = new Set(); window.saved = 0;
        window.model = { get: (k) => state[k], set: (k, v) => { state[k] = v; subs.forEach((f) => f()); },
                         save_changes: () => { window.saved++; }, off: (e, f) => subs.delete(f),
                         on: (e, f) => { if (e === "change:index") subs.add(f); } };
        window.subs = subs;
        const module = (await import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })))).default;
        window.clean = ["a", "b"].map((id) => module.render({ model, el: document.getElementById(id) }));
    }""", [esm("explorer"), figure().state()])
    page.locator("#a input[type=range]").press("ArrowRight")
    assert page.locator("#b .mlc-readout").inner_text() == page.locator("#a .mlc-readout").inner_text() == "x = 0.056"
    assert page.evaluate("window.saved") == 1
    page.evaluate("model.set('index', [2, 0, 0])")                               # a change that comes from Python
    assert page.locator("#a input[type=range]").input_value() == page.locator("#b input[type=range]").input_value() == "2"
    page.evaluate("clean[0]()")
    assert page.evaluate("[document.getElementById('a').childElementCount, subs.size]") == [0, 1]


HANDLES = """register("test", ({ model, box }) => {
  const p = plot(box, { alt: "points", xlim: [0, 10], ylim: [0, 10], title: "points" });
  let points = [[2, 2], [5, 5], [8, 3]];
  window.points = () => points; window.done = 0;
  const hs = handles(p, { label: (i) => "point " + (i + 1),
    onMove: (i, q) => { points = points.map((r, j) => (j === i ? q : r)); hs.set(points); }, onDone: () => { window.done++; },
    onRemove: (i) => { points = points.filter((_, j) => j !== i); hs.set(points); } });
  hs.set(points);
  onPlotClick(p, (q) => { points = [...points, q]; hs.set(points); });
  window.place = ([x, y]) => { const r = p.svg.getBoundingClientRect(); return [r.left + p.X(x), r.top + p.Y(y)]; };
});
mount("test", { model: shim({ spec: { v: 1, alt: "" } }), el: document.body });"""


def test_handles_follow_pointer_and_keys(show):
    page = show(text=f"<!doctype html><html lang=en><meta charset=utf8><title>t</title><style>{site_style()}</style>"
                     f"<body><script>{scripts('core', 'handles')}{HANDLES}</script>")
    points = lambda: np.array(page.evaluate("points()"))  # noqa: E731
    page.mouse.move(*page.evaluate("place([5, 5])"))
    page.mouse.down()
    page.mouse.move(*page.evaluate("place([6, 8])"), steps=3)
    page.mouse.up()
    np.testing.assert_allclose(points()[1], [6, 8], atol=0.05)
    assert page.evaluate("[window.done, points().length]") == [1, 3], "a drag is not a click that adds a point"
    page.mouse.click(*page.evaluate("place([1, 9])"))
    np.testing.assert_allclose(points()[3], [1, 9], atol=0.05)
    handle = page.get_by_role("button", name="point 2 at 6, 8")
    handle.focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Shift+ArrowDown")
    assert points()[1][0] < 5.99 and points()[1][1] < 7.9
    for _ in range(60):
        page.keyboard.press("Shift+ArrowDown")
    assert points()[1][1] == pytest.approx(0, abs=1e-9), "a handle stays inside the panel"
    page.keyboard.press("Delete")
    assert len(points()) == 3 and page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("point 2")
    page.mouse.dblclick(*page.evaluate("place([2, 2])"))
    assert len(points()) == 2


def test_numerics_agree_with_numpy(show):
    page = show(text=f"<!doctype html><title>t</title><script>{scripts('numerics')}</script>")
    rng = np.random.default_rng(3)
    A, b = rng.normal(size=(9, 4)), rng.normal(size=9)
    S = A.T @ A
    run = page.evaluate("""([A, b, S]) => ({
        ls: solveQR(qr(A), b), low: solveQR(qr(A.map((r) => [r[0], 2 * r[0]])), b), L: cholesky(S), no: cholesky([[1, 2], [2, 1]]),
        spd: solveCholesky(cholesky(S), b.slice(0, 4)), AB: matmul(S, transpose(A)), Av: matvec(A, b.slice(0, 4)), lin: linspace(0, 1, 5),
    })""", [A.tolist(), b.tolist(), S.tolist()])
    np.testing.assert_allclose(run["ls"], np.linalg.lstsq(A, b, rcond=None)[0], rtol=1e-12)
    np.testing.assert_allclose(run["spd"], np.linalg.solve(S, b[:4]), rtol=1e-11)
    np.testing.assert_allclose(run["L"], np.linalg.cholesky(S), atol=1e-13)
    np.testing.assert_allclose(run["AB"], S @ A.T, rtol=1e-12)
    np.testing.assert_allclose(run["Av"], A @ b[:4], rtol=1e-12)
    assert run["no"] is None and run["low"] is None and run["lin"] == [0, 0.25, 0.5, 0.75, 1]


def mulberry32(seed, n):
    """The generator written out with Python integers, as the reference."""
    out, a, mask = [], seed, 0xFFFFFFFF
    for _ in range(n):
        a = (a + 0x6D2B79F5) & mask
        t = ((a ^ (a >> 15)) * (a | 1)) & mask
        t ^= (t + (((t ^ (t >> 7)) * (t | 61)) & mask)) & mask
        out.append((t ^ (t >> 14)) / 2**32)
    return out


def test_random_numbers_are_reproducible_and_well_spread(show):
    page = show(text=f"<!doctype html><title>t</title><script>{scripts('numerics')}</script>")
    assert page.evaluate("(() => { const u = mulberry32(7); return [u(), u(), u(), u()]; })()") == mulberry32(7, 4)
    z = np.array(page.evaluate("(() => { const n = normals(mulberry32(1)); return Array.from({ length: 20000 }, n); })()"))
    for moment, wanted, variance in ((1, 0, 1), (2, 1, 2), (4, 3, 96)):          # within four standard errors
        assert abs((z**moment).mean() - wanted) < 4 * np.sqrt(variance / 20000)
