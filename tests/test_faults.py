"""What goes wrong outside the book: a killed run, a full disk, two builds at once. Nothing is lost, and a sentence says what happened."""

import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest
from nbformat import v4
from support import ROOT

from tools import notebook, site

# A stand-in for Jupyter Book that writes a site of 300 pages with its own mark; `act` runs half-way.
BUILDER = """
import pathlib, sys, time, os
folder = pathlib.Path(sys.argv[sys.argv.index("--path-output") + 1]) / "_build/html"
folder.mkdir(parents=True)
for page in range(300):
    (folder / f"{page}.html").write_text(os.environ["MARK"])
    if page == 150:
        exec(os.environ["ACT"])
(folder / "index.html").write_text(os.environ["MARK"])
"""
RUN = """
import pathlib, sys
sys.path.insert(0, sys.argv[1])
from tools import site
site.JUPYTER_BOOK = [sys.executable, sys.argv[2]]
print(site.build(pathlib.Path(sys.argv[3])))
"""


@pytest.fixture
def builder(tmp_path):
    """Start a build in a process of its own: builder(mark, act) -> Popen."""
    (tmp_path / "fake.py").write_text(BUILDER)
    (tmp_path / "run.py").write_text(RUN)

    def start(mark, act="pass"):
        return subprocess.Popen([sys.executable, tmp_path / "run.py", ROOT, tmp_path / "fake.py", tmp_path], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "MARK": mark, "ACT": act},
                                start_new_session=True)

    return start


def marks(folder):
    """What the pages of the site say; one mark means one whole build."""
    pages = list((folder / "_build/html").glob("*.html"))
    return len(pages), {page.read_text() for page in pages}


def finished(build):
    out, err = build.communicate(timeout=60)
    return build.returncode, out + err


def test_a_build_takes_the_place_of_the_old_one_whole(builder, tmp_path):
    for mark in ("first", "second"):
        code, said = finished(builder(mark))
        assert code == 0 and said.strip() == str(tmp_path / "_build/html")
        assert marks(tmp_path) == (301, {mark}) and os.listdir(tmp_path / "_build") == ["html"]


@pytest.mark.parametrize("act, sentence", [
    ("open('/dev/full', 'w').write('x' * 100_000)", "error: the pages could not be written (No space left on device); free some space"),
    ("raise OSError(122, 'Disk quota exceeded')", "error: the pages could not be written (Disk quota exceeded); free some space"),
    ("sys.exit('WARNING: broken link')", "error: the site was not built cleanly (1 warnings above)."),
    ("sys.exit('no such extension')", "error: the build failed:\nno such extension"),
])
def test_a_failed_build_says_why_and_leaves_the_site_alone(builder, tmp_path, act, sentence):
    assert finished(builder("old"))[0] == 0
    code, said = finished(builder("new", act))
    assert code == 1 and sentence in said and "Traceback" not in said
    assert marks(tmp_path) == (301, {"old"}) and os.listdir(tmp_path / "_build") == ["html"]


def test_a_folder_that_cannot_be_made_is_a_sentence(builder, tmp_path):
    (tmp_path / "_build").write_text("a file is in the way")
    code, said = finished(builder("new"))
    assert code == 1 and "_build could not be written (File exists)" in said and "Traceback" not in said


def test_two_builds_at_once_leave_one_whole_site(builder, tmp_path):
    for _ in range(3):
        builds = [builder(mark, "time.sleep(0.05)") for mark in ("red", "blue")]
        assert [finished(build)[0] for build in builds] == [0, 0]
        count, seen = marks(tmp_path)
        assert count == 301 and len(seen) == 1 and os.listdir(tmp_path / "_build") == ["html"]


def test_a_rename_that_meets_another_build_is_done_again(tmp_path, monkeypatch):
    new, target = tmp_path / "stage/html", tmp_path / "html"
    for folder, mark in ((new, "mine"), (target, "old")):
        folder.mkdir(parents=True)
        (folder / "index.html").write_text(mark)
    rename, meddled = pathlib.Path.rename, []

    def meddling(self, other):
        if self == new and not meddled:                       # another build's site appears between the two renames
            meddled.append(True)
            target.mkdir()
            (target / "index.html").write_text("theirs")
        return rename(self, other)

    monkeypatch.setattr(pathlib.Path, "rename", meddling)
    site.replace(new, target)
    assert meddled and (target / "index.html").read_text() == "mine"


def test_a_rename_that_fails_puts_the_old_site_back(tmp_path):
    target = tmp_path / "html"
    target.mkdir()
    (target / "index.html").write_text("old")
    (tmp_path / "stage").mkdir()
    with pytest.raises(OSError):
        site.replace(tmp_path / "stage/html", target)         # there is no new site
    assert (target / "index.html").read_text() == "old"


def test_a_build_killed_between_its_two_renames_loses_no_site(builder, tmp_path):
    assert finished(builder("old"))[0] == 0
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    stage = tmp_path / f"_build/.site-{dead.pid}-x/_build"
    stage.mkdir(parents=True)
    (tmp_path / "_build/html").rename(stage / "replaced")
    assert finished(builder("new", "sys.exit('no such extension')"))[0] == 1
    assert marks(tmp_path) == (301, {"old"}) and os.listdir(tmp_path / "_build") == ["html"]


def test_the_old_site_is_moved_away_and_not_deleted_before_the_new_one_stands(tmp_path, monkeypatch):
    new, target = tmp_path / "stage/html", tmp_path / "html"
    for folder in (new, target):
        folder.mkdir(parents=True)
    (target / "index.html").write_text("old")
    rename, seen = pathlib.Path.rename, []

    def watching(self, other):
        if self == new:
            seen.extend(path.read_text() for path in tmp_path.rglob("index.html"))
        return rename(self, other)

    monkeypatch.setattr(pathlib.Path, "rename", watching)
    site.replace(new, target)
    assert seen == ["old"]


def test_a_killed_build_leaves_the_site_and_the_next_one_cleans_up(builder, tmp_path):
    assert finished(builder("old"))[0] == 0
    build = builder("new", "time.sleep(60)")
    wait_for(lambda: list((tmp_path / "_build").glob(".site-*/_build/html/150.html")))
    os.killpg(build.pid, signal.SIGKILL)
    build.communicate()
    assert marks(tmp_path) == (301, {"old"}) and len(os.listdir(tmp_path / "_build")) == 2
    assert finished(builder("newer"))[0] == 0
    assert marks(tmp_path) == (301, {"newer"}) and os.listdir(tmp_path / "_build") == ["html"]


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)


def test_a_notebook_killed_half_way_is_as_it_was(tmp_path):
    path = tmp_path / "part/one.ipynb"
    path.parent.mkdir()
    cells = [v4.new_code_cell("print('begun'); open('begun', 'w').close()"), v4.new_code_cell("import time; time.sleep(60)")]
    path.write_text(notebook.to_text(notebook.normalize(v4.new_notebook(cells=cells))), "utf8")
    before = path.read_bytes()
    script = (f"import sys, pathlib; sys.path.insert(0, {str(ROOT)!r}); from tools import notebook; "
              f"notebook.BOOK = pathlib.Path({str(tmp_path)!r}); notebook.run_one('part/one')")
    run = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    wait_for((path.parent / "begun").exists)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    assert path.read_bytes() == before and sorted(os.listdir(path.parent)) == ["begun", "one.ipynb"]


def test_a_full_disk_leaves_the_notebook(tmp_path, monkeypatch):
    path = tmp_path / "one.ipynb"
    path.write_text("old", "utf8")
    write = pathlib.Path.write_text

    def full(self, text, encoding):
        write(self, text[:10], encoding)                      # half of it fits
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pathlib.Path, "write_text", full)
    with pytest.raises(notebook.ChapterError, match=r"one.ipynb could not be written \(No space left on device\); free some space."):
        notebook.write_if_changed(path, "new" * 100)
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["one.ipynb"]
