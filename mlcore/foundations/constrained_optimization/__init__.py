"""Constrained optimization: KKT conditions, duality, quadratic programs, projections and penalties."""

from mlcore.foundations.constrained_optimization.penalty import (
    PenaltyRound,
    augmented_lagrangian,
    augmented_lagrangian_value,
    quadratic_penalty,
    update_multipliers,
)
from mlcore.foundations.constrained_optimization.problem import (
    KKTResiduals,
    Problem,
    dual_on_points,
    kkt_residuals,
    lagrangian,
    lagrangian_gradient,
)
from mlcore.foundations.constrained_optimization.projection import (
    Descent,
    project_ball,
    project_box,
    project_halfspace,
    project_simplex,
    projected_gradient,
)
from mlcore.foundations.constrained_optimization.quadratic import (
    QPResult,
    qp_dual_value,
    quadratic_problem,
    solve_equality_qp,
    solve_qp,
)

__all__ = [
    "Descent", "KKTResiduals", "PenaltyRound", "Problem", "QPResult", "augmented_lagrangian", "augmented_lagrangian_value",
    "dual_on_points", "kkt_residuals", "lagrangian", "lagrangian_gradient", "project_ball", "project_box",
    "project_halfspace", "project_simplex", "projected_gradient", "qp_dual_value", "quadratic_penalty",
    "quadratic_problem", "solve_equality_qp", "solve_qp", "update_multipliers",
]
