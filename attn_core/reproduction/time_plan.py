"""How long will it take? A window of the corpus, counted now by each model, times the windows that there are."""

import time
from itertools import islice

from attn_core.analysis.references import read_references
from attn_core.errors import InputError
from attn_core.models.capture import capture
from attn_core.models.loading import model_of
from attn_core.models.records import LoadedModel
from attn_core.numerics.threads import use_threads
from attn_core.reproduction.choices import readings
from attn_core.reproduction.job import Beginnings, ReproductionSettings
from attn_core.reproduction.named_models import name_of
from attn_core.reproduction.runner import Asked
from attn_core.reproduction.windows import count_window
from attn_core.runs.job import Piece
from attn_core.runs.progress import duration
from attn_core.similarity.words import UNITS
from attn_core.study.worker import read_piece
from attn_core.texts.passages import Passage

TEXTS = 40  # whose windows are counted; the rest of the corpus is taken to be like them


def planned_time(asked: Asked, settings: ReproductionSettings, workers: int, threads: int | None = None) -> str:
    """In words, a line a model, its controls included, and one for all; workers, of so many threads, are taken to share the
    work evenly. Raises InputError where no text can be read."""
    if threads is not None:
        use_threads(threads)
    number, whole, lines = len(readings(asked.controls, asked.twins)), 0.0, []
    for spec in asked.models:
        model = model_of(spec)
        passage, windows = _windows(asked, settings, model)
        seconds = _seconds(model, passage)
        whole += (of_model := seconds * windows * number)
        lines.append(
            f"{name_of(spec)}: {windows:,} windows, read {number} times (layouts and controls), "
            f"{seconds:.1f} s a window: {duration(of_model)}"
        )
    shared = f", {duration(whole / workers)} with {workers} workers on as many free cores" if workers > 1 else ""
    return "\n".join([*lines, f"In all about {duration(whole)}{shared}."])


def _windows(asked: Asked, settings: ReproductionSettings, model: LoadedModel) -> tuple[Passage, int]:
    """The longest window of the first texts, and how many windows the corpus has."""
    longest: Passage | None = None
    windows, done = 0, 0.0
    for text in islice(Beginnings(asked.corpus, settings.windows).texts(), TEXTS):
        piece = Piece(text.number, text.name, 0, text.text, text.problem)
        passages, _ = read_piece(piece, model, asked.language, "plain", settings.min_tokens)
        here = passages[: settings.windows]
        windows, done = windows + len(here), text.done
        longest = max([*here, *([longest] if longest else [])], key=len, default=None)
    if longest is None:
        raise InputError("None of the first texts can be read: look at them, or name another column.")
    return longest, round(windows / done)


def _seconds(model: LoadedModel, passage: Passage) -> float:
    """The second time, when memory is there and the reference texts are read."""
    seconds = 0.0
    for _ in range(2):
        start = time.perf_counter()
        references = {unit: read_references(model, passage.document, "plain", unit) for unit in UNITS}
        count_window(passage, capture(model, [passage])[0], references)
        seconds = time.perf_counter() - start
    return seconds
