"""Synthetic data with a planted truth; every function takes ``rng`` (None, an int or a Generator)."""

import numpy as np

from mlcore.base import check_array, check_number, check_rng


def make_linear(n=100, coef=(1.0, 2.0), noise=1.0, rng=None):
    """Rows x ~ N(0, I) and y = coef . x + noise * N(0, 1); returns X (n, d), y (n,).

    >>> X, y = make_linear(n=4, coef=(1.0, -1.0), noise=0.0, rng=0)
    >>> bool(np.allclose(y, X[:, 0] - X[:, 1]))
    True
    """
    rng = check_rng(rng)
    check_number(n, "n", low=1, integer=True)
    check_number(noise, "noise", low=0)
    coef = check_array(coef, name="coef", ndim=1)
    X = rng.normal(size=(n, len(coef)))
    return X, X @ coef + noise * rng.normal(size=n)


def make_portland_like(n=47, rng=None):
    """Houses drawn from a linear model with the size, spread and noise of the Portland table."""
    rng = check_rng(rng)
    check_number(n, "n", low=1, integer=True)
    area = np.clip(rng.gamma(6.5, 308, size=n), 800, 4600)
    bedrooms = np.clip(np.round(2.1 + 5.4e-4 * area + rng.normal(0, 0.62, size=n)), 1, 5)
    price = 89.6 + 0.1392 * area - 8.738 * bedrooms + rng.normal(0, 64, size=n)
    return np.column_stack([np.round(area), bedrooms]), price


def make_blobs(n=150, centers=((-2.0, 0.0), (2.0, 0.0), (0.0, 3.0)), spread=0.6, rng=None):
    """Round Gaussian clusters of (nearly) equal size; returns X (n, d) and the cluster of each row.

    ``spread`` is one standard deviation, or one per center.
    """
    rng = check_rng(rng)
    centers = check_array(centers, name="centers")
    check_number(n, "n", low=len(centers), integer=True)
    z = np.arange(n) % len(centers)
    spread = check_array(spread, name="spread", ndim=None)
    if spread.shape not in ((), (len(centers),)) or (spread < 0).any():
        raise ValueError(f"spread must be a number >= 0, or one for each of the {len(centers)} centers, got {spread.tolist()}.")
    spread = np.broadcast_to(spread, len(centers))
    return centers[z] + spread[z, None] * rng.normal(size=(n, centers.shape[1])), z


def make_moons(n=150, noise=0.1, rng=None):
    """Two interleaved half circles; returns X (n, 2) and which moon each row is on."""
    rng = check_rng(rng)
    check_number(n, "n", low=2, integer=True)
    check_number(noise, "noise", low=0)
    z = np.arange(n) % 2
    angle = np.pi * rng.uniform(size=n)
    X = np.where(z[:, None] == 0, np.column_stack([np.cos(angle), np.sin(angle)]),
                 np.column_stack([1 - np.cos(angle), 0.5 - np.sin(angle)]))
    return X + noise * rng.normal(size=(n, 2)), z


def make_rings(n=150, radii=(1.0, 2.5), noise=0.1, rng=None):
    """Concentric circles; returns X (n, 2) and the circle of each row."""
    rng = check_rng(rng)
    radii = check_array(radii, name="radii", ndim=1)
    check_number(n, "n", low=len(radii), integer=True)
    check_number(noise, "noise", low=0)
    z = np.arange(n) % len(radii)
    angle = 2 * np.pi * rng.uniform(size=n)
    radius = radii[z]
    X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return X + noise * rng.normal(size=(n, 2)), z
