"""Heads that answer together: chosen on one half, scored on the other."""

import numpy as np

from attn_core.patterns.joined import WAYS, choose, crossed
from attn_core.patterns.word_maps import MAPS


def margins(questions: int, good: dict[tuple[int, int], float]) -> np.ndarray:
    """Noise in all maps, and heads of `centred` that are right with a strength."""
    drawn = np.random.default_rng(0).normal(size=(questions, len(MAPS), 2, 3))
    for head, strength in good.items():
        drawn[:, MAPS.index("centred"), *head] += strength
    return drawn


def test_the_heads_that_are_right_most_often_are_chosen() -> None:
    joined = choose(margins(400, {(0, 1): 2.0, (1, 2): 1.5, (1, 0): 1.0}), ("centred",))
    assert str(joined).startswith("L1H2:centred L2H3:centred")


def test_a_large_head_does_not_outvote_the_others() -> None:
    asked = margins(400, {(0, 1): 2.0, (1, 2): 2.0, (1, 0): 2.0})
    scaled = asked.copy()
    scaled[:, :, 0, 1] *= 1000
    assert np.array_equal(
        choose(asked, WAYS["all"]).answers(asked) > 0, choose(scaled, WAYS["all"]).answers(scaled) > 0
    )


def test_noise_that_was_chosen_on_one_half_is_at_chance_on_the_other() -> None:
    asked = margins(600, {})
    half = np.arange(600) % 2 == 1
    right, (first, second) = crossed(asked, half, MAPS)
    own = (choose(asked[~half], MAPS).answers(asked[~half]) > 0).mean()
    assert own > 0.52
    assert abs(right.mean() - 0.5) < 0.06
    assert str(first) != str(second)
