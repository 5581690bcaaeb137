"""What goes to a worker and what comes back: records that know nothing of torch, so that a page may wait for them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from attn_core import __version__
from attn_core.models.files import ModelSpec
from attn_core.texts.annotated import AnnotatedText


@dataclass(frozen=True)
class Piece:
    """A text of a corpus, or a part of a very long one; parts count from 0. `text` is None where the text could not be read.

    done: the share of the corpus up to the text's end. group: what it is left out with for intervals, the number of its group or
    its own. annotated: the text with its words and their relations, where its file tells them.
    """

    number: int
    name: str
    text: str | None
    problem: str | None
    done: float
    group: int
    annotated: AnnotatedText | None = None
    part: int = 0


@dataclass(frozen=True)
class Shard:
    """Pieces that are counted together. `done` is the share of the corpus up to the shard's end."""

    number: int
    pieces: tuple[Piece, ...]
    done: float


@dataclass(frozen=True)
class ModelFacts:
    """What the manifest says of a model. tokenizer: SHA-256 of what it does to a text.

    ablation: heads and replace of a model without some heads.
    place: what finds it again on the machine that counted, see `ModelSpec.place`; it makes no difference, and is not handed on.
    """

    name: str
    revision: str
    layers: int
    heads: int
    max_tokens: int
    causal: bool
    device: str
    tokenizer: str
    place: str = field(default="", compare=False)
    ablation: Mapping[str, object] | None = None


@dataclass(frozen=True)
class RunModel:
    """The model and the program with which a run began, which each of its workers must have.

    threads: of torch; None leaves them as they are.
    """

    spec: ModelSpec
    facts: ModelFacts
    threads: int | None
    version: str = __version__


@dataclass(frozen=True)
class ModelJob:
    """A shard to count, and with which model."""

    shard: Shard
    model: RunModel


@dataclass(frozen=True)
class Counted:
    """The tables of a counted shard by name, and how much was in it."""

    tables: Mapping[str, pa.Table]
    texts: int
    windows: int
    bad: int
