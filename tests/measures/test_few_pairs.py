"""Too few strong pairs name no head, and the share that is offered is the smallest that gives enough."""

import numpy as np
import pandas as pd
import pytest

from attn_core.measures.few_pairs import MIN_PAIRS, enough_share, is_above_chance, too_few


@pytest.mark.parametrize(
    ("pairs", "share"),
    [([1225], 0.025), ([3051], 0.010), ([100_000], 0.001), ([435, 435], 0.068), ([30], 0.984), ([3], 1.0)],
)
def test_the_smallest_share_with_enough_pairs_is_offered(pairs: list[int], share: float) -> None:
    assert enough_share(pairs) == share


@pytest.mark.parametrize("windows", [1, 3])
def test_thirty_pairs_a_window_are_enough(windows: int) -> None:
    for pairs, few in ((1, True), (MIN_PAIRS - 1, True), (MIN_PAIRS, False), (1000, False)):
        assert too_few(pd.DataFrame({"pairs": np.full(72, windows * pairs), "windows": windows})) is few


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
def test_above_chance_is_a_tenth_more_and_twelve_bits_of_all_pairs(
    share: float, chance: float, pairs: int, above: bool
) -> None:
    assert is_above_chance(np.array(share), chance, pairs) == above
