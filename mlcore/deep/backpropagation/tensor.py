"""Reverse-mode automatic differentiation: arrays that remember how they were computed.

Every operation stores, for each input, the backward function of eq-bp-backward: given dJ/d(output), it returns
dJ/d(input). ``Tensor.backward`` calls them from the output to the inputs and adds up what arrives.
"""

import itertools

import numpy as np

from mlcore.base import as_array
from mlcore.takes import check_broadcast, real_numbers, takes

_numbers = itertools.count()  # operations are numbered as they are made, so every input has a smaller number
_recording = [True]


class no_grad:
    """Within ``with no_grad():`` nothing is recorded: results need no gradient and do not keep their inputs."""

    def __enter__(self):
        _recording.append(False)

    def __exit__(self, *exception):
        _recording.pop()


def record(value, *edges):
    """A Tensor with this value; ``edges`` are pairs (input tensor, backward function of that input).

    ``value`` must be a new array, or a view of an input's: it becomes read-only.
    """
    out = Tensor.__new__(Tensor)
    out.data = value = value if type(value) is np.ndarray else as_array(value, "value")
    if value.dtype.kind not in "biuf":
        raise TypeError(f"value must hold real numbers, got an array of type {value.dtype}.")
    edges = edges if _recording[-1] else ()
    edges = [(t, pull, None if t._edges else (t.data, fingerprint(t.data))) for t, pull in edges if t.requires_grad]
    if not edges and value.base is not None:  # a view of a parameter, perhaps, which may change
        out.data = value = value.copy()
    value.flags.writeable = False
    out.grad, out._retain, out._number, out._edges, out.requires_grad = None, False, next(_numbers), edges, bool(edges)
    return out


def as_tensor(value, like=None):
    """``value`` as a Tensor: itself, or a constant. Plain numbers and integers take the type of the Tensor ``like``."""
    if isinstance(value, Tensor):
        return value
    constant = Tensor(value)
    if isinstance(like, Tensor) and (isinstance(value, (int, float)) or np.asarray(value).dtype.kind != "f"):
        constant.data = constant.data.astype(like.dtype, copy=False)
    return constant


def binary(f, pull_x, pull_y):
    """A function of two tensors from its value f(x, y) and two backward functions of g, x and y; and the same with swapped inputs."""
    def function(a, b):
        a = as_tensor(a, b)
        b = as_tensor(b, a)
        x, y = a.data, b.data
        if x.shape != y.shape:
            check_broadcast(x.shape, y.shape)
        return record(f(x, y), (a, lambda g: pull_x(g, x, y)), (b, lambda g: pull_y(g, x, y)))
    return function, lambda a, b: function(b, a)


class Tensor:
    """An array with a gradient.

    The numbers are copied; float32 is kept, anything else becomes float64. ``data`` is the array: a parameter's
    (requires_grad=True) may be changed in place between a ``backward`` and the next forward pass, all others are
    read-only, since ``backward`` may need them. ``grad`` is dJ/d(data) or None; every ``backward`` adds to it.

    >>> w = Tensor([1.0, 2.0], requires_grad=True)
    >>> J = ((3 * w - 1) ** 2).sum()
    >>> J.backward()
    >>> J.item(), w.grad
    (29.0, array([12., 30.]))
    """

    __slots__ = ("__weakref__", "_edges", "_number", "_retain", "data", "grad", "requires_grad")
    __array_ufunc__ = None  # numpy_array * tensor is left to the Tensor

    def __init__(self, data, requires_grad=False):
        if isinstance(data, Tensor):
            raise TypeError("data is a Tensor already; use tensor.detach() for one without history.")
        array = np.array(as_array(data, "data"), order="C")
        if array.dtype.kind not in "biuf":
            raise TypeError(f"a Tensor holds real numbers, got {type(data).__name__} of type {array.dtype}.")
        self.data = array if array.dtype in (np.float32, np.float64) else array.astype(float)
        self.data.flags.writeable = self.requires_grad = bool(requires_grad)
        self.grad, self._edges, self._retain, self._number = None, (), False, next(_numbers)

    shape = property(lambda self: self.data.shape, doc="Lengths of the axes.")
    ndim = property(lambda self: self.data.ndim, doc="Number of axes.")
    size = property(lambda self: self.data.size, doc="Number of entries.")
    dtype = property(lambda self: self.data.dtype, doc="float64 or float32.")
    T = property(lambda self: self.transpose(), doc="All axes reversed.")

    def __len__(self):
        return len(self.data)

    def __repr__(self):
        return f"Tensor({np.array2string(self.data, separator=', ', prefix='Tensor(')}{', requires_grad=True' * self.requires_grad})"

    def item(self):
        """The only entry, as a Python number."""
        return self.data.item()

    def detach(self):
        """The same numbers without history: gradients stop here."""
        return record(self.data.view())

    def zero_grad(self):
        """Forget the gradient."""
        self.grad = None

    def retain_grad(self):
        """Let ``backward`` fill ``grad`` of this intermediate result too; returns the tensor."""
        self._retain = True
        return self

    # -- the backward pass --------------------------------------------------------------------------------------
    def backward(self, gradient=None):
        """Add dJ/d(leaf) to ``grad`` of every parameter on which this tensor depends, eq-bp-sweep.

        ``gradient`` is dJ/d(self); it may be left out if the tensor holds one number, J itself: then it is 1.
        """
        if not self.requires_grad:
            raise ValueError("this Tensor depends on none with requires_grad=True (or was computed under no_grad): it has no gradient.")
        if gradient is None and self.size != 1:
            raise ValueError(f"backward() starts from one number, not from shape {self.shape}: reduce it, e.g. sum(), or pass gradient=.")
        gradient = np.ones(self.shape) if gradient is None else np.asarray(gradient)
        if gradient.shape != self.shape:
            raise ValueError(f"gradient must have the shape {self.shape} of the tensor, got {gradient.shape}.")
        arrived = {self: gradient.astype(self.dtype)}
        for node in self._outputs_first():
            g = arrived.pop(node)
            if node._retain or not node._edges:
                g = g.astype(node.dtype)  # a copy: several inputs may have been given the same array
                node.grad = g if node.grad is None else node.grad + g
            for parent, pull, _ in node._edges:
                part = unbroadcast(pull(g), parent.data.shape)
                arrived[parent] = arrived[parent] + part if parent in arrived else part

    def _outputs_first(self):
        """All tensors that take part, each before its inputs; a loop, so that depth has no limit."""
        seen, stack = {self}, [self]
        while stack:
            for parent, _, mark in stack.pop()._edges:
                if mark is not None and fingerprint(mark[0]) != mark[1]:
                    raise RuntimeError(f"a parameter of shape {parent.shape} was changed in place between forward pass and backward(), "
                                       "which needs the old values; take the step after backward().")
                if parent not in seen:
                    seen.add(parent)
                    stack.append(parent)
        return sorted(seen, key=lambda node: -node._number)

    # -- arithmetic: value, backward function of the left input, backward function of the right input -----------
    __add__, __radd__ = binary(np.add, lambda g, x, y: g, lambda g, x, y: g)
    __sub__, __rsub__ = binary(np.subtract, lambda g, x, y: g, lambda g, x, y: -g)
    __mul__, __rmul__ = binary(np.multiply, lambda g, x, y: g * y, lambda g, x, y: g * x)
    __truediv__, __rtruediv__ = binary(np.divide, lambda g, x, y: g / y, lambda g, x, y: -g * x / (y * y))

    def __neg__(self):
        return self * -1

    def __pow__(self, p):
        if isinstance(p, bool) or not isinstance(p, (int, float)):
            raise TypeError(f"the exponent must be a Python number, got {type(p).__name__}; write exp(p * log(x)) for others.")
        x = self.data
        return record(x**p, (self, lambda g: g * (p * x ** (p - 1) if p else 0 * x)))

    def __matmul__(self, other):
        """Matrix product (eq-bp-matmul), batched over leading axes; a vector is a row on the left, a column on the right."""
        other = as_tensor(other, self)
        x, y = self.data, other.data
        if 0 in (x.ndim, y.ndim) or x.shape[-1] != y.shape[-2 if y.ndim > 1 else 0]:
            raise ValueError(f"shapes {x.shape} and {y.shape} do not match: the last axis of the first must fit the rows of the second.")
        if x.ndim == 1:
            return (self.reshape(1, -1) @ other)[(..., 0, slice(None)) if y.ndim > 1 else 0]
        if y.ndim == 1:
            return (self @ other.reshape(-1, 1))[..., 0]

        def pull_y(g):  # one matrix y for a batch of x: one product, instead of one for each x and their sum
            return x.reshape(-1, x.shape[-1]).T @ g.reshape(-1, g.shape[-1]) if y.ndim == 2 else x.swapaxes(-1, -2) @ g

        return record(x @ y, (self, lambda g: g @ y.swapaxes(-1, -2)), (other, pull_y))

    def __rmatmul__(self, other):
        return as_tensor(other, self) @ self

    # -- reductions ---------------------------------------------------------------------------------------------
    def sum(self, axis=None, keepdims=False):
        """Sum over ``axis`` (an int, a tuple, or None for all)."""
        shape, dtype = self.shape, self.dtype  # a repeated view of g would do, but slow down matrix products
        return record(self.data.sum(axis=axis, keepdims=keepdims), (self, lambda g: restore(g, axis, keepdims) * np.ones(shape, dtype)))

    def mean(self, axis=None, keepdims=False):
        """Mean over ``axis``."""
        return (total := self.sum(axis, keepdims)) * (total.size / self.size)

    def var(self, axis=None, keepdims=False):
        """Mean squared deviation from the mean over ``axis``, divided by the number of entries (not by one less)."""
        return ((self - self.mean(axis, keepdims=True)) ** 2).mean(axis, keepdims)

    def max(self, axis=None, keepdims=False):
        """Largest entry over ``axis``; equal largest entries share the gradient."""
        top = self.data == self.data.max(axis=axis, keepdims=True)
        share = (top / top.sum(axis=axis, keepdims=True)).astype(self.dtype)
        return record(self.data.max(axis=axis, keepdims=keepdims), (self, lambda g: restore(g, axis, keepdims) * share))

    # -- shape and selection ------------------------------------------------------------------------------------
    def reshape(self, *shape):
        """The same entries in another shape; one length may be -1."""
        old = self.data.shape
        return record(self.data.reshape(*shape), (self, lambda g: g.reshape(old)))

    def transpose(self, *axes):
        """Axes in the given order, or reversed."""
        axes = np.arange(self.ndim)[list(axes[0] if axes and np.ndim(axes[0]) else axes) or slice(None, None, -1)]
        return record(self.data.transpose(axes), (self, lambda g: g.transpose(np.argsort(axes))))

    def swapaxes(self, first, second):
        """Two axes exchanged."""
        return record(self.data.swapaxes(first, second), (self, lambda g: g.swapaxes(first, second)))

    def __getitem__(self, index):
        """Slices, integers, masks, integer arrays; an entry taken several times receives the sum of its gradients."""
        parts = index if isinstance(index, tuple) else (index,)
        once = all(part is None or part is ... or isinstance(part, (int, slice)) for part in parts)
        parts = parts if once else tuple(np.array(p) if isinstance(p, (list, np.ndarray)) else p for p in parts)  # copies
        shape = self.data.shape

        def pull(g):
            out = np.zeros(shape, g.dtype)
            if once:
                out[parts] = g
            else:
                np.add.at(out, parts, g)
            return out

        return record(self.data[parts], (self, pull))


@takes(g=real_numbers, shape=tuple)
def unbroadcast(g, shape):
    """Sum ``g`` over the axes along which an array of this ``shape`` was repeated, eq-bp-broadcast."""
    if g.shape == shape:
        return g
    extra = g.ndim - len(shape)
    if extra < 0 or any(n not in (1, m) for n, m in zip(shape, g.shape[extra:])):
        raise ValueError(f"a backward function returned an array of shape {g.shape} for an input of shape {shape}.")
    repeated = [i + extra for i, n in enumerate(shape) if n == 1]
    return g.sum(axis=(*range(extra), *repeated), keepdims=True).reshape(shape)


def restore(g, axis, keepdims):
    """Put back, with length 1, the axes that a reduction removed."""
    return g if keepdims or axis is None else np.expand_dims(g, axis)


def fingerprint(array):
    """A 64-bit hash of the bytes: another one, all but surely, after any change of the entries."""
    return hash(array.tobytes())
