"""Functions of Tensors: elementwise functions, softmax, layer normalization, joining, convolution."""

import numpy as np
from scipy.special import expit, ndtr

from mlcore.base import check_number
from mlcore.deep.backpropagation.tensor import as_tensor, binary, record, restore
from mlcore.foundations.mathematics.stable import check_axis
from mlcore.takes import check_broadcast, real_numbers, takes


def elementwise(name, f, derivative, doc):
    """A function of tensors from f and its derivative, a function of x and f(x); backward by eq-bp-elementwise."""
    def function(t):
        t = as_tensor(t)
        x, y = t.data, f(t.data)
        return record(y, (t, lambda g: g * derivative(x, y)))
    function.__name__, function.__qualname__, function.__doc__ = name, name, doc
    return function


exp = elementwise("exp", np.exp, lambda x, y: y, "Exponential function.")
log = elementwise("log", np.log, lambda x, y: 1 / x, "Natural logarithm.")
sqrt = elementwise("sqrt", np.sqrt, lambda x, y: 0.5 / y, "Square root.")
tanh = elementwise("tanh", np.tanh, lambda x, y: 1 - y * y, "Hyperbolic tangent.")
sigmoid = elementwise("sigmoid", expit, lambda x, y: y * (1 - y), "Logistic function 1 / (1 + exp(-x)), without overflow.")
relu = elementwise("relu", lambda x: np.maximum(x, 0), lambda x, y: x > 0, "The larger of x and 0; its derivative at 0 is taken to be 0.")
absolute = elementwise("absolute", np.abs, lambda x, y: np.sign(x), "Absolute value; its derivative at 0 is taken to be 0.")


def gelu(t):
    """x Phi(x), with the distribution function Phi of the standard normal."""
    t = as_tensor(t)
    x, below = np.maximum(t.data, -40), ndtr(t.data)  # Phi costs much more than the rest, and both directions need it

    def pull(g):
        z = np.minimum(x, 40)  # beyond 40 either way the density is 0, and infinity times 0 would be NaN
        return g * (below + z * np.exp(-z * z / 2) * (2 * np.pi) ** -0.5)

    return record(x * below, (t, pull))


def clip(x, low, high):
    """x limited to [low, high]; no gradient where the limit acts."""
    if real_numbers(low, "low").ndim or real_numbers(high, "high").ndim or not low <= high:
        raise ValueError(f"clip needs low <= high, got {low} and {high}.")
    return elementwise("clip", lambda x: np.clip(x, low, high), lambda x, y: (x >= low) & (x <= high), clip.__doc__)(x)


def where(condition, x, y):
    """x where ``condition`` (an array of truth values) holds, else y."""
    condition, x, y = as_tensor(condition).data != 0, as_tensor(x, y), as_tensor(y, x)
    check_broadcast(condition.shape, x.shape, y.shape)
    return binary(lambda x, y: np.where(condition, x, y), lambda g, x, y: g * condition, lambda g, x, y: g * ~condition)[0](x, y)


def maximum(x, y):
    """The larger of two, entry by entry; where they are equal each receives half of the gradient."""
    return binary(np.maximum, lambda g, x, y: g * (x > y) + g * (x == y) / 2, lambda g, x, y: g * (x < y) + g * (x == y) / 2)[0](x, y)


def _along(x, axis):
    """``x`` as a tensor that has this axis and at least one entry."""
    x = as_tensor(x)
    check_axis(axis, x)
    if x.size == 0:
        raise ValueError(f"x must hold at least one number, got a tensor of shape {x.shape}.")
    return x


# -- softmax and normalization -----------------------------------------------------------------------------------
def logsumexp(x, axis=-1, keepdims=False):
    """log of the sum of exp(x) along ``axis``, shifted so that nothing overflows; -inf is a term 0."""
    x = _along(x, axis)
    top = x.data.max(axis=axis, keepdims=True)
    e = np.exp(x.data - np.where(np.isfinite(top), top, 0).astype(x.dtype))
    total = e.sum(axis=axis, keepdims=True)
    with np.errstate(divide="ignore"):  # the logarithm of a sum without terms is -inf
        value = np.where(np.isfinite(top), np.log(total) + top, top).astype(x.dtype)
    return record(value if keepdims else value.squeeze(axis), (x, lambda g: restore(g, axis, keepdims) * (e / total)))


def softmax(x, axis=-1):
    """exp(x) / sum(exp(x)) along ``axis``; backward by eq-bp-softmax."""
    x = _along(x, axis)
    e = np.exp(x.data - x.data.max(axis=axis, keepdims=True))
    p = e / e.sum(axis=axis, keepdims=True)
    return record(p, (x, lambda g: p * (g - (g * p).sum(axis=axis, keepdims=True))))


def log_softmax(x, axis=-1):
    """Logarithm of the softmax, x - logsumexp(x)."""
    x = _along(x, axis)
    return x - logsumexp(x, axis, keepdims=True)


def layer_norm(x, gamma=None, beta=None, axis=-1, eps=1e-5):
    """beta + gamma (x - mean) / sqrt(variance + eps) along ``axis``; backward by eq-bp-layernorm."""
    x = _along(x, axis)
    check_number(eps, "eps", low=0)
    z = x.data - x.data.mean(axis=axis, keepdims=True)
    scale = 1 / np.sqrt((z * z).mean(axis=axis, keepdims=True) + eps)
    z *= scale

    def pull(g):  # scale (g - mean of g - z mean of g z), in one array
        out = g - g.mean(axis=axis, keepdims=True)
        out -= z * (g * z).mean(axis=axis, keepdims=True)
        out *= scale
        return out

    out = record(z, (x, pull))
    out = out if gamma is None else out * gamma
    return out if beta is None else out + beta


# -- joining and padding -----------------------------------------------------------------------------------------
@takes(tensors="list")
def concatenate(tensors, axis=0):
    """Join along an existing axis; each input receives its slice of the gradient."""
    tensors = [as_tensor(t) for t in tensors]
    check_number(axis, "axis", integer=True)
    for t in tensors:
        check_axis(axis, t)
    shapes = [np.delete(t.shape, axis).tolist() for t in tensors]
    if any(shape != shapes[0] for shape in shapes):
        raise ValueError(f"tensors must have equal shapes but for axis {axis}, got {[t.shape for t in tensors]}.")
    ends = np.cumsum([t.shape[axis] for t in tensors])
    pulls = [lambda g, i=i: np.split(g, ends[:-1], axis)[i] for i in range(len(tensors))]
    return record(np.concatenate([t.data for t in tensors], axis=axis), *zip(tensors, pulls))


@takes(tensors="list", axis="integer")
def stack(tensors, axis=0):
    """Join along a new axis."""
    tensors = [as_tensor(t) for t in tensors]
    for t in tensors:
        check_number(axis, "axis", low=-t.ndim - 1, high=t.ndim, integer=True)
    return concatenate([t.reshape(np.expand_dims(t.data, axis).shape) for t in tensors], axis)


@takes(widths="list")
def pad(x, widths, value=0.0):
    """Surround with a constant; ``widths`` holds one pair (before, after) per axis."""
    x, widths = as_tensor(x), [_pair(pair, "a width", 0) for pair in widths]
    check_number(value, "value")
    if len(widths) != x.ndim or min((n for pair in widths for n in pair), default=0) < 0:
        raise ValueError(f"widths must hold {x.ndim} pairs (before, after) of numbers >= 0, one per axis, got {widths}.")
    inner = tuple(slice(a, a + n) for (a, _), n in zip(widths, x.shape))
    return record(np.pad(x.data, widths, constant_values=value), (x, lambda g: g[inner]))


def _pair(value, name, low):
    """A whole number for both axes, or one for each."""
    pair = tuple(value) if isinstance(value, (tuple, list)) else (value, value)
    if len(pair) != 2:
        raise ValueError(f"{name} must be a number or a pair of numbers, got {value!r}.")
    for part in pair:
        check_number(part, name, low=low, integer=True)
    return pair


# -- convolution through im2col ----------------------------------------------------------------------------------
def unfold(x, kernel, stride=(1, 1)):
    """All patches of images as columns, (n, c, h, w) -> (n, c kh kw, rows columns); backward adds them where they lay, eq-bp-im2col."""
    x, (kh, kw), (sh, sw) = as_tensor(x), _pair(kernel, "kernel", 1), _pair(stride, "stride", 1)
    if x.ndim != 4 or x.shape[2] < kh or x.shape[3] < kw:
        raise ValueError(f"x must have shape (n, c, h, w) with h and w not below the kernel {kh, kw}, got {x.shape}.")
    patches = np.lib.stride_tricks.sliding_window_view(x.data, (kh, kw), axis=(2, 3))[:, :, ::sh, ::sw]
    (n, c, h, w), shape = patches.shape[:4], x.shape

    def pull(g):
        g, out = g.reshape(n, c, kh, kw, h, w), np.zeros(shape, g.dtype)
        for i, j in np.ndindex(kh, kw):
            out[:, :, i:i + sh * h:sh, j:j + sw * w:sw] += g[:, :, i, j]
        return out

    return record(patches.transpose(0, 1, 4, 5, 2, 3).reshape(n, c * kh * kw, h * w), (x, pull))


def conv2d(x, weight, bias=None, stride=1, padding=0):
    """Cross-correlation of images (n, c, h, w) with filters (c', c, kh, kw); stride and padding are numbers or pairs."""
    x, weight = as_tensor(x), as_tensor(weight)
    (sh, sw), (ph, pw) = _pair(stride, "stride", 1), _pair(padding, "padding", 0)
    if x.ndim != 4 or weight.ndim != 4 or x.shape[1] != weight.shape[1] or not x.size or not weight.size:
        raise ValueError(f"a convolution needs (n, c, h, w) and filters (c', c, kh, kw), in 1-D h = kh = 1; got {x.shape}, {weight.shape}.")
    if x.shape[2] + 2 * ph < weight.shape[2] or x.shape[3] + 2 * pw < weight.shape[3]:
        raise ValueError(f"with padding {ph, pw}, {x.shape} must be at least as large as the filter {weight.shape}.")
    x = pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw))) if ph or pw else x
    out = weight.reshape(weight.shape[0], -1) @ unfold(x, weight.shape[2:], (sh, sw))  # (n, c', rows * columns)
    out = out if bias is None else out + as_tensor(bias).reshape(-1, 1)
    return out.reshape(*out.shape[:2], (x.shape[2] - weight.shape[2]) // sh + 1, -1)


def conv1d(x, weight, bias=None, stride=1, padding=0):
    """Cross-correlation of sequences (n, c, length) with filters (c', c, k): a conv2d of height 1."""
    x, weight = as_tensor(x), as_tensor(weight)
    if len(x.shape) != 3 or len(weight.shape) != 3:
        raise ValueError(f"x and weight must have the axes (n, c, length) and (c', c, k), got shapes {x.shape} and {weight.shape}.")
    x, weight = x[..., None, :], weight[..., None, :]
    return conv2d(x, weight, bias, (1, stride), (0, padding))[:, :, 0]
