"""From counts to tables: the tables of one text, pooled over all texts of a study, with 95 % intervals over texts."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from attn_core.measures.anchors import anchor_table
from attn_core.measures.clusters import cluster_heads
from attn_core.measures.distances import distance_table
from attn_core.measures.roles import assign_roles
from attn_core.measures.statistics import BY_NAME, COUNTED
from attn_core.measures.window_counts import BINNED, BY_LAYER, OF_KINDS, TotalCounts
from attn_core.numerics.leave_one_out import interval
from attn_core.study.counts import LISTED, STABILITY, Counts, Texts

KEPT_ENOUGH = 0.9  # share of an anchor's pairs that the lists of the texts must hold, to bound its coverage by them
Values = Mapping[str, np.ndarray]  # statistic -> (R, H): over all texts, and without each group of them


def pooled_tables(counts: Counts, texts: Texts) -> dict[str, pd.DataFrame]:
    """The tables of a subject.

    heads and layers carry `<statistic>_low` and `<statistic>_high`; anchors and heads the stability over windows.
    """
    total, heads, sizes = counts.total, _heads(counts.total), texts.sizes
    values = {statistic.name: statistic.values(total.tally) for statistic in COUNTED}
    values |= {**_coverage(total), STABILITY: total.tally.values(STABILITY)}
    return {
        "heads": heads.assign(**_bounds(values, sizes)),
        "layers": _layers(total, heads, values, sizes),
        "distances": distance_table(total.distances),
        "distance_bins": _distance_bins(total, sizes),
        "kinds": _kinds(total, sizes),
        "anchors": anchor_table(total.touching).assign(stability=counts.leading.ravel()),
    }


def size_of(texts: Texts, grouped: bool) -> dict[str, int]:
    """How much was counted, and what was left out; the parts of a long text are one text. grouped: whether works count too."""
    counted, bad = texts.counted, {"bad_texts": int(texts.rows["problem"].notna().sum())}
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
    """The heads table of one text, and the anchor's stability."""
    steady = {STABILITY: total.tally.value(STABILITY), f"chance_{STABILITY}": total.tally.chance(STABILITY)}
    heads = total.heads.assign(**steady)
    return heads.join(assign_roles(heads)).assign(cluster=cluster_heads(heads).labels)


def _coverage(total: TotalCounts) -> Values:
    """Exact over all texts, and without a group as far as the texts' lists hold the pooled anchors."""
    leaders = total.touching.leaders()
    exact = (one.at(leaders).ravel() for one in (total.touching, total.context))
    names = ("anchor_coverage", "anchor_context_share")
    return {
        name: scaled(total.tally.values(listed), of_all)
        for name, listed, of_all in zip(names, LISTED, exact, strict=True)
    }


def scaled(listed: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """The listed shares (R, H), scaled so that row 0 is the exact one; NaN where the lists hold too little of it."""
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.where(listed[0] >= KEPT_ENOUGH * exact, listed * (exact / listed[0]), np.nan)
    values[0] = exact
    return values


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
