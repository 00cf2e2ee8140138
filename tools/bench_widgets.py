"""Speed and size of every interactive figure of the built site.

    python tools/bench_widgets.py [site folder]

For each figure: the time from an input event on a control to the finished layout (median over its steps, in Chromium),
the size of the embedded data, and the time the cell that made it takes in Python. Rows over a target carry a mark.
"""

import argparse
import json
import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from tools import browser, notebook  # noqa: E402

REDRAW_MS, SIZE_KB = 8, 150
MEASURE = """async () => {
  const figures = [...document.querySelectorAll('[data-kind][class^=mlcore-]')], result = [];
  for (const el of figures) {
    el.scrollIntoView();
    await new Promise((r) => requestAnimationFrame(() => setTimeout(r, 30)));
    const times = [], ranges = [...el.querySelectorAll('input[type=range]')];
    const timed = async (act) => {
      const t = performance.now();
      act();
      await null;                                                      // some figures draw in a microtask
      el.getBoundingClientRect();
      times.push(performance.now() - t);
    };
    for (const input of ranges) {
      const first = input.value, last = +input.max, step = Math.max(1, Math.round((last - +input.min) / 25));
      const move = (v) => { input.value = v; input.dispatchEvent(new Event('input', { bubbles: true })); };
      for (let v = +input.min; v <= last; v += step) await timed(() => move(v));
      move(first);
    }
    if (!ranges.length && el.mlcoreRedraw) for (let i = 0; i < 25; i++) await timed(() => el.mlcoreRedraw());
    const data = el.querySelector('script[type="application/json"]');
    result.push({ kind: el.dataset.kind, title: (el.querySelector('.mlc-title') || {}).textContent || '', times,
                  drawn: !!el.querySelector('svg.mlc-svg'), bytes: new TextEncoder().encode(data.textContent).length });
  }
  return result;
}"""


def precompute_times(page):
    """Seconds of each cell of a page's notebook that shows a figure, in order; empty if the page has none."""
    path = notebook.BOOK / f"{page}.ipynb"
    if not path.exists():
        return []
    import nbformat
    from nbclient import NotebookClient

    nb, times = nbformat.read(path, as_version=4), []
    client = NotebookClient(nb, timeout=notebook.TIME_LIMIT, kernel_name="python3", extra_arguments=["--log-level=ERROR"],
                            resources={"metadata": {"path": str(path.parent)}})
    with client.setup_kernel():
        for i, cell in enumerate(nb.cells):
            figures = json.dumps(cell.get("outputs", [])).count("data-kind=")
            start = time.perf_counter()
            client.execute_cell(cell, i)
            times += [time.perf_counter() - start] * figures
    return times


def measure(site, precompute):
    """Yield (page, figure number, measurements) for all pages that hold a figure."""
    from playwright.sync_api import sync_playwright

    pages = sorted(p for p in site.rglob("*.html") if 'class="mlcore-' in p.read_text("utf8"))
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser.find(), args=browser.FLAGS)
        view = chromium.new_page(viewport={"width": 1200, "height": 900})
        for path in pages:
            view.goto(path.as_uri())
            name = path.relative_to(site).with_suffix("").as_posix().removeprefix("book/")
            seconds = precompute_times(name) if precompute else []
            for number, row in enumerate(view.evaluate(MEASURE)):
                yield name, number + 1, {**row, "seconds": seconds[number] if number < len(seconds) else None}
        chromium.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site", nargs="?", type=pathlib.Path, default=ROOT / "_build" / "html")
    parser.add_argument("--no-precompute", action="store_true", help="do not run the notebooks for the Python times")
    args = parser.parse_args()
    if not (args.site / "index.html").exists():
        sys.exit(f"error: {args.site} holds no built site; run `make site` first.")
    if browser.find() is None:
        sys.exit("error: no Chromium or Chrome found; set CHROMIUM to its program.")
    print(f"targets: redraw {REDRAW_MS} ms, size {SIZE_KB} KB")
    print(f"{'figure':58} {'redraw ms':>9} {'worst ms':>9} {'KB':>6} {'cell s':>7}")
    over = count = 0
    for page, number, row in measure(args.site.resolve(), not args.no_precompute):
        redraw, worst, size = statistics.median(row["times"] or [0]), max(row["times"] or [0]), row["bytes"] / 1024
        notes = [] if row["drawn"] else ["NOT DRAWN"]
        notes += [f"redraw over {REDRAW_MS} ms"] * (redraw > REDRAW_MS) + [f"over {SIZE_KB} KB"] * (size > SIZE_KB)
        seconds = "" if row["seconds"] is None else f"{row['seconds']:.2f}"
        print(f"{page + ' ' + str(number) + ' ' + row['kind']:58} {redraw:9.2f} {worst:9.2f} {size:6.1f} {seconds:>7}  {'; '.join(notes)}")
        count, over = count + 1, over + bool(notes)
    print(f"{count} figures, {over} over a target")


if __name__ == "__main__":
    main()
