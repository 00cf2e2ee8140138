"""The tables are the printed ones; the generators plant what they say."""

import numpy as np
import pytest

from mlcore import datasets


def test_portland_table():
    houses = datasets.load_portland()
    assert houses.X.shape == (47, 2)
    np.testing.assert_allclose(houses.X.mean(axis=0), [2000.6809, 3.170213], atol=5e-5)
    np.testing.assert_allclose(houses.X.std(axis=0), [786.2026, 0.752843], atol=5e-5)
    assert houses.y.mean() == pytest.approx(340.41266, abs=5e-6) and houses.y.std() == pytest.approx(123.7025, abs=5e-5)


def test_printed_rows_are_the_first_five():
    rows = datasets.load_portland_rows()
    np.testing.assert_array_equal(rows.X, [[2104, 3], [1600, 3], [2400, 3], [1416, 2], [3000, 4]])
    np.testing.assert_array_equal(rows.y, [400, 330, 369, 232, 540])


def test_linear_plants_its_coefficients():
    X, y = datasets.make_linear(n=20_000, coef=(1.0, -2.0, 0.5), noise=0.3, rng=1)
    theta = np.linalg.lstsq(X, y, rcond=None)[0]
    np.testing.assert_allclose(theta, [1.0, -2.0, 0.5], atol=5 * 0.3 / np.sqrt(20_000))
    assert np.std(y - X @ theta) == pytest.approx(0.3, rel=0.03)


def test_portland_like_has_the_scale_of_portland():
    X, y = datasets.make_portland_like(n=20_000, rng=2)
    assert X[:, 0].mean() == pytest.approx(2000, rel=0.03) and 1 <= X[:, 1].min() <= X[:, 1].max() <= 5
    design = np.column_stack([np.ones(len(X)), X])
    theta = np.linalg.lstsq(design, y, rcond=None)[0]
    error = np.sqrt(64**2 * np.diag(np.linalg.inv(design.T @ design)))
    assert np.all(abs(theta - [89.6, 0.1392, -8.738]) < 5 * error)


def test_shapes_of_clusters():
    X, z = datasets.make_blobs(n=3000, rng=3)
    means = np.array([X[z == j].mean(axis=0) for j in range(3)])
    np.testing.assert_allclose(means, [[-2, 0], [2, 0], [0, 3]], atol=5 * 0.6 / np.sqrt(1000))
    R, ring = datasets.make_rings(n=2000, noise=0.0, rng=4)
    np.testing.assert_allclose(np.hypot(*R.T), np.array([1.0, 2.5])[ring])
    M, moon = datasets.make_moons(n=2000, noise=0.0, rng=5)
    np.testing.assert_allclose(np.hypot(M[moon == 0, 0], M[moon == 0, 1]), 1)
    np.testing.assert_allclose(np.hypot(M[moon == 1, 0] - 1, M[moon == 1, 1] - 0.5), 1)


GENERATORS = [datasets.make_linear, datasets.make_portland_like, datasets.make_blobs, datasets.make_moons, datasets.make_rings]


@pytest.mark.parametrize("make", GENERATORS)
def test_seeded_and_bad_sizes_refused(make):
    for a, b in zip(make(n=20, rng=7), make(n=20, rng=7)):
        np.testing.assert_array_equal(a, b)
    for bad in (0, -3, 2.5, "ten"):
        with pytest.raises(ValueError, match="n must be an integer"):
            make(n=bad)
