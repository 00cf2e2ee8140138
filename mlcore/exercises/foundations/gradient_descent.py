"""Checks of the exercises of chapter foundations/gradient_descent."""

import numpy as np

from mlcore.exercises.core import exercise, expect_close
from mlcore.foundations.gradient_descent import SGD, Adam, Quadratic, best_step, contraction, minimize, step_limit


@exercise("limit", wrong={"the diagonal alone": (1.0, 0.0), "one over the curvature": (1 / 3, 1 / 2), "sum of squares": (2 / 3, 1 / 3)})
def limit(answer):
    """Largest safe rate and best error factor for w1^2 + w1 w2 + w2^2."""
    assert np.shape(answer) == (2,), f"give two numbers, the largest safe rate and the factor at the best rate, got {answer!r}"
    H = [[2.0, 1.0], [1.0, 2.0]]
    expect_close(answer[0], step_limit(H), "the largest safe rate")
    expect_close(answer[1], best_step(*np.linalg.eigvalsh(H))[1], "the factor at the best rate")
    return "right: the mixed term makes one direction steeper than either axis"


@exercise("exact_step", wrong={
    "one over the largest eigenvalue": lambda H, g: 1 / np.linalg.eigvalsh(H)[-1],
    "upside down": lambda H, g: (g @ H @ g) / (g @ g),
    "twice too long": lambda H, g: 2 * (g @ g) / (g @ H @ g),
})
def exact_step(answer):
    """Step that minimizes a quadratic along its gradient."""
    rng = np.random.default_rng(0)
    for d in (1, 2, 5):
        M = rng.normal(size=(d, d))
        q, w = Quadratic(M @ M.T + np.eye(d)), rng.normal(size=d)
        g = q.gradient(w)
        s = answer(q.H.copy(), g.copy())
        expect_close(np.asarray(s, float) * 0, 0.0, "the step")
        slope = g @ q.gradient(w - s * g)
        assert abs(slope) < 1e-8 * (g @ g), f"in dimension {d} the slope along the line is {slope:.3g} at your step, not 0"
        assert 1 / q.eigenvalues[-1] <= s * (1 + 1e-6) and s <= (1 + 1e-6) / q.eigenvalues[0], "the step is outside its bounds"
    return "passed: along the line the slope is zero"


def _heavy_ball(grad, w0, eta, rho, steps):
    w, v = np.array(w0, float), 0.0
    for _ in range(steps):
        v = rho * v + grad(w)
        w = w - eta * v
    return w


@exercise("nesterov", wrong={
    "heavy ball": _heavy_ball,
    "returns the point ahead": lambda grad, w0, eta, rho, steps: minimize(
        lambda w: 0.0, grad, w0, SGD(eta, rho, nesterov=True), tol=0, max_iter=steps).x,
    "plain descent": lambda grad, w0, eta, rho, steps: _heavy_ball(grad, w0, eta, 0.0, steps),
})
def nesterov(answer):
    """Final point of Nesterov's method, from the form with the gradient at the current point."""
    eta, rho = 0.03, 0.8
    grad = lambda w: np.array([1.0, 25.0]) * w + 0.3 * np.cos(w)  # noqa: E731
    start = np.array([10.0, 1.0])
    start.setflags(write=False)
    for steps in (1, 2, 7):
        rule, u = SGD(eta, rho, nesterov=True), start.copy()
        for _ in range(steps):
            rule.step([u], [grad(u)])
        velocity = rule.states[0]["v"]
        expect_close(answer(grad, start, eta, rho, steps), u + eta * rho * velocity, f"w after {steps} steps", rtol=1e-9)
    return "passed: the same points as SGD(nesterov=True), seen before the look ahead"


def _adam(w, g, m, v, c1, c2, eta, b1, b2, delta):
    m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g**2
    return w - eta * (m / c1(b1)) / (np.sqrt(v / c2(b2)) + delta), m, v


@exercise("adam_step", wrong={
    "correction as printed": lambda w, g, m, v, k, eta=0.001, b1=0.9, b2=0.999, delta=1e-8: _adam(
        w, g, m, v, lambda b: 1 - b, lambda b: 1 - b, eta, b1, b2, delta),
    "no correction": lambda w, g, m, v, k, eta=0.001, b1=0.9, b2=0.999, delta=1e-8: _adam(
        w, g, m, v, lambda b: 1, lambda b: 1, eta, b1, b2, delta),
    "decays exchanged": lambda w, g, m, v, k, eta=0.001, b1=0.9, b2=0.999, delta=1e-8: _adam(
        w, g, m, v, lambda b: 1 - b**k, lambda b: 1 - b**k, eta, b2, b1, delta),
    "steps counted from zero": lambda w, g, m, v, k, eta=0.001, b1=0.9, b2=0.999, delta=1e-8: _adam(
        w, g, m, v, lambda b: 1 - b ** (k + 1), lambda b: 1 - b ** (k + 1), eta, b1, b2, delta),
})
def adam_step(answer):
    """New w, m, v of Adam for five steps in a row, against the package."""
    rng = np.random.default_rng(1)
    rule, ours = Adam(0.05, betas=(0.8, 0.95), eps=1e-3), rng.normal(size=3)
    w, m, v = ours.copy(), np.zeros(3), np.zeros(3)
    for k in range(1, 6):
        g = rng.normal(size=3)
        rule.step([ours], [g])
        for array in (w, g, m, v):
            array.setflags(write=False)
        result = answer(w, g, m, v, k, eta=0.05, b1=0.8, b2=0.95, delta=1e-3)
        assert isinstance(result, tuple) and len(result) == 3, "return three arrays: w, m, v"
        w, m, v = (np.array(part, float) for part in result)
        expect_close(w, ours, f"w after step {k}", rtol=1e-9)
        expect_close(m, rule.states[0]["m"], f"m after step {k} (stored without the correction)", rtol=1e-9)
        expect_close(v, rule.states[0]["v"], f"v after step {k} (stored without the correction)", rtol=1e-9)
    return "passed: five steps equal to mlcore's and so to torch's"


@exercise("break_newton", wrong={
    "inside the region of convergence": 1.0, "too far out": 1.5, "at the minimum": 0.0, "on the border": 1.0886594924826534,
})
def break_newton(answer):
    """Start with |x0| < 1.2 from which pure Newton steps on ln cosh diverge."""
    expect_close(np.asarray(answer, float) * 0, 0.0, "the start")
    assert abs(answer) < 1.2, f"the start must satisfy |x0| < 1.2, got {answer}"
    x, steps = float(answer), 0
    while 1e-6 < abs(x) < 5 and steps < 100:
        x, steps = x - 0.5 * np.sinh(2 * x), steps + 1  # x - f'(x) / f''(x)
    assert steps < 100, f"from {answer} it jumps between two points forever: that is the border; go a little farther from 0"
    assert abs(x) >= 5, f"from {answer} it converges in {steps} steps; go farther from 0"
    return f"broken: |x| has grown to {abs(x):.1f} after {steps} steps"


@exercise("escape_steps", wrong={
    "forgets the logarithm of the factor": lambda eps, eta, lam, rho=0.0: np.log(1 / eps) / (eta * lam),
    "ignores the momentum": lambda eps, eta, lam, rho=0.0: np.log(1 / eps) / np.log(1 + eta * lam),
    "the effective rate": lambda eps, eta, lam, rho=0.0: np.log(1 / eps) / np.log(1 + eta * lam / (1 - rho)),
})
def escape_steps(answer):
    """Steps to grow from eps to 1 along curvature -lam."""
    for eps, eta, lam, rho in [(1e-3, 0.1, 1.0, 0.0), (1e-8, 0.3, 2.0, 0.0), (1e-6, 0.1, 1.0, 0.9), (1e-10, 0.05, 3.0, 0.5)]:
        want = np.log(1 / eps) / np.log(contraction(-lam, eta, rho))
        expect_close(answer(eps, eta, lam, rho), want, f"the steps for eps = {eps:g}, eta = {eta}, lambda = {lam}, rho = {rho}", rtol=1e-9)
    return "passed: logarithmic in the distance, faster with momentum"


@exercise("best_rate", wrong={"one over the budget": 1 / 200, "the usual tenth": 0.1, "as small as possible": 1e-4})
def best_rate(answer):
    """Constant rate with the smallest expected squared error after 200 steps."""
    def error(eta):
        left = (1 - eta) ** 400
        return 9 * left + eta / (2 - eta) * (1 - left)

    expect_close(np.asarray(answer, float) * 0, 0.0, "the rate")
    assert 0 < answer < 2, f"the rate must lie between 0 and 2, got {answer}"
    best = min(error(eta) for eta in np.geomspace(1e-3, 1, 20_001))
    assert error(answer) < 1.005 * best, f"the error at your rate is {error(answer):.5f}; a better one reaches {best:.5f}"
    return f"passed: error {error(answer):.4f}, against {1 / 200:.4f} of the decaying rate"
