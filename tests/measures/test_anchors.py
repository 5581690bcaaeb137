"""Anchors against plain loops over pairs, and their chance levels against every pair and against shuffled texts."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from attn_core.measures import anchors
from attn_core.measures.anchors import (
    anchor_columns,
    anchor_overview,
    anchor_table,
    heads_around,
    occurrence_table,
    stability,
    token_labels,
)
from attn_core.measures.few_pairs import MIN_PAIRS
from attn_core.measures.frames import head_frame
from attn_core.measures.tally import Tally
from attn_core.measures.token_coverage import CONTEXT, NONE, TokenCoverage, added, in_context, touched
from attn_core.similarity.strong_pairs import StrongPairs
from tests.measures.made_up import (
    HEADS,
    LAYERS,
    all_pairs,
    chosen_pairs,
    made_pairs,
    made_passage,
    random_choice,
    token_coverage,
    windows,
)

GRID = list(product(range(LAYERS), range(HEADS)))


def touches(window: StrongPairs, pair: tuple[int, int], token_id: int) -> bool:
    return token_id in (window.passage.token_ids[pair[0]], window.passage.token_ids[pair[1]])


def in_context_by_loop(window: StrongPairs, pair: tuple[int, int], token_id: int) -> bool:
    """One end is the token, or some occurrence of it that may pair lies within 5 tokens of both ends."""
    places = [place for place in np.flatnonzero(window.eligible) if window.passage.token_ids[place] == token_id]
    return touches(window, pair, token_id) or any(all(abs(end - p) <= CONTEXT for end in pair) for p in places)


@given(windows())
def test_coverage_and_its_chance_level_count_the_pairs_that_touch_a_token(by_window: list[StrongPairs]) -> None:
    coverage = token_coverage(by_window)
    strong = sum(window.shape[2] for window in by_window)
    for at, token_id in enumerate(coverage.token_ids):
        for layer, head in GRID:
            count = sum(touches(w, pair, token_id) for w in by_window for pair in chosen_pairs(w, layer, head))
            assert coverage.coverage[layer, head, at] == pytest.approx(count / strong)
        # Every pair of a window is as likely as the next.
        by_chance = sum(w.shape[2] * np.mean([touches(w, pair, token_id) for pair in all_pairs(w)]) for w in by_window)
        assert coverage.chance[at] == pytest.approx(by_chance / strong, abs=1e-6)
        assert coverage.occurrences[at] == sum((w.passage.token_ids[w.eligible] == token_id).sum() for w in by_window)


@given(windows())
def test_the_anchor_touches_the_most_pairs_and_of_equals_the_rarer_wins(by_window: list[StrongPairs]) -> None:
    coverage = token_coverage(by_window)
    for layer, head in GRID:
        leader = coverage.leaders()[layer, head]
        row = coverage.coverage[layer, head]
        assert row[leader] == row.max()
        assert coverage.occurrences[leader] == coverage.occurrences[row == row.max()].min()


@given(windows())
def test_the_context_of_every_token_by_loops_over_pairs_and_occurrences(by_window: list[StrongPairs]) -> None:
    context = added([in_context(window, touched(window)) for window in by_window])
    strong = sum(window.shape[2] for window in by_window)
    for at, token_id in enumerate(context.token_ids):
        for layer, head in GRID:
            held = sum(
                in_context_by_loop(w, pair, token_id) for w in by_window for pair in chosen_pairs(w, layer, head)
            )
            assert context.coverage[layer, head, at] == pytest.approx(held / strong)
        expected = sum(
            w.shape[2] * np.mean([in_context_by_loop(w, pair, token_id) for pair in all_pairs(w)]) for w in by_window
        )
        assert context.chance[at] == pytest.approx(expected / strong, abs=1e-6)


@pytest.fixture(autouse=True, scope="module")
def one_pair_is_enough() -> Iterator[None]:
    """What an anchor is, is asked of windows of a few tokens."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(anchors, "MIN_PAIRS", 1)
        yield


def flat_columns(touching: TokenCoverage, context: TokenCoverage) -> pd.DataFrame:
    layers, heads, _ = touching.pairs.shape
    return head_frame(anchor_columns(touching, context), layers, heads)


def test_below_thirty_pairs_no_head_has_an_anchor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anchors, "MIN_PAIRS", MIN_PAIRS)
    passage = made_passage([0, 1, 2, 3, 5] * 4)
    for number, named in ((MIN_PAIRS - 1, False), (MIN_PAIRS, True)):
        touching = touched(random_choice(passage, number, seed=0))
        table = anchor_table(touching)
        columns = flat_columns(touching, touching)
        assert table["is_anchor"].any() == (columns["anchor"] != "").any() == named


@given(windows())
def test_shared_counts_the_other_heads_with_that_anchor(by_window: list[StrongPairs]) -> None:
    table = anchor_table(token_coverage(by_window))
    best = table[table["rank"] == 1]
    for row in table.itertuples():
        others = best[(best["layer"] == row.layer) & (best["head"] != row.head) & best["is_anchor"]]
        assert row.shared_in_layer == (others["token_id"] == row.token_id).sum()


def test_ranks_go_down_and_runners_up_stand_in_one_text() -> None:
    window = made_pairs(made_passage([0, 1, 2, 3, 5]), [[[(0, 1), (0, 2), (0, 3), (1, 2)]]])
    table = anchor_table(token_coverage([window]))
    assert table["coverage"].is_monotonic_decreasing
    overview = anchor_overview(table, token_labels([window]))
    assert overview["anchor"].tolist() == ["tide"]
    assert overview["anchor_word"].tolist() == ["tide"]
    assert overview["runners_up"].tolist() == ["rope 50%   full stop 50%   boat 25%"]  # three of the four


@given(windows())
def test_an_anchor_touches_more_pairs_than_by_chance_or_there_is_none(by_window: list[StrongPairs]) -> None:
    coverage = token_coverage(by_window)
    table = anchor_table(coverage)
    best = table[table["rank"] == 1]
    assert best["is_anchor"].tolist() == (best["coverage"] > best["chance_token_coverage"]).tolist()
    assert not table.loc[table["rank"] > 1, "is_anchor"].any()
    overview = anchor_overview(table, token_labels(by_window))
    assert (overview["anchor"] == "").tolist() == (~best["is_anchor"]).tolist()
    context = added([in_context(window, touched(window)) for window in by_window])
    columns = flat_columns(coverage, context)
    assert columns["anchor_id"].tolist() == overview["anchor_id"].tolist()
    assert (columns["anchor_id"] == NONE).tolist() == (columns["anchor"] == "").tolist()
    assert (columns["anchor_coverage"] > columns["chance_token_coverage"]).tolist() == best["is_anchor"].tolist()


def test_an_anchor_that_is_a_separator_is_said() -> None:
    passage = made_passage([0, 2, 1, 2, 3], separators=[1, 3])
    window = made_pairs(passage, [[[(1, 3), (1, 2)], [(0, 2), (0, 4)]]])
    touching = touched(window)
    columns = flat_columns(touching, in_context(window, touching))
    assert columns["anchor"].tolist() == [".", "tide"]
    assert columns["anchor_is_separator"].tolist() == [True, False]


def test_stability_is_the_share_of_parts_with_the_same_anchor_and_chance_that_of_the_other_heads() -> None:
    leaders = np.array([[0, 1, 2], [0, 0, 2], [1, 0, 2], [0, 5, 5]])
    tally = Tally()
    tally.add_each("it", stability(leaders, np.array([0, 1, 2])))
    assert tally.value("it").tolist() == [0.75, 0.25, 0.75]
    assert tally.chance("it").tolist() == [2 / 8, 1 / 8, 0]


def test_a_part_of_words_stands_with_its_words() -> None:
    passage = made_passage([0, 4, 1])  # "tide ##s rope"
    object.__setattr__(passage.document, "text", "walking tide")
    text = {"starts": np.array([0, 4, 8]), "ends": np.array([4, 7, 12])}
    for name, values in text.items():
        object.__setattr__(passage, name, values)
    object.__setattr__(passage, "tokens", ("walk", "##ing", "tide"))
    labels = token_labels([made_pairs(passage, [[[(0, 1)]]])])
    assert labels == {0: "walk(ing)", 4: "(walk)ing", 1: "tide"}


@given(windows())
def test_heads_around_a_token_have_its_coverage(by_window: list[StrongPairs]) -> None:
    coverage = token_coverage(by_window)
    for at, token_id in enumerate(coverage.token_ids):
        around = heads_around(coverage, int(token_id))
        assert around["excess"].to_numpy() == pytest.approx(coverage.coverage[..., at].ravel() - coverage.chance[at])
        assert around["is_anchor"].to_numpy().tolist() == (coverage.anchors() == at).ravel().tolist()


def test_occurrences_tell_where_a_token_stands() -> None:
    window = made_pairs(made_passage([0, 1, 0], sentences=[0, 0, 1]), [[[(0, 1)]]])
    table = occurrence_table([window], 0)
    assert table[["window", "position", "sentence", "word"]].to_numpy().tolist() == [
        [1, 0, 1, "tide"],
        [1, 2, 2, "tide"],
    ]
    assert "‹tide›" in table["context"][1]


@given(windows())
def test_the_chance_levels_of_the_ranks_are_those_of_the_most_common_tokens(by_window: list[StrongPairs]) -> None:
    touching = token_coverage(by_window)
    table = anchor_table(touching)
    by_rank = table.groupby("rank")["chance_coverage"].first().to_numpy()
    assert by_rank.tolist() == sorted(touching.chance.tolist(), reverse=True)[: len(by_rank)]
    assert by_rank[0] == touching.chance_of_best
