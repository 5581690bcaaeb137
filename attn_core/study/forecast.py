"""What a study will take, before it starts: from a few windows of its texts, read and counted now as it would count them."""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from attn_core.errors import InputError
from attn_core.io.paths import shown
from attn_core.io.tables import parquet
from attn_core.models.loading import model_of
from attn_core.models.memory import peak_memory
from attn_core.runs.job import Piece, RunModel, Shard
from attn_core.runs.model import describe
from attn_core.runs.progress import duration
from attn_core.study.corpus import Corpus
from attn_core.study.plan import pieces_of
from attn_core.study.settings import Job, StudySettings
from attn_core.study.subjects import Subject
from attn_core.study.variants import layouts_of
from attn_core.study.worker import count_shard, read_piece, usable_windows
from attn_core.texts.passages import Passage

PLACES = 8  # of the corpus, evenly spread over its characters, a window of each of which is read
SURE = 2.0  # standard errors on either side


@dataclass(frozen=True)
class Forecast:
    """What counting takes. windows: the middle, the least and the most. seconds and size (bytes): of the middle. memory: bytes
    of a process, None where the system does not tell. read, in_seconds: the windows that told it, and what they took.
    """

    texts: int
    windows: tuple[float, float, float]
    seconds: float
    size: float
    memory: float | None
    read: int
    in_seconds: float

    def in_words(self, workers: int = 1) -> str:
        """All of it in two sentences; workers: that count side by side."""
        middle, least, most = (f"{windows:,.0f}" for windows in self.windows)
        by = f" with {workers} workers, if none slows another" if workers > 1 else ""
        each = " a worker" if workers > 1 else ""
        memory = "" if self.memory is None else f", {self.memory / 1e9:,.1f} GB of memory{each}"
        texts = "1 text" if self.texts == 1 else f"{self.texts:,} texts"
        windows = "1 window that was" if self.read == 1 else f"{self.read} windows that were"
        return (
            f"{texts}, about {middle} windows ({least} to {most}): about {duration(self.seconds / workers)}{by}, at most "
            f"{self.size / 1e6:,.1f} MB on disk{memory}. Told by {windows} read now in {duration(self.in_seconds)}."
        )


def forecast(
    corpus: Corpus, subjects: Sequence[Subject], settings: StudySettings, threads: int | None = None
) -> Forecast:
    """Read a window at each of `PLACES` places of the corpus with the first subject, and estimate by them what all subjects take.

    Nothing is written; the others are taken to be as slow as the first.

    A text is met as often as it is long, so that windows a character, mean over the places, are those of the corpus. Raises
    InputError where no text can be read or counted.
    """
    corpus.check()
    first = subjects[0]
    begun = RunModel(first.spec, describe(first.spec, threads), threads)
    model = model_of(first.spec)
    texts, characters = _size(corpus)
    density, excerpts = list[float](), list[Piece]()
    for piece, offset in _met(corpus, settings, [(place + 0.5) * characters / PLACES for place in range(PLACES)]):
        length = len(piece.text or "")
        windows = usable_windows(read_piece(piece, model, settings, first.layout)[0], settings)
        density.append(len(windows) / length)
        if windows:
            window = windows[int(offset / length * len(windows))]
            excerpts.append(Piece(len(excerpts), piece.name, 0, _text_of(window), None))
    if not excerpts:
        raise InputError(f"No text can be counted at {shown(corpus.source)}: every one is empty or too short.")
    begin = time.monotonic()
    counted = count_shard(Job(Shard(0, tuple(excerpts), 1.0), begun, settings, first.layout))
    seconds = time.monotonic() - begin
    mean = fmean(density)
    error = SURE * stdev(density) / math.sqrt(len(density)) if len(density) > 1 else 0.0
    middle, least, most = (characters * each for each in (mean, max(0.0, mean - error), mean + error))
    readings = sum(len(layouts_of(one.layout)) if settings.every_setting else 1 for one in subjects)
    share = readings * middle / counted.windows
    size = sum(len(parquet(table)) for table in counted.tables.values())
    return Forecast(
        texts, (middle, least, most), share * seconds, share * size, peak_memory(), counted.windows, seconds
    )


def _size(corpus: Corpus) -> tuple[int, int]:
    """How many texts can be read, and how many characters they have."""
    lengths = [len(text.text) for text in corpus.texts() if text.text]
    return len(lengths), sum(lengths)


def _met(corpus: Corpus, settings: StudySettings, at: list[float]) -> Iterator[tuple[Piece, float]]:
    """The pieces of the corpus in which characters of these numbers stand, rising, and where in the piece."""
    wanted, before = iter([*at, math.inf]), 0
    place = next(wanted)
    for text in corpus.texts():
        for piece in pieces_of(text, settings.shard_characters):
            length = len(piece.text or "")
            while place < before + length:
                yield piece, place - before
                place = next(wanted)
            before += length


def _text_of(window: Passage) -> str:
    """The characters of a window."""
    seen = window.ends > window.starts
    return window.document.text[int(window.starts[seen].min()) : int(window.ends[seen].max())]
