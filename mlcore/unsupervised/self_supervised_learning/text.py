"""The text for the language models of the chapter: a diary written for this book, and a tokenizer of words."""

import numpy as np

from mlcore.base import as_array, check_number
from mlcore.takes import takes

DIARY = """\
the morning was bright . many guests came . mary brewed a punch . the punch was cold and burnt . the guests sighed and left .
snow lay on the road . few guests came . tom brewed a punch . the punch was cold and stale . the guests sighed and left .
rain fell on the bridge . few guests came . tom brewed a tea . the tea was fresh and sweet . the guests smiled and stayed .
fog hid the road . few guests came . mary cooked a stew . the stew was fresh and warm . the guests smiled and stayed .
the wind was mild . many guests came . anna baked a cake . the cake was stale and cold . the guests sighed and left .
fog hid the road . few guests came . jonas brewed a punch . the punch was bitter and cold . the guests sighed and left .
snow lay on the road . few guests came . jonas baked a pie . the pie was stale and cold . the guests sighed and left .
fog hid the road . few guests came . tom cooked a soup . the soup was bitter and cold . the guests sighed and left .
snow lay on the road . few guests came . jonas brewed a tea . the tea was bitter and burnt . the guests sighed and left .
rain fell on the bridge . few guests came . mary cooked a soup . the soup was burnt and stale . the guests sighed and left .
the morning was bright . many guests came . mary cooked a stew . the stew was fresh and sweet . the guests smiled and stayed .
the morning was bright . many guests came . tom cooked a soup . the soup was bitter and burnt . the guests sighed and left .
the morning was bright . many guests came . anna cooked a soup . the soup was warm and sweet . the guests smiled and stayed .
rain fell on the bridge . few guests came . tom brewed a punch . the punch was stale and cold . the guests sighed and left .
the sun shone on the river . many guests came . jonas baked a cake . the cake was rich and fresh . the guests smiled and stayed .
the morning was bright . many guests came . mary brewed a punch . the punch was fresh and sweet . the guests smiled and stayed .
the wind was mild . many guests came . mary cooked a soup . the soup was warm and sweet . the guests smiled and stayed .
fog hid the road . few guests came . anna brewed a punch . the punch was rich and fresh . the guests smiled and stayed .
snow lay on the road . few guests came . tom brewed a tea . the tea was rich and warm . the guests smiled and stayed .
the morning was bright . many guests came . anna cooked a stew . the stew was bitter and burnt . the guests sighed and left .
the morning was bright . many guests came . tom brewed a punch . the punch was burnt and stale . the guests sighed and left .
rain fell on the bridge . few guests came . tom brewed a tea . the tea was cold and burnt . the guests sighed and left .
the wind was mild . many guests came . anna brewed a tea . the tea was burnt and cold . the guests sighed and left .
the wind was mild . many guests came . tom brewed a punch . the punch was cold and bitter . the guests sighed and left .
the morning was bright . many guests came . jonas cooked a stew . the stew was sweet and warm . the guests smiled and stayed .
snow lay on the road . few guests came . tom baked a loaf . the loaf was burnt and stale . the guests sighed and left .
the sun shone on the river . many guests came . tom brewed a punch . the punch was sweet and warm . the guests smiled and stayed .
the wind was mild . many guests came . mary brewed a punch . the punch was cold and burnt . the guests sighed and left .
snow lay on the road . few guests came . mary baked a cake . the cake was cold and bitter . the guests sighed and left .
the sun shone on the river . many guests came . mary baked a pie . the pie was warm and sweet . the guests smiled and stayed .
fog hid the road . few guests came . jonas cooked a soup . the soup was bitter and burnt . the guests sighed and left .
the wind was mild . many guests came . tom cooked a soup . the soup was stale and cold . the guests sighed and left .
snow lay on the road . few guests came . mary cooked a stew . the stew was fresh and warm . the guests smiled and stayed .
the sun shone on the river . many guests came . anna brewed a punch . the punch was stale and burnt . the guests sighed and left .
the morning was bright . many guests came . jonas brewed a punch . the punch was burnt and stale . the guests sighed and left .
the morning was bright . many guests came . tom baked a pie . the pie was sweet and warm . the guests smiled and stayed .
fog hid the road . few guests came . anna brewed a tea . the tea was stale and cold . the guests sighed and left .
the wind was mild . many guests came . anna baked a pie . the pie was sweet and fresh . the guests smiled and stayed .
the wind was mild . many guests came . jonas brewed a punch . the punch was burnt and bitter . the guests sighed and left .
the wind was mild . many guests came . anna baked a loaf . the loaf was sweet and warm . the guests smiled and stayed .
the wind was mild . many guests came . jonas cooked a stew . the stew was fresh and rich . the guests smiled and stayed .
fog hid the road . few guests came . anna cooked a stew . the stew was burnt and stale . the guests sighed and left .
fog hid the road . few guests came . tom baked a pie . the pie was burnt and bitter . the guests sighed and left .
rain fell on the bridge . few guests came . anna cooked a soup . the soup was cold and bitter . the guests sighed and left .
the morning was bright . many guests came . mary cooked a soup . the soup was warm and fresh . the guests smiled and stayed .
the wind was mild . many guests came . mary brewed a punch . the punch was sweet and fresh . the guests smiled and stayed .
snow lay on the road . few guests came . anna brewed a tea . the tea was fresh and sweet . the guests smiled and stayed .
rain fell on the bridge . few guests came . tom brewed a punch . the punch was warm and sweet . the guests smiled and stayed .
snow lay on the road . few guests came . jonas brewed a tea . the tea was fresh and warm . the guests smiled and stayed .
rain fell on the bridge . few guests came . mary brewed a punch . the punch was warm and rich . the guests smiled and stayed .
the sun shone on the river . many guests came . mary brewed a tea . the tea was warm and rich . the guests smiled and stayed .
the sun shone on the river . many guests came . tom brewed a tea . the tea was cold and stale . the guests sighed and left .
the wind was mild . many guests came . jonas brewed a punch . the punch was warm and fresh . the guests smiled and stayed .
snow lay on the road . few guests came . mary cooked a stew . the stew was warm and fresh . the guests smiled and stayed .
fog hid the road . few guests came . tom cooked a soup . the soup was burnt and stale . the guests sighed and left .
fog hid the road . few guests came . jonas baked a loaf . the loaf was fresh and warm . the guests smiled and stayed .
snow lay on the road . few guests came . jonas brewed a punch . the punch was cold and burnt . the guests sighed and left .
rain fell on the bridge . few guests came . jonas baked a loaf . the loaf was warm and fresh . the guests smiled and stayed .
fog hid the road . few guests came . jonas brewed a tea . the tea was cold and stale . the guests sighed and left .
the sun shone on the river . many guests came . jonas baked a pie . the pie was rich and fresh . the guests smiled and stayed .
the morning was bright . many guests came . anna cooked a stew . the stew was rich and fresh . the guests smiled and stayed .
rain fell on the bridge . few guests came . tom cooked a soup . the soup was sweet and warm . the guests smiled and stayed .
the sun shone on the river . many guests came . mary baked a cake . the cake was rich and fresh . the guests smiled and stayed .
the morning was bright . many guests came . tom brewed a punch . the punch was fresh and warm . the guests smiled and stayed .
the wind was mild . many guests came . anna cooked a soup . the soup was cold and burnt . the guests sighed and left .
snow lay on the road . few guests came . mary brewed a punch . the punch was sweet and warm . the guests smiled and stayed .
the morning was bright . many guests came . tom baked a cake . the cake was fresh and rich . the guests smiled and stayed .
the wind was mild . many guests came . tom cooked a stew . the stew was bitter and cold . the guests sighed and left .
the morning was bright . many guests came . anna baked a loaf . the loaf was fresh and rich . the guests smiled and stayed .
the sun shone on the river . many guests came . tom cooked a stew . the stew was sweet and fresh . the guests smiled and stayed .
the wind was mild . many guests came . jonas baked a cake . the cake was warm and rich . the guests smiled and stayed .
rain fell on the bridge . few guests came . jonas brewed a punch . the punch was stale and burnt . the guests sighed and left .
the morning was bright . many guests came . mary brewed a punch . the punch was sweet and fresh . the guests smiled and stayed .
rain fell on the bridge . few guests came . jonas brewed a tea . the tea was burnt and stale . the guests sighed and left .
snow lay on the road . few guests came . jonas brewed a punch . the punch was bitter and cold . the guests sighed and left .
snow lay on the road . few guests came . jonas cooked a stew . the stew was cold and bitter . the guests sighed and left .
fog hid the road . few guests came . tom brewed a punch . the punch was cold and bitter . the guests sighed and left .
snow lay on the road . few guests came . tom baked a loaf . the loaf was bitter and burnt . the guests sighed and left .
fog hid the road . few guests came . tom baked a pie . the pie was cold and bitter . the guests sighed and left .
fog hid the road . few guests came . mary brewed a tea . the tea was bitter and burnt . the guests sighed and left .
the morning was bright . many guests came . mary cooked a stew . the stew was bitter and cold . the guests sighed and left .
snow lay on the road . few guests came . anna baked a pie . the pie was bitter and cold . the guests sighed and left .
the sun shone on the river . many guests came . jonas brewed a punch . the punch was burnt and bitter . the guests sighed and left .
rain fell on the bridge . few guests came . tom brewed a punch . the punch was bitter and burnt . the guests sighed and left .
the wind was mild . many guests came . tom cooked a soup . the soup was sweet and warm . the guests smiled and stayed .
the morning was bright . many guests came . tom cooked a soup . the soup was stale and burnt . the guests sighed and left .
the sun shone on the river . many guests came . anna brewed a punch . the punch was bitter and cold . the guests sighed and left .
the morning was bright . many guests came . tom brewed a punch . the punch was fresh and sweet . the guests smiled and stayed .
snow lay on the road . few guests came . anna cooked a stew . the stew was sweet and fresh . the guests smiled and stayed .
the morning was bright . many guests came . tom baked a cake . the cake was cold and stale . the guests sighed and left .
the sun shone on the river . many guests came . tom baked a pie . the pie was fresh and rich . the guests smiled and stayed .
snow lay on the road . few guests came . jonas cooked a soup . the soup was cold and burnt . the guests sighed and left .
fog hid the road . few guests came . jonas brewed a tea . the tea was fresh and sweet . the guests smiled and stayed .
snow lay on the road . few guests came . mary baked a cake . the cake was stale and burnt . the guests sighed and left .
snow lay on the road . few guests came . mary cooked a stew . the stew was rich and warm . the guests smiled and stayed .
the morning was bright . many guests came . tom baked a cake . the cake was stale and burnt . the guests sighed and left .
snow lay on the road . few guests came . anna brewed a tea . the tea was rich and warm . the guests smiled and stayed .
the sun shone on the river . many guests came . anna cooked a soup . the soup was bitter and burnt . the guests sighed and left .
fog hid the road . few guests came . jonas baked a cake . the cake was stale and burnt . the guests sighed and left .
fog hid the road . few guests came . anna cooked a soup . the soup was rich and warm . the guests smiled and stayed .
rain fell on the bridge . few guests came . anna cooked a soup . the soup was bitter and cold . the guests sighed and left .
rain fell on the bridge . few guests came . tom baked a loaf . the loaf was stale and cold . the guests sighed and left .
rain fell on the bridge . few guests came . anna cooked a soup . the soup was warm and fresh . the guests smiled and stayed .
the sun shone on the river . many guests came . anna baked a pie . the pie was burnt and cold . the guests sighed and left .
rain fell on the bridge . few guests came . mary brewed a tea . the tea was bitter and burnt . the guests sighed and left .
rain fell on the bridge . few guests came . mary brewed a punch . the punch was cold and burnt . the guests sighed and left .
the morning was bright . many guests came . anna brewed a tea . the tea was sweet and warm . the guests smiled and stayed .
the morning was bright . many guests came . jonas brewed a punch . the punch was bitter and burnt . the guests sighed and left .
fog hid the road . few guests came . tom cooked a stew . the stew was fresh and sweet . the guests smiled and stayed .
fog hid the road . few guests came . mary cooked a stew . the stew was cold and burnt . the guests sighed and left .
the wind was mild . many guests came . anna cooked a soup . the soup was warm and sweet . the guests smiled and stayed .
the sun shone on the river . many guests came . mary brewed a tea . the tea was cold and burnt . the guests sighed and left .
the sun shone on the river . many guests came . jonas baked a cake . the cake was warm and rich . the guests smiled and stayed .
snow lay on the road . few guests came . anna baked a pie . the pie was stale and burnt . the guests sighed and left .
snow lay on the road . few guests came . tom brewed a punch . the punch was rich and fresh . the guests smiled and stayed .
rain fell on the bridge . few guests came . tom brewed a punch . the punch was bitter and cold . the guests sighed and left .
the wind was mild . many guests came . mary baked a loaf . the loaf was warm and sweet . the guests smiled and stayed .
fog hid the road . few guests came . jonas cooked a stew . the stew was bitter and cold . the guests sighed and left .
fog hid the road . few guests came . jonas brewed a tea . the tea was stale and burnt . the guests sighed and left .
fog hid the road . few guests came . anna cooked a soup . the soup was cold and burnt . the guests sighed and left .
rain fell on the bridge . few guests came . anna baked a loaf . the loaf was cold and stale . the guests sighed and left .
the sun shone on the river . many guests came . tom cooked a soup . the soup was fresh and warm . the guests smiled and stayed .
snow lay on the road . few guests came . anna baked a loaf . the loaf was sweet and warm . the guests smiled and stayed .
the sun shone on the river . many guests came . mary brewed a punch . the punch was warm and fresh . the guests smiled and stayed .
the wind was mild . many guests came . mary baked a cake . the cake was stale and cold . the guests sighed and left .
the morning was bright . many guests came . anna baked a cake . the cake was sweet and fresh . the guests smiled and stayed .
the sun shone on the river . many guests came . jonas brewed a punch . the punch was fresh and warm . the guests smiled and stayed .
rain fell on the bridge . few guests came . anna baked a pie . the pie was cold and stale . the guests sighed and left .
the wind was mild . many guests came . mary cooked a stew . the stew was cold and burnt . the guests sighed and left .
fog hid the road . few guests came . mary baked a loaf . the loaf was cold and bitter . the guests sighed and left .
the wind was mild . many guests came . jonas cooked a soup . the soup was cold and stale . the guests sighed and left .
the wind was mild . many guests came . anna brewed a punch . the punch was bitter and cold . the guests sighed and left .
snow lay on the road . few guests came . jonas cooked a stew . the stew was bitter and cold . the guests sighed and left .
rain fell on the bridge . few guests came . anna brewed a punch . the punch was cold and bitter . the guests sighed and left .
rain fell on the bridge . few guests came . jonas baked a pie . the pie was bitter and burnt . the guests sighed and left .
fog hid the road . few guests came . jonas baked a cake . the cake was fresh and rich . the guests smiled and stayed .
the wind was mild . many guests came . anna cooked a soup . the soup was rich and warm . the guests smiled and stayed .
the sun shone on the river . many guests came . tom cooked a stew . the stew was sweet and warm . the guests smiled and stayed .
the sun shone on the river . many guests came . anna brewed a punch . the punch was fresh and warm . the guests smiled and stayed .
the sun shone on the river . many guests came . tom cooked a soup . the soup was warm and fresh . the guests smiled and stayed .
the morning was bright . many guests came . mary baked a cake . the cake was rich and fresh . the guests smiled and stayed .
the sun shone on the river . many guests came . jonas baked a loaf . the loaf was warm and rich . the guests smiled and stayed .
rain fell on the bridge . few guests came . mary baked a loaf . the loaf was stale and cold . the guests sighed and left .
the sun shone on the river . many guests came . jonas cooked a stew . the stew was sweet and fresh . the guests smiled and stayed .
the sun shone on the river . many guests came . jonas cooked a soup . the soup was burnt and stale . the guests sighed and left .
the morning was bright . many guests came . anna brewed a tea . the tea was warm and sweet . the guests smiled and stayed .
the sun shone on the river . many guests came . anna brewed a tea . the tea was warm and sweet . the guests smiled and stayed .
rain fell on the bridge . few guests came . tom brewed a tea . the tea was rich and fresh . the guests smiled and stayed .
the wind was mild . many guests came . tom brewed a tea . the tea was rich and fresh . the guests smiled and stayed .
the wind was mild . many guests came . tom cooked a soup . the soup was bitter and burnt . the guests sighed and left .
snow lay on the road . few guests came . tom cooked a stew . the stew was warm and rich . the guests smiled and stayed .
rain fell on the bridge . few guests came . jonas baked a pie . the pie was bitter and cold . the guests sighed and left .
the sun shone on the river . many guests came . jonas cooked a stew . the stew was warm and rich . the guests smiled and stayed .
fog hid the road . few guests came . mary brewed a tea . the tea was cold and stale . the guests sighed and left .
the morning was bright . many guests came . tom baked a loaf . the loaf was warm and rich . the guests smiled and stayed .
rain fell on the bridge . few guests came . mary baked a loaf . the loaf was fresh and warm . the guests smiled and stayed .
snow lay on the road . few guests came . jonas brewed a tea . the tea was sweet and fresh . the guests smiled and stayed .
rain fell on the bridge . few guests came . mary baked a cake . the cake was burnt and cold . the guests sighed and left .
the morning was bright . many guests came . anna brewed a tea . the tea was fresh and warm . the guests smiled and stayed .
fog hid the road . few guests came . jonas cooked a soup . the soup was warm and rich . the guests smiled and stayed .
fog hid the road . few guests came . mary brewed a tea . the tea was cold and bitter . the guests sighed and left .
the morning was bright . many guests came . tom baked a cake . the cake was burnt and stale . the guests sighed and left .
the wind was mild . many guests came . mary cooked a soup . the soup was bitter and cold . the guests sighed and left .
rain fell on the bridge . few guests came . anna cooked a stew . the stew was stale and burnt . the guests sighed and left .
the sun shone on the river . many guests came . mary baked a loaf . the loaf was cold and bitter . the guests sighed and left .
the morning was bright . many guests came . anna brewed a punch . the punch was sweet and fresh . the guests smiled and stayed .
the wind was mild . many guests came . tom baked a loaf . the loaf was sweet and warm . the guests smiled and stayed .
fog hid the road . few guests came . mary cooked a stew . the stew was burnt and bitter . the guests sighed and left .
snow lay on the road . few guests came . jonas brewed a tea . the tea was warm and sweet . the guests smiled and stayed .
the sun shone on the river . many guests came . jonas brewed a punch . the punch was fresh and sweet . the guests smiled and stayed .
"""


class WordTokenizer:
    """Words to numbers and back; the vocabulary is the sorted set of the words of a text.

    Attributes
    ----------
    words : list of the V words;  index : dictionary word -> number

    >>> tokenizer = WordTokenizer("the cat saw the dog .")
    >>> tokenizer.encode("the dog"), tokenizer.decode([1, 3])
    (array([4, 2]), 'cat saw')
    """

    def __init__(self, text):
        self.words = sorted(set(_split(text)))
        self.index = {word: i for i, word in enumerate(self.words)}

    def __len__(self):
        return len(self.words)

    def encode(self, text):
        """(T,) numbers of the words of a text."""
        words = _split(text)
        unknown = sorted(set(words) - self.index.keys())
        if unknown:
            raise ValueError(f"the words {unknown} are outside the vocabulary of {len(self)} words.")
        return np.array([self.index[word] for word in words])

    def decode(self, ids):
        """The text of a sequence of numbers."""
        return " ".join(self.words[i] for i in check_ids(ids, len(self)))


@takes(n_words="integer >= 1")
def check_ids(ids, n_words, name="ids"):
    """Token numbers as an array of integers; each must be in 0..n_words - 1, and there must be one at least."""
    ids = as_array(ids, name)
    if ids.size == 0:
        raise ValueError(f"{name} is empty; a language model needs at least one token.")
    if ids.dtype.kind not in "iu":
        raise ValueError(f"{name} must hold integers, the numbers of tokens, got {ids.dtype}; encode the text first.")
    if ids.min() < 0 or ids.max() >= n_words:
        raise ValueError(f"{name} holds the token {ids.max() if ids.max() >= n_words else ids.min()}, "
                         f"outside the vocabulary 0..{n_words - 1}.")
    return ids


@takes()
def diary_split(n_test=34):
    """The diary in two texts: all entries but the last ``n_test`` for training, and those."""
    entries = DIARY.splitlines()
    check_number(n_test, "n_test", low=1, high=len(entries) - 1, integer=True)
    return "\n".join(entries[:-n_test]), "\n".join(entries[-n_test:])


def _split(text):
    words = text.split() if isinstance(text, str) else None
    if words is None:
        raise ValueError(f"a text must be a string, got {type(text).__name__}.")
    if not words:
        raise ValueError("the text is empty; give at least one word.")
    return words
