"""FastICA: a fixed-point iteration on white data, all components together or one after another."""

import numpy as np
from scipy import linalg

from mlcore.base import check_array, check_number, check_option, check_range, check_rng, warn_not_converged
from mlcore.takes import takes
from mlcore.unsupervised.ica.unmixing import _Unmixing

ALGORITHMS = ("symmetric", "deflation")


def _logcosh(Y):
    """G = log cosh, g = tanh; works in place."""
    np.tanh(Y, out=Y)
    return Y, 1 - np.einsum("...i,...i->...", Y, Y) / Y.shape[-1]


def _exp(Y):
    """G = -exp(-y^2/2), g = y exp(-y^2/2)."""
    squares = Y * Y
    e = np.exp(-0.5 * squares)
    mean = (e.sum(axis=-1) - np.einsum("...i,...i->...", squares, e)) / Y.shape[-1]
    Y *= e
    return Y, mean


def _cube(Y):
    """G = y^4/4, g = y^3."""
    squares = Y * Y
    mean = 3 * squares.mean(axis=-1)
    Y *= squares
    return Y, mean


# name -> function that turns the projections y, in place, into g(y) and also returns the mean of g'(y) along the last axis
CONTRASTS = {"logcosh": _logcosh, "exp": _exp, "cube": _cube}


@takes(W="k m")
def decorrelate(W):
    """(W W^T)^{-1/2} W, the orthogonal matrix nearest to W (eq-ic-decorrelate).

    >>> decorrelate(np.array([[2.0, 0.0], [0.0, -3.0]]))
    array([[ 1.,  0.],
           [ 0., -1.]])
    """
    check_range(W, "W", fitted=True)
    values, vectors = linalg.eigh(W @ W.T, check_finite=False)
    values = np.maximum(values, np.finfo(float).tiny)  # a row that vanished must not divide by zero
    return (vectors / np.sqrt(values)) @ vectors.T @ W


@takes(Z="k n", W="k k", contrast=CONTRASTS, tol="number >= 0", max_iter="integer >= 1")
def fastica_symmetric(Z, W, contrast="logcosh", tol=1e-4, max_iter=200):
    """Move all rows of W by E[z g(w^T z)] - E[g'(w^T z)] w, then decorrelate (eq-ic-fixed-point, eq-ic-decorrelate).

    Parameters
    ----------
    Z : (k, n) white data, one signal a row
    W : (k, k) start

    Returns
    -------
    W : (k, k) orthogonal
    history : largest | |w_new^T w_old| - 1 | of each iteration; the last is below tol if the iteration converged
    """
    check_range(Z, "Z", fitted=True)
    contrast, n = CONTRASTS[contrast], Z.shape[1]
    W, history = decorrelate.core(W), []
    while len(history) < max_iter and (not history or history[-1] >= tol):
        g, slope = contrast(W @ Z)  # (k, n), (k,)
        new = decorrelate.core(g @ Z.T / n - slope[:, None] * W)
        history.append(float(np.abs(np.abs((new * W).sum(axis=1)) - 1).max()))
        W = new
    return W, history


@takes(Z="k n", W="k k", contrast=CONTRASTS, tol="number >= 0", max_iter="integer >= 1")
def fastica_deflation(Z, W, contrast="logcosh", tol=1e-4, max_iter=200):
    """Find the rows one after another, each kept orthogonal to those before it; arguments as in the symmetric form.

    Returns
    -------
    W : (k, k) orthogonal
    histories : one list per component
    """
    check_range(Z, "Z", fitted=True)
    check_range(W, "W")
    if not W.any(axis=1).all():
        raise ValueError(f"row {int(W.any(axis=1).argmin())} of W is 0; every component needs a direction to start from.")
    contrast, (k, n) = CONTRASTS[contrast], Z.shape
    found, histories = np.zeros((k, k)), []
    for j in range(k):
        w, history = W[j] / np.linalg.norm(W[j]), []
        while len(history) < max_iter and (not history or history[-1] >= tol):
            g, slope = contrast(w @ Z)
            new = Z @ g / n - slope * w
            new = new - found[:j].T @ (found[:j] @ new)
            new = new / np.linalg.norm(new)
            history.append(float(abs(abs(new @ w) - 1)))
            w = new
        found[j] = w
        histories.append(history)
    return found, histories


class FastICA(_Unmixing):
    """FastICA: the orthogonal W for which the projections of the white data are least Gaussian (eq-ic-fixed-point).

    Parameters
    ----------
    n_components : number of sources, None for one per channel
    contrast : "logcosh", "exp" or "cube" (kurtosis)
    algorithm : "symmetric" or "deflation"
    max_iter, tol : stop when every row turns by less than tol, measured by 1 - |w_new^T w_old|
    init : (k, k) start in the whitened coordinates, None for a random one
    random_state : draws the start

    Attributes
    ----------
    components_ : (k, d) unmixing matrix, sources are (x - mean_) W^T and have variance 1;  mixing_ : (d, k)
    whitening_, rotation_ : (k, d), (k, k), the two factors of components_ = rotation_ @ whitening_
    history_ : change in each iteration (a list per component for "deflation");  n_iter_ (the largest count), converged_

    >>> S = np.random.default_rng(0).uniform(-1, 1, size=(4000, 2))
    >>> A = np.array([[1.0, 0.6], [0.4, 1.0]])
    >>> from mlcore.unsupervised.ica.measures import amari_distance
    >>> amari_distance(FastICA(random_state=0).fit(S @ A.T).components_, A) < 0.03
    True
    """

    def __init__(self, n_components=None, contrast="logcosh", algorithm="symmetric", max_iter=200, tol=1e-4, init=None,
                 random_state=None):
        self.n_components = n_components
        self.contrast = contrast
        self.algorithm = algorithm
        self.max_iter = max_iter
        self.tol = tol
        self.init = init
        self.random_state = random_state

    def _separate(self, Z):
        rng = check_rng(self.random_state)
        check_option(self.contrast, "contrast", tuple(CONTRASTS))
        check_option(self.algorithm, "algorithm", ALGORITHMS)
        check_number(self.max_iter, "max_iter", low=1, integer=True)
        check_number(self.tol, "tol", low=0, open_low=True)
        k = Z.shape[1]
        start = rng.normal(size=(k, k)) if self.init is None else check_array(self.init, name="init")
        if start.shape != (k, k):
            raise ValueError(f"init must have shape ({k}, {k}), one row per component; got {start.shape}.")
        if np.linalg.matrix_rank(start) < k:
            raise ValueError("init is singular; its rows must be linearly independent.")
        run = fastica_symmetric if self.algorithm == "symmetric" else fastica_deflation
        W, self.history_ = run(np.ascontiguousarray(Z.T), start, self.contrast, self.tol, self.max_iter)
        histories = [self.history_] if self.algorithm == "symmetric" else self.history_
        self.n_iter_ = max(len(h) for h in histories)
        self.converged_ = all(h[-1] < self.tol for h in histories)
        if not self.converged_:
            warn_not_converged(self, "raise max_iter or tol, or look whether two sources are nearly Gaussian.")
        return W
