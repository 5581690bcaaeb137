"""Clusters of heads: made-up groups are found again, and the numbers beside them are what they say."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import AgglomerativeClustering
from sklearn.metrics import adjusted_rand_score, silhouette_score

from attn_core.measures.clusters import cluster_heads, cluster_profiles, labels_by_number, standardise
from attn_core.measures.few_pairs import MIN_PAIRS

FEATURES = ("one", "two", "three")
GROUPS = [12, 8, 5]


def heads_in_groups(noise: float) -> pd.DataFrame:
    """Three groups of heads, far apart."""
    rng = np.random.default_rng(0)
    centres = np.repeat(np.array([[0, 0, 0], [5, 0, 2], [0, 6, -3]]), GROUPS, axis=0)
    points = centres + noise * rng.normal(size=centres.shape)
    return pd.DataFrame(points, columns=FEATURES).assign(pairs=1000, windows=1)


def test_groups_are_found_again_the_largest_first_with_the_means_of_their_z_scores() -> None:
    clustering = cluster_heads(heads_in_groups(noise=0.1), FEATURES)
    assert clustering.labels.tolist() == np.repeat([1, 2, 3], GROUPS).tolist()
    assert clustering.number == 3
    for row in cluster_profiles(clustering).itertuples():
        inside = clustering.labels == row.cluster
        assert row.heads == inside.sum()
        assert row.z == pytest.approx(clustering.z_scores.loc[inside, row.feature].mean())


def test_heads_with_too_few_pairs_are_in_no_cluster() -> None:
    clustering = cluster_heads(heads_in_groups(noise=0.1).assign(pairs=MIN_PAIRS - 1), FEATURES)
    assert clustering.number == 0 and not clustering.labels.any() and not clustering.silhouettes


def test_equal_distances_give_as_many_clusters_as_asked_for_and_those_of_scikit_learn() -> None:
    grid = pd.DataFrame(list(product(range(4), range(3), range(2))), columns=FEATURES).astype(float)
    points = standardise(grid, FEATURES).to_numpy()
    labels = labels_by_number(points)
    for number in range(2, 9):
        assert labels[number].max() == number
        assert adjusted_rand_score(AgglomerativeClustering(number).fit_predict(points), labels[number]) == 1


def test_the_number_of_clusters_is_that_of_the_largest_silhouette() -> None:
    heads = heads_in_groups(noise=1.5)
    clustering, points = cluster_heads(heads, FEATURES), standardise(heads, FEATURES).to_numpy()
    labels = labels_by_number(points)
    expected = {number: silhouette_score(points, labels[number]) for number in range(2, 9)}
    assert clustering.silhouettes == pytest.approx(expected)
    assert clustering.number == max(expected, key=expected.__getitem__)


@given(st.integers(1, 12), st.integers(0, 99))
def test_z_scores_have_mean_zero_and_deviation_one_or_zero(heads: int, seed: int) -> None:
    table = pd.DataFrame(np.random.default_rng(seed).normal(size=(heads, 2)), columns=["one", "two"]).assign(same=3.0)
    z = standardise(table, ["one", "two", "same"])
    assert z.mean().to_numpy() == pytest.approx(0, abs=1e-9)
    assert z.std(ddof=0).to_numpy() == pytest.approx([1, 1, 0] if heads > 1 else [0, 0, 0])
