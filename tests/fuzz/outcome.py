"""What a call did: an answer, a clear error, or something that must not happen."""

import dis
import numbers
import pathlib
import re
import types
import warnings
from typing import NamedTuple

import numpy as np

import mlcore
from mlcore.base import ConvergenceWarning

HOME = str(pathlib.Path(mlcore.__file__).parent)
RAISE = dis.opmap["RAISE_VARARGS"]
READABLE = re.compile(r"must|need|want|contain|hold|has|have|is|are|cannot|not|returned|give|use|choose|raise|start|name", re.I)
TOLERANCE = 1e-9


class Outcome(NamedTuple):
    """``answer`` (flat, see :func:`flatten`), or the ``error``; ``warned`` if mlcore or numpy said something."""

    answer: dict | None
    error: BaseException | None
    warned: str
    changed: str  # the name of an argument that the call wrote to

    @property
    def said(self):
        return f"{type(self.error).__name__}: {self.error}" if self.error else f"answered {str(self.answer)[:200]}"


def flatten(value, path="", depth=0):
    """All numbers and texts of a result as a dict path -> array."""
    if isinstance(value, (np.random.Generator, types.FunctionType, types.MethodType, type)) or depth > 8:
        return {}
    if isinstance(value, (str, bytes, bool, int, float, complex, np.generic)) or value is None:
        return {path: np.asarray(value)} if value is not None else {path: np.asarray("None")}
    if isinstance(value, np.ndarray) and value.dtype == object and all(isinstance(item, numbers.Real) for item in value.flat):
        value = value.astype(float)
    if isinstance(value, np.ndarray) and value.dtype != object:
        return {path: value}
    if hasattr(value, "toarray"):
        return {path: value.toarray()}
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, types.GeneratorType):
        items = enumerate(v for v, _ in zip(value, range(12)))
    elif isinstance(value, (list, tuple, np.ndarray)):
        items = enumerate(value)
    elif isinstance(value, (set, frozenset)):
        items = enumerate(sorted(value, key=repr))
    elif hasattr(value, "__dict__"):
        items = vars(value).items()
    else:
        return {path: np.asarray(repr(value))}
    found = {}
    for key, item in items:
        found.update(flatten(item, f"{path}.{key}", depth + 1))
    return found


def snapshot(arguments):
    return {name: (value.copy(), value.dtype) for name, value in arguments.items() if isinstance(value, np.ndarray)}


def run(function, arguments):
    """Call, and note what happened."""
    before = snapshot(arguments)
    answer = error = None
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            answer = flatten(function(**arguments))
        except Exception as problem:
            error = problem
    changed = next((name for name, (copy, dtype) in before.items()
                    if arguments[name].dtype != dtype or not same_array(copy, arguments[name])), "")
    return Outcome(answer, error, "; ".join(sorted({f"{w.category.__name__}: {w.message}" for w in said
                                                    if not issubclass(w.category, ConvergenceWarning)})), changed)


def same_array(a, b):
    return a.shape == b.shape and (np.array_equal(a, b, equal_nan=True) if a.dtype.kind in "fc" else np.array_equal(a, b))


def unclear(error):
    """Why an error is not a clear one, or an empty text: a ValueError or TypeError that a ``raise`` of mlcore wrote, and says something."""
    if isinstance(error, FileNotFoundError):
        return ""  # Python's own sentence names the file
    if not isinstance(error, (ValueError, TypeError, FloatingPointError)):
        return f"{type(error).__name__} instead of ValueError or TypeError"
    trace = error.__traceback__
    while trace.tb_next:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    if not code.co_filename.startswith(HOME) or code.co_code[trace.tb_lasti] != RAISE:
        return f"not raised on purpose, but by {code.co_filename.rsplit('site-packages/')[-1]}:{trace.tb_lineno}"
    if len(str(error)) < 20 or not READABLE.search(str(error)):
        return "the message does not say what is wanted"
    return ""


def difference(a, b, tolerance=TOLERANCE):
    """Where two answers differ, or an empty text."""
    if a.keys() != b.keys():
        return f"parts {sorted(a.keys() ^ b.keys())[:4]}"
    for path in a:
        u, v = a[path], b[path]
        if u.shape != v.shape:
            return f"{path or 'result'}: shape {u.shape} and {v.shape}"
        if u.dtype.kind in "fciub" and v.dtype.kind in "fciub":
            finite = np.isfinite(u)
            size = np.abs(u[finite]).max(initial=0.0) if u.dtype.kind != "b" else 1
            if not np.allclose(u, v, rtol=tolerance, atol=tolerance * max(size, 1e-3), equal_nan=True):
                return f"{path or 'result'}: {u.ravel()[:4]} and {v.ravel()[:4]}"
        elif not np.array_equal(u, v):
            return f"{path or 'result'}: {u!r:.60} and {v!r:.60}"
    return ""


def nan_parts(answer):
    """Paths of an answer with NaN."""
    return sorted(path for path, value in answer.items() if value.dtype.kind in "fc" and np.isnan(value).any())


def not_finite(answer):
    """Paths of an answer with NaN or infinity."""
    return {path for path, value in answer.items() if value.dtype.kind in "fc" and not np.isfinite(value).all()}
