"""Exercises that check themselves: ``check("chapter.exercise", answer)``."""

from mlcore.exercises.core import Result, check, exercise, names

__all__ = ["Result", "check", "exercise", "names"]
