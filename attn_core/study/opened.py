"""A study's folder, opened for reading: its manifest and its pooled tables."""

import io
from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from attn_core.measures.statistics import COUNTED, STATISTICS, Statistic
from attn_core.runs import folder as files
from attn_core.runs.results import Results
from attn_core.similarity.words import Unit


class NamedTables(ABC):
    """The tables of a text or a study, as findings, charts and reports ask for them."""

    @abstractmethod
    def table(self, name: str) -> pd.DataFrame:
        """A table by name."""

    @property
    def heads(self) -> pd.DataFrame:
        return self.table("heads")

    @property
    def statistics(self) -> pd.DataFrame:
        return self.heads

    @property
    def layers(self) -> pd.DataFrame:
        return self.table("layers")

    @property
    def effects(self) -> pd.DataFrame:
        """The effects of the claims, see `effects`."""
        return self.table("effects")

    @property
    def distance_bins(self) -> pd.DataFrame:
        return self.table("distance_bins")

    @property
    def kinds(self) -> pd.DataFrame:
        return self.table("kinds")

    @property
    def anchors(self) -> pd.DataFrame:
        return self.table("anchors")


class Study(Results, NamedTables):
    """A finished study. Its tables are those of `analysis.Analysis`, pooled over texts, with intervals."""

    kind = "study"

    @cached_property
    def heads(self) -> pd.DataFrame:
        """One row a head, with intervals and the anchor's stability; what the study lacks stands empty."""
        return self.table("heads").assign(**self._empty())

    @cached_property
    def layers(self) -> pd.DataFrame:
        """One row a layer, with intervals; what the study lacks stands empty."""
        return self.table("layers").assign(**self._empty())

    @cached_property
    def lacks(self) -> tuple[Statistic, ...]:
        """The statistics that this program counts and the one that made the study did not."""
        made = self.table("heads").columns
        return tuple(one for one in dict.fromkeys((*STATISTICS, *COUNTED)) if one.name not in made)

    @property
    def distances(self) -> pd.DataFrame:
        return self.table("distances")

    @property
    def examples(self) -> pd.DataFrame:
        """Strong pairs of every head to read, see `examples`."""
        return self.table("examples")

    @property
    def unit(self) -> Unit:
        """What pairs are of."""
        return self.manifest["settings"]["unit"]

    def _empty(self) -> dict[str, float]:
        return {column: np.nan for statistic in self.lacks for column in (statistic.name, statistic.chance)}


open_study = Study.open


def shard_tables(folder: Path, name: str) -> Iterator[pa.Table]:
    """One table of every shard, in the order of the shards; shards without a text that counts are left out.

    Raises DamagedError where one is not what was written.
    """
    for path in files.shard_paths(folder):
        if f"{name}.parquet" in files.file_names(path):
            yield pq.read_table(io.BytesIO(files.read_file(path, f"{name}.parquet")))


def numbers(column: pa.ChunkedArray) -> np.ndarray:
    """A column as an array; fixed-size lists become (rows, list). No nulls."""
    array = column.combine_chunks()
    if pa.types.is_fixed_size_list(array.type):
        return array.flatten().to_numpy(zero_copy_only=False).reshape(len(array), -1)
    return array.to_numpy(zero_copy_only=False)
