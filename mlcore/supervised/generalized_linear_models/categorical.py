"""The categorical distribution as an exponential family with k - 1 natural parameters; the last class is the reference.

Class numbers are 0..k-1; T(y) is the indicator vector of the first k - 1 classes, and 0 for the last (eq-gl-indicator).
"""

import numpy as np

from mlcore.base import as_array, check_same_length
from mlcore.foundations.mathematics import logsumexp, softmax
from mlcore.supervised.logistic_regression import one_hot
from mlcore.takes import takes


@takes(k="integer >= 1")
def sufficient_statistic(y, k):
    """T(y) (n, k - 1): row i is e_y, or 0 for the reference class (eq-gl-indicator).

    >>> sufficient_statistic([0, 2, 1], 3)
    array([[1., 0.],
           [0., 0.],
           [0., 1.]])
    """
    return one_hot(y, k)[:, :-1]


@takes(eta="... q")
def categorical_log_partition(eta):
    """a(eta) = log(1 + sum_i e^eta_i), over the last axis (eq-gl-categorical).

    >>> round(float(categorical_log_partition(np.zeros(2))), 4)
    1.0986
    """
    return logsumexp(_completed(eta), axis=-1)


@takes(eta="... q")
def categorical_mean(eta):
    """Gradient of a: the probabilities of all classes but the last (eq-gl-response)."""
    return softmax(_completed(eta), axis=-1)[..., :-1]


@takes(phi="... k")
def categorical_natural(phi):
    """eta_i = log(phi_i / phi_k) for the probabilities of all k classes: the canonical link (eq-gl-categorical)."""
    if (phi <= 0).any():
        raise ValueError(f"phi must hold positive probabilities, but its smallest entry is {phi.min():.6g}.")
    log_phi = np.log(phi)
    return log_phi[..., :-1] - log_phi[..., -1:]


@takes(eta="... q")
def categorical_covariance(eta):
    """Hessian of a: diag(phi) - phi phi^T, the covariance of T(y)."""
    phi = categorical_mean.core(eta)
    return phi[..., :, None] * (np.eye(phi.shape[-1]) - phi[..., None, :])


@takes(Theta="q p", X="n p")
def categorical_cost(Theta, X, y):
    """Negative log-likelihood: sum of a(eta) - eta . T(y) with eta = Theta x, Theta (k - 1, p)."""
    check_same_length(X, as_array(y, "y"))
    eta = X @ Theta.T
    return float((categorical_log_partition.core(eta) - (eta * sufficient_statistic(y, len(Theta) + 1)).sum(axis=1)).sum())


@takes(Theta="q p", X="n p")
def categorical_gradient(Theta, X, y):
    """Gradient (k - 1, p) of the cost: row l is the sum of (phi_l - 1{y = l}) x (eq-gl-softmax-gradient)."""
    check_same_length(X, as_array(y, "y"))
    return (categorical_mean.core(X @ Theta.T) - sufficient_statistic(y, len(Theta) + 1)).T @ X


@takes(Theta="q p", X="n p")
def categorical_information(Theta, X):
    """Hessian of the cost for Theta.ravel(): the sum of Cov[T(y)] (x) x x^T (eq-gl-softmax-information)."""
    q, p = Theta.shape
    phi = categorical_mean.core(X @ Theta.T)
    Z = (phi[:, :, None] * X[:, None, :]).reshape(len(X), q * p)
    information = -(Z.T @ Z)
    for c in range(q):
        block = slice(c * p, (c + 1) * p)
        information[block, block] += Z[:, block].T @ X
    return information


def _completed(eta):
    """Append the 0 of the reference class."""
    return np.concatenate([eta, np.zeros((*eta.shape[:-1], 1))], axis=-1)
