"""Everything that is counted of windows: one window's part, and the sum of many."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from attn_core.measures import distances, token_coverage
from attn_core.measures.anchors import anchor_columns
from attn_core.measures.comparison import overlap_count
from attn_core.measures.distances import DistanceCounts, bin_count, bin_table, distance_counts
from attn_core.measures.frames import head_frame, with_chance
from attn_core.measures.head_shares import share_counts
from attn_core.measures.kinds import kind_count, kind_table
from attn_core.measures.noise import BY_TEXT, noise_count
from attn_core.measures.repetition import repetition_columns
from attn_core.measures.statistics import COUNTED, HEAD_OVERLAP, OF_HEADS
from attn_core.measures.tally import Count, Tally
from attn_core.measures.token_coverage import TokenCoverage, in_context
from attn_core.measures.window import Window

BINNED, OF_KINDS = "distance_bins", "kinds"
# Tokens touched, tokens in context, tokens that are paired with themselves.
Covered = tuple[TokenCoverage, TokenCoverage, TokenCoverage]
Parts = tuple[TokenCoverage, TokenCoverage, TokenCoverage, DistanceCounts]
BY_LAYER = (HEAD_OVERLAP.name, *(statistic.name for statistic in OF_HEADS))
HEAD_STATISTICS = ("mean_distance", "same_sentence_share", "separator_attention")  # that effects need


@dataclass(frozen=True, eq=False)
class WindowCounts:
    """What one window adds: its counts by name, the tokens that its strong pairs touch and have in context, distances.

    repeated: the tokens that strong pairs are twice.
    """

    counts: Mapping[str, Count]
    touching: TokenCoverage
    context: TokenCoverage
    repeated: TokenCoverage
    distances: DistanceCounts

    @property
    def parts(self) -> Parts:
        """What adds up apart from the counts."""
        return self.touching, self.context, self.repeated, self.distances


def count_window(window: Window) -> WindowCounts:
    """Count everything."""
    touching = window.touched
    counts = {statistic.name: statistic.count(window) for statistic in COUNTED if statistic.count}
    by_distance = distance_counts(window.pairs)
    counts |= {
        BY_TEXT: noise_count(window),
        **_count_layers(window, touching),
        BINNED: bin_count(by_distance),
        OF_KINDS: kind_count(window.pairs, touching),
    }
    return WindowCounts(counts, touching, in_context(window.pairs, touching), window.repeated, by_distance)


def count_effects(window: Window) -> dict[str, Count]:
    """Count what the effects need and nothing else."""
    counts = {s.name: s.count(window) for s in COUNTED if s.count and s.name in HEAD_STATISTICS}
    counts[BY_TEXT] = noise_count(window)
    return counts | _count_layers(window, window.touched)


def _count_layers(window: Window, touching: TokenCoverage) -> dict[str, Count]:
    """Count what only a layer has, and shares of its heads."""
    return {HEAD_OVERLAP.name: overlap_count(window.pairs), **share_counts(window, touching)}


def head_table(tally: Tally, covered: Covered) -> pd.DataFrame:
    """One row a head: layer, head, pairs, windows, every statistic and its chance level, what it repeats, and the anchor."""
    touching, context, repeated = covered
    layers, heads, _ = touching.pairs.shape
    values = {s.name: s.values(tally)[0].reshape(layers, heads) for s in COUNTED}
    chance = {s.name: np.broadcast_to(s.chance_level(tally), layers * heads).reshape(layers, heads) for s in COUNTED}
    counted = head_frame(
        {"pairs": np.int64(touching.strong), "windows": np.int64(touching.windows)} | with_chance(values, chance),
        layers,
        heads,
    )
    of_tokens = repetition_columns(repeated), anchor_columns(touching, context)
    return pd.concat([counted, *(columns.drop(columns=["layer", "head"]) for columns in of_tokens)], axis=1)


@dataclass(frozen=True, eq=False)
class TotalCounts:
    """What was counted of all windows of a text or of a corpus."""

    tally: Tally
    touching: TokenCoverage
    context: TokenCoverage
    repeated: TokenCoverage
    distances: DistanceCounts

    @property
    def shape(self) -> tuple[int, int]:
        """(layers, heads a layer)."""
        layers, heads, _ = self.touching.pairs.shape
        return layers, heads

    @property
    def heads(self) -> pd.DataFrame:
        """One row a head, see `head_table`."""
        return head_table(self.tally, (self.touching, self.context, self.repeated))

    @property
    def distance_bins(self) -> pd.DataFrame:
        """Share of each layer's strong pairs by doubling distance, with its chance level."""
        shares = self.tally.value(BINNED).reshape(*self.shape, -1).mean(axis=1)
        return bin_table(shares, self.tally.chance(BINNED), len(self.distances.expected) - 1)

    @property
    def kinds(self) -> pd.DataFrame:
        """Share of each head's strong pairs by kind, with its chance level."""
        shares, chance = (
            values.reshape(*self.shape, -1) for values in (self.tally.value(OF_KINDS), self.tally.chance(OF_KINDS))
        )
        return kind_table(shares, chance)

    def layers(self, heads: pd.DataFrame) -> pd.DataFrame:
        """One row a layer: the mean over its heads of everything with a chance level, and what is counted by layer.

        heads: the heads table, with whatever it was given beside what is counted here.
        """
        names = [name for name in heads if name.startswith("chance_") or f"chance_{name}" in heads]
        means = heads.groupby("layer")[names].mean().reset_index()
        chance = np.broadcast_to(self.tally.chance(HEAD_OVERLAP.name), len(means))
        overlap = {HEAD_OVERLAP.name: self.tally.value(HEAD_OVERLAP.name), HEAD_OVERLAP.chance: chance}
        return means.assign(**overlap, **{share.name: self.tally.value(share.name) for share in OF_HEADS})


def add_up(windows: Iterable[WindowCounts]) -> TotalCounts:
    """The counts of one window or more together; nothing is kept of a window but its part of the sums."""
    tally = Tally()
    parts: list[Parts] = []
    for window in windows:
        tally.add_all(window.counts)
        parts = [added([*parts, window.parts])]
    return TotalCounts(tally, *parts[0])


def added(parts: Sequence[Parts]) -> Parts:
    """What adds up apart from the tally, added in its order."""
    return (*_added([part[:-1] for part in parts]), distances.added([part[-1] for part in parts]))


def _added(parts: Sequence[Covered]) -> Covered:
    touching, context, repeated = map(token_coverage.added, zip(*parts, strict=True))
    return touching, context, repeated
