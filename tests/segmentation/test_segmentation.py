"""Segmentation with the real model, on gold texts built from the sample texts."""

from itertools import product

import numpy as np
import pytest

from attn_core.errors import TextError
from attn_core.models.capture import capture
from attn_core.models.records import LoadedModel
from attn_core.segmentation import (
    METHODS,
    SentenceOutputs,
    encode_sentences,
    head_power,
    score,
    segment,
    segment_table,
    these_heads,
    usual_heads,
)
from attn_core.segmentation.sentences import MODES, Mode
from attn_core.texts.documents import SAMPLES_FOLDER, Document, read_document
from attn_core.texts.passages import read_passages
from tests.families import Tiny
from tests.quick import quick_only

WORDS = ("tide", "boat", "rope", "tea", "pier", "sea")


@pytest.fixture(scope="module")
def three_topics() -> Document:
    document = read_document((SAMPLES_FOLDER / "three_topics.txt").read_text(encoding="utf-8"))
    assert document.gold
    return document


@pytest.fixture(scope="module")
def six_topics() -> Document:
    return read_document((SAMPLES_FOLDER / "six_topics.txt").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def six_read(minilm: LoadedModel, six_topics: Document) -> dict[Mode, SentenceOutputs]:
    return {mode: encode_sentences(minilm, six_topics, mode) for mode in MODES}


def test_a_sentence_alone_has_the_mean_of_its_own_head_outputs(minilm: LoadedModel, three_topics: Document) -> None:
    outputs = encode_sentences(minilm, three_topics, "alone")
    (passage,) = read_passages(read_document(three_topics.sentence(3)), minilm.tokenizer, minilm.max_tokens)
    (alone,) = capture(minilm, [passage])
    expected = alone.z[:, :, ~passage.is_special].mean(dim=2).numpy()
    np.testing.assert_allclose(outputs.vectors[:, :, 3], expected, atol=2e-5)
    assert outputs.tokens[3] == (~passage.is_special).sum()
    received = alone.received[..., passage.is_separator].sum(-1).numpy() * len(passage)
    np.testing.assert_allclose(outputs.separator_attention[:, :, 3], received, rtol=1e-3)


@pytest.mark.parametrize("mode", MODES)
def test_every_sentence_of_a_long_text_is_read(six_read: dict[Mode, SentenceOutputs], mode: Mode) -> None:
    outputs = six_read[mode]
    assert outputs.vectors.shape == (6, 12, len(outputs.document.sentences), 32)
    assert (np.linalg.norm(outputs.vectors, axis=-1) > 0).all()
    assert (outputs.tokens > 0).all()
    np.testing.assert_array_equal(outputs.tokens, six_read["alone"].tokens)


def test_a_sentence_longer_than_a_window_is_read_in_pieces(tiny_model: Tiny) -> None:
    model, long = tiny_model("bert"), "the tide " * 150 + "."
    document = read_document(f"{long}\nA short one.", sentences="lines")
    tokens = len(model.tokenizer(long, add_special_tokens=False).input_ids)
    assert tokens > 2 * model.max_tokens
    for mode in MODES:
        outputs = encode_sentences(model, document, mode)
        assert outputs.tokens[0] == tokens
        assert np.isfinite(outputs.vectors).all()


def test_progress_counts_windows(minilm: LoadedModel, three_topics: Document) -> None:
    seen: list[tuple[int, int]] = []
    encode_sentences(minilm, three_topics, "alone", lambda done, total: seen.append((done, total)))
    assert seen[0] == (0, len(three_topics.sentences))
    assert seen == sorted(seen)


@pytest.mark.parametrize("text", ["One sentence only.", "Two sentences. That is all.", "A!"])
def test_the_shortest_texts_are_segmented_too(minilm: LoadedModel, text: str) -> None:
    document = read_document(text)
    read = {mode: encode_sentences(minilm, document, mode) for mode in {method.mode or "alone" for method in METHODS}}
    for method, segments in product(METHODS, (None, 1, 5)):
        outputs = read[method.mode or "alone"]
        segmentation = segment(method, outputs, segments=segments)
        assert segmentation.number <= len(document.sentences)
        assert len(segmentation.gap_scores) == len(document.sentences) - 1
        assert segments != 1 or segmentation.boundaries == ()


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_a_given_number_is_kept_and_the_table_covers_the_text(
    six_topics: Document, six_read: dict[Mode, SentenceOutputs], method
) -> None:
    segmentation = segment(method, six_read[method.mode or "alone"], segments=6)
    assert (segmentation.number, segmentation.number_from) == (6, "given")
    table = segment_table(six_topics, [segmentation])
    assert list(table.columns) == ["method", "segment", "start", "end", "first_sentence", "last_sentence"]
    assert list(table["segment"]) == [1, 2, 3, 4, 5, 6]
    assert table["first_sentence"].tolist() == [1, *(table["last_sentence"][:-1] + 1)]
    assert (table["start"].iloc[0], table["end"].iloc[-1]) == (six_topics.sentences[0][0], six_topics.sentences[-1][1])


@pytest.mark.parametrize("name", ["partition", "partition_heads", "partition_embeddings"])
def test_partitions_find_the_topics_of_the_samples(
    six_topics: Document, six_read: dict[Mode, SentenceOutputs], name: str
) -> None:
    outputs = six_read["alone"]
    assert six_topics.gold
    chance = np.mean(
        [
            score(six_topics.gold, segment("even_cuts", outputs, segments=n).boundaries, len(outputs)).pk
            for n in (5, 6, 7)
        ]
    )
    segmentation = segment(name, outputs, segments=6)
    assert score(six_topics.gold, segmentation.boundaries, len(outputs)).pk < chance / 2


def test_the_number_is_found(six_read: dict[Mode, SentenceOutputs]) -> None:
    segmentation = segment("partition_heads", six_read["alone"])
    assert segmentation.number_from == "method" and 3 <= segmentation.number <= 12


@pytest.mark.parametrize("name", quick_only(["abstract", "long_story"], "abstract"))
def test_prose_on_one_topic_is_one_segment(minilm: LoadedModel, name: str) -> None:
    document = read_document((SAMPLES_FOLDER / f"{name}.txt").read_text(encoding="utf-8"))
    outputs = encode_sentences(minilm, document, "alone")
    for method in ("partition", "partition_embeddings"):
        assert segment(method, outputs).number == 1


def test_sentences_in_random_order_give_heads_no_power(six_read: dict[Mode, SentenceOutputs]) -> None:
    vectors = six_read["alone"].vectors
    order = np.random.default_rng(0).permutation(vectors.shape[2])
    assert head_power(vectors).mean() > 3 * abs(head_power(vectors[:, :, order]).mean())


def test_heads_weigh_by_the_fourth_power_and_alike_in_a_short_text(
    tiny_model: Tiny, six_read: dict[Mode, SentenceOutputs]
) -> None:
    choice = usual_heads(six_read["alone"])
    raised = np.maximum(choice.power, 0) ** 4
    assert (choice.power < 0).any()
    np.testing.assert_allclose(choice.weights, raised / raised.sum())
    for sentences, alike in ((29, True), (30, False)):
        document = read_document(
            "\n".join(f"The {WORDS[n % 6]} and the {WORDS[n // 6]} rose." for n in range(sentences)), sentences="lines"
        )
        weights = usual_heads(encode_sentences(tiny_model("bert"), document, "alone")).weights
        assert weights.sum() == pytest.approx(1)
        assert (np.ptp(weights) < 1e-12) == alike
    np.testing.assert_allclose(these_heads([(0, 1)], 2, 2).weights, [[0, 1], [0, 0]])
    with pytest.raises(TextError, match="at least one head"):
        these_heads([], 2, 2)


def test_a_method_refuses_sentences_that_were_read_otherwise(six_read: dict[Mode, SentenceOutputs]) -> None:
    with pytest.raises(TextError, match="separated"):
        segment("separator_attention", six_read["alone"])
    with pytest.raises(TextError, match="no method"):
        segment("astrology", six_read["alone"])
