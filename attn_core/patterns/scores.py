"""How much more alike the pairs of a pattern are than pairs of the same text at like distance.

The score of a head is the mean percentile of the pattern's pairs, each among the pairs of its text whose distance, in
the same direction, differs by at most a fifth; further distances are added until these are 50. A percentile counts half
of what is equal, the pair itself included, so that chance is 0.5 exactly.

Pointing: how often the word that a head makes most alike to a word is the right one, and how often baselines find it.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from attn_core.numerics.pairs import every_pair
from attn_core.texts.annotated import Question

TOLERANCE = 0.2  # of a distance
FEWEST = 50  # pairs that a pair is ranked among
ENOUGH = 20  # pairs of a relation that is shown
CHANCE = 0.5
REACH = 10  # words to either side, of a fixed offset
OFFSETS = np.array([offset for offset in range(-REACH, REACH + 1) if offset])


def like_distances(distance: int, words: int) -> tuple[int, int]:
    """The smallest and the largest distance that count as like one, in a text of so many words."""
    low, high = int(np.ceil(distance * (1 - TOLERANCE))), int(distance * (1 + TOLERANCE))
    low, high = max(low, 1), min(high, words - 1)
    while _pairs_at(low, high, words) < FEWEST and (low > 1 or high < words - 1):
        low, high = max(low - 1, 1), min(high + 1, words - 1)
    return low, high


def percentiles(maps: np.ndarray, pairs: np.ndarray, among: np.ndarray | None = None) -> np.ndarray:
    """The percentile of each pair among those of like distance and direction, (rows, n), between 0 and 1.

    maps: (rows, word, word). pairs: (n, 2) of different words. among: (words,) bool, the words whose pairs these are
    ranked among, their own words included; by default all.
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
        for row, one in enumerate(maps if chosen else ()):  # row by row: one fits the cache
            along, values = one.take(places), one[pairs[:, 0], pairs[:, 1]]
            for at in chosen:
                begin, end = ranges[at]
                alike, value = along[begin:end], values[at]
                below = np.count_nonzero(alike < value) + np.count_nonzero(alike <= value)
                by_row[row, at] = below / (2 * (end - begin))
    return by_row


def _pairs_at(low: int, high: int, words: int) -> int:
    """The number of pairs i < j of so many words whose distance is between low and high."""
    number = high - low + 1
    return number * words - number * (low + high) // 2


@lru_cache(maxsize=8)
def _by_distance(words: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All pairs i < j by rising distance, (P,) each, and where each distance begins, (words + 1,)."""
    near, far = every_pair(words)
    order = np.argsort(far - near, kind="stable")
    starts = np.concatenate([[0, 0], np.cumsum(words - np.arange(1, words))])
    return near[order], far[order], starts


def pointed(maps: np.ndarray, questions: Sequence[Question]) -> np.ndarray:
    """Whether the candidate of largest value is right, (rows, n); of equal ones the first. maps: (rows, word, word)."""
    hits = np.empty((len(maps), len(questions)), dtype=bool)
    for at, one in enumerate(questions):
        candidates = np.array(one.candidates)
        is_right = np.isin(candidates, list(one.right))
        hits[:, at] = is_right[maps[:, one.word, candidates].argmax(axis=1)]
    return hits


def margins(maps: np.ndarray, choices: Sequence[Question]) -> np.ndarray:
    """The value of the right one of two candidates less that of the other, (rows, n)."""
    by_choice = np.empty((len(maps), len(choices)), dtype=np.float32)
    for at, one in enumerate(choices):
        right, wrong = sorted(one.candidates, key=lambda word: word not in one.right)
        by_choice[:, at] = maps[:, one.word, right] - maps[:, one.word, wrong]
    return by_choice


def at_offsets(questions: Sequence[Question]) -> np.ndarray:
    """Whether the word at each of `OFFSETS` is right, (offset, n)."""
    hits = [np.isin(one.word + OFFSETS, list(one.right)) for one in questions]
    return np.array(hits, dtype=bool).reshape(-1, len(OFFSETS)).T
