"""The page of benchmarks: the table and the picture of the last `make bench`; nothing on it is typed by hand."""

import html
import json
import math

from tools.bench.__main__ import size_text
from tools.bench.exempt import EXEMPT
from tools.reference.chapters import filter_box, front

ROW, LEFT, RIGHT, TOP, WIDTH = 18, 250, 20, 34, 760     # pixels of the picture
SHAPES = ("circle", "square", "diamond")                # smallest, middle and largest size


def seconds_text(value):
    """Seconds in the unit that reads best, with three digits."""
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if value * factor >= 1 or unit == "µs":
            return f"{value * factor:.3g} {unit}"


def memory_text(row):
    """Ratio of the peaks; below 1 MB on both sides it would compare noise."""
    own, other = row["memory"], row["reference_memory"]
    if own is None:
        return "not measured"
    if max(own, other) < 1:
        return "both below 1 MB"
    return f"{own / other:.2f} ({own:.0f} MB)" if other >= 1 else f"{own:.0f} MB against less than 1"


def mark(shape, x, y):
    """One point of the picture."""
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"/>'
    turn = f' transform="rotate(45 {x:.1f} {y:.1f})"' if shape == "diamond" else ""
    return f'<rect x="{x - 3.5:.1f}" y="{y - 3.5:.1f}" width="7" height="7"{turn}/>'


def picture(rows):
    """Ratio of each case on a logarithmic axis, one line a case, as SVG that follows the theme's colors."""
    cases = {}
    for row in rows:
        cases.setdefault(row["name"], []).append(row)
    low = min(0.05, *(row["ratio"] for row in rows))
    high = max(20.0, *(row["ratio"] for row in rows))

    def place(ratio):
        return LEFT + (WIDTH - LEFT - RIGHT) * math.log(ratio / low) / math.log(high / low)

    height = TOP + ROW * len(cases) + 10
    worst = max(rows, key=lambda row: row["ratio"] / row["target"])
    alt = (f"Time of mlcore over the time of the reference for {len(cases)} algorithms at {len(rows)} sizes, on a logarithmic axis. "
           f"{sum(row['ratio'] <= 1 for row in rows)} are at least as fast as the reference, {sum(row['over'] for row in rows)} over "
           f"their target; nearest to or furthest over it: {worst['name']} with {worst['ratio']:.1f} (target {worst['target']:g}).")
    parts = [f'<svg class="bench-picture" role="img" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
             f'aria-label="{html.escape(alt)}">']
    for ratio in (0.1, 1, 2, 10):
        x = place(ratio)
        parts.append(f'<line class="{"one" if ratio == 1 else "grid"}" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 8}" y2="{height - 6}"/>'
                     f'<text class="tick" x="{x:.1f}" y="{TOP - 14}">{ratio:g}</text>')
    for i, (name, sizes) in enumerate(cases.items()):
        y = TOP + ROW * (i + 0.5)
        parts.append(f'<text class="case" x="{LEFT - 12}" y="{y + 4:.1f}">{html.escape(name)}</text>')
        for row, shape in zip(sizes, SHAPES):
            said = html.escape(f"{name}, {size_text(row['size'])}: {row['ratio']:.2f} (target {row['target']:g})")
            parts.append(f'<g class="{"over" if row["over"] else "within"}">{mark(shape, place(row["ratio"]), y)}<title>{said}</title></g>')
    return "\n".join([*parts, "</svg>"])


def table(rows):
    """All rows as a Markdown table."""
    lines = ["| Algorithm | Reference | Size | mlcore | Reference's time | Ratio | Peak memory, ratio | Largest difference | Growth |",
             "|---|---|---|---:|---:|---:|---:|---:|---|"]
    for row in rows:
        ratio = f"**{row['ratio']:.2f}** over {row['target']:g}" if row["over"] else f"{row['ratio']:.2f}"
        note = f" ({row['note']})" if row["note"] else ""
        lines.append(f"| {row['name']}{note} | `{row['reference']}` | {size_text(row['size'])} | {seconds_text(row['seconds'])} "
                     f"| {seconds_text(row['reference_seconds'])} | {ratio} | {memory_text(row)} | {row['difference']:.1e} "
                     f"| {row['grows']}^{row['slope']:.2f}, reference {row['grows']}^{row['reference_slope']:.2f} |")
    return lines


def page(result):
    """The whole page."""
    rows, on = result["rows"], result["machine"]
    count, over = len({row["name"] for row in rows}), sum(row["over"] for row in rows)
    packages = ", ".join(f"{name} {version}" for name, version in on["packages"].items())
    return "\n".join([
        front("benchmarks", wide=True) + "# Benchmarks", "",
        f"Each of {count} algorithms of `mlcore` does the same work on the same data with the same settings as its reference,",
        "in turns, on one thread; a time is the median of at least five runs. The *ratio* is the time of `mlcore` over the time of",
        "the reference: 1 is equal, below 1 is faster. The targets are 2 where the work is linear algebra and 10 where it is a",
        f"sequential solver. **{len(rows) - over} of {len(rows)} rows are within their target**{', the others marked' if over else ''}.",
        "*Growth* is the slope of the time against the size on logarithmic axes.", "",
        f"Measured on {on['date']}: {on['processor']}, {on['cores']} cores ({on['threads']} used), {on['system']},",
        f"Python {on['python']}, {packages}.",
        "Repeat it with `make bench`.", "",
        "```{raw} html", '<div class="bench-box">', picture(rows), "</div>", "```", "",
        "Circle, square and diamond are the smallest, the middle and the largest size; the line at 1 is the reference.", "",
        *filter_box("kmeans"), *table(rows), "",
        "These estimators have no row, because no reference library has the same algorithm:", "",
        *(f"- `{name}`: {why}" for name, why in EXEMPT.items()), ""])


def pages(root, chapters):
    """The page, once there is something measured."""
    path = root / "book/reference/benchmarks.json"
    return {"benchmarks.md": page(json.loads(path.read_text("utf8")))} if path.exists() else {}
