"""Scores and pointing against brute force."""

import numpy as np
import pytest

from attn_core.models.capture import capture
from attn_core.models.head_outputs import HeadOutputs
from attn_core.models.records import LoadedModel
from attn_core.patterns.conllu import read_conllu
from attn_core.patterns.pair_scores import score_windows
from attn_core.patterns.relations import count_relations, count_window
from attn_core.patterns.rules import TextWords, pairs_of
from attn_core.patterns.scores import MAPS, at_offsets, of_words, percentiles
from attn_core.similarity.context_similarity import context_similarity
from attn_core.similarity.words import find_words
from attn_core.texts.annotated import Question, Relation
from attn_core.texts.documents import Document, read_document
from attn_core.texts.passages import Passage, read_passages
from tests.patterns.made_up import WORDS

TEXT = (
    "The tide rose, and the boats rose with it. She saw the harbour that was full of them, while he did not know. " * 3
)


def alike(maps: np.ndarray, a: int, b: int) -> list[float]:
    """The values that a pair is ranked among, by looking at every ordered pair of words."""
    words, distance = len(maps), abs(a - b)
    for wider in range(words):
        low = max(int(np.ceil(distance * 0.8)) - wider, 1)
        high = min(int(distance * 1.2) + wider, words - 1)
        values = [
            float(maps[i, j])
            for i in range(words)
            for j in range(words)
            if low <= abs(i - j) <= high and (j > i) == (b > a)
        ]
        if len(values) >= 50 or (low == 1 and high == words - 1):
            return values
    raise AssertionError


def captured(model: LoadedModel, document: Document) -> tuple[Passage, HeadOutputs]:
    """The first window, and its head outputs with attention maps."""
    passage = read_passages(document, model.tokenizer, model.max_tokens)[0]
    (output,) = capture(model, [passage], keep_maps=True)
    return passage, output


def test_a_percentile_is_that_among_pairs_of_like_distance_and_direction() -> None:
    generator = np.random.default_rng(0)
    maps = generator.normal(size=(2, 24, 24)).round(1)  # with equal values among them
    pairs = np.array([(0, 1), (3, 20), (20, 3), (5, 12), (23, 0), (7, 6)])
    expected = []
    for one in maps:
        sets = [alike(one, a, b) for a, b in pairs.tolist()]
        values = [one[a, b] for a, b in pairs.tolist()]
        expected.append([np.mean([(x < v) + (x == v) / 2 for x in s]) for s, v in zip(sets, values, strict=True)])
    assert percentiles(maps, pairs) == pytest.approx(np.array(expected))


def test_a_fixed_offset_reaches_ten_words() -> None:
    ten, eleven = (Question(20, (9, 10), frozenset([right])) for right in (10, 9))
    assert at_offsets([ten, eleven]).sum(axis=0).tolist() == [1, 0]


@pytest.mark.parametrize("family", ["bert", "gpt2"])
def test_counts_of_a_window_are_those_of_its_matrices(family: str, tiny_model) -> None:  # type: ignore[no-untyped-def]
    passage, output = captured(tiny_model(family), read_document(TEXT[:140]))
    words = find_words(passage)
    outputs, size = of_words(output.z, output.attention, words), len(words)
    pairs = ((2, 5), (4, 3), (size - 1, 3))
    questions = (
        Question(2, (0, 1, 5), frozenset([5])),
        Question(4, (1, 3), frozenset([3])),
        Question(size - 1, (0, 1, 3), frozenset([3])),
    )
    counts = count_window(outputs, [Relation("made up", questions)])["made up"]
    for number, kind in enumerate(MAPS):
        for layer, head in np.ndindex(outputs.z.shape[:2]):
            if kind in ("attends", "attended"):
                matrix = outputs.attention[layer, head]
                matrix = matrix if kind == "attends" else matrix.T
            else:
                matrix = context_similarity(outputs.z[layer], kind)[head]
            values = [(alike(matrix, a, b), matrix[a, b]) for a, b in pairs]
            expected = sum(np.mean([(x < v) + (x == v) / 2 for x in others]) for others, v in values)
            assert counts.percentile[number, layer, head] == pytest.approx(expected)
            right = [matrix[one.word, list(one.candidates)].argmax() == len(one.candidates) - 1 for one in questions]
            assert counts.right[number, layer, head] == sum(right)
            assert counts.margins[0, number, layer, head] == pytest.approx(matrix[4, 3] - matrix[4, 1])
    assert (counts.pairs, len(counts.margins)) == (3, 1)


def test_the_pairs_and_scores_of_a_rule_are_those_of_the_page(tiny_model) -> None:  # type: ignore[no-untyped-def]
    model, document = tiny_model("bert"), read_document(TEXT[:140])
    passage, output = captured(model, document)
    found = count_relations(passage, output, None, ("same_word", "numbers"))
    assert list(found) == ["Same word again"]  # no number stands there
    words = find_words(passage)
    pairs = pairs_of("Same word again", TextWords.of(passage, words))
    seen = score_windows([(0, of_words(output.z, output.attention, words), pairs)])
    assert seen is not None
    counts = found["Same word again"]
    assert counts.pairs == len(pairs)
    assert counts.percentile / counts.pairs == pytest.approx(seen.percentile.mean(axis=-1))


def test_an_annotation_is_of_words_with_a_token_in_the_window(tiny_model) -> None:  # type: ignore[no-untyped-def]
    first, _ = read_conllu(WORDS, "made-up.conllu")
    document = Document(first.text, first.sentences)
    found = count_relations(*captured(tiny_model("bert"), document), first, ())
    assert found["obj"].pairs == found["coreference"].pairs == 2
    assert np.array_equal(found["coreference"].margins.shape[1:], found["obj"].percentile.shape)
