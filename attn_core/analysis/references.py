"""Token vectors of the reference texts, read in the layout of the text: shuffled for a shuffled text."""

from collections.abc import Mapping
from contextlib import suppress
from weakref import WeakKeyDictionary

import numpy as np

from attn_core.errors import TextError
from attn_core.models.head_outputs import HeadOutputs, Values
from attn_core.models.records import LoadedModel
from attn_core.similarity.context_similarity import as_measured
from attn_core.similarity.noise_counts import TOKENS, ReferenceTokens
from attn_core.similarity.strong_pairs import MEASURES, Measure
from attn_core.similarity.words import Unit, to_words
from attn_core.texts.documents import Document
from attn_core.texts.passages import Layout, Passage, read_passages
from attn_core.texts.reference_texts import reference_texts

UNKNOWN = 0.1  # the largest share of unknown tokens; a text with more is left out (our choice)
NOT_APPLICABLE = "none: not read yet, or this model reads fewer than nine in ten of their tokens"
_read: "WeakKeyDictionary[LoadedModel, dict[tuple[Layout, Unit], ReferenceTokens]]" = WeakKeyDictionary()


def read_references(model: LoadedModel, document: Document, layout: Layout, unit: Unit = "tokens") -> ReferenceTokens:
    """The tokens of each reference text other than the document, by name; read once per model, layout and unit.

    Texts that the model cannot read or that have more than a tenth of unknown tokens are left out.
    """
    known: dict[tuple[Layout, Unit], ReferenceTokens] = _read.setdefault(model, {})
    if (layout, unit) not in known:
        known[layout, unit] = _tokens_of_all(model, layout, unit)
    return {name: known[layout, unit][name] for name in reference_texts(document.text) if name in known[layout, unit]}


def _tokens_of_all(model: LoadedModel, layout: Layout, unit: Unit) -> ReferenceTokens:
    """Evenly spaced tokens of the first window of each text that the model can read, without special ones."""
    from attn_core.models.capture import capture

    passages: dict[str, Passage] = {}
    for name, text in reference_texts().items():
        with suppress(TextError):
            passage = read_passages(text, model.tokenizer, model.max_tokens, layout)[0]
            if np.mean(passage.token_ids == model.tokenizer.unk_token_id) <= UNKNOWN:
                passages[name] = passage
    outputs = capture(model, list(passages.values())) if passages else []
    return {
        name: _tokens_of(*(to_words(passage, output) if unit == "words" else (passage, output)))
        for (name, passage), output in zip(passages.items(), outputs, strict=True)
    }


def _tokens_of(passage: Passage, output: HeadOutputs) -> Mapping[Measure, Values]:
    """The vectors of `TOKENS` evenly spaced tokens of a window, by measure."""
    from attn_core.similarity.selection import as_tensor

    able, z = np.flatnonzero(~passage.is_special), as_tensor(output.z)
    some = able[np.arange(min(TOKENS, len(able))) * len(able) // min(TOKENS, len(able))]
    return {measure: as_measured(z, measure)[:, :, some] for measure in MEASURES}
