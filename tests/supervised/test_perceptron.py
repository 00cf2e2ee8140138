"""The perceptron: theorems measured, shortcuts against their definitions, runs and wrappers against scikit-learn."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import linear_model as sk
from sklearn.datasets import load_digits, load_iris
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.svm import LinearSVC as ReferenceSVC

from mlcore.base import ConvergenceWarning, Estimator
from mlcore.foundations.mathematics import sigmoid
from mlcore.supervised import perceptron as pc
from mlcore.supervised.linear_regression import Standardizer, add_intercept
from mlcore.supervised.logistic_regression import LogisticRegression, separation


def separable(seed, n=40, d=2, gap=0.1):
    """Examples with a bias column, labels of a random hyperplane, none nearer to it than ``gap``."""
    rng = np.random.default_rng(seed)
    X, w = add_intercept(rng.uniform(-1, 1, size=(n, d))), rng.normal(size=d + 1)
    distance = X @ w / np.linalg.norm(w)
    kept = np.abs(distance) > gap
    return X[kept], np.sign(distance[kept]), w


def overlapping(seed=5, n=300, d=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.sign(X @ rng.normal(size=d) + 0.3 + 0.7 * rng.normal(size=n))


def one_by_one(X, y, passes, w=None, step=1.0):
    """The rule of the book with a loop over the examples: weights after every visit."""
    w, path = np.zeros(X.shape[1]) if w is None else w, []
    for _ in range(passes):
        for x, label in zip(X, y):
            w = pc.perceptron_step(w, x, label, step)
            path.append(w)
    return np.array(path)


# The numbers of the notes


def test_experiment_of_mlf():
    rng = np.random.default_rng(0)
    X, target = add_intercept(rng.uniform(-1, 1, size=(60, 2))), np.array([0.1, 1, -1])
    X = X[np.abs(X @ target) / np.linalg.norm(target) > 0.05]
    y = np.sign(X @ target)
    assert len(X) == 59
    assert len(pc.perceptron(X, y, visits="first").rows) == 72
    assert_allclose(pc.perceptron_bound(X, y, target), (0.06484, 1.70695, 693.03), rtol=1e-4)
    w_lin = np.linalg.lstsq(X, y, rcond=None)[0]
    assert len(pc.perceptron(X, y, w_lin, visits="first").rows) == 50


def test_experiment_of_tan():
    rng = np.random.default_rng(1)
    X, target = add_intercept(rng.normal(size=(40, 2))), np.array([0.3, 1, -2])
    kept = np.abs(X @ target) > 0.3
    X, y = X[kept], np.sign(X[kept] @ target)
    assert len(X) == 33
    assert_allclose(pc.perceptron_bound(X, y, target), (0.1386, 3.4524, 620.8), rtol=5e-4)
    assert pc.perceptron(X, y, visits="shuffled", max_passes=5, rng=3).mistakes.sum() == 11


def test_printed_update_and_printed_test_fail():
    X, y, _ = separable(2)
    w = np.zeros(3)
    for _ in range(5):
        for x, label in zip(X, y):
            if label * (w @ x) <= 0:
                w = w - label * x
    assert np.mean(np.sign(X @ w) != y) > 0.8
    assert not any(label * (np.zeros(3) @ x) < 0 for x, label in zip(X, y))  # w = 0 never moves


# The learning rule


@pytest.mark.parametrize("step", [1.0, 0.3])
def test_blocks_equal_visits_one_by_one(step):
    X, y = overlapping(n=200)
    run = pc.perceptron(X, y, step=step, max_passes=4)
    path = one_by_one(X, y, 4, step=step)
    assert_allclose(run.w, path[-1], atol=1e-12)
    changed = np.flatnonzero((np.diff(np.vstack([np.zeros(5), path]), axis=0) != 0).any(axis=1))
    assert_array_equal(run.times, changed)
    assert_array_equal(run.rows, changed % len(X))
    assert run.n_visits == 4 * len(X) and run.mistakes.sum() == len(run.rows)
    assert_allclose(pc.weight_path(run, X, y, step=step)[1:], path[run.times], atol=1e-12)


def test_long_stretches_without_mistakes_are_skipped_right():
    X = np.ones((10_000, 1))
    y = np.ones(10_000)
    y[[7, 5_003, 9_999]] = -1
    run = pc.perceptron(X, y, max_passes=1)
    assert_array_equal(run.times, [0, 7, 8, 5_003, 5_004, 9_999])


def test_threshold_form_of_the_lms_rule():
    X, y, _ = separable(4, n=30)
    alpha = 0.25
    # cs229 calls a score of 0 class 1; only there can the two differ, so start away from 0.
    start = np.array([0.1, -0.2, 0.05])
    ours, theirs = start, start
    for x, label in zip(X, y):
        ours = pc.perceptron_step(ours, x, label, alpha)
        theirs = theirs + alpha * ((label + 1) / 2 - float(theirs @ x >= 0)) * x
    assert_allclose(ours, theirs, atol=1e-15)
    big = 1e6  # the logistic rule with steep scores is the threshold rule
    steep = start
    for x, label in zip(X, y):
        steep = steep + alpha * ((label + 1) / 2 - sigmoid(big * (steep @ x))) * x
    assert_allclose(steep, ours, atol=1e-9)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.01, 100))
def test_from_zero_the_step_only_rescales(seed, step):
    X, y, _ = separable(seed, n=20)
    a, b = pc.perceptron(X, y, max_passes=50), pc.perceptron(X, y, step=step, max_passes=50)
    assert_array_equal(a.rows, b.rows)
    assert_allclose(b.w, step * a.w, rtol=1e-9, atol=1e-9 * step)


@pytest.mark.parametrize("passes", [1, 3, 20])
def test_equal_to_scikit_learn_after_any_number_of_passes(passes):
    X, y = overlapping()
    reference = sk.Perceptron(shuffle=False, tol=None, max_iter=passes).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        ours = pc.Perceptron(max_iter=passes).fit(X, y)
    assert_allclose(ours.coef_, reference.coef_[0], atol=1e-12)
    assert_allclose(ours.intercept_, reference.intercept_[0], atol=1e-12)
    assert_array_equal(ours.predict(X), reference.predict(X))


def test_equal_to_scikit_learn_visit_by_visit():
    X, y = overlapping(n=60, d=3)
    reference, w = sk.Perceptron(), np.zeros(4)
    for x, label in zip(X, y):
        reference.partial_fit(x[None], [label], classes=[-1.0, 1.0])
        w = pc.perceptron_step(w, np.r_[1, x], label)
        assert_allclose(w, np.r_[reference.intercept_, reference.coef_[0]], atol=1e-12)


# Convergence


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["cyclic", "shuffled", "first"]), st.floats(0, 5), st.floats(0.1, 3))
def test_updates_stay_below_the_bound(seed, visits, length, step):
    X, y, w = separable(seed, gap=0.2)
    if not len(X):
        return
    start = np.random.default_rng(seed).normal(size=3)
    start *= length / np.linalg.norm(start)
    run = pc.perceptron(X, y, start, step=step, visits=visits, max_passes=5000, rng=seed)
    assert run.converged
    assert len(run.rows) <= pc.perceptron_bound(X, y, w, start, step).updates


def test_both_halves_of_the_proof_along_a_run():
    X, y, w = separable(3, n=60, gap=0.05)
    run = pc.perceptron(X, y)
    path, bound = pc.weight_path(run, X, y), pc.perceptron_bound(X, y, w)
    t = np.arange(len(path))
    assert (path @ w / np.linalg.norm(w) >= t * bound.margin - 1e-12).all()
    assert (np.linalg.norm(path, axis=1) <= np.sqrt(t) * bound.radius + 1e-12).all()
    assert np.linalg.norm(path[-1]) < 0.9 * np.sqrt(t[-1]) * bound.radius  # the second is strict: cross terms are negative


@pytest.mark.parametrize("n", [1, 5, 30])
def test_bound_is_attained_by_orthonormal_examples(n):
    X, y = np.eye(n), np.where(np.arange(n) % 2, 1, -1)
    run = pc.perceptron(X, y)
    w = pc.widest_direction(X, y)
    assert_allclose(pc.perceptron_bound(X, y, w).updates, n)
    assert len(run.rows) == n and run.converged


def test_widest_direction_beats_every_other():
    X, y, w = separable(3, gap=0.1)
    best = pc.widest_direction(X, y)
    assert_allclose(np.linalg.norm(best), 1)
    rng = np.random.default_rng(0)
    others = np.vstack([w, best + 0.1 * rng.normal(size=(500, 3))])
    assert pc.margin(X, y, best) >= max(pc.margin(X, y, v) for v in others)
    reference = ReferenceSVC(C=1e6, loss="hinge", fit_intercept=False, tol=1e-8, max_iter=1_000_000).fit(X, y).coef_[0]
    assert_allclose(reference / np.linalg.norm(reference), best, atol=1e-3)


def test_bound_and_direction_refuse_what_does_not_separate():
    X, y, w = separable(8)
    with pytest.raises(ValueError, match="w does not separate the classes: its margin is -"):
        pc.perceptron_bound(X, y, -w)
    with pytest.raises(ValueError, match="no hyperplane through the origin separates"):
        pc.widest_direction([[1.0], [1.0]], [1, -1])
    with pytest.raises(ValueError, match="zero vector"):
        pc.margin(X, y, np.zeros(3))


def test_signed_distance_is_the_length_of_the_perpendicular():
    rng = np.random.default_rng(1)
    X, w, b = rng.normal(size=(10, 3)), rng.normal(size=3), 0.7
    foot = X - pc.signed_distance(X, w, b)[:, None] * w / np.linalg.norm(w)
    assert_allclose(foot @ w + b, 0, atol=1e-12)


# Data that no hyperplane separates


XOR = add_intercept([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([-1, 1, 1, -1])


def test_xor_cycles():
    X, y = XOR
    run = pc.perceptron(X, y, max_passes=50)
    path = pc.weight_path(run, X, y)
    assert not run.converged and (run.mistakes == 4).all()
    assert_array_equal(path[4:], path[:-4])
    assert separation(X, (y + 1) // 2) == "none"


@pytest.mark.parametrize("seed", range(6))
def test_cylinders_are_not_left(seed):
    rng = np.random.default_rng(seed)
    A = np.vstack([np.eye(2 + seed % 2), -np.eye(2 + seed % 2), rng.integers(-1, 2, size=(3, 2 + seed % 2))])
    A = A[(A != 0).any(axis=1)]
    radii, flats = pc.invariant_radii(A), pc.flats(A)
    assert (np.diff(radii) < 0).all()

    def reach(W, radii):
        """Length across each flat as a share of the radius, the largest of all: at most 1 inside."""
        return np.max([np.linalg.norm(W - (W @ L) @ L.T, axis=1) / radii[L.shape[1]] for L in flats], axis=0)

    def leaving(radii):
        """Updates out of the region among weights on its edge with w . a just below 0, many nearly perpendicular to a flat.

        Only there can an update lengthen w, by about |a|^2 / (2 |w|^2) of its length: hence the tolerance.
        """
        count = 0
        for L in flats:
            for a in A:
                W = radii[0] * rng.normal(size=(1000, A.shape[1]))
                W -= rng.choice([0.5, 0.9, 0.999, 1], size=(len(W), 1)) * ((W @ L) @ L.T)
                W -= np.outer((W @ a + rng.uniform(0, a @ a, size=len(W))) / (a @ a), a)
                W = W[reach(W, radii) > 0]
                W /= reach(W, radii)[:, None]
                count += (reach(W[W @ a <= 0] + a, radii) > 1 + 1e-13).sum()
        return count

    assert leaving(radii) == 0
    assert leaving(np.full_like(radii, radii[0])) > 1000  # a ball is left


def test_weights_stay_bounded_for_adversarial_choices():
    X, y = XOR
    A, w, longest = y[:, None] * X, np.zeros(3), 0.0
    for _ in range(3000):  # always the mistake that makes w longest
        wrong = A[A @ w <= 0]
        w = w + wrong[np.argmax(np.linalg.norm(w + wrong, axis=1))]
        longest = max(longest, np.linalg.norm(w))
    assert longest <= pc.invariant_radii(A)[0]


def test_flats_of_a_small_set():
    dims = [L.shape[1] for L in pc.flats([[1.0, 0, 0], [2.0, 0, 0], [0, 1.0, 0], [1.0, 1.0, 0]])]
    assert sorted(dims) == [0, 1, 1, 1, 2]


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.05, 3))
def test_mistakes_of_one_pass_stay_below_the_online_bound(seed, gamma):
    X, y = overlapping(seed, n=80, d=3)
    w = np.random.default_rng(seed + 1).normal(size=3)
    for direction in (w, np.linalg.lstsq(X, y, rcond=None)[0]):
        assert pc.perceptron(X, y, max_passes=1).mistakes[0] <= pc.online_bound(X, y, direction, gamma)


def test_online_bound_reduces_to_the_first_bound():
    X, y, w = separable(3)
    bound = pc.perceptron_bound(X, y, w)
    assert_allclose(pc.online_bound(X, y, w, bound.margin), bound.updates)


# Pocket


def slow_pocket(X, y, max_updates, check, rng):
    """The algorithm box, one visit at a time, with the same draws as ``pocket``."""
    def errors_of(v):
        return int((y * (X @ v) <= 0).sum())

    w = best = np.zeros(X.shape[1])
    errors, run, best_run, updates, draws = len(X), 0, 0, 0, []
    while updates < max_updates and errors:
        if not draws:
            draws = list(rng.integers(len(X), size=64))
        i = draws.pop(0)
        if y[i] * (w @ X[i]) > 0:
            run += 1
            if best is w:
                best_run = max(best_run, run)
            elif check == "ratchet" and run == best_run + 1 and errors_of(w) < errors:
                best, errors, best_run = w, errors_of(w), run
        else:
            w, run, updates = w + y[i] * X[i], 0, updates + 1
            if check == "every_update" and errors_of(w) < errors:
                best, errors = w, errors_of(w)
    return best, errors


@pytest.mark.parametrize("check", ["ratchet", "every_update"])
@pytest.mark.parametrize("seed", range(4))
def test_pocket_equals_its_algorithm_box(check, seed):
    X, y = overlapping(seed, n=50, d=2)
    X = add_intercept(X)
    run = pc.pocket(X, y, check=check, max_updates=150, rng=seed)
    w, errors = slow_pocket(X, y, 150, check, np.random.default_rng(seed))
    assert_allclose(run.w, w, atol=1e-12)
    assert run.errors == errors == run.pocket_errors[-1] == (y * (X @ run.w) <= 0).sum()


def test_pocket_never_gets_worse_and_checks_less_with_the_ratchet():
    X, y = overlapping(2)
    X = add_intercept(X)
    ratchet, every = (pc.pocket(X, y, check=c, max_updates=800, rng=0) for c in ("ratchet", "every_update"))
    for run in (ratchet, every):
        assert (np.diff(run.pocket_errors) <= 0).all() and len(run.pocket_errors) == len(run.rows) + 1 == 801
    path = pc.weight_path(every, X, y)
    assert every.errors == ((y * (path[1:] @ X.T)) <= 0).sum(axis=1).min()
    assert every.n_checks == 800 and ratchet.n_checks < 400


def test_pocket_reaches_the_optimum_of_a_small_set():
    rng = np.random.default_rng(6)
    X, y = add_intercept(np.round(rng.normal(size=(12, 1)), 1)), np.where(rng.random(12) < 0.5, 1.0, -1.0)
    x = np.sort(X[:, 1])
    cuts = np.r_[x[0] - 1, (x[1:] + x[:-1]) / 2, x[-1] + 1]
    best = min(int((y * s * (X[:, 1] - c) <= 0).sum()) for c in cuts for s in (1, -1))
    for check in ("ratchet", "every_update"):
        assert pc.pocket(X, y, check=check, max_updates=5000, rng=1).errors == best


def test_pocket_stops_when_the_data_are_separable():
    X, y, _ = separable(1)
    for check in ("ratchet", "every_update"):
        run = pc.pocket(X, y, check=check, rng=0)
        assert run.errors == 0 and (y * (X @ run.w) > 0).all() and len(run.rows) < 1000


# Voting and averaging


@pytest.mark.parametrize("visits", ["cyclic", "shuffled"])
def test_lazy_average_equals_brute_force(visits):
    X, y = overlapping(n=120)
    run = pc.perceptron(X, y, visits=visits, max_passes=6, rng=2)
    lazy = pc.averaged_weights(run, X, y)
    assert_allclose(lazy, pc.brute_force_average(run, X, y), atol=1e-12)
    if visits == "cyclic":
        assert_allclose(lazy, one_by_one(X, y, 6).mean(axis=0), atol=1e-12)


def test_passes_after_convergence_are_counted_without_being_made():
    X, y, _ = separable(1)
    run = pc.perceptron(X, y)
    passes = len(run.mistakes) + 7
    assert_allclose(pc.averaged_weights(run, X, y, passes * len(X)), one_by_one(X, y, passes).mean(axis=0), atol=1e-12)
    assert pc.survival_counts(run, passes * len(X)).sum() == passes * len(X)


@pytest.mark.parametrize("passes", [1, 7])
def test_averaged_equals_scikit_learn(passes):
    X, y = overlapping()
    reference = sk.SGDClassifier(loss="perceptron", penalty=None, learning_rate="constant", eta0=1, average=True,
                                 shuffle=False, tol=None, max_iter=passes).fit(X, y)
    ours = pc.AveragedPerceptron(max_iter=passes).fit(X, y)
    assert_allclose(ours.coef_, reference.coef_[0], atol=1e-12)
    assert_allclose(ours.intercept_, reference.intercept_[0], atol=1e-12)


def test_voted_prediction_by_definition():
    X, y = overlapping(n=60, d=2)
    model = pc.VotedPerceptron(max_iter=3).fit(X, y)
    path = one_by_one(add_intercept(X), y, 3)
    new = np.random.default_rng(0).normal(size=(40, 2))
    votes = np.sign(add_intercept(new) @ path.T).sum(axis=1)
    assert_allclose(model.decision_function(new), votes / len(path), atol=1e-12)
    assert_array_equal(model.predict(new), np.where(votes > 0, 1.0, -1.0))


def test_averaging_generalizes_better_than_the_last_vector():
    gain = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        w = rng.normal(size=6)
        X, new = rng.normal(size=(100, 6)), rng.normal(size=(2000, 6))
        y, truth = np.sign(X @ w + rng.normal(size=100)), np.sign(new @ w)
        run = pc.perceptron(X, y, max_passes=5)
        gain.append(np.mean(np.sign(new @ pc.averaged_weights(run, X, y)) == truth) - np.mean(np.sign(new @ run.w) == truth))
    assert np.mean(gain) > 2 * np.std(gain) / np.sqrt(20)


# Many classes


def three_classes(seed=0, n=60, spread=0.5):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    return add_intercept(np.array([[0, 0], [4, 0], [0, 4]])[y] + spread * rng.normal(size=(n, 2))), y


def test_joint_features_put_x_in_its_block():
    x, W = np.array([1.0, -2.0, 3.0]), np.arange(12.0).reshape(4, 3)
    for c in range(4):
        assert_allclose(W.ravel() @ pc.joint_features(x, c, 4), W[c] @ x)
    assert_allclose(pc.joint_features(x, 2, 4), np.outer(np.eye(4)[2], x).ravel())
    interleaved = np.outer(np.eye(4)[2], x).ravel(order="F")  # the printed vec(y x^T) stacks columns
    assert not np.allclose(W.ravel() @ interleaved, W[2] @ x)


def test_kesler_vectors_by_definition():
    X, y = three_classes(n=6)
    want = [pc.joint_features(x, c, 3) - pc.joint_features(x, z, 3) for x, c in zip(X, y) for z in range(3) if z != c]
    assert_allclose(pc.kesler_vectors(X, y, 3), want)
    assert_allclose(np.linalg.norm(want, axis=1).max(), np.sqrt(2) * np.linalg.norm(X, axis=1).max())


def test_multiclass_equals_a_loop_and_updates_only_on_kesler_mistakes():
    X, y = three_classes(spread=1.5)
    run = pc.multiclass_perceptron(X, y, 3, max_passes=4)
    W, updates = np.zeros((3, 3)), 0
    for _ in range(4):
        for x, c in zip(X, y):
            scores = W @ x
            rival = max((z for z in range(3) if z != c), key=lambda z: (scores[z], -z))
            if scores[c] <= scores[rival]:
                z = pc.joint_features(x, c, 3) - pc.joint_features(x, rival, 3)
                assert W.ravel() @ z <= 0
                W, updates = W + z.reshape(3, 3), updates + 1
    assert_allclose(run.W, W, atol=1e-12)
    assert len(run.rows) == updates
    assert_allclose(run.W.sum(axis=0), 0, atol=1e-12)  # what one class gains another loses


def test_multiclass_stays_below_its_bound():
    for seed in range(10):
        X, y = three_classes(seed)
        Z = pc.kesler_vectors(X, y, 3)
        ones = np.ones(len(Z))
        bound = pc.perceptron_bound(Z, ones, pc.widest_direction(Z, ones))
        run = pc.multiclass_perceptron(X, y, 3, visits="shuffled", rng=seed)
        assert run.converged and len(run.rows) <= bound.updates
        assert (Z @ run.W.ravel() > 0).all()


def test_two_classes_are_the_binary_perceptron():
    X, y = overlapping(n=80, d=3)
    two = pc.multiclass_perceptron(X, (y > 0).astype(int), 2, max_passes=5)
    one = pc.perceptron(X, y, max_passes=5)
    assert_array_equal(two.rows, one.rows)
    assert_allclose(two.W, [-one.w, one.w], atol=1e-12)


def test_multiclass_average_is_the_mean_over_visits():
    X, y = three_classes(spread=2.0)
    model = pc.MulticlassPerceptron(fit_intercept=False, average=True, max_iter=3).fit(X, y)
    W, total = np.zeros((3, 3)), np.zeros((3, 3))
    for _ in range(3):
        for x, c in zip(X, y):
            scores = W @ x
            others = np.where(np.arange(3) == c, -np.inf, scores)
            if scores[c] <= others.max():
                W = W + np.outer(np.eye(3)[c] - np.eye(3)[others.argmax()], x)
            total += W
    assert_allclose(model.coef_, total / (3 * len(X)), atol=1e-12)


# The wrappers


def digits():
    data = load_digits()
    return Standardizer().fit_transform(data.data)[:400], data.target[:400]


@pytest.mark.parametrize("data", [digits, lambda: load_iris(return_X_y=True)])
def test_wrappers_equal_scikit_learn(data):
    X, y = data()
    averaged = {"loss": "perceptron", "penalty": None, "learning_rate": "constant", "eta0": 1, "average": True,
                "shuffle": False, "tol": None}
    for ours, theirs in ((pc.OneVsRest, OneVsRestClassifier), (pc.OneVsOne, OneVsOneClassifier)):
        model = ours(pc.AveragedPerceptron(max_iter=4)).fit(X, y)
        reference = theirs(sk.SGDClassifier(max_iter=4, **averaged)).fit(X, y)
        assert len(model.estimators_) == len(reference.estimators_)
        assert_allclose(model.decision_function(X), reference.decision_function(X), atol=1e-9)
        assert_array_equal(model.predict(X), reference.predict(X))


def test_wrappers_around_logistic_regression_and_scikit_learn_models():
    X, y = load_iris(return_X_y=True)
    for wrapper, theirs in ((pc.OneVsRest, OneVsRestClassifier), (pc.OneVsOne, OneVsOneClassifier)):
        reference = theirs(sk.LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000)).fit(X, y)
        for base in (LogisticRegression(), sk.LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000)):
            model = wrapper(base).fit(X, y)
            assert_array_equal(model.predict(X), reference.predict(X))
            assert_allclose(model.decision_function(X), reference.decision_function(X), atol=1e-3)
            assert not hasattr(base, "coef_"), "copies are fitted, not the model that was passed"


class Stump(Estimator):
    """The sign of the first feature: labels only, no scores."""

    kind = "classifier"

    def fit(self, X, y):
        self.sign_ = 1 if np.mean(y[X[:, 0] > 0]) >= 0 else -1
        return self

    def predict(self, X):
        return np.where(X[:, 0] > 0, self.sign_, -self.sign_)


class Confident(Stump):
    def predict_proba(self, X):
        p = sigmoid(self.sign_ * X[:, 0])
        return np.column_stack([1 - p, p])


def test_models_without_scores():
    X = np.array([[-2.0, 0], [-1.0, 0], [1.0, 0], [2.0, 0]])
    assert_array_equal(pc.OneVsRest(Stump()).fit(X, [0, 0, 1, 1]).predict(X), [0, 0, 1, 1])
    assert_array_equal(pc.OneVsOne(Stump()).fit(X, [0, 0, 1, 1]).predict(X), [0, 0, 1, 1])
    assert_allclose(pc.binary_score(Confident().fit(X, np.array([-1, -1, 1, 1])), X), sigmoid(X[:, 0]) - 0.5)


def test_votes_and_sizes():
    X, y = digits()
    model = pc.OneVsOne().fit(X, y)
    assert len(model.estimators_) == len(model.pairs_) == 45
    votes = model.votes(X)
    assert (votes.sum(axis=1) == 45).all()
    assert (np.abs(model.decision_function(X) - votes) < 1 / 3).all()
    assert len(pc.OneVsRest().fit(X, y).estimators_) == 10


def test_two_classes_need_one_model():
    X, y = overlapping(n=60, d=2)
    names = np.where(y > 0, "yes", "no")
    alone = pc.AveragedPerceptron().fit(X, names)
    for wrapper in (pc.OneVsRest(), pc.OneVsOne()):
        wrapper.fit(X, names)
        assert len(wrapper.estimators_) == 1
        assert_array_equal(wrapper.predict(X), alone.predict(X))
        assert_allclose(wrapper.decision_function(X), alone.decision_function(X))


# Bad input


@pytest.mark.parametrize("y, shown", [([0, 1, 1], r"\[0 1\]"), ([1, -1, 2], r"\[-1  1  2\]"), (["a", "b", "a"], "a"),
                                      ([[1], [1], [1]], "shape")])
def test_functions_want_signs(y, shown):
    X = np.ones((3, 2))
    for function in (pc.perceptron, pc.pocket, pc.widest_direction):
        with pytest.raises(ValueError, match=rf"y must hold the labels -1 and \+1 in one row, got .*{shown}.*2 \* y - 1"):
            function(X, y)


BINARY = (pc.Perceptron, pc.PocketPerceptron, pc.VotedPerceptron, pc.AveragedPerceptron)
EVERY = (*BINARY, pc.MulticlassPerceptron, pc.OneVsRest, pc.OneVsOne)


@pytest.mark.parametrize("cls", EVERY, ids=lambda c: c.__name__)
def test_labels_of_the_wrong_form(cls):
    X = np.random.default_rng(0).normal(size=(6, 2))
    with pytest.raises(ValueError, match=r"y has 1 class \(7\), but at least 2 are needed"):
        cls().fit(X, [7] * 6)
    with pytest.raises(ValueError, match="fractional numbers"):
        cls().fit(X, [0.5, 1.0, 0.2, 1, 0, 1])
    with pytest.raises(ValueError, match=r"y must be 1-D"):
        cls().fit(X, np.ones((6, 1)))
    if cls in BINARY:
        with pytest.raises(ValueError, match=f"y has 3 classes; {cls.__name__} takes two"):
            cls().fit(X, [0, 1, 2, 0, 1, 2])


@pytest.mark.parametrize("cls", BINARY, ids=lambda c: c.__name__)
def test_any_two_labels_will_do(cls):
    X, y, _ = separable(1)
    for labels in ((-1, 1), (0, 1), ("no", "yes"), (False, True)):
        named = np.array(labels)[(y > 0).astype(int)]
        model = cls(random_state=0).fit(X, named)
        assert model.score(X, named) > 0.9 and set(model.predict(X)) <= set(named)


def test_hyperparameters_are_checked():
    X, y = XOR
    with pytest.raises(ValueError, match="max_iter must be an integer >= 1, got 0"):
        pc.Perceptron(max_iter=0).fit(X, y)
    with pytest.raises(ValueError, match="check must be one of 'ratchet', 'every_update'; got 'always'"):
        pc.PocketPerceptron(check="always").fit(X, y)
    with pytest.raises(ValueError, match="visits must be one of 'cyclic', 'shuffled', 'first'; got 'random'"):
        pc.perceptron(X, y, visits="random")
    with pytest.raises(ValueError, match="step must be a number > 0, got 0"):
        pc.perceptron(X, y, step=0)
    with pytest.raises(ValueError, match="w has 2 entries, but X has 3 columns"):
        pc.perceptron(X, y, [1.0, 2.0])
    with pytest.raises(ValueError, match=r"class numbers 0\.\.2"):
        pc.multiclass_perceptron(X, [0, 1, 2, 3], 3)
    for wrapper in (pc.OneVsRest, pc.OneVsOne):
        with pytest.raises(ValueError, match="estimator must be a binary classifier object with fit, predict and get_params"):
            wrapper(pc.Perceptron).fit(X, y)
        with pytest.raises(ValueError, match="estimator must be a binary classifier"):
            wrapper("perceptron").fit(X, y)


def test_not_converging_warns_with_advice():
    X, y = XOR
    with pytest.warns(ConvergenceWarning, match="did not converge in max_iter=20 iterations; .*PocketPerceptron"):
        pc.Perceptron(max_iter=20).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="average=True"):
        pc.MulticlassPerceptron(max_iter=20).fit(X, y)
    assert not pc.AveragedPerceptron().fit(X, y).converged_
    assert not pc.PocketPerceptron(max_iter=50, random_state=0).fit(X, y).converged_


def test_without_a_bias_the_hyperplane_passes_through_the_origin():
    X, y = np.array([[1.0, 0.0], [-1.0, 0.5]]), [1, -1]
    model = pc.Perceptron(fit_intercept=False).fit(X, y)
    assert model.intercept_ == 0 and model.coef_.shape == (2,)
    with pytest.raises(ValueError, match="X has 3 features, but this model was fitted with 2"):
        pc.VotedPerceptron(fit_intercept=False).fit(X, y).predict(np.ones((1, 3)))
