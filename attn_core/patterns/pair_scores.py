"""How well the heads of a model see pairs that were found or marked in one text: the tables of the page."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from attn_core.measures.frames import head_frame
from attn_core.patterns.relation_counts import by_map
from attn_core.patterns.scores import CHANCE, TOO_FEW, adjusted, p_values, percentiles, set_sizes
from attn_core.patterns.word_maps import DIRECTIONS, MAPS, WordOutputs
from attn_core.similarity.strong_pairs import Measure


@dataclass(frozen=True, eq=False)
class Seen:
    """The pairs of a pattern in one text, as every head sees them.

    pairs: (n, 2) words of their windows. windows: (n,), numbers of these. percentile: (map, layer, head, n). values: the
    same of the similarities and attention weights themselves. sizes: (n,), see `scores.set_sizes`.
    """

    pairs: np.ndarray
    windows: np.ndarray
    percentile: np.ndarray
    values: np.ndarray
    sizes: np.ndarray

    def __len__(self) -> int:
        return len(self.pairs)

    def heads(self, measure: Measure) -> pd.DataFrame:
        """One row a head: pairs, score, chance_score, p, p_adjusted (over all heads), and the scores of the attention."""
        score = self.percentile[MAPS.index(measure)].mean(axis=-1)
        p = p_values(score.ravel(), self.sizes).reshape(score.shape)
        columns = {"pairs": len(self), "score": score, "chance_score": CHANCE, "p": p, "p_adjusted": adjusted(p)}
        columns |= {kind: self.percentile[MAPS.index(kind)].mean(axis=-1) for kind in DIRECTIONS}
        return head_frame(columns, *score.shape)

    def crossed(self, measure: Measure) -> float | None:
        """The score of the best head on pairs that did not choose it: every second pair chooses for the others, both ways
        round. None where there are too few."""
        if len(self) < 2 * TOO_FEW:
            return None
        percentile = self.percentile[MAPS.index(measure)].reshape(-1, len(self))
        half = np.arange(len(self)) % 2 == 1
        scored = [percentile[percentile[:, half != side].mean(axis=1).argmax(), half == side] for side in (False, True)]
        return float(np.concatenate(scored).mean())


def see(windows: Sequence[tuple[int, WordOutputs, Sequence[tuple[int, int]]]]) -> Seen | None:
    """The pairs of one window or more: its number, what the heads make of its words, and its pairs. None without a pair."""
    parts = []
    for number, outputs, found in windows:
        if not found:
            continue
        pairs = np.array(found, dtype=np.int64)
        ranks, values = [], []
        for layer in range(outputs.shape[0]):
            maps = outputs.of_layer(layer)
            rows = maps.reshape(-1, *maps.shape[2:])
            ranks.append(percentiles(rows, pairs))
            values.append(rows[:, pairs[:, 0], pairs[:, 1]])
        parts.append(
            (
                pairs,
                np.full(len(pairs), number),
                by_map(np.stack(ranks), outputs.shape),
                by_map(np.stack(values), outputs.shape),
                set_sizes(pairs, outputs.z.shape[2]),
            )
        )
    if not parts:
        return None
    pairs, numbers, ranks, values, sizes = zip(*parts, strict=True)
    return Seen(
        np.concatenate(pairs), np.concatenate(numbers), np.concatenate(ranks, axis=-1),
        np.concatenate(values, axis=-1), np.concatenate(sizes),
    )  # fmt: skip
