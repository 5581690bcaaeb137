"""What a worker does: a shard of texts in, the Parquet files of the shard out. Runs in any process of any machine."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow as pa

from attn_core.analysis.measured_windows import measured, passages_that_count
from attn_core.analysis.references import read_references
from attn_core.errors import TextError
from attn_core.io.tables import parquet
from attn_core.measures.tally import MIN_PAIRS
from attn_core.measures.window_counts import Parts, WindowCounts, added, count_window
from attn_core.models.capture import capture
from attn_core.models.head_outputs import HeadOutputs
from attn_core.models.records import LoadedModel
from attn_core.models.windows import batches
from attn_core.runs.job import Counted, Piece
from attn_core.runs.model import agreed_model
from attn_core.similarity.moments import moments
from attn_core.similarity.words import find_words, in_words, passage_of_words
from attn_core.study.examples import Where, candidates, merged, to_bytes, with_text
from attn_core.study.settings import Job, StudySettings
from attn_core.study.shard_tables import FEW, distance_table, table, text_row, token_table, window_row
from attn_core.texts.documents import read_document
from attn_core.texts.passages import Layout, Passage, read_passages

TEXT_COLUMNS = (
    "text", "part", "group", "name", "problem", "few", "windows", "short_windows", "tokens", "strong", "anchor_ids", "touching",
    "context",
)  # fmt: skip


def count_shard(job: Job) -> Counted:
    """Count a shard. The same job gives the same bytes in every process.

    Raises InputError where the program or the model of this worker is not the study's.
    """
    model, settings = agreed_model(job.model), job.settings
    read = [readable_windows(piece, model, settings) for piece in job.shard.pieces]
    windows = [passage for passages, *_ in read for passage in passages]
    pieces = [piece for piece, (passages, *_) in zip(job.shard.pieces, read, strict=True) for _ in passages]
    places = [(piece.number, piece.part, passage.index) for piece, passage in zip(pieces, windows, strict=True)]
    counted = iter(_in_order(_count(model, windows, places, settings), len(windows)))
    texts = [
        _TextRead(piece, passages, short, problem, [next(counted) for _ in passages])
        for piece, (passages, short, problem) in zip(job.shard.pieces, read, strict=True)
    ]
    return Counted(
        {f"{name}.parquet": parquet(made) for name, made in _tables(texts).items()},
        sum(text.problem is None and text.piece.part == 0 for text in texts),
        len(windows),
        sum(text.problem is not None for text in texts),
        _examples(texts),
    )


def _tables(texts: Sequence["_TextRead"]) -> dict[str, pa.Table]:
    """The tables of a shard by name; of texts that are all bad no more than the list of them."""
    tables = {"texts": table([_text_row(text) for text in texts], TEXT_COLUMNS)}
    for few in (False, True):
        counted = [text for text in texts if text.counts and text.few is few]
        if counted:
            *covered, distances = added([text.parts for text in counted])
            windows = [row for text in counted for row in _window_rows(text)]
            made = {
                "windows": table(windows, list(windows[0])),
                "tokens": token_table(*covered),
                "distances": distance_table(distances),
            }
            tables |= {FEW + name if few else name: one for name, one in made.items()}
    return tables


def _text_row(text: "_TextRead") -> dict[str, object]:
    row = _place(text.piece) | {"name": text.piece.name, "problem": text.problem}
    if text.counts:
        row |= {"few": text.few, "short_windows": text.short, **text_row(text.parts, text.passages)}
    return row


def _window_rows(text: "_TextRead") -> list[dict[str, object]]:
    return [
        _place(text.piece) | window_row(one.counts, passage, one.pairs, one.moments)
        for one, passage in zip(text.counts, text.passages, strict=True)
    ]


def _place(piece: Piece) -> dict[str, object]:
    return {"text": piece.number, "part": piece.part, "group": piece.group}


def _examples(texts: Sequence["_TextRead"]) -> bytes | None:
    """Pairs of a shard to read, with their text; None where no window was counted."""
    passage_at: dict[Where, Passage] = {
        (text.piece.number, text.piece.part, one.passage.index): one.passage for text in texts for one in text.counts
    }
    if not passage_at:
        return None
    names = {text.piece.number: text.piece.name for text in texts}
    return to_bytes(with_text(merged([one.examples for text in texts for one in text.counts]), passage_at, names))


def readable_windows(
    piece: Piece, model: LoadedModel, settings: StudySettings
) -> tuple[tuple[Passage, ...], int, str | None]:
    """The windows of a text that count, how many do not, and, where none does, the reason."""
    passages, problem = read_piece(piece, model, settings.language, settings.layout, settings.min_tokens)
    counted: Sequence[Passage] = passages
    if settings.unit == "words":
        counted = [passage_of_words(passage, find_words(passage)) for passage in passages]
    kept = {one.index for one in passages_that_count(counted, settings.analysis)}
    usable = tuple(passage for passage in passages if passage.index in kept)
    short = len(passages) - len(usable)
    return usable, short, problem if usable or problem else "too short: no window has two tokens that may pair"


def read_piece(
    piece: Piece, model: LoadedModel, language: str, layout: Layout, min_tokens: int
) -> tuple[Sequence[Passage], str | None]:
    """The windows of a text, or none and the reason."""
    if piece.text is None:
        return (), piece.problem
    if not piece.text.strip():
        return (), "empty"
    try:
        passages = read_passages(read_document(piece.text, language), model.tokenizer, model.max_tokens, layout)
    except TextError as error:
        return (), str(error)
    tokens = sum(map(len, passages))
    if tokens < min_tokens:
        return (), f"too short: {tokens} tokens, and a text of a study needs {min_tokens}"
    return passages, None


@dataclass(frozen=True, eq=False)
class _WindowRead:
    """A window in its unit, its counts, how many pairs it has, the moments of its similarities, and pairs to read."""

    passage: Passage
    counts: WindowCounts
    pairs: int
    moments: dict[str, np.ndarray]
    examples: pd.DataFrame


@dataclass(frozen=True, eq=False)
class _TextRead:
    """A text or a part of one, its windows with what was counted of each, how many do not count, or why there is none."""

    piece: Piece
    passages: tuple[Passage, ...]
    short: int
    problem: str | None
    counts: list[_WindowRead]

    @cached_property
    def parts(self) -> Parts:
        """What adds up apart from the counts, all windows together."""
        return added([one.counts.parts for one in self.counts])

    @property
    def few(self) -> bool:
        """Whether no window has `MIN_PAIRS` strong pairs a head."""
        return self.counts[0].counts.touching.strong < MIN_PAIRS


def _count(
    model: LoadedModel, windows: Sequence[Passage], places: Sequence[Where], settings: StudySettings
) -> Iterator[tuple[int, _WindowRead]]:
    """The windows, as they come out of their batches."""
    chosen = settings.analysis
    for index, passage, output in _read(model, windows, settings):
        references = read_references(model, passage.document, settings.layout, settings.unit)
        window = measured(passage, output, chosen, references)
        counts = count_window(window)
        yield (
            index,
            _WindowRead(
                window.pairs.passage,
                counts,
                len(window.pairs.all_pairs[0]),
                moments(output.z, window.pairs.eligible, chosen.measure),
                candidates(window.pairs, counts.touching, places[index]),
            ),
        )


def _read(
    model: LoadedModel, windows: Sequence[Passage], settings: StudySettings
) -> Iterator[tuple[int, Passage, HeadOutputs]]:
    for batch in batches([len(window) for window in windows], settings.batch_tokens):
        for index, output in zip(batch, capture(model, [windows[index] for index in batch]), strict=True):
            read = windows[index], output
            yield index, *(in_words(*read) if settings.unit == "words" else read)


def _in_order(windows: Iterable[tuple[int, _WindowRead]], size: int) -> list[_WindowRead]:
    by_index = dict(windows)
    return [by_index[index] for index in range(size)]
