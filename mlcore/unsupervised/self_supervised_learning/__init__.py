"""Self-supervised learning: contrastive pretraining, adaptation, language models, decoding, learning in context.

Networks are Modules of :mod:`mlcore.deep.neural_networks`. A language model is a callable from tokens (n, T) to logits
(n, T, V) with the attributes ``n_words`` and ``context``; :class:`BigramModel` and :class:`TinyTransformer` are two.
"""

from mlcore.unsupervised.self_supervised_learning.adaptation import (
    UnitLength,
    accuracy,
    few_labels,
    fine_tune,
    linear_probe,
    make_encoder,
    with_head,
)
from mlcore.unsupervised.self_supervised_learning.contrastive import (
    augment,
    contrastive_pretrain,
    printed_contrastive_loss,
    scatter_on_canvas,
    simclr_loss,
    simclr_loss_gradient,
)
from mlcore.unsupervised.self_supervised_learning.decoding import draw, generate, keep_nucleus, keep_top_k, score_options, tempered
from mlcore.unsupervised.self_supervised_learning.in_context import (
    InContextLearner,
    best_rate,
    descent_matrices,
    linear_attention,
    regression_prompts,
    ridge_in_context,
    train_in_context,
)
from mlcore.unsupervised.self_supervised_learning.language import BigramModel, all_logits, bigram_counts, perplexity, token_log_probs
from mlcore.unsupervised.self_supervised_learning.text import DIARY, WordTokenizer, check_ids, diary_split
from mlcore.unsupervised.self_supervised_learning.transformer import (
    Block,
    SelfAttention,
    TinyTransformer,
    causal_attention,
    language_loss,
    train_language_model,
)

__all__ = [
    "DIARY", "BigramModel", "Block", "InContextLearner", "SelfAttention", "TinyTransformer", "UnitLength", "WordTokenizer",
    "accuracy", "all_logits", "augment", "best_rate", "bigram_counts", "causal_attention", "check_ids", "contrastive_pretrain",
    "descent_matrices", "diary_split", "draw", "few_labels", "fine_tune", "generate", "keep_nucleus", "keep_top_k",
    "language_loss", "linear_attention", "linear_probe", "make_encoder", "perplexity", "printed_contrastive_loss",
    "regression_prompts", "ridge_in_context", "scatter_on_canvas", "score_options", "simclr_loss", "simclr_loss_gradient",
    "tempered", "token_log_probs", "train_in_context", "train_language_model", "with_head",
]
