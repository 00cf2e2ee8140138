"""Panels and the marks drawn in them.

Every positional field of a mark (x, y, z, ...) is either the name of an entry that `frame` returns, or the numbers
themselves. Options (color, width, label, ...) are fixed for the figure.
"""
import re
from dataclasses import KW_ONLY, dataclass, fields
from typing import ClassVar

ROLES = ("data", "truth", "estimate", "error", "accent", "neutral", "text", *(f"class{i}" for i in range(8)))
DASHES = ("solid", "dash", "dot", "dashdot")
MARKERS = ("circle", "square", "triangle", "diamond", "down", "plus", "cross", "star")
CMAPS = ("sequential", "diverging", "gray")


def check_choice(owner, option, value, allowed, extra=""):
    """`value` is one of `allowed`, or the message says what is."""
    if value not in allowed:
        raise ValueError(f"{owner}: {option} must be one of {', '.join(allowed)}{extra}; got {value!r}")


@dataclass
class Mark:
    """Common checks; X and Y name the fields measured along each axis, OTHER the remaining array fields."""

    X: ClassVar = ()
    Y: ClassVar = ()
    OTHER: ClassVar = ()
    KIND: ClassVar = ""
    POSITIVE: ClassVar = ("width", "size", "opacity")

    def __post_init__(self):
        name = type(self).__name__
        color = getattr(self, "color", None)
        if isinstance(color, str) and not re.fullmatch(r"#[0-9a-fA-F]{6}", color):
            check_choice(name, "color", color, (*ROLES, *self.extra_colors()), " or #rrggbb")
        for option, allowed in (("dash", DASHES), ("marker", MARKERS), ("cmap", CMAPS)):
            if getattr(self, option, None) is not None:
                check_choice(name, option, getattr(self, option), allowed)
        for option in self.POSITIVE:
            value = getattr(self, option, None)
            if value is not None and not isinstance(value, str) and not value > 0:
                raise ValueError(f"{name}: {option} must be positive, got {value!r}")

    def extra_colors(self):
        """Names that `color` may hold besides the roles."""
        return ()

    def array_fields(self):
        """The fields that hold numbers."""
        return self.X + self.Y + self.OTHER

    def options(self):
        """What is not an array and differs from the default."""
        out = {"kind": self.KIND}
        for f in fields(self):
            value = getattr(self, f.name)
            if f.name not in self.array_fields() and value is not None and value is not False:
                out[f.name] = list(value) if isinstance(value, tuple) else value
        return out


@dataclass
class Dots(Mark):
    """Points. `c` holds class numbers 0, 1, ... (color and marker by class) or `value` numbers on the color scale."""

    X, Y, OTHER, KIND = ("x",), ("y",), ("c", "value", "size"), "dots"
    x: object
    y: object
    _: KW_ONLY
    c: object = None
    value: object = None
    size: object = 4          # radius in pixels, or the name of an array of radii
    color: str = "data"
    marker: str = "circle"
    hollow: bool = False
    opacity: float = 0.85
    label: str = None
    class_labels: tuple = None


@dataclass
class Line(Mark):
    """A line through the points; NaN makes a gap; a 2-D y (or x) draws one line per row; color="classes" colors the rows."""

    X, Y, KIND = ("x",), ("y",), "line"
    x: object
    y: object
    _: KW_ONLY
    color: str = "estimate"
    width: float = 2
    dash: str = "solid"
    opacity: float = 1
    step: bool = False
    label: str = None
    class_labels: tuple = None

    def extra_colors(self):
        """Rows in class colors."""
        return ("classes",)


@dataclass
class Area(Mark):
    """The band between `low` and `high`."""

    X, Y, KIND = ("x",), ("low", "high"), "area"
    x: object
    low: object
    high: object
    _: KW_ONLY
    color: str = "estimate"
    opacity: float = 0.2
    label: str = None


@dataclass
class Bars(Mark):
    """Bars at x from `base` to y; `width` in units of x (default: 0.8 of the smallest spacing); `c` colors by class."""

    X, Y, OTHER, KIND = ("x",), ("y", "base"), ("c",), "bars"
    x: object
    y: object
    _: KW_ONLY
    base: object = 0
    c: object = None
    width: float = None
    color: str = "data"
    opacity: float = 0.85
    label: str = None
    class_labels: tuple = None


@dataclass
class Segments(Mark):
    """Straight segments from (x1, y1) to (x2, y2), with an arrow head if arrow=True."""

    X, Y, KIND = ("x1", "x2"), ("y1", "y2"), "segments"
    x1: object
    y1: object
    x2: object
    y2: object
    _: KW_ONLY
    arrow: bool = False
    color: str = "neutral"
    width: float = 1.5
    dash: str = "solid"
    opacity: float = 1
    label: str = None


@dataclass
class Heatmap(Mark):
    """z[i, j] as the color of the cell centered at (x[j], y[i]), x and y evenly spaced.

    classes=True paints z = 0, 1, ... in the class colors (decision regions); otherwise the color scale runs from
    vmin to vmax (default: the range over all settings). smooth=True blends neighboring cells.
    """

    X, Y, OTHER, KIND = ("x",), ("y",), ("z",), "heatmap"
    x: object
    y: object
    z: object
    _: KW_ONLY
    classes: bool = False
    cmap: str = "sequential"
    vmin: float = None
    vmax: float = None
    smooth: bool = False
    opacity: float = None
    label: str = None
    class_labels: tuple = None


@dataclass
class Contour(Mark):
    """Level curves of z[i, j] at (x[j], y[i]); `levels` is their number or the levels; color="scale" colors by level."""

    X, Y, OTHER, KIND = ("x",), ("y",), ("z",), "contour"
    x: object
    y: object
    z: object
    _: KW_ONLY
    levels: object = 8
    color: str = "neutral"
    width: float = 1.2
    dash: str = "solid"
    opacity: float = 1
    label: str = None

    def extra_colors(self):
        """Curves by level."""
        return ("scale",)


@dataclass
class Text(Mark):
    """Words at (x, y): `text` is an entry of the frame (one string or one per point) or a template like "k = {k}"."""

    X, Y, KIND = ("x",), ("y",), "text"
    x: object
    y: object
    text: str
    _: KW_ONLY
    color: str = "text"
    size: float = 12
    anchor: str = "middle"    # start, middle or end
    dy: float = 0             # pixels downwards

    def __post_init__(self):
        super().__post_init__()
        check_choice("Text", "anchor", self.anchor, ("start", "middle", "end"))


@dataclass
class RefLine(Mark):
    """A line across the panel: vertical at x, horizontal at y, or y = slope * x + intercept."""

    X, Y, OTHER, KIND = ("x",), ("y",), ("slope", "intercept"), "refline"
    _: KW_ONLY
    x: object = None
    y: object = None
    slope: object = None
    intercept: object = None
    color: str = "neutral"
    width: float = 1.5
    dash: str = "dash"
    opacity: float = 1
    label: str = None

    def __post_init__(self):
        super().__post_init__()
        if (self.x is not None) + (self.y is not None) + (self.slope is not None) != 1:
            raise ValueError("RefLine needs exactly one of x, y and slope (with intercept)")
        if self.slope is not None and self.intercept is None:
            self.intercept = 0


class Panel:
    """One pair of axes with its marks.

    Parameters
    ----------
    marks : list of marks, drawn in this order
    title, alt : text, or templates like "error {mse:.2f}"; alt is what a screen reader says (default: the title)
    xlabel, ylabel : axis labels (Unicode)
    xlim, ylim : pairs (default: fitted to all settings, so that the axes stand still)
    xscale, yscale : "linear" or "log"
    xticks, yticks : positions, or a dict from position to text
    aspect : "equal" for the same scale on both axes
    height : of the drawing in pixels (default: by width)
    """

    def __init__(self, marks, *, title="", xlabel="", ylabel="", xlim=None, ylim=None, xscale="linear", yscale="linear",
                 xticks=None, yticks=None, aspect=None, height=None, alt=""):
        self.marks = list(marks)
        if not self.marks or not all(isinstance(m, Mark) for m in self.marks):
            raise TypeError("Panel needs a list of marks (Dots, Line, Area, Bars, Segments, Heatmap, Contour, Text, RefLine)")
        for axis, scale, lim in (("x", xscale, xlim), ("y", yscale, ylim)):
            check_choice("Panel", f"{axis}scale", scale, ("linear", "log"))
            if lim is not None and not (len(lim) == 2 and lim[0] < lim[1] and (scale == "linear" or lim[0] > 0)):
                raise ValueError(f"Panel: {axis}lim must be (low, high) with low < high"
                                 f"{' and low > 0 on a log axis' if scale == 'log' else ''}, got {lim!r}")
        if aspect not in (None, "equal"):
            raise ValueError(f'Panel: aspect must be "equal" or None, got {aspect!r}')
        if aspect and "log" in (xscale, yscale):
            raise ValueError("Panel: aspect=\"equal\" needs two linear axes")
        if height is not None and not 80 <= height <= 800:
            raise ValueError(f"Panel: height must be 80 to 800 pixels, got {height!r}")
        self.title, self.xlabel, self.ylabel, self.alt = title, xlabel, ylabel, alt
        self.lim, self.scale = {"x": xlim, "y": ylim}, {"x": xscale, "y": yscale}
        self.ticks = {"x": xticks, "y": yticks}
        self.aspect, self.height = aspect, height
