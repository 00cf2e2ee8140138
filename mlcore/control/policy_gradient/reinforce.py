"""REINFORCE: sample runs, estimate the gradient of the expected return, take a step uphill."""

import copy

import numpy as np

from mlcore.base import check_number, check_option, check_rng
from mlcore.control.policy_gradient.estimators import KINDS, POLICY_REMEDY, Baseline, gradient_estimates, returns_to_go
from mlcore.control.policy_gradient.rollouts import check_methods, rollout
from mlcore.foundations.gradient_descent import SGD, Optimizer


class Reinforce:
    """Policy gradient with a choice of estimator ({prf:ref}`alg-pg-reinforce`).

    Each round samples ``n_traj`` runs with the current policy, fits the baseline to their returns-to-go and moves the parameters
    along the *mean* of the estimates, so that the step does not depend on the number of runs.

    Parameters
    ----------
    gamma : discount in [0, 1];  horizon : steps per run;  n_traj : runs per round, at least 2 for kind 'baseline';  n_iter : rounds
    kind : 'full', 'to_go' or 'baseline' (see ``step_weights``)
    baseline : Baseline to fit for kind 'baseline'; None fits one constant per step
    discount_weights : whether step t is weighted by gamma^t; ignored for 'full', which needs no such factor
    optimizer : rule of ``mlcore.foundations.gradient_descent``, which is copied; SGD(lr=0.1) if None
    random_state : int, Generator or None

    Attributes
    ----------
    policy_ : the last policy;  thetas_ : (n_iter + 1, p) parameters before every round and at the end
    history_ : (n_iter,) mean discounted return of the runs of each round;  lengths_ : (n_iter,) their mean number of steps

    >>> from mlcore.control.markov_decision_processes import GridWorld
    >>> from mlcore.control.policy_gradient import MDPTask, SoftmaxPolicy
    >>> corridor = MDPTask(GridWorld(["-S+"], {"+": 1.0, "-": -1.0}, slip=0.0))
    >>> agent = Reinforce(horizon=10, n_traj=20, n_iter=30, random_state=0).train(corridor, SoftmaxPolicy(4, 4))
    >>> agent.policy_.probabilities(1).argmax()   # move right
    np.int64(1)
    """

    def __init__(self, gamma=0.99, horizon=100, n_traj=50, n_iter=100, kind="baseline", baseline=None, discount_weights=True,
                 optimizer=None, random_state=None):
        self.gamma = check_number(gamma, "gamma", low=0, high=1)
        self.horizon = check_number(horizon, "horizon", low=1, integer=True)
        self.n_iter = check_number(n_iter, "n_iter", low=1, integer=True)
        self.kind = check_option(kind, "kind", KINDS)
        self.n_traj = check_number(n_traj, "n_traj", low=2 if kind == "baseline" else 1, integer=True)  # one run is its own mean
        if baseline is not None and kind != "baseline":
            raise ValueError(f"kind={kind!r} does not use a baseline; take kind='baseline' or leave it out.")
        if not isinstance(baseline, Baseline | None):
            raise ValueError(f"baseline must be a Baseline or None, got {baseline!r}.")
        if not isinstance(optimizer, Optimizer | None):
            raise ValueError(f"optimizer must be a rule of mlcore.foundations.gradient_descent, such as Adam(lr=0.1), got {optimizer!r}.")
        self.baseline, self.discount_weights, self.optimizer, self.random_state = baseline, discount_weights, optimizer, random_state

    def train(self, task, policy):
        """Improve a policy on a task; the given policy stays as it is."""
        check_methods(policy, "policy", ("score_sums", "with_theta"), POLICY_REMEDY)
        rng = check_rng(self.random_state)
        rule = (SGD(lr=0.1) if self.optimizer is None else copy.deepcopy(self.optimizer)).reset()
        fitted = Baseline(per_step=True) if self.baseline is None else copy.deepcopy(self.baseline)
        theta, self.history_, self.lengths_ = policy.theta.copy(), [], []
        self.thetas_ = [theta.copy()]
        for _ in range(self.n_iter):
            batch = rollout(task, policy, self.n_traj, self.horizon, rng)
            to_go = returns_to_go(batch.rewards, self.gamma)
            values = fitted.fit(batch.states, to_go, batch.alive).predict(batch.states) if self.kind == "baseline" else None
            weighted = self.discount_weights or self.kind == "full"
            ascent = gradient_estimates(policy, batch, self.gamma, self.kind, values, weighted).mean(axis=0)
            rule.step([theta], [-ascent])                                   # the rules descend
            policy = policy.with_theta(theta)
            self.thetas_.append(theta.copy())
            self.history_.append(float(to_go[:, 0].mean()))
            self.lengths_.append(float(batch.alive.sum(axis=1).mean()))
        self.policy_, self.thetas_ = policy, np.array(self.thetas_)
        self.history_, self.lengths_ = np.array(self.history_), np.array(self.lengths_)
        return self
