"""The index of algorithms: a table of all of them, from book/reference/algorithms.csv."""

import csv
import re

from tools.reference.chapters import filter_box, front, jumps, place, planned_title

NUMBERED = {"wei": 64, "tan": 24}  # how many algorithms the tables of these notes number


def read_rows(root):
    """The rows of the index.

    ``notes`` are sections such as ``wei 3.1.1; tan 2.3``, ``table`` the places in the notes' own tables (``wei 2:7`` is row 7 of
    table 2, ``tan 5`` algorithm 5), ``mlcore`` full names with spaces between, ``checked`` dotted names of library routines or words.
    """
    with (root / "book/reference/algorithms.csv").open(encoding="utf8", newline="") as file:
        return list(csv.DictReader(file))


def code(names, linked):
    """The names of the code, as links to the reference if their chapter is in the book."""
    short = {name: name.rpartition(".")[2] for name in names.split()}
    return ", ".join(f"{{py:obj}}`{last} <{name}>`" if linked else f"`{last}`" for name, last in short.items())


def checks(text):
    """Library routines as library and name (their full path would widen the table), other ways to check as words."""
    parts = text.split("; ") if text else []
    return ", ".join(re.sub(r"^(\w+)\.(?:\w+\.)*(\w+)$", r"\1 `\2`", part) for part in parts)


def sections(text, table=""):
    """Sections of the notes: ``wei 3.1.1; wei 3.1.2; tan 2.4`` becomes `wei` 3.1.1, 3.1.2; `tan` 2.4.

    Behind them stand the places in the notes' own tables: ``wei 2:7`` is table 2, row 7; ``tan 5`` is Algorithm 5.
    """
    grouped = {}
    for part in text.split("; ") if text else []:
        notes, section = part.split()
        grouped.setdefault(notes, []).append(section)
    for part in table.split("; ") if table else []:
        notes, place = part.split()
        grouped.setdefault(notes, []).append(f"(table {place.replace(':', ', row ')})" if notes == "wei" else f"(Algorithm {place})")
    return "; ".join(f"`{notes}` {', '.join(found).replace(', (', ' (')}" for notes, found in grouped.items())


def row_id(row):
    """The id of a row: letters and digits of its name, joined by hyphens."""
    return "algorithm-" + re.sub(r"[^a-z0-9]+", "-", row["name"].lower().replace("++", "-plus-plus")).strip("-")


def algorithms_page(rows, titles):
    """One table with a filter box."""
    written = [row for row in rows if row["chapter"] in titles]
    lines = [front("algorithms", wide=True) + "# Index of algorithms", "",
             f"**{len(rows)} algorithms**, {len(written)} of them in the book and {len(rows) - len(written)} in chapters to come;",
             f"among them all {NUMBERED['wei']} rows of the algorithm tables of `wei` (section 1.6) and all {NUMBERED['tan']} numbered",
             "algorithms of `tan`. A name of the code leads to its signature and source. The cost counts arithmetic for $n$ examples,",
             "$d$ features and $T$ iterations; other letters are explained in the row. The last column says what it is compared with.", "",
             *filter_box("k-means, or: wei 3.1"),
             *jumps((titles.get(row["chapter"], "chapters to come"), row_id(row)) for row in rows),
             "| Algorithm 算法 | Notes | In the book | Code | Cost | Checked against |", "|---|---|---|---|---|---|"]
    for row in rows:
        here = row["chapter"] in titles
        where = place(titles[row["chapter"]], row["anchor"]) if here else f"to come: {planned_title(row['chapter'])}"
        cells = [f'<span id="{row_id(row)}"></span>{row["name"]}<br>{row["name_zh"]}', sections(row["notes"], row["table"]), where,
                 code(row["mlcore"], here), row["cost"], checks(row["checked"])]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def pages(root, chapters):
    """The index: file name -> text."""
    return {"algorithms.md": algorithms_page(read_rows(root), {chapter.name: chapter.title for chapter in chapters})}
