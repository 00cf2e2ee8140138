"""Build the site from the stored outputs of the notebooks; every warning is an error.

    python tools/site.py                                  the whole book into _build/html
    python tools/site.py --preview supervised/k_means     one chapter alone, for a quick look
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from tools.notebook import ChapterError, chapter_path  # noqa: E402


def build(out, toc=None, strict=True):
    """Run Jupyter Book; return the folder of the built pages. Exit with the warnings' places if there are any."""
    out.mkdir(parents=True, exist_ok=True)
    jupyter_book = [sys.executable, "-c", "from jupyter_book.cli.main import main; main()"]
    command = [*jupyter_book, "build", str(ROOT), "--path-output", str(out), "--all", "--quiet"]
    if toc:
        command += ["--toc", str(toc)]
    if strict:
        command += ["-W", "-n", "--keep-going"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    text = re.sub(r"\x1b\[[0-9;]*m", "", run.stdout + run.stderr).replace(str(ROOT) + "/", "")
    # myst-nb numbers lines as 10000 * cell + line
    text = re.sub(r"\.ipynb:(\d+)(\d{4}):", lambda place: f".ipynb, cell {place[1]}, line {int(place[2])}:", text)
    problems = [line for line in text.splitlines() if re.search(r"\b(WARNING|ERROR|CRITICAL)\b", line)]
    for line in problems:
        print(line)
    html = out / "_build" / "html"
    if run.returncode or (strict and problems):
        sys.exit(f"error: the site was not built cleanly ({len(problems)} warnings above)." if problems
                 else "error: the build failed:\n" + "\n".join(text.splitlines()[-25:]))
    return html


def preview_toc(chapter):
    """A table of contents with the front page and one chapter."""
    try:
        path = chapter_path(chapter)
    except ChapterError as error:
        sys.exit(f"error: {error}")
    name = path.relative_to(ROOT / "book").with_suffix("").as_posix()
    file = pathlib.Path(tempfile.mkdtemp()) / "_toc.yml"
    file.write_text("format: jb-book\nroot: index\nparts:\n"
                    f"  - caption: Preview\n    numbered: 2\n    chapters:\n      - file: book/{name}\n"
                    "  - caption: Reference\n    chapters:\n      - file: book/reference/bibliography\n")
    return file


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT)
    parser.add_argument("--preview", metavar="CHAPTER")
    args = parser.parse_args()
    start = time.perf_counter()
    if args.preview is not None:
        toc = preview_toc(args.preview)
        html = build(args.out.resolve(), toc, strict=False)
        shutil.rmtree(toc.parent)
    else:
        html = build(args.out.resolve())
    print(f"{html}/index.html built in {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
