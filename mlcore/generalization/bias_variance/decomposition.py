"""Noise, squared bias and variance: exact for linear smoothers, simulated for any learner."""

from typing import NamedTuple

import numpy as np

from mlcore.base import check_array, check_number, check_rng
from mlcore.takes import takes


class Decomposition(NamedTuple):
    """The three parts of the expected squared error of a learner and their sum, eq-bv-decomposition.

    Each of ``bias2``, ``variance`` and ``total`` is an array over the test inputs (or a number, after
    :meth:`mean`); ``noise`` is the number sigma^2.
    """

    noise: float
    bias2: np.ndarray
    variance: np.ndarray
    total: np.ndarray

    def mean(self):
        """Average over the test inputs."""
        return Decomposition(self.noise, *(float(np.mean(part)) for part in self[1:]))


@takes()
def smoother_decomposition(L, h_train, h_test, sigma):
    """Exact parts for the predictions L @ y when y = h_train + noise of variance sigma^2, eq-bv-smoother-parts.

    Parameters
    ----------
    L : (m, n) matrix that turns n training targets into predictions at m test inputs
    h_train, h_test : the true function at the training inputs (n,) and the test inputs (m,)
    sigma : standard deviation of the noise

    >>> L = np.full((2, 4), 0.25)                     # predict the mean of four targets everywhere
    >>> smoother_decomposition(L, np.zeros(4), np.array([0.0, 3.0]), sigma=2.0).mean()
    Decomposition(noise=4.0, bias2=4.5, variance=1.0, total=9.5)
    """
    L = check_array(L, name="L")
    h_train = check_array(h_train, name="h_train", ndim=1)
    h_test = check_array(h_test, name="h_test", ndim=1)
    check_number(sigma, "sigma", low=0)
    if L.shape != (len(h_test), len(h_train)):
        raise ValueError(f"L must have one row per test input and one column per training input, "
                         f"({len(h_test)}, {len(h_train)}), got shape {L.shape}.")
    noise = float(sigma) ** 2
    bias2 = (L @ h_train - h_test) ** 2
    variance = noise * (L**2).sum(axis=1)
    return Decomposition(noise, bias2, variance, noise + bias2 + variance)


@takes(fit_predict="function", h="function", sample_inputs="function", x_test="m")
def simulate_decomposition(fit_predict, h, sample_inputs, x_test, sigma, n_sets=500, rng=None):
    """Estimate the parts by redrawing the training set; works for any learner and any design.

    ``total`` is estimated on its own, from fresh noisy test targets, so that comparing it with
    noise + bias2 + variance is a check and not an identity.

    Parameters
    ----------
    fit_predict : function (x, y, x_test) -> predictions (m,), the learner
    h : the true function
    sample_inputs : function rng -> training inputs of one set (return the same array for a fixed design)
    x_test : (m,) or (m, d) test inputs
    sigma : standard deviation of the Gaussian noise
    n_sets : number of training sets drawn
    """
    check_number(n_sets, "n_sets", low=2, integer=True)
    check_number(sigma, "sigma", low=0)
    rng = check_rng(rng)
    truth = np.asarray(h(x_test), float)
    fits, errors = np.empty((n_sets, len(truth))), np.zeros(len(truth))
    for r in range(n_sets):
        x = sample_inputs(rng)
        fits[r] = fit_predict(x, h(x) + sigma * rng.normal(size=len(x)), x_test)
        errors += (truth + sigma * rng.normal(size=len(truth)) - fits[r]) ** 2
    variance = fits.var(axis=0, ddof=1)
    # the mean of n_sets fits is itself off by variance / n_sets on average: take that out of the squared bias
    bias2 = (fits.mean(axis=0) - truth) ** 2 - variance / n_sets
    return Decomposition(float(sigma) ** 2, bias2, variance, errors / n_sets)


def degrees_of_freedom(L):
    """Effective number of parameters of a smoother on its own training inputs: the trace of L (n, n)."""
    L = _square(L)
    return float(np.trace(L))


@takes()
def expected_training_error(L, h_train, sigma):
    """E[|y - L y|^2 / n] over the noise, eq-bv-train-error."""
    L = _square(L)
    h_train = check_array(h_train, name="h_train", ndim=1)
    check_number(sigma, "sigma", low=0)
    if len(h_train) != len(L):
        raise ValueError(f"h_train must have one value per training input, {len(L)}, got {len(h_train)}.")
    residual = np.eye(len(L)) - L
    return float(((residual @ h_train) ** 2).mean() + sigma**2 * (residual**2).sum() / len(L))


@takes()
def optimism(L, sigma):
    """Expected error on new targets at the same inputs minus expected training error, eq-bv-optimism.

    >>> optimism(np.full((4, 4), 0.25), sigma=2.0)        # one parameter: 2 * 4 * 1 / 4
    2.0
    """
    L = _square(L)
    check_number(sigma, "sigma", low=0)
    return 2 * float(sigma) ** 2 * degrees_of_freedom(L) / len(L)


def _square(L):
    L = check_array(L, name="L")
    if L.shape[0] != L.shape[1]:
        raise ValueError(f"L must be square (predictions at the training inputs), got shape {L.shape}.")
    return L
