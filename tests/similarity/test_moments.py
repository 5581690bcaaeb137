"""The moments of the similarity, which are small differences of large sums."""

import numpy as np
import pytest
import torch

from attn_core.similarity.context_similarity import as_measured, context_similarity
from attn_core.similarity.moments import mean_and_deviation, moments
from attn_core.similarity.strong_pairs import MEASURES, Measure


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("common", [0.0, 3000.0])
def test_moments_hold_where_all_head_outputs_point_one_way(measure: Measure, common: float) -> None:
    z = torch.randn(2, 3, 40, 8, generator=torch.Generator().manual_seed(0)) + common
    eligible = np.ones(40, dtype=bool)
    eligible[[0, 39]] = False
    exact = context_similarity(as_measured(z.double(), measure)[:, :, eligible]).numpy().reshape(2, 3, -1)
    by_moment = moments(z, eligible, measure)
    count = exact.shape[-1]
    np.testing.assert_allclose(by_moment["sum_squared"] / count, exact.mean(axis=-1), rtol=1e-5, atol=1e-4)
    variance = by_moment["squares"] / count - (by_moment["sum_squared"] / count) ** 2
    np.testing.assert_allclose(variance, exact.var(axis=-1), rtol=1e-3, atol=1e-12)


def test_mean_and_deviation_are_those_of_the_pairs_of_all_windows() -> None:
    made = [torch.randn(2, 3, size, 8, generator=torch.Generator().manual_seed(size)) + 0.5 for size in (7, 12)]
    sums = [moments(z, np.ones(z.shape[2], dtype=bool), "dot") for z in made]
    similarities = []
    for z in made:
        i, j = np.triu_indices(z.shape[2], k=1)
        similarities.append(context_similarity(z.double()).numpy()[..., i, j])
    exact = np.concatenate(similarities, axis=-1)
    together = {name: sums[0][name] + sums[1][name] for name in sums[0]}
    mean, deviation = mean_and_deviation(together, exact.shape[-1])
    np.testing.assert_allclose(mean, exact.mean(axis=-1), rtol=1e-5)
    np.testing.assert_allclose(deviation, exact.std(axis=-1), rtol=1e-5)
