"""The k-means playground: its state in Python, and in a real browser the same steps as mlcore."""

import functools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mlcore.unsupervised import k_means as km
from mlcore.widgets import KMeansPlayground
from mlcore.widgets.k_means import playground_data

BEAT = 550      # milliseconds between half-steps of a run
CLOSE = {"rtol": 0, "atol": 1e-6}


# ---------------------------------------------------------------- Python


def test_html_is_deterministic_and_holds_the_state():
    a, b = KMeansPlayground(), KMeansPlayground()
    assert a.html() == b.html()
    assert repr(a) == "KMeansPlayground: k-means playground"
    assert '"stage":"assigned"' in a.html() and "-0.0," not in a.html() and len(a.html()) < 40_000


def test_first_state_is_an_assignment_by_mlcore():
    figure = KMeansPlayground()
    labels, squared = km.assign(np.array(figure.points), np.array(figure.centers))
    assert_array_equal(figure.labels, labels)
    assert_allclose(figure.distortion, squared.sum(), **CLOSE)
    assert figure.history == [figure.distortion] and figure.k == 5


def test_default_start_is_a_trap():
    figure = KMeansPlayground()
    stuck = km.lloyd(np.array(figure.points), np.array(figure.centers)).history[-1]
    assert stuck > 2 * km.KMeans(5, n_init=20, random_state=0).fit(figure.points).distortion_


@pytest.mark.parametrize("data", ["blobs", "moons", "rings", "unequal", "uniform"])
@pytest.mark.parametrize("start", ["random", "k-means++", "farthest"])
def test_every_data_set_and_start(data, start):
    figure = KMeansPlayground(data, start=start, k=3)
    X = np.array(figure.points)
    (x0, x1), (y0, y1) = figure.spec["xlim"], figure.spec["ylim"]
    assert (X[:, 0] > x0).all() and (X[:, 0] < x1).all() and (X[:, 1] > y0).all() and (X[:, 1] < y1).all()
    assert len(figure.centers) == 3 and set(figure.labels) == {0, 1, 2}
    assert figure.data == data and figure.start == start


def test_own_points_and_centers():
    figure = KMeansPlayground(points=np.array([[100.0, 0.0], [101.0, 0.0], [130.0, 5.0]]), centers=[[100, 0], [130, 5]])
    assert figure.data == "own" and figure.start == "hand" and figure.k == 2
    assert figure.labels == [0, 0, 1] and figure.distortion == 1.0
    assert figure.spec["xlim"][0] < 100 and figure.spec["xlim"][1] > 130
    assert list(figure.spec["data"])[0] == "own"


def test_start_from_sets_all_traits_together():
    figure = KMeansPlayground()
    figure.start_from([[0.0, 0.0], [3.0, 3.0]])
    assert figure.k == 2 and len(figure.labels) == 150 and figure.history == [figure.distortion]
    figure.start_from([[0, 0]], points=[[0, 3], [4, 0]])
    assert figure.points == [[0.0, 3.0], [4.0, 0.0]] and figure.distortion == 25.0


@pytest.mark.parametrize(("arguments", "message"), [
    ({"data": "swirl"}, "data must be one of 'blobs'"),
    ({"start": "lucky"}, "start must be one of 'random'"),
    ({"k": 9}, "k must be an integer >= 1 and <= 8"),
    ({"seed": -1}, "seed must be an integer >= 0"),
    ({"points": [[0.0, 1.0, 2.0]]}, "points must have two columns"),
    ({"points": np.zeros((501, 2))}, "at most 500"),
    ({"points": [[0.0, 0.0], [1.0, 1.0]], "k": 3}, "k=3 clusters need at least 3 points, got 2"),
    ({"centers": [[0.0, np.nan]]}, "centers contains NaN"),
    ({"centers": [[0.0, 0.0], [1.0, 1.0]], "k": 3}, "k=3, but centers holds 2 rows"),
    ({"points": [[0.0, 0.0], [1.0, 1.0]], "centers": [[0, 0], [1, 1], [2, 2]]}, "need at least 3 points")])
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        KMeansPlayground(**arguments)


def test_too_many_centers_are_refused():
    with pytest.raises(ValueError, match="at most 8 centers are possible here, got 9"):
        KMeansPlayground().start_from(np.zeros((9, 2)))


# ---------------------------------------------------------------- browser


@pytest.fixture
def show(show):
    """Without motion, so that Run ends at once; a test may ask for motion."""
    return functools.partial(show, reduced_motion="reduce")


def state(page):
    return page.evaluate("document.querySelector('.mlcore-playground').mlcoreState()")


def arrays(page):
    now = state(page)
    return np.array(now["points"]), np.array(now["centers"]), np.array(now["labels"], dtype=int), now


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def read_out(page):
    return page.locator(".mlc-readout").inner_text()


def choose(page, menu, text):
    page.locator(f"select[name={menu}]").select_option(label=text)


def center(page, number):
    return page.get_by_role("button", name=f"center {number} at")


def drag_to(page, number, fraction_x, fraction_y):
    """Drag a center to a place given as fractions of the drawing, from its top left."""
    grip, view = center(page, number).bounding_box(), page.locator(".mlc-svg").first.bounding_box()
    page.mouse.move(grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2)
    page.mouse.down()
    page.mouse.move(view["x"] + fraction_x * view["width"], view["y"] + fraction_y * view["height"], steps=6)
    page.mouse.up()


@pytest.mark.browser
def test_half_steps_are_those_of_mlcore(show):
    figure = KMeansPlayground()
    page = show(figure)
    steps = km.lloyd_steps(np.array(figure.points), np.array(figure.centers))
    next(steps)                                             # the first assignment is the state the page opens with
    for number, (name, labels, centers, J) in enumerate(steps, start=2):
        press(page, name.capitalize())
        _, got_centers, got_labels, now = arrays(page)
        assert_allclose(got_centers, centers, **CLOSE)
        assert_array_equal(got_labels, labels)
        assert_allclose(now["distortion"], J, **CLOSE)
        assert f"after half-step {number} ({name})" in read_out(page)
    assert now["stage"] == "done" and "No label changed" in read_out(page)
    assert (np.diff(now["history"]) <= 1e-9).all() and len(now["history"]) == number
    press(page, "Move")
    assert state(page) == now                               # it has stopped


@pytest.mark.browser
@pytest.mark.parametrize("data", ["five blobs", "two moons", "two rings", "one large, two small", "uniform noise"])
@pytest.mark.parametrize("start", ["random", "k-means++", "farthest-first", "by hand"])
def test_run_from_every_start_ends_where_lloyd_ends(show, data, start):
    page = show(KMeansPlayground())
    choose(page, "start", start)
    choose(page, "data", data)
    points, begin, labels, now = arrays(page)
    expected = {text: (values, k) for text, values, k in playground_data().values()}[data]
    assert_allclose(points, np.round(expected[0], 2), **CLOSE)
    assert now["k"] == expected[1] and now["stage"] == "placed" and now["distortion"] is None and len(labels) == 0
    if start != "by hand":
        assert all((row == points).all(axis=1).any() for row in begin) and len(np.unique(begin, axis=0)) == now["k"]
    press(page, "Run")
    run = km.lloyd(points, begin)
    _, centers, labels, now = arrays(page)
    assert_allclose(centers, run.centers, **CLOSE)
    assert_allclose(now["history"], run.history, **CLOSE)
    assert_array_equal(labels, run.labels)
    assert (np.diff(now["history"]) <= 1e-9).all()


@pytest.mark.browser
def test_farthest_first_is_farthest_and_plus_plus_avoids_centers(show):
    page = show(KMeansPlayground())
    choose(page, "start", "farthest-first")
    for _ in range(3):
        points, begin, _, _ = arrays(page)
        first = int(np.flatnonzero((points == begin[0]).all(axis=1))[0])
        assert_allclose(begin, km.farthest_first(points, 5, first=first), **CLOSE)
        press(page, "New start")
    choose(page, "start", "k-means++")
    starts = []
    for _ in range(5):
        starts.append(arrays(page)[1].tolist())
        press(page, "New start")
    assert len({str(s) for s in starts}) == 5               # another seed, another start


@pytest.mark.browser
def test_plus_plus_draws_in_proportion_to_squared_distance(show):
    figure = KMeansPlayground(points=[[0.0, 0.0], [1.0, 0.0], [3.0, 0.0]], k=2, start="k-means++")
    page = show(figure)
    n, far = 400, 0
    for _ in range(n):
        drawn = page.evaluate("""() => {
            const el = document.querySelector('.mlcore-playground');
            [...el.querySelectorAll('button')].find((b) => b.textContent === 'New start').click();
            return el.mlcoreState().centers.map((c) => c[0]);
        }""")
        far += sorted(drawn) == [0, 3]
    p = (9 / 10 + 9 / 13) / 3                               # first 0 then 3, or first 3 then 0
    assert abs(far / n - p) < 4 * np.sqrt(p * (1 - p) / n)


@pytest.mark.browser
def test_dragging_a_center_assigns_again_and_frees_the_trap(show):
    page = show(KMeansPlayground())
    press(page, "Run")
    points, centers, labels, stuck = arrays(page)
    sizes = np.bincount(labels)
    shared = int(np.flatnonzero(sizes < 20)[0])             # one of the two centers that share a blob
    overloaded = int(sizes.argmax())
    x, y = centers[overloaded]
    (x0, x1), (y0, y1) = KMeansPlayground().spec["xlim"], KMeansPlayground().spec["ylim"]
    drag_to(page, shared + 1, 0.08 + 0.9 * (x - 0.6 - x0) / (x1 - x0), 0.9 * (y1 - y) / (y1 - y0))
    points, centers, labels, now = arrays(page)
    expected, squared = km.assign(points, centers)
    assert now["start"] == "hand" and now["stage"] == "assigned"
    assert_array_equal(labels, expected)
    assert_allclose(now["distortion"], squared.sum(), **CLOSE)
    press(page, "Run")
    best = km.KMeans(5, n_init=20, random_state=0).fit(points).distortion_
    assert_allclose(state(page)["distortion"], best, **CLOSE)
    assert best < stuck["distortion"]


@pytest.mark.browser
def test_an_empty_cluster_is_explained_and_refilled(show):
    page = show(KMeansPlayground())
    choose(page, "start", "by hand")
    press(page, "Assign")
    points, begin, labels, _ = arrays(page)
    empty = np.flatnonzero(np.bincount(labels, minlength=5) == 0)
    assert len(empty) >= 1
    assert "empty: no point is nearest" in read_out(page) and "0/0" in read_out(page)
    press(page, "Move")
    served = km.refill_empty(points, labels, begin)
    _, centers, now_labels, now = arrays(page)
    assert_array_equal(now_labels, served)
    assert_allclose(centers, km.move(points, served, begin), **CLOSE)
    assert "took over the point" in read_out(page)
    assert now["history"][1] < now["history"][0]


@pytest.mark.browser
def test_restart_many_keeps_the_best(show):
    page = show(KMeansPlayground())
    press(page, "Restart 100 times")
    points, centers, labels, now = arrays(page)
    best = km.KMeans(5, n_init=50, random_state=0).fit(points)
    assert_allclose(now["distortion"], best.distortion_, **CLOSE)
    assert km.adjusted_rand_index(labels, best.labels_) == 1
    assert "100 random starts: lowest J 49.35, reached" in read_out(page)
    assert page.get_by_text("Where 100 random starts end").is_visible()
    again = show(KMeansPlayground())
    press(again, "Restart 100 times")
    assert state(again) == now                              # seeded: the same in every visit
    press(page, "Reset")
    first = KMeansPlayground()
    assert state(page) == {name: getattr(first, name) for name in first.page_state if name != "spec"}
    assert not page.get_by_text("Where 100 random starts end").is_visible()


@pytest.mark.browser
def test_points_are_added_and_removed_by_click(show):
    page = show(KMeansPlayground(points=[[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]], k=2, seed=1))
    view = page.locator(".mlc-svg").first
    box = view.bounding_box()
    place = {"x": box["width"] * 0.55, "y": box["height"] * 0.45}
    view.click(position=place)
    points, centers, labels, now = arrays(page)
    assert len(points) == 5 and "Point added" in read_out(page)
    assert ((points[4] > 0) & (points[4] < 4)).all()
    assert_array_equal(labels, km.assign(points, centers)[0])
    view.click(position=place)
    assert len(state(page)["points"]) == 4 and "Point removed" in read_out(page)


@pytest.mark.browser
def test_keyboard_alone_suffices(show):
    page = show(KMeansPlayground(points=[[0.0, 0.0], [4.0, 0.0], [4.0, 4.0]], k=2, seed=1))
    names = []
    for _ in range(12):
        page.keyboard.press("Tab")
        names.append(page.evaluate("((e) => e.name || e.getAttribute('aria-label') || e.textContent)(document.activeElement)"))
    assert names[:9] == ["data", "start", "k", "Assign", "Move", "Run", "New start", "Restart 100 times", "Reset"]
    assert names[9].startswith("center 1 at") and names[10].startswith("center 2 at") and names[11].startswith("point cursor")
    page.keyboard.press("Enter")
    assert len(state(page)["points"]) == 4
    page.keyboard.press("Delete")
    page.keyboard.press("Shift+ArrowRight")
    assert len(state(page)["points"]) == 3
    page.keyboard.press("Delete")
    assert len(state(page)["points"]) == 2
    page.keyboard.press("Delete")
    assert len(state(page)["points"]) == 2 and "need at least 2 points" in read_out(page)
    before = state(page)["centers"]
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowLeft")
    after = state(page)["centers"]
    assert after[1][0] < before[1][0] and after[0] == before[0] and after[1][1] == pytest.approx(before[1][1], abs=0.05)


@pytest.mark.browser
def test_k_slider_starts_again_with_that_many_centers(show):
    page = show(KMeansPlayground())
    page.locator("input[name=k]").focus()
    page.keyboard.press("End")
    assert len(state(page)["centers"]) == 8 and state(page)["stage"] == "placed"
    page.keyboard.press("Home")
    press(page, "Run")
    points, centers, _, _ = arrays(page)
    assert_allclose(centers, [points.mean(axis=0)], **CLOSE)


@pytest.mark.browser
def test_run_animates_and_pauses(show):
    page = show(KMeansPlayground(), reduced_motion="no-preference", clock=True)
    press(page, "Run")
    for _ in range(50):
        if len(state(page)["history"]) >= 3:
            break
        page.clock.run_for(BEAT)
    press(page, "Pause")
    length = len(state(page)["history"])
    page.clock.run_for(5 * BEAT)
    assert len(state(page)["history"]) == length >= 3 and state(page)["stage"] != "done"
    press(page, "Run")
    page.clock.run_for(100 * BEAT)
    assert state(page)["stage"] == "done" and page.get_by_role("button", name="Run", exact=True).is_visible()


@pytest.mark.browser
def test_regions_are_the_nearest_centers(show):
    """Each drawn Voronoi cell holds exactly the points of its cluster, and the cells cover the panel."""
    page = show(KMeansPlayground())
    cells = page.evaluate("""() => {
        const paths = [...document.querySelectorAll('.mlcore-playground .mlc-svg path')].filter((p) => p.style.fillOpacity === '0.13');
        return paths.map((p) => p.getAttribute('d').slice(1, -1).split('L').map((xy) => xy.split(' ').map(Number)));
    }""")
    places = np.array(page.evaluate("""() => [...document.querySelectorAll('.mlcore-playground .mlc-handle')].slice(0, 5)
        .map((e) => e.getAttribute('transform').match(/-?[\\d.]+/g).map(Number))"""))
    area = page.evaluate("""() => {
        const r = document.querySelector('.mlcore-playground clipPath rect');
        return ['width', 'height'].map((a) => +r.getAttribute(a));
    }""")
    assert len(cells) == 5

    def size(polygon):
        x, y = np.array(polygon).T
        return abs(x @ np.roll(y, 1) - y @ np.roll(x, 1)) / 2

    assert sum(size(c) for c in cells) == pytest.approx(area[0] * area[1], rel=2e-3)
    assert page.locator(".mlcore-playground .mlc-handle").count() == 6
    points, centers, labels, _ = arrays(page)
    scale = np.polyfit(centers[:, 0], places[:, 0], 1), np.polyfit(centers[:, 1], places[:, 1], 1)       # data to pixels
    for (x, y), label in zip(points, labels):
        at = np.array([np.polyval(scale[0], x), np.polyval(scale[1], y)])
        for j, cell in enumerate(cells):
            edges = np.roll(cell, -1, axis=0) - cell
            turn = edges[:, 0] * (at - cell)[:, 1] - edges[:, 1] * (at - cell)[:, 0]                      # one sign inside a convex cell
            assert ((turn > 0).all() or (turn < 0).all()) == (j == label)


@pytest.mark.browser
def test_redrawing_does_not_grow_the_document(show):
    page = show(KMeansPlayground(points=np.random.default_rng(0).normal(size=(500, 2)), k=8))
    count = page.evaluate("""() => {
        const el = document.querySelector('.mlcore-playground'), before = el.querySelectorAll('*').length;
        for (let i = 0; i < 100; i++) el.mlcoreRedraw();
        return [before, el.querySelectorAll('*').length];
    }""")
    assert count[0] == count[1]
