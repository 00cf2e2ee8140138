"""How one algorithm is measured beside its reference: interleaved runs, medians, peak memory, agreement."""

import ctypes
import dataclasses
import gc
import importlib
import math
import os
import pathlib
import statistics
import time
import warnings
from collections.abc import Callable

RUNS = 5                 # at least so many timed runs of each side; more while they are short
SHORTEST = 0.005         # one timing lasts at least so many seconds: quick calls are repeated within it
SECONDS = 0.3            # runs are added until so many seconds were measured
MOST_RUNS = 25
CASES = []


@dataclasses.dataclass(frozen=True)
class Case:
    """An algorithm in two implementations; ``build(**size)`` returns (ours, theirs, difference)."""

    name: str
    mlcore: str
    reference: str
    target: float
    sizes: tuple
    build: Callable
    note: str = ""


def case(name, mlcore, reference, target, sizes, note=""):
    """Register ``build(**size)``: two functions without arguments that do the same work, and the largest difference of their results.

    ``sizes`` are dictionaries of arguments; their first entry is the one that grows, and gives the slope. ``target`` is the ratio
    that the design allows: 2 for linear algebra, 10 for a sequential solver.
    """
    grows = next(iter(sizes[0]))
    if len(sizes) < 2 or [s[grows] for s in sizes] != sorted({s[grows] for s in sizes}):
        raise ValueError(f"{name}: at least two sizes, growing in {grows}, are wanted; got {sizes}.")
    module, _, attribute = mlcore.rpartition(".")
    getattr(importlib.import_module(module), attribute)        # a case whose name is wrong must not reach the page

    def register(build):
        CASES.append(Case(name, mlcore, reference, target, tuple(sizes), build, note))
        return build

    return register


def seconds(run, repeat):
    """Mean time of one call within ``repeat`` calls."""
    start = time.perf_counter()
    for _ in range(repeat):
        run()
    return (time.perf_counter() - start) / repeat


def medians(ours, theirs):
    """Median seconds of both sides, run in turns so that a busy moment of the machine meets both; and the number of runs."""
    repeats = [max(1, math.ceil(SHORTEST / max(seconds(run, 1), 1e-7))) for run in (ours, theirs)]
    times = [], []
    gc.collect()
    gc.disable()
    try:
        while len(times[0]) < RUNS or (sum(times[0]) * repeats[0] + sum(times[1]) * repeats[1] < SECONDS and len(times[0]) < MOST_RUNS):
            for run, repeat, kept in zip((ours, theirs), repeats, times):
                kept.append(seconds(run, repeat))
    finally:
        gc.enable()
    return statistics.median(times[0]), statistics.median(times[1]), len(times[0])


def resident(field):
    """VmRSS (now) or VmHWM (peak) of this process in MB."""
    line = next(x for x in pathlib.Path("/proc/self/status").read_text().splitlines() if x.startswith(field))
    return int(line.split()[1]) / 1024


def peak_memory(run):
    """MB that ``run`` needs above what the process holds already, measured in a fork; None where Linux's counters are missing."""
    if not pathlib.Path("/proc/self/clear_refs").exists():
        return None
    libc = ctypes.CDLL(None)
    reader, writer = os.pipe()
    gc.collect()
    gc.freeze()        # a collection in the child would write to, and so copy, every object of the parent
    child = os.fork()
    if child == 0:
        status = 1
        try:
            run()        # a fork maps the pages of the libraries anew when they are used: they are no memory of the run
            if hasattr(libc, "malloc_trim"):
                libc.malloc_trim(0)        # memory that earlier runs freed would otherwise be used again without being counted
            pathlib.Path("/proc/self/clear_refs").write_text("5")        # the peak starts here
            before = resident("VmRSS")
            run()
            os.write(writer, repr(max(0.0, resident("VmHWM") - before)).encode())
            status = 0
        finally:
            os._exit(status)
    gc.unfreeze()
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    if not text:
        raise RuntimeError("the run that measures memory failed; run the case alone to see why.")
    return float(text)


def slope(points):
    """Slope of log(seconds) against log(size): least squares through the points (size, seconds)."""
    x, y = [math.log(size) for size, _ in points], [math.log(t) for _, t in points]
    mean_x, mean_y = statistics.fmean(x), statistics.fmean(y)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / sum((a - mean_x) ** 2 for a in x)


def measure(one):
    """The rows of one case, one for each size; the slopes are on all of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")        # of both sides: runs of a fixed length say that they did not converge
        return _measure(one)


def _measure(one):
    rows = []
    for size in one.sizes:
        ours, theirs, difference = one.build(**size)
        gap = float(difference(ours(), theirs()))
        if not math.isfinite(gap):
            raise ValueError(f"{one.name} {size}: the difference of the results is {gap}.")
        own, other, runs = medians(ours, theirs)
        memory = [peak_memory(run) for run in (ours, theirs)]
        rows.append({"name": one.name, "mlcore": one.mlcore, "reference": one.reference, "target": one.target, "note": one.note,
                     "size": size, "seconds": own, "reference_seconds": other, "ratio": own / other, "runs": runs,
                     "memory": memory[0], "reference_memory": memory[1], "difference": gap, "over": own / other > one.target})
    grows = next(iter(one.sizes[0]))
    slopes = [slope([(row["size"][grows], row[key]) for row in rows]) for key in ("seconds", "reference_seconds")]
    return [row | {"grows": grows, "slope": slopes[0], "reference_slope": slopes[1]} for row in rows]
