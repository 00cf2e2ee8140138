"""What the front page shows of the book itself: its numbers, its parts, and a figure that works; nothing of it is typed."""

import functools
import inspect
import os
import re
import tomllib
from html import escape

import nbformat
import yaml
from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.util.docutils import SphinxDirective

from tools.reference import notes, paths
from tools.reference.chapters import ROOT, prose, read_chapters

FIGURE = 'class="mlcore-'


@functools.cache
def book():
    """The chapters, read once for all directives of a build."""
    return read_chapters()


def figures(chapter):
    """The number of interactive figures stored in a chapter."""
    outputs = [output for cell in chapter.notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    return sum(FIGURE in "".join(output.get("data", {}).get("text/html", "")) for output in outputs)


def counts(chapters):
    """(number, what it counts, page that lists them) for the row under the title."""
    exercises = sum(len(paths.check_names(chapter)) for chapter in chapters)
    errors = sum(len(notes.corrections(chapter.text, chapter.name)) for chapter in chapters)
    return [(len(chapters), "chapters", "book/reference/learning_paths"),
            (sum(map(figures, chapters)), "interactive figures", "book/reference/how_the_figures_work"),
            (exercises, "exercises that check themselves", "book/reference/learning_paths"),
            (errors, "corrections to lecture notes", "book/reference/corrections")]


def reference_pages(root=ROOT):
    """The pages of the reference that the table of contents names at its first level, with their titles."""
    part = yaml.safe_load((root / "_toc.yml").read_text("utf8"))["parts"][-1]
    for page in (chapter["file"] for chapter in part["chapters"]):
        markdown = root / f"{page}.md"
        text = markdown.read_text("utf8") if markdown.exists() else prose(nbformat.read(root / f"{page}.ipynb", as_version=4))
        yield page, re.search(r"^# (.+)$", text, re.MULTILINE)[1]


def figure_html(name, settings):
    """The HTML of one of the figures of mlcore.widgets; an unknown name or setting is refused with the known ones."""
    from mlcore import widgets

    known = [each for each in widgets.LAZY if each.endswith("Playground")]
    if name not in known:
        raise ValueError(f"there is no playground {name!r}; the playgrounds are {', '.join(known)}.")
    make = getattr(widgets, name)
    accepted = [each for each, p in inspect.signature(make.__init__).parameters.items() if p.kind is not p.VAR_KEYWORD and each != "self"]
    for key in settings:
        if key not in accepted:
            raise ValueError(f"{name} has no setting {key!r}; it has {', '.join(accepted)}.")
    return make(**settings).html()


class Playground(Directive):
    """A figure of mlcore.widgets in a page that is no notebook; the lines below its name are its settings, as TOML."""

    required_arguments = 1
    has_content = True

    def run(self):
        """The figure, or an error of the build that says what was wrong."""
        try:
            html = figure_html(self.arguments[0], tomllib.loads("\n".join(self.content)))
        except ValueError as problem:
            raise self.error(f"playground: {problem}") from None
        return [nodes.raw("", f'<div class="front-figure">{html}</div>', format="html")]


class OfTheBook(SphinxDirective):
    """What is computed from the chapters and written as HTML; a page that is not part of this build gets no link."""

    def linked(self, page, html):
        """HTML as a link to a page, if there is one."""
        if page not in self.env.found_docs:
            return html
        address = os.path.relpath(f"{page}.html", os.path.dirname(self.env.docname) or ".")
        return f'<a href="{address}">{html}</a>'

    def run(self):
        """One raw node."""
        return [nodes.raw("", self.html(), format="html")]


class BookCounts(OfTheBook):
    """The numbers of the book in a row."""

    def html(self):
        """A list of number and name."""
        rows = [f"<li>{self.linked(page, f'<strong>{number}</strong> <span>{what}</span>')}</li>" for number, what, page in counts(book())]
        return f'<ul class="front-counts">{"".join(rows)}</ul>'


class BookParts(OfTheBook):
    """The table of contents as cards: of each part how many chapters, how long, and a link to each; then the reference."""

    def html(self):
        """One card a part."""
        chapters = {chapter.name: chapter for chapter in book()}
        number = {name: i for i, name in enumerate(chapters, 1)}
        cards = []
        for caption, names in paths.parts(ROOT):
            part, minutes = names[0].partition("/")[0], sum(chapters[name].minutes for name in names)
            links = {name: self.linked(f"book/{name}", escape(chapters[name].title)) for name in names}
            items = "".join(f'<li value="{number[name]}">{html}</li>' for name, html in links.items())
            size = f"{len(names)} chapter{'s' if len(names) > 1 else ''}, {paths.duration(minutes)}"
            cards.append(f'<section class="front-card part-{part}"><h3>{escape(caption)}</h3><p>{size}</p><ol>{items}</ol></section>')
        items = "".join(f"<li>{self.linked(page, escape(title))}</li>" for page, title in reference_pages())
        cards.append(f'<section class="front-card part-reference"><h3>Reference</h3><p>To look things up</p><ul>{items}</ul></section>')
        return f'<div class="front-parts">{"".join(cards)}</div>'


def pages(root, chapters):
    """The front page is a file of its own, index.md; nothing is written for it."""
    return {}


def setup(app):
    """The directives of index.md."""
    app.add_directive("playground", Playground)
    app.add_directive("book-counts", BookCounts)
    app.add_directive("book-parts", BookParts)
