"""Heads of one model matched with heads of another, over the words that both read."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.stats import spearmanr

from attn_core.analysis.reading import Reading, read, word_reading
from attn_core.comparison import match
from attn_core.comparison.match import common_words, match_heads
from attn_core.head import Head
from attn_core.similarity.context_similarity import context_similarity
from attn_core.similarity.strong_pairs import MEASURES, Measure
from attn_core.texts.documents import read_document
from attn_core.texts.passages import Layout
from tests.families import TEXT, Tiny

Readings = Callable[..., Reading]


@pytest.fixture(scope="module")
def reading(tiny_model: Tiny) -> Readings:
    @cache
    def of(family: str, text: str = TEXT, layout: Layout = "plain") -> Reading:
        return read(tiny_model(family), read_document(text), layout)

    return of


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("family", ["bert", "gpt2", "t5"])
def test_a_model_matches_itself_head_by_head(measure: Measure, family: str, reading: Readings) -> None:
    matched = match_heads(reading(family), reading(family), (measure, measure))
    np.testing.assert_array_equal(matched.best, np.arange(12))
    np.testing.assert_allclose(matched.value, 1, atol=1e-5)
    np.testing.assert_allclose(matched.correlation, matched.correlation.T, atol=1e-6)
    table = matched.table()
    assert (table[["layer", "head"]].to_numpy() == table[["best_layer", "best_head"]].to_numpy()).all()
    assert table["mutual"].all() and table["above_chance"].all()


def test_a_match_is_spearman_s_over_the_same_words(reading: Readings) -> None:
    """Against scipy, an encoder that cuts words in one way with a decoder that cuts them in another."""
    first, second = (word_reading(reading(family)) for family in ("bert", "gpt2"))
    matched = match_heads(reading("bert"), reading("gpt2"), ("dot", "cosine"))
    common = common_words(first, second)
    assert matched.words == sum(len(own) for (_, own), _ in common)
    for head, other in ((Head(0, 1), Head(2, 3)), (Head(2, 0), Head(1, 1))):
        total = weight = 0.0
        for (window, own), (other_window, theirs) in common:
            i, j = np.triu_indices(len(own), k=1)
            x = context_similarity(first.outputs[window].z[head], "dot")
            y = context_similarity(second.outputs[other_window].z[other], "cosine")
            rho = spearmanr(x[own[i], own[j]], y[theirs[i], theirs[j]]).statistic
            total, weight = total + len(i) * rho, weight + len(i)
        assert matched.correlation[head[0] * 4 + head[1], other[0] * 4 + other[1]] == pytest.approx(
            total / weight, abs=1e-5
        )


def test_the_words_in_common_are_the_same_ones_of_the_text(reading: Readings) -> None:
    long = " ".join([TEXT, "And the sea was calm."] * 3)
    first, second = (word_reading(reading(family, long)) for family in ("bert", "t5"))
    assert len(first.passages) > len(second.passages)  # with room for less
    for (window, i), (other_window, j) in common_words(first, second):
        own, theirs = first.passages[window].at(i), second.passages[other_window].at(j)
        assert own.tokens == theirs.tokens
        np.testing.assert_array_equal(own.starts, theirs.starts)


def test_a_shuffled_text_is_matched_word_by_word_wherever_they_stand(reading: Readings) -> None:
    first, second = (word_reading(reading("bert", TEXT, layout)) for layout in ("plain", "shuffled"))
    (window, i), (other_window, j) = common_words(first, second)[0]
    assert first.passages[window].at(i).tokens == second.passages[other_window].at(j).tokens
    assert j.tolist() != sorted(j)


def test_permuted_words_are_above_the_threshold_no_more_often_than_is_said(reading: Readings) -> None:
    """Each of 400 permutations in place of the models: in 5 % of them a head is above the threshold, and no more."""
    matched = match_heads(reading("bert"), reading("gpt2"))
    assert abs(matched.by_chance.mean()) < 0.1 and matched.chance < matched.threshold
    null = match_heads(reading("bert"), reading("gpt2"), draws=400, seed=7).by_chance
    above = [replace(matched, correlation=drawn).table()["above_chance"].to_numpy() for drawn in null]
    error = 0.05  # of the threshold, of 99 draws, at 2 sd
    assert np.mean([heads.any() for heads in above]) <= match.FALSE + error
    assert max(heads.mean() for heads in above) > 0  # it can be exceeded
    assert replace(matched, by_chance=matched.by_chance[:18]).threshold == np.inf
    draws = np.arange(99.0).reshape(-1, 1, 1)
    assert replace(matched, by_chance=draws).threshold == 94  # the fifth largest of 99, since 5 is 5 % of 100
    assert replace(matched, by_chance=draws[:19]).threshold == 18


def test_heads_that_make_all_words_alike_match_none(reading: Readings) -> None:
    one = word_reading(reading("bert"))
    flat = tuple(replace(out, z=np.ones_like(out.z)) for out in one.outputs)
    np.testing.assert_array_equal(match_heads(one, replace(one, outputs=flat)).correlation, 0)
