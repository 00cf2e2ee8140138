"""Markov decision processes with finitely many states, and the grid world that the chapters solve."""

import numpy as np

from mlcore.base import as_array, check_array, check_number, check_rng


class MDP:
    """A finite Markov decision process: transition probabilities, rewards, discount.

    Parameters
    ----------
    P : (A, S, S) array; P[a, s, s2] is the probability to move from s to s2 under action a, so every row P[a, s] sums to 1
    R : (S,) reward of being in a state, or (S, A) reward of an action in a state
    gamma : discount in [0, 1)

    Attributes
    ----------
    P, gamma : as given;  R : (S, A), a reward per state is repeated for every action;  n_states, n_actions : ints

    >>> stay_or_go = MDP([[[1, 0], [0, 1]], [[0, 1], [1, 0]]], R=[0.0, 1.0], gamma=0.9)
    >>> stay_or_go.n_states, stay_or_go.n_actions
    (2, 2)
    """

    def __init__(self, P, R, gamma):
        self.P = check_array(P, name="P", ndim=3)
        A, S, last = self.P.shape
        if last != S:
            raise ValueError(f"P must have shape (actions, states, states), got {self.P.shape}.")
        if (self.P < 0).any():
            a, s, s2 = np.argwhere(self.P < 0)[0]
            raise ValueError(f"P holds probabilities, but P[{a}, {s}, {s2}] = {self.P[a, s, s2]:.4g} is negative.")
        sums = self.P.sum(axis=2)
        if (wrong := np.abs(sums - 1) > 1e-8).any():
            a, s = np.argwhere(wrong)[0]
            raise ValueError(f"every row of P must sum to 1, but P[{a}, {s}] (action {a}, state {s}) sums to {sums[a, s]:.10g}; "
                             "for rows that are off by rounding only, pass P / P.sum(axis=2, keepdims=True).")
        R = check_array(R, name="R", ndim=None)
        if R.shape not in ((S,), (S, A)):
            raise ValueError(f"R must have shape ({S},) or ({S}, {A}) to fit P, got {R.shape}.")
        self.R, self.n_actions, self.n_states = np.repeat(R[:, None], A, axis=1) if R.ndim == 1 else R, A, S
        self.gamma = check_number(gamma, "gamma", low=0, high=1, open_high=True)

    def step(self, s, a, rng):
        """Draw the next state of one transition and return it with the reward of (s, a)."""
        check_number(s, "state", low=0, high=self.n_states - 1, integer=True)
        check_number(a, "action", low=0, high=self.n_actions - 1, integer=True)
        sums = self.P[a, s].cumsum()                      # divided by the last one: a row may sum to 1 - 1e-16
        return int((sums / sums[-1]).searchsorted(check_rng(rng).random(), side="right")), float(self.R[s, a])

    def rollout(self, policy, start, n_steps, rng):
        """States (n_steps + 1,), actions and rewards (n_steps,) of one run under a deterministic policy (S,)."""
        policy, rng = check_policy(self, policy), check_rng(rng)
        check_number(start, "start", low=0, high=self.n_states - 1, integer=True)
        states, actions, rewards = [start], [], []
        for _ in range(check_number(n_steps, "n_steps", low=1, integer=True)):
            actions.append(int(policy[states[-1]]))
            s, r = self.step(states[-1], actions[-1], rng)
            states.append(s)
            rewards.append(r)
        return np.array(states), np.array(actions), np.array(rewards)


def check_mdp(mdp):
    """The MDP itself, if it is one."""
    if not isinstance(mdp, MDP):
        raise TypeError(f"mdp must be an MDP, got {type(mdp).__name__}; build one with MDP(P, R, gamma).")
    return mdp


def check_policy(mdp, policy):
    """A copy of a deterministic policy (S,), an action per state."""
    policy = np.array(as_array(policy, "the policy"))
    if wrong := fault_of_actions(policy, mdp):
        raise ValueError(f"the policy must be {mdp.n_states} actions in 0..{mdp.n_actions - 1}, one per state; got {wrong}.")
    return policy


def fault_of_actions(policy, mdp):
    """What keeps the array from being an action per state, or None."""
    if policy.shape != (mdp.n_states,) or policy.dtype.kind not in "iu":
        return f"shape {policy.shape} of type {policy.dtype}"
    outside = np.flatnonzero((policy < 0) | (policy >= mdp.n_actions))
    return f"action {policy[outside[0]]} in state {outside[0]}" if outside.size else None


MOVES = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}


def check_exits(exits):
    """A copy of the dict from the character of an exit to its reward, as floats."""
    if not isinstance(exits, dict):
        raise ValueError(f"exits must be a dict from a character of rows to a reward, got {type(exits).__name__}.")
    for square in exits:
        if not isinstance(square, str) or len(square) != 1 or square in ".#S":
            raise ValueError(f"an exit must be one character other than '.', '#' and 'S', got {square!r}.")
    return {square: float(check_number(reward, f"exits[{square!r}]")) for square, reward in exits.items()}


class GridWorld(MDP):
    """A robot on a grid: four moves, walls, slips, and squares that pay a reward and end the run.

    A move succeeds with probability 1 - slip and goes to each side with probability slip / 2; a move into a wall or off the grid
    stays. An exit pays its reward once, on the next move, and leads to a last absorbing state that pays nothing.

    Parameters
    ----------
    rows : list of str of equal length: ``.`` free, ``#`` wall, ``S`` start (at most one), a key of ``exits`` an exit
    exits : dict from a character of ``rows`` other than those to the reward of that exit
    living_reward : reward of every other square
    slip : probability to go sideways, in [0, 1];  gamma : discount in [0, 1)

    Attributes
    ----------
    cells : list of (row, column), one for each state but the last;  index : dict from a cell to its state
    start : state of ``S``, or None;  shape : (rows, columns);  end : the absorbing state, n_states - 1

    >>> world = GridWorld(["S.G"], {"G": 1.0}, slip=0.0, gamma=0.5)
    >>> world.n_states, world.start, world.R[:, 0]
    (4, 0, array([0., 0., 1., 0.]))
    """

    def __init__(self, rows, exits, living_reward=0.0, slip=0.2, gamma=0.95):
        if isinstance(rows, str) or not np.iterable(rows):
            raise ValueError(f"rows must be a list of strings, one per row of the grid, got {rows!r:.50}.")
        rows, exits = [str(row) for row in rows], check_exits(exits)
        if not rows or not rows[0] or len({len(row) for row in rows}) != 1:
            raise ValueError(f"rows must be strings of one length, got lengths {[len(row) for row in rows]}.")
        for i, row in enumerate(rows):
            for j, square in enumerate(row):
                if square not in ".#S" and square not in exits:
                    raise ValueError(f"square ({i}, {j}) is {square!r}; it must be '.', '#', 'S' or one of the exits {sorted(exits)}.")
        squares = "".join(rows)
        if set(squares) == {"#"}:
            raise ValueError("rows holds walls only; at least one square must be free or an exit.")
        if squares.count("S") > 1:
            raise ValueError(f"rows holds {squares.count('S')} starts 'S'; at most one is possible.")
        check_number(slip, "slip", low=0, high=1)
        check_number(living_reward, "living_reward")
        self.rows, self.exits, self.living_reward, self.slip = rows, exits, living_reward, slip
        self.shape = len(rows), len(rows[0])
        self.cells = [(i, j) for i, row in enumerate(rows) for j, square in enumerate(row) if square != "#"]
        self.index = {cell: s for s, cell in enumerate(self.cells)}
        self.end = len(self.cells)
        self.start = next((s for s, (i, j) in enumerate(self.cells) if rows[i][j] == "S"), None)
        P, R = np.zeros((4, self.end + 1, self.end + 1)), np.zeros(self.end + 1)
        P[:, self.end, self.end] = 1
        moves = list(MOVES.values())
        for s, (i, j) in enumerate(self.cells):
            R[s] = exits.get(rows[i][j], living_reward)
            for a in range(4):
                if rows[i][j] in exits:
                    P[a, s, self.end] = 1
                    continue
                for turn, share in ((0, 1 - slip), (1, slip / 2), (3, slip / 2)):
                    di, dj = moves[(a + turn) % 4]
                    P[a, s, self.index.get((i + di, j + dj), s)] += share
        super().__init__(P, R, gamma)

    def on_grid(self, values, fill=np.nan):
        """Values of the states (S,) as a picture (rows, columns); walls get ``fill``."""
        if np.shape(values) != (self.n_states,):
            raise ValueError(f"values must be {self.n_states} numbers, one per state with the end last; got shape {np.shape(values)}.")
        picture = np.full(self.shape, fill, dtype=float)
        for (i, j), value in zip(self.cells, values):
            picture[i, j] = value
        return picture
