"""Try every change of every argument of every public object, and judge what happens."""

import functools
from typing import NamedTuple

import numpy as np

from fuzz.cases import CASES
from fuzz.cases.base import defaults
from fuzz.cases.estimators import estimator_case
from fuzz.discover import public_names
from fuzz.outcome import TOLERANCE, difference, nan_parts, not_finite, run, unclear
from fuzz.scales import out_of_scale, powers
from fuzz.strategies import ARRAY_DAMAGE, DRESSES, SCALES, damages, is_array
from fuzz.values import Fresh

ENTRIES = ("NaN", "infinity", "empty", "axis too many", "axis too few")
REFUSABLE = ("float", "objects", "nullable frame")  # dresses that whole numbers and labels need not wear


class Change(NamedTuple):
    """What is done to an argument: ``group`` is dress, scale or damage, ``kind`` a key of the group's table."""

    argument: str
    group: str
    kind: str


class Verdict(NamedTuple):
    """``good`` says how a trial ended well, ``bad`` what was wrong; one of them is empty."""

    good: str
    bad: str = ""


class Trials:
    """All changes of one public object."""

    def __init__(self, public):
        self.public = public
        self.case = estimator_case(public.value) if public.kind == "estimator" else CASES[public.label]
        self.arguments = self.case.arguments(public.value)
        self.function = self.case.function(public.value)
        self.defaults = defaults(public.value)
        self.changes = list(self._changes())
        self.followed = {}  # argument -> the powers by which the answer follows its scale

    def _changes(self):
        lengths = [len(value) for value in self.arguments.values() if is_array(value)]
        for name, value in self.arguments.items():
            if is_array(value):
                yield from (Change(name, "dress", kind) for kind in DRESSES if self._wearable(value, kind))
                if value.dtype.kind == "f":
                    yield from (Change(name, "scale", kind) for kind in SCALES)
                if name != "queries" and lengths.count(len(value)) > 1:
                    yield Change(name, "damage", "row missing")
                if name == "queries":
                    yield Change(name, "damage", "column missing")
            yield from (Change(name, "damage", kind) for kind in damages(name, value, self.defaults.get(name, ...)))

    @staticmethod
    def _wearable(value, kind):
        if kind in ("frame", "nullable frame"):
            return value.ndim <= 2 and value.dtype.kind not in "UO"
        if value.dtype.kind == "f":
            return kind != "float"
        if kind in ("small integer", "unsigned"):
            return value.dtype.kind in "iu"
        return kind not in ("float32", "integer", "big-endian") and (kind != "float" or value.dtype.kind != "b")

    def fresh(self, **changed):
        """The valid arguments, arrays copied, some of them replaced."""
        return {name: value.copy() if is_array(value) else value for name, value in self.arguments.items() if name not in changed} | changed

    @functools.cached_property
    def valid(self):
        """The outcome of the valid call."""
        return run(self.function, self.fresh())

    def judge(self, change, i):
        """Make one change at place ``i``, call, and judge."""
        return getattr(self, f"_{change.group}")(change.argument, change.kind, i)

    def _noise(self, name, got):
        """What numpy said of an answer that is finite all the same, unless the case knows of it."""
        if "RuntimeWarning" not in got.warned or not_finite(got.answer) or self.case.allows(name, "overflow announced"):
            return ""
        return f"numpy warns of a finite answer: {got.warned[:120]}"

    def _dress(self, name, kind, i):
        plain, dressed = DRESSES[kind]
        plain = plain(self.arguments[name])
        expected = run(self.function, self.fresh(**{name: plain.copy()}))
        got = run(self.function, self.fresh(**{name: dressed(plain.copy())}))
        if got.changed:
            return Verdict("", f"it writes to the caller's {got.changed}")
        if expected.error:
            if type(got.error) is not type(expected.error):
                return Verdict("", f"the plain array gives {expected.said}; the dressed one {got.said}")
            return Verdict("clear error", unclear(got.error))
        if got.error and kind in REFUSABLE:
            return Verdict("clear error", unclear(got.error))
        if got.error:
            return Verdict("", f"the plain array is fine; the dressed one gives {got.said} ({unclear(got.error)})")
        if (lost := nan_parts(expected.answer)) and not self.case.allows(name, "NaN answer"):
            return Verdict("", f"finite numbers give NaN in {lost[:3]}")
        if noise := self._noise(name, got):
            return Verdict("", noise)
        tolerance = self.case.tolerance or TOLERANCE if kind == "float32" else TOLERANCE
        return Verdict("same answer", difference(expected.answer, got.answer, tolerance))

    def _powers(self, name):
        """How parts of the answer follow this argument; estimators are asked with all their rows scaled, in test_estimators."""
        if name not in self.followed:
            estimator = self.public.kind == "estimator"
            self.followed[name] = {} if estimator else powers(self.function, self.fresh, name, self.valid.answer)
        return self.followed[name]

    def _scale(self, name, kind, i):
        got = run(self.function, self.fresh(**{name: self.arguments[name] * SCALES[kind]}))
        if got.changed:
            return Verdict("", f"it writes to the caller's {got.changed}")
        if got.error:
            return Verdict("clear error", unclear(got.error))
        lost = not_finite(got.answer) - not_finite(self.valid.answer)
        if noise := self._noise(name, got):
            return Verdict("", noise)
        if not lost:
            followed = self._powers(name)
            told = out_of_scale(self.public.label, name, followed, self.valid.answer, got.answer, SCALES[kind])
            return Verdict("answer in scale" if followed else "finite answer", told)
        if self.case.allows(name, kind):
            return Verdict("valid here")
        if "overflow" in got.warned:
            return Verdict("overflow announced")
        return Verdict("", f"silent NaN or infinity in {sorted(lost)[:3]}; warned: {got.warned[:80]!r}")

    def _damage(self, name, kind, i):
        value = self.arguments[name]
        if kind == "row missing":
            damaged = value[:-1]
        elif kind == "column missing":
            damaged = value[:, :-1]
        else:
            damaged = damages(name, value, self.defaults.get(name, ...))[kind](value.make() if isinstance(value, Fresh) else value, i)
        got = run(self.function, self.fresh(**{name: damaged}))
        if got.changed:
            return Verdict("", f"it writes to the caller's {got.changed}")
        if got.error:
            return Verdict("clear error", unclear(got.error) and f"{unclear(got.error)}: {got.said[:120]}")
        if noise := self._noise(name, got):
            return Verdict("", noise)
        if name in self.case.elementwise and kind in ENTRIES:
            return Verdict("entry by entry", self._entries(name, damaged, got))
        if kind == "missing" and not self.case.allows(name, kind) and (name in self.case.elementwise or self.case.allows(name, "NaN")):
            return Verdict("entry by entry", difference(self._with_nan(name, i), got.answer))
        if kind == "text" and not is_array(value) and not difference(self.valid.answer, got.answer):
            return Verdict("same answer")  # a number written as text was read
        if self.case.allows(name, kind):
            seen = any(np.isnan(part).any() for part in got.answer.values() if part.dtype.kind in "fc")
            lost = kind == "NaN" and not seen and not self.case.allows(name, "NaN unseen")
            return Verdict("valid here", "a NaN vanished from the answer" if lost else "")
        return Verdict("", f"accepted in silence: {got.said[:150]}")

    def _with_nan(self, name, i):
        """The answer with NaN at place ``i``, which a missing value must give as well."""
        return run(self.function, self.fresh(**{name: ARRAY_DAMAGE["NaN"](self.arguments[name], i)})).answer

    def _entries(self, name, damaged, got):
        """The answer must be that of each entry on its own."""
        whole = np.asarray(got.answer.get(""), float)
        if whole.shape != np.shape(damaged):
            return f"an answer of shape {whole.shape} for input of shape {np.shape(damaged)}"
        for index in np.ndindex(whole.shape):
            single = run(self.function, self.fresh(**{name: np.asarray(damaged)[index]})).answer
            if single is None or difference({"": whole[index]}, {"": np.asarray(single[""])}):
                return f"entry {index} differs from its answer alone"
            if np.isnan(np.asarray(damaged)[index]) and not np.isnan(whole[index]):
                return f"entry {index} is NaN, but its answer is {whole[index]}"
        return ""


@functools.cache
def tested():
    """Every public object that is tried: label -> public."""
    return {public.label: public for public in public_names() if public.kind in ("function", "class", "estimator")}


@functools.cache
def trials(label):
    """The trials of one object, by its label."""
    return Trials(tested()[label])
