"""Linear machines without a Gram matrix: subgradient descent, Pegasos, and the dual by coordinates or by Newton steps."""

from typing import NamedTuple

import numpy as np

from mlcore.base import (
    Estimator,
    check_array,
    check_fitted,
    check_labels,
    check_number,
    check_option,
    check_rng,
    check_same_length,
    check_signs,
    warn_not_converged,
)
from mlcore.supervised.support_vector_machines.margins import slacks, soft_margin_objective, soft_margin_subgradient
from mlcore.takes import takes

ROUNDING = 1e-6  # share of the objective below which a gap that no longer shrinks is noise
STALLED = 12  # Newton steps without progress after which to stop


class Descent(NamedTuple):
    """Weights w (d,), offset b, and the objective at the recorded steps."""

    w: np.ndarray
    b: float
    history: np.ndarray


@takes(X="n d", y="signs n", step="function")
def subgradient_descent(X, y, C, *, step, n_steps=1000):
    """Walk against the subgradient of the whole soft-margin objective (eq-sv-descent); returns the best point seen.

    ``step`` is a function of the step number t = 0, 1, ... A subgradient need not point downhill, so the last point is
    not always the best; ``history`` holds the objective at every point.

    >>> X, y = [[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]], [1, 1, -1]
    >>> run = subgradient_descent(X, y, 1.0, step=lambda t: 0.1 / (1 + 0.1 * t), n_steps=4000)
    >>> bool(run.history.min() < 0.26), run.w.round(1)
    (True, array([0.5, 0.5]))
    """
    X, y, C = check_array(X), check_signs(y), check_number(C, "C", low=0, open_low=True)
    check_number(n_steps, "n_steps", low=1, integer=True)
    w, b, history, best = np.zeros(X.shape[1]), 0.0, [], None
    for t in range(n_steps + 1):
        history.append(soft_margin_objective.core(w, b, X, y, C))
        if best is None or history[-1] < best[0]:
            best = (history[-1], w, b)
        g_w, g_b = soft_margin_subgradient.core(w, b, X, y, C)
        w, b = w - step(t) * g_w, b - step(t) * g_b
    return Descent(best[1], float(best[2]), np.array(history))


@takes()
def pegasos(X, y, C, *, n_steps=10_000, tail=0.5, rng=None):
    """One random example at a time with the step 1 / (lambda t), lambda = 1 / (n C) (eq-sv-pegasos).

    A column of ones is added to X, so that the offset is a weight like the others and is penalized too. The answer is
    the mean of the last share ``tail`` of the iterates; ``history`` is the objective of this mean at about 50 moments.

    >>> run = pegasos([[2.0], [3.0], [-2.0], [-3.0]], [1, 1, -1, -1], 1.0, n_steps=2000, rng=0)
    >>> bool(abs(run.w[0] - 0.5) < 0.02)
    True
    """
    X, y, C = check_array(X), check_signs(y), check_number(C, "C", low=0, open_low=True)
    check_same_length(X, y)
    check_number(n_steps, "n_steps", low=1, integer=True)
    check_number(tail, "tail", low=0, open_low=True, high=1)
    rng = check_rng(rng)
    n, lam = len(X), 1 / (len(X) * C)
    Z = y[:, None] * np.column_stack([X, np.ones(n)])  # y_i x_i
    picks, w, mean, count, history = rng.integers(n, size=n_steps), np.zeros(Z.shape[1]), np.zeros(Z.shape[1]), 0, []
    first, every = int((1 - tail) * n_steps), max(1, n_steps // 50)
    for t in range(1, n_steps + 1):
        z = Z[picks[t - 1]]
        w = (1 - 1 / t) * w + (z / (lam * t) if z @ w < 1 else 0.0)
        if t > first:
            count += 1
            mean += (w - mean) / count
            if t % every == 0 or t == n_steps:
                history.append(0.5 * mean @ mean + C * slacks(Z @ mean).sum())
    return Descent(mean[:-1], float(mean[-1]), np.array(history))


@takes(Z="n d", tol="number > 0", max_iter="integer >= 1")
def dual_coordinate_descent(Z, C, *, tol=1e-4, max_iter=1000, rng=None):
    """Maximize sum alpha_i - 1/2 |sum alpha_i z_i|^2 over the box [0, C]^n one coordinate at a time (eq-sv-dcd).

    The rows are z_i = y_i (x_i, 1). Without a free offset no equation ties the multipliers together, so that a single
    one can move. Stops when the projected gradients of a sweep span less than ``tol``.

    Returns
    -------
    (w, alpha, history, converged) : ``history`` is the dual value after each sweep

    >>> w, alpha, _, _ = dual_coordinate_descent(np.array([[2.0], [3.0]]), C=1.0, rng=0)
    >>> w, alpha
    (array([0.5]), array([0.25, 0.  ]))
    """
    Z, C, rng = check_array(Z, name="Z"), check_number(C, "C", low=0, open_low=True), check_rng(rng)
    n = len(Z)
    squares = np.einsum("ij,ij->i", Z, Z)
    alpha, w, history, converged = np.zeros(n), np.zeros(Z.shape[1]), [], False
    for _ in range(max_iter):
        low, high = np.inf, -np.inf
        for i in rng.permutation(n):
            z, a = Z[i], alpha[i]
            G = z @ w - 1
            projected = min(G, 0.0) if a == 0 else max(G, 0.0) if a == C else G
            low, high = min(low, projected), max(high, projected)
            if projected != 0.0:
                new = min(max(a - G / squares[i], 0.0), C) if squares[i] > 0 else C
                w += (new - a) * z
                alpha[i] = new
        history.append(float(alpha.sum() - 0.5 * w @ w))
        if high - low <= tol:
            converged = True
            break
    return w, alpha, np.array(history), converged


@takes(Z="n d", tol="number > 0", max_iter="integer >= 1")
def dual_interior_point(Z, C, *, tol=1e-4, max_iter=200):
    """Solve the problem of :func:`dual_coordinate_descent` by Newton steps of cost n d^2 (eq-sv-newton).

    Stops when the duality gap proves that w is within ``tol`` (1 + |w|) of the optimum, since 1/2 |w - w*|^2 <= gap. If
    rounding keeps the gap from shrinking before that, the best w is returned, and a gap below 1e-6 of the objective counts.

    Returns
    -------
    (w, alpha, history, converged) : ``history`` is the dual value after each step

    >>> w, alpha, _, _ = dual_interior_point(np.array([[2.0], [3.0]]), C=1.0)
    >>> w.round(3), alpha.round(3)
    (array([0.5]), array([0.25, 0.  ]))
    """
    Z, C = check_array(Z, name="Z"), check_number(C, "C", low=0, open_low=True)
    n, d = Z.shape
    alpha, history, best, stalled = np.full(n, 0.5 * C), [], (np.inf, False, 0, None, None), 0
    size = max(1.0, float(np.abs(Z @ (alpha @ Z)).max()))
    low, high = np.full(n, size), np.full(n, size)  # multipliers of alpha >= 0 and of alpha <= C
    for _ in range(max_iter):
        w, room = alpha @ Z, np.maximum(C - alpha, 1e-15 * C)
        slope = 1 - Z @ w
        gap = C * np.maximum(slope, 0).sum() - alpha @ slope  # primal minus dual
        history.append(float(alpha.sum() - 0.5 * w @ w))
        stalled = 0 if gap < 0.9 * best[0] else stalled + 1
        if gap < best[0]:
            wanted = max((tol * (1 + np.linalg.norm(w))) ** 2, 1e-13 * abs(history[-1]))
            best = (gap, 2 * gap <= wanted, len(history), w, alpha)
        if best[1] or stalled == STALLED:
            break
        direction = _newton(Z, alpha, room, low, high, slope)
        if direction is None:
            break
        step, low_step, high_step = direction(0.0, 0.0)  # predictor: aim at mu = 0
        reach = _reach(alpha, step, room, -step, low, low_step, high, high_step)
        before = alpha @ low + room @ high
        after = (alpha + reach * step) @ (low + reach * low_step) + (room - reach * step) @ (high + reach * high_step)
        mu = max((after / before) ** 3 * before, 1e-16 * abs(history[-1])) / (2 * n)  # not so small that D overflows
        step, low_step, high_step = direction(mu - step * low_step, mu + step * high_step)  # corrector: second order included
        reach = _reach(alpha, step, room, -step, low, low_step, high, high_step)
        alpha, low, high = alpha + reach * step, low + reach * low_step, high + reach * high_step
    gap, proven, count, w, alpha = best
    return w, alpha, np.array(history[:count]), bool(proven or gap <= ROUNDING * abs(history[count - 1]))


def _newton(Z, alpha, room, low, high, slope):
    """The Newton step (eq-sv-newton) as a function of the wanted products alpha * low and room * high; None if it has no solution."""
    D = low / alpha + high / room
    Zd = Z / D[:, None]
    inner = np.eye(Z.shape[1]) + Z.T @ Zd  # (D + Z Z')^-1 through a d x d matrix

    def direction(low_product, high_product):
        right = slope + low_product / alpha - high_product / room
        step = right / D - Zd @ np.linalg.solve(inner, Zd.T @ right)
        return step, (low_product - low * step) / alpha - low, (high_product + high * step) / room - high

    try:
        np.linalg.solve(inner, np.zeros(len(inner)))
    except np.linalg.LinAlgError:  # collinear features and a D so small that I is lost to rounding
        return None
    return direction


def _reach(*pairs):
    """Longest share, at most 1, of the steps that leaves every value above 1/200 of what it was; pairs are values, step, ..."""
    limits = [np.min(-values[step < 0] / step[step < 0], initial=np.inf) for values, step in zip(pairs[::2], pairs[1::2])]
    return min(1.0, 0.995 * float(min(limits)))


class LinearSVC(Estimator):
    """Linear two-class machine with a penalized offset: minimize 1/2 (|w|^2 + b^2) + C sum max(0, 1 - y_i (w . x_i + b)).

    The offset is penalized with the weights, as in scikit-learn's ``LinearSVC(loss="hinge")``; that removes the equation
    sum alpha_i y_i = 0, and costs a slightly different solution than :class:`SVC`.

    Parameters
    ----------
    C : weight of the slack
    solver : "interior", Newton steps on the dual, n d^2 each (eq-sv-newton), or, for very many features, "coordinate",
        dual coordinate descent, n d per sweep (eq-sv-dcd)
    tol : proven relative distance of (w, b) from the optimum, or the span of the projected gradients, at which to stop
    max_iter : limit of steps or sweeps;  random_state : order of the coordinates

    Attributes
    ----------
    coef_ : (d,);  intercept_ : float;  alpha_ : (n,);  classes_ : the two labels, the second is "+1";
    history_ : the dual value after every step or sweep;  n_iter_;  converged_

    >>> model = LinearSVC(C=10.0, tol=1e-6).fit([[-2.0], [-1.0], [1.0], [3.0]], ["a", "a", "b", "b"])
    >>> model.coef_.round(6), model.predict([[-0.5], [0.5]])
    (array([1.]), array(['a', 'b'], dtype='<U1'))
    """

    kind = "classifier"

    def __init__(self, C=1.0, solver="interior", tol=1e-4, max_iter=1000, random_state=None):
        self.C = C
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X, y):
        """Fit to labels of any type, of which there must be exactly two."""
        rng = check_rng(self.random_state)
        C = check_number(self.C, "C", low=0, open_low=True)
        check_number(self.tol, "tol", low=0, open_low=True)
        check_number(self.max_iter, "max_iter", low=1, integer=True)
        check_option(self.solver, "solver", ("interior", "coordinate"))
        X = check_array(X)
        self.classes_, signs = check_two_classes(y, X, "LinearSVC")
        Z = signs[:, None] * np.column_stack([X, np.ones(len(X))])
        if self.solver == "interior":
            answer = dual_interior_point(Z, C, tol=self.tol, max_iter=self.max_iter)
        else:
            answer = dual_coordinate_descent(Z, C, tol=self.tol, max_iter=self.max_iter, rng=rng)
        w, self.alpha_, self.history_, self.converged_ = answer
        if w is None:
            raise ValueError(f"C={C:g} is too large for floating-point numbers; choose a smaller one, or SVC(C=np.inf) for a hard margin.")
        self.coef_, self.intercept_, self.n_iter_ = w[:-1], float(w[-1]), len(self.history_)
        if not self.converged_:
            warn_not_converged(self, "standardize the features, lower C, or raise max_iter or tol.")
        return self

    def decision_function(self, X):
        """w . x + b, positive for the second class."""
        check_fitted(self, "coef_")
        return check_array(X, n_features=len(self.coef_)) @ self.coef_ + self.intercept_

    def predict(self, X):
        """The class on whose side of the hyperplane x lies; a score of exactly 0 goes to the second."""
        scores = self.decision_function(X)
        return self.classes_[(scores >= 0).astype(int)]


def check_two_classes(y, X, name):
    """The two labels, and the labels as -1 (first) and +1 (second)."""
    classes, number = check_labels(y, X)
    if len(classes) != 2:
        raise ValueError(f"y has {len(classes)} classes, but {name} takes two; wrap it in OneVsRest or OneVsOne of "
                         "mlcore.supervised.perceptron.")
    return classes, 2.0 * number - 1
