"""Tokens to words, against plain loops over characters, on six kinds of tokenizers."""

import unicodedata
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from attn_core.analysis.one_text import analyze_reading
from attn_core.analysis.reading import read
from attn_core.errors import TextError
from attn_core.models.files import ModelSpec, locate
from attn_core.models.head_outputs import HeadOutputs
from attn_core.models.records import LoadedModel
from attn_core.similarity.strong_pairs import Settings
from attn_core.similarity.words import Words, find_words, passage_of_words, to_words, words_at_spans
from attn_core.texts.documents import read_document
from attn_core.texts.passages import Passage, read_passages
from tests.families import TEXT, save_tokenizer

KINDS = ("minilm", "wordpiece", "bytes", "pieces", "unigram", "no pre-tokenizer")
TEXTS = (
    TEXT,
    "Don't stop... the harbour-master’s rope (3.14 m) isn't his!  Two  blanks,\n\na line — and café naïve "
    "e\u0301te\u0301.",
    "今天天气很好，我们去公园。Python入門です。 ไทยเขียนติดกัน and back.",
    "x_y = f(a)[0]; https://example.org/?q=1 🙂🙂 ÅÄÖ İstanbul ﬁne \u200bzero",
)


@cache
def tokenizer(kind: str, folder: Callable[[str], Any]) -> Any:
    if kind == "minilm":
        return AutoTokenizer.from_pretrained(locate(ModelSpec()))
    if kind in ("wordpiece", "bytes", "pieces"):
        return AutoTokenizer.from_pretrained(save_tokenizer(folder(kind), kind))
    if kind == "unigram":
        made = Tokenizer(models.Unigram())
        made.normalizer = normalizers.NFKC()
        made.pre_tokenizer = pre_tokenizers.Metaspace()
        trainer: Any = trainers.UnigramTrainer(
            vocab_size=300, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False
        )
    else:
        made = Tokenizer(models.BPE(unk_token="<unk>"))
        made.normalizer = normalizers.Replace(" ", "▁")
        trainer = trainers.BpeTrainer(vocab_size=300, special_tokens=["<unk>"], show_progress=False)
    made.decoder = decoders.Metaspace()
    made.train_from_iterator([*TEXTS, "..."], trainer)
    return PreTrainedTokenizerFast(tokenizer_object=made, unk_token="<unk>")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    return tmp_path_factory.mktemp


def passage_of(text: str, kind: str, folder: Callable[[str], Any], max_tokens: int = 512) -> list[Passage]:
    return list(read_passages(read_document(text), tokenizer(kind, folder), max_tokens))


def is_letter(character: str) -> bool:
    """Soft hyphens and joiners have a test of their own."""
    return character.isalnum() or unicodedata.category(character).startswith("M")


def is_unspaced(text: str, at: int) -> bool:
    """Whether the letter is of a script without blanks; an accent is of the script of the letter it stands on."""
    while unicodedata.combining(text[at]) and at > 0 and is_letter(text[at - 1]):
        at -= 1
    kinds = ("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "HIRAGANA", "KATAKANA", "THAI")
    return is_letter(text[at]) and unicodedata.name(text[at], "").startswith(kinds)


def is_spaced(text: str, at: int) -> bool:
    return 0 <= at < len(text) and is_letter(text[at]) and not is_unspaced(text, at)


def together(text: str, at: int) -> bool:
    """Whether the characters at - 1 and at are in one word with blanks around it, by the text alone."""
    if is_spaced(text, at) and text[at - 1] in "'’":
        return is_spaced(text, at - 2)
    return is_spaced(text, at - 1) and (is_spaced(text, at) or (text[at] in "'’" and is_spaced(text, at + 1)))


def brute_force(passage: Passage) -> list[tuple[int, int, list[int]]]:
    """Start, end and tokens of every word: each character joins the one before it or begins a word."""
    text = passage.document.text
    tokens_at: dict[int, set[int]] = {}
    for token in np.flatnonzero(~passage.is_special).tolist():
        for at in visible(passage, token):
            tokens_at.setdefault(at, set()).add(token)
    if not tokens_at:
        return []
    # A window ends words, between an apostrophe and a letter too; its tokens may reach over blanks after them.
    first, last = min(tokens_at), max(tokens_at)
    while last + 1 < len(text) and unicodedata.category(text[last + 1]).startswith("M"):
        last += 1  # an accent for which there is no token
    text = "".join(character if first <= at <= last else " " for at, character in enumerate(text))
    characters = [at for at in range(first, last + 1) if not text[at].isspace()]
    joined = {(at - 1, at) for at in characters if together(text, at)}
    for run in unspaced_runs(text, characters):
        joined |= set(pairwise(run)) - {(at - 1, at) for at in cuts_in(run, passage)}
    words = [[first]]
    for before, at in pairwise(characters):
        if (before, at) in joined or tokens_at.get(before, set()) & tokens_at.get(at, set()):
            words[-1].append(at)
        else:
            words.append([at])
    by_word = [(ats[0], ats[-1] + 1, sorted({t for at in ats for t in tokens_at.get(at, ())})) for ats in words]
    return [word for word in by_word if word[2]]


def unspaced_runs(text: str, characters: list[int]) -> list[list[int]]:
    runs: list[list[int]] = []
    for at in filter(lambda at: is_unspaced(text, at), characters):
        if runs and runs[-1][-1] == at - 1:
            runs[-1].append(at)
        else:
            runs.append([at])
    return runs


def cuts_in(run: list[int], passage: Passage) -> set[int]:
    """Where a run of unspaced letters is cut: at pretokens, or at every token where all are of one pretoken."""
    begun = [(t, visible(passage, t)[0]) for t in range(len(passage)) if visible(passage, t)]
    begun = [(passage.pretokens[token], at) for token, at in begun if at in run]
    uncut = len({pretoken for pretoken, _ in begun}) == 1
    return {at for (before, _), (pretoken, at) in pairwise(begun) if uncut or before != pretoken}


def visible(passage: Passage, token: int) -> list[int]:
    """Where a token's characters are that are no blanks."""
    return [at for at in range(passage.starts[token], passage.ends[token]) if not passage.document.text[at].isspace()]


def as_lists(words: Words) -> list[tuple[int, int, list[int]]]:
    return [
        (int(start), int(end), words.tokens[words.words == number].tolist())
        for number, (start, end) in enumerate(zip(words.starts, words.ends, strict=True))
    ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", TEXTS)
def test_words_are_those_of_loops_over_characters(kind: str, text: str, folder: Callable[[str], Any]) -> None:
    (passage,) = passage_of(text, kind, folder)
    assert as_lists(find_words(passage)) == brute_force(passage)


@given(
    text=st.text(st.sampled_from("ab.'’-_ \n1éÉ\u0301今の好ก漢，🙂"), min_size=1, max_size=24),
    kind=st.sampled_from(KINDS),
)
def test_any_text_is_cut_as_by_loops(text: str, kind: str, folder: Callable[[str], Any]) -> None:
    try:
        passages = passage_of(text, kind, folder, max_tokens=12)
    except TextError:
        return
    for passage in passages:
        assert as_lists(find_words(passage)) == brute_force(passage)


@pytest.mark.parametrize("joiner", ["\u00ad", "\u200c", "\u200d", "\u2060"])
def test_a_word_is_one_with_invisible_joiners_in_it(joiner: str, folder: Callable[[str], Any]) -> None:
    text = f"The photo{joiner}syn{joiner}thesis of plants. Photosynthesis needs light{joiner} today."
    (passage,) = passage_of(text, "wordpiece", folder)
    words = find_words(passage)
    of_words = passage_of_words(passage, words)
    assert of_words.tokens[:5] == ("the", "photosynthesis", "of", "plants", ".")
    assert of_words.token_ids[1] == of_words.token_ids[5]
    assert text[words.starts[1] : words.ends[1]] == f"photo{joiner}syn{joiner}thesis"


@pytest.mark.parametrize(("text", "word"), [("A cafe\u0301 cafe\u0301", "café"), ("माला माल में, मे", "मे")])
def test_the_last_mark_of_a_window_belongs_to_its_word(text: str, word: str, folder: Callable[[str], Any]) -> None:
    (passage,) = passage_of(text, "minilm", folder)
    of_words = passage_of_words(passage, find_words(passage))
    assert of_words.tokens[-1] == word
    (composed,) = passage_of(unicodedata.normalize("NFC", text), "minilm", folder)
    assert of_words.token_ids.tolist() == passage_of_words(composed, find_words(composed)).token_ids.tolist()


def test_given_words_take_every_token_that_they_share_a_character_with(folder: Callable[[str], Any]) -> None:
    (passage,) = passage_of("We don't go.", "minilm", folder)
    assert passage.tokens == ("[CLS]", "we", "don", "'", "t", "go", ".", "[SEP]")
    starts, ends = np.array([0, 3, 5, 9, 11, 40]), np.array([2, 5, 8, 11, 12, 44])
    given_ones = words_at_spans(passage, starts, ends)
    assert [tokens for *_, tokens in as_lists(given_ones)] == [[1], [2], [2, 3, 4], [5], [6], []]
    means = given_ones.mean(np.arange(8.0)[:, None])
    np.testing.assert_array_equal(means[:, 0], [1, 2, 3, 5, 6, np.nan])


@pytest.mark.parametrize("kind", KINDS[:-1])  # the last one's tokens reach across blanks
def test_a_passage_of_words_does_not_depend_on_the_tokenizer(kind: str, folder: Callable[[str], Any]) -> None:
    (passage,) = passage_of("Don't, harbour-master’s Rope. The rope!", kind, folder)
    by_word = passage_of_words(passage, find_words(passage))
    assert by_word.tokens == ("don't", ",", "harbour", "-", "master’s", "rope", ".", "the", "rope", "!")
    assert by_word.surface(5) == "Rope"
    assert by_word.token_ids[5] == by_word.token_ids[8]  # the same word, whatever its case
    assert len(set(by_word.token_ids.tolist())) == 9
    assert by_word.sentences.tolist() == [0] * 7 + [1] * 3
    assert np.flatnonzero(by_word.is_separator).tolist() == [6, 9]
    assert not by_word.is_special.any()
    assert passage_of_words(by_word, find_words(by_word)).tokens == by_word.tokens


def test_outputs_by_word_are_means_and_attention_is_summed(folder: Callable[[str], Any]) -> None:
    (passage,) = passage_of("Don't stop the harbour.", "minilm", folder)
    words = find_words(passage)
    n, rng = len(passage), np.random.default_rng(1)
    maps = rng.random((1, 2, n, n)).astype(np.float32)
    output = HeadOutputs(rng.random((1, 2, n, 3)), maps.mean(axis=2), maps, rng.random((1, n)))
    by_word = to_words(passage, output)[1]
    parts = [tokens for *_, tokens in as_lists(words)]
    assert parts[0] == [1, 2, 3]
    for word, tokens in enumerate(parts):
        np.testing.assert_allclose(by_word.z[:, :, word], output.z[:, :, tokens].mean(axis=2))
        np.testing.assert_allclose(by_word.received[..., word], output.received[..., tokens].sum(axis=-1), rtol=1e-6)
        assert by_word.even[0, word] == pytest.approx(output.even[0, tokens].sum())
        for other, keys in enumerate(parts):
            expected = maps[:, :, tokens][..., keys].sum(axis=-1).mean(axis=-1)
            np.testing.assert_allclose(by_word.attention[..., word, other], expected, rtol=1e-5)


def test_in_a_text_whose_words_are_tokens_the_unit_changes_nothing_but_special_tokens(minilm: LoadedModel) -> None:
    document = read_document("The rope was old and wet but the rope held the boat.")
    tokens = analyze_reading(read(minilm, document), Settings(share=0.1, with_special=False))
    words = analyze_reading(read(minilm, document, unit="words"), Settings(share=0.1))
    np.testing.assert_array_equal(words.windows[0].first, tokens.windows[0].first - 1)
    shared = ["mean_distance", "repetition_share", "near_share", "anchor_coverage", "length_share"]
    np.testing.assert_allclose(words.statistics[shared], tokens.statistics[shared])
