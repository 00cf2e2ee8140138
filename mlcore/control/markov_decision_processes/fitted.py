"""Fitted value iteration: a value function on continuous states, learned by regression on its own backups."""

import copy

import numpy as np

from mlcore.base import check_array, check_callable, check_fitted, check_number, check_option, check_rng
from mlcore.control.markov_decision_processes.continuous import action_table, check_axes, check_bounds, ends_at, noisy_step, rewards_of
from mlcore.control.markov_decision_processes.systems import check_system, wrap_angle


def gaussian_features(centers, widths, wrap=()):
    """Feature map s -> (1, exp(-|(s - c_j) / widths|^2 / 2))_j; differences along the axes ``wrap`` are angles.

    >>> phi = gaussian_features([[0.0], [1.0]], widths=1.0)
    >>> phi(np.array([[0.0]])).round(3).tolist()
    [[1.0, 1.0, 0.607]]
    """
    centers, widths = check_array(centers, name="centers"), check_array(widths, name="widths", ndim=None)
    d = centers.shape[1]
    wrap = list(check_axes(wrap, d))
    if widths.shape not in ((), (d,)) or (widths <= 0).any():
        raise ValueError(f"widths must be one number > 0 or {d} of them, one per column of centers; got {widths.tolist()}.")

    def features(s):
        s = check_array(s, name="s", ndim=None)
        if s.shape[-1:] != (d,):
            raise ValueError(f"a state must be {d} numbers, as the centers are; got shape {s.shape}.")
        difference = s[..., None, :] - centers
        if wrap:
            difference[..., wrap] = wrap_angle(difference[..., wrap])
        bumps = np.exp(-0.5 * ((difference / widths) ** 2).sum(axis=-1))
        return np.concatenate([np.ones_like(bumps[..., :1]), bumps], axis=-1)

    return features


class FittedValueIteration:
    """V(s) = theta . phi(s), renewed by regression of phi(s_i) on its own backups, (eq-mdp-fvi-target).

    Parameters
    ----------
    system : object with ``step(s, a)`` on arrays;  reward : function of s (..., d) and a (..., p)
    features : function (n, d) -> (n, p);  actions : (A,) or (A, p), a finite set
    gamma : discount;  bounds : (d, 2) box in which ``fit`` draws ``n_states`` states
    k : next states drawn per state and action (1 is enough without noise);  noise : standard deviations added to the next state
    regressor : None for least squares, or any object with fit(Phi, y) and predict(Phi)
    terminal : function of s that is True where a run ends; from there on nothing is paid, so V is 0
    n_iter : rounds;  random_state : int, Generator or None

    Attributes
    ----------
    states_ : (n, d) sampled states;  theta_ : (p,) if the regressor is least squares;  regressor_ : if another
    history_ : (n_iter,) largest change of V on the sampled states in each round
    thetas_ : (n_iter, p) parameters after each round, for least squares

    With noise, ``fit`` draws new next states in every round, so that ``history_`` settles at the size of their scatter, not at 0.

    >>> from mlcore.control.markov_decision_processes import Pendulum
    >>> fvi = FittedValueIteration(Pendulum(), lambda s, a: -(s**2).sum(-1), lambda s: np.hstack([s**2, s[:, :1] * s[:, 1:]]),
    ...                            [-2.0, 0.0, 2.0], 0.9, [[-0.3, 0.3], [-1, 1]], n_states=50, n_iter=5, random_state=0).fit()
    >>> bool(fvi.value([0.0, 0.0]) == 0 and fvi.value([0.2, 0.5]) < 0)
    True
    """

    def __init__(self, system, reward, features, actions, gamma, bounds, n_states=500, k=1, noise=0.0, regressor=None, terminal=None,
                 n_iter=50, random_state=None):
        self.system, self.bounds = check_system(system), check_bounds(bounds)
        self.reward, self.features = check_callable(reward, "reward"), check_callable(features, "features")
        self.actions = action_table(actions)
        self.gamma = check_number(gamma, "gamma", low=0, high=1, open_high=True)
        self.n_states = check_number(n_states, "n_states", low=1, integer=True)
        self.k = check_number(k, "k", low=1, integer=True)
        self.n_iter = check_number(n_iter, "n_iter", low=1, integer=True)
        if regressor is not None and not (callable(getattr(regressor, "fit", None)) and callable(getattr(regressor, "predict", None))):
            raise TypeError(f"regressor must be None or have fit(Phi, y) and predict(Phi), got {type(regressor).__name__}.")
        self.noise, self.regressor, self.terminal, self.random_state = noise, regressor, terminal, random_state

    def fit(self, states=None):
        """Draw the states (or take ``states`` (n, d)), then repeat: back up, regress."""
        rng = check_rng(self.random_state)
        low, high = self.bounds.T
        self.states_ = rng.uniform(low, high, (self.n_states, len(low))) if states is None else check_array(states, name="states")
        Phi, regressor = self._features(self.states_), copy.deepcopy(self.regressor)       # the caller's regressor stays as it is
        self.regressor_, self.theta_, self.thetas_, self.history_ = None, np.zeros(Phi.shape[1]), [], []
        paid = self._paid(self.states_)
        if self.regressor is None:
            least_squares = np.linalg.pinv(Phi)            # the states stay, so every round solves with the same matrix
        cached = self._successors(self.states_, rng) if not np.any(self.noise) else None     # no noise: they are the same each round
        V = np.zeros(len(Phi))
        for _ in range(self.n_iter):
            y = self._q(paid, *(cached or self._successors(self.states_, rng))).max(axis=1)
            if self.regressor is None:
                self.theta_ = least_squares @ y
                self.thetas_.append(self.theta_)
            else:
                self.regressor_ = regressor.fit(Phi, y)
            new = self._predict(Phi)
            if not np.isfinite(new).all():
                raise ValueError(f"V grew beyond all bounds in round {len(self.history_) + 1}: the iteration diverges. Lower gamma, take "
                                 "other features, or use an averager (nearest neighbors, cells) as the regressor.")
            self.history_.append(np.abs(new - V).max())
            V = new
        self.thetas_, self.history_ = np.array(self.thetas_), np.array(self.history_)
        if self.regressor is not None:
            del self.theta_, self.thetas_                  # the zeros of the start, which mean nothing
        return self

    def _paid(self, s):
        """R (n, A) of every action in every state."""
        return np.stack([rewards_of(self.reward, s, np.broadcast_to(a, (len(s), len(a)))) for a in self.actions], axis=1)

    def _features(self, s):
        """Phi (n, p) of the states (n, d)."""
        Phi = check_array(self.features(s), name="features(s)")
        if len(Phi) != len(s):
            raise ValueError(f"features(s) must have a row per state, got {len(Phi)} rows for {len(s)} states.")
        return Phi

    def _states(self, s):
        """States (..., d) as finite floats."""
        s, d = check_array(s, name="s", ndim=None), len(self.bounds)
        if s.shape[-1:] != (d,):
            raise ValueError(f"a state must be {d} finite numbers, got shape {s.shape}.")
        return s

    def _successors(self, s, rng):
        """Features (n, A, k, p) of the next states, k draws for each action, and a mask (n, A, k) of those that go on."""
        n, A, k = len(s), len(self.actions), self.k if np.any(self.noise) else 1
        s = np.broadcast_to(s[:, None, None], (n, A, k, s.shape[1]))
        after = noisy_step(self.system, s, np.broadcast_to(self.actions[:, None], (n, A, k, self.actions.shape[1])), self.noise, rng)
        return self._features(after.reshape(n * A * k, -1)).reshape(n, A, k, -1), ~ends_at(self.terminal, after)

    def _predict(self, Phi):
        return Phi @ self.theta_ if self.regressor_ is None else self.regressor_.predict(Phi)

    def _q(self, paid, Phi, goes_on):
        """q (n, A): reward plus discounted mean of V over the drawn next states."""
        V = self._predict(Phi.reshape(-1, Phi.shape[-1])).reshape(goes_on.shape)
        return paid + self.gamma * (V * goes_on).mean(axis=2)

    def after(self, n_rounds):
        """The model as it was after the first ``n_rounds`` rounds, for least squares."""
        check_fitted(self, "states_")
        if self.regressor is not None:
            raise ValueError("only the parameters of least squares are kept for every round; fit again with n_iter rounds.")
        check_number(n_rounds, "n_rounds", low=1, high=self.n_iter, integer=True)
        model = copy.copy(self)
        model.n_iter, model.theta_, model.thetas_ = n_rounds, self.thetas_[n_rounds - 1], self.thetas_[:n_rounds]
        model.history_ = self.history_[:n_rounds]
        return model

    def value(self, s):
        """V at a state (d,), a float, or at many (..., d)."""
        check_fitted(self, "states_")
        s = self._states(s)
        V = self._predict(self._features(s.reshape(-1, s.shape[-1]))).reshape(s.shape[:-1])
        return float(V) if V.ndim == 0 else V

    def act(self, s, mode="mean", rng=None):
        """The best action (p,) in state s (d,), or (n, p) in many.

        ``mode='sample'`` averages V over k draws of the next state, (eq-mdp-act); ``'mean'`` evaluates V at the mean next
        state, (eq-mdp-act-mean): cheaper, and right when the noise is small or V nearly quadratic within its reach.
        """
        check_fitted(self, "states_")
        check_option(mode, "mode", ("sample", "mean"))
        many = np.atleast_2d(self._states(s))
        if mode == "mean":
            n, A, d = len(many), len(self.actions), many.shape[1]
            actions = np.broadcast_to(self.actions, (n, *self.actions.shape))
            after = self.system.step(np.broadcast_to(many[:, None], (n, A, d)), actions)
            q = self._paid(many) + self.gamma * self.value(after) * ~ends_at(self.terminal, after)
        else:
            q = self._q(self._paid(many), *self._successors(many, check_rng(rng)))
        best = self.actions[q.argmax(axis=1)]
        return best[0] if np.ndim(s) == 1 else best
