"""What strong pairs read: the contribution of every token to similarities, from attention weights and values.

A head output is a sum of values, z_i = sum_k a_ik v_k, so a similarity is a sum over the tokens k that both ends read:
the contribution of k to z_i . z_j is (a_ik v_k . z_j + a_jk v_k . z_i) / 2, exactly. For the cosine both are scaled.
"""

import numpy as np

from attn_core.head import Head
from attn_core.models.capture import visit_attention
from attn_core.models.head_outputs import Values
from attn_core.models.records import LoadedModel
from attn_core.similarity.context_similarity import SHORTEST, as_measured, lengths
from attn_core.similarity.selection import as_tensor
from attn_core.similarity.strong_pairs import Measure, StrongPairs
from attn_core.similarity.words import Readable
from attn_core.tensors import Tensor, torch
from attn_core.texts.passages import Passage


def read_by_pairs(
    model: LoadedModel, units: Readable, z: Values, pairs: StrongPairs, measure: Measure
) -> tuple[np.ndarray, np.ndarray]:
    """The contributions of each token, (layer, head, N): summed over the strong pairs, and over all pairs.

    z: of the pairs' unit, from an earlier pass. measure: "dot" or "cosine". A pass of the network computes attention
    anew; weights are used block by block and not kept.
    """
    layers, heads, _ = pairs.shape
    sums = torch.zeros(layers, heads, len(units.passage), 2, device=model.device)
    of_layer: dict[int, Tensor] = {}

    def visit(layer: int, some: slice, queries: slice, weights: Tensor, values: Tensor) -> None:
        if layer not in of_layer:
            of_layer.clear()
            of_layer[layer] = _partners(as_tensor(z[layer]).to(model.device), pairs, layer, measure, units)
        read = weights.mT @ of_layer[layer][some, queries]
        sums[layer, some] += (read.unflatten(-1, (2, -1)) * values[:, :, None]).sum(dim=-1)

    visit_attention(model, units.passage, visit, layers)
    strong, every = (sums / 2).unbind(dim=-1)
    return strong.cpu().numpy(), every.cpu().numpy()


def _partners(z: Tensor, pairs: StrongPairs, layer: int, measure: Measure, units: Readable) -> Tensor:
    """The sums of the vectors that each token pairs with: in strong pairs, then in all, (head, N, 2 d_head)."""
    own = as_measured(z, measure)
    heads, n, _ = own.shape
    rows = n * np.arange(heads)[:, None]
    first, second = (np.ravel(end[layer] + rows) for end in (pairs.first, pairs.second))
    both_ways = torch.from_numpy(np.array([[first, second], [second, first]]).swapaxes(0, 1).reshape(2, -1))
    ones = torch.ones(both_ways.shape[1], device=z.device)
    size = heads * n, heads * n
    joined = torch.sparse_coo_tensor(both_ways.to(z.device), ones, size, check_invariants=False)
    strong = (joined @ own.flatten(0, 1)).view_as(own)
    able = torch.from_numpy(pairs.eligible).to(own)[:, None]
    every = able * ((able * own).sum(dim=1, keepdim=True) - own)
    both = torch.cat([strong, every], dim=-1)
    if measure == "cosine":
        size_of = lengths(z)[..., None]
        both = torch.where(size_of > SHORTEST, both / size_of, 0)
    if (words := units.words) is None:
        return both
    of_tokens = both.new_zeros(heads, len(units.passage), both.shape[-1])
    part = torch.from_numpy(1 / np.bincount(words.words)).to(both)
    of_tokens[:, words.tokens] = (both * part[:, None])[:, words.words]
    return of_tokens


def rows_and_values(
    model: LoadedModel, passage: Passage, head: Head, mixes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Mixtures of a head's attention rows, (row, key), and the values of all tokens, (key, d_head), in float64.

    mixes: (row, query), the part of each token in a mixture. The pass ends with the head's layer and keeps nothing
    else.
    """
    parts = torch.from_numpy(mixes).float().to(model.device)
    rows, known = torch.zeros_like(parts), list[Tensor]()

    def visit(layer: int, some: slice, queries: slice, weights: Tensor, values: Tensor) -> None:
        if layer == head.layer and some.start <= head.head < some.stop:
            rows.add_(parts[:, queries] @ weights[head.head - some.start])
            known[:] = [values[head.head - some.start].clone()]

    visit_attention(model, passage, visit, head.layer + 1)
    return rows.double().cpu().numpy(), known[0].double().cpu().numpy()
