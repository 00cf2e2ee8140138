"""Kernel methods: kernels and their Gram matrices, explicit feature maps, kernel LMS, ridge and perceptron, string kernels.

``resolve_kernel`` turns a name or a function into a checked kernel K(X, Z); ``check_gram`` refuses a matrix that is no Gram
matrix. Functions of :mod:`algorithms` take the Gram matrix; estimators compute it and keep the fitted rows.
"""

from mlcore.supervised.kernel_methods.algorithms import (
    KernelRun,
    kernel_lms,
    kernel_lms_step,
    kernel_perceptron,
    kernel_ridge,
    loo_residuals,
    max_kernel_step,
)
from mlcore.supervised.kernel_methods.estimators import KernelLMS, KernelPerceptron, KernelRidge
from mlcore.supervised.kernel_methods.gram import (
    check_gram,
    gram_features,
    gram_spectrum,
    is_psd,
    kernel_product,
    kernel_scaled,
    kernel_sum,
)
from mlcore.supervised.kernel_methods.kernels import (
    check_kernel,
    gaussian_kernel,
    linear_kernel,
    polynomial_kernel,
    resolve_kernel,
    squared_distances,
)
from mlcore.supervised.kernel_methods.maps import gaussian_series_map, monomial_map, n_monomials, tensor_features
from mlcore.supervised.kernel_methods.strings import load_sentences, mismatch_kernel, neighborhood, spectrum_kernel, substrings

__all__ = [
    "KernelLMS", "KernelPerceptron", "KernelRidge", "KernelRun", "check_gram", "check_kernel", "gaussian_kernel",
    "gaussian_series_map", "gram_features", "gram_spectrum", "is_psd", "kernel_lms", "kernel_lms_step", "kernel_perceptron",
    "kernel_product", "kernel_ridge", "kernel_scaled", "kernel_sum", "linear_kernel", "load_sentences", "loo_residuals",
    "max_kernel_step", "mismatch_kernel", "monomial_map", "n_monomials", "neighborhood", "polynomial_kernel",
    "resolve_kernel", "spectrum_kernel", "squared_distances", "substrings", "tensor_features",
]
