"""The ways in which an argument is dressed (same numbers), scaled, and damaged.

Each is a function of (array, i), where the integer ``i`` chooses a place; hypothesis draws it.
"""

import inspect
import os

import numpy as np
import pandas as pd
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from fuzz.values import Free, Fresh

DEEP = os.environ.get("FUZZ") == "deep"
DRAWN = 200 if DEEP else 4  # examples that hypothesis draws for each object, beside every pair of argument and change
SETTINGS = settings(max_examples=DRAWN, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))


def _larger(a):
    """An array with every second entry along each axis equal to ``a``."""
    buffer = np.full([2 * m + 1 for m in a.shape], 77, dtype=a.dtype)
    view = buffer[tuple(slice(1, 2 * m + 1, 2) for m in a.shape)]
    view[...] = a
    return view


def _reversed(a):
    everything = (slice(None, None, -1),) * a.ndim
    return a[everything].copy()[everything]


def _read_only(a):
    a = a.copy()
    a.setflags(write=False)
    return a


def _frame(a):
    """A data frame or a series whose rows have names, so that access by position fails."""
    rows = [f"row {i}" for i in range(len(a))]
    return pd.DataFrame(a, rows, [f"column {j}" for j in range(a.shape[1])]) if a.ndim == 2 else pd.Series(a, rows)


def _nullable(a):
    """A frame or series of the pandas types that know missing values."""
    frame = pd.DataFrame(a) if a.ndim == 2 else pd.Series(a)
    return frame.astype({"f": "Float64", "i": "Int64", "u": "UInt64", "b": "boolean"}[a.dtype.kind])


# name -> (which plain array, how it is dressed): both must give the same outcome
DRESSES = {
    "float32": (lambda a: a.astype(np.float32).astype(float), lambda a: a.astype(np.float32)),
    "integer": (lambda a: np.round(a) + 0.0, lambda a: np.round(a).astype(np.int64)),
    "small integer": (lambda a: np.round(a) + 0, lambda a: np.round(a).astype(np.int8)),
    "unsigned": (lambda a: np.abs(np.round(a)), lambda a: a.astype(np.uint8)),
    "float": (np.copy, lambda a: a.astype(float)),
    "big-endian": (np.copy, lambda a: a.astype(a.dtype.newbyteorder(">"))),
    "Fortran order": (np.copy, np.asfortranarray),
    "strided": (np.copy, _larger),
    "reversed": (np.copy, _reversed),
    "read-only": (np.copy, _read_only),
    "list": (np.copy, lambda a: a.tolist()),
    "objects": (np.copy, lambda a: a.astype(object)),
    "nullable frame": (np.copy, _nullable),
    "frame": (np.copy, _frame),
}
SCALES = {"times 1e8": 2.0**27, "times 1e-8": 2.0**-27, "times 1e150": 2.0**498, "times 1e-150": 2.0**-498}


def _spoil(a, i, value):
    a = np.array(a, dtype=float)
    a.flat[i % a.size] = value
    return a


def _ragged(a, i):
    rows = a.tolist()
    if a.ndim == 1:
        rows[i % len(rows)] = [0.0, 1.0]
    elif len(rows) == 1:
        rows.append([0.0])
    else:
        rows[i % len(rows)] = rows[i % len(rows)] + rows[0][:1]
    return rows


def _complex(a, i):
    a = a.astype(complex)
    a.flat[i % a.size] += 1j
    return a


def _object(a, i):
    a = a.astype(object)
    a.flat[i % a.size] = None
    return a


def _masked(a, i):
    a = np.ma.array(a, mask=np.zeros(a.shape, bool))
    a.mask.flat[i % a.size] = True
    return a


def _missing(a, i):
    """A nullable frame with one missing value; a list, where there are more axes than a frame has."""
    if a.ndim > 2:
        return _object(a, i).tolist()
    frame = _nullable(a)
    place = np.unravel_index(i % a.size, a.shape)
    frame.iloc[place if a.ndim == 2 else place[0]] = pd.NA
    return frame


ARRAY_DAMAGE = {
    "NaN": lambda a, i: _spoil(a, i, np.nan),
    "infinity": lambda a, i: _spoil(a, i, (np.inf, -np.inf)[i % 2]),
    "empty": lambda a, i: a[:0],
    "axis too many": lambda a, i: a[None],
    "axis too few": lambda a, i: a[i % len(a)] if a.ndim == 1 else a.reshape(-1),
    "text": lambda a, i: np.full(a.shape, "word"),
    "one word": lambda a, i: "word",
    "None": lambda a, i: None,
    "complex": _complex,
    "object": _object,
    "ragged": _ragged,
    "masked": _masked,
    "missing": _missing,
    "dates": lambda a, i: np.full(a.shape, np.datetime64("2020-01-01")),
}
WHOLE_DAMAGE = {**ARRAY_DAMAGE, "fraction": lambda a, i: _spoil(a, i, a.flat[i % a.size] + 0.5)}
NUMBER_DAMAGE = {
    "NaN": lambda v, i: float("nan"),
    "infinity": lambda v, i: float("inf"),
    "text": lambda v, i: str(v),
    "None": lambda v, i: None,
    "array": lambda v, i: [v, v],
    "complex": lambda v, i: v + 1j,
}
INTEGER_DAMAGE = {**NUMBER_DAMAGE, "fraction": lambda v, i: v + 0.5, "negative": lambda v, i: -1 - i % 5}
OPTION_DAMAGE = {"unknown option": lambda v, i: "no such option", "number": lambda v, i: 3.5}
SEED_DAMAGE = {"text": lambda v, i: "seed", "negative": lambda v, i: -1 - i % 5, "fraction": lambda v, i: 0.5}
OTHER_DAMAGE = {"None": lambda v, i: None, "number": lambda v, i: 3.5, "text": lambda v, i: "word"}
SEQUENCE_DAMAGE = {"None": lambda v, i: None, "one word": lambda v, i: "word", "number": lambda v, i: 3.5}
TEXT_DAMAGE = {"None": lambda v, i: None, "number": lambda v, i: 3.5}
SEEDS = ("rng", "random_state")


def is_array(value):
    return isinstance(value, np.ndarray) and value.ndim > 0


def damages(name, value, default=inspect.Parameter.empty):
    """The kinds of damage that fit an argument; None is no damage where it is the default."""
    if isinstance(value, Fresh) or callable(value):
        table = OTHER_DAMAGE
    elif name in SEEDS:
        table = SEED_DAMAGE
    elif is_array(value):
        table = WHOLE_DAMAGE if value.dtype.kind in "iu" else {} if value.dtype.kind in "UO" else ARRAY_DAMAGE
        if value.dtype.kind == "b":
            table = {k: v for k, v in ARRAY_DAMAGE.items() if k in ("empty", "axis too many", "None")}
        if value.ndim == 2:
            table = {**table, "no columns": lambda a, i: a[:, :0]}
    elif isinstance(value, Free):
        table = TEXT_DAMAGE
    elif isinstance(value, str):
        table = OPTION_DAMAGE
    elif isinstance(value, bool) or value is None:
        table = {}
    elif isinstance(value, (int, np.integer)):
        table = {**INTEGER_DAMAGE, "negative": lambda v, i: -20 - i % 5} if name == "axis" else INTEGER_DAMAGE  # -1 is the last axis
    elif isinstance(value, float):
        table = NUMBER_DAMAGE
    else:
        table = SEQUENCE_DAMAGE
    return {kind: change for kind, change in table.items() if not (kind == "None" and default is None)}


def changes(pairs):
    """A pair (argument, kind of change), and an integer that says where."""
    return st.tuples(st.sampled_from(pairs), st.integers(0, 10**6))
