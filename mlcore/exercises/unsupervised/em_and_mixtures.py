"""Checks of the exercises of unsupervised/em_and_mixtures."""

import numpy as np
from scipy.special import gammaln

from mlcore.exercises.core import exercise, expect_close
from mlcore.unsupervised import em_and_mixtures as em


@exercise("midpoint", wrong={
    "the weights forgotten": (0.5, 1.0),
    "the two mixed up": (0.25, 0.75),
})
def midpoint(answer):
    """Check the responsibility at the midpoint and the place where it is one half."""
    assert np.shape(answer) == (2,), "give two numbers: (responsibility, place)"
    p = em.MixtureParameters(np.array([0.75, 0.25]), np.array([[0.0], [2.0]]), np.ones(2))
    r, _ = em.e_step(np.array([[1.0]]), p, "spherical")
    expect_close(answer[0], r[0, 0], "the responsibility of the first component at x = 1", atol=5e-3)
    expect_close(answer[1], 1 + np.log(3) / 2, "the place of equal responsibilities", atol=5e-3)


def _unweighted(X, r):
    labels = r.argmax(axis=1)
    groups = [X[labels == j] for j in range(r.shape[1])]
    return (np.bincount(labels, minlength=r.shape[1]) / len(X), np.array([G.mean(axis=0) for G in groups]),
            np.array([np.cov(G.T, bias=True) for G in groups]))


@exercise("m_step", wrong={
    "hard assignments": _unweighted,
    "covariances about the overall mean": lambda X, r: (*em.m_step(X, r)[:2], np.array(
        [(X - X.mean(axis=0)).T @ (r[:, [j]] * (X - X.mean(axis=0))) / r[:, j].sum() for j in range(r.shape[1])])),
    "weights not divided by n": lambda X, r: (r.sum(axis=0), *em.m_step(X, r)[1:]),
    "covariances divided by n": lambda X, r: (lambda p: (p[0], p[1], p[2] * p[0][:, None, None]))(em.m_step(X, r)),
})
def m_step(answer):
    """Check the three updates on random responsibilities."""
    rng = np.random.default_rng(0)
    X, r = rng.normal(size=(40, 3)), rng.dirichlet(np.ones(2), size=40)
    weights, means, covariances = answer(X, r)
    assert np.isclose(np.sum(weights), 1), f"the weights sum to {np.sum(weights):.4g}, not 1"
    for got, wanted, name in zip((weights, means, covariances), em.m_step(X, r), ("weights", "means", "covariances")):
        expect_close(got, wanted, f"the {name}")


def _poisson(x, weights, rates, use_weights=True):
    joint = np.where(use_weights, np.log(weights), 0) + x[:, None] * np.log(rates) - rates - gammaln(x[:, None] + 1)
    r = np.exp(joint - joint.max(axis=1, keepdims=True))
    r /= r.sum(axis=1, keepdims=True)
    return r.mean(axis=0), x @ r / r.sum(axis=0)


@exercise("poisson_step", wrong={
    "responsibilities without the weights": lambda x, weights, rates: _poisson(x, weights, rates, use_weights=False),
    "rates divided by n": lambda x, weights, rates: (lambda w, lam: (w, lam * w))(*_poisson(x, weights, rates)),
    "weights kept": lambda x, weights, rates: (weights, _poisson(x, weights, rates)[1]),
})
def poisson_step(answer):
    """Check one step, and that the likelihood rises over many."""
    rng = np.random.default_rng(1)
    x = np.concatenate([rng.poisson(2, 60), rng.poisson(9, 30)]).astype(float)
    weights, rates, history = np.array([0.3, 0.7]), np.array([1.0, 5.0]), []
    for _ in range(20):
        wanted = _poisson(x, weights, rates)
        weights, rates = (np.asarray(part, float) for part in answer(x, weights, rates))
        expect_close(weights, wanted[0], "the weights")
        expect_close(rates, wanted[1], "the rates")
        history.append(np.log((weights * np.exp(x[:, None] * np.log(rates) - rates)).sum(axis=1)).sum())
    assert np.diff(history).min() > -1e-9, "the likelihood fell"


@exercise("collapse", wrong={
    "nothing collapses": lambda: (np.arange(8.0), np.array([1.0, 6.0]), np.array([1.0, 1.0])),
    "a start that is nearly singular": lambda: (np.arange(8.0), np.array([0.0, 5.0]), np.array([1e-6, 1.0])),
    "equal points": lambda: (np.array([0, 0, 0, 0, 9, 9, 9, 9.0]), np.array([0.0, 9.0]), np.array([1.0, 1.0])),
})
def collapse(answer):
    """Run EM without a floor from the answer and look for the collapse."""
    points, means, variances = (np.asarray(part, float) for part in answer())
    assert points.shape == (8,) and means.shape == variances.shape == (2,), "8 points, 2 means and 2 variances are asked for"
    assert len(np.unique(points)) == 8, "the eight points must be different"
    assert variances.min() >= 0.5, f"the starting variances must be at least 0.5, the smaller is {variances.min():.3g}"
    model = em.GaussianMixture(2, "spherical", init=(np.full(2, 0.5), means[:, None], variances), reg_covar=0, tol=1e-10, max_iter=2000)
    try:
        model.fit(points[:, None])
    except ValueError as error:
        assert "collapsed" in str(error), str(error)
        return "passed: a component collapsed"
    raise AssertionError(f"no component collapsed; EM ended with variances {np.round(model.covariances_, 3).tolist()}")


@exercise("iris_choice", wrong={
    "the number of species": (3, "spherical"),
    "the likelihood without a price": (4, "full"),
})
def iris_choice(answer):
    """Compare with the least BIC over the grid."""
    from sklearn.datasets import load_iris

    X = load_iris().data
    k, kind = answer
    scores = {(j, t): em.GaussianMixture(j, t, n_init=3, random_state=0, tol=1e-5).fit(X).bic(X)
              for t in em.COVARIANCE_TYPES for j in range(1, 5)}
    best = min(scores, key=scores.get)
    assert (k, kind) in scores, "give a pair (number of components from 1 to 4, covariance type)"
    assert (k, kind) == best, f"({k}, {kind!r}) has a BIC that is {scores[k, kind] - scores[best]:.1f} above the least"


@exercise("ppca_noise", wrong={
    "the smallest eigenvalue": lambda S, q: np.linalg.eigvalsh(S)[0],
    "the discarded sum over d": lambda S, q: np.linalg.eigvalsh(S)[:len(S) - q].sum() / len(S),
    "the mean of all": lambda S, q: np.trace(S) / len(S),
})
def ppca_noise(answer):
    """Check by searching the noise variance of highest likelihood."""
    from scipy.optimize import minimize_scalar

    rng = np.random.default_rng(2)
    for d, q in ((4, 1), (6, 2), (5, 4)):
        X = rng.normal(size=(50, d)) * np.linspace(1, 3, d)
        _, S = em.scatter(X)

        def loss(t, S=S, q=q, d=d):
            psi = np.full(d, np.exp(t))
            return -em.factor_log_likelihood(S, em.best_loadings(S, psi, q), psi)

        found = minimize_scalar(loss, bounds=(-4, 4), method="bounded", options={"xatol": 1e-9})
        expect_close(answer(S, q), np.exp(found.x), f"the noise variance for d = {d}, q = {q}", rtol=1e-4)
