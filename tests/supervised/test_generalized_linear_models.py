"""Generalized linear models: moments against derivatives and simulation, one algorithm against five references."""

import warnings

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, optimize, stats
from sklearn import linear_model as sk
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import mean_gamma_deviance, mean_poisson_deviance, mean_tweedie_deviance

from mlcore.base import ConvergenceWarning
from mlcore.datasets import load_doctors
from mlcore.foundations.mathematics import gradient_error, numerical_gradient
from mlcore.supervised import generalized_linear_models as gl
from mlcore.supervised.linear_regression import LinearRegression, Standardizer, add_intercept, hat_matrix
from mlcore.supervised.logistic_regression import LogisticRegression, SoftmaxRegression
from mlcore.supervised.ridge_lasso_polynomial import Ridge

GLM = gl.GeneralizedLinearModel
ALL = [*gl.FAMILIES.values(), gl.tweedie(1.5), gl.tweedie(1.2)]
each_family = pytest.mark.parametrize("family", ALL, ids=lambda f: f.name)
MEANS = {"Gaussian": [-2.0, 0.5, 3.0], "Bernoulli": [0.1, 0.5, 0.8]}
A_TORCH = {
    "Gaussian": lambda e: e**2 / 2,
    "Bernoulli": lambda e: torch.nn.functional.softplus(e),
    "Poisson": torch.exp,
    "gamma": lambda e: -torch.log(-e),
    "Tweedie(1.5)": lambda e: ((1 - 1.5) * e) ** ((2 - 1.5) / (1 - 1.5)) / (2 - 1.5),
    "Tweedie(1.2)": lambda e: ((1 - 1.2) * e) ** ((2 - 1.2) / (1 - 1.2)) / (2 - 1.2),
}


def means(family):
    return np.array(MEANS.get(family.name, [0.3, 1.0, 4.0]))


def planted(family, link=None, n=300, seed=0, dispersion=0.4, coef=(0.5, -0.3)):
    """Data from a GLM with the intercept 0.2 (or, for the canonical gamma link, means near 2)."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 2))
    s = X @ coef + 0.2
    if gl.find_link(link, family).name in ("negative inverse", "power"):
        s = X @ (0.1 * np.array(coef)) - 0.5
    if gl.find_link(link, family).name == "identity" and family.lower == 0:
        s = s + 2
    mu = gl.find_link(link, family).response(s)
    return X, family.sample(mu, family.fixed_dispersion or dispersion, rng)


# Families


@each_family
def test_moments_are_derivatives_of_the_log_partition(family):
    mu = means(family)
    eta = torch.tensor(family.natural(mu), requires_grad=True)
    a = A_TORCH[family.name](eta)
    assert_allclose(family.log_partition(family.natural(mu)), a.detach().numpy(), rtol=1e-12)
    (slope,) = torch.autograd.grad(a.sum(), eta, create_graph=True)
    (curvature,) = torch.autograd.grad(slope.sum(), eta)
    assert_allclose(family.mean(family.natural(mu)), slope.detach().numpy(), rtol=1e-10)
    assert_allclose(family.mean(family.natural(mu)), mu, rtol=1e-10)
    assert_allclose(family.variance(mu), curvature.numpy(), rtol=1e-10)
    assert (curvature > 0).all()
    assert gradient_error(lambda e: family.log_partition(e).sum(), family.mean, family.natural(mu)) < 1e-7


@each_family
@pytest.mark.parametrize("dispersion", [1.0, 0.3])
def test_densities_integrate_to_one_and_have_these_moments(family, dispersion):
    phi = family.fixed_dispersion or dispersion
    for mu in means(family):
        eta = family.natural(mu)

        def p(y, eta=eta):
            return np.exp(family.log_density(np.asarray(y, float), eta, phi))

        if family.name in ("Bernoulli", "Poisson"):
            y = np.arange(2.0) if family.name == "Bernoulli" else np.arange(80.0)
            moments = [(y**k * p(y)).sum() for k in range(3)]
        else:
            low, high = (mu - 40, mu + 40) if family.lower < 0 else (0, 60 * mu + 60)
            ticks = [mu, 0.01 * mu, 3 * mu] if family.lower == 0 else [mu]
            moments = [integrate.quad(lambda y, k=k: y**k * p(y), low, high, points=ticks, limit=400)[0] for k in range(3)]
            if family.attained:
                moments[0] += float(p(0.0))  # the atom at zero
        assert_allclose(moments[0], 1, atol=1e-6)
        assert_allclose(moments[1], mu, rtol=1e-5)
        assert_allclose(moments[2] - mu**2, phi * family.variance(mu), rtol=1e-4)


def test_densities_match_scipy():
    y = np.array([0.5, 1.0, 2.5])
    assert_allclose(gl.GAUSSIAN.log_density(y, 1.2, 0.7), stats.norm(1.2, np.sqrt(0.7)).logpdf(y))
    assert_allclose(gl.GAMMA.log_density(y, -1 / 1.2, 0.7), stats.gamma(1 / 0.7, scale=0.7 * 1.2).logpdf(y))
    assert_allclose(gl.GAMMA.log_density(y, -1 / 1.2), stats.expon(scale=1.2).logpdf(y))
    assert_allclose(gl.POISSON.log_density([0, 1, 4], np.log(1.2)), stats.poisson(1.2).logpmf([0, 1, 4]))
    assert_allclose(gl.BERNOULLI.log_density([0, 1], 0.4), stats.bernoulli(1 / (1 + np.exp(-0.4))).logpmf([0, 1]))


@each_family
def test_samples_have_the_moments(family):
    rng = np.random.default_rng(7)
    phi, n = family.fixed_dispersion or 0.5, 40_000
    for mu in means(family):
        y = family.sample(np.full(n, mu), phi, rng)
        variance = phi * family.variance(mu)
        assert abs(y.mean() - mu) < 5 * np.sqrt(variance / n)
        fourth = np.mean((y - y.mean()) ** 4)
        assert abs(y.var() - variance) < 5 * np.sqrt(fourth / n)


@each_family
def test_deviance_is_twice_the_gap_to_the_best_exponent(family):
    y = np.array([0.2, 1.0, 0.7]) if family.name == "Bernoulli" else np.array([0.4, 1.5, 3.0])
    for mu in means(family):
        eta = family.natural(mu)
        assert_allclose(family.unit_deviance(y, mu), 2 * (family.saturated(y) - (eta * y - family.log_partition(eta))), atol=1e-12)
    assert_allclose(family.unit_deviance(y[:1], y[:1]), 0, atol=1e-12)
    inner = y[y < 1] if family.name == "Bernoulli" else y
    at_target = family.natural(inner)
    assert_allclose(family.saturated(inner), at_target * inner - family.log_partition(at_target), atol=1e-12)


def test_deviances_match_scikit_learn():
    rng = np.random.default_rng(2)
    y, mu = rng.gamma(2, size=50), rng.gamma(2, size=50)
    assert_allclose(gl.deviance(y, mu, "poisson") / 50, mean_poisson_deviance(y, mu))
    assert_allclose(gl.deviance(y, mu, "gamma") / 50, mean_gamma_deviance(y, mu))
    assert_allclose(gl.deviance(y, mu, gl.tweedie(1.7)) / 50, mean_tweedie_deviance(y, mu, power=1.7))
    r = gl.deviance_residuals(y, mu, "gamma", weights=np.arange(50.0))
    assert_allclose(r @ r, gl.deviance(y, mu, "gamma", weights=np.arange(50.0)))
    assert_array_equal(np.sign(r[1:]), np.sign(y - mu)[1:])


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(range(len(ALL))), st.floats(0.05, 0.95), st.floats(0.05, 0.95), st.floats(0.0, 1.0))
def test_log_partition_is_convex(which, first, second, share):
    family = ALL[which]
    eta, other = family.natural(np.float64(first)), family.natural(np.float64(second))
    chord = share * family.log_partition(eta) + (1 - share) * family.log_partition(other)
    assert family.log_partition(np.asarray(share * eta + (1 - share) * other)) <= chord + 1e-9 * (1 + abs(chord))


def test_two_parameter_gaussian():
    mu, variance = 1.3, 0.6
    eta = torch.tensor([mu / variance, -1 / (2 * variance)], dtype=torch.float64)

    def a(e):
        return -e[0] ** 2 / (4 * e[1]) - torch.log(-2 * e[1]) / 2

    assert_allclose(torch.autograd.functional.jacobian(a, eta), [mu, mu**2 + variance])
    covariance = [[variance, 2 * mu * variance], [2 * mu * variance, 4 * mu**2 * variance + 2 * variance**2]]
    assert_allclose(torch.autograd.functional.hessian(a, eta), covariance)


# Links and Fisher scoring


def test_links_invert_and_have_their_slopes():
    for name, link in gl.LINKS.items():
        s = np.array([-2.0, -0.3, 0.4, 1.5])
        mu = link.response(s)
        assert_allclose(link.link(mu), s, atol=1e-10, err_msg=name)
        assert gradient_error(lambda t, link=link: link.response(t).sum(), link.slope, s) < 1e-7, name


CASES = [("gaussian", None), ("gaussian", "log"), ("bernoulli", None), ("bernoulli", "probit"), ("bernoulli", "cloglog"), ("poisson", None),
         ("poisson", "identity"), ("gamma", None), ("gamma", "log"), (gl.tweedie(1.5), "log"), (gl.tweedie(1.5), None)]
each_case = pytest.mark.parametrize("family, link", CASES, ids=lambda c: getattr(c, "name", str(c)))


@each_case
def test_score_information_and_step(family, link):
    family = gl.find_family(family)
    X, y = planted(family, link)
    rng = np.random.default_rng(1)
    weights, offset = rng.uniform(0.5, 2, len(y)), rng.uniform(-0.02, 0.02, len(y))
    problem = gl.Problem(add_intercept(X), y, family, link, offset, weights)
    theta = GLM(family, link).fit(X, y)
    theta = np.r_[theta.intercept_, theta.coef_] * 1.05
    assert gradient_error(problem.half_deviance, problem.gradient, theta) < 1e-6
    direct = theta - np.linalg.solve(problem.information(theta), problem.gradient(theta))
    assert_allclose(gl.irls_step(theta, problem), direct, rtol=1e-8)
    mu = problem.at(theta).mean
    assert_allclose(2 * problem.half_deviance(theta), weights @ family.unit_deviance(y, mu), rtol=1e-9)
    # Fisher information: with y replaced by its mean the observed Hessian is the expected one.
    expected = gl.Problem(problem.X, mu, family, link, offset, weights)
    for j in range(3):
        row = numerical_gradient(lambda t, j=j: expected.gradient(t)[j], theta)
        assert_allclose(row, problem.information(theta)[j], rtol=2e-5, atol=1e-4)
    if problem.link.canonical:
        row = numerical_gradient(lambda t: problem.gradient(t)[0], theta)
        assert_allclose(row, problem.information(theta)[0], rtol=1e-5, atol=1e-5)


def test_observed_and_expected_information_differ_off_the_canonical_link():
    X, y = planted(gl.GAMMA, "log")
    problem, theta = gl.Problem(add_intercept(X), y, "gamma", "log"), np.array([0.2, 0.5, -0.3])
    row = numerical_gradient(lambda t: problem.gradient(t)[0], theta)
    mu = np.exp(problem.X @ theta)
    assert_allclose(row, (problem.X * (y / mu)[:, None]).sum(axis=0), rtol=1e-6)
    assert_allclose(problem.information(theta), problem.X.T @ problem.X, rtol=1e-12)
    assert np.abs(row - problem.information(theta)[0]).max() > 1


@each_case
def test_fit_minimizes_the_deviance(family, link):
    family = gl.find_family(family)
    X, y = planted(family, link, seed=3)
    model = GLM(family, link, tol=1e-11).fit(X, y)
    assert model.converged_ and (np.diff(model.history_) <= 1e-12).all()
    problem = gl.Problem(add_intercept(X), y, family, link)
    theta = np.r_[model.intercept_, model.coef_]
    assert np.abs(problem.gradient(theta)).max() < 1e-6
    assert_allclose(model.deviance_, 2 * problem.half_deviance(theta), rtol=1e-9)
    found = optimize.minimize(problem.half_deviance, theta + 0.02, method="Nelder-Mead",
                              options={"xatol": 1e-8, "fatol": 1e-12, "maxiter": 4000})
    assert_allclose(theta, found.x, atol=2e-5)


@each_case
def test_planted_parameters_lie_within_the_standard_errors(family, link):
    family = gl.find_family(family)
    X, y = planted(family, link, n=4000, seed=5)
    name = gl.find_link(link, family).name
    truth = np.array([-0.5, 0.05, -0.03]) if name in ("negative inverse", "power") else np.array([0.2, 0.5, -0.3])
    if name == "identity" and family.lower == 0:
        truth[0] += 2
    model = GLM(family, link).fit(X, y)
    off = (np.r_[model.intercept_, model.coef_] - truth) / model.standard_errors_
    assert np.abs(off).max() < 4.5
    if family.fixed_dispersion is None:
        assert_allclose(model.dispersion_, 0.4, rtol=0.15)


def test_standard_errors_are_the_spread_of_the_estimates():
    estimates, errors = [], []
    for seed in range(200):
        X, _ = planted(gl.GAMMA, "log", n=120)
        y = gl.GAMMA.sample(np.exp(X @ [0.5, -0.3] + 0.2), 0.4, np.random.default_rng(1000 + seed))
        model = GLM("gamma", "log").fit(X, y)
        estimates.append(np.r_[model.intercept_, model.coef_])
        errors.append(model.standard_errors_)
    assert_allclose(np.std(estimates, axis=0), np.mean(errors, axis=0), rtol=0.2)


def test_step_halving_where_the_full_step_diverges():
    X, y = np.ones((4, 1)), np.array([0.0, 1, 1, 0])
    problem, start = gl.Problem(X, y, "bernoulli"), np.array([3.0])
    assert abs(gl.irls_step(start, problem)[0]) > 3
    run = gl.fisher_scoring(problem, start)
    assert run.converged and abs(run.x[0]) < 1e-6 and (np.diff(run.history) < 0).all()
    counts = gl.Problem(X, np.array([50.0, 60, 55, 45]), "poisson")
    assert gl.irls_step(np.array([-4.0]), counts)[0] > 1000
    assert_allclose(np.exp(gl.fisher_scoring(counts, np.array([-4.0])).x), 52.5)


# The same answers as the chapters before, and as scikit-learn


def test_gaussian_is_least_squares_in_one_step():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:, :8], X[:, 8]
    model, line = GLM().fit(X, y), LinearRegression().fit(X, y)
    assert_allclose(model.coef_, line.coef_, rtol=1e-8)
    assert_allclose(model.intercept_, line.intercept_, rtol=1e-8)
    assert model.n_iter_ == 1
    assert_allclose(model.score(X, y), line.score(X, y))
    residual = y - line.predict(X)
    assert_allclose(model.dispersion_, residual @ residual / (len(y) - 9))
    design = add_intercept(X)
    assert_allclose(model.standard_errors_, np.sqrt(model.dispersion_ * np.diag(np.linalg.inv(design.T @ design))), rtol=1e-5)
    weights = np.random.default_rng(0).uniform(0, 2, len(y))
    assert_allclose(GLM().fit(X, y, sample_weight=weights).coef_, LinearRegression().fit(X, y, sample_weight=weights).coef_, rtol=1e-8)
    assert_allclose(GLM(alpha=3.0).fit(X, y).coef_, Ridge(alpha=3.0).fit(X, y).coef_, rtol=1e-7)


@pytest.mark.parametrize("alpha", [0.0, 0.7])
@pytest.mark.parametrize("intercept", [True, False])
def test_bernoulli_is_logistic_regression(alpha, intercept):
    X, y = load_breast_cancer(return_X_y=True)
    X = Standardizer().fit_transform(X[:, :5])
    ours = GLM("bernoulli", alpha=alpha, fit_intercept=intercept, tol=1e-12).fit(X, y)
    theirs = LogisticRegression(alpha=alpha, fit_intercept=intercept, tol=1e-12).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-7)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-7)
    assert_allclose(ours.predict(X), theirs.predict_proba(X)[:, 1], atol=1e-8)


def test_categorical_is_softmax_regression():
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(4)
    X, y = X[:, :2], np.where(rng.random(150) < 0.3, rng.integers(0, 3, 150), y)  # overlapping classes: unique maximizer
    ours, theirs = gl.CategoricalGLM(tol=1e-12).fit(X, y), SoftmaxRegression(alpha=0, tol=1e-12).fit(X, y)
    assert ours.converged_ and ours.coef_.shape == (2, 2)
    assert_allclose(ours.coef_, theirs.coef_[:-1] - theirs.coef_[-1], atol=1e-6)
    assert_allclose(ours.intercept_, theirs.intercept_[:-1] - theirs.intercept_[-1], atol=1e-6)
    assert_array_equal(ours.predict(X), theirs.predict(X))
    reference = sk.LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-12).fit(X, y)
    assert_allclose(ours.predict_proba(X), reference.predict_proba(X), atol=1e-6)
    two = gl.CategoricalGLM(tol=1e-12).fit(X, (y == 0).astype(int))
    one = GLM("bernoulli", tol=1e-12).fit(X, (y == 0).astype(int))
    assert_allclose(-two.coef_[0], one.coef_, atol=1e-6)  # the reference class of the categorical model is 1


def test_categorical_family():
    phi = np.array([0.5, 0.3, 0.2])
    eta = gl.categorical_natural(phi)
    assert_allclose(gl.categorical_mean(eta), phi[:-1])
    assert_allclose(gl.categorical_log_partition(eta), -np.log(phi[-1]))
    e = torch.tensor(eta)

    def a(t):
        return torch.log(1 + torch.exp(t).sum())

    assert_allclose(torch.autograd.functional.jacobian(a, e), phi[:-1])
    assert_allclose(torch.autograd.functional.hessian(a, e), gl.categorical_covariance(eta))
    assert_allclose(gl.categorical_covariance(eta), np.diag(phi[:-1]) - np.outer(phi[:-1], phi[:-1]))
    rng = np.random.default_rng(0)
    X, y, Theta = rng.normal(size=(25, 3)), rng.integers(0, 4, 25), rng.normal(size=(3, 3))
    assert gradient_error(lambda T: gl.categorical_cost(T, X, y), lambda T: gl.categorical_gradient(T, X, y), Theta) < 1e-7
    H = gl.categorical_information(Theta, X)
    for j in range(9):
        assert_allclose(numerical_gradient(lambda T, j=j: gl.categorical_gradient(T, X, y).ravel()[j], Theta).ravel(), H[j], atol=1e-6)
    assert np.linalg.eigvalsh(H).min() > 0, "the reference class removes the flat directions"
    brute = -sum(np.log(np.exp(np.r_[Theta @ x, 0])[c] / np.exp(np.r_[Theta @ x, 0]).sum()) for x, c in zip(X, y))
    assert_allclose(gl.categorical_cost(Theta, X, y), brute)


@pytest.mark.parametrize("alpha", [0.0, 0.02])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("name", ["poisson", "gamma", "tweedie", "gaussian"])
def test_matches_scikit_learn(name, alpha, intercept):
    power = {"poisson": 1, "gamma": 2, "tweedie": 1.5, "gaussian": 0}[name]
    family = gl.tweedie(1.5) if name == "tweedie" else gl.find_family(name)
    X, y = planted(family, "log", n=400, seed=11)
    X = X * [1.0, 5.0] + [0.0, 2.0]
    weights = np.random.default_rng(3).uniform(0.2, 3, len(y))
    options = {"alpha": alpha, "fit_intercept": intercept, "solver": "newton-cholesky", "tol": 1e-10, "max_iter": 1000}
    references = [sk.TweedieRegressor(power=power, link="log", **options)]
    references += [{"poisson": sk.PoissonRegressor, "gamma": sk.GammaRegressor}[name](**options)] if name in ("poisson", "gamma") else []
    ours = GLM(family, "log", alpha=alpha * weights.sum(), fit_intercept=intercept, tol=1e-12).fit(X, y, sample_weight=weights)
    for reference in references:
        reference.fit(X, y, sample_weight=weights)
        assert_allclose(ours.coef_, reference.coef_, atol=1e-6)
        assert_allclose(ours.intercept_, reference.intercept_, atol=1e-6)
        assert_allclose(ours.predict(X), reference.predict(X), rtol=1e-5)
        assert_allclose(ours.score(X, y, weights), reference.score(X, y, weights), atol=1e-6)


def test_weights_are_repetitions_and_zero_weights_are_absences():
    X, y = planted(gl.POISSON, n=40)
    times = np.arange(40) % 4
    ours = GLM("poisson").fit(X, y, sample_weight=times)
    repeated = GLM("poisson").fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert_allclose(ours.coef_, repeated.coef_, atol=1e-8)
    assert_allclose(ours.deviance_, repeated.deviance_)


def test_offset_is_an_exposure():
    rng = np.random.default_rng(6)
    X, exposure = rng.normal(size=(200, 2)), rng.uniform(0.5, 20, 200)
    y = rng.poisson(exposure * np.exp(X @ [0.4, -0.6] - 0.5)).astype(float)
    counts = GLM("poisson", tol=1e-12).fit(X, y, offset=np.log(exposure))
    rates = GLM("poisson", tol=1e-12).fit(X, y / exposure, sample_weight=exposure)
    assert_allclose(counts.coef_, rates.coef_, atol=1e-8)
    assert_allclose(counts.deviance_, rates.deviance_)
    assert_allclose(counts.standard_errors_, rates.standard_errors_, rtol=1e-6)
    assert_allclose(counts.predict(X, np.log(exposure)), exposure * rates.predict(X))
    halves = GLM("poisson", tol=1e-12).fit(np.vstack([X, X]), np.r_[y - y // 2, y // 2], offset=np.log(np.r_[exposure, exposure] / 2))
    assert_allclose(halves.coef_, counts.coef_, atol=1e-8, err_msg="cells of equal x may be merged")


def test_canonical_fits_balance_totals():
    X, y = planted(gl.POISSON, n=100)
    group = (np.arange(100) % 3 == 0).astype(float)
    X = np.column_stack([X, group])
    model = GLM("poisson", tol=1e-12).fit(X, y)
    mu = model.predict(X)
    assert_allclose([mu.sum(), mu[group == 1].sum()], [y.sum(), y[group == 1].sum()])


# Diagnostics and the doctors


def test_doctors_reproduce_the_published_fits():
    doctors = load_doctors()
    assert doctors.y[doctors.X[:, 1] == 1].sum() == 630 and doctors.exposure[doctors.X[:, 1] == 1].sum() == 142_247
    ages = (doctors.X[:, :1] == [50, 60, 70, 80]).astype(float)
    X, offset = np.column_stack([doctors.X[:, 1], ages]), np.log(doctors.exposure)
    model = GLM("poisson").fit(X, doctors.y, offset=offset)
    assert_allclose(np.exp(model.coef_), [1.425519, 4.410584, 13.8392, 28.51678, 40.45121], rtol=1e-6)
    assert_allclose(model.deviance_, 12.13, atol=5e-3)
    mu = model.predict(X, offset)
    assert_allclose(4 * gl.pearson_dispersion(doctors.y, mu, "poisson", 6), 11.15533, rtol=1e-5)
    assert_allclose(gl.goodness_of_fit(model.deviance_, 4), 0.0164, atol=1e-4)


def test_overdispersion_test_is_calibrated_and_has_power():
    rng = np.random.default_rng(9)
    X = rng.uniform(-1, 1, size=(150, 2))
    mu = np.exp(X @ [0.5, -0.5] + 1)
    null, plain, other = [], [], []
    for _ in range(300):
        for draw, found in ((rng.poisson(mu), null), (rng.poisson(mu * rng.gamma(2, 0.5, 150)), other)):
            fit = GLM("poisson").fit(X, draw.astype(float)).predict(X)
            leverage = np.diag(hat_matrix(np.sqrt(fit)[:, None] * add_intercept(X)))
            found.append(gl.overdispersion_test(draw, fit, leverage).p_value)
            if found is null:
                plain.append(gl.overdispersion_test(draw, fit).statistic)
    assert abs(np.mean(np.array(null) < 0.1) - 0.1) < 0.06
    assert np.mean(np.array(other) < 0.01) > 0.9
    assert np.mean(plain) < -0.1, "without the leverages the statistic leans to the left"


def test_score_test_statistic_has_mean_zero_and_variance_one():
    mu = np.array([0.5, 2.0, 7.0])
    y = np.arange(80.0)
    for m in mu:
        p = stats.poisson(m).pmf(y)
        z = (y - m) ** 2 - y
        assert_allclose([p @ z, p @ z**2], [0, 2 * m**2], atol=1e-9)


def test_dispersion_changes_errors_not_estimates():
    X, y = planted(gl.GAMMA, "log", dispersion=0.1)
    calm, wild = GLM("gamma", "log").fit(X, y), planted(gl.GAMMA, "log", dispersion=2.0)
    wild = GLM("gamma", "log").fit(*wild)
    assert calm.dispersion_ < 0.2 < 1 < wild.dispersion_
    assert (wild.standard_errors_ > 2 * calm.standard_errors_).all()
    problem = gl.Problem(add_intercept(X), y, "gamma", "log")
    theta = np.r_[calm.intercept_, calm.coef_]
    for phi in (0.1, 3.0):
        def likelihood(t, phi=phi):
            return gl.GAMMA.log_density(y, -np.exp(-(add_intercept(X) @ t)), phi).sum()
        assert_allclose(numerical_gradient(likelihood, theta), -problem.gradient(theta) / phi, atol=1e-4)


# Bad input and degenerate data


@pytest.mark.parametrize("family, y, message", [
    ("poisson", [1, -1, 2], r"Poisson model needs counts >= 0; y\[1\] is -1"),
    ("gamma", [1, 0, 2], r"gamma model needs targets > 0 .*y\[1\] is 0"),
    ("gamma", [1, 3, -2], r"y\[2\] is -2"),
    ("bernoulli", [0, 2, 1], r"targets 0 and 1 .*y\[1\] is 2"),
    ("poisson", [0, np.nan, 1], "y contains NaN or infinity"),
    ("gaussian", [0, np.inf, 1], "y contains NaN or infinity"),
    ("poisson", ["a", "b", "c"], "y must be a rectangular array of real numbers"),
    ("bernoulli", [1, 1, 1], "every y is 1, so a Bernoulli model has no maximizer"),
    ("poisson", [0, 0, 0], "every y is 0, so a Poisson model has no maximizer"),
    (gl.tweedie(1.5), [0, -0.5, 1], "amounts >= 0"),
])
def test_targets_outside_the_family_are_refused(family, y, message):
    with pytest.raises(ValueError, match=message):
        GLM(family).fit([[1.0], [2.0], [4.0]], y)


@pytest.mark.parametrize("options, message", [
    ({"family": "binomial"}, "family must be one of 'gaussian'"),
    ({"family": 3}, "family must be one of 'gaussian'"),
    ({"link": "sqrt"}, "link must be one of None, 'identity'"),
    ({"alpha": -1}, "alpha must be a number >= 0"),
    ({"tol": -1e-3}, "tol must be a number >= 0"),
    ({"max_iter": 2.5}, "max_iter must be an integer"),
])
def test_bad_hyperparameters(options, message):
    with pytest.raises(ValueError, match=message):
        GLM(**options).fit([[1.0], [2.0]], [1.0, 2.0])


def test_bad_offsets_weights_and_powers():
    X, y = [[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0]
    with pytest.raises(ValueError, match="X has 3 rows, but offset has 2"):
        GLM("poisson").fit(X, y, offset=[0.0, 1.0])
    with pytest.raises(ValueError, match="offset contains NaN or infinity"):
        GLM("poisson").fit(X, y, offset=np.r_[0.0, -np.inf, 1.0])
    with pytest.raises(ValueError, match="X has 3 rows, but sample_weight has 2"):
        GLM("poisson").fit(X, y, sample_weight=[1.0, 1.0])
    with pytest.raises(ValueError, match="at least 0 and not all 0"):
        GLM("poisson").fit(X, y, sample_weight=[1.0, -1.0, 1.0])
    with pytest.raises(ValueError, match="power must be a number > 1 and < 2"):
        gl.tweedie(2.5)
    with pytest.raises(ValueError, match="X has 3 rows, but y has 2 values"):
        gl.Problem(X, y[:2], "poisson")
    with pytest.raises(ValueError, match="X must be 2-D"):
        gl.Problem(y, y, "poisson")
    with pytest.raises(ValueError, match="y has 3 values, but mu has 2"):
        gl.deviance(y, [1.0, 2.0])
    with pytest.raises(ValueError, match="mu must lie strictly between 0 and inf"):
        gl.deviance(y, [1.0, 2.0, 0.0])
    with pytest.raises(ValueError, match="leave no freedom"):
        gl.pearson_dispersion(y, y, "gamma", 3)
    with pytest.raises(ValueError, match="already at the start"):
        GLM("gamma", fit_intercept=False).fit([[1.0], [-1.0]], [1.0, 2.0])
    with pytest.raises(ValueError, match="y has 1 class"):
        gl.CategoricalGLM().fit(X, ["a", "a", "a"])


def test_collinear_and_constant_features_share_the_coefficient():
    X, y = planted(gl.POISSON)
    plain = GLM("poisson", tol=1e-12).fit(X, y)
    wide = np.column_stack([X, X[:, 0], np.full(len(y), 7.0), 1e8 * X[:, 1] + 3])
    model = GLM("poisson", tol=1e-12).fit(wide, y)
    assert model.converged_ and np.isnan(model.standard_errors_).all()
    assert_allclose(model.predict(wide), plain.predict(X), rtol=1e-6)
    a, b = plain.coef_
    assert_allclose(model.coef_, [a / 2, b / 2, a / 2, 0, b / 2e8], rtol=1e-4, atol=1e-12)
    assert np.isfinite(plain.standard_errors_).all()
    more_columns = np.random.default_rng(0).normal(size=(10, 20))
    fitted = GLM("gamma", "log").fit(more_columns, y[:10] + 1)
    assert_allclose(fitted.predict(more_columns), y[:10] + 1, rtol=1e-5)
    assert np.isnan(fitted.dispersion_)
    several = gl.CategoricalGLM().fit(wide, np.random.default_rng(1).integers(0, 3, len(y)))
    assert several.converged_


def test_badly_scaled_features_do_not_matter():
    X, y = planted(gl.POISSON)
    plain = GLM("poisson", tol=1e-12).fit(X, y)
    scaled = GLM("poisson", tol=1e-12).fit(X * [1e-9, 1e7] + [0, 3e7], y)
    assert_allclose(scaled.coef_ * [1e-9, 1e7], plain.coef_, rtol=1e-6)


@pytest.mark.parametrize("link", [None, "probit", "cloglog"])
def test_separable_classes_are_noticed(link):
    X = np.arange(6.0)[:, None]
    with pytest.warns(ConvergenceWarning, match="no maximizer"):
        model = GLM("bernoulli", link).fit(X, [0, 0, 0, 1, 1, 1])
    assert not model.converged_ and np.isnan(model.standard_errors_).all()
    assert GLM("bernoulli", link, alpha=0.1).fit(X, [0, 0, 0, 1, 1, 1]).converged_
    with pytest.warns(ConvergenceWarning, match="use SoftmaxRegression with alpha"):
        gl.CategoricalGLM().fit(X, [0, 0, 1, 1, 2, 2])


def test_a_group_without_events_has_no_poisson_maximizer():
    X = np.repeat([[0.0], [1.0]], 5, axis=0)
    y = np.r_[3, 1, 2, 2, 4, np.zeros(5)]
    with pytest.warns(ConvergenceWarning, match="no maximizer"):
        GLM("poisson").fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert GLM("poisson").fit(X, np.r_[y[:-1], 1]).converged_
        tiny = GLM("poisson").fit(X, np.r_[y[:-1], 1], offset=np.r_[np.zeros(5), np.full(4, -15.0), 0.0])
    assert tiny.converged_, "means near zero alone are no reason to warn"
    assert gl.runaway_direction(add_intercept(X), y, gl.POISSON) is not None
    assert gl.runaway_direction(add_intercept(X), y + 1, gl.POISSON) is None


def test_runaway_fits_are_noticed_at_any_scale_and_without_absent_rows():
    X = np.repeat([[0.0], [1.0]], 5, axis=0)
    y = np.r_[3, 1, 2, 2, 4, np.zeros(5)]
    for scale in (1e-6, 1.0, 1e6):
        with pytest.warns(ConvergenceWarning, match="no maximizer"):
            GLM("poisson").fit(X, scale * y)
    absent = np.r_[np.ones(10), 0.0]  # a count in the empty group, but with weight 0
    with pytest.warns(ConvergenceWarning, match="no maximizer"):
        model = GLM("poisson").fit(np.vstack([X, [[1.0]]]), np.r_[y, 2.0], sample_weight=absent)
    assert np.isnan(model.standard_errors_).all()


def test_an_identity_link_reaches_the_bound_and_has_a_maximizer_there():
    X = np.repeat([[0.0], [1.0]], 5, axis=0)
    y = np.r_[3, 1, 2, 2, 4, np.zeros(5)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = GLM("poisson", "identity").fit(X, y)
    assert model.converged_ and np.isnan(model.standard_errors_).all()
    assert_allclose([model.intercept_, model.coef_[0]], [2.4, -2.4], rtol=1e-6)


def test_existence_matches_the_growth_of_the_likelihood():
    rng = np.random.default_rng(12)
    seen = set()
    for _ in range(40):
        X, y = add_intercept(rng.integers(0, 3, size=(6, 1)).astype(float)), rng.integers(0, 2, 6) * rng.integers(1, 3, 6).astype(float)
        if y.max() == 0 or np.linalg.matrix_rank(X) < 2:
            continue
        direction, problem = gl.runaway_direction(X, y, gl.POISSON), gl.Problem(X, y, "poisson")
        seen.add(direction is None)
        run = gl.fisher_scoring(problem, np.zeros(2), tol=1e-12, max_iter=60)
        if direction is None:
            assert np.abs(problem.gradient(run.x)).max() < 1e-6 and np.abs(run.x).max() < 20
        else:
            values = [problem.half_deviance(run.path[1] + t * direction) for t in (0, 1, 2, 4)]
            assert (np.diff(values) < 0).all()
    assert seen == {True, False}


def test_stopping_early_warns():
    X, y = planted(gl.POISSON)
    with pytest.warns(ConvergenceWarning, match="did not converge in max_iter=1"):
        GLM("poisson", max_iter=1).fit(X, y)


def test_large_counts_and_constant_targets():
    X, _ = planted(gl.POISSON)
    y = np.round(1e7 * np.exp(X[:, 0]))
    model = GLM("poisson").fit(X, y)
    assert model.converged_
    assert_allclose(model.coef_, [1, 0], atol=1e-4)
    flat = GLM("gamma", "log").fit(X, np.full(len(X), 0.1))
    assert flat.converged_
    assert_allclose(flat.predict(X), 0.1)
