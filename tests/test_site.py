"""The built pages as files: self-contained, numbered, linked, light."""

import re
from html.parser import HTMLParser

import pytest
from support import SITE

from tools import notebook

pytestmark = pytest.mark.site
LOADS = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src", "audio": "src", "video": "src"}
CHAPTER_LIMIT = 1_500_000  # bytes of a chapter page with its figures, scripts and styles, MathJax apart


class Resources(HTMLParser):
    """What a page loads, what it links to, and its ids."""

    def __init__(self, text):
        super().__init__()
        self.loads, self.links, self.ids = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if attributes.get("id"):
            self.ids.add(attributes["id"])
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        loaded = attributes.get(LOADS.get(tag, ""))
        if loaded and not (tag == "link" and attributes.get("rel") in ("index", "search", "next", "prev", "canonical")):
            self.loads.append(loaded)


def pages():
    return sorted(p for p in SITE.rglob("*.html") if "_static" not in p.parts)


@pytest.fixture(scope="module")
def parsed(site_folder):
    return {page: Resources(page.read_text("utf8")) for page in pages()}


def test_nothing_is_loaded_from_another_host(parsed):
    outside = [(p.name, url) for p, r in parsed.items() for url in r.loads if re.match(r"(https?:)?//", url)]
    assert not outside
    for sheet in SITE.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(https?:)?//", sheet.read_text("utf8", errors="replace")), sheet.name


def test_every_local_file_and_anchor_exists(parsed):
    broken = []
    for page, resources in parsed.items():
        for url in resources.loads + resources.links:
            if re.match(r"[a-z]+:|//", url):
                continue
            path, _, fragment = url.partition("#")
            path = path.partition("?")[0]
            target = (page.parent / path).resolve() if path else page
            if target.is_dir():
                target = target / "index.html"
            if not target.exists() or (fragment and target in parsed and fragment not in parsed[target].ids):
                broken.append((page.name, url))
    assert not broken


def test_every_notebook_has_a_page_that_offers_itself_for_download(parsed):
    for name in notebook.chapters():
        page = SITE / "book" / f"{name}.html"
        assert page in parsed, f"book/{name}.ipynb is not in _toc.yml"
        assert any(link.endswith(".ipynb") for link in parsed[page].links), f"{name}: no download of the notebook"


@pytest.mark.parametrize("name", [n for n in notebook.chapters() if not n.startswith("reference/")])
def test_chapter_is_numbered_and_cited(site_folder, name):
    text = (site_folder / "book" / f"{name}.html").read_text("utf8")
    assert re.search(r'<h1><span class="section-number">\d+\. ', text)
    assert re.search(r'<span class="eqno">\(\d+\.\d+\)', text) and 'class="exercise' in text.replace('admonition', '')
    assert re.search(r"Exercise \d+\.\d+|Exercise \d+", text)
    assert "bibliography.html#id" in text or "bibliography.html#" in text, "the chapter cites what it recommends"
    assert not re.search(r"\[\?\]|\?\?", re.sub(r"<script.*?</script>|<pre.*?</pre>", "", text, flags=re.S))


def weight(page, resources):
    """Bytes a reader's browser fetches for a page, MathJax and the search index apart."""
    files = {(page.parent / url.partition("?")[0]).resolve() for url in resources.loads if not re.match(r"[a-z]+:|//", url)}
    fonts = list((SITE / "_static").rglob("fa-solid-900.woff"))[:1]
    return page.stat().st_size + sum(f.stat().st_size for f in files if "mathjax" not in str(f)) + sum(f.stat().st_size for f in fonts)


def test_page_weight(parsed):
    for name in notebook.chapters():
        page = SITE / "book" / f"{name}.html"
        size = weight(page, parsed[page])
        assert size < CHAPTER_LIMIT, f"{name} weighs {size / 1e6:.2f} MB, over {CHAPTER_LIMIT / 1e6} MB"


def test_mathjax_is_local_and_small(site_folder):
    folder = site_folder / "_static" / "mathjax"
    assert (folder / "tex-chtml.js").exists()
    assert sum(f.stat().st_size for f in folder.rglob("*") if f.is_file()) < 3_000_000
