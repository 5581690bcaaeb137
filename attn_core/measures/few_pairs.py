"""Tests of whether a head has enough strong pairs, and whether a share of them is significantly above chance."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from attn_core.similarity.strong_pairs import number_of_strong_pairs

MIN_PAIRS = 30  # strong pairs per head, the number that 80 tokens give at 1 %; no role is assigned below; our choice
MIN_EXCESS = 0.10  # share of pairs above chance; our choice
SURE_BITS = 12  # over all pairs of a head; less may be random; our choice
STEP = 1000  # a share is offered in tenths of a percent


def too_few(heads: pd.DataFrame) -> bool:
    """Whether windows have fewer than `MIN_PAIRS` strong pairs per head.

    heads: with the columns pairs and windows. Either all windows have at least that many pairs, or none has.
    """
    return bool((heads["pairs"].to_numpy() < MIN_PAIRS * heads["windows"].to_numpy()).any())


def enough_share(pairs: Sequence[int]) -> float:
    """The smallest share that gives some window `MIN_PAIRS` strong pairs per head. pairs: all pairs of each window."""
    shares = (wanted / STEP for wanted in range(1, STEP))
    return next((q for q in shares if number_of_strong_pairs(max(pairs), q) >= MIN_PAIRS), 1.0)


def describe_left_out(windows: int) -> str:
    """A sentence with the number of windows that are left out; empty for none."""
    number = "One window is" if windows == 1 else f"{windows:,} windows are"
    return f"{number} left out, with fewer than {MIN_PAIRS} strong pairs a head." if windows else ""


def information(share: np.ndarray, chance: np.ndarray | float) -> np.ndarray:
    """The Kullback-Leibler divergence of Bernoulli(share) from Bernoulli(chance), in bits; 0 where chance is 0 or 1."""
    chance = np.asarray(chance)
    inside = (chance > 0) & (chance < 1)
    q = np.where(inside, chance, 0.5)
    return np.where(inside, _bits(share, q) + _bits(1 - share, 1 - q), 0.0)


def is_above_chance(share: np.ndarray, chance: np.ndarray | float, pairs: np.ndarray | int) -> np.ndarray:
    """Whether a share of strong pairs exceeds chance by `MIN_EXCESS` and significantly. pairs: their number.

    By Chernoff's bound, random pairs reach the share with probability at most 2^-(pairs x information). The threshold
    2^-12 allows for the selection of one token among hundreds.
    """
    enough = (pairs >= MIN_PAIRS) & (share - chance >= MIN_EXCESS)
    return enough & (pairs * information(share, chance) >= SURE_BITS)


def _bits(share: np.ndarray, chance: np.ndarray) -> np.ndarray:
    """The term share * log2(share / chance) of a divergence; 0 where the share is 0."""
    return share * np.log2(np.where(share > 0, share, chance) / chance)
