"""Random pairs, and random vectors."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_core.measures.random_pairs import random_pairs, structureless_heads
from attn_core.similarity.strong_pairs import StrongPairs
from tests.measures.made_up import HEADS, LAYERS, all_pairs, chosen_pairs, made_passage, windows

GRID = list(product(range(LAYERS), range(HEADS)))


@given(windows(), st.integers(0, 9))
def test_random_pairs_are_as_many_different_pairs(by_window: list[StrongPairs], seed: int) -> None:
    (drawn,) = random_pairs(by_window, draws=1, seed=seed)
    for window, made in zip(by_window, drawn, strict=True):
        assert made.shape == window.shape
        for layer, head in GRID:
            pairs = chosen_pairs(made, layer, head)
            assert len(set(pairs)) == len(pairs)
            assert set(pairs) <= set(all_pairs(window))


def test_the_same_seed_draws_the_same() -> None:
    rng = np.random.default_rng(0)
    first = np.zeros((1, 1, 30), dtype=int)
    passage = made_passage([0] * 40)
    window = StrongPairs(passage, np.ones(40, dtype=bool), first, first + rng.integers(1, 40, first.shape), first + 0.0)
    one, other, third = (next(random_pairs([window], 1, seed))[0].second for seed in (0, 0, 1))
    assert (one == other).all()
    assert (one != third).any()


@pytest.fixture(scope="module")
def outputs() -> np.ndarray:
    """(layer, head, token, d_head), around means of their own, of lengths of their own."""
    rng = np.random.default_rng(3)
    lengths = rng.lognormal(size=(2, 3, 200, 1))
    return (rng.standard_normal((2, 3, 1, 32)) + lengths * rng.standard_normal((2, 3, 200, 32))).astype(np.float32)


def test_each_vector_lies_as_far_from_its_heads_mean_as_the_real_one(outputs):
    random = structureless_heads(outputs, seed=0)
    mean = outputs.mean(axis=-2, keepdims=True)

    assert random.shape == outputs.shape and random.dtype == outputs.dtype
    np.testing.assert_allclose(
        np.linalg.norm(random - mean, axis=-1), np.linalg.norm(outputs - mean, axis=-1), rtol=1e-4
    )


def test_directions_are_independent_of_the_real_ones_and_of_each_other(outputs):
    random = structureless_heads(outputs, seed=0)
    mean = outputs.mean(axis=-2, keepdims=True)
    unit = [some / np.linalg.norm(some, axis=-1, keepdims=True) for some in (outputs - mean, random - mean)]
    same_token = (unit[0] * unit[1]).sum(axis=-1)
    cosines = np.einsum("lhid,lhjd->lhij", unit[1], unit[1])[..., ~np.eye(200, dtype=bool)]
    between_heads = (unit[1][0, 0] * unit[1][0, 1]).sum(axis=-1)

    # Cosines of random directions in 32 dimensions have mean 0 and a standard deviation of 32^-1/2.
    assert abs(same_token.mean()) < 4 * 32**-0.5 / same_token.size**0.5
    assert abs(between_heads.mean()) < 4 * 32**-0.5 / 200**0.5
    assert cosines.std() == pytest.approx(32**-0.5, rel=0.02)
    assert abs(cosines.mean()) < 0.002


def test_a_seed_gives_the_same_heads_and_another_gives_others(outputs):
    np.testing.assert_array_equal(structureless_heads(outputs, 1), structureless_heads(outputs, 1))
    assert not np.allclose(structureless_heads(outputs, 1), structureless_heads(outputs, 2))
