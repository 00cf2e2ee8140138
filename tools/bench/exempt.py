"""Estimators without a case, and why: no reference library has the same algorithm."""

EXEMPT = {
    "ThresholdClassifier": "scikit-learn's stumps minimize impurity, not errors",
    "RandomReLUFeatures": "a random draw followed by one matrix product; scikit-learn's random features are of other kernels",
    "KernelLMS": "neither library has gradient descent in feature space",
    "KernelPerceptron": "neither library has it",
    "LMSRegression": "standardizes and then calls stochastic_gradient_descent, which has a case; batch descent is in neither library",
    "LocallyWeightedRegression": "neither library has it",
    "KernelRegression": "neither library has local means or local lines in several features",
    "MulticlassPerceptron": "scikit-learn's perceptron trains one class against the rest instead",
    "PocketPerceptron": "neither library has it",
    "VotedPerceptron": "neither library has it",
    "LikelihoodICA": "scikit-learn has FastICA alone, which has a case",
    "KMedians": "neither library has it",
    "FuzzyKMeans": "neither library has it",
    "KernelKMeans": "neither library has it",
    "SelfOrganizingMap": "neither library has it",
    "LPP": "neither library has it",
}
