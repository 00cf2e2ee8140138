"""Markov decision processes (chapter control/markov_decision_processes): one file per topic, all names importable from here."""

from mlcore.control.markov_decision_processes.continuous import (
    GridDiscretizer,
    action_table,
    discretize_system,
    fit_linear_dynamics,
    noisy_step,
)
from mlcore.control.markov_decision_processes.fitted import FittedValueIteration, gaussian_features
from mlcore.control.markov_decision_processes.learning import CountModel, LearningRun, model_based_rl
from mlcore.control.markov_decision_processes.model import MDP, MOVES, GridWorld
from mlcore.control.markov_decision_processes.solving import (
    Solution,
    bellman_backup,
    greedy_policy,
    modified_policy_iteration,
    policy_backup,
    policy_iteration,
    policy_model,
    policy_value,
    q_values,
    value_iteration,
)
from mlcore.control.markov_decision_processes.systems import CartPole, Pendulum, wrap_angle

__all__ = [
    "MDP",
    "MOVES",
    "CartPole",
    "CountModel",
    "FittedValueIteration",
    "GridDiscretizer",
    "GridWorld",
    "LearningRun",
    "Pendulum",
    "Solution",
    "action_table",
    "bellman_backup",
    "discretize_system",
    "fit_linear_dynamics",
    "gaussian_features",
    "greedy_policy",
    "model_based_rl",
    "modified_policy_iteration",
    "noisy_step",
    "policy_backup",
    "policy_iteration",
    "policy_model",
    "policy_value",
    "q_values",
    "value_iteration",
    "wrap_angle",
]
