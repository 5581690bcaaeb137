"""Is a share of a head's strong pairs above chance, by enough and by more than the luck of few pairs?"""

import numpy as np

from attn_core.measures.tally import MIN_PAIRS

MIN_EXCESS = 0.10  # share of pairs above chance; our choice
SURE_BITS = 12  # of all pairs of a head together: less may be luck; our choice


def information(share: np.ndarray, chance: np.ndarray | float) -> np.ndarray:
    """Bits a pair: how well a property tells strong pairs (share) from random ones (chance), element by element.

    The Kullback-Leibler divergence of two coins; 0 where the chance level is 0 or 1, since nothing can exceed it then.
    """
    chance = np.asarray(chance)
    inside = (chance > 0) & (chance < 1)
    q = np.where(inside, chance, 0.5)
    return np.where(inside, _bits(share, q) + _bits(1 - share, 1 - q), 0.0)


def is_above_chance(share: np.ndarray, chance: np.ndarray | float, pairs: np.ndarray | int) -> np.ndarray:
    """Whether a share of so many strong pairs, at least `MIN_PAIRS`, exceeds chance by enough, and by more than luck.

    By Chernoff's bound random pairs reach its `information` with a probability of at most 2^-(pairs x bits). 2^-12 leaves room
    for the choice of one token among a text's hundreds.
    """
    enough = (pairs >= MIN_PAIRS) & (share - chance >= MIN_EXCESS)
    return enough & (pairs * information(share, chance) >= SURE_BITS)


def _bits(share: np.ndarray, chance: np.ndarray) -> np.ndarray:
    """share * log2(share / chance), 0 where the share is 0."""
    return share * np.log2(np.where(share > 0, share, chance) / chance)
