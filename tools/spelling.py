"""What the spelling check looks at: prose, docstrings and comments, in American English."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CODESPELL = [
    sys.executable, "-m", "codespell_lib", "--builtin", "clear,rare,en-GB_to_en-US", "--ignore-words", "tools/spelling_allow.txt",
    "--ignore-regex", r"[A-Za-z0-9+/]{60,}={0,2}|https?://\S+", "--skip", "*.csv,*.svg,*.png,constraints.txt,references.bib",
    "README.md", "CONTRIBUTING.md", "index.md", "book", "mlcore", "tools", "tests",
]
