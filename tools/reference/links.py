"""Links from the text of the chapters to the reference of mlcore."""

import collections
import re

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode


def resolve(text, own, packages, imported=()):
    """The full name of what a literal names, or None.

    A name is looked up in the chapter's ``own`` package, then among those that its cells import, then where only one package has
    it; but an everyday word such as ``log`` is left alone unless it is the chapter's own or imported.

    packages : dict from the name of a package to the set of its public names
    imported : full names
    """
    found = re.fullmatch(r"([A-Za-z_][\w.]*?)(\(.*\))?", text)
    if not found:
        return None
    name, member = found[1], ""
    if name.startswith("mlcore."):
        home, _, name = name.rpartition(".")
        return f"{home}.{name}" if name in packages.get(home, ()) else None
    name, dot, member = name.partition(".")
    homes = [package for package, names in packages.items() if name in names]
    chosen = [home for home in homes if home == own] or [home for home in homes if f"{home}.{name}" in imported]
    if not chosen and re.search("[A-Z_]", name):
        chosen = homes
    return f"{chosen[0]}.{name}{dot}{member}" if len(chosen) == 1 else None


def imports(document):
    """The full names that the cells of a page import from mlcore."""
    cells = "\n".join(block.astext() for block in document.findall(nodes.literal_block))
    found = re.findall(r"^from (mlcore[\w.]*) import (\([^)]*\)|[^\n]*)", cells, re.MULTILINE)
    return {f"{package}.{name}" for package, names in found for name in re.findall(r"(\w+)(?= *[,)\n]|$)", names)}


class LinkObjects(SphinxPostTransform):
    """Turn the literals of a chapter that name a public object into links to the reference; not in headings or other links."""

    default_priority = 200

    def run(self):
        docname = self.env.docname
        if not re.match(r"book/(?!reference/)", docname):
            return
        objects = self.env.get_domain("py").objects
        known = {name: entry for name, entry in objects.items() if name.startswith("mlcore.") and not entry.aliased}
        packages = collections.defaultdict(set)
        for name, entry in known.items():
            if entry.objtype in ("class", "function", "data", "exception"):
                packages[name.rpartition(".")[0]].add(name.rpartition(".")[2])
        own, imported = "mlcore." + docname.removeprefix("book/").replace("/", "."), imports(self.document)
        for literal in list(self.document.findall(nodes.literal)):
            name = None if enclosed(literal) or foreign(literal) else resolve(literal.astext(), own, packages, imported)
            target = known.get(name) or known.get(str(name).rpartition(".")[0])  # an attribute leads to its class
            if target:
                literal.replace_self(make_refnode(self.app.builder, docname, target.docname, target.node_id, literal.deepcopy(), name))


def foreign(literal):
    """Whether the words before a literal say that it belongs to another library."""
    place = literal.parent.index(literal)
    before = literal.parent[place - 1].astext() if place else ""
    return bool(re.search(r"(scikit-learn|scipy|SciPy|numpy|NumPy|torch|PyTorch)('s|\u2019s)? $", before))


def enclosed(node):
    """Whether a node is in a heading or in a link."""
    while node := node.parent:
        if isinstance(node, nodes.title | nodes.reference | addnodes.pending_xref | nodes.rubric | nodes.caption):
            return True
    return False
