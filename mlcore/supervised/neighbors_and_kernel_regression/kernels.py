"""Smoothing kernels: the windows that turn a distance into a weight, and the constants of their bias and variance."""

from typing import NamedTuple

import numpy as np
from scipy.integrate import quad
from scipy.special import gamma

from mlcore.base import check_number, check_option
from mlcore.takes import takes


class Kernel(NamedTuple):
    """A radial window: ``profile(u)`` at distance u >= 0 in bandwidths, 1 at u = 0 and 0 beyond ``support``."""

    profile: object
    support: float
    radial_integral: object
    """d -> integral of r^(d-1) profile(r) over r > 0, from which the normalizing constant follows."""

    def constant(self, d=1):
        """Return the factor that makes profile(|u|) integrate to 1 over R^d, eq-nk-normalizer."""
        sphere = 2 * np.pi ** (d / 2) / gamma(d / 2)
        return 1 / (sphere * self.radial_integral(d))


KERNELS = {
    "gaussian": Kernel(lambda u: np.exp(-0.5 * u**2), np.inf, lambda d: 2 ** (d / 2 - 1) * gamma(d / 2)),
    "epanechnikov": Kernel(lambda u: np.maximum(1 - u**2, 0), 1.0, lambda d: 1 / d - 1 / (d + 2)),
    "tricube": Kernel(lambda u: np.maximum(1 - u**3, 0) ** 3, 1.0, lambda d: 1 / d - 3 / (d + 3) + 3 / (d + 6) - 1 / (d + 9)),
    "boxcar": Kernel(lambda u: (u <= 1).astype(float), 1.0, lambda d: 1 / d),
}


def check_window(bandwidth, kernel):
    """Refuse a bandwidth that is not a positive number, and an unknown kernel."""
    check_number(bandwidth, "bandwidth", low=0, open_low=True)
    check_option(kernel, "kernel", tuple(KERNELS))


def log_gaussian(D2, bandwidth, out=None):
    """Logarithm of the Gaussian profile at squared distances D2; right even where the square of the bandwidth is out of range.

    ``out`` may be D2 itself, which is then overwritten.
    """
    with np.errstate(over="ignore"):  # a quotient beyond the largest number is -inf: the weight is 0
        twice = 2 * np.square(float(bandwidth))
        if np.finfo(float).tiny <= twice < np.inf:
            return np.divide(D2, -twice, out=out)
        return np.divide(np.divide(D2, -bandwidth, out=out), 2.0 * bandwidth, out=out)  # the square is out of range


@takes(u="any ...")
def kernel_profile(name, u):
    """Weight of a point at signed or unsigned distance u (in bandwidths), relative to a point at distance 0.

    >>> kernel_profile("epanechnikov", [0.0, 0.5, 2.0])
    array([1.  , 0.75, 0.  ])
    """
    check_option(name, "kernel", tuple(KERNELS))
    return KERNELS[name].profile(np.abs(u))


def kernel_moment(name, j, c=np.inf, power=1):
    """Return the integral of u^j K(u)^power over u >= -c, for the one-dimensional kernel K that integrates to 1.

    With ``c = inf`` these are the moments of the whole kernel; a finite c cuts it off at a boundary c bandwidths
    to the left of the query, eq-nk-moments.

    >>> round(kernel_moment("epanechnikov", 2), 6), round(kernel_moment("epanechnikov", 0, power=2), 6)
    (0.2, 0.6)
    """
    check_option(name, "kernel", tuple(KERNELS))
    check_number(j, "j", low=0, integer=True)
    check_number(power, "power", low=1, integer=True)
    if c != np.inf:
        check_number(c, "c", low=0)
    kernel = KERNELS[name]
    reach = min(kernel.support, 40.0)  # the Gaussian is 0 in double precision beyond 38.6 bandwidths
    breaks = [p for p in (-1.0, 0.0, 1.0) if -min(c, reach) < p < reach]
    edges = [-min(c, reach), *breaks, reach]
    density = lambda u: u**j * (kernel.constant() * kernel.profile(np.abs(np.asarray(u)))) ** power  # noqa: E731
    return float(sum(quad(density, a, b, epsabs=1e-13, epsrel=1e-12)[0] for a, b in zip(edges[:-1], edges[1:])))


def smoothing_constants(name, order, c=np.inf):
    """Leading constants of the bias and the variance of a kernel smoother, eq-nk-bias-nw to eq-nk-variance-ll.

    Returns (b1, b2, v): at a query c bandwidths inside the left end of the data,
    bias = b1 f' h + b2 f'' h^2 / 2 + ... and variance = v sigma^2 / (n h p). For order 0 (Nadaraya-Watson) in the
    interior the design adds h^2 b2 f' p' / p; for order 1 (local linear) b1 is zero everywhere.

    >>> [round(value, 3) for value in smoothing_constants("epanechnikov", order=0, c=0)]
    [0.375, 0.2, 1.2]
    """
    check_option(order, "order", (0, 1))
    m = [kernel_moment(name, j, c) for j in range(4)]
    r = [kernel_moment(name, j, c, power=2) for j in range(3)]
    if order == 0:
        return (m[1] / m[0] if np.isfinite(c) else 0.0), m[2] / m[0], r[0] / m[0] ** 2
    det = m[0] * m[2] - m[1] ** 2
    variance = (m[2] ** 2 * r[0] - 2 * m[1] * m[2] * r[1] + m[1] ** 2 * r[2]) / det**2
    return 0.0, (m[2] ** 2 - m[1] * m[3]) / det, variance
