"""Linear quadratic Gaussian control: the regulator's gain on the filter's mean, and what seeing less costs."""

from typing import NamedTuple

import numpy as np

from mlcore.base import check_number, check_option, check_rng
from mlcore.control.lqr_and_lqg.checks import check_instance, semidefinite_root
from mlcore.control.lqr_and_lqg.kalman import KalmanFilter
from mlcore.control.lqr_and_lqg.regulator import LQR

SOURCES = ("belief", "state", "raw")


class Runs(NamedTuple):
    """Simulated runs: states, beliefs (n, T + 1, d), observations (n, T, m), actions (n, T, p), total rewards (n,)."""

    states: np.ndarray
    beliefs: np.ndarray
    observations: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray


class LQG:
    """A solved regulator that acts on the belief of a Kalman filter, a_t = L_t s_{t|t} (thm-lqr-separation).

    Parameters
    ----------
    lqr : LQR, solved, with constant A, B and Sigma
    kf : KalmanFilter of the same system

    >>> one = [[1.0]]
    >>> lqg = LQG(LQR(one, one, one, one, T=2, Sigma=one).solve(), KalmanFilter(one, one, one, one, one, [0.0], one))
    >>> round(lqg.value(), 4), round(lqg.value(source="state"), 4)
    (-5.3333, -4.1)
    """

    def __init__(self, lqr, kf):
        check_instance(lqr, LQR, "lqr")._check_solved()
        check_instance(kf, KalmanFilter, "kf")
        for name, mine, theirs in (("A", lqr.A, kf.A), ("B", lqr.B, kf.B), ("Sigma", lqr.Sigma, kf.Sigma_s)):
            if any(M.shape != theirs.shape or not np.allclose(M, theirs, atol=1e-9 * np.abs(theirs).max(initial=0)) for M in mine):
                raise ValueError(f"the regulator and the filter must describe one system that does not change with time, but {name} "
                                 f"differs (shapes {mine[0].shape} and {theirs.shape}).")
        self.lqr, self.kf = lqr, kf

    def value(self, source="belief"):
        """Expected total reward from the prior, acting on the belief or on the true state (eq-lqr-lqg-value)."""
        check_option(source, "source", SOURCES[:2])
        lqr, m, P = self.lqr, self.kf.m0, self.kf.P0
        total = float(m @ lqr.Phi_[0] @ m + np.sum(P * lqr.Phi_[0]) + lqr.Psi_[0])
        return total if source == "state" else total - float(self.price_of_not_seeing().sum())

    def price_of_not_seeing(self):
        """Reward (T,) lost at each step by knowing only the belief: tr(L^T (W - B^T Phi B) L Sigma_{t|t})."""
        lqr, (covs, _) = self.lqr, self.kf.schedule(self.lqr.T)
        M = [W - B.T @ Phi @ B for W, B, Phi in zip(lqr.W, lqr.B, lqr.Phi_[1:])]
        return np.array([np.sum((L.T @ Q @ L) * cov) for L, Q, cov in zip(lqr.L_, M, covs)])

    def simulate(self, rng=None, n_runs=1, source="belief", gains=None):
        """Runs from s_0 ~ N(m0, P0) that act on the belief, on the true state, or on the raw observation pinv(C) y.

        ``gains`` (T, p, d) replaces the regulator's own; the same ``rng`` draws the same noise for all gains.
        """
        check_option(source, "source", SOURCES)
        check_number(n_runs, "n_runs", low=1, integer=True)
        lqr, kf, rng = self.lqr, self.kf, check_rng(rng)
        d, m = len(kf.A), len(kf.C)
        root_0, root_s, root_y = (semidefinite_root(S) for S in (kf.P0, kf.Sigma_s, kf.Sigma_y))
        gains, (_, filter_gains), see = lqr._check_gains(gains), kf.schedule(lqr.T), np.linalg.pinv(kf.C)
        states, beliefs = [kf.m0 + rng.standard_normal((n_runs, d)) @ root_0.T], [np.tile(kf.m0, (n_runs, 1))]
        raw, observations, actions = beliefs[0], [], []
        for t in range(lqr.T):
            seen = {"belief": beliefs[-1], "state": states[-1], "raw": raw}[source]
            actions.append(seen @ gains[t].T)
            push = actions[-1] @ kf.B.T
            states.append(states[-1] @ kf.A.T + push + rng.standard_normal((n_runs, d)) @ root_s.T)
            y = states[-1] @ kf.C.T + rng.standard_normal((n_runs, m)) @ root_y.T
            predicted = beliefs[-1] @ kf.A.T + push
            beliefs.append(predicted + (y - predicted @ kf.C.T) @ filter_gains[t].T)
            observations.append(y)
            raw = y @ see.T
        states, beliefs, observations, actions = (np.stack(x, axis=1) for x in (states, beliefs, observations, actions))
        return Runs(states, beliefs, observations, actions, lqr.total_reward(states, actions))
