"""EM, Gaussian mixtures and factor analysis: mathematics by second routes, degenerate data, scikit-learn."""

import warnings

import numpy as np
import pytest
import sklearn.decomposition
import sklearn.mixture
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime, minimize
from scipy.stats import binom, invwishart, multivariate_normal
from sklearn.datasets import load_iris

from mlcore.base import ConvergenceWarning, NotFittedError
from mlcore.foundations.mathematics import log_gaussian, logsumexp
from mlcore.unsupervised import em_and_mixtures as em
from mlcore.unsupervised.em_and_mixtures.components import log_prior
from mlcore.unsupervised.k_means import assign, lloyd, move

IRIS = load_iris().data
SIX = np.array([[-2.0], [-1.0], [0.0], [4.0], [5.0], [6.0]])
each_type = pytest.mark.parametrize("kind", em.COVARIANCE_TYPES)


def problem(seed, n=80, d=3, k=3):
    """Overlapping clusters, and a start that is no fixed point."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 2 * rng.normal(size=(k, d))[rng.integers(k, size=n)]
    return X, rng


def start(X, k, kind, seed=0):
    return em.starting_parameters(X, k, kind, "random", rng=seed)


def precisions(covariances, kind):
    return np.linalg.inv(covariances) if kind in ("full", "tied") else 1 / covariances


def factor_data():
    """Six features, two factors, 300 rows, and a start."""
    rng = np.random.default_rng(0)
    W, psi, mu = rng.normal(size=(6, 2)), rng.uniform(0.2, 1, 6), 3 * rng.normal(size=6)
    X = mu[:, None] + W @ rng.normal(size=(2, 300)) + np.sqrt(psi)[:, None] * rng.normal(size=(6, 300))
    return X.T, np.random.default_rng(1).normal(size=(6, 2))


# ---------------------------------------------------------------- Jensen, the bound, the loop


def test_jensen_gap_by_hand_and_by_sign():
    assert em.jensen_gap(np.square, [1.0, 3.0], [0.25, 0.75]) == pytest.approx(0.25 * 0.75 * 4)
    rng = np.random.default_rng(0)
    for _ in range(20):
        values, p = rng.uniform(0.1, 5, size=6), rng.dirichlet(np.ones(6))
        assert em.jensen_gap(np.exp, values, p) > 0 > em.jensen_gap(np.log, values, p)
    assert em.jensen_gap(np.exp, [2.0, 2.0], [0.3, 0.7]) == pytest.approx(0, abs=1e-14)


@pytest.mark.parametrize("probabilities", [[0.5, 0.6], [1.5, -0.5], [1.0]])
def test_jensen_gap_refuses_what_is_no_distribution(probabilities):
    with pytest.raises(ValueError, match="probabilities must hold 2 numbers >= 0 that sum to 1"):
        em.jensen_gap(np.exp, [0.0, 1.0], probabilities)


def test_bound_lies_below_the_evidence_and_touches_at_the_posterior():
    rng = np.random.default_rng(1)
    joint = rng.normal(size=(30, 4))
    evidence = logsumexp(joint, axis=1)
    assert (em.elbo(joint, rng.dirichlet(np.ones(4), size=30)) < evidence).all()
    assert_allclose(em.elbo(joint, np.exp(joint - evidence[:, None])), evidence, rtol=1e-12)


def test_bound_at_a_corner_needs_no_logarithm_of_zero():
    assert_allclose(em.elbo([[np.log(0.2), -np.inf]], [[1.0, 0.0]]), np.log(0.2))
    assert em.elbo([[0.0, -np.inf]], [[0.5, 0.5]])[0] == -np.inf


def test_three_forms_of_the_bound_agree():
    rng = np.random.default_rng(2)
    prior, loglik = np.log(rng.dirichlet(np.ones(3))), rng.normal(size=(10, 3))
    Q = rng.dirichlet(np.ones(3), size=10)
    forms = em.elbo_forms(prior, loglik, Q)
    for form in forms:
        assert_allclose(form, em.elbo(prior + loglik, Q), rtol=1e-12)


def test_bad_tables_are_refused():
    with pytest.raises(ValueError, match=r"Q has shape \(1, 2\), but the table of logarithms has shape \(1, 3\)"):
        em.elbo(np.zeros((1, 3)), [[0.5, 0.5]])
    with pytest.raises(ValueError, match="every row of Q must be a distribution"):
        em.elbo(np.zeros((1, 2)), [[0.5, 0.6]])


HEADS = np.array([5, 9, 8, 4, 7])


def coins(theta):
    joint = np.log(0.5) + binom.logpmf(HEADS[:, None], 10, theta)
    evidence = logsumexp(joint, axis=1)
    return np.exp(joint - evidence[:, None]), evidence.sum()


def coins_update(Q):
    return HEADS @ Q / (10 * Q.sum(axis=0))


def test_two_coins_step_by_step_and_against_direct_maximization():
    one = em.run_em(np.array([0.6, 0.5]), coins, coins_update, tol=0, max_iter=1)
    assert_allclose(one.theta, [0.7130, 0.5813], atol=5e-5)
    assert_allclose(one.history, [-11.320587, -10.085982], atol=1e-6)
    assert_allclose(em.run_em(np.array([0.6, 0.5]), coins, coins_update, max_iter=10).theta, [0.7967, 0.5197], atol=1e-4)
    run = em.run_em(np.array([0.6, 0.5]), coins, coins_update, tol=1e-13)
    assert run.converged and np.diff(run.history).min() > -1e-12
    assert run.history[-1] == pytest.approx(-9.796924, abs=1e-5)
    direct = minimize(lambda t: -coins(t)[1], [0.7, 0.5], bounds=[(0.01, 0.99)] * 2, tol=1e-14)
    assert_allclose(run.theta, direct.x, atol=1e-4)


def test_three_objectives_on_the_toy_mixture():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(-2, 1, 80), rng.normal(2, 1, 20)])
    ends = {}
    for objective in ("LB", "CF", "HF"):
        weights, means, history = np.array([0.5, 0.5]), np.array([-1.0, 1.0]), []
        for _ in range(200):
            weights, means, loglik = em.objective_step(x, weights, means, objective)
            history.append(loglik)
        ends[objective] = weights, means, np.array(history)
    weights, means, history = ends["LB"]
    assert history[0] == pytest.approx(-238.17, abs=0.01) and history[-1] == pytest.approx(-185.73, abs=0.01)
    assert np.diff(history).min() > -1e-10
    assert_allclose([*weights, *means], [0.801, 0.199, -1.864, 1.878], atol=1e-3)
    assert ends["CF"][2][-1] == pytest.approx(-201.38, abs=0.01) and (ends["CF"][0] == 0.5).all()
    assert ends["HF"][2][-1] == pytest.approx(-283.30, abs=0.01) and np.diff(ends["HF"][2]).min() < -1
    assert_allclose(ends["HF"][1], -1.889, atol=1e-2)


def test_hf_equals_lb_for_a_single_observation():
    for a, b in zip(em.objective_step([0.7], [0.3, 0.7], [-1.0, 2.0], "LB"), em.objective_step([0.7], [0.3, 0.7], [-1.0, 2.0], "HF")):
        assert_allclose(a, b, rtol=1e-12)
    with pytest.raises(ValueError, match="objective must be one of 'LB', 'CF', 'HF'"):
        em.objective_step([0.7], [0.3, 0.7], [-1.0, 2.0], "ELBO")


def test_energy_can_exceed_the_evidence_when_the_latent_variable_is_continuous():
    # z ~ N(0, 1), x | z ~ N(z, 0.01), x = 0.5: the posterior is N(m, v)
    x, noise = 0.5, 0.01
    v = 1 / (1 + 1 / noise)
    m = v * x / noise
    evidence = log_gaussian([[x]], [0.0], [[1 + noise]])[0]
    energy = -0.5 * (np.log(2 * np.pi) + m**2 + v) - 0.5 * (np.log(2 * np.pi * noise) + ((x - m) ** 2 + v) / noise)
    entropy = 0.5 * np.log(2 * np.pi * np.e * v)
    assert_allclose([evidence, energy, entropy], [-1.0477, -0.1591, -0.8886], atol=5e-5)
    assert energy + entropy == pytest.approx(evidence) and energy > evidence


# ---------------------------------------------------------------- half-steps of the mixture


@each_type
def test_responsibilities_against_scipy_densities(kind):
    X, _ = problem(0)
    p = start(X, 3, kind)
    full = em.full_covariances(p.covariances, 3, 3, kind)
    joint = np.array([w * multivariate_normal(m, S).pdf(X) for w, m, S in zip(p.weights, p.means, full)])
    r, evidence = em.e_step(X, p, kind)
    assert_allclose(r, (joint / joint.sum(axis=0)).T, rtol=1e-9)
    assert_allclose(evidence, np.log(joint.sum(axis=0)), rtol=1e-10)
    assert_allclose(em.log_joint(X, p, kind)[1], np.log(p.weights[1]) + log_gaussian(X, p.means[1], full[1]), rtol=1e-12)


@each_type
def test_log_space_survives_where_densities_underflow(kind):
    X, _ = problem(1)
    r, evidence = em.e_step(X + 1e4, start(X, 3, kind), kind)
    assert np.isfinite(evidence).all()
    assert_allclose(r.sum(axis=1), 1, rtol=1e-12)


@each_type
def test_m_step_zeroes_the_gradient_of_the_bound(kind):
    X, rng = problem(2)
    r = rng.dirichlet(np.ones(3), size=len(X))
    best = em.m_step(X, r, kind)
    d = X.shape[1]

    def parameters(v):
        """Means, log-odds of the weights, and a covariance built from the free entries."""
        weights = np.exp(np.append(v[:2], 0))
        means, tail = v[2:2 + 3 * d].reshape(3, d), v[2 + 3 * d:]
        if kind in ("full", "tied"):
            shape = best.covariances.shape
            C = np.zeros(shape)
            rows, columns = np.tril_indices(d)
            C[..., rows, columns] = tail.reshape(*shape[:-2], -1)
            C[..., columns, rows] = C[..., rows, columns]
        else:
            C = np.exp(tail).reshape(best.covariances.shape)
        return em.MixtureParameters(weights / weights.sum(), means, C)

    free = best.covariances[..., *np.tril_indices(d)] if kind in ("full", "tied") else np.log(best.covariances)
    v = np.concatenate([np.log(best.weights[:2] / best.weights[2]), best.means.ravel(), np.ravel(free)])

    def bound(v):
        return float((r.T * em.log_joint(X, parameters(v), kind)).sum())

    h = 1e-5
    gradient = [(bound(v + h * e) - bound(v - h * e)) / (2 * h) for e in np.eye(len(v))]
    assert_allclose(gradient, 0, atol=2e-5)
    rng = np.random.default_rng(0)
    assert all(bound(v + 0.03 * rng.normal(size=len(v))) < bound(v) for _ in range(20))


def test_m_step_by_loops():
    X, rng = problem(3)
    r = rng.dirichlet(np.ones(3), size=len(X))
    got = em.m_step(X, r, "full")
    for j in range(3):
        N = sum(r[i, j] for i in range(len(X)))
        mu = sum(r[i, j] * X[i] for i in range(len(X))) / N
        S = sum(r[i, j] * np.outer(X[i] - mu, X[i] - mu) for i in range(len(X))) / N
        assert_allclose(got.weights[j], N / len(X), rtol=1e-12)
        assert_allclose(got.means[j], mu, rtol=1e-12, atol=1e-14)
        assert_allclose(got.covariances[j], S, rtol=1e-10, atol=1e-14)


def test_restricted_covariances_are_averages_of_the_full_ones():
    X, rng = problem(4)
    r = rng.dirichlet(np.ones(3), size=len(X))
    full = em.m_step(X, r, "full")
    assert_allclose(em.m_step(X, r, "tied").covariances, np.einsum("j,jab->ab", full.weights, full.covariances), rtol=1e-10)
    assert_allclose(em.m_step(X, r, "diag").covariances, np.diagonal(full.covariances, axis1=1, axis2=2), rtol=1e-10)
    assert_allclose(em.m_step(X, r, "spherical").covariances, np.trace(full.covariances, axis1=1, axis2=2) / 3, rtol=1e-10)


@each_type
def test_m_step_keeps_its_digits_far_from_the_origin(kind):
    X, rng = problem(5)
    r = rng.dirichlet(np.ones(3), size=len(X))
    assert_allclose(em.m_step(X + 2.0**24, r, kind).covariances, em.m_step(X, r, kind).covariances, rtol=1e-6, atol=1e-7)


def test_six_points_one_step_and_the_limit():
    parameters = em.MixtureParameters(np.array([0.5, 0.5]), np.array([[-1.0], [4.0]]), np.ones(2))
    steps = list(em.mixture_steps(SIX, parameters, "spherical", n_rounds=60))
    assert [name for name, *_ in steps[:3]] == ["E step", "M step", "E step"]
    assert steps[0][3] == pytest.approx(-13.171954, abs=1e-6)
    first = steps[1][2]
    assert_allclose(first.means.ravel(), [-1.000178, 4.999073], atol=1e-6)
    assert_allclose(first.covariances, [0.666637, 0.671193], atol=1e-6)
    assert_allclose(first.weights, [0.499908, 0.500092], atol=1e-6)
    assert steps[1][3] == pytest.approx(-11.456155, abs=1e-6) and steps[-1][3] == pytest.approx(-11.456119, abs=1e-6)


def unbalanced():
    rng = np.random.default_rng(0)
    z = rng.random(400) < 0.85
    X = np.where(z, rng.normal(size=(2, 400)), 0.7 * rng.normal(size=(2, 400)) + [[2], [1.5]]).T
    return X, em.MixtureParameters(np.array([0.5, 0.5]), np.array([[-0.5, 0.0], [2.0, 1.0]]), np.array([np.eye(2)] * 2))


@pytest.mark.parametrize("forget_weights, end, falls, share", [(False, -1192.7823, 0, 0.834), (True, -1197.5357, 99, 0.502)])
def test_responsibilities_without_the_weights_lower_the_likelihood(forget_weights, end, falls, share):
    X, p = unbalanced()
    history = []
    for _ in range(300):
        history.append(em.e_step(X, p)[1].sum())
        r, _ = em.e_step(X, p._replace(weights=np.full(2, 0.5)) if forget_weights else p)
        p = em.m_step(X, r)
    assert em.e_step(X, p)[1].sum() == pytest.approx(end, abs=2e-3)
    assert (np.diff(history) < -1e-9).sum() == falls and p.weights[0] == pytest.approx(share, abs=1e-3)


def test_small_variance_limit_is_k_means():
    X, rng = problem(6, d=2)
    centers = X[:3]
    labels, _ = assign(X, centers)
    distances = []
    for variance in (1.0, 0.1, 0.01, 1e-4):
        weights = np.array([0.6, 0.3, 0.1])  # the weights do not matter in the limit
        r, _ = em.e_step(X, em.MixtureParameters(weights, centers, np.full(3, variance)), "spherical")
        distances.append(np.abs(em.m_step(X, r, "spherical").means - move(X, labels, centers)).max())
    assert distances == sorted(distances, reverse=True) and distances[-1] < 1e-12
    means = centers
    for _ in range(50):
        r, _ = em.e_step(X, em.MixtureParameters(np.full(3, 1 / 3), means, np.full(3, 1e-6)), "spherical")
        means = em.m_step(X, em.harden(r), "spherical").means
    assert_allclose(means, lloyd(X, centers).centers, rtol=1e-10, atol=1e-12)


def test_energy_of_the_limit_is_the_distortion():
    X, _ = problem(7, d=2)
    centers = X[:3]
    _, squared = assign(X, centers)
    gaps = []
    for variance in (1e-1, 1e-2, 1e-3):
        p = em.MixtureParameters(np.full(3, 1 / 3), centers, np.full(3, variance))
        _, evidence = em.e_step(X, p, "spherical")
        constant = len(X) * (np.log(2 * np.pi * variance) + np.log(3))
        gaps.append(abs(-2 * variance * (evidence.sum() + constant) - squared.sum()))
    assert gaps[2] < gaps[1] < gaps[0] and gaps[2] < 0.2


# ---------------------------------------------------------------- the estimator


@each_type
@pytest.mark.parametrize("seed", range(3))
def test_mixture_equals_scikit_learn_from_the_same_start(kind, seed):
    X, _ = problem(seed, n=150, d=4)
    p = start(X, 3, kind, seed)
    theirs = sklearn.mixture.GaussianMixture(3, covariance_type=kind, reg_covar=1e-6, tol=1e-9, max_iter=2000, weights_init=p.weights,
                                             means_init=p.means, precisions_init=precisions(p.covariances, kind)).fit(X)
    ours = em.GaussianMixture(3, kind, init=p, tol=1e-9, max_iter=2000).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        same = em.GaussianMixture(3, kind, init=p, tol=0, max_iter=theirs.n_iter_).fit(X)  # it takes one more M step
    assert theirs.n_iter_ - ours.n_iter_ == 1 or same.n_iter_ < theirs.n_iter_
    assert_allclose(same.weights_, theirs.weights_, atol=1e-9)
    assert_allclose(same.means_, theirs.means_, atol=1e-8)
    assert_allclose(same.covariances_, theirs.covariances_, atol=1e-8)
    assert_allclose(same.predict_proba(X), theirs.predict_proba(X), atol=1e-8)
    assert_allclose(same.score_samples(X), theirs.score_samples(X), atol=1e-8)
    assert same.bic(X) == pytest.approx(theirs.bic(X), rel=1e-10)
    assert_allclose(ours.history_[:-1], theirs.lower_bounds_[:ours.n_iter_], rtol=1e-9)


@each_type
def test_likelihood_never_falls_without_a_floor(kind):
    X, _ = problem(8, n=200)
    model = em.GaussianMixture(3, kind, reg_covar=0, init="random", tol=1e-10, max_iter=3000, random_state=3).fit(X)
    assert np.diff(model.history_).min() > -1e-12 and model.n_iter_ > 5
    assert model.converged_ and model.history_[-1] == pytest.approx(model.score(X), rel=1e-12)


def test_planted_mixture_is_recovered():
    rng = np.random.default_rng(9)
    truth = em.MixtureParameters(np.array([0.7, 0.3]), np.array([[0.0, 0.0], [4.0, 2.0]]), np.array([[[2.0, 1.2], [1.2, 1.0]], np.eye(2)]))
    z = rng.random(4000) < 0.3
    X = np.where(z[:, None], rng.normal(size=(4000, 2)) + [4, 2], rng.normal(size=(4000, 2)) @ np.linalg.cholesky(truth.covariances[0]).T)
    model = em.GaussianMixture(2, random_state=0).fit(X)
    order = np.argsort(-model.weights_)
    assert_allclose(model.weights_[order], truth.weights, atol=0.03)
    assert_allclose(model.means_[order], truth.means, atol=0.1)
    assert_allclose(model.covariances_[order], truth.covariances, atol=0.15)


def test_restarts_keep_the_best():
    X, _ = problem(10, n=120, d=2, k=6)
    one = [em.GaussianMixture(6, init="random", random_state=seed).fit(X).history_[-1] for seed in range(4)]
    rng = np.random.default_rng(0)
    many = em.GaussianMixture(6, init="random", n_init=8, random_state=rng).fit(X)
    single = em.GaussianMixture(6, init="random", random_state=np.random.default_rng(0)).fit(X)
    assert many.history_[-1] >= single.history_[-1] and max(one) - min(one) > 0.01


def test_samples_have_the_moments_of_the_model():
    model = em.GaussianMixture(3, random_state=0).fit(IRIS)
    X, z = model.sample(60000, random_state=1)
    assert_allclose(np.bincount(z) / len(z), model.weights_, atol=0.01)
    mean = model.weights_ @ model.means_
    cov = np.einsum("j,jab->ab", model.weights_, model.covariances_) + np.cov(model.means_.T, aweights=model.weights_, bias=True)
    assert_allclose(X.mean(axis=0), mean, atol=0.03)
    assert_allclose(np.cov(X.T), cov, atol=0.06)


@each_type
def test_parameter_count_against_scikit_learn(kind):
    theirs = sklearn.mixture.GaussianMixture(3, covariance_type=kind, random_state=0).fit(IRIS)
    assert em.n_free_parameters(3, 4, kind) == theirs._n_parameters()


def test_bic_finds_the_planted_number():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 2)) + np.array([[0, 0], [6, 0], [0, 6]])[np.arange(300) % 3]
    scores = [em.GaussianMixture(k, "spherical", n_init=3, random_state=0).fit(X).bic(X) for k in range(1, 6)]
    assert int(np.argmin(scores)) + 1 == 3


# ---------------------------------------------------------------- MAP-EM


@each_type
def test_log_posterior_never_falls(kind):
    X, _ = problem(11, n=60)
    prior = em.MixturePrior(2.0, 5.0, 0.5)
    model = em.GaussianMixture(4, kind, reg_covar=0, prior=prior, init="random", tol=1e-10, max_iter=3000, random_state=0).fit(X)
    assert np.diff(model.history_).min() > -1e-12
    p = em.MixtureParameters(model.weights_, model.means_, model.covariances_)
    assert model.history_[-1] == pytest.approx(model.score(X) + log_prior(p, prior, kind) / len(X), rel=1e-10)


@each_type
def test_map_step_zeroes_the_gradient_of_the_penalized_bound(kind):
    X, rng = problem(12, d=2)
    r, prior = rng.dirichlet(np.ones(2), size=len(X)), em.MixturePrior(3.0, 4.0, np.array([[1.0, 0.3], [0.3, 2.0]]))
    best = em.m_step(X, r, kind, prior=prior)

    def objective(v):
        weights = np.array([1 / (1 + np.exp(-v[0])), 1 / (1 + np.exp(v[0]))])
        p = em.MixtureParameters(weights, best.means, best.covariances * np.exp(v[1]))
        return (r.T * em.log_joint(X, p, kind)).sum() + log_prior(p, prior, kind)

    v = np.array([np.log(best.weights[0] / best.weights[1]), 0.0])
    assert_allclose(approx_fprime(v, objective, 1e-6), 0, atol=2e-3)
    assert all(objective(v + 0.05 * e) < objective(v) for e in np.vstack([np.eye(2), -np.eye(2)]))


def test_prior_density_is_scipys_inverse_wishart_up_to_a_constant():
    rng = np.random.default_rng(0)
    scale, differences = np.array([[2.0, 0.5], [0.5, 1.0]]), []
    for _ in range(5):
        A = rng.normal(size=(2, 2))
        Sigma = A @ A.T + np.eye(2)
        p = em.MixtureParameters(np.ones(1), np.zeros((1, 2)), Sigma[None])
        differences.append(log_prior(p, em.MixturePrior(1.0, 6.0, scale), "full") - invwishart(6, scale).logpdf(Sigma))
    assert np.ptp(differences) < 1e-10


def test_prior_stops_the_collapse_that_the_likelihood_rewards():
    X = np.array([[0.0], [1.0], [2.5], [4.0]])
    spike = em.MixtureParameters(np.array([0.5, 0.5]), np.array([[0.0], [2.0]]), np.array([1e-3, 2.0]))
    with pytest.raises(ValueError, match="component 0 has collapsed"):
        em.GaussianMixture(2, "spherical", init=spike, reg_covar=0, tol=0).fit(X)
    model = em.GaussianMixture(2, "spherical", init=spike, reg_covar=0, prior=em.MixturePrior(1.0, 1.0, 0.5)).fit(X)
    assert model.covariances_.min() > 0.05


def test_likelihood_grows_without_bound_at_a_singularity():
    X = np.array([[0.0], [1.0], [2.5], [4.0]])
    values = []
    for s in (1e-2, 1e-4, 1e-8):
        p = em.MixtureParameters(np.array([0.5, 0.5]), np.array([[0.0], [2.0]]), np.array([s**2, 2.0]))
        values.append(em.e_step(X, p, "spherical")[1].sum())
    assert_allclose(np.diff(values), [np.log(1e2), np.log(1e4)], atol=0.02)


# ---------------------------------------------------------------- degenerate and bad input


def test_abandoned_component_returns_to_the_data():
    X, _ = problem(13)
    r = np.column_stack([np.ones(len(X)), np.zeros(len(X))])
    p = em.m_step(X, r, "full")
    assert_allclose(p.means[1], X.mean(axis=0))
    assert_allclose(p.covariances[1], np.cov(X.T, bias=True))
    assert 0 < p.weights[1] < 1e-12 and np.isfinite(em.e_step(X, p)[1]).all()


@each_type
def test_duplicates_and_constant_columns_are_survived_by_the_floor(kind):
    X = np.column_stack([np.repeat([0.0, 1.0, 5.0], 4), np.ones(12)])
    model = em.GaussianMixture(3, kind, random_state=0).fit(X)
    assert np.isfinite(model.score(X)) and np.min(model.covariances_[..., 0]) >= 0
    with pytest.raises(ValueError, match="has collapsed"):
        em.GaussianMixture(3, kind, reg_covar=0, random_state=0).fit(X)


def test_more_components_than_different_points():
    X = np.repeat([[0.0, 0.0], [1.0, 2.0], [5.0, 1.0]], 4, axis=0)
    for how in ("k-means", "k-means++", "random"):
        model = em.GaussianMixture(5, init=how, random_state=0).fit(X)
        assert np.isfinite(model.score(X)) and model.weights_.sum() == pytest.approx(1) and np.isfinite(model.means_).all()


def test_k_equals_n_and_one_component():
    X = np.array([[0.0], [1.0], [5.0]])
    assert_allclose(np.sort(em.GaussianMixture(3, random_state=0).fit(X).means_.ravel()), X.ravel(), atol=1e-6)
    one = em.GaussianMixture(1, reg_covar=0).fit(IRIS)
    assert_allclose(one.means_[0], IRIS.mean(axis=0))
    assert_allclose(one.covariances_[0], np.cov(IRIS.T, bias=True), rtol=1e-9)


GOOD = (np.array([0.5, 0.5]), np.zeros((2, 1)), np.ones((2, 1, 1)))


@pytest.mark.parametrize("change, message", [
    ({"n_components": 7}, "n_components=7 is more than the 6 samples"),
    ({"n_components": 0}, "n_components must be an integer >= 1"),
    ({"covariance_type": "round"}, "covariance_type must be one of 'full'"),
    ({"init": "best"}, "init must be one of 'k-means'"),
    ({"init": np.zeros(5)}, r"or \(weights, means, covariances\)"),
    ({"reg_covar": -1.0}, "reg_covar must be a number >= 0"),
    ({"n_init": 0}, "n_init must be an integer >= 1"),
    ({"max_iter": 0}, "max_iter must be an integer >= 1"),
    ({"tol": -1}, "tol must be a number >= 0"),
    ({"init": (np.array([0.7, 0.7]), *GOOD[1:])}, "weights must be positive and sum to 1"),
    ({"init": (np.ones(3) / 3, *GOOD[1:])}, r"weights must have shape \(2,\)"),
    ({"init": (GOOD[0], np.zeros((2, 2)), GOOD[2])}, r"means must have shape \(2, 1\)"),
    ({"init": (*GOOD[:2], np.ones((2, 2, 2)))}, r"covariances must have shape \(2, 1, 1\)"),
    ({"init": (*GOOD[:2], -GOOD[2])}, r"covariances\[0\] must be positive definite"),
    ({"init": (*GOOD[:2], np.array([1.0, -1.0])), "covariance_type": "spherical"}, "covariances must be positive variances"),
    ({"init": (*GOOD[:2], np.array([[-1.0]])), "covariance_type": "tied"}, "covariances must be positive definite"),
    ({"prior": em.MixturePrior(0.5, 1.0, 1.0)}, "prior.alpha must be a number >= 1"),
    ({"prior": em.MixturePrior(1.0, -2.0, 1.0)}, "prior.nu must be a number > -2"),
    ({"prior": em.MixturePrior(1.0, 1.0, -1.0)}, "prior.scale must be positive definite"),
    ({"prior": em.MixturePrior(1.0, 1.0, np.eye(3))}, r"prior.scale must be a number or a \(1, 1\) matrix"),
])
def test_impossible_hyperparameters_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        em.GaussianMixture(**{"n_components": 2, "random_state": 0, **change}).fit(SIX)


def test_covariances_that_are_not_positive_definite_are_refused():
    bad = np.array([np.eye(2), [[1.0, 2.0], [2.0, 1.0]]])
    with pytest.raises(ValueError, match=r"covariances\[1\] must be positive definite, but its smallest eigenvalue is -1"):
        em.GaussianMixture(2, init=(np.array([0.5, 0.5]), np.zeros((2, 2)), bad)).fit(IRIS[:, :2])
    skew = np.array([np.eye(2), [[1.0, 0.5], [0.0, 1.0]]])
    with pytest.raises(ValueError, match=r"covariances\[1\] must be symmetric"):
        em.GaussianMixture(2, init=(np.array([0.5, 0.5]), np.zeros((2, 2)), skew)).fit(IRIS[:, :2])


def test_nan_unfitted_and_not_converged():
    with pytest.raises(ValueError, match="NaN or infinity"):
        em.GaussianMixture().fit([[0.0], [np.nan], [1.0]])
    with pytest.raises(NotFittedError, match="GaussianMixture is not fitted yet"):
        em.GaussianMixture().sample(3)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        em.GaussianMixture(2, init="random", max_iter=1, tol=0, random_state=0).fit(IRIS)


# ---------------------------------------------------------------- factor analysis


def dense_log_likelihood(X, W, Psi):
    return multivariate_normal(X.mean(axis=0), W @ W.T + Psi).logpdf(X).sum()


def test_factor_posterior_and_likelihood_against_dense_formulas():
    X, W = factor_data()
    _, S = em.scatter(X)
    psi = np.linspace(0.3, 2, 6)
    Sigma = W @ W.T + np.diag(psi)
    E, G = em.factor_posterior(W, psi)
    assert_allclose(E, np.linalg.solve(Sigma, W), rtol=1e-10)
    assert_allclose(G, np.eye(2) - W.T @ np.linalg.solve(Sigma, W), rtol=1e-9)
    assert len(X) * em.factor_log_likelihood(S, W, psi) == pytest.approx(dense_log_likelihood(X, W, np.diag(psi)), rel=1e-12)


def test_factor_m_step_zeroes_the_gradient_of_its_objective():
    X, W = factor_data()
    mean, S = em.scatter(X)
    E, G = em.factor_posterior(W, np.ones(6))
    Z = (X - mean) @ E  # posterior means

    def expected_log_likelihood(v):
        A, psi = v[:12].reshape(6, 2), np.exp(v[12:])
        residual = ((X - mean - Z @ A.T) ** 2).sum(axis=0) / len(X) + np.einsum("ia,ab,ib->i", A, G, A)
        return -0.5 * (np.log(psi) + residual / psi).sum()

    new_W, new_psi = em.factor_em_step(S, W, np.ones(6))
    v = np.concatenate([new_W.ravel(), np.log(new_psi)])
    assert_allclose(approx_fprime(v, expected_log_likelihood, 1e-7), 0, atol=1e-5)
    C = np.eye(6) - E @ new_W.T
    assert_allclose(new_psi, np.diag(C.T @ S @ C + new_W @ G @ new_W.T), rtol=1e-9)


@pytest.mark.parametrize("method", ["em", "exact"])
def test_factor_likelihood_rises_to_the_known_limit(method):
    X, W = factor_data()
    options = {"loadings_init": W} if method == "em" else {}
    model = em.FactorAnalysis(2, method, noise_init=np.ones(6), tol=1e-13, max_iter=20000, **options).fit(X)
    assert np.diff(model.history_).min() > -1e-12
    assert 300 * model.history_[-1] == pytest.approx(-2514.0195, abs=1e-3)
    assert_allclose(model.noise_, [0.7033, 0.1793, 0.8904, 0.6382, 0.5120, 0.6073], atol=2e-3)
    assert model.score(X) == pytest.approx(model.history_[-1], rel=1e-10)


def test_printed_factor_updates_fail_and_full_noise_saturates():
    X, W = factor_data()
    _, S = em.scatter(X)
    B, Psi, A, printed = X.T @ X, np.eye(6), W, []
    for _ in range(2):
        printed.append(dense_log_likelihood(X, A, Psi))
        E = np.linalg.solve(A @ A.T + Psi, A)
        C, D = np.eye(6) - E @ A.T, np.eye(2) - A.T @ E
        A, Psi = B @ E @ np.linalg.inv(E.T @ B @ E + D), C.T @ B @ C + A @ D @ A.T
    assert printed[0] == pytest.approx(-3188.1, abs=0.1) and dense_log_likelihood(X, A, (Psi + Psi.T) / 2) < printed[1] < printed[0]
    A, Psi = W, np.eye(6)
    for _ in range(3000):
        E = np.linalg.solve(A @ A.T + Psi, A)
        A = S @ E @ np.linalg.inv(E.T @ S @ E + np.eye(2) - A.T @ E)
        Psi = S - A @ E.T @ S
        Psi = (Psi + Psi.T) / 2
    assert dense_log_likelihood(X, A, Psi) == pytest.approx(-2513.8073, abs=1e-3)
    assert_allclose(A @ A.T + Psi, S, atol=1e-4)


@pytest.mark.parametrize("q", [1, 2, 3])
def test_exact_iteration_equals_scikit_learn_round_by_round(q):
    X, _ = factor_data()
    theirs = sklearn.decomposition.FactorAnalysis(q, noise_variance_init=np.ones(6), tol=0, max_iter=8, svd_method="lapack")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs.fit(X)
        ours = em.FactorAnalysis(q, "exact", noise_init=np.ones(6), tol=0, max_iter=8).fit(X)
        before = em.FactorAnalysis(q, "exact", noise_init=np.ones(6), tol=0, max_iter=7).fit(X)
    assert_allclose(ours.noise_, theirs.noise_variance_, rtol=1e-9)
    assert_allclose(np.abs(before.loadings_.T), np.abs(theirs.components_), atol=1e-9)
    skip = 2 if q == 3 else 0  # its value is wrong while a leading eigenvalue is below 1, as in the first rounds with q = 3
    assert_allclose(300 * ours.history_[skip:8], theirs.loglike_[skip:], rtol=1e-10)
    W = em.best_loadings(em.scatter(X)[1], np.ones(6), q)
    assert 300 * ours.history_[0] == pytest.approx(dense_log_likelihood(X, W, np.eye(6)), rel=1e-12)


def test_factor_analysis_equals_scikit_learn_at_the_optimum():
    X, _ = factor_data()
    theirs = sklearn.decomposition.FactorAnalysis(2, tol=1e-11, max_iter=20000, svd_method="lapack").fit(X)
    for method in ("em", "exact"):
        ours = em.FactorAnalysis(2, method, tol=1e-14, max_iter=50000).fit(X)
        assert_allclose(ours.covariance(), theirs.get_covariance(), atol=2e-5)
        assert ours.score(X) == pytest.approx(theirs.score(X), abs=1e-9)
        assert_allclose(np.abs(ours.transform(X) @ ours.loadings_.T), np.abs(theirs.transform(X) @ theirs.components_), atol=1e-4)


def test_best_loadings_beat_random_ones_and_any_rotation_is_as_good():
    X, W = factor_data()
    _, S = em.scatter(X)
    psi = np.linspace(0.3, 1.2, 6)
    best = em.best_loadings(S, psi, 2)
    value = em.factor_log_likelihood(S, best, psi)
    found = minimize(lambda v: -em.factor_log_likelihood(S, v.reshape(6, 2), psi), W.ravel(), tol=1e-10)
    assert value == pytest.approx(-found.fun, abs=1e-8)
    turn = np.array([[np.cos(1.0), -np.sin(1.0)], [np.sin(1.0), np.cos(1.0)]])
    assert em.factor_log_likelihood(S, best @ turn, psi) == pytest.approx(value, rel=1e-12)
    E, _ = em.factor_posterior(best, psi)
    assert_allclose(S @ E, best, atol=1e-10)  # a fixed point of the EM update of W


def test_em_does_not_start_on_a_saddle_and_stays_on_one_that_is_given():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 2)) @ np.kron([[1.0, 0.0], [0.0, 0.1]], np.ones(3)) + 0.05 * rng.normal(size=(300, 6))
    exact = em.FactorAnalysis(2, "exact", tol=1e-10).fit(X)
    assert_allclose(em.FactorAnalysis(2, "em", noise_init=np.ones(6), tol=1e-10, max_iter=50000).fit(X).score(X), exact.score(X), atol=1e-5)
    stuck = em.FactorAnalysis(2, "em", loadings_init=np.outer([1.0, 1.0, 1.0, 0.1, 0.1, 0.1], [1.0, 0.0]), tol=1e-10, max_iter=50000).fit(X)
    assert (stuck.loadings_[:, 1] == 0).all() and stuck.score(X) < exact.score(X) - 0.1


def test_no_factor_where_there_is_no_correlation():
    assert_array_equal(em.best_loadings(np.diag([0.5, 0.9, 0.2]), np.ones(3), 2), 0)


def test_equal_noise_gives_probabilistic_pca():
    X, _ = factor_data()
    _, S = em.scatter(X)
    values = np.linalg.eigvalsh(S)[::-1]
    noise = values[2:].mean()
    model = sklearn.decomposition.PCA(2).fit(X)
    W = em.best_loadings(S, np.full(6, noise), 2)
    covariance = W @ W.T + noise * np.eye(6)
    assert_allclose(np.linalg.eigvalsh(covariance)[::-1][:2], values[:2], rtol=1e-9)
    assert_allclose(covariance * 300 / 299, model.get_covariance(), rtol=1e-8, atol=1e-10)


def test_factor_bic_finds_two_factors():
    X, _ = factor_data()
    scores = [em.FactorAnalysis(q, "exact", tol=1e-7).fit(X).bic(X) for q in (1, 2, 3)]
    assert int(np.argmin(scores)) == 1


def test_factor_analysis_of_a_constant_column():
    X = np.column_stack([factor_data()[0], np.ones(300)])
    for method in ("em", "exact"):
        model = em.FactorAnalysis(2, method, tol=1e-7).fit(X)
        assert np.isfinite(model.score(X)) and model.noise_[-1] == pytest.approx(1e-12) and abs(model.loadings_[-1]).max() < 1e-6


@pytest.mark.parametrize("change, message", [
    ({"n_components": 7}, "n_components=7 is more than the 6 features"),
    ({"method": "svd"}, "method must be one of 'em', 'exact'"),
    ({"noise_init": np.zeros(6)}, "noise_init must hold 6 positive variances"),
    ({"noise_init": np.ones(5)}, r"got shape \(5,\)"),
    ({"loadings_init": np.ones((6, 3))}, r"loadings_init must have shape \(6, 2\), got \(6, 3\)"),
    ({"loadings_init": np.ones((6, 2)), "method": "exact"}, "loadings_init is for method"),
    ({"floor": 0.0}, "floor must be a number > 0"),
])
def test_impossible_factor_models_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        em.FactorAnalysis(**{"n_components": 2, **change}).fit(factor_data()[0])


def test_factor_analysis_warns_and_refuses():
    with pytest.warns(ConvergenceWarning, match='use method="exact"'):
        em.FactorAnalysis(2, max_iter=1, tol=0).fit(factor_data()[0])
    with pytest.raises(ValueError, match="X has 1 samples, but at least 2 are needed"):
        em.FactorAnalysis().fit([[1.0, 2.0]])
    with pytest.raises(NotFittedError, match="FactorAnalysis is not fitted yet"):
        em.FactorAnalysis().covariance()
