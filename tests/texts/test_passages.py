import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from attn_core.errors import TextError
from attn_core.texts.characters import ends_sentence
from attn_core.texts.documents import Document, read_document
from attn_core.texts.passages import Layout, Passage, read_passages, window_spans
from tests.families import TEXT, save_tokenizer
from tests.tiny_tokenizers import TokenizerKind

LAYOUTS: list[Layout] = ["plain", "separated"]
Tokenizers = Callable[..., Any]


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Tokenizers:
    @cache
    def make(kind: TokenizerKind) -> Any:
        return AutoTokenizer.from_pretrained(save_tokenizer(tmp_path_factory.mktemp("tokenizer"), kind))

    return make


@pytest.fixture(scope="module")
def wordpiece(tokenizer: Tokenizers) -> Any:
    return tokenizer("wordpiece")


def lines_document(lines: list[str]) -> Document:
    """A text each line of which is a sentence."""
    text = "\n".join(lines)
    return Document(text, tuple(match.span() for match in re.finditer(r"\S.*", text)))


def passages(text: str, tokenizer: Any, max_tokens: int = 512, layout: Layout = "plain") -> list[Passage]:
    return read_passages(read_document(text), tokenizer, max_tokens, layout)


def test_cls_belongs_to_no_sentence_and_the_closing_sep_to_the_last(wordpiece: Any) -> None:
    (passage,) = passages("The tide. The rope.", wordpiece)
    assert passage.token_ids.tolist() == wordpiece("The tide. The rope.")["input_ids"]
    assert passage.tokens == ("[CLS]", "the", "tide", ".", "the", "rope", ".", "[SEP]")
    assert passage.sentences.tolist() == [-1, 0, 0, 0, 1, 1, 1, 1]
    assert passage.is_separator.tolist() == [False, False, False, True, False, False, True, True]
    assert (passage.starts[0], passage.ends[0], passage.starts[-1], passage.ends[-1]) == (-1, -1, -1, -1)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_typed_special_tokens_are_the_models_own(wordpiece: Any, layout: Layout) -> None:
    (passage,) = passages("The [SEP] rope [MASK].", wordpiece, layout=layout)
    assert passage.token_ids.tolist() == wordpiece("The [SEP] rope [MASK].")["input_ids"]
    assert np.flatnonzero(passage.is_special).tolist() == [0, len(passage) - 1]
    assert [passage.surface(i) for i in np.flatnonzero(passage.is_separator)] == ["[SEP]", ".", "[SEP]"]


@pytest.mark.parametrize("kind", ["ending", "pieces"])
def test_without_a_separator_token_the_separated_layout_is_refused(tokenizer: Tokenizers, kind: str) -> None:
    assert len(passages(TEXT, tokenizer(kind))) == 1
    with pytest.raises(TextError, match="no separator token"):
        passages(TEXT, tokenizer(kind), layout="separated")


def test_the_token_that_ends_a_text_is_a_separator_where_there_is_no_other(tokenizer: Tokenizers) -> None:
    (passage,) = passages("The tide", tokenizer("ending"))
    assert (passage.tokens[-1], passage.is_separator.tolist()[-1]) == ("</s>", True)
    (passage,) = passages("The tide", tokenizer("pieces"))
    assert (passage.tokens[0], passage.is_separator.any()) == ("<s>", False)


def test_a_byte_level_token_of_an_end_and_what_closes_there_is_a_separator() -> None:
    text = '"The tide rose." "Who came?" (It was cold.) The rope held... "Nobody came," he said; "nobody!"'
    made = Tokenizer(models.BPE())
    made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    made.train_from_iterator([text] * 9, trainers.BpeTrainer(vocab_size=999, show_progress=False))
    (passage,) = passages(text, PreTrainedTokenizerFast(tokenizer_object=made))
    separators = [passage.surface(at) for at in np.flatnonzero(passage.is_separator)]
    assert separators == ['."', '?"', ".)", "...", '!"']


@pytest.mark.parametrize(
    ("surface", "language", "ends"),
    [
        (";", "el", True), (";", "en", False), ("\u037e", "en", True), ("։", "hy", True), ("።", "am", True),
        ("။", "my", True),
        (".”", "en", True), (".“", "de", True), ("?»", "fr", True), ("».", "fr", True), ("”", "en", False),
        ("", "en", False),
        ("),", "en", False), (".(", "en", False), (".5", "en", False), ("၊", "my", False),
    ],
)  # fmt: skip
def test_what_ends_a_sentence_in_its_language(surface: str, language: str, ends: bool) -> None:
    assert ends_sentence(surface, language) == ends


@pytest.mark.parametrize("kind", ["wordpiece", "bytes"])
@given(data=st.data(), layout=st.sampled_from(LAYOUTS), max_tokens=st.integers(5, 60))
def test_windows_of_like_length_cover_every_token_once(
    tokenizer: Tokenizers, kind: str, data: st.DataObject, layout: Layout, max_tokens: int
) -> None:
    words = st.lists(st.sampled_from(["The", "tide", "café", "rope", "x" * 9, "😀", "-"]), min_size=1, max_size=25)
    lines = data.draw(
        st.lists(words.map(" ".join), min_size=1, max_size=8).filter(lambda some: any("e" in line for line in some))
    )
    document = lines_document(lines)
    reader = tokenizer(kind)
    whole = read_passages(document, reader, 10**9, "plain")[0]
    windows = read_passages(document, reader, max_tokens, layout)

    for column in ("token_ids", "starts", "ends", "sentences"):
        together = np.concatenate([getattr(window, column)[~window.is_special] for window in windows])
        np.testing.assert_array_equal(together, getattr(whole, column)[~whole.is_special], err_msg=column)
    lengths = [len(window) for window in windows]
    assert max(lengths) <= max_tokens
    for window in windows if layout == "separated" else ():
        closed = window.sentences[window.is_special][1:]
        assert closed.tolist() == sorted(set(window.sentences[~window.is_special].tolist())), (
            "each sentence is closed once"
        )


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_window_without_room_is_refused(wordpiece: Any, layout: Layout) -> None:
    with pytest.raises(TextError, match="is too short for a text"):
        passages(TEXT, wordpiece, 2, layout)


def test_the_blank_before_a_byte_level_word_does_not_move_it_to_the_sentence_before(tokenizer: Tokenizers) -> None:
    document = lines_document(["The tide", " rope held", "", " rope"])
    (passage,) = read_passages(document, tokenizer("bytes"), 512)
    ropes = [i for i, token in enumerate(passage.tokens) if token == "▁rope"]
    assert passage.sentences[ropes].tolist() == [1, 2]
    newlines = [i for i, token in enumerate(passage.tokens) if token.startswith("\\n")]
    assert set(passage.sentences[newlines].tolist()) == {0, 1}, "an empty line belongs to the sentence before it"


@pytest.mark.parametrize("kind", ["wordpiece", "bytes", "ending"])
def test_surface_is_the_text_and_word_the_whole_word(tokenizer: Tokenizers, kind: str) -> None:
    text = "The harbour's rope (wet), Cafe\u0301 too."
    (passage,) = passages(text, tokenizer(kind))
    positions = [i for i in range(len(passage)) if not passage.is_special[i]]
    assert all(passage.surface(i) == text[passage.starts[i] : passage.ends[i]] for i in positions)
    words = ["".join(passage.in_word(i)) for i in positions if passage.surface(i).strip()]
    assert list(dict.fromkeys(words))[:2] == ["The", "harbour"]
    assert {"rope", "wet", "Cafe\u0301", "too"} <= set(words)
    special = int(np.flatnonzero(passage.is_special)[0])
    assert passage.surface(special) == "".join(passage.in_word(special)) == passage.tokens[special]


def test_byte_level_names_are_readable(tokenizer: Tokenizers) -> None:
    (passage,) = passages("The tide, café\tü\n 😀", tokenizer("bytes"))
    assert passage.tokens[:4] == ("<s>", "The", "▁tide", ",")
    assert {"▁café", "\\t", "\\n", "▁"} <= set(passage.tokens)
    assert all(name.isprintable() for name in passage.tokens)


def test_a_text_that_gives_no_token_is_refused() -> None:
    # Has no token for the unknown.
    latin = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.BPE({"a": 0}, [])))
    assert len(passages("a αβγ", latin)) == 1
    with pytest.raises(TextError, match="no token"):
        passages("αβγ", latin)


# Where windows are cut.


def of_sentences(lengths: list[int]) -> np.ndarray:
    return np.repeat(np.arange(len(lengths)), lengths)


@given(st.lists(st.integers(1, 8), min_size=20, max_size=60), st.integers(48, 100))
def test_short_sentences_stay_whole(sentences: list[int], capacity: int) -> None:
    ends = {0, *np.cumsum(sentences).tolist()}
    spans = window_spans(of_sentences(sentences), capacity)
    assert {place for span in spans for place in span} <= ends
    lengths = [end - start for start, end in spans]
    assert max(lengths) <= capacity
    assert len(spans) == 1 or min(lengths) >= capacity / 2 - max(sentences)


@pytest.mark.parametrize(
    ("sentences", "spans"),
    [
        ([5, 5], [(0, 10)]),
        ([6, 6], [(0, 6), (6, 12)]),
        ([10, 1], [(0, 6), (6, 11)]),  # a scrap of one token: the sentence is cut
        ([9, 5], [(0, 9), (9, 14)]),
        ([25], [(0, 8), (8, 16), (16, 25)]),  # longer than a window: even parts
    ],
)
def test_windows_of_some_texts(sentences: list[int], spans: list[tuple[int, int]]) -> None:
    assert window_spans(of_sentences(sentences), 10) == spans
