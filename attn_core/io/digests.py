"""SHA-256 of files, by which a reader tells that they are what was written."""

import re
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from attn_core.io.atomic_files import read_bytes

TABLE = re.compile(r"\w+\.(csv|parquet|json)", re.ASCII)  # name of a file of a table, in no other folder


def are_digests(value: object, names: re.Pattern[str]) -> bool:
    """Whether a value maps names of a pattern to strings."""
    return isinstance(value, dict) and all(
        names.fullmatch(name) and isinstance(one, str) for name, one in value.items()
    )


def read_unchanged(path: Path, digest: str | None) -> bytes | None:
    """The content of a file; None if it is missing, or if its SHA-256 is another than the one that is known, if any."""
    with suppress(OSError):
        data = read_bytes(path)
        if digest is None or sha256(data).hexdigest() == digest:
            return data
    return None
