"""Tokens to words, held against plain loops over characters on six kinds of tokenizers."""

import unicodedata
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from attn_core.errors import TextError
from attn_core.model_files import ModelSpec, locate
from attn_core.passages import Passage, read_passages
from attn_core.texts import read_document
from attn_core.words import Words, find_words, given_words
from tests.families import TEXT, save_tokenizer

KINDS = ("minilm", "wordpiece", "bytes", "pieces", "unigram", "no pre-tokenizer")
TEXTS = (
    TEXT,
    "Don't stop... the harbour-master’s rope (3.14 m) isn't his!  Two  blanks,\n\na line — and café naïve e\u0301te\u0301.",
    "今天天气很好，我们去公园。Python入門です。 ไทยเขียนติดกัน and back.",
    "x_y = f(a)[0]; https://example.org/?q=1 🙂🙂 ÅÄÖ İstanbul ﬁne \u200bzero",
)


@cache
def tokenizer(kind: str, folder: Callable[[str], Any]) -> Any:
    if kind == "minilm":
        return AutoTokenizer.from_pretrained(locate(ModelSpec()), split_special_tokens=True)
    if kind in ("wordpiece", "bytes", "pieces"):
        return AutoTokenizer.from_pretrained(save_tokenizer(folder(kind), kind), split_special_tokens=True)
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
    return PreTrainedTokenizerFast(tokenizer_object=made, unk_token="<unk>", split_special_tokens=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    return tmp_path_factory.mktemp


def passage_of(text: str, kind: str, folder: Callable[[str], Any], max_tokens: int = 512) -> list[Passage]:
    return list(read_passages(read_document(text), tokenizer(kind, folder), max_tokens))


def is_letter(character: str) -> bool:
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
    """Start, end and tokens of every word: characters that belong together are joined one by one."""
    text = passage.document.text
    held: dict[int, list[int]] = {}
    for token in range(len(passage)):
        for at in range(passage.starts[token], passage.ends[token]) if not passage.is_special[token] else ():
            if not text[at].isspace():
                held.setdefault(at, []).append(token)
    if not held:
        return []
    characters = [at for at in range(min(held), max(held) + 1) if not text[at].isspace()]
    parent = {at: at for at in characters}

    def root(at: int) -> int:
        while parent[at] != at:
            at = parent[at]
        return at

    def join(one: int, other: int) -> None:
        parent[max(root(one), root(other))] = min(root(one), root(other))

    for at in characters:
        for token in held.get(at, []):
            mates = [i for i in range(passage.starts[token], passage.ends[token]) if not text[i].isspace()]
            join(at, mates[0])
        if at - 1 in parent and together(text, at):
            join(at - 1, at)
    for run in unspaced_runs(text, characters):
        begun = [token for token in range(len(passage)) if visible_start(passage, token) in run]
        uncut = len({passage.pretokens[token] for token in begun}) == 1
        cuts = {
            visible_start(passage, token)
            for before, token in pairwise(begun)
            if uncut or passage.pretokens[before] != passage.pretokens[token]
        }
        for one, other in pairwise(run):
            if other not in cuts:
                join(one, other)
    words: dict[int, list[int]] = {}
    for at in characters:
        words.setdefault(root(at), []).append(at)
    found = [(min(ats), max(ats) + 1, sorted({t for at in ats for t in held.get(at, [])})) for ats in words.values()]
    return sorted(word for word in found if word[2])


def unspaced_runs(text: str, characters: list[int]) -> list[list[int]]:
    runs: list[list[int]] = []
    for at in filter(lambda at: is_unspaced(text, at), characters):
        if runs and runs[-1][-1] == at - 1:
            runs[-1].append(at)
        else:
            runs.append([at])
    return runs


def visible_start(passage: Passage, token: int) -> int | None:
    """Where the visible characters of a token begin; None where it has none."""
    places = range(passage.starts[token], passage.ends[token])
    return next((at for at in places if not passage.document.text[at].isspace()), None)


def as_lists(words: Words) -> list[tuple[int, int, list[int]]]:
    return [
        (int(start), int(end), words.tokens[words.words == number].tolist())
        for number, (start, end) in enumerate(zip(words.starts, words.ends, strict=True))
    ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", TEXTS)
def test_words_are_those_of_loops_over_characters(kind: str, text: str, folder: Callable[[str], Any]) -> None:
    (passage,) = passage_of(text, kind, folder)
    found = find_words(passage)
    assert as_lists(found) == brute_force(passage)
    z = np.random.default_rng(0).normal(size=(2, 3, len(passage), 4)).astype(np.float32)
    expected = np.stack([z[:, :, tokens].mean(axis=2) for _, _, tokens in as_lists(found)], axis=2)
    np.testing.assert_allclose(found.mean(z), expected, rtol=1e-5, atol=1e-6)


@settings(max_examples=60)
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


@pytest.mark.parametrize("kind", KINDS[:-1])  # the last one's tokens reach across blanks
def test_words_do_not_depend_on_the_tokenizer(kind: str, folder: Callable[[str], Any]) -> None:
    (passage,) = passage_of("Don't stop: the harbour-master’s rope held!", kind, folder)
    found = find_words(passage)
    shown = [passage.document.text[start:end] for start, end in zip(found.starts, found.ends, strict=True)]
    assert shown == ["Don't", "stop", ":", "the", "harbour", "-", "master’s", "rope", "held", "!"]
    assert not found.unspaced.any()


def test_where_no_blanks_are_written_the_tokenizer_tells_the_words(folder: Callable[[str], Any]) -> None:
    (cut,) = passage_of("天气很好。", "minilm", folder)  # BERT makes each Chinese character a word of its own
    (whole,) = passage_of("天气很好。", "unigram", folder)  # its pre-tokenizer knows blanks only: here tokens are words
    assert len(find_words(cut)) == 5
    assert find_words(cut).unspaced.tolist() == [True, True, True, True, False]
    assert find_words(whole).tokens.tolist() == list(range(len(whole)))
    assert len(find_words(whole)) == len(whole) - 1  # its first token is a blank that stands on the first character


def test_given_words_take_every_token_that_they_share_a_character_with(folder: Callable[[str], Any]) -> None:
    (passage,) = passage_of("We don't go.", "minilm", folder)
    assert passage.tokens == ("[CLS]", "we", "don", "'", "t", "go", ".", "[SEP]")
    starts, ends = np.array([0, 3, 5, 9, 11, 40]), np.array([2, 5, 8, 11, 12, 44])
    found = given_words(passage, starts, ends)
    assert [tokens for *_, tokens in as_lists(found)] == [[1], [2], [2, 3, 4], [5], [6], []]
    means = found.mean(np.arange(8.0)[:, None])
    np.testing.assert_array_equal(means[:, 0], [1, 2, 3, 5, 6, np.nan])
