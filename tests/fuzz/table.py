"""Write the table of what was tried: python tests/fuzz/table.py writes book/reference/bad_input.csv.

With names (python tests/fuzz/table.py supervised.perceptron), it prints what is wrong with the objects so named instead.

One row for each package: how many objects, how many calls of each kind, and how they ended. The tests compare the numbers of
objects and calls with the code, so that an old table is noticed.
"""

import collections
import csv
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from fuzz.checking import AT  # noqa: E402
from fuzz.trials import tested, trials  # noqa: E402

PATH = ROOT / "book/reference/bad_input.csv"
GROUPS = ("dress", "scale", "damage")
ENDINGS = ("same answer", "answer in scale", "finite answer", "overflow announced", "entry by entry", "valid here", "clear error")
COLUMNS = ("package", "kind", "objects", *GROUPS, *ENDINGS)


def planned():
    """(package, estimator or function) -> how many objects, and how many calls of each group."""
    rows = collections.defaultdict(collections.Counter)
    for label, public in tested().items():
        row = rows[public.package, "estimators" if public.kind == "estimator" else "functions and classes"]
        row["objects"] += 1
        row.update(change.group for change in trials(label).changes)
    return rows


def measured():
    """The plan, with how each call ended; a bad ending stops the run."""
    rows = planned()
    for label, public in tested().items():
        tried = trials(label)
        for change in tried.changes:
            verdict = tried.judge(change, AT)
            if verdict.bad:
                sys.exit(f"error: {label}, argument {change.argument}, {change.kind}: {verdict.bad}")
            rows[public.package, "estimators" if public.kind == "estimator" else "functions and classes"][verdict.good] += 1
    return rows


def read(path=PATH):
    """The rows of the table that was written."""
    with path.open(encoding="utf8", newline="") as file:
        return list(csv.DictReader(file))


def findings(names):
    """Lines that say what is wrong with the objects whose label begins with one of the names."""
    for label in tested():
        if label.startswith(tuple(names)):
            for change in trials(label).changes:
                bad = trials(label).judge(change, AT).bad
                if bad:
                    yield f"{label}, argument {change.argument}, {change.kind}: {bad}"


def main():
    if sys.argv[1:]:
        sys.exit("\n".join(findings(sys.argv[1:])) or None)
    rows = sorted(measured().items())
    with PATH.open("w", encoding="utf8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for (package, kind), row in rows:
            writer.writerow([package, kind, *(row[name] for name in COLUMNS[2:])])
    print(f"wrote {PATH.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
