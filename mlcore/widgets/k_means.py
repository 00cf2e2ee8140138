"""The k-means playground: place centers, take the two half-steps apart, and watch the distortion."""
import numpy as np
import traitlets

from mlcore import datasets
from mlcore.base import check_array, check_number, check_option
from mlcore.unsupervised import k_means as km
from mlcore.widgets.assets import esm
from mlcore.widgets.figure import Figure

XLIM, YLIM = (-4.4, 4.4), (-3.6, 3.6)
K_MAX, POINTS_MAX = 8, 500
STARTS = {"random": km.random_seeding, "k-means++": km.kmeans_plus_plus, "farthest": km.farthest_first}
ALT = ("Left: points in the plane, k movable centers and the regions nearest to each. Buttons assign the points to their nearest "
       "centers and move the centers to the means of their points, one half-step at a time. Right: the distortion after each "
       "half-step, which never rises, and the end points of a hundred starts.")


def playground_data():
    """The data sets of the menu: name -> (text of the menu, points (n, 2), number of clusters to begin with)."""
    rng = np.random.default_rng(11)
    blobs = datasets.make_blobs(150, centers=((-3.0, 1.9), (-2.4, -1.9), (0.3, 0.1), (2.5, 2.1), (3.0, -1.6)), spread=0.45, rng=rng)[0]
    moons = (datasets.make_moons(160, noise=0.09, rng=rng)[0] - [0.5, 0.25]) * 2.3
    rings = datasets.make_rings(160, radii=(1.0, 3.0), noise=0.12, rng=rng)[0]
    large = datasets.make_blobs(120, centers=((-0.9, 0.0),), spread=1.0, rng=rng)[0]
    small = datasets.make_blobs(36, centers=((2.7, 1.4), (2.7, -1.4)), spread=0.22, rng=rng)[0]
    uniform = rng.uniform((XLIM[0] + 0.4, YLIM[0] + 0.4), (XLIM[1] - 0.4, YLIM[1] - 0.4), size=(150, 2))
    return {"blobs": ("five blobs", blobs, 5), "moons": ("two moons", moons, 2), "rings": ("two rings", rings, 2),
            "unequal": ("one large, two small", np.vstack([large, small]), 3), "uniform": ("uniform noise", uniform, 4)}


class KMeansPlayground(Figure):
    """k-means by hand: menus of data sets and starts, draggable centers, separate *assign* and *move*.

    All state is in synced traits, so that the next cell can use what the reader drew.

    Parameters
    ----------
    data : "blobs", "moons", "rings", "unequal" or "uniform"
    points : array (n, 2) of your own, n at most 500, instead of ``data``
    k : number of clusters, 1 to 8; start : "random", "k-means++" or "farthest"; seed : of the start
    centers : array (k, 2) of your own starting centers, instead of ``start``

    Attributes
    ----------
    points : [[x1, x2], ...];  centers : likewise;  labels : cluster of every point (empty before the first assignment);
    distortion : J (None before the first assignment);  history : J after each half-step, assignments at even places;
    stage : "placed", "assigned", "moved" or "done"

    >>> playground = KMeansPlayground(points=[[0.0, 0.0], [0.0, 1.0], [3.0, 0.0]], centers=[[0.0, 0.0], [3.0, 0.0]])
    >>> playground.labels, playground.distortion
    ([0, 0, 1], 1.0)
    """

    kind = "k_means"
    page_state = ("spec", "points", "centers", "labels", "distortion", "history", "stage", "k", "data", "start", "seed")
    _esm = esm("handles", "numerics", "k_means")
    points = traitlets.List().tag(sync=True)
    centers = traitlets.List().tag(sync=True)
    labels = traitlets.List().tag(sync=True)
    distortion = traitlets.Float(None, allow_none=True).tag(sync=True)
    history = traitlets.List().tag(sync=True)
    stage = traitlets.Unicode().tag(sync=True)
    k = traitlets.Int().tag(sync=True)
    data = traitlets.Unicode().tag(sync=True)
    start = traitlets.Unicode().tag(sync=True)
    seed = traitlets.Int().tag(sync=True)

    def __init__(self, data="blobs", *, points=None, k=None, start="random", centers=None, seed=4, **kwargs):
        sets = playground_data()
        check_option(data, "data", tuple(sets))
        check_option(start, "start", tuple(STARTS))
        check_number(seed, "seed", low=0, high=2**31 - 1, integer=True)
        C = None if centers is None else _check_points(centers, "centers")
        xlim, ylim = XLIM, YLIM
        menu = {name: {"name": text, "points": _plain(values, 2), "k": count} for name, (text, values, count) in sets.items()}
        if points is not None:
            own = _check_points(points, "points")
            xlim, ylim = _limits(own if C is None else np.vstack([own, C]))
            data, menu = "own", {"own": {"name": "your points", "points": _plain(own, 6), "k": min(3, len(own))}, **menu}
        if k is None:
            k = menu[data]["k"] if C is None else len(C)
        menu[data]["k"] = check_number(k, "k", low=1, high=K_MAX, integer=True)
        spec = {"v": 1, "title": "k-means playground", "alt": ALT, "data": menu, "xlim": list(xlim), "ylim": list(ylim)}
        X = np.array(menu[data]["points"])
        if len(X) < k:
            raise ValueError(f"k={k} clusters need at least {k} points, got {len(X)}.")
        if C is not None and len(C) != k:
            raise ValueError(f"k={k}, but centers holds {len(C)} rows; leave k out, or make them agree.")
        begin = STARTS[start](X, k, np.random.default_rng(seed)) if C is None else C
        super().__init__(spec=spec, data=data, start=start if C is None else "hand", seed=seed, **kwargs)
        self.start_from(begin, points=X)

    def start_from(self, centers, points=None):
        """Begin again from these centers (and points): one assignment is made, and the figure shows it."""
        X = np.array(self.points) if points is None else _check_points(points, "points")
        C = _check_points(centers, "centers")
        if len(C) > min(K_MAX, len(X)):
            raise ValueError(f"at most {min(K_MAX, len(X))} centers are possible here, got {len(C)}.")
        C = np.array(_plain(C, 6))
        labels, squared = km.assign(X, C)
        J = round(float(squared.sum()), 6)
        with self.hold_sync():
            self.points, self.centers, self.labels, self.k = _plain(X, 6), _plain(C, 6), labels.tolist(), len(C)
            self.distortion, self.history, self.stage = J, [J], "assigned"


def _plain(values, digits):
    """Rows as lists of rounded floats, without a negative zero."""
    return (np.round(np.asarray(values, float), digits) + 0.0).tolist()


def _check_points(values, name):
    """Return an array (n, 2) of finite numbers, n at most 500."""
    array = check_array(values, name=name)
    if array.shape[1] != 2:
        raise ValueError(f"{name} must have two columns, the plane of the figure; got {array.shape[1]}.")
    if len(array) > POINTS_MAX:
        raise ValueError(f"{name} holds {len(array)} rows; the figure takes at most {POINTS_MAX}.")
    return array


def _limits(X):
    """Limits of the plane around one's own points, with a margin."""
    low, high = X.min(axis=0), X.max(axis=0)
    margin = 0.12 * np.maximum(high - low, 0.25 * max((high - low).max(), 1e-3))
    return tuple(zip(np.round(low - margin, 6).tolist(), np.round(high + margin, 6).tolist()))
