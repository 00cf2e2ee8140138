"""Arrays as short, stable text: quantize to 16 or 8 bits, decode again, compare two stored figures.

A value is stored as an integer q on a decimal lattice, value = scale * (base + q), with scale one of 1, 2, 5 times a
power of ten. Every choice (scale, base, q) is made so that a change in the last bit of the input, which another
processor's linear algebra may cause, does not move it: round numbers never lie on the border between two choices.
"""
import base64
import math

import numpy as np

STEPS = {"i2": 61803.39887, "i1": 241.42136}   # lattice points over the range; odd numbers, so that no round range meets the border
MISSING = {"i2": -32768, "i1": -128}           # stands for NaN
PHASE = 0.0618034                              # rounding borders at 0.438 instead of 0.5: decimal and binary fractions stay away from them
TINY = 1e-12                                   # below this a number is rounding noise and is stored as 0


def lattice_scale(span, magnitude, steps):
    """The smallest of 1, 2, 5, 10 x 10^k that covers `span` in at most `steps` steps (and is not below the noise of `magnitude`)."""
    raw = max(span / steps, 1e-9 * magnitude, TINY)
    exponent = math.floor(math.log10(raw))
    for mantissa in (1, 2, 5):
        scale = float(f"{mantissa}e{exponent}")
        if scale >= raw:
            return scale
    return float(f"1e{exponent + 1}")


def to_lattice(a, scale):
    """Number of the lattice point next to each value, with the borders shifted by PHASE."""
    return np.floor(a / scale + (0.5 + PHASE))


def settle(a, digits=9):
    """`a` rounded to about `digits` digits of its range: equal for inputs that differ by rounding noise."""
    a = np.asarray(a, float)
    finite = a[np.isfinite(a)]
    if not finite.size:
        return a
    scale = lattice_scale(float(np.ptp(finite)), float(np.abs(finite).max()) * 1e-3, 10.0**digits * 0.618034)
    return to_lattice(a, scale) * scale


def settled_range(values):
    """The smallest and the largest of `values` without their noise, as floats of few digits."""
    lo, hi = settle([np.min(values), np.max(values)], digits=5)
    return float(f"{lo:.8g}"), float(f"{hi:.8g}")


def quantize(a, dtype="i2"):
    """Integers of `dtype` with their scale and base; NaN and infinity become MISSING."""
    a = np.asarray(a, float)
    finite = np.isfinite(a)
    values = np.where(finite & (np.abs(a) >= TINY), a, 0.0)
    if not finite.any():
        return np.full(a.shape, MISSING["i1"], "i1"), 1.0, 0, "i1"
    lo, hi = float(values[finite].min()), float(values[finite].max())
    if not math.isfinite(hi - lo):
        raise ValueError(f"values from {lo:.3g} to {hi:.3g} are too large to draw")
    magnitude = max(abs(lo), abs(hi))
    whole = np.abs(values - np.rint(values)).max() <= TINY * max(1.0, magnitude)
    if whole and hi - lo <= STEPS["i2"]:
        scale, dtype = 1.0, "i1" if hi - lo <= STEPS["i1"] else "i2"
    else:
        scale = lattice_scale(hi - lo, magnitude, STEPS[dtype])
    base = int(to_lattice((lo + hi) / 2, scale))
    q = np.full(a.shape, MISSING[dtype], "<" + dtype)
    q[finite] = to_lattice(values[finite], scale) - base
    return q, scale, base, dtype


def run_lengths(q):
    """Pairs (count, value) of bytes; class regions shrink tenfold."""
    flat = q.ravel()
    starts = np.flatnonzero(np.r_[True, flat[1:] != flat[:-1]])
    pairs = bytearray()
    for value, length in zip(flat[starts].view("u1"), np.diff(np.r_[starts, flat.size])):
        while length > 0:
            pairs += bytes((min(int(length), 255), int(value)))
            length -= 255
    return bytes(pairs)


def pack(stack, n_axes=0, *, log=False, dtype="i2"):
    """Store `stack`, whose first `n_axes` axes run over the controls; axes along which nothing changes are dropped.

    Returns a JSON-ready dict: dep (the control axes kept), shape (of one frame), dtype, scale, base, data, and the
    flags log (the stored number is log10 of the value) and rle (run-length coded).
    """
    stack = np.asarray(stack, float)
    if log:
        stack = np.log10(np.where(stack > 0, stack, np.nan))
    q, scale, base, dtype = quantize(stack, dtype)
    dep = []
    for axis in range(n_axes):
        first = q.take([0], axis=axis)
        if (q == first).all():
            q = first
        else:
            dep.append(axis)
    item = list(q.shape[n_axes:])
    raw, entry = q.tobytes(), {"dep": dep, "shape": item, "dtype": dtype, "scale": scale, "base": base}
    if log:
        entry["log"] = 1
    if dtype == "i1" and q.size and len(short := run_lengths(q)) < len(raw):
        raw = short
        entry["rle"] = 1
    entry["data"] = base64.b64encode(raw).decode()
    return entry


def unpack(entry, dims=()):
    """The array of an entry, with one axis per control in entry["dep"] in front; `dims` are the controls' sizes."""
    raw = base64.b64decode(entry["data"], validate=True)
    dtype = np.dtype("<" + entry["dtype"])
    if entry.get("rle"):
        pairs = np.frombuffer(raw, "u1").reshape(-1, 2)
        raw = np.repeat(pairs[:, 1], pairs[:, 0]).tobytes()
    q = np.frombuffer(raw, dtype)
    shape = [dims[axis] for axis in entry["dep"]] + list(entry["shape"])
    if q.size != math.prod(shape):
        raise ValueError(f"{q.size} stored numbers do not fill the shape {shape}")
    values = np.where(q == MISSING[entry["dtype"]], np.nan, (q.astype(float) + entry["base"]) * entry["scale"]).reshape(shape)
    return 10.0**values if entry.get("log") else values


def control_sizes(spec):
    """How many settings each control has."""
    return [len(c["texts"]) for c in spec.get("controls", []) if c["kind"] != "play"]


def compare_specs(a, b, tolerance=1e-4):
    """What differs between two stored figures, as a list of sentences (empty: they are the same).

    Arrays are decoded and compared with an absolute tolerance of `tolerance` times their range (for log-coded arrays,
    in decades); everything else must be equal, but for numbers, which may differ by the same relative amount.
    """
    found = []

    def numbers(path, x, y):
        size = max(abs(x), abs(y), 1.0 if isinstance(x, int) and isinstance(y, int) else TINY)
        if abs(x - y) > tolerance * size:
            found.append(f"{path}: {x} and {y}")

    def arrays(path, x, y):
        u, v = unpack(x, dims), unpack(y, dims)
        if x.get("log") and y.get("log"):
            u, v = np.log10(u), np.log10(v)
        full = [dims[axis] for axis in range(len(dims))]
        u, v = (np.broadcast_to(np.expand_dims(w, [i for i in range(len(full)) if i not in e["dep"]]),
                                full + list(e["shape"])) for w, e in ((u, x), (v, y)))
        if u.shape != v.shape or x.get("log") != y.get("log"):
            found.append(f"{path}: shapes {list(x['shape'])} and {list(y['shape'])}, or another scale")
        elif (np.isnan(u) != np.isnan(v)).any():
            found.append(f"{path}: a missing value where the other has a number")
        elif u.size and not np.isnan(u).all():
            worst = float(np.nanmax(np.abs(u - v)))
            if worst > tolerance * max(float(np.nanmax(u) - np.nanmin(u)), TINY) + x["scale"]:
                found.append(f"{path}: numbers differ by up to {worst:.3g}")

    def walk(path, x, y):
        if isinstance(x, dict) and isinstance(y, dict):
            if {"dtype", "data"} <= x.keys() & y.keys():
                return arrays(path, x, y)
            for key in sorted(x.keys() ^ y.keys()):
                found.append(f"{path}.{key}: only in one of the two")
            for key in x.keys() & y.keys():
                walk(f"{path}.{key}", x[key], y[key])
        elif isinstance(x, list) and isinstance(y, list):
            if len(x) != len(y):
                found.append(f"{path}: {len(x)} and {len(y)} items")
            for i, (u, v) in enumerate(zip(x, y)):
                walk(f"{path}[{i}]", u, v)
        elif all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in (x, y)):
            numbers(path, x, y)
        elif x != y:
            found.append(f"{path}: {x!r} and {y!r}")

    dims = control_sizes(a.get("spec", a))
    if dims != control_sizes(b.get("spec", b)):
        return ["the controls have another number of settings"]
    walk("figure", a, b)
    return sorted(found)
