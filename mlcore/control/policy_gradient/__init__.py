"""Policy gradient (chapter control/policy_gradient): one file per topic, all names importable from here."""

from mlcore.control.policy_gradient.estimators import (
    KINDS,
    Baseline,
    control_variates,
    gradient_estimates,
    optimal_coefficients,
    returns_to_go,
    step_weights,
)
from mlcore.control.policy_gradient.exact import enumerate_trajectories, exact_gradient, exact_return
from mlcore.control.policy_gradient.policies import GaussianPolicy, SoftmaxPolicy, quadratic_features, state_features
from mlcore.control.policy_gradient.reinforce import Reinforce
from mlcore.control.policy_gradient.rollouts import CartPoleTask, LinearTask, MDPTask, Trajectories, rollout

__all__ = [
    "KINDS", "Baseline", "CartPoleTask", "GaussianPolicy", "LinearTask", "MDPTask", "Reinforce", "SoftmaxPolicy", "Trajectories",
    "control_variates", "enumerate_trajectories", "exact_gradient", "exact_return", "gradient_estimates", "optimal_coefficients",
    "quadratic_features", "returns_to_go", "rollout", "state_features", "step_weights",
]
