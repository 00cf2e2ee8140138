"""Execute and normalize notebooks, and turn them into text and back.

    python tools/notebook.py run supervised/linear_regression     execute one chapter in place
    python tools/notebook.py run --all                            all chapters, two at a time
    python tools/notebook.py text supervised/linear_regression    write it as MyST Markdown beside the notebook
    python tools/notebook.py from-text supervised/linear_regression   read that text back (then run it)

A notebook that fails leaves its file as it was.
"""

import argparse
import base64
import concurrent.futures
import hashlib
import io
import os
import pathlib
import platform
import re
import sys
import time

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

ROOT = pathlib.Path(__file__).resolve().parent.parent
BOOK = ROOT / "book"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
# One thread, one BLAS kernel family and no wider vector unit than AVX2: the same sums in the same order on every x86 machine.
KERNEL_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONHASHSEED": "0",
    "OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR", "ATEN_CPU_CAPABILITY": "avx2",
}
if platform.machine() not in ("x86_64", "AMD64"):
    for name in ("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES", "ATEN_CPU_CAPABILITY"):
        del KERNEL_ENVIRONMENT[name]
TIME_LIMIT = 120


class ChapterError(Exception):
    """A chapter that does not exist or does not run; the message says which, where and why."""


def chapters():
    """Names of all notebooks of the book, such as ``supervised/linear_regression``."""
    return sorted(p.relative_to(BOOK).with_suffix("").as_posix() for p in BOOK.rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts)


def chapter_path(name):
    """Path of a chapter's notebook; an unknown name lists those that exist."""
    name = re.sub(r"^book/|\.ipynb$", "", name)
    path = BOOK / f"{name}.ipynb"
    if name not in chapters():
        raise ChapterError(f"There is no chapter {name!r}. Chapters: {', '.join(chapters()) or 'none yet'}.")
    return path


def normalize(nb):
    """Remove from a notebook everything that differs between two runs of the same cells."""
    seen = set()
    for cell in nb.cells:
        tags = cell.metadata.get("tags")
        kept = {k: cell.metadata[k] for k in ("jupyter", "mystnb", "slideshow") if k in cell.metadata}
        cell.metadata = nbformat.from_dict({**({"tags": sorted(tags)} if tags else {}), **kept})
        cell["id"] = _cell_id(cell, seen)
        if cell.cell_type == "code":
            cell.outputs = _merge_streams(cell.outputs)
            for output in cell.outputs:
                output.pop("execution_count", None)
                if output.output_type == "execute_result":
                    output["execution_count"] = cell.execution_count
                data = output.get("data", {})
                if "image/png" in data:
                    data["image/png"] = _palette_png(data["image/png"])
                if 'class="mlcore-' in str(data.get("text/html", "")):
                    data.pop(WIDGET_VIEW, None)  # the HTML holds the whole figure; a view id is random
                if "metadata" in output:
                    output["metadata"] = nbformat.from_dict({})
    nb.metadata = nbformat.from_dict({
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    })
    nb.nbformat, nb.nbformat_minor = 4, 5
    return nb


def _cell_id(cell, seen):
    """Keep a cell's id; a new or doubled cell gets one made from its text."""
    cell_id = cell.get("id", "")
    if not re.fullmatch(r"[a-z0-9-]{8,40}", cell_id) or cell_id in seen:
        digest = hashlib.sha256(cell.source.encode())
        cell_id = digest.hexdigest()[:10]
        while cell_id in seen:
            digest.update(b"again")
            cell_id = digest.hexdigest()[:10]
    seen.add(cell_id)
    return cell_id


def _merge_streams(outputs):
    """Join consecutive pieces of one stream: how they are split depends on timing."""
    merged = []
    for output in outputs:
        if output.output_type == "stream" and merged and merged[-1].output_type == "stream" and merged[-1].name == output.name:
            merged[-1].text += output.text
        else:
            merged.append(output)
    return merged


def _palette_png(text):
    """A figure in at most 256 colors: a third of the bytes, and no difference to the eye. Done once, it stays as it is."""
    from PIL import Image

    picture = Image.open(io.BytesIO(base64.b64decode(text)))
    if picture.mode == "P":
        return text
    buffer = io.BytesIO()
    flat = Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture.convert("RGBA")).convert("RGB")
    flat.quantize(256, dither=Image.Dither.NONE).save(buffer, "PNG", optimize=True)
    return base64.b64encode(buffer.getvalue()).decode()


def to_text(nb):
    """The notebook as the JSON text that is committed."""
    return nbformat.writes(nb, version=4, indent=1, sort_keys=True) + "\n"


def execute(path):
    """Run the notebook at ``path``; return it normalized. Raise ChapterError naming chapter, cell and error."""
    nb = nbformat.read(path, as_version=4)
    name = path.relative_to(BOOK).with_suffix("").as_posix() if path.is_relative_to(BOOK) else path.name
    client = NotebookClient(nb, timeout=TIME_LIMIT, kernel_name="python3", record_timing=False, store_widget_state=False,
                            extra_arguments=["--log-level=ERROR"], resources={"metadata": {"path": str(path.parent)}})
    try:
        client.execute(env={**os.environ, **KERNEL_ENVIRONMENT})
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        raise ChapterError(_explain(name, nb, error)) from None
    return normalize(nb)


def _explain(name, nb, error):
    """Chapter, cell number, the cell's first lines and the error, on a few lines."""
    count = [i for i, c in enumerate(nb.cells) if c.cell_type == "code" and (c.get("execution_count") or c.get("outputs"))]
    failed = next((i for i, c in enumerate(nb.cells) if any(o.output_type == "error" for o in c.get("outputs", []))),
                  count[-1] if count else 0)
    source = "\n".join("    " + line for line in nb.cells[failed].source.splitlines()[:12]) if nb.cells else ""
    what = f"{error.ename}: {error.evalue}" if isinstance(error, CellExecutionError) else str(error).splitlines()[0]
    return f"book/{name}.ipynb, cell {failed + 1} of {len(nb.cells)} failed with\n  {what}\nin the cell\n{source}\nThe file is unchanged."


def write_if_changed(path, text):
    """Replace the file in one step, so that an interrupted run or a full disk never leaves half a notebook."""
    if path.exists() and path.read_text("utf8") == text:
        return False
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text, "utf8")
        temporary.replace(path)
    except OSError as error:
        raise ChapterError(f"{path.name} could not be written ({error.strerror}); free some space. The file is unchanged.") from None
    finally:
        temporary.unlink(missing_ok=True)
    return True


def run_one(name):
    """Execute one chapter in place; return a line that says what happened."""
    path, start = chapter_path(name), time.perf_counter()
    changed = write_if_changed(path, to_text(execute(path)))
    return f"{name}: {'updated' if changed else 'unchanged'} ({time.perf_counter() - start:.1f} s)"


def run_all(names, workers=2):
    """Execute chapters in parallel, reporting each as it ends; the failures come last, together."""
    failures = []
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        jobs = {pool.submit(run_one, name): name for name in names}
        for done, job in enumerate(concurrent.futures.as_completed(jobs), 1):
            try:
                print(f"[{done}/{len(jobs)}] {job.result()}", flush=True)
            except ChapterError as error:
                failures.append(str(error))
                print(f"[{done}/{len(jobs)}] {jobs[job]}: FAILED", flush=True)
    if failures:
        raise ChapterError("\n\n".join(failures))


def export_text(name):
    """Write the chapter as MyST Markdown beside the notebook (ignored by git)."""
    import jupytext

    path = chapter_path(name)
    target = path.with_suffix(".draft.md")
    write_if_changed(target, jupytext.writes(nbformat.read(path, as_version=4), fmt="md:myst"))
    return f"{target.relative_to(ROOT)} written; edit it, then: python tools/notebook.py from-text {name}"


def import_text(name, source=None):
    """Make the notebook from its text; cells whose text did not change keep their ids."""
    import jupytext

    path = BOOK / f"{name}.ipynb"
    source = pathlib.Path(source) if source else path.with_suffix(".draft.md")
    if not source.exists():
        raise ChapterError(f"{source} does not exist; write it, or make it with: python tools/notebook.py text {name}")
    nb = jupytext.reads(source.read_text("utf8"), fmt="md:myst")
    known = {}
    if path.exists():
        for cell in nbformat.read(path, as_version=4).cells:
            known.setdefault(cell.source.strip(), cell.id)
    for cell in nb.cells:
        cell["id"] = known.pop(cell.source.strip(), "new")
    write_if_changed(path, to_text(normalize(nb)))
    return f"book/{name}.ipynb made from {source.name}; now run it: make chapter CHAPTER={name}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="execute and normalize in place")
    run.add_argument("names", nargs="*")
    run.add_argument("--all", action="store_true")
    run.add_argument("--workers", type=int, default=2)
    text = commands.add_parser("text", help="write a chapter as MyST Markdown")
    text.add_argument("name")
    back = commands.add_parser("from-text", help="read the Markdown back")
    back.add_argument("name")
    back.add_argument("--source", help="another file than book/<name>.draft.md")
    args = parser.parse_args()
    try:
        if args.command == "text":
            print(export_text(args.name))
        elif args.command == "from-text":
            print(import_text(args.name, args.source))
        elif args.all:
            run_all(chapters(), args.workers)
        elif args.names:
            for name in args.names:
                chapter_path(name)  # refuse an unknown name before any work is done
            run_all(args.names, args.workers)
        else:
            raise ChapterError("Name a chapter, as in: make chapter CHAPTER=supervised/linear_regression. "
                               f"Chapters: {', '.join(chapters())}.")
    except ChapterError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
