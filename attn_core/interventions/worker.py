"""The work of one process: the effects of removals on the texts of a shard, as Arrow tables.

windows: a row a window: text, part, window, tokens, and lists of effects. texts: a row a text or part of a long one,
with its problem; of the first phase alone, so that each is counted once.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from attn_core.analysis.reading import Reading, read
from attn_core.comparison.match import match_heads
from attn_core.errors import InputError, ModelError, TextError
from attn_core.interventions.effects import Removal, effects_of, embeddings_of, estimated_importance
from attn_core.interventions.settings import AblationSettings
from attn_core.models.records import LoadedModel
from attn_core.runs.job import Counted, ModelJob, Piece, agreed_model
from attn_core.study.shard_tables import table
from attn_core.texts.documents import read_document
from attn_core.texts.passages import Passage, read_passages

# What is measured of a window, each in a folder of its own. labelled: of the first window of each labelled text.
Phase = Literal["effect", "importance", "curve", "labelled"]
FIRST = ("effect", "importance")  # phases that list the texts
TEXT_COLUMNS = ("text", "part", "group", "name", "problem", "windows", "tokens", "redundancy", "chance")
DRAWS = 9  # permutations of the words, for the chance level of redundancy
Row = dict[str, Any]


@dataclass(frozen=True)
class AblationJob(ModelJob):
    """A shard of texts, and the removals whose effects on them are measured."""

    phase: Phase
    removals: tuple[Removal, ...]
    settings: AblationSettings


def measure(job: AblationJob) -> Counted:
    """The tables of a shard; the same job gives the same bytes in every process.

    Raises InputError where this worker has another program or model than the run.
    """
    model = agreed_model(job.model)
    texts: list[Row] = []
    windows: list[Row] = []
    for piece in job.shard.pieces:
        row: Row = {"text": piece.number, "part": piece.part, "group": piece.group, "name": piece.name}
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
    return Counted(tables, whole, len(windows), len(texts) - len(read_texts))


def _read(model: LoadedModel, job: AblationJob, piece: Piece) -> tuple[Row, list[Row]]:
    """The facts of a text, and a row of each of its windows."""
    if piece.text is None:
        raise TextError(piece.problem or "unreadable")
    document = read_document(piece.text, job.settings.language)
    passages = read_passages(document, model.tokenizer, model.max_tokens, job.settings.layout)
    text = piece.group
    if job.phase == "labelled":  # whose groups are the labels; the first part of a text has its first window
        passages, text = passages[: piece.part == 0], piece.number
    windows = [
        {"text": text, "part": piece.part, "window": passage.index, "tokens": len(passage)}
        | MEASURES[job.phase](model, passage, job)
        for passage in passages
    ]
    known: Row = {"windows": len(passages), "tokens": sum(map(len, passages))}
    if job.phase == "importance":
        with suppress(InputError):  # a text of too few words has no redundancy
            found, chance = redundancy(read(model, document, job.settings.layout), job.settings.seed)
            known |= {"redundancy": found.astype(np.float32), "chance": chance}
    return known, windows


def redundancy(reading: Reading, seed: int = 0) -> tuple[np.ndarray, float]:
    """The rank correlation of each head's word similarities with those of the head most like it, (H,), and its chance.

    Chance is the mean over heads with the words of the other head permuted. Raises InputError where every window has
    fewer than five words.
    """
    match = match_heads(reading, reading, draws=DRAWS, seed=seed)
    return _of_others(match.correlation), float(np.mean([_of_others(one) for one in match.by_chance]))


def _of_others(correlation: np.ndarray) -> np.ndarray:
    """The largest correlation of each head with another one, (H,)."""
    return np.where(np.eye(len(correlation), dtype=bool), -np.inf, correlation).max(axis=1)


def _effects(model: LoadedModel, passage: Passage, job: AblationJob) -> Row:
    return {"embedding": effects_of(model, passage, job.removals, job.settings.replace).embedding}


def _importance(model: LoadedModel, passage: Passage, job: AblationJob) -> Row:
    estimated = np.full(model.layers * model.heads, np.nan)
    if job.settings.replace != "even":
        with suppress(ModelError):  # capped attention has no gradients here
            estimated = estimated_importance(model, passage, job.settings.replace, job.settings.seed).ravel()
    return _effects(model, passage, job) | {"estimated": estimated}


def _labelled(model: LoadedModel, passage: Passage, job: AblationJob) -> Row:
    """The embeddings (removal, hidden), as one list."""
    return {"embeddings": embeddings_of(model, passage, job.removals, job.settings.replace).ravel()}


MEASURES: Mapping[Phase, Callable[[LoadedModel, Passage, AblationJob], Row]] = {
    "curve": _effects, "importance": _importance, "effect": _effects, "labelled": _labelled,
}  # fmt: skip
