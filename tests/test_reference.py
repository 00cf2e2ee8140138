"""The pages made from the book's own data: the way from the notes to the book, and all corrections."""

import csv
import re

import pytest
from docutils import frontend, nodes
from docutils.utils import new_document
from support import ROOT, notes_map

from tools import notebook, reference
from tools.reference import chinese, notes
from tools.reference.chapters import jumps, read_chapters, toc_files

HEAD = "| Notes | Printed | Right | Consequence | Shown in |\n|---|---|---|---|---|\n"
TABLE = f"# Chapter\n\n## Corrections to the notes\n\n{HEAD}{{}}\n\n## Exercises\n"


def test_a_table_of_corrections_is_read():
    row = r"| `tan` 1.2 | $P(a \| b)$ | $P(b \| a)$ | wrong | [here](#there) |"
    assert notes.corrections(TABLE.format(row)) == [["`tan` 1.2", r"$P(a \| b)$", r"$P(b \| a)$", "wrong", "[here](#there)"]]
    assert notes.corrections("# Chapter\n") == []


def test_a_damaged_table_is_named():
    with pytest.raises(ValueError, match="part/one: a row of the corrections has 4 cells instead of 5: `tan` 1.2"):
        notes.corrections(TABLE.format("| `tan` 1.2 | $P(a)$ | wrong | [here](#there) |"), "part/one")
    with pytest.raises(ValueError, match="must have the columns Notes, Printed, Right"):
        notes.corrections(TABLE.format("").replace("Printed", "Wrong"), "part/one")


def test_every_correction_of_every_chapter_is_on_the_page():
    page = reference.pages()["corrections.md"]
    chapters = read_chapters()
    rows = sum(len(notes.corrections(chapter.text, chapter.name)) for chapter in chapters)
    assert page.count("\n| `") == rows and f"**{rows} errors**" in page
    assert rows >= 5 * len(chapters)


def test_most_corrections_lead_to_the_cell_that_proves_them():
    rows = [row for chapter in read_chapters() for row in notes.corrections(chapter.text, chapter.name)]
    shown = [row for row in rows if "](#cell-" in row[-1]]
    assert len(shown) > 0.7 * len(rows)
    assert f"of {len(shown)} rows leads to the cell" in reference.pages()["corrections.md"]


def test_the_sections_of_a_correction_are_read():
    assert notes.cited("`wei` 3.1.2 (3.3)") == [("wei", "3.1.2")] and notes.cited("`tan` 2.5, Algorithm 1") == [("tan", "2.5")]
    assert notes.cited("`cs229` 2.4, `kivy` 7, footnote 6") == [("cs229", "2.4"), ("kivy", "7")]
    assert notes.cited("`wei` 3.3.2, 3.4.2") == [("wei", "3.3.2"), ("wei", "3.4.2")] and notes.cited("`mlf` preface") == []
    wanted = ["`cs229` preface", "`cs229` 1.2", "`cs229` 1.10", "`wei` 1.1", "`mlf` 1"]
    assert sorted((wanted[i] for i in (3, 0, 4, 2, 1)), key=notes.in_order) == wanted


def test_corrections_stand_in_the_order_of_the_notes_and_every_section_leads_to_its_own():
    pages = reference.pages()
    table = [line.split(" | ")[0].strip("| ") for line in pages["corrections.md"].splitlines() if line.startswith("| `")]
    assert [notes.in_order(cell) for cell in table] == sorted(notes.in_order(cell) for cell in table)
    ids = re.findall(r'<span id="(correction-[\w-]+)"></span>', pages["corrections.md"])
    assert len(ids) == len(set(ids))
    for key in notes.NOTES:
        led = dict(re.findall(r"^\| (\S+) \|.*#(correction-[\w-]+)\">\d+</a> \|$", pages[f"notes_{key}.md"], re.MULTILINE))
        assert len(led) >= 5 and set(led.values()) <= set(ids)
        for section, name in led.items():
            cell = next(cell for cell in table if f'"{name}"' in cell)
            assert (key, section) in notes.cited(re.sub("<.*?>", "", cell))


def test_every_section_of_the_notes_is_on_the_page_of_its_notes():
    pages, table = reference.pages(), notes_map()
    for key in notes.NOTES:
        page, mine = pages[f"notes_{key}.md"], [row for row in table if row["note"] == key]
        shown = [line.split("|")[1].strip() for line in page.splitlines() if re.match(r"\| \d", line)]
        assert shown == [row["section"] for row in mine]
        assert page.count("{ref}`") == sum(bool(row["anchor"]) for row in mine) == len(mine) - page.count("| not yet: ")
    assert f"| all five | {len(table)} | {sum(bool(row['anchor']) for row in table)} |" in pages["from_the_notes.md"]


def test_sections_stand_under_the_chapters_of_their_notes():
    """Every chapter of the notes has a head in both languages; its own number leads its sections (kivy counts through its parts)."""
    tables, heads = (notes.read_by_notes(ROOT, name) for name in ("book/reference/notes_map.csv", notes.CHAPTERS))
    pages = reference.pages()
    for key in notes.NOTES:
        parts = notes.by_chapter(tables[key], heads[key])
        assert [head for head, _ in parts] == heads[key], "in order, and none without a section"
        assert [row for _, mine in parts for row in mine] == tables[key]
        assert all(head["title_zh"] and head["title_en"] for head in heads[key])
        leading = [{row["section"].partition(".")[0] for row in mine} for _, mine in parts]
        if key != "kivy":
            assert [sorted(numbers) for numbers in leading] == [[str(i)] for i in range(1, len(parts) + 1)]
        assert all(head["number"] in ("", *numbers) or "Part" in head["number"] for (head, _), numbers in zip(parts, leading))
        found = re.findall(r"^\((notes-[\w-]+)\)=\n## (.+)$", pages[f"notes_{key}.md"], re.MULTILINE)
        assert [words for _, words in found] == [notes.head_words(head) for head in heads[key]]
        jumps = re.findall(r"\]\(#(notes-[\w-]+)\)", pages[f"notes_{key}.md"])
        assert jumps == [label for label, _ in found], "the line of chapters leads to each of them"
    with pytest.raises(ValueError, match="no chapter begins at the first section 1.1 of cs229"):
        notes.by_chapter(tables["cs229"], [])


def test_a_chapter_title_that_the_notes_print_in_english_stands_once():
    assert notes.head_words({"number": "3", "title_zh": "回归", "title_en": "Regression"}) == "3 回归 · Regression"
    assert notes.head_words({"number": "", "title_zh": "Week 1", "title_en": "Week 1"}) == "Week 1"


def test_chinese_is_marked_as_chinese():
    """Runs of Chinese, also with spaces between, in prose and headings; not in code or formulas; the text stays."""
    text = "The EM 算法 and 岭回归，套索 回归."
    paragraph = nodes.paragraph("", text)
    code, formula = nodes.literal("", "反向"), nodes.math("", "反")
    made = new_document("test", frontend.get_default_settings())
    made += [nodes.section("", nodes.title("", "Glossary 术语表"), paragraph, nodes.paragraph("", "", code, formula))]
    chinese.mark(made)
    marked = [node.astext() for node in made.findall(nodes.inline) if chinese.CLASS in node["classes"]]
    assert marked == ["术语表", "算法", "岭回归，套索 回归"] and paragraph.astext() == text
    assert [type(piece).__name__ for piece in chinese.pieces("中 word")] == ["inline", "Text"]


@pytest.mark.parametrize(("typed", "printed"), [
    ("主成分分析 (PCA)", "主成分分析（PCA）"), ("(对于回归问题的) 数学分解", "（对于回归问题的）数学分解"),
    ("题外话: 感知器", "题外话：感知器"), ("Learning 是否可行?", "Learning 是否可行？"), ('"猫"脸识别', "“猫”脸识别"),
    ("损失 $f(x, y)$ 与核 (选读)", "损失 $f(x, y)$ 与核（选读）"),
    ("Week 1 (intro): a, b?", "Week 1 (intro): a, b?"), ("k 均值, 聚类", "k 均值，聚类")])
def test_chinese_titles_have_the_marks_of_chinese_print(typed, printed):
    assert chinese.typeset(typed) == printed == chinese.typeset(printed)


def test_no_chinese_name_or_title_has_marks_of_english_print():
    """In the tables of the book they are right as they stand; those of the notes' sections are set when the page is made."""
    for name, column in (("glossary", "zh"), ("algorithms", "name_zh"), ("notes_chapters", "title_zh")):
        with (ROOT / f"book/reference/{name}.csv").open(encoding="utf8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert [row[column] for row in rows if chinese.typeset(row[column]) != row[column]] == []
    pages = reference.pages()
    for key in notes.NOTES:
        titles = [line.split("|")[2].strip() for line in pages[f"notes_{key}.md"].splitlines() if re.match(r"\| \d", line)]
        assert titles and [title for title in titles if chinese.typeset(title) != title] == []


def test_a_long_table_has_links_down_to_its_rows():
    assert jumps([("A", "a-1"), ("A", "a-2"), ("<B>", "b-1")])[1] == (
        '<p class="table-jumps"><a href="#a-1">A</a> <a href="#b-1">&lt;B&gt;</a></p>')
    for page, name in (("glossary.md", r"\{#([\w-]+)\}"), ("algorithms.md", r'<span id="([\w-]+)">')):
        text = reference.pages()[page]
        places, ids = re.findall(r'<a href="#([^"]+)">', text), re.findall(name, text)
        assert len(places) > 20 and set(places) <= set(ids) and len(ids) == len(set(ids))


def test_the_table_of_contents_names_what_exists():
    chapters = toc_files()
    made = {f"reference/{name.removesuffix('.md')}" for name in reference.pages()}
    assert made <= set(chapters) and set(chapters) - made - {"reference/bibliography"} == set(notebook.chapters())


def test_a_page_that_stays_the_same_keeps_its_date(tmp_path, monkeypatch):
    (tmp_path / "book/reference").mkdir(parents=True)
    (tmp_path / "_toc.yml").write_text("root: index\n")
    table = "note,section,title_zh,title_en,chapter,anchor\ncs229,1,一,One,part/one,\n"
    (tmp_path / "book/reference/notes_map.csv").write_text(table, "utf8")
    (tmp_path / notes.CHAPTERS).write_text("note,number,title_zh,title_en,first\ncs229,1,一,One,1\n", "utf8")
    monkeypatch.setattr(reference, "MODULES", (notes,))
    reference.write(tmp_path)
    page = tmp_path / "book/reference/notes_cs229.md"
    before = page.stat().st_mtime_ns
    reference.write(tmp_path)
    assert page.stat().st_mtime_ns == before and "| 1 | 一 | One | not yet: One |  |" in page.read_text("utf8")


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


@pytest.mark.browser
def test_the_corrections_are_searched_by_keyboard_from_the_disk_and_by_address(browser, site_folder):
    page = browser.new_context().new_page()
    address = (site_folder / "book/reference/corrections.html").as_uri()
    page.goto(address)
    shown = page.locator("table tbody tr:visible")
    page.get_by_label("Show only the rows with these words").focus()
    page.keyboard.type("wei 3.1")
    cells = [re.sub(r"\s+", " ", text) for text in page.locator("tbody tr:visible td:first-child").all_inner_texts()]
    assert cells and all(re.search(r"wei\b.*\b3\.1", text) for text in cells), "the name of the notes in full, not the weights"
    for _ in "wei 3.1":
        page.keyboard.press("Backspace")
    total = shown.count()
    page.goto(f"{address}?find=kivy#correction-wei-3-1-1")
    page.locator("tr:has(:target)").wait_for(state="visible", timeout=20_000)
    assert shown.count() == total, "a link to a row that the box would hide shows it"
    page.goto(f"{address}?find=kivy")
    assert 0 < shown.count() < total and page.get_by_label("Show only the rows with these words").input_value() == "kivy"
    page.goto((site_folder / "book/reference/notes_wei.html").as_uri())
    page.locator("table a[href*='#correction-']").first.click()
    row = page.locator("tr:has(:target)")
    row.wait_for(state="visible", timeout=20_000)
    assert "wei" in row.inner_text()
    page.context.close()


@pytest.mark.site
def test_the_links_of_the_corrections_land_on_cells(site_folder):
    page = (site_folder / "book/reference/corrections.html").read_text("utf8")
    links = set(re.findall(r'href="\.\./(\w+/\w+\.html)#(cell-[a-z0-9-]+)"', page))
    assert len(links) > 200
    cells = {file: set(re.findall(r'<div class="cell[^"]*" id="(cell-[a-z0-9-]+)"', (site_folder / "book" / file).read_text("utf8")))
             for file, _ in links}
    assert [link for link in links if link[1] not in cells[link[0]]] == []


@pytest.mark.site
def test_chinese_words_carry_their_language_in_the_page(site_folder):
    for page, least in (("glossary", 522), ("algorithms", 200), ("notes_tan", 200)):
        text = (site_folder / f"book/reference/{page}.html").read_text("utf8")
        assert text.count('<span lang="zh">') >= least
        cells = re.findall(r"<td><p>(.*?)</p></td>", text)
        assert [cell for cell in cells if re.search("[\u4e00-\u9fff]", re.sub('<span lang="zh">.*?</span>', "", cell))] == []


@pytest.mark.browser
def test_from_a_chapter_two_clicks_lead_to_a_section_of_the_notes(browser, site_address):
    """The five notes stand open in the sidebar of every page; on their pages a line of chapters leads down, a row into the book."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.goto(f"{site_address}book/supervised/perceptron.html")
    page.locator("#pst-primary-sidebar a[href$='notes_tan.html']").click()
    page.locator("tr", has_text="3.3.2.2").locator("td a").first.click()
    assert page.url.endswith("book/supervised/perceptron.html#perceptron-convergence")
    page.goto(f"{site_address}book/reference/notes_tan.html")
    page.locator(".bd-article p a", has_text="14").first.click()
    heading = page.locator("h2", has_text="Dimensionality reduction")
    seen = "h => { const y = h.getBoundingClientRect().top; return y > 0 && y < innerHeight; }"
    page.wait_for_function(seen, arg=heading.element_handle())
    page.get_by_label("Show only the rows with these words").fill("支持向量机(SVM)")
    assert page.locator("tbody tr:visible").count() == 1, "signs of half and full width are the same"
    page.get_by_label("Show only the rows with these words").fill("perceptron 感知器")
    assert 0 < page.locator("tbody tr:visible").count() < 12
    assert page.locator("h2:visible", has_text="·").count() == 1, "a head without rows goes"
    page.context.close()


@pytest.mark.browser
def test_on_a_phone_a_row_is_a_card_that_names_its_cells(browser, site_address):
    page = browser.new_context(viewport={"width": 375, "height": 800}).new_page()
    page.goto(f"{site_address}book/reference/notes_tan.html")
    link = page.locator("tbody tr a.reference").first
    place = link.bounding_box()
    assert place["x"] >= 0 and place["x"] + place["width"] <= 375, "the way into the book is on the screen"
    assert page.locator("tbody tr td").first.evaluate("cell => getComputedStyle(cell, '::before').content") == '"Section: "'
    page.context.close()
