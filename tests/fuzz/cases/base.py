"""A case: valid arguments of a public function or class, and what it is documented to accept beyond the rules."""

import inspect

from fuzz.values import Fresh


class Case:
    """How to call a public object with valid input.

    Parameters
    ----------
    args : valid arguments by name; options with a default that is a number, a text or a seed need not be named
    elementwise : names of the arguments that the function takes entry by entry, in any shape and with NaN
    allow : argument (or "*") -> kinds of change, separated by commas, that are valid input here; a reason belongs into a comment.
        "NaN answer": finite numbers may give NaN; "overflow announced": numpy may warn although the answer is finite
    call : function of the object and the arguments, where it is not called by keywords alone
    then : what to do with the result, for example to call a returned function
    tolerance : how far float32 input may move the answer, for code that is documented to keep the type
    """

    def __init__(self, args, elementwise="", allow=None, call=None, then=None, tolerance=None):
        self.args, self.elementwise, self.call, self.then, self.tolerance = args, elementwise.split(), call, then, tolerance
        self.allow = {name: {kind.strip() for kind in kinds.split(",")} for name, kinds in (allow or {}).items()}

    def arguments(self, value):
        """All arguments to change: those of the case, and the defaults that are numbers, texts or seeds."""
        return {
            **{
                name: 0 if name in ("rng", "random_state") else default
                for name, default in defaults(value).items()
                if name not in self.args and (isinstance(default, (int, float, str)) or name in ("rng", "random_state"))
            },
            **self.args,
        }

    def function(self, value):
        """The object as a function of keyword arguments."""

        def call(**arguments):
            arguments = {name: item.make() if isinstance(item, Fresh) else item for name, item in arguments.items()}
            result = self.call(value, **arguments) if self.call else value(**arguments)
            return self.then(result) if self.then else result

        return call

    def allows(self, name, kind):
        """Whether this change of this argument is valid input."""
        return kind in self.allow.get(name, ()) or kind in self.allow.get("*", ())


def defaults(value):
    """Parameter name -> default, for those that have one."""
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return {}
    return {p.name: p.default for p in parameters if p.default is not p.empty}


def case(*, elementwise="", allow=None, call=None, then=None, tolerance=None, **args):
    """Write a :class:`Case` with its arguments as keywords."""
    return Case(args, elementwise, allow, call, then, tolerance)
