"""The authoring tools: what they refuse, what they leave alone, what they say."""

import re
import subprocess
import sys
import types

import nbformat
import pytest
from nbformat import v4
from support import ROOT

from tools import bookext, browser, notebook


@pytest.fixture
def book(tmp_path, monkeypatch):
    """An empty book in a temporary folder."""
    monkeypatch.setattr(notebook, "BOOK", tmp_path)
    monkeypatch.setattr(notebook, "ROOT", tmp_path)
    (tmp_path / "part").mkdir()
    return tmp_path


def write(book, name, *cells):
    path = book / f"{name}.ipynb"
    nb = v4.new_notebook(cells=[v4.new_markdown_cell("(part)=\n# Title"), *[v4.new_code_cell(c) for c in cells]])
    path.write_text(notebook.to_text(notebook.normalize(nb)), "utf8")
    return path


def test_unknown_chapter_lists_those_that_exist(book):
    write(book, "part/one", "1")
    with pytest.raises(notebook.ChapterError, match="There is no chapter 'nope'. Chapters: part/one."):
        notebook.run_one("nope")


def test_command_line_refuses_with_a_sentence():
    run = subprocess.run([sys.executable, "tools/notebook.py", "run", "nope"], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 1 and run.stderr.startswith("error: There is no chapter 'nope'. Chapters: ")
    assert "Traceback" not in run.stderr
    run = subprocess.run([sys.executable, "tools/notebook.py", "run"], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 1 and "Name a chapter" in run.stderr


def test_failing_notebook_names_cell_and_error_and_is_untouched(book):
    path = write(book, "part/bad", "x = 1", "y = 2\nx / 0")
    before = path.read_bytes()
    with pytest.raises(notebook.ChapterError) as caught:
        notebook.run_one("part/bad")
    message = str(caught.value)
    assert "book/part/bad.ipynb, cell 3 of 3 failed" in message and "ZeroDivisionError" in message and "x / 0" in message
    assert path.read_bytes() == before and [p.name for p in path.parent.iterdir()] == ["bad.ipynb"]


def test_run_is_idempotent_and_normal(book):
    path = write(book, "part/good", "import sys\nprint('a'); print('b')\nprint('c')", "{'k': 1}")
    assert "updated" in notebook.run_one("part/good")
    stored = path.read_bytes()
    assert "unchanged" in notebook.run_one("part/good")
    assert path.read_bytes() == stored
    nb = nbformat.read(path, as_version=4)
    assert nb.cells[1].outputs[0].text == "a\nb\nc\n" and len(nb.cells[1].outputs) == 1
    assert "execution" not in nb.cells[1].metadata and nb.metadata.language_info == {"name": "python"}


def test_normalize_drops_what_varies_and_keeps_ids():
    nb = v4.new_notebook(cells=[v4.new_code_cell("1", id="keep-this-id"), v4.new_code_cell("1")])
    nb.cells[1]["id"] = nb.cells[0]["id"]  # a copied cell; nbformat itself would repair it while the notebook is made
    nb.cells[0].metadata["execution"] = {"started": "now"}
    figure = {"text/html": '<div class="mlcore-explorer"></div>', notebook.WIDGET_VIEW: {"model_id": "x"}}
    nb.cells[0].outputs = [v4.new_output("display_data", figure)]
    nb.metadata["widgets"] = {"state": {}}
    out = notebook.normalize(nb)
    assert out.cells[0].id == "keep-this-id" and out.cells[1].id != "keep-this-id"
    assert out.cells[0].metadata == {} and "widgets" not in out.metadata
    assert notebook.WIDGET_VIEW not in out.cells[0].outputs[0].data


def test_figures_are_stored_in_a_palette_once():
    import base64
    import io

    import numpy as np
    from PIL import Image

    ramp = np.zeros((40, 60, 4), np.uint8)
    ramp[..., 0] = np.linspace(0, 255, 60)
    ramp[..., 3] = 255
    buffer = io.BytesIO()
    Image.fromarray(ramp).save(buffer, "PNG")
    first = notebook._palette_png(base64.b64encode(buffer.getvalue()).decode())
    assert notebook._palette_png(first) == first
    stored = np.asarray(Image.open(io.BytesIO(base64.b64decode(first))).convert("RGB"), int)
    assert np.abs(stored - ramp[..., :3]).max() <= 4


def test_text_round_trip_keeps_cell_ids(book):
    path = write(book, "part/one", "a = 1", "print(a)")
    notebook.export_text("part/one")
    draft = path.with_suffix(".draft.md")
    draft.write_text(draft.read_text("utf8").replace("a = 1", "a = 2"), "utf8")
    before = [c.id for c in nbformat.read(path, as_version=4).cells]
    notebook.import_text("part/one")
    after = nbformat.read(path, as_version=4)
    assert [c.id for c in after.cells][0::2] == before[0::2] and after.cells[1].source == "a = 2"
    with pytest.raises(notebook.ChapterError, match="does not exist; write it"):
        notebook.import_text("part/two")


def test_make_targets_and_readme_agree():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.M))
    named = set(re.findall(r"`make ([a-z-]+)", (ROOT / "README.md").read_text()))
    assert named <= targets and {"setup", "book", "test", "site", "chapter", "notebooks", "clean"} <= named


def test_ci_calls_the_readme_test_command():
    assert "make test" in (ROOT / ".ci" / "run").read_text()


def test_pins_are_exact():
    for name in ("requirements.txt", "constraints.txt"):
        for line in (ROOT / name).read_text().splitlines():
            assert not line or line.startswith("#") or re.fullmatch(r"[\w.\-\[\]]+==[\w.+!]+", line), f"{name}: {line}"


def test_browser_named_wrongly_is_refused(monkeypatch):
    monkeypatch.setenv("CHROMIUM", "no-such-program")
    with pytest.raises(SystemExit, match="CHROMIUM=no-such-program is not a program"):
        browser.find()


def test_unknown_stage_is_refused():
    run = subprocess.run([sys.executable, "tools/check.py", "nope"], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 1 and "no stage 'nope'; the stages are style, unit" in run.stderr


@pytest.mark.parametrize("repository", ["", "https://github.com/owner/name/"])
def test_pages_know_their_notebook_and_where_the_book_is_published(repository):
    env = types.SimpleNamespace(doc2path=lambda name, base=True: f"{name}.ipynb")
    options = {"repository_url": repository, "repository_branch": "main"}
    app, context = types.SimpleNamespace(env=env, config=types.SimpleNamespace(html_theme_options=options)), {"script_files": []}
    bookext.clean_page(app, "book/part/one", "page.html", context, doctree=object())
    told = dict(re.findall(r'<meta name="mlcore-(\w+)" content="([^"]*)">', context["metatags"]))
    published = {"repository": "https://github.com/owner/name", "branch": "main"} if repository else {}
    assert told == {"notebook": "book/part/one.ipynb", **published}
