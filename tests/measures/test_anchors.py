"""Anchors and their chance levels against plain loops over pairs."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from attn_core.charts.anchors import anchor_overview
from attn_core.measures import few_pairs, token_coverage
from attn_core.measures.anchors import (
    anchor_columns,
    anchor_table,
    content_coverage,
    heads_around,
    occurrence_table,
    stability,
    token_labels,
)
from attn_core.measures.few_pairs import MIN_EXCESS, MIN_PAIRS
from attn_core.measures.frames import head_frame
from attn_core.measures.tally import Tally
from attn_core.measures.token_coverage import NONE, TokenCoverage, added, touched
from attn_core.similarity.strong_pairs import StrongPairs
from attn_core.texts.documents import Document
from tests.measures.made_up import (
    GRID,
    Pair,
    made_pairs,
    made_passage,
    mean_over_all,
    mean_over_strong,
    random_choice,
    windows,
)


@pytest.fixture(autouse=True, scope="module")
def one_pair_is_enough() -> Iterator[None]:
    """The windows of these tests have few tokens."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(few_pairs, "MIN_PAIRS", 1)
        patch.setattr(token_coverage, "MIN_PAIRS", 1)
        patch.setattr(few_pairs, "SURE_BITS", 0)
        yield


def coverage_in(windows: Sequence[StrongPairs]) -> TokenCoverage:
    return added([touched(window) for window in windows])


def columns_of(windows: Sequence[StrongPairs]) -> pd.DataFrame:
    return head_frame(anchor_columns(coverage_in(windows)), *windows[0].shape[:2])


def test_punctuation_function_words_and_special_tokens_can_be_left_out() -> None:
    words = ("[CLS]", "the", "sea", ".", "sea", "and", "moon")
    text = " ".join(words[1:])
    starts = [-1, *(text.index(word) for word in words[1:])]
    made = made_passage([0, 1, 2, 3, 2, 4, 5], special=[0])
    ends = [start + len(word) for start, word in zip(starts, words, strict=True)]
    passage = replace(
        made, document=Document(text, ((0, len(text)),)), tokens=words, starts=np.array(starts), ends=np.array(ends)
    )
    window = made_pairs(passage, [[[(1, 2), (2, 4), (3, 6), (0, 1)]]])
    every = touched(window)
    content = content_coverage(every, [window])
    assert content.tokens == ("sea", "moon") and content.occurrences.tolist() == [2, 1]
    assert content.shares.tolist() == [[[0.5, 0.25]]]
    assert content.chance.tolist() == [every.chance[every.tokens.index(token)] for token in content.tokens]


def touches(window: StrongPairs, pair: Pair, token_id: int) -> bool:
    return token_id in window.passage.token_ids[list(pair)]


@given(windows())
def test_coverage_and_its_chance_level_are_those_of_loops_over_pairs(by_window: list[StrongPairs]) -> None:
    coverage = coverage_in(by_window)
    ids = coverage.token_ids.tolist()

    def of_tokens(window: StrongPairs, pair: Pair) -> np.ndarray:
        return np.array([touches(window, pair, token_id) for token_id in ids])

    for head in GRID:
        assert coverage.shares[head] == pytest.approx(mean_over_strong(by_window, of_tokens, *head))
    assert coverage.chance == pytest.approx(mean_over_all(by_window, of_tokens), abs=1e-6)
    assert coverage.occurrences.tolist() == [
        sum((w.passage.token_ids[w.eligible] == token_id).sum() for w in by_window) for token_id in ids
    ]


@given(windows())
def test_the_anchor_touches_the_most_pairs_and_a_tenth_more_than_the_most_common_token_does_by_chance(
    by_window: list[StrongPairs],
) -> None:
    touching = coverage_in(by_window)
    for head in GRID:
        row, leader = touching.shares[head], touching.most_covered_tokens()[head]
        assert row[leader] == row.max()
        assert touching.occurrences[leader] == touching.occurrences[row == row.max()].min(), "of equals the rarer"
    table = anchor_table(touching)
    best = table[table["rank"] == 1]
    assert best["token_id"].tolist() == touching.token_ids[touching.most_covered_tokens()].ravel().tolist()
    assert best["is_anchor"].tolist() == (best["coverage"] - best["chance_coverage"] >= MIN_EXCESS).tolist()
    assert not table.loc[table["rank"] > 1, "is_anchor"].any()
    for found in (columns_of(by_window), anchor_overview(table, token_labels(by_window))):
        assert found["anchor_id"].tolist() == best["token_id"].where(best["is_anchor"], NONE).tolist()
        assert (found["anchor"] != "").tolist() == best["is_anchor"].tolist()
    by_rank = table.groupby("rank")["chance_coverage"].first().tolist()
    assert by_rank == sorted(touching.chance.tolist(), reverse=True)[: len(by_rank)]


def test_below_thirty_pairs_no_head_has_an_anchor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(few_pairs, "MIN_PAIRS", MIN_PAIRS)
    monkeypatch.setattr(token_coverage, "MIN_PAIRS", MIN_PAIRS)
    passage = made_passage([0, 1, 2, 3, 5] * 4)
    for number, named in ((MIN_PAIRS - 1, False), (MIN_PAIRS, True)):
        window = random_choice(passage, number, seed=0)
        assert anchor_table(touched(window))["is_anchor"].any() == named
        assert (columns_of([window])["anchor"] != "").any() == named


@given(windows())
def test_shared_counts_the_other_heads_with_that_anchor(by_window: list[StrongPairs]) -> None:
    table = anchor_table(coverage_in(by_window))
    best = table[table["rank"] == 1]
    for row in table.itertuples():
        others = best[(best["layer"] == row.layer) & (best["head"] != row.head) & best["is_anchor"]]
        assert row.shared_in_layer == (others["token_id"] == row.token_id).sum()


def test_three_runners_up_are_named_with_their_coverage() -> None:
    window = made_pairs(made_passage([0, 1, 2, 3, 5]), [[[(0, 1), (0, 2), (0, 3), (1, 2)]]])
    table = anchor_table(touched(window))
    assert table["coverage"].is_monotonic_decreasing
    overview = anchor_overview(table, token_labels([window]))
    assert overview["anchor"].tolist() == overview["anchor_word"].tolist() == ["tide"]
    assert overview["runners_up"].tolist() == ["rope 50%   full stop 50%   boat 25%"]  # three of the four


def test_an_anchor_may_be_a_separator() -> None:
    passage = made_passage([0, 2, 1, 2, 3], separators=[1, 3])
    columns = columns_of([made_pairs(passage, [[[(1, 3), (1, 2)], [(0, 2), (0, 4)]]])])
    assert columns["anchor"].tolist() == [".", "tide"]
    assert columns["anchor_is_separator"].tolist() == [True, False]


def test_stability_is_the_share_of_parts_with_the_same_anchor_and_chance_that_of_the_other_heads() -> None:
    leaders = np.array([[0, 1, 2], [0, 0, 2], [1, 0, 2], [0, 5, 5]])
    tally = Tally()
    tally.add_each("it", stability(leaders, np.array([0, 1, 2])))
    assert tally.value("it").tolist() == [0.75, 0.25, 0.75]
    assert tally.chance("it").tolist() == [2 / 8, 1 / 8, 0]


def test_the_label_of_a_part_of_a_word_has_the_whole_word() -> None:
    passage = replace(
        made_passage([0, 4, 1, 2, 4]),
        document=Document("walking tide Walking", ((0, 20),)),
        tokens=("walk", "##ing", "tide", "Walk", "##ing"),
        starts=np.array([0, 4, 8, 13, 17]),
        ends=np.array([4, 7, 12, 17, 20]),
    )
    labels = token_labels([made_pairs(passage, [[[(0, 1)]]])])
    assert labels == {0: "walk(ing)", 4: "(walk)ing", 1: "tide", 2: "Walk(ing)"}


@given(windows())
def test_heads_around_a_token_have_its_coverage(by_window: list[StrongPairs]) -> None:
    coverage = coverage_in(by_window)
    for at, token_id in enumerate(coverage.token_ids):
        around = heads_around(coverage, int(token_id))
        assert around["excess"].to_numpy() == pytest.approx(coverage.shares[..., at].ravel() - coverage.chance[at])
        assert around["is_anchor"].to_numpy().tolist() == (coverage.anchors() == at).ravel().tolist()


def test_the_occurrences_of_a_token_are_listed() -> None:
    window = made_pairs(made_passage([0, 1, 0], sentences=[0, 0, 1]), [[[(0, 1)]]])
    table = occurrence_table([window], 0)
    assert table[["window", "sentence"]].to_numpy().tolist() == [[1, 1], [1, 2]]
    assert "‹tide›" in table["context"][1]
