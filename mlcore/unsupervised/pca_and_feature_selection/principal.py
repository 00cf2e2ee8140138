"""Principal component analysis: by the singular value decomposition, by the smaller Gram matrix, or by random projections."""

import numbers

import numpy as np
from scipy import linalg

from mlcore.base import Estimator, check_array, check_fitted, check_flags, check_number, check_option, check_rng
from mlcore.takes import takes
from mlcore.unsupervised.pca_and_feature_selection.choosing import components_for_share

SOLVERS = ("auto", "svd", "eigh", "randomized")
LONG = 10  # "auto" squares the data when one side is this many times the other: the small Gram matrix is then cheap
LARGE = 500  # "auto" takes random projections when the longer side exceeds this,
FEW = 5  # and the shorter is at least this many times k; else the exact factorization costs little more
SAFE = 1e-5  # singular values this small, relative to the largest, are not trusted after squaring


def projected_variance(X, U):
    """Variance tr(U^T S U) of the centered rows of X along the orthonormal columns of U, with S = X^T X / n (eq-pca-variance).

    >>> round(projected_variance([[1.0, 2.0], [-1.0, -2.0]], [[0.6], [0.8]]), 4)
    4.84
    """
    X, U = _centered_and_basis(X, U)
    return float(((X @ U) ** 2).sum() / len(X))


def reconstruction_error(X, U):
    """Mean squared distance of the centered rows of X from the span of the orthonormal columns of U (eq-pca-error).

    >>> round(reconstruction_error([[1.0, 2.0], [-1.0, -2.0]], [[0.6], [0.8]]), 4)
    0.16
    """
    X, U = _centered_and_basis(X, U)
    return float(((X - X @ U @ U.T) ** 2).sum() / len(X))


def _centered_and_basis(X, U):
    X, U = check_array(X), check_array(U, name="U")
    if len(U) != X.shape[1] or np.abs(U.T @ U - np.eye(U.shape[1])).max() > 1e-8:
        raise ValueError(f"U must have {X.shape[1]} rows and orthonormal columns; take the Q of a QR factorization.")
    return X - X.mean(axis=0), U


@takes(components="k d")
def fix_signs(components):
    """Turn each row so that its entry of largest size is positive (the first of them, if several tie).

    >>> fix_signs(np.array([[0.6, -0.8], [-0.8, -0.6]]))
    array([[-0.6,  0.8],
           [ 0.8,  0.6]])
    """
    size = np.abs(components)
    nearly = size >= (1 - 1e-10) * size.max(axis=1, keepdims=True)  # a tie must not be decided by the last bit
    largest = components[np.arange(len(components)), nearly.argmax(axis=1)]
    return components * np.where(largest < 0, -1.0, 1.0)[:, None]


@takes(X="n d", solver=("svd", "eigh"), n_components="integer >= 1")
def principal_axes(X, solver="svd", n_components=None):
    """Singular values, largest first, and principal directions (rows) of a matrix X that is already centered (eq-pca-svd).

    ``"svd"`` factors X itself. ``"eigh"`` takes the eigenvectors of X^T X if X is tall, of X X^T if it is wide: faster for
    long shapes, but squaring halves the number of correct digits. The wide form divides by the singular values, so it
    gives way to the SVD when one of the ``n_components`` wanted is too small for that.

    Returns
    -------
    singular : (min(n, d),) all singular values
    directions : (k, d), k = min(n, d) or fewer, orthonormal rows with the signs of :func:`fix_signs`
    """
    n, d = X.shape
    k = min(n, d) if n_components is None else n_components
    if solver == "eigh":
        gram = X.T @ X if n >= d else X @ X.T
        values, vectors = linalg.eigh(gram, check_finite=False, driver="evd")
        singular = np.sqrt(np.maximum(values[::-1], 0.0))
        vectors = vectors[:, ::-1]
        if n >= d:
            return singular, fix_signs.core(vectors.T[:k])
        if singular[k - 1] > SAFE * singular[0]:
            return singular, fix_signs.core((vectors[:, :k] / singular[:k]).T @ X)  # v = X^T u / s
    if n > d:  # X = QR has the singular values and directions of R, and the left vectors are not needed
        X = linalg.qr(X, mode="r", check_finite=False)[0][:d]
    _, singular, directions = linalg.svd(X, full_matrices=False, check_finite=False)
    return singular, fix_signs.core(directions[:k])


@takes(X="n d", n_components="integer >= 1", n_iter="integer >= 0", oversample="integer >= 0", rng="rng")
def randomized_axes(X, n_components, n_iter=7, oversample=10, rng=0):
    """The first singular values and principal directions of a centered X, from its product with a random matrix (eq-pca-range).

    ``oversample`` more columns than wanted are carried along. Each of the ``n_iter`` multiplications by X X^T, a power
    iteration on all columns at once, weakens the directions beyond them by the squared ratio of singular values. An
    approximation: the singular values are never too large, and nearly equal ones are not told apart.

    Returns
    -------
    singular : (n_components,)
    directions : (n_components, d), orthonormal rows with the signs of :func:`fix_signs`
    """
    width = min(n_components + oversample, *X.shape)
    Q = _orthonormal(X @ check_rng(rng).normal(size=(X.shape[1], width)))
    for _ in range(n_iter):
        Q = _orthonormal(X @ _orthonormal(X.T @ Q))  # without it all columns would turn into the first direction
    _, singular, directions = linalg.svd(Q.T @ X, full_matrices=False, check_finite=False)
    return singular[:n_components], fix_signs.core(directions[:n_components])


def _orthonormal(Y):
    """An orthonormal basis of the span of the columns of Y."""
    return linalg.qr(Y, mode="economic", check_finite=False)[0]


@takes(tol="number >= 0", max_iter="integer >= 1")
def power_iteration(S, tol=1e-12, max_iter=10_000, rng=0):
    """Largest eigenvalue of a covariance matrix and its unit eigenvector, by u := S u / |S u| (eq-pca-power).

    Returns
    -------
    value, vector, n_iter : ``n_iter`` multiplications were needed until the vector moved by less than ``tol``
    """
    S = check_array(S, name="S")
    if S.shape[0] != S.shape[1]:
        raise ValueError(f"S must be square, got shape {S.shape}.")
    u = check_rng(rng).normal(size=len(S))
    u /= np.linalg.norm(u)
    n_iter, moved = 0, np.inf
    while moved >= tol and n_iter < max_iter:
        new = S @ u
        length = np.linalg.norm(new)
        if length == 0:
            raise ValueError("S maps the start to zero: it has no variance in any direction that could be found.")
        n_iter, moved = n_iter + 1, np.linalg.norm(new / length - u)
        u = new / length
    return float(u @ S @ u), fix_signs.core(u[None])[0], n_iter


class PCA(Estimator):
    """Principal components: orthonormal directions of largest variance, which also lose least in reconstruction.

    Scores are z = U^T (x - mean), eq-pca-scores; a reconstruction is mean + U z.

    Parameters
    ----------
    n_components : None for all min(n, d), an integer k, or a share of the variance in (0, 1) that must be reached
    whiten : divide the scores by their standard deviations, eq-pca-whiten
    solver : "svd" and "eigh" are exact, "randomized" approximates the first k (:func:`randomized_axes`). "auto" takes "eigh"
        when one side of X is ten times the other, else "randomized" when the longer side is over 500 and k at most a
        fifth of the shorter, else "svd"
    ddof : 1 divides the scatter by n - 1, as scikit-learn does, 0 by n
    random_state : seed of the randomized solver; fixed by default, so that a fit can be repeated

    Attributes
    ----------
    components_ : (k, d), one direction a row, the entry of largest size positive
    explained_variance_, explained_variance_ratio_ : (k,) variance along each, and its share of the total
    singular_values_ : (k,) of the centered data
    mean_ : (d,)
    n_components_ : k
    rank_ : number of directions in which the data vary by more than rounding; components beyond it have variance 0. The
        randomized solver looks at k directions only and counts among those

    >>> model = PCA(1, ddof=0).fit([[82, 90], [45, 92], [62, 93], [77, 86], [99, 89]])
    >>> model.components_.round(4), model.explained_variance_.round(3)
    (array([[ 0.9969, -0.0787]]), array([337.67]))
    """

    kind = "transformer"

    def __init__(self, n_components=None, whiten=False, solver="auto", ddof=1, random_state=0):
        self.n_components = n_components
        self.whiten = whiten
        self.solver = solver
        self.ddof = ddof
        self.random_state = random_state

    def fit(self, X, y=None):
        """Find the directions."""
        check_flags(self)
        self._fit(X)
        return self

    def _fit(self, X):
        X = check_array(X, min_samples=2)
        rng = check_rng(self.random_state)
        n, d = X.shape
        k = self._wanted(n, d)
        solver = self._solver(n, d, k)
        check_number(self.ddof, "ddof", low=0, high=1, integer=True)
        mean = X.mean(axis=0)
        centered = X - mean
        if solver == "randomized":
            singular, directions = randomized_axes.core(centered, k, rng=rng)
        else:
            singular, directions = principal_axes.core(centered, solver, k if isinstance(k, int) else None)
        noise = max(n, d) * np.finfo(float).eps  # rounding of the factorization, and of the mean
        relative = np.sqrt(noise) if solver == "eigh" else noise  # squaring the data halves the digits
        floor = max(relative * singular[0], noise * np.abs(mean).max())
        if singular[0] <= floor:
            raise ValueError("X has no variance: all its rows are equal, so no direction is better than another.")
        variances = singular**2 / (n - self.ddof)
        shares = variances / (np.vdot(centered, centered) / (n - self.ddof))
        if not isinstance(k, int):
            k = components_for_share(shares, k)
        self.rank_ = int((singular > floor).sum())
        if self.whiten and k > self.rank_:
            raise ValueError(f"component {self.rank_ + 1} has no variance (X has rank {self.rank_} after centering), so it cannot be "
                             f"whitened; ask for n_components <= {self.rank_}.")
        self.n_components_ = k
        self.mean_, self.components_ = mean, directions[:k]
        self.explained_variance_, self.explained_variance_ratio_ = variances[:k], shares[:k]
        self.singular_values_ = singular[:k]
        return centered

    def _solver(self, n, d, k):
        """The solver to use; "auto" is decided by the shape."""
        solver = check_option(self.solver, "solver", SOLVERS)
        if solver == "randomized" and not isinstance(k, int):
            raise ValueError('solver="randomized" finds a given number of components; for a share of the variance take "svd".')
        if solver != "auto":
            return solver
        if max(n, d) >= LONG * min(n, d):
            return "eigh"
        return "randomized" if isinstance(k, int) and max(n, d) > LARGE and FEW * k <= min(n, d) else "svd"

    def _wanted(self, n, d):
        """The number of components, or the share of the variance, that was asked for."""
        if self.n_components is None:
            return min(n, d)
        if isinstance(self.n_components, numbers.Integral):
            k = check_number(self.n_components, "n_components", low=1, integer=True)
            if k > min(n, d):
                raise ValueError(f"n_components={k}, but {n} samples of {d} features have at most {min(n, d)} components.")
            return int(k)
        name = "n_components as a share of the variance"
        return float(check_number(self.n_components, name, low=0, high=1, open_low=True, open_high=True))

    def _scores(self, centered):
        Z = centered @ self.components_.T
        return Z / np.sqrt(self.explained_variance_) if self.whiten else Z

    def transform(self, X):
        """Scores (n, k) of the rows of X."""
        check_fitted(self, "components_")
        return self._scores(check_array(X, n_features=len(self.mean_)) - self.mean_)

    def fit_transform(self, X, y=None):
        """Fit, then transform the same rows."""
        return self._scores(self._fit(X))

    def inverse_transform(self, Z):
        """Points (n, d) of the original space that have the scores Z."""
        check_fitted(self, "components_")
        Z = check_array(Z, name="Z", n_features=self.n_components_)
        return (Z * np.sqrt(self.explained_variance_) if self.whiten else Z) @ self.components_ + self.mean_
