"""Windows of other texts, to hold the strong pairs of a window against pairs of tokens that have nothing to do with it.

A text of a study is held against another of the corpus (`study.noise`). One alone is held against several sample texts,
in whatever language it is itself.
The other texts are read in the layout of the first: beside a shuffled text they are shuffled too.
"""

from contextlib import suppress
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from attn_core.errors import TextError
from attn_core.models.head_outputs import Values
from attn_core.models.records import LoadedModel
from attn_core.similarity.strong_pairs import Unit
from attn_core.similarity.words import in_unit
from attn_core.texts.documents import Document
from attn_core.texts.passages import Layout, Passage, read_beginning
from attn_core.texts.reference_texts import reference_texts


@dataclass(frozen=True, eq=False)
class Unrelated:
    """A window and its head outputs z, (layer, head, token, d_head)."""

    passage: Passage
    z: Values


_read: "WeakKeyDictionary[LoadedModel, dict[tuple[str, Layout, Unit], Unrelated]]" = WeakKeyDictionary()


def read_samples(
    model: LoadedModel, document: Document, layout: Layout, unit: Unit = "tokens"
) -> tuple[Unrelated, ...]:
    """The first windows of the sample texts that a text is held against; read once for every model, layout and unit.

    Those that the model's tokenizer cannot read, which may have another alphabet, are left out.
    """
    read = []
    for file, text in reference_texts(document.text).items():
        with suppress(TextError):
            read.append(_read_reference(model, file, text, layout, unit))
    return tuple(read)


def _read_reference(model: LoadedModel, file: str, text: Document, layout: Layout, unit: Unit) -> Unrelated:
    known = _read.setdefault(model, {})
    if (file, layout, unit) not in known:
        passage = read_beginning(text, model.tokenizer, model.max_tokens, layout)
        known[file, layout, unit] = read_unrelated(model, passage, unit)
    return known[file, layout, unit]


def read_unrelated(model: LoadedModel, passage: Passage, unit: Unit) -> Unrelated:
    """A window of another text as the model reads it, in the unit that pairs are of."""
    from attn_core.models.capture import capture

    passage, output = in_unit(unit, passage, capture(model, [passage])[0])
    return Unrelated(passage, output.z)
