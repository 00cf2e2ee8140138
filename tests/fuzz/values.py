"""Small valid inputs that the cases share.

All entries are multiples of 1/8, so that float32 holds them exactly.
"""

import numpy as np

_rng = np.random.default_rng(7)


def eighths(array):
    """Round to multiples of 1/8."""
    return np.round(8 * np.asarray(array)) / 8


n = 12
X = eighths(_rng.normal(size=(n, 2)) * 2)
X1 = np.column_stack([np.ones(n), X])  # with a column of ones
Q = eighths(_rng.normal(size=(5, 2)))  # queries
w = np.array([1.0, -0.5])
y = eighths(X @ w + 0.5 * _rng.normal(size=n))
x = eighths(np.linspace(-1, 1, n))  # distinct numbers in [-1, 1]
z = np.array([-3.0, -0.5, 0.0, 0.75, 2.0])
labels = (X[:, 0] + 0.25 * X[:, 1] > 0).astype(int)
signs = 2.0 * labels - 1
mixed = np.where(np.arange(n) % 4 == 0, -signs, signs)  # signs that no line separates
three = np.array([0, 1, 2] * 4)
counts = np.abs(np.round(2 * X))
K = X @ X.T + 0.5 * np.eye(n)  # a Gram matrix
S = np.array([[2.0, 0.5], [0.5, 1.0]])
S3 = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])
p = np.array([0.125, 0.25, 0.5, 0.125])
q = np.array([0.25, 0.25, 0.25, 0.25])
joint = np.array([[0.125, 0.25], [0.25, 0.375]])
centers = np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, 2.0]])


class Fresh:
    """An argument that a call may change (a network, an optimizer): made anew for each call."""

    def __init__(self, make):
        self.make = make


class Free(str):
    """Free text, in contrast to the name of an option."""
