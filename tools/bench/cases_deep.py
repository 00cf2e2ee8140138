"""Automatic differentiation and neural networks beside torch and scikit-learn, all in double precision."""

import functools

import numpy as np
import torch
from sklearn import neural_network

from mlcore.deep import backpropagation as bp
from mlcore.deep import neural_networks as nn
from mlcore.foundations.gradient_descent import SGD, minibatches
from tools.bench.data import blobs, gap, gaps, growing, regression
from tools.bench.measure import case

BATCH = 64


def module(chapter, name):
    """The full name of something of a chapter of this part."""
    return f"mlcore.deep.{chapter}.{name}"


def twin(network):
    """The torch network with the weights of an MLP with ReLU."""
    weights = list(network.state().values())
    layers = []
    for W, b in zip(weights[::2], weights[1::2]):
        linear = torch.nn.Linear(W.shape[1], W.shape[0], dtype=torch.float64)
        linear.weight.data, linear.bias.data = torch.tensor(W), torch.tensor(b)
        layers += [linear, torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1])


def torch_epoch(width, n_outputs, X, y, loss):
    """One epoch of Adam from the weights and through the batches that an estimator of mlcore draws with the seed 0."""
    rng = np.random.default_rng(0)
    network = twin(nn.MLP([X.shape[1], width, width, n_outputs], rng=rng))
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    for rows in minibatches(len(X), BATCH, rng):
        optimizer.zero_grad()
        loss(network(X[rows]), y[rows]).backward()
        optimizer.step()
    return network


def estimator(kind, width):
    """An estimator of mlcore that trains for one epoch."""
    return kind((width, width), lr=1e-3, batch_size=BATCH, max_iter=1, weight_decay=0.0, random_state=0)


def parameter_gap(ours, theirs):
    """Difference of all weights and biases."""
    return gaps(*((p.data, q.detach().numpy()) for p, q in zip(ours.network_.parameters(), theirs.parameters())))


WIDTHS = growing("width", 16, 64, 256, n=2_000)


@case("MLP classifier, one epoch", module("neural_networks", "MLPClassifier"), "torch.nn.Sequential", 10, WIDTHS)
def classifier(width, n):
    X, y = blobs(n, 20, 5)
    tensors = torch.tensor(X), torch.tensor(y)
    return (lambda: estimator(nn.MLPClassifier, width).fit(X, y),
            lambda: torch_epoch(width, 5, *tensors, torch.nn.functional.cross_entropy), parameter_gap)


@case("MLP regression, one epoch", module("neural_networks", "MLPRegressor"), "torch.nn.Sequential", 10, WIDTHS)
def regressor(width, n):
    X, y = regression(n, 20)
    tensors = torch.tensor(X), torch.tensor((y - y.mean()) / y.std())
    return (lambda: estimator(nn.MLPRegressor, width).fit(X, y),
            lambda: torch_epoch(width, 1, *tensors, lambda h, y: 0.5 * torch.nn.functional.mse_loss(h[:, 0], y)), parameter_gap)


@case("MLP steps of gradient descent", module("neural_networks", "fit"), "sklearn.neural_network.MLPClassifier", 10,
      growing("n", 500, 1_500, 4_500, width=32), note="20 steps on all rows from the same weights")
def sklearn_steps(n, width):
    X, y = blobs(n, 20, 5)
    start = nn.MLP([20, width, 5], rng=0).state()

    def ours():
        network = nn.MLP([20, width, 5], rng=0)
        nn.fit(network, X, y, "cross_entropy", SGD(lr=0.5), epochs=20, batch_size=n, rng=0)
        return [p.data for p in network.parameters()[::2]]

    def theirs():
        model = neural_network.MLPClassifier((width,), solver="sgd", momentum=0, learning_rate_init=0.5, alpha=0, batch_size=n,
                                             shuffle=False)
        model.partial_fit(X[:10], y[:10], classes=range(5))
        values = list(start.values())
        for target, value in zip(model.coefs_ + model.intercepts_, [W.T for W in values[::2]] + values[1::2]):
            target[...] = value
        for _ in range(20):
            model.partial_fit(X, y)
        return [W.T for W in model.coefs_]

    return ours, theirs, lambda a, b: gaps(*zip(a, b))


@case("MLP, predict", module("neural_networks", "outputs"), "torch.nn.Sequential", 2, growing("n", 1_000, 10_000, 50_000, width=64))
def predict(n, width):
    X = regression(n, 20)[0]
    network = nn.MLP([20, width, width, 5], rng=0)
    reference, tensor = twin(network), torch.tensor(X)

    def theirs():
        with torch.no_grad():
            return reference(tensor).numpy()

    return lambda: nn.outputs(network, X), theirs, gap


def operation_case(ours, theirs, shapes):
    """Build function of a function of tensors and its gradient in all of them."""
    def build(**size):
        rng = np.random.default_rng(0)
        values = [rng.normal(size=shape) for shape in shapes(**size)]

        def run(function, tensor, ones):
            inputs = [tensor(v) for v in values]
            out = function(*inputs)
            out.backward(ones(out))
            return [out, *(t.grad for t in inputs)]

        def own():
            out, *grads = run(ours, lambda v: bp.Tensor(v, requires_grad=True), lambda out: np.ones(out.shape))
            return [out.data, *grads]

        def other():
            out, *grads = run(theirs, lambda v: torch.tensor(v, requires_grad=True), torch.ones_like)
            return [out.detach().numpy(), *(g.numpy() for g in grads)]

        return own, other, lambda a, b: gaps(*zip(a, b))
    return build


def image_shapes(batch, channels, side):
    """A batch of images, filters of 3 x 3 and one bias a filter."""
    return (batch, channels, side, side), (channels, channels, 3, 3), (channels,)


case("matrix product and gradient", module("backpropagation", "Tensor"), "torch.matmul", 2,
     growing("d", 64, 256, 512))(operation_case(lambda a, b: a @ b, torch.matmul, lambda d: ((d, d), (d, d))))
case("convolution of images and gradient", module("backpropagation", "conv2d"), "torch.nn.functional.conv2d", 10,
     growing("side", 8, 16, 32, batch=16, channels=8))(
    operation_case(lambda x, w, b: bp.conv2d(x, w, b, padding=1), lambda x, w, b: torch.nn.functional.conv2d(x, w, b, padding=1),
                   image_shapes))
case("convolution of sequences and gradient", module("backpropagation", "conv1d"), "torch.nn.functional.conv1d", 10,
     growing("length", 64, 256, 1_024, batch=16, channels=8))(
    operation_case(lambda x, w, b: bp.conv1d(x, w, b, padding=2), lambda x, w, b: torch.nn.functional.conv1d(x, w, b, padding=2),
                   lambda length, batch, channels: ((batch, channels, length), (channels, channels, 5), (channels,))))
case("layer normalization and gradient", module("backpropagation", "layer_norm"), "torch.nn.functional.layer_norm", 10,
     growing("n", 100, 1_000, 10_000, d=64))(
    operation_case(bp.layer_norm, lambda x, g, b: torch.nn.functional.layer_norm(x, x.shape[-1:], g, b), lambda n, d: ((n, d), (d,), (d,))))
case("softmax and gradient", module("backpropagation", "softmax"), "torch.softmax", 10,
     growing("n", 100, 1_000, 10_000, d=64))(operation_case(bp.softmax, lambda x: torch.softmax(x, -1), lambda n, d: ((n, d),)))
case("log-softmax and gradient", module("backpropagation", "log_softmax"), "torch.log_softmax", 10,
     growing("n", 100, 1_000, 10_000, d=64))(operation_case(bp.log_softmax, lambda x: torch.log_softmax(x, -1), lambda n, d: ((n, d),)))
case("GELU and gradient", module("backpropagation", "gelu"), "torch.nn.functional.gelu", 10,
     growing("n", 100, 1_000, 10_000, d=64))(operation_case(bp.gelu, torch.nn.functional.gelu, lambda n, d: ((n, d),)))


@functools.cache
def labels(n, k):
    """Class numbers, drawn once for both sides."""
    return np.random.default_rng(1).integers(k, size=n)


case("cross-entropy and gradient", module("neural_networks", "cross_entropy"), "torch.nn.functional.cross_entropy", 10,
     growing("n", 100, 1_000, 10_000, k=10))(
    operation_case(lambda t: nn.cross_entropy(t, labels(*t.shape)),
                   lambda t: torch.nn.functional.cross_entropy(t, torch.from_numpy(labels(*t.shape))), lambda n, k: ((n, k),)))
case("logistic loss and gradient", module("neural_networks", "logistic_loss"), "torch.nn.functional.binary_cross_entropy_with_logits", 10,
     growing("n", 100, 1_000, 10_000))(
    operation_case(lambda t: nn.logistic_loss(t, labels(len(t.data), 2)),
                   lambda t: torch.nn.functional.binary_cross_entropy_with_logits(t, torch.from_numpy(labels(len(t), 2)).double()),
                   lambda n: ((n,),)))


@case("chain of scalar operations and gradient", module("backpropagation", "Tensor"), "torch.autograd", 10,
      growing("length", 100, 500, 2_000))
def long_graph(length):
    def chain(x, tanh):
        y = x
        for _ in range(length):
            y = tanh(y * 0.9 + x)
        return y

    def ours():
        x = bp.Tensor([0.3], requires_grad=True)
        chain(x, bp.tanh).backward(np.ones(1))
        return x.grad

    def theirs():
        x = torch.tensor([0.3], dtype=torch.float64, requires_grad=True)
        chain(x, torch.tanh).backward(torch.ones(1, dtype=torch.float64))
        return x.grad.numpy()

    return ours, theirs, gap
