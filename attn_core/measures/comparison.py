"""What do two heads share? Overlap of strong pairs, correlation of similarity matrices; and which heads are most alike."""

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

WIDTH = 7  # characters on either side of a token: two contexts share half a page


def pair_overlap(windows: Sequence[StrongPairs], a: Head, b: Head) -> tuple[float, float]:
    """Share of the strong pairs of head a that are strong in head b too, and its chance level K / P; windows pooled."""
    shared = expected = strong = 0.0
    for window in windows:
        kept = window.shape[2]
        shared += len(np.intersect1d(window.places[a], window.places[b], assume_unique=True))
        expected += kept**2 / len(window.all_pairs[0])
        strong += kept
    return shared / strong, expected / strong


def overlap_of_all(windows: Sequence[StrongPairs]) -> tuple[np.ndarray, float]:
    """`pair_overlap` of every two heads, (H, H), and its chance level."""
    shared: np.ndarray | float = 0.0
    expected = strong = 0.0
    for window in windows:
        layers, heads, kept = window.shape
        row = np.repeat(np.arange(layers * heads), kept)
        chosen = csr_array(
            (np.ones(len(row)), (row, window.places.ravel())), (layers * heads, len(window.passage) ** 2)
        )
        shared = shared + (chosen @ chosen.T).toarray()
        expected += kept**2 / window.possible
        strong += kept
    return np.asarray(shared) / strong, expected / strong


def overlap_count(window: StrongPairs) -> Count:
    """Mean share of strong pairs that two heads of one layer have in common, by layer; NaN where it has one head only.

    The mean of `pair_overlap` over all pairs of heads: a pair that is strong in c heads is shared by c (c - 1) ordered
    pairs of heads. Chance: K / P.
    """
    layers, heads, strong = window.shape
    n = len(window.passage)
    of_layers = zip(window.first, window.second, strict=True)
    shared = np.array([2 * earlier_heads(first * n + second, n**2).sum() for first, second in of_layers])
    return count_of_shared(shared, heads, strong, window.possible)


def count_of_shared(shared: np.ndarray, heads: int, strong: int, pairs: int) -> Count:
    """How the ordered pairs of heads that share a strong pair, (layer,), add up; of `strong` among so many pairs."""
    couples = heads * (heads - 1)
    return Count(shared, couples * strong**2 / pairs, couples * strong)


def earlier_heads(places: np.ndarray, size: int) -> np.ndarray:
    """How many of the heads before it have each strong pair of a head too, (head, K); places: (head, K), each below `size`.

    Twice their sum are the ordered pairs of heads that share a pair.
    """
    before, earlier = np.zeros(size, dtype=np.int32), np.empty(places.shape, dtype=np.int32)
    for own, found in zip(places, earlier, strict=True):
        before.take(own, out=found, mode="clip")
        before[own] = found + 1
    return earlier


def matrix_correlation(a: np.ndarray, b: np.ndarray, eligible: np.ndarray) -> float:
    """Pearson's correlation of two similarity matrices (N, N) over the pairs that count; chance level 0.

    Zero where a matrix is constant, since nothing then varies together.
    """
    pairs = pairs_among(np.flatnonzero(eligible))
    return float(correlation(*(matrix[pairs] for matrix in (a, b))))


def pair_ranks(matrix: np.ndarray, eligible: np.ndarray) -> np.ndarray:
    """The rank of every pair's similarity among the pairs that count, from 0 (least alike) to 1 (most), (N, N).

    Equal values share the mean of their ranks. NaN on the diagonal and for tokens that may not pair. eligible: (N,).
    """
    i, j = pairs_among(np.flatnonzero(eligible))
    relative = np.full(matrix.shape, np.nan)
    relative[i, j] = relative[j, i] = ranks(matrix[i, j]) / max(len(i) - 1, 1)
    return relative


def side_by_side(statistics: pd.DataFrame, a: Head, b: Head) -> pd.DataFrame:
    """One row a statistic: its value and its chance level in both heads, and their difference.

    Columns statistic, question, unit, then head, value and chance of the first and of the second, and first minus second.
    """
    indexed = statistics.set_index(["layer", "head"])
    row_a, row_b = (indexed.loc[head.row] for head in (a, b))
    return pd.DataFrame(
        [
            {
                "statistic": s.label,
                "question": s.question,
                "unit": s.unit,
                "first_head": str(a),
                "first_value": row_a[s.name],
                "first_chance": row_a[s.chance],
                "second_head": str(b),
                "second_value": row_b[s.name],
                "second_chance": row_b[s.chance],
                "difference": row_a[s.name] - row_b[s.name],
            }
            for s in STATISTICS
        ]
    )


def strongest_in_context(window: StrongPairs, head: Head, number: int = 20) -> pd.DataFrame:
    """The strongest pairs of a head with the words around both tokens.

    Columns layer, head, first_token, second_token, similarity, distance, first_context, second_context, and the positions
    first, second.
    """
    first, second = window.first[head][:number], window.second[head][:number]
    passage = window.passage
    return pd.DataFrame(
        {
            "layer": head.row[0],
            "head": head.row[1],
            "first_token": [passage.tokens[i] for i in first],
            "second_token": [passage.tokens[j] for j in second],
            "similarity": window.similarity[head][:number],
            "distance": second - first,
            "first_context": [snippet(passage, int(i), WIDTH) for i in first],
            "second_context": [snippet(passage, int(j), WIDTH) for j in second],
            "first": first,
            "second": second,
        }
    )


NEAREST = 5


def nearest_by_matrix(z: np.ndarray, head: Head, measure: Measure, eligible: np.ndarray) -> pd.DataFrame:
    """The heads whose similarity matrices order the pairs of tokens most alike: layer, head, correlation (Spearman's; chance: 0).

    z: head outputs (layer, head, N, d). eligible: (N,), which tokens may pair. The head itself is left out, the most alike first.
    """
    i, j = pairs_among(np.flatnonzero(eligible))

    def order(of: Head) -> np.ndarray:
        return ranks(np.asarray(context_similarity(z[of], measure))[i, j])

    own = order(head)
    rows = [(*other.row, float(correlation(own, order(other)))) for other in every_head(*z.shape[:2]) if other != head]
    alike = pd.DataFrame(rows, columns=["layer", "head", "correlation"])
    return alike.sort_values("correlation", ascending=False, kind="stable", ignore_index=True).head(NEAREST)
