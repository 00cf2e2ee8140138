"""The figure style: one palette shared with the widgets, readable sizes."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from support import ROOT

from mlcore import plotting as plots

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def luminance(color):
    rgb = np.array(matplotlib.colors.to_rgb(color))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def test_roles_stand_out_from_white():
    for role in ("data", "truth", "estimate", "neutral"):
        assert 1.05 / (luminance(plots.ROLES[role]) + 0.05) >= 3, f"{role} has too little contrast for a graphical object"


def test_palette_is_the_one_of_the_widgets():
    style = "".join(p.read_text("utf8") for p in (ROOT / "mlcore" / "widgets" / "static").iterdir()).lower()
    assert all(color.lower() in style for color in plots.ROLES.values())


def test_figure_fits_the_column_and_is_labelled():
    fig, (left, right) = plots.figure(ncols=2)
    assert fig.get_size_inches()[0] <= 10
    plots.label(left, "Finding", "x (m)", "y (s)")
    assert (left.get_title(), left.get_xlabel(), left.get_ylabel()) == ("Finding", "x (m)", "y (s)")


def test_classes_differ_in_marker_and_color():
    _, ax = plots.figure()
    plots.scatter_classes(ax, np.zeros((4, 2)), ["a", "b", "c", "a"])
    paths = [c.get_paths()[0].vertices.shape for c in ax.collections]
    assert len(ax.collections) == 3 and len({tuple(c.get_facecolor()[0]) for c in ax.collections}) == 3 and len(paths) == 3


def test_regions_shade_the_predicted_class():
    _, ax = plots.figure()
    plots.regions(ax, lambda P: (P[:, 0] > 0).astype(int), (-1, 1), (-1, 1), 2, resolution=10)
    z = ax.collections[0].get_array().reshape(10, 10)
    assert (z[:, :5] == 0).all() and (z[:, 5:] == 1).all()
