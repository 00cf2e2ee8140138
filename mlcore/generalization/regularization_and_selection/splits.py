"""Ways to hold rows back: k folds, stratified folds, one row at a time, repeated random hold-out.

Each function returns a list of pairs (rows to train on, rows to test on), both in ascending order.
"""

import numpy as np

from mlcore.base import check_labels, check_number, check_rng
from mlcore.foundations.data_and_tasks.splits import split_rows


def k_fold(n, k=5, *, shuffle=True, random_state=None):
    """Cut n rows into k disjoint folds; fold j is tested by a model that is trained on the others (eq-rs-cv).

    The sizes differ by at most one: the first n mod k folds have a row more. ``shuffle=False`` cuts the rows in the
    order they come, which is right only if that order means nothing.

    >>> [test.tolist() for train, test in k_fold(7, 3, shuffle=False)]
    [[0, 1, 2], [3, 4], [5, 6]]
    """
    rng = check_rng(random_state)
    _check_folds(n, k)
    order = rng.permutation(n) if shuffle else np.arange(n)
    fold = np.empty(n, dtype=int)
    fold[order] = np.repeat(np.arange(k), n // k + (np.arange(k) < n % k))
    return _pairs(fold, k)


def stratified_k_fold(y, k=5, *, shuffle=True, random_state=None):
    """k folds in which the count of each class differs by at most one from fold to fold, and so does the size.

    >>> y = np.array(list("aaaaaabbb"))
    >>> [str().join(y[test]) for train, test in stratified_k_fold(y, 3, shuffle=False)]
    ['aab', 'aab', 'aab']
    """
    rng = check_rng(random_state)
    classes, index = check_labels(y, min_classes=1)
    _check_folds(len(index), k)
    sizes = np.bincount(index)
    if sizes.min() < k:
        raise ValueError(f"class {classes[sizes.argmin()]} has {sizes.min()} members, fewer than the {k} folds; "
                         "use fewer folds, or k_fold if a fold may lack that class.")
    first_seen = np.argsort([np.flatnonzero(index == c)[0] for c in range(len(classes))])
    rank = np.argsort(first_seen)[index]  # classes in order of appearance, so that renaming them changes nothing
    # dealing the sorted labels like cards gives every fold its share of every class
    dealt = np.sort(rank)
    shares = np.array([np.bincount(dealt[j::k], minlength=len(classes)) for j in range(k)])  # (k, classes)
    fold = np.empty(len(index), dtype=int)
    for c in range(len(classes)):
        cards = np.repeat(np.arange(k), shares[:, c])
        fold[rank == c] = rng.permutation(cards) if shuffle else cards
    return _pairs(fold, k)


def leave_one_out(n):
    """n folds of one row each.

    >>> [test.tolist() for train, test in leave_one_out(3)]
    [[0], [1], [2]]
    """
    return k_fold(n, n, shuffle=False)


def shuffle_splits(n, n_splits=1, *, test_size=0.3, stratify=None, random_state=None):
    """Independent random hold-outs (eq-rs-holdout); one of them is hold-out validation, many average its luck away.

    >>> [(len(train), len(test)) for train, test in shuffle_splits(10, 2, random_state=0)]
    [(7, 3), (7, 3)]
    """
    rng = check_rng(random_state)
    check_number(n_splits, "n_splits", low=1, integer=True)
    pairs = (split_rows(n, test_size=test_size, stratify=stratify, random_state=rng) for _ in range(n_splits))
    return [(np.sort(train), np.sort(test)) for train, test in pairs]


def check_splits(folds, n):
    """Return a list of (train, test) index arrays after checking that they are rows 0..n-1 and do not overlap."""
    try:
        pairs = [tuple(np.asarray(rows) for rows in pair) for pair in folds]
    except TypeError:
        raise ValueError(f"folds must be an integer or a list of pairs (train rows, test rows), got {folds!r}.") from None
    if not pairs:
        raise ValueError("folds is empty; at least one pair (train rows, test rows) is needed.")
    for j, pair in enumerate(pairs):
        if len(pair) != 2:
            raise ValueError(f"folds[{j}] has {len(pair)} parts; a pair (train rows, test rows) is needed.")
        for name, rows in zip(("train", "test"), pair):
            if rows.ndim != 1 or len(rows) == 0 or rows.dtype.kind not in "iu":
                raise ValueError(f"folds[{j}] must hold row numbers in its {name} part, got {rows.dtype} of shape {rows.shape}.")
            if rows.min() < 0 or rows.max() >= n:
                raise ValueError(f"folds[{j}] names row {rows.min() if rows.min() < 0 else rows.max()}, but there are {n} rows.")
        trained = np.zeros(n, dtype=bool)
        trained[pair[0]] = True
        shared = pair[1][trained[pair[1]]]
        if len(shared):
            raise ValueError(f"row {shared.min()} is in the training and in the test part of folds[{j}]; the score would be optimistic.")
    return pairs


def check_partition(folds, n):
    """Checked folds whose test parts hold every row exactly once."""
    pairs = check_splits(folds, n)
    counts = np.bincount(np.concatenate([test for _, test in pairs]), minlength=n)
    if (counts != 1).any():
        row = int(np.flatnonzero(counts != 1)[0])
        raise ValueError(f"row {row} is tested {counts[row]} times; every row must be in exactly one test part.")
    return pairs


def _pairs(fold, k):
    return [(np.flatnonzero(fold != j), np.flatnonzero(fold == j)) for j in range(k)]


def _check_folds(n, k):
    check_number(n, "n", low=2, integer=True)
    check_number(k, "the number of folds", low=2, integer=True)
    if k > n:
        raise ValueError(f"{k} folds need at least {k} samples, got {n}; use fewer folds (leave_one_out has one per sample).")
