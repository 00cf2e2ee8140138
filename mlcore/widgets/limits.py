"""The limits of an axis: fitted once to all settings, so that the axes stand still while a control moves."""
import math

import numpy as np

from mlcore.widgets.marks import Contour, Heatmap
from mlcore.widgets.packing import PHASE, lattice_scale

MARGIN = 0.05


def fit(marks_and_stacks, axis, log):
    """(low, high) around everything drawn along `axis`, or None if there is nothing.

    A heat map or contour plot ends at its edge and bars stand on the axis; everything else gets a margin.
    """
    loose, tight, bars = [], [], False
    for mark, stacks in marks_and_stacks:
        for stack in stacks:
            values = np.asarray(stack, float)
            values = values[np.isfinite(values) & ((values > 0) | (not log))]
            if not values.size:
                continue
            low, high = float(values.min()), float(values.max())
            if isinstance(mark, Heatmap):
                low, high = half_cells(low, high, np.shape(stack)[-1], log)
            if mark.KIND == "bars" and axis == "x":
                gaps = np.diff(np.unique(values))
                half = (mark.width or 0.8 * (float(gaps.min()) if gaps.size else 1.0)) / 2
                low, high = low - half, high + half
            (tight if isinstance(mark, (Heatmap, Contour)) else loose).extend((low, high))
        bars = bars or (mark.KIND == "bars" and axis == "y" and not log)
    if not loose + tight:
        return None
    lo, hi = min(loose + tight), max(loose + tight)
    near = 1e-9 * (hi - lo)
    covered = tight and min(tight) <= lo + near and max(tight) >= hi - near
    low, high = widen(lo, hi, log, 0 if covered else MARGIN)
    return (0.0 if bars and abs(lo) <= near else low), (0.0 if bars and abs(hi) <= near else high)


def half_cells(lo, hi, n, log):
    """Outer edges of n cells whose first and last centers are lo and hi."""
    if log:
        return tuple(10**v for v in half_cells(math.log10(lo), math.log10(hi), n, False))
    half = (hi - lo) / (2 * (n - 1))
    return lo - half, hi + half


def widen(lo, hi, log, margin):
    """Limits a little outside lo..hi, rounded to about three digits of the span."""
    if log:
        lo, hi = widen(math.log10(lo), math.log10(hi), False, margin)
        return float(f"{10**lo:.4g}"), float(f"{10**hi:.4g}")
    if hi - lo <= 1e-9 * max(abs(lo), abs(hi), 1e-3):
        half = 0.5 * abs(lo) or 0.5
        lo, hi = lo - half, hi + half
    span = hi - lo
    step = lattice_scale(span, 0, 618.034 if margin else 6180.34)
    low, high = math.floor((lo - margin * span) / step + PHASE), math.ceil((hi + margin * span) / step - PHASE)
    return float(f"{low * step:.8g}"), float(f"{high * step:.8g}")


def reach(limits, stack):
    """Where to clip what leaves the panel, so that a diverging curve does not cost the visible part its precision; or None."""
    span = limits[1] - limits[0]
    lo, hi = limits[0] - 5 * span, limits[1] + 5 * span
    finite = stack[np.isfinite(stack)]
    return (lo, hi) if finite.size and (finite.min() < lo or finite.max() > hi) else None
