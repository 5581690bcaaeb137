"""The anchors of a whole study: what every token touches, exactly, and how far the texts agree on the anchors."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from attn_core.measures.anchors import RUNNERS_UP, TokenCoverage, uniqueness
from attn_core.study.bootstrap import weights
from attn_core.study.counts import KEPT
from attn_core.study.opened import numbers, shard_tables
from attn_core.study.sums import Sums, counted_texts

KEPT_ENOUGH = 0.9  # share of an anchor's touches that the lists of the texts must hold, to bound its coverage by them
Shape = tuple[int, int]  # layers, heads


@dataclass(frozen=True, eq=False)
class Tokens:
    """The pooled coverage of every token, exact, and which tokens separate, (V,)."""

    coverage: TokenCoverage
    is_separator: np.ndarray


def pooled_tokens(folder: Path, strong: int, shape: Shape) -> Tokens:
    """Add up the tokens of all shards. strong: strong pairs a head in the whole study."""
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
class Agreement:
    """What the anchors of the single texts say of the pooled ones. R: the study and the bootstrap's replicates.

    by_head: name -> (R, H): anchor_coverage (NaN where the lists of the texts hold too little of it), anchor_stability,
    the share of texts whose anchor is the pooled one, and its chance level: another head of the model has it there.
    by_layer: name -> (R, layers): anchor_uniqueness, mean over texts, and its chance level: heads around random places.
    Of a text in parts both are means over its parts, since more text makes heads share the most common token.
    leading: (H, rank), share of the texts in which each token of the anchors table leads.
    """

    texts: int
    by_head: dict[str, np.ndarray]
    by_layer: dict[str, np.ndarray]
    leading: np.ndarray


def agreement(folder: Path, coverage: TokenCoverage, draws: int, seed: int) -> Agreement:
    """Hold the anchors of every text against the pooled ones."""
    layers, heads, _ = coverage.coverage.shape
    order = coverage.ranking()[..., :RUNNERS_UP]
    ranked = coverage.token_ids[order].reshape(layers * heads, -1)
    sums, leading, texts = Sums(), np.zeros(ranked.shape, dtype=np.int64), 0
    for batch in _whole_texts(folder):
        weight = weights(np.array([text.number for text in batch]), draws, seed)
        ids, touches = np.stack([text.ids for text in batch]), np.stack([text.touches for text in batch])
        leaders = ids[:, :, 0]
        led = ids[:, :, :1] == ranked
        anywhere = (leaders[:, None, :] == ranked[:, :1]).sum(axis=-1)  # heads whose anchor in this text it is
        leading += led.sum(axis=0)
        texts += len(batch)
        sums.add("texts", weight, np.ones(len(batch)))
        sums.add("strong", weight, np.array([text.strong for text in batch]))
        sums.add("touches", weight, np.where(ids == ranked[:, :1], touches, 0).sum(axis=-1))
        sums.add("anchor_stability", weight, led[:, :, 0])
        sums.add("chance_anchor_stability", weight, (anywhere - led[:, :, 0]) / max(layers * heads - 1, 1))
        sums.add("anchor_uniqueness", weight, np.stack([text.uniqueness for text in batch]))
        sums.add("chance_anchor_uniqueness", weight, np.stack([text.chance_uniqueness for text in batch]))
    with np.errstate(invalid="ignore"):
        texts_drawn = sums.numbers["texts"][:, None]
        means = {name: total / texts_drawn for name, total in sums.by_head.items() if name != "touches"}
    by_layer = {name: means.pop(name) for name in ("anchor_uniqueness", "chance_anchor_uniqueness")}
    by_head = means | {"anchor_coverage": _anchor_coverage(coverage, sums)}
    return Agreement(texts, by_head, by_layer, leading / texts)


def _anchor_coverage(coverage: TokenCoverage, sums: Sums) -> np.ndarray:
    """Coverage of the pooled anchors: exact for the study, and in the replicates as far as the lists hold them."""
    exact = np.take_along_axis(coverage.coverage, coverage.leaders()[..., None], axis=-1).ravel()
    with np.errstate(invalid="ignore", divide="ignore"):
        listed = sums.by_head["touches"] / sums.numbers["strong"][:, None]
        scaled = np.where(listed[0] >= KEPT_ENOUGH * exact, listed * (exact / listed[0]), np.nan)
    scaled[0] = exact
    return scaled


@dataclass(frozen=True, eq=False)
class _Text:
    """A text, or a part of one. ids, touches: (H, KEPT); uniqueness, chance_uniqueness: (layers,), means of the parts."""

    number: int
    strong: int
    ids: np.ndarray
    touches: np.ndarray
    uniqueness: np.ndarray
    chance_uniqueness: np.ndarray


def _whole_texts(folder: Path) -> Iterator[list[_Text]]:
    """The texts, some at a time, the parts of long ones put together."""
    parts: list[_Text] = []
    for table in counted_texts(folder):
        done = []
        for text in _rows(table):
            if parts and parts[0].number != text.number:
                done.append(_joined(parts))
                parts = []
            parts.append(text)
        if done:
            yield done
    if parts:
        yield [_joined(parts)]


def _rows(table: pa.Table) -> Iterator[_Text]:
    number, strong = numbers(table["text"]), numbers(table["strong"])
    ids, touches = (numbers(table[name]).reshape(len(table), -1, KEPT) for name in ("anchor_ids", "anchor_touches"))
    chance = numbers(table["chance_uniqueness"])
    unique = [uniqueness(of_text[:, 0].reshape(chance.shape[1], -1)) for of_text in ids]
    for row in zip(number.tolist(), strong.tolist(), ids, touches, unique, chance, strict=True):
        yield _Text(*row)


def _joined(parts: list[_Text]) -> _Text:
    """One text of its parts: lists merged head by head. Tokens that a part's list leaves out are missing in the sum."""
    if len(parts) == 1:
        return parts[0]
    all_ids = np.concatenate([part.ids for part in parts], axis=-1)
    all_touches = np.concatenate([part.touches for part in parts], axis=-1)
    ids, touches = np.full_like(parts[0].ids, -1), np.zeros_like(parts[0].touches)
    for head, (names, counts) in enumerate(zip(all_ids, all_touches, strict=True)):
        unique, at = np.unique(names, return_inverse=True)
        totals = np.bincount(at, weights=counts).astype(touches.dtype)
        best = np.argsort(-totals, kind="stable")[:KEPT]
        ids[head, : len(best)], touches[head, : len(best)] = unique[best], totals[best]
    means = (np.mean([getattr(part, name) for part in parts], axis=0) for name in ("uniqueness", "chance_uniqueness"))
    return _Text(parts[0].number, sum(part.strong for part in parts), ids, touches, *means)
