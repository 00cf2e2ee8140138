"""Every interactive figure of every built page, driven by keyboard in Chromium: each control changes what is drawn."""

import importlib.resources
import re

import pytest
from support import SITE, without_formulas
from test_browser import resize

pytestmark = pytest.mark.browser
FIGURES = "[class^='mlcore-'][data-kind]"
# What a reader sees of a figure: drawn paths and texts, pixels of the heat maps, titles and the read-out.
STATE = """el => [...el.querySelectorAll('svg, .mlc-readout')].map(e => e.outerHTML).join('') +
    [...el.querySelectorAll('canvas')].map(c => c.toDataURL()).join('')"""


def pages_with_figures():
    return sorted(p.relative_to(SITE).as_posix() for p in SITE.rglob("*.html")
                  if re.search(r'class="mlcore-\w+" data-kind', p.read_text("utf8")))


@pytest.mark.parametrize("name", pages_with_figures())
def test_the_figures_of_a_page(browser, site_address, name):
    """One visit, four looks; the last one leaves nothing of the page but its figures."""
    page = browser.new_context(viewport={"width": 1200, "height": 900}, reduced_motion="reduce").new_page()
    problems = []
    without_formulas(page)
    page.on("pageerror", lambda e: problems.append(str(e)))
    page.on("console", lambda m: problems.append(f"{m.text} {m.location['url']}") if m.type == "error" else None)
    page.goto(site_address + name, wait_until="load")
    every_control_changes_the_figure_by_keyboard(page)
    unreadable_data_show_a_message_not_a_blank(page)
    figures_fit_a_phone(page)
    assert not problems
    controls_are_labelled_and_accessible(page)
    page.context.close()


def every_control_changes_the_figure_by_keyboard(page):
    for figure in page.locator(FIGURES).all():
        assert figure.locator("svg").count() >= 1, "the figure is drawn"
        assert figure.locator(".mlcore-fallback").count() == 0 or not figure.locator(".mlcore-fallback").is_visible()
        for control in figure.locator("input[type=range], input[type=checkbox], select").all():
            if not control.is_enabled() or not control.is_visible():
                continue
            name = control.get_attribute("name") or control.get_attribute("aria-label")
            before = figure.evaluate(STATE)
            control.focus()
            moved = False
            for key in [" "] if control.get_attribute("type") == "checkbox" else ["ArrowRight", "ArrowLeft", "ArrowLeft", "End", "Home"]:
                page.keyboard.press(key)
                moved = moved or figure.evaluate(STATE) != before
            assert moved, f"{page.url}: the control {name!r} changes nothing that is drawn"
        if figure.get_by_role("button", name="Reset").count():
            figure.get_by_role("button", name="Reset").first.press("Enter")


def controls_are_labelled_and_accessible(page):
    page.evaluate(importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf8"))
    # axe walks the whole document for every figure: leave it nothing but the figures.
    page.evaluate("selector => document.body.replaceChildren(...document.querySelectorAll(selector))", FIGURES)
    for figure in page.locator(FIGURES).all():
        for control in figure.locator("input, select, button").all():
            assert control.evaluate("e => (e.labels && e.labels.length) || e.getAttribute('aria-label') || e.textContent.trim()"), "a label"
        found = figure.evaluate("e => axe.run(e, {runOnly: ['wcag2a', 'wcag2aa'], resultTypes: ['violations']})")["violations"]
        assert not [f"{v['id']}: {n['html'][:120]}" for v in found if v["impact"] in ("serious", "critical") for n in v["nodes"]]


def figures_fit_a_phone(page):
    resize(page, 375)
    for figure in page.locator(FIGURES).all():
        box = figure.bounding_box()
        assert box["width"] <= 375 and figure.evaluate("e => e.scrollWidth <= e.clientWidth + 1")
        for control in figure.locator("input:visible, select:visible, button:visible").all():
            place = control.bounding_box()
            assert place["x"] >= 0 and place["x"] + place["width"] <= 376


def unreadable_data_show_a_message_not_a_blank(page):
    figure = page.locator(FIGURES).first
    page.evaluate("""selector => {
        const old = document.querySelector(selector), copy = document.createElement('div');
        copy.className = old.className.split(' ')[0]; copy.dataset.kind = old.dataset.kind; copy.id = 'broken';
        copy.innerHTML = '<script type="application/json">{"spec": {"v": 1, "controls": [}</scr' +
            'ipt><p class="mlcore-fallback">alt text</p>';
        old.after(copy);
    }""", FIGURES)
    message = page.locator("#broken .mlc-message")
    message.wait_for()
    assert len(message.inner_text().strip()) > 20 and figure.is_visible()
    page.evaluate("document.getElementById('broken').remove()")
