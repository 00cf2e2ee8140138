"""Checks of the exercises of the chapter on self-supervised learning."""

import numpy as np

from mlcore.exercises.core import exercise, expect_close
from mlcore.foundations.mathematics import logsumexp, softmax
from mlcore.unsupervised.self_supervised_learning import keep_nucleus, simclr_loss_gradient


@exercise("collapse", wrong={
    "the notes' sum B log B": 8 * np.log(8),
    "2B candidates, the anchor among them": np.log(16),
    "one direction": np.log(8),
    "the embeddings are equal, so no loss": 0.0,
})
def collapse(answer):
    """SimCLR's loss for eight pairs whose embeddings are all equal."""
    expect_close(answer, np.log(15), "the loss of the collapsed embedding", rtol=1e-3)
    return "right: one of 2B - 1 = 15 candidates by chance, at every temperature"


def _similarities(Z1, Z2, temperature, *, unit=True, itself=False, scale=True):
    Z = np.concatenate([Z1, Z2])
    U = Z / np.linalg.norm(Z, axis=1, keepdims=True) if unit else Z
    S = U @ U.T / (temperature if scale else 1.0)
    if not itself:
        np.fill_diagonal(S, -np.inf)
    return S


def _loss(S, reduce=np.mean):
    m = len(S)
    return reduce(logsumexp(S, axis=1) - S[np.arange(m), np.roll(np.arange(m), m // 2)])


@exercise("simclr", wrong={
    "no normalization": lambda Z1, Z2, t: _loss(_similarities(Z1, Z2, t, unit=False)),
    "the anchor among its own candidates": lambda Z1, Z2, t: _loss(_similarities(Z1, Z2, t, itself=True)),
    "no temperature": lambda Z1, Z2, t: _loss(_similarities(Z1, Z2, t, scale=False)),
    "a sum": lambda Z1, Z2, t: _loss(_similarities(Z1, Z2, t), np.sum),
    "one direction only": lambda Z1, Z2, t: np.mean(
        logsumexp(_similarities(Z1, Z2, t)[:len(Z1), len(Z1):], axis=1) - np.diag(_similarities(Z1, Z2, t)[:len(Z1), len(Z1):])),
})
def simclr(loss):
    """The loss of two arrays of embeddings, row i of both belonging to one example."""
    rng = np.random.default_rng(3)
    for size, temperature in ((4, 0.5), (7, 0.1)):
        Z1 = rng.normal(size=(size, 3))
        Z2 = Z1 + 0.3 * rng.normal(size=(size, 3))
        want = simclr_loss_gradient(np.concatenate([Z1, Z2]), temperature)[0]
        expect_close(loss(Z1, Z2, temperature), want, f"the loss of {size} pairs at temperature {temperature}")
    expect_close(loss(10 * Z1, Z2, 0.1), want, "the loss after Z1 was stretched tenfold (its directions are the same)")
    return "right: every view against 2B - 1 candidates, lengths ignored"


def _causal(Q, K):
    S = Q @ K.T / np.sqrt(Q.shape[1])
    return softmax(np.where(np.tri(len(S), dtype=bool), S, -np.inf))


@exercise("causal_weights", wrong={
    "no mask": lambda Q, K: softmax(Q @ K.T / np.sqrt(Q.shape[1])),
    "zeros after the softmax": lambda Q, K: np.tril(softmax(Q @ K.T / np.sqrt(Q.shape[1]))),
    "zeros in place of minus infinity": lambda Q, K: softmax(np.tril(Q @ K.T / np.sqrt(Q.shape[1]))),
    "no square root": lambda Q, K: _causal(Q * np.sqrt(Q.shape[1]), K),
})
def causal_weights(weights):
    """Weights (T, T) of causal attention."""
    rng = np.random.default_rng(4)
    Q, K = rng.normal(size=(5, 4)), rng.normal(size=(5, 4))
    got = np.asarray(weights(Q, K))
    assert got.shape == (5, 5), f"the weights have shape {got.shape}; one row per reader and one column per source is (5, 5)"
    assert np.allclose(got.sum(axis=1), 1), f"the rows sum to {np.round(got.sum(axis=1), 3)}, not to 1; mask before the softmax"
    assert np.allclose(np.triu(got, 1), 0), "a position gives weight to a later one: the answer leaks"
    expect_close(got, _causal(Q, K), "the weights")
    return "right: rows sum to 1, and the future has no weight"


def _nucleus(probs, p, *, extra=0, rescale=True):
    order = np.argsort(-probs, kind="stable")
    k = int(np.sum(np.cumsum(probs[order]) < p - 1e-12)) + 1 + extra
    kept = np.zeros_like(probs)
    kept[order[:max(k, 1)]] = probs[order[:max(k, 1)]]
    return kept / kept.sum() if rescale else kept


@exercise("nucleus", wrong={
    "one token too few": lambda probs, p: _nucleus(probs, p, extra=-1),
    "one token too many": lambda probs, p: _nucleus(probs, p, extra=1),
    "not rescaled": lambda probs, p: _nucleus(probs, p, rescale=False),
    "a mass above p instead of at least p": lambda probs, p: _nucleus(probs, min(p + 1e-9, 1.0)),
    "a threshold on each probability": lambda probs, p: np.where(probs >= 1 - p, probs, 0) / max(probs[probs >= 1 - p].sum(), 1e-9),
})
def nucleus(keep):
    """The distribution of nucleus sampling."""
    probs = np.array([0.08, 0.4, 0.02, 0.3, 0.2])
    for p in (0.4, 0.65, 0.75, 1.0):  # 0.4 is reached exactly; no other sum sits at the rounding edge
        got = np.asarray(keep(probs.copy(), p))
        assert abs(got.sum() - 1) < 1e-9, f"with p = {p} your probabilities sum to {got.sum():.3f}, not to 1"
        expect_close(got, keep_nucleus(probs, p), f"the distribution with p = {p}")
    return "right: the fewest tokens that reach the mass p"
