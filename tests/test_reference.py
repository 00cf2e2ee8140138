"""The pages made from the book's own data: the way from the notes to the book, and all corrections."""

import re

import pytest
from support import notes_map, read

from tools import notebook, reference

HEAD = "| Notes | Printed | Right | Consequence | Shown in |\n|---|---|---|---|---|\n"
TABLE = f"# Chapter\n\n## Corrections to the notes\n\n{HEAD}{{}}\n\n## Exercises\n"


def test_a_table_of_corrections_is_read():
    row = r"| `tan` 1.2 | $P(a \| b)$ | $P(b \| a)$ | wrong | [here](#there) |"
    assert reference.corrections(TABLE.format(row)) == [["`tan` 1.2", r"$P(a \| b)$", r"$P(b \| a)$", "wrong", "[here](#there)"]]
    assert reference.corrections("# Chapter\n") == []


def test_a_damaged_table_is_named():
    with pytest.raises(ValueError, match="part/one: a row of the corrections has 4 cells instead of 5: `tan` 1.2"):
        reference.corrections(TABLE.format("| `tan` 1.2 | $P(a)$ | wrong | [here](#there) |"), "part/one")
    with pytest.raises(ValueError, match="must have the columns Notes, Printed, Right"):
        reference.corrections(TABLE.format("").replace("Printed", "Wrong"), "part/one")


def test_every_correction_of_every_chapter_is_on_the_page():
    page = reference.pages()["corrections.md"]
    chapters = [c for c in reference.toc_chapters((reference.ROOT / "_toc.yml").read_text("utf8")) if not c.startswith("reference/")]
    rows = sum(len(reference.corrections(reference.prose(read(name)), name)) for name in chapters)
    assert page.count("\n| `") == rows and f"**{rows} errors**" in page
    assert rows >= 5 * len(chapters)


def test_every_section_of_the_notes_is_on_the_page_of_its_notes():
    pages, table = reference.pages(), notes_map()
    for key in reference.NOTES:
        page, mine = pages[f"notes_{key}.md"], [row for row in table if row["note"] == key]
        shown = [line.split("|")[1].strip() for line in page.splitlines() if line.startswith("|")][2:]
        assert shown == [row["section"] for row in mine]
        assert page.count("{ref}`") == sum(bool(row["anchor"]) for row in mine) == len(mine) - page.count("| not yet |")
    assert f"| all five | | {len(table)} | {sum(bool(row['anchor']) for row in table)} |" in pages["from_the_notes.md"]


def test_the_table_of_contents_names_what_exists():
    chapters = reference.toc_chapters((reference.ROOT / "_toc.yml").read_text("utf8"))
    made = {f"reference/{name.removesuffix('.md')}" for name in reference.pages()}
    assert made <= set(chapters) and set(chapters) - made - {"reference/bibliography"} == set(notebook.chapters())


def test_a_page_that_stays_the_same_keeps_its_date(tmp_path):
    (tmp_path / "book/reference").mkdir(parents=True)
    (tmp_path / "_toc.yml").write_text("root: index\n")
    table = "note,section,title_zh,title_en,chapter,anchor\ncs229,1,一,One,part/one,\n"
    (tmp_path / "book/reference/notes_map.csv").write_text(table, "utf8")
    reference.write(tmp_path)
    page = tmp_path / "book/reference/notes_cs229.md"
    before = page.stat().st_mtime_ns
    reference.write(tmp_path)
    assert page.stat().st_mtime_ns == before and "| 1 | 一 | One | not yet |" in page.read_text("utf8")


@pytest.mark.browser
def test_the_corrections_can_be_searched(browser, site_address):
    page = browser.new_context().new_page()
    page.goto(f"{site_address}book/reference/corrections.html")
    box = page.get_by_label("Show only the rows with these words")
    total = int(re.search(r"of (\d+) rows", page.locator(".table-filter").inner_text())[1])
    box.fill("wei Linear regression")
    shown = page.locator("table tbody tr:visible")
    assert 0 < shown.count() < total and f"{shown.count()} of {total} rows" in page.locator(".table-filter").inner_text()
    texts = shown.evaluate_all("rows => rows.map(row => row.textContent.toLowerCase())")
    assert all(word in text for text in texts for word in ("wei", "linear", "regression"))
    box.fill("no such words at all")
    assert shown.count() == 0
    page.context.close()
