"""Cross-entropy of softmax regression and its derivatives. ``Theta`` has one row per class, ``y`` the class numbers 0..k-1."""

import numpy as np

from mlcore.base import as_array, check_same_length
from mlcore.foundations.mathematics import log_softmax, softmax
from mlcore.takes import takes


@takes(k="integer >= 1")
def one_hot(y, k):
    """Indicator matrix (n, k) of class numbers 0..k-1 (eq-lg-one-hot).

    >>> one_hot([1, 0, 2], 3)
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 1.]])
    """
    return np.eye(k)[_class_numbers(y, k)]


@takes(T="n k")
def cross_entropy_loss(T, y):
    """Loss -log softmax(t)_y of each row of logits (eq-lg-ce).

    >>> cross_entropy_loss(np.array([[3.0, 1.0, -3.0]]), np.array([0])).round(5)
    array([0.12911])
    """
    y = _class_numbers(y, T.shape[1], T)  # a label -1 would silently pick the last class
    return -log_softmax(T, axis=1)[np.arange(len(y)), y]


@takes(T="n k")
def cross_entropy_logit_gradient(T, y):
    """Gradient of the loss in the logits, row by row: softmax(t) - e_y (eq-lg-ce-gradient)."""
    return softmax(T, axis=1) - np.eye(T.shape[1])[_class_numbers(y, T.shape[1], T)]


@takes(Theta="k p", X="n p")
def softmax_cost(Theta, X, y):
    """Sum of the cross-entropies, -l(Theta) (eq-lg-softmax-cost)."""
    return float(cross_entropy_loss.core(X @ Theta.T, y).sum())


@takes(Theta="k p", X="n p")
def softmax_cost_gradient(Theta, X, y):
    """Gradient (k, p): row c is the sum of (phi_c - 1{y = c}) x (eq-lg-softmax-gradient)."""
    return cross_entropy_logit_gradient.core(X @ Theta.T, y).T @ X


@takes(Theta="k p", X="n p")
def softmax_cost_hessian(Theta, X):
    """Hessian (k p, k p) for Theta.ravel(): block (a, b) is the sum of phi_a (1{a = b} - phi_b) x x^T (eq-lg-softmax-hessian)."""
    k, p = Theta.shape
    phi = softmax(X @ Theta.T, axis=1)
    Z = (phi[:, :, None] * X[:, None, :]).reshape(len(X), k * p)
    H = -(Z.T @ Z)  # every block - sum phi_a phi_b x x^T in one product
    for c in range(k):
        block = slice(c * p, (c + 1) * p)
        H[block, block] += Z[:, block].T @ X
    return H


def _class_numbers(y, k, rows=None):
    """Labels checked to be whole numbers 0..k-1 in one row, as many as there are ``rows``."""
    y = as_array(y, "y")
    if rows is not None:
        check_same_length(rows, y)
    if y.ndim != 1 or y.dtype.kind not in "iu" or (not y.size or not (y.min() >= 0 and y.max() < k)):
        raise ValueError(f"y must hold class numbers 0..{k - 1} in one row, got {y.ravel()[:5]} of type {y.dtype}.")
    return y
