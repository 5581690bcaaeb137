"""Statistics of strong pairs: means of pair properties, concentration, and length share.

To add a property, write a function of pairs and add a line to `statistics.STATISTICS`.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from attn_core.measures.tally import Count, MeasuredWindow
from attn_core.numerics.pairs import every_pair, pairs_among
from attn_core.texts.passages import Passage

NEAR = 2  # tokens; our choice
NEARBY = 16  # tokens; our choice
Property = Callable[[Passage, np.ndarray, np.ndarray], np.ndarray]  # of positions first < second


def distance(_passage: Passage, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The distance of the two tokens, in tokens."""
    return second - first


def same_sentence(passage: Passage, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Whether both tokens are in one sentence; special tokens may be in none."""
    sentence = np.where(passage.sentences < 0, -1 - np.arange(len(passage)), passage.sentences)  # each in its own
    return sentence.take(first) == sentence.take(second)


def repetition(passage: Passage, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Whether both tokens are the same."""
    return passage.token_ids[first] == passage.token_ids[second]


def near(_passage: Passage, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Whether the two tokens are at most `NEAR` apart."""
    return second - first <= NEAR


def nearby(_passage: Passage, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Whether the two tokens are more than `NEAR` and at most `NEARBY` apart."""
    apart = second - first
    return (apart > NEAR) & (apart <= NEARBY)


def separator(passage: Passage, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Whether one token is a separator."""
    return passage.is_separator[first] | passage.is_separator[second]


def at_anchor(passage: Passage, first: np.ndarray, second: np.ndarray, anchors: np.ndarray | int) -> np.ndarray:
    """Whether one token is the anchor. anchors: token ids, broadcast to the pairs."""
    return (passage.token_ids[first] == anchors) | (passage.token_ids[second] == anchors)


def mean_of(of_pairs: Property) -> Callable[[MeasuredWindow], Count]:
    """The function that counts the mean of a property over strong pairs. Chance: its mean over all P pairs."""

    def count(window: MeasuredWindow) -> Count:
        pairs = window.pairs
        strong = pairs.shape[2]
        shown = of_pairs(pairs.passage, pairs.first, pairs.second).sum(axis=-1)
        chance = _over_all_pairs(of_pairs, pairs.passage, pairs.eligible.tobytes())
        return Count(shown, chance * strong, strong)

    return count


@lru_cache(maxsize=16)  # a window is counted under many settings
def _over_all_pairs(of_pairs: Property, passage: Passage, eligible: bytes) -> float:
    return float(of_pairs(passage, *pairs_among(np.flatnonzero(np.frombuffer(eligible, dtype=bool)))).mean())


def same_sentence_at_like_distance(window: MeasuredWindow) -> Count:
    """The share of pairs in one sentence that is expected of pairs with the distances of the strong pairs.

    It is the second chance level of the same-sentence share, because near tokens share a sentence anyway. Chance: the
    share of all P pairs that lie in one sentence.
    """
    pairs = window.pairs
    eligible, strong = pairs.eligible.tobytes(), pairs.shape[2]
    expected = _same_sentence_by_distance(pairs.passage, eligible).take(pairs.distance).sum(axis=-1)
    return Count(expected, _over_all_pairs(same_sentence, pairs.passage, eligible) * strong, strong)


@lru_cache(maxsize=4)
def _same_sentence_by_distance(passage: Passage, eligible: bytes) -> np.ndarray:
    """The share of eligible pairs that lie in one sentence, by distance from 0, (N,); 0 where there is no pair."""
    first, second = pairs_among(np.flatnonzero(np.frombuffer(eligible, dtype=bool)))
    apart, n = second - first, len(passage)
    inside = np.bincount(apart, weights=same_sentence(passage, first, second), minlength=n)
    return inside / np.maximum(np.bincount(apart, minlength=n), 1)


def concentration(window: MeasuredWindow) -> Count:
    """The concentration of strong pairs on tokens, n sum(c_t^2) / (2K)^2, where c_t of K pairs contain token t of n.

    It is 1 if all tokens are used equally and about n / 4 if one token is in every pair. Chance: K of P pairs drawn at
    random, where c_t is hypergeometric with mean 2K/n and variance K p (1 - p) (P - K) / (P - 1), p = 2/n.
    """
    chosen = window.pairs
    layers, heads, strong = chosen.shape
    size, n, pairs = len(chosen.passage), int(chosen.eligible.sum()), chosen.possible
    row = size * np.arange(layers * heads)[:, None]
    ends = np.concatenate([chosen.first, chosen.second], axis=-1).reshape(layers * heads, -1)
    used = np.bincount((row + ends).ravel(), minlength=row.size * size).reshape(layers, heads, size)
    variance = strong * (2 / n) * (1 - 2 / n) * (pairs - strong) / max(pairs - 1, 1)
    scale = n / (2 * strong) ** 2
    expected = scale * n * (variance + (2 * strong / n) ** 2)
    return Count(scale * strong * (used.astype(float) ** 2).sum(axis=-1), strong * expected, strong)


def length_share(window: MeasuredWindow) -> Count:
    """The share of strong pairs that are among the K pairs with the largest |z_i| |z_j|. Chance: K / P."""
    pairs = window.pairs
    layers, heads, strong = pairs.shape
    # Products of float32 numbers are exact in float64, so only equal lengths tie.
    lengths = window.lengths.reshape(layers * heads, -1).astype(np.float64)
    least = _kth_product(lengths[:, pairs.eligible], strong)
    among = [
        np.count_nonzero(of_head.take(first) * of_head.take(second) >= bar)
        for of_head, first, second, bar in zip(lengths, *pairs.rows, least, strict=True)
    ]
    return Count(np.reshape(among, (layers, heads)), strong**2 / pairs.possible, strong)


def _kth_product(lengths: np.ndarray, k: int) -> np.ndarray:
    """The k-th largest product of two lengths of each row, (row, N) -> (row,).

    With lengths sorted, ranks r < s can be among the k only if at most k pairs have ranks r' <= r and s' <= s.
    """
    falling = -np.sort(-lengths, axis=1)
    r, s = every_pair(lengths.shape[1])
    few = (r + 1) * (2 * s - r) <= 2 * k
    r, s = r[few], s[few]
    return np.array([np.partition(row.take(r) * row.take(s), -k)[-k] for row in falling])
