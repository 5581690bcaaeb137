"""Heads like a head: a copy of it comes first, itself never, and the distances are what they say."""

import numpy as np
import pytest

from attn_core.head import Head
from attn_core.measures.clusters import FEATURES
from attn_core.measures.nearest import NEAREST, nearest_by_matrix, nearest_by_statistics
from attn_core.numerics.ranks import correlation, ranks
from attn_core.similarity.context_similarity import context_similarity
from tests.charts.test_clusters import heads_table

RNG = np.random.default_rng(0)
Z = RNG.normal(size=(2, 4, 30, 5)).astype(np.float32)
HEAD = Head(0, 1)
ELIGIBLE = np.ones(30, bool)


def test_a_head_that_orders_its_pairs_the_same_comes_first_whatever_its_scale() -> None:
    z = Z.copy()
    z[1, 3] = 7 * z[HEAD]
    nearest = nearest_by_matrix(z, HEAD, "dot", ELIGIBLE)
    assert len(nearest) == NEAREST
    assert nearest.loc[0, ["layer", "head"]].tolist() == [2, 4]
    assert nearest["correlation"][0] == pytest.approx(1, abs=1e-4)
    assert nearest["correlation"].is_monotonic_decreasing
    assert HEAD.row not in set(nearest[["layer", "head"]].itertuples(index=False, name=None))


def test_the_correlation_is_of_the_ranks_of_the_pairs_that_count() -> None:
    eligible = ELIGIBLE.copy()
    eligible[[0, 29]] = False
    first = nearest_by_matrix(Z, HEAD, "cosine", eligible).iloc[0]
    at = np.triu_indices(28, k=1)
    inside = [
        ranks(context_similarity(Z[head], "cosine")[1:29, 1:29][at])
        for head in (HEAD, Head.of_row(first["layer"], first["head"]))
    ]
    assert first["correlation"] == pytest.approx(float(correlation(*inside)), abs=1e-6)


def test_the_closest_in_statistics_is_a_copy_and_the_distance_is_of_z_scores() -> None:
    heads = heads_table()
    heads.loc[5, list(FEATURES)] = heads.loc[0, list(FEATURES)].to_numpy()
    of = Head.of_row(*heads.loc[0, ["layer", "head"]])
    nearest = nearest_by_statistics(heads, of)
    assert nearest.loc[0, ["layer", "head"]].tolist() == heads.loc[5, ["layer", "head"]].tolist()
    assert nearest["distance"][0] == 0 and nearest["distance"].is_monotonic_increasing
    scores = (heads[list(FEATURES)] - heads[list(FEATURES)].mean()) / heads[list(FEATURES)].std(ddof=0)
    distances = np.sqrt(((scores - scores.loc[0]) ** 2).sum(axis=1))
    assert nearest["distance"][1] == pytest.approx(np.sort(distances)[2])
    assert nearest["chance_distance"][0] == pytest.approx(distances[1:].mean())
