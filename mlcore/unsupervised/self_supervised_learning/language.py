"""Bigram language models, and what every language model is measured by: log-likelihood of a text, perplexity."""

import numpy as np

from mlcore.base import check_number
from mlcore.deep.backpropagation import Tensor, no_grad
from mlcore.foundations.mathematics import log_softmax
from mlcore.takes import takes
from mlcore.unsupervised.self_supervised_learning.text import check_ids


@takes(n_words="integer >= 1")
def bigram_counts(ids, n_words):
    """N (V, V) with N_ij = how often token j follows token i.

    >>> bigram_counts([0, 1, 0, 1, 1], 2)
    array([[0, 2],
           [1, 1]])
    """
    ids = check_ids(ids, n_words)
    if ids.ndim != 1 or len(ids) < 2:
        raise ValueError(f"ids must be one sequence of at least two tokens, got shape {ids.shape}.")
    return np.bincount(ids[:-1] * n_words + ids[1:], minlength=n_words**2).reshape(n_words, n_words)


class BigramModel:
    """P(x_t = j | x_(t-1) = i) = (N_ij + alpha) / (N_i + alpha V) (eq-ssl-bigram).

    Parameters
    ----------
    n_words : size V of the vocabulary
    alpha : pseudo-count of every pair; above 0, so that no pair is impossible

    Attributes
    ----------
    log_probs_ : (V, V), row i the logarithms of P(. | i): the weights of softmax regression on the one-hot token

    >>> model = BigramModel(2, alpha=1.0).fit([0, 1, 0, 1, 1])
    >>> np.exp(model.log_probs_).round(2)
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """

    context = None  # any length; only the last token matters

    def __init__(self, n_words, alpha=0.1):
        self.n_words = check_number(n_words, "n_words", low=2, integer=True)
        self.alpha = check_number(alpha, "alpha", low=0, open_low=True)

    def fit(self, ids):
        """Count the pairs of a sequence."""
        counts = bigram_counts(ids, self.n_words) + self.alpha
        self.log_probs_ = np.log(counts / counts.sum(axis=1, keepdims=True))
        return self

    def __call__(self, ids):
        """Logits (n, T, V) of what follows each token of ``ids`` (n, T)."""
        return self.log_probs_[check_ids(ids, self.n_words)]


def check_model(model, name="model"):
    """Return a language model: a function of token numbers that knows the size of its vocabulary, ``n_words``."""
    if not callable(model) or not hasattr(model, "n_words"):
        raise TypeError(f"{name} must be a language model such as BigramModel or TinyTransformer, got {model!r}.")
    return model


@takes(model=check_model, ids="whole T")
def all_logits(model, ids):
    """Logits (T, V) after every prefix of one sequence, as an array; a model returns a tensor or an array."""
    with no_grad():
        logits = model(np.asarray(ids)[None])
    return (logits.data if isinstance(logits, Tensor) else logits)[0]


@takes(model=check_model)
def token_log_probs(model, ids):
    """(T - 1,) logarithms of P(x_t | x_1..x_(t-1)) for all tokens but the first (eq-ssl-chain).

    A model with a limited context reads the text in windows that overlap by half of it, so that every token but those
    of the first window is judged with at least that half before it.
    """
    ids = check_ids(ids, model.n_words)
    if ids.ndim != 1 or len(ids) < 2:
        raise ValueError(f"ids must be one sequence of at least two tokens, got shape {ids.shape}.")
    context = model.context or len(ids)
    half, scored = max(context // 2, 1), []
    done = 1  # tokens judged so far; the first has nothing before it
    while done < len(ids):
        start = max(done - half, 0) if done > 1 else 0
        window = ids[start:start + context + 1]
        log_p = log_softmax(all_logits.core(model, window[:-1]))
        log_p = log_p[np.arange(len(window) - 1), window[1:]]
        scored.append(log_p[done - start - 1:])
        done = start + len(window)
    return np.concatenate(scored)


@takes(model=check_model)
def perplexity(model, ids):
    """exp of the mean of -log P(x_t | x_1..x_(t-1)) over a text (eq-ssl-perplexity).

    >>> uniform = BigramModel(4, alpha=1e9).fit([0, 1])
    >>> round(perplexity(uniform, [0, 3, 2, 1]), 6)
    4.0
    """
    return float(np.exp(-np.mean(token_log_probs(model, ids))))
