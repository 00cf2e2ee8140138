"""The tests and the notebooks on other versions of Python and of the packages that the book computes with.

    python tools/matrix.py                   all environments
    python tools/matrix.py oldest 3.13       some of them
    python tools/matrix.py --shuffle 3       the notebooks of the book's own environment, three times in random order

oldest   the least versions that pyproject.toml names, each at its very first release
newest   the latest release of the same packages
3.12 ..  the pinned versions on another Python, if that Python is installed

Each environment lives in _build/matrix/<name> and is kept for the next time. The pictures of the notebooks are not compared (they belong
to one matplotlib), every text and HTML output is. A summary is printed at the end and written to _build/matrix/summary.txt.
"""

import argparse
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from tools import notebook  # noqa: E402
from tools.check import NBVAL  # noqa: E402
from tools.setup import TORCH_CPU_WHEELS, torch_pin  # noqa: E402

FOLDER = ROOT / "_build/matrix"
PYTHONS = ("3.12", "3.13")          # the pinned versions on 3.11 are what `make test` runs
COMPUTING = ("numpy", "scipy", "matplotlib", "scikit-learn", "anywidget", "ipywidgets")
SHOWN = ("numpy", "scipy", "matplotlib", "scikit-learn", "torch")


def minimums():
    """Package -> least version, from the dependencies of pyproject.toml and its extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))["project"]
    lines = [*project["dependencies"], *(line for extra in project["optional-dependencies"].values() for line in extra)]
    return dict(re.fullmatch(r"([\w-]+)>=([\d.]+)", line).groups() for line in lines)


def pins(name):
    """The lines of requirements.txt or constraints.txt as package -> version."""
    lines = (line.strip() for line in (ROOT / name).read_text("utf8").splitlines())
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


def environments():
    """Name -> (version of Python, requirements, constraints)."""
    wanted, fixed, least = pins("requirements.txt"), pins("constraints.txt"), minimums()
    compared = {name: least[name] for name in COMPUTING}

    def lines(changed):
        """Requirements and constraints with some packages at other versions (None: whatever is newest)."""
        here = {**wanted, **changed}
        free = {name for name in changed if changed[name] is None} | {"contourpy", "kiwisolver", "fonttools", "pillow", "pandas"}
        others = {name: version for name, version in fixed.items() if name not in changed and name not in free}
        return ([f"{name}=={version}" if version and name not in free else name for name, version in here.items()],
                [f"{name}=={version}" for name, version in others.items()])

    first = {name: version + ".0" * (2 - version.count(".")) for name, version in compared.items()}
    return {"oldest": ("3.11", *lines(first)), "newest": ("3.11", *lines(dict.fromkeys(compared))),
            **{version: (version, *lines({})) for version in PYTHONS}}


def interpreter(version):
    """A Python of this version: on the path, or among pyenv's; None if there is none."""
    home = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv"))
    found = [shutil.which(f"python{version}"), *map(str, sorted(home.glob(f"versions/{version}.*/bin/python")))]
    for path in filter(None, found):
        run = subprocess.run([path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True, text=True)
        if run.returncode == 0 and run.stdout.strip() == version:
            return path
    return None


def prepare(name, python, requirements, constraints):
    """Make or reuse the environment; return its Python. RuntimeError holds the end of pip's words."""
    folder = FOLDER / name
    stamp, wanted = folder / "installed.txt", "\n".join([python, *requirements, *constraints])
    own = folder / "bin/python"
    if stamp.exists() and stamp.read_text() == wanted:
        return own
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([python, "-m", "venv", str(folder)], check=True)
    for file, lines in (("requirements.txt", requirements), ("constraints.txt", constraints)):
        (folder / file).write_text("\n".join(lines) + "\n")
    install = [own, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-input"]
    cpu = ["--no-deps", "--timeout", "5", "--retries", "0", "--index-url", TORCH_CPU_WHEELS, torch_pin()]
    subprocess.run([*install, *cpu], capture_output=True)                # if it cannot be reached, the default build follows
    for arguments in (["-r", folder / "requirements.txt", "-c", folder / "constraints.txt"], ["--no-deps", "-e", ROOT]):
        run = subprocess.run([*install, *arguments], capture_output=True, text=True)
        if run.returncode:
            raise RuntimeError("\n".join((run.stdout + run.stderr).splitlines()[-12:]))
    stamp.write_text(wanted)
    return own


def pytest(python, *arguments):
    """Run pytest; return its last line and whether it passed."""
    environment = {**os.environ, **notebook.KERNEL_ENVIRONMENT, "JUPYTER_PLATFORM_DIRS": "1", "PYDEVD_DISABLE_FILE_VALIDATION": "1",
                   "PATH": f"{pathlib.Path(python).parent}{os.pathsep}{os.environ['PATH']}"}
    command = [python, "-m", "pytest", "-q", "-n", "2", "-o", f"cache_dir={FOLDER / 'cache'}", *arguments]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    lines = run.stdout.splitlines()
    print("\n".join(line for line in lines if line.startswith(("FAILED", "ERROR"))), flush=True)
    if run.returncode:
        (FOLDER / f"failed-{time.strftime('%H%M%S')}.txt").write_text(run.stdout + run.stderr)
    return (lines or ["no output"])[-1].strip("= "), run.returncode == 0


def check(name):
    """One environment: install, unit tests, notebooks. Return the lines of the summary and whether all passed."""
    version, requirements, constraints = environments()[name]
    python = interpreter(version)
    if python is None:
        return [f"{name}: NOT RUN: no Python {version} found on the path or in pyenv"], True
    start = time.monotonic()
    try:
        own = prepare(name, python, requirements, constraints)
    except RuntimeError as error:
        return [f"{name}: the packages could not be installed:\n{error}"], False
    shown = subprocess.run([own, "-c", "import platform; from importlib.metadata import version as v; "
                            f"print('Python', platform.python_version(), *(f'{{p}} {{v(p)}}' for p in {SHOWN}), sep=', ')"],
                           capture_output=True, text=True).stdout.strip()
    print(f"== {name}: {shown} ==", flush=True)
    # the pictures belong to the pinned matplotlib; the hub and the servers do not depend on what varies here
    left_out = ["--ignore", "tests/test_reexecution.py", "--ignore", "tests/live"]
    unit, unit_ok = pytest(own, "--dist", "worksteal", "-m", "not browser and not site", *left_out, "tests", "mlcore")
    book, book_ok = pytest(own, *NBVAL, "book")
    minutes = (time.monotonic() - start) / 60
    return [f"{name}: {shown}", f"    unit tests: {unit}", f"    notebooks:  {book}", f"    {minutes:.0f} minutes"], unit_ok and book_ok


def shuffled(times, seed):
    """The notebooks in random order, several times, in the environment that runs this."""
    lines, good = [], True
    for turn in range(times):
        names = notebook.chapters()
        random.Random(seed + turn).shuffle(names)
        said, ok = pytest(sys.executable, *NBVAL, *(f"book/{name}.ipynb" for name in names))
        lines.append(f"random order, seed {seed + turn}: {said}")
        good &= ok
    return lines, good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="ENVIRONMENT")
    parser.add_argument("--shuffle", type=int, metavar="TIMES", default=0)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    known = environments()
    if unknown := [name for name in args.names if name not in known]:
        sys.exit(f"error: no environment {unknown[0]!r}; there are {', '.join(known)}.")
    FOLDER.mkdir(parents=True, exist_ok=True)
    summary, good = shuffled(args.shuffle, args.seed) if args.shuffle else ([], True)
    for name in args.names or ([] if args.shuffle else known):
        lines, ok = check(name)
        print("\n".join(lines), flush=True)
        summary += lines
        good &= ok
    text = "\n".join([*summary, "all passed" if good else "FAILURES: see above and the files failed-*.txt"])
    (FOLDER / "summary.txt").write_text(text + "\n", "utf8")
    print("\n" + text)
    sys.exit(not good)


if __name__ == "__main__":
    main()
