"""Cross references for the copies: what leads out of a chapter becomes a link to the page of the book.

Jupyter renders directives, equations and references within one notebook; of other chapters it knows nothing. Sphinx writes
an inventory of all places (``objects.inv``), which says where each label ended up.
"""
import json
import posixpath
import re
import zlib

ROLE = re.compile(r"\{(ref|doc|numref|eq|prf:ref|cite(?::\w+)?)\}`([^`]+)`")
ANCHOR_LINK = re.compile(r"\[([^\]\[]*)\]\(#([\w-]+)\)")
PLACE = re.compile(r"(?:^\(|\$\$\s*\(|^:label:\s*)([\w:-]+)(?:\)=?\s*$|\)|\s*$)", re.MULTILINE)


def read_inventory(data):
    """Labels of a Sphinx inventory: name -> (title, address relative to the site's root)."""
    head, _, body = data.partition(b"zlib.\n")
    if not head.startswith(b"# Sphinx inventory version 2"):
        raise ValueError("this is not a Sphinx inventory of version 2")
    labels = {}
    for line in zlib.decompress(body).decode("utf8").splitlines():
        found = re.fullmatch(r"(.+?)\s+(\S+:\S+)\s+(-?\d+)\s+(\S+)\s+(.*)", line)
        if found and found[2] in ("std:label", "std:doc"):
            address = found[4][:-1] + found[1] if found[4].endswith("$") else found[4]
            labels[found[1]] = (found[1] if found[5] == "-" else found[5], address)
    return labels


def split_target(text):
    """``title <target>`` or ``target`` -> (title or None, target)."""
    found = re.fullmatch(r"(.*\S)\s*<([^<>]+)>", text, re.DOTALL)
    return (found[1], found[2]) if found else (None, text.strip())


def resolve(name, text, labels, book):
    """The notebook's text with references to other chapters as links below the address ``book``.

    Parameters
    ----------
    name : str
        ``part/chapter``, to read relative document names.
    text : str
        The notebook as JSON.
    labels : dict
        From `read_inventory`; with an empty one the references keep their words and lose their link.
    book : str
        Address of the site, for example ``/book/``.
    """
    notebook = json.loads(text)
    prose = [cell for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    own = set(PLACE.findall("\n".join("".join(cell["source"]) for cell in prose)))

    def link(title, target):
        known, address = labels.get(target, (target, None))
        return f"[{title or known}]({book}{address})" if address else (title or known)

    def role(found):
        kind, (title, target) = found[1], split_target(found[2])
        if kind.startswith("cite"):
            return f"[{found[2]}]({book}book/reference/bibliography.html)"
        if kind == "doc":
            path = posixpath.normpath(posixpath.join("book", posixpath.dirname(name), target)) if target[:1] != "/" else target[1:]
            return link(title, path)
        return found[0] if target in own else link(title, target)

    def anchor(found):
        return found[0] if found[2] in own else link(found[1] or None, found[2])

    for cell in prose:
        source = ANCHOR_LINK.sub(anchor, ROLE.sub(role, "".join(cell["source"])))
        cell["source"] = source.splitlines(keepends=True)
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
