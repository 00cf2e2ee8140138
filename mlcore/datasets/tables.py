"""Tables that ship with the package, as named arrays."""

from importlib.resources import files
from typing import NamedTuple

import numpy as np


class Table(NamedTuple):
    """A data set: inputs, targets, and what the columns mean."""

    X: np.ndarray
    y: np.ndarray
    feature_names: tuple
    target_name: str


class RateTable(NamedTuple):
    """Counts of events with what they are counted from: inputs, counts, exposures, and what the columns mean."""

    X: np.ndarray
    y: np.ndarray
    exposure: np.ndarray
    feature_names: tuple
    target_name: str
    exposure_name: str


def _read_csv(name):
    """Numbers of a comma-separated file of this folder, below its header line."""
    with files(__package__).joinpath(name).open(encoding="utf8") as file:
        return np.loadtxt(file, delimiter=",", skiprows=1)


def load_portland():
    """Return the 47 houses of Portland, Oregon: living area (sq ft), bedrooms -> price (1000 USD).

    >>> houses = load_portland()
    >>> houses.X.shape, float(houses.y[0])
    ((47, 2), 399.9)
    """
    table = _read_csv("portland.csv")
    return Table(table[:, :2], table[:, 2] / 1000, ("living area (sq ft)", "bedrooms"), "price (1000 USD)")


def load_portland_rows():
    """Return the five houses that the lecture notes print, prices rounded to 1000 USD as printed there."""
    houses = load_portland()
    return houses._replace(X=houses.X[:5], y=np.round(houses.y[:5]))


def load_doctors():
    """Return coronary deaths among British doctors: age (midpoint of ten years), smoker (0 or 1) -> deaths, person-years.

    Doll and Hill, National Cancer Institute Monograph 19 (1966), pages 205-268, in the grouping of Breslow (1985).

    >>> doctors = load_doctors()
    >>> doctors.X.shape, int(doctors.y.sum()), int(doctors.exposure.sum())
    ((10, 2), 731, 181467)
    """
    table = _read_csv("doctors.csv")
    return RateTable(table[:, :2], table[:, 3], table[:, 2], ("age (years)", "smoker"), "deaths", "person-years")
