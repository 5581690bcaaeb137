"""Tables of the scores of all pairs by distance, and of reach without a threshold."""

import numpy as np
import pandas as pd

from attn_core.measures.frames import head_frame
from attn_core.measures.pair_properties import NEARBY
from attn_core.measures.statistics import NEAR_OVER_FAR
from attn_core.similarity.distribution import BINS, EDGES, FIRST

CLASSES = [f"{start}-{end - 1}" for start, end in zip(FIRST, FIRST[1:], strict=False)] + [f"{FIRST[-1]} or more"]
NEAR = np.array(FIRST) <= NEARBY  # classes


def score_table(counts: np.ndarray) -> pd.DataFrame:
    """One row per head, class of distances with pairs, and bin: layer, head, distance_class, bin, start, end, share.

    counts: (layer, head, class, bin), from `count_scores`. The shares of a class add up to 1.
    """
    layers, heads, *_ = counts.shape
    totals = counts.sum(axis=-1, keepdims=True)
    here = np.flatnonzero(totals[0, 0, :, 0])  # every head has the same pairs
    shares = (counts / np.maximum(totals, 1))[:, :, here]

    def column(values: np.ndarray) -> np.ndarray:
        return np.broadcast_to(values, shares.shape)

    columns = {
        "distance_class": column(np.array(CLASSES, dtype=object)[here, None]),
        "bin": column(np.arange(1, BINS + 1)),
        "start": column(EDGES[:-1]),
        "end": column(EDGES[1:]),
        "share": shares,
    }
    return head_frame(columns, layers, heads, rows=len(here) * BINS)


def reach_table(counts: np.ndarray) -> pd.DataFrame:
    """One row per head: layer, head, near_over_far, and its chance level; NaN if no pair is near or none is far.

    near_over_far is the area under the curve: of all combinations of a near and a far pair, the share in which the near
    one is in a higher bin; combinations in one bin count half.
    """
    near, far = (counts[:, :, classes].sum(axis=2) for classes in (NEAR, ~NEAR))
    below = far.cumsum(axis=-1) - far / 2
    with np.errstate(invalid="ignore"):
        over = (near * below).sum(axis=-1) / (near.sum(axis=-1) * far.sum(axis=-1))
    return head_frame({NEAR_OVER_FAR.name: over, NEAR_OVER_FAR.chance: 0.5}, *counts.shape[:2])


def with_reach(layers: pd.DataFrame, reach: pd.DataFrame) -> pd.DataFrame:
    """The layers table with near_over_far, mean over the heads of each layer, and its chance level."""
    return layers.merge(reach.drop(columns="head").groupby("layer").mean(), on="layer")
