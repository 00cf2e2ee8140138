"""Find the figures stored in notebooks and pages, and say what is wrong with one."""
import json
import math
import re

from mlcore.widgets.marks import Mark
from mlcore.widgets.packing import control_sizes, unpack

FIGURE = re.compile(r'<div class="mlcore-[\w-]+" data-kind="(\w+)"><script type="application/json">(.*?)</script>', re.S)


def stored_figures(html):
    """(kind, state, size in bytes) of every figure in a text of HTML."""
    for match in FIGURE.finditer(html):
        yield match[1], json.loads(match[2]), len(match[2].encode())


def notebook_figures(nb):
    """(cell number, kind, state, size) of every figure among the outputs of a notebook (its parsed JSON)."""
    for number, cell in enumerate(nb["cells"], 1):
        for output in cell.get("outputs", []):
            html = output.get("data", {}).get("text/html", "")
            for kind, state, size in stored_figures("".join(html)):
                yield number, kind, state, size


def faults(kind, state):
    """What is wrong with a stored figure, as a list of sentences (empty: nothing)."""
    spec = state.get("spec", {})
    found = [] if spec.get("v") == 1 else [f"unknown version {spec.get('v')!r}"]
    if not str(spec.get("alt", "")).strip():
        found.append("no text alternative")
    return found + (_explorer_faults(spec, state.get("index")) if kind == "explorer" else [])


def _explorer_faults(spec, index):
    found, dims = [], control_sizes(spec)
    if not isinstance(index, list) or len(index) != len(dims) or not all(0 <= i < n for i, n in zip(index, dims)):
        found.append(f"index {index} does not fit controls with {dims} settings")
    for control in spec["controls"]:
        if control["kind"] != "play" and not (len(control["values"]) == len(control["texts"]) > control["index"] >= 0):
            found.append(f"control {control['name']}: values, texts and default do not fit")
    for name, entry in spec["arrays"].items():
        try:
            unpack(entry, dims)
            if not (entry["scale"] > 0 and all(0 <= d < len(dims) for d in entry["dep"])):
                found.append(f"array {name}: scale or controls are wrong")
        except (ValueError, KeyError, IndexError) as error:
            found.append(f"array {name}: {error}")
    known = {cls.KIND: cls for cls in Mark.__subclasses__()}
    used = set()
    for i, panel in enumerate(spec["panels"], 1):
        for axis in "xy":
            lo, hi = panel[f"{axis}lim"]
            if not (math.isfinite(lo) and lo < hi and (lo > 0 or panel.get(f"{axis}scale") != "log")):
                found.append(f"panel {i}: {axis} limits {lo}, {hi}")
        for mark in panel["marks"]:
            names = {v for v in mark["arrays"].values() if isinstance(v, str)}
            used |= names
            if mark["kind"] not in known or names - spec["arrays"].keys():
                found.append(f"panel {i}: unknown mark {mark['kind']} or array {names - spec['arrays'].keys()}")
    texts = [spec["readout"], *(p[k] for p in spec["panels"] for k in ("title", "alt"))]
    texts += [m["text"].get("lines", m["text"]) if isinstance(m["text"], dict) else m["text"]
              for p in spec["panels"] for m in p["marks"] if "text" in m]
    for text in texts:
        if isinstance(text, dict) and len(text["items"]) != math.prod(dims[d] for d in text["dep"]):
            found.append(f"a text has {len(text['items'])} items for the controls {text['dep']}")
    if spec["arrays"].keys() - used:
        found.append(f"arrays that nothing draws: {sorted(spec['arrays'].keys() - used)}")
    return found
