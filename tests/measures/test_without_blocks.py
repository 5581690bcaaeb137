"""A window without a block, against the pairs written out as they then stand."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_core.measures import without_blocks
from attn_core.measures.effects import NEEDED
from attn_core.measures.statistics import ANCHOR_UNIQUENESS, STANDING_OUT
from attn_core.measures.tally import FEW
from attn_core.measures.uniqueness import DRAWS
from attn_core.measures.window import Window
from attn_core.measures.window_counts import count_window
from attn_core.measures.without_blocks import counts_without
from attn_core.similarity.strong_pairs import StrongPairs
from tests.measures.made_up import HEADS, all_pairs, chosen_pairs, measured, windows

DRAWN = {ANCHOR_UNIQUENESS.name, *(one.name for one in STANDING_OUT[1:])}
DRAWN |= {FEW + name for name in DRAWN}
DISTINCT = FEW + ANCHOR_UNIQUENESS.name  # the windows made up here have few pairs


def written_out(pairs: StrongPairs, gone: np.ndarray) -> StrongPairs:
    """The pairs that remain, again and again from the strongest on; where none does, evenly spaced ones of all that are left."""
    layers, heads, strong = pairs.shape
    left = replace(pairs, eligible=pairs.eligible & ~gone)
    every = all_pairs(left)

    def row(layer: int, head: int) -> list[tuple[int, int]]:
        remain = [pair for pair in chosen_pairs(pairs, layer, head) if not gone[list(pair)].any()]
        remain = remain or [every[at * len(every) // strong] for at in range(strong)]
        return [remain[at % len(remain)] for at in range(strong)]

    ends = np.array([[row(layer, head) for head in range(heads)] for layer in range(layers)])
    return replace(left, first=ends[..., 0], second=ends[..., 1])


def without(window: Window, gone: np.ndarray) -> Window:
    pairs = written_out(window.pairs, gone)
    zeros = {name: np.where(gone, 0, getattr(window, name)) for name in ("received", "even")}
    return replace(window, pairs=pairs, structureless=pairs, **zeros)


@given(windows(max_windows=1), st.integers(1, 4), st.sampled_from((1, 2**20)))
def test_what_is_counted_is_that_of_the_pairs_written_out(
    by_window: list[StrongPairs], width: int, at_once: int
) -> None:
    window = measured(by_window[0])
    places = np.flatnonzero(window.pairs.eligible)
    runs = [places[at : at + width] for at in range(0, len(places), width)]
    enough = window.pairs.shape[2]  # as many pairs are drawn at random as are strong
    blocks = [
        np.isin(np.arange(len(window.pairs.passage)), run)
        for run in runs
        if math.comb(len(places) - len(run), 2) >= enough
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(without_blocks, "AT_ONCE", at_once)
        made = list(counts_without(window, blocks)) if blocks else []
    for gone, counts in zip(blocks, made, strict=True):
        expected = count_window(without(window, gone)).counts
        assert counts.keys() == set(NEEDED)
        for name in set(NEEDED) - DRAWN:
            for part in ("numerator", "chance", "weight"):
                np.testing.assert_allclose(getattr(counts[name], part), getattr(expected[name], part), atol=1e-12)
        distinct, its = counts[DISTINCT], expected[DISTINCT]
        np.testing.assert_array_equal(distinct.numerator / distinct.weight, its.numerator / its.weight)
        assert (np.asarray(distinct.chance) <= DRAWS * HEADS).all()
