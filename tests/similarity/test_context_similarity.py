"""The measures of similarity: one definition, of tensors as of arrays."""

import numpy as np
import pytest
import torch

from attn_core.models.head_outputs import as_array
from attn_core.similarity.context_similarity import as_measured, context_similarity
from attn_core.similarity.strong_pairs import MEASURES, Measure


@pytest.fixture
def z() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(2, 3, 5, 4)).astype(np.float32) + 1


@pytest.mark.parametrize("measure", MEASURES)
def test_the_matrix_is_that_of_its_definition_of_tensors_as_of_arrays(z: np.ndarray, measure: Measure) -> None:
    vectors = z.astype(np.float64)
    if measure == "centred":
        vectors -= vectors.mean(axis=-2, keepdims=True)
    if measure != "dot":
        vectors /= np.linalg.norm(vectors, axis=-1, keepdims=True)
    expected = np.einsum("lhid,lhjd->lhij", vectors, vectors)
    for values in (z, torch.from_numpy(z)):
        similarity = context_similarity(values, measure)
        assert type(similarity) is type(values) and similarity.dtype == values.dtype
        np.testing.assert_allclose(as_array(similarity), expected, atol=1e-5)
        chosen = as_array(context_similarity(values, measure, np.array([0, 3])))
        np.testing.assert_allclose(chosen, expected[..., [[0], [3]], [0, 3]], atol=1e-5)


@pytest.mark.parametrize("measure", ["cosine", "centred"])
def test_a_vector_without_a_direction_is_like_nothing(measure: Measure) -> None:
    same = np.full((1, 4, 3), 1234.567, dtype=np.float32)
    z = np.zeros_like(same) if measure == "cosine" else same
    for values in (z, torch.from_numpy(z)):
        assert (as_array(as_measured(values, measure)) == 0).all()


@pytest.mark.parametrize("apart", [1e-4, 1e-3, 1e-2])
def test_what_is_small_beside_the_mean_and_no_rounding_keeps_its_direction(apart: float) -> None:
    directions = np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])
    z = (np.array([3, 4]) * (1 + 0 * directions) + 5 * apart * directions).astype(np.float32)  # the mean is 5 long
    for values in (z, torch.from_numpy(z)):
        np.testing.assert_allclose(as_array(as_measured(values, "centred")), directions, atol=1e-2)
