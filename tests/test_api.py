"""The reference of mlcore: every public object is there, docstrings become clean text, chapters and objects link to each other."""

import importlib
import inspect
import re

import docutils.core
import pytest
from docutils import frontend, nodes
from docutils.utils import new_document
from support import ROOT, SITE, anchors, read

from tools.reference import api, links
from tools.reference.chapters import read_chapters

CHAPTERS = read_chapters()
PAGES = api.pages(ROOT, CHAPTERS)
PACKAGES = api.packages(CHAPTERS)


def test_every_public_object_has_one_entry():
    for package in PACKAGES:
        page = PAGES[f"{api.page_name(package)}.md"]
        entries = re.findall(r"^\.\. (?:autoclass|autofunction):: (\S+)$", page, re.MULTILINE)
        entries += [f"{package}.{name}" for name in re.findall(r"^\.\. py:data:: (\w+)$", page, re.MULTILINE)]
        assert sorted(entries) == sorted(f"{package}.{name}" for name in api.public_names(importlib.import_module(package)))
        assert f"{{doc}}`{package} <{api.page_name(package)}>`" in PAGES["api.md"]


def test_all_objects_stand_in_one_table_with_their_purpose():
    table = PAGES["api.md"].split("## All objects")[1]
    rows = re.findall(r"^\| \{py:obj\}`\w+ <([\w.]+)>` \| (.+) \| .+ \|$", table, re.MULTILINE)
    names = [name.rpartition(".")[2] for name, _ in rows]
    assert names == sorted(names, key=lambda name: (name.lower(), name))
    assert {name for name, _ in rows} == {f"{package}.{name}" for package in PACKAGES
                                          for name in api.public_names(importlib.import_module(package))}
    assert [name for name, words in rows if len(words) < 4 or re.search(r"(?<![\\`])\|", words)] == []
    assert 'class="table-filter"' in table


def test_a_summary_is_the_first_paragraph_as_markdown():
    def example():
        """Share |x| of ``a_b`` and
        :class:`C` (eq-km-assign).

        More.
        """

    assert api.summary(example) == r"Share \|x\| of `a_b` and `C` {eq}`eq-km-assign`."
    assert api.summary(3) == "The value `3`."


def test_every_object_of_a_chapter_says_where_it_is_explained():
    known = {chapter.name: set(anchors(read(chapter.name))) for chapter in CHAPTERS}
    everywhere = set().union(*known.values())
    for package, chapter in PACKAGES.items():
        if chapter is None:
            continue
        page = PAGES[f"{api.page_name(package)}.md"]
        assert page.count("   Explained in :doc:") == len(api.public_names(importlib.import_module(package)))
        assert set(re.findall(r"(?<!prf):ref:`([^`]+)`", page)) <= everywhere
        assert set(re.findall(r"</book/([a-z_/]+)>", page)) <= set(known)


def test_a_docstring_leads_to_the_section_of_its_equation():
    page = PAGES["api_unsupervised_k_means.md"]
    assert re.search(r"k_means\.memberships\n\n   Explained in .*: :ref:`k-means-fuzzy`\.", page)
    assert api.label_places(CHAPTERS)["eq-km-assign"] == ("unsupervised/k_means", "k-means-lloyd")


def test_labels_in_docstrings_exist():
    places = api.label_places(CHAPTERS)
    for package in PACKAGES:
        module = importlib.import_module(package)
        cited = {name: api.labels_of(getattr(module, name)) for name in api.public_names(module)}
        assert {name: labels for name, labels in cited.items() if not set(labels) <= set(places)} == {}


def test_plain_text_is_escaped_and_literals_are_not():
    assert api.as_rst(["|x - mu_|^2 * y_i and ``a*b_``"]) == [r"\|x - mu\_\|^2 \* y_i and ``a*b_``"]
    assert api.as_rst([r"exp(-|u|) \ x"]) == [r"exp(-\|u\|) \\ x"]


def test_labels_become_links():
    assert api.as_rst(["Nearest center, eq-km-assign."]) == ["Nearest center, :eq:`eq-km-assign`."]
    assert api.as_rst(["Two (eq-sv-gap, eq-sv-second)."]) == ["Two :eq:`eq-sv-gap`, :eq:`eq-sv-second`."]
    assert api.as_rst(["Bound (thm-pc-online)."]) == ["Bound :prf:ref:`thm-pc-online`."]


def test_examples_get_their_heading_and_fields_their_lines():
    lines = ["Sum.", "", "Parameters", "----------", "x : (n,) left;  y : (n,) right", "", ">>> 1 + 1", "2"]
    assert api.as_rst(lines) == ["Sum.", "", "Parameters", "----------", "x : (n,) left", "y : (n,) right", "", "", "Examples", "--------",
                                 ">>> 1 + 1", "2"]
    loose = ["Run.", "", "w : weights;  b : offset", "    of the plane", "Stops early."]
    assert api.as_rst(loose) == ["Run.", "", "", "- **w**: weights", "- **b**: offset", "  of the plane", "", "Stops early."]


NAMES = {"mlcore.a.x": {"KMeans", "assign"}, "mlcore.a.y": {"assign", "log", "only_here"}}


@pytest.mark.parametrize(("text", "own", "imported", "want"), [
    ("KMeans", "mlcore.a.x", (), "mlcore.a.x.KMeans"),
    ("KMeans(n_clusters=3)", "mlcore.b", (), "mlcore.a.x.KMeans"),
    ("KMeans.fit", "mlcore.b", (), "mlcore.a.x.KMeans.fit"),
    ("assign", "mlcore.a.x", (), "mlcore.a.x.assign"),
    ("assign", "mlcore.b", (), None),
    ("assign", "mlcore.b", ("mlcore.a.y.assign",), "mlcore.a.y.assign"),
    ("log", "mlcore.b", (), None),
    ("log", "mlcore.b", ("mlcore.a.y.log",), "mlcore.a.y.log"),
    ("only_here", "mlcore.b", (), "mlcore.a.y.only_here"),
    ("mlcore.a.y.log", "mlcore.b", (), "mlcore.a.y.log"),
    ("mlcore.a.y.exp", "mlcore.b", (), None),
    ("sklearn.cluster.KMeans", "mlcore.a.x", (), None),
    ("k = 3", "mlcore.a.x", (), None),
])
def test_a_literal_is_resolved(text, own, imported, want):
    assert links.resolve(text, own, NAMES, imported) == want


def test_what_the_cells_import():
    cell = "from mlcore.a.x import KMeans, assign\nfrom mlcore.b import (\n    c as d,\n    e,\n)\n"
    document = nodes.Element("", nodes.literal_block(cell, cell))
    assert {"mlcore.a.x.KMeans", "mlcore.a.x.assign", "mlcore.b.e"} <= links.imports(document)


def test_headings_links_and_other_libraries_are_left_alone():
    text = "Title ``KMeans``\n================\n\nSee ``KMeans`` and `a link with code <http://x>`_; scikit-learn's ``KMeans``.\n"
    found = list(docutils.core.publish_doctree(text, settings_overrides={"doctitle_xform": False}).findall(nodes.literal))
    assert [links.enclosed(node) for node in found] == [True, False, False]
    assert [links.foreign(node) for node in found[1:]] == [False, True]
    reference = nodes.reference("", "", nodes.literal("", "KMeans"))
    assert links.enclosed(reference[0])


@pytest.mark.site
def test_k_means_links_to_its_class_and_back(site_folder):
    chapter = (SITE / "book/unsupervised/k_means.html").read_text("utf8")
    page = (SITE / "book/reference/api_unsupervised_k_means.html").read_text("utf8")
    assert re.search(r'href="\.\./reference/api_unsupervised_k_means\.html#mlcore\.unsupervised\.k_means\.KMeans"[^>]*><code', chapter)
    entry = page[page.index('id="mlcore.unsupervised.k_means.KMeans"'):]
    assert 'href="../../_modules/mlcore/unsupervised/k_means/iteration.html#KMeans"' in entry[:6000]
    assert re.search(r'Explained in <a [^>]*href="\.\./unsupervised/k_means\.html"', entry)
    assert re.search(r'href="\.\./unsupervised/k_means\.html#equation-eq-km-assign"', page)


@pytest.mark.site
def test_every_object_has_an_anchor_and_every_routine_its_source(site_folder):
    for package in PACKAGES:
        page, module = (SITE / f"book/reference/{api.page_name(package)}.html").read_text("utf8"), importlib.import_module(package)
        for name in api.public_names(module):
            assert f'id="{package}.{name}"' in page
        values = [getattr(module, name) for name in api.public_names(module)]
        routines = [value for value in values if inspect.isclass(value) or inspect.isfunction(value)]
        assert page.count('<span class="viewcode-link">') >= len(routines)
        assert "problematic" not in page and "system-message" not in page


def test_the_nodes_of_a_page_belong_to_it():
    settings = frontend.get_default_settings()
    page, other = new_document("page", settings), new_document("other", settings)
    page += nodes.paragraph("", "", nodes.Text("words"))
    page[0][0].document = other                          # and with it everything that its settings hold
    api.adopt_nodes(None, page)
    assert all(node.document is page for node in page.findall())
