"""Mathematics, data, optimization beside scipy, scikit-learn and torch."""

import io

import numpy as np
import torch
from scipy import linalg, optimize, special, stats
from scipy.sparse import csgraph
from scipy.spatial import distance
from sklearn import datasets, dummy, metrics, model_selection

from mlcore.foundations import constrained_optimization as constrained
from mlcore.foundations import data_and_tasks as data
from mlcore.foundations import gradient_descent as descent
from mlcore.foundations import mathematics
from tools.bench.data import blobs, gap, gaps, growing, regression, two_classes
from tools.bench.measure import case


def module(chapter, name):
    """The full name of something of a chapter of this part."""
    return f"mlcore.foundations.{chapter}.{name}"


def array_case(ours, theirs, make):
    """Build function of a function of one array (n, ...)."""
    def build(n):
        A = make(np.random.default_rng(0), n)
        return lambda: ours(A), lambda: theirs(A), gap
    return build


def normals(rng, n):
    """Scores of ten classes."""
    return 3 * rng.normal(size=(n, 10))


def shares(rng, n):
    """Distributions over ten values."""
    return rng.dirichlet(np.ones(10), size=n)


def covariance(d, seed=0):
    """A positive definite matrix."""
    A = np.random.default_rng(seed).normal(size=(2 * d, d))
    return A.T @ A / (2 * d) + 0.1 * np.eye(d)


# Mathematics

ARRAYS = {
    "sigmoid": ("sigmoid", lambda a: mathematics.sigmoid(a), special.expit, "scipy.special.expit", normals),
    "log_sigmoid": ("log of the sigmoid", lambda a: mathematics.log_sigmoid(a), special.log_expit, "scipy.special.log_expit", normals),
    "logsumexp": ("log-sum-exp", lambda a: mathematics.logsumexp(a, axis=1), lambda a: special.logsumexp(a, axis=1),
                  "scipy.special.logsumexp", normals),
    "softmax": ("softmax", lambda a: mathematics.softmax(a, axis=1), lambda a: special.softmax(a, axis=1),
                "scipy.special.softmax", normals),
    "log_softmax": ("log-softmax", lambda a: mathematics.log_softmax(a, axis=1), lambda a: special.log_softmax(a, axis=1),
                    "scipy.special.log_softmax", normals),
    "entropy": ("entropy", lambda p: mathematics.entropy(p, axis=1), lambda p: stats.entropy(p, axis=1), "scipy.stats.entropy", shares),
    "kl_divergence": ("Kullback-Leibler divergence", lambda p: mathematics.kl_divergence(p, p[::-1], axis=1),
                      lambda p: stats.entropy(p, p[::-1], axis=1), "scipy.stats.entropy", shares),
}
for _function, (_name, _ours, _theirs, _reference, _make) in ARRAYS.items():
    case(_name, module("mathematics", _function), _reference, 2, growing("n", 1_000, 10_000, 100_000))(array_case(_ours, _theirs, _make))


@case("mutual information of a table", module("mathematics", "mutual_information"), "sklearn.metrics.mutual_info_score", 2,
      growing("k", 10, 100, 1_000))
def mutual_information(k):
    table = np.random.default_rng(0).integers(1, 50, size=(k, k))
    joint = table / table.sum()
    return (lambda: mathematics.mutual_information(joint), lambda: metrics.mutual_info_score(None, None, contingency=table), gap)


@case("Gaussian log-density", module("mathematics", "log_gaussian"), "scipy.stats.multivariate_normal", 2,
      growing("n", 1_000, 10_000, 100_000, d=10))
def log_gaussian(n, d):
    X, Sigma = regression(n, d)[0], covariance(d)
    return (lambda: mathematics.log_gaussian(X, np.zeros(d), Sigma), lambda: stats.multivariate_normal(np.zeros(d), Sigma).logpdf(X), gap)


@case("Mahalanobis distances", module("mathematics", "squared_mahalanobis"), "scipy.spatial.distance.cdist", 2,
      growing("n", 1_000, 10_000, 100_000, d=10))
def mahalanobis(n, d):
    X, Sigma = regression(n, d)[0], covariance(d)
    return (lambda: mathematics.squared_mahalanobis(X, np.zeros(d), Sigma),
            lambda: distance.cdist(X, np.zeros((1, d)), "mahalanobis", VI=np.linalg.inv(Sigma)).ravel() ** 2, gap)


@case("divergence of two Gaussians", module("mathematics", "gaussian_kl"), "torch.distributions.kl_divergence", 2,
      growing("d", 10, 50, 200))
def gaussian_kl(d):
    mu, S, T = np.ones(d), covariance(d), covariance(d, seed=1)
    normal = torch.distributions.MultivariateNormal

    def theirs():
        one, other = normal(torch.tensor(mu), torch.tensor(S)), normal(torch.zeros(d, dtype=float), torch.tensor(T))
        return torch.distributions.kl_divergence(one, other)

    return lambda: mathematics.gaussian_kl(mu, S, np.zeros(d), T), theirs, gap


@case("entropy of a Gaussian", module("mathematics", "gaussian_entropy"), "scipy.stats.multivariate_normal", 2,
      growing("d", 10, 50, 200))
def gaussian_entropy(d):
    S = covariance(d)
    return lambda: mathematics.gaussian_entropy(S), lambda: stats.multivariate_normal(cov=S).entropy(), gap


@case("Cholesky factor", module("mathematics", "cholesky_factor"), "scipy.linalg.cholesky", 2, growing("d", 100, 300, 1_000))
def cholesky(d):
    S = covariance(d)
    return lambda: mathematics.cholesky_factor(S), lambda: linalg.cholesky(S, lower=True), gap


@case("eigenvalues in order", module("mathematics", "sorted_eigh"), "scipy.linalg.eigh", 2, growing("d", 50, 150, 500))
def eigenvalues(d):
    S = covariance(d)
    return (lambda: mathematics.sorted_eigh(S), lambda: linalg.eigh(S, driver="evd"), lambda ours, theirs: gap(ours[0], theirs[0][::-1]))


@case("gradient by differences", module("mathematics", "numerical_gradient"), "scipy.optimize.approx_fprime", 2,
      growing("d", 10, 100, 1_000), note="central differences; the reference takes forward ones, with half the evaluations")
def numerical_gradient(d):
    x = np.random.default_rng(0).normal(size=d)

    def f(v):
        return float(np.sin(v).sum() + 0.5 * v @ v)

    return lambda: mathematics.numerical_gradient(f, x), lambda: optimize.approx_fprime(x, f), gap


def random_graph(n, share, seed=0):
    """Symmetric weights, most of them 0."""
    rng = np.random.default_rng(seed)
    W = np.triu(np.where(rng.random((n, n)) < share, rng.uniform(0.1, 1, (n, n)), 0.0), 1)
    return W + W.T


@case("shortest paths, all pairs", module("mathematics", "dijkstra"), "scipy.sparse.csgraph.dijkstra", 10, growing("n", 50, 100, 200))
def dijkstra(n):
    W = random_graph(n, 0.2)
    lengths = np.where(W > 0, W, np.inf)
    return lambda: mathematics.dijkstra(lengths)[0], lambda: csgraph.dijkstra(W), gap


@case("connected components", module("mathematics", "connected_components"), "scipy.sparse.csgraph.connected_components", 10,
      growing("n", 100, 300, 1_000))
def components(n):
    W = random_graph(n, 1 / n)
    return lambda: mathematics.connected_components(W), lambda: csgraph.connected_components(W, directed=False)[1], gap


@case("graph Laplacian", module("mathematics", "laplacian"), "scipy.sparse.csgraph.laplacian", 2, growing("n", 100, 300, 1_000))
def laplacian(n):
    W = random_graph(n, 0.5)
    return lambda: mathematics.laplacian(W, norm="sym"), lambda: csgraph.laplacian(W, normed=True), gap


# Data and measures


@case("mean as prediction", module("data_and_tasks", "ConstantRegressor"), "sklearn.dummy.DummyRegressor", 2,
      growing("n", 1_000, 10_000, 100_000, d=10))
def constant(n, d):
    X, y = regression(n, d)
    return (lambda: data.ConstantRegressor("median").fit(X, y).predict(X),
            lambda: dummy.DummyRegressor(strategy="median").fit(X, y).predict(X), gap)


@case("majority class", module("data_and_tasks", "MajorityClassifier"), "sklearn.dummy.DummyClassifier", 2,
      growing("n", 1_000, 10_000, 100_000, d=10))
def majority(n, d):
    X, y = two_classes(n, d)
    return (lambda: data.MajorityClassifier().fit(X, y).predict(X),
            lambda: dummy.DummyClassifier(strategy="most_frequent").fit(X, y).predict(X), gap)


@case("confusion matrix", module("data_and_tasks", "confusion_matrix"), "sklearn.metrics.confusion_matrix", 2,
      growing("n", 1_000, 10_000, 100_000))
def confusion(n):
    y, p = np.random.default_rng(0).integers(10, size=(2, n))
    return lambda: data.confusion_matrix(y, p), lambda: metrics.confusion_matrix(y, p), gap


@case("F1 measure", module("data_and_tasks", "f1"), "sklearn.metrics.f1_score", 2, growing("n", 1_000, 10_000, 100_000))
def f1(n):
    y, p = np.random.default_rng(0).integers(2, size=(2, n))
    return lambda: data.f1(y, p), lambda: metrics.f1_score(y, p), gap


def measure_case(ours, theirs, classes):
    """Build function of a measure of predictions: of ``classes`` classes, or of numbers if 0."""
    def build(n):
        rng = np.random.default_rng(0)
        y, p = rng.integers(classes, size=(2, n)) if classes else rng.normal(size=(2, n))
        return lambda: ours(y, p), lambda: theirs(y, p), gap
    return build


MEASURES = {"mean_squared_error": ("mean_squared_error", 0), "mean_absolute_error": ("mean_absolute_error", 0), "r2_score": ("r2_score", 0),
            "accuracy": ("accuracy_score", 10), "precision": ("precision_score", 2), "recall": ("recall_score", 2)}
for _ours, (_theirs, _classes) in MEASURES.items():
    case(_ours.replace("r2_score", "R2").replace("_", " "), module("data_and_tasks", _ours), f"sklearn.metrics.{_theirs}", 2,
         growing("n", 1_000, 10_000, 100_000))(measure_case(getattr(data, _ours), getattr(metrics, _theirs), _classes))


@case("ROC curve", module("data_and_tasks", "roc_curve"), "sklearn.metrics.roc_curve", 2, growing("n", 1_000, 10_000, 100_000))
def roc(n):
    y, score = np.random.default_rng(0).integers(2, size=n), np.random.default_rng(1).normal(size=n)
    return (lambda: data.roc_curve(y, score), lambda: metrics.roc_curve(y, score, drop_intermediate=False),
            lambda ours, theirs: gaps((ours[0], theirs[0]), (ours[1], theirs[1])))


@case("area under the ROC curve", module("data_and_tasks", "auc"), "sklearn.metrics.roc_auc_score", 2, growing("n", 1_000, 10_000, 100_000))
def auc(n):
    y, score = np.random.default_rng(0).integers(2, size=n), np.random.default_rng(1).normal(size=n)
    return lambda: data.auc(y, score), lambda: metrics.roc_auc_score(y, score), gap


@case("stratified split", module("data_and_tasks", "train_test_split"), "sklearn.model_selection.train_test_split", 2,
      growing("n", 1_000, 10_000, 100_000, d=10), note="the random rows differ; the difference is that of the class shares")
def split(n, d):
    X, y = blobs(n, d, 4)
    return (lambda: data.train_test_split(X, y, test_size=0.25, stratify=y, random_state=0),
            lambda: model_selection.train_test_split(X, y, test_size=0.25, stratify=y, random_state=0),
            lambda ours, theirs: gap(np.bincount(ours[3]) / len(ours[3]), np.bincount(theirs[3]) / len(theirs[3])))


@case("reading LIBSVM files", module("data_and_tasks", "load_libsvm"), "sklearn.datasets.load_svmlight_file", 10,
      growing("n", 100, 1_000, 5_000, d=20))
def libsvm(n, d):
    X, y = two_classes(n, d)
    file = io.BytesIO()
    datasets.dump_svmlight_file(X.round(6), y, file, zero_based=False)
    text = file.getvalue()
    return (lambda: data.load_libsvm(io.StringIO(text.decode()), n_features=d).X,
            lambda: datasets.load_svmlight_file(io.BytesIO(text), n_features=d, zero_based=False)[0], lambda a, b: gap(dense(a), dense(b)))


def dense(X):
    """A sparse matrix, or an array, as an array."""
    return X.toarray() if hasattr(X, "toarray") else X


# Gradient descent

RULES = {"SGD": ("gradient steps with momentum", {"lr": 0.01, "momentum": 0.9}, {}), "Adagrad": ("Adagrad steps", {"lr": 0.1}, {}),
         "RMSProp": ("RMSProp steps", {"lr": 0.01}, {"rho": 0.9}), "Adadelta": ("Adadelta steps", {"lr": 1.0, "rho": 0.9}, {}),
         "Adam": ("Adam steps", {"lr": 0.01}, {}), "AdamW": ("AdamW steps", {"lr": 0.01, "weight_decay": 0.1}, {})}


def torch_name(name):
    """An optimizer's name in torch."""
    return {"RMSProp": "RMSprop"}.get(name, name)


def rule_case(name, settings, own):
    """Build function of 20 steps of an optimizer on two parameter arrays with gradients that are given."""
    def build(d):
        rng = np.random.default_rng(0)
        starts = rng.normal(size=(d, d)), rng.normal(size=d)
        gradients = [(rng.normal(size=(d, d)), rng.normal(size=d)) for _ in range(4)]
        tensors = [tuple(map(torch.tensor, pair)) for pair in gradients]

        def ours():
            params, rule = [p.copy() for p in starts], getattr(descent, name)(**settings, **own)
            for step in range(20):
                rule.step(params, gradients[step % 4])
            return params[0]

        def theirs():
            params = [torch.tensor(p, requires_grad=True) for p in starts]
            rule = getattr(torch.optim, torch_name(name))(params, **settings, **({"alpha": own["rho"]} if own else {}))
            for step in range(20):
                for p, g in zip(params, tensors[step % 4]):
                    p.grad = g
                rule.step()
            return params[0].detach().numpy()

        return ours, theirs, gap
    return build


for _rule, (_name, _settings, _own) in RULES.items():
    case(_name, module("gradient_descent", _rule), f"torch.optim.{torch_name(_rule)}", 2,
         growing("d", 30, 100, 300))(rule_case(_rule, _settings, _own))


@case("Newton's method", module("gradient_descent", "newton"), "scipy.optimize.minimize", 2, growing("d", 10, 50, 200),
      note="trust-exact in the reference")
def newton(d):
    A = np.random.default_rng(0).normal(size=(2 * d, d)) / np.sqrt(d)

    def f(x):
        return float(np.logaddexp(A @ x, -A @ x).sum() + 0.05 * (x - 1) @ (x - 1))

    def gradient(x):
        return A.T @ np.tanh(A @ x) + 0.1 * (x - 1)

    def hessian(x):
        return (A.T * (1 - np.tanh(A @ x) ** 2)) @ A + 0.1 * np.eye(d)

    return (lambda: descent.newton(f, gradient, hessian, np.full(d, 0.5), tol=1e-9).x,
            lambda: optimize.minimize(f, np.full(d, 0.5), jac=gradient, hess=hessian, method="trust-exact", options={"gtol": 1e-9}).x, gap)


@case("discrete Lyapunov equation", module("gradient_descent", "stationary_covariance"), "scipy.linalg.solve_discrete_lyapunov", 2,
      growing("d", 10, 30, 100))
def lyapunov(d):
    H, C, lr = covariance(d), covariance(d, seed=1), 0.1
    M = np.eye(d) - lr * H
    return (lambda: descent.stationary_covariance(H, C, lr), lambda: linalg.solve_discrete_lyapunov(M, lr**2 * C, method="bilinear"), gap)


# Constrained optimization


def program(n, m, seed=0):
    """A strictly convex quadratic program of n variables with m inequalities, which x = 0 fulfills."""
    rng = np.random.default_rng(seed)
    return covariance(n, seed), rng.normal(size=n), rng.normal(size=(m, n)), rng.uniform(0.1, 1, m)


@case("quadratic program", module("constrained_optimization", "solve_qp"), "scipy.optimize.minimize", 10, growing("n", 10, 20, 40),
      note="sequential quadratic programming in the reference")
def quadratic_program(n):
    P, q, G, h = program(n, 2 * n)
    bounds = [{"type": "ineq", "fun": lambda x: h - G @ x, "jac": lambda x: -G}]
    return (lambda: constrained.solve_qp(P, q, G, h).x,
            lambda: optimize.minimize(lambda x: 0.5 * x @ P @ x + q @ x, np.zeros(n), jac=lambda x: P @ x + q, method="SLSQP",
                                      constraints=bounds, options={"ftol": 1e-14, "maxiter": 1000}).x, gap)


@case("linear program", module("constrained_optimization", "solve_qp"), "scipy.optimize.linprog", 10, growing("n", 10, 30, 100),
      note="interior points on both sides")
def linear_program(n):
    _, q, G, h = program(n, 2 * n)
    G, h = np.vstack([G, np.eye(n), -np.eye(n)]), np.concatenate([h, np.ones(2 * n)])
    return (lambda: constrained.solve_qp(np.zeros((n, n)), q, G, h).value,
            lambda: optimize.linprog(q, G, h, bounds=(None, None), method="highs-ipm").fun, gap)
