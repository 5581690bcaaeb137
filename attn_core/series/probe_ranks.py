"""What is kept of a head's similarity matrix from step to step: its pairs by rank, in two bytes each."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from attn_core.errors import InputError, TextError
from attn_core.models.head_outputs import HeadOutputs, as_array
from attn_core.numerics.ranks import ranks
from attn_core.similarity.context_similarity import context_similarity
from attn_core.similarity.strong_pairs import Settings
from attn_core.texts.documents import read_document
from attn_core.texts.passages import Layout, Passage, read_passages

LEAST_TOKENS = 16  # as a study asks of a text
MOST_TOKENS = 256  # doubled ranks of more pairs do not fit two bytes


def read_probe(text: str, tokenizer: Any, tokens: int, layout: Layout, language: str) -> Passage:
    """The first window of a text, of at most so many tokens. Raises TextError where it has fewer than `LEAST_TOKENS`.

    Raises InputError for more tokens than `MOST_TOKENS`.
    """
    if tokens > MOST_TOKENS:
        raise InputError(f"A probe has at most {MOST_TOKENS} tokens, not {tokens:,}.")
    passage = read_passages(read_document(text, language), tokenizer, tokens, layout)[0]
    if len(passage) < LEAST_TOKENS:
        raise TextError(f"A probe needs {LEAST_TOKENS} tokens at least, and this text has {len(passage)}.")
    return passage


def rank_pairs(windows: Iterable[tuple[Passage, HeadOutputs]], settings: Settings) -> tuple[np.ndarray, ...]:
    """Twice the rank, from 1, of every pair i < j that may pair, (layer, head, pair) uint16 for each window.

    windows: as of `in_unit`. Pairs stand in the order of `numpy.triu_indices`; equal values share the mean of their ranks.
    """
    ranked = []
    for passage, output in windows:
        similarity = as_array(context_similarity(output.z, settings.measure))
        may_pair = np.flatnonzero(settings.with_special | ~passage.is_special)
        i, j = (may_pair[end] for end in np.triu_indices(len(may_pair), k=1))
        ranked.append((2 * ranks(similarity[..., i, j]) + 2).astype(np.uint16))
    return tuple(ranked)
