"""One window under every choice: what the effects need of it, from one forward pass."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from attn_core.analysis.measured_windows import strong_pairs, strong_pairs_in
from attn_core.analysis.unrelated import Unrelated, read_samples
from attn_core.measures.tally import Count
from attn_core.measures.window import Window
from attn_core.measures.window_counts import count_effects
from attn_core.models.capture import capture
from attn_core.models.head_outputs import HeadOutputs, as_array
from attn_core.models.records import LoadedModel
from attn_core.numerics.threads import on_every_core
from attn_core.reproduction.choices import CHOICES, PAIRABLE, SHARES
from attn_core.similarity.noise import Bars, Tokens, find_noise, tokens_beside
from attn_core.similarity.selection import as_tensor
from attn_core.similarity.strong_pairs import MEASURES, UNITS, Settings, Strength, Unit
from attn_core.similarity.words import in_unit
from attn_core.texts.documents import Document
from attn_core.texts.passages import Layout, Passage

Counts = Mapping[str, Count]
OF_LAYERS = ("mean_distance", "same_sentence_share", "separator_attention")  # of which an effect asks no more


@dataclass(frozen=True, eq=False)
class Others:
    """The windows of other texts, by unit, that the windows of a text are held against."""

    by_unit: Mapping[Unit, Sequence[Unrelated]]

    @classmethod
    def of(cls, model: LoadedModel, passage: Passage) -> "Others":
        """One window of another text."""
        read = passage, capture(model, [passage])[0]
        in_units = {unit: in_unit(unit, *read) for unit in UNITS}
        return cls({unit: [Unrelated(other, output.z)] for unit, (other, output) in in_units.items()})

    @classmethod
    def samples(cls, model: LoadedModel, document: Document, layout: Layout) -> "Others":
        """The sample texts, as `analyze` has them."""
        return cls({unit: read_samples(model, document, layout, unit) for unit in UNITS})


def count_window(passage: Passage, output: HeadOutputs, others: Others) -> dict[Settings, Counts]:
    """What the effects need under each choice, without those that leave no two tokens to pair.

    Of distances, sentences and separators the means over the heads of a layer. Pairs are chosen once for all shares.
    """
    in_units = {unit: in_unit(unit, passage, output) for unit in UNITS}
    largest = [
        Settings(measure, max(SHARES), special, unit) for (unit, special), measure in product(PAIRABLE, MEASURES)
    ]
    ways = [(*in_units[one.unit], others.by_unit[one.unit], one) for one in largest]
    ways = [way for way in ways if strong_pairs_in(way[0], way[3])]
    # Each core takes whole measures: counting keeps Python's lock, and products, made beside it, do not.
    counted = on_every_core(
        lambda some: [dict(_under_every_share(*way)) for way in some], ways, as_tensor(output.z).device
    )
    counts = {settings: count for way in counted for settings, count in way.items()}
    return {settings: counts[settings] for settings in CHOICES if settings in counts}


def _under_every_share(
    passage: Passage, output: HeadOutputs, others: Sequence[Unrelated], largest: Settings
) -> Iterator[tuple[Settings, Counts]]:
    pairs = strong_pairs(output.z, passage, largest)
    own = Tokens.of(passage, output.z, np.flatnonzero(pairs.eligible), largest.measure)
    theirs = tokens_beside([(one.passage, one.z) for one in others], largest.measure, largest.with_special)
    for share in SHARES:
        strongest = pairs.strongest(share)
        bars = Bars.from_pairs(strongest, strongest.similarity[..., -1])
        noise = find_noise(own, bars, largest.measure, theirs)
        strength = Strength(**vars(noise), longest=strongest.places[..., :0], aligned_bar=bars.aligned)
        window = Window(strongest, strength, as_array(output.received), output.even)
        yield replace(largest, share=share), _of_layers(count_effects(window))


def _of_layers(counts: Counts) -> Counts:
    return {
        name: replace(count, numerator=count.numerator.mean(axis=-1)) if name in OF_LAYERS else count
        for name, count in counts.items()
    }
