"""The windows of tokens that a model reads of a document; each token has its place in the text and its sentence."""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np

from attn_core.errors import InputError, TextError, check_choice, check_integer, in_one_sentence
from attn_core.texts.characters import ends_sentence, in_word
from attn_core.texts.documents import Document
from attn_core.texts.sentences import Span

Layout = Literal["plain", "separated", "shuffled"]
LAYOUTS: tuple[Layout, ...] = ("plain", "separated")  # that users choose; shuffled text is a control
KNOWN_LAYOUTS: tuple[Layout, ...] = get_args(Layout)
# The fields of a token, which are arrays of a passage, and all of its arrays.
FIELDS = ("token_ids", "starts", "ends", "sentences", "pretokens")
ARRAYS = (*FIELDS, "is_special", "is_separator")
TOKEN = np.dtype([(name, np.int64) for name in FIELDS])
# Byte-level vocabularies write a byte as one character: itself if it is printable, otherwise one from U+0100 on.
_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_BYTES = {chr(byte): byte for byte in _PRINTABLE} | {
    chr(0x100 + rank): byte for rank, byte in enumerate(byte for byte in range(256) if byte not in _PRINTABLE)
}


@dataclass(frozen=True, eq=False, repr=False)
class Passage:
    """One window of a document as the model reads it: N tokens with special tokens, without padding.

    >>> passage = attn_core.read_passages(document, model.tokenizer, model.max_tokens)[0]
    >>> passage.tokens[:4], passage.sentences[:4].tolist()
    (('[CLS]', 'the', 'tide', 'rose'), [-1, 0, 0, 0])

    All arrays have shape (N,). Raises InputError for other shapes.

    Attributes
    ----------
    index: counts windows from 0; numbers of windows that users see or give count from 1.
    starts, ends: character offsets in `document.text`, -1 for special tokens.
    sentences: the index of the token's sentence in the document, -1 for none ([CLS]).
    pretokens: the number of the piece that pre-tokenization split the text into, -1 for special tokens.
    """

    document: Document
    index: int
    token_ids: np.ndarray
    tokens: tuple[str, ...]
    starts: np.ndarray
    ends: np.ndarray
    sentences: np.ndarray
    pretokens: np.ndarray
    is_special: np.ndarray
    is_separator: np.ndarray

    def __post_init__(self) -> None:
        if any(len(getattr(self, name)) != len(self.token_ids) for name in ("tokens", *ARRAYS)):
            raise InputError("A passage has one name, span, sentence and kind for each of its tokens.")

    def __len__(self) -> int:
        return len(self.token_ids)

    def __repr__(self) -> str:
        return f"Passage({' '.join(self.tokens[:12])!r}, {len(self)} tokens)"

    def at(self, positions: np.ndarray) -> "Passage":
        """The same window with only the tokens at these positions, of the same document and sentences."""
        arrays = {name: getattr(self, name)[positions] for name in ARRAYS}
        return replace(self, tokens=tuple(self.tokens[at] for at in positions), **arrays)

    def surface(self, position: int) -> str:
        """The characters of the text that a token covers; for a special token, the token itself."""
        if self.is_special[position]:
            return self.tokens[position]
        return self.document.text[self.starts[position] : self.ends[position]]

    def whole(self, position: int) -> str:
        """The word that contains a token, with everything but the token in brackets: (cher)ries."""
        return in_brackets(*self.in_word(position))

    def in_word(self, position: int) -> tuple[str, str, str]:
        """The word that contains a token, in three parts: before the token, the token, after it.

        The first and the last part are empty if the token is special or blank.
        """
        if self.is_special[position]:
            return "", self.tokens[position], ""
        text = self.document.text
        piece = self.surface(position).strip()
        if not piece or not all(map(in_word, piece)):
            return "", piece or self.tokens[position], ""
        start = _first_visible(text, int(self.starts[position]), int(self.ends[position]))
        end = start + len(piece)
        first, last = start, end
        while first > 0 and in_word(text[first - 1]):
            first -= 1
        while last < len(text) and in_word(text[last]):
            last += 1
        return text[first:start], text[start:end], text[end:last]


def read_passages(
    document: Document, tokenizer: Any, max_tokens: int, layout: Layout = "plain", seed: int = 0
) -> list[Passage]:
    """The windows of a document, of similar length, at most `max_tokens` tokens, cut at sentence ends where possible.

    >>> len(attn_core.read_passages(document, model.tokenizer, max_tokens=14))
    2

    Special tokens typed in the text ([MASK]) are tokens of the text. Raises InputError for an unknown layout, and
    TextError if the tokenizer cannot read the text, or lacks the separator token that the layout needs.

    Parameters
    ----------
    document: from `read_document`.
    tokenizer: of the model that reads it, a fast one.
    max_tokens: of a window, with its special tokens.
    layout: "plain" has special tokens as the tokenizer adds them ([CLS] text [SEP]); "separated" has the separator
        token after every sentence instead; "shuffled", a baseline, the tokens of a plain window in random order, where
        each position keeps its sentence.
    seed: of the random order.
    """
    check_integer(max_tokens, 1, "The size of a window")
    check_choice(layout, KNOWN_LAYOUTS, "A layout")
    with in_one_sentence(TextError, "The tokenizer of this model cannot read this text"):
        encoded = tokenizer(document.text, return_offsets_mapping=True, return_special_tokens_mask=True, verbose=False)
    of_text = np.flatnonzero(np.equal(encoded["special_tokens_mask"], 0))
    if not len(of_text):
        raise TextError("The tokenizer found no token in this text: type or paste a sentence of words.")
    first, last = int(of_text[0]), int(of_text[-1]) + 1
    ids, spans = encoded["input_ids"], encoded["offset_mapping"]
    closing = [tokenizer.sep_token_id] if layout == "separated" else []
    if closing == [None]:
        raise TextError("This model's tokenizer has no separator token: choose the plain layout.")
    prefix, suffix = ids[:first], [] if closing else ids[last:]
    capacity = max_tokens - len(prefix) - len(suffix)
    if capacity <= len(closing):
        raise TextError(f"A window of {max_tokens} tokens is too short for a text.")
    text = np.empty(last - first, TOKEN)
    text["starts"], text["ends"] = np.array(spans[first:last]).T
    text["token_ids"], text["pretokens"] = ids[first:last], encoded.word_ids()[first:last]
    text["sentences"] = _sentence_of(document, spans[first:last])
    windows = window_spans(text["sentences"], capacity, len(closing))
    if layout == "shuffled":
        text = _shuffled(text, windows, seed)
    parts = (_with_special(text[start:end], prefix, closing, suffix) for start, end in windows)
    return [_passage(document, index, tokens, tokenizer) for index, tokens in enumerate(parts)]


def window_spans(sentence: np.ndarray, capacity: int, closing: int = 0) -> list[Span]:
    """Spans of tokens, one per window; each ends at the sentence end nearest to an even share of the remaining tokens.

    sentence: (T,), the number of each token's sentence, in ascending order. capacity: tokens that fit into a window.
    closing: special tokens after each sentence. A sentence is cut if no end is within half a share of that place.
    """
    number = np.cumsum(np.diff(sentence, prepend=-1) != 0)
    ends, cuts = np.flatnonzero(np.diff(number, append=-1)) + 1, [0]
    while (start := cuts[-1]) < len(number):
        left = -(-(len(number) - start + closing * int(number[-1] - number[start] + 1)) // capacity)
        share, inside = (len(number) - start) / left, number[start : start + capacity]
        used = np.arange(1, len(inside) + 1) + closing * (inside - inside[0] + 1)
        furthest = start + int(np.searchsorted(used, capacity, side="right"))
        some = ends[np.searchsorted(ends, start, side="right") : np.searchsorted(ends, furthest, side="right")]
        away = np.abs(some - start - share)
        near = len(some) and away.min() <= share / 2
        cuts.append(int(some[away.argmin()]) if near else min(start + round(share), furthest))
    return list(pairwise(cuts))


def readable_tokens(tokenizer: Any, ids: np.ndarray) -> dict[int, str]:
    """Readable tokens by id: the entries of the vocabulary, byte-level ones as text with word starts marked ``▁``."""
    unique = np.unique(ids).tolist()
    pieces = tokenizer.convert_ids_to_tokens(unique)
    if "ByteLevel" in repr(tokenizer.backend_tokenizer.decoder):
        pieces = map(_text_of_bytes, pieces)
    return dict(zip(unique, pieces, strict=True))


def _text_of_bytes(piece: str) -> str:
    """``Ġcaf`` -> ``▁caf``, ``Ã©`` -> ``é``, ``Ċ`` -> ``\\n``, a part of a character -> ``\\xf0``."""
    if not set(piece) <= _BYTES.keys():
        return piece  # an added token, which is not byte-level
    text = bytes(_BYTES[character] for character in piece).decode(errors="backslashreplace")
    return text.replace(" ", "▁").replace("\n", "\\n").replace("\t", "\\t")


def _shuffled(text: np.ndarray, windows: list[Span], seed: int) -> np.ndarray:
    """The tokens of a text in random order within each window; each place keeps its sentence."""
    rng = np.random.default_rng(seed)
    shuffled = text[np.concatenate([start + rng.permutation(end - start) for start, end in windows])]
    shuffled["sentences"] = text["sentences"]
    return shuffled


def in_brackets(before: str, piece: str, after: str) -> str:
    """A word with the parts before and after one piece in brackets."""
    return f"{f'({before})' if before else ''}{piece}{f'({after})' if after else ''}"


def _first_visible(text: str, start: int, end: int) -> int:
    """The offset of a token's first visible character; that of its last blank if it has none."""
    return max(start, min(end - len(text[start:end].lstrip()), end - 1))


def _sentence_of(document: Document, spans: list[tuple[int, int]]) -> np.ndarray:
    """The sentence of each token's first visible character; blanks belong to the sentence before them."""
    begins = np.array([begin for begin, _ in document.sentences])
    text = document.text
    visible = [  # few tokens begin with a blank; looking for blanks in all takes as long as the tokenizer
        _first_visible(text, start, end) if text[start : start + 1].isspace() else start for start, end in spans
    ]
    return np.maximum(np.searchsorted(begins, visible, side="right") - 1, 0)


def _with_special(text: np.ndarray, prefix: list[int], closing: list[int], suffix: list[int]) -> np.ndarray:
    """The tokens of a window between special tokens: those before it, after each sentence, and after it."""
    ends, parts = np.flatnonzero(np.diff(text["sentences"])) + 1, [_special(prefix, -1)]
    for sentence in np.split(text, ends) if closing else [text]:
        parts += [sentence, _special(closing, sentence["sentences"][-1])]
    return np.concatenate([*parts, _special(suffix, text["sentences"][-1])])


def _special(ids: list[int], sentence: int) -> np.ndarray:
    return np.array([(token_id, -1, -1, sentence, -1) for token_id in ids], TOKEN)


def _passage(document: Document, index: int, tokens: np.ndarray, tokenizer: Any) -> Passage:
    fields = {name: tokens[name].copy() for name in FIELDS}
    ids, starts, ends, sentences, _ = fields.values()
    names = readable_tokens(tokenizer, ids)
    surfaces = (document.text[max(start, 0) : max(end, 0)].strip() for start, end in zip(starts, ends, strict=True))
    final = np.array([ends_sentence(surface, document.language) for surface in surfaces], dtype=bool)
    separator = tokenizer.sep_token_id if tokenizer.sep_token_id is not None else tokenizer.eos_token_id
    return Passage(
        document=document,
        index=index,
        tokens=tuple(names[token_id] for token_id in ids.tolist()),
        is_special=starts < 0,
        is_separator=final | ((sentences >= 0) & (ids == (-1 if separator is None else separator))),
        **fields,
    )
