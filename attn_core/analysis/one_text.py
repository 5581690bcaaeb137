"""The whole way in one place: a text and a model -> head outputs -> strong pairs -> tables.

Torch is imported by the functions that run a model or choose pairs, so that a page draws its title before.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from attn_core.analysis.measured_windows import measured, measured_under, passages_that_count, strong_pairs_in
from attn_core.analysis.reading import Reading, provenance, read, window_numbers
from attn_core.analysis.statistics_tables import CountedTables
from attn_core.analysis.window_tables import attention_table, pair_table, token_table
from attn_core.checks import check_type
from attn_core.errors import InputError, TextError
from attn_core.head import head_of
from attn_core.io.tables import table_files
from attn_core.measures.tally import Window
from attn_core.measures.window_counts import TotalCounts, add_up, count_window
from attn_core.models.head_outputs import HeadOutputs, as_array
from attn_core.similarity.context_similarity import context_similarity
from attn_core.similarity.noise import ReferenceTokens
from attn_core.similarity.strong_pairs import NO_PAIR, Settings, StrongPairs
from attn_core.similarity.words import Unit
from attn_core.texts.documents import read_document
from attn_core.texts.languages import AUTO
from attn_core.texts.passages import Layout, Passage

if TYPE_CHECKING:
    from attn_core.models.loading import AnyModel

TABLES = (
    "tokens", "heads", "layers", "distances", "distance_bins", "kinds", "anchors", "pairs", "attention", "segments",
)  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Analysis(CountedTables):
    """The strong pairs of a reading, and every table that follows from them; tables are made when first asked for.

    measured: every passage of the reading in which two tokens may pair, with its strong pairs. references: the reference texts
    that its noise is counted against. The tables are attributes, pandas frames in which layers, heads and windows count from 1:
    tokens, heads, layers, distances, kinds, anchors, pairs,
    attention, segments; `tables` has them all.

    >>> analysis.layers[["layer", "mean_distance", "chance_mean_distance"]].round(1).head(2)
       layer  mean_distance  chance_mean_distance
    0      1            5.6                   6.3
    1      2            4.0                   6.3
    """

    reading: Reading
    settings: Settings
    measured: tuple[Window, ...]
    references: tuple[str, ...]

    def __post_init__(self) -> None:
        check_type(self.settings, Settings, "What decides the strong pairs")

    def __repr__(self) -> str:
        return f"Analysis({self.reading!r}, {self.settings})"

    @property
    def windows(self) -> tuple[StrongPairs, ...]:
        """The strong pairs of every window."""
        return tuple(window.pairs for window in self.measured)

    def similarity(self, head: str | tuple[int, int], window: int | None = None) -> np.ndarray:
        """The context similarity of every two tokens of a window for one head, (N, N), in the measure of the settings.

        head: its name, L3H10, or a `Head`, counted from 0. window: its number in the text, from 1; only where several were
        read. Rows and columns are the rows of `tokens` of that window (words, where it was read in words). Raises
        InputError for a head that the model has not, and for a window that was not read.

        >>> analysis.similarity("L3H10").shape
        (18, 18)
        """
        at = head_of(head, *self.shape)
        return as_array(context_similarity(self.output(window).z[at], self.settings.measure))

    def output(self, window: int | None) -> HeadOutputs:
        """Of the window that is asked for, or of the only one."""
        numbers = [passage.index + 1 for passage in self.reading.passages]
        if window is None and len(numbers) > 1:
            raise InputError(f"This text was read in {len(numbers)} windows: say which, such as window={numbers[0]}.")
        if window is not None and window not in numbers:
            raise InputError(f"Window {window!r} was not read: windows {window_numbers(self.reading.passages)} were.")
        return self.reading.outputs[0 if window is None else numbers.index(window)]

    @cached_property
    def tokens(self) -> pd.DataFrame:
        """One row a token: window, position, token, token_id, start, end, sentence, is_special, is_separator."""
        return pd.concat([token_table(passage) for passage in self.reading.passages], ignore_index=True)

    @cached_property
    def counted(self) -> TotalCounts:
        """Everything that is counted, all windows together."""
        return add_up(map(count_window, self.measured))

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """Every strong pair of every head: window, layer, head, first, second, tokens, similarity, distance."""
        return pd.concat([pair_table(window) for window in self.windows], ignore_index=True)

    @cached_property
    def attention(self) -> pd.DataFrame:
        """The attention weight that every token receives from every head, mean over queries, with its chance level."""
        parts = zip(self.reading.passages, self.reading.outputs, strict=True)
        return pd.concat([attention_table(*part) for part in parts], ignore_index=True)

    @property
    def segments(self) -> pd.DataFrame:
        """What was read in segments; they do not depend on the settings."""
        return self.reading.segments

    @property
    def unit(self) -> Unit:
        """What pairs are of."""
        return self.reading.unit

    @property
    def shape(self) -> tuple[int, int]:
        """(layers, heads a layer)."""
        return self.reading.model.layers, self.reading.model.heads

    def tables(self) -> dict[str, pd.DataFrame]:
        """All tables by name, as they are exported."""
        return {name: getattr(self, name) for name in TABLES}

    def files(self) -> dict[str, bytes]:
        """Every table as CSV and Parquet with its provenance, by file name."""
        return table_files(self.tables(), self.provenance)

    @property
    def provenance(self) -> dict[str, Any]:
        """What it takes to make the same numbers again."""
        return provenance(self.reading, self.settings, self.references)


def analyze_reading(
    reading: Reading,
    settings: Settings = Settings(),
    progress: Callable[[int, int], None] = lambda _done, _windows: None,
    references: ReferenceTokens | None = None,
) -> Analysis:
    """Choose the strong pairs of a reading. Raises TextError where no window has two tokens that may pair.

    A window without a pair (a last one of one word, special tokens left out) is passed over where others have pairs.
    `progress` is called with (windows done, windows in all). references: in place of those of the reading; none of them, and
    there is no noise. Raises InputError for what is no reading and no settings.

    >>> reading = attn_core.read(model, document)
    >>> attn_core.analyze_reading(reading, attn_core.Settings(share=0.05)).windows[0].shape  # layers, heads, pairs a head
    (6, 12, 8)
    """
    check_type(settings, Settings, "What decides the strong pairs")
    references = reading.references if references is None else references
    kept = _that_count(reading, settings)
    windows = []
    for done, (passage, output) in enumerate(zip(reading.passages, reading.outputs, strict=True)):
        progress(done, len(reading.passages))
        if passage in kept:
            windows.append(measured(passage, output, settings, references))
    return Analysis(reading, settings, tuple(windows), tuple(references))


def analyze_by_share(reading: Reading, settings: Settings, shares: Sequence[float]) -> list[Analysis]:
    """The analyses under several shares of strong pairs, which are chosen once. Raises TextError as `analyze_reading`."""
    windows = [
        measured_under(*part, [replace(settings, share=share) for share in shares], reading.references)
        for part in zip(reading.passages, reading.outputs, strict=True)
        if strong_pairs_in(part[0], settings)
    ]
    analyses = []
    for at, share in enumerate(shares):
        under = replace(settings, share=share)
        kept = _that_count(reading, under)
        counted = tuple(one[at] for one in windows if one[at].pairs.passage in kept)
        analyses.append(Analysis(reading, under, counted, tuple(reading.references)))
    return analyses


def _that_count(reading: Reading, settings: Settings) -> tuple[Passage, ...]:
    """The windows that count. Raises TextError where there is none."""
    if not (kept := passages_that_count(reading.passages, settings)):
        raise TextError(NO_PAIR)
    return kept


def analyze(
    text: str,
    model: "AnyModel" = None,
    settings: Settings = Settings(),
    *,
    language: str = AUTO,
    layout: Layout = "plain",
    window: int | None = None,
    window_tokens: int | None = None,
    unit: Unit = "tokens",
) -> Analysis:
    """Analyse a text with a model: by its hub id or folder, by spec, already loaded, or the default model.

    language: a code such as "en", which decides where sentences end; "auto" for the text's own. layout: "plain",
    "separated" or "shuffled", see `read_passages`. All windows of a long text are pooled unless one is named by its number,
    from 1. window_tokens: at most how many tokens a window has: 512, or what the model or its spec says, unless given.
    unit: whether pairs are of the model's "tokens" or of the text's "words" (see `similarity.words`), none of which is special.

    Returns an `Analysis`, whose tables are pandas frames. Raises TextError for a text that cannot be read and for a window that
    there is not, ModelError for a model that cannot be used, and InputError for settings that are none.

    >>> analysis = attn_core.analyze("The tide rose. The boats rose with it, and the harbour was full.", model)
    >>> analysis.heads[["layer", "head", "mean_distance", "chance_mean_distance", "role"]].head(2)
       layer  head  mean_distance  chance_mean_distance           role
    0      1     1            6.5              6.333333  too few pairs
    1      1     2            4.5              6.333333  too few pairs
    """
    check_type(text, str, "A text")
    check_type(settings, Settings, "What decides the strong pairs")
    document = read_document(text, language)  # what is wrong with the text is reported before torch is imported

    from attn_core.models.loading import loaded_model

    reading = read(loaded_model(model, window_tokens), document, layout, window, unit=unit)
    return analyze_reading(reading, settings)
