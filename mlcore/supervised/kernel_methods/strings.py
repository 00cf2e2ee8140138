"""String kernels: texts compared by the substrings they share, and 48 short sentences to try them on."""

import itertools
from collections import Counter

import numpy as np
from scipy.sparse import csr_array

from mlcore.base import check_number
from mlcore.takes import takes

# Twelve thoughts, each said in four languages; spelled with the 26 letters that the languages share.
SENTENCES = {
    "English": (
        "The old man reads a book in the garden every evening.", "We bought bread and fruit at the market this morning.",
        "The last train comes in ten minutes.", "My sister lives in a small house by the river.",
        "It rained all night and the streets are still wet.", "Can you tell me where the station is?",
        "The children are playing with the dog in the snow.", "I have forgotten my coat and now I am cold.",
        "She works in a hospital and often comes home late.", "This soup needs more salt and a little pepper.",
        "Tomorrow the sun will shine on the mountains again.", "Nobody knows when the shop will open again."),
    "German": (
        "Der alte Mann liest jeden Abend ein Buch im Garten.", "Wir haben heute Morgen auf dem Markt Brot und Obst gekauft.",
        "Der letzte Zug kommt in zehn Minuten.", "Meine Schwester wohnt in einem kleinen Haus am Fluss.",
        "Es hat die ganze Nacht geregnet und die Wege sind noch nass.", "Kannst du mir sagen, wo der Bahnhof ist?",  # codespell:ignore
        "Die Kinder spielen mit dem Hund im Schnee.", "Ich habe meinen Mantel vergessen und mir ist kalt.",  # codespell:ignore
        "Sie arbeitet in einem Krankenhaus und kommt oft erst nachts nach Hause.",  # codespell:ignore
        "Diese Suppe braucht mehr Salz und etwas Pfeffer.",
        "Morgen scheint die Sonne wieder auf die Berge.", "Niemand kann sagen, wann der Laden wieder aufmacht."),
    "Dutch": (
        "De oude man leest elke avond een boek in de tuin.", "We hebben vanochtend brood en fruit gekocht op de markt.",
        "De laatste trein komt over tien minuten.", "Mijn zus woont in een klein huis aan de rivier.",
        "Het heeft de hele nacht geregend en de straten zijn nog nat.", "Kun je mij zeggen waar het station is?",
        "De kinderen spelen met de hond in de sneeuw.", "Ik heb mijn jas vergeten en ik heb het koud.",
        "Ze werkt in een ziekenhuis en komt vaak laat thuis.", "Deze soep heeft meer zout en wat peper nodig.",  # codespell:ignore
        "Morgen schijnt de zon weer op de bergen.", "Niemand weet wanneer de winkel weer opengaat."),
    "Italian": (
        "Il vecchio legge un libro in giardino ogni sera.", "Stamattina abbiamo comprato pane e frutta al mercato.",
        "L'ultimo treno arriva tra dieci minuti.", "Mia sorella abita in una piccola casa vicino al fiume.",
        "Ha piovuto tutta la notte e le strade sono ancora bagnate.", "Mi puoi dire dove si trova la stazione?",
        "I bambini giocano con il cane nella neve.", "Ho dimenticato il cappotto e adesso ho freddo.",
        "Lavora in un ospedale e spesso torna a casa tardi.", "Questa zuppa ha bisogno di sale e di un po' di pepe.",
        "Domani il sole torna a splendere sulle montagne.", "Nessuno sa quando il negozio riapre."),
}


def load_sentences():
    """Texts in lower case, the language of each (0 .. 3), the thought of each (0 .. 11), and the names of the languages."""
    texts = [text.lower() for group in SENTENCES.values() for text in group]
    languages = np.repeat(np.arange(len(SENTENCES)), 12)
    return texts, languages, np.tile(np.arange(12), len(SENTENCES)), list(SENTENCES)


@takes(text=str, length="integer >= 1")
def substrings(text, length):
    """All contiguous substrings of the given length, in order, repeats included.

    >>> substrings("banana", 3)
    ['ban', 'ana', 'nan', 'ana']
    """
    return [text[i:i + length] for i in range(len(text) - length + 1)]


def spectrum_kernel(texts, others=None, length=3, normalize=True):
    """Number of pairs of equal substrings of two texts, eq-kn-spectrum: the inner product of their substring counts.

    ``normalize`` divides by the norms, so that a text has similarity 1 with itself (a text shorter than ``length`` has no
    substring and similarity 0 with everything).

    >>> spectrum_kernel(["banana"], ["ananas"], length=3, normalize=False)
    array([[5.]])
    """
    check_number(length, "length", low=1, integer=True)
    return _inner_products(texts, others, lambda text: Counter(substrings(text, length)), normalize)


def mismatch_kernel(texts, others=None, length=3, mismatches=1, alphabet=None, normalize=True):
    """Spectrum kernel in which each substring also counts for all words that differ from it in <= ``mismatches`` letters.

    ``alphabet`` is the text of all letters; by default the letters that occur. Each substring has
    sum_j C(length, j) (letters - 1)^j neighbors, so keep ``length`` and ``mismatches`` small.

    >>> mismatch_kernel(["ab"], ["bb"], length=2, normalize=False)
    array([[2.]])
    """
    check_number(length, "length", low=1, integer=True)
    check_number(mismatches, "mismatches", low=0, high=length, integer=True)
    occurring = set().union(*_check_texts(texts, "texts"), *([] if others is None else _check_texts(others, "others")))
    letters = sorted(occurring if alphabet is None else set(alphabet))
    if not occurring <= set(letters):
        raise ValueError(f"the texts hold letters outside the alphabet: {''.join(sorted(occurring - set(letters)))!r}.")

    def counts(text):
        found = Counter()
        for word, times in Counter(substrings(text, length)).items():
            for near in neighborhood.core(word, mismatches, letters):
                found[near] += times
        return found

    return _inner_products(texts, others, counts, normalize)


@takes(word=str, mismatches="integer >= 0", letters=(str, list))
def neighborhood(word, mismatches, letters):
    """Set of the words that differ from ``word`` in at most ``mismatches`` places.

    >>> sorted(neighborhood("ab", 1, "ab"))
    ['aa', 'ab', 'bb']
    """
    words = {word}
    for places in itertools.combinations(range(len(word)), mismatches):
        for change in itertools.product(letters, repeat=mismatches):
            new = list(word)
            for place, letter in zip(places, change):
                new[place] = letter
            words.add("".join(new))
    return words


def _inner_products(texts, others, counts, normalize):
    """Inner products of sparse count vectors over the substrings that occur."""
    texts = _check_texts(texts, "texts")
    everything = texts if others is None else texts + _check_texts(others, "others")
    columns, entries = {}, []
    for row, text in enumerate(everything):
        entries += [(row, columns.setdefault(word, len(columns)), times) for word, times in counts(text).items()]
    rows, cols, values = np.array(entries, float).reshape(-1, 3).T
    features = csr_array((values, (rows.astype(int), cols.astype(int))), shape=(len(everything), max(len(columns), 1)))
    if normalize:
        norms = np.sqrt((features**2).sum(axis=1))
        features = features.multiply(1 / np.where(norms > 0, norms, 1)[:, None]).tocsr()
    left, right = features[:len(texts)], features if others is None else features[len(texts):]
    return (left @ right.T).toarray()


def _check_texts(texts, name):
    """A non-empty list of texts."""
    if isinstance(texts, str):
        raise ValueError(f"{name} must be a list of texts, got one text; use [{texts[:20]!r}].")
    if not hasattr(texts, "__iter__"):
        raise TypeError(f"{name} must be a list of texts, got {texts!r}.")
    texts = list(texts)
    wrong = next((text for text in texts if not isinstance(text, str)), None)
    if not texts or wrong is not None:
        raise ValueError(f"{name} must be a non-empty list of texts; got {'an empty list' if not texts else repr(wrong)}.")
    return texts
