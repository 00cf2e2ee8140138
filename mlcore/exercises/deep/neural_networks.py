"""Checks of the exercises of the chapter on neural networks."""

import itertools

import numpy as np

from mlcore.deep.neural_networks import (
    Conv2D,
    TwoLayer,
    convolution_matrix,
    count_parameters,
    two_layer_forward,
    two_layer_gradients,
    two_layer_init,
)
from mlcore.exercises.core import exercise, expect_close


@exercise("count", wrong={
    "forgets the biases": (64 * 64 + 64 * 64 + 64 * 10, 3 * 16 * 5 * 5),
    "one bias for the whole layer": (count_parameters([64, 64, 64, 10]), 3 * 16 * 5 * 5 + 1),
    "a filter shared by the channels": (count_parameters([64, 64, 64, 10]), 16 * 5 * 5 + 16),
    "counts neurons": (138, 16),
})
def count(answer):
    """Parameters of an MLP and of a convolution."""
    want = count_parameters([64, 64, 64, 10]), 3 * 16 * 25 + 16
    expect_close(answer, want, "the two counts", rtol=0, atol=0)
    return "right: every output unit and every output channel brings one bias"


def _bits():
    return np.array(list(itertools.product([0.0, 1.0], repeat=3)))


@exercise("parity", wrong={
    "parity of the first two bits": lambda: TwoLayer(np.array([[1.0, 1, 0]] * 2), np.array([0.0, -1]), np.array([[1.0, -2]]), np.zeros(1)),
    "forgets to turn up again": lambda: TwoLayer(np.ones((2, 3)), np.array([0.0, -1]), np.array([[1.0, -2]]), np.zeros(1)),
    "the sum": lambda: TwoLayer(np.ones((1, 3)), np.zeros(1), np.ones((1, 1)), np.zeros(1)),
    "too many units": lambda: TwoLayer(np.ones((4, 3)), np.array([0.0, -1, -2, -3]), np.array([[1.0, -2, 2, 0]]), np.zeros(1)),
})
def parity(build):
    """A network of three ReLU units for the parity of three bits."""
    params = TwoLayer(*(np.asarray(p, float) for p in build()))
    shapes = [p.shape for p in params]
    assert len(params.W1) <= 3, f"use at most three hidden units, you have {len(params.W1)}"
    m = len(params.W1)
    assert shapes == [(m, 3), (m,), (1, m), (1,)], f"the shapes should be {[(m, 3), (m,), (1, m), (1,)]}, got {shapes}"
    bits = _bits()
    expect_close(two_layer_forward(params, bits).H.ravel(), bits.sum(axis=1) % 2, "the outputs for 000, 001, ..., 111")
    return "right: each further bit costs one more kink"


@exercise("rescale", wrong={
    "forgets the bias": lambda p, j, a: _scaled(p, j, a, bias=1.0),
    "multiplies on both sides": lambda p, j, a: _scaled(p, j, a, out=a),
    "scales every unit": lambda p, j, a: TwoLayer(a * p.W1, a * p.b1, p.W2, p.b2),
    "does nothing": lambda p, j, a: p,
    "rescales all units": lambda p, j, a: TwoLayer(a * p.W1, a * p.b1, p.W2 / a, p.b2),
})
def rescale(move):
    """The rescaling of one ReLU unit that leaves the network alone."""
    rng = np.random.default_rng(4)
    params = TwoLayer(rng.normal(size=(5, 3)), rng.normal(size=5), rng.normal(size=(2, 5)), rng.normal(size=2))
    before = [p.copy() for p in params]
    X = rng.normal(size=(40, 3))
    got = TwoLayer(*move(params, 2, 7.0))
    assert all(np.array_equal(p, q) for p, q in zip(params, before)), "your function changed the caller's arrays; copy them first"
    expect_close(got.W1[2], 7 * params.W1[2], "the incoming weights of unit 2")
    expect_close(np.delete(got.W1, 2, axis=0), np.delete(params.W1, 2, axis=0), "the incoming weights of the other units")
    expect_close(two_layer_forward(got, X).H, two_layer_forward(params, X).H, "the outputs of the rescaled network")
    return "right: the same function, another point of the parameter space"


def _scaled(p, j, a, bias=None, out=None):
    W1, b1, W2, b2 = (q.copy() for q in p)
    W1[j] *= a
    b1[j] *= a if bias is None else bias
    W2[:, j] *= 1 / a if out is None else out
    return TwoLayer(W1, b1, W2, b2)


@exercise("leaky_scale", wrong={
    "He's, for the plain ReLU": lambda n, gamma: np.sqrt(2 / n),
    "the slope not squared": lambda n, gamma: np.sqrt(2 / ((1 + gamma) * n)),
    "the variance": lambda n, gamma: 2 / ((1 + gamma**2) * n),
    "for a linear layer": lambda n, gamma: np.sqrt(1 / n),
})
def leaky_scale(scale):
    """Standard deviation of the weights before a leaky ReLU."""
    for n, gamma in ((50, 0.2), (400, 0.01), (30, 1.0)):
        expect_close(scale(n, gamma), np.sqrt(2 / ((1 + gamma**2) * n)), f"the standard deviation for n = {n}, slope {gamma}")
    return "right: He's for slope 0, LeCun's for slope 1"


@exercise("dead", wrong={
    "nothing changed": lambda X, rng: two_layer_init(X.shape[1], 6, rng=rng),
    "zero output weights, units alive": lambda X, rng: two_layer_init(X.shape[1], 6, rng=rng)._replace(W2=np.zeros((1, 6))),
    "zero weights": lambda X, rng: two_layer_init(X.shape[1], 6, scheme="zeros", rng=rng)._replace(b1=np.ones(6)),
    "off for most of the data": lambda X, rng: two_layer_init(X.shape[1], 6, rng=rng)._replace(b1=np.full(6, -1.0)),
})
def dead(build):
    """A network with random weights, all of whose units are off on the data."""
    rng = np.random.default_rng(8)
    for X in (rng.normal(size=(60, 3)), 100 + 20 * rng.normal(size=(60, 3))):
        params = TwoLayer(*build(X, np.random.default_rng(0)))
        assert np.abs(params.W1).min() > 0 and np.abs(params.W2).min() > 0, "the weights should be random, none of them zero"
        Z = two_layer_forward(params, X).Z
        assert (Z < 0).all(), f"{int((Z >= 0).any(axis=0).sum())} of your {Z.shape[1]} units are still on for some example"
        _, grads = two_layer_gradients(params, X, rng.normal(size=60))
        assert not grads.W1.any() and not grads.b1.any() and not grads.W2.any(), "some weight still has a gradient"
    return "right: only the last bias still learns, and the network predicts a constant for ever"


def _conv_matrix_by_images(w, height, width):
    layer = Conv2D(1, 1, k=len(w), bias=False)
    layer.load_state({"W": np.asarray(w, float)[None, None]})
    images = np.eye(height * width).reshape(-1, 1, height, width)
    return layer(images).data.reshape(height * width, -1).T


@exercise("image_matrix", wrong={
    "a 1-D convolution along the flattened image": lambda w, h, v: convolution_matrix(np.asarray(w).ravel(), h * v),
    "the flipped filter": lambda w, h, v: _conv_matrix_by_images(np.asarray(w)[::-1, ::-1], h, v),
    "rows and columns exchanged": lambda w, h, v: _conv_matrix_by_images(np.asarray(w).T, h, v),
    "the transpose": lambda w, h, v: _conv_matrix_by_images(w, h, v).T,
})
def image_matrix(matrix):
    """The matrix of a 2-D convolution on flattened images."""
    rng = np.random.default_rng(1)
    for k, height, width in ((3, 4, 5), (5, 6, 3), (1, 2, 2)):
        w = rng.normal(size=(k, k))
        want = _conv_matrix_by_images(w, height, width)
        expect_close(matrix(w, height, width), want, f"the matrix for {height} x {width} images, k = {k}")
    return "right: blocks of Toeplitz matrices, arranged like a Toeplitz matrix"
