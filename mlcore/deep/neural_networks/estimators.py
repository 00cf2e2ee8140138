"""MLPClassifier and MLPRegressor: networks behind the estimator contract."""

import numpy as np

from mlcore.base import (
    Estimator,
    check_array,
    check_fitted,
    check_labels,
    check_number,
    check_option,
    check_rng,
    check_X_y,
    warn_not_converged,
)
from mlcore.deep.neural_networks.layers import MLP
from mlcore.deep.neural_networks.neurons import ACTIVATIONS
from mlcore.deep.neural_networks.training import fit, outputs
from mlcore.foundations.data_and_tasks import split_rows
from mlcore.foundations.gradient_descent import Adam
from mlcore.foundations.mathematics import softmax


class _Network(Estimator):
    """What the two estimators share: hyperparameters and the training run."""

    def __init__(self, hidden=(32,), activation="relu", lr=1e-2, batch_size=32, max_iter=200, weight_decay=1e-4, dropout=0.0,
                 validation_share=0.0, patience=10, tol=1e-4, random_state=None):
        self.hidden = hidden
        self.activation = activation
        self.lr = lr
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.weight_decay = weight_decay
        self.dropout = dropout
        self.validation_share = validation_share
        self.patience = patience
        self.tol = tol
        self.random_state = random_state

    def _train(self, X, targets, n_outputs, loss, stratify=None):
        rng = check_rng(self.random_state)
        check_number(self.lr, "lr", low=0, open_low=True)
        check_number(self.max_iter, "max_iter", low=1, integer=True)
        check_number(self.validation_share, "validation_share", low=0, high=1, open_high=True)
        check_option(self.activation, "activation", tuple(ACTIVATIONS))
        hidden = (self.hidden,) if np.ndim(self.hidden) == 0 else tuple(self.hidden)
        for width in hidden:
            check_number(width, "every width in hidden", low=1, integer=True)
        network = MLP([X.shape[1], *map(int, hidden), n_outputs], self.activation, self.dropout, rng=rng)
        rows, validation = np.arange(len(X)), None
        if self.validation_share:
            rows, held = split_rows(len(X), test_size=float(self.validation_share), stratify=stratify, random_state=rng)
            validation = X[held], targets[held]
        history = fit(network, X[rows], targets[rows], loss, Adam(lr=self.lr), epochs=self.max_iter, batch_size=self.batch_size,
                      weight_decay=self.weight_decay, validation=validation, patience=self.patience, tol=self.tol, rng=rng)
        self.network_, self.n_features_ = network, X.shape[1]
        self.history_, self.validation_history_ = history.objective, history.validation_loss
        self.n_iter_, self.best_iter_, self.converged_ = len(self.history_), history.best_epoch + 1, history.stopped_early
        if not self.converged_:
            warn_not_converged(self, "raise max_iter or lr, or standardize the features.")
        return self

    def _outputs(self, X):
        check_fitted(self, "network_")
        return outputs(self.network_, check_array(X, n_features=self.n_features_))


class MLPClassifier(_Network):
    """Classes by a multi-layer perceptron: P(y = c | x) = softmax(h(x))_c, fitted by Adam on mini-batches (eq-nn-layers).

    Minimizes the mean cross-entropy + weight_decay/2 |W|^2 (the biases are free). Standardize the features first.

    Parameters
    ----------
    hidden : units of each hidden layer;  activation : a name in ``ACTIVATIONS``
    lr, batch_size, max_iter : learning rate of Adam, rows per update, most epochs
    weight_decay, dropout : regularization, see ``fit`` and ``Dropout``
    validation_share : share of the rows to hold out and watch; the weights that were best on it are kept. With 0 the
        objective on the training rows is watched
    patience, tol : stop after ``patience`` epochs in which the watched value fell by no more than ``tol``
    random_state : None, an int or a Generator

    Attributes
    ----------
    network_ : the MLP;  classes_ : (k,);  n_iter_ : epochs made;  best_iter_ : the best of them;  converged_ : whether patience ended it
    history_, validation_history_ : objective of each epoch, and loss on the rows held out

    >>> X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    >>> y = np.array(["equal", "different", "different", "equal"])
    >>> MLPClassifier(hidden=(8,), lr=0.05, random_state=0).fit(X, y).score(X, y)
    1.0
    """

    kind = "classifier"

    def fit(self, X, y):
        """Train a fresh network."""
        X = check_array(X)
        self.classes_, index = check_labels(y, X)
        return self._train(X, index, len(self.classes_), "cross_entropy", stratify=index)

    def predict_proba(self, X):
        """(n, k) probabilities of the classes."""
        return softmax(self._outputs(X), axis=1)

    def predict(self, X):
        """The most probable class."""
        H = self._outputs(X)
        return self.classes_[H.argmax(axis=1)]


class MLPRegressor(_Network):
    """Regression by a multi-layer perceptron with linear output, fitted by Adam on mini-batches (eq-nn-layers).

    Minimizes the mean of |h(x) - y|^2 / 2 + weight_decay/2 |W|^2, with y scaled to unit variance inside. The parameters and
    attributes are those of :class:`MLPClassifier`; losses in ``history_`` are in units of the variance of y.

    >>> x = np.linspace(-1, 1, 40)[:, None]
    >>> MLPRegressor(random_state=0).fit(x, abs(x.ravel())).score(x, abs(x.ravel())) > 0.99
    True
    """

    kind = "regressor"

    def fit(self, X, y):
        """Train a fresh network."""
        X, y = check_X_y(X, y)
        self.y_mean_, self.y_scale_ = float(y.mean()), float(y.std()) or 1.0
        return self._train(X, (y - self.y_mean_) / self.y_scale_, 1, "squared")

    def predict(self, X):
        """(n,) predictions."""
        return self._outputs(X).ravel() * self.y_scale_ + self.y_mean_
