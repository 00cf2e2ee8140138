"""Control beside scipy."""

import numpy as np
from scipy import linalg, optimize, signal

from mlcore.control import lqr_and_lqg as lqr
from mlcore.control import markov_decision_processes as dp
from mlcore.control import policy_gradient
from tools.bench.data import gap, growing
from tools.bench.measure import case


def random_mdp(S, A=4, gamma=0.95):
    """An MDP with random transitions and rewards."""
    rng = np.random.default_rng(0)
    return dp.MDP(rng.dirichlet(np.ones(S), size=(A, S)), rng.normal(size=(S, A)), gamma)


@case("value of a policy", "mlcore.control.markov_decision_processes.policy_value", "scipy.linalg.solve", 2,
      growing("S", 100, 300, 1_000))
def policy_value(S):
    mdp = random_mdp(S)
    pi, states = np.arange(S) % mdp.n_actions, np.arange(S)
    return (lambda: dp.policy_value(mdp, pi),
            lambda: linalg.solve(np.eye(S) - mdp.gamma * mdp.P[pi, states], mdp.R[states, pi]), gap)


SOLVERS = {"value iteration": "value_iteration", "policy iteration": "policy_iteration"}


def mdp_case(name):
    """Build function of a solver beside the linear program: the least V with V >= R_a + gamma P_a V for every action."""
    def build(S):
        mdp = random_mdp(S)
        steps = np.concatenate([mdp.gamma * P - np.eye(S) for P in mdp.P])
        return (lambda: getattr(dp, name)(mdp).V,
                lambda: optimize.linprog(np.ones(S), A_ub=steps, b_ub=-mdp.R.T.ravel(), bounds=(None, None)).x, gap)
    return build


for _title, _name in SOLVERS.items():
    case(_title, f"mlcore.control.markov_decision_processes.{_name}", "scipy.optimize.linprog", 10, growing("S", 20, 60, 180),
         note="the same values, found by another method")(mdp_case(_name))


@case("discrete Riccati equation", "mlcore.control.lqr_and_lqg.dare_fixed_point", "scipy.linalg.solve_discrete_are", 10,
      growing("d", 4, 16, 64))
def riccati(d):
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(d, d)), rng.normal(size=(d, max(d // 2, 1)))
    A *= 0.95 / np.abs(np.linalg.eigvals(A)).max()
    U, W = np.eye(d), np.eye(B.shape[1])
    return lambda: -lqr.dare_fixed_point(A, B, U, W).Phi, lambda: linalg.solve_discrete_are(A, B, U, W), gap


@case("returns to go", "mlcore.control.policy_gradient.returns_to_go", "scipy.signal.lfilter", 10, growing("n", 100, 1_000, 10_000, T=200))
def returns_to_go(n, T):
    rewards = np.random.default_rng(0).normal(size=(n, T))
    return (lambda: policy_gradient.returns_to_go(rewards, 0.95),
            lambda: signal.lfilter([1.0], [1.0, -0.95], rewards[:, ::-1])[:, ::-1], gap)
