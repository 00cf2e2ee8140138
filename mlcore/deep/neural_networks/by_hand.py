"""The two-layer network without any library: forward pass, losses, and the gradient derived by hand."""

from typing import NamedTuple

import numpy as np

from mlcore.base import check_array, check_number, check_option, check_rng
from mlcore.deep.neural_networks.initialization import initial_weights
from mlcore.deep.neural_networks.neurons import activation as find_activation
from mlcore.foundations.mathematics import sigmoid
from mlcore.supervised.logistic_regression import cross_entropy_logit_gradient, cross_entropy_loss, logistic_loss
from mlcore.takes import takes


class TwoLayer(NamedTuple):
    """Parameters of a network with one hidden layer: W1 (m, d), b1 (m,), W2 (k, m), b2 (k,)."""

    W1: np.ndarray
    b1: np.ndarray
    W2: np.ndarray
    b2: np.ndarray


class Forward(NamedTuple):
    """What the forward pass computes, one row per example: net inputs Z (n, m), activations A (n, m), outputs H (n, k)."""

    Z: np.ndarray
    A: np.ndarray
    H: np.ndarray


def two_layer_init(d, m, k=1, scheme="he", rng=None):
    """Random weights and zero biases.

    >>> two_layer_init(4, 3, rng=0).W1.shape
    (3, 4)
    """
    for value, name in ((d, "d"), (m, "m"), (k, "k")):
        check_number(value, name, low=1, integer=True)
    rng = check_rng(rng)
    return TwoLayer(initial_weights((m, d), d, m, scheme, rng), np.zeros(m), initial_weights((k, m), m, k, scheme, rng), np.zeros(k))


@takes(params=TwoLayer)
def two_layer_forward(params, X, activation="relu"):
    """Z = X W1' + b1, A = f(Z), H = A W2' + b2 (eq-nn-rows).

    >>> net = TwoLayer(np.eye(2), np.zeros(2), np.ones((1, 2)), np.zeros(1))
    >>> two_layer_forward(net, [[1.0, -2.0]]).H
    array([[1.]])
    """
    W1, b1, W2, b2 = params
    X = check_array(X, n_features=W1.shape[1])
    Z = X @ W1.T + b1  # (n, d) @ (d, m) -> (n, m)
    A = find_activation(activation).f(Z)
    return Forward(Z, A, A @ W2.T + b2)


def targets_like(outputs, y):
    """Targets as an array shaped like the outputs (an array or a tensor); a vector serves a network of one output.

    >>> targets_like(np.zeros((2, 1)), [3, 4])
    array([[3.],
           [4.]])
    """
    y = check_array(y, name="y", ndim=None)
    if y.ndim == 1 and outputs.ndim == 2 and outputs.shape[1] == 1:
        y = y[:, None]
    if y.shape != outputs.shape:
        raise ValueError(f"y has shape {y.shape}, but the network has outputs of shape {outputs.shape}; they must agree.")
    return y


LOSSES = ("squared", "logistic", "cross_entropy")


@takes(H="n k")
def output_loss(H, y, loss):
    """Mean loss over the rows of H and its derivative in H: (H - y) / n, and so on (eq-nn-output-error).

    "squared" is (h - y)^2 / 2 summed over outputs, "logistic" takes one logit and y in {0, 1}, "cross_entropy" a row of
    logits and class numbers.
    """
    n = len(H)
    check_option(loss, "loss", LOSSES)
    if loss == "cross_entropy":
        return float(np.mean(cross_entropy_loss(H, y))), cross_entropy_logit_gradient(H, y) / n
    y = targets_like(H, y)
    if loss == "logistic":
        return float(logistic_loss(H, y).sum() / n), (sigmoid(H) - y) / n
    return float(0.5 * ((H - y) ** 2).sum() / n), (H - y) / n


@takes(params=TwoLayer)
def two_layer_gradients(params, X, y, loss="squared", activation="relu"):
    """Mean loss and its gradient in all four arrays (thm-nn-two-layer).

    >>> net = two_layer_init(2, 3, rng=0)
    >>> value, grads = two_layer_gradients(net, np.eye(2), [0.0, 1.0])
    >>> [g.shape for g in grads]
    [(3, 2), (3,), (1, 3), (1,)]
    """
    X = check_array(X)
    Z, A, H = two_layer_forward(params, X, activation)
    value, D2 = output_loss.core(H, y, loss)  # (n, k)
    D1 = (D2 @ params.W2) * find_activation(activation).df(Z)  # (n, k) @ (k, m) -> (n, m)
    return value, TwoLayer(D1.T @ X, D1.sum(axis=0), D2.T @ A, D2.sum(axis=0))


@takes(sizes="list")
def count_parameters(sizes):
    """Number of weights and biases of a fully connected network with layers of these sizes (eq-nn-count).

    >>> count_parameters([4, 3, 1])
    19
    """
    sizes = list(sizes)
    if len(sizes) < 2:
        raise ValueError(f"sizes must name at least the inputs and the outputs, got {sizes}.")
    for size in sizes:
        check_number(size, "every size", low=1, integer=True)
    return sum((n_in + 1) * n_out for n_in, n_out in zip(sizes, sizes[1:]))
