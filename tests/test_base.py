"""The estimator contract's own parts: parameters, validation, randomness."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mlcore import base


class Toy(base.Estimator):
    def __init__(self, alpha=1.0, weights=None, inner=None):
        self.alpha = alpha
        self.weights = weights
        self.inner = inner

    def predict(self, X):
        return np.zeros(len(X))


def test_repr_shows_only_what_differs():
    assert repr(Toy()) == "Toy()"
    assert repr(Toy(alpha=2.0, weights=np.array([1, 2]))) == "Toy(alpha=2.0, weights=array([1, 2]))"


def test_params_nested_and_unknown():
    model = Toy(inner=Toy(alpha=3.0))
    assert model.get_params()["inner__alpha"] == 3.0
    model.set_params(inner__alpha=5.0)
    assert model.inner.alpha == 5.0
    with pytest.raises(ValueError, match="Toy has no parameter 'beta'; it has alpha, weights, inner"):
        model.set_params(beta=1)


def test_clone_is_unfitted_and_deep():
    model = Toy(inner=Toy(alpha=3.0))
    model.coef_ = 1
    copy = base.clone(model)
    assert not hasattr(copy, "coef_") and copy.inner is not model.inner and copy.inner.alpha == 3.0


@pytest.mark.parametrize("X, words", [
    ([1.0, 2.0], r"must be 2-D .* got shape \(2,\)\. Use X.reshape\(-1, 1\)"),
    ([[1.0, np.nan]], r"NaN or infinity \(first at index \(0, 1\)\)"),
    ([[1.0, np.inf]], "NaN or infinity"),
    ([["a", "b"]], "real numbers; got list of shape"),
    ([[1.0], [2.0, 3.0]], "rectangular array of real numbers"),
    ([[1j]], "real numbers"),
    ("text", "real numbers; got the text 'text'"),
    (np.empty((0, 2)), "0 samples, but at least 1"),
    (np.empty((3, 0)), "no features"),
    (None, "real numbers"),
])
def test_check_array_says_what_is_wrong(X, words):
    with pytest.raises(ValueError, match=words):
        base.check_array(X)


def test_check_array_feature_count_and_sparse():
    with pytest.raises(ValueError, match="X has 3 features, but this model was fitted with 2"):
        base.check_array(np.ones((4, 3)), n_features=2)
    from scipy.sparse import csr_matrix

    with pytest.raises(ValueError, match="sparse matrix; pass a dense array"):
        base.check_array(csr_matrix(np.eye(2)))


@given(hnp.arrays(st.sampled_from([np.float64, np.float32, np.int64, np.bool_]), hnp.array_shapes(min_dims=0, max_dims=3, max_side=4)))
def test_check_array_either_returns_a_finite_matrix_or_explains(X):
    try:
        out = base.check_array(X)
    except ValueError as error:
        assert str(error).startswith("X ") and str(error)[-1] in ".;"
        return
    assert out.ndim == 2 and out.dtype == float and np.isfinite(out).all()
    np.testing.assert_array_equal(out, X)


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="X has 3 rows, but y has 2 values"):
        base.check_X_y(np.ones((3, 1)), [1.0, 2.0])


@pytest.mark.parametrize("y, words", [
    ([0.5, 1.0], "fractional numbers"),
    ([1, 1], "1 class"),
    ([np.nan, 1.0], "NaN"),
    ([[1, 2]], "1-D"),
])
def test_check_labels_rejects(y, words):
    with pytest.raises(ValueError, match=words):
        base.check_labels(y)


def test_check_labels_takes_text():
    classes, index = base.check_labels(["b", "a", "b"])
    assert list(classes) == ["a", "b"] and list(index) == [1, 0, 1]


@pytest.mark.parametrize("value", [-1, 0, 2.5, True, np.nan, "3", None])
def test_check_number_integer(value):
    with pytest.raises(ValueError, match=r"k must be an integer >= 1 and <= 5, got"):
        base.check_number(value, "k", low=1, high=5, integer=True)


def test_check_number_open_interval():
    with pytest.raises(ValueError, match=r"gamma must be a number > 0 and < 1, got 1"):
        base.check_number(1, "gamma", low=0, high=1, open_low=True, open_high=True)
    assert base.check_number(np.float64(0.5), "gamma", low=0, high=1) == 0.5


def test_check_option_lists_the_options():
    with pytest.raises(ValueError, match="solver must be one of 'qr', 'svd'; got 'lu'"):
        base.check_option("lu", "solver", ("qr", "svd"))


def test_rng_forms_and_global_state():
    before = np.random.get_state()[1].copy()  # noqa: NPY002 - the global generator is what is watched
    assert base.check_rng(0).integers(100) == base.check_rng(0).integers(100)
    generator = np.random.default_rng(1)
    assert base.check_rng(generator) is generator
    for bad in (-1, 1.5, "seed", True):
        with pytest.raises(ValueError, match="random_state must be"):
            base.check_rng(bad)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_score_and_not_fitted():
    assert Toy().score(np.ones((3, 1)), [1.0, 2.0, 3.0]) == pytest.approx(1 - 14 / 2)
    with pytest.raises(ValueError, match="X has 3 rows, but y has 2"):
        Toy().score(np.ones((3, 1)), [1.0, 2.0])
    with pytest.raises(base.NotFittedError, match="This Toy is not fitted yet"):
        base.check_fitted(Toy(), "coef_")
    with pytest.raises(ValueError, match=r"y has shape \(2,\), but the prediction has shape \(2, 1\)"):
        base.r2_score([1.0, 2.0], [[1.0], [2.0]])
    assert base.r2_score([2, 2], [2, 2]) == 1.0 and base.r2_score([2, 2], [2, 3]) == 0.0


def test_not_converged_names_model_and_advice():
    model = Toy()
    model.max_iter = 7
    with pytest.warns(base.ConvergenceWarning, match="Toy did not converge in max_iter=7 iterations; raise it"):
        base.warn_not_converged(model, "raise it.")


class Labels(base.Estimator):
    """Predicts what it was given."""

    kind = "classifier"

    def __init__(self, labels=None):
        self.labels = labels

    def predict(self, X):
        return np.asarray(self.labels)


@pytest.mark.parametrize("labels, y, words", [
    ([0, 1, 1], [[0], [1], [1]], "y must be 1-D"),             # would be compared with every row
    ([0, 1, 1], [0.0, np.nan, 1.0], "NaN or infinity"),
    ([0, 1, 1], ["0", "1", "1"], "text and numbers are never equal"),
    (["0", "1", "1"], [0, 1, 1], "text and numbers are never equal"),
    ([0, 1, 1], [0j, 1j, 1j], "all numbers or all text"),
    ([0, 1, 1], [0, 1], "X has 3 rows, but y has 2 values"),
])
def test_a_score_of_labels_that_cannot_be_compared_is_refused(labels, y, words):
    with pytest.raises(ValueError, match=words):
        Labels(labels).score(np.zeros((3, 1)), y)


@pytest.mark.parametrize("labels, y", [
    (["a", "b", "b"], np.array(["a", "b", "a"], object)),
    ([0, 1, 1], [False, True, False]),
    ([0, 1, 1], [0.0, 1.0, 0.0]),
])
def test_the_score_of_labels(labels, y):
    assert Labels(labels).score(np.zeros((3, 1)), y) == pytest.approx(2 / 3)


def test_a_transformer_has_no_score():
    class Shift(base.Estimator):
        pass

    with pytest.raises(TypeError, match="Shift does not predict, so it has no score"):
        Shift().score([[1.0]], [1.0])


@pytest.mark.parametrize("c", [1e-300, 1e-200, 1.0, 1e200, 1e307])
def test_r2_at_every_scale(c):
    y, p = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0])
    with np.errstate(all="raise", under="ignore"):
        assert base.r2_score(c * y, c * p) == pytest.approx(0.5)
        assert base.r2_score(c * (y - 2), c * (2 - y)) == pytest.approx(-3)


def test_r2_of_a_constant_whose_mean_is_rounded():
    y = [0.1] * 3                                              # its mean is 0.10000000000000002
    assert base.r2_score(y, [0.2] * 3) == 0.0 and base.r2_score(y, y) == 1.0


@pytest.mark.parametrize("X, words", [
    ([["1", "2"]], "real numbers; got list of shape .*, for example '1'"),
    (np.array([[1, "2"]], object), "for example '2'"),
    (np.array([[b"1"]]), "real numbers"),
    ([[10**400]], "real numbers"),
    (np.array([[np.longdouble("1e4000")]]), "NaN or infinity"),
    ([[1e160], [2.0]], "too large to be squared; divide X by a power of 10"),
    ([[1e-160], [-2e-170]], "too small to be squared"),
])
def test_numbers_as_text_and_numbers_out_of_range_are_refused(X, words):
    with pytest.raises(ValueError, match=words):
        base.check_array(X)


def test_small_numbers_are_refused_only_where_a_model_learns():
    assert base.check_array([[1e-200]], n_features=1)[0, 0] == 1e-200 and base.check_array([[0.0, 0.0]]).sum() == 0
    assert base.check_array([[1e-200, 1.0]]).shape == (1, 2) and base.check_array([[1e200]], name="K").shape == (1, 1)
    with pytest.raises(ValueError, match="y holds numbers up to 1e-200 in size"):
        base.check_X_y([[1.0]], [1e-200])


def test_whole_numbers_beyond_64_bits_are_refused():
    with pytest.raises(ValueError, match=r"whole numbers below 2\^63, got 1e\+300"):
        base.check_array([[1e300]], name="n", dtype=int)
    with pytest.raises(ValueError, match="n must be an integer >= 1, got 1000"):
        base.check_number(10**400, "n", low=1, integer=True)


@pytest.mark.parametrize("y", [[0, "a"], ("a", 1), [True, "a"]])
def test_a_list_of_numbers_and_text_holds_no_labels(y):
    with pytest.raises(ValueError, match="all numbers or all text"):
        base.label_array(y)


def test_labels_in_objects():
    assert base.label_array(np.array([2, 3], object)).dtype == int and base.label_array(np.array([True, False], object)).dtype == bool


def test_parameters_that_are_frames_or_lists_of_arrays():
    import pandas as pd

    assert repr(Toy(weights=pd.Series([1.0, 2.0]))).startswith("Toy(weights=")
    assert repr(Toy(weights=[np.ones(2)])).startswith("Toy(weights=[")
    with pytest.raises(ValueError, match="inner__alpha cannot be set: inner is None"):
        Toy().set_params(inner__alpha=1.0)
    with pytest.raises(ValueError, match="solver must be one of 'qr', 'svd'; got array"):
        base.check_option(np.array(["qr", "svd"]), "solver", ("qr", "svd"))


def test_unequal_rows_have_no_length():
    with pytest.raises(ValueError, match="unequal lengths"):
        base.check_same_length(np.ones(2), [[1.0], [1.0, 2.0]])


def test_what_is_no_estimator_is_not_copied():
    for value in (3, "Ridge", Toy):
        with pytest.raises(TypeError, match="an estimator is needed here"):
            base.clone(value)


@pytest.mark.parametrize("value", ["no", 1, None, np.array([True])])
def test_a_flag_is_true_or_false(value):
    with pytest.raises(ValueError, match="fit_intercept must be True or False"):
        base.check_flag(value, "fit_intercept")
    assert base.check_flag(np.True_, "fit_intercept")


@pytest.mark.parametrize("value", [3, "ab", None, np.array(2.0), {}, [1], (1, 2, 3)])
def test_a_pair_has_two_entries(value):
    with pytest.raises(ValueError, match="grid must be a list or tuple of 2 entries"):
        base.check_items(value, "grid", 2)
    assert base.check_items((1, 2), "grid", 2) == (1, 2)


def test_a_tiny_column_beside_a_large_one_keeps_its_scale():
    from mlcore.supervised.linear_regression import Standardizer
    from mlcore.unsupervised.pca_and_feature_selection import correlations

    X = np.array([[1.0, 3.0], [2.0, 1.0], [3.0, 2.0]])
    tiny = X * [1.0, 1e-300]
    np.testing.assert_allclose(Standardizer().fit(tiny).transform(tiny), Standardizer().fit(X).transform(X))
    np.testing.assert_allclose(correlations(tiny, X[:, 0]), [1.0, -0.5])
