"""Checks of the exercises, one module a chapter."""
