"""What was computed once, kept on this machine from one start to the next: arrays and facts by a key.

An entry is one safetensors file, KEY-CHECKSUM: its name holds the SHA-256 of its bytes, so that a damaged file is known
by it, dropped, and made again. What was not used for longest goes first where there is too much. A machine without room
or without a writable home keeps nothing, and nothing is missed.

`ATTN_CORE_CACHE` names another folder; "off" switches all of it off.
"""

import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from platformdirs import user_cache_path
from safetensors.numpy import load, save

from attn_core.io.atomic_files import write_file

VARIABLE = "ATTN_CORE_CACHE"
LIMIT = 1 << 30  # bytes of all entries together
LARGEST = LIMIT // 8  # bytes of one entry
FACTS = "facts"
OWN = re.compile(r"[0-9a-f]{64}-[0-9a-f]{64}\.safetensors|\.[0-9a-f]{40}\.[0-9]+-[0-9]+-[0-9]+\.tmp")


@dataclass(frozen=True, eq=False)
class Entry:
    """Arrays by name, read-only, and facts that JSON can hold."""

    arrays: Mapping[str, np.ndarray]
    facts: Mapping[str, Any]


def folder() -> Path | None:
    """The project's part of the user's cache folder; None where nothing shall be kept."""
    if named := os.environ.get(VARIABLE):
        return None if named == "off" else Path(named)
    return user_cache_path("attn_core", appauthor=False, opinion=False)


def key_of(*parts: object) -> str:
    """A key that changes with any of its parts; they are told apart by how they print."""
    return sha256("\0".join(map(repr, parts)).encode()).hexdigest()


def find(key: str) -> Entry | None:
    """The entry of a key; None where there is none, and where its bytes are not those that were kept."""
    place = _place()
    for file in place.glob(f"{key}-*.safetensors") if place else ():
        with suppress(OSError):  # another process may have dropped it
            data = file.read_bytes()
            if sha256(data).hexdigest() == file.stem.partition("-")[2]:
                with suppress(OSError):  # a folder that can only be read
                    os.utime(file)  # the file's time says when it was used
                return Entry(_arrays(data), _facts(data))
            file.unlink()
    return None


def keep(key: str, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> None:
    """Keep an entry, in place of an older one of its key."""
    place = _place()
    if place is None or sum(array.nbytes for array in arrays.values()) > LARGEST:
        return
    data = save({name: np.ascontiguousarray(array) for name, array in arrays.items()}, {FACTS: json.dumps(facts)})
    with suppress(OSError):
        place.mkdir(mode=0o700, parents=True, exist_ok=True)  # an entry holds the words of a text
        kept = place / f"{key}-{sha256(data).hexdigest()}.safetensors"
        write_file(kept, data)
        for older in place.glob(f"{key}-*.safetensors"):
            if older != kept:
                older.unlink(missing_ok=True)
        _make_room(place)


def size() -> int:
    """Bytes of all entries together."""
    return sum(bytes_ for _, bytes_, _ in _entries(_place()))


def empty() -> None:
    """Drop every entry."""
    for _, _, file in _entries(_place()):
        with suppress(OSError):
            file.unlink(missing_ok=True)


def _place() -> Path | None:
    place = folder()
    return place / "readings" if place else None


def _arrays(data: bytes) -> dict[str, np.ndarray]:
    arrays = load(data)
    for array in arrays.values():
        array.flags.writeable = False  # whoever shows the same text shares them
    return arrays


def _facts(data: bytes) -> dict[str, Any]:
    """The facts in the header of a safetensors file, which `safetensors.numpy.load` passes over."""
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    return json.loads(header["__metadata__"][FACTS])


def _make_room(place: Path) -> None:
    entries = _entries(place)
    room = sum(bytes_ for _, bytes_, _ in entries) - LIMIT
    for _, bytes_, file in sorted(entries, key=lambda entry: entry[0]):
        if room <= 0:
            return
        file.unlink(missing_ok=True)
        room -= bytes_


def _entries(place: Path | None) -> list[tuple[int, int, Path]]:
    """When each entry was used last (nanoseconds), its bytes, its file; those cut off while they were written included."""
    entries = []
    for file in place.glob("*") if place else ():
        with suppress(OSError):  # another process may have dropped it
            state = file.stat()
            if OWN.fullmatch(file.name):  # the user may have named a folder that holds other things
                entries.append((state.st_mtime_ns, state.st_size, file))
    return entries
