"""Control beside scipy."""

import numpy as np
from scipy import linalg

from tools.bench.data import gap, growing
from tools.bench.measure import case


@case("discrete Riccati equation", "mlcore.control.lqr_and_lqg.dare_fixed_point", "scipy.linalg.solve_discrete_are", 10,
      growing("d", 4, 16, 64))
def riccati(d):
    from mlcore.control.lqr_and_lqg import dare_fixed_point

    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(d, d)), rng.normal(size=(d, max(d // 2, 1)))
    A *= 0.95 / np.abs(np.linalg.eigvals(A)).max()
    U, W = np.eye(d), np.eye(B.shape[1])
    return lambda: -dare_fixed_point(A, B, U, W).Phi, lambda: linalg.solve_discrete_are(A, B, U, W), gap
