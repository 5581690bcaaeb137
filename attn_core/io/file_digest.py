"""What tells a model's files from others that have their name, size and time, as `cp -p` leaves them."""

import json
import os
from contextlib import suppress
from hashlib import file_digest, sha256
from pathlib import Path
from typing import IO

import numpy as np

PLACES = 8  # evenly spaced, the first and the last bytes among them
SAMPLE = 64  # bytes at each place


def sha256_of(file: Path) -> str:
    """SHA-256 of all bytes of a file."""
    with file.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()


def digest_of(file: Path) -> str:
    """SHA-256 of a file's bytes; of safetensors, of its header and of eight samples of 64 bytes of each tensor.

    The 90 MB of all-MiniLM-L6-v2 take 1.7 ms so, all their bytes 160 (once they were read from the disk). Weights that were
    trained on, converted or drawn anew differ at nearly every number; of a few numbers changed by hand the samples may see
    none. A file that cannot be read has no digest: whoever reads it next says so.
    """
    if not os.access(file, os.R_OK):
        return ""
    if file.suffix != ".safetensors":
        return sha256_of(file)
    with file.open("rb", buffering=0) as stream:
        header, tensors = _layout(stream)
        digest = sha256(header)
        for start, end in tensors:
            for place in np.linspace(start, max(start, end - SAMPLE), PLACES, dtype=np.int64).tolist():
                stream.seek(place)
                digest.update(stream.read(min(SAMPLE, end - start)))
    return digest.hexdigest()


def _layout(stream: IO[bytes]) -> tuple[bytes, list[tuple[int, int]]]:
    """The header of a safetensors file, and where each tensor begins and ends; where it has none, all is one tensor."""
    size = os.fstat(stream.fileno()).st_size
    length = int.from_bytes(stream.read(8), "little")
    with suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError):
        if length <= size - 8:
            header = stream.read(length)
            parts = [part["data_offsets"] for name, part in json.loads(header).items() if name != "__metadata__"]
            return header, [(8 + length + int(start), min(8 + length + int(end), size)) for start, end in parts]
    return b"", [(0, size)]
