"""One window under every setting: what the effects need of it, from one forward pass."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product

from attn_core.analysis.measured_windows import measured_by_share, strong_pairs_in
from attn_core.measures.tally import Count
from attn_core.measures.window_counts import HEAD_STATISTICS, count_effects
from attn_core.models.head_outputs import HeadOutputs
from attn_core.numerics.threads import on_every_core
from attn_core.similarity.noise import ReferenceTokens
from attn_core.similarity.selection import as_tensor
from attn_core.similarity.strong_pairs import MEASURES
from attn_core.similarity.words import Unit, in_words
from attn_core.study.variants import PAIRABLE, SHARES, VARIANTS, Variant
from attn_core.texts.passages import Passage

Counts = Mapping[str, Count]


def count_variants(
    passage: Passage, output: HeadOutputs, references: Mapping[Unit, ReferenceTokens]
) -> dict[Variant, Counts]:
    """What the effects need under each variant of the settings, without those that leave no two tokens to pair.

    Of distances, sentences and separators the means over the heads of a layer. Pairs are chosen once for all shares.
    """
    in_units: dict[Unit, tuple[Passage, HeadOutputs]] = {
        "tokens": (passage, output),
        "words": in_words(passage, output),
    }
    largest = [Variant(measure, max(SHARES), special, unit) for (unit, special), measure in product(PAIRABLE, MEASURES)]
    ways = [(*in_units[one.unit], references[one.unit], one) for one in largest]
    ways = [way for way in ways if strong_pairs_in(way[0], way[3])]
    # Each core takes whole measures: counting keeps Python's lock, and products, made beside it, do not.
    counted = on_every_core(
        lambda some: [dict(_under_every_share(*way)) for way in some], ways, as_tensor(output.z).device
    )
    counts = {variant: count for way in counted for variant, count in way.items()}
    return {variant: counts[variant] for variant in VARIANTS if variant in counts}


def _under_every_share(
    passage: Passage, output: HeadOutputs, references: ReferenceTokens, largest: Variant
) -> Iterator[tuple[Variant, Counts]]:
    windows = measured_by_share(passage, output, largest, references, SHARES)
    for share, window in zip(SHARES, windows, strict=True):
        yield replace(largest, share=share), _of_layers(count_effects(window))


def _of_layers(counts: Counts) -> Counts:
    return {
        name: replace(count, numerator=count.numerator.mean(axis=-1)) if name in HEAD_STATISTICS else count
        for name, count in counts.items()
    }
