"""Create .venv and install the pinned requirements; needs only the Python that runs it.

    python3 tools/setup.py

The work is redone only when the requirements change. Runs on Linux, macOS and Windows.
"""

import hashlib
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / "installed.txt"
INPUTS = ("requirements.txt", "constraints.txt", "pyproject.toml")
TORCH_CPU_WHEELS = "https://download.pytorch.org/whl/cpu"


def fingerprint():
    """What the installed environment depends on."""
    digest = hashlib.sha256(sys.version.encode())
    for name in INPUTS:
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


def fail(sentence):
    sys.exit(f"error: {sentence}")


def pip(*arguments, show=True):
    """Run pip in the environment, one progress line per package; return True if it succeeded."""
    command = [str(PYTHON), "-m", "pip", *arguments, "--disable-pip-version-check", "--no-input"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT)
    log, count, start = [], 0, time.monotonic()
    for line in process.stdout:
        log.append(line)
        if show and line.startswith(("Collecting", "Installing collected")):
            count += 1
            what = line.split()[1] if line.startswith("Collecting") else "unpacking the packages (takes a minute)"
            text = f"  [{time.monotonic() - start:4.0f} s] {count:3d}  {what}"
            print(f"\r{text:<78.78}" if sys.stdout.isatty() else text, end="" if sys.stdout.isatty() else "\n", flush=True)
    if show and sys.stdout.isatty():
        print()
    if process.wait() and show:
        print("".join(log[-25:]))
    return process.returncode == 0


def torch_pin():
    for line in (ROOT / "requirements.txt").read_text().splitlines():
        if line.startswith("torch=="):
            return line.strip()
    return fail("requirements.txt does not pin torch; add a line such as torch==2.13.0.")


def create():
    """Make a fresh environment next to nothing else: a broken or outdated one is replaced."""
    config = VENV / "pyvenv.cfg"
    outdated = config.exists() and f"version = {platform.python_version()}" not in config.read_text()
    if VENV.exists() and (outdated or not PYTHON.exists()):
        shutil.rmtree(VENV)
    if not VENV.exists():
        print(f"Creating .venv with Python {platform.python_version()} ...", flush=True)
        made = subprocess.run([sys.executable, "-m", "venv", str(VENV)], capture_output=True, text=True)
        if made.returncode:
            shutil.rmtree(VENV, ignore_errors=True)
            fail("Python could not create a virtual environment. On Debian or Ubuntu: apt install python3-venv, then run this again.\n"
                 + made.stdout + made.stderr)


def install():
    has_torch = subprocess.run([str(PYTHON), "-c", "import torch"], capture_output=True).returncode == 0
    if platform.system() == "Linux" and not has_torch:
        # On Linux the plain pin brings 2.7 GB of CUDA; PyTorch's own index has a build without it.
        print("Looking for the CPU build of PyTorch ...", flush=True)
        if not pip("install", "--no-deps", "--timeout", "5", "--retries", "0", "--index-url", TORCH_CPU_WHEELS, torch_pin(), show=False):
            print("  not reachable; taking the default build of PyTorch.", flush=True)
    print("Installing the pinned requirements (about two minutes the first time) ...", flush=True)
    if not pip("install", "-r", "requirements.txt", "-c", "constraints.txt"):
        fail("the requirements could not be installed (see above). Check the network connection, then run this again.")
    if not pip("install", "--no-deps", "-e", ".", show=False):
        fail("the package mlcore could not be installed from this folder; run `make clean` and try again.")


def main():
    if sys.version_info < (3, 11):  # noqa: UP036 - this script runs under whatever Python the reader has
        fail(f"Python 3.11 or newer is needed, this is {platform.python_version()}; run: make PYTHON=python3.12 setup")
    wanted = fingerprint()
    if PYTHON.exists() and STAMP.exists() and STAMP.read_text() == wanted:
        return
    start = time.monotonic()
    create()
    STAMP.unlink(missing_ok=True)
    install()
    STAMP.write_text(wanted)
    print(f"Ready: .venv is set up ({time.monotonic() - start:.0f} s).", flush=True)


if __name__ == "__main__":
    main()
