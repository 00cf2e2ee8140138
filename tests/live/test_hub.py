"""The hub of deploy/jupyterhub: each student has a server and the book of their own, and only of their own."""

import json
import os

import pytest
from support import ROOT

from mlcore.live.singleuser import FOLDER, arguments
from tools.classroom import Hub, Student

pytestmark = pytest.mark.site
CHAPTER = "supervised/linear_regression"


@pytest.fixture(scope="module")
def hub(tmp_path_factory, site_folder):
    with Hub(tmp_path_factory.mktemp("hub"), MLCORE_HUB_MEMORY="1.5") as hub:
        yield hub


def test_a_wrong_password_is_refused(hub):
    assert Student(hub.address, "mallory").log_in("guess") in (401, 403)


def test_students_have_servers_of_their_own(hub):
    ada, bob = Student(hub.address, "ada"), Student(hub.address, "bob")
    for student in (ada, bob):
        assert student.log_in() == 200
        student.open_book()
    kernel = ada.start_kernel(CHAPTER)
    cells = ["import numpy", "1 / 0", "import os\nopen('mine.txt', 'w').write(os.getcwd())"]
    assert ada.run(kernel, cells) == ["ZeroDivisionError: division by zero"]
    home = hub.folder / "homes" / "ada" / FOLDER
    assert (home / "supervised" / "mine.txt").read_text() == str(home / "supervised"), "the kernel starts in the chapter's folder"
    # memory beyond the limit is refused with an error in the cell; the kernel goes on
    assert ada.run(kernel, ["block = bytearray(2 * 2**30)", "1 + 1"]) == ["MemoryError: "]
    # bob, logged in as himself, gets nowhere with ada's server, and nobody without a login
    for stranger in (bob, Student(hub.address, "nobody")):
        for path in ("api/kernels", "api/contents", f"book/api/chapters/{CHAPTER}"):
            status, text, _ = stranger.ask(ada.base + path)
            assert status in (403, 404) or "login" in text.lower(), (path, status)
            assert kernel not in text
    status, text, _ = ada.ask(f"{ada.base}book/api/chapters/{CHAPTER}")
    assert status == 200 and json.loads(text)["exists"] is False
    assert ada.ask(f"{ada.base}book/open/{CHAPTER}")[0] == 200
    assert (home / f"{CHAPTER}.ipynb").is_file()
    assert "/user/ada/book/book/" in (home / f"{CHAPTER}.ipynb").read_text("utf8"), "links lead to the student's own book"


def test_where_the_book_lies_can_be_said(tmp_path):
    told = arguments(tmp_path, {"MLCORE_SITE": "/srv/site", "MLCORE_BOOK": "/srv/book"})
    assert "--BookApp.site=/srv/site" in told and "--BookApp.originals=/srv/book" in told
    assert f"--BookApp.originals={ROOT / 'book'}" in arguments(tmp_path, {})
    assert f"--ServerApp.root_dir={tmp_path / FOLDER}" in told


def test_kubernetes_values_start_the_same_server():
    values = (ROOT / "deploy/jupyterhub/values.yaml").read_text()
    assert 'cmd: ["python", "-m", "mlcore.live.singleuser"]' in values and "limit: 2G" in values
    assert 'CMD ["python", "-m", "mlcore.live.singleuser"]' in (ROOT / "deploy/jupyterhub/Dockerfile").read_text()
    assert os.access(ROOT / "binder/postBuild", os.X_OK)
