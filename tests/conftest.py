"""Shared fixtures: the notebooks, the built site behind a local server, one Chromium per worker."""

import functools
import http.server
import threading

import pytest
from support import SITE


class _QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture(scope="session")
def site_folder():
    """Folder of the built site."""
    if not (SITE / "index.html").exists():
        pytest.fail("the site is not built; run `make site` first (make test does).")
    return SITE


@pytest.fixture(scope="session")
def site_address(site_folder):
    """Address of a local server for the built site."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_QuietHandler, directory=str(site_folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium; the tests that ask for it carry the mark ``browser``."""
    from playwright.sync_api import sync_playwright

    from tools.browser import FLAGS, find

    path = find()
    if path is None:
        pytest.fail("no Chromium or Chrome found; run `make test`, which looks for one, or set CHROMIUM.")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield chromium
        chromium.close()
