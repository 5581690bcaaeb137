"""What tokens of unrelated texts reach in the windows of a shard, counted once all of the shard is read.

The windows of a group are held against one window of another group of the shard, so that no pass of the model is made for it.
Of a window that is read no more is kept than some of its tokens: pairs are of as many tokens of the one and of the other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from attn_core.analysis.unrelated import read_samples, read_unrelated
from attn_core.measures.strength import noise_counts
from attn_core.measures.tally import Count
from attn_core.measures.window import Window
from attn_core.models.head_outputs import Values
from attn_core.models.records import LoadedModel
from attn_core.runs.job import Piece
from attn_core.similarity.noise import Bars, Tokens, find_noise, tokens_beside
from attn_core.similarity.strong_pairs import Settings
from attn_core.study.other_texts import in_a_circle, unrelated_passage
from attn_core.study.settings import Job
from attn_core.texts.passages import Passage

FEWEST = 3  # groups in a circle; two say so much the same of each other that intervals are too narrow (docs/results.md)


@dataclass(frozen=True, eq=False)
class WindowTokens:
    """Some tokens of a window, and what its strong pairs reach."""

    passage: Passage
    tokens: Tokens
    bars: Bars

    @classmethod
    def of(cls, window: Window, z: Values, settings: Settings) -> "WindowTokens":
        pairs = window.pairs
        (tokens,) = tokens_beside([(pairs.passage, z)], settings.measure, settings.with_special)
        return cls(pairs.passage, tokens.alone(), Bars.from_pairs(pairs, window.strength.aligned_bar))


def noise_of_shard(
    model: LoadedModel, job: Job, pieces: Sequence[Piece], windows: Sequence[WindowTokens]
) -> Iterator[dict[str, Count]]:
    """The counts of noise of each window of a shard; pieces: of which text each window is."""
    circle = in_a_circle(pieces, job.settings.seed)
    tried = {piece.group: some for piece, some in zip(job.shard.pieces, job.others, strict=True) if some}
    drawn = np.random.default_rng([job.settings.seed, job.shard.number])
    by_group: dict[int, list[WindowTokens]] = {}
    for piece, window in zip(pieces, windows, strict=True):
        by_group.setdefault(piece.group, []).append(window)
    others: dict[int, Sequence[Tokens]] = {}
    for group, own in by_group.items():
        if len(by_group) >= FEWEST:
            theirs = by_group[circle[group][0].group]
            others[group] = [theirs[drawn.integers(len(theirs))].tokens]
        else:
            others[group] = _read(model, job, tried.get(group, ()), own[0].passage)
    for piece, window in zip(pieces, windows, strict=True):
        noise = find_noise(window.tokens, window.bars, job.settings.analysis.measure, others[piece.group])
        yield noise_counts(noise, window.bars.number, window.bars.of)


def _read(model: LoadedModel, job: Job, tried: Sequence[Piece], passage: Passage) -> Sequence[Tokens]:
    """Tokens of the first of some texts that a study would count, or of sample texts where there is none."""
    settings = job.settings
    chosen = settings.analysis
    other = unrelated_passage(model, tried, settings.language, settings.layout, settings.min_tokens)
    read = (
        [read_unrelated(model, other, settings.unit)]
        if other
        else read_samples(model, passage.document, settings.layout, settings.unit)
    )
    tokens = tokens_beside([(one.passage, one.z) for one in read], chosen.measure, chosen.with_special)
    return [one.alone() for one in tokens]
