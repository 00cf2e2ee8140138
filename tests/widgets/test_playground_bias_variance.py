"""The bias-variance playground: its state in Python, and in a real browser the same numbers as mlcore."""

import math

import numpy as np
import pytest
import traitlets
from numpy.testing import assert_allclose

from mlcore.generalization import bias_variance as bv
from mlcore.widgets import BiasVariancePlayground
from mlcore.widgets.bias_variance import GRID, N_SETS, RIDGES, SIGMAS, SIZES, standard_normals

BEAT = 500      # milliseconds between resamplings
STATE = ("truth", "knots", "degree", "n", "sigma", "ridge", "seed", "against")


# ---------------------------------------------------------------- Python


def test_html_is_deterministic_and_holds_the_state():
    a, b = BiasVariancePlayground("bump", degree=4), BiasVariancePlayground("bump", degree=4)
    assert a.html() == b.html()
    assert '"truth":"bump"' in a.html() and '"degree":4' in a.html() and "-0.0" not in a.html()
    assert repr(a) == "BiasVariancePlayground: Bias-variance playground"
    assert len(a.html()) < 4000


def test_normals_are_standard_and_reproducible():
    z = standard_normals(5, 20_001)
    assert len(z) == 20_001
    assert_allclose(z, standard_normals(5, 20_001))
    assert abs(z.mean()) < 4 / math.sqrt(len(z)) and abs(z.std() - 1) < 4 / math.sqrt(2 * len(z))
    neighbors = np.corrcoef(standard_normals(6, 5000), standard_normals(7, 5000))[0, 1]
    assert abs(neighbors) < 4 / math.sqrt(5000)  # training sets with consecutive seeds are unrelated


def test_state_gives_points_fit_and_decomposition():
    figure = BiasVariancePlayground("step", degree=5, n=30, sigma=0.2, ridge=0.5, seed=7)
    x, y = figure.points.T
    assert_allclose(x, np.linspace(-1, 1, 30))
    assert_allclose(y - figure.curve(x), 0.2 * standard_normals(7, 30), atol=1e-12)
    theta = bv.polynomial_coefficients(x, 5, 0.5) @ y
    assert_allclose(figure.fit(GRID), bv.legendre_features(GRID, 5) @ theta)
    want = bv.polynomial_decomposition(bv.TRUTHS["step"], 30, 5, 0.2, 0.5).mean()
    assert_allclose(figure.decomposition().mean(), want)


@pytest.mark.parametrize("name, value, message", [
    ("degree", 16, "degree must be an integer >= 0 and <= 15, got 16"), ("n", 8, "n must be an integer >= 16"),
    ("sigma", -0.1, "sigma must be a number >= 0"), ("ridge", -1.0, "ridge must be a number >= 0"),
    ("truth", "cosine", "truth must be one of 'sine'"), ("against", "time", "against must be one of 'degree'"),
    ("knots", [1.0, 2.0], "knots must hold 9 values, got 2"), ("seed", -1, "seed must be an integer >= 0"),
])
def test_impossible_states_are_refused(name, value, message):
    with pytest.raises((ValueError, traitlets.TraitError), match=message):
        BiasVariancePlayground(**{name: value})
    figure = BiasVariancePlayground()
    before = getattr(figure, name)
    with pytest.raises((ValueError, traitlets.TraitError), match=message):
        setattr(figure, name, value)
    assert getattr(figure, name) == before


def test_drawn_curve_is_the_truth():
    knots = [0, 1, -1, 0.5, 0.5, 2, -2, 0, 0]
    figure = BiasVariancePlayground("custom", knots=knots, sigma=0.0, degree=1)
    assert_allclose(figure.curve(np.linspace(-1, 1, 9)), knots, atol=1e-12)
    assert_allclose(figure.points[:, 1], figure.curve(np.linspace(-1, 1, 20)))


# ---------------------------------------------------------------- browser


def numbers(page):
    return page.evaluate("document.querySelector('.mlcore-playground').mlcoreNumbers()")


def compare(page):
    """Everything the browser computed against mlcore on the same state; returns both."""
    got = numbers(page)
    twin = BiasVariancePlayground(**{k: got[k] for k in STATE})
    assert_allclose(np.column_stack([got["x"], got["y"]]), twin.points, atol=1e-9)
    assert_allclose(got["curve"], twin.curve(GRID), atol=1e-9)
    for r in (0, 17, N_SETS - 1):
        assert_allclose(got["fits"][r], twin.fit(GRID, seed=twin.seed - N_SETS + 1 + r), rtol=1e-6, atol=1e-6)
    L = bv.polynomial_smoother(np.linspace(-1, 1, twin.n), GRID, twin.degree, twin.ridge)
    assert_allclose(got["average"], L @ twin.curve(np.linspace(-1, 1, twin.n)), rtol=1e-6, atol=1e-6)
    want = twin.decomposition().mean()._asdict()
    for part, value in want.items():
        assert_allclose(got["now"][part], value, rtol=1e-6, atol=1e-6, err_msg=part)
    for value, parts in zip(got["axis"], got["curves"]):
        setting = {"n": twin.n, "degree": twin.degree, "ridge": twin.ridge, twin.against: value}
        h, n, degree = twin.curve, int(setting["n"]), int(setting["degree"])
        want = bv.polynomial_decomposition(h, n, degree, twin.sigma, setting["ridge"]).mean()._asdict()
        for part in want:
            assert_allclose(parts[part], want[part], rtol=1e-6, atol=1e-6, err_msg=f"{part} at {twin.against} = {value}")
    return got, twin


def press(page, name, key, times=1):
    page.locator(f"[name={name}]").focus()
    for _ in range(times):
        page.keyboard.press(key)


@pytest.mark.browser
@pytest.mark.parametrize("truth", [*bv.TRUTHS, "custom"])
def test_first_drawing_equals_mlcore(show, truth):
    compare(show(BiasVariancePlayground(truth, knots=[0.3, -1, 1, 1, 0, 0, -0.2, 1.5, -1.5] if truth == "custom" else None)))


@pytest.mark.browser
@pytest.mark.parametrize("setting", [
    {"degree": 15, "n": 16}, {"degree": 15, "n": 16, "ridge": 1e-4}, {"degree": 0, "n": 200}, {"degree": 15, "n": 200, "ridge": 1000.0},
    {"degree": 9, "n": 57, "ridge": 0.3, "against": "ridge"}, {"degree": 15, "sigma": 0.0, "against": "n"},
    {"sigma": 0.0, "truth": "cubic"}])
def test_extreme_settings_equal_mlcore(show, setting):
    compare(show(BiasVariancePlayground(**setting)))


@pytest.mark.browser
def test_scripted_interaction_by_keyboard_and_pointer(show):
    page = show(BiasVariancePlayground(degree=3))
    press(page, "degree", "ArrowRight", 4)
    press(page, "n", "ArrowRight", 1)
    press(page, "sigma", "ArrowLeft", 2)
    press(page, "ridge", "ArrowRight", 5)
    got, _ = compare(page)
    assert (got["degree"], got["n"]) == (7, SIZES[SIZES.index(20) + 1])
    assert (got["sigma"], got["ridge"]) == (SIGMAS[SIGMAS.index(0.4) - 2], RIDGES[5])
    page.locator("[name=truth]").select_option("bump")
    page.locator("[name=against]").select_option("ridge λ")
    compare(page)
    page.get_by_role("button", name="Resample", exact=True).click()
    after, _ = compare(page)
    assert after["seed"] == got["seed"] + 1 and after["fits"][-2] != after["fits"][-1]

    grip = page.locator(".mlc-handle").nth(4)  # the middle of the true curve
    place = grip.bounding_box()
    center = (place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    page.mouse.move(*center)
    page.mouse.down()
    page.mouse.move(center[0] + 5, center[1] - 40, steps=4)
    page.mouse.up()
    dragged, twin = compare(page)
    assert dragged["truth"] == "custom" and dragged["knots"][4] > bv.TRUTHS["bump"](0.0) + 0.3
    assert_allclose(np.delete(dragged["knots"], 4), bv.TRUTHS["bump"](np.delete(np.linspace(-1, 1, 9), 4)), atol=1e-6)

    page.locator(".mlc-handle").nth(0).focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Shift+ArrowUp")
    moved, _ = compare(page)
    assert moved["knots"][0] > dragged["knots"][0] + 0.1 and moved["knots"][1:] == dragged["knots"][1:]

    page.get_by_role("button", name="Reset").click()
    reset, _ = compare(page)
    fresh = BiasVariancePlayground(degree=3)
    assert all(reset[k] == getattr(fresh, k) for k in STATE)


@pytest.mark.browser
def test_readout_states_the_exact_sum(show):
    page = show(BiasVariancePlayground(degree=1))
    want = BiasVariancePlayground(degree=1).decomposition().mean()
    text = page.locator(".mlc-readout").inner_text()
    assert text.startswith(f"total {want.total:.3f} = noise {want.noise:.3f} + bias² {want.bias2:.3f} + variance {want.variance:.3f}")
    totals = [bv.polynomial_decomposition(bv.TRUTHS["sine"], 20, d, 0.4).mean().total for d in range(16)]
    assert f"Smallest total: {min(totals):.3f} at degree {np.argmin(totals)}" in text


@pytest.mark.browser
def test_auto_resample_runs_and_stops(show):
    page = show(BiasVariancePlayground(), clock=True)
    start = numbers(page)["seed"]
    page.get_by_role("button", name="Auto-resample").click()
    page.clock.run_for(2 * BEAT)
    page.get_by_role("button", name="Stop").click()
    assert numbers(page)["seed"] == start + 2
    page.clock.run_for(5 * BEAT)
    assert numbers(page)["seed"] == start + 2
    compare(page)


@pytest.mark.browser
def test_reduced_motion_leaves_resampling_to_the_reader(show):
    page = show(BiasVariancePlayground(), reduced_motion="reduce")
    assert page.get_by_role("button", name="Auto-resample").is_disabled()
    page.get_by_role("button", name="Resample", exact=True).click()
    assert numbers(page)["seed"] == N_SETS + 1


@pytest.mark.browser
def test_everything_is_reachable_by_tab_and_named(show):
    page = show(BiasVariancePlayground())
    seen = []
    for _ in range(18):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("""() => { const e = document.activeElement;
            return e.name || e.getAttribute('aria-label') || (e.tagName === 'BUTTON' ? e.textContent : ''); }"""))
    controls = ["truth", "degree", "n", "sigma", "ridge", "against", "Resample", "Auto-resample", "Reset"]
    assert seen[:9] == controls
    assert all(f"true curve, point {i} of 9" in name for i, name in enumerate(seen[9:], 1))


@pytest.mark.browser
def test_two_live_views_of_one_model_stay_in_step(browser):
    figure = BiasVariancePlayground(degree=2)
    page = browser.new_page()
    page.set_content('<div id="a"></div><div id="b"></div>')
    page.evaluate("""async ([code, state]) => {
        const subs = {}, saved = [];
        const model = { get: (k) => state[k], save_changes: () => saved.push({ ...state }),
            set(k, v) { state[k] = v; (subs["change:" + k] || []).forEach((f) => f()); },
            on(k, f) { (subs[k] = subs[k] || []).push(f); }, off(k, f) { subs[k] = subs[k].filter((g) => g !== f); } };
        const module = await import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
        window.leave = ["a", "b"].map((id) => module.default.render({ model, el: document.getElementById(id) }));
        Object.assign(window, { saved, subs });
    }""", [figure._esm, figure.state()])
    page.locator("#a [name=degree]").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("saved.at(-1).degree") == 3  # what Python would read
    assert page.locator("#b [name=degree]").input_value() == "3"
    assert page.locator("#a .mlc-readout").inner_text() == page.locator("#b .mlc-readout").inner_text()
    assert page.evaluate("leave.forEach((f) => f()), Object.values(subs).flat().length + document.querySelectorAll('.mlc-box').length") == 0
    page.close()
