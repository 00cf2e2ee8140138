"""The pages that are made from the book's own data at every build: the way from the lecture notes to the book, and all corrections.

They are written to book/reference/ (git ignores them) before Sphinx reads the table of contents.
"""

import collections
import csv
import pathlib
import re

import nbformat

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOTES = {
    "cs229": ("CS229 lecture notes", "CS229 课程讲义", "Andrew Ng and Tengyu Ma; Chinese edition of June 2025"),
    "wei": ("Notes on machine-learning algorithms", "机器学习算法笔记", "Xinran Wei, version 2.0, 2022"),
    "kivy": ("CS229 notes in Chinese, chapter 1", "CS229 讲义中文翻译", "an older edition of the first chapter"),
    "tan": ("Machine Learning", "机器学习经典之作", "Mingkui Tan, 2019"),
    "mlf": ("Machine Learning Foundations", "機器學習基石", "notes on the course, 2015"),
}
COLUMNS = ["Notes", "Printed", "Right", "Consequence", "Shown in"]


def prose(notebook):
    """All Markdown of a notebook."""
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def title(text):
    """The heading of a chapter."""
    return re.search(r"^# (.+)$", text, re.MULTILINE)[1]


def split_row(line):
    """The cells of a Markdown table row; a pipe inside code or math is written with a backslash and stays in its cell."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def corrections(text, chapter=""):
    """The rows of the table under "Corrections to the notes", in the order of the chapter."""
    section = re.search(r"^## Corrections to the notes\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    lines = [line for line in (section[1] if section else "").splitlines() if line.startswith("|")]
    if not lines:
        return []
    if split_row(lines[0]) != COLUMNS:
        raise ValueError(f"{chapter}: the table of corrections must have the columns {', '.join(COLUMNS)}; it has {lines[0]}")
    rows = [split_row(line) for line in lines[2:]]
    for row in rows:
        if len(row) != len(COLUMNS):
            raise ValueError(f"{chapter}: a row of the corrections has {len(row)} cells instead of {len(COLUMNS)}: {' | '.join(row)[:120]}")
    return rows


def toc_chapters(toc):
    """The chapters of the table of contents, in order, as ``part/chapter``."""
    return re.findall(r"- file: book/([a-z_]+/[a-z0-9_]+)$", toc, re.MULTILINE)


def front(name):
    """A label before the title, as every page of the book has one."""
    return f"({name})=\n"


def notes_page(key, rows, titles):
    """The contents of one of the lecture notes, each section with its place in the book."""
    english, chinese, who = NOTES[key]
    covered = [row for row in rows if row["anchor"]]
    lines = [front(f"notes-{key}") + f"# {english} ({chinese})", "",
             f"{who}; called `{key}` in this book. **{len(covered)} of its {len(rows)} sections are covered**; the link in the last",
             "column leads to the place where the book derives and runs what the section teaches.", "",
             "| Section | 中文 | English | In the book |", "|---|---|---|---|"]
    for row in rows:
        place = f"{titles[row['chapter']]}: {{ref}}`{row['anchor']}`" if row["anchor"] else "not yet"
        lines.append(f"| {row['section']} | {row['title_zh']} | {row['title_en']} | {place} |")
    return "\n".join(lines) + "\n"


def overview_page(tables):
    """The five lecture notes and how much of each is in the book."""
    lines = [front("from-the-notes") + "# From the notes to the book", "",
             "You hold one of the five lecture notes and want the runnable version of a section? Choose the notes, then the section.", "",
             "| Notes | 中文 | Sections | Covered |", "|---|---|---:|---:|"]
    total = collections.Counter()
    for key, (english, chinese, _) in NOTES.items():
        covered = sum(bool(row["anchor"]) for row in tables[key])
        total.update(sections=len(tables[key]), covered=covered)
        lines.append(f"| {{doc}}`{english} <notes_{key}>`, `{key}` | {chinese} | {len(tables[key])} | {covered} |")
    lines.append(f"| all five | | {total['sections']} | {total['covered']} |")
    return "\n".join(lines) + "\n"


def corrections_page(found, titles):
    """Every correction of every chapter in one table that the page can filter."""
    count = collections.Counter(key for rows in found.values() for row in rows for key in re.findall(r"`(\w+)`", row[0])[:1])
    each = ", ".join(f"{count[key]} in `{key}`" for key in NOTES if count[key])
    lines = [front("corrections") + "# Corrections to the notes", "",
             f"The chapters correct **{sum(map(len, found.values()))} errors** of the notes ({each}). Each row says what is printed,",
             "what is right, what follows from the misprint, and where the book shows it: the last column leads to the place.", "",
             "```{raw} html", '<p class="table-filter"></p>', "```", "",
             "| Notes | Printed | Right | Consequence | Chapter | Shown in |", "|---|---|---|---|---|---|"]
    for chapter, rows in found.items():
        for notes, printed, right, consequence, shown in rows:
            lines.append(f"| {notes} | {printed} | {right} | {consequence} | {{doc}}`{titles[chapter]} </book/{chapter}>` | {shown} |")
    return "\n".join(lines) + "\n"


def pages(root=ROOT):
    """All pages: file name -> text."""
    chapters = toc_chapters((root / "_toc.yml").read_text("utf8"))
    texts = {name: prose(nbformat.read(root / "book" / f"{name}.ipynb", as_version=4)) for name in chapters
             if (root / "book" / f"{name}.ipynb").exists()}
    titles = {name: title(text) for name, text in texts.items()}
    with (root / "book/reference/notes_map.csv").open(encoding="utf8", newline="") as file:
        rows = list(csv.DictReader(file))
    tables = {key: [row for row in rows if row["note"] == key] for key in NOTES}
    found = {name: corrections(text, name) for name, text in texts.items() if not name.startswith("reference/")}
    return {"from_the_notes.md": overview_page(tables), "corrections.md": corrections_page(found, titles),
            **{f"notes_{key}.md": notes_page(key, tables[key], titles) for key in NOTES}}


def write(root=ROOT):
    """Write the pages that changed; one that stayed the same keeps its date."""
    for name, text in pages(root).items():
        path = root / "book/reference" / name
        if not path.exists() or path.read_text("utf8") != text:
            path.write_text(text, "utf8")


if __name__ == "__main__":
    write()
