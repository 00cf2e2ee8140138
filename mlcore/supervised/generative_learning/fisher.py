"""Fisher's discriminant: scatters, the criterion, the direction for two classes, coordinates for many."""

import numpy as np
from scipy.linalg import eigh

from mlcore.base import Estimator, check_array, check_fitted, check_labels, check_number
from mlcore.supervised.generative_learning.gaussian import class_means, definite_factor, shrink, within_scatter
from mlcore.takes import takes


@takes(counts="k", means="k d")
def between_scatter(counts, means):
    """Scatter of the class means around the overall mean, weighted by class size, S_b, eq-ge-scatters."""
    centered = means - counts @ means / counts.sum()
    return (centered.T * counts) @ centered


@takes(w="d | d m", S_b="d d", S_w="d d")
def fisher_criterion(w, S_b, S_w):
    """Fisher's ratio J(w) = w^T S_b w / w^T S_w w of every column of w, eq-ge-criterion.

    >>> float(fisher_criterion(np.array([1.0, 0.0]), np.diag([3.0, 1.0]), np.eye(2)))
    3.0
    """
    return np.einsum("j...,j...->...", w, S_b @ w) / np.einsum("j...,j...->...", w, S_w @ w)


def fisher_direction(X, y):
    """Direction S_w^{-1} (m_1 - m_2) that maximizes Fisher's criterion for two classes, eq-ge-direction.

    >>> X = [[1, 2], [2, 3], [3, 3], [6, 5], [7, 8], [8, 7]]
    >>> (37 * fisher_direction(X, [1, 1, 1, 2, 2, 2])).round(10)
    array([-44.,  -3.])
    """
    X = check_array(X)
    classes, index = check_labels(y, X)
    if len(classes) != 2:
        raise ValueError(f"y has {len(classes)} classes; fisher_direction takes two, FisherDiscriminant any number.")
    _, means = class_means.core(X, index, 2)
    S_w = within_scatter.core(X, index, means)
    definite_factor(S_w / len(X), means, "the classes")
    return np.linalg.solve(S_w, means[0] - means[1])


class FisherDiscriminant(Estimator):
    """Coordinates in which the class means lie farthest apart for the scatter within the classes (thm-ge-fisher).

    The columns of ``scalings_`` solve S_b w = lambda S_w w, largest lambda first, with w^T S_w w = n, so that the
    classes have unit average variance along each. A new point goes to the class whose mean is nearest in these coordinates:
    with all of them this is GDA with equal class priors.

    Parameters
    ----------
    n_components : number of coordinates, at most k - 1 and at most d; None takes as many as there are
    shrinkage : s in [0, 1]; S_w becomes (1 - s) S_w + s (tr S_w / d) I. With 0 a singular S_w is refused

    Attributes
    ----------
    scalings_ : (d, n_components);  eigenvalues_ : values of Fisher's criterion;  mean_ : (d,) the overall mean;
    means_ : (k, n_components) class means in the new coordinates;  classes_ : (k,)

    >>> X = [[1, 2], [2, 3], [3, 3], [6, 5], [7, 8], [8, 7]]
    >>> model = FisherDiscriminant().fit(X, ["a", "a", "a", "b", "b", "b"])
    >>> model.transform(X).shape, model.predict([[3, 4], [6, 6]])
    ((6, 1), array(['a', 'b'], dtype='<U1'))
    """

    kind = "classifier"

    def __init__(self, n_components=None, shrinkage=0.0):
        self.n_components = n_components
        self.shrinkage = shrinkage

    def fit(self, X, y):
        """Solve the generalized eigenproblem of the two scatters."""
        check_number(self.shrinkage, "shrinkage", low=0, high=1)
        X = check_array(X, min_samples=2)
        classes, index = check_labels(y, X)
        k = len(classes)
        m = min(k - 1, X.shape[1])
        if self.n_components is not None:
            check_number(self.n_components, "n_components", low=1, high=m, integer=True)
            m = self.n_components
        counts, means = class_means.core(X, index, k)
        S_w = shrink(within_scatter.core(X, index, means), self.shrinkage)
        definite_factor(S_w / len(X), means, "the classes")
        values, vectors = eigh(between_scatter.core(counts, means), S_w, check_finite=False)
        W = vectors[:, ::-1][:, :m] * np.sqrt(len(X))
        signs = np.sign(W[np.abs(W).argmax(axis=0), np.arange(m)])  # an eigenvector has no sign: make its largest entry positive
        self.classes_ = classes
        self.scalings_, self.eigenvalues_ = W * signs, np.maximum(values[::-1][:m], 0.0)
        self.mean_ = X.mean(axis=0)
        self.means_ = (means - self.mean_) @ self.scalings_
        return self

    def transform(self, X):
        """Discriminant coordinates (n, n_components), centered at the overall mean."""
        check_fitted(self, "scalings_")
        return (check_array(X, n_features=len(self.scalings_)) - self.mean_) @ self.scalings_

    def fit_transform(self, X, y):
        """Fit and return the coordinates of the same rows."""
        return self.fit(X, y).transform(X)

    def predict(self, X):
        """The class whose mean is nearest in the discriminant coordinates: eq-ge-nearest with equal priors."""
        Z = self.transform(X)
        distance = -2 * Z @ self.means_.T + (self.means_**2).sum(axis=1)  # |z|^2 is the same for all classes
        return self.classes_[distance.argmin(axis=1)]
