"""A hub and its students, for the load test and the tests: what a browser would ask for, in the order it asks."""

import asyncio
import concurrent.futures
import contextlib
import http.cookiejar
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

import nbformat
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

ROOT = pathlib.Path(__file__).resolve().parent.parent
PASSWORD = "for the load test"


def free_ports(n):
    """Ports that were free a moment ago."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(n)]
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in sockets]


def finished(task):
    """The result of a coroutine, run in a thread of its own: the caller may have an event loop already."""
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, task).result()


class Hub:
    """The hub of `deploy/jupyterhub`, tried without accounts, in a folder of its own; use it in a with statement."""

    def __init__(self, folder, **environment):
        self.folder, self.extra = pathlib.Path(folder), environment

    def __enter__(self):
        front, inner, proxy = free_ports(3)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.address = f"http://127.0.0.1:{front}/"
        own = {"MLCORE_HUB_TRY": PASSWORD, "MLCORE_HUB_STATE": str(self.folder / "state"), "MLCORE_HUB_HOMES": str(self.folder / "homes"),
               "MLCORE_HUB_ADDRESS": self.address, "MLCORE_HUB_INNER": f"http://127.0.0.1:{inner}/",
               "MLCORE_HUB_PROXY": f"http://127.0.0.1:{proxy}/", **self.extra}
        self.log = open(self.folder / "hub.log", "w")
        command = [sys.executable, "-m", "jupyterhub", "-f", str(ROOT / "deploy/jupyterhub/jupyterhub_config.py")]
        self.process = subprocess.Popen(command, cwd=self.folder, env={**os.environ, **own}, stdout=self.log, stderr=self.log)
        for _ in range(300):
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{self.address}hub/login", timeout=5):
                return self
            if self.process.poll() is not None:
                break
            time.sleep(0.2)
        self.__exit__()
        raise RuntimeError("the hub did not start:\n" + (self.folder / "hub.log").read_text()[-2000:])

    def __exit__(self, *problem):
        self.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(30)
        self.process.kill()
        self.log.close()


def memory_of(name):
    """Megabytes of all processes of a student: memory shared with others counts in parts (PSS)."""
    total = 0
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"JUPYTERHUB_USER={name}\0".encode() in (entry / "environ").read_bytes():
                total += int(re.search(r"^Pss:\s+(\d+)", (entry / "smaps_rollup").read_text(), re.M)[1]) / 1024
    return total


class Student:
    """One reader with cookies of their own."""

    def __init__(self, hub, name):
        self.hub, self.name = hub, name
        self.jar = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))
        self.base = f"{hub}user/{name}/"

    def ask(self, address, data=None, method=None, **headers):
        """(status, text, final address) of a request; redirects are followed."""
        request = urllib.request.Request(address, data=data, method=method, headers=headers)
        try:
            with self.opener.open(request, timeout=120) as answer:
                return answer.status, answer.read().decode("utf8", "replace"), answer.url
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode("utf8", "replace"), error.url

    def cookie(self, name, path):
        """The value that a browser would send below `path`."""
        fitting = [c for c in self.jar if c.name == name and path.startswith(c.path)]
        return max(fitting, key=lambda c: len(c.path)).value if fitting else ""

    def log_in(self, password=PASSWORD):
        """The form of the login page; returns the status."""
        self.ask(f"{self.hub}hub/login")
        form = {"username": self.name, "password": password, "_xsrf": self.cookie("_xsrf", "/hub/")}
        return self.ask(f"{self.hub}hub/login", urllib.parse.urlencode(form).encode())[0]

    def open_book(self, seconds=180):
        """Start the server and wait for the front page of the book."""
        self.ask(f"{self.hub}hub/spawn/{self.name}")
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            status, text, address = self.ask(f"{self.base}book/")
            if status == 200 and f"/user/{self.name}/book/" in address and "<article" in text:
                return
            time.sleep(0.5)
        raise RuntimeError(f"the book of {self.name} did not open: {status} at {address}")

    def start_kernel(self, chapter):
        """What Run here does: read the page and its script, start a kernel. Returns the kernel's id."""
        for page in (f"book/book/{chapter}.html", "book/_static/live-server.js"):
            status, _, address = self.ask(self.base + page)
            if status != 200:
                raise RuntimeError(f"{address} answered {status}")
        body = {"name": chapter, "path": f"{chapter}.ipynb#{uuid.uuid4().hex}", "type": "page", "kernel": {"name": "python3"}}
        token = self.cookie("_xsrf", f"/user/{self.name}/")
        status, text, _ = self.ask(f"{self.base}api/sessions", json.dumps(body).encode(), "POST", **{"X-XSRFToken": token})
        if status != 201:
            raise RuntimeError(f"no kernel for {self.name}: {status} {text[:200]}")
        return json.loads(text)["kernel"]["id"]

    def run(self, kernel, cells, seconds=300):
        """Run code cells one after the other; returns the errors, "name: value" each."""
        return finished(asyncio.wait_for(self._run(kernel, cells), seconds))

    async def _run(self, kernel, cells):
        cookies = "; ".join(f"{c.name}={c.value}" for c in self.jar if f"/user/{self.name}/".startswith(c.path))
        address = f"{self.base.replace('http', 'ws', 1)}api/kernels/{kernel}/channels"
        headers = {"Cookie": cookies, "Origin": self.hub.rstrip("/")}
        request = HTTPRequest(address, headers=headers, connect_timeout=120, request_timeout=120)      # a browser waits, too
        channel = await websocket_connect(request, max_message_size=2**30)
        errors, session = [], uuid.uuid4().hex
        for code in cells:
            header = {"msg_id": uuid.uuid4().hex, "session": session, "username": "", "date": "",
                      "msg_type": "execute_request", "version": "5.3"}
            content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
            message = {"channel": "shell", "header": header, "parent_header": {}, "metadata": {}, "content": content}
            await channel.write_message(json.dumps(message))
            while True:
                text = await channel.read_message()
                if text is None:
                    return [*errors, "ConnectionError: the connection was closed"]
                message = json.loads(text) if isinstance(text, str) else {}
                if message.get("parent_header", {}).get("msg_id") != header["msg_id"]:
                    continue
                kind, content = message["header"]["msg_type"], message["content"]
                if kind == "error":
                    errors.append(f"{content['ename']}: {content['evalue']}")
                if kind == "status" and content["execution_state"] == "idle":
                    break
        channel.close()
        return errors


def code_of(chapter):
    """The code cells of a chapter."""
    notebook = nbformat.read(ROOT / "book" / f"{chapter}.ipynb", as_version=4)
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]
