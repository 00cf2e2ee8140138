"""The property that every public object keeps, as a hypothesis test of one object."""

import pytest
from hypothesis import example, given

from fuzz.cases import CASES
from fuzz.strategies import SETTINGS, changes
from fuzz.trials import tested, trials

AT = 3  # place of the change in the explicit examples
HOW_TO_ADD = ("{label} has no valid example call, so bad input cannot be tried on it. Add one line to tests/fuzz/cases/{part}.py, "
              'under "{package}": "{name}": case(argument=value, ...).')


def labels(*kinds):
    """The public objects of some kinds, by their labels."""
    return [label for label, public in tested().items() if public.kind in kinds]


def require_case(label):
    """Fail with the line to add, unless the object has a case."""
    if tested()[label].kind != "estimator" and label not in CASES:
        part, _, rest = label.partition(".")
        package, _, name = rest.rpartition(".")
        pytest.fail(HOW_TO_ADD.format(label=label, part=part, package=package, name=name))


def check_object(label):
    """Every change of every argument once, then those that hypothesis draws: a clear error or a right answer."""
    require_case(label)
    tried = trials(label)
    assert tried.valid.error is None, f"the valid call of {label} fails: {tried.valid.said}"
    assert not tried.valid.changed, f"{label} writes to the caller's {tried.valid.changed}"

    @SETTINGS
    @given(changes(tried.changes))
    def keep(drawn):
        change, i = drawn
        verdict = tried.judge(change, i)
        assert not verdict.bad, f"{label}, argument {change.argument}, {change.kind}: {verdict.bad}"

    for change in tried.changes:
        keep = example((change, AT))(keep)
    if tried.changes:
        keep()
