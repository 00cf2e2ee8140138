"""The grid world playground: build a world, sweep over it, and watch values spread, policies turn and repairs after an edit."""
import numpy as np
import traitlets

from mlcore.base import check_array, check_number, check_option
from mlcore.control.markov_decision_processes import GridWorld
from mlcore.control.markov_decision_processes.model import check_exits
from mlcore.widgets.assets import esm
from mlcore.widgets.figure import Figure

SIZE_MAX = 8              # squares per side; the figure stays readable on a phone
REWARD_MAX = 100.0
TOL = 1e-8                # a run ends when the error is proved to be at most this, as in mlcore's solvers
SLIPS = [0.0, 0.01, 0.02, 0.03, 0.04, *(round(0.05 * i, 2) for i in range(1, 21))]      # plans turn at small slips already
GAMMAS = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.92, 0.95, 0.97, 0.98, 0.99]
LIVING = [-2.0, -1.5, -1.0, -0.7, -0.5, -0.4, -0.3, -0.2, -0.1, -0.08, -0.06, -0.05, -0.04, -0.03, -0.02, -0.01,
          0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0]
KS = [1, 2, 3, 5, 10, 20, 50]
ALGORITHMS = ("value iteration", "in-place value iteration", "policy iteration", "modified policy iteration")
PRESETS = {
    "classic": ("classic 4 × 3", ["...p", ".#.n", "S..."], {"p": 1.0, "n": -1.0},
                {"living_reward": -0.04, "slip": 0.2, "gamma": 0.99}),
    "cliff": ("cliff", ["........", "........", "........", "SccccccG"], {"c": -1.0, "G": 1.0},
              {"living_reward": -0.02, "slip": 0.1, "gamma": 0.98}),
    "two goals": ("two goals, +1 near, +10 far", ["a......", ".......", "S.##.##", ".......", "......b"], {"a": 1.0, "b": 10.0},
                  {"living_reward": 0.0, "slip": 0.0, "gamma": 0.6}),
    "maze": ("maze", ["S.#.....", "#.#.###.", "..#.#...", ".##.#.##", "....#...", ".####.#.", ".#....#.", "...##.#G"], {"G": 1.0},
             {"living_reward": 0.0, "slip": 0.1, "gamma": 0.95}),
}
ALT = ("Left: a grid of squares, each free, a wall or an exit with a reward. Color and number show the value V of a square, arrows the "
       "greedy moves. Buttons do one sweep of the chosen algorithm or run it to convergence; squares, slip, discount and living "
       "reward can be changed at any time, and V is kept. Right: the largest change of V and its true error after each sweep, on a "
       "logarithmic scale, with a line that falls by the factor gamma per sweep.")


class GridWorldPlayground(Figure):
    """Dynamic programming by hand: edit squares, slip, discount and living reward; sweep, run to convergence, reset.

    The browser computes what ``mlcore.control.markov_decision_processes`` computes for the ``GridWorld`` on show. An edit keeps V, so
    that the next sweeps repair it. *Reset* sets V = 0 and keeps the world; a world from the menu begins with V = 0.

    Parameters
    ----------
    preset : "classic", "cliff", "two goals" or "maze"
    rows, exits : a grid of your own instead of ``preset``, as for ``GridWorld``, at most 8 x 8
    living_reward, slip, gamma : where to begin; None takes those of the preset, or the defaults of ``GridWorld`` with ``rows``
    algorithm : "value iteration", "in-place value iteration", "policy iteration" or "modified policy iteration"
    k : backups per sweep of modified policy iteration, 1 to 50;  title : text

    Attributes
    ----------
    rows, exits : the squares, and the reward of every exit character; an edited exit gets a character of its own
    living_reward, slip, gamma, algorithm, k : the current settings
    V : [[...], ...], a value per square, 0 on walls;  sweeps : number of sweeps since V = 0
    changes, errors : largest change of V in each sweep, and largest distance to V* after it (the last 5000 sweeps)
    preset : the name, or "edited" after a change of a square

    All can be set, and hold the reader's edits in a live notebook; ``load`` sets a new grid, ``world()`` is the current one.

    >>> playground = GridWorldPlayground(rows=["S.G"], exits={"G": 1.0}, slip=0.0, gamma=0.5)
    >>> playground.world().n_states, playground.V
    (4, [[0.0, 0.0, 0.0]])
    """

    kind = "grid_world"
    page_state = ("spec", "rows", "exits", "living_reward", "slip", "gamma", "algorithm", "k", "V", "sweeps", "changes", "errors", "preset")
    _esm = esm("numerics", "grid_world")
    rows = traitlets.Any().tag(sync=True)
    exits = traitlets.Any().tag(sync=True)
    living_reward = traitlets.Any().tag(sync=True)
    slip = traitlets.Any().tag(sync=True)
    gamma = traitlets.Any().tag(sync=True)
    algorithm = traitlets.Unicode(ALGORITHMS[0]).tag(sync=True)
    k = traitlets.Any().tag(sync=True)
    V = traitlets.Any().tag(sync=True)
    sweeps = traitlets.Int(0).tag(sync=True)
    changes = traitlets.List().tag(sync=True)
    errors = traitlets.List().tag(sync=True)
    preset = traitlets.Unicode().tag(sync=True)

    def __init__(self, preset="classic", *, rows=None, exits=None, living_reward=None, slip=None, gamma=None,
                 algorithm="value iteration", k=5, title="Grid world", **kwargs):
        check_option(preset, "preset", tuple(PRESETS))
        check_option(algorithm, "algorithm", ALGORITHMS)
        if (rows is None) != (exits is None):
            raise ValueError("rows and exits belong together: give both or neither.")
        menu = {name: {"name": text, "rows": squares, "exits": rewards, **settings}
                for name, (text, squares, rewards, settings) in PRESETS.items()}
        if rows is not None:
            preset, menu = "own", {"own": {"name": "your grid", "rows": rows, "exits": exits,
                                           "living_reward": 0.0, "slip": 0.2, "gamma": 0.95}, **menu}
        start = menu[preset]
        for name, value in {"living_reward": living_reward, "slip": slip, "gamma": gamma}.items():
            start[name] = CHECKS[name](start[name] if value is None else value)
        start["exits"] = _check_exits(start["exits"])
        start["rows"] = _check_rows(start["rows"], start["exits"])
        k = _check_k(k)
        spec = {"v": 1, "title": title, "alt": ALT, "menu": menu, "tol": TOL, "reward_max": REWARD_MAX, "algorithms": list(ALGORITHMS),
                "slips": _with(SLIPS, start["slip"]), "gammas": _with(GAMMAS, start["gamma"]),
                "living": _with(LIVING, start["living_reward"]), "ks": _with(KS, k)}
        now = {name: start[name] for name in ("rows", "exits", "living_reward", "slip", "gamma")}
        super().__init__(spec=spec, **now, algorithm=algorithm, k=k, V=_zeros(start["rows"]), preset=preset, **kwargs)

    def world(self):
        """The GridWorld of the current state."""
        return GridWorld(self.rows, self.exits, living_reward=self.living_reward, slip=self.slip, gamma=self.gamma)

    def values(self):
        """The current V as an array (S,) in the order of the states of ``world()``, with 0 for its absorbing state."""
        world = self.world()
        return np.array([self.V[i][j] for i, j in world.cells] + [0.0])

    def load(self, rows, exits):
        """Show another grid, with V = 0; slip, gamma and living reward stay."""
        exits = _check_exits(exits)
        rows = _check_rows(rows, exits)
        with self.hold_sync(), self.hold_trait_notifications():
            self.rows, self.exits, self.V = rows, exits, _zeros(rows)
            self.sweeps, self.changes, self.errors, self.preset = 0, [], [], "edited"

    @traitlets.validate("rows")
    def _valid_rows(self, proposal):
        rows = _as_trait_error(lambda: _check_rows(proposal["value"], self.exits))
        if np.shape(self.V) != (len(rows), len(rows[0])):
            raise traitlets.TraitError(f"rows must keep the shape {np.shape(self.V)} of V; load(rows, exits) shows a grid of another size.")
        return rows

    @traitlets.validate("exits")
    def _valid_exits(self, proposal):
        exits = _as_trait_error(lambda: _check_exits(proposal["value"]))
        _as_trait_error(lambda: _check_rows(self.rows, exits))
        return exits

    @traitlets.validate("living_reward", "slip", "gamma")
    def _valid_number(self, proposal):
        return _as_trait_error(lambda: CHECKS[proposal["trait"].name](proposal["value"]))

    @traitlets.validate("algorithm")
    def _valid_algorithm(self, proposal):
        return _as_trait_error(lambda: check_option(proposal["value"], "algorithm", ALGORITHMS))

    @traitlets.validate("k")
    def _valid_k(self, proposal):
        return _as_trait_error(lambda: _check_k(proposal["value"]))

    @traitlets.validate("V")
    def _valid_V(self, proposal):
        return _as_trait_error(lambda: _check_V(proposal["value"], self.rows))


CHECKS = {
    "living_reward": lambda value: float(check_number(value, "living_reward", low=-REWARD_MAX, high=REWARD_MAX)),
    "slip": lambda value: float(check_number(value, "slip", low=0, high=1)),
    "gamma": lambda value: float(check_number(value, "gamma", low=0, high=1, open_high=True)),
}


def _check_k(value):
    return int(check_number(value, "k", low=1, high=KS[-1], integer=True))


def _check_exits(exits):
    """Exits as GridWorld wants them, with rewards that fit the figure."""
    exits = check_exits(exits)
    for square, reward in exits.items():
        check_number(reward, f"exits[{square!r}]", low=-REWARD_MAX, high=REWARD_MAX)
    return exits


def _check_rows(rows, exits):
    """Rows as a list of strings that fit the figure and GridWorld."""
    rows = GridWorld(rows, exits).rows                      # its message names the square that is wrong
    if len(rows) > SIZE_MAX or len(rows[0]) > SIZE_MAX:
        raise ValueError(f"rows must have at most {SIZE_MAX} rows and columns, got {len(rows)} x {len(rows[0])}.")
    return rows


def _check_V(V, rows):
    """V as lists of floats, one per square; whatever stands on a wall becomes 0."""
    walls = np.array([[square == "#" for square in row] for row in rows])
    if np.shape(V) != walls.shape:
        raise ValueError(f"V must have shape {walls.shape}, a value per square, got {np.shape(V)}.")
    return check_array(np.where(walls, 0.0, np.array(V, float)), name="V").tolist()


def _zeros(rows):
    return [[0.0] * len(row) for row in rows]


def _with(grid, value):
    """The positions of a slider, and among them the value it begins with."""
    return sorted({*grid, value})


def _as_trait_error(check):
    try:
        return check()
    except ValueError as error:
        raise traitlets.TraitError(str(error)) from None
