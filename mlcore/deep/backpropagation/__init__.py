"""Reverse-mode automatic differentiation on numpy arrays, in less than 400 lines (blank ones aside).

:mod:`.tensor` holds the class :class:`Tensor` with arithmetic, reductions and indexing; :mod:`.operations` the functions of
tensors; :mod:`.checking` compares gradients with differences.
"""

from mlcore.deep.backpropagation.checking import gradient_check
from mlcore.deep.backpropagation.operations import (
    absolute,
    clip,
    concatenate,
    conv1d,
    conv2d,
    exp,
    gelu,
    layer_norm,
    log,
    log_softmax,
    logsumexp,
    maximum,
    pad,
    relu,
    sigmoid,
    softmax,
    sqrt,
    stack,
    tanh,
    unfold,
    where,
)
from mlcore.deep.backpropagation.tensor import Tensor, as_tensor, no_grad, record, unbroadcast

__all__ = [
    "Tensor", "absolute", "as_tensor", "clip", "concatenate", "conv1d", "conv2d", "exp", "gelu", "gradient_check", "layer_norm",
    "log", "log_softmax", "logsumexp", "maximum", "no_grad", "pad", "record", "relu", "sigmoid", "softmax", "sqrt", "stack",
    "tanh", "unbroadcast", "unfold", "where",
]
