"""Say in one line what a function takes: the shapes of its arrays in letters, the ranges of its numbers."""

import functools
import inspect
import re

import numpy as np

from mlcore.base import (
    as_array,
    check_array,
    check_callable,
    check_flag,
    check_number,
    check_option,
    check_rng,
    check_signs,
    label_array,
    plain_number,
)

ARTICLE = re.compile("^[aeiouAEIOU]")


def takes(**rules):
    """Check the arguments of a function before it runs, each by its rule; the bare function stays available as ``.core``.

    A rule is one of

    - ``"n d"``: a finite real array with these axes. A letter that stands at several places is one number, a figure is that
      number; every axis has at least one entry, unless its letter ends in a question mark. ``"..."`` at an end stands for any
      further axes, and ``"n | n k"`` leaves the choice.
    - ``"whole n"``, ``"signs n"``, ``"bits n"``, ``"flags n"``: whole numbers, labels -1 and +1, labels 0 and 1, truth values;
      ``"whole n < k"``: whole numbers from 0 to k - 1, where k is an axis or an integer argument
    - ``"any ..."``: real numbers that may be NaN or infinite, for functions that work entry by entry; axes may follow here, too
    - ``"number > 0"``, ``"number >= 0 <= 1"``, ``"integer >= 1"``: a finite number in a range
    - ``"labels n"``: one label per entry, numbers or text
    - ``"function"``, ``"rng"``, ``"list"``: something to call; a seed, which becomes a Generator; anything to go through, but a text
    - a class, or a tuple of classes, of which the argument must be an instance; a tuple or dict of texts, which are the options
    - a function of the value and the name, which returns the value as it is to be used

    An argument whose default is None may be None; one whose default is True or False must be one of the two. Inner loops that call
    a checked function many times with arrays of their own call its ``core``.

    >>> @takes(A="n d", b="n")
    ... def residual(A, b, x=1.0):
    ...     return A @ np.full(A.shape[1], x) - b
    >>> residual([[1, 2], [3, 4]], [1, 1])
    array([2., 6.])
    >>> residual([[1, 2], [3, 4]], [1, 1, 1])
    Traceback (most recent call last):
    ...
    ValueError: b must have shape (n,) with n = 2 as in A, got shape (3,).
    """
    def decorate(function):
        parameters = inspect.signature(function).parameters
        places = {name: i if p.kind is p.POSITIONAL_OR_KEYWORD else len(parameters) for i, (name, p) in enumerate(parameters.items())}
        unknown = set(rules) - set(places)
        if unknown:
            raise TypeError(f"{function.__name__} has no argument {', '.join(sorted(unknown))}.")
        checks = [(places[name], name, _rule(rules[name]), parameters[name].default is None and rules[name] != "rng")
                  for name in places if name in rules]
        checks += [(places[name], name, lambda value, name, sizes: check_flag(value, name), False)
                   for name, p in parameters.items() if isinstance(p.default, bool) and name not in rules]

        bare = set(parameters) - {name for _, name, _, _ in checks}       # of these the function itself takes care
        bare_places = [i for i, name in enumerate(parameters) if name in bare]

        @functools.wraps(function)
        def checked(*args, **kwargs):
            args, sizes = list(args), {}
            for i in bare_places:
                if i < len(args):
                    args[i] = plain_number(args[i])
            for name in bare.intersection(kwargs):
                kwargs[name] = plain_number(kwargs[name])
            for place, name, check, optional in checks:
                positional = place < len(args)
                if not positional and name not in kwargs:
                    if rules.get(name) != "rng":
                        continue
                    value = parameters[name].default
                else:
                    value = args[place] if positional else kwargs[name]
                if value is None and optional:
                    continue
                value = check(value, name, sizes)
                if positional:
                    args[place] = value
                else:
                    kwargs[name] = value
            for name, array, letter in sizes.get("<", ()):
                _check_range(array, name, sizes[letter][0])
            try:
                return function(*args, **kwargs)
            except (OverflowError, ZeroDivisionError) as error:
                if not _ours(error):
                    raise
                raise ValueError(f"an argument of {function.__name__} is too large or too small for floating-point numbers "
                                 f"({error.args[-1]}).") from error

        checked.core = function
        return checked
    return decorate


def _ours(error):
    """Whether a line of mlcore raised the error, and not a function of the caller's."""
    trace = error.__traceback__
    while trace.tb_next:
        trace = trace.tb_next
    return trace.tb_frame.f_globals.get("__name__", "").startswith("mlcore.")


def _rule(rule):
    """A rule as a function of the value, its name and the sizes known so far."""
    if isinstance(rule, type) or (isinstance(rule, tuple) and isinstance(rule[0], type)):
        return _instance(rule)
    if isinstance(rule, (tuple, dict)):
        return lambda value, name, sizes: check_option(value, name, tuple(rule))
    if callable(rule):
        return lambda value, name, sizes: rule(value, name)
    first, *rest = rule.split()
    if first in ("number", "integer"):
        return _number(first == "integer", rest)
    if first == "function":
        return lambda value, name, sizes: check_callable(value, name)
    if first == "list":
        return lambda value, name, sizes: _items(value, name)
    if first == "rng":
        return lambda value, name, sizes: check_rng(value)
    read = {"whole": _whole, "signs": _signs, "bits": _bits, "labels": label_array, "any": _doubles, "flags": _flags}.get(first)
    below = rest.pop() if "<" in rest else None
    if below:
        rest.pop()
    axes = [choice.split() for choice in " ".join(rest if read else [first, *rest]).split("|")]

    def check(value, name, sizes):
        array = (read or _finite)(value, name)
        _check_shape(array, name, axes, sizes)
        if below:
            sizes.setdefault("<", []).append((name, array, below))
        return array
    return check


def _instance(classes):
    classes = classes if isinstance(classes, tuple) else (classes,)
    wanted = " or ".join(f"{'an' if ARTICLE.match(c.__name__) else 'a'} {c.__name__}" for c in classes)

    def check(value, name, sizes):
        if not isinstance(value, classes):
            raise TypeError(f"{name} must be {wanted}, got {value!r}.")
        return value
    return check


def _number(integer, bounds):
    """Bounds are pairs of a comparison and a figure."""
    options = {}
    for sign, figure in zip(bounds[::2], bounds[1::2]):
        side = "low" if sign[0] == ">" else "high"
        options[side] = int(figure) if figure.lstrip("-").isdigit() else float(figure)
        options[f"open_{side}"] = sign in "<>"

    def check(value, name, sizes):
        value = check_number(value, name, integer=integer, **options)
        if integer:
            sizes.setdefault(name, (value, name))
        return value
    return check


def real_numbers(value, name):
    """Real numbers in any shape, NaN and infinity included; float32 stays float32."""
    array = as_array(value, name)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} must hold real numbers, got {type(value).__name__} of type {array.dtype}.")
    return array if array.dtype.kind == "f" else array.astype(float)


def _doubles(value, name):
    return real_numbers(value, name).astype(float, copy=False)


def check_broadcast(*shapes):
    """Refuse shapes of which none can be repeated to fit the others."""
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        raise ValueError(f"the shapes {' and '.join(map(str, shapes))} do not fit together: axis by axis, counted from the last, the "
                         "lengths must agree, or one of them must be 1.") from None


def _items(value, name):
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise TypeError(f"{name} must be a list or another sequence, got {value!r}.")
    return value if hasattr(value, "__len__") else list(value)


def _finite(value, name):
    return check_array(value, name=name, ndim=None, min_samples=0)


def _whole(value, name):
    array = as_array(value, name)
    if array.dtype.kind == "u" and array.size and array.max() >= 2**63:
        raise ValueError(f"{name} must hold whole numbers below 2^63, got {array.max()}.")
    if array.dtype.kind in "iu":
        return array.astype(int, copy=False)             # small types overflow in sums, unsigned ones in differences
    return check_array(array, name=name, ndim=None, min_samples=0, dtype=int)


def _signs(value, name):
    return check_signs(value, name=name)


def _bits(value, name):
    array = check_array(value, name=name, ndim=None, min_samples=0)
    if ((array != 0) & (array != 1)).any():
        raise ValueError(f"{name} must hold the labels 0 and 1, got {array[(array != 0) & (array != 1)].flat[0]}.")
    return array


def _flags(value, name):
    array = as_array(value, name)
    if array.dtype.kind != "b":
        raise ValueError(f"{name} must hold truth values, got an array of type {array.dtype}.")
    return array


def _check_range(array, name, k):
    if array.size and not (array.min() >= 0 and array.max() < k):
        raise ValueError(f"{name} must hold whole numbers from 0 to {k - 1}, got {array.min()} to {array.max()}.")


def _check_shape(array, name, choices, sizes):
    """Compare the shape with the axes of the first choice that fits; remember the letters that are new."""
    for axes in choices:
        named = [a for a in axes if a != "..."]
        if len(named) != array.ndim if len(named) == len(axes) else len(named) > array.ndim:
            continue
        if array.size == 0 and not any(a.endswith("?") for a in named):
            continue
        found = dict(sizes)
        lengths = array.shape if axes[-1] == "..." else array.shape[array.ndim - len(named):]
        if all(_fits(axis, length, found, name) for axis, length in zip(named, lengths)):
            sizes.update(found)
            return
    wanted = " or ".join(map(_written, choices))
    raise ValueError(f"{name} must have shape {wanted}{_where(choices, sizes)}, got shape {array.shape}.")


def _fits(axis, length, found, name):
    """Whether an axis has the length that its letter or figure says; a new letter takes it."""
    letter = axis.rstrip("?")
    known = int(letter) if letter.isdigit() else found.setdefault(letter, (length, name))[0]
    return known == length and (length > 0 or axis.endswith("?"))


def _written(axes):
    names = [a.rstrip("?") for a in axes]
    return f"({names[0]},)" if len(names) == 1 and names[0] != "..." else f"({', '.join(names)})"


def _where(choices, sizes):
    """What the letters stand for."""
    letters = dict.fromkeys(a.rstrip("?") for axes in choices for a in axes if a != "..." and not a.isdigit())
    known = [f"{a} = {sizes[a][0]} as in {sizes[a][1]}" for a in letters if a in sizes]
    free = [a for a in letters if a not in sizes]
    text = f" with {' and '.join(known)}" if known else ""
    return text + (f"{' and' if known else ' with'} {', '.join(free)} >= 1" if free else "")
