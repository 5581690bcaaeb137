"""How alike all pairs of tokens are, without a threshold: counts of their scores, by distance.

A score is a similarity that is standardised within a head and a window: 0 is the mean over all pairs, and 1 is one
standard deviation above it.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from attn_core.models.head_outputs import Values, as_array
from attn_core.similarity.context_similarity import ROUNDING, as_measured
from attn_core.similarity.strong_pairs import Measure

if TYPE_CHECKING:
    from attn_core.tensors import Tensor

FIRST = (1, 3, 17, 65)  # the least distance of each class of distances; our choice
EDGES = np.linspace(-4, 6, 65)  # of the bins of scores; the outermost bins also have what lies beyond
BINS = len(EDGES) - 1
BLOCK = 1 << 18  # similarities that are counted together, which fit into the cache


def count_scores(z: Values, eligible: np.ndarray, measure: Measure) -> np.ndarray:
    """The number of pairs in each class of distances and each bin of scores, (layer, head, class, bin).

    z: (layer, head, token, d_head). eligible: (token,) bool, whether each token may pair.
    """
    from attn_core.numerics.threads import on_every_core  # which imports torch
    from attn_core.similarity.selection import ROWS, as_tensor
    from attn_core.tensors import torch

    z, position = as_tensor(z), torch.arange(len(eligible))
    device, (heads, tokens) = z.device, z.shape[1:3]
    able, first = torch.from_numpy(eligible), torch.tensor(FIRST)
    step = max(1, BLOCK // (ROWS * tokens))

    def count(layers: Sequence[int]) -> list[np.ndarray]:
        counted = torch.zeros((len(layers), heads, (1 + len(FIRST)) * BINS), dtype=torch.int64, device=device)
        measured = [as_measured(z[layer], measure) for layer in layers]
        scales = [_bins_per_similarity(vectors[:, able.to(device)]) for vectors in measured]
        for start in range(0, tokens, ROWS):
            rows, columns = slice(start, start + ROWS), slice(start, tokens)
            classes = torch.bucketize(position[None, columns] - position[rows, None], first, right=True)
            classes *= able[rows, None] & able[None, columns]  # class 0: no pair
            offset = (BINS * classes).to(device, torch.float32)
            for layer, (vectors, (scale, shift)) in enumerate(zip(measured, scales, strict=True)):
                for head in range(0, heads, step):
                    part = slice(head, head + step)
                    bins = torch.baddbmm(shift[part], vectors[part, rows] * scale[part], vectors[part, columns].mT)
                    bins = bins.clamp_(0, BINS - 1).floor_().add_(offset).long()
                    for number, of_head in enumerate(bins, start=head):
                        counted[layer, number] += torch.bincount(of_head.ravel(), minlength=counted.shape[-1])
        return list(as_array(counted.unflatten(-1, (-1, BINS))[:, :, 1:]))

    by_layer = on_every_core(count, range(len(z)), device)
    return np.stack(by_layer)


def _bins_per_similarity(vectors: "Tensor") -> "tuple[Tensor, Tensor]":
    """The scale and the shift that turn similarities into numbers of bins, (head, 1, 1) each.

    vectors: (head, token, d_head), of the tokens that may pair. Mean and standard deviation follow from sums of
    vectors: over pairs i < j, v_i . v_j adds up to (|sum v|^2 - sum |v|^2) / 2. If similarities differ only by
    rounding, all scores are 0.
    """
    of_cpu = vectors.cpu().double()  # some devices have no float64
    pairs, squares = vectors.shape[1] * (vectors.shape[1] - 1) / 2, of_cpu.square().sum(-1)
    mean = (of_cpu.sum(1).square().sum(-1) - squares.sum(-1)) / 2 / pairs
    of_squares = ((of_cpu.mT @ of_cpu).square().sum((1, 2)) - squares.square().sum(-1)) / 2 / pairs
    deviation = (of_squares - mean.square()).clamp(min=0).sqrt()
    scale = BINS / (EDGES[-1] - EDGES[0]) / deviation
    scale[deviation <= ROUNDING * of_squares.sqrt()] = 0
    shift = -EDGES[0] * BINS / (EDGES[-1] - EDGES[0]) - mean * scale
    return scale.to(vectors)[:, None, None], shift.to(vectors)[:, None, None]
