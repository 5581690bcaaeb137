"""What stands out: enough above chance, and more than luck."""

import numpy as np
import pytest

from attn_core.measures.standing_out import stands_out


@pytest.mark.parametrize(
    ("excess", "bits", "pairs", "stands"),
    [
        (0.10, 0.12, 100, True),  # twelve bits: random pairs do it once in 4,096 times
        (0.10, 0.119, 100, False),
        (0.099, 0.5, 1000, False),
        (0.10, 0.4, 30, True),
        (0.10, 0.39, 30, False),
        (0.50, 1.0, 29, False),  # whatever they show
    ],
)
def test_a_tenth_above_chance_stands_out_where_all_pairs_together_tell_twelve_bits(
    excess: float, bits: float, pairs: int, stands: bool
) -> None:
    assert stands_out(np.array(excess), np.array(bits), np.array(pairs)) == stands
