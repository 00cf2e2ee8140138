"""The extension itself: which folders, which addresses."""
import pathlib

from jupyter_server.extension.application import ExtensionApp
from traitlets import Unicode

from mlcore.live.copies import WorkingCopies
from mlcore.live.pages import BookPages, ChapterCopy, LiveScript, OpenCopy, ToBook
from mlcore.live.references import read_inventory, resolve


def page_of(site, chapter):
    """The built page of a chapter."""
    return pathlib.Path(site) / "book" / f"{chapter}.html"


def stale_chapters(originals, site):
    """Chapters whose notebook is newer than their page (pages that were never built are not in the book)."""
    found = []
    for notebook in sorted(pathlib.Path(originals).glob("*/*.ipynb")):
        chapter = notebook.relative_to(originals).with_suffix("").as_posix()
        page = page_of(site, chapter)
        if page.is_file() and notebook.stat().st_mtime > page.stat().st_mtime:
            found.append(chapter)
    return found


class BookApp(ExtensionApp):
    """Serves the book at ``/book/`` of a Jupyter server; the server's own folder holds the working copies."""

    name = "mlcore_book"
    default_url = Unicode("/book/").tag(config=True)
    load_other_extensions = True
    site = Unicode("_build/html", help="folder of the built site").tag(config=True)
    originals = Unicode("book", help="folder of the chapters").tag(config=True)

    def initialize_handlers(self):
        """Connect the addresses with the folders."""
        site = pathlib.Path(self.site).resolve()
        originals = pathlib.Path(self.originals).resolve()
        if not (site / "index.html").is_file():
            self.log.error("There is no built book in %s: run `make site`, or set BookApp.site.", site)
        book = f"{self.serverapp.base_url}book/"

        def prepare(name, text):
            inventory = site / "objects.inv"
            labels = read_inventory(inventory.read_bytes()) if inventory.is_file() else {}
            return resolve(name, text, labels, book)

        copies = WorkingCopies(originals, self.serverapp.root_dir, prepare)
        copies.make_folders()
        self.handlers += [
            (r"/book", ToBook),
            (r"/book/_static/live-server\.js", LiveScript, {"stale": lambda: stale_chapters(originals, site)}),
            (r"/book/api/chapters/(.+)", ChapterCopy, {"copies": copies}),
            (r"/book/open/(.+)", OpenCopy, {"copies": copies}),
            (r"/book/(.*)", BookPages, {"path": str(site)}),
        ]
