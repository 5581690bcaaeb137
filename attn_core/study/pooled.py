"""From shards to tables: the tables of one text, pooled over all texts of a study, with 95 % intervals over texts."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from attn_core.measures.anchors import anchor_table
from attn_core.measures.clusters import cluster_heads
from attn_core.measures.distances import distance_table
from attn_core.measures.frames import head_frame
from attn_core.measures.roles import assign_roles
from attn_core.measures.statistics import BY_NAME, COUNTED
from attn_core.measures.window_counts import BINNED, BY_LAYER, OF_KINDS, TotalCounts
from attn_core.numerics.leave_one_out import interval
from attn_core.runs.shards import tables_named
from attn_core.similarity.moments import MOMENTS, mean_and_deviation
from attn_core.study.anchors import STABILITY, Agreement, agreement
from attn_core.study.opened import numbers
from attn_core.study.shard_tables import Shape, counted_tables, counted_texts, group_sizes, read_counts, readable_texts

Values = Mapping[str, np.ndarray]  # statistic -> (R, H): over all texts, and without each group of them


def pooled_tables(path: Path, shape: Shape, grouped: bool) -> tuple[dict[str, pd.DataFrame], dict[str, int]]:
    """The tables of a subject, and the number of texts and windows behind them. path: that has its shards.

    heads and layers carry `<statistic>_low` and `<statistic>_high`; anchors and heads the stability over windows. grouped:
    whether texts are of works, which then are counted too.
    """
    bad = _bad_texts(path)
    counted = read_counts(path, shape)
    if counted is None:
        return {"bad_texts": bad}, {"texts": 0, "windows": 0, "bad_texts": len(bad)}
    agreed = agreement(path, counted)
    values = {statistic.name: statistic.values(counted.tally) for statistic in COUNTED}
    values |= {**agreed.coverage, STABILITY: agreed.stability.values(STABILITY)}
    heads, (sizes, works) = _heads(counted, agreed), group_sizes(path)
    tables = {
        "heads": heads.assign(**_bounds(values, sizes)),
        "layers": _layers(counted, heads, values, sizes),
        "distances": distance_table(counted.distances),
        "distance_bins": _distance_bins(counted, sizes),
        "kinds": _kinds(counted, sizes),
        "anchors": anchor_table(counted.touching).assign(stability=agreed.leading.ravel()),
        "moments": _moments(path, shape),
        "bad_texts": bad,
    }
    return tables, _size(path) | ({"groups": works} if grouped else {}) | {"bad_texts": len(bad)}


def _heads(counted: TotalCounts, agreed: Agreement) -> pd.DataFrame:
    """The heads table of one text, and the anchor's stability."""
    steady = {STABILITY: agreed.stability.value(STABILITY), f"chance_{STABILITY}": agreed.stability.chance(STABILITY)}
    heads = counted.heads.assign(**steady)
    return heads.join(assign_roles(heads)).assign(cluster=cluster_heads(heads).labels)


def _layers(counted: TotalCounts, heads: pd.DataFrame, values: Values, sizes: np.ndarray) -> pd.DataFrame:
    """The layers table of one text, with intervals."""
    means = {name: of_heads.reshape(-1, *counted.shape).mean(axis=-1) for name, of_heads in values.items()}
    means |= {name: counted.tally.values(name) for name in BY_LAYER}
    return counted.layers(heads).assign(**_bounds(means, sizes))


def _bounds(values: Values, sizes: np.ndarray) -> dict[str, np.ndarray]:
    """Columns `<statistic>_low` and `<statistic>_high`, inside what the statistic can be; sizes: of the texts."""
    columns = {}
    for name, of_all in values.items():
        possible = BY_NAME[name].possible if name in BY_NAME else (0.0, 1.0)
        columns[f"{name}_low"], columns[f"{name}_high"] = np.clip(interval(of_all, sizes), *possible)
    return columns


def _distance_bins(counted: TotalCounts, sizes: np.ndarray) -> pd.DataFrame:
    """Share of each layer's strong pairs by doubling distance, with intervals."""
    shares = counted.tally.values(BINNED).reshape(-1, *counted.shape, counted.tally.chance(BINNED).size).mean(axis=2)
    low, high = np.clip(interval(shares, sizes), 0, 1)
    possible = counted.tally.chance(BINNED) > 0
    return counted.distance_bins.assign(share_low=low[:, possible].ravel(), share_high=high[:, possible].ravel())


def _kinds(counted: TotalCounts, sizes: np.ndarray) -> pd.DataFrame:
    """Share of each head's strong pairs by kind, with intervals."""
    low, high = np.clip(interval(counted.tally.values(OF_KINDS), sizes), 0, 1)
    return counted.kinds.assign(share_low=low, share_high=high)


def _moments(folder: Path, shape: Shape) -> pd.DataFrame:
    """Mean and standard deviation of S over all pairs i < j of a head, windows pooled."""
    sums, pairs = dict.fromkeys(MOMENTS, np.zeros(shape[0] * shape[1])), 0.0
    for table in counted_tables(folder, "windows"):
        sums = {name: total + numbers(table[name]).sum(axis=0) for name, total in sums.items()}
        pairs += numbers(table["pairs"]).sum()
    mean, deviation = mean_and_deviation(sums, pairs)
    return head_frame({"mean_similarity": mean.reshape(shape), "sd_similarity": deviation.reshape(shape)}, *shape)


def _size(folder: Path) -> dict[str, int]:
    """Texts and windows that were counted, and windows that were left out; the parts of a long text are one text."""
    together = pa.concat_tables([table.select(["text", "windows"]) for table in counted_texts(folder)])
    every = sum(
        pc.sum(table[name]).as_py() for table in readable_texts(folder) for name in ("windows", "short_windows")
    )
    windows = pc.sum(together["windows"]).as_py()
    return {"texts": len(pc.unique(together["text"])), "windows": windows, "short_windows": every - windows}


def _bad_texts(folder: Path) -> pd.DataFrame:
    """The texts that were not counted, each with its reason, in the order of the corpus."""
    frames = []
    for table in tables_named(folder, "texts"):
        bad = table.filter(pc.is_valid(table["problem"])).select(["text", "name", "problem"])
        frames.append(bad.rename_columns(["text", "name", "reason"]).cast(_BAD))
    return pa.concat_tables(frames).sort_by("text").to_pandas()


_BAD = pa.schema([("text", pa.int64()), ("name", pa.string()), ("reason", pa.string())])
