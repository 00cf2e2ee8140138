"""The figure style of the book: one size, one palette, one color per role.

matplotlib is imported on use, so that importing mlcore stays instant.
"""

import numpy as np

# Okabe and Ito's colors, which readers with any color vision tell apart; mlcore/widgets uses the same ones.
DATA, TRUTH, ESTIMATE, ERROR, ACCENT, NEUTRAL = "#0072B2", "#009E73", "#D55E00", "#CC79A7", "#E69F00", "#666666"
ROLES = {"data": DATA, "truth": TRUTH, "estimate": ESTIMATE, "error": ERROR, "accent": ACCENT, "neutral": NEUTRAL}
CLASS_COLORS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442"]
CLASS_MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*"]
DASHES = ["-", "--", "-.", ":"]

STYLE = {
    "figure.figsize": (6.4, 3.6), "figure.dpi": 110, "savefig.dpi": 110, "figure.constrained_layout.use": True,
    "font.size": 10, "axes.titlesize": 10.5, "axes.titleweight": "bold", "axes.labelsize": 10, "legend.fontsize": 9,
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.25, "grid.linewidth": 0.6,
    "axes.prop_cycle": None, "lines.linewidth": 1.8, "lines.markersize": 4.5, "legend.frameon": False,
    "image.cmap": "viridis", "figure.facecolor": "white", "axes.facecolor": "white", "savefig.facecolor": "white",
    "svg.hashsalt": "mlcore",
}


def use_book_style():
    """Set matplotlib's defaults to the style of the book; call it once at the top of a notebook."""
    import matplotlib as mpl
    from cycler import cycler

    mpl.rcParams.update({**STYLE, "axes.prop_cycle": cycler(color=CLASS_COLORS[:6])})


def figure(ncols=1, nrows=1, *, height=None, width=None, **kwargs):
    """Return ``fig, ax`` for panels side by side, at most as wide as the text column.

    A single panel is 6.4 inches wide; several share 9.6 inches, so that labels stay readable on a phone.
    """
    import matplotlib.pyplot as plt

    use_book_style()
    width = width or (6.4 if ncols == 1 else 9.6)
    height = height or (3.6 if ncols == 1 else 3.3) * nrows
    return plt.subplots(nrows, ncols, figsize=(width, height), **kwargs)


def label(ax, title=None, x=None, y=None, legend=False):
    """Title (which states the finding), axis labels with units, and a legend, in one call."""
    if title:
        ax.set_title(title)
    if x:
        ax.set_xlabel(x)
    if y:
        ax.set_ylabel(y)
    if legend:
        ax.legend(loc=legend if isinstance(legend, str) else "best")
    return ax


def scatter_classes(ax, X, y, names=None, size=18):
    """Points of each class in its own color and its own marker."""
    X, y = np.asarray(X), np.asarray(y)
    for k, value in enumerate(np.unique(y)):
        rows = y == value
        ax.scatter(X[rows, 0], X[rows, 1], s=size, c=CLASS_COLORS[k % 8], marker=CLASS_MARKERS[k % 8], alpha=0.8,
                   linewidths=0, label=str(value) if names is None else names[k])
    return ax


def regions(ax, predict, xlim, ylim, n_classes, resolution=200):
    """Shade the plane by the class that ``predict`` (an array of points to class indices) gives."""
    from matplotlib.colors import ListedColormap

    gx, gy = np.meshgrid(np.linspace(*xlim, resolution), np.linspace(*ylim, resolution))
    z = np.asarray(predict(np.column_stack([gx.ravel(), gy.ravel()]))).reshape(gx.shape)
    ax.pcolormesh(gx, gy, z, cmap=ListedColormap(CLASS_COLORS[:n_classes]), alpha=0.15, vmin=-0.5,
                  vmax=n_classes - 0.5, shading="nearest", rasterized=True)
    ax.set(xlim=xlim, ylim=ylim)
    return ax
