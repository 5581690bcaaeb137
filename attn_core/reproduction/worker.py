"""What a worker does: a shard of texts in, what they say under every choice out. Runs in any process of any machine."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from attn_core.analysis.references import read_references
from attn_core.io.tables import parquet
from attn_core.models.capture import capture
from attn_core.models.records import LoadedModel
from attn_core.reproduction.job import ReproductionJob
from attn_core.reproduction.sums import rows_of_text
from attn_core.reproduction.windows import count_window
from attn_core.runs.job import Counted, Piece
from attn_core.runs.model import agreed_model
from attn_core.similarity.words import UNITS
from attn_core.study.shard_tables import table
from attn_core.study.worker import read_piece
from attn_core.texts.passages import Passage

TEXT_COLUMNS = ("text", "part", "name", "problem", "windows", "tokens")
Rows = list[dict[str, Any]]


def count_reproduction(job: ReproductionJob) -> Counted:
    """Count a shard. The same job gives the same bytes in every process.

    Raises InputError where the program or the model of this worker is not the one that the work began with.
    """
    model = agreed_model(job.model)
    texts: Rows = []
    counted: Rows = []
    for piece in job.shard.pieces:
        passages, problem = read_piece(piece, model, job.language, job.layout, job.settings.min_tokens)
        passages = passages[: job.settings.windows]
        row: dict[str, Any] = {"text": piece.number, "part": piece.part, "name": piece.name, "problem": problem}
        if passages:
            made = _count(model, piece, passages, job)
            row |= {"windows": len(passages), "tokens": sum(map(len, passages))}
            row["problem"] = None if made else "too short: no window has two tokens that may pair"
            counted += made
        texts.append(row)
    tables: dict[str, pa.Table] = {"texts": table(texts, TEXT_COLUMNS)}
    if counted:
        tables["sums"] = table(counted, list(counted[0]))
    bad = sum(row["problem"] is not None for row in texts)
    windows = sum(row.get("windows", 0) for row in texts if row["problem"] is None)
    return Counted({f"{name}.parquet": parquet(made) for name, made in tables.items()}, len(texts) - bad, windows, bad)


def _count(model: LoadedModel, piece: Piece, passages: Sequence[Passage], job: ReproductionJob) -> Rows:
    """The sums of a text."""
    references = {unit: read_references(model, passages[0].document, job.layout, unit) for unit in UNITS}
    windows = [count_window(passage, capture(model, [passage])[0], references) for passage in passages]
    return list(rows_of_text(piece.number, piece.group, windows))
