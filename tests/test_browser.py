"""Every built page in a real Chromium, offline: no error, no foreign request, math rendered, nothing wider than a phone."""

import pytest
from support import SITE, without_formulas

pytestmark = pytest.mark.browser


def page_names():
    """All pages; of those that only show a module's source, which are alike, the first three."""
    names = sorted(p.relative_to(SITE).as_posix() for p in SITE.rglob("*.html") if "_static" not in p.parts)
    source = [name for name in names if name.startswith("_modules/mlcore/")]
    return [name for name in names if name not in source[3:]]


def visit(browser, address, **context):
    """Open a page; return it with the lists of what went wrong on the way."""
    page = browser.new_context(**context).new_page()
    problems = []
    page.on("console", lambda m: problems.append(f"console {m.type}: {m.text}") if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda e: problems.append(f"script error: {e}"))
    page.on("response", lambda r: problems.append(f"{r.status} {r.url}") if r.status >= 400 else None)
    page.on("requestfailed", lambda r: problems.append(f"failed {r.url}"))
    host = address.split("/")[2]
    page.on("request", lambda r: problems.append(f"foreign request {r.url}") if not r.url.startswith(
        ("data:", "blob:", "file:")) and r.url.split("/")[2] != host else None)
    page.goto(address, wait_until="load")
    page.evaluate("window.MathJax && MathJax.startup ? MathJax.startup.promise.then(() => 0) : 0")
    return page, problems


def resize(page, width):
    """Another width of the window, and the two frames in which the page and its figures are laid out again."""
    page.set_viewport_size({"width": width, "height": 800})
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))")


def overflow(page):
    """Elements that stick out of the window and make the page scroll sideways."""
    return page.evaluate("""() => {
        const wide = document.documentElement.clientWidth;
        if (document.documentElement.scrollWidth <= wide) return [];
        return [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > wide + 1)
            .slice(0, 5).map(e => e.tagName + '.' + e.className);
    }""")


@pytest.mark.parametrize("name", page_names())
def test_page(browser, site_address, name):
    page, problems = visit(browser, site_address + name, viewport={"width": 1200, "height": 900})
    raw = page.locator(".bd-article .math").count()
    rendered = page.locator(".bd-article mjx-container").count()
    assert rendered >= raw and page.locator("mjx-merror").count() == 0, "all math is rendered, without an error"
    assert not problems
    assert not overflow(page)
    resize(page, 375)
    assert not overflow(page), "the page scrolls sideways on a phone"
    page.context.close()


@pytest.mark.parametrize("name", [n for n in page_names() if n.startswith("book/")])
def test_page_from_disk_in_dark_mode(browser, site_folder, name):
    context = browser.new_context(viewport={"width": 375, "height": 800}, color_scheme="dark")
    page = context.new_page()
    without_formulas(page)
    problems = []
    page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda e: problems.append(str(e)))
    page.on("request", lambda r: problems.append(r.url) if r.url.startswith("http") else None)
    page.goto((site_folder / name).as_uri(), wait_until="load")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).every(v => v < 60)")
    figures = page.locator("[class^='mlcore-']").count()
    drawn = page.locator("[class^='mlcore-'] svg, [class^='mlcore-'] canvas").count()
    assert dark and drawn >= figures and not problems
    context.close()


def test_formulas_that_fit_have_no_scroll_bar(browser, site_address):
    """Equations scroll in their own box on a phone; on a wide page (nearly) nothing has to."""
    page, _ = visit(browser, site_address + "book/supervised/linear_regression.html", viewport={"width": 1300, "height": 900})
    scrolling = page.evaluate("""[...document.querySelectorAll('.bd-article mjx-container')].filter(e => {
        const style = getComputedStyle(e);
        return style.overflowX === 'auto' && style.scrollbarWidth !== 'none' && e.scrollWidth > e.clientWidth; }).length""")
    assert scrolling <= 3
    page.context.close()


def test_a_figure_of_several_panels_keeps_a_readable_size_on_a_phone(browser, site_address):
    """It scrolls in its own box; a single panel fits the screen."""
    page, _ = visit(browser, site_address + "book/unsupervised/em_and_mixtures.html", viewport={"width": 375, "height": 800})
    page.wait_for_function("[...document.querySelectorAll('.bd-article .cell_output img')].every(i => i.complete && i.naturalWidth)")
    sizes = page.evaluate("[...document.querySelectorAll('.bd-article .cell_output img')].map(i => [i.naturalWidth, i.offsetWidth])")
    assert {shown >= 600 for natural, shown in sizes if natural > 760} == {True}
    assert {shown <= 375 for natural, shown in sizes if natural <= 760} == {True}
    assert not overflow(page)
    page.context.close()


def test_search_finds_a_chapter(browser, site_address):
    page, problems = visit(browser, site_address + "search.html?q=regression")
    page.wait_for_selector("#search-results li")
    assert page.locator("#search-results li").count() >= 1 and not problems
    page.context.close()


def test_copy_button_copies_the_cell(browser, site_address):
    page, _ = visit(browser, site_address + "book/supervised/linear_regression.html", permissions=["clipboard-read", "clipboard-write"])
    cell = page.locator("div.cell_input div.highlight").first
    cell.hover()
    cell.locator("button.copybtn").click()
    assert page.evaluate("navigator.clipboard.readText()").strip() == cell.locator("pre").inner_text().strip()
    page.context.close()


def test_theme_switch_and_sidebar_work_on_a_phone(browser, site_address):
    page, problems = visit(browser, site_address + "book/supervised/linear_regression.html", viewport={"width": 375, "height": 800})
    page.locator("button.primary-toggle").first.click()
    page.get_by_role("link", name="Bibliography").first.wait_for(state="visible")
    assert not problems
    page.context.close()
