"""The anchors of a whole study, text by text: how steadily heads keep them, and how far their coverage would move."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from attn_core.measures.anchors import RUNNERS_UP, stability
from attn_core.measures.tally import Tally
from attn_core.measures.window_counts import TotalCounts
from attn_core.numerics.leave_one_out import GROUPS, times
from attn_core.study.opened import numbers
from attn_core.study.shard_tables import KEPT, counted_tables, counted_texts

STABILITY = "anchor_stability"
KEPT_ENOUGH = 0.9  # share of an anchor's pairs that the lists of the texts must hold, to bound its coverage by them


@dataclass(frozen=True, eq=False)
class Agreement:
    """What windows and texts say of the pooled anchors.

    stability: the share of windows whose anchor is the pooled one, with its chance level. leading: (H, rank), the share
    of windows in which each token of the anchors table leads. coverage: (R, H) by name, anchor_coverage and
    anchor_context_share over all texts and without each group; NaN where the texts' lists hold too little.
    """

    stability: Tally
    leading: np.ndarray
    coverage: dict[str, np.ndarray]


def agreement(folder: Path, counted: TotalCounts) -> Agreement:
    """Hold the anchors of every window and text against the pooled ones."""
    touching, size = counted.touching, np.prod(counted.shape)
    order = touching.ranking()[..., :RUNNERS_UP]
    ranked = touching.token_ids[order].reshape(size, -1)
    tally, leading, windows = Tally(GROUPS), np.zeros(ranked.shape, dtype=np.int64), 0
    for table in counted_tables(folder, "windows"):
        leaders = numbers(table["anchor_ids"])
        tally.add_each(STABILITY, stability(leaders, ranked[:, 0]), times(numbers(table["group"])))
        leading += (leaders[:, :, None] == ranked).sum(axis=0)
        windows += len(table)
    return Agreement(tally, leading / windows, _coverage(folder, counted, ranked[:, 0]))


def _coverage(folder: Path, counted: TotalCounts, anchors: np.ndarray) -> dict[str, np.ndarray]:
    """Exact over all texts, and without a group as far as the texts' lists hold the pooled anchors; anchors: (H,)."""
    listed = Tally(GROUPS)
    for table in counted_texts(folder):
        taken, strong = times(numbers(table["group"])), numbers(table["strong"])
        here = numbers(table["anchor_ids"]).reshape(len(table), -1, KEPT) == anchors[:, None]
        for name in ("touching", "context"):
            pairs = np.where(here, numbers(table[name]).reshape(here.shape), 0).sum(axis=-1)
            listed.add(name, pairs, np.zeros((len(table), 1)), strong, taken)
    leaders = counted.touching.leaders()
    return {
        "anchor_coverage": _scaled(listed.values("touching"), counted.touching.at(leaders).ravel()),
        "anchor_context_share": _scaled(listed.values("context"), counted.context.at(leaders).ravel()),
    }


def _scaled(listed: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """The listed shares (R, H), scaled so that row 0 is the exact one; NaN where the lists hold too little of it."""
    with np.errstate(invalid="ignore", divide="ignore"):
        scaled = np.where(listed[0] >= KEPT_ENOUGH * exact, listed * (exact / listed[0]), np.nan)
    scaled[0] = exact
    return scaled
