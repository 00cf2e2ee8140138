"""References that lead out of a chapter become links to the book's pages; those within stay as they are."""

import json
import zlib

import pytest

from mlcore.live.references import read_inventory, resolve, split_target

LABELS = {"ridge": ("Ridge regression", "book/s/ridge.html#ridge"), "eq-far": ("(6.2)", "book/s/ridge.html#equation-eq-far"),
          "book/s/ridge": ("Ridge regression", "book/s/ridge.html"), "book/f/math": ("The mathematics of the book", "book/f/math.html")}


def resolved(prose, labels=LABELS):
    text = json.dumps({"cells": [{"cell_type": "markdown", "source": [prose]}, {"cell_type": "code", "source": ["{ref}`ridge`"]}]})
    cells = json.loads(resolve("s/linear", text, labels, "/book/"))["cells"]
    assert cells[1]["source"] == ["{ref}`ridge`"], "code is left alone"
    return "".join(cells[0]["source"])


@pytest.mark.parametrize(("prose", "wanted"), [
    ("see {ref}`ridge`.", "see [Ridge regression](/book/book/s/ridge.html#ridge)."),
    ("see {ref}`the penalty <ridge>`", "see [the penalty](/book/book/s/ridge.html#ridge)"),
    ("{doc}`ridge`", "[Ridge regression](/book/book/s/ridge.html)"),
    ("{doc}`../f/math`", "[The mathematics of the book](/book/book/f/math.html)"),
    ("{doc}`words </book/f/math>`", "[words](/book/book/f/math.html)"),
    ("[words](#ridge)", "[words](/book/book/s/ridge.html#ridge)"),
    ("{eq}`eq-far`", "[(6.2)](/book/book/s/ridge.html#equation-eq-far)"),
    ("{cite}`hastie2009elements`", "[hastie2009elements](/book/book/reference/bibliography.html)"),
    ("{ref}`nowhere <lost>`", "nowhere"),
    ("[site](https://example.org)", "[site](https://example.org)"),
])
def test_what_leads_out_becomes_a_link(prose, wanted):
    assert resolved(prose) == wanted


@pytest.mark.parametrize("prose", [
    "(here)=\n# Title\n{ref}`here` and [there](#here)",
    "$$x$$ (eq-own)\nby {eq}`eq-own`",
    "```{prf:theorem}\n:label: thm-own\n```\n{prf:ref}`thm-own`",
])
def test_references_within_the_chapter_stay(prose):
    assert resolved(prose) == prose


def test_without_an_inventory_the_words_remain():
    assert resolved("{ref}`the penalty <ridge>`", {}) == "the penalty"


def test_titles_with_angle_brackets():
    assert split_target("a < b <label>") == ("a < b", "label") and split_target("label") == (None, "label")


def test_inventory_of_sphinx():
    head = b"# Sphinx inventory version 2\n# Project: x\n# Version: \n# The remainder of this file is compressed using zlib.\n"
    lines = [b"ridge std:label -1 book/s/ridge.html#$ Ridge regression", b"book/s/ridge std:doc -1 book/s/ridge.html -",
             b"f py:function 1 api.html#$ -", b""]
    labels = read_inventory(head + zlib.compress(b"\n".join(lines)))
    assert labels == {"ridge": ("Ridge regression", "book/s/ridge.html#ridge"), "book/s/ridge": ("book/s/ridge", "book/s/ridge.html")}
    with pytest.raises(ValueError, match="not a Sphinx inventory"):
        read_inventory(b"<html>")
