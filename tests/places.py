"""Files that leave the program say nothing of the machine where they were made."""

import getpass
import io
import re
from collections.abc import Mapping
from pathlib import Path

import pyarrow.parquet as pq


def assert_no_places(files: Mapping[str, bytes], made_in: Path) -> None:
    """No path of this machine and no name of its user in any of the files. made_in: where the models and texts lie."""
    whole = str(made_in).encode()
    names = {"home", "root", getpass.getuser(), Path.home().name, made_in.parts[1]}
    for name, data in files.items():
        told = _bytes_told(name, data)
        assert whole not in told, name
        for place in names:
            assert not re.search(rb"(?<![\w/])/" + re.escape(place.encode()) + rb"/", told), (name, place)


def _bytes_told(name: str, data: bytes) -> bytes:
    """What a file says; Parquet is packed."""
    if not name.endswith(".parquet"):
        return data
    table = pq.read_table(io.BytesIO(data))
    return repr(table.schema.metadata).encode() + table.to_pandas().to_csv().encode()
