"""The front page: its figure works there, its numbers are those of the book, its cards lead to every chapter."""

import json
import re

import pytest
from support import BOOK, ROOT, SITE

from mlcore import exercises
from tools import reference
from tools.reference import front, paths
from tools.reference.chapters import read_chapters, toc_files

CHAPTERS = read_chapters()


def test_the_numbers_are_counted_another_way():
    """From the files' text instead of the parsed notebooks."""
    texts = {chapter.name: (BOOK / f"{chapter.name}.ipynb").read_text("utf8") for chapter in CHAPTERS}
    own = {name.partition("/")[2] for name in texts}
    corrections = 0
    for text in texts.values():
        prose = "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown")
        section = prose.split("## Corrections to the notes")[1].split("\n## ")[0]
        corrections += len(re.findall(r"^\| `", section, re.MULTILINE))
    assert [number for number, _, _ in front.counts(CHAPTERS)] == [
        len([name for name in toc_files() if not name.startswith("reference/")]),
        sum(len(re.findall(r'<div class=\\"mlcore-', text)) for text in texts.values()),
        len([name for name in exercises.names() if name.partition(".")[0] in own]),
        corrections,
    ]


def test_nothing_is_typed_that_is_counted():
    """index.md holds no number of chapters, figures, exercises or corrections, not even as a word."""
    text = (ROOT / "index.md").read_text("utf8")
    things = "chapters|figures|interactive figures|exercises|corrections|errors|hours|parts"
    assert not re.search(rf"\b(\d+|[a-z]+teen|twenty|thirty|forty|hundred|dozen)s? (?:of )?({things})\b", text, re.IGNORECASE)
    assert all(f"```{{{directive}}}" in text for directive in ("book-counts", "book-parts")) and "{playground}" in text


def test_a_playground_is_made_from_its_settings():
    html = front.figure_html("KMeansPlayground", {"data": "rings", "k": 3})
    assert html.startswith('<div class="mlcore-playground" data-kind="k_means">')
    state = json.loads(re.search(r'<script type="application/json">(.*?)</script>', html)[1])
    assert state["data"] == "rings" and len(state["centers"]) == state["k"] == 3


def test_a_wrong_playground_is_named():
    with pytest.raises(ValueError, match="there is no playground 'Explorer'; the playgrounds are SoftMarginPlayground"):
        front.figure_html("Explorer", {})
    with pytest.raises(ValueError, match="KMeansPlayground has no setting 'clusters'; it has data, points, k, start"):
        front.figure_html("KMeansPlayground", {"clusters": 3})


def test_reference_pages_have_titles():
    reference.write()                                    # in a fresh copy of the book the generated pages are not there yet
    titles = dict(front.reference_pages())
    assert titles["book/reference/corrections"] == "Corrections to the notes"
    assert titles["book/reference/how_the_figures_work"] and "book/reference/notes_tan" not in titles


@pytest.mark.site
def test_every_part_is_a_card_with_its_chapters(site_folder):
    text = (site_folder / "index.html").read_text("utf8")
    cards = re.findall(r'<section class="front-card part-(\w+)"><h3>(.*?)</h3><p>(.*?)</p>(.*?)</section>', text, re.DOTALL)
    assert [card[1] for card in cards] == [*(caption for caption, _ in paths.parts()), "Reference"]
    shown = [href for card in cards[:-1] for href in re.findall(r'href="([^"]+)"', card[3])]
    assert shown == [f"book/{chapter.name}.html" for chapter in CHAPTERS]
    minutes = {chapter.name: chapter.minutes for chapter in CHAPTERS}
    for (_, _, size, _), (_, names) in zip(cards, paths.parts()):
        assert size.startswith(f"{len(names)} chapter") and size.endswith(paths.duration(sum(minutes[name] for name in names)))
    sidebar = re.findall(r'<li class="toctree-l1[^"]*"><a class="reference internal" href="book/[^"]+">(.*?)</a>', text)
    titles = [re.sub(r"^\d+\. ", "", title) for title in sidebar]
    linked = [title for card in cards for title in re.findall(r"<a [^>]*>(.*?)</a>", card[3])]
    assert linked == titles, "the cards are the table of contents of the sidebar"


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 375])
def test_the_playground_works_on_the_front_page(browser, site_folder, width):
    """From the disk, without any server: move, assign, and the distortion falls."""
    page = browser.new_context(viewport={"width": width, "height": 900}).new_page()
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.goto((SITE / "index.html").as_uri())
    box = page.locator(".front-figure .mlc-box")
    readout = box.locator(".mlc-readout").first

    def distortion():
        return float(re.search(r"J = ([\d.]+)", readout.inner_text())[1])

    values = [distortion()]
    for name in ("Move", "Assign", "Move"):
        box.get_by_role("button", name=name, exact=True).click()
        values.append(distortion())
    assert values[0] > values[1] > values[-1], values
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    cards = page.locator(".front-card").evaluate_all(
        "all => all.map(c => [c.scrollWidth <= c.clientWidth + 1, parseFloat(getComputedStyle(c).paddingLeft) > 8])")
    assert len(cards) >= 8 and all(all(card) for card in cards), "nothing sticks out of a card, nothing touches its edge"
    assert page.locator(".bd-article h1").count() == 1 and not problems
    page.context.close()
