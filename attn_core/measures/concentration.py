"""How unevenly do a head's strong pairs use the tokens?"""

import numpy as np

from attn_core.measures.tally import Count
from attn_core.measures.window import Window


def concentration(window: Window) -> Count:
    """With c_t pair ends on token t of n tokens and K pairs, n * sum(c_t^2) / (2K)^2; windows weigh by their pairs.

    It is 1 where all tokens are used alike, about n / 4 where one token is in every pair. Chance: K of the P pairs drawn
    without replacement make c_t hypergeometric, with mean 2K/n and variance K p (1 - p) (P - K) / (P - 1) for p = 2/n.
    """
    chosen = window.pairs
    layers, heads, strong = chosen.shape
    size, n, pairs = len(chosen.passage), int(chosen.eligible.sum()), len(chosen.all_pairs[0])
    row = size * np.arange(layers * heads)[:, None]
    ends = np.concatenate([chosen.first, chosen.second], axis=-1).reshape(layers * heads, -1)
    used = np.bincount((row + ends).ravel(), minlength=row.size * size).reshape(layers, heads, size)
    variance = strong * (2 / n) * (1 - 2 / n) * (pairs - strong) / max(pairs - 1, 1)
    scale = n / (2 * strong) ** 2
    expected = scale * n * (variance + (2 * strong / n) ** 2)
    return Count(scale * strong * (used.astype(float) ** 2).sum(axis=-1), strong * expected, strong)
