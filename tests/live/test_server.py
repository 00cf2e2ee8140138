"""The running server: who gets in, what is served, what it says."""

import json
import os
import signal
import socket
import subprocess
import sys
import time

import pytest
from live_server import LiveServer
from support import ROOT, SITE
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

from mlcore.live.__main__ import has_desktop
from mlcore.live.pages import live_script
from tools.classroom import finished

pytestmark = pytest.mark.site
CHAPTER = "supervised/linear_regression"


@pytest.fixture(scope="module")
def reader(live):
    return live.cookies()


@pytest.mark.parametrize(("method", "path"), [
    ("GET", "/api/kernels"), ("POST", "/api/kernels"), ("GET", "/api/sessions"), ("POST", "/api/sessions"), ("GET", "/api/contents"),
    ("PUT", "/api/contents/new.txt"), ("GET", "/api/terminals"),
    ("GET", f"/book/api/chapters/{CHAPTER}"), ("POST", f"/book/api/chapters/{CHAPTER}")])
def test_nothing_runs_or_is_read_without_the_token(live, method, path):
    assert live.ask(path, method, "{}").status == 403
    assert live.ask(path, method, "{}", Authorization="token wrong").status == 403


@pytest.mark.parametrize("path", ["/book/", f"/book/book/{CHAPTER}.html", "/book/_static/live-server.js", "/book/objects.inv",
                                  "/book//index.html", f"/book/open/{CHAPTER}", "/book/_static/../index.html",
                                  "/book/_static/%2e%2e/index.html", "/lab", "/tree"])
def test_pages_ask_for_the_login(live, path):
    answer = live.ask(path)
    assert answer.status == 302 and "/login" in answer.headers["location"]
    assert live.ask(f"{path}?token=wrong").status == 302


def test_the_printed_address_opens_the_book(live, reader):
    assert live.ask(f"/book/?token={live.token}").status == 200
    page = live.ask(f"/book/book/{CHAPTER}.html", **reader)
    assert page.status == 200 and "Linear regression" in page.text
    assert live.ask("/book/book/no_such_page.html", **reader).status == 404
    assert live.ask("/book", **reader).headers["location"] == "/book/"
    assert live.ask("/book/_static/book.js").status == 200, "the theme's files need no login"


def test_the_page_learns_of_its_server(live, reader):
    answer = live.ask("/book/_static/live-server.js", **reader)
    told = json.loads(answer.text.split("window.MLCORE_LIVE = ")[1].split(";\n(()")[0])
    assert told["base"] == "/" and told["root"] == "/book/" and told["stale"] == []
    assert live.token not in answer.text and live_script() in answer.text
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/book/../README.md", "/book/%2e%2e/%2e%2e/README.md", "/book/..%2f..%2fREADME.md",
                                  "/book/book/../../../README.md", "/book/_static/../../../README.md", "/book/%2fetc%2fpasswd",
                                  "/book//etc/passwd", "/book/..%5c..%5cREADME.md"])
def test_nobody_walks_out_of_the_book(live, reader, path):
    answer = live.ask(path, **reader)
    assert answer.status in (403, 404) and "Executable" not in answer.text and "root:" not in answer.text


def test_a_link_does_not_lead_out_either(live, reader, tmp_path_factory):
    secret = tmp_path_factory.mktemp("secret") / "secret.txt"
    secret.write_text("root:")
    link = SITE / f"way_out_{os.getpid()}.txt"
    link.symlink_to(secret)
    try:
        answer = live.ask(f"/book/{link.name}", **reader)
    finally:
        link.unlink()
    assert answer.status == 403 and "root:" not in answer.text


def test_a_request_by_cookie_alone_is_refused(live, reader):
    """What a page of another site could send: the cookie, but not the value of the second cookie."""
    alone = {"Cookie": reader["Cookie"]}
    assert live.ask("/api/kernels", "POST", "{}", **alone).status == 403
    assert live.ask(f"/book/api/chapters/{CHAPTER}", "POST", {"action": "reset"}, **alone).status == 403
    assert live.ask("/api/kernels", **reader).text == "[]"


def test_a_page_of_another_origin_cannot_start_a_kernel_or_listen_to_one(live, reader):
    foreign = {**reader, "Origin": "http://evil.example"}
    assert live.ask("/api/kernels", "POST", "{}", **foreign).status in (403, 404)
    assert live.ask("/api/kernels", **reader).text == "[]"
    assert live.ask("/api/kernels", Origin="http://evil.example", **reader).headers.get("Access-Control-Allow-Origin") is None
    kernel = json.loads(live.ask("/api/kernels", "POST", "{}", **reader).text)["id"]
    try:
        async def listen(origin):
            address = f"ws://127.0.0.1:{live.port}/api/kernels/{kernel}/channels"
            (await websocket_connect(HTTPRequest(address, headers={"Cookie": reader["Cookie"], "Origin": origin}))).close()

        finished(listen(f"http://127.0.0.1:{live.port}"))
        with pytest.raises(Exception, match="403"):
            finished(listen("http://evil.example"))
    finally:
        assert live.ask(f"/api/kernels/{kernel}", "DELETE", **reader).status == 204


def test_it_listens_on_this_machine_only(live):
    """Every listening socket of the server's process is bound to loopback."""
    inodes = {os.readlink(f"/proc/{live.process.pid}/fd/{fd}") for fd in os.listdir(f"/proc/{live.process.pid}/fd")}
    bound = []
    for table in ("tcp", "tcp6"):
        for line in open(f"/proc/net/{table}").read().splitlines()[1:]:  # noqa: SIM115
            place, state, inode = line.split()[1], line.split()[3], line.split()[9]
            if state == "0A" and f"socket:[{inode}]" in inodes:
                bound.append(place.split(":")[0])
    assert bound and set(bound) <= {"0100007F", "00000000000000000000000001000000"}


def test_the_token_is_in_no_file(live):
    kept = [p for p in live.folder.rglob("*") if p.is_file() and live.token.encode() in p.read_bytes()]
    assert kept == []
    assert not any(live.token in p.read_text("utf8", "ignore") for p in SITE.rglob("*.html"))
    assert live.output.count(live.token) == 1, "printed once, in the address, and logged nowhere"


def test_copies_over_the_server(live, reader):
    place = f"/book/api/chapters/{CHAPTER}"
    assert not json.loads(live.ask(place, **reader).text)["exists"]
    answer = live.ask(f"/book/open/{CHAPTER}", **reader)
    assert answer.status == 302 and answer.headers["location"] == f"/notebooks/{CHAPTER}.ipynb"
    copy = live.work / f"{CHAPTER}.ipynb"
    text = copy.read_text("utf8")
    assert "](/book/book/" in text and "{doc}`" not in text, "references to other chapters lead to the book"
    copy.write_text("mine")
    assert json.loads(live.ask(place, **reader).text)["edited"]
    kept = json.loads(live.ask(place, "POST", {"action": "reset"}, **reader).text)["kept"]
    assert (live.work / kept).read_text() == "mine" and copy.read_text("utf8") == text
    assert live.ask(place, "POST", {"action": "burn"}, **reader).status == 400
    lost = live.ask("/book/api/chapters/supervised/no_such", **reader)
    assert lost.status == 404 and "the book has no chapter 'supervised/no_such'" in lost.text


def start(*options):
    command = [sys.executable, "-m", "mlcore.live", "--no-browser", *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)


def test_a_port_in_use_is_named(tmp_path, site_folder):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        run = start("--port", str(port), "--work", str(tmp_path))
    assert run.returncode == 1 and f"error: port {port} is in use; name another one" in run.stderr
    assert "a port is a number from 1 to 65535" in start("--port", "99999").stderr


def test_a_missing_build_is_named(tmp_path):
    run = start("--site", str(tmp_path))
    assert run.returncode == 1 and "holds no built book; run `make site` first" in run.stderr


@pytest.mark.parametrize(("platform", "environment", "wanted"), [
    ("linux", {}, False), ("linux", {"DISPLAY": ":0"}, True), ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True), ("darwin", {}, True)])
def test_a_browser_opens_where_there_is_a_desktop(platform, environment, wanted):
    assert has_desktop(platform, environment) == wanted


def test_control_c_stops_the_server_and_its_kernels(tmp_path):
    (tmp_path / "site/book/part").mkdir(parents=True)
    (tmp_path / "book/part").mkdir(parents=True)
    (tmp_path / "site/index.html").write_text("front")
    (tmp_path / "site/book/part/one.html").write_text("page")
    os.utime(tmp_path / "site/book/part/one.html", (1, 1))
    (tmp_path / "book/part/one.ipynb").write_text('{"cells": []}')
    server = LiveServer(tmp_path / "run", site=tmp_path / "site", originals=tmp_path / "book")
    try:
        assert "Note: the pages of part/one are older than their chapters; `make site` brings them up to date." in server.output
        reader = server.cookies()
        assert '"stale": ["part/one"]' in server.ask("/book/_static/live-server.js", **reader).text
        body = {"name": "x", "path": "part/one.ipynb#1", "type": "page", "kernel": {"name": "python3"}}
        kernel = json.loads(server.ask("/api/sessions", "POST", body, **reader).text)["kernel"]["id"]
        mine = subprocess.run(["pgrep", "-f", kernel], capture_output=True, text=True).stdout.split()
        assert mine, "the kernel runs"
        server.process.send_signal(signal.SIGINT)
        server.process.wait(30)
        for _ in range(100):
            if subprocess.run(["pgrep", "-f", kernel], capture_output=True).returncode == 1:
                break
            time.sleep(0.1)
        else:
            raise AssertionError("the kernel outlived its server")
    finally:
        server.stop("kill")
    assert "Stopped." in server.output and "Traceback" not in server.output
