"""Checks of the exercises of control/lqr_and_lqg."""

import numpy as np

from mlcore.control import lqr_and_lqg as lqr
from mlcore.exercises.core import exercise, expect_close

A, B = np.array([[1.0, 0.1], [0.3, 1.0]]), np.array([[0.0], [0.1]])


@exercise("golden", wrong={
    "the printed sign of the gain": (-1.618034, 0.618034, 1.618034),
    "the cost instead of the value": (1.618034, -0.618034, 0.381966),
    "one step only": (-1.5, -0.5, 0.5),
})
def golden(answer):
    """Check the fixed point by iterating the recursion."""
    assert np.shape(answer) == (3,), "give three numbers: (Phi, L, factor)"
    Phi = 0.0
    for _ in range(200):
        L = Phi / (1 - Phi)
        Phi = Phi - 1 + Phi * L
    for got, want, name in zip(answer, (Phi, L, 1 + L), ("Phi", "L", "the factor 1 + L")):
        expect_close(got, want, name, atol=2e-3)


def _gains(A, B, U, W, sign=1.0, order=-1, shift=0, last=1.0):
    Phi, gains = -last * U, []
    T = len(A)
    for t in range(T)[::order]:
        A_t, B_t = A[(t + shift) % T], B[t]
        G = B_t.T @ Phi @ A_t
        L = np.linalg.solve(W - B_t.T @ Phi @ B_t, G)
        Phi = A_t.T @ Phi @ A_t - U + G.T @ L
        gains.append(sign * L)
    return np.array(gains[::order])


@exercise("gains", wrong={
    "the printed sign": lambda A, B, U, W: _gains(A, B, U, W, sign=-1.0),
    "forward in time": lambda A, B, U, W: _gains(A, B, U, W, order=1),
    "A of the next step": lambda A, B, U, W: _gains(A, B, U, W, shift=1),
    "last gain first": lambda A, B, U, W: _gains(A, B, U, W)[::-1],
    "a recursion that starts at 0": lambda A, B, U, W: _gains(A, B, U, W, last=0.0),
    "one gain only": lambda A, B, U, W: _gains(A, B, U, W)[0],
})
def gains(answer):
    """Check against the actions that minimize the whole cost at once, from the last gain, where a wrong start shows, to the first."""
    rng, T = np.random.default_rng(0), 5
    A_t, B_t = rng.normal(size=(T, 3, 3)) / 2, rng.normal(size=(T, 3, 2))
    U, W = np.diag([1.0, 2.0, 0.5]), np.array([[1.0, 0.2], [0.2, 0.5]])
    got = np.asarray(answer(A_t, B_t, U, W), float)
    assert got.shape == (T, 2, 3), f"the gains must have shape (T, p, d) = {(T, 2, 3)}, got {got.shape}"
    for t in reversed(range(T)):
        best = np.column_stack([_best_first_action(A_t[t:], B_t[t:], U, W, s) for s in np.eye(3)])
        expect_close(got[t], best, f"the gain L_{t}")


def _best_first_action(A_t, B_t, U, W, s):
    """First of the actions that minimize the cost of the whole run, one linear system, no recursion."""
    T, (d, p) = len(A_t), B_t[0].shape
    free, reach, H, g = s, np.zeros((d, T * p)), np.kron(np.eye(T), W), np.zeros(T * p)
    for t in range(T):
        free, reach = A_t[t] @ free, A_t[t] @ reach
        reach[:, t * p:(t + 1) * p] += B_t[t]
        H, g = H + reach.T @ U @ reach, g + reach.T @ U @ free
    return np.linalg.solve(H, -g)[:p]


@exercise("discounted_gain", wrong={
    "no discount": lambda A, B, U, W, gamma: lqr.dare_fixed_point(A, B, U, W).L,
    "gamma instead of its root": lambda A, B, U, W, gamma: lqr.dare_fixed_point(gamma * A, gamma * B, U, W).L,
    "only A scaled": lambda A, B, U, W, gamma: lqr.dare_fixed_point(np.sqrt(gamma) * A, B, U, W).L,
})
def discounted_gain(answer):
    """Check against a long finite horizon whose costs are multiplied by gamma^t."""
    T, U, W = 400, np.diag([1.0, 0.3]), np.array([[0.4]])
    for gamma in (0.9, 0.97):
        weights = gamma ** np.arange(T + 1)[:, None, None]
        finite = lqr.LQR(A, B, weights * U, weights[:-1] * W, T).solve()
        expect_close(answer(A, B, U, W, gamma), finite.L_[0], f"the gain for gamma = {gamma}", rtol=1e-5)


def _filter(m, P, a, y, A, B, C, Sigma_s, Sigma_y, push=1.0, old_gain=False, drop_noise=False, divide=False):
    prior = P
    m, P = A @ m + push * B @ a, A @ P @ A.T + (0 if drop_noise else 1) * Sigma_s
    base = prior if old_gain else P
    S = C @ base @ C.T + Sigma_y
    K = base @ C.T / S if divide else base @ C.T @ np.linalg.inv(S)
    return m + K @ (y - C @ m), P - K @ C @ P


@exercise("filter_step", wrong={
    "the action left out": lambda *args: _filter(*args, push=0.0),
    "a gain from the old covariance": lambda *args: _filter(*args, old_gain=True),
    "no process noise": lambda *args: _filter(*args, drop_noise=True),
    "a division by the entries of S instead of its inverse": lambda *args: _filter(*args, divide=True),
    "the covariance not updated": lambda *args: (_filter(*args)[0], args[4] @ args[1] @ args[4].T + args[7]),
})
def filter_step(answer):
    """Check several steps against conditioning one big Gaussian."""
    rng = np.random.default_rng(1)
    C, Sigma_s, Sigma_y = np.array([[1.0, 0.5], [0.2, 1.0]]), np.array([[0.2, 0.05], [0.05, 0.1]]), np.array([[0.3, 0.1], [0.1, 0.5]])
    kf = lqr.KalmanFilter(A, B, C, Sigma_s, Sigma_y, [0.5, -1.0], np.diag([1.0, 2.0]))
    Y, actions = rng.normal(size=(5, 2)), 3 * rng.normal(size=(5, 1))
    m, P = kf.m0, kf.P0
    for t in range(5):
        m, P = answer(m, P, actions[t], Y[t], A, B, C, Sigma_s, Sigma_y)
        mean, cov = lqr.batch_condition(kf, Y[:t + 1], actions[:t + 1])
        expect_close(m, mean, f"the mean after observation {t + 1}")
        expect_close(P, cov, f"the covariance after observation {t + 1}")


@exercise("hopeless_pair", wrong={
    "zeros in B": lambda: (np.array([[1.2, 0.1], [0.1, 0.5]]), np.array([[0.0], [0.0]])),
    "the lost mode dies out": lambda: (np.array([[1.0, 0.5], [0.5, 1.0]]), np.array([[1.0], [1.0]])),
    "stabilizable": lambda: (np.array([[1.2, 0.3], [0.1, 0.9]]), np.array([[1.0], [1.0]])),
})
def hopeless_pair(answer):
    """Check the entries, the lost mode, and that none of many gains stabilizes the pair."""
    A, B = (np.asarray(part, float) for part in answer())
    assert A.shape == (2, 2) and B.shape == (2, 1), f"A must be 2 x 2 and B 2 x 1, got {A.shape} and {B.shape}"
    assert (np.abs(np.concatenate([A.ravel(), B.ravel()])) > 1e-3).all(), "no entry of A or B may be zero"
    lost = lqr.unreachable_modes(A, B)
    assert len(lost), "the pair is controllable: the actions reach every mode"
    modulus = np.abs(lost).max()
    assert modulus > 1 - 1e-9, f"the mode that no action reaches has modulus {modulus:.3f} < 1 and dies out by itself"
    rng = np.random.default_rng(2)
    for K in rng.normal(scale=3.0, size=(500, 1, 2)):
        assert np.abs(np.linalg.eigvals(A + B @ K)).max() > 1 - 1e-6, f"the gain {K.round(3).tolist()} stabilizes the pair"


def _steady_gain(A, C, Sigma_s, Sigma_y, divide=False):
    P = -lqr.dare_fixed_point(A.T, C.T, Sigma_s, Sigma_y).Phi
    S = C @ P @ C.T + Sigma_y
    return P @ C.T / S if divide else P @ C.T @ np.linalg.inv(S)


@exercise("steady_gain", wrong={
    "not mirrored": lambda A, C, Sigma_s, Sigma_y: _steady_gain(A.T, C, Sigma_s, Sigma_y),
    "the mirrored gain itself": lambda A, C, Sigma_s, Sigma_y: -lqr.dare_fixed_point(A.T, C.T, Sigma_s, Sigma_y).L.T,
    "the sign of the mirrored gain": lambda *args: -_steady_gain(*args),
    "the noises exchanged": lambda A, C, Sigma_s, Sigma_y: _steady_gain(
        A, C, Sigma_y[0, 0] * np.eye(len(A)), Sigma_s[0, 0] * np.eye(len(C))),
    "a division by the entries of S instead of its inverse": lambda *args: _steady_gain(*args, divide=True),
    "transposed": lambda *args: _steady_gain(*args).T,
})
def steady_gain(answer):
    """Check against running the filter for a long time, with one sensor and with two."""
    Sigma_s = np.diag([0.02, 0.1])
    for C, Sigma_y in ((np.array([[1.0, 0.2]]), np.array([[0.5]])),
                       (np.array([[1.0, 0.2], [0.4, 1.0]]), np.array([[0.5, 0.1], [0.1, 0.3]]))):
        kf = lqr.KalmanFilter(A, None, C, Sigma_s, Sigma_y, [0.0, 0.0], np.eye(2))
        expect_close(answer(A, C, Sigma_s, Sigma_y), kf.schedule(500)[1][-1], f"the steady gain for C of shape {C.shape}", rtol=1e-6)
