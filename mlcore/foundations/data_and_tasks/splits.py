"""Hold rows back: reproducible random and stratified splits into a training and a test set."""

import numbers

import numpy as np

from mlcore.base import as_array, check_number, check_rng


def split_rows(n, *, test_size=0.25, stratify=None, shuffle=True, random_state=None):
    """Return the row numbers of the training and of the test set.

    Parameters
    ----------
    n : number of rows
    test_size : share of the rows (a float between 0 and 1; rounded up) or their number (an int)
    stratify : (n,) labels; each class gets its share of the test rows (eq-dt-quota) up to less than one row, as long as
        at least one row of each class stays in the training set
    shuffle : False cuts without mixing, for rows in order of time: the last ones are the test set
    random_state : None, an int or a Generator

    >>> train, test = split_rows(8, test_size=0.25, random_state=0)
    >>> len(train), len(test), sorted([*train, *test]) == list(range(8))
    (6, 2, True)
    """
    rng = check_rng(random_state)
    check_number(n, "n", low=2, integer=True)
    n_test = _test_rows(n, test_size)
    if not shuffle:
        if stratify is not None:
            raise ValueError("stratify needs shuffle=True; a cut in order of time cannot balance the classes.")
        return np.arange(n - n_test), np.arange(n - n_test, n)
    order = rng.permutation(n)
    if stratify is None:
        return order[n_test:], order[:n_test]
    labels = np.asarray(stratify)
    if labels.shape != (n,):
        raise ValueError(f"stratify must hold one label for each of the {n} rows, got shape {labels.shape}.")
    classes, z, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    if sizes.min() < 2:
        raise ValueError(f"class {classes[sizes.argmin()]} has a single row; it cannot be on both sides of a stratified split.")
    if n - n_test < len(classes):
        raise ValueError(f"{n - n_test} training rows are too few for {len(classes)} classes; make test_size smaller.")
    counts = class_counts(sizes, n_test)
    in_test = np.zeros(n, dtype=bool)
    for k, count in enumerate(counts):
        in_test[order[z[order] == k][:count]] = True
    return order[~in_test[order]], order[in_test[order]]


def class_counts(sizes, n_test):
    """Test rows of each class by largest remainder (eq-dt-quota); one row of every class stays behind.

    >>> class_counts(np.array([50, 30, 20]), 7)
    array([4, 2, 1])
    """
    quota = sizes * (n_test / sizes.sum())
    counts = np.floor(quota + 1e-9).astype(int)  # a quota that is whole but for rounding counts as whole
    counts = np.minimum(counts, sizes - 1)
    while counts.sum() < n_test:
        counts[np.where(counts < sizes - 1, quota - counts, -np.inf).argmax()] += 1
    return counts


def _test_rows(n, test_size):
    """Number of test rows; both sides keep at least one row."""
    if isinstance(test_size, numbers.Integral) and not isinstance(test_size, bool):
        return int(check_number(test_size, "test_size", low=1, high=n - 1, integer=True))
    check_number(test_size, "test_size", low=0, high=1, open_low=True, open_high=True)
    rows = int(np.ceil(test_size * n - 1e-9))  # 0.07 * 100 is 7.000000000000001 in floating point
    if rows > n - 1:
        raise ValueError(f"test_size={test_size} of {n} rows leaves none to train on; make it smaller.")
    return rows


def train_test_split(*arrays, test_size=0.25, stratify=None, shuffle=True, random_state=None):
    """Split arrays of equal length along their rows; returns train and test of the first, of the second, ...

    >>> X_train, X_test, y_train, y_test = train_test_split(np.eye(8), np.arange(8), random_state=1)
    >>> X_train.shape, bool((X_test.argmax(axis=1) == y_test).all())
    ((6, 8), True)
    """
    if not arrays:
        raise ValueError("nothing to split; pass at least one array.")
    # Sparse rows can be picked from CSR only.
    arrays = [a.tocsr() if hasattr(a, "tocsr") else as_array(a, "an array to split") for a in arrays]
    lengths = [a.shape[0] if a.ndim else 0 for a in arrays]
    if len(set(lengths)) != 1:
        raise ValueError(f"all arrays must have the same number of rows, got {lengths}.")
    train, test = split_rows(lengths[0], test_size=test_size, stratify=stratify, shuffle=shuffle, random_state=random_state)
    return [a[rows] for a in arrays for rows in (train, test)]
