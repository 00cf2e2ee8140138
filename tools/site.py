"""Build the site from the stored outputs of the notebooks; every warning is an error.

    python tools/site.py                                  the whole book into _build/html
    python tools/site.py --preview supervised/k_means     one chapter alone, for a quick look
"""

import argparse
import contextlib
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

JUPYTER_BOOK = [sys.executable, "-c", "from jupyter_book.cli.main import main; main()"]
NOT_WRITTEN = r"\[Errno (?:28|27|122|30)\] ([\w -]+)"      # disk full, file too large, quota exceeded, read-only


def build(out, toc=None, strict=True):
    """Build the pages and return their folder, ``out``/_build/html.

    They are made in a folder of their own, which takes the place of the old one when all is well: a build that fails, is killed
    or meets a full disk leaves the site as it was, and two builds at once do not meet.
    """
    target = out / "_build"
    try:
        target.mkdir(parents=True, exist_ok=True)
        sweep(target)
        with tempfile.TemporaryDirectory(prefix=f".site-{os.getpid()}-", dir=target) as staging:
            make(pathlib.Path(staging), toc, strict)
            return replace(pathlib.Path(staging) / "_build" / "html", target / "html")
    except OSError as error:
        sys.exit(f"error: {target} could not be written ({error.strerror}); free some space and build again. The site there is as it was.")


def sweep(target):
    """Remove what killed builds left behind: their process is gone. A site that was on its way out goes back first."""
    for old in target.glob(".site-*"):
        process = old.name.split("-")[1]
        if process.isdigit() and not pathlib.Path(f"/proc/{process}").exists() and pathlib.Path("/proc/self").exists():
            with contextlib.suppress(OSError):              # not there, or another site has taken the place
                (old / "_build/replaced").rename(target / "html")
            shutil.rmtree(old, ignore_errors=True)


def replace(new, target):
    """Put a folder in the place of another by two renames; if a second build comes between them, once more."""
    away = new.parent / "replaced"
    while True:
        shutil.rmtree(away, ignore_errors=True)
        with contextlib.suppress(FileNotFoundError):
            target.rename(away)
        try:
            return new.rename(target)
        except OSError:
            if not target.exists():
                if away.exists():
                    away.rename(target)
                raise


def make(out, toc, strict):
    """Run Jupyter Book; exit with the warnings' places if there are any."""
    command = [*JUPYTER_BOOK, "build", str(ROOT), "--path-output", str(out), "--all", "--quiet"]
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
    if run.returncode and (full := re.search(NOT_WRITTEN, text)):
        sys.exit(f"error: the pages could not be written ({full[1].strip()}); free some space and build again. The site is as it was.")
    if run.returncode or (strict and problems):
        sys.exit(f"error: the site was not built cleanly ({len(problems)} warnings above)." if problems
                 else "error: the build failed:\n" + "\n".join(text.splitlines()[-25:]))


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
