"""Nearest neighbors, kernel smoothing and kernel density estimation.

``kernels`` holds the windows and their constants, ``search`` finds neighbors, ``neighbors`` averages or counts
them, ``smoothing`` fits local constants and local lines, ``density`` estimates densities.
"""

from mlcore.supervised.neighbors_and_kernel_regression.density import KernelDensity, log_kernel_density, loo_log_likelihood
from mlcore.supervised.neighbors_and_kernel_regression.kernels import KERNELS, kernel_moment, kernel_profile, smoothing_constants
from mlcore.supervised.neighbors_and_kernel_regression.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    knn_loo_errors,
    vote,
)
from mlcore.supervised.neighbors_and_kernel_regression.search import KDTree, k_nearest
from mlcore.supervised.neighbors_and_kernel_regression.smoothing import (
    KernelRegression,
    bandwidth_grid,
    loo_error,
    loo_fit,
    loo_shortcut,
    smooth,
    smoother_matrix,
)

__all__ = ["KERNELS", "KDTree", "KNeighborsClassifier", "KNeighborsRegressor", "KernelDensity", "KernelRegression", "bandwidth_grid",
           "k_nearest", "kernel_moment", "kernel_profile", "knn_loo_errors", "log_kernel_density", "loo_error", "loo_fit",
           "loo_log_likelihood", "loo_shortcut", "smooth", "smoother_matrix", "smoothing_constants", "vote"]
