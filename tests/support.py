"""Paths and notebook readers shared by the tests."""

import csv
import pathlib
import re

import nbformat

ROOT = pathlib.Path(__file__).resolve().parent.parent
BOOK = ROOT / "book"
SITE = ROOT / "_build" / "html"


def notes_map():
    """The rows that map each section of the lecture notes to a chapter and an anchor."""
    with (BOOK / "reference" / "notes_map.csv").open(encoding="utf8", newline="") as file:
        return list(csv.DictReader(file))


def read(name):
    """The notebook of a chapter such as ``supervised/linear_regression``."""
    return nbformat.read(BOOK / f"{name}.ipynb", as_version=4)


def code_cells(nb):
    return [c for c in nb.cells if c.cell_type == "code"]


def markdown(nb):
    """All prose of a notebook."""
    return "\n\n".join(c.source for c in nb.cells if c.cell_type == "markdown")


def anchors(nb):
    """The ``(label)=`` lines of a notebook."""
    return re.findall(r"^\(([a-z0-9-]+)\)=", markdown(nb), flags=re.M)


def without_formulas(page):
    """Leave MathJax out of the pages to come: half of the time to show a chapter, and no part of what most tests look at."""
    page.route("**/mathjax/**", lambda route: route.fulfill(body="", content_type="text/javascript"))
