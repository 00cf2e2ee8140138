"""mlcore stays light: importing it, or any chapter's module, loads neither plotting nor the libraries it is compared with."""

import pathlib
import pkgutil
import subprocess
import sys

import mlcore

HEAVY = ("matplotlib", "torch", "sklearn", "anywidget", "ipywidgets", "IPython")


def chapter_modules():
    """All modules of the package but the widgets, which need anywidget."""
    found = pkgutil.walk_packages(mlcore.__path__, "mlcore.")
    return [m.name for m in found if not m.name.startswith("mlcore.widgets")]


def test_no_heavy_import():
    code = f"import sys, importlib\nfor m in {chapter_modules()!r}: importlib.import_module(m)\n"
    code += f"print([h for h in {HEAVY!r} if h in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]", f"importing mlcore loads {out.stdout}"


def test_import_mlcore_loads_nothing_else():
    code = "import sys; before = set(sys.modules); import mlcore; print(sorted(m for m in set(sys.modules) - before if 'mlcore' not in m))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_modules_are_ascii():
    for path in pathlib.Path(mlcore.__path__[0]).rglob("*.py"):
        if "widgets" in path.parts:  # labels of figures may hold Greek letters and minus signs
            continue
        assert path.read_text("utf8").isascii(), f"{path.name}: names and comments are ASCII"
