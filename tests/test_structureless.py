import numpy as np
import pytest

from attn_core.structureless import structureless_heads


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
