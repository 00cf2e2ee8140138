"""The machinery behind the exercises: a registry of checks and the verdict a reader sees.

A chapter's checks live in ``mlcore/exercises/<part>/<chapter>.py``. Each is a function of the reader's answer
that raises ``AssertionError`` with a helpful sentence when the answer is wrong, decorated with

    @exercise("lms_step", wrong={"moves uphill": lambda theta, x, y, alpha: ...})

``wrong`` names at least one wrong answer that the check must reject; the tests feed them to it.
"""

import difflib
import importlib
import pkgutil
from typing import NamedTuple

import numpy as np

_REGISTRY = {}


class Exercise(NamedTuple):
    """One registered check with the wrong answers that it must reject."""

    name: str
    verify: object
    wrong: dict


class Result(NamedTuple):
    """The verdict on an answer: ``state`` is "passed", "failed" or "not attempted"."""

    name: str
    state: str
    message: str

    @property
    def passed(self):
        """Whether the answer is right."""
        return self.state == "passed"

    def __repr__(self):
        mark = {"passed": "\N{CHECK MARK}", "failed": "\N{BALLOT X}", "not attempted": "\N{WHITE CIRCLE}"}[self.state]
        return f"{mark} {self.name}: {self.message}"

    def _repr_mimebundle_(self, include=None, exclude=None):
        """Beside the text, the verdict as data: a page that runs cells marks a solved exercise by it."""
        return {}, {"mlcore_check": {"name": self.name, "state": self.state}}


class NotAttemptedError(Exception):
    """Raised when the answer is still the stub."""


class Attempt:
    """The reader's function, watched: a call that returns None or ... means that the stub was not filled in."""

    def __init__(self, function):
        self._function = function

    def __call__(self, *args, **kwargs):
        """Call the reader's function; refuse the value of an unfilled stub."""
        result = self._function(*args, **kwargs)
        if result is None or result is Ellipsis:
            raise NotAttemptedError
        return result


def exercise(name, *, wrong):
    """Register a check under ``<chapter>.<name>``; ``wrong`` maps a description to a wrong answer."""
    if not wrong:
        raise ValueError(f"exercise {name!r} needs at least one wrong answer that its check rejects.")

    def register(verify):
        chapter = verify.__module__.rpartition(".")[2]
        full = f"{chapter}.{name}"
        if full in _REGISTRY and _REGISTRY[full].verify.__module__ != verify.__module__:
            raise ValueError(f"exercise {full!r} is defined twice.")
        _REGISTRY[full] = Exercise(full, verify, dict(wrong))
        return verify

    return register


def _chapters():
    """Chapter name -> module name, for every chapter that has exercises."""
    import mlcore.exercises as package

    found = pkgutil.walk_packages(package.__path__, package.__name__ + ".")
    return {m.name.rpartition(".")[2]: m.name for m in found if not m.ispkg and m.name.count(".") == 3}


def names():
    """Names of all exercises of the book, in alphabetical order."""
    for module in _chapters().values():
        importlib.import_module(module)
    return sorted(_REGISTRY)


def find(name):
    """Return the registered :class:`Exercise`; an unknown name is refused with the nearest known ones."""
    chapters = _chapters()
    chapter = name.partition(".")[0]
    if chapter not in chapters:
        raise ValueError(f"no chapter {chapter!r} has exercises; chapters with exercises: {', '.join(sorted(chapters)) or 'none'}.")
    importlib.import_module(chapters[chapter])
    if name not in _REGISTRY:
        known = sorted(n for n in _REGISTRY if n.startswith(chapter + "."))
        near = difflib.get_close_matches(name, known, n=1)
        raise ValueError(f"no exercise {name!r};" + (f" did you mean {near[0]!r}?" if near else f" this chapter has {', '.join(known)}."))
    return _REGISTRY[name]


def check(name, answer):
    """Check an answer (a function, an array, a number or a text) and say what passes and what does not.

    The returned :class:`Result` shows itself; an unfilled stub (``...``, None, or a function that returns
    one of them) is "not attempted yet", so that a fresh notebook runs clean.
    """
    found = find(name)
    if answer is None or answer is Ellipsis:
        return Result(name, "not attempted", "not attempted yet")
    watched = Attempt(answer) if callable(answer) and not isinstance(answer, type) else answer
    try:
        praise = found.verify(watched)
    except NotAttemptedError:
        return Result(name, "not attempted", "not attempted yet")
    except AssertionError as wrong:
        return Result(name, "failed", _first_paragraph(wrong))
    except Exception as error:  # the reader's code broke: tell which error, keep the notebook running
        return Result(name, "failed", f"your code raised {type(error).__name__}: {_first_paragraph(error)}")
    return Result(name, "passed", praise or "passed")


def _first_paragraph(error):
    return " ".join(str(error).strip().split()) or "the answer is not right yet"


def expect_close(got, want, what, *, rtol=1e-6, atol=1e-8):
    """Assert that the reader's value equals ours, naming the quantity, the shapes and the largest difference."""
    try:
        value = np.asarray(got, float)
    except (TypeError, ValueError):
        raise AssertionError(f"{what} should be numeric, got {type(got).__name__}") from None
    want = np.asarray(want, float)
    if value.shape != want.shape:
        raise AssertionError(f"{what} should have shape {want.shape}, got {value.shape}")
    if not np.allclose(value, want, rtol=rtol, atol=atol):
        if want.ndim == 0:
            raise AssertionError(f"{what} should be {float(want):.6g}, got {float(value):.6g}")
        worst = np.unravel_index(np.nanargmax(np.where(np.isnan(value), np.inf, abs(value - want))), want.shape)
        place = ", ".join(str(int(i)) for i in worst)
        raise AssertionError(f"{what} differs most at [{place}]: should be {want[worst]:.6g}, got {value[worst]:.6g}")
