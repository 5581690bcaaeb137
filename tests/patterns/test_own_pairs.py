"""Pairs of the reader's own get the score of their percentile among pairs of like distance."""

from collections.abc import Sequence

import pytest

import attn_core
from attn_core.patterns.own_pairs import Place, score_pairs
from attn_core.patterns.scores import like_distances
from tests.families import TEXT, Folder


@pytest.fixture(scope="module")
def analysis(tiny_folder: Folder) -> attn_core.Analysis:
    return attn_core.analyze(TEXT, str(tiny_folder("bert")), attn_core.Settings("cosine"))


def test_the_score_is_the_percentile_among_pairs_of_like_distance(analysis: attn_core.Analysis) -> None:
    first, second = 2, 9
    table = score_pairs(analysis, [(second, first)])
    assert len(table) == len(analysis.heads) and (table["pairs"] == 1).all()
    row = table.iloc[4]
    matrix = analysis.similarity(f"L{row['layer']:.0f}H{row['head']:.0f}")
    low, high = like_distances(second - first, len(matrix))
    alike = [matrix[i, j] for i in range(len(matrix)) for j in range(i + low, min(i + high + 1, len(matrix)))]
    own = matrix[first, second]
    below = sum(int(one < own) + int(one <= own) for one in alike)
    assert row["score"] == pytest.approx(below / (2 * len(alike)), abs=0.02)


def test_a_word_stands_for_every_place_that_reads_so(analysis: attn_core.Analysis) -> None:
    tokens = analysis.tokens["token"].tolist()
    word = next(one for one in tokens if tokens.count(one) == 2 and one.isalpha())
    first, second = (at for at, token in enumerate(tokens) if token == word)
    assert score_pairs(analysis, [(word, word)]).equals(score_pairs(analysis, [(first, second)]))


@pytest.mark.parametrize(
    ("pairs", "told"),
    [([("nowhere", 1)], "no token"), ([(1, 10_000)], "not in the window"), ([(3, 3)], "no pair"), ([], "no pair")],
)
def test_what_is_not_in_the_window_is_refused(
    analysis: attn_core.Analysis, pairs: Sequence[tuple[Place, Place]], told: str
) -> None:
    with pytest.raises(attn_core.InputError, match=told):
        score_pairs(analysis, pairs)
