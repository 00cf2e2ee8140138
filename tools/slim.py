"""Make the built pages lighter: the theme ships two thousand icons and the rules of every component, whatever a page uses.

Runs at the end of the build, on the copies in the site folder: unused icons, glyphs and style rules go, and so does the
search index on pages that only link to the search page.
"""

import re

ICON = re.compile(r',?("[\w-]+"|[\w$]+):\[\d+,\d+,\[([^\]]*)\],"[0-9a-f]+",(?:"[^"]*"|\[[^\]]*\])\]')
SEARCH_SCRIPTS = re.compile(r'\s*<script src="[^"]*(?:_static/searchtools|_static/language_data|searchindex)\.js"></script>')


def slim_icons(script, used):
    """Drop the icons whose name and aliases are not in ``used`` from the text of fontawesome.js."""

    def keep(match):
        names = {match[1].strip('"'), *re.findall(r"[\w-]+", match[2])}
        return match[0] if names & used else ""

    return re.sub(r"\{,", "{", ICON.sub(keep, script))


def split_rules(style):
    """Yield (selector, block) of the top level of a style sheet; a statement without a block has block None."""
    start = position = 0
    while position < len(style):
        character = style[position]
        if style.startswith("/*", position):
            position = style.index("*/", position) + 2
            continue
        if character in "\"'":
            position = style.index(character, position + 1) + 1
            continue
        if character == ";":
            yield style[start:position + 1], None
            start = position + 1
        elif character == "{":
            end = closing_brace(style, position)
            yield style[start:position], style[position + 1:end]
            start = position = end + 1
            continue
        position += 1


def closing_brace(style, position):
    """Position of the brace that closes the one at ``position``; braces in strings and comments do not count."""
    depth = 0
    for match in re.finditer(r"/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|[{}]", style[position:], flags=re.S):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return position + match.start()
    raise ValueError("a style sheet has an opening brace without its closing one")


def slim_style(style, words):
    """Drop the rules whose every selector needs a class that is not among ``words`` (all words of pages and scripts)."""
    kept = []
    for selector, block in split_rules(style):
        head = re.sub(r"/\*.*?\*/", "", selector, flags=re.S).strip()
        if block is None:
            kept.append(selector)
        elif head.startswith(("@media", "@supports")):
            inner = slim_style(block, words)
            if inner.strip():
                kept.append(f"{selector}{{{inner}}}")
        elif head.startswith("@") or any(set(re.findall(r"\.(-?[_a-zA-Z][\w-]*)", part)) <= words for part in head.split(",")):
            kept.append(f"{selector}{{{block}}}")
    return "".join(kept)


def slim_font(folder):
    """Cut the icon font down to the characters that the style sheets name: 2 instead of 156 kilobytes."""
    from fontTools import subset
    from fontTools.ttLib import TTFont

    sheets = {path: path.read_text("utf8") for path in (folder / "_static").rglob("*.css")}
    codes = {int(code, 16) for text in sheets.values() for code in re.findall(r'["\']\\([0-9a-fA-F]{4})["\']', text)}
    source = folder / "_static" / "vendor" / "fontawesome" / "webfonts" / "fa-solid-900.ttf"
    font, cutter = TTFont(source), subset.Subsetter()
    cutter.populate(unicodes=codes)
    cutter.subset(font)
    font.flavor = "woff"
    font.save(source.with_suffix(".woff"))
    for path, text in sheets.items():
        smaller = text.replace('fa-solid-900.woff2) format("woff2")', 'fa-solid-900.woff) format("woff")')
        if smaller != text:
            path.write_text(smaller, "utf8")


def slim_site(folder):
    """Slim the theme's icons and styles in a built site to what its pages and scripts mention."""
    pages = {path: path.read_text("utf8") for path in folder.rglob("*.html") if "_static" not in path.parts}
    icons = folder / "_static" / "scripts" / "fontawesome.js"
    scripts = [p.read_text("utf8") for p in (folder / "_static").rglob("*.js") if p != icons and "mathjax" not in p.parts]
    words = set(re.findall(r"[\w-]+", "\n".join([*pages.values(), *scripts])))
    icons.write_text(slim_icons(icons.read_text("utf8"), {w[3:] for w in words if w.startswith("fa-")}), "utf8")
    for sheet in [*(folder / "_static" / "styles").glob("*-theme.css"), *(folder / "_static").glob("sphinx-design*.css")]:
        sheet.write_text(slim_style(sheet.read_text("utf8"), words), "utf8")
    slim_font(folder)
    for path, text in pages.items():
        if path.name != "search.html":
            path.write_text(SEARCH_SCRIPTS.sub("", text), "utf8")
