"""What the generated pages read: the chapters in the order of the table of contents, their titles, text and cells."""

import functools
import pathlib
import re
from html import escape

import nbformat

PROPER = {"hmm": "HMM", "crf": "CRF", "bayesian": "Bayesian", "gaussian": "Gaussian", "boltzmann": "Boltzmann"}
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class Chapter:
    """One notebook of the book: ``name`` (part/chapter), ``title``, ``part``, all Markdown as ``text``, and the ``notebook``."""

    def __init__(self, name, notebook):
        self.name, self.notebook = name, notebook
        self.part = name.partition("/")[0]
        self.text = prose(notebook)
        self.title = re.search(r"^# (.+)$", self.text, re.MULTILINE)[1]

    @property
    def minutes(self):
        """The reading time that the opening states."""
        return int(re.search(r"\*\*Reading time:\*\* (\d+) minutes", self.text)[1])


def prose(notebook):
    """All Markdown of a notebook."""
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def toc_files(root=ROOT):
    """The pages of the table of contents below book/, in order, as ``part/page``."""
    return re.findall(r"- file: book/([a-z_]+/[a-z0-9_]+)$", (root / "_toc.yml").read_text("utf8"), re.MULTILINE)


def read_chapters(root=ROOT):
    """The chapters proper (not the reference pages), in the order of the book."""
    names = [name for name in toc_files(root) if not name.startswith("reference/")]
    return [Chapter(name, nbformat.read(root / "book" / f"{name}.ipynb", as_version=4)) for name in names]


def planned_title(name):
    """What a chapter that is not written yet will be about, from its name: ``probabilistic/hmm_and_crf`` is HMM and CRF."""
    words = [PROPER.get(word, word) for word in name.partition("/")[2].split("_")]
    return " ".join([words[0][0].upper() + words[0][1:], *words[1:]])


@functools.cache
def labels_of_pages():
    """The labels before the titles of the book's pages."""
    return {name.partition("/")[2].replace("_", "-") for name in toc_files()}


def place(title, anchor):
    """The way to a section: the title of its chapter and a link; a chapter as a whole is a link alone."""
    return ("" if anchor in labels_of_pages() else f"{title}: ") + f"{{ref}}`{anchor}`"


def front(name, wide=False):
    """A label before the title, as every page of the book has one; a wide page has no second sidebar."""
    return ("---\nhtml_theme.sidebar_secondary.remove: true\n---\n\n" if wide else "") + f"({name})=\n"


def jumps(places):
    """A line of links down a long table: of (words, id of a row) the first with the same words."""
    first = {}
    for words, name in places:
        first.setdefault(words, name)
    links = " ".join(f'<a href="#{name}">{escape(words)}</a>' for words, name in first.items())
    return ["```{raw} html", f'<p class="table-jumps">{links}</p>', "```", ""]


def filter_box(example, kind=""):
    """The lines that put a box above the tables of a page; what is typed there chooses their rows.

    ``example`` is shown in the box; with a ``kind`` (contents, symbols) all tables of the page have the same columns, of the same width.
    """
    return ["```{raw} html", f'<p class="{f"table-filter {kind}".strip()}" data-example="{example}"></p>', "```", ""]
