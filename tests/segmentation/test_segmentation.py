"""Segmentation with the real model, on gold texts built from the sample texts."""

from hashlib import sha256
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from attn_core.errors import TextError
from attn_core.models.capture import capture
from attn_core.models.records import LoadedModel
from attn_core.segmentation import (
    METHODS,
    SentenceOutputs,
    calibrate,
    default_heads,
    encode_sentences,
    head_power,
    heads_from_text,
    score,
    segment,
    segment_table,
    these_heads,
    usual_heads,
    weigh,
)
from attn_core.segmentation.head_choice import CALIBRATION, calibration_text, shuffled
from attn_core.segmentation.sentences import MODES, Mode
from attn_core.texts.documents import SAMPLES_FOLDER, Document, read_document
from attn_core.texts.passages import read_passages
from tests.families import Tiny
from tests.quick import quick_only


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


def test_a_text_of_one_window_has_the_means_of_its_passage(minilm: LoadedModel) -> None:
    document = read_document("The tide rose. It covered the old pier. The boats rose with it.")
    outputs = encode_sentences(minilm, document, "in_context")
    (passage,) = read_passages(document, minilm.tokenizer, minilm.max_tokens)
    (whole,) = capture(minilm, [passage])
    for sentence in range(3):
        own = (passage.sentences == sentence) & ~passage.is_special
        expected = whole.z[:, :, own].mean(dim=2).numpy()
        np.testing.assert_allclose(outputs.vectors[:, :, sentence], expected, atol=2e-5)


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


@pytest.mark.parametrize("name", ["partition_alone", "partition_in_context", "partition_embedding", "change_points"])
def test_partitions_find_the_topics_of_the_samples(
    minilm: LoadedModel, six_topics: Document, six_read: dict[Mode, SentenceOutputs], name: str
) -> None:
    outputs = six_read["in_context" if name == "partition_in_context" else "alone"]
    assert six_topics.gold
    chance = np.mean(
        [
            score(six_topics.gold, segment("even_cuts", outputs, segments=n).boundaries, len(outputs)).pk
            for n in (5, 6, 7)
        ]
    )
    segmentation = segment(name, outputs, heads_from_text(minilm, outputs), segments=6)
    assert score(six_topics.gold, segmentation.boundaries, len(outputs)).pk < chance / 2


def test_the_number_is_found_or_follows_the_threshold(six_read: dict[Mode, SentenceOutputs]) -> None:
    outputs = six_read["alone"]
    segmentation = segment("partition_alone", outputs)
    assert segmentation.number_from == "method" and segmentation.threshold
    assert 3 <= segmentation.number <= 12
    again = segment("partition_alone", outputs, threshold=segmentation.threshold)
    assert (again.boundaries, again.number_from) == (segmentation.boundaries, "threshold")
    assert segment("partition_alone", outputs, threshold=1e6).number == 1


@pytest.mark.parametrize("name", quick_only(["abstract", "long_story"], "abstract"))
def test_prose_on_one_topic_is_one_segment(minilm: LoadedModel, name: str) -> None:
    document = read_document((SAMPLES_FOLDER / f"{name}.txt").read_text(encoding="utf-8"))
    outputs = encode_sentences(minilm, document, "alone")
    for method in ("partition_joined", "partition_embedding"):
        assert segment(method, outputs).number == 1


def test_power_needs_shuffled_sentences_in_context_only(
    minilm: LoadedModel, six_read: dict[Mode, SentenceOutputs]
) -> None:
    """Shuffled before they are read, sentences of one window are alike all the same; read alone, they are not."""
    again = encode_sentences(minilm, shuffled(six_read["in_context"].document), "in_context")
    assert head_power(again).mean() > 0.1
    order = np.random.default_rng(0).permutation(len(again))
    alone = six_read["alone"]
    mixed = SentenceOutputs(
        alone.document, "alone", alone.vectors[:, :, order], alone.separator_attention, alone.embeddings, alone.tokens
    )
    assert head_power(alone).mean() > 3 * abs(head_power(mixed).mean())
    assert head_power(six_read["in_context"], again).mean() < head_power(six_read["in_context"]).mean()


def test_weights_add_up_and_leave_bad_heads_out() -> None:
    choice = weigh(np.array([[1.0, -1.0], [0.5, 0.0]]), "a test")
    np.testing.assert_allclose(choice.weights, np.array([[16, 0], [1, 0]]) / 17)
    np.testing.assert_allclose(weigh(np.zeros((2, 2)), "").weights, 0.25)
    np.testing.assert_allclose(these_heads([(0, 1)], 2, 2).weights, [[0, 1], [0, 0]])
    with pytest.raises(TextError, match="at least one head"):
        these_heads([], 2, 2)


def test_a_text_that_tells_its_heads_chooses_them(minilm: LoadedModel, six_read: dict[Mode, SentenceOutputs]) -> None:
    assert usual_heads(minilm, six_read["alone"]).source == "the text at hand"


def test_the_default_choice_is_kept(tiny_model: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTN_CORE_CACHE", str(tmp_path))
    model = tiny_model("bert")
    choice = default_heads(model, "alone")
    (file,) = tmp_path.rglob("*.safetensors")
    with monkeypatch.context() as patch:
        patch.setattr("attn_core.segmentation.head_choice.encode_sentences", None)  # must not be needed again
        np.testing.assert_array_equal(default_heads(model, "alone").weights, choice.weights)
    file.write_bytes(b"damaged")
    np.testing.assert_allclose(default_heads(model, "alone").weights, choice.weights, rtol=1e-4)
    short = encode_sentences(model, read_document("One. Two. Three."), "alone")
    assert usual_heads(model, short).source == choice.source


def test_a_new_sample_text_leaves_the_calibration_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The weights of every short text hang on it, so it is a text of its own, and the same for ever."""
    monkeypatch.setattr("attn_core.texts.documents.SAMPLES_FOLDER", Path("nowhere"))
    document = calibration_text()
    assert document.gold is None
    assert len(document.sentences) == 451
    assert sha256(CALIBRATION.read_bytes()).hexdigest().startswith("71ba199cb5f56738")


def test_calibration_takes_gold_texts_only(six_read: dict[Mode, SentenceOutputs], minilm: LoadedModel) -> None:
    choice = calibrate([six_read["alone"]])
    assert choice.weights.sum() == pytest.approx(1)
    assert np.corrcoef(choice.power.ravel(), head_power(six_read["alone"]).ravel())[0, 1] > 0.5
    with pytest.raises(TextError, match="gold"):
        calibrate([encode_sentences(minilm, read_document("One. Two."), "alone")])


def test_a_method_refuses_sentences_that_were_read_otherwise(six_read: dict[Mode, SentenceOutputs]) -> None:
    with pytest.raises(TextError, match="in_context"):
        segment("partition_in_context", six_read["alone"])
    with pytest.raises(TextError, match="no method"):
        segment("astrology", six_read["alone"])
