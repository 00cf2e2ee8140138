"""Neural networks: gradients against differences and torch, theorems measured, training, files, estimators."""

import copy
import io
import itertools
import os
import zipfile

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import optimize
from sklearn import neural_network
from sklearn.datasets import load_digits

from mlcore.base import ConvergenceWarning
from mlcore.deep import neural_networks as nn
from mlcore.deep.backpropagation import Tensor, gradient_check
from mlcore.foundations.data_and_tasks import files, train_test_split
from mlcore.foundations.gradient_descent import SGD, Adam
from mlcore.foundations.mathematics import gradient_error

PAIRS = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
XOR = np.array([0, 1, 1, 0])


@pytest.fixture(scope="module")
def digits():
    data = load_digits()
    return train_test_split(data.data / 16, data.target, stratify=data.target, random_state=0)


def torch_twin(net):
    """The same MLP in torch, with the same weights."""
    layers = []
    for W, b in zip(*[iter(net.state().values())] * 2):
        linear = torch.nn.Linear(W.shape[1], W.shape[0], dtype=torch.float64)
        linear.weight.data, linear.bias.data = torch.tensor(W), torch.tensor(b)
        layers += [linear, torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1])


# Neurons and activations


def test_gates_have_their_truth_tables():
    want = {"and": [0, 0, 0, 1], "or": [0, 1, 1, 1], "nand": [1, 1, 1, 0]}
    for name, table in want.items():
        assert_array_equal(nn.gate(name)(PAIRS), table)
    assert_array_equal(nn.gate("not")([[0], [1]]), [1, 0])
    both = np.column_stack([nn.gate("or")(PAIRS), nn.gate("nand")(PAIRS)])
    assert_array_equal(nn.gate("and")(both), XOR)
    with pytest.raises(ValueError, match="name must be one of 'and', 'or', 'not', 'nand'; got 'xor'"):
        nn.gate("xor")
    with pytest.raises(ValueError, match="X has 3 features"):
        nn.gate("and")(np.ones((2, 3)))


def test_exactly_two_boolean_functions_are_beyond_one_neuron():
    beyond = []
    A = np.column_stack([PAIRS, np.ones(4)])
    for table in itertools.product([0, 1], repeat=4):
        sign = np.where(np.array(table) == 1, 1, -1)
        program = optimize.linprog(np.zeros(3), A_ub=-sign[:, None] * A, b_ub=-np.ones(4), bounds=[(None, None)] * 3)
        if program.status == 2:
            beyond.append(table)
    assert beyond == [(0, 1, 1, 0), (1, 0, 0, 1)]


def test_a_bump_computes_xor():
    assert_array_equal(nn.Neuron(np.ones(2), -1.0, lambda z: np.exp(-z**2))(PAIRS) > 0.5, XOR)


@pytest.mark.parametrize("name", nn.ACTIVATIONS)
def test_activation_slopes(name):
    f, df = nn.activation(name)
    t = np.linspace(-4.03, 4, 50)
    assert gradient_error(lambda s: f(s).sum(), df, t) < 1e-7
    assert gradient_check(nn.Activation(name), t) < 1e-7
    functions = torch.nn.functional
    reference = {"relu": functions.relu, "tanh": torch.tanh, "sigmoid": torch.sigmoid, "leaky_relu": functions.leaky_relu,
                 "gelu": functions.gelu, "softplus": functions.softplus, "identity": lambda x: x}[name]
    assert_allclose(f(t), reference(torch.tensor(t)).numpy(), rtol=1e-12, atol=1e-15)
    assert_allclose(nn.Activation(name)(t).data, f(t), rtol=1e-14)


def test_numbers_of_gelu():
    f, df = nn.activation("gelu")
    low = optimize.brentq(df, -1, -0.5)
    assert_allclose([low, f(low), df(-2.0)], [-0.75179, -0.16997, -0.0852], atol=1e-5 * 4)
    assert (df(np.linspace(-6, -0.76, 50)) < 0).all() and abs(df(-8.0)) < 1e-12


def test_softplus_is_near_relu():
    t = np.linspace(-5, 5, 101)
    for beta in (0.5, 1.0, 20.0):
        gap = nn.softplus(t, beta) - nn.relu(t)
        assert gap.min() > -1e-15
        assert_allclose(gap.max(), np.log(2) / beta)
    with pytest.raises(ValueError, match="beta must be a number > 0"):
        nn.softplus(t, 0.0)
    with pytest.raises(ValueError, match="slope must be a number > 0 and < 1"):
        nn.leaky_relu(t, 1.5)


# The two-layer network by hand


@pytest.mark.parametrize("activation", nn.ACTIVATIONS)
@pytest.mark.parametrize("loss", ["squared", "logistic", "cross_entropy"])
def test_two_layer_gradients(loss, activation):
    rng = np.random.default_rng(2)
    k = {"squared": 2, "logistic": 1, "cross_entropy": 3}[loss]
    y = {"squared": rng.normal(size=(9, 2)), "logistic": rng.integers(0, 2, 9), "cross_entropy": rng.integers(0, 3, 9)}[loss]
    X, params = rng.normal(size=(9, 4)), nn.two_layer_init(4, 5, k, rng=rng)
    params.b1[:] = rng.normal(size=5)
    for i, name in enumerate(nn.TwoLayer._fields):
        def run(v, name=name):
            return nn.two_layer_gradients(params._replace(**{name: v}), X, y, loss, activation)
        assert gradient_error(lambda v: run(v)[0], lambda v, i=i: run(v)[1][i], params[i]) < 1e-7
    net = nn.MLP([4, 5, k], activation)
    net.load_state(dict(zip(net.state(), params)))
    value = nn.loss_function(loss)(net(X), y)
    value.backward()
    hand_value, hand = nn.two_layer_gradients(params, X, y, loss, activation)
    assert_allclose(value.data, hand_value, rtol=1e-12)
    for p, g in zip(net.parameters(), hand):
        assert_allclose(p.grad, g, rtol=1e-10, atol=1e-13)


def test_counts_of_the_notes():
    assert nn.count_parameters([4, 3, 1]) == 19
    assert nn.Conv1D(3, 16, k=3, bias=False).n_parameters == 144
    assert nn.Conv1D(3, 16, k=3).n_parameters == 160
    assert nn.Conv2D(3, 16, k=5).n_parameters == 3 * 16 * 25 + 16
    for sizes in ([5, 2], [7, 3, 4, 2]):
        assert nn.MLP(sizes).n_parameters == nn.count_parameters(sizes)
    with pytest.raises(ValueError, match="at least the inputs and the outputs"):
        nn.count_parameters([3])
    with pytest.raises(ValueError, match="every size must be an integer >= 1"):
        nn.count_parameters([3, 0, 1])


def test_bad_two_layer_input():
    params = nn.two_layer_init(2, 3, rng=0)
    with pytest.raises(ValueError, match="X has 3 features"):
        nn.two_layer_forward(params, np.ones((4, 3)))
    with pytest.raises(ValueError, match=r"y has shape \(4, 2\), but the network has outputs of shape \(4, 1\)"):
        nn.two_layer_gradients(params, np.ones((4, 2)), np.ones((4, 2)))
    with pytest.raises(ValueError, match=r"y has shape \(8,\), but the network has outputs of shape \(4, 2\)"):
        nn.two_layer_gradients(nn.two_layer_init(2, 3, 2, rng=0), np.ones((4, 2)), np.ones(8))
    with pytest.raises(ValueError, match="loss must be one of 'squared', 'logistic', 'cross_entropy'; got 'hinge'"):
        nn.two_layer_gradients(params, np.ones((4, 2)), np.ones(4), loss="hinge")


@given(st.integers(1, 6), st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_linear_layers_collapse(depth, seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, depth + 1)
    net = nn.Sequential(*[nn.Linear(int(a), int(b), rng=rng) for a, b in zip(sizes, sizes[1:])])
    for p in net.parameters():
        p.data += rng.normal(size=p.shape)
    shift = nn.outputs(net, np.zeros((1, sizes[0])))
    W = nn.outputs(net, np.eye(sizes[0])) - shift
    X = rng.normal(size=(4, sizes[0]))
    assert_allclose(nn.outputs(net, X), X @ W + shift, rtol=1e-9, atol=1e-9 * max(1, np.abs(W).max()))
    rounding = 1e-13 * np.abs(np.vstack([W, shift])).max()  # of the difference above, however small W is beside the shift
    assert np.linalg.matrix_rank(W, tol=rounding) <= sizes.min()


# Kinks


@given(st.lists(st.tuples(st.floats(0.1, 3), st.floats(-5, 5)), min_size=2, max_size=12))
@settings(max_examples=50, deadline=None)
def test_interpolating_network_goes_through_its_points(steps):
    gaps, values = np.array(steps).T
    knots = np.cumsum(gaps)
    net = nn.interpolating_network(knots, values)
    assert len(net.b1) == len(knots) - 1
    x = np.linspace(knots[0], knots[-1], 60)
    assert_allclose(nn.two_layer_forward(net, x[:, None]).H.ravel(), np.interp(x, knots, values), atol=1e-9)
    assert_allclose(nn.two_layer_forward(net, [[knots[0] - 7]]).H, values[0])


def test_interpolation_bound_is_met_and_sharp():
    for m in (8, 64):
        knots = np.linspace(0, 2 * np.pi, m + 1)
        x = np.linspace(0, 2 * np.pi, 5001)
        error = np.abs(nn.two_layer_forward(nn.interpolating_network(knots, np.sin(knots)), x[:, None]).H.ravel() - np.sin(x)).max()
        bound = (2 * np.pi / m) ** 2 / 8
        assert 0.9 * bound < error <= bound
    with pytest.raises(ValueError, match="knots must increase strictly"):
        nn.interpolating_network([0.0, 0.0, 1.0], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="there are 3 knots, but 2 values"):
        nn.interpolating_network([0.0, 1.0, 2.0], [1.0, 2.0])


@pytest.mark.parametrize("sizes", [[1, 7, 1], [1, 5, 4, 1], [1, 4, 4, 4, 1]])
def test_find_kinks_against_second_differences(sizes):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        layers = [(rng.normal(size=(m, d)), rng.normal(size=m)) for d, m in zip(sizes, sizes[1:])]
        kinks = nn.find_kinks(layers, -3, 3)
        if len(sizes) == 3:
            assert len(kinks) <= sizes[1]
        x = np.linspace(-3, 3, 20_001)
        h = nn.run_layers(layers, x[:, None]).ravel()
        assert_allclose(np.interp(x, edges := np.r_[-3, kinks, 3], nn.run_layers(layers, edges[:, None]).ravel()), h, atol=1e-9)
        bend = np.abs(np.diff(h, 2))
        assert all(bend[np.abs(x[1:-1] - kink) < 4e-4].max() > 1e-8 for kink in kinks)


def test_sawtooth_has_exponentially_many_kinks():
    for k in (1, 3, 7):
        layers = nn.sawtooth_network(k)
        assert sum(len(b) for _, b in layers[:-1]) == 2 * k
        assert_allclose(nn.find_kinks(layers, 0, 1), np.arange(1, 2**k) / 2**k)
    with pytest.raises(ValueError, match="depth must be an integer >= 1"):
        nn.sawtooth_network(0)
    with pytest.raises(ValueError, match="2 inputs and 1 outputs"):
        nn.find_kinks([(np.ones((3, 2)), np.zeros(3)), (np.ones((1, 3)), np.zeros(1))], 0, 1)


# Initialization


@pytest.mark.parametrize("scheme, variance", [("he", 2 / 50), ("lecun", 1 / 50), ("glorot", 2 / 250), ("uniform", 1 / 150), ("zeros", 0)])
def test_initial_variance(scheme, variance):
    W = nn.initial_weights((200, 50), 50, 200, scheme, rng=0)
    assert_allclose(W.var(), variance, rtol=0.05)  # 10,000 draws: standard error of the variance about 1.4 %
    assert_allclose(W.mean(), 0, atol=5 * np.sqrt(variance / W.size))
    with pytest.raises(ValueError, match="scheme must be one of"):
        nn.initial_weights((2, 2), 2, 2, "magic")


def test_he_keeps_the_mean_square_in_expectation():
    rng, a = np.random.default_rng(0), np.random.default_rng(1).normal(size=30)
    squares = [np.mean(nn.relu(nn.initial_weights((30, 30), 30, 30, "he", rng) @ a) ** 2) for _ in range(2000)]
    assert_allclose(np.mean(squares), np.mean(a**2), atol=4 * np.std(squares) / np.sqrt(2000))


# Modules


def test_named_parameters_modes_and_sharing():
    inner = nn.Sequential(nn.Linear(3, 3, rng=0), nn.Dropout(0.5, rng=0))
    net = nn.Sequential(nn.Linear(2, 3, rng=1), nn.Residual(inner), nn.LayerNorm(3), inner)
    assert list(net.named_parameters()) == ["layers.0.W", "layers.0.b", "layers.1.branch.layers.0.W", "layers.1.branch.layers.0.b",
                                            "layers.2.gamma", "layers.2.beta"]
    assert net.n_parameters == 9 + 12 + 6
    net.eval()
    assert not inner.layers[1].training
    net.train()
    assert inner.layers[1].training
    net(np.ones((2, 2))).sum().backward()
    assert all(p.grad is not None for p in net.parameters())
    net.zero_grad()
    assert all(p.grad is None for p in net.parameters())


def test_load_state_is_all_or_nothing():
    net = nn.MLP([2, 3, 1], rng=0)
    before = net.state()
    with pytest.raises(ValueError, match=r"layers.2.W has shape \(1, 4\), but this network needs \(1, 3\)"):
        net.load_state({**{k: v + 1 for k, v in before.items()}, "layers.2.W": np.ones((1, 4))})
    with pytest.raises(ValueError, match=r"missing \['layers.2.b'\], unknown \['other'\]"):
        net.load_state({"other" if k == "layers.2.b" else k: v for k, v in before.items()})
    for name, value in net.state().items():
        assert_array_equal(value, before[name])


def test_bad_modules():
    with pytest.raises(ValueError, match="this layer takes rows of 2 features, but the input has shape"):
        nn.Linear(2, 3)(np.ones((4, 5)))
    with pytest.raises(ValueError, match="every layer must be a Module"):
        nn.Sequential(np.tanh)
    with pytest.raises(ValueError, match="a residual connection needs equal shapes"):
        nn.Residual(nn.Linear(2, 3))(np.ones((1, 2)))
    with pytest.raises(ValueError, match="activation must be one of"):
        nn.MLP([2, 2, 1], "sine")
    with pytest.raises(ValueError, match="p must be a number >= 0 and < 1"):
        nn.Dropout(1.0)
    with pytest.raises(ValueError, match="this layer normalizes 3 features"):
        nn.LayerNorm(3)(np.ones((2, 4)))
    with pytest.raises(ValueError, match="must be odd"):
        nn.Conv1D(1, 1, k=4)
    with pytest.raises(ValueError, match=r"this layer takes \(n, channels, length\) with 2 channels"):
        nn.Conv1D(2, 1)(np.ones((3, 1, 8)))
    with pytest.raises(TypeError, match="abstract class Module .*forward"):
        nn.Module()


@pytest.mark.parametrize("kind", ["linear", "layer_norm", "conv1d", "conv2d"])
def test_layers_agree_with_torch(kind):
    rng = np.random.default_rng(3)
    ours, theirs, shape = {
        "linear": (nn.Linear(4, 3, rng=rng), torch.nn.Linear(4, 3), (5, 4)),
        "layer_norm": (nn.LayerNorm(6), torch.nn.LayerNorm(6), (5, 6)),
        "conv1d": (nn.Conv1D(2, 3, k=5, stride=2, rng=rng), torch.nn.Conv1d(2, 3, 5, stride=2, padding=2), (4, 2, 9)),
        "conv2d": (nn.Conv2D(2, 3, k=3, padding=0, rng=rng), torch.nn.Conv2d(2, 3, 3), (4, 2, 5, 6)),
    }[kind]
    theirs = theirs.double()
    for p, q in zip(ours.parameters(), theirs.parameters()):
        p.data += rng.normal(size=p.shape)
        q.data = torch.tensor(p.data)
    x = rng.normal(size=shape)
    tensor, reference = Tensor(x, requires_grad=True), torch.tensor(x, requires_grad=True)
    y, z = ours(tensor), theirs(reference)
    assert_allclose(y.data, z.detach().numpy(), rtol=1e-10, atol=1e-12)
    v = rng.normal(size=y.shape)
    y.backward(v)
    z.backward(torch.tensor(v))
    assert_allclose(tensor.grad, reference.grad.numpy(), rtol=1e-9, atol=1e-11)
    for p, q in zip(ours.parameters(), theirs.parameters()):
        assert_allclose(p.grad, q.grad.numpy(), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("loss", ["squared", "logistic", "cross_entropy"])
def test_losses_agree_with_torch(loss):
    rng = np.random.default_rng(1)
    t = 30 * rng.normal(size=(8, 4 if loss == "cross_entropy" else 1))
    y = rng.integers(0, 2, 8)
    ours, theirs = Tensor(t, requires_grad=True), torch.tensor(t, requires_grad=True)
    value = nn.loss_function(loss)(ours, y)
    functions = torch.nn.functional
    want = {"squared": lambda: 0.5 * functions.mse_loss(theirs[:, 0], torch.tensor(y).double()),
            "logistic": lambda: functions.binary_cross_entropy_with_logits(theirs[:, 0], torch.tensor(y).double()),
            "cross_entropy": lambda: functions.cross_entropy(theirs, torch.tensor(y))}[loss]()
    value.backward()
    want.backward()
    assert_allclose(value.data, want.item(), rtol=1e-12)
    assert_allclose(ours.grad, theirs.grad.numpy(), rtol=1e-10, atol=1e-14)


def test_bad_targets():
    logits = Tensor(np.zeros((3, 2)))
    with pytest.raises(ValueError, match=r"y must be in 0..1, since there are 2 logits, got values from 0 to 2"):
        nn.cross_entropy(logits, [0, 1, 2])
    with pytest.raises(ValueError, match="y must hold 3 class numbers"):
        nn.cross_entropy(logits, [0.5, 1, 0])
    with pytest.raises(ValueError, match="y must hold labels 0 and 1"):
        nn.logistic_loss(Tensor(np.zeros((2, 1))), [-1, 1])
    with pytest.raises(ValueError, match=r"y has shape \(3,\), but the network has outputs of shape \(3, 2\)"):
        nn.squared_loss(logits, np.zeros(3))
    with pytest.raises(ValueError, match="loss must be one of"):
        nn.loss_function("hinge")


# Layer normalization and convolution


def test_scale_invariance_of_layer_norm():
    rng = np.random.default_rng(0)
    z, W, b, v = rng.normal(size=(5, 6)), rng.normal(size=(8, 6)), rng.normal(size=8), rng.normal(size=8)

    def run(alpha, eps):
        layer, norm = nn.Linear(6, 8), nn.LayerNorm(8, eps=eps, scalar=True)
        layer.load_state({"W": alpha * W, "b": alpha * b})
        y = norm(layer(z))
        (y * y * y @ v).sum().backward()
        return y.data, np.r_[layer.W.grad.ravel(), layer.b.grad]

    y, g = run(1.0, 0.0)
    assert_allclose((y**2).mean(axis=1), 1)
    assert_allclose((y**2).sum(axis=1), 8)
    for alpha in (0.01, 3.0, 1e6):
        y_scaled, g_scaled = run(alpha, 0.0)
        assert_allclose(y_scaled, y, rtol=1e-9)
        assert_allclose(alpha * g_scaled, g, rtol=1e-8, atol=1e-10)
    assert_allclose(run(-2.0, 0.0)[0], -y)
    assert abs(np.r_[W.ravel(), b] @ g) < 1e-10 * np.linalg.norm(g)
    assert np.abs(run(1e-4, 1e-5)[0] - y).max() > 1


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=9).filter(lambda w: len(w) % 2), st.integers(1, 12), st.integers(0, 99))
@settings(max_examples=50, deadline=None)
def test_convolution_matrix(w, length, seed):
    z, reach = np.random.default_rng(seed).normal(size=length), len(w) // 2
    Q = nn.convolution_matrix(w, length)
    assert_allclose(Q @ z, np.correlate(np.pad(z, reach), w, "valid"), atol=1e-12)
    assert_array_equal(Q[1:, 1:], Q[:-1, :-1])
    layer = nn.Conv1D(1, 1, k=len(w), bias=False)
    layer.load_state({"W": np.array(w)[None, None]})
    assert_allclose(layer(z[None, None]).data[0, 0], Q @ z, atol=1e-12)


def test_convolution_numbers_of_the_notes():
    z = np.arange(1.0, 6.0)
    assert_array_equal(nn.convolution_matrix([1, 2, 3], 5) @ z, [8, 14, 20, 26, 14])
    assert_array_equal(nn.convolution_matrix([3, 2, 1], 5) @ z, np.convolve(z, [1, 2, 3], "same"))
    with pytest.raises(ValueError, match="must be odd"):
        nn.convolution_matrix([1, 2], 5)


# Dropout


def test_dropout_keeps_the_mean_and_is_off_in_prediction():
    layer, x = nn.Dropout(0.3, rng=0), np.full((400, 100), 2.0)
    y = layer(x).data
    assert set(np.unique(y)) == {0.0, 2.0 / 0.7}
    assert_allclose(y.mean(), 2.0, atol=4 * 2 * np.sqrt(0.3 / 0.7 / x.size))
    assert not np.array_equal(layer(x).data, y)
    assert_array_equal(layer.eval()(x).data, x)
    assert_array_equal(nn.Dropout(0.3, rng=0)(x).data, y)


# Training


def test_fit_takes_the_steps_of_torch(digits):
    X, _, y, _ = digits
    for ours, theirs in ((SGD(lr=0.1), lambda p: torch.optim.SGD(p, lr=0.1)),
                         (SGD(lr=0.05, momentum=0.9, nesterov=True), lambda p: torch.optim.SGD(p, 0.05, momentum=0.9, nesterov=True)),
                         (Adam(lr=2e-3), lambda p: torch.optim.Adam(p, lr=2e-3))):
        net = nn.MLP([64, 32, 16, 10], rng=0)
        twin = torch_twin(net)
        optimizer, rng = theirs(twin.parameters()), np.random.default_rng(0)
        for _ in range(40):
            rows = rng.choice(len(X), 32, replace=False)
            value = nn.training_step(net.parameters(), nn.cross_entropy(net(X[rows]), y[rows]), ours)
            loss = torch.nn.functional.cross_entropy(twin(torch.tensor(X[rows])), torch.tensor(y[rows]))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            assert abs(value - loss.item()) < 1e-9
            for p, q in zip(net.parameters(), twin.parameters()):
                assert np.abs(p.data - q.detach().numpy()).max() < 1e-9


def test_five_steps_of_scikit_learn(digits):
    X, X_test, y, _ = digits
    net = nn.MLP([64, 16, 10], rng=1)
    reference = neural_network.MLPClassifier((16,), solver="sgd", momentum=0, learning_rate_init=0.5, alpha=0, batch_size=len(X),
                                             shuffle=False)
    reference.partial_fit(X, y, classes=range(10))
    state = list(net.state().values())
    for target, value in zip(reference.coefs_ + reference.intercepts_, [W.T for W in state[::2]] + state[1::2]):
        target[...] = value
    for _ in range(5):
        reference.partial_fit(X, y)
    nn.fit(net, X, y, "cross_entropy", SGD(lr=0.5), epochs=5, batch_size=len(X))
    for p, q in zip(net.parameters()[::2], reference.coefs_):
        assert_allclose(p.data, q.T, rtol=1e-8, atol=1e-10)


def test_digits_over_96_percent(digits):
    X, X_test, y, y_test = digits
    for seed in (0, 1):
        net = nn.MLP([64, 64, 10], rng=seed)
        nn.fit(net, X, y, "cross_entropy", Adam(lr=5e-3), epochs=20, batch_size=64, rng=seed)
        assert (nn.outputs(net, X_test).argmax(axis=1) == y_test).mean() > 0.96


def test_weight_decay_shrinks_weights_only():
    net = nn.Sequential(nn.Linear(3, 3, rng=0), nn.LayerNorm(3))
    params = net.parameters()
    params[1].data[:] = 2.0
    before = [p.data.copy() for p in params]
    grads = [np.zeros_like(p.data) for p in params]
    still = nn.squared_loss(net(np.ones((1, 3))) * 0.0, np.zeros((1, 3)))
    nn.training_step(params, still, SGD(lr=0.1), weight_decay=0.5)
    assert_allclose(params[0].data, 0.95 * before[0])
    for p, q, g in zip(params[1:], before[1:], grads[1:]):
        assert_array_equal(p.data, q + g)


@pytest.mark.parametrize("ours, theirs", [(SGD(lr=0.1, momentum=0.9), lambda g: torch.optim.SGD(g, lr=0.1, momentum=0.9)),
                                          (Adam(lr=0.01), lambda g: torch.optim.Adam(g, lr=0.01))])
def test_weight_decay_is_that_of_torch_on_the_weights(ours, theirs):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 4)), rng.integers(0, 3, 30)
    net = nn.MLP([4, 6, 3], rng=0)
    twin = torch_twin(net)
    matrices, vectors = [p for p in twin.parameters() if p.ndim > 1], [p for p in twin.parameters() if p.ndim == 1]
    optimizer = theirs([{"params": matrices, "weight_decay": 0.05}, {"params": vectors}])
    for _ in range(20):
        nn.training_step(net.parameters(), nn.cross_entropy(net(X), y), ours, weight_decay=0.05)
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(twin(torch.tensor(X)), torch.tensor(y)).backward()
        optimizer.step()
    for p, q in zip(net.parameters(), twin.parameters()):
        assert_allclose(p.data, q.detach().numpy(), atol=1e-9)


def test_early_stopping_restores_the_best_weights():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 5)), rng.integers(0, 2, 40)
    X_val, y_val = rng.normal(size=(200, 5)), rng.integers(0, 2, 200)
    seen = []
    net = nn.MLP([5, 30, 1], rng=0)
    run = nn.fit(net, X, y, "logistic", Adam(lr=0.02), epochs=300, batch_size=10, validation=(X_val, y_val), patience=5, rng=0,
                 after_epoch=lambda epoch, module: seen.append(module.state()))
    assert run.stopped_early and len(run.train_loss) == run.best_epoch + 1 + 5 == len(seen)
    assert run.best_epoch == run.validation_loss.argmin()
    assert_allclose(nn.evaluate(net, X_val, y_val, "logistic"), run.validation_loss.min())
    for name, value in net.state().items():
        assert_array_equal(value, seen[run.best_epoch][name])


def test_fit_is_reproducible_and_leaves_its_arguments_alone():
    X, y = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 2
    X.setflags(write=False)
    y.setflags(write=False)
    rule = Adam(lr=0.01)
    runs = []
    for _ in range(2):
        net = nn.MLP([2, 4, 1], dropout=0.2, rng=3)
        runs.append((nn.fit(net, X, y, "logistic", rule, epochs=3, batch_size=100, rng=1).train_loss, net.state()))
    assert_array_equal(runs[0][0], runs[1][0])
    assert all(np.array_equal(a, b) for a, b in zip(runs[0][1].values(), runs[1][1].values()))
    assert rule.t == 0 and rule.states is None


def test_unused_parameters_do_not_disturb():
    class Half(nn.Module):
        def __init__(self):
            self.used, self.idle = nn.Linear(2, 1, rng=0), nn.Linear(2, 1, rng=1)

        def forward(self, x):
            return self.used(x)

    net = Half()
    idle = net.idle.state()
    nn.fit(net, np.eye(2), np.ones(2), "squared", SGD(lr=0.1), epochs=2)
    assert_array_equal(net.idle.W.data, idle["W"])


def test_progress_bar_is_silent_unless_asked(capsys):
    X, y = np.eye(2), np.ones(2)
    nn.fit(nn.Linear(2, 1, rng=0), X, y, "squared", SGD(lr=0.1), epochs=2)
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""
    nn.fit(nn.Linear(2, 1, rng=0), X, y, "squared", SGD(lr=0.1), epochs=2, progress=True)
    captured = capsys.readouterr()
    assert captured.err == "" and captured.out.count("\r") == 2 and captured.out.endswith("\n")
    assert "[############............] epoch 1/2, loss" in captured.out and "[########################] epoch 2/2" in captured.out


def test_bad_training_input():
    net, X, y = nn.MLP([2, 3, 1], rng=0), np.ones((4, 2)), np.ones(4)
    with pytest.raises(ValueError, match="optimizer must be an Optimizer such as Adam"):
        nn.fit(net, X, y, "squared", "adam")
    with pytest.raises(ValueError, match="module must be a Module"):
        nn.fit(np.tanh, X, y, "squared", SGD())
    with pytest.raises(ValueError, match="X has 4 rows, but y has 3 values"):
        nn.fit(net, X, y[:3], "squared", SGD())
    with pytest.raises(ValueError, match="X contains NaN or infinity"):
        nn.fit(net, np.full((4, 2), np.nan), y, "squared", SGD())
    with pytest.raises(ValueError, match="has no parameters to train"):
        nn.fit(nn.Flatten(), X, y, "squared", SGD())
    with pytest.raises(ValueError, match="epochs must be an integer >= 1"):
        nn.fit(net, X, y, "squared", SGD(), epochs=0)
    with pytest.raises(ValueError, match="patience must be an integer >= 1"):
        nn.fit(net, X, y, "squared", SGD(), patience=0)
    with pytest.raises(ValueError, match="X must have one row per example"):
        nn.fit(net, np.ones(4), y, "squared", SGD())
    with pytest.raises(ValueError, match=r"at least one, and its features after that; got shape \(0, 2\)"):
        nn.outputs(net, np.ones((0, 2)))
    with np.errstate(all="ignore"), pytest.raises(FloatingPointError, match="lower the learning rate or scale the inputs"):
        nn.fit(nn.Linear(2, 1, rng=0), 1e3 * X, y, "squared", SGD(lr=1e3), epochs=50)


# Files


@pytest.fixture
def saved(tmp_path):
    """A module with parameters of every kind, and the file it was saved to."""
    net = nn.Sequential(nn.Conv2D(1, 2, rng=0), nn.Activation("gelu"), nn.Flatten(), nn.LayerNorm(18), nn.Linear(18, 2, rng=1))
    path = tmp_path / "net.npz"
    nn.save_network(net, path)
    return net, path


def fresh(net):
    """The same structure with other values."""
    other = copy.deepcopy(net)
    for p in other.parameters():
        p.data[...] += 1
    return other


def test_saved_networks_come_back_exactly(saved):
    net, path = saved
    back = nn.load_network(fresh(net), path)
    for name, value in net.state().items():
        assert_array_equal(back.state()[name], value)
    with np.load(path, allow_pickle=False) as archive:  # a plain file that any numpy reads
        assert set(archive.files) == {"format", "structure", *(f"parameter {name}" for name in net.state())}
    assert os.listdir(path.parent) == ["net.npz"]


def test_no_damage_goes_unnoticed(saved):
    net, path = saved
    data = path.read_bytes()
    rng = np.random.default_rng(0)
    other = fresh(net)
    before = other.state()
    cuts = [data[:n] for n in (0, 1, 30, 100, len(data) // 2, len(data) - 22, len(data) - 1)]
    flips = []
    for place in rng.choice(len(data), 250, replace=False):
        flipped = bytearray(data)
        flipped[place] ^= 1 << int(rng.integers(8))
        flips.append(bytes(flipped))
    refused = 0
    for content in cuts + flips:
        path.write_bytes(content)
        try:
            nn.load_network(other, path)
        except nn.NetworkFileError as error:
            assert "net.npz" in str(error)
            refused += 1
            assert all(np.array_equal(v, before[name]) for name, v in other.state().items())
        else:  # a flip in a field that carries no data, such as a date
            assert all(np.array_equal(v, net.state()[name]) for name, v in other.state().items())
            other.load_state(before)
    assert refused >= len(cuts) + 100


def test_a_header_that_asks_for_less_is_noticed(tmp_path):
    net, path = nn.Linear(100, 100, rng=0), tmp_path / "net.npz"  # larger than what zipfile reads at once
    nn.save_network(net, path)
    data = path.read_bytes()
    assert data.count(b"<f8") == 2
    path.write_bytes(data.replace(b"<f8", b"<f4"))
    with pytest.raises(nn.NetworkFileError, match="the checksum of parameter W.npy is wrong"):
        nn.load_network(net, path)
    path.write_bytes(data)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("parameter more", "no array")
    with pytest.raises(nn.NetworkFileError, match="more does not hold finite"):
        nn.load_network(net, path)


def test_foreign_files_are_refused(saved, tmp_path):
    net, _ = saved
    path = tmp_path / "foreign.npz"
    for content in (b"", b"hello", b"PK\x03\x04 not really"):
        path.write_bytes(content)
        with pytest.raises(nn.NetworkFileError, match="foreign.npz is damaged, truncated or no .npz file"):
            nn.load_network(net, path)
    np.savez(path, weights=np.eye(3))
    with pytest.raises(nn.NetworkFileError, match="foreign.npz is a foreign file: it was not written by save_network"):
        nn.load_network(net, path)
    np.savez(path, weights=np.array([{"code": 1}], dtype=object))  # needs pickle, which is never loaded
    with pytest.raises(nn.NetworkFileError, match="damaged, truncated or no .npz file: .*allow_pickle=False"):
        nn.load_network(net, path)
    buffer = io.BytesIO()
    np.save(buffer, np.eye(3))
    path.write_bytes(buffer.getvalue())
    with pytest.raises(nn.NetworkFileError, match="no .npz file"):
        nn.load_network(net, path)
    with pytest.raises(FileNotFoundError):
        nn.load_network(net, tmp_path / "nowhere.npz")


def test_other_networks_and_bad_values_are_refused(saved, tmp_path):
    net, path = saved
    with pytest.raises(nn.NetworkFileError, match=r"net.npz holds another network: Sequential\(Conv2D.* in the file, MLP\(Linear\(2, 3\)"):
        nn.load_network(nn.MLP([2, 3, 1]), path)
    small = nn.MLP([2, 3, 1], "tanh", rng=0)
    nn.save_network(small, path)
    with pytest.raises(nn.NetworkFileError, match="another network"):  # equal shapes, other activation
        nn.load_network(nn.MLP([2, 3, 1], "relu"), path)
    with np.load(path) as archive:
        entries = dict(archive)
    for change, message in (({"parameter layers.0.b": np.full(3, np.nan)}, "layers.0.b does not hold finite"),
                            ({"parameter layers.0.b": np.ones(4)}, r"layers.0.b has shape \(4,\)"),
                            ({"parameter extra": np.ones(1)}, r"unknown \['extra'\]")):
        np.savez(path, **{**entries, **change})
        with pytest.raises(nn.NetworkFileError, match=message):
            nn.load_network(small, path)


def test_a_failed_save_leaves_the_old_file(saved, monkeypatch):
    net, path = saved
    data = path.read_bytes()

    def fail(*args):
        raise OSError("disk full")

    monkeypatch.setattr(files.os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        nn.save_network(fresh(net), path)
    assert path.read_bytes() == data and os.listdir(path.parent) == ["net.npz"]


# Estimators


def test_classifier_with_text_labels_and_early_stopping(digits):
    X, X_test, y, y_test = digits
    names = np.array(["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"])
    model = nn.MLPClassifier(hidden=(48,), lr=5e-3, validation_share=0.15, patience=5, random_state=0).fit(X, names[y])
    assert model.score(X_test, names[y_test]) > 0.94
    P = model.predict_proba(X_test)
    assert_allclose(P.sum(axis=1), 1)
    assert_array_equal(model.classes_[P.argmax(axis=1)], model.predict(X_test))
    assert model.converged_ and len(model.validation_history_) == model.n_iter_ >= model.best_iter_


def test_regressor_fits_a_curve_in_any_units():
    x = np.linspace(-2, 2, 120)[:, None]
    y = 1e4 + 1e3 * np.sin(2 * x.ravel())
    model = nn.MLPRegressor(hidden=(32,), activation="tanh", lr=0.02, max_iter=400, patience=50, weight_decay=0.0, random_state=0).fit(x, y)
    assert model.score(x, y) > 0.99
    constant = nn.MLPRegressor(random_state=0).fit(x, np.full(120, 7.0))
    assert_allclose(constant.predict(x), 7.0, atol=0.05)


def test_estimators_say_what_is_wrong():
    X, y = PAIRS, XOR
    with pytest.warns(ConvergenceWarning, match="MLPClassifier did not converge in max_iter=3"):
        nn.MLPClassifier(max_iter=3, random_state=0).fit(X, y)
    for wrong, message in (({"hidden": (0,)}, "every width in hidden must be an integer >= 1"), ({"lr": 0}, "lr must be a number > 0"),
                           ({"activation": "step"}, "activation must be one of"), ({"dropout": 1}, "dropout must be a number"),
                           ({"max_iter": 0}, "max_iter must be")):
        with pytest.raises(ValueError, match=message):
            nn.MLPClassifier(**wrong).fit(X, y)
    with pytest.raises(ValueError, match="at least 2 are needed"):
        nn.MLPClassifier().fit(X, np.zeros(4))


def test_no_hidden_layer_is_softmax_regression():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] + X[:, 1] + rng.normal(size=60) > 0).astype(int)
    model = nn.MLPClassifier(hidden=(), lr=0.02, weight_decay=0.1, batch_size=60, max_iter=3000, tol=1e-12, patience=100,
                             random_state=0).fit(X, y)
    W = model.network_.layers[0].W.data

    def cost(w):
        W, b = w[:4].reshape(2, 2), w[4:]
        return nn.output_loss(X @ W.T + b, y, "cross_entropy")[0] + 0.05 * (W**2).sum()

    best = optimize.minimize(cost, np.zeros(6), tol=1e-12)
    assert_allclose(W.ravel(), best.x[:4], atol=1e-3)
    assert_allclose(model.history_.min(), best.fun, rtol=1e-6)
