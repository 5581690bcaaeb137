"""From pattern to cause: which later heads lose a pattern where some heads are removed, beside random heads of the same layers.

The score is that of `patterns`: the mean percentile of the pattern's pairs among pairs of like distance, chance 0.5.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from attn_core.head import Head
from attn_core.measures.frames import head_frame
from attn_core.models.capture import capture
from attn_core.models.head_outputs import as_array
from attn_core.models.records import LoadedModel
from attn_core.patterns.scores import percentiles
from attn_core.similarity.context_similarity import context_similarity
from attn_core.similarity.strong_pairs import Measure
from attn_core.similarity.words import Words
from attn_core.texts.passages import Passage

Marked = tuple[Passage, Words, Sequence[tuple[int, int]]]  # a window, its words, and the pairs of these


def pattern_scores(model: LoadedModel, windows: Sequence[Marked], measure: Measure) -> np.ndarray:
    """How well every head of a model, under its intervention, sees the pairs of some windows, one at least: (layer, head)."""
    parts = []
    for passage, words, pairs in windows:
        (output,) = capture(model, [passage])
        z = words.mean(as_array(output.z))
        parts.append([percentiles(context_similarity(layer, measure), np.array(pairs)) for layer in z])
    return np.concatenate(parts, axis=-1).mean(axis=-1)


def lost_by(before: np.ndarray, after: np.ndarray, removed: Sequence[Head]) -> np.ndarray:
    """What each head has lost of its score, (layer, head): NaN up to the first layer with a removed head, which nothing
    reaches, and for those that are removed, which have nothing left to see with.
    """
    later = np.arange(len(before))[:, None] > min(head.layer for head in removed)
    lost = np.where(later, before - after, np.nan)
    for head in removed:
        lost[head] = np.nan
    return lost


def lost_pattern(before: np.ndarray, after: np.ndarray, removed: Sequence[Head], by_chance: np.ndarray) -> pd.DataFrame:
    """One row a head that stands after a removed one and is not removed itself, the one that loses most first.

    before, after: scores (layer, head) of the whole model and without the removed heads. by_chance: (R, layer, head), of
    `lost_by` for R random sets with as many heads of each layer. Columns: layer, head, score, score_without, lost,
    chance_lost (mean over the sets that leave the head in place), p_adjusted (in what share of the sets, the removed heads
    among them, any head loses as much: the largest statistic, Westfall and Young).
    """
    lost = lost_by(before, after, removed)
    largest = np.nanmax(by_chance, axis=(1, 2))
    # Rounding must not decide whether a set that does the same reaches it.
    p = (1 + (largest[:, None, None] >= lost - 1e-12).sum(axis=0)) / (1 + len(by_chance))
    in_place = np.isfinite(by_chance)
    chance = np.where(in_place, by_chance, 0).sum(axis=0) / np.maximum(in_place.sum(axis=0), 1)
    columns = {"score": before, "score_without": after, "lost": lost, "chance_lost": chance, "p_adjusted": p}
    table = head_frame(columns, *before.shape)
    return table[table["lost"].notna()].sort_values("lost", ascending=False, kind="stable", ignore_index=True)
