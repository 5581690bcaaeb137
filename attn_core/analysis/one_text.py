"""The whole way in one place: a text and a model -> head outputs -> strong pairs -> tables.

Torch is loaded by the functions that run a model or choose pairs, so that a reading that was kept shows without it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from hashlib import sha256
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd

from attn_core import __version__, given
from attn_core.analysis.statistics_tables import CountedTables
from attn_core.analysis.unrelated import Unrelated, read_samples
from attn_core.analysis.window_tables import attention_table, pair_table, token_table
from attn_core.errors import InputError, TextError
from attn_core.head import head_of
from attn_core.in_brief import InBrief
from attn_core.io.tables import table_files
from attn_core.measures.anchors import stability
from attn_core.measures.effects import PartByPart, effects_of_parts, part_by_part
from attn_core.measures.random_pairs import halves, resampled_pairs, seed_of
from attn_core.measures.structureless import few_heads, structureless_heads
from attn_core.measures.tally import Tally
from attn_core.measures.token_coverage import touched
from attn_core.measures.uniqueness import uniqueness_table
from attn_core.measures.window import Window
from attn_core.measures.window_counts import Counted, add_up, count_window, heads_of
from attn_core.models.head_outputs import HeadOutputs, Values, as_array
from attn_core.models.records import KnownModel, LoadedModel
from attn_core.similarity.context_similarity import context_similarity
from attn_core.similarity.strong_pairs import NO_PAIR, UNITS, Settings, StrongPairs, Unit
from attn_core.similarity.words import in_unit
from attn_core.texts.documents import Document, read_document
from attn_core.texts.languages import AUTO
from attn_core.texts.passages import Layout, Passage, read_passages

if TYPE_CHECKING:
    from attn_core.models.without import Named

SEGMENTATIONS = ("partition_joined", "separator_attention")  # ours, and the paper's suggestion
TABLES = (
    "tokens", "heads", "layers", "distances", "distance_bins", "kinds", "anchors", "effects", "pairs", "attention", "segments",
)  # fmt: skip
STRUCTURELESS_DRAWS = 3  # of a window's heads without structure
DRAWS = 20  # resamplings behind a cluster stability

Key = TypeVar("Key")


@dataclass(frozen=True, eq=False, repr=False)
class Reading(InBrief):
    """A document as a model read it: some or all of its windows, with the head outputs of each.

    unit: what passages and outputs are of; the model's tokens, or the words of `reading_in`.
    """

    model: LoadedModel | KnownModel
    document: Document
    layout: Layout
    passages: tuple[Passage, ...]
    outputs: tuple[HeadOutputs, ...]
    unit: Unit = "tokens"

    def brief(self) -> dict[str, object]:
        return {
            "text": self.document.text[:200],
            "model": self.model.spec,
            "layout": self.layout,
            "windows": _windows_in_words(self.passages),
            self.unit: f"{sum(map(len, self.passages)):,}",
        }

    def without_weights(self, load: Callable[[], LoadedModel]) -> "Reading":
        """The same, of a model that is only known: its weights may be let go, and `load` loads them where they are needed."""
        return replace(self, model=self.model.loaded().known(load))

    @cached_property
    def unrelated(self) -> tuple[Unrelated, ...]:
        """Windows of sample texts, which the windows of this one are held against, in the same unit."""
        return read_samples(self.model.loaded(), self.document, self.layout, self.unit)

    @cached_property
    def segments(self) -> pd.DataFrame:
        """What was read in segments, by every method of `SEGMENTATIONS`; the model reads its sentences for that."""
        return self.find_segments()

    def find_segments(self, progress: Callable[[int, int], None] | None = None) -> pd.DataFrame:
        """The same; `progress` is called with (pieces read, pieces in all), anew for each way of reading the sentences."""
        from attn_core import segmentation  # scikit-learn and nltk take seconds to import

        model, segmentations = self.model.loaded(), []
        first, start, document = self._part_read()
        for method in map(segmentation.by_name, SEGMENTATIONS):
            outputs = segmentation.encode_sentences(model, document, method.mode or "alone", progress)
            heads = segmentation.usual_heads(model, outputs, progress) if method.uses_heads else None
            segmentations.append(segmentation.segment(method, outputs, heads))
        table = segmentation.segment_table(document, segmentations)
        of_part = {"first_sentence": first, "last_sentence": first, "start": start, "end": start}
        return table.assign(**{name: table[name] + of_part[name] for name in of_part})

    def _part_read(self) -> tuple[int, int, Document]:
        """Where what was read begins, by sentence and character, and the document of it: one window costs its own."""
        whole = self.document
        sentences = np.concatenate([passage.sentences for passage in self.passages])
        first, last = int(sentences[sentences >= 0].min()), int(sentences.max())
        if last - first + 1 == len(whole.sentences):
            return 0, 0, whole
        start, end = whole.sentences[first][0], whole.sentences[last][1]
        spans = tuple((low - start, high - start) for low, high in whole.sentences[first : last + 1])
        return first, start, Document(whole.text[start:end], spans, language=whole.language)


def windows_of(
    model: LoadedModel, document: Document, layout: Layout = "plain", window: int | None = None
) -> tuple[Passage, ...]:
    """All windows of a document, or the one that is asked for, counted from 1. Raises TextError for one that there is not."""
    passages = read_passages(document, model.tokenizer, model.max_tokens, layout)
    if window is None:
        return tuple(passages)
    if isinstance(window, bool) or not isinstance(window, Integral):
        raise InputError(f"A window is a whole number from 1 on, or None for all, not {window!r}.")
    if not 1 <= window <= len(passages):
        raise TextError(f"There is no window {window}: this text has {len(passages)}, counted from 1.")
    return (passages[window - 1],)


def read(
    model: LoadedModel,
    document: Document,
    layout: Layout = "plain",
    window: int | None = None,
    keep_maps: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Reading:
    """Run the model over one window of a document (counted from 1), or over all of them.

    keep_maps: whether the attention maps are kept, N x N numbers a head. `progress` is called with (windows done, windows in
    all). Raises TextError for a window that there is not, and InputError for what is no model, document or layout.

    >>> attn_core.read(model, document, window=1)
    Reading
      text     The tide rose. The boats rose with it, and the harbour was full.
      model    sentence-transformers/all-MiniLM-L6-v2
      layout   plain
      windows  1
      tokens   18
    """
    given.a(LoadedModel, model, "What reads a document")
    given.a(Document, document, "What is read")
    from attn_core.models.capture import capture
    from attn_core.models.running_change import as_it_is_now

    model = as_it_is_now(model)
    passages = windows_of(model, document, layout, window)
    outputs = []
    for done, passage in enumerate(passages):
        if progress:
            progress(done, len(passages))
        outputs += capture(model, [passage], keep_maps)
    return Reading(model, document, layout, passages, tuple(outputs))


def reading_in(unit: Unit, reading: Reading) -> Reading:
    """A reading of tokens in the unit that is asked for."""
    given.one_of(unit, UNITS, "A unit")
    if unit == reading.unit:
        return reading
    windows = zip(reading.passages, reading.outputs, strict=True)
    passages, outputs = zip(*(in_unit(unit, *window) for window in windows), strict=True)
    return replace(reading, passages=passages, outputs=outputs, unit=unit)


@dataclass(frozen=True, eq=False, repr=False)
class Analysis(CountedTables, InBrief):
    """The strong pairs of a reading, and every table that follows from them; tables are made when first asked for.

    measured: every passage of the reading in which two tokens may pair, with its strong pairs. The tables are attributes,
    pandas frames in which layers, heads and windows count from 1: tokens, heads, layers, distances, kinds, anchors, pairs,
    attention, segments; `tables` has them all.

    >>> analysis.layers[["layer", "mean_distance", "chance_mean_distance"]].round(1).head(2)
       layer  mean_distance  chance_mean_distance
    0      1            5.6                   6.3
    1      2            4.0                   6.3
    """

    reading: Reading
    settings: Settings
    measured: tuple[Window, ...]

    def __post_init__(self) -> None:
        given.a(Reading, self.reading, "What an analysis is of")
        given.a(Settings, self.settings, "What decides the strong pairs")

    def brief(self) -> dict[str, object]:
        return self.reading.brief() | {
            "heads": "{} layers x {}".format(*self.shape),
            "settings": self.settings,
            "tables": ", ".join(TABLES),
        }

    @property
    def windows(self) -> tuple[StrongPairs, ...]:
        """The strong pairs of every window."""
        return tuple(window.pairs for window in self.measured)

    def similarity(self, head: str | tuple[int, int], window: int | None = None) -> np.ndarray:
        """The context similarity of every two tokens of a window for one head, (N, N), in the measure of the settings.

        head: its name, L3H10, or a `Head`, counted from 0. window: its number in the text, from 1; only where several were
        read. Rows and columns are the rows of `tokens` of that window (words, where the settings' unit is words). Raises
        InputError for a head that the model has not, and for a window that was not read.

        >>> analysis.similarity("L3H10").shape
        (18, 18)
        """
        at = head_of(head, *self.shape)
        return as_array(context_similarity(self._output(window).z[at], self.settings.measure))

    def _output(self, window: int | None) -> HeadOutputs:
        """Of the window that is asked for, or of the only one."""
        numbers = [passage.index + 1 for passage in self.reading.passages]
        if window is None and len(numbers) > 1:
            raise InputError(f"This text was read in {len(numbers)} windows: say which, such as window={numbers[0]}.")
        if window is not None and window not in numbers:
            raise InputError(
                f"Window {window!r} was not read: windows {_windows_in_words(self.reading.passages)} were."
            )
        return self.reading.outputs[0 if window is None else numbers.index(window)]

    @cached_property
    def tokens(self) -> pd.DataFrame:
        """One row a token: window, position, token, token_id, start, end, sentence, is_special, is_separator."""
        return pd.concat([token_table(passage) for passage in self.reading.passages], ignore_index=True)

    @cached_property
    def counted(self) -> Counted:
        """Everything that is counted, all windows together."""
        return add_up(map(count_window, self.measured))

    @cached_property
    def effects(self) -> pd.DataFrame:
        """The effects of the claims, with intervals over the parts of the text, see `effects`."""
        return effects_of_parts(self.part_by_part)

    @cached_property
    def part_by_part(self) -> PartByPart:
        """The same without each part of the text, so that two analyses of it can be paired."""
        return part_by_part(self.measured)

    @cached_property
    def uniqueness(self) -> pd.DataFrame:
        """Distinct anchors / heads by layer, beside random pairs and heads with places of their own."""
        return uniqueness_table(self.windows, tally=self.counted.tally)

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

    @cached_property
    def anchor_stability(self) -> np.ndarray:
        """(2, H): share of the windows, or of the halves of a single window, in which the anchor stays, and its chance level.

        Of a head that has no anchor, its first token.

        NaN where the text is too short to be halved.
        """
        parts = self.windows if len(self.windows) > 1 else self._halves()
        anchors = self.coverage.token_ids[self.coverage.leaders()].ravel()
        if not parts:
            return np.full((2, len(anchors)), np.nan)
        coverages = [touched(part) for part in parts]
        leaders = np.stack([one.token_ids[one.leaders()].ravel() for one in coverages])
        tally = Tally()
        tally.add_each("stability", stability(leaders, anchors))
        return np.stack([tally.value("stability"), tally.chance("stability")])

    @property
    def unit(self) -> Unit:
        """What pairs are of."""
        return self.settings.unit

    @property
    def shape(self) -> tuple[int, int]:
        """(layers, heads a layer)."""
        return self.reading.model.layers, self.reading.model.heads

    @property
    def parts(self) -> str:
        """In what the anchors stay or do not, in words."""
        return f"{len(self.measured)} windows" if len(self.measured) > 1 else "2 halves"

    @property
    def redrawn(self) -> str:
        """What `resampled_statistics` draws again, in words."""
        return "strong pairs" + (" within each of the pooled windows" if len(self.measured) > 1 else "")

    def tables(self) -> dict[str, pd.DataFrame]:
        """All tables by name, as they are exported."""
        return {name: getattr(self, name) for name in TABLES}

    def files(self) -> dict[str, bytes]:
        """Every table as CSV and Parquet with its provenance, by file name."""
        return table_files(self.tables(), self.provenance)

    def resampled_statistics(self, draws: int = DRAWS) -> list[pd.DataFrame]:
        """The statistics of strong pairs drawn again with replacement."""
        return [
            heads_of(replace(window, pairs=pairs) for window, pairs in zip(self.measured, drawn, strict=True))
            for drawn in resampled_pairs(self.windows, draws)
        ]

    def structureless(self, draws: int = STRUCTURELESS_DRAWS) -> list[list[Window]]:
        """The windows as heads without structure would have them, once a draw: as many strong pairs, of random vectors.

        See `structureless`; the draws hang on the windows' tokens. What makes pairs strong and where attention goes stay those
        of the text, and say nothing here.
        """
        outputs = {id(p): output for p, output in zip(self.reading.passages, self.reading.outputs, strict=True)}
        return [
            [replace(window, pairs=self._structureless(window, outputs, draw)) for window in self.measured]
            for draw in range(draws)
        ]

    def _structureless(self, window: Window, outputs: Mapping[int, HeadOutputs], draw: int) -> StrongPairs:
        passage = window.pairs.passage
        z = as_array(outputs[id(passage)].z)
        return _strong_pairs(structureless_heads(z, seed_of(passage) + draw), passage, self.settings)

    @property
    def provenance(self) -> dict[str, Any]:
        """What it takes to make the same numbers again."""
        return provenance(self.reading, self.settings)

    def _halves(self) -> list[StrongPairs]:
        """The strong pairs of both halves of the only window; none where a half has fewer than two tokens that pair."""
        at = self.reading.passages.index(self.windows[0].passage)
        parts = halves(self.reading.passages[at])
        if not all(can_pair(passage, self.settings) for _, passage in parts):
            return []
        z = self.reading.outputs[at].z
        return [_strong_pairs(z[:, :, part], passage, self.settings) for part, passage in parts]


def provenance(reading: Reading, settings: Settings) -> dict[str, Any]:
    """What it takes to make the numbers of a reading again."""
    return {
        "model": str(reading.model.spec),
        "revision": reading.model.revision,
        "text_sha256": sha256(reading.document.text.encode()).hexdigest(),
        "sentences": len(reading.document.sentences),
        "language": reading.document.language,
        "layout": reading.layout,
        "windows": _windows_in_words(reading.passages),
        **asdict(settings),
        "program_version": __version__,
    }


def _windows_in_words(passages: Sequence[Passage]) -> str:
    """One window or all of them, in a few letters whatever their number: it stands in every row of a table."""
    first, last = passages[0].index + 1, passages[-1].index + 1
    return str(first) if first == last else f"{first} to {last}"


def analyze_reading(reading: Reading, settings: Settings = Settings()) -> Analysis:
    """Choose the strong pairs of a reading. Raises TextError where no window has two tokens that may pair.

    A window without a pair (a last one of one word, special tokens left out) is passed over where others have pairs. Raises
    InputError for what is no reading and no settings.

    >>> reading = attn_core.read(model, document)
    >>> attn_core.analyze_reading(reading, attn_core.Settings(share=0.05)).windows[0].shape  # layers, heads, pairs a head
    (6, 12, 8)
    """
    given.a(Reading, reading, "What is analysed, once it is read,")
    given.a(Settings, settings, "What decides the strong pairs")
    reading = reading_in(settings.unit, reading)
    parts = zip(reading.passages, reading.outputs, strict=True)
    return Analysis(reading, settings, tuple(windows_that_count(parts, settings, reading.unrelated)))


def analyze(
    text: str,
    model: "Named" = None,
    settings: Settings = Settings(),
    *,
    language: str = AUTO,
    layout: Layout = "plain",
    window: int | None = None,
) -> Analysis:
    """Analyse a text with a model: by its hub id or folder, by spec, already loaded, or the default model.

    language: a code such as "en", which decides where sentences end; "auto" for the text's own. layout: "plain",
    "separated" or "shuffled", see `read_passages`. All windows of a long text are pooled unless one is named by its number,
    from 1.

    Returns an `Analysis`, whose tables are pandas frames. Raises TextError for a text that cannot be analysed and for a
    window that there is not, ModelError for a model that cannot be used, and InputError for settings that are none.

    >>> analysis = attn_core.analyze("The tide rose. The boats rose with it, and the harbour was full.", model)
    >>> analysis.heads[["layer", "head", "mean_distance", "chance_mean_distance", "anchor"]].head(2)
       layer  head  mean_distance  chance_mean_distance anchor
    0      1     1            6.5              6.333333      ,
    1      1     2            4.5              6.333333  [SEP]
    """
    given.text(text)
    given.a(Settings, settings, "What decides the strong pairs")
    document = read_document(text, language)  # what is wrong with the text is told before torch is imported

    from attn_core.models.without import loaded_model

    return analyze_reading(read(loaded_model(model), document, layout, window), settings)


def _strong_pairs(z: Values, passage: Passage, settings: Settings) -> StrongPairs:
    from attn_core.similarity.selection import find_strong_pairs

    return find_strong_pairs(z, passage, settings.share, settings.measure, settings.with_special)


def measured(passage: Passage, output: HeadOutputs, settings: Settings, others: Sequence[Unrelated]) -> Window:
    """One window as every statistic is counted of it: strong pairs, what makes them strong, what attention tokens receive.

    others: windows of other texts, as the same model read them.
    """
    from attn_core.similarity.selection import find_strong_and_aligned
    from attn_core.similarity.strength import find_strength

    pairs, aligned = find_strong_and_aligned(output.z, passage, settings)
    strength = find_strength(output.z, pairs, aligned, settings, [(other.passage, other.z) for other in others])
    some = few_heads(output.z.shape[1])
    random = structureless_heads(as_array(output.z[:, some]), seed=seed_of(passage))
    structureless = _strong_pairs(random, passage, settings)
    return Window(pairs, strength, as_array(output.received), output.even, structureless)


def windows_that_count(
    parts: Iterable[tuple[Passage, HeadOutputs]], settings: Settings, others: Sequence[Unrelated]
) -> Iterator[Window]:
    """`measured_windows` of one text, beside others. Raises TextError where there is none."""
    empty = True
    for _, window in measured_windows(((None, *part, others) for part in parts), settings):
        empty = False
        yield window
    if empty:
        raise TextError(NO_PAIR)


def measured_windows(
    parts: Iterable[tuple[Key, Passage, HeadOutputs, Sequence[Unrelated]]], settings: Settings
) -> Iterator[tuple[Key, Window]]:
    """The windows that count, measured one after another: those in which two tokens may pair.

    parts: windows as a model read them, each under what the caller knows it by, and beside windows of other texts.
    """
    for key, passage, output, others in parts:
        if can_pair(passage, settings):
            yield key, measured(passage, output, settings, others)


def can_pair(passage: Passage, settings: Settings) -> bool:
    """Whether two tokens of a passage may pair."""
    return len(passage) - (0 if settings.with_special else int(passage.is_special.sum())) >= 2
