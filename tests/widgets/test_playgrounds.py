"""What every playground keeps to: it fits a phone, has no serious barrier, and says so when its data are damaged."""

import importlib.resources

import pytest

from mlcore import widgets

pytestmark = pytest.mark.browser
PLAYGROUNDS = [name for name in widgets.LAZY if name.endswith("Playground")]


def test_there_are_playgrounds():
    assert {"KMeansPlayground", "KernelBandwidthPlayground", "BiasVariancePlayground", "GridWorldPlayground"} <= set(PLAYGROUNDS)


@pytest.mark.parametrize(("width", "theme"), [(375, "light"), (375, "dark"), (900, "dark")])
@pytest.mark.parametrize("name", PLAYGROUNDS)
def test_fits_the_page_and_axe_finds_nothing_serious(show, name, width, theme):
    page = show(getattr(widgets, name)(), width=width, theme=theme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate(importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf8"))
    violations = page.evaluate("axe.run(document.querySelector('.mlcore-playground'))")["violations"]
    assert [v["id"] for v in violations if v["impact"] in ("serious", "critical")] == []


@pytest.mark.parametrize("name", PLAYGROUNDS)
def test_damaged_state_shows_a_message(show, name):
    figure = getattr(widgets, name)()
    page = show(figure)
    page.evaluate("""(kind) => {
        const e = document.createElement('div');
        e.className = 'mlcore-playground'; e.dataset.kind = kind; e.id = 'broken';
        e.innerHTML = '<script type="application/json">{"spec": {"v": 1}}<' + '/script>';
        document.body.append(e);
    }""", figure.kind)
    page.wait_for_selector("#broken .mlc-message")
    assert "cannot be drawn" in page.locator("#broken").inner_text()
