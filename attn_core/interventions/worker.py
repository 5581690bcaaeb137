"""What a worker does: a shard of texts and removals in, their effects as Parquet files out. Runs in any process anywhere.

windows: a row a window: text, part, window, tokens, and what was measured as lists, those of
`Measured`. texts: a row a text or part of a long one, with its problem.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any

import numpy as np

from attn_core.analysis.reading import read
from attn_core.errors import InputError, ModelError, TextError
from attn_core.interventions.effects import Removal, effects_of, embeddings_of, estimated_importance, matrix_changes
from attn_core.interventions.job import AblationJob, Measured
from attn_core.interventions.losses import CHANCE, entropies, losses_of
from attn_core.interventions.redundancy import redundancy
from attn_core.io.tables import parquet
from attn_core.models.capture import capture
from attn_core.models.language_head import LanguageHead, language_head
from attn_core.models.named import ablate
from attn_core.models.records import LoadedModel
from attn_core.runs.job import Counted, Piece
from attn_core.runs.model import agreed_model
from attn_core.study.shard_tables import table
from attn_core.texts.documents import Document, read_document
from attn_core.texts.passages import Passage, read_passages

TEXT_COLUMNS = (
    "text", "part", "group", "name", "problem", "windows", "tokens", "redundancy", "chance",
)  # fmt: skip
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
            told, found = _read(model, job, piece)
        except TextError as error:
            texts.append(row | {"problem": str(error)})
            continue
        texts.append(row | told)
        windows += found
    if job.again:
        texts = []
    files = {"texts.parquet": parquet(table(texts, TEXT_COLUMNS))}
    if windows:
        files["windows.parquet"] = parquet(table(windows, list(windows[0])))
    whole = sum("problem" not in row and row["part"] == 0 for row in texts)
    return Counted(files, whole, len(windows), len(texts) - sum("problem" not in row for row in texts))


def _read(model: LoadedModel, job: AblationJob, piece: Piece) -> tuple[Row, list[Row]]:
    """What is told of a text, and a row of each of its windows."""
    if piece.text is None:
        raise TextError(piece.problem or "unreadable")
    document = read_document(piece.text, job.language)
    windows = read_passages(document, model.tokenizer, model.max_tokens, job.layout)
    passages = windows[:1] if job.measured == "labelled" else windows
    found = [
        {"text": piece.group, "part": piece.part, "window": passage.index, "tokens": len(passage)}
        | MEASURES[job.measured](model, passage, job)
        for passage in passages
    ]
    told: Row = {"windows": len(passages), "tokens": sum(map(len, passages))}
    if job.measured == "importance":
        told |= _alike(model, document, job)
    return told, found


def _curve(model: LoadedModel, passage: Passage, job: AblationJob) -> Row:
    return {"embedding": effects_of(model, passage, job.removals, job.replace).embedding}


def _importance(model: LoadedModel, passage: Passage, job: AblationJob) -> Row:
    estimated = np.full(model.layers * model.heads, np.nan)
    if job.replace != "even":
        with suppress(ModelError):  # capped attention has no gradients here: what is measured stands alone
            estimated = estimated_importance(model, passage, job.replace, seed=job.seed).ravel()
    return _curve(model, passage, job) | {"estimated": estimated}


def _effect(model: LoadedModel, passage: Passage, job: AblationJob) -> Row:
    """The first removal is that of the chosen heads, the others are of random ones."""
    effects = effects_of(model, passage, job.removals, job.replace)
    (before,), at, changes = capture(model, [passage]), np.arange(len(passage)), []
    for removal in job.removals:
        (after,) = capture(_without(model, removal, job), [passage])
        changes.append(matrix_changes(before.z, after.z, "dot", at))
    row: Row = {
        "embedding": effects.embedding,
        "tokens_effect": effects.tokens.mean(axis=1),
        "changes": np.stack(changes).ravel(),
    }
    head = _language_head(model)
    losses = np.full(1 + len(job.removals), np.nan)
    if head is not None:
        with suppress(TextError):  # no place to mask in this window: it has effects, and no loss
            losses = losses_of(model, head, passage, [(), *job.removals], job.replace, job.seed)
    return row | {"losses": losses}


def _labelled(model: LoadedModel, passage: Passage, job: AblationJob) -> Row:
    """The embeddings (removal, hidden), in one list."""
    return {"embeddings": embeddings_of(model, passage, job.removals, job.replace).ravel()}


def _entropy(model: LoadedModel, passage: Passage, job: AblationJob) -> Row:
    """(removal, layer) each and the chance level, NaN of a window without a place to ask at."""
    head = _language_head(model) or language_head(model)  # which tells why there is none
    found = np.full((2, len(job.removals), model.layers + 1), np.nan)
    places, chance = 0, np.nan
    with suppress(TextError):
        for at, removal in enumerate(job.removals):
            table = entropies(_without(model, removal, job), head, passage, job.seed)
            found[:, at] = table[["entropy", "cross_entropy"]].to_numpy().T
            places, chance = int(table["places"][0]), table[CHANCE][0]
    row: Row = dict(zip(("entropy", "cross_entropy"), found.reshape(2, -1), strict=True))
    return row | {"places": places, CHANCE: chance}


def _without(model: LoadedModel, removal: Removal, job: AblationJob) -> LoadedModel:
    """The model without some heads; itself where none is removed."""
    return ablate(model, removal, job.replace) if removal else model


MEASURES: Mapping[Measured, Callable[[LoadedModel, Passage, AblationJob], Row]] = {
    "curve": _curve, "importance": _importance, "effect": _effect, "labelled": _labelled, "entropy": _entropy,
}  # fmt: skip


def _alike(model: LoadedModel, document: Document, job: AblationJob) -> Row:
    """Which heads make the same pairs alike; nothing of a text with too few words."""
    try:
        alike, chance = redundancy(read(model, document, job.layout), job.seed)
    except InputError:
        return {}
    return {"redundancy": alike.astype(np.float32), "chance": chance}


@lru_cache(maxsize=1)
def _language_head(model: LoadedModel) -> LanguageHead | None:
    """None where the weights hold none, or no place can be masked. Once a process: a model is one object from job to job."""
    if not model.causal and model.tokenizer.mask_token_id is None:
        return None
    try:
        return language_head(model)
    except ModelError:
        return None
