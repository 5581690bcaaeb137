"""From shards to tables: the tables of one text, pooled over all texts of a study, with 95 % intervals over texts.

Shards are added in the order of their numbers, so that the tables do not depend on who counted them. Row 0 of every
array of sums is the study, the rows behind it are the replicates of the bootstrap (see `bootstrap`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from attn_core.export import table_files
from attn_core.measures.anchors import RUNNERS_UP, TokenCoverage, anchor_table
from attn_core.measures.clusters import cluster_heads
from attn_core.measures.frames import head_frame, head_index, with_chance
from attn_core.measures.heads import layer_table
from attn_core.measures.roles import assign_roles
from attn_core.study.bootstrap import interval, weights
from attn_core.study.counts import BINS, KEPT, MOMENTS
from attn_core.study.opened import numbers, shard_tables

KEPT_ENOUGH = 0.9  # share of an anchor's touches that the lists of the texts must hold, to bound its coverage by them
ATTENTION = ("separator_attention", "sep_attention", "punctuation_attention")
COUNTS = ("tokens", "eligible", "strong", "pairs")


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
    sums = _sums(folder, settings["draws"], settings["seed"])
    if sums is None:
        return {"bad_texts": bad}, {"texts": 0, "windows": 0, "bad_texts": len(bad)}
    tokens = _tokens(folder, int(sums.numbers["strong"][0]), shape)
    kept = _kept_anchors(folder, tokens.coverage, settings["draws"], settings["seed"])
    ratios = statistics(sums) | _anchor_ratios(tokens.coverage, kept)
    heads = _heads(sums, tokens, kept, shape)
    size = {"texts": kept.texts, "windows": sums.windows, "bad_texts": len(bad)}
    tables = {
        "heads": heads.assign(**_bounds(ratios)),
        "layers": layer_table(heads).assign(**_bounds(_by_layer(ratios, shape))),
        "distances": _distances(folder, int(sums.numbers["strong"][0]), shape),
        "distance_bins": _distance_bins(folder, sums, shape),
        "anchors": anchor_table(tokens.coverage).assign(stability=kept.leading.ravel()),
        "moments": _moments(sums, shape),
        "bad_texts": bad,
    }
    return tables, size


@dataclass
class Sums:
    """Sums over windows, R = 1 + draws rows: numbers (R,) each, by_head (R, H) each."""

    windows: int = 0
    numbers: dict[str, np.ndarray] = field(default_factory=dict)
    by_head: dict[str, np.ndarray] = field(default_factory=dict)

    def add(self, name: str, weight: np.ndarray, values: np.ndarray) -> None:
        """weight: (R, n). values: (n,) or (n, H)."""
        into = self.numbers if values.ndim == 1 else self.by_head
        into[name] = into.get(name, 0) + weight @ values.astype(np.float64)


def statistics(sums: Sums) -> dict[str, np.ndarray]:
    """Every statistic, (R, H), and its chance level, (R, 1) or (R, H), named as in the tables."""
    found: dict[str, np.ndarray] = {}
    with np.errstate(invalid="ignore", divide="ignore"):  # a replicate may draw no text at all
        strong, tokens, eligible = (sums.numbers[name][:, None] for name in ("strong", "tokens", "eligible"))
        for name in _properties(sums):
            found[name] = sums.by_head[name] / strong
            found[f"chance_{name}"] = sums.numbers[f"chance_{name}"][:, None] / strong
        found["concentration"] = sums.by_head["concentration"] * eligible / (2 * strong) ** 2
        found["chance_concentration"] = sums.numbers["chance_concentration"][:, None] * eligible / (2 * strong) ** 2
        found["anchor_context_share"] = sums.by_head["anchor_context"] / strong
        found["chance_anchor_context_share"] = sums.by_head["chance_anchor_context"] / strong
        for name in ATTENTION:
            found[name] = sums.by_head[name] / tokens
            found[f"chance_{name}"] = sums.numbers[f"chance_{name}"][:, None] / tokens
    return found


def _properties(sums: Sums) -> list[str]:
    """The pair properties among the columns: those that stand before the concentration (see `counts.count_window`)."""
    names = list(sums.by_head)
    return names[: names.index("concentration")]


def _sums(folder: Path, draws: int, seed: int) -> Sums | None:
    """Everything linear, added up; None where no text could be counted."""
    sums = Sums()
    for table in shard_tables(folder, "windows"):
        sums.windows += len(table)
        columns = {name: numbers(table[name]) for name in table.column_names}
        weight = weights(columns["text"], draws, seed)
        for name, values in columns.items():
            if name in ("text", "part", "window"):
                continue
            if name in ATTENTION or name.removeprefix("chance_") in ATTENTION:
                values = (values.T * columns["tokens"]).T
            elif name.startswith("chance_") and name != "chance_concentration":
                values = values * columns["strong"]
            sums.add(name, weight, values)
    if not sums.windows:
        return None
    for table in _counted_texts(folder):
        weight = weights(numbers(table["text"]), draws, seed)
        for name in ("anchor_context", "chance_anchor_context"):
            sums.add(name, weight, numbers(table[name]))
    return sums


def _counted_texts(folder: Path) -> Iterator[pa.Table]:
    """The texts table of every shard without its bad texts."""
    for table in shard_tables(folder, "texts"):
        counted = table.filter(pc.is_null(table["problem"]))
        if len(counted):
            yield counted


@dataclass(frozen=True, eq=False)
class Tokens:
    """The pooled coverage of every token, exact, and which tokens separate."""

    coverage: TokenCoverage
    is_separator: np.ndarray


def _tokens(folder: Path, strong: int, shape: tuple[int, int]) -> Tokens:
    ids = np.zeros(0, dtype=np.int64)
    names: dict[int, str] = {}
    occurrences, chance, separator = np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0, dtype=bool)
    touches = np.zeros((0, shape[0] * shape[1]), dtype=np.int64)
    for table in shard_tables(folder, "tokens"):
        here = numbers(table["token_id"]).astype(np.int64)
        union = np.union1d(ids, here)
        if len(union) > len(ids):
            old = np.searchsorted(union, ids)
            occurrences, chance, separator, touches = (
                _spread(values, old, len(union)) for values in (occurrences, chance, separator, touches)
            )
            ids = union
        at = np.searchsorted(ids, here)
        names.update(zip(here.tolist(), table["token"].to_pylist(), strict=True))
        occurrences[at] += numbers(table["occurrences"])
        chance[at] += numbers(table["chance"])
        separator[at] |= numbers(table["is_separator"])
        touches[at] += numbers(table["touches"])
    coverage = TokenCoverage(
        token_ids=ids,
        tokens=tuple(names[token_id] for token_id in ids.tolist()),
        occurrences=occurrences,
        coverage=(touches.T / strong).reshape(*shape, -1),
        chance=chance / strong,
    )
    return Tokens(coverage, separator)


def _spread(values: np.ndarray, at: np.ndarray, size: int) -> np.ndarray:
    found = np.zeros((size, *values.shape[1:]), dtype=values.dtype)
    found[at] = values
    return found


@dataclass(frozen=True, eq=False)
class KeptAnchors:
    """What the lists of the texts say of the pooled anchors.

    stability: (R, H), share of the texts whose anchor is the pooled one. touches: (R, H), strong pairs that touch it,
    as far as the lists hold it; strong: (R, 1). leading: (H, rank), share of the texts in which each token of the
    anchors table leads.
    """

    texts: int
    stability: np.ndarray
    touches: np.ndarray
    strong: np.ndarray
    leading: np.ndarray


def _kept_anchors(folder: Path, coverage: TokenCoverage, draws: int, seed: int) -> KeptAnchors:
    order = coverage.ranking()[..., :RUNNERS_UP]
    ranked = coverage.token_ids[order].reshape(-1, order.shape[-1])
    sums = Sums()
    leading = np.zeros(ranked.shape, dtype=np.int64)
    texts = 0
    for numbers_of, strong, ids, touches in _whole_texts(folder):
        weight = weights(numbers_of, draws, seed)
        led = ids[:, :, :1] == ranked
        leading += led.sum(axis=0)
        texts += len(numbers_of)
        sums.add("texts", weight, np.ones(len(numbers_of)))
        sums.add("strong", weight, strong)
        sums.add("stable", weight, led[:, :, 0])
        sums.add("touches", weight, np.where(ids == ranked[:, :1], touches, 0).sum(axis=-1))
    with np.errstate(invalid="ignore"):
        stability = sums.by_head["stable"] / sums.numbers["texts"][:, None]
    return KeptAnchors(texts, stability, sums.by_head["touches"], sums.numbers["strong"][:, None], leading / texts)


def _whole_texts(folder: Path) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Texts with their lists, the parts of long ones put together: number (n,), strong (n,), ids, touches (n, H, KEPT)."""
    open_text: list[tuple[int, int, np.ndarray, np.ndarray]] = []
    for table in _counted_texts(folder):
        number, strong = numbers(table["text"]), numbers(table["strong"])
        ids, touches = (numbers(table[name]).reshape(len(table), -1, KEPT) for name in ("anchor_ids", "anchor_touches"))
        rows = list(zip(number.tolist(), strong.tolist(), ids, touches, strict=True))
        done = []
        for row in rows:
            if open_text and open_text[0][0] != row[0]:
                done.append(_joined(open_text))
                open_text = []
            open_text.append(row)
        if done:
            yield _stacked(done)
    if open_text:
        yield _stacked([_joined(open_text)])


def _joined(parts: list[tuple[int, int, np.ndarray, np.ndarray]]) -> tuple[int, int, np.ndarray, np.ndarray]:
    """One text of its parts: lists merged head by head. Tokens that a part's list leaves out are missing in the sum."""
    if len(parts) == 1:
        return parts[0]
    all_ids, all_touches = (np.concatenate([part[at] for part in parts], axis=-1) for at in (2, 3))
    ids, touches = np.full_like(parts[0][2], -1), np.zeros_like(parts[0][3])
    for head, (names, counts) in enumerate(zip(all_ids, all_touches, strict=True)):
        unique, at = np.unique(names, return_inverse=True)
        totals = np.bincount(at, weights=counts).astype(touches.dtype)
        best = np.argsort(-totals, kind="stable")[:KEPT]
        ids[head, : len(best)], touches[head, : len(best)] = unique[best], totals[best]
    return parts[0][0], sum(part[1] for part in parts), ids, touches


def _stacked(rows: list) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    number, strong, ids, touches = zip(*rows, strict=True)
    return np.array(number), np.array(strong), np.stack(ids), np.stack(touches)


def _anchor_ratios(coverage: TokenCoverage, kept: KeptAnchors) -> dict[str, np.ndarray]:
    """Coverage of the pooled anchors and their stability, (R, H); NaN replicates where the lists hold too little."""
    exact = np.take_along_axis(coverage.coverage, coverage.leaders()[..., None], axis=-1).ravel()
    with np.errstate(invalid="ignore", divide="ignore"):
        listed = kept.touches / kept.strong
        enough = listed[0] >= KEPT_ENOUGH * exact
        scaled = np.where(enough, listed * (exact / listed[0]), np.nan)
    return {"anchor_coverage": scaled, "anchor_stability": kept.stability}


def _heads(sums: Sums, tokens: Tokens, kept: KeptAnchors, shape: tuple[int, int]) -> pd.DataFrame:
    """The heads table of one text, with the columns in its order, and `anchor_stability`."""
    found = {name: values[0] for name, values in statistics(sums).items()}
    pairs = [*_properties(sums), "concentration"]
    columns: dict[str, Any] = {"pairs": np.int64(sums.numbers["strong"][0])}
    columns |= with_chance({name: found[name] for name in pairs}, {name: found[f"chance_{name}"] for name in pairs})
    columns |= _anchor_columns(tokens, found)
    columns |= {column: found[column] for name in ATTENTION for column in (name, f"chance_{name}")}
    columns |= {"anchor_stability": kept.stability[0]}
    made = head_frame({name: _shaped(values, shape) for name, values in columns.items()}, *shape)
    return made.join(assign_roles(made)).assign(cluster=cluster_heads(made).labels)


def _anchor_columns(tokens: Tokens, found: Mapping[str, np.ndarray]) -> dict[str, Any]:
    coverage = tokens.coverage
    leaders, lifted = coverage.leaders(), coverage.leaders("lift")
    names = np.array(coverage.tokens, dtype=object)
    at_leader = np.take_along_axis(coverage.coverage, leaders[..., None], axis=-1)[..., 0]
    return {
        "anchor": names[leaders],
        "anchor_id": coverage.token_ids[leaders],
        "anchor_is_separator": tokens.is_separator[leaders],
        "anchor_coverage": at_leader,
        "chance_anchor_coverage": coverage.chance[leaders],
        "anchor_lift": at_leader / coverage.chance[leaders],
        "anchor_context_share": found["anchor_context_share"],
        "chance_anchor_context_share": found["chance_anchor_context_share"],
        "lift_anchor": names[lifted],
        "lift_anchor_id": coverage.token_ids[lifted],
        "lift_anchor_lift": np.take_along_axis(coverage.lift, lifted[..., None], axis=-1)[..., 0],
    }


def _shaped(values: Any, shape: tuple[int, int]) -> Any:
    """(H,) -> (layer, head); one number for all heads as it is."""
    array = np.asarray(values)
    return array.reshape(shape) if array.size == shape[0] * shape[1] else array.reshape(-1)[0]


def _by_layer(ratios: Mapping[str, np.ndarray], shape: tuple[int, int]) -> dict[str, np.ndarray]:
    """Means over the heads of each layer, replicate by replicate: (R, layer)."""
    heads = shape[0] * shape[1]
    return {name: v.reshape(-1, *shape).mean(axis=-1) for name, v in ratios.items() if v.shape[1] == heads}


def _bounds(ratios: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Columns `<statistic>_low` and `<statistic>_high`."""
    columns = {}
    for name, values in ratios.items():
        if not name.startswith("chance_"):
            columns[f"{name}_low"], columns[f"{name}_high"] = interval(values[1:])
    return columns


def _distances(folder: Path, strong: int, shape: tuple[int, int]) -> pd.DataFrame:
    """Strong pairs of every head by distance, exact: the distances table of one text."""
    counts, chance = _distance_sums(folder, shape)
    row, distance = np.nonzero(counts)
    index = head_index(*shape).iloc[row].reset_index(drop=True)
    return index.assign(distance=distance, pairs=counts[row, distance], chance_share=chance[distance] / strong)


def _distance_sums(folder: Path, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
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


def _distance_bins(folder: Path, sums: Sums, shape: tuple[int, int]) -> pd.DataFrame:
    """Share of each layer's strong pairs by doubling distance, as `distances.binned_distances`, with intervals."""
    _, chance = _distance_sums(folder, shape)
    longest = len(chance) - 1
    ends = [min(end, longest) for end in [*(BINS[1:] - 1).tolist(), longest]]
    expected = np.add.reduceat(_wide(chance, max(len(chance), BINS[-1] + 1)), BINS)
    by_layer = sums.by_head["distance_bins"].reshape(-1, *shape, len(BINS)).sum(axis=2)
    with np.errstate(invalid="ignore"):
        shares = by_layer / by_layer.sum(axis=-1, keepdims=True)
    low, high = interval(shares[1:])
    layer, at = np.indices(shares.shape[1:]).reshape(2, -1)
    labels = [f"{s}" if s == e else f"{s}-{e}" for s, e in zip(BINS.tolist(), ends, strict=True)]
    made = pd.DataFrame(
        {
            "layer": layer + 1,
            "distance": np.array(labels, dtype=object)[at],
            "start": BINS[at],
            "end": np.array(ends)[at],
            "share": shares[0].ravel(),
            "share_low": low.ravel(),
            "share_high": high.ravel(),
            "chance_share": (expected / sums.numbers["strong"][0])[at],
        }
    )
    possible = made[made["chance_share"] > 0].reset_index(drop=True)
    return possible.assign(ratio=possible["share"] / possible["chance_share"])


def _moments(sums: Sums, shape: tuple[int, int]) -> pd.DataFrame:
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
