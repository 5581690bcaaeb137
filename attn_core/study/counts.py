"""The sufficient statistics of a study: sums that add up over windows, taken with the measures of one text.

A shard yields four Parquet tables; H is the number of heads of the model (layer by layer), lists are of fixed length:

* windows, a row a window: text, part, window, tokens, eligible, strong (K), pairs (P), the chance level of every
  statistic, and lists (H,): the sum of every pair property over the strong pairs, the sum of squares behind the
  concentration, the separator attention, the moments of S; `distance_bins` (H x bins): strong pairs by doubling distance.
* texts, a row a text (or part of a long one): name, windows, tokens, strong, problem (null where it was counted), and
  lists: `anchor_ids` and `anchor_touches` (H x KEPT), the tokens that touch the most strong pairs; `anchor_context` (H,),
  strong pairs in the context of the text's own anchor, with its chance level; `chance_uniqueness` (layers,), distinct
  anchors / heads where every head is as concentrated, around places drawn at random (one draw a text).
* tokens, a row a token id of the shard: token, occurrences, chance (sum over texts of K times the chance coverage),
  is_separator, `touches` (H,): strong pairs touched. Exact for every token, so that pooled anchors are.
* distances, a row a distance: chance (sum of K times the share of all pairs), `pairs` (H,): strong pairs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from attn_core.capture import HeadOutputs
from attn_core.measures.anchors import TokenCoverage, anchor_context, independent_uniqueness
from attn_core.measures.attention import separator_attention
from attn_core.measures.distances import chance_shares, distance_counts, in_bins
from attn_core.measures.heads import concentration
from attn_core.measures.pair_properties import chance_means, pair_properties
from attn_core.strong_pairs import Measure, StrongPairs

KEPT = 16  # tokens kept of every text and head
MOMENTS = ("sum_squared", "squares", "sum_of_squares", "sum_of_fourths")


@dataclass(frozen=True, eq=False)
class WindowCounts:
    """One window: its strong pairs, numbers that are the same for all heads, and arrays (layer, head, ...).

    distances: (layer, head, distance), the strong pairs; chance_distances: (distance,), the share of all pairs.
    """

    window: StrongPairs
    numbers: Mapping[str, float]
    by_head: Mapping[str, np.ndarray]
    distances: np.ndarray
    chance_distances: np.ndarray


def count_window(window: StrongPairs, output: HeadOutputs, causal: bool, measure: Measure) -> WindowCounts:
    """Everything that is kept of one window."""
    passage, strong = window.passage, window.shape[2]
    eligible = int(window.eligible.sum())
    properties = pair_properties(passage, window.first, window.second)
    evenness, even = concentration([window])
    attention = separator_attention([passage], [output], causal)
    received = {name: values for name, values in attention.items() if not name.startswith("chance_")}
    distances = distance_counts([window])
    scale = (2 * strong) ** 2 / eligible  # a concentration times this is a sum over tokens, which adds up over windows
    chance = {
        **chance_means([window]),
        "concentration": even * scale,
        **{name: float(attention[f"chance_{name}"].flat[0]) for name in received},
    }
    return WindowCounts(
        window=_compact(window),
        numbers={
            "tokens": len(passage),
            "eligible": eligible,
            "strong": strong,
            "pairs": eligible * (eligible - 1) // 2,
            **{f"chance_{name}": float(value) for name, value in chance.items()},
        },
        by_head={
            **{name: values.sum(axis=-1, dtype=np.int32) for name, values in properties.items()},
            "concentration": np.rint(evenness * scale).astype(np.int32),
            **{name: values.astype(np.float32) for name, values in received.items()},
            **moments(output.z, window.eligible, measure),
            "distance_bins": in_bins(distances).astype(np.int32),
        },
        distances=distances.astype(np.int32),
        chance_distances=chance_shares([window]),
    )


def moments(z: Tensor, eligible: np.ndarray, measure: Measure) -> dict[str, np.ndarray]:
    """Sums over tokens that give mean and variance of S without an N x N matrix, each (layer, head).

    Over all ordered pairs, a token with itself included: sum S = |sum z|^2 (sum_squared) and
    sum S^2 = ||sum z z^T||_F^2 (squares). The diagonal's parts: sum |z|^2 (sum_of_squares) and sum |z|^4
    (sum_of_fourths). z: (layer, head, token, d_head).
    """
    chosen = None if eligible.all() else torch.from_numpy(np.flatnonzero(eligible)).to(z.device)
    found = [_moments(heads if chosen is None else heads[:, chosen], measure) for heads in z]  # a layer fits the cache
    return {name: np.stack(values) for name, values in zip(MOMENTS, zip(*found, strict=True), strict=True)}


def _moments(z: Tensor, measure: Measure) -> list[np.ndarray]:
    """The four sums of one layer, each (head,), float64. z: (head, token, d_head) float32.

    The variance of S is a small difference of large sums where all head outputs point one way. So the mean mu of z is
    taken out before the products are added up: z^T z = (z - mu)^T (z - mu) + N mu mu^T, put together in float64.
    """
    if measure == "cosine":
        z = torch.nn.functional.normalize(z, dim=-1)
    mean = z.mean(dim=1, keepdim=True)
    centred = z - mean
    gram = (centred.transpose(-1, -2) @ centred).cpu().double().numpy()
    norms, n = z.square().sum(dim=-1).cpu().double().numpy(), z.shape[1]
    mu = mean.cpu().double().numpy()
    gram += n * mu.swapaxes(-1, -2) * mu
    total = (n * mu[:, 0]) ** 2
    return [total.sum(axis=-1), (gram**2).sum(axis=(-1, -2)), norms.sum(axis=-1), (norms**2).sum(axis=-1)]


def window_row(counts: WindowCounts, text: int, part: int) -> dict[str, object]:
    """A row of the windows table."""
    lists = {name: values.ravel() for name, values in counts.by_head.items()}
    return {"text": text, "part": part, "window": counts.window.passage.index, **counts.numbers, **lists}


def text_row(
    windows: Sequence[StrongPairs], coverage: TokenCoverage, text: int, anchors: int = KEPT
) -> dict[str, object]:
    """The anchors of one text: its part of a row of the texts table. `text`, its number, is the seed of its chance level."""
    strong = sum(window.shape[2] for window in windows)
    order = coverage.ranking()[..., :anchors]
    touches = np.rint(np.take_along_axis(coverage.coverage, order, axis=-1) * strong).astype(np.int32)
    missing = [(0, 0), (0, 0), (0, anchors - order.shape[-1])]
    context, chance = _context(windows, coverage.token_ids[coverage.leaders()])
    return {
        "windows": len(windows),
        "tokens": sum(len(window.passage) for window in windows),
        "strong": strong,
        "anchor_ids": np.pad(coverage.token_ids[order].astype(np.int32), missing, constant_values=-1).ravel(),
        "anchor_touches": np.pad(touches, missing).ravel(),
        "anchor_context": np.rint(context).astype(np.int32).ravel(),
        "chance_anchor_context": chance.ravel(),
        "chance_uniqueness": independent_uniqueness(windows, draws=1, seed=text),
    }


def _context(windows: Sequence[StrongPairs], anchor_ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Strong pairs in the context of the anchors, and how many chance gives, both (layer, head).

    A window at a time, and a copy of it: a window that was asked for all its pairs keeps them, two megabytes.
    """
    found = [(anchor_context([replace(window)], anchor_ids), window.shape[2]) for window in windows]
    share = sum(strong * share for (share, _), strong in found)
    chance = sum(strong * chance for (_, chance), strong in found)
    return np.asarray(share), np.asarray(chance)


class TokenSums:
    """Touches of every token, added up over the texts of a shard."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        self._sums: dict[int, list] = {}
        self._separators: set[int] = set()

    def add(self, windows: Sequence[StrongPairs], coverage: TokenCoverage) -> None:
        strong = sum(window.shape[2] for window in windows)
        touches = np.rint(coverage.coverage * strong).astype(np.int64).reshape(-1, len(coverage.token_ids)).T
        rows = zip(coverage.token_ids.tolist(), coverage.tokens, coverage.occurrences, coverage.chance, strict=True)
        for (token_id, token, occurrences, chance), touched in zip(rows, touches, strict=True):
            self._names[token_id] = token
            have = self._sums.setdefault(token_id, [0, 0.0, 0])
            have[0] += int(occurrences)
            have[1] += strong * float(chance)
            have[2] = have[2] + touched
        for window in windows:
            self._separators.update(window.passage.token_ids[window.passage.is_separator].tolist())

    def table(self) -> pa.Table:
        ids = sorted(self._sums)
        sums = [self._sums[token_id] for token_id in ids]
        return pa.table(
            {
                "token_id": pa.array(ids, pa.int32()),
                "token": pa.array([self._names[token_id] for token_id in ids], pa.string()),
                "occurrences": pa.array([one[0] for one in sums], pa.int64()),
                "chance": pa.array([one[1] for one in sums], pa.float64()),
                "is_separator": pa.array([token_id in self._separators for token_id in ids], pa.bool_()),
                "touches": lists([one[2].astype(np.int32) for one in sums]),
            }
        )


class DistanceSums:
    """Strong pairs by distance, added up over the windows of a shard."""

    def __init__(self) -> None:
        self._pairs = np.zeros((0, 0), dtype=np.int64)
        self._chance = np.zeros(0)

    def add(self, counts: WindowCounts) -> None:
        pairs = counts.distances.reshape(-1, counts.distances.shape[-1]).T
        chance = counts.chance_distances * counts.window.shape[2]
        longest = max(len(pairs), len(self._pairs))
        self._pairs = _longer(self._pairs.reshape(-1, pairs.shape[1]), longest) + _longer(pairs, longest)
        self._chance = _longer(self._chance, longest) + _longer(chance, longest)

    def table(self) -> pa.Table:
        distance = np.arange(len(self._chance), dtype=np.int32)
        return pa.table({"distance": distance, "chance": self._chance, "pairs": lists(list(self._pairs))})


def lists(rows: Sequence[np.ndarray | None]) -> pa.Array:
    """Arrays of one length as a column of fixed-size lists; None becomes null."""
    sample = next((row for row in rows if row is not None), np.zeros(0, dtype=np.int32))
    kind = pa.list_(pa.from_numpy_dtype(sample.dtype), len(sample))
    if all(row is not None for row in rows) and rows and len(sample):
        flat = pa.array(np.concatenate([row for row in rows if row is not None]))
        return pa.FixedSizeListArray.from_arrays(flat, type=kind)
    return pa.array([None if row is None else row.tolist() for row in rows], kind)


def table(rows: Sequence[Mapping[str, object]], columns: Sequence[str]) -> pa.Table:
    """Rows as an Arrow table; arrays become fixed-size lists, what a row lacks becomes null."""
    return pa.table({column: _column([row.get(column) for row in rows]) for column in columns})


def _column(values: list) -> pa.Array:
    return lists(values) if any(isinstance(value, np.ndarray) for value in values) else pa.array(values)


def _compact(window: StrongPairs) -> StrongPairs:
    """Positions in two bytes: a shard keeps the strong pairs of all its windows until its texts are pooled."""
    first, second = window.first.astype(np.int16), window.second.astype(np.int16)
    return replace(window, first=first, second=second, similarity=np.zeros(0, dtype=np.float32))


def _longer(values: np.ndarray, length: int) -> np.ndarray:
    return np.concatenate([values, np.zeros((length - len(values), *values.shape[1:]), dtype=values.dtype)])
