"""The benchmarks: how they are measured, that no algorithm is left out, what the page shows."""

import importlib
import json
import pkgutil
import re

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.special import expit, log_expit
from test_contract import all_estimators

from mlcore.foundations import mathematics
from mlcore.supervised import generalized_linear_models as glm
from mlcore.supervised.generalized_linear_models.existence import proves_maximizer
from mlcore.supervised.linear_regression import descent
from mlcore.supervised.logistic_regression import separating_direction
from mlcore.supervised.support_vector_machines import dual_interior_point
from mlcore.unsupervised import k_means
from mlcore.unsupervised.k_means.iteration import nearest_centers
from tools import bench
from tools.bench import __main__ as command
from tools.bench import exempt, measure
from tools.bench.data import blobs, disagreement, gap, gaps, growing, regression, two_classes, up_to_sign
from tools.reference import benchmarks

RIDGE = "mlcore.supervised.ridge_lasso_polynomial.Ridge"


@pytest.fixture(scope="module")
def cases():
    """All cases of the repository."""
    for module in pkgutil.iter_modules(bench.__path__):
        if module.name.startswith("cases_"):
            importlib.import_module(f"tools.bench.{module.name}")
    return list(measure.CASES)


@pytest.fixture
def no_cases(monkeypatch):
    """An empty list of cases, so that a test may register its own."""
    monkeypatch.setattr(measure, "CASES", [])
    return measure.CASES


def one_case(build, name="sums", target=2, sizes=({"n": 10}, {"n": 20})):
    return measure.case(name, RIDGE, "numpy.sum", target, sizes)(build)


# Measuring


@pytest.mark.parametrize("power", [0.0, 1.0, 2.5, -1.0])
def test_the_slope_of_a_power_law_is_its_power(power):
    assert measure.slope([(n, 3e-6 * n**power) for n in (10, 70, 1000)]) == pytest.approx(power, abs=1e-12)


def test_the_sides_take_turns_and_run_at_least_five_times(monkeypatch):
    monkeypatch.setattr(measure, "SHORTEST", 0.0)
    monkeypatch.setattr(measure, "SECONDS", 0.0)
    calls = []
    own, other, runs = measure.medians(lambda: calls.append("a"), lambda: calls.append("b"))
    assert runs == measure.RUNS >= 5 and own > 0 and other > 0
    assert "".join(calls) == "ab" * (1 + runs), "one run each to warm up, then in turns"


def test_quick_runs_are_repeated_within_a_timing_and_more_often(monkeypatch):
    monkeypatch.setattr(measure, "SHORTEST", 0.002)
    monkeypatch.setattr(measure, "SECONDS", 1e9)
    calls = []
    runs = measure.medians(lambda: calls.append(1), lambda: None)[2]
    assert runs == measure.MOST_RUNS and len(calls) > 10 * runs


@pytest.mark.parametrize("megabytes", [16, 64])
def test_peak_memory_sees_an_array_that_is_gone(megabytes):
    def run():
        np.ones(megabytes * 2**17).sum()

    run()  # what it frees stays with the process, and must not hide what the next run needs
    assert measure.peak_memory(run) == pytest.approx(megabytes, rel=0.05)
    assert measure.peak_memory(lambda: None) < 0.5


def test_a_run_that_fails_while_memory_is_measured_is_reported(capfd):
    with pytest.raises(RuntimeError, match="the run that measures memory failed"):
        measure.peak_memory(lambda: 1 / 0)


def test_a_case_gives_one_row_a_size_with_the_same_slopes(no_cases, monkeypatch):
    monkeypatch.setattr(measure, "medians", lambda ours, theirs: (ours() / 1e3, 1e-3, 5))
    monkeypatch.setattr(measure, "peak_memory", lambda run: 2.0)
    one_case(lambda n: (lambda: n**2, lambda: n**2 + 1, lambda a, b: abs(a - b)), target=0.2)
    rows = measure.measure(no_cases[0])
    assert [row["size"] for row in rows] == [{"n": 10}, {"n": 20}] and [row["difference"] for row in rows] == [1.0, 1.0]
    assert [row["ratio"] for row in rows] == pytest.approx([100, 400]) and all(row["over"] for row in rows)
    assert all(row["slope"] == pytest.approx(2) and row["reference_slope"] == pytest.approx(0) and row["grows"] == "n" for row in rows)


@pytest.mark.parametrize(("name", "sizes", "error", "message"), [
    ("mlcore.supervised.ridge_lasso_polynomial.Rigde", ({"n": 1}, {"n": 2}), AttributeError, "Rigde"),
    ("mlcore.supervised.ridge.Ridge", ({"n": 1}, {"n": 2}), ImportError, "ridge"),
    (RIDGE, ({"n": 2}, {"n": 1}), ValueError, "growing in n"),
    (RIDGE, ({"n": 2}, {"n": 2}), ValueError, "growing in n"),
    (RIDGE, ({"n": 2},), ValueError, "at least two sizes"),
])
def test_a_wrong_case_is_refused(no_cases, name, sizes, error, message):
    with pytest.raises(error, match=message):
        measure.case("wrong", name, "nothing", 2, sizes)
    assert not no_cases


def test_results_that_cannot_be_compared_are_refused(no_cases):
    one_case(lambda n: (lambda: 0.0, lambda: 0.0, lambda a, b: float("nan")))
    with pytest.raises(ValueError, match=r"sums {'n': 10}: the difference of the results is nan"):
        measure.measure(no_cases[0])


# The command


@pytest.fixture
def result_file(tmp_path, monkeypatch, no_cases):
    """A result file of its own, one thread as the command wants it, and no case of the repository."""
    path = tmp_path / "benchmarks.json"
    path.write_text("before")
    monkeypatch.setattr(command, "RESULT", path)
    monkeypatch.setattr(command, "ROOT", tmp_path)
    for name in command.ONE_THREAD:
        monkeypatch.setenv(name, "1")
    monkeypatch.setattr(command.pkgutil, "iter_modules", lambda path: [])
    monkeypatch.setattr(measure, "medians", lambda ours, theirs: (2e-3, 1e-3, 5))
    monkeypatch.setattr(measure, "peak_memory", lambda run: 2.0)
    return path


def sums(n):
    return lambda: n, lambda: n, lambda a, b: abs(a - b)


def test_the_file_is_written_when_all_cases_went_through(result_file, capsys):
    one_case(sums)
    command.main([])
    result = json.loads(result_file.read_text())
    assert [row["name"] for row in result["rows"]] == ["sums", "sums"] and result["machine"]["threads"] == 1
    assert "2 rows of 1 cases; 0 over their target" in capsys.readouterr().out
    assert benchmarks.page(result)


def test_a_failing_case_leaves_the_file_as_it_was(result_file):
    one_case(sums)
    one_case(lambda n: 1 / 0, name="broken")
    with pytest.raises(ZeroDivisionError):
        command.main([])
    assert result_file.read_text() == "before" and list(result_file.parent.iterdir()) == [result_file]


def test_some_cases_are_printed_and_nothing_is_written(result_file, capsys):
    one_case(sums)
    one_case(lambda n: 1 / 0, name="broken")
    command.main(["SUM"])
    assert result_file.read_text() == "before" and "n = 20" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="no case has one of the words zebra; the cases are: sums; broken"):
        command.main(["zebra"])


# What is measured


def test_every_estimator_has_a_case_or_a_reason(cases):
    measured = {one.mlcore.rpartition(".")[2] for one in cases}
    public = {cls.__name__ for cls in all_estimators()}
    assert sorted(public - measured - exempt.EXEMPT.keys()) == [], "write a case in tools/bench/, or say in exempt.py why there is none"
    assert exempt.EXEMPT.keys() <= public and not exempt.EXEMPT.keys() & measured and all(exempt.EXEMPT.values())


def test_names_of_cases_and_targets(cases):
    names = [one.name for one in cases]
    assert len(names) == len(set(names)) and {one.target for one in cases} == {2, 10}
    assert all(2 <= len(one.sizes) <= 3 for one in cases)


def test_references_exist(cases):
    for one in cases:
        module, _, name = one.reference.rpartition(".")
        try:
            importlib.import_module(one.reference)
        except ImportError:
            assert hasattr(importlib.import_module(module), name), one.reference


def test_differences():
    assert gap([1.0, 5.0], [1.0, 4.0]) == 0.25 and gap([0.5, np.inf], [0.0, np.inf]) == 0.5
    assert np.isinf(gap([np.inf], [1.0])) and np.isnan(gap([np.nan], [1.0]))
    with pytest.raises(ValueError, match=r"shapes \(1,\) and \(2,\)"):
        gap([1.0], [1.0, 2.0])
    assert gaps(([1.0], [1.0]), ([2.0], [1.0])) == 1.0
    assert disagreement(["a", "b"], ["a", "c"]) == 0.5
    assert up_to_sign([[1.0, 2.0], [3.0, -1.0]], [[-1.0, -2.0], [3.0, -1.0]]) == 0.0
    assert growing("n", 1, 2, d=3) == ({"n": 1, "d": 3}, {"n": 2, "d": 3})


def test_invented_data_repeat_and_have_their_shape():
    for make in (lambda: regression(30, 4, informative=2), lambda: two_classes(30, 4), lambda: blobs(30, 4, 3)):
        (X, y), (again, z) = make(), make()
        assert X.shape == (30, 4) and y.shape == (30,)
        np.testing.assert_array_equal(X, again)
        np.testing.assert_array_equal(y, z)


# The page


def row(name, n, ratio, target=2.0, **more):
    return {"name": name, "mlcore": RIDGE, "reference": "sklearn.linear_model.Ridge", "target": target, "note": "",
            "size": {"n": n, "d": 5}, "seconds": ratio * 1e-3, "reference_seconds": 1e-3, "ratio": ratio,
            "runs": 5, "memory": 12.0, "reference_memory": 6.0,
            "difference": 1e-9, "over": ratio > target, "grows": "n", "slope": 1.5, "reference_slope": 0.5} | more


RESULT = {"machine": {"processor": "Invented 9000", "cores": 2, "threads": 1, "system": "Linux", "python": "3.12.1", "date": "2030-01-02",
                      "packages": {"numpy": "9.8.7", "torch": "6.5"}},
          "rows": [row("ridge", 1_000, 0.5), row("ridge", 10_000, 3.0), row("trees & shrubs", 50, 7.0, target=10, note="same seed")]}


def test_the_page_shows_the_machine_and_marks_what_is_over():
    page = benchmarks.page(RESULT)
    for text in ("Invented 9000", "2 cores (1 used)", "Python 3.12.1", "numpy 9.8.7, torch 6.5", "2030-01-02", "2 algorithms",
                 "2 of 3 rows are within their target**, the others marked."):
        assert text in page
    assert all(f"- `{name}`: {why}" in page for name, why in exempt.EXEMPT.items())
    table = [line for line in page.splitlines() if line.startswith("| ")][1:]
    assert len(table) == 3 and ["over 2" in line for line in table] == [False, True, False]
    assert "**3.00**" in table[1] and "n = 10,000" in table[1] and "(same seed)" in table[2] and "n^1.50, reference n^0.50" in table[0]


def test_the_picture_has_one_mark_a_row():
    svg = benchmarks.picture(RESULT["rows"])
    assert len(re.findall("<circle|<rect", svg)) == 3 == svg.count("<title>") and svg.count('class="over"') == 1
    assert "trees &amp; shrubs" in svg and "& shrubs" not in svg
    assert svg.count('class="case"') == 2 and "2 algorithms at 3 sizes" in svg
    places = [float(x) for x in re.findall(r'<circle cx="([\d.]+)"', svg)]
    assert places[0] < places[1], "a ratio of 0.5 lies left of one of 7"


def test_texts_of_the_table():
    assert [benchmarks.seconds_text(s) for s in (2.345, 0.01234, 4.5e-6)] == ["2.35 s", "12.3 ms", "4.5 µs"]
    peaks = (12, 6), (0.5, 0.2), (30, 0.5), (None, None)
    memory = [benchmarks.memory_text(row("x", 1, 1, memory=own, reference_memory=other)) for own, other in peaks]
    assert memory == ["2.00 (12 MB)", "both below 1 MB", "30 MB against less than 1", "not measured"]


def test_there_is_no_page_before_something_was_measured(tmp_path):
    assert benchmarks.pages(tmp_path, []) == {}
    (tmp_path / "book/reference").mkdir(parents=True)
    (tmp_path / "book/reference/benchmarks.json").write_text(json.dumps(RESULT))
    assert list(benchmarks.pages(tmp_path, [])) == ["benchmarks.md"]


def test_every_stored_row_belongs_to_a_case(cases):
    rows = json.loads(command.RESULT.read_text("utf8"))["rows"] if command.RESULT.exists() else []
    known = {(one.name, one.mlcore, one.reference, one.target, json.dumps(size)) for one in cases for size in one.sizes}
    stored = {(r["name"], r["mlcore"], r["reference"], r["target"], json.dumps(r["size"])) for r in rows}
    assert stored <= known, "run make bench again: a case was renamed, changed or removed"
    assert not rows or stored == known, "run make bench again: a case is new"


# Fast forms


@pytest.mark.parametrize("n", [1, 95, 96, 97, 500])
def test_updates_found_a_block_at_a_time_are_the_updates_one_by_one(n):
    X, y = regression(n, 4)
    steps, theta = 0.3 / (1 + np.arange(n)), np.ones(4)
    visited = descent.lms_pass(theta, X, y, steps)
    for x, target, step, found in zip(X, y, steps, visited):
        theta = descent.lms_step(theta, x, target, step)
        np.testing.assert_allclose(found, theta, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("n, seed", [(10_000, 0), (20_000, 2)])
def test_newton_steps_on_the_dual_reach_the_optimum_of_many_rows(n, seed):
    X, y = two_classes(n, 20, seed, spread=0.3)
    Z = (2 * y - 1)[:, None] * np.column_stack([X, np.ones(n)])
    w, alpha, history, converged = dual_interior_point(Z, 1.0)
    primal = 0.5 * w @ w + np.maximum(0, 1 - Z @ w).sum()
    assert converged and len(history) < 60 and alpha.min() >= 0 and alpha.max() <= 1
    assert 0 <= primal - history[-1] < 1e-6 * primal, "the duality gap proves it"


@pytest.mark.parametrize("k", [1, 2, 8, 300])
def test_nearest_centers_are_those_of_all_distances(k):
    X = blobs(5_000, 3, 4)[0].round(1)  # rounded: some rows are as near to two centers
    labels, squared = k_means.assign(X, X[:k])
    full = cdist(X, X[:k], "sqeuclidean")
    np.testing.assert_allclose(squared, full.min(axis=1), atol=1e-12)
    np.testing.assert_allclose(full[np.arange(len(X)), labels], full.min(axis=1), atol=1e-12)
    np.testing.assert_array_equal(nearest_centers(X, X[:k]), labels)


@pytest.mark.parametrize("shape", [(), (3,), (20_000,), (3_000, 7)])
def test_large_arrays_are_worked_on_in_blocks_with_the_same_result(shape):
    z = np.random.default_rng(0).normal(scale=5, size=shape)
    for function, reference in ((mathematics.sigmoid, expit), (mathematics.log_sigmoid, log_expit)):
        got = function(z.T)
        assert np.shape(got) == shape[::-1]
        np.testing.assert_allclose(got, reference(z.T), rtol=1e-14)


def test_a_short_gradient_proves_a_maximizer_only_where_the_linear_program_finds_no_direction():
    rng, proven = np.random.default_rng(0), []
    for trial in range(60):
        n, k = 30, 3
        Z, y = np.column_stack([np.ones(n), rng.normal(size=(n, 2))]), rng.integers(k, size=n)
        if trial % 2:
            y = (Z @ rng.normal(size=(3, k))).argmax(axis=1)  # separable
        Theta = np.zeros((k - 1, 3))
        for _ in range(trial % 12):
            step = np.linalg.lstsq(glm.categorical_information(Theta, Z), glm.categorical_gradient(Theta, Z, y).ravel(), rcond=None)[0]
            Theta = Theta - 0.7 * step.reshape(Theta.shape)
        proven.append(proves_maximizer(glm.categorical_gradient(Theta, Z, y), glm.categorical_information(Theta, Z),
                                       np.sqrt(2 * (Z**2).sum(axis=1).max())))
        e = np.eye(k)
        rows = np.array([np.kron((e[a] - e[c])[:-1], z) for z, a in zip(Z, y) for c in range(k) if c != a])
        if proven[-1]:
            assert separating_direction(rows, np.ones(len(rows))) is None
    assert sum(proven[::2]) > 5 and not any(proven[1::2])
