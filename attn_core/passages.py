"""From a document to what the model reads: windows of tokens that know their text, sentence and kind."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from attn_core.errors import TextError
from attn_core.texts import Document

Layout = Literal["plain", "separated"]
Row = tuple[int, int, int, int]  # token id, start, end, sentence
SENTENCE_FINAL = frozenset(".?!…‽。！？｡؟۔।॥")


@dataclass(frozen=True, eq=False)
class Passage:
    """One window of a document as the model reads it: N tokens, special tokens included, padding never.

    All arrays have shape (N,). `starts` and `ends` are character offsets in `document.text` (-1 for special tokens);
    `sentences` is the index of the token's sentence in the document, -1 for none ([CLS]).
    """

    document: Document
    index: int
    token_ids: np.ndarray
    tokens: tuple[str, ...]
    starts: np.ndarray
    ends: np.ndarray
    sentences: np.ndarray
    is_special: np.ndarray
    is_separator: np.ndarray

    def __len__(self) -> int:
        return len(self.token_ids)

    def surface(self, position: int) -> str:
        """The characters of the text that a token stands for; the token itself where it is special."""
        if self.is_special[position]:
            return self.tokens[position]
        return self.document.text[self.starts[position] : self.ends[position]]

    def word(self, position: int) -> str:
        """The word of the text that a token is a part of."""
        if self.is_special[position]:
            return self.tokens[position]
        text = self.document.text
        start, end = int(self.starts[position]), int(self.ends[position])
        if not text[start:end].strip().isalnum():
            return text[start:end].strip()
        while start > 0 and text[start - 1].isalnum():
            start -= 1
        while end < len(text) and text[end].isalnum():
            end += 1
        return text[start:end].strip()


def read_passages(
    document: Document, tokenizer: Any, max_tokens: int, layout: Layout = "plain"
) -> tuple[Passage, ...]:
    """Cut a document at sentence ends into windows of at most `max_tokens` tokens.

    "plain" wraps a window as the tokenizer wraps a text ([CLS] text [SEP]); "separated" closes every sentence with the
    separator token instead. Special tokens typed in the text are read as ordinary characters. A sentence that is longer
    than a window is cut where the window is full.

    Raises TextError where the layout needs a separator token that the tokenizer lacks.
    """
    prefix, suffix, separator = _frame(tokenizer)
    if layout == "separated" and separator is None:
        raise TextError("This model's tokenizer has no separator token: choose the plain layout.")
    closing = [separator] if layout == "separated" else []
    room = max_tokens - len(prefix) - (1 if closing else len(suffix))
    encoded = tokenizer(
        document.text, add_special_tokens=False, return_offsets_mapping=True, split_special_tokens=True, verbose=False
    )
    ids = np.asarray(encoded["input_ids"], dtype=np.int64)
    spans = np.asarray(encoded["offset_mapping"], dtype=np.int64).reshape(-1, 2)
    if not len(ids):
        raise TextError("The tokenizer found no token in this text: type or paste a sentence of words.")
    sentence = _sentence_of(document, spans[:, 0])
    text_rows = list(zip(ids.tolist(), *spans.T.tolist(), sentence.tolist(), strict=True))
    windows = []
    for index, chunks in enumerate(_packed(_chunks(sentence, room, len(closing)), room, len(closing))):
        rows = _special_rows(prefix, -1)
        for start, end in chunks:
            rows += text_rows[start:end] + _special_rows(closing, int(sentence[end - 1]))
        rows += [] if closing else _special_rows(suffix, rows[-1][3])
        windows.append(_passage(document, index, rows, tokenizer, separator))
    return tuple(windows)


def readable_tokens(tokenizer: Any, ids: np.ndarray) -> dict[int, str]:
    """Names for token ids: the vocabulary's own piece, with byte-level pieces decoded and word starts marked ``▁``."""
    names = {}
    for token_id in map(int, np.unique(ids)):
        piece = str(tokenizer.convert_ids_to_tokens(token_id))
        if piece.startswith("Ġ") or not piece.isascii() and "▁" not in piece:
            decoded = tokenizer.decode([token_id], clean_up_tokenization_spaces=False)
            piece = "▁" + decoded[1:] if decoded.startswith(" ") else decoded or piece
        names[token_id] = piece
    return names


def _frame(tokenizer: Any) -> tuple[list[int], list[int], int | None]:
    """Special tokens before and after a text, and the separator: [SEP], or else the token that ends a text."""
    bare = tokenizer("a", add_special_tokens=False)["input_ids"]
    full = tokenizer("a")["input_ids"]
    at = next((i for i in range(len(full)) if full[i : i + len(bare)] == bare), 0)
    separator = tokenizer.sep_token_id if tokenizer.sep_token_id is not None else tokenizer.eos_token_id
    return full[:at], full[at + len(bare) :], separator


def _sentence_of(document: Document, starts: np.ndarray) -> np.ndarray:
    """Index of the last sentence that begins at or before each offset; blanks before the first belong to the first."""
    begins = np.array([begin for begin, _ in document.sentences])
    return np.maximum(np.searchsorted(begins, starts, side="right") - 1, 0)


def _chunks(sentence: np.ndarray, room: int, closing: int) -> Iterator[tuple[int, int]]:
    """Token spans of the sentences, a longer one than a window in several."""
    edges = np.flatnonzero(np.diff(sentence)) + 1
    for start, end in zip([0, *edges], [*edges, len(sentence)], strict=True):
        for cut in range(start, end, room - closing):
            yield int(cut), int(min(cut + room - closing, end))


def _packed(chunks: Iterator[tuple[int, int]], room: int, closing: int) -> Iterator[list[tuple[int, int]]]:
    """As many chunks a window as fit."""
    window: list[tuple[int, int]] = []
    used = 0
    for start, end in chunks:
        cost = end - start + closing
        if window and used + cost > room:
            yield window
            window, used = [], 0
        window.append((start, end))
        used += cost
    if window:
        yield window


def _special_rows(ids: list[int], sentence: int) -> list[Row]:
    return [(token_id, -1, -1, sentence) for token_id in ids]


def _passage(document: Document, index: int, rows: list[Row], tokenizer: Any, separator: int | None) -> Passage:
    ids, starts, ends, sentences = np.array(rows, dtype=np.int64).T
    special = starts < 0
    names = readable_tokens(tokenizer, ids)
    surfaces = (document.text[max(start, 0) : max(end, 0)].strip() for start, end in zip(starts, ends, strict=True))
    final = np.array([bool(surface) and set(surface) <= SENTENCE_FINAL for surface in surfaces])
    return Passage(
        document=document,
        index=index,
        token_ids=ids,
        tokens=tuple(names[int(token_id)] for token_id in ids),
        starts=starts,
        ends=ends,
        sentences=sentences,
        is_special=special,
        is_separator=final | (special & (ids == separator) if separator is not None else False),
    )
