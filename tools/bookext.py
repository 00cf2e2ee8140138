"""Sphinx extension of the book: generated static files, nothing from another host."""

import gc
import html
import importlib.util
import os
import pathlib
import re
import shutil
import sys

TOOLS = pathlib.Path(__file__).resolve().parent
MATHJAX_PARTS = ("tex-chtml.js", "output/chtml/fonts/woff-v2", "input/tex/extensions")


def write(path, text):
    """Write only what changed, so that a rebuild stays small."""
    if not path.exists() or path.read_text("utf8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf8")


def copy_mathjax(target):
    """Copy the parts of MathJax that the pages load (2 of 24 MB) from the installed Python package."""
    spec = importlib.util.find_spec("sphinx-mathjax-offline")
    if spec is None:
        raise RuntimeError("MathJax is missing: the package sphinx-mathjax-offline is not installed; run `make setup`.")
    source = pathlib.Path(spec.origin).parent / "static/mathjax"
    for part in MATHJAX_PARTS:
        if not (target / part).exists():
            (target / part).parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if (source / part).is_dir() else shutil.copy)(source / part, target / part)


def add_static_files(app, config):
    """Generate the widget script, its style and MathJax, and have every page load them."""
    from mlcore.widgets.assets import kinds, site_script, site_style

    generated = pathlib.Path(app.outdir).parent / "generated"
    for kind in kinds():
        write(generated / f"mlcore-widgets-{kind}.js", site_script(*dict.fromkeys(("explorer", kind))))
    write(generated / "mlcore-widgets.js", site_script())
    write(generated / "mlcore-widgets.css", site_style())
    write(generated / "live-server.js", "// A live server (mlcore.live) answers this name with the script of Run here.\n")
    copy_mathjax(generated / "mathjax")
    config.html_static_path.append(str(generated))
    config.mathjax_path = "mathjax/tex-chtml.js"
    app.add_js_file("live-server.js", loading_method="defer")
    app.add_css_file("mlcore-widgets.css")


def figure_script(app, pagename, templatename, context, doctree):
    """Load the script of the figures that the page shows; most show explorers alone, or with one kind of playground."""
    shown = set(re.findall(r'data-kind="(\w+)"', context.get("body", ""))) - {"explorer"}
    app.add_js_file("mlcore-widgets.js" if len(shown) > 1 else f"mlcore-widgets-{(shown or {'explorer'}).pop()}.js", loading_method="defer")


def clean_page(app, pagename, templatename, context, doctree):
    """Drop sphinx-thebe's loader: it points to another host, and its constant is declared twice on every page."""
    context["script_files"][:] = [
        script for script in context.get("script_files", [])
        if "THEBE_JS_URL" not in (getattr(script, "attributes", {}).get("body") or "")
        and "sphinx-thebe.js" not in str(getattr(script, "filename", script) or "")
    ]
    if doctree is not None and app.env.doc2path(pagename).endswith(".ipynb"):
        notebook = app.env.doc2path(pagename, base=False)
        told = {"notebook": notebook}
        if published := app.config.html_theme_options.get("repository_url"):
            told |= {"repository": published.rstrip("/"), "branch": app.config.html_theme_options.get("repository_branch", "main")}
        context["metatags"] = context.get("metatags", "") + "".join(
            f'<meta name="mlcore-{name}" content="{html.escape(value)}">' for name, value in told.items())


def write_in_parallel(app, env):
    """Write the pages on all cores. Reading stays on one: not every extension says that it may run on several."""
    app.parallel = os.cpu_count() or 1


def mend_roles(folder):
    """Names and roles for those who hear a page: the arrows of the table of contents get a name; a list of works is no ARIA list."""
    arrow = '<span class="toctree-toggle"'
    repairs = {"<summary>" + arrow: '<summary aria-label="Show or hide the pages below">' + arrow,
               '<div role="list" class="citation-list">': '<div class="citation-list">', ' role="doc-biblioentry"': ""}
    for path in folder.rglob("*.html"):
        text = path.read_text("utf8")
        for wrong, right in repairs.items():
            text = text.replace(wrong, right)
        write(path, text)


def finish(app, exception):
    """Repair and slim what the theme wrote, once all pages are there."""
    if exception is None and app.builder.name == "html":
        from slim import slim_site

        mend_roles(pathlib.Path(app.outdir))
        slim_site(pathlib.Path(app.outdir))


def setup(app):
    gc.set_threshold(200_000, 50, 50)        # a build makes millions of nodes that all stay: looking for garbage among them finds none
    sys.path[:0] = [str(TOOLS), str(TOOLS.parent)]
    from tools import reference

    reference.setup(app)
    app.connect("build-finished", finish)
    app.connect("config-inited", add_static_files)
    app.connect("env-updated", write_in_parallel)
    app.connect("html-page-context", figure_script)
    app.connect("html-page-context", clean_page, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
