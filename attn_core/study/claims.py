"""The claims of a study: the effects in the texts of each subject, and the table of all verdicts."""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import asdict
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from attn_core.claims.counted import Counted
from attn_core.claims.effects import Effects, effects_of
from attn_core.claims.table import claim_rows
from attn_core.measures.tally import Tally
from attn_core.models.baselines import Control
from attn_core.numerics.leave_one_out import GROUPS, distinct_rows, sizes
from attn_core.runs.shards import numbers, tables_named
from attn_core.study.by_text import Texts
from attn_core.study.opened import Record, layout_path
from attn_core.study.settings import VARIANTS, StudySettings, Variant, as_columns, layouts_of
from attn_core.study.shard_tables import add_counts
from attn_core.study.subjects import SHUFFLED, Subject
from attn_core.study.sums import Map, on_one_thread
from attn_core.texts.passages import Layout

Sums = tuple[Tally, np.ndarray, pa.Table]  # of some texts, their rows (see `distinct_rows`), and these texts
OfVariants = dict[tuple[int, bool], Sums]  # by place in `VARIANTS`, and whether pairs are few
ByLayout = Mapping[Layout, Mapping[Variant, Effects]]  # under each layout and setting; that of the study comes first


def effects_by_layout(
    out: Path, record: Record, settings: StudySettings, texts: Texts, tally: Tally | None, work: Map = map
) -> ByLayout:
    """The effects of a finished subject, without settings under which no text was counted.

    out: the folder of the study. tally: of all texts under the settings of the study; None if no text was counted.
    work: how shards are added up.
    """
    layouts = layouts_of(record.subject.layout, settings.every_setting)
    every: dict[Layout, dict[Variant, Effects]] = {layout: {} for layout in layouts}
    if tally is not None:
        own = Variant(**asdict(settings.analysis), unit=settings.unit)
        every[layouts[0]][own] = _effects(record, tally, texts.counted, texts.few, texts.short_windows)
    for layout, known in every.items() if settings.every_setting else ():
        path = layout_path(out, record.subject, layout)
        known |= _of_variants(record, work(partial(_variants, path, frozenset(known)), texts.ranges))
    return every


@on_one_thread
def _variants(path: Path, known: Container[Variant], shards: slice) -> tuple[np.ndarray, OfVariants]:
    """The number of short windows under each setting, and the sums under each that is not known, of some shards."""
    tables, sums = list(tables_named(path, "variants", shards=shards)), OfVariants()
    if not tables:
        return np.zeros(len(VARIANTS)), sums
    every = pa.concat_tables(tables)
    for place, few in product(range(len(VARIANTS)), (False, True)):
        rows = every.filter(pc.and_(pc.equal(every["variant"], place), pc.equal(every["few"], few)))
        if len(rows) and VARIANTS[place] not in known:
            taken, of_all = distinct_rows(numbers(rows["group"]))
            tally = Tally(len(taken) - 1)
            add_counts(tally, rows, taken)
            sums[place, few] = tally, of_all, rows.select(["text", "group", "strong"])
    return np.bincount(numbers(every["variant"]), numbers(every["short_windows"]), len(VARIANTS)), sums


def _of_variants(record: Record, ranges: Iterable[tuple[np.ndarray, OfVariants]]) -> dict[Variant, Effects]:
    """The effects under each setting. Texts with few strong pairs count only if no text has more."""
    short, total = np.zeros(len(VARIANTS)), dict[tuple[int, bool], tuple[Tally, list[pa.Table]]]()
    for short_windows, sums in ranges:
        short += short_windows
        for key, (some, rows, texts) in sums.items():
            tally, parts = total.setdefault(key, (Tally(GROUPS), []))
            tally.merge(some, rows)
            parts.append(texts)
    effects = {}
    for (place, few), (tally, parts) in sorted(total.items(), key=lambda one: one[0]):
        if not few or (place, False) not in total:
            every = pa.concat_tables(parts).to_pandas()
            effects[VARIANTS[place]] = _effects(record, tally, every, few, int(short[place]))
    return effects


def _effects(record: Record, tally: Tally, texts: pd.DataFrame, few: bool, short: int) -> Effects:
    """The effects of a tally. texts: the texts it counts, with the columns text, group, strong."""
    assert record.model is not None  # it is finished
    weights = sizes(texts["group"].to_numpy(), texts["strong"].to_numpy(dtype=np.float64))
    counted = Counted(tally, *record.shape, weights, few)
    return Effects(effects_of(counted), np.unique(texts["text"]), short, record.model.causal)


def claims_table(every: Mapping[Subject, ByLayout], unlike: Container[Subject] = ()) -> pd.DataFrame:
    """The claims table: a row per subject, setting and claim, with baselines.

    Columns subject, step, layout, measure, share, special, unit, and those of `claim_rows`. unlike: the steps that are
    not compared with the untrained copies of their training, see `unlike_steps`.
    """
    rows = [rows for subject in every for rows in _of_subject(subject, every, subject in unlike)]
    return pd.concat(rows, ignore_index=True).astype({"step": "Int64"}) if rows else pd.DataFrame()


def _of_subject(subject: Subject, every: Mapping[Subject, ByLayout], unlike: bool) -> Iterator[pd.DataFrame]:
    baselines = [other for other in every if other.serves(subject)] if not subject.of else []
    baselines = [other for other in baselines if other.step == subject.step] if unlike else baselines
    settings = ((layout, *one) for layout, by_variant in every[subject].items() for one in by_variant.items())
    for layout, variant, own in settings:
        of_baselines: dict[Control, list[Effects]] = {}
        for other in baselines:
            # Shuffled text is compared with the plain layout, since it has the same positions.
            theirs = SHUFFLED if other.layout == SHUFFLED and layout == "plain" else layout
            found = every[other].get(theirs, {}).get(variant)
            if other.baseline and found is not None and np.array_equal(own.texts, found.texts):
                of_baselines.setdefault(other.baseline, []).append(found)
        keys = {"subject": subject.name, "step": subject.step, **as_columns(variant, layout)}
        rows = claim_rows(own, of_baselines)
        yield pd.concat([pd.DataFrame([keys] * len(rows)), rows], axis=1)
