"""Support vector machines: margins, the dual and its KKT conditions, SMO, Pegasos, dual coordinate descent, SVC and SVR.

Functions take labels -1 and +1; the estimators take any two labels.
"""

from mlcore.supervised.support_vector_machines.estimators import SVC, SVR
from mlcore.supervised.support_vector_machines.linear import (
    Descent,
    LinearSVC,
    dual_coordinate_descent,
    dual_interior_point,
    pegasos,
    subgradient_descent,
)
from mlcore.supervised.support_vector_machines.margins import (
    functional_margins,
    geometric_margins,
    slacks,
    soft_margin_objective,
    soft_margin_subgradient,
)
from mlcore.supervised.support_vector_machines.pairs import (
    PairStep,
    SMOResult,
    choose_pair,
    clip_bounds,
    offset_after,
    pair_optimum,
    smo,
)
from mlcore.supervised.support_vector_machines.programs import (
    DualSolution,
    can_move,
    choose_offset,
    dual_objective,
    hard_margin_primal,
    kkt_violations,
    offset_interval,
    primal_objective,
    solve_dual,
)
from mlcore.supervised.support_vector_machines.solver import BoxResult, GramRows, solve_box

__all__ = [
    "SVC", "SVR", "BoxResult", "Descent", "DualSolution", "GramRows", "LinearSVC", "PairStep", "SMOResult", "can_move",
    "choose_offset", "choose_pair", "clip_bounds", "dual_coordinate_descent", "dual_interior_point", "dual_objective", "functional_margins",
    "geometric_margins", "hard_margin_primal", "kkt_violations", "offset_after", "offset_interval", "pair_optimum", "pegasos",
    "primal_objective", "slacks", "smo", "soft_margin_objective", "soft_margin_subgradient", "solve_box", "solve_dual",
    "subgradient_descent",
]
