"""Checks of the exercises of the chapter on generative learning."""

import numpy as np

from mlcore.exercises.core import exercise, expect_close
from mlcore.foundations.mathematics import logsumexp
from mlcore.supervised.generative_learning import BernoulliNB, GaussianDiscriminant, fisher_direction, gda_log_joint
from mlcore.supervised.linear_regression import LinearRegression


@exercise("parameter_counts", wrong={
    "all entries of a covariance": (121, 221, 21, 11),
    "two free priors": (77, 132, 22, 11),
    "no prior": (75, 130, 20, 11),
    "one covariance for both": (76, 76, 21, 11),
})
def parameter_counts(answer):
    """Free parameters of four models with ten features and two classes."""
    expect_close(answer, (76, 131, 21, 11), "the four numbers")
    return "right: the price of a full covariance grows with the square of the number of features"


def _theta(phi, mu0, mu1, Sigma):
    slopes = np.linalg.solve(Sigma, mu1 - mu0)
    return np.r_[-0.5 * (mu1 + mu0) @ slopes + np.log(phi / (1 - phi)), slopes]


def _without_prior(phi, mu0, mu1, Sigma):
    return _theta(0.5, mu0, mu1, Sigma)


@exercise("gda_theta", wrong={
    "forgets the prior": _without_prior,
    "the classes in the other order": lambda phi, mu0, mu1, Sigma: _theta(1 - phi, mu1, mu0, Sigma),
    "no inverse": lambda phi, mu0, mu1, Sigma: _theta(phi, mu0, mu1, np.eye(len(mu0))),
    "intercept last": lambda phi, mu0, mu1, Sigma: np.roll(_theta(phi, mu0, mu1, Sigma), -1),
})
def gda_theta(answer):
    """Theta of the logistic posterior from the parameters of GDA, against Bayes' rule at random points."""
    rng = np.random.default_rng(3)
    A = rng.normal(size=(3, 3))
    mu, Sigma, phi = rng.normal(size=(2, 3)), A @ A.T + np.eye(3), 0.3
    theta = np.asarray(answer(phi, mu[0].copy(), mu[1].copy(), Sigma.copy()), float)
    assert theta.shape == (4,), f"theta should have 4 entries, the intercept first, got shape {theta.shape}"
    X = rng.normal(size=(20, 3))
    joint = gda_log_joint(X, [1 - phi, phi], mu, Sigma)
    expect_close(theta[0] + X @ theta[1:], joint[:, 1] - joint[:, 0], "the log-odds at 20 points", rtol=1e-8)
    return "right: Bayes' rule and the sigmoid agree at every point"


@exercise("poisson_log_odds", wrong={
    "forgets the rates": lambda x, phi, lam0, lam1: x * np.log(lam1 / lam0) + np.log(phi / (1 - phi)),
    "the sign of the rates": lambda x, phi, lam0, lam1: x * np.log(lam1 / lam0) + (lam1 - lam0) + np.log(phi / (1 - phi)),
    "linear in the rates": lambda x, phi, lam0, lam1: x * (lam1 - lam0) - (lam1 - lam0) + np.log(phi / (1 - phi)),
    "no prior": lambda x, phi, lam0, lam1: x * np.log(lam1 / lam0) - (lam1 - lam0),
})
def poisson_log_odds(answer):
    """Log-odds of two Poisson classes, against the probabilities themselves."""
    from scipy.stats import poisson

    x = np.arange(8)
    for phi, lam0, lam1 in ((0.5, 1.0, 2.0), (0.2, 3.0, 0.5)):
        want = poisson.logpmf(x, lam1) - poisson.logpmf(x, lam0) + np.log(phi) - np.log(1 - phi)
        expect_close(answer(x, phi, lam0, lam1), want, f"the log-odds of 0, ..., 7 for phi = {phi}, rates {lam0} and {lam1}")
    return "right: linear in x, so the posterior is logistic though nothing is Gaussian"


def _spam_posterior(counts, prior, phi):
    joint = np.log([1 - prior, prior]) + np.log(phi) @ counts
    return float(np.exp(joint[1] - logsumexp(joint)))


def _plain_products(counts, prior, phi):
    products = np.prod(phi**counts, axis=1) * [1 - prior, prior]
    with np.errstate(invalid="ignore"):
        return products[1] / products.sum()


@exercise("log_space", wrong={
    "multiplies the probabilities": _plain_products,
    "forgets the prior": lambda counts, prior, phi: _spam_posterior(counts, 0.5, phi),
    "presence in the place of counts": lambda counts, prior, phi: _spam_posterior(np.minimum(counts, 1), prior, phi),
    "the prior for long messages": lambda counts, prior, phi: prior if counts.sum() > 99 else _spam_posterior(counts, prior, phi),
    "the other class": lambda counts, prior, phi: 1 - _spam_posterior(counts, prior, phi),
})
def log_space(answer):
    """Posterior of the multinomial event model, also for messages of many words."""
    rng = np.random.default_rng(4)
    phi = rng.dirichlet(np.ones(50), size=2)
    short, half = rng.poisson(0.3, size=50), rng.multinomial(1500, phi[0])
    expect_close(answer(short, 0.3, phi), _spam_posterior(short, 0.3, phi), "the posterior of a short message")
    mirrored = np.array([phi[0], phi[0][::-1]])  # a message equal to its mirror image leaves the prior as it is
    got = answer(half + half[::-1], 0.3, mirrored)
    assert np.isfinite(got), "the posterior of a message of 3,000 words is not a number; add logarithms instead of multiplying"
    expect_close(got, 0.3, "the posterior of a long message that says nothing either way")
    tilted = half + half[::-1]
    j = int(np.argmax(np.abs(np.log(phi[0] / phi[0][::-1])) < 1.5))  # one more word, of moderate evidence
    tilted[j] += 1
    want = 1 / (1 + 0.7 / 0.3 * phi[0][j] / phi[0][::-1][j])
    expect_close(answer(tilted, 0.3, mirrored), want, "the posterior of the same message with one telling word more")
    return "right, and it survives 3,000 words"


def _separable():
    return np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5), np.array([0, 0, 1, 1] * 5)


def _noise():
    rng = np.random.default_rng(0)
    return rng.integers(2, size=(40, 2)), rng.integers(2, size=40)


@exercise("fool_naive_bayes", wrong={
    "one feature decides": _separable,
    "labels at random": _noise,
    "one class": lambda: (np.eye(4), np.zeros(4, int)),
})
def fool_naive_bayes(build):
    """Binary data whose label is a function of x, on which naive Bayes is right at most half of the time."""
    X, y = map(np.asarray, build())
    assert X.ndim == 2 and len(X) == len(y) and np.isin(X, (0, 1)).all(), "return X (n, d) of zeros and ones, and n labels"
    assert len(np.unique(y)) == 2, "there must be two classes"
    rows, inverse = np.unique(X, axis=0, return_inverse=True)
    for r in range(len(rows)):
        assert len(set(y[inverse.ravel() == r])) == 1, f"the row {rows[r].tolist()} has both labels; x must decide the label"
    score = BernoulliNB().fit(X, y).score(X, y)
    assert score <= 0.5, f"naive Bayes is right on {score:.0%} of these data; it should be at most 50%"
    return "right: each feature by itself says nothing, and naive Bayes never looks at two together"


def _slopes(X, y):
    return LinearRegression().fit(X, np.where(np.asarray(y) == 1, 1.0, -1.0)).coef_


@exercise("fisher_by_regression", wrong={
    "the difference of the means": lambda X, y: X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0),
    "no intercept": lambda X, y: np.linalg.lstsq(X, np.where(y == 1, 1.0, -1.0), rcond=None)[0],
    "no direction at all": lambda X, y: np.zeros(X.shape[1]),
    "points at the wrong class": lambda X, y: -_slopes(X, y),
})
def fisher_by_regression(answer):
    """Fisher's direction found by least squares on a code of the labels."""
    rng = np.random.default_rng(6)
    y = np.repeat([0, 1], [25, 12])
    X = rng.normal(size=(37, 3)) @ rng.normal(size=(3, 3)) + 3 + np.array([1.0, -0.5, 0.3]) * y[:, None]
    w = np.asarray(answer(X, y), float)
    assert w.shape == (3,), f"the direction should have shape (3,), got {w.shape}"
    assert np.isfinite(w).all() and w.any(), "a direction needs finite entries that are not all 0"
    want = -fisher_direction(X, y)
    expect_close(w / np.linalg.norm(w), want / np.linalg.norm(want), "the direction, scaled to length 1", rtol=1e-6)
    theta = GaussianDiscriminant().fit(X, y).coef_
    expect_close(w / np.linalg.norm(w), (theta[1] - theta[0]) / np.linalg.norm(theta[1] - theta[0]), "the slope of GDA", rtol=1e-6)
    return "right: least squares, Fisher and Gaussian discriminant analysis share one direction"
