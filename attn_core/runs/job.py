"""The jobs of a run, their results, and the model that all its workers must have.

The classes do not import torch, so that pages need not wait for it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

import pyarrow as pa

from attn_core import __version__
from attn_core.errors import InputError
from attn_core.models.files import ModelSpec
from attn_core.texts.annotated import AnnotatedText

if TYPE_CHECKING:
    from attn_core.models.records import LoadedModel


@dataclass(frozen=True)
class Piece:
    """A text of a corpus, or a part of a very long one; parts count from 0.

    text: None if it could not be read. done: the share of the corpus up to its end. group: the number of its group,
    which intervals leave out as a whole. annotated: the text with its words and their relations, if it has any.
    encoding: of the file, if it was assumed.
    """

    number: int
    name: str
    text: str | None
    problem: str | None
    done: float
    group: int
    annotated: AnnotatedText | None = None
    part: int = 0
    encoding: str | None = None


@dataclass(frozen=True)
class Shard:
    """Pieces that are counted together. done: the share of the corpus up to the shard's end."""

    number: int
    pieces: tuple[Piece, ...]
    done: float


@dataclass(frozen=True)
class ModelFacts:
    """The description of a model in a manifest.

    name: not compared, since the revision identifies a model. tokenizer: SHA-256 of the tokenizer. ablation: the
    removed heads and their replacement, if any. place: its path on the machine that counted, see `ModelSpec.place`;
    neither compared nor exported. removed: layer and head, from 0, of all heads without effect, see `LoadedModel`; not
    compared, since they follow from the others.
    """

    name: str = field(compare=False)
    revision: str
    layers: int
    heads: int
    max_tokens: int
    causal: bool
    device: str
    tokenizer: str
    place: str = field(default="", compare=False)
    ablation: Mapping[str, object] | None = None
    removed: Sequence[Sequence[int]] = field(default=(), compare=False)


@dataclass(frozen=True)
class RunModel:
    """The model and the version of the program that each worker of a run must have.

    threads: the number of torch's threads; None leaves it unchanged.
    """

    spec: ModelSpec
    facts: ModelFacts
    threads: int | None
    version: str = __version__


@dataclass(frozen=True)
class ModelJob:
    """A shard to count and the model that reads it."""

    shard: Shard
    model: RunModel


@dataclass(frozen=True)
class ShardResult:
    """The tables of a counted shard by name, and its numbers of texts, windows and bad texts."""

    tables: Mapping[str, pa.Table]
    texts: int
    windows: int
    bad: int


def describe(spec: ModelSpec, threads: int | None) -> ModelFacts:
    """The description of a model, which is loaded in this process."""
    from attn_core.models.loading import model_of
    from attn_core.numerics.threads import use_threads

    if threads is not None:
        use_threads(threads)
    model = model_of(spec)
    return ModelFacts(
        str(spec), model.revision, model.layers, model.heads, model.max_tokens, model.causal, model.device.type,
        sha256(model.tokenizer.backend_tokenizer.to_str().encode()).hexdigest(), spec.place,
        spec.removed.get("ablation"), model.removed,
    )  # fmt: skip


def checked_model(model: RunModel) -> "LoadedModel":
    """The model of a run in this process.

    Raises InputError if the program or the model of this worker is not that of the run.
    """
    from attn_core.models.loading import model_of

    if model.version != __version__:
        raise InputError("A worker has another version of this program than the run: install the same everywhere.")
    facts = describe(model.spec, model.threads)
    if facts != model.facts:
        raise InputError(f"A worker has another {facts.name} ({facts.revision}, {facts.device}) than the run has.")
    return model_of(model.spec)
