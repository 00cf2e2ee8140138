"""Valid input for the functions and classes of the part "Control"."""

import numpy as np

from fuzz.cases.base import case
from fuzz.values import Fresh
from mlcore.control.lqr_and_lqg import LQR, FiniteHorizonMDP, KalmanFilter
from mlcore.control.markov_decision_processes import MDP, GridDiscretizer, GridWorld, Pendulum
from mlcore.control.policy_gradient import MDPTask, SoftmaxPolicy, rollout

P = np.array([[[0.75, 0.25], [0.25, 0.75]], [[0.5, 0.5], [0.0, 1.0]]])
R = np.array([[0.0, 1.0], [0.5, -0.25]])
V = np.array([1.0, 2.0])
pi = np.array([1, 0])
A, B, U, W = np.array([[1.0, 0.125], [0.0, 1.0]]), np.array([[0.0], [0.25]]), np.eye(2), np.array([[0.5]])
C, noise, y_noise = np.array([[1.0, 0.0]]), 0.25 * np.eye(2), np.array([[0.5]])
m0, P0 = np.array([0.5, -0.25]), np.eye(2)
s, a = np.array([0.5, 0.25]), np.array([0.25])
states = np.array([[1.0, 0.5], [0.5, 0.25], [1.25, -0.5], [1.625, 0.0]])
actions = np.array([-1.0, 0.0, 1.0])
bounds = np.array([[-1.0, 1.0], [-2.0, 2.0]])
rewards = np.array([[1.0, 2.0, 4.0], [0.5, 0.0, -1.0]])
BATCHES = {"s": "axis too many", "a": "axis too many, axis too few"}  # one state or many at once; a single action may be a number
EACH = {"noise": "array"}  # one standard deviation for all coordinates, or one each

mdp = Fresh(lambda: MDP(P, R, 0.75))
finite = Fresh(lambda: FiniteHorizonMDP(P, R, 3))
lqr = Fresh(lambda: LQR(A, B, U, W, T=3, Sigma=noise).solve())
kf = Fresh(lambda: KalmanFilter(A, B, C, noise, y_noise, m0, P0))
pendulum = Fresh(Pendulum)
world = Fresh(lambda: GridWorld(["S.G"], {"G": 1.0}))
cells = Fresh(lambda: GridDiscretizer(bounds, [2, 2]))
softmax = Fresh(lambda: SoftmaxPolicy(2, 2))
task = Fresh(lambda: MDPTask(MDP(P, R, 0.75), start=0))
batch = Fresh(lambda: rollout(MDPTask(MDP(P, R, 0.75), start=0), SoftmaxPolicy(2, 2), 3, 4, 0))


def dynamics(s, a):
    return np.stack([s[..., 0] + 0.125 * s[..., 1], s[..., 1] + 0.125 * np.sin(s[..., 0]) + 0.125 * a[..., 0]], axis=-1)


def cost(s, a):
    return (s**2).sum(axis=-1) + 0.25 * (a**2).sum(axis=-1)


def final_cost(s):
    return 4 * (s**2).sum(axis=-1)


def reward(s, a):
    return -(np.asarray(s) ** 2).sum(axis=-1)


def squares(s):
    return np.hstack([np.ones((len(s), 1)), s**2])


def counted(cls, n_states, n_actions):
    model = cls(n_states, n_actions)
    model.update(0, 0, 1.0, 1)
    return model.to_mdp(gamma=0.75).P


def trained(cls, **options):
    agent = cls(**options).train(MDPTask(MDP(P, R, 0.75), start=0), SoftmaxPolicy(2, 2))
    return agent.policy_.theta


CASES = {
    "lqr_and_lqg": {
        "FiniteHorizonMDP": case(P=P, R=R, T=3, then=lambda m: (m.P, m.R)),
        "KalmanFilter": case(
            A=A, B=B, C=C, Sigma_s=noise, Sigma_y=y_noise, m0=m0, P0=P0, then=lambda f: f.predict([0.5]).update([1.0]).mean
        ),
        "LQG": case(lqr=lqr, kf=kf, then=lambda lqg: lqg.value()),
        "LQR": case(A=A, B=B, U=U, W=W, T=3, Sigma=noise, then=lambda regulator: regulator.solve().L_),
        "augment": case(A=A, B=B, kappa=s),
        "backward_induction": case(mdp=finite),
        "batch_condition": case(kf=kf, Y=np.array([[0.5], [1.0]]), actions=np.array([[0.25], [0.5]])),
        "controllability_matrix": case(A=A, B=B),
        "dare_fixed_point": case(A=A, B=B, U=U, W=W),
        "evaluate_policy": case(mdp=finite, policy=pi),
        "ilqr": case(F=dynamics, cost=cost, final_cost=final_cost, s0=s, actions=np.full((3, 1), 0.25), max_iter=5),
        "kalman_predict": case(mean=m0, cov=P0, A=A, Sigma_s=noise),
        "kalman_update": case(mean=m0, cov=P0, y=np.array([1.0]), C=C, Sigma_y=y_noise),
        "linearize": case(F=dynamics, s=s, a=a),
        "quadratize": case(cost=cost, s=s, a=a),
        "riccati_step": case(Phi=-U, A=A, B=B, U=U, W=W),
        "unreachable_modes": case(A=A, B=B),
    },
    "markov_decision_processes": {
        "CartPole": case(
            s=np.array([0.0, 0.0, 0.125, 0.0]), a=a, allow=BATCHES, call=lambda cls, s, a, **options: cls(**options).step(s, a)
        ),
        "CountModel": case(n_states=2, n_actions=2, call=counted),
        "FittedValueIteration": case(
            system=pendulum,
            reward=reward,
            features=squares,
            actions=actions,
            gamma=0.75,
            bounds=bounds,
            n_states=12,
            n_iter=3,
            allow=EACH,
            then=lambda fitted: fitted.fit().theta_,
        ),
        "GridDiscretizer": case(  # one number of cells for all axes, or one each
            bounds=bounds, bins=np.array([2, 3]), allow={"bins": "axis too few"}, then=lambda grid: (grid.n_cells, grid.center(1))
        ),
        "GridWorld": case(rows=["S.G"], exits={"G": 1.0}, then=lambda grid: (grid.P, grid.R)),
        "MDP": case(P=P, R=R, gamma=0.75, then=lambda m: (m.P, m.R)),
        "Pendulum": case(s=s, a=a, allow=BATCHES, call=lambda cls, s, a, **options: cls(**options).step(s, a)),
        "action_table": case(actions=actions, allow={"actions": "axis too many"}),  # one number an action, or a row
        "bellman_backup": case(mdp=mdp, V=V),
        "discretize_system": case(
            system=pendulum, reward=reward, actions=actions, disc=cells, samples_per_cell=2, gamma=0.75, allow=EACH,
            then=lambda m: (m.P, m.R)
        ),
        "fit_linear_dynamics": case(
            states=states, actions=actions, call=lambda f, states, actions, **options: f([(states, actions)], **options)
        ),
        "gaussian_features": case(centers=states, widths=0.5, allow={"widths": "array"}, then=lambda phi: phi(states)),
        "greedy_policy": case(mdp=mdp, V=V),
        "model_based_rl": case(env=world, n_trials=2, horizon=5, then=lambda learned: learned.V),
        "modified_policy_iteration": case(mdp=mdp, k=3, allow={"k": "infinity"}),  # infinity is policy iteration
        "noisy_step": case(system=pendulum, s=s, a=a, noise=0.125, allow=BATCHES | EACH),
        "policy_backup": case(mdp=mdp, pi=pi, V=V),
        "policy_iteration": case(mdp=mdp),
        "policy_model": case(mdp=mdp, pi=pi),
        "policy_value": case(mdp=mdp, pi=pi),
        "q_values": case(mdp=mdp, V=V),
        "value_iteration": case(mdp=mdp),
        "wrap_angle": case(theta=np.array([-4.0, 0.5, 7.0]), elementwise="theta"),
    },
    "policy_gradient": {
        "Baseline": case(
            states=np.arange(12.0).reshape(2, 3, 2) / 8,
            to_go=rewards,
            call=lambda cls, states, to_go, **options: cls(**options).fit(states, to_go).predict(states),
        ),
        "CartPoleTask": case(
            states=np.zeros((2, 4)),
            actions=np.array([[0.0], [1.0]]),
            call=lambda cls, states, actions, **options: cls(**options).step(states, actions, rng=0),
        ),
        "GaussianPolicy": case(
            n_features=2,
            theta=np.array([0.5, -0.25]),
            data=states,
            allow={"data": "axis too many"},  # any leading axes
            call=lambda cls, data, **options: cls(**options).mean(data),
        ),
        "LinearTask": case(then=lambda line: line.expected_return(gain=0.25, std=0.5, gamma=0.75, horizon=3)),
        "MDPTask": case(mdp=mdp, start=0, then=lambda t: t.reset(3, rng=0)),
        "Reinforce": case(horizon=4, n_traj=3, n_iter=2, call=trained),
        "SoftmaxPolicy": case(
            n_features=2,
            n_actions=2,
            theta=np.array([0.5, -0.25, 0.0, 1.0]),
            data=pi,
            allow={"data": "axis too many, axis too few"},  # any axes
            call=lambda cls, data, **options: cls(**options).probabilities(data),
        ),
        "control_variates": case(policy=softmax, batch=batch, gamma=0.75, phi=np.ones((3, 4, 1))),
        "enumerate_trajectories": case(mdp=mdp, policy=softmax, start=0, horizon=2),
        "exact_gradient": case(mdp=mdp, policy=softmax, start=0, horizon=3),
        "exact_return": case(mdp=mdp, policy=softmax, start=0, horizon=3),
        "gradient_estimates": case(policy=softmax, batch=batch, gamma=0.75),
        "optimal_coefficients": case(A=np.array([[2.0], [-1.0], [0.5]]), C=np.array([[1.0], [-1.0], [0.25]])),
        "quadratic_features": case(states=states, allow={"states": "axis too many, axis too few"}),  # any leading axes
        "returns_to_go": case(rewards=rewards, gamma=0.75),
        "rollout": case(task=task, policy=softmax, n=3, horizon=4, rng=0),
        "state_features": case(states=pi, n_features=3, allow={"states": "axis too many, axis too few"}),  # any axes
        "step_weights": case(batch=batch, gamma=0.75),
    },
}
