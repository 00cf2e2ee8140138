"""Independent component analysis (chapter unsupervised/ica): one file per topic, all names importable from here.

``likelihood`` holds the gradient methods, ``stability`` tells which sources a prior can separate, ``fixed_point`` is
FastICA, ``measures`` judges a separation, ``sound`` makes the voices of the cocktail party audible. Whitening is that of
:class:`mlcore.unsupervised.pca_and_feature_selection.PCA`.
"""

from mlcore.unsupervised.ica.fixed_point import CONTRASTS, FastICA, decorrelate, fastica_deflation, fastica_symmetric
from mlcore.unsupervised.ica.likelihood import (
    LikelihoodICA,
    likelihood_gradient,
    log_likelihood,
    natural_step,
    score,
    source_log_density,
    stochastic_epoch,
    stochastic_step,
)
from mlcore.unsupervised.ica.measures import amari_distance, excess_kurtosis, match_sources, negentropy
from mlcore.unsupervised.ica.sound import make_voices, players, wav_bytes
from mlcore.unsupervised.ica.stability import equilibrium_scale, stability_index, switching_signs

__all__ = [
    "CONTRASTS", "FastICA", "LikelihoodICA", "amari_distance", "decorrelate", "equilibrium_scale", "excess_kurtosis",
    "fastica_deflation", "fastica_symmetric", "likelihood_gradient", "log_likelihood", "make_voices", "match_sources",
    "natural_step", "negentropy", "players", "score", "source_log_density", "stability_index", "stochastic_epoch",
    "stochastic_step", "switching_signs", "wav_bytes",
]
