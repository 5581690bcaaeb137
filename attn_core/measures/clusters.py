"""Ward clustering of heads by their z-scored statistics; the mean silhouette selects the number of clusters."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import ward
from scipy.spatial.distance import cdist
from sklearn import config_context
from sklearn.metrics import silhouette_score
from sklearn.preprocessing import StandardScaler

from attn_core.measures.few_pairs import too_few
from attn_core.measures.statistics import STATISTICS

MAX_CLUSTERS = 8
FEATURES = tuple(statistic.name for statistic in STATISTICS if statistic.feature)


@dataclass(frozen=True, eq=False)
class Clustering:
    """Clusters of H heads by F features.

    labels: (H,), from 1 for the largest cluster; 0 for removed heads, and for all if strong pairs are too few.
    z_scores: (H, F) frame. silhouettes: number of clusters -> mean silhouette.
    """

    labels: np.ndarray
    z_scores: pd.DataFrame
    silhouettes: dict[int, float]

    @property
    def number(self) -> int:
        return int(self.labels.max(initial=0))


def standardise(heads: pd.DataFrame, features: Sequence[str] = FEATURES) -> pd.DataFrame:
    """The z-scores of features over the heads, one column per feature; 0 for a constant feature."""
    chosen = heads[list(features)]
    return pd.DataFrame(StandardScaler().fit_transform(chosen.to_numpy()), columns=chosen.columns, index=chosen.index)


def cluster_heads(heads: pd.DataFrame, features: Sequence[str] = FEATURES) -> Clustering:
    """The Ward clustering of the heads of a heads table, with the number from 2 to 8 of largest mean silhouette.

    Features that are NaN for some head are left out, and so are removed heads, which have none.
    """
    removed = heads[list(features)].isna().all(axis=1)
    every = np.zeros(len(heads), dtype=int)
    if removed.all():
        return Clustering(every, heads[[]], {})
    if removed.any():
        rest = cluster_heads(heads[~removed], features)
        every[~removed] = rest.labels
        return Clustering(every, rest.z_scores.reindex(heads.index), rest.silhouettes)
    z_scores = standardise(heads, heads[list(features)].dropna(axis=1).columns)
    points = z_scores.to_numpy()
    if too_few(heads):
        return Clustering(every, z_scores, {})
    labels, apart = labels_by_number(points), cdist(points, points)
    with config_context(assume_finite=True, skip_parameter_validation=True):  # z-scores are finite
        silhouettes = {
            number: float(silhouette_score(apart, of_points, metric="precomputed"))
            for number, of_points in labels.items()
            if 1 < number < len(points)
        }
    number = max(silhouettes, key=silhouettes.__getitem__, default=1)
    return Clustering(labels[number], z_scores, silhouettes)


def cluster_profiles(clustering: Clustering) -> pd.DataFrame:
    """The mean z-score of each feature in each cluster, one per row: cluster, heads, feature, z."""
    grouped = clustering.z_scores.groupby(clustering.labels)
    sizes, means = grouped.size(), grouped.mean().dropna().rename_axis("cluster").reset_index()
    long = means.melt("cluster", var_name="feature", value_name="z")
    return long.assign(heads=long["cluster"].map(sizes))[["cluster", "heads", "feature", "z"]]


def labels_by_number(points: np.ndarray) -> dict[int, np.ndarray]:
    """A mapping from number of clusters to the labels of the points, for 1 to 8 clusters or as many as distinct points.

    Labels start at 1 for the largest cluster; of clusters of equal size, the one with the earliest point comes first.
    """
    labels = np.arange(number := len(points))
    cuts = {number: labels}
    for merge, (one, other, *_) in enumerate(ward(points) if number > 1 else ()):
        labels = np.where((labels == one) | (labels == other), number + merge, labels)
        cuts[number - 1 - merge] = labels
    most = min(MAX_CLUSTERS, len(np.unique(points, axis=0)))
    return {number: _by_size(cuts[number]) for number in range(1, most + 1)}


def _by_size(labels: np.ndarray) -> np.ndarray:
    _, first, label, sizes = np.unique(labels, return_index=True, return_inverse=True, return_counts=True)
    return 1 + np.argsort(np.lexsort((first, -sizes)))[label]
