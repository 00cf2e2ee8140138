"""LQR, iterative LQR and LQG (chapter control/lqr_and_lqg): one file per topic, all names importable from here."""

from mlcore.control.lqr_and_lqg.finite_horizon import FiniteHorizonMDP, Plan, backward_induction, evaluate_policy
from mlcore.control.lqr_and_lqg.kalman import Filtered, KalmanFilter, batch_condition, kalman_predict, kalman_update
from mlcore.control.lqr_and_lqg.lqg import LQG, Runs
from mlcore.control.lqr_and_lqg.nonlinear import Linearization, Quadratic, Trajectory, augment, ilqr, linearize, quadratize
from mlcore.control.lqr_and_lqg.regulator import (
    LQR,
    SteadyState,
    Trajectories,
    controllability_matrix,
    dare_fixed_point,
    riccati_step,
    unreachable_modes,
)

__all__ = [
    "LQG", "LQR", "Filtered", "FiniteHorizonMDP", "KalmanFilter", "Linearization", "Plan", "Quadratic", "Runs", "SteadyState",
    "Trajectories", "Trajectory", "augment", "backward_induction", "batch_condition", "controllability_matrix", "dare_fixed_point",
    "evaluate_policy", "ilqr", "kalman_predict", "kalman_update", "linearize", "quadratize", "riccati_step", "unreachable_modes",
]
