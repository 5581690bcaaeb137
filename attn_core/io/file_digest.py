"""The SHA-256 of a file."""

from hashlib import file_digest
from pathlib import Path


def sha256_of(file: Path) -> str:
    """SHA-256 of all bytes of a file."""
    with file.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()
