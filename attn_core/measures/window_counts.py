"""All counts of one window, and their sums over windows."""

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from attn_core.head import Head
from attn_core.measures import distances, token_coverage
from attn_core.measures.anchors import anchor_columns
from attn_core.measures.common_share import BY_PAIRS, similarity_count
from attn_core.measures.comparison import overlap_count
from attn_core.measures.distances import bin_count, bin_table, distance_counts
from attn_core.measures.frames import head_frame
from attn_core.measures.head_shares import share_counts
from attn_core.measures.kinds import kind_count, kind_table
from attn_core.measures.noise import BY_TEXT, noise_count
from attn_core.measures.repetition import repeated_tokens
from attn_core.measures.statistics import COUNTED, HEAD_OVERLAP, OF_HEADS, statistic_columns
from attn_core.measures.tally import Count, MeasuredWindow, Tally, mean_of_heads
from attn_core.measures.token_coverage import TokenCoverage

BINNED, OF_KINDS = "distance_bins", "kinds"
BY_LAYER = (HEAD_OVERLAP.name, *(statistic.name for statistic in OF_HEADS))


class TokenAndDistanceCounts(NamedTuple):
    """Token coverage (pairs that touch a token, or repeat it) and the counts of distances."""

    touching: TokenCoverage
    repeated: TokenCoverage
    distances: Count


class WindowCounts(NamedTuple):
    """All counts of one window: counts of statistics by name, and the parts."""

    counts: Mapping[str, Count]
    parts: TokenAndDistanceCounts


def count_window(window: MeasuredWindow) -> WindowCounts:
    """All counts of one window."""
    by_distance = distance_counts(window.pairs)
    counts = {
        **count_some(window, {BY_TEXT, *(statistic.name for statistic in COUNTED)}),
        BY_PAIRS: similarity_count(window),
        BINNED: bin_count(by_distance),
        OF_KINDS: kind_count(window.pairs, window.touched),
    }
    return WindowCounts(counts, TokenAndDistanceCounts(window.touched, window.repeated, by_distance))


def count_some(window: MeasuredWindow, names: Container[str]) -> dict[str, Count]:
    """The counts of one window of these names, and all that are by layer."""
    counts = {s.name: s.count(window) for s in COUNTED if s.count and s.name in names}
    noise = {BY_TEXT: noise_count(window)} if BY_TEXT in names else {}
    return counts | noise | {HEAD_OVERLAP.name: overlap_count(window.pairs)} | share_counts(window)


@dataclass(frozen=True, eq=False)
class TotalCounts:
    """The sums of all counts over the windows of a text or a corpus."""

    tally: Tally
    parts: TokenAndDistanceCounts

    @property
    def shape(self) -> tuple[int, int]:
        """(layers, heads per layer)."""
        layers, heads, _ = self.parts.touching.pairs.shape
        return layers, heads

    def without(self, heads: Sequence[Head]) -> "TotalCounts":
        """The counts without removed heads: they have no statistics (NaN), and no pair is theirs."""
        if not heads:
            return self
        gone = np.zeros(self.shape, dtype=bool)
        gone[tuple(np.transpose(heads))] = True
        touching, repeated, by_distance = self.parts
        kept = replace(by_distance, numerator=np.where(gone[..., None], 0, by_distance.numerator))
        return TotalCounts(
            self.tally.without(gone), TokenAndDistanceCounts(touching.without(gone), repeated.without(gone), kept)
        )

    @property
    def heads(self) -> pd.DataFrame:
        """One row per head: pairs, windows, each statistic with its chance level, repeated tokens, and anchor."""
        touching, repeated, _ = self.parts
        columns: dict[str, np.ndarray | float] = {"pairs": touching.strong, "windows": touching.windows}
        columns |= statistic_columns(self.tally, COUNTED, math.prod(self.shape))
        columns["repeated_tokens"] = repeated_tokens(repeated)
        columns |= anchor_columns(touching)
        return head_frame(columns, *self.shape)

    @property
    def distance_bins(self) -> pd.DataFrame:
        """The share of each layer's strong pairs in bins of doubling distance, with its chance level."""
        shares = mean_of_heads(self.tally.value(BINNED).reshape(*self.shape, -1), axis=1)
        return bin_table(shares, self.tally.chance(BINNED), self.parts.distances.numerator.shape[-1] - 1)

    @property
    def kinds(self) -> pd.DataFrame:
        """The share of each head's strong pairs by kind, with its chance level."""
        shares, chance = (
            values.reshape(*self.shape, -1) for values in (self.tally.value(OF_KINDS), self.tally.chance(OF_KINDS))
        )
        return kind_table(shares, chance).dropna(subset="share", ignore_index=True)

    def layers(self, heads: pd.DataFrame) -> pd.DataFrame:
        """One row per layer: means over its heads of all columns that have a chance level, and statistics of layers.

        heads: the heads table, possibly with further columns that have a chance level.
        """
        names = [name for name in heads if name.startswith("chance_") or f"chance_{name}" in heads]
        means = heads.groupby("layer")[names].mean().reset_index()
        chance = np.broadcast_to(self.tally.chance(HEAD_OVERLAP.name), len(means))
        overlap = {HEAD_OVERLAP.name: self.tally.value(HEAD_OVERLAP.name), HEAD_OVERLAP.chance: chance}
        return means.assign(**overlap, **{share.name: self.tally.value(share.name) for share in OF_HEADS})


def add_up(windows: Iterable[WindowCounts]) -> TotalCounts:
    """The sums of the counts of one or more windows; only the sums stay in memory."""
    tally = Tally()
    parts: list[TokenAndDistanceCounts] = []
    for window in windows:
        for name, count in window.counts.items():
            tally.add_each(name, [count])
        parts = [added([*parts, window.parts])]
    return TotalCounts(tally, parts[0])


def added(parts: Sequence[TokenAndDistanceCounts]) -> TokenAndDistanceCounts:
    """The sum of parts, in their order."""
    touching, repeated, by_distance = zip(*parts, strict=True)
    return TokenAndDistanceCounts(
        token_coverage.added(touching), token_coverage.added(repeated), distances.added(by_distance)
    )
