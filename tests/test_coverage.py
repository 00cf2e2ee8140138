"""Every section of the lecture notes is mapped to a chapter, and in a chapter that exists to an anchor that exists."""

import collections
import csv
import re

import pytest
from support import ROOT, anchors, read

from tools import notebook

MAP = ROOT / "book" / "reference" / "notes_map.csv"
COLUMNS = ["note", "section", "title_zh", "title_en", "chapter", "anchor"]


def rows():
    with MAP.open(encoding="utf8", newline="") as file:
        reader = csv.DictReader(file)
        assert reader.fieldnames == COLUMNS
        return list(reader)


def test_the_map_is_whole():
    table = rows()
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


def test_report_what_is_still_to_come(capsys):
    table, written = rows(), set(notebook.chapters())
    done = [r for r in table if r["chapter"] in written]
    open_chapters = sorted({r["chapter"] for r in table} - written)
    assert all(not r["anchor"] for r in table if r["chapter"] in open_chapters)
    with capsys.disabled():
        print(f"\n[coverage] {len(done)} of {len(table)} sections of the notes are covered by {len(written)} pages; "
              f"{len(open_chapters)} chapters to come")
