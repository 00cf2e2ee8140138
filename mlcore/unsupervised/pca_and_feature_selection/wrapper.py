"""A wrapper method: recursive feature elimination."""

import numpy as np

from mlcore.base import as_array, check_array, check_number, check_same_length, clone
from mlcore.supervised.ridge_lasso_polynomial import Ridge
from mlcore.unsupervised.pca_and_feature_selection.filters import _Selector


class RFE(_Selector):
    """Fit a linear model, drop the features with the smallest squared coefficients, repeat.

    Coefficients are compared with each other, so the features must be on one scale (see ``Standardizer``).

    Parameters
    ----------
    estimator : any model with ``fit`` and ``coef_``; None takes ``Ridge(alpha=1.0)``. With several outputs the squares are added.
    n_features : how many to keep; None keeps half, at least one
    step : how many to drop before the next fit

    Attributes
    ----------
    ranking_ : (d,) 1 for the kept features, 2 for those dropped last, and so on
    support_ : (d,) which columns are kept
    estimator_ : the model fitted to the kept columns

    >>> X = [[0.0, 1.0, 3.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0], [3.0, 0.0, 2.0]]
    >>> RFE(n_features=1).fit(X, [0.1, 1.9, 4.1, 6.0]).ranking_
    array([1, 2, 3])
    """

    def __init__(self, estimator=None, n_features=None, step=1):
        self.estimator = estimator
        self.n_features = n_features
        self.step = step

    def fit(self, X, y):
        """Eliminate until ``n_features`` are left."""
        X, y = check_array(X), as_array(y, "y")
        check_same_length(X, y)
        d = X.shape[1]
        keep = max(d // 2, 1) if self.n_features is None else check_number(self.n_features, "n_features", low=1, high=d, integer=True)
        check_number(self.step, "step", low=1, integer=True)
        prototype = Ridge() if self.estimator is None else self.estimator
        alive, dropped = np.arange(d), []
        while True:
            model = clone(prototype).fit(X[:, alive], y)
            if len(alive) == keep:
                break
            importance = self._importance(model, len(alive))
            order = np.argsort(importance, kind="stable")
            out = order[: min(self.step, len(alive) - keep)]
            dropped.append(alive[out])
            alive = np.delete(alive, out)
        self.ranking_ = np.ones(d, dtype=int)
        for rank, features in enumerate(reversed(dropped), start=2):
            self.ranking_[features] = rank
        self.support_ = self.ranking_ == 1
        self.estimator_ = model
        return self

    @staticmethod
    def _importance(model, d):
        """Squared coefficients, added over the outputs."""
        if not hasattr(model, "coef_"):
            raise ValueError(f"{type(model).__name__} has no coef_ after fit; recursive elimination needs a linear model.")
        coef = np.asarray(model.coef_, float)
        return (coef**2).reshape(-1, d).sum(axis=0)
