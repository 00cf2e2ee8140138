"""Every estimator under bad input, and at scales that no other test reaches."""

import numpy as np
import pytest

from fuzz.checking import check_object, labels
from fuzz.outcome import difference, run, unclear
from fuzz.strategies import SCALES
from fuzz.trials import trials

ESTIMATORS = labels("estimator")
# What becomes of the predictions when the features are multiplied by c: the power of c. All others depend on the scale by definition
# (a penalty, a bandwidth, a threshold or an intercept that is not rescaled).
FEATURES = {
    "predict": {0: "ConstantRegressor MajorityClassifier ThresholdClassifier MinNormRegression CategoricalGLM GeneralizedLinearModel "
                   "BernoulliNB CategoricalNB FisherDiscriminant GaussianDiscriminant GaussianNB LMSRegression LinearRegression "
                   "RobustRegression KNeighborsClassifier KNeighborsRegressor KernelRegression BasisRegression FuzzyKMeans KMeans "
                   "KMedians SelfOrganizingMap"},
    "transform": {0: "FisherDiscriminant Standardizer FastICA LikelihoodICA LPP",
                  1: "RandomReLUFeatures CorrelationScreen KMeans PCA RFE SelectBest VarianceFilter"},
}
# The targets times c: all predictions of these are multiplied by c.
TARGETS = ("MLPRegressor ConstantRegressor MinNormRegression Chain GeneralizedLinearModel KernelLMS KernelRidge LMSRegression "
           "LinearRegression LocallyWeightedRegression KNeighborsRegressor KernelRegression BasisRegression Ridge")


def by_name(names):
    return [label for label in ESTIMATORS if label.rpartition(".")[2] in names.split()]


def check_power(label, method, power, scaled, c):
    """A clear error, or the answer of the valid call times c^power."""
    tried = trials(label)
    got = run(tried.function, tried.fresh(**{name: tried.arguments[name] * c for name in scaled}))
    if got.error:
        assert not unclear(got.error), got.said
        return
    answer = got.answer[f".{method}()"]
    if power:
        answer = answer * c**-power
    assert not difference({"": tried.valid.answer[f".{method}()"]}, {"": answer}, 1e-6)


@pytest.mark.parametrize("label", ESTIMATORS)
def test_bad_input_gets_a_clear_error_or_a_right_answer(label):
    check_object(label)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("method, power, label", [(method, power, label) for method, powers in FEATURES.items()
                                                  for power, names in powers.items() for label in by_name(names)])
def test_predictions_follow_the_scale_of_the_features(method, power, label, scale):
    check_power(label, method, power, ("X", "queries"), SCALES[scale])


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("label", by_name(TARGETS))
def test_predictions_follow_the_scale_of_the_targets(label, scale):
    check_power(label, "predict", 1, ("y",), SCALES[scale])


@np.errstate(over="ignore", invalid="ignore")  # multipliers beyond the largest number are infinite
def test_a_quadratic_program_follows_its_units():
    from mlcore.foundations.constrained_optimization import solve_qp

    G, h, q = np.array([[1.0, 2.0], [3.0, 1.0], [-1.0, 0.5]]), np.array([1.0, 2.0, 0.25]), np.array([-2.0, -3.0])
    x, nearest = solve_qp(np.eye(2), q, G, h).x, solve_qp(np.eye(2), np.zeros(2), -np.abs(G), -h).x
    for c in (*SCALES.values(), 2.0**-60, 2.0**-300):
        np.testing.assert_allclose(solve_qp(np.eye(2), c * q, G, c * h).x / c, x, rtol=1e-7)
        np.testing.assert_allclose(solve_qp(np.eye(2), np.zeros(2), -c * np.abs(G), -h).x * c, nearest, rtol=1e-7)
