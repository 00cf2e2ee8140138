"""Contrastive pretraining: augmentations of small images, the SimCLR loss with its gradient, the training loop."""

import copy

import numpy as np

from mlcore.base import check_array, check_number, check_range, check_rng
from mlcore.deep.backpropagation import as_tensor, record
from mlcore.deep.neural_networks import Module, training_step
from mlcore.foundations.gradient_descent import Optimizer
from mlcore.foundations.mathematics import logsumexp
from mlcore.takes import takes


def scatter_on_canvas(images, margin=2, rng=None):
    """Each image at a random place of a larger empty one, ``margin`` pixels wider and higher.

    >>> scatter_on_canvas(np.ones((3, 8, 8)), rng=0).shape
    (3, 10, 10)
    """
    images = check_array(images, name="images", ndim=3)
    check_number(margin, "margin", low=0, integer=True)
    n, height, width = images.shape
    canvas = np.zeros((n, height + margin, width + margin))
    for target, image, (i, j) in zip(canvas, images, check_rng(rng).integers(margin + 1, size=(n, 2))):
        target[i:i + height, j:j + width] = image
    return canvas


def augment(images, rng=None, shift=1.5, rotation=10.0, noise=0.05):
    """Random views of images (n, h, w): each is turned, moved and made noisy in its own way (eq-ssl-augment).

    Parameters
    ----------
    shift : largest move along each axis, in pixels
    rotation : largest turn, in degrees
    noise : standard deviation of the Gaussian noise, in units of the pixel values

    >>> augment(np.ones((2, 8, 8)), rng=0).shape
    (2, 8, 8)
    """
    images = check_array(images, name="images", ndim=3)
    check_number(shift, "shift", low=0)
    check_number(rotation, "rotation", low=0)
    check_number(noise, "noise", low=0)
    rng = check_rng(rng)
    n, height, width = images.shape
    angle = np.deg2rad(rng.uniform(-abs(rotation), abs(rotation), n))
    rows, columns = np.meshgrid(np.arange(height) - (height - 1) / 2, np.arange(width) - (width - 1) / 2, indexing="ij")
    cos, sin = np.cos(angle)[:, None, None], np.sin(angle)[:, None, None]
    down, right = rng.uniform(-abs(shift), abs(shift), (2, n, 1, 1))
    # where each pixel of the view comes from in the image: turn back about the middle, move back
    source_rows = cos * rows + sin * columns + (height - 1) / 2 - down
    source_columns = -sin * rows + cos * columns + (width - 1) / 2 - right
    views = _bilinear(images, source_rows, source_columns)
    return views + noise * rng.normal(size=views.shape)


def _bilinear(images, rows, columns):
    """Values of images at fractional places (n, h, w), from the four pixels around; zero outside."""
    margin = np.pad(images, ((0, 0), (1, 1), (1, 1)))
    rows = np.clip(rows + 1, 0, margin.shape[1] - 1)
    columns = np.clip(columns + 1, 0, margin.shape[2] - 1)
    i = np.minimum(rows.astype(int), margin.shape[1] - 2)
    j = np.minimum(columns.astype(int), margin.shape[2] - 2)
    a, b, n = rows - i, columns - j, np.arange(len(images))[:, None, None]
    return ((1 - a) * ((1 - b) * margin[n, i, j] + b * margin[n, i, j + 1])
            + a * ((1 - b) * margin[n, i + 1, j] + b * margin[n, i + 1, j + 1]))


def simclr_loss_gradient(Z, temperature=0.2):
    """SimCLR's loss of 2B embeddings and its gradient in them (eq-ssl-simclr, thm-ssl-gradient).

    Rows i and i + B of Z (2B, m) are the two views of one example; every other row is a negative.

    >>> loss, gradient = simclr_loss_gradient(np.ones((8, 3)))          # all equal: log(2B - 1)
    >>> float(np.exp(loss).round(6)), abs(gradient).max().round(6) + 0
    (7.0, np.float64(0.0))
    """
    Z = check_array(Z, name="Z")
    check_number(temperature, "temperature", low=0, open_low=True)
    m = len(Z)
    if m % 2 or m < 4:
        raise ValueError(f"Z must hold both views of at least two examples, 2B >= 4 rows, got {m}; one pair alone has no negatives.")
    check_range(Z, "Z")
    norms = np.sqrt((Z**2).sum(axis=1, keepdims=True))
    if (norms == 0).any():
        raise ValueError("an embedding is the zero vector, which has no direction to compare.")
    U = Z / norms
    S = U @ U.T / temperature  # (2B, 2B)
    np.fill_diagonal(S, -np.inf)  # no example is its own candidate
    a, partner = np.arange(m), np.roll(np.arange(m), m // 2)
    log_total = logsumexp(S, axis=1)
    G = np.exp(S - log_total[:, None])
    loss = float(np.mean(log_total - S[a, partner]))
    G[a, partner] -= 1
    dU = (G + G.T) @ U / (m * temperature)
    return loss, (dU - (dU * U).sum(axis=1, keepdims=True) * U) / norms


def simclr_loss(Z, temperature=0.2):
    """The loss of :func:`simclr_loss_gradient` as a tensor, for training."""
    Z = as_tensor(Z)
    loss, gradient = simclr_loss_gradient(Z.data, temperature)
    return record(np.array(loss), (Z, lambda g: g * gradient))


def printed_contrastive_loss(Z1, Z2):
    """The loss as the notes print it: raw inner products, one direction, summed over the batch (eq-ssl-printed)."""
    Z1, Z2 = check_array(Z1, name="Z1"), check_array(Z2, name="Z2")
    if Z1.shape != Z2.shape:
        raise ValueError(f"Z1 and Z2 must hold one row per example each, got the shapes {Z1.shape} and {Z2.shape}.")
    S = Z1 @ Z2.T
    return float((logsumexp(S, axis=1) - np.diag(S)).sum())


@takes(network=Module, optimizer=Optimizer)
def contrastive_pretrain(network, images, optimizer, *, steps=300, batch_size=128, temperature=0.2, rng=None, view=augment, watch=None):
    """Train ``network`` in place to recognize two views of one image among the others; returns the loss of each step.

    Parameters
    ----------
    network : a Module from flattened images (n, h w) to embeddings
    images : (n, h, w), no labels
    optimizer : an Optimizer; a fresh copy is used
    view : function of (images, rng) that makes one random view of each
    watch : function of (step, network), called before each step
    """
    images = check_array(images, name="images", ndim=3)
    check_number(steps, "steps", low=1, integer=True)
    check_number(batch_size, "batch_size", low=2, high=len(images), integer=True)
    rng, rule, params = check_rng(rng), copy.copy(optimizer).reset(), network.parameters()
    history = np.empty(steps)
    for step in range(steps):
        if watch is not None:
            watch(step, network)
        batch = images[rng.choice(len(images), batch_size, replace=False)]
        views = np.concatenate([view(batch, rng), view(batch, rng)]).reshape(2 * batch_size, -1)
        history[step] = training_step(params, simclr_loss(network(views), temperature), rule)
    network.eval()
    return history
