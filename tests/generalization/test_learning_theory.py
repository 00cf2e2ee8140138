"""Learning theory: bounds against exact probabilities, counts against brute force and formulas, numbers of the notes."""

import itertools
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import brentq
from scipy.stats import binom

from mlcore.generalization import learning_theory as lt

# ---------------------------------------------------------------- concentration


@pytest.mark.parametrize(("n", "eps", "value"), [(10, 0.1, 1.637), (100, 0.1, 0.2707), (1000, 0.1, 4.1e-9), (1000, 0.05, 0.01348)])
def test_hoeffding_numbers(n, eps, value):
    assert_allclose(lt.hoeffding_bound(n, eps), value, rtol=6e-3)


def test_exact_tail_is_a_sum_of_binomial_terms_and_lies_below_the_bound():
    for n, mu, eps in itertools.product((1, 2, 7, 10, 40, 100), (0.0, 0.03, 0.1, 0.5, 0.7, 1.0), (0.0, 0.05, 0.1, 0.3, 0.5)):
        terms = sum(binom.pmf(j, n, mu) for j in range(n + 1) if abs(j - n * mu) > n * eps + 1e-7)
        tail = lt.binomial_tail(n, eps, mu)
        assert_allclose(tail, terms, rtol=1e-9, atol=1e-12)
        assert tail <= lt.hoeffding_bound(n, eps) + 1e-12


@pytest.mark.parametrize(("n", "eps", "mu", "value"), [
    (10, 0.3, 0.5, 22 / 1024), (100, 0.1, 0.5, 0.0352), (1000, 0.05, 0.5, 0.00139), (1000, 0.05, 0.1, 2.8e-7)])
def test_exact_tail_numbers(n, eps, mu, value):
    assert_allclose(lt.binomial_tail(n, eps, mu), value, rtol=2e-2)


def test_simulated_bins_follow_the_exact_tail():
    nu = lt.bin_model(0.3, 40, 20_000, rng=3)
    p = lt.binomial_tail(40, 0.1, 0.3)
    share = np.mean(np.abs(nu * 40 - 12) > 4.5)
    assert abs(share - p) < 4 * math.sqrt(p * (1 - p) / 20_000)


def test_radius_sample_size_and_bound_are_inverse():
    for n, delta, M, width in itertools.product((10, 500), (0.01, 0.3), (1, 50), (1.0, 4.0)):
        eps = lt.hoeffding_radius(n, delta, M, width)
        assert_allclose(lt.hoeffding_bound(n, eps, M, width), delta)
        need = lt.hoeffding_sample_size(eps * 1.0000001, delta, M, width)
        assert need == n
    for eps, delta, M in ((0.05, 0.05, 1), (0.1, 0.3, 12), (0.9, 0.5, 1)):
        n = lt.hoeffding_sample_size(eps, delta, M)
        assert lt.hoeffding_bound(n, eps, M) <= delta and (n == 1 or lt.hoeffding_bound(n - 1, eps, M) > delta)


def test_error_bar_numbers_of_the_notes():
    got = [lt.hoeffding_radius(n, 0.05, M) for n, M in ((100, 1), (1000, 1), (1000, 100), (1000, 10**6))]
    assert_allclose(got, [0.1358, 0.0429, 0.0644, 0.0936], atol=5e-5)
    assert [lt.hoeffding_sample_size(0.05, 0.05, M) for M in (1, 100, 10**4, 10**6)] == [738, 1659, 2580, 3501]
    assert [lt.hoeffding_sample_size(0.05, 0.05, 2 ** (64 * d)) for d in (1, 10)] == [9611, 89461]


def test_bounded_variables_obey_the_bound_with_their_width():
    rng = np.random.default_rng(0)
    cost = np.where(rng.uniform(size=(20_000, 30)) < 0.3, 10.0, 0.0)          # weighted errors in [0, 10]
    gap = np.abs(cost.mean(axis=1) - 3.0)
    for eps in (2.0, 3.0):
        assert np.mean(gap > eps) <= lt.hoeffding_bound(30, eps, width=10.0)
    assert np.mean(gap > 2.0) > lt.hoeffding_bound(30, 2.0)                   # the bound for width 1 does not hold


def test_selection_breaks_the_single_bound_and_keeps_the_union_bound():
    first, fewest = lt.coin_experiment(1000, 10, 400, rng=1)
    eps = 0.4
    p = lt.binomial_tail(10, eps, 0.5)
    assert np.mean(np.abs(first - 0.5) > eps) < p + 4 * math.sqrt(p / 400)
    assert np.mean(np.abs(fewest - 0.5) > eps) > lt.hoeffding_bound(10, eps)
    assert np.mean(np.abs(fewest - 0.5) > eps) <= min(1, lt.hoeffding_bound(10, eps, 1000))


def test_sup_gap_of_rays_is_the_largest_over_a_fine_grid():
    n, trials, flip = 7, 40, 0.2
    gap = lt.sup_gap_of_rays(n, trials, flip, rng=5)
    rng = np.random.default_rng(5)
    x = np.sort(rng.uniform(size=(trials, n)), axis=1)
    y = (x >= 0.5) != (rng.uniform(size=(trials, n)) < flip)
    a = np.linspace(0, 1, 20_001)
    E_in = ((x[:, None] > a[:, None]) != y[:, None]).mean(axis=2)             # (trials, grid)
    E_out = flip + (1 - 2 * flip) * np.abs(a - 0.5)
    grid = np.abs(E_in - E_out).max(axis=1)
    assert (grid <= gap + 1e-12).all() and (gap - grid < 1e-3).all()


def test_ghost_gap_of_rays_is_that_of_two_samples_and_obeys_the_ghost_step():
    n, flip = 6, 0.2
    rng = np.random.default_rng(8)
    direct = []
    for _ in range(4000):
        x = rng.uniform(size=(2, n))
        y = (x >= 0.5) != (rng.uniform(size=(2, n)) < flip)
        a = np.r_[-1.0, x.ravel()]
        wrong = ((x[:, None] > a[:, None]) != y[:, None]).mean(axis=2)        # (2 samples, thresholds)
        direct.append(np.abs(wrong[0] - wrong[1]).max())
    ours = lt.ghost_gap_of_rays(n, 4000, flip, rng=0)
    for k in range(1, n + 1):
        p, q = np.mean(np.array(direct) > (k - 0.5) / n), np.mean(ours > (k - 0.5) / n)
        assert abs(p - q) < 4.5 * math.sqrt(2 * (p + 0.001) * (1 - p + 0.001) / 4000)
    for size, eps in ((50, 0.2), (200, 0.11)):                                # n eps^2 >= 2
        left = np.mean(lt.sup_gap_of_rays(size, 2000, flip, rng=1) > eps)
        assert 0 < left <= 2 * np.mean(lt.ghost_gap_of_rays(size, 2000, flip, rng=2) > eps / 2)


# ---------------------------------------------------------------- dichotomies


@pytest.mark.parametrize("n", range(1, 8))
def test_counts_on_the_line(n):
    x = np.random.default_rng(n).normal(size=n)
    assert len(lt.ray_dichotomies(x)) == n + 1
    assert len(lt.interval_dichotomies(x)) == math.comb(n + 1, 2) + 1
    for changes in range(4):
        assert len(lt.sign_change_dichotomies(x, changes)) == 2 * sum(math.comb(n - 1, i) for i in range(changes + 1))


def test_dichotomies_are_those_of_random_hypotheses():
    rng = np.random.default_rng(0)
    x = rng.uniform(size=4)
    a, b = rng.uniform(-0.2, 1.2, size=(2, 5000))
    assert_array_equal(lt.distinct(np.where(x > a[:, None], 1, -1)), lt.ray_dichotomies(x))
    inside = (x > a[:, None]) & (x < b[:, None])
    assert_array_equal(lt.distinct(np.where(inside, 1, -1)), lt.interval_dichotomies(x))
    X = rng.normal(size=(5, 2))
    w, c = rng.normal(size=(60_000, 2)), 2 * rng.normal(size=60_000)
    assert_array_equal(lt.distinct(np.where(w @ X.T + c[:, None] > 0, 1, -1)), lt.line_dichotomies(X))


def test_equal_points_get_equal_labels():
    assert len(lt.ray_dichotomies([1.0, 1.0])) == 2
    assert len(lt.interval_dichotomies([1.0, 1.0, 2.0])) == 4
    assert len(lt.sign_change_dichotomies([1.0, 1.0], 3)) == 2
    assert len(lt.line_dichotomies([[1.0, 1.0], [1.0, 1.0], [2.0, 0.0]])) == len(lt.perceptron_dichotomies(np.eye(2))) == 4
    assert len(lt.line_dichotomies([[1.0, 1.0]] * 3)) == 2


def test_convex_sets_shatter_a_circle_but_not_a_triangle_with_its_center():
    angle = 2 * np.pi * np.arange(6) / 6
    assert lt.shatters(lt.convex_dichotomies(np.column_stack([np.cos(angle), np.sin(angle)])))
    rows = lt.convex_dichotomies([[0, 0], [3, 0], [0, 3], [1, 1]])
    missing = {tuple(r) for r in lt.all_labelings(4)} - {tuple(r) for r in rows}
    assert missing == {(1, 1, 1, -1)}


@pytest.mark.parametrize("n", range(1, 8))
def test_lines_two_routes_and_the_formula(n):
    X = np.random.default_rng(n).integers(-40, 40, size=(n, 2)) + np.random.default_rng(9).uniform(size=(n, 2))
    sweep = lt.line_dichotomies(X)
    assert_array_equal(sweep, lt.perceptron_dichotomies(X))
    assert len(sweep) == lt.perceptron_growth(n, 2) == n * n - n + 2


@pytest.mark.parametrize("seed", range(12))
def test_lines_two_routes_on_small_grids_with_many_ties(seed):
    X = np.random.default_rng(seed).integers(0, 3, size=(5, 2))
    assert_array_equal(lt.line_dichotomies(X), lt.perceptron_dichotomies(X))
    assert len(lt.line_dichotomies(X)) <= lt.perceptron_growth(5, 2)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_cover_count_in_other_dimensions(d):
    X = np.random.default_rng(d).normal(size=(d + 3, d))
    assert len(lt.perceptron_dichotomies(X)) == lt.perceptron_growth(d + 3, d)


@pytest.mark.parametrize("d", range(1, 6))
def test_vc_dimension_of_perceptrons_both_ways(d):
    simplex = np.vstack([np.zeros(d), np.eye(d)])
    assert lt.shatters(lt.perceptron_dichotomies(simplex))
    for seed in range(5):
        X = np.random.default_rng(seed).normal(size=(d + 2, d))
        assert not lt.linearly_separable(X, lt.radon_labeling(X))
    X = np.zeros((d + 2, d))                                # all points equal: dependent in many ways
    assert not lt.linearly_separable(X, lt.radon_labeling(X))


def test_separating_hyperplane_separates_and_scale_does_not_matter():
    rng = np.random.default_rng(2)
    for scale in (1e-6, 1.0, 1e6):
        X = rng.normal(size=(20, 3))
        y = np.where(X @ [1.0, -2.0, 0.5] > 0.2, 1, -1)
        X = 50 * scale + scale * X
        w, b = lt.separating_hyperplane(X, y)
        assert (y * (X @ w + b) > 0).all()
    assert lt.separating_hyperplane([[0.0, 0], [2, 0], [1, 0]], [1, 1, -1]) is None
    assert lt.separating_hyperplane([[0.0, 0], [0, 0]], [1, -1]) is None


def test_shattering_and_vc_dimension_of_a_family():
    rows = lt.all_labelings(4)
    few = rows[(rows == 1).sum(axis=1) <= 2]
    assert lt.vc_dimension(few) == 2 and len(few) == lt.sauer_sum(4, 2)
    assert lt.vc_dimension(rows) == 4 and lt.shatters(rows)
    assert lt.vc_dimension([[1, -1]]) == 0
    for k, make in ((1, lt.ray_dichotomies), (2, lt.interval_dichotomies)):
        assert lt.vc_dimension(make(np.arange(6.0))) == k
    assert lt.vc_dimension(lt.line_dichotomies(np.random.default_rng(1).normal(size=(6, 2)))) == 3


# ---------------------------------------------------------------- bounding function and VC bound


def test_table_is_closed_form_and_brute_force():
    B = lt.bounding_table(8, 7)
    for n, k in itertools.product(range(1, 9), range(1, 8)):
        assert B[n - 1, k - 1] == lt.sauer_sum(n, k - 1)
    assert B[7].tolist() == [1, 9, 37, 93, 163, 219, 247]
    for n, k in itertools.product(range(1, 5), range(1, 5)):
        assert lt.largest_family(n, k) == B[n - 1, k - 1]


def test_sauer_bounds_every_counted_growth_function():
    for n in range(1, 8):
        X = np.random.default_rng(n).normal(size=(n, 2))
        assert len(lt.line_dichotomies(X)) <= lt.sauer_sum(n, 3) <= n**3 + 1
        assert len(lt.interval_dichotomies(X[:, 0])) == lt.sauer_sum(n, 2)     # intervals reach the bound


@pytest.mark.parametrize("d", range(1, 8))
def test_polynomial_and_exponential_bounds_on_the_sum(d):
    for n in range(1, 40):
        total = lt.sauer_sum(n, d)
        assert total <= n**d + 1
        assert_allclose(lt.log_growth_bound(n, d, "sauer"), math.log(total), rtol=1e-10, atol=1e-12)
        assert_allclose(lt.log_growth_bound(n, d), math.log(n**d + 1), rtol=1e-12)
        if n >= d:
            assert total <= (math.e * n / d) ** d


@pytest.mark.parametrize(("eps", "delta", "d", "growth", "root"), [
    (0.1, 0.1, 1, "polynomial", 10946.26), (0.1, 0.1, 2, "polynomial", 19897.50), (0.1, 0.1, 3, "polynomial", 29299.43),
    (0.1, 0.1, 10, "polynomial", 100651.65), (0.05, 0.05, 3, "polynomial", 134011.21), (0.1, 0.05, 3, "polynomial", 29902.88),
    (0.01, 0.1, 3, "polynomial", 4116806.9), (0.1, 0.1, 3, "sauer", 27734.5), (0.1, 0.1, 10, "sauer", 87442.5)])
def test_sample_sizes_solve_the_equation(eps, delta, d, growth, root):
    found = lt.vc_sample_size(eps, delta, d, growth)
    assert abs(found.n - root) < 1.01
    assert lt.vc_radius(found.n, d, delta, growth) <= eps < lt.vc_radius(found.n - 1, d, delta, growth)
    assert (np.diff(found.path) < 0).all()
    if growth == "polynomial":
        solved = brentq(lambda n: n - 8 / eps**2 * math.log(4 * ((2 * n) ** d + 1) / delta), 100, 1e8, xtol=1e-8)
        assert found.n == math.ceil(solved)
        assert_allclose(solved, root, atol=0.06)


def test_vc_probability_and_radius_agree():
    for n, d, delta in itertools.product((50, 3000), (0, 1, 5), (0.01, 0.2)):
        for growth in lt.GROWTH_FORMS:
            assert_allclose(lt.vc_probability(n, lt.vc_radius(n, d, delta, growth), d, growth), delta)
    assert lt.vc_radius(29300, 3, 0.1) <= 0.1 < lt.vc_radius(29299, 3, 0.1)
    assert lt.vc_probability(1000, 0.01, 500) == math.inf                      # too large for a float, not an error


def test_vc_inequality_holds_for_simulated_rays():
    for n in (200, 1000):
        gap = np.quantile(lt.sup_gap_of_rays(n, 400, 0.1, rng=n), 0.95)
        assert lt.hoeffding_radius(n, 0.05) * 0.8 < gap < lt.vc_radius(n, 1, 0.05)


def test_union_and_intersection():
    x = np.arange(6.0)
    rays = lt.ray_dichotomies(x)
    both = lt.distinct(np.vstack([rays, -rays]))
    assert [len(lt.distinct(np.vstack([r, -r]))) for r in (lt.ray_dichotomies(x[:n]) for n in (1, 2, 3))] == [2, 4, 6]
    assert lt.vc_dimension(both) == 2 <= lt.union_vc_bound([1, 1]) == 3
    for d1, d2 in ((0, 0), (1, 0), (1, 2), (2, 2)):         # at most d1 pluses, at most d2 minuses: the bound is reached
        m = d1 + d2 + 1
        rows = lt.all_labelings(m)
        few, many = rows[(rows == 1).sum(axis=1) <= d1], rows[(rows == -1).sum(axis=1) <= d2]
        assert (lt.vc_dimension(few), lt.vc_dimension(many)) == (d1, d2)
        assert lt.vc_dimension(np.vstack([few, many])) == m == lt.union_vc_bound([d1, d2])


# ---------------------------------------------------------------- errors and ERM


def test_no_free_lunch_count():
    targets = lt.consistent_targets([0, 1, 1, 0, 1, None, None, None])
    assert targets.shape == (8, 8) and len(np.unique(targets, axis=0)) == 8
    for guess in itertools.product((0, 1), repeat=3):
        correct = (targets[:, 5:] == guess).sum(axis=1)
        assert_array_equal(np.bincount(correct, minlength=4), [1, 3, 3, 1])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("max_changes", [0, 1, 2, 4, 20])
def test_dynamic_program_finds_the_best_labeling(max_changes, weighted):
    rng = np.random.default_rng(max_changes)
    x = rng.integers(0, 7, size=9).astype(float)            # ties included
    y = rng.choice([-1, 1], size=9)
    w = rng.integers(1, 6, size=9).astype(float) if weighted else np.ones(9)
    best = min(lt.weighted_error(row, y, w) for row in lt.sign_change_dichotomies(x, max_changes))
    fit = lt.fit_sign_changes(x, y, max_changes, weights=w if weighted else None)
    assert_allclose([fit.error, lt.weighted_error(fit.predict(x), y, w)], best)
    assert len(fit.cuts) <= max_changes


def test_weights_are_virtual_copies():
    rng = np.random.default_rng(1)
    x, y, w = rng.normal(size=12), rng.choice([-1, 1], size=12), rng.integers(0, 5, size=12)
    copied = lt.fit_sign_changes(np.repeat(x, w), np.repeat(y, w), 2)
    weighted = lt.fit_sign_changes(x, y, 2, weights=w)
    assert_allclose(copied.error * w.sum(), weighted.error * 12)


def test_ideal_targets_minimize_the_expected_error():
    rng = np.random.default_rng(0)
    losses = {"zero_one": lambda a, y: a != y, "squared": lambda a, y: (a - y) ** 2, "absolute": lambda a, y: abs(a - y)}
    for _ in range(20):
        labels = np.sort(rng.choice(20, size=5, replace=False)).astype(float)
        p = rng.dirichlet(np.ones(5))
        order = rng.permutation(5)
        for name, loss in losses.items():
            grid = np.union1d(labels, np.linspace(0, 20, 2001))
            best = min((p * loss(a, labels)).sum() for a in grid)
            ours = lt.ideal_target(p[order], labels[order], name)
            assert (p * loss(ours, labels)).sum() <= best + 1e-9
    assert [lt.ideal_target([0.2, 0.7, 0.1], [1, 2, 3], m) for m in ("zero_one", "squared")] == [2, 1.9]


def test_threshold_is_where_the_two_expected_costs_meet():
    for c_fa, c_fr in ((1, 10), (1000, 1), (1, 1)):
        p = lt.acceptance_threshold(c_fa, c_fr)
        assert_allclose((1 - p) * c_fa, p * c_fr)
    assert lt.acceptance_threshold(1, 1) == 0.5


def test_noisy_error():
    rng = np.random.default_rng(4)
    differs, flipped = rng.uniform(size=200_000) < 0.1, rng.uniform(size=200_000) < 0.1
    assert_allclose(np.mean(differs != flipped), lt.noisy_error(0.1, 0.1), atol=4 * math.sqrt(0.18 / 200_000))
    assert_allclose([lt.noisy_error(0.1, 0.1), lt.noisy_error(0.37, 0.5), lt.noisy_error(0.2, 0.0)], [0.18, 0.5, 0.2])


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(("call", "message"), [
    (lambda: lt.hoeffding_bound(0, 0.1), "n must be an integer >= 1"),
    (lambda: lt.hoeffding_bound(10, -0.1), "eps must be a number >= 0"),
    (lambda: lt.hoeffding_radius(10, 1.0), "delta must be a number > 0 and < 1"),
    (lambda: lt.hoeffding_sample_size(0, 0.1), "eps must be a number > 0"),
    (lambda: lt.binomial_tail(10, 0.1, 1.5), "mu must be a number >= 0 and <= 1"),
    (lambda: lt.bin_model(0.5, 10, 0), "trials must be an integer >= 1"),
    (lambda: lt.all_labelings(40), "n must be an integer >= 0 and <= 16"),
    (lambda: lt.distinct([[0, 1]]), "labelings must hold -1 and"),
    (lambda: lt.line_dichotomies([[1.0, 2.0, 3.0]]), "two columns; got 3"),
    (lambda: lt.linearly_separable([[1.0]], [0]), "y must hold the labels -1 and"),
    (lambda: lt.linearly_separable([[1.0], [2.0]], [1]), "X has 2 rows, but y has 1 values"),
    (lambda: lt.radon_labeling(np.eye(3)), "at least d \\+ 2 = 5 points"),
    (lambda: lt.largest_family(5, 2), "n must be an integer >= 1 and <= 4"),
    (lambda: lt.log_growth_bound(10, 2, "exact"), "growth must be one of 'polynomial', 'sauer'"),
    (lambda: lt.vc_probability(0, 0.1, 3), "n must be an integer >= 1"),
    (lambda: lt.vc_sample_size(0.0, 0.1, 3), "eps must be a number > 0"),
    (lambda: lt.union_vc_bound([]), "at least one class"),
    (lambda: lt.union_vc_bound([2, -1]), "each VC dimension must be an integer >= 0"),
    (lambda: lt.consistent_targets([0, 2]), "0, 1 and None"),
    (lambda: lt.weighted_error([1, 1], [1]), "2 predictions, but 1 labels"),
    (lambda: lt.weighted_error([1], [1], weights=[-1]), "weights must be 1 numbers >= 0"),
    (lambda: lt.fit_sign_changes([1.0, 2.0], [1, -1], -1), "max_changes must be an integer >= 0"),
    (lambda: lt.ideal_target([0.5, 0.4], [0, 1]), "sum to 1"),
    (lambda: lt.ideal_target([0.5, 0.5], [0, 1, 2]), "2 probabilities, but 3 labels"),
    (lambda: lt.ideal_target([1.0], [0], "hinge"), "measure must be one of"),
    (lambda: lt.acceptance_threshold(0, 1), "false_accept must be a number > 0"),
    (lambda: lt.noisy_error(0.1, 2), "flip must be a number >= 0 and <= 1"),
    (lambda: lt.sup_gap_of_rays(5, 5, flip=-1), "flip must be a number >= 0"),
    (lambda: lt.ghost_gap_of_rays(5, 0), "trials must be an integer >= 1"),
    (lambda: lt.hoeffding_bound(10, 0.1, n_hypotheses=0), "n_hypotheses must be an integer >= 1"),
])
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_read_only_input_is_not_changed():
    X = np.random.default_rng(0).normal(size=(5, 2))
    y = np.array([1, -1, 1, -1, 1])
    X.setflags(write=False)
    y.setflags(write=False)
    lt.line_dichotomies(X)
    lt.linearly_separable(X, y)
    lt.fit_sign_changes(X[:, 0], y, 2, weights=np.ones(5))
