"""The mathematics that the chapters share; later chapters import these functions from here and nowhere else.

Log-space functions are in :mod:`.stable`, block matrices and factorizations in :mod:`.linear_algebra`, numerical
derivatives in :mod:`.calculus`, entropies in :mod:`.information`, the multivariate Gaussian in :mod:`.gaussian`,
maximum-entropy densities in :mod:`.variations`, graphs and Markov chains in :mod:`.graphs`.
"""

from mlcore.foundations.mathematics.calculus import STEP, gradient_error, numerical_gradient
from mlcore.foundations.mathematics.gaussian import (
    gaussian_affine,
    gaussian_conditional,
    gaussian_ellipse,
    gaussian_entropy,
    gaussian_joint,
    gaussian_kl,
    gaussian_marginal,
    gaussian_product,
    log_gaussian,
    sample_gaussian,
    squared_mahalanobis,
    whiten,
)
from mlcore.foundations.mathematics.graphs import (
    connected_components,
    dijkstra,
    laplacian,
    maximal_cliques,
    shortest_path,
    stationary_distribution,
    topological_order,
)
from mlcore.foundations.mathematics.information import (
    conditional_entropy,
    cross_entropy,
    entropy,
    kl_divergence,
    mutual_information,
)
from mlcore.foundations.mathematics.linear_algebra import (
    block_determinant,
    block_inverse,
    cholesky_factor,
    plane_distance,
    schur_complement,
    sorted_eigh,
    woodbury_logdet,
    woodbury_solve,
)
from mlcore.foundations.mathematics.stable import log_sigmoid, log_softmax, logsumexp, sigmoid, softmax
from mlcore.foundations.mathematics.variations import maximum_entropy_density

__all__ = [
    "STEP", "block_determinant", "block_inverse", "cholesky_factor", "conditional_entropy", "connected_components", "cross_entropy",
    "dijkstra", "entropy", "gaussian_affine", "gaussian_conditional", "gaussian_ellipse", "gaussian_entropy", "gaussian_joint",
    "gaussian_kl", "gaussian_marginal", "gaussian_product", "gradient_error", "kl_divergence", "laplacian", "log_gaussian",
    "log_sigmoid", "log_softmax", "logsumexp", "maximal_cliques", "maximum_entropy_density", "mutual_information",
    "numerical_gradient", "plane_distance", "sample_gaussian", "schur_complement", "shortest_path", "sigmoid", "softmax",
    "sorted_eigh", "squared_mahalanobis", "stationary_distribution", "topological_order", "whiten", "woodbury_logdet",
    "woodbury_solve",
]
