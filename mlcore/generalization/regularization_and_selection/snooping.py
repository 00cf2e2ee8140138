"""Selection inside the fit (screening features, chains of steps) and the optimism of the best of many."""

import numpy as np
from scipy.stats import binom

from mlcore.base import Estimator, check_array, check_fitted, check_number, check_X_y, clone
from mlcore.foundations.mathematics.correlation import column_correlations
from mlcore.supervised.ridge_lasso_polynomial import Ridge


def expected_minimum(n_models, n_rows, error=0.5):
    """Expected validation error of the best of n_models independent models that all have the same true error, eq-rs-minimum.

    Each validation error is a binomial share of ``n_rows``; the expectation is exact.

    >>> [round(expected_minimum(m, 100), 3) for m in (1, 10, 1000)]
    [0.5, 0.423, 0.339]
    """
    check_number(n_models, "n_models", low=1, integer=True)
    check_number(n_rows, "n_rows", low=1, integer=True)
    check_number(error, "error", low=0, high=1)
    above = binom.sf(np.arange(n_rows), n_rows, error)         # P(count > j), j = 0..n_rows-1
    return float((above**n_models).sum() / n_rows)


class CorrelationScreen(Estimator):
    """Keep the features that correlate most with the targets, in absolute value; labels must be numbers.

    Parameters
    ----------
    n_features : how many to keep (all, if there are fewer)

    Attributes
    ----------
    correlations_ : (d,), 0 for a constant feature;  kept_ : columns that are kept, in ascending order

    >>> X = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]]
    >>> CorrelationScreen(n_features=1).fit(X, [0.0, 1.0, 2.0, 2.0]).kept_
    array([0])
    """

    kind = "transformer"

    def __init__(self, n_features=10):
        self.n_features = n_features

    def fit(self, X, y):
        """Correlate each column of X with y."""
        X, y = check_X_y(X, y, min_samples=2)
        check_number(self.n_features, "n_features", low=1, integer=True)
        self.correlations_ = column_correlations(X, y)
        order = np.argsort(-np.abs(self.correlations_), kind="stable")
        self.kept_ = np.sort(order[: self.n_features])
        return self

    def transform(self, X):
        """The kept columns of X."""
        check_fitted(self, "kept_")
        return check_array(X, n_features=len(self.correlations_))[:, self.kept_]


class Chain(Estimator):
    """A transformer and a model as one estimator, so that cross-validation repeats both on each training part.

    Parameters
    ----------
    transformer : estimator with fit(X, y) and transform, or None
    model : estimator with fit and predict (another Chain, for more steps); None is ``Ridge()``

    Attributes
    ----------
    transformer_, model_ : the fitted steps

    >>> chain = Chain(CorrelationScreen(n_features=1), Ridge(alpha=0.0))
    >>> chain.fit([[0.0, 5.0], [1.0, 5.0], [2.0, 5.0]], [1.0, 3.0, 5.0]).predict([[3.0, 5.0]]).round(6)
    array([7.])
    >>> chain.set_params(transformer__n_features=2).transformer
    CorrelationScreen(n_features=2)
    """

    def __init__(self, transformer=None, model=None):
        self.transformer = transformer
        self.model = model

    @property
    def kind(self):
        """That of the model."""
        return "regressor" if self.model is None else self.model.kind

    def fit(self, X, y):
        """Fit the transformer, then the model on what it makes of X."""
        X = check_array(X)
        if self.transformer is None:
            self.transformer_ = None
        else:
            self.transformer_ = clone(self.transformer).fit(X, y)
            X = self.transformer_.transform(X)
        self.model_ = (Ridge() if self.model is None else clone(self.model)).fit(X, y)
        return self

    def predict(self, X):
        """Transform, then predict."""
        check_fitted(self, "model_")
        return self.model_.predict(X if self.transformer_ is None else self.transformer_.transform(X))
