"""What are a head's strong pairs made of: length, or what any two tokens have in common?"""

import numpy as np

from attn_core.measures.tally import Count, Tally
from attn_core.measures.window import Window
from attn_core.similarity.strong_pairs import Noise


def length_share(window: Window) -> Count:
    """The share of strong pairs that are among as many pairs of the longest vectors; chance: K / P."""
    pairs = window.pairs
    layers, heads, strong = pairs.shape
    among = np.zeros(len(pairs.passage) ** 2, dtype=bool)
    shared = np.empty(layers * heads, dtype=np.int64)
    own = pairs.places.reshape(layers * heads, strong)
    for head, longest in enumerate(window.strength.longest.reshape(layers * heads, -1)):
        among[longest] = True
        shared[head] = np.count_nonzero(among[own[head]])
        among[longest] = False
    return Count(shared.reshape(layers, heads), strong**2 / len(pairs.all_pairs[0]), strong)


def noise(window: Window) -> Count:
    """Noise rate: how often two tokens of unrelated texts are as similar as a strong pair must be, over q = K / P.

    0: unrelated tokens never are; 1, the chance level: text makes no difference. Windows weigh by the pairs of unrelated
    tokens that chance would let pass. The definition is ours. The other text is read as this one is: where this one is
    shuffled, it is shuffled too.
    """
    return _of_window(window)["noise_rate"]


def noise_of_words(window: Window) -> Count:
    """The same without pairs of one token id, since a repeated word is a signal of its own."""
    return _of_window(window)["noise_rate_words"]


def noise_of_cosine(window: Window) -> Count:
    """What the noise rate would be if the strong pairs were those of largest cosine."""
    return _of_window(window)["cosine_noise_rate"]


def signal_to_noise(tally: Tally) -> tuple[np.ndarray, np.ndarray]:
    """-10 log10(noise rate) in decibels, (R, H), and its chance level 0.

    Where no unrelated pair passed, as if one had: more cannot be told from the pairs that were looked at.
    """
    with np.errstate(divide="ignore"):
        least = 1 / tally.weights("noise_rate")
    return -10 * np.log10(np.maximum(tally.values("noise_rate"), least)), np.zeros(1)


def _of_window(window: Window) -> dict[str, Count]:
    return noise_counts(window.strength, window.pairs.shape[2], len(window.pairs.all_pairs[0]))


def noise_counts(noise: Noise, strong: int, pairs: int) -> dict[str, Count]:
    """The counts of noise of a window with so many strong pairs a head of so many pairs."""
    of_all, of_words = (float(looked) for looked in noise.looked)
    return {
        "noise_rate": count_of_reached(noise.reached[0], of_all, strong, pairs),
        "noise_rate_words": count_of_reached(noise.reached[1], of_words, strong, pairs),
        "cosine_noise_rate": count_of_reached(noise.reached_aligned, of_all, strong, pairs),
    }


def count_of_reached(reached: np.ndarray, looked: float, strong: int, pairs: int) -> Count:
    """How pairs of unrelated tokens add up, of so many that were looked at, beside `strong` of a window's own pairs.

    A window that has no such pair tells nothing: it stands at chance, with the weight of one pair.
    """
    expected = max(looked, 1.0) * strong / pairs
    return Count(reached if looked else np.full(reached.shape, expected), expected, expected)
