"""Each pair is of one kind: against loops over the pairs and over the definitions in their order."""

from collections import Counter
from dataclasses import replace

import numpy as np
from hypothesis import given

from attn_core.head import Head
from attn_core.measures.kinds import KINDS, anchors_within, kind_count, kind_examples
from attn_core.measures.token_coverage import NONE, touched
from attn_core.measures.window_counts import add_up, count_window
from attn_core.similarity.strong_pairs import StrongPairs
from attn_core.texts.passages import Passage
from tests.measures.made_up import HEADS, LAYERS, all_pairs, chosen_pairs, made_pairs, made_passage, measured, windows


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


@given(windows(max_windows=1))
def test_strong_pairs_and_all_pairs_are_counted_by_their_first_kind_that_fits(by_window: list[StrongPairs]) -> None:
    (window,) = by_window
    count = kind_count(window, touched(window))
    anchors = anchors_within(touched(window))
    for head in np.ndindex(LAYERS, HEADS):
        strong, every = (
            Counter(kind_of(window.passage, i, j, anchors[head]) for i, j in pairs)
            for pairs in (chosen_pairs(window, *head), all_pairs(window))
        )
        assert count.numerator[head].tolist() == [strong[kind] for kind in KINDS]
        scale = window.shape[2] / every.total()
        np.testing.assert_allclose(np.asarray(count.chance)[head], [scale * every[kind] for kind in KINDS])


@given(windows())
def test_the_kinds_of_all_windows_add_up_to_all_pairs(by_window: list[StrongPairs]) -> None:
    table = add_up(map(count_window, map(measured, by_window))).kinds
    assert table["kind"].tolist() == list(KINDS) * (LAYERS * HEADS)
    for column in ("share", "chance_share"):
        np.testing.assert_allclose(table.groupby(["layer", "head"])[column].sum(), 1, rtol=1e-6)


def test_a_head_without_an_anchor_has_no_pair_at_it() -> None:
    passage = made_passage([0] * 12 + [1, 2, 3])
    window = made_pairs(passage, [[[(0, 3), (1, 6), (12, 14)], [(0, 12), (5, 12), (7, 12)]]])
    assert anchors_within(touched(window)).tolist() == [[NONE, 1]]
    at_anchor = np.asarray(kind_count(window, touched(window)).numerator)[..., KINDS.index("at the anchor")]
    assert at_anchor.tolist() == [[0, 3]]


@given(windows(max_windows=2))
def test_the_example_of_a_kind_is_the_strongest_pair_of_that_kind(by_window: list[StrongPairs]) -> None:
    by_window = [replace(window, similarity=-np.sort(-window.similarity)) for window in by_window]
    examples = kind_examples(by_window, Head(1, 0))
    best: dict[str, float] = {}
    for window in by_window:
        anchor = anchors_within(touched(window))[1, 0]
        for (i, j), value in zip(chosen_pairs(window, 1, 0), window.similarity[1, 0].tolist(), strict=True):
            kind = kind_of(window.passage, i, j, anchor)
            best[kind] = max(best.get(kind, -np.inf), value)
    values = {
        (id(window.passage), *pair): value
        for window in by_window
        for pair, value in zip(chosen_pairs(window, 1, 0), window.similarity[1, 0].tolist(), strict=True)
    }
    assert {kind: values[id(passage), i, j] for kind, (passage, i, j) in examples.items()} == best
