"""Where do heads attend? The attention weight that separator tokens receive, against their share of the tokens."""

from collections.abc import Callable

import numpy as np

from attn_core.measures.tally import Count, Window
from attn_core.texts.passages import Passage

Kind = Callable[[Passage], np.ndarray]  # which tokens of a passage are meant, (N,) bool


def separators(passage: Passage) -> np.ndarray:
    """[SEP] (or the tokenizer's own) and sentence-final punctuation."""
    return passage.is_separator


def special_separators(passage: Passage) -> np.ndarray:
    """[SEP] alone."""
    return passage.is_separator & passage.is_special


def punctuation(passage: Passage) -> np.ndarray:
    """Sentence-final punctuation alone."""
    return passage.is_separator & ~passage.is_special


def attention_to(kind: Kind) -> Callable[[Window], Count]:
    """The attention weight on some tokens, mean over queries; windows weigh by their tokens.

    Queries are all tokens that the model read, the special ones among them. So it is over words too: a word receives what its
    tokens do, and [CLS] and [SEP], which are no words, attend like any other token.

    Chance is attention spread evenly over the tokens that a query may see: all of them, or, where the model is causal,
    those up to itself.
    """

    return lambda window: attention_on(kind(window.pairs.passage), window.received, window.output.even)


def attention_on(meant: np.ndarray, received: np.ndarray, even: np.ndarray) -> Count:
    """The same of some tokens, (N,) bool, by what each receives, (layer, head, N), and would evenly, (N,)."""
    tokens = len(meant)
    weight = received[..., meant].sum(axis=-1, dtype=np.float64)
    return Count(weight * tokens, float(even[meant].sum()) * tokens, tokens)
