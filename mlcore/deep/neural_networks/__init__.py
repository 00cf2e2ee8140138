"""Neural networks: neurons, two layers by hand, kinks, modules, losses, training, saving, estimators.

Gradients of the modules are taken by the Tensor of :mod:`mlcore.deep.backpropagation`; the two-layer network of
:mod:`.by_hand` needs none. Batches have one example per row; weights have one row per output.
"""

from mlcore.deep.neural_networks.by_hand import (
    Forward,
    TwoLayer,
    count_parameters,
    output_loss,
    two_layer_forward,
    two_layer_gradients,
    two_layer_init,
)
from mlcore.deep.neural_networks.convolution import Conv1D, Conv2D, convolution_matrix
from mlcore.deep.neural_networks.estimators import MLPClassifier, MLPRegressor
from mlcore.deep.neural_networks.initialization import initial_weights
from mlcore.deep.neural_networks.kinks import find_kinks, interpolating_network, run_layers, sawtooth_network
from mlcore.deep.neural_networks.layers import MLP, Activation, Dropout, Flatten, LayerNorm, Linear
from mlcore.deep.neural_networks.losses import cross_entropy, logistic_loss, loss_function, squared_loss
from mlcore.deep.neural_networks.modules import Module, Residual, Sequential
from mlcore.deep.neural_networks.neurons import ACTIVATIONS, Neuron, activation, gate, gelu, leaky_relu, relu, softplus, step
from mlcore.deep.neural_networks.saving import NetworkFileError, load_network, save_network
from mlcore.deep.neural_networks.training import History, evaluate, fit, outputs, training_step

__all__ = [
    "ACTIVATIONS", "Activation", "Conv1D", "Conv2D", "Dropout", "Flatten", "Forward", "History", "LayerNorm", "Linear", "MLP",
    "MLPClassifier", "MLPRegressor", "Module", "NetworkFileError", "Neuron", "Residual", "Sequential", "TwoLayer", "activation",
    "convolution_matrix", "count_parameters", "cross_entropy", "evaluate", "find_kinks", "fit", "gate", "gelu", "initial_weights",
    "interpolating_network", "leaky_relu", "load_network", "logistic_loss", "loss_function", "output_loss", "outputs", "relu",
    "run_layers", "save_network", "sawtooth_network", "softplus", "squared_loss", "step", "training_step", "two_layer_forward",
    "two_layer_gradients", "two_layer_init",
]
