"""What every data format needs: text in, text out in one piece, strict numbers, errors that name the line."""

import contextlib
import os
import secrets
import shutil


class DataFormatError(ValueError):
    """A data file that does not say what its format wants; ``line`` is the number of the line, or None."""

    def __init__(self, message, *, name="", line=None):
        place = ", ".join(([name] if name else []) + ([f"line {line}"] if line else []))
        super().__init__(f"{place}: {message}" if place else message)
        self.line = line


def read_text(source):
    """Return the text of a path or of a file opened in text mode, and a name for messages."""
    if hasattr(source, "read"):
        text = source.read()
        if not isinstance(text, str):
            raise ValueError("the file must be opened in text mode; open(path, encoding='utf8') does it.")
        return text.removeprefix("\ufeff"), os.path.basename(str(getattr(source, "name", "")))
    if isinstance(source, str) and "\n" in source:
        raise ValueError("source must be a path or an open text file, but it looks like the contents; wrap them in io.StringIO(...).")
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"source must be a path or an open text file, got {source!r}.")
    name = os.path.basename(os.fspath(source))
    with open(source, "rb") as file:
        data = file.read()
    try:
        return data.decode("utf-8-sig"), name  # spreadsheets put a byte-order mark in front; -sig drops it
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataFormatError(f"byte {data[error.start]:#04x} is not UTF-8 text; save the file as UTF-8.", name=name, line=line) from None


@contextlib.contextmanager
def whole_file(path):
    """Open ``path`` for writing so that it changes all at once or not at all.

    The text goes to a new file in the same folder, which then takes the place of ``path``; if anything fails on the way,
    the new file is removed and the old one is as it was.
    """
    path = os.path.realpath(path)  # a link keeps pointing to the file it points to
    temporary = f"{path}.{secrets.token_hex(6)}.tmp"
    try:
        with open(temporary, "x", encoding="utf8", newline="") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(path):
            shutil.copymode(path, temporary)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.remove(temporary)
        raise


def parse_numbers(fields):
    """Decimal numbers of a list of texts; refuses what only Python reads as one (``1_000``, digits of other scripts)."""
    joined = "".join(fields)
    if "_" in joined or not joined.isascii():
        raise ValueError("not a plain decimal number")
    return list(map(float, fields))


def is_number(field):
    """Whether a text is a finite plain decimal number."""
    try:
        return abs(parse_numbers([field])[0]) < float("inf")
    except ValueError:
        return False


def format_number(value):
    """Shortest text that reads back as exactly this float, without a trailing ``.0``.

    >>> format_number(0.1 + 0.2), format_number(2104.0)
    ('0.30000000000000004', '2104')
    """
    return repr(float(value)).removesuffix(".0")
