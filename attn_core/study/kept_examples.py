"""The examples of a study in its folder, while its shards come."""

from pathlib import Path

import pandas as pd

from attn_core.runs import folder as files
from attn_core.study.examples import from_bytes, merged, to_bytes

FILE = "examples.parquet"


class Kept:
    """The examples of a study so far, in its folder: whatever shards come, and come again.

    A shard's examples are kept before the shard is, so that none is missed where the process is killed in between.
    """

    def __init__(self, folder: Path) -> None:
        self._place = folder / files.EXAMPLES
        self._table = self._read() if files.is_whole(self._place) else None

    @property
    def whole(self) -> bool:
        """False where there are none, or not as they were written: then every shard has to be counted again."""
        return self._table is not None

    @property
    def table(self) -> pd.DataFrame | None:
        return self._table

    def add(self, data: bytes | None) -> None:
        """Add those of a shard, None for one without any text."""
        parts = [] if self._table is None else [self._table]
        if data is not None:
            parts.append(from_bytes(data))
        if parts:
            self._table = merged(parts)
            files.write_folder(self._place, {FILE: to_bytes(self._table)})

    def _read(self) -> pd.DataFrame:
        return from_bytes(files.read_file(self._place, FILE))
