"""What two heads have in common."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from attn_core.head import Head, every_head
from attn_core.measures.comparison import (
    NEAREST,
    matrix_correlation,
    nearest_by_matrix,
    nearest_by_pairs,
    overlap_count,
    overlap_of_all,
    pair_overlap,
    side_by_side,
    strongest_in_context,
)
from attn_core.measures.statistics import STATISTICS
from attn_core.measures.tally import Tally
from attn_core.similarity.context_similarity import context_similarity
from attn_core.similarity.strong_pairs import StrongPairs
from tests.measures.made_up import HEADS, LAYERS, all_pairs, chosen_pairs, made_pairs, made_passage, windows

A, B = Head(0, 1), Head(1, 0)


@given(windows())
def test_overlap_is_the_share_of_pairs_that_both_heads_chose(by_window: list[StrongPairs]) -> None:
    strong = sum(w.shape[2] for w in by_window)
    by_chance = sum(w.shape[2] * w.shape[2] / len(all_pairs(w)) for w in by_window) / strong
    overlap, chance = overlap_of_all(by_window)
    assert chance == pytest.approx(by_chance)
    for (row, a), (column, b) in product(enumerate(every_head(LAYERS, HEADS)), repeat=2):
        shared = sum(len({*chosen_pairs(w, *a)} & {*chosen_pairs(w, *b)}) for w in by_window)
        assert overlap[row, column] == pytest.approx(shared / strong)
        assert pair_overlap(by_window, a, b) == pytest.approx((shared / strong, by_chance))
    nearest = nearest_by_pairs(by_window, A)
    assert nearest != A and pair_overlap(by_window, A, nearest)[0] == pytest.approx(max(np.delete(overlap[1], 1)))
    tally = Tally()
    tally.add_each("overlap", [overlap_count(window) for window in by_window])
    assert HEADS == 2, "so that the mean over the pairs of heads of a layer is that of one pair"
    assert tally.value("overlap") == pytest.approx([overlap[0, 1], overlap[2, 3]])
    assert tally.chance("overlap") == pytest.approx(by_chance, abs=1e-7)


def test_the_overlap_of_a_layer_is_the_mean_over_every_two_of_its_heads() -> None:
    window = made_pairs(made_passage([0] * 5), [[[(0, 1), (0, 2)], [(0, 1), (3, 4)], [(0, 1), (0, 2)]]])
    count = overlap_count(window)
    assert count.numerator / count.weight == pytest.approx([(0.5 + 1 + 0.5) / 3])


def symmetric(n: int, seed: int) -> np.ndarray:
    half = np.random.default_rng(seed).normal(size=(n, n)).astype(np.float32)
    return half + half.T


@given(st.integers(3, 9), st.integers(0, 1000))
def test_correlation_is_pearsons_over_the_pairs_above_the_diagonal(n: int, seed: int) -> None:
    a, b = symmetric(n, seed), symmetric(n, seed + 1)
    eligible = np.arange(n) % 3 > 0 if n > 4 else np.ones(n, dtype=bool)
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n) if eligible[i] and eligible[j]]
    expected = stats.pearsonr(*([float(m[pair]) for pair in pairs] for m in (a, b))).statistic
    assert matrix_correlation(a, b, eligible) == pytest.approx(expected, abs=1e-9)


def test_side_by_side_has_every_statistic_of_both_heads_and_their_difference() -> None:
    names = {name: 10.0 * at for at, s in enumerate(STATISTICS) for name in (s.name, s.chance)}
    heads = pd.DataFrame([{"layer": 1, "head": 2, **names}, {"layer": 2, "head": 1, **names}])
    heads.loc[1, [s.name for s in STATISTICS]] += 5
    table = side_by_side(heads, A, B)
    assert table["statistic"].tolist() == [s.label for s in STATISTICS]
    for name in ("first_value", "first_chance", "second_chance"):
        assert table[name].tolist() == [10 * at for at in range(len(STATISTICS))]
    assert (table["second_value"] - table["first_value"] == 5).all() and (table["difference"] == -5).all()


def test_the_strongest_pairs_come_with_their_tokens_and_the_text_around() -> None:
    window = made_pairs(made_passage([0, 1, 3, 5]), [[[(1, 3), (0, 1), (2, 3)]]])
    table = strongest_in_context(window, Head(0, 0), number=2)
    assert table[["first", "second", "distance"]].to_numpy().tolist() == [[1, 3, 2], [0, 1, 1]]
    assert table[["first_token", "second_token"]].to_numpy().tolist() == [["rope", "pier"], ["tide", "rope"]]
    assert table["second_context"].tolist() == ["…boat ‹pier›", "tide ‹rope› boat …"]


def test_the_nearest_heads_are_those_of_largest_rank_correlation_of_their_pairs() -> None:
    z = np.random.default_rng(0).normal(size=(2, 4, 30, 5)).astype(np.float32)
    z[1, 3] = 7 * z[A]
    nearest = nearest_by_matrix(z, A, "dot", np.isin(np.arange(30), [0, 29], invert=True))
    pairs = np.triu_indices(28, k=1)
    similarity = {head: context_similarity(z[head])[1:29, 1:29][pairs] for head in every_head(2, 4)}
    expected = {h: stats.spearmanr(similarity[A], similarity[h]).statistic for h in similarity if h != A}
    best = sorted(expected, key=lambda head: -expected[head])[:NEAREST]
    assert best[0] == Head(1, 3) and expected[best[0]] == pytest.approx(1, abs=1e-4)
    assert nearest[["layer", "head"]].to_numpy().tolist() == [list(head.row) for head in best]
    assert nearest["correlation"].tolist() == pytest.approx([expected[head] for head in best], abs=1e-6)
