"""The analysis of a text: head outputs -> strong pairs -> counts -> tables.

Torch is imported inside the functions that run a model or select pairs, so that a page shows its title first.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from attn_core import __version__
from attn_core.analysis.explanations import explained, sources_of_windows
from attn_core.analysis.measured_windows import measured_windows
from attn_core.analysis.reading import Reading, read
from attn_core.analysis.references import NOT_APPLICABLE
from attn_core.analysis.role_counts import roles_of
from attn_core.analysis.window_tables import attention_table, pair_table, token_table
from attn_core.displayed import Displayed
from attn_core.errors import check_type
from attn_core.head import head_of
from attn_core.io.exports import table_files
from attn_core.measures.anchors import anchor_table
from attn_core.measures.distances import distance_table
from attn_core.measures.roles import assign_roles
from attn_core.measures.similarity_scores import reach_table, score_table
from attn_core.measures.sources import Explanation, source_table
from attn_core.measures.tally import MeasuredWindow
from attn_core.measures.token_coverage import TokenCoverage
from attn_core.measures.window_counts import TotalCounts, add_up, count_window
from attn_core.models.head_outputs import as_array
from attn_core.similarity.context_similarity import context_similarity
from attn_core.similarity.distribution import count_scores
from attn_core.similarity.noise_counts import ReferenceTokens
from attn_core.similarity.strong_pairs import Settings, StrongPairs
from attn_core.similarity.words import Unit
from attn_core.texts.documents import read_document
from attn_core.texts.languages import AUTO
from attn_core.texts.passages import Layout

if TYPE_CHECKING:
    from attn_core.models.loading import AnyModel

TABLES = (
    "tokens", "heads", "layers", "distances", "distance_bins", "kinds", "anchors", "roles", "similarities",
    "reach", "pairs", "attention", "segments",
)  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Analysis(Displayed):
    """The strong pairs of a reading, and all tables computed from them.

    >>> analysis.layers[["layer", "mean_distance", "chance_mean_distance"]].round(1).head(2)
       layer  mean_distance  chance_mean_distance
    0      1            5.6                   6.3
    1      2            4.0                   6.3

    measured: the windows that are not left out, with their strong pairs. references: the reference texts of the noise.
    The tables are attributes, pandas frames computed on first access: tokens, heads, layers, distances, kinds, anchors,
    roles, similarities, reach, pairs, attention, segments. Layers, heads and windows are numbered from 1 in them.
    """

    reading: Reading
    settings: Settings
    measured: tuple[MeasuredWindow, ...]
    references: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Analysis({self.reading!r}, {self.settings})"

    @property
    def windows(self) -> tuple[StrongPairs, ...]:
        """The strong pairs of every measured window."""
        return tuple(window.pairs for window in self.measured)

    def similarity(self, head: str | tuple[int, int], window: int | None = None) -> np.ndarray:
        """The context similarity of every two tokens of a window for one head, (N, N), by the measure of the settings.

        >>> analysis.similarity("L3H10").shape
        (18, 18)

        head: its name, such as "L3H10", or a `Head`, counted from 0. window: its number in the text, from 1; required
        if several were read. Rows and columns are the rows of `tokens` (words, if read in words). Raises InputError
        for a head that the model does not have and for a window that was not read.
        """
        at, output = head_of(head, *self.shape), self.reading.outputs[self.reading.index(window)]
        return as_array(context_similarity(output.z[at], self.settings.measure))

    def explain(
        self, head: str | tuple[int, int], first: int | str, second: int | str, window: int | None = None
    ) -> Explanation:
        """Why two tokens of a window are alike in a head, by the measure of the settings: what both of them read.

        >>> analysis.explain("L3H10", "tide", "boats").tokens.nlargest(1, "contribution")["token"].item()
        '[SEP]'

        head, window: as in `similarity`. first, second: positions as in `pairs`, or words that stand there once. Raises
        InputError for tokens that are not two of the window, and like `similarity` and `sources`.
        """
        at = head_of(head, *self.shape)
        return explained(self.reading, self.settings, at, (first, second), self.reading.index(window))

    @cached_property
    def tokens(self) -> pd.DataFrame:
        """One row per token: window, position, token, token_id, start, end, sentence, is_special, is_separator."""
        return pd.concat(map(token_table, self.reading.passages), ignore_index=True)

    @cached_property
    def counted(self) -> TotalCounts:
        """The sums of all counts over the measured windows, without removed heads."""
        return add_up(map(count_window, self.measured)).without(self.reading.model.removed)

    @property
    def coverage(self) -> TokenCoverage:
        """The coverage of tokens by the strong pairs that touch them."""
        return self.counted.parts.touching

    @cached_property
    def statistics(self) -> pd.DataFrame:
        """One row per head: every statistic and its chance level, the anchor and the role."""
        statistics = self.counted.heads
        return statistics.join(assign_roles(statistics))

    @cached_property
    def heads(self) -> pd.DataFrame:
        """One row per head: its statistics, and its cluster (Ward, number of clusters by silhouette)."""
        from attn_core.measures.clusters import cluster_heads  # scikit-learn takes seconds to import

        return self.statistics.assign(cluster=cluster_heads(self.statistics).labels)

    @cached_property
    def layers(self) -> pd.DataFrame:
        """One row per layer: means of statistics over its heads, their chance levels, and shares of its heads."""
        return self.counted.layers(self.statistics)

    @cached_property
    def distances(self) -> pd.DataFrame:
        """The number of strong pairs by layer, head and distance, and the share of all pairs at that distance."""
        return distance_table(self.counted.parts.distances)

    @cached_property
    def distance_bins(self) -> pd.DataFrame:
        """The share of each layer's strong pairs in bins of doubling distance, with its chance level."""
        return self.counted.distance_bins

    @cached_property
    def kinds(self) -> pd.DataFrame:
        """The share of each head's strong pairs by kind, with its chance level."""
        return self.counted.kinds

    @cached_property
    def anchors(self) -> pd.DataFrame:
        """The tokens of largest coverage of every head, its anchor included, one row per head and rank."""
        return anchor_table(self.coverage)

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """One row per strong pair of every head: window, layer, head, first, second, tokens, similarity, distance."""
        return self._kept(pd.concat(map(pair_table, self.windows), ignore_index=True))

    def _kept(self, table: pd.DataFrame) -> pd.DataFrame:
        """The rows of the heads that are not removed."""
        gone = [head.row for head in self.reading.model.removed]
        if not gone:
            return table
        return table[~pd.MultiIndex.from_frame(table[["layer", "head"]]).isin(gone)].reset_index(drop=True)

    @cached_property
    def attention(self) -> pd.DataFrame:
        """The attention that each token receives from each head, mean over queries, with its chance level."""
        return pd.concat(map(attention_table, self.reading.passages, self.reading.outputs), ignore_index=True)

    @cached_property
    def roles(self) -> pd.DataFrame:
        """The stable role of each head, and its role under nine measures and shares: see `measures.stable_roles`.

        >>> list(analysis.roles.columns[:6])
        ['layer', 'head', 'stable_role', 'settings', 'dot_0.3', 'dot_1']

        They do not depend on the measure and share of the settings. Windows are those that count at 1 %.
        """
        return roles_of(self.reading, self.settings.with_special)

    @cached_property
    def sources(self) -> pd.DataFrame:
        """The tokens that the strong pairs of each head read most, beyond chance, one row per head and rank.

        Removed heads have none. Raises InputError for the centred cosine.
        """
        return source_table(sources_of_windows(self.reading, self.measured, self.settings))

    @cached_property
    def similarities(self) -> pd.DataFrame:
        """The distribution of the similarities of all pairs of each head, by distance: see `score_table`.

        They are standardised within the head and the window, and do not depend on the share of the settings.
        """
        return self._kept(score_table(self._scores))

    @cached_property
    def reach(self) -> pd.DataFrame:
        """How often near pairs of each head are more alike than far ones, which needs no threshold: see `reach_table`.

        >>> list(analysis.reach.columns)
        ['layer', 'head', 'near_over_far', 'chance_near_over_far']
        """
        return self._kept(reach_table(self._scores))

    @cached_property
    def _scores(self) -> np.ndarray:
        """The number of pairs by head, distance and score, summed over the measured windows."""
        parts = ((one.output.z, one.pairs.eligible, self.settings.measure) for one in self.measured)
        return np.sum([count_scores(*part) for part in parts], axis=0)

    @property
    def segments(self) -> pd.DataFrame:
        """The segments of the text that was read; they do not depend on the settings."""
        return self.reading.segments

    @property
    def unit(self) -> Unit:
        """The unit of pairs, "tokens" or "words"."""
        return self.reading.unit

    @property
    def shape(self) -> tuple[int, int]:
        """(layers, heads per layer)."""
        return self.reading.model.layers, self.reading.model.heads

    def tables(self, *further: str) -> dict[str, pd.DataFrame]:
        """The exported tables by name. further: those that cost more, such as "sources"."""
        return {name: getattr(self, name) for name in (*TABLES, *further)}

    def files(self, *further: str) -> dict[str, bytes]:
        """The exported files by name: every table as CSV and Parquet, with provenance."""
        return table_files(self.tables(*further), self.provenance)

    @cached_property
    def provenance(self) -> dict[str, Any]:
        """The settings and versions that reproduce the numbers. short_windows: the number of windows left out."""
        return {
            **self.reading.provenance,
            "short_windows": len(self.reading.passages) - len(self.measured),
            "reference_texts": ", ".join(self.references) or NOT_APPLICABLE,
            **asdict(self.settings),
            "program_version": __version__,
        }


def analyze_reading(
    reading: Reading,
    settings: Settings = Settings(),
    progress: Callable[[int, int], None] = lambda _done, _windows: None,
    references: ReferenceTokens | None = None,
) -> Analysis:
    """The analysis of a reading.

    >>> reading = attn_core.read(model, document)
    >>> attn_core.analyze_reading(reading, attn_core.Settings(share=0.05)).windows[0].shape  # layers, heads, pairs
    (6, 12, 8)

    `progress` is called with (windows done, windows in all). references: used instead of those of the reading; {} for
    no noise. Raises TextError if no window has two tokens that may pair, InputError if settings are not `Settings`.
    """
    check_type(settings, Settings, "What decides the strong pairs")
    texts = reading.references if references is None else references
    (windows,) = measured_windows(reading, [settings], texts, progress)
    return Analysis(reading, settings, windows, tuple(texts))


def analyze_by_share(reading: Reading, settings: Settings, shares: Sequence[float]) -> list[Analysis]:
    """The analyses of a reading, one for each share of strong pairs; similarities are computed once."""
    choices = [replace(settings, share=share) for share in shares]
    by_share = measured_windows(reading, choices, reading.references)
    return [Analysis(reading, *one, tuple(reading.references)) for one in zip(choices, by_share, strict=True)]


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
    """The analysis of a text with a model; its tables are pandas frames.

    >>> analysis = attn_core.analyze("The tide rose. The boats rose with it, and the harbour was full.", model)
    >>> analysis.heads[["layer", "head", "mean_distance", "chance_mean_distance", "role"]].head(2)
       layer  head  mean_distance  chance_mean_distance           role
    0      1     1            6.5              6.333333  too few pairs
    1      1     2            4.5              6.333333  too few pairs

    Parameters
    ----------
    text: what is read.
    model: a hub id, a folder, a spec, a loaded model, or None for the default model.
    settings: the measure of similarity, and which pairs may be strong.
    language: a code such as "en", by which sentences are split; "auto" detects it.
    layout: "plain", "separated" or "shuffled", see `read_passages`.
    window: the number of a window, from 1; None pools all windows.
    window_tokens: the maximum length of a window, by default 512 or what the model or its spec says.
    unit: pairs of the model's "tokens" or of the text's "words".

    Raises TextError for a text that cannot be read or a window that does not exist, ModelError for a model that cannot
    be used, InputError for an argument of another type.
    """
    check_type(text, str, "A text")
    check_type(settings, Settings, "What decides the strong pairs")
    document = read_document(text, language)  # reports errors of the text before torch is imported

    from attn_core.models.loading import loaded_model

    return analyze_reading(read(loaded_model(model, window_tokens), document, layout, window, unit=unit), settings)
