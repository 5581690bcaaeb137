"""What is kept of a head's similarity matrix from step to step: its pairs by rank, in two bytes each; and its drift."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from attn_core.errors import InputError, TextError
from attn_core.measures.frames import head_frame, with_chance
from attn_core.models.head_outputs import HeadOutputs, as_array
from attn_core.numerics.pairs import pairs_among, permuted_pairs
from attn_core.numerics.ranks import correlation, ranks
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

    windows: passages and their head outputs. Pairs stand in the order of `numerics.pairs`; equal values share the mean of
    their ranks.
    """
    ranked = []
    for passage, output in windows:
        similarity = as_array(context_similarity(output.z, settings.measure))
        may_pair = np.flatnonzero(settings.with_special | ~passage.is_special)
        i, j = pairs_among(may_pair)
        ranked.append((2 * ranks(similarity[..., i, j]) + 2).astype(np.uint16))
    return tuple(ranked)


Ranks = Sequence[np.ndarray]  # (layer, head, pair) for each window


def drift_table(numbers: Sequence[int], ranks: Sequence[Ranks]) -> pd.DataFrame:
    """One row a step and head: step, layer, head, drift, chance_drift. numbers, ranks: of the steps, the last one last."""
    last = ranks[-1]
    shuffled = [_tokens_shuffled(window) for window in last]
    layers, heads, _ = last[0].shape
    tables = []
    for number, step in zip(numbers, ranks, strict=True):
        columns = with_chance({"drift": _drift(step, last)}, {"drift": _drift(step, shuffled)})
        tables.append(head_frame(columns, layers, heads).assign(step=number))
    return pd.concat(tables, ignore_index=True)[["step", "layer", "head", "drift", "chance_drift"]]


def _drift(step: Ranks, last: Ranks) -> np.ndarray:
    """(layer, head)."""
    return np.mean([1 - correlation(*both) for both in zip(step, last, strict=True)], axis=0)


def _tokens_shuffled(window: np.ndarray) -> np.ndarray:
    """The pairs of a matrix, (layer, head, pair), with its tokens in a random order, the same at every call."""
    tokens = (1 + int(np.sqrt(1 + 8 * window.shape[-1]))) // 2
    return window[..., permuted_pairs(np.random.default_rng(0).permutation(tokens))]
