"""Factor analysis: x = mu + W z + noise with diagonal noise, by EM and by exact loadings for given noise."""

import numpy as np
from scipy.linalg import eigh

from mlcore.base import Estimator, check_array, check_fitted, check_number, check_option, warn_not_converged
from mlcore.foundations.mathematics import cholesky_factor
from mlcore.foundations.mathematics.linear_algebra import solve_positive
from mlcore.takes import takes

LOG_2PI = float(np.log(2 * np.pi))


@takes(X="n d")
def scatter(X):
    """Mean and centered, scaled scatter S = sum_i (x_i - mean)(x_i - mean)^T / n, eq-em-scatter.

    >>> scatter(np.array([[0.0, 0.0], [2.0, 4.0]]))[1]
    array([[1., 2.],
           [2., 4.]])
    """
    mean = X.mean(axis=0)
    Z = X - mean
    return mean, Z.T @ Z / len(X)


@takes(W="d q", psi="d")
def factor_posterior(W, psi):
    """E = Sigma^{-1} W (d, q) and G = cov(z | x) (q, q), eq-em-factor-posterior, through a q-by-q matrix only."""
    if (psi <= 0).any():
        raise ValueError(f"psi holds variances of noise, which must be > 0, got {psi.min():.6g}.")
    scaled = W / psi[:, None]
    G = solve_positive(np.eye(W.shape[1]) + W.T @ scaled, np.eye(W.shape[1]), "I + W^T Psi^{-1} W")
    return scaled @ G, (G + G.T) / 2


@takes(S="d d", W="d q", psi="d")
def factor_log_likelihood(S, W, psi):
    """Mean log-likelihood -(log|2 pi Sigma| + tr(Sigma^{-1} S)) / 2 with Sigma = W W^T + Psi, eq-em-factor-likelihood."""
    E, _ = factor_posterior.core(W, psi)
    M = np.eye(W.shape[1]) + W.T @ (W / psi[:, None])
    logdet = np.log(psi).sum() + 2 * np.log(np.diag(cholesky_factor(M, "I + W^T Psi^{-1} W"))).sum()
    trace = (np.diag(S) / psi).sum() - np.einsum("ij,ij->", E, S @ (W / psi[:, None]))
    return float(-0.5 * (len(psi) * LOG_2PI + logdet + trace))


@takes(S="d d", W="d q", psi="d", floor="number >= 0")
def factor_em_step(S, W, psi, floor=1e-12):
    """One round of EM: posterior moments, then W and psi, eq-em-factor-w, eq-em-factor-psi."""
    E, G = factor_posterior.core(W, psi)
    SE = S @ E
    W = solve_positive(E.T @ SE + G, SE.T, "the second moment of z").T
    psi = np.diag(S) - np.einsum("ij,ij->i", W, SE)
    return W, np.maximum(psi, floor)


@takes(S="d d", psi="d", q="integer >= 1")
def best_loadings(S, psi, q):
    """The W (d, q) of highest likelihood for given noise variances, eq-em-best-loadings.

    >>> best_loadings(np.diag([5.0, 1.0]), np.ones(2), 1).round(6) ** 2
    array([[4.],
           [0.]])
    """
    if (psi <= 0).any() or q > len(psi):
        raise ValueError(f"psi must be positive and q at most {len(psi)}, got a smallest variance {psi.min():.6g} and q={q}.")
    root, values, vectors = _leading(S, psi, q)
    return root * vectors * np.sqrt(np.maximum(values - 1, 0))


def _leading(S, psi, q):
    """Roots of psi (d, 1), and the q leading eigenvalues and eigenvectors of Psi^{-1/2} S Psi^{-1/2}."""
    d, root = len(psi), np.sqrt(psi)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        whitened = S / np.outer(root, root)
    if not np.isfinite(whitened).all():
        raise ValueError(f"a variance of {psi.min():.6g} in psi is too small beside S to divide by; raise it, or scale the data.")
    values, vectors = eigh(whitened, subset_by_index=(d - q, d - 1))
    vectors = vectors[:, ::-1]
    sign = np.where(vectors[np.abs(vectors).argmax(axis=0), np.arange(q)] < 0, -1, 1)  # free: largest entry positive
    return root[:, None], values[::-1], vectors * sign


class FactorAnalysis(Estimator):
    """Factor analysis: x = mu + W z + e, z ~ N(0, I_q), e ~ N(0, diag(psi)), eq-em-factor-model.

    Parameters
    ----------
    n_components : int, number q of factors, at most the number of features
    method : "em" (eq-em-factor-w, eq-em-factor-psi), or "exact" (best W for the noise, then the noise; fewer rounds)
    noise_init : None (the variances of the features) or an array (d,) of positive starting variances
    loadings_init : None (scaled principal axes) or an array (d, q); for method "em"
    floor : float, least noise variance
    tol, max_iter : stop when a round raises the mean log-likelihood by less than ``tol``, or after max_iter rounds

    Attributes
    ----------
    mean_ : (d,);  loadings_ : W (d, q);  noise_ : psi (d,)
    history_ : mean log-likelihood before the first round and after each;  n_iter_;  converged_

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(20000, 1)) @ [[2.0, 1.0, -1.0]] + rng.normal(size=(20000, 3))
    >>> FactorAnalysis(1).fit(X).loadings_.ravel().round(1)
    array([ 2.,  1., -1.])
    """

    kind = "transformer"

    def __init__(self, n_components=1, method="em", noise_init=None, loadings_init=None, floor=1e-12, tol=1e-9,
                 max_iter=5000):
        self.n_components = n_components
        self.method = method
        self.noise_init = noise_init
        self.loadings_init = loadings_init
        self.floor = floor
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X, y=None):
        """Iterate on the scatter matrix until the likelihood stops rising."""
        X = check_array(X, min_samples=2)
        check_option(self.method, "method", ("em", "exact"))
        check_number(self.max_iter, "max_iter", low=1, integer=True)
        check_number(self.tol, "tol", low=0)
        check_number(self.floor, "floor", low=0, open_low=True)
        self.mean_, S = scatter(X)
        W, psi = self._start(S)
        history, converged, n_iter = [factor_log_likelihood.core(S, W, psi)], False, 0
        while n_iter < self.max_iter and not converged:
            if self.method == "em":
                W, psi = factor_em_step.core(S, W, psi, self.floor)
            else:
                psi = np.maximum(np.diag(S) - (W**2).sum(axis=1), self.floor)
                W = best_loadings.core(S, psi, W.shape[1])
            history.append(factor_log_likelihood.core(S, W, psi))
            n_iter += 1
            converged = history[-1] - history[-2] < self.tol
        self.loadings_, self.noise_, self.history_ = W, psi, np.array(history)
        self.n_iter_, self.converged_ = n_iter, bool(converged)
        if not self.converged_:
            warn_not_converged(self, "raise max_iter, or set a larger tol" + (', or use method="exact".' if self.method == "em" else "."))
        return self

    def _start(self, S):
        """Starting loadings and noise, checked."""
        d = len(S)
        q = check_number(self.n_components, "n_components", low=1, integer=True)
        if q > d:
            raise ValueError(f"n_components={q} is more than the {d} features; ask for at most {d} factors.")
        psi = np.maximum(np.diag(S), self.floor)
        if self.noise_init is not None:
            psi = check_array(self.noise_init, name="noise_init", ndim=1)
            if psi.shape != (d,) or (psi <= 0).any():
                raise ValueError(f"noise_init must hold {d} positive variances, got shape {psi.shape}.")
        if self.loadings_init is None and self.method == "exact":
            return best_loadings.core(S, psi, q), psi
        if self.loadings_init is None:  # no column may be 0: EM would keep it at 0, a saddle point
            root, values, vectors = _leading(S, psi, q)
            return root * vectors * np.sqrt(np.maximum(values, 0)), psi
        if self.method == "exact":
            raise ValueError('loadings_init is for method="em"; method="exact" computes the loadings from the noise.')
        W = check_array(self.loadings_init, name="loadings_init")
        if W.shape != (d, q):
            raise ValueError(f"loadings_init must have shape ({d}, {q}), got {W.shape}.")
        return W, psi

    def transform(self, X):
        """Posterior mean of the factors of every row, E^T (x - mu), eq-em-factor-posterior."""
        check_fitted(self, "loadings_")
        X = check_array(X, n_features=len(self.mean_))
        return (X - self.mean_) @ factor_posterior.core(self.loadings_, self.noise_)[0]

    def covariance(self):
        """Covariance W W^T + Psi of the model, (d, d)."""
        check_fitted(self, "loadings_")
        return self.loadings_ @ self.loadings_.T + np.diag(self.noise_)

    def score_samples(self, X):
        """log p(x) of every row."""
        check_fitted(self, "loadings_")
        X = check_array(X, n_features=len(self.mean_))
        L = cholesky_factor(self.covariance(), "W W^T + Psi")
        Z = np.linalg.solve(L, (X - self.mean_).T)
        return -0.5 * (len(L) * LOG_2PI + (Z**2).sum(axis=0)) - np.log(np.diag(L)).sum()

    def score(self, X, y=None):
        """Mean log-likelihood of the rows (higher is better)."""
        return float(self.score_samples(X).mean())

    def bic(self, X):
        """-2 log-likelihood + p log n with p = 2 d + d q - q (q - 1) / 2: a rotation of W is not a parameter."""
        evidence = self.score_samples(X)
        d, q = self.loadings_.shape
        return float(-2 * evidence.sum() + (2 * d + d * q - q * (q - 1) // 2) * np.log(len(evidence)))
