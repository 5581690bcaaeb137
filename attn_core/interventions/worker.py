"""Work of one process: the effects of removals on the texts of a shard, as Arrow tables.

windows: one row per window with text, part, window, tokens and lists of effects. texts: one row per text or part of a
long text, with its problem if any; only in the first phase, so that each text is counted once.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from attn_core.errors import InputError, ModelError, TextError, check_choice
from attn_core.interventions.effects import Removal, effects_of, embeddings_of, estimated_importance
from attn_core.models.records import LoadedModel
from attn_core.models.removal import REPLACEMENTS, Replace
from attn_core.runs.job import ModelJob, Piece, ShardResult, checked_model
from attn_core.study.shard_tables import table
from attn_core.texts.documents import read_document
from attn_core.texts.languages import AUTO
from attn_core.texts.passages import Layout, Passage, read_passages

Task = Literal["heads", "importance", "curve"]
IMPORTANCE, ROLE = "importance", "role:"  # orders of removal
# What is measured of a window; each phase has its own folder. labelled: only the first window of each labelled text.
Phase = Literal["effect", "importance", "curve", "labelled"]
FIRST = ("effect", "importance")  # phases with a table of texts
TEXT_COLUMNS = ("text", "part", "group", "name", "problem", "windows", "tokens", "encoding")
Row = dict[str, Any]


@dataclass(frozen=True)
class AblationSettings:
    """Settings of an ablation. Raises InputError for settings that exclude each other.

    what: "heads" (effect of given heads), "importance" (of every head) or "curve" (importance and a pruning curve).
    heads: names of heads (L3H10) or layers (L5). labels: a table with columns text and label. order: of removal along a
    curve, "importance" (least important first) or "role:NAME" (heads of a role first). seed: of random draws.
    """

    what: Task
    heads: tuple[str, ...] = ()
    replace: Replace = "mean"
    labels: Path | None = None
    layout: Layout = "plain"
    language: str = AUTO
    seed: int = 0
    order: str = IMPORTANCE

    def __post_init__(self) -> None:
        check_choice(self.replace, REPLACEMENTS, "What heads are replaced by")
        if (self.what == "heads") != bool(self.heads):
            raise InputError("Name the heads to remove, such as L3H10 or L5; importance and a curve are of all heads.")
        if self.labels is not None and self.what == "importance":
            raise InputError("Labels go with some heads, or with a curve: the importance of each head is of any texts.")
        if self.order != IMPORTANCE and (self.what != "curve" or self.role is None):
            raise InputError(f"The order of a curve is {IMPORTANCE} or {ROLE}NAME ({ROLE}anchor), not {self.order!r}.")

    @property
    def role(self) -> str | None:
        """The role whose heads are removed first; None if the order is not by role."""
        return self.order.removeprefix(ROLE) or None if self.order.startswith(ROLE) else None


@dataclass(frozen=True)
class AblationJob(ModelJob):
    """A shard of texts, and the removals to measure on it."""

    phase: Phase
    removals: tuple[Removal, ...]
    settings: AblationSettings


def measure(job: AblationJob) -> ShardResult:
    """The tables of a shard, byte-identical for the same job in every process.

    Raises InputError if the program or model of this worker differs from that of the run.
    """
    model = checked_model(job.model)
    texts: list[Row] = []
    windows: list[Row] = []
    for piece in job.shard.pieces:
        row: Row = {"text": piece.number, "part": piece.part, "group": piece.group, "name": piece.name}
        row["encoding"] = piece.encoding
        try:
            known, measured = _read(model, job, piece)
        except TextError as error:
            texts.append(row | {"problem": str(error)})
            continue
        texts.append(row | known)
        windows += measured
    texts = texts if job.phase in FIRST else []
    tables = {"texts": table(texts, TEXT_COLUMNS)}
    if windows:
        tables["windows"] = table(windows, list(windows[0]))
    read_texts = [row for row in texts if "problem" not in row]
    whole = sum(row["part"] == 0 for row in read_texts)
    return ShardResult(tables, whole, len(windows), len(texts) - len(read_texts))


def _read(model: LoadedModel, job: AblationJob, piece: Piece) -> tuple[Row, list[Row]]:
    """The columns of a text, and one row per window."""
    if piece.text is None:
        raise TextError(piece.problem or "unreadable")
    document = read_document(piece.text, job.settings.language)
    passages = read_passages(document, model.tokenizer, model.max_tokens, job.settings.layout)
    text = piece.group
    if job.phase == "labelled":  # groups are labels here; the first window is in the first part
        passages, text = passages[: piece.part == 0], piece.number
    windows = [
        {"text": text, "part": piece.part, "window": passage.index, "tokens": len(passage)}
        | MEASURES[job.phase](model, passage, job)
        for passage in passages
    ]
    known: Row = {"windows": len(passages), "tokens": sum(map(len, passages))}
    return known, windows


def _effects(model: LoadedModel, passage: Passage, job: AblationJob) -> Row:
    return {"embedding": effects_of(model, passage, job.removals, job.settings.replace).embedding}


def _importance(model: LoadedModel, passage: Passage, job: AblationJob) -> Row:
    estimated = np.full(model.layers * model.heads, np.nan)
    if job.settings.replace != "even":
        with suppress(ModelError):  # capped attention has no gradient here
            estimated = estimated_importance(model, passage, job.settings.replace, job.settings.seed).ravel()
    return _effects(model, passage, job) | {"estimated": estimated}


MEASURES: Mapping[Phase, Callable[[LoadedModel, Passage, AblationJob], Row]] = {
    "curve": _effects, "importance": _importance, "effect": _effects,
    "labelled": lambda model, passage, job: {  # the sentence embeddings under each removal
        "embeddings": embeddings_of(model, passage, job.removals, job.settings.replace).ravel()
    },
}  # fmt: skip
