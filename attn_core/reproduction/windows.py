"""One window under every choice: what the effects need of it, from one forward pass."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product

import numpy as np

from attn_core.analysis.measured_windows import can_pair
from attn_core.analysis.unrelated import Unrelated, read_samples
from attn_core.measures.every_share import Counter
from attn_core.measures.random_pairs import few_heads, seed_of, structureless_heads
from attn_core.measures.tally import Count
from attn_core.models.capture import capture
from attn_core.models.head_outputs import HeadOutputs, Values, as_array
from attn_core.models.records import LoadedModel
from attn_core.numerics.threads import on_every_core
from attn_core.reproduction.choices import CHOICES, SHARES
from attn_core.similarity.context_similarity import as_measured
from attn_core.similarity.every_share import Pairable, rank_pairs
from attn_core.similarity.noise import beside_texts, reached_bars
from attn_core.similarity.selection import as_tensor
from attn_core.similarity.strong_pairs import MEASURES, UNITS, Measure, Settings, Unit
from attn_core.similarity.words import in_unit
from attn_core.texts.documents import Document
from attn_core.texts.passages import Layout, Passage

Counts = Mapping[str, Count]
OF_LAYERS = ("mean_distance", "same_sentence_share", "separator_attention")  # of which an effect asks no more


@dataclass(frozen=True, eq=False)
class Others:
    """The windows of other texts, by unit, that the windows of a text are held against."""

    by_unit: Mapping[Unit, Sequence[Unrelated]]
    _made: dict[tuple[Unit, Measure, bool], Values] = field(default_factory=dict)

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

    def beside(self, unit: Unit, measure: Measure, with_special: bool) -> Values:
        """Their tokens, made once."""
        key = unit, measure, with_special
        if key not in self._made:
            texts = [(other.passage, other.z) for other in self.by_unit[unit]]
            self._made[key] = beside_texts(texts, measure, with_special)
        return self._made[key]


def count_window(passage: Passage, output: HeadOutputs, others: Others) -> dict[Settings, Counts]:
    """What `effect_counts` has under each choice, without those that leave no two tokens to pair.

    Of distances, sentences and separators the means over the heads of a layer.
    """
    in_units = {unit: _InUnit(unit, *in_unit(unit, passage, output), others) for unit in UNITS}
    # Each core takes whole measures: counting keeps Python's lock, and products, made beside it, do not.
    ways = list(product(MEASURES, in_units.values()))
    by_way = on_every_core(
        lambda some: [one.counts(measure) for measure, one in some], ways, as_tensor(output.z).device
    )
    counts = {settings: count for way in by_way for settings, count in way.items()}
    return {settings: counts[settings] for settings in CHOICES if settings in counts}


@dataclass(frozen=True, eq=False)
class _InUnit:
    """A window of tokens or of words."""

    unit: Unit
    passage: Passage
    output: HeadOutputs
    others: Others

    def counts(self, measure: Measure) -> dict[Settings, Counts]:
        """By choice of one measure."""
        made: dict[Settings, Counts] = {}
        if not self._counters:
            return made
        pairables = [counter.pairable for counter in self._counters.values()]
        ranked, of_random = (rank_pairs(z, measure, pairables) for z in (self.output.z, self._structureless))
        measured = as_measured(self.output.z, measure)
        received = as_array(self.output.received)
        for (special, counter), own, theirs in zip(self._counters.items(), ranked, of_random, strict=True):
            beside = self.others.beside(self.unit, measure, special)
            reached = reached_bars(measured, counter.pairable.eligible, beside, own.bars)
            looked = beside.shape[2] * int(counter.pairable.eligible.sum())
            by_share = counter.counts(own, theirs, reached, looked, received, self.output.even)
            for share, counts in zip(SHARES, by_share, strict=True):
                made[Settings(measure, share, special, self.unit)] = _of_layers(counts)
        return made

    @cached_property
    def _structureless(self) -> np.ndarray:
        z = as_array(self.output.z)
        return structureless_heads(z[:, few_heads(z.shape[1])], seed_of(self.passage))

    @cached_property
    def _counters(self) -> dict[bool, Counter]:
        """By whether special tokens may pair, all tokens first."""
        passage, every = self.passage, np.ones(len(self.passage), dtype=bool)
        tokens = {True: every, False: ~passage.is_special} if self.unit == "tokens" else {True: every}
        return {
            special: Counter(Pairable(passage, eligible, SHARES), self.output.z.shape[:2])
            for special, eligible in tokens.items()
            if can_pair(passage, Settings(with_special=special, unit=self.unit))
        }


def _of_layers(counts: Counts) -> Counts:
    return {
        name: replace(count, numerator=count.numerator.mean(axis=-1)) if name in OF_LAYERS else count
        for name, count in counts.items()
    }
