"""Some tokens of a window beside some tokens of another text, by the definition."""

import numpy as np
import pytest

from attn_core.similarity.noise import Bars, Tokens, find_noise, places_looked_at
from attn_core.similarity.selection import find_strong_and_aligned
from attn_core.similarity.strength import find_strength
from attn_core.similarity.strong_pairs import MEASURES, Measure, Settings
from tests.similarity.test_selection import passage_of
from tests.similarity.test_strength import _as_by_definition


@pytest.mark.parametrize("measure", MEASURES)
def test_a_few_tokens_of_each_side_are_counted_at_the_bars_of_the_whole_window(measure: Measure) -> None:
    rng = np.random.default_rng(5)
    own_z, other_z = (rng.normal(size=(2, 3, size, 4)).astype(np.float32) for size in (60, 80))
    own, other = passage_of(60, special=(0, 59)), passage_of(80, special=(0,))
    pairs, aligned = find_strong_and_aligned(own_z, own, Settings(measure, 0.05, with_special=False))
    bars = Bars.from_pairs(pairs, aligned.similarity[..., -1])
    at, its = (places_looked_at(passage, False, 16) for passage in (own, other))
    mine, theirs = (
        Tokens.of(passage, z, some, measure).alone() for passage, z, some in ((own, own_z, at), (other, other_z, its))
    )
    assert len(at) == len(its) == mine.vectors[measure].shape[2] == 16
    noise = find_noise(mine, bars, measure, [theirs])
    same = own.token_ids[at][:, None] == other.token_ids[its]
    assert noise.looked.tolist() == [256, 256 - same.sum()]
    for kind, bar, counted in (
        (measure, bars.strong, noise.reached[0]),
        ("cosine", bars.aligned, noise.reached_aligned),
    ):
        a, b = _as_by_definition(own_z, kind), _as_by_definition(other_z, kind)
        similarity = np.einsum("lhid,lhjd->lhij", a[:, :, at], b[:, :, its])
        passed = similarity >= bar[..., None, None]
        np.testing.assert_array_equal(counted, passed.sum((2, 3)))
        if kind == measure:
            np.testing.assert_array_equal(noise.reached[1], (passed & ~same).sum((2, 3)))
            np.testing.assert_allclose(noise.rates[0], passed.mean((2, 3)) * bars.of / bars.number)


def test_beside_no_text_nothing_is_looked_at() -> None:
    z = np.random.default_rng(0).normal(size=(1, 2, 9, 4)).astype(np.float32)
    pairs, aligned = find_strong_and_aligned(z, passage_of(9), Settings(share=0.1))
    noise = find_strength(z, pairs, aligned, Settings(share=0.1), [])
    assert not noise.looked.any() and not noise.reached.any() and noise.rates.shape == (0, 1, 2)


def test_a_token_that_is_like_all_of_a_long_window_is_counted_with_all() -> None:
    rng = np.random.default_rng(1)
    own, other = (
        Tokens.of(passage_of(size), rng.normal(size=(1, 2, size, 4)).astype(np.float32), np.arange(size), "dot")
        for size in (600, 3)
    )
    anything = np.full((1, 2), -np.inf, dtype=np.float32)
    noise = find_noise(own, Bars(anything, anything, 1, 2), "dot", [other])
    assert noise.reached[0].tolist() == noise.reached_aligned.tolist() == [[1800, 1800]]
