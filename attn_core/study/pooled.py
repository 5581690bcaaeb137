"""From shards to tables: the tables of one text, pooled over all texts of a study, with 95 % intervals over texts."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from attn_core.export import table_files
from attn_core.measures.anchors import anchor_rows, anchor_table
from attn_core.measures.clusters import FEATURES, cluster_heads
from attn_core.measures.distances import BINS, bin_rows, distance_rows, in_bins
from attn_core.measures.frames import head_frame, with_chance
from attn_core.measures.heads import layer_table
from attn_core.measures.roles import assign_roles
from attn_core.study.anchors import Agreement, Shape, Tokens, agreement, pooled_tokens
from attn_core.study.bootstrap import interval
from attn_core.study.counts import MOMENTS
from attn_core.study.opened import numbers, shard_tables
from attn_core.study.sums import ATTENTION, Sums, pair_statistics, statistics, window_sums

RESAMPLED = 20  # replicates whose heads are kept, for the stability of clusters


def pooled_files(folder: Path, manifest: Mapping[str, Any]) -> dict[str, bytes]:
    """Every pooled table as CSV and Parquet, by file name."""
    tables, size = pooled_tables(folder, manifest)
    return table_files(tables, _provenance(manifest) | size)


def pooled_tables(folder: Path, manifest: Mapping[str, Any]) -> tuple[dict[str, pd.DataFrame], dict[str, int]]:
    """The tables, and the number of texts and windows behind them.

    heads and layers carry `<statistic>_low` and `<statistic>_high`; anchors and heads the stability over texts.
    """
    model, settings = manifest["model"], manifest["settings"]
    shape = model["layers"], model["heads"]
    bad = _bad_texts(folder)
    sums = window_sums(folder, settings["draws"], settings["seed"])
    if sums is None:
        return {"bad_texts": bad}, {"texts": 0, "windows": 0, "bad_texts": len(bad)}
    strong = int(sums.numbers["strong"][0])
    tokens = pooled_tokens(folder, strong, shape)
    agreed = agreement(folder, tokens.coverage, settings["draws"], settings["seed"])
    found = statistics(sums) | agreed.by_head
    heads = _heads(sums, found, tokens, shape)
    distances, chance = _distance_sums(folder, shape)
    tables = {
        "heads": heads.assign(**_bounds(found)),
        "layers": _layers(heads, found, agreed, shape),
        "distances": distance_rows(distances.reshape(*shape, -1), chance / strong),
        "distance_bins": _distance_bins(sums, chance / strong, shape),
        "anchors": anchor_table(tokens.coverage).assign(stability=agreed.leading.ravel()),
        "resampled": _resampled(found, heads, shape),
        "moments": _moments(sums, shape),
        "bad_texts": bad,
    }
    return tables, {"texts": agreed.texts, "windows": sums.windows, "bad_texts": len(bad)}


def _heads(sums: Sums, found: Mapping[str, np.ndarray], tokens: Tokens, shape: Shape) -> pd.DataFrame:
    """The heads table of one text, with the columns in its order, and the anchor's stability."""
    study = {name: _shaped(values[0], shape) for name, values in found.items()}
    pairs = [*pair_statistics(sums), "concentration"]
    chance = {name: study[f"chance_{name}"] for name in [*pairs, *ATTENTION, "anchor_stability"]}
    made = head_frame({"pairs": np.int64(sums.numbers["strong"][0])} | with_chance(_only(study, pairs), chance), *shape)
    context = study["anchor_context_share"], study["chance_anchor_context_share"]
    anchors = anchor_rows(tokens.coverage, tokens.is_separator, *context).drop(columns=["layer", "head"])
    others = head_frame(with_chance(_only(study, [*ATTENTION, "anchor_stability"]), chance), *shape)
    made = pd.concat([made, anchors, others.drop(columns=["layer", "head"])], axis=1)
    return made.join(assign_roles(made)).assign(cluster=cluster_heads(made).labels)


def _only(study: Mapping[str, np.ndarray], names: list[str]) -> dict[str, np.ndarray]:
    return {name: study[name] for name in names}


def _shaped(values: np.ndarray, shape: Shape) -> np.ndarray:
    """(H,) -> (layer, head); one number for all heads as it is."""
    return values.reshape(shape) if len(values) > 1 else values


def _layers(heads: pd.DataFrame, found: Mapping[str, np.ndarray], agreed: Agreement, shape: Shape) -> pd.DataFrame:
    """The layers table of one text; the uniqueness of its anchors is the mean over texts, with its chance level."""
    means = {name: values.reshape(-1, *shape).mean(axis=-1) for name, values in found.items() if _has_bounds(name)}
    uniqueness = {name: values[0] for name, values in agreed.by_layer.items()}
    return layer_table(heads).assign(**uniqueness, **_bounds(means | agreed.by_layer))


def _has_bounds(name: str) -> bool:
    return not name.startswith("chance_")


def _bounds(ratios: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Columns `<statistic>_low` and `<statistic>_high`."""
    columns = {}
    for name, values in ratios.items():
        if _has_bounds(name):
            columns[f"{name}_low"], columns[f"{name}_high"] = interval(values[1:])
    return columns


def _resampled(found: Mapping[str, np.ndarray], heads: pd.DataFrame, shape: Shape) -> pd.DataFrame:
    """The clusters' features of every head in the first replicates: draw, layer, head, and the features.

    Where a replicate has no value of its own, the study's stands.
    """
    draws = []
    for draw in range(1, 1 + min(RESAMPLED, len(found["mean_distance"]) - 1)):
        values = {name: np.where(np.isnan(found[name][draw]), heads[name], found[name][draw]) for name in FEATURES}
        made = head_frame({name: row.reshape(shape) for name, row in values.items()}, *shape)
        made.insert(0, "draw", draw)
        draws.append(made)
    return pd.concat(draws, ignore_index=True)


def _distance_sums(folder: Path, shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    """Strong pairs (H, distance), and the sum of K times the share of all pairs (distance,)."""
    counts, chance = np.zeros((shape[0] * shape[1], 0), dtype=np.int64), np.zeros(0)
    for table in shard_tables(folder, "distances"):
        pairs, expected = numbers(table["pairs"]).T, numbers(table["chance"])
        longest = max(counts.shape[1], pairs.shape[1])
        counts = _wide(counts, longest) + _wide(pairs, longest)
        chance = _wide(chance, longest) + _wide(expected, longest)
    return counts, chance


def _wide(values: np.ndarray, width: int) -> np.ndarray:
    return np.pad(values, [(0, 0)] * (values.ndim - 1) + [(0, width - values.shape[-1])])


def _distance_bins(sums: Sums, chance: np.ndarray, shape: Shape) -> pd.DataFrame:
    """`distances.binned_distances` over all texts, with intervals."""
    by_layer = sums.by_head["distance_bins"].reshape(-1, *shape, len(BINS)).sum(axis=2)
    with np.errstate(invalid="ignore"):
        shares = by_layer / by_layer.sum(axis=-1, keepdims=True)
    low, high = interval(shares[1:])
    possible = in_bins(chance) > 0
    return bin_rows(shares[0], chance).assign(share_low=low[:, possible].ravel(), share_high=high[:, possible].ravel())


def _moments(sums: Sums, shape: Shape) -> pd.DataFrame:
    """Mean and standard deviation of S over all pairs i < j of a head, windows pooled."""
    total, squares, diagonal, diagonal_squares = (sums.by_head[name][0] for name in MOMENTS)
    pairs = sums.numbers["pairs"][0]
    mean = (total - diagonal) / 2 / pairs
    variance = (squares - diagonal_squares) / 2 / pairs - mean**2
    columns = {"mean_similarity": mean, "sd_similarity": np.sqrt(np.maximum(variance, 0.0))}
    return head_frame({name: values.reshape(shape) for name, values in columns.items()}, *shape)


def _bad_texts(folder: Path) -> pd.DataFrame:
    """The texts that were not counted, each with its reason."""
    frames = []
    for table in shard_tables(folder, "texts"):
        bad = table.filter(pc.is_valid(table["problem"])).select(["text", "name", "problem"])
        frames.append(bad.rename_columns(["text", "name", "reason"]).cast(_BAD))
    return pa.concat_tables(frames).to_pandas()


_BAD = pa.schema([("text", pa.int64()), ("name", pa.string()), ("reason", pa.string())])


def _provenance(manifest: Mapping[str, Any]) -> dict[str, Any]:
    model, settings = manifest["model"], manifest["settings"]
    return {
        "model": model["name"],
        "revision": model["revision"].removeprefix("sha256:")[:12],
        "corpus_sha256": manifest["corpus"]["fingerprint"][:12],
        **{name: settings[name] for name in ("layout", "measure", "share", "with_special")},
    }
