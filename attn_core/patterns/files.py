"""Files of annotated texts as texts of a corpus: CoNLL-U and GAP's tables, compressed or not."""

from collections.abc import Callable, Iterator
from pathlib import Path

from attn_core.errors import InputError, TextError
from attn_core.io.paths import shown
from attn_core.patterns.conllu import read_conllu
from attn_core.patterns.gap import read_gap
from attn_core.study.text_files import Entry, kind_of, read_whole
from attn_core.texts.annotated import AnnotatedText
from attn_core.texts.documents import decode

READERS: dict[str, Callable[[str, str], list[AnnotatedText]]] = {".conllu": read_conllu, ".tsv": read_gap}


def is_annotated(file: Path) -> bool:
    """Whether the texts of a file come with relations of their words."""
    return kind_of(file) in READERS


def annotated_texts(file: Path) -> Iterator[Entry]:
    """The texts of a file. Raises TextError, with the sentence or the line, for one that is not what its name says."""
    name = shown(file.name)
    data, size = read_whole(file)
    try:
        texts = READERS[kind_of(file)](decode(data, name)[0], name)
    except InputError as error:
        raise TextError(str(error)) from None
    for number, one in enumerate(texts, start=1):
        yield Entry(f":{shown(one.name)}", one.text, None, size * number // len(texts), annotated=one)
