"""The basic modules: linear maps, activations, layer normalization, dropout, flattening; and the MLP made of them."""

import numpy as np

from mlcore.base import check_number, check_option, check_rng
from mlcore.deep.backpropagation import Tensor, gelu, layer_norm, record, relu, sigmoid, tanh
from mlcore.deep.neural_networks.initialization import initial_weights
from mlcore.deep.neural_networks.modules import Module, Sequential
from mlcore.deep.neural_networks.neurons import ACTIVATIONS


class Linear(Module):
    """MM(z) = W z + b for each row z (eq-nn-mm).

    Parameters
    ----------
    n_in, n_out : numbers of inputs and outputs
    bias : False leaves b out
    scheme, rng : see ``initial_weights``; biases start at 0

    Attributes
    ----------
    W : (n_out, n_in);  b : (n_out,) or None

    >>> Linear(2, 1, scheme="zeros")(np.ones((3, 2))).data.ravel()
    array([0., 0., 0.])
    """

    def __init__(self, n_in, n_out, bias=True, scheme="he", rng=None):
        self.n_in, self.n_out = check_number(n_in, "n_in", low=1, integer=True), check_number(n_out, "n_out", low=1, integer=True)
        self.W = Tensor(initial_weights((n_out, n_in), n_in, n_out, scheme, rng), requires_grad=True)
        self.b = Tensor(np.zeros(n_out), requires_grad=True) if bias else None

    def forward(self, x):
        """x W' + b, with one example in each row."""
        if x.ndim < 2 or x.shape[-1] != self.n_in:
            raise ValueError(f"this layer takes rows of {self.n_in} features, but the input has shape {x.shape}.")
        y = x @ self.W.T  # (n, n_in) @ (n_in, n_out) -> (n, n_out)
        return y if self.b is None else y + self.b

    def _shown(self):
        return [str(self.n_in), str(self.n_out)] + ["bias=False"] * (self.b is None)


def _elementwise(name):
    """The activation ``name`` as a function of tensors, with the derivative of ``ACTIVATIONS``."""
    def apply(x):
        (f, df), z = ACTIVATIONS[name], x.data
        return record(f(z), (x, lambda g: g * df(z)))
    return apply


_FUNCTIONS = {**{name: _elementwise(name) for name in ACTIVATIONS}, "relu": relu, "tanh": tanh, "sigmoid": sigmoid, "gelu": gelu,
              "identity": lambda x: x}


class Activation(Module):
    """An activation function as a module, by its name in ``ACTIVATIONS``.

    >>> Activation("relu")(np.array([-1.0, 2.0])).data
    array([0., 2.])
    """

    def __init__(self, name):
        self.name = check_option(name, "activation", tuple(ACTIVATIONS))

    def forward(self, x):
        """The function, entry by entry."""
        return _FUNCTIONS[self.name](x)

    def _shown(self):
        return [repr(self.name)]


class LayerNorm(Module):
    """beta + gamma (z - mean) / sqrt(variance + eps) over the last axis (eq-nn-layer-norm).

    Parameters
    ----------
    n_features : length of the last axis
    eps : keeps a constant row finite; with 0 the scale invariance of thm-nn-scale is exact
    scalar : one gain and one shift for all coordinates, as in the notes, instead of one for each, as in practice

    Attributes
    ----------
    gamma, beta : (n_features,) or, with ``scalar``, (1,)

    >>> LayerNorm(4, eps=0.0)(np.array([[1.0, 1.0, 3.0, 3.0]])).data
    array([[-1., -1.,  1.,  1.]])
    """

    def __init__(self, n_features, eps=1e-5, scalar=False):
        self.n_features = check_number(n_features, "n_features", low=2, integer=True)
        self.eps = check_number(eps, "eps", low=0)
        size = 1 if scalar else n_features
        self.gamma = Tensor(np.ones(size), requires_grad=True)
        self.beta = Tensor(np.zeros(size), requires_grad=True)

    def forward(self, x):
        """Normalized rows, scaled and shifted."""
        if x.shape[-1:] != (self.n_features,):
            raise ValueError(f"this layer normalizes {self.n_features} features, but the input has shape {x.shape}.")
        return layer_norm(x, self.gamma, self.beta, eps=self.eps)

    def _shown(self):
        return [str(self.n_features), f"eps={self.eps}"] + ["scalar=True"] * (self.gamma.size == 1)


class Dropout(Module):
    """In training, set each entry to 0 with probability p and divide the others by 1 - p; otherwise do nothing (eq-nn-dropout).

    >>> Dropout(0.5, rng=0).eval()(np.ones(4)).data
    array([1., 1., 1., 1.])
    """

    def __init__(self, p=0.5, rng=None):
        self.p = check_number(p, "p", low=0, high=1, open_high=True)
        self.rng = check_rng(rng)

    def forward(self, x):
        """A fresh random mask at each call."""
        if not self.training or self.p == 0:
            return x
        return x * ((self.rng.random(x.shape) >= self.p) / (1 - self.p))

    def _shown(self):
        return [str(self.p)]


class Flatten(Module):
    """All axes after the first made one: (n, c, h, w) -> (n, c h w).

    >>> Flatten()(np.ones((2, 3, 4))).shape
    (2, 12)
    """

    def forward(self, x):
        """The same numbers, one row per example."""
        if not x.shape:
            raise ValueError("the input must have an axis of examples, got a single number.")
        return x.reshape(x.shape[0], int(np.prod(x.shape[1:])))


class MLP(Sequential):
    """Multi-layer perceptron: linear layers of the given sizes with an activation between them, the last one linear (eq-nn-layers).

    Parameters
    ----------
    sizes : numbers of inputs, of units of each hidden layer, of outputs
    activation : a name in ``ACTIVATIONS``
    dropout : share of each hidden layer dropped in training
    scheme : initialization, see ``initial_weights``; None takes "he" for the ReLU family and "glorot" for the others

    >>> MLP([4, 3, 1], rng=0).n_parameters
    19
    """

    def __init__(self, sizes, activation="relu", dropout=0.0, scheme=None, rng=None):
        if isinstance(sizes, str) or not hasattr(sizes, "__iter__"):
            raise TypeError(f"sizes must list the numbers of inputs, hidden units and outputs, got {sizes!r}.")
        sizes = list(sizes)
        if len(sizes) < 2:
            raise ValueError(f"sizes must name at least the inputs and the outputs, got {sizes}.")
        check_number(dropout, "dropout", low=0, high=1, open_high=True)
        rng = check_rng(rng)
        if scheme is None:
            scheme = "he" if activation in ("relu", "leaky_relu", "gelu", "softplus") else "glorot"
        layers = []
        for n_in, n_out in zip(sizes[:-2], sizes[1:-1]):
            layers += [Linear(n_in, n_out, scheme=scheme, rng=rng), Activation(activation)]
            if dropout:
                layers.append(Dropout(dropout, rng=rng))
        super().__init__(*layers, Linear(sizes[-2], sizes[-1], scheme=scheme, rng=rng))
