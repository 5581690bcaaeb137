"""Token vectors of the reference texts, read in the layout of the text: shuffled for a shuffled text."""

from collections.abc import Mapping
from contextlib import suppress
from weakref import WeakKeyDictionary

import numpy as np

from attn_core.errors import TextError
from attn_core.models.head_outputs import Values
from attn_core.models.records import LoadedModel
from attn_core.similarity.context_similarity import as_measured
from attn_core.similarity.noise import TOKENS, ReferenceTokens
from attn_core.similarity.strong_pairs import MEASURES, Measure
from attn_core.similarity.words import Unit, over_words
from attn_core.texts.documents import Document, reference_texts
from attn_core.texts.passages import Layout, read_passages

UNKNOWN = 0.1  # the largest share of unknown tokens; a text with more is left out (our choice)
NOT_APPLICABLE = "none: not read yet, or this model reads fewer than nine in ten of their tokens"
_read: "WeakKeyDictionary[LoadedModel, dict[tuple[str, Layout, Unit], ReferenceTokens]]" = WeakKeyDictionary()


def read_references(model: LoadedModel, document: Document, layout: Layout, unit: Unit = "tokens") -> ReferenceTokens:
    """The tokens of each reference text of a document, by file; read once per model, layout and unit.

    Texts that the model cannot read or that have more than a tenth of unknown tokens are left out.
    """
    known: dict[tuple[str, Layout, Unit], ReferenceTokens] = _read.setdefault(model, {})
    read: dict[str, Mapping[Measure, Values]] = {}
    for file, text in reference_texts(document.text).items():
        key = file, layout, unit
        if key not in known:
            known[key] = _tokens_of(model, file, text, layout, unit)
        read |= known[key]
    return read


def were_read(model: LoadedModel, layout: Layout, unit: Unit) -> bool:
    """Whether reference texts were read in this layout and unit; at most one is then missing."""
    return any(key[1:] == (layout, unit) for key in _read.get(model, {}))


def _tokens_of(model: LoadedModel, file: str, text: Document, layout: Layout, unit: Unit) -> ReferenceTokens:
    """Evenly spaced tokens of the first window, without special ones; empty if the model cannot read the text."""
    from attn_core.models.capture import capture
    from attn_core.similarity.selection import as_tensor

    with suppress(TextError):
        passage = read_passages(text, model.tokenizer, model.max_tokens, layout)[0]
        if np.mean(passage.token_ids == model.tokenizer.unk_token_id) <= UNKNOWN:
            (output,) = capture(model, [passage])
            if unit == "words":
                passage, output = over_words(passage, output)
            able = np.flatnonzero(~passage.is_special)
            some = able[np.arange(min(TOKENS, len(able))) * len(able) // min(TOKENS, len(able))]
            z = as_tensor(output.z)
            return {file: {measure: as_measured(z, measure)[:, :, some] for measure in MEASURES}}
    return {}
