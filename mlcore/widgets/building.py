"""From panels and marks to the specification that the browser draws."""
import math
from typing import NamedTuple

import numpy as np

from mlcore.widgets import limits
from mlcore.widgets.contours import choose_levels, contour_paths
from mlcore.widgets.controls import tidy
from mlcore.widgets.marks import Contour, Heatmap, Text
from mlcore.widgets.packing import pack, settled_range


class Source(NamedTuple):
    """The numbers behind one field of a mark: all settings in one array, control axes first."""

    name: str
    stack: np.ndarray
    ndim: int                     # of one frame


class Builder:
    """Packs each array once in the form its axes need; `arrays` collects them."""

    def __init__(self, frames):
        self.frames, self.arrays, self.literals = frames, {}, 0

    def panel(self, panel, number):
        """The specification of one panel."""
        owner = f"panel {number + 1}"
        owners = [f"{owner}, {type(m).__name__}" for m in panel.marks]
        found = [self.sources(m, o) for m, o in zip(panel.marks, owners)]
        spec = {"title": self.frames.template(panel.title, f"the title of {owner}"),
                "alt": self.frames.template(panel.alt or panel.title, f"the alt of {owner}"),
                "xlabel": panel.xlabel, "ylabel": panel.ylabel}
        for axis in "xy":
            spec[f"{axis}lim"] = self.axis_limits(panel, axis, found, owner)
            if panel.scale[axis] == "log":
                spec[f"{axis}scale"] = "log"
            if (ticks := panel.ticks[axis]) is not None:
                shown = ticks if isinstance(ticks, dict) else {t: tidy(t) for t in ticks}
                spec[f"{axis}ticks"] = [[float(t), str(s)] for t, s in shown.items()]
        spec.update({k: v for k, v in (("aspect", panel.aspect), ("height", panel.height)) if v})
        spec["marks"] = [self.mark(*args, panel, spec) for args in zip(panel.marks, found, owners)]
        return spec

    def axis_limits(self, panel, axis, found, owner):
        """The given limits, or those fitted to all settings."""
        if panel.lim[axis] is not None:
            return [float(v) for v in panel.lim[axis]]
        pairs = []
        for mark, sources in zip(panel.marks, found):
            fields = [sources[f] for f in (mark.X if axis == "x" else mark.Y) if f in sources]
            pairs.append((mark, [s if isinstance(s, float) else s.stack for s in fields]))
        fitted = limits.fit(pairs, axis, panel.scale[axis] == "log")
        if fitted is None:
            kind = "positive" if panel.scale[axis] == "log" else "finite"
            raise ValueError(f"{owner}: no {kind} value to fit the {axis} axis to; give {axis}lim, or look at the data")
        return list(fitted)

    # ---- the numbers of a mark -----------------------------------------------------------------------------------------
    def sources(self, mark, owner):
        """{field: Source, or a number given in place}, checked."""
        found = {f: self.source(getattr(mark, f), f"{owner}, {f}") for f in mark.array_fields() if getattr(mark, f) is not None}
        if isinstance(mark, (Heatmap, Contour)):
            check_grid(found, owner)
        else:
            check_lengths(mark, found, owner)
        return found

    def source(self, value, owner):
        """An entry of the frame by its name, or the numbers themselves."""
        frames = self.frames
        if isinstance(value, str):
            if value not in frames.table:
                raise ValueError(f"{owner} names {value!r}, which frame does not return; it returns {', '.join(frames.table)}")
            if not isinstance(frames.table[value][0], np.ndarray):
                raise ValueError(f"{owner} needs numbers, but {value!r} is text")
            stack = frames.stack(value)
            return Source(value, stack, stack.ndim - len(frames.dims))
        array = np.asarray(value)
        if array.dtype.kind not in "biuf" or (array.ndim == 0 and not np.isfinite(array)):
            raise ValueError(f"{owner} must be the name of an entry, a finite number or an array of numbers, got {value!r}")
        if array.ndim == 0:
            return float(array)
        self.literals += 1
        full = np.broadcast_to(array.astype(float), [*frames.dims, *array.shape])
        return Source(f"#{self.literals}", full, array.ndim)

    def store(self, source, *, log=False, dtype="i2", clip=None):
        """Pack a source under a key that tells its variants apart; equal content is stored once."""
        stack, key = source.stack, source.name + ("@log" if log else "") + ("@8" if dtype == "i1" else "")
        if clip is not None:
            stack = np.where(np.isfinite(stack), np.clip(stack, *clip), np.nan)
            key += "@" + ",".join(f"{v:.4g}" for v in clip)
        if key not in self.arrays:
            entry = pack(stack, len(self.frames.dims), log=log, dtype=dtype)
            same = [k for k, e in self.arrays.items() if e == entry]
            if same:
                return same[0]
            self.arrays[key] = entry
        return key

    # ---- marks -----------------------------------------------------------------------------------------------------------
    def mark(self, mark, found, owner, panel, axes):
        """The specification of one mark; `axes` is that of its panel, with the limits."""
        spec, log = mark.options(), {a: panel.scale[a] == "log" for a in "xy"}
        if isinstance(mark, Heatmap):
            arrays = {a: even_axis(found[a].stack, log[a], f"{owner}, {a}") for a in "xy"}
            arrays["z"] = self.heat(mark, found["z"], spec, owner)
        else:
            along = {**dict.fromkeys(mark.X, "x"), **dict.fromkeys(mark.Y, "y")}
            if isinstance(mark, Contour):
                found, spec["levels"] = self.curves(mark, found)
                along = {"px": "x", "py": "y"}
            arrays = {}
            for field, source in found.items():
                if isinstance(source, float):
                    arrays[field] = source
                elif axis := along.get(field):
                    fixed = panel.lim[axis] is not None and not log[axis]
                    clip = limits.reach(axes[f"{axis}lim"], source.stack) if fixed else None
                    arrays[field] = self.store(source, log=log[axis], clip=clip)
                else:
                    arrays[field] = self.store(source)
            if "c" in found:
                check_classes(found["c"], f"{owner}, c")
            if "value" in found:
                spec["vmin"], spec["vmax"] = color_range(found["value"], None, None, owner)
        if isinstance(mark, Text):
            spec["text"] = self.text(mark.text, found, owner)
        spec["arrays"] = arrays
        return spec

    def heat(self, mark, z, spec, owner):
        """Store z in 8 bits: class numbers as they are, other values within the color range."""
        if mark.classes:
            check_classes(z, f"{owner}, z")
        else:
            lo, hi = spec["vmin"], spec["vmax"] = color_range(z, mark.vmin, mark.vmax, owner)
            z = z._replace(stack=np.clip(z.stack, lo, hi))
        return self.store(z, dtype="i1")

    def curves(self, mark, found):
        """The level curves of every frame (computed once per different z) as sources px, py, level; and the levels."""
        dims = self.frames.dims
        total = math.prod(dims)
        levels = choose_levels(found["z"].stack, mark.levels)
        cache, paths = {}, []
        for x, y, z in zip(*(found[f].stack.reshape(total, *found[f].stack.shape[len(dims):]) for f in "xyz")):
            key = x.tobytes() + y.tobytes() + z.tobytes()
            if key not in cache:
                cache[key] = contour_paths(x, y, z, levels)
            paths.append(cache[key])
        filled = np.full((3, total, max(1, *(len(p[0]) for p in paths))), np.nan)
        for i, path in enumerate(paths):
            filled[:, i, :len(path[0])] = path
        self.literals += 1
        name = f"{found['z'].name}#{self.literals}"
        named = {f: Source(name + f, a.reshape([*dims, -1]), 1) for f, a in zip(("px", "py", "level"), filled)}
        return named, [float(f"{v:.6g}") for v in levels]

    def text(self, text, found, owner):
        """One string, one per setting, or one per point (a list, stored as lines)."""
        entries = self.frames.table.get(text)
        if entries is None:
            return self.frames.template(text, f"{owner}, text")
        if isinstance(entries[0], str):
            return self.frames.texts(entries)
        rows = [e if isinstance(e, list) else [tidy(v) for v in np.atleast_1d(e)] for e in entries]
        points = max([1] + [s.stack.shape[-1] for s in found.values() if not isinstance(s, float) and s.ndim])
        if len(rows[0]) != points:
            raise ValueError(f"{owner}: {text!r} holds {len(rows[0])} texts for {points} points")
        return {"lines": self.frames.texts(["\n".join(r) for r in rows])}


def check_grid(found, owner):
    """x, y, z of a heat map or contour plot fit together and can be drawn."""
    for field, ndim in (("x", 1), ("y", 1), ("z", 2)):
        if isinstance(found[field], float) or found[field].ndim != ndim:
            raise ValueError(f"{owner}: {field} must be a {ndim}-D array")
    z, nx, ny = found["z"].stack, found["x"].stack.shape[-1], found["y"].stack.shape[-1]
    if z.shape[-2:] != (ny, nx):
        raise ValueError(f"{owner}: z has shape {z.shape[-2:]}, but y and x have {ny} and {nx} points; z[i, j] belongs to (x[j], y[i])")
    if min(nx, ny) < 2:
        raise ValueError(f"{owner}: x and y need at least two points each")
    for field in "xyz":
        if not np.isfinite(found[field].stack).all():
            raise ValueError(f"{owner}: {found[field].name!r} holds NaN or infinity, which cannot be drawn as a surface; "
                             "replace or clip them in frame")


def check_lengths(mark, found, owner):
    """Fields that are drawn together have one length; only lines may come as rows of a 2-D array."""
    arrays = {f: s for f, s in found.items() if not isinstance(s, float) and s.ndim}
    most = 2 if mark.KIND == "line" else 1
    for field, source in arrays.items():
        if source.ndim > most:
            raise ValueError(f"{owner}: {field} must have at most {most} dimension{'s' * (most > 1)}, got {source.ndim}")
    lengths = {f: s.stack.shape[-1] for f, s in arrays.items()}
    if mark.KIND != "refline" and len(set(lengths.values())) > 1:
        raise ValueError(f"{owner}: the lengths differ: " + ", ".join(f"{f} has {n}" for f, n in lengths.items()))


def check_classes(source, owner):
    """Class numbers are 0, 1, 2, ..."""
    values = np.asarray(source if isinstance(source, float) else source.stack)
    values = values[np.isfinite(values)]
    if not values.size or (values != np.rint(values)).any() or values.min() < 0:
        raise ValueError(f"{owner} must hold class numbers 0, 1, 2, ..., got values like {np.unique(values)[:5].tolist()}")


def color_range(source, vmin, vmax, owner):
    """The ends of the color scale: as given, or the range over all settings."""
    values = np.asarray(source if isinstance(source, float) else source.stack)
    values = values[np.isfinite(values)]
    if not values.size:
        raise ValueError(f"{owner}: there is no finite number to color by")
    lo, hi = settled_range(values)
    lo, hi = lo if vmin is None else float(vmin), hi if vmax is None else float(vmax)
    if hi < lo or (hi == lo and None not in (vmin, vmax)):
        raise ValueError(f"{owner}: vmin must be less than vmax, got {lo:g} and {hi:g}")
    return lo, hi if hi > lo else lo + 1


def even_axis(stack, log, owner):
    """First and last cell center of a heat map's axis, which must be even and the same at every setting."""
    rows = stack.reshape(-1, stack.shape[-1])
    place = np.log10(rows) if log else rows
    gaps = np.diff(place[0])
    same = np.allclose(place, place[0], rtol=1e-6, atol=1e-9 * np.ptp(place))
    if not same or gaps[0] <= 0 or not np.allclose(gaps, gaps[0], rtol=1e-4):
        raise ValueError(f"{owner} must rise in even steps{' of its logarithm' if log else ''} and be the same at every setting")
    return [float(f"{v:.8g}") for v in (rows[0][0], rows[0][-1])]
