"""The tables of a subject from the sums of its counts, with 95 % intervals over texts."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from attn_core.measures.anchors import anchor_table
from attn_core.measures.clusters import cluster_heads
from attn_core.measures.distances import distance_table
from attn_core.measures.noise import without_each_text
from attn_core.measures.roles import assign_roles
from attn_core.measures.statistics import BY_NAME, COUNTED
from attn_core.measures.tally import mean_of_heads
from attn_core.measures.window_counts import BINNED, BY_LAYER, OF_KINDS, TotalCounts
from attn_core.models.language_head import CHANCE, ENTROPIES
from attn_core.numerics.leave_one_out import (
    error_without_each,
    interval,
    interval_of_logarithm,
    interval_of_mean,
    means_of_groups,
)
from attn_core.runs.shards import numbers, tables_named
from attn_core.study.by_text import Texts
from attn_core.study.sums import LEADING, STABILITY

Values = Mapping[str, np.ndarray]  # by statistic, (R, H): over all texts, and with each group left out


def pooled_tables(total: TotalCounts, texts: Texts) -> dict[str, pd.DataFrame]:
    """The tables of a subject by name.

    heads and layers have `<statistic>_low` and `<statistic>_high`; anchors and heads have the stability over windows.
    """
    heads, sizes, parts = _heads(total), texts.sizes, total.parts
    values = {statistic.name: statistic.values(total.tally) for statistic in COUNTED}
    values |= {STABILITY: total.tally.values(STABILITY)}
    without, leading = without_each_text(total.tally), total.tally.value(LEADING)
    return {
        "heads": heads.assign(**_bounds(values, sizes, without)),
        "layers": _layers(total, heads, values, sizes, without),
        "distances": distance_table(parts.distances),
        "distance_bins": _distance_bins(total, sizes),
        "kinds": _kinds(total, sizes),
        "anchors": anchor_table(parts.touching).assign(stability=leading[~np.isnan(leading)]),
    }


def entropy_table(folder: Path) -> pd.DataFrame:
    """A row per layer (0: the embeddings): layer, places, texts, entropy, cross_entropy, bounds, chance_entropy.

    Values are in bits, means over texts or groups of texts. It is empty for a subject without entropies.
    """
    windows = list(tables_named(folder, "entropies"))
    if not windows:
        return pd.DataFrame()
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
        {name: mean_of_heads(of_heads.reshape(-1, *counted.shape)) for name, of_heads in by_name.items()}
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
    by_head = counted.tally.values(BINNED).reshape(-1, *counted.shape, counted.tally.chance(BINNED).size)
    shares = mean_of_heads(by_head, axis=2)
    low, high = np.clip(interval(shares, sizes), 0, 1)
    possible = counted.tally.chance(BINNED) > 0
    return counted.distance_bins.assign(share_low=low[:, possible].ravel(), share_high=high[:, possible].ravel())


def _kinds(counted: TotalCounts, sizes: np.ndarray) -> pd.DataFrame:
    """The share of each head's strong pairs by kind, with intervals."""
    shares = counted.tally.values(OF_KINDS)
    low, high = np.clip(interval(shares[:, ~np.isnan(shares[0])], sizes), 0, 1)
    return counted.kinds.assign(share_low=low, share_high=high)
