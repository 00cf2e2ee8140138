"""Learning-rate schedules: functions that return a function of t, the number of steps already made."""

import math

from mlcore.base import check_number
from mlcore.takes import takes


@takes()
def inverse_decay(lr, half_life):
    """Schedule t -> lr / (1 + t / half_life): its sum diverges, the sum of its squares does not (eq-gd-robbins-monro).

    >>> [inverse_decay(0.1, half_life=100)(t) for t in (0, 100, 300)]
    [0.1, 0.05, 0.025]
    """
    check_number(lr, "lr", low=0, open_low=True)
    check_number(half_life, "half_life", low=0, open_low=True)
    return lambda t: lr / (1 + t / half_life)


def square_root_decay(lr):
    """Schedule t -> lr / sqrt(1 + t), for convex functions without strong convexity.

    >>> [square_root_decay(0.1)(t) for t in (0, 3)]
    [0.1, 0.05]
    """
    check_number(lr, "lr", low=0, open_low=True)
    return lambda t: lr / math.sqrt(1 + t)


@takes()
def exponential_decay(lr, half_life):
    """Schedule t -> lr 2^(-t / half_life). Its sum is finite: the parameters can only travel so far.

    >>> [exponential_decay(0.1, half_life=10)(t) for t in (0, 10, 20)]
    [0.1, 0.05, 0.025]
    """
    check_number(lr, "lr", low=0, open_low=True)
    check_number(half_life, "half_life", low=0, open_low=True)
    return lambda t: lr * 2.0 ** (-t / half_life)


@takes()
def step_decay(lr, every, factor=0.1):
    """Schedule that multiplies the rate by ``factor`` after each ``every`` steps.

    >>> [step_decay(1.0, every=5, factor=0.5)(t) for t in (0, 4, 5, 10)]
    [1.0, 1.0, 0.5, 0.25]
    """
    check_number(lr, "lr", low=0, open_low=True)
    check_number(every, "every", low=1, integer=True)
    check_number(factor, "factor", low=0, high=1, open_low=True)
    return lambda t: lr * factor ** (t // every)


@takes()
def cosine_decay(lr, n_steps, floor=0.0):
    """Schedule that falls from ``lr`` to ``floor`` along half a cosine in ``n_steps`` steps and stays there.

    >>> [round(cosine_decay(0.1, 4)(t), 4) for t in (0, 2, 4, 9)]
    [0.1, 0.05, 0.0, 0.0]
    """
    check_number(lr, "lr", low=0, open_low=True)
    check_number(n_steps, "n_steps", low=1, integer=True)
    check_number(floor, "floor", low=0, high=lr)
    return lambda t: floor + (lr - floor) * 0.5 * (1 + math.cos(math.pi * min(t / n_steps, 1.0)))


def warmup(schedule, n_steps):
    """Schedule that climbs in equal steps to ``schedule`` (a function of t, or a number) over its first ``n_steps`` steps.

    >>> [round(warmup(0.4, 4)(t), 3) for t in range(6)]
    [0.1, 0.2, 0.3, 0.4, 0.4, 0.4]
    """
    check_number(n_steps, "n_steps", low=1, integer=True)
    if not callable(schedule):
        check_number(schedule, "schedule", low=0, open_low=True)
    rate = schedule if callable(schedule) else lambda t: schedule
    return lambda t: rate(t) * min((t + 1) / n_steps, 1.0)
