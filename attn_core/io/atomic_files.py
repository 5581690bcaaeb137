"""Files that are there whole or not at all: written beside their place under another name, flushed to the disk, renamed."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import get_ident
from typing import BinaryIO

LONGEST = 40  # characters of a name that go into that of its unfinished file, since a system bounds names


def unfinished(path: Path, number: int = 0) -> Path:
    """A name beside a path that no other process or thread writes to; number: tells those of one thread apart."""
    return path.with_name(f".{path.name[:LONGEST]}.{os.getpid()}-{get_ident()}-{number}.tmp")


def write_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all; a link stays one, and what is no file (a pipe, a terminal) is written to directly."""
    if path.exists() and not path.is_file():
        path.write_bytes(data)
    else:
        write_files({path.name: data}, path.parent)


def write_files(files: Mapping[str, bytes], folder: Path) -> None:
    """Write files into a folder, which is made if need be: all of them, or none where one cannot be written."""
    with whole_files(folder) as opened:
        for name, data in files.items():
            opened(name).write(data)


@contextmanager
def whole_files(folder: Path) -> Iterator[Callable[[str], BinaryIO]]:
    """A function that opens files of a folder, by name, to be written; the folder is made if need be.

    They get their names together, at the end of the block, once all lie on the disk; where an error comes before that,
    they go.
    """
    sinks: dict[Path, BinaryIO] = {}

    def opened(name: str) -> BinaryIO:
        path = (folder / name).resolve()
        sinks[path] = unfinished(path, len(sinks)).open("wb")
        return sinks[path]

    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield opened
        for sink in sinks.values():
            sink.flush()
            os.fsync(sink.fileno())
            sink.close()
        for path, sink in sinks.items():
            Path(sink.name).replace(path)
    except BaseException:
        for sink in sinks.values():
            with suppress(OSError):
                sink.close()
            with suppress(OSError):
                Path(sink.name).unlink(missing_ok=True)
        raise
    sync(folder)


def sync(folder: Path) -> None:
    """Make a rename last through a power cut; not every system lets a folder be opened for it."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
