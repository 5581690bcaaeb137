"""The texts of a subject: the size of each or the problem with it, and its effects and statistics by head alone."""

import math
from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from attn_core.claims.claim import CLAIMS
from attn_core.claims.counted import Counted
from attn_core.claims.effects import effects_of
from attn_core.measures.few_pairs import MIN_PAIRS
from attn_core.measures.frames import head_frame
from attn_core.measures.statistics import BY_NAME, statistic_columns
from attn_core.measures.tally import Tally
from attn_core.numerics.leave_one_out import LEAST, sizes
from attn_core.runs.shards import numbers, tables_named
from attn_core.study.opened import Record
from attn_core.study.shard_tables import add_counts

BY_HEAD = tuple(
    BY_NAME[name]
    for name in (
        "mean_distance", "same_sentence_share", "near_share", "nearby_share", "repetition_share", "separator_share",
        "length_share", "noise_rate", "separator_attention", "attention_spread",
    )
)  # fmt: skip
MOST = 200  # texts of the table by head, evenly spaced in the corpus
SHORT = f"too short: no window has {MIN_PAIRS} strong pairs a head"
AT_ONCE = 10  # the least number of shards that are added up at once


@dataclass(frozen=True, eq=False)
class Texts:
    """The texts of a subject, or parts of long texts.

    rows: those of the texts tables, see `shard_tables`. ranges: of the shards that are added up at once.
    """

    rows: pd.DataFrame
    ranges: Sequence[slice] = ()

    @cached_property
    def few(self) -> bool:
        """Whether no text has a window with `MIN_PAIRS` strong pairs per head."""
        return not self.rows["few"].eq(False).any()

    @cached_property
    def counted(self) -> pd.DataFrame:
        """The texts with a window of `MIN_PAIRS` strong pairs per head; if there is none, all that could be read."""
        return self.rows[self.rows["few"].eq(self.few)]

    @property
    def bad(self) -> pd.DataFrame:
        """The texts that could not be read, each with its reason."""
        bad = self.rows.loc[self.rows["problem"].notna(), ["text", "name", "problem"]]
        return bad.rename(columns={"problem": "reason"}).astype({"reason": str}).reset_index(drop=True)

    @property
    def short_windows(self) -> int:
        """The number of windows that were left out as too short."""
        return int(self.rows["short_windows"].sum())

    @property
    def sizes(self) -> np.ndarray:
        """The strong pairs per head of every group of texts, (GROUPS,)."""
        return sizes(self.counted["group"].to_numpy(), self.counted["strong"].to_numpy(dtype=np.float64))

    @property
    def by_head(self) -> list[int]:
        """The numbers of at most `MOST` of the counted texts, evenly spaced."""
        every = self.counted["text"].unique()
        return every[:: -(-len(every) // MOST) or 1].tolist()


def read_texts(path: Path) -> Texts:
    """The texts of a subject. path: the folder of its shards."""
    tables = list(tables_named(path, "texts"))
    return Texts(pa.concat_tables(tables, promote_options="default").to_pandas(), _ranges(tables))


def _ranges(tables: Sequence[pa.Table]) -> list[slice]:
    """Ranges of at least `AT_ONCE` shards, but for the last, that end with a text. tables: texts of each shard."""
    first, last = ([table["text"][at].as_py() for table in tables] for at in (0, -1))
    starts = [0]
    for shard in range(1, len(tables)):
        if shard - starts[-1] >= AT_ONCE and first[shard] > last[shard - 1]:
            starts.append(shard)
    return [slice(*ends) for ends in pairwise([*starts, len(tables)])]


def effects_by_text(
    windows: pa.Table, record: Record, few: bool, by_head: Container[int]
) -> tuple[list[pd.DataFrame], list[pd.DataFrame]]:
    """The effects of each text, a row each, and the statistics by head of some of them. windows: of whole texts."""
    every, frames = list[dict[str, float]](), list[pd.DataFrame]()
    texts, starts = np.unique(numbers(windows["text"]), return_index=True)
    for text, (start, end) in zip(texts.tolist(), pairwise([*starts.tolist(), len(windows)]), strict=True):
        all_heads = Tally()
        add_counts(all_heads, windows[start:end], np.ones((1, end - start)))
        tally = all_heads.without(record.removed)
        # The number of texts is no reason here: a text answers for itself alone.
        of_text = effects_of(Counted(tally, *record.shape, np.ones(LEAST), few))
        known = {name: np.nan if effect.reason else effect.value for name, effect in of_text.items()}
        every.append({"text": text, **known})
        if text in by_head:
            columns = statistic_columns(tally, BY_HEAD, math.prod(record.shape))
            of_heads = head_frame({name: column.astype(np.float32) for name, column in columns.items()}, *record.shape)
            frames.append(of_heads.assign(text=text)[["text", *of_heads]])
    return [pd.DataFrame(every)], frames


def text_table(texts: Texts, effects: pd.DataFrame) -> pd.DataFrame:
    """A row per text, with the effects of the windows that count; an effect that the text cannot answer is empty."""
    names = ["text", *(claim.effect for claim in CLAIMS)]
    return _facts(texts).merge(effects.reindex(columns=names).astype(float).astype({"text": int}), "left")


def _facts(texts: Texts) -> pd.DataFrame:
    """Name, language, problem and size of each text; the windows are those that count."""
    rows = texts.rows.assign(every=texts.rows[["windows", "short_windows"]].sum(axis=1))
    rows["windows"] = rows["windows"].where(rows["few"].eq(texts.few), 0)
    facts = rows.groupby("text", as_index=False).agg(
        name=("name", "first"), language=("language", "first"), problem=("problem", "first"),
        windows=("windows", "sum"), short_windows=("every", "sum"), tokens=("tokens", "sum"),
    )  # fmt: skip
    short = facts["windows"].eq(0) & facts["problem"].isna()
    problem = facts["problem"].where(facts["windows"].eq(0)).mask(short, SHORT)
    facts = facts.assign(problem=problem, short_windows=facts["short_windows"] - facts["windows"])
    whole = dict.fromkeys(("windows", "short_windows", "tokens"), int)
    return facts.astype({**whole, "language": "string", "problem": "string"})
