"""The results about the heads of a model, in one text or in a whole corpus: what both have."""

from collections.abc import Mapping
from typing import Any, Protocol

import pandas as pd

from attn_core.similarity.words import Unit


class Results(Protocol):
    """Tables of `analysis.Analysis` and of `study.opened.Study` under the same names, with the same columns.

    What only a text has (its windows, its head outputs) is asked of an Analysis.
    """

    @property
    def statistics(self) -> pd.DataFrame:
        """One row a head: every statistic and its chance level, the anchor and the role."""

    @property
    def layers(self) -> pd.DataFrame:
        """One row a layer."""

    @property
    def unit(self) -> Unit:
        """What pairs are of."""

    @property
    def provenance(self) -> Mapping[str, Any]:
        """What it takes to make the same numbers again."""

    @property
    def shape(self) -> tuple[int, int]:
        """(layers, heads a layer)."""

    @property
    def heads(self) -> pd.DataFrame:
        """The statistics with the cluster of every head."""

    @property
    def distances(self) -> pd.DataFrame:
        """Strong pairs by layer, head and distance."""

    @property
    def distance_bins(self) -> pd.DataFrame:
        """Share of each layer's strong pairs by doubling distance."""

    @property
    def kinds(self) -> pd.DataFrame:
        """Share of each head's strong pairs by kind, with its chance level, see `kinds.kind_table`."""

    @property
    def anchors(self) -> pd.DataFrame:
        """Every head's anchor and runners-up by coverage."""

    def files(self) -> dict[str, bytes]:
        """Every table as CSV and Parquet with its provenance, by file name."""
