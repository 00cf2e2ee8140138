"""Logistic and softmax regression: derivatives against differences, fits against scikit-learn, theorems measured."""

import warnings

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import optimize, special
from sklearn.calibration import calibration_curve
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.linear_model import LogisticRegression as Reference
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import brier_score_loss, log_loss

from mlcore.base import ConvergenceWarning
from mlcore.foundations.gradient_descent import SGD, stochastic_minimize
from mlcore.foundations.mathematics import gradient_error, sigmoid, softmax
from mlcore.supervised import logistic_regression as lg
from mlcore.supervised.linear_regression import LinearRegression, Standardizer, add_intercept
from mlcore.supervised.logistic_regression import likelihood


@pytest.fixture
def overlapping():
    """Forty examples of two overlapping classes, with a column of ones."""
    rng = np.random.default_rng(3)
    X = add_intercept(rng.normal(size=(40, 2)))
    y = (rng.random(40) < sigmoid(X @ [0.3, 1.2, -0.7])).astype(int)
    return X, y


@pytest.fixture
def three_classes():
    """45, 10 and 5 examples around (0, 0), (2, 0), (0, 2)."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], [45, 10, 5])
    centers = np.array([[0, 0], [2, 0], [0, 2]])
    return add_intercept(rng.normal(size=(60, 2)) + centers[y]), y


# The numbers of the notes


def test_least_squares_threshold_moves_with_far_points():
    x, y = np.arange(1.0, 9.0), (np.arange(1, 9) >= 5).astype(float)
    for far, want in (([], 4.5), ([30], 5.552), ([30, 40], 5.722)):
        X, target = np.r_[x, far][:, None], np.r_[y, np.ones(len(far))]
        line = LinearRegression().fit(X, target)
        assert_allclose((0.5 - line.intercept_) / line.coef_[0], want, atol=1e-3)
        model = lg.LogisticRegression().fit(X, target)
        assert 4 < -model.intercept_ / model.coef_[0] < 5


def test_newton_numbers_of_both_editions():
    a = 0.36
    new = lg.newton_root(lambda t: np.exp(a * (t - 1.3)) - 1, lambda t: a * np.exp(a * (t - 1.3)), 4.5)
    assert_allclose(new[:5], [4.5, 2.600, 1.562, 1.312, 1.300], atol=1e-3)
    old = lg.newton_root(lambda t: t**2.5 - 1.3**2.5, lambda t: 2.5 * t**1.5, 4.5)
    assert_allclose(old[:6], [4.5, 2.7807, 1.8347, 1.4110, 1.3065, 1.3000], atol=1e-4)
    assert_allclose([new[-1], old[-1]], 1.3, rtol=1e-12)


def test_softmax_example_and_two_class_misprint():
    assert_allclose(softmax([3.0, 1.0, -3.0]), [0.87888, 0.11894, 0.00218], atol=1e-5)
    assert_allclose(sigmoid(np.array([1.0, 2.0])), [0.7311, 0.8808], atol=1e-4)


def test_error_measure_constants():
    assert_allclose([f(0.0) for f in (lg.zero_one_error, lg.squared_error, lg.scaled_cross_entropy_error)], 1)
    cross = optimize.brentq(lambda m: lg.squared_error(m) - lg.scaled_cross_entropy_error(m), 1, 2)
    assert_allclose(cross, 1.53, atol=5e-3)
    assert_allclose(lg.cross_entropy_error(-np.log(np.e - 1)), 1)
    assert lg.cross_entropy_error(-0.5) < lg.zero_one_error(-0.5)


# Derivatives


def test_logit_inverts_sigmoid_and_refuses_certainty():
    t = np.linspace(-20, 20, 41)
    assert_allclose(lg.logit(sigmoid(t)), special.logit(special.expit(t)), rtol=1e-6)
    for p in (0.0, 1.0, -0.1):
        with pytest.raises(ValueError, match="strictly between 0 and 1"):
            lg.logit(p)


def test_loss_is_stable_and_matches_torch(overlapping):
    X, y = overlapping
    t = X @ [0.1, 2.0, -3.0]
    want = torch.nn.functional.binary_cross_entropy_with_logits(torch.tensor(t), torch.tensor(y, dtype=torch.float64), reduction="none")
    assert_allclose(lg.logistic_loss(t, y), want.numpy(), rtol=1e-12, atol=1e-14)
    assert_array_equal(lg.logistic_loss([-1e4, 1e4], [1, 0]), [1e4, 1e4])
    none = lg.logistic_loss([800.0, np.inf, -800.0, -np.inf], [1, 1, 0, 0])
    assert_array_equal(none, 0.0)
    assert not np.signbit(none).any()
    assert_allclose(lg.logistic_loss(t, y), -y * special.log_expit(t) - (1 - y) * special.log_expit(-t), rtol=1e-14)
    signs = 2 * y - 1
    assert_allclose(lg.cross_entropy_error(signs * t), lg.logistic_loss(t, y), rtol=1e-12)


def test_gradient_and_hessian(overlapping):
    X, y = overlapping
    theta = np.array([0.4, -1.0, 2.0])
    assert gradient_error(lambda t: lg.log_likelihood(t, X, y), lambda t: lg.log_likelihood_gradient(t, X, y), theta) < 1e-8
    H = lg.log_likelihood_hessian(theta, X)
    for j in range(3):
        assert gradient_error(lambda t, j=j: lg.log_likelihood_gradient(t, X, y)[j], lambda t, j=j: H[j], theta) < 1e-8
    assert np.linalg.eigvalsh(H).max() < 0


def test_softmax_derivatives(three_classes):
    X, y = three_classes
    rng = np.random.default_rng(0)
    Theta = rng.normal(size=(3, 3))
    assert gradient_error(lambda A: lg.softmax_cost(A, X, y), lambda A: lg.softmax_cost_gradient(A, X, y), Theta) < 1e-8
    H = lg.softmax_cost_hessian(Theta, X)
    for j in range(9):
        assert gradient_error(lambda A, j=j: lg.softmax_cost_gradient(A, X, y).ravel()[j], lambda A, j=j: H[j].reshape(3, 3), Theta) < 1e-7
    eigenvalues = np.linalg.eigvalsh(H)
    assert eigenvalues.min() > -1e-10
    assert (eigenvalues < 1e-9).sum() == 3, "as many flat directions as columns of X"
    T = torch.tensor(X @ Theta.T, requires_grad=True)
    loss = torch.nn.functional.cross_entropy(T, torch.tensor(y), reduction="sum")
    loss.backward()
    assert_allclose(lg.softmax_cost(Theta, X, y), loss.item(), rtol=1e-12)
    assert_allclose(lg.cross_entropy_logit_gradient(T.detach().numpy(), y), T.grad.numpy(), atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.01, 0.99))
def test_log_likelihood_is_concave(seed, share):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(12, 3)), rng.integers(0, 2, 12)
    a, b = rng.normal(scale=3, size=(2, 3))
    chord = share * lg.log_likelihood(a, X, y) + (1 - share) * lg.log_likelihood(b, X, y)
    assert lg.log_likelihood(share * a + (1 - share) * b, X, y) >= chord - 1e-9


# Ascent and Newton


def test_ascent_never_descends_below_the_limit(overlapping):
    X, y = overlapping
    run = lg.gradient_ascent(X, y, tol=1e-9, max_iter=20000)
    assert run.converged and (np.diff(run.history) <= 1e-15).all()
    assert_allclose(run.x, lg.newton_ascent(X, y).x, atol=1e-6)
    slow = lg.gradient_ascent(X, y, step=1e-3, max_iter=5)
    assert_allclose(slow.path[1], 1e-3 * X.T @ (y - 0.5) / len(y))


def test_stochastic_rule_one_epoch(overlapping):
    X, y = overlapping
    run = lg.stochastic_gradient_ascent(X, y, 0.1, epochs=1, rng=0)
    theta = np.zeros(3)
    for i in np.random.default_rng(0).permutation(len(y)):
        theta = theta + 0.1 * (y[i] - sigmoid(X[i] @ theta)) * X[i]
    assert_allclose(run.x, theta)
    settled = lg.stochastic_gradient_ascent(X, y, lambda t: 0.5 / (1 + t / 200), epochs=300, rng=0)
    assert settled.history[-1] - lg.newton_ascent(X, y).history[-1] < 1e-3


def one_by_one(theta, X, y, steps):
    """The stochastic rule as the chapter writes it."""
    path = [theta]
    for x, target, step in zip(X, y, steps):
        path.append(path[-1] + step * (target - sigmoid(x @ path[-1])) * x)
    return np.array(path)


@pytest.mark.parametrize("n", [1, 95, 96, 97, 500])
@pytest.mark.parametrize("first, together", [(0.01, True), (0.8, True), (30.0, False)])
def test_errors_of_a_block_found_together_are_those_of_the_rule(monkeypatch, n, first, together):
    rng, found = np.random.default_rng(n), []
    X = rng.normal(size=(n, 4))
    y = (rng.random(n) < sigmoid(X @ [1.0, -2.0, 0.0, 0.5])).astype(float)
    steps = np.full(n, first) if first > 1 else first / (1 + np.arange(n) / 50)

    def counted(*args, solve=likelihood.block_errors):
        found.append(solve(*args))
        return found[-1]

    monkeypatch.setattr(likelihood, "block_errors", counted)
    path = np.full((n + 1, 4), np.nan)
    path[0] = 1.0
    likelihood.ascent_pass(path, X, y, steps)
    for before, after, x, target, step in zip(path, path[1:], X, y, steps):  # a large step blows up roundings
        assert_allclose(after, before + step * (target - sigmoid(x @ before)) * x, rtol=1e-10, atol=1e-11)
    if first < 1:
        assert_allclose(path, one_by_one(np.ones(4), X, y, steps), rtol=1e-10, atol=1e-11)
    assert len(found) == -(-n // likelihood.BLOCK)
    if n >= 95:
        assert (found[0] is not None) == together


@pytest.mark.parametrize("shuffle", [True, False])
def test_stochastic_run_is_that_of_stochastic_minimize(overlapping, shuffle):
    X, y = overlapping
    theta, made = np.array([0.5, -1.0, 2.0]), []

    def schedule(t):
        made.append(t)
        return 0.3 / (1 + t / 50)

    run = lg.stochastic_gradient_ascent(X, y, schedule, theta, epochs=3, rng=5, shuffle=shuffle)
    assert made == list(range(120)) and theta.tolist() == [0.5, -1.0, 2.0]
    if shuffle:
        want = stochastic_minimize(lambda t, i: -lg.log_likelihood_gradient(t, X[i], y[i]), 40, theta, SGD(lr=schedule), epochs=3,
                                   f=lambda t: -lg.log_likelihood(t, X, y) / 40, rng=5)
        assert_allclose(run.history, want.history, rtol=1e-12)
        assert_allclose(run.path, want.path, rtol=1e-10, atol=1e-12)
    else:
        want = one_by_one(theta, np.tile(X, (3, 1)), np.tile(y, 3), [schedule(t) for t in range(120)])
        assert_allclose(run.path, want, rtol=1e-10, atol=1e-12)
    assert_array_equal(run.x, run.path[-1])
    still = lg.stochastic_gradient_ascent(X, y, 0.1, theta, epochs=0)
    assert still.path.tolist() == [theta.tolist()] and still.history.shape == (1,)


def test_stochastic_rule_in_order_is_that_of_scikit_learn(overlapping):
    X, y = overlapping
    model = SGDClassifier(loss="log_loss", penalty=None, learning_rate="constant", eta0=0.2, fit_intercept=False, shuffle=False,
                          tol=None, max_iter=4)
    run = lg.stochastic_gradient_ascent(X, y, 0.2, epochs=4, shuffle=False)
    assert_allclose(run.x, model.fit(X, y).coef_[0], rtol=1e-9)


def test_stochastic_rule_where_the_products_of_rows_overflow():
    X, y = 1e100 * np.array([[1.0, 2.0], [1.0, 1.0], [-3.0, 0.0]]), np.array([1.0, 0.0, 1.0])        # no logit is inf - inf
    run = lg.stochastic_gradient_ascent(X, y, 1e150, epochs=2, shuffle=False)
    with np.errstate(over="ignore"):
        want = one_by_one(np.zeros(2), np.tile(X, (2, 1)), np.tile(y, 2), np.full(6, 1e150))
    assert np.isfinite(run.path).all()
    assert_allclose(run.path, want, rtol=1e-12)


@pytest.mark.parametrize("change, message", [
    ({"step": 0.0}, "lr must be"), ({"step": lambda t: -1.0}, "the schedule's learning rate must be"),
    ({"epochs": 1.5}, "epochs must be"), ({"shuffle": "yes"}, "shuffle must be"),
])
def test_stochastic_rule_refuses(overlapping, change, message):
    X, y = overlapping
    with pytest.raises((TypeError, ValueError), match=message):
        lg.stochastic_gradient_ascent(X, y, **({"step": 0.1} | change))


def test_stochastic_rule_refuses_to_leave_the_range_of_numbers(overlapping):
    X, y = overlapping
    with pytest.raises(ValueError, match="take a smaller step"):
        lg.stochastic_gradient_ascent(1e150 * X, y, 1e200, epochs=1)


def test_newton_step_is_a_weighted_fit(overlapping):
    X, y = overlapping
    theta = np.array([0.2, 0.5, -0.3])
    step = np.linalg.solve(lg.log_likelihood_hessian(theta, X), lg.log_likelihood_gradient(theta, X, y))
    assert_allclose(lg.irls_step(theta, X, y), theta - step, rtol=1e-9)
    with pytest.raises(ValueError, match="rounded to 0 or 1"):
        lg.irls_step(np.array([1e4, 0.0, 0.0]), X, y)


def test_newton_converges_quadratically(overlapping):
    X, y = overlapping
    run = lg.newton_ascent(X, y, tol=1e-13)
    errors = np.linalg.norm(run.path - run.x, axis=1)
    ratios = [b / a**2 for a, b in zip(errors, errors[1:]) if 1e-7 < a < 0.5]
    assert len(ratios) >= 2 and max(ratios) < 10
    assert run.n_iter <= 8


def test_pure_newton_can_diverge_where_damped_does_not():
    X, y = np.array([[1.0], [1.0], [1.0], [1.0]]), np.array([0, 1, 1, 0])
    assert abs(lg.newton_ascent(X, y, theta=[2.0]).x[0]) < 1e-8
    assert abs(lg.newton_ascent(X, y, theta=[3.0]).x[0]) < 1e-8
    pure = lg.newton_ascent(X, y, theta=[3.0], damped=False, max_iter=2)
    assert abs(pure.path[1, 0]) > abs(pure.path[0, 0])


def test_newton_root_refuses_a_flat_tangent():
    with pytest.raises(ValueError, match="horizontal"):
        lg.newton_root(lambda x: x**2 + 1, lambda x: 2 * x, 0.0)


# Separable data


def test_separation_theorem_both_ways():
    rng = np.random.default_rng(8)
    kinds = set()
    for _ in range(60):
        X = add_intercept(rng.normal(size=(7, 1)).round(1))
        y = rng.integers(0, 2, 7)
        if len(set(y)) < 2 or np.linalg.matrix_rank(X) < 2:
            continue
        kind = lg.separation(X, y)
        kinds.add(kind)
        low, high = X[y == 0, 1], X[y == 1, 1]
        gap = max(high.min() - low.max(), low.min() - high.max())
        assert kind == ("complete" if gap > 0 else "quasi-complete" if gap == 0 else "none")
        direction = lg.separating_direction(X, y)
        if kind == "none":
            assert direction is None
            assert lg.newton_ascent(X, y).converged
        else:
            margins = (2 * y - 1) * (X @ direction)
            assert margins.min() > -1e-9 and margins.max() > 1e-6
            values = [lg.log_likelihood(t * direction, X, y) for t in (0, 1, 2, 4, 8)]
            assert (np.diff(values) > 0).all()
    assert kinds >= {"complete", "none"}


def test_quasi_complete_is_told_apart():
    X = add_intercept([[0.0], [1.0], [1.0], [2.0]])
    assert lg.separation(X, [0, 0, 1, 1]) == "quasi-complete"
    with pytest.warns(ConvergenceWarning, match="separable"):
        model = lg.LogisticRegression(alpha=0).fit(X[:, 1:], [0, 0, 1, 1])
    assert not model.converged_


@pytest.mark.parametrize("model", [lg.LogisticRegression, lg.SoftmaxRegression])
def test_separable_data_warn_without_a_penalty_and_fit_with_one(model):
    X, y = load_iris(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="no maximizer"):
        assert not model(alpha=0).fit(X[:100], y[:100]).converged_
    assert model(alpha=0.1).fit(X[:100], y[:100]).converged_


@pytest.mark.parametrize("options", [{"max_iter": 3}, {"tol": 0.1}, {"solver": "gradient", "max_iter": 20}])
def test_separation_is_noticed_however_early_the_fit_stops(options):
    X = np.arange(6.0)[:, None]
    with pytest.warns(ConvergenceWarning, match="no maximizer"):
        model = lg.LogisticRegression(alpha=0, **options).fit(X, [0, 0, 0, 1, 1, 1])
    assert not model.converged_


def test_weight_decay_ends_at_the_penalized_fit(overlapping):
    X, y = overlapping
    z, w, lam, eta = 2 * y - 1, np.zeros(3), 0.05, 0.5
    for _ in range(3000):
        w = (1 - eta * lam) * w + eta * X.T @ (z / (1 + np.exp(z * (X @ w)))) / len(y)
    model = lg.LogisticRegression(alpha=lam * len(y), fit_intercept=False, tol=1e-12).fit(X, y)
    assert_allclose(model.coef_, w, atol=1e-8)


def test_norm_grows_as_the_penalty_falls():
    X, y = load_iris(return_X_y=True)
    norms = [np.linalg.norm(lg.LogisticRegression(alpha=a).fit(X[:100], y[:100]).coef_) for a in (10, 1, 0.1, 0.01, 1e-3)]
    assert (np.diff(norms) > 0).all()


# The estimators


@pytest.mark.parametrize("alpha", [0.01, 1.0, 50.0])
@pytest.mark.parametrize("intercept", [True, False])
def test_logistic_matches_scikit_learn(alpha, intercept):
    X, y = load_breast_cancer(return_X_y=True)
    Z = Standardizer().fit_transform(X)
    ours = lg.LogisticRegression(alpha=alpha, fit_intercept=intercept, tol=1e-12).fit(Z, y)
    theirs = Reference(C=1 / alpha, fit_intercept=intercept, solver="newton-cholesky", tol=1e-12, max_iter=500).fit(Z, y)
    assert_allclose(ours.coef_, theirs.coef_[0], atol=1e-6)
    assert_allclose(ours.intercept_, np.ravel(theirs.intercept_)[0], atol=1e-6)
    assert_allclose(ours.predict_proba(Z), theirs.predict_proba(Z), atol=1e-6)
    assert_array_equal(ours.predict(Z), theirs.predict(Z))
    assert_allclose(ours.history_[-1] * len(y), log_loss(y, ours.predict_proba(Z), normalize=False) + alpha / 2 * ours.coef_ @ ours.coef_)


@pytest.mark.parametrize("load, alpha", [(load_iris, 1.0), (load_iris, 1e-2), (load_digits, 10.0)])
def test_softmax_matches_scikit_learn(load, alpha):
    X, y = load(return_X_y=True)
    X, y = (X[:400] / 16, y[:400]) if load is load_digits else (X, y)
    ours = lg.SoftmaxRegression(alpha=alpha, tol=1e-12).fit(X, y)
    theirs = Reference(C=1 / alpha, solver="newton-cholesky", tol=1e-12, max_iter=500).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    assert_allclose(ours.intercept_ - ours.intercept_.mean(), theirs.intercept_ - theirs.intercept_.mean(), atol=1e-6)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    assert_allclose(ours.coef_.sum(axis=0), 0, atol=1e-10)


def test_without_penalty_both_solvers_and_scipy_agree(overlapping):
    X, y = overlapping
    want = optimize.minimize(lambda t: -lg.log_likelihood(t, X, y), np.zeros(3), tol=1e-12).x
    newton = lg.LogisticRegression(alpha=0).fit(X[:, 1:], y)
    assert_allclose(np.r_[newton.intercept_, newton.coef_], want, atol=1e-5)
    descent = lg.LogisticRegression(alpha=0, solver="gradient", max_iter=5000).fit(X[:, 1:], y)
    assert descent.converged_ and descent.n_iter_ > newton.n_iter_
    assert_allclose(descent.coef_, newton.coef_, atol=1e-6)
    assert (np.diff(newton.history_) < 1e-15).all()


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_two_class_softmax_is_logistic(overlapping, alpha):
    X, y = overlapping
    # |w_1|^2 + |w_0|^2 = |w|^2 / 2 at w_1 = -w_0 = w / 2: the same penalty takes twice the alpha
    pair = lg.SoftmaxRegression(alpha=2 * alpha, tol=1e-12).fit(X[:, 1:], y)
    one = lg.LogisticRegression(alpha=alpha, tol=1e-12).fit(X[:, 1:], y)
    assert_allclose(pair.coef_[1] - pair.coef_[0], one.coef_, atol=1e-8)
    assert_allclose(pair.predict_proba(X[:, 1:]), one.predict_proba(X[:, 1:]), atol=1e-9)


def test_shift_of_all_rows_changes_nothing(three_classes):
    X, y = three_classes
    rng = np.random.default_rng(4)
    Theta, shift = rng.normal(size=(3, 3)), rng.normal(size=3)
    assert_allclose(lg.softmax_cost(Theta + shift, X, y), lg.softmax_cost(Theta, X, y), rtol=1e-12)
    assert_allclose(lg.softmax_cost_gradient(Theta, X, y).sum(axis=0), 0, atol=1e-10)


def test_collinear_and_constant_features_without_penalty(overlapping):
    X, y = overlapping
    wide = np.column_stack([X[:, 1:], X[:, 1], np.full(len(y), 7.0)])
    model, plain = lg.LogisticRegression(alpha=0).fit(wide, y), lg.LogisticRegression(alpha=0).fit(X[:, 1:], y)
    assert_allclose(model.predict_proba(wide), plain.predict_proba(X[:, 1:]), atol=1e-8)
    assert_allclose(model.coef_, [plain.coef_[0] / 2, plain.coef_[1], plain.coef_[0] / 2, 0], atol=1e-7)
    several = lg.SoftmaxRegression(alpha=0).fit(wide, y)
    assert_allclose(several.predict_proba(wide), plain.predict_proba(X[:, 1:]), atol=1e-8)


def test_score_equations_calibrate_in_the_large():
    X, y = load_breast_cancer(return_X_y=True)
    model = lg.LogisticRegression(alpha=5.0, tol=1e-12).fit(X, y)
    assert_allclose(model.predict_proba(X)[:, 1].mean(), y.mean(), atol=1e-9)
    digits, label = load_digits(return_X_y=True)
    several = lg.SoftmaxRegression(alpha=100.0).fit(digits[:300], label[:300])
    assert_allclose(several.predict_proba(digits[:300]).mean(axis=0), np.bincount(label[:300]) / 300, atol=1e-8)


def test_text_labels_and_bad_input():
    X = [[0.0], [1.0], [2.0], [3.0]]
    model = lg.LogisticRegression().fit(X, ["b", "b", "a", "a"])
    assert_array_equal(model.classes_, ["a", "b"])
    assert_array_equal(model.predict([[0.0], [3.0]]), ["b", "a"])
    with pytest.raises(ValueError, match="at least 2 are needed"):
        lg.LogisticRegression().fit(X, [1, 1, 1, 1])
    with pytest.raises(ValueError, match="SoftmaxRegression any number"):
        lg.LogisticRegression().fit(X, [0, 1, 2, 0])
    with pytest.raises(ValueError, match="fractional"):
        lg.SoftmaxRegression().fit(X, [0.5, 1.2, 0.1, 0.3])
    with pytest.raises(ValueError, match="alpha must be"):
        lg.LogisticRegression(alpha=-1).fit(X, [0, 1, 1, 0])
    with pytest.raises(ValueError, match="solver must be one of"):
        lg.LogisticRegression(solver="magic").fit(X, [0, 1, 1, 0])
    with pytest.raises(ValueError, match="labels 0 and 1"):
        lg.gradient_ascent(X, [-1, 1, 1, -1])
    with pytest.raises(ValueError, match="theta has 2 entries"):
        lg.newton_ascent(X, [0, 1, 1, 0], theta=[0.0, 0.0])
    with pytest.raises(ValueError, match=r"class numbers 0\.\.2"):
        lg.one_hot([0, 3], 3)
    for labels in ([-1, 0], [0, 3], [0.0, 1.0]):
        with pytest.raises(ValueError, match=r"class numbers 0\.\.2"):
            lg.cross_entropy_loss(np.zeros((2, 3)), labels)
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        lg.LogisticRegression(max_iter=1).fit(X, [0, 1, 0, 1])


def test_misprinted_rules_fail(three_classes):
    X, y = three_classes
    Y = lg.one_hot(y, 3)
    W, V, printed, right = np.zeros((3, 3)), np.zeros((3, 3)), [], []
    for _ in range(5000):
        W = W + 0.5 / 60 * (Y * (1 - softmax(X @ W.T))).T @ X
        V = V - 0.5 / 60 * lg.softmax_cost_gradient(V, X, y)
        printed.append(lg.softmax_cost(W, X, y) / 60)
        right.append(lg.softmax_cost(V, X, y) / 60)
    assert_allclose([printed[k - 1] for k in (100, 500, 2000, 5000)], [0.232, 0.327, 0.745, 1.507], atol=1e-3)
    assert_allclose(right[-1], 0.2005, atol=1e-4)
    uphill, target, losses = np.zeros(3), (y != 0).astype(float), []
    for _ in range(50):
        uphill = uphill - 0.5 * lg.log_likelihood_gradient(uphill, X, target) / 60
        losses.append(-lg.log_likelihood(uphill, X, target) / 60)
    assert losses[0] > np.log(2) and (np.diff(losses) > 0).all() and losses[-1] > 10


# Error measures and calibration


@settings(max_examples=100, deadline=None)
@given(st.floats(-50, 50))
def test_bounds_on_the_zero_one_error(m):
    for bound in (lg.squared_error, lg.scaled_cross_entropy_error, lg.hinge_error):
        assert bound(m) >= lg.zero_one_error(m) - 1e-12
    assert lg.perceptron_error(m) <= lg.hinge_error(m) <= 1 + lg.perceptron_error(m)
    assert lg.perceptron_error(m) - 1e-12 <= lg.cross_entropy_error(m) <= lg.perceptron_error(m) + np.log(2) + 1e-12


def test_reliability_matches_scikit_learn():
    rng = np.random.default_rng(6)
    p = rng.random(500)
    y = (rng.random(500) < p**2).astype(int)
    frequency, forecast = calibration_curve(y, p, n_bins=7)
    ours = lg.reliability(y, p, n_bins=7)
    assert_allclose(ours.frequency, frequency)
    assert_allclose(ours.forecast, forecast)
    assert ours.counts.sum() == 500
    assert_allclose(ours.error, (np.abs(frequency - forecast) * ours.counts).sum() / 500)
    assert_allclose(lg.brier_score(y, p), brier_score_loss(y, p))
    edges = lg.reliability([1, 0, 1], [0.0, 0.5, 1.0], n_bins=2)
    assert_array_equal(edges.counts, [2, 1])


@pytest.mark.parametrize("y, p, message", [
    ([0, 1], [0.5], "must agree"), ([0, 2], [0.5, 0.5], "outcomes 0 and 1"), ([0, 1], [0.5, 1.5], "between 0 and 1")])
def test_reliability_refuses(y, p, message):
    with pytest.raises(ValueError, match=message):
        lg.reliability(y, p)


def test_no_warning_on_ordinary_data(overlapping):
    X, y = overlapping
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lg.LogisticRegression(alpha=0).fit(X[:, 1:], y)
        lg.SoftmaxRegression(alpha=0).fit(X[:, 1:], y)
