"""What mlcore was tried with, and how the calls ended."""

import csv

from tools.reference.chapters import front

TABLE = "book/reference/bad_input.csv"
ANSWERS = ("same answer", "answer in scale", "finite answer", "entry by entry")
TRIED = [
    ("the same numbers in another dress",
     "float32, 64-bit and 8-bit integers with and without sign, big-endian, Fortran order, every second entry of a larger array, "
     "reversed strides, read-only, nested lists, arrays of objects, a pandas frame or series with named rows or of nullable type",
     "the answer of the plain array; objects and nullable types may be refused"),
    ("other scales",
     "times $2^{27}$, $2^{-27}$, $2^{498}$ and $2^{-498}$, about $10^{\\pm 8}$ and $10^{\\pm 150}$",
     "a finite answer, or an error; where the answer follows the factors 1/8 to 8 by a power, it follows these, too"),
    ("damage",
     "NaN, infinities, no rows, no columns, an axis too many or too few, a row missing beside other arrays, a column missing "
     "when a model is asked, rows of unequal length, text, None, complex numbers, objects, masked entries, missing values, "
     "dates, fractions for whole numbers, negative counts, unknown options, wrong seeds, no function where one is wanted",
     "an error that says what is wrong"),
]
COLUMNS = ("Package", "What", "Objects", "Calls", "Answers", "Clear errors", "Valid by definition")


def read(root):
    """The rows of the table that ``tests/fuzz/table.py`` writes, counts as numbers."""
    path = root / TABLE
    if not path.exists():
        raise ValueError(f"{TABLE} is missing; run .venv/bin/python tests/fuzz/table.py")
    with path.open(encoding="utf8", newline="") as file:
        return [{name: value if name in ("package", "kind") else int(value) for name, value in row.items()}
                for row in csv.DictReader(file)]


def counts(row):
    """Objects, calls, answers, clear errors, and calls whose input is documented to be valid or whose overflow is announced."""
    return (row["objects"], row["dress"] + row["scale"] + row["damage"], sum(row[name] for name in ANSWERS), row["clear error"],
            row["valid here"] + row["overflow announced"])


def table_row(*cells):
    return f"| {' | '.join(map(str, cells))} |"


def pages(root, chapters):
    """One page: what was tried, and the counts by package."""
    rows = read(root)
    total = [sum(column) for column in zip(*map(counts, rows))]
    tried = {row["package"] for row in rows}
    missing = [name for name in (chapter.name.replace("/", ".") for chapter in chapters) if name not in tried]
    rest = f"Not among them yet: {', '.join(f'`mlcore.{name}`' for name in missing)}." if missing else ""
    lines = [front("bad-input") + "# Bad input", "",
             f"Every estimator, function and class of {len(tried)} packages of `mlcore` is called with input that is dressed differently,",
             f"scaled or damaged: **{total[1]} calls** of **{total[0]} public objects**, one argument at a time. Each call must end",
             "in a right answer or in a sentence that says what is wrong. A crash inside numpy, a NaN that goes unnoticed, a warning of",
             "numpy beside a finite answer, or a write to the caller's array fails the tests. " + rest, "",
             "| What | How | What must happen |", "|---|---|---|", *(table_row(*row) for row in TRIED), "",
             table_row(*COLUMNS), "|---|---|---:|---:|---:|---:|---:|"]
    lines += [table_row(f"`mlcore.{row['package']}`", row["kind"], *counts(row)) for row in rows]
    lines += [table_row("all", "", *total).replace("|  |", "| |"), "",
              "Answers are those of the plain array, entry by entry the same, in proportion at another scale, or finite where no power of",
              "the factor is the rule; for estimators, the tests scale all rows and compare the predictions. The last column counts input",
              "that is valid where it stands, for example text as class labels, an infinite $C$ for the",
              "hard margin, or more axes for a function that works entry by entry; and a few sums whose overflow numpy announces.", ""]
    return {"bad_input.md": "\n".join(lines)}
