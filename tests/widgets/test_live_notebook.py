"""In Notebook 7 and JupyterLab: run the cells, move the slider, and the next cell sees the new value."""

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request

import nbformat
import pytest

pytestmark = pytest.mark.browser
CELLS = [
    """import numpy as np
from mlcore.widgets import Explorer, Line, Panel, Slider
x = np.linspace(0, 1, 20)
figure = Explorer([Slider("a", [1, 2, 3, 4], value=2)], lambda a: {"x": x, "y": a * x}, Panel([Line("x", "y")]),
                  alt="a line", readout="slope {a}")
figure""",
    'print("the setting is", figure.value)',
    'figure.value = {"a": 1}',
]
PLACES = {"notebooks": "classic.ipynb", "lab/tree": "lab.ipynb"}      # a file each: a saved output would show the last run's figure


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A Jupyter server with a token on a folder that holds one notebook per test; yields its address."""
    folder = tmp_path_factory.mktemp("live")
    (folder / "work").mkdir()
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in CELLS],
                                  metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}})
    for name in PLACES.values():
        nbformat.write(nb, folder / "work" / name)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    own = {name: str(folder / name.lower()) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")}
    log = open(folder / "log.txt", "w")  # noqa: SIM115
    process = subprocess.Popen(
        [sys.executable, "-m", "notebook", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0",
         "--IdentityProvider.token=secret", f"--ServerApp.root_dir={folder / 'work'}"],
        env={**os.environ, **own}, cwd=folder, stdout=log, stderr=log)
    try:
        for _ in range(300):
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            assert process.poll() is None, (folder / "log.txt").read_text()
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.terminate()
        process.wait(20)
        log.close()


def wait_for_kernel(server, name):
    """Until the notebook's kernel is idle and the page is connected to it: a cell that is run before is lost."""
    for _ in range(300):
        with urllib.request.urlopen(f"{server}api/sessions?token=secret", timeout=10) as answer:
            kernels = [s["kernel"] for s in json.load(answer) if s["path"] == name]
        if any(k["execution_state"] == "idle" and k["connections"] > 0 for k in kernels):
            return
        time.sleep(0.2)
    raise AssertionError(f"no kernel became ready: {kernels}")


def wait_for_readout(page, text):
    page.wait_for_function("(text) => (document.querySelector('.mlc-readout') || {}).textContent === text", arg=text, timeout=60_000)


def run_cell(page, number):
    """Select a cell and run it with the keyboard."""
    cell = page.locator(".jp-Notebook .jp-CodeCell").nth(number)
    cell.locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    return cell


@pytest.mark.parametrize("place", PLACES)
def test_the_slider_and_python_see_each_other(browser, server, place):
    context = browser.new_context(viewport={"width": 1200, "height": 1000})
    page = context.new_page()
    foreign = []
    own = (server, server.replace("http", "ws"), "data:", "blob:")
    page.on("request", lambda r: None if r.url.startswith(own) else foreign.append(r.url))
    try:
        page.goto(f"{server}{place}/{PLACES[place]}?token=secret")
        page.wait_for_selector(".jp-Notebook .jp-CodeCell .cm-content", timeout=60_000)
        wait_for_kernel(server, PLACES[place])
        run_cell(page, 0)
        wait_for_readout(page, "slope 2")
        slider = page.locator(".mlc-box input[type=range]")
        slider.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        wait_for_readout(page, "slope 4")
        output = run_cell(page, 1).locator(".jp-OutputArea-output")
        output.filter(has_text="the setting is").wait_for(timeout=30_000)
        assert re.search(r"the setting is {'a': 4}", output.inner_text())
        run_cell(page, 2)                                   # and the other way: Python moves the slider
        wait_for_readout(page, "slope 1")
        assert slider.input_value() == "0"
    finally:
        context.close()
    assert foreign == []
