"""Every exercise: its check accepts the chapter's solution and rejects the wrong answers registered with it."""

import json
import re

import pytest
from support import ROOT

from mlcore import exercises
from mlcore.exercises import core

NAMES = exercises.names()


def cells(chapter):
    """Source and text output of the code cells of a chapter."""
    [path] = (ROOT / "book").rglob(f"{chapter}.ipynb")
    for cell in json.loads(path.read_text("utf8"))["cells"]:
        if cell["cell_type"] == "code":
            texts = [o.get("data", {}).get("text/plain", o.get("text", "")) for o in cell["outputs"]]
            hidden = cell["metadata"].get("jupyter", {}).get("source_hidden", False)
            yield "".join(cell["source"]), "".join("".join(t) for t in texts), hidden


@pytest.mark.parametrize("name", NAMES)
def test_rejects_wrong_answers(name):
    found = core.find(name)
    for description, answer in found.wrong.items():
        result = exercises.check(name, answer)
        assert result.state == "failed", f"{name} accepts a wrong answer: {description} -> {result}"
        assert "your code raised" not in result.message, f"{name}: {description!r} crashes instead of being judged: {result}"


@pytest.mark.parametrize("name", NAMES)
def test_stub_is_not_attempted_and_solution_passes(name):
    call = re.compile(rf"check\(\s*[\"']{re.escape(name)}[\"']")
    found = [(output, hidden) for source, output, hidden in cells(name.partition(".")[0]) if call.search(source)]
    stubs = [output for output, hidden in found if not hidden]
    solutions = [output for output, hidden in found if hidden]
    assert stubs and all(f"{name}: not attempted yet" in output for output in stubs)
    assert solutions and all(f"\N{CHECK MARK} {name}:" in output for output in solutions), "the solution must pass its own check"


def test_verdicts():
    with pytest.raises(ValueError, match="no chapter 'nope' has exercises"):
        exercises.check("nope.thing", 1)
    chapter = NAMES[0].partition(".")[0]
    with pytest.raises(ValueError, match="no exercise"):
        exercises.check(chapter + ".zzz", 1)
    assert exercises.check(NAMES[0], None).state == exercises.check(NAMES[0], ...).state == "not attempted"


def test_a_crash_is_a_verdict_not_a_traceback():
    def boom(*args, **kwargs):
        raise KeyError("theta")

    for name in NAMES:
        result = exercises.check(name, boom)
        assert result.state == "failed", result


def test_registration_needs_a_wrong_answer():
    with pytest.raises(ValueError, match="at least one wrong answer"):
        exercises.exercise("x", wrong={})


def test_expect_close_names_the_worst_entry():
    with pytest.raises(AssertionError, match=r"theta should have shape \(2,\), got \(\)"):
        core.expect_close(1.0, [1.0, 2.0], "theta")
    with pytest.raises(AssertionError, match=r"theta differs most at \[1\]: should be 2, got 3"):
        core.expect_close([1.0, 3.0], [1.0, 2.0], "theta")
    with pytest.raises(AssertionError, match="theta should be numeric, got str"):
        core.expect_close("a", 1.0, "theta")
    with pytest.raises(AssertionError, match=r"\[0\]"):
        core.expect_close([float("nan"), 1.0], [1.0, 1.0], "theta")
