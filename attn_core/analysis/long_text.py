"""Every table of a text of any length, written window by window.

What heads make of a window is in memory for one window at a time. The tokens of all windows are there throughout, 40 to
50 KB a window, and what is counted of a text grows with the different tokens in it.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

from attn_core.analysis import statistics_tables
from attn_core.analysis.measured_windows import windows_that_count
from attn_core.analysis.reading import Reading, provenance, reading_in, windows_of
from attn_core.analysis.statistics_tables import TablesOfCounts
from attn_core.analysis.window_tables import attention_table, pair_tables, token_table
from attn_core.io.table_folder import new_tables
from attn_core.io.tables import TableInPieces, table_files
from attn_core.measures.window import Window
from attn_core.measures.window_counts import add_up, count_window
from attn_core.models.head_outputs import HeadOutputs
from attn_core.models.records import LoadedModel
from attn_core.similarity.strong_pairs import Settings
from attn_core.texts.documents import Document
from attn_core.texts.passages import Layout, Passage

Progress = Callable[[str, int, int], None]
LONG = ("tokens", "pairs", "attention")


def write_tables(
    model: LoadedModel,
    document: Document,
    layout: Layout,
    settings: Settings,
    folder: Path,
    window: int | None = None,
    overwrite: bool = False,
    progress: Progress = lambda _what, _done, _of: None,
) -> dict[str, int]:
    """The files of `analyze(...).files()`, in a new or empty folder; how many rows each table has.

    window: one window alone, counted from 1. overwrite: whether tables that this program wrote there go. `progress` is called
    with what is read (a "window"; for the segments a "sentence"), how many are done, and how many there are: once more when
    all are. Raises TextError as `analyze` does, and leaves no table then.
    """
    reading = Reading(model, document, layout, windows_of(model, document, layout, window), ())
    told = provenance(reading, settings)
    with new_tables(folder, overwrite) as place, ExitStack() as stack:
        long = {name: stack.enter_context(TableInPieces(name, place, told)) for name in LONG}
        windows = _windows(reading, settings, long, progress)
        tables = TablesOfCounts(add_up(map(count_window, windows)))
        short = {name: getattr(tables, name) for name in statistics_tables.TABLES}
        short["segments"] = reading.find_segments(partial(progress, "sentence"))
        for name, data in table_files(short, told).items():
            (place / name).write_bytes(data)
    return {name: table.rows for name, table in long.items()} | {name: len(table) for name, table in short.items()}


def _windows(
    reading: Reading, settings: Settings, long: Mapping[str, TableInPieces], progress: Progress
) -> Iterator[Window]:
    """One window after another as the statistics want it, its pairs written; as `analyze_reading` takes them."""
    references = replace(reading, unit=settings.unit).references
    for window in windows_that_count(_read(reading, settings, long, progress), settings, references):
        for part in pair_tables(window.pairs):
            long["pairs"].add(part)
        yield window


def _read(
    reading: Reading, settings: Settings, long: Mapping[str, TableInPieces], progress: Progress
) -> Iterator[tuple[Passage, HeadOutputs]]:
    """Every window in the unit of the settings, the rows of its tokens written."""
    from attn_core.models.capture import capture

    model = reading.model
    for done, passage in enumerate(reading.passages):
        progress("window", done, len(reading.passages))
        one = reading_in(settings.unit, replace(reading, passages=(passage,), outputs=tuple(capture(model, [passage]))))
        (passage,), (output,) = one.passages, one.outputs
        long["tokens"].add(token_table(passage))
        long["attention"].add(attention_table(passage, output))
        yield passage, output
    progress("window", len(reading.passages), len(reading.passages))
