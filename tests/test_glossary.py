"""The glossary and the notation: what they claim is in the chapters, and the links from the chapters to the glossary."""

import collections
import re

import pytest
from docutils import frontend, nodes
from docutils.utils import new_document
from support import ROOT

from tools import reference
from tools.reference import glossary, notation
from tools.reference.chapters import read_chapters, toc_files


@pytest.fixture(scope="module")
def chapters():
    return read_chapters()


@pytest.fixture(scope="module")
def sections(chapters):
    """Anchor -> Markdown of the section, for all chapters of the book."""
    return {anchor: text for chapter in chapters for anchor, text in glossary.sections(chapter.text).items()}


@pytest.fixture(scope="module")
def terms():
    return glossary.read_terms()


@pytest.fixture(scope="module")
def symbols():
    return notation.read_symbols(ROOT)


def without_formulas_and_tables(text):
    """The words of a section: no table, formula, code or star of emphasis; a name set upright in a formula counts."""
    text = re.sub(r"(?s:\$\$.*?\$\$)", lambda formula: " ".join(re.findall(r"\\mathrm\{(\w+)\}", formula[0])), text)
    return re.sub(r"(?m:^\|.*$)|(?s:\$\$.*?\$\$)|\$[^$\n]+\$|`[^`\n]*`", " ", text).replace("*", "")


# The data


def test_every_term_is_complete(terms):
    assert len(terms) >= 300
    for row in terms:
        assert list(row)[:-3] == glossary.COLUMNS
        assert set(row["not_in"] + row["only_in"]) <= set(toc_files()), row
        assert row["term"] and row["link"] in ("yes", "term", "no"), row
        assert re.search(r"[\u4e00-\u9fff]", row["zh"]), f"{row['term']} has no Chinese name"
        assert re.fullmatch(r"\S.{15,}[.]", row["definition"]), f"{row['term']}: the definition is no sentence"
        assert row["definition"].count("$") % 2 == 0, row["definition"]


def test_terms_are_sorted_and_no_name_occurs_twice(terms):
    names = [row["term"].lower() for row in terms]
    assert names == sorted(names)
    count = collections.Counter(form.lower() for row in terms for form in row["forms"])
    assert [form for form, times in count.items() if times > 1] == []
    assert len({glossary.target(row["term"]) for row in terms}) == len(terms)


def test_the_section_that_defines_a_term_speaks_of_it(terms, sections):
    wrong = [f"{row['term']}: no anchor {row['anchor']}" for row in terms if row["anchor"] not in sections]
    for row in terms:
        if row["anchor"] in sections and not any(glossary.Matcher([row]).find(without_formulas_and_tables(sections[row["anchor"]]))):
            wrong.append(f"{row['term']}: not in the prose of {row['anchor']}")
    assert not wrong, "\n".join(wrong)


def test_every_chapter_defines_terms(terms, chapters):
    count = collections.Counter()
    for chapter in chapters:
        anchors = glossary.sections(chapter.text)
        count[chapter.name] = sum(row["anchor"] in anchors for row in terms)
    assert min(count.values()) >= 6, count


def test_definitions_have_a_plain_form_for_tooltips(terms):
    for row in terms:
        assert not re.search(r"[\\${}]", glossary.tooltip(row)), f"{row['term']}: {glossary.tooltip(row)}"
    assert glossary.plain_math(r"a $\frac12 \lVert x \rVert^2$, $\Sigma^{-1}$ and $\sum_{i \le d} \binom{n}{i}$") == (
        "a 1/2 ‖ x ‖^2, Σ^(-1) and Σ_(i ≤ d) C(n, i)")


# Finding terms


def row(term, also="", link="yes"):
    forms = [term, *filter(None, also.split(";"))]
    return {"term": term, "also": also, "zh": "词", "definition": "Some $x$.", "link": link, "anchor": "a", "forms": forms}


@pytest.mark.parametrize(("form", "text"), [
    ("eigenvalue", "Eigenvalues"), ("hypothesis", "hypotheses"), ("design matrix", "design\nmatrices"), ("policy", "policies"),
    ("pass", "passes"), ("Newton's method", "Newton’s method"), ("Davies-Bouldin index", "Davies–Bouldin index"), ("basis", "bases"),
    ("EM", "EM"), ("PCA", "PCAs"), ("support vector machine", "Support vector machine")])
def test_a_form_is_found_in_its_variants(form, text):
    assert [(start, end) for start, end, *_ in glossary.Matcher([row(form)]).find(f"({text}, of course)")] == [(1, 1 + len(text))]


@pytest.mark.parametrize(("form", "text"), [
    ("entropy", "cross-entropy"), ("margin", "margins-based"), ("EM", "em"), ("odds", "oddsmaker"), ("ridge", "bridge"),
    ("lasso", "lassoed"), ("policy", "policymaker"), ("ICA", "ica")])
def test_a_part_of_another_word_is_no_use(form, text):
    assert list(glossary.Matcher([row(form)]).find(f"the {text} here")) == []


def test_a_chapter_that_uses_a_word_in_another_sense_gets_no_link():
    made = [document(nodes.paragraph("", "Some optimism.")) for _ in range(2)]
    rows = [{**row("optimism"), "not_in": ["control/one"]}]
    assert [glossary.link_terms(one, glossary.Matcher(rows), "glossary.html", name) for one, name in
            zip(made, ("control/one", "control/two"), strict=True)] == [[], ["optimism"]]


def test_a_word_is_linked_only_where_it_has_the_sense_of_the_term():
    made = [document(nodes.paragraph("", "It vanishes.")) for _ in range(2)]
    rows = [{**row("vanishing gradient", "vanishes"), "only_in": ["deep/one"]}]
    assert [glossary.link_terms(one, glossary.Matcher(rows), "glossary.html", name) for one, name in
            zip(made, ("deep/two", "deep/one"), strict=True)] == [[], ["vanishing gradient"]]


def test_the_longest_term_wins():
    matcher = glossary.Matcher([row("regression"), row("ridge regression"), row("kernel ridge regression")])
    assert [row["term"] for *_, row in matcher.find("kernel ridge regression, ridge regressions, regression")] == [
        "kernel ridge regression", "ridge regression", "regression"]


# Linking them


def document(*children):
    made = new_document("test", frontend.get_default_settings())
    made.extend(children)
    return made


def links(made):
    return [(node.astext(), node["refuri"]) for node in made.findall(nodes.reference) if "glossary-term" in node["classes"]]


def link(made, *rows):
    return glossary.link_terms(made, glossary.Matcher(rows), "glossary.html")


def test_only_the_first_use_is_linked_and_the_text_stays():
    made = document(nodes.paragraph("", "Of losses: the Hinge loss, the hinge loss."), nodes.paragraph("", "The hinge loss."))
    text = made.astext()
    assert link(made, row("hinge loss")) == ["hinge loss"]
    assert links(made) == [("Hinge loss", "glossary.html#term-hinge-loss")] and made.astext() == text
    only = next(made.findall(nodes.reference))
    assert only["reftitle"] == "词: Some x." and only["internal"]


def test_two_terms_in_one_text_keep_their_order():
    made = document(nodes.paragraph("", "A margin and slack."))
    link(made, row("slack"), row("margin"))
    assert [text for text, _ in links(made)] == ["margin", "slack"] and made.astext() == "A margin and slack."


def test_emphasis_is_prose():
    made = document(nodes.paragraph("", "", nodes.Text("A "), nodes.strong("", "margin"), nodes.Text(".")))
    link(made, row("margin"))
    assert links(made) and isinstance(next(made.findall(nodes.reference)).parent, nodes.strong)


def test_a_term_that_goes_on_in_the_next_line_is_found():
    """The parser of Markdown ends a text at each line."""
    lines = [nodes.Text("is total"), nodes.Text("\n"), nodes.Text("least squares")]
    made = document(nodes.paragraph("", "", *[line.copy() for line in lines], nodes.emphasis("", "", *lines)))
    text = made.astext()
    assert link(made, row("total least squares"), row("least squares")) == ["total least squares"]
    assert [words for words, _ in links(made)] == ["total\nleast squares"] and made.astext() == text


def test_a_term_may_be_longer_than_its_emphasis():
    made = document(nodes.paragraph("", "", nodes.Text("A "), nodes.strong("", "filter"), nodes.Text(" method and "),
                                    nodes.emphasis("", "filter"), nodes.Text("s.")))
    text = made.astext()
    assert link(made, row("filter method"), row("method")) == ["filter method", "method"] and made.astext() == text
    assert [words for words, _ in links(made)] == ["filter", "method"]


def theorem(title, kind="proof"):
    return nodes.admonition("", nodes.title("", title), nodes.paragraph("", "It holds."), classes=[kind])


def test_a_term_that_only_a_theorem_names_is_linked_there():
    made = document(theorem("Descent lemma"), theorem("Sauer"), nodes.paragraph("", "By Sauer."))
    assert link(made, row("descent lemma"), row("Sauer")) == ["Sauer", "descent lemma"], "prose comes first"
    assert [type(node.parent).__name__ for node in made.findall(nodes.reference)] == ["title", "paragraph"]
    made = document(theorem("Descent lemma", kind="exercise"), nodes.section("", nodes.title("", "Descent lemma")))
    assert link(made, row("descent lemma")) == []


def table(text):
    entry = nodes.entry("", nodes.paragraph("", text))
    return nodes.table("", nodes.tgroup("", nodes.tbody("", nodes.row("", entry)), cols=1))


@pytest.mark.parametrize("block", [
    nodes.section("", nodes.title("", "margin")),
    nodes.paragraph("", "", nodes.math("", "margin")),
    nodes.math_block("", "margin"),
    nodes.paragraph("", "", nodes.literal("", "margin")),
    nodes.literal_block("", "margin"),
    nodes.paragraph("", "", nodes.reference("", "margin", refuri="elsewhere.html")),
    nodes.paragraph("", "", nodes.raw("", "margin", format="html")),
    nodes.admonition("", nodes.title("", "margin")),
    nodes.figure("", nodes.image(uri="a.png"), nodes.caption("", "margin")),
    table("margin"),
    nodes.container("", nodes.paragraph("", "margin"), classes=["cell_output"]),
], ids=["heading", "math", "display", "code", "block", "link", "html", "box title", "caption", "table", "output"])
def test_what_is_no_prose_is_left_alone(block):
    made = document(block.deepcopy(), nodes.paragraph("", "Then the margin."))
    before = made.children[0].pformat()
    link(made, row("margin"))
    assert made.children[0].pformat() == before and links(made) == [("margin", "glossary.html#term-margin")]


def test_common_words_are_not_linked():
    made = document(nodes.paragraph("", "The model has a link, and a link function."))
    assert link(made, row("model", link="no"), row("link function", "link", link="term")) == ["link function"]
    assert [text for text, _ in links(made)] == ["link function"]


# The pages


@pytest.mark.site
def test_every_term_is_linked_in_the_chapter_that_defines_it(terms, chapters, site_folder):
    home = {anchor: chapter.name for chapter in chapters for anchor in glossary.sections(chapter.text)}
    linked = {chapter.name: re.findall(r'<a class="[^"]*glossary-term[^"]*" href="[^"#]*#(term-[a-z0-9-]+)"',
                                       (site_folder / f"book/{chapter.name}.html").read_text("utf8")) for chapter in chapters}
    assert [name for name, found in linked.items() if len(found) != len(set(found))] == [], "each once"
    assert [row["term"] for row in terms if row["link"] != "no" and glossary.target(row["term"]) not in linked[home[row["anchor"]]]] == []


def test_every_term_is_on_the_page(terms, sections, chapters):
    page = glossary.pages(ROOT, chapters)["glossary.md"]
    assert f"**{len(terms)} terms**" in page and 'class="table-filter"' in page
    assert re.findall(r"\{#(term-[a-z0-9-]+)\}", page) == [glossary.target(row["term"]) for row in terms]
    assert page.count("{ref}`") == sum(row["anchor"] in sections for row in terms) == len(terms) - page.count("| not yet |")


def test_the_pages_are_part_of_the_book():
    assert {glossary, notation} <= set(reference.MODULES) and {"reference/glossary", "reference/notation"} <= set(toc_files())


def test_symbols_stand_where_they_are_introduced(symbols, sections):
    assert len(symbols) >= 70
    wrong = []
    for entry in symbols:
        assert list(entry) == notation.COLUMNS and entry["meaning"] and entry["shape"], entry
        assert re.fullmatch(r"\$[^$]+\$", entry["symbol"]), entry
        if entry["anchor"] not in sections:
            wrong.append(entry["anchor"])
        elif not notation.occurs(entry["symbol"], sections[entry["anchor"]]):
            wrong.append(f"{entry['symbol']} is not in a formula of {entry['anchor']}")
    assert not wrong, "\n".join(wrong)


def test_every_chapter_introduces_symbols_and_no_section_of_exercises_does(symbols, chapters):
    for chapter in chapters:
        mine = [entry["anchor"] for entry in symbols if entry["anchor"] in glossary.sections(chapter.text)]
        assert mine, f"notation.csv has no symbol of {chapter.name}"
        assert not [anchor for anchor in mine if re.search("-(corrections|exercises|summary|reading)$", anchor)]


def test_a_letter_with_several_meanings_is_one_that_the_table_or_the_notes_use_twice(symbols):
    """Each of these rows gives a list of meanings here or in the notes, and the letters of the book that clash are all there."""
    several = {entry["symbol"]: entry for entry in symbols if entry["topic"] == "Letters with several meanings"}
    for entry in several.values():
        assert re.search("[,;]| or | and ", entry["meaning"]), entry["symbol"]
        assert sum(bool(entry[key]) for key in notation.NOTES) >= 1, f"{entry['symbol']}: what do the notes mean?"
    used = collections.defaultdict(set)
    for entry in symbols:
        if entry["symbol"] not in several and re.fullmatch(r"\$(?:[A-Za-z]|\\[A-Za-z]+)\$", entry["symbol"]):
            used[entry["symbol"]].add(entry["topic"])
    assert [symbol for symbol, topics in used.items() if len(topics) > 1] == [], "a letter in two topics has a row that tells them apart"


def test_symbols_are_grouped_and_unique_within_a_topic(symbols):
    topics = [entry["topic"] for entry in symbols]
    assert topics == sorted(topics, key=topics.index) and len(set(topics)) >= 8
    assert len({(entry["topic"], entry["symbol"]) for entry in symbols}) == len(symbols)
    for key in notation.NOTES:
        assert sum(bool(entry[key]) and entry[key] != entry["symbol"] for entry in symbols) >= 10, f"{key} never differs"


@pytest.mark.parametrize(("symbol", "text", "found"), [
    ("$n$", r"the $n$ samples", True), ("$n$", r"$\frac1n$", True), ("$n$", r"$\nabla f$, $\text{in}$ and n", False),
    (r"$\lambda$", "$$\n\\lambda_1\n$$", True), (r"$x^{(i)}$", r"$x ^ { (i) }$", True), (r"$x^{(i)}$", r"$x^{(j)}$", False)])
def test_a_symbol_is_looked_for_in_formulas(symbol, text, found):
    assert notation.occurs(symbol, text) is found


def test_every_symbol_is_on_the_page(symbols, chapters):
    page = notation.pages(ROOT, chapters)["notation.md"]
    assert sum(line.startswith("| $") for line in page.splitlines()) == len(symbols)
    assert page.count("\n## ") == len({entry["topic"] for entry in symbols})


@pytest.mark.browser
def test_the_glossary_can_be_searched_in_both_languages_and_a_chapter_leads_to_it(browser, site_address):
    page = browser.new_context().new_page()
    page.goto(f"{site_address}book/reference/glossary.html")
    box, shown = page.get_by_label("Show only the rows with these words"), page.locator("table tbody tr:visible")
    for words, expected in (("ridge regression", "岭回归"), ("岭回归", "ridge regression")):
        box.fill(words)
        assert 0 < shown.count() < 20 and expected in " ".join(shown.all_inner_texts())
    page.goto(f"{site_address}book/supervised/linear_regression.html")
    first = page.locator("a.glossary-term", has_text=re.compile("^normal equations$"))
    assert first.count() == 1 and first.get_attribute("title").startswith("正规方程（法方程）: ")
    first.click()
    assert page.url.endswith("book/reference/glossary.html#term-normal-equations")
    page.locator("#term-normal-equations").wait_for(state="visible", timeout=20_000)
    page.context.close()
