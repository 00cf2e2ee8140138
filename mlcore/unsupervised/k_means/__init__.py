"""k-means and its relatives (chapter unsupervised/k_means): one file per topic, all names importable from here."""

from mlcore.unsupervised.k_means.bounds import elkan
from mlcore.unsupervised.k_means.choosing import Gap, distortion_curve, gap_statistic
from mlcore.unsupervised.k_means.distances import KMedians, mahalanobis, minkowski, mixed_distance, value_difference
from mlcore.unsupervised.k_means.fuzzy import FuzzyKMeans, fuzzy_centers, memberships
from mlcore.unsupervised.k_means.iteration import KMeans, assign, distortion, lloyd, lloyd_steps, move, refill_empty
from mlcore.unsupervised.k_means.kernel import KernelKMeans, feature_distances, kernel_lloyd
from mlcore.unsupervised.k_means.quality import (
    adjusted_rand_index,
    contingency,
    davies_bouldin,
    dunn_index,
    fowlkes_mallows,
    jaccard_index,
    normalized_mutual_information,
    pair_counts,
    purity,
    rand_index,
    silhouette_samples,
    silhouette_score,
)
from mlcore.unsupervised.k_means.seeding import farthest_first, kmeans_parallel, kmeans_plus_plus, random_seeding
from mlcore.unsupervised.k_means.som import SelfOrganizingMap, lattice, som_step

__all__ = [
    "FuzzyKMeans", "Gap", "KMeans", "KMedians", "KernelKMeans", "SelfOrganizingMap",
    "adjusted_rand_index", "assign", "contingency", "davies_bouldin", "distortion", "distortion_curve", "dunn_index", "elkan",
    "farthest_first", "feature_distances", "fowlkes_mallows", "fuzzy_centers", "gap_statistic", "jaccard_index",
    "kernel_lloyd", "kmeans_parallel", "kmeans_plus_plus", "lattice", "lloyd", "lloyd_steps", "mahalanobis", "memberships",
    "minkowski", "mixed_distance", "move", "normalized_mutual_information", "pair_counts", "purity", "rand_index",
    "random_seeding", "refill_empty", "silhouette_samples", "silhouette_score", "som_step", "value_difference",
]
