"""Comparison of two heads: common strong pairs, correlation of similarities, and statistics."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from attn_core.head import Head, every_head
from attn_core.measures.examples import snippet
from attn_core.measures.statistics import STATISTICS
from attn_core.measures.tally import Count
from attn_core.numerics.pairs import pairs_among
from attn_core.numerics.ranks import correlation, ranks
from attn_core.similarity.context_similarity import context_similarity
from attn_core.similarity.strong_pairs import Measure, StrongPairs

WIDTH = 7  # characters on either side of a token
NEAREST = 5


def pair_overlap(windows: Sequence[StrongPairs], a: Head, b: Head) -> tuple[float, float]:
    """The share of head a's strong pairs that are also strong in head b, and its chance level K / P."""
    shared = sum(len(np.intersect1d(one.places[a], one.places[b], assume_unique=True)) for one in windows)
    return shared / sum(one.shape[2] for one in windows), _chance_of_overlap(windows)


def nearest_by_pairs(windows: Sequence[StrongPairs], head: Head, removed: Sequence[Head] = ()) -> Head:
    """The head that has the most strong pairs in common with another; that one itself if all others are removed."""
    others = [other for other in every_head(*windows[0].shape[:2]) if other != head and other not in removed]
    return max(others, key=lambda other: pair_overlap(windows, head, other)[0], default=head)


def overlap_of_all(windows: Sequence[StrongPairs]) -> tuple[np.ndarray, float]:
    """The overlap of strong pairs of every two heads, (H, H), and its chance level; see `pair_overlap`."""
    shared: np.ndarray | float = 0.0
    for window in windows:
        layers, heads, strong = window.shape
        row = np.repeat(np.arange(layers * heads), strong)
        size = layers * heads, len(window.passage) ** 2
        chosen = csr_array((np.ones(len(row)), (row, window.places.ravel())), size)
        shared = shared + (chosen @ chosen.T).toarray()
    return np.asarray(shared) / sum(one.shape[2] for one in windows), _chance_of_overlap(windows)


def _chance_of_overlap(windows: Sequence[StrongPairs]) -> float:
    return sum(one.shape[2] ** 2 / one.possible for one in windows) / sum(one.shape[2] for one in windows)


def overlap_count(pairs: StrongPairs) -> Count:
    """The mean share of strong pairs that two heads of a layer have in common, (layer,); NaN for a single head.

    A pair that is strong in c heads is shared by c (c - 1) ordered pairs of heads. Chance: K / P.
    """
    _, heads, strong = pairs.shape
    cells = len(pairs.passage) ** 2
    shared = np.array([2 * earlier_heads(of_layer, cells).sum() for of_layer in pairs.places])
    couples = heads * (heads - 1)
    return Count(shared, couples * strong**2 / pairs.possible, couples * strong)


def earlier_heads(places: np.ndarray, size: int) -> np.ndarray:
    """The number of earlier heads that share each strong pair of a head, (head, K). places: (head, K), below `size`."""
    before, earlier = np.zeros(size, dtype=np.int32), np.empty(places.shape, dtype=np.int32)
    for own, found in zip(places, earlier, strict=True):
        before.take(own, out=found, mode="clip")
        before[own] = found + 1
    return earlier


def matrix_correlation(a: np.ndarray, b: np.ndarray, eligible: np.ndarray) -> float:
    """Pearson's correlation of two similarity matrices (N, N) over pairs of eligible tokens; 0 if one is constant."""
    pairs = pairs_among(np.flatnonzero(eligible))
    return float(correlation(*(matrix[pairs] for matrix in (a, b))))


def side_by_side(statistics: pd.DataFrame, a: Head, b: Head) -> pd.DataFrame:
    """One row per statistic: its value and chance level in both heads, and the difference of the values."""
    indexed = statistics.set_index(["layer", "head"])
    first, second = (indexed.loc[head.row] for head in (a, b))
    rows = [
        (s.label, first[s.name], second[s.name], first[s.name] - second[s.name], first[s.chance], second[s.chance])
        + (s.unit, s.question)
        for s in STATISTICS
    ]
    columns = ["first_value", "second_value", "difference", "first_chance", "second_chance"]
    return pd.DataFrame(rows, columns=["statistic", *columns, "unit", "question"])


def strongest_in_context(pairs: StrongPairs, head: Head, number: int = 20) -> pd.DataFrame:
    """The strongest pairs of a head, one per row, with the text around both tokens."""
    first, second = pairs.first[head][:number], pairs.second[head][:number]
    passage = pairs.passage
    return pd.DataFrame(
        {
            "layer": head.row[0],
            "head": head.row[1],
            "first_token": [passage.tokens[i] for i in first],
            "second_token": [passage.tokens[j] for j in second],
            "similarity": pairs.similarity[head][:number],
            "distance": second - first,
            "first_context": [snippet(passage, int(i), WIDTH) for i in first],
            "second_context": [snippet(passage, int(j), WIDTH) for j in second],
            "first": first,
            "second": second,
        }
    )


def nearest_by_matrix(z: np.ndarray, head: Head, measure: Measure, eligible: np.ndarray) -> pd.DataFrame:
    """The heads whose similarities have the largest rank correlation with those of a head: layer, head, correlation.

    The correlation is Spearman's; its chance level is 0. z: head outputs (layer, head, N, d). eligible: (N,) bool.
    """
    i, j = pairs_among(np.flatnonzero(eligible))

    def order(of: Head) -> np.ndarray:
        return ranks(np.asarray(context_similarity(z[of], measure))[i, j])

    own = order(head)
    rows = [(*other.row, float(correlation(own, order(other)))) for other in every_head(*z.shape[:2]) if other != head]
    alike = pd.DataFrame(rows, columns=["layer", "head", "correlation"])
    return alike.sort_values("correlation", ascending=False, kind="stable", ignore_index=True).head(NEAREST)
