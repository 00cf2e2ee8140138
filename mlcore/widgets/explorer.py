"""Explorer: every setting of a few controls computed by Python when the cell runs, drawn by the browser as they move."""
import json
import warnings

import traitlets

from mlcore.widgets.assets import esm
from mlcore.widgets.building import Builder
from mlcore.widgets.controls import Control, Play
from mlcore.widgets.figure import Figure
from mlcore.widgets.frames import Frames
from mlcore.widgets.marks import Panel

MAX_CONTROLS = 3
TARGET_KB, LIMIT_KB = 150, 400


class Explorer(Figure):
    """An interactive figure over a grid of settings.

    Parameters
    ----------
    controls : up to three of Slider, Menu, Toggle; and Play
    frame : function of the controls' names; returns a dict of arrays, numbers and strings
    panels : Panel or list of Panels whose marks name those entries
    alt : text alternative: what the figure shows and what changes
    title : heading;  readout : template shown under the figure, e.g. "error {mse:.3f} with k = {k}"

    `value` is the current setting; it can be read, observed and set:

    >>> from mlcore.widgets import Explorer, Slider, Panel, Line
    >>> figure = Explorer([Slider("a", [1, 2, 3])], lambda a: {"x": [0, 1], "y": [0, a]},
    ...                   Panel([Line("x", "y")]), alt="a line of slope a")
    >>> figure.value
    {'a': 2}
    >>> figure.value = {"a": 3}
    >>> figure.index
    [2]
    """

    kind = "explorer"
    css_class = "mlcore-explorer"
    page_state = ("spec", "index")
    _esm = esm("explorer")
    index = traitlets.List(traitlets.Int()).tag(sync=True)
    value = traitlets.Dict()

    def __init__(self, controls, frame, panels, *, alt, title="", readout="", **kwargs):
        panels = [panels] if isinstance(panels, Panel) else list(panels)
        if not panels or not all(isinstance(p, Panel) for p in panels):
            raise TypeError("panels must be a Panel or a list of Panels")
        if not (isinstance(alt, str) and alt.strip()):
            raise ValueError("alt must describe the figure in words, for readers who cannot see it")
        self._controls = check_controls(controls)
        builder = Builder(Frames(frame, self._controls))
        spec = {"v": 1, "title": title, "alt": alt, "controls": [c.to_spec() for c in controls],
                "readout": builder.frames.template(readout, "readout"),
                "panels": [builder.panel(p, i) for i, p in enumerate(panels)]}
        spec["arrays"] = builder.arrays
        check_size(spec, builder.frames)
        index = [c.index for c in self._controls]
        super().__init__(spec=spec, index=index, value=self._setting(index), **kwargs)

    def _setting(self, index):
        return {c.name: c.values[i] for c, i in zip(self._controls, index)}

    @traitlets.validate("index")
    def _check_index(self, proposal):
        index, sizes = proposal["value"], [len(c.values) for c in self._controls]
        if len(index) != len(sizes) or not all(0 <= i < n for i, n in zip(index, sizes)):
            raise traitlets.TraitError(f"index must hold one integer per control, below {sizes}; got {index}")
        return index

    @traitlets.validate("value")
    def _check_value(self, proposal):
        wanted, known = proposal["value"], {c.name: c for c in self._controls}
        if unknown := [name for name in wanted if name not in known]:
            raise traitlets.TraitError(f"no control named {unknown[0]!r}; the controls are {', '.join(known)}")
        setting = self._setting(self.index)
        for name, value in wanted.items():
            try:
                setting[name] = known[name].values[known[name].find(value)]
            except ValueError as error:
                raise traitlets.TraitError(str(error)) from None
        return setting

    @traitlets.observe("index")
    def _index_moved(self, change):
        self.value = self._setting(change["new"])

    @traitlets.observe("value")
    def _value_moved(self, change):
        self.index = [c.find(change["new"][c.name]) for c in self._controls]


def check_controls(controls):
    """The controls that span the grid; Play must name a slider."""
    for c in controls:
        if not isinstance(c, (Control, Play)):
            raise TypeError(f"controls must be Slider, Menu, Toggle or Play, got {type(c).__name__}")
    grid, plays = [c for c in controls if isinstance(c, Control)], [c for c in controls if isinstance(c, Play)]
    names = [c.name for c in grid]
    if not grid:
        raise ValueError("an Explorer needs at least one Slider, Menu or Toggle")
    if len(grid) > MAX_CONTROLS:
        raise ValueError(f"an Explorer has at most {MAX_CONTROLS} controls besides Play, got {len(grid)}: {', '.join(names)}; "
                         "a reader follows one or two, so fix the others or make a second figure")
    if len(set(names)) < len(names):
        raise ValueError(f"two controls have the same name: {', '.join(names)}")
    sliders = [c.name for c in grid if c.kind == "slider"]
    for p in plays:
        if p.name not in sliders:
            raise ValueError(f"Play steps the slider {p.name!r}, but the sliders are {', '.join(sliders) or 'none'}")
    if len(plays) > 1:
        raise ValueError("an Explorer has at most one Play button")
    return grid


def check_size(spec, frames):
    """Warn above the target, refuse above the limit, and say what to thin."""
    size = len(json.dumps(spec, separators=(",", ":"))) / 1024
    if size <= TARGET_KB:
        return
    parts = sorted(((len(a["data"]) / 1024, name, a["dep"]) for name, a in spec["arrays"].items()), reverse=True)[:3]
    grids = [" x ".join(f"{frames.dims[d]} {frames.controls[d].name}" for d in dep) or "stored once" for _, _, dep in parts]
    heavy = "; ".join(f"{name!r} {kb:.0f} KB ({grid})" for (kb, name, _), grid in zip(parts, grids))
    message = (f"this figure takes {size:.0f} KB for {len(frames.settings)} frames; the largest entries are {heavy}. "
               "Give a control fewer values, or an array fewer points")
    if size > LIMIT_KB:
        raise ValueError(f"{message} (the limit is {LIMIT_KB} KB, the target {TARGET_KB} KB).")
    warnings.warn(f"{message} (the target is {TARGET_KB} KB).", UserWarning, stacklevel=4)
