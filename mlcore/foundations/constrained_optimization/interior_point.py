"""The numerical core of :func:`solve_qp`: predictor-corrector steps, and certificates when there is no optimum.

All functions take arrays that solve_qp has checked and scaled: rows of G and A of length 1, P and q of size 1.
"""

import numpy as np
from scipy.linalg import lu_factor, lu_solve

from mlcore.foundations.constrained_optimization.problem import largest_entry

# Added to the diagonal of linear systems that may be singular; iterative refinement then removes its effect.
RIDGE = 1e-10
CERTIFICATE_TOL = 1e-6


@np.errstate(all="ignore")  # without an optimum the iterates run off to infinity, which the loop notices
def interior_point(P, q, G, h, A, b, tol, max_iter):
    """Predictor-corrector steps on the scaled problem: x, z, y, number of steps, whether they converged."""
    m = len(h)
    x, s, z, y = _start(P, q, G, h, A, b)
    best = (np.inf, x, z, y)
    for n_iter in range(max_iter + 1):
        residual = _relative_residual(P, q, G, h, A, b, x, z, y)
        stalled = best[0] < tol and residual >= 0.5 * best[0]
        if residual < best[0]:
            best = (residual, x, z, y)
        if residual < 1e-4:  # near enough to guess which constraints are active
            exact = _polish(P, q, G, h, A, b, x, s, z, y)
            if _relative_residual(P, q, G, h, A, b, *exact) <= min(tol, best[0]):
                return *exact, n_iter, True
        if stalled or n_iter == max_iter or not np.isfinite(residual) or max(largest_entry(x), largest_entry(z)) > 1e14:
            return *best[1:], n_iter, best[0] < tol
        r_d, r_p, r_e = P @ x + q + G.T @ z + A.T @ y, G @ x + s - h, A @ x - b
        mu = s @ z / max(m, 1)
        newton = _newton(P, G, A, s, z)
        _, ds, dz, _ = newton(r_d, r_p, r_e, s * z)  # predictor: aim at mu = 0
        alpha = min(_largest_step(s, ds), _largest_step(z, dz))
        sigma = ((s + alpha * ds) @ (z + alpha * dz) / (m * mu)) ** 3 if m else 0.0
        infeasibility = max(largest_entry(r_d), largest_entry(r_p), largest_entry(r_e))
        target = max(sigma * mu, min(mu, 1e-3 * infeasibility))  # complementarity must not run far ahead of feasibility
        dx, ds, dz, dy = newton(r_d, r_p, r_e, s * z + ds * dz - target)  # corrector: second order included
        alpha = min(1.0, max(0.99, 1 - mu) * min(_largest_step(s, ds), _largest_step(z, dz)))
        x, s, z, y = x + alpha * dx, s + alpha * ds, z + alpha * dz, y + alpha * dy


def _newton(P, G, A, s, z):
    """Solver of the Newton system (eq-co-newton) at slacks s and multipliers z.

    Rows of G far from their bound (z <= s) and bounds on one variable are eliminated, which adds G'diag(z/s)G
    to P; the others stay as equations of their own, so that no large number enters the matrix.
    """
    keep = (z > s) & (np.count_nonzero(G, axis=1) != 1)
    out = ~keep
    solve = _factor(P + _gram(G[out], (z / s)[out]), np.vstack([A, G[keep]]), np.concatenate([np.zeros(len(A)), (s / z)[keep]]))

    def newton(r_d, r_p, r_e, r_c):
        first = -r_d - G[out].T @ ((z * r_p - r_c) / s)[out]
        dx, d = solve(first, np.concatenate([-r_e, (r_c / z - r_p)[keep]]))
        dz = (z * (r_p + G @ dx) - r_c) / s
        dz[keep] = d[len(A):]
        return dx, -(r_c + s * dz) / z, dz, d[: len(A)]

    return newton


def _start(P, q, G, h, A, b):
    """Minimizer of the objective plus 1/2 |h - Gx|^2 on A x = b, with slacks and multipliers moved inside."""
    x, y = _factor(P + _gram(G, np.ones(len(h))), A)(G.T @ h - q, b)
    s = h - G @ x
    z = -s
    s = s + max(0.0, 1 - np.min(s, initial=1.0))
    z = z + max(0.0, 1 - np.min(z, initial=1.0))
    return x, s, z, y


def _factor(H, C, D=0.0):
    """Solver of [[H, C'], [C, -D]]; a tiny ridge makes it regular, iterative refinement takes the ridge out again."""
    n, k = len(H), len(C)
    K = np.zeros((n + k, n + k))
    K[:n, :n], K[:n, n:], K[n:, :n] = H, C.T, C
    K[range(n, n + k), range(n, n + k)] = -D
    factored = lu_factor(K + np.diag(np.repeat([RIDGE, -RIDGE], [n, k])), check_finite=False)

    def solve(first, second):
        right = np.concatenate([first, second])
        v = lu_solve(factored, right, check_finite=False)
        for _ in range(3):
            v = v + lu_solve(factored, right - K @ v, check_finite=False)
        return v[:n], v[n:]

    return solve


def _gram(G, w):
    """G' diag(w) G; rows with one entry only touch the diagonal."""
    single = np.count_nonzero(G, axis=1) == 1
    full = G[~single]
    H = (full.T * w[~single]) @ full
    H[np.diag_indices_from(H)] += w[single] @ G[single] ** 2
    return H


def _polish(P, q, G, h, A, b, x, s, z, y):
    """Solve exactly with the constraints that look active (multiplier above slack); the others get multiplier 0."""
    active = z > s
    C = np.vstack([A, G[active]])
    multipliers = np.concatenate([y, z[active]])
    dx, d = _factor(P, C)(-(P @ x + q + C.T @ multipliers), np.concatenate([b, h[active]]) - C @ x)
    z = np.zeros(len(h))
    z[active] = np.maximum((multipliers + d)[len(b):], 0)
    return x + dx, z, (multipliers + d)[: len(b)]


def _largest_step(v, dv):
    """Largest step in (0, 1] that keeps v + step * dv >= 0."""
    falling = dv < 0
    return min(1.0, np.min(-v[falling] / dv[falling], initial=1.0))


def _relative_residual(P, q, G, h, A, b, x, z, y):
    """Worst KKT residual, each relative to the largest term it is a sum of."""
    def ratio(total, *terms):
        return largest_entry(total) / (1 + max(largest_entry(t) for t in terms))

    Px, Gx, Ax, Gz, Ay = P @ x, G @ x, A @ x, G.T @ z, A.T @ y
    return max(ratio(Px + q + Gz + Ay, Px, q, Gz, Ay), ratio(np.maximum(Gx - h, 0), Gx, h), ratio(Ax - b, Ax, b),
               ratio(z * (h - Gx), z))


def _least_residual(M, c, nonnegative):
    """r = M v + c of least norm with v[nonnegative] >= 0; then M_free' r = 0, M_nonnegative' r >= 0 and c'r = |r|^2."""
    G = -np.eye(M.shape[1])[nonnegative]
    v = interior_point(M.T @ M, M.T @ c, G, np.zeros(len(G)), np.zeros((0, M.shape[1])), np.zeros(0), 1e-12, 60)[0]
    return M @ v + c


def farkas_certificate(G, h, A, b):
    """Multipliers that prove G x <= h, A x = b impossible (eq-co-farkas), or None."""
    (m, n), p = G.shape, len(b)
    g_scale, a_scale = row_scale(G), row_scale(A)
    G, h, A, b = G * g_scale[:, None], h * g_scale, A * a_scale[:, None], b * a_scale
    M = np.block([[A, np.zeros((p, m))], [G, np.eye(m)]])  # A x - b, and G x + w - h with w >= 0
    r = _least_residual(M, -np.concatenate([b, h]), np.arange(n, n + m))
    nu, lam = r[:p], np.maximum(r[p:], 0)
    margin = -(b @ nu + h @ lam)
    size = 1 + max(largest_entry(b), largest_entry(h))
    if margin <= (CERTIFICATE_TOL * size) ** 2 or largest_entry(A.T @ nu + G.T @ lam) > CERTIFICATE_TOL * np.linalg.norm(r):
        return None
    return lam * g_scale / margin, nu * a_scale / margin


def unbounded_ray(P, q, G, A):
    """Direction d with P d = 0, A d = 0, G d <= 0, q'd = -1 (eq-co-ray), or None."""
    P, G, A = P / (largest_entry(P) or 1.0), G * row_scale(G)[:, None], A * row_scale(A)[:, None]
    r = _least_residual(np.hstack([P, A.T, G.T]), q / (largest_entry(q) or 1.0), np.arange(len(P) + len(A), len(P) + len(A) + len(G)))
    if r @ r <= CERTIFICATE_TOL**2:
        return None
    d = -r / (q @ r)
    broken = max(largest_entry(P @ d), largest_entry(A @ d), largest_entry(np.maximum(G @ d, 0)))
    return d if broken <= CERTIFICATE_TOL * largest_entry(d) else None


def row_scale(M):
    """1 / length of each row; 1 for a row of zeros."""
    length = np.linalg.norm(M, axis=1)
    return 1 / np.where(length > 0, length, 1.0)
