"""Readings: a document with the head outputs of a model.

Torch is imported inside the functions that run a model, so that a page shows its title first.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from numbers import Integral

import numpy as np
import pandas as pd

from attn_core.analysis.references import read_references
from attn_core.errors import InputError, TextError, check_choice
from attn_core.head import Head
from attn_core.models.head_outputs import HeadOutputs, as_array
from attn_core.models.records import LoadedModel, provenance_of
from attn_core.models.windows import bytes_of_outputs, check_memory
from attn_core.similarity.noise_counts import ReferenceTokens
from attn_core.similarity.words import UNITS, Unit, find_words, to_words
from attn_core.texts.documents import Document
from attn_core.texts.passages import Layout, Passage, read_passages

SEGMENTATIONS = ("partition", "separator_attention")  # ours, and the paper's suggestion


@dataclass(frozen=True, eq=False, repr=False)
class Reading:
    """The windows of a document, one or all, with the head outputs of a model in each.

    unit: the unit of passages and outputs, the model's "tokens" or the text's "words".
    """

    model: LoadedModel
    document: Document
    layout: Layout
    passages: tuple[Passage, ...]
    outputs: tuple[HeadOutputs, ...]
    unit: Unit = "tokens"

    def __repr__(self) -> str:
        return f"Reading({self.document!r}, {self.model!r}, {len(self.passages)} windows)"

    @cached_property
    def references(self) -> ReferenceTokens:
        """Tokens of the reference texts, read in the same layout and unit."""
        return read_references(self.model, self.document, self.layout, self.unit)

    def index(self, window: int | None) -> int:
        """The index of a window among those read, by its number from 1; None for the only window.

        Raises InputError for one that was not read, and for None where several were.
        """
        numbers = [passage.index + 1 for passage in self.passages]
        if window is None and len(numbers) > 1:
            raise InputError(f"This text was read in {len(numbers)} windows: say which, such as window={numbers[0]}.")
        if window is not None and window not in numbers:
            raise InputError(f"Window {window!r} was not read: windows {window_numbers(self.passages)} were.")
        return 0 if window is None else numbers.index(window)

    @cached_property
    def token_passages(self) -> tuple[Passage, ...]:
        """The windows in tokens, whatever the unit."""
        if self.unit == "tokens":
            return self.passages
        every = windows_of(self.model, self.document, self.layout)
        return tuple(every[passage.index] for passage in self.passages)

    @cached_property
    def segments(self) -> pd.DataFrame:
        """The segments of the text read, by the methods of `SEGMENTATIONS`; the model reads its sentences for this."""
        from attn_core import segmentation  # scikit-learn and nltk take seconds to import

        first, start, document = self._part_read()
        outputs = segmentation.SentenceOutputs(self.model, document)
        table = segmentation.segment_table(
            document, {name: segmentation.segment(name, outputs) for name in SEGMENTATIONS}
        )
        of_part = {"first_sentence": first, "last_sentence": first, "start": start, "end": start}
        return table.assign(**{name: table[name] + of_part[name] for name in of_part})

    @property
    def provenance(self) -> dict[str, object]:
        """The model and the text that was read, with its language, layout, windows and unit."""
        return {
            **provenance_of(self.model),
            "text_sha256": sha256(self.document.text.encode()).hexdigest(),
            "sentences": len(self.document.sentences),
            "language": self.document.language,
            "layout": self.layout,
            "windows": window_numbers(self.passages),
            "unit": self.unit,
        }

    def _part_read(self) -> tuple[int, int, Document]:
        """The first sentence and first character read, both from 0, and a document of the part that was read."""
        whole = self.document
        sentences = np.concatenate([passage.sentences for passage in self.passages])
        first, last = int(sentences[sentences >= 0].min()), int(sentences.max())
        if last - first + 1 == len(whole.sentences):
            return 0, 0, whole
        start, end = whole.sentences[first][0], whole.sentences[last][1]
        spans = tuple((low - start, high - start) for low, high in whole.sentences[first : last + 1])
        return first, start, Document(whole.text[start:end], spans, language=whole.language)


def windows_of(
    model: LoadedModel, document: Document, layout: Layout = "plain", window: int | None = None
) -> tuple[Passage, ...]:
    """All windows of a document, or the one with a number, from 1. Raises TextError for a number out of range."""
    passages = read_passages(document, model.tokenizer, model.max_tokens, layout)
    if window is None:
        return tuple(passages)
    if isinstance(window, bool) or not isinstance(window, Integral):
        raise InputError(f"A window is a whole number from 1 on, or None for all, not {window!r}.")
    if not 1 <= window <= len(passages):
        raise TextError(f"There is no window {window}: this text has {len(passages)}, counted from 1.")
    return (passages[window - 1],)


def read(
    model: LoadedModel,
    document: Document,
    layout: Layout = "plain",
    window: int | None = None,
    keep_maps: bool = False,
    progress: Callable[[int, int], None] | None = None,
    unit: Unit = "tokens",
) -> Reading:
    """The reading of a document, or of one of its windows (numbered from 1), by a model.

    >>> len(attn_core.read(model, document, window=1).passages[0])
    18

    Parameters
    ----------
    model, document: a loaded model, and what it reads.
    layout: "plain", "separated" or "shuffled", see `read_passages`.
    window: the number of a window, from 1; None reads all.
    keep_maps: whether to keep attention maps, N x N numbers per head.
    progress: called with (windows done, windows in all).
    unit: "tokens" or "words", see `similarity.words`.

    Raises TextError for a window that does not exist, ModelError if the windows do not fit into memory, InputError for
    an unknown layout or unit.
    """
    check_choice(unit, UNITS, "A unit")
    from attn_core.models.capture import capture

    passages = windows_of(model, document, layout, window)
    if len(passages) > 1:
        needed = bytes_of_outputs(model, sum(map(len, passages)))
        check_memory(needed, f"All {len(passages):,} windows of this text, read by {model.spec.name},")
    outputs = []
    for done, passage in enumerate(passages):
        if progress:
            progress(done, len(passages))
        outputs += capture(model, [passage], keep_maps)
    reading = Reading(model, document, layout, passages, tuple(outputs))
    return word_reading(reading) if unit == "words" else reading


def word_reading(reading: Reading) -> Reading:
    """The reading in words, computed from a reading in tokens."""
    passages, outputs = zip(*map(to_words, reading.passages, reading.outputs), strict=True)
    return replace(reading, passages=passages, outputs=outputs, unit="words")


def attention_of(model: LoadedModel, passage: Passage, head: Head, unit: Unit = "tokens") -> np.ndarray:
    """The attention map of one head, (query, key), over tokens or words; the forward pass keeps no other map."""
    from attn_core.models.capture import attention_maps

    maps = attention_maps(model, passage, [head])
    return as_array(maps[0]) if unit == "tokens" else find_words(passage).attention([maps[0][None]])[0, 0]


def window_numbers(passages: Sequence[Passage]) -> str:
    """The numbers of consecutive windows as text: "3", "1 to 12"."""
    first, last = passages[0].index + 1, passages[-1].index + 1
    return str(first) if first == last else f"{first} to {last}"
