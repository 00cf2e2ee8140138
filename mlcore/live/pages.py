"""The handlers behind ``/book/``: the pages, what a page learns of its server, and the working copies."""
import json
import os
import pathlib
import posixpath
from urllib.parse import urlencode

from jupyter_server.auth.decorator import allow_unauthenticated
from jupyter_server.base.handlers import APIHandler, JupyterHandler
from tornado import web

from mlcore.live.copies import NoSuchChapter

STATIC = pathlib.Path(__file__).parent / "static"
SCRIPTS = ("tools", "highlight", "editor", "outputs", "widgets", "kernel", "page")


def live_script():
    """The script of *Run here*, one function of its own."""
    parts = "\n".join((STATIC / f"{name}.js").read_text("utf8") for name in SCRIPTS)
    return f"(() => {{\n\"use strict\";\n{parts}\n}})();\n"


def answered(ask, name):
    """What `ask` says of a chapter; what went wrong becomes an answer of the server with its sentence."""
    try:
        return ask(name)
    except NoSuchChapter as error:
        raise web.HTTPError(404, str(error)) from None
    except OSError as error:
        raise web.HTTPError(507, f"the copy could not be written: {error.strerror or error}") from None


class Door(JupyterHandler):
    """Lets a reader in who is logged in (``?token=...`` in the address sets the cookie), sends others to the login."""

    def entered(self):
        """True if the reader may see the page; otherwise the answer has been given."""
        if self.current_user:
            return True
        login = self.get_login_url()                 # under JupyterHub an address that must stay as it is
        self.redirect(login if "?" in login else f"{login}?{urlencode({'next': self.request.uri})}")
        return False


class LiveScript(Door):
    """``_static/live-server.js``: (nearly) empty in the built site; here it carries the address of the kernels and *Run here*."""

    def initialize(self, stale):
        """`stale()` names the chapters whose pages are out of date."""
        self.stale = stale

    @allow_unauthenticated
    def get(self):
        """The script, for readers who are logged in."""
        if self.entered():
            self.xsrf_token                          # noqa: B018 - sets the cookie that the page's requests must send back
            told = {"base": self.base_url, "root": f"{self.base_url}book/", "stale": self.stale()}
            style = (STATIC / "live.css").read_text("utf8")
            self.set_header("Content-Type", "text/javascript; charset=utf-8")
            self.set_header("Cache-Control", "no-store")
            self.finish(f"window.MLCORE_LIVE = {json.dumps({**told, 'style': style})};\n{live_script()}")


class BookPages(Door, web.StaticFileHandler):
    """The built site. Nothing outside its folder is served, not by ``..`` and not through a link."""

    def initialize(self, path):
        """Serve the folder `path`."""
        web.StaticFileHandler.initialize(self, path, default_filename="index.html")

    @allow_unauthenticated
    async def get(self, path, include_body=True):
        """One file; the theme's own files need no login (JupyterHub takes no cookie for fonts)."""
        if posixpath.normpath(path).startswith("_static/") or self.entered():
            await web.StaticFileHandler.get(self, path, include_body)

    @allow_unauthenticated
    async def head(self, path):
        """As `get`, without the content."""
        await self.get(path, include_body=False)

    def validate_absolute_path(self, root, absolute_path):
        """Refuse what lies, in truth, outside the site."""
        path = super().validate_absolute_path(root, absolute_path)
        if path is not None and not (os.path.realpath(path) + os.sep).startswith(os.path.realpath(root) + os.sep):
            raise web.HTTPError(403, "this file is not part of the book")
        return path

    def set_extra_headers(self, path):
        """A rebuilt page is seen at once."""
        self.set_header("Cache-Control", "no-cache")

    def compute_etag(self):
        """Tornado's, from the file's content."""
        return web.StaticFileHandler.compute_etag(self)


class ToBook(JupyterHandler):
    """``/book`` without its slash."""

    @allow_unauthenticated
    def get(self):
        """Go to the front page."""
        self.redirect(f"{self.base_url}book/")


class OpenCopy(JupyterHandler):
    """``/book/open/<part>/<chapter>``: make the working copy if there is none, and go to it in Jupyter."""

    def initialize(self, copies):
        """Work on `copies`."""
        self.copies = copies

    @web.authenticated
    def get(self, name):
        """Go to the copy."""
        self.redirect(f"{self.base_url}notebooks/{answered(self.copies.open, name)['file']}")


class ChapterCopy(APIHandler):
    """``/book/api/chapters/<part>/<chapter>``: the working copy of a chapter."""

    def initialize(self, copies):
        """Work on `copies`."""
        self.copies = copies

    @web.authenticated
    def get(self, name):
        """Its state."""
        self.finish(json.dumps(answered(self.copies.state, name)))

    @web.authenticated
    def post(self, name):
        """Replace it by the original."""
        body = self.get_json_body()
        if body != {"action": "reset"}:
            raise web.HTTPError(400, "the body must be {\"action\": \"reset\"}")
        self.finish(json.dumps(answered(self.copies.reset, name)))
