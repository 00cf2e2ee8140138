"""Shared fixtures: the notebooks, the built site behind a local server, one Chromium per worker."""

import functools
import http.server
import threading

import pytest
from support import BOOK, SITE, notes_map

PATIENCE = 120_000      # milliseconds for what must come: a busy machine is slow, not wrong


class _QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


def pytest_terminal_summary(terminalreporter):
    """Say how much of the lecture notes the chapters cover, and how many chapters are still to come."""
    table = notes_map()
    written = {row["chapter"] for row in table if (BOOK / f"{row['chapter']}.ipynb").exists()}
    covered = sum(bool(row["anchor"]) for row in table)
    to_come = {row["chapter"] for row in table if not row["anchor"]} - written
    terminalreporter.write_line(f"coverage of the notes: {covered} of {len(table)} sections in {len(written)} chapters; "
                                f"{len(to_come)} chapters to come")


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
        new_context = chromium.new_context

        def patient(**options):
            context = new_context(**options)
            context.set_default_timeout(PATIENCE)
            return context

        chromium.new_context = patient
        yield chromium
        chromium.close()
