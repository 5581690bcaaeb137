"""A window of another text, to hold the strong pairs of a window against pairs of tokens that have nothing to do with it.

A study takes the next text it reads. One text alone is held against a sample text, in whatever language it is itself. The
other text is read in the layout of the first: beside a shuffled text it is shuffled too.
"""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

from attn_core.models.head_outputs import Values
from attn_core.models.records import LoadedModel
from attn_core.similarity.strong_pairs import Unit
from attn_core.similarity.words import in_unit
from attn_core.texts.documents import Document, Sample, read_document, samples
from attn_core.texts.passages import Layout, Passage, read_passages

SAMPLES = ("long_story.txt", "three_topics.txt")  # the second for who reads the first


@dataclass(frozen=True, eq=False)
class Unrelated:
    """A window and its head outputs z, (layer, head, token, d_head)."""

    passage: Passage
    z: Values


_read: "WeakKeyDictionary[LoadedModel, dict[tuple[str, Layout, Unit], Unrelated]]" = WeakKeyDictionary()


def sample_beside(document: Document) -> Sample:
    """The sample text that a text is held against; never the text itself."""
    texts = {sample.file: sample for sample in samples()}
    return next(texts[file] for file in SAMPLES if texts[file].text != document.text)


def read_sample(model: LoadedModel, document: Document, layout: Layout, unit: Unit = "tokens") -> Unrelated:
    """The first window of the sample text that a text is held against; read once for every model, layout and unit."""
    from attn_core.models.capture import capture

    sample = sample_beside(document)
    known = _read.setdefault(model, {})
    if (sample.file, layout, unit) not in known:
        whole = read_document(sample.text, sample.language)
        passage = read_passages(whole, model.tokenizer, model.max_tokens, layout)[0]
        passage, output = in_unit(unit, passage, capture(model, [passage])[0])
        known[sample.file, layout, unit] = Unrelated(passage, output.z)
    return known[sample.file, layout, unit]
