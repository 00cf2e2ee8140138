"""What the ICA models share: whitening first, the linear maps afterwards."""

import numpy as np

from mlcore.base import Estimator, check_array, check_fitted, check_number
from mlcore.unsupervised.pca_and_feature_selection import PCA


class _Unmixing(Estimator):
    """Base of the ICA models: whiten (eq-ic-whiten), let ``_separate`` find W for the white data, combine both maps."""

    kind = "transformer"

    def fit(self, X, y=None):
        """Estimate the unmixing matrix; ``y`` is ignored."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X, y=None):
        """Fit, and return the estimated sources (n, k)."""
        X = check_array(X, min_samples=2)
        if self.n_components is not None:
            check_number(self.n_components, "n_components", low=1, integer=True)
        constant = X.max(axis=0) == X.min(axis=0)
        if constant.any():
            raise ValueError(f"column {int(constant.argmax())} of X is constant: that sensor hears nothing; remove the column.")
        pca = PCA(self.n_components, whiten=True, ddof=0)
        Z = pca.fit_transform(X)
        scales = np.sqrt(pca.explained_variance_)
        W = self._separate(Z)
        self.mean_ = pca.mean_
        self.whitening_ = pca.components_ / scales[:, None]  # (k, d)
        self.rotation_ = W
        self.components_ = W @ self.whitening_
        self.mixing_ = np.linalg.solve(W.T, pca.components_ * scales[:, None]).T  # whitening^+ W^-1, (d, k)
        return Z @ W.T

    def transform(self, X):
        """Sources (n, k) of the rows of X, (x - mean) W^T."""
        check_fitted(self, "components_")
        return (check_array(X, n_features=len(self.mean_)) - self.mean_) @ self.components_.T

    def inverse_transform(self, S):
        """Mix sources again, S A^T + mean: what the sensors hear."""
        check_fitted(self, "components_")
        return check_array(S, name="S", n_features=len(self.components_)) @ self.mixing_.T + self.mean_
