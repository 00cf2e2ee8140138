"""Sphinx extension of the book: generated static files, nothing from another host."""

import html
import importlib.util
import pathlib
import shutil
import sys

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
    from mlcore.widgets.assets import site_script, site_style

    generated = pathlib.Path(app.outdir).parent / "generated"
    write(generated / "mlcore-widgets.js", site_script())
    write(generated / "mlcore-widgets.css", site_style())
    write(generated / "live-server.js", "// A live server (mlcore.live) answers this name with the script of Run here.\n")
    copy_mathjax(generated / "mathjax")
    config.html_static_path.append(str(generated))
    config.mathjax_path = "mathjax/tex-chtml.js"
    app.add_js_file("mlcore-widgets.js", loading_method="defer")
    app.add_js_file("live-server.js", loading_method="defer")
    app.add_css_file("mlcore-widgets.css")


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


def lighten(app, exception):
    """Slim the theme's files once all pages are written."""
    if exception is None and app.builder.name == "html":
        from slim import slim_site

        slim_site(pathlib.Path(app.outdir))


def setup(app):
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    import reference

    reference.write()                    # before the table of contents is read, which names these pages
    app.connect("build-finished", lighten)
    app.connect("config-inited", add_static_files)
    app.connect("html-page-context", clean_page, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
