"""Optimizers against torch, rates against theory, line search, Newton, schedules, the noise of stochastic gradients."""

import itertools
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import solve_discrete_lyapunov
from scipy.optimize import rosen, rosen_der, rosen_hess

from mlcore.foundations.gradient_descent import (
    SGD,
    Adadelta,
    Adagrad,
    Adam,
    AdamW,
    Optimizer,
    Quadratic,
    RMSProp,
    backtracking,
    batch_covariance,
    best_momentum,
    best_step,
    contraction,
    cosine_decay,
    exponential_decay,
    inverse_decay,
    minibatches,
    minimize,
    newton,
    noise_floor,
    square_root_decay,
    stationary_covariance,
    step_decay,
    step_limit,
    stochastic_minimize,
    warmup,
)
from mlcore.foundations.mathematics import gradient_error

BOWL = Quadratic(np.diag([1.0, 25.0]))
START = np.array([10.0, 1.0])

# ours, torch's; hyperparameters off their defaults, so that a swapped or ignored one shows
PAIRS = {
    "gradient descent": (SGD(0.01), torch.optim.SGD, {"lr": 0.01}),
    "weight decay": (SGD(0.01, weight_decay=0.3), torch.optim.SGD, {"lr": 0.01, "weight_decay": 0.3}),
    "momentum": (SGD(0.01, momentum=0.8, weight_decay=0.1), torch.optim.SGD, {"lr": 0.01, "momentum": 0.8, "weight_decay": 0.1}),
    "nesterov": (SGD(0.01, momentum=0.8, nesterov=True), torch.optim.SGD, {"lr": 0.01, "momentum": 0.8, "nesterov": True}),
    "adagrad": (Adagrad(0.4, eps=1e-3, weight_decay=0.1), torch.optim.Adagrad, {"lr": 0.4, "eps": 1e-3, "weight_decay": 0.1}),
    "rmsprop": (RMSProp(0.05, rho=0.7, eps=1e-3, weight_decay=0.1), torch.optim.RMSprop,
                {"lr": 0.05, "alpha": 0.7, "eps": 1e-3, "weight_decay": 0.1}),
    "adadelta": (Adadelta(0.7, rho=0.6, eps=1e-3, weight_decay=0.1), torch.optim.Adadelta,
                 {"lr": 0.7, "rho": 0.6, "eps": 1e-3, "weight_decay": 0.1}),
    "adam": (Adam(0.1, betas=(0.7, 0.95), eps=1e-3, weight_decay=0.1), torch.optim.Adam,
             {"lr": 0.1, "betas": (0.7, 0.95), "eps": 1e-3, "weight_decay": 0.1}),
    "amsgrad": (Adam(0.1, betas=(0.7, 0.6), amsgrad=True), torch.optim.Adam, {"lr": 0.1, "betas": (0.7, 0.6), "amsgrad": True}),
    "adamw": (AdamW(0.1, betas=(0.7, 0.95), weight_decay=0.3), torch.optim.AdamW, {"lr": 0.1, "betas": (0.7, 0.95), "weight_decay": 0.3}),
    "default sgd": (SGD(), torch.optim.SGD, {}), "default adagrad": (Adagrad(), torch.optim.Adagrad, {}),
    "default rmsprop": (RMSProp(), torch.optim.RMSprop, {}), "default adadelta": (Adadelta(), torch.optim.Adadelta, {}),
    "default adam": (Adam(), torch.optim.Adam, {}), "default adamw": (AdamW(), torch.optim.AdamW, {}),
}


@pytest.mark.parametrize("name", PAIRS)
def test_same_trajectory_as_torch(name):
    """Two parameter arrays, 100 steps on a non-quadratic function, every point to 1e-12 (the gradients are torch's own)."""
    ours, cls, options = PAIRS[name]
    ours.reset()
    rng = np.random.default_rng(0)
    A, b = rng.normal(size=(4, 3)), rng.normal(size=3)
    T = torch.tensor(rng.normal(size=(4, 3)))
    ta, tb = torch.tensor(A, requires_grad=True), torch.tensor(b, requires_grad=True)
    theirs = cls([ta, tb], **options)
    for _ in range(100):
        theirs.zero_grad()
        loss = (torch.cosh(ta - T)).sum() + ((ta.sum(dim=0) - tb) ** 2).sum() + 0.1 * (tb**4).sum()
        loss.backward()
        ours.step([A, b], [ta.grad.numpy().copy(), tb.grad.numpy().copy()])
        theirs.step()
        assert_allclose(A, ta.detach().numpy(), rtol=1e-12, atol=1e-12)
        assert_allclose(b, tb.detach().numpy(), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("schedule", "scheduler"), [
    (cosine_decay(0.1, 20, floor=0.01), lambda o: torch.optim.lr_scheduler.CosineAnnealingLR(o, 20, eta_min=0.01)),
    (step_decay(0.1, 7, factor=0.5), lambda o: torch.optim.lr_scheduler.StepLR(o, 7, gamma=0.5)),
    (exponential_decay(0.1, 10), lambda o: torch.optim.lr_scheduler.ExponentialLR(o, gamma=2 ** (-1 / 10))),
    (inverse_decay(0.1, 4), lambda o: torch.optim.lr_scheduler.LambdaLR(o, lambda t: 4 / (4 + t))),
    (warmup(0.1, 5), lambda o: torch.optim.lr_scheduler.LinearLR(o, start_factor=1 / 5, total_iters=4)),
])
def test_schedules_agree_with_torch(schedule, scheduler):
    w = torch.ones(1, requires_grad=True, dtype=torch.float64)
    rule = torch.optim.SGD([w], lr=0.1)
    theirs, ours, x = scheduler(rule), SGD(lr=schedule), np.ones(1)
    for t in range(20):
        assert_allclose(schedule(t), rule.param_groups[0]["lr"], rtol=1e-12)
        assert_allclose(ours.rate(), schedule(t))
        rule.zero_grad()
        (0.5 * w**2).sum().backward()
        ours.step([x], [x.copy()])
        rule.step()
        theirs.step()
        assert_allclose(x, w.detach().numpy(), rtol=1e-12)


def test_schedules_satisfy_or_break_robbins_monro():
    t = np.arange(200_000)
    inverse = np.array([inverse_decay(1.0, 10)(k) for k in t])
    assert_allclose(inverse.sum() - inverse[:20_000].sum(), 10 * math.log(10), rtol=1e-3)   # grows by the same for each decade
    assert_allclose((inverse**2).sum(), sum(100 / (10 + k) ** 2 for k in range(10**6)), rtol=1e-3)
    assert_allclose(sum(exponential_decay(1.0, 5)(k) for k in range(1000)), 1 / (1 - 2 ** (-1 / 5)), rtol=1e-12)
    assert_allclose([square_root_decay(2.0)(k) for k in (0, 8)], [2, 2 / 3])


def test_the_notes_race():
    """Loss after 100 steps from (10, 1) on 1/2 (w1^2 + 25 w2^2)."""
    wanted = {SGD(0.03): 0.1131, SGD(0.03, momentum=0.9): 3.42e-4, Adagrad(1.0): 0.0375, RMSProp(0.1, rho=0.9): 0.3906,
              Adam(0.3, betas=(0.9, 0.99)): 0.002806}
    for rule, value in wanted.items():
        assert_allclose(minimize(BOWL, BOWL.gradient, START, rule, tol=0, max_iter=100).history[-1], value, rtol=2e-3)


def test_step_changes_in_place_and_keeps_the_type():
    for rule in (SGD(0.1, momentum=0.9), Adagrad(), RMSProp(), Adadelta(), Adam(amsgrad=True), AdamW()):
        p, g = np.ones((2, 3), dtype=np.float32), np.ones((2, 3), dtype=np.float32)
        g.setflags(write=False)
        same = p
        assert rule.step([p], [g]) is rule
        assert same is p and p.dtype == np.float32 and (p < 1).all()
        assert all(s.dtype == np.float32 for s in rule.states[0].values())


def test_reset_forgets():
    rule = Adam(0.1)
    paths = []
    for _ in range(2):
        w = START.copy()
        rule.reset()
        for _ in range(5):
            rule.step([w], [BOWL.gradient(w)])
        paths.append(w)
    assert_array_equal(*paths)


@pytest.mark.parametrize("rule", [Adagrad(0.3, eps=1e-300), RMSProp(0.1, eps=1e-300), Adam(0.1, eps=1e-300)])
def test_adaptive_rules_do_not_see_the_scale_of_a_coordinate(rule):
    """On a separable quadratic the path of each coordinate is the same for every curvature (prop-gd-scale)."""
    flat, steep = (Quadratic(np.diag([1.0, k])) for k in (1.0, 1e4))
    paths = [minimize(q, q.gradient, [1.0, 1.0], rule, tol=0, max_iter=50).path for q in (flat, steep)]
    assert_allclose(paths[0], paths[1], rtol=1e-9)
    assert_allclose(paths[1][:, 0], paths[1][:, 1], rtol=1e-9)
    turned = Quadratic.rotated([1.0, 1e4], np.pi / 6)
    run = minimize(turned, turned.gradient, [1.0, 1.0], rule, tol=0, max_iter=50)
    assert not np.allclose(run.history, [steep(p) for p in paths[1]], rtol=0.1)


def test_gradient_descent_on_a_quadratic_exactly():
    rng = np.random.default_rng(1)
    M = rng.normal(size=(4, 4))
    q = Quadratic(M @ M.T + np.eye(4), center=rng.normal(size=4))
    lr, x0 = 0.9 * step_limit(q.H), rng.normal(size=4)
    run = minimize(q, q.gradient, x0, SGD(lr), tol=0, max_iter=30)
    exact = np.linalg.matrix_power(np.eye(4) - lr * q.H, 30) @ (x0 - q.center) + q.center
    assert_allclose(run.x, exact, rtol=1e-10)
    assert gradient_error(q, q.gradient, x0) < 1e-8
    assert_allclose(q(run.path), run.history)


def test_step_limit_is_sharp():
    rng = np.random.default_rng(2)
    M = rng.normal(size=(3, 3))
    q = Quadratic(M @ M.T + 0.1 * np.eye(3))
    lam, Q = np.linalg.eigh(q.H)
    for factor, grows in ((0.999, False), (1.001, True)):
        run = minimize(q, q.gradient, Q[:, -1], SGD(factor * step_limit(q.H)), tol=0, max_iter=200)
        assert (run.history[-1] > run.history[0]) == grows
        assert_allclose(run.history[1:] / run.history[:-1], (1 - 2 * factor) ** 2, rtol=1e-6)


def test_best_step_is_best_and_its_factor_is_met():
    mu, L = 0.7, 19.0
    lr, factor = best_step(mu, L)
    worst = [contraction([mu, L], h).max() for h in np.linspace(0.5, 1.5, 201) * lr]
    assert_allclose(min(worst), factor, rtol=1e-12)
    assert_allclose(contraction(np.linspace(mu, L, 50), lr).max(), factor)


def test_best_momentum_is_best_over_a_grid():
    mu, L = 1.0, 25.0
    lr, rho, factor = best_momentum(mu, L)
    assert_allclose([lr, rho, factor], [1 / 9, 4 / 9, 2 / 3])
    assert_allclose(contraction(np.linspace(mu, L, 99), lr, rho).max(), factor, rtol=1e-6)
    grid = [contraction([mu, L], h, r).max() for h in np.linspace(0.01, 0.3, 60) for r in np.linspace(-0.9, 0.99, 60)]
    assert min(grid) >= factor - 1e-12


@pytest.mark.parametrize("kappa", [4.0, 100.0, 1e4])
def test_nesterov_rate_on_quadratics(kappa):
    rho = (np.sqrt(kappa) - 1) / (np.sqrt(kappa) + 1)
    rates = contraction(np.linspace(1, kappa, 500), 1 / kappa, rho, nesterov=True)
    assert_allclose(rates.max(), 1 - 1 / np.sqrt(kappa), rtol=1e-6)


@given(st.floats(0.05, 30), st.floats(0.001, 0.2), st.floats(0, 0.95), st.booleans())
@settings(max_examples=60, deadline=None)
def test_contraction_is_the_spectral_radius(lam, lr, rho, nesterov):
    a = (1 + rho) * (1 - lr * lam) if nesterov else 1 + rho - lr * lam
    c = rho * (1 - lr * lam) if nesterov else rho
    assert_allclose(contraction(lam, lr, rho, nesterov), abs(np.linalg.eigvals([[a, -c], [1, 0]])).max(), rtol=1e-5, atol=1e-7)


def test_contraction_matches_a_run():
    lr, rho = 0.05, 0.5
    for nesterov in (False, True):
        q = Quadratic([[3.0]])
        path = minimize(q, q.gradient, [1.0], SGD(lr, rho, nesterov), tol=0, max_iter=200).path[:, 0]
        slope = (np.log(np.abs(path[50:200:1]).max()) - np.log(np.abs(path[150:]).max())) / 100
        assert_allclose(np.exp(-slope), contraction(3.0, lr, rho, nesterov), rtol=0.02)


def test_torch_form_of_nesterov_is_the_lookahead_form():
    lr, rho = 0.02, 0.9
    w, v = START.copy(), np.zeros(2)
    path = [w]
    for _ in range(30):
        v = rho * v + BOWL.gradient(w - lr * rho * v)
        w = w - lr * v
        path.append(w - lr * rho * v)
    run = minimize(BOWL, BOWL.gradient, START, SGD(lr, rho, nesterov=True), tol=0, max_iter=30)
    assert_allclose(run.path, path, rtol=1e-10, atol=1e-13)


def slope_of_three_pieces(x):
    return np.where(x < 1, 25 * x, np.where(x < 2, x + 24, 25 * x - 24))


def test_heavy_ball_cycles_on_a_strongly_convex_function():
    """Momentum tuned for curvatures in [1, 25] runs forever in a cycle of three; Nesterov's and plain descent converge."""
    x0 = [3.3]
    lr, rho, _ = best_momentum(1.0, 25.0)
    f = lambda x: 0.0   # noqa: E731  (the value plays no part in the path)
    run = minimize(f, slope_of_three_pieces, x0, SGD(lr, rho), max_iter=3000)
    assert not run.converged
    cycle = run.path[-3:, 0]
    assert_allclose(run.path[-6:-3, 0], cycle, rtol=1e-9)
    assert_allclose(np.sort(cycle), np.sort([792 / 1225, -2208 / 1225, 2592 / 1225]), rtol=1e-9)
    assert minimize(f, slope_of_three_pieces, x0, SGD(1 / 25, 2 / 3, nesterov=True)).converged
    assert minimize(f, slope_of_three_pieces, x0, SGD(1 / 25)).converged


def chain(d):
    """Tridiagonal quadratic with smallest eigenvalue about 10/d^2: for the first d^2 steps as good as not strongly convex."""
    H = 2 * np.eye(d) - np.eye(d, k=1) - np.eye(d, k=-1)
    return Quadratic(H, center=np.linalg.solve(H, np.eye(d)[0]))


def test_convex_rate_holds_and_is_not_idle():
    q = chain(100)
    L = q.eigenvalues[-1]
    run = minimize(q, q.gradient, np.zeros(100), SGD(1 / L), tol=0, max_iter=2000)
    k = np.arange(1, 2001)
    bound = L * (q.center**2).sum() / (2 * k)
    assert (run.history[1:] <= bound).all()
    assert (np.diff(run.history) < 0).all()
    assert np.log(run.history[200] / run.history[2000]) < 2 * np.log(10)      # no faster than 1/k^2 here: not a geometric rate


@given(st.integers(0, 10**6), st.floats(0.05, 1.0))
@settings(max_examples=40, deadline=None)
def test_strongly_convex_rate_and_descent_lemma(seed, fraction):
    rng = np.random.default_rng(seed)
    lam = rng.uniform(0.5, 20, size=3)
    q = Quadratic(np.diag(lam))
    lr = fraction / lam.max()
    run = minimize(q, q.gradient, rng.normal(size=3), SGD(lr), tol=0, max_iter=20)
    assert (run.history <= run.history[0] * (1 - lr * lam.min()) ** np.arange(21) * (1 + 1e-12)).all()
    squares = np.array([(q.gradient(p) ** 2).sum() for p in run.path[:-1]])
    assert (run.history[1:] <= run.history[:-1] - lr * (1 - lam.max() * lr / 2) * squares + 1e-12).all()


def test_backtracking_meets_armijo_and_its_bound():
    rng = np.random.default_rng(4)
    for _ in range(50):
        x = rng.normal(size=2) * 3
        g = rosen_der(x)
        s = backtracking(rosen, x, -g, g, slope=0.3, shrink=0.5)
        assert rosen(x - s * g) <= rosen(x) - 0.3 * s * g @ g
        assert s == 1.0 or rosen(x - 2 * s * g) > rosen(x) - 0.3 * 2 * s * g @ g   # the larger step before it failed
    for L in (3.0, 40.0, 1000.0):
        q = Quadratic([[L]])
        s = backtracking(q, np.array([1.0]), np.array([-L]), np.array([L]), slope=0.25, shrink=0.5)
        assert min(1, 2 * 0.5 * 0.75 / L) <= s <= 2 * 0.75 / L


def test_backtracking_gives_up_on_a_wrong_gradient():
    x = np.array([1.0])
    assert backtracking(lambda x: float(x[0]), x, np.array([1.0]), np.array([-1.0])) == 0.0
    run = minimize(lambda x: float(x[0]), lambda x: -np.ones(1), x)
    assert run.n_iter == 0 and not run.converged


def test_line_search_reaches_the_minimum_of_a_large_value():
    """Near the minimum f changes by less than its last digit; the search must still accept good steps."""
    f = lambda x: 1e6 + BOWL(x)  # noqa: E731
    run = newton(f, lambda x: BOWL.gradient(x) + 0.1 * np.sin(x), lambda x: BOWL.H + 0.1 * np.diag(np.cos(x)), [1e-4, 1e-5], tol=1e-12)
    assert run.converged


def test_line_search_minimizes_rosenbrock():
    run = minimize(rosen, rosen_der, [-1.2, 1.0], max_iter=20_000, tol=1e-5)
    assert run.converged
    assert_allclose(run.x, 1, atol=1e-4)
    assert (np.diff(run.history) < 0).all()


def test_newton_is_quadratic_near_and_affine_invariant():
    run = newton(rosen, rosen_der, rosen_hess, [-1.2, 1.0])
    assert run.converged and run.n_iter < 30 and (np.diff(run.history) < 0).all()
    assert_allclose(run.x, [1, 1], atol=1e-9)
    e = np.linalg.norm(newton(rosen, rosen_der, rosen_hess, [1.05, 1.1], damped=False, tol=1e-14).path - 1, axis=1)
    e = e[e > 1e-9]
    assert (e[1:] <= 10 * e[:-1] ** 2).all() and len(e) >= 3
    T = np.array([[3.0, 1.0], [0.5, 0.2]])
    moved = newton(lambda u: rosen(T @ u), lambda u: T.T @ rosen_der(T @ u), lambda u: T.T @ rosen_hess(T @ u) @ T,
                   np.linalg.solve(T, [-1.2, 1.0]), damped=False, tol=1e-6)
    plain = newton(rosen, rosen_der, rosen_hess, [-1.2, 1.0], damped=False, tol=0, max_iter=moved.n_iter)
    assert_allclose(moved.path @ T.T, plain.path, rtol=1e-6, atol=1e-9)


def root_of_square(x):
    return np.sqrt(1 + x @ x), x / np.sqrt(1 + x @ x), np.eye(1) / (1 + x @ x) ** 1.5


@pytest.mark.parametrize(("x0", "pure"), [(0.9, True), (1.1, False)])
def test_newton_far_away(x0, pure):
    """The pure step is x -> -x^3: it converges from |x| < 1 only; the damped one from everywhere."""
    parts = [lambda x, i=i: root_of_square(x)[i] for i in range(3)]
    run = newton(*parts, [x0], damped=False, max_iter=20)
    assert run.converged == pure
    assert_allclose(run.path[1:4, 0], -run.path[:3, 0] ** 3, rtol=1e-9)
    assert newton(*parts, [x0]).converged and newton(*parts, [50.0]).converged


def test_newton_stops_where_the_hessian_overflows():
    for damped in (True, False):
        run = newton(BOWL, BOWL.gradient, lambda w: np.full((2, 2), np.nan) if w[0] < 10 else 2 * BOWL.H, START, damped=damped)
        assert not run.converged and run.n_iter == 1
        assert_allclose(run.x, START / 2)


def double_well(w):
    return 0.5 * w[0] ** 2 + 0.25 * w[1] ** 4 - 0.5 * w[1] ** 2


def double_well_gradient(w):
    return np.array([w[0], w[1] ** 3 - w[1]])


def double_well_hessian(w):
    return np.diag([1.0, 3 * w[1] ** 2 - 1])


def test_saddle_points():
    assert gradient_error(double_well, double_well_gradient, [0.3, -0.4]) < 1e-8
    at = (double_well, double_well_gradient)
    assert_allclose(newton(*at, double_well_hessian, [1.0, 0.3], damped=False).x, [0, 0], atol=1e-8)     # lands on the saddle
    assert_allclose(np.abs(newton(*at, double_well_hessian, [1.0, 0.3]).x), [0, 1], atol=1e-8)           # leaves it
    assert_allclose(minimize(*at, [1.0, 0.0], SGD(0.1)).x, [0, 0], atol=1e-5)                            # stable manifold
    for eps in (1e-3, 1e-6):
        run = minimize(*at, [1.0, eps], SGD(0.1))
        assert_allclose(run.x, [0, 1], atol=1e-5)
        early = run.path[:, 1] < 0.1
        assert_allclose(early.sum(), np.log(0.1 / eps) / np.log(1.1), atol=1.5)                          # grows by 1 + lr a step


def test_minibatches_cover_each_sample_once():
    seen = np.concatenate(list(minibatches(23, 5, rng=0)))
    assert_array_equal(np.sort(seen), np.arange(23))
    with_replacement = minibatches(23, 5, rng=0, replace=True)
    assert len(with_replacement) == 5 and all(b.size == 5 and b.max() < 23 for b in with_replacement)


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("B", [1, 2, 3, 5])
def test_batch_covariance_by_enumeration(B, replace):
    G = np.random.default_rng(5).normal(size=(5, 2))
    draws = itertools.product(range(5), repeat=B) if replace else itertools.combinations(range(5), B)
    means = np.array([G[list(d)].mean(axis=0) for d in draws])
    assert_allclose(means.mean(axis=0), G.mean(axis=0), rtol=1e-12)        # unbiased
    centered = means - G.mean(axis=0)
    assert_allclose(batch_covariance(G, B, replace), centered.T @ centered / len(means), atol=1e-14)


def test_stationary_covariance_solves_its_equation():
    rng = np.random.default_rng(6)
    M, N = rng.normal(size=(2, 3, 3))
    H, C = M @ M.T + 0.2 * np.eye(3), N @ N.T
    for lr in np.array([0.01, 0.5, 0.95]) * step_limit(H):
        A = np.eye(3) - lr * H
        assert_allclose(stationary_covariance(H, C, lr), solve_discrete_lyapunov(A, lr**2 * C), rtol=1e-8)
    assert_allclose(noise_floor(H, C, 1e-6), 1e-6 * np.trace(C) / 4, rtol=1e-4)      # small rates: lr/4 tr C


def test_noise_floor_is_what_a_run_shows():
    """Mean of the excess over a long run, within five standard errors (batch means)."""
    rng = np.random.default_rng(7)
    H, lr, B = np.diag([1.0, 4.0]), 0.2, 5
    Z = rng.normal(size=(50, 2)) @ np.array([[1.0, 0.3], [0.0, 0.5]])
    Z -= Z.mean(axis=0)
    run = stochastic_minimize(lambda w, i: H @ (w - Z[i].mean(axis=0)), 50, np.zeros(2), SGD(lr), batch_size=B, epochs=4000,
                              rng=8, replace=True)
    excess = Quadratic(H)(run.path[1000:])
    blocks = excess[: len(excess) // 300 * 300].reshape(-1, 300).mean(axis=1)
    error = blocks.std(ddof=1) / np.sqrt(len(blocks))
    floor = noise_floor(H, batch_covariance(Z @ H, B, replace=True), lr)
    assert abs(blocks.mean() - floor) < 5 * error and error < 0.05 * floor


def test_one_over_t_is_the_sample_mean():
    z = np.random.default_rng(9).normal(size=40)
    rule = SGD(lr=inverse_decay(1.0, 1.0))
    run = stochastic_minimize(lambda w, i: w - z[i], 40, np.zeros(1), rule, epochs=1, rng=0, f=lambda w: float(w[0]))
    assert_allclose(run.x, z.mean(), rtol=1e-12)
    assert_allclose(run.history, [0, z.mean()])


def test_recursive_decay_of_the_notes_freezes():
    """eta_{t+1} = eta_t / (t + 1) is eta_0 / t!, whose sum is e."""
    eta, total = 1.0, 0.0
    for t in range(30):
        total += eta
        eta /= t + 1
    assert_allclose(total, math.e, rtol=1e-12)


def test_amsgrad_where_adam_fails():
    """Slopes C, -1, -1 in turn on [-1, 1]: the mean slope is positive, so the minimum is -1. Adam walks to +1."""
    C, ends = 3.0, {}
    for amsgrad in (False, True):
        rule, w = Adam(lr=0.05, betas=(0.0, 1 / (1 + C**2)), amsgrad=amsgrad), np.zeros(1)
        for t in range(3000):
            rule.step([w], [np.array([C if t % 3 == 0 else -1.0])])
            np.clip(w, -1, 1, out=w)
        ends[amsgrad] = w[0]
    assert ends[False] > 0.9 and ends[True] < -0.9


def test_weight_decay_is_ridge_for_sgd_and_decoupled_for_adamw():
    plain, decayed = START.copy(), START.copy()
    ridge = Quadratic(BOWL.H + 0.3 * np.eye(2))
    a, b = SGD(0.02), SGD(0.02, weight_decay=0.3)
    for _ in range(20):
        a.step([plain], [ridge.gradient(plain)])
        b.step([decayed], [BOWL.gradient(decayed)])
    assert_allclose(plain, decayed, rtol=1e-12)
    w = np.array([1.0, 1.0])
    AdamW(0.1, weight_decay=0.5).step([w], [np.zeros(2)])
    assert_allclose(w, 0.95)


def test_minimize_leaves_its_arguments_alone():
    x0 = START.copy()
    x0.setflags(write=False)
    rule = Adam(0.3)
    first = minimize(BOWL, BOWL.gradient, x0, rule, max_iter=5)
    assert rule.t == 0
    again = minimize(BOWL, BOWL.gradient, x0, rule, max_iter=5)
    assert_array_equal(first.path, again.path)
    assert_array_equal(first.path[0], START)
    assert first.n_iter == 5 and len(first.history) == 6 and not first.converged


def test_minimize_stops_at_overflow_and_at_the_minimum():
    run = minimize(BOWL, BOWL.gradient, START, SGD(10.0), max_iter=10_000)
    assert not run.converged and np.isfinite(run.history).all() and run.n_iter < 200
    assert minimize(BOWL, BOWL.gradient, [0.0, 0.0]).n_iter == 0
    scalar = minimize(lambda x: float((x - 2) ** 2), lambda x: 2 * (x - 2), 5.0, SGD(0.4))
    assert scalar.converged and scalar.x.shape == ()
    matrix = minimize(lambda X: float((X**2).sum()), lambda X: 2 * X, np.ones((2, 3)))
    assert matrix.x.shape == (2, 3) and matrix.path.shape[1:] == (2, 3)


def test_repr_shows_what_was_set():
    assert repr(Adam(0.3, betas=(0.9, 0.99))) == "Adam(lr=0.3, betas=(0.9, 0.99))"
    assert repr(SGD(lr=inverse_decay(0.1, 10), momentum=0.9)) == "SGD(lr=schedule, momentum=0.9)"


@pytest.mark.parametrize(("call", "message"), [
    (lambda: SGD(lr=0), "lr must be a number > 0"),
    (lambda: SGD(lr=float("nan")), "lr must be"),
    (lambda: SGD(0.1, momentum=1.0), "momentum must be"),
    (lambda: SGD(0.1, nesterov=True), "needs a momentum"),
    (lambda: SGD(0.1, weight_decay=-1), "weight_decay must be"),
    (lambda: Adam(betas=0.9), "two numbers"),
    (lambda: Adam(betas=(0.9, 1.0)), r"betas\[1\] must be"),
    (lambda: RMSProp(rho=1.0), "rho must be"),
    (lambda: Adagrad(eps=0.0), "eps must be"),
    (lambda: SGD(lr=lambda t: -1.0).step([np.ones(1)], [np.ones(1)]), "schedule's learning rate"),
    (lambda: SGD(0.1).step([np.ones(2)], []), "1 parameter arrays, but 0 gradients"),
    (lambda: SGD(0.1).step([[1.0, 2.0]], [np.ones(2)]), "writable array of floats.*got a list"),
    (lambda: SGD(0.1).step([np.ones(2, dtype=int)], [np.ones(2)]), "array of int64"),
    (lambda: SGD(0.1).step([np.broadcast_to(1.0, 2)], [np.ones(2)]), "read-only"),
    (lambda: SGD(0.1).step([np.ones(2)], [np.ones(3)]), r"gradient 0 has shape \(3,\)"),
    (lambda: SGD(0.1).step([np.ones(2)], [np.ones(2)]).step([np.ones(3)], [np.ones(3)]), "call reset"),
    (lambda: minimize(BOWL, BOWL.gradient, START, optimizer=0.1), "optimizer must be an Optimizer"),
    (lambda: minimize(BOWL, lambda w: np.ones(3), START), "shape of x"),
    (lambda: minimize(lambda w: np.inf, BOWL.gradient, START), "start where f is finite"),
    (lambda: minimize(BOWL, BOWL.gradient, START, tol=-1), "tol must be"),
    (lambda: backtracking(BOWL, START, START, START), "downhill"),
    (lambda: backtracking(BOWL, START, -START, START, shrink=1.0), "shrink must be"),
    (lambda: newton(BOWL, BOWL.gradient, lambda w: np.ones((2, 2)), START, damped=False), "singular"),
    (lambda: newton(BOWL, BOWL.gradient, lambda w: np.ones(2), START), "hess"),
    (lambda: newton(BOWL, BOWL.gradient, BOWL.hessian, np.ones((2, 2))), "x0 must be 1-D"),
    (lambda: Quadratic([[1.0, 2.0]]), "square"),
    (lambda: Quadratic([[1.0, 2.0], [0.0, 1.0]]), "symmetric"),
    (lambda: Quadratic(np.eye(2), center=[1.0]), "center has 1"),
    (lambda: Quadratic(np.diag([1.0, -1.0])).condition, "not positive definite"),
    (lambda: step_limit(-np.eye(2)), "curves upward"),
    (lambda: best_step(2.0, 1.0), "L must be"),
    (lambda: minibatches(5, 6), "batch_size must be"),
    (lambda: stochastic_minimize(None, 3, 0.0, optimizer=0.1), "optimizer must be"),
    (lambda: batch_covariance(np.ones((3, 2)), 4), "batch_size must be"),
    (lambda: stationary_covariance(np.eye(2), np.eye(2), lr=2.0), "lr must be"),
    (lambda: stationary_covariance(np.diag([1.0, 0.0]), np.eye(2), lr=0.1), "positive definite"),
    (lambda: stationary_covariance(np.eye(2), np.eye(3), lr=0.1), "shape of H"),
    (lambda: cosine_decay(0.1, 0), "n_steps must be"),
    (lambda: step_decay(0.1, 3, factor=2.0), "factor must be"),
    (lambda: inverse_decay(0.1, 0), "half_life must be"),
    (lambda: warmup(-1.0, 3), "schedule must be"),
])
def test_bad_input_is_explained(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_base_class_has_no_rule_of_its_own():
    with pytest.raises(TypeError, match="abstract"):
        Optimizer(0.1)
