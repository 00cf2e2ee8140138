"""The two half-steps of EM for Gaussian mixtures, for four kinds of covariance, with an optional prior.

Shapes: weights (k,), means (k, d), responsibilities (n, k); covariances are (k, d, d) for "full", (d, d) for "tied",
(k, d) for "diag" and (k,) for "spherical", as in scikit-learn.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from mlcore.base import check_array, check_items, check_number, check_option
from mlcore.foundations.mathematics import cholesky_factor, logsumexp
from mlcore.takes import takes

COVARIANCE_TYPES = ("full", "tied", "diag", "spherical")
LOG_2PI = float(np.log(2 * np.pi))
ABANDONED = 10 * np.finfo(float).eps


class MixtureParameters(NamedTuple):
    """Weights (k,), means (k, d) and covariances (shape by type) of a mixture."""

    weights: np.ndarray
    means: np.ndarray
    covariances: np.ndarray


class MixturePrior(NamedTuple):
    """Dirichlet(alpha) on the weights, inverse Wishart(nu, scale) on each covariance, flat on the means, eq-em-prior.

    ``alpha >= 1``; ``scale`` is a positive definite (d, d) matrix, or a positive number that stands for that multiple of
    the identity. For restricted covariances the same density is used on the restricted set.
    """

    alpha: float
    nu: float
    scale: object


@takes(X="n d", parameters=tuple, covariance_type=COVARIANCE_TYPES)
def log_joint(X, parameters, covariance_type="full"):
    """log(pi_j N(x_i; mu_j, Sigma_j)) for every row and component, as (k, n); X is taken as checked."""
    weights, means, covariances = parameters
    k, d = means.shape
    out = np.empty((k, len(X)))
    log_weights = np.log(weights)
    if covariance_type in ("diag", "spherical"):
        deviations = np.sqrt(_positive(covariances)).reshape(k, -1) * np.ones(d)
        for j in range(k):
            Z = X - means[j]
            Z /= deviations[j]
            np.einsum("ij,ij->i", Z, Z, out=out[j])
        half_logdet = np.log(deviations).sum(axis=1)
    else:
        L = _factors(covariances)
        for j in range(k):
            Z = solve_triangular(L[j % len(L)], (X - means[j]).T, lower=True, overwrite_b=True, check_finite=False)
            np.einsum("ij,ij->j", Z, Z, out=out[j])
        half_logdet = np.log(np.diagonal(L, axis1=1, axis2=2)).sum(axis=1)
    out *= -0.5
    out += (log_weights - half_logdet - 0.5 * d * LOG_2PI)[:, None]
    return out


@takes(X="n d", parameters=tuple, covariance_type=COVARIANCE_TYPES)
def e_step(X, parameters, covariance_type="full"):
    """Responsibilities (n, k) and log p(x_i) (n,), both through log-sum-exp, eq-em-responsibility.

    >>> parameters = MixtureParameters(np.array([0.5, 0.5]), np.array([[0.0], [1e3]]), np.ones(2))
    >>> e_step(np.array([[0.0], [500.0]]), parameters, "spherical")[0]
    array([[1. , 0. ],
           [0.5, 0.5]])
    """
    joint = log_joint.core(X, parameters, covariance_type)
    evidence = logsumexp(joint, axis=0)
    joint -= evidence
    return np.exp(joint, out=joint).T, evidence


@takes(X="n d", responsibilities="n k", covariance_type=COVARIANCE_TYPES, reg_covar="number >= 0")
def m_step(X, responsibilities, covariance_type="full", reg_covar=0.0, prior=None):
    """Weights, means and covariances that maximize the bound, eq-em-weights, eq-em-means, eq-em-covariances.

    ``reg_covar`` is added to every variance (the floor); ``prior`` turns the step into that of MAP-EM, eq-em-map.
    A component that has lost every row gets equal, vanishing responsibilities: it returns to the mean and the covariance of
    all the data with weight near 0, instead of dividing 0 by 0.

    >>> m_step(np.array([[0.0], [2.0], [7.0]]), np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), "diag").covariances
    array([[1.],
           [0.]])
    """
    r = responsibilities
    N = r.sum(axis=0)
    if (N < ABANDONED).any():
        r = np.where(N < ABANDONED, ABANDONED, r)
        N = r.sum(axis=0)
    alpha, nu, scale = (1.0, None, None) if prior is None else prior
    means = (r.T @ X) / N[:, None]
    weights = (N + alpha - 1) / (N + alpha - 1).sum()
    scatters = _scatters(X, r, means, covariance_type)
    d = X.shape[1]
    counts = N if covariance_type != "tied" else N.sum()
    if prior is not None:
        scatters = scatters + _reduced_scale(scale, d, covariance_type)
        counts = counts + nu + d + 1
    if covariance_type == "spherical":
        counts = counts * d
    covariances = scatters / np.reshape(counts, np.shape(counts) + (1,) * (scatters.ndim - np.ndim(counts)))
    if covariance_type in ("full", "tied"):
        covariances[..., np.arange(d), np.arange(d)] += reg_covar
    else:
        covariances += reg_covar
    return MixtureParameters(weights, means, covariances)


def _scatters(X, r, means, covariance_type):
    """Weighted scatter about the means: (k, d, d), (d, d), (k, d) or (k,)."""
    k, d = means.shape
    columns = np.ascontiguousarray(r.T)
    if covariance_type in ("full", "tied"):
        out = np.empty((k, d, d))
        for j in range(k):
            Z = (X - means[j]).T
            np.matmul(Z * columns[j], Z.T, out=out[j])  # differences, not moments: no digits are lost to a large mean
        out = (out + out.transpose(0, 2, 1)) / 2
        return out if covariance_type == "full" else out.sum(axis=0)
    out = np.empty((k, d))
    for j in range(k):
        Z = X - means[j]
        Z *= Z
        out[j] = columns[j] @ Z
    return out if covariance_type == "diag" else out.sum(axis=1)


def log_prior(parameters, prior, covariance_type):
    """Logarithm of the prior density at the parameters, up to a constant, eq-em-prior."""
    weights, means, covariances = parameters
    d = means.shape[1]
    scale = _reduced_scale(prior.scale, d, "full")
    total = (prior.alpha - 1) * np.log(weights).sum()
    if covariance_type == "tied":
        covariances = np.asarray(covariances)[None]
    elif covariance_type != "full":
        covariances = full_covariances.core(covariances, len(means), d, covariance_type)
    for Sigma in covariances:
        total -= 0.5 * (prior.nu + d + 1) * np.linalg.slogdet(Sigma)[1] + 0.5 * np.trace(np.linalg.solve(Sigma, scale))
    return float(total)


@takes(covariances="...", k="integer >= 1", d="integer >= 1", covariance_type=COVARIANCE_TYPES)
def full_covariances(covariances, k, d, covariance_type):
    """The k covariance matrices (k, d, d), whatever the type.

    >>> full_covariances(np.array([1.0, 4.0]), 2, 2, "spherical")[1]
    array([[4., 0.],
           [0., 4.]])
    """
    wanted = {"full": (k, d, d), "tied": (d, d), "diag": (k, d), "spherical": (k,)}[covariance_type]
    if np.shape(covariances) != wanted:
        raise ValueError(f"covariances must have shape {wanted} for covariance_type={covariance_type!r}, got {np.shape(covariances)}.")
    if covariance_type == "full":
        return np.array(covariances)
    if covariance_type == "tied":
        return np.repeat(np.asarray(covariances)[None], k, axis=0)
    return np.asarray(covariances).reshape(k, -1, 1) * np.eye(d)


@takes(responsibilities="n k")
def harden(responsibilities):
    """One-hot responsibilities: the whole of every row to its likeliest component (hard EM).

    >>> harden(np.array([[0.6, 0.4], [0.1, 0.9]]))
    array([[1., 0.],
           [0., 1.]])
    """
    return np.eye(responsibilities.shape[1])[responsibilities.argmax(axis=1)]


@takes(k="integer >= 1", d="integer >= 1", covariance_type=COVARIANCE_TYPES)
def n_free_parameters(k, d, covariance_type):
    """Number of free parameters of a mixture, the count in BIC, eq-em-bic.

    >>> [n_free_parameters(3, 2, kind) for kind in COVARIANCE_TYPES]
    [17, 11, 14, 11]
    """
    matrix = d * (d + 1) // 2
    return k - 1 + k * d + {"full": k * matrix, "tied": matrix, "diag": k * d, "spherical": k}[covariance_type]


@takes(parameters=tuple, k="integer >= 1", d="integer >= 1")
def check_parameters(parameters, k, d, covariance_type):
    """Return given starting parameters as arrays, or say what is wrong with them."""
    check_option(covariance_type, "covariance_type", COVARIANCE_TYPES)
    weights, means, covariances = parameters
    weights = check_array(weights, name="weights", ndim=1)
    means = check_array(means, name="means")
    shape = {"full": (k, d, d), "tied": (d, d), "diag": (k, d), "spherical": (k,)}[covariance_type]
    covariances = check_array(covariances, name="covariances", ndim=len(shape))
    for name, array, wanted in (("weights", weights, (k,)), ("means", means, (k, d)), ("covariances", covariances, shape)):
        if array.shape != wanted:
            raise ValueError(f"{name} must have shape {wanted} for n_components={k}, {d} features and "
                             f"covariance_type={covariance_type!r}, got {array.shape}.")
    if (weights <= 0).any() or abs(weights.sum() - 1) > 1e-8:
        raise ValueError(f"weights must be positive and sum to 1, got {np.round(weights, 6).tolist()}.")
    if covariance_type in ("diag", "spherical"):
        if (covariances <= 0).any():
            raise ValueError(f"covariances must be positive variances, but the smallest is {covariances.min():.3g}.")
    else:
        for j, Sigma in enumerate(covariances.reshape(-1, d, d)):
            cholesky_factor(Sigma, "covariances" if covariance_type == "tied" else f"covariances[{j}]")
    return MixtureParameters(weights, means, covariances)


def check_prior(prior, d):
    """Return a usable prior (or None), or say what is wrong with it."""
    if prior is None:
        return None
    alpha, nu, scale = check_items(prior, "prior", 3)
    check_number(alpha, "prior.alpha", low=1)
    check_number(nu, "prior.nu", low=-d - 1, open_low=True)
    cholesky_factor(_reduced_scale(scale, d, "full"), "prior.scale")
    return MixturePrior(alpha, nu, scale)


def _reduced_scale(scale, d, covariance_type):
    """The scale matrix of the prior, its diagonal, or its trace, as the covariance type wants it."""
    scale = np.asarray(scale, float)
    if scale.ndim == 0:
        scale = scale * np.eye(d)
    if scale.shape != (d, d):
        raise ValueError(f"prior.scale must be a number or a ({d}, {d}) matrix, got shape {scale.shape}.")
    return {"full": scale, "tied": scale, "diag": np.diag(scale), "spherical": np.trace(scale)}[covariance_type]


def _positive(variances):
    """Refuse a variance that is not positive: the component has collapsed."""
    if not (variances > 0).all():
        j = int(np.argmax(~(variances > 0).reshape(len(variances), -1).all(axis=1)))
        raise ValueError(_collapse(j))
    return variances


def _factors(covariances):
    """Cholesky factors (k, d, d), or (1, d, d) of a tied covariance; a singular one means that a component has collapsed."""
    stack = covariances.reshape(-1, *covariances.shape[-2:])
    try:
        return np.linalg.cholesky(stack)
    except np.linalg.LinAlgError:
        for j, Sigma in enumerate(stack):
            try:
                np.linalg.cholesky(Sigma)
            except np.linalg.LinAlgError:
                raise ValueError(_collapse(j)) from None
        raise


def _collapse(j):
    return (f"component {j} has collapsed: its covariance is singular, and the likelihood has no maximum there; "
            "raise reg_covar, give a prior, use fewer components, or a simpler covariance_type.")
