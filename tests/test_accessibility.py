"""axe-core on every page of the site, in both themes: nothing serious or critical."""

import importlib.resources

import pytest
from support import without_formulas
from test_browser import page_names

pytestmark = pytest.mark.browser
AXE = importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf8")

# The drawings of the interactive figures have tests of their own (test_site_figures.py), and a chapter's code has thousands of colored
# words of a dozen classes: three of each class are looked at. What is left is looked at whole.
THIN = """() => {
    document.querySelectorAll("div[class^=mlcore-] svg, div[class^=mlcore-] canvas").forEach(e => e.remove());
    const seen = {};
    for (const word of document.querySelectorAll(".highlight span")) {
        seen[word.className] = (seen[word.className] || 0) + 1;
        if (seen[word.className] > 3) word.replaceWith(word.textContent);
    }
    document.querySelectorAll(".highlight pre").forEach(e => e.normalize());
    for (const table of document.querySelectorAll("table")) [...table.querySelectorAll("tbody tr")].slice(30).forEach(row => row.remove());
}"""

# Contrast depends on colors and letters alone: one element of each kind (its own and its ancestors' colors, size, weight) stands for all.
SAMPLE = """() => {
    const kinds = new Set(), ground = (e) => e ? getComputedStyle(e).backgroundColor + "/" + ground(e.parentElement) : "";
    for (const e of document.querySelectorAll("body *")) {
        e.removeAttribute("data-sample");
        if (![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())) continue;
        const style = getComputedStyle(e), kind = [style.color, style.fontSize, style.fontWeight, style.opacity, ground(e)].join();
        if (!kinds.has(kind)) { kinds.add(kind); e.setAttribute("data-sample", ""); }
    }
    return kinds.size;
}"""


def violations(page, where, options):
    """What axe calls serious or critical, as text."""
    found = page.evaluate(f"axe.run({where}, {{resultTypes: ['violations'], {options}}})")["violations"]
    return [f"{v['id']}: {node['html'][:120]} ({node['failureSummary'][:160]})"
            for v in found if v["impact"] in ("serious", "critical") for node in v["nodes"]]


def open_page(browser, address, width=1200):
    """A page without MathJax, whose twenty thousand elements axe would walk; the formulas stay as text."""
    page = browser.new_context(viewport={"width": width, "height": 900}).new_page()
    without_formulas(page)
    page.goto(address, wait_until="load")
    page.add_style_tag(content="* { transition: none !important }")       # a color half-way between two themes is nobody's color
    page.evaluate(THIN)
    page.evaluate(AXE)
    return page


def poor_contrast(page, theme):
    page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
    assert page.evaluate(SAMPLE) >= 5
    return violations(page, "{include: [['[data-sample]']]}", "runOnly: ['color-contrast']")


@pytest.mark.parametrize("name", page_names())
def test_axe_finds_nothing_serious(browser, site_address, name):
    page = open_page(browser, site_address + name)
    assert not violations(page, "document", "rules: {'color-contrast': {enabled: false}}")
    assert not poor_contrast(page, "light") and not poor_contrast(page, "dark")
    page.context.close()


def test_poor_contrast_is_seen(browser, site_address):
    """The sample finds a pale link among a hundred good ones, in the theme that has it."""
    page = open_page(browser, site_address + "index.html")
    page.add_style_tag(content='html[data-theme="dark"] .pale { color: #555 !important }')
    page.evaluate("""() => document.querySelector(".bd-article").insertAdjacentHTML("beforeend",
        "<p>" + "<span>good</span> ".repeat(100) + "<span class=pale>pale</span></p>")""")
    assert not poor_contrast(page, "light")
    assert any("pale" in found for found in poor_contrast(page, "dark"))
    page.context.close()


def test_formulas_are_read_aloud(browser, site_address):
    """With MathJax: axe on a page with its formulas, each of which carries MathML."""
    page = browser.new_context(viewport={"width": 1200, "height": 900}).new_page()
    page.goto(site_address + "book/foundations/data_and_tasks.html", wait_until="load")
    page.evaluate("MathJax.startup.promise.then(() => 0)")
    page.evaluate(AXE)
    formulas = page.locator("mjx-container").count()
    assert formulas > 20 and page.locator("mjx-container mjx-assistive-mml math").count() == formulas
    assert not violations(page, "{include: [['mjx-container']]}", "rules: {'color-contrast': {enabled: false}}")
    page.context.close()
