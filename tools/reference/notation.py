"""The notation of the book, beside that of the lecture notes."""

import csv
import itertools
import re

from tools.reference.chapters import filter_box, front
from tools.reference.glossary import section_titles

COLUMNS = ["topic", "symbol", "meaning", "shape", "anchor", "cs229", "wei", "tan", "mlf"]
NOTES = COLUMNS[5:]


def read_symbols(root):
    """The rows of book/reference/notation.csv."""
    with (root / "book/reference/notation.csv").open(encoding="utf8", newline="") as file:
        return list(csv.DictReader(file))


def tokens(formula):
    """A formula as its commands and signs, each between blanks: white space does not count, and n is no part of nabla."""
    return " " + " ".join(re.findall(r"\\(?:text|operatorname|mathrm)\{[^}]*\}|\\[A-Za-z]+|\\.|\S", formula)) + " "


def occurs(symbol, text):
    """Whether a symbol (with or without dollar signs) stands in a formula of a Markdown text."""
    found = re.findall(r"\$\$(.+?)\$\$|(?<!\\)\$([^$]+?)(?<!\\)\$", text, re.DOTALL)
    return any(tokens(symbol.strip("$")) in tokens(display or inline) for display, inline in found)


def row_line(row, titles):
    """One row of the table; an empty cell means that these notes have nothing to compare."""
    place = f"{{ref}}`{titles[row['anchor']]} <{row['anchor']}>`" if row["anchor"] in titles else "not yet"
    cells = [row["symbol"], f"{row['meaning']} ({row['shape']})", *(row[key] or "–" for key in NOTES), place]
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def notation_page(rows, titles):
    """The symbols by topic, and at the end the letters that the notes use for several things."""
    lines = [front("notation", wide=True) + "# Notation", "",
             f"The **{len(rows)} symbols** of the book by topic, with what the notes write for the same thing; a dash means that there is",
             "nothing to compare.",
             "`kivy`, an older edition of the first chapter of `cs229`, has its letters except where the column says otherwise.",
             "The last table lists letters that mean several things in the notes, and what they mean here.", "",
             *filter_box("variance, or: learning rate", "symbols")]
    names = ["Symbol", "Meaning (shape or type)", *(f"`{key}`" for key in NOTES), "Introduced in"]
    head = ["", f"| {' | '.join(names)} |", "|---" * len(names) + "|"]
    for topic, group in itertools.groupby(rows, key=lambda row: row["topic"]):
        lines += ["", front(f"notation-{re.sub('[^a-z]+', '-', topic.lower())}") + f"## {topic}", *head]
        lines += [row_line(row, titles) for row in group]
    return "\n".join(lines) + "\n"


def pages(root, chapters):
    """The table of symbols: file name -> text."""
    return {"notation.md": notation_page(read_symbols(root), section_titles(chapters))}
