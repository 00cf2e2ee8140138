"""Find everything that mlcore offers: the names in ``__all__`` of its chapter packages and of its data sets."""

import dataclasses
import importlib
import inspect
import pkgutil
from typing import NamedTuple

import mlcore
from mlcore.base import Estimator

APART = ("mlcore.widgets", "mlcore.exercises", "mlcore.live")  # figures, checks of answers and a server have tests of their own


class Public(NamedTuple):
    """A public name: its package without ``mlcore.``, the name, the object, and its kind."""

    package: str
    name: str
    value: object
    kind: str

    @property
    def label(self):
        return f"{self.package}.{self.name}"


def kind_of(value):
    """Estimator, class, function, record (what a function returns), constant."""
    if not callable(value):
        return "constant"
    if not inspect.isclass(value):
        return "function"
    if issubclass(value, Estimator):
        return "estimator"
    if issubclass(value, BaseException) or hasattr(value, "_fields") or dataclasses.is_dataclass(value) or inspect.isabstract(value):
        return "record"
    return "class"


def packages():
    """The packages of mlcore that declare ``__all__``: one for each chapter, and the data sets."""
    for info in pkgutil.walk_packages(mlcore.__path__, "mlcore."):
        if info.ispkg and not info.name.startswith(APART):
            module = importlib.import_module(info.name)
            if hasattr(module, "__all__"):
                yield module


def public_names():
    """Every public object once, under the first package that offers it."""
    found, seen = [], set()
    for module in sorted(packages(), key=lambda m: m.__name__):
        for name in module.__all__:
            value = getattr(module, name)
            if callable(value) and id(value) in seen:
                continue
            seen.add(id(value))
            found.append(Public(module.__name__.removeprefix("mlcore."), name, value, kind_of(value)))
    return found
