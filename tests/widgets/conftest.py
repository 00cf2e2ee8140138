"""Fixtures for the tests of the figures."""

import pytest

from mlcore.widgets.assets import standalone


@pytest.fixture
def show(browser, tmp_path):
    """Open figures (or parts of HTML, or a whole page) from a file; script errors, console messages, requests to elsewhere fail the test.

    With `clock=True` the page's time stands still: `page.clock.run_for(milliseconds)` lets it pass, as fast as the machine can.
    """
    contexts, trouble = [], []

    def show(*parts, width=900, theme="light", text=None, clock=False, **options):
        context = browser.new_context(viewport={"width": width, "height": 1000}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda e: trouble.append(str(e)))
        page.on("console", lambda m: trouble.append(m.text))
        page.on("request", lambda r: None if r.url.startswith(("file:", "blob:", "data:")) else trouble.append(r.url))
        path = tmp_path / f"page{len(contexts)}.html"
        path.write_text(text or standalone(*[p if isinstance(p, str) else p.html() for p in parts], theme=theme), "utf8")
        if clock:
            page.clock.install(time=0)
        page.goto(path.as_uri())
        if any(not isinstance(p, str) for p in parts):
            page.wait_for_selector(".mlc-readout")
        if clock:
            page.clock.pause_at(3600_000)
        return page

    yield show
    for context in contexts:
        context.close()
    assert trouble == []
