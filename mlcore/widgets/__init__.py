"""Interactive figures that work the same in a live kernel and on a static page; see "How the figures work" in the book.

Explorer and the playgrounds are imported on first use, so that the site's build can read the scripts without anywidget.
"""
import importlib

from mlcore.widgets.controls import Menu, Play, Slider, Toggle
from mlcore.widgets.frames import ragged
from mlcore.widgets.marks import Area, Bars, Contour, Dots, Heatmap, Line, Panel, RefLine, Segments, Text

LAZY = {"Explorer": "explorer", "SoftMarginPlayground": "soft_margin", "Figure": "figure",
        "BiasVariancePlayground": "bias_variance", "GridWorldPlayground": "grid_world",
        "KernelBandwidthPlayground": "kernel_bandwidth", "KMeansPlayground": "k_means",
        "ShatteringPlayground": "shattering"}

__all__ = ["Area", "Bars", "Contour", "Dots", "Heatmap", "Line", "Menu", "Panel", "Play", "RefLine", "Segments", "Slider",
           "Text", "Toggle", "ragged", *LAZY]


def __getattr__(name):
    if name in LAZY:
        return getattr(importlib.import_module(f"mlcore.widgets.{LAZY[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
