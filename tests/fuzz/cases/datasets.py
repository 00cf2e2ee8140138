"""Valid input for the data sets, which belong to no part of the book."""

from fuzz.cases.base import case

CASES = {
    "": {
        "load_doctors": case(),
        "load_portland": case(),
        "load_portland_rows": case(),
        "make_blobs": case(n=12),
        "make_linear": case(n=12),
        "make_moons": case(n=12),
        "make_portland_like": case(n=12),
        "make_rings": case(n=12),
    },
}
