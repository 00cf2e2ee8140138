"""Small data sets and generators used by the book; nothing here downloads anything."""

from mlcore.datasets.generators import make_blobs, make_linear, make_moons, make_portland_like, make_rings
from mlcore.datasets.tables import load_doctors, load_portland, load_portland_rows

__all__ = [
    "load_doctors", "load_portland", "load_portland_rows", "make_blobs", "make_linear", "make_moons", "make_portland_like", "make_rings",
]
