"""The reference of mlcore: a page per package, from ``__all__`` and the docstrings, and links between the objects and the chapters.

Docstrings are plain text that a terminal shows well: marks such as ``*`` or ``|`` mean themselves, literals stand in double
backticks, equations are cited by their label. ``as_rst`` turns them into what numpydoc expects.
"""

import collections
import importlib
import inspect
import pathlib
import re

from jinja2.sandbox import SandboxedEnvironment
from numpydoc import docscrape_sphinx

from tools.reference.algorithms import read_rows
from tools.reference.chapters import filter_box, front
from tools.reference.links import LinkObjects

SHARED = {
    "base": "What every estimator shares: parameters, checks of the input, and their messages.",
    "datasets": "Small data sets and generators; nothing is downloaded.",
    "exercises": "The checks of the exercises.",
    "plotting": "The look of the static figures.",
    "widgets": "The interactive figures; {doc}`how_the_figures_work` explains them.",
}
LABEL = r"\b(?:eq|thm|lem|prop|cor|alg)-[a-z]+-[a-z0-9-]*[a-z0-9]"
FIELD = r"\w+(?:, \w+)* : "
PROTECTED = re.compile(r"(``.+?``|:[a-z:]+:`[^`]+`)")


# --- the objects and where they are explained --------------------------------------------------------------------------------

def packages(chapters):
    """Package name -> its chapter or None: the packages of the chapters in the order of the book, then the shared ones."""
    return {f"mlcore.{chapter.name.replace('/', '.')}": chapter for chapter in chapters} | {f"mlcore.{name}": None for name in SHARED}


def page_name(package):
    """The page of a package, without its ending."""
    return "api_" + package.removeprefix("mlcore.").replace(".", "_")


def public_names(module):
    """The names of ``__all__``, or the functions and classes that a single file defines."""
    own = [name for name, value in vars(module).items() if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__]
    return list(getattr(module, "__all__", sorted(own)))


def labels_of(value):
    """The labels that the docstrings of a function, or of a class and its own methods, cite; in order, once each."""
    parts = [value, *(vars(value).values() if inspect.isclass(value) else ())]
    texts = (inspect.getdoc(part) or "" for part in parts if part is value or inspect.isroutine(part))
    return list(dict.fromkeys(re.findall(LABEL, "\n".join(texts))))


def label_places(chapters):
    """Label of an equation or theorem -> (chapter name, anchor of the section that states it)."""
    places = {}
    for chapter in chapters:
        anchor = waiting = None
        for line in chapter.text.splitlines():
            if found := re.match(r"\((?!cell-)([a-z0-9-]+)\)=$", line):        # of a section; a cell's label is no section's
                waiting = found[1]
            elif line.startswith("#"):
                anchor, waiting = waiting or anchor, None
            for label in re.findall(r"\$\$ \((eq-[a-z0-9-]+)\)|^:label: ([a-z0-9-]+)", line):
                places.setdefault("".join(label), (chapter.name, anchor))
    return places


def first_use(chapter, name):
    """The anchor of the section that first names an object in its prose or calls it in a cell; None if none does."""
    anchor = None
    for cell in chapter.notebook.cells:
        if cell.cell_type == "markdown":
            for part in re.split(r"^(?=\([a-z0-9-]+\)=\n#)", cell.source, flags=re.MULTILINE):
                found = re.match(r"\(([a-z0-9-]+)\)=", part)
                anchor = found[1] if found else anchor
                if re.search(rf"`{name}[`(.]", part):
                    return anchor
        elif re.search(rf"(?<![\w.]){name}[(.]", cell.source):
            return anchor
    return None


def explained(package, name, chapter, chapters, places, indexed):
    """The line from an object to the text: the sections of the equations it cites, its place in the index, or where it is first used."""
    cited = [places[label] for label in labels_of(getattr(importlib.import_module(package), name)) if label in places]
    found = collections.defaultdict(list)
    for where, anchor in cited or indexed.get(f"{package}.{name}", []) or [(chapter.name, first_use(chapter, name))]:
        if anchor not in found[where]:
            found[where].append(anchor)
    titles = {one.name: one.title for one in chapters}
    parts = [f":doc:`{titles[where]} </book/{where}>`" + (": " if any(anchors) else "") +
             ", ".join(f":ref:`{anchor}`" for anchor in anchors if anchor) for where, anchors in found.items()]
    return "Explained in " + "; ".join(parts) + "."


# --- the pages -----------------------------------------------------------------------------------------------------------------

def describe(value):
    """A constant in one sentence."""
    if isinstance(value, dict):
        return "Table of " + ", ".join(f"``{key}``" for key in value) + "."
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return "The values " + ", ".join(f"``{item}``" for item in value) + "."
    if isinstance(value, str):
        return f"A text of {len(value.split())} words."
    return f"The value ``{value!r}``." if isinstance(value, int | float) else f"A ready-made ``{type(value).__name__}``."


def entry(package, name, line):
    """The directive that documents one object, and the line that leads to its chapter."""
    value = getattr(importlib.import_module(package), name)
    if not callable(value):
        head = [f".. py:data:: {name}", f"   :module: {package}", "", f"   {describe(value)}"]
    elif inspect.isclass(value):
        shown = [key for key, member in vars(value).items() if not key.startswith("_") and inspect.getdoc(member)
                 and (inspect.isroutine(member) or isinstance(member, property))]
        head = [f".. autoclass:: {package}.{name}", *([f"   :members: {', '.join(shown)}", "   :member-order: bysource"] if shown else [])]
    else:
        head = [f".. autofunction:: {package}.{name}"]
    return [*head, "", f"   {line}", ""]


def package_page(package, chapter, chapters, places, indexed):
    """All public objects of a package, file by file."""
    module = importlib.import_module(package)
    files = collections.defaultdict(list)
    for name in public_names(module):
        value = getattr(module, name)
        home = getattr(value, "__module__", None) if callable(value) else None
        files[home if str(home).startswith(package) else package].append(name)
    about = (f"The code of the chapter {{doc}}`{chapter.title} </book/{chapter.name}>`" if chapter
             else SHARED[package.removeprefix("mlcore.")].rstrip("."))
    title = f"# {package.rpartition('.')[2]}"
    lines = [front(page_name(package).replace("_", "-")) + title, "", f"{about}. Import from `{package}`.", "",
             " · ".join(f"{{py:obj}}`{name} <{package}.{name}>`" for name in sorted(public_names(module), key=str.lower)), ""]
    for home in sorted(files, key=lambda home: (home == package, home)):
        if len(files) > 1:
            lines += [f"## {home.removeprefix(package + '.')}" if home != package else "## Constants", ""]
        lines.append("```{eval-rst}")
        if home != package or len(files) == 1:
            lines += [*as_rst(inspect.getdoc(importlib.import_module(home)).splitlines()), ""]
        for name in sorted(files[home], key=lambda name: (not inspect.isclass(getattr(module, name)), name)):
            lines += entry(package, name, explained(package, name, chapter, chapters, places, indexed) if chapter else "")
        lines += ["```", ""]
    return "\n".join(lines)


def summary(value):
    """The first paragraph of a docstring as Markdown; a constant is described."""
    words = describe(value) if not callable(value) else " ".join((inspect.getdoc(value) or "").partition("\n\n")[0].split())
    pieces = re.split(r"``(.+?)``", re.sub(r":[a-z:]+:`([^`]+)`", r"``\1``", words))
    for i, piece in enumerate(pieces):
        if i % 2:
            pieces[i] = f"`{piece}`".replace("|", r"\|")
        else:
            plain = re.sub(r"([\\*_|<>\[\]$`])", r"\\\1", piece)
            pieces[i] = re.sub(rf"\(?({LABEL})\)?", lambda label: re.sub("^:(.+?):", r"{\1}", link_label(label[1])), plain)
    return "".join(pieces)


def overview_page(table, counts):
    """The packages with their chapters, and all objects in one table."""
    lines = [front("api", wide=True) + "# API reference", "",
             f"The **{sum(counts.values())} public objects** of `mlcore`, by package; a package has the name of its chapter. Each entry",
             "has the signature, what it does, a link to its source, and a link to the place in the book that explains it;",
             "the chapters link back. You look for something? {ref}`api-objects`, further down, finds objects by words of their name",
             "and purpose; {doc}`algorithms` lists the algorithms alone, with their cost.", "",
             "| Package | Chapter | Objects |", "|---|---|---:|"]
    for package, chapter in table.items():
        about = f"{{doc}}`{chapter.title} </book/{chapter.name}>`" if chapter else SHARED[package.removeprefix("mlcore.")]
        lines.append(f"| {{doc}}`{package} <{page_name(package)}>` | {about} | {counts[package]} |")
    objects = sorted((name.lower(), name, package) for package in table for name in public_names(importlib.import_module(package)))
    lines += ["", "(api-objects)=\n## All objects", "", *filter_box("kernel, or: k-means distance"),
              "| Object | What it is | Package |", "|---|---|---|"]
    for _, name, package in objects:
        value, short = getattr(importlib.import_module(package), name), package.removeprefix("mlcore.")
        lines.append(f"| {{py:obj}}`{name} <{package}.{name}>` | {summary(value)} | {short.replace('.', '.<wbr>')} |")
    return "\n".join(lines) + "\n"


def pages(root, chapters):
    """The overview and a page per package: file name -> text."""
    table, places, indexed = packages(chapters), label_places(chapters), collections.defaultdict(list)
    for row in read_rows(root):
        for name in row["mlcore"].split():
            if row["chapter"] in {chapter.name for chapter in chapters}:
                indexed[name].append((row["chapter"], row["anchor"]))
    counts = {package: len(public_names(importlib.import_module(package))) for package in table}
    made = {f"{page_name(package)}.md": package_page(package, chapter, chapters, places, indexed) for package, chapter in table.items()}
    return {"api.md": overview_page(table, counts), **made}


# --- docstrings ----------------------------------------------------------------------------------------------------------------

def link_label(label):
    """The role that prints the number of an equation or theorem and links to it."""
    return f":eq:`{label}`" if label.startswith("eq-") else f":prf:ref:`{label}`"


def escape(text):
    """Plain text in which every mark means itself, and cited labels are links."""
    text = re.sub(r"[\\*|`]|_(?![A-Za-z0-9])", lambda mark: "\\" + mark[0], text)
    text = re.sub(rf"\(({LABEL}(?:(?:,| and) {LABEL})*)\)", r"\1", text)  # the number of an equation brings its own parentheses
    return re.sub(LABEL, lambda label: link_label(label[0]), text)


def escape_line(line):
    """A line whose literals and roles stay as they are, and whose other marks mean themselves."""
    return "".join(piece if k % 2 else escape(piece) for k, piece in enumerate(PROTECTED.split(line)))


def as_rst(lines):
    """The lines of a docstring as numpydoc wants them: examples under a heading, one field per line, marks escaped.

    Fields ("name : meaning") outside of a section, as the docstrings of results have them, become a list.
    """
    done, example, section, listed = [], False, "", False
    for i, line in enumerate(lines):
        example = line.startswith(">>>") or (example and bool(line.strip()))
        if example:
            if section != "Examples":
                done += ["", "Examples", "--------"]
            section = "Examples"
            done.append(line)
            continue
        if re.fullmatch(r"-{3,}", "".join(lines[i + 1:i + 2])):
            section = line
        if not re.match(FIELD, line):
            if listed and line and not line.startswith(" "):
                done.append("")
                listed = False
            done.append("  " + escape_line(line.strip()) if listed and line else escape_line(line))
            continue
        for field in re.split(rf";\s+(?={FIELD})", line):
            name, _, meaning = field.rstrip(";").partition(" : ")
            if section:
                done.append(f"{escape_line(name)} : {escape_line(meaning)}")
            else:
                done += [*([] if listed else [""]), f"- **{escape_line(name)}**: {escape_line(meaning)}"]
                listed = True
    return done


def prepare_docstring(app, what, name, obj, options, lines):
    """Before numpydoc reads a docstring of mlcore."""
    if name.startswith("mlcore."):
        lines[:] = as_rst(lines)


def configure(app, config):
    """How autodoc and numpydoc show the objects."""
    config.add_module_names = False
    config.toc_object_entries = False  # 750 entries in the sidebar of every page would triple the time of a build
    config.html_sidebars = {**config.html_sidebars, "_modules/**": []}
    config.numpydoc_show_class_members = False
    config.autosummary_generate = False
    config.autodoc_inherit_docstrings = False


def mend_back_links(app, exception):
    """A source page links back to its first package's names; an object that another package exports is documented under that one's."""
    if exception is not None or app.builder.name != "html":
        return
    written = collections.defaultdict(dict)          # page -> ending of the name (object, or class and member) -> full name
    for name, entry in app.env.domains["py"].objects.items():
        for parts in (1, 2):
            written[entry.docname].setdefault(".".join(name.split(".")[-parts:]), name)

    def mended(match):
        folder, docname, name = match[1], match[2], match[3]
        known, parts = written[docname], name.split(".")
        right = next((known[end] for end in (".".join(parts[-2:]), parts[-1]) if end in known), name)
        return f'class="viewcode-back" href="{folder}{docname}.html#{name if name in known.values() else right}"'

    for path in pathlib.Path(app.outdir).glob("_modules/**/*.html"):
        text = path.read_text("utf8")
        path.write_text(re.sub(r'class="viewcode-back" href="((?:\.\./)*)([\w/]+)\.html#([\w.]+)"', mended, text), "utf8")


def adopt_nodes(app, doctree):
    """Give the nodes of ``eval-rst`` the page as their document.

    They come with a document of their own, whose settings hold the environment of the whole build: stored with each page, it would
    make its file nine megabytes instead of half of one.
    """
    for node in doctree.findall():
        node.document = doctree


class OneEnvironment:
    """numpydoc makes an environment and compiles its template for every docstring; here the first one serves all."""

    def __init__(self):
        self.made = None

    def __call__(self, loader):
        self.made = self.made or SandboxedEnvironment(loader=loader)
        return self.made


def setup(app):
    for extension in ("sphinx.ext.autodoc", "sphinx.ext.viewcode", "numpydoc"):
        app.setup_extension(extension)
    docscrape_sphinx.SandboxedEnvironment = OneEnvironment()
    app.connect("doctree-read", adopt_nodes)
    app.connect("config-inited", configure)
    app.connect("autodoc-process-docstring", prepare_docstring, priority=400)  # numpydoc comes at 500
    app.add_post_transform(LinkObjects)
    app.connect("build-finished", mend_back_links)
