"""Adaptation of a pretrained network to a task with few labels: linear probe, fine-tuning, training from scratch."""

import copy

import numpy as np

from mlcore.base import as_array, check_array, check_number, check_rng, label_array
from mlcore.deep.backpropagation import sqrt
from mlcore.deep.neural_networks import MLP, Linear, Module, Sequential, fit, outputs
from mlcore.foundations.gradient_descent import Adam
from mlcore.supervised.logistic_regression import one_hot
from mlcore.takes import takes


class UnitLength(Module):
    """z / |z| for each row: the direction of an embedding without its length (eq-ssl-unit).

    >>> UnitLength()(np.array([[3.0, 4.0]])).data
    array([[0.6, 0.8]])
    """

    def forward(self, x):
        """Rows of length one; a row of zeros has no direction and is refused."""
        length = sqrt((x * x).sum(axis=-1, keepdims=True))
        if not length.data.all():
            raise ValueError("a row is 0, or too small to be squared, and has no direction; scale the rows up, or give the network more "
                             "hidden units, which are not all off for the same input.")
        return x / length


def make_encoder(n_inputs, hidden=128, width=32, rng=None):
    """phi: a two-layer network whose outputs are unit vectors of ``width`` coordinates, randomly initialized.

    >>> make_encoder(100, rng=0).n_parameters
    17056
    """
    return Sequential(*MLP([n_inputs, hidden, width], rng=rng).layers, UnitLength())


@takes(n_classes="integer >= 1")
def linear_probe(features, y, n_classes, alpha=0.3):
    """W (k, m) and b (k,) that minimize sum |W phi + b - e_y|^2 + alpha |W|^2 on frozen features (eq-ssl-probe).

    >>> W, b = linear_probe(np.array([[0.0], [1], [8], [9]]), [0, 0, 1, 1], 2)
    >>> (np.array([[2.0], [7]]) @ W.T + b).argmax(axis=1)
    array([0, 1])
    """
    features = check_array(features, name="features")
    check_number(alpha, "alpha", low=0, open_low=True)
    Y = _targets(y, n_classes, len(features))
    mean = features.mean(axis=0)
    centered = features - mean
    W = np.linalg.solve(centered.T @ centered + alpha * np.eye(features.shape[1]), centered.T @ (Y - Y.mean(axis=0))).T
    return W, Y.mean(axis=0) - W @ mean


@takes(encoder=Module, W="k m", b="k")
def with_head(encoder, W, b):
    """W phi(x) + b as one network; the encoder inside it is a copy."""
    head = Linear(W.shape[1], W.shape[0], scheme="zeros")
    head.W.data[...], head.b.data[...] = W, b
    return Sequential(copy.deepcopy(encoder), head)


@takes(n_classes="integer >= 1")
def fine_tune(network, X, y, n_classes, *, epochs=30, lr=1e-3, batch_size=32, rng=None):
    """Train all weights of a copy of ``network`` on |network(x) - e_y|^2 / 2 (eq-ssl-finetune); returns the copy.

    With a pretrained encoder inside this is fine-tuning, with a random one it is training from scratch.
    """
    X = check_array(X)
    tuned = copy.deepcopy(network)
    fit(tuned, X, _targets(y, n_classes, len(X)), "squared", Adam(lr=lr), epochs=epochs, batch_size=batch_size, rng=rng)
    return tuned


@takes(network=Module, X="n ...", y="whole n")
def accuracy(network, X, y):
    """Share of rows whose largest output is that of the right class."""
    return float(np.mean(outputs(network, X).argmax(axis=1) == y))


def few_labels(y, per_class, rng=None):
    """Rows of ``per_class`` random examples of each class.

    >>> few_labels([0, 0, 0, 1, 1], 2, rng=0).shape
    (4,)
    """
    y, rng = label_array(y), check_rng(rng)
    if not len(y):
        raise ValueError("y must hold at least one label, got none.")
    check_number(per_class, "per_class", low=1, integer=True)
    classes, counts = np.unique(y, return_counts=True)
    if counts.min() < per_class:
        raise ValueError(f"class {classes[counts.argmin()]} has {counts.min()} examples, fewer than per_class={per_class}.")
    return np.concatenate([rng.choice(np.flatnonzero(y == c), per_class, replace=False) for c in classes])


def _targets(y, n_classes, n):
    """One-hot rows of labels 0..n_classes - 1, one for each of n examples."""
    y = as_array(y, "y")
    if y.shape != (n,) or y.dtype.kind not in "iu" or y.min() < 0 or y.max() >= n_classes:
        raise ValueError(f"y must hold {n} class numbers in 0..{n_classes - 1}, got {y.dtype} of shape {y.shape}.")
    return one_hot(y, n_classes)
