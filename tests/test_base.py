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
