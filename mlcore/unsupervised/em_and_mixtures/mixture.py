"""Gaussian mixtures: where EM starts, its half-steps one by one, and the estimator."""

import numpy as np

from mlcore.base import Estimator, check_array, check_fitted, check_number, check_option, check_rng, warn_not_converged
from mlcore.takes import takes
from mlcore.unsupervised.em_and_mixtures.components import (
    COVARIANCE_TYPES,
    MixtureParameters,
    check_parameters,
    check_prior,
    e_step,
    full_covariances,
    log_prior,
    m_step,
    n_free_parameters,
)
from mlcore.unsupervised.k_means import kmeans_plus_plus, lloyd, random_seeding
from mlcore.unsupervised.k_means.iteration import ClusterMixin

STARTS = ("k-means", "k-means++", "random")


@takes(X="n d", k="integer >= 1", covariance_type=COVARIANCE_TYPES, rng="rng", reg_covar="number >= 0")
def starting_parameters(X, k, covariance_type="full", how="k-means", rng=None, reg_covar=1e-6, prior=None):
    """Parameters to start from.

    "k-means" runs Lloyd's algorithm and takes the M step at its labels; "k-means++" takes seeds, "random" takes rows as means,
    both with equal weights and the covariance of all the data.
    """
    rng = check_rng(rng)
    check_option(how, "init", STARTS)
    if how == "k-means":
        labels = lloyd.core(X, kmeans_plus_plus.core(X, k, rng)).labels
        return m_step.core(X, np.eye(k)[labels], covariance_type, reg_covar, prior)
    together = m_step.core(X, np.full((len(X), k), 1 / k), covariance_type, reg_covar, prior)
    means = (kmeans_plus_plus if how == "k-means++" else random_seeding)(X, k, rng)
    return together._replace(means=means)


@takes(X="n d", parameters=tuple, n_rounds="integer >= 0", reg_covar="number >= 0")
def mixture_steps(X, parameters, covariance_type="full", n_rounds=10, reg_covar=0.0):
    """Yield ``(name, responsibilities, parameters, log_likelihood)`` after every half-step, for figures.

    The log-likelihood is that of the parameters shown, so that it changes in M steps only.
    """
    for _ in range(n_rounds):
        r, evidence = e_step.core(X, parameters, covariance_type)
        yield "E step", r, parameters, float(evidence.sum())
        parameters = m_step.core(X, r, covariance_type, reg_covar)
        yield "M step", r, parameters, float(e_step.core(X, parameters, covariance_type)[1].sum())


class GaussianMixture(ClusterMixin, Estimator):
    """Mixture of Gaussians p(x) = sum_j pi_j N(x; mu_j, Sigma_j), eq-em-mixture, fitted by EM.

    Parameters
    ----------
    n_components : int
    covariance_type : "full", "tied" (one matrix for all), "diag" or "spherical"
    init : "k-means", "k-means++", "random", or starting parameters (weights, means, covariances)
    n_init : int, number of starts, of which the one with the highest objective is kept (given parameters are started from once)
    reg_covar : float, floor added to every variance in the M step
    prior : None, or a MixturePrior for MAP-EM
    tol, max_iter : stop when a round raises the objective by less than ``tol``, or after max_iter rounds
    random_state : None, int or numpy.random.Generator

    Attributes
    ----------
    weights_, means_, covariances_ : pi (k,), mu (k, d), Sigma (shape by type)
    history_ : mean log-likelihood (plus log prior / n with a prior) before every round, and after the last
    labels_ : (n,);  n_iter_ : rounds;  converged_ : bool

    >>> model = GaussianMixture(2, "spherical", random_state=0).fit([[-1.0], [0.0], [1.0], [9.0], [10.0], [11.0]])
    >>> np.sort(model.means_.ravel()).round(3)
    array([ 0., 10.])
    """

    def __init__(self, n_components=2, covariance_type="full", init="k-means", n_init=1, reg_covar=1e-6, prior=None,
                 tol=1e-6, max_iter=500, random_state=None):
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.init = init
        self.n_init = n_init
        self.reg_covar = reg_covar
        self.prior = prior
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X, y=None):
        """Run EM from ``n_init`` starts and keep the best."""
        rng = check_rng(self.random_state)
        X = check_array(X)
        k = self._check(X)
        prior = check_prior(self.prior, X.shape[1])
        best = None
        for start in self._starts(X, k, rng, prior):
            run = self._run(X, start, prior)
            if best is None or run[1][-1] > best[1][-1]:
                best = run
        parameters, history, self.n_iter_, self.converged_ = best
        self.weights_, self.means_, self.covariances_ = parameters
        self.history_ = np.array(history)
        self.labels_ = self.predict(X)
        if not self.converged_:
            warn_not_converged(self, "raise max_iter, or set a larger tol.")
        return self

    def _check(self, X):
        check_option(self.covariance_type, "covariance_type", COVARIANCE_TYPES)
        k = check_number(self.n_components, "n_components", low=1, integer=True)
        if k > len(X):
            raise ValueError(f"n_components={k} is more than the {len(X)} samples; ask for at most {len(X)} components.")
        check_number(self.n_init, "n_init", low=1, integer=True)
        check_number(self.max_iter, "max_iter", low=1, integer=True)
        check_number(self.reg_covar, "reg_covar", low=0)
        check_number(self.tol, "tol", low=0)
        return k

    def _starts(self, X, k, rng, prior):
        """Yield starting parameters, one set per start."""
        if isinstance(self.init, str):
            for _ in range(self.n_init):
                yield starting_parameters(X, k, self.covariance_type, self.init, rng, self.reg_covar, prior)
            return
        if not isinstance(self.init, (tuple, list)) or len(self.init) != 3:
            raise ValueError(f"init must be one of {', '.join(map(repr, STARTS))} or (weights, means, covariances).")
        yield check_parameters(self.init, k, X.shape[1], self.covariance_type)

    def _run(self, X, parameters, prior):
        """EM from one start: parameters, history, rounds, converged."""
        history, converged, n_iter = [], False, 0

        def expectation():
            r, evidence = e_step.core(X, parameters, self.covariance_type)
            history.append(float(evidence.mean()))
            if prior is not None:
                history[-1] += log_prior(parameters, prior, self.covariance_type) / len(X)
            return r

        r = expectation()
        while n_iter < self.max_iter and not converged:
            parameters = m_step.core(X, r, self.covariance_type, self.reg_covar, prior)
            r = expectation()
            n_iter += 1
            converged = history[-1] - history[-2] < self.tol
        return parameters, history, n_iter, bool(converged)

    def _evidence(self, X):
        check_fitted(self, "means_")
        X = check_array(X, n_features=self.means_.shape[1])
        return e_step.core(X, MixtureParameters(self.weights_, self.means_, self.covariances_), self.covariance_type)

    def predict_proba(self, X):
        """Responsibilities (n, k)."""
        return self._evidence(X)[0]

    def predict(self, X):
        """Index of the likeliest component of every row."""
        return self._evidence(X)[0].argmax(axis=1)

    def score_samples(self, X):
        """log p(x) of every row."""
        return self._evidence(X)[1]

    def score(self, X, y=None):
        """Mean log-likelihood of the rows (higher is better)."""
        return float(self.score_samples(X).mean())

    def bic(self, X):
        """Bayesian information criterion -2 log-likelihood + p log n, eq-em-bic (lower is better)."""
        evidence = self.score_samples(X)
        p = n_free_parameters(*self.means_.shape, self.covariance_type)
        return float(-2 * evidence.sum() + p * np.log(len(evidence)))

    def sample(self, n, random_state=None):
        """Draw n rows and the component of each: first z, then x given z."""
        check_fitted(self, "means_")
        rng = check_rng(random_state)
        check_number(n, "n", low=1, integer=True)
        k, d = self.means_.shape
        z = rng.choice(k, size=n, p=self.weights_)
        L = np.linalg.cholesky(full_covariances(self.covariances_, k, d, self.covariance_type))
        return self.means_[z] + np.einsum("nij,nj->ni", L[z], rng.standard_normal((n, d))), z
