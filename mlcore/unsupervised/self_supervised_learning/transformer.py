"""A small transformer on the autograd of the book: causal attention, blocks, the language model and its training."""

import copy

import numpy as np

from mlcore.base import as_array, check_number, check_rng
from mlcore.deep.backpropagation import Tensor, as_tensor, softmax
from mlcore.deep.neural_networks import MLP, LayerNorm, Linear, Module, cross_entropy, training_step
from mlcore.foundations.gradient_descent import Optimizer
from mlcore.takes import takes
from mlcore.unsupervised.self_supervised_learning.text import check_ids


def causal_attention(Q, K, V):
    """softmax(Q K' / sqrt(m) + mask) V over the last two axes: position t reads positions 1..t only (eq-ssl-attention).

    >>> Q = K = Tensor(np.zeros((3, 2)))
    >>> causal_attention(Q, K, Tensor(np.array([[0.0], [2.0], [4.0]]))).data.ravel()
    array([0., 1., 2.])
    """
    Q, K, V = as_tensor(Q), as_tensor(K), as_tensor(V)
    if Q.ndim < 2 or Q.shape != K.shape or V.shape[:-1] != K.shape[:-1] or not Q.size or not V.size:
        raise ValueError(f"Q and K must have one shape (..., T, m), and V as many rows; got {Q.shape}, {K.shape} and {V.shape}.")
    length, width = Q.shape[-2:]
    scores = Q @ K.swapaxes(-1, -2) * width**-0.5  # (..., T, m) @ (..., m, T) -> (..., T, T)
    mask = np.triu(np.full((length, length), -np.inf), k=1)  # exp(-inf) = 0: no weight on the future
    return softmax(scores + mask) @ V


class SelfAttention(Module):
    """Causal attention of a sequence to itself in several heads, (n, T, m) -> (n, T, m) (eq-ssl-qkv).

    >>> SelfAttention(8, heads=2, rng=0)(np.zeros((3, 5, 8))).shape
    (3, 5, 8)
    """

    def __init__(self, width, heads=2, rng=None):
        check_number(width, "width", low=1, integer=True)
        self.heads = check_number(heads, "heads", low=1, integer=True)
        if width % heads:
            raise ValueError(f"width must be a multiple of heads, got width={width}, heads={heads}.")
        rng = check_rng(rng)
        self.query, self.key, self.value, self.out = (Linear(width, width, bias=False, scheme="glorot", rng=rng) for _ in range(4))

    def forward(self, x):
        """Mix the values of the earlier positions."""
        if x.ndim != 3 or x.size == 0:
            raise ValueError(f"attention takes sequences (n, T, m), but the input has shape {x.shape}.")
        n, length, width = x.shape

        def split(y):  # (n, T, m) -> (n, heads, T, m / heads)
            return y.reshape(n, length, self.heads, -1).swapaxes(1, 2)

        mixed = causal_attention(split(self.query(x)), split(self.key(x)), split(self.value(x)))
        return self.out(mixed.swapaxes(1, 2).reshape(n, length, width))


class Block(Module):
    """x + attention(norm(x)), then x + mlp(norm(x)) (eq-ssl-block)."""

    def __init__(self, width, heads=2, rng=None):
        rng = check_rng(rng)
        self.norm1, self.attention = LayerNorm(width), SelfAttention(width, heads, rng)
        self.norm2, self.mlp = LayerNorm(width), MLP([width, 2 * width, width], rng=rng)

    def forward(self, x):
        """The two residual steps."""
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class TinyTransformer(Module):
    """Logits of the next token at every position of a sequence of tokens, (n, T) -> (n, T, V) (eq-ssl-transformer).

    Parameters
    ----------
    n_words : size V of the vocabulary;  context : longest sequence
    width, heads, blocks : size of the embeddings, attention heads and blocks

    Attributes
    ----------
    words : (V, m) embeddings e_i;  places : (context, m) embeddings of the positions

    >>> model = TinyTransformer(5, context=4, width=8, rng=0)
    >>> model(np.array([[0, 3, 1]])).shape
    (1, 3, 5)
    """

    def __init__(self, n_words, context=32, width=32, heads=2, blocks=2, rng=None):
        self.n_words = check_number(n_words, "n_words", low=2, integer=True)
        self.context = check_number(context, "context", low=1, integer=True)
        check_number(blocks, "blocks", low=1, integer=True)
        check_number(width, "width", low=1, integer=True)
        rng = check_rng(rng)
        self.words = Tensor(rng.normal(scale=0.3, size=(n_words, width)), requires_grad=True)
        self.places = Tensor(rng.normal(scale=0.3, size=(context, width)), requires_grad=True)
        self.blocks = [Block(width, heads, rng) for _ in range(blocks)]
        self.norm, self.head = LayerNorm(width), Linear(width, n_words, scheme="glorot", rng=rng)

    def __call__(self, ids):
        """As `forward`: the input is not one tensor but token numbers."""
        return self.forward(ids)

    def forward(self, ids):
        """Logits of the tokens that follow each prefix of the rows of ``ids`` (n, T)."""
        ids = check_ids(ids, self.n_words)
        if ids.ndim != 2 or ids.shape[1] > self.context:
            raise ValueError(f"ids must have shape (n, T) with T <= context={self.context}, got {ids.shape}.")
        return self.head(self.features(ids))

    def features(self, ids):
        """c_t, the representation of each prefix that the last layer turns into logits (n, T, m)."""
        x = self.words[ids] + self.places[np.arange(ids.shape[1])]
        for block in self.blocks:
            x = block(x)
        return self.norm(x)


def language_loss(logits, ids):
    """Mean cross-entropy of the tokens ``ids`` (n, T) under logits (n, T, V), in nats (eq-ssl-lm-loss)."""
    logits, ids = as_tensor(logits), as_array(ids, "ids")
    if logits.ndim < 2 or ids.shape != logits.shape[:-1]:
        raise ValueError(f"ids must have the shape of the logits without their last axis, {logits.shape[:-1]}, got {ids.shape}.")
    return cross_entropy(logits.reshape(-1, logits.shape[-1]), ids.ravel())


@takes(model=Module, optimizer=Optimizer)
def train_language_model(model, ids, optimizer, *, steps=300, batch_size=16, rng=None, watch=None):
    """Train ``model`` in place on random windows of a long sequence; returns the loss of each step.

    A window of context + 1 tokens gives the inputs, all but its last, and the targets, all but its first.
    ``watch`` is a function of (step, model), called before each step.
    """
    ids = check_ids(ids, model.n_words)
    if ids.ndim != 1 or len(ids) <= model.context:
        raise ValueError(f"ids must be one sequence of more than context={model.context} tokens, got shape {ids.shape}.")
    check_number(steps, "steps", low=1, integer=True)
    check_number(batch_size, "batch_size", low=1, integer=True)
    rng, rule, params = check_rng(rng), copy.copy(optimizer).reset(), model.parameters()
    history = np.empty(steps)
    for step in range(steps):
        if watch is not None:
            watch(step, model)
        starts = rng.integers(len(ids) - model.context, size=(batch_size, 1))
        window = ids[starts + np.arange(model.context + 1)]
        history[step] = training_step(params, language_loss(model(window[:, :-1]), window[:, 1:]), rule)
    model.eval()
    return history
