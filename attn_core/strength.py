"""What makes a pair strong? The pairs of longest vectors, those of largest cosine, and what unrelated tokens reach.

A scalar product is length x length x direction, so that tokens with long vectors win it whatever they mean. Tensors end
here, as in `similarity`.
"""

from functools import partial

import numpy as np
import torch
from torch import Tensor

from attn_core.blocks import matrices_at_once
from attn_core.head_outputs import Values
from attn_core.passages import Passage
from attn_core.similarity import as_measured, find_strong_pairs, of_tokens
from attn_core.strong_pairs import Measure, Settings, Strength, StrongPairs


def find_strength(z: Values, pairs: StrongPairs, settings: Settings, other: Passage, other_z: Values) -> Strength:
    """What the strong pairs of a window are made of; z: as for `find_strong_pairs`, which found them.

    other, other_z: a window of another text, as the same model read it.
    """
    z = torch.as_tensor(z)
    passage, theirs = pairs.passage, np.ones(len(other), dtype=bool) if settings.with_special else ~other.is_special
    same = np.flatnonzero(passage.token_ids[pairs.eligible][:, None] == other.token_ids[theirs])
    looked = int(pairs.eligible.sum()) * int(theirs.sum())
    beside = partial(_reached, z, other_z=torch.as_tensor(other_z).to(z.device), theirs=theirs, same=same)
    reached = beside(pairs, settings.measure)
    aligned, reached_aligned = pairs, reached
    if settings.measure != "cosine":
        aligned = find_strong_pairs(z, passage, settings.share, "cosine", settings.with_special)
        reached_aligned = beside(aligned, "cosine")
    looked_at = np.array([looked, looked - len(same)])
    return Strength(find_longest_pairs(z, pairs), aligned.places, reached, looked_at, reached_aligned[0])


def find_longest_pairs(z: Values, pairs: StrongPairs) -> np.ndarray:
    """The places (see `StrongPairs.places`) of the K pairs of largest |z_i| |z_j|, by rising place, (layer, head, K).

    Exact; equal values: smaller i, then smaller j, first. Of vectors by falling length, the pair of the r-th and the s-th
    comes after all pairs of an r'-th and an s'-th with r' <= r and s' <= s, so that few pairs can be among the K.
    """
    layers, heads, keep = pairs.shape
    positions = np.flatnonzero(pairs.eligible)
    n, size = len(positions), len(pairs.passage)
    # Products of float32 numbers are exact in float64, so that only equal lengths tie.
    norms = torch.as_tensor(z).norm(dim=-1).flatten(0, 1).cpu().numpy()[:, positions].astype(np.float64)
    order = np.argsort(-norms, axis=1, kind="stable")
    r, s = np.triu_indices(n, k=1)
    few = (r + 1) * (2 * s - r) <= 2 * keep
    found = np.empty((layers * heads, keep), dtype=np.int64)
    for row, (own, ranked) in enumerate(zip(norms, order, strict=True)):
        some = ranked[r[few]], ranked[s[few]]
        products = own[some[0]] * own[some[1]]
        least = np.partition(products, len(products) - keep)[-keep]
        if least == 0:  # all pairs with a vector of zeros tie, whatever the other's length
            some = r, s
            products = own[r] * own[s]
        first, second = positions[np.minimum(*some)], positions[np.maximum(*some)]
        places = first * size + second
        sure = places[products > least]
        found[row] = np.sort(np.concatenate([sure, np.sort(places[products == least])[: keep - len(sure)]]))
    return found.reshape(pairs.shape)


def _reached(
    z: Tensor, pairs: StrongPairs, measure: Measure, *, other_z: Tensor, theirs: np.ndarray, same: np.ndarray
) -> np.ndarray:
    """`Strength.reached`, with the bars of these pairs. theirs: which tokens of the other window may pair; same: which of
    the pairs, row by row, are of one token id."""
    shape = int(pairs.eligible.sum()), int(theirs.sum())
    some = min(matrices_at_once(shape[0] * shape[1], z.device), z.shape[1])
    room = torch.empty(some, *shape, device=z.device)
    bars = torch.from_numpy(pairs.similarity[..., -1:].copy()).to(z.device)
    of_one_id = torch.from_numpy(same).to(z.device)
    found = [
        _counted(torch.bmm(own, its.transpose(-1, -2), out=room[: len(own)]).flatten(1), bar, of_one_id)
        for layer, other_layer, bars_of_layer in zip(z, other_z, bars, strict=True)
        for own, its, bar in zip(
            of_tokens(as_measured(layer, measure), pairs.eligible).split(some),
            of_tokens(as_measured(other_layer, measure), theirs).split(some),
            bars_of_layer.split(some),
            strict=True,
        )
    ]
    return np.concatenate(found, axis=1).reshape(2, *pairs.shape[:2])


def _counted(similarity: Tensor, bars: Tensor, of_one_id: Tensor) -> np.ndarray:
    """How many similarities reach each head's bar, of all pairs and of those of two token ids, (2, head).

    similarity: (head, pair), bars: (head, 1). On a processor by numpy, which counts twice as fast as torch.
    """
    if similarity.device.type == "cpu":
        rows = zip(similarity.numpy(), bars.numpy(), strict=True)
        reached = np.array([np.count_nonzero(row >= bar) for row, bar in rows])
    else:
        reached = (similarity >= bars).sum(dim=1).cpu().numpy()
    return np.stack([reached, reached - (similarity[:, of_one_id] >= bars).sum(dim=1).cpu().numpy()])
