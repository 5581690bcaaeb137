"""Which heads are alike? Clusters of heads in the space of their z-scored statistics (scikit-learn; Ward's from scipy)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import fcluster, ward
from scipy.spatial.distance import cdist
from sklearn import config_context
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.decomposition import PCA
from sklearn.metrics import silhouette_score
from sklearn.preprocessing import StandardScaler

from attn_core.measures.few_pairs import too_few
from attn_core.measures.statistics import STATISTICS

Method = Literal["ward", "k-means", "hdbscan"]
METHODS: tuple[Method, ...] = ("ward", "k-means", "hdbscan")
MAX_CLUSTERS = 8
FEATURES = tuple(statistic.name for statistic in STATISTICS if statistic.feature)


@dataclass(frozen=True, eq=False)
class Clustering:
    """Clusters of H heads described by F features.

    labels: (H,), 1 for the largest cluster on, 0 for heads that HDBSCAN leaves out. z_scores: (H, F) frame.
    silhouettes: number of clusters -> mean silhouette, for the numbers that were tried (empty for HDBSCAN).
    projection: (H, 2), the first two principal components; explained: their shares of the variance.
    """

    method: Method
    labels: np.ndarray
    z_scores: pd.DataFrame
    silhouettes: dict[int, float]
    projection: np.ndarray
    explained: tuple[float, float]

    @property
    def number(self) -> int:
        return int(self.labels.max(initial=0))


def standardise(heads: pd.DataFrame, features: Sequence[str] = FEATURES) -> pd.DataFrame:
    """z-scores over the heads, one column a feature; a feature that is the same for all heads is 0."""
    chosen = heads[list(features)]
    return pd.DataFrame(StandardScaler().fit_transform(chosen.to_numpy()), columns=chosen.columns, index=chosen.index)


def cluster_heads(
    heads: pd.DataFrame, method: Method = "ward", number: int | None = None, features: Sequence[str] = FEATURES
) -> Clustering:
    """Cluster the rows of a heads table; without a number, the one of 2 to 8 with the largest mean silhouette.

    A feature that some head has no value of is left out. Heads with too few strong pairs are in no cluster.
    """
    features = [feature for feature in features if heads[feature].notna().all()]
    z_scores = standardise(heads, features)
    points = z_scores.to_numpy()
    labels_of = _clusterer(points, method)
    projection, explained = _projection(points)
    if too_few(heads):
        return Clustering(method, np.zeros(len(points), dtype=int), z_scores, {}, projection, explained)
    silhouettes = {} if method == "hdbscan" else _silhouettes(points, labels_of)
    number = number or max(silhouettes, key=silhouettes.__getitem__, default=1)
    return Clustering(method, labels_of(number), z_scores, silhouettes, projection, explained)


def cluster_profiles(clustering: Clustering) -> pd.DataFrame:
    """Mean z-score of every feature in every cluster: cluster, heads, feature, z."""
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


def _clusterer(points: np.ndarray, method: Method) -> Callable[[int], np.ndarray]:
    """What labels the points for a number of clusters: 1, 2, ... from the largest down, 0 for what HDBSCAN leaves out.

    There are at most as many clusters as different points. Ward's tree is built once for all numbers.
    """
    different = len(np.unique(points, axis=0))
    tree = ward(points) if method == "ward" and different > 1 else None
    if tree is not None:
        tree[:, 2] = np.arange(len(tree))  # cut by the order of merging: by heights, equal ones would be cut at once

    def labels_of(number: int) -> np.ndarray:
        number = min(number, different)
        if number < 2 and method != "hdbscan" or len(points) < 3:
            return np.ones(len(points), dtype=int)
        if method == "hdbscan":
            labels = HDBSCAN(min_cluster_size=max(2, min(4, len(points) // 2)), copy=True).fit_predict(points)
        elif method == "k-means":
            labels = KMeans(number, n_init=10, random_state=0).fit_predict(points)
        else:
            labels = fcluster(tree, number, "maxclust")
        return by_size(labels)

    return labels_of


def by_size(labels: np.ndarray) -> np.ndarray:
    """Labels 1, 2, ... from the largest cluster down, 0 for noise (-1)."""
    names, sizes = np.unique(labels[labels >= 0], return_counts=True)
    order = names[np.lexsort((names, -sizes))]
    ranks = {int(name): rank for rank, name in enumerate(order, start=1)}
    return np.array([ranks.get(int(label), 0) for label in labels])


def _projection(points: np.ndarray) -> tuple[np.ndarray, tuple[float, float]]:
    """The first two principal components, (H, 2), and their shares of the variance; zeros where nothing varies."""
    if min(points.shape) < 2 or not points.any():
        return np.zeros((len(points), 2)), (0.0, 0.0)
    pca = PCA(n_components=2, svd_solver="full").fit(points)
    first, second = pca.explained_variance_ratio_
    return pca.transform(points), (float(first), float(second))
