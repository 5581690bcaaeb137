"""SHA-256 of files, by which a reader tells that they are what was written, and files of a JSON object."""

import json
import re
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from attn_core.errors import InputError
from attn_core.io.atomic_files import read_bytes
from attn_core.io.paths import shown

TABLE = re.compile(
    r"\w+\.(csv|parquet|json|md)", re.ASCII
)  # name of a file of a table or its columns, in no other folder


class DamagedError(InputError):
    """A file that is missing or differs from what was written."""


def are_digests(value: object, names: re.Pattern[str]) -> bool:
    """Whether a value maps names of a pattern to strings."""
    return isinstance(value, dict) and all(
        names.fullmatch(name) and isinstance(one, str) for name, one in value.items()
    )


def read_written(path: Path, digest: str | None) -> bytes:
    """The content of a file. Raises DamagedError if it cannot be read, or has another SHA-256 than a known one."""
    with suppress(OSError):
        data = read_bytes(path)
        if digest is None or sha256(data).hexdigest() == digest:
            return data
    raise DamagedError(f"{shown(path)} is missing, or not what was written: the same command makes it again.")


def read_json(path: Path, digest: str | None = None) -> dict[str, Any] | None:
    """The JSON object in a file; None if there is none, or if its SHA-256 is another than a known one."""
    with suppress(ValueError, RecursionError):
        facts = json.loads(read_written(path, digest))
        return facts if isinstance(facts, dict) else None
    return None
