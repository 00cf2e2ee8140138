"""Comma-separated values: a table of numbers with named columns, one of which may be the target."""

import csv
import io
import numbers

import numpy as np

from mlcore.base import as_array, check_array, check_number, check_same_length
from mlcore.datasets.tables import Table
from mlcore.foundations.data_and_tasks.files import (
    DataFormatError,
    format_number,
    is_number,
    parse_numbers,
    read_text,
    whole_file,
)


def load_csv(source, *, target=None, header=True, skip=0, delimiter=",", text_target=False):
    """Read a table of numbers; returns ``Table(X, y, feature_names, target_name)``.

    Parameters
    ----------
    source : path, or file opened in text mode
    target : name or position of the column that becomes y; None reads features only (y is None)
    header : whether the first line names the columns; otherwise they are x0, x1, ...
    skip : lines to pass over before that
    text_target : read the target as text even if it looks like numbers; otherwise text is kept only if no entry is a number

    A line with too few or too many fields, a feature that is not a finite number and a missing value raise
    :class:`DataFormatError` with the number of the line. Blank lines are passed over.

    >>> table = load_csv(io.StringIO("area,price\\n2104,400\\n1600,330\\n"), target="price")
    >>> table.X.ravel(), table.y, table.feature_names
    (array([2104., 1600.]), array([400., 330.]), ('area',))
    """
    text, name = read_text(source)
    _check_delimiter(delimiter)
    check_number(skip, "skip", low=0, integer=True)
    lines, rows = _read_rows(text, name, skip, delimiter)
    if header:
        names = _column_names(rows.pop(0), name, lines.pop(0))
    else:
        names = tuple(f"x{j}" for j in range(len(rows[0])))
    if not rows:
        raise DataFormatError("there is a header but no row of data.", name=name)
    for line, row in zip(lines, rows):
        if len(row) != len(names):
            hint = f"; is the delimiter really {delimiter!r}?" if 1 in (len(row), len(names)) else "."
            raise DataFormatError(f"{len(row)} fields, but {'the header' if header else 'the first row'} has {len(names)}{hint}",
                                  name=name, line=line)
    column = None if target is None else _position(target, names)
    features = [j for j in range(len(names)) if j != column]
    if not features:
        raise DataFormatError("the target is the only column; there is no feature.", name=name)
    X = _features(rows, features, names, name, lines)
    kept = tuple(names[j] for j in features)
    if column is None:
        return Table(X, None, kept, None)
    return Table(X, _target([row[column] for row in rows], text_target, names[column], name, lines), kept, names[column])


def _check_delimiter(delimiter):
    if not isinstance(delimiter, str) or len(delimiter) != 1:
        raise ValueError(f"delimiter must be one character, got {delimiter!r}.")


def _read_rows(text, name, skip, delimiter):
    """Numbers of the lines and fields of all rows that are not blank."""
    lines, rows = [], []
    file = io.StringIO(text, newline="")
    for _ in range(skip):
        file.readline()
    reader = csv.reader(file, delimiter=delimiter, strict=True)
    first = skip + 1  # a quoted field may hold line breaks, so a row is named by the line it begins on
    try:
        for row in reader:
            if len(row) > 1 or "".join(row).strip():
                lines.append(first)
                rows.append(row)
            first = skip + reader.line_num + 1
    except csv.Error as error:
        raise DataFormatError(f"{error}; quotes must open and close around a whole field.", name=name, line=first) from None
    if not rows:
        raise DataFormatError("the file is empty.", name=name)
    return lines, rows


def _column_names(row, name, line):
    names = tuple(field.strip() for field in row)
    if "" in names:
        raise DataFormatError(f"column {names.index('') + 1} of the header has no name.", name=name, line=line)
    for field in names:
        if names.count(field) > 1:
            raise DataFormatError(f"the header has {names.count(field)} columns named {field!r}; names must differ.", name=name, line=line)
    if all(map(is_number, names)):
        raise DataFormatError("the header holds only numbers; pass header=False if the file has none.", name=name, line=line)
    return names


def _position(target, names):
    """Column of the target, given by its name or by its position (negative ones count from the end)."""
    if isinstance(target, numbers.Integral) and not isinstance(target, bool):
        if -len(names) <= target < len(names):
            return int(target) % len(names)
        raise ValueError(f"target {target} is outside the {len(names)} columns.")
    if target not in names:
        raise ValueError(f"there is no column {target!r}; the columns are {', '.join(names)}.")
    return names.index(target)


def _features(rows, features, names, name, lines):
    """The features as an array; all rows are taken for good, and looked at one by one only if one is not."""
    try:
        X = np.array(parse_numbers([row[j] for row in rows for j in features])).reshape(len(rows), len(features))
        if np.isfinite(X).all():
            return X
    except ValueError:
        pass
    row, line, j = next((row, line, j) for row, line in zip(rows, lines) for j in features if not is_number(row[j]))
    what = "is empty; fill in or drop missing values" if not row[j].strip() else f"holds {row[j]!r}, which is not a finite number"
    raise DataFormatError(f"column {names[j]!r} {what}.", name=name, line=line)


def _target(column, text_target, target, name, lines):
    """The target as numbers if all of it is numeric, as text if none of it is."""
    numeric = [is_number(field) for field in column]
    for field, line in zip(column, lines):
        if not field.strip():
            raise DataFormatError(f"the target {target!r} is empty; every row needs one.", name=name, line=line)
    if text_target or not any(numeric):
        return np.array(column)
    if not all(numeric):
        bad = numeric.index(False)
        raise DataFormatError(f"the target {target!r} holds {column[bad]!r} where other rows hold numbers; "
                              "correct it, or pass text_target=True to read labels.", name=name, line=lines[bad])
    return np.array(parse_numbers(column))


def save_csv(path, X, y=None, *, feature_names=None, target_name="target", delimiter=","):
    """Write a table that :func:`load_csv` reads back exactly; the target is the last column.

    Numbers are written with as many digits as it takes to recover them, and the file is replaced in one piece.
    """
    X = check_array(X, squared=False)
    _check_delimiter(delimiter)
    names = [f"x{j}" for j in range(X.shape[1])] if feature_names is None else [str(field) for field in feature_names]
    if len(names) != X.shape[1]:
        raise ValueError(f"feature_names has {len(names)} names, but X has {X.shape[1]} columns.")
    columns = [map(format_number, column) for column in X.T]
    if y is not None:
        y = as_array(y, "y")
        check_same_length(X, y)
        if y.dtype.kind in "US":
            if any(not str(label).strip() for label in y):
                raise ValueError("y holds an empty label; every row needs one.")
            columns.append(map(str, y))
        else:
            columns.append(map(format_number, check_array(y, name="y", ndim=1)))
        names.append(str(target_name))
    _column_names(names, "", None)  # what could not be read back is not written
    with whole_file(path) as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(zip(*columns))
