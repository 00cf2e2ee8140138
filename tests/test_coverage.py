"""Every section of the lecture notes is mapped to a chapter, and in a chapter that exists to an anchor that exists."""

import collections
import re

import pytest
from support import anchors, read
from support import notes_map as rows

from tools import notebook, reference
from tools.reference.notes import GENERATED

COLUMNS = ["note", "section", "title_zh", "title_en", "chapter", "anchor"]


def test_the_map_is_whole():
    table = rows()
    assert list(table[0]) == COLUMNS
    count = collections.Counter(row["note"] for row in table)
    assert count == {"cs229": 92, "wei": 137, "kivy": 15, "tan": 218, "mlf": 27}
    keys = [(row["note"], row["section"]) for row in table]
    assert len(set(keys)) == len(keys)
    assert all(re.fullmatch(r"[a-z]+/[a-z_]+", row["chapter"]) and row["title_en"] and row["title_zh"] for row in table)


@pytest.mark.parametrize("name", [n for n in notebook.chapters() if not n.startswith("reference/")])
def test_sections_of_existing_chapters_have_anchors(name):
    known = set(anchors(read(name)))
    mapped = [row for row in rows() if row["chapter"] == name]
    assert mapped, f"no section of the notes is mapped to {name}"
    lost = [f"{r['note']} {r['section']} -> {r['anchor'] or '(none)'}" for r in mapped if r["anchor"] not in known]
    assert not lost, f"sections whose anchor is not in book/{name}.ipynb: {lost}"


def test_chapters_to_come_have_no_anchors_yet():
    written = set(notebook.chapters()) | set(GENERATED)
    assert not [row for row in rows() if row["chapter"] not in written and row["anchor"]]


@pytest.mark.parametrize("page", GENERATED)
def test_sections_covered_by_a_generated_page_have_its_anchor(page):
    text = reference.pages()[page.removeprefix("reference/") + ".md"]
    mapped = [row for row in rows() if row["chapter"] == page]
    assert mapped and all(f"({row['anchor']})=" in text for row in mapped)
