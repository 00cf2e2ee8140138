"""The glossary English-中文, and the link from the first use of each term in a chapter to its entry."""

import csv
import functools
import itertools
import re

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from tools.reference.chapters import ROOT, filter_box, front, jumps, place

DOCUMENT = "book/reference/glossary"
COLUMNS = ["term", "zh", "also", "anchor", "link", "definition"]
# A paragraph is no running prose in a table (of corrections above all), a caption or legend, or the output of a cell;
# a text in a paragraph is none in a link, a formula or code. Titles of all kinds are no paragraphs.
NO_PROSE = (nodes.reference, addnodes.pending_xref, nodes.math, nodes.math_block, nodes.literal, nodes.raw, nodes.table, nodes.caption,
            nodes.legend)
NO_PROSE_CLASSES = {"cell_output", "cell_input"}
EMPHASIS = (nodes.emphasis, nodes.strong)
TEX = {r"\alpha": "α", r"\beta": "β", r"\gamma": "γ", r"\delta": "δ", r"\epsilon": "ε", r"\varepsilon": "ε", r"\eta": "η", r"\theta": "θ",
       r"\lambda": "λ", r"\mu": "μ", r"\nu": "ν", r"\pi": "π", r"\sigma": "σ", r"\tau": "τ", r"\phi": "φ", r"\varphi": "φ", r"\Sigma": "Σ",
       r"\ell": "ℓ", r"\nabla": "∇", r"\sum": "Σ", r"\int": "∫", r"\le": "≤", r"\ge": "≥", r"\ne": "≠",
       r"\in": "∈", r"\cdot": "·", r"\star": "*", r"\mid": "|", r"\lvert": "|", r"\rvert": "|", r"\lVert": "‖",
       r"\rVert": "‖", r"\langle": "⟨", r"\rangle": "⟩", r"\mapsto": "↦",
       r"\max": "max", r"\log": "log", r"\exp": "exp", r"\det": "det", r"\sqrt": "√", r"\,": " "}


def read_terms(root=ROOT):
    """The rows of book/reference/glossary.csv, with ``forms``: the term and its other names.

    The column ``link`` says which forms are linked in the chapters: all (yes), the term alone (term), or none (no), where the
    words are too common or have other meanings as well. Chapters behind ``but`` use the words in another sense and get no link;
    with ``only`` the chapters behind it are the ones that use them in this sense.
    """
    with (root / "book/reference/glossary.csv").open(encoding="utf8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["forms"] = [row["term"], *filter(None, row["also"].split(";"))]
        row["link"], word, chapters = re.fullmatch(r"(\w+)(?: (but|only) (.+))?", row["link"]).groups(default="")
        row["not_in"], row["only_in"] = (chapters.split() if word == which else [] for which in ("but", "only"))
    return rows


def is_linked(row, form, chapter):
    """Whether a form of a term is to be linked in a chapter."""
    here = chapter not in row.get("not_in", ()) and (not row.get("only_in") or chapter in row["only_in"])
    return here and (row["link"] == "yes" or row["link"] == "term" and form == row["term"])


def target(term):
    """The id of a term's entry: letters and digits, joined by hyphens."""
    plain = term.lower().replace("ł", "l").replace("++", "-plus-plus")
    return "term-" + re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def form_pattern(form):
    """A regular expression for a term in running text: any white space, hyphen or apostrophe of its kind, and the simple plural.

    An abbreviation must stand in capitals; with any other form the case does not matter.
    """
    if form.endswith("matrix"):
        stem, end = form[:-1], "(?:x|ces)"
    elif re.search(r"(?:hypothes|bas|analys)is$", form):
        stem, end = form[:-2], "[ie]s"
    elif re.search(r"[^aeiou]y$", form) and form.islower():
        stem, end = form[:-1], "(?:y|ies)"
    elif re.search(r"(?:s|x|z|ch|sh)$", form):
        stem, end = form, "(?:es)?"
    else:
        stem, end = form, "s?"
    text = re.escape(stem).replace(r"\ ", r"\s+").replace(r"\-", "[-–]").replace("'", "['’]")
    return text + end if re.fullmatch(r"[A-Z][A-Z0-9]+", form) else f"(?i:{text}{end})"


class Matcher:
    """Finds the terms in a text, the longest first, as whole words."""

    def __init__(self, rows):
        buckets = {}
        for row in rows:
            for form in row["forms"]:
                buckets.setdefault(form[:2].lower(), []).append((form, row))
        # A bucket for each pair of first letters: a text of n words costs n small matches instead of n times all terms.
        self.buckets = {}
        for start, entries in buckets.items():
            entries.sort(key=lambda entry: -len(entry[0]))
            choices = "|".join(f"({form_pattern(form)})" for form, _ in entries)
            self.buckets[start] = re.compile(rf"(?:{choices})(?![\w-])"), entries

    def find(self, text):
        """All (start, end, form, row) in order; a term inside a longer one is no match."""
        position = 0
        for word in re.finditer(r"(?<![\w–-])\w", text):
            pattern, entries = self.buckets.get(text[word.start():word.start() + 2].lower(), (None, None))
            match = pattern.match(text, word.start()) if pattern and word.start() >= position else None
            if match:
                position = match.end()
                yield match.start(), position, *entries[match.lastindex - 1]


def plain_math(text):
    """A definition without formulas in TeX, for a tooltip: Greek letters and signs in Unicode."""
    def formula(match):
        inner = re.sub(r"\\(?:mathcal|mathrm|operatorname|text)\{(\w+)\}", r"\1", match[1])
        inner = re.sub(r"\\frac(\w|\{[^}]*\})(\w|\{[^}]*\})", r"\1/\2", inner)
        inner = re.sub(r"\\binom\{(\w+)\}\{(\w+)\}", r"C(\1, \2)", inner)
        inner = re.sub(r"\\(?:[A-Za-z]+|,)", lambda name: TEX.get(name[0], name[0]), inner)
        while "{" in inner:
            inner = re.sub(r"\{([^{}]*)\}", lambda group: group[1] if len(group[1]) == 1 else f"({group[1]})", inner)
        return inner

    return re.sub(r"\$([^$]+)\$", formula, text)


def tooltip(row):
    """What a link says on hover: the Chinese term and the definition."""
    return f"{row['zh']}: {plain_math(row['definition'])}"


def join_lines(document):
    """Make one text of neighboring ones: a parser that ends a text at each line would hide the terms that continue on the next."""
    for paragraph in list(document.findall(nodes.paragraph)):
        for element in list(paragraph.findall(lambda node: isinstance(node, (nodes.paragraph, *EMPHASIS)))):
            groups = [list(group) for _, group in itertools.groupby(element.children, key=lambda node: type(node) is nodes.Text)]
            if any(len(group) > 1 and type(group[0]) is nodes.Text for group in groups):
                element.children = []
                for group in groups:
                    element += [nodes.Text("".join(group))] if type(group[0]) is nodes.Text else group


def is_prose(text):
    """Whether a text node is running prose of a paragraph."""
    node, in_paragraph = text.parent, False
    while node is not None:
        if isinstance(node, NO_PROSE) or NO_PROSE_CLASSES.intersection(node.get("classes", ())):
            return False
        in_paragraph = in_paragraph or isinstance(node, nodes.paragraph)
        node = node.parent
    return in_paragraph


def is_theorem_title(text):
    """Whether a text node stands in the title of a theorem, lemma or definition (not of an exercise, note or section)."""
    title = text.parent
    return isinstance(title, nodes.title) and isinstance(title.parent, nodes.Admonition) and "proof" in title.parent.get("classes", ())


def text_after(text):
    """What follows an emphasized text in the same sentence: in "a **filter** method" the term is longer than its emphasis."""
    if not isinstance(text.parent, EMPHASIS) or text.parent[-1] is not text:
        return ""
    following = text.parent.next_node(siblings=True, descend=False)
    return following.astext() if type(following) is nodes.Text else ""


def link_texts(texts, matcher, address, chapter, linked):
    """Link the first use of each term in these texts that is not yet among the linked ones."""
    for text in texts:
        source, parts, position = text.astext(), [], 0
        for start, end, form, row in matcher.find(source + text_after(text)):
            if start >= len(source) or row["term"] in linked or not is_linked(row, form, chapter):
                continue
            linked[row["term"]], end = row, min(end, len(source))
            parts += [nodes.Text(source[position:start])] if start > position else []
            parts.append(nodes.reference("", source[start:end], internal=True, refuri=f"{address}#{target(row['term'])}",
                                         reftitle=tooltip(row), classes=["glossary-term"]))
            position = end
        if parts:
            parent, tail = text.parent, [nodes.Text(source[position:])] if position < len(source) else []
            place = next(i for i, child in enumerate(parent.children) if child is text)
            parent[place:place + 1] = parts + tail


def link_terms(document, matcher, address, chapter=""):
    """Link the first use of each term in the paragraphs of a chapter, or else in the title of a theorem; return the linked terms."""
    linked = {}
    join_lines(document)
    for accepted in (is_prose, is_theorem_title):
        link_texts([node for node in document.findall(nodes.Text) if accepted(node)], matcher, address, chapter, linked)
    return list(linked)


@functools.lru_cache(maxsize=1)
def matcher():
    """The matcher of the book's own terms, compiled once."""
    return Matcher(read_terms())


class LinkTerms(SphinxPostTransform):
    """Link the first use of each term in a chapter to the glossary."""

    default_priority = 900          # after all references are resolved: a term inside a link stays as it is
    formats = ("html",)

    def run(self, **kwargs):
        """Link, unless the glossary is no page of this build (a preview) or the page is no chapter."""
        name = self.env.docname
        if DOCUMENT in self.env.found_docs and name.startswith("book/") and not name.startswith("book/reference/"):
            link_terms(self.document, matcher(), self.app.builder.get_relative_uri(name, DOCUMENT), name.removeprefix("book/"))


def sections(text):
    """Anchor of a section -> its Markdown, subsections included."""
    marks = list(re.finditer(r"^\(([a-z0-9-]+)\)=\s*\n(#+) ", text, re.MULTILINE))
    ends = [next((later.start() for later in marks[i + 1:] if len(later[2]) <= len(mark[2])), len(text)) for i, mark in enumerate(marks)]
    return {mark[1]: text[mark.start():end] for mark, end in zip(marks, ends)}


def section_titles(chapters):
    """Anchor of a section -> title of its chapter."""
    return {anchor: chapter.title for chapter in chapters for anchor in sections(chapter.text)}


def glossary_page(rows, titles):
    """One table with a filter: term, Chinese, definition, and the section that defines it."""
    lines = [front("glossary", wide=True) + "# Glossary 术语表", "",
             f"**{len(rows)} terms** in English and Chinese. The box finds English and Chinese words; the last column leads to the section",
             "that defines the term. In the chapters the first use of a term is underlined with dots and leads here.", "",
             *filter_box("gradient, or: 梯度"),
             *jumps((row["term"][0].upper() if row["term"][0].isalpha() else "0–9", target(row["term"])) for row in rows),
             "| Term | 中文 | Definition | Defined in |", "|---|---|---|---|"]
    for row in rows:
        also = f" ({', '.join(row['forms'][1:])})" if row["also"] else ""
        where = place(titles[row["anchor"]], row["anchor"]) if row["anchor"] in titles else "not yet"
        cells = [f"[{row['term']}]{{#{target(row['term'])}}}{also}", row["zh"], row["definition"], where]
        lines.append("| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def pages(root, chapters):
    """The glossary: file name -> text."""
    return {"glossary.md": glossary_page(read_terms(root), section_titles(chapters))}


def setup(app):
    """Link the terms of the chapters when a page is written."""
    app.add_post_transform(LinkTerms)
