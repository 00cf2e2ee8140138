"""The training loop: mini-batches, weight decay, early stopping that returns to the best weights, a plain progress bar."""

import copy
import sys
from typing import NamedTuple

import numpy as np

from mlcore.base import as_array, check_array, check_number, check_rng, check_same_length
from mlcore.deep.backpropagation import Tensor, no_grad
from mlcore.deep.neural_networks.losses import loss_function
from mlcore.deep.neural_networks.modules import Module
from mlcore.foundations.gradient_descent import Optimizer, minibatches
from mlcore.takes import takes


class History(NamedTuple):
    """Record of a training run.

    train_loss : (epochs,) mean loss of the mini-batches of each epoch, measured while the weights moved
    objective : (epochs,) the same with the penalty weight_decay/2 |W|^2 added: what the steps descend
    validation_loss : (epochs,) loss on the validation set after each epoch; empty without one
    best_epoch : number, from 0, of the epoch with the lowest watched value (validation loss if there is one, else objective)
    stopped_early : whether patience ran out before the last epoch
    """

    train_loss: np.ndarray
    objective: np.ndarray
    validation_loss: np.ndarray
    best_epoch: int
    stopped_early: bool


@takes(params="list", loss=Tensor, optimizer=Optimizer, weight_decay="number >= 0")
def training_step(params, loss, optimizer, weight_decay=0.0):
    """Differentiate the scalar tensor ``loss`` and let ``optimizer`` move the parameters (eq-nn-minibatch); returns the loss.

    ``weight_decay`` adds its multiple of the weights to their gradient, that of weight_decay/2 |W|^2, before the optimizer
    rescales it (``AdamW`` shrinks the weights themselves instead); biases, gains and other vectors are left alone.
    """
    for p in params:
        p.grad = None
    loss.backward()
    grads = [np.zeros_like(p.data) if p.grad is None else p.grad for p in params]  # a parameter the loss does not touch
    if weight_decay:
        grads = [g + weight_decay * p.data if p.data.ndim > 1 else g for p, g in zip(params, grads)]
    optimizer.step([p.data for p in params], grads)
    return float(loss.data)


@takes(module=Module, batch_size="integer >= 1")
def outputs(module, X, batch_size=1024):
    """Outputs as an array, in prediction mode and without recording a graph; the module's mode is restored.

    >>> from mlcore.deep.neural_networks import Linear
    >>> outputs(Linear(2, 3, rng=0), np.zeros((5, 2))).shape
    (5, 3)
    """
    X, was_training = check_array(X, name="X", ndim=None, min_samples=0), module.training
    _check_rows(X)
    module.eval()
    try:
        with no_grad():
            return np.concatenate([module(X[i:i + batch_size]).data for i in range(0, len(X), batch_size)])
    finally:
        module.train(was_training)


@takes(module=Module)
def evaluate(module, X, y, loss):
    """Mean loss on a data set, in prediction mode."""
    with no_grad():
        return float(loss_function(loss)(Tensor(outputs(module, X)), y).data)


def fit(module, X, y, loss, optimizer, *, epochs=10, batch_size=32, weight_decay=0.0, validation=None, patience=None, tol=0.0,
        rng=None, progress=None, after_epoch=None):
    """Train ``module`` in place by mini-batch descent; returns the :class:`History`.

    Parameters
    ----------
    module : a Module;  X : (n, ...) inputs;  y : (n,) or (n, k) targets
    loss : "squared", "logistic", "cross_entropy" or a function of (outputs, y) that returns a scalar tensor
    optimizer : an Optimizer; a fresh copy is used, so that a second run does not inherit its state
    epochs, batch_size : passes over the shuffled data, and rows per update (at most n)
    weight_decay : see :func:`training_step`
    validation : pair (X, y) watched after each epoch; the best weights on it are restored at the end
    patience : stop after that many epochs in which the watched value (validation loss, or without one the objective) has not
        fallen by more than ``tol``; None never stops
    rng : order of the batches;  progress : True draws a bar on standard output, None only on a terminal
    after_epoch : function of (epoch, module), called after each epoch

    >>> from mlcore.deep.neural_networks import MLP
    >>> from mlcore.foundations.gradient_descent import Adam
    >>> X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    >>> net = MLP([2, 8, 1], rng=0)
    >>> _ = fit(net, X, [0, 1, 1, 0], "logistic", Adam(lr=0.05), epochs=100, batch_size=4, rng=0)
    >>> (outputs(net, X).ravel() > 0).astype(int)
    array([0, 1, 1, 0])
    """
    X, y = check_array(X, name="X", ndim=None), as_array(y, "y")
    _check(module, optimizer, X, y)
    check_number(epochs, "epochs", low=1, integer=True)
    check_number(batch_size, "batch_size", low=1, integer=True)
    check_number(weight_decay, "weight_decay", low=0)
    check_number(tol, "tol", low=0)
    if patience is not None:
        check_number(patience, "patience", low=1, integer=True)
    rng, rule, loss_of, params = check_rng(rng), copy.copy(optimizer).reset(), loss_function(loss), module.parameters()
    train_loss, objective, validation_loss, best, best_epoch, waited, kept = [], [], [], np.inf, 0, 0, None
    for epoch in range(epochs):
        module.train()
        total = penalty = 0.0
        for rows in minibatches(len(X), min(batch_size, len(X)), rng):
            penalty += len(rows) * 0.5 * weight_decay * sum(np.vdot(p.data, p.data) for p in params if p.ndim > 1) if weight_decay else 0.0
            total += len(rows) * training_step(params, loss_of(module(X[rows]), y[rows]), rule, weight_decay)
        train_loss.append(total / len(X))
        objective.append((total + penalty) / len(X))
        if validation is not None:
            validation_loss.append(evaluate(module, *validation, loss))
        watched = (validation_loss or objective)[-1]
        if not np.isfinite(watched):
            raise FloatingPointError(f"the loss is {watched} after epoch {epoch + 1}; lower the learning rate or scale the inputs.")
        waited = 0 if watched < best - tol else waited + 1
        if watched < best:
            best, best_epoch = watched, epoch
            kept = [p.data.copy() for p in params] if validation is not None else None
        if after_epoch is not None:
            after_epoch(epoch, module)
        _draw(progress, epoch + 1, epochs, watched, last=epoch + 1 == epochs or waited == patience)
        if waited == patience:
            break
    if kept is not None:
        for p, value in zip(params, kept):
            p.data[...] = value
    module.eval()
    return History(np.array(train_loss), np.array(objective), np.array(validation_loss), best_epoch, waited == patience)


def _check(module, optimizer, X, y):
    if not isinstance(module, Module):
        raise ValueError(f"module must be a Module, got {module!r}.")
    if not isinstance(optimizer, Optimizer):
        raise ValueError(f"optimizer must be an Optimizer such as Adam(lr=1e-3), got {optimizer!r}.")
    _check_rows(X)
    if not np.isfinite(X).all():
        raise ValueError("X contains NaN or infinity; remove or impute such values.")
    check_same_length(X, y)
    if not module.parameters():
        raise ValueError(f"{module!r} has no parameters to train.")


def _check_rows(X):
    if X.ndim < 2 or X.size == 0:
        raise ValueError(f"X must have one row per example, at least one, and its features after that; got shape {X.shape}.")


def _draw(progress, done, total, loss, last, width=24):
    """One line that redraws itself; silent off a terminal unless asked for."""
    if progress is False or (progress is None and not sys.stdout.isatty()):
        return
    full = round(width * done / total)
    sys.stdout.write(f"\r[{'#' * full}{'.' * (width - full)}] epoch {done}/{total}, loss {loss:.4f}" + ("\n" if last else ""))
    sys.stdout.flush()
