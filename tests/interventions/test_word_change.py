"""Another word in a text: how words are aligned, what counts as changed, and what other words do."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from attn_core.errors import InputError
from attn_core.head import Head
from attn_core.interventions.effects import MOST, matrix_changes
from attn_core.interventions.word_change import (
    Edit,
    aligned,
    beside_chance,
    other_words,
    read_edited,
    read_words,
    word_changes,
)
from attn_core.models.records import LoadedModel
from attn_core.similarity.strong_pairs import Settings
from attn_core.texts.documents import read_document
from tests.families import IN_SHORT as TEXT
from tests.families import Tiny

DOCUMENT = read_document(TEXT)
SETTINGS = Settings(share=0.05, unit="words")


def edit(word: str, new: str) -> Edit:
    return Edit(TEXT.index(word), TEXT.index(word) + len(word), new)


def changed(model: LoadedModel, change: Edit) -> pd.DataFrame:
    before = read_words(model, DOCUMENT, "plain", 1, SETTINGS)
    return word_changes(before, read_edited(model, DOCUMENT, change, "plain", 1, SETTINGS), change, SETTINGS)


@pytest.mark.parametrize("new", ["sea", "harbourmaster", "boat"])
def test_words_are_aligned_behind_the_change_too(tiny_model: Tiny, new: str) -> None:
    model, change = tiny_model("bert"), edit("pier", new)
    before = read_words(model, DOCUMENT, "plain", 1, SETTINGS).passage
    after = read_edited(model, DOCUMENT, change, "plain", 1, SETTINGS).passage
    first, second = aligned(before, after, change)
    own = [before.surface(at) for at in first]
    theirs = [after.surface(at) for at in second]
    assert len(own) == len(before)
    assert [(a, b) for a, b in zip(own, theirs, strict=True) if a != b] == [("pier", new)]


def test_two_words_in_place_of_one_leave_it_out(tiny_model: Tiny) -> None:
    model, change = tiny_model("bert"), edit("pier", "stone wall")
    before = read_words(model, DOCUMENT, "plain", 1, SETTINGS).passage
    after = read_edited(model, DOCUMENT, change, "plain", 1, SETTINGS).passage
    first, second = aligned(before, after, change)
    assert len(first) == len(before) - 1 and len(after) == len(before) + 1
    assert [before.surface(at) for at in first] == [after.surface(at) for at in second]


def test_the_same_word_changes_nothing(tiny_model: Tiny) -> None:
    found = changed(tiny_model("bert"), edit("pier", "pier"))
    assert found["matrix_change"].to_numpy() == pytest.approx(0, abs=1e-6)
    assert (found["pair_change"] == 0).all() and not found["anchor_changed"].any()


def test_changes_are_those_of_a_slow_count(tiny_model: Tiny) -> None:
    model, change = tiny_model("bert"), edit("tide", "tea")
    before = read_words(model, DOCUMENT, "plain", 1, SETTINGS)
    after = read_edited(model, DOCUMENT, change, "plain", 1, SETTINGS)
    found = word_changes(before, after, change, SETTINGS).set_index(["layer", "head"])
    assert len(before.passage) == len(after.passage)  # so that a word has one place in both
    i, j = np.triu_indices(len(before.passage), k=1)
    for head in (Head(0, 0), Head(1, 3), Head(2, 2)):
        z = [np.asarray(one.z[head]) for one in (before, after)]
        alike = [(one @ one.T)[i, j] for one in z]
        assert found.loc[head.row, "matrix_change"] == pytest.approx(1 - spearmanr(*alike).statistic, abs=1e-5)
        strong = [
            set(zip(one.pairs.first[head].tolist(), one.pairs.second[head].tolist(), strict=True))
            for one in (before, after)
        ]
        gone = len(strong[0] - strong[1]) / len(strong[0])
        assert found.loc[head.row, "pair_change"] == pytest.approx(gone)
    assert found["matrix_change"].max() > 0.001


def test_other_words_are_of_the_text_and_neither_the_old_nor_the_new_one(tiny_model: Tiny) -> None:
    passage = read_words(tiny_model("bert"), DOCUMENT, "plain", 1, SETTINGS).passage
    change = edit("tide", "Tea")
    found = other_words(passage, change)
    assert len(found) == len(set(found)) == 10
    assert {"tide", "tea"} & {word.casefold() for word in found} == set()
    assert all(word in TEXT and word.isalpha() for word in found)
    assert found == other_words(passage, change)


def test_heads_are_sorted_by_what_exceeds_chance() -> None:
    def table(matrix: list[float]) -> pd.DataFrame:
        return pd.DataFrame({"layer": 1, "head": [1, 2, 3], "matrix_change": matrix, "pair_change": 0.5})

    found = beside_chance(table([0.3, 0.2, 0.1]), [table([0.4, 0.1, 0.1]), table([0.2, 0.0, 0.2])])
    assert found["head"].tolist() == [2, 1, 3]
    assert found["excess"].tolist() == pytest.approx([0.15, 0, -0.05])
    assert found["others_below"].tolist() == [2, 1, 0]


def test_no_word_and_too_little_text_are_refused(tiny_model: Tiny) -> None:
    with pytest.raises(InputError, match="Type the word"):
        edit("tide", "  ").of(TEXT)
    model, short, change = tiny_model("bert"), read_document("The tide."), Edit(4, 8, "sea food")
    before = read_words(model, short, "plain", 1, SETTINGS)
    after = read_edited(model, short, change, "plain", 1, SETTINGS)
    with pytest.raises(InputError, match="fewer than three words"):
        word_changes(before, after, change, SETTINGS)


def test_a_matrix_is_compared_over_tokens_that_are_spread_evenly() -> None:
    rng = np.random.default_rng(0)
    before, after = rng.normal(size=(2, 2, 3, 500, 4)).astype(np.float32)
    found = matrix_changes(before, after, "dot", np.arange(500))
    at = np.linspace(0, 499, MOST).round().astype(int)
    i, j = np.triu_indices(MOST, k=1)
    slow = [(z[1, 2][at] @ z[1, 2][at].T)[i, j] for z in (before, after)]
    assert found.shape == (2, 3)
    assert found[1, 2] == pytest.approx(1 - spearmanr(*slow).statistic, abs=1e-5)
    assert matrix_changes(before, 2 * before, "dot", np.arange(500)) == pytest.approx(0, abs=1e-9)
