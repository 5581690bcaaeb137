"""The table of claims of a study: for every subject, and every setting that was counted, a row a claim."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from attn_core.claims.table import Pair, claim_rows
from attn_core.models.controls import Control
from attn_core.study.effects import SubjectEffects
from attn_core.study.subjects import SHUFFLED
from attn_core.study.variants import Variant, as_columns
from attn_core.texts.passages import Layout


def claims_table(every: Sequence[SubjectEffects]) -> pd.DataFrame:
    """Columns subject, step, layout, measure, share, special, unit, and those of `claim_rows`, of the finished subjects.

    A baseline has rows of its own, without baselines.
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
    """The effects of two subjects over the texts that both counted; None where there are none, or the other has no layout.

    A shuffled text is compared with the plain layout, in which its tokens lie.
    """
    theirs = SHUFFLED if other.record.subject.layout == SHUFFLED and layout == "plain" else layout
    first, second = one.by_layout[layout][variant], other.by_layout.get(theirs, {}).get(variant)
    if second is None:
        return None
    if np.array_equal(first.texts, second.texts):
        return first.effects, second.effects
    common = np.intersect1d(first.texts, second.texts)
    if not len(common):
        return None
    return one.over(layout, variant, common).effects, other.over(theirs, variant, common).effects
