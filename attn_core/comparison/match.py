"""Which head of one model is most like which head of another?

Two heads are alike where they make the same pairs of words alike: the measure is the rank correlation (Spearman's) of their
similarity matrices over the same words, pairs i < j. Words, since models cut a text into other tokens; ranks, since two
heads' similarities have no common unit. Chance is what is left where the words of the second model change places at
random, all its heads alike: of many heads the best match is above 0 by luck.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from attn_core.analysis.reading import Reading, word_reading
from attn_core.errors import InputError
from attn_core.head import Head, every_head
from attn_core.measures.comparison import pair_ranks
from attn_core.models.head_outputs import as_array
from attn_core.numerics.pairs import every_pair, permuted_pairs
from attn_core.numerics.ranks import ranks
from attn_core.numerics.threads import on_every_core
from attn_core.similarity.context_similarity import context_similarity
from attn_core.similarity.strong_pairs import Measure
from attn_core.tensors import torch
from attn_core.texts.passages import Passage

WORDS = 200  # of a window that are matched, its first ones; our choice, so that it takes seconds
WINDOWS = 4  # of a long text that are matched, those of most words
FEWEST = 5  # words of a window that tell anything
DRAWS = 99  # permutations of the words, 10 ms each for 72 heads: with 5 the threshold is luck itself
FALSE = 0.05  # how often any head at all may be above the threshold where the models have nothing in common


@dataclass(frozen=True, eq=False)
class CommonWords:
    """The words that two models read in one window each: (W,) positions among the words of the one and of the other."""

    window: int
    other_window: int
    first: np.ndarray
    second: np.ndarray


@dataclass(frozen=True, eq=False)
class HeadMatch:
    """Rank correlations of the heads of A with those of B, H and G heads, layer by layer.

    correlation: (H, G). by_chance: (draws, H, G), in each draw the words permuted once for all heads. shapes: (layers, heads a
    layer) of A and of B. words: how many were matched; windows: in how many windows.
    """

    correlation: np.ndarray
    by_chance: np.ndarray
    shapes: tuple[tuple[int, int], tuple[int, int]]
    words: int
    windows: int

    @cached_property
    def best(self) -> np.ndarray:
        """The head of B that is most like each head of A, (H,)."""
        return self.correlation.argmax(axis=1)

    @property
    def value(self) -> np.ndarray:
        """How alike each head of A and its best match are, (H,)."""
        return self.correlation.max(axis=1)

    @cached_property
    def chance(self) -> float:
        """The mean best match of heads whose words were permuted."""
        return float(self.by_chance.max(axis=2).mean())

    @cached_property
    def threshold(self) -> float:
        """What the best match of all heads exceeds in at most 5 % of permutations; infinite below 19 draws.

        Of d draws and the models as they are each is as likely the largest by chance, so that the threshold is the k-th largest
        draw where k is 5 % of d + 1.
        """
        best = np.sort(self.by_chance.max(axis=(1, 2)))
        above = int(FALSE * (len(best) + 1))
        return float(best[-above]) if above else float("inf")

    @cached_property
    def sure(self) -> np.ndarray:
        """Which heads of A have a match above the threshold, (H,)."""
        return self.value > self.threshold

    @cached_property
    def mutual(self) -> tuple[float, float]:
        """Share of A's heads whose best match has them as its own best match, and the same by chance."""
        return _mutual(self.correlation), float(np.mean([_mutual(drawn) for drawn in self.by_chance]))

    def table(self) -> pd.DataFrame:
        """One row a head of A: layer, head, best_layer, best_head, correlation, chance, threshold, above it or not, mutual."""
        own, theirs = self.correlation.shape
        best = self.matrix().iloc[np.arange(own) * theirs + self.best].reset_index(drop=True)
        return best.rename(columns={"other_layer": "best_layer", "other_head": "best_head"}).assign(
            chance_correlation=self.chance,
            bar_over_all_heads=self.threshold,
            above_chance=self.sure,
            mutual=_returned(self.correlation),
        )

    def matrix(self) -> pd.DataFrame:
        """Every pair of heads: layer, head of A, other_layer, other_head of B, correlation."""
        own, theirs = (np.array([head.row for head in every_head(*shape)]) for shape in self.shapes)
        row, column = np.indices(self.correlation.shape).reshape(2, -1)
        return pd.DataFrame(
            {
                "layer": own[row, 0],
                "head": own[row, 1],
                "other_layer": theirs[column, 0],
                "other_head": theirs[column, 1],
                "correlation": self.correlation.ravel(),
            }
        )


def match_heads(
    a: Reading, b: Reading, measures: tuple[Measure, Measure] = ("dot", "dot"), draws: int = DRAWS, seed: int = 0
) -> HeadMatch:
    """Every head of a with every head of b, each similarity in its own measure; windows weigh by their pairs.

    Raises InputError where the two have no text in common.
    """
    first, second = (one if one.unit == "words" else word_reading(one) for one in (a, b))
    shapes = (a.model.layers, a.model.heads), (b.model.layers, b.model.heads)
    size = shapes[0][0] * shapes[0][1], shapes[1][0] * shapes[1][1]
    correlation, by_chance = np.zeros(size), np.zeros((draws, *size), dtype=np.float32)
    weight = words = windows = 0
    rng = np.random.default_rng(seed)
    for common in common_words(first, second):
        own = torch.from_numpy(_standardised(first, common.window, common.first, measures[0]))
        theirs = torch.from_numpy(_standardised(second, common.other_window, common.second, measures[1]).T.copy())
        correlation += len(theirs) * (own @ theirs).numpy()
        for drawn in by_chance:
            turned = torch.from_numpy(permuted_pairs(rng.permutation(len(common.first))))
            drawn += len(theirs) * (own @ theirs.index_select(0, turned)).numpy()
        weight, words, windows = weight + len(theirs), words + len(common.first), windows + 1
    return HeadMatch(correlation / weight, by_chance / weight, shapes, words, windows)


def common_words(a: Reading, b: Reading) -> list[CommonWords]:
    """The words, by their places in the text, that stand in one window of each; windows of most words first, `WINDOWS` at most.

    a, b: readings in words. Raises InputError where the two read other texts, and where no window has five words in common.
    """
    if a.document.text != b.document.text:
        raise InputError("These two read different texts: heads can be matched over the same words only.")
    words = [one for one in _common(a, b) if len(one.first) >= FEWEST]
    if not words:
        raise InputError("These two have no window with five words in common: heads cannot be matched.")
    return sorted(words, key=lambda one: -len(one.first))[:WINDOWS]


def word_ranks(reading: Reading, window: int, words: np.ndarray, head: Head, measure: Measure) -> np.ndarray:
    """The similarity matrix (W, W) of a head over some words of a window, every pair by its rank from 0 to 1.

    NaN on the diagonal. reading: in words.
    """
    similarity = as_array(context_similarity(reading.outputs[window].z[head], measure, words))
    return pair_ranks(similarity, np.ones(len(words), dtype=bool))


def _common(a: Reading, b: Reading) -> Iterator[CommonWords]:
    spans = [_spans(passage) for passage in b.passages]
    for window, passage in enumerate(a.passages):
        own = _spans(passage)
        for other_window, theirs in enumerate(spans):
            both = [(at, theirs[span]) for span, at in own.items() if span in theirs][:WORDS]
            first, second = np.array(both, dtype=np.int64).reshape(-1, 2).T
            yield CommonWords(window, other_window, first, second)


def _spans(passage: Passage) -> dict[tuple[int, int], int]:
    """The places of words in the text -> in the passage."""
    spans = zip(passage.starts.tolist(), passage.ends.tolist(), strict=True)
    return {span: at for at, span in enumerate(spans)}


def _standardised(reading: Reading, window: int, words: np.ndarray, measure: Measure) -> np.ndarray:
    """Ranks of every head's similarities over pairs of words i < j, their mean 0 and their length 1, (H, P).

    So the scalar product of two heads' rows is their rank correlation. All 0 where a head makes all words alike.
    """
    i, j = every_pair(len(words))
    layers = (as_array(context_similarity(z, measure, words)).reshape(len(z), -1) for z in reading.outputs[window].z)
    similarities = np.concatenate([similarity.take(i * len(words) + j, axis=1) for similarity in layers])
    ranked = np.stack(on_every_core(lambda rows: [ranks(row) for row in rows], list(similarities))).astype(np.float32)
    ranked -= np.float32((ranked.shape[1] - 1) / 2)
    length = np.sqrt(np.einsum("hp,hp->h", ranked, ranked, dtype=np.float64))
    ranked /= np.where(length > 0, length, 1).astype(np.float32)[:, None]
    return ranked


def _returned(correlation: np.ndarray) -> np.ndarray:
    """Which heads of A are the best match of their own best match, (H,)."""
    best, of_b = correlation.argmax(axis=1), correlation.argmax(axis=0)
    return of_b[best] == np.arange(len(best))


def _mutual(correlation: np.ndarray) -> float:
    return float(_returned(correlation).mean())
