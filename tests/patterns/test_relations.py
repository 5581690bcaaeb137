"""The relations of a window: those of its text's annotation, and those that rules find."""

import numpy as np
import pytest

from attn_core.models.capture import capture_with_states
from attn_core.models.records import LoadedModel
from attn_core.patterns.conllu import read_conllu
from attn_core.patterns.pair_scores import score_windows
from attn_core.patterns.relations import RelationCounts, count_relations
from attn_core.patterns.rules import TextWords, pairs_of
from attn_core.patterns.word_maps import MAPS, of_words
from attn_core.similarity.words import find_words
from attn_core.texts.annotated import AnnotatedText
from attn_core.texts.documents import Document, read_document
from attn_core.texts.passages import read_passages
from tests.patterns.made_up import WORDS

TEXT = "The tide rose, and the boats rose with it. " * 3


def counted(
    model: LoadedModel, document: Document, annotated: AnnotatedText | None, *rules: str
) -> dict[str, RelationCounts]:
    """The relations of the first window, by name."""
    passage = read_passages(document, model.tokenizer, model.max_tokens)[0]
    ((output, states),) = capture_with_states(model, [passage], keep_maps=True)
    return count_relations(passage, output, states, annotated, rules)


def test_the_pairs_and_scores_of_a_rule_are_those_of_the_page(tiny_model) -> None:  # type: ignore[no-untyped-def]
    model, document = tiny_model("bert"), read_document(TEXT)
    found = counted(model, document, None, "same_word", "numbers")
    assert list(found) == ["Same word again"]  # no number stands there
    passage = read_passages(document, model.tokenizer, model.max_tokens)[0]
    words = find_words(passage)
    ((output, _),) = capture_with_states(model, [passage], keep_maps=True)
    pairs = pairs_of("Same word again", TextWords.of(passage, words))
    seen = score_windows([(0, of_words(output.z, output.attention, words), pairs)])
    assert seen is not None
    counts = found["Same word again"]
    assert counts.pairs == len(pairs)
    assert counts.percentile / counts.pairs == pytest.approx(seen.percentile.mean(axis=-1))


def test_a_first_word_is_asked_among_all_words_of_its_window(tiny_model) -> None:  # type: ignore[no-untyped-def]
    counts = counted(tiny_model("bert"), read_document("The sea. The sea. The sea."), None, "same_word")
    one = counts["Same word again"]
    assert one.pairs == 4
    assert one.offsets.max() == 4  # the word three places before
    assert one.right.shape == (len(MAPS), *one.percentile.shape[1:])


def test_an_annotation_is_of_words_with_a_token_in_the_window(tiny_model) -> None:  # type: ignore[no-untyped-def]
    first, _ = read_conllu(WORDS, "made-up.conllu")
    document = Document(first.text, first.sentences)
    found = counted(tiny_model("bert"), document, first)
    assert found["obj"].pairs == found["coreference"].pairs == 2
    assert np.array_equal(found["coreference"].margins.shape[1:], found["obj"].percentile.shape)
    (hidden,) = read_conllu(_with_an_invisible_word(), "a.conllu")
    assert list(counted(tiny_model("bert"), Document(hidden.text, hidden.sentences), hidden)) == ["far"]


def _with_an_invisible_word() -> str:
    rows = [("Mary", 3, "far"), ("\u200b", 3, "near"), ("sleeps", 0, "root")]
    return "".join(f"{at}\t{word}\t_\tX\t_\t_\t{head}\t{name}\t_\t_\n" for at, (word, head, name) in enumerate(rows, 1))
