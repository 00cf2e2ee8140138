"""Random starting weights, and the variance argument that sets their size."""

import numpy as np

from mlcore.base import check_number, check_option, check_rng
from mlcore.takes import takes

SCHEMES = ("he", "lecun", "glorot", "uniform", "zeros")


@takes(shape=tuple)
def initial_weights(shape, fan_in, fan_out, scheme="he", rng=None):
    """Weights whose spread keeps signals at one size from layer to layer.

    Parameters
    ----------
    shape : of the array of weights
    fan_in, fan_out : numbers of terms summed by an output, and of outputs that an input reaches
    scheme : "he", N(0, 2 / fan_in), keeps the mean square through ReLUs (eq-nn-he); "lecun", N(0, 1 / fan_in), through
        linear maps (and nearly so through tanh); "glorot", uniform of variance 2 / (fan_in + fan_out), is the compromise
        between the pass forward and the one backward; "uniform", on +-1 / sqrt(fan_in), variance 1 / (3 fan_in), is
        torch's default; "zeros" exists to show what goes wrong

    >>> initial_weights((200, 50), 50, 200, "he", rng=0).std().round(2)
    np.float64(0.2)
    """
    check_option(scheme, "scheme", SCHEMES)
    check_number(fan_in, "fan_in", low=1, integer=True)
    check_number(fan_out, "fan_out", low=1, integer=True)
    rng = check_rng(rng)
    if scheme == "zeros":
        return np.zeros(shape)
    if scheme in ("he", "lecun"):
        return rng.normal(scale=np.sqrt((2 if scheme == "he" else 1) / fan_in), size=shape)
    bound = np.sqrt(6 / (fan_in + fan_out)) if scheme == "glorot" else 1 / np.sqrt(fan_in)
    return rng.uniform(-bound, bound, size=shape)
