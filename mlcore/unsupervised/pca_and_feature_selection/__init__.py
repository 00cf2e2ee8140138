"""PCA, locality preserving projection and feature selection (chapter unsupervised/pca_and_feature_selection).

``principal`` holds PCA, ``choosing`` the number of components, ``locality`` LPP; ``filters`` score features one at a
time, ``wrapper`` removes them by refitting a model. Lasso and ridge, the embedded methods, are those of
:mod:`mlcore.supervised.ridge_lasso_polynomial`.
"""

from mlcore.unsupervised.pca_and_feature_selection.choosing import (
    components_for_share,
    cross_validated_errors,
    left_out_residuals,
    permutation_threshold,
)
from mlcore.unsupervised.pca_and_feature_selection.filters import (
    ChiSquare,
    SelectBest,
    VarianceFilter,
    chi_square_counts,
    chi_square_features,
    chi_square_table,
    correlations,
    mutual_information_scores,
)
from mlcore.unsupervised.pca_and_feature_selection.locality import LPP, heat_graph, locality_directions, locality_objective
from mlcore.unsupervised.pca_and_feature_selection.principal import (
    PCA,
    fix_signs,
    power_iteration,
    principal_axes,
    projected_variance,
    randomized_axes,
    reconstruction_error,
)
from mlcore.unsupervised.pca_and_feature_selection.wrapper import RFE

__all__ = [
    "LPP", "PCA", "RFE", "ChiSquare", "SelectBest", "VarianceFilter", "chi_square_counts", "chi_square_features", "chi_square_table",
    "components_for_share", "correlations", "cross_validated_errors", "fix_signs", "heat_graph", "left_out_residuals",
    "locality_directions", "locality_objective", "mutual_information_scores", "permutation_threshold", "power_iteration",
    "principal_axes", "projected_variance", "randomized_axes", "reconstruction_error",
]
