"""Descent on quadratic functions, where every rate is known exactly."""

import numpy as np

from mlcore.base import check_array, check_number
from mlcore.foundations.mathematics.linear_algebra import check_symmetric
from mlcore.takes import takes


class Quadratic:
    """f(w) = 1/2 (w - center)^T H (w - center), with gradient and Hessian (eq-gd-quadratic).

    Parameters
    ----------
    H : (d, d) symmetric; it need not be positive definite
    center : (d,) stationary point, 0 if not given

    Attributes
    ----------
    eigenvalues : (d,) of H, ascending

    >>> bowl = Quadratic([[1.0, 0.0], [0.0, 25.0]])
    >>> bowl([10.0, 1.0]), bowl.gradient([10.0, 1.0]), bowl.condition
    (62.5, array([10., 25.]), 25.0)
    """

    def __init__(self, H, center=None):
        self.H = check_symmetric(H, "H")
        self.center = np.zeros(len(self.H)) if center is None else check_array(center, name="center", ndim=1)
        if len(self.center) != len(self.H):
            raise ValueError(f"center has {len(self.center)} entries, but H is {len(self.H)} x {len(self.H)}; they must agree.")
        self.eigenvalues = np.linalg.eigvalsh(self.H)

    @classmethod
    def rotated(cls, eigenvalues, angle, center=None):
        """Quadratic in the plane whose axes are turned by ``angle`` (radians)."""
        c, s = np.cos(angle), np.sin(angle)
        Q = np.array([[c, -s], [s, c]])
        return cls(Q @ np.diag(eigenvalues) @ Q.T, center)

    def __call__(self, w):
        """Value at ``w``, or at every row of a matrix."""
        e = np.asarray(w, float) - self.center
        value = 0.5 * ((e @ self.H) * e).sum(axis=-1)
        return float(value) if e.ndim == 1 else value

    def gradient(self, w):
        """H (w - center)."""
        return self.H @ (np.asarray(w, float) - self.center)

    def hessian(self, w):
        """H, at every point."""
        return self.H

    @property
    def condition(self):
        """lambda_max / lambda_min, of a positive definite H."""
        if self.eigenvalues[0] <= 0:
            raise ValueError(f"H is not positive definite (smallest eigenvalue {self.eigenvalues[0]:.3g}); a condition number needs that.")
        return float(self.eigenvalues[-1] / self.eigenvalues[0])


def step_limit(H):
    """Learning rate below which gradient descent on the quadratic converges from every start, 2 / lambda_max (thm-gd-quadratic).

    >>> step_limit([[1.0, 0.0], [0.0, 25.0]])
    0.08
    """
    largest = np.linalg.eigvalsh(check_symmetric(H, "H"))[-1]
    if largest <= 0:
        raise ValueError(f"the largest eigenvalue of H is {largest:.3g}; a limit exists only if some direction curves upward.")
    return float(2 / largest)


@takes()
def best_step(mu, L):
    """Fastest learning rate for eigenvalues in [mu, L] and its error factor per step (eq-gd-best-step).

    >>> best_step(1.0, 25.0)
    (0.07692307692307693, 0.9230769230769231)
    """
    _check_range(mu, L)
    return 2 / (mu + L), (L - mu) / (L + mu)


def best_momentum(mu, L):
    """Fastest learning rate and momentum for eigenvalues in [mu, L], and the error factor (eq-gd-best-momentum).

    >>> [round(v, 6) for v in best_momentum(1.0, 25.0)]
    [0.111111, 0.444444, 0.666667]
    """
    _check_range(mu, L)
    a, b = np.sqrt(mu), np.sqrt(L)
    factor = float((b - a) / (b + a))
    return float(4 / (a + b) ** 2), factor**2, factor


def _check_range(mu, L):
    check_number(mu, "mu", low=0, open_low=True)
    check_number(L, "L", low=mu)


@takes(eigenvalues="...", lr="...", momentum="...")
def contraction(eigenvalues, lr, momentum=0.0, nesterov=False):
    """Asymptotic error factor per step along directions of curvature ``eigenvalues``; below 1 the error dies out.

    It is the larger root, in modulus, of the recurrence's polynomial (eq-gd-characteristic); arguments broadcast.

    >>> contraction([1.0, 25.0], lr=0.03)
    array([0.97, 0.25])
    """
    shrunk = 1 - lr * eigenvalues
    b, c = (shrunk * (1 + momentum), shrunk * momentum) if nesterov else (shrunk + momentum, momentum)
    root = np.sqrt(np.asarray(b * b - 4 * c, dtype=complex))  # roots of z^2 - b z + c
    return np.maximum(abs(b + root), abs(b - root)) / 2
