"""How many students the live book carries here: all at the same time open a chapter through the hub and run all its cells.

    python tools/bench_live.py [--students 1 2 4 8 12] [--chapter supervised/linear_regression]

Prints a line per size of class and ends with 1 if anything failed.
"""

import argparse
import multiprocessing
import os
import pathlib
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from tools.classroom import Hub, Student, code_of, memory_of  # noqa: E402


def study(arguments):
    """One student, in a process of their own: seconds to the book, seconds for the chapter, what failed."""
    hub, name, chapter = arguments
    student, start = Student(hub, name), time.monotonic()
    try:
        status = student.log_in()
        if status != 200:
            return None, None, [f"the login of {name} was answered {status}"]
        student.open_book()
        opened = time.monotonic()
        errors = student.run(student.start_kernel(chapter), code_of(chapter), seconds=1200)
        return opened - start, time.monotonic() - opened, errors
    except Exception as error:                          # whatever went wrong is what the table is for
        return None, None, [f"{name}: {type(error).__name__}: {error}"]


def available():
    """Megabytes of memory that are free."""
    meminfo = dict(line.split(":") for line in pathlib.Path("/proc/meminfo").read_text().splitlines())
    return int(meminfo["MemAvailable"].split()[0]) / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--students", type=int, nargs="+", default=[1, 2, 4, 8, 12])
    parser.add_argument("--chapter", default="supervised/linear_regression")
    options = parser.parse_args()
    print(f"{os.cpu_count()} processors, {available() / 1024:.0f} GB free; each student runs all {len(code_of(options.chapter))} "
          f"code cells of {options.chapter}\n")
    print("students   book open (s): median, worst   chapter run (s): median, worst   MB per student   failures")
    failed = 0
    for n in options.students:
        names = [f"student{i:02d}" for i in range(n)]
        with tempfile.TemporaryDirectory(prefix="bench-live-") as folder, Hub(folder) as hub, multiprocessing.Pool(n) as pool:
            results = pool.map(study, [(hub.address, name, options.chapter) for name in names], chunksize=1)
            memory = [memory_of(name) for name in names]
        problems = [p for *_, errors in results for p in errors]
        failed += len(problems)
        opened, ran = ([r[i] for r in results if r[i] is not None] or [float("nan")] for i in (0, 1))
        print(f"{n:8d}   {statistics.median(opened):21.1f} {max(opened):8.1f}   {statistics.median(ran):22.1f} {max(ran):8.1f}"
              f"   {statistics.mean(memory):14.0f}   {len(problems):8d}", flush=True)
        for problem in problems[:5]:
            print("    ", problem[:200])
        if statistics.mean(memory) * n * 2 > available():
            print("The next size would not fit into memory; stopping here.")
            break
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
