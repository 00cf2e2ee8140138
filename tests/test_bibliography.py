"""The list of works: each can be found, each is cited, and each citation has its work."""

import collections
import html
import re
import urllib.parse

import pytest
from pybtex.database import parse_file, parse_string
from support import BOOK, ROOT, SITE

from tools import reference
from tools.reference import bibliography
from tools.reference.chapters import toc_files

WORKS = parse_file(str(ROOT / "references.bib")).entries
FOUND_BY = ("doi", "isbn", "issn", "url", "eprint", "publisher", "school")


def citations():
    """Key -> the pages of the book that cite it."""
    found = collections.defaultdict(set)
    generated = {f"reference/{name.removesuffix('.md')}": text for name, text in reference.pages().items()}
    for name in ["../index", *toc_files()]:
        path = BOOK / f"{name}.ipynb"
        text = generated[name] if name in generated else (path if path.exists() else path.with_suffix(".md")).read_text("utf8")
        for keys in re.findall(r"\{cite(?::\w+)?\}`([^`]+)`", text):
            for key in keys.split(","):
                found[key.strip()].add(name)
    return found


def test_every_citation_has_its_work_and_every_work_is_cited():
    cited = citations()
    assert {key: pages for key, pages in cited.items() if key not in WORKS} == {}
    assert set(WORKS) - set(cited) == set()


def test_every_work_can_be_found():
    assert [key for key, work in WORKS.items() if not any(work.fields.get(field) for field in FOUND_BY)] == []
    for key, work in WORKS.items():
        assert work.fields.get("title") and re.fullmatch(r"\d{4}", work.fields.get("year", "")), key
        assert work.persons.get("author") or work.persons.get("editor"), key


def test_a_doi_is_written_plainly_and_belongs_to_one_work():
    dois = {key: work.fields["doi"] for key, work in WORKS.items() if "doi" in work.fields}
    assert [doi for doi in dois.values() if not re.fullmatch(r"10\.\d{4,9}/[^\s{}\\]+[^\s{}\\.,]", doi)] == []
    count = collections.Counter(doi.lower() for doi in dois.values())
    assert [doi for doi, times in count.items() if times > 1] == []


def test_an_arxiv_doi_belongs_to_its_year():
    for key, work in WORKS.items():
        found = re.fullmatch(r"10\.48550/arXiv\.(\d\d)(\d\d)\.\d{4,5}", work.fields.get("doi", ""))
        if found:  # a preprint comes before the printed work, or was put there within the next year
            assert 1 <= int(found[2]) <= 12 and 2000 + int(found[1]) <= int(work.fields["year"]) + 1, key


def isbn_is_valid(text):
    digits = text.replace("-", "")
    if len(digits) == 10:
        return sum((10 - i) * (10 if c == "X" else int(c)) for i, c in enumerate(digits)) % 11 == 0
    return len(digits) == 13 and sum((3 if i % 2 else 1) * int(c) for i, c in enumerate(digits)) % 10 == 0


def test_check_digits_of_isbns():
    assert [key for key, work in WORKS.items() if "isbn" in work.fields and not isbn_is_valid(work.fields["isbn"])] == []


@pytest.mark.site
def test_the_page_links_every_doi(site_folder):
    page = html.unescape(urllib.parse.unquote((SITE / "book/reference/bibliography.html").read_text("utf8")))
    dois = [work.fields["doi"] for work in WORKS.values() if "doi" in work.fields]
    assert [doi for doi in dois if f'href="https://doi.org/{doi}"' not in page] == []


def test_works_are_listed_by_their_authors():
    works = [parse_string(f"@book{{k{i}, author={{{name}}}, title={{T}}, publisher={{P}}, year={{2000}}}}", "bibtex").entries[f"k{i}"]
             for i, name in enumerate(("Zoe Adams", "Ann Young", "Bo Lee"))]
    shown = [entry.text.render_as("text") for entry in bibliography.ByAuthor().format_entries(works)]
    assert [text.split(".")[0] for text in shown] == ["Adams, Zoe", "Lee, Bo", "Young, Ann"]


def test_citing_chapters_come_in_the_order_of_the_book():
    class Target:
        key = "a"

    class Reference:
        targets = [Target, Target]

        def __init__(self, docname):
            self.docname = docname

    pages = ["book/unsupervised/k_means", "book/supervised/perceptron", "book/foundations/mathematics", "book/supervised/perceptron"]
    assert bibliography.citing_pages(map(Reference, pages)) == {"a": [pages[2], pages[1], pages[0]]}


@pytest.mark.browser
def test_the_works_can_be_searched(browser, site_address):
    """By name without accents, by year, by the chapter that cites them; a citation leads to its work also past the box."""
    page = browser.new_context().new_page()
    page.goto(f"{site_address}book/reference/bibliography.html")
    box, shown = page.get_by_label("Show only the works with these words"), page.locator(".citation:visible")
    assert shown.count() == len(WORKS)
    box.fill("scholkopf")
    assert 0 < shown.count() < 10 and all("Schölkopf" in text for text in shown.all_inner_texts())
    box.fill("1958 perceptron")
    assert 0 < shown.count() < 10 and f"{shown.count()} of {len(WORKS)} works" in page.locator(".table-filter").inner_text()
    page.context.close()


@pytest.mark.site
def test_every_work_names_the_chapters_that_cite_it(site_folder):
    page = (SITE / "book/reference/bibliography.html").read_text("utf8")
    works = re.findall(r'<div class="citation".*?</div>', page, re.DOTALL)
    named = [set(re.findall(r'href="\.\./([a-z_]+/[a-z_]+)\.html"', work.split('class="cited-in"')[-1])) for work in works]
    cited = collections.Counter(name for pages in citations().values() for name in pages if not name.startswith("reference/"))
    assert len(works) == len(WORKS) and all(named)
    assert collections.Counter(name for names in named for name in names) == cited
