"""Fixtures for the tests of the figures."""

import pytest

from mlcore.widgets.assets import standalone


@pytest.fixture
def show(browser, tmp_path):
    """Open a figure from a file; any script error, console message or request to elsewhere fails the test."""
    contexts, trouble = [], []

    def show(figure, width=900, theme="light", **options):
        context = browser.new_context(viewport={"width": width, "height": 1000}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda e: trouble.append(str(e)))
        page.on("console", lambda m: trouble.append(m.text))
        page.on("request", lambda r: None if r.url.startswith("file:") else trouble.append(r.url))
        path = tmp_path / f"page{len(contexts)}.html"
        path.write_text(standalone(figure.html(), theme=theme), "utf8")
        page.goto(path.as_uri())
        page.wait_for_selector(".mlc-readout")
        return page

    yield show
    for context in contexts:
        context.close()
    assert trouble == []
