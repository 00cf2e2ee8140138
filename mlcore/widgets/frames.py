"""Evaluate `frame` on the grid of the controls and check what it returns."""
import itertools
import string

import numpy as np

from mlcore.widgets.controls import tidy

MAX_FRAMES = 3000


class ragged(np.ndarray):
    """Marks an array whose length along the first axis changes with the setting; it is filled up with NaN.

    >>> ragged([1.0, 2.0]).shape
    (2,)
    """

    def __new__(cls, array):
        """View `array` as ragged."""
        return np.asarray(array, float).view(cls)


def describe(setting):
    """A setting in words, for messages."""
    return ", ".join(f"{k}={v!r}" for k, v in setting.items()) or "the only setting"


def normalize(name, value, setting):
    """An entry as a float array, a string or a list of strings."""
    if isinstance(value, str):
        return value
    try:
        array = np.asarray(value)
    except ValueError:
        array = None
    if array is not None and array.dtype.kind in "biuf":
        return array.astype(float) if not isinstance(value, ragged) else value
    if array is not None and array.dtype.kind == "U" and array.ndim == 1:
        return array.tolist()
    raise TypeError(f"frame returned {name!r} of type {type(value).__name__} at {describe(setting)}; entries must be numbers, "
                    "numeric arrays, strings or lists of strings")


class Frames:
    """All frames of a grid: `table[name]` lists the entry of every setting, the last control varying fastest."""

    def __init__(self, frame, controls):
        self.controls = controls
        self.dims = [len(c.values) for c in controls]
        total = int(np.prod(self.dims, dtype=int))
        grid = " x ".join(f"{len(c.values)} ({c.name})" for c in controls)
        if total > MAX_FRAMES:
            raise ValueError(f"the grid has {grid} = {total} frames, more than {MAX_FRAMES}; drop a control or thin its values")
        self.settings = [dict(zip([c.name for c in controls], values)) for values in itertools.product(*(c.values for c in controls))]
        self.table, self.raw, self.ragged = {}, [], set()
        for setting in self.settings:
            try:
                result = frame(**setting)
            except Exception as error:
                error.add_note(f"frame was called at {describe(setting)}")
                raise
            self.add(setting, result)

    def add(self, setting, result):
        """Take in what frame returned at one setting."""
        if not isinstance(result, dict):
            raise TypeError(f"frame must return a dict of named arrays, numbers and strings, got {type(result).__name__} "
                            f"at {describe(setting)}")
        if self.table and result.keys() != self.table.keys():
            odd = sorted(result.keys() ^ self.table.keys())
            raise ValueError("frame must return the same names at every setting; "
                             f"{', '.join(odd)} is only in some (seen at {describe(setting)})")
        for name, value in result.items():
            value = normalize(name, value, setting)
            if isinstance(value, ragged):
                self.ragged.add(name)
                value = np.asarray(value)
            entries = self.table.setdefault(name, [])
            if entries:
                self.check_same(name, entries[0], value, setting)
            entries.append(value)
        self.raw.append(result)

    def check_same(self, name, first, value, setting):
        """An entry keeps its shape; a ragged one may change its first axis."""
        def shape(v):
            return v.shape if isinstance(v, np.ndarray) else ("a string" if isinstance(v, str) else f"{len(v)} strings")
        before, now = shape(first), shape(value)
        if name in self.ragged and isinstance(before, tuple) and isinstance(now, tuple):
            before, now = before[1:], now[1:]
        if before != now:
            raise ValueError(f"the shape of {name!r} changes between settings: {before} at {describe(self.settings[0])}, "
                             f"{now} at {describe(setting)}; return equal shapes, or wrap it as ragged({name}) to fill it with NaN")

    def stack(self, name):
        """The arrays of an entry with the control axes in front."""
        entries = self.table[name]
        if name in self.ragged:
            longest = max(len(a) for a in entries)
            entries = [np.concatenate([a, np.full((longest - len(a), *a.shape[1:]), np.nan)]) for a in entries]
        return np.reshape(np.stack(entries), [*self.dims, *entries[0].shape])

    def texts(self, items):
        """A list of strings, one per setting, stored over the controls it depends on (or as one string)."""
        grid = np.empty(len(items), object)
        grid[:] = items
        grid, dep = grid.reshape(self.dims), []
        for axis in range(len(self.dims)):
            first = grid.take([0], axis=axis)
            if (grid == first).all():
                grid = first
            else:
                dep.append(axis)
        flat = grid.ravel().tolist()
        return {"dep": dep, "items": flat} if dep else flat[0]

    def template(self, text, owner):
        """The texts of a template such as "k = {k}, error {mse:.3f}" for all settings."""
        if "{" not in text and "}" not in text:
            return text
        known = {**{c.name: None for c in self.controls}, **dict.fromkeys(self.table)}
        for _, field, _, _ in string.Formatter().parse(text):
            base = None if field is None else field.split("[")[0].split(".")[0]
            if base is not None and base not in known:
                raise ValueError(f"{owner} names {base!r}, which is neither a control nor returned by frame; known: {', '.join(known)}")
        formatter = Rounding(owner)
        return self.texts([formatter.vformat(text, (), {**setting, **raw}) for setting, raw in zip(self.settings, self.raw)])


class Rounding(string.Formatter):
    """Formats numbers after rounding away noise, so that every machine writes the same text."""

    def __init__(self, owner):
        self.owner = owner

    def format_field(self, value, spec):
        """One field of a template as text."""
        if isinstance(value, (str, bool, np.bool_)):
            return format(value, spec)
        if np.ndim(value) > 0:
            raise ValueError(f"{self.owner} formats an array of shape {np.shape(value)}; name one number, e.g. {{w[0]:.2f}}")
        value = np.asarray(value).item()
        if isinstance(value, float) and not np.isfinite(value):
            return "not a number" if np.isnan(value) else ("∞" if value > 0 else "−∞")
        return tidy(value, spec)
