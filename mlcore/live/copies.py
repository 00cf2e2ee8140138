"""Working copies: a student edits ``work/<part>/<chapter>.ipynb``, never the chapter of the book.

Beside the copies a small file remembers from which original each was made, so that a newer original can be offered.
"""
import hashlib
import json
import os
import pathlib
import re

NAME = re.compile(r"[a-z0-9_]+/[a-z0-9_]+")
MEMORY = ".originals.json"


class NoSuchChapter(LookupError):
    """The book has no chapter of that name."""


def fingerprint(text):
    """A short text that differs when the content differs."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def write_whole(path, text):
    """Write a file so that a reader, or a crash, sees the old content or the new one, nothing in between."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        part.write_text(text, "utf8")
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


class WorkingCopies:
    """The copies of one student.

    Parameters
    ----------
    originals : path
        The folder ``book`` with the chapters.
    work : path
        Where the copies go.
    prepare : callable, optional
        Turns the text of an original into the text of a copy (see `mlcore.live.references`).
    """

    def __init__(self, originals, work, prepare=lambda name, text: text):
        self.originals, self.work, self.prepare = pathlib.Path(originals), pathlib.Path(work), prepare

    def chapters(self):
        """The names ``part/chapter`` of all chapters, sorted."""
        return sorted(p.relative_to(self.originals).with_suffix("").as_posix() for p in self.originals.glob("*/*.ipynb"))

    def original(self, name):
        """The chapter's own file; an unknown name is refused, whatever path it spells."""
        path = self.originals / f"{name}.ipynb"
        if not NAME.fullmatch(name) or not path.is_file():
            raise NoSuchChapter(f"the book has no chapter {name!r}; it has, among others, {', '.join(self.chapters()[:3])}")
        return path

    def copy(self, name):
        """Where the working copy is, or would be."""
        return self.work / f"{name}.ipynb"

    def make_folders(self):
        """One folder per part, so that kernels can start there before any chapter was opened."""
        for name in self.chapters():
            self.copy(name).parent.mkdir(parents=True, exist_ok=True)

    def state(self, name):
        """What a page needs to know: does the copy exist, was it edited, is there a newer original?"""
        original = self.original(name).read_text("utf8")
        copy, memory = self.copy(name), self._memory().get(name, {})
        exists = copy.is_file()
        return {"chapter": name, "file": f"{name}.ipynb", "exists": exists,
                "edited": exists and fingerprint(copy.read_text("utf8")) != memory.get("copy"),
                "newer": exists and fingerprint(original) != memory.get("original")}

    def open(self, name):
        """Make the copy if there is none; an existing one is left as it is."""
        if not self.copy(name).is_file():
            self._write(name)
        return self.state(name)

    def reset(self, name):
        """Replace the copy by the original. What the student had is kept beside it: ``kept`` names the file."""
        self.original(name)
        before, kept = self.state(name), None
        if before["edited"]:
            kept = self._free_name(name)
            os.replace(self.copy(name), kept)
        self._write(name)
        return {**self.state(name), "kept": kept and kept.relative_to(self.work).as_posix()}

    def _write(self, name):
        original = self.original(name).read_text("utf8")
        text = self.prepare(name, original)
        write_whole(self.copy(name), text)
        memory = self._memory()
        memory[name] = {"original": fingerprint(original), "copy": fingerprint(text)}
        write_whole(self.work / MEMORY, json.dumps(memory, indent=1, sort_keys=True) + "\n")

    def _memory(self):
        try:
            memory = json.loads((self.work / MEMORY).read_text("utf8"))
        except (FileNotFoundError, json.JSONDecodeError):
            return {}                                    # then every copy counts as edited, and none is overwritten unasked
        return memory if isinstance(memory, dict) else {}

    def _free_name(self, name):
        number = 1
        while (path := self.work / f"{name}.old-{number}.ipynb").exists():
            number += 1
        return path
