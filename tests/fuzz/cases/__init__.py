"""How to call every public function and class of mlcore with valid input.

A new function needs one line: in the module of its part of the book, under its package, ``"name": case(argument=value, ...)``.
"""

import importlib
import pkgutil

CASES = {
    ".".join(filter(None, (module.name, package, name))): case
    for module in pkgutil.iter_modules(__path__)
    if module.name != "base"
    for package, cases in importlib.import_module(f"{__name__}.{module.name}").CASES.items()
    for name, case in cases.items()
}
