"""The pages that are made from the book's own data at every build.

Each module of this package has ``pages(root, chapters)``, which returns file name -> text for book/reference/ (git ignores what is
written there), and may have ``setup(app)`` for what it asks of Sphinx.
"""

from tools.reference import algorithms, api, benchmarks, bibliography, chinese, front, glossary, notation, notes, paths, trust
from tools.reference.chapters import ROOT, read_chapters

MODULES = (notes, paths, front, glossary, notation, algorithms, api, bibliography, benchmarks, trust, chinese)


def pages(root=ROOT):
    """All generated pages: file name -> text."""
    chapters = read_chapters(root)
    return {name: text for module in MODULES for name, text in module.pages(root, chapters).items()}


def write(root=ROOT):
    """Write the pages that changed; one that stayed the same keeps its date."""
    for name, text in pages(root).items():
        path = root / "book/reference" / name
        if not path.exists() or path.read_text("utf8") != text:
            path.write_text(text, "utf8")


def setup(app):
    """Write the pages before Sphinx reads the table of contents that names them; let the modules add to the build."""
    write()
    for module in MODULES:
        if hasattr(module, "setup"):
            module.setup(app)
