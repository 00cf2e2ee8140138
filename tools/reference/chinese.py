"""Chinese words on the English pages are marked as Chinese: a screen reader changes its voice, a browser takes the right glyphs."""

import re

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

SIGN = r"[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]"             # Chinese characters and punctuation
HAN = r"[\u3400-\u9fff]"
FULL_WIDTH = dict(zip(",:;?!", "，：；？！"))
WORDS = re.compile(rf"{SIGN}+(?:\s*{SIGN}+)*")
LEFT_ALONE = (nodes.raw, nodes.literal, nodes.literal_block, nodes.math, nodes.math_block)
CLASS = "language-zh"                                            # docutils writes this class as the attribute lang="zh"


def typeset(title):
    """A title with Chinese in it, with the marks of Chinese print: （…）：，“…”; formulas and titles without Chinese stay as they are."""
    if not re.search(HAN, title):
        return title
    parts = re.split(r"(\$[^$]*\$)", title)
    for i in range(0, len(parts), 2):
        part = re.sub(r"\s*\(([^()]*)\)\s*", r"（\1）", parts[i])
        part = re.sub(r'"([^"]*)"', r"“\1”", part)
        parts[i] = re.sub(rf"(?<={HAN})\s*([,:;?!])\s*|([,:;?!])\s*(?={HAN})", lambda mark: FULL_WIDTH[mark[1] or mark[2]], part)
    return "".join(parts)


def pieces(text):
    """A text as nodes in which every run of Chinese stands by itself."""
    found, position = [], 0
    for match in WORDS.finditer(text):
        found += [nodes.Text(text[position:match.start()])] if match.start() > position else []
        found.append(nodes.inline("", match[0], classes=[CLASS]))
        position = match.end()
    return found + ([nodes.Text(text[position:])] if position < len(text) else [])


def mark(document):
    """Mark the Chinese of a page; what is code, formula or HTML stays as it is."""
    for text in [node for node in document.findall(nodes.Text) if WORDS.search(node.astext())]:
        if not isinstance(text.parent, LEFT_ALONE):
            text.parent.replace(text, pieces(text.astext()))


class MarkChinese(SphinxPostTransform):
    """Mark the Chinese of every page when it is written."""

    default_priority = 950          # after the links of the glossary, which look for whole texts
    formats = ("html",)

    def run(self, **kwargs):
        mark(self.document)


def pages(root, chapters):
    """It writes no page."""
    return {}


def setup(app):
    app.add_post_transform(MarkChinese)
