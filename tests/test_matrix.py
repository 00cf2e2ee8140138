"""The environments of `make test-matrix` are what pyproject.toml and the pins say."""

import platform
import re
import subprocess
import sys

import pytest
from support import ROOT

from tools import matrix


def test_the_least_versions_are_read():
    assert set(matrix.COMPUTING) <= set(matrix.minimums())
    assert all(re.fullmatch(r"\d+(\.\d+)+", version) for version in matrix.minimums().values())


def test_oldest_newest_and_pinned():
    pinned, least = matrix.pins("requirements.txt"), matrix.minimums()
    made = matrix.environments()
    assert set(made) == {"oldest", "newest", *matrix.PYTHONS}
    for name in matrix.COMPUTING:
        first = least[name] + ".0" * (2 - least[name].count("."))
        assert f"{name}=={first}" in made["oldest"][1] and name in made["newest"][1]
        assert f"{name}=={pinned[name]}" in made[matrix.PYTHONS[0]][1]
        for environment in ("oldest", "newest"):
            assert not any(line.startswith(f"{name}==") for line in made[environment][2]), "a constraint would undo the choice"
    for _, requirements, _ in made.values():
        assert len(requirements) == len(pinned) and f"nbval=={pinned['nbval']}" in requirements


def test_a_python_is_found_by_its_version():
    own = ".".join(platform.python_version_tuple()[:2])
    found = matrix.interpreter(own)
    assert subprocess.run([found, "-c", "import platform; print(platform.python_version())"], capture_output=True,
                          text=True).stdout.startswith(own)
    assert matrix.interpreter("2.1") is None


def test_an_unknown_environment_is_refused():
    run = subprocess.run([sys.executable, "tools/matrix.py", "nope"], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 1 and "no environment 'nope'; there are oldest, newest" in run.stderr


def test_packages_that_cannot_be_installed_are_a_sentence(monkeypatch, tmp_path):
    monkeypatch.setattr(matrix, "FOLDER", tmp_path)
    monkeypatch.setattr(matrix, "torch_pin", lambda: "no-such-package-at-all==0")
    wrong = ("3.11", ["./no-such-file.whl"], [])
    monkeypatch.setattr(matrix, "environments", lambda: {"wrong": wrong})
    monkeypatch.setattr(matrix, "interpreter", lambda version: sys.executable)
    lines, good = matrix.check("wrong")
    assert not good and "wrong: the packages could not be installed" in lines[0] and "no-such-file.whl" in lines[0]
    monkeypatch.setattr(matrix, "interpreter", lambda version: None)
    lines, good = matrix.check("wrong")
    assert good and "NOT RUN: no Python 3.11 found" in lines[0]


@pytest.mark.parametrize("times", [1, 3])
def test_the_shuffled_runs_have_their_own_orders(monkeypatch, times):
    seen = []
    monkeypatch.setattr(matrix, "pytest", lambda python, *arguments: (seen.append(arguments), ("5 passed", True))[1])
    lines, good = matrix.shuffled(times, seed=7)
    orders = [tuple(a for a in arguments if a.endswith(".ipynb")) for arguments in seen]
    assert good and len(lines) == times == len(set(orders)) and len({tuple(sorted(order)) for order in orders}) == 1
