"""The grid world playground: its state in Python, and in a real browser the same sweeps as mlcore's solvers."""

import functools

import numpy as np
import pytest
import traitlets
from numpy.testing import assert_allclose, assert_array_equal

from mlcore.control import markov_decision_processes as mdp
from mlcore.widgets import GridWorldPlayground
from mlcore.widgets.grid_world import ALGORITHMS, PRESETS, TOL

BEAT = 60      # milliseconds between pictures of a run
CLOSE = {"rtol": 0, "atol": 1e-9}
SMALL = {"rows": ["S.G", ".#."], "exits": {"G": 1.0}, "slip": 0.2, "gamma": 0.9, "living_reward": -0.1}
UNEVEN = {"rows": ["a..b.", ".#...", "..S#c", "d...."], "exits": {"a": 1.3, "b": -0.7, "c": 2.9, "d": 0.4},
          "slip": 0.3, "gamma": 0.85, "living_reward": -0.07}


# ---------------------------------------------------------------- Python


def test_html_is_deterministic_and_holds_the_state():
    a, b = GridWorldPlayground(), GridWorldPlayground()
    assert a.html() == b.html() and repr(a) == "GridWorldPlayground: Grid world"
    assert '"preset":"classic"' in a.html() and len(a.html()) < 8_000


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_worlds_of_mlcore(name):
    figure, (_, rows, exits, settings) = GridWorldPlayground(name), PRESETS[name]
    world = figure.world()
    assert (figure.rows, figure.exits, figure.preset) == (rows, exits, name)
    assert {key: getattr(world, key) for key in settings} == settings
    assert_array_equal(figure.values(), np.zeros(world.n_states))
    assert mdp.policy_iteration(world).V[world.start] > 0          # the goal is worth the way


def test_presets_show_what_they_are_for():
    """A slippery cliff is given a wide berth; a far-sighted robot passes the near goal."""
    def from_start(name, **settings):
        world = GridWorldPlayground(name, **settings).world()
        states, _, _ = world.rollout(mdp.policy_iteration(world).policy, world.start, 16, 0)
        return [world.cells[s] for s in states if s != world.end]

    assert {i for i, _ in from_start("cliff", slip=0.0)} == {2, 3}           # along the edge
    cliff = GridWorldPlayground("cliff").world()
    assert mdp.policy_iteration(cliff).policy[cliff.index[2, 2]] == 0        # up, away from it
    assert from_start("two goals")[-1] == (0, 0) and from_start("two goals", gamma=0.8)[-1] == (4, 6)


def test_own_grid_and_settings():
    figure = GridWorldPlayground(**SMALL)
    assert figure.preset == "own" and list(figure.spec["menu"])[0] == "own" and figure.V == [[0.0] * 3] * 2
    assert figure.world().living_reward == -0.1 and figure.gamma in figure.spec["gammas"]
    odd = GridWorldPlayground("maze", gamma=0.875, k=7)
    assert odd.gamma == 0.875 and 0.875 in odd.spec["gammas"] and 7 in odd.spec["ks"] and odd.slip == 0.1


def test_state_can_be_set_and_values_follow_the_states():
    figure = GridWorldPlayground(**SMALL)
    V = mdp.policy_iteration(figure.world()).V
    figure.V = figure.world().on_grid(V)                    # NaN on walls becomes 0
    assert_allclose(figure.values(), V)
    assert figure.V[1][1] == 0.0
    figure.slip, figure.gamma = 0, 0.5
    assert figure.world().slip == 0 and figure.world().gamma == 0.5
    figure.load(["....", "..x."], {"x": -3})
    assert figure.V == [[0.0] * 4] * 2 and figure.preset == "edited" and figure.world().exits == {"x": -3.0}


def test_an_edit_of_the_page_arrives_as_one_message():
    """Rows with a new exit and its reward are checked together, as a live notebook receives them."""
    figure = GridWorldPlayground(**SMALL)
    figure.set_state({"rows": ["S.G", ".#a"], "exits": {"G": 1, "a": -2}})
    assert figure.world().R[:, 0].tolist() == [-0.1, -0.1, 1.0, -0.1, -2.0, 0.0]


@pytest.mark.parametrize(("arguments", "message"), [
    ({"preset": "ocean"}, "preset must be one of 'classic'"),
    ({"algorithm": "annealing"}, "algorithm must be one of 'value iteration'"),
    ({"rows": ["..", "..."], "exits": {}}, "rows must be strings of one length"),
    ({"rows": [".x"], "exits": {}}, r"square \(0, 1\) is 'x'"),
    ({"rows": ["." * 9], "exits": {}}, "at most 8 rows and columns, got 1 x 9"),
    ({"rows": ["##"], "exits": {}}, "walls only"),
    ({"rows": "...", "exits": {}}, "rows must be a list of strings"),
    ({"rows": ["..."]}, "rows and exits belong together"),
    ({"rows": ["..G"], "exits": [1.0]}, "exits must be a dict"),
    ({"rows": ["..G"], "exits": {"G": 1.0, "S": 2.0}}, "other than '.', '#' and 'S', got 'S'"),
    ({"rows": ["..G"], "exits": {"G": np.nan}}, r"exits\['G'\] must be a number"),
    ({"slip": 1.2}, "slip must be a number >= 0 and <= 1, got 1.2"),
    ({"gamma": 1.0}, "gamma must be a number >= 0 and < 1, got 1.0"),
    ({"living_reward": "much"}, "living_reward must be a number"),
    ({"k": 0}, "k must be an integer >= 1 and <= 50")])
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        GridWorldPlayground(**arguments)


@pytest.mark.parametrize(("trait", "value", "message"), [
    ("rows", ["S.", ".."], r"keep the shape \(2, 3\)"), ("rows", ["S.X", "..."], "square .0, 2. is 'X'"),
    ("exits", {}, "square .0, 2. is 'G'"), ("gamma", -0.1, "gamma must be"), ("slip", 2, "slip must be"),
    ("k", 1.5, "k must be an integer"), ("algorithm", "guess", "algorithm must be"),
    ("V", [[0, 0, 0]], r"V must have shape \(2, 3\)"), ("V", [[0, 0, np.nan], [0, 0, 0]], "V contains NaN")])
def test_bad_settings_are_refused_and_leave_the_state(trait, value, message):
    figure = GridWorldPlayground(**SMALL)
    before = getattr(figure, trait)
    with pytest.raises(traitlets.TraitError, match=message):
        setattr(figure, trait, value)
    assert getattr(figure, trait) == before


# ---------------------------------------------------------------- browser


@pytest.fixture
def show(show):
    """Without motion, so that a run ends at once; a test may ask for motion."""
    return functools.partial(show, reduced_motion="reduce")


def state(page):
    return page.evaluate("document.querySelector('.mlcore-playground').mlcoreState()")


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def read_out(page):
    return page.locator(".mlc-readout").inner_text()


def square(page, i, j):
    return page.get_by_role("button", name=f"row {i + 1}, column {j + 1}:")


def world_of(now):
    return mdp.GridWorld(now["rows"], now["exits"], now["living_reward"], now["slip"], now["gamma"])


def values_of(now):
    return np.append(now["values"], 0.0)


def error_of(now):
    """Largest distance of the page's V to the optimum that mlcore finds."""
    return np.abs(values_of(now) - mdp.policy_iteration(world_of(now)).V).max()


def a_sweep(now):
    """The values after one more sweep of the page's algorithm, from mlcore alone; the page's Q only breaks ties."""
    world, V = world_of(now), values_of(now)
    if now["algorithm"] == "value iteration":
        return mdp.bellman_backup(world, V)
    if now["algorithm"] == "in-place value iteration":
        V = V.copy()
        for s in range(world.n_states):
            V[s] = mdp.q_values(world, V)[s].max()
        return V
    Q = mdp.q_values(world, V)
    assert_allclose(now["q"], Q[:-1], **CLOSE)
    policy = np.append(now["policy"] if now["algorithm"] == "policy iteration" else np.argmax(now["q"], axis=1), 0)
    assert (Q[np.arange(len(Q)), policy] >= Q.max(axis=1) - 1e-9).all()
    if now["algorithm"] == "policy iteration":
        return mdp.policy_value(world, policy)
    for _ in range(now["k"]):
        V = mdp.policy_backup(world, policy, V)
    return V


@pytest.mark.browser
@pytest.mark.parametrize("arguments", [{"preset": "classic"}, {"preset": "cliff"}, UNEVEN], ids=["classic", "cliff", "uneven"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_sweep_is_that_of_mlcore(show, algorithm, arguments):
    page = show(GridWorldPlayground(**arguments, algorithm=algorithm, k=3))
    now = state(page)
    for number in range(1, 8):
        expected, before = a_sweep(now), values_of(now)
        press(page, "One sweep")
        now = state(page)
        V = values_of(now)
        assert_allclose(V, expected, **CLOSE)
        assert_array_equal(now["policy"], mdp.greedy_policy(world_of(now), V)[:-1])
        assert now["sweeps"] == number == len(now["changes"])
        assert_allclose(now["changes"][-1], np.abs(expected - before).max(), **CLOSE)
        assert_allclose(now["errors"][-1], error_of(now), **CLOSE)
        assert now["bound"] >= error_of(now) - 1e-12         # what the page promises is true


@pytest.mark.browser
@pytest.mark.parametrize(("algorithm", "mode"), [("value iteration", "sync"), ("in-place value iteration", "async")])
def test_iterates_and_number_of_sweeps_are_those_of_value_iteration(show, algorithm, mode):
    figure = GridWorldPlayground("maze", algorithm=algorithm)
    page, solution = show(figure), mdp.value_iteration(figure.world(), tol=TOL, mode=mode, keep_iterates=True)
    for iterate in solution.iterates[1:4]:
        press(page, "One sweep")
        assert_allclose(values_of(state(page)), iterate, **CLOSE)
    press(page, "Run to convergence")
    now = state(page)
    assert now["sweeps"] == solution.n_iter
    assert_allclose(values_of(now), solution.V, **CLOSE)
    assert_allclose(now["changes"], solution.history, **CLOSE)
    bound = now["gamma"] / (1 - now["gamma"]) * now["changes"][-1]
    assert_allclose(now["bound"], bound, rtol=1e-12)
    assert bound < TOL and "Converged." in read_out(page)


@pytest.mark.browser
def test_policy_iterates_are_those_of_policy_iteration(show):
    figure = GridWorldPlayground(**UNEVEN, algorithm="policy iteration")
    page, solution = show(figure), mdp.policy_iteration(figure.world(), keep_iterates=True)
    for iterate in solution.iterates:
        press(page, "One sweep")
        assert_allclose(values_of(state(page)), iterate, **CLOSE)
    assert_array_equal(state(page)["policy"], solution.policy[:-1])


@pytest.mark.browser
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_run_ends_at_the_optimum_of_every_world_of_the_menu(show, algorithm):
    page = show(GridWorldPlayground(**UNEVEN, algorithm=algorithm, k=10))
    for text in ("your grid", *(text for text, *_ in PRESETS.values())):
        if text != "your grid":
            page.locator("select[name=preset]").select_option(label=text)
        assert state(page)["sweeps"] == 0 and not np.any(state(page)["values"])
        press(page, "Run to convergence")
        now = state(page)
        best = mdp.policy_iteration(world_of(now))
        assert_allclose(values_of(now), best.V, rtol=0, atol=TOL)
        assert_allclose(now["optimal"], best.V[:-1], **CLOSE)
        Q = mdp.q_values(world_of(now), best.V)[:-1]
        assert (Q[np.arange(len(Q)), now["policy"]] >= Q.max(axis=1) - 1e-7).all()
        assert "Converged." in read_out(page)


@pytest.mark.browser
def test_edits_keep_V_and_the_next_sweeps_repair_it(show):
    page = show(GridWorldPlayground())
    press(page, "Run to convergence")
    before = state(page)
    square(page, 2, 3).click()
    press(page, "Exit")
    page.locator("input[name=reward]").fill("2.5")
    now = state(page)
    assert now["preset"] == "edited" and now["V"] == before["V"] and now["sweeps"] == before["sweeps"]
    assert world_of(now).R[world_of(now).index[2, 3], 0] == 2.5
    assert sorted(now["exits"].values()) == [-1, 1, 2.5]
    assert "V was kept" in read_out(page) and now["bound"] >= error_of(now) > 1
    press(page, "Run to convergence")
    after = state(page)
    assert_allclose(values_of(after), mdp.policy_iteration(world_of(after)).V, rtol=0, atol=TOL)
    assert after["sweeps"] > before["sweeps"] and len(after["changes"]) == after["sweeps"]
    press(page, "Reset V = 0")
    last = state(page)
    assert not np.any(last["V"]) and last["sweeps"] == 0 and last["rows"] == after["rows"] and last["exits"] == after["exits"]
    page.locator("select[name=preset]").select_option(label="classic 4 × 3")
    first = GridWorldPlayground()
    assert all(state(page)[t] == getattr(first, t) for t in first.page_state if t != "spec")


@pytest.mark.browser
def test_sliders_change_the_world_and_not_V(show):
    page = show(GridWorldPlayground())
    press(page, "One sweep")
    V = state(page)["V"]
    for name, key, value in (("slip", "End", 1.0), ("gamma", "Home", 0.0), ("living_reward", "Home", -2.0)):
        page.locator(f"input[name={name}]").press(key)
        now = state(page)
        assert now[name] == value and now["V"] == V and now["preset"] == "classic"
    assert not page.locator("input[name=k]").is_visible()
    page.locator("select[name=algorithm]").select_option(label="modified policy iteration")
    page.locator("input[name=k]").press("End")
    assert state(page)["k"] == 50 and state(page)["V"] == V
    expected = a_sweep(state(page))
    press(page, "One sweep")
    assert_allclose(values_of(state(page)), expected, **CLOSE)


@pytest.mark.browser
def test_squares_turn_by_click_and_share_characters_by_reward(show):
    page = show(GridWorldPlayground(rows=["S.", "GG"], exits={"G": 2.0}))
    square(page, 1, 1).click()
    assert state(page)["selected"] == [1, 1] and state(page)["preset"] == "own"
    page.locator("input[name=reward]").fill("-3")           # its neighbor keeps the old reward
    now = state(page)
    assert now["exits"][now["rows"][1][1]] == -3 and now["exits"][now["rows"][1][0]] == 2
    page.locator("input[name=reward]").fill("2")
    assert state(page)["exits"] == {"G": 2.0} and state(page)["rows"] == ["S.", "GG"]
    page.locator("input[name=reward]").fill("1000")
    assert 100 in state(page)["exits"].values()             # as far as it goes
    kinds = []
    for _ in range(3):
        square(page, 1, 1).click()
        kinds.append(state(page)["rows"][1][1])
    assert kinds[:2] == [".", "#"] and state(page)["exits"][kinds[2]] == 1.0
    for i, j in ((0, 0), (0, 1), (1, 0)):
        square(page, i, j).click()
        press(page, "Wall")
    square(page, 1, 1).click()
    press(page, "Wall")
    assert state(page)["rows"][0] == "##" and state(page)["rows"][1][1] != "#" and "must stay open" in read_out(page)


@pytest.mark.browser
def test_any_square_can_have_its_own_reward(show):
    """All 64 squares as exits, each with another reward: the page never runs out of characters."""
    page = show(GridWorldPlayground(rows=["." * 8] * 8, exits={}))
    page.evaluate("""async () => {
        const el = document.querySelector('.mlcore-playground'), field = el.querySelector('input[name=reward]');
        const exit = [...el.querySelectorAll('button')].find((b) => b.textContent === 'Exit');
        for (const tile of el.querySelectorAll('button[aria-label^="row"]')) {
            if (tile.getAttribute('aria-pressed') === 'false') tile.click();
            exit.click();
            const [i, j] = tile.getAttribute('aria-label').match(/\\d+/g).map(Number);
            field.value = 10 * i + j; field.dispatchEvent(new Event('input'));
            field.dispatchEvent(new Event('blur'));
            await null;
        }
    }""")
    now = state(page)
    rewards = [[now["exits"][c] for c in row] for row in now["rows"]]
    assert rewards == [[10 * i + j for j in range(1, 9)] for i in range(1, 9)]
    assert_array_equal(world_of(now).R[:-1, 0], np.ravel(rewards))


@pytest.mark.browser
def test_walls_lose_their_value_and_block_the_way(show):
    page = show(GridWorldPlayground(rows=["S.G"], exits={"G": 1.0}, slip=0.0, gamma=0.5))
    press(page, "Run to convergence")
    assert state(page)["V"] == [[0.25, 0.5, 1.0]]
    square(page, 0, 1).click()
    press(page, "Wall")
    assert state(page)["V"] == [[0.25, 0.0, 1.0]]
    press(page, "Run to convergence")
    assert_allclose(state(page)["V"], [[0.0, 0.0, 1.0]], rtol=0, atol=TOL)
    assert square(page, 0, 1).get_attribute("aria-label").endswith("wall")


@pytest.mark.browser
def test_arrows_and_numbers_show_policy_and_values(show):
    page = show(GridWorldPlayground())
    assert square(page, 0, 0).get_attribute("aria-label") == "row 1, column 1: free, value 0.00, best any move"
    press(page, "Run to convergence")
    now = state(page)
    world, words = world_of(now), ["up", "right", "down", "left"]
    for s, (i, j) in enumerate(world.cells):
        label = square(page, i, j).get_attribute("aria-label")
        assert f"value {now['values'][s]:.2f}".replace("-", "\N{MINUS SIGN}") in label
        assert ("reward" in label) if now["rows"][i][j] in now["exits"] else label.endswith(f"best {words[now['policy'][s]]}")
    tips = page.evaluate("""() => [...document.querySelectorAll('button[aria-label^="row"]')]
        .map((b) => b.querySelector('path').getAttribute('d'))""")
    tip = {0: "M0 8L0 -8", 1: "M-8 0L8 0", 2: "M0 -8L0 8", 3: "M8 0L-8 0"}
    for s, (i, j) in enumerate(world.cells):
        if now["rows"][i][j] in ".S":
            assert tips[4 * i + j].replace("-0 ", "0 ").replace(" -0", " 0").startswith(tip[now["policy"][s]])


@pytest.mark.browser
def test_keyboard_alone_suffices(show):
    page = show(GridWorldPlayground())
    names = []
    for _ in range(12):
        page.keyboard.press("Tab")
        names.append(page.evaluate("((e) => e.name || e.getAttribute('aria-label') || e.textContent)(document.activeElement)"))
    assert names[:8] == ["preset", "algorithm", "slip", "gamma", "living_reward", "One sweep", "Run to convergence", "Reset V = 0"]
    assert names[8].startswith("row 1, column 1:") and names[9:12] == ["Free", "Wall", "Exit"]
    for _ in range(3):
        page.keyboard.press("Shift+Tab")
    for key in ("ArrowUp", "ArrowRight", "ArrowDown", "ArrowDown", "ArrowLeft", "ArrowRight"):       # stops at the edge
        page.keyboard.press(key)
    assert state(page)["selected"] == [2, 1]
    page.keyboard.press("Enter")
    assert state(page)["rows"][2] == "S#.."
    page.keyboard.press("Space")
    assert state(page)["rows"][2] == "Sp.."                 # a new exit pays +1, as p does
    for _ in range(4):
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowUp")
    now = state(page)
    assert now["exits"][now["rows"][2][1]] == 1.1 and now["exits"]["p"] == 1


@pytest.mark.browser
def test_run_animates_and_pauses(show):
    page = show(GridWorldPlayground("maze"), reduced_motion="no-preference", clock=True)
    press(page, "Run to convergence")
    page.clock.run_for(3 * BEAT)
    press(page, "Pause")
    sweeps = state(page)["sweeps"]
    page.clock.run_for(10 * BEAT)
    assert state(page)["sweeps"] == sweeps >= 3
    press(page, "Run to convergence")
    page.clock.run_for(1000 * BEAT)
    assert "Converged." in read_out(page)
    now = state(page)
    assert now["sweeps"] == mdp.value_iteration(world_of(now), tol=TOL).n_iter


@pytest.mark.browser
def test_a_stored_state_is_shown_as_it_was(show):
    figure = GridWorldPlayground(**SMALL)
    first = mdp.value_iteration(figure.world(), tol=0.5)
    figure.V, figure.sweeps = figure.world().on_grid(first.V), first.n_iter
    figure.changes, figure.errors = first.history.tolist(), [0.5] * first.n_iter
    page = show(figure)
    now = state(page)
    residual = np.abs(mdp.bellman_backup(figure.world(), first.V) - first.V).max()
    assert_allclose(now["bound"], residual / (1 - figure.gamma), rtol=1e-9)
    assert f"{first.n_iter} sweeps" in read_out(page)
    press(page, "Run to convergence")
    assert error_of(state(page)) < TOL


@pytest.mark.browser
def test_redrawing_does_not_grow_the_document(show):
    page = show(GridWorldPlayground("maze"))
    press(page, "Run to convergence")
    before, after = page.evaluate("""() => {
        const el = document.querySelector('.mlcore-playground'), before = el.querySelectorAll('*').length;
        for (let i = 0; i < 50; i++) el.mlcoreRedraw();
        return [before, el.querySelectorAll('*').length];
    }""")
    assert before == after
