"""Mean and spread of a head's similarities without its N x N matrix. Tensors end here, as in `selection`."""

from collections.abc import Mapping

import numpy as np

from attn_core.models.head_outputs import Values
from attn_core.similarity.context_similarity import as_measured
from attn_core.similarity.selection import as_tensor, of_tokens
from attn_core.similarity.strong_pairs import Measure
from attn_core.tensors import Tensor

MOMENTS = ("sum_squared", "squares", "sum_of_squares", "sum_of_fourths")


def moments(z: Values, eligible: np.ndarray, measure: Measure) -> dict[str, np.ndarray]:
    """Sums over tokens that give mean and variance of S, each (layer, head).

    Over all ordered pairs, a token with itself included: sum S = |sum z|^2 (sum_squared) and
    sum S^2 = ||sum z z^T||_F^2 (squares). The diagonal's parts: sum |z|^2 (sum_of_squares) and sum |z|^4
    (sum_of_fourths). z: (layer, head, token, d_head).
    """
    layers = as_tensor(z)
    each = [_moments(of_tokens(as_measured(heads, measure), eligible)) for heads in layers]  # a layer fits the cache
    return {name: np.stack(values) for name, values in zip(MOMENTS, zip(*each, strict=True), strict=True)}


def mean_and_deviation(sums: Mapping[str, np.ndarray], pairs: float) -> tuple[np.ndarray, np.ndarray]:
    """Of S over all pairs i < j, from sums of `moments` over windows and the number of their pairs."""
    mean = (sums["sum_squared"] - sums["sum_of_squares"]) / 2 / pairs
    variance = (sums["squares"] - sums["sum_of_fourths"]) / 2 / pairs - mean**2
    return mean, np.sqrt(np.maximum(variance, 0.0))


def _moments(z: Tensor) -> list[np.ndarray]:
    """The four sums of one layer, each (head,), float64. z: (head, token, d_head) float32, as measured.

    The variance of S is a small difference of large sums where all head outputs point one way. So the mean mu of z is
    taken out before the products are added up: z^T z = (z - mu)^T (z - mu) + N mu mu^T, put together in float64.
    """
    mean = z.mean(dim=1, keepdim=True)
    centred = z - mean
    gram = (centred.transpose(-1, -2) @ centred).cpu().double().numpy()
    norms, n = z.square().sum(dim=-1).cpu().double().numpy(), z.shape[1]
    mu = mean.cpu().double().numpy()
    gram += n * mu.swapaxes(-1, -2) * mu
    total = (n * mu[:, 0]) ** 2
    return [total.sum(axis=-1), (gram**2).sum(axis=(-1, -2)), norms.sum(axis=-1), (norms**2).sum(axis=-1)]
