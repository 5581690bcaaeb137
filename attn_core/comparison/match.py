"""Best match of each head of one model among the heads of another.

The similarity of two heads is Spearman's rank correlation of their similarity matrices over the same words, pairs
i < j. Words are used because models differ in tokens, and ranks because the similarities of two heads have no common
unit. The chance level is the correlation after the words of the second model are permuted, in the same way for all its
heads: the best of many matches is above 0 by selection alone.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import pandas as pd

from attn_core.analysis.reading import Reading, word_reading
from attn_core.errors import InputError
from attn_core.measures.frames import head_frame
from attn_core.models.head_outputs import as_array
from attn_core.numerics.pairs import every_pair, permuted_pairs
from attn_core.numerics.ranks import ranks
from attn_core.numerics.threads import on_every_core
from attn_core.similarity.context_similarity import context_similarity
from attn_core.similarity.strong_pairs import Measure
from attn_core.tensors import torch

WORDS = 200  # matched per window, the first ones; our choice, so that it takes seconds
WINDOWS = 4  # matched in a long text, those with most words
FEWEST = 5  # words of a window; with fewer it is not matched
DRAWS = 99  # permutations of the words, 10 ms each for 72 heads
FALSE = 0.05  # probability that any head exceeds the threshold by chance
Words = tuple[int, np.ndarray]  # a window, and the positions of some words in it


@dataclass(frozen=True, eq=False)
class HeadMatch:
    """Rank correlations of the H heads of A with the G heads of B, both in order of layers.

    correlation: (H, G). by_chance: (draws, H, G), one permutation of the words per draw. shapes: (layers, heads per
    layer) of A and of B. words: number of matched words.
    """

    correlation: np.ndarray
    by_chance: np.ndarray
    shapes: tuple[tuple[int, int], tuple[int, int]]
    words: int

    @cached_property
    def best(self) -> np.ndarray:
        """The index of the best match of each head of A among the heads of B, (H,)."""
        return self.correlation.argmax(axis=1)

    @property
    def value(self) -> np.ndarray:
        """The correlation of each head of A with its best match, (H,)."""
        return self.correlation.max(axis=1)

    @cached_property
    def chance(self) -> float:
        """The mean correlation of best matches when words are permuted."""
        return float(self.by_chance.max(axis=2).mean())

    @cached_property
    def threshold(self) -> float:
        """The correlation that the best match of any head exceeds by chance with a probability of at most 5 %.

        It is the k-th largest of the maxima of d permutations, k = floor(0.05 (d + 1)), since by chance the observed
        maximum has each of the d + 1 ranks with equal probability. It is infinite for fewer than 19 permutations.
        """
        best = np.sort(self.by_chance.max(axis=(1, 2)))
        above = int(FALSE * (len(best) + 1))
        return float(best[-above]) if above else float("inf")

    @cached_property
    def sure(self) -> np.ndarray:
        """Whether the best match of each head of A is above the threshold, (H,)."""
        return self.value > self.threshold

    def table(self) -> pd.DataFrame:
        """One row per head of A, with its best match."""
        own, theirs = self.correlation.shape
        best = self.matrix().iloc[np.arange(own) * theirs + self.best].reset_index(drop=True)
        return best.rename(columns={"other_layer": "best_layer", "other_head": "best_head"}).assign(
            chance_correlation=self.chance,
            threshold_over_all_heads=self.threshold,
            above_chance=self.sure,
            mutual=self.correlation.argmax(axis=0)[self.best] == np.arange(own),
        )

    def matrix(self) -> pd.DataFrame:
        """One row per pair of heads: layer and head of A, other_layer and other_head of B, correlation."""
        own, theirs = (head_frame({}, *shape) for shape in self.shapes)
        return own.merge(theirs.add_prefix("other_"), how="cross").assign(correlation=self.correlation.ravel())


def match_heads(
    a: Reading, b: Reading, measures: tuple[Measure, Measure] = ("dot", "dot"), draws: int = DRAWS, seed: int = 0
) -> HeadMatch:
    """The correlation of every head of a with every head of b, averaged over windows weighted by their pairs.

    measures: of a and of b. Raises InputError if they have no text or too few words in common.
    """
    first, second = (one if one.unit == "words" else word_reading(one) for one in (a, b))
    shapes = (a.model.layers, a.model.heads), (b.model.layers, b.model.heads)
    size = shapes[0][0] * shapes[0][1], shapes[1][0] * shapes[1][1]
    correlation, by_chance = np.zeros(size), np.zeros((draws, *size), dtype=np.float32)
    weight = words = 0
    rng = np.random.default_rng(seed)
    for one, other in common_words(first, second):
        own = torch.from_numpy(_standardised(first, *one, measures[0]))
        theirs = torch.from_numpy(_standardised(second, *other, measures[1]).T.copy())
        number = len(one[1])
        correlation += len(theirs) * (own @ theirs).numpy()
        for drawn in by_chance:
            turned = torch.from_numpy(permuted_pairs(rng.permutation(number)))
            drawn += len(theirs) * (own @ theirs.index_select(0, turned)).numpy()
        weight, words = weight + len(theirs), words + number
    return HeadMatch(correlation / weight, by_chance / weight, shapes, words)


def common_words(a: Reading, b: Reading) -> list[tuple[Words, Words]]:
    """The common words of the `WINDOWS` pairs of windows with most of them, in descending order.

    a, b: readings in words. Raises InputError for different texts, and if no windows have five words in common.
    """
    if a.document.text != b.document.text:
        raise InputError("These two read different texts: heads can be matched over the same words only.")
    spans = [[one.starts << 32 | one.ends for one in each.passages] for each in (a, b)]
    found: list[tuple[Words, Words]] = []
    for (window, own), (other_window, theirs) in product(*map(enumerate, spans)):
        _, first, second = np.intersect1d(own, theirs, assume_unique=True, return_indices=True)
        order = np.argsort(first)[:WORDS]
        if len(order) >= FEWEST:
            found.append(((window, first[order]), (other_window, second[order])))
    if not found:
        raise InputError("These two have no window with five words in common: heads cannot be matched.")
    return sorted(found, key=lambda pair: -len(pair[0][1]))[:WINDOWS]


def _standardised(reading: Reading, window: int, words: np.ndarray, measure: Measure) -> np.ndarray:
    """Ranks of the similarities of word pairs i < j in every head, (H, P), with mean 0 and norm 1.

    The dot product of two rows is the rank correlation of the heads. A row is 0 if its head is removed, or if all its
    similarities are equal.
    """
    i, j = every_pair(len(words))
    layers = (as_array(context_similarity(z, measure, words)).reshape(len(z), -1) for z in reading.outputs[window].z)
    similarities = np.concatenate([similarity.take(i * len(words) + j, axis=1) for similarity in layers])
    ranked = np.stack(on_every_core(lambda rows: [ranks(row) for row in rows], list(similarities))).astype(np.float32)
    ranked -= np.float32((ranked.shape[1] - 1) / 2)
    length = np.sqrt(np.einsum("hp,hp->h", ranked, ranked, dtype=np.float64))
    ranked /= np.where(length > 0, length, 1).astype(np.float32)[:, None]
    for layer, head in reading.model.removed:
        ranked[layer * reading.model.heads + head] = 0
    return ranked
