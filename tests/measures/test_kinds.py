"""Each pair is of one kind: against loops over the pairs and over the definitions in their order."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from attn_core.head import Head
from attn_core.measures.kinds import KINDS, anchors_within, kind_examples
from attn_core.measures.token_coverage import touched
from attn_core.measures.window_counts import add_up, count_window
from attn_core.similarity.strong_pairs import StrongPairs
from attn_core.texts.passages import Passage
from tests.measures.made_up import (
    GRID,
    HEADS,
    LAYERS,
    Pair,
    chosen_pairs,
    mean_over_all,
    mean_over_strong,
    measured,
    windows,
)


def kind_of(passage: Passage, i: int, j: int, anchor: int) -> str:
    ids, sentences = passage.token_ids, passage.sentences
    if passage.is_separator[i] or passage.is_separator[j]:
        return "separator"
    if j - i <= 2:
        return "neighbours"
    if ids[i] == ids[j]:
        return "repetition"
    if anchor in (ids[i], ids[j]):
        return "at the anchor"
    return "same sentence" if sentences[i] == sentences[j] >= 0 else "across sentences"


@given(windows())
def test_strong_pairs_and_all_pairs_are_counted_by_their_first_kind_that_fits(by_window: list[StrongPairs]) -> None:
    table = add_up(map(count_window, map(measured, by_window))).kinds
    assert table["kind"].tolist() == list(KINDS) * (LAYERS * HEADS)
    anchors = {id(window): anchors_within(touched(window)) for window in by_window}
    for layer, head in GRID:

        def is_of_kinds(window: StrongPairs, pair: Pair, at: Pair = (layer, head)) -> np.ndarray:
            return np.array(KINDS) == kind_of(window.passage, *pair, anchors[id(window)][at])

        rows = table[(table["layer"] == layer + 1) & (table["head"] == head + 1)]
        assert rows["share"].to_numpy() == pytest.approx(mean_over_strong(by_window, is_of_kinds, layer, head))
        assert rows["chance_share"].to_numpy() == pytest.approx(mean_over_all(by_window, is_of_kinds))


@given(windows(max_windows=2))
def test_the_example_of_a_kind_is_the_strongest_pair_of_that_kind(by_window: list[StrongPairs]) -> None:
    by_window = [replace(window, similarity=-np.sort(-window.similarity)) for window in by_window]
    best: dict[str, tuple[float, Pair]] = {}
    for window in by_window:
        anchor = anchors_within(touched(window))[1, 0]
        for pair, value in zip(chosen_pairs(window, 1, 0), window.similarity[1, 0].tolist(), strict=True):
            kind = kind_of(window.passage, *pair, anchor)
            best[kind] = max(best.get(kind, (-np.inf, pair)), (value, pair))
    examples = kind_examples(by_window, Head(1, 0))
    assert {kind: pair for kind, (_, *pair) in examples.items()} == {k: list(pair) for k, (_, pair) in best.items()}
