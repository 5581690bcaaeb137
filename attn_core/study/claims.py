"""The table of claims of a study: for every subject, and every setting that was counted, a row a claim."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from attn_core.claims.table import Effects, claim_rows
from attn_core.models.controls import Control
from attn_core.similarity.strong_pairs import Settings
from attn_core.study.effects import Counted, effects_of, effects_of_variants
from attn_core.study.record import Record, layout_path
from attn_core.study.settings import StudySettings
from attn_core.study.subjects import SHUFFLED
from attn_core.study.variants import VARIANTS, Variant, as_columns, layouts_of
from attn_core.texts.passages import Layout

Pair = tuple[Effects, Effects]  # of two subjects, over the texts that both counted


def claims_table(out: Path, records: Sequence[Record], settings: StudySettings) -> pd.DataFrame:
    """Columns subject, step, layout, measure, share, special, unit, and those of `claim_rows`; finished subjects alone.

    A baseline has rows of its own, without baselines.
    """
    every = EffectsOfStudy(out, settings)
    finished = [record for record in records if record.finished]
    rows = [rows for record in finished for rows in _of_subject(every, record, finished)]
    return pd.concat(rows, ignore_index=True).astype({"step": "Int64"}) if rows else pd.DataFrame()


def _of_subject(every: "EffectsOfStudy", record: Record, records: Sequence[Record]) -> Iterator[pd.DataFrame]:
    subject = record.subject
    baselines = [other for other in records if other.subject.serves(subject)] if not subject.of else []
    for layout in every.layouts(record):
        for variant, counted in every.of(record, layout).items():
            pairs: dict[Control, list[Pair]] = {}
            for other in baselines:
                kind = other.subject.baseline
                pair = every.pair(record, other, layout, variant)
                if kind and pair:
                    pairs.setdefault(kind, []).append(pair)
            shuffled = pairs.pop("shuffled_text", [None])[0]
            keys = {"subject": subject.name, "step": subject.step, **as_columns(variant, layout)}
            rows = claim_rows(counted.effects, {str(kind): some for kind, some in pairs.items()}, shuffled)
            yield pd.concat([pd.DataFrame([keys] * len(rows)), rows], axis=1)


@dataclass(frozen=True, eq=False)
class EffectsOfStudy:
    """The effects of the subjects of a study by layout and setting, each read once from the shards."""

    out: Path
    settings: StudySettings
    _known: dict[tuple[str, Layout], Mapping[Variant, Counted]] = field(default_factory=dict)

    @property
    def own(self) -> Variant:
        """The settings of the study."""
        analysis = self.settings.analysis
        return Variant(analysis.measure, analysis.share, analysis.with_special, self.settings.unit)

    def layouts(self, record: Record) -> tuple[Layout, ...]:
        """The layouts in which a subject was read."""
        layout = record.subject.layout
        return layouts_of(layout) if self.settings.every_setting else (layout,)

    def of(self, record: Record, layout: Layout) -> Mapping[Variant, Counted]:
        """By setting, that of the study first."""
        key = record.subject.slug, layout
        if key not in self._known:
            self._known[key] = self._counted(record, layout)
        return self._known[key]

    def pair(self, one: Record, other: Record, layout: Layout, variant: Variant) -> Pair | None:
        """The effects of two subjects over the texts that both counted; None where there are none, or the other has no layout.

        A shuffled text stands beside the plain layout, in which its tokens lie.
        """
        theirs = SHUFFLED if other.subject.layout == SHUFFLED and layout == "plain" else layout
        if theirs not in self.layouts(other):
            return None
        first, second = self.of(one, layout).get(variant), self.of(other, theirs).get(variant)
        if first is None or second is None:
            return None
        if np.array_equal(first.texts, second.texts):
            return first.effects, second.effects
        common = np.intersect1d(first.texts, second.texts)
        both = (
            self._counted(record, where, common, [variant]).get(variant)
            for record, where in ((one, layout), (other, theirs))
        )
        first, second = both
        return (first.effects, second.effects) if first and second else None

    def _counted(
        self, record: Record, layout: Layout, only: np.ndarray | None = None, variants: Sequence[Variant] = VARIANTS
    ) -> dict[Variant, Counted]:
        assert record.model is not None  # it was read
        path, counted = layout_path(self.out, record.subject, layout), dict[Variant, Counted]()
        wanted = layout == record.subject.layout and (variants is VARIANTS or self.own in variants)
        if wanted and (own := effects_of(path, record.model, only)) is not None:
            counted[self.own] = own
        if self.settings.every_setting:
            others = [variant for variant in variants if variant not in counted and variant in VARIANTS]
            counted |= effects_of_variants(path, record.model, only, others)
        return counted


def settings_of(manifest: Mapping[str, object]) -> StudySettings:
    """The settings of a study from its manifest."""
    told = dict(manifest["settings"])  # type: ignore[call-overload]
    analysis = Settings(**{name: told.pop(name) for name in ("measure", "share", "with_special")})
    return StudySettings(analysis, **told)
