"""The same pattern at other places of its text: what its scores are where its words are any words.

Pairs that share a word are not independent, so that pairs drawn anew are no fair comparison. Here the whole pattern moves: in
each window all of its words by one random number of words, beyond the end on from the start, so that its pairs share words as
before and, but for the few across the end, lie as far apart. Where a pattern's words are of no kind, all places are as likely,
and a p value among them is exact (Hemerik and Goeman 2018, "Exact testing with random permutations"). Over all heads: Westfall
and Young's largest statistic (max-T), each head's score over its spread among the places, so that the share of patterns of no
kind in which any head passes is the level.

Halves of a pattern: the head which one half of its words chooses is scored on pairs of none of them. Pairs that share a word are
alike in every head, so that halves of the pairs would tell each other what to choose. Words are places in the text: the same
word elsewhere counts as another. Parts of the pattern that share no word stay whole, but for one of more than half of the
pairs, whose words are dealt out singly; pairs between the halves are left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from attn_core.patterns.scores import CHANCE, percentiles, percentiles_at
from attn_core.patterns.word_maps import WordOutputs
from attn_core.similarity.context_similarity import context_similarity
from attn_core.similarity.strong_pairs import Measure

# Its number, what the heads make of its words, and its pairs.
Window = tuple[int, WordOutputs, Sequence[tuple[int, int]]]
DRAWS = 499  # places
AT_ONCE = 2**23  # percentiles
EQUAL = 1e-6  # of scores: sums of the same numbers in another order
SPLITS = 20  # at random, over which the score is averaged


class Estimate(NamedTuple):
    """A score, and the bounds of 95 % of what it is by chance."""

    score: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Placements:
    """A pattern's scores where it stands, first, and at random places.

    scores: (1 + draws, layer, head). crossed: (1 + draws,), see `crossed_scores`; None where the words cannot be
    split. on_others: the first of these, its pairs held against pairs of no word that chose.
    """

    scores: np.ndarray
    crossed: np.ndarray | None
    on_others: float | None = None

    @property
    def p(self) -> np.ndarray:
        """How often the pattern scores at least as high anywhere, (layer, head); least 1 / (1 + draws)."""
        return (self.scores >= self.scores[0] - EQUAL).mean(axis=0)

    @property
    def p_adjusted(self) -> np.ndarray:
        """How often any head stands out as much, (layer, head)."""
        spread = self.scores.std(axis=0)
        apart = (self.scores - self.scores.mean(axis=0)) / np.where(spread > EQUAL, spread, np.inf)
        most = apart.max(axis=(1, 2))
        return (most[:, None, None] >= apart[0] - EQUAL).mean(axis=0)

    @property
    def on_other_words(self) -> Estimate | None:
        """The score of the best head on words that did not choose it, and between what 95 % of the places have it.

        Chance is 0.5. At the places all pairs are held against, those of the words that chose too, which stand out: what that
        takes from the scores of a short text on average is given back to the bounds.
        """
        if self.crossed is None or self.on_others is None:
            return None
        low, high = np.percentile(self.crossed[1:], [2.5, 97.5]) + max(0.0, CHANCE - self.crossed[1:].mean())
        return Estimate(self.on_others, float(low), float(high))


def placements(windows: Sequence[Window], measure: Measure, draws: int = DRAWS, seed: int = 0) -> Placements:
    """A pattern of one pair or more at `draws` other places, by one measure of similarity."""
    own = [(number, outputs, np.array(marked, dtype=np.int64)) for number, outputs, marked in windows if marked]
    pairs = np.concatenate([marked for _, _, marked in own])
    halves = word_halves(np.repeat([number for number, _, _ in own], [len(marked) for _, _, marked in own]), pairs)
    wanted = np.concatenate([np.ones((1, len(pairs))), halves.reshape(-1, len(pairs))]).astype(np.float32)
    layers, heads = own[0][1].shape
    sums = np.zeros((1 + draws, len(wanted), layers * heads))
    generator, done = np.random.default_rng(seed), 0
    for _, outputs, marked in own:
        size = outputs.z.shape[2]
        shifts = np.concatenate([[0], generator.integers(0, size, draws)])
        columns = wanted[:, done : done + len(marked)]
        for layer in range(layers):
            maps = context_similarity(outputs.z[layer], measure)
            sums[:, :, layer * heads : (layer + 1) * heads] += _moved(maps, marked, shifts, columns)
        done += len(marked)
    scores = (sums[:, 0] / len(pairs)).reshape(-1, layers, heads)
    if not len(halves):
        return Placements(scores, None)
    of_halves = sums[:, 1:].reshape(1 + draws, *halves.shape[:2], -1)
    on_others = _on_other_words(own, halves, best_heads(of_halves[0], halves), measure)
    return Placements(scores, crossed_scores(of_halves, halves), on_others)


def _on_other_words(
    windows: Sequence[tuple[int, WordOutputs, np.ndarray]], halves: np.ndarray, best: np.ndarray, measure: Measure
) -> float:
    """The mean percentile of each half's pairs, in the head that the other half chose, among pairs of no word that chose.

    With the words that chose, which stand out in that head, all others would be a little below chance. halves: (splits, 2, n).
    best: (splits, 2), the head that each half chose.
    """
    total, done = np.zeros(len(halves)), 0
    for _, outputs, pairs in windows:
        here = halves[:, :, done : done + len(pairs)]
        done += len(pairs)
        heads = outputs.shape[1]
        maps = {at: context_similarity(outputs.z[divmod(at, heads)], measure) for at in np.unique(best).tolist()}
        for split, chooser in np.ndindex(best.shape):
            chose, scored = here[split, chooser], here[split, 1 - chooser]
            among = ~np.isin(np.arange(outputs.z.shape[2]), pairs[chose])
            total[split] += percentiles(maps[int(best[split, chooser])][None], pairs[scored], among).sum()
    return float((total / halves.sum(axis=(1, 2))).mean())


def _moved(maps: np.ndarray, pairs: np.ndarray, shifts: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Sums of the pairs' percentiles at every place, (places, k, rows).

    maps: (rows, word, word), symmetric. pairs: (n, 2). shifts: (places,) words. wanted: (k, n), which pairs are summed.
    """
    size = maps.shape[-1]
    first, distances = pairs.min(axis=1), np.abs(pairs[:, 1] - pairs[:, 0])
    known, which = np.unique(distances, return_inverse=True)
    # A pair across the end lies as far apart as the rest of the window is long.
    around = np.unique([known, size - known])
    of = dict(zip(around.tolist(), percentiles_at(maps, around), strict=True))
    table = np.stack([np.concatenate([of[one], of[size - one]], axis=1).T for one in known.tolist()])
    scores = np.empty((len(shifts), len(wanted), len(maps)))
    few = max(1, AT_ONCE // (len(pairs) * len(maps)))
    for begin in range(0, len(shifts), few):
        starts = (first + shifts[begin : begin + few, None]) % size
        scores[begin : begin + few] = wanted @ table[which, starts]
    return scores


def word_halves(windows: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """The pairs within each half of the words, (split, 2, n) bool; splits with an empty half are left out, so that there
    are none of a pattern which cannot be split: two words, or a word that all pairs share.

    windows: (n,), the window of each pair. pairs: (n, 2), words of it.
    """
    ends = np.stack([np.repeat(windows, 2), pairs.ravel()], axis=1)
    words = np.unique(ends, axis=0, return_inverse=True)[1].reshape(-1, 2)
    part = _parts(words)
    weight = np.bincount(part[words].ravel(), minlength=part.max() + 1)  # two for each pair
    generator = np.random.default_rng(0)
    kept = []
    for _ in range(SPLITS):
        order = generator.permutation(len(weight))
        before = np.cumsum(weight[order]) - weight[order] / 2
        second = np.empty(len(weight), dtype=bool)
        second[order] = before + generator.uniform(-1e-9, 1e-9) > weight.sum() / 2  # the middle one on either side
        sides = second[part[words]]
        halves = np.stack([~sides.any(axis=1), sides.all(axis=1)])
        if halves.any(axis=1).all():
            kept.append(halves)
    return np.array(kept, dtype=bool).reshape(-1, 2, len(pairs))


def crossed_scores(sums: np.ndarray, halves: np.ndarray) -> np.ndarray:
    """The mean percentile of pairs in the head that the other half chose, averaged over the splits, (...).

    sums: (..., splits, 2, heads), of each half's percentiles. halves: of `word_halves`, one split or more.
    """
    own = halves.sum(axis=-1)
    scored = np.take_along_axis(sums, best_heads(sums, halves)[..., ::-1, None], axis=-1)[..., 0]
    return (scored.sum(axis=-1) / own.sum(axis=-1)).mean(axis=-1)


def best_heads(sums: np.ndarray, halves: np.ndarray) -> np.ndarray:
    """The head in which each half has the highest mean percentile, (..., splits, 2)."""
    return (sums / halves.sum(axis=-1)[..., None]).argmax(axis=-1)


def _parts(words: np.ndarray) -> np.ndarray:
    """What is dealt out as one, by word, (words,). words: (n, 2), numbers of the pairs' words from 0."""
    size = words.max() + 1
    graph = coo_array((np.ones(len(words)), tuple(words.T)), shape=(size, size))
    part = connected_components(graph, directed=False)[1]
    pairs_of = np.bincount(part[words[:, 0]])
    alone = np.arange(size) + len(pairs_of)
    apart = np.where(pairs_of[part] * 2 > len(words), alone, part)
    return np.unique(apart, return_inverse=True)[1]
