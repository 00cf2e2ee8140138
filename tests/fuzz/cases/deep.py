"""Valid input for the functions of the part "Deep learning". Tensors keep the type of their data, as documented."""

import pathlib
import tempfile

import numpy as np

from fuzz.cases.base import case
from fuzz.values import Fresh, X, labels, w, x, y
from mlcore.deep.backpropagation import Tensor
from mlcore.deep.neural_networks import MLP, TwoLayer, save_network
from mlcore.foundations.gradient_descent import SGD

FLOAT32 = 1e-5
TENSOR = "NaN, infinity, empty, no columns, axis too many, axis too few"  # NaN must stay visible, other shapes are batches
t = np.array([[-2.0, 0.5, 1.0], [0.25, 3.0, -1.0]])
positive = np.array([[2.0, 0.5, 1.0], [0.25, 3.0, 1.0]])
sequence, image = np.arange(12.0).reshape(1, 2, 6) / 4, np.arange(32.0).reshape(1, 2, 4, 4) / 8
network = Fresh(lambda: MLP((2, 3, 1), rng=0))
classifier = Fresh(lambda: MLP((2, 3, 2), rng=0))
sgd = Fresh(lambda: SGD(lr=0.1))
two = Fresh(lambda: TwoLayer(np.eye(2), np.zeros(2), np.ones((1, 2)), np.zeros(1)))
layers = [(np.array([[2.0], [2.0]]), np.array([0.0, -1.0])), (np.array([[1.0, -2.0]]), np.array([0.0]))]


def tensor(allow=None, **args):
    """A function of tensors: its values."""
    return case(**args, then=lambda r: r.data, tolerance=FLOAT32, allow={"*": TENSOR, **(allow or {})})


def each(**args):
    return case(**args, elementwise="t", allow={"t": "no columns"}, then=lambda r: r.data, tolerance=FLOAT32)


def layer(call_on, **args):
    """A module: made with its options and seed, applied to data."""
    return case(**args, data=call_on, allow={"data": TENSOR}, call=lambda cls, data, **options: cls(**options)(data).data)


def step(f, params, loss, optimizer, weight_decay):
    parameter = Tensor(params, requires_grad=True)
    f([parameter], (parameter * parameter).sum() if loss is True else loss, optimizer, weight_decay)
    return parameter.data


def loaded(f, module):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "network")
        save_network(MLP((2, 3, 1), rng=1), path)
        return f(module, path)(X).data


def saved(f, module):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "network")
        f(module, path)
        return path.stat().st_size > 0


CASES = {
    "backpropagation": {
        "Tensor": tensor(data=t),
        "absolute": each(t=t),
        "exp": each(t=t),
        "gelu": each(t=t),
        "log": each(t=positive),
        "relu": each(t=t),
        "sigmoid": each(t=t),
        "sqrt": each(t=positive),
        "tanh": each(t=t),
        "as_tensor": tensor(value=t),
        "clip": tensor(allow={"high": "infinity"}, x=t, low=-1.0, high=1.0),
        "concatenate": case(
            a=t, b=t, axis=1, allow={"*": "NaN, infinity, no columns"}, call=lambda f, a, b, axis: f([a, b], axis).data, tolerance=FLOAT32
        ),
        "conv1d": tensor(x=sequence, weight=np.ones((1, 2, 3))),
        "conv2d": tensor(allow={"stride": "array", "padding": "array"}, x=image, weight=np.ones((1, 2, 2, 2))),
        "gradient_check": case(
            allow={"u": "axis too many, axis too few"}, f=lambda u: (u * u).sum(), u=t, call=lambda check, f, u: check(f, u) < 1e-6
        ),
        "layer_norm": tensor(allow={"axis": "None"}, x=t),
        "log_softmax": tensor(allow={"axis": "None"}, x=t),
        "logsumexp": tensor(allow={"axis": "None"}, x=t),
        "softmax": tensor(allow={"axis": "None"}, x=t),
        "maximum": tensor(allow={"*": f"{TENSOR}, row missing"}, x=t, y=0.5 * t),
        "no_grad": case(call=lambda cls: cls() is not None),
        "pad": tensor(x=t, widths=((1, 0), (0, 2))),
        "record": tensor(value=t),
        "stack": case(
            a=t, b=t, axis=0, allow={"*": "NaN, infinity, no columns"}, call=lambda f, a, b, axis: f([a, b], axis).data, tolerance=FLOAT32
        ),
        "unbroadcast": case(allow={"g": "NaN, infinity, empty, axis too many"}, g=t, shape=(3,)),
        "unfold": tensor(x=image, kernel=(2, 2)),
        "where": tensor(allow={"*": f"{TENSOR}, row missing, NaN unseen"}, condition=t > 0, x=t, y=-t),
    },
    "neural_networks": {
        "Activation": layer(X, name="relu"),
        "Conv1D": layer(sequence, c_in=2, c_out=3, rng=0),
        "Conv2D": layer(image, c_in=2, c_out=3, rng=0),
        "Dropout": layer(X),
        "Flatten": layer(image),
        "LayerNorm": layer(X, n_features=2),
        "Linear": layer(X, n_in=2, n_out=3),
        "MLP": layer(X, sizes=(2, 3, 1)),
        "Residual": layer(X, branch=Fresh(lambda: MLP((2, 3, 2), rng=0))),
        "Sequential": case(module=network, data=X, allow={"data": TENSOR}, call=lambda cls, module, data: cls(module)(data).data),
        "activation": case(name="relu", then=lambda function: function.f(X)),
        "convolution_matrix": case(w=np.array([1.0, 2.0, 3.0]), length=5),
        "count_parameters": case(sizes=(2, 3, 1)),
        "cross_entropy": tensor(logits=X, y=labels),
        "evaluate": case(module=network, X=X, y=y, loss="squared"),
        "find_kinks": case(layers=layers, low=0.0, high=1.0),
        "fit": case(module=network, X=X, y=y, loss="squared", optimizer=sgd, epochs=2),
        "gate": case(name="and", then=lambda neuron: neuron(np.array([[1.0, 0.0]]))),
        "gelu": case(z=y, elementwise="z", tolerance=FLOAT32),
        "leaky_relu": case(z=y, elementwise="z", tolerance=FLOAT32),
        "relu": case(z=y, elementwise="z", tolerance=FLOAT32),
        "softplus": case(z=y, elementwise="z", tolerance=FLOAT32),
        "step": case(z=y, elementwise="z", tolerance=FLOAT32),
        "initial_weights": case(shape=(2, 3), fan_in=3, fan_out=2),
        "interpolating_network": case(knots=x[:4], values=np.array([1.0, 0.0, 2.0, 0.5])),
        "load_network": case(module=network, call=loaded),
        "logistic_loss": tensor(logits=y[:, None], y=labels),
        "loss_function": case(loss="squared", then=lambda f: f.__name__),
        "output_loss": case(H=y[:, None], y=y + 1, loss="squared"),
        "outputs": case(allow={"X": "axis too many"}, module=network, X=X),
        "run_layers": case(layers=layers, X=x[:, None]),
        "save_network": case(module=network, call=saved),
        "sawtooth_network": case(depth=2),
        "squared_loss": tensor(outputs=X, y=X + 1),
        "training_step": case(
            allow={"params": "NaN, infinity, empty, axis too many, axis too few"},
            params=w,
            loss=Fresh(lambda: True),
            optimizer=sgd,
            call=step,
            tolerance=FLOAT32,
        ),
        "two_layer_forward": case(params=two, X=X),
        "two_layer_gradients": case(params=two, X=X, y=y),
        "two_layer_init": case(d=2, m=3),
    },
}
