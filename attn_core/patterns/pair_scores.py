"""How well the heads of a model see pairs that were found or marked in one text: the tables of the page."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter

import numpy as np
import pandas as pd

from attn_core.measures.frames import head_frame
from attn_core.patterns.placements import Placements, Window
from attn_core.patterns.relation_counts import by_map
from attn_core.patterns.scores import CHANCE, percentiles
from attn_core.patterns.word_maps import DIRECTIONS, MAPS
from attn_core.similarity.strong_pairs import Measure


@dataclass(frozen=True, eq=False)
class Seen:
    """The pairs of a pattern in one text, as every head sees them.

    pairs: (n, 2) words of their windows. windows: (n,), numbers of these. percentile: (map, layer, head, n). values: the
    same of the similarities and attention weights themselves.
    """

    pairs: np.ndarray
    windows: np.ndarray
    percentile: np.ndarray
    values: np.ndarray

    def __len__(self) -> int:
        return len(self.pairs)

    def heads(self, measure: Measure, placed: Placements) -> pd.DataFrame:
        """One row a head: pairs, score, chance_score, p, p_adjusted (over all heads), and the scores of the attention.

        placed: the same pattern at other places, by the same measure.
        """
        table = score_table(len(self), self.percentile[MAPS.index(measure)].mean(axis=-1), placed)
        by_attention = {kind: self.percentile[MAPS.index(kind)].mean(axis=-1).ravel() for kind in DIRECTIONS}
        return table.assign(**by_attention)


def score_table(pairs: int, score: np.ndarray, placed: Placements) -> pd.DataFrame:
    """One row a head: so many pairs, their score (layer, head) and its chance level, p, p_adjusted."""
    columns: dict[str, np.ndarray | float] = {"pairs": pairs, "score": score, "chance_score": CHANCE}
    columns |= {"p": placed.p, "p_adjusted": placed.p_adjusted}
    return head_frame(columns, *score.shape)


def see(windows: Sequence[Window]) -> Seen | None:
    """The pairs of one window or more; None without a pair."""
    parts = []
    for number, outputs, marked in windows:
        if not marked:
            continue
        pairs = np.array(marked, dtype=np.int64)
        at = itemgetter((slice(None), *pairs.T))  # rows[:, first words, second words]
        ranks, values = by_map(outputs, partial(percentiles, pairs=pairs), at)
        parts.append((pairs, np.full(len(pairs), number), ranks, values))
    if not parts:
        return None
    pairs, numbers, ranks, values = zip(*parts, strict=True)
    return Seen(
        np.concatenate(pairs), np.concatenate(numbers), np.concatenate(ranks, axis=-1), np.concatenate(values, axis=-1)
    )
