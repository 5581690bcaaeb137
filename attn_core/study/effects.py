"""The effects of the claims in what a subject read: over all texts, and without each group of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from attn_core.claims.table import Effects
from attn_core.claims.verdicts import Basis
from attn_core.measures.effects import effect_values, reference_error
from attn_core.measures.tally import Tally
from attn_core.numerics.leave_one_out import GROUPS, sizes
from attn_core.runs.job import ModelFacts
from attn_core.runs.shards import tables_named
from attn_core.study.opened import numbers
from attn_core.study.shard_tables import add_counts, counted_texts, of_texts, only_few, read_tally, readable_texts
from attn_core.study.variants import VARIANTS, Variant


@dataclass(frozen=True, eq=False)
class Counted:
    """The effects in some texts, and the numbers of these texts, sorted."""

    effects: Effects
    texts: np.ndarray


def effects_of(path: Path, model: ModelFacts, only: np.ndarray | None = None) -> Counted | None:
    """Under the settings of the study; None where no text was counted. path: with the shards of a subject. only: these texts."""
    tally = read_tally(path, only)
    texts = [of_texts(table, only) for table in counted_texts(path)]
    short = sum(int(pc.sum(table["short_windows"]).as_py()) for table in readable_texts(path)) if texts else 0
    return _counted(tally, model, texts, only_few(path), short, _among_references(path))


def effects_of_variants(
    path: Path, model: ModelFacts, only: np.ndarray | None = None, variants: Sequence[Variant] = VARIANTS
) -> dict[Variant, Counted]:
    """Under some settings of a layout, without those that no text answers. only: in these texts."""
    among_references, few = _among_references(path), _few_variants(path)
    places = [VARIANTS.index(variant) for variant in variants]
    tallies = {place: Tally(GROUPS) for place in places}
    texts: dict[int, list[pa.Table]] = {place: [] for place in places}
    short = np.zeros(len(VARIANTS))
    for table in tables_named(path, "variants"):
        short += np.bincount(numbers(table["variant"]), numbers(table["short_windows"]), len(short))
        for place in places:
            rows = table.filter(pc.equal(table["variant"], place))
            rows = of_texts(rows if place in few else rows.filter(pc.invert(rows["few"])), only)
            if len(rows):
                add_counts(tallies[place], rows)
                texts[place].append(rows.select(["text", "group", "strong"]))
    counted = {
        VARIANTS[place]: _counted(
            tallies[place], model, texts[place], place in few, int(short[place]), among_references
        )
        for place in places
    }
    return {variant: one for variant, one in counted.items() if one is not None}


def _few_variants(path: Path) -> set[int]:
    """The variants under which no text has a window with `MIN_PAIRS` strong pairs a head."""
    every, enough = set[int](), set[int]()
    for table in tables_named(path, "variants"):
        place, few = numbers(table["variant"]), numbers(table["few"]).astype(bool)
        every.update(place.tolist())
        enough.update(place[~few].tolist())
    return every - enough


def _among_references(path: Path) -> bool:
    return any(pc.any(table["is_reference"]).as_py() for table in readable_texts(path))


def _counted(
    tally: Tally, model: ModelFacts, texts: list[pa.Table], few: bool, short: int, among_references: bool
) -> Counted | None:
    numbered, groups, strong = (
        np.concatenate([numbers(table[name]) for table in texts]) if texts else np.zeros(0)
        for name in ("text", "group", "strong")
    )
    if not len(numbered):
        return None
    shape = model.layers, model.heads
    values, chance = effect_values(tally, shape)
    inside = float(tally.chance("same_sentence_share")[0])
    separators = bool(np.all(tally.chance("separator_attention") > 0))
    basis = Basis(*shape, few, short, inside, separators, model.causal, among_references)
    every = np.unique(numbered)
    by_chance = {name: float(level[0]) for name, level in chance.items()}
    effects = Effects(values, by_chance, sizes(groups, strong), len(every), reference_error(tally, shape), basis)
    return Counted(effects, every)
