"""Which heads of a layer stand out, beside heads without structure? Shares of heads, window by window, by layer.

A window counts each head once: whether its strong pairs are repetitions of one token, touch its anchor, or touch separators
more often than chance by enough. The same is asked of a few structureless heads a layer (`structureless`): what they do,
lengths around a mean bring about by themselves.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from attn_core.measures import pair_properties as properties
from attn_core.measures.tally import MIN_PAIRS, Count
from attn_core.measures.token_coverage import TokenCoverage, touched
from attn_core.measures.window import Window
from attn_core.similarity.strong_pairs import StrongPairs

MIN_EXCESS = 0.10  # share of pairs above chance; our choice
SURE_BITS = 12  # of all pairs of a head together: less may be luck; our choice
ASKED = (properties.repetition, properties.separator)  # of every pair
KINDS = ("repeating_heads", "gathering_heads", "anchored_heads")
Shares = Mapping[str, np.ndarray]  # by kind: of each layer's heads, (layer,)
# The share of each head's strong pairs that have it, (layer, head), and of all pairs.
Property = tuple[np.ndarray, float]


def information(share: np.ndarray, chance: np.ndarray) -> np.ndarray:
    """Bits a pair: how well a property tells strong pairs (share) from random ones (chance), element by element.

    The Kullback-Leibler divergence of two coins; 0 where the chance level is 0 or 1, since nothing can exceed it then.
    """
    inside = (chance > 0) & (chance < 1)
    q = np.where(inside, chance, 0.5)
    return np.where(inside, _bits(share, q) + _bits(1 - share, 1 - q), 0.0)


def stands_out(excess: np.ndarray, bits: np.ndarray, pairs: np.ndarray, min_excess: float = MIN_EXCESS) -> np.ndarray:
    """Whether a share of so many strong pairs, at least `MIN_PAIRS`, exceeds chance by enough, and by more than luck.

    bits: its `information`. By Chernoff's bound random pairs reach it with a probability of at most 2^-(pairs x bits).
    2^-12 leaves room for the choice of one token among a text's hundreds.
    """
    return (pairs >= MIN_PAIRS) & (excess >= min_excess) & (pairs * bits >= SURE_BITS)


def standing_out_counts(window: Window, touching: TokenCoverage, at_random: TokenCoverage) -> dict[str, Count]:
    """The shares of a layer's heads that stand out, by `KINDS`; chance: of its structureless heads. Windows count alike.

    touching: as of `touched`; at_random: of as many random pairs.
    """
    best, random, own = best_by_luck(at_random), window.structureless, window.pairs
    chances = [float(of_pairs(own.passage, *own.all_pairs).mean()) for of_pairs in ASKED]
    return counts_of_shares(_shares(own, touching, best, chances), _shares(random, touched(random), best, chances))


def counts_of_shares(of_heads: Shares, of_random: Shares) -> dict[str, Count]:
    """The shares of a layer's heads and of its structureless ones in one window, as they add up."""
    return {name: Count(of_heads[name], of_random[name], 1.0) for name in KINDS}


def shares_of_layers(touching: TokenCoverage, best: float, repeated: Property, separated: Property) -> Shares:
    """The shares of each layer's heads that stand out. best: what the best token of random pairs touches."""
    strong = touching.strong
    anchored = _stand((touching.at(touching.leaders()), best), strong)
    gathering = anchored | _stand(separated, strong)  # a common token with its surroundings, or separators
    shares = dict(zip(KINDS, (_stand(repeated, strong), gathering, anchored), strict=True))
    return {name: stand.mean(axis=1) for name, stand in shares.items()}


def _shares(pairs: StrongPairs, touching: TokenCoverage, best: float, chances: Sequence[float]) -> Shares:
    shares = (of_pairs(pairs.passage, pairs.first, pairs.second).mean(axis=-1) for of_pairs in ASKED)
    return shares_of_layers(touching, best, *zip(shares, chances, strict=True))


def _stand(property_of_heads: Property, strong: int) -> np.ndarray:
    """Which heads stand out, (layer, head)."""
    share, chance = property_of_heads
    return stands_out(share - chance, information(share, np.array(chance)), np.array(strong))


def best_by_luck(at_random: TokenCoverage) -> float:
    """What the token that touches most touches, of heads of random pairs."""
    return float(at_random.at(at_random.leaders()).mean())


def _bits(share: np.ndarray, chance: np.ndarray) -> np.ndarray:
    """share * log2(share / chance), 0 where the share is 0."""
    return share * np.log2(np.where(share > 0, share, chance) / chance)
