"""Data and tasks (chapter foundations/data_and_tasks): files, splits, baselines, the learned threshold, error measures."""

from mlcore.base import r2_score
from mlcore.foundations.data_and_tasks.baselines import ConstantRegressor, MajorityClassifier
from mlcore.foundations.data_and_tasks.comma_separated import load_csv, save_csv
from mlcore.foundations.data_and_tasks.files import DataFormatError
from mlcore.foundations.data_and_tasks.libsvm import LibsvmData, load_libsvm, save_libsvm
from mlcore.foundations.data_and_tasks.measures import (
    BinaryCounts,
    accuracy,
    binary_counts,
    confusion_matrix,
    f1,
    mean_absolute_error,
    mean_squared_error,
    precision,
    precision_from_rates,
    recall,
)
from mlcore.foundations.data_and_tasks.ranking import RocCurve, auc, roc_curve
from mlcore.foundations.data_and_tasks.splits import split_rows, train_test_split
from mlcore.foundations.data_and_tasks.thresholds import Threshold, ThresholdClassifier, best_threshold, threshold_costs

__all__ = [
    "BinaryCounts", "ConstantRegressor", "DataFormatError", "LibsvmData", "MajorityClassifier", "RocCurve", "Threshold",
    "ThresholdClassifier", "accuracy", "auc", "best_threshold", "binary_counts", "confusion_matrix", "f1", "load_csv", "load_libsvm",
    "mean_absolute_error", "mean_squared_error", "precision", "precision_from_rates", "r2_score", "recall", "roc_curve",
    "save_csv", "save_libsvm", "split_rows", "threshold_costs", "train_test_split",
]
