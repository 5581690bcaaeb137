"""Length of made-up windows, from its definition."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_core.measures.pair_properties import length_share
from attn_core.similarity.strong_pairs import StrongPairs
from tests.measures.made_up import all_pairs, chosen_pairs, measured, windows


@given(windows(max_windows=1), st.integers(0, 2**16), st.sampled_from([[0.0], [0.0, 1.0], [0.5, 1.0, 1.5, 2.5]]))
def test_length_is_the_overlap_with_as_many_pairs_of_the_longest_vectors(
    made: list[StrongPairs], seed: int, values: list[float]
) -> None:
    (window,) = made
    lengths = np.random.default_rng(seed).choice(values, (*window.shape[:2], len(window.passage))).astype(np.float32)
    count = length_share(replace(measured(window), output=replace(measured(window).output, z=lengths[..., None])))
    for layer, head in np.ndindex(*window.shape[:2]):
        own = lengths[layer, head]
        least = sorted((own[i] * own[j] for i, j in all_pairs(window)), reverse=True)[window.shape[2] - 1]
        assert count.numerator[layer, head] == sum(
            own[i] * own[j] >= least for i, j in chosen_pairs(window, layer, head)
        )
    assert count.chance == pytest.approx(window.shape[2] ** 2 / len(all_pairs(window)))
    assert count.weight == window.shape[2]
