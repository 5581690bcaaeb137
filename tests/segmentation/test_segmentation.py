"""Segmentation with the real model, on gold texts built from the sample texts."""

from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_core.models.capture import capture, last_states
from attn_core.models.records import LoadedModel
from attn_core.segmentation import METHODS, SentenceOutputs, score, segment, segment_table
from attn_core.segmentation.methods import texttiling
from attn_core.segmentation.vectors import head_power, weights_of
from attn_core.texts.documents import SAMPLES_FOLDER, Document, read_document
from attn_core.texts.passages import read_passages
from tests.families import Tiny


def sample(name: str) -> Document:
    return read_document((SAMPLES_FOLDER / f"{name}.txt").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def three(minilm: LoadedModel) -> SentenceOutputs:
    return SentenceOutputs(minilm, sample("three_topics"))


@pytest.fixture(scope="module")
def six(minilm: LoadedModel) -> SentenceOutputs:
    return SentenceOutputs(minilm, sample("six_topics"))


def test_a_sentence_alone_has_the_mean_of_its_own_head_outputs(minilm: LoadedModel, three: SentenceOutputs) -> None:
    (passage,) = read_passages(read_document(three.document.sentence(3)), minilm.tokenizer, minilm.max_tokens)
    (alone,) = capture(minilm, [passage])
    expected = alone.z[:, :, ~passage.is_special].mean(dim=2).numpy()
    np.testing.assert_allclose(three.vectors[:, :, 3], expected, atol=2e-5)
    assert three.tokens[3] == (~passage.is_special).sum()
    embedding = last_states(minilm, [passage])[0].mean(dim=0).numpy()
    np.testing.assert_allclose(three.embeddings[3], embedding, atol=2e-5)


def test_separators_receive_what_the_windows_say(minilm: LoadedModel, three: SentenceOutputs) -> None:
    windows = read_passages(three.document, minilm.tokenizer, minilm.max_tokens, "separated")
    of_third = windows[0].is_separator & (windows[0].sentences == 3)
    received = capture(minilm, [windows[0]])[0].received[..., of_third].sum(-1).numpy() * len(windows[0])
    np.testing.assert_allclose(three.separator_attention[:, :, 3], received, rtol=1e-3)
    assert (three.separator_attention > 0).all()


def test_of_a_sentence_longer_than_a_window_the_beginning_is_read(tiny_model: Tiny) -> None:
    model, long = tiny_model("bert"), "the tide " * 150 + "."
    document = read_document(f"{long}\nA short one.")
    outputs = SentenceOutputs(model, document)
    assert outputs.tokens[0] == model.max_tokens - 2 and outputs.tokens[1] < 9
    assert np.isfinite(outputs.vectors).all() and np.isfinite(outputs.separator_attention).all()


@pytest.mark.parametrize("text", ["One sentence only.", "Two sentences. That is all.", "A!"])
def test_the_shortest_texts_are_segmented_too(minilm: LoadedModel, text: str) -> None:
    document = read_document(text)
    outputs = SentenceOutputs(minilm, document)
    for method, segments in product(METHODS, (None, 1, 5)):
        boundaries = segment(method, outputs, segments=segments)
        assert len(boundaries) < len(document.sentences)
        assert segments != 1 or boundaries == ()


def test_the_table_covers_the_text(six: SentenceOutputs) -> None:
    table, sentences = segment_table(six.document, {"partition": segment("partition", six, 6)}), six.document.sentences
    assert list(table["segment"]) == [1, 2, 3, 4, 5, 6]
    assert table["first_sentence"].tolist() == [1, *(table["last_sentence"][:-1] + 1)]
    assert (table["start"].iloc[0], table["end"].iloc[-1]) == (sentences[0][0], sentences[-1][1])


@pytest.mark.parametrize("name", ["partition", "partition_heads", "partition_embeddings"])
def test_partitions_find_the_topics_of_the_samples(six: SentenceOutputs, name: str) -> None:
    def pk(method: str, segments: int) -> float:
        return score(six.document.gold or (), segment(method, six, segments), len(six)).pk

    assert pk(name, 6) < np.mean([pk("even_cuts", number) for number in (5, 6, 7)]) / 2
    assert 3 <= len(segment(name, six)) + 1 <= 12


def test_prose_on_one_topic_is_one_segment(minilm: LoadedModel) -> None:
    outputs = SentenceOutputs(minilm, sample("abstract"))
    for method in ("partition", "partition_embeddings"):
        assert segment(method, outputs) == ()


def test_heads_weigh_by_the_fourth_power_and_alike_in_a_short_text(six: SentenceOutputs) -> None:
    raised = np.maximum(six.head_power, 0) ** 4
    assert (six.head_power < 0).any()
    np.testing.assert_allclose(six.head_weights, raised / raised.sum())
    for sentences, alike in ((29, True), (30, False)):
        weights = weights_of(head_power(six.vectors[:, :, :sentences]), sentences)
        assert weights.sum() == pytest.approx(1)
        assert (np.ptp(weights) < 1e-12) == alike


def test_without_a_number_separators_count_that_get_a_deviation_more_than_the_mean() -> None:
    for attention, found in (([0.0, 0.0, 4.0, 0.0, 9.0], (3,)), ([0.0, 1.0, 2.0, 9.0], (3,)), ([1.0] * 4, ())):
        outputs: Any = SimpleNamespace(separator_attention=np.array([[attention]]))
        assert METHODS["separator_attention"].cut(outputs, np.arange(len(attention)), None) == found


@given(st.integers(1, 40), st.data())
def test_even_cuts_are_as_many_as_asked(size: int, data: st.DataObject) -> None:
    segments = data.draw(st.integers(1, size))
    outputs: Any = range(size)
    boundaries = METHODS["even_cuts"].cut(outputs, np.arange(size), segments)
    assert len(set(boundaries)) == segments - 1 and set(boundaries) <= {*range(1, size)}


def test_texttiling_gives_a_depth_for_every_gap() -> None:
    sea = "The tide lifts the boat and the sailor ties the boat to the harbour wall before the tide turns."
    bread = "The baker folds the dough and lets the dough rest while the oven heats the bakery slowly."
    depths, boundaries = texttiling(read_document("\n".join([sea] * 12 + [bread] * 12)), np.arange(1, 24))
    assert len(depths) == 23
    assert any(abs(boundary - 12) <= 1 for boundary in boundaries)
    assert texttiling(read_document("One. Two."), np.array([1]))[1] == ()
