"""Stochastic gradients: mini-batches, the run of an optimizer over them, and the noise that a fixed rate leaves."""

import copy
from typing import NamedTuple

import numpy as np

from mlcore.base import check_array, check_callable, check_number, check_rng
from mlcore.foundations.gradient_descent.optimizers import Optimizer
from mlcore.foundations.gradient_descent.quadratics import step_limit
from mlcore.takes import takes


class StochasticRun(NamedTuple):
    """x : where the run stopped;  path : (updates + 1, *x.shape);  history : f at the start and after each epoch (if f was given)."""

    x: np.ndarray
    path: np.ndarray
    history: np.ndarray


def minibatches(n, batch_size, rng=None, replace=False):
    """Indices of the batches of one epoch: a shuffled pass over 0..n-1, or draws with replacement.

    Without replacement the last batch holds what is left over.

    >>> [batch.size for batch in minibatches(10, 4, rng=0)]
    [4, 4, 2]
    """
    check_number(n, "n", low=1, integer=True)
    check_number(batch_size, "batch_size", low=1, high=n, integer=True)
    rng = check_rng(rng)
    if replace:
        return list(rng.integers(n, size=(-(-n // batch_size), batch_size)))
    return np.split(rng.permutation(n), np.arange(batch_size, n, batch_size))


@takes(x0="...")
def stochastic_minimize(grad, n, x0, optimizer, batch_size=1, epochs=10, f=None, rng=None, replace=False):
    """Run ``optimizer`` on mini-batch gradients (eq-gd-minibatch) for a number of epochs.

    There is no stopping rule: the gradient of a batch does not vanish at the minimum.

    Parameters
    ----------
    grad : function of (x, indices): mean gradient of the losses of those samples
    n : number of samples
    x0, optimizer : as in :func:`minimize`
    f : function of x to record after each epoch; optional
    replace : draw batches with replacement instead of shuffling once an epoch

    >>> from mlcore.foundations.gradient_descent import SGD
    >>> z = np.array([1.0, 2.0, 6.0])
    >>> stochastic_minimize(lambda x, i: x - z[i].mean(), 3, 0.0, SGD(lr=lambda t: 1 / (t + 1)), epochs=1, rng=0).x
    array(3.)
    """
    if not isinstance(optimizer, Optimizer):
        raise ValueError(f"optimizer must be an Optimizer such as SGD(lr=0.1), got {optimizer!r}.")
    check_callable(grad, "grad")
    check_number(epochs, "epochs", low=0, integer=True)
    rng, rule = check_rng(rng), copy.copy(optimizer).reset()
    x = x0.copy()
    path, history = [x.copy()], [f(x)] if f else []
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(epochs):
            for batch in minibatches(n, batch_size, rng, replace):
                rule.step([x], [grad(x, batch)])
                path.append(x.copy())
            if f:
                history.append(f(x))
    return StochasticRun(path[-1], np.array(path), np.array(history))


def batch_covariance(gradients, batch_size, replace=False):
    """Covariance of the mean gradient of a random batch (thm-gd-batch): C / B, times (n - B)/(n - 1) without replacement.

    ``gradients`` has one row per sample.

    >>> batch_covariance([[1.0], [3.0], [5.0]], batch_size=3)
    array([[0.]])
    """
    G = check_array(gradients, name="gradients")
    n = len(G)
    check_number(batch_size, "batch_size", low=1, high=n, integer=True)
    centered = G - G.mean(axis=0)
    C = centered.T @ centered / n  # (d, d)
    correction = 1.0 if replace or n == 1 else (n - batch_size) / (n - 1)
    return C / batch_size * correction


def stationary_covariance(H, C, lr):
    """Covariance of w - w* in the long run of w <- w - lr (H (w - w*) + noise), noise of covariance C (eq-gd-stationary).

    >>> stationary_covariance([[1.0]], [[1.0]], lr=1.0)      # each step lands on a fresh sample
    array([[1.]])
    """
    limit = step_limit(H)
    check_number(lr, "lr", low=0, high=limit, open_low=True, open_high=True)
    lam, Q = np.linalg.eigh(np.asarray(H, float))
    if lam[0] <= 0:
        raise ValueError(f"H must be positive definite (smallest eigenvalue {lam[0]:.3g}); elsewhere the noise adds up without limit.")
    C = check_array(C, name="C")
    if C.shape != Q.shape:
        raise ValueError(f"C must have the shape of H, {Q.shape}, got {C.shape}.")
    denominator = lam[:, None] + lam - lr * np.outer(lam, lam)
    return Q @ (lr * (Q.T @ C @ Q) / denominator) @ Q.T


def noise_floor(H, C, lr):
    """Mean excess of f(w) = 1/2 (w - w*)^T H (w - w*) in the long run, 1/2 tr(H Sigma) (eq-gd-floor).

    >>> round(noise_floor([[2.0]], [[1.0]], lr=0.1), 6)
    0.027778
    """
    Sigma = stationary_covariance(H, C, lr)
    return 0.5 * float((np.asarray(H, float) * Sigma).sum())
