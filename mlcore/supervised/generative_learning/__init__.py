"""Generative classifiers: Gaussian discriminant analysis, naive Bayes, and Fisher's discriminant.

Each learns p(x | y) and p(y) and classifies by Bayes' rule, in log space.
"""

from mlcore.supervised.generative_learning.bayes import log_posterior
from mlcore.supervised.generative_learning.categorical import CategoricalNB
from mlcore.supervised.generative_learning.comparison import learning_curve
from mlcore.supervised.generative_learning.fisher import (
    FisherDiscriminant,
    between_scatter,
    fisher_criterion,
    fisher_direction,
)
from mlcore.supervised.generative_learning.gaussian import (
    GaussianDiscriminant,
    class_covariances,
    class_means,
    gda_log_joint,
    gda_log_likelihood,
    linear_scores,
    logistic_parameters,
    pooled_covariance,
    within_scatter,
)
from mlcore.supervised.generative_learning.naive_bayes import (
    BernoulliNB,
    GaussianNB,
    MultinomialNB,
    discretize,
    laplace_smooth,
)
from mlcore.supervised.generative_learning.text import Vocabulary, load_messages, tokenize

__all__ = [
    "BernoulliNB", "CategoricalNB", "FisherDiscriminant", "GaussianDiscriminant", "GaussianNB", "MultinomialNB", "Vocabulary",
    "between_scatter", "class_covariances", "class_means", "discretize", "fisher_criterion", "fisher_direction", "gda_log_joint",
    "gda_log_likelihood", "laplace_smooth", "learning_curve", "linear_scores", "load_messages", "log_posterior",
    "logistic_parameters", "pooled_covariance", "tokenize", "within_scatter",
]
