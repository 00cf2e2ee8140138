"""From messages to word vectors: tokens, a vocabulary, and the small corpus of the book."""

import csv
import re
from collections import Counter
from importlib.resources import files

import numpy as np

from mlcore.base import check_number


def tokenize(text):
    """Words of a message in lower case: runs of letters and digits, with inner apostrophes.

    >>> tokenize("Don't miss it: WIN 500!")
    ["don't", 'miss', 'it', 'win', '500']
    """
    if not isinstance(text, str):
        raise ValueError(f"a message must be text, got {type(text).__name__}.")
    return re.findall(r"[a-z0-9]+(?:'[a-z0-9]+)*", text.lower())


class Vocabulary:
    """A numbered list of words; turns messages into word numbers, counts or presence.

    Parameters
    ----------
    words : the words, without repeats; their order gives the columns

    >>> vocabulary = Vocabulary.of(["buy now", "buy milk buy bread"])
    >>> vocabulary.words
    ['bread', 'buy', 'milk', 'now']
    >>> vocabulary.counts(["buy buy now"])
    array([[0., 2., 0., 1.]])
    """

    def __init__(self, words):
        if isinstance(words, str) or not hasattr(words, "__iter__"):
            raise TypeError(f"words must be a list of words, got {words!r}.")
        self.words = list(words)
        if not self.words:
            raise ValueError("the vocabulary is empty; give messages with at least one word that is not excluded.")
        self.index = {word: j for j, word in enumerate(self.words)}
        if len(self.index) < len(self.words):
            raise ValueError("the vocabulary repeats a word; every word needs one column.")

    @classmethod
    def of(cls, messages, min_count=1, stop_words=()):
        """All words that occur at least ``min_count`` times in the messages, in alphabetical order, without ``stop_words``."""
        check_number(min_count, "min_count", low=1, integer=True)
        totals = Counter(word for text in _messages(messages) for word in tokenize(text))
        return cls(sorted(w for w, n in totals.items() if n >= min_count and w not in set(stop_words)))

    def __len__(self):
        return len(self.words)

    def ids(self, text):
        """Numbers of the words of one message in their order; unknown words are left out."""
        return [self.index[word] for word in tokenize(text) if word in self.index]

    def counts(self, messages):
        """Word counts (n, number of words), for the multinomial event model."""
        X = np.zeros((len(_messages(messages)), len(self)))
        for i, text in enumerate(messages):
            np.add.at(X[i], self.ids(text), 1.0)
        return X

    def presence(self, messages):
        """1 where a message holds the word, else 0, for the Bernoulli event model."""
        return np.minimum(self.counts(messages), 1.0)


def _messages(messages):
    """A list of texts; one text by itself is a likely slip."""
    if isinstance(messages, str):
        raise ValueError("messages must be a list of texts, got one text; put it in a list.")
    return messages


def load_messages():
    """Return the 120 short messages written for the book and their labels "ham" or "spam".

    >>> texts, labels = load_messages()
    >>> len(texts), int((labels == "spam").sum())
    (120, 48)
    """
    with files(__package__).joinpath("messages.csv").open(encoding="utf8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [row["text"] for row in rows], np.array([row["label"] for row in rows])
