"""What makes a pair strong? The pairs of longest vectors, those of largest cosine, and what unrelated tokens reach.

A scalar product is length x length x direction, so that tokens with long vectors win it whatever they mean. Tensors end
here, as in `selection`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attn_core.models.head_outputs import Values, as_array
from attn_core.numerics.threads import matrices_at_once, on_every_core
from attn_core.similarity.context_similarity import as_measured, inverse_lengths, lengths
from attn_core.similarity.selection import as_tensor, of_tokens, scaled, taken
from attn_core.similarity.strong_pairs import Measure, Settings, Strength, StrongPairs
from attn_core.tensors import Tensor, torch
from attn_core.texts.passages import Passage

UNRELATED_TOKENS = 128  # of one other text: with every token of this one they make pairs enough; our choice
OF_EACH = 48  # of each of several


def find_strength(
    z: Values, pairs: StrongPairs, aligned: StrongPairs, settings: Settings, others: Sequence[tuple[Passage, Values]]
) -> Strength:
    """What the strong pairs of a window are made of; z: as for `find_strong_and_aligned`, which found both kinds of pairs.

    others: windows of other texts, as the same model read them.
    """
    z = as_tensor(z)
    at_most = UNRELATED_TOKENS if len(others) == 1 else OF_EACH
    theirs = [places_looked_at(passage, settings.with_special, at_most) for passage, _ in others]
    token_ids = np.concatenate([passage.token_ids[at] for (passage, _), at in zip(others, theirs, strict=True)])
    same = np.flatnonzero(pairs.passage.token_ids[pairs.eligible][:, None] == token_ids)
    ends = np.cumsum([len(at) for at in theirs])
    own = int(pairs.eligible.sum())

    def beside(measure: Measure) -> Tensor:
        read = zip(others, theirs, strict=True)
        return torch.cat([taken(as_measured(as_tensor(other), measure), 2, at) for (_, other), at in read], dim=2)

    def reached_by(measure: Measure, kind: StrongPairs) -> np.ndarray:
        return _reached(kind, None, as_measured(z, measure), beside(measure), same, ends)[0]

    if settings.measure == "dot":
        reached, reached_aligned = _reached(pairs, aligned, z, beside("dot"), same, ends)
    else:
        reached = reached_by(settings.measure, pairs)
        reached_aligned = reached if aligned is pairs else reached_by("cosine", aligned)
    looked_at = np.array([own * len(token_ids), own * len(token_ids) - len(same)])
    by_chance = own * np.diff(ends, prepend=0) * (pairs.shape[2] / len(pairs.all_pairs[0]))
    return Strength(
        find_longest_pairs(z, pairs), aligned.places, reached[:2], looked_at, reached_aligned[0],
        rates=reached[2:] / by_chance[:, None, None],
    )  # fmt: skip


def places_looked_at(other: Passage, with_special: bool, at_most: int) -> np.ndarray:
    """Positions of the tokens of the other text that are looked at: all that may pair, or so many of them, evenly spaced."""
    positions = np.arange(len(other)) if with_special else np.flatnonzero(~other.is_special)
    if len(positions) <= at_most:
        return positions
    return positions[np.arange(at_most) * len(positions) // at_most]


def find_longest_pairs(z: Values, pairs: StrongPairs) -> np.ndarray:
    """The places (see `StrongPairs.places`) of the K pairs of largest |z_i| |z_j|, by rising place, (layer, head, K).

    Exact; equal values: smaller i, then smaller j, first. Of vectors by falling length, the pair of the r-th and the s-th
    comes after all pairs of an r'-th and an s'-th with r' <= r and s' <= s, so that few pairs can be among the K.
    """
    layers, heads, keep = pairs.shape
    positions = np.flatnonzero(pairs.eligible)
    n, size = len(positions), len(pairs.passage)
    # Products of float32 numbers are exact in float64, so that only equal lengths tie.
    norms = as_array(lengths(z)).reshape(layers * heads, -1)[:, positions].astype(np.float64)
    order = np.argsort(-norms, axis=1, kind="stable")
    every = np.triu_indices(n, k=1)
    few = (every[0] + 1) * (2 * every[1] - every[0]) <= 2 * keep
    r, s = every[0][few], every[1][few]
    chosen = np.empty((layers * heads, keep), dtype=np.int64)
    for row, (own, ranked) in enumerate(zip(norms, order, strict=True)):
        longest = own[ranked]
        products = longest[r] * longest[s]
        least = np.partition(products, len(products) - keep)[-keep]
        if least > 0:
            at = np.flatnonzero(products >= least)
            some, products = (ranked[r[at]], ranked[s[at]]), products[at]
        else:  # all pairs with a vector of zeros tie, whatever the other's length
            some, products = every, own[every[0]] * own[every[1]]
        places = positions[np.minimum(*some)] * size + positions[np.maximum(*some)]
        sure = places[products > least]
        chosen[row] = np.sort(np.concatenate([sure, np.sort(places[products == least])[: keep - len(sure)]]))
    return chosen.reshape(pairs.shape)


@dataclass(frozen=True, eq=False)
class Beside:
    """The tokens of other texts that a window is held against, as a measure has them, (layer, head, token, d_head)."""

    vectors: Tensor

    @property
    def tokens(self) -> int:
        return self.vectors.shape[2]


def beside_texts(others: Sequence[tuple[Passage, Values]], measure: Measure, with_special: bool) -> Beside:
    """The tokens of each other text that `find_strength` looks at, joined."""
    at_most = UNRELATED_TOKENS if len(others) == 1 else OF_EACH
    parts = [
        taken(as_measured(as_tensor(z), measure), 2, places_looked_at(passage, with_special, at_most))
        for passage, z in others
    ]
    return Beside(torch.cat(parts, dim=2))


def reached_bars(z: Values, eligible: np.ndarray, beside: Beside, bars: np.ndarray) -> np.ndarray:
    """How many pairs with unrelated tokens are at least as similar as each bar of each head: (layer, head, bar) both.

    z: as the measure has it, of all tokens of the window; eligible: those that may pair, (N,) bool.
    """
    z = as_tensor(z)

    def of_head(layer: int, head: int) -> list[int]:
        here = of_tokens(z[layer, head, None], eligible)[0]
        similarity = (here @ beside.vectors[layer, head].T).cpu().numpy()
        return [int(np.count_nonzero(similarity >= bar)) for bar in bars[layer, head]]

    return np.array([[of_head(layer, head) for head in range(z.shape[1])] for layer in range(z.shape[0])])


def _reached(
    pairs: StrongPairs, aligned: StrongPairs | None, z: Tensor, other_z: Tensor, same: np.ndarray, ends: np.ndarray
) -> list[np.ndarray]:
    """How many pairs reach the bars of these pairs, by scalar product; and those of the aligned ones, by cosine.

    (2 + texts, layer, head) each: of all pairs, of those of two token ids, and of those with each of the other texts. z: all
    tokens of the window; other_z: the tokens of the other texts, of which each ends where `ends` says. same: which of the
    pairs, row by row, are of one token id.
    """
    shape = int(pairs.eligible.sum()), other_z.shape[2]
    some = min(matrices_at_once(shape[0] * shape[1], z.device), z.shape[1])
    of_one_id = torch.from_numpy(same).to(z.device)
    other_z = other_z.to(z.device)
    kinds = [pairs] if aligned is None else [pairs, aligned]
    scales = () if aligned is None else (inverse_lengths(z), inverse_lengths(other_z))
    bars = torch.from_numpy(np.stack([kind.similarity[..., -1] for kind in kinds], axis=2)).to(z.device)

    def counted(blocks: Sequence[tuple[Tensor, ...]]) -> list[np.ndarray]:
        room = torch.empty(some, *shape, device=z.device)
        counts = []
        for own, its, bar, *of_cosine in blocks:
            own = of_tokens(own, pairs.eligible)
            similarity = torch.bmm(own, its.transpose(-1, -2), out=room[: len(own)])
            reached = [_counted(similarity, bar[:, :1], of_one_id, ends)]
            if of_cosine:
                own_scale, its_scale = of_cosine
                scaled(similarity, of_tokens(own_scale, pairs.eligible), its_scale)
                reached.append(_counted(similarity, bar[:, 1:], of_one_id, ends))
            counts.append(np.stack(reached))
        return counts

    blocks = [
        block
        for layer in zip(z, other_z, bars, *scales, strict=True)
        for block in zip(*(part.split(some) for part in layer), strict=True)
    ]
    return list(
        np.concatenate(on_every_core(counted, blocks, z.device), axis=2).reshape(
            len(kinds), 2 + len(ends), *pairs.shape[:2]
        )
    )


def _counted(similarity: Tensor, bars: Tensor, of_one_id: Tensor, ends: np.ndarray) -> np.ndarray:
    """How many similarities reach each head's bar, see `_reached`, (2 + texts, head).

    similarity: (head, own token, other token), bars: (head, 1). On a processor by numpy, which counts faster than torch.
    """
    if similarity.device.type == "cpu":
        passed = (row >= bar for row, bar in zip(similarity.numpy(), bars.numpy(), strict=True))
        starts = [0, *ends[:-1]]
        of_texts = np.array(
            [[np.count_nonzero(row[:, a:b]) for a, b in zip(starts, ends, strict=True)] for row in passed]
        ).T
    else:
        by_token = (similarity >= bars[..., None]).sum(dim=1).cpu().numpy()
        of_texts = np.add.reduceat(by_token, [0, *ends[:-1]], axis=1).T
    alike = (similarity.flatten(1).index_select(1, of_one_id) >= bars).sum(dim=1).cpu().numpy()
    reached = of_texts.sum(axis=0)
    return np.stack([reached, reached - alike, *of_texts])
