"""Windows of other texts, to hold the strong pairs of a window against pairs of tokens that have nothing to do with it.

A text of a study is held against another of the corpus (`study.noise`). One alone is held against several sample texts,
in whatever language it is itself.
The other texts are read in the layout of the first: beside a shuffled text they are shuffled too.
"""

from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from weakref import WeakKeyDictionary

from attn_core.errors import TextError
from attn_core.models.head_outputs import Values
from attn_core.models.records import LoadedModel
from attn_core.similarity.strong_pairs import Unit
from attn_core.similarity.words import in_unit
from attn_core.texts.documents import Document, Sample, read_document, samples
from attn_core.texts.passages import Layout, Passage, read_beginning

SAMPLES = ("long_story.txt", "three_topics.txt", "dialogue.txt", "six_topics.txt", "field_guide_sections.txt")
TEXTS = 4  # that one text is held against; who reads one of the samples takes the next


@dataclass(frozen=True, eq=False)
class Unrelated:
    """A window and its head outputs z, (layer, head, token, d_head)."""

    passage: Passage
    z: Values


_read: "WeakKeyDictionary[LoadedModel, dict[tuple[str, Layout, Unit], Unrelated]]" = WeakKeyDictionary()


def samples_beside(document: Document) -> tuple[Sample, ...]:
    """The sample texts that a text is held against; never the text itself."""
    texts = {sample.file: sample for sample in samples()}
    return tuple(texts[file] for file in SAMPLES if _as_read(texts[file]) != document.text)[:TEXTS]


@cache
def _as_read(sample: Sample) -> str:
    """The text without its gold lines."""
    return read_document(sample.text, sample.language).text


def read_samples(
    model: LoadedModel, document: Document, layout: Layout, unit: Unit = "tokens"
) -> tuple[Unrelated, ...]:
    """The first windows of the sample texts that a text is held against; read once for every model, layout and unit.

    Those that the model's tokenizer cannot read, which may have another alphabet, are left out.
    """
    read = []
    for sample in samples_beside(document):
        with suppress(TextError):
            read.append(_read_sample(model, sample, layout, unit))
    return tuple(read)


def _read_sample(model: LoadedModel, sample: Sample, layout: Layout, unit: Unit) -> Unrelated:
    known = _read.setdefault(model, {})
    if (sample.file, layout, unit) not in known:
        whole = read_document(sample.text, sample.language)
        passage = read_beginning(whole, model.tokenizer, model.max_tokens, layout)
        known[sample.file, layout, unit] = read_unrelated(model, passage, unit)
    return known[sample.file, layout, unit]


def read_unrelated(model: LoadedModel, passage: Passage, unit: Unit) -> Unrelated:
    """A window of another text as the model reads it, in the unit that pairs are of."""
    from attn_core.models.capture import capture

    passage, output = in_unit(unit, passage, capture(model, [passage])[0])
    return Unrelated(passage, output.z)
