"""Solved exercises are remembered: when a check passes, and only then, in this browser, until the reader clears them."""

import contextlib
import json
import re

import pytest
from live.test_run_here import cell, chapter, run, run_here

pytestmark = pytest.mark.browser
FIRST, SECOND = "supervised/linear_regression", "supervised/logistic_regression"
OWN = re.compile(r"progress\.js|book\.js|exercises\.js|mlcore-widgets")
KEY = "mlcore:progress:1"
EPOCH = "for x, target in zip(X, y):\n        theta = theta {} alpha * (target - x @ theta) * x\n    return theta"


def stub(page, name):
    """The number of the cell that holds the stub of an exercise."""
    codes = page.locator("textarea.live-code:visible").evaluate_all("areas => areas.map(a => a.value)")
    return next(i for i, code in enumerate(codes) if f'check("{name}"' in code)


def stored(page):
    return set(json.loads(page.evaluate(f"localStorage.getItem('{KEY}')") or "{}"))


def sidebar(page, title):
    """The mark beside a chapter in the sidebar, or None."""
    mark = page.locator("#pst-primary-sidebar nav a", has_text=title).locator(".progress-mark")
    return mark.text_content() if mark.count() else None


def total(page, name):
    return len(page.evaluate(f"window.MLCORE_EXERCISES['{name}']"))


def run_solution(page, name):
    """Run the book's own solution of an exercise, which is folded; return its output."""
    place = page.evaluate_handle("""async (name) => {
        const cell = window.mlcorePage.cells.find(c => c.div.closest('.solution') && c.code.includes(`check("${name}"`));
        await cell.run();
        return cell.box; }""", name)
    return place.evaluate("box => box.textContent")


def clear(page, place):
    page.locator(place).get_by_role("button", name="Forget which exercises I solved").click()
    dialog = page.locator("dialog.progress-dialog")
    dialog.get_by_role("button", name="Forget them").click()
    assert dialog.count() == 0


def test_only_a_right_answer_counts(browser, live):
    with chapter(browser, live) as page:
        run_here(page)
        run(page, 0)
        number = stub(page, "linear_regression.lms_epoch")
        code = cell(page, number).locator("textarea").input_value()
        assert "not attempted yet" in run(page, number)
        assert "theta after one pass" in run(page, number, code.replace("...", EPOCH.format("-")))
        run(page, 1, "print('✓ linear_regression.lms_epoch: right')")
        run(page, 1, "from mlcore.exercises import check\nr = check('linear_regression.units', (1, 2, 3))\nr")
        assert "✓ linear_regression.lms_epoch" in run_solution(page, "linear_regression.lms_epoch")
        assert stored(page) == set() and page.locator(".progress-mark").count() == 0
        assert not page.locator(".progress-footer").is_visible()
        run(page, number, code.replace("...", EPOCH.format("+")))
        assert stored(page) == {"linear_regression.lms_epoch"}
        assert sidebar(page, "Linear regression").startswith(f"1/{total(page, FIRST)}")
        assert "solved" in page.locator("#ex-lr-epoch > .admonition-title").inner_text()
        assert page.locator(".exercise-solved").count() == 1
        run(page, number, code)
        assert stored(page) == {"linear_regression.lms_epoch"}, "what was solved stays solved"


def test_marks_survive_a_reload_and_are_told_apart_by_chapter(browser, live):
    with chapter(browser, live) as page:
        page.evaluate("window.mlcoreProgress.solve('linear_regression.lms_epoch')")
        page.reload()
        assert sidebar(page, "Linear regression").startswith("1/") and page.locator("#ex-lr-epoch.exercise-solved").count() == 1
        page.goto(f"{live.address}book/{SECOND}.html")
        assert sidebar(page, "Linear regression").startswith("1/") and sidebar(page, "Logistic regression") is None
        assert page.locator(".exercise-solved").count() == 0
        page.evaluate("window.mlcoreProgress.solve('logistic_regression.odds')")
        page.evaluate("window.mlcoreProgress.solve('logistic_regression.no_such_exercise')")
        assert sidebar(page, "Logistic regression").startswith(f"1/{total(page, SECOND)}")
        assert stored(page) == {"linear_regression.lms_epoch", "logistic_regression.odds"}
        page.goto(f"{live.address}book/reference/learning_paths.html")
        everything = page.evaluate("Object.values(window.MLCORE_EXERCISES).flat().length")
        assert f"2 of {everything} exercises solved" in page.locator(".progress-panel").inner_text()
        assert page.locator(f'a.node[data-node="{FIRST}"] .count').text_content() == f"1/{total(page, FIRST)}"
        assert page.locator(f'[data-progress="{SECOND}"]').last.inner_text() == f"1 of {total(page, SECOND)} solved"


@pytest.mark.parametrize("place", [".progress-footer", ".progress-panel"])
def test_clearing_asks_and_clears(browser, live, place):
    with chapter(browser, live) as page:
        page.evaluate("['units', 'lms_epoch'].forEach(n => window.mlcoreProgress.solve('linear_regression.' + n))")
        page.evaluate("localStorage.setItem('mlcore:edits:kept', '{}')")
        page.goto(f"{live.address}book/reference/learning_paths.html")
        page.locator(place).get_by_role("button", name="Forget which exercises I solved").click()
        page.get_by_role("button", name="Keep them").click()
        assert len(stored(page)) == 2 and sidebar(page, "Linear regression").startswith("2/")
        clear(page, place)
        assert stored(page) == set() and page.locator(".progress-mark").count() == 0
        assert not page.locator(".progress-footer").is_visible()
        assert page.evaluate("localStorage.getItem('mlcore:edits:kept')") == "{}", "edits are another thing"
        page.reload()
        assert page.locator(".progress-mark").count() == 0


def test_a_whole_chapter_is_marked(browser, live):
    with chapter(browser, live) as page:
        page.evaluate(f"window.MLCORE_EXERCISES['{FIRST}'].forEach(n => window.mlcoreProgress.solve(n))")
        n = total(page, FIRST)
        assert sidebar(page, "Linear regression").startswith(f"✓ {n}/{n}")
        assert page.locator(".exercise-solved").count() == n, "each check belongs to one exercise of the page"


def test_another_tab_follows(browser, live):
    with chapter(browser, live) as page:
        other = page.context.new_page()
        other.goto(f"{live.address}book/{SECOND}.html")
        page.evaluate("window.mlcoreProgress.solve('linear_regression.units')")
        other.wait_for_function("document.querySelectorAll('#pst-primary-sidebar .progress-mark').length === 1")


@contextlib.contextmanager
def page_with(browser, script, address):
    """A page under a script that changes the browser first; none of the book's own scripts may fail (the theme's do, without storage)."""
    page = browser.new_context().new_page()
    problems = []
    page.on("pageerror", lambda error: problems.append(error.stack) if OWN.search(error.stack) else None)
    page.add_init_script(script)
    page.goto(address)
    yield page
    page.context.close()
    assert problems == []


def test_a_browser_without_storage_does_not_mind(browser, site_address):
    script = "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } });"
    with page_with(browser, script, f"{site_address}book/{FIRST}.html") as page:
        page.evaluate("window.mlcoreProgress.solve('linear_regression.units')")
        assert sidebar(page, "Linear regression").startswith("1/"), "marked as long as the page is open"
        page.goto(f"{site_address}book/reference/learning_paths.html")
        assert "does not let the page remember" in page.locator(".progress-panel").inner_text()


@pytest.mark.parametrize("text", ["no json", "[1, 2]", "null", '"words"', '{"someone.else": true}'])
def test_damaged_memory_counts_as_empty(browser, site_address, text):
    with page_with(browser, f"localStorage.setItem('{KEY}', {json.dumps(text)});", f"{site_address}book/{FIRST}.html") as page:
        assert page.locator(".progress-mark").count() == 0
        page.evaluate("window.mlcoreProgress.solve('linear_regression.units')")
        assert stored(page) == {"linear_regression.units"} and sidebar(page, "Linear regression").startswith("1/")


def test_static_pages_from_disk_work(browser, site_folder):
    with page_with(browser, "", (site_folder / f"book/{FIRST}.html").as_uri()) as page:
        page.evaluate("window.mlcoreProgress.solve('linear_regression.units')")
        assert sidebar(page, "Linear regression").startswith("1/")
        assert page.locator("#ex-lr-units.exercise-solved").count() == 1
