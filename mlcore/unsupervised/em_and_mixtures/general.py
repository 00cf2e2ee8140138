"""EM without a model: Jensen's gap, the evidence lower bound in its forms, the loop, and three objectives told apart."""

from typing import NamedTuple

import numpy as np
from scipy.special import xlogy

from mlcore.base import check_array, check_number, check_option, check_range
from mlcore.foundations.mathematics import logsumexp
from mlcore.takes import real_numbers, takes


@takes(f="function")
def jensen_gap(f, values, probabilities):
    """E[f(X)] - f(E[X]) for X with finitely many values: not negative when f is convex (thm-em-jensen).

    >>> jensen_gap(np.square, [0.0, 2.0], [0.5, 0.5])
    1.0
    """
    values = check_array(values, name="values", ndim=1)
    p = _distribution(probabilities, len(values), "probabilities")
    return float(p @ f(values) - f(p @ values))


def elbo(log_joint, Q):
    """Evidence lower bound of every row, sum_z Q(z) log(p(x, z) / Q(z)), eq-em-elbo.

    Parameters
    ----------
    log_joint : (n, k) log p(x_i, z = j)
    Q : (n, k) one distribution over z per row; a term with Q = 0 counts 0

    >>> elbo(np.log([[0.1, 0.3]]), [[0.25, 0.75]]).round(6)  # at the posterior: log 0.4
    array([-0.916291])
    """
    log_joint, Q = _tables(log_joint, Q)
    return np.where(Q > 0, Q * np.where(Q > 0, log_joint, 0), 0).sum(axis=1) - xlogy(Q, Q).sum(axis=1)


@takes(log_prior="k", log_likelihood="n k", Q="n k")
def elbo_forms(log_prior, log_likelihood, Q):
    """The bound by its three decompositions, eq-em-forms; the rows of the result agree.

    Parameters
    ----------
    log_prior : (k,) log p(z);  log_likelihood : (n, k) log p(x_i | z);  Q : (n, k) with positive entries

    Returns
    -------
    (3, n): energy plus entropy; reconstruction minus KL to the prior; evidence minus KL to the posterior
    """
    log_likelihood, Q = _tables(log_likelihood, Q)
    joint = log_prior + log_likelihood
    evidence = logsumexp(joint, axis=1)
    log_posterior = joint - evidence[:, None]
    entropy = -(Q * np.log(Q)).sum(axis=1)
    to_prior = (Q * (np.log(Q) - log_prior)).sum(axis=1)
    to_posterior = (Q * (np.log(Q) - log_posterior)).sum(axis=1)
    return np.array([(Q * joint).sum(axis=1) + entropy,
                     (Q * log_likelihood).sum(axis=1) - to_prior,
                     evidence - to_posterior])


class EMResult(NamedTuple):
    """Final parameters; the objective before the first step and after every step; what stopped the loop."""

    theta: object
    history: np.ndarray
    n_iter: int
    converged: bool


@takes(e_step="function", m_step="function")
def run_em(theta, e_step, m_step, tol=1e-8, max_iter=1000):
    """EM for any model: alternate the two steps of eq-em-steps until the objective rises by less than ``tol``.

    Parameters
    ----------
    e_step : function of theta that returns (posterior, objective at theta)
    m_step : function of the posterior that returns the next theta

    >>> flips, n = np.array([9.0, 1.0]), 10.0
    >>> def e_step(theta):
    ...     joint = np.log(0.5) + flips[:, None] * np.log(theta) + (n - flips[:, None]) * np.log(1 - theta)
    ...     evidence = logsumexp(joint, axis=1)
    ...     return np.exp(joint - evidence[:, None]), evidence.sum()
    >>> run_em(np.array([0.6, 0.4]), e_step, lambda Q: flips @ Q / (n * Q.sum(axis=0))).theta.round(3)
    array([0.9, 0.1])
    """
    check_number(tol, "tol", low=0)
    check_number(max_iter, "max_iter", low=1, integer=True)
    posterior, objective = e_step(theta)
    history, converged, n_iter = [objective], False, 0
    while n_iter < max_iter and not converged:
        theta = m_step(posterior)
        posterior, objective = e_step(theta)
        n_iter += 1
        converged = bool(objective - history[-1] < tol)
        history.append(objective)
    return EMResult(theta, np.array(history), n_iter, converged)


@takes(x="n", weights="k", means="k")
def objective_step(x, weights, means, objective="LB"):
    """One step for a mixture of unit-variance Gaussians on a line, by one of three objectives, eq-em-objectives.

    ``LB`` is EM. ``CF`` leaves the prior out of the M step, so that the weights never move. ``HF`` weighs every
    sample by its density under the old parameters. Returns the new weights and means, and the log-likelihood of the old ones.
    A component without any share in the samples keeps its mean.

    >>> weights, means, loglik = objective_step([-1.0, 1.0], [0.5, 0.5], [-1.0, 1.0], "CF")
    >>> weights, means.round(3), round(loglik, 3)
    (array([0.5, 0.5]), array([-0.762,  0.762]), -2.97)
    """
    x = check_array(x, name="x", ndim=1)
    check_option(objective, "objective", ("LB", "CF", "HF"))
    weights = _distribution(weights, len(means), "weights")
    check_range(x, "x", fitted=True)
    check_range(means, "means", fitted=True)
    with np.errstate(divide="ignore"):  # a component of weight 0 takes no part
        joint = np.log(weights) - 0.5 * (x[:, None] - means) ** 2 - 0.5 * np.log(2 * np.pi)
    evidence = logsumexp(joint, axis=1)
    Q = np.exp(joint if objective == "HF" else joint - evidence[:, None])  # HF: the joint itself, not the posterior
    shares = Q.sum(axis=0)
    if not shares.any():
        raise ValueError("every sample is so far from all means that its density is 0; start with means among the samples.")
    if objective != "CF":
        weights = shares / shares.sum()
    return weights, np.divide(x @ Q, shares, out=means.copy(), where=shares > 0), float(evidence.sum())


def _distribution(p, k, name):
    p = check_array(p, name=name, ndim=1)
    if len(p) != k or (p < 0).any() or abs(p.sum() - 1) > 1e-8:
        raise ValueError(f"{name} must hold {k} numbers >= 0 that sum to 1, got {len(p)} with sum {p.sum():.6g}.")
    return p


def _tables(log_table, Q):
    """Check a table of logs (-inf allowed) and a table of distributions of the same shape."""
    Q = check_array(Q, name="Q")
    log_table = real_numbers(log_table, "the table of logarithms")
    if np.isnan(log_table).any() or (log_table == np.inf).any():
        raise ValueError("the table of logarithms contains NaN or +infinity; only -infinity, the logarithm of 0, is allowed.")
    if log_table.shape != Q.shape:
        raise ValueError(f"Q has shape {Q.shape}, but the table of logarithms has shape {log_table.shape}; they must agree.")
    if (Q < 0).any() or abs(Q.sum(axis=1) - 1).max() > 1e-8:
        raise ValueError("every row of Q must be a distribution: entries >= 0 that sum to 1.")
    return log_table, Q
