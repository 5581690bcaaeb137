"""What two heads share."""

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_core.head import Head, every_head
from attn_core.measures.comparison import (
    NEAREST,
    matrix_correlation,
    nearest_by_matrix,
    overlap_count,
    overlap_of_all,
    pair_overlap,
    pair_ranks,
    side_by_side,
    strongest_in_context,
)
from attn_core.measures.statistics import STATISTICS
from attn_core.measures.tally import Tally
from attn_core.numerics.ranks import correlation, ranks
from attn_core.similarity.context_similarity import context_similarity
from attn_core.similarity.strong_pairs import StrongPairs
from tests.measures.made_up import all_pairs, chosen_pairs, made_pairs, made_passage, windows

A, B = Head(0, 1), Head(1, 0)


@given(windows())
def test_overlap_is_the_share_of_pairs_that_both_heads_chose(by_window: list[StrongPairs]) -> None:
    shared = sum(len({*chosen_pairs(w, *A)} & {*chosen_pairs(w, *B)}) for w in by_window)
    strong = sum(w.shape[2] for w in by_window)
    overlap, chance = pair_overlap(by_window, A, B)
    assert overlap == pytest.approx(shared / strong)
    assert chance == pytest.approx(sum(w.shape[2] * w.shape[2] / len(all_pairs(w)) for w in by_window) / strong)


@given(windows())
def test_the_overlap_of_all_heads_is_that_of_every_two(by_window: list[StrongPairs]) -> None:
    overlap, chance = overlap_of_all(by_window)
    heads = every_head(*by_window[0].shape[:2])
    for (row, a), (column, b) in product(enumerate(heads), repeat=2):
        assert (overlap[row, column], chance) == pytest.approx(pair_overlap(by_window, a, b))


@given(windows())
def test_the_overlap_of_heads_is_the_mean_over_all_pairs_of_heads_of_a_layer(by_window: list[StrongPairs]) -> None:
    layers, heads, _ = by_window[0].shape
    tally = Tally()
    tally.add_each("overlap", [overlap_count(window) for window in by_window])
    for layer in range(layers):
        of_layer = [
            pair_overlap(by_window, Head(layer, a), Head(layer, b))[0] for a, b in combinations(range(heads), 2)
        ]
        assert tally.value("overlap")[layer] == pytest.approx(np.mean(of_layer))
    assert tally.chance("overlap") == pytest.approx(pair_overlap(by_window, A, B)[1], abs=1e-7)


def symmetric(n: int, seed: int) -> np.ndarray:
    half = np.random.default_rng(seed).normal(size=(n, n)).astype(np.float32)
    return half + half.T


@given(st.integers(3, 9), st.integers(0, 1000))
def test_correlation_is_pearsons_over_the_pairs_above_the_diagonal(n: int, seed: int) -> None:
    a, b = symmetric(n, seed), symmetric(n, seed + 1)
    eligible = np.arange(n) % 3 > 0 if n > 4 else np.ones(n, dtype=bool)
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n) if eligible[i] and eligible[j]]
    x, y = (np.array([m[i, j] for i, j in pairs], dtype=float) for m in (a, b))
    dx, dy = x - x.mean(), y - y.mean()
    expected = (dx * dy).sum() / np.sqrt((dx**2).sum() * (dy**2).sum())
    assert matrix_correlation(a, b, eligible) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("value", [0.0, 0.1, 1 / 3, 1e9])
@pytest.mark.parametrize("n", [3, 10, 45])
def test_a_constant_matrix_correlates_with_nothing(value: float, n: int) -> None:
    constant, everyone = np.full((n, n), value), np.ones(n, dtype=bool)
    assert matrix_correlation(constant, symmetric(n, 0), everyone) == 0
    assert matrix_correlation(constant, constant, everyone) == 0


def test_ranks_run_from_the_least_alike_pair_to_the_most_alike_and_equal_pairs_share_theirs() -> None:
    matrix = np.zeros((4, 4))
    for (i, j), value in zip(combinations(range(4), 2), [5, 9, 9, 1, 7, 3], strict=True):
        matrix[i, j] = matrix[j, i] = value
    ranks = pair_ranks(matrix, np.ones(4, dtype=bool))
    assert [ranks[pair] for pair in combinations(range(4), 2)] == pytest.approx([0.4, 0.9, 0.9, 0, 0.6, 0.2])
    assert np.isnan(np.diag(ranks)).all() and np.allclose(ranks, ranks.T, equal_nan=True)


def test_side_by_side_tells_every_statistic_of_both_heads_and_their_difference() -> None:
    values = {c: [1.0, 4.0, 9.0, 16.0] for s in STATISTICS for c in (s.name, s.chance)}
    table = side_by_side(pd.DataFrame({"layer": [1, 1, 2, 2], "head": [1, 2, 1, 2], **values}), A, B)
    assert list(table) == [
        "statistic", "question", "unit", "first_head", "first_value", "first_chance", "second_head", "second_value",
        "second_chance", "difference",
    ]  # fmt: skip
    assert table["statistic"].tolist() == [s.label for s in STATISTICS]
    assert (table["first_head"] == str(A)).all()
    assert (table["first_value"] == 4).all() and (table["second_value"] == 9).all()
    assert (table["difference"] == -5).all()


def test_the_strongest_pairs_come_with_their_tokens_and_their_words_around() -> None:
    window = made_pairs(made_passage([0, 1, 3, 5]), [[[(1, 3), (0, 1), (2, 3)]]])
    table = strongest_in_context(window, Head(0, 0), number=2)
    assert table[["first", "second", "distance"]].to_numpy().tolist() == [[1, 3, 2], [0, 1, 1]]
    assert table["first_token"].tolist() == ["rope", "tide"]
    assert table["second_token"].tolist() == ["pier", "rope"]
    assert table["second_context"].tolist() == ["…boat ‹pier›", "tide ‹rope› boat …"]


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
