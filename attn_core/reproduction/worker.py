"""What a worker does: a shard of texts in, what they say under every choice out. Runs in any process of any machine."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from attn_core.analysis.one_text import analyze_reading
from attn_core.analysis.reading import Reading, reading_in
from attn_core.analysis.references import read_references
from attn_core.errors import TextError
from attn_core.io.tables import parquet
from attn_core.models.capture import capture
from attn_core.models.records import LoadedModel
from attn_core.reproduction.choices import CHOICES
from attn_core.reproduction.job import ReproductionJob
from attn_core.reproduction.sums import part_row, rows_of_text
from attn_core.reproduction.windows import count_window
from attn_core.runs.job import Counted, Piece
from attn_core.runs.model import agreed_model
from attn_core.similarity.strong_pairs import UNITS
from attn_core.study.shard_tables import table
from attn_core.study.worker import read_piece
from attn_core.texts.passages import Layout, Passage

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
            made = _alone(model, passages, job.layout) if job.alone else _of_many(model, piece, passages, job)
            row |= {"windows": len(passages), "tokens": sum(map(len, passages))}
            row["problem"] = None if made else "too short: no window has two tokens that may pair"
            counted += made
        texts.append(row)
    tables: dict[str, pa.Table] = {"texts": table(texts, TEXT_COLUMNS)}
    if counted:
        tables["parts" if job.alone else "sums"] = (
            pa.Table.from_pandas(pd.DataFrame(counted), preserve_index=False)
            if job.alone
            else table(counted, list(counted[0]))
        )
    bad = sum(row["problem"] is not None for row in texts)
    windows = sum(row.get("windows", 0) for row in texts if row["problem"] is None)
    return Counted({f"{name}.parquet": parquet(made) for name, made in tables.items()}, len(texts) - bad, windows, bad)


def _of_many(model: LoadedModel, piece: Piece, passages: Sequence[Passage], job: ReproductionJob) -> Rows:
    """A text of several."""
    references = {unit: read_references(model, passages[0].document, job.layout, unit) for unit in UNITS}
    windows = [count_window(passage, capture(model, [passage])[0], references) for passage in passages]
    return list(rows_of_text(piece.number, piece.group, windows))


def _alone(model: LoadedModel, passages: Sequence[Passage], layout: Layout) -> Rows:
    """The only text of a corpus: its effects without each part of it, as `analyze` has them, from one pass a window."""
    outputs = tuple(capture(model, [passage])[0] for passage in passages)
    whole = Reading(model, passages[0].document, layout, tuple(passages), outputs)
    in_units = {unit: reading_in(unit, whole) for unit in UNITS}
    rows = []
    for settings in CHOICES:
        try:
            analysis = analyze_reading(in_units[settings.unit], settings)
        except TextError:
            continue
        layers = analysis.layers
        inside = float(layers["chance_same_sentence_share"].iloc[0])
        separators = bool(np.all(layers["chance_separator_attention"] > 0))
        rows.append(part_row(settings, analysis.part_by_part, analysis.coverage.strong, inside, separators))
    return rows
