"""How overfitting depends on sample size, noise and the complexity of the target: the overfit measure."""

from typing import NamedTuple

import numpy as np

from mlcore.base import check_array, check_number, check_rng
from mlcore.generalization.bias_variance.polynomials import legendre_features
from mlcore.takes import takes


def target_weights(degree):
    """Variances of the coefficients of a random target of the given degree, expected mean square 1, eq-bv-target.

    The target is sum_q a_q P_q(x) with independent standard normal a_q, divided by the root of its expected mean
    square; in the orthonormal basis sqrt(2q + 1) P_q the variance of coefficient q is proportional to 1 / (2q + 1).
    """
    check_number(degree, "degree", low=0, integer=True)
    weights = 1 / (2 * np.arange(degree + 1) + 1)
    return weights / weights.sum()


def legendre_target(degree, rng=None):
    """Coefficients of one random target in the basis of ``legendre_features``."""
    return np.sqrt(target_weights(degree)) * check_rng(rng).normal(size=degree + 1)


class ErrorTerms(NamedTuple):
    """What the expected error of one polynomial fit consists of, given its training inputs.

    ``per_target`` (max_degree + 1,): squared error caused by coefficient q of the target, per unit of its variance;
    ``per_noise``: squared error per unit of sigma^2. The expected error of the fit (noise of the test target left
    out) is weights @ per_target + sigma^2 * per_noise.
    """

    per_target: np.ndarray
    per_noise: float


@takes(degree="integer >= 0", max_target_degree="integer >= 0")
def error_terms(x, degree, max_target_degree):
    """Exact expected error of least squares with a polynomial of ``degree`` at inputs ``x``, eq-bv-out-error."""
    Phi = legendre_features(x, max(degree, max_target_degree))
    C = np.linalg.pinv(Phi[:, : degree + 1])                     # (degree + 1, n)
    D = C @ Phi[:, : max_target_degree + 1]                      # what the fit makes of each basis function
    k = np.arange(min(degree, max_target_degree) + 1)
    D[k, k] -= 1
    outside = np.arange(max_target_degree + 1) > degree          # deterministic noise: lost entirely
    return ErrorTerms((D**2).sum(axis=0) + outside, float((C**2).sum()))


@takes(simple="integer >= 0", rich="integer >= 0")
def overfit_measure(n, sigma2, target_degree, *, simple=2, rich=10, n_sets=200, rng=None):
    """Median over designs of E_out(rich) - E_out(simple), eq-bv-overfit.

    For each of ``n_sets`` draws of n uniform inputs the expectation over noise and random targets is exact.

    Parameters
    ----------
    n : number of training inputs, more than ``rich``
    sigma2 : noise variance, a number or an array (s,)
    target_degree : degree of the random target, an integer or an array (t,)

    Returns
    -------
    (s, t) array of medians (axes of scalar arguments dropped)
    """
    check_number(n, "n", low=rich + 1, integer=True)
    check_number(n_sets, "n_sets", low=1, integer=True)
    rng = check_rng(rng)
    degrees = np.atleast_1d(target_degree)
    s2 = np.atleast_1d(check_array(sigma2, name="sigma2", ndim=None))
    if (s2 < 0).any():
        raise ValueError("sigma2 must be >= 0 everywhere.")
    for q in degrees.tolist():
        check_number(q, "target_degree", low=0, integer=True)
    top = int(degrees.max())
    weights = np.array([np.pad(target_weights(q), (0, top - q)) for q in degrees])   # (t, top + 1)
    measure = np.empty((n_sets, len(s2), len(degrees)))
    for r in range(n_sets):
        x = rng.uniform(-1, 1, size=n)
        a, b = error_terms.core(x, rich, top), error_terms.core(x, simple, top)
        measure[r] = s2[:, None] * (a.per_noise - b.per_noise) + weights @ (a.per_target - b.per_target)
    result = np.median(measure, axis=0)
    return result.reshape(np.shape(sigma2) + np.shape(target_degree))
