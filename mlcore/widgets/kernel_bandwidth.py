"""The kernel bandwidth playground: points to drag, a window to move, and the fit, weights and leave-one-out error they give."""
import numpy as np
import traitlets

from mlcore.base import check_array, check_number, check_option
from mlcore.supervised.neighbors_and_kernel_regression import KERNELS
from mlcore.widgets.assets import esm
from mlcore.widgets.figure import Figure

MIN_POINTS, MAX_POINTS = 2, 60  # the error curve of 60 points is computed within one frame of the screen
GRID = 61
NAMES = {"gaussian": "Gaussian", "epanechnikov": "Epanechnikov", "tricube": "tricube", "boxcar": "boxcar"}
FITS = {0: "local mean (Nadaraya-Watson)", 1: "local line"}


def example_points(name, n=28):
    """Points (n, 2) of a built-in data set: waves, a straight line, a jump, or a gap with a lone point."""
    check_option(name, "name", tuple(EXAMPLES))
    rng = np.random.default_rng(6)
    x, noise = np.sort(rng.uniform(0, 10, size=n)), rng.normal(size=n)
    if name == "gap and a lone point":
        x = np.sort(np.concatenate([x[: n - 1] * 0.6, [9.6]]))
    return np.column_stack([x, EXAMPLES[name](x) + 0.35 * noise]).round(2)


EXAMPLES = {
    "waves": lambda x: np.sin(1.2 * x) + 0.25 * x,
    "straight line": lambda x: 0.4 * x - 0.5,
    "jump": lambda x: np.where(x < 5, 0.0, 2.5),
    "gap and a lone point": lambda x: 1.2 + np.sin(1.5 * x),
}


class KernelBandwidthPlayground(Figure):
    """Kernel regression by hand: drag, add and remove points, drag the query, change bandwidth, kernel and order.

    The browser computes what ``mlcore.supervised.neighbors_and_kernel_regression`` computes: ``smooth`` for the curve and the fit at
    the query, ``loo_error`` for the error against bandwidth. A query with no point in its window has no fit: the curve
    has a gap. A bandwidth at which some point has no other point in its window has no leave-one-out error.

    Parameters
    ----------
    points : (n, 2) data, or None for the built-in examples with a menu
    bandwidth, query : where to begin; None takes 3% of the width of the data, and a point in its left half
    kernel, order : where to begin;  kernels, orders : what the menus offer (a menu with one entry is not shown)
    show_loo : also draw the leave-one-out error against the bandwidth
    bandwidths : (smallest, largest) of the slider; None takes 1% to 100% of the width of the data
    title, xlabel, ylabel : text

    Attributes
    ----------
    points, bandwidth, query, kernel, order : the current state, also after dragging in a live notebook; all can be set

    >>> playground = KernelBandwidthPlayground(points=[[0, 1], [1, 3], [2, 2]], order=1, kernels=("gaussian",), show_loo=False)
    >>> playground.points, playground.order
    ([[0.0, 1.0], [1.0, 3.0], [2.0, 2.0]], 1)
    """

    kind = "kernel_bandwidth"
    page_state = ("spec", "points", "bandwidth", "query", "kernel", "order")
    _esm = esm("handles", "numerics", "kernel_bandwidth")
    points = traitlets.Any().tag(sync=True)
    bandwidth = traitlets.Any().tag(sync=True)
    query = traitlets.Any().tag(sync=True)
    kernel = traitlets.Unicode("gaussian").tag(sync=True)
    order = traitlets.Int(0).tag(sync=True)

    def __init__(self, points=None, *, bandwidth=None, query=None, kernel=None, order=None, kernels=tuple(NAMES), orders=(0, 1),
                 show_loo=True, bandwidths=None, title="How wide should the window be?", xlabel="x", ylabel="y", **kwargs):
        examples = {name: example_points(name).tolist() for name in EXAMPLES} if points is None else {}
        points = _check_points(examples["waves"] if points is None else points)
        kernels, orders = tuple(kernels), tuple(orders)
        for name in kernels:
            check_option(name, "kernels", tuple(KERNELS))
        for number in orders:
            check_option(number, "orders", (0, 1))
        kernel = check_option(kernels[0] if kernel is None else kernel, "kernel", kernels)
        if order is not None and order not in orders:
            raise ValueError(f"order must be one of orders={orders}, got {order!r}.")
        order = orders[0] if order is None else order
        everything = np.concatenate([np.array(p) for p in examples.values()] or [np.array(points)])
        low, high = everything.min(axis=0), everything.max(axis=0)
        width = float(high[0] - low[0]) or 1.0
        smallest, largest = (0.01 * width, width) if bandwidths is None else bandwidths
        check_number(smallest, "bandwidths[0]", low=0, open_low=True)
        check_number(largest, "bandwidths[1]", low=smallest, open_low=True)
        grid = [_digits(h) for h in np.geomspace(smallest, largest, GRID)]
        h = min(grid, key=lambda g: abs(np.log(g / (0.03 * width)))) if bandwidth is None else bandwidth
        self._kernels, self._orders = kernels, orders
        start = {"points": points, "bandwidth": _check_bandwidth(h), "kernel": kernel, "order": order,
                 "query": _digits(low[0] + 0.3 * width, 2) if query is None else float(check_number(query, "query"))}
        spec = {"v": 1, "title": title, "alt": _describe(show_loo), "xlabel": xlabel, "ylabel": ylabel, "bandwidths": grid,
                "kernels": [[name, NAMES[name]] for name in kernels], "orders": [[number, FITS[number]] for number in orders],
                "examples": [[name, rows] for name, rows in examples.items()], "show_loo": bool(show_loo), "start": start,
                "xlim": _margin(low[0], high[0], 0.03), "ylim": _margin(low[1], high[1], 0.12), "limits": [MIN_POINTS, MAX_POINTS]}
        super().__init__(spec=spec, **start, **kwargs)

    @traitlets.validate("points")
    def _valid_points(self, proposal):
        return _as_trait_error(lambda: _check_points(proposal["value"]))

    @traitlets.validate("bandwidth")
    def _valid_bandwidth(self, proposal):
        return _as_trait_error(lambda: _check_bandwidth(proposal["value"]))

    @traitlets.validate("query")
    def _valid_query(self, proposal):
        return _as_trait_error(lambda: float(check_number(proposal["value"], "query")))

    @traitlets.validate("kernel")
    def _valid_kernel(self, proposal):
        return _as_trait_error(lambda: check_option(proposal["value"], "kernel", self._kernels))

    @traitlets.validate("order")
    def _valid_order(self, proposal):
        return _as_trait_error(lambda: check_option(proposal["value"], "order", self._orders))


def _check_points(points):
    """Points as a list of [x, y]."""
    array = check_array(points, name="points")
    if array.shape[1] != 2:
        raise ValueError(f"points must have two columns, x and y, got shape {array.shape}.")
    if not MIN_POINTS <= len(array) <= MAX_POINTS:
        raise ValueError(f"points must have {MIN_POINTS} to {MAX_POINTS} rows, got {len(array)}.")
    return array.tolist()


def _check_bandwidth(value):
    return float(check_number(value, "bandwidth", low=0, open_low=True))


def _as_trait_error(check):
    try:
        return check()
    except ValueError as error:
        raise traitlets.TraitError(str(error)) from None


def _digits(value, digits=4):
    """Round to a few significant digits: short in the page, and the same on every machine."""
    return float(f"{float(value):.{digits}g}")


def _margin(low, high, share):
    """Axis limits a little beyond the data."""
    extra = share * float(high - low) or 1.0
    return [_digits(low - extra), _digits(high + extra)]


def _describe(show_loo):
    words = ("Points that can be dragged, added and removed, with the curve of a kernel regression through them. The window at the query, "
             "which can be dragged too, is drawn below the curve, and the points grow with their weight in it.")
    return words + (" A second panel shows the leave-one-out error against the bandwidth with its minimum." if show_loo else "")
