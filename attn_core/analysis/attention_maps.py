"""Attention maps of the heads that somebody looks at: of a long window those of all heads would take gigabytes."""

from collections.abc import Sequence

import numpy as np

from attn_core.head import Head
from attn_core.models.head_outputs import as_array
from attn_core.models.records import LoadedModel
from attn_core.similarity.words import Unit, find_words
from attn_core.texts.passages import Passage


def attention_of(
    model: LoadedModel, passage: Passage, heads: Sequence[Head], unit: Unit = "tokens"
) -> list[np.ndarray]:
    """The attention map (query, key) of each of some heads, from one pass that keeps no other.

    Over words as `Words.attention` has it.
    """
    from attn_core.models.capture import attention_maps

    maps = attention_maps(model, passage, heads)
    if unit == "tokens":
        return [as_array(one) for one in maps]
    return list(find_words(passage).attention([one[None] for one in maps])[:, 0])
