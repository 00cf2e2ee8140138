"""The LIBSVM text format: one sample a line, a label and the non-zero features as ``index:value``."""

import io
import re
from math import isfinite
from typing import NamedTuple

import numpy as np
from scipy import sparse

from mlcore.base import check_array, check_number, check_same_length
from mlcore.foundations.data_and_tasks.files import (
    DataFormatError,
    format_number,
    is_number,
    read_text,
    whole_file,
)

LARGEST_INDEX = 2**31 - 1  # LIBSVM itself stores indices in 32 bits


class LibsvmData(NamedTuple):
    """A data set read from a LIBSVM file: sparse rows and their labels."""

    X: sparse.csr_array
    y: np.ndarray


def load_libsvm(source, *, n_features=None, zero_based=False):
    """Read ``label index:value ...`` lines; returns ``LibsvmData(X, y)`` with sparse X.

    Parameters
    ----------
    source : path, or file opened in text mode
    n_features : width of X; without it the largest index decides, and two files of one data set may differ
    zero_based : whether the first feature has index 0; the format's own first index is 1

    ``#`` begins a comment. Indices must ascend within a line and values must be finite; whatever breaks the rules raises
    :class:`DataFormatError` with the number of its line.

    >>> X, y = load_libsvm(io.StringIO("+1 1:0.5 3:2 # a comment\\n-1 2:1\\n"))
    >>> X.toarray(), y
    (array([[0.5, 0. , 2. ],
           [0. , 1. , 0. ]]), array([ 1., -1.]))
    """
    text, name = read_text(source)
    if n_features is not None:
        check_number(n_features, "n_features", low=1, high=LARGEST_INDEX, integer=True)
    lines, labels, indices, values, ends = _parse(text, name)
    if not lines:
        raise DataFormatError("the file has no samples.", name=name)
    row_line = np.repeat(lines, np.diff(ends))  # the line of every stored value
    indices, values = np.array(indices, dtype=np.int64), np.array(values, dtype=float)
    first = 0 if zero_based else 1
    _check_entries(indices, values, ends, row_line, first, name)
    width = int(indices.max(initial=first - 1)) + 1 - first
    if n_features is not None and width > n_features:
        raise DataFormatError(f"index {indices.max()} does not fit into n_features={n_features}; "
                              f"at least {width} are needed.", name=name, line=int(row_line[indices.argmax()]))
    shape = (len(lines), max(width, 1) if n_features is None else n_features)
    integer = np.int32 if len(values) <= LARGEST_INDEX else np.int64  # half the memory, and what other libraries expect
    X = sparse.csr_array((values, (indices - first).astype(integer), np.array(ends, dtype=integer)), shape=shape)
    return LibsvmData(X, np.array(labels))


def _parse(text, name):
    """Line numbers, labels and flat lists of indices and values, row r ending at ``ends[r + 1]``."""
    lines, labels, indices, values, ends = [], [], [], [], [0]
    for number, line in enumerate(io.StringIO(text, newline=None), 1):
        sample = line.partition("#")[0]
        fields = sample.split()
        if not fields:
            continue
        try:
            if "_" in sample or not sample.isascii():  # int and float would read 1_000 and digits of other scripts
                raise ValueError
            labels.append(float(fields[0]))
            for pair in fields[1:]:
                index, value = pair.split(":")
                indices.append(int(index))
                values.append(float(value))
        except ValueError:
            raise DataFormatError(_problem(fields), name=name, line=number) from None
        if not isfinite(labels[-1]):
            raise DataFormatError(_problem(fields), name=name, line=number)
        lines.append(number)
        ends.append(len(values))
    return lines, labels, indices, values, ends


def _problem(fields):
    """What is wrong with the first bad field of a line that could not be read."""
    label, *pairs = fields
    if not is_number(label):
        remedy = " (several labels per sample are not supported)" if "," in label else ""
        remedy = " (does the line lack its label?)" if ":" in label else remedy
        return f"the label {label!r} is not a finite number{remedy}."
    for pair in pairs:
        index, colon, value = pair.partition(":")
        if index == "qid":
            return f"{pair!r} names a query; ranking data are not supported."
        if not colon or ":" in value:
            return f"{pair!r} is not of the form index:value."
        if re.fullmatch(r"[+-]?[0-9]+", index) is None:
            return f"the index of {pair!r} is not an integer."
        if not is_number(value):
            return f"the value of {pair!r} is not a finite number."
    raise AssertionError(f"no fault found in {fields}")


def _check_entries(indices, values, ends, row_line, first, name):
    """Raise for the first entry whose index or value is not allowed."""
    ascending = np.diff(indices, prepend=-1) > 0
    ascending[[end for end in ends[:-1] if end < len(indices)]] = True  # the first entry of a row has none before it
    for bad, message in (
        (indices < first, "index {index} is below {first}" + ("; pass zero_based=True if the file counts from 0." if first else ".")),
        (indices > LARGEST_INDEX, f"index {{index}} is above {LARGEST_INDEX}."),
        (~ascending, "index {index} comes after {previous}; indices must ascend, each at most once."),
        (~np.isfinite(values), "feature {index} is {value}; values must be finite."),
    ):
        if bad.any():
            at = int(bad.argmax())
            raise DataFormatError(message.format(index=indices[at], first=first, previous=indices[at - 1], value=values[at]),
                                  name=name, line=int(row_line[at]))


def save_libsvm(path, X, y, *, zero_based=False):
    """Write X (dense or sparse) and labels y so that :func:`load_libsvm` recovers every number exactly.

    Zeros are left out, so the file does not know how wide X is; the file is replaced in one piece.
    """
    X = _as_sparse(X)
    y = check_array(y, name="y", ndim=1)
    check_same_length(np.empty(X.shape[0]), y)
    fields = [[format_number(label)] for label in y]
    first = 0 if zero_based else 1
    for i, row in enumerate(fields):
        start, end = X.indptr[i], X.indptr[i + 1]
        row += [f"{j}:{format_number(v)}" for j, v in zip((X.indices[start:end] + first).tolist(), X.data[start:end].tolist())]
    with whole_file(path) as file:
        file.writelines(" ".join(row) + "\n" for row in fields)


def _as_sparse(X):
    """Rows of X with their non-zero entries in order; the caller's matrix is left alone."""
    if not sparse.issparse(X):
        return sparse.csr_array(check_array(X, squared=False))
    X = sparse.csr_array(X, dtype=float, copy=True)
    X.sum_duplicates()  # which also sorts each row
    X.eliminate_zeros()
    if not np.isfinite(X.data).all():
        raise ValueError("X contains NaN or infinity; remove or impute such values.")
    return X
