"""From logits to text: temperature, top-k, nucleus, generation; and answers chosen by their likelihood."""

import numpy as np

from mlcore.base import check_array, check_number, check_rng
from mlcore.foundations.mathematics import log_softmax, softmax
from mlcore.takes import takes
from mlcore.unsupervised.self_supervised_learning.language import all_logits, check_model
from mlcore.unsupervised.self_supervised_learning.text import check_ids


@takes(logits="... k")
def tempered(logits, temperature=1.0):
    """softmax(u / tau): tau = 1 is the model, tau -> 0 its most probable token, tau -> infinity uniform (eq-ssl-temperature).

    >>> tempered([0.0, np.log(3.0)], 0.5)
    array([0.1, 0.9])
    """
    check_number(temperature, "temperature", low=0, open_low=True)
    return softmax((logits - logits.max(axis=-1, keepdims=True)) / temperature)


def keep_top_k(probs, k):
    """Only the k most probable tokens, rescaled to sum 1 (eq-ssl-top-k); of equals the first.

    >>> keep_top_k([0.5, 0.3, 0.2], 2)
    array([0.625, 0.375, 0.   ])
    """
    probs = _check_probs(probs)
    check_number(k, "k", low=1, high=len(probs), integer=True)
    kept = np.zeros_like(probs)
    best = np.argsort(-probs, kind="stable")[:k]
    kept[best] = probs[best]
    return kept / kept.sum()


def keep_nucleus(probs, p):
    """The fewest most probable tokens whose mass reaches p, rescaled to sum 1 (eq-ssl-nucleus).

    >>> keep_nucleus([0.5, 0.3, 0.2], 0.6)
    array([0.625, 0.375, 0.   ])
    """
    probs = _check_probs(probs)
    check_number(p, "p", low=0, high=1, open_low=True)
    mass = np.cumsum(np.sort(probs)[::-1])
    k = int(np.searchsorted(mass, p - 1e-12)) + 1  # a mass that equals p up to rounding is enough
    return keep_top_k(probs, min(k, len(probs)))


@takes(model=check_model, prefix="whole T?")
def generate(model, prefix, n_new, *, temperature=1.0, top_k=None, top_p=None, greedy=False, rng=None):
    """Continue ``prefix`` by ``n_new`` tokens, each drawn given all before it; returns prefix and continuation.

    ``greedy`` takes the most probable token; otherwise the token is drawn at ``temperature``, from the ``top_k`` best
    or the nucleus of mass ``top_p`` if given.
    """
    ids = list(check_ids(prefix, model.n_words, "prefix"))
    check_number(n_new, "n_new", low=1, integer=True)
    rng = check_rng(rng)
    for _ in range(n_new):
        logits = all_logits.core(model, np.array(ids[-(model.context or len(ids)):]))[-1]
        if greedy:
            ids.append(int(logits.argmax()))
            continue
        probs = tempered(logits, temperature)
        if top_k is not None:
            probs = keep_top_k(probs, top_k)
        if top_p is not None:
            probs = keep_nucleus(probs, top_p)
        ids.append(draw.core(probs, rng))
    return np.array(ids)


@takes(rng="rng")
def draw(probs, rng):
    """One token: the first at which the running sum of the probabilities exceeds a uniform number."""
    sums = np.cumsum(_check_probs(probs))
    return int(np.searchsorted(sums, rng.random() * sums[-1], side="right"))


@takes(model=check_model, prompt="whole T?", options="list")
def score_options(model, prompt, options):
    """log P(option | prompt) of each option, a sequence of tokens: what a zero-shot answer is chosen by (eq-ssl-zero-shot)."""
    prompt, scores = check_ids(prompt, model.n_words, "prompt"), []
    for option in options:
        option = check_ids(option, model.n_words, "option")
        ids = np.concatenate([prompt, option])
        if model.context and len(ids) > model.context + 1:
            raise ValueError(f"prompt and option have {len(ids)} tokens, more than the context of {model.context} holds.")
        log_p = log_softmax(all_logits.core(model, ids[:-1]))[len(prompt) - 1:]
        scores.append(log_p[np.arange(len(option)), option].sum())
    return np.array(scores)


def _check_probs(probs):
    probs = check_array(probs, name="probs", ndim=1)
    if (probs < 0).any() or abs(probs.sum() - 1) > 1e-6:
        raise ValueError(f"probs must be probabilities that sum to 1, got the sum {probs.sum():.6g}.")
    return probs
