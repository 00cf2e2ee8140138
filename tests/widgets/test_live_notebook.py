"""In Notebook 7 and JupyterLab: run the cells, move a control, and the next cell sees the new state."""

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
import numpy as np
import pytest
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from mlcore.supervised.neighbors_and_kernel_regression import smooth
from mlcore.unsupervised.k_means import assign
from mlcore.widgets import KernelBandwidthPlayground, KMeansPlayground

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
# A cell per playground, each followed by one that prints its state.
PLAYGROUNDS = [
    """import json
from mlcore.widgets import BiasVariancePlayground, KernelBandwidthPlayground, KMeansPlayground
bias_variance = BiasVariancePlayground()
bias_variance""",
    'print(json.dumps({"degree": bias_variance.degree, "total": bias_variance.decomposition().mean().total}))',
    """kernel = KernelBandwidthPlayground()
kernel""",
    'print(json.dumps({name: getattr(kernel, name) for name in ("points", "query", "bandwidth", "kernel", "order")}))',
    """clusters = KMeansPlayground()
clusters""",
    'print(json.dumps({name: getattr(clusters, name) for name in ("points", "centers", "labels", "distortion", "history", "stage")}))',
]
NOTEBOOKS = {**dict.fromkeys(PLACES.values(), CELLS), "playgrounds.ipynb": PLAYGROUNDS}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A Jupyter server with a token on a folder that holds one notebook per test; yields its address."""
    folder = tmp_path_factory.mktemp("live")
    (folder / "work").mkdir()
    for name, cells in NOTEBOOKS.items():
        nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells],
                                      metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}})
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


@contextlib.contextmanager
def opened(browser, server, place, name):
    """A page with the notebook and its kernel ready; afterwards, nothing may have been loaded from another host."""
    context = browser.new_context(viewport={"width": 1200, "height": 1000})
    page = context.new_page()
    foreign = []
    own = (server, server.replace("http", "ws"), "data:", "blob:")
    page.on("request", lambda r: None if r.url.startswith(own) else foreign.append(r.url))
    try:
        page.goto(f"{server}{place}/{name}?token=secret")
        page.wait_for_selector(".jp-Notebook .jp-CodeCell .cm-content", timeout=60_000)
        wait_for_kernel(server, name)
        yield page
    finally:
        context.close()
    assert foreign == []


@pytest.mark.parametrize("place", PLACES)
def test_the_slider_and_python_see_each_other(browser, server, place):
    with opened(browser, server, place, PLACES[place]) as page:
        run_cell(page, 0)
        wait_for_readout(page, "slope 2")
        slider = page.locator(".mlc-box input[type=range]")
        slider.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        wait_for_readout(page, "slope 4")
        for _ in range(20):                                 # run again while the last change is still on its way to the kernel
            output = run_cell(page, 1).locator(".jp-OutputArea-output")
            output.filter(has_text="the setting is").wait_for(timeout=30_000)
            page.wait_for_timeout(200)                      # a rerun replaces the old output a moment later
            if "the setting is {'a': 4}" in output.inner_text():
                break
        else:
            raise AssertionError(f"the change never reached Python: {output.inner_text()}")
        run_cell(page, 2)                                   # and the other way: Python moves the slider
        wait_for_readout(page, "slope 1")
        assert slider.input_value() == "0"


def figure_of(page, number):
    """Run the cell of a playground; return the figure and its read-out at the start."""
    figure = run_cell(page, number).locator(".mlc-box")
    figure.locator("svg.mlc-svg").first.wait_for(timeout=60_000)
    return figure, figure.locator(".mlc-readout").inner_text()


def changed_readout(figure, before):
    """The read-out, once it is another than before."""
    for _ in range(150):
        text = figure.locator(".mlc-readout").inner_text()
        if text != before:
            return text
        time.sleep(0.1)
    raise AssertionError(f"the key changed nothing: {before!r}")


def state_after(page, number, arrived):
    """What the next cell prints; run again while the last change is still on its way to the kernel."""
    for _ in range(20):
        output = run_cell(page, number).locator(".jp-OutputArea-output pre")
        with contextlib.suppress(PlaywrightTimeout):
            output.wait_for(timeout=10_000)
            page.wait_for_timeout(200)                       # a rerun replaces the old output a moment later
            state = json.loads(output.inner_text())
            if arrived(state):
                return state
    raise AssertionError("the change never reached Python")


def fit_at_query(state):
    """mlcore's answer to what the student drew."""
    points = np.array(state["points"])
    return smooth(points[:, :1], points[:, 1], [[state["query"]]], state["bandwidth"], kernel=state["kernel"], order=state["order"])[0]


def test_python_reads_what_was_done_in_the_playgrounds(browser, server):
    """By keyboard alone; the numbers on the page are those that mlcore computes from the state Python reads."""
    with opened(browser, server, "notebooks", "playgrounds.ipynb") as page:
        figure, before = figure_of(page, 0)
        figure.locator("input[name=degree]").press("ArrowLeft")
        shown = changed_readout(figure, before)
        state = state_after(page, 1, lambda s: s["degree"] != 12)
        assert state["degree"] == 11 and shown.startswith(f"total {state['total']:.3f} =")

        figure, before = figure_of(page, 2)
        figure.locator("input[name=bandwidth]").press("ArrowRight")
        before = changed_readout(figure, before)
        figure.get_by_role("button", name="Add point").press("Enter")
        page.keyboard.press("Shift+ArrowUp")                 # the focus is on the new point: pull it off the curve
        shown = re.search(r": ([-−]?[\d.]+), as noisy", changed_readout(figure, before))[1].replace("−", "-")
        start = KernelBandwidthPlayground()
        state = state_after(page, 3, lambda s: fit_at_query(s) == pytest.approx(float(shown), rel=5e-4))
        assert len(state["points"]) == len(start.points) + 1 and state["bandwidth"] > start.bandwidth

        figure, before = figure_of(page, 4)
        figure.get_by_role("button", name="Move", exact=True).press("Enter")
        before = changed_readout(figure, before)
        figure.get_by_role("button", name="Assign", exact=True).press("Enter")
        changed_readout(figure, before)
        state = state_after(page, 5, lambda s: len(s["history"]) == 3)
        start, labels, X = KMeansPlayground(), np.array(state["labels"]), np.array(state["points"])
        centers = np.array([X[np.array(start.labels) == j].mean(axis=0) for j in range(start.k)])
        nearest, squared = assign(X, centers)
        assert state["stage"] == "assigned" and np.allclose(state["centers"], centers, atol=1e-6)
        assert np.array_equal(labels, nearest) and state["distortion"] == pytest.approx(squared.sum(), abs=1e-6)
