"""Word-by-word maps of a window, the similarities and the attention of every head, and scores of word pairs in them.

The score of a head is the mean percentile of the pairs of a pattern, each ranked among the pairs of its text with the
same direction and a distance that differs by at most 20 %; further distances are added until there are 50 pairs. Ties,
including the pair itself, count half, so that chance is exactly 0.5.

Pointing accuracy is the share of questions for which the candidate with the largest value is right.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import numpy as np

from attn_core.models.head_outputs import Values
from attn_core.numerics.pairs import every_pair
from attn_core.similarity.context_similarity import context_similarity
from attn_core.similarity.strong_pairs import MEASURES, Measure
from attn_core.similarity.words import Words
from attn_core.texts.annotated import Question

Direction = Literal["attends", "attended"]  # first word of a pair to the second, or second to first
Map = Measure | Direction
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
MAPS: tuple[Map, ...] = (*MEASURES, *DIRECTIONS)
CHOSEN: Map = "centred"  # the map of printed and drawn results; tables have all maps
TOLERANCE = 0.2  # relative, of a distance
FEWEST = 50  # pairs among which a pair is ranked
ENOUGH = 20  # pairs; relations with fewer are not shown
CHANCE = 0.5
REACH = 10  # words, the largest fixed offset to either side
OFFSETS = np.array([offset for offset in range(-REACH, REACH + 1) if offset])


@dataclass(frozen=True, eq=False)
class WordOutputs:
    """Head outputs and attention of the words of a window.

    z: (layer, head, word, d_head), mean over the tokens of a word. attention: (layer, head, word, word), from the first
    word to the second, see `Words.attention`.
    """

    z: np.ndarray
    attention: np.ndarray

    def by_map(self, *functions: Callable[[np.ndarray], np.ndarray]) -> list[np.ndarray]:
        """The values of each function of all maps, (map, layer, head, n). Function: (rows, word, word) -> (rows, n)."""
        by_layer: list[list[np.ndarray]] = [[] for _ in functions]
        for z, attention in zip(self.z, self.attention, strict=True):
            similar = [context_similarity(z, measure) for measure in MEASURES]
            maps = np.concatenate([*similar, attention, attention.swapaxes(-1, -2)])
            for values, function in zip(by_layer, functions, strict=True):
                values.append(function(maps).reshape(len(MAPS), len(z), -1))
        return [np.stack(values, axis=1) for values in by_layer]


def of_words(z: Values, attention: Values, words: Words) -> WordOutputs:
    """Head outputs and attention of words. z: of tokens. attention: (layer, head, query, key)."""
    return WordOutputs(words.mean(z), words.attention(attention))


def like_distances(distance: int, words: int) -> tuple[int, int]:
    """The smallest and largest distance that count as similar to a distance in a text of `words` words."""
    low, high = int(np.ceil(distance * (1 - TOLERANCE))), int(distance * (1 + TOLERANCE))
    low, high = max(low, 1), min(high, words - 1)
    # Pairs i < j at distances from low to high: each distance d has words - d of them.
    while (high - low + 1) * (2 * words - low - high) // 2 < FEWEST and (low > 1 or high < words - 1):
        low, high = max(low - 1, 1), min(high + 1, words - 1)
    return low, high


def percentiles(maps: np.ndarray, pairs: np.ndarray, among: np.ndarray | None = None) -> np.ndarray:
    """The percentile of each pair among pairs of similar distance and the same direction, (rows, n), in [0, 1].

    maps: (rows, word, word). pairs: (n, 2), of two different words. among: (words,) bool, words whose pairs are ranked;
    must include the words of `pairs`; default: all.
    """
    words = maps.shape[-1]
    near, far, starts = _by_distance(words)
    if among is not None:
        kept = among[near] & among[far]
        near, far, starts = near[kept], far[kept], np.concatenate([[0], np.cumsum(kept)])[starts]
    by_row = np.empty((len(maps), len(pairs)))
    bands = [like_distances(distance, words) for distance in np.abs(pairs[:, 1] - pairs[:, 0]).tolist()]
    ranges = [(starts[low], starts[high + 1]) for low, high in bands]
    for ahead in (True, False):
        chosen = np.flatnonzero((pairs[:, 1] > pairs[:, 0]) == ahead).tolist()
        places = near * words + far if ahead else far * words + near
        for row, one in enumerate(maps if chosen else ()):  # row by row, since one row fits the cache
            along, values = one.take(places), one[pairs[:, 0], pairs[:, 1]]
            for at in chosen:
                begin, end = ranges[at]
                alike, value = along[begin:end], values[at]
                below = np.count_nonzero(alike < value) + np.count_nonzero(alike <= value)
                by_row[row, at] = below / (2 * (end - begin))
    return by_row


@lru_cache(maxsize=8)
def _by_distance(words: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Words i, j of all pairs i < j by distance, (P,) each, and the first pair of each distance, (words + 1,)."""
    near, far = every_pair(words)
    order = np.argsort(far - near, kind="stable")
    starts = np.concatenate([[0, 0], np.cumsum(words - np.arange(1, words))])
    return near[order], far[order], starts


def pointing_hits(maps: np.ndarray, questions: Sequence[Question]) -> np.ndarray:
    """Whether the candidate with the largest value (first if tied) is right, (rows, n). maps: (rows, word, word)."""
    hits = np.empty((len(maps), len(questions)), dtype=bool)
    for at, one in enumerate(questions):
        candidates = np.array(one.candidates)
        is_right = np.isin(candidates, list(one.right))
        hits[:, at] = is_right[maps[:, one.word, candidates].argmax(axis=1)]
    return hits


def margins(maps: np.ndarray, choices: Sequence[Question]) -> np.ndarray:
    """The value of the right candidate minus that of the wrong one, (rows, n). choices: with two candidates each."""
    by_choice = np.empty((len(maps), len(choices)), dtype=np.float32)
    for at, one in enumerate(choices):
        right, wrong = sorted(one.candidates, key=lambda word: word not in one.right)
        by_choice[:, at] = maps[:, one.word, right] - maps[:, one.word, wrong]
    return by_choice


def at_offsets(questions: Sequence[Question]) -> np.ndarray:
    """Whether the word at each of `OFFSETS` is right, (offset, n)."""
    hits = [np.isin(one.word + OFFSETS, list(one.right)) for one in questions]
    return np.array(hits, dtype=bool).reshape(-1, len(OFFSETS)).T
