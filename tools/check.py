"""Every check of the book, in the order of how fast it fails.

    python tools/check.py                all stages
    python tools/check.py style unit     some of them

With CI=true a missing browser is a failure; elsewhere the browser stages are then left out, and the summary says so.
"""

import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from tools import browser, notebook  # noqa: E402
from tools.spelling import CODESPELL  # noqa: E402

PYTEST = [sys.executable, "-m", "pytest", "-q", "-n", "2"]
NBVAL = ["--nbval", "--nbval-current-env", "--nbval-sanitize-with", "tests/nbval_sanitize.cfg", "--dist", "loadscope"]
STAGES = {
    "style": [[sys.executable, "-m", "ruff", "check", "."], CODESPELL],
    "unit": [[*PYTEST, "--dist", "worksteal", "-m", "not browser and not site", "tests", "mlcore"]],
    "notebooks": [[*PYTEST, *NBVAL, "book"]],
    "site": [[sys.executable, "tools/site.py"], [*PYTEST, "-m", "site and not browser", "tests"]],
    "browser": [[*PYTEST, "--dist", "worksteal", "-m", "browser", "tests"]],
}


def run(stage, environment):
    """Run the commands of one stage; return True if all succeeded."""
    return all(subprocess.run(command, cwd=ROOT, env=environment).returncode == 0 for command in STAGES[stage])


def main():
    wanted = sys.argv[1:] or list(STAGES)
    unknown = [name for name in wanted if name not in STAGES]
    if unknown:
        sys.exit(f"error: no stage {unknown[0]!r}; the stages are {', '.join(STAGES)}.")
    environment = {**os.environ, **notebook.KERNEL_ENVIRONMENT, "JUPYTER_PLATFORM_DIRS": "1", "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    summary, failed = [], False
    if "browser" in wanted:
        path = browser.ensure()
        if path:
            environment["CHROMIUM"] = path
        else:
            message = "no browser found and none could be installed; install Chromium or Chrome, or set CHROMIUM to its program"
            if os.environ.get("CI") == "true":
                sys.exit(f"error: {message}.")
            wanted.remove("browser")
            summary.append(f"browser    NOT RUN: {message}")
    for stage in wanted:
        print(f"\n== {stage} ==", flush=True)
        start = time.monotonic()
        ok = run(stage, environment)
        failed |= not ok
        summary.append(f"{stage:10} {'passed' if ok else 'FAILED'}  {time.monotonic() - start:6.1f} s")
        if not ok and stage == "site":
            break  # the browser would look at an old build
    print("\n" + "\n".join(summary))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
