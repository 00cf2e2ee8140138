"""The perceptron: learning rule, convergence, pocket, voting and averaging, many classes, one-vs-rest and one-vs-one.

Functions take design matrices as they are and labels -1, +1; estimators add the bias themselves and take any labels.
"""

from mlcore.supervised.perceptron.averaging import (
    averaged_weights,
    brute_force_average,
    survival_counts,
    voted_scores,
)
from mlcore.supervised.perceptron.convergence import (
    Bound,
    flats,
    invariant_radii,
    margin,
    online_bound,
    perceptron_bound,
    widest_direction,
)
from mlcore.supervised.perceptron.estimators import (
    AveragedPerceptron,
    MulticlassPerceptron,
    Perceptron,
    PocketPerceptron,
    VotedPerceptron,
)
from mlcore.supervised.perceptron.learning import (
    Run,
    perceptron,
    perceptron_step,
    signed_distance,
    weight_path,
)
from mlcore.supervised.perceptron.multiclass import (
    MulticlassRun,
    joint_features,
    kesler_vectors,
    multiclass_perceptron,
)
from mlcore.supervised.perceptron.pocket import PocketRun, pocket
from mlcore.supervised.perceptron.reductions import OneVsOne, OneVsRest, binary_score

__all__ = [
    "AveragedPerceptron", "Bound", "MulticlassPerceptron", "MulticlassRun", "OneVsOne", "OneVsRest", "Perceptron",
    "PocketPerceptron", "PocketRun", "Run", "VotedPerceptron", "averaged_weights", "binary_score", "brute_force_average",
    "flats", "invariant_radii", "joint_features", "kesler_vectors", "margin", "multiclass_perceptron", "online_bound",
    "perceptron", "perceptron_bound", "perceptron_step", "pocket", "signed_distance", "survival_counts", "voted_scores",
    "weight_path", "widest_direction",
]
