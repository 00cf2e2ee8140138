"""Learning paths: the graph of the chapters agrees with the chapters and with the code, and is drawn as it should be."""

import ast
import itertools
import re

import pytest
from support import ROOT

from mlcore import exercises
from tools.reference import graph, paths
from tools.reference.chapters import read_chapters

CHAPTERS = read_chapters()
NAMES = [chapter.name for chapter in CHAPTERS]
DATA = paths.read_paths()
NEEDS = paths.present(DATA, NAMES)
EVERYTHING = graph.closure(DATA["needs"])
each_chapter = pytest.mark.parametrize("chapter", CHAPTERS, ids=NAMES)
STATEMENT = re.compile(r"(?:\*\*You need\*\*|\*\*Prior chapters:\*\*|\*\*Before this chapter:\*\*|Needed:)(.*?)\n\n", re.DOTALL)
CODE = ROOT / "mlcore"
ALLOWED = {(row["chapter"], other) for row in DATA["exceptions"] for other in row["imports"]}


def chapter_module(dotted):
    """The chapter whose module a dotted name lies in: mlcore.part.chapter.anything -> part/chapter."""
    words = dotted.split(".")
    if len(words) < 3 or words[0] != "mlcore" or f"{words[1]}/{words[2]}" not in DATA["needs"]:
        return None
    return f"{words[1]}/{words[2]}"


def imports(name):
    """The chapters whose modules the module of a chapter imports (inside functions too)."""
    files = [CODE / f"{name}.py"] if (CODE / f"{name}.py").exists() else sorted((CODE / name).rglob("*.py"))
    found = set()
    for node in itertools.chain.from_iterable(ast.walk(ast.parse(file.read_text("utf8"))) for file in files):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {chapter_module(f"{node.module}.{each.name}") for each in node.names}
        elif isinstance(node, ast.Import):
            found |= {chapter_module(each.name) for each in node.names}
    return found - {None, name}


def named_chapters(chapter):
    """The chapters that the opening's sentence on what you need links to, by their page or by a label."""
    said = STATEMENT.search(chapter.text.split("\n## ")[0] + "\n\n")
    assert said, f"{chapter.name}: the opening does not say what you need"
    targets = [re.sub(r".*<(.*)>", r"\1", target) for target in re.findall(r"\{doc\}`([^`]*)`", said[1])]
    pages = [target.removeprefix("/book/").removeprefix("../") for target in targets]
    labels = re.findall(r"\{ref\}`(?:[^`<]*<)?([a-z0-9-]+)>?`", said[1])
    owners = {other.name for other in CHAPTERS for label in labels if f"({label})=" in other.text}
    return owners | {page if "/" in page else f"{chapter.part}/{page}" for page in pages}


def test_every_chapter_is_there_and_needs_only_earlier_ones():
    order = list(DATA["needs"])
    assert [name for name in order if name in NAMES] == NAMES, "paths.toml lists the chapters in the order of the book"
    for name, mine in DATA["needs"].items():
        assert set(mine) <= set(order[:order.index(name)]), f"{name} needs a chapter that comes later or does not exist"
    with pytest.raises(ValueError, match="paths.toml does not say what part/new needs"):
        paths.present(DATA, ["part/new"])


def test_a_chapter_that_is_not_in_the_book_is_left_out():
    kept = paths.present(DATA, [name for name in NAMES if name != "supervised/logistic_regression"])
    assert "supervised/logistic_regression" not in kept and all("supervised/logistic_regression" not in mine for mine in kept.values())


@each_chapter
def test_what_the_opening_asks_for_is_a_prerequisite(chapter):
    later = set(NAMES[NAMES.index(chapter.name):])
    mentioned = named_chapters(chapter) - later
    allowed = {other for name, other in ALLOWED if name == chapter.name}
    assert mentioned <= EVERYTHING[chapter.name] | allowed


@each_chapter
def test_every_prerequisite_has_a_ground(chapter):
    """It is named in the opening, or the module imports it: no arrow is drawn at will."""
    grounds = named_chapters(chapter) | imports(chapter.name)
    assert set(NEEDS[chapter.name]) <= grounds


@each_chapter
def test_what_the_module_imports_is_a_prerequisite_or_an_exception(chapter):
    beyond = {other for other in imports(chapter.name) if other not in EVERYTHING[chapter.name]}
    listed = {other for name, other in ALLOWED if name == chapter.name}
    assert beyond == listed, "every import beyond the prerequisites is an exception with its reason, and no exception is idle"


def test_exceptions_say_why():
    assert all(len(row["reason"]) > 20 for row in DATA["exceptions"])


@pytest.mark.parametrize("course", DATA["courses"], ids=lambda course: course["key"])
def test_courses_respect_the_prerequisites(course):
    seen = set()
    for name in course["chapters"]:
        assert set(DATA["needs"][name]) <= seen, f"{course['title']}: {name} comes before something it needs"
        assert name not in seen
        seen.add(name)


def test_weeks_are_filled_in_order():
    assert paths.weeks([90, 80, 90, 200, 10], 180) == [1, 1, 2, 3, 4]
    for course in DATA["courses"]:
        minutes = [chapter.minutes for name in course["chapters"] for chapter in CHAPTERS if chapter.name == name]
        numbers = paths.weeks(minutes, course["minutes_a_week"])
        load = [sum(m for m, week in zip(minutes, numbers) if week == n) for n in range(1, numbers[-1] + 1)]
        assert numbers == sorted(numbers) and sum(load) == sum(minutes) and max(load) <= course["minutes_a_week"]
    assert [paths.duration(m) for m in (45, 60, 85)] == ["45\xa0min", "1\xa0h", "1\xa0h\xa025\xa0min"]


def test_the_page_tells_the_truth():
    page = paths.pages(ROOT, CHAPTERS)["learning_paths.md"]
    total = paths.duration(sum(chapter.minutes for chapter in CHAPTERS))
    checks = [name for name in exercises.names() if any(name.partition(".")[0] == chapter.partition("/")[2] for chapter in NAMES)]
    assert f"{len(NAMES)} chapters, {total} of reading, and {len(checks)} exercises" in page
    table = page.split("## All chapters")[1]
    for number, chapter in enumerate(CHAPTERS, 1):
        [row] = re.findall(rf"^\| {number} \|.*$", table, re.MULTILINE)
        _, _, title, needed, time, count, _ = row.split("|")
        assert f"</book/{chapter.name}>" in title and paths.duration(chapter.minutes) in time
        assert re.findall(r"</book/([^>]*)>", needed) == NEEDS[chapter.name]
        own = [name for name in checks if name.partition(".")[0] == chapter.name.partition("/")[2]]
        assert int(re.search(r">(\d+)<", count)[1]) == len(own)
        assert sorted(paths.check_names(chapter)) == own
    assert paths.pages(ROOT, []) == {}


def test_a_cycle_is_named():
    with pytest.raises(ValueError, match="a cycle of prerequisites: b needs c needs b"):
        graph.closure({"a": ["b"], "b": ["c"], "c": ["b"]})


def test_closure_and_reduction_are_inverse_on_reachability():
    drawn = graph.reduction(NEEDS)
    assert graph.closure(drawn) == graph.closure(NEEDS), "the edges that are not drawn are implied by those that are"
    for name, mine in drawn.items():
        for other in mine:
            without = {**drawn, name: [each for each in mine if each != other]}
            assert other not in graph.closure(without)[name], "no drawn edge is implied by the others"


def test_the_layout():
    """To the right of what is needed; boxes apart; few crossings."""
    drawn, column = graph.reduction(NEEDS), graph.columns(NEEDS)
    assert all(column[other] < column[name] for name, mine in NEEDS.items() for other in mine)
    layers, links = graph.add_waypoints(drawn, column)
    ordered = graph.untangle(layers, links)
    assert [sorted(map(str, layer)) for layer in ordered] == [sorted(map(str, layer)) for layer in layers]
    assert graph.total_crossings(ordered, links) < graph.total_crossings(layers, links) / 3
    assert graph.untangle(layers, links) == ordered, "the same picture every time"
    y = graph.heights(ordered, links, lambda node: 50)
    for layer in ordered:
        assert all(y[b] - y[a] >= 50 + graph.GAP - 1e-9 for a, b in zip(layer, layer[1:]))


def test_titles_are_wrapped_evenly():
    assert graph.wrap("The mathematics of the book") == ["The mathematics", "of the book"]
    assert graph.wrap("Perceptron") == ["Perceptron"]
    for chapter in CHAPTERS:
        lines = graph.wrap(chapter.title)
        assert " ".join(lines) == chapter.title and len(lines) <= 3
        assert max(map(len, lines)) <= graph.LINE_CHARACTERS or any(len(word) > graph.LINE_CHARACTERS for word in chapter.title.split())


def test_crossings_against_all_pairs():
    left, right = list("abc"), list("xyz")
    links = [("a", "z"), ("b", "x"), ("c", "y"), ("a", "x")]
    assert graph.crossings(left, right, links) == 2
    assert graph.crossings(["b", "c", "a"], right, links) == 1
    assert graph.total_crossings(graph.untangle([left, right], links), links) == min(
        graph.crossings(list(p), list(q), links) for p in itertools.permutations(left) for q in itertools.permutations(right))


def test_increasing_is_the_nearest_monotone_sequence():
    from scipy.optimize import minimize

    wanted = [3.0, 1.0, 2.0, 5.0, 4.0, 4.5]
    steps = minimize(lambda s: sum((v - w) ** 2 for v, w in zip(itertools.accumulate(s), wanted)), [1.0] + [0.1] * 5,
                     bounds=[(None, None)] + [(0, None)] * 5, options={"ftol": 1e-15, "gtol": 1e-12}).x
    assert graph.increasing(wanted) == pytest.approx(list(itertools.accumulate(steps)), abs=1e-4)


@pytest.mark.browser
def test_pointing_at_a_chapter_lights_what_it_needs(browser, site_address):
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.goto(f"{site_address}book/reference/learning_paths.html")
    nodes = page.locator(".chapter-graph a.node")
    assert nodes.evaluate_all("all => all.map(n => n.dataset.node)") == NAMES, "Tab goes through the chapters in order"
    name = "supervised/kernel_methods"
    lit = ".chapter-graph a.node.on"
    for way in ("hover", "focus"):
        getattr(page.locator(f'a.node[data-node="{name}"]'), way)()
        assert set(page.locator(lit).evaluate_all("all => all.map(n => n.dataset.node)")) == {name, *EVERYTHING[name]}
        page.mouse.move(2, 2)
        page.evaluate("document.activeElement.blur()")
        assert page.locator(lit).count() == 0
    button = page.get_by_role("button", name="The deep track")
    button.click()
    deep = next(set(course["chapters"]) for course in DATA["courses"] if course["key"] == "deep")
    assert set(page.locator(lit).evaluate_all("all => all.map(n => n.dataset.node)")) == deep & set(NAMES)
    button.click()
    assert page.locator(lit).count() == 0
    page.locator(f'a.node[data-node="{name}"]').press("Enter")
    page.wait_for_url(f"**/book/{name}.html")
    page.context.close()


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_graph_fits_its_boxes_and_a_phone(browser, site_address, theme):
    page = browser.new_context(viewport={"width": 375, "height": 800}, color_scheme=theme).new_page()
    page.goto(f"{site_address}book/reference/learning_paths.html")
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    box = page.locator(".graph-box")
    assert box.evaluate("b => b.scrollWidth > b.clientWidth && b.tabIndex === 0"), "it scrolls in its own box, by keyboard too"
    outside = page.locator(".chapter-graph a.node").evaluate_all("""all => all.filter(a => {
        const r = a.querySelector('rect').getBoundingClientRect();
        const ends = [...a.querySelectorAll('text')].filter(t => t.textContent).map(t => t.getBoundingClientRect().right);
        return Math.max(...ends) > r.right + 0.5; }).map(a => a.dataset.node)""")
    assert outside == [], "every title stays inside its box"
    contrast = """() => {
        const linear = (x) => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
        const light = (c) => { const v = c.match(/[\\d.]+/g).slice(0, 3).map(x => linear(x / 255));
                               return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2]; };
        return Math.min(...[...document.querySelectorAll('.chapter-graph a.node')].flatMap(a => {
            const back = light(getComputedStyle(a.querySelector('rect')).fill);
            return [...a.querySelectorAll('text')].map(t => { const f = light(getComputedStyle(t).fill);
                return (Math.max(f, back) + 0.05) / (Math.min(f, back) + 0.05); }); })); }"""
    assert page.evaluate(contrast) >= 4.5
    page.context.close()
