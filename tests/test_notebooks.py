"""The structure of every chapter: the parts of the book's style are there, and nothing that does not belong."""

import itertools
import json
import re

import pytest
from support import ROOT, anchors, code_cells, markdown, read

from tools import notebook

CHAPTERS = [name for name in notebook.chapters() if not name.startswith("reference/")]
PAGES = notebook.chapters()
CLOSING = ["In practice", "Corrections to the notes", "Exercises", "Summary", "Further reading"]
CORRECTION_COLUMNS = ["Notes", "Printed", "Right", "Consequence", "Shown in"]
IGNORED_OUTPUT_BUDGET = 0  # cells whose output nbval does not compare; only timings may ever be such
each_chapter = pytest.mark.parametrize("name", CHAPTERS)
each_page = pytest.mark.parametrize("name", PAGES)


def headings(nb):
    """(level, text, anchor line above it or None) of every heading outside code fences."""
    text = re.sub(r"^(`{3,}|:{3,})\{?code.*?^\1\s*$", "", markdown(nb), flags=re.M | re.S)
    lines = text.splitlines()
    for i, line in enumerate(lines):
        match = re.match(r"(#{1,4}) (.+)", line)
        if match:
            above = next((x for x in reversed(lines[:i]) if x.strip()), "")
            anchor = re.fullmatch(r"\((?!cell-)([a-z0-9-]+)\)=", above.strip())
            yield len(match[1]), match[2].strip(), anchor and anchor[1]


@each_chapter
def test_opening_says_what_why_and_from_where(name):
    nb = read(name)
    first = list(headings(nb))[0]
    hyphenated = name.partition("/")[2].replace("_", "-")
    assert first[0] == 1 and first[2] == hyphenated, f"the chapter opens with ({hyphenated})= and a title"
    opening = markdown(nb).split("\n## ")[0]
    assert re.search(r"\{admonition\} Sources", opening), "the opening names its sources"
    assert re.search(r"\*\*Reading time:\*\* \d+ minutes", opening)


@each_chapter
def test_closing_sections_in_order(name):
    titles = [text for level, text, _ in headings(read(name)) if level == 2]
    assert titles[-len(CLOSING):] == CLOSING
    assert len(titles) - len(CLOSING) >= 4, "the body has at least four sections"


@each_chapter
def test_every_section_has_an_anchor(name):
    missing = [text for level, text, anchor in headings(read(name)) if level == 2 and anchor is None and text not in CLOSING]
    assert not missing, f"sections without an anchor: {missing}"


@each_chapter
def test_a_label_of_a_cell_stands_before_it_and_is_cited(name):
    nb = read(name)
    labels = [label for label in anchors(nb) if label.startswith("cell-")]
    ends = (re.search(r"^\((cell-[a-z0-9-]+)\)=\Z", before.source, flags=re.M)
            for before, cell in itertools.pairwise(nb.cells) if before.cell_type == "markdown" and cell.cell_type == "code")
    assert [found[1] for found in ends if found] == labels, "a label of a cell is the last line of the text before a code cell"
    links = re.findall(r"\]\(#(cell-[a-z0-9-]+)\)", markdown(nb))
    assert set(links) == set(labels), "labels of cells and links to them do not match"


def test_anchors_and_labels_are_unique():
    seen = {}
    for name in PAGES:
        text = markdown(read(name))
        labels = anchors(read(name)) + re.findall(r"^:label: (\S+)", text, flags=re.M) + re.findall(r"\$\$ \((\S+?)\)", text)
        for label in labels:
            assert label not in seen, f"{label} is defined in {seen[label]} and in {name}"
            seen[label] = name


@each_chapter
def test_corrections_table(name):
    section = markdown(read(name)).split("## Corrections to the notes")[1].split("\n## ")[0]
    tables = [line for line in section.splitlines() if line.startswith("|")]
    assert [c.strip() for c in tables[0].strip("|").split("|")] == CORRECTION_COLUMNS
    rows = [re.split(r"(?<!\\)\|", line.strip().strip("|")) for line in tables[2:]]
    assert rows
    for row in rows:
        assert len(row) == len(CORRECTION_COLUMNS), f"a row has {len(row)} cells: {row}"
        assert all(cell.strip() for cell in row), f"an empty cell: {row}"
        assert re.match(r"\s*`(cs229|wei|kivy|tan|mlf)` ", row[0]), f"the first cell names notes and section: {row[0]}"
        assert re.search(r"\{ref\}|\]\(#|\{eq\}|\{prf:ref\}", row[-1]), f"the last cell links to what shows it: {row[-1]}"


@each_chapter
def test_exercises(name):
    nb = read(name)
    text = markdown(nb)
    exercises = re.findall(r"\{exercise-start\}|\{exercise\}", text)
    solutions = re.findall(r"\{solution-start\} (\S+)|\{solution\} (\S+)", text)
    assert len(exercises) >= 5 and len(solutions) == len(exercises), "at least five exercises, each with a solution"
    checks = {m for c in code_cells(nb) for m in re.findall(r"check\(\s*[\"']([\w.]+)[\"']", c.source)}
    assert len(checks) >= 3, "at least three exercises check themselves"
    inside = False
    for cell in nb.cells:
        if cell.cell_type == "markdown":
            inside = inside or "{solution-start}" in cell.source
            assert "{solution-start}" not in cell.source or ":class: dropdown" in cell.source
            inside = inside and "{solution-end}" not in cell.source
        elif inside:
            assert cell.metadata.get("jupyter", {}).get("source_hidden"), "the code of a solution is folded in Jupyter too"


@each_page
def test_cells(name):
    nb = read(name)
    for i, cell in enumerate(nb.cells):
        where = f"{name}, cell {i + 1}"
        source = cell.source
        assert source.strip(), f"{where} is empty"
        assert not re.search(r"(?<![\w.])/(work|root|home|tmp|Users)/", source), f"{where} holds an absolute path"
        if cell.cell_type != "code":
            continue
        assert len(source.splitlines()) <= 30, f"{where} has more than 30 lines"
        assert max(map(len, source.splitlines())) <= 100, f"{where} has a line over 100 characters, which a page cuts off"
        assert cell.execution_count is not None, f"{where} was not executed"
        assert "interact(" not in source, f"{where}: a plain interact is dead on the static page"
        for output in cell.outputs:
            assert output.output_type != "error", f"{where} holds an error"
            assert output.get("name") != "stderr", f"{where} wrote to stderr: {output.text[:200]}"
            data = output.get("data", {})
            assert "application/vnd.jupyter.widget-view+json" not in data, f"{where} stores a widget view"
            assert not re.search(r"\bat 0x[0-9a-f]+", str(data.get("text/plain", ""))), f"{where} shows a memory address"
            if "image/png" in data:
                alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
                assert len(alt) > 20, f"{where}: the figure has no text alternative"
    assert "widgets" not in nb.metadata


@each_chapter
def test_prose_between_code_cells(name):
    nb = read(name)
    bare = []
    for i, (a, b) in enumerate(zip(nb.cells, nb.cells[1:])):
        hidden = any(c.metadata.get("jupyter", {}).get("source_hidden") for c in (a, b))
        stub = "check(" in b.source  # an exercise's stub and its check stand together
        if a.cell_type == b.cell_type == "code" and not hidden and not stub:
            bare.append(i + 1)
    assert len(bare) <= 2, f"code cells that follow each other without a word: after cells {bare}"


@each_chapter
def test_interactive_figure(name):
    shown = [str(o.get("data", {}).get("text/html", "")) for c in code_cells(read(name)) for o in c.outputs]
    assert any('class="mlcore-' in html for html in shown), "every chapter has an interactive figure"


def test_ignored_outputs_stay_within_budget():
    ignored = [f"{name}: {c.source.splitlines()[0]}" for name in PAGES for c in code_cells(read(name))
               if "nbval-ignore-output" in c.metadata.get("tags", [])]
    assert len(ignored) <= IGNORED_OUTPUT_BUDGET, ignored


@each_chapter
def test_four_files_carry_the_name(name):
    part, _, chapter = name.partition("/")
    module = ROOT / "mlcore" / part / chapter
    assert module.with_suffix(".py").exists() or (module / "__init__.py").exists()
    assert (ROOT / "tests" / part / f"test_{chapter}.py").exists()
    assert (ROOT / "mlcore" / "exercises" / part / f"{chapter}.py").exists()


def test_equation_labels_in_docstrings_exist():
    labels = set()
    for name in PAGES:
        labels |= set(re.findall(r"\((eq-[a-z0-9-]+)\)", markdown(read(name))))
        labels |= set(re.findall(r"^:label: (\S+)", markdown(read(name)), flags=re.M))
    cited = {(p.relative_to(ROOT).as_posix(), label) for p in (ROOT / "mlcore").rglob("*.py")
             for label in re.findall(r"\b((?:eq|thm|prop|lem|alg)-[a-z]{2,4}-[a-z0-9-]+)", p.read_text("utf8"))}
    unknown = sorted((path, label) for path, label in cited if label not in labels)
    assert not unknown, f"labels cited in mlcore that no chapter defines: {unknown}"


@each_page
def test_stored_form_is_normal(name):
    path = notebook.BOOK / f"{name}.ipynb"
    assert path.read_text("utf8") == notebook.to_text(notebook.normalize(read(name))), "run `make chapter` before committing"
    json.loads(path.read_text("utf8"))
