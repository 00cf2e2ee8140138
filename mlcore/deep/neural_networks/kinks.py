"""ReLU networks of one input as piecewise linear functions: their kinks, and networks built for given ones."""

import numpy as np

from mlcore.base import check_array, check_number
from mlcore.deep.neural_networks.by_hand import TwoLayer
from mlcore.deep.neural_networks.neurons import relu
from mlcore.takes import takes


def interpolating_network(knots, values):
    """Two-layer ReLU network through the points (knots, values), linear between them (eq-nn-interpolate).

    One hidden unit per interval; left of the first knot the network is constant, right of the last it goes straight on.

    >>> from mlcore.deep.neural_networks.by_hand import two_layer_forward
    >>> net = interpolating_network([0.0, 1.0, 2.0], [0.0, 1.0, 0.0])
    >>> two_layer_forward(net, [[0.5], [1.0], [2.0]]).H.ravel()
    array([0.5, 1. , 0. ])
    """
    t, v = check_array(knots, name="knots", ndim=1, min_samples=2), check_array(values, name="values", ndim=1)
    if t.shape != v.shape:
        raise ValueError(f"there are {len(t)} knots, but {len(v)} values; they must agree.")
    if (np.diff(t) <= 0).any():
        raise ValueError("knots must increase strictly.")
    slopes = np.diff(v) / np.diff(t)
    return TwoLayer(np.ones((len(slopes), 1)), -t[:-1], np.diff(slopes, prepend=0.0)[None], v[:1])


def sawtooth_network(depth):
    """Layers (W, b) of a ReLU network that folds [0, 1] in two ``depth`` times: 2^depth teeth sides from 2 units a layer.

    Each layer is the tent 2 relu(x) - 4 relu(x - 1/2) (eq-nn-tent).

    >>> run_layers(sawtooth_network(2), [[0.0], [0.25], [0.5], [0.75], [1.0]]).ravel()
    array([0., 1., 0., 1., 0.])
    """
    check_number(depth, "depth", low=1, integer=True)
    first, shift, mix = np.array([[1.0], [1.0]]), np.array([0.0, -0.5]), np.array([[2.0, -4.0]])
    layers = [(first, shift)] + [(first @ mix, shift)] * (depth - 1)  # the tent's output goes straight into the next units
    return [*layers, (mix, np.zeros(1))]


@takes(layers="list", X="n d")
def run_layers(layers, X):
    """Outputs of a ReLU network given as a list of (W, b), the last one linear."""
    A = X
    for W, b in layers[:-1]:
        A = relu(A @ W.T + b)
    W, b = layers[-1]
    return A @ W.T + b


@takes(layers="list", tol="number >= 0")
def find_kinks(layers, low, high, tol=1e-9):
    """Places in (low, high) where a ReLU network of one input and one output changes its slope.

    Between known break points every net input of the next layer is linear, so its zero is found exactly; layer by layer
    this gives all places where some unit switches. Those at which the output keeps its slope are dropped.

    Parameters
    ----------
    layers : list of (W, b), as in :func:`run_layers`;  low, high : interval
    tol : slopes count as different if they differ by more than tol times the steepest one

    >>> find_kinks(sawtooth_network(3), 0.0, 1.0)
    array([0.125, 0.25 , 0.375, 0.5  , 0.625, 0.75 , 0.875])
    """
    if layers[0][0].shape[1] != 1 or layers[-1][0].shape[0] != 1:
        raise ValueError(f"kinks are counted for one input and one output, but this network has {layers[0][0].shape[1]} inputs "
                         f"and {layers[-1][0].shape[0]} outputs.")
    check_number(low, "low")
    check_number(high, "high", low=low, open_low=True)
    x = np.array([low, high], float)
    for depth, (W, b) in enumerate(layers[:-1]):
        A = x[:, None]
        for V, c in layers[:depth]:
            A = relu(A @ V.T + c)
        Z = A @ W.T + b  # (break points, units), linear in between
        i, unit = np.nonzero(Z[:-1] * Z[1:] < 0)
        share = Z[i, unit] / (Z[i, unit] - Z[i + 1, unit])
        x = np.union1d(x, x[i] + share * (x[i + 1] - x[i]))
        x = x[np.concatenate([[True], np.diff(x) > 1e-12 * (high - low)])]  # one place found twice, but for rounding
    slopes = _slopes(layers, (x[:-1] + x[1:]) / 2)
    return x[1:-1][np.abs(np.diff(slopes)) > tol * np.abs(slopes).max(initial=0.0)]


def _slopes(layers, x):
    """Derivative of the output at points where no unit switches: the product of the active weights."""
    A, slope = x[:, None], np.ones((len(x), 1))
    for W, b in layers[:-1]:
        Z = A @ W.T + b
        A, slope = relu(Z), (slope @ W.T) * (Z > 0)
    return (slope @ layers[-1][0].T).ravel()
