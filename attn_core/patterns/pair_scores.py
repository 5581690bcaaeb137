"""Scores of word pairs of one text in every head: the pairs of a pattern, or pairs given in Python.

The best of many heads scores above chance by selection alone. So a head is selected on one half of the words and scored
on the pairs of the other half. Words are occurrences. Pairs that share a word go to the same half, since their scores
are correlated: the connected components of the graph of pairs are assigned whole. The words of a component with more
than half of the pairs are assigned one by one, and pairs across the halves are left out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter

import numpy as np
import pandas as pd

from attn_core.analysis.one_text import Analysis
from attn_core.errors import InputError
from attn_core.measures.frames import head_frame
from attn_core.models.head_outputs import as_array
from attn_core.patterns.scores import CHANCE, DIRECTIONS, MAPS, WordOutputs, percentiles
from attn_core.similarity.context_similarity import context_similarity
from attn_core.similarity.strong_pairs import Measure

SPLITS = 20  # random splits into halves, over which the score is averaged
Place = int | str
# Index of a window, head outputs of its words, and its pairs.
Window = tuple[int, WordOutputs, Sequence[tuple[int, int]]]


@dataclass(frozen=True, eq=False)
class PairScores:
    """Percentiles and values of n word pairs of one text in every map and head.

    pairs: (n, 2), words of a window. windows: (n,), the window of each pair. percentile: (map, layer, head, n). values:
    similarities and attention weights, of the same shape.
    """

    pairs: np.ndarray
    windows: np.ndarray
    percentile: np.ndarray
    values: np.ndarray

    def __len__(self) -> int:
        return len(self.pairs)

    def heads(self, measure: Measure) -> pd.DataFrame:
        """One row per head: pairs, score and chance_score in a measure, and the scores of attention."""
        table = _score_table(len(self), self.percentile[MAPS.index(measure)].mean(axis=-1))
        by_attention = {kind: self.percentile[MAPS.index(kind)].mean(axis=-1).ravel() for kind in DIRECTIONS}
        return table.assign(**by_attention)

    def held_out(self, outputs: Mapping[int, WordOutputs], measure: Measure) -> float | None:
        """The mean percentile of pairs in the head selected on the other half of the words, averaged over splits.

        outputs: by window. None if pairs cannot be split. Pairs are ranked without the words that selected the head:
        their pairs score high in it, which would bias the percentiles of all others downwards.
        """
        splits = word_halves(self.windows, self.pairs)
        if not len(splits):
            return None
        percentile = self.percentile[MAPS.index(measure)].reshape(-1, len(self))
        best = (splits @ percentile.T / splits.sum(axis=-1)[..., None]).argmax(axis=-1)  # on each half, (split, 2)
        total = np.zeros(len(splits))
        for number in np.unique(self.windows).tolist():
            here, z = self.windows == number, outputs[number].z
            pairs, words = self.pairs[here], np.arange(z.shape[2])
            maps = {at: context_similarity(z[divmod(at, z.shape[1])], measure)[None] for at in np.unique(best).tolist()}
            for split, half in np.ndindex(best.shape):
                chose, scored = (pairs[splits[split, side][here]] for side in (half, 1 - half))
                total[split] += percentiles(maps[int(best[split, half])], scored, ~np.isin(words, chose)).sum()
        return float((total / splits.sum(axis=(1, 2))).mean())


def score_windows(windows: Sequence[Window]) -> PairScores | None:
    """The scores of the pairs of all windows; None without any pair."""
    parts = []
    for number, outputs, marked in windows:
        if marked:
            pairs = np.array(marked, dtype=np.int64)
            at = itemgetter((slice(None), *pairs.T))  # rows[:, first words, second words]
            ranks, values = outputs.by_map(partial(percentiles, pairs=pairs), at)
            parts.append((pairs, np.full(len(pairs), number), ranks, values))
    if not parts:
        return None
    pairs, numbers, ranks, values = zip(*parts, strict=True)
    return PairScores(
        np.concatenate(pairs), np.concatenate(numbers), np.concatenate(ranks, axis=-1), np.concatenate(values, axis=-1)
    )


def score_pairs(analysis: Analysis, pairs: Sequence[tuple[Place, Place]], window: int | None = None) -> pd.DataFrame:
    """Score of given pairs in every head: their mean percentile among pairs of the same window at similar distances.

    >>> attn_core.score_pairs(analysis, [("tide", "it"), (1, 5)])[["layer", "head", "pairs"]].head(2)
       layer  head  pairs
    0      1     1      2
    1      1     2      2

    pairs: each of two positions (rows of the window's `tokens`, from 0) or words (all occurrences). window: its number,
    from 1; required if the text has several.

    Returns one row per head with columns layer, head, pairs, score (in the measure of the analysis) and chance_score
    (0.5). Raises InputError for a position or word outside the window, and if there is no pair.
    """
    z, tokens = as_array(analysis.reading.outputs[analysis.reading.index(window)].z), analysis.tokens
    known = tokens.loc[tokens["window"] == (window or tokens["window"].iloc[0]), "token"].tolist()
    every = [
        (min(one, other), max(one, other))
        for first, second in pairs
        for one in _places(first, known)
        for other in _places(second, known)
        if one != other
    ]
    if not every:
        raise InputError("There is no pair to score: give positions, or words, of two different tokens.")
    given, measure = np.array(list(dict.fromkeys(every))), analysis.settings.measure
    score = np.stack([percentiles(context_similarity(layer, measure), given).mean(axis=-1) for layer in z])
    return _score_table(len(given), score)


def _places(named: Place, tokens: Sequence[str]) -> list[int]:
    """The positions of a token, given as text or as a position, in a window."""
    if isinstance(named, str):
        if found := [at for at, token in enumerate(tokens) if token.lower() == named.lower()]:
            return found
        raise InputError(f"The window has no token {named[:80]!r}: see `tokens`; unit='words' has words of several.")
    if not 0 <= named < len(tokens):
        raise InputError(f"Position {named} is not in the window, whose tokens are 0 to {len(tokens) - 1}.")
    return [named]


def _score_table(pairs: int, score: np.ndarray) -> pd.DataFrame:
    """One row per head: number of pairs, score and chance level. score: (layer, head)."""
    return head_frame({"pairs": pairs, "score": score, "chance_score": CHANCE}, *score.shape)


def word_halves(windows: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Masks of the pairs within each half of the words, (split, 2, n) bool. Splits with an empty half are left out.

    windows: (n,), the window of each pair. pairs: (n, 2), words of that window.
    """
    ends = np.stack([np.repeat(windows, 2), pairs.ravel()], axis=1)
    words = np.unique(ends, axis=0, return_inverse=True)[1].reshape(-1, 2)
    part = _parts(words)
    weight = np.bincount(part[words].ravel(), minlength=part.max() + 1)  # two per pair
    generator = np.random.default_rng(0)
    kept = []
    for _ in range(SPLITS):
        order = generator.permutation(len(weight))
        before = np.cumsum(weight[order]) - weight[order] / 2
        second = np.empty(len(weight), dtype=bool)
        second[order] = before + generator.uniform(-1e-9, 1e-9) > weight.sum() / 2  # the middle one: random
        sides = second[part[words]]
        halves = np.stack([~sides.any(axis=1), sides.all(axis=1)])
        if halves.any(axis=1).all():
            kept.append(halves)
    return np.array(kept, dtype=bool).reshape(-1, 2, len(pairs))


def _parts(words: np.ndarray) -> np.ndarray:
    """The component of each word, (words,); see the module. words: (n, 2), the two words of each pair, from 0."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    size = words.max() + 1
    graph = coo_array((np.ones(len(words)), tuple(words.T)), shape=(size, size))
    part = connected_components(graph, directed=False)[1]
    pairs_of = np.bincount(part[words[:, 0]])
    alone = np.arange(size) + len(pairs_of)
    apart = np.where(pairs_of[part] * 2 > len(words), alone, part)
    return np.unique(apart, return_inverse=True)[1]
