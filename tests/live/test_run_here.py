"""Run here and Open in Jupyter, in a real browser, as a student uses them; and what happens when something breaks."""

import contextlib
import json
import re
import signal
import subprocess
import time

import pytest
from live_server import LiveServer
from support import without_formulas

pytestmark = pytest.mark.browser
FIRST, SECOND = "supervised/linear_regression", "supervised/logistic_regression"
STATE = "document.documentElement.dataset.kernel"


@contextlib.contextmanager
def chapter(browser, live, name=FIRST, **context):
    """The page of a chapter, entered by the printed address. Nothing may go wrong on the way, or come from another host."""
    page = browser.new_context(viewport={"width": 1200, "height": 900}, **context).new_page()
    without_formulas(page)
    problems = []
    page.on("pageerror", lambda e: problems.append(str(e)))
    own = (live.address.removesuffix("book/"), "data:", "blob:", "about:")
    page.on("request", lambda r: None if r.url.startswith(own) else problems.append(r.url))
    page.goto(live.entrance)
    assert "token" not in page.url, "the token leaves the address bar"
    page.goto(f"{live.address}book/{name}.html")
    try:
        yield page
        page.goto("about:blank")      # leaving a page ends its kernel; closing its window in a test does not always
    finally:
        page.context.close()
    assert problems == []


def run_here(page):
    page.locator("#run-here").click()
    wait(page, "ready")


def wait(page, state, seconds=90):
    page.wait_for_function(f"{STATE} === '{state}'", timeout=1000 * seconds)


def cell(page, number):
    """The visible code cells, counted from 0."""
    return page.locator("div.cell:has(textarea.live-code:visible)").nth(number)


def run(page, number, code=None, until=("ok",)):
    """Write code into a cell, press Ctrl+Enter, wait for the end; return the text of its output."""
    place = cell(page, number)
    if code is not None:
        place.locator("textarea").fill(code)
    place.evaluate("(div) => { delete div.dataset.ran; }")
    place.locator("textarea").press("Control+Enter")
    ended(place, *until)
    return place.locator(".cell_output").inner_text()


def ended(place, *states, seconds=60):
    for _ in range(10 * seconds):
        state = place.get_attribute("data-ran")
        if state:
            assert state in states, place.locator(".cell_output").inner_text()
            return
        time.sleep(0.1)
    raise AssertionError("the cell did not end")


def status(page):
    return page.locator(".live-status").inner_text()


@pytest.mark.parametrize("name", [FIRST, SECOND])
def test_run_all_gives_the_stored_outputs_again(browser, live, name):
    with chapter(browser, live, name) as page:
        outputs = """[...document.querySelectorAll('.bd-article div.cell_output')].map(d =>
                     [...d.querySelectorAll('.stream pre, .text_plain pre')].map(p => p.textContent.trim()).join('\\n').trim())"""
        stored, pictures = page.evaluate(outputs), page.locator(".bd-article .cell_output img").count()
        figures = page.locator(".bd-article .mlc-box").count()
        run_here(page)
        page.get_by_role("button", name="Run all", exact=True).click()
        wait(page, "running")
        wait(page, "ready", 120)
        assert page.evaluate("[...document.querySelectorAll('[data-ran]')].filter(d => d.dataset.ran !== 'ok').map(d => d.innerText)") == []
        rerun = page.evaluate(outputs)
        assert [t for t in rerun if t] == [t for t in stored if t] and len(stored) > 20
        assert page.locator(".bd-article .cell_output img").count() == pictures
        assert page.locator(".bd-article .mlc-box").count() == figures > 0
        assert all(page.evaluate("[...document.querySelectorAll('.bd-article .cell_output img')].map(i => i.alt.length > 20)"))


def test_edit_run_error_and_undo(browser, live):
    with chapter(browser, live) as page:
        run_here(page)
        original = cell(page, 1).locator("textarea").input_value()
        assert run(page, 1, "import os\nprint(6 * 7)\nos.getcwd()").split() == ["42", repr(str(live.work / "supervised"))]
        traceback = run(page, 1, "def f(x):\n    return 1 / x\nf(0)", until=("error",))
        assert "ZeroDivisionError: division by zero" in traceback and "----> 3 f(0)" in traceback and "\x1b" not in traceback
        assert "error" in status(page)
        assert cell(page, 1).locator("pre .nf").inner_text() == "f", "the code is colored while it is typed"
        cell(page, 1).get_by_role("button", name="Undo my edits").click()
        assert cell(page, 1).locator("textarea").input_value() == original


def test_a_group_of_cells_stops_at_an_error(browser, live):
    with chapter(browser, live) as page:
        run_here(page)
        cell(page, 1).locator("textarea").fill("raise ValueError('stop here')")
        cell(page, 3).get_by_role("button", name=re.compile("Run all cells above")).click()
        ended(cell(page, 2), "skipped")
        assert [cell(page, i).get_attribute("data-ran") for i in range(4)] == ["ok", "error", "skipped", None]


def test_keys_of_the_editor(browser, live):
    with chapter(browser, live) as page:
        run_here(page)
        area = cell(page, 1).locator("textarea")
        area.fill("")
        area.type("for i in range(2):\nprint(i)")
        assert area.input_value() == "for i in range(2):\n    print(i)", "a colon indents the next line"
        area.press("Control+/")
        assert area.input_value().splitlines()[1] == "    # print(i)"
        area.press("Control+/")
        area.press("Shift+Tab")
        assert area.input_value().splitlines()[1] == "print(i)"
        area.press("Control+z")
        assert area.input_value().splitlines()[1] == "    print(i)", "the browser's undo still works"
        area.press("Escape")
        area.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Run", "Escape, then Tab leaves the editor"
        assert area.evaluate("a => [a.clientWidth, a.clientHeight]") == cell(page, 1).locator("pre").evaluate(
            "p => [p.clientWidth, p.clientHeight]"), "the text area lies exactly over the colored text"
        look = "e => { const s = getComputedStyle(e); return [s.fontFamily, s.fontSize, s.lineHeight, s.paddingLeft, s.paddingTop]; }"
        assert area.evaluate(look) == cell(page, 1).locator("pre").evaluate(look)
        area.fill("x = 1\n" * 30)
        assert area.evaluate("a => Math.abs(a.scrollHeight - a.clientHeight) <= 2"), "thirty lines of both are equally high"


def test_edits_survive_the_visit(browser, live):
    with chapter(browser, live) as page:
        run_here(page)
        cell(page, 1).locator("textarea").fill("print('still here')")
        page.reload()
        run_here(page)
        assert cell(page, 1).locator("textarea").input_value() == "print('still here')"
        page.get_by_role("button", name="Undo all edits").click()
        page.reload()
        run_here(page)
        assert "still here" not in cell(page, 1).locator("textarea").input_value()


def test_exercise_right_and_wrong(browser, live):
    """The chapter's own stub and check, filled in as a student does."""
    with chapter(browser, live) as page:
        run_here(page)
        run(page, 0)
        codes = page.locator("textarea.live-code:visible").evaluate_all("areas => areas.map(a => a.value)")
        stub = next(i for i, code in enumerate(codes) if "def lms_epoch(" in code)
        assert "not attempted yet" in run(page, stub)
        answers = {}
        for sign in "-+":
            loop = f"for x, target in zip(X, y):\n        theta = theta {sign} alpha * (target - x @ theta) * x\n    return theta"
            answers[sign] = run(page, stub, codes[stub].replace("...", loop), until=("ok", "error"))
        assert "right, twelve updates" in answers["+"] and "right, twelve updates" not in answers["-"]
        assert "theta after one pass" in answers["-"], "a wrong answer is told what is wrong"


def test_a_figure_made_live_and_python_see_each_other(browser, live):
    with chapter(browser, live) as page:
        run_here(page)
        run(page, 1, "import numpy as np\nfrom mlcore.widgets import Explorer, Line, Panel, Slider\nx = np.linspace(0, 1, 20)\n"
                     "figure = Explorer([Slider('a', [1, 2, 3, 4], value=2)], lambda a: {'x': x, 'y': a * x}, Panel([Line('x', 'y')]),\n"
                     "                  alt='a line', readout='slope {a}')\nfigure")
        box = cell(page, 1).locator(".mlc-box")
        box.locator("input[type=range]").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        assert run(page, 2, "figure.value").strip() == "{'a': 4}", "the next cell sees the last change"
        run(page, 2, "figure.value = {'a': 1}")
        page.wait_for_function("document.querySelector('.mlc-box .mlc-readout').textContent === 'slope 1'")
        run(page, 2, "from mlcore.widgets import KMeansPlayground\nclusters = KMeansPlayground()\nclusters")
        cell(page, 2).get_by_role("button", name="Move", exact=True).press("Enter")
        state = json.loads(run(page, 3, "import json\nprint(json.dumps([clusters.stage, len(clusters.history)]))"))
        assert state == ["moved", 2]


def test_a_student_s_own_outputs(browser, live):
    """Markdown of IPython, a picture, HTML, progress on one line, a display that is updated, help, stderr."""
    with chapter(browser, live) as page:
        run_here(page)
        assert "bars 3" in run(page, 1, "for i in range(1, 4):\n    print(f'\\rbars {i}', end='')") and "bars 1" not in run(page, 1)
        assert run(page, 1, "from IPython.display import HTML\nHTML('<b class=mine>bold</b>')") == "bold"
        assert run(page, 1, "h = display('first', display_id=True)\nh.update('second')").strip() == "'second'"
        run(page, 1, "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()")
        assert cell(page, 1).locator("img").evaluate("i => i.naturalWidth") > 100
        assert "Return the number of items" in run(page, 1, "len?")
        assert "careful" in run(page, 1, "import sys\nprint('careful', file=sys.stderr)")
        assert "SyntaxError" in run(page, 1, "for", until=("error",))


def test_input_is_asked_in_the_page(browser, live):
    with chapter(browser, live) as page:
        run_here(page)
        cell(page, 1).locator("textarea").fill("name = input('Your name? ')\nprint('Hello,', name)")
        cell(page, 1).get_by_role("button", name="Run cell").click()
        page.get_by_label("Your name? ").fill("Ada")
        page.get_by_role("button", name="Send").click()
        ended(cell(page, 1), "ok")
        assert "Hello, Ada" in cell(page, 1).locator(".cell_output").inner_text()


def test_an_endless_loop_is_interrupted(browser, live):
    with chapter(browser, live) as page:
        run_here(page)
        run(page, 1, "kept = 5")
        cell(page, 1).locator("textarea").fill("while True:\n    pass")
        cell(page, 1).locator("textarea").press("Control+Enter")
        wait(page, "running")
        page.wait_for_timeout(300)
        page.get_by_role("button", name="Interrupt").click()
        ended(cell(page, 1), "error")
        assert "KeyboardInterrupt" in cell(page, 1).locator(".cell_output").inner_text()
        assert run(page, 2, "kept") == "5\n" or run(page, 2, "kept").strip() == "5", "the variables are still there"
        page.get_by_role("button", name="Restart").click()
        page.wait_for_function("document.querySelector('.live-status').textContent.includes('variables are gone')")
        assert "NameError" in run(page, 2, "kept", until=("error",))


def test_a_hundred_megabytes_do_not_kill_the_page(browser, live):
    with chapter(browser, live) as page:
        run_here(page)
        output = run(page, 1, "line = 'x' * 99_999\nfor _ in range(1000):\n    print(line)")
        assert "The output is cut here" in output or "rate exceeded" in output
        assert len(output) < 400_000
        assert run(page, 2, "print('alive')").strip() == "alive"


def test_a_kernel_that_dies_is_replaced_and_the_page_says_so(browser, live):
    with chapter(browser, live) as page:
        run_here(page)
        run(page, 2, "x = 1")
        run(page, 1, "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", until=("died",))
        assert "The kernel died while this cell ran" in cell(page, 1).locator(".cell_output").inner_text()
        assert "NameError" in run(page, 2, "x", until=("error",)), "a cell that is run before the new kernel listens waits for it"


def test_a_kernel_that_dies_says_when_the_next_one_is_ready(browser, live):
    with chapter(browser, live) as page:
        run_here(page)
        run(page, 1, "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", until=("died",))
        wait(page, "ready")
        assert "all variables are gone" in status(page)


def test_leaving_the_page_stops_its_kernel_and_no_other(browser, live):
    reader = live.cookies()

    def sessions():
        return {s["id"]: s["path"] for s in json.loads(live.ask("/api/sessions", **reader).text)}

    with chapter(browser, live) as stays, chapter(browser, live) as page:
        for one in (stays, page):
            run_here(one)
        mine, other = (one.evaluate("mlcorePage.kernel.sessionId") for one in (page, stays))
        assert sessions()[mine].startswith(f"{FIRST}.ipynb#")
        page.goto(f"{live.address}index.html")
        for _ in range(600):
            if mine not in sessions():
                break
            time.sleep(0.1)
        else:
            raise AssertionError("a kernel was left behind")
        assert other in sessions() and run(stays, 1, "6 * 7").strip() == "42"


def test_a_connection_that_breaks_loses_nothing(browser, live):
    """The kernel works on; what it said meanwhile comes when the page is connected again, and the next cells run."""
    with chapter(browser, live) as page:
        run_here(page)
        cell(page, 1).locator("textarea").fill("import time\nprint('before', flush=True)\ntime.sleep(2)\nprint('after')\nkept = 5")
        cell(page, 2).locator("textarea").fill("kept + 1")
        cell(page, 3).get_by_role("button", name=re.compile("Run all cells above")).click()
        page.get_by_text("before", exact=True).wait_for()
        page.evaluate("mlcorePage.kernel.socket.close()")
        wait(page, "lost")
        wait(page, "ready")
        assert [cell(page, i).get_attribute("data-ran") for i in range(3)] == ["ok"] * 3
        assert cell(page, 1).locator(".cell_output").inner_text().split() == ["before", "after"]
        assert cell(page, 2).locator(".cell_output").inner_text().strip() == "6"


def test_a_cell_whose_end_was_never_told_is_called_lost(browser, live):
    """A connection that breaks and takes an answer with it: the page asks the kernel again and does not wait for ever."""
    with chapter(browser, live) as page:
        run_here(page)
        page.evaluate("""() => { const kernel = mlcorePage.kernel, take = kernel.take;
            kernel.take = (m) => m.header.msg_type === "execute_reply" ? null : take.call(kernel, m); }""")
        cell(page, 1).locator("textarea").fill("print('done')")
        cell(page, 1).locator("textarea").press("Control+Enter")
        page.get_by_text("done", exact=True).wait_for()
        page.evaluate("() => { delete mlcorePage.kernel.take; mlcorePage.kernel.socket.close(); }")
        ended(cell(page, 1), "lost")
        wait(page, "ready")
        assert run(page, 2, "1 + 1").strip() == "2"


def test_a_server_that_is_killed_and_started_again(browser, tmp_path, site_folder):
    """Same port and token, as when a laptop's server is started again: edits are kept, a new kernel is one click away."""
    server = LiveServer(tmp_path, environment={"JUPYTER_TOKEN": "a" * 32})
    again = None
    try:
        with chapter(browser, server) as page:
            run_here(page)
            cell(page, 1).locator("textarea").fill("print('kept', 1 + 1)")
            server.process.send_signal(signal.SIGKILL)
            wait(page, "lost")
            again = LiveServer(tmp_path, "--port", str(server.port), environment={"JUPYTER_TOKEN": "a" * 32})
            wait(page, "gone")
            assert "gone" in status(page) and "edits are kept" in status(page)
            page.get_by_role("button", name="Start a new kernel").click()
            wait(page, "ready")
            assert run(page, 1).strip() == "kept 2"
    finally:
        for one in (server, again):
            if one:
                one.stop("kill")
        subprocess.run(["pkill", "-f", str(tmp_path)])


def test_open_edit_save_and_reset_in_jupyter(browser, live):
    with chapter(browser, live, SECOND) as page:
        assert not page.locator("#reset-chapter").is_visible()
        with page.context.expect_page() as opened:
            page.locator("#open-in-jupyter").click()
        book = opened.value
        book.wait_for_selector(".jp-Notebook .jp-Cell", timeout=90_000)
        assert f"/notebooks/{SECOND}.ipynb" in book.url
        book.wait_for_selector(".jp-Notebook mjx-container, .jp-Notebook .katex, .jp-Notebook .myst", timeout=60_000)
        copy = live.work / f"{SECOND}.ipynb"
        book.locator(".jp-Notebook .jp-CodeCell .cm-content").first.click()
        book.keyboard.press("Control+Home")
        book.keyboard.type("# mine\n")
        book.keyboard.press("Control+s")
        for _ in range(300):
            if b"# mine" in copy.read_bytes():       # Jupyter writes in place: for a moment the file is empty
                break
            time.sleep(0.1)
        assert b"# mine" in copy.read_bytes()
        book.close()
        page.bring_to_front()
        page.reload()
        page.locator("#reset-chapter").click()
        page.get_by_role("button", name="Cancel").click()
        assert b"# mine" in copy.read_bytes(), "asked first"
        page.locator("#reset-chapter").click()
        page.get_by_role("button", name="Replace").click()
        page.get_by_text("what you had is now").wait_for()
        assert b"# mine" not in copy.read_bytes()
        assert b"# mine" in (live.work / f"{SECOND}.old-1.ipynb").read_bytes()


def test_a_static_host_shows_how_to_get_a_live_page(browser, site_address):
    page = browser.new_context().new_page()
    page.goto(f"{site_address}book/{FIRST}.html")
    assert page.locator("#run-here").count() == 0
    page.get_by_text("Run this chapter").click()
    assert page.get_by_text("make book").is_visible()
    page.context.close()


def test_a_published_book_offers_binder_and_colab(browser, site_folder, site_address):
    address, page = f"{site_address}book/{FIRST}.html", browser.new_context().new_page()
    told = '<meta name="mlcore-repository" content="https://github.com/owner/name"><meta name="mlcore-branch" content="main"></head>'
    text = (site_folder / f"book/{FIRST}.html").read_text("utf8").replace("</head>", told, 1)
    page.route(address, lambda route: route.fulfill(body=text, content_type="text/html"))
    page.goto(address)
    page.get_by_text("Run this chapter").click()
    binder, colab = (page.get_by_role("link", name=name).get_attribute("href") for name in ("Open on Binder", "Open in Colab"))
    assert binder == f"https://mybinder.org/v2/gh/owner/name/main?urlpath=book%2Fbook%2F{FIRST.replace('/', '%2F')}.html"
    assert colab == f"https://colab.research.google.com/github/owner/name/blob/main/book/{FIRST}.ipynb"
    page.context.close()


def test_no_serious_barrier_while_running(browser, live):
    import importlib.resources

    axe = importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text()
    for scheme in ("light", "dark"):
        with chapter(browser, live, color_scheme=scheme) as page:
            run_here(page)
            run(page, 1, "1 / 0", until=("error",))
            page.evaluate(axe)
            parts = "{include: [['.live-actions'], ['.live-toolbar'], ['.live-bar'], ['.live-editor'], ['.output.traceback']]}"
            found = page.evaluate(f"axe.run({parts}, {{runOnly: ['wcag2a', 'wcag2aa']}})")["violations"]
            serious = [(v["id"], [n["target"] for n in v["nodes"]][:3]) for v in found if v["impact"] in ("serious", "critical")]
            assert not serious
            page.set_viewport_size({"width": 375, "height": 800})
            page.wait_for_timeout(200)
            assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_two_pages_have_two_kernels(browser, live):
    with chapter(browser, live) as one, chapter(browser, live) as two:
        run_here(one)
        run_here(two)
        assert run(one, 1, "import os\nwhere = os.getpid()\nwhere") != run(two, 1, "import os\nwhere = os.getpid()\nwhere")
