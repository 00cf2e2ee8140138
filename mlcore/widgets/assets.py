"""The JavaScript and CSS of the figures as text, for anywidget and for the site. Reads files and imports nothing else."""
import pathlib
from html import escape

STATIC = pathlib.Path(__file__).parent / "static"
PAGE_STYLE = ("body { margin: 1em auto; max-width: 50em; padding: 0 1em; }"
              " html[data-theme=dark] body { background: #10131a; color: #e6e9ee; }")
SHARED = ("core", "handles", "numerics")     # what kinds build on; handles and numerics serve the playgrounds


def read(name):
    """The text of one file of the folder static."""
    return (STATIC / name).read_text("utf8")


def kinds():
    """The names of all figure kinds: every script that is not shared."""
    return sorted(p.stem for p in STATIC.glob("*.js") if p.stem not in SHARED)


def scripts(*names):
    """Shared scripts as they are, kinds inside a function of their own, so that their names cannot collide."""
    return "\n".join(read(f"{n}.js") if n in SHARED else f"(() => {{\n{read(f'{n}.js')}}})();\n" for n in names)


def esm(*names):
    """The ES module of one figure kind for anywidget: core, the named shared scripts, and, last, the kind itself."""
    return scripts("core", *names) + f'export default {{ render: (context) => mount("{names[-1]}", context) }};\n'


def site_script(*wanted):
    """One classic script for a page (a module would be refused on file://): the kinds it shows, or all of them, then hydrate."""
    return "(() => {\n\"use strict\";\n" + scripts(*SHARED, *(wanted or kinds())) + "hydratePage();\n})();\n"


def site_style():
    """The style sheet of all figures."""
    return read("widgets.css")


def standalone(*figures, title="Figure", theme="light"):
    """A page of its own from the HTML of figures: it needs no other file and no network."""
    return (f'<!doctype html>\n<html lang="en" data-theme="{theme}">\n<head><meta charset="utf-8"><title>{escape(title)}</title>'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<style>{PAGE_STYLE}\n{site_style()}</style></head>\n<body><main>\n" + "\n".join(figures)
            + f"\n</main><script>\n{site_script()}</script></body>\n</html>\n")
