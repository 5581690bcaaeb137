"""Words of a passage, independent of a model's vocabulary, and head outputs by word.

Words are those of `texts.word_spans`; words that share a token (``...``) are merged. Different models thus read the
same words. In scripts without blanks between words (`Words.unspaced`), a word is a pretoken of the tokenizer, or a
token if there are no pretokens. Special tokens and tokens of blanks belong to no word.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Literal, get_args

import numpy as np

from attn_core.models.head_outputs import HeadOutputs, Values, as_array
from attn_core.texts.characters import bare, ends_sentence, word_end, word_spans
from attn_core.texts.passages import Passage

Unit = Literal["tokens", "words"]
UNITS: tuple[Unit, ...] = get_args(Unit)


@dataclass(frozen=True, eq=False)
class Words:
    """The W words of a passage, in the order in which the model read them.

    starts, ends: (W,), character offsets in `document.text`. tokens, words: (M,), token tokens[k] is a part of word
    words[k], sorted by word. unspaced: (W,), whether the script has no blanks between words.
    """

    starts: np.ndarray
    ends: np.ndarray
    tokens: np.ndarray
    words: np.ndarray
    unspaced: np.ndarray

    def __len__(self) -> int:
        return len(self.starts)

    def mean(self, values: Values) -> np.ndarray:
        """The mean of each word's vectors, (..., token, d) -> (..., word, d); NaN for a word without a token."""
        sums = self.sum(values)
        with np.errstate(invalid="ignore"):
            return sums / np.bincount(self.words, minlength=len(self)).astype(sums.dtype)[:, None]

    def sum(self, values: Values) -> np.ndarray:
        """The sum of each word's vectors, (..., token, d) -> (..., word, d)."""
        from scipy.sparse import csr_array  # imported here, since scipy would delay the first chart

        of_tokens = as_array(values)
        *before, tokens, width = of_tokens.shape
        parts = csr_array(
            (np.ones(len(self.words), of_tokens.dtype), (self.words, self.tokens)), shape=(len(self), tokens)
        )
        sums = np.empty((math.prod(before), len(self), width), of_tokens.dtype)
        for number, vectors in enumerate(of_tokens.reshape(-1, tokens, width)):
            sums[number] = parts @ vectors
        return sums.reshape(*before, len(self), width)

    def attention(self, maps: Iterable[Values]) -> np.ndarray:
        """The attention from word to word, (layer, head, word, word). maps: (head, query, key) per layer, by tokens.

        The sum over a key's tokens and the mean over a query's tokens (Clark et al. 2019).
        """
        return np.stack([self.sum(self.mean(layer).swapaxes(-1, -2)).swapaxes(-1, -2) for layer in maps])


@lru_cache(maxsize=4)  # a window is read for its pairs, for their sources and under every setting
def find_words(passage: Passage) -> Words:
    """The words of a passage, each with at least one token; a token belongs to at most one word."""
    tokens, starts, ends = _visible(passage)
    order = np.argsort(starts, kind="stable")  # order in the text, since tokens may be shuffled
    tokens, starts, ends = tokens[order], starts[order], ends[order]
    if not len(tokens):
        return _words(np.empty((3, 0), dtype=np.int64), tokens, tokens)
    offset, end = int(starts.min()), word_end(passage.document.text, int(ends.max()))
    spans = word_spans(passage.document.text[offset:end]) + np.array([[offset], [offset], [0]])
    spans = _cut_unspaced(spans, starts, passage.pretokens[tokens])
    first, last = (np.searchsorted(spans[0], at, side="right") - 1 for at in (starts, ends - 1))
    reached = np.maximum.accumulate(last)
    word = np.cumsum(np.concatenate([[0], first[1:] > reached[:-1]]))
    opens = np.unique(word, return_index=True)[1]
    unspaced = np.maximum.reduceat(spans[2, first], opens)
    joined = np.array([spans[0, first[opens]], np.maximum.reduceat(spans[1, last], opens), unspaced])
    turn = np.argsort(np.minimum.reduceat(tokens, opens))  # by the first token
    by_word = np.lexsort((tokens, np.argsort(turn)[word]))
    return _words(joined[:, turn], tokens[by_word], np.argsort(turn)[word][by_word])


@lru_cache(maxsize=4)
def passage_of_words(passage: Passage, words: Words) -> Passage:
    """The passage with words as tokens.

    The id of a word is a hash of its case-folded form, the same in every text. There are no special tokens.
    """
    text, language = passage.document.text, passage.document.language
    first = words.tokens[np.unique(words.words, return_index=True)[1]]
    as_written = [text[start:end] for start, end in zip(words.starts.tolist(), words.ends.tolist(), strict=True)]
    surfaces = [bare(word) for word in as_written]
    return Passage(
        document=passage.document,
        index=passage.index,
        token_ids=np.array([_word_id(surface) for surface in surfaces], dtype=np.int64),
        tokens=tuple(surface.casefold() for surface in surfaces),
        starts=words.starts,
        ends=words.ends,
        sentences=passage.sentences[first],
        pretokens=np.arange(len(words)),
        is_special=np.zeros(len(words), dtype=bool),
        is_separator=np.array([ends_sentence(word, language) for word in as_written], dtype=bool),
    )


def to_words(passage: Passage, output: HeadOutputs) -> tuple[Passage, HeadOutputs]:
    """A passage and its head outputs by word: z and attention of queries are averaged, received attention is summed."""
    words = find_words(passage)
    maps = None if output.attention is None else words.attention(output.attention)
    received, even = (words.sum(values[..., None])[..., 0] for values in (as_array(output.received), output.even))
    return passage_of_words(passage, words), HeadOutputs(words.mean(output.z), received, maps, even)


@dataclass(frozen=True, eq=False)
class Readable:
    """The units of a window that a head reads: its tokens, or its words and the tokens that are in none, such as [SEP].

    passage: of tokens. words: None for tokens. ids, names, positions: (U,), in the order of reading; positions are
    those of the pairs, -1 for a token in no word. of_token: (N,), the unit of each token.
    """

    passage: Passage
    words: Words | None
    ids: np.ndarray
    names: tuple[str, ...]
    positions: np.ndarray
    of_token: np.ndarray

    def total(self, of_tokens: np.ndarray) -> np.ndarray:
        """The sums over the tokens of each unit, (N, ...) -> (U, ...)."""
        sums = np.zeros((len(self.ids), *of_tokens.shape[1:]))
        np.add.at(sums, self.of_token, of_tokens)
        return sums

    def mixes(self, positions: list[int]) -> np.ndarray:
        """The tokens' parts in what pairs, (row, N): a row for each position, then one for the mean of all."""
        n = len(self.passage)
        if self.words is None:
            parts = np.eye(n)
        else:
            parts = np.zeros((len(self.words), n))
            parts[self.words.words, self.words.tokens] = 1
            parts /= parts.sum(axis=1, keepdims=True)
        return np.concatenate([parts[positions], parts.mean(axis=0)[None]])


def readable(passage: Passage, unit: Unit) -> Readable:
    """The units of a window of tokens."""
    n = len(passage)
    if unit == "tokens":
        return Readable(passage, None, passage.token_ids, passage.tokens, np.arange(n), np.arange(n))
    words = find_words(passage)
    named, word = passage_of_words(passage, words), np.full(n, -1)
    word[words.tokens] = words.words
    unit_of = np.where(word < 0, len(words) + np.arange(n), word)
    _, first, of_unit = np.unique(unit_of, return_index=True, return_inverse=True)
    order = np.argsort(first)  # of reading
    tokens = first[order]
    at = word[tokens]
    names = [named.tokens[one] if one >= 0 else passage.tokens[token] for one, token in zip(at, tokens, strict=True)]
    ids = np.where(at >= 0, named.token_ids[at], passage.token_ids[tokens])
    return Readable(passage, words, ids, tuple(names), at, np.argsort(order)[of_unit])


def words_at_spans(passage: Passage, starts: np.ndarray, ends: np.ndarray) -> Words:
    """The words at given character offsets, such as those of an annotation. starts, ends: (W,), sorted, disjoint.

    A word has all tokens with one of its visible characters, so a token may be a part of two words (*do*, *n't*). A
    word outside the passage has no token.
    """
    tokens, begin, stop = _visible(passage)
    first = np.searchsorted(ends, begin, side="right")
    last = np.searchsorted(starts, stop, side="left")
    number = np.maximum(last - first, 0)
    words = np.repeat(first, number) + np.arange(number.sum()) - np.repeat(np.cumsum(number) - number, number)
    order = np.lexsort((np.repeat(tokens, number), words))
    spans = np.array([starts, ends, np.zeros(len(starts), dtype=np.int64)])
    return _words(spans, np.repeat(tokens, number)[order], words[order])


def _word_id(word: str) -> int:
    """A hash of a word of 48 bits, an integer that spreadsheets and browsers represent exactly."""
    return int.from_bytes(blake2b(word.casefold().encode(), digest_size=6).digest(), "big")


def _words(spans: np.ndarray, tokens: np.ndarray, words: np.ndarray) -> Words:
    return Words(spans[0], spans[1], tokens, words, spans[2].astype(bool))


def _visible(passage: Passage) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The tokens with visible characters, and the start and end offsets of these characters, (T,) each."""
    text, visible = passage.document.text, []
    for token in np.flatnonzero(passage.ends > passage.starts).tolist():
        start, end = int(passage.starts[token]), int(passage.ends[token])
        surface = text[start:end]
        if bare := surface.strip():
            start += len(surface) - len(surface.lstrip())
            visible.append((token, start, start + len(bare)))
    tokens, starts, ends = np.array(visible, dtype=np.int64).reshape(-1, 3).T
    return tokens, starts, ends


def _cut_unspaced(spans: np.ndarray, starts: np.ndarray, pretokens: np.ndarray) -> np.ndarray:
    """The spans of words, with those of unspaced scripts split into pretokens. starts, pretokens: (T,), by token."""
    cut = []
    for start, end, unspaced in spans.T.tolist():
        inside = slice(*np.searchsorted(starts, [start, end])) if unspaced else slice(0)
        own = pretokens[inside]
        new = own[1:] != own[:-1]
        edges = starts[inside][1:][new if new.any() else slice(None)].tolist()
        edges = sorted({start, *edges})
        cut += [(a, b, unspaced) for a, b in zip(edges, [*edges[1:], end], strict=True)]
    return np.array(cut, dtype=np.int64).reshape(-1, 3).T
