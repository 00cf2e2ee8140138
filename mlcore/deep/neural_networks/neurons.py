"""One neuron: net input, threshold and activation; the activation functions with their derivatives; logic gates."""

from typing import NamedTuple

import numpy as np
from scipy import special

from mlcore.base import check_array, check_number, check_option
from mlcore.foundations.mathematics import sigmoid as _sigmoid
from mlcore.takes import real_numbers, takes


class Function(NamedTuple):
    """f : the function;  df : its derivative (at a kink, the derivative from the left).  Both work elementwise on arrays."""

    f: object
    df: object


@takes(z=real_numbers)
def step(z):
    """Threshold of McCulloch and Pitts: 1 where z >= 0, else 0 (eq-nn-step)."""
    return np.where(np.isnan(z), np.nan, np.asarray(z) >= 0)[()]


@takes(z=real_numbers)
def relu(z):
    """max(z, 0) (eq-nn-relu)."""
    return np.maximum(z, 0.0)


def _relu_slope(z):
    return (np.asarray(z) > 0).astype(np.result_type(z, np.float16))


def _logistic_slope(z):
    g = _sigmoid(z)
    return g * (1 - g)


@takes(z=real_numbers)
def leaky_relu(z, slope=0.01):
    """max(z, slope z) with a slope in (0, 1): a ReLU that keeps a gradient on its left."""
    check_number(slope, "slope", low=0, high=1, open_low=True, open_high=True)
    return np.maximum(z, slope * np.asarray(z))


@takes(z=real_numbers)
def gelu(z):
    """z Phi(z), with the distribution function Phi of N(0, 1): a smooth ReLU that dips below 0 (eq-nn-gelu).

    >>> gelu(np.array([-0.75179, 0.0, 2.0])).round(5)
    array([-0.16997,  0.     ,  1.9545 ])
    """
    z = np.maximum(z, -40.0)  # Phi is 0 there already, and -inf times 0 would be NaN
    return z * special.ndtr(z).astype(z.dtype)


def _gelu_slope(z):
    z = np.clip(z, -40.0, 40.0)  # the density is 0 beyond, and infinity times 0 would be NaN
    return special.ndtr(z) + z * np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)


@takes(z=real_numbers)
def softplus(z, beta=1.0):
    """log(1 + exp(beta z)) / beta: the smooth ReLU, larger than it by at most log(2) / beta."""
    check_number(beta, "beta", low=0, open_low=True)
    z = np.asarray(z)
    with np.errstate(over="ignore"):  # exp(-infinity) is 0
        return np.maximum(z, 0.0) + np.log1p(np.exp(-np.abs(beta * z))) / beta


def _tanh_slope(z):
    return 1 - np.tanh(z) ** 2


ACTIVATIONS = {
    "relu": Function(relu, _relu_slope),
    "tanh": Function(np.tanh, _tanh_slope),
    "sigmoid": Function(_sigmoid, _logistic_slope),
    "leaky_relu": Function(leaky_relu, lambda z: np.where(np.asarray(z) > 0, 1.0, 0.01)),
    "gelu": Function(gelu, _gelu_slope),
    "softplus": Function(softplus, _sigmoid),
    "identity": Function(lambda z: np.asarray(z), np.ones_like),
}


def activation(name):
    """Look up a :class:`Function` by name.

    >>> activation("relu").f(np.array([-1.0, 2.0]))
    array([0., 2.])
    """
    return ACTIVATIONS[check_option(name, "activation", tuple(ACTIVATIONS))]


class Neuron(NamedTuple):
    """f(w . x + b): net input, then activation (eq-nn-neuron).

    w : (d,) weights;  b : bias, the negative of the threshold theta;  f : activation

    >>> Neuron(np.array([1.0, 1.0]), -2.0)([[0, 1], [1, 1]])
    array([0., 1.])
    """

    w: np.ndarray
    b: float
    f: object = step

    def net_input(self, X):
        """Weighted sum of the inputs and bias, one number per row of X."""
        return check_array(X, n_features=len(self.w)) @ self.w + self.b

    def __call__(self, X):
        """Activation value of each row of X."""
        return self.f(self.net_input(X))


GATES = {"and": ((1.0, 1.0), 2.0), "or": ((1.0, 1.0), 0.5), "not": ((-0.6,), -0.5), "nand": ((-1.0, -1.0), -1.5)}


def gate(name):
    """A threshold neuron that computes AND, OR, NOT or NAND of inputs that are 0 or 1.

    >>> gate("not")([[0], [1]])
    array([1., 0.])
    """
    w, theta = GATES[check_option(name, "name", tuple(GATES))]
    return Neuron(np.array(w), -theta)
