"""The moments of the similarity, which are small differences of large sums."""

import numpy as np
import pytest
import torch

from attn_core.similarity.context_similarity import as_measured, context_similarity
from attn_core.similarity.moments import moments
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
