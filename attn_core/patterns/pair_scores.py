"""How well the heads of a model see pairs that were found or marked in one text: the tables of the page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter

import numpy as np
import pandas as pd

from attn_core.measures.frames import head_frame
from attn_core.patterns.relation_counts import by_map
from attn_core.patterns.scores import CHANCE, percentiles
from attn_core.patterns.word_halves import best_heads, word_halves
from attn_core.patterns.word_maps import DIRECTIONS, MAPS, WordOutputs
from attn_core.similarity.context_similarity import context_similarity
from attn_core.similarity.strong_pairs import Measure

# Its number, what the heads make of its words, and its pairs.
Window = tuple[int, WordOutputs, Sequence[tuple[int, int]]]


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

    def heads(self, measure: Measure) -> pd.DataFrame:
        """One row a head: pairs, score, chance_score, and the scores of the attention."""
        table = score_table(len(self), self.percentile[MAPS.index(measure)].mean(axis=-1))
        by_attention = {kind: self.percentile[MAPS.index(kind)].mean(axis=-1).ravel() for kind in DIRECTIONS}
        return table.assign(**by_attention)

    def held_out(self, outputs: Mapping[int, WordOutputs], measure: Measure) -> float | None:
        """The mean percentile of pairs in the head that the other half of the words chose, averaged over the splits; None where
        the pairs share a word, so that they cannot be split. outputs: of each window, by its number.

        Each is ranked among pairs of no word that chose: these stand out in that head, so that with them all others would be a
        little below chance.
        """
        halves = word_halves(self.windows, self.pairs)
        if not len(halves):
            return None
        best = best_heads(self.percentile[MAPS.index(measure)].reshape(-1, len(self)), halves)
        total = np.zeros(len(halves))
        for number in np.unique(self.windows).tolist():
            here, z = self.windows == number, outputs[number].z
            pairs, words = self.pairs[here], np.arange(z.shape[2])
            maps = {at: context_similarity(z[divmod(at, z.shape[1])], measure)[None] for at in np.unique(best).tolist()}
            for split, half in np.ndindex(best.shape):
                chose, scored = (pairs[halves[split, side][here]] for side in (half, 1 - half))
                total[split] += percentiles(maps[int(best[split, half])], scored, ~np.isin(words, chose)).sum()
        return float((total / halves.sum(axis=(1, 2))).mean())


def score_table(pairs: int, score: np.ndarray) -> pd.DataFrame:
    """One row a head: so many pairs, their score (layer, head) and its chance level."""
    return head_frame({"pairs": pairs, "score": score, "chance_score": CHANCE}, *score.shape)


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
