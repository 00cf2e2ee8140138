"""Learning theory: Hoeffding, dichotomies and growth functions, the VC bound (chapter generalization/learning_theory)."""

from mlcore.generalization.learning_theory.bounds import (
    GROWTH_FORMS,
    SampleSize,
    bounding_table,
    largest_family,
    log_growth_bound,
    perceptron_growth,
    sauer_sum,
    union_vc_bound,
    vc_probability,
    vc_radius,
    vc_sample_size,
)
from mlcore.generalization.learning_theory.concentration import (
    bin_model,
    binomial_tail,
    coin_experiment,
    ghost_gap_of_rays,
    hoeffding_bound,
    hoeffding_radius,
    hoeffding_sample_size,
    sup_gap_of_rays,
)
from mlcore.generalization.learning_theory.dichotomies import (
    all_labelings,
    convex_dichotomies,
    distinct,
    interval_dichotomies,
    line_dichotomies,
    perceptron_dichotomies,
    ray_dichotomies,
    shatters,
    sign_change_dichotomies,
    vc_dimension,
)
from mlcore.generalization.learning_theory.erm import (
    SignChanges,
    acceptance_threshold,
    consistent_targets,
    fit_sign_changes,
    ideal_target,
    noisy_error,
    weighted_error,
)
from mlcore.generalization.learning_theory.separation import linearly_separable, radon_labeling, separating_hyperplane

__all__ = [
    "GROWTH_FORMS", "SampleSize", "SignChanges", "acceptance_threshold", "all_labelings", "bin_model", "binomial_tail",
    "bounding_table", "coin_experiment", "consistent_targets", "convex_dichotomies", "distinct", "fit_sign_changes",
    "ghost_gap_of_rays", "hoeffding_bound", "hoeffding_radius", "hoeffding_sample_size", "ideal_target",
    "interval_dichotomies", "largest_family", "line_dichotomies", "linearly_separable", "log_growth_bound", "noisy_error",
    "perceptron_dichotomies", "perceptron_growth", "radon_labeling", "ray_dichotomies", "sauer_sum",
    "separating_hyperplane", "shatters", "sign_change_dichotomies", "sup_gap_of_rays", "union_vc_bound", "vc_dimension",
    "vc_probability", "vc_radius", "vc_sample_size", "weighted_error",
]
