"""The Kalman filter: the belief N(mean, cov) of a hidden state, predicted with the action and corrected by the observation.

Dynamics s' = A s + B a + w, w ~ N(0, Sigma_s); observation y = C s + v, v ~ N(0, Sigma_y).
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from mlcore.base import check_array, check_number
from mlcore.control.lqr_and_lqg.checks import check_instance, check_matrix, check_semidefinite, check_vector
from mlcore.foundations.mathematics import gaussian_conditional


def predict_kernel(mean, cov, A, Sigma_s, push):
    """The prediction (eq-lqr-predict), its arguments unchecked."""
    with np.errstate(over="ignore", invalid="ignore"):
        return _belief(A @ mean + push, A @ cov @ A.T + Sigma_s)


def update_kernel(mean, cov, y, C, Sigma_y):
    """The update (eq-lqr-update), its arguments unchecked."""
    with np.errstate(over="ignore", invalid="ignore"):
        S = C @ cov @ C.T + Sigma_y                      # (n, n), covariance of the innovation
        try:
            K = cho_solve(cho_factor(S), C @ cov).T      # (d, n), cov C^T S^{-1}
        except (ValueError, np.linalg.LinAlgError):      # infinite, or not positive definite but for rounding
            raise ValueError("C cov C^T + Sigma_y is not a positive definite matrix in floating point: the entries of C, cov and Sigma_y "
                             "differ too much in size; choose units in which they are closer to 1.") from None
        shrink = np.eye(len(mean)) - K @ C
        cov = shrink @ cov @ shrink.T + K @ Sigma_y @ K.T    # symmetric, never negative, even when K is rounded
        return *_belief(mean + K @ (y - C @ mean), (cov + cov.T) / 2), K


def _belief(mean, cov):
    if not (np.isfinite(mean).all() and np.isfinite(cov).all()):
        raise ValueError("the belief holds numbers beyond the largest that a computer has; choose units in which the entries of "
                         "the matrices are closer to 1.")
    return mean, cov


def kalman_predict(mean, cov, A, Sigma_s, push=None):
    """Belief one step later: A mean + push with push = B a (None is no action), and A cov A^T + Sigma_s (eq-lqr-predict).

    >>> kalman_predict(np.array([1.0]), np.array([[2.0]]), np.array([[3.0]]), np.array([[1.0]]), push=[0.5])
    (array([3.5]), array([[19.]]))
    """
    mean = check_array(mean, name="mean", ndim=1)
    d = len(mean)
    push = np.zeros(d) if push is None else check_vector(push, "push", d)
    return predict_kernel(mean, check_semidefinite(cov, "cov", d), check_matrix(A, "A", (d, d)),
                          check_semidefinite(Sigma_s, "Sigma_s", d), push)


def kalman_update(mean, cov, y, C, Sigma_y):
    """Belief after an observation and the gain K (eq-lqr-update); the covariance in Joseph's form (eq-lqr-joseph).

    >>> mean, cov, K = kalman_update(np.array([0.0]), np.array([[3.0]]), np.array([4.0]), np.array([[1.0]]), np.array([[1.0]]))
    >>> mean, cov, K
    (array([3.]), array([[0.75]]), array([[0.75]]))
    """
    mean = check_array(mean, name="mean", ndim=1)
    C = check_matrix(C, "C", (None, len(mean)))
    return update_kernel(mean, check_semidefinite(cov, "cov", len(mean)), check_vector(y, "y", len(C)), C,
                         check_semidefinite(Sigma_y, "Sigma_y", len(C), definite=True))


class Filtered(NamedTuple):
    """Beliefs after each observation: means (T + 1, d), covs (T + 1, d, d), row 0 the prior; gains (T, d, n)."""

    means: np.ndarray
    covs: np.ndarray
    gains: np.ndarray


class KalmanFilter:
    """The belief of a linear Gaussian system, step by step or for a whole record.

    Parameters
    ----------
    A, B, C : (d, d), (d, p), (n, d);  B=None is a system without actions
    Sigma_s : (d, d) process noise, positive semidefinite;  Sigma_y : (n, n) sensor noise, positive definite
    m0, P0 : (d,) and (d, d), mean and covariance (positive semidefinite) of s_0, before any observation

    Attributes
    ----------
    mean, cov : the current belief;  gain_ : the gain K of the last update

    >>> kf = KalmanFilter(A=[[1.0]], B=None, C=[[1.0]], Sigma_s=[[0.0]], Sigma_y=[[1.0]], m0=[0.0], P0=[[1.0]])
    >>> kf.predict().update([4.0]).mean
    array([2.])
    """

    def __init__(self, A, B, C, Sigma_s, Sigma_y, m0, P0):
        A = check_array(A, name="A")
        d = len(A)
        self.A, self.C = check_matrix(A, "A", (d, d)), check_matrix(C, "C", (None, d))
        self.B = np.zeros((d, 0)) if B is None else check_matrix(B, "B", (d, None))
        self.Sigma_s = check_semidefinite(Sigma_s, "Sigma_s", d)
        self.Sigma_y = check_semidefinite(Sigma_y, "Sigma_y", len(self.C), definite=True)
        self.m0, self.P0 = check_vector(m0, "m0", d), check_semidefinite(P0, "P0", d)
        self.reset()

    def reset(self):
        """Go back to the prior belief."""
        self.mean, self.cov = self.m0, self.P0
        return self

    def predict(self, a=None):
        """Move the belief one step ahead under action a."""
        a = np.zeros(0) if a is None else check_array(a, name="a", ndim=1)
        if a.shape != self.B.shape[1:]:
            raise ValueError(f"a must have {self.B.shape[1]} entries, one per column of B, got {a.tolist()}.")
        self.mean, self.cov = predict_kernel(self.mean, self.cov, self.A, self.Sigma_s, self.B @ a)
        return self

    def update(self, y):
        """Correct the belief by an observation."""
        y = check_vector(y, "y", len(self.C))
        self.mean, self.cov, self.gain_ = update_kernel(self.mean, self.cov, y, self.C, self.Sigma_y)
        return self

    def filter(self, Y, actions=None):
        """Beliefs along a record: Y (T, n) holds y_1, ..., y_T, actions (T, p) holds a_0, ..., a_{T-1}."""
        Y, actions = self._record(Y, actions)
        self.reset()
        means, covs, gains = [self.mean], [self.cov], []
        for y, a in zip(Y, actions):
            self.mean, self.cov = predict_kernel(self.mean, self.cov, self.A, self.Sigma_s, self.B @ a)
            self.mean, self.cov, self.gain_ = update_kernel(self.mean, self.cov, y, self.C, self.Sigma_y)
            means.append(self.mean)
            covs.append(self.cov)
            gains.append(self.gain_)
        return Filtered(np.array(means), np.array(covs), np.array(gains))

    def schedule(self, T):
        """Covariances (T + 1, d, d) and gains (T, d, n): neither needs an observation or an action (thm-lqr-kalman)."""
        check_number(T, "T", low=1, integer=True)
        cov, covs, gains = self.P0, [self.P0], []
        for _ in range(T):
            _, cov = predict_kernel(self.m0, cov, self.A, self.Sigma_s, 0.0)
            _, cov, K = update_kernel(self.m0, cov, np.zeros(len(self.C)), self.C, self.Sigma_y)
            covs.append(cov)
            gains.append(K)
        return np.array(covs), np.array(gains)

    def _record(self, Y, actions):
        Y = check_array(Y, name="Y")
        if Y.shape[1] != len(self.C):
            raise ValueError(f"Y must have shape (T, {len(self.C)}), one row per observation, got {Y.shape}.")
        p = self.B.shape[1]
        if actions is None and p:
            raise ValueError(f"actions must hold the {p} numbers of B's columns for each of the {len(Y)} steps; the prediction needs them.")
        actions = np.zeros((len(Y), 0)) if actions is None else check_array(actions, name="actions")
        if actions.shape != (len(Y), p):
            raise ValueError(f"actions must have shape ({len(Y)}, {p}), one row per observation, got {actions.shape}.")
        return Y, actions


def batch_condition(kf, Y, actions=None):
    """Mean and covariance of s_T given y_1, ..., y_T by conditioning one big Gaussian, O(T^3): the filter's oracle.

    >>> kf = KalmanFilter(A=[[1.0]], B=None, C=[[1.0]], Sigma_s=[[0.0]], Sigma_y=[[1.0]], m0=[0.0], P0=[[1.0]])
    >>> mean, cov = batch_condition(kf, [[4.0]])
    >>> mean, cov
    (array([2.]), array([[0.5]]))
    """
    Y, actions = check_instance(kf, KalmanFilter, "kf")._record(Y, actions)
    T, d, n = len(Y), len(kf.A), len(kf.C)
    # (s_1, ..., s_T) is affine in the independent e = (s_0 - m0, w_0, ..., w_{T-1}): states = M e + shift
    M, shift = np.zeros((T + 1, d, (T + 1) * d)), np.zeros((T + 1, d))
    M[0, :, :d], shift[0] = np.eye(d), kf.m0
    for t in range(T):
        M[t + 1] = kf.A @ M[t]
        M[t + 1, :, (t + 1) * d:(t + 2) * d] += np.eye(d)
        shift[t + 1] = kf.A @ shift[t] + kf.B @ actions[t]
    spread = np.kron(np.eye(T + 1), kf.Sigma_s)
    spread[:d, :d] = kf.P0
    H = np.vstack([M[T], np.einsum("ij,tjk->tik", kf.C, M[1:]).reshape(T * n, -1)])  # s_T and all observations
    mu = np.concatenate([shift[T], (shift[1:] @ kf.C.T).ravel()])
    Sigma = H @ spread @ H.T
    Sigma[d:, d:] += np.kron(np.eye(T), kf.Sigma_y)
    return gaussian_conditional(mu, Sigma, np.arange(d, d + T * n), Y.ravel())
