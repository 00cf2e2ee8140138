"""Measure every case, print the table, write book/reference/benchmarks.json.

    python -m tools.bench               all cases, and write the file that the page of the book shows
    python -m tools.bench ridge lasso   only the cases whose name holds one of these words; nothing is written
"""

import datetime
import importlib
import json
import os
import pathlib
import pkgutil
import platform
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RESULT = ROOT / "book/reference/benchmarks.json"
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
PACKAGES = ("numpy", "scipy", "scikit-learn", "torch")


def processor():
    """The processor's name as the system gives it."""
    info = pathlib.Path("/proc/cpuinfo")
    names = [x.partition(":")[2].strip() for x in info.read_text().splitlines() if x.startswith("model name")] if info.exists() else []
    return names[0] if names else platform.processor() or platform.machine()


def machine():
    """What the numbers were measured on."""
    from importlib.metadata import version

    return {"processor": processor(), "cores": os.cpu_count(), "threads": 1, "system": platform.system(),
            "python": platform.python_version(), "date": datetime.date.today().isoformat(),
            "packages": {name: version(name) for name in PACKAGES}}


def size_text(size):
    """A size as words: ``n = 10,000, d = 50``."""
    return ", ".join(f"{name} = {value:,}" if isinstance(value, int) else f"{name} = {value}" for name, value in size.items())


def line(row):
    """One row of the printed table."""
    memory = "" if row["memory"] is None else f"{row['memory']:8.1f} {row['reference_memory']:8.1f}"
    return (f"{row['name'][:34]:34} {size_text(row['size'])[:30]:30} {1e3 * row['seconds']:10.2f} {1e3 * row['reference_seconds']:10.2f} "
            f"{row['ratio']:7.2f}{'!' if row['over'] else ' '} {memory} {row['difference']:9.1e} "
            f"{row['slope']:5.2f} {row['reference_slope']:5.2f}")


def main(words):
    """Run the cases; the file is replaced only when all of them went through."""
    if any(os.environ.get(name) != "1" for name in ONE_THREAD):
        os.execve(sys.executable, [sys.executable, "-m", "tools.bench", *words], {**os.environ, **ONE_THREAD})
    from tools import bench
    from tools.bench import measure

    for module in sorted(m.name for m in pkgutil.iter_modules(bench.__path__) if m.name.startswith("cases_")):
        importlib.import_module(f"tools.bench.{module}")
    chosen = [one for one in measure.CASES if not words or any(word.lower() in one.name.lower() for word in words)]
    if not chosen:
        sys.exit(f"error: no case has one of the words {', '.join(words)}; the cases are: {'; '.join(c.name for c in measure.CASES)}.")
    print(f"{'case':34} {'size':30} {'mlcore ms':>10} {'other ms':>10} {'ratio':>7}   {'MB':>8} {'other MB':>8} {'differ':>9} slope other")
    rows = []
    for one in chosen:
        for row in measure.measure(one):
            print(line(row), flush=True)
            rows.append(row)
    over = [row for row in rows if row["over"]]
    print(f"{len(rows)} rows of {len(chosen)} cases; {len(over)} over their target")
    if not words:
        draft = RESULT.with_suffix(".tmp")
        draft.write_text(json.dumps({"machine": machine(), "rows": rows}, indent=1) + "\n", "utf8")
        draft.replace(RESULT)
        print(f"written: {RESULT.relative_to(ROOT)}")


if __name__ == "__main__":
    main(sys.argv[1:])
