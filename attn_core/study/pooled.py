"""The tables of a subject: the sums of the counts of its shards, with 95 % intervals over texts."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from attn_core.measures.anchors import RUNNERS_UP, anchor_table, stability
from attn_core.measures.clusters import cluster_heads
from attn_core.measures.distances import distance_table
from attn_core.measures.noise import without_each_text
from attn_core.measures.roles import assign_roles
from attn_core.measures.statistics import BY_NAME, COUNTED
from attn_core.measures.tally import Tally
from attn_core.measures.window_counts import BINNED, BY_LAYER, OF_KINDS, TokenAndDistanceCounts, TotalCounts, added
from attn_core.models.language_head import CHANCE, ENTROPIES
from attn_core.numerics.leave_one_out import (
    GROUPS,
    error_without_each,
    inclusion,
    interval,
    interval_of_logarithm,
    interval_of_mean,
    means_of_groups,
    sizes,
)
from attn_core.runs.shards import numbers, tables_named
from attn_core.study.shard_tables import FEW, Shape, read_parts

AT_ONCE = 10  # shards that are added at once: each time, the sums of all shards before are copied
# The shares of windows whose anchor is that of all texts, and of those whose anchor is each token of the anchors table.
STABILITY, LEADING = "anchor_stability", "leading"
OF_TEXTS = (
    "text", "group", "name", "language", "problem", "few", "windows", "short_windows", "tokens", "strong", "encoding",
)  # fmt: skip
Values = Mapping[str, np.ndarray]  # by statistic, (R, H): over all texts, and with each group left out


@dataclass(frozen=True, eq=False)
class Texts:
    """The texts of a subject, or parts of long texts: a row each, with the columns `OF_TEXTS`."""

    rows: pd.DataFrame

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


def read_texts(path: Path) -> Texts:
    """The texts of a subject. path: the folder of its shards."""
    tables = list(tables_named(path, "texts", OF_TEXTS))
    return Texts(pa.concat_tables(tables, promote_options="default").to_pandas())


def read_counts(path: Path, shape: Shape, texts: Texts) -> TotalCounts | None:
    """The counts of a subject, over all texts and with each group left out; None if no text could be counted.

    path: the folder of its shards.
    """
    if texts.counted.empty:
        return None
    parts = _parts(path, shape, texts)
    touching, tally = parts.touching, Tally(GROUPS)
    ranked = touching.token_ids[touching.ranking()[..., :RUNNERS_UP]].reshape(shape[0] * shape[1], -1)
    windows = tables_named(path, windows_of(texts))
    while some := list(islice(windows, AT_ONCE)):
        table = pa.concat_tables(some)
        leaders, taken = numbers(table["anchor_ids"]), inclusion(numbers(table["group"]))
        add_counts(tally, table, taken)
        tally.add_each(STABILITY, stability(leaders, ranked[:, 0]), taken)
        leading = (leaders[:, :, None] == ranked).reshape(len(table), -1)
        tally.add(LEADING, leading, np.zeros((len(table), 1)), np.ones(len(table)), taken)
    return TotalCounts(tally, parts)


def windows_of(texts: Texts) -> str:
    """The name of the table with the windows that count."""
    return f"{FEW}windows" if texts.few else "windows"


def add_counts(tally: Tally, table: pa.Table, taken: np.ndarray) -> None:
    """Add rows of counts, of windows or texts, to a tally. taken: how often each row of the tally includes each."""
    for name in (column.removeprefix("weight_") for column in table.column_names if column.startswith("weight_")):
        numerators, chances, weights = (numbers(table[f"{kind}{name}"]) for kind in ("", "chance_", "weight_"))
        tally.add(name, numerators, chances, weights, taken)


def _parts(path: Path, shape: Shape, texts: Texts) -> TokenAndDistanceCounts:
    """The sums of tokens and distances over all shards."""
    names = [f"{FEW if texts.few else ''}{name}" for name in ("tokens", "distances")]
    tables = zip(*(tables_named(path, name) for name in names), strict=True)
    parts = (read_parts(tokens, distances, shape) for tokens, distances in tables)
    total: list[TokenAndDistanceCounts] = []
    while some := list(islice(parts, AT_ONCE)):
        total = [added([*total, *some])]
    return total[0]


def pooled_tables(total: TotalCounts, texts: Texts) -> dict[str, pd.DataFrame]:
    """The tables of a subject by name.

    heads and layers have `<statistic>_low` and `<statistic>_high`; anchors and heads have the stability over windows.
    """
    heads, sizes, parts = _heads(total), texts.sizes, total.parts
    values = {statistic.name: statistic.values(total.tally) for statistic in COUNTED}
    values |= {STABILITY: total.tally.values(STABILITY)}
    without = without_each_text(total.tally)
    return {
        "heads": heads.assign(**_bounds(values, sizes, without)),
        "layers": _layers(total, heads, values, sizes, without),
        "distances": distance_table(parts.distances),
        "distance_bins": _distance_bins(total, sizes),
        "kinds": _kinds(total, sizes),
        "anchors": anchor_table(parts.touching).assign(stability=total.tally.value(LEADING)),
    }


def entropy_table(folder: Path) -> pd.DataFrame | None:
    """A row per layer (0: the embeddings): layer, places, texts, entropy, cross_entropy, bounds, chance_entropy.

    Values are in bits, means over texts or groups of texts. None for a subject without entropies.
    """
    windows = list(tables_named(folder, "entropies"))
    if not windows:
        return None
    every = pa.concat_tables(windows)
    places, chance = (numbers(every[name]).astype(np.float64) for name in ("places", CHANCE))
    made = dict[str, object]()
    for kind in ENTROPIES:
        groups, by_group = means_of_groups(numbers(every["group"]), numbers(every[kind]), places)
        low, high = interval_of_mean(by_group)
        made |= {kind: by_group.mean(axis=0), f"{kind}_low": low, f"{kind}_high": high}
    table = pd.DataFrame(
        {"layer": np.arange(by_group.shape[1]), "places": int(places.sum()), "texts": len(groups), **made}
    )
    return table.assign(**{CHANCE: chance.max()})


def size_of(texts: Texts, grouped: bool) -> dict[str, int]:
    """The numbers of texts and windows, counted and left out. grouped: with the number of groups."""
    counted, bad = texts.counted, {"bad_texts": int(texts.rows["problem"].notna().sum())}
    bad["assumed_encodings"] = texts.rows.loc[texts.rows["encoding"].notna(), "text"].nunique()
    if counted.empty:
        return {"texts": 0, "windows": 0, **bad}
    windows, every = (int(rows["windows"].sum()) for rows in (counted, texts.rows))
    size = {
        "texts": counted["text"].nunique(),
        "windows": windows,
        "short_windows": every + texts.short_windows - windows,
    }
    return size | ({"groups": counted["group"].nunique()} if grouped else {}) | bad


def _heads(total: TotalCounts) -> pd.DataFrame:
    """The heads table, with the columns of a single text and the stability of the anchor."""
    steady = {STABILITY: total.tally.value(STABILITY), f"chance_{STABILITY}": total.tally.chance(STABILITY)}
    heads = total.heads.assign(**steady)
    return heads.join(assign_roles(heads)).assign(cluster=cluster_heads(heads).labels)


def _layers(
    counted: TotalCounts, heads: pd.DataFrame, values: Values, sizes: np.ndarray, without: Values
) -> pd.DataFrame:
    """The layers table, with the columns of a single text and intervals."""
    of_layers, without = (
        {name: of_heads.reshape(-1, *counted.shape).mean(axis=-1) for name, of_heads in by_name.items()}
        for by_name in (values, without)
    )
    of_layers |= {name: counted.tally.values(name) for name in BY_LAYER}
    return counted.layers(heads).assign(**_bounds(of_layers, sizes, without))


def _bounds(values: Values, sizes: np.ndarray, without: Values) -> dict[str, np.ndarray]:
    """The columns `<statistic>_low` and `<statistic>_high`, within the range of the statistic.

    sizes: of the groups. without: of the statistics that depend on reference texts, without each of them, (n, H): their
    intervals have the error over these too. That of the noise rate is of the logarithm, as in its claim.
    """
    columns = {}
    for name, of_all in values.items():
        possible = BY_NAME[name].possible if name in BY_NAME else (0.0, 1.0)
        if name == "noise_rate":
            with np.errstate(divide="ignore", invalid="ignore"):  # a rate of 0 gives no bounds
                bounds = interval_of_logarithm(of_all, sizes, error_without_each(np.log(without[name])))
        else:
            bounds = interval(of_all, sizes, error_without_each(without[name]) if name in without else None)
        columns[f"{name}_low"], columns[f"{name}_high"] = np.clip(bounds, *possible)
    return columns


def _distance_bins(counted: TotalCounts, sizes: np.ndarray) -> pd.DataFrame:
    """The share of each layer's strong pairs in bins of doubling distance, with intervals."""
    shares = counted.tally.values(BINNED).reshape(-1, *counted.shape, counted.tally.chance(BINNED).size).mean(axis=2)
    low, high = np.clip(interval(shares, sizes), 0, 1)
    possible = counted.tally.chance(BINNED) > 0
    return counted.distance_bins.assign(share_low=low[:, possible].ravel(), share_high=high[:, possible].ravel())


def _kinds(counted: TotalCounts, sizes: np.ndarray) -> pd.DataFrame:
    """The share of each head's strong pairs by kind, with intervals."""
    low, high = np.clip(interval(counted.tally.values(OF_KINDS), sizes), 0, 1)
    return counted.kinds.assign(share_low=low, share_high=high)
