"""The list of works: by author, as the chapters cite them, each with the chapters that cite it."""

from docutils import nodes
from pybtex.plugin import find_plugin, register_plugin
from pybtex.style.formatting.unsrt import Style as Unsorted
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

from tools.reference.chapters import toc_files

DOCUMENT = "book/reference/bibliography"
STYLE = "by-author"


class ByAuthor(Unsorted):
    """Works in the order of their authors, last names first."""

    default_name_style = "lastfirst"
    default_sorting_style = "author_year_title"


def citing_pages(references):
    """Key of a work -> the pages that cite it, once each, in the order of the book."""
    order = {f"book/{name}": i for i, name in enumerate(toc_files())}
    found = {}
    for reference in references:
        for target in reference.targets:
            found.setdefault(target.key, set()).add(reference.docname)
    return {key: sorted(pages, key=lambda page: (order.get(page, -1), page)) for key, pages in found.items()}


class LinkBack(SphinxPostTransform):
    """Add to each work the titles of the chapters that cite it, as links."""

    default_priority = 300          # after sphinxcontrib-bibtex has made the entries
    formats = ("html",)

    def run(self, **kwargs):
        """Only on the page of the bibliography."""
        if self.env.docname != DOCUMENT:
            return
        domain = self.env.get_domain("cite")
        pages, keys = citing_pages(domain.citation_refs), {citation.citation_id: citation.key for citation in domain.citations}
        for work in self.document.findall(nodes.citation):
            key = next((keys[name] for name in work["ids"] if name in keys), None)
            links = [make_refnode(self.app.builder, DOCUMENT, page, "", nodes.Text(self.env.titles[page].astext()))
                     for page in pages.get(key, ())]
            if links:
                line = nodes.inline("", "", nodes.Text(" Cited in "), classes=["cited-in"])
                for i, link in enumerate(links):
                    line += [nodes.Text(", "), link] if i else [link]
                work[-1] += [line, nodes.Text(".")]


def pages(root, chapters):
    """The page is a file of its own, bibliography.md, which asks for the style; nothing is written for it."""
    return {}


def setup(app):
    """The style of the list, and the links back."""
    register_plugin("pybtex.style.formatting", STYLE, ByAuthor)
    # Looked up at every citation, and what is registered is found without a search through the installed packages.
    register_plugin("pybtex.backends", "plaintext", find_plugin("pybtex.backends", "plaintext"), force=True)
    app.add_post_transform(LinkBack)
