"""The shattering game: place points, label them, and see which labelings a straight line can produce."""
import numpy as np
import traitlets

from mlcore.base import check_array, check_option, check_signs
from mlcore.generalization import learning_theory as lt
from mlcore.widgets.assets import esm
from mlcore.widgets.figure import Figure

XLIM, YLIM = (-3.0, 3.0), (-2.4, 2.4)
GRID = 10                 # points sit on multiples of 1/10, so that the page can decide with whole numbers, exactly
POINTS_MAX = 6
ARRANGEMENTS = {
    "three": ("three points", [[-1.5, -1.0], [1.6, -1.2], [0.1, 1.4]], [1, -1, 1]),
    "collinear": ("three on a line", [[-1.8, -0.9], [0.0, 0.0], [1.8, 0.9]], [1, -1, 1]),
    "four": ("four corners", [[-1.4, 1.1], [1.3, 1.3], [1.5, -1.2], [-1.3, -1.1]], [1, -1, 1, -1]),
    "inside": ("one inside a triangle", [[-2.0, -1.4], [2.0, -1.5], [0.0, 1.8], [0.1, -0.3]], [1, 1, 1, -1]),
    "five": ("five points", [[0.0, 1.9], [1.9, 0.6], [1.2, -1.6], [-1.2, -1.6], [-1.9, 0.6]], [1, 1, -1, 1, -1]),
    "six": ("six points", [[0.1, 2.0], [2.0, 1.0], [1.7, -1.3], [-0.2, -2.0], [-2.1, -0.9], [-1.6, 1.2]], [1, 1, 1, -1, -1, -1]),
}
ALT = ("Left: up to six movable points in the plane, labeled plus or minus, with a separating line if there is one; otherwise the "
       "crossing segments or the triangle that make it impossible. Right: all labelings of the points as small pictures, marked "
       "as possible or impossible, and how many there are of each.")


class ShatteringPlayground(Figure):
    """Which labelings of these points can a line produce? Drag points, click them to flip labels, click a picture to try it.

    Parameters
    ----------
    arrangement : "three", "collinear", "four", "inside", "five" or "six"
    points : array (n, 2) of your own, 1 to 6 points inside [-3, 3] x [-2.4, 2.4], instead of ``arrangement``;
        rounded to tenths
    labels : n labels -1 or +1; all +1 if left out with your own points

    Attributes
    ----------
    points : [[x1, x2], ...];  labels : [1, -1, ...];  arrangement : the name, or "own" after a change

    >>> game = ShatteringPlayground("four")
    >>> len(game.dichotomies()), game.separable()
    (14, False)
    """

    kind = "shattering"
    page_state = ("spec", "points", "labels", "arrangement")
    _esm = esm("handles", "numerics", "shattering")
    points = traitlets.List().tag(sync=True)
    labels = traitlets.List().tag(sync=True)
    arrangement = traitlets.Unicode().tag(sync=True)

    def __init__(self, arrangement="four", *, points=None, labels=None, **kwargs):
        check_option(arrangement, "arrangement", tuple(ARRANGEMENTS))
        if points is None:
            _, points, given = ARRANGEMENTS[arrangement]
            labels = given if labels is None else labels
        else:
            arrangement = "own"
            labels = np.ones(len(points)) if labels is None else labels
        P = _check_points(points)
        labels = check_signs(labels, P, "labels").astype(int).tolist()
        menu = {name: {"name": text, "points": at, "labels": signs} for name, (text, at, signs) in ARRANGEMENTS.items()}
        spec = {"v": 1, "title": "The shattering game", "alt": ALT, "xlim": list(XLIM), "ylim": list(YLIM), "grid": GRID, "menu": menu}
        super().__init__(spec=spec, points=P.tolist(), labels=labels, arrangement=arrangement, **kwargs)

    def dichotomies(self):
        """The labelings of the present points that a line can produce, one per row."""
        return lt.line_dichotomies(np.round(GRID * np.array(self.points)))

    def separable(self):
        """Whether a line produces the present labels."""
        return lt.linearly_separable(self.points, self.labels)


def _check_points(points):
    """Return an array (n, 2), n from 1 to 6, inside the panel, rounded to the grid."""
    P = check_array(points, name="points")
    if P.shape[1] != 2:
        raise ValueError(f"points must have two columns, the plane of the figure; got {P.shape[1]}.")
    if len(P) > POINTS_MAX:
        raise ValueError(f"points holds {len(P)} rows; the game takes at most {POINTS_MAX}.")
    if (np.abs(P) > [XLIM[1], YLIM[1]]).any():
        raise ValueError(f"points must lie in the panel, |x1| <= {XLIM[1]:g} and |x2| <= {YLIM[1]:g}.")
    return np.round(np.round(GRID * P) / GRID, 1) + 0.0
