"""The pocket algorithm: keep the best weights a restless perceptron has met (alg-pc-pocket)."""

from typing import NamedTuple

import numpy as np

from mlcore.base import check_array, check_number, check_option, check_rng, check_signs
from mlcore.supervised.perceptron.learning import first_mistake

BLOCK = 64


class PocketRun(NamedTuple):
    """What a pocket perceptron did.

    w : (p,) the pocket;  errors : its training errors;  rows : (K,) the example of each update, as in :class:`Run`
    pocket_errors : (K + 1,) errors of the pocket at the start and after each update;  n_checks : counts over all examples
    """

    w: np.ndarray
    errors: int
    rows: np.ndarray
    pocket_errors: np.ndarray
    n_checks: int


def pocket(X, y, *, check="ratchet", max_updates=1000, rng=None):
    """Visit examples drawn at random, update on mistakes, and keep the weights with the fewest training errors.

    check : "every_update" counts the errors of each new weight vector; "ratchet" counts only those of a vector whose run of
        right answers is longer than that of the pocket, and pockets it if it also errs less
    Stops after ``max_updates`` updates, or when the pocket makes no error.

    >>> run = pocket([[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]], [1, -1, 1], rng=0)
    >>> run.errors, len(run.rows)
    (1, 1000)
    """
    X = check_array(X)
    y = check_signs(y, X)
    check_option(check, "check", ("ratchet", "every_update"))
    check_number(max_updates, "max_updates", low=1, integer=True)
    rng = check_rng(rng)
    signed = y[:, None] * X
    n, w = len(X), np.zeros(X.shape[1])
    best, errors, best_run, n_checks = w, n, 0, 0  # a score of 0 is an error for either label
    rows, history = [], [n]
    drawn, position = rng.integers(n, size=BLOCK), 0
    run, checked = 0, True  # right answers in a row of w; whether its errors have been counted
    while errors > 0 and len(rows) < max_updates:
        # Visit until w is wrong, or until its run beats that of the pocket.
        limit = len(drawn) if checked else min(len(drawn), position + best_run + 1 - run)
        at = position + first_mistake(signed[drawn[position:limit]], w, 0)
        run, position = run + at - position, at
        if not checked and run > best_run:
            count, checked, n_checks = int((signed @ w <= 0).sum()), True, n_checks + 1
            if count < errors:
                best, errors = w, count
        if best is w:
            best_run = max(best_run, run)
        if position < limit:
            w = w + signed[drawn[position]]
            rows.append(drawn[position])
            run, position, checked = 0, position + 1, False
            if check == "every_update":
                count, checked, n_checks = int((signed @ w <= 0).sum()), True, n_checks + 1
                if count < errors:
                    best, errors = w, count
            history.append(errors)
        if position == len(drawn):
            drawn, position = rng.integers(n, size=BLOCK), 0
    history[-1] = errors  # the last vector may have been pocketed during its run
    return PocketRun(best, errors, np.array(rows, int), np.array(history), n_checks)
