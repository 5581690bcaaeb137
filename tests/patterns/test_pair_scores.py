"""Pairs of one text: given ones, and the score in a head that other words chose."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest

import attn_core
from attn_core.models.files import ModelSpec
from attn_core.patterns.pair_scores import score_pairs, score_windows, word_halves
from attn_core.patterns.scores import WordOutputs
from tests.families import TEXT

CLIQUE = np.array(list(combinations(range(0, 60, 10), 2)))


def halves_of(pairs: np.ndarray) -> np.ndarray:
    return word_halves(np.zeros(len(pairs), dtype=int), pairs)


@pytest.mark.parametrize("pairs", [CLIQUE, np.array([(at, at + 3) for at in range(20)]), np.array([(5, 1), (7, 9)])])
def test_halves_share_no_word(pairs: np.ndarray) -> None:
    halves = halves_of(pairs)
    assert len(halves)
    for first, second in halves:
        assert first.any() and second.any()
        assert not set(pairs[first].ravel()) & set(pairs[second].ravel())
    assert halves_of(np.array([(at, at + 1) for at in range(0, 40, 2)])).any(axis=1).all(), "none is lost"


@pytest.mark.parametrize(
    "pairs", [[(3, 9)], [(3, 9), (9, 3)], [(3, at) for at in range(10, 30)], [(1, 2), (2, 3), (1, 3)]]
)
def test_what_shares_a_word_throughout_is_not_split_and_windows_share_none(pairs: list[tuple[int, int]]) -> None:
    assert not len(halves_of(np.array(pairs)))
    assert len(word_halves(np.repeat([0, 1], len(pairs)), np.array([*pairs, *pairs])))


def made_up(words: int, seed: int) -> WordOutputs:
    z = np.random.default_rng(seed).normal(size=(2, 3, words, 8)) + 1.0
    return WordOutputs(z, np.zeros((2, 3, words, words)))


def test_the_best_of_six_heads_that_see_nothing_is_at_chance_on_other_words() -> None:
    best, held_out = [], []
    for seed in range(40):
        first, second = np.random.default_rng(seed).permutation(60)[:48].reshape(2, -1).tolist()
        outputs = made_up(60, seed)
        seen = score_windows([(0, outputs, list(zip(first, second, strict=True)))])
        assert seen is not None
        best.append(seen.heads("cosine")["score"].max())
        held_out.append(seen.held_out({0: outputs}, "cosine"))
    assert np.mean(best) > 0.55
    assert abs(np.mean(held_out) - 0.5) < 3 * np.std(held_out) / np.sqrt(len(held_out))


def test_a_head_that_makes_the_pairs_alike_does_so_on_words_that_did_not_choose_it() -> None:
    outputs, pairs = made_up(60, 0), [(at, at + 4) for at in range(0, 50, 5)]
    for a, b in pairs:
        outputs.z[1, 2, b] = outputs.z[1, 2, a] + 0.1 * outputs.z[1, 2, b]
    seen, star = score_windows([(0, outputs, pairs)]), score_windows([(0, outputs, [(5, at) for at in range(10, 20)])])
    assert seen is not None and star is not None
    assert seen.heads("cosine")["score"].idxmax() == 5 and (seen.held_out({0: outputs}, "cosine") or 0) > 0.9
    assert star.held_out({0: outputs}, "cosine") is None  # all its pairs share a word


@pytest.fixture(scope="module")
def analysis(tiny: ModelSpec) -> attn_core.Analysis:
    return attn_core.analyze(TEXT, tiny.name, attn_core.Settings("cosine"))


def test_a_word_stands_for_every_place_that_reads_so(analysis: attn_core.Analysis) -> None:
    tokens = analysis.tokens["token"].tolist()
    word = next(one for one in tokens if tokens.count(one) == 2 and one.isalpha())
    first, second = (at for at, token in enumerate(tokens) if token == word)
    assert score_pairs(analysis, [(word, word)]).equals(score_pairs(analysis, [(first, second)]))


@pytest.mark.parametrize(
    ("pairs", "sentence"),
    [([("nowhere", 1)], "no token"), ([(1, 10_000)], "not in the window"), ([(3, 3)], "no pair"), ([], "no pair")],
)
def test_bad_pairs_are_refused(analysis: attn_core.Analysis, pairs: list[Any], sentence: str) -> None:
    with pytest.raises(attn_core.InputError, match=sentence):
        score_pairs(analysis, pairs)
