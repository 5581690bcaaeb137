"""Clusters of heads: Ward's tree of their z-scored statistics, cut where the mean silhouette is largest."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import fcluster, ward
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

    labels: (H,), from 1 for the largest cluster; all 0 where strong pairs are too few. z_scores: (H, F) frame.
    silhouettes: mean silhouette of each number of clusters.
    """

    labels: np.ndarray
    z_scores: pd.DataFrame
    silhouettes: dict[int, float]

    @property
    def number(self) -> int:
        return int(self.labels.max(initial=0))


def standardise(heads: pd.DataFrame, features: Sequence[str] = FEATURES) -> pd.DataFrame:
    """The z-scores of features over the heads, one column a feature; 0 for a feature that is constant."""
    chosen = heads[list(features)]
    return pd.DataFrame(StandardScaler().fit_transform(chosen.to_numpy()), columns=chosen.columns, index=chosen.index)


def cluster_heads(heads: pd.DataFrame, features: Sequence[str] = FEATURES) -> Clustering:
    """The clusters of the rows of a heads table: the number of 2 to 8 with the largest mean silhouette.

    Features without a value for some head are left out.
    """
    z_scores = standardise(heads, [feature for feature in features if heads[feature].notna().all()])
    points = z_scores.to_numpy()
    if too_few(heads):
        return Clustering(np.zeros(len(points), dtype=int), z_scores, {})
    labels_of = clusterer(points)
    silhouettes = _silhouettes(points, labels_of)
    number = max(silhouettes, key=silhouettes.__getitem__, default=1)
    return Clustering(labels_of(number), z_scores, silhouettes)


def cluster_profiles(clustering: Clustering) -> pd.DataFrame:
    """The mean z-score of every feature in every cluster: cluster, heads, feature, z."""
    grouped = clustering.z_scores.groupby(clustering.labels)
    sizes = grouped.size()
    long = grouped.mean().rename_axis("cluster").reset_index().melt("cluster", var_name="feature", value_name="z")
    return long.assign(heads=long["cluster"].map(sizes))[["cluster", "heads", "feature", "z"]]


def _silhouettes(points: np.ndarray, labels_of: Callable[[int], np.ndarray]) -> dict[int, float]:
    silhouettes, apart = {}, cdist(points, points)
    with config_context(assume_finite=True, skip_parameter_validation=True):  # z-scores, checked once and not 7 times
        for number in range(2, min(MAX_CLUSTERS, len(points) - 1) + 1):
            labels = labels_of(number)
            if 1 < len(np.unique(labels)) < len(points):
                silhouettes[number] = float(silhouette_score(apart, labels, metric="precomputed"))
    return silhouettes


def clusterer(points: np.ndarray) -> Callable[[int], np.ndarray]:
    """A function from a number of clusters to the labels of the points, from 1 for the largest cluster.

    The number is at most that of different points. Ward's tree is built once for all numbers.
    """
    different = len(np.unique(points, axis=0))
    if different < 2 or len(points) < 3:
        return lambda _number: np.ones(len(points), dtype=int)
    tree = ward(points)
    tree[:, 2] = np.arange(len(tree))  # by order of merging: equal heights would be cut at once
    return lambda number: _by_size(fcluster(tree, min(number, different), "maxclust"))


def _by_size(labels: np.ndarray) -> np.ndarray:
    """Labels 1, 2, ... from the largest cluster down."""
    names, sizes = np.unique(labels, return_counts=True)
    order = names[np.lexsort((names, -sizes))]
    return 1 + np.argsort(order)[np.searchsorted(names, labels)]
