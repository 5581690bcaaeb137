"""Heads that one half of the texts chooses, alone or joined, are scored on the other."""

from typing import Any

import numpy as np
import pytest

from attn_core.patterns.pooled_scores import WAYS, RelationSums, choose, cross_fit_joined, relation_rows
from attn_core.patterns.scores import MAPS, OFFSETS

TEXTS, PAIRS = 12, 20


@pytest.fixture
def pooled() -> RelationSums:
    """Twelve texts in which one head sees the pairs and another points at them."""
    generator = np.random.default_rng(0)
    percentile = generator.normal(0.5, 0.01, (TEXTS, len(MAPS), 2, 3))
    right = generator.normal(0.3, 0.01, percentile.shape)
    percentile[:, MAPS.index("attends"), 1, 2] = 0.9
    percentile[:, MAPS.index("attended"), 0, 1] = 0.7
    right[:, MAPS.index("attended"), 0, 1] = 0.8
    percentile[:, MAPS.index("centred"), 0, 0] = generator.normal(0.8, 0.02, TEXTS)
    many, texts = np.full(TEXTS, float(PAIRS)), np.arange(TEXTS)
    offsets = np.zeros((TEXTS, len(OFFSETS)))
    return RelationSums(texts, many, percentile * PAIRS, right * PAIRS, offsets)


def test_each_half_is_scored_in_the_head_that_the_other_half_chose_by_the_same_number(pooled: RelationSums) -> None:
    attends = pooled.percentile[:, MAPS.index("attends"), 1, 2]
    attends[~pooled.half] = 0.1 * PAIRS  # sees the pairs in the second half alone
    rows: dict[Any, dict[str, Any]] = {row["map"]: row for row in relation_rows("made up", pooled)}
    assert list(rows) == list(MAPS)
    assert rows["attended"]["score"] == pytest.approx(0.7) and rows["attended"]["score_heads"] == "L1H2 L1H2"
    assert rows["attended"]["pointing"] == pytest.approx(0.8)
    assert rows["centred"]["score_heads"] == "L1H1 L1H1"
    assert rows["centred"]["score_low"] < rows["centred"]["score"] < rows["centred"]["score_high"]
    assert str(rows["attends"]["score_heads"]).startswith("L2H3 ") and rows["attends"]["score"] < 0.4


def margins(size: int, good: dict[tuple[int, int], float]) -> np.ndarray:
    """Noise in all maps, and heads of `centred` that are right with a strength."""
    drawn = np.random.default_rng(0).normal(size=(size, len(MAPS), 2, 3))
    for head, strength in good.items():
        drawn[:, MAPS.index("centred"), *head] += strength
    return drawn


def test_heads_that_are_right_most_often_are_joined_and_a_large_one_does_not_outvote_the_others() -> None:
    questions = margins(400, {(0, 1): 2.0, (1, 2): 1.5, (1, 0): 1.0})
    assert str(choose(questions, ("centred",))).startswith("L1H2:centred L2H3:centred")
    scaled = questions.copy()
    scaled[:, :, 0, 1] *= 1000
    assert np.array_equal(
        choose(questions, WAYS["all"]).answers(questions) > 0, choose(scaled, WAYS["all"]).answers(scaled) > 0
    )


def test_noise_that_was_chosen_on_one_half_is_at_chance_on_the_other() -> None:
    questions = margins(600, {})
    half = np.arange(600) % 2 == 1
    right, (first, second) = cross_fit_joined(questions, half, MAPS)
    own = (choose(questions[~half], MAPS).answers(questions[~half]) > 0).mean()
    assert own > 0.52 and abs(right.mean() - 0.5) < 0.06
    assert str(first) != str(second)
