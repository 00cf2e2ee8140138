"""Independent component analysis: exact populations, second routes, degenerate data, scikit-learn."""

import io
import itertools
import re
import warnings
import wave

import numpy as np
import pytest
import scipy.integrate
import scipy.linalg
import scipy.stats
import sklearn.decomposition
from numpy.testing import assert_allclose, assert_array_equal

from mlcore.base import ConvergenceWarning, NotFittedError
from mlcore.foundations.mathematics import gradient_error, sigmoid
from mlcore.unsupervised import ica
from mlcore.unsupervised.ica.measures import GAUSSIAN_MEANS
from mlcore.unsupervised.ica.stability import PRIORS, prior_score

A2 = np.array([[1.0, 0.6], [0.4, 1.0]])
FLAT = np.linspace(-1, 1, 12)  # a sub-Gaussian source
HEAVY = np.array([-6.0, -1.0, -0.4, -0.1, 0.1, 0.4, 1.0, 6.0])  # a super-Gaussian one


def unit(values):
    values = np.asarray(values, float) - np.mean(values)
    return values / values.std()


def population(*sources):
    """All combinations of the values of the sources: rows in which the columns are exactly independent."""
    return np.array(list(itertools.product(*[unit(s) for s in sources])))


def sample(kind, n=3000, d=2, seed=0):
    rng = np.random.default_rng(seed)
    S = {"laplace": rng.laplace, "logistic": rng.logistic, "uniform": lambda size: rng.uniform(-1, 1, size),
         "gaussian": rng.normal}[kind](size=(n, d))
    return (S - S.mean(axis=0)) / S.std(axis=0)


def amari_by_loops(P):
    P = [[abs(v) / np.linalg.norm(row) for v in row] for row in P]
    k = len(P)
    total = sum(sum(P[i]) / max(P[i]) - 1 for i in range(k))
    total += sum(sum(P[i][j] for i in range(k)) / max(P[i][j] for i in range(k)) - 1 for j in range(k))
    return total / (2 * k * (k - 1))


# ---------------------------------------------------------------- ambiguities and identifiability


def fourth_cumulants(Y):
    C = Y.T @ Y / len(Y)
    fourth = np.einsum("na,nb,nc,nd->abcd", Y, Y, Y, Y) / len(Y)
    return fourth - np.einsum("ab,cd->abcd", C, C) - np.einsum("ac,bd->abcd", C, C) - np.einsum("ad,bc->abcd", C, C)


def test_cumulants_of_independent_sources_are_diagonal_and_turn_with_the_mixture():
    S = population(FLAT, HEAVY, [-1.0, 1.0])
    cumulants = fourth_cumulants(S)
    expected = np.zeros((3, 3, 3, 3))
    for j, kappa in enumerate(ica.excess_kurtosis(S)):
        expected[j, j, j, j] = kappa
    assert_allclose(cumulants, expected, atol=1e-10)
    Q = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    assert_allclose(fourth_cumulants(S @ Q.T), np.einsum("ai,bj,ck,dl,ijkl->abcd", Q, Q, Q, Q, cumulants), atol=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_amari_distance_by_loops_and_its_invariances(seed):
    rng = np.random.default_rng(seed)
    W, A = rng.normal(size=(4, 4)), rng.normal(size=(4, 4))
    value = ica.amari_distance(W, A)
    assert_allclose(value, amari_by_loops(W @ A), rtol=1e-12)
    assert 0 < value <= 1
    shuffled = np.diag(rng.choice([-1, 1], 4) * rng.uniform(0.1, 9, 4)) @ W[rng.permutation(4)]
    columns = A[:, rng.permutation(4)] * rng.choice([-1, 1], 4)
    assert_allclose(ica.amari_distance(shuffled, columns), value, rtol=1e-12)


def test_amari_distance_is_zero_on_scaled_permutations_only_and_one_when_spread_evenly():
    assert ica.amari_distance(np.diag([3.0, -0.2, 7.0])[[2, 0, 1]], np.eye(3)) == 0
    assert_allclose(ica.amari_distance(np.array([[1, 1], [-1, 1]]), np.eye(2)), 1, rtol=1e-12)
    assert ica.amari_distance(np.eye(2) + [[0, 1e-3], [0, 0]], np.eye(2)) > 1e-4


def test_match_sources_undoes_order_and_sign():
    S = sample("laplace", d=4)
    order = np.array([2, 0, 3, 1])
    signs = np.array([1, -1, -1, 1])
    found, flips = ica.match_sources(S, S[:, order] * signs * 3.0)
    assert_allclose((S[:, order] * signs)[:, found] * flips, S, rtol=1e-12)


def test_gaussian_likelihood_does_not_see_a_rotation_of_the_sources():
    X = sample("gaussian") @ A2.T
    R = scipy.linalg.qr(np.random.default_rng(3).normal(size=(2, 2)))[0]
    values = [scipy.stats.multivariate_normal([0, 0], M @ M.T).logpdf(X) for M in (A2, A2 @ R)]
    assert_allclose(values[0], values[1], rtol=1e-10)


# ---------------------------------------------------------------- the likelihood


def test_densities_of_the_sources_integrate_to_one():
    for source, signs in [("logistic", None), ("extended", 1.0), ("extended", -1.0)]:
        total = scipy.integrate.quad(lambda y, s=source, k=signs: np.exp(ica.source_log_density(y, s, k)), -45, 45)[0]
        assert_allclose(total, 1, rtol=1e-9)
    y = np.linspace(-5, 5, 11)
    assert_allclose(ica.source_log_density(y), scipy.stats.logistic.logpdf(y), rtol=1e-12)
    two = 0.5 * (scipy.stats.norm.pdf(y, 1) + scipy.stats.norm.pdf(y, -1))
    assert_allclose(np.exp(ica.source_log_density(y, "extended", -1.0)), two, rtol=1e-12)


@pytest.mark.parametrize(("source", "signs"), [("logistic", None), ("extended", [1, -1, 1])])
def test_gradient_against_differences(source, signs):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 3))
    for W in (rng.normal(size=(3, 3)), rng.normal(size=(3, 3))[[1, 0, 2]]):
        error = gradient_error(lambda V: ica.log_likelihood(V, X, source, signs),
                               lambda V: ica.likelihood_gradient(V, X, source, signs), W)
        assert error < 1e-7


def test_log_likelihood_is_the_log_of_a_density_of_x_also_for_a_negative_determinant():
    W = np.array([[0.5, -1.0], [1.2, 0.3]])[::-1]
    assert np.linalg.det(W) < 0
    grid = np.linspace(-60, 60, 601)
    density = np.exp([[ica.log_likelihood(W, np.array([[a, b]])) for a in grid[::4]] for b in grid[::4]])
    assert_allclose(density.sum() * (4 * (grid[1] - grid[0])) ** 2, 1, rtol=1e-3)


def test_scores_are_derivatives_of_the_log_densities():
    y, h = np.linspace(-4, 4, 17), 1e-6
    for prior, source, signs in [("logistic", "logistic", None), ("super", "extended", 1.0), ("sub", "extended", -1.0)]:
        numeric = (ica.source_log_density(y + h, source, signs) - ica.source_log_density(y - h, source, signs)) / (2 * h)
        assert_allclose(ica.score(y, source, signs), numeric, atol=1e-8)
        assert_allclose(prior_score(y, prior)[0], numeric, atol=1e-8)
        slope = (prior_score(y + h, prior)[0] - prior_score(y - h, prior)[0]) / (2 * h)
        assert_allclose(prior_score(y, prior)[1], slope, atol=1e-8)


def test_stochastic_step_is_the_gradient_of_one_row_with_the_rate_on_both_terms():
    rng = np.random.default_rng(4)
    W, x = rng.normal(size=(3, 3)), rng.normal(size=3)
    assert_allclose(ica.stochastic_step(W, x, 0.05), W + 0.05 * ica.likelihood_gradient(W, x[None]), rtol=1e-12)
    printed = W + 0.05 * np.outer(1 - 2 * sigmoid(W @ x), x) + np.linalg.inv(W).T
    assert np.abs(printed - ica.stochastic_step(W, x, 0.05)).max() > 0.1


def test_stochastic_epochs_separate_laplace_sources_and_the_printed_rule_inflates_and_lags():
    S = sample("laplace", n=2000)
    X, rng = S @ A2.T, np.random.default_rng(0)
    W = np.eye(2)
    for alpha in (0.01, 0.003, 0.001):
        for _ in range(3):
            W = ica.stochastic_epoch(W, X, alpha, rng)
    assert ica.amari_distance(W, A2) < 0.06
    V = np.eye(2)
    for x in X:
        V = V + 0.01 * np.outer(1 - 2 * sigmoid(V @ x), x) + np.linalg.inv(V).T
    assert np.abs(V).max() > 20 and ica.amari_distance(V, A2) > 0.2


def test_natural_step_is_the_gradient_times_wtw_and_is_equivariant():
    rng = np.random.default_rng(5)
    S, W = sample("laplace"), rng.normal(size=(2, 2))
    X = S @ A2.T
    new, bracket = ica.natural_step(W, X, 0.1)
    gradient = ica.likelihood_gradient(W, X)
    assert_allclose(new, W + 0.1 * gradient @ W.T @ W, rtol=1e-10)
    assert_allclose(bracket, gradient @ W.T, rtol=1e-9, atol=1e-12)
    B = rng.normal(size=(2, 2))  # another mixture with the same start of W A
    other = ica.natural_step(W @ A2 @ np.linalg.inv(B), S @ B.T, 0.1)[0]
    assert_allclose(other @ B, new @ A2, rtol=1e-9)


@pytest.mark.parametrize("method", ["natural", "gradient"])
@pytest.mark.parametrize("rate", [None, 50.0])
def test_likelihood_never_falls(method, rate):
    model = ica.LikelihoodICA(method=method, learning_rate=rate, tol=1e-4).fit(sample("laplace") @ A2.T)
    assert model.converged_ and np.diff(model.history_).min() > -1e-10
    assert ica.amari_distance(model.components_, A2) < 0.05


def test_methods_reach_the_same_maximum():
    X = sample("laplace", d=3) @ np.array([[1, 0.5, 0.2], [0.3, 1, 0.4], [0.1, 0.6, 1]]).T
    ends = [ica.LikelihoodICA(method=m, max_iter=2000).fit(X).history_[-1] for m in ("natural", "gradient")]
    assert_allclose(ends[0], ends[1], atol=1e-8)
    noisy = ica.LikelihoodICA(method="stochastic", random_state=0).fit(X)
    assert ends[0] - 0.02 < noisy.history_[-1] <= ends[0] + 1e-9


# ---------------------------------------------------------------- which sources


@pytest.mark.parametrize("prior", PRIORS)
def test_the_index_of_a_gaussian_source_is_one(prior):
    quantiles = scipy.stats.norm.ppf((np.arange(200_000) + 0.5) / 200_000)
    assert_allclose(ica.stability_index(quantiles, prior), 1, atol=1e-3)


def test_index_of_the_uniform_source_by_quadrature():
    c = scipy.optimize.brentq(lambda c: scipy.integrate.quad(lambda s: np.tanh(c * s / 2) * c * s, 0, 1)[0] - 1, 0.1, 20)
    m = scipy.integrate.quad(lambda s: (1 - np.tanh(c * s / 2) ** 2) / 2, 0, 1)[0] * c**2 / 3
    grid = (np.arange(20_000) + 0.5) / 10_000 - 1
    assert_allclose([ica.equilibrium_scale(grid), ica.stability_index(grid)], [c, m], rtol=1e-6)


@pytest.mark.parametrize(("first", "second"), [(FLAT, FLAT), (HEAVY, HEAVY), (FLAT, HEAVY), (FLAT, [-1.0, 1.0])])
def test_the_condition_is_the_sign_of_the_linearized_flow(first, second):
    S = population(first, second)
    scale = [ica.equilibrium_scale(s) for s in S.T]
    Y = S * scale
    assert_allclose(ica.natural_step(np.eye(2), Y, 1.0)[1], 0, atol=1e-9)  # separated: a stationary point
    J, h = np.zeros((4, 4)), 1e-6
    for a in range(4):
        E = np.zeros(4)
        E[a] = h
        plus, minus = (ica.natural_step(np.eye(2) + s * E.reshape(2, 2), Y, 1.0)[1] for s in (1, -1))
        J[:, a] = (plus - minus).ravel() / (2 * h)
    kappa = [np.mean(-prior_score(y, "logistic")[1]) for y in Y.T]
    variance = (Y**2).mean(axis=0)
    block = -np.array([[kappa[0] * variance[1], 1], [1, kappa[1] * variance[0]]])
    assert_allclose(J[1:3, 1:3], block, atol=1e-6)
    assert_allclose(J[np.ix_([0, 3], [1, 2])], 0, atol=1e-6)
    product = ica.stability_index(first) * ica.stability_index(second)
    assert (np.linalg.eigvals(J).real.max() < 0) == (product > 1)


@pytest.mark.parametrize("source", [FLAT, HEAVY, [-1.0, 1.0], np.sin(np.arange(200))])
def test_the_switch_takes_the_prior_whose_index_exceeds_one(source):
    for prior in ("super", "sub"):
        y = ica.equilibrium_scale(source, prior) * (np.asarray(source) - np.mean(source))
        sign = ica.switching_signs(y[:, None])[0]
        assert (ica.stability_index(source, prior) > 1) == (sign == (1 if prior == "super" else -1))


def test_uniform_sources_defeat_the_logistic_prior_and_not_the_extended_one():
    S = sample("uniform")
    logistic = ica.LikelihoodICA().fit(S @ A2.T)
    assert ica.amari_distance(logistic.components_, A2) > 0.9
    extended = ica.LikelihoodICA("extended").fit(S @ A2.T)
    assert ica.amari_distance(extended.components_, A2) < 0.03
    assert_array_equal(extended.signs_, [-1, -1])
    mixed = np.column_stack([sample("laplace", seed=1)[:, 0], S[:, 0]])
    both = ica.LikelihoodICA("extended").fit(mixed @ A2.T)
    assert sorted(both.signs_) == [-1, 1] and ica.amari_distance(both.components_, A2) < 0.05


# ---------------------------------------------------------------- kurtosis, negentropy, FastICA


def test_kurtosis_of_a_projection_is_the_sum_of_fourth_powers():
    S = population(FLAT, HEAVY)
    for angle in np.linspace(0, 3, 7):
        q = np.array([np.cos(angle), np.sin(angle)])
        assert_allclose(ica.excess_kurtosis(S @ q), q**4 @ ica.excess_kurtosis(S), atol=1e-10)


def test_gaussian_means_and_negentropy():
    normal = scipy.stats.norm.pdf
    logcosh = scipy.integrate.quad(lambda v: normal(v) * np.log(np.cosh(v)), -40, 40)[0]
    exp = scipy.integrate.quad(lambda v: -normal(v) * np.exp(-(v**2) / 2), -40, 40)[0]
    assert_allclose([GAUSSIAN_MEANS["logcosh"], GAUSSIAN_MEANS["exp"]], [logcosh, exp], rtol=1e-9)
    for contrast in GAUSSIAN_MEANS:
        gaussian = ica.negentropy(scipy.stats.norm.ppf((np.arange(9999) + 0.5) / 9999), contrast)[0]
        assert gaussian < 1e-6 < ica.negentropy(FLAT, contrast)[0]
        assert_allclose(ica.negentropy(5 * HEAVY + 3, contrast), ica.negentropy(HEAVY, contrast), rtol=1e-9)


@pytest.mark.parametrize("name", list(ica.CONTRASTS))
def test_contrasts_are_functions_and_mean_derivatives(name):
    Y, h = np.random.default_rng(1).normal(size=(2, 50)), 1e-6
    g, slope = ica.CONTRASTS[name](Y.copy())
    plus, minus = (ica.CONTRASTS[name](Y + s * h)[0] for s in (1, -1))
    assert_allclose(slope, ((plus - minus) / (2 * h)).mean(axis=1), rtol=1e-6)
    assert_allclose(g, {"logcosh": np.tanh(Y), "exp": Y * np.exp(-(Y**2) / 2), "cube": Y**3}[name], rtol=1e-12)


def test_the_cubic_step_multiplies_the_cube_of_each_coordinate_by_its_kurtosis():
    S = population(FLAT, HEAVY, [-1.0, 1.0])
    w = np.array([0.6, -0.64, 0.48])
    g, slope = ica.CONTRASTS["cube"](S @ w)
    assert_allclose(S.T @ g / len(S) - slope * w, ica.excess_kurtosis(S) * w**3, atol=1e-10)


def test_decorrelate_is_the_polar_factor():
    W = np.random.default_rng(0).normal(size=(4, 4))
    U, _, Vt = np.linalg.svd(W)
    assert_allclose(ica.decorrelate(W), U @ Vt, atol=1e-10)


@pytest.mark.parametrize("contrast", list(ica.CONTRASTS))
@pytest.mark.parametrize("algorithm", ["symmetric", "deflation"])
def test_fastica_recovers_an_exact_population(contrast, algorithm):
    S = population(FLAT, HEAVY, [-1.0, 1.0, 1.0, -1.0])
    A = np.array([[1, 0.5, 0.2], [0.3, 1, 0.4], [0.1, 0.6, 1]])
    model = ica.FastICA(contrast=contrast, algorithm=algorithm, tol=1e-12, random_state=1).fit(S @ A.T + [5, 0, -3])
    assert ica.amari_distance(model.components_, A) < 1e-6
    assert_allclose(model.transform(S @ A.T + [5, 0, -3]).std(axis=0), 1, rtol=1e-9)
    assert_allclose(model.rotation_ @ model.rotation_.T, np.eye(3), atol=1e-10)


@pytest.mark.parametrize("contrast", list(ica.CONTRASTS))
@pytest.mark.parametrize("algorithm", ["symmetric", "deflation"])
def test_fastica_equals_scikit_learn_from_the_same_start(contrast, algorithm):
    rng = np.random.default_rng(7)
    S = np.column_stack([sample("laplace", seed=1), sample("uniform")])
    X = S @ rng.normal(size=(4, 4)).T + 2.0
    start = rng.normal(size=(4, 4))
    ours = ica.FastICA(contrast=contrast, algorithm=algorithm, init=start).fit(X)
    theirs = sklearn.decomposition.FastICA(whiten="unit-variance", max_iter=1, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        K = theirs.fit(X).whitening_
    flip = np.sign((K * ours.whitening_).sum(axis=1))  # the two whitenings differ in the signs of their rows
    theirs = sklearn.decomposition.FastICA(fun=contrast, algorithm={"symmetric": "parallel"}.get(algorithm, algorithm), w_init=start * flip,
                                           whiten="unit-variance").fit(X)
    assert ours.n_iter_ == theirs.n_iter_
    assert_allclose(ours.components_, theirs.components_, rtol=1e-6, atol=1e-8)
    assert_allclose(ours.mixing_, theirs.mixing_, rtol=1e-6, atol=1e-8)
    assert_allclose(ours.transform(X), theirs.transform(X), atol=1e-7)


def test_fewer_components_than_channels_and_the_way_back():
    rng = np.random.default_rng(8)
    A = rng.normal(size=(5, 2))
    X = sample("laplace") @ A.T + 1.0
    model = ica.FastICA(2, random_state=0)
    S_hat = model.fit_transform(X)
    assert S_hat.shape == (3000, 2) and model.components_.shape == (2, 5)
    assert_allclose(S_hat, model.transform(X), atol=1e-9)
    assert_allclose(model.inverse_transform(S_hat), X, atol=1e-9)
    assert_allclose(model.mixing_, np.linalg.pinv(model.components_), atol=1e-9)
    assert ica.amari_distance(model.components_, A) < 0.05


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize("cls", [ica.FastICA, ica.LikelihoodICA])
def test_bad_data_are_refused(cls):
    X = sample("laplace", n=100)
    with pytest.raises(ValueError, match="column 1 of X is constant"):
        cls().fit(np.column_stack([X[:, 0], np.full(100, 0.1)]))
    with pytest.raises(ValueError, match="rank 2"):
        cls().fit(X @ np.array([[1, 2, 3.0], [1, 0, 1]]))  # three microphones, two of them enough
    with pytest.raises(ValueError, match="NaN or infinity"):
        cls().fit(np.where(X > 2, np.nan, X))
    with pytest.raises(ValueError, match="must be 2-D"):
        cls().fit(X[:, 0])
    with pytest.raises(ValueError, match="n_components=3, but 100 samples of 2 features"):
        cls(n_components=3).fit(X)
    with pytest.raises(ValueError, match="n_components must be an integer"):
        cls(n_components=0.5).fit(X)
    with pytest.raises(ValueError, match="rank 1"):
        cls().fit(X[:2])
    with pytest.raises(NotFittedError, match="not fitted"):
        cls().transform(X)


@pytest.mark.parametrize(("model", "message"), [
    (ica.FastICA(contrast="tanh"), "contrast must be one of"),
    (ica.FastICA(algorithm="parallel"), "algorithm must be one of"),
    (ica.FastICA(init=np.eye(3)), r"init must have shape \(2, 2\)"),
    (ica.FastICA(init=np.ones((2, 2))), "init is singular"),
    (ica.FastICA(tol=0), "tol must be a number > 0"),
    (ica.LikelihoodICA(source="laplace"), "source must be one of"),
    (ica.LikelihoodICA("extended", "stochastic"), "logistic source only"),
    (ica.LikelihoodICA(learning_rate=-1), "learning_rate must be a number > 0"),
    (ica.LikelihoodICA(max_iter=0), "max_iter must be an integer >= 1"),
])
def test_impossible_settings_are_refused(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(sample("laplace", n=100))


def test_functions_refuse_what_does_not_fit():
    X = sample("laplace", n=20)
    with pytest.raises(ValueError, match="W must be square"):
        ica.log_likelihood(np.ones((2, 3)), X)
    with pytest.raises(ValueError, match="singular"):
        ica.log_likelihood(np.zeros((2, 2)), X)
    with pytest.raises(ValueError, match="must be square with at least 2 rows"):
        ica.amari_distance(np.eye(2), np.ones((3, 2)))
    with pytest.raises(ValueError, match="row 0 of W @ A is zero"):
        ica.amari_distance([[0, 0], [0, 1.0]], np.eye(2))
    with pytest.raises(ValueError, match="column 1 of W @ A is zero"):
        ica.amari_distance([[1.0, 0], [1.0, 0]], np.eye(2))
    with pytest.raises(ValueError, match="is constant"):
        ica.excess_kurtosis(np.ones(5))
    with pytest.raises(ValueError, match="they must agree"):
        ica.match_sources(X, X[:10])
    with pytest.raises(ValueError, match="s is constant"):
        ica.stability_index(np.ones(4))


def test_stopping_early_warns():
    X = sample("gaussian") @ A2.T
    for model in (ica.FastICA(max_iter=2, tol=1e-12, random_state=0), ica.LikelihoodICA(max_iter=2),
                  ica.FastICA(max_iter=2, tol=1e-12, random_state=0, algorithm="deflation")):
        with pytest.warns(ConvergenceWarning, match="did not converge in max_iter=2"):
            model.fit(X)
        assert not model.converged_ and model.n_iter_ == 2


def test_a_stochastic_rate_that_is_far_too_large_does_not_pass_for_converged():
    with pytest.warns(ConvergenceWarning, match="max_iter=5"):
        model = ica.LikelihoodICA(method="stochastic", learning_rate=100.0, max_iter=5).fit(sample("laplace", n=200) @ A2.T)
    assert np.isfinite(model.components_).all()


# ---------------------------------------------------------------- sound


def test_voices_have_the_shapes_that_the_chapter_relies_on():
    S = ica.make_voices()
    assert_allclose([S.mean(axis=0), S.std(axis=0)], [[0, 0, 0], [1, 1, 1]], atol=1e-12)
    notes, organ, rattle = ica.excess_kurtosis(S)
    assert notes > 1 and organ < -1 and rattle > 3
    assert np.abs(np.corrcoef(S.T) - np.eye(3)).max() < 0.06
    assert_array_equal(S, ica.make_voices())


def test_wav_round_trip_and_player():
    signal = np.sin(np.arange(8000) * 0.3)
    data = ica.wav_bytes(signal)
    with wave.open(io.BytesIO(data)) as file:
        assert (file.getframerate(), file.getsampwidth(), file.getnchannels(), file.getnframes()) == (8000, 1, 1, 8000)
        samples = (np.frombuffer(file.readframes(8000), np.uint8).astype(float) - 128) / 127
    assert_allclose(samples, signal / np.abs(signal).max(), atol=0.5 / 127 + 1e-9)
    page = ica.players({"a < b": signal})
    assert page.count("<audio controls") == 1 and 'aria-label="a &lt; b, 1.0 seconds"' in page
    assert len(re.search(r"base64,([^\"]+)", page)[1]) < 15_000
    assert set(ica.wav_bytes(np.zeros(4))[-4:]) == {128}
