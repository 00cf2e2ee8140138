"""Every figure stored in the book can be decoded and drawn; and the check itself can fail."""

import copy
import json

import numpy as np
import pytest

from mlcore.widgets import Explorer, Line, Panel, Slider
from mlcore.widgets.checking import faults, notebook_figures
from tools import notebook

LIMIT_KB = 400


@pytest.mark.parametrize("name", notebook.chapters())
def test_stored_figures_are_whole(name):
    nb = json.loads((notebook.BOOK / f"{name}.ipynb").read_text("utf8"))
    for cell, kind, state, size in notebook_figures(nb):
        assert faults(kind, state) == [], f"{name}, cell {cell}"
        assert size <= LIMIT_KB * 1024, f"{name}, cell {cell}: {size / 1024:.0f} KB"


def example():
    x = np.linspace(0, 1, 5)
    figure = Explorer([Slider("a", [1, 2, 3])], lambda a: {"x": x, "y": a * x}, Panel([Line("x", "y")], title="{a}"), alt="lines")
    return json.loads(json.dumps(figure.state()))


DAMAGE = {
    "version": lambda s: s["spec"].update(v=2),
    "alternative": lambda s: s["spec"].update(alt=" "),
    "index": lambda s: s.update(index=[3]),
    "short array": lambda s: s["spec"]["arrays"]["y"].update(data=s["spec"]["arrays"]["y"]["data"][:8]),
    "not base64": lambda s: s["spec"]["arrays"]["y"].update(data="%%%%"),
    "shape": lambda s: s["spec"]["arrays"]["x"].update(shape=[6]),
    "scale": lambda s: s["spec"]["arrays"]["x"].update(scale=0),
    "limits": lambda s: s["spec"]["panels"][0].update(xlim=[1, 1]),
    "mark": lambda s: s["spec"]["panels"][0]["marks"][0].update(kind="pie"),
    "array name": lambda s: s["spec"]["panels"][0]["marks"][0]["arrays"].update(x="nothing"),
    "texts": lambda s: s["spec"]["panels"][0]["title"]["items"].pop(),
    "controls": lambda s: s["spec"]["controls"][0]["values"].pop(),
}


def test_a_good_figure_has_no_faults():
    assert faults("explorer", example()) == []


@pytest.mark.parametrize("part", DAMAGE)
def test_damage_is_found(part):
    state = copy.deepcopy(example())
    DAMAGE[part](state)
    assert faults("explorer", state)


def test_figures_are_found_in_notebook_outputs():
    x = np.linspace(0, 1, 5)
    html = Explorer([Slider("a", [1, 2])], lambda a: {"x": x}, Panel([Line("x", "x")]), alt="lines").html()
    nb = {"cells": [{"source": ""}, {"outputs": [{"data": {"text/html": ["<p>", html, "</p>"]}}]}]}
    assert [(cell, kind) for cell, kind, _, _ in notebook_figures(nb)] == [(2, "explorer")]
