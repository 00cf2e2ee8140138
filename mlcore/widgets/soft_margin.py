"""The soft-margin playground: drag points, turn C, change the kernel, and watch margin, support vectors, slack and both objectives."""
import numpy as np
import traitlets

from mlcore.base import check_array, check_number, check_option
from mlcore.widgets.assets import esm
from mlcore.widgets.figure import Figure

MIN_POINTS, MAX_POINTS = 2, 40  # forty points are solved and drawn within one frame of the screen
KERNELS = {"linear": "linear", "gaussian": "Gaussian"}
C_GRID = [round(c, 4) for c in (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 20, 30, 50, 100)]
WIDTHS = [0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.3, 1.6, 2.0, 2.5, 3.0, 4.0]
XLIM, YLIM = (-4.0, 4.0), (-3.2, 3.2)
ALT = ("Left: points of two classes that can be dragged, added and removed, with the boundary of a soft-margin support vector machine, "
       "its two margin lines, rings around the support vectors and, for the linear kernel, the slack of every point beyond its "
       "margin line. Right: the multiplier of every point as a share of C, and its slack.")


def example_points(name):
    """Points (n, 2) and labels (n,) of a built-in data set."""
    check_option(name, "name", tuple(EXAMPLES))
    rng = np.random.default_rng(12)
    return EXAMPLES[name](rng)


def _clouds(rng):
    X = np.vstack([rng.normal((-0.9, -0.5), 0.95, size=(12, 2)), rng.normal((0.9, 0.5), 0.95, size=(12, 2))])
    return X.clip((XLIM[0] + 0.2, YLIM[0] + 0.2), (XLIM[1] - 0.2, YLIM[1] - 0.2)).round(2), np.repeat([-1, 1], 12)


def _outlier(rng):
    X = np.vstack([rng.normal((-1.9, 0.0), 0.5, size=(9, 2)), rng.normal((1.9, 0.0), 0.5, size=(9, 2)), [[-0.7, 1.3]]])
    return X.round(2), np.r_[np.repeat([-1, 1], 9), 1]


def _five(rng):
    return np.array([[2, 1], [1, 2], [0, 0], [3, 3], [-1, 0]], float), np.array([1, 1, -1, 1, -1])


def _ring(rng):
    angle = 2 * np.pi * np.arange(12) / 12
    ring = np.column_stack([2.3 * np.cos(angle), 2.0 * np.sin(angle)]) + 0.2 * rng.normal(size=(12, 2))
    return np.vstack([0.6 * rng.normal(size=(10, 2)), ring]).round(2), np.r_[-np.ones(10, int), np.ones(12, int)]


EXAMPLES = {"two clouds": _clouds, "one outlier": _outlier, "five points": _five, "ring": _ring}


class SoftMarginPlayground(Figure):
    """A support vector machine by hand: drag, add and remove points, change C, the kernel and its bandwidth.

    The browser solves the dual by SMO, as ``mlcore.supervised.support_vector_machines.SVC`` does, and shows the primal
    and the dual value, which agree at the solution.

    Parameters
    ----------
    points, labels : (n, 2) data and n labels -1 and +1, or None for the built-in examples with a menu
    C : 0.01 to 100;  kernel : "linear" or "gaussian";  bandwidth : of the Gaussian kernel

    Attributes
    ----------
    points, labels, C, kernel, bandwidth : the current state, also after dragging in a live notebook; all can be set

    >>> playground = SoftMarginPlayground(points=[[0, 0], [1, 1], [2, 0]], labels=[-1, 1, 1], C=2)
    >>> playground.labels, playground.C
    ([-1, 1, 1], 2.0)
    """

    kind = "soft_margin"
    page_state = ("spec", "points", "labels", "C", "kernel", "bandwidth")
    _esm = esm("handles", "numerics", "soft_margin")
    points = traitlets.Any().tag(sync=True)
    labels = traitlets.Any().tag(sync=True)
    C = traitlets.Any().tag(sync=True)
    kernel = traitlets.Unicode("linear").tag(sync=True)
    bandwidth = traitlets.Any().tag(sync=True)

    def __init__(self, points=None, labels=None, *, C=1.0, kernel="linear", bandwidth=1.0, title="Where does the margin go?", **kwargs):
        if (points is None) != (labels is None):
            raise ValueError("points and labels belong together: give both or neither.")
        examples = {name: example_points(name) for name in EXAMPLES} if points is None else {}
        X, y = examples["two clouds"] if points is None else (points, labels)
        X, y = _check_points(X), _check_labels(y)
        if len(X) != len(y):
            raise ValueError(f"points has {len(X)} rows, but labels has {len(y)} entries; they must agree.")
        everything = np.vstack([np.array(X), [XLIM[0], YLIM[0]], [XLIM[1], YLIM[1]]])
        start = {"points": X, "labels": y, "C": _check_C(C), "kernel": check_option(kernel, "kernel", tuple(KERNELS)),
                 "bandwidth": _check_bandwidth(bandwidth)}
        spec = {"v": 1, "title": title, "alt": ALT, "Cs": C_GRID, "bandwidths": WIDTHS, "kernels": [[k, v] for k, v in KERNELS.items()],
                "examples": [[name, _check_points(P), _check_labels(s)] for name, (P, s) in examples.items()], "start": start,
                "xlim": _limits(everything[:, 0]), "ylim": _limits(everything[:, 1]), "limits": [MIN_POINTS, MAX_POINTS]}
        super().__init__(spec=spec, **start, **kwargs)

    @traitlets.validate("points")
    def _valid_points(self, proposal):
        return _as_trait_error(lambda: _check_points(proposal["value"]))

    @traitlets.validate("labels")
    def _valid_labels(self, proposal):
        return _as_trait_error(lambda: _check_labels(proposal["value"]))

    @traitlets.validate("C")
    def _valid_C(self, proposal):
        return _as_trait_error(lambda: _check_C(proposal["value"]))

    @traitlets.validate("kernel")
    def _valid_kernel(self, proposal):
        return _as_trait_error(lambda: check_option(proposal["value"], "kernel", tuple(KERNELS)))

    @traitlets.validate("bandwidth")
    def _valid_bandwidth(self, proposal):
        return _as_trait_error(lambda: _check_bandwidth(proposal["value"]))


def _check_points(points):
    """Points as a list of [x1, x2]."""
    array = check_array(points, name="points")
    if array.shape[1] != 2:
        raise ValueError(f"points must have two columns, the plane of the figure; got shape {array.shape}.")
    if not MIN_POINTS <= len(array) <= MAX_POINTS:
        raise ValueError(f"points must have {MIN_POINTS} to {MAX_POINTS} rows, got {len(array)}.")
    return array.tolist()


def _check_labels(labels):
    """Labels as a list of -1 and +1, both of which occur."""
    array = check_array(labels, name="labels", ndim=1)
    if set(array.tolist()) != {-1.0, 1.0}:
        raise ValueError(f"labels must be -1 or +1 and hold both, got {sorted(set(array.tolist()))}.")
    return array.astype(int).tolist()


def _check_C(value):
    return float(check_number(value, "C", low=C_GRID[0], high=C_GRID[-1]))


def _check_bandwidth(value):
    return float(check_number(value, "bandwidth", low=0.05, high=20))


def _as_trait_error(check):
    try:
        return check()
    except ValueError as error:
        raise traitlets.TraitError(str(error)) from None


def _limits(values):
    """Axis limits that hold the standard window and the data with a margin."""
    low, high = float(values.min()), float(values.max())
    return [round(low, 2), round(high, 2)]
