"""`python -m mlcore.live` in a process of its own, for the tests and the load test."""

import contextlib
import http.client
import json
import os
import re
import subprocess
import sys
import threading

from support import BOOK, ROOT, SITE


class LiveServer:
    """`python -m mlcore.live` as a user starts it; `address` is what it printed."""

    def __init__(self, folder, *options, site=SITE, originals=BOOK, environment=None):
        self.folder, self.work = folder, folder / "work"
        own = {name: str(folder / name.lower()) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")}
        self.process = subprocess.Popen(
            [sys.executable, "-u", "-m", "mlcore.live", "--site", str(site), "--originals", str(originals), "--work", str(self.work),
             "--no-browser", *options],
            cwd=ROOT, env={**os.environ, **own, **(environment or {})}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.lines, found = [], threading.Event()

        def listen():
            for line in self.process.stdout:
                self.lines.append(line)
                if "Ctrl-C stops" in line:
                    found.set()
            found.set()

        self.listener = threading.Thread(target=listen, daemon=True)
        self.listener.start()
        assert found.wait(90), "the server printed no address"
        address = re.search(r"(http://127\.0\.0\.1:(\d+)/book/)\?token=(\w+)", self.output)
        assert address, self.output
        self.entrance, self.address, self.port, self.token = address[0], address[1], int(address[2]), address[3]

    @property
    def output(self):
        return "".join(self.lines)

    def ask(self, path, method="GET", body=None, **headers):
        """One request without any cookie but those given; the path goes out exactly as it is written."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, body if body is None or isinstance(body, str) else json.dumps(body), headers)
        answer = connection.getresponse()
        answer.text = answer.read().decode("utf8", "replace")
        connection.close()
        return answer

    def cookies(self):
        """The cookies of a reader who opened the printed address, as one header; and the token their requests must carry."""
        first = self.ask(f"/book/?token={self.token}").headers.get_all("set-cookie")
        login = "; ".join(c.split(";")[0] for c in first)
        second = self.ask("/book/_static/live-server.js", Cookie=login).headers.get_all("set-cookie") or []
        jar = [*login.split("; "), *[c.split(";")[0] for c in second]]
        return {"Cookie": "; ".join(jar), "X-XSRFToken": next(c for c in jar if c.startswith("_xsrf=")).removeprefix("_xsrf=")}

    def stop(self, how="terminate"):
        with contextlib.suppress(ProcessLookupError):
            getattr(self.process, how)()
        self.process.wait(30)
        self.listener.join(10)
