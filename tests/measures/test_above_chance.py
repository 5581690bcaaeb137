"""What is above chance: by enough, and by more than luck."""

import numpy as np
import pytest

from attn_core.measures.above_chance import MIN_EXCESS, information, is_above_chance


def test_information_is_the_divergence_of_two_coins() -> None:
    share = np.array([0.5, 1.0, 0.0, 0.3, 0.3])
    chance = np.array([0.25, 0.5, 0.5, 0.0, 1.0])
    half = 0.5 * np.log2(2) + 0.5 * np.log2(0.5 / 0.75)
    assert information(share, chance) == pytest.approx([half, 1.0, 1.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("share", "chance", "pairs", "above"),
    [
        (0.35, 0.20, 1000, True),
        (0.30, 0.21, 1000, False),  # less than a tenth
        (0.30, 0.10, 30, False),  # 12 bits in all: random pairs do it once in 4,096 times
        (0.30, 0.10, 79, True),
        (0.90, 0.10, 30, True),
        (0.90, 0.10, 29, False),  # whatever they show
    ],
)
def test_a_tenth_above_chance_counts_where_all_pairs_together_tell_twelve_bits(
    share: float, chance: float, pairs: int, above: bool
) -> None:
    assert is_above_chance(np.array(share), chance, pairs) == above
    assert MIN_EXCESS == 0.1
