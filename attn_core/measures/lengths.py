"""Are a head's strong pairs simply those of its longest vectors? A scalar product is length x length x direction."""

import numpy as np

from attn_core.measures.tally import Count
from attn_core.measures.window import Window
from attn_core.numerics.pairs import every_pair


def length_share(window: Window) -> Count:
    """The share of strong pairs that are among as many pairs of largest |z_i| |z_j|; chance: K / P."""
    pairs = window.pairs
    layers, heads, strong = pairs.shape
    # Products of float32 numbers are exact in float64, so that only equal lengths tie.
    lengths = window.lengths.reshape(layers * heads, -1).astype(np.float64)
    least = _kth_product(lengths[:, pairs.eligible], strong)
    first, second = (np.take_along_axis(lengths, end, axis=1) for end in pairs.rows)
    among = (first * second >= least[:, None]).sum(axis=1)
    return Count(among.reshape(layers, heads), strong**2 / len(pairs.all_pairs[0]), strong)


def _kth_product(lengths: np.ndarray, k: int) -> np.ndarray:
    """The k-th largest product of two of the lengths, (row, N) -> (row,).

    Of lengths that fall, the r-th and the s-th have no larger product than all the r'-th and s'-th with r' <= r and s' <= s,
    so that few pairs can be among the k.
    """
    falling = -np.sort(-lengths, axis=1)
    r, s = every_pair(lengths.shape[1])
    few = (r + 1) * (2 * s - r) <= 2 * k
    products = falling[:, r[few]] * falling[:, s[few]]
    return np.partition(products, products.shape[1] - k, axis=1)[:, -k]
