"""Two texts for an encoder-decoder: its encoder reads the source while its decoder reads the text that is analysed.

The source is a part of `ModelSpec`, as an intervention is, so that whatever reads, keeps, counts or exports with one says so. It
is put on last, around windows and interventions; what both are found with reads without it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from attn_core.errors import TextError
from attn_core.models.records import LoadedModel, Source
from attn_core.texts.documents import read_document
from attn_core.texts.passages import read_passages


def with_source(model: LoadedModel, source: str | None) -> LoadedModel:
    """The same model, whose encoder reads the source, or what its decoder reads (None); both share one network.

    The encoder reads one window, the first of a longer source, with every window that the decoder reads. Raises InputError
    for a source that is empty or that the model has no decoder's stack for, and TextError for one that cannot be read.
    """
    if source == model.spec.source:
        return model
    alone = model.source.alone if model.source else model
    if source is None:
        return alone
    spec = replace(alone.spec, source=source)
    with told_of_source():
        windows = read_passages(read_document(source), model.tokenizer, model.max_tokens)
    return replace(alone, spec=spec, source=Source(windows[0], len(windows), alone))


@contextmanager
def told_of_source() -> Iterator[None]:
    """Say of the source what is wrong with a text."""
    try:
        yield
    except TextError as error:
        raise TextError(f"The source, which the encoder reads, cannot be read. {error}") from None
