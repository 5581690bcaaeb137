"""How far the embedding moves for a word that is dropped, and for another text."""

import numpy as np
import pytest

from attn_core.interventions.yardstick import beside_samples, embedding, without_one_word, yardstick
from attn_core.models.records import LoadedModel
from attn_core.texts.documents import read_document
from attn_core.texts.passages import Passage, read_passages
from tests.families import TEXT, Tiny


@pytest.fixture
def window(tiny_model: Tiny) -> tuple[LoadedModel, Passage]:
    model = tiny_model("bert")
    return model, read_passages(read_document(TEXT, "en"), model.tokenizer, model.max_tokens)[0]


def test_each_copy_lacks_the_tokens_of_one_word(window: tuple[LoadedModel, Passage]) -> None:
    _, passage = window
    copies = without_one_word(passage, most=5)
    assert len(copies) == 5 and {len(passage) - len(one) for one in copies} >= {1}
    for one in copies:
        gone = [token for token in passage.starts.tolist() if token not in one.starts.tolist()]
        assert gone and one.is_special.sum() == passage.is_special.sum()


def test_the_same_text_is_no_move_and_the_means_are_those_of_single_readings(
    window: tuple[LoadedModel, Passage],
) -> None:
    model, passage = window
    found = yardstick(model, passage, [passage])
    assert found.text == pytest.approx(0, abs=1e-12) and found.texts == 1
    own, first = embedding(model, passage), embedding(model, without_one_word(passage, 1)[0])
    cosine = own @ first / np.linalg.norm(own) / np.linalg.norm(first)
    assert yardstick(model, passage, []).words == 12
    one = [
        1 - own @ other / np.linalg.norm(own) / np.linalg.norm(other)
        for other in (embedding(model, copy) for copy in without_one_word(passage))
    ]
    assert found.word == pytest.approx(np.mean(one)) and one[0] == pytest.approx(1 - cosine)


def test_the_sentence_says_what_is_known(window: tuple[LoadedModel, Passage]) -> None:
    found = beside_samples(*window, "plain")
    assert found.texts == 4 and found.text > 0
    assert found.sentence.startswith("For comparison: one word dropped moves it by ")
    assert found.sentence.endswith("(mean of 4).")
    assert "another text" not in yardstick(*window, []).sentence
