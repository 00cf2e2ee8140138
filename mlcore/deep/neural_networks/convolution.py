"""Convolution as a module and as a matrix: Conv1D, Conv2D, the banded Toeplitz matrix of a filter."""

import numpy as np

from mlcore.base import check_array, check_number
from mlcore.deep.backpropagation import Tensor, conv1d, conv2d
from mlcore.deep.neural_networks.initialization import initial_weights
from mlcore.deep.neural_networks.modules import Module


def convolution_matrix(w, length):
    """Matrix Q with Q z = the filter w passed over z with zero padding (eq-nn-toeplitz): Q_ij = w_(j - i + l + 1), w of 2l + 1 entries.

    >>> convolution_matrix([1.0, 2.0, 3.0], 4)
    array([[2., 3., 0., 0.],
           [1., 2., 3., 0.],
           [0., 1., 2., 3.],
           [0., 0., 1., 2.]])
    """
    w = check_array(w, name="w", ndim=1)
    check_number(length, "length", low=1, integer=True)
    _check_odd(len(w), "the number of entries of w")
    reach = len(w) // 2
    offset = np.arange(length) - np.arange(length)[:, None]  # j - i
    return np.where(abs(offset) <= reach, w[np.clip(offset + reach, 0, len(w) - 1)], 0.0)


class _Convolution(Module):
    """What the two convolutions share: c_out filters on c_in channels, of k entries along each of ``n_axes`` axes."""

    n_axes, convolve = 0, None

    def __init__(self, c_in, c_out, k=3, bias=True, stride=1, padding="same", scheme="he", rng=None):
        self.c_in, self.c_out = check_number(c_in, "c_in", low=1, integer=True), check_number(c_out, "c_out", low=1, integer=True)
        self.k, self.stride = check_number(k, "k", low=1, integer=True), check_number(stride, "stride", low=1, integer=True)
        if padding == "same":
            _check_odd(k, "with padding='same' the filter size k")
            padding = k // 2
        self.padding = check_number(padding, "padding", low=0, integer=True)
        area = k**self.n_axes
        shape = (c_out, c_in) + (k,) * self.n_axes
        self.W = Tensor(initial_weights(shape, c_in * area, c_out * area, scheme, rng), requires_grad=True)
        self.b = Tensor(np.zeros(c_out), requires_grad=True) if bias else None

    def forward(self, x):
        """Filtered channels."""
        if x.ndim != self.n_axes + 2 or x.shape[1] != self.c_in:
            wanted = "(n, channels, length)" if self.n_axes == 1 else "(n, channels, height, width)"
            raise ValueError(f"this layer takes {wanted} with {self.c_in} channels, but the input has shape {x.shape}.")
        return type(self).convolve(x, self.W, self.b, stride=self.stride, padding=self.padding)

    def _shown(self):
        extra = [f"stride={self.stride}"] * (self.stride != 1) + ["bias=False"] * (self.b is None)
        return [str(self.c_in), str(self.c_out), f"k={self.k}", f"padding={self.padding}", *extra]


class Conv1D(_Convolution):
    """Filters passed along a sequence, (n, c_in, length) -> (n, c_out, length) (eq-nn-channels).

    Parameters
    ----------
    c_in, c_out : channels in and out;  k : entries of a filter;  stride : step of the filter
    padding : zeros at both ends, or "same": (k - 1) / 2 of them, which keeps the length (k odd)
    bias, scheme, rng : as in Linear

    Attributes
    ----------
    W : (c_out, c_in, k);  b : (c_out,) or None

    >>> Conv1D(3, 16, k=3, rng=0).n_parameters          # 3 * 3 * 16 weights and 16 biases
    160
    """

    n_axes, convolve = 1, staticmethod(conv1d)


class Conv2D(_Convolution):
    """Square filters passed over images, (n, c_in, height, width) -> (n, c_out, height, width) (eq-nn-conv2d).

    The parameters are those of :class:`Conv1D`; W has the shape (c_out, c_in, k, k).

    >>> Conv2D(1, 8, k=3, rng=0)(np.zeros((5, 1, 8, 8))).shape
    (5, 8, 8, 8)
    """

    n_axes, convolve = 2, staticmethod(conv2d)


def _check_odd(k, name):
    if k % 2 == 0:
        raise ValueError(f"{name} must be odd, so that the filter has a middle, got {k}.")
