"""The claims of a study: the effects in the texts of each subject, and the table of all verdicts."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from attn_core.claims.table import Effects, Pair, claim_rows
from attn_core.claims.verdicts import Basis
from attn_core.measures.effects import effect_values, reference_error
from attn_core.measures.tally import Tally
from attn_core.models.controls import Control
from attn_core.numerics.leave_one_out import GROUPS, sizes
from attn_core.runs.shards import numbers, tables_named
from attn_core.study.opened import Record, layout_path
from attn_core.study.pooled import Texts, add_counts
from attn_core.study.settings import VARIANTS, StudySettings, Variant, as_columns, layouts_of
from attn_core.study.subjects import SHUFFLED
from attn_core.texts.passages import Layout


@dataclass(frozen=True, eq=False)
class Counted:
    """The effects in a set of texts. texts: the sorted numbers of these texts."""

    effects: Effects
    texts: np.ndarray


@dataclass(frozen=True, eq=False)
class SubjectEffects:
    """The effects of a finished subject. out: the folder of the study.

    by_layout: by layout and setting, with that of the study first, without settings under which no text was counted.
    """

    out: Path
    record: Record
    settings: StudySettings
    by_layout: dict[Layout, Mapping[Variant, Counted]] = field(default_factory=dict)

    def add_up(self, texts: Texts, tally: Tally | None) -> None:
        """Fill `by_layout`. tally: of all texts under the settings of the study; None if no text was counted."""
        own: dict[Variant, Counted] = {}
        if tally is not None:
            few, short, among = texts.few, texts.short_windows, texts.among_references
            own = {self._own: self._counted(tally, texts.counted, few, short, among)}
        layout = self.record.subject.layout
        for one in layouts_of(layout) if self.settings.every_setting else (layout,):
            first = own if one == layout else {}
            others = [variant for variant in VARIANTS if variant not in first]
            self.by_layout[one] = first | (self._of_variants(one, others, texts) if self.settings.every_setting else {})

    @property
    def _own(self) -> Variant:
        analysis = self.settings.analysis
        return Variant(analysis.measure, analysis.share, analysis.with_special, self.settings.unit)

    def _of_variants(self, layout: Layout, variants: Sequence[Variant], texts: Texts) -> dict[Variant, Counted]:
        """The effects under some settings. Texts with few strong pairs count only if no text has more."""
        short, among = np.zeros(len(VARIANTS)), texts.among_references
        tallies: dict[tuple[int, bool], Tally] = defaultdict(lambda: Tally(GROUPS))
        counted: dict[tuple[int, bool], list[pa.Table]] = defaultdict(list)
        for table in tables_named(layout_path(self.out, self.record.subject, layout), "variants"):
            short += np.bincount(numbers(table["variant"]), numbers(table["short_windows"]), len(short))
            for place, few in product(map(VARIANTS.index, variants), (False, True)):
                rows = table.filter(pc.and_(pc.equal(table["variant"], place), pc.equal(table["few"], few)))
                if len(rows):
                    add_counts(tallies[place, few], rows)
                    counted[place, few].append(rows.select(["text", "group", "strong"]))
        effects = {}
        for place in map(VARIANTS.index, variants):
            few = (place, False) not in counted
            if some := counted.get((place, few)):
                rows = pa.concat_tables(some).to_pandas()
                effects[VARIANTS[place]] = self._counted(tallies[place, few], rows, few, int(short[place]), among)
        return effects

    def _counted(self, tally: Tally, texts: pd.DataFrame, few: bool, short: int, among_references: bool) -> Counted:
        """The effects of a tally. texts: the texts it counts, with the columns text, group, strong."""
        assert self.record.model is not None  # it is finished
        values, chance = effect_values(tally, self.record.shape)
        inside = float(tally.chance("same_sentence_share")[0])
        separators = bool(np.all(tally.chance("separator_attention") > 0))
        causal = self.record.model.causal
        basis = Basis(*self.record.shape, few, short, inside, separators, causal, among_references)
        every = np.unique(texts["text"])
        by_chance = {name: float(level[0]) for name, level in chance.items()}
        weights = sizes(texts["group"].to_numpy(), texts["strong"].to_numpy(dtype=np.float64))
        error = reference_error(tally, self.record.shape)
        return Counted(Effects(values, by_chance, weights, len(every), error, basis), every)


def claims_table(every: Sequence[SubjectEffects]) -> pd.DataFrame:
    """The claims table: a row per subject, setting and claim, with baselines.

    Columns subject, step, layout, measure, share, special, unit, and those of `claim_rows`.
    """
    rows = [rows for one in every for rows in _of_subject(one, every)]
    return pd.concat(rows, ignore_index=True).astype({"step": "Int64"}) if rows else pd.DataFrame()


def _of_subject(one: SubjectEffects, every: Sequence[SubjectEffects]) -> Iterator[pd.DataFrame]:
    subject = one.record.subject
    baselines = [other for other in every if other.record.subject.serves(subject)] if not subject.of else []
    for layout, variant in ((layout, variant) for layout, counted in one.by_layout.items() for variant in counted):
        pairs: dict[Control, list[Pair]] = {}
        for other in baselines:
            kind = other.record.subject.baseline
            if kind and (pair := _pair(one, other, layout, variant)):
                pairs.setdefault(kind, []).append(pair)
        keys = {"subject": subject.name, "step": subject.step, **as_columns(variant, layout)}
        rows = claim_rows(one.by_layout[layout][variant].effects, pairs)
        yield pd.concat([pd.DataFrame([keys] * len(rows)), rows], axis=1)


def _pair(one: SubjectEffects, other: SubjectEffects, layout: Layout, variant: Variant) -> Pair | None:
    """The effects of two subjects; None if they were not counted over the same texts.

    Shuffled text is compared with the plain layout, since it has the same positions.
    """
    theirs = SHUFFLED if other.record.subject.layout == SHUFFLED and layout == "plain" else layout
    first, second = one.by_layout[layout][variant], other.by_layout.get(theirs, {}).get(variant)
    if second is None or not np.array_equal(first.texts, second.texts):
        return None
    return first.effects, second.effects
