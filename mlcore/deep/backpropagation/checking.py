"""Gradients against differences: the tool that finds a wrong backward function."""

import numpy as np

from mlcore.base import check_array
from mlcore.deep.backpropagation.tensor import Tensor
from mlcore.foundations.mathematics import gradient_error
from mlcore.takes import takes


@takes(f="function")
def gradient_check(f, *inputs):
    """Largest error of the gradient of ``f`` in any input against central differences, relative to max(1, largest entry).

    ``f`` maps Tensors to a Tensor; its entries are added up with fixed random weights, so that all of them count.
    The result is about 1e-9 if the backward functions are right, and near 1 if one is wrong.

    >>> from mlcore.deep.backpropagation import tanh
    >>> gradient_check(lambda a, b: tanh(a @ b), np.eye(3), np.ones((3, 2))) < 1e-8
    True
    """
    tensors = [Tensor(check_array(x.data if isinstance(x, Tensor) else x, name="an input", ndim=None), requires_grad=True) for x in inputs]
    out = f(*tensors)
    v = np.random.default_rng(0).normal(size=out.shape)
    out.backward(v)

    def error(i, t):
        def value(a):
            return (f(*tensors[:i], Tensor(a), *tensors[i + 1:]).data * v).sum()
        return gradient_error(value, lambda a: np.zeros(t.shape) if t.grad is None else t.grad, t.data)

    return max((error(i, t) for i, t in enumerate(tensors)), default=0.0)
