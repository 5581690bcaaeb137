"""What goes to a worker that scores patterns: texts with their pairs, or with rules for them, and how they are read."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from attn_core.models.records import LoadedModel
from attn_core.patterns.annotated import AnnotatedText
from attn_core.runs.job import ModelJob, Shard
from attn_core.texts.passages import Layout


class Annotatable(Protocol):
    """A text that has word pairs, or in which a worker finds them."""

    def annotated(self, model: LoadedModel, layout: Layout, /) -> AnnotatedText:
        """The text with its pairs. Raises TextError where it cannot be read."""
        ...


class Texts(Protocol):
    """Texts of which patterns are scored: annotated files, or a corpus and rules."""

    def identity(self) -> dict[str, Any]:
        """What the numbers depend on, as it stands in the manifest."""
        ...

    def check(self) -> None:
        """Raises InputError where they cannot be read."""
        ...

    def lengths(self) -> Iterator[int]:
        """Characters of every text, 0 of one that cannot be read."""
        ...

    def shards(self, characters: int) -> Iterator[tuple[Shard, tuple[Annotatable, ...]]]:
        """In their order, about so many characters a shard, with a text for each of its pieces."""
        ...


@dataclass(frozen=True)
class PatternJob(ModelJob):
    """The texts of a shard, one for each of its pieces."""

    texts: tuple[Annotatable, ...]
    layout: Layout
