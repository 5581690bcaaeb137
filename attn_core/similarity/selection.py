"""The strong pairs: the pairs of tokens that a head makes most alike.

Tensors end here: what comes out is numpy.
"""

from collections.abc import Sequence

import numpy as np

from attn_core.checks import check_share
from attn_core.errors import InputError, TextError
from attn_core.models.head_outputs import Values
from attn_core.numerics.pairs import every_pair, pairs_among
from attn_core.numerics.ranks import largest_first
from attn_core.numerics.threads import on_every_core
from attn_core.similarity.context_similarity import as_measured, context_similarity
from attn_core.similarity.strong_pairs import NO_PAIR, SHARE, Measure, StrongPairs, number_of_strong_pairs
from attn_core.tensors import Tensor, torch
from attn_core.texts.passages import Passage


def find_strong_pairs(
    z: Values, passage: Passage, share: float = SHARE, measure: Measure = "dot", with_special: bool = True
) -> StrongPairs:
    """The K pairs i < j of largest similarity of every head; equal values: smaller i, then smaller j, first.

    z: (layer, head, token, d_head) float32, of the passage's tokens. K = max(1, round(share * P)) of the P pairs that could
    be chosen. The selection is exact. Raises TextError where fewer than two tokens can pair, and InputError for a z of other
    tokens, a share or a measure that there is not.

    >>> pairs = attn_core.find_strong_pairs(output.z, passage, share=0.05)
    >>> pairs.first.shape  # layer, head, pair
    (6, 12, 8)
    """
    check_share(share, "The share of strong pairs")
    if len(getattr(z, "shape", ())) != 4 or z.shape[2] != len(passage):
        raise InputError(
            f"z is an array of (layer, head, token, d_head) with the {len(passage)} tokens of the passage."
        )
    z = as_tensor(z)
    eligible = np.ones(len(passage), dtype=bool) if with_special else ~passage.is_special
    positions = np.flatnonzero(eligible)
    if len(positions) < 2:
        raise TextError(NO_PAIR)
    i, j = every_pair(len(positions))
    cells, keep = i * len(positions) + j, number_of_strong_pairs(len(i), share)

    def strongest(some: Sequence[Tensor]) -> list[tuple[np.ndarray, np.ndarray]]:
        return [_strongest(vectors, cells, keep) for vectors in some]

    measured = (of_tokens(as_measured(layer, measure), eligible) for layer in z)
    chosen = on_every_core(strongest, [vectors for layer in measured for vectors in layer], z.device)
    pairs, values = (np.stack(parts).reshape(*z.shape[:2], keep) for parts in zip(*chosen, strict=True))
    first, second = (end.take(pairs) for end in pairs_among(positions))
    return StrongPairs(passage, eligible, first, second, values)


def _strongest(vectors: Tensor, cells: np.ndarray, keep: int) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of a head's strongest pairs, (keep,), and their similarities; cells: where all pairs stand in its matrix."""
    similarity = context_similarity(vectors[None]).cpu().numpy().reshape(-1).take(cells)
    weakest = np.partition(similarity, len(cells) - keep)[len(cells) - keep]
    passed = np.flatnonzero(similarity >= weakest)
    values = similarity.take(passed)
    order = largest_first(values)[:keep]
    return passed.take(order), values.take(order)


def as_tensor(values: Values) -> Tensor:
    """The numbers as torch has them; those that nobody may change are copied, since torch knows no such tensor."""
    fixed = isinstance(values, np.ndarray) and not values.flags.writeable
    return torch.as_tensor(values.copy() if fixed else values)


def of_tokens(z: Tensor, chosen: np.ndarray) -> Tensor:
    """Some tokens' vectors, (head, token, d_head); chosen: (N,) bool."""
    return z if chosen.all() else z[:, torch.from_numpy(np.flatnonzero(chosen)).to(z.device)]
