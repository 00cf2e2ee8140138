"""The base of all modules, and how they are put together: parameters by name, training mode, chains, residuals."""

import abc

import numpy as np

from mlcore.deep.backpropagation import Tensor
from mlcore.takes import real_numbers


class Module(abc.ABC):
    """A function of a tensor with parameters; a subclass stores its parts as attributes and defines ``forward``.

    Parameters are the attributes that are tensors with ``requires_grad``; parts are the attributes that are modules,
    alone or in a list. They are found in the order in which ``__init__`` set them.

    >>> class Scale(Module):
    ...     def __init__(self):
    ...         self.factor = Tensor(np.array(3.0), requires_grad=True)
    ...     def forward(self, x):
    ...         return self.factor * x
    >>> Scale()(np.array([1.0, 2.0])).data, list(Scale().named_parameters())
    (array([3., 6.]), ['factor'])
    """

    training = True

    def __call__(self, x):
        """Outputs for a batch, an array or a tensor whose first axis counts the examples."""
        return self.forward(x if isinstance(x, Tensor) else Tensor(real_numbers(x, "x").astype(float, copy=False)))

    @abc.abstractmethod
    def forward(self, x):
        """What the module computes; a subclass without it cannot be made."""

    def parts(self):
        """Modules this one is made of, as pairs of a name and a module."""
        for name, value in vars(self).items():
            if isinstance(value, Module):
                yield name, value
            elif isinstance(value, (list, tuple)):
                yield from ((f"{name}.{i}", part) for i, part in enumerate(value) if isinstance(part, Module))

    def named_parameters(self):
        """Dictionary of all parameters, those of the parts included, under dotted names; shared ones appear once."""
        found = {name: value for name, value in vars(self).items() if isinstance(value, Tensor) and value.requires_grad}
        seen = {id(value) for value in found.values()}
        for part_name, part in self.parts():
            for name, value in part.named_parameters().items():
                if id(value) not in seen:
                    seen.add(id(value))
                    found[f"{part_name}.{name}"] = value
        return found

    def parameters(self):
        """List of all parameters, in the order of :meth:`named_parameters`."""
        return list(self.named_parameters().values())

    @property
    def n_parameters(self):
        """Number of trainable numbers."""
        return sum(p.data.size for p in self.parameters())

    def zero_grad(self):
        """Forget the gradients of all parameters."""
        for p in self.parameters():
            p.grad = None
        return self

    def train(self, mode=True):
        """Switch this module and its parts to training (or back): dropout drops only then."""
        self.training = bool(mode)
        for _, part in self.parts():
            part.train(mode)
        return self

    def eval(self):
        """Switch to prediction, the opposite of :meth:`train`."""
        return self.train(False)

    def state(self):
        """Copy of the values of all parameters, by name."""
        return {name: p.data.copy() for name, p in self.named_parameters().items()}

    def load_state(self, state):
        """Put values, as from :meth:`state`, into the parameters; all of them or, if something does not fit, none."""
        params = self.named_parameters()
        if state.keys() != params.keys():
            missing, extra = sorted(params.keys() - state.keys()), sorted(state.keys() - params.keys())
            raise ValueError(f"the values do not belong to this network: missing {missing or 'none'}, unknown {extra or 'none'}.")
        for name, p in params.items():
            if np.shape(state[name]) != p.data.shape:
                raise ValueError(f"{name} has shape {np.shape(state[name])}, but this network needs {p.data.shape}.")
        for name, p in params.items():
            p.data[...] = state[name]
        return self

    def __repr__(self):
        """Show the structure; two modules with the same repr compute the same function of their parameters."""
        return f"{type(self).__name__}({', '.join(self._shown())})"

    def _shown(self):
        return [repr(part) for _, part in self.parts()]


class Sequential(Module):
    """Modules applied one after the other.

    >>> from mlcore.deep.neural_networks import Activation, Linear
    >>> Sequential(Linear(2, 3, rng=0), Activation("relu"), Linear(3, 1, rng=1)).n_parameters
    13
    """

    def __init__(self, *layers):
        for layer in layers:
            _check_module(layer, "every layer")
        self.layers = list(layers)

    def forward(self, x):
        """Output of the last layer."""
        for layer in self.layers:
            x = layer(x)
        return x

    def features(self, x):
        """What the last layer sees: the learned features a^[r-1] (eq-nn-features)."""
        return Sequential(*self.layers[:-1])(x)


class Residual(Module):
    """z + branch(z): the branch only learns what to add (eq-nn-residual).

    >>> from mlcore.deep.neural_networks import Linear
    >>> Residual(Linear(3, 3, scheme="zeros"))(np.ones((1, 3))).data
    array([[1., 1., 1.]])
    """

    def __init__(self, branch):
        self.branch = _check_module(branch, "branch")

    def forward(self, x):
        """Input plus branch; their shapes must agree."""
        y = self.branch(x)
        if y.shape != x.shape:
            raise ValueError(f"the branch turns shape {x.shape} into {y.shape}; a residual connection needs equal shapes.")
        return x + y


def _check_module(value, name):
    if not isinstance(value, Module):
        raise ValueError(f"{name} must be a Module, got {value!r}; wrap a function of a tensor in a subclass with a forward method.")
    return value
