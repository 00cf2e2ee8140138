"""Kohonen's self-organizing map: prototypes on a lattice that learn together with their neighbors."""

import numpy as np

from mlcore.base import Estimator, check_array, check_fitted, check_items, check_number, check_option, check_range, check_rng
from mlcore.takes import takes
from mlcore.unsupervised.k_means.iteration import ClusterMixin, assign


@takes(rows="integer >= 1", columns="integer >= 1")
def lattice(rows, columns):
    """Positions of the units of a rectangular map, (rows * columns, 2)."""
    return np.array([(i, j) for i in range(rows) for j in range(columns)], dtype=float)


@takes(prototypes="k d", places="k m", x="d", rate="number >= 0", radius="number > 0")
def som_step(prototypes, places, x, rate, radius):
    """Pull every prototype toward x by rate * exp(-|place - place of the winner|^2 / radius^2), eq-km-som.

    ``places`` are the fixed positions on the lattice; pass the prototypes themselves to measure in input space.
    """
    for name, array in (("prototypes", prototypes), ("places", places), ("x", x)):
        check_range(array, name, fitted=True)
    winner = ((prototypes - x) ** 2).sum(axis=1).argmin()
    distance = np.sqrt(((places - places[winner]) ** 2).sum(axis=1))
    with np.errstate(over="ignore"):  # infinitely many radii away: no pull
        pull = rate * np.exp(-((distance / radius) ** 2))
    return prototypes + pull[:, None] * (x - prototypes)


class SelfOrganizingMap(ClusterMixin, Estimator):
    """Self-organizing map: prototypes w_u at lattice places r_u, trained by eq-km-som on one random sample at a time.

    The rate and the radius fall geometrically from their first to their last value, so the run ends by its schedule.

    Parameters
    ----------
    grid : (rows, columns) of the lattice
    n_steps : int, number of samples drawn
    rate : (first, last) learning rate
    radius : (first, last) neighborhood radius; None starts at half the longer side of the lattice
    neighborhood : "lattice" (Kohonen's), or "input" (distances between the prototypes, which makes no map)
    random_state : None, int or numpy.random.Generator

    Attributes
    ----------
    prototypes_ : (units, d);  places_ : (units, 2);  labels_ : winner of every row;  n_iter_ : int;
    history_ : quantization error, at the start and after each twentieth of the steps

    >>> som = SelfOrganizingMap(grid=(1, 4), random_state=0).fit(np.linspace(0, 1, 50)[:, None])
    >>> steps = np.diff(som.prototypes_.ravel())
    >>> bool((steps > 0).all() or (steps < 0).all())
    True
    """

    def __init__(self, grid=(5, 5), n_steps=2000, rate=(0.5, 0.02), radius=(None, 0.5), neighborhood="lattice", random_state=None):
        self.grid = grid
        self.n_steps = n_steps
        self.rate = rate
        self.radius = radius
        self.neighborhood = neighborhood
        self.random_state = random_state

    def fit(self, X, y=None):
        """Draw ``n_steps`` random rows and let the map follow each."""
        rng = check_rng(self.random_state)
        X = check_array(X)
        rows, columns = (check_number(side, "grid", low=1, integer=True) for side in check_items(self.grid, "grid", 2))
        check_number(self.n_steps, "n_steps", low=1, integer=True)
        check_option(self.neighborhood, "neighborhood", ("lattice", "input"))
        check_items(self.rate, "rate", 2), check_items(self.radius, "radius", 2)
        first_radius = max(rows, columns) / 2 if self.radius[0] is None else self.radius[0]
        rates = self._schedule("rate", self.rate[0], self.rate[1], high=1)
        radii = self._schedule("radius", first_radius, self.radius[1])
        self.places_ = lattice(rows, columns)
        w = X[rng.integers(len(X), size=rows * columns)]
        report = max(1, self.n_steps // 20)
        self.history_ = []
        for t, row in enumerate(rng.integers(len(X), size=self.n_steps)):
            if t % report == 0:
                self.history_.append(_mean_distance(X, w))
            w = som_step.core(w, self.places_ if self.neighborhood == "lattice" else w, X[row], rates[t], radii[t])
        self.history_.append(_mean_distance(X, w))
        self.prototypes_, self.n_iter_ = w, self.n_steps
        self.labels_ = assign.core(X, w)[0]
        return self

    def _schedule(self, name, first, last, high=None):
        """Geometric sequence from ``first`` to ``last``."""
        for value in (first, last):
            check_number(value, name, low=0, high=high, open_low=True)
        return np.geomspace(first, last, self.n_steps)

    def predict(self, X):
        """Index of the winning unit of every row (row by row over the lattice)."""
        check_fitted(self, "prototypes_")
        return assign.core(check_array(X, n_features=self.prototypes_.shape[1]), self.prototypes_)[0]

    def transform(self, X):
        """Lattice position of the winner of every row, (n, 2): the map as a dimension reduction."""
        winners = self.predict(X)
        return self.places_[winners]

    def quantization_error(self, X):
        """Mean distance of the rows to their winners."""
        check_fitted(self, "prototypes_")
        return _mean_distance(check_array(X, n_features=self.prototypes_.shape[1]), self.prototypes_)

    def topographic_error(self, X):
        """Share of the rows whose two best units are not neighbors on the lattice (diagonal ones count as neighbors)."""
        check_fitted(self, "prototypes_")
        X = check_array(X, n_features=self.prototypes_.shape[1])
        if len(self.prototypes_) < 2:
            return 0.0                                     # there is no second best unit
        squared = ((X[:, None] - self.prototypes_) ** 2).sum(axis=2)
        first, second = np.argsort(squared, axis=1, kind="stable")[:, :2].T
        return float(np.mean(np.abs(self.places_[first] - self.places_[second]).max(axis=1) > 1))

    def u_matrix(self):
        """Mean distance of each prototype to those beside, above and below it, in the shape of the grid."""
        check_fitted(self, "prototypes_")
        beside = np.abs(self.places_[:, None] - self.places_).sum(axis=2) == 1
        gap = np.sqrt(((self.prototypes_[:, None] - self.prototypes_) ** 2).sum(axis=2))
        return ((gap * beside).sum(axis=1) / np.maximum(beside.sum(axis=1), 1)).reshape(self.grid)


def _mean_distance(X, prototypes):
    """Mean distance of the rows to the nearest prototype."""
    return float(np.sqrt(assign.core(X, prototypes)[1]).mean())
