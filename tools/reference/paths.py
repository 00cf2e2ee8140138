"""Learning paths: what builds on what, as a picture and as a table, and three courses; and which checks each chapter has."""

import json
import pathlib
import re
import tomllib

import yaml

from tools.reference import graph
from tools.reference.chapters import ROOT, front, read_chapters

FILE = "book/reference/paths.toml"
CHECK = re.compile(r"check\(\s*[\"']([\w.]+)[\"']")
PROGRESS = '<p class="progress-panel">Exercises that you solve with <em>Run here</em> are remembered in your browser, by a script.</p>'


def read_paths(root=ROOT):
    """The data of book/reference/paths.toml: needs, exceptions, courses."""
    return tomllib.loads((root / FILE).read_text("utf8"))


def parts(root=ROOT):
    """The parts of the book in order: (caption, names of its chapters); the reference pages are no part."""
    toc = yaml.safe_load((root / "_toc.yml").read_text("utf8"))
    found = [(part["caption"], [chapter["file"].removeprefix("book/") for chapter in part["chapters"]]) for part in toc.get("parts", [])]
    return [(caption, names) for caption, names in found if not names[0].startswith("reference/")]


def present(data, names):
    """The needs among the chapters that are in the book, in its order; a chapter without an entry is named."""
    missing = [name for name in names if name not in data["needs"]]
    if missing:
        raise ValueError(f"{FILE} does not say what {missing[0]} needs.")
    return {name: [other for other in data["needs"][name] if other in names] for name in names}


def check_names(chapter):
    """The exercises of a chapter that check themselves: the names in its stub cells (the solutions' cells are folded)."""
    shown = [cell for cell in chapter.notebook.cells if not cell.metadata.get("jupyter", {}).get("source_hidden")]
    return list(dict.fromkeys(name for cell in shown if cell.cell_type == "code" for name in CHECK.findall(cell.source)))


def duration(minutes):
    """Minutes in words that stay on one line: 1 h 25 min."""
    hours, rest = divmod(minutes, 60)
    words = [f"{hours} h" if hours else "", f"{rest} min" if rest or not hours else ""]
    return " ".join(filter(None, words)).replace(" ", "\N{NO-BREAK SPACE}")


def weeks(minutes, most):
    """The week of each chapter of a course: as many a week as fit into ``most`` minutes, at least one."""
    week, spent, found = 1, 0, []
    for length in minutes:
        if spent and spent + length > most:
            week, spent = week + 1, 0
        spent += length
        found.append(week)
    return found


def link(chapter):
    """A link to a chapter from a page of the reference."""
    return f"{{doc}}`{chapter.title} </book/{chapter.name}>`"


def count_cell(chapter):
    """The number of self-checking exercises; the page's script adds how many are solved."""
    return f'<span data-progress="{chapter.name}">{len(check_names(chapter))}</span>'


def picture(chapters, needs, courses, captions):
    """The graph of the chapters, with the buttons that show a course in it."""
    number = {chapter.name: i for i, chapter in enumerate(chapters, 1)}
    title = {chapter.name: chapter.title for chapter in chapters}
    boxes = {}
    for chapter in chapters:
        needed = ", ".join(title[name] for name in needs[chapter.name])
        said = f"Needs: {needed}." if needed else "Needs no other chapter."
        caption = captions[chapter.name]
        boxes[chapter.name] = {
            "href": f"../{chapter.name}.html", "title": chapter.title, "kind": f"part-{chapter.part}",
            "label": f"{number[chapter.name]} · {caption.removesuffix(' learning')}",
            "said": f"{number[chapter.name]}. {chapter.title} ({caption}). {said}",
            "courses": " ".join(course["key"] for course in courses if chapter.name in course["chapters"]),
        }
    buttons = "".join(f'<button type="button" aria-pressed="false" data-course="{course["key"]}">{course["title"]}</button>'
                      for course in courses)
    description = f"Graph of the {len(chapters)} chapters; the table below says the same in words"
    return (f'<p class="graph-buttons" hidden>Show: {buttons}</p>'
            f'<div class="graph-box" role="region" aria-label="Graph of the chapters">{graph.draw(needs, boxes, description)}</div>')


def course_lines(course, chapters):
    """One course: what it is about, its length, and its chapters by weeks."""
    by_name = {chapter.name: chapter for chapter in chapters}
    mine = [by_name[name] for name in course["chapters"] if name in by_name]
    minutes = [chapter.minutes for chapter in mine]
    numbers = weeks(minutes, course["minutes_a_week"])
    lines = [f"(course-{course['key']})=\n## {course['title']}", "",
             f"{course['about']} {len(mine)} chapters, {duration(sum(minutes))} of reading: "
             f"{numbers[-1]} weeks at no more than {duration(course['minutes_a_week'])} of reading a week.", "",
             "| Week | Chapter | Reading time | Exercises |", "|---:|---|---:|---:|"]
    for i, (chapter, week) in enumerate(zip(mine, numbers)):
        shown = week if i == 0 or numbers[i - 1] != week else ""
        lines.append(f"| {shown} | {link(chapter)} | {duration(chapter.minutes)} | {count_cell(chapter)} |")
    return [*lines, ""]


def page(data, chapters, captions):
    """The whole page."""
    needs = present(data, [chapter.name for chapter in chapters])
    by_name = {chapter.name: chapter for chapter in chapters}
    total, checks = sum(chapter.minutes for chapter in chapters), sum(len(check_names(chapter)) for chapter in chapters)
    lines = [front("learning-paths", wide=True) + "# Learning paths", "",
             f"The book has {len(chapters)} chapters, {duration(total)} of reading, and {checks} exercises that check themselves. You",
             "need not read them in order. In the picture a line leads from a chapter to those that build on it, left to right;",
             "point at a chapter, or move to it with the Tab key, and all that it needs stays lit. A click opens it.", "",
             "```{raw} html", picture(chapters, needs, data["courses"], captions), PROGRESS, "```", "",
             "A chapter that no line enters needs none of the others. What a chapter asks of you besides (calculus, linear algebra,",
             "probability) is said in its opening. Below are three ways through; the times are for reading, without the exercises.", ""]
    for course in data["courses"]:
        lines += course_lines(course, chapters)
    lines += ["(paths-table)=\n## All chapters and what they need", "",
              "The picture in words: what each chapter builds on directly.", "",
              "| | Chapter | Needs | Reading time | Exercises |", "|---:|---|---|---:|---:|"]
    for i, chapter in enumerate(chapters, 1):
        needed = ", ".join(link(by_name[name]) for name in needs[chapter.name]) or "no other chapter"
        lines.append(f"| {i} | {link(chapter)} | {needed} | {duration(chapter.minutes)} | {count_cell(chapter)} |")
    lines.append(f"| | all {len(chapters)} | | {duration(total)} | {checks} |")
    return "\n".join(lines) + "\n"


def pages(root, chapters):
    """The page of the learning paths; a book without chapters has none."""
    if not chapters:
        return {}
    captions = {name: caption for caption, names in parts(root) for name in names}
    return {"learning_paths.md": page(read_paths(root), chapters, captions)}


def exercise_script(chapters):
    """What the marks of progress are counted against: chapter -> the names of its checks, as a script for every page."""
    return f"window.MLCORE_EXERCISES = {json.dumps({chapter.name: check_names(chapter) for chapter in chapters}, indent=0)};\n"


def write_exercises(app, config):
    """Put the script among the generated static files."""
    generated = pathlib.Path(app.outdir).parent / "generated"
    generated.mkdir(parents=True, exist_ok=True)
    (generated / "exercises.js").write_text(exercise_script(read_chapters()), "utf8")


def setup(app):
    """The marks of progress on every page, and the style of the picture."""
    app.connect("config-inited", write_exercises)
    app.add_js_file("exercises.js", loading_method="defer")
    app.add_js_file("progress.js", loading_method="defer")
    app.add_css_file("front.css")
