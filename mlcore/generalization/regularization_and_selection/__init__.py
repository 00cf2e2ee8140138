"""Regularization and model selection (chapter generalization/regularization_and_selection).

``splits``, ``validation`` and ``search`` cross-validate any estimator of mlcore; ``leave_out`` does it for ridge and
other linear smoothers without refitting. ``budget``, ``descent`` and ``diagonal`` hold what penalties, stopping and the
start of a descent do to the solution; ``snooping`` what selection does to an error estimate.
"""

from mlcore.generalization.regularization_and_selection.budget import BudgetFit, augmented_error, constrained_least_squares
from mlcore.generalization.regularization_and_selection.descent import (
    Stop,
    descent_coefficients,
    descent_filter,
    descent_limit,
    ridge_filter,
    stop_early,
)
from mlcore.generalization.regularization_and_selection.diagonal import (
    DiagonalRun,
    diagonal_descent,
    diagonal_limit,
    diagonal_potential,
)
from mlcore.generalization.regularization_and_selection.leave_out import RidgeLOO, fold_residuals, gcv_error, ridge_loo
from mlcore.generalization.regularization_and_selection.scoring import SCORERS, Scorer, get_scorer
from mlcore.generalization.regularization_and_selection.search import (
    Nested,
    Search,
    grid_search,
    nested_cross_validate,
    parameter_grid,
)
from mlcore.generalization.regularization_and_selection.snooping import Chain, CorrelationScreen, expected_minimum
from mlcore.generalization.regularization_and_selection.splits import k_fold, leave_one_out, shuffle_splits, stratified_k_fold
from mlcore.generalization.regularization_and_selection.validation import (
    CrossValidation,
    Curve,
    cross_predict,
    cross_validate,
    learning_curve,
    validation_curve,
)
from mlcore.supervised.neighbors_and_kernel_regression import loo_shortcut

__all__ = [
    "SCORERS", "BudgetFit", "Chain", "CorrelationScreen", "CrossValidation", "Curve", "DiagonalRun", "Nested", "RidgeLOO", "Scorer",
    "Search", "Stop", "augmented_error", "constrained_least_squares", "cross_predict", "cross_validate", "descent_coefficients",
    "descent_filter", "descent_limit", "diagonal_descent", "diagonal_limit", "diagonal_potential", "expected_minimum",
    "fold_residuals", "gcv_error", "get_scorer", "grid_search", "k_fold", "learning_curve", "leave_one_out", "loo_shortcut",
    "nested_cross_validate", "parameter_grid", "ridge_filter", "ridge_loo", "shuffle_splits", "stop_early", "stratified_k_fold",
    "validation_curve",
]
