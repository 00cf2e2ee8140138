"""Checks of the exercises of the chapter on backpropagation."""

import numpy as np

from mlcore.deep.backpropagation import Tensor, gradient_check, record, relu
from mlcore.exercises.core import exercise, expect_close
from mlcore.foundations.mathematics import numerical_gradient


@exercise("shared", wrong={
    "the two paths of b not added": (3.0, 3.0),
    "only the second path": (3.0, 5.0),
    "the values": (2.0, 3.0),
})
def shared(answer):
    """The derivatives of (a + b) b at a = 2, b = 3."""
    expect_close(answer, (3.0, 8.0), "(dJ/da, dJ/db)")
    return "right: b receives 3 through the sum and 5 through the product"


@exercise("linear_backward", wrong={
    "one example's bias gradient": lambda X, W, G: (G @ W, G.T @ X, G[0]),
    "weights not transposed back": lambda X, W, G: (G @ W, X.T @ G, G.sum(axis=0)),
    "means in the place of sums": lambda X, W, G: (G @ W, G.T @ X / len(X), G.mean(axis=0)),
})
def linear_backward(backward):
    """Backward functions of Z = X W^T + b for a batch."""
    rng = np.random.default_rng(4)
    X, W, b, G = (rng.normal(size=s) for s in ((5, 3), (2, 3), (2,), (5, 2)))
    got = backward(X, W, G)
    assert isinstance(got, tuple) and len(got) == 3, "return three arrays: for X, for W, for b"
    for value, name, f, at in (
        (got[0], "X", lambda a: (G * (a @ W.T + b)).sum(), X),
        (got[1], "W", lambda a: (G * (X @ a.T + b)).sum(), W),
        (got[2], "b", lambda a: (G * (X @ W.T + a)).sum(), b),
    ):
        expect_close(value, numerical_gradient(f, at), f"the gradient of {name}", rtol=1e-5, atol=1e-7)
    return "right, each in the shape of its variable"


@exercise("normalize_backward", wrong={
    "the length treated as a constant": lambda z, v: v / np.linalg.norm(z),
    "projected, not divided": lambda z, v: v - z * (z @ v) / (z @ z),
    "signs of v applied again": lambda z, v: np.sign(v) * (v - z * (z @ v) / (z @ z)) / np.linalg.norm(z),
    "a projection onto z": lambda z, v: z * (z @ v) / np.linalg.norm(z) ** 3,
})
def normalize_backward(backward):
    """Backward function of z / |z|."""
    rng = np.random.default_rng(6)
    for m in (4, 9):
        z, v = rng.normal(size=m), rng.normal(size=m)
        want = numerical_gradient(lambda a, v=v: v @ a / np.linalg.norm(a), z)
        expect_close(backward(z, v), want, "the gradient of z", rtol=1e-5, atol=1e-7)
    return "right, and orthogonal to z"


@exercise("conv_backward", wrong={
    "the filter not flipped": lambda w, z, v: (np.correlate(v, w, "same"), np.correlate(np.pad(z, len(w) // 2), v, "valid")),
    "both flipped": lambda w, z, v: (np.convolve(v, w, "same"), np.correlate(np.pad(z, len(w) // 2), v, "valid")[::-1]),
    "no padding in the filter's gradient": lambda w, z, v: (np.convolve(v, w, "same"), np.resize(v @ z, len(w))),
})
def conv_backward(backward):
    """Backward functions of the one-dimensional convolution with zero padding."""
    rng = np.random.default_rng(8)
    for k in (3, 5):
        w, z, v = rng.normal(size=k), rng.normal(size=8), rng.normal(size=8)
        got = backward(w, z, v)
        assert isinstance(got, tuple) and len(got) == 2, "return two arrays: for z, for w"
        want_z = numerical_gradient(lambda a, w=w, v=v: v @ np.correlate(a, w, "same"), z)
        want_w = numerical_gradient(lambda a, z=z, v=v: v @ np.correlate(z, a, "same"), w)
        expect_close(got[0], want_z, "the gradient of z", rtol=1e-5, atol=1e-7)
        expect_close(got[1], want_w, "the gradient of w", rtol=1e-5, atol=1e-7)
    return "right for filters of 3 and of 5 weights"


@exercise("cumulative_sum", wrong={
    "the gradient summed from the front": lambda x: record(np.cumsum(x.data), (x, np.cumsum)),
    "the gradient passed on": lambda x: record(np.cumsum(x.data), (x, lambda g: g)),
    "no history": lambda x: Tensor(np.cumsum(x.data)),
})
def cumulative_sum(function):
    """A new operation of the Tensor: running sums of a vector."""
    x = np.random.default_rng(3).normal(size=6)
    out = function(Tensor(x, requires_grad=True))
    assert isinstance(out, Tensor), f"the result should be a Tensor, got {type(out).__name__}"
    expect_close(out.data, np.cumsum(x), "the value")
    assert out.requires_grad, "the result has no history: build it with record(value, (x, backward function))"
    error = gradient_check(function, x)
    assert error < 1e-7, f"the backward function is wrong: gradient_check gives {error:.2g}"
    return "right"


@exercise("false_alarm", wrong={
    "no kink near": np.array([1.0, -2.0]),
    "too far from the kink": np.array([0.1, 0.2]),
})
def false_alarm(answer):
    """A point at which gradient_check rejects the right ReLU."""
    x = np.asarray(answer, float)
    error = gradient_check(relu, x)
    assert error > 0.01, f"gradient_check gives {error:.1g} there: it is satisfied with the right backward function"
    return f"right: gradient_check gives {error:.2f}, though nothing is wrong"


@exercise("checkpoints", wrong={
    "keep everything": lambda n: 1,
    "keep nothing but one module at a time": lambda n: n,
    "half": lambda n: n // 2,
})
def checkpoints(best):
    """The number of segments that needs the least memory."""
    for n in (16, 100, 900):
        s = best(n)
        assert s == int(s) and 1 <= s <= n, f"for n = {n} the number of segments must be an integer from 1 to n, got {s}"
        memory = [k + -(-n // k) for k in range(1, n + 1)]
        got = memory[int(s) - 1]
        assert got == min(memory), f"n = {n}: {int(s)} segments need {got} arrays at a time; {min(memory)} suffice"
    return "right: about 2 sqrt(n) arrays instead of n"
