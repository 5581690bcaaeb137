"""Which heads of a model are most like one of them: in which pairs they make alike, and in their statistics."""

import numpy as np
import pandas as pd

from attn_core.head import Head, every_head
from attn_core.measures.clusters import FEATURES, standardise
from attn_core.numerics.ranks import correlation, ranks
from attn_core.similarity.context_similarity import context_similarity
from attn_core.similarity.strong_pairs import Measure

NEAREST = 5


def nearest_by_matrix(z: np.ndarray, head: Head, measure: Measure, eligible: np.ndarray) -> pd.DataFrame:
    """The heads whose similarity matrices order the pairs of tokens most alike: layer, head, correlation (Spearman's; chance: 0).

    z: head outputs (layer, head, N, d). eligible: (N,), which tokens may pair. The head itself is left out, the most alike first.
    """
    positions = np.flatnonzero(eligible)
    i, j = (positions[end] for end in np.triu_indices(len(positions), k=1))

    def order(of: Head) -> np.ndarray:
        return ranks(np.asarray(context_similarity(z[of], measure))[i, j])

    own, others = order(head), [other for other in every_head(*z.shape[:2]) if other != head]
    return _largest(others, "correlation", np.array([float(correlation(own, order(other))) for other in others]))


def nearest_by_statistics(statistics: pd.DataFrame, head: Head) -> pd.DataFrame:
    """The heads closest in their statistics: layer, head, distance, chance_distance.

    distance: Euclidean, over the z-scored statistics that the clusters take (`clusters.standardise`), without one that some
    head has no value of; chance_distance: its mean over all other heads. The head itself is left out, the closest first.
    """
    known = [feature for feature in FEATURES if statistics[feature].notna().all()]
    scores = standardise(statistics, known).to_numpy()
    rows = [Head.of_row(*row) for row in statistics[["layer", "head"]].itertuples(index=False)]
    distances = np.linalg.norm(scores - scores[rows.index(head)], axis=1)
    others = [at for at, row in enumerate(rows) if row != head]
    nearest = _largest([rows[at] for at in others], "distance", -distances[others])
    return nearest.assign(distance=-nearest["distance"], chance_distance=distances[others].mean() if others else np.nan)


def _largest(heads: list[Head], name: str, values: np.ndarray) -> pd.DataFrame:
    first = np.argsort(-values, kind="stable")[:NEAREST]
    rows = [(*heads[at].row, values[at]) for at in first]
    return pd.DataFrame(rows, columns=["layer", "head", name])
