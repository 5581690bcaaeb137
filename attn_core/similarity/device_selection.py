"""Selection of strong pairs where the vectors are, on a GPU: only the pairs and their similarities leave it."""

from collections.abc import Sequence

import numpy as np

from attn_core.models.head_outputs import as_array
from attn_core.numerics.threads import matrices_at_once
from attn_core.similarity.context_similarity import as_measured
from attn_core.similarity.strong_pairs import Measure, StrongPairs
from attn_core.tensors import Tensor, torch

INDEX = 0xFFFFFFFF  # the lower half of a key


def select(z: Tensor, measure: Measure, into: Sequence[StrongPairs]) -> None:
    """Write the most similar pairs of every head into strong pairs, strongest first; ties by first, then second.

    z: (layer, head, token, d_head). into: for each choice of eligible tokens, arrays to be filled. Similarities are
    computed once, for as many heads together as memory holds.
    """
    vectors, tokens = as_measured(z, measure).flatten(0, 1), z.shape[2]
    cells = [torch.from_numpy(tokens * first + second).to(z.device) for first, second in (of.all_pairs for of in into)]
    step = matrices_at_once(4 * tokens * tokens, z.device)  # keys and what they are made of need as much again
    for heads in (slice(start, start + step) for start in range(0, len(vectors), step)):
        similarity = (vectors[heads] @ vectors[heads].mT).flatten(1)
        for strong, cell in zip(into, cells, strict=True):
            of_pairs, number = similarity[:, cell], strong.shape[2]
            chosen = _largest(of_pairs, number)
            places = as_array(chosen)
            for array, values in zip(
                (strong.first, strong.second, strong.similarity),
                (*(ends.take(places) for ends in strong.all_pairs), as_array(of_pairs.gather(1, chosen))),
                strict=True,
            ):
                array.reshape(-1, number)[heads] = values


def _largest(values: Tensor, number: int) -> Tensor:
    """The indices of the largest numbers of each row, in falling order, of equal ones the smaller index first.

    values: (row, n) float32. Each number and its index are packed into one integer, as in `selection`, since topk takes
    any of equal numbers.
    """
    bits = (0 - values).view(torch.int32)
    keys = (bits ^ (bits >> 31 & 0x7FFFFFFF)).long() << 32 | torch.arange(values.shape[1], device=values.device)
    return keys.topk(number, largest=False).values & INDEX


def count_similar(
    own: Tensor, foreign: Sequence[Tensor], weakest: np.ndarray, eligible: Sequence[np.ndarray]
) -> np.ndarray:
    """The number of pairs with each text that are as similar as the weakest strong pair, (choice, text, layer, head).

    own: (layer, head, token, d_head), as measured; foreign: the same of some tokens of each text. weakest: (choice,
    layer, head), similarities. eligible: (token,) bool of each choice.
    """
    bars = torch.from_numpy(weakest).to(own.device)[..., None, None]
    able = torch.from_numpy(np.stack(eligible)).to(own.device)[:, None, None, None]
    reached = [(((text @ own.mT) >= bars) & able).sum((-2, -1)) for text in foreign]
    return as_array(torch.stack(reached, dim=1))
