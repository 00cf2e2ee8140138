"""The shattering game: its state in Python, and in a real browser the same verdicts as mlcore's linear programs."""


import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mlcore.generalization import learning_theory as lt
from mlcore.widgets import ShatteringPlayground
from mlcore.widgets.shattering import ARRANGEMENTS

# ---------------------------------------------------------------- Python


def test_html_is_deterministic_and_holds_the_state():
    a, b = ShatteringPlayground(), ShatteringPlayground()
    assert a.html() == b.html() and repr(a) == "ShatteringPlayground: The shattering game"
    assert '"arrangement":"four"' in a.html() and "-0.0," not in a.html() and len(a.html()) < 6_000


@pytest.mark.parametrize(("name", "count", "separable"), [
    ("three", 8, True), ("collinear", 6, False), ("four", 14, False), ("inside", 14, False), ("five", 22, False), ("six", 32, True)])
def test_arrangements_show_what_the_chapter_says(name, count, separable):
    game = ShatteringPlayground(name)
    assert len(game.dichotomies()) == count and game.separable() == separable
    assert_array_equal(game.dichotomies(), lt.perceptron_dichotomies(game.points))


def test_own_points_are_rounded_to_the_grid():
    game = ShatteringPlayground(points=[[0.04, -0.04], [1.26, 2.0]])
    assert game.points == [[0.0, 0.0], [1.3, 2.0]] and game.labels == [1, 1] and game.arrangement == "own"
    assert ShatteringPlayground("three", labels=[-1, -1, 1]).labels == [-1, -1, 1]


@pytest.mark.parametrize(("arguments", "message"), [
    ({"arrangement": "seven"}, "arrangement must be one of 'three'"),
    ({"points": [[0.0, 1.0, 2.0]]}, "points must have two columns"),
    ({"points": np.zeros((7, 2))}, "at most 6"),
    ({"points": [[0.0, 9.0]]}, "points must lie in the panel"),
    ({"points": [[0.0, np.nan]]}, "points contains NaN"),
    ({"labels": [1, -1]}, "X has 4 rows, but y has 2 values"),
    ({"labels": [1, -1, 0, 1]}, "labels must hold the labels -1 and")])
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        ShatteringPlayground(**arguments)


# ---------------------------------------------------------------- browser


def state(page):
    return page.evaluate("document.querySelector('.mlcore-playground').mlcoreState()")


def masks(rows):
    return sorted(int(((row == 1) * 2 ** np.arange(len(row))).sum()) for row in rows)


def read_out(page):
    return page.locator(".mlc-readout").inner_text()


def point(page, number):
    return page.get_by_role("button", name=f"point {number}, labeled")


def hulls_meet(P, obstacle):
    """Whether the hulls of the two sets of the obstacle have a common point (linear program)."""
    y = [1] * len(obstacle["plus"]) + [-1] * len(obstacle["less"])
    return not lt.linearly_separable(P[obstacle["plus"] + obstacle["less"]], y)


@pytest.mark.browser
@pytest.mark.parametrize("name", ARRANGEMENTS)
def test_the_page_counts_the_dichotomies_of_the_linear_programs(show, name):
    game = ShatteringPlayground(name)
    page = show(game)
    assert state(page)["possible"] == masks(lt.perceptron_dichotomies(game.points))
    total = 2 ** len(game.points)
    assert f"{len(game.dichotomies())} of {total} labelings are possible" in read_out(page)
    assert page.get_by_role("button", name=": possible").count() == len(game.dichotomies())
    assert page.get_by_role("button", name=": impossible").count() == total - len(game.dichotomies())


@pytest.mark.browser
def test_random_and_degenerate_points_in_one_page(show):
    """Sixty sets, half of them on a coarse grid full of ties and coincidences; every labeling of each is judged."""
    rng = np.random.default_rng(0)
    page = show(ShatteringPlayground())
    base = ShatteringPlayground().state()
    for trial in range(60):
        n = int(rng.integers(2, 7))
        P = rng.integers(-2, 3, size=(n, 2)) / 1.0 if trial % 2 else np.round(rng.uniform(-2.3, 2.3, size=(n, 2)), 1)
        y = rng.choice([-1, 1], size=n)
        now = page.evaluate("""(s) => {
            const e = document.createElement('div');
            e.className = 'mlcore-playground'; e.dataset.kind = 'shattering';
            e.innerHTML = '<script type="application/json">' + JSON.stringify(s) + '<' + '/script>';
            document.body.append(e);
            return new Promise((done) => { const wait = () => (e.mlcoreState ? done(e.mlcoreState()) : setTimeout(wait, 5)); wait(); })
              .then((state) => { e.remove(); return state; });
        }""", {**base, "points": P.tolist(), "labels": y.tolist(), "arrangement": "own"})
        assert now["possible"] == masks(lt.line_dichotomies(P * 10)), P.tolist()
        assert now["separable"] == lt.linearly_separable(P, y)
        if not now["separable"]:
            assert hulls_meet(P, now["obstacle"]), (P.tolist(), y.tolist(), now["obstacle"])
        elif len(set(y)) == 2:
            w, b = np.array(now["line"]["w"]), now["line"]["b"]
            gaps = y * (P @ w + b)
            assert_allclose([gaps[y == 1].min(), gaps[y == -1].min()], now["line"]["margin"], atol=1e-9)
            angle = np.linspace(0, 2 * np.pi, 3601)                 # no direction gives a wider gap
            along = np.column_stack([np.cos(angle), np.sin(angle)]) @ P.T
            widest = ((along[:, y == 1].min(axis=1) - along[:, y == -1].max(axis=1)) / 2).max()
            assert widest - 1e-9 <= now["line"]["margin"] <= widest + 1e-2


@pytest.mark.browser
def test_clicks_flip_labels_and_pictures_set_them(show):
    page = show(ShatteringPlayground())
    assert "segment between the + points 1 and 3 crosses the segment between the \N{MINUS SIGN} points 2 and 4" in read_out(page)
    point(page, 3).click()
    assert state(page)["labels"] == [1, -1, -1, -1] and "A line gives the labels" in read_out(page)
    page.get_by_role("button", name="minus plus minus plus: impossible").click()
    assert state(page)["labels"] == [-1, 1, -1, 1] and not state(page)["separable"]
    page.get_by_role("button", name="Next impossible labeling").click()
    assert state(page)["labels"] == [1, -1, 1, -1]
    page.get_by_role("button", name="Reset", exact=True).click()
    now, first = state(page), ShatteringPlayground()
    assert all(now[trait] == getattr(first, trait) for trait in ("points", "labels", "arrangement"))


@pytest.mark.browser
def test_dragging_moves_the_point_on_the_grid_and_does_not_flip_it(show):
    page = show(ShatteringPlayground("three"))
    box = point(page, 3).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y + 60, steps=5)
    page.mouse.up()
    now = state(page)
    assert now["labels"] == [1, -1, 1] and now["arrangement"] == "own"
    assert now["points"][2][0] > 0.1 and now["points"][2][1] < 1.4 and now["points"][:2] == [[-1.5, -1.0], [1.6, -1.2]]
    assert_allclose(np.array(now["points"]) * 10, np.round(np.array(now["points"]) * 10), atol=1e-9)


@pytest.mark.browser
def test_keyboard_alone_suffices(show):
    page = show(ShatteringPlayground("collinear"))
    assert "point 2 (\N{MINUS SIGN}) lies on the segment between the + points 1 and 3" in read_out(page)
    names = []
    for _ in range(7):
        page.keyboard.press("Tab")
        names.append(page.evaluate("((e) => e.name || e.getAttribute('aria-label') || e.textContent)(document.activeElement)"))
    assert names[:3] == ["points", "Next impossible labeling", "Reset"]
    assert [n[:7] for n in names[3:6]] == ["point 1", "point 2", "point 3"] and names[6] == "plus minus plus: impossible"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowUp")
    assert state(page)["points"][2] == [1.8, 1.0] and len(state(page)["possible"]) == 8
    assert "8 of 8 labelings are possible, so the set is shattered" in read_out(page)
    page.keyboard.press("Enter")
    assert state(page)["labels"] == [1, -1, -1]
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert state(page)["labels"] == [-1, 1, -1]


@pytest.mark.browser
def test_menu_and_coincident_points(show):
    page = show(ShatteringPlayground(points=[[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]], labels=[1, -1, 1]))
    assert "share one place" in read_out(page) and state(page)["possible"] == [0, 3, 4, 7]
    page.locator("select[name=points]").select_option(label="one inside a triangle")
    assert "inside the triangle of the + points 1, 2 and 3" in read_out(page)
    page.locator("select[name=points]").select_option(label="three points")
    page.get_by_role("button", name="Next impossible labeling").click()
    assert "they are shattered" in read_out(page)


@pytest.mark.browser
def test_redrawing_does_not_grow_the_document(show):
    page = show(ShatteringPlayground("six"))
    before, after = page.evaluate("""() => {
        const el = document.querySelector('.mlcore-playground'), before = el.querySelectorAll('*').length;
        for (let i = 0; i < 50; i++) el.mlcoreRedraw();
        return [before, el.querySelectorAll('*').length];
    }""")
    assert before == after
