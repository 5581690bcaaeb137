"""Which head of one model is most like which head of another?

Two heads are alike where the same pairs of words are similar to both: the measure is Spearman's rank correlation of
their similarity matrices over the same words, pairs i < j. It takes words because models have different tokens, and
ranks because the similarities of two heads have no common unit. Chance is the correlation after the words of the second
model are permuted, the same way for all its heads: the best match of many heads is above 0 by luck.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from attn_core.analysis.reading import Reading, word_reading
from attn_core.errors import InputError
from attn_core.head import every_head
from attn_core.models.head_outputs import as_array
from attn_core.numerics.pairs import every_pair, permuted_pairs
from attn_core.numerics.ranks import ranks
from attn_core.numerics.threads import on_every_core
from attn_core.similarity.context_similarity import context_similarity
from attn_core.similarity.strong_pairs import Measure
from attn_core.tensors import torch
from attn_core.texts.passages import Passage

WORDS = 200  # the first ones of a window are matched; our choice, so that it takes seconds
WINDOWS = 4  # of a long text are matched, those with most words
FEWEST = 5  # words; windows with fewer are not matched
DRAWS = 99  # permutations of the words, 10 ms each for 72 heads
FALSE = 0.05  # how often any head may be above the threshold where the models have nothing in common


@dataclass(frozen=True, eq=False)
class CommonWords:
    """Words that two models read in one window each: (W,) positions among the words of either."""

    window: int
    other_window: int
    first: np.ndarray
    second: np.ndarray


@dataclass(frozen=True, eq=False)
class HeadMatch:
    """Rank correlations of the heads of A with those of B, H and G heads, layer by layer.

    correlation: (H, G). by_chance: (draws, H, G), each draw one permutation of the words. shapes: (layers, heads per
    layer) of A and of B. words: how many were matched.
    """

    correlation: np.ndarray
    by_chance: np.ndarray
    shapes: tuple[tuple[int, int], tuple[int, int]]
    words: int

    @cached_property
    def best(self) -> np.ndarray:
        """The best match of each head of A, (H,), as a number among the heads of B."""
        return self.correlation.argmax(axis=1)

    @property
    def value(self) -> np.ndarray:
        """The correlation of each head of A with its best match, (H,)."""
        return self.correlation.max(axis=1)

    @cached_property
    def chance(self) -> float:
        """The mean correlation of best matches over permuted words."""
        return float(self.by_chance.max(axis=2).mean())

    @cached_property
    def threshold(self) -> float:
        """The correlation that the best match of all heads exceeds in at most 5 % of permutations.

        By chance, each of d draws and the observed one is as likely the largest, so it is the k-th largest draw where k
        is 5 % of d + 1. It is infinite below 19 draws.
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
        """The share of heads of A that are the best match of their best match, and the same by chance."""
        return _mutual(self.correlation), float(np.mean([_mutual(drawn) for drawn in self.by_chance]))

    def table(self) -> pd.DataFrame:
        """One row per head of A, with its best match."""
        own, theirs = self.correlation.shape
        best = self.matrix().iloc[np.arange(own) * theirs + self.best].reset_index(drop=True)
        return best.rename(columns={"other_layer": "best_layer", "other_head": "best_head"}).assign(
            chance_correlation=self.chance,
            threshold_over_all_heads=self.threshold,
            above_chance=self.sure,
            mutual=_returned(self.correlation),
        )

    def matrix(self) -> pd.DataFrame:
        """One row per pair of heads: layer, head of A, other_layer, other_head of B, correlation."""
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
    """The match of every head of a with every head of b; windows weigh by their pairs.

    measures: of a and of b. Raises InputError where the two have no text in common.
    """
    first, second = (one if one.unit == "words" else word_reading(one) for one in (a, b))
    shapes = (a.model.layers, a.model.heads), (b.model.layers, b.model.heads)
    size = shapes[0][0] * shapes[0][1], shapes[1][0] * shapes[1][1]
    correlation, by_chance = np.zeros(size), np.zeros((draws, *size), dtype=np.float32)
    weight = words = 0
    rng = np.random.default_rng(seed)
    for common in common_words(first, second):
        own = torch.from_numpy(_standardised(first, common.window, common.first, measures[0]))
        theirs = torch.from_numpy(_standardised(second, common.other_window, common.second, measures[1]).T.copy())
        correlation += len(theirs) * (own @ theirs).numpy()
        for drawn in by_chance:
            turned = torch.from_numpy(permuted_pairs(rng.permutation(len(common.first))))
            drawn += len(theirs) * (own @ theirs.index_select(0, turned)).numpy()
        weight, words = weight + len(theirs), words + len(common.first)
    return HeadMatch(correlation / weight, by_chance / weight, shapes, words)


def common_words(a: Reading, b: Reading) -> list[CommonWords]:
    """The words in common of each pair of windows, at most `WINDOWS` of them, those with most words first.

    a, b: readings in words. Raises InputError for different texts, and where no window has five words in common.
    """
    if a.document.text != b.document.text:
        raise InputError("These two read different texts: heads can be matched over the same words only.")
    words = [one for one in _common(a, b) if len(one.first) >= FEWEST]
    if not words:
        raise InputError("These two have no window with five words in common: heads cannot be matched.")
    return sorted(words, key=lambda one: -len(one.first))[:WINDOWS]


def _common(a: Reading, b: Reading) -> Iterator[CommonWords]:
    spans = [_spans(passage) for passage in b.passages]
    for window, passage in enumerate(a.passages):
        own = _spans(passage)
        for other_window, theirs in enumerate(spans):
            both = [(at, theirs[span]) for span, at in own.items() if span in theirs][:WORDS]
            first, second = np.array(both, dtype=np.int64).reshape(-1, 2).T
            yield CommonWords(window, other_window, first, second)


def _spans(passage: Passage) -> dict[tuple[int, int], int]:
    """Spans of words in the text -> positions in the passage."""
    spans = zip(passage.starts.tolist(), passage.ends.tolist(), strict=True)
    return {span: at for at, span in enumerate(spans)}


def _standardised(reading: Reading, window: int, words: np.ndarray, measure: Measure) -> np.ndarray:
    """Ranks of every head's similarities over pairs of words i < j, (H, P), with mean 0 and length 1.

    The scalar product of two rows is the rank correlation of the heads. All 0 where all similarities are equal.
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
    """Whether each head of A is the best match of its best match, (H,)."""
    best, of_b = correlation.argmax(axis=1), correlation.argmax(axis=0)
    return of_b[best] == np.arange(len(best))


def _mutual(correlation: np.ndarray) -> float:
    return float(_returned(correlation).mean())
