"""What the shards of a subject counted, added up: each is read once, for the tables and for the claims."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from attn_core.measures.anchors import RUNNERS_UP, stability
from attn_core.measures.tally import Tally
from attn_core.measures.window_counts import Parts, TotalCounts, added
from attn_core.numerics.leave_one_out import GROUPS, sizes, times
from attn_core.runs.shards import tables_named
from attn_core.study.opened import numbers
from attn_core.study.shard_tables import FEW, KEPT, Shape, read_parts

STABILITY = "anchor_stability"
LISTED = ("touching", "context")  # pairs at the anchors, as far as the lists of the texts hold them
OF_TEXTS = ("text", "group", "name", "problem", "few", "windows", "short_windows", "is_reference", "strong")


@dataclass(frozen=True, eq=False)
class Texts:
    """The texts of a subject, or parts of long ones, a row each with the columns `OF_TEXTS`."""

    rows: pd.DataFrame

    @cached_property
    def few(self) -> bool:
        """Whether no text has a window with `MIN_PAIRS` strong pairs a head."""
        return not self.rows["few"].eq(False).any()

    @cached_property
    def counted(self) -> pd.DataFrame:
        """Those that have such a window, or, where none has one, all that could be read."""
        return self.rows[self.rows["few"].eq(self.few)]

    @property
    def bad(self) -> pd.DataFrame:
        """Those that could not be read, each with its reason."""
        bad = self.rows.loc[self.rows["problem"].notna(), ["text", "name", "problem"]]
        return bad.rename(columns={"problem": "reason"}).astype({"reason": str}).reset_index(drop=True)

    @property
    def short_windows(self) -> int:
        """How many windows were left out of those that could be read."""
        return int(self.rows["short_windows"].sum())

    @property
    def among_references(self) -> bool:
        return bool(self.rows["is_reference"].eq(True).any())

    @property
    def sizes(self) -> np.ndarray:
        """Strong pairs a head of every group of texts, (GROUPS,)."""
        return sizes(self.counted["group"].to_numpy(), self.counted["strong"].to_numpy(dtype=np.float64))


@dataclass(frozen=True, eq=False)
class Counts:
    """What was counted of the windows of a subject.

    total: its tally is of all texts, and without each group of them; beside the statistics it has `STABILITY`, the share of
    windows whose anchor is the pooled one, and `LISTED`. leading: (H, rank), the share of windows in which each token of the
    anchors table leads.
    """

    total: TotalCounts
    leading: np.ndarray


def read_texts(path: Path) -> Texts:
    """The texts of a subject. path: that has its shards."""
    tables = list(tables_named(path, "texts", OF_TEXTS))
    return Texts(pa.concat_tables(tables, promote_options="default").to_pandas())


def read_counts(path: Path, shape: Shape, texts: Texts) -> Counts | None:
    """Everything that was counted; None where no text could be. path: that has the shards of a subject."""
    if texts.counted.empty:
        return None
    parts = _parts(path, shape, texts)
    touching = parts[0]
    ranked = touching.token_ids[touching.ranking()[..., :RUNNERS_UP]].reshape(shape[0] * shape[1], -1)
    tally, leading, windows = Tally(GROUPS), np.zeros(ranked.shape, dtype=np.int64), 0
    for table in tables_named(path, windows_of(texts)):
        add_counts(tally, table)
        leaders = numbers(table["anchor_ids"])
        tally.add_each(STABILITY, stability(leaders, ranked[:, 0]), times(numbers(table["group"])))
        leading += (leaders[:, :, None] == ranked).sum(axis=0)
        windows += len(table)
    _add_listed(tally, path, texts, ranked[:, 0])
    return Counts(TotalCounts(tally, *parts), leading / windows)


def windows_of(texts: Texts) -> str:
    """The table that has the windows that count."""
    return f"{FEW}windows" if texts.few else "windows"


def add_counts(tally: Tally, table: pa.Table) -> None:
    """Add rows of counts, each of them a window or a text, to a tally of all texts and without each group of them."""
    taken = times(numbers(table["group"]))
    for name in (column.removeprefix("weight_") for column in table.column_names if column.startswith("weight_")):
        numerators, chances, weights = (numbers(table[f"{kind}{name}"]) for kind in ("", "chance_", "weight_"))
        tally.add(name, numerators, chances, weights, taken)


def _parts(path: Path, shape: Shape, texts: Texts) -> Parts:
    """The tokens and distances of all shards."""
    names = [f"{FEW if texts.few else ''}{name}" for name in ("tokens", "distances")]
    every: list[Parts] = []
    for tokens, distances in zip(*(tables_named(path, name) for name in names), strict=True):
        every = [added([*every, read_parts(tokens, distances, shape)])]
    return every[0]


def _add_listed(tally: Tally, path: Path, texts: Texts, anchors: np.ndarray) -> None:
    """Add the pairs at the pooled anchors, (H,), that the lists of the texts hold."""
    for table in tables_named(path, "texts"):
        if len(rows := table.filter(pc.equal(table["few"], texts.few))):
            here = numbers(rows["anchor_ids"]).reshape(len(rows), -1, KEPT) == anchors[:, None]
            for name in LISTED:
                pairs = np.where(here, numbers(rows[name]).reshape(here.shape), 0).sum(axis=-1)
                nothing = np.zeros((len(rows), 1))
                tally.add(name, pairs, nothing, numbers(rows["strong"]), times(numbers(rows["group"])))
