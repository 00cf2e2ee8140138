"""The way from the lecture notes to the book, and all corrections in one table."""

import collections
import csv
import re

from tools.reference.chapters import filter_box, front, place, planned_title
from tools.reference.chinese import typeset

NOTES = {
    "cs229": ("CS229 lecture notes", "CS229 课程讲义", "Andrew Ng and Tengyu Ma; Chinese edition of June 2025"),
    "wei": ("Notes on machine-learning algorithms", "机器学习算法笔记", "Xinran Wei, version 2.0, 2022"),
    "kivy": ("CS229 notes in Chinese, chapter 1", "CS229 讲义中文翻译", "An older edition of the first chapter"),
    "tan": ("Machine Learning", "机器学习经典之作", "Mingkui Tan, 2019"),
    "mlf": ("Machine Learning Foundations", "機器學習基石", "Notes on the course, 2015"),
}
GENERATED = {"reference/notation": "Notation", "reference/glossary": "Glossary", "reference/algorithms": "Index of algorithms"}
CHAPTERS = "book/reference/notes_chapters.csv"
COLUMNS = ["Notes", "Printed", "Right", "Consequence", "Shown in"]


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


def cited(cell):
    """The sections that the first cell of a correction names: ``"`tan` 2.5, Algorithm 1; `wei` 3.1"`` is tan 2.5 and wei 3.1."""
    plain = re.sub(r"\([^)]*\)|\b(?:footnote|algorithm|definition|theorem) \d+", "", cell, flags=re.IGNORECASE)
    parts = re.findall(r"`(\w+)`([^`]*)", plain)
    return [(key, section) for key, rest in parts for section in re.findall(r"\d+(?:\.\d+)*", rest)]


def in_order(cell):
    """Where a correction stands in the table: by notes, then by section."""
    key, section = [*cited(cell), (re.search(r"`(\w+)`", cell)[1], "0")][0]
    return list(NOTES).index(key), [int(number) for number in section.split(".")]


def place_id(key, section):
    """The id of the first correction of a section."""
    return f"correction-{key}-{section.replace('.', '-')}"


def by_chapter(rows, heads):
    """The sections of one of the notes under the heads of their chapters: (head, rows); a head begins at the section ``first``."""
    begins = {head["first"]: head for head in heads}
    if rows and rows[0]["section"] not in begins:
        raise ValueError(f"{CHAPTERS}: no chapter begins at the first section {rows[0]['section']} of {rows[0]['note']}.")
    parts = []
    for row in rows:
        if row["section"] in begins:
            parts.append((begins[row["section"]], []))
        parts[-1][1].append(row)
    return parts


def head_words(head):
    """The number and the title of a chapter of the notes, in Chinese and English, or once where the notes print English."""
    words = [typeset(head["title_zh"])] + ([head["title_en"]] if head["title_en"] != head["title_zh"] else [])
    return f"{head['number']} {' · '.join(words)}".strip()


def notes_page(key, rows, heads, titles, wrong):
    """The contents of one of the lecture notes, each section with its place in the book and its errors."""
    english, chinese, who = NOTES[key]
    covered, parts = [row for row in rows if row["anchor"]], by_chapter(rows, heads)
    shorts = [f"{head['number']} {typeset(head['title_zh'])}".strip() for head, _ in parts]
    label = {head["first"]: f"notes-{key}-{head['first'].replace('.', '-')}" for head, _ in parts}
    lines = [front(f"notes-{key}", wide=True) + f"# {english} ({chinese})", "",
             f"{who}; called `{key}` in this book. **{len(covered)} of its {len(rows)} sections are covered**; the link in the column",
             "\"In the book\" leads to the place where the book derives and runs what the section teaches, the number in the last",
             "column to the errors found in the section.", "",
             "Chapters: " + ", ".join(f"[{short}](#{name})" for short, name in zip(shorts, label.values())), "",
             *filter_box(f"{typeset(rows[0]['title_zh'])}, or: {rows[0]['section']}" if rows else "", "contents")]
    for head, mine in parts:
        lines += [f"({label[head['first']]})=\n## {head_words(head)}", "",
                  "| Section | 中文 | English | In the book | Errors |", "|---|---|---|---|---:|"]
        for row in mine:
            where = place(titles[row["chapter"]], row["anchor"]) if row["anchor"] else f"not yet: {planned_title(row['chapter'])}"
            count = wrong[key, row["section"]]
            errors = f'<a href="corrections.html#{place_id(key, row["section"])}">{count}</a>' if count else ""
            lines.append(f"| {row['section']} | {typeset(row['title_zh'])} | {row['title_en']} | {where} | {errors} |")
        lines.append("")
    return "\n".join(lines)


def overview_page(tables, count):
    """The five lecture notes, how much of each is in the book, and how many errors were found."""
    lines = [front("from-the-notes") + "# From the notes to the book", "",
             "You hold one of the five lecture notes and want the runnable version of a section? Choose the notes, then the section.",
             "The last column counts the errors of the notes that the book corrects, and leads to them.", "",
             "| Notes 讲义 | Sections | Covered | Errors |", "|---|---:|---:|---:|"]
    total = collections.Counter()
    for key, (english, chinese, _) in NOTES.items():
        covered = sum(bool(row["anchor"]) for row in tables[key])
        total.update(sections=len(tables[key]), covered=covered)
        errors = f'<a href="corrections.html?find={key}">{count[key]}</a>'
        lines.append(f"| {{doc}}`{english} <notes_{key}>`, `{key}`<br>{chinese} | {len(tables[key])} | {covered} | {errors} |")
    lines.append(f"| all five | {total['sections']} | {total['covered']} | {sum(count.values())} |")
    return "\n".join(lines) + "\n"


def errors_of(found):
    """How many corrections belong to each of the notes; one that names several counts for the first."""
    return collections.Counter(re.search(r"`(\w+)`", row[0])[1] for mine in found.values() for row in mine)


def corrections_page(found, titles):
    """Every correction of every chapter in one table that the page can filter, in the order of the notes."""
    rows = sorted(((chapter, row) for chapter, mine in found.items() for row in mine), key=lambda pair: in_order(pair[1][0]))
    count = errors_of(found)
    each = ", ".join(f'<a href="?find={key}">{count[key]} in {key}</a>' for key in NOTES if count[key])
    proved = sum("](#cell-" in row[-1] for _, row in rows)
    first = {}
    for own in (True, False):                      # a section's own row before one that only mentions it
        for i, (_, row) in enumerate(rows):
            for section in cited(row[0])[:1 if own else None]:
                first.setdefault(section, i)
    lines = [front("corrections", wide=True) + "# Corrections to the notes", "",
             f"The chapters correct **{len(rows)} errors** of the notes ({each}). Each row says what is printed,",
             "what is right, what follows from the misprint, and where the book shows it: the last column",
             f"of {proved} rows leads to the cell that proves it, of the others to the section that has the right form.", "",
             *filter_box("tan 2.4, or: sign"),
             "| Notes | Printed | Right | Consequence | Shown in |", "|---|---|---|---|---|"]
    for i, (chapter, (notes, printed, right, consequence, shown)) in enumerate(rows):
        marks = "".join(f'<span id="{place_id(*section)}"></span>' for section, k in first.items() if k == i)
        lines.append(f"| {notes}{marks} | {printed} | {right} | {consequence} | {titles[chapter]}: {shown} |")
    return "\n".join(lines) + "\n"


def read_by_notes(root, name):
    """The rows of a table, for each of the notes."""
    with (root / name).open(encoding="utf8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {key: [row for row in rows if row["note"] == key] for key in NOTES}


def pages(root, chapters):
    """A page for each of the notes, their overview, and the corrections: file name -> text."""
    titles = {chapter.name: chapter.title for chapter in chapters} | GENERATED
    tables, heads = read_by_notes(root, "book/reference/notes_map.csv"), read_by_notes(root, CHAPTERS)
    found = {chapter.name: corrections(chapter.text, chapter.name) for chapter in chapters}
    wrong = collections.Counter(section for mine in found.values() for row in mine for section in set(cited(row[0])))
    return {"from_the_notes.md": overview_page(tables, errors_of(found)), "corrections.md": corrections_page(found, titles),
            **{f"notes_{key}.md": notes_page(key, tables[key], heads[key], titles, wrong) for key in NOTES}}
