"""The index of algorithms: complete, and every name, section, anchor and library routine in it is real."""

import ast
import importlib
import re

import pytest
from support import BOOK, ROOT, anchors, code_cells, notes_map, read
from test_contract import all_estimators

from tools.reference import algorithms
from tools.reference.chapters import read_chapters, toc_files

ROWS = algorithms.read_rows(ROOT)
WRITTEN = [row for row in ROWS if row["chapter"] in toc_files()]
LIBRARIES = ("numpy", "scipy", "sklearn", "torch")


def find(name):
    """The object of a dotted name."""
    module, _, last = name.rpartition(".")
    return getattr(importlib.import_module(module), last)


def exists(name):
    """The object of a dotted name, or None."""
    try:
        return find(name)
    except (ImportError, AttributeError):
        return None


def listed(notes):
    return [place.partition(" ")[2] for row in ROWS for place in row["table"].split("; ") if place.startswith(notes)]


def test_the_tables_of_the_notes_are_all_there():
    table_2, table_3 = [f"2:{i}" for i in range(1, 28)], [f"3:{i}" for i in range(1, 38)]
    assert sorted(listed("wei")) == sorted(table_2 + table_3) and len(table_2 + table_3) == algorithms.NUMBERED["wei"]
    assert sorted(map(int, listed("tan"))) == list(range(1, algorithms.NUMBERED["tan"] + 1))


def test_every_name_of_the_code_is_public_and_of_its_chapter():
    for row in ROWS:
        package = "mlcore." + row["chapter"].replace("/", ".")
        for name in row["mlcore"].split():
            assert name.startswith(package + ".") and callable(find(name)), name
            assert name.rpartition(".")[2] in importlib.import_module(package).__all__, name


def test_every_estimator_is_in_the_index():
    named = {find(name) for row in ROWS for name in row["mlcore"].split()}
    missing = [cls.__name__ for cls in all_estimators() if cls not in named]
    assert not missing, f"book/reference/algorithms.csv has no row for {', '.join(missing)}"


def test_every_anchor_is_in_its_chapter():
    known = {name: set(anchors(read(name))) for name in {row["chapter"] for row in WRITTEN}}
    lost = [(row["name"], row["anchor"]) for row in WRITTEN if row["anchor"] not in known[row["chapter"]]]
    assert not lost


def test_a_row_of_the_book_has_code_a_cost_and_a_check():
    for row in WRITTEN:
        assert row["mlcore"] and row["cost"] and row["checked"], row["name"]
    assert [row["name"] for row in ROWS if not row["name_zh"]] == []


def test_a_chapter_to_come_is_one_that_the_notes_need():
    needed = {row["chapter"] for row in notes_map()}
    assert {row["chapter"] for row in ROWS} <= needed


def test_every_section_exists_and_no_row_stands_twice():
    known = {(row["note"], row["section"]) for row in notes_map()}
    cited = [(row["name"], *part.split()) for row in ROWS for part in row["notes"].split("; ") if part]
    assert [entry for entry in cited if entry[1:] not in known] == []
    for name in ("name", "name_zh"):
        assert len({row[name] for row in ROWS}) == len(ROWS), "each has its own name, in both languages"


def attribute_name(node):
    """``np.linalg.inv`` of a syntax tree as a list of its words, or None."""
    words = []
    while isinstance(node, ast.Attribute):
        words.insert(0, node.attr)
        node = node.value
    return [node.id, *words] if isinstance(node, ast.Name) else None


def used_names(source):
    """The full names of what a program uses from what it imports; importing alone is no use."""
    tree, known = ast.parse(source), {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            known |= {each.asname: each.name for each in node.names if each.asname}
            known |= {each.name.partition(".")[0]: each.name.partition(".")[0] for each in node.names if not each.asname}
        elif isinstance(node, ast.ImportFrom):
            known |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
    words = [attribute_name(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute | ast.Name)]
    return {".".join([known[found[0]], *found[1:]]) for found in words if found and found[0] in known}


def test_use_is_told_from_mention():
    program = ("import numpy as np\nimport scipy.stats\n"
               "from sklearn import svm as other, cluster\nfrom torch.optim import Adam, SGD as Plain\n"
               "np.linalg.inv(A)\nscipy.stats.norm.cdf(0)\nmodel = other.SVC()\nPlain(p)\nours.KMeans('svm.LinearSVC')\n")
    used = used_names(program)
    assert {"numpy.linalg.inv", "scipy.stats.norm", "sklearn.svm.SVC", "torch.optim.SGD"} <= used
    assert not {"torch.optim.Adam", "sklearn.cluster", "sklearn.svm.LinearSVC", "ours.KMeans"} & used


def programs_of(chapter):
    """The tests and the cells of a chapter."""
    part, _, name = chapter.partition("/")
    tests = [path.read_text("utf8") for path in (ROOT / "tests" / part).glob(f"test_{name}*.py")]
    cells = "\n".join(re.sub(r"^[%!].*$", "", cell.source, flags=re.MULTILINE) for cell in code_cells(read(chapter)))
    return [*tests, cells]


def test_every_library_routine_exists_and_is_called_in_the_tests_or_the_chapter():
    """Called from its own library: a class of ours that has the same name does not count."""
    used = {chapter: set().union(*map(used_names, programs_of(chapter))) for chapter in {row["chapter"] for row in WRITTEN}}
    for row in WRITTEN:
        for routine in re.findall(rf"\b(?:{'|'.join(LIBRARIES)})(?:\.\w+)+", row["checked"]):
            wanted, same = find(routine), {routine}
            same |= {name for name in used[row["chapter"]] if name.endswith("." + routine.rpartition(".")[2]) and exists(name) is wanted}
            assert same & used[row["chapter"]], f"{row['name']}: {routine} is not called in the tests"


def test_the_page_marks_what_is_to_come():
    page = algorithms.pages(ROOT, read_chapters())["algorithms.md"]
    table = [line for line in page.splitlines() if line.startswith("| ")][1:]
    assert len(table) == len(ROWS) and f"**{len(ROWS)} algorithms**" in page
    for row, line in zip(ROWS, table, strict=True):
        here = (BOOK / f"{row['chapter']}.ipynb").exists() and row in WRITTEN
        assert ("| to come: " in line) != here and (f"{{ref}}`{row['anchor']}`" in line) == here
        assert line.count(" | ") == 5 and f"{row['name']}<br>{row['name_zh']} |" in line, line


def test_sections_and_checks_are_written_out():
    assert algorithms.sections("wei 3.1.1; wei 3.1.2; tan 2.4") == "`wei` 3.1.1, 3.1.2; `tan` 2.4"
    assert algorithms.sections("wei 3.2.1; tan 3.3", "wei 2:7; tan 5") == "`wei` 3.2.1 (table 2, row 7); `tan` 3.3 (Algorithm 5)"
    assert algorithms.sections("") == algorithms.checks("") == ""
    assert algorithms.checks("sklearn.svm.SVC; brute force") == "sklearn `SVC`, brute force"


@pytest.mark.browser
def test_the_index_can_be_filtered_and_leads_to_the_code(browser, site_address):
    page = browser.new_context().new_page()
    page.goto(f"{site_address}book/reference/algorithms.html")
    page.get_by_label("Show only the rows with these words").fill("fuzzy k-means")
    shown = page.locator("table tbody tr:visible")
    assert shown.count() == 1
    shown.get_by_role("link", name="FuzzyKMeans").click()
    assert page.url.endswith("api_unsupervised_k_means.html#mlcore.unsupervised.k_means.FuzzyKMeans")
    page.context.close()
