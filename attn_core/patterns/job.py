"""What goes to a worker that scores patterns: annotated texts, and with what they are read."""

from dataclasses import dataclass

from attn_core.passages import Layout
from attn_core.patterns.annotated import AnnotatedText
from attn_core.study.job import ModelJob


@dataclass(frozen=True)
class PatternJob(ModelJob):
    """The annotated texts of a shard, one for each of its pieces."""

    texts: tuple[AnnotatedText, ...]
    layout: Layout
