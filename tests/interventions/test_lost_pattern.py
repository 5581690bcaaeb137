"""What later heads lose of a pattern where others are removed, beside random heads."""

import numpy as np
import pytest

from attn_core.head import Head
from attn_core.interventions.lost_pattern import lost_by, lost_pattern, pattern_scores
from attn_core.models.intervened import intervened
from attn_core.models.intervention import Intervention
from attn_core.patterns.pair_scores import see
from attn_core.patterns.word_maps import MAPS, read_words
from attn_core.similarity.words import find_words
from tests.families import TEXT, Read, Tiny

PAIRS = [(0, 5), (2, 9), (1, 30)]


def test_scores_are_those_of_a_pattern_and_change_behind_the_removed_head_alone(tiny_model: Tiny, read: Read) -> None:
    model = tiny_model("bert")
    passage = read(model, TEXT)
    words = find_words(passage)
    seen = see([(0, read_words(model, passage, words), PAIRS)])
    assert seen is not None
    whole = pattern_scores(model, [(passage, words, PAIRS)], "centred")
    assert whole == pytest.approx(seen.percentile[MAPS.index("centred")].mean(axis=-1), abs=0.01)
    without = pattern_scores(intervened(model, Intervention((Head(1, 2),))), [(passage, words, PAIRS)], "centred")
    changed = whole != without
    assert not changed[0].any() and changed[1].tolist()[:2] == [False, False] and changed[2].any()


def test_only_heads_behind_a_removed_one_lose_and_only_where_they_stay() -> None:
    lost = lost_by(np.full((3, 2), 0.8), np.full((3, 2), 0.5), (Head(0, 1), Head(1, 0)))
    assert np.isnan(lost[0]).all() and np.isnan(lost[1, 0])
    assert lost[[1, 2, 2], [1, 0, 1]] == pytest.approx(0.3)


def test_a_loss_is_held_against_the_largest_loss_of_any_head_under_random_sets() -> None:
    before = np.full((2, 3), 0.8)
    after = np.array([[0.8, 0.8, 0.8], [0.4, 0.7, 0.9]])
    by_chance = np.array(
        [[[np.nan] * 3, [0.0, 0.2, 0.1]], [[np.nan] * 3, [0.1, np.nan, 0.0]], [[np.nan] * 3, [0, 0, 0.0]]]
    )
    table = lost_pattern(before, after, (Head(0, 0),), by_chance)
    assert table[["layer", "head"]].to_numpy().tolist() == [[2, 1], [2, 2], [2, 3]]
    assert table["lost"].tolist() == pytest.approx([0.4, 0.1, -0.1])
    assert table["p_adjusted"].tolist() == pytest.approx([1 / 4, 3 / 4, 1])
    assert table["chance_lost"].tolist() == pytest.approx([0.1 / 3, 0.1, 0.1 / 3])
