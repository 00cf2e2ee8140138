"""Working copies: the original is never touched, nothing of the student's is lost, a newer original is only offered."""

import json
import os

import pytest

from mlcore.live import copies as module
from mlcore.live.copies import NoSuchChapter, WorkingCopies, write_whole


@pytest.fixture
def copies(tmp_path):
    (tmp_path / "book" / "part").mkdir(parents=True)
    (tmp_path / "book" / "part" / "one.ipynb").write_text('{"cells": [1]}')
    (tmp_path / "secret.ipynb").write_text("{}")
    return WorkingCopies(tmp_path / "book", tmp_path / "work")


def test_opening_makes_a_copy_once(copies):
    assert not copies.state("part/one")["exists"]
    assert copies.open("part/one") == {"chapter": "part/one", "file": "part/one.ipynb", "exists": True, "edited": False, "newer": False}
    copies.copy("part/one").write_text("mine")
    assert copies.open("part/one")["edited"]
    assert copies.copy("part/one").read_text() == "mine"
    assert copies.original("part/one").read_text() == '{"cells": [1]}'


def test_reset_restores_the_original_and_keeps_what_the_student_had(copies):
    copies.open("part/one")
    assert copies.reset("part/one")["kept"] is None, "an untouched copy needs no second one"
    for n in (1, 2):
        copies.copy("part/one").write_text(f"mine {n}")
        state = copies.reset("part/one")
        assert state["kept"] == f"part/one.old-{n}.ipynb" and not state["edited"]
    assert [(copies.work / f"part/one.old-{n}.ipynb").read_text() for n in (1, 2)] == ["mine 1", "mine 2"]
    assert copies.copy("part/one").read_text() == '{"cells": [1]}'


def test_a_newer_original_is_offered_and_not_forced(copies):
    copies.open("part/one")
    copies.original("part/one").write_text('{"cells": [2]}')
    assert copies.state("part/one")["newer"] and copies.open("part/one")["newer"]
    assert copies.copy("part/one").read_text() == '{"cells": [1]}'
    copies.reset("part/one")
    assert copies.copy("part/one").read_text() == '{"cells": [2]}' and not copies.state("part/one")["newer"]


@pytest.mark.parametrize("name", ["part/two", "../secret", "part/../../secret", "/etc/passwd", "part/one.ipynb", "part", "", "part/one\n",
                                  "Part/One"])
def test_only_chapters_of_the_book_have_copies(copies, name):
    for action in (copies.open, copies.reset, copies.state):
        with pytest.raises(NoSuchChapter, match="the book has no chapter"):
            action(name)
    assert not copies.work.exists()


@pytest.mark.parametrize("damage", ["", "{", "[]", "null"])
def test_a_damaged_memory_never_costs_a_copy(copies, damage):
    copies.open("part/one")
    copies.copy("part/one").write_text("mine")
    (copies.work / module.MEMORY).write_text(damage)
    assert copies.state("part/one")["edited"]
    assert (copies.work / copies.reset("part/one")["kept"]).read_text() == "mine"


def test_a_full_disk_leaves_the_old_copy(copies, monkeypatch):
    copies.open("part/one")
    copies.copy("part/one").write_text("mine")

    def full(*args):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(module.pathlib.Path, "write_text", full)
        with pytest.raises(OSError, match="No space left"):
            copies.reset("part/one")
    survivors = [p.read_text() for p in copies.work.rglob("*.ipynb")]
    assert "mine" in survivors


def test_a_file_is_replaced_as_a_whole(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_whole(path, "old")
    monkeypatch.setattr(os, "replace", lambda *a: (_ for _ in ()).throw(OSError("gone")))
    with pytest.raises(OSError, match="gone"):
        write_whole(path, "new")
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["file"]


def test_the_memory_is_readable_json(copies):
    copies.open("part/one")
    assert set(json.loads((copies.work / module.MEMORY).read_text())["part/one"]) == {"original", "copy"}
