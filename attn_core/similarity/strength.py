"""What makes a pair strong? The pairs of longest vectors, and what unrelated tokens reach.

A scalar product is length x length x direction, so that tokens with long vectors win it whatever they mean. Tensors end
here, as in `selection`.
"""

from collections.abc import Sequence

import numpy as np

from attn_core.models.head_outputs import Values, as_array
from attn_core.numerics.pairs import every_pair
from attn_core.numerics.ranks import PLACE, falling
from attn_core.numerics.threads import on_every_core
from attn_core.similarity.context_similarity import lengths
from attn_core.similarity.noise import Bars, Tokens, find_noise, tokens_beside
from attn_core.similarity.selection import as_tensor
from attn_core.similarity.strong_pairs import Noise, Settings, Strength, StrongPairs
from attn_core.texts.passages import Passage


def find_strength(
    z: Values, pairs: StrongPairs, aligned: StrongPairs, settings: Settings, others: Sequence[tuple[Passage, Values]]
) -> Strength:
    """What the strong pairs of a window are made of; z: as for `find_strong_and_aligned`, which found both kinds of pairs.

    others: windows of other texts, as the same model read them; with none no noise is looked at.
    """
    bar = aligned.similarity[..., -1]
    noise = Noise.not_looked_at(*pairs.shape[:2])
    if others:
        own = Tokens.of(pairs.passage, z, np.flatnonzero(pairs.eligible), settings.measure)
        theirs = tokens_beside(others, settings.measure, settings.with_special)
        noise = find_noise(own, Bars.from_pairs(pairs, bar), settings.measure, theirs)
    return Strength(**vars(noise), longest=find_longest_pairs(z, pairs), aligned_bar=bar)


def find_longest_pairs(z: Values, pairs: StrongPairs) -> np.ndarray:
    """The places (see `StrongPairs.places`) of the K pairs of largest |z_i| |z_j|, by rising place, (layer, head, K).

    Exact; equal values: smaller i, then smaller j, first. Of vectors by falling length, the pair of the r-th and the s-th
    comes after all pairs of an r'-th and an s'-th with r' <= r and s' <= s, so that few pairs can be among the K.
    """
    z = as_tensor(z)
    keep, size = pairs.shape[2], len(pairs.passage)
    positions = np.flatnonzero(pairs.eligible)
    every = every_pair(len(positions))
    few = (every[0] + 1) * (2 * every[1] - every[0]) <= 2 * keep
    r, s = every[0][few], every[1][few]

    def of_head(own: np.ndarray, ranked: np.ndarray) -> np.ndarray:
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
        return np.sort(np.concatenate([sure, np.sort(places[products == least])[: keep - len(sure)]]))

    def of_layers(some: Sequence[Values]) -> list[np.ndarray]:
        norms = (as_array(lengths(heads))[:, positions] for heads in some)
        # Products of float32 numbers are exact in float64, so that only equal lengths tie.
        ordered = ((each.astype(np.float64), np.sort(falling(each)) & PLACE) for each in norms)
        return [np.stack([*map(of_head, *of_layer)]) for of_layer in ordered]

    chosen: list[np.ndarray] = on_every_core(of_layers, z, z.device)
    return np.stack(chosen)
