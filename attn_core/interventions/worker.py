"""What a worker does: a shard of texts and removals in, their effects as Parquet files out. Runs in any process anywhere.

windows: a row a window: text, part, window, tokens, and what was measured as lists. texts: a row a text or part of a long one,
with its problem; of the first phase alone, so that each is counted once.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from attn_core.analysis.reading import read
from attn_core.errors import InputError, ModelError, TextError
from attn_core.interventions.effects import effects_of, embeddings_of, estimated_importance
from attn_core.interventions.redundancy import redundancy
from attn_core.interventions.settings import AblationJob, Phase
from attn_core.models.records import LoadedModel
from attn_core.runs.job import Counted, Piece, agreed_model
from attn_core.study.shard_tables import table
from attn_core.texts.documents import Document, read_document
from attn_core.texts.passages import Passage, read_passages

TEXT_COLUMNS = ("text", "part", "group", "name", "problem", "windows", "tokens", "redundancy", "chance")
LATER = ("curve", "labelled")  # phases of texts that another one has listed, or that are none of the corpus
Row = dict[str, Any]


def measure(job: AblationJob) -> Counted:
    """Measure a shard. The same job gives the same bytes in every process.

    Raises InputError where the program or the model of this worker is not the one that the work began with.
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
    if job.phase in LATER:
        texts = []
    tables = {"texts": table(texts, TEXT_COLUMNS)}
    if windows:
        tables["windows"] = table(windows, list(windows[0]))
    whole = sum("problem" not in row and row["part"] == 0 for row in texts)
    return Counted(tables, whole, len(windows), len(texts) - sum("problem" not in row for row in texts))


def _read(model: LoadedModel, job: AblationJob, piece: Piece) -> tuple[Row, list[Row]]:
    """What is known of a text, and a row of each of its windows."""
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
    return known | (_redundancy(model, document, job) if job.phase == "importance" else {}), windows


def _curve(model: LoadedModel, passage: Passage, job: AblationJob) -> Row:
    return {"embedding": effects_of(model, passage, job.removals, job.settings.replace).embedding}


def _importance(model: LoadedModel, passage: Passage, job: AblationJob) -> Row:
    estimated = np.full(model.layers * model.heads, np.nan)
    if job.settings.replace != "even":
        with suppress(ModelError):  # capped attention has no gradients here: what is measured stands alone
            estimated = estimated_importance(model, passage, job.settings.replace, job.settings.seed).ravel()
    return _curve(model, passage, job) | {"estimated": estimated}


def _effect(model: LoadedModel, passage: Passage, job: AblationJob) -> Row:
    """The first removal is that of the chosen heads, the others are of random ones."""
    effects = effects_of(model, passage, job.removals, job.settings.replace)
    return {"embedding": effects.embedding, "tokens_effect": effects.tokens.mean(axis=1)}


def _labelled(model: LoadedModel, passage: Passage, job: AblationJob) -> Row:
    """The embeddings (removal, hidden), in one list."""
    return {"embeddings": embeddings_of(model, passage, job.removals, job.settings.replace).ravel()}


MEASURES: Mapping[Phase, Callable[[LoadedModel, Passage, AblationJob], Row]] = {
    "curve": _curve, "importance": _importance, "effect": _effect, "labelled": _labelled,
}  # fmt: skip


def _redundancy(model: LoadedModel, document: Document, job: AblationJob) -> Row:
    """Which heads are redundant; nothing of a text with too few words."""
    try:
        found, chance = redundancy(read(model, document, job.settings.layout), job.settings.seed)
    except InputError:
        return {}
    return {"redundancy": found.astype(np.float32), "chance": chance}
