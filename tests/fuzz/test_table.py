"""The table of what was tried is that of this code, and its page shows it."""

import types

import pytest

from fuzz import table
from tools.reference import trust
from tools.reference.chapters import ROOT


def test_the_table_is_that_of_this_code():
    written = {(row["package"], row["kind"]): tuple(int(row[name]) for name in ("objects", *table.GROUPS)) for row in table.read()}
    planned = {key: tuple(row[name] for name in ("objects", *table.GROUPS)) for key, row in table.planned().items()}
    assert written == planned, "the table of bad input is old; run .venv/bin/python tests/fuzz/table.py"


def test_every_call_ended_well():
    for row in table.read():
        assert sum(int(row[name]) for name in table.GROUPS) == sum(int(row[name]) for name in table.ENDINGS), row


def test_the_page_shows_the_sums(tmp_path):
    folder = tmp_path / "book/reference"
    folder.mkdir(parents=True)
    (folder / "bad_input.csv").write_text(",".join(table.COLUMNS) + "\na.b,functions and classes,2,10,4,6,8,2,1,1,1,2,5\n"
                                          "a.b,estimators,1,5,4,6,4,0,4,0,0,1,6\n", "utf8")
    chapters = [types.SimpleNamespace(name=name) for name in ("a/b", "a/c")]
    page = trust.pages(tmp_path, chapters)["bad_input.md"]
    assert "of 1 packages" in page and "Not among them yet: `mlcore.a.c`." in page
    assert "**35 calls**" in page and "**3 public objects**" in page
    assert "| `mlcore.a.b` | functions and classes | 2 | 20 | 12 | 5 | 3 |" in page and "| all | | 3 | 35 | 20 | 11 | 4 |" in page


def test_the_page_of_this_book():
    text = trust.pages(ROOT, [])["bad_input.md"]
    assert text.startswith("(bad-input)=\n# ") and text.count("\n| `mlcore.") == len(table.read())
    with pytest.raises(ValueError, match="bad_input.csv"):
        trust.pages(ROOT / "tests", [])
