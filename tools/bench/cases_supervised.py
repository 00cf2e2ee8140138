"""Supervised learning beside scikit-learn and scipy."""

import numpy as np
import torch
from scipy import linalg, optimize, special
from sklearn import calibration, kernel_ridge, linear_model, metrics, multiclass, naive_bayes, neighbors, pipeline, preprocessing, svm
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import pairwise

from mlcore.supervised import generalized_linear_models as glm
from mlcore.supervised import generative_learning as generative
from mlcore.supervised import kernel_methods as kernels
from mlcore.supervised import linear_regression as linear
from mlcore.supervised import logistic_regression as logistic
from mlcore.supervised import neighbors_and_kernel_regression as near
from mlcore.supervised import perceptron as percept
from mlcore.supervised import ridge_lasso_polynomial as penalized
from mlcore.supervised import support_vector_machines as machines
from tools.bench.data import blobs, disagreement, gap, gaps, growing, regression, two_classes
from tools.bench.measure import case

WIDE = growing("n", 1_000, 5_000, 25_000, d=50)


def module(chapter, name):
    """The full name of something of a chapter of this part."""
    return f"mlcore.supervised.{chapter}.{name}"


# Linear regression


@case("least squares", module("linear_regression", "LinearRegression"), "sklearn.linear_model.LinearRegression", 2, WIDE)
def least_squares(n, d):
    X, y = regression(n, d)
    return (lambda: linear.LinearRegression().fit(X, y), lambda: linear_model.LinearRegression().fit(X, y),
            lambda ours, theirs: gaps((ours.coef_, theirs.coef_), (ours.intercept_, theirs.intercept_)))


@case("weighted least squares", module("linear_regression", "weighted_least_squares"), "sklearn.linear_model.LinearRegression", 2, WIDE)
def weighted_least_squares(n, d):
    X, y = regression(n, d)
    weights = np.random.default_rng(1).uniform(0.1, 2, n)
    return (lambda: linear.weighted_least_squares(X, y, weights),
            lambda: linear_model.LinearRegression(fit_intercept=False).fit(X, y, sample_weight=weights).coef_, gap)


EQUATIONS = {
    "normal_equations": ("normal equations", lambda X, y: linalg.solve(X.T @ X, X.T @ y, assume_a="pos"), "scipy.linalg.solve"),
    "qr_least_squares": ("least squares by QR", lambda X, y: linalg.lstsq(X, y, lapack_driver="gelsy")[0], "scipy.linalg.lstsq"),
    "svd_least_squares": ("least squares by SVD", lambda X, y: linalg.lstsq(X, y, lapack_driver="gelsd")[0], "scipy.linalg.lstsq"),
}


def equations_case(ours, theirs):
    """Build function of a way to solve a least-squares problem."""
    def build(n, d):
        X, y = regression(n, d)
        return (lambda: ours(X, y), lambda: theirs(X, y), lambda a, b: gap(a[0] if isinstance(a, tuple) else a, b))
    return build


for _ours, (_name, _theirs, _reference) in EQUATIONS.items():
    case(_name, module("linear_regression", _ours), _reference, 2, WIDE)(equations_case(getattr(linear, _ours), _theirs))


@case("stochastic LMS", module("linear_regression", "stochastic_gradient_descent"), "sklearn.linear_model.SGDRegressor", 10,
      growing("n", 1_000, 3_000, 10_000, d=20))
def stochastic_lms(n, d):
    X, y = regression(n, d)
    theirs = linear_model.SGDRegressor(penalty=None, fit_intercept=False, learning_rate="constant", eta0=0.01, shuffle=False,
                                       tol=None, max_iter=5)
    return (lambda: linear.stochastic_gradient_descent(X, y, 0.01, tol=0.0, epochs=5).theta, lambda: theirs.fit(X, y).coef_, gap)


@case("Huber regression", module("linear_regression", "RobustRegression"), "scipy.optimize.least_squares", 2,
      growing("n", 1_000, 5_000, 20_000, d=10), note="the same minimum, found by another method")
def huber(n, d):
    X, y = regression(n, d)
    y[::10] += 20
    Z = linear.add_intercept(X)

    def theirs():
        return optimize.least_squares(lambda t: Z @ t - y, np.zeros(d + 1), jac=lambda t: Z, loss="huber", f_scale=1.0,
                                      xtol=1e-12, ftol=1e-14, gtol=1e-12).x

    return (lambda: linear.RobustRegression(delta=1.0).fit(X, y), theirs,
            lambda ours, theirs: gap([ours.intercept_, *ours.coef_], theirs))


@case("least absolute deviations", module("linear_regression", "RobustRegression"), "sklearn.linear_model.QuantileRegressor", 2,
      growing("n", 200, 500, 1_000, d=5), note="the same minimum, found by another method; the difference is that of the objective")
def least_absolute(n, d):
    X, y = regression(n, d)
    y[::10] += 20

    def objective(model):
        return np.abs(y - model.predict(X)).sum()

    return (lambda: linear.RobustRegression(loss="absolute").fit(X, y),
            lambda: linear_model.QuantileRegressor(quantile=0.5, alpha=0).fit(X, y),
            lambda ours, theirs: abs(objective(ours) / objective(theirs) - 1))


@case("Huber loss", module("linear_regression", "huber_loss"), "scipy.special.huber", 2, growing("n", 10_000, 100_000, 1_000_000))
def huber_loss(n):
    r = 2 * np.random.default_rng(0).normal(size=n)
    return lambda: linear.huber_loss(r, 1.5), lambda: special.huber(1.5, r), gap


@case("standardized columns", module("linear_regression", "Standardizer"), "sklearn.preprocessing.StandardScaler", 2, WIDE)
def standardizer(n, d):
    X = 3 + 2 * regression(n, d)[0]
    return (lambda: linear.Standardizer().fit_transform(X), lambda: preprocessing.StandardScaler().fit_transform(X), gap)


# Ridge, lasso, polynomials


@case("ridge regression", module("ridge_lasso_polynomial", "Ridge"), "sklearn.linear_model.Ridge", 2, WIDE)
def ridge(n, d):
    X, y = regression(n, d)
    return (lambda: penalized.Ridge(alpha=1.0).fit(X, y), lambda: linear_model.Ridge(alpha=1.0).fit(X, y),
            lambda ours, theirs: gap(ours.coef_, theirs.coef_))


@case("ridge regression, more features than rows", module("ridge_lasso_polynomial", "Ridge"), "sklearn.linear_model.Ridge", 2,
      growing("d", 500, 2_000, 8_000, n=200))
def wide_ridge(n, d):
    X, y = regression(n, d)
    return (lambda: penalized.Ridge(alpha=1.0).fit(X, y), lambda: linear_model.Ridge(alpha=1.0).fit(X, y),
            lambda ours, theirs: gap(ours.coef_, theirs.coef_))


@case("lasso, coordinate descent", module("ridge_lasso_polynomial", "Lasso"), "sklearn.linear_model.Lasso", 10,
      growing("d", 50, 200, 800, n=1_000))
def lasso(n, d):
    X, y = regression(n, d, informative=20)
    alpha = 0.1 * n
    return (lambda: penalized.Lasso(alpha=alpha, tol=1e-10).fit(X, y),
            lambda: linear_model.Lasso(alpha=alpha / n, tol=1e-10, max_iter=100_000).fit(X, y),
            lambda ours, theirs: gap(ours.coef_, theirs.coef_))


@case("lasso path", module("ridge_lasso_polynomial", "lasso_path"), "sklearn.linear_model.lasso_path", 10,
      growing("d", 50, 200, 400, n=1_000))
def lasso_path(n, d):
    X, y = regression(n, d, informative=20)
    alphas = np.geomspace(1, 0.01, 30) * penalized.max_alpha(X, y)
    return (lambda: penalized.lasso_path(X, y, alphas, tol=1e-10).coefs,
            lambda: linear_model.lasso_path(X, y, alphas=alphas / n, tol=1e-10, max_iter=100_000)[1].T, gap)


@case("polynomial features", module("ridge_lasso_polynomial", "PolynomialFeatures"), "sklearn.preprocessing.PolynomialFeatures", 2,
      growing("n", 1_000, 10_000, 50_000, d=8, degree=3))
def polynomial_features(n, d, degree):
    X = regression(n, d)[0]
    return (lambda: penalized.PolynomialFeatures(degree).fit(X).transform(X),
            lambda: preprocessing.PolynomialFeatures(degree).fit_transform(X), gap)


@case("polynomial regression", module("ridge_lasso_polynomial", "BasisRegression"), "sklearn.pipeline.make_pipeline", 2,
      growing("n", 1_000, 10_000, 100_000, degree=6), note="Legendre basis; PolynomialFeatures and LinearRegression in the reference")
def basis_regression(n, degree):
    x = np.random.default_rng(0).uniform(-1, 1, (n, 1))
    y = np.sin(3 * x.ravel()) + 0.1 * np.random.default_rng(1).normal(size=n)
    theirs = pipeline.make_pipeline(preprocessing.PolynomialFeatures(degree, include_bias=False), linear_model.LinearRegression())
    return (lambda: penalized.BasisRegression(size=degree).fit(x, y), lambda: theirs.fit(x, y),
            lambda ours, theirs: gap(ours.predict(x[:1000]), theirs.predict(x[:1000])))


@case("soft threshold", module("ridge_lasso_polynomial", "soft_threshold"), "torch.nn.functional.softshrink", 2,
      growing("n", 10_000, 100_000, 1_000_000))
def soft_threshold(n):
    z = np.random.default_rng(0).normal(size=n)
    tensor = torch.tensor(z)
    return lambda: penalized.soft_threshold(z, 0.5), lambda: torch.nn.functional.softshrink(tensor, 0.5).numpy(), gap


@case("Chebyshev polynomials", module("ridge_lasso_polynomial", "chebyshev_basis"), "scipy.special.eval_chebyt", 2,
      growing("n", 1_000, 10_000, 100_000, degree=10))
def chebyshev(n, degree):
    x = np.random.default_rng(0).uniform(-1, 1, n)
    return lambda: penalized.chebyshev_basis(x, degree), lambda: special.eval_chebyt(np.arange(degree + 1), x[:, None]), gap


# Logistic and softmax regression, generalized linear models


@case("logistic regression, Newton", module("logistic_regression", "LogisticRegression"), "sklearn.linear_model.LogisticRegression", 2,
      growing("n", 1_000, 10_000, 100_000, d=20))
def logistic_newton(n, d):
    X, y = two_classes(n, d)
    return (lambda: logistic.LogisticRegression(alpha=1.0).fit(X, y),
            lambda: linear_model.LogisticRegression(C=1.0, solver="newton-cholesky", tol=1e-8).fit(X, y),
            lambda ours, theirs: gap(ours.coef_, theirs.coef_[0]))


@case("softmax regression, Newton", module("logistic_regression", "SoftmaxRegression"), "sklearn.linear_model.LogisticRegression", 2,
      growing("n", 1_000, 5_000, 20_000, d=10, k=4))
def softmax_newton(n, d, k):
    X, y = blobs(n, d, k, spread=10.0)
    return (lambda: logistic.SoftmaxRegression(alpha=1.0).fit(X, y),
            lambda: linear_model.LogisticRegression(C=1.0, solver="newton-cholesky", tol=1e-8).fit(X, y),
            lambda ours, theirs: gap(ours.predict_proba(X), theirs.predict_proba(X)))


@case("stochastic gradient ascent", module("logistic_regression", "stochastic_gradient_ascent"), "sklearn.linear_model.SGDClassifier", 10,
      growing("n", 1_000, 3_000, 10_000, d=10))
def stochastic_ascent(n, d):
    X, y = two_classes(n, d)
    theirs = linear_model.SGDClassifier(loss="log_loss", penalty=None, fit_intercept=False, learning_rate="constant", eta0=0.01,
                                        shuffle=False, tol=None, max_iter=5)
    return (lambda: logistic.stochastic_gradient_ascent(X, y, 0.01, epochs=5, shuffle=False).x, lambda: theirs.fit(X, y).coef_[0], gap)


@case("logits of probabilities", module("logistic_regression", "logit"), "scipy.special.logit", 2, growing("n", 10_000, 100_000, 1_000_000))
def logits(n):
    p = np.random.default_rng(0).uniform(0.01, 0.99, n)
    return lambda: logistic.logit(p), lambda: special.logit(p), gap


@case("logistic loss", module("logistic_regression", "logistic_loss"), "torch.nn.functional.binary_cross_entropy_with_logits", 2,
      growing("n", 10_000, 100_000, 1_000_000))
def logistic_loss(n):
    t, y = 3 * np.random.default_rng(0).normal(size=n), np.random.default_rng(1).integers(2, size=n).astype(float)
    tensors = torch.tensor(t), torch.tensor(y)
    return (lambda: logistic.logistic_loss(t, y),
            lambda: torch.nn.functional.binary_cross_entropy_with_logits(*tensors, reduction="none").numpy(), gap)


@case("cross-entropy of classes", module("logistic_regression", "cross_entropy_loss"), "torch.nn.functional.cross_entropy", 2,
      growing("n", 1_000, 10_000, 100_000, k=10))
def cross_entropy(n, k):
    T, y = 3 * np.random.default_rng(0).normal(size=(n, k)), np.random.default_rng(1).integers(k, size=n)
    tensors = torch.tensor(T), torch.tensor(y)
    return (lambda: logistic.cross_entropy_loss(T, y), lambda: torch.nn.functional.cross_entropy(*tensors, reduction="none").numpy(), gap)


@case("indicators of classes", module("logistic_regression", "one_hot"), "sklearn.preprocessing.label_binarize", 2,
      growing("n", 1_000, 10_000, 100_000, k=10))
def one_hot(n, k):
    y = np.random.default_rng(0).integers(k, size=n)
    return lambda: logistic.one_hot(y, k), lambda: preprocessing.label_binarize(y, classes=range(k)), gap


@case("Brier score", module("logistic_regression", "brier_score"), "sklearn.metrics.brier_score_loss", 2,
      growing("n", 1_000, 10_000, 100_000))
def brier(n):
    p = np.random.default_rng(0).random(n)
    y = (np.random.default_rng(1).random(n) < p).astype(int)
    return lambda: logistic.brier_score(y, p), lambda: metrics.brier_score_loss(y, p), gap


@case("reliability diagram", module("logistic_regression", "reliability"), "sklearn.calibration.calibration_curve", 2,
      growing("n", 10_000, 100_000, 1_000_000))
def reliability(n):
    p = np.random.default_rng(0).random(n)
    y = (np.random.default_rng(1).random(n) < p).astype(int)
    return (lambda: logistic.reliability(y, p, n_bins=10), lambda: calibration.calibration_curve(y, p, n_bins=10),
            lambda ours, theirs: gaps((ours.frequency, theirs[0]), (ours.forecast, theirs[1])))


def glm_case(family, power, draw):
    """Build function of a family with the logarithm as link."""
    def build(n, d):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, d))
        y = draw(rng, np.exp(0.5 + X @ rng.normal(scale=0.2, size=d)))
        name = glm.tweedie(power) if family == "tweedie" else family
        reference = linear_model.TweedieRegressor(power=power, link="log", alpha=0.01, solver="newton-cholesky", tol=1e-9, max_iter=500)
        return (lambda: glm.GeneralizedLinearModel(name, "log", alpha=0.01 * n).fit(X, y), lambda: reference.fit(X, y),
                lambda ours, theirs: gaps((ours.coef_, theirs.coef_), (ours.intercept_, theirs.intercept_)))
    return build


GLMS = {"poisson": (1, lambda rng, mu: rng.poisson(mu)), "gamma": (2, lambda rng, mu: rng.gamma(2.0, mu / 2)),
        "tweedie": (1.5, lambda rng, mu: glm.tweedie(1.5).draw(mu, 1.0, rng))}
for _family, (_power, _draw) in GLMS.items():
    case(f"{_family if _family != 'poisson' else 'Poisson'} regression, Fisher scoring".replace("tweedie", "Tweedie"),
         module("generalized_linear_models", "GeneralizedLinearModel"), "sklearn.linear_model.TweedieRegressor", 2,
         growing("n", 1_000, 10_000, 100_000, d=20))(glm_case(_family, _power, _draw))


@case("Poisson deviance", module("generalized_linear_models", "deviance"), "sklearn.metrics.mean_poisson_deviance", 2,
      growing("n", 1_000, 10_000, 100_000))
def deviance(n):
    mu = np.random.default_rng(0).uniform(0.5, 5, n)
    y = np.random.default_rng(1).poisson(mu)
    return lambda: glm.deviance(y, mu) / n, lambda: metrics.mean_poisson_deviance(y, mu), gap


@case("categorical regression, Newton", module("generalized_linear_models", "CategoricalGLM"),
      "sklearn.linear_model.LogisticRegression", 2, growing("n", 1_000, 5_000, 20_000, d=10, k=4))
def categorical_glm(n, d, k):
    X, y = blobs(n, d, k, spread=10.0)
    return (lambda: glm.CategoricalGLM().fit(X, y),
            lambda: linear_model.LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-8).fit(X, y),
            lambda ours, theirs: gap(ours.predict_proba(X), theirs.predict_proba(X)))


# Perceptrons


@case("perceptron, ten passes", module("perceptron", "Perceptron"), "sklearn.linear_model.Perceptron", 10,
      growing("n", 1_000, 10_000, 50_000, d=20))
def perceptron(n, d):
    X, y = two_classes(n, d, spread=0.05)
    return (lambda: percept.Perceptron(max_iter=10).fit(X, y),
            lambda: linear_model.Perceptron(shuffle=False, tol=None, max_iter=10).fit(X, y),
            lambda ours, theirs: gaps((ours.coef_, theirs.coef_[0]), (ours.intercept_, theirs.intercept_[0])))


def averaged(passes):
    """scikit-learn's averaged perceptron."""
    return linear_model.SGDClassifier(loss="perceptron", penalty=None, learning_rate="constant", eta0=1.0, average=True, shuffle=False,
                                      tol=None, max_iter=passes)


@case("averaged perceptron, ten passes", module("perceptron", "AveragedPerceptron"), "sklearn.linear_model.SGDClassifier", 10,
      growing("n", 1_000, 10_000, 50_000, d=20))
def averaged_perceptron(n, d):
    X, y = two_classes(n, d, spread=0.05)
    return (lambda: percept.AveragedPerceptron(max_iter=10).fit(X, y), lambda: averaged(10).fit(X, y),
            lambda ours, theirs: gaps((ours.coef_, theirs.coef_[0]), (ours.intercept_, theirs.intercept_[0])))


def reduction(ours, theirs):
    """Build function of a reduction to two classes."""
    def build(n, d, k):
        X, y = blobs(n, d, k)
        return (lambda: ours(percept.AveragedPerceptron(max_iter=5)).fit(X, y), lambda: theirs(averaged(5)).fit(X, y),
                lambda a, b: gap(a.decision_function(X), b.decision_function(X)))
    return build


case("one against the rest", module("perceptron", "OneVsRest"), "sklearn.multiclass.OneVsRestClassifier", 10,
     growing("n", 1_000, 5_000, 20_000, d=20, k=5))(reduction(percept.OneVsRest, multiclass.OneVsRestClassifier))
case("one against one", module("perceptron", "OneVsOne"), "sklearn.multiclass.OneVsOneClassifier", 10,
     growing("n", 1_000, 5_000, 20_000, d=20, k=5))(reduction(percept.OneVsOne, multiclass.OneVsOneClassifier))


# Generative models


@case("linear discriminant analysis", module("generative_learning", "GaussianDiscriminant"),
      "sklearn.discriminant_analysis.LinearDiscriminantAnalysis", 2, growing("n", 1_000, 10_000, 100_000, d=20, k=3))
def lda(n, d, k):
    X, y = blobs(n, d, k, spread=10.0)
    return (lambda: generative.GaussianDiscriminant().fit(X, y), lambda: LinearDiscriminantAnalysis(solver="lsqr").fit(X, y),
            lambda ours, theirs: gap(ours.predict_proba(X[:1000]), theirs.predict_proba(X[:1000])))


@case("quadratic discriminant analysis", module("generative_learning", "GaussianDiscriminant"),
      "sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis", 2, growing("n", 1_000, 10_000, 100_000, d=20, k=3))
def qda(n, d, k):
    X, y = blobs(n, d, k, spread=10.0)
    return (lambda: generative.GaussianDiscriminant("own").fit(X, y), lambda: QuadraticDiscriminantAnalysis().fit(X, y),
            lambda ours, theirs: gap(ours.predict_proba(X[:1000]), theirs.predict_proba(X[:1000])))


@case("quadratic discriminant, predict", module("generative_learning", "GaussianDiscriminant"),
      "sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis", 2, growing("n", 1_000, 10_000, 100_000, d=20, k=3))
def qda_predict(n, d, k):
    X, y = blobs(n, d, k, spread=10.0)
    ours, theirs = generative.GaussianDiscriminant("own").fit(X, y), QuadraticDiscriminantAnalysis().fit(X, y)
    return lambda: ours.predict_proba(X), lambda: theirs.predict_proba(X), gap


@case("Fisher's discriminant", module("generative_learning", "FisherDiscriminant"),
      "sklearn.discriminant_analysis.LinearDiscriminantAnalysis", 2, growing("n", 1_000, 10_000, 100_000, d=20, k=3))
def fisher(n, d, k):
    X, y = blobs(n, d, k, spread=10.0)

    def difference(ours, theirs):
        Z, reference = ours.transform(X), theirs.transform(X)[:, :k - 1]
        reference = reference - reference.mean(axis=0)
        return gap(Z * np.sign((Z * reference).sum(axis=0)), reference)

    return (lambda: generative.FisherDiscriminant().fit(X, y), lambda: LinearDiscriminantAnalysis(solver="eigen").fit(X, y), difference)


@case("Gaussian naive Bayes", module("generative_learning", "GaussianNB"), "sklearn.naive_bayes.GaussianNB", 2,
      growing("n", 1_000, 10_000, 100_000, d=20, k=3))
def gaussian_nb(n, d, k):
    X, y = blobs(n, d, k, spread=10.0)
    return (lambda: generative.GaussianNB().fit(X, y), lambda: naive_bayes.GaussianNB().fit(X, y),
            lambda ours, theirs: gap(ours.predict_proba(X[:1000]), theirs.predict_proba(X[:1000])))


@case("Gaussian naive Bayes, predict", module("generative_learning", "GaussianNB"), "sklearn.naive_bayes.GaussianNB", 2,
      growing("n", 1_000, 10_000, 100_000, d=20, k=3))
def gaussian_nb_predict(n, d, k):
    X, y = blobs(n, d, k, spread=10.0)
    ours, theirs = generative.GaussianNB().fit(X, y), naive_bayes.GaussianNB().fit(X, y)
    return lambda: ours.predict_proba(X), lambda: theirs.predict_proba(X), gap


def counts(n, d, k=3):
    """Word counts of texts of k kinds."""
    rng = np.random.default_rng(0)
    y = rng.integers(k, size=n)
    return rng.poisson(rng.uniform(0.05, 0.5, (k, d))[y]), y


def counting_case(ours, theirs):
    """Build function of a naive Bayes model of counts."""
    def build(n, d):
        X, y = counts(n, d)
        X = np.minimum(X, 2)  # values 0, 1, 2 in every column: a reference fills gaps in the values, mlcore does not
        return (lambda: ours().fit(X, y), lambda: theirs().fit(X, y),
                lambda a, b: gap(a.predict_proba(X[:1000]), b.predict_proba(X[:1000])))
    return build


for _name in ("BernoulliNB", "MultinomialNB", "CategoricalNB"):
    case(f"{_name.removesuffix('NB')} naive Bayes", module("generative_learning", _name), f"sklearn.naive_bayes.{_name}", 2,
         growing("n", 1_000, 5_000, 25_000, d=100))(counting_case(getattr(generative, _name), getattr(naive_bayes, _name)))


@case("bag of words", module("generative_learning", "Vocabulary"), "sklearn.feature_extraction.text.CountVectorizer", 10,
      growing("n", 100, 1_000, 5_000))
def bag_of_words(n):
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(500)]
    texts = [" ".join(rng.choice(words, 30)) for _ in range(n)]
    theirs = CountVectorizer(token_pattern=r"[a-z0-9]+(?:'[a-z0-9]+)*")
    return (lambda: generative.Vocabulary.of(texts).counts(texts), lambda: theirs.fit_transform(texts).toarray(), gap)


# Kernels


@case("Gaussian Gram matrix", module("kernel_methods", "gaussian_kernel"), "sklearn.metrics.pairwise.rbf_kernel", 2,
      growing("n", 500, 1_000, 2_000, d=20))
def gaussian_gram(n, d):
    X = regression(n, d)[0]
    return (lambda: kernels.gaussian_kernel(X, bandwidth=3.0), lambda: pairwise.rbf_kernel(X, gamma=1 / 18), gap)


@case("linear Gram matrix", module("kernel_methods", "linear_kernel"), "sklearn.metrics.pairwise.linear_kernel", 2,
      growing("n", 500, 1_000, 2_000, d=20))
def linear_gram(n, d):
    X = regression(n, d)[0]
    return lambda: kernels.linear_kernel(X), lambda: pairwise.linear_kernel(X), gap


@case("squared distances", module("kernel_methods", "squared_distances"), "sklearn.metrics.pairwise.euclidean_distances", 2,
      growing("n", 500, 1_000, 2_000, d=20))
def squared_distances(n, d):
    X = regression(n, d)[0]
    return lambda: kernels.squared_distances(X), lambda: pairwise.euclidean_distances(X, squared=True), gap


@case("polynomial Gram matrix", module("kernel_methods", "polynomial_kernel"), "sklearn.metrics.pairwise.polynomial_kernel", 2,
      growing("n", 500, 1_000, 2_000, d=20))
def polynomial_gram(n, d):
    X = regression(n, d)[0]
    return (lambda: kernels.polynomial_kernel(X, degree=3, scale=0.1),
            lambda: pairwise.polynomial_kernel(X, degree=3, gamma=0.1, coef0=1.0), gap)


@case("kernel ridge regression", module("kernel_methods", "KernelRidge"), "sklearn.kernel_ridge.KernelRidge", 2,
      growing("n", 500, 1_000, 2_000, d=10))
def kernel_ridge_fit(n, d):
    X, y = regression(n, d)
    return (lambda: kernels.KernelRidge(bandwidth=3.0).fit(X, y),
            lambda: kernel_ridge.KernelRidge(kernel="rbf", gamma=1 / 18).fit(X, y),
            lambda ours, theirs: gap(ours.dual_coef_, theirs.dual_coef_))


@case("kernel ridge regression, predict", module("kernel_methods", "KernelRidge"), "sklearn.kernel_ridge.KernelRidge", 2,
      growing("n", 500, 1_000, 2_000, d=10))
def kernel_ridge_predict(n, d):
    X, y = regression(n, d)
    ours, theirs = kernels.KernelRidge(bandwidth=3.0).fit(X, y), kernel_ridge.KernelRidge(kernel="rbf", gamma=1 / 18).fit(X, y)
    new = regression(n, d, seed=1)[0]
    return lambda: ours.predict(new), lambda: theirs.predict(new), gap


@case("spectrum kernel of texts", module("kernel_methods", "spectrum_kernel"), "sklearn.feature_extraction.text.CountVectorizer", 10,
      growing("n", 100, 300, 1_000))
def spectrum(n):
    rng = np.random.default_rng(0)
    texts = ["".join(rng.choice(list("abcdefghi"), 60)) for _ in range(n)]
    vectorizer = CountVectorizer(analyzer="char", ngram_range=(3, 3), lowercase=False)

    def theirs():
        F = vectorizer.fit_transform(texts)
        return (F @ F.T).toarray()

    return lambda: kernels.spectrum_kernel(texts, length=3, normalize=False), theirs, gap


# Neighbors


@case("k nearest neighbors, classify", module("neighbors_and_kernel_regression", "KNeighborsClassifier"),
      "sklearn.neighbors.KNeighborsClassifier", 2, growing("n", 1_000, 4_000, 16_000, d=20, queries=1_000))
def knn_classifier(n, d, queries):
    X, y = two_classes(n + queries, d)
    ours = near.KNeighborsClassifier(5).fit(X[:n], y[:n])
    theirs = neighbors.KNeighborsClassifier(5, algorithm="brute").fit(X[:n], y[:n])
    return lambda: ours.predict(X[n:]), lambda: theirs.predict(X[n:]), disagreement


@case("k nearest rows", module("neighbors_and_kernel_regression", "k_nearest"), "sklearn.neighbors.NearestNeighbors", 2,
      growing("n", 1_000, 4_000, 16_000, d=20, queries=1_000))
def k_nearest(n, d, queries):
    X = regression(n + queries, d)[0]
    theirs = neighbors.NearestNeighbors(n_neighbors=5, algorithm="brute").fit(X[:n])
    return (lambda: near.k_nearest(X[:n], X[n:], 5), lambda: theirs.kneighbors(X[n:]),
            lambda a, b: max(gap(a[0], b[0]), disagreement(a[1], b[1])))


@case("k nearest neighbors, regression", module("neighbors_and_kernel_regression", "KNeighborsRegressor"),
      "sklearn.neighbors.KNeighborsRegressor", 2, growing("n", 1_000, 4_000, 16_000, d=20, queries=1_000))
def knn_regressor(n, d, queries):
    X, y = regression(n + queries, d)
    ours = near.KNeighborsRegressor(5, weights="distance").fit(X[:n], y[:n])
    theirs = neighbors.KNeighborsRegressor(5, weights="distance", algorithm="brute").fit(X[:n], y[:n])
    return lambda: ours.predict(X[n:]), lambda: theirs.predict(X[n:]), gap


@case("k-d tree, 100 queries", module("neighbors_and_kernel_regression", "KDTree"), "sklearn.neighbors.KDTree", 10,
      growing("n", 1_000, 4_000, 16_000, d=3))
def kd_tree(n, d):
    X, Q = regression(n, d)[0], regression(100, d, seed=1)[0]
    ours, theirs = near.KDTree(X), neighbors.KDTree(X)
    return lambda: ours.query_many(Q, 3)[0], lambda: theirs.query(Q, 3)[0], gap


@case("kernel density estimate", module("neighbors_and_kernel_regression", "KernelDensity"), "sklearn.neighbors.KernelDensity", 2,
      growing("n", 500, 2_000, 8_000, d=2, queries=500))
def kernel_density(n, d, queries):
    X = regression(n + queries, d)[0]
    ours = near.KernelDensity(0.5).fit(X[:n])
    theirs = neighbors.KernelDensity(bandwidth=0.5).fit(X[:n])
    return lambda: ours.score_samples(X[n:]), lambda: theirs.score_samples(X[n:]), gap


# Support vector machines


def svc_case(settings, theirs):
    """Build function of a kernel machine."""
    def build(n, d):
        X, y = two_classes(n, d, spread=0.3)
        y = np.where(X[:, 0] * X[:, 1] > 1, 1 - y, y)
        return (lambda: machines.SVC(C=1.0, **settings).fit(X, y), lambda: svm.SVC(C=1.0, **theirs).fit(X, y),
                lambda a, b: gap(a.decision_function(X), b.decision_function(X)))
    return build


SVCS = {"Gaussian": ({"bandwidth": 3.0}, {"gamma": 1 / 18}), "linear": ({"kernel": "linear"}, {"kernel": "linear"}),
        "polynomial": ({"kernel": "polynomial", "scale": 0.1}, {"kernel": "poly", "gamma": 0.1, "coef0": 1.0})}
for _kernel, _settings in SVCS.items():
    case(f"support vector classifier, {_kernel}", module("support_vector_machines", "SVC"), "sklearn.svm.SVC", 10,
         growing("n", 400, 800, 1_600, d=10))(svc_case(*_settings))


@case("support vector classifier, predict", module("support_vector_machines", "SVC"), "sklearn.svm.SVC", 2,
      growing("n", 500, 1_000, 2_000, d=10))
def svc_predict(n, d):
    X, y = two_classes(n, d, spread=0.3)
    ours, theirs = machines.SVC(bandwidth=3.0, tol=1e-6).fit(X, y), svm.SVC(gamma=1 / 18, tol=1e-6).fit(X, y)
    return lambda: ours.decision_function(X), lambda: theirs.decision_function(X), gap


@case("support vector regression", module("support_vector_machines", "SVR"), "sklearn.svm.SVR", 10, growing("n", 400, 800, 1_600, d=10))
def svr(n, d):
    X = regression(n, d)[0]
    y = np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.1 * np.random.default_rng(1).normal(size=n)
    return (lambda: machines.SVR(bandwidth=3.0).fit(X, y), lambda: svm.SVR(gamma=1 / 18).fit(X, y),
            lambda ours, theirs: gap(ours.predict(X), theirs.predict(X)))


@case("linear support vector classifier", module("support_vector_machines", "LinearSVC"), "sklearn.svm.LinearSVC", 10,
      growing("n", 1_000, 5_000, 20_000, d=20))
def linear_svc(n, d):
    X, y = two_classes(n, d, spread=0.3)
    signs = 2 * y - 1

    def objective(model):
        w, b = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])
        return 0.5 * (w @ w + b * b) + np.maximum(0, 1 - signs * (X @ w + b)).sum()

    return (lambda: machines.LinearSVC(C=1.0, tol=1e-4).fit(X, y),
            lambda: svm.LinearSVC(C=1.0, loss="hinge", tol=1e-4, max_iter=20_000, random_state=0).fit(X, y),
            lambda ours, theirs: abs(objective(ours) / objective(theirs) - 1))
