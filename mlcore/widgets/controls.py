"""The controls of an Explorer: Slider, Menu, Toggle and Play."""
import numbers
import re

import numpy as np

SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def tidy(value, spec=""):
    """A number as text: at most 4 digits unless `spec` says otherwise, a true minus sign, powers of ten as such.

    >>> tidy(0.30000000000000004), tidy(-2), tidy(1e-5), tidy(2.5e-7), tidy(12345)
    ('0.3', '−2', '10⁻⁵', '2.5×10⁻⁷', '12345')
    """
    if isinstance(value, numbers.Integral) and not spec:
        text = str(int(value))
    else:
        value = round_number(value)
        text = format(value, spec or (".4g" if abs(value) < 1e4 else ".6g"))
    if re.fullmatch(r"-0(\.0*)?(e[+-]0+)?", text):
        text = text[1:]
    if match := re.fullmatch(r"(.*)e([+-]\d+)", text):
        mantissa, exponent = match[1], str(int(match[2])).translate(SUPERSCRIPT)
        text = f"{mantissa}×10{exponent}"
        if re.fullmatch(r"-?1(\.0*)?", mantissa):
            text = ("-" if mantissa[0] == "-" else "") + f"10{exponent}"
    return "−" + text[1:] if text.startswith("-") else text


def round_number(value, digits=10):
    """The number with `digits` significant digits; an integer stays an integer, noise below 1e-12 becomes 0."""
    if isinstance(value, numbers.Integral):
        return int(value)
    value = float(f"{float(value):.{digits}g}")
    return value if abs(value) >= 1e-12 else 0.0


def check_name(name):
    """A name that can be an argument of frame."""
    if not (isinstance(name, str) and name.isidentifier()):
        raise ValueError(f"a control's name must be a Python identifier (it is the argument of frame), got {name!r}")


class Control:
    """Common part: `values` (what frame receives), `texts` (what the reader sees), `index` (the default)."""

    def __init__(self, name, values, texts, label, value):
        check_name(name)
        self.name, self.values, self.texts, self.label = name, values, texts, label or name
        self.index = self.find(value)

    def find(self, value):
        """Index of `value`; numbers match up to rounding."""
        for i, v in enumerate(self.values):
            if type(v) is bool or type(value) is bool or isinstance(v, str) or isinstance(value, str):
                if v == value and isinstance(v, str) == isinstance(value, str):
                    return i
            elif isinstance(value, numbers.Real) and abs(v - value) <= 1e-9 * max(abs(v), abs(value)):
                return i
        known = ", ".join(map(repr, self.values[:12])) + (", ..." if len(self.values) > 12 else "")
        raise ValueError(f"{self.name} = {value!r} is not on the grid; it must be one of {known}")

    def to_spec(self):
        """What the browser needs to build it."""
        return {"kind": self.kind, "name": self.name, "label": self.label, "texts": self.texts,
                "values": self.values, "index": self.index}


class Slider(Control):
    """A slider over the given numbers.

    Parameters
    ----------
    name : the argument of `frame`
    values : the numbers it stops at, in the order of the slider
    label : what the reader sees (default: the name); Unicode, e.g. "learning rate η"
    value : the default, one of `values` (default: the middle one)
    format : a format specification such as ".2f" (default: up to four digits)
    unit : text after the number, e.g. "%" or " steps"
    """

    kind = "slider"

    def __init__(self, name, values, *, label=None, value=None, format="", unit=""):
        values = [round_number(v) for v in np.asarray(values).tolist()] if np.ndim(values) == 1 else None
        if not values or len(values) < 2 or not np.isfinite(values).all():
            raise ValueError(f"Slider {name!r} needs a list of at least two finite numbers")
        if len(set(values)) < len(values):
            raise ValueError(f"Slider {name!r} has the same value twice")
        texts = [tidy(v, format) + unit for v in values]
        super().__init__(name, values, texts, label, values[len(values) // 2] if value is None else value)


class Menu(Control):
    """A drop-down list. `options` is a list of strings or numbers, or a dict from option to the text shown."""

    kind = "menu"

    def __init__(self, name, options, *, label=None, value=None):
        shown = options if isinstance(options, dict) else {o: o if isinstance(o, str) else tidy(o) for o in options}
        values = [v.item() if isinstance(v, np.generic) else v for v in shown]
        if len(values) < 2 or len(values) != len(options):
            raise ValueError(f"Menu {name!r} needs at least two different options, got {list(options)!r}")
        for v in values:
            if not isinstance(v, (str, int, float)):
                raise ValueError(f"Menu {name!r}: options must be strings or numbers, got {v!r}")
        super().__init__(name, values, [str(t) for t in shown.values()], label, values[0] if value is None else value)


class Toggle(Control):
    """A check box: frame receives False or True."""

    kind = "toggle"

    def __init__(self, name, *, label=None, value=False):
        super().__init__(name, [False, True], ["off", "on"], label, bool(value))


class Play:
    """A button that steps the slider `name`; for a reader who prefers reduced motion each click makes one step.

    interval : milliseconds between steps;  loop : start again at the end
    """

    kind = "play"

    def __init__(self, name, *, interval=400, loop=False, label="Play"):
        check_name(name)
        if not 40 <= interval <= 10_000:
            raise ValueError(f"Play: interval must be 40 to 10000 milliseconds, got {interval}")
        self.name, self.interval, self.loop, self.label = name, int(interval), bool(loop), label

    def to_spec(self):
        """What the browser needs to build it."""
        return {"kind": "play", "name": self.name, "label": self.label, "interval": self.interval, "loop": self.loop}
