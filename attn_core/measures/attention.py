"""Attention weight on separator tokens."""

from collections.abc import Callable

import numpy as np

from attn_core.measures.tally import Count, Window
from attn_core.texts.passages import Passage


def separators(passage: Passage) -> np.ndarray:
    """[SEP], or the tokenizer's own separator, and punctuation that ends a sentence."""
    return passage.is_separator


def special_separators(passage: Passage) -> np.ndarray:
    """[SEP] alone."""
    return passage.is_separator & passage.is_special


def punctuation(passage: Passage) -> np.ndarray:
    """Punctuation that ends a sentence, alone."""
    return passage.is_separator & ~passage.is_special


def attention_to(kind: Callable[[Passage], np.ndarray]) -> Callable[[Window], Count]:
    """The statistic of the attention weight on the tokens of a kind, mean over the queries of all windows.

    Queries are all tokens of the model, special ones included, also where pairs are of words. Chance: even attention
    over the tokens that a query may see; in a causal model, those up to itself.
    """

    def count(window: Window) -> Count:
        meant = kind(window.pairs.passage)
        weight = window.received[..., meant].sum(axis=-1, dtype=np.float64)
        even = window.output.even
        return Count(weight * len(meant), float(even[meant].sum()) * len(meant), len(meant))

    return count
