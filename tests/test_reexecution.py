"""Executing a chapter again and normalizing it changes no byte."""

import base64
import io

import nbformat
import numpy as np
import pytest

from tools import notebook


def pixels(png):
    from matplotlib import image

    return image.imread(io.BytesIO(base64.b64decode(png)), format="png")


def same_picture(a, b):
    """Equal bytes; or, where another processor rounded a coordinate differently, nearly equal pixels."""
    if a == b:
        return True
    first, second = pixels(a), pixels(b)
    return first.shape == second.shape and float(np.mean(np.abs(first - second) > 0.02)) < 0.002


@pytest.mark.parametrize("name", notebook.chapters())
def test_reexecution_changes_nothing(name):
    path = notebook.BOOK / f"{name}.ipynb"
    stored, fresh = nbformat.read(path, as_version=4), notebook.execute(path)
    for number, (old, new) in enumerate(zip(stored.cells, fresh.cells), 1):
        for a, b in zip(old.get("outputs", []), new.get("outputs", [])):
            if "image/png" in a.get("data", {}) and "image/png" in b.get("data", {}):
                assert same_picture(a.data["image/png"], b.data["image/png"]), f"{name}, cell {number}: the figure changed"
                b.data["image/png"] = a.data["image/png"]
        assert old == new, f"{name}, cell {number} changed:\n{new.source[:300]}\n{new.get('outputs')}"[:2000]
    assert notebook.to_text(fresh) == path.read_text("utf8")
