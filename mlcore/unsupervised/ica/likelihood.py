"""ICA by maximum likelihood: the density of x = A s, its gradient, and the ways to climb it."""

import numpy as np

from mlcore.base import check_array, check_number, check_option, check_rng, warn_not_converged
from mlcore.foundations.mathematics import log_sigmoid, sigmoid
from mlcore.takes import takes
from mlcore.unsupervised.ica.stability import switching_signs
from mlcore.unsupervised.ica.unmixing import _Unmixing

SOURCES = ("logistic", "extended")
METHODS = ("natural", "gradient", "stochastic")
# log of the integral of exp(-y^2/2) sech(y), and of exp(-y^2/2) cosh(y) = sqrt(2 pi e)
LOG_NORMALIZERS = {1.0: 0.6195404611792749, -1.0: 0.5 * np.log(2 * np.pi) + 0.5}


@takes(Y="any ...")
def score(Y, source="logistic", signs=None):
    """phi(y) = d log p(y) / dy: 1 - 2 g(y), eq-ic-score, or -y - k tanh y with the ``signs`` k of the columns, eq-ic-extended."""
    if check_option(source, "source", SOURCES) == "logistic":
        return 1 - 2 * sigmoid(Y)
    signs = switching_signs.core(Y) if signs is None else np.asarray(signs, float)
    return -Y - signs * np.tanh(Y)


@takes(Y="any ...")
def source_log_density(Y, source="logistic", signs=None):
    """log p(y), entry by entry: log g'(y) = log g(y) + log g(-y), or the extended pair of priors.

    >>> float(source_log_density(0.0).round(6))    # g'(0) = 1/4
    -1.386294
    """
    if check_option(source, "source", SOURCES) == "logistic":
        return log_sigmoid(Y) + log_sigmoid(-Y)
    signs = switching_signs.core(Y) if signs is None else np.asarray(signs, float)
    log_cosh = np.logaddexp(Y, -Y) - np.log(2)
    return -(Y**2) / 2 - signs * log_cosh - np.where(signs > 0, LOG_NORMALIZERS[1.0], LOG_NORMALIZERS[-1.0])


def log_likelihood(W, X, source="logistic", signs=None):
    """Mean over the rows of X of sum_j log p(w_j^T x) + log |det W| (eq-ic-loglik).

    >>> float(np.round(log_likelihood(np.eye(2), np.zeros((1, 2))), 6))
    -2.772589
    """
    W, X = _square(W, X)
    sign, log_det = np.linalg.slogdet(W)
    if sign == 0:
        raise ValueError("W is singular; an unmixing matrix must be invertible.")
    return source_log_density.core(X @ W.T, source, signs).sum() / len(X) + log_det


def likelihood_gradient(W, X, source="logistic", signs=None):
    """Gradient of :func:`log_likelihood`, mean of phi(W x) x^T plus W^{-T} (eq-ic-gradient)."""
    W, X = _square(W, X)
    Y = X @ W.T
    return score.core(Y, source, signs).T @ X / len(X) + _inverse(W).T


def _inverse(W):
    """W^-1, or say why there is none."""
    try:
        return np.linalg.inv(W)
    except np.linalg.LinAlgError:
        raise ValueError("W is singular, so that it cannot unmix; lower the rate, or scale the data to variance 1.") from None


@takes(W="k k", x="k", alpha="number")
def stochastic_step(W, x, alpha):
    """One step on one example x: W + alpha ((1 - 2 g(W x)) x^T + W^{-T}), the rate before the whole bracket (eq-ic-sgd)."""
    return W + alpha * (np.outer(1 - 2 * sigmoid(W @ x), x) + _inverse(W).T)


@takes(W="k k", X="n k", alpha="number", rng="rng")
def stochastic_epoch(W, X, alpha, rng):
    """One pass of :func:`stochastic_step` over the rows of X in random order."""
    for i in check_rng(rng).permutation(len(X)):
        W = stochastic_step.core(W, X[i], alpha)
    return W


@takes(W="k k", X="n k", eta="number")
def natural_step(W, X, eta, source="logistic", signs=None):
    """One step along the natural gradient, W + eta (I + mean of phi(y) y^T) W with y = W x (eq-ic-natural).

    Returns the new W and the bracket, whose entries vanish at a stationary point.
    """
    Y = X @ W.T
    bracket = np.eye(len(W)) + score.core(Y, source, signs).T @ Y / len(X)
    return W + eta * bracket @ W, bracket


def _square(W, X):
    W, X = check_array(W, name="W"), check_array(X)
    if W.shape != (X.shape[1], X.shape[1]):
        raise ValueError(f"W must be square with one column per feature of X, ({X.shape[1]}, {X.shape[1]}); got {W.shape}.")
    return W, X


class LikelihoodICA(_Unmixing):
    """ICA by maximum likelihood (eq-ic-loglik) on whitened data, started from the identity.

    Parameters
    ----------
    source : "logistic" (super-Gaussian sources only) or "extended" (a prior per component, switched by eq-ic-switch)
    method : "natural" (eq-ic-natural), "gradient" (eq-ic-gradient on all rows), "stochastic" (eq-ic-sgd; logistic only)
    learning_rate : first step size; it is halved whenever the likelihood would fall. None means 0.5, and 0.01 for
        "stochastic", which divides it by the number of the epoch instead
    n_components : number of sources, None for one per channel
    max_iter, tol : stop when no entry of I + E phi(y) y^T exceeds tol in size; tol=None means 1e-6, and 0.05 for "stochastic"
    random_state : orders the rows of "stochastic"

    Attributes
    ----------
    components_ : (k, d) unmixing matrix W, sources are (x - mean_) W^T;  mixing_ : (d, k)
    history_ : mean log-likelihood of the whitened data after each iteration;  n_iter_, converged_
    signs_ : (k,) +1 or -1, the priors that the switch chose (all +1 for "logistic")

    >>> S = np.random.default_rng(0).laplace(size=(4000, 2))
    >>> A = np.array([[1.0, 0.6], [0.4, 1.0]])
    >>> from mlcore.unsupervised.ica.measures import amari_distance
    >>> amari_distance(LikelihoodICA().fit(S @ A.T).components_, A) < 0.03
    True
    """

    def __init__(self, source="logistic", method="natural", learning_rate=None, n_components=None, max_iter=500, tol=None,
                 random_state=None):
        self.source = source
        self.method = method
        self.learning_rate = learning_rate
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _separate(self, Z):
        rng = check_rng(self.random_state)
        check_option(self.source, "source", SOURCES)
        check_option(self.method, "method", METHODS)
        stochastic = self.method == "stochastic"
        if stochastic and self.source != "logistic":
            raise ValueError('method="stochastic" knows the logistic source only; use method="natural" for source="extended".')
        rate = (0.01 if stochastic else 0.5) if self.learning_rate is None else self.learning_rate
        tol = (0.05 if stochastic else 1e-6) if self.tol is None else self.tol
        check_number(rate, "learning_rate", low=0, open_low=True)
        check_number(tol, "tol", low=0)
        check_number(self.max_iter, "max_iter", low=1, integer=True)
        W = np.eye(Z.shape[1])
        self.history_, self.converged_ = [], False
        for epoch in range(1, self.max_iter + 1):
            signs = switching_signs.core(Z @ W.T) if self.source == "extended" else np.ones(len(W))
            if stochastic:
                W = stochastic_epoch.core(W, Z, rate / epoch, rng)
                bracket = natural_step.core(W, Z, 0.0)[1]
            else:
                W, bracket, rate = self._ascend(W, Z, signs, rate)
            self.history_.append(float(log_likelihood(W, Z, self.source, signs)))
            if np.abs(bracket).max() < tol:
                self.converged_ = True
                break
        self.n_iter_, self.signs_ = len(self.history_), signs
        if not self.converged_:
            warn_not_converged(self, "raise max_iter or tol, or look whether two sources are nearly Gaussian.")
        return W

    def _ascend(self, W, Z, signs, rate):
        """One step uphill, with the rate halved until the likelihood does not fall; also the bracket and the rate used."""
        if self.method == "gradient":
            direction = likelihood_gradient(W, Z, self.source, signs)
            bracket = direction @ W.T
        else:
            bracket = natural_step.core(W, Z, 0.0, self.source, signs)[1]
            direction = bracket @ W
        before = log_likelihood(W, Z, self.source, signs)
        least = before - 1e-12 * abs(before)  # at the top, rounding alone must not shrink the step
        while np.linalg.slogdet(W + rate * direction)[0] == 0 or log_likelihood(W + rate * direction, Z, self.source, signs) < least:
            rate /= 2
        return W + rate * direction, bracket, rate
