"""Generative classifiers: estimates against the likelihood, posteriors by two routes, scikit-learn, degenerate input."""

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, linalg, stats
from sklearn import naive_bayes as sk
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.feature_extraction.text import CountVectorizer

from mlcore.foundations.mathematics import log_gaussian, logsumexp, numerical_gradient, sigmoid, softmax
from mlcore.supervised import generative_learning as ge
from mlcore.supervised.linear_regression import LinearRegression

# scikit-learn's solver "svd" divided by n - k (own covariances: by the count of the class less one) before 1.9, by n and the count since
UNBIASED_SVD = tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 9)
NOTES_X = [[0, 0], [1, 0], [0, 1], [4, 4], [5, 4], [4, 5]]
WEATHER = """sunny hot high weak no;sunny hot high strong no;overcast hot high weak yes;rain mild high weak yes;rain cool normal weak yes;
rain cool normal strong no;overcast cool normal strong yes;sunny mild high weak no;sunny cool normal weak yes;rain mild normal weak yes;
sunny mild normal strong yes;overcast mild high strong yes;overcast hot normal weak yes;rain mild high strong no"""


@pytest.fixture
def three():
    """Ninety points of three overlapping Gaussian classes of unequal size in three dimensions."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [45, 30, 15])
    return rng.normal(size=(90, 3)) @ rng.normal(size=(3, 3)) + rng.normal(size=(3, 3))[y], y


@pytest.fixture
def weather():
    table = np.array([row.split() for row in WEATHER.split(";")])
    return table[:, :4], table[:, 4]


@pytest.fixture
def corpus():
    texts, labels = ge.load_messages()
    vocabulary = ge.Vocabulary.of(texts)
    return texts, labels, vocabulary


# Bayes' rule


def test_log_posterior_is_normalized_where_plain_products_underflow():
    joint = np.array([[-2000.0, -2001.0], [0.0, -np.inf]])
    assert np.exp(joint[0]).sum() == 0
    assert_allclose(np.exp(ge.log_posterior(joint)), [[sigmoid(1.0), sigmoid(-1.0)], [1, 0]], rtol=1e-12)


def test_log_posterior_refuses_zero_over_zero():
    with pytest.raises(ValueError, match="row 1 has probability 0 under every class.*alpha > 0"):
        ge.log_posterior([[0.0, 0.0], [-np.inf, -np.inf]])


# Gaussian discriminant analysis


def test_numbers_of_the_notes():
    model = ge.GaussianDiscriminant().fit(NOTES_X, [1, 1, 1, 2, 2, 2])
    assert_allclose(model.means_, [[1 / 3, 1 / 3], [13 / 3, 13 / 3]])
    assert_allclose(model.covariance_, np.array([[2, -1], [-1, 2]]) / 9, atol=1e-15)
    theta = ge.logistic_parameters(model.priors_, model.means_, model.covariance_)
    assert_allclose(theta, [-168, 36, 36])


@pytest.mark.parametrize("covariance", ["shared", "own"])
def test_estimates_are_a_stationary_point_and_a_maximum_of_the_likelihood(three, covariance):
    X, y = three
    model = ge.GaussianDiscriminant(covariance).fit(X, y)
    S = model.covariance_

    def likelihood(priors=model.priors_, means=model.means_, S=S):
        return ge.gda_log_likelihood(X, y, priors, means, S)

    assert_allclose(numerical_gradient(lambda m: likelihood(means=m.reshape(3, 3)), model.means_.ravel()), 0, atol=1e-4)

    def of_covariance(entries):  # every entry moves together with its mirror image
        E = entries.reshape(S.shape)
        return likelihood(S=(E + np.swapaxes(E, -1, -2)) / 2)

    assert_allclose(numerical_gradient(of_covariance, S.ravel()), 0, atol=1e-3)
    best, rng = likelihood(), np.random.default_rng(1)
    for _ in range(50):
        priors = softmax(np.log(model.priors_) + 0.2 * rng.normal(size=3))
        A = np.eye(3) + 0.1 * rng.normal(size=(3, 3))
        assert likelihood(priors, model.means_ + 0.1 * rng.normal(size=(3, 3)), A @ S @ A.T) < best


def test_matrix_derivatives_behind_sigma():
    rng = np.random.default_rng(2)
    A = rng.normal(size=(3, 3))
    Sigma, S = A @ A.T + np.eye(3), np.cov(rng.normal(size=(3, 9)))
    inverse = np.linalg.inv(Sigma)
    logdet = numerical_gradient(lambda s: np.linalg.slogdet(s.reshape(3, 3))[1], Sigma.ravel())
    trace = numerical_gradient(lambda s: np.trace(np.linalg.solve(s.reshape(3, 3), S)), Sigma.ravel())
    assert_allclose(logdet.reshape(3, 3), inverse.T, rtol=1e-6)
    assert_allclose(trace.reshape(3, 3), -(inverse @ S @ inverse).T, rtol=1e-6)


def test_pooled_covariance_is_biased_by_the_number_of_classes():
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2], 4)
    found = []
    for _ in range(4000):
        X = rng.normal(size=(12, 1)) + y[:, None]
        found.append(ge.pooled_covariance(X, y, ge.class_means(X, y, 3)[1])[0, 0])
    assert_allclose(np.mean(found), 9 / 12, atol=4 * np.std(found) / np.sqrt(4000))


def test_planted_parameters_are_recovered():
    means, S = np.array([[0.0, 0.0], [2.0, 1.0]]), np.array([[1.0, 0.6], [0.6, 2.0]])
    rng = np.random.default_rng(4)
    y = (rng.random(20000) < 0.3).astype(int)
    X = rng.standard_normal((20000, 2)) @ np.linalg.cholesky(S).T + means[y]
    model = ge.GaussianDiscriminant().fit(X, y)
    assert_allclose(model.priors_, [0.7, 0.3], atol=4 * np.sqrt(0.21 / 20000))
    assert_allclose(model.means_, means, atol=4 * np.sqrt(2 / 6000))
    assert_allclose(model.covariance_, S, atol=4 * np.sqrt(2 * 4 / 20000))


def test_posterior_is_logistic(three):
    X, y = three[0], (three[1] > 0).astype(int)
    model = ge.GaussianDiscriminant().fit(X, y)
    theta = ge.logistic_parameters(model.priors_, model.means_, model.covariance_)
    densities = [p * stats.multivariate_normal(m, model.covariance_).pdf(X) for p, m in zip(model.priors_, model.means_)]
    by_bayes = densities[1] / (densities[0] + densities[1])
    assert_allclose(sigmoid(theta[0] + X @ theta[1:]), by_bayes, rtol=1e-9)
    assert_allclose(model.predict_proba(X)[:, 1], by_bayes, rtol=1e-9)


def test_posterior_of_many_classes_is_softmax(three):
    X, y = three
    model = ge.GaussianDiscriminant().fit(X, y)
    W, b = ge.linear_scores(model.priors_, model.means_, model.covariance_)
    assert_allclose(softmax(X @ W.T + b), np.exp(ge.log_posterior(model.log_joint(X))), rtol=1e-9)
    assert_allclose(softmax(X @ W.T + b), model.predict_proba(X), rtol=1e-9)


def test_own_covariances_give_a_quadratic_boundary(three):
    X, y = three[0], (three[1] > 0).astype(int)
    model = ge.GaussianDiscriminant("own").fit(X, y)
    odds = model.log_joint(X) @ [-1, 1]
    S0, S1 = map(np.linalg.inv, model.covariance_)
    m0, m1 = model.means_
    A, b = (S0 - S1) / 2, S1 @ m1 - S0 @ m0
    logdet = np.linalg.slogdet(model.covariance_)[1]
    c = (m0 @ S0 @ m0 - m1 @ S1 @ m1 + logdet[0] - logdet[1]) / 2 + np.log(model.priors_[1] / model.priors_[0])
    assert_allclose(odds, np.einsum("ni,ij,nj->n", X, A, X) + X @ b + c, rtol=1e-9, atol=1e-9)


def test_far_from_zero_nothing_is_lost(three):
    X, y = three
    near, far = ge.GaussianDiscriminant().fit(X, y), ge.GaussianDiscriminant().fit(X + 1e6, y)
    assert_allclose(far.predict_proba(X + 1e6), near.predict_proba(X), atol=1e-7)


def posterior(model, X, inflated=1.0):
    """Posterior probabilities from the densities, with all covariances multiplied."""
    return softmax(ge.gda_log_joint(X, model.priors_, model.means_, model.covariance_ * inflated), axis=1)


@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
def test_lda_of_scikit_learn(solver):
    for X, y in (load_iris(return_X_y=True), load_wine(return_X_y=True)):
        ours, theirs = ge.GaussianDiscriminant().fit(X, y), LinearDiscriminantAnalysis(solver=solver).fit(X, y)
        inflated = len(X) / (len(X) - 3 * (solver == "svd" and UNBIASED_SVD))
        slopes = (ours.coef_[1:] - ours.coef_[0]) / inflated
        assert_allclose(slopes, theirs.coef_[1:] - theirs.coef_[0], rtol=1e-7, atol=1e-7)
        assert_allclose(posterior(ours, X, inflated), theirs.predict_proba(X), atol=1e-8)
        assert_allclose(posterior(ours, X), ours.predict_proba(X), atol=1e-8)


def test_shrinkage_and_priors_of_scikit_learn(three):
    X, y = three
    ours = ge.GaussianDiscriminant(shrinkage=0.4).fit(X, y)
    theirs = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.4).fit(X, y)
    assert_allclose(ours.covariance_, theirs.covariance_, atol=1e-12)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)
    # Given priors change the posterior and nothing else; scikit-learn would also pool the covariances with them.
    given = ge.GaussianDiscriminant(shrinkage=0.4, priors=[0.2, 0.3, 0.5]).fit(X, y)
    assert_allclose(given.covariance_, ours.covariance_)
    by_bayes = ours.predict_proba(X) / ours.priors_ * [0.2, 0.3, 0.5]
    assert_allclose(given.predict_proba(X), by_bayes / by_bayes.sum(axis=1, keepdims=True), rtol=1e-9)


@pytest.mark.parametrize("solver", ["svd", "eigen"])
def test_qda_of_scikit_learn(solver):
    X, y = load_wine(return_X_y=True)
    ours, theirs = ge.GaussianDiscriminant("own").fit(X, y), QuadraticDiscriminantAnalysis(solver=solver).fit(X, y)
    counts = np.bincount(y)[:, None, None]
    inflated = counts / (counts - (solver == "svd" and UNBIASED_SVD))
    assert_allclose(posterior(ours, X, inflated), theirs.predict_proba(X), atol=1e-8)
    assert_allclose(posterior(ours, X), ours.predict_proba(X), atol=1e-8)


def test_evidence_and_samples(three):
    X, y = three
    model = ge.GaussianDiscriminant("own").fit(X, y)
    by_hand = logsumexp(np.column_stack([np.log(p) + log_gaussian(X, m, S) for p, m, S in
                                         zip(model.priors_, model.means_, model.covariance_)]), axis=1)
    assert_allclose(model.score_samples(X), by_hand, rtol=1e-12)
    Xs, ys = model.sample(30000, random_state=1)
    again = ge.GaussianDiscriminant("own").fit(Xs, ys)
    assert_allclose(again.priors_, model.priors_, atol=0.015)
    fewest = 30000 * model.priors_.min()  # four standard errors of the rarest class
    variances = np.diagonal(model.covariance_, axis1=1, axis2=2)
    assert_allclose(again.means_, model.means_, atol=4 * np.sqrt(variances.max() / fewest))
    assert_allclose(again.covariance_, model.covariance_, atol=4 * np.sqrt(2 / fewest) * variances.max())
    assert_array_equal(Xs, model.sample(30000, random_state=1)[0])


@pytest.mark.parametrize("covariance", ["shared", "own"])
def test_singular_covariances_are_refused(three, covariance):
    X, y = three
    model = ge.GaussianDiscriminant(covariance)
    with pytest.raises(ValueError, match="features are collinear"):
        model.fit(np.column_stack([X, X @ [1.0, -2.0, 0.5]]), y)
    with pytest.raises(ValueError, match="feature 3 does not vary within"):
        model.fit(np.column_stack([X, y]) if covariance == "shared" else np.column_stack([X, np.full(90, 7.0)]), y)
    with pytest.raises(ValueError, match="feature 3 does not vary within"):  # though the mean of many 0.1 is not quite 0.1
        model.fit(np.column_stack([X, np.full(90, 0.1)]), y)
    repaired = ge.GaussianDiscriminant(covariance, shrinkage=0.1).fit(np.column_stack([X, X @ [1.0, -2.0, 0.5]]), y)
    assert np.isfinite(repaired.predict_log_proba(np.column_stack([X, X @ [1.0, -2.0, 0.5]]))).all()


def test_scale_of_a_feature_does_not_matter(three):
    X, y = three
    scaled = ge.GaussianDiscriminant().fit(X * [1e-8, 1.0, 1e8], y)
    assert_allclose(scaled.predict_proba(X * [1e-8, 1.0, 1e8]), ge.GaussianDiscriminant().fit(X, y).predict_proba(X), atol=1e-9)


def test_bad_labels_and_parameters(three):
    X, y = three
    for model in (ge.GaussianDiscriminant(), ge.BernoulliNB(), ge.GaussianNB(), ge.CategoricalNB(), ge.FisherDiscriminant()):
        with pytest.raises(ValueError, match="y has 1 class"):
            model.fit(X, np.zeros(90, int))
        with pytest.raises(ValueError, match="fractional"):
            model.fit(X, y + 0.5)
        with pytest.raises(ValueError, match="y must be 1-D"):
            model.fit(X, np.eye(3)[y])
    with pytest.raises(ValueError, match="class 1 has 1 example"):
        ge.GaussianDiscriminant("own").fit(X[:5], [0, 0, 0, 0, 1])
    with pytest.raises(ValueError, match="needs more examples than classes"):
        ge.GaussianDiscriminant().fit(X[:3], [0, 1, 2])
    with pytest.raises(ValueError, match="covariance must be one of 'shared', 'own'"):
        ge.GaussianDiscriminant("tied").fit(X, y)
    with pytest.raises(ValueError, match="shrinkage must be a number >= 0 and <= 1"):
        ge.GaussianDiscriminant(shrinkage=2).fit(X, y)
    with pytest.raises(ValueError, match="priors has 2 entries, but y has 3 classes"):
        ge.GaussianDiscriminant(priors=[0.5, 0.5]).fit(X, y)
    with pytest.raises(ValueError, match="positive and sum to 1"):
        ge.GaussianNB(priors=[0.5, 0.4, 0.3]).fit(X, y)
    with pytest.raises(ValueError, match="alpha must be a number >= 0"):
        ge.BernoulliNB(alpha=-1).fit(X, y)
    with pytest.raises(ValueError, match="two classes, but there are 3"):
        ge.logistic_parameters([0.2, 0.3, 0.5], np.eye(3), np.eye(3))


# Fisher's discriminant


def test_fisher_numbers_of_the_notes():
    X, y = np.array([[1, 2], [2, 3], [3, 3], [6, 5], [7, 8], [8, 7]], float), np.repeat([0, 1], 3)
    counts, means = ge.class_means(X, y, 2)
    S_w = ge.within_scatter(X, y, means)
    assert_allclose(S_w, [[4, 3], [3, 16 / 3]])
    w = ge.fisher_direction(X, y)
    assert_allclose(w, [-44 / 37, -3 / 37])
    delta = means[0] - means[1]
    assert_allclose(ge.fisher_criterion(w, np.outer(delta, delta), S_w), 232 / 37)
    assert_allclose(w @ means.sum(axis=0) / 2, -5.729730, atol=1e-6)
    assert_allclose(ge.between_scatter(counts, means), 3 * 3 / 6 * np.outer(delta, delta))


def test_no_direction_beats_fishers(three):
    X, y = three[0], (three[1] > 0).astype(int)
    counts, means = ge.class_means(X, y, 2)
    S_w, S_b = ge.within_scatter(X, y, means), ge.between_scatter(counts, means)
    best = ge.fisher_criterion(ge.fisher_direction(X, y), S_b, S_w)
    random = np.random.default_rng(5).normal(size=(3, 5000))
    ratios = ge.fisher_criterion(random, S_b, S_w)
    assert ratios.max() <= best and ratios.max() > 0.9 * best
    model = ge.FisherDiscriminant().fit(X, y)
    assert_allclose(model.eigenvalues_, [best])
    assert_allclose(linalg.subspace_angles(model.scalings_, ge.fisher_direction(X, y)[:, None]), 0, atol=1e-7)


def test_least_squares_on_any_two_codes_gives_fishers_direction(three):
    X, y = three[0], (three[1] > 0).astype(int)
    w = ge.fisher_direction(X, y)
    gda = ge.GaussianDiscriminant().fit(X, y)
    theta = ge.logistic_parameters(gda.priors_, gda.means_, gda.covariance_)[1:]
    for codes in ((-1.0, 1.0), (0.0, 1.0), (-90 / 45, 90 / 45), (3.0, -7.0)):
        slopes = LinearRegression().fit(X, np.array(codes)[y]).coef_
        for other in (w, theta):
            assert_allclose(abs(slopes @ other), np.linalg.norm(slopes) * np.linalg.norm(other), rtol=1e-10)


def test_many_classes_on_iris():
    X, y = load_iris(return_X_y=True)
    model = ge.FisherDiscriminant().fit(X, y)
    assert_allclose(model.eigenvalues_, [32.1919, 0.2854], atol=1e-4)
    counts, means = ge.class_means(X, y, 3)
    S_w, S_b = ge.within_scatter(X, y, means), ge.between_scatter(counts, means)
    W = model.scalings_
    assert_allclose(S_b @ W, S_w @ W * model.eigenvalues_, rtol=1e-8, atol=1e-8)
    assert_allclose(W.T @ S_w @ W, 150 * np.eye(2), atol=1e-9)
    assert np.linalg.matrix_rank(S_b) == 2
    total = (X - X.mean(axis=0)).T @ (X - X.mean(axis=0))
    assert_allclose(S_w + S_b, total)


@pytest.mark.parametrize("solver", ["eigen", "svd"])
def test_discriminant_coordinates_of_scikit_learn(solver):
    for X, y in (load_iris(return_X_y=True), load_wine(return_X_y=True)):
        Z = ge.FisherDiscriminant().fit_transform(X, y)
        reference = LinearDiscriminantAnalysis(solver=solver).fit(X, y).transform(X)
        reference = reference - reference.mean(axis=0)
        Z = Z * np.sqrt(1 - 3 / len(X) * (solver == "svd" and UNBIASED_SVD))
        for j in range(2):
            sign = np.sign(Z[:, j] @ reference[:, j])
            assert_allclose(Z[:, j], sign * reference[:, j], rtol=1e-6, atol=1e-8)


def test_nearest_mean_in_discriminant_coordinates_is_gda_with_equal_priors():
    X, y = load_wine(return_X_y=True)
    gda = ge.GaussianDiscriminant(priors=[1 / 3] * 3).fit(X, y)
    grid = X[np.random.default_rng(0).integers(len(X), size=500)] * np.random.default_rng(1).uniform(0.8, 1.2, size=(500, 13))
    assert_array_equal(ge.FisherDiscriminant().fit(X, y).predict(grid), gda.predict(grid))


def test_top_coordinates_maximize_the_determinant_ratio(three):
    X, _ = three
    y = np.arange(90) % 4
    X = X + np.random.default_rng(6).normal(size=(4, 3))[y]
    counts, means = ge.class_means(X, y, 4)
    S_w, S_b = ge.within_scatter(X, y, means), ge.between_scatter(counts, means)

    def ratio(W):
        return np.linalg.det(W.T @ S_b @ W) / np.linalg.det(W.T @ S_w @ W)

    model = ge.FisherDiscriminant(n_components=2).fit(X, y)
    assert_allclose(ratio(model.scalings_), model.eigenvalues_.prod())
    rng = np.random.default_rng(7)
    assert max(ratio(rng.normal(size=(3, 2))) for _ in range(2000)) <= model.eigenvalues_.prod()


def test_fisher_refuses_bad_input(three):
    X, y = three
    with pytest.raises(ValueError, match="n_components must be an integer >= 1 and <= 2"):
        ge.FisherDiscriminant(n_components=3).fit(X, y)
    with pytest.raises(ValueError, match="y has 3 classes; fisher_direction takes two"):
        ge.fisher_direction(X, y)
    with pytest.raises(ValueError, match="features are collinear"):
        ge.FisherDiscriminant().fit(np.column_stack([X, X.sum(axis=1)]), y)
    assert ge.FisherDiscriminant(shrinkage=0.1).fit_transform(np.column_stack([X, X.sum(axis=1)]), y).shape == (90, 2)


# Naive Bayes


def test_printed_posterior_does_not_sum_to_one_and_ours_does(weather):
    X, y = weather
    model = ge.CategoricalNB(alpha=0).fit(X, y)
    for row, printed, right in ((["sunny", "cool", "high", "strong"], [0.940800, 0.241975], [0.795417, 0.204583]),
                                (["sunny", "hot", "high", "strong"], [1.8816, 0.1613], [0.921036, 0.078964])):
        joint = np.exp(model.log_joint([row]))[0]
        marginal = np.prod([np.mean(X[:, j] == v) for j, v in enumerate(row)])
        assert_allclose(joint / marginal, printed, atol=1e-4)
        assert_allclose(model.predict_proba([row])[0], right, atol=1e-6)
        by_hand = [np.mean(y == c) * np.prod([np.mean(X[y == c, j] == v) for j, v in enumerate(row)]) for c in ("no", "yes")]
        assert_allclose(joint, by_hand, rtol=1e-12)


@pytest.mark.parametrize("alpha", [0.3, 1.0, 5.0])
def test_text_models_of_scikit_learn(corpus, alpha):
    texts, labels, vocabulary = corpus
    counts = vocabulary.counts(texts)
    for ours, theirs in ((ge.BernoulliNB(alpha), sk.BernoulliNB(alpha=alpha)), (ge.MultinomialNB(alpha), sk.MultinomialNB(alpha=alpha))):
        ours.fit(counts, labels)
        theirs.fit(counts, labels)
        assert_allclose(np.log(ours.probabilities_), theirs.feature_log_prob_, rtol=1e-10)
        assert_allclose(ours.predict_log_proba(counts), theirs.predict_log_proba(counts), rtol=1e-8, atol=1e-8)
        assert_array_equal(ours.predict(counts), theirs.predict(counts))


@pytest.mark.parametrize("alpha", [0.5, 1.0])
def test_categorical_and_gaussian_of_scikit_learn(alpha):
    rng = np.random.default_rng(8)
    X, y = rng.integers(4, size=(200, 5)), rng.integers(3, size=200)
    X[:4] = np.arange(4)[:, None]  # every value occurs
    ours, theirs = ge.CategoricalNB(alpha).fit(X, y), sk.CategoricalNB(alpha=alpha).fit(X, y)
    assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), atol=1e-9)
    Z, t = load_wine(return_X_y=True)
    assert_allclose(ge.GaussianNB().fit(Z, t).predict_proba(Z), sk.GaussianNB().fit(Z, t).predict_proba(Z), atol=1e-8)


def test_gaussian_naive_bayes_is_own_covariances_with_zeros_off_the_diagonal(three):
    X, y = three
    nb = ge.GaussianNB(smoothing=0).fit(X, y)
    full = ge.GaussianDiscriminant("own").fit(X, y)
    assert_allclose(nb.variances_, np.diagonal(full.covariance_, axis1=1, axis2=2))
    diagonal = np.array([np.diag(v) for v in nb.variances_])
    assert_allclose(nb.log_joint(X), ge.gda_log_joint(X, nb.priors_, nb.means_, diagonal), rtol=1e-10)


def test_two_categories_are_bernoulli(corpus):
    texts, labels, vocabulary = corpus
    X = vocabulary.presence(texts)[:, :60]
    both = [[0.0, 1.0]] * 60
    assert_allclose(ge.CategoricalNB(categories=both).fit(X, labels).log_joint(X), ge.BernoulliNB().fit(X, labels).log_joint(X), rtol=1e-10)


def test_event_models_are_distributions():
    rng = np.random.default_rng(9)
    X, y = rng.integers(3, size=(30, 4)), rng.integers(2, size=30)
    bernoulli, multinomial = ge.BernoulliNB().fit(X, y), ge.MultinomialNB().fit(X, y)
    cube = np.array(np.meshgrid(*[[0, 1]] * 4)).reshape(4, -1).T
    assert_allclose(np.exp(bernoulli.log_joint(cube)).sum(), 1)  # all vectors, both classes
    words = np.array(np.meshgrid(*[range(4)] * 3)).reshape(3, -1).T  # all ordered messages of three words
    assert_allclose(np.exp(multinomial.log_joint(np.eye(4)[words].sum(axis=1))).sum(), 1)


def test_maximum_likelihood_of_the_event_models():
    rng = np.random.default_rng(10)
    X, y = rng.integers(1, 3, size=(30, 4)), rng.integers(2, size=30)
    X[0] = 0
    multinomial = ge.MultinomialNB(alpha=0).fit(X, y)
    bernoulli = ge.BernoulliNB(alpha=0, threshold=1).fit(X, y)
    for c in range(2):
        counts, present = X[y == c].sum(axis=0), (X[y == c] > 1)

        def words(z, counts=counts):
            return counts @ np.log(softmax(z))

        def coins(z, present=present):
            return (present * np.log(sigmoid(z)) + (1 - present) * np.log(sigmoid(-z))).sum()

        at = np.log(multinomial.probabilities_[c])
        assert_allclose(numerical_gradient(words, at), 0, atol=1e-5)
        p = bernoulli.probabilities_[c]
        assert_allclose(numerical_gradient(coins, np.log(p / (1 - p))), 0, atol=1e-5)


def test_repeated_words_matter_to_the_multinomial_model_only(corpus):
    texts, labels, vocabulary = corpus
    X = vocabulary.counts(texts)
    messages = vocabulary.counts(["cash for you", "cash cash cash for you"])
    bernoulli, multinomial = ge.BernoulliNB().fit(X, labels), ge.MultinomialNB().fit(X, labels)
    assert_allclose(*bernoulli.predict_proba(messages))
    once, thrice = multinomial.log_joint(messages) @ [-1, 1]
    j = vocabulary.index["cash"]
    step = np.log(multinomial.probabilities_[1, j] / multinomial.probabilities_[0, j])
    assert_allclose(thrice - once, 2 * step)


def test_zero_counts_without_smoothing():
    X, y = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 0]]), np.array([1, 1, 0, 0])
    for model in (ge.BernoulliNB(alpha=0), ge.MultinomialNB(alpha=0), ge.CategoricalNB(alpha=0, categories=[[0, 1]] * 3)):
        model.fit(X, y)
        assert_array_equal(np.isneginf(model.log_joint([[1, 0, 0]])), [[True, False]])
        assert_allclose(model.predict_proba([[1, 0, 0]]), [[0, 1]])
        for method in (model.predict, model.predict_proba):
            with pytest.raises(ValueError, match="row 0 has probability 0 under every class"):
                method([[0, 0, 1]])
        smooth = type(model)(**{**model.get_params(), "alpha": 1.0}).fit(X, y)
        assert np.isfinite(smooth.predict_log_proba([[0, 0, 1]])).all()


def test_laplace_is_the_posterior_mean_under_a_uniform_prior():
    counts = np.array([3, 0])  # heads and tails

    def weight(p):
        return p ** counts[0] * (1 - p) ** counts[1]

    mean = integrate.quad(lambda p: p * weight(p), 0, 1)[0] / integrate.quad(weight, 0, 1)[0]
    assert_allclose(ge.laplace_smooth(counts)[0], mean)
    for alpha in (0.5, 1.0, 4.0):
        draws = stats.dirichlet.mean(np.array([5, 2, 0]) + alpha)
        assert_allclose(ge.laplace_smooth([5, 2, 0], alpha), draws)
    assert_allclose(ge.laplace_smooth([5, 2, 0], 1e9), 1 / 3, atol=1e-8)


def test_laplace_refuses_what_it_cannot_do():
    with pytest.raises(ValueError, match="0/0"):
        ge.laplace_smooth([0, 0], alpha=0)
    with pytest.raises(ValueError, match="counts must be >= 0"):
        ge.laplace_smooth([1, -1])


def test_unseen_category(weather):
    X, y = weather
    model = ge.CategoricalNB().fit(X, y)
    with pytest.raises(ValueError, match="feature 0 has the value snow in row 1.*overcast, rain, sunny.*categories="):
        model.predict([["rain", "hot", "high", "weak"], ["snow", "hot", "high", "weak"]])
    listed = [sorted({*column}) for column in X.T]
    listed[0].append("snow")
    known = ge.CategoricalNB(categories=listed).fit(X, y)
    assert_allclose(known.probabilities_[0].sum(axis=1), 1)
    assert_allclose(known.predict_proba([["snow", "hot", "high", "weak"]]).sum(), 1)
    with pytest.raises(ValueError, match="categories has 2 lists, but X has 4 features"):
        ge.CategoricalNB(categories=[[0], [1]]).fit(X, y)
    with pytest.raises(ValueError, match="X has 3 features, but this model was fitted with 4"):
        model.predict(X[:, :3])
    with pytest.raises(ValueError, match="X must be 2-D"):
        model.fit(X[:, 0], y)
    with pytest.raises(ValueError, match="real numbers"):
        model.fit(np.array([["a", 1.5]] * 14, dtype=object), y)


def test_categories_of_all_kinds_of_columns():
    rng = np.random.default_rng(11)
    y = rng.integers(2, size=60)
    columns = np.column_stack([rng.integers(-3, 4, 60), rng.choice([0.5, 1.5], 60), rng.choice([0.0, 1e9], 60)])
    model = ge.CategoricalNB().fit(columns, y)
    for found, column in zip(model.categories_, columns.T):
        assert_array_equal(found, np.unique(column))
    as_text = ge.CategoricalNB().fit(columns.astype(str).astype(object), y)
    assert_allclose(as_text.predict_proba(columns.astype(str)), model.predict_proba(columns))


def test_zero_variance():
    X, y = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 6.0], [4.0, 7.0]]), [0, 0, 1, 1]
    with pytest.raises(ValueError, match="feature 1 does not vary in class 0"):
        ge.GaussianNB(smoothing=0).fit(X, y)
    assert_allclose(ge.GaussianNB().fit(X, y).variances_[0, 1], 1e-9 * X.var(axis=0).max())
    with pytest.raises(ValueError, match="does not vary"):
        ge.GaussianNB().fit(np.ones((4, 2)), y)


def test_counts_must_not_be_negative():
    with pytest.raises(ValueError, match=r"counts, which must be >= 0, but X\[1, 0\] is -2"):
        ge.MultinomialNB().fit([[1, 2], [-2, 1]], [0, 1])
    with pytest.raises(ValueError, match="class b has no words at all"):
        ge.MultinomialNB(alpha=0).fit([[1, 2], [0, 0]], ["a", "b"])


def test_empty_message_leaves_the_prior_in_the_multinomial_model(corpus):
    texts, labels, vocabulary = corpus
    X = vocabulary.counts(texts)
    assert_allclose(ge.MultinomialNB().fit(X, labels).predict_proba(np.zeros((1, len(vocabulary)))), [[0.6, 0.4]])


def test_copies_of_a_feature_make_naive_bayes_overconfident():
    rng = np.random.default_rng(12)
    y = rng.integers(2, size=400)
    x = (rng.random(400) < np.where(y == 1, 0.7, 0.3)).astype(float)[:, None]
    one, ten = ge.BernoulliNB().fit(x, y), ge.BernoulliNB().fit(np.tile(x, 10), y)
    odds = [np.diff(m.log_joint(z), axis=1) - np.log(m.priors_[1] / m.priors_[0]) for m, z in ((one, x), (ten, np.tile(x, 10)))]
    assert_allclose(odds[1], 10 * odds[0])


# Text


def test_corpus_and_vocabulary(corpus):
    texts, labels, vocabulary = corpus
    assert len(texts) == len(set(texts)) == 120 and set(labels) == {"ham", "spam"}
    reference = CountVectorizer(token_pattern=r"[a-z0-9]+(?:'[a-z0-9]+)*").fit(texts)
    assert vocabulary.words == reference.get_feature_names_out().tolist()
    assert_array_equal(vocabulary.counts(texts), reference.transform(texts).toarray())
    assert vocabulary.presence(texts).max() == 1 and vocabulary.counts(texts).max() == 3
    assert "neurips" not in vocabulary.index and {"buy", "price"} <= set(vocabulary.words)
    assert [vocabulary.words[j] for j in vocabulary.ids("Buy a NeurIPS price!")] == ["buy", "a", "price"]


def test_vocabulary_options_and_errors():
    messages = ["the cat", "the dog"]
    assert ge.Vocabulary.of(messages, min_count=2).words == ["the"]
    assert ge.Vocabulary.of(messages, stop_words=["the"]).words == ["cat", "dog"]
    for empty in ([], ["", "?!"]):
        with pytest.raises(ValueError, match="the vocabulary is empty"):
            ge.Vocabulary.of(empty)
    with pytest.raises(ValueError, match="the vocabulary is empty"):
        ge.Vocabulary.of(messages, stop_words=["the", "cat", "dog"])
    with pytest.raises(ValueError, match="repeats a word"):
        ge.Vocabulary(["a", "a"])
    with pytest.raises(ValueError, match="list of texts, got one text"):
        ge.Vocabulary.of("the cat")
    with pytest.raises(ValueError, match="a message must be text, got int"):
        ge.Vocabulary.of([3])


def test_discretize():
    assert_array_equal(ge.discretize([890, 399.9, 400, 1600, 1416, 2104], [400, 800, 1200, 1600]), [3, 1, 2, 5, 4, 5])
    with pytest.raises(ValueError, match="x must be 1-D"):
        ge.discretize(500, [400, 800])
    with pytest.raises(ValueError, match="edges must increase"):
        ge.discretize([1.0], [2, 1])


# Learning curves


def test_learning_curve_reaches_the_bayes_error():
    def draw(n, rng):
        y = rng.integers(2, size=n)
        return rng.normal(size=(n, 2)) + np.array([1.0, 1.0]) * y[:, None], y

    curve = ge.learning_curve({"gda": ge.GaussianDiscriminant()}, draw, [8, 2000], repeats=10, rng=0)["gda"]
    bayes = stats.norm.cdf(-np.sqrt(2) / 2)
    assert curve[0][0] > curve[0][1]
    assert_allclose(curve[0][1], bayes, atol=4 * np.sqrt(bayes * (1 - bayes) / 10000))
    again = ge.learning_curve({"gda": ge.GaussianDiscriminant()}, draw, [8, 2000], repeats=10, rng=0)["gda"]
    assert_array_equal(curve, again)

    def twice(model, X, y):
        return 1 - model.score(X, y), 2.0

    mean, error = ge.learning_curve({"gda": ge.GaussianDiscriminant()}, draw, [8, 2000], repeats=10, measure=twice, rng=0)["gda"]
    assert_allclose(mean, np.column_stack([curve[0], [2, 2]]), rtol=1e-12)  # the sums run in another order
    assert_allclose(error, np.column_stack([curve[1], [0, 0]]), rtol=1e-9)


def test_learning_curve_gives_up_on_rare_classes():
    def draw(n, rng):
        y = np.zeros(n, int)
        y[:2] = n > 100
        return rng.normal(size=(n, 1)), y

    with pytest.raises(ValueError, match="never held two of each of the 2 classes"):
        ge.learning_curve({"nb": ge.GaussianNB()}, draw, [10], repeats=2, rng=0)
