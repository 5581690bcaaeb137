"""What is above chance: by enough, and by more than luck."""

import numpy as np
import pytest

from attn_core.measures.few_pairs import MIN_EXCESS, is_above_chance


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
